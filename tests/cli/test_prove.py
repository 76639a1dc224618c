"""isoflop prove."""

import json

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

DONE, NEGATIVE, BAD, NO_VERDICT = 0, 1, 2, 3
ALPHA = "alpha == beta*gamma/(beta + gamma)"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([ALPHA], DONE),
        (["alpha == beta"], NEGATIVE),
        (["sqrt(5 + 2*sqrt(6)) == sqrt(2) + sqrt(3)"], NO_VERDICT),
        (["alpha == "], BAD),
        (["-alpha == -beta*gamma/(beta + gamma)"], DONE),
        (["-alpha==-beta"], NEGATIVE),
        (["-h == -h"], DONE),
        (["--format", "json", "-x=-x"], DONE),
        (["--latex", r"-\alpha = -\frac{\beta\gamma}{\beta+\gamma}"], DONE),
        (["--latex", r"$\alpha \le \beta$"], DONE),
        (["--notation", "hoffmann", "alpha_C == alpha*beta/(alpha + beta)"], DONE),
        (["C == 120*N^2", "--assume", "C == 6*N*D", "--assume", "D == 20*N"], DONE),
        (["x^2 >= x", "--assume=x < 1"], NEGATIVE),
        (["x >= -y", "--assume", "-x < y"], BAD),
        (["P(r) ~ w_N*r^-beta as r -> 0"], DONE),
        (["P(r) ~ w_D*r^-beta, as r -> 0+"], NEGATIVE),
        (["--latex", r"P(r) \sim w_N r^{-\beta} \text{ as } r \to 0"], DONE),
        (["12*N_opt*D_opt == C", "--budget", "12ND"], DONE),
        (["P(r) >= 1", "--budget", "kappa*N^a*D^d"], DONE),
        (["alpha == beta*w_N == gamma*w_N"], NEGATIVE),
    ],
)
def test_exit_status(call, words, code) -> None:
    result = call("prove", *words)
    assert (result.code, bool(result.err)) == (code, code == BAD), result
    assert bool(result.out) == (code != BAD)


def test_json(call) -> None:
    result = call("prove", "beta == alpha*(1 + beta/gamma) == 2*x", "--format", "json")
    assert result.code == NEGATIVE
    data = json.loads(result.out)
    assert list(data) == ["claim", "answer", "reading", "links", "free"]
    assert (data["answer"], data["free"]) == ("refuted", ["x"])
    first, second = data["links"]
    assert (first["answer"], first["witness"], first["claim"]) == (
        "proved",
        None,
        "beta == alpha*(1 + beta/gamma)",
    )
    assert (second["answer"], second["relation"]) == ("refuted", "==")
    witness = second["witness"]
    mp = mpmath.mp.clone()
    point = {
        name: mp.fraction(*map(int, f"{value}/1".split("/")[:2]))
        for name, value in witness["point"].items()
    }
    assert set(point) == {"beta", "gamma", "x"}
    assert mp.almosteq(mp.mpf(witness["lhs"]), point["beta"], 1e-9)  # alpha (1 + beta/gamma) = beta
    assert mp.almosteq(mp.mpf(witness["rhs"]), 2 * point["x"], 1e-9)


def test_conditions_are_listed(call) -> None:
    data = json.loads(call("prove", "x^2 >= x", "--assume", "x > 1", "--format", "json").out)
    assert data["links"][0]["conditions"] == ["x - 1 > 0"]


BAD_INPUT = [
    ([], ["CLAIM is missing"]),
    (["x", "==", "y"], ["CLAIM 'x' '==' 'y'", "quotes"]),
    (["x == y #"], ["cannot read '#' at position 8"]),
    ([r"x = \foo", "--latex"], ["foo' at position 5"]),
    (["P(r) ~ 1 as r"], ["needs its limit"]),
    (["x == y", "--assume", "x"], ["'x'", "relation"]),
    (["x == y", "--notation", "foo"], ["--notation 'foo'", "hoffmann"]),
    (["x == y", "--budget", "N+D"], ["--budget 'N+D'"]),
    (["x == y", "--budget", "foo"], ["--budget 'foo': unknown name 'foo'"]),
    (["x == " + "x + " * 2000 + "x"], ["CLAIM: expression of"]),
    (["x == y", "--asume", "x == y"], ["unknown option --asume", "--assume"]),
    (["-x"], ["unknown option -x"]),
    (["--file", "p.tex"], ["unknown option --file"]),
]


@pytest.mark.parametrize(("words", "named"), BAD_INPUT)
def test_bad_input_is_one_line(call, words, named) -> None:
    result = call("prove", *words)
    assert (result.code, result.out, result.err.count("\n")) == (BAD, "", 1)
    assert all(part in result.err for part in named), result.err


WORDS = [
    *("x == y", "-x == y", "--latex", "--assume", "x > 1", "P(r) -> 1 as r -> 1", "--notation"),
    *("hoffmann", "--format", "json", "--", "-", "-=", ""),
]


@settings(max_examples=80)
@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=6))
def test_any_words(call, words) -> None:
    if any(word in ("-h", "--help") or word.startswith("--output") for word in words):
        return
    result = call("prove", *words)
    assert result.code in (DONE, NEGATIVE, BAD, NO_VERDICT)
    assert result.err.count("\n") == (result.code == BAD)
    assert bool(result.out) == (result.code != BAD)
