r"""Whether runs tell a ceiling of accuracy: the profile likelihood of E in -log Q' = E + ...,
Q'_max = exp(-E), and rivals.

For normal errors of log(-log Q') of one variance, the values of E that the runs do not exclude are
those with

.. math:: n \log \frac{S(E)}{\min_E S} \le \chi^2_{1, level}, \qquad E \ge 0,

where S(E) is the least sum of squares with that E. The raw ceiling is Q_r + (1 - Q_r) exp(-E).

A curve that bends need not have a ceiling. At a fixed ratio of tokens to params two terms without a
ceiling are two powers of compute, A C^-p + B C^-q, and with q -> 0 the flatter one is a ceiling. So
a ceiling of the law of compute counts as shown only if

* E = 0 is excluded, and
* no rival without a ceiling explains the runs as well, n log(S_rival/min_E S) <= chi^2. Rivals are two powers of compute with
  exponents of at least 0.05 (the flattest term of Krajewski et al. 2025, Table 12, has 0.081 at a
  fixed ratio) and, where params and tokens are known, A N^-beta + B D^-gamma as it is fitted for
  its own sake.

Else the law bends, and a ceiling and a second term cannot be told apart. The law of params and
tokens bends without a ceiling as it is; it has no rival, and tells a ceiling from runs of several
ratios.

Source of the law: Krajewski et al. 2025, arXiv 2512.08894, equation 10 and Appendix L, which
reports estimates without errors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import NormalDist
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from .. import formulas
from ..data.sample import above_guessing
from ..errors import ArgumentError
from ..fit.fitting import fit_form
from ..fit.models import PARAMS_TOKENS, PowerTerms
from ..fit.profile import profile_end
from ..results import Estimate, checked_level
from .kind import MARGIN
from .power import CEILING_KINDS, POWER_KINDS, SQUARES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..data.runs import Runs
    from ..data.sample import Sample
    from .fitting import LawFit

__all__ = ["BESIDE", "Ceiling", "Rival", "ceiling_of", "limit_at_zero"]

LEVEL = 0.9
#: A ceiling is located where its interval is at most this wide in raw accuracy.
LOCATED = 0.1
WIDTH = 100
#: A term with a smaller exponent of compute is as good as a constant: over 10^4 times the compute
#: it falls by a third.
FLATTEST_TERM = 0.05
#: Residuals of log(-log Q') of this size are rounding.
ROUNDING = 1e-9
#: Two terms of params and tokens at a fixed ratio of the two.
RAY = PowerTerms("ray", ("compute", "compute"), ("A", "B"), ("p", "q"), irreducible=False)
VERDICTS = {
    "no ceiling shown": "a ceiling of 1 is not excluded",
    "bends": "the law bends; a ceiling and a second term cannot be told apart",
    "identified": "a ceiling below 1 is shown, and located",
    "not located": "a ceiling of 1 is excluded, but where the ceiling is the runs do not tell",
}
#: What sets the E of a fit apart from that of this module.
BESIDE = (
    "E, which sets the ceiling, is of the fitted runs and by Huber's function; ceiling_of in Python "
    "takes all runs, held-out "
    "ones too, and least squares, so that the two may differ. Where E is 0 its limit is that of "
    "the profile likelihood of the "
    "fitted runs, as refits do not tell how far above 0 it may be"
)
#: Fits whose limits are kept: a table, its rows and its notes ask for the same one.
KEPT = 64


@dataclass(frozen=True, kw_only=True)
class Rival:
    """A law without a ceiling beside one with it, on the same runs.

    Attributes
    ----------
    law : str
        Of -log Q'.
    statistic : float
        n log(S_rival/S_ceiling); below 0 where the rival is closer to the runs.
    explains : bool
        Whether it explains the runs as well: the statistic is at most the quantile of chi-square
        with one degree of freedom.
    """

    law: str
    statistic: float
    explains: bool


@dataclass(frozen=True, kw_only=True)
class Ceiling:
    """The ceiling of a benchmark's accuracy.

    Attributes
    ----------
    benchmark, law : str
    n : int
        Runs.
    E : Estimate
        -log of normalised accuracy at the ceiling, >= 0: by least squares of log(-log Q'), with its
        profile interval.
    highest : float
        Highest observed accuracy.
    level : float
    rivals : tuple of Rival
    verdict : {"no ceiling shown", "bends", "identified", "not located"}
        Whether the interval reaches 1; where it does not, whether a rival explains the runs as
        well; if none does, whether the interval is at most 0.1 wide.
    baseline : float
        The accuracy of guessing.
    """

    benchmark: str
    law: str
    n: int
    E: Estimate
    highest: float
    rivals: tuple[Rival, ...]
    verdict: str
    baseline: float

    @property
    def accuracy(self) -> Estimate:
        """The ceiling in raw accuracy."""
        return self.E.mapped(lambda E: float(formulas.ceiling(E, self.baseline)))

    def __str__(self) -> str:
        ends = f"{self.accuracy.low:.3f} to {self.accuracy.high:.3f}"
        explain = ", ".join(rival.law for rival in self.rivals if rival.explains)
        without = f" ({explain} without one)" if self.verdict == "bends" else ""
        text = (
            f"{self.benchmark}, {self.law}: ceiling {self.accuracy.value:.3f}, "
            f"{100 * (self.E.level or 0.0):.4g} % interval {ends} "
            f"({self.n} runs, the highest {self.highest:.3f}): {VERDICTS[self.verdict]}{without}"
        )
        return "\n".join(wrap(text, WIDTH, subsequent_indent="  "))


def ceiling_of(
    sample: Sample, *, law: str = "compute", margin: float = MARGIN, level: float = LEVEL
) -> Ceiling:
    """The ceiling that the runs of a benchmark tell, if any.

    Parameters
    ----------
    sample : Sample
    law : {"compute", "params-tokens"}
        What is added to E.
    margin : float
        Runs are used where accuracy exceeds guessing by more than this.
    level : float
        Nominal coverage.

    Raises
    ------
    ValueError
        Where there is no such law, or there are not more runs than coefficients.
    """
    if law not in CEILING_KINDS:
        raise ArgumentError("law", law, f"one of {', '.join(CEILING_KINDS)}")
    level = checked_level(level)
    kind = POWER_KINDS[CEILING_KINDS[law]].with_objective(SQUARES)
    used = sample.subset(above_guessing(sample.accuracy, sample.baseline, margin))
    if len(used) <= len(kind.coefficients):
        raise ValueError(
            f"{sample.benchmark}: {len(used)} runs above guessing; must be more than the "
            f"{len(kind.coefficients)} coefficients of {kind.formula}"
        )
    runs = kind.runs(used)
    free = fit_form(runs, kind.terms, SQUARES)
    E, excess = free.coefficients["E"], _Excess(len(used), free.objective_value, level)

    def rise(value: float) -> float:
        """How much worse the best law with this E is."""
        return excess.of(fit_form(runs, kind.terms, SQUARES, fixed={"E": value}).objective_value)

    def end(limit: float) -> float:
        """The end of the interval, or the limit where no value on the way is excluded."""
        found = None if limit == E else profile_end(rise, excess.allowed, E, limit)
        return limit if found is None else found

    estimate = Estimate(E, end(0.0), end(float(np.max(runs.loss))), level=level)
    rivals = tuple(_rivals(runs, excess)) if law == "compute" else ()
    return Ceiling(
        benchmark=sample.benchmark,
        law=law,
        n=len(used),
        E=estimate,
        highest=float(used.accuracy.max()),
        rivals=rivals,
        verdict=_verdict(estimate, rivals, sample.baseline),
        baseline=sample.baseline,
    )


@dataclass(frozen=True)
class _Excess:
    """n log(S/S_best), where sums of squares that are rounding count as equal, and its quantile."""

    n: int
    best: float
    level: float

    @property
    def allowed(self) -> float:
        return NormalDist().inv_cdf(0.5 * (1.0 + self.level)) ** 2

    def of(self, squares: float) -> float:
        # The objective is half the sum of squares.
        rounding = 0.5 * self.n * ROUNDING**2
        return self.n * math.log((squares + rounding) / (self.best + rounding))


def _rivals(runs: Runs, excess: _Excess) -> Iterator[Rival]:
    """The laws without a ceiling that may bend as one with it."""
    fits = [
        fit_form(runs, RAY, SQUARES, bounds=dict.fromkeys(RAY.exponents, (FLATTEST_TERM, None)))
    ]
    if all(
        values is not None and np.isfinite(values).all() for values in (runs.params, runs.tokens)
    ):
        fits.append(fit_form(runs, replace(PARAMS_TOKENS, irreducible=False), SQUARES))
    for fit in fits:
        statistic = excess.of(fit.objective_value)
        yield Rival(law=str(fit.model), statistic=statistic, explains=statistic <= excess.allowed)


def _verdict(E: Estimate, rivals: tuple[Rival, ...], baseline: float) -> str:
    if E.low == 0.0:
        return "no ceiling shown"
    if any(rival.explains for rival in rivals):
        return "bends"
    highest, lowest = (float(formulas.ceiling(end, baseline)) for end in (E.low, E.high))
    return "identified" if highest - lowest <= LOCATED else "not located"


@lru_cache(maxsize=KEPT)
def limit_at_zero(fit: LawFit, level: float) -> float | None:
    """The upper end of the profile interval of E where its estimate is 0, the least that it can be.

    Refits gather at 0 and give it no upper end. None where E is not 0, or is no coefficient.
    """
    law = next((law for law, kind in CEILING_KINDS.items() if kind == fit.name), None)
    if law is None or fit.coefficients["E"] != 0.0:
        return None
    margin = MARGIN if fit.margin is None else fit.margin
    try:
        return ceiling_of(fit.sample, law=law, margin=margin, level=level).E.high
    except ValueError:  # no more runs than coefficients
        return None
