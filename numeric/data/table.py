"""Tables as pandas frames, from files and from whatever pandas makes a frame of."""

from __future__ import annotations

import io
import json
import math
import numbers as kinds
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import TableError
from ..words import one_line, shown
from .numerals import OutOfRangeError, parse

__all__ = ["Table", "table_of"]

#: Readers of pandas by the ending of a file, and the package that each needs.
READERS = {
    ".parquet": ("read_parquet", "pyarrow"),
    ".pq": ("read_parquet", "pyarrow"),
    ".xlsx": ("read_excel", "openpyxl"),
}
#: Spellings of an empty cell, in lower case.
MISSING = frozenset(("", "na", "n/a", "nan", "none", "null", "-", "--", "<na>", "#n/a", "nat"))
#: How a column is called that has no name.
UNNAMED = "unnamed column"


@dataclass(frozen=True)
class Table:
    """A pandas frame, and what messages call the place that it is from.

    The index is the number of the row in the source; the first row of data is 1. A column holds
    numbers, or objects where None is an empty cell.
    """

    source: str
    frame: Any

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self.frame.columns)

    @property
    def columns(self) -> dict[str, Any]:
        """The cells of each column; (rows,)."""
        return {name: self.frame[name].to_numpy() for name in self.names}

    def __len__(self) -> int:
        return len(self.frame)

    def empty(self, rows: Any = slice(None)) -> frozenset[str]:
        """The columns that hold nothing in these rows."""
        every = self.columns.items()
        return frozenset(name for name, cells in every if all(map(is_missing, cells[rows])))

    def texts(self, column: str) -> Any:
        """The cells as labels: whole numbers without a point, "" for an empty cell; (rows,)."""
        cells = self.frame[column].tolist()
        return np.array([None, *map(label, cells)], dtype=object)[1:]

    def labels(self, names: Iterable[str]) -> list[tuple[str, ...]]:
        """The texts of some columns, row by row."""
        return list(zip(*map(self.texts, names), strict=True)) or [()] * len(self)

    def numbers(self, column: str, remedy: str = "") -> Any:
        """The cells of a column as float64, (rows,): NaN where a cell is empty, infinite or 0 where
        no float comes near.

        Raises
        ------
        TableError
            For the first cell that is no number; `remedy`: what to do about a column of text.
        """
        cells = self.frame[column].to_numpy()
        if cells.dtype.kind in "iuf":
            return cells.astype(np.float64)
        values = np.empty(len(cells))
        for place, cell in enumerate(cells.tolist()):
            try:
                values[place] = number_of(cell)
            except ValueError as error:
                complaint = f"{shown(cell)} is not a number ({error}){remedy}"
                raise TableError(self.source, complaint, rows=(place + 1,), column=column) from None
        return values

    def numbers_or_none(self, column: str) -> Any:
        """The same, or None where a cell is no number."""
        try:
            return self.numbers(column)
        except TableError:
            return None


def is_missing(cell: Any) -> bool:
    """Whether a cell holds nothing.

    >>> is_missing(None), is_missing(float("nan")), is_missing(" n/a "), is_missing(0.0)
    (True, True, True, False)
    """
    if isinstance(cell, str):
        return cell.strip().lower() in MISSING
    return cell is None or bool(isinstance(cell, (kinds.Real, Decimal)) and cell != cell)


def label(cell: Any) -> str:
    """A cell as the name of something.

    >>> label(3.0), label(" a "), label(None)
    ('3', 'a', '')
    """
    if cell is None or cell != cell:
        return ""
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell)) if whole else str(cell).strip()


def number_of(cell: Any) -> float:
    """The number in a cell; NaN where it is empty.

    >>> number_of("1.4T"), number_of(" n/a "), number_of(3)
    (1400000000000.0, nan, 3.0)
    """
    if is_missing(cell):
        return math.nan
    if isinstance(cell, str):
        if "," in cell:
            raise ValueError("a comma may separate thousands or decimals: write 1234.5")
        try:
            return parse(cell)
        except OutOfRangeError as error:
            return math.inf if "largest" in str(error) else 0.0
    if isinstance(cell, (bool, np.bool_)) or not isinstance(cell, (kinds.Real, Decimal)):
        raise ValueError(f"of type {type(cell).__name__}")
    try:
        return float(cell)
    except OverflowError:
        return math.inf


# -- reading ---------------------------------------------------------------------------------------


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
    return _file(data) if isinstance(data, (str, PathLike)) else _framed(source, data)


def _framed(source: str, data: Any) -> Table:
    """The table in anything that pandas makes a frame of, each column with a name of its own."""
    import pandas as pd

    try:
        frame = pd.DataFrame(data)
    except OverflowError:  # an integer beyond the largest float, among floats
        frame = pd.DataFrame(data, dtype=object)
    except Exception as error:  # pandas raises whatever its many readers raise
        what = f"must be a path or what pandas.DataFrame accepts, not {type(data).__name__}"
        raise TableError(source, f"{what} ({one_line(error)})") from None
    names = [str(name) for name in frame.columns]
    if twice := [name for name in names if name.strip() and names.count(name) > 1]:
        raise TableError(source, f"has two columns {twice[0]!r}; each must have its own name")
    if frame.empty:
        header = f"a header ({', '.join(map(repr, names[:6]))})" if names else "no columns"
        raise TableError(source, f"has {header} and no rows")
    called = [name if name.strip() else f"{UNNAMED} {place}" for place, name in enumerate(names, 1)]
    columns = {name: _cells(frame.iloc[:, place]) for place, name in enumerate(called)}
    held = {name: pd.Series(cells, dtype=cells.dtype) for name, cells in columns.items()}
    rows = pd.RangeIndex(1, len(frame) + 1, name="row")
    return Table(source, pd.DataFrame(held).set_axis(rows, axis=0))


def _cells(series: Any) -> Any:
    """A column as NumPy's numbers, or as objects with None for an empty cell."""
    if series.dtype.kind in "iufb" and isinstance(series.dtype, np.dtype):
        return series.to_numpy()
    if series.dtype.kind in "iuf":
        return series.to_numpy(np.float64, na_value=np.nan)
    cells = (None if empty else c for c, empty in zip(series, series.isna(), strict=True))
    return np.array([None, *cells], dtype=object)[1:]


def _file(path: str | PathLike[str]) -> Table:
    """The table in a file, by its ending; text that begins with a bracket is JSON."""
    import pandas as pd

    source, ending = f"file {fspath(path)!r}", Path(path).suffix.lower()
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - Path("") would be the current directory
            content = file.read()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TableError(source, f"cannot be read ({reason})") from None
    if ending in READERS:
        reader, engine = READERS[ending]
        try:
            return _framed(source, getattr(pd, reader)(io.BytesIO(content)))
        except ImportError:
            complaint = f"cannot be read: {engine} is not installed (pip install {engine})"
            raise TableError(source, complaint) from None
        except Exception as error:  # each engine has its own errors
            complaint = f"cannot be read by {engine} ({one_line(error)})"
            raise TableError(source, complaint) from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{content[error.start]:02x} in line {line}"
        raise TableError(source, f"must be text in UTF-8 ({byte} is not)") from None
    if not text.strip() or "\0" in text:
        what = "has a zero byte" if "\0" in text else "is empty"
        raise TableError(source, f"{what}; must hold a header and at least one row")
    if ending in (".jsonl", ".ndjson"):
        lines = [(line, row) for line, row in enumerate(text.splitlines(), 1) if row.strip()]
        records = [_decoded(f"{source}, line {line}", row) for line, row in lines]
        return _framed(source, _shaped(source, records))
    if ending == ".json" or text.lstrip().startswith(("{", "[")):
        return _framed(source, _shaped(source, _decoded(source, text)))
    return _framed(source, _delimited(source, text))


def _delimited(source: str, text: str) -> Any:
    """CSV with a comma, a semicolon or a tab, whichever the header uses most."""
    import pandas as pd

    header = text.lstrip().splitlines()[0]
    try:
        rows = pd.read_csv(
            io.StringIO(text),
            sep=max(",;\t", key=header.count),
            header=None,  # so that a row with too many cells, or a name twice, is an error
            dtype=object,
            na_values=[""],
            keep_default_na=False,
            skipinitialspace=True,
        )
    except (ValueError, pd.errors.ParserError) as error:
        raise TableError(source, f"cannot be read as CSV ({one_line(error)})") from None
    names = rows.iloc[0].fillna("").str.strip()
    return rows.iloc[1:].set_axis(names, axis=1).apply(_typed)


def _typed(cells: Any) -> Any:
    """A column of text as numbers, where every cell is one or empty; else without spaces around."""
    stripped = cells.str.strip()
    stripped = stripped.mask(stripped.isin(("", "nan", "NaN")))
    try:
        return stripped.astype(float)
    except ValueError:
        return stripped


def _shaped(source: str, data: Any) -> Any:
    """What JSON holds as pandas reads it: a list of records, or an object of columns; an object of
    runs by name becomes records.
    """
    if isinstance(data, list):
        for row, record in enumerate(data, 1):
            if not isinstance(record, dict):
                complaint = f"must be an object of names and values, not {shown(record)}"
                raise TableError(source, complaint, rows=(row,))
        return data
    parts = list(data.values()) if isinstance(data, dict) else []
    if not parts or not all(isinstance(part, (list, dict)) for part in parts):
        what = "a list of records, an object of columns or an object of runs"
        raise TableError(source, f"must hold {what}")
    # pandas writes an object of columns, each from row to value.
    if any(isinstance(part, list) or all(map(str.isdigit, part)) for part in parts):
        return data
    return [{"run": name, **part} for name, part in data.items()]


def _decoded(source: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TableError(source, f"is not JSON ({one_line(error)})") from None
