r"""Which runs Table 11 of Krajewski et al. 2025 (arXiv 2512.08894) was fitted to.

Appendix H says "all datapoints"; Section 4.1 fits equation 2 to runs from 3e18 to 6e21 FLOP whose accuracy exceeds guessing by
0.05. Every combination of an upper limit, a lower limit and the margin is a candidate. Each is fitted to some public runs. Its
coefficients b = (log A, alpha) are compared with the decoded ones, b_11, in two ways:

* directly: :math:`d^2 = (b - b_{11})^T V^{-1} (b - b_{11})` with V the covariance of the fit. If the paper's runs include these,
  its own fit shares their noise and V is too large: then d^2/2 is at most an F(2, n - 2) variable;
* through the bend: log(-log Q') is no straight line in log C, and the public runs need not lie where the paper's do. A quadratic
  through all public runs gives values at every run of Tables 7 to 9 near D/N = 20; the line through those that are kept is
  compared with b_11. Here V is the exact covariance of the difference, with the runs that are in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from isoflop.numeric.downstream.normalise import accuracy, neg_log_accuracy
from isoflop.numeric.downstream.sample import above_guessing
from isoflop.numeric.downstream.simulate import design
from isoflop.theory.krajewski2025_runs import MIXTURE
from isoflop.theory.published import KRAJEWSKI_RUNS, SOURCES, compute_counterparts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isoflop.numeric.downstream.sample import Sample

    Floats = NDArray[np.float64]

__all__ = ["Candidate", "CandidateFit", "RangeAnswer", "Rule", "which_runs"]

LOWER, UPPER = float(KRAJEWSKI_RUNS.fit_lo), float(KRAJEWSKI_RUNS.fit_hi)
MARGIN, MARGINS = 0.05, {"LBPP": 0.02}
#: D/N, from C/(6 D), of runs whose nominal ratio is 20.
NEAR_20 = (14.0, 28.0)
#: The printed budget of a run is that of the same run of the public list to this.
SAME_BUDGET = 1e-3
#: A difference of log-likelihoods from which one candidate rules out another.
DECISIVE = 10.0


@dataclass(frozen=True)
class Rule:
    """Which runs are fitted: lower <= C <= upper (FLOP), and accuracy above guessing by the margin or at all."""

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


RULES = tuple(Rule(lower, upper, margin) for margin in (True, False) for upper in (UPPER, np.inf) for lower in (LOWER, 0.0))


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
        d^2, directly; 2 on average where the candidate is right.
    p : float
        At most this likely to be exceeded where the candidate is right.
    log_likelihood : float
        Of the printed coefficients.
    n_listed : int
        Runs of Tables 7 to 9 that the candidate keeps, by the quadratic.
    distance_through_bend, log_likelihood_through_bend : float
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
    log_likelihood_through_bend: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Candidate:
    """A rule with its fits to every benchmark."""

    rule: Rule
    fits: tuple[CandidateFit, ...]

    @property
    def distance(self) -> float:
        """Sum of d^2; twice as many as there are benchmarks on average where the rule is right."""
        return sum(fit.distance for fit in self.fits)

    @property
    def distance_through_bend(self) -> float:
        """The same through the bend."""
        return sum(fit.distance_through_bend for fit in self.fits)

    @property
    def p(self) -> float:
        """Of all benchmarks together, by Fisher's sum of log p. Their noise is taken as independent."""
        from scipy.stats import chi2

        return float(chi2.sf(-2.0 * sum(np.log(max(fit.p, 1e-300)) for fit in self.fits), 2 * len(self.fits)))

    @property
    def closest(self) -> int:
        """Benchmarks whose printed exponent lies within two standard errors."""
        return sum(abs(fit.alpha - fit.alpha_printed) <= 2.0 * fit.alpha_error for fit in self.fits)


@dataclass(frozen=True, eq=False, kw_only=True)
class RangeAnswer:
    """Every candidate, and what follows.

    Attributes
    ----------
    candidates : tuple of Candidate
        In the order of `RULES`.
    """

    candidates: tuple[Candidate, ...]

    @cached_property
    def best(self) -> Candidate:
        """The candidate of greatest likelihood."""
        return max(self.candidates, key=lambda one: sum(fit.log_likelihood for fit in one.fits))

    def log_ratio(self, one: Candidate, other: Candidate, *, through_bend: bool = False) -> tuple[float, float, float]:
        """Log-likelihood of one candidate less that of another; then the least and the most with any one benchmark left out."""
        name = "log_likelihood_through_bend" if through_bend else "log_likelihood"
        each = np.array([getattr(a, name) - getattr(b, name) for a, b in zip(one.fits, other.fits, strict=True)])
        without = each.sum() - each
        return float(each.sum()), float(without.min()), float(without.max())

    def candidate(self, *, lower: bool, upper: bool, margin: bool) -> Candidate:
        """The candidate with or without each limit."""
        wanted = Rule(LOWER if lower else 0.0, UPPER if upper else np.inf, margin)
        return next(one for one in self.candidates if one.rule == wanted)

    @property
    def verdict(self) -> str:
        """What the runs say of the upper limit, of the lower one and of the margin."""
        with_limit, without = (self.candidate(lower=True, upper=upper, margin=True) for upper in (True, False))
        parts = [
            f"upper limit 6e21 FLOP: {self._said(with_limit, without)}",
            f"lower limit 3e18 FLOP: {self._said(with_limit, self.candidate(lower=False, upper=True, margin=True))}",
            f"margin above guessing: {self._said(with_limit, self.candidate(lower=True, upper=True, margin=False))}",
        ]
        return "; ".join(parts)

    def _said(self, with_it: Candidate, without: Candidate) -> str:
        total, least, most = self.log_ratio(with_it, without)
        if least > DECISIVE:
            return f"yes (log-likelihood {total:+.0f}, {least:+.0f} or more without any one benchmark)"
        if most < -DECISIVE:
            return f"no (log-likelihood {total:+.0f}, {most:+.0f} or less without any one benchmark)"
        return f"cannot be told (log-likelihood {total:+.1f})"

    def as_dict(self) -> dict[str, Any]:
        """Everything in plain types, ready for JSON; an absent limit is null."""
        return {
            "kind": "runs behind Table 11",
            "verdict": self.verdict,
            "candidates": [
                {
                    "rule": one.rule.name,
                    "lower": one.rule.lower or None,
                    "upper": one.rule.upper if np.isfinite(one.rule.upper) else None,
                    "margin": one.rule.margin,
                    "distance": one.distance,
                    "p": one.p,
                    "distance_through_bend": one.distance_through_bend,
                    "within_two_errors": one.closest,
                    "fits": [asdict(fit) for fit in one.fits],
                }
                for one in self.candidates
            ],
            "source": SOURCES["krajewski2025"].citation,
        }

    def text(self) -> str:
        """At most 100 columns wide."""
        from isoflop.numeric.downstream.published_tables_text import range_text

        return range_text(self)

    def __str__(self) -> str:
        return self.text()


def which_runs(samples: Mapping[str, Sample]) -> RangeAnswer:
    """Compare fits by every rule with Table 11.

    Parameters
    ----------
    samples : mapping
        Benchmark as Table 11 names it -> its accuracy at runs near D/N = 20 with their compute; the accuracy of guessing is the
        table's.

    Returns
    -------
    RangeAnswer

    Raises
    ------
    ValueError
        Where a name is not in the table, a rule leaves fewer than four runs, or the samples hold every run of Tables 7 to 9.
    """
    laws = {str(law.label): law for _, law in compute_counterparts()}
    unknown = [name for name in samples if name not in laws]
    if unknown or not samples:
        raise ValueError(f"samples={unknown or list(samples)!r}: must be benchmarks among {', '.join(laws)}")
    listed = _listed_budgets()
    found = []
    for rule in RULES:
        fits = []
        for name, sample in samples.items():
            law = laws[name]
            wanted = np.array([float(law.log_C0), float(str(law.coefficients["alpha"]))])
            fits.append(_fit(name, sample, rule, wanted, listed))
        found.append(Candidate(rule=rule, fits=tuple(fits)))
    return RangeAnswer(candidates=tuple(found))


def _listed_budgets() -> Floats:
    """Compute of the runs of Tables 7 to 9 on the mixture near D/N = 20, repetitions included."""
    runs = design()
    ratio = runs.tokens / runs.params
    near = (ratio > NEAR_20[0]) & (ratio < NEAR_20[1]) & (runs.dataset == MIXTURE)
    return np.asarray(runs.compute[near & (runs.compute >= float(KRAJEWSKI_RUNS.compute_lo) * (1.0 - SAME_BUDGET))])


def _fit(name: str, sample: Sample, rule: Rule, wanted: Floats, listed: Floats) -> CandidateFit:
    from scipy.stats import f as f_distribution

    margin = MARGINS.get(name, MARGIN) if rule.margin else 0.0
    usable = sample.subset(above_guessing(sample.accuracy, sample.baseline, margin))
    compute = usable.at.column("compute")
    kept = rule.keeps(compute)
    if kept.sum() < 4:
        raise ValueError(f"{name}: {int(kept.sum())} runs with {rule.name}; must be at least 4")
    y = np.log(neg_log_accuracy(usable.accuracy, usable.baseline))
    x = np.log(compute)
    line, variance = _regression(_powers(x[kept], 1), y[kept])
    covariance = variance * line @ line.T
    b = line @ y[kept]
    distance = _squared(wanted - b, covariance)
    bend_distance, bend_log, n_listed = _through_bend(x, y, wanted, listed[rule.keeps(listed)], usable.baseline, margin)
    errors = np.sqrt(np.diag(covariance))
    return CandidateFit(
        benchmark=name,
        n=int(kept.sum()),
        alpha=float(b[1]),
        alpha_error=float(errors[1]),
        log_A=float(b[0]),
        log_A_error=float(errors[0]),
        alpha_printed=float(wanted[1]),
        log_A_printed=float(wanted[0]),
        distance=distance,
        p=float(f_distribution.sf(distance / 2.0, 2, kept.sum() - 2)),
        log_likelihood=-0.5 * (distance + float(np.linalg.slogdet(covariance)[1])),
        n_listed=n_listed,
        distance_through_bend=bend_distance,
        log_likelihood_through_bend=bend_log,
    )


def _through_bend(
    x: Floats, y: Floats, wanted: Floats, budgets: Floats, baseline: float, margin: float
) -> tuple[float, float, int]:
    """d^2 and log-likelihood of the line through a quadratic's values at the listed runs, and how many these are.

    Of the listed runs those take part whose accuracy by the quadratic exceeds guessing by the margin.
    """
    curve, variance = _regression(_powers(x, 2), y)
    at = np.log(budgets)
    Q = accuracy(np.exp(_powers(at, 2) @ (curve @ y)), baseline)
    at = at[above_guessing(Q, baseline, margin)]
    line = np.linalg.pinv(_powers(at, 1))
    map_ = line @ _powers(at, 2) @ curve
    both = np.zeros((len(at), len(x)))
    for column, value in enumerate(x):
        for row in np.flatnonzero(np.abs(at - value) < SAME_BUDGET):
            if not both[row].any() and not both[:, column].any():
                both[row, column] = 1.0
    if both.any(axis=1).all():
        raise ValueError("samples: hold every run of Tables 7 to 9 that a rule keeps; fit these instead")
    shared = line @ both @ map_.T
    covariance = variance * (line @ line.T + map_ @ map_.T - shared - shared.T)
    distance = _squared(wanted - map_ @ y, covariance)
    return distance, -0.5 * (distance + float(np.linalg.slogdet(covariance)[1])), len(at)


def _powers(x: Floats, degree: int) -> Floats:
    """1, -x, x^2 of log C: the coefficients of a line are log A and alpha. The square is centred, for conditioning alone."""
    middle = 0.5 * (np.log(LOWER) + np.log(UPPER))
    return np.stack([np.ones_like(x), -x, (x - middle) ** 2][: degree + 1], axis=1)


def _regression(X: Floats, y: Floats) -> tuple[Floats, float]:
    """The linear map from y to the coefficients of least squares, and the variance about the fit."""
    solve = np.linalg.pinv(X)
    rest = y - X @ (solve @ y)
    return np.asarray(solve), float(rest @ rest) / (len(y) - X.shape[1])


def _squared(difference: Floats, covariance: Floats) -> float:
    return float(difference @ np.linalg.solve(covariance, difference))
