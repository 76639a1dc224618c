"""Tables as columns of arrays: from CSV, JSON, Parquet and spreadsheets, and from what pandas makes
a frame of.

Cells of text come as they are spelt and become numbers once, by :func:`numbers`. Records of CSV are
split by the standard library: pandas fills a short record silently.
"""

from __future__ import annotations

import csv
import io
import json
import math
import numbers as kinds
import re
from collections import Counter
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

__all__ = ["RawTable", "is_missing", "spelt", "table_of"]

LONGEST_FIELD = 1_000_000
DELIMITERS = ",;\t"
PARQUET = b"PAR1"
#: Spellings of an empty cell, in lower case.
MISSING = frozenset(
    ("", "na", "n/a", "nan", "none", "null", "nil", "-", "--", "<na>", "#n/a", "nat")
)
#: How a column is called that has no name.
UNNAMED = "unnamed column"
BEYOND = "beyond the largest float, 1.8e308"


@dataclass(frozen=True)
class RawTable:
    """Columns of one length, as they were read: float64 and other numeric arrays, or object arrays
    where None is an empty cell.
    """

    source: str
    columns: dict[str, Any]
    rows: int

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns)

    def empty(self, rows: Any = slice(None)) -> frozenset[str]:
        """The columns that hold nothing in these rows."""
        return frozenset(
            name for name, cells in self.columns.items() if _holds_nothing(cells[rows])
        )

    def texts(self, column: str) -> Any:
        """The cells of a column as labels, see `spelt`; (rows,)."""
        return _objects(spelt(self.columns[column]))

    def labels(self, names: Iterable[str]) -> list[tuple[str, ...]]:
        """The texts of some columns, row by row."""
        return list(zip(*map(self.texts, names), strict=True)) or [()] * self.rows

    def numbers(self, column: str, remedy: str = "") -> tuple[Any, dict[int, str]]:
        """The cells of a column as float64, with NaN where a cell is empty.

        Parameters
        ----------
        column : str
        remedy : str
            What to do about a column of text, for the message.

        Returns
        -------
        values : ndarray of float64
        reasons : dict of int to str
            By index, the numbers that no float comes near; infinite or 0 among the values.

        Raises
        ------
        TableError
            For the first cell that is no number.
        """
        cells = self.columns[column]
        if cells.dtype.kind in "iuf":
            with np.errstate(over="ignore"):
                return cells.astype(np.float64), {}
        values = np.empty(len(cells), dtype=np.float64)
        reasons: dict[int, str] = {}
        for index, cell in enumerate(cells.tolist()):
            try:
                values[index] = _number(cell)
            except OutOfRangeError as error:
                values[index] = math.inf if BEYOND in str(error) else 0.0
                reasons[index] = f"{shown(cell)} is {error}"
            except ValueError as error:
                complaint = f"{shown(cell)} is not a number ({error}){remedy}"
                raise TableError(self.source, complaint, rows=(index + 1,), column=column) from None
        return values, reasons


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
    return _file(data) if isinstance(data, (str, PathLike)) else _frame(source, data)


# -- cells -----------------------------------------------------------------------------------------


def _number(cell: Any) -> float:
    if is_missing(cell):
        return math.nan
    if isinstance(cell, str):
        if "," in cell:
            raise ValueError("a comma may separate thousands or decimals: write 1234.5")
        return parse(cell)
    if isinstance(cell, (bool, np.bool_)) or not isinstance(cell, (kinds.Real, Decimal)):
        raise ValueError(f"of type {type(cell).__name__}")
    try:
        return float(cell)
    except OverflowError:
        raise OutOfRangeError(BEYOND) from None


def is_missing(cell: Any) -> bool:
    """Whether a cell holds nothing.

    >>> is_missing(None), is_missing(float("nan")), is_missing(" n/a "), is_missing(0.0)
    (True, True, True, False)
    """
    if isinstance(cell, str):
        return cell.strip().lower() in MISSING
    return cell is None or bool(isinstance(cell, (kinds.Real, Decimal)) and cell != cell)


def _holds_nothing(cells: Any) -> bool:
    return bool(np.isnan(cells).all()) if cells.dtype.kind == "f" else all(map(is_missing, cells))


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


# -- frames ----------------------------------------------------------------------------------------


def _frame(source: str, data: Any) -> RawTable:
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
    columns = [_cells(frame.iloc[:, index]) for index in range(frame.shape[1])]
    return _table(source, [str(name) for name in frame.columns], columns, len(frame))


def _cells(series: Any) -> Any:
    """A pandas column: numbers as they are, anything else as objects with None for what is missing."""
    kind = series.dtype.kind
    if kind in "iuf" or (kind == "b" and isinstance(series.dtype, np.dtype)):
        is_numpy = isinstance(series.dtype, np.dtype)
        return series.to_numpy() if is_numpy else series.to_numpy(np.float64, na_value=np.nan)
    pairs = zip(series.to_list(), series.isna(), strict=True)
    return _objects([None if empty else cell for cell, empty in pairs])


def _objects(cells: Sequence[Any]) -> Any:
    values = np.empty(len(cells), dtype=object)
    values[:] = cells
    return values


def _table(source: str, names: Sequence[str], columns: Sequence[Any], rows: int) -> RawTable:
    """The table, each of its columns with a name of its own."""
    for name in names:
        if name and names.count(name) > 1:
            raise TableError(source, f"has two columns {name!r}; each must have its own name")
    if not names:
        raise TableError(source, "has no columns; must have a column for each quantity")
    if not rows:
        raise TableError(source, f"has a header ({', '.join(map(repr, names[:6]))}) and no rows")
    called = [name if name.strip() else f"{UNNAMED} {index}" for index, name in enumerate(names, 1)]
    return RawTable(source, dict(zip(called, columns, strict=True)), rows)


# -- files -----------------------------------------------------------------------------------------


def _file(path: str | PathLike[str]) -> RawTable:
    source, ending = f"file {fspath(path)!r}", Path(path).suffix.lower()
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - Path("") would be the current directory
            content = file.read()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TableError(source, f"cannot be read ({reason})") from None
    if ending in (".parquet", ".pq") or content.startswith(PARQUET):
        return _by_pandas(source, content, "read_parquet", "pyarrow")
    if ending == ".xlsx":
        return _by_pandas(source, content, "read_excel", "openpyxl")
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
    if ending == ".json" or text.lstrip()[:2].strip() in ("{", "[", "[{", '{"'):
        return _json(source, text)
    return _delimited(source, text, "\t" if ending == ".tsv" else _delimiter(text))


def _by_pandas(source: str, content: bytes, reader: str, engine: str) -> RawTable:
    import pandas as pd

    try:
        frame = getattr(pd, reader)(io.BytesIO(content))
    except ImportError:
        complaint = f"cannot be read: {engine} is not installed (pip install {engine})"
        raise TableError(source, complaint) from None
    except Exception as error:  # each engine has its own errors
        raise TableError(source, f"cannot be read by {engine} ({one_line(error)})") from None
    return _frame(source, frame)


# -- delimited text --------------------------------------------------------------------------------


def _delimiter(text: str) -> str:
    """The delimiter that the header uses most: a comma, a semicolon or a tab."""
    header = re.sub(r'"[^"]*"', "", text.lstrip("\r\n").splitlines()[0])
    return max(DELIMITERS, key=header.count)


def _delimited(source: str, text: str, delimiter: str) -> RawTable:
    """Records as long as the header; blank lines are skipped."""
    csv.field_size_limit(LONGEST_FIELD)
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True
    )
    try:
        header, *records = (
            record for record in reader if len(record) > 1 or "".join(record).strip()
        )
    except csv.Error as error:
        raise TableError(f"{source}, line {reader.line_num}", one_line(error)) from None
    for row, record in enumerate(records, 1):
        if len(record) != len(header):
            complaint = f"has {len(record)} cells where the header has {len(header)}"
            raise TableError(source, complaint, rows=(row,))
    columns = [_read_cells(cells) for cells in zip(*records, strict=True)] or header
    return _table(source, [name.strip() for name in header], columns, len(records))


def _read_cells(cells: Sequence[str]) -> Any:
    """Numbers where every cell is blank or one; else the text, None for a blank."""
    try:
        return np.array([float(cell) if cell.strip() else math.nan for cell in cells])
    except ValueError:
        return _objects(
            [None if cell in ("", "nan", "NaN") else cell for cell in map(str.strip, cells)]
        )


# -- JSON ------------------------------------------------------------------------------------------


def _json(source: str, text: str) -> RawTable:
    """A list of records, or an object of columns: lists, or objects from row to value as pandas
    writes them.
    """
    data = _decoded(source, text)
    if isinstance(data, list):
        return _records(source, data)
    if isinstance(data, dict) and data and all(isinstance(c, (list, dict)) for c in data.values()):
        return _frame(source, data)
    raise TableError(source, "must hold a list of records or an object of columns")


def _records(source: str, records: list[Any]) -> RawTable:
    for row, record in enumerate(records, 1):
        if not isinstance(record, dict):
            complaint = f"must be an object of names and values, not {shown(record)}"
            raise TableError(source, complaint, rows=(row,))
    return _frame(source, records)


def _decoded(source: str, text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_without_duplicates)
    except (ValueError, RecursionError) as error:
        raise TableError(source, f"is not JSON ({one_line(error)})") from None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for name, n in Counter(name for name, _ in pairs).items():
        if n > 1:
            raise ValueError(f"{name!r} is given twice in one object")
    return dict(pairs)
