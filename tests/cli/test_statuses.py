"""What every command answers to words: its exit status, and what its output or its one line of error
names.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import split
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.data import grid, noisy, write_csv, write_rows

import isoflop.theory.verification  # noqa: F401 - bound to all the names before a test narrows them
from isoflop.cli.arguments import number
from isoflop.numeric.law import Law

DONE, NEGATIVE, NO_VERDICT, INTERRUPTED, DEFECT = 0, 1, 3, 130, 70
LAW, EXPONENTS = "--law besiroglu2024", "--law beta=0.34 gamma=0.28"
COUNTS = "counts.csv"
FITTED = "fit gold.csv --k 8 --method least-squares-log --bootstrap 20"

#: The words of a command, its exit status, and what its text names, separated by bars.
ANSWERED = (
    ("laws", DONE, "besiroglu2024"),
    ("prove 'alpha == beta*gamma/(beta + gamma)'", DONE, "proved"),
    ("prove 'alpha == beta'", NEGATIVE, "refuted"),
    ("prove 'sqrt(5 + 2*sqrt(6)) == sqrt(2) + sqrt(3)'", NO_VERDICT, "undecided"),
    (r"prove --latex '-\alpha = -\frac{\beta\gamma}{\beta+\gamma}'", DONE, "proved"),
    ("prove --notation hoffmann 'alpha_C == alpha*beta/(alpha + beta)'", DONE, "proved"),
    ("prove 'C == 120*N^2' --assume 'C == 6*N*D' --assume 'D == 20*N'", DONE, "proved"),
    ("prove 'x^2 >= x' '--assume=x < 1'", NEGATIVE, "refuted"),
    ("prove '12*N_opt*D_opt == C' --budget 12ND", DONE, "proved"),
    ("passk tries.csv --k 1 1000", DONE, "refused"),
    ("passk tries.csv --k 100 1000", NO_VERDICT, "refused"),
    (
        "penalty --law besiroglu2024 hoffmann2022 --params 405B --compute 3.8e25 --explain",
        DONE,
        "never:",
    ),
    ("fit runs.csv", DONE, "beta"),
    # these runs are at one number of tokens per param
    ("fit runs.csv --where 'abs(D/N - 20) < 1'", NO_VERDICT, "undetermined"),
    ("fit scores.csv --benchmark piqa", DONE, "accuracy|gamma"),
    (FITTED, DONE, "params-tokens"),
    ("check runs.csv --bootstrap 61 --explain", DONE, "verdict: consistent"),
    ("backtest scores.csv --law compute --cutoffs 2 --rolling compute", DONE, "piqa"),
)


@pytest.mark.parametrize(
    ("words", "code", "named"), ANSWERED, ids=[row[0][:60] for row in ANSWERED]
)
def test_what_is_answered(call, there, words, code, named) -> None:
    result = call(words)
    assert (result.code, result.err) == (code, ""), result
    assert [part for part in named.split("|") if part not in result.out] == []
    assert [line for line in result.out.splitlines() if len(line) > 100] == []
    assert "nan" not in result.out.lower().split()


# -- bad input: status 2, and one line that names the option as it was spelt, its value, its domain ----

LARGE = "9" * 5000
REFUSED = {
    # words that are no command and no option
    "penalti": "'penalti'|did you mean penalty?|laws, derive, penalty, allocate, check",
    f"penalty {LAW} --ratoi 3": "--ratoi|did you mean --ratio",
    f"penalty {LAW} --rat 3": "--rat",
    f"penalty {LAW} --ratio": "--ratio|value",
    "laws --format jsn": "--format 'jsn'|text, json, bibtex|did you mean json?",
    "laws --format json --format text": "--format|'json' 'text'|once",
    # which law
    "penalty --ratio 1": "--law|missing|beta=|gamma=",
    "penalty --law besiroglu2023 --ratio 1": "--law 'besiroglu2023'|besiroglu2024",
    f"penalty {LAW} {LAW} --ratio 1": "--law 'besiroglu2024'|different",
    f"derive {LAW},hoffmann2022": "--law|one law",
    f"penalty {LAW} beta=.3 --ratio 1": "--law 'besiroglu2024 beta=.3'|a law or coefficients",
    "penalty --law alpha=.34 beta=.28 --ratio 1": "--law 'alpha=.34 beta=.28'|--notation 'hoffmann'|beta",
    f"penalty {EXPONENTS} beta=1 --ratio 1": "--law 'beta=1'|again",
    "laws hofmann2022": "'hofmann2022'|hoffmann2022",
    # penalty and allocate
    f"penalty {LAW} --tokens 1T": "--tokens|two of params",
    f"penalty {LAW} --params 7B --tokens 2T --compute 1e23": "--params, --tokens, --compute: a run is given by two",
    f"penalty {LAW} --ratio 2 --params 7B": "--ratio, --params: must be",
    f"penalty {LAW} --params 7B,8B --tokens 1T,2T,3T": "--params 7|--tokens 1|2 and 3",
    f"penalty {EXPONENTS} --params 7B --tokens 1T": "law 'custom'|no value of A and B",
    f"penalty {LAW} --params 1e200 --tokens 1e200": "--params 1e+200|--tokens 1e+200|largest float",
    f"allocate {LAW}": "--compute|--loss",
    f"allocate {LAW} --compute 8B": "--compute '8B'|FLOP|params or tokens|8000000000",
    f"allocate {LAW} --loss 1.9 --max-tokens 1B": "--max-tokens 1e+09|above 2.88133",
    f"allocate {LAW} --loss=2 --max-tokens '1\n2'": r"--max-tokens '1\n2'",
    f"allocate {LAW} --loss=2 --max-tokens {LARGE}": "--max-tokens '999|999...999|999'",
    # files that cannot be written
    f"penalty {EXPONENTS} --ratio 3 --plot figure.txt": "--plot 'figure.txt'|.png, .pdf or .svg",
    "check runs.csv --plot /no/such/folder/x.png": "--plot '/no/such/folder/x.png'|cannot be written",
    "simulate --output /": "--output '/'|irectory",
    f"simulate runs -o {'y' * 300}.csv": "--output|too long",
    # claims and theorems
    f"derive {LAW} --budget 'kappa*N*D'": "--budget 'kappa*N*D'|kappa",
    "latex nonsense": "isoflop latex --list",
    "latex --list envelope": "--list|'envelope'",
    "verify ''": "NAME|a value is expected",
    "verify tokens_per_parm": "'tokens_per_parm'|did you mean tokens_per_param",
    "verify no_such_file.md": "no_such_file.md'|No such file",
    "verify latin.md": "latin.md|UTF-8",
    "verify a.md b.md": "'a.md b.md'|one file",
    "prove": "CLAIM is missing",
    "prove x == y": "CLAIM 'x' '==' 'y'|quotes",
    "prove 'x == y #'": "CLAIM|'#' at position 8",
    "prove 'x == y' --assume x": "--assume 'x'|relation",
    "prove 'x == y' --budget foo": "--budget 'foo'|unknown name 'foo'",
    # which table
    "fit": "RUNS is missing",
    "fit none.csv": "none.csv|No such file",
    "backtest --law compute runs.csv": "TABLE is missing",
    "backtest other.csv": "counts of samples",
    "simulate run": "KIND 'run'|downstream, runs, counts|did you mean runs?",
    "simulate --seed 1.5": "--seed '1.5'|a whole number of at least 0",
    # fit of runs
    "fit runs.csv --seed 1": "--seed 1|--bootstrap",
    "fit runs.csv --model param-tokens": "--model 'param-tokens'|did you mean params-tokens?",
    "fit runs.csv --model \"__import__('os').system('true')\"": "--model ",
    "fit runs.csv --model 'E + a*M^-b*N^-c' --column M=size": "'size'|M",
    "fit runs.csv --model 'E + a*N^-b' --column Q=tokens": "'Q'",
    "fit runs.csv --fix E=9": "--fix E=9.0|below the highest loss",
    "fit runs.csv --fix E=-1": "--fix E=-1.0: must be",
    "fit runs.csv --where 'loss <'": "--where 'loss <'|is not an expression such as",
    "fit scores.csv --benchmark piga --random-baseline 0": "--benchmark 'piga'|did you mean piqa?",
    # counts
    f"fit {COUNTS} --law gold": "gold",
    f"fit {COUNTS} --bootstrap 1": "--bootstrap '1'|0, or at least 2",
    f"fit {COUNTS} --bootstrap 7B": "--bootstrap '7B'|at most 100,000",
    f"fit {COUNTS} --law compute --ratio 2": "--ratio 2|params-tokens",
    f"fit {COUNTS} --where \"model == 'none'\"": "none of 960 rows",
    f"fit {COUNTS} --column n_correct=passed": "'passed'|n_correct",
    "fit suites.csv": "holds 2 benchmarks (gsm8k, math)|benchmark == 'gsm8k'",
    "passk lacking.csv": "n_correct",
    "passk tries.csv --k 1 1": "--k 1|different",
    "passk tries.csv --column model=modle": "'modle'|did you mean model",
    "passk pass_at_k.csv": "n_samples",
    # check and backtest
    "check --explain": "--explain",
    "check --plot x.png": "--plot x.png: is for a check of RUNS",
    "check runs.csv --bootstrap 5": "--bootstrap '5'|at least 61",
    "check runs.csv --tolerance 0": "--tolerance '0'|above 0 and below 1",
    f"backtest {COUNTS} --k 1 --law compute --random-baseline 0.1": "--random-baseline 0.1|for evaluations",
    f"backtest {COUNTS} --rolling time": "--rolling 'time'|compute, params, tokens, gold",
    "backtest runs.csv --hold-out 'size > 1'": "--hold-out 'size > 1'|size",
    "backtest scores.csv --law bilinear": "--law 'bilinear'|no k",
    "backtest scores.csv --law two-stage-linear": "--proxy",
    "backtest scores.csv --law compute --cutoffs 1e20 --hold-out 'compute > 1e22'": "--hold-out|cutoffs",
}
HEADER = ("model", "problem", "n_samples", "n_correct")
#: Tables that cannot be counts.
NO_COUNTS: dict[str, tuple[Sequence[str], list[Any]]] = {
    "suites": (("benchmark", *HEADER), [(name, "m00", 1, 10, 3) for name in ("gsm8k", "math")]),
    "lacking": (HEADER[:3], [("a", 1, 10)]),
}


@pytest.fixture
def damaged(there) -> Path:
    """The folder of the tables with some that are refused, and a text that is not in UTF-8."""
    for name, (header, rows) in NO_COUNTS.items():
        write_rows(there / f"{name}.csv", header, rows)
    (there / "latin.md").write_bytes(b"1. alpha = \xff\n")
    return there


@pytest.mark.parametrize(("words", "named"), REFUSED.items(), ids=[words[:60] for words in REFUSED])
def test_what_is_refused(refused, damaged, words, named) -> None:
    refused(named.split("|"), words)


SPELT = {
    **{"7e9": 7e9, "7B": 7e9, "7b": 7e9, "1.4T": 1.4e12, "500M": 5e8, "20k": 2e4, "20K": 2e4},
    **{"1%": 0.01, "12.5%": 0.125, "1e-3%": 1e-5, "0.1k": 100.0, "1_000_000": 1e6},
    **{" 3 ": 3.0, "+3": 3.0, "-3": -3.0, ".5": 0.5, "5.": 5.0, "0": 0.0, "0e999": 0.0},
    **{"5.76E23": 5.76e23, "4.9e-324": 5e-324, "1.7976931348623157e308": 1.7976931348623157e308},
}
NO_NUMBERS = (
    *("", " ", "abc", "1.2.3", "1e", "e5", "1e5.5", "0x10", "1,5", "1__0", "_1", "7 B", "7m", "7X"),
    *("7BB", "7e9B", "--1", "1+1", "1/2", "٣", "𝟓", "−1", "∞", "1e999", "1e-999", "1e" + "9" * 60),
    *(LARGE, "True", "None", "1j", ".", "%"),
)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_of_python(value: float) -> None:
    assert number(repr(value)) == value


def test_numbers() -> None:
    assert {text: number(text) for text in SPELT} == SPELT
    for text in NO_NUMBERS:
        with pytest.raises(ValueError, match=r"\w"):
            number(text)


def test_options_take_positive_numbers(refused) -> None:
    options = {
        "--ratio": f"penalty {LAW}",
        "--within": f"penalty {LAW}",
        "--compute": f"allocate {LAW}",
        "--max-tokens": f"allocate {LAW} --compute 1e20",
    }
    for value in ("0", "-1e20", "-5%", "-inf", "nan", "", " ", "abc", "1e-999", "\u0661"):
        for option, words in options.items():
            is_empty = not value.strip() and option in ("--ratio", "--compute")
            outside = (f"{option} {value.strip()!r}", "must be a positive finite number")
            named = (f"{option}: a value is expected",) if is_empty else outside
            for spelt in ((option, value), (f"{option}={value}",)):
                refused(named, words, *spelt)
        if value.strip():
            refused(("beta",), "penalty --law gamma=.3", f"beta={value}", "--ratio", "2")


def test_a_budget_is_read_and_never_evaluated(refused, tmp_path) -> None:
    target = tmp_path / "written"
    code = (f"open({str(target)!r},'w')", f"__import__('os').mkdir({str(target)!r})*N*D")
    for budget in ("", "6*N", "N+D", "6*N*D)", "(" * 500, "\u2115*D", "\x01N*D", *code):
        refused(("--budget ",), "derive --budget", budget)
    assert not target.exists()


# -- files -----------------------------------------------------------------------------------------


def test_law_files_that_are_refused(refused, tmp_path) -> None:
    """What a law file may hold is a matter of `numeric.law.file`; the line names the file."""
    exponents = {"notation": "hoffmann", "coefficients": {"alpha": 0.34, "beta": 0.28}}
    for name, content in {
        "no JSON": "[" * 100_000 + "]" * 100_000,
        "a": json.dumps(exponents | {"name": "mine"}),
        "b": json.dumps(exponents | {"name": "mine"}),
    }.items():
        (tmp_path / f"{name}.json").write_text(content)
    path = {name: tmp_path / f"{name}.json" for name in ("no JSON", "a", "b", "absent")}
    refused(("no JSON.json",), "penalty --ratio 3 --law", path["no JSON"])
    refused(("absent.json", "No such file"), "penalty --law", path["absent"])
    refused(("directory",), "penalty --law", tmp_path)
    refused(("'mine'", "no value of E"), "allocate --loss 2 --law", path["a"])
    refused(("--law 'mine'",), "penalty --law", path["a"], path["b"])


@pytest.mark.parametrize(
    "words",
    [
        "fit file.json --save x/../file.json",
        "penalty --law besiroglu2024,./linked.png --ratio 3 --plot file.png",
        "check file.png --plot x/../file.png",
        "latex envelope -o new.tex --bib x/../new.tex",
    ],
)
def test_no_file_is_both_read_and_written_or_written_twice(refused, tmp_path, monkeypatch, words):
    """Refused before any work: a command that began would say that the file is no table or law."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    for ending in ("json", "png"):
        (tmp_path / f"file.{ending}").write_text("neither a table nor a law\n")
    (tmp_path / "linked.png").symlink_to(tmp_path / "file.png")
    refused(("named twice",), words)
    assert {path.read_text() for path in tmp_path.glob("file.*")} == {"neither a table nor a law\n"}
    assert not list(tmp_path.glob("new.*"))


def test_a_kind_is_no_file(call, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("simulate runs -o runs") == (0, "", "")


# -- anything at all -------------------------------------------------------------------------------

WORDS = split(
    "--law besiroglu2024 hoffmann2022 --ratio --within --params --tokens --compute --max-tokens "
    "beta=.3 gamma=.2 A=2 E=0 --notation hoffmann --format json text compute -- - -= -h --help = , "
    "0.3 2 1e22 -1e20 -inf nan 7B 1% '' x.json --ratio=3 --law=besiroglu2024 "
    "'x == y' '-x == y' --latex --assume 'x > 1' 'P(r) -> 1 as r -> 1'"
)


@settings(max_examples=30)
@given(
    st.sampled_from(["penalty", "allocate", "laws", "prove"]),
    st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=9),
)
@example("penalty", ["--law", "besiroglu2024", "--ratio", "0.1", "--", "1"])
@example("laws", ["--", "--format"])
@example("allocate", ["--law", "besiroglu2024", "--compute", "1e20", "--max-tokens", "1e-300"])
def test_any_words(call, refused, command, words) -> None:
    result = call(command, *words)
    if result.code == 2:
        refused((), command, *words)
    else:
        assert result.code == 0 or (command == "prove" and result.code in (1, 3))
        assert result.err == ""
        assert result.out.endswith("\n")


# -- verdicts --------------------------------------------------------------------------------------

TRUTH = Law(E=1.8, A=480.0, B=2100.0, beta=0.35, gamma=0.37)
CHECK = "check --column 'params=my size' --bootstrap 61"


def isoflops(path, bend=0.0, **more):
    """IsoFLOP runs about the optimum of a law, bent upwards at both ends of compute."""
    compute, ratio = grid(np.geomspace(1e18, 1e22, 6), np.geomspace(0.2, 5.0, 9))
    params = ratio * TRUTH.envelope.params(compute)
    tokens = compute / (6.0 * params)
    position = (np.log10(compute) - 20.0) / 2.0
    loss = noisy(TRUTH.loss(params, tokens) * (1.0 + bend * (position**2 - 0.3)), 0.002)
    return write_csv(path, {"my size": params, "tokens": tokens, "loss": loss, **more})


@pytest.mark.parametrize(
    ("how", "code", "named"),
    [
        ({}, DONE, "verdict: consistent"),
        ({"bend": 0.04}, NEGATIVE, "verdict: inconsistent"),
        ({"group": ["a", "b"] * 27}, NO_VERDICT, "fewer than 4 groups"),
    ],
)
def test_checks(call, tmp_path, how, code, named) -> None:
    path, picture = isoflops(tmp_path / "runs.csv", **how), tmp_path / "check.png"
    drawn = ("--plot", picture) if code == DONE else ()
    result = call(f"{CHECK} --compute 1e24", path, *drawn)
    assert (result.code, result.err) == (code, "")
    assert named in " ".join(result.out.split())
    assert " 1e24 FLOP" in result.out
    assert not drawn or picture.stat().st_size > 20_000


def test_laws_that_could_not_be_fitted(data, tables, tmp_path) -> None:
    scores, path = pd.read_csv(tables / "scores.csv"), tmp_path / "scores.csv"
    for table, why in (
        (scores.head(3), "fewer than 6 cheaper rows"),
        (scores.assign(score=1.0), "no law is judged on 30 of 30 runs"),
    ):
        table.to_csv(path, index=False)
        found = data("backtest", path, "--law", "compute", "params-tokens", code=NO_VERDICT)
        assert any(why in note for note in found["notes"])


@pytest.mark.parametrize(("answer", "code"), [("REFUTED", NEGATIVE), ("UNDECIDED", NO_VERDICT)])
def test_a_failed_proof_of_the_envelope(call, monkeypatch, answer, code) -> None:
    from isoflop.theory.kernel import Answer, Decision
    from isoflop.theory.theorem.step import Step
    from isoflop.theory.typeset.equations import Displayed

    def prove(claim):
        failed = claim.name == "tokens_per_param"
        return Decision(Answer[answer] if failed else Answer.PROVED, "made up")

    monkeypatch.setattr(Step, "prove", prove)
    # What was proved before is kept with the subject.
    afresh = property(lambda subject: {name: x.prove() for name, x in subject.claims.items()})
    monkeypatch.setattr(Displayed, "decisions", afresh)
    for form in ("text", "json", "latex") if code == NEGATIVE else ("json",):
        shown = {"text": answer, "json": answer.lower(), "latex": "% not proved: tokens_per_param"}
        result = call(f"derive --budget 7*N^2*D --format {form}")
        assert (result.code, result.err) == (code, "")
        assert shown[form] in result.out


def test_no_optimum_is_no_verdict(data, refused, there, monkeypatch) -> None:
    from isoflop.numeric.fit.solution import solve

    def never(*words, **more):
        return replace(solve(*words, **more), converged=False)

    monkeypatch.setattr("isoflop.numeric.fit.solution.solve", never)
    found = data("fit runs.csv --save never.json", code=NO_VERDICT)
    assert (found["converged"], found["coefficients"]["E"]["se"]) == (False, None)
    refused(("converged", "did not reach an optimum"), "penalty --law never.json")


# -- Ctrl-C and defects ----------------------------------------------------------------------------


def stopping(monkeypatch, owner, name, *, after):
    """Let Ctrl-C come instead of the call after so many of a function."""
    real = getattr(owner, name)
    calls: list[int] = []

    def stopped(*words, **more):
        if len(calls) == after:
            raise KeyboardInterrupt
        calls.append(1)
        return real(*words, **more)

    monkeypatch.setattr(owner, name, stopped)


def test_an_interrupt_keeps_what_is_done(call, there, monkeypatch) -> None:
    from isoflop.numeric.fit.solution import Solution
    from isoflop.theory.theorem.derivation import Derivation

    words = "fit runs.csv --bootstrap 1000 --format json"
    plain = json.loads(call("fit runs.csv --format json").out)
    with monkeypatch.context() as patch:
        stopping(patch, Solution, "refit", after=1)
        result = call(CHECK, isoflops(there / "isoflops.csv"))
        assert result == (INTERRUPTED, "", "isoflop: interrupted: there is no result\n")
    stopping(monkeypatch, Solution, "refit", after=2)
    result = call(f"{words} --save part.json")
    line = "isoflop: interrupted: after 200 of 1000 resamples; the intervals come from these\n"
    assert (result.code, result.err) == (INTERRUPTED, line)
    found = json.loads(result.out)
    interval = {"repeats": 200, "requested": 1000, "interrupted": True}
    assert interval.items() <= found["interval"].items()
    assert any("interrupted after 200 of 1000" in text for text in found["warnings"])
    saved = json.loads((there / "part.json").read_text(encoding="utf-8"))
    assert saved["coefficients"] == found["coefficients"]
    result = call(words)  # now before any resample
    assert result.code == INTERRUPTED
    assert result.err.startswith("isoflop: interrupted: before the first of 1000 resamples")
    assert json.loads(result.out)["coefficients"] == plain["coefficients"]

    stopping(monkeypatch, Derivation, "verify", after=1)
    result = call("latex optimum_by_lagrange penalty_tails -o notes.tex")
    assert (result.code, result.out) == (INTERRUPTED, "")
    assert "1 of 2" in result.err
    assert (there / "notes.tex").read_text(encoding="utf-8").endswith("\\end{document}\n")
    assert call("latex penalty_tails -o no_theorem.tex").code == INTERRUPTED
    assert not (there / "no_theorem.tex").exists()


def singular(*_, **__):
    return np.linalg.inv(np.zeros((2, 2)))  # LinAlgError is a ValueError


def test_what_a_command_raises(call, monkeypatch) -> None:
    for error, code, line in (
        (KeyboardInterrupt(), INTERRUPTED, "isoflop: interrupted: there is no result\n"),
        (ValueError("x=3:\n must be 4"), 2, "isoflop: error: x=3: must be 4\n"),
        (RuntimeError("a defect"), DEFECT, "RuntimeError: a defect\n"),
    ):

        def run(options, error=error):
            raise error

        monkeypatch.setattr("isoflop.cli.laws.run", run)
        result = call("laws")
        assert (result.code, result.out) == (code, "")
        assert result.err.endswith(line)
    monkeypatch.setattr(Law, "allocate", singular)
    result = call(f"allocate {LAW} --compute 1e20")
    assert result.code == DEFECT
    assert "LinAlgError: Singular matrix" in result.err
    assert "isoflop: error" not in result.err
