"""Tests of residuals: each has a name and a p-value, or a reason why it cannot be made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: The sizes for which SciPy's Shapiro-Wilk test is accurate.
LEAST_FOR_NORMALITY, MOST_FOR_SHAPIRO = 3, 5000
LEAST_FOR_RANKS = 4
#: A share of the variance below this is rounding.
ROUNDING = 1e-12
#: Singular values below this share of the largest are zero.
DEPENDENT = 1e-10


@dataclass(frozen=True)
class ResidualTest:
    """One test.

    Attributes
    ----------
    name : str
    statistic, p_value : float or None
        None where the test cannot be made.
    reason : str
        Why it cannot.
    """

    name: str
    statistic: float | None
    p_value: float | None
    reason: str = ""

    @classmethod
    def impossible(cls, name: str, reason: str) -> ResidualTest:
        """A test that cannot be made."""
        return cls(name, None, None, reason)

    @classmethod
    def of(cls, name: str, statistic: Any, p_value: Any) -> ResidualTest:
        """A test with its result, or the reason that the numbers are undefined."""
        if not (np.isfinite(statistic) and np.isfinite(p_value)):
            return cls.impossible(name, "the residuals leave it undefined")
        return cls(name, float(statistic), float(p_value))

    def rejects(self, level: float) -> bool:
        """Whether it could be made and its p-value is below the level."""
        return self.p_value is not None and self.p_value < level

    def as_dict(self) -> dict[str, Any]:
        """The attributes as plain data."""
        return {
            "name": self.name,
            "statistic": self.statistic,
            "p_value": self.p_value,
            "reason": self.reason,
        }

    def __str__(self) -> str:
        if self.p_value is None or self.statistic is None:
            return f"{self.name}: not made, {self.reason}"
        return f"{self.name}: {self.statistic:.4g}, p = {self.p_value:.3g}"


def zero_mean(residuals: Floats) -> ResidualTest:
    """Student's t-test that the mean is zero."""
    from scipy.stats import ttest_1samp

    name = "mean zero (t)"
    if len(residuals) < 2 or constant(residuals):
        return ResidualTest.impossible(name, "the residuals do not vary")
    found = ttest_1samp(residuals, 0.0)
    return ResidualTest.of(name, found.statistic, found.pvalue)


def normality(residuals: Floats) -> ResidualTest:
    """Shapiro and Wilk's test up to 5000 residuals, D'Agostino and Pearson's beyond."""
    from scipy.stats import normaltest, shapiro

    name = (
        "normal (Shapiro-Wilk)"
        if len(residuals) <= MOST_FOR_SHAPIRO
        else "normal (D'Agostino-Pearson)"
    )
    if len(residuals) < LEAST_FOR_NORMALITY or constant(residuals):
        return ResidualTest.impossible(name, "it takes 3 residuals that differ")
    found = shapiro(residuals) if len(residuals) <= MOST_FOR_SHAPIRO else normaltest(residuals)
    return ResidualTest.of(name, found.statistic, found.pvalue)


def rank_trend(name: str, values: Floats, against: Floats) -> ResidualTest:
    """Spearman's rank correlation: whether values rise or fall along another variable."""
    from scipy.stats import spearmanr

    if len(values) < LEAST_FOR_RANKS or constant(values):
        return ResidualTest.impossible(name, "it takes 4 values that differ")
    if constant(against):
        return ResidualTest.impossible(name, "the runs do not vary in it")
    found = spearmanr(values, against)
    return ResidualTest.of(name, found.statistic, found.pvalue)


def added_terms(name: str, residuals: Floats, columns: Floats, added: Floats) -> ResidualTest:
    """F-test of columns (m, n) beside those of the linearised law (p, n): whether they would
    explain more.

    Both are multiplied by the roots of the weights beforehand. Where the law is right and the
    errors are normal, F has the degrees of freedom of what the added columns bring beyond the
    law's.
    """
    from scipy.stats import f

    before, rank_before = projected_out(residuals, columns)
    after, rank_after = projected_out(residuals, np.concatenate([columns, added]))
    gained, spare = rank_after - rank_before, len(residuals) - rank_after
    if gained <= 0:
        return ResidualTest.impossible(name, "the law follows it by itself at these runs")
    if spare <= 0:
        return ResidualTest.impossible(name, f"{len(residuals)} runs leave no degrees of freedom")
    left = float(after @ after)
    if left <= ROUNDING**2 * len(residuals):
        return ResidualTest.impossible(name, "the residuals are rounding")
    statistic = max(float(before @ before) - left, 0.0) / gained / (left / spare)
    return ResidualTest.of(name, statistic, f.sf(statistic, gained, spare))


def replicates(
    residuals: Floats, columns: Floats, points: NDArray[np.int64], weights: Floats
) -> ResidualTest:
    """F-test of lack of fit: the spread between the means of runs at the same point against that
    within.

    ``points``: the number of the point of each run. Residuals and columns are multiplied by the
    roots of the weights.
    """
    from scipy.stats import f

    name = "lack of fit against replicates (F)"
    count = int(points.max()) + 1
    repeated = len(points) - count
    if repeated <= 0:
        return ResidualTest.impossible(name, "no two runs are at the same point")
    total, rank = projected_out(residuals, columns)
    between = count - rank
    if between <= 0:
        return ResidualTest.impossible(
            name, f"{count} distinct points for {rank} determined coefficients"
        )
    raw = residuals / np.sqrt(weights)
    means = np.bincount(points, weights * raw) / np.bincount(points, weights)
    pure = float(np.sum(weights * (raw - means[points]) ** 2))
    if pure <= ROUNDING**2 * len(residuals):
        return ResidualTest.impossible(name, "replicates agree to rounding")
    statistic = max(float(total @ total) - pure, 0.0) / between / (pure / repeated)
    return ResidualTest.of(name, statistic, f.sf(statistic, between, repeated))


def between_groups(residuals: Floats, groups: NDArray[np.int64] | None) -> ResidualTest:
    """Kruskal and Wallis' test that residuals are alike in all groups."""
    from scipy.stats import kruskal

    name = "alike in all groups (Kruskal-Wallis)"
    if groups is None:
        return ResidualTest.impossible(name, "the runs have no groups")
    count = int(groups.max()) + 1
    if count < 2 or count == len(residuals):
        return ResidualTest.impossible(
            name, "it takes two groups or more, and one with several runs"
        )
    if constant(residuals):
        return ResidualTest.impossible(name, "the residuals do not vary")
    found = kruskal(*(residuals[groups == k] for k in range(count)))
    return ResidualTest.of(name, found.statistic, found.pvalue)


def intraclass(residuals: Floats, groups: NDArray[np.int64] | None) -> float | None:
    """Correlation of two residuals of one group, from the mean squares of one-way analysis of
    variance; None without groups.
    """
    if groups is None or constant(residuals):
        return None
    sizes = np.bincount(groups)
    count, size = len(sizes), len(residuals)
    if count < 2 or count == size:
        return None
    means = np.bincount(groups, residuals) / sizes
    between = float(np.sum(sizes * (means - residuals.mean()) ** 2)) / (count - 1)
    within = float(np.sum((residuals - means[groups]) ** 2)) / (size - count)
    typical = (size - float(np.sum(sizes**2)) / size) / (count - 1)
    return (between - within) / (between + (typical - 1.0) * within)


def axes(columns: Floats) -> Floats:
    """(n, rank): an orthonormal basis of the space of the columns (p, n)."""
    norms = np.linalg.norm(columns, axis=1)
    unit = columns[norms > 0.0] / norms[norms > 0.0, None]
    found, sizes, _ = np.linalg.svd(unit.T, full_matrices=False)
    return np.asarray(found[:, sizes > DEPENDENT * sizes.max(initial=0.0)])


def projected_out(values: Floats, columns: Floats) -> tuple[Floats, int]:
    """What the columns (p, n) leave of the values by least squares, and their rank."""
    basis = axes(columns)
    return values - basis @ (basis.T @ values), basis.shape[1]


def constant(values: Floats) -> bool:
    """Whether the values differ by no more than rounding."""
    return bool(np.ptp(values) <= ROUNDING * np.abs(values).max(initial=1e-300))
