"""The three laws of -log pass@k at one k (Schaeffer et al. 2025, arXiv 2509.24012), fitted as sums of
power terms: coefficients, how sure they are, predictions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import positive_array
from ..errors import outside
from ..fit.fitted import Fitted
from ..fit.newton import Box, Problem
from ..fit.power import COMPUTE, PARAMS_TOKENS, PowerTerms
from ..fit.resample import Draws
from ..fit.solution import Solution
from ..fit.uncertainty import SQUARES, profile_limit, squares_at
from ..results import DEFAULT_LEVEL, Band, Estimate, coverage_factor
from .curve import curve
from .likelihood import Marginal, fit_marginal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ..data.counts import Counts
    from .likelihood import Evidence

    Floats = NDArray[np.float64]

__all__ = ["KINDS", "PassFit", "fit_at_k", "kind_of", "upper_limit"]

#: Eigenvalues of a Hessian below this share of the greatest leave a direction open.
FLATTEST = 1e-12


class Gold(PowerTerms):
    """xi0 + K0 g^kappa, a compute law in 1/g."""

    def columns_of(self, rows: Any) -> list[Any]:
        """1/g at the rows."""
        return [1.0 / rows.gold]

    def __str__(self) -> str:
        return "xi0 + K0 g^kappa"


#: The laws, with the paper's names of the coefficients; their variables are keys of
#: `Counts.covariates`.
KINDS: dict[str, PowerTerms] = {
    "compute": replace(COMPUTE, irreducible="E0"),
    "params-tokens": replace(PARAMS_TOKENS, irreducible="E0", prefactors=("N0", "D0")),
    "gold": Gold(
        name="gold",
        variables=("gold",),
        irreducible="xi0",
        prefactors=("K0",),
        exponents=("kappa",),
    ),
}


def kind_of(law: str) -> PowerTerms:
    """The law with this name; a ValueError where there is none."""
    if law not in KINDS:
        raise outside("law", law, f"one of {', '.join(KINDS)}")
    return KINDS[law]


def rows_of(kind: PowerTerms, covariates: Mapping[str, Any], neg_log: Any = np.nan) -> Any:
    """Models as rows of a fit; a ValueError for a covariate that is missing or not positive."""
    for name in kind.variables:
        if name not in covariates:
            raise outside("covariates", sorted(covariates), f"a mapping with {name}")
    held = {x: np.atleast_1d(positive_array(x, covariates[x])) for x in kind.variables}
    return SimpleNamespace(**held, loss=neg_log)


# -- a law at one k --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PassFit(Fitted):
    """One of the three laws at one k; its solution is of the models that take part, whose observed
    values are the estimates of -log pass@k, or under the likelihood the expectations (of the
    logarithm) given counts and law.

    Attributes
    ----------
    k : int
    covariates, evidence, clusters
        Of these models: arrays by name; `Evidence`, where the method is the likelihood; the group
        that each is drawn with, None where models are drawn one by one.
    scatter : float
        Standard deviation of models about the law in log(-log pass@k), with the degrees of freedom
        that the coefficients leave.
    numbers : dict of str to int
        n_models that take part; n_unsolved, without a correct sample, which least squares leaves
        out; n_refused, left out because some problem has fewer than k samples.
    """

    k: int
    covariates: Mapping[str, Any]
    scatter: float
    numbers: dict[str, int]
    evidence: Evidence | None = None
    clusters: Any = None

    @property
    def kind(self) -> PowerTerms:
        """The law, one of `KINDS`, posed at the models."""
        found: PowerTerms = self.solution.model
        return found

    def _described(self) -> dict[str, Any]:
        return {"source": f"{self.kind} at k={self.k}"}

    def _refined(self, name: str, found: Estimate, level: float) -> Estimate:
        """Where the irreducible part is 0, or so many resamples end there that their percentile is,
        they do not measure it: its interval goes from 0 to the end of a profile (`upper_limit`), or
        of the resamples where they reach higher.
        """
        if name != self.kind.irreducible or 0.0 not in (found.value, found.low):
            return found
        high = max(found.high or 0.0, upper_limit(self, level))
        return replace(found, low=0.0, high=high, standard_error=None)

    def predict(
        self, covariates: Mapping[str, Any], level: float = DEFAULT_LEVEL, measured: Any = 0.0
    ) -> Band:
        """-log pass@k of new models with these covariates, (M,) each, with intervals by Student's t in
        its logarithm. Their width adds the errors of the law, by the inverse Hessian of the
        objective, the scatter of models, and the standard errors `measured` of log(-log pass@k) by
        which the new models are measured.
        """
        model = self.kind.at(rows_of(self.kind, covariates))
        (values,), (jacobian,) = model.evaluate(self.solution.theta[None])
        slope = jacobian / values
        variance = np.einsum("pn,pq,qn->n", slope, self._covariance, slope)
        spread = np.sqrt(np.maximum(variance, 0.0) + self.scatter**2 + np.square(measured))
        half = coverage_factor(level, max(1, self.solution.spare)) * spread
        with np.errstate(over="ignore"):
            return Band(values, values * np.exp(-half), values * np.exp(half), level)

    @cached_property
    def _hessian(self) -> Floats:
        """The Hessian (p, p) of minus the log likelihood, or of the sum of squares over twice their
        variance.
        """
        theta, model = self.solution.theta[None], self.solution.model
        if self.evidence is None:
            return self.solution.problem.expand(theta).hessian[0] / (2.0 * self.scatter**2)
        measure = Marginal(self.evidence, self.scatter)
        return Problem(model, np.zeros(model.size), 1.0, measure).expand(theta).hessian[0]

    @cached_property
    def _covariance(self) -> Floats:
        """The inverse Hessian (p, p) in the solver's parameters; 0 for what is on a bound."""
        free = np.ix_(self.solution.free, self.solution.free)
        scale = np.sqrt(np.maximum(np.diag(self._hessian[free]), 1e-300))
        sizes, axes = np.linalg.eigh(self._hessian[free] / np.outer(scale, scale))
        sizes, found = np.maximum(sizes, FLATTEST * sizes[-1]), np.zeros_like(self._hessian)
        found[free] = (axes / sizes) @ axes.T / np.outer(scale, scale)
        return found


# -- fits ------------------------------------------------------------------------------------------


def fit_at_k(
    counts: Counts,
    kind: PowerTerms,
    k: int,
    evidence: Evidence | None = None,
    weights: Floats | None = None,
    clusters: Any = None,
) -> PassFit:
    """Fit a law at one k to G models with all its covariates, by the likelihood where there is
    evidence, else by least squares.

    `weights`, (R, G), says how often each resample draws each model, `clusters`, (G,), which models
    are drawn together; no more models than coefficients have no draws. A ValueError where models are
    too few, or under least squares where pass@k of one is 1.
    """
    squares = evidence is None
    estimate = curve(counts, [k if squares else 1])
    y, complete = estimate.neg_log.to_numpy(), (estimate.n_refused == 0).to_numpy()
    solved = (estimate.pass_at_k > 0.0).to_numpy()
    used = complete & solved if squares else np.ones(len(counts), dtype=bool)
    certain, least = solved & (y <= 0.0), len(kind.coefficients)
    sizes = {"n_models": used, "n_unsolved": complete & ~solved, "n_refused": ~complete}
    numbers = {name: int(which.sum()) for name, which in sizes.items()}
    if squares and (used & certain).any():
        name = counts.names[int((used & certain).argmax())]
        what = f"pass@k of {name} is 1, so that log(-log pass@k) has no value"
        raise ValueError(f"k={k}: {what}; use method='likelihood'")
    if (size := int((complete & solved & ~certain).sum())) < least:
        others = (
            f"{numbers['n_refused']} have problems of fewer than k samples, "
            f"{numbers['n_unsolved']} no success, {int((complete & certain).sum())} no failure"
        )
        raise ValueError(
            f"k={k}: {size} models have an estimate of -log pass@k ({others}); must be at least "
            f"{least} for the {least} coefficients of {kind}"
        )
    covariates = {name: values[used] for name, values in counts.covariates.items()}
    if evidence is None:
        rows = rows_of(kind, covariates, y[used])
        solution = Solution.of(kind.posed(rows), rows, SQUARES)
        scatter = float(np.sqrt(solution.value / max(1, solution.spare)))
    else:
        solution, scatter = _by_likelihood(kind, covariates, evidence)
    draws = None
    if weights is not None and len(weights) and numbers["n_models"] > least:
        if evidence is None:
            draws = solution.refit(weights=weights[:, used])
        else:
            starts = np.repeat(solution.theta[None], len(weights), axis=0)
            again = fit_marginal(solution.model, evidence, starts, weights, scatter)
            draws = Draws(rows=solution.model.read(again.theta), converged=again.done)
    return PassFit(
        solution=solution,
        draws=draws,
        k=k,
        covariates=covariates,
        scatter=scatter,
        numbers=numbers,
        evidence=evidence,
        clusters=None if clusters is None else np.asarray(clusters)[used],
    )


def _by_likelihood(
    kind: PowerTerms, covariates: Mapping[str, Any], evidence: Evidence
) -> tuple[Solution, float]:
    """The law and scatter of greatest likelihood, started from the local minima of a scan over
    exponents.
    """
    guess = np.exp(evidence.least_likely_pass)
    model = kind.posed(rows_of(kind, covariates, guess))
    starts = model.starts(guess, 1.0 / guess**2, model.box)
    found = fit_marginal(model, evidence, starts)
    best = int(np.argmin(found.value))
    theta, tau = found.theta[best], float(found.tau[best])
    mu = np.log(model.evaluate(theta[None])[0])
    observed = np.exp(mu[0] - Marginal(evidence, tau).moments(mu)[1][0])
    return Solution(
        problem=Problem.of(model, observed, None, SQUARES, model.box),
        theta=theta,
        value=float(found.value[best]),
        converged=bool(found.done[best]),
    ), tau


# -- upper limits of irreducible parts -------------------------------------------------------------


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
            rows = rows_of(fit.kind, fit.covariates, solution.observed)
            return squares_at(fit.kind, rows, value) / scale
        model, start = solution.model, solution.theta.copy()
        box = Box(model.box.lower.copy(), model.box.upper.copy())
        box.lower[0] = box.upper[0] = start[0] = value
        found = fit_marginal(replace(model, box=box), evidence, start[None], None, fit.scatter)
        is_certified = found.done[0] or value == estimate
        return 2.0 * float(found.value[0]) / scale if is_certified else -np.inf

    estimate = float(solution.theta[0])
    return profile_limit(objective, estimate, allowed, solution.fitted)


def _overdispersion(fit: PassFit) -> float:
    """The ratio, at least 1, of the scatter of clusters to that of models in the scores of the
    irreducible part, which the other coefficients follow (Rotnitzky and Jewell 1990).
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
