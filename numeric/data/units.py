"""Units: what headings name is refused, and numbers that are possible but unlikely are warned of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import TableError
from .budget import doubts_of_budget

#: Numbers on the far side of these are more likely in other units.
SMALLEST = {
    "params": (1e3, "are they in millions or billions?"),
    "tokens": (1e3, "are they in millions or billions?"),
    "compute": (1e6, "is it in other units, or a logarithm?"),
}
LARGEST = {
    "params": (1e16, "is it compute?"),
    "tokens": (1e18, "is it compute?"),
    "compute": (1e30, "is it in other units?"),
    "loss": (20.0, "is it a perplexity, or a sum? A loss here is in nats per token"),
}
#: Powers of ten of the units that headings name: in brackets or as the last word.
UNITS = {
    **dict.fromkeys(("k", "thousand", "thousands"), 3),
    **dict.fromkeys(("m", "mn", "mio", "million", "millions"), 6),
    **dict.fromkeys(("b", "bn", "g", "billion", "billions"), 9),
    **dict.fromkeys(("t", "tn", "trillion", "trillions"), 12),
}
OF_FLOP = {"k": 3, "m": 6, "g": 9, "t": 12, "p": 15, "e": 18, "z": 21, "y": 24}
PFLOP_DAY = re.compile(r"p(?:eta)?flops?/?s?[-_ ]*days?|pf-?days?")
UNIT = re.compile(
    r"[(\[]\s*(?:in\s+)?(?P<inside>[^()\[\]]+?)\s*[)\]]\s*$|[_\W](?P<last>[^\W\d_]+)$"
)
POWER = re.compile(r"(?:[x×*]\s*)?(?:1?e|10\s*(?:\^|\*\*))\s*\+?(?P<power>[0-9]{1,2})")
#: Of any use as a loss, in whatever unit.
LOSSES = (1e-15, 1e15)


def unit_in(heading: str) -> float:
    """The factor that a heading gives, as "params (B)" or "tokens_billions" do; 1 where it gives
    none.

    >>> (
    ...     unit_in("params (B)"),
    ...     unit_in("tokens_billions"),
    ...     unit_in("compute [1e18]"),
    ...     unit_in("EFLOP"),
    ...     unit_in("Model Size"),
    ... )
    (1000000000.0, 1000000000.0, 1e+18, 1.0, 1.0)
    """
    match = UNIT.search(heading.strip())
    if match is None:
        return 1.0
    unit = (match["inside"] or match["last"]).strip().casefold()
    if power := POWER.fullmatch(unit):
        return float(f"1e{power['power']}")
    if PFLOP_DAY.fullmatch(unit):
        return 8.64e19
    prefixed = re.fullmatch(r"([kmgtpezy])flops?", unit)
    return float(f"1e{OF_FLOP[prefixed[1]] if prefixed else UNITS.get(unit, 0)}")


def refuse_units(source: str, column: str, quantity: str, values: Any) -> None:
    """TableError where the heading of a column gives a unit that its numbers may be in: they are
    taken as they stand.

    Numbers that would be beyond every possible run in that unit are not in it.
    """
    factor = unit_in(column) if quantity in SMALLEST else 1.0
    known = values[np.isfinite(values)]
    if factor == 1.0 or not len(known) or known.max() * factor > LARGEST[quantity][0]:
        return
    span = f"{known.min():.4g} to {known.max():.4g}"
    complaint = (
        f"its heading gives the unit {factor:g} and {quantity} is taken as it stands ({span}); "
        f"write the numbers out (7e9 or 7B rather than 7) and take the unit out of the heading"
    )
    raise TableError(source, complaint, column=column)


def refuse_losses(source: str, losses: Any) -> None:
    """TableError where most losses are in no unit of loss: no fit could tell its coefficients."""
    low, high = LOSSES
    middle = float(np.median(losses))
    if not low <= middle <= high:
        size = "small" if middle < low else "large"
        span = f"must be from {low:g} to {high:g}; no unit of loss is so {size}"
        raise TableError(source, f"loss has median {middle!r}: {span}")


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
    for bounds, word, most in ((SMALLEST, "below", False), (LARGEST, "above", True)):
        for name, (bound, question) in bounds.items():
            if name in quantities and name in given:
                values = quantities[name]
                far = int(np.count_nonzero(values > bound if most else values < bound))
                extreme = f"most {values.max():.4g}" if most else f"least {values.min():.4g}"
                if far:
                    in_runs = f"{name} {word} {bound:g} in {far} of {len(values)} runs"
                    warnings.append(f"{in_runs}: {extreme}; {question}")
    return warnings + doubts_of_budget(quantities, given)
