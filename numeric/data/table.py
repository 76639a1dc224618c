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
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError, TableError
from ..words import listed, one_line, shown
from .numerals import OutOfRangeError, parse

__all__ = ["Table", "is_missing", "numbers", "spelt", "table_of"]

LONGEST_FIELD = 1_000_000
DELIMITERS = ",;\t"
JSON_ENDINGS = (".json",)
LINES_ENDINGS = (".jsonl", ".ndjson")
PARQUET, SPREADSHEET = b"PAR1", b"PK\x03\x04"
#: First bytes of what is no table.
MAGIC = {
    b"\x1f\x8b": "is compressed (gzip): unpack it first",
    SPREADSHEET: "is a zip archive: unpack it first (a spreadsheet must be called .xlsx)",
    b"\xd0\xcf\x11\xe0": "is an old spreadsheet: save the sheet as CSV",
    b"\x28\xb5\x2f\xfd": "is compressed (zstd): unpack it first",
    b"BZh": "is compressed (bzip2): unpack it first",
    b"\xfd7zXZ": "is compressed (xz): unpack it first",
    b"%PDF": "is a PDF",
}
#: Spellings of an empty cell, in lower case.
MISSING = frozenset(
    ("", "na", "n/a", "nan", "none", "null", "nil", "-", "--", "<na>", "#n/a", "nat")
)
#: How a column is called that has no name.
UNNAMED = "unnamed column"
BEYOND = "beyond the largest float, 1.8e308"
RECORD = "an object of names and values"


@dataclass(frozen=True)
class Table:
    """Columns of one length: float64 and other numeric arrays, or object arrays where None is an
    empty cell.
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

    def also_called(self, columns: dict[str, str | None]) -> Table:
        """The table with some columns under other names as well."""
        for name, column in columns.items():
            if column not in self.columns:
                hint = close_matches(str(column), self.names)
                complaint = f"{self.source}: no column {column!r} for {name}{hint}; it has {listed(self.names)}"
                raise ArgumentError("columns", {name: column}, complaint=complaint)
        added = {name: self.columns[str(column)] for name, column in columns.items()}
        return replace(self, columns={**self.columns, **added}) if added else self


def table_of(data: Any, source: str = "data") -> Table:
    """The table in a file, or in anything that ``pandas.DataFrame`` accepts, which messages call
    `source`.

    Raises
    ------
    TableError
        Naming the file, and the row and the column where there is one.
    """
    if isinstance(data, Table):
        return data
    return _file(data) if isinstance(data, (str, PathLike)) else _frame(source, data)


# -- cells -----------------------------------------------------------------------------------------


def numbers(table: Table, column: str, remedy: str = "") -> tuple[Any, dict[int, str]]:
    """The cells of a column as float64, with NaN where a cell is empty.

    Parameters
    ----------
    table : Table
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
    cells = table.columns[column]
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
        except (TypeError, ValueError) as error:
            complaint = f"{shown(cell)} is not a number ({error}){remedy}"
            raise TableError(table.source, complaint, rows=(index + 1,), column=column) from None
    return values, reasons


def _number(cell: Any) -> float:
    if cell is None:
        return math.nan
    if isinstance(cell, str):
        if cell.strip().lower() in MISSING:
            return math.nan
        if "," in cell:
            raise ValueError("a comma may separate thousands or decimals: write 1234.5")
        return parse(cell)
    if isinstance(cell, (bool, np.bool_)):
        raise TypeError("a truth value")
    if not isinstance(cell, (kinds.Real, Decimal)):
        raise TypeError(f"a {type(cell).__name__}")
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
    return [
        "" if cell is None or cell != cell
        else str(int(cell)) if isinstance(cell, float) and cell.is_integer()
        else str(cell).strip()
        for cell in cells.tolist()
    ]  # fmt: skip


# -- frames ----------------------------------------------------------------------------------------


def _frame(source: str, data: Any) -> Table:
    import pandas as pd

    try:
        frame = data if isinstance(data, pd.DataFrame) else _made(data)
    except Exception as error:  # pandas raises whatever its many readers raise
        what = f"must be a path or what pandas.DataFrame accepts, not {type(data).__name__}"
        raise TableError(source, f"{what} ({one_line(error)})") from None
    if frame.columns.nlevels > 1:
        raise TableError(source, f"columns have {frame.columns.nlevels} levels; must have one")
    columns = [_cells(frame.iloc[:, index]) for index in range(frame.shape[1])]
    return _table(source, [str(name) for name in frame.columns], columns, len(frame))


def _made(data: Any) -> Any:
    import pandas as pd

    try:
        return pd.DataFrame(data)
    except OverflowError:  # an integer beyond the largest float, among floats
        return pd.DataFrame(data, dtype=object)


def _cells(series: Any) -> Any:
    """A pandas column: numbers as they are, anything else as objects with None for what is missing."""
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iufb":
        return series.to_numpy()
    if (
        series.dtype.kind in "iuf"
    ):  # a type of pandas' own, which has its own mark for what is missing
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    return _objects(
        [
            None if empty else cell
            for cell, empty in zip(series.to_list(), series.isna(), strict=True)
        ]
    )


def _objects(cells: Sequence[Any]) -> Any:
    values = np.empty(len(cells), dtype=object)
    values[:] = cells
    return values


def _table(source: str, names: Sequence[str], columns: Sequence[Any], rows: int) -> Table:
    """The table, each of its columns with a name of its own."""
    for name in names:
        if name and names.count(name) > 1:
            where = " and ".join(
                str(index) for index, other in enumerate(names, 1) if other == name
            )
            complaint = f"has two columns {name!r} (columns {where}); each must have its own name"
            raise TableError(source, complaint)
    if not names:
        raise TableError(source, "has no columns; must have a column for each quantity")
    if not rows:
        raise TableError(source, f"has a header ({', '.join(map(repr, names[:6]))}) and no rows")
    called = [name if name.strip() else f"{UNNAMED} {index}" for index, name in enumerate(names, 1)]
    return Table(source, dict(zip(called, columns, strict=True)), rows)


# -- files -----------------------------------------------------------------------------------------


def _file(path: str | PathLike[str]) -> Table:
    source, ending = f"file {fspath(path)!r}", Path(path).suffix.lower()
    content = _content(source, path)
    if ending in (".parquet", ".pq") or content.startswith(PARQUET):
        return _by_pandas(source, content, "read_parquet", "Parquet", "pyarrow")
    if ending == ".xlsx":
        return _by_pandas(source, content, "read_excel", "a spreadsheet", "openpyxl")
    text = _text(source, content)
    if not text.strip():
        raise TableError(source, "is empty; must hold a header and at least one row")
    if ending in LINES_ENDINGS:
        return _json_lines(source, text)
    if ending in JSON_ENDINGS or text.lstrip()[:2].strip() in ("{", "[", "[{", '{"'):
        return _json(source, text)
    return _delimited(source, text, "\t" if ending == ".tsv" else _delimiter(text))


def _content(source: str, path: str | PathLike[str]) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - Path("") would be the current directory
            return file.read()
    except IsADirectoryError:
        raise TableError(source, "is a directory; must be a file of CSV or JSON") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TableError(source, f"cannot be read ({reason})") from None


def _text(source: str, content: bytes) -> str:
    """The text of a file in UTF-8, with or without a byte order mark."""
    for start, complaint in MAGIC.items():
        if content.startswith(start):
            raise TableError(source, complaint)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise TableError(
            source, "is encoded in UTF-16; must be UTF-8 (iconv -f UTF-16 -t UTF-8 converts it)"
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{content[error.start]:02x} at position {error.start + 1} (line {line}) is not UTF-8"
        cure = "where it is Latin-1, iconv -f LATIN1 -t UTF-8 converts it"
        raise TableError(source, f"{byte}; {cure}") from None
    if "\0" in text:
        where = f"has a zero byte at position {text.index(chr(0)) + 1}"
        raise TableError(source, f"{where}; must be text in UTF-8 (is it binary, or UTF-16?)")
    return text


def _by_pandas(source: str, content: bytes, reader: str, what: str, engine: str) -> Table:
    import pandas as pd

    try:
        frame = getattr(pd, reader)(io.BytesIO(content))
    except ImportError:
        complaint = f"is {what}, and {engine} is not installed (pip install {engine})"
        raise TableError(source, complaint) from None
    except Exception as error:  # each engine has its own errors
        raise TableError(source, f"is not {what} that can be read ({one_line(error)})") from None
    return _frame(source, frame)


# -- delimited text --------------------------------------------------------------------------------


def _delimiter(text: str) -> str:
    """The delimiter that the header uses most: a comma, a semicolon or a tab."""
    header = re.sub(r'"[^"]*"', "", text.lstrip("\r\n").splitlines()[0])
    return max(DELIMITERS, key=header.count)


def _delimited(source: str, text: str, delimiter: str) -> Table:
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
            complaint = f"has {len(record)} cells where the header has {len(header)} ({shown(delimiter.join(record))})"
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


def _json(source: str, text: str) -> Table:
    """A list of records, or an object of columns: lists, or objects from row to value as pandas
    writes them.
    """
    data = _decoded(source, text)
    if isinstance(data, dict) and data.keys() >= {"columns", "data"}:  # orient="split"
        return _split(source, data["columns"], data["data"])
    if isinstance(data, list):
        return _records(source, data)
    if (
        isinstance(data, dict)
        and data
        and all(isinstance(column, (list, dict)) for column in data.values())
    ):
        return _frame(source, data)
    complaint = f"must hold a list of records or an object of columns, not {_kind(data)}"
    raise TableError(source, complaint)


def _split(source: str, columns: Any, data: Any) -> Table:
    if not isinstance(columns, list) or not isinstance(data, list):
        both = f"{_kind(columns)} and {_kind(data)}"
        raise TableError(source, f"columns and data must be lists, not {both}")
    for row, cells in enumerate(data, 1):
        if not isinstance(cells, list) or len(cells) != len(columns):
            raise TableError(
                source, f"must be a list of {len(columns)} cells, as there are columns", rows=(row,)
            )
    values = [_decoded_cells(cells) for cells in zip(*data, strict=True)] or columns
    return _table(source, [str(name) for name in columns], values, len(data))


def _json_lines(source: str, text: str) -> Table:
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    return _records(source, [_decoded(f"{source}, line {number}", line) for number, line in lines])


def _records(source: str, records: list[Any]) -> Table:
    for row, record in enumerate(records, 1):
        if not isinstance(record, dict):
            raise TableError(source, f"must be {RECORD}, not {_kind(record)}", rows=(row,))
    names = list(dict.fromkeys(name for record in records for name in record))
    columns = [_decoded_cells([record.get(name) for record in records]) for name in names]
    return _table(source, names, columns, len(records))


def _decoded_cells(cells: Sequence[Any]) -> Any:
    """Python floats as float64; whole numbers, which may be large, and all else as objects."""
    if all(type(cell) is float or cell is None for cell in cells):
        return np.array([math.nan if cell is None else cell for cell in cells], dtype=np.float64)
    return _objects([None if isinstance(cell, float) and cell != cell else cell for cell in cells])


def _decoded(source: str, text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_without_duplicates)
    except RecursionError:
        raise TableError(source, "is nested too deeply") from None
    except json.JSONDecodeError as error:
        where = f"{error.msg} at line {error.lineno}, column {error.colno}"
        raise TableError(source, f"is not JSON ({where})") from None
    except ValueError as error:
        raise TableError(source, f"is not JSON that can be read ({one_line(error)})") from None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    for name in names if len(set(names)) < len(names) else ():
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is given twice in one object")
    return dict(pairs)


def _kind(value: Any) -> str:
    known = {
        dict: "an object",
        list: "a list",
        str: "a string",
        bool: "a truth value",
        type(None): "null",
    }
    return known.get(type(value), "a number")
