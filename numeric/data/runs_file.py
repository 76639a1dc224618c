"""Tables as columns of arrays, from files (CSV, TSV, JSON, JSON lines, Parquet) and from whatever pandas makes a frame of."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

#: Up to this size csv.reader is as fast as pandas, whose import alone takes a third of a second.
SMALL_FILE = 4_000_000
RECORDS_AT_ONCE = 20_000
LONGEST_FIELD = 1_000_000
DELIMITERS = ",;\t"
JSON_ENDINGS = (".json",)
LINES_ENDINGS = (".jsonl", ".ndjson")
PARQUET_ENDINGS = (".parquet", ".pq")
#: First bytes of what is no text.
MAGIC = {
    b"\x1f\x8b": "is compressed (gzip): unpack it first",
    b"PK\x03\x04": "is a zip archive or a spreadsheet: unpack it, or save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "is a spreadsheet: save the sheet as CSV",
    b"\x28\xb5\x2f\xfd": "is compressed (zstd): unpack it first",
    b"BZh": "is compressed (bzip2): unpack it first",
    b"\xfd7zXZ": "is compressed (xz): unpack it first",
    b"%PDF": "is a PDF",
}
PARQUET_MAGIC = b"PAR1"
BYTE_ORDER_MARK = "\ufeff".encode()
#: Cells of text that are none.
EMPTY = frozenset(("", "nan", "NaN"))
#: How a column is called that has no name.
UNNAMED = "unnamed column"
NEWLINE, QUOTE = b"\n", b'"'
NEWLINE_BYTE = np.frombuffer(NEWLINE, dtype=np.uint8)


@dataclass(frozen=True)
class Table:
    """Columns of one length: float64 and other numeric arrays, or object arrays where None is an empty cell."""

    source: str
    columns: dict[str, Any]
    rows: int

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns)


def table_of(data: Any) -> Table:
    """The table in a file, or in anything that ``pandas.DataFrame`` accepts.

    Raises
    ------
    ValueError
        Naming the file, and row and column where there is one.
    """
    if isinstance(data, (str, PathLike)):
        return _file(data)
    return _frame("data", data)


# -- frames ------------------------------------------------------------------------------------------------------------


def _frame(source: str, data: Any) -> Table:
    import pandas as pd

    try:
        frame = data if isinstance(data, pd.DataFrame) else _made(data)
    except Exception as error:  # pandas raises whatever its many readers raise
        what = f"must be a path or what pandas.DataFrame accepts, not {type(data).__name__}"
        raise ValueError(f"{source}: {what} ({_one_line(error)})") from None
    if frame.columns.nlevels > 1:
        raise ValueError(f"{source}: columns have {frame.columns.nlevels} levels; must have one")
    names = _named(source, [str(name) for name in frame.columns])
    columns = {name: _plain_array(frame.iloc[:, index]) for index, name in enumerate(names)}
    return _checked(Table(source, columns, len(frame)))


def _made(data: Any) -> Any:
    import pandas as pd

    try:
        return pd.DataFrame(data)
    except OverflowError:  # an integer beyond the largest float, among floats
        return pd.DataFrame(data, dtype=object)


def _plain_array(series: Any) -> Any:
    """The values of a pandas column: numbers as they are, anything else as objects with None for what is missing."""
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iufb":
        return series.to_numpy()
    if series.dtype.kind in "iuf":  # a type of pandas' own, which has its own mark for what is missing
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    values = np.empty(len(series), dtype=object)
    values[:] = series.to_list()
    values[series.isna().to_numpy()] = None
    return values


# -- files -------------------------------------------------------------------------------------------------------------


def _file(path: str | PathLike[str]) -> Table:
    source = f"file {fspath(path)!r}"
    content = _content(source, path)
    ending = Path(path).suffix.lower()
    if ending in PARQUET_ENDINGS or content.startswith(PARQUET_MAGIC):
        return _parquet(source, content)
    text = _text(source, content)
    if not text.strip():
        raise ValueError(f"{source}: is empty; must hold a header and at least one run")
    if ending in JSON_ENDINGS or (ending not in LINES_ENDINGS and text.lstrip()[:2].strip() in ("{", "[", "[{", '{"')):
        return _json(source, text)
    if ending in LINES_ENDINGS:
        return _json_lines(source, text)
    return _delimited(source, content.removeprefix(BYTE_ORDER_MARK), "\t" if ending == ".tsv" else _delimiter(text))


def _content(source: str, path: str | PathLike[str]) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - Path("") would be the current directory
            return file.read()
    except IsADirectoryError:
        raise ValueError(f"{source}: is a directory; must be a file of CSV or JSON") from None
    except (OSError, ValueError) as error:
        raise ValueError(f"{source}: cannot be read ({getattr(error, 'strerror', None) or error})") from None


def _text(source: str, content: bytes) -> str:
    """The text of a file in UTF-8, with or without a byte order mark."""
    for start, what in MAGIC.items():
        if content.startswith(start):
            raise ValueError(f"{source}: {what}")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(f"{source}: is encoded in UTF-16; must be UTF-8 (iconv -f UTF-16 -t UTF-8 converts it)")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{content[error.start]:02x} at position {error.start + 1} (line {line}) is not UTF-8"
        raise ValueError(f"{source}: {byte}; where it is Latin-1, iconv -f LATIN1 -t UTF-8 converts it") from None
    if "\0" in text:
        position = text.index("\0") + 1
        raise ValueError(f"{source}: has a zero byte at position {position}; must be text in UTF-8 (is it binary, or UTF-16?)")
    return text


def _parquet(source: str, content: bytes) -> Table:
    import pandas as pd

    try:
        frame = pd.read_parquet(io.BytesIO(content))
    except ImportError:
        raise ValueError(
            f"{source}: is Parquet, for which neither pyarrow nor fastparquet is installed (pip install pyarrow)"
        ) from None
    except Exception as error:  # each engine has its own errors
        raise ValueError(f"{source}: is not Parquet that can be read ({_one_line(error)})") from None
    return _frame(source, frame)


def _json(source: str, text: str) -> Table:
    """A list of records, or an object of columns: lists, or objects from row to value as pandas writes them."""
    data = _decoded(source, text)
    if isinstance(data, dict) and data.keys() >= {"columns", "data"}:  # orient="split"
        return _split(source, data["columns"], data["data"])
    if isinstance(data, list):
        return _records(source, data)
    if isinstance(data, dict) and data and all(isinstance(column, (list, dict)) for column in data.values()):
        return _frame(source, data)
    raise ValueError(f"{source}: must hold a list of records or an object of columns, not {_json_kind(data)}")


def _split(source: str, columns: Any, data: Any) -> Table:
    if not isinstance(columns, list) or not isinstance(data, list):
        raise ValueError(f"{source}: columns and data must be lists, not {_json_kind(columns)} and {_json_kind(data)}")
    names = _named(source, [str(name) for name in columns])
    for row, cells in enumerate(data, 1):
        if not isinstance(cells, list) or len(cells) != len(names):
            raise ValueError(f"{source}, row {row}: must be a list of {len(names)} cells, as there are columns")
    return _records(source, [dict(zip(names, cells, strict=True)) for cells in data])


def _json_lines(source: str, text: str) -> Table:
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    return _records(source, [_decoded(f"{source}, line {number}", line) for number, line in lines])


def _records(source: str, records: list[Any]) -> Table:
    for row, record in enumerate(records, 1):
        if not isinstance(record, dict):
            raise ValueError(f"{source}, row {row}: must be an object of names and values, not {_json_kind(record)}")
    keys = list(dict.fromkeys(name for record in records for name in record))
    columns = {}
    for key, name in zip(keys, _named(source, keys), strict=True):
        values = np.empty(len(records), dtype=object)
        values[:] = [_no_nan(record.get(key)) for record in records]
        columns[name] = _numeric_if_plain(values)
    return _checked(Table(source, columns, len(records)))


def _numeric_if_plain(values: Any) -> Any:
    """Numbers as float64 where every value is a Python float, or nothing; big integers and truth values stay objects."""
    if all(type(value) is float or value is None for value in values):
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return values


def _no_nan(value: Any) -> Any:
    return None if isinstance(value, float) and value != value else value


def _decoded(source: str, text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_without_duplicates)
    except RecursionError:
        raise ValueError(f"{source}: is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{source}: is not JSON ({error.msg} at line {error.lineno}, column {error.colno})") from None
    except ValueError as error:
        raise ValueError(f"{source}: is not JSON that can be read ({_one_line(error)})") from None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} is given twice in one object")
    return found


def _json_kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return kinds.get(type(value), "a number")


# -- delimited text ----------------------------------------------------------------------------------------------------


def _delimited(source: str, content: bytes, delimiter: str) -> Table:
    columns = _by_pandas(source, content, delimiter) if len(content) > SMALL_FILE else None
    if columns is None:
        columns = _by_record(_Records(source, content, delimiter))
    return _checked(Table(source, columns, len(next(iter(columns.values())))))


def _names(source: str, header: Sequence[str]) -> list[str]:
    return _named(source, [name.strip() for name in header])


def _named(source: str, names: Sequence[str]) -> list[str]:
    """The names, with one for each column that has none."""
    _refuse_duplicates(source, names)
    return [name if name.strip() else f"{UNNAMED} {index}" for index, name in enumerate(names, 1)]


def _delimiter(text: str) -> str:
    """The delimiter that the header uses most: a comma, a semicolon or a tab."""
    header = re.sub(r'"[^"]*"', "", text.lstrip("\r\n").splitlines()[0])
    return max(DELIMITERS, key=header.count)


class _Records:
    """The records of a text, each as long as the header, in batches; blank lines are skipped."""

    def __init__(self, source: str, content: bytes, delimiter: str) -> None:
        csv.field_size_limit(LONGEST_FIELD)
        self.source = source
        lines = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="")
        self.reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
        self.stream = self._stream()
        self.names = _names(source, next(self.stream))

    def _stream(self) -> Iterator[list[str]]:
        try:
            for record in self.reader:
                if any(map(str.strip, record)) or len(record) > 1:
                    yield record
        except csv.Error as error:
            raise ValueError(f"{self.source}, line {self.reader.line_num}: {_one_line(error)}") from None

    def batches(self) -> Iterator[list[list[str]]]:
        row, width = 0, len(self.names)
        while batch := list(islice(self.stream, RECORDS_AT_ONCE)):
            if set(map(len, batch)) != {width}:
                index = next(index for index, record in enumerate(batch) if len(record) != width)
                cells = f"has {len(batch[index])} cells where the header has {width}"
                raise ValueError(f"{self.source}, row {row + index + 1}: {cells} ({_shown(batch[index])})")
            row += len(batch)
            yield batch


def _by_record(records: _Records) -> dict[str, Any]:
    parts: list[list[Sequence[str]]] = [[] for _ in records.names]
    for batch in records.batches():
        for part, cells in zip(parts, zip(*batch, strict=True), strict=True):
            part.append(cells)
    return {name: _array([cell for cells in part for cell in cells]) for name, part in zip(records.names, parts, strict=True)}


def _array(cells: list[str]) -> Any:
    """Numbers where every cell is blank or one; else the text."""
    try:
        return np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        pass
    try:
        return np.fromiter((float(cell) if cell.strip() else np.nan for cell in cells), np.float64, len(cells))
    except ValueError:
        values = np.empty(len(cells), dtype=object)
        values[:] = [None if cell in EMPTY else cell for cell in map(str.strip, cells)]
        return values


def _by_pandas(source: str, content: bytes, delimiter: str) -> dict[str, Any] | None:
    """The same much faster, where no quotes, blank lines or ragged rows could be read in two ways; else None."""
    end = _end_of_header(content, delimiter)
    if end is None:
        return None
    header = io.StringIO(content[:end].decode(), newline="")
    names = _names(source, next(csv.reader(header, delimiter=delimiter, skipinitialspace=True)))
    import pandas as pd

    def read(dtype: dict[str, Any]) -> Any:
        return pd.read_csv(
            io.BytesIO(content),
            sep=delimiter,
            header=0,
            names=names,
            dtype=dtype,
            index_col=False,
            keep_default_na=False,
            na_values=sorted(EMPTY),
            skipinitialspace=True,
            low_memory=False,
            **_exact_floats(pd),
        )

    frame = read({})
    flags = [name for name in names if pd.api.types.infer_dtype(frame[name], skipna=True) == "boolean"]
    frame = read(dict.fromkeys(flags, str)) if flags else frame  # as it was spelt: True, TRUE or true
    return {name: _from_pandas(frame[name]) for name in names}


def _exact_floats(pd: Any) -> dict[str, Any]:
    """From version 3.1 on pandas reads the nearest float by itself, and warns where it is asked to."""
    version = tuple(int(part) for part in pd.__version__.split(".")[:2])
    return {"float_precision": "round_trip"} if version < (3, 1) else {}


def _from_pandas(series: Any) -> Any:
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iuf":
        return series.to_numpy(dtype=np.float64)
    return _array(["" if cell is None or cell != cell else str(cell) for cell in series.to_list()])


def _end_of_header(content: bytes, delimiter: str) -> int | None:
    """Where the first line ends, if every line has as many cells and neither quotes nor ends of lines are in doubt; else None."""
    if content.count(b"\r") != content.count(b"\r\n"):
        return None
    data = np.frombuffer(content, dtype=np.uint8)
    ends, marks = np.flatnonzero(data == NEWLINE[0]), np.flatnonzero(data == ord(delimiter))
    quotes = np.flatnonzero(data == QUOTE[0]) if QUOTE in content else np.empty(0, dtype=np.int64)
    if len(quotes):
        if not _well_quoted(data, quotes, delimiter):
            return None
        # After an odd number of quotes a byte is part of a text.
        ends, marks = (places[np.searchsorted(quotes, places) % 2 == 0] for places in (ends, marks))
    if not len(ends) or ends[-1] != len(data) - 1:
        ends = np.append(ends, len(data))
    width, rest = divmod(len(marks), len(ends))
    if rest or not width:
        return None
    first, last = marks[::width], marks[width - 1 :: width]
    starts = np.concatenate([[-1], ends[:-1]])
    return int(ends[0]) if (first > starts).all() and (last < ends).all() else None


def _well_quoted(data: Any, quotes: Any, delimiter: str) -> bool:
    """Whether quotes open only where a cell begins and close only where it ends, but for doubled ones."""
    if len(quotes) % 2:
        return False
    padded = np.concatenate([NEWLINE_BYTE, data, NEWLINE_BYTE])
    around = np.frombuffer(delimiter.encode() + NEWLINE + QUOTE, dtype=np.uint8)
    before, after = padded[quotes[::2]], padded[quotes[1::2] + 2]
    return bool(np.isin(before, around).all() and (np.isin(after, around) | (after == b"\r"[0])).all())


# -- what every table has ----------------------------------------------------------------------------------------------


def _checked(table: Table) -> Table:
    if not table.columns:
        raise ValueError(f"{table.source}: has no columns; must have columns for params, tokens or compute, and loss")
    if table.rows == 0:
        raise ValueError(f"{table.source}: has a header ({', '.join(map(repr, table.names[:6]))}) and no rows")
    return table


def _refuse_duplicates(source: str, names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        name = next((name for name in names if name and names.count(name) > 1), None)
        if name is not None:
            where = " and ".join(str(index) for index, other in enumerate(names, 1) if other == name)
            raise ValueError(f"{source}: has two columns {name!r} (columns {where}); each must have its own name")


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]


def _shown(record: Sequence[str]) -> str:
    text = ",".join(record)
    return repr(text if len(text) <= 60 else text[:57] + "...")
