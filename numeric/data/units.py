"""Units: losses that are in none are refused, and numbers that are unlikely are warned of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import TableError
from .budget import doubts_of_budget

#: Numbers outside of these bounds are more likely in other units, or something else.
USUAL = {
    "params": (1e3, "are they in millions or billions?", 1e16, "is it compute?"),
    "tokens": (1e3, "are they in millions or billions?", 1e18, "is it compute?"),
    "compute": (1e6, "is it in other units, or a logarithm?", 1e30, "is it in other units?"),
    "loss": (0.0, "", 20.0, "is it a perplexity, or a sum? A loss here is in nats per token"),
}
#: Of any use as a loss, in whatever unit.
LOSSES = (1e-15, 1e15)


def refuse_losses(source: str, losses: Any) -> None:
    """TableError where most losses are in no unit of loss: no fit could tell its coefficients."""
    low, high = LOSSES
    middle = float(np.median(losses))
    if not low <= middle <= high:
        raise TableError(source, f"loss has median {middle!r}: must be from {low:g} to {high:g}")


def doubts(quantities: Mapping[str, Any], given: frozenset[str]) -> list[str]:
    """Warnings about the numbers of the runs that are kept.

    Parameters
    ----------
    quantities : mapping of str to ndarray
        params, tokens, compute and loss, as far as there are.
    given : frozenset of str
        Those with a column of their own.
    """
    warnings = []
    for name, (low, if_low, high, if_high) in USUAL.items():
        if name not in quantities or name not in given:
            continue
        values = quantities[name]
        for far, word, bound, extreme, question in (
            (values < low, "below", low, f"least {values.min():.4g}", if_low),
            (values > high, "above", high, f"most {values.max():.4g}", if_high),
        ):
            if n := int(np.count_nonzero(far)):
                what = f"{name} {word} {bound:g} in {n} of {len(values)} runs"
                warnings.append(f"{what}: {extreme}; {question}")
    return warnings + doubts_of_budget(quantities, given)
