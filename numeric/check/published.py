r"""The derived envelope against compute laws that others fitted: the published tables.

A params-tokens law fixes a compute law in two ways: its compute-optimal envelope, and its
restriction to a ray D/N = t along which the runs of a compute law were trained. Both are set beside
the compute law that was fitted to those runs directly. Source of the laws: Krajewski et al. 2025,
arXiv 2512.08894, Tables 12 and 11.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ...theory.data.published import KRAJEWSKI_RUNS, PublishedLaw, compute_counterparts, published
from ...theory.typeset.numbers import Places, Shortest
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import RULE, WIDTH, Column, Table
from .. import formulas
from ..errors import POSITIVE, outside, positive_number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AccuracyCurves", "BenchmarkCheck", "PublishedCheck", "check_published"]

#: Largest difference in accuracy at which two curves are said to agree.
TOLERANCE = 0.02
FLOP = Shortest(3)
#: Points of a grid in log compute, fine beside 1/alpha > 1, over which an accuracy changes.
GRID = 513


@dataclass(frozen=True, kw_only=True)
class AccuracyCurves:
    """Three predictions of a benchmark's raw accuracy as a function of compute.

    Attributes
    ----------
    law : PublishedLaw
        The params-tokens law.
    compute_law : PublishedLaw
        The compute law fitted to the same benchmark.
    tokens_per_param : float
        D/N of the ray.
    """

    law: PublishedLaw
    compute_law: PublishedLaw
    tokens_per_param: float

    @property
    def coefficients(self) -> dict[str, float]:
        """A, B, beta and gamma of the params-tokens law."""
        return {
            name: float(text) for name, text in self.law.coefficients.items() if text is not None
        }

    def envelope(self, compute: Any) -> Any:
        """Accuracy with the compute-optimal allocation. ``compute``: FLOP, > 0, a number or an
        array.
        """
        return _raw(self.law, formulas.optimal_reducible_loss(compute, **self.coefficients))

    def ray(self, compute: Any) -> Any:
        """Accuracy at the fixed D/N. ``compute``: FLOP, > 0, a number or an array."""
        on_ray = formulas.ray_reducible_loss(compute, self.tokens_per_param, **self.coefficients)
        return _raw(self.law, on_ray)

    def fitted(self, compute: Any) -> Any:
        """Accuracy by the compute law -log Q' = C0 C^-alpha. ``compute``: FLOP, > 0, a number or an
        array.
        """
        import numpy as np

        alpha = float(str(self.compute_law.coefficients["alpha"]))
        return _raw(
            self.compute_law, np.exp(float(self.compute_law.log_C0) - alpha * np.log(compute))
        )


@dataclass(frozen=True, kw_only=True)
class BenchmarkCheck:
    """One benchmark: the exponents, and how far the predicted accuracies lie apart.

    Attributes
    ----------
    name : str
        The benchmark as Table 12 prints it.
    metric_type : str
        How it is scored: acc_norm, acc, exact_match, pass@1.
    law, compute_law : str
        Names of the two published laws.
    alpha_derived, alpha_empirical : float
        Exponents of the envelope, derived from the params-tokens law, and of the compute law,
        decoded from Table 11.
    alpha_ray, alpha_ray_lo, alpha_ray_hi : float
        Local exponent of the ray at the geometric mean, at the *lowest* and at the *highest*
        compute of the range. It falls with compute: alpha_ray_lo >= alpha_ray >= alpha_ray_hi.
    coefficient_derived, coefficient_empirical : float
        C0 of the envelope and of the compute law: the value extrapolated to one FLOP.
    max_abs_difference, max_abs_difference_envelope : float
        Largest difference in raw accuracy of the ray, and of the envelope, from the compute law on
        the range.
    compute_at_max, compute_at_max_envelope : float
        Where it is attained, in FLOP.
    verdict : {"agrees", "differs"}
        Whether max_abs_difference is at most the tolerance.
    """

    name: str
    metric_type: str
    law: str
    compute_law: str
    alpha_derived: float
    alpha_empirical: float
    alpha_ray: float
    alpha_ray_lo: float
    alpha_ray_hi: float
    coefficient_derived: float
    coefficient_empirical: float
    max_abs_difference: float
    compute_at_max: float
    max_abs_difference_envelope: float
    compute_at_max_envelope: float
    verdict: str


@dataclass(frozen=True, kw_only=True)
class PublishedCheck(Shown):
    """Derived envelopes and rays against the compute laws of the same source.

    Attributes
    ----------
    rows : tuple of BenchmarkCheck
        In the order of Table 12.
    compute_range : (float, float)
        Lowest and highest compute of the comparison, in FLOP.
    tokens_per_param : float
        D/N of the ray.
    tolerance : float
        Largest difference in accuracy at which a row agrees. The tables give no errors: a verdict
        describes the size of the difference, not its significance.
    source : str
        Where the laws come from.
    """

    rows: tuple[BenchmarkCheck, ...]
    compute_range: tuple[float, float]
    tokens_per_param: float
    tolerance: float
    source: str

    def __str__(self) -> str:
        table = self.tables()[0]
        notes = (line for note in table.notes for line in wrap(str(note), WIDTH))
        return "\n".join([*table.lines(), *notes])

    def tables(self) -> tuple[Table, ...]:
        """One table, with a row for each benchmark."""
        low, high = map(FLOP.text, self.compute_range)
        columns = (
            Column("name", "benchmark", align="left"),
            Column("metric_type", "metric", align="left"),
            Column("law", only="data"),
            Column("compute_law", only="data"),
            _number("alpha_derived", "alpha\nenvelope"),
            _number("alpha_ray", "alpha\nray"),
            Column("alpha_ray_lo", only="data"),
            Column("alpha_ray_hi", only="data"),
            _number("alpha_empirical", "alpha\nfitted"),
            Column("coefficient_derived", only="data"),
            Column("coefficient_empirical", only="data"),
            _number("max_abs_difference_envelope", "difference\nenvelope"),
            Column("compute_at_max_envelope", only="data"),
            _number("max_abs_difference", "difference\nray"),
            Column("compute_at_max", "greatest\nat C", format=FLOP),
            Column("verdict", align="left"),
        )
        notes = (
            f"{self.agrees} of {len(self.rows)} agree to {self.tolerance:g} in accuracy on the ray "
            f"D/N = {self.tokens_per_param:g}, for C from {low} to {high} FLOP.",
            f"Source: {self.source}",
        )
        return (Table(columns, [*self.rows, RULE], notes=notes),)

    @property
    def agrees(self) -> int:
        """How many rows agree."""
        return sum(row.verdict == "agrees" for row in self.rows)

    @property
    def differs(self) -> int:
        """How many rows differ."""
        return len(self.rows) - self.agrees

    def curves(self, name: str) -> AccuracyCurves:
        """The curves behind the row of a benchmark.

        Raises
        ------
        ValueError
            If no row has that name.
        """
        rows = {row.name: row for row in self.rows}
        if name not in rows:
            raise ValueError(f"unknown benchmark name={name!r}; choose from {', '.join(rows)}")
        return AccuracyCurves(
            law=published(rows[name].law),
            compute_law=published(rows[name].compute_law),
            tokens_per_param=self.tokens_per_param,
        )

    def as_dict(self) -> dict[str, Any]:
        """Everything in plain types, ready for JSON."""
        return {
            "kind": "published",
            "compute_range": list(self.compute_range),
            "tokens_per_param": self.tokens_per_param,
            "tolerance": self.tolerance,
            "rows": [asdict(row) for row in self.rows],
            "agrees": self.agrees,
            "source": self.source,
        }

    def to_frame(self) -> pd.DataFrame:
        """One row a benchmark, indexed by its name (needs pandas)."""
        return super().to_frame().set_index("name")


def check_published(
    *,
    compute_range: tuple[float, float] | None = None,
    tolerance: float = TOLERANCE,
    tokens_per_param: float | None = None,
) -> PublishedCheck:
    """Set what the published params-tokens laws imply beside the compute laws fitted to the same
    benchmarks.

    For each of the 12 benchmarks of Krajewski et al.: the exponent of the derived envelope, the
    local exponent of the ray D/N = ``tokens_per_param``, and the largest difference in raw accuracy
    between each of the two and the compute law. That was fitted to runs near D/N = 20, so the
    verdict is about the ray.

    Parameters
    ----------
    compute_range : (float, float), optional
        Lowest and highest compute, FLOP, > 0; by default the budgets of the source's runs near D/N
        = 20.
    tolerance : float
        Largest difference in accuracy that counts as agreement; 1, > 0.
    tokens_per_param : float, optional
        D/N of the ray; tokens per parameter, > 0; by default that of the source's runs.

    Returns
    -------
    PublishedCheck

    Raises
    ------
    ValueError
        Where an argument is outside its domain.

    Examples
    --------
    >>> result = check_published()
    >>> result.rows[0].name, f"{result.rows[0].alpha_derived:.4f}"
    ('ARC-E', '0.1890')
    """
    lo, hi = _range(compute_range)
    tolerance = positive_number("tolerance", tolerance)
    if tokens_per_param is None:
        tokens_per_param = float(KRAJEWSKI_RUNS.tokens_per_param)
    ratio = positive_number("tokens_per_param", tokens_per_param)
    pairs = compute_counterparts()
    return PublishedCheck(
        rows=tuple(
            _check(
                AccuracyCurves(law=law, compute_law=fitted, tokens_per_param=ratio),
                lo,
                hi,
                tolerance,
            )
            for law, fitted in pairs
        ),
        compute_range=(lo, hi),
        tokens_per_param=ratio,
        tolerance=tolerance,
        source=pairs[0][0].source.citation,
    )


def _number(key: str, heading: str) -> Column:
    return Column(key, heading, format=Places(4))


def _check(curves: AccuracyCurves, lo: float, hi: float, tolerance: float) -> BenchmarkCheck:
    law, compute_law, given = curves.law, curves.compute_law, curves.coefficients
    alpha, C0 = (float(str(compute_law.coefficients[name])) for name in ("alpha", "C0"))
    at_low, at_middle, at_high = (
        float(formulas.ray_exponent(compute, curves.tokens_per_param, **given))
        for compute in (lo, math.sqrt(lo) * math.sqrt(hi), hi)
    )
    at_ray, difference = _largest(lambda C: abs(curves.ray(C) - curves.fitted(C)), lo, hi)
    at_envelope, envelope_difference = _largest(
        lambda C: abs(curves.envelope(C) - curves.fitted(C)), lo, hi
    )
    return BenchmarkCheck(
        name=str(law.label),
        metric_type=str(law.metric_type),
        law=law.name,
        compute_law=compute_law.name,
        alpha_derived=formulas.exponent(given["beta"], given["gamma"]),
        alpha_empirical=alpha,
        alpha_ray=at_middle,
        alpha_ray_lo=at_low,
        alpha_ray_hi=at_high,
        coefficient_derived=formulas.coefficient(**given),
        coefficient_empirical=C0,
        max_abs_difference=difference,
        compute_at_max=at_ray,
        max_abs_difference_envelope=envelope_difference,
        compute_at_max_envelope=at_envelope,
        verdict="agrees" if difference <= tolerance else "differs",
    )


def _raw(law: PublishedLaw, neg_log: Any) -> Any:
    from ..data.scale import accuracy

    return accuracy(neg_log, float(law.random_baseline or 0))


def _range(compute_range: tuple[float, float] | None) -> tuple[float, float]:
    if compute_range is None:
        return float(KRAJEWSKI_RUNS.compute_lo), float(KRAJEWSKI_RUNS.compute_hi)
    domain = f"two numbers, each {POSITIVE}, the first below the second"
    try:
        lo, hi = (positive_number("compute_range", bound) for bound in compute_range)
    except (TypeError, ValueError):
        raise outside("compute_range", compute_range, domain) from None
    if not lo < hi:
        raise outside("compute_range", compute_range, domain)
    return lo, hi


def _largest(function: Callable[[Any], Any], lo: float, hi: float) -> tuple[float, float]:
    """Where a function of compute is largest on [lo, hi], and its value there: every peak of a grid
    in log compute is refined.
    """
    import numpy as np
    from scipy.optimize import minimize_scalar

    grid = np.linspace(math.log(lo), math.log(hi), GRID)
    values = function(np.exp(grid))
    found = [(float(function(end)), end) for end in (lo, hi)]
    for i in range(1, GRID - 1):
        if values[i - 1] < values[i] >= values[i + 1]:
            peak = minimize_scalar(
                lambda s: -float(function(math.exp(s))),
                bounds=(grid[i - 1], grid[i + 1]),
                method="bounded",
                options={"xatol": 1e-9},
            )
            found.append((-float(peak.fun), math.exp(peak.x)))
    height, compute = max(found)
    return compute, height
