"""isoflop passk and isoflop fit of counts: rows, what they say where nothing is known, the check."""

import csv
import io
import json
import math
from fractions import Fraction
from math import comb
from typing import Any

import pytest
from tests.data import write_rows

from isoflop.numeric.data.counts import Counts
from isoflop.numeric.passk import fit_passk

COLUMNS = ["model", "k", "pass_at_k", "se", "neg_log", "n_problems", "n_unsolved", "n_refused"]
COLUMNS += ["status"]


@pytest.fixture(autouse=True)
def _there(there) -> None:
    """Every test runs beside the tables."""


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_a_row_per_model_and_k(call, data) -> None:
    words = "passk tries.csv --k 1,10,100 --by model"
    found = data(words)
    assert [list(row) for row in found] == [COLUMNS] * 6
    assert [(row["model"], row["k"]) for row in found] == [
        (m, k) for m in "ab" for k in (1, 10, 100)
    ]
    expected = float(1 - Fraction(comb(15, 10), comb(20, 10))) / 2
    numbers = [expected, expected, -math.log(expected)]  # se of two values, one of them 0
    assert [found[1][name] for name in COLUMNS[2:5]] == pytest.approx(numbers, rel=1e-14)
    assert [found[1][name] for name in COLUMNS[5:]] == [2, 1, 0, "estimate"]
    assert list(found[4].values())[1:] == [10, 1.0, None, 0.0, 1, 0, 1, "all solved"]
    for row in (found[2], found[5]):
        assert list(row.values())[1:] == [100, None, None, None, 0, 0, 2, "refused"]
    result = call(f"{words} --format csv")
    assert (result.code, result.err) == (0, "")
    same = [{name: "" if v is None else str(v) for name, v in row.items()} for row in found]
    assert rows_of(result.out) == same


def test_sampling_that_stopped_at_successes_is_said_before_the_table(call, tmp_path) -> None:
    rows = [("a", i, n, 1) for i, n in enumerate([1, 2, 3, 5, 8, 13])]
    rows += [("a", i, 20, 0) for i in range(6, 9)]
    path = write_rows(tmp_path / "c.csv", ("model", "problem", "n_samples", "n_correct"), rows)
    result = call("passk --k 1,10,20 --", path)
    assert result.out.startswith("warning: sampling stopped at the first success in 1 group")


def test_standard_errors_of_the_samples(data, tmp_path) -> None:
    path = write_rows(tmp_path / "counts.csv", ("problem", "n", "c"), [(1, 20, 5)])
    assert data("passk", path, "--k", 1)[0]["se"] is None
    (row,) = data("passk", path, "--k", 1, "--se", "samples")
    assert row["se"] == pytest.approx(math.sqrt(0.25 * 0.75 / 19))


def test_columns_conditions_and_models(call, data, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [("a", "x", 1, 10, 3), ("a", "y", 1, 10, 1), ("b", "x", 1, 10, 2)]
    write_rows(tmp_path / "c.csv", ("who", "suite", "what", "tried", "right"), rows)
    write_rows(tmp_path / "m.csv", ("who", "N", "D"), [("a", 1e8, 1e9)])
    words = "passk c.csv --k 1 --column n_samples=tried --column n_correct=right"
    words += " --column problem=what --column model=who"
    found = data(f"{words} --where \"suite == 'x'\"")
    assert {row["who"]: row["pass_at_k"] for row in found} == pytest.approx({"a": 0.3, "b": 0.2})
    both = f"{words} --by suite,who"
    assert [row["suite"] + row["who"] for row in data(both)] == ["xa", "ya", "xb"]
    result = call(f"{both} --models m.csv --format json")
    assert [row["compute"] for row in json.loads(result.out)] == [6e17, 6e17, None]
    assert "for 1 group of 3 ('x b')" in result.err


def test_the_check(call, data, tmp_path) -> None:
    rows = [("a", 1, 0.1), ("a", 2, 0.3), ("a", 4, 0.25), ("b", 1, 0.2)]
    path = write_rows(tmp_path / "p.csv", ("model", "k", "mean_pass_at_k"), rows)
    words = ("passk", path, "--check")
    found = [
        tuple(row[x] for x in ("model", "row", "inequality", "k")) for row in data(*words, code=1)
    ]
    assert found == [("a", 3, "non-decreasing", 4), ("a", 1, "concave", 1)]
    result = call(*words, "--format", "csv")
    assert result.code == 1
    assert [row["others"] for row in rows_of(result.out)] == ["2", "2"]
    assert call(*words, "--where", "k < 2").code == 0
    for ending in ("csv", "json"):  # what the command writes may be checked
        written = call(f"passk tries.csv --k 1,2,4 --format {ending}")
        (tmp_path / f"rows.{ending}").write_text(written.out)
        assert call("passk", tmp_path / f"rows.{ending}", "--check").code == 0


def test_public_counts(call, public_runs) -> None:
    path = public_runs / "pythia-passk" / "per_problem_counts.csv"
    words = ("--k", "1,10,100", "--by", "model", "--where", "benchmark == 'gsm8k'")
    result = call("passk", path, *words, "--format", "csv")
    assert (result.code, result.err, len(rows_of(result.out))) == (0, "", 243)


# -- laws of pass@k --------------------------------------------------------------------------------

LAWS = ("compute", "params-tokens", "gold")
FIT = "fit samples.csv --models sizes.csv"
FAST = "--method least-squares-log --bootstrap 30"
EVERY = f"{FIT} --gold gold.csv --k 1 8 64 {FAST} --ratio 0.1 10 --compute 1e22"


def test_json_of_laws_is_that_of_the_library(call) -> None:
    result = call(f"{EVERY} --plot laws.png --format json")
    found = json.loads(result.out)
    counts = Counts.read("samples.csv", models="sizes.csv", gold="gold.csv")
    options: Any = {"k": [1, 8, 64], "method": "least-squares-log", "resamples": 30}
    laws = fit_passk(counts, ratios=[0.1, 10.0], compute=[1e22], **options)
    assert found == json.loads(json.dumps(laws.as_dict()).replace("Infinity", "null"))
    assert (result.code, result.err) == (0 if laws.sound else 3, "")
    sizes = [len(found[name]) for name in ("laws", "envelopes", "penalties", "predictions")]
    assert sizes == [3, 3, 6, 3]
    with open("laws.png", "rb") as file:  # noqa: PTH123
        assert file.read(4) == b"\x89PNG"
    rows = rows_of(call(f"{EVERY} --format csv").out)
    assert [(row["law"], row["k"]) for row in rows] == [
        (x, k) for x in LAWS for k in ("1", "8", "64")
    ]
    for row in rows:
        name = "kappa" if row["law"] == "gold" else "alpha"
        assert float(row[f"{name}_lo"]) <= float(row[name]) <= float(row[f"{name}_hi"])
    assert rows[0]["kappa"] == ""


def test_likelihood_by_default(data) -> None:
    found = data(f"{FIT} --law compute --k 1,1000 --bootstrap 20")
    assert found["method"] == "likelihood"
    assert [row["k"] for row in found["laws"][0]["rows"]] == [1, 1000]
    assert "beyond k = 128, the most samples" in found["warnings"][0]


def test_seeds(data) -> None:
    def row(seed):
        (law,) = data(f"{FIT} --law compute --k 8 {FAST} --seed {seed}")["laws"]
        return law["rows"][0]

    usual, other = row(0), row(4)
    assert usual == row(0)
    assert usual["alpha"] == other["alpha"]
    assert usual["alpha_lo"] != other["alpha_lo"]


def test_what_is_open_is_refused_or_said(data) -> None:
    """Laws that contradict each other at a small compute; k beyond the samples under least squares;
    models at one number of tokens per param.
    """
    found = data(f"{FIT} --law compute --k 1 64 {FAST} --compute 1e2 1e24", code=3)
    assert [row["compute"] for row in found["refused"]] == [1e2]
    assert {row["compute"] for row in found["predictions"]} == {1e24}
    (law,) = data(f"{FIT} --law compute {FAST} --k 129 8", code=3)["laws"]
    assert "fewer than k samples" in law["failed"]["129"]
    assert [row["k"] for row in law["rows"]] == [8]
    words = f"fit counts.csv --models models.csv --law params-tokens --k 8 {FAST}"
    assert data(words, code=3)["laws"][0]["rows"][0]["undetermined"]


def test_the_laws_that_the_covariates_allow(data, tmp_path) -> None:
    (law,) = data(f"fit samples.csv --gold gold.csv --k 8 {FAST}")["laws"]
    assert law["law"] == "gold"
    counts = [(b, m, i, 64, c) for b in ("gsm8k", "math") for m, i, c in _successes()]
    header = ("benchmark", "model", "problem", "n_samples", "n_correct")
    path = write_rows(tmp_path / "both.csv", header, counts)
    compute = [(f"m{i}", 10.0 ** (19 + i)) for i in range(4)]
    models = write_rows(tmp_path / "compute.csv", ("model", "compute"), compute)
    words = ("--models", models, "--k", "8", "--bootstrap", "0", "--where", "benchmark == 'math'")
    (law,) = data("fit", path, *words)["laws"]
    assert (law["law"], law["rows"][0]["n_models"]) == ("compute", 4)


def _successes():
    return [(f"m{i}", j, (i + 1) * (j % 5) * 3) for i in range(4) for j in range(10)]
