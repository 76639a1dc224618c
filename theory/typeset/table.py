r"""One description of a table, and every form in which it is read.

    >>> from isoflop.theory.typeset.numbers import Interval, Percent, Significant
    >>> table = Table(
    ...     [
    ...         Column("law", align="left"),
    ...         Column("beta", latex=r"$\beta$", format=Significant(3)),
    ...         Column("beta", "interval", show="interval", interval=Interval(Significant(2))),
    ...         Column("lost", "lost\ncompute", format=Percent()),
    ...     ],
    ...     [{"law": "hoffmann2022", "beta": Number(0.3478, 0.31, 0.39), "lost": 0.2079}],
    ...     notes=["lost compute: the share of the budget that the optimum does not need"],
    ... )
    >>> print(table.text())
                                         lost
    law            beta      interval  compute
    ------------------------------------------
    hoffmann2022  0.348  [0.31, 0.39]   20.8 %
    lost compute: the share of the budget that the optimum does not need
    >>> table.records()
    [{'law': 'hoffmann2022', 'beta': 0.3478, 'beta_low': 0.31, 'beta_high': 0.39, 'lost': 0.2079}]

`table.latex()`, `.html()` and `.to_frame()` come from the same description. An entry
is a number, a text, True or False, None (a dash), or an estimate: any object with `value`, `low`
and `high`, such as `isoflop.numeric.results.Estimate`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from math import isfinite

from .escapes import (
    clean,
    display_width,
    html_escaped,
    latex_escaped,
    padded,
)
from .numbers import DASH, LATEX_DASH, Format, Interval, Significant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, Literal

    import pandas as pd

    Show = Literal["value", "error", "interval", "all"]

__all__ = ["RULE", "Column", "Number", "Subheading", "Table", "Words"]

WIDTH, GAP = 100, "  "
UNDETERMINED = "undetermined"
#: What LaTeX must load for these tables.
NEEDED = r"% needs \usepackage{booktabs}"

FOUR_DIGITS, BRACKETS = Significant(4), Interval(Significant(4))


@dataclass(frozen=True)
class Words:
    r"""A text with its own LaTeX, as an entry, title or note: ``Words("beta", r"$\beta$")``."""

    text: str
    latex: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Number:
    """The least that a table takes for an estimate; a result has an `Estimate`."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Subheading:
    """A line across the table, above the rows that belong to it."""

    words: str | Words


#: Stands between rows where a rule is drawn.
RULE = Subheading("")


@dataclass(frozen=True)
class Column:
    r"""A column: which entry of a row it shows, under which heading, and how.

    Attributes
    ----------
    key : str
        The entry of the row, a key of a mapping or an attribute of an object; also the key in JSON
        and in the frame.
    heading : str
        Of the text; lines are separated by "\\n". By default the key.
    latex : str
        Heading in LaTeX; by default the heading, escaped.
    unit : str
        Behind the heading, in parentheses.
    format : Format
        Of numbers. Whole numbers that are `int` are written in full.
    align : {"right", "left"}
    show : {"value", "error", "interval", "all"}
        The part of an estimate. "all" is the value with its interval in one cell. Several columns
        may share a key and show different parts; JSON has the estimate once. In other columns than
        "value" and "all", a number that is no estimate has a dash.
    interval : Interval
        How the two ends are written.
    keys : (str, str, str), optional
        Keys in JSON of value, low and high; by default key, key_low, key_high. Where they are
        given, an entry that is None has all three.
    error_key : str
        Key in JSON of the standard error; "" leaves it out.
    only : {"", "page", "data"}
        "page" keeps the column out of records and frame, "data" out of all the rest.
    over : str
        A heading that spans this column and its neighbours with the same one.
    of : callable, optional
        The entry as a function of the row, instead of its `key`.
    missing : str
        Text of an entry that is None.
    """

    key: str
    heading: str = ""
    latex: str = ""
    unit: str = ""
    format: Format = FOUR_DIGITS
    align: Literal["right", "left"] = "right"
    show: Show = "value"
    interval: Interval = BRACKETS
    keys: tuple[str, str, str] | None = None
    error_key: str = ""
    only: Literal["", "page", "data"] = ""
    over: str = ""
    of: Callable[[Any], Any] | None = None
    missing: str = DASH

    def changed(self, **named: Any) -> Column:
        """The column with other values for some fields."""
        return replace(self, **named)

    def entry(self, row: Any) -> Any:
        """What the row holds in this column."""
        if self.of is not None:
            return self.of(row)
        if not isinstance(row, Mapping):
            return getattr(row, self.key)
        if self.key not in row:
            raise ValueError(f"row without {self.key!r}: it has {', '.join(map(str, row))}")
        return row[self.key]

    def head(self) -> str:
        """The heading with its unit, as text."""
        heading = self.heading or self.key
        return f"{heading} ({self.unit})" if self.unit else heading

    def latex_head(self) -> str:
        """The heading with its unit, as LaTeX."""
        if not self.latex:
            return latex_escaped(self.head())
        return f"{self.latex} ({latex_escaped(self.unit)})" if self.unit else self.latex

    def text(self, row: Any) -> str:
        """The cell of a row, as text."""
        entry = self.entry(row)
        if entry is None:
            return self.missing
        if isinstance(entry, str | Words):
            return clean(str(entry))
        return self._cell(entry, self.format.text, self.interval.text, DASH)

    def latex_cell(self, row: Any) -> str:
        """The cell of a row, as LaTeX."""
        entry = self.entry(row)
        if entry is None:
            return LATEX_DASH if self.missing == DASH else latex_escaped(self.missing)
        if isinstance(entry, str | Words):
            return latex_of(entry)
        return _bare(self._cell(entry, self.format.latex, self.interval.latex, LATEX_DASH))

    def record(self, row: Any) -> dict[str, Any]:
        """The entry under its keys: an estimate has a key for the value and for each end."""
        entry = self.entry(row)
        value, low, high = self.keys or (self.key, f"{self.key}_low", f"{self.key}_high")
        if entry is None and self.keys is not None:
            parts: dict[str, Any] = {value: None, low: None, high: None}
        elif not is_estimate(entry):
            parts = {value: str(entry) if isinstance(entry, Words) else entry}
        else:
            parts = {value: entry.value, low: entry.low, high: entry.high}
            if self.error_key:
                parts[self.error_key] = getattr(entry, "standard_error", None)
        return {key: part for key, part in parts.items() if key}

    def _cell(
        self,
        entry: Any,
        written: Callable[[Any], str],
        ends: Callable[..., str],
        dash: str,
    ) -> str:
        if not is_estimate(entry):
            if self.show not in ("value", "all"):
                return dash
            if isinstance(entry, bool):
                return "yes" if entry else "no"
            return str(entry) if isinstance(entry, int) else written(entry)
        if getattr(entry, "undetermined", False):
            # The word stands where the number is read first; the interval of nothing is a dash.
            return UNDETERMINED if self.show in ("value", "all") else dash
        if self.show == "value":
            return written(entry.value)
        if self.show == "error":
            return written(getattr(entry, "standard_error", None))
        at_most, at_limit = getattr(entry, "at_most", False), getattr(entry, "at_limit", ())
        interval = ends(entry.low, entry.high, at_most=at_most, at_limit=at_limit)
        if self.show == "interval":
            return interval
        value = written(entry.value)
        return value if interval == dash else f"{value} {interval}"


@dataclass(frozen=True)
class Table:
    """Columns, rows, a title and notes; every output is a method.

    Attributes
    ----------
    columns : sequence of Column
    rows : sequence
        Mappings or objects with the entries of the columns. `RULE` between two of them draws a
        line, and a `Subheading` is a line of its own; JSON and frame leave both out.
    title : str or Words
    notes : sequence of str or Words
        Sentences below the table.
    """

    columns: Sequence[Column]
    rows: Sequence[Any]
    title: str | Words = ""
    notes: Sequence[str | Words] = ()

    def __post_init__(self) -> None:
        if not self.columns:
            raise ValueError("columns=[]: a table needs at least one column")
        for name in ("columns", "rows", "notes"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    def changed(self, **named: Any) -> Table:
        """The table with other values for some fields."""
        return replace(self, **named)

    def __str__(self) -> str:
        return self.text()

    def __len__(self) -> int:
        return len(self.entries)

    def _repr_html_(self) -> str:
        return self.html()

    @property
    def page(self) -> tuple[Column, ...]:
        """The columns that a reader sees."""
        return tuple(column for column in self.columns if column.only != "data")

    @property
    def entries(self) -> tuple[Any, ...]:
        """The rows without rules and subheadings."""
        return tuple(row for row in self.rows if not isinstance(row, Subheading))

    # -- text --------------------------------------------------------------------------------------

    def text(self, width: int = WIDTH) -> str:
        """For a terminal: title, headings, a rule, rows, notes.

        Title and notes are broken at the width, rows never are.
        """
        lines = [*_wrapped(self.title, width), *self.lines(width)]
        for note in self.notes:
            lines += _wrapped(note, width, "  ")
        return "\n".join(lines)

    def lines(self, width: int = WIDTH) -> list[str]:
        """Headings, rule and rows of the text."""
        headings = [clean_lines(column.head()) for column in self.page]
        height = max(map(len, headings))
        heads = [[""] * (height - len(heading)) + heading for heading in headings]
        cells = [
            row if isinstance(row, Subheading) else [column.text(row) for column in self.page]
            for row in self.rows
        ]
        filled = [row for row in cells if not isinstance(row, Subheading)]
        widths = [
            max(map(display_width, [*head, *(row[i] for row in filled)]))
            for i, head in enumerate(heads)
        ]
        ruled = max([i for i, size in enumerate(widths, 1) if size], default=1)
        rule = "-" * min(width, sum(widths[:ruled]) + len(GAP) * (ruled - 1))
        aligns = [column.align for column in self.page]

        def line(entries: Iterable[str]) -> str:
            return GAP.join(map(padded, entries, widths, aligns)).rstrip()

        body = [
            (clean(str(row.words)) or rule) if isinstance(row, Subheading) else line(row)
            for row in cells
        ]
        spanning = [self._spanning(widths)] if any(column.over for column in self.page) else []
        return [*spanning, *map(line, zip(*heads, strict=True)), rule, *body]

    def _spanning(self, widths: Sequence[int]) -> str:
        """The headings over several columns, each between dashes."""
        parts = []
        for over, numbers in self._spans():
            size = sum(widths[i] for i in numbers) + len(GAP) * (len(numbers) - 1)
            parts.append(f" {over} ".center(size, "-") if over else " " * size)
        return GAP.join(parts).rstrip()

    def _spans(self) -> Iterator[tuple[str, list[int]]]:
        """Each heading over several columns with their numbers."""
        for over, group in groupby(enumerate(self.page), key=lambda entry: entry[1].over):
            yield over, [number for number, _ in group]

    # -- LaTeX -------------------------------------------------------------------------------------

    def latex(self, caption: str = "", label: str = "", size: str = "") -> str:
        r"""For LaTeX with booktabs: a tabular, in a float where it has a caption or a label.

        Parameters
        ----------
        caption, label : str
            LaTeX of the caption, and the label. Title and notes stand in a float as well, the title
            where no caption is given.
        size : str
            LaTeX in front of the tabular, such as ``\footnotesize\setlength{\tabcolsep}{3pt}``.
        """
        tabular = self.tabular()
        if not (caption or label):
            return "\n".join([NEEDED, *tabular])
        shown = caption or latex_of(self.title)
        lines = [NEEDED, r"\begin{table}[htbp]", rf"\centering{size}"]
        lines += [rf"\caption{{{shown}}}\smallskip"] if shown else []
        lines += [rf"\label{{{label}}}"] if label else []
        lines += tabular
        if self.notes:
            notes = " ".join(_sentence(latex_of(note)) for note in self.notes)
            lines += ["", r"\smallskip", rf"\parbox{{\linewidth}}{{\footnotesize {notes}}}"]
        return "\n".join([*lines, r"\end{table}"])

    def tabular(self) -> list[str]:
        """The lines of the tabular alone, to be put where a document wants them."""
        letters = "".join("l" if column.align == "left" else "r" for column in self.page)
        lines = [rf"\begin{{tabular}}{{@{{}}{letters}@{{}}}}", r"\toprule", *self._latex_spanning()]
        lines += [rf"{' & '.join(column.latex_head() for column in self.page)} \\", r"\midrule"]
        last = len(self.rows) - 1
        for number, row in enumerate(self.rows):
            if not isinstance(row, Subheading):
                lines.append(rf"{' & '.join(column.latex_cell(row) for column in self.page)} \\")
            elif str(row.words):
                across = rf"\multicolumn{{{len(letters)}}}{{@{{}}l@{{}}}}"
                lines.append(rf"{across}{{{latex_of(row.words)}}} \\")
            elif number not in (0, last):
                lines.append(r"\midrule")
        return [*lines, r"\bottomrule", r"\end{tabular}"]

    def _latex_spanning(self) -> list[str]:
        if not any(column.over for column in self.page):
            return []
        cells, rules = [], []
        for over, numbers in self._spans():
            if over:
                cells.append(rf"\multicolumn{{{len(numbers)}}}{{c}}{{{latex_escaped(over)}}}")
                rules.append(rf"\cmidrule(lr){{{numbers[0] + 1}-{numbers[-1] + 1}}}")
            else:
                cells += [""] * len(numbers)
        return [rf"{' & '.join(cells)} \\", "".join(rules)]

    # -- HTML --------------------------------------------------------------------------------------

    def html(self) -> str:
        """For a notebook, as pandas writes it; a subheading stands in the first column."""
        import pandas as pd

        heads = [" ".join(clean_lines(column.head())) for column in self.page]
        body = []
        for row in self.rows:
            if not isinstance(row, Subheading):
                body.append([column.text(row) for column in self.page])
            elif str(row.words):
                body.append([clean(str(row.words)), *[""] * (len(self.page) - 1)])
        table = pd.DataFrame(body, columns=heads).to_html(index=False, border=0)
        title, *notes = (f"<p>{html_escaped(str(text))}</p>" for text in (self.title, *self.notes))
        return "\n".join([*([title] if str(self.title) else []), table, *notes])

    # -- data --------------------------------------------------------------------------------------

    def records(self) -> list[dict[str, Any]]:
        """A dictionary a row, ready for JSON: None stands for what is not finite.

        An estimate has a key for the value and one for each end.
        """
        return [{key: _plain(value) for key, value in row.items()} for row in self._row_values()]

    def to_frame(self) -> pd.DataFrame:
        """A pandas frame with the columns of the records; infinite numbers stay infinite."""
        import pandas as pd

        rows = list(self._row_values())
        return (
            pd.DataFrame(rows)
            if rows
            else pd.DataFrame(columns=[c.key for c in self.columns if c.only != "page"])
        )

    def _row_values(self) -> Iterator[dict[str, Any]]:
        for row in self.entries:
            values: dict[str, Any] = {}
            for column in self.columns:
                values |= {} if column.only == "page" else column.record(row)
            yield values


def _bare(cell: str) -> str:
    """A number of digits alone without its dollars: it is the easier to edit."""
    inner = cell.removeprefix("$").removesuffix("$")
    return inner if inner.replace(".", "", 1).isdigit() else cell


def is_estimate(entry: Any) -> bool:
    """Whether the entry is a number with its interval."""
    return hasattr(entry, "low") and hasattr(entry, "high") and hasattr(entry, "value")


def _wrapped(words: str | Words, width: int, indent: str = "") -> list[str]:
    """The lines of a title or a note."""
    text = clean(str(words))
    if len(text) <= width:
        return [text] if text else []
    from textwrap import wrap

    return wrap(text, width, subsequent_indent=indent)


def latex_of(words: str | Words) -> str:
    """The LaTeX of a text: its own, or the text escaped."""
    return words.latex if isinstance(words, Words) else latex_escaped(words)


def clean_lines(heading: str) -> list[str]:
    """The lines of a heading."""
    return [clean(line) for line in heading.split("\n")]


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _plain(value: Any) -> Any:
    """None for a number that is not finite, and no negative zero."""
    if isinstance(value, bool | int | str) or value is None:
        return value
    if hasattr(value, "item"):  # a number of NumPy
        value = value.item()
    if not isinstance(value, float):
        return value
    return value + 0.0 if isfinite(value) else None
