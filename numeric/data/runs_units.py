"""Numbers that are possible but unlikely: units that look wrong, compute that is not 6ND, runs listed twice."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import formulas

#: C/(6ND) within these bounds is near.
NEAR = (0.9, 1.1)
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
UNIT = re.compile(r"[(\[]\s*(?:in\s+)?(?P<inside>[^()\[\]]+?)\s*[)\]]\s*$|[_\W](?P<last>[^\W\d_]+)$")
POWER = re.compile(r"(?:[x×*]\s*)?(?:1?e|10\s*(?:\^|\*\*))\s*\+?(?P<power>[0-9]{1,2})")
#: Of any use as a loss, in whatever unit.
LOSSES = (1e-15, 1e15)
#: With a median outside of these the two are hardly in the same units.
TOKENS_PER_PARAM = (1e-2, 1e6)


def unit_in(heading: str) -> float:
    """The factor that a heading gives, as "params (B)" or "tokens_billions" do; 1 where it gives none.

    >>> unit_in("params (B)"), unit_in("tokens_billions"), unit_in("compute [1e18]"), unit_in("EFLOP"), unit_in("Model Size")
    (1000000000.0, 1000000000.0, 1e+18, 1.0, 1.0)
    """
    match = UNIT.search(heading.strip())
    if match is None:
        return 1.0
    unit = (match["inside"] or match["last"]).strip().casefold()
    if found := POWER.fullmatch(unit):
        return float(f"1e{found['power']}")
    if PFLOP_DAY.fullmatch(unit):
        return 8.64e19
    prefixed = re.fullmatch(r"([kmgtpezy])flops?", unit)
    return float(f"1e{OF_FLOP[prefixed[1]] if prefixed else UNITS.get(unit, 0)}")


def refuse_units(source: str, column: str, quantity: str, values: Any) -> None:
    """ValueError where the heading of a column gives a unit, and its numbers may be in it: columns are taken as they are.

    Numbers that would be beyond every possible run in that unit are not in it.
    """
    factor = unit_in(column) if quantity in SMALLEST else 1.0
    known = values[np.isfinite(values)]
    if factor == 1.0 or not len(known) or known.max() * factor > LARGEST[quantity][0]:
        return
    span = f"{known.min():.4g} to {known.max():.4g}"
    raise ValueError(
        f"{source}, column {column!r}: its heading gives the unit {factor:g} and {quantity} is taken as it stands ({span}); "
        f"write the numbers out (7e9 or 7B rather than 7) and take the unit out of the heading"
    )


def refuse_losses(source: str, losses: Any) -> None:
    """ValueError where most losses are in no unit of loss: no fit could tell its coefficients."""
    low, high = LOSSES
    middle = float(np.median(losses))
    if not low <= middle <= high:
        size = "small" if middle < low else "large"
        raise ValueError(f"{source}: loss has median {middle!r}: must be from {low:g} to {high:g}; no unit of loss is so {size}")


def doubts(quantities: Mapping[str, Any], given: frozenset[str]) -> list[str]:
    """Warnings about the numbers of the runs that are kept.

    Parameters
    ----------
    quantities : mapping of str to ndarray
        params, tokens, compute and loss, as far as there are.
    given : frozenset of str
        Those with a column of their own.
    """
    found = []
    for name, (bound, question) in SMALLEST.items():
        if name in quantities and name in given:
            found += _count(
                quantities[name] < bound, f"{name} below {bound:g}", f"least {quantities[name].min():.4g}; {question}"
            )
    for name, (bound, question) in LARGEST.items():
        if name in quantities and name in given:
            found += _count(quantities[name] > bound, f"{name} above {bound:g}", f"most {quantities[name].max():.4g}; {question}")
    if "params" in quantities and "tokens" in quantities:
        found += _far_apart(quantities["tokens"] / quantities["params"])
    if {"params", "tokens", "compute"} <= given:
        found += _not_the_budget(quantities["params"], quantities["tokens"], quantities["compute"])
    return found


def _far_apart(ratio: Any) -> list[str]:
    low, high = TOKENS_PER_PARAM
    middle = float(np.median(ratio))
    if low <= middle <= high:
        return []
    return [
        f"tokens per param have median {middle:.4g}, from {ratio.min():.4g} to {ratio.max():.4g}: are both in the same units?"
    ]


def _not_the_budget(params: Any, tokens: Any, compute: Any) -> list[str]:
    try:
        ratio = compute / formulas.compute(params, tokens)
    except ValueError:  # 6ND exceeds the largest float
        return ["compute is not 6ND: 6ND exceeds the largest float"]
    span = f"C/(6ND) has median {np.median(ratio):.4g} and runs from {ratio.min():.4g} to {ratio.max():.4g}"
    return _count(
        (ratio < NEAR[0]) | (ratio > NEAR[1]), "compute off 6ND by more than 10 %", f"{span}; compute is taken as given"
    )


def _count(bad: Any, what: str, rest: str) -> list[str]:
    n = int(np.count_nonzero(bad))
    return [f"{what} in {n} of {len(bad)} runs: {rest}"] if n else []
