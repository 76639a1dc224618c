r"""Which runs Table 11 of Krajewski et al. 2025 (arXiv 2512.08894) was fitted to.

Appendix H says "all datapoints"; Section 4.1 fits equation 2 to runs from 3e18 to 6e21 FLOP whose
accuracy exceeds guessing by 0.05. Every combination of an upper limit, a lower limit and the margin
is a candidate. Each is fitted to some public runs and checked by `which_runs_checks`. Benchmarks
are put together by Fisher's sum of log p, their noise taken as independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from krajewski2025.which_runs_checks import (
    LOWER,
    UPPER,
    CandidateFit,
    Rule,
    fit_rule,
    listed_budgets,
    margin_of,
    through_bend,
)

from isoflop.numeric.data.sample import above_guessing
from isoflop.numeric.words import counted
from isoflop.theory.data.bibliography import WORKS
from isoflop.theory.data.published import compute_counterparts

if TYPE_CHECKING:
    from isoflop.numeric.data.sample import Points

__all__ = ["Candidate", "CandidateFit", "RangeAnswer", "Rule", "which_runs"]

#: Stands for a p that is 0 to rounding.
SMALLEST = 1e-300
#: A check is failed at this p.
SIGNIFICANT = 0.05
#: Differences of log-likelihoods from which one candidate rules out another, and from which it is
#: to be preferred.
DECISIVE, LEANING = 10.0, 3.0
RULES = tuple(
    Rule(lower, upper, margin)
    for margin in (True, False)
    for upper in (UPPER, np.inf)
    for lower in (LOWER, 0.0)
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Candidate:
    """A rule with its fits to every benchmark."""

    rule: Rule
    fits: tuple[CandidateFit, ...]

    @property
    def distance(self) -> float:
        """Sum of d^2 over benchmarks, directly; to be judged by `p`, for each has a reference of
        its own.
        """
        return sum(fit.distance for fit in self.fits)

    @property
    def distance_through_bend(self) -> float:
        """The same through the bend."""
        return sum(fit.distance_through_bend for fit in self.fits)

    @property
    def p(self) -> float:
        """Of all benchmarks together, directly."""
        return _together([fit.p for fit in self.fits])

    @property
    def p_through_bend(self) -> float:
        """The same through the bend."""
        return _together([fit.p_through_bend for fit in self.fits])

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
    through_cubic : dict of str to float
        Benchmark -> p through a cubic instead of a quadratic, by the rule of Section 4.1.
    """

    candidates: tuple[Candidate, ...]
    through_cubic: dict[str, float]

    @cached_property
    def best(self) -> Candidate:
        """The candidate of greatest likelihood."""
        return max(self.candidates, key=lambda one: sum(fit.log_likelihood for fit in one.fits))

    def log_ratio(
        self, one: Candidate, other: Candidate, *, through_bend: bool = False
    ) -> tuple[float, float, float]:
        """Log-likelihood of one candidate less that of another; then the least and the most with
        any one benchmark left out.
        """
        name = "log_likelihood_through_bend" if through_bend else "log_likelihood"
        each = np.array(
            [getattr(a, name) - getattr(b, name) for a, b in zip(one.fits, other.fits, strict=True)]
        )
        without = each.sum() - each
        return float(each.sum()), float(without.min()), float(without.max())

    def candidate(self, *, lower: bool, upper: bool, margin: bool) -> Candidate:
        """The candidate with or without each limit."""
        return self._of(Rule(LOWER if lower else 0.0, UPPER if upper else np.inf, margin))

    @property
    def verdict(self) -> str:
        """What the runs say of the upper limit, of the lower one and of the margin, by either
        check.
        """
        with_limit = self.candidate(lower=True, upper=True, margin=True)
        others = {
            "upper limit 6e21 FLOP": self.candidate(lower=True, upper=False, margin=True),
            "margin above guessing": self.candidate(lower=True, upper=True, margin=False),
            "lower limit 3e18 FLOP": self.candidate(lower=False, upper=True, margin=True),
        }
        return "; ".join(
            f"{what}: {self._said(with_limit, other)}, through the bend "
            f"{self._said(with_limit, other, through_bend=True)}"
            for what, other in others.items()
        )

    def _said(self, with_it: Candidate, without: Candidate, *, through_bend: bool = False) -> str:
        total, least, most = self.log_ratio(with_it, without, through_bend=through_bend)
        if least > DECISIVE:
            return (
                f"yes (log-likelihood {total:+.0f}, {least:+.0f} or more without any one benchmark)"
            )
        if most < -DECISIVE:
            return (
                f"no (log-likelihood {total:+.0f}, {most:+.0f} or less without any one benchmark)"
            )
        lean = (
            ", but leans to yes"
            if least > LEANING
            else ", but leans to no"
            if most < -LEANING
            else ""
        )
        return f"cannot be told{lean} (log-likelihood {total:+.1f})"

    @property
    def disagreements(self) -> tuple[tuple[CandidateFit, str], ...]:
        """Benchmarks on which the rule of Section 4.1 passes directly and fails through the bend,
        and what would mend that.
        """
        chosen = self.candidate(lower=True, upper=True, margin=True)
        return tuple(
            (fit, self._why(chosen, fit))
            for fit in chosen.fits
            if fit.p > SIGNIFICANT >= fit.p_through_bend
        )

    def _why(self, chosen: Candidate, fit: CandidateFit) -> str:
        """The assumptions of the check that may be dropped one at a time, each with the p that
        follows.
        """
        found = []
        cubic = self.through_cubic[fit.benchmark]
        if cubic > SIGNIFICANT:
            found.append(
                f"the quadratic is too stiff: a cubic in its place passes (p = {cubic:.2g})"
            )
        bends = {
            one.rule: each
            for one in self.candidates
            for each in one.fits
            if each.benchmark == fit.benchmark
        }
        unlimited = bends[Rule(0.0, chosen.rule.upper, chosen.rule.margin)]
        if unlimited.p_through_bend > SIGNIFICANT:
            below = unlimited.n - fit.n
            runs = (
                f"{counted(below, 'public run')} below it"
                if below
                else "though the quadratic is extrapolated below it"
            )
            found.append(
                f"without the lower limit of compute it passes (p = "
                f"{unlimited.p_through_bend:.2g}), {runs}"
            )
        if all(each.p_through_bend <= SIGNIFICANT for each in bends.values()):
            kept = f"{fit.n} public runs are kept, and one variance is taken for all"
            found.append(f"through the quadratic it passes by no rule: {kept}")
        return "; ".join(found) or "no single assumption explains it"

    def _of(self, rule: Rule) -> Candidate:
        return next(one for one in self.candidates if one.rule == rule)

    def as_dict(self) -> dict[str, Any]:
        """Everything in plain types, ready for JSON; an absent limit is null."""
        return {
            "kind": "runs behind Table 11",
            "verdict": self.verdict,
            "disagreements": {fit.benchmark: why for fit, why in self.disagreements},
            "candidates": [
                {
                    "rule": one.rule.name,
                    "lower": one.rule.lower or None,
                    "upper": one.rule.upper if np.isfinite(one.rule.upper) else None,
                    "margin": one.rule.margin,
                    "distance": one.distance,
                    "p": one.p,
                    "distance_through_bend": one.distance_through_bend,
                    "p_through_bend": one.p_through_bend,
                    "within_two_errors": one.closest,
                    "fits": [asdict(fit) for fit in one.fits],
                }
                for one in self.candidates
            ],
            "source": WORKS["krajewski2025"].citation,
        }

    def text(self) -> str:
        """At most 100 columns wide."""
        from krajewski2025.tables_text import range_text

        return range_text(self)

    def __str__(self) -> str:
        return self.text()


def which_runs(samples: Mapping[str, Points]) -> RangeAnswer:
    """Compare fits by every rule with Table 11.

    Parameters
    ----------
    samples : mapping
        Benchmark as Table 11 names it -> its accuracy at runs near D/N = 20 with their compute; the
        accuracy of guessing is the table's.

    Returns
    -------
    RangeAnswer

    Raises
    ------
    ValueError
        Where a name is not in the table, a rule leaves fewer than four runs, or the samples hold
        every run of Tables 7 to 9.
    """
    laws = {str(law.label): law for _, law in compute_counterparts()}
    unknown = [name for name in samples if name not in laws]
    if unknown or not samples:
        raise ValueError(
            f"samples={unknown or list(samples)!r}: must be benchmarks among {', '.join(laws)}"
        )
    listed = listed_budgets()
    wanted = {
        name: np.array([float(laws[name].log_C0), float(str(laws[name].coefficients["alpha"]))])
        for name in samples
    }
    found = [
        Candidate(
            rule=rule,
            fits=tuple(
                fit_rule(name, sample, rule, wanted[name], listed)
                for name, sample in samples.items()
            ),
        )
        for rule in RULES
    ]
    cubic = {}
    for name, sample in samples.items():
        margin = margin_of(name)
        usable = sample.subset(above_guessing(sample.accuracy, sample.baseline, margin))
        cubic[name] = through_bend(usable, wanted[name], RULES[0], listed, margin, degree=3).p
    return RangeAnswer(candidates=tuple(found), through_cubic=cubic)


def _together(values: list[float]) -> float:
    """Fisher's p of independent ones."""
    from scipy.stats import chi2

    return float(chi2.sf(-2.0 * sum(np.log(max(p, SMALLEST)) for p in values), 2 * len(values)))
