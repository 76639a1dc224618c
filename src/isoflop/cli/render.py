"""Numbers, tables and JSON as they are printed."""

from __future__ import annotations

import math

from ..theory.typeset.escapes import clean
from ..theory.typeset.numbers import Count, Percent, Shortest
from .errors import blamed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from ..numeric.law import Law
    from ..theory.data.notation import Notation
    from ..theory.typeset.table import Table
    from .arguments import Options

WIDTH = 100
#: The format of tables for a paper.
TABLES = ("latex",)

#: Params or tokens as they may be typed again, and a share in per cent.
count, percent = Count().text, Percent().text


def number(value: float, digits: int = 4) -> str:
    """A number to at most so many significant digits."""
    return Shortest(digits).text(value)


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


def tables_text(tables: Iterable[Table], form: str) -> str:
    """Tables in one of their formats, under each other."""
    return "\n\n".join(getattr(table, form)() for table in tables)


def written(form: str, result: Any, data: Any = None) -> str:
    """A result in a format: its data as JSON, its rows as CSV, a page in LaTeX where it has one of
    its own, else its tables, or else its text.
    """
    if form == "json":
        return json_text(result.as_dict() if data is None else data)
    if form == "csv":
        return csv_text(result.rows())
    if form == "latex" and hasattr(result, "to_latex"):
        return str(result.to_latex())
    return tables_text(result.tables(), form) if form in TABLES else str(result)


def draw(options: Options, make: Callable[[], Any]) -> None:
    """Write the picture of ``--plot``, where it was asked for."""
    path = options["--plot"]
    if path is None:
        return
    import logging

    from ..numeric.plot.panels import save

    # Where its folders cannot be written Matplotlib says so, and draws as well.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    try:
        save(make(), path)
    except ValueError as error:
        raise blamed(error, ("--plot", path)) from None


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
