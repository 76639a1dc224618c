"""Cutoffs in what makes a row expensive: the rows up to each are fitted, and rows beyond it
predicted.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import outside, positive_number, whole_number

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["ALL", "AXES", "DEAREST", "NEXT", "Split", "place_of", "splits_of"]

#: What makes a row expensive. Of gold, -log of the probability of the gold reference solution, an
#: expensive row has less.
AXES = ("compute", "params", "tokens", "gold")
#: What a cutoff predicts: every row beyond it, those up to the next cutoff, or those at the highest
#: value of the axis, on which no fit is trained.
ALL, NEXT, DEAREST = "all", "next", "dearest"


class Split(NamedTuple):
    """Rows to fit and rows to predict, (n,) each, and the cutoff between them; NaN without one."""

    train: Mask
    test: Mask
    cutoff: float = np.nan


def place_of(rows: DataFrame, axis: str, cutoff: float = 1.0) -> Floats:
    """Decades of the rows beyond a cutoff, (n,): the more, the more expensive; NaN where the axis is
    not known.
    """
    if axis not in rows:
        return np.full(len(rows), np.nan)
    decades = np.log10(rows[axis].to_numpy(dtype=np.float64)) - np.log10(cutoff)
    return np.asarray(-decades if axis == "gold" else decades)


def splits_of(rows: DataFrame, least: int, axis: str, targets: str, cutoffs: Any) -> list[Split]:
    """The splits of a law's rows, that of the most expensive cutoff first; the only one where a
    condition holds out rows; one without rows where no cutoff leaves at least so many to fit and
    one to predict. `rows`: see `Task`; `targets`: `ALL`, `NEXT` or `DEAREST`; the rest as of
    `isoflop.backtest`.
    """
    train, test, grid = (rows[name].to_numpy() for name in ("train", "test", "grid"))
    if "held" in rows:
        held = rows["held"].to_numpy()
        return [Split(train & ~held, test & held)]
    place = place_of(rows, axis)
    known = np.isfinite(place)
    dearest = place == place[known].max(initial=-np.inf)
    if targets == DEAREST:
        train, test = train & ~dearest, test & dearest
    train, test = train & known, test & known
    found, possible = list[Split](), np.sort(place[train & grid])[least - 1 :]
    if len(possible) and (place[test] > possible[0]).any():
        cuts = [*_places(np.unique(possible), cutoffs, axis), np.inf]
        for cut, end in reversed([*pairwise(cuts)]):
            beyond = test & (place > cut) & (place <= (end if targets == NEXT else np.inf))
            if (fitted := train & (place <= cut)).sum() >= least:
                value = float(10.0 ** (-cut if axis == "gold" else cut))
                found.append(Split(fitted, beyond, value))
    nothing = np.zeros(len(place), dtype=bool)
    return found or [Split(nothing, nothing)]


def _places(possible: Floats, cutoffs: Any, axis: str) -> list[float]:
    """Of cutoffs, from cheap to expensive: all that are possible (in that order), so many, evenly
    spread, or those of given values.
    """
    if cutoffs is None:
        return [*possible.tolist()]
    if isinstance(cutoffs, int):
        count = whole_number("cutoffs", cutoffs, 1)
        wanted = np.linspace(possible[-1], possible[0], count)
        return sorted({float(possible[np.abs(possible - at).argmin()]) for at in wanted})
    if isinstance(cutoffs, str) or not np.iterable(cutoffs) or not [*cutoffs]:
        domain = "a whole number of at least 1, or a list of values of the axis"
        raise outside("cutoffs", cutoffs, domain)
    sign = -1.0 if axis == "gold" else 1.0
    return sorted({sign * float(np.log10(positive_number("cutoffs", at))) for at in cutoffs})
