"""The budget C = 6ND of runs, and their units: what follows is filled in, what is unlikely is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import TableError
from ..words import counted
from .columns import BUDGET, spelt_in

#: Each of the three from the other two; infinite or 0 beyond the floats.
FROM_OTHERS: dict[str, tuple[tuple[str, str], Callable[[Any, Any], Any]]] = {
    "params": (("compute", "tokens"), lambda C, D: C / (6.0 * D)),
    "tokens": (("compute", "params"), lambda C, N: C / (6.0 * N)),
    "compute": (("params", "tokens"), lambda N, D: 6.0 * D * N),
}
#: C/(6ND) within these bounds is near.
NEAR = (0.9, 1.1)
#: With a median of D/N outside of these the two are hardly in the same units.
TOKENS_PER_PARAM = (1e-2, 1e6)
MILLIONS = "of millions say --column {0}='{{0}}*1e6', of billions {0}='{{0}}*1e9'"
UNITS = "of units of 1e18 say --column compute='{0}*1e18', of a logarithm compute='10**{0}'"
PERPLEXITY = "a loss is in nats per token; of a perplexity say --column loss='log({0})'"
#: Numbers below the first or above the second one are more likely in other units, or something else:
#: what is said then of a column {0}.
USUAL = {
    "params": (1e3, MILLIONS.format("params"), 1e16, "is it compute?"),
    "tokens": (1e3, MILLIONS.format("tokens"), 1e18, "is it compute?"),
    "compute": (1e6, UNITS, 1e30, "is it in other units?"),
    "loss": (0.0, "", 20.0, PERPLEXITY),
}
#: Of any use as a loss, in whatever unit.
LOSSES = (1e-15, 1e15)


def fill(given: Mapping[str, Any], noun: str) -> tuple[dict[str, Any], str | None, list[str]]:
    """What follows from C = 6ND where two of the three are positive and finite, (n,) each.

    Returns
    -------
    values : dict of str to ndarray
        NaN where nothing tells; infinite or 0 where the result is beyond the floats.
    derived : str or None
        The one that was computed everywhere.
    warnings : list of str
        How many empty cells of the others were computed; `noun`: what a cell is of.
    """
    values = {name: given[name] for name in BUDGET if name in given}
    valid = {n: np.where((v > 0.0) & np.isfinite(v), v, np.nan) for n, v in values.items()}
    derived, warnings = None, []
    for target, ((first, second), function) in FROM_OTHERS.items():
        if not {first, second} <= valid.keys():
            continue
        with np.errstate(over="ignore", under="ignore"):
            computed = function(valid[first], valid[second])
        if target not in valid:
            derived, values[target] = target, computed
        elif n := int(np.sum(gaps := np.isnan(values[target]) & ~np.isnan(computed))):
            where = f"{counted(n, noun)} with {first} and {second}"
            warnings.append(f"{target} is missing in {where}: computed by C = 6ND")
            values[target] = np.where(gaps, computed, values[target])
    return values, derived, warnings


def refuse_losses(source: str, losses: Any) -> None:
    """TableError where most losses are in no unit of loss: no fit could tell its coefficients."""
    low, high = LOSSES
    middle = float(np.median(losses))
    if not low <= middle <= high:
        raise TableError(source, f"loss has median {middle!r}: must be from {low:g} to {high:g}")


def doubts(quantities: Mapping[str, Any], given: Mapping[str, str]) -> list[str]:
    """Warnings about numbers in unlikely units, about D/N, and about compute that is not 6ND.

    Parameters
    ----------
    quantities : mapping of str to ndarray
        params, tokens, compute and loss of the runs that are kept, as far as there are.
    given : mapping of str to str
        Those with a column of their own -> that column.
    """
    warnings = []
    for name in [name for name in USUAL if name in quantities and name in given]:
        low, if_low, high, if_high = USUAL[name]
        values = quantities[name]
        for far, what, cure in (
            (values < low, f"below {low:g} in {{}}: least {values.min():.4g}", if_low),
            (values > high, f"above {high:g} in {{}}: most {values.max():.4g}", if_high),
        ):
            if n := int(np.sum(far)):
                said = what.format(f"{n} of {len(values)} runs")
                warnings.append(f"{name} {said}; {cure.format(spelt_in(given[name]))}")
    if {"params", "tokens"} <= quantities.keys():
        ratio = quantities["tokens"] / quantities["params"]
        low, high = TOKENS_PER_PARAM
        if not low <= (middle := float(np.median(ratio))) <= high:
            span = f"{middle:.4g}, from {ratio.min():.4g} to {ratio.max():.4g}"
            warnings.append(f"tokens per param have median {span}: are both in the same units?")
    if {*BUDGET} <= given.keys() & quantities.keys():
        ratio = quantities["compute"] / (6.0 * quantities["tokens"] * quantities["params"])
        if off := int(np.sum((ratio < NEAR[0]) | (ratio > NEAR[1]))):
            span = f"median {np.median(ratio):.4g} and runs from {ratio.min():.4g} to {ratio.max():.4g}"
            what = f"compute off 6ND by more than 10 % in {off} of {len(ratio)} runs"
            warnings.append(f"{what}: C/(6ND) has {span}; compute is taken as given")
    return warnings
