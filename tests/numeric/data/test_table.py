"""Files of tables: every format, and what is said about files that are none."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from isoflop.numeric.data.runs import Runs
from isoflop.numeric.data.table import table_of

RECORDS = '[{"N": 1e8, "D": 2e9, "loss": 3.5}, {"N": 200000000, "D": 4e9, "loss": 3.25}]'
FORMATS = {
    "byte order mark.csv": "\ufeffN,D,loss\n1e8,2e9,3.5\n2e8,4e9,3.25\n",
    "semicolon.csv": "N;D;loss\n1e8;2e9;3.5\n2e8;4e9;3.25\n",
    "tab.tsv": "N\tD\tloss\n1e8\t2e9\t3.5\n2e8\t4e9\t3.25\n",
    "blank lines.csv": "\nN,D,loss\n\n1e8,2e9,3.5\n\n2e8,4e9,3.25\n\n",
    "spaces.csv": "N, D, loss \n 1e8 , 2e9, 3.5\n2e8,\t4e9,3.25\n",
    "unnamed index.csv": ",N,D,loss,\n0,1e8,2e9,3.5,\n1,2e8,4e9,3.25,\n",
    "columns.json": '{"N": [1e8, 2e8], "D": [2e9, 4e9], "loss": [3.5, 3.25]}',
    "runs.json": '{"a": {"N": 1e8, "D": 2e9, "loss": 3.5}, "b": {"D": 4e9, "N": 2e8, "loss": 3.25}}',
    "lines.jsonl": RECORDS[1:-1].replace("}, {", "}\n\n{"),
    "records": f" \n{RECORDS}",
}


def written(folder: Path, content: str | bytes, name: str = "runs.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refusal(path: Path | str) -> str:
    """What is said about a file; it always begins with its name."""
    with pytest.raises(ValueError, match=r"^file '") as caught:
        Runs.read(path)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"file {str(path)!r}")


@pytest.mark.parametrize("name", FORMATS)
def test_formats(name: str, tmp_path: Path) -> None:
    runs = Runs.read(written(tmp_path, FORMATS[name], name))
    assert (runs.params.tolist(), runs.tokens.tolist()) == ([1e8, 2e8], [2e9, 4e9])
    assert (runs.loss.tolist(), runs.row.tolist()) == ([3.5, 3.25], [1, 2])
    assert (runs.dropped, runs.left_out, runs.n_rows) == ((), 0, 2)


def test_numbers_come_back_to_the_last_bit(tmp_path: Path) -> None:
    exponents = np.random.default_rng(0).uniform(-300.0, 300.0, (500, 3))
    frame = pd.DataFrame(10.0**exponents, columns=["params", "tokens", "loss"])
    lines = ["params,tokens,loss", *(",".join(map(repr, r)) for r in frame.values.tolist())]
    csv = written(tmp_path, "\n".join(lines))
    objects = written(tmp_path, json.dumps(frame.to_dict("records")), "runs.json")
    for path in (csv, objects):
        assert np.array_equal(table_of(path).frame.to_numpy(), frame.to_numpy())


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"\xef\xbb\xbf \n\n", "it is empty"),
        ("a.csv", "params,tokens,loss\n", "no rows"),
        ("a.csv", "params,tokens,params,loss\n1,2,3,4\n", "two columns 'params'"),
        ("a.csv", "params,tokens,loss\n1e8,2e9,3.5,7\n", "3 fields in line 2, saw 4"),
        (
            "a.csv",
            "N,D,loss\n1,2,\n1e8,2e9,x\n",
            "row 1: loss is missing, row 2: loss='x' is not a number",
        ),
        ("a.json", "{", "cannot be read as a table (Expecting"),
        ("a.json", '{"N": [], "D": [], "loss": []}', "no rows"),
        ("a.jsonl", '{"N": 1}\n{"N": \n', "Expecting value"),
    ],
)
def test_bad_files(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    assert said in refusal(written(tmp_path, content, name))
    assert "No such file or directory" in refusal(str(tmp_path / "none.csv"))


@pytest.mark.parametrize("data", [3, {"N": 1}])
def test_what_is_no_table(data: Any) -> None:
    with pytest.raises(ValueError, match=r"^data: cannot be read as a table"):
        Runs.read(data)
