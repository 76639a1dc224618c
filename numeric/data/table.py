"""Tables as pandas frames, from files and from whatever pandas makes a frame of."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import TableError
from ..words import one_line


@dataclass(frozen=True)
class SourceTable:
    """A pandas frame, and what messages call the place where it comes from.

    The index is the number of the row in the source; the first row of data is 1. A column holds
    numbers, or objects with None for an empty cell.
    """

    source: str
    frame: Any

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.frame.columns)


#: What the letter after a number multiplies it by.
SUFFIXES = {"k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "t": 1e12}


def number_in(cell: Any) -> float:
    """The number that a cell holds, be it written as 7e9 or as 7B; NaN where it holds none.

    >>> number_in("7e9"), number_in("0.014B"), number_in("B")
    (7000000000.0, 14000000.0, nan)
    """
    if isinstance(cell, str) and (factor := SUFFIXES.get(cell.strip()[-1:].lower())):
        return factor * number_in(cell.strip()[:-1])
    try:
        return float("nan" if isinstance(cell, bool) else cell)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def in_backticks(name: str) -> str:
    """The name of a column as an expression spells it."""
    return name if name.isidentifier() else f"`{name}`"


def texts(cells: Any) -> Any:
    """The cells of a column as labels: whole numbers without a point, "" for an empty cell."""

    def label(cell: Any) -> str:
        whole = isinstance(cell, float) and cell.is_integer()
        return str(int(cell)) if whole else str(cell).strip()

    return cells.map(label, na_action="ignore").fillna("").astype(object)


def table_of(data: Any, source: str = "data") -> SourceTable:
    """The table in a file, or in anything that ``pandas.DataFrame`` accepts, which messages call
    `source`; a TableError where there is none.
    """
    import pandas as pd

    if isinstance(data, SourceTable):
        return data
    is_file = isinstance(data, (str, PathLike))
    source = f"file {fspath(data)!r}" if is_file else source
    try:
        frame = pd.DataFrame(_content(Path(data)) if is_file else data)
    except Exception as error:  # each reader has errors of its own
        reason = getattr(error, "strerror", None) or one_line(error)
        raise TableError(source, f"cannot be read as a table ({reason})") from None
    frame = frame.set_axis([str(name).strip() for name in frame.columns], axis=1)
    frame = frame.loc[:, frame.columns != ""]
    for name in frame.columns[frame.columns.duplicated()][:1]:
        raise TableError(source, f"has two columns {name!r}; each must have its own name")
    if frame.empty:
        raise TableError(source, "has no rows; must hold a header and at least one row")
    return SourceTable(
        source, frame.apply(_plain).set_axis(range(1, len(frame) + 1), axis=0).copy()
    )


def _plain(cells: Any) -> Any:
    """A column as NumPy's numbers, or as objects with None for an empty cell."""
    if cells.dtype.kind in "iufb" and isinstance(cells.dtype, np.dtype):
        return cells
    if cells.dtype.kind in "iuf":
        return cells.astype(float)
    return cells.astype(object).where(cells.notna(), None)


def _content(path: Path) -> Any:
    """What a file holds, in a form that ``pandas.DataFrame`` takes. The ending tells the format;
    text that begins with a bracket is JSON.
    """
    import pandas as pd

    ending, content = path.suffix.lower(), path.read_bytes()
    if ending == ".parquet":
        return pd.read_parquet(io.BytesIO(content))
    text = content.decode("utf-8-sig").strip()
    if not text:
        raise ValueError("it is empty")
    if ending in (".jsonl", ".ndjson"):
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    if ending == ".json" or text.startswith(("{", "[")):
        data = json.loads(text)
        is_of_runs = isinstance(data, dict) and all(isinstance(run, dict) for run in data.values())
        return [{"run": name, **run} for name, run in data.items()] if is_of_runs else data
    rows = pd.read_csv(
        io.StringIO(text),
        sep=max(",;\t", key=text.splitlines()[0].count),
        header=None,  # so that a row with too many cells, or a name twice, is an error
        dtype=object,
        skipinitialspace=True,
    )
    return rows.iloc[1:].set_axis(rows.iloc[0].fillna(""), axis=1).apply(_typed)


def _typed(cells: Any) -> Any:
    """A column of text as numbers to the last digit where every cell is a number or empty."""
    try:
        return cells.astype(float)
    except ValueError:
        return cells.str.strip()
