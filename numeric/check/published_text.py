"""The check of the published tables as a table, and as text of at most 100 columns."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ...theory.typeset.numbers import Places, Shortest
from ...theory.typeset.table import RULE, WIDTH, Column, Table

if TYPE_CHECKING:
    from .published import PublishedCheck

__all__ = ["benchmarks", "text"]

FLOP = Shortest(3)


def benchmarks(result: PublishedCheck) -> Table:
    """A row for each benchmark; the notes say what the columns are."""
    low, middle, high = (FLOP.text(compute) for compute in _budgets(result))
    legend = (
        f"derived: envelope of the params-tokens law. fitted: compute law. ray: the params-tokens "
        f"law at "
        f"D/N={result.tokens_per_param:g}. |difference|: of the raw accuracy from that of the "
        f"compute law, "
        f"for C from {low} to {high} FLOP. agrees: at most {result.tolerance:g} on the ray; "
        f"descriptive, for the tables give no errors."
    )
    count = f"{result.agrees} of {len(result.rows)} agree, {result.differs} {'differs' if result.differs == 1 else 'differ'}."

    def exponent(key: str, heading: str, over: str = "alpha") -> Column:
        return Column(key, heading, over=over, format=Places(4), least_width=7)

    def difference(key: str, heading: str) -> Column:
        return Column(key, heading, over="max |difference|", format=Places(4), least_width=6)

    columns = (
        Column("name", "benchmark", align="left", least_width=10),
        Column("metric_type", "metric", align="left", least_width=11),
        Column("law", only="data"),
        Column("compute_law", only="data"),
        exponent("alpha_derived", "derived"),
        exponent("alpha_empirical", "fitted"),
        exponent("alpha_ray_lo", low, "alpha of the ray at C"),
        exponent("alpha_ray", middle, "alpha of the ray at C"),
        exponent("alpha_ray_hi", high, "alpha of the ray at C"),
        Column("coefficient_derived", only="data"),
        Column("coefficient_empirical", only="data"),
        Column("coefficient_ratio", only="data"),
        difference("max_abs_difference", "ray"),
        Column("compute_at_max", "at C", over="max |difference|", format=FLOP, least_width=7),
        difference("max_abs_difference_envelope", "envelope"),
        Column("compute_at_max_envelope", only="data"),
        Column("verdict", align="left", least_width=7),
    )
    notes = (count, legend, f"Source: {result.source}")
    return Table(columns, [*result.rows, RULE], notes=notes, gap=" ")


def text(result: PublishedCheck) -> str:
    """The rows under their headings, the count of the verdicts, what the columns are, and the
    source.
    """
    table = benchmarks(result)
    notes: list[Any] = [line for note in table.notes for line in wrap(str(note), WIDTH)]
    return "\n".join([*table.lines(), *notes])


def _budgets(result: PublishedCheck) -> tuple[float, float, float]:
    low, high = result.compute_range
    return low, result.reference_compute, high
