"""The three laws of -log pass@k at one k (Schaeffer et al. 2025, arXiv 2509.24012), fitted as sums of
power terms: coefficients, how sure they are, predictions. The gold law, xi0 + K0 g^kappa, is a
compute law in 1/g.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import positive_array
from ..errors import outside
from ..fit.identify import undetermined
from ..fit.limit import SQUARES, profile_limit, squares_at
from ..fit.models import COMPUTE, PARAMS_TOKENS
from ..fit.newton import Box, Problem
from ..fit.power import PowerTerms
from ..fit.solution import Solution
from ..fit.solve import Minimum
from ..results import DEFAULT_LEVEL, Band, Estimate, coverage_factor
from .curve import curve
from .likelihood import Marginal, fit_marginal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ..data.counts import Counts
    from .likelihood import Evidence

    Floats = NDArray[np.float64]

__all__ = ["KINDS", "PassFit", "PassKind", "fit_at_k", "kind_of", "upper_limit"]

#: Eigenvalues of a Hessian below this share of the greatest leave a direction open.
FLATTEST = 1e-12


@dataclass(frozen=True)
class PassKind:
    """A law: what it depends on, of the keys of `Counts.covariates`; the form that is fitted; and
    the paper's names of its coefficients, the irreducible part, prefactors, exponents.
    """

    name: str
    formula: str
    covariates: tuple[str, ...]
    terms: PowerTerms
    coefficients: tuple[str, ...]

    def rows(self, covariates: Mapping[str, Any], neg_log: Any = np.nan) -> Any:
        """Models as rows of the fit layer; a ValueError for a covariate that is not there or > 0."""
        for name in self.covariates:
            if name not in covariates:
                raise outside("covariates", sorted(covariates), f"a mapping with {name}")
        given = [np.atleast_1d(positive_array(name, covariates[name])) for name in self.covariates]
        given = [1.0 / given[0]] if self.name == "gold" else given
        variables = dict(zip(self.terms.variables, given, strict=True))
        return SimpleNamespace(**variables, loss=neg_log)


JOINT = "params-tokens", "E0 + N0 N^-beta + D0 D^-gamma", ("params", "tokens"), PARAMS_TOKENS
LAWS = (
    PassKind("compute", "E0 + C0 C^-alpha", ("compute",), COMPUTE, ("E0", "C0", "alpha")),
    PassKind(*JOINT, ("E0", "N0", "D0", "beta", "gamma")),
    PassKind("gold", "xi0 + K0 g^kappa", ("gold",), COMPUTE, ("xi0", "K0", "kappa")),
)
KINDS = {kind.name: kind for kind in LAWS}


def kind_of(law: str) -> PassKind:
    """A law by name, or a ValueError."""
    if law not in KINDS:
        raise outside("law", law, f"one of {', '.join(KINDS)}")
    return KINDS[law]


# -- a law at one k --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PassFit:
    """One of the three laws at one k.

    Attributes
    ----------
    kind, k
    solution : Solution
        Of the fit layer, for the models that take part; observed is the estimate of -log pass@k, or
        under the likelihood its expectation (of the logarithm) given counts and law.
    covariates, evidence, clusters
        Of these models: arrays by name; `Evidence`, where the method is the likelihood; what they
        are drawn together by, None where they are drawn one by one.
    scatter : float
        Standard deviation of models about the law in log(-log pass@k), with the degrees of freedom
        that the coefficients leave.
    numbers : dict of str to int
        n_models that take part; n_unsolved, without a correct sample, which least squares leaves
        out; n_refused, left out because some problem has fewer than k samples.
    refits : ndarray
        (R, p): the coefficients refitted to resamples; NaN where no minimum is certified.
    """

    kind: PassKind
    k: int
    solution: Solution
    covariates: Mapping[str, Any]
    scatter: float
    numbers: dict[str, int]
    evidence: Evidence | None = None
    refits: Floats = field(default_factory=lambda: np.empty((0, 0)))
    clusters: Any = None

    @cached_property
    def coefficients(self) -> dict[str, float]:
        """By the paper's names."""
        return dict(zip(self.kind.coefficients, self.solution.values.tolist(), strict=True))

    @cached_property
    def undetermined(self) -> tuple[str, ...]:
        """Coefficients that the models leave open, by the paper's names."""
        own = dict(zip(self.kind.terms.coefficients, self.kind.coefficients, strict=True))
        return tuple(own[name] for name in undetermined(self.solution))

    @property
    def converged(self) -> bool:
        """Whether the minimum is certified."""
        return bool(self.solution.minimum.converged)

    @property
    def is_sound(self) -> bool:
        """Whether the minimum is certified and leaves no coefficient open."""
        return self.converged and not self.undetermined

    @property
    def law(self) -> Any:
        """The `Law`, of the gold law in 1/g; a ValueError where the fit is not sound."""
        if not self.is_sound:
            left = ", ".join(self.undetermined) or "the minimum"
            raise ValueError(f"law: the fit at k={self.k} leaves {left} open")
        terms, values = self.kind.terms, self.solution.values.tolist()
        source = f"{self.kind.formula} at k={self.k}"
        return terms.law(dict(zip(terms.coefficients, values, strict=True)), source=source)

    @property
    def drawn(self) -> Floats:
        """(R, p): the certified refits; none where there are no more models than coefficients."""
        width = len(self.kind.coefficients)
        if not self.refits.size or self.numbers["n_models"] <= width:
            return np.empty((0, width))
        return self.refits[np.isfinite(self.refits).all(axis=1)]

    def estimate(self, name: str, level: float = DEFAULT_LEVEL) -> Estimate:
        """A coefficient with percentiles of the resamples; no interval without resamples, or where
        there are no more models than coefficients.

        Where the irreducible part is 0, or as many resamples end there that their percentile is,
        they are no measure of it: its interval goes from 0 to the end of a profile (`upper_limit`),
        or of the resamples where they reach higher.
        """
        if name not in self.coefficients:
            raise outside("name", name, f"one of {', '.join(self.coefficients)}")
        at, drawn = self.kind.coefficients.index(name), self.drawn
        model = self.solution.model
        on_limit = model.runaway(model.write(drawn))[:, at]
        options: Any = {"on_limit": on_limit, "undetermined": name in self.undetermined}
        found = Estimate.of_draws(self.coefficients[name], drawn[:, at], level, **options)
        if at > 0 or found.high is None or 0.0 not in (found.value, found.low):
            return found
        high = max(found.high, upper_limit(self, level))
        return replace(found, low=0.0, high=high, standard_error=None)

    def estimates(self, level: float = DEFAULT_LEVEL) -> dict[str, Estimate]:
        """Every coefficient with its interval."""
        return {name: self.estimate(name, level) for name in self.kind.coefficients}

    def predict(
        self, covariates: Mapping[str, Any], level: float = DEFAULT_LEVEL, measured: Any = 0.0
    ) -> Band:
        """-log pass@k of new models with these covariates, (M,) each, with intervals by Student's t in
        its logarithm: of the errors of the law, by the inverse Hessian of the objective, the scatter
        of models, and standard errors `measured` of log(-log pass@k) of the models' own measurement.
        """
        model = self.solution.model.at(self.kind.rows(covariates))
        (values,), (jacobian,) = model.evaluate(self.solution.theta[None])
        slope = jacobian / values
        variance = np.einsum("pn,pq,qn->n", slope, self._covariance, slope)
        spread = np.sqrt(np.maximum(variance, 0.0) + self.scatter**2 + np.square(measured))
        half = coverage_factor(level, max(1, self.solution.spare)) * spread
        with np.errstate(over="ignore"):
            return Band(values, values * np.exp(-half), values * np.exp(half), level)

    @cached_property
    def _hessian(self) -> Floats:
        """(p, p): of minus the log likelihood, or the sum of squares over twice their variance."""
        theta, model = self.solution.theta[None], self.solution.model
        if self.evidence is None:
            return self.solution.problem.expand(theta).hessian[0] / (2.0 * self.scatter**2)
        measure = Marginal(self.evidence, self.scatter)
        return Problem(model, np.zeros(model.size), 1.0, measure).expand(theta).hessian[0]

    @cached_property
    def _covariance(self) -> Floats:
        """(p, p): of the solver's parameters, the inverse Hessian; 0 for what is on a bound."""
        free = np.ix_(self.solution.free, self.solution.free)
        scale = np.sqrt(np.maximum(np.diag(self._hessian[free]), 1e-300))
        sizes, axes = np.linalg.eigh(self._hessian[free] / np.outer(scale, scale))
        sizes, found = np.maximum(sizes, FLATTEST * sizes[-1]), np.zeros_like(self._hessian)
        found[free] = (axes / sizes) @ axes.T / np.outer(scale, scale)
        return found


# -- fits ------------------------------------------------------------------------------------------


def fit_at_k(
    counts: Counts,
    kind: PassKind,
    k: int,
    evidence: Evidence | None = None,
    weights: Floats | None = None,
    clusters: Any = None,
) -> PassFit:
    """The law at one k for models (G) with all its covariates: by the likelihood where there is
    evidence, else by least squares. `weights`, (R, G): how often each resample draws each model;
    `clusters`, (G,): what is drawn together. A ValueError where models are too few, or under least
    squares pass@k of one is 1.
    """
    squares = evidence is None
    estimate = curve(counts, [k if squares else 1])
    y, complete = estimate.neg_log.to_numpy(), (estimate.n_refused == 0).to_numpy()
    solved = (estimate.pass_at_k > 0.0).to_numpy()
    used = complete & solved if squares else np.ones(len(counts), dtype=bool)
    unsolved, certain = complete & ~solved, solved & (y <= 0.0)
    if squares and (used & certain).any():
        name = counts.names[int((used & certain).argmax())]
        what = f"pass@k of {name} is 1, so that log(-log pass@k) has no value"
        raise ValueError(f"k={k}: {what}; use method='likelihood'")
    size, least = int((complete & solved & ~certain).sum()), len(kind.coefficients)
    if size < least:
        few, none, all_ = (int(each.sum()) for each in (~complete, unsolved, complete & certain))
        others = (
            f"{few} have problems of fewer than k samples, {none} no success, {all_} no failure"
        )
        raise ValueError(
            f"k={k}: {size} models have an estimate of -log pass@k ({others}); must be at least "
            f"{least} for the {least} coefficients of {kind.formula}"
        )
    covariates = {name: values[used] for name, values in counts.covariates.items()}
    sizes = {"n_models": used, "n_unsolved": unsolved, "n_refused": ~complete}
    numbers = {name: int(which.sum()) for name, which in sizes.items()}
    if evidence is None:
        rows = kind.rows(covariates, y[used])
        solution = Solution.of(kind.terms.posed(rows), rows, SQUARES)
        scatter = float(np.sqrt(solution.minimum.value / max(1, solution.spare)))
    else:
        solution, scatter = _by_likelihood(kind, covariates, evidence)
    refits = np.empty((0, least))
    if weights is not None and len(weights):
        if evidence is None:
            refits, certified = solution.refit(weights=weights[:, used])[:2]
        else:
            starts = np.repeat(solution.theta[None], len(weights), axis=0)
            again = fit_marginal(solution.model, evidence, starts, weights, scatter)
            refits, certified = solution.model.read(again.theta), again.done
        refits = np.where(certified[:, None], refits, np.nan)
    return PassFit(
        kind=kind,
        k=k,
        solution=solution,
        covariates=covariates,
        scatter=scatter,
        numbers=numbers,
        evidence=evidence,
        refits=refits,
        clusters=None if clusters is None else np.asarray(clusters)[used],
    )


def _by_likelihood(
    kind: PassKind, covariates: Mapping[str, Any], evidence: Evidence
) -> tuple[Solution, float]:
    """The law and scatter of greatest likelihood, from the local minima of a scan over exponents."""
    guess = np.exp(evidence.least_likely_pass)
    model = kind.terms.posed(kind.rows(covariates, guess))
    starts = model.starts(guess, 1.0 / guess**2, model.box)
    found = fit_marginal(model, evidence, starts)
    best = int(np.argmin(found.value))
    theta, tau = found.theta[best], float(found.tau[best])
    mu = np.log(model.evaluate(theta[None])[0])
    observed = np.exp(mu[0] - Marginal(evidence, tau).moments(mu)[1][0])
    return Solution(
        problem=Problem.of(model, observed, None, SQUARES, model.box),
        minimum=Minimum(theta, float(found.value[best]), bool(found.done[best])),
    ), tau


# -- how large an irreducible part may be ----------------------------------------------------------


def upper_limit(fit: PassFit, level: float = DEFAULT_LEVEL) -> float:
    r"""The greatest irreducible part E0 that the models do not exclude, in nats; inf where they
    exclude none.

    .. math:: (f(E0) - f(\hat{E0}))/\lambda \le n \log (1 + t^2/(n - p))

    where f(E0) is twice minus the log likelihood of the best law that has this E0, or n log of its
    sum of squares, the scatter of models estimated anew with it, and t the quantile of Student's
    distribution with n - p degrees of freedom, of n models and p coefficients: exact for least
    squares in linear laws, the likelihood ratio test as n grows. Where models are drawn together
    lambda is `_overdispersion`.
    """
    solution, evidence, size = fit.solution, fit.evidence, fit.numbers["n_models"]
    scale = _overdispersion(fit)
    spare = max(1, size - len(fit.coefficients))
    allowed = float(size * np.log1p(coverage_factor(level, spare) ** 2 / spare))

    def objective(value: float) -> float:
        if evidence is None:
            rows = fit.kind.rows(fit.covariates, solution.observed)
            return squares_at(fit.kind.terms, rows, value) / scale
        model, start = solution.model, solution.theta.copy()
        box = Box(model.box.lower.copy(), model.box.upper.copy())
        box.lower[0] = box.upper[0] = start[0] = value
        found = fit_marginal(replace(model, box=box), evidence, start[None], None, fit.scatter)
        is_certified = found.done[0] or value == estimate
        return 2.0 * float(found.value[0]) / scale if is_certified else -np.inf

    estimate = float(solution.theta[0])
    return profile_limit(objective, estimate, allowed, solution.fitted)


def _overdispersion(fit: PassFit) -> float:
    """How much more the scores in the irreducible part, the other coefficients following it, scatter
    by clusters than by models (Rotnitzky and Jewell 1990); at least 1.
    """
    if fit.clusters is None:
        return 1.0
    solution = fit.solution
    values, jacobian = solution.model.evaluate(solution.theta[None])
    slope = -solution.residuals / fit.scatter**2
    if fit.evidence is not None:
        slope = Marginal(fit.evidence, fit.scatter).measure(np.log(values))[1][0]
    others, along = solution.free.copy(), np.zeros(len(solution.theta))
    others[0], along[0] = False, 1.0
    hessian = fit._hessian[others]
    along[others] = -np.linalg.lstsq(hessian[:, others], hessian[:, 0], rcond=None)[0]
    score = slope * (along @ (jacobian[0] / values[0]))
    score -= score.mean()
    _, member = np.unique(fit.clusters, return_inverse=True)
    sums = np.bincount(member, score)
    alone, together = (float(np.sum(x**2)) * len(x) / max(1, len(x) - 1) for x in (score, sums))
    return max(1.0, together / alone) if alone > 0.0 else 1.0
