"""k as a lever: how the coefficients of a law move with k, where the irreducible part vanishes, where the laws hold together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isoflop.numeric.fit.bootstrap import percentile
from isoflop.numeric.power_law import lines

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isoflop.numeric.passk.laws import PassLaws
    from isoflop.numeric.passk.validity import Validity

    Floats = NDArray[np.float64]

#: An irreducible part whose interval reaches below this, in nats, cannot be told from 0: pass@k within 1e-6 of 1.
ZERO = 1e-6


@dataclass(frozen=True)
class Trend:
    """How a coefficient moves with k.

    Attributes
    ----------
    name : str
    first, last : float
        Its value at the smallest and at the largest k.
    change : float
        Last less first.
    slope : float
        Of the least-squares line of the coefficient on log k (of its logarithm, for prefactors).
    change_interval, slope_interval : tuple of float, or None
        From resamples; None without.
    share_rising : float or None
        Share of the resamples whose slope is positive.
    """

    name: str
    first: float
    last: float
    change: float
    slope: float
    change_interval: tuple[float, float] | None
    slope_interval: tuple[float, float] | None
    share_rising: float | None

    @property
    def verdict(self) -> str:
        """ "rises" or "falls" where the interval of the slope says so, else "cannot tell"."""
        if self.slope_interval is None:
            return "no resamples"
        low, high = self.slope_interval
        return "rises" if low > 0.0 else "falls" if high < 0.0 else "zero" if low == high == 0.0 else "cannot tell"

    def as_dict(self) -> dict[str, Any]:
        """The attributes as plain data."""
        return {**{name: getattr(self, name) for name in self.__dataclass_fields__}, "verdict": self.verdict}


@dataclass(frozen=True)
class Mixed:
    """The mixed derivative d2 log y/(dlog C dlog k) between two k, over some of the models, two ways.

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
    difference : float
        Measured less predicted.
    interval : tuple of float, or None
        Of the difference, from the resamples; None without.
    """

    k: tuple[int, int]
    compute: tuple[float, float]
    n_models: int
    measured: float
    predicted: float
    difference: float
    interval: tuple[float, float] | None

    @property
    def verdict(self) -> str:
        """Whether the two agree beyond chance."""
        if self.interval is None:
            return "no resamples"
        return "agree" if self.interval[0] <= 0.0 <= self.interval[1] else "differ"

    def as_dict(self) -> dict[str, Any]:
        """The attributes as plain data."""
        return {**{name: getattr(self, name) for name in self.__dataclass_fields__}, "verdict": self.verdict}


def trend(laws: PassLaws, name: str, level: float = 0.9) -> Trend:
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
    values, draws = laws.values(name), laws.draws(name)
    draws = draws[np.isfinite(draws).all(axis=1)]
    of = np.asarray if name == laws.kind.floor or name in laws.kind.exponents else np.log
    logs = np.log(np.asarray(laws.ks, dtype=np.float64))
    slope = _slope(logs, of(values))
    enough = len(draws) > 1
    slopes = _slope(logs, of(draws)) if enough else None
    return Trend(
        name=name,
        first=float(values[0]),
        last=float(values[-1]),
        change=float(values[-1] - values[0]),
        slope=float(slope),
        change_interval=percentile(draws[:, -1] - draws[:, 0], level) if enough else None,
        slope_interval=percentile(slopes, level) if slopes is not None else None,
        share_rising=float(np.mean(slopes > 0.0)) if slopes is not None else None,
    )


def _slope(x: Floats, y: Floats) -> Any:
    return lines(x, np.asarray(y), np.ones_like(x)).slope


def vanishes_at(laws: PassLaws, level: float = 0.9) -> int | None:
    """The smallest k from which on the irreducible part cannot be told from 0, or None where it can at the largest k.

    Its percentile interval then begins at 0 (below `ZERO` nats) at that k and at every larger one.
    """
    found = None
    for k, (low, _) in reversed(list(zip(laws.ks, laws.intervals(laws.kind.floor, level), strict=True))):
        if low > ZERO:
            break
        found = k
    return found


def together(laws: PassLaws) -> Validity:
    """Where in compute (for the gold law in 1/g) the laws at all k can hold together; see `isoflop.numeric.passk.validity`.

    Raises
    ------
    ValueError
        For the params+tokens law, whose order depends on two variables: see `first_contradiction`.
    """
    from isoflop.numeric.passk.validity import validity

    _one_variable(laws)
    return validity({fit.k: tuple(fit.coefficients.values()) for fit in laws.fits})


def floor_interval(laws: PassLaws, level: float = 0.9) -> tuple[float, float]:
    """Percentile interval of C_x, above which the laws at all k hold together; inf where they do at no large compute."""
    from isoflop.numeric.passk.validity import validity_floor

    _one_variable(laws)
    columns = np.stack([laws.draws(name) for name in laws.kind.coefficients])
    columns = columns[:, np.isfinite(columns).all(axis=(0, 2))]
    if columns.shape[1] < 2:
        raise ValueError("C_x: no interval without resamples; fit with resamples=200")
    floors = np.sort(validity_floor(*columns))
    low, high = (round(share * (len(floors) - 1)) for share in ((1.0 - level) / 2.0, (1.0 + level) / 2.0))
    return float(floors[low]), float(floors[high])


def _one_variable(laws: PassLaws) -> None:
    if len(laws.kind.covariates) != 1:
        raise ValueError(f"law={laws.kind.name!r}: must be a law of one variable; for two see first_contradiction")


def first_contradiction(laws: PassLaws, covariates: dict[str, Any]) -> tuple[int, int, int] | None:
    """The first model (index, k1, k2) at which a law says that k2 > k1 samples solve fewer problems, or None."""
    values = np.stack([fit.neg_log(covariates) for fit in laws.fits])
    wrong = values[1:] > values[:-1] * (1.0 + 1e-12)
    if not wrong.any():
        return None
    model = int(np.flatnonzero(wrong.any(axis=0))[0])
    step = int(np.flatnonzero(wrong[:, model])[0])
    return model, laws.ks[step], laws.ks[step + 1]


def predict(laws: PassLaws, covariates: dict[str, Any], *, level: float = 0.9, strict: bool = True) -> list[dict[str, Any]]:
    """-log pass@k and pass@k at every k, for models with these covariates, with prediction intervals.

    Parameters
    ----------
    laws : PassLaws
    covariates : dict of str to float or array_like
        What the law depends on: compute in FLOP, params and tokens, or gold in nats.
    level : float
        Of the intervals for a new model, which scatters about the law as the fitted ones do.
    strict : bool
        Whether to refuse models for which the laws at different k contradict each other.

    Returns
    -------
    list of dict
        A row a model and k: model (its index), k, neg_log, lo, hi (of neg_log), pass_at_k.

    Raises
    ------
    ValueError
        Where a covariate is missing or outside its domain, or under `strict` the laws contradict each other there.
    """
    given = {
        name: np.atleast_1d(np.asarray(covariates[name], dtype=np.float64)) for name in laws.kind.covariates if name in covariates
    }
    found = first_contradiction(laws, given) if strict else None
    if found is not None:
        model, k1, k2 = found
        where = ", ".join(f"{name}={values[model]:.6g}" for name, values in given.items())
        raise ValueError(
            f"{where}: the laws at k={k1} and k={k2} contradict each other there (more samples would solve fewer problems); "
            "no prediction where they do"
        )
    rows = []
    for fit in laws.fits:
        ahead = fit.predict(given)
        low, high = ahead.interval(level)
        for model, values in enumerate(zip(ahead.neg_log, low, high, ahead.pass_at_k, strict=True)):
            y, lo, hi, share = map(float, values)
            rows.append({"model": model, "k": fit.k, "neg_log": y, "lo": lo, "hi": hi, "pass_at_k": share})
    return sorted(rows, key=lambda row: row["model"])


def mixed_derivatives(laws: PassLaws, *, parts: int = 2, level: float = 0.9) -> list[Mixed]:
    """A test of laws fitted apart at each k: d(exponent of C)/dlog k must be d(exponent of k)/dlog C.

    For any y(C, k) both are -d2 log y/(dlog C dlog k). The right side comes from the models alone: how log y(k2) - log y(k1) of
    a model changes with log C. The left side comes from the fitted laws. Where a law bends as the data do (its floor, its
    exponent), they agree in every range of compute; the ranges are `parts` equal shares of the models, in the order of compute.

    Parameters
    ----------
    laws : PassLaws
        Compute laws of at least two k.
    parts : int
    level : float
        Of the interval of the difference, over resamples of models.

    Returns
    -------
    list of Mixed
        One for each pair of neighbouring k and each range of compute.

    Notes
    -----
    Only models with a success take part: isoflop.derivations.mixed_derivative_of_pass_at_k has the theorem.
    """
    if laws.kind.name != "compute":
        raise ValueError(f"law={laws.kind.name!r}: must be 'compute', the law of which the mixed derivative is taken")
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
            foretold = (np.log(other.neg_log(at)) - np.log(one.neg_log(at))) / step
            measured, predicted = _slope(log_c[part], own[part]), _slope(log_c[part], foretold)
            interval = None
            if laws.resamples:
                often = laws.weights[:, both][:, part]
                drawn = _draws_between(one, other, at) / step
                good = np.isfinite(drawn).all(axis=1)
                away = lines(log_c[part], own[part] - drawn[good], often[good]).slope
                away = away[np.isfinite(away)]
                interval = percentile(away, level) if len(away) > 1 else None
            found.append(
                Mixed(
                    k=(one.k, other.k),
                    compute=(float(at["compute"].min()), float(at["compute"].max())),
                    n_models=len(part),
                    measured=float(measured),
                    predicted=float(predicted),
                    difference=float(measured - predicted),
                    interval=interval,
                )
            )
    return found


def _measured(fit: Any, models: NDArray[np.intp]) -> Floats:
    """log y of some of the models, from their counts."""
    own = fit.evidence.most_likely if fit.evidence is not None else np.log(np.asarray(fit.fit.runs.loss))
    return own[np.searchsorted(np.flatnonzero(fit.used), models)]


def _draws_between(one: Any, other: Any, at: dict[str, Floats]) -> Floats:
    """log y at the second k less log y at the first by every resample (R, M); NaN where a refit was not certified."""
    good = np.isfinite(one.draws).all(axis=1) & np.isfinite(other.draws).all(axis=1)
    found = np.full((len(good), len(at["compute"])), np.nan)
    found[good] = np.log(other.neg_log_of(other.draws[good], at)) - np.log(one.neg_log_of(one.draws[good], at))
    return found
