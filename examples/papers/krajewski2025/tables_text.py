"""What `tables` and `which_runs` find, as text of at most 100 columns."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from isoflop.theory.typeset.numbers import Significant
from isoflop.theory.typeset.table import WIDTH, Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from krajewski2025.tables import TablesCheck
    from krajewski2025.which_runs import RangeAnswer

__all__ = ["range_text", "tables_text"]


def number(value: float, digits: int) -> str:
    """A number to so many significant digits."""
    return Significant(digits).text(value)


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows under their headings, the first and the last column to the left."""
    last = len(headings) - 1
    columns = [
        Column(
            str(i),
            heading or " ",
            align="left" if i in (0, last) else "right",
            of=lambda row, i=i: row[i],
        )
        for i, heading in enumerate(headings)
    ]
    return Table(columns, rows).lines()


def tables_text(check: TablesCheck) -> str:
    """A section for each pair of tables, then the list of disagreements."""
    lo, hi = (number(compute, 3) for compute in check.compute_range)
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
        f"{check.tolerance:g}. Numbers that ought to be the same agree within rounding. Columns of "
        f"Tables 11 and 13 are decoded."
    )
    lines = [line for heading, body in sections for line in (heading, "", *body, "")]
    return "\n".join([*lines, *wrap(legend, WIDTH), *wrap(f"Source: {check.source}", WIDTH)])


def _rays(check: TablesCheck) -> list[str]:
    outside = [
        f"{row.name} {row.alpha_empirical - nearest:+.4f}"
        for row in check.rays.rows
        if (nearest := min(max(row.alpha_empirical, row.alpha_ray_hi), row.alpha_ray_lo))
        != row.alpha_empirical
    ]
    note = f"Fitted exponents outside the ray's, by how much: {', '.join(outside) or 'none'}."
    return [*str(check.rays).splitlines(), *wrap(note, WIDTH)]


def _draws(check: TablesCheck) -> list[str]:
    rows = [
        [
            row.benchmark,
            f"{row.alpha_one_sample:.4f}",
            f"{row.alpha_compute:.4f}",
            f"{row.rounding:.1g}",
            f"{row.log_A_one_sample:.4f}",
            f"{row.log_A_compute:.4f}",
            f"{row.max_abs_difference:.4f}",
            number(row.crossing, 2),
            row.verdict,
        ]
        for row in check.draws
    ]
    columns = (
        "benchmark",
        "alpha 13",
        "alpha 11",
        "rounding",
        "log A 13",
        "log A 11",
        "|difference|",
        "C_x",
        "verdict",
    )
    note = "C_x: below it Table 13 says that more samples solve fewer problems."
    return [*table(columns, rows), *wrap(note, WIDTH)]


def _broken(check: TablesCheck) -> list[str]:
    rows = [
        [
            row.benchmark,
            f"{row.max_abs_difference:.4f}",
            number(row.compute_at_max, 2),
            f"{row.rounding:.4f}",
            f"{row.lowest:.3f}",
            f"{row.break_over_largest:.1f}",
            row.verdict,
        ]
        for row in check.broken
    ]
    columns = (
        "benchmark",
        "|difference|",
        "at C",
        "rounding",
        "lowest Q",
        "d1 / largest C",
        "verdict",
    )
    beyond = sum(row.break_over_largest > 1.0 for row in check.broken)
    note = (
        f"rounding: what the digits leave of accuracy. {beyond} of {len(check.broken)} breaks lie "
        f"beyond the largest run. "
        f"At the largest C Table 11 extrapolates: it agrees with fits to runs up to 6e21 FLOP "
        f"alone."
    )
    return [*table(columns, rows), *wrap(note, WIDTH)]


def _baselines(check: TablesCheck) -> list[str]:
    rows = [[row.benchmark, row.table_11, row.table_16, row.verdict] for row in check.baselines]
    return table(("benchmark", "Table 11", "Table 16", "verdict"), rows)


def _ceilings(check: TablesCheck) -> list[str]:
    rows = [
        [
            row.benchmark,
            f"{row.mre_without:.2f}",
            f"{row.mre_with:.2f}",
            f"{row.mae_without:.4f}",
            f"{row.mae_with:.4f}",
            row.verdict,
        ]
        for row in check.ceilings
    ]
    note = "The two were fitted by different objectives, least squares and Huber, to the same runs according to the text."
    return [
        *table(("benchmark", "MRE % 3", "MRE % 15", "MAE 3", "MAE 15", "verdict"), rows),
        *wrap(note, WIDTH),
    ]


def _averages(check: TablesCheck) -> list[str]:
    rows = [
        [
            row.table,
            row.strategy,
            row.what,
            f"{row.printed:g}",
            f"{row.over_all:.4g}",
            f"{row.over_five:.4g}",
            row.verdict + (" (of five)" if row.of_five else ""),
        ]
        for row in check.averages
    ]
    note = "of five: it is the figure over the five acc_norm benchmarks ARC-E, ARC-C, SciQ, PIQA and HellaSwag."
    return [
        *table(("table", "strategy", "what", "printed", "over 12", "over 5", "verdict"), rows),
        *wrap(note, WIDTH),
    ]


def _disagreements(check: TablesCheck) -> list[str]:
    lines: Sequence[str] = [
        f"{one.tables}, {one.where}: {one.what}." for one in check.disagreements
    ]
    return [part for line in lines for part in wrap(line, WIDTH, subsequent_indent="  ")]


def range_text(answer: RangeAnswer) -> str:
    """The candidates, those with and without the upper limit benchmark by benchmark, and the
    verdict.
    """
    count = len(answer.best.fits)
    rows = [
        [
            one.rule.name,
            number(one.distance, 3),
            number(one.p, 2),
            f"{one.closest} of {count}",
            number(one.distance_through_bend, 3),
            number(one.p_through_bend, 2),
            "best" if one is answer.best else "",
        ]
        for one in answer.candidates
    ]
    columns = ("runs", "sum of d^2", "p", "alpha in 2 se", "by the bend", "p", "")
    apart = answer.candidate(lower=True, upper=False, margin=True)
    each = [
        [
            fit.benchmark,
            f"{fit.alpha_printed:.4f}",
            f"{fit.alpha:.4f} +- {fit.alpha_error:.4f} ({fit.n})",
            f"{fit.distance:.1f}",
            number(fit.p, 2),
            f"{other.alpha:.4f} +- {other.alpha_error:.4f} ({other.n})",
            f"{other.distance:.1f}",
            number(other.p, 2),
        ]
        for fit, other in zip(
            answer.candidate(lower=True, upper=True, margin=True).fits, apart.fits, strict=True
        )
    ]
    heads = (
        "benchmark",
        "Table 11",
        "3e18 to 6e21 (runs)",
        "d^2",
        "p",
        "3e18 and more (runs)",
        "d^2",
        "p",
    )
    legend = (
        "d^2: squared distance of (log A, alpha) from the decoded Table 11 in units of the "
        "estimated sampling error; p: by "
        "F(2, n - 2) of d^2/2, for all benchmarks by Fisher; larger than it says if the paper's "
        "runs include these. through the "
        "bend: the same for the runs of Tables 7-9 that are kept, on a quadratic through the "
        "public ones, by F(2, m - 3). "
        "Likelihoods are of Student's t."
    )
    apart_by = [
        f"{fit.benchmark}, d^2 {fit.distance_through_bend:.1f} through the bend: {why}"
        for fit, why in answer.disagreements
    ]
    said = [
        answer.verdict,
        *(["Where the checks disagree: " + ". ".join(apart_by) + "."] if apart_by else []),
        legend,
    ]
    return "\n".join(
        [
            *table(columns, rows),
            "",
            *table(heads, each),
            "",
            *(line for text in said for line in wrap(text, WIDTH)),
        ]
    )
