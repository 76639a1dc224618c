"""isoflop passk: rows of text, JSON and CSV, what they say where nothing is known, the check, and
one line for bad input.
"""

import csv
import io
import json
import math
import re
from collections.abc import Callable
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pytest

COLUMNS = [
    "model",
    "k",
    "pass_at_k",
    "se",
    "neg_log",
    "n_problems",
    "n_unsolved",
    "n_refused",
    "status",
]
COUNTS = "model,problem,n_samples,n_correct\na,1,10,0\na,2,20,5\nb,1,10,10\nb,2,4,1\n"


@pytest.fixture
def counts(tmp_path: Path) -> Callable[..., Path]:
    """A file of counts."""

    def write(text: str = COUNTS, name: str = "counts.csv") -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.fixture
def fails(call: Callable[..., Any]) -> Callable[..., str]:
    """The one line of an error."""

    def run(*argv: object) -> str:
        result = call("passk", *argv)
        assert (result.code, result.out) == (2, "")
        assert result.err.startswith("isoflop: error: ")
        assert result.err.count("\n") == 1
        return str(result.err)

    return run


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


# -- rows ------------------------------------------------------------------------------------------


def test_a_row_per_model_and_k(data: Callable[..., Any], counts: Callable[..., Path]) -> None:
    found = data("passk", counts(), "--k", "1,10,100", "--by", "model")
    assert [list(row) for row in found] == [COLUMNS] * 6
    assert [(row["model"], row["k"]) for row in found] == [
        ("a", 1),
        ("a", 10),
        ("a", 100),
        ("b", 1),
        ("b", 10),
        ("b", 100),
    ]
    expected = float(1 - Fraction(comb(15, 10), comb(20, 10))) / 2
    second = found[1]
    assert second["pass_at_k"] == pytest.approx(expected, rel=1e-14)
    assert second["neg_log"] == pytest.approx(-math.log(expected), rel=1e-14)
    assert second["se"] == pytest.approx(expected, rel=1e-14)  # of two values, one of them 0
    assert [second[name] for name in COLUMNS[-4:]] == [2, 1, 0, "estimate"]


def test_what_is_unknown_is_null_and_the_status_tells_why(
    data: Callable[..., Any], counts: Callable[..., Path]
) -> None:
    found = data("passk", counts(), "--k", "10", "100")
    assert [found[2][name] for name in COLUMNS[1:]] == [10, 1.0, None, 0.0, 1, 0, 1, "all solved"]
    for row in (found[1], found[3]):
        assert [row[name] for name in COLUMNS[1:]] == [100, None, None, None, 0, 0, 2, "refused"]


def test_csv_holds_the_same_with_empty_cells(
    call: Callable[..., Any], data: Callable[..., Any], counts: Callable[..., Path]
) -> None:
    path = counts()
    result = call("passk", path, "--k", "1,10,100", "--format", "csv")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[0] == ",".join(COLUMNS)
    expected = data("passk", path, "--k", "1,10,100")
    assert rows_of(result.out) == [
        {name: "" if value is None else str(value) for name, value in row.items()}
        for row in expected
    ]


def test_sampling_that_stopped_at_successes_is_said_before_the_table(
    call: Callable[..., Any], data: Callable[..., Any], counts: Callable[..., Path]
) -> None:
    rows = [f"a,{i},{n},1" for i, n in enumerate([1, 2, 3, 5, 8, 13])] + [
        f"a,{i},20,0" for i in range(6, 9)
    ]
    path = counts("\n".join(["model,problem,n_samples,n_correct", *rows]) + "\n")
    result = call("passk", path, "--k", "1,10,20")
    assert result.out.startswith("warning: sampling stopped at the first success in 1 group")


@pytest.mark.parametrize("form", ["text", "json", "csv"])
def test_no_estimate_at_any_k_is_no_verdict(
    call: Callable[..., Any], counts: Callable[..., Path], form: str
) -> None:
    result = call("passk", counts(), "--k", "100", "1000", "--format", form)
    assert (result.code, result.err) == (3, "")
    assert result.out
    assert call("passk", counts(), "--k", "1", "1000").code == 0


def test_standard_errors_of_the_samples(
    data: Callable[..., Any], counts: Callable[..., Path]
) -> None:
    path = counts("problem,n,c\n1,20,5\n")
    assert data("passk", path, "--k", 1)[0]["se"] is None
    assert data("passk", path, "--k", 1, "--se", "samples")[0]["se"] == pytest.approx(
        math.sqrt(0.25 * 0.75 / 19)
    )


def test_columns_conditions_and_models(
    data: Callable[..., Any], call: Callable[..., Any], counts: Callable[..., Path]
) -> None:
    path = counts("who,suite,what,tried,right\na,x,1,10,3\na,y,1,10,1\nb,x,1,10,2\n")
    named = (
        "--column",
        "n_samples=tried",
        "--column",
        "n_correct=right",
        "--column",
        "problem=what",
        "--column",
        "model=who",
    )
    found = data("passk", path, *named, "--where", "suite == 'x'", "--k", 1)
    assert [(row["who"], row["pass_at_k"]) for row in found] == [
        ("a", pytest.approx(0.3)),
        ("b", pytest.approx(0.2)),
    ]
    both = data("passk", path, *named, "--by", "suite,who", "--k", 1)
    assert [(row["suite"], row["who"]) for row in both] == [("x", "a"), ("y", "a"), ("x", "b")]
    models = counts("who,N,D\na,1e8,1e9\n", "models.csv")
    result = call(
        "passk", path, *named, "--by", "suite,who", "--k", 1, "--models", models, "--format", "json"
    )
    assert [row["compute"] for row in json.loads(result.out)] == [6e17, 6e17, None]
    assert result.err == "isoflop: note: no params, tokens, compute for 1 group of 3 ('x b')\n"


def test_output_file_can_be_checked(
    call: Callable[..., Any], counts: Callable[..., Path], tmp_path: Path
) -> None:
    for ending in ("csv", "json"):
        target = tmp_path / f"rows.{ending}"
        assert (
            call("passk", counts(), "--k", "1,2,4", "--format", ending, "--output", target).code
            == 0
        )
        result = call("passk", target, "--check")
        assert (result.code, result.err) == (0, "")
        assert "is possible" in result.out


def test_the_examples_of_the_help(
    call: Callable[..., Any], counts: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import shlex

    counts("model,problem,n_samples,n_correct\na,1,100,3\na,2,128,0\nb,1,100,70\n")
    counts("model,params,tokens\na,1e8,2e9\nb,1e9,2e10\n", "models.csv")
    monkeypatch.chdir(counts("k,pass_at_k\n1,0.1\n2,0.15\n", "pass_at_k.csv").parent)
    _, _, examples = call("passk", "--help").out.partition("examples:\n")
    for line in examples.strip().splitlines():
        result = call(*shlex.split(line)[1:])
        assert (result.code, result.err) == (0, ""), line


# -- ends ------------------------------------------------------------------------------------------


# -- the check -------------------------------------------------------------------------------------


def test_a_table_that_is_not_possible(
    call: Callable[..., Any], counts: Callable[..., Path]
) -> None:
    path = counts("model,k,mean_pass_at_k\na,1,0.1\na,2,0.3\na,4,0.25\nb,1,0.2\n")
    result = call("passk", path, "--check")
    assert (result.code, result.err) == (1, "")
    assert re.search(
        r"^a +3 +non-decreasing +4 +0\.250000 +0\.300000 +2 +0\.0500$", result.out, re.M
    )
    rows = json.loads(call("passk", path, "--check", "--format", "json").out)
    first = (rows[0]["model"], rows[0]["row"], rows[0]["inequality"], rows[0]["k"])
    assert first == ("a", 3, "non-decreasing", 4)
    table = rows_of(call("passk", path, "--check", "--format", "csv").out)
    assert [row["others"] for row in table] == ["2", "2"]
    assert call("passk", path, "--check", "--where", "k < 2").code == 0
    assert call("passk", path, "--check", "--tolerance", "0.2").code == 0
    assert call("passk", counts(), "--check").code == 0
    assert "excess" in call("passk", counts(), "--check", "--format", "csv").out


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--k", "0"), "--k '0': must be a whole number of at least 1"),
        (("--k", "1", "1"), "--k '1': is given twice"),
        (("--k", "many"), "--k 'many': must be a whole number"),
        (("--se", "none"), "--se 'none': must be one of problems, samples"),
        (("--by", "modle"), "no column 'modle' (did you mean model?)"),
        (("--column", "n_correct=right"), "--column 'n_correct=right': "),
        (
            ("--column", "n_right=n_correct"),
            "--column 'n_right=n_correct': 'n_right' is no quantity",
        ),
        (("--where", "size > 1"), "--where 'size > 1': no column 'size'"),
        (("--where", "model == 'c'"), "left out by the condition \"model == 'c'\""),
        (("--tolerance", "1e-6"), "--tolerance '1e-6': is for --check"),
        (("--check", "--se", "samples"), "--se 'samples': is for estimates, without --check"),
        (("more.csv",), "unexpected argument 'more.csv': one file of counts at a time"),
    ],
)
def test_bad_options(
    fails: Callable[..., str], counts: Callable[..., Path], words: tuple[str, ...], message: str
) -> None:
    assert message in fails(counts(), *words)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "model,problem,n,c\na,1,10,11\n",
            "row 1, column 'c': n_correct=11 must be at most n_samples=10",
        ),
        ("model,problem,n\na,1,10\n", "no column for n_correct"),
        ("model,k,pass_at_k\na,1,0.5\n", "holds pass@k already and no counts; --check"),
        ("", "is empty"),
    ],
)
def test_bad_counts(
    fails: Callable[..., str], counts: Callable[..., Path], text: str, message: str
) -> None:
    error = fails(counts(text))
    assert message in error
    assert "counts.csv" in error


def test_no_file(fails: Callable[..., str]) -> None:
    assert "COUNTS is missing: name a CSV or JSON file of counts" in fails()
    assert "in front of --k, which takes all that follows it" in fails("--k", "1", "counts.csv")


def test_options_of_counts_are_refused_for_estimates(
    fails: Callable[..., str], counts: Callable[..., Path]
) -> None:
    assert "--k '1': is for counts" in fails(counts("k,pass_at_k\n1,0.5\n"), "--check", "--k", 1)


# -- the public counts -----------------------------------------------------------------------------


def test_public_counts(call: Callable[..., Any], public_runs: Path) -> None:
    path = public_runs / "pythia-passk" / "per_problem_counts.csv"
    where = ("--where", "benchmark == 'gsm8k'")
    result = call("passk", path, "--k", "1,10,100", "--by", "model", *where, "--format", "csv")
    assert (result.code, result.err, len(rows_of(result.out))) == (0, "", 243)
    assert call("passk", path, "--check").code == 0
