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
from ..fit.models import Design
from ..fit.newton import Problem, minimise
from ..fit.power import PowerSum
from ..fit.resample import Refits
from ..results import Estimate, coverage_factor, percentiles
from .marginal import Marginal, fit_marginal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ..fit.fit import Fit
    from ..fit.resample import Draws
    from .kinds import PassKind
    from .likelihood import Evidence

    Floats = NDArray[np.float64]

#: Eigenvalues of a Hessian below this share of the greatest leave a direction open.
FLATTEST = 1e-12
#: The search for an upper limit begins at this share of the least value of the law at the models,
#: and goes up to so many times the greatest; a limit beyond is none.
FIRST, FARTHEST = 0.05, 100.0
#: Relative precision of the limit.
PRECISION = 1e-6


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
        return float(max(1, self.size - int(self.fit.free.sum())))

    @property
    def spare(self) -> int:
        """Models less coefficients; where none is left no residual tells how sure the coefficients
        are.
        """
        return self.size - len(self.kind.coefficients)

    @property
    def drawn(self) -> Floats:
        """(R, p): the coefficients of the resamples; none where no model is left to tell errors."""
        if self.draws is None or self.spare <= 0:
            return np.empty((0, len(self.kind.coefficients)))
        return self.draws.coefficients

    def on_limit(self, coefficients: Floats) -> NDArray[np.bool_]:
        """Which of the coefficients (K, p) ran to a limit of the search, (K, p)."""
        return self.fit.on_limit(coefficients)

    # -- intervals ---------------------------------------------------------------------------------

    def estimate(self, name: str, level: float = DEFAULT_LEVEL) -> Estimate:
        """A coefficient with percentiles of the resamples; an irreducible part on its bound from 0
        to its upper limit.

        Where the estimate of the irreducible part is 0, or as many resamples end there that their
        percentile does, they are no measure of it, and the upper end is that of a profile
        (`upper_limit`), or of the resamples where they reach higher. No interval without resamples,
        or where there are no more models than coefficients.
        """
        at = self.kind.index(name)
        found = Estimate.of_draws(
            self.coefficients[name],
            self.drawn[:, at],
            level,
            on_limit=self.on_limit(self.drawn)[:, at],
            undetermined=name in self.undetermined,
        )
        if found.high is None or name != self.kind.floor or not self.is_limited(level):
            return found
        high = max(found.high, self.floor_limit(level)[0])
        return replace(found, low=0.0, high=high, standard_error=None)

    def estimates(self, level: float = DEFAULT_LEVEL) -> dict[str, Estimate]:
        """Every coefficient with its interval."""
        return {name: self.estimate(name, level) for name in self.kind.coefficients}

    def is_limited(self, level: float = DEFAULT_LEVEL) -> bool:
        """Whether the interval of the irreducible part is an upper limit: its estimate, or the
        percentile below it, is 0.
        """
        drawn = self.drawn[:, 0]
        ends = percentiles(drawn, level)[:1] if len(drawn) > 1 else ()
        return self.spare > 0 and 0.0 in (self.coefficients[self.kind.floor], *ends)

    def floor_limit(self, level: float = DEFAULT_LEVEL) -> tuple[float, Floats]:
        """`upper_limit`, found once for each level."""
        if level not in self._limits:
            self._limits[level] = upper_limit(self, level)
        return self._limits[level]

    @cached_property
    def _limits(self) -> dict[float, tuple[float, Floats]]:
        return {}

    def row(self, level: float = DEFAULT_LEVEL) -> dict[str, Any]:
        """Plain data: k, the coefficients with the ends of their intervals, the scatter of models,
        how many models took part.

        NAME_open holds the ends that a limit of the search, not the models, has set.
        """
        row: dict[str, Any] = {"k": self.k}
        for name, found in self.estimates(level).items():
            row |= flat(name, found) if self.draws is not None else {name: found.value}
        return row | {
            "scatter": self.scatter,
            "n_models": self.size,
            "n_unsolved": self.n_unsolved,
            "n_without": self.n_without,
            "n_refused": self.n_refused,
            "converged": self.converged,
            "undetermined": " ".join(self.undetermined),
            "n_failed_resamples": self.n_failed,
        }

    # -- predictions -------------------------------------------------------------------------------

    @cached_property
    def covariance(self) -> Floats:
        """Covariance (p, p) of the solver's parameters: the inverse Hessian, 0 for what is fixed or
        on a bound.
        """
        free = self.fit.free
        hessian = self.hessian[np.ix_(free, free)]
        scale = np.sqrt(np.maximum(np.diag(hessian), 1e-300))
        values, vectors = np.linalg.eigh(hessian / np.outer(scale, scale))
        values = np.maximum(values, FLATTEST * values[-1])
        found = np.zeros((len(free), len(free)))
        found[np.ix_(free, free)] = (vectors / values) @ vectors.T / np.outer(scale, scale)
        return found

    @cached_property
    def hessian(self) -> Floats:
        """(p, p): of minus the log likelihood; for least squares of the sum of squares over twice
        their variance.
        """
        model, theta = self.design.model, self.fit.theta[None]
        if self.evidence is not None:
            measure = Marginal(self.evidence, self.scatter)
            return Problem(model, np.zeros(self.size), 1.0, measure).expand(theta).hessian[0]
        problem = Problem.of(model, np.asarray(self.fit.runs.loss), None, self.fit.objective)
        return problem.expand(theta).hessian[0] / (2.0 * self.scatter**2)

    def prediction(self, covariates: Mapping[str, Any]) -> tuple[Floats, Floats]:
        """u = log(-log pass@k) by the law (M,) for models with these covariates, (M,) each with the
        keys of `Counts.covariates`; and its standard error (M,), from those of the coefficients.

        Raises
        ------
        ValueError
            Where a covariate is missing or not positive.
        """
        values, jacobian = self._model_at(covariates).evaluate(self.fit.theta[None])
        slope = jacobian[0] / values[0]
        error = np.sqrt(np.maximum(np.einsum("pn,pq,qn->n", slope, self.covariance, slope), 0.0))
        return np.log(values[0]), error

    def interval_ahead(
        self, covariates: Mapping[str, Any], level: float = DEFAULT_LEVEL
    ) -> tuple[Floats, Floats]:
        """-log pass@k of a new model lies between these: by Student's t in u = log(-log pass@k),
        and as far as the floor lets it.

        Where the irreducible part has but an upper limit, the errors of the coefficients know none
        of it. The law of greatest likelihood at that limit then adds, as an independent error of
        the same level, to the side on which it lies.
        """
        log_y, error = self.prediction(covariates)
        error = np.hypot(error, self.scatter)
        below = above = coverage_factor(level, self.degrees_of_freedom) * error
        if self.is_limited(level):
            limit, theta = self.floor_limit(level)
            if limit == np.inf:
                return np.exp(log_y - below), np.full_like(error, np.inf)
            model = self._model_at(covariates)
            away = np.log(model.evaluate(theta[None])[0][0]) - log_y
            below = np.hypot(below, np.minimum(away, 0.0))
            above = np.hypot(above, np.maximum(away, 0.0))
        return np.exp(log_y - below), np.exp(log_y + above)

    def predict(self, rows: Mapping[str, Any]) -> Floats:
        """-log pass@k by the law (M,), at covariates (M,) each."""
        return self._model_at(rows).evaluate(self.fit.theta[None])[0][0]

    def _model_at(self, covariates: Mapping[str, Any]) -> PowerSum:
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
        return PowerSum(logs - self.design.centres[:, None], self.kind.terms.irreducible)

    def law_of(self, coefficients: Mapping[str, float]) -> Any:
        """The law with other coefficients, in their order, as a `Law` (of the
        gold law a compute law in 1/g).
        """
        own = self.fit.coefficients
        return self.fit.law_of(dict(zip(own, coefficients.values(), strict=True)))

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={value:.6g}" for name, value in self.coefficients.items())
        return f"<{self.kind.name} at k={self.k}: {numbers}; {self.size} models, {self.method}>"


def flat(name: str, estimate: Estimate) -> dict[str, Any]:
    """An estimate as the columns NAME, NAME_lo, NAME_hi and NAME_open of a row: the last says which
    ends, or the value, a limit of the search has set.
    """
    ends = {f"{name}_lo": estimate.low, f"{name}_hi": estimate.high}
    return {name: estimate.value, **ends, f"{name}_open": " ".join(estimate.at_limit)}


# -- how large an irreducible part may be ----------------------------------------------------------


def upper_limit(fit: PassFit, level: float = DEFAULT_LEVEL) -> tuple[float, Floats]:
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
    from scipy.optimize import brentq

    spare, scale = max(1, fit.spare), overdispersion(fit)
    allowed = float(fit.size * np.log1p(coverage_factor(level, spare) ** 2 / spare))
    own, law = float(fit.fit.theta[0]), fit.fit.fitted
    least = _held(fit, own)[0]

    def excess(value: float) -> float:
        """By how much more than allowed the best law with this irreducible part is worse, in the
        units of chi^2; not at all where that is not certified.
        """
        if value == own:
            return -allowed
        size, _, certified = _held(fit, value)
        return (size - least) / scale - allowed if certified else -allowed

    inside, outside = own, max(own, FIRST * float(law.min()))
    while not excess(outside) > 0.0:
        inside, outside = outside, 2.0 * outside
        if outside > FARTHEST * float(law.max()):
            return np.inf, np.full_like(fit.fit.theta, np.nan)
    found = float(brentq(excess, inside, outside, xtol=PRECISION * outside, rtol=PRECISION))
    return found, _held(fit, found)[1]


def _held(fit: PassFit, value: float) -> tuple[float, Floats, bool]:
    """The objective in the units of chi^2 where the irreducible part is held, the parameters (p,)
    of the best law there, and whether it is certified.
    """
    lower, upper, start = fit.design.lower.copy(), fit.design.upper.copy(), fit.fit.theta.copy()
    lower[0] = upper[0] = start[0] = value
    if fit.evidence is not None:
        narrowed = replace(fit.design, lower=lower, upper=upper)
        found = fit_marginal(narrowed, fit.evidence, start[None], None, fit.scatter)
        return 2.0 * float(found.value[0]), found.theta[0], bool(found.done[0])
    problem = Problem.of(fit.design.model, np.asarray(fit.fit.runs.loss), None, fit.fit.objective)
    ends = minimise(problem, start[None], lower, upper)
    return fit.size * float(np.log(ends.value[0])), ends.theta[0], bool(ends.done[0])


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
    hessian = fit.hessian
    free = fit.fit.free.copy()
    free[0] = False
    along = np.zeros(len(free))
    along[0] = 1.0
    along[free] = -np.linalg.lstsq(hessian[np.ix_(free, free)], hessian[free, 0], rcond=None)[0]
    return slope * (along @ (jacobian[0] / values[0]))
