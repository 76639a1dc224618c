"""Units: what headings name is refused, and numbers that are possible but unlikely are warned of."""

from __future__ import annotations

import re
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
#: Units that headings name, in brackets or as the last word.
UNITS = {
    **dict.fromkeys(("k", "thousand", "thousands"), 1e3),
    **dict.fromkeys(("m", "mn", "million", "millions"), 1e6),
    **dict.fromkeys(("b", "bn", "g", "billion", "billions", "gflop", "gflops"), 1e9),
    **dict.fromkeys(("t", "tn", "trillion", "trillions", "tflop", "tflops"), 1e12),
    **dict.fromkeys(("pflop", "pflops"), 1e15),
    **dict.fromkeys(("eflop", "eflops"), 1e18),
    **dict.fromkeys(("zflop", "zflops"), 1e21),
}
UNIT = re.compile(r"[(\[]\s*(?:in\s+)?(?P<inside>[^()\[\]]+?)\s*[)\]]\s*$|[_\W](?P<last>[^\W_]+)$")
#: Of any use as a loss, in whatever unit.
LOSSES = (1e-15, 1e15)


def unit_in(heading: str) -> float:
    """The factor that a heading gives, as "params (B)" or "tokens_billions" do; 1 where it gives
    none.

    >>> [unit_in(name) for name in ("params (B)", "tokens_billions", "compute [1e18]", "Model Size")]
    [1000000000.0, 1000000000.0, 1e+18, 1.0]
    """
    match = UNIT.search(heading.strip())
    unit = (match["inside"] or match["last"]).casefold() if match else ""
    return float(unit) if re.fullmatch(r"1e\d{1,2}", unit) else UNITS.get(unit, 1.0)


def refuse_units(source: str, column: str, quantity: str, values: Any) -> None:
    """TableError where the heading of a column gives a unit that its numbers may be in: they are
    taken as they stand.

    Numbers that would be beyond every possible run in that unit are not in it.
    """
    factor = unit_in(column) if quantity in USUAL and quantity != "loss" else 1.0
    known = values[np.isfinite(values)]
    if factor == 1.0 or not len(known) or known.max() * factor > USUAL[quantity][2]:
        return
    span = f"{known.min():.4g} to {known.max():.4g}"
    complaint = (
        f"its heading gives the unit {factor:g}, and numbers are taken as they stand ({span}); "
        f"write them out (7e9 or 7B rather than 7) and take the unit out of the heading"
    )
    raise TableError(source, complaint, column=column)


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
