"""Bad input: exit status 2, one line that names the option as it was spelt, its value and its
domain, nothing else.
"""

import json
from shlex import split

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.data import write_rows

LAW, EXPONENTS = "--law besiroglu2024", "--law beta=0.34 gamma=0.28"
COMPUTE_LAW = "krajewski2025-arc-e-compute"
COUNTS = "samples.csv --models sizes.csv"
QUICK = "--law compute --cutoffs 3 --bootstrap 0"
JUDGED = f"backtest {COUNTS} --k 1 {QUICK}"
SCORES = "backtest scores.csv --law compute"
HELD = "--hold-out 'compute > 1e22'"

#: The words of a command, and what its error must name, separated by bars.
CASES = {
    # -- words that are no command and no option
    "penalti": "'penalti'|did you mean penalty?",
    "frobnicate": "'frobnicate'|laws, derive, penalty, allocate, check",
    f"penalty {LAW} --ratoi 3": "--ratoi|did you mean --ratio",
    f"penalty {LAW} --rat 3": "--rat",
    f"penalty {LAW} --ratio": "--ratio|value",
    "prove 'x == y' --asume 'x == y'": "--asume|--assume",
    "laws --format jsn": "--format 'jsn'|text, json, bibtex|did you mean json?",
    "laws --format json --format text": "--format|'json' 'text'|once",
    # -- which law
    "penalty --ratio 1": "--law|missing|beta=|gamma=",
    "penalty --law besiroglu2023 --ratio 1": "--law 'besiroglu2023'|besiroglu2024",
    f"allocate --law {COMPUTE_LAW} --compute 1e20": f"--law '{COMPUTE_LAW}'|compute law",
    f"penalty {LAW} {LAW} --ratio 1": "--law 'besiroglu2024'|different",
    f"derive {LAW},hoffmann2022": "--law|one law",
    f"penalty {LAW} beta=.3 --ratio 1": "--law 'besiroglu2024 beta=.3'|a law or coefficients",
    "penalty --law alpha=.34 beta=.28 --ratio 1": "--law 'alpha=.34 beta=.28'|--notation 'hoffmann'|beta",
    "penalty --notation hoffmann --law alpha=.3 gamma=.2": "gamma=.2'|--notation 'schaeffer'",
    "penalty --law beta=.34 --ratio 1": "--law 'beta=.34'|missing gamma",
    "penalty --law beta=.34 gama=.3 --ratio 1": "gama=.3'|E, A, B, beta, gamma",
    f"penalty {EXPONENTS} beta=1 --ratio 1": "--law 'beta=1'|again",
    f"penalty {EXPONENTS} A=1 B=1 E=-1 --ratio 2": "--law|E=-1.0|at least 0",
    "laws hofmann2022": "'hofmann2022'|hoffmann2022",
    # -- penalty and allocate
    f"penalty {LAW} --tokens 1T": "--tokens|two of params",
    "penalty --law krajewski2025-piqa --params 7B --tokens 2T --compute 1e23": "--params, --tokens, --compute: must be two",
    f"penalty {LAW} --params 7B,8B --tokens 1T,2T,3T": "--params 7|--tokens 1|2 and 3",
    f"penalty {EXPONENTS} --params 7B --tokens 1T": "A, B=None|'custom'",
    f"penalty {LAW} --params 1e200 --tokens 1e200": "--params 1e+200|--tokens 1e+200|largest float",
    f"allocate {LAW}": "--compute|--loss",
    f"allocate {LAW} --params 7B --loss 1.9": "--loss 1.9|must be above 1.99872 at --params 7e+09",
    f"allocate {LAW} --compute 8B": "--compute '8B'|FLOP|params or tokens|8000000000",
    f"allocate {LAW} --loss 1.8172": "--loss 1.8172|above",
    f"allocate {LAW} --loss 1.9 --max-params 1M --max-tokens 1B": "--max-params 1e+06, --max-tokens 1e+09|above 6.82823",
    # -- lists, signs and lengths
    f"allocate {LAW} --loss=2 --max-tokens '1\n2'": r"--max-tokens '1\n2'",
    f"allocate {LAW} --loss=2 --max-tokens {'9' * 5000}": "--max-tokens '999|999...999|999'",
    # -- files that cannot be written
    f"penalty {EXPONENTS} --ratio 3 --plot figure.txt": "--plot 'figure.txt'|.png, .pdf or .svg",
    "check runs.csv --plot /no/such/folder/x.png": "--plot '/no/such/folder/x.png'",
    "simulate --output /": "--output '/'|irectory",
    "fit runs.csv --save /no/such/folder/x.json": "--save '/no/such/folder/x.json'|cannot be written",
    # -- claims and theorems
    f"derive {LAW} --budget 'kappa*N*D'": "--budget 'kappa*N*D'|kappa",
    "latex nonsense": "isoflop latex --list",
    "latex --list envelope": "--list|'envelope'",
    "latex penalty_tails --all": "--all",
    "verify ''": "NAME|a value is expected",
    f"simulate runs -o {'y' * 300}.csv": "--output|too long",
    f"penalty --law {'y' * 300}.json --ratio 3": "law file|too long",
    "verify tokens_per_parm": "'tokens_per_parm'|did you mean tokens_per_param",
    "verify no_such_file.md": "no_such_file.md'|No such file",
    "verify a.md b.md": "'a.md b.md'|one file",
    "prove": "CLAIM is missing",
    "prove x == y": "CLAIM 'x' '==' 'y'|quotes",
    "prove 'x == y #'": "'#' at position 8",
    r"prove 'x = \foo' --latex": "foo' at position 5",
    "prove 'P(r) ~ 1 as r'": "limit",
    "prove 'x == y' --assume x": "'x'|relation",
    "prove 'x == y' --budget foo": "--budget 'foo'|unknown name 'foo'",
    # -- which table
    "fit": "RUNS is missing",
    "fit none.csv": "none.csv|No such file",
    "backtest --law compute runs.csv": "TABLE is missing",
    "backtest other.csv": "counts of samples",
    "simulate run": "KIND 'run'|downstream, runs, counts|did you mean runs?",
    # -- fit
    "fit runs.csv --bootstrap 10 --seed -1": "--seed '-1'|at least 0",
    "fit runs.csv --seed 1": "--seed 1|--bootstrap",
    "fit runs.csv --model param-tokens": "--model 'param-tokens'|did you mean params-tokens?",
    "fit runs.csv --model 'a + b'": "--model 'a + b'|column",
    "fit runs.csv --model \"__import__('os').system('true')\"": "--model ",
    "fit runs.csv --model 'E + a*M^-b*N^-c' --column M=size": "'size'|M",
    "fit runs.csv --model 'E + a*N^-b' --column Q=tokens": "'Q'",
    "fit runs.csv --fix E=9": "--fix E=9.0|below some loss",
    "fit runs.csv --fix delta=1": "delta|E, A, B, beta, gamma",
    "fit runs.csv --fix E=-1": "--fix E=-1.0: must be",
    "laws nope": "NAME 'nope'|no published law",
    "penalty --law besiroglu2024 --ratio 2 --params 7B": "--ratio, --params: must be",
    "fit runs.csv --model compute --ratio 3": "--ratio 3",
    "fit runs.csv --model 'a*N^-b' --compute 3": "--compute 3",
    "fit scores.csv --benchmark piga --random-baseline 0": "--benchmark 'piga'|did you mean piqa?",
    # -- fit of counts, passk
    f"fit {COUNTS} --law gold": "gold",
    f"fit {COUNTS} --bootstrap 1": "--bootstrap '1'|0, or at least 2",
    f"fit {COUNTS} --law compute --ratio 2": "--ratio 2|params-tokens",
    f"fit {COUNTS} --where \"model == 'none'\"": "none of 960 rows",
    "fit runs.csv --where 'loss <'": "--where 'loss <'|is no expression such as",
    f"fit {COUNTS} --column n_correct=passed": "'passed'|n_correct",
    f"fit {COUNTS} --where \"model == 'm00'\"": "1 models have an estimate",
    f"fit {COUNTS} --method least-squares-log --law compute --k 129": "129|24",
    "fit samples.csv --k 8": "needs compute of the models",
    "passk tries.csv --k 1 1": "--k 1|different",
    "passk tries.csv --column model=modle": "'modle'|did you mean model",
    "passk pass_at_k.csv": "holds pass@k|--check",
    "passk pass_at_k.csv --check --k 1": "--k 1|for counts",
    # -- check
    "check --explain": "--explain",
    "check --plot x.png": "--plot x.png: is for a check of RUNS",
    "check runs.csv --bootstrap 5": "--bootstrap '5'|at least 61",
    "check runs.csv --tolerance 0": "--tolerance '0'|above 0 and below 1",
    # -- simulate
    "simulate --seed 1.5": "--seed '1.5'|a whole number of at least 0",
    # -- backtest
    "backtest samples.csv": "no law has all that it depends on",
    f"{JUDGED} --rolling gold": "--rolling 'gold'|no gold",
    f"{JUDGED} --rolling time": "--rolling 'time'|compute, params, tokens, gold",
    f"{JUDGED} --random-baseline 0.1": "--random-baseline 0.1|for evaluations",
    "backtest runs.csv --hold-out 'N > 1'": "--hold-out 'N > 1'|all",
    "backtest runs.csv --hold-out 'size > 1'": "--hold-out 'size > 1'|size",
    "backtest scores.csv --law compte": "--law 'compte'|did you mean compute",
    "backtest scores.csv --law bilinear": "--law 'bilinear'|no k",
    "backtest scores.csv --law two-stage-linear": "--proxy",
    f"{SCORES} --hold-out 'compute > 1e30'": "--hold-out 'compute > 1e30'|none",
    f"{SCORES} --cutoffs 1e20 {HELD}": "--hold-out|cutoffs",
}


@pytest.mark.parametrize(("words", "named"), CASES.items(), ids=[words[:60] for words in CASES])
def test_cases(refused, there, words, named) -> None:
    refused(named.split("|"), words)


NO_NUMBERS = (
    *("0", "-1e20", "-5%", "-inf", "inf", "nan", "-nan", "", " ", "abc", "1e999", "1e-999", "1/2"),
    "\u0661",
)
ONCE = ("--within", "--max-tokens")
NUMBERS = {
    "--ratio": f"penalty {LAW}",
    "--within": f"penalty {LAW}",
    "--compute": f"allocate {LAW}",
    "--max-tokens": f"allocate {LAW} --compute 1e20",
}


@pytest.mark.parametrize("option", NUMBERS)
def test_numbers(refused, option) -> None:
    for value in NO_NUMBERS:
        is_empty = not value.strip() and option not in ONCE
        said = f"{option} {value.strip()!r}|must be a positive finite number"
        named = tuple((f"{option}: a value is expected" if is_empty else said).split("|"))
        for spelt in ((option, value), (f"{option}={value}",)):
            refused(named, NUMBERS[option], *spelt)


def test_coefficients(refused) -> None:
    for value in NO_NUMBERS:
        if value.strip():
            refused(("beta",), "penalty --law gamma=.3", f"beta={value}", "--ratio", "2")


@pytest.mark.parametrize("budget", ["", "6*N", "N+D", "6*N*D)", "(" * 500, "\u2115*D", "\x01N*D"])
def test_budgets(refused, budget) -> None:
    refused(("--budget ",), "derive --budget", budget)


def test_a_budget_is_never_evaluated(refused, tmp_path) -> None:
    target = tmp_path / "written"
    for text in (f"open({str(target)!r},'w')", f"__import__('os').mkdir({str(target)!r})*N*D"):
        refused(("--budget ",), "derive --budget", text)
    assert not target.exists()


# -- files -----------------------------------------------------------------------------------------

GIVEN = {"A": 406.4, "B": 410.7, "alpha": 0.34, "beta": 0.28}
HOFFMANN = {"notation": "hoffmann", "coefficients": GIVEN}


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "[]", "[" * 100_000 + "]" * 100_000, bytes(range(256)) * 10),
        {"coefficients": {"beta": 0.34, "gamma": 0.28}},
        HOFFMANN | {"notation": "schaeffer"},
        HOFFMANN | {"coefficients": []},
        *(
            HOFFMANN | {"coefficients": {"alpha": 0.34} | more}
            for more in ({}, {"beta": -0.28}, {"beta": float("nan")}, {"beta": True})
        ),
        HOFFMANN | {"name": 3},
        *(HOFFMANN | {"ranges": damaged} for damaged in ("x", {"params": [1]})),
    ],
)
def test_law_files(refused, tmp_path, content) -> None:
    path = tmp_path / "law.json"
    text = json.dumps(content) if isinstance(content, dict) else content
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    words = "--params 7B --tokens 1T" if "ranges" in str(text) else "--ratio 3"
    refused(("law.json",), f"penalty {words} --law", path)


def test_law_files_that_are_no_use(refused, tmp_path) -> None:
    refused(("no.json", "No such file"), "penalty --law", tmp_path / "no.json")
    refused(("directory",), "penalty --law", tmp_path)
    paths = tmp_path / "a.json", tmp_path / "b.json"
    for path in paths:
        path.write_text(json.dumps(HOFFMANN | {"name": "mine"}))
    refused(("'mine'", "E=None"), "allocate --loss 2 --law", paths[0])
    refused(("--law 'mine'",), "penalty --law", *paths)


HEADER = ("model", "problem", "n_samples", "n_correct")
FITTED = "fit counts.csv --models models.csv --law compute --k 8 --bootstrap 0"
#: Rows of a table with this header that cannot be counts, the command, and what it must say.
TABLES = {
    "over": (HEADER, [("a", 1, 64, 3), ("a", 2, 64, 65)], FITTED, "counts.csv|row 2|65"),
    "lacking": (HEADER[:3], [("a", 1, 10)], "passk counts.csv", "n_correct"),
    "empty": ((), [], "passk counts.csv", "empty"),
    "no success": (HEADER, [("a", 1, 9, 0), ("b", 1, 9, 0)], FITTED, "--k 8|2 no success"),
    "several": (
        ("benchmark", *HEADER),
        [(name, "a", 1, 10, 3) for name in ("gsm8k", "math")],
        FITTED,
        "holds 2 benchmarks (gsm8k, math)|benchmark == 'gsm8k'",
    ),
}


@pytest.mark.parametrize(("header", "rows", "words", "named"), TABLES.values(), ids=TABLES)
def test_tables_of_counts(refused, tmp_path, monkeypatch, header, rows, words, named) -> None:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "counts.csv", header, rows)
    write_rows(tmp_path / "models.csv", ("model", "compute"), [("a", 1e20), ("b", 1e21)])
    refused(named.split("|"), words)


def test_a_text_that_is_none(refused, tmp_path) -> None:
    (tmp_path / "mine.md").write_bytes(b"1. alpha = \xff\n")
    refused(("mine.md", "UTF-8"), "verify", tmp_path / "mine.md")


# -- anything at all -------------------------------------------------------------------------------

WORDS = split(
    "--law besiroglu2024 hoffmann2022 --ratio --within --params --tokens --compute --max-tokens "
    "beta=.3 gamma=.2 A=2 E=0 --notation hoffmann --format json text compute -- - -= -h --help = , "
    "0.3 2 1e22 -1e20 -inf nan 7B 1% '' x.json --ratio=3 --law=besiroglu2024 "
    "'x == y' '-x == y' --latex --assume 'x > 1' 'P(r) -> 1 as r -> 1'"
)


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
