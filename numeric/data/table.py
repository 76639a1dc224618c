"""Tables as pandas frames: from CSV, JSON, Parquet and spreadsheets, and from what pandas makes a
frame of.

Cells of text stay as they are spelt and become numbers once, by :meth:`RawTable.numbers`.
"""

from __future__ import annotations

import io
import json
import math
import numbers as kinds
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import TableError
from ..words import one_line, shown
from .numerals import OutOfRangeError, parse

__all__ = ["RawTable", "is_missing", "objects", "spelt", "table_of"]

#: Readers of pandas by the ending of a file, and the package that each needs.
READERS = {
    ".parquet": ("read_parquet", "pyarrow"),
    ".pq": ("read_parquet", "pyarrow"),
    ".xlsx": ("read_excel", "openpyxl"),
}
#: Spellings of an empty cell, in lower case.
MISSING = frozenset(
    ("", "na", "n/a", "nan", "none", "null", "nil", "-", "--", "<na>", "#n/a", "nat")
)
#: How a column is called that has no name.
UNNAMED = "unnamed column"
BEYOND = "beyond the largest float, 1.8e308"


@dataclass(frozen=True)
class RawTable:
    """A frame with columns of NumPy numbers, or of objects where None is an empty cell, and what
    messages call it.
    """

    source: str
    frame: Any

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.frame.columns)

    @property
    def rows(self) -> int:
        return len(self.frame)

    @property
    def columns(self) -> dict[str, Any]:
        """The cells of each column; (rows,)."""
        return {name: self.frame[name].to_numpy() for name in self.frame}

    def empty(self, rows: Any = slice(None)) -> frozenset[str]:
        """The columns that hold nothing in these rows."""
        return frozenset(
            name for name, cells in self.columns.items() if all(map(is_missing, cells[rows]))
        )

    def texts(self, column: str) -> Any:
        """The cells of a column as labels, see `spelt`; (rows,)."""
        return objects(spelt(self.frame[column].to_numpy()))

    def labels(self, names: Iterable[str]) -> list[tuple[str, ...]]:
        """The texts of some columns, row by row."""
        return list(zip(*map(self.texts, names), strict=True)) or [()] * self.rows

    def numbers(self, column: str, remedy: str = "") -> Any:
        """The cells of a column as float64: NaN where a cell is empty, infinite or 0 where no float
        comes near.

        Parameters
        ----------
        column : str
        remedy : str
            What to do about a column of text, for the message.

        Raises
        ------
        TableError
            For the first cell that is no number.
        """
        cells = self.frame[column].to_numpy()
        if cells.dtype.kind in "iuf":
            with np.errstate(over="ignore"):
                return cells.astype(np.float64)
        values = np.empty(len(cells), dtype=np.float64)
        for index, cell in enumerate(cells.tolist()):
            try:
                values[index] = _number(cell)
            except ValueError as error:
                complaint = f"{shown(cell)} is not a number ({error}){remedy}"
                raise TableError(self.source, complaint, rows=(index + 1,), column=column) from None
        return values

    def spells_numbers(self, column: str) -> bool:
        """Whether every cell of a column is a number, or empty."""
        try:
            self.numbers(column)
        except TableError:
            return False
        return True


def table_of(data: Any, source: str = "data") -> RawTable:
    """The table in a file, or in anything that ``pandas.DataFrame`` accepts, which messages call
    `source`.

    Raises
    ------
    TableError
        Naming the file, and the row and the column where there is one.
    """
    if isinstance(data, RawTable):
        return data
    return _file(data) if isinstance(data, (str, PathLike)) else _framed(source, data)


# -- cells -----------------------------------------------------------------------------------------


def _number(cell: Any) -> float:
    if is_missing(cell):
        return math.nan
    if isinstance(cell, str):
        if "," in cell:
            raise ValueError("a comma may separate thousands or decimals: write 1234.5")
        try:
            return parse(cell)
        except OutOfRangeError as error:
            return math.inf if BEYOND in str(error) else 0.0
    if isinstance(cell, (bool, np.bool_)) or not isinstance(cell, (kinds.Real, Decimal)):
        raise ValueError(f"of type {type(cell).__name__}")
    try:
        return float(cell)
    except OverflowError:
        return math.inf


def is_missing(cell: Any) -> bool:
    """Whether a cell holds nothing.

    >>> is_missing(None), is_missing(float("nan")), is_missing(" n/a "), is_missing(0.0)
    (True, True, True, False)
    """
    if isinstance(cell, str):
        return cell.strip().lower() in MISSING
    return cell is None or bool(isinstance(cell, (kinds.Real, Decimal)) and cell != cell)


def spelt(cells: Any) -> list[str]:
    """Labels as text: whole numbers without a point, "" for an empty cell.

    >>> spelt(np.array([1.0, 2.5, np.nan])), spelt(np.array([" a ", None, ["b"]], dtype=object))
    (['1', '2.5', ''], ['a', '', "['b']"])
    """

    def text(cell: Any) -> str:
        if cell is None or cell != cell:
            return ""
        whole = isinstance(cell, float) and cell.is_integer()
        return str(int(cell)) if whole else str(cell).strip()

    return list(map(text, cells.tolist()))


def objects(cells: Sequence[Any]) -> Any:
    """An array of objects, (n,), whatever they are."""
    values = np.empty(len(cells), dtype=object)
    values[:] = cells
    return values


# -- frames ----------------------------------------------------------------------------------------


def _framed(source: str, data: Any) -> RawTable:
    """The table in anything that pandas makes a frame of, each column with a name of its own."""
    import pandas as pd

    try:
        frame = data if isinstance(data, pd.DataFrame) else pd.DataFrame(data)
    except OverflowError:  # an integer beyond the largest float, among floats
        frame = pd.DataFrame(data, dtype=object)
    except Exception as error:  # pandas raises whatever its many readers raise
        what = f"must be a path or what pandas.DataFrame accepts, not {type(data).__name__}"
        raise TableError(source, f"{what} ({one_line(error)})") from None
    if frame.columns.nlevels > 1:
        raise TableError(source, f"columns have {frame.columns.nlevels} levels; must have one")
    names = [str(name) for name in frame.columns]
    for name in names:
        if name.strip() and names.count(name) > 1:
            raise TableError(source, f"has two columns {name!r}; each must have its own name")
    if not names:
        raise TableError(source, "has no columns; must have a column for each quantity")
    if not len(frame):
        raise TableError(source, f"has a header ({', '.join(map(repr, names[:6]))}) and no rows")
    called = [name if name.strip() else f"{UNNAMED} {index}" for index, name in enumerate(names, 1)]
    cells = [_cells(frame.iloc[:, index]) for index in range(len(names))]
    made = {name: pd.Series(c, dtype=c.dtype) for name, c in zip(called, cells, strict=True)}
    return RawTable(source, pd.DataFrame(made))


def _cells(series: Any) -> Any:
    """A column: numbers as they are, anything else as objects with None for what is missing."""
    kind, is_numpy = series.dtype.kind, isinstance(series.dtype, np.dtype)
    if kind in "iuf" or (kind == "b" and is_numpy):
        return series.to_numpy() if is_numpy else series.to_numpy(np.float64, na_value=np.nan)
    pairs = zip(series.to_list(), series.isna(), strict=True)
    return objects([None if empty else cell for cell, empty in pairs])


# -- files -----------------------------------------------------------------------------------------


def _file(path: str | PathLike[str]) -> RawTable:
    source, ending = f"file {fspath(path)!r}", Path(path).suffix.lower()
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - Path("") would be the current directory
            content = file.read()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TableError(source, f"cannot be read ({reason})") from None
    if ending in READERS:
        import pandas as pd

        reader, engine = READERS[ending]
        try:
            return _framed(source, getattr(pd, reader)(io.BytesIO(content)))
        except ImportError:
            complaint = f"cannot be read: {engine} is not installed (pip install {engine})"
            raise TableError(source, complaint) from None
        except TableError:
            raise
        except Exception as error:  # each engine has its own errors
            raise TableError(source, f"cannot be read by {engine} ({one_line(error)})") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{content[error.start]:02x} in line {line}"
        raise TableError(source, f"must be text in UTF-8 ({byte} is not)") from None
    if "\0" in text:
        raise TableError(source, "must be text in UTF-8 (it has a zero byte)")
    if not text.strip():
        raise TableError(source, "is empty; must hold a header and at least one row")
    if ending in (".jsonl", ".ndjson"):
        lines = [(line, row) for line, row in enumerate(text.splitlines(), 1) if row.strip()]
        return _records(source, [_decoded(f"{source}, line {line}", row) for line, row in lines])
    if ending == ".json" or text.lstrip().startswith(("{", "[")):
        return _json(source, _decoded(source, text))
    return _delimited(source, text)


def _delimited(source: str, text: str) -> RawTable:
    """CSV with a comma, a semicolon or a tab, whichever the header uses most."""
    import pandas as pd

    header = re.sub(r'"[^"]*"', "", text.lstrip().splitlines()[0])
    try:
        rows = pd.read_csv(
            io.StringIO(text),
            sep=max(",;\t", key=header.count),
            header=None,
            dtype=object,
            keep_default_na=False,
            skipinitialspace=True,
        )
    except (ValueError, pd.errors.ParserError) as error:
        raise TableError(source, f"cannot be read as CSV ({one_line(error)})") from None
    names = [str(name).strip() for name in rows.iloc[0]]
    cells = [_read_cells(rows.iloc[1:, index].tolist()) for index in range(len(names))]
    frame = pd.concat([pd.Series(column, dtype=column.dtype) for column in cells], axis=1)
    return _framed(source, frame.set_axis(names, axis=1))


def _read_cells(cells: Sequence[Any]) -> Any:
    """Numbers where every cell is blank or one; else the text, None for a blank."""
    texts = ["" if cell is None or cell != cell else cell.strip() for cell in cells]
    try:
        return np.array([float(text) if text else math.nan for text in texts], dtype=np.float64)
    except ValueError:
        blank = ("", "nan", "NaN")
        return objects([None if text in blank else text for text in texts])


# -- JSON ------------------------------------------------------------------------------------------


def _json(source: str, data: Any) -> RawTable:
    """A list of records, an object of columns (lists, or objects from row to value as pandas writes
    them), or an object of runs by name.
    """
    if isinstance(data, list):
        return _records(source, data)
    if isinstance(data, dict) and data and all(isinstance(c, (list, dict)) for c in data.values()):
        parts = [part for part in data.values() if isinstance(part, dict)]
        by_row = all(key.isdigit() for part in parts for key in part)
        if by_row or len(parts) < len(data):
            return _framed(source, data)
        runs = [part if "run" in part else {"run": name, **part} for name, part in data.items()]
        return _records(source, runs)
    what = "a list of records, an object of columns or an object of runs"
    raise TableError(source, f"must hold {what}")


def _records(source: str, records: list[Any]) -> RawTable:
    for row, record in enumerate(records, 1):
        if not isinstance(record, dict):
            complaint = f"must be an object of names and values, not {shown(record)}"
            raise TableError(source, complaint, rows=(row,))
    return _framed(source, records)


def _decoded(source: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TableError(source, f"is not JSON ({one_line(error)})") from None
