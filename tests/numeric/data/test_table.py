"""Files of tables: every format, and what is said about files that are none."""

import csv
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isoflop.numeric.data.runs import Runs
from isoflop.numeric.data.table import table_of

HEADER, ROW = "params,tokens,loss", "1e8,2e9,3.5"


def written(folder: Path, content: str | bytes, name: str = "runs.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refusal(path: Path, **options: Any) -> str:
    """What is said about a file; it always begins with its name."""
    with pytest.raises(ValueError, match=r"^file '") as caught:
        Runs.read(path, **options)
    message = str(caught.value)
    assert message.startswith(f"file {str(path)!r}")
    assert "\n" not in message
    return message.removeprefix(f"file {str(path)!r}")


# -- what is read ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("comma.csv", "N,D,loss\n1e8,2e9,3.5\n2e8,4e9,3.25\n"),
        ("no end of line.csv", "N,D,loss\n1e8,2e9,3.5\n2e8,4e9,3.25"),
        ("windows.csv", "N,D,loss\r\n1e8,2e9,3.5\r\n2e8,4e9,3.25\r\n"),
        ("old mac.csv", "N,D,loss\r1e8,2e9,3.5\r2e8,4e9,3.25\r"),
        ("byte order mark.csv", "\ufeffN,D,loss\n1e8,2e9,3.5\n2e8,4e9,3.25\n"),
        ("semicolon.csv", "N;D;loss\n1e8;2e9;3.5\n2e8;4e9;3.25\n"),
        ("tab.tsv", "N\tD\tloss\n1e8\t2e9\t3.5\n2e8\t4e9\t3.25\n"),
        ("tab.txt", "N\tD\tloss\n1e8\t2e9\t3.5\n2e8\t4e9\t3.25\n"),
        ("blank lines.csv", "\nN,D,loss\n\n1e8,2e9,3.5\n  \n2e8,4e9,3.25\n\n"),
        ("spaces.csv", "N, D, loss \n 1e8 , 2e9, 3.5\n2e8,\t4e9,3.25\n"),
        ("quotes.csv", '"N","D","loss"\n"1e8","2e9","3.5"\n2e8,4e9,3.25\n'),
        ("suffixes.csv", "N,D,loss\n100M,2B,3.5\n.2B,4e9,325%\n"),
        ("underscores.csv", "N,D,loss\n100_000_000,2e9,3.5\n2e8,4_000_000_000,3.25\n"),
        ("unnamed index.csv", ",N,D,loss,\n0,1e8,2e9,3.5,\n1,2e8,4e9,3.25,\n"),
        (
            "records.json",
            '[{"N": 1e8, "D": 2e9, "loss": 3.5}, {"N": 200000000, "D": "4B", "loss": 3.25}]',
        ),
        ("columns.json", '{"N": [1e8, 2e8], "D": [2e9, 4e9], "loss": [3.5, 3.25]}'),
        (
            "pandas.json",
            '{"N": {"0": 1e8, "1": 2e8}, "D": {"0": 2e9, "1": 4e9}, "loss": {"0": 3.5, "1": 3.25}}',
        ),
        (
            "runs.json",
            '{"a": {"N": 1e8, "D": 2e9, "loss": 3.5}, "b": {"D": 4e9, "N": 2e8, "loss": 3.25}}',
        ),
        (
            "lines.jsonl",
            '{"N": 1e8, "D": 2e9, "loss": 3.5}\n\n{"loss": 3.25, "N": 2e8, "D": 4e9}\n',
        ),
        ("records", ' [\n{"N": 1e8, "D": 2e9, "loss": 3.5}, {"N": 2e8, "D": 4e9, "loss": 3.25}]'),
    ],
)
def test_formats(name: str, text: str, tmp_path: Path) -> None:
    runs = Runs.read(written(tmp_path, text, name))
    assert runs.params.tolist() == [1e8, 2e8]
    assert runs.tokens.tolist() == [2e9, 4e9]
    assert runs.loss.tolist() == [3.5, 3.25]
    assert runs.row.tolist() == [1, 2]
    assert (runs.dropped, runs.left_out, runs.n_rows) == ((), 0, 2)


def test_parquet_and_spreadsheets(tmp_path: Path) -> None:
    """With an engine it reads back; without, the message says what is missing."""
    frame = pd.DataFrame({"N": [1e8, 2e8], "D": [2e9, 4e9], "loss": [3.5, 3.25]})
    for name, engine, write in (
        ("runs.parquet", "pyarrow", frame.to_parquet),
        ("runs.xlsx", "openpyxl", frame.to_excel),
    ):
        path = tmp_path / name
        try:
            write(path, index=False)
        except ImportError:
            content = b"PK\x03\x04...." if engine == "openpyxl" else b"PAR1"
            assert engine in refusal(written(tmp_path, content, name))
        else:
            assert Runs.read(path).loss.tolist() == [3.5, 3.25]


numbers = st.floats(min_value=1e-300, max_value=1e300)
tables = st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=30)


@given(tables)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_numbers_come_back_to_the_last_bit(
    tmp_path: Path, rows: list[tuple[float, float, float]]
) -> None:
    names = ("params", "tokens", "loss")
    path = tmp_path / "runs.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    objects = tmp_path / "runs.json"
    objects.write_text(json.dumps([dict(zip(names, row, strict=True)) for row in rows]))
    for table in (table_of(path).columns, table_of(objects).columns):
        assert [
            tuple(row) for row in zip(*(table[name].tolist() for name in names), strict=True)
        ] == rows


# -- what is not ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "named"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b"\xef\xbb\xbf \n\n", "is empty"),
        ("a.csv", b"params,tokens,loss\n", "no rows"),
        ("a.csv", f"{HEADER}\n{ROW}\n1e8,2e9,é\n".encode("latin-1"), "byte 0xe9 in line 3"),
        ("a.csv", b"params,tokens,params,loss\n1,2,3,4\n", "two columns 'params'"),
        ("a.csv", b"params,tokens,loss\n1e8,2e9,3.5,7\n", "3 fields in line 2, saw 4"),
        (
            "a.csv",
            b"params,tokens,loss\n1e8,2e9,3.5\n1e8,2e9,diverged\n",
            ", row 2, column 'loss': 'diverged' is not a number",
        ),
        ("a.csv", b"params;tokens;loss\n1e8;2e9;3,5\n", ", row 1, column 'loss': '3,5'"),
        ("a.json", b"{", "is not JSON"),
        ("a.json", b"3", "must hold a list of records"),
        ("a.json", b'{"N": 1}', "must hold a list of records"),
        ("a.json", b'[{"N": 1}, []]', ", row 2: must be an object"),
        ("a.json", b"[" * 200_000, "is not JSON"),
        ("a.json", b'{"N": [], "D": [], "loss": []}', "no rows"),
        ("a.jsonl", b'{"N": 1}\n\n{"N": \n', ", line 3: is not JSON"),
    ],
)
def test_bad_files(name: str, content: bytes, named: str, tmp_path: Path) -> None:
    assert named in refusal(written(tmp_path, content, name))


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    assert refusal(tmp_path) == ": cannot be read (Is a directory)"
    assert refusal(tmp_path / "nothing.csv") == ": cannot be read (No such file or directory)"
    with pytest.raises(
        ValueError, match=r"^file '': cannot be read \(No such file or directory\)$"
    ):
        Runs.read("")
    with pytest.raises(
        ValueError, match=r"^file 'a\\x00b': cannot be read \(embedded null byte\)$"
    ):
        Runs.read("a\0b")


@pytest.mark.parametrize("data", [3, 3.5, object(), {"N": 1}, b"runs.csv"])
def test_what_is_no_table(data: Any) -> None:
    with pytest.raises(
        ValueError, match=r"^data: must be a path or what pandas.DataFrame accepts, not "
    ):
        Runs.read(data)
