"""Numbers that are possible but unlikely: units that look wrong, compute that is not 6ND, runs listed twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from isoflop.numeric._generated import array

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
    "loss": (20.0, "is it a perplexity, or a sum? A loss here is in nats per token"),
}
#: With a median outside of these the two are hardly in the same units.
TOKENS_PER_PARAM = (1e-2, 1e6)


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
        ratio = compute / array.compute(params, tokens)
    except ValueError:  # 6ND exceeds the largest float
        return ["compute is not 6ND: 6ND exceeds the largest float"]
    span = f"C/(6ND) has median {np.median(ratio):.4g} and runs from {ratio.min():.4g} to {ratio.max():.4g}"
    return _count(
        (ratio < NEAR[0]) | (ratio > NEAR[1]), "compute off 6ND by more than 10 %", f"{span}; compute is taken as given"
    )


def _count(bad: Any, what: str, rest: str) -> list[str]:
    n = int(np.count_nonzero(bad))
    return [f"{what} in {n} of {len(bad)} runs: {rest}"] if n else []
