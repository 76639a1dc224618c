r"""One model for every k: success rates are Beta(a, b) in each model, log a and log b polynomials
in log C (or log N, log D).

Curves fitted to each k on their own contradict each other somewhere: below some compute they say
that more samples solve fewer problems. Here every prediction is pass@k of a distribution of success
rates, so pass@k rises with k, is concave in it, and keeps to every other constraint across k
(`isoflop.theory.passk`), however far it is extrapolated.

All counts enter at once by their likelihood (`isoflop.numeric.passk.beta`): no problem needs k
samples, models without a success count as what they are, and sampling may have stopped by the
outcomes. Standard errors are those of the sandwich, clustered by model (Huber 1967): models scatter
about any law by more than the chance of sampling, and `overdispersion` says by how much.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import outside, positive_array
from ...fit.resample import Refits, resample
from ...results import Band, checked_level
from ..beta import MOST_STEPS, beta_neg_log_pass, beta_pass, log_likelihood, maximise
from ..gamma_differences import first, second
from .likelihood import Rows, Terms, expand, scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from ...data.counts import Counts
    from ...fit.resample import Draws

    Floats = NDArray[np.float64]
    Found = tuple[Floats, float, Floats, bool, int, int]

__all__ = ["Coupled", "fit_coupled"]

QUANTITIES = ("neg_log", "pass_at_k")
COVARIATES = {"compute": ("compute",), "params-tokens": ("params", "tokens")}
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


@dataclass(frozen=True, eq=False, repr=False)
class Coupled:
    """The coupled model, fitted; made by `fit_coupled`.

    Where a method takes `at`, it is compute (FLOP), or a pair (params, tokens) for
    ``covariates="params-tokens"``; arrays broadcast with k.

    Attributes
    ----------
    covariates : {"compute", "params-tokens"}
    terms : Terms
        Of the polynomials, with their centre.
    theta : ndarray
        (p,): coefficients of the standardised terms, and logit pi0 last where there is an atom.
    has_atom : bool
        Whether an atom was asked for.
    models : tuple of str
    rows : Rows
    matrix : ndarray
        (G, q) standardised terms of the models.
    log_likelihood : float
        Of all samples in their order, in nats.
    hessian : ndarray
        (p, p) of the log likelihood.
    scores : ndarray
        (G, p) its first derivatives by model.
    clusters : ndarray of int
        (G,): models with the same number are no independent draws.
    converged : bool
        A further Newton step gains less than 1e-12 nats, and the Hessian is negative definite.
    agreeing, starts : int
        How many of the starts found the same maximum.
    notes : tuple of str
        What a reader should know.
    """

    covariates: str
    terms: Terms
    theta: Floats
    has_atom: bool
    models: tuple[str, ...]
    rows: Rows
    matrix: Floats
    log_likelihood: float
    hessian: Floats
    scores: Floats
    clusters: Any
    converged: bool
    agreeing: int
    starts: int
    notes: tuple[str, ...]

    # -- coefficients --------------------------------------------------------------------------------------------------

    @property
    def coefficient_names(self) -> tuple[str, ...]:
        """Of (p,) coefficients: "log a: 1", "log a: log C", ..., "logit atom"; the logs are from
        their mean at the models.
        """
        polynomial = [f"log {shape}: {term}" for shape in "ab" for term in self.terms.names]
        return (*polynomial, *(["logit atom"] if self._atom_is_free else []))

    @property
    def coefficients(self) -> dict[str, float]:
        """By name, per unit of the logs; with the atom where one was asked for."""
        values = dict(zip(self.coefficient_names, (self.theta / self._units).tolist(), strict=True))
        return values | ({"atom": self.atom} if self.has_atom else {})

    @property
    def atom(self) -> float:
        """pi0, the share of problems that are never solved; 0 without an atom."""
        return 1.0 / (1.0 + math.exp(-self.theta[-1])) if self._atom_is_free else 0.0

    @property
    def floor(self) -> float:
        """E0(infinity) = -log(1 - pi0) in nats: what -log pass@k tends to for k -> infinity."""
        return -math.log1p(-self.atom)

    @property
    def _atom_is_free(self) -> bool:
        return len(self.theta) > 2 * len(self.terms.products)

    @property
    def _units(self) -> Floats:
        return np.concatenate(
            [self.terms.units, self.terms.units, np.ones(int(self._atom_is_free))]
        )

    # -- uncertainty ---------------------------------------------------------------------------------------------------

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
        summed = np.stack(
            [
                np.bincount(self.clusters, weights=column, minlength=count)
                for column in self.scores.T
            ]
        )
        bread = np.linalg.inv(-self.hessian)
        meat = summed @ summed.T * count / self.spare
        found: Floats = bread @ meat @ bread
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
    def covariance(self) -> Floats:
        """(p, p) of the coefficients: sandwich, clustered."""
        return self.standardised_covariance / np.outer(self._units, self._units)

    @property
    def standard_errors(self) -> dict[str, float]:
        """By coefficient."""
        return dict(
            zip(self.coefficient_names, np.sqrt(np.diag(self.covariance)).tolist(), strict=True)
        )

    @property
    def overdispersion(self) -> float:
        """trace(H^-1 S)/p: variances of the coefficients over those that the likelihood gives; 1
        where the model holds.
        """
        return float(np.trace(self.standardised_covariance @ -self.hessian)) / len(self.theta)

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
        scale = np.sqrt(np.abs(np.diag(self.hessian)))
        return float(np.linalg.cond(self.hessian / np.outer(scale, scale)))

    # -- predictions ---------------------------------------------------------------------------------------------------

    def matrix_at(self, at: Any) -> Floats:
        """The standardised terms (..., q) there."""
        return self.terms.matrix(self._logs(at))

    def shapes(self, at: Any) -> tuple[Floats, Floats]:
        """a and b at compute, or at (params, tokens)."""
        a, b = np.exp(self._log_shapes(self.matrix_at(at)))
        return a, b

    def pass_at_k(self, at: Any, k: ArrayLike) -> Floats:
        """pass@k."""
        return beta_pass(*self.shapes(at), _draws(k), self.atom)

    def neg_log(self, at: Any, k: ArrayLike) -> Floats:
        """-log pass@k in nats."""
        return beta_neg_log_pass(*self.shapes(at), _draws(k), self.atom)

    def standard_error(self, at: Any, k: ArrayLike) -> Floats:
        """Of log(-log pass@k): the sandwich by the delta method."""
        draws = _draws(k)
        matrix = self.matrix_at(at)
        a, b = np.exp(self._log_shapes(matrix))
        share, (of_a, of_b) = self._share_of_fall(a, b, draws), _fall(a, b, draws)
        parts = [(-share * of_a)[..., None] * matrix, (-share * of_b)[..., None] * matrix]
        if self._atom_is_free:
            # d(-log(1 - pi0))/dlogit = pi0
            parts.append((self.atom / beta_neg_log_pass(a, b, draws, self.atom))[..., None])
        shape = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
        gradient = np.concatenate(
            [np.broadcast_to(part, (*shape, part.shape[-1])) for part in parts], axis=-1
        )
        return np.sqrt(
            np.einsum("...i,ij,...j->...", gradient, self.standardised_covariance, gradient)
        )

    def interval(self, at: Any, k: ArrayLike, level: float = 0.9) -> tuple[Floats, Floats]:
        """Of -log pass@k of the curve: Student's t times `standard_error`; models scatter about the
        curve by more.
        """
        from scipy.special import stdtrit

        reach = stdtrit(self.spare, 0.5 + checked_level(level) / 2.0) * self.standard_error(at, k)
        value = self.neg_log(at, k)
        return value * np.exp(-reach), value * np.exp(reach)

    def with_theta(self, theta: Floats) -> Coupled:
        """The same curves with other coefficients (of the standardised terms); what is said of the
        fit no longer holds.
        """
        return replace(
            self, theta=theta, converged=False, notes=("coefficients put in, not fitted",)
        )

    def bootstrap(
        self, repeats: int = 200, *, seed: int = 0, jobs: int = 1, progress: bool = False
    ) -> Draws:
        """Refits to resampled models, or clusters of them (`isoflop.numeric.fit.resample`).

        The problems of a model stay as they are: intervals are for these problems, with other
        models.
        """
        if not self.converged:
            raise ValueError(
                "bootstrap: the maximum is not certified; its resamples would tell about the search"
            )
        by = [f"{cluster:09d}" for cluster in self.clusters]
        fit: Any = self  # without residuals to be redrawn
        return resample(fit, repeats, by=by, seed=seed, jobs=jobs, progress=progress, batch=1)

    @property
    def names(self) -> tuple[str, ...]:
        """Of what is drawn: the coefficients of the polynomials, and the atom where one was asked
        for.
        """
        polynomial = self.coefficient_names[: 2 * len(self.terms.products)]
        return (*polynomial, *(["atom"] if self.has_atom else []))

    @property
    def size(self) -> int:
        """Number of models."""
        return len(self.models)

    def refit(self, *, weights: Floats | None = None, observed: None = None) -> Refits:
        """The model fitted again where the models count so often, (K, G), from where this fit
        ended.
        """
        q = 2 * self.matrix.shape[1]
        coefficients, converged = [], []
        for row in np.ones((1, self.size)) if weights is None else weights:
            theta, value, _, certified = maximise(
                lambda x, row=row: expand(self.rows, self.matrix, x, row), self.theta[:q]
            )
            other = (
                with_an_atom(self.rows, self.matrix, theta, value, row) if self.has_atom else None
            )
            again = self.with_theta(theta if other is None else other[0])
            coefficients.append([again.coefficients[name] for name in self.names])
            converged.append(certified or other is not None)
        return Refits(np.array(coefficients), np.array(converged))

    def band(self, draws: Draws, quantity: str, at: Any, k: ArrayLike, level: float = 0.9) -> Band:
        """A prediction, neg_log or pass_at_k, with percentiles over the draws."""
        if quantity not in QUANTITIES:
            raise ValueError(f"quantity={quantity!r}: must be one of {', '.join(QUANTITIES)}")
        values = [
            getattr(self.with_coefficients(row), quantity)(at, k) for row in draws.coefficients
        ]
        return Band.of_draws(getattr(self, quantity)(at, k), np.stack(values), level)

    def with_coefficients(self, row: Floats) -> Coupled:
        """The same curves with other coefficients, as `names` has them."""
        q = 2 * self.matrix.shape[1]
        theta = row[:q] * np.concatenate([self.terms.units, self.terms.units])
        return self.with_theta(
            np.append(theta, np.log(row[q]) - np.log1p(-row[q]))
            if len(row) > q and row[q] > 0.0
            else theta
        )

    def _logs(self, at: Any) -> Floats:
        given = (at,) if self.covariates == "compute" else at
        if not isinstance(given, (tuple, list)) or len(given) != len(self.terms.covariates):
            raise outside("at", at, "a pair (params, tokens)")
        logs = [
            np.log(positive_array(name, x))
            for name, x in zip(self.terms.covariates, given, strict=True)
        ]
        return np.stack(np.broadcast_arrays(*logs), -1)

    def _log_shapes(self, matrix: Floats) -> tuple[Floats, Floats]:
        q = len(self.terms.products)
        return matrix @ self.theta[:q], matrix @ self.theta[q : 2 * q]

    def _share_of_fall(self, a: Floats, b: Floats, k: Floats) -> Floats:
        """-dlog(-log pass@k)/d(-log fail@k of Beta(a, b)) = 1/(expm1(s) y) at s = -log fail@k, y =
        -log pass@k.
        """
        s = second(b, a, k, derivatives=False).log_gamma
        y = beta_neg_log_pass(a, b, k, self.atom)
        # Without a floor y expm1(s) is 1 + O(e^-s).
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            shallow = 1.0 / (np.expm1(np.minimum(s, DEEP)) * y)
            deep = 1.0 / (1.0 + self.floor * np.exp(s)) if self.floor else np.ones_like(s)
        return np.where(s > DEEP, deep, shallow)

    # -- for a reader --------------------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        errors = self.standard_errors if self.has_errors else {}
        return {
            "covariates": self.covariates,
            "degree": self.terms.degree,
            "centre": {
                name: math.exp(value)
                for name, value in zip(self.terms.covariates, self.terms.centre, strict=True)
            },
            "coefficients": {
                name: {"value": self.coefficients[name], "standard_error": errors.get(name)}
                for name in self.coefficient_names
            },
            "atom": self.atom if self.has_atom else None,
            "floor": self.floor,
            "log_likelihood": self.log_likelihood,
            "aic": self.aic,
            "tic": self.tic if self.has_errors else None,
            "overdispersion": self.overdispersion if self.has_errors else None,
            "models": len(self.models),
            "problems": int(self.rows.times.sum()),
            "converged": self.converged,
            "starts": self.starts,
            "agreeing": self.agreeing,
            "condition": self.condition,
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return f"<Coupled model of {self.covariates}, degree {self.terms.degree}, {len(self.models)} models>"

    def __str__(self) -> str:
        letters = {"compute": "C", "params": "N", "tokens": "D"}
        centre = ", ".join(
            f"{letters[name]} = {math.exp(value):.4g}"
            for name, value in zip(self.terms.covariates, self.terms.centre, strict=True)
        )
        errors = self.standard_errors if self.has_errors else {}
        width = max(map(len, self.coefficient_names))
        table = [
            f"  {name:<{width}}  {self.coefficients[name]:12.6g}"
            + (f"  +- {errors[name]:.2g}" if name in errors else "")
            for name in self.coefficient_names
        ]
        sure = (
            f"certified, {self.agreeing} of {self.starts} starts agree"
            if self.converged
            else "NOT certified"
        )
        lines = [
            f"success rates ~ Beta(a, b); log a, log b of degree {self.terms.degree} in the logs "
            f"from {centre}",
            *table,
        ]
        if self.has_atom:
            lines.append(
                f"  atom: {self.atom:.4g} of the problems never solved, floor {self.floor:.4g} nats"
            )
        problems = int(self.rows.times.sum())
        lines.append(
            f"{len(self.models)} models, {problems} problems; log likelihood "
            f"{self.log_likelihood:.6f} ({sure})"
        )
        if self.has_errors:
            lines.append(
                f"AIC {self.aic:.2f}, TIC {self.tic:.2f}; overdispersion {self.overdispersion:.3g}"
            )
        return "\n".join([*lines, *self.notes])


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
        raise ValueError(f"covariates={covariates!r}: must be one of {', '.join(COVARIATES)}")
    if isinstance(degree, bool) or degree not in (1, 2):
        raise outside("degree", degree, "1 or 2")
    logs = _logs_of(counts, COVARIATES[covariates])
    terms = Terms.of(COVARIATES[covariates], degree, logs)
    matrix = terms.matrix(logs)
    _require_design(terms, matrix)
    _require_outcomes(counts)
    rows = Rows.of(counts.group, counts.n, counts.c, len(counts.names))
    found, value, hessian, converged, agreeing, starts = _search(
        rows, matrix, [_start(rows, matrix, a) for a in START_SHAPES]
    )
    notes: list[str] = []
    if atom:
        other = with_an_atom(rows, matrix, found, value)
        if other is not None:
            found, value, hessian, converged, agreeing, starts = other
        else:
            notes.append(
                "atom: the likelihood is greatest at pi0 = 0; the rest is the fit without an atom"
            )
    q = matrix.shape[1]
    logit = float(found[-1]) if len(found) > 2 * q else None
    models = rows.at(matrix @ found[:q], matrix @ found[q : 2 * q], logit)
    fit = Coupled(
        covariates=covariates,
        terms=terms,
        theta=found,
        has_atom=atom,
        models=tuple(counts.names),
        rows=rows,
        matrix=matrix,
        log_likelihood=value,
        hessian=hessian,
        scores=scores(models, matrix),
        clusters=_clusters(cluster, len(counts.names)),
        converged=converged,
        agreeing=agreeing,
        starts=starts,
        notes=tuple(notes),
    )
    object.__setattr__(fit, "notes", (*notes, *_remarks(fit)))
    return fit


def with_an_atom(
    rows: Rows, matrix: Floats, theta: Floats, value: float, weights: Floats | None = None
) -> Found | None:
    """The maximum with pi0 > 0, from the one without an atom; None where that is no worse: pi0 runs
    to 0.

    With weights (a refit, one of many) not sought where the likelihood falls from pi0 = 0 on; it is
    concave in pi0 alone.
    """
    times = rows.times if weights is None else rows.times * weights[rows.group]
    unsolved = rows.c == 0.0
    share = float(times @ unsolved / times.sum())
    if share == 0.0 or (
        weights is not None and _gain_from_an_atom(rows, matrix, theta, times) <= 0.0
    ):
        return None
    begin = [np.append(theta, math.log(x * share / (1.0 - x * share))) for x in START_ATOMS]
    found = _search(rows, matrix, begin, weights, ATOM_STEPS)
    return found if found[3] and found[1] > value + LEAST_GAIN else None


def _gain_from_an_atom(rows: Rows, matrix: Floats, theta: Floats, times: Floats) -> float:
    """d(log likelihood)/dpi0 at pi0 = 0: the sum of 1/f - 1 over unsolved problems, f their
    likelihood, less the solved ones.
    """
    q = matrix.shape[1]
    a, b = (np.exp(matrix @ part)[rows.group] for part in (theta[:q], theta[q : 2 * q]))
    unsolved = rows.c == 0.0
    with np.errstate(over="ignore"):
        ratio = np.expm1(
            -log_likelihood(rows.n[unsolved], rows.c[unsolved], a[unsolved], b[unsolved])
        )
    return float(times[unsolved] @ ratio - times[~unsolved].sum())


def _search(
    rows: Rows,
    matrix: Floats,
    begin: Sequence[Floats],
    weights: Floats | None = None,
    most_steps: int = MOST_STEPS,
) -> Found:
    """The best maximum of several starts, certified ones first: theta, value, Hessian, certified,
    how many agree, of how many.
    """
    ends = [
        maximise(lambda theta: expand(rows, matrix, theta, weights), start, most_steps)
        for start in begin
    ]
    best = max(ends, key=lambda end: (end[3], end[1]))
    agreeing = sum(
        end[3] and abs(end[1] - best[1]) <= SAME * max(1.0, 1e-6 * abs(best[1])) for end in ends
    )
    return *best, agreeing, len(ends)


def _start(rows: Rows, matrix: Floats, a: float) -> Floats:
    """The same Beta(a, b) for all models, with the mean success rate of all samples."""
    q = matrix.shape[1]
    mean = (rows.times @ rows.c + 0.5) / (rows.times @ rows.n + 1.0)
    theta = np.zeros(2 * q)
    theta[0], theta[q] = math.log(a), math.log(a) + math.log1p(-mean) - math.log(mean)
    return theta


def _remarks(fit: Coupled) -> list[str]:
    found = []
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
            f"{len(fit.models)} models, {len(fit.theta)} coefficients: too few models for standard "
            f"errors"
        )
    elif fit.overdispersion > NOTABLE:
        found.append(
            f"models scatter beyond binomial samples: variances are {fit.overdispersion:.3g} times "
            f"those of the likelihood; "
            "AIC is then too sure, standard errors and TIC allow for it"
        )
    if fit.covariates == "compute" and fit.terms.degree == 1:
        along_a, along_b = fit.coefficients["log a: log C"], fit.coefficients["log b: log C"]
        if along_a < along_b:
            found.append("pass@1 falls with compute")
        elif along_a < 0.0:
            found.append("a falls with compute: for k large enough pass@k falls with compute too")
    return found


# -- what the counts must have -----------------------------------------------------------------------------------------


def _logs_of(counts: Counts, names: tuple[str, ...]) -> Floats:
    """(G, m) logs of the covariates."""
    if "benchmark" in counts.by:
        column = counts.by.index("benchmark")
        kinds = list(dict.fromkeys(label[column] for label in counts.labels))
        if len(kinds) > 1:
            raise ValueError(
                f'counts: of benchmarks {", ".join(kinds)}; must be of one (where="benchmark == '
                f"'{kinds[0]}'\")"
            )
    found = []
    for name in names:
        if name not in counts.covariates:
            raise ValueError(
                f"counts: no {name} of any model; must have {' and '.join(names)} (see models= of "
                f"Counts.read)"
            )
        values = counts.covariates[name]
        if not np.isfinite(values).all():
            raise ValueError(
                f"counts: no {name} of {counts.names[int(np.argmin(np.isfinite(values)))]!r}; must "
                f"be known for every model"
            )
        found.append(np.log(values))
    return np.stack(found, axis=1)


def _require_design(terms: Terms, matrix: Floats) -> None:
    models, q = matrix.shape
    letters = " and ".join(terms.covariates)
    if len(np.unique(matrix, axis=0)) < q:
        count = len(np.unique(matrix, axis=0))
        what = f"{models} model{'s' if models > 1 else ''}, {count} different {letters}"
        raise outside(
            "counts",
            what,
            f"at least {q} models that differ in {letters} for degree {terms.degree}",
        )
    sizes = np.linalg.svd(matrix, compute_uv=False)
    if sizes[-1] < SINGULAR * sizes[0]:
        left = ", ".join(terms.names[1:])
        raise ValueError(
            f"counts: the models leave a combination of {left} undetermined; {letters} must vary "
            f"independently"
        )


def _require_outcomes(counts: Counts) -> None:
    problems = int(np.bincount(counts.group).max())
    if problems < 2:
        raise outside(
            "counts",
            "1 problem a model",
            "at least two: one cannot tell the spread of success rates",
        )
    if counts.n.max() < 2:
        raise outside(
            "counts",
            "1 sample a problem",
            "two samples of some problem: one each cannot tell the spread of success rates",
        )
    if not counts.c.any():
        raise outside(
            "counts", "no correct sample", "at least one correct: pass@k may be anything small"
        )
    if (counts.c == counts.n).all():
        raise outside(
            "counts", "no wrong sample", "at least one wrong: pass@k is 1 for every model"
        )


def _clusters(labels: Sequence[Any] | None, models: int) -> Any:
    if labels is None:
        return np.arange(models)
    if len(labels) != models:
        raise outside("cluster", f"{len(labels)} labels", f"one for each of {models} models")
    return np.unique(np.array([str(label) for label in labels]), return_inverse=True)[1]


def _draws(k: ArrayLike) -> Floats:
    try:
        array = np.asarray(k, dtype=np.float64)
    except (TypeError, ValueError):
        raise outside("k", k, "finite numbers of at least 1") from None
    wrong = ~(np.isfinite(array) & (array >= 1.0))
    if wrong.any():
        raise outside("k", float(array[wrong].flat[0]), "finite numbers of at least 1")
    return array


def _fall(a: Floats, b: Floats, k: Floats) -> tuple[Floats, Floats]:
    """d(-log fail@k)/dlog a and /dlog b."""
    return a * first(a + b, k).digamma, b * second(b, a, k).digamma
