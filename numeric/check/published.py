r"""The derived envelope against compute laws that others fitted: the published tables.

A params-tokens law fixes a compute law in two ways: its compute-optimal envelope, and its
restriction to a ray D/N = t along which the runs of a compute law were trained. Both are set beside
the compute law that was fitted to those runs directly. Source of the laws: Krajewski et al. 2025,
arXiv 2512.08894, Tables 12 and 11.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, log, nan, sqrt
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
    law, compute_law : PublishedLaw
        The params-tokens law, and the compute law fitted to the same benchmark.
    coefficients : dict
        A, B, beta and gamma of the params-tokens law.
    name, metric_type : str
        As Table 12 prints them.
    alpha_derived, alpha_empirical : float
        Exponents of the envelope, and of the compute law, decoded from Table 11.
    alpha_ray, alpha_ray_lo, alpha_ray_hi : float
        Local exponents of the ray at the geometric mean of the range, at its lowest and at its
        highest compute; they fall with compute.
    max_abs_difference, compute_at_max : float
        Largest difference in raw accuracy of the ray from the compute law on the range, and where it
        is attained, FLOP.
    max_abs_difference_envelope : float
        That of the envelope.
    verdict : {"agrees", "differs"}
        Whether that of the ray is within the tolerance.
    """

    law: PublishedLaw
    compute_law: PublishedLaw
    coefficients: dict[str, float]
    name: str
    metric_type: str
    alpha_derived: float
    alpha_empirical: float
    alpha_ray: float
    alpha_ray_lo: float
    alpha_ray_hi: float
    max_abs_difference: float = nan
    compute_at_max: float = nan
    max_abs_difference_envelope: float = nan
    verdict: str = ""

    @classmethod
    def of(cls, law: PublishedLaw, compute_law: PublishedLaw, tolerance: float) -> BenchmarkCheck:
        """The comparison of two laws."""
        c = {name: float(text) for name, text in law.coefficients.items() if text}
        places = sqrt(RANGE[0]) * sqrt(RANGE[1]), *RANGE
        ray, ray_lo, ray_hi = (float(formulas.ray_exponent(C, RATIO, **c)) for C in places)
        curves = cls(
            law=law,
            compute_law=compute_law,
            coefficients=c,
            name=str(law.label),
            metric_type=str(law.metric_type),
            alpha_derived=formulas.exponent(c["beta"], c["gamma"]),
            alpha_empirical=float(str(compute_law.coefficients["alpha"])),
            alpha_ray=ray,
            alpha_ray_lo=ray_lo,
            alpha_ray_hi=ray_hi,
        )
        at, away = _largest(lambda C: abs(curves.ray(C) - curves.fitted(C)))
        _, of_envelope = _largest(lambda C: abs(curves.envelope(C) - curves.fitted(C)))
        return replace(
            curves,
            max_abs_difference=away,
            compute_at_max=at,
            max_abs_difference_envelope=of_envelope,
            verdict="agrees" if away <= tolerance else "differs",
        )

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

    @property
    def agrees(self) -> int:
        """How many rows agree."""
        return sum(row.verdict == "agrees" for row in self.rows)

    def tables(self) -> tuple[Table, ...]:
        """One table, with a row for each benchmark."""
        low, high = map(FLOP.text, self.compute_range)
        notes = (
            f"{self.agrees} of {len(self.rows)} agree to {self.tolerance:g} in accuracy on the ray "
            f"D/N = {self.tokens_per_param:g}, for C from {low} to {high} FLOP.",
            f"Source: {self.rows[0].law.source.citation}",
        )
        return (Table(COLUMNS, [*self.rows, RULE], notes=notes),)

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
    benchmarks: for each of the 12 of Krajewski et al. the envelope and the ray D/N = 20. The compute
    laws were fitted to runs near D/N = 20, so the verdict is about the ray.

    Parameters
    ----------
    tolerance : float
        Largest difference in accuracy that counts as agreement; 1, > 0.

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
    rows = [BenchmarkCheck.of(law, fitted, tolerance) for law, fitted in compute_counterparts()]
    return PublishedCheck(rows=tuple(rows), tolerance=tolerance)


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
