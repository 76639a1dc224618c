"""Numbers, tables and JSON as they are printed."""

from __future__ import annotations

import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ..numeric.law import Law
    from ..theory.data.notation import Notation
    from ..theory.typeset.table import Table

WIDTH = 100
#: The formats of tables for a paper, a page or a notebook.
TABLES = ("latex", "markdown", "html")
SUFFIXES = ((12, "T"), (9, "B"), (6, "M"), (3, "k"))
#: Numbers from here to there are written without an exponent.
SMALLEST_PLAIN, LARGEST_PLAIN = 1e-4, 1e6
NEVER = "never"
#: A larger share is written as a multiple.
LARGEST_PERCENT = 1e6


# -- numbers ---------------------------------------------------------------------------------------


def number(value: float, digits: int = 4) -> str:
    """A number to so many significant digits.

    >>> number(18.4123), number(0.178286, 6), number(5.76e23), number(2708.498)
    ('18.41', '0.178286', '5.76e23', '2708')
    """
    rounded = float(f"{value:.{digits}g}") + 0.0  # no negative zero
    if rounded == 0.0 or not SMALLEST_PLAIN <= abs(rounded) < LARGEST_PLAIN:
        mantissa, _, exponent = f"{rounded:.{digits}g}".partition("e")
        return f"{mantissa}e{int(exponent)}" if exponent else mantissa
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    fixed = f"{rounded:.{decimals}f}"
    return fixed.rstrip("0").rstrip(".") if "." in fixed else fixed


def count(value: float) -> str:
    """Params or tokens, as they may be typed again.

    >>> count(7.2213e10), count(1.33e12), count(999999.0), count(12.0), count(3e20)
    ('72.2B', '1.33T', '1M', '12', '3e20')
    """
    rounded = float(f"{value:.3g}")
    for power, suffix in SUFFIXES:
        if 10.0**power <= rounded < 10.0 ** (power + 3):
            return f"{number(rounded / 10.0**power, 3)}{suffix}"
    return number(rounded, 3)


def percent(value: float) -> str:
    """A share in percent; `never` where it is infinite.

    >>> percent(0.2079), percent(1.8861), percent(0.0), percent(3.1e-9)
    ('20.8 %', '188.6 %', '0 %', '3.1e-7 %')
    """
    if math.isinf(value):
        return NEVER
    if value > LARGEST_PERCENT:
        return f"{number(value, 3)}x"
    text = number(100.0 * value, 4 if value >= 1.0 else 3)
    return ">99.9 %" if text == "100" and value < 1.0 else f"{text} %"


def law_line(law: Law, spelling: Notation) -> str:
    """Name and coefficients of a law on a line."""
    values = law.coefficients(spelling)
    figures = ", ".join(
        f"{name} = {number(value, 6)}" for name, value in values.items() if value is not None
    )
    return f"{clean(law.name)}: {figures}"


# -- text ------------------------------------------------------------------------------------------


def pairs(entries: Sequence[tuple[str, str]]) -> list[str]:
    """Names and values under each other, long values broken."""
    from textwrap import wrap

    column = max(len(name) for name, _ in entries)
    lines = []
    for name, value in entries:
        first, *rest = wrap(value, WIDTH - column - 4) or [""]
        lines.append(f"  {name.ljust(column)}  {first}".rstrip())
        lines += [" " * (column + 4) + more for more in rest]
    return lines


def clean(text: str) -> str:
    """Text from a file for the terminal: what cannot be printed is escaped.

    >>> clean("a\\x1b[2J")
    'a\\\\x1b[2J'
    """
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )


def tables_text(tables: Iterable[Table], form: str) -> str:
    """Tables in one of their formats, under each other."""
    return "\n\n".join(getattr(table, form)() for table in tables)


def written(form: str, result: Any, data: Any) -> str:
    """A result in a format: its data as JSON, its tables, a page in LaTeX where it has one of its
    own, or else its text.
    """
    if form == "json":
        return json_text(data)
    if form == "latex" and hasattr(result, "to_latex"):
        return str(result.to_latex())
    return tables_text(result.tables(), form) if form in TABLES else str(result)


# -- JSON ------------------------------------------------------------------------------------------


def json_text(data: Any) -> str:
    """JSON without NaN or Infinity: an infinite figure is null."""
    import json

    return json.dumps(plain(data), indent=2, allow_nan=False)


def plain(data: Any) -> Any:
    """The data with None for what is infinite."""
    if isinstance(data, dict):
        return {str(key): plain(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [plain(value) for value in data]
    if isinstance(data, float):
        return None if math.isinf(data) else data + 0.0  # no negative zero
    return data


def csv_text(rows: Sequence[dict[str, Any]], columns: Sequence[str] | None = None) -> str:
    """CSV with a header; an entry is empty where it is None, and where a row lacks the column."""
    import csv
    import io

    text = io.StringIO()
    names = (
        list(dict.fromkeys(name for row in rows for name in row))
        if columns is None
        else list(columns)
    )
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
