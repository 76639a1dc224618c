r"""Whether Table 11 of Krajewski et al. 2025 (arXiv 2512.08894) is a fit to the runs that a rule
keeps: two checks.

Equation 2 is fitted to the public runs that the rule keeps. Its coefficients b = (log A, alpha) are
compared with the decoded ones, b_11, in two ways:

* directly: :math:`d^2 = (b - b_{11})^T V^{-1} (b - b_{11})` with V the estimated covariance of the fit to n runs: d^2/2 is an
  F(2, n - 2) variable, whose mean (n - 2)/(n - 4) is far above 1 for few runs and infinite for
  four. If the paper's runs include these, its own fit shares their noise, V is too large and d^2
  smaller;
* through the bend: log(-log Q') is no straight line in log C, and the public runs need not lie where the paper's do. A quadratic
  through all m public runs gives values at every run of Tables 7 to 9 near D/N = 20; the line
  through those that are kept is compared with b_11. Here V is the exact covariance of the
  difference, with the runs that are in both; as its scale is that of the m runs about the
  quadratic, d^2/2 is an F(2, m - 3) variable but for the runs in both, which change little. This
  check stands on the quadratic and on one variance for all runs of a benchmark.

Likelihoods of b_11 are those of Student's t in two dimensions with as many degrees of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isoflop.numeric.accuracy.baselines import MARGINS
from isoflop.numeric.accuracy.law import MARGIN
from isoflop.numeric.data.sample import above_guessing
from isoflop.numeric.data.scale import accuracy, neg_log_accuracy
from isoflop.numeric.simulate.evaluations import design
from isoflop.theory.data.krajewski2025 import MIXTURE
from isoflop.theory.data.published import KRAJEWSKI_RUNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isoflop.numeric.data.sample import Points

    Floats = NDArray[np.float64]

__all__ = [
    "LOWER",
    "UPPER",
    "CandidateFit",
    "Comparison",
    "Rule",
    "fit_rule",
    "listed_budgets",
    "margin_of",
    "through_bend",
]

LOWER, UPPER = float(KRAJEWSKI_RUNS.fit_lo), float(KRAJEWSKI_RUNS.fit_hi)
#: D/N, from C/(6 D), of runs whose nominal ratio is 20.
NEAR_20 = (14.0, 28.0)
#: The printed budget of a run is that of the same run of the public list to this.
SAME_BUDGET = 1e-3
#: With fewer runs the covariance of a line is hardly known.
LEAST_RUNS = 4


@dataclass(frozen=True)
class Rule:
    """Which runs are fitted: lower <= C <= upper (FLOP), and accuracy above guessing by the margin
    or at all.
    """

    lower: float
    upper: float
    margin: bool

    @property
    def name(self) -> str:
        """In words."""
        low = f"{self.lower:.0e} <= ".replace("e+", "e") if self.lower > 0.0 else ""
        high = f" <= {self.upper:.0e}".replace("e+", "e") if np.isfinite(self.upper) else ""
        budgets = f"{low}C{high}" if low or high else "all C"
        return f"{budgets}, Q > Qr{' + margin' if self.margin else ''}"

    def keeps(self, compute: Floats) -> Any:
        """Budgets within the limits."""
        return (compute >= self.lower) & (compute <= self.upper)


@dataclass(frozen=True, kw_only=True)
class CandidateFit:
    """A candidate's fit to one benchmark.

    Attributes
    ----------
    benchmark : str
    n : int
        Public runs fitted.
    alpha, alpha_error, log_A, log_A_error : float
        With standard errors.
    alpha_printed, log_A_printed : float
        Decoded.
    distance : float
        d^2, directly.
    p : float
        At most this likely to be exceeded where the candidate is right, by F(2, n - 2).
    log_likelihood : float
        Of the printed coefficients.
    n_listed : int
        Runs of Tables 7 to 9 that the candidate keeps, by the quadratic.
    distance_through_bend, p_through_bend, log_likelihood_through_bend : float
        The same through the bend.
    """

    benchmark: str
    n: int
    alpha: float
    alpha_error: float
    log_A: float
    log_A_error: float
    alpha_printed: float
    log_A_printed: float
    distance: float
    p: float
    log_likelihood: float
    n_listed: int
    distance_through_bend: float
    p_through_bend: float
    log_likelihood_through_bend: float


def margin_of(benchmark: str) -> float:
    """By which accuracy exceeds guessing in the paper's fits."""
    return MARGINS.get(benchmark, MARGIN)


def listed_budgets() -> Floats:
    """Compute of the runs of Tables 7 to 9 on the mixture near D/N = 20, repetitions included."""
    runs = design()
    ratio = runs.tokens / runs.params
    near = (ratio > NEAR_20[0]) & (ratio < NEAR_20[1]) & (runs.dataset == MIXTURE)
    return np.asarray(
        runs.compute[
            near & (runs.compute >= float(KRAJEWSKI_RUNS.compute_lo) * (1.0 - SAME_BUDGET))
        ]
    )


class Comparison(NamedTuple):
    """d^2 with its p and the log-likelihood of the printed coefficients; and over how many runs."""

    distance: float
    p: float
    log_likelihood: float
    n: int

    @classmethod
    def of(cls, difference: Floats, covariance: Floats, spare: int, n: int) -> Comparison:
        """With a covariance whose scale was estimated on `spare` degrees of freedom."""
        from scipy.stats import f as f_distribution

        distance = float(difference @ np.linalg.solve(covariance, difference))
        return cls(
            distance,
            float(f_distribution.sf(distance / 2.0, 2, spare)),
            _log_t(distance, covariance, spare),
            n,
        )


def fit_rule(name: str, sample: Points, rule: Rule, wanted: Floats, listed: Floats) -> CandidateFit:
    margin = margin_of(name) if rule.margin else 0.0
    usable = sample.subset(above_guessing(sample.accuracy, sample.baseline, margin))
    compute = usable.column("compute")
    kept = rule.keeps(compute)
    n = int(kept.sum())
    if n < LEAST_RUNS:
        raise ValueError(f"{name}: {n} runs with {rule.name}; must be at least {LEAST_RUNS}")
    y = np.log(neg_log_accuracy(usable.accuracy, usable.baseline))[kept]
    line, variance = _regression(_powers(np.log(compute[kept]), 1), y)
    covariance = variance * line @ line.T
    b = line @ y
    directly = Comparison.of(wanted - b, covariance, n - 2, n)
    bend = through_bend(usable, wanted, rule, listed, margin, degree=2)
    errors = np.sqrt(np.diag(covariance))
    return CandidateFit(
        benchmark=name,
        n=n,
        alpha=float(b[1]),
        alpha_error=float(errors[1]),
        log_A=float(b[0]),
        log_A_error=float(errors[0]),
        alpha_printed=float(wanted[1]),
        log_A_printed=float(wanted[0]),
        distance=directly.distance,
        p=directly.p,
        log_likelihood=directly.log_likelihood,
        n_listed=bend.n,
        distance_through_bend=bend.distance,
        p_through_bend=bend.p,
        log_likelihood_through_bend=bend.log_likelihood,
    )


def through_bend(
    usable: Points, wanted: Floats, rule: Rule, listed: Floats, margin: float, *, degree: int
) -> Comparison:
    """The printed line beside that through the values of a polynomial through the usable runs at
    the listed ones.

    Of the listed runs those take part that the rule keeps and whose accuracy by the polynomial
    exceeds guessing by the margin.
    """
    x = np.log(usable.column("compute"))
    y = np.log(neg_log_accuracy(usable.accuracy, usable.baseline))
    curve, variance = _regression(_powers(x, degree), y)
    at = np.log(listed[rule.keeps(listed)])
    Q = accuracy(np.exp(_powers(at, degree) @ (curve @ y)), usable.baseline)
    at = at[above_guessing(Q, usable.baseline, margin)]
    line = np.linalg.pinv(_powers(at, 1))
    map_ = line @ _powers(at, degree) @ curve
    both = _same_runs(at, x)
    if both.any(axis=1).all():
        raise ValueError(
            "samples: hold every run of Tables 7 to 9 that a rule keeps; fit these instead"
        )
    shared = line @ both @ map_.T
    covariance = variance * (line @ line.T + map_ @ map_.T - shared - shared.T)
    return Comparison.of(wanted - map_ @ y, covariance, len(x) - degree - 1, len(at))


def _same_runs(listed: Floats, public: Floats) -> Floats:
    """1 where a listed run (row) is a public one (column), each at most once; both by log C."""
    both = np.zeros((len(listed), len(public)))
    for column, value in enumerate(public):
        for row in np.flatnonzero(np.abs(listed - value) < SAME_BUDGET):
            if not both[row].any() and not both[:, column].any():
                both[row, column] = 1.0
    return both


def _powers(x: Floats, degree: int) -> Floats:
    """1, -x, x^2, x^3 of log C: the coefficients of a line are log A and alpha. The others are
    centred, for conditioning.
    """
    middle = 0.5 * (np.log(LOWER) + np.log(UPPER))
    return np.stack(
        [np.ones_like(x), -x, (x - middle) ** 2, (x - middle) ** 3][: degree + 1], axis=1
    )


def _regression(X: Floats, y: Floats) -> tuple[Floats, float]:
    """The linear map from y to the coefficients of least squares, and the variance about the fit."""
    solve = np.linalg.pinv(X)
    rest = y - X @ (solve @ y)
    return np.asarray(solve), float(rest @ rest) / (len(y) - X.shape[1])


def _log_t(distance: float, covariance: Floats, spare: int) -> float:
    """Log-density of Student's t in two dimensions at the squared distance, but for a constant that
    all degrees share.
    """
    from math import lgamma, log, log1p

    size = lgamma(0.5 * (spare + 2)) - lgamma(0.5 * spare) - log(spare)
    return (
        size
        - 0.5 * float(np.linalg.slogdet(covariance)[1])
        - 0.5 * (spare + 2) * log1p(distance / spare)
    )
