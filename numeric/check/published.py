r"""The derived envelope against compute laws that others fitted: the published tables.

A params-tokens law fixes a compute law in two ways: its compute-optimal envelope, and its
restriction to a ray D/N = t along which the runs of a compute law were trained. Both are set beside
the compute law that was fitted to those runs directly. Source of the laws: Krajewski et al. 2025,
arXiv 2512.08894, Tables 12 and 11.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.published import KRAJEWSKI_RUNS, PublishedLaw, compute_counterparts
from ...theory.typeset.numbers import Places, Shortest
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import RULE, Column, Table
from .. import formulas
from ..data.scale import accuracy
from ..errors import positive_number
from ..law.compute import power

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BenchmarkCheck", "PublishedCheck", "check_published"]

#: Largest difference in accuracy at which two curves are said to agree.
TOLERANCE = 0.02
#: The budgets of the source's runs near D/N = 20, FLOP.
RANGE = float(KRAJEWSKI_RUNS.compute_lo), float(KRAJEWSKI_RUNS.compute_hi)
RATIO = float(KRAJEWSKI_RUNS.tokens_per_param)
#: Points of a grid in log compute, fine beside 1/alpha > 1, over which an accuracy changes.
GRID = 513
FOUR, FLOP = Places(4), Shortest(3)
COLUMNS = (
    Column("name", "benchmark", align="left"),
    Column("metric_type", "metric", align="left"),
    Column("alpha_derived", "alpha\nenvelope", format=FOUR),
    Column("alpha_ray", "alpha\nray", format=FOUR),
    Column("alpha_ray_lo", only="data"),
    Column("alpha_ray_hi", only="data"),
    Column("alpha_empirical", "alpha\nfitted", format=FOUR),
    Column("max_abs_difference_envelope", "difference\nenvelope", format=FOUR),
    Column("max_abs_difference", "difference\nray", format=FOUR),
    Column("compute_at_max", "greatest\nat C", format=FLOP),
    Column("verdict", align="left"),
)


@dataclass(frozen=True, kw_only=True)
class BenchmarkCheck:
    """One benchmark: three predictions of its raw accuracy as a function of compute (FLOP, > 0, a
    number or an array), their exponents, and how far they lie apart.

    Attributes
    ----------
    law : PublishedLaw
        The params-tokens law.
    compute_law : PublishedLaw
        The compute law fitted to the same benchmark.
    tolerance : float
    """

    law: PublishedLaw
    compute_law: PublishedLaw
    tolerance: float = TOLERANCE

    @property
    def name(self) -> str:
        """The benchmark as Table 12 prints it."""
        return str(self.law.label)

    @property
    def metric_type(self) -> str:
        """How it is scored: acc_norm, acc, exact_match, pass@1."""
        return str(self.law.metric_type)

    @property
    def coefficients(self) -> dict[str, float]:
        """A, B, beta and gamma of the params-tokens law."""
        return {name: float(text) for name, text in self.law.coefficients.items() if text}

    def envelope(self, compute: Any) -> Any:
        """Accuracy with the compute-optimal allocation."""
        return self._raw(formulas.optimal_reducible_loss(compute, **self.coefficients))

    def ray(self, compute: Any) -> Any:
        """Accuracy at D/N = 20."""
        return self._raw(formulas.ray_reducible_loss(compute, RATIO, **self.coefficients))

    def fitted(self, compute: Any) -> Any:
        """Accuracy by the compute law -log Q' = C0 C^-alpha."""
        return self._raw(power(compute, float(self.compute_law.log_C0), self.alpha_empirical))

    def _raw(self, neg_log: Any) -> Any:
        return accuracy(neg_log, float(self.law.random_baseline or 0))

    @property
    def alpha_derived(self) -> float:
        """Exponent of the envelope."""
        return formulas.exponent(self.coefficients["beta"], self.coefficients["gamma"])

    @property
    def alpha_empirical(self) -> float:
        """Exponent of the compute law, decoded from Table 11."""
        return float(str(self.compute_law.coefficients["alpha"]))

    @property
    def alpha_ray(self) -> float:
        """Local exponent of the ray at the geometric mean of the range."""
        return self._ray_exponent(sqrt(RANGE[0]) * sqrt(RANGE[1]))

    @property
    def alpha_ray_lo(self) -> float:
        """That at the *lowest* compute; the exponent falls with compute."""
        return self._ray_exponent(RANGE[0])

    @property
    def alpha_ray_hi(self) -> float:
        """That at the *highest* compute."""
        return self._ray_exponent(RANGE[1])

    def _ray_exponent(self, compute: float) -> float:
        return float(formulas.ray_exponent(compute, RATIO, **self.coefficients))

    @cached_property
    def _ray_at_most(self) -> tuple[float, float]:
        return _largest(lambda C: abs(self.ray(C) - self.fitted(C)))

    @property
    def max_abs_difference(self) -> float:
        """Largest difference in raw accuracy of the ray from the compute law on the range."""
        return self._ray_at_most[1]

    @property
    def compute_at_max(self) -> float:
        """Where it is attained, FLOP."""
        return self._ray_at_most[0]

    @cached_property
    def max_abs_difference_envelope(self) -> float:
        """Largest difference of the envelope from the compute law."""
        return _largest(lambda C: abs(self.envelope(C) - self.fitted(C)))[1]

    @property
    def verdict(self) -> str:
        """ "agrees" where the ray differs by the tolerance at most, else "differs"."""
        return "agrees" if self.max_abs_difference <= self.tolerance else "differs"


@dataclass(frozen=True, kw_only=True)
class PublishedCheck(Shown):
    """Derived envelopes and rays against the compute laws of the same source.

    Attributes
    ----------
    rows : tuple of BenchmarkCheck
        In the order of Table 12.
    tolerance : float
        Largest difference in accuracy at which a row agrees. The tables give no errors: a verdict
        describes the size of the difference, not its significance.
    compute_range : (float, float)
        Lowest and highest compute of the comparison, in FLOP.
    tokens_per_param : float
        D/N of the ray.
    """

    rows: tuple[BenchmarkCheck, ...]
    tolerance: float
    compute_range: tuple[float, float] = RANGE
    tokens_per_param: float = RATIO

    def tables(self) -> tuple[Table, ...]:
        """One table, with a row for each benchmark."""
        low, high = map(FLOP.text, self.compute_range)
        notes = (
            f"{self.agrees} of {len(self.rows)} agree to {self.tolerance:g} in accuracy on the ray "
            f"D/N = {self.tokens_per_param:g}, for C from {low} to {high} FLOP.",
            f"Source: {self.rows[0].law.source.citation}",
        )
        return (Table(COLUMNS, [*self.rows, RULE], notes=notes),)

    @property
    def agrees(self) -> int:
        """How many rows agree."""
        return sum(row.verdict == "agrees" for row in self.rows)

    def as_dict(self) -> dict[str, Any]:
        """Everything in plain types, ready for JSON."""
        return {
            "kind": "published",
            "compute_range": list(self.compute_range),
            "tokens_per_param": self.tokens_per_param,
            "tolerance": self.tolerance,
            "rows": self.tables()[0].records(),
            "agrees": self.agrees,
        }


def check_published(*, tolerance: float = TOLERANCE) -> PublishedCheck:
    """Set what the published params-tokens laws imply beside the compute laws fitted to the same
    benchmarks.

    For each of the 12 benchmarks of Krajewski et al.: the exponent of the derived envelope, the
    local exponent of the ray D/N = 20, and the largest difference in raw accuracy between each of
    the two and the compute law. That was fitted to runs near D/N = 20, so the verdict is about the
    ray.

    Parameters
    ----------
    tolerance : float
        Largest difference in accuracy that counts as agreement; 1, > 0.

    Returns
    -------
    PublishedCheck

    Raises
    ------
    ValueError
        Where the tolerance is outside its domain.

    Examples
    --------
    >>> result = check_published()
    >>> result.rows[0].name, f"{result.rows[0].alpha_derived:.4f}"
    ('ARC-E', '0.1890')
    """
    tolerance = positive_number("tolerance", tolerance)
    rows = tuple(
        BenchmarkCheck(law=law, compute_law=fitted, tolerance=tolerance)
        for law, fitted in compute_counterparts()
    )
    return PublishedCheck(rows=rows, tolerance=tolerance)


def _largest(function: Callable[[Any], Any]) -> tuple[float, float]:
    """Where a function of compute is largest on the range, and its value there: every peak of a grid
    in log compute is refined.
    """
    from scipy.optimize import minimize_scalar

    grid = np.linspace(log(RANGE[0]), log(RANGE[1]), GRID)
    values = function(np.exp(grid))
    found = [(float(function(end)), end) for end in RANGE]
    inner = values[1:-1]
    for i in np.flatnonzero((values[:-2] < inner) & (inner >= values[2:])):
        peak = minimize_scalar(
            lambda s: -float(function(exp(s))),
            bounds=(grid[i], grid[i + 2]),
            method="bounded",
            options={"xatol": 1e-9},
        )
        found.append((-float(peak.fun), exp(peak.x)))
    height, compute = max(found)
    return compute, height
