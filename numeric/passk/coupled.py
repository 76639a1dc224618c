r"""One model for every k: success rates are Beta(a, b) in each model, log a and log b polynomials
in log C (or log N, log D).

Curves fitted to each k on their own contradict each other somewhere: below some compute they say
that more samples solve fewer problems. Here every prediction is pass@k of a distribution of success
rates, so pass@k rises with k, is concave in it, and keeps to every other constraint across k
(isoflop.derivations.passk.fail_at_k_is_completely_monotone), however far it is extrapolated.

With the matrix X (G, q) of the polynomials' terms at the models, standardised, and coefficients
alpha, beta (q,),

    log a = X alpha,   log b = X beta,   l = sum over problems of log E[p^c (1 - p)^(n - c)],

with a share pi0 of problems at p = 0 where the model has an atom; theta is (alpha, beta[, logit
pi0]). All counts enter at once by their likelihood (`isoflop.numeric.passk.beta`): no problem needs
k samples, models without a success count as what they are, and sampling may have stopped by the
outcomes. Standard errors are those of the sandwich, clustered by model (Huber 1967): models scatter
about any law by more than the chance of sampling, and `overdispersion` says by how much.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import outside, positive_array
from ..fit.fitted import DEFAULT_LEVEL, Fitted
from ..fit.resample import Refits
from ..results import Estimate, checked_level, coverage_factor, percentiles
from ..words import counted
from .beta import (
    MOST_STEPS,
    LikelihoodExpansion,
    beta_neg_log_pass,
    beta_pass,
    log_beta_fail,
    log_likelihood_expansion,
    maximise,
    with_atom,
)
from .laws import one_benchmark

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ...theory.typeset.table import Table
    from ..data.counts import Counts
    from ..fit.resample import Draws

    Floats = NDArray[np.float64]
    #: Theta, value, certified, how many starts agree, of how many.
    Found = tuple[Floats, float, bool, int, int]

__all__ = ["Coupled", "LogPolynomial", "ProblemCounts", "expand", "fit_coupled"]

COVARIATES = {"compute": ("compute",), "params-tokens": ("params", "tokens")}
LETTERS = {"compute": "C", "params": "N", "tokens": "D"}
#: log a and log b beyond this have no likelihood in floats.
FARTHEST = 300.0
#: Shapes a that the search starts from, and shares of the unsolved problems that are the atom
#: there.
START_SHAPES, START_ATOMS = (0.1, 1.0), (0.05, 0.5)
#: Starts whose log likelihoods are this close have found the same maximum.
SAME = 1e-6
#: An atom that gains less than this many nats is none.
LEAST_GAIN = 1e-6
#: pi0 that runs to 0 does so ever more slowly; a maximum inside is found in fewer steps.
ATOM_STEPS = 40
#: The singular values of the standardised terms.
SINGULAR = 1e-8
#: Condition numbers of the Hessian (unit diagonal) beyond this are said.
WORST = 1e8
#: Models so much more scattered than binomial samples that standard errors without clustering would
#: mislead.
NOTABLE = 2.0
#: With -log fail@k beyond this, (-log pass@k)/fail@k of Beta(a, b) is 1 to rounding.
DEEP = 40.0
#: Step in theta of the differences that give the slopes of log(-log pass@k), to 1e-9 of themselves.
STEP = 1e-5


# -- the likelihood --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LogPolynomial:
    """A polynomial's terms: 1, x_1, ..., x_m and for degree 2 the products, x_j = (log covariate_j
    - centre_j)/scale_j.

    Attributes
    ----------
    covariates : tuple of str
    degree : {1, 2}
    centre, scale : ndarray
        (m,): mean and standard deviation of the logs at the models of the fit.
    """

    covariates: tuple[str, ...]
    degree: int
    centre: Floats
    scale: Floats

    @classmethod
    def of(cls, covariates: tuple[str, ...], degree: int, logs: Floats) -> LogPolynomial:
        """Standardised at the logs (G, m) of the models."""
        spread = logs.std(axis=0)
        return cls(covariates, degree, logs.mean(axis=0), np.where(spread > 0.0, spread, 1.0))

    @property
    def products(self) -> tuple[tuple[int, ...], ...]:
        """Indices of the covariates that each term multiplies."""
        each = range(len(self.covariates))
        return tuple(
            term
            for order in range(self.degree + 1)
            for term in combinations_with_replacement(each, order)
        )

    @property
    def names(self) -> tuple[str, ...]:
        """ "1", "log C", "(log C)^2", "log N log D", ...; the logs are from their centre."""
        logs = [f"log {LETTERS[name]}" for name in self.covariates]
        return tuple(
            f"({logs[term[0]]})^2"
            if len(term) == 2 and term[0] == term[1]
            else " ".join(logs[j] for j in term) or "1"
            for term in self.products
        )

    @property
    def units(self) -> Floats:
        """(q,): what a coefficient is to be divided by, to be one of products of logs."""
        return np.array([np.prod([self.scale[j] for j in term]) for term in self.products])

    def matrix(self, logs: Floats) -> Floats:
        """The terms (..., q) at logs (..., m)."""
        x = (logs - self.centre) / self.scale
        return np.stack([np.prod(x[..., list(term)], axis=-1) for term in self.products], axis=-1)


@dataclass(frozen=True, eq=False)
class ProblemCounts:
    """Counts of the problems by model, equal ones once; sorted by model.

    Attributes
    ----------
    group : ndarray of int
        (R,).
    n, c, times : ndarray of float
        (R,): samples, correct ones, how many problems.
    groups : int
    """

    group: Any
    n: Floats
    c: Floats
    times: Floats
    groups: int

    @classmethod
    def of(cls, group: Any, n: Any, c: Any, groups: int) -> ProblemCounts:
        """From a row a problem."""
        pairs, times = np.unique(np.stack([group, n, c]), axis=1, return_counts=True)
        number, samples, correct = pairs
        return cls(
            number, samples.astype(float), correct.astype(float), times.astype(float), groups
        )

    def sums(self, values: Floats) -> Floats:
        """Sums over the problems of each model: (..., G) from (..., R)."""
        flat = (values * self.times).reshape(-1, len(self.group))
        found = [np.bincount(self.group, weights=row, minlength=self.groups) for row in flat]
        return np.reshape(found, (*values.shape[:-1], self.groups))

    def at(self, matrix: Floats, theta: Floats) -> LikelihoodExpansion:
        """Log likelihood of each model (G,) and its derivatives in (log a, log b[, logit pi0])."""
        log_a, log_b, logit = _parts(matrix, theta)
        rows = log_likelihood_expansion(
            self.n, self.c, np.exp(log_a)[self.group], np.exp(log_b)[self.group]
        )
        if logit is not None:
            rows = with_atom(rows, self.c == 0.0, logit)
        return LikelihoodExpansion(*(self.sums(part) for part in rows))


def _parts(matrix: Floats, theta: Floats) -> tuple[Floats, Floats, float | None]:
    """log a and log b (...) at terms (..., q), and logit pi0 where there is an atom."""
    q = matrix.shape[-1]
    logit = float(theta[-1]) if len(theta) > 2 * q else None
    return matrix @ theta[:q], matrix @ theta[q : 2 * q], logit


def expand(
    rows: ProblemCounts, matrix: Floats, theta: Floats, weights: Floats | None = None
) -> LikelihoodExpansion:
    """Log likelihood and its exact first (p,) and second (p, p) derivatives in theta; models
    counted `weights` times (G,).
    """
    log_a, log_b, logit = _parts(matrix, theta)
    p = len(theta)
    if max(np.abs(log_a).max(), np.abs(log_b).max(), abs(logit or 0.0)) > FARTHEST:
        return LikelihoodExpansion(np.array(-np.inf), np.zeros(p), np.zeros((p, p)))
    models = rows.at(matrix, theta)
    if weights is not None:
        models = LikelihoodExpansion(*(part * weights for part in models))
    sides = _sides(models, matrix)
    hessian = np.block(
        [
            [(left * entry[:, None]).T @ right for entry, right in zip(row, sides, strict=True)]
            for row, left in zip(models.hessian, sides, strict=True)
        ]
    )
    return LikelihoodExpansion(models.value.sum(), _scores(models, matrix).sum(axis=0), hessian)


def _sides(models: LikelihoodExpansion, matrix: Floats) -> list[Floats]:
    """What log a, log b[, logit pi0] are multiplied by in theta."""
    return [matrix, matrix, np.ones((len(matrix), 1))][: len(models.gradient)]


def _scores(models: LikelihoodExpansion, matrix: Floats) -> Floats:
    """First derivatives in theta of each model's log likelihood, (G, p)."""
    sides = zip(models.gradient, _sides(models, matrix), strict=True)
    return np.concatenate([part[:, None] * side for part, side in sides], axis=1)


# -- the fit ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Coupled(Fitted):
    """The coupled model, fitted; made by `fit_coupled`.

    Where a method takes `at`, it is compute (FLOP), or a pair (params, tokens) for
    ``covariates="params-tokens"``; arrays broadcast with k.

    Attributes
    ----------
    terms : LogPolynomial
        Of log a and log b, with their centre.
    theta : ndarray
        (p,): coefficients of the standardised terms, and logit pi0 last where there is an atom.
    has_atom : bool
        Whether an atom was asked for.
    models : tuple of str
    rows : ProblemCounts
    matrix : ndarray
        (G, q) standardised terms of the models.
    clusters : ndarray of int
        (G,): models with the same number are no independent draws.
    converged : bool
        A further Newton step gains less than 1e-12 nats, and the Hessian is negative definite.
    agreeing, starts : int
        How many of the starts found the same maximum.
    notes : tuple of str
        What a reader should know.
    draws : Draws or None
        Refits to resampled clusters of models.
    """

    terms: LogPolynomial
    theta: Floats
    has_atom: bool
    models: tuple[str, ...]
    rows: ProblemCounts
    matrix: Floats
    clusters: Any
    converged: bool = False
    agreeing: int = 0
    starts: int = 0
    notes: tuple[str, ...] = ()
    draws: Draws | None = None

    @property
    def covariates(self) -> str:
        """What a and b follow: "compute" or "params-tokens"."""
        return "-".join(self.terms.covariates)

    @property
    def coefficients(self) -> dict[str, float]:
        """By name, per unit of the logs, which are from their mean at the models: "log a: 1",
        "log a: log C", ..., and "atom" where one was asked for.
        """
        q = 2 * len(self.terms.products)
        names = [f"log {shape}: {term}" for shape in "ab" for term in self.terms.names]
        found = dict(zip(names, (self.theta[:q] / self._units[:q]).tolist(), strict=True))
        return found | ({"atom": self.atom} if self.has_atom else {})

    @property
    def atom(self) -> float:
        """pi0, the share of problems that are never solved; 0 without an atom."""
        return 1.0 / (1.0 + math.exp(-self.theta[-1])) if self._atom_is_free else 0.0

    @property
    def floor(self) -> float:
        """E0(infinity) = -log(1 - pi0) in nats: what -log pass@k tends to for k -> infinity."""
        return -math.log1p(-self.atom)

    @property
    def size(self) -> int:
        """Number of models."""
        return len(self.models)

    @property
    def log_likelihood(self) -> float:
        """Of all samples in their order, in nats."""
        return float(self._expanded.value)

    @property
    def objective_value(self) -> float:
        """Minus the log likelihood."""
        return -self.log_likelihood

    @cached_property
    def _expanded(self) -> LikelihoodExpansion:
        return expand(self.rows, self.matrix, self.theta)

    @property
    def _atom_is_free(self) -> bool:
        return len(self.theta) > 2 * len(self.terms.products)

    @property
    def _units(self) -> Floats:
        units = self.terms.units
        return np.concatenate([units, units, np.ones(int(self._atom_is_free))])

    def law_of(self, coefficients: Mapping[str, float]) -> Coupled:
        """The same curves with other coefficients."""
        *polynomial, atom = [*coefficients.values(), *([] if self.has_atom else [0.0])]
        theta = np.array(polynomial) * np.tile(self.terms.units, 2)
        return self.with_theta(np.append(theta, math.log(atom / (1 - atom))) if atom else theta)

    def with_theta(self, theta: Floats) -> Coupled:
        """The same curves with other coefficients (of the standardised terms); what is said of the
        fit no longer holds.
        """
        notes = ("coefficients put in, not fitted",)
        return replace(self, theta=theta, converged=False, notes=notes, draws=None)

    # -- uncertainty -------------------------------------------------------------------------------

    @cached_property
    def standardised_covariance(self) -> Floats:
        """Covariance of theta: H^-1 S H^-1 M/(M - p) with the scores of each of M clusters summed.

        The factor is that of n/(n - p) for least squares. Without it, and with a normal quantile,
        intervals of level 0.9 held the truth in 0.83 to 0.88 of 400 simulations of 20 models; with
        it and Student's t in 0.86 to 0.93 of 400 others.
        """
        if not self.converged:
            raise ValueError("standard errors: the maximum is not certified, so it has none")
        count = int(self.clusters.max()) + 1
        if self.spare < 1:
            what = "models" if count == len(self.models) else "clusters of models"
            raise ValueError(
                f"standard errors: {count} {what}; must be more than the {len(self.theta)} "
                f"coefficients"
            )
        summed = np.zeros((count, len(self.theta)))
        scores = _scores(self.rows.at(self.matrix, self.theta), self.matrix)
        np.add.at(summed, self.clusters, scores)
        bread = np.linalg.inv(-self._expanded.hessian)
        found: Floats = bread @ (summed.T @ summed) @ bread * count / self.spare
        return found

    @property
    def spare(self) -> int:
        """Degrees of freedom of the standard errors: clusters of models less coefficients; below 1
        there are none.
        """
        return int(self.clusters.max()) + 1 - len(self.theta)

    @property
    def has_errors(self) -> bool:
        """Whether there are standard errors: the maximum is certified, and there are more models
        than coefficients.
        """
        return self.converged and self.spare > 0

    @property
    def standard_errors(self) -> dict[str, float]:
        """By coefficient; of the atom by the delta method, 0 where it is none.

        Raises
        ------
        ValueError
            Where there are none.
        """
        errors = np.sqrt(np.diag(self.standardised_covariance)) / self._units
        if self.has_atom:
            polynomial = 2 * len(self.terms.products)
            of_logit = errors[-1] if self._atom_is_free else 0.0
            errors = np.append(errors[:polynomial], self.atom * (1.0 - self.atom) * of_logit)
        return dict(zip(self.coefficients, errors.tolist(), strict=True))

    def standard_estimates(self, level: float) -> dict[str, Estimate]:
        """The coefficients with intervals by the sandwich and t; of the atom in its logit."""
        if not self.has_errors:
            return super().standard_estimates(level)
        errors, found = self.standard_errors, {}
        for name, value in self.coefficients.items():
            within = (0.0, 1.0) if name == "atom" else (-math.inf, math.inf)
            found[name] = Estimate.of_standard_error(
                value, errors[name], level, self.spare, within=within
            )
        return found

    @property
    def overdispersion(self) -> float:
        """trace(H^-1 S)/p: variances of the coefficients over those that the likelihood gives; 1
        where the model holds.
        """
        trace = np.trace(self.standardised_covariance @ -self._expanded.hessian)
        return float(trace) / len(self.theta)

    @property
    def aic(self) -> float:
        """2 p - 2 log likelihood: takes the model for true, which `overdispersion` judges."""
        return 2.0 * len(self.theta) - 2.0 * self.log_likelihood

    @property
    def tic(self) -> float:
        """2 trace(H^-1 S) - 2 log likelihood (Takeuchi 1976): AIC where models scatter beyond
        binomial samples.
        """
        return 2.0 * self.overdispersion * len(self.theta) - 2.0 * self.log_likelihood

    @cached_property
    def condition(self) -> float:
        """Condition number of the Hessian with unit diagonal."""
        hessian = self._expanded.hessian
        scale = np.sqrt(np.abs(np.diag(hessian)))
        return float(np.linalg.cond(hessian / np.outer(scale, scale)))

    def resampled(self, n: int = 200, **options: Any) -> Coupled:
        """The same fit with refits to resampled models, or clusters of them; the options are those
        of `isoflop.numeric.fit.resample.resample`.

        The problems of a model stay as they are: intervals are for these problems, with other
        models.
        """
        if not self.converged:
            raise ValueError(
                "resampled: the maximum is not certified; its resamples would tell about the search"
            )
        by = [f"{cluster:09d}" for cluster in self.clusters]
        return super().resampled(n, **{"by": by, "batch": 1} | options)

    def refit(self, *, weights: Floats) -> Refits:
        """The model fitted again where the models count so often, (K, G), from where this fit
        ended.
        """
        coefficients, converged = [], []
        for row in weights:
            begin = [self.theta[: 2 * self.matrix.shape[1]]]
            theta, _, certified, *_ = _fitted(self.rows, self.matrix, begin, self.has_atom, row)
            coefficients.append(list(self.with_theta(theta).coefficients.values()))
            converged.append(certified)
        return Refits(np.array(coefficients), np.array(converged))

    # -- predictions -------------------------------------------------------------------------------

    def shapes(self, at: Any) -> tuple[Floats, Floats]:
        """a and b at compute, or at (params, tokens)."""
        log_a, log_b, _ = _parts(self._matrix_at(at), self.theta)
        return np.exp(log_a), np.exp(log_b)

    def pass_at_k(self, at: Any, k: ArrayLike) -> Floats:
        """pass@k."""
        return beta_pass(*self.shapes(at), _draws(k), self.atom)

    def neg_log(self, at: Any, k: ArrayLike) -> Floats:
        """-log pass@k in nats."""
        return beta_neg_log_pass(*self.shapes(at), _draws(k), self.atom)

    def predict(self, rows: Mapping[str, Any]) -> Floats:
        """-log pass@k at rows of compute, or params and tokens, and k."""
        at = tuple(np.asarray(rows[name], dtype=float) for name in self.terms.covariates)
        return self.neg_log(at if len(at) > 1 else at[0], rows["k"])

    def standard_error(self, at: Any, k: ArrayLike) -> Floats:
        """Of log(-log pass@k): the sandwich by the delta method."""
        slopes = []
        for step in STEP * np.eye(len(self.theta)):
            up, down = (self.with_theta(self.theta + sign * step) for sign in (1.0, -1.0))
            slopes.append((up._log_neg_log(at, k) - down._log_neg_log(at, k)) / (2.0 * STEP))
        gradient = np.stack(slopes)
        variance = np.einsum("i...,ij,j...", gradient, self.standardised_covariance, gradient)
        return np.sqrt(np.maximum(variance, 0.0))

    def interval(
        self, at: Any, k: ArrayLike, level: float = DEFAULT_LEVEL
    ) -> tuple[Floats, Floats]:
        """Of -log pass@k of the curve, about which models scatter: percentiles of the resamples
        where there are resamples, else Student's t times `standard_error`.
        """
        if self.draws is not None:
            rows = self.draws.coefficients.tolist()
            laws = [self.law_of(dict(zip(self.names, row, strict=True))) for row in rows]
            return percentiles(np.stack([law.neg_log(at, k) for law in laws]), checked_level(level))
        reach = coverage_factor(checked_level(level), self.spare) * self.standard_error(at, k)
        log_y = self._log_neg_log(at, k)
        with np.errstate(over="ignore"):  # where nothing is known an end is infinite
            return np.exp(log_y - reach), np.exp(log_y + reach)

    def _log_neg_log(self, at: Any, k: ArrayLike) -> Floats:
        log_fail = log_beta_fail(*self.shapes(at), _draws(k))
        with np.errstate(divide="ignore"):
            log_y = np.log(self.neg_log(at, k))
        return np.where((log_fail < -DEEP) & (self.atom == 0.0), log_fail, log_y)

    def _matrix_at(self, at: Any) -> Floats:
        """The standardised terms (..., q) there."""
        names = self.terms.covariates
        given = (at,) if len(names) == 1 else at
        if not isinstance(given, (tuple, list)) or len(given) != len(names):
            raise outside("at", at, "a pair (params, tokens)")
        logs = [np.log(positive_array(name, x)) for name, x in zip(names, given, strict=True)]
        return self.terms.matrix(np.stack(np.broadcast_arrays(*logs), -1))

    # -- for a reader ------------------------------------------------------------------------------

    @property
    def _centre(self) -> dict[str, float]:
        return dict(zip(self.terms.covariates, np.exp(self.terms.centre).tolist(), strict=True))

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        errors = self.standard_errors if self.has_errors else {}
        return {
            "covariates": self.covariates,
            "degree": self.terms.degree,
            "centre": self._centre,
            "coefficients": {
                name: {"value": value, "standard_error": errors.get(name)}
                for name, value in self.coefficients.items()
                if name != "atom"
            },
            "atom": self.atom if self.has_atom else None,
            "floor": self.floor,
            "log_likelihood": self.log_likelihood,
            "aic": self.aic,
            "tic": self.tic if self.has_errors else None,
            "overdispersion": self.overdispersion if self.has_errors else None,
            "models": self.size,
            "problems": int(self.rows.times.sum()),
            "converged": self.converged,
            "starts": self.starts,
            "agreeing": self.agreeing,
            "condition": self.condition,
            "notes": list(self.notes),
        }

    def tables(self) -> Sequence[Table]:
        """The table of the coefficients, with what is said of the fit below it."""
        centre = ", ".join(f"{LETTERS[name]} = {value:.4g}" for name, value in self._centre.items())
        title = (
            f"success rates ~ Beta(a, b); log a, log b of degree {self.terms.degree} in the logs "
            f"from {centre}"
        )
        agreement = f"certified, {self.agreeing} of {self.starts} starts agree"
        said = [
            f"{self.size} models, {int(self.rows.times.sum())} problems; log likelihood "
            f"{self.log_likelihood:.6f} ({agreement if self.converged else 'NOT certified'})"
        ]
        if self.has_atom:
            said.append(f"atom: share of problems never solved, a floor of {self.floor:.4g} nats")
        if self.has_errors:
            said.append(
                f"AIC {self.aic:.2f}, TIC {self.tic:.2f}; overdispersion {self.overdispersion:.3g}"
            )
        return (self.coefficient_table().changed(title=title, notes=[*said, *self.notes]),)

    def __repr__(self) -> str:
        return (
            f"<Coupled model of {self.covariates}, degree {self.terms.degree}, {self.size} models>"
        )


def fit_coupled(
    counts: Counts,
    *,
    covariates: str = "compute",
    degree: int = 1,
    atom: bool = False,
    cluster: Sequence[Any] | None = None,
) -> Coupled:
    """The coupled model of greatest likelihood, by Newton with the exact Hessian from starts of its
    own.

    Parameters
    ----------
    counts : Counts
        Of one benchmark, with compute or params and tokens of every model.
    covariates : {"compute", "params-tokens"}
    degree : {1, 2}
        Of the polynomials log a and log b: affine, or with squares and products.
    atom : bool
        Allow a share of problems that are never solved, the same at every model.
    cluster : sequence, optional
        A label a model: models with the same label (checkpoints of one run, say) are no independent
        draws.

    Returns
    -------
    Coupled

    Raises
    ------
    ValueError
        Where the counts cannot determine the model: too few models or all alike, one problem, no
        success, no failure.
    """
    if covariates not in COVARIATES:
        raise outside("covariates", covariates, f"one of {', '.join(COVARIATES)}")
    if isinstance(degree, bool) or degree not in (1, 2):
        raise outside("degree", degree, "1 or 2")
    one_benchmark(counts)
    logs = _logs_of(counts, COVARIATES[covariates])
    terms = LogPolynomial.of(COVARIATES[covariates], degree, logs)
    matrix = terms.matrix(logs)
    _require_design(terms, matrix)
    _require_outcomes(counts)
    size = len(counts.names)
    rows = ProblemCounts.of(counts.group, counts.n, counts.c, size)
    begin = [_start(rows, matrix, a) for a in START_SHAPES]
    theta, _, converged, agreeing, starts = _fitted(rows, matrix, begin, atom)
    fit = Coupled(
        terms=terms,
        theta=theta,
        has_atom=atom,
        models=tuple(counts.names),
        rows=rows,
        matrix=matrix,
        clusters=_clusters(cluster, size),
        converged=converged,
        agreeing=agreeing,
        starts=starts,
    )
    return replace(fit, notes=tuple(_remarks(fit)))


def _fitted(
    rows: ProblemCounts,
    matrix: Floats,
    begin: Sequence[Floats],
    atom: bool,
    weights: Floats | None = None,
) -> Found:
    """The best maximum of several starts: theta, value, certified, how many starts agree, of how
    many. With pi0 > 0 where an atom is allowed and that is better.
    """
    plain = _search(rows, matrix, begin, weights)
    times = rows.times if weights is None else rows.times * weights[rows.group]
    share = float(times @ (rows.c == 0.0) / times.sum())
    if not atom or share == 0.0:
        return plain
    shares = [x * share for x in START_ATOMS]
    begin = [np.append(plain[0], math.log(x / (1.0 - x))) for x in shares]
    found = _search(rows, matrix, begin, weights, ATOM_STEPS)
    return found if found[2] and found[1] > plain[1] + LEAST_GAIN else plain


def _search(
    rows: ProblemCounts,
    matrix: Floats,
    begin: Sequence[Floats],
    weights: Floats | None,
    most_steps: int = MOST_STEPS,
) -> Found:
    ends = [
        maximise(lambda theta: expand(rows, matrix, theta, weights), start, most_steps)
        for start in begin
    ]
    theta, value, certified = max(ends, key=lambda end: (end[2], end[1]))
    close = SAME * max(1.0, 1e-6 * abs(value))
    agreeing = sum(end[2] and abs(end[1] - value) <= close for end in ends)
    return theta, value, certified, agreeing, len(ends)


def _start(rows: ProblemCounts, matrix: Floats, a: float) -> Floats:
    """The same Beta(a, b) for all models, with the mean success rate of all samples."""
    q = matrix.shape[1]
    mean = (rows.times @ rows.c + 0.5) / (rows.times @ rows.n + 1.0)
    theta = np.zeros(2 * q)
    theta[0], theta[q] = math.log(a), math.log(a) + math.log1p(-mean) - math.log(mean)
    return theta


def _remarks(fit: Coupled) -> list[str]:
    found = []
    if fit.has_atom and fit.atom == 0.0:
        found.append(
            "atom: the likelihood is greatest at pi0 = 0; the rest is the fit without an atom"
        )
    if not fit.converged:
        found.append(
            "not certified: the likelihood is flat, or has no maximum inside (no spread beyond "
            "binomial, hardly a success)"
        )
        return found
    if fit.condition > WORST:
        found.append(
            f"condition number {fit.condition:.2g}: the counts hardly tell the coefficients apart"
        )
    if not fit.has_errors:
        found.append(
            f"{fit.size} models, {len(fit.theta)} coefficients: too few models for standard errors"
        )
    elif fit.overdispersion > NOTABLE:
        found.append(
            f"models scatter beyond binomial samples: variances are {fit.overdispersion:.3g} times "
            f"those of the likelihood; AIC is then too sure, standard errors and TIC allow for it"
        )
    if fit.covariates == "compute" and fit.terms.degree == 1:
        along_a, along_b = fit.coefficients["log a: log C"], fit.coefficients["log b: log C"]
        if along_a < along_b:
            found.append("pass@1 falls with compute")
        elif along_a < 0.0:
            found.append("a falls with compute: for k large enough pass@k falls with compute too")
    return found


# -- what the counts must have ---------------------------------------------------------------------


def _logs_of(counts: Counts, names: tuple[str, ...]) -> Floats:
    """(G, m) logs of the covariates."""
    wanted = f"counts with {' and '.join(names)} of every model (see models= of Counts.read)"
    for name in names:
        if name not in counts.covariates:
            raise outside("counts", f"no {name} of any model", wanted)
        if (unknown := ~np.isfinite(counts.covariates[name])).any():
            raise outside("counts", f"no {name} of {counts.names[int(unknown.argmax())]}", wanted)
    return np.log(np.stack([counts.covariates[name] for name in names], axis=1))


def _require_design(terms: LogPolynomial, matrix: Floats) -> None:
    models, q = matrix.shape
    if np.linalg.matrix_rank(matrix, rtol=SINGULAR) < q:
        letters, different = " and ".join(terms.covariates), len(np.unique(matrix, axis=0))
        raise outside(
            "counts",
            f"{counted(models, 'model')}, {different} different {letters}",
            f"at least {q} models that differ in {letters}, and independently, for degree "
            f"{terms.degree}",
        )


def _require_outcomes(counts: Counts) -> None:
    spread = "one cannot tell the spread of success rates"
    needed = (
        (np.bincount(counts.group).max() > 1, "1 problem a model", f"at least two: {spread}"),
        (counts.n.max() > 1, "1 sample a problem", f"two samples of some problem: {spread}"),
        (counts.c.any(), "no correct sample", "at least one: pass@k may be anything small"),
        ((counts.c < counts.n).any(), "no wrong sample", "at least one: pass@k is 1 everywhere"),
    )
    for is_there, what, wanted in needed:
        if not is_there:
            raise outside("counts", what, wanted)


def _clusters(labels: Sequence[Any] | None, models: int) -> Any:
    if labels is None:
        return np.arange(models)
    if len(labels) != models:
        raise outside("cluster", f"{len(labels)} labels", f"one for each of {models} models")
    return np.unique(np.array([str(label) for label in labels]), return_inverse=True)[1]


def _draws(k: ArrayLike) -> Floats:
    array = positive_array("k", k)
    if (array < 1.0).any():
        raise outside("k", float(array[array < 1.0].flat[0]), "finite numbers of at least 1")
    return array
