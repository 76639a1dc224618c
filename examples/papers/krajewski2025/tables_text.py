"""What `tables` finds, as text of at most 100 columns."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from krajewski2025.tables import TOLERANCE, ray_exponents

from isoflop.theory.typeset.numbers import Format, Places, Significant
from isoflop.theory.typeset.table import WIDTH, Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from krajewski2025.tables import AverageRow, TablesCheck

TWO, THREE = Significant(2), Significant(3)
NAME, VERDICT = Column("benchmark", align="left"), Column("verdict", align="left")


def number(key: str, heading: str, format: Format | int) -> Column:
    """A column of numbers, to so many places where no format is given."""
    return Column(key, heading, format=Places(format) if isinstance(format, int) else format)


def section(columns: Sequence[Column], rows: Sequence[Any], note: str = "") -> list[str]:
    """A table and its note."""
    return [*Table(columns, rows).lines(), *wrap(note, WIDTH)]


def tables_text(check: TablesCheck) -> str:
    """A section for each pair of tables, then the list of disagreements."""
    lo, hi = map(THREE.text, check.compute_range)
    sections = [
        ("Table 12 along D/N = 20 against Table 11", _rays(check)),
        ("Table 13 at k = 1 against Table 11", _draws(check)),
        ("Table 10 against Table 11", _broken(check)),
        ("Table 16 against Table 11", _baselines(check)),
        ("Table 15 where Q_max = 1 against Table 3", _ceilings(check)),
        ("Tables 3 and 4 against the rows of Table 3", _averages(check)),
        (f"{len(check.disagreements)} disagreements", _disagreements(check)),
    ]
    legend = (
        f"|difference|: largest of the raw accuracy for C from {lo} (Table 10: 3e18) to {hi} FLOP; "
        f"agrees: at most "
        f"{TOLERANCE:g}. Numbers that ought to be the same agree within rounding. Columns of "
        f"Tables 11 and 13 are decoded."
    )
    lines = [line for heading, body in sections for line in (heading, "", *body, "")]
    return "\n".join([*lines, *wrap(legend, WIDTH), *wrap(f"Source: {check.source}", WIDTH)])


def _rays(check: TablesCheck) -> list[str]:
    outside = []
    for row in check.rays.table.itertuples():
        lowest, highest = ray_exponents(row.name)
        away = row.alpha_empirical - min(max(row.alpha_empirical, highest), lowest)
        outside += [f"{row.name} {away:+.4f}"] if away else []
    note = f"Fitted exponents outside the ray's, by how much: {', '.join(outside) or 'none'}."
    return [*str(check.rays).splitlines(), *wrap(note, WIDTH)]


def _draws(check: TablesCheck) -> list[str]:
    columns = (
        NAME,
        number("alpha_one_sample", "alpha 13", 4),
        number("alpha_compute", "alpha 11", 4),
        Column("rounding", of=lambda row: f"{row.rounding:.1g}"),
        number("log_A_one_sample", "log A 13", 4),
        number("log_A_compute", "log A 11", 4),
        number("max_abs_difference", "|difference|", 4),
        number("crossing", "C_x", TWO),
        VERDICT,
    )
    note = "C_x: below it Table 13 says that more samples solve fewer problems."
    return section(columns, check.draws, note)


def _broken(check: TablesCheck) -> list[str]:
    columns = (
        NAME,
        number("max_abs_difference", "|difference|", 4),
        number("compute_at_max", "at C", TWO),
        number("rounding", "", 4),
        number("lowest", "lowest Q", 3),
        number("break_over_largest", "d1 / largest C", 1),
        VERDICT,
    )
    beyond = sum(row.break_over_largest > 1.0 for row in check.broken)
    note = (
        f"rounding: what the digits leave of accuracy. {beyond} of {len(check.broken)} breaks lie "
        f"beyond the largest run. "
        f"At the largest C Table 11 extrapolates: it agrees with fits to runs up to 6e21 FLOP "
        f"alone."
    )
    return section(columns, check.broken, note)


def _baselines(check: TablesCheck) -> list[str]:
    columns = (NAME, Column("table_11", "Table 11"), Column("table_16", "Table 16"), VERDICT)
    return section(columns, check.baselines)


def _ceilings(check: TablesCheck) -> list[str]:
    columns = (
        NAME,
        number("mre_without", "MRE % 3", 2),
        number("mre_with", "MRE % 15", 2),
        number("mae_without", "MAE 3", 4),
        number("mae_with", "MAE 15", 4),
        VERDICT,
    )
    note = "The two were fitted by different objectives, least squares and Huber, to the same runs according to the text."
    return section(columns, check.ceilings, note)


def _averages(check: TablesCheck) -> list[str]:
    def verdict(row: AverageRow) -> str:
        return row.verdict + (" (of five)" if row.of_five else "")

    columns = (
        Column("table", align="left"),
        Column("strategy"),
        Column("what"),
        Column("printed", of=lambda row: f"{row.printed:g}"),
        Column("over_all", "over 12", of=lambda row: f"{row.over_all:.4g}"),
        Column("over_five", "over 5", of=lambda row: f"{row.over_five:.4g}"),
        Column("verdict", align="left", of=verdict),
    )
    note = "of five: it is the figure over the five acc_norm benchmarks ARC-E, ARC-C, SciQ, PIQA and HellaSwag."
    return section(columns, check.averages, note)


def _disagreements(check: TablesCheck) -> list[str]:
    lines: Sequence[str] = [
        f"{one.tables}, {one.where}: {one.what}." for one in check.disagreements
    ]
    return [part for line in lines for part in wrap(line, WIDTH, subsequent_indent="  ")]
