"""Splits of the rows of a table: the rows up to a cutoff are fitted, and rows beyond it predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import outside, positive_number, whole_number

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

#: The quantities that cutoffs may be in. All grow with the expense of a row except gold, -log of the
#: probability of the gold reference solution.
AXES = ("compute", "params", "tokens", "gold")
#: Rows within so many decades are equally expensive: compute is rounded where it is 6ND.
ALIKE = 1e-9


class Split(NamedTuple):
    """The masks of the rows to fit and to predict, (n,) each; by how many decades each row is more
    expensive than the cutoff, or than the fitted rows; and the cutoff, NaN where there is none.
    """

    train: Mask
    test: Mask
    decades: Floats
    cutoff: float = np.nan


def splits_of(rows: DataFrame, least: int, axis: str, sweep: bool, cutoffs: Any) -> list[Split]:
    """The splits of the rows of a law, see `Task`, the most expensive cutoff first. In a sweep all
    rows beyond a cutoff are predicted, else the most expensive ones, which are never fitted.

    There is one split if a condition holds out rows, and one without rows if no cutoff leaves at
    least `least` rows to fit and one to predict.
    """
    train, test, grid = (rows[name].to_numpy() for name in ("train", "test", "grid"))
    sign, place = -1.0 if axis == "gold" else 1.0, np.full(len(rows), np.nan)
    if axis in rows:
        place = sign * np.log10(rows[axis].to_numpy(dtype=np.float64))
    if "held" in rows:
        held = rows["held"].to_numpy()
        fitted = train & ~held
        return [Split(fitted, test & held, place - place[fitted].max(initial=-np.inf))]
    known = np.isfinite(place)
    if not sweep:
        dearest = place >= place[known].max(initial=-np.inf) - ALIKE
        train, test = train & ~dearest, test & dearest
    train, test = train & known, test & known
    found, possible = list[Split](), np.sort(place[train & grid])[least - 1 :]
    if len(possible) and (place[test] > possible[0]).any():
        for cut in reversed(_places(np.unique(possible), cutoffs, sign)):
            if (fitted := train & (place <= cut)).sum() >= least:
                beyond, at = test & (place > cut), float(10.0 ** (sign * cut))
                found.append(Split(fitted, beyond, place - cut, at))
    nothing = np.zeros(len(place), dtype=bool)
    return found or [Split(nothing, nothing, place)]


def _places(possible: Floats, cutoffs: Any, sign: float) -> list[float]:
    """The cutoffs from cheap to expensive, in decades: all that are possible, a number of them evenly
    spread, or given values of the axis.
    """
    if cutoffs is None:
        return [*possible.tolist()]
    if isinstance(cutoffs, int):
        count = whole_number("cutoffs", cutoffs, 1)
        wanted = np.linspace(possible[-1], possible[0], count)
        return sorted({float(possible[np.abs(possible - at).argmin()]) for at in wanted})
    values = [positive_number("cutoffs", at) for at in np.atleast_1d(cutoffs).tolist()]
    if not values:
        raise outside("cutoffs", cutoffs, "a number of cutoffs, or a list of values of the axis")
    return sorted({sign * float(np.log10(value)) for value in values})
