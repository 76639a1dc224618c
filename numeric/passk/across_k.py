"""Laws at several k: how the coefficients move with k, where E0 vanishes, where the laws hold
together, what they predict.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..fit.power_law import lines
from ..fit.resample import paired
from ..results import Estimate, checked_level
from .agreement import TOLERANCE, verdict
from .fit_at_k import open_side
from .validity import Validity, rises, validity, validity_floor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .fit_at_k import PassFit
    from .laws import PassLaws

    Floats = NDArray[np.float64]

#: An irreducible part whose interval reaches below this, in nats, cannot be told from 0: pass@k
#: within 1e-6 of 1.
ZERO = 1e-6


@dataclass(frozen=True)
class TrendInK:
    """How a coefficient moves with k.

    Attributes
    ----------
    name : str
    first, last : float
        Its value at the smallest and at the largest k.
    change : Estimate
        Last less first.
    slope : Estimate
        Of the least-squares line of the coefficient on log k (of its logarithm, for prefactors).
        Where at some k the interval of the coefficient is an upper limit (`limited_at`), both
        intervals hold for any value there between 0 and the limit; ends are infinite where too many
        resamples ran to a limit of the search.
    share_rising : float or None
        Share of the resamples whose slope is positive; None where there are upper limits.
    limited_at : tuple of int
        The k at which the interval of the coefficient is an upper limit.
    open_at : tuple of int
        The k at which the models leave the coefficient, or an end of its interval, open.
    """

    name: str
    first: float
    last: float
    change: Estimate
    slope: Estimate
    share_rising: float | None
    limited_at: tuple[int, ...] = ()
    open_at: tuple[int, ...] = ()

    @property
    def verdict(self) -> str:
        """ "rises" or "falls" where the interval of the slope says so, else "cannot tell"."""
        if not self.slope.has_interval:
            return "no resamples"
        if self.open_at or not self.slope.excludes(0.0):
            return "cannot tell"
        return "rises" if self.slope.value > 0.0 else "falls"

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        record: dict[str, Any] = {"name": self.name, "first": self.first, "last": self.last}
        record |= {"change": self.change.value, "slope": self.slope.value}
        record |= {
            "change_interval": _ends(self.change),
            "slope_interval": _ends(self.slope),
            "share_rising": self.share_rising,
        }
        return record | {
            "limited_at": self.limited_at,
            "open_at": self.open_at,
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class MixedDerivative:
    """The mixed derivative d2 log y/(dlog C dlog k) between two k, over some of the models, two
    ways.

    Attributes
    ----------
    k : tuple of int
    compute : tuple of float
        From the least to the greatest compute of the models.
    n_models : int
    measured : float
        How fast the models' own exponent of k changes with log C: from counts alone.
    predicted : float
        How fast the exponent of C changes with log k by the fitted laws, at the same models.
    difference : Estimate
        Measured less predicted.
    tolerance : float
        Up to which a difference counts as none: over the step from the one k to the other it comes
        to `TOLERANCE` of the lesser of the two fitted alpha.
    """

    k: tuple[int, int]
    compute: tuple[float, float]
    n_models: int
    measured: float
    predicted: float
    difference: Estimate
    tolerance: float

    @property
    def verdict(self) -> str:
        """ "agree" where the whole interval is within the tolerance, else "differ" where it
        excludes 0, else "cannot tell".
        """
        return verdict(self.difference, self.tolerance)

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        record = {
            name: getattr(self, name)
            for name in ("k", "compute", "n_models", "measured", "predicted", "tolerance")
        }
        return record | {
            "difference": self.difference.value,
            "interval": _ends(self.difference),
            "verdict": self.verdict,
        }


def _ends(estimate: Estimate) -> tuple[float | None, float | None] | None:
    return (estimate.low, estimate.high) if estimate.has_interval else None


def trend(laws: PassLaws, name: str, level: float = 0.9) -> TrendInK:
    """How a coefficient moves with k.

    Parameters
    ----------
    laws : PassLaws
        Of at least two k.
    name : str
        A coefficient, as "E0" or "alpha".
    level : float
        Of the intervals.

    Raises
    ------
    ValueError
        For an unknown name, or fewer than two k.
    """
    if len(laws) < 2:
        raise ValueError(f"k={laws.ks}: must be at least two for a trend in k")
    values, draws, (common, _) = laws.values(name), laws.draws(name), laws.paired()
    enough = len(common) > 1
    of = np.asarray if name == laws.kind.floor or name in laws.kind.exponents else np.log
    logs = np.log(np.asarray(laws.ks, dtype=np.float64))
    limits = _limits(laws, name, level) if enough else {}
    steps = np.eye(len(laws))
    by = {"slope": _slope(logs, steps), "change": steps[-1] - steps[0]}
    at = {"slope": of(values), "change": values}
    estimates = {name: Estimate(float(by[name] @ at[name]), level=level) for name in by}
    if enough:
        edge = np.any(
            [
                fit.at_edge(name)[np.searchsorted(fit.draws.index, common)]
                for fit in laws.fits
                if fit.draws is not None
            ],
            axis=0,
        )
        drawn = {"slope": of(draws), "change": draws}
        for which, plain in estimates.items():
            low, high = _moved(by[which], drawn[which], edge, limits, level)
            estimates[which] = replace(plain, low=low, high=high)
    return TrendInK(
        name=name,
        first=float(values[0]),
        last=float(values[-1]),
        change=estimates["change"],
        slope=estimates["slope"],
        share_rising=None
        if limits or not enough
        else float(np.mean(_slope(logs, of(draws)) > 0.0)),
        limited_at=tuple(laws.ks[index] for index in limits),
        open_at=open_at(laws, name, level),
    )


def open_at(laws: PassLaws, name: str, level: float = 0.9) -> tuple[int, ...]:
    """The k at which the models leave a coefficient open: its estimate is no result, or an end of
    its interval is none.
    """
    return tuple(
        fit.k
        for fit in laws.fits
        if name in fit.undetermined or open_side(fit.estimate(name, level))
    )


def _limits(laws: PassLaws, name: str, level: float) -> dict[int, float]:
    """The upper limits of an irreducible part, by the index of the k at which its interval is one."""
    if name != laws.kind.floor:
        return {}
    return {
        i: fit.interval(name, level)[1] for i, fit in enumerate(laws.fits) if fit.is_limited(level)
    }


def _moved(
    by: Floats, draws: Floats, edge: NDArray[np.bool_], limits: dict[int, float], level: float
) -> tuple[float, float]:
    """Interval of a linear function of a coefficient at all k, for draws (R, K) of it.

    Draws at a limit of the search might be anything, so that too many of them leave no end. At the
    k with an upper limit draws tell nothing: there it may be anything from 0 to the limit.
    """
    weights = by.copy()
    weights[list(limits)] = 0.0
    moved, tail = draws @ weights, 0.5 * (1.0 - checked_level(level))
    low, high = (
        _quantile(np.where(edge, far, moved), share)
        for far, share in ((-np.inf, tail), (np.inf, 1.0 - tail))
    )
    ends = [by[index] * most for index, most in limits.items()]
    return float(low + sum(min(0.0, end) for end in ends)), float(
        high + sum(max(0.0, end) for end in ends)
    )


def _quantile(values: Floats, share: float) -> float:
    """A quantile of values some of which are infinite: infinite where it lies between one of these
    and another.
    """
    with np.errstate(invalid="ignore"):
        found = float(np.quantile(values, share))
    return found if not np.isnan(found) else (np.inf if share > 0.5 else -np.inf)


def _slope(x: Floats, y: Floats) -> Any:
    return lines(x, np.asarray(y), np.ones_like(x)).slope


def vanishes_at(laws: PassLaws, level: float = 0.9) -> int | None:
    """The smallest k from which on the irreducible part cannot be told from 0, or None where it can
    at the largest k.

    Its interval then begins at 0 (below `ZERO` nats) at that k and at every larger one; at smaller
    ones it may as well, which `not_told_from_0` tells.
    """
    alike = not_told_from_0(laws, level)
    found = None
    for k in reversed(laws.ks):
        if k not in alike:
            break
        found = k
    return found


def not_told_from_0(laws: PassLaws, level: float = 0.9) -> tuple[int, ...]:
    """Every k at which the interval of the irreducible part begins at 0 (below `ZERO` nats)."""
    return tuple(
        k
        for k, (low, _) in zip(laws.ks, laws.intervals(laws.kind.floor, level), strict=True)
        if low <= ZERO
    )


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
    floors = np.sort(
        validity_floor(
            *np.stack(
                [_compute_law(fit, own) for fit, own in zip(laws.fits, drawn, strict=True)], axis=-1
            )
        )
    )
    low, high = (
        round(share * (len(floors) - 1)) for share in ((1.0 - level) / 2.0, (1.0 + level) / 2.0)
    )
    return float(floors[low]), float(floors[high])


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
    """At how many of the models that were fitted laws say that more samples solve fewer problems."""
    held = {name: laws.covariates[name] for name in laws.kind.covariates}
    return int(contradictions(laws, held).any(axis=0).sum())


def decades_beyond(known: Floats, value: float) -> float:
    """Orders of magnitude by which a value lies above the greatest of those known, or, negative,
    below the least; else 0.
    """
    over, under = np.log10(value / np.max(known)), np.log10(value / np.min(known))
    return float(over if over > 0.0 else min(0.0, under))


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
        for model, values in enumerate(zip(ahead.neg_log, low, high, ahead.pass_at_k, strict=True)):
            y, lo, hi, share = map(float, values)
            rows.append(
                {"model": model, "k": fit.k, "neg_log": y, "lo": lo, "hi": hi, "pass_at_k": share}
            )
    return sorted(rows, key=lambda row: row["model"])


def mixed_derivatives(
    laws: PassLaws, *, parts: int = 2, level: float = 0.9
) -> list[MixedDerivative]:
    """A test of laws fitted apart at each k: d(exponent of C)/dlog k must be d(exponent of k)/dlog
    C.

    For any y(C, k) both are -d2 log y/(dlog C dlog k). The right side comes from the models alone:
    how log y(k2) - log y(k1) of a model changes with log C. The left side comes from the fitted
    laws. Where a law bends as the data do (its floor, its exponent), they agree in every range of
    compute; the ranges are `parts` equal shares of the models, in the order of compute.

    Parameters
    ----------
    laws : PassLaws
        Compute laws of at least two k.
    parts : int
    level : float
        Of the interval of the difference, over resamples of models.

    Returns
    -------
    list of MixedDerivative
        One for each pair of neighbouring k and each range of compute.

    Notes
    -----
    Only models with a success take part: isoflop.derivations.passk.mixed_derivative_of_pass_at_k
    has the theorem.
    """
    if laws.kind.name != "compute":
        raise ValueError(
            f"law={laws.kind.name!r}: must be 'compute', the law of which the mixed derivative is "
            f"taken"
        )
    found = []
    for one, other in zip(laws.fits[:-1], laws.fits[1:], strict=True):
        both = np.flatnonzero(one.used & other.used & (laws.solved))
        log_c = np.log(laws.covariates["compute"][both])
        step = np.log(other.k / one.k)
        own = (_measured(other, both) - _measured(one, both)) / step
        order = np.argsort(log_c, kind="stable")
        for part in np.array_split(order, parts):
            if len(part) < 3 or np.ptp(log_c[part]) == 0.0:
                continue
            at = {"compute": np.exp(log_c[part])}
            foretold = (np.log(other.predict(at)) - np.log(one.predict(at))) / step
            measured, predicted = _slope(log_c[part], own[part]), _slope(log_c[part], foretold)
            away = np.empty(0)
            if laws.resamples:
                index, drawn = _drawn_between(one, other, at)
                often = laws.weights[index][:, both[part]]
                away = lines(log_c[part], own[part] - drawn / step, often).slope
            found.append(
                MixedDerivative(
                    k=(one.k, other.k),
                    compute=(float(at["compute"].min()), float(at["compute"].max())),
                    n_models=len(part),
                    measured=float(measured),
                    predicted=float(predicted),
                    difference=Estimate.of_draws(
                        float(measured - predicted), away[np.isfinite(away)], level
                    ),
                    tolerance=float(
                        TOLERANCE
                        * min(one.coefficients["alpha"], other.coefficients["alpha"])
                        / step
                    ),
                )
            )
    return found


def _measured(fit: Any, models: NDArray[np.intp]) -> Floats:
    """log y of some of the models, from their counts."""
    own = (
        fit.evidence.most_likely
        if fit.evidence is not None
        else np.log(np.asarray(fit.fit.runs.loss))
    )
    return own[np.searchsorted(np.flatnonzero(fit.used), models)]


def _drawn_between(
    one: PassFit, other: PassFit, at: dict[str, Floats]
) -> tuple[NDArray[np.intp], Floats]:
    """The resamples that both fits have, and by each log y at the second k less log y at the first,
    (R, M).
    """
    assert one.draws is not None
    assert other.draws is not None
    index, (first, second) = paired((one.draws, other.draws))
    return index, np.log(other.predict_by(second, at)) - np.log(one.predict_by(first, at))
