"""Numbers and tables in LaTeX, for booktabs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from ..data.notation import DEFAULT, Notation
from ..data.notation import notation as find_notation
from .numbers import significant_latex
from .printer import optimum_latex, symbol_latex
from .sentence import escaped

GIVEN = ("params", "tokens", "tokens_per_param", "ratio", "size_ratio")
CENTRED = ("loss_penalty", "effective_compute")


#: Columns of the coefficient table by canonical name; what follows from the fitted ones is rounded.
FITTED, DERIVED = ("E", "A", "B", "beta", "gamma"), ("alpha", "C0", "w_N")


def coefficient_table_latex(
    rows: Iterable[Mapping[str, Any]],
    *,
    notation: str | Notation = DEFAULT,
    digits: int = 4,
    caption: str = "",
    label: str = "",
) -> str:
    r"""A booktabs table of laws: fitted coefficients, and exponent, coefficient and share of their
    envelope.

    Parameters
    ----------
    rows : iterable of mappings
        With ``law`` (LaTeX) and ``E``, ``A``, ``B``, ``beta``, ``gamma``, ``alpha``, ``C0``,
        ``w_N``; None prints as a dash.
    digits : int
        Significant digits of the derived columns; the fitted ones are printed to six at most.
    caption, label : str
        LaTeX of the caption and the label; with either the table floats.

    Raises
    ------
    ValueError
        For no rows, a row without one of the columns, or a number that is not finite.
    """
    spelling = find_notation(notation)
    table = [dict(row) for row in rows]
    if not table:
        raise ValueError("rows=[]: a table needs at least one row")
    headings = [f"${symbol_latex(name, spelling)}$" for name in (*FITTED, *DERIVED)]
    lines = [
        rf"\begin{{tabular}}{{@{{}}l{'r' * len(headings)}@{{}}}}",
        r"\toprule",
        " & ".join(["law", *headings]) + r" \\",
    ]
    lines.append(r"\midrule")
    for i, row in enumerate(table):
        missing = [name for name in ("law", *FITTED, *DERIVED) if name not in row]
        if missing:
            raise ValueError(f"rows[{i}]: has no {missing[0]!r}; it has {', '.join(map(str, row))}")
        figures = [(row[name], FITTED_DIGITS, True) for name in FITTED] + [
            (row[name], digits, False) for name in DERIVED
        ]
        cells = [
            "---" if value is None else f"${number_latex(value, n, trimmed=t)}$"
            for value, n, t in figures
        ]
        lines.append(" & ".join([str(row["law"]), *cells]) + r" \\")
    return _floating(
        [*lines, r"\bottomrule", r"\end{tabular}"],
        caption,
        label,
        r"\footnotesize\setlength{\tabcolsep}{3pt}",
    )


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


def penalty_table_latex(
    rows: Iterable[Mapping[str, Any]],
    *,
    notation: str | Notation = DEFAULT,
    digits: int = 4,
    caption: str = "",
    label: str = "",
) -> str:
    r"""A booktabs table of penalties; of runs with the params, tokens and loss that tell which is
    which.

    Parameters
    ----------
    rows : iterable of mappings
        With ``ratio``, ``size_ratio``, ``loss_penalty``, ``effective_compute``,
        ``compute_overhead`` and optionally ``law``, ``excess`` (P - 1, used where P itself has lost
        its digits), ``params`` and ``tokens``, ``loss``. None prints as a dash: out of reach, or
        unknown.
    digits : int
        Significant digits of what was computed; what was given is printed as it is, at most to
        `digits`.
    caption, label : str
        LaTeX of the caption and the label; with either the table floats.

    Raises
    ------
    ValueError
        For no rows, a row without one of the columns, or a number that is not finite.
    """
    spelling = find_notation(notation)
    table = [dict(row) for row in rows]
    if not table:
        raise ValueError("rows=[]: a table needs at least one row")
    if digits < 1:
        raise ValueError(f"digits={digits}: must be at least 1")
    best = optimum_latex("N", spelling)
    headings = {
        "ratio": r"$\rho$",
        "size_ratio": f"$N/{best}$",
        "loss_penalty": "$P$",
        "effective_compute": r"$C_{\mathrm{eff}}/C$",
        "compute_overhead": r"$\Delta C/C$",
    }
    of_runs = any("params" in row for row in table)
    if of_runs:
        table = [_with_tokens_per_param(row) for row in table]
        scales = {name: _scale(row.get(name) for row in table) for name in ("params", "tokens")}
        table = [
            row | {name: row[name] / 10**power for name, power in scales.items() if row.get(name)}
            for row in table
        ]
        sizes = {
            name: f"${letter}{_over(scales[name])}$"
            for name, letter in (("params", "N"), ("tokens", "D"))
        }
        loss = {"loss": "$L$"} if any(row.get("loss") is not None for row in table) else {}
        headings = {**sizes, "tokens_per_param": "$D/N$", **loss, **headings}
    lines = [
        rf"\begin{{tabular}}{{@{{}}{'r' * len(headings)}@{{}}}}",
        r"\toprule",
        " & ".join(headings.values()) + r" \\",
    ]
    previous: object = None
    for i, row in enumerate(table):
        law = row.get("law")
        if i == 0 or law != previous:
            lines.append(r"\midrule")
            if law is not None:
                lines.append(
                    rf"\multicolumn{{{len(headings)}}}{{@{{}}l}}{{{escaped(str(law))}}} \\"
                )
        lines.append(" & ".join(_cell(row, column, digits, i) for column in headings) + r" \\")
        previous = law
    lines += [r"\bottomrule", r"\end{tabular}"]
    small = r"\footnotesize\setlength{\tabcolsep}{4pt}" if of_runs else ""
    if small and not (caption or label):
        return "\n".join([rf"{{{small}\noindent", *lines, r"\par}"])
    return _floating(lines, caption, label, small)


def _scale(values: Iterable[float | None]) -> int:
    """The power of a thousand that the largest of the values has, as a power of ten."""
    known = [value for value in values if value]
    return max(0, 3 * ((Decimal(str(max(known))).adjusted()) // 3)) if known else 0


def _over(power: int) -> str:
    return f"/10^{{{power}}}" if power else ""


def _with_tokens_per_param(row: dict[str, Any]) -> dict[str, Any]:
    if row.get("params") and row.get("tokens") is not None:
        return row | {"tokens_per_param": row["tokens"] / row["params"]}
    return row


def _cell(row: Mapping[str, Any], column: str, digits: int, i: int) -> str:
    """A number in mathematics."""
    if column not in row:
        raise ValueError(f"rows[{i}]: has no {column!r}; it has {', '.join(map(str, row))}")
    value = row[column]
    if value is None:
        return "---"
    if column in CENTRED:
        away = row.get("excess", value - 1) if column == "loss_penalty" else value - 1
        if away and abs(away) * 1000 < 1:
            return f"$1 {'-' if away < 0 else '+'} {number_latex(abs(away), digits)}$"
    return f"${number_latex(value, digits, trimmed=column in GIVEN)}$"


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
