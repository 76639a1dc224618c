"""Whether runs of several kinds, such as training sets, were fitted as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.evaluations import Evaluations

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["pooled"]

#: So many values are listed, the most frequent ones.
MOST_LISTED = 6


def pooled(runs: Evaluations, fitted: Mask, residuals: Floats) -> list[str]:
    """What to say of every column of text that parts the fitted runs into kinds, with the mean residual of each.

    Such a column has a value shared by several runs, and several values among runs of one size: the name of a model, which
    follows from the size, and that of a run, which is its own, part nothing that the law of loss does not know of.

    Parameters
    ----------
    runs : Evaluations
        M runs with their params.
    fitted : ndarray of bool
        (M,): n runs that a law of params and tokens was fitted to.
    residuals : ndarray
        (n,): observed minus fitted loss, in units of loss.
    """
    params = np.asarray(runs.params)[fitted]
    return [
        _said(name, values[fitted], residuals)
        for name, values in runs.extra.items()
        if values.dtype.kind in "OU" and _parts(values[fitted], params)
    ]


def _parts(values: Any, params: Floats) -> bool:
    known = [(value, size) for value, size in zip(values.tolist(), params.tolist(), strict=True) if isinstance(value, str)]
    kinds = {value for value, _ in known}
    of_size: dict[float, set[str]] = {}
    for value, size in known:
        of_size.setdefault(size, set()).add(value)
    return 1 < len(kinds) <= len(known) // 2 and any(len(each) > 1 for each in of_size.values())


def _said(name: str, values: Any, residuals: Floats) -> str:
    """The kinds with their runs and mean residuals, and the F test that these are one."""
    groups = {value: residuals[values == value] for value in dict.fromkeys(values.tolist()) if isinstance(value, str)}
    ordered = sorted(groups.items(), key=lambda item: -len(item[1]))
    shown = [f"{value} ({len(rest)} runs, {float(rest.mean()):+.3g})" for value, rest in ordered[:MOST_LISTED]]
    more = [f"{len(ordered) - MOST_LISTED} more"] if len(ordered) > MOST_LISTED else []
    column = name if name.isidentifier() else f"`{name}`"
    return (
        f"warning: the law of loss pools runs of {len(ordered)} kinds of {name}, with mean residuals: "
        f"{', '.join([*shown, *more])}; p = {_p(list(groups.values())):.2g} that they share a law; "
        f"fit one at a time by a condition such as {column} == {ordered[0][0]!r}"
    )


def _p(groups: list[Floats]) -> float:
    """Of the F test that the means are equal; 1 without runs to tell the scatter from."""
    every = np.concatenate(groups)
    within = sum(float(((group - group.mean()) ** 2).sum()) for group in groups)
    between = sum(len(group) * float((group.mean() - every.mean()) ** 2) for group in groups)
    spare = len(every) - len(groups)
    if spare < 1 or not within:
        return 1.0
    from scipy.stats import f as f_distribution

    return float(f_distribution.sf((between / (len(groups) - 1)) / (within / spare), len(groups) - 1, spare))
