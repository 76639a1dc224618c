r"""A law of -log pass@k fitted at one k: its coefficients, how sure they are, what it predicts.

Where the estimate of E0 lies on its bound of 0, nearly all resamples do, and their percentiles are
no interval of E0. What the models do not exclude are the values with

.. math:: \frac{f(E0) - f(\hat{E0})}{\lambda} \le n \log \left( 1 + \frac{t^2}{n - p} \right),
    \qquad E0 \ge 0,

where f(E0) is twice minus the log likelihood of the best law that has this E0, or n log of its sum
of squares, the scatter of models estimated anew with it. t is the quantile of Student's
distribution with as many degrees of freedom as n models leave besides all p coefficients: this is
exact for least squares in laws that are linear in their coefficients, and tends to the likelihood
ratio test as n grows. Where models are taken together, lambda >= 1 is how much more the sums of
their scores in E0 over clusters scatter than those of as many independent models (Rotnitzky and
Jewell 1990).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..fit.fitted import DEFAULT_LEVEL, Fitted
from ..fit.models import AT_BOUND, Design, in_coordinates
from ..fit.newton import Problems, expand, minimise
from ..fit.resample import Refits
from ..fit.separable import Centred
from ..results import Estimate, coverage_factor, percentiles
from .marginal import Marginal, fit_marginal
from .profile import profile_end

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ..fit.resample import Draws
    from ..fit.result import Fit
    from .kinds import PassKind
    from .likelihood import Evidence

    Floats = NDArray[np.float64]

#: Eigenvalues of a Hessian below this share of the greatest leave a direction open.
FLATTEST = 1e-12
#: A share this much above a level's, relative to it, is the same.
ROUNDED = 1e-9
#: The search begins at this share of the least value of the law at the models, and goes up to so
#: many times the greatest; a limit beyond is none.
FIRST, FARTHEST = 0.05, 100.0
#: Relative precision of the limit.
PRECISION = 1e-6


def open_side(estimate: Estimate) -> str | None:
    """Which ends bound nothing, infinite or at a limit of the search: "below", "above", "both" or
    None.
    """
    below = "low" in estimate.at_limit or estimate.low == -np.inf
    above = "high" in estimate.at_limit or estimate.high == np.inf
    return {(True, True): "both", (True, False): "below", (False, True): "above"}.get(
        (below, above)
    )


@dataclass(frozen=True, eq=False)
class PassPrediction:
    """What a law says of models: u = log(-log pass@k), its standard error, and what models scatter
    about it.

    Attributes
    ----------
    log_y : ndarray
        (M,): log of the law.
    standard_error : ndarray
        (M,): of that, from the errors of the coefficients.
    scatter : float
        Standard deviation of models about the law in u.
    degrees_of_freedom : float
        Models less free parameters, at least 1.
    """

    log_y: Floats
    standard_error: Floats
    scatter: float
    degrees_of_freedom: float

    @property
    def neg_log(self) -> Floats:
        """-log pass@k (M,) in nats."""
        return np.exp(self.log_y)

    def interval(self, level: float = DEFAULT_LEVEL) -> tuple[Floats, Floats]:
        """-log pass@k of a new model lies between these, by Student's t in u."""
        wide = coverage_factor(level, self.degrees_of_freedom)
        half = wide * np.hypot(self.standard_error, self.scatter)
        return np.exp(self.log_y - half), np.exp(self.log_y + half)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PassFit(Fitted):
    """One of the three laws at one k.

    Attributes
    ----------
    kind : PassKind
    k : int
    method : {"likelihood", "least-squares-log"}
    fit : Fit
        In the fit layer's terms; its runs are the models that count, their loss what was taken for
        -log pass@k: the estimate, or under the likelihood its expectation (of the logarithm) given
        counts and law.
    evidence : Evidence or None
        Of the same models, where the method is the likelihood.
    used : ndarray of bool
        (G,): the models of the counts that take part.
    scatter : float
        Standard deviation of models about the law in log(-log pass@k), with the degrees of freedom
        that the coefficients leave.
    n_unsolved : int
        Models that take part without a correct sample.
    n_without : int
        Models left out because no sample is correct: -log pass@k has no estimate (least squares).
    n_refused : int
        Models left out because some problem has fewer than k samples (least squares).
    draws : Draws or None
        The law refitted to resamples of the models.
    clusters : ndarray or None
        (G,): what models are drawn together; None where they are drawn one by one.
    """

    kind: PassKind
    k: int
    method: str
    fit: Fit
    used: NDArray[np.bool_]
    scatter: float
    evidence: Evidence | None = None
    n_unsolved: int = 0
    n_without: int = 0
    n_refused: int = 0
    draws: Draws | None = None
    clusters: Any = None

    @property
    def design(self) -> Design:
        """The form at the models, in the parameters of the solver."""
        assert isinstance(self.fit.design, Design)
        return self.fit.design

    @cached_property
    def coefficients(self) -> dict[str, float]:
        """By the paper's names."""
        return dict(zip(self.kind.coefficients, self.fit.coefficients.values(), strict=True))

    @property
    def size(self) -> int:
        """How many models take part."""
        return int(self.used.sum())

    n_models = size

    @property
    def objective_value(self) -> float:
        """Minus the log likelihood, or the sum of squares, at the minimum."""
        return self.fit.objective_value

    @property
    def converged(self) -> bool:
        """Whether the minimum is certified."""
        return self.fit.converged

    def refit(self, *, weights: Floats) -> Refits:
        """The law refitted K times: weights (K, n) say how often each of the models is drawn."""
        if self.evidence is None:
            return self.fit.refit(weights=weights)
        starts = np.repeat(self.fit.theta[None], len(weights), axis=0)
        again = fit_marginal(self.design, self.evidence, starts, weights, self.scatter)
        return Refits(self.design.coefficients(again.theta), again.done)

    @cached_property
    def undetermined(self) -> tuple[str, ...]:
        """Coefficients that the models leave open, by the paper's names."""
        own = dict(zip(self.kind.terms.coefficients, self.kind.coefficients, strict=True))
        return tuple(own[name] for name in self.fit.undetermined)

    @property
    def degrees_of_freedom(self) -> float:
        """Models less free coefficients, at least 1."""
        return float(max(1, self.n_models - int(self.fit.free.sum())))

    @property
    def spare(self) -> int:
        """Models less coefficients; where none is left no residual tells how sure the coefficients
        are.
        """
        return self.n_models - len(self.kind.coefficients)

    @property
    def drawn(self) -> Floats:
        """(R, p): the coefficients of the resamples; none where no model is left to tell errors."""
        if self.draws is None or self.spare <= 0:
            return np.empty((0, len(self.kind.coefficients)))
        return self.draws.coefficients

    @property
    def has_intervals(self) -> bool:
        """Whether there are resamples that tell how sure the coefficients are."""
        return len(self.drawn) > 1

    def drawn_of(self, name: str) -> Floats:
        """(R,): one coefficient of the resamples."""
        return self.drawn[:, self.kind.index(name)]

    # -- intervals ---------------------------------------------------------------------------------

    def estimate(self, name: str, level: float = DEFAULT_LEVEL) -> Estimate:
        """A coefficient with percentiles of the resamples; an irreducible part on its bound from 0
        to its upper limit.

        Where the estimate of the irreducible part is 0, or as many resamples end there that their
        percentile does, they are no measure of it, and the upper end is that of a profile
        (`upper_limit`), or of the resamples where they reach higher. No interval
        without resamples, or where there are no more models than coefficients.
        """
        drawn = self.drawn_of(name)
        undetermined = name in self.undetermined
        plain = Estimate.of_draws(self.coefficients[name], drawn, level, undetermined=undetermined)
        if plain.low is None or plain.high is None:
            return plain
        if name == self.kind.floor:
            if not self.is_limited(level):
                return plain
            high = max(plain.high, self.floor_limit(level))
            return replace(plain, low=0.0, high=high)
        return replace(plain, at_limit=self.ends_at_limit(level, name))

    def estimates(self, level: float = DEFAULT_LEVEL) -> dict[str, Estimate]:
        """Every coefficient with its interval."""
        return {name: self.estimate(name, level) for name in self.kind.coefficients}

    def interval(self, name: str, level: float = DEFAULT_LEVEL) -> tuple[float, float]:
        """The ends of `estimate`.

        Raises
        ------
        ValueError
            Where there are none.
        """
        found = self.estimate(name, level)
        if found.low is None or found.high is None:
            raise ValueError(
                f"k={self.k}: no interval of {name} without resamples and spare models; fit with "
                f"resamples=200"
            )
        return found.low, found.high

    def is_limited(self, level: float = DEFAULT_LEVEL) -> bool:
        """Whether the interval of the irreducible part is an upper limit: its estimate, or the
        percentile below it, is 0.
        """
        if self.spare <= 0:
            return False
        drawn = self.drawn_of(self.kind.floor)
        return self.coefficients[self.kind.floor] == 0.0 or (
            len(drawn) > 1 and percentiles(drawn, level)[0] == 0.0
        )

    def floor_limit(self, level: float = DEFAULT_LEVEL) -> float:
        """The greatest irreducible part that the models do not exclude, in nats; inf where they
        exclude none.
        """
        return self._limit(level)[0]

    def _limit(self, level: float) -> tuple[float, Floats]:
        if level not in self._limits:
            self._limits[level] = upper_limit(self, level)
        return self._limits[level]

    @cached_property
    def _limits(self) -> dict[float, tuple[float, Floats]]:
        return {}

    def at_edge(self, name: str) -> NDArray[np.bool_]:
        """(R,): the draws that a limit of the search keeps from another value of a coefficient."""
        own = self.kind.index(name)
        return np.logical_or(*(side[:, own] for side in self._at_edges))

    def ends_at_limit(self, level: float, *names: str) -> tuple[str, ...]:
        """Which ends, "low" and "high", of a quantity that rises with all of these coefficients
        bound nothing: a limit of the search keeps more draws from values beyond than lie there.
        """
        if not self.has_intervals:
            return ()
        own = list(map(self.kind.index, names))
        sides = zip(("low", "high"), self._at_edges, strict=True)
        return tuple(end for end, side in sides if self._too_many(side[:, own].any(axis=1), level))

    def is_at_limit(self, level: float, *names: str) -> bool:
        """Whether that holds of an end of some quantity that depends on these coefficients."""
        edges = [self.at_edge(name) for name in names]
        return self.has_intervals and self._too_many(np.logical_or.reduce(edges), level)

    def _too_many(self, draws: Any, level: float) -> bool:
        return bool(draws.mean() > 0.5 * (1.0 - level) * (1.0 + ROUNDED))

    @cached_property
    def _at_edges(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Of the draws (R, p): whether a coefficient could be less, and more, but for a limit of
        the search.

        An exponent at its limit takes its prefactor along, which goes to 0 or to infinity as the
        variable is below or above 1 at the models; a term that vanishes, or outgrows all data,
        leaves both undetermined on both sides.
        """
        design, terms = self.design, self.kind.terms
        drawn = in_coordinates(terms, self.drawn)
        theta = np.linalg.solve(design.to_coordinates, drawn.T).T
        near = AT_BOUND * np.maximum(1.0, np.abs(theta))
        least, most = theta - design.lower <= near, design.upper - theta <= near
        below, above = np.zeros_like(least), np.zeros_like(most)
        for prefactor, exponent, centre in zip(
            terms.prefactors, terms.exponents, design.centres, strict=True
        ):
            a, b = (terms.coefficients.index(coefficient) for coefficient in (prefactor, exponent))
            lost = least[:, a] | most[:, a]
            below[:, b], above[:, b] = lost | least[:, b], lost | most[:, b]
            below[:, a] = below[:, b] if centre >= 0.0 else above[:, b]
            above[:, a] = above[:, b] if centre >= 0.0 else below[:, b]
        return below, above

    def row(self, level: float = DEFAULT_LEVEL) -> dict[str, Any]:
        """Plain data: k, the coefficients with their intervals, the scatter of models, how many
        models took part.

        NAME_open says which ends of an interval bound nothing ("above", "below", "both", else
        None), NAME_interval of the irreducible part whether it is by "percentiles" or an upper
        "limit".
        """
        row: dict[str, Any] = {"k": self.k}
        for name, found in self.estimates(level).items():
            row[name] = found.value
            if self.draws is not None:
                row |= {
                    f"{name}_lo": found.low,
                    f"{name}_hi": found.high,
                    f"{name}_open": open_side(found),
                }
        if self.draws is not None:
            by = "limit" if self.is_limited(level) else "percentiles"
            row[f"{self.kind.floor}_interval"] = by if self.has_intervals else None
        row |= {
            "scatter": self.scatter,
            "n_models": self.n_models,
            "n_unsolved": self.n_unsolved,
            "n_without": self.n_without,
        }
        row |= {
            "n_refused": self.n_refused,
            "converged": self.converged,
            "undetermined": list(self.undetermined),
        }
        return row | (
            {}
            if self.draws is None
            else {"n_resamples": self.draws.done, "n_failed_resamples": self.n_failed}
        )

    # -- predictions -------------------------------------------------------------------------------

    @cached_property
    def covariance(self) -> Floats:
        """Covariance (p, p) of the solver's parameters: the inverse Hessian, 0 for what is fixed or
        on a bound.
        """
        free = self.fit.free
        hessian = self.hessian()[np.ix_(free, free)]
        scale = np.sqrt(np.maximum(np.diag(hessian), 1e-300))
        values, vectors = np.linalg.eigh(hessian / np.outer(scale, scale))
        values = np.maximum(values, FLATTEST * values[-1])
        found = np.zeros((len(free), len(free)))
        found[np.ix_(free, free)] = (vectors / values) @ vectors.T / np.outer(scale, scale)
        return found

    def hessian(self) -> Floats:
        """(p, p): of minus the log likelihood; for least squares of the sum of squares over twice
        their variance.
        """
        model, theta = self.design.model, self.fit.theta[None]
        if self.evidence is not None:
            measure = Marginal(self.evidence, self.scatter)
            problems = Problems(model, np.zeros(self.size), None, measure, True)
            return expand(problems, theta).hessian[0]
        problems = Problems.of(model, np.asarray(self.fit.runs.loss), None, self.fit.objective)
        return expand(problems, theta).hessian[0] / (2.0 * self.scatter**2)

    def prediction(self, covariates: Mapping[str, Any]) -> PassPrediction:
        """What the law says of models with these covariates, (M,) each; keys as in
        `Counts.covariates`.

        Raises
        ------
        ValueError
            Where a covariate is missing or not positive.
        """
        values, jacobian = self._model_at(covariates).evaluate(self.fit.theta[None])
        slope = jacobian[0] / values[0]
        error = np.sqrt(np.maximum(np.einsum("pn,pq,qn->n", slope, self.covariance, slope), 0.0))
        return PassPrediction(np.log(values[0]), error, self.scatter, self.degrees_of_freedom)

    def interval_ahead(
        self, covariates: Mapping[str, Any], level: float = DEFAULT_LEVEL
    ) -> tuple[Floats, Floats]:
        """-log pass@k of a new model lies between these: as by `PassPrediction.interval`, and
        as far as its floor lets it.

        Where the irreducible part has but an upper limit, the errors of the coefficients know none
        of it. The law of greatest likelihood at that limit then adds, as an independent error of
        the same level, to the side on which it lies.
        """
        ahead = self.prediction(covariates)
        low, high = ahead.interval(level)
        if not self.is_limited(level):
            return low, high
        limit, theta = self._limit(level)
        if limit == np.inf:
            return low, np.full_like(high, np.inf)
        away = np.log(self._model_at(covariates).evaluate(theta[None])[0][0]) - ahead.log_y
        below = np.hypot(ahead.log_y - np.log(low), np.minimum(away, 0.0))
        above = np.hypot(np.log(high) - ahead.log_y, np.maximum(away, 0.0))
        return np.exp(ahead.log_y - below), np.exp(ahead.log_y + above)

    def predict(self, rows: Mapping[str, Any]) -> Floats:
        """-log pass@k by the law (M,), at covariates (M,) each."""
        return self._model_at(rows).evaluate(self.fit.theta[None])[0][0]

    def predict_by(self, draws: Floats, covariates: Mapping[str, Any]) -> Floats:
        """-log pass@k (R, M) by other coefficients (R, p), as `draws` has them."""
        model = self._model_at(covariates)
        moved = in_coordinates(self.kind.terms, draws)
        return model.evaluate(np.asarray(np.linalg.solve(self.design.to_coordinates, moved.T).T))[0]

    def _model_at(self, covariates: Mapping[str, Any]) -> Centred:
        for name in self.kind.covariates:
            if name not in covariates:
                raise ValueError(
                    f"covariates={sorted(covariates)}: must have {name} for the law "
                    f"{self.kind.name}"
                )
            given = np.asarray(covariates[name], dtype=np.float64)
            if not (np.isfinite(given) & (given > 0.0)).all():
                raise ValueError(f"{name}={covariates[name]!r}: must be positive finite numbers")
        logs = self.kind.logs(
            {name: np.atleast_1d(covariates[name]) for name in self.kind.covariates}
        )
        return Centred(logs - self.design.centres[:, None], self.kind.terms.irreducible)

    def law_of(self, coefficients: Mapping[str, float]) -> Any:
        """The law with other coefficients, in their order, as a `Law` or a `ComputeLaw` (of the
        gold law a compute law in 1/g).
        """
        own = self.fit.coefficients
        return self.fit.law_of(dict(zip(own, coefficients.values(), strict=True)))

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={value:.6g}" for name, value in self.coefficients.items())
        return f"<{self.kind.name} at k={self.k}: {numbers}; {self.n_models} models, {self.method}>"


# -- how large an irreducible part may be ----------------------------------------------------------


def upper_limit(fit: PassFit, level: float = 0.9) -> tuple[float, Floats]:
    """The greatest irreducible part that the models do not exclude, in nats, and the parameters
    (p,) of the best law with it.

    The upper end of the profile interval of that level: of the values above it, each is excluded
    with a probability of (1 + level)/2.

    Parameters
    ----------
    fit : PassFit
    level : float
        Of the interval, two-sided.

    Returns
    -------
    tuple of float and ndarray
        At least the estimate; inf, with NaN, where the models exclude none.

    Raises
    ------
    ValueError
        Where the level is not between 0 and 1.
    """
    design, spare = fit.design, max(1, fit.spare)
    theta, tau, scale = fit.fit.theta, fit.scatter, overdispersion(fit)

    def held(value: float) -> tuple[float, bool]:
        """The objective where the irreducible part is held, from where the last search ended."""
        nonlocal theta, tau
        lower, upper, start = design.lower.copy(), design.upper.copy(), theta.copy()
        lower[0] = upper[0] = start[0] = value
        if fit.evidence is not None:
            narrowed = replace(design, lower=lower, upper=upper)
            found = fit_marginal(narrowed, fit.evidence, start[None], None, tau)
            theta, tau = found.theta[0], float(found.tau[0])
            return 2.0 * float(found.value[0]), bool(found.done[0])
        loss, objective = np.asarray(fit.fit.runs.loss), fit.fit.objective
        ends = minimise(Problems.of(design.model, loss, None, objective), start[None], lower, upper)
        theta = ends.theta[0]
        return fit.n_models * float(np.log(ends.value[0])), bool(ends.done[0])

    own, law = float(theta[0]), fit.fit.fitted
    least, _ = held(own)

    def rise(value: float) -> float:
        """How much worse the best law with this irreducible part is, in the units of chi^2; 0 where
        that is not certified.
        """
        size, certified = held(value)
        return (size - least) / scale if certified else 0.0

    found = profile_end(
        rise,
        float(fit.n_models * np.log1p(coverage_factor(level, spare) ** 2 / spare)),
        own,
        FARTHEST * float(law.max()),
        first=max(own, FIRST * float(law.min())),
        precision=PRECISION,
    )
    if found is None:
        return np.inf, np.full_like(theta, np.nan)
    held(found)
    return found, theta


def overdispersion(fit: PassFit) -> float:
    """lambda: how much more the scores in the irreducible part scatter by clusters of models than
    by models; at least 1.
    """
    if fit.clusters is None:
        return 1.0
    score = _scores(fit)
    score = score - score.mean()
    _, member = np.unique(np.asarray(fit.clusters)[fit.used].astype(str), return_inverse=True)
    sums = np.bincount(member, score)
    alone = float(np.sum(score**2)) * len(score) / max(1, len(score) - 1)
    together = float(np.sum(sums**2)) * len(sums) / max(1, len(sums) - 1)
    return max(1.0, together / alone) if alone > 0.0 else 1.0


def _scores(fit: PassFit) -> Floats:
    """(n,): derivatives of what each model costs in the irreducible part, the other coefficients
    following it.
    """
    values, jacobian = fit.design.model.evaluate(fit.fit.theta[None])
    if fit.evidence is not None:
        slope = Marginal(fit.evidence, fit.scatter).measure(np.log(values))[1][0]
    else:
        slope = -fit.fit.residuals / fit.scatter**2
    hessian = fit.hessian()
    free = fit.fit.free.copy()
    free[0] = False
    along = np.zeros(len(free))
    along[0] = 1.0
    along[free] = -np.linalg.lstsq(hessian[np.ix_(free, free)], hessian[free, 0], rcond=None)[0]
    return slope * (along @ (jacobian[0] / values[0]))
