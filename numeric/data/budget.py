"""The budget C = 6ND of runs: what follows from it is filled in, and what is off it is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import formulas
from ..words import counted
from .columns import BUDGET

#: Each of the three from the other two.
FROM_OTHERS: dict[str, tuple[Callable[..., Any], tuple[str, str]]] = {
    "params": (formulas.params_given_tokens, ("compute", "tokens")),
    "tokens": (formulas.tokens_given_params, ("compute", "params")),
    "compute": (formulas.compute, ("params", "tokens")),
}
#: C/(6ND) within these bounds is near.
NEAR = (0.9, 1.1)
#: With a median of D/N outside of these the two are hardly in the same units.
TOKENS_PER_PARAM = (1e-2, 1e6)


@dataclass(frozen=True)
class Filled:
    """Params, tokens and compute with what follows from C = 6ND.

    Attributes
    ----------
    values : dict of str to ndarray
        NaN where nothing tells; infinite or 0 where the result is beyond the floats.
    derived : str or None
        The one that was computed everywhere.
    filled : dict of str to int
        How many empty cells of the others were computed.
    """

    values: dict[str, Any]
    derived: str | None
    filled: dict[str, int]

    def warnings(self, noun: str) -> list[str]:
        """How many cells were computed of a quantity that has a column."""
        return [
            f"{name} is missing in {counted(n, noun)} with {' and '.join(FROM_OTHERS[name][1])}: "
            f"computed by C = 6ND"
            for name, n in self.filled.items()
        ]


def fill(given: Mapping[str, Any]) -> Filled:
    """What follows from C = 6ND where two of the three are positive and finite, (n,) each."""
    values = {name: given[name] for name in BUDGET if name in given}
    valid = {name: (column > 0.0) & np.isfinite(column) for name, column in values.items()}
    derived, filled = None, {}
    for target, (function, (first, second)) in FROM_OTHERS.items():
        if first not in valid or second not in valid:
            continue
        computed = valid[first] & valid[second]
        column = np.full(len(computed), np.nan)
        if target in valid:
            column = values[target].copy()
            computed &= np.isnan(column)
            if n := int(np.count_nonzero(computed)):
                filled[target] = n
        else:
            derived = target
        if computed.any():
            column[computed] = _or_infinite(
                function, values[first][computed], values[second][computed]
            )
        values[target] = column
    return Filled(values, derived, filled)


def _or_infinite(function: Callable[..., Any], first: Any, second: Any) -> Any:
    """The function of two arrays, infinite at those elements where it exceeds the largest float."""
    try:
        return function(first, second)
    except ValueError:
        if len(first) == 1:
            return np.array([np.inf])
        halves = (slice(len(first) // 2), slice(len(first) // 2, None))
        return np.concatenate(
            [_or_infinite(function, first[half], second[half]) for half in halves]
        )


def doubts_of_budget(quantities: Mapping[str, Any], given: frozenset[str]) -> list[str]:
    """Warnings about D/N, and about compute that is not 6ND; `given`: those with a column."""
    warnings = []
    if "params" in quantities and "tokens" in quantities:
        ratio = quantities["tokens"] / quantities["params"]
        low, high = TOKENS_PER_PARAM
        if not low <= (middle := float(np.median(ratio))) <= high:
            span = f"{middle:.4g}, from {ratio.min():.4g} to {ratio.max():.4g}"
            warnings.append(f"tokens per param have median {span}: are both in the same units?")
    if {*BUDGET} <= given:
        by_rule = _or_infinite(formulas.compute, quantities["params"], quantities["tokens"])
        ratio = quantities["compute"] / by_rule
        if off := int(np.count_nonzero((ratio < NEAR[0]) | (ratio > NEAR[1]))):
            span = f"C/(6ND) has median {np.median(ratio):.4g} and runs from {ratio.min():.4g} to {ratio.max():.4g}"
            what = f"compute off 6ND by more than 10 % in {off} of {len(ratio)} runs"
            warnings.append(f"{what}: {span}; compute is taken as given")
    return warnings
