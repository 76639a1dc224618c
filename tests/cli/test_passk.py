"""isoflop passk: rows of text, JSON and CSV, what they say where nothing is known, the check, and
one line for bad input.
"""

import csv
import io
import json
import math
import shlex
from fractions import Fraction
from math import comb

import pytest

COLUMNS = ["model", "k", "pass_at_k", "se", "neg_log", "n_problems", "n_unsolved", "n_refused"]
COLUMNS += ["status"]
COUNTS = "model,problem,n_samples,n_correct\na,1,10,0\na,2,20,5\nb,1,10,10\nb,2,4,1\n"


@pytest.fixture
def counts(tmp_path):
    """A file of counts."""

    def write(text=COUNTS, name="counts.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_a_row_per_model_and_k(call, data, counts):
    words = ("passk", counts(), "--k", "1,10,100", "--by", "model")
    found = data(*words)
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
    result = call(*words, "--format", "csv")
    assert (result.code, result.err) == (0, "")
    same = [{name: "" if v is None else str(v) for name, v in row.items()} for row in found]
    assert rows_of(result.out) == same


@pytest.mark.parametrize("form", ["text", "json", "csv"])
def test_no_estimate_at_any_k_is_no_verdict(call, counts, form):
    result = call("passk", counts(), "--k", "100", "1000", "--format", form)
    assert (result.code, result.err) == (3, "")
    assert result.out
    assert call("passk", counts(), "--k", "1", "1000").code == 0


def test_sampling_that_stopped_at_successes_is_said_before_the_table(call, counts):
    rows = [f"a,{i},{n},1" for i, n in enumerate([1, 2, 3, 5, 8, 13])]
    rows += [f"a,{i},20,0" for i in range(6, 9)]
    path = counts("\n".join(["model,problem,n_samples,n_correct", *rows]) + "\n")
    result = call("passk", path, "--k", "1,10,20")
    assert result.out.startswith("warning: sampling stopped at the first success in 1 group")


def test_standard_errors_of_the_samples(data, counts):
    path = counts("problem,n,c\n1,20,5\n")
    assert data("passk", path, "--k", 1)[0]["se"] is None
    (row,) = data("passk", path, "--k", 1, "--se", "samples")
    assert row["se"] == pytest.approx(math.sqrt(0.25 * 0.75 / 19))


def test_columns_conditions_and_models(call, data, counts):
    path = counts("who,suite,what,tried,right\na,x,1,10,3\na,y,1,10,1\nb,x,1,10,2\n")
    named = ("n_samples=tried", "n_correct=right", "problem=what", "model=who")
    words = ("passk", path, "--k", 1, *(word for name in named for word in ("--column", name)))
    found = data(*words, "--where", "suite == 'x'")
    assert {row["who"]: row["pass_at_k"] for row in found} == pytest.approx({"a": 0.3, "b": 0.2})
    both = (*words, "--by", "suite,who")
    assert [row["suite"] + row["who"] for row in data(*both)] == ["xa", "ya", "xb"]
    result = call(*both, "--models", counts("who,N,D\na,1e8,1e9\n", "m.csv"), "--format", "json")
    assert [row["compute"] for row in json.loads(result.out)] == [6e17, 6e17, None]
    assert "for 1 group of 3 ('x b')" in result.err


def test_the_examples_of_the_help(call, counts, monkeypatch):
    counts("model,problem,n_samples,n_correct\na,1,100,3\na,2,128,0\nb,1,100,70\n")
    counts("model,params,tokens\na,1e8,2e9\nb,1e9,2e10\n", "models.csv")
    monkeypatch.chdir(counts("k,pass_at_k\n1,0.1\n2,0.15\n", "pass_at_k.csv").parent)
    _, _, examples = call("passk", "--help").out.partition("examples:\n")
    for line in examples.strip().splitlines():
        result = call(*shlex.split(line)[1:])
        assert (result.code, result.err) == (0, ""), line


def test_the_check(call, counts, tmp_path):
    path = counts("model,k,mean_pass_at_k\na,1,0.1\na,2,0.3\na,4,0.25\nb,1,0.2\n")
    assert call("passk", path, "--check").code == 1
    rows = json.loads(call("passk", path, "--check", "--format", "json").out)
    found = [(row["model"], row["row"], row["inequality"], row["k"]) for row in rows]
    assert found == [("a", 3, "non-decreasing", 4), ("a", 1, "concave", 1)]
    table = rows_of(call("passk", path, "--check", "--format", "csv").out)
    assert [row["others"] for row in table] == ["2", "2"]
    assert call("passk", path, "--check", "--where", "k < 2").code == 0
    assert call("passk", counts(), "--check").code == 0
    for ending in ("csv", "json"):  # what the command writes may be checked
        written = call("passk", counts(), "--k", "1,2,4", "--format", ending)
        (tmp_path / f"rows.{ending}").write_text(written.out)
        assert call("passk", tmp_path / f"rows.{ending}", "--check").code == 0


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        (COUNTS, "--k 0", "--k '0': must be a whole number of at least 1"),
        (COUNTS, "--k 1 1", "--k '1': is given twice"),
        (COUNTS, "--k many", "--k 'many': must be a whole number"),
        (COUNTS, "--se none", "--se 'none': must be one of problems, samples"),
        (COUNTS, "--by modle", "no column 'modle' (did you mean model?)"),
        (COUNTS, "--column n_correct=right", "--column 'n_correct=right': "),
        (COUNTS, "--where size>1", "--where 'size>1': no column 'size'"),
        (COUNTS, "--where model=='c'", "left out by the condition"),
        (COUNTS, "--check --se samples", "--se 'samples': is for estimates, without --check"),
        (COUNTS, "more.csv", "unexpected argument 'more.csv': one file of counts at a time"),
        ("problem,n,c\n1,10,11\n", "", "row 1, column 'c': n_correct=11 must be at"),
        ("model,problem,n\na,1,10\n", "", "no column for n_correct"),
        ("model,k,pass_at_k\na,1,0.5\n", "", "holds pass@k already and no counts; --check"),
        ("k,pass_at_k\n1,0.5\n", "--check --k 1", "--k '1': is for counts"),
        ("", "", "is empty"),
    ],
)
def test_bad_input_is_one_line(call, counts, text, words, message):
    result = call("passk", counts(text), *words.split())
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert result.err.startswith("isoflop: error: ")
    assert message in result.err


def test_no_file(call):
    assert "COUNTS is missing" in call("passk").err
    assert "in front of --k, which takes all" in call("passk", "--k", "1", "counts.csv").err


def test_public_counts(call, public_runs):
    path = public_runs / "pythia-passk" / "per_problem_counts.csv"
    where = ("--where", "benchmark == 'gsm8k'", "--format", "csv")
    result = call("passk", path, "--k", "1,10,100", "--by", "model", *where)
    assert (result.code, result.err, len(rows_of(result.out))) == (0, "", 243)
