"""The budget C = 6ND of runs, and their units: what follows is filled in, what is unlikely is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import TableError
from ..words import counted
from .columns import BUDGET, spelt_in

#: Each of the three from the other two; infinite or 0 beyond the floats.
FROM_OTHERS: dict[str, tuple[str, str, Callable[[Any, Any], Any]]] = {
    "params": ("compute", "tokens", lambda C, D: C / (6.0 * D)),
    "tokens": ("compute", "params", lambda C, N: C / (6.0 * N)),
    "compute": ("params", "tokens", lambda N, D: 6.0 * D * N),
}
#: Numbers outside are more likely in other units, or something else; what is said then of a column.
UNITS = "of millions say --column {0}='{1}*1e6', of billions {0}='{1}*1e9'"
USUAL = {
    "params": (1e3, 1e16, UNITS),
    "tokens": (1e3, 1e18, UNITS),
    "compute": (1e6, 1e30, "of units of 1e18 say --column {0}='{1}*1e18', of a log {0}='10**{1}'"),
    "loss": (0.0, 20.0, "of a perplexity say --column {0}='log({1})'"),
}
#: With a median of D/N outside of these the two are hardly in the same units.
TOKENS_PER_PARAM = (1e-2, 1e6)
#: Of any use as a loss, in whatever unit.
LOSSES = (1e-15, 1e15)


def fill(given: Mapping[str, Any]) -> tuple[dict[str, Any], str | None, list[str]]:
    """What follows from C = 6ND where two of the three are positive and finite, (n,) each: those of
    the three that are changed or new (NaN where nothing tells; infinite or 0 beyond the floats),
    the one that was computed everywhere, and how many empty cells of the others were computed.
    """
    held = {name: given[name] for name in BUDGET if name in given}
    valid = {n: np.where((v > 0.0) & np.isfinite(v), v, np.nan) for n, v in held.items()}
    values, derived, warnings = dict[str, Any](), None, []
    for target, (first, second, function) in FROM_OTHERS.items():
        if not {first, second} <= valid.keys():
            continue
        with np.errstate(over="ignore", under="ignore"):
            computed = function(valid[first], valid[second])
        if target not in held:
            derived, values[target] = target, computed
        elif n := int(np.sum(gaps := np.isnan(held[target]) & ~np.isnan(computed))):
            where = f"{counted(n, 'row')} with {first} and {second}"
            warnings.append(f"{target} is missing in {where}: computed by C = 6ND")
            values[target] = np.where(gaps, computed, held[target])
    return values, derived, warnings


def refuse_losses(source: str, losses: Any) -> None:
    """TableError where most losses are in no unit of loss: no fit could tell its coefficients."""
    low, high = LOSSES
    middle = float(np.median(losses))
    if not low <= middle <= high:
        raise TableError(source, f"loss has median {middle!r}: must be from {low:g} to {high:g}")


def doubts(quantities: Mapping[str, Any], given: Mapping[str, str]) -> list[str]:
    """Warnings about numbers in unlikely units, about D/N, and about compute that is not 6ND.

    `quantities`: params, tokens, compute and loss of the runs that are kept, as far as there are;
    `given`: those with a column of their own -> that column.
    """
    warnings = []
    for name in [name for name in USUAL if name in quantities and name in given]:
        values, (low, high, cure) = quantities[name], USUAL[name]
        if n := int(np.sum((values < low) | (values > high))):
            span = f"{name} outside {low:g} to {high:g} in {n} of {len(values)} runs"
            most = f"from {values.min():.4g} to {values.max():.4g}"
            cured = cure.format(name, spelt_in(given[name]))
            warnings.append(f"{span}, {most}: is it in other units? {cured}")
    if {"params", "tokens"} <= quantities.keys():
        ratio = quantities["tokens"] / quantities["params"]
        low, high = TOKENS_PER_PARAM
        if not low <= (middle := float(np.median(ratio))) <= high:
            span = f"{middle:.4g}, from {ratio.min():.4g} to {ratio.max():.4g}"
            warnings.append(f"tokens per param have median {span}: are both in the same units?")
    if {*BUDGET} <= given.keys() & quantities.keys():
        ratio = quantities["compute"] / (6.0 * quantities["tokens"] * quantities["params"])
        if off := int(np.sum(np.abs(ratio - 1.0) > 0.1)):
            span = f"median {np.median(ratio):.4g} and runs from {ratio.min():.4g} to {ratio.max():.4g}"
            what = f"compute off 6ND by more than 10 % in {off} of {len(ratio)} runs"
            warnings.append(f"{what}: C/(6ND) has {span}; compute is taken as given")
    return warnings
