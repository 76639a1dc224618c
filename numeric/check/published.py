r"""The derived envelope against compute laws that others fitted: the published tables.

A params-tokens law fixes a compute law in two ways: its compute-optimal envelope, and its
restriction to a ray D/N = t along which the runs of a compute law were trained. Both are set beside
the compute law that was fitted to those runs directly. Source of the laws: Krajewski et al. 2025,
arXiv 2512.08894, Tables 12 and 11.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.bibliography import WORKS
from ...theory.data.published import KRAJEWSKI_RUNS, compute_counterparts
from ...theory.typeset.numbers import Places, Shortest
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import RULE, Column, Table
from .. import formulas
from ..data.scale import accuracy
from ..law.form import power

if TYPE_CHECKING:
    from collections.abc import Callable

    from pandas import DataFrame

    from ...theory.data.published import PublishedLaw

#: The largest difference in accuracy at which two curves agree.
TOLERANCE = 0.02
#: The range of compute of the source's runs near D/N = 20, FLOP; their ratio; and the number of
#: points of a grid in log C.
RANGE = float(KRAJEWSKI_RUNS.compute_lo), float(KRAJEWSKI_RUNS.compute_hi)
RATIO, GRID = float(KRAJEWSKI_RUNS.tokens_per_param), 8193
FOUR, FLOP = Places(4), Shortest(3)
COLUMNS = (
    Column("name", "benchmark", align="left"),
    Column("metric_type", "metric", align="left"),
    Column("alpha_derived", "alpha\nenvelope", format=FOUR),
    Column("alpha_ray", "alpha\nray", format=FOUR),
    Column("alpha_empirical", "alpha\nfitted", format=FOUR),
    Column("max_abs_difference_envelope", "difference\nenvelope", format=FOUR),
    Column("max_abs_difference", "difference\nray", format=FOUR),
    Column("compute_at_max", "greatest\nat C", format=FLOP),
    Column("verdict", align="left"),
)


def curves_of(law: PublishedLaw, by: PublishedLaw) -> dict[str, Callable[[Any], Any]]:
    """The raw accuracy on a benchmark as functions of compute, FLOP: by the "envelope" and by the
    "ray" D/N = 20 of its params-tokens law, and by the compute law "fitted" to it.
    """
    c, guess = coefficients_of(law), float(law.random_baseline or 0)
    log_C0, alpha = float(by.printed["alpha"]), float(str(by.coefficients["alpha"]))
    return {
        "envelope": lambda C: accuracy(formulas.optimal_reducible_loss(C, **c), guess),
        "ray": lambda C: accuracy(formulas.ray_reducible_loss(C, RATIO, **c), guess),
        "fitted": lambda C: accuracy(power(C, log_C0, alpha), guess),
    }


def coefficients_of(law: PublishedLaw) -> dict[str, float]:
    """A, B, beta and gamma of a params-tokens law."""
    return {name: float(text) for name, text in law.coefficients.items() if text}


@dataclass(frozen=True, kw_only=True)
class PublishedCheck(Shown):
    """Derived envelopes and rays against the compute laws of the same source, by benchmark: the
    `table`, whose columns `check_published` explains.
    """

    table: DataFrame

    @property
    def agrees(self) -> int:
        """The number of benchmarks that agree."""
        return int((self.table.verdict == "agrees").sum())

    def tables(self) -> tuple[Table, ...]:
        """One table, with a row for each benchmark."""
        low, high = map(FLOP.text, RANGE)
        notes = (
            f"{self.agrees} of {len(self.table)} agree to {TOLERANCE:g} in accuracy "
            f"on the ray D/N = {RATIO:g}, for C from {low} to {high} FLOP.",
            f"Source: {WORKS['krajewski2025'].citation}",
        )
        return (Table(COLUMNS, [*self.table.itertuples(), RULE], notes=notes),)

    def as_dict(self) -> dict[str, Any]:
        """Everything in plain types, ready for JSON."""
        settings = {"compute_range": list(RANGE), "tokens_per_param": RATIO}
        found = {"tolerance": TOLERANCE, "rows": self.table.to_dict("records")}
        return {"kind": "published", **settings, **found, "agrees": self.agrees}


def check_published() -> PublishedCheck:
    """Compare the envelope and the ray D/N = 20 of the published params-tokens laws with the compute
    laws fitted to runs near that ray, for each of the 12 benchmarks of Krajewski et al.

    The table has the exponents alpha_derived of the envelope, alpha_ray of the ray at the geometric
    mean of the range and alpha_empirical of the compute law; the largest differences in raw accuracy
    from that law, max_abs_difference_envelope and, of the ray, max_abs_difference at compute_at_max;
    and the verdict: "agrees" if that of the ray is at most `TOLERANCE`, else "differs". The
    source gives no errors: the verdict is about size, not significance.

    Examples
    --------
    >>> result = check_published()
    >>> result.table.name[0], f"{result.table.alpha_derived[0]:.4f}"
    ('ARC-E', '0.1890')
    """
    from pandas import DataFrame

    compute, rows = np.geomspace(*RANGE, GRID), []
    for law, by in compute_counterparts():
        c, found = coefficients_of(law), {x: y(compute) for x, y in curves_of(law, by).items()}
        away = np.abs(found["ray"] - found["fitted"])
        rows.append(
            {
                "name": str(law.label),
                "metric_type": str(law.metric_type),
                "alpha_derived": formulas.exponent(c["beta"], c["gamma"]),
                "alpha_ray": formulas.ray_exponent(sqrt(RANGE[0]) * sqrt(RANGE[1]), RATIO, **c),
                "alpha_empirical": float(str(by.coefficients["alpha"])),
                "max_abs_difference_envelope": np.abs(found["envelope"] - found["fitted"]).max(),
                "max_abs_difference": away.max(),
                "compute_at_max": compute[away.argmax()],
                "verdict": "agrees" if away.max() <= TOLERANCE else "differs",
            }
        )
    return PublishedCheck(table=DataFrame(rows))
