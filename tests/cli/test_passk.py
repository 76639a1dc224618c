"""isoflop passk and isoflop fit of counts: rows, and what they say where nothing is known."""

import csv
import io
import json
import math
from fractions import Fraction
from math import comb
from typing import Any

import pytest
from tests.cli.conftest import as_json
from tests.data import write_rows

from isoflop.numeric.data.counts import Counts
from isoflop.numeric.passk import fit_passk

COLUMNS = ["model", "k", "pass_at_k", "se", "neg_log", "n_problems", "n_unsolved", "n_refused"]


@pytest.fixture(autouse=True)
def _there(there) -> None:
    """Every test runs beside the tables."""


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_a_row_per_model_and_k(call, data) -> None:
    words = "passk tries.csv --k 1,10,100"
    found = data(words)
    assert [list(row) for row in found] == [COLUMNS] * 6
    expected = float(1 - Fraction(comb(15, 10), comb(20, 10))) / 2
    numbers = [expected, expected, -math.log(expected)]  # se of two values, one of them 0
    assert list(found[1].values())[:2] == ["a", 10]
    assert [found[1][name] for name in COLUMNS[2:5]] == pytest.approx(numbers, rel=1e-14)
    assert [found[1][name] for name in COLUMNS[5:]] == [2, 1, 0]
    assert list(found[4].values()) == ["b", 10, 1.0, None, 0.0, 1, 0, 1]
    assert list(found[2].values()) == ["a", 100, None, None, None, 0, 0, 2]
    result = call(f"{words} --format csv")
    same = [{name: "" if v is None else str(v) for name, v in row.items()} for row in found]
    assert (result.code, rows_of(result.out)) == (0, same)


def test_columns_conditions_and_notes(call, data, tmp_path) -> None:
    rows = [("a", "x", 1, 10, 3), ("a", "y", 1, 10, 1), ("b", "x", 1, 10, 2)]
    path = write_rows(tmp_path / "c.csv", ("who", "suite", "what", "tried", "right"), rows)
    names = "--column n_samples=tried --column n_correct=right --column problem=what"
    words = ("passk", path, "--k", "1", *f"{names} --column model=who".split())
    found = data(*words, "--where", "suite == 'x'")
    assert {row["model"]: row["pass_at_k"] for row in found} == pytest.approx({"a": 0.3, "b": 0.2})
    found = data(*words, "--column", "benchmark=suite")
    labels = [(row["benchmark"], row["model"]) for row in found]
    assert labels == [("x", "a"), ("y", "a"), ("x", "b")]
    tries = [("a", i, n, int(n < 20)) for i, n in enumerate([1, 2, 3, 5, 8, 13, 20, 20])]
    path = write_rows(tmp_path / "s.csv", ("model", "problem", "n_samples", "n_correct"), tries)
    assert "sampling stopped at success number 1 in 1 group" in call("passk", path).out


# -- laws of pass@k --------------------------------------------------------------------------------

FIT = "fit counts.csv"
FAST = "--method least-squares-log --bootstrap 4"


def test_json_of_laws_is_that_of_the_library(call) -> None:
    words = f"fit gold.csv --k 1 8 {FAST} --ratio 0.1 10 --compute 1e22"
    result = call(f"{words} --format json")
    found = json.loads(result.out)
    counts = Counts.read("gold.csv")
    options: Any = {"k": [1, 8], "method": "least-squares-log", "resamples": 4}
    laws = fit_passk(counts, ratios=[0.1, 10.0], compute=[1e22], **options)
    assert found == as_json(laws.as_dict())
    assert (result.code, result.err) == (0 if laws.sound else 3, "")


def test_what_is_open_is_refused_or_said(data) -> None:
    """k beyond the samples, by default by the likelihood; models at one number of tokens per param;
    other seeds.
    """
    found = data(f"{FIT} --law compute --k 1 64 {FAST} --compute 1e24")
    assert {"y_1e+24", "alpha_lo"} < {*found["rows"][0]}
    other = data(f"{FIT} --law compute --k 1 64 {FAST} --seed 4")["rows"][0]
    assert other["alpha"] == found["rows"][0]["alpha"]
    assert other["alpha_lo"] != found["rows"][0]["alpha_lo"]
    found = data(f"{FIT} --law compute {FAST} --k 129 8", code=3)
    assert "fewer than k samples" in found["warnings"][0]
    found = data(f"{FIT} --law compute --k 1,1000 --bootstrap 0")
    assert (found["method"], len(found["rows"])) == ("likelihood", 2)
    assert "beyond k = 128, the most samples" in found["warnings"][0]
    words = f"fit ray.csv --law params-tokens --k 8 {FAST}"
    assert data(words, code=3)["rows"][0]["undetermined"]
