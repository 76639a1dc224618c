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

from dataclasses import dataclass, field, replace
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.runs import Runs
from ..errors import positive_array
from ..fit.fit import Fit, fit_form
from ..fit.newton import Box, Problem, minimise
from ..fit.objective import Objective
from ..fit.solution import Design, Solution
from ..fit.solve import Minimum
from ..results import Estimate, coverage_factor, percentiles
from .curve import curve
from .likelihood import evidence_of
from .marginal import Marginal, fit_marginal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ..data.counts import Counts
    from .curve import Curve
    from .kinds import PassKind
    from .likelihood import Evidence

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["METHODS", "Models", "PassFit", "fit_at_k", "upper_limit"]

METHODS = ("likelihood", "least-squares-log")
SQUARES = Objective(name="least-squares-log")
LEVEL = 0.9
#: Eigenvalues of a Hessian below this share of the greatest leave a direction open.
FLATTEST = 1e-12
#: The search for an upper limit begins at this share of the least value of the law at the models,
#: and goes up to so many times the greatest; a limit beyond is none. Its relative precision.
FIRST, FARTHEST, PRECISION = 0.05, 100.0, 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class Models:
    """The counts of models with all that fits of any law and any k share.

    Attributes
    ----------
    counts : Counts
        Of G models.
    ks : tuple of int
    known : tuple of Evidence, optional
        The evidence at every k, where it is known from elsewhere.
    """

    counts: Counts
    ks: tuple[int, ...]
    known: tuple[Evidence, ...] | None = None

    @cached_property
    def solved(self) -> Mask:
        """(G,): the models with a correct sample."""
        return np.bincount(self.counts.group, self.counts.c, len(self.counts)) > 0

    @cached_property
    def failing(self) -> Mask:
        """(G,): the models with a wrong sample."""
        wrong = self.counts.n - self.counts.c
        return np.bincount(self.counts.group, wrong, len(self.counts)) > 0

    @cached_property
    def curve(self) -> Curve:
        """The unbiased estimates."""
        return curve(self.counts, self.ks)

    @cached_property
    def evidence(self) -> tuple[Evidence, ...]:
        """What the counts say of log(-log pass@k), for every k."""
        return evidence_of(self.counts, self.ks) if self.known is None else self.known

    def some(self, chosen: Mask) -> Models:
        """Some of the models; what is known of each is not computed again."""
        known = vars(self).get("evidence", self.known)
        some = None if known is None else tuple(each.some(chosen) for each in known)
        return Models(self.counts.subset(np.flatnonzero(chosen)), self.ks, some)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PassFit:
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
    used : ndarray of bool
        (G,): the models of the counts that take part.
    scatter : float
        Standard deviation of models about the law in log(-log pass@k), with the degrees of freedom
        that the coefficients leave.
    evidence : Evidence or None
        Of the same models, where the method is the likelihood.
    n_unsolved, n_without, n_refused : int
        Models that take part without a correct sample; left out without one, for which -log pass@k
        has no estimate; left out because some problem has fewer than k samples (least squares).
    refits : ndarray
        (R, p): the coefficients refitted to resamples of the models; NaN where no minimum is
        certified.
    clusters : ndarray or None
        (G,): what models are drawn together; None where they are drawn one by one.
    """

    kind: PassKind
    k: int
    method: str
    fit: Fit
    used: Mask
    scatter: float
    evidence: Evidence | None = None
    n_unsolved: int = 0
    n_without: int = 0
    n_refused: int = 0
    refits: Floats = field(default_factory=lambda: np.empty((0, 0)))
    clusters: Any = None

    @cached_property
    def coefficients(self) -> dict[str, float]:
        """By the paper's names."""
        return dict(zip(self.kind.coefficients, self.fit.coefficients.values(), strict=True))

    @property
    def values(self) -> Floats:
        """The coefficients (p,)."""
        return np.array(list(self.coefficients.values()))

    @cached_property
    def undetermined(self) -> tuple[str, ...]:
        """Coefficients that the models leave open, by the paper's names."""
        own = dict(zip(self.kind.terms.coefficients, self.kind.coefficients, strict=True))
        return tuple(own[name] for name in self.fit.undetermined)

    @property
    def size(self) -> int:
        """How many models take part."""
        return int(self.used.sum())

    @property
    def converged(self) -> bool:
        """Whether the minimum is certified."""
        return bool(self.fit.converged)

    @property
    def is_sound(self) -> bool:
        """Whether the minimum is certified and leaves no coefficient open."""
        return self.converged and not self.undetermined

    @property
    def law(self) -> Any:
        """The law, as a `Law` (of the gold law a compute law in 1/g); a ValueError where the fit
        is not sound.
        """
        return self.fit.law

    @property
    def spare(self) -> int:
        """Models less coefficients; where none is left no residual tells how sure these are."""
        return self.size - len(self.kind.coefficients)

    @property
    def degrees_of_freedom(self) -> float:
        """Models less free coefficients, at least 1."""
        return float(max(1, self.size - int(self.fit.solution.free.sum())))

    @property
    def drawn(self) -> Floats:
        """(R, p): the certified refits; none where no model is left to tell errors."""
        width = len(self.kind.coefficients)
        if not self.refits.size or self.spare <= 0:
            return np.empty((0, width))
        return self.refits[np.isfinite(self.refits).all(axis=1)]

    @property
    def n_failed(self) -> int:
        """Refits without a certified minimum."""
        return int(np.isnan(self.refits).any(axis=1).sum())

    # -- intervals ---------------------------------------------------------------------------------

    def estimate(self, name: str, level: float = LEVEL) -> Estimate:
        """A coefficient with percentiles of the resamples; an irreducible part on its bound from 0
        to its upper limit.

        Where the estimate of the irreducible part is 0, or as many resamples end there that their
        percentile does, they are no measure of it, and the upper end is that of a profile
        (`upper_limit`), or of the resamples where they reach higher. No interval without resamples,
        or where there are no more models than coefficients.
        """
        if name not in self.coefficients:
            names = ", ".join(self.coefficients)
            raise ValueError(f"name={name!r}: the law {self.kind.formula} has {names}")
        at, drawn = self.kind.coefficients.index(name), self.drawn
        found = Estimate.of_draws(
            self.coefficients[name],
            drawn[:, at],
            level,
            on_limit=self.fit.solution.design.on_limit(drawn)[:, at],
            undetermined=name in self.undetermined,
        )
        if found.high is None or name != self.kind.floor or not self.is_limited(level):
            return found
        return replace(found, low=0.0, high=max(found.high, self.limit(level)), standard_error=None)

    def estimates(self, level: float = LEVEL) -> dict[str, Estimate]:
        """Every coefficient with its interval."""
        return {name: self.estimate(name, level) for name in self.kind.coefficients}

    def is_limited(self, level: float = LEVEL) -> bool:
        """Whether the interval of the irreducible part is an upper limit: its estimate, or the
        percentile below it, is 0.
        """
        drawn = self.drawn[:, 0]
        ends = percentiles(drawn, level)[:1] if len(drawn) > 1 else ()
        return self.spare > 0 and 0.0 in (self.coefficients[self.kind.floor], *ends)

    def limit(self, level: float = LEVEL) -> float:
        """`upper_limit`, found once for each level."""
        if level not in self._limits:
            self._limits[level] = upper_limit(self, level)
        return self._limits[level]

    @cached_property
    def _limits(self) -> dict[float, float]:
        return {}

    # -- predictions -------------------------------------------------------------------------------

    def predict(self, covariates: Mapping[str, Any]) -> Floats:
        """-log pass@k by the law (M,), for models with these covariates, (M,) each with the keys of
        `Counts.covariates`.
        """
        return self._at(covariates)[0]

    def prediction(self, covariates: Mapping[str, Any]) -> tuple[Floats, Floats]:
        """u = log(-log pass@k) by the law (M,), and its standard error (M,), from the inverse
        Hessian of the objective.

        Raises
        ------
        ValueError
            Where a covariate is missing or not positive.
        """
        values, jacobian = self._at(covariates)
        slope = jacobian / values
        error = np.sqrt(np.maximum(np.einsum("pn,pq,qn->n", slope, self.covariance, slope), 0.0))
        return np.log(values), error

    def interval_ahead(
        self, covariates: Mapping[str, Any], level: float = LEVEL
    ) -> tuple[Floats, Floats]:
        """-log pass@k of a new model lies between these (M,): by Student's t in u, of the errors of
        the law and the scatter of models. Where the irreducible part has but an upper limit, the
        upper end is at least that.
        """
        u, error = self.prediction(covariates)
        half = coverage_factor(level, self.degrees_of_freedom) * np.hypot(error, self.scatter)
        least = self.limit(level) if self.is_limited(level) else 0.0
        return np.exp(u - half), np.maximum(np.exp(u + half), least)

    def _at(self, covariates: Mapping[str, Any]) -> tuple[Floats, Floats]:
        """Values (M,) of the law, and derivatives (p, M) in the solver's parameters."""
        for name in self.kind.covariates:
            if name not in covariates:
                needs = f"must have {name} for the law {self.kind.name}"
                raise ValueError(f"covariates={sorted(covariates)}: {needs}")
            positive_array(name, covariates[name])
        held = {name: np.atleast_1d(covariates[name]) for name in self.kind.covariates}
        rows: Any = SimpleNamespace(**self.kind.variables(held))
        values, jacobian = self.fit.solution.design.at(rows).evaluate(self.fit.solution.theta[None])
        return values[0], jacobian[0]

    @cached_property
    def hessian(self) -> Floats:
        """(p, p): of minus the log likelihood in the solver's parameters; for least squares of the
        sum of squares over twice their variance.
        """
        model, theta = self.fit.solution.design.model, self.fit.solution.theta[None]
        if self.evidence is not None:
            measure = Marginal(self.evidence, self.scatter)
            return Problem(model, np.zeros(self.size), 1.0, measure).expand(theta).hessian[0]
        return self.fit.solution.problem.expand(theta).hessian[0] / (2.0 * self.scatter**2)

    @cached_property
    def covariance(self) -> Floats:
        """Covariance (p, p) of the solver's parameters: the inverse Hessian, 0 for what is fixed or
        on a bound.
        """
        free = self.fit.solution.free
        hessian = self.hessian[np.ix_(free, free)]
        scale = np.sqrt(np.maximum(np.diag(hessian), 1e-300))
        values, vectors = np.linalg.eigh(hessian / np.outer(scale, scale))
        values = np.maximum(values, FLATTEST * values[-1])
        found = np.zeros((len(free), len(free)))
        found[np.ix_(free, free)] = (vectors / values) @ vectors.T / np.outer(scale, scale)
        return found

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={value:.6g}" for name, value in self.coefficients.items())
        return f"<{self.kind.name} at k={self.k}: {numbers}; {self.size} models, {self.method}>"


# -- fits ------------------------------------------------------------------------------------------


def fit_at_k(models: Models, kind: PassKind, index: int, method: str, weights: Floats) -> PassFit:
    """The law at the k of this index; weights (R, G): how often each resample draws each model.

    Raises
    ------
    ValueError
        Where models are too few, or under least squares pass@k of one is 1.
    """
    fit = (_by_likelihood if method == METHODS[0] else _by_squares)(models, kind, index)
    if not len(weights):
        return fit
    drawn, own = weights[:, fit.used], fit.fit
    if fit.evidence is None:
        coefficients, certified = own.solution.refit(weights=drawn)[:2]
    else:
        starts = np.repeat(own.solution.theta[None], len(drawn), axis=0)
        again = fit_marginal(own.solution.design, fit.evidence, starts, drawn, fit.scatter)
        coefficients, certified = own.solution.design.coefficients(again.theta), again.done
    return replace(fit, refits=np.where(certified[:, None], coefficients, np.nan))


def _by_squares(models: Models, kind: PassKind, index: int) -> PassFit:
    k, estimate = models.ks[index], models.curve
    complete, y = estimate.complete[:, index], estimate.neg_log[:, index]
    used = complete & (estimate.pass_at_k[:, index] > 0.0)
    if (certain := used & (y <= 0.0)).any():
        name = models.counts.names[int(certain.argmax())]
        raise ValueError(
            f"k={k}: pass@k of {name} is 1, so that log(-log pass@k) has no value; use "
            f"method='likelihood'"
        )
    refused, without = int((~complete).sum()), int((complete & ~used).sum())
    others = f"{refused} with problems of fewer than k samples, {without} without a success"
    _require(k, int(used.sum()), kind, others)
    fit = fit_form(_runs(kind, models, used, y[used]), kind.terms, SQUARES)
    scatter = float(np.sqrt(fit.objective_value / max(1, fit.solution.spare)))
    numbers: dict[str, Any] = {"n_without": without, "n_refused": refused}
    return PassFit(
        kind=kind, k=k, method=METHODS[1], fit=fit, used=used, scatter=scatter, **numbers
    )


def _by_likelihood(models: Models, kind: PassKind, index: int) -> PassFit:
    k, evidence, size = models.ks[index], models.evidence[index], len(models.counts)
    unsolved, certain = int((~models.solved).sum()), int((~models.failing).sum())
    others = f"{unsolved} without a success, {certain} without a failure"
    _require(k, size - unsolved - certain, kind, others)
    used = np.ones(size, dtype=bool)
    design = Design.of(kind.terms, _runs(kind, models, used, np.exp(evidence.most_likely)))
    # From the local minima of a scan over the exponents, for what the counts alone say of u.
    guess = np.exp(evidence.least_likely_pass)
    starts = design.model.starts(guess, 1.0 / guess**2, design.box)
    found = fit_marginal(design, evidence, starts)
    best = int(np.argmin(found.value))
    theta, tau = found.theta[best], float(found.tau[best])
    mu = np.log(design.model.evaluate(theta[None])[0])
    expected = np.exp(mu[0] - Marginal(evidence, tau).moments(mu)[1][0])
    solution = Solution(
        design=design,
        objective=SQUARES,
        observed=expected,
        weights=np.ones(size),
        minimum=Minimum(theta, float(found.value[best]), bool(found.done[best])),
    )
    fit = Fit(runs=_runs(kind, models, used, expected), solution=solution)
    numbers: dict[str, Any] = {"evidence": evidence, "n_unsolved": unsolved}
    return PassFit(kind=kind, k=k, method=METHODS[0], fit=fit, used=used, scatter=tau, **numbers)


def _runs(kind: PassKind, models: Models, used: Mask, neg_log: Floats) -> Runs:
    """The models as runs of the fit layer, whose loss is -log pass@k."""
    held = {name: np.asarray(values)[used] for name, values in models.counts.covariates.items()}
    variables: dict[str, Any] = {"params": None, "tokens": None, "compute": None}
    variables |= kind.variables(held)
    row, source = np.flatnonzero(used) + 1, models.counts.source
    return Runs(**variables, loss=neg_log, row=row, source=source, n_rows=len(used))


def _require(k: int, count: int, kind: PassKind, others: str) -> None:
    least = len(kind.coefficients)
    if count < least:
        raise ValueError(
            f"k={k}: {count} models have an estimate of -log pass@k ({others}); must be at least "
            f"{least} for the {least} coefficients of {kind.formula}"
        )


# -- how large an irreducible part may be ----------------------------------------------------------


def upper_limit(fit: PassFit, level: float = LEVEL) -> float:
    """The greatest irreducible part that the models do not exclude, in nats: the upper end of the
    profile interval of that two-sided level. inf where they exclude none.
    """
    from scipy.optimize import brentq

    spare = max(1, fit.spare)
    allowed = float(fit.size * np.log1p(coverage_factor(level, spare) ** 2 / spare))
    own, law, scale = float(fit.fit.solution.theta[0]), fit.fit.solution.fitted, overdispersion(fit)
    least, _ = _held(fit, own)

    def excess(value: float) -> float:
        """By how much more than allowed the best law with this irreducible part is worse; not at
        all where that is not certified.
        """
        size, certified = _held(fit, value)
        return (size - least) / scale - allowed if certified and value != own else -allowed

    inside, outside = own, max(own, FIRST * float(law.min()))
    while not excess(outside) > 0.0:
        inside, outside = outside, 2.0 * outside
        if outside > FARTHEST * float(law.max()):
            return np.inf
    return float(brentq(excess, inside, outside, xtol=PRECISION * outside, rtol=PRECISION))


def _held(fit: PassFit, value: float) -> tuple[float, bool]:
    """The objective in the units of chi^2 of the best law whose irreducible part is held, and
    whether that is certified.
    """
    design, start = fit.fit.solution.design, fit.fit.solution.theta.copy()
    box = Box(design.box.lower.copy(), design.box.upper.copy())
    box.lower[0] = box.upper[0] = start[0] = value
    if fit.evidence is not None:
        narrowed = replace(design, box=box)
        found = fit_marginal(narrowed, fit.evidence, start[None], None, fit.scatter)
        return 2.0 * float(found.value[0]), bool(found.done[0])
    problem = fit.fit.solution.problem._replace(box=box)
    ends = minimise(problem, start[None])
    return fit.size * float(np.log(ends.value[0])), bool(ends.done[0])


def overdispersion(fit: PassFit) -> float:
    """lambda: how much more the scores in the irreducible part, the other coefficients following
    it, scatter by clusters of models than by models; at least 1.
    """
    if fit.clusters is None:
        return 1.0
    values, jacobian = fit.fit.solution.design.model.evaluate(fit.fit.solution.theta[None])
    slope = -fit.fit.residuals / fit.scatter**2
    if fit.evidence is not None:
        slope = Marginal(fit.evidence, fit.scatter).measure(np.log(values))[1][0]
    others, along = fit.fit.solution.free.copy(), np.zeros(len(fit.fit.solution.theta))
    others[0], along[0] = False, 1.0
    hessian = fit.hessian[others]
    along[others] = -np.linalg.lstsq(hessian[:, others], hessian[:, 0], rcond=None)[0]
    score = slope * (along @ (jacobian[0] / values[0]))
    score -= score.mean()
    _, member = np.unique(np.asarray(fit.clusters)[fit.used].astype(str), return_inverse=True)
    sums = np.bincount(member, score)
    alone, together = (float(np.sum(x**2)) * len(x) / max(1, len(x) - 1) for x in (score, sums))
    return max(1.0, together / alone) if alone > 0.0 else 1.0
