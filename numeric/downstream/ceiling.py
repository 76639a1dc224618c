r"""Whether runs tell a ceiling of accuracy: the profile likelihood of E in -log Q' = E + ..., with Q'_max = exp(-E).

For normal errors of log(-log Q') of one variance, the values of E that the runs do not exclude are those with

.. math:: n \log \frac{S(E)}{\min_E S} \le \chi^2_{1, level}, \qquad E \ge 0,

where S(E) is the least sum of squares with that E. The raw ceiling is Q_r + (1 - Q_r) exp(-E). All this holds
if the law has the right form: a curve that bends for another reason looks like one with a ceiling. Source of the law: Krajewski
et al. 2025, arXiv 2512.08894, equation 10 and Appendix L, which reports estimates without errors.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from statistics import NormalDist
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from isoflop.numeric._generated import downstream as generated
from isoflop.numeric.downstream.power import CEILING_KINDS, MARGIN, POWER_KINDS, SQUARES
from isoflop.numeric.downstream.sample import above_guessing
from isoflop.numeric.fit.fitting import fit_terms
from isoflop.numeric.fit.intervals import checked_level

if TYPE_CHECKING:
    from isoflop.numeric.downstream.sample import Sample

__all__ = ["Ceiling", "ceiling_of"]

LEVEL = 0.9
#: A ceiling is located where its interval is at most this wide in raw accuracy.
LOCATED = 0.1
WIDTH = 100
VERDICTS = {
    "no ceiling shown": "a ceiling of 1 is not excluded",
    "identified": "a ceiling below 1 is shown, and located",
    "not located": "a ceiling of 1 is excluded, but where the ceiling is the runs do not tell",
}


@dataclass(frozen=True, kw_only=True)
class Ceiling:
    """The ceiling of a benchmark's accuracy.

    Attributes
    ----------
    benchmark, law : str
    n : int
        Runs.
    E, E_low, E_high : float
        -log of normalised accuracy at the ceiling: estimate by least squares of log(-log Q'), and profile interval; >= 0.
    value, low, high : float
        The ceiling in raw accuracy.
    highest : float
        Highest observed accuracy.
    level : float
    verdict : {"no ceiling shown", "identified", "not located"}
        Whether the interval reaches 1; where it does not, whether it is at most 0.1 wide.
    """

    benchmark: str
    law: str
    n: int
    E: float
    E_low: float
    E_high: float
    value: float
    low: float
    high: float
    highest: float
    level: float
    verdict: str

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    def __str__(self) -> str:
        found = f"{self.benchmark}, {self.law}: ceiling {self.value:.3f}, {100 * self.level:.4g} % interval {self.low:.3f} to "
        reached = f"{self.high:.3f} ({self.n} runs, the highest {self.highest:.3f}): {VERDICTS[self.verdict]}"
        return "\n".join(wrap(found + reached, WIDTH, subsequent_indent="  "))


def ceiling_of(sample: Sample, *, law: str = "compute", margin: float | None = None, level: float = LEVEL) -> Ceiling:
    """The ceiling that the runs of a benchmark tell, if any.

    Parameters
    ----------
    sample : Sample
    law : {"compute", "params-tokens"}
        What is added to E.
    margin : float, optional
        Runs are used where accuracy exceeds guessing by more than this; by default 0.05.
    level : float
        Nominal coverage.

    Raises
    ------
    ValueError
        Where there is no such law, or there are not more runs than coefficients.
    """
    if law not in CEILING_KINDS:
        raise ValueError(f"law={law!r}: must be one of {', '.join(CEILING_KINDS)}")
    kind = POWER_KINDS[CEILING_KINDS[law]].with_objective(SQUARES)
    level = checked_level(level)
    least = MARGIN if margin is None else margin
    used = sample.subset(above_guessing(sample.accuracy, sample.baseline, least))
    if len(used) <= len(kind.coefficients):
        raise ValueError(
            f"{sample.benchmark}: {len(used)} runs above guessing; must be more than the {len(kind.coefficients)} coefficients "
            f"of {kind.formula}"
        )
    runs = kind.runs(used)
    free = fit_terms(runs, kind.terms, SQUARES)
    best, E = free.objective_value, free.coefficients["E"]
    allowed = best * math.exp(NormalDist().inv_cdf(0.5 * (1.0 + level)) ** 2 / len(used))

    def rise(value: float) -> float:
        """How much worse the best law with this E is than what is allowed."""
        return fit_terms(runs, kind.terms, SQUARES, fixed={"E": value}).objective_value - allowed

    ends = _end(rise, E, 0.0), _end(rise, E, float(np.max(runs.loss)))
    raw = [float(generated.ceiling(np.float64(e), np.float64(sample.baseline))) for e in (E, *ends)]
    verdict = "no ceiling shown" if ends[0] == 0.0 else "identified" if raw[1] - raw[2] <= LOCATED else "not located"
    return Ceiling(
        benchmark=sample.benchmark,
        law=law,
        n=len(used),
        E=E,
        E_low=ends[0],
        E_high=ends[1],
        value=raw[0],
        low=raw[2],
        high=raw[1],
        highest=float(used.accuracy.max()),
        level=level,
        verdict=verdict,
    )


def _end(rise: Any, inside: float, limit: float) -> float:
    """Where the rise crosses 0 between a value inside the interval and a limit; the limit where it does not."""
    from scipy.optimize import brentq

    if inside == limit or rise(limit) <= 0.0:
        return limit
    return float(brentq(rise, inside, limit, xtol=1e-10, rtol=1e-8))
