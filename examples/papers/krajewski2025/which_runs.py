r"""Which runs Table 11 of Krajewski et al. 2025 (arXiv 2512.08894) was fitted to.

Appendix H says "all datapoints"; Section 4.1 fits equation 2 to runs from 3e18 to 6e21 FLOP whose
accuracy exceeds guessing by 0.05. Every combination of an upper limit, a lower limit and the margin
is a rule. Equation 2 is fitted to the public runs that a rule keeps, and its coefficients
b = (log A, alpha) are compared with the decoded ones, b_11: the squared distance
d^2 = (b - b_11)^T V^{-1} (b - b_11), with V the estimated covariance of the fit to n runs, is twice
an F(2, n - 2) variable, whose mean (n - 2)/(n - 4) is far above 1 for few runs and infinite for four.
If the paper's runs include these, its own fit shares their noise, V is too large and d^2 smaller. The
likelihood of b_11 is that of Student's t in two dimensions. Benchmarks are put together by Fisher's
sum of log p, their noise taken as independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import lgamma, log, log1p
from typing import TYPE_CHECKING, Any

import numpy as np

from isoflop.numeric.accuracy.law import MARGIN
from isoflop.numeric.data.sample import above_guessing
from isoflop.numeric.data.scale import neg_log_accuracy
from isoflop.theory.data.published import KRAJEWSKI_RUNS, compute_counterparts

if TYPE_CHECKING:
    from isoflop.numeric.data.sample import Points

LOWER, UPPER = float(KRAJEWSKI_RUNS.fit_lo), float(KRAJEWSKI_RUNS.fit_hi)
#: Margins above guessing that are not the usual one (Appendix M: else too few runs are left).
MARGINS = {"LBPP": 0.02}
#: Stands for a p that is 0 to rounding.
SMALLEST = 1e-300
#: The difference of log-likelihoods from which one rule rules out another.
DECISIVE = 10.0


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


RULES = tuple(
    Rule(lower, upper, margin)
    for margin in (True, False)
    for upper in (UPPER, np.inf)
    for lower in (LOWER, 0.0)
)


@dataclass(frozen=True)
class RuleFit:
    """Equation 2 fitted to the n public runs of a benchmark that a rule keeps, with standard errors,
    and compared with the decoded coefficients.
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


@dataclass(frozen=True)
class Candidate:
    """A rule with its fits to every benchmark."""

    rule: Rule
    fits: tuple[RuleFit, ...]

    @property
    def distance(self) -> float:
        """Sum of d^2 over benchmarks; to be judged by `p`, for each has a reference of its own."""
        return sum(fit.distance for fit in self.fits)

    @property
    def p(self) -> float:
        """Of all benchmarks together."""
        from scipy.stats import chi2

        logs = [log(max(fit.p, SMALLEST)) for fit in self.fits]
        return float(chi2.sf(-2.0 * sum(logs), 2 * len(logs)))

    @property
    def closest(self) -> int:
        """Benchmarks whose printed exponent lies within two standard errors."""
        return sum(abs(fit.alpha - fit.alpha_printed) <= 2.0 * fit.alpha_error for fit in self.fits)

    def log_ratio(self, other: Candidate) -> tuple[float, float, float]:
        """Its log-likelihood less that of another; the least and the most with any one benchmark
        left out.
        """
        pairs = zip(self.fits, other.fits, strict=True)
        each = np.array([one.log_likelihood - two.log_likelihood for one, two in pairs])
        without = each.sum() - each
        return float(each.sum()), float(without.min()), float(without.max())


def which_runs(samples: Mapping[str, Points]) -> dict[Rule, Candidate]:
    """The fits by every rule to samples of accuracy near D/N = 20, by the benchmark's name in Table
    11, whose accuracies of guessing they have.
    """
    laws = {str(law.label): law for _, law in compute_counterparts()}
    return {
        rule: Candidate(rule, tuple(_fit(laws[name], x, rule) for name, x in samples.items()))
        for rule in RULES
    }


def verdict(found: Mapping[Rule, Candidate]) -> str:
    """What the runs say of the upper limit, of the margin and of the lower limit."""
    with_limit = found[Rule(LOWER, UPPER, True)]
    others = {
        "upper limit 6e21 FLOP": Rule(LOWER, np.inf, True),
        "margin above guessing": Rule(LOWER, UPPER, False),
        "lower limit 3e18 FLOP": Rule(0.0, UPPER, True),
    }
    texts = []
    for what, other in others.items():
        total, least, most = with_limit.log_ratio(found[other])
        answer = "yes" if least > DECISIVE else "no" if most < -DECISIVE else "cannot be told"
        bound = f", {least:+.0f} or more without any one benchmark" if answer == "yes" else ""
        texts.append(f"{what}: {answer} (log-likelihood {total:+.{0 if bound else 1}f}{bound})")
    return "; ".join(texts)


def _fit(law: Any, sample: Points, rule: Rule) -> RuleFit:
    from scipy.stats import f

    name = str(law.label)
    margin = MARGINS.get(name, MARGIN) if rule.margin else 0.0
    kept = above_guessing(sample.accuracy, sample.baseline, margin)
    kept &= (sample.compute >= rule.lower) & (sample.compute <= rule.upper)
    x = np.log(sample.compute[kept])
    y = np.log(neg_log_accuracy(sample.accuracy[kept], sample.baseline))
    (slope, log_A), covariance = np.polyfit(x, y, 1, cov=True)
    printed = float(law.printed["alpha"]), float(str(law.coefficients["alpha"]))
    away, spare = np.array([-printed[1] - slope, printed[0] - log_A]), len(x) - 2
    distance = float(away @ np.linalg.solve(covariance, away))
    log_t = lgamma(0.5 * (spare + 2)) - lgamma(0.5 * spare) - log(spare)
    log_t -= 0.5 * float(np.linalg.slogdet(covariance)[1])
    log_t -= 0.5 * (spare + 2) * log1p(distance / spare)
    alpha_error, log_A_error = np.sqrt(np.diag(covariance)).tolist()
    return RuleFit(
        *(name, len(x), -float(slope), alpha_error, float(log_A), log_A_error),
        *(printed[1], printed[0], distance, float(f.sf(distance / 2.0, 2, spare)), log_t),
    )
