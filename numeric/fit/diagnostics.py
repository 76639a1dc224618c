"""What the residuals of a fit show: their size, three tests, the runs that hold the fit."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Significant
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import WIDTH, Column, Table
from .covariance import MEDIAN_DEVIATION, bandwidth, unit_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .result import Fit

    Floats = NDArray[np.float64]

__all__ = ["Diagnostics", "Influence", "ResidualTest", "diagnostics", "doubts_of_one_distribution"]

#: A p-value below this is worth a sentence.
LEVEL = 0.01
#: Runs that are listed.
LISTED = 5
#: A distance above this moves the coefficients by more than a standard error in all directions
#: together.
INFLUENTIAL = 1.0
VARIABLES = {"params": "log N", "tokens": "log D", "compute": "log C"}
#: The sizes for which SciPy's Shapiro-Wilk test is accurate.
LEAST_FOR_NORMALITY, MOST_FOR_SHAPIRO = 3, 5000
LEAST_FOR_RANKS = 4
#: A share of the variance below this is rounding.
ROUNDING = 1e-12
#: Singular values below this share of the largest are zero.
DEPENDENT = 1e-10
SINGULAR = 1e-13


@dataclass(frozen=True)
class ResidualTest:
    """A test: statistic and p-value are None where it cannot be made, and `reason` says why."""

    name: str
    statistic: float | None = None
    p_value: float | None = None
    reason: str = ""

    @classmethod
    def of(cls, name: str, statistic: Any, p_value: Any) -> ResidualTest:
        """A test with its result, or the reason that the numbers are undefined."""
        if not (np.isfinite(statistic) and np.isfinite(p_value)):
            return cls(name, reason="the residuals leave it undefined")
        return cls(name, float(statistic), float(p_value))

    @property
    def rejects(self) -> bool:
        """Whether it could be made and its p-value is below 1 %."""
        return self.p_value is not None and self.p_value < LEVEL

    def __str__(self) -> str:
        if self.p_value is None:
            return f"{self.name}: not made, {self.reason}"
        return f"{self.name}: {self.statistic:.4g}, p = {self.p_value:.3g}"


@dataclass(frozen=True)
class Influence:
    """A run, and what leaving it out does.

    Attributes
    ----------
    row : int
        Its number in the source.
    residual : float
        Observed less law.
    deviations : float or None
        The residual less the median in robust standard deviations.
    leverage : float
        Diagonal of the projection on the Jacobian.
    distance : float or None
        Cook's distance: (change)' V^-1 (change)/p with the covariance V of the fit.
    alpha_change : float or None
        Change of alpha without the run, to first order (one Newton step); None for laws without
        alpha.
    """

    row: int
    residual: float
    deviations: float | None
    leverage: float
    distance: float | None
    alpha_change: float | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Diagnostics(Shown):
    """What the residuals show. A residual is log(observed) - log(law), or observed - law for
    "least-squares": runs above the law have positive ones.

    Attributes
    ----------
    n_runs : int
    unit : str
        "log loss" or "loss".
    bias, sd, mad : float or None
        Mean; standard deviation with n - p degrees of freedom, None where there are none; median
        absolute deviation from the median times 1.4826, which is the standard deviation where
        residuals are normal.
    delta, share_beyond : float or None
        Of "huber-log": the share of the runs whose absolute residual exceeds delta.
    r_squared : float or None
        1 - sum w e^2/sum w (log L - mean)^2 with e in logarithms; None where the losses do not
        vary.
    normal : ResidualTest
        Shapiro and Wilk's, beyond 5000 runs D'Agostino and Pearson's.
    trends : tuple of ResidualTest
        F-tests: would a line and a parabola in log N, log D, log C or the log of the law, added to
        the linearised law, explain more? They allow for what the fit has absorbed.
    scedasticity : tuple of ResidualTest
        Spearman's rank correlation of the distance of a residual from the median with log C and
        with the log of the law.
    outliers, influential : tuple of Influence
        The runs with the largest residuals, and those whose absence moves the coefficients most.
    influence_reason : str
        Why influence is not known, where it is not.
    """

    n_runs: int
    unit: str
    bias: float
    sd: float | None
    mad: float
    delta: float | None
    share_beyond: float | None
    r_squared: float | None
    normal: ResidualTest
    trends: tuple[ResidualTest, ...]
    scedasticity: tuple[ResidualTest, ...]
    outliers: tuple[Influence, ...]
    influential: tuple[Influence, ...]
    influence_reason: str

    @property
    def tests(self) -> tuple[ResidualTest, ...]:
        """All tests."""
        return (self.normal, *self.trends, *self.scedasticity)

    @property
    def findings(self) -> tuple[str, ...]:
        """What the tests mean, in words."""
        words = []
        if along := [test.name.rpartition(" in ")[2] for test in self.trends if test.rejects]:
            words.append(
                f"residuals have a shape along {', '.join(along)}: the law does not fit there, or "
                f"the runs differ in more than N and D"
            )
        if any(test.rejects for test in self.scedasticity):
            words.append(
                "residuals spread more in some places than in others: sandwich and case bootstrap "
                "allow for that, classical errors do not"
            )
        if self.normal.rejects:
            words.append(
                "residuals are not normal: a robust objective loses less to that than least squares"
            )
        held = [str(run.row) for run in self.influential if (run.distance or 0.0) > INFLUENTIAL]
        if held:
            words.append(
                f"without row {' or '.join(held)} the coefficients would be others by more than "
                f"their errors"
            )
        return tuple(words) or ("nothing in the residuals speaks against the law",)

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**asdict(self), "findings": list(self.findings)}

    def tables(self) -> tuple[Table, ...]:
        """The tests; the runs with the largest residuals; those that hold the fit most."""
        three = Significant(3)
        reasons = [str(test) for test in self.tests if test.p_value is None]
        columns = [
            Column("name", "test of the residuals", align="left"),
            Column("statistic", format=three),
            Column("p_value", "p", format=three),
        ]
        tables = [Table(columns, self.tests, notes=reasons)]
        columns = [
            Column("row"),
            Column("residual"),
            Column("deviations", "in robust\nstd. dev.", format=Significant(2)),
            Column("leverage", format=three),
            Column("distance", "Cook's\ndistance", format=three),
            Column("alpha_change", "change of alpha\nwithout it", format=Significant(2)),
        ]
        tables.append(Table(columns, self.outliers, "largest residuals"))
        if self.influential:
            tables.append(Table(columns, self.influential, "runs that hold the fit most"))
        return tuple(tables)

    def __str__(self) -> str:
        parts = [f"mean {self.bias:+.3g}"]
        if self.sd is not None:
            parts.append(f"standard deviation {self.sd:.4g} (n - p degrees of freedom)")
        parts.append(f"robust sd {self.mad:.4g} (1.4826 times the median absolute deviation)")
        if self.share_beyond is not None:
            parts.append(f"{100 * self.share_beyond:.0f} % beyond delta {self.delta:g}")
        if self.r_squared is not None:
            parts.append(f"R^2 in logs {self.r_squared:.5f}")
        sizes = wrap(f"residuals of {self.unit}: {'; '.join(parts)}", WIDTH, subsequent_indent="  ")
        words = [f"- {text}" for text in self.findings]
        if self.influence_reason:
            words.insert(0, f"influence is not known: {self.influence_reason}")
        conclusions = [line for text in words for line in wrap(text, WIDTH, subsequent_indent="  ")]
        return "\n".join([*sizes, "", super().__str__(), "", *conclusions])


def diagnostics(fit: Fit) -> Diagnostics:
    """What the residuals of a fit show.

    A test that cannot be made has no p-value but a reason. With half a dozen tests a p-value below
    0.05 is to be expected now and then by chance; words are spent on those below 0.01.
    """
    residuals = fit.residuals
    columns = _weighted(fit)
    around = residuals - residuals.mean()
    is_huber = fit.objective.name == "huber-log"
    outliers, influential, reason = _influences(fit)
    return Diagnostics(
        n_runs=fit.size,
        unit="log loss" if fit.objective.in_logs else "loss",
        bias=float(residuals.mean()),
        sd=float(np.sqrt(np.sum(around**2) / fit.spare)) if fit.spare > 0 else None,
        mad=_robust_deviation(residuals),
        delta=fit.objective.delta if is_huber else None,
        share_beyond=float(np.mean(np.abs(residuals) > fit.objective.delta)) if is_huber else None,
        r_squared=_r_squared(fit),
        normal=normality(residuals),
        trends=tuple(
            _trend(fit, along, values, columns) for along, values in _variables(fit).items()
        ),
        scedasticity=_scedasticity(fit),
        outliers=outliers,
        influential=influential,
        influence_reason=reason,
    )


def doubts_of_one_distribution(fit: Fit) -> tuple[str, ...]:
    """What in the residuals speaks against errors of one distribution (for least squares: a normal
    one), at the level of 1 %.

    Profile intervals take the errors to be so; sandwich and bootstrap do not.
    """
    words = [f"their spread changes ({test})" for test in _scedasticity(fit) if test.rejects]
    if fit.objective.is_square and (normal := normality(fit.residuals)).rejects:
        words.append(f"they are not normal ({normal})")
    return tuple(words)


# -- tests -----------------------------------------------------------------------------------------


def normality(residuals: Floats) -> ResidualTest:
    """Shapiro and Wilk's test up to 5000 residuals, D'Agostino and Pearson's beyond."""
    from scipy.stats import normaltest, shapiro

    is_small = len(residuals) <= MOST_FOR_SHAPIRO
    name = "normal (Shapiro-Wilk)" if is_small else "normal (D'Agostino-Pearson)"
    if len(residuals) < LEAST_FOR_NORMALITY or constant(residuals):
        return ResidualTest(name, reason="it takes 3 residuals that differ")
    result = shapiro(residuals) if is_small else normaltest(residuals)
    return ResidualTest.of(name, result.statistic, result.pvalue)


def _scedasticity(fit: Fit) -> tuple[ResidualTest, ...]:
    """Whether residuals are farther from their median at some computes, or at some losses, than at
    others, by Spearman's rank correlation.
    """
    from scipy.stats import spearmanr

    distance, tests = np.abs(fit.residuals - np.median(fit.residuals)), []
    for along in ("log C", "log fitted"):
        values, name = _variables(fit).get(along), f"spread against {along} (Spearman)"
        if values is None:
            continue
        if fit.size < LEAST_FOR_RANKS or constant(distance):
            tests.append(ResidualTest(name, reason="it takes 4 values that differ"))
        elif constant(values):
            tests.append(ResidualTest(name, reason="the runs do not vary in it"))
        else:
            found = spearmanr(distance, values)
            tests.append(ResidualTest.of(name, found.statistic, found.pvalue))
    return tuple(tests)


def _trend(fit: Fit, along: str, values: Floats, columns: Floats) -> ResidualTest:
    """F-test of a line and a parabola in a variable beside the weighted columns of the linearised
    law (p, n): whether they would explain more.

    Where the law is right and the errors are normal, F has the degrees of freedom of what they
    bring beyond the law's.
    """
    from scipy.stats import f

    name, roots = f"line and parabola added (F) in {along}", np.sqrt(fit.weights)
    if constant(values):
        return ResidualTest(name, reason="the runs do not vary in it")
    z, residuals = (values - values.mean()) / values.std(), fit.residuals * roots
    before, after = axes(columns), axes(np.concatenate([columns, np.stack([z, z**2]) * roots]))
    gained, spare = after.shape[1] - before.shape[1], len(residuals) - after.shape[1]
    if gained <= 0:
        return ResidualTest(name, reason="the law follows it by itself at these runs")
    if spare <= 0:
        return ResidualTest(name, reason=f"{len(residuals)} runs leave no degrees of freedom")
    unexplained, left = (
        float(np.sum((residuals - basis @ (basis.T @ residuals)) ** 2)) for basis in (before, after)
    )
    if left <= ROUNDING**2 * len(residuals):
        return ResidualTest(name, reason="the residuals are rounding")
    statistic = max(unexplained - left, 0.0) / gained / (left / spare)
    return ResidualTest.of(name, statistic, f.sf(statistic, gained, spare))


# -- influence -------------------------------------------------------------------------------------


def leverages(fit: Fit) -> Floats:
    """(n,): the diagonal of the projection on the weighted columns of the Jacobian; their sum is
    its rank.
    """
    return np.asarray(np.sum(axes(_weighted(fit)) ** 2, axis=1))


def dropped_one(fit: Fit) -> Floats:
    """(n, p): change of the solver's parameters without each run in turn, to first order.

    Raises
    ------
    ValueError
        Where the runs do not tell the coefficients apart.

    Notes
    -----
    H_-i^-1 w psi(r_i) grad r_i with H_-i = H - w rho'' grad r grad r', by the formula of Sherman
    and Morrison; rho'' is averaged as in the covariance, so that it does not hinge on whether a
    residual lies within a narrow delta.
    """
    excess, jacobian, _ = fit.linearised()
    free, weights = fit.free, fit.weights
    unit, scale = unit_columns(jacobian)
    unit = unit[free]
    clip = fit.objective.clip(bandwidth(fit, excess))
    smooth = clip.psi(excess)
    curved: Any = weights * clip.curvature(smooth)
    hessian = (unit * curved) @ unit.T
    sizes = np.linalg.eigvalsh(hessian)
    if not sizes.size or sizes[0] <= SINGULAR * sizes[-1]:
        raise ValueError("influence: the runs do not tell the coefficients apart")
    pulled = np.linalg.solve(hessian, unit)
    left = np.maximum(1.0 - curved * np.sum(unit * pulled, axis=0), SINGULAR)
    changes = np.zeros((len(excess), len(free)))
    changes[:, free] = (pulled * (weights * smooth / left)).T / scale[free]
    return changes


def _influences(fit: Fit) -> tuple[tuple[Influence, ...], tuple[Influence, ...], str]:
    """The runs with the largest residuals, the most influential ones, or the reason why these are
    not known.
    """
    residuals, hats = fit.residuals, leverages(fit)
    spread, centre = _robust_deviation(residuals), float(np.median(residuals))
    distances, alphas, reason = None, None, ""
    try:
        changes = dropped_one(fit) @ fit.design.to_coordinates.T
        distances = _cook(fit, changes)
        gradient = _alpha_gradient(fit)
        alphas = None if gradient is None else changes @ gradient
    except ValueError as error:
        reason = str(error)

    def of_run(i: int) -> Influence:
        return Influence(
            row=int(fit.runs.row[i]),
            residual=float(residuals[i]),
            deviations=float((residuals[i] - centre) / spread) if spread > 0.0 else None,
            leverage=float(hats[i]),
            distance=None if distances is None else float(distances[i]),
            alpha_change=None if alphas is None else float(alphas[i]),
        )

    largest = np.argsort(-np.abs(residuals), kind="stable")[:LISTED]
    most: Any = [] if distances is None else np.argsort(-distances, kind="stable")[:LISTED]
    return tuple(map(of_run, largest)), tuple(map(of_run, most)), reason


def _cook(fit: Fit, changes: Floats) -> Floats:
    """(n,): Cook's distances of changes (n, p) of the coordinates."""
    free = fit.free
    covariance = fit.covariance()[np.ix_(free, free)]
    roots = np.sqrt(np.diag(covariance))
    if not (roots > 0.0).all():
        raise ValueError("influence: the standard errors are zero")
    turned = changes[:, free] / roots
    correlation = covariance / roots / roots[:, None]
    return np.asarray(
        np.sum(turned * np.linalg.solve(correlation, turned.T).T, axis=1) / len(roots)
    )


def _alpha_gradient(fit: Fit) -> Floats | None:
    """Derivatives of alpha by the coordinates; None where the law has no alpha."""
    if fit.model.name == "compute":
        return np.array([float(name == "alpha") for name in fit.model.coordinates])
    if fit.model.name != "params-tokens":
        return None
    from .derived import ALPHA

    gradient = ALPHA.gradient(fit.law_of(fit.coefficients))
    return np.array([gradient[name] for name in fit.model.coordinates])


# -- parts -----------------------------------------------------------------------------------------


def _weighted(fit: Fit) -> Floats:
    """(k, n): derivatives of the residuals by the free parameters of the solver, times the roots of
    the weights.
    """
    _, jacobian, _ = fit.linearised()
    return np.asarray(jacobian[fit.free] * np.sqrt(fit.weights))


def _variables(fit: Fit) -> dict[str, Floats]:
    """The logarithms of what the runs have, and of the law."""
    held = {label: getattr(fit.runs, name) for name, label in VARIABLES.items()}
    logs = {label: np.log(values) for label, values in held.items() if values is not None}
    return {**logs, "log fitted": np.log(np.abs(fit.fitted))}


def _robust_deviation(residuals: Floats) -> float:
    return float(np.median(np.abs(residuals - np.median(residuals)))) / MEDIAN_DEVIATION


def _r_squared(fit: Fit) -> float | None:
    logs, weights = np.log(fit.observed), fit.weights
    if constant(logs) or not (fit.fitted > 0.0).all():
        return None
    around = logs - np.average(logs, weights=weights)
    left = float(np.sum(weights * (np.log(fit.fitted) - logs) ** 2))
    return 1.0 - left / float(np.sum(weights * around**2))


def axes(columns: Floats) -> Floats:
    """(n, rank): an orthonormal basis of the space of the columns (p, n)."""
    norms = np.linalg.norm(columns, axis=1)
    unit = columns[norms > 0.0] / norms[norms > 0.0, None]
    basis, sizes, _ = np.linalg.svd(unit.T, full_matrices=False)
    return np.asarray(basis[:, sizes > DEPENDENT * sizes.max(initial=0.0)])


def constant(values: Floats) -> bool:
    """Whether the values differ by no more than rounding."""
    return bool(np.ptp(values) <= ROUNDING * np.abs(values).max(initial=1e-300))
