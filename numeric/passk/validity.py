"""Where laws of -log pass@k at several k hold together: where none says that more samples solve
fewer problems.

pass@k does not fall with k. Laws y_k(C) = E + C0 C^-alpha fitted apart break this wherever y rises
from one k to the next. The difference of two such laws turns once
(isoflop.derivations.passk.laws_with_floors_cross_at_most_twice), so that bisection on either side
of the turning point finds every crossing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..errors import outside

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Laws = tuple[Floats, Floats, Floats]
    Spans = tuple[tuple[float, float], ...]

__all__ = ["LawsCross", "Validity", "rises", "validity", "validity_floor"]

#: log C is searched between minus and plus this, 1e-300 to 1e300 FLOP; a crossing beyond counts as
#: 0 or as infinite.
FARTHEST = 300.0 * float(np.log(10.0))
#: Halvings of that interval, enough for neighbouring floats.
HALVINGS = 64
#: A rise of -log pass@k by this share of itself is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class LawsCross:
    """Laws at neighbouring k.

    Attributes
    ----------
    k : (float, float)
    compute : tuple of float
        FLOP at which the two cross: none, one or two, ascending.
    wrong : tuple of (float, float)
        Intervals of compute at which -log pass@k rises from the one to the other; from 0 and up to
        inf where they have no end.
    """

    k: tuple[float, float]
    compute: tuple[float, ...]
    wrong: Spans

    @property
    def floor(self) -> float:
        """C_x of the two."""
        return self.wrong[-1][1] if self.wrong else 0.0


@dataclass(frozen=True)
class Validity:
    """Where laws at several k hold together.

    Attributes
    ----------
    k : tuple of float
    pairs : tuple of LawsCross
        Of neighbouring k: where these hold together all do.
    """

    k: tuple[float, ...]
    pairs: tuple[LawsCross, ...]

    @property
    def floor(self) -> float:
        """C_x in FLOP, above which the laws hold together: 0 where they do everywhere, inf where
        they do at no large compute.
        """
        return max((pair.floor for pair in self.pairs), default=0.0)

    @property
    def binding(self) -> tuple[float, float] | None:
        """The neighbouring k whose laws cross there."""
        return next((pair.k for pair in self.pairs if pair.floor == self.floor > 0.0), None)

    @property
    def wrong(self) -> Spans:
        """Intervals of compute at which -log pass@k rises from some k to the next."""
        return _merged(span for pair in self.pairs for span in pair.wrong)

    def as_dict(self) -> dict[str, Any]:
        """Plain data; None for an end that is infinite."""

        def finite(spans: Spans) -> list[list[float | None]]:
            return [[end if np.isfinite(end) else None for end in span] for span in spans]

        return {
            "k": list(self.k),
            "floor": self.floor if np.isfinite(self.floor) else None,
            "bounded": bool(np.isfinite(self.floor)),
            "binding": None if self.binding is None else list(self.binding),
            "wrong": finite(self.wrong),
            "pairs": [
                {"k": list(one.k), "crossings": list(one.compute), "wrong": finite(one.wrong)}
                for one in self.pairs
            ],
        }


def validity(laws: Mapping[Any, Any]) -> Validity:
    """Where compute laws at several k hold together.

    Parameters
    ----------
    laws : mapping
        k to (E, C0, alpha): E >= 0 in nats, C0 > 0, alpha > 0.

    Examples
    --------
    >>> validity({1: (0.0, 1e3, 0.15), 10: (0.0, 1e5, 0.25)}).floor.__format__(".6g")
    '1e+20'
    """
    ks = sorted(laws)
    roots, wrong_below, _ = _crossings(_checked(np.array([laws[k] for k in ks]).T))
    pairs = []
    for k, crossings, begins_wrong in zip(pairwise(ks), np.exp(roots), wrong_below, strict=True):
        compute = crossings[~np.isnan(crossings)].tolist()
        spans = list(pairwise([0.0, *compute, np.inf]))
        pairs.append(
            LawsCross(
                (float(k[0]), float(k[1])),
                tuple(compute),
                tuple(spans[0 if begins_wrong else 1 :: 2]),
            )
        )
    return Validity(tuple(map(float, ks)), tuple(pairs))


def validity_floor(E: Any, C0: Any, alpha: Any) -> Floats:
    """C_x of many sets of laws at once, (...): coefficients (..., K) at K values of k in ascending
    order.
    """
    roots, _, wrong_above = _crossings(_checked((E, C0, alpha)))
    last = np.where(np.isnan(roots), -np.inf, roots).max(axis=-1)
    return np.asarray(np.where(wrong_above, np.inf, np.exp(last)).max(axis=-1, initial=0.0))


def rises(neg_log: Floats) -> NDArray[np.bool_]:
    """Where -log pass@k (K, ...) in the order of k lies above that at the k before, (K - 1, ...)."""
    return np.asarray(neg_log[1:] > neg_log[:-1] * (1.0 + ROUNDING))


def _checked(laws: Any) -> Laws:
    E, C0, alpha = np.broadcast_arrays(*(np.asarray(values, dtype=np.float64) for values in laws))
    for name, values, good in (
        ("E", E, E >= 0.0),
        ("C0", C0, C0 > 0.0),
        ("alpha", alpha, alpha > 0.0),
    ):
        if not (good & np.isfinite(values)).all():
            raise outside(
                name, values.tolist(), f"finite and {'at least' if name == 'E' else 'above'} 0"
            )
    return E, C0, alpha


def _crossings(laws: Laws) -> tuple[Floats, NDArray[np.bool_], NDArray[np.bool_]]:
    """Of neighbouring k: log C (..., K - 1, 2) below and above the turning point, and whether y
    rises at both far ends.
    """
    (e1, e2), (c1, c2), (a1, a2) = ((values[..., :-1], values[..., 1:]) for values in laws)
    log_c1, log_c2 = np.log(c1), np.log(c2)
    with np.errstate(divide="ignore"):  # of the two only what the floors do not share
        above, below = np.log(np.maximum(e1 - e2, 0.0)), np.log(np.maximum(e2 - e1, 0.0))

    def wrong(x: Floats) -> Any:
        return np.logaddexp(above, log_c1 - a1 * x) < np.logaddexp(below, log_c2 - a2 * x)

    turn = np.zeros_like(a1)
    differ = a1 != a2
    turn[differ] = formulas.log_turning_compute(
        C0_1=c1[differ], C0_2=c2[differ], alpha_1=a1[differ], alpha_2=a2[differ]
    )
    end = np.full_like(a1, FARTHEST)
    turn = np.clip(turn, -end, end)
    sides = []
    for low, high in ((-end, turn), (turn, end)):
        at_low, changes = wrong(low), wrong(low) != wrong(high)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            same = wrong(middle) == at_low
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        sides.append(np.where(changes, 0.5 * (low + high), np.nan))
    return np.stack(sides, axis=-1), wrong(-end), wrong(end)


def _merged(spans: Iterable[tuple[float, float]]) -> Spans:
    merged: list[tuple[float, float]] = []
    for low, high in sorted(spans):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)
