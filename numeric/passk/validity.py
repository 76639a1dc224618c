"""Where laws of -log pass@k at several k hold together: where none says that more samples solve
fewer problems.

pass@k does not fall with k. Laws y_k(C) = E + C0 C^-alpha fitted apart break this wherever y rises
from one k to the next. The difference of two such laws turns once
(isoflop.derivations.passk.crossing_of_two_k), so that bisection on either side
of the turning point finds every crossing. Params+tokens laws stand for their envelopes; no
prediction is made where laws contradict each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..results import checked_level

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .fit_at_k import PassFit
    from .laws import PassLaws

    Floats = NDArray[np.float64]
    Spans = tuple[tuple[float, float], ...]

#: log C is searched between minus and plus this, 1e-300 to 1e300 FLOP; a crossing beyond counts as
#: 0 or as infinite.
FARTHEST = 300.0 * float(np.log(10.0))
#: Halvings of that interval, enough for neighbouring floats.
HALVINGS = 64
#: A rise of -log pass@k by this share of itself is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Validity:
    """Where laws at several k hold together.

    Attributes
    ----------
    k : tuple of float
    crossings : tuple of tuple of float
        FLOP at which the laws of neighbouring k cross: none, one or two, ascending. Where
        neighbours hold together all do.
    wrong_between : tuple of tuple of (float, float)
        Intervals of compute at which -log pass@k rises from the one to the other; from 0 and up to
        inf where they have no end.
    """

    k: tuple[float, ...]
    crossings: tuple[tuple[float, ...], ...]
    wrong_between: tuple[Spans, ...]

    @property
    def floor(self) -> float:
        """C_x in FLOP, above which the laws hold together: 0 where they do everywhere, inf where
        they do at no large compute.
        """
        return max((spans[-1][1] for spans in self.wrong_between if spans), default=0.0)

    @property
    def binding(self) -> tuple[float, float] | None:
        """The neighbouring k whose laws cross there."""
        neighbours = zip(pairwise(self.k), self.wrong_between, strict=True)
        return next((k for k, spans in neighbours if spans and spans[-1][1] == self.floor), None)

    @property
    def wrong(self) -> Spans:
        """Intervals of compute at which -log pass@k rises from some k to the next."""
        return _merged(span for spans in self.wrong_between for span in spans)

    def as_dict(self) -> dict[str, Any]:
        """Plain data; None for an end that is infinite."""

        def finite(spans: Spans) -> list[list[float | None]]:
            return [[end if np.isfinite(end) else None for end in span] for span in spans]

        pairs = zip(pairwise(self.k), self.crossings, self.wrong_between, strict=True)
        return {
            "k": list(self.k),
            "floor": self.floor if np.isfinite(self.floor) else None,
            "bounded": bool(np.isfinite(self.floor)),
            "binding": None if self.binding is None else list(self.binding),
            "wrong": finite(self.wrong),
            "pairs": [
                {"k": list(k), "crossings": list(crossings), "wrong": finite(wrong)}
                for k, crossings, wrong in pairs
            ],
        }


# -- compute laws ----------------------------------------------------------------------------------


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
    roots, wrong_below, _ = _crossings(*np.array([laws[k] for k in ks], dtype=np.float64).T)
    found = [row[~np.isnan(row)].tolist() for row in np.exp(roots)]
    spans = [list(pairwise([0.0, *row, np.inf])) for row in found]
    return Validity(
        k=tuple(map(float, ks)),
        crossings=tuple(map(tuple, found)),
        wrong_between=tuple(
            tuple(row[0 if begins_wrong else 1 :: 2])
            for row, begins_wrong in zip(spans, wrong_below, strict=True)
        ),
    )


def validity_floor(E: Any, C0: Any, alpha: Any) -> Floats:
    """C_x of many sets of laws at once, (...): coefficients (..., K) at K values of k in ascending
    order.
    """
    roots, _, wrong_above = _crossings(*map(np.asarray, (E, C0, alpha)))
    last = np.where(np.isnan(roots), -np.inf, roots).max(axis=-1)
    return np.asarray(np.where(wrong_above, np.inf, np.exp(last)).max(axis=-1, initial=0.0))


def rises(neg_log: Floats) -> NDArray[np.bool_]:
    """Where -log pass@k (K, ...) in the order of k rises, beyond rounding, (K - 1, ...)."""
    return np.asarray(neg_log[1:] > neg_log[:-1] * (1.0 + ROUNDING))


def _crossings(
    E: Floats, C0: Floats, alpha: Floats
) -> tuple[Floats, NDArray[np.bool_], NDArray[np.bool_]]:
    """Of neighbouring k: log C (..., K - 1, 2) below and above the turning point, and whether y
    rises at both far ends.
    """
    (e1, e2), (c1, c2), (a1, a2) = (
        (values[..., :-1], values[..., 1:]) for values in (E, C0, alpha)
    )
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


# -- fitted laws -----------------------------------------------------------------------------------


def together(laws: PassLaws) -> Validity:
    """Where in compute (for the gold law in 1/g) the laws at all k hold together; params+tokens
    laws stand for their envelopes.

    Where the best that any allocation of a compute reaches is worse at k2 > k1, the laws contradict
    each other at the allocation that is optimal for k1, where that for k2 is worse still. Above the
    floor they may, far from the optimum.
    """
    return validity(
        {
            fit.k: _compute_law(fit, np.array([list(fit.coefficients.values())]))[:, 0]
            for fit in laws.fits
        }
    )


def floor_interval(laws: PassLaws, level: float = 0.9) -> tuple[float, float]:
    """Percentile interval of C_x, above which the laws at all k hold together; inf where they do at
    no large compute.
    """
    common, drawn = laws.paired()
    if len(common) < 2:
        raise ValueError("C_x: no interval without resamples; fit with resamples=200")
    columns = [_compute_law(fit, own) for fit, own in zip(laws.fits, drawn, strict=True)]
    floors = np.sort(validity_floor(*np.stack(columns, axis=-1)))
    tail, last = 0.5 * (1.0 - checked_level(level)), len(floors) - 1
    return float(floors[round(tail * last)]), float(floors[round((1.0 - tail) * last)])


def _compute_law(fit: PassFit, coefficients: Floats) -> Any:
    """E, C0 and alpha (3, R) for coefficients (R, p): of a law of one variable, or of the envelope
    of a params+tokens law.
    """
    if len(fit.kind.covariates) == 1:
        return coefficients.T
    from .envelopes import SHOWN, envelope_columns

    columns = envelope_columns(fit, coefficients)
    return np.stack([columns[name] for name in SHOWN])


def contradictions(laws: PassLaws, covariates: dict[str, Any]) -> NDArray[np.bool_]:
    """(K - 1, M): where the laws say of a model that the samples of a k solve fewer problems than
    those of the k before.
    """
    return rises(np.stack([fit.predict(covariates) for fit in laws.fits]))


def models_contradicted(laws: PassLaws) -> int:
    """At how many of the fitted models laws say that more samples solve fewer problems."""
    held = {name: laws.covariates[name] for name in laws.kind.covariates}
    return int(contradictions(laws, held).any(axis=0).sum())


def predict(
    laws: PassLaws, covariates: dict[str, Any], *, level: float = 0.9
) -> list[dict[str, Any]]:
    """-log pass@k and pass@k at every k, for models with these covariates, with prediction
    intervals.

    Parameters
    ----------
    laws : PassLaws
    covariates : dict of str to float or array_like
        What the law depends on: compute in FLOP, params and tokens, or gold in nats.
    level : float
        Of the intervals for a new model, which scatters about the law as the fitted ones do
        (`PassFit.interval_ahead`).

    Returns
    -------
    list of dict
        A row a model and k: model (its index), k, neg_log, lo, hi (of neg_log), pass_at_k.

    Raises
    ------
    ValueError
        Where a covariate is missing or outside its domain, or the laws at different k contradict
        each other there.
    """
    given = {
        name: np.atleast_1d(np.asarray(covariates[name], dtype=np.float64))
        for name in laws.kind.covariates
        if name in covariates
    }
    wrong = contradictions(laws, given)
    if wrong.any():
        model = int(np.argmax(wrong.any(axis=0)))
        step = int(np.argmax(wrong[:, model]))
        where = ", ".join(f"{name}={values[model]:.6g}" for name, values in given.items())
        raise ValueError(
            f"{where}: the laws at k={laws.ks[step]} and k={laws.ks[step + 1]} contradict each "
            f"other there (more samples would "
            "solve fewer problems); no prediction where they do"
        )
    rows = []
    for fit in laws.fits:
        ahead = fit.prediction(given)
        low, high = fit.interval_ahead(given, level)
        for model, values in enumerate(
            zip(ahead.neg_log, low, high, np.exp(-ahead.neg_log), strict=True)
        ):
            y, lo, hi, share = map(float, values)
            rows.append(
                {"model": model, "k": fit.k, "neg_log": y, "lo": lo, "hi": hi, "pass_at_k": share}
            )
    return sorted(rows, key=lambda row: row["model"])
