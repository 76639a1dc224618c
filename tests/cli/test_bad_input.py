"""Bad input: exit status 2, one line that names the option as it was spelt and its value, nothing
else.
"""

import json
from shlex import split

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

LAW, EXPONENTS = "--law besiroglu2024", "--beta 0.34 --gamma 0.28"
SIGNED = ("0", "-1", "-1e20", "-5%", "-inf", "inf", "nan", "-nan", "Infinity")
GARBAGE = ("", " ", "abc", "1e999", "1e-999", "7X", "1/2", "١")

#: The words of a command, and what its error must name.
CASES: dict[str, tuple[str, list[str]]] = {
    "misspelt command": ("penalti", ["'penalti'", "did you mean penalty?"]),
    "unknown command": ("frobnicate", ["'frobnicate'", "laws, derive, penalty, allocate, check"]),
    "option before the command": (f"{LAW} penalty", ["--law"]),
    "misspelt global option": ("--versoin", ["--versoin", "--version"]),
    "misspelt option": (f"penalty {LAW} --ratoi 3", ["--ratoi", "did you mean --ratio"]),
    "misspelt option with =": (f"penalty {LAW} --size-ration=3", ["--size-ration", "--size-ratio"]),
    "abbreviated option": (f"penalty {LAW} --rat 3", ["--rat"]),
    "one dash": (f"penalty {LAW} -ratio 3", ["-ratio", "--ratio"]),
    "unexpected argument": ("check runs.csv", ["'runs.csv'"]),
    "no value": (f"penalty {LAW} --ratio", ["--ratio", "value"]),
    "no value of a single option": (
        f"penalty {EXPONENTS} --ratio 1 --within",
        ["--within", "value"],
    ),
    "half a run": (f"penalty {LAW} --tokens 1T", ["--tokens '1T'", "--params"]),
    "no law": ("penalty --ratio 1", ["--law", "missing", "--beta", "--gamma"]),
    "no target": (f"allocate {LAW}", ["--compute", "--loss"]),
    "unknown law": (
        "penalty --law besiroglu2023 --ratio 1",
        ["--law 'besiroglu2023'", "besiroglu2024"],
    ),
    "a benchmark's label": (
        "penalty --law arc-e --ratio 1",
        ["--law 'arc-e'", "krajewski2025-arc-e"],
    ),
    "a compute law": (
        "allocate --law krajewski2025-arc-e-compute --compute 1e20",
        ["--law 'krajewski2025-arc-e-compute'", "compute law"],
    ),
    "the same law twice": (
        f"penalty {LAW} {LAW} --ratio 1",
        ["--law 'besiroglu2024'", "different"],
    ),
    "two laws to derive": (f"derive {LAW},hoffmann2022", ["--law", "one law"]),
    "law and coefficients": (
        f"penalty {LAW} --beta .3 --ratio 1",
        ["--law 'besiroglu2024'", "--beta '.3'"],
    ),
    "alpha in the default notation": (
        "penalty --alpha .34 --beta .28 --ratio 1",
        ["--alpha '.34'", "--notation hoffmann", "--beta"],
    ),
    "gamma in the hoffmann notation": (
        "penalty --notation hoffmann --alpha .34 --gamma .28 --ratio 1",
        ["--gamma '.28'", "--notation schaeffer", "--beta"],
    ),
    "one exponent": ("penalty --beta .34 --ratio 1", ["--gamma", "missing"]),
    "misspelt notation": (
        "derive --notation hofmann",
        ["--notation 'hofmann'", "did you mean hoffmann?"],
    ),
    "misspelt format": (
        "laws --format jsn",
        ["--format 'jsn'", "text, json, bibtex", "did you mean json?"],
    ),
    "a format of another command": (f"derive {LAW} --format html", ["--format 'html'"]),
    "a format twice": (
        "laws --format json --format text",
        ["--format", "2 times", "'json'", "'text'"],
    ),
    "a coefficient twice": (f"penalty {EXPONENTS} --beta 1 --ratio 1", ["--beta", "'0.34'", "'1'"]),
    "two numbers for one": (f"penalty {EXPONENTS} --ratio 1 --within 1%,2%", ["--within '1%,2%'"]),
    "two kinds of ratio": (
        f"penalty {LAW} --ratio 2 --size-ratio 3",
        ["--ratio '2'", "--size-ratio '3'"],
    ),
    "params without tokens": (f"penalty {LAW} --params 7B", ["--params '7B'", "--tokens"]),
    "unequal lists": (
        f"penalty {LAW} --params 7B,8B --tokens 1T,2T,3T",
        ["--params '7B 8B'", "--tokens '1T 2T 3T'", "2 and 3"],
    ),
    "a run without coefficients": (
        f"penalty {EXPONENTS} --params 7B --tokens 1T",
        ["--A", "--B", "--params"],
    ),
    "a budget without coefficients": (
        f"allocate {EXPONENTS} --compute 1e20",
        ["--A", "--B", "--compute"],
    ),
    "a loss without E": (f"allocate --A 1 --B 1 {EXPONENTS} --loss 2", ["--E", "--loss"]),
    "compute in billions": (
        f"allocate {LAW} --compute 8B",
        ["--compute '8B'", "FLOP", "params or tokens", "8000000000"],
    ),
    "two targets": (f"allocate {LAW} --compute 1e20 --loss 2", ["--compute '1e20'", "--loss '2'"]),
    "a loss below E": (f"allocate {LAW} --loss 1.5", ["--loss '1.5'", "1.8172"]),
    "a loss at E": (f"allocate {LAW} --loss 1.8172", ["--loss '1.8172'", "above"]),
    "a loss out of reach": (
        f"allocate {LAW} --loss 1.9 --max-tokens 1B",
        ["--loss '1.9'", "--max-tokens '1B'", "cannot be reached"],
    ),
    "a true overflow": (
        f"penalty {LAW} --params 1e200 --tokens 1e200",
        ["--params '1e200'", "--tokens '1e200'", "largest float"],
    ),
    "an unknown law to describe": ("laws hofmann2022", ["'hofmann2022'", "hoffmann2022"]),
    "an unknown kind": ("laws --kind computes", ["--kind 'computes'", "did you mean compute?"]),
    "a law of another kind": (
        "laws besiroglu2024 --kind compute",
        ["--kind 'compute'", "besiroglu2024"],
    ),
    "a figure format": (
        f"penalty {EXPONENTS} --ratio 3 --plot figure.txt",
        ["--plot 'figure.txt'", ".png, .pdf or .svg"],
    ),
    "a figure in no folder": (
        "check --plot /no/such/folder/x.png",
        ["--plot '/no/such/folder/x.png'"],
    ),
    "an output in no folder": ("laws --output /no/such/folder/x", ["--output '/no/such/folder/x'"]),
    "an output that is a folder": ("laws --output /", ["--output '/'", "irectory"]),
    "numbers under a symbolic budget": (
        f"derive {LAW} --budget 'kappa*N*D'",
        ["--budget 'kappa*N*D'", "kappa"],
    ),
    "an empty list of laws": ("penalty --law '' --ratio 1", ["--law ''"]),
}
NUMBERS = {
    "--ratio": f"penalty {LAW}",
    "--size-ratio": f"penalty {LAW}",
    "--params": f"penalty {LAW} --tokens 1T",
    "--tokens": f"penalty {LAW} --params 7B",
    "--within": f"penalty {LAW}",
    "--compute": f"allocate {LAW}",
    "--loss": f"allocate {LAW}",
    "--max-tokens": f"allocate {LAW} --compute 1e20",
    "--max-params": f"allocate {LAW} --compute 1e20",
    "--A": f"allocate --B 1 {EXPONENTS} --compute 1e20",
    "--B": f"allocate --A 1 {EXPONENTS} --compute 1e20",
    "--beta": "penalty --gamma .3 --ratio 2",
    "--gamma": "penalty --beta .3 --ratio 2",
    "--alpha": "penalty --notation hoffmann --beta .3 --ratio 2",
}
BUDGETS = (
    "",
    "6*N",
    "6*D",
    "6",
    "0*N*D",
    "N+D",
    "6*N*D+1",
    "-6*N*D",
    "-N*D",
    "N**-1*D",
    "N/D",
    "N**N*D",
    "log(N)*D",
    "6*N*D*x",
    "6*N*M",
    "6*N*D)",
    "((6*N*D",
    "6**",
    "L = 6*N*D",
    "C == 6*N*D",
    "9**9**9**9*N*D",
    "1e999*N*D",
    "(" * 500 + "N*D" + ")" * 500,
    "N*D" * 5000,
    "__import__('os').system('true')",
    "N.__class__*D",
    "exec('1')*N*D",
    "lambda: N*D",
    "[N,D]",
    "{N*D}",
    "N*D;N",
    "N*D#",
    "'N'*D",
    "6\n*N*D=",
    "ℕ*D",
    "\x01N*D",
    "nan*N*D",
    "oo*N*D",
    "zoo*N*D",
    "I*N*D",
)


def check(result, *named) -> None:
    assert result.code == 2, result
    assert result.out == ""
    assert result.err.startswith("isoflop: error: ")
    assert result.err.count("\n") == 1
    assert result.err.endswith("\n")
    assert len(result.err) < 900
    for part in named:
        assert part in result.err, (part, result.err)
    assert "Traceback" not in result.err
    assert "usage" not in result.err


@pytest.mark.parametrize(("words", "named"), CASES.values(), ids=CASES)
def test_cases(call, words, named) -> None:
    check(call(*split(words)), *named)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["penalty", "--law", "a\nb", "--ratio", "1"], ["--law 'a'"]),
        (["allocate", *split(LAW), "--loss=2", "--max-tokens", "1\n2"], [r"--max-tokens '1\n2'"]),
        (
            ["allocate", *split(LAW), "--loss=2", "--max-tokens", "9" * 5000],
            ["--max-tokens '999", "999...999", "999'"],
        ),
    ],
    ids=["a law with a newline", "a value with a newline", "a long value"],
)
def test_values_that_are_no_words(call, words, named) -> None:
    check(call(*words), *named)


@pytest.mark.parametrize("value", [*SIGNED, *GARBAGE])
@pytest.mark.parametrize("option", NUMBERS)
def test_numbers(call, option, value) -> None:
    shown = repr(value.strip())
    check(
        call(*split(NUMBERS[option]), option, value),
        f"{option} {shown}",
        "must be a positive finite number",
    )
    check(
        call(*split(NUMBERS[option]), f"{option}={value}"),
        f"{option} {shown}",
        "must be a positive finite number",
    )


@pytest.mark.parametrize("value", ["-1", "-1e20", "-inf", "nan", "", "abc"])
def test_irreducible_loss(call, value) -> None:
    words = (
        "penalty",
        "--A",
        "1",
        "--B",
        "1",
        *split(EXPONENTS),
        "--params",
        "7B",
        "--tokens",
        "1T",
        "--E",
        value,
    )
    check(call(*words), f"--E {value!r}", "at least 0")


@pytest.mark.parametrize("position", [0, 1, 2])
def test_one_bad_number_in_a_list(call, position) -> None:
    values = ["0.5", "2", "8"]
    values[position] = "-3"
    check(call("penalty", *split(LAW), "--ratio", *values), "--ratio '-3'")
    check(call("penalty", *split(LAW), "--ratio", ",".join(values)), "--ratio '-3'")


@pytest.mark.parametrize("values", ["1,,2", ",1", ",", "1,2,,"])
def test_empty_entries(call, values) -> None:
    check(call("penalty", *split(LAW), "--ratio", values), "--ratio ''")


@pytest.mark.parametrize("budget", BUDGETS, ids=[repr(text)[:30] for text in BUDGETS])
def test_budgets(call, budget) -> None:
    check(call("derive", "--budget", budget), "--budget ")
    check(call("derive", f"--budget={budget}"), "--budget ")


def test_a_budget_is_never_evaluated(call, tmp_path) -> None:
    target = tmp_path / "written"
    for text in (f"open({str(target)!r},'w')", f"__import__('os').mkdir({str(target)!r})*N*D"):
        check(call("derive", "--budget", text), "--budget ")
    assert not target.exists()


# Law files.

HOFFMANN = {
    "notation": "hoffmann",
    "coefficients": {"A": 406.4, "B": 410.7, "alpha": 0.34, "beta": 0.28},
}


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        "1",
        nested(100_000),
        json.dumps({"coefficients": {"beta": 0.34, "gamma": 0.28}}),
        json.dumps(HOFFMANN | {"notation": "chinchilla"}),
        json.dumps(HOFFMANN | {"notation": "schaeffer"}),
        json.dumps(HOFFMANN | {"notation": None}),
        json.dumps(HOFFMANN | {"coefficients": []}),
        json.dumps(HOFFMANN | {"coefficients": {"alpha": 0.34, "beta": "0.28"}}),
        json.dumps(HOFFMANN | {"coefficients": {"alpha": 0.34, "beta": -0.28}}),
        json.dumps(HOFFMANN | {"coefficients": {"alpha": 0.34, "beta": 0}}),
        json.dumps(HOFFMANN | {"coefficients": {"alpha": 0.34, "beta": True}}),
        json.dumps(HOFFMANN | {"coefficients": {"alpha": float("nan"), "beta": 0.28}}),
        json.dumps(HOFFMANN | {"coefficients": {"alpha": 0.34, "beta": 0.28, "delta": 1}}),
        json.dumps(HOFFMANN | {"coefficients": {"alpha": 0.34}}),
        json.dumps(HOFFMANN | {"coefficients": {}}),
        json.dumps(HOFFMANN | {"name": 3}),
    ],
)
def test_law_files(call, tmp_path, content) -> None:
    path = tmp_path / "law.json"
    path.write_text(content)
    check(call("penalty", "--law", path, "--ratio", "3"), "--law ", "law.json")


def test_a_law_file_that_is_no_text(call, tmp_path) -> None:
    path = tmp_path / "law.json"
    path.write_bytes(bytes(range(256)) * 10)
    check(call("penalty", "--law", path, "--ratio", "3"), f"--law {str(path)!r}", "UTF-8")


def test_a_missing_law_file_and_a_folder(call, tmp_path) -> None:
    check(call("penalty", "--law", tmp_path / "no.json", "--ratio", "3"), "no.json", "No such file")
    check(call("penalty", "--law", tmp_path, "--ratio", "3"), "--law", "irectory")


def test_a_law_file_that_lacks_what_is_needed(call, tmp_path) -> None:
    path = tmp_path / "law.json"
    path.write_text(json.dumps(HOFFMANN | {"name": "mine"}))
    check(call("allocate", "--law", path, "--loss", "2"), "--law 'mine'", "no E", "--loss")


def test_two_files_with_one_name(call, tmp_path) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps(HOFFMANN | {"name": "mine"}))
    check(
        call("penalty", "--law", tmp_path / "a.json", tmp_path / "b.json", "--ratio", "3"),
        "--law 'mine'",
    )


# Anything at all.

WORDS = [
    *split(
        "penalty allocate laws --law besiroglu2024 hoffmann2022 --ratio --size-ratio --within "
        "--params --tokens --compute --loss --max-tokens --beta --gamma --alpha --E --A --notation "
        "hoffmann --format json text --kind compute -- - -h --help = , 0.3 2 1e22 -1e20 -inf nan "
        "7B 1% '' x.json --ratio=3 --law=besiroglu2024"
    )
]


@given(
    st.sampled_from(["penalty", "allocate", "laws"]),
    st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=10),
)
@example("penalty", ["--law", "besiroglu2024", "--ratio", "0.1", "--", "1"])
@example("laws", ["--", "--kind"])
@example("allocate", ["--law", "besiroglu2024", "--compute", "1e20", "--max-tokens", "1e-300"])
def test_any_words(call, command, words) -> None:
    result = call(command, *words)
    if result.code == 0:
        assert result.err == ""
        assert result.out.endswith("\n")
    else:
        check(result)
