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

#: Readers of pandas by the ending of a file that is no text.
READERS = {".parquet": "read_parquet", ".pq": "read_parquet", ".xlsx": "read_excel"}
#: Spellings of an empty cell, in lower case.
MISSING = frozenset(("", "na", "n/a", "nan", "none", "null", "-", "--", "<na>", "#n/a", "nat"))
SHAPES = "must hold a list of records, an object of columns or an object of runs"


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

    def texts(self, column: str) -> Any:
        """The cells as labels: whole numbers without a point, "" for an empty cell; (rows,)."""
        return np.array([None, *map(label, self.frame[column].tolist())], dtype=object)[1:]

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
    if isinstance(cell, str) and "," in cell:
        raise ValueError("a comma may separate thousands or decimals: write 1234.5")
    try:
        if isinstance(cell, str):
            return parse(cell)
        if isinstance(cell, (bool, np.bool_)) or not isinstance(cell, (kinds.Real, Decimal)):
            raise ValueError(f"of type {type(cell).__name__}")
        return float(cell)
    except OutOfRangeError as error:
        return math.inf if "largest" in str(error) else 0.0
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
    """The table in anything that pandas makes a frame of; columns without a name are left out."""
    import pandas as pd

    try:
        frame = pd.DataFrame(data)
    except Exception as error:  # pandas raises whatever its many readers raise
        what = f"must be a path or what pandas.DataFrame accepts, not {type(data).__name__}"
        raise TableError(source, f"{what} ({one_line(error)})") from None
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    frame = frame.loc[:, [bool(name.strip()) for name in frame.columns]]
    if frame.columns.has_duplicates:
        name = frame.columns[frame.columns.duplicated()][0]
        raise TableError(source, f"has two columns {name!r}; each must have its own name")
    if frame.empty:
        header = (
            f"a header ({', '.join(map(repr, frame.columns[:6]))})" if frame.size else "no rows"
        )
        raise TableError(source, f"has {header}; must hold a header and at least one row")
    columns = {name: _cells(frame[name]) for name in frame}
    held = {name: pd.Series(cells, dtype=cells.dtype) for name, cells in columns.items()}
    return Table(source, pd.DataFrame(held).set_axis(range(1, len(frame) + 1), axis=0))


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
        if ending in READERS:
            return _framed(source, getattr(pd, READERS[ending])(io.BytesIO(content)))
        text = content.decode("utf-8-sig").strip()
        if not text or "\0" in text:
            raise ValueError("a zero byte" if text else "it is empty")
        if ending in (".jsonl", ".ndjson"):
            lines = ",\n".join(filter(str.strip, text.splitlines()))
            return _framed(source, _shaped(json.loads(f"[{lines}]")))
        if ending == ".json" or text.startswith(("{", "[")):
            return _framed(source, _shaped(json.loads(text)))
        return _framed(source, _delimited(text))
    except TableError:
        raise
    except UnicodeDecodeError as error:
        where = f"byte 0x{error.object[error.start]:02x} at position {error.start}"
        raise TableError(source, f"is no text in UTF-8 ({where})") from None
    except Exception as error:  # each reader has errors of its own
        reason = getattr(error, "strerror", None) or one_line(error)
        raise TableError(source, f"cannot be read ({reason})") from None


def _delimited(text: str) -> Any:
    """CSV with a comma, a semicolon or a tab, whichever the header uses most."""
    import pandas as pd

    rows = pd.read_csv(
        io.StringIO(text),
        sep=max(",;\t", key=text.splitlines()[0].count),
        header=None,  # so that a row with too many cells, or a name twice, is an error
        dtype=object,
        na_values=[""],
        keep_default_na=False,
        skipinitialspace=True,
    )
    return rows.iloc[1:].set_axis(rows.iloc[0].fillna("").str.strip(), axis=1).apply(_typed)


def _typed(cells: Any) -> Any:
    """A column of text as numbers, where every cell is one or empty; else without spaces around."""
    stripped = cells.str.strip()
    stripped = stripped.mask(stripped.isin(("", "nan", "NaN")))
    try:
        return stripped.astype(float)
    except ValueError:
        return stripped


def _shaped(data: Any) -> Any:
    """What JSON holds as pandas reads it: a list of records, or an object of columns; an object of
    runs by name becomes records.
    """
    parts = list(data.values()) if isinstance(data, dict) else data
    kind = (list, dict) if isinstance(data, dict) else dict
    if not isinstance(parts, list) or not parts or not all(isinstance(p, kind) for p in parts):
        raise ValueError(SHAPES)
    # pandas writes an object of columns, each from row to value.
    if isinstance(data, list) or any(
        isinstance(p, list) or all(map(str.isdigit, p)) for p in parts
    ):
        return data
    return [{"run": name, **part} for name, part in data.items()]
