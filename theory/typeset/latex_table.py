"""Numbers and tables in LaTeX, for booktabs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from .numbers import significant_latex


def estimate_table_latex(
    groups: Iterable[Iterable[Mapping[str, Any]]],
    *,
    level: str = "",
    notes: Sequence[str] = (),
    caption: str = "",
    label: str = "",
) -> str:
    r"""A booktabs table of estimates with their standard errors and intervals, a rule between the
    groups.

    It is set in footnotesize, narrower than the lines of an article, and begins with a comment that
    names the package.

    Parameters
    ----------
    groups : iterable of iterables of mappings
        Each row with ``name`` (LaTeX), ``value``, ``se``, ``lo`` and ``hi``; None prints as "not
        determined". Optional: ``unit`` (LaTeX), ``mark`` (a letter that the notes explain),
        ``is_open`` (True: not determined) and ``under`` (LaTeX of a line above the rows that share
        it).
    level : str
        Nominal coverage of the intervals in per cent, for the heading.
    notes : sequence of str
        Sentences (LaTeX) below the table.
    caption, label : str
        LaTeX of the caption and the label; with either the table floats.

    Raises
    ------
    ValueError
        For no rows, or a number that is not finite.
    """
    tables = [[dict(row) for row in rows] for rows in groups]
    if not any(tables):
        raise ValueError("groups=[]: a table needs at least one row")
    interval = rf"{level}\,\% interval" if level else "interval"
    lines = [r"\begin{tabular}{@{}lrrr@{\,}l@{}}", r"\toprule"]
    lines.append(rf"& value & std.\ error & \multicolumn{{2}}{{c}}{{{interval}}} \\")
    for table in filter(None, tables):
        lines.append(r"\midrule")
        under = ""
        for row in table:
            if row.get("under", "") != under:
                under = row.get("under", "")
                lines.append(rf"\addlinespace\multicolumn{{5}}{{@{{}}l}}{{{under}}} \\")
            lines.append(" & ".join([_estimated(row), *_estimate(row)]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    if notes:
        text = " ".join(note if note.endswith(".") else f"{note}." for note in notes)
        lines += ["", r"\smallskip\noindent", rf"\parbox{{\linewidth}}{{\footnotesize {text}}}"]
    small = r"\footnotesize\setlength{\tabcolsep}{4pt}"
    if caption or label:
        return "\n".join([NEEDED, _floating(lines, caption, label, small)])
    return "\n".join([NEEDED, rf"{{{small}\noindent", *lines, r"\par}"])


def _estimated(row: Mapping[str, Any]) -> str:
    """The name of an estimate, with its mark and its unit."""
    mark = rf"\textsuperscript{{{row['mark']}}}" if row.get("mark") else ""
    return f"{row['name']}{mark}" + (f" ({row['unit']})" if row.get("unit") else "")


def _estimate(row: Mapping[str, Any]) -> list[str]:
    """The cells of an estimate; those of the interval are set around its comma."""
    sizes = (("value", FITTED_DIGITS), ("se", ERROR_DIGITS))
    value, se = (
        "---" if row[name] is None else f"${number_latex(row[name], digits)}$"
        for name, digits in sizes
    )
    if row.get("is_open"):
        return [r"\multicolumn{4}{c}{not determined}"]
    if row["se"] is None:
        return [value, r"\multicolumn{3}{c}{error not determined}"]
    if row["lo"] == row["hi"]:
        return [value, r"\multicolumn{3}{c}{---}"]
    if row["lo"] is None or row["hi"] is None:
        return [value, se, r"\multicolumn{2}{c}{not determined}"]
    return [
        value,
        se,
        f"$[{number_latex(row['lo'], END_DIGITS)},$",
        f"${number_latex(row['hi'], END_DIGITS)}]$",
    ]


#: What LaTeX must load for these tables.
NEEDED = r"% needs \usepackage{booktabs}"
FITTED_DIGITS, ERROR_DIGITS, END_DIGITS = 6, 3, 5


def _floating(lines: Sequence[str], caption: str, label: str, size: str = "") -> str:
    """The table as it is, or in a float with its caption."""
    if not (caption or label):
        return "\n".join(lines)
    top = [
        r"\begin{table}[htbp]",
        r"\centering",
        *([rf"\caption{{{caption}}}\smallskip"] if caption else []),
    ]
    top += [rf"\label{{{label}}}"] if label else []
    return "\n".join([*top, *([size] if size else []), *lines, r"\end{table}"])


def number_latex(value: Any, digits: int = 4, *, trimmed: bool = False) -> str:
    r"""A number to that many significant digits, with ``\times 10^{n}`` where that is shorter.

    Raises
    ------
    ValueError
        Where the value is not finite.

    Examples
    --------
    >>> print(number_latex(1.0305909), number_latex(3.2e-7), number_latex("0.50", trimmed=True))
    1.031 3.200 \times 10^{-7} 0.5
    """
    exact = value if isinstance(value, Decimal) else Decimal(str(value))
    if not exact.is_finite():
        raise ValueError(f"value={value}: must be finite")
    return significant_latex(exact, digits, trimmed=trimmed)
