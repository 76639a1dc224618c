"""Bad input: exit status 2, one line that names the option as it was spelt and its value, nothing
else.
"""

import json
from shlex import split

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

LAW, EXPONENTS = "--law besiroglu2024", "--law beta=0.34 gamma=0.28"
NO_NUMBERS = (
    "0",
    "-1e20",
    "-5%",
    "-inf",
    "inf",
    "nan",
    "-nan",
    "",
    " ",
    "abc",
    "1e999",
    "1e-999",
    "1/2",
    "١",
)
COMPUTE_LAW = "krajewski2025-arc-e-compute"

#: The words of a command, and what its error must name, separated by bars.
CASES = {
    "penalti": "'penalti'|did you mean penalty?",
    "frobnicate": "'frobnicate'|laws, derive, penalty, allocate, check",
    f"{LAW} penalty": "--law",
    "--versoin": "--versoin|--version",
    f"penalty {LAW} --ratoi 3": "--ratoi|did you mean --ratio",
    f"penalty {LAW} --size-ration=3": "--size-ration|--size-ratio",
    f"penalty {LAW} --rat 3": "--rat",
    f"penalty {LAW} -ratio 3": "-ratio|--ratio",
    "check runs.csv": "'runs.csv'",
    f"penalty {LAW} --ratio": "--ratio|value",
    f"penalty {EXPONENTS} --ratio 1 --within": "--within|value",
    f"penalty {LAW} --tokens 1T": "--tokens '1T'|--params",
    "penalty --ratio 1": "--law|missing|beta=|gamma=",
    f"allocate {LAW}": "--compute|--loss",
    "penalty --law besiroglu2023 --ratio 1": "--law 'besiroglu2023'|besiroglu2024",
    "penalty --law arc-e --ratio 1": "--law 'arc-e'|krajewski2025-arc-e",
    f"allocate --law {COMPUTE_LAW} --compute 1e20": f"--law '{COMPUTE_LAW}'|compute law",
    f"penalty {LAW} {LAW} --ratio 1": "--law 'besiroglu2024'|different",
    f"derive {LAW},hoffmann2022": "--law|one law",
    f"penalty {LAW} beta=.3 --ratio 1": "--law 'besiroglu2024 beta=.3'|a law or coefficients",
    "penalty --law alpha=.34 beta=.28 --ratio 1": "--law 'alpha=.34'|--notation hoffmann|beta=",
    "penalty --notation hoffmann --law alpha=.3 gamma=.2 --ratio 1": "'gamma=.2'|--notation schaeffer",
    "penalty --law beta=.34 --ratio 1": "--law 'beta=.34'|missing gamma",
    "penalty --law beta=.34 gama=.3 --ratio 1": "--law 'gama=.3'|E, A, B, beta, gamma",
    "derive --notation hofmann": "--notation 'hofmann'|did you mean hoffmann?",
    "laws --format jsn": "--format 'jsn'|text, json, bibtex|did you mean json?",
    f"derive {LAW} --format html": "--format 'html'",
    "laws --format json --format text": "--format|2 times|'json'|'text'",
    f"penalty {EXPONENTS} beta=1 --ratio 1": "--law 'beta=1'|again",
    f"penalty {EXPONENTS} --ratio 1 --within 1%,2%": "--within '1%,2%'",
    f"penalty {LAW} --ratio 2 --size-ratio 3": "--ratio '2'|--size-ratio '3'",
    f"penalty {LAW} --params 8B": "--params '8B': a run takes two of --params, --tokens, --compute",
    f"penalty {LAW} --params 7B,8B --tokens 1T,2T,3T": "--params '7B 8B'|--tokens '1T 2T 3T'|2 and 3",
    f"penalty {EXPONENTS} --params 7B --tokens 1T": "--law 'custom'|A and B|--params",
    f"allocate {EXPONENTS} --compute 1e20": "--law 'custom'|A and B|--compute",
    f"allocate {EXPONENTS} A=1 B=1 --loss 2": "--law 'custom'|E|--loss",
    f"allocate {LAW} --compute 8B": "--compute '8B'|FLOP|params or tokens|8000000000",
    f"allocate {LAW} --compute 1e20 --loss 2": "--compute '1e20'|--loss '2'",
    f"allocate {LAW} --loss 1.5": "--loss '1.5'|1.8172",
    f"allocate {LAW} --loss 1.8172": "--loss '1.8172'|above",
    f"allocate {LAW} --loss 1.9 --max-tokens 1B": "--loss '1.9'|--max-tokens '1B'|cannot be reached",
    f"penalty {LAW} --params 1e200 --tokens 1e200": "--params '1e200'|--tokens '1e200'|largest float",
    "laws hofmann2022": "'hofmann2022'|hoffmann2022",
    f"penalty {EXPONENTS} --ratio 3 --plot figure.txt": "--plot 'figure.txt'|.png, .pdf or .svg",
    "check --plot /no/such/folder/x.png": "--plot '/no/such/folder/x.png'",
    "latex envelope --output /no/such/folder/x": "--output '/no/such/folder/x'",
    "simulate --output /": "--output '/'|irectory",
    f"derive {LAW} --budget 'kappa*N*D'": "--budget 'kappa*N*D'|kappa",
    "penalty --law '' --ratio 1": "--law ''",
    f"penalty {LAW} --ratio 0.5 -3 8": "--ratio '-3'",
    f"penalty {LAW} --ratio 0.5,2,-3": "--ratio '-3'",
    f"penalty {LAW} --ratio 1,,2": "--ratio ''",
    f"penalty {LAW} --ratio ,1": "--ratio ''",
    f"allocate {LAW} --loss=2 --max-tokens '1\n2'": r"--max-tokens '1\n2'",
    f"allocate {LAW} --loss=2 --max-tokens {'9' * 5000}": "--max-tokens '999|999...999|999'",
    "latex nonsense": "isoflop latex --list",
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
}
BUDGETS = (
    *("", "6*N", "6", "0*N*D", "N+D", "6*N*D+1", "-6*N*D", "N**-1*D", "N/D", "N**N*D", "log(N)*D"),
    *("6*N*M", "6*N*D)", "((6*N*D", "6**", "C == 6*N*D", "9**9**9**9*N*D", "1e999*N*D"),
    *("(" * 500 + "N*D" + ")" * 500, "N*D" * 5000, "N.__class__*D", "exec('1')*N*D", "lambda: N*D"),
    *("[N,D]", "N*D;N", "'N'*D", "6\n*N*D=", "\u2115*D", "\x01N*D", "nan*N*D", "zoo*N*D", "I*N*D"),
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


@pytest.mark.parametrize(("words", "named"), CASES.items(), ids=[words[:40] for words in CASES])
def test_cases(call, words, named) -> None:
    check(call(*split(words)), *named.split("|"))


@pytest.mark.parametrize("value", NO_NUMBERS)
@pytest.mark.parametrize("option", NUMBERS)
def test_numbers(call, option, value) -> None:
    words, said = split(NUMBERS[option]), f"{option} {value.strip()!r}"
    for spelt in ((option, value), (f"{option}={value}",)):
        check(call(*words, *spelt), said, "must be a positive finite number")


@pytest.mark.parametrize("value", NO_NUMBERS)
def test_coefficients(call, value) -> None:
    if set(value) - {" "}:
        check(call("penalty", "--law", "gamma=.3", f"beta={value}", "--ratio", "2"), "--law beta")


@pytest.mark.parametrize("value", ["-1", "-inf", "nan", "", "abc"])
def test_irreducible_loss(call, value) -> None:
    words = split(f"penalty {EXPONENTS} A=1 B=1")
    check(call(*words, f"E={value}", "--ratio", "2"), f"--law E {value!r}", "at least 0")


@pytest.mark.parametrize("budget", BUDGETS, ids=[repr(text)[:30] for text in BUDGETS])
def test_budgets(call, budget) -> None:
    check(call("derive", "--budget", budget), "--budget ")
    check(call("derive", f"--budget={budget}"), "--budget ")


def test_a_budget_is_never_evaluated(call, tmp_path) -> None:
    target = tmp_path / "written"
    for text in (f"open({str(target)!r},'w')", f"__import__('os').mkdir({str(target)!r})*N*D"):
        check(call("derive", "--budget", text), "--budget ")
    assert not target.exists()


# -- law files -------------------------------------------------------------------------------------

GIVEN = {"A": 406.4, "B": 410.7, "alpha": 0.34, "beta": 0.28}
HOFFMANN = {"notation": "hoffmann", "coefficients": GIVEN}


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "[]", "null", "1", "[" * 100_000 + "]" * 100_000),
        {"coefficients": {"beta": 0.34, "gamma": 0.28}},
        *(HOFFMANN | {"notation": other} for other in ("chinchilla", "schaeffer", None)),
        HOFFMANN | {"coefficients": []},
        HOFFMANN | {"coefficients": {}},
        HOFFMANN | {"coefficients": {"alpha": 0.34}},
        HOFFMANN | {"coefficients": {"alpha": 0.34, "beta": "0.28"}},
        HOFFMANN | {"coefficients": {"alpha": 0.34, "beta": -0.28}},
        HOFFMANN | {"coefficients": {"alpha": 0.34, "beta": True}},
        HOFFMANN | {"coefficients": {"alpha": float("nan"), "beta": 0.28}},
        HOFFMANN | {"coefficients": {"alpha": 0.34, "beta": 0.28, "delta": 1}},
        HOFFMANN | {"name": 3},
        bytes(range(256)) * 10,
    ],
)
def test_law_files(call, tmp_path, content) -> None:
    path = tmp_path / "law.json"
    text = json.dumps(content) if isinstance(content, dict) else content
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    check(call("penalty", "--law", path, "--ratio", "3"), "--law ", "law.json")


def test_law_files_that_are_no_use(call, tmp_path) -> None:
    check(call("penalty", "--law", tmp_path / "no.json", "--ratio", "3"), "no.json", "No such file")
    check(call("penalty", "--law", tmp_path, "--ratio", "3"), "--law", "irectory")
    paths = tmp_path / "a.json", tmp_path / "b.json"
    for path in paths:
        path.write_text(json.dumps(HOFFMANN | {"name": "mine"}))
    check(call("allocate", "--law", paths[0], "--loss", "2"), "--law 'mine'", "no E", "--loss")
    check(call("penalty", "--law", *paths, "--ratio", "3"), "--law 'mine'")


# -- anything at all -------------------------------------------------------------------------------

WORDS = split(
    "penalty allocate laws --law besiroglu2024 hoffmann2022 --ratio --size-ratio --within "
    "--params --tokens --compute --loss --max-tokens beta=.3 gamma=.2 alpha=.3 A=2 E=0 --notation "
    "hoffmann --format json text compute -- - -h --help = , 0.3 2 1e22 -1e20 -inf nan "
    "7B 1% '' x.json --ratio=3 --law=besiroglu2024"
)


@given(
    st.sampled_from(["penalty", "allocate", "laws"]),
    st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=10),
)
@example("penalty", ["--law", "besiroglu2024", "--ratio", "0.1", "--", "1"])
@example("laws", ["--", "--format"])
@example("allocate", ["--law", "besiroglu2024", "--compute", "1e20", "--max-tokens", "1e-300"])
def test_any_words(call, command, words) -> None:
    result = call(command, *words)
    if result.code != 0:
        check(result)
    else:
        assert result.err == ""
        assert result.out.endswith("\n")
