r"""Tables as text, LaTeX, HTML, records and frames, from one description.

    >>> from types import SimpleNamespace
    >>> from isoflop.theory.typeset.numbers import Interval, Percent, Significant
    >>> estimate = SimpleNamespace(value=0.3478, low=0.31, high=0.39)
    >>> table = Table(
    ...     [
    ...         Column("law", align="left"),
    ...         Column("beta", latex=r"$\beta$", format=Significant(3)),
    ...         Column("beta", "interval", show="interval", interval=Interval(Significant(2))),
    ...         Column("lost", "lost\ncompute", format=Percent()),
    ...     ],
    ...     [{"law": "hoffmann2022", "beta": estimate, "lost": 0.2079}],
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

`table.latex()`, `.html()` and `.to_frame()` come from the same description. An entry is a number, a
text, True or False, None (a dash), or an estimate: any object with `value`, `low` and `high`, such as
`isoflop.numeric.results.Estimate`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite

from .escapes import clean, latex_escaped
from .numbers import DASH, Format, Interval, Significant, in_latex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Literal

    import pandas as pd

__all__ = ["RULE", "Column", "Subheading", "Table", "Words"]

WIDTH, GAP = 100, "  "
UNDETERMINED = "undetermined"
#: The comment above a table that names the LaTeX package it needs.
NEEDED = r"% needs \usepackage{booktabs}"
FOUR_DIGITS, BRACKETS = Significant(4), Interval(Significant(4))


@dataclass(frozen=True)
class Words:
    r"""A text with its LaTeX, for an entry: ``Words("beta", r"$\beta$")``."""

    text: str
    latex: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Subheading:
    """A line across the table, above the rows to which it applies."""

    words: str


#: An entry of the rows that draws a rule.
RULE = Subheading("")


@dataclass(frozen=True)
class Column:
    r"""A column of a table: the entry of each row that it shows, its heading and its format.

    Attributes
    ----------
    key : str
        The key, or the attribute, of the row's entry; also the key in JSON and in the frame.
    heading : str
        The heading in text, its lines separated by "\\n"; by default the key.
    latex : str
        The heading in LaTeX; by default the heading, escaped.
    format : Format
        The format of numbers. A number of type `int` is written in full.
    align : {"right", "left"}
    show : {"value", "error", "interval", "all"}
        The part of an estimate that is shown; "all" is the value with its interval in one cell.
        Several columns may share a key and show different parts; JSON has the estimate once. A
        plain number has a dash in a column of errors or intervals.
    interval : Interval
        The format of intervals.
    keys : tuple of str, optional
        The keys in JSON of value, low, high and, if there is a fourth, standard error; "" leaves a
        part out. By default key, key_low and key_high for an estimate, and key for a plain number.
    only : {"", "page", "data"}
        "page" keeps the column out of records and frame; "data" shows it there alone.
    of : callable, optional
        A function that computes the entry from the row, in place of looking up the key.
    missing : str
        The text of an entry that is None.
    """

    key: str
    heading: str = ""
    latex: str = ""
    format: Format = FOUR_DIGITS
    align: Literal["right", "left"] = "right"
    show: Literal["value", "error", "interval", "all"] = "value"
    interval: Interval = BRACKETS
    keys: tuple[str, ...] = ()
    only: Literal["", "page", "data"] = ""
    of: Callable[[Any], Any] | None = None
    missing: str = DASH

    def entry(self, row: Any) -> Any:
        """The entry of the row in this column."""
        if self.of is not None:
            return self.of(row)
        return row[self.key] if isinstance(row, Mapping) else getattr(row, self.key)

    def cell(self, row: Any) -> str:
        """The cell of a row as text."""
        entry = self.entry(row)
        if entry is None or isinstance(entry, str | Words):
            return clean(self.missing if entry is None else str(entry))
        return self._number(entry)

    def latex_cell(self, row: Any) -> str:
        """The cell of a row as LaTeX. A number of digits alone has no dollars, which makes it easier
        to edit.
        """
        entry = self.entry(row)
        if isinstance(entry, str | Words):
            return entry.latex if isinstance(entry, Words) else latex_escaped(entry)
        text = self.cell(row)
        return text if text.replace(".", "", 1).isdigit() else in_latex(text)

    def _number(self, entry: Any) -> str:
        """The text of a number, or of the part of an estimate that the column shows."""
        has_value = self.show in ("value", "all")
        if not is_estimate(entry):
            if isinstance(entry, bool) and has_value:
                return "yes" if entry else "no"
            is_whole = isinstance(entry, int) and has_value
            return str(entry) if is_whole else self.format.text(entry if has_value else None)
        if getattr(entry, "undetermined", False):
            return UNDETERMINED if has_value else DASH
        if self.show == "error":
            return self.format.text(getattr(entry, "standard_error", None))
        how = {key: getattr(entry, key) for key in ("at_most", "at_limit") if hasattr(entry, key)}
        ends = self.interval.text(entry.low, entry.high, **how)
        if self.show == "interval":
            return ends
        value = self.format.text(entry.value)
        return value if self.show == "value" or ends == DASH else f"{value} {ends}"

    def record(self, row: Any) -> dict[str, Any]:
        """The entry under its keys: an estimate has a key for the value and for each end."""
        entry = self.entry(row)
        keys = self.keys or (self.key, f"{self.key}_low", f"{self.key}_high")
        if is_estimate(entry) or (entry is None and self.keys):
            parts = ("value", "low", "high", "standard_error")
            found = [getattr(entry, part, None) for part in parts]
        else:
            found = [str(entry) if isinstance(entry, Words) else entry]
        return {key: part for key, part in zip(keys, found, strict=False) if key}


@dataclass(frozen=True)
class Table:
    """A table: columns, rows, a title and notes.

    Attributes
    ----------
    columns : sequence of Column
    rows : sequence
        Mappings or objects with the entries of the columns. `RULE` among them draws a line, and a
        `Subheading` is a line across the table; JSON and frame omit both.
    title : str
    notes : sequence of str
        Sentences below the table.
    """

    columns: Sequence[Column]
    rows: Sequence[Any]
    title: str = ""
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("columns", "rows", "notes"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    def changed(self, **named: Any) -> Table:
        """A copy of the table with other values of some fields."""
        return replace(self, **named)

    def __str__(self) -> str:
        return self.text()

    def __len__(self) -> int:
        return len(self._entries)

    def _repr_html_(self) -> str:
        return self.html()

    @property
    def _page(self) -> list[Column]:
        """The columns of the printed table."""
        return [column for column in self.columns if column.only != "data"]

    @property
    def _entries(self) -> list[Any]:
        """The rows without rules and subheadings."""
        return [row for row in self.rows if not isinstance(row, Subheading)]

    # -- text --------------------------------------------------------------------------------------

    def text(self) -> str:
        """The table for a terminal: title, headings, a rule, rows, notes.

        Title and notes are wrapped at 100 columns; rows are not.
        """
        notes = (line for note in self.notes for line in _wrapped(note, "  "))
        return "\n".join([*_wrapped(self.title), *self.lines(), *notes])

    def lines(self) -> list[str]:
        """Headings, rule and rows of the text."""
        page = self._page
        heads = [(column.heading or column.key).split("\n") for column in page]
        height = max(map(len, heads))
        headings = zip(*([""] * (height - len(head)) + head for head in heads), strict=True)
        body = [[column.cell(row) for column in page] for row in self._entries]
        filled = [*([clean(line) for line in row] for row in headings), *body]
        widths = [max(map(len, column)) for column in zip(*filled, strict=True)]
        ruled = max([i for i, size in enumerate(widths, 1) if size], default=1)
        rule = "-" * min(WIDTH, sum(widths[:ruled]) + len(GAP) * (ruled - 1))

        def line(row: Sequence[str]) -> str:
            cells = zip(page, row, widths, strict=True)
            padded = (x.ljust(n) if c.align == "left" else x.rjust(n) for c, x, n in cells)
            return GAP.join(padded).rstrip()

        shown = map(line, filled)
        return [
            *(next(shown) for _ in range(height)),
            rule,
            *(
                (clean(row.words) or rule) if isinstance(row, Subheading) else next(shown)
                for row in self.rows
            ),
        ]

    # -- LaTeX -------------------------------------------------------------------------------------

    def latex(self) -> str:
        """A tabular for LaTeX with booktabs, without title and notes."""
        page, last = self._page, len(self.rows) - 1
        letters = "".join("l" if column.align == "left" else "r" for column in page)
        heads = [column.latex or latex_escaped(column.heading or column.key) for column in page]
        lines = [NEEDED, rf"\begin{{tabular}}{{@{{}}{letters}@{{}}}}", r"\toprule"]
        lines += [rf"{' & '.join(heads)} \\", r"\midrule"]
        for number, row in enumerate(self.rows):
            if not isinstance(row, Subheading):
                lines.append(rf"{' & '.join(column.latex_cell(row) for column in page)} \\")
            elif row.words:
                across = rf"\multicolumn{{{len(page)}}}{{@{{}}l@{{}}}}"
                lines.append(rf"{across}{{{latex_escaped(row.words)}}} \\")
            elif number not in (0, last):
                lines.append(r"\midrule")
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])

    # -- notebook and data -------------------------------------------------------------------------

    def html(self) -> str:
        """The table for a notebook, written by pandas; a subheading is in the first column."""
        from html import escape

        import pandas as pd

        blank = [""] * (len(self._page) - 1)
        body = [
            [clean(row.words), *blank]
            if isinstance(row, Subheading)
            else [column.cell(row) for column in self._page]
            for row in self.rows
            if row != RULE
        ]
        heads = [clean((column.heading or column.key).replace("\n", " ")) for column in self._page]
        table = pd.DataFrame(body, columns=heads).to_html(index=False, border=0)
        title, *notes = (f"<p>{escape(clean(text))}</p>" for text in (self.title, *self.notes))
        return "\n".join([*([title] if self.title else []), table, *notes])

    def records(self) -> list[dict[str, Any]]:
        """A dictionary for each row, ready for JSON: a number that is not finite is None.

        An estimate has a key for its value and one for each end of its interval.
        """
        return [{key: _plain(value) for key, value in row.items()} for row in self._values()]

    def to_frame(self) -> pd.DataFrame:
        """A pandas frame with the columns of the records; infinite numbers stay infinite."""
        import pandas as pd

        keys = [column.key for column in self.columns if column.only != "page"]
        rows = list(self._values())
        return pd.DataFrame(rows) if rows else pd.DataFrame(columns=keys)

    def _values(self) -> Iterator[dict[str, Any]]:
        columns = [column for column in self.columns if column.only != "page"]
        for row in self._entries:
            yield {key: part for column in columns for key, part in column.record(row).items()}


def is_estimate(entry: Any) -> bool:
    """Whether the entry is a number with its interval."""
    return all(hasattr(entry, part) for part in ("value", "low", "high"))


def _wrapped(words: str, indent: str = "") -> list[str]:
    """The lines of a title or a note, wrapped."""
    text = clean(words)
    if len(text) <= WIDTH:
        return [text] if text else []
    from textwrap import wrap

    return wrap(text, WIDTH, subsequent_indent=indent)


def _plain(value: Any) -> Any:
    """The value for JSON: None for a number that is not finite, 0.0 for a negative zero."""
    if hasattr(value, "item"):  # a number of NumPy
        value = value.item()
    if not isinstance(value, float):
        return value
    return value + 0.0 if isfinite(value) else None
