"""isoflop derive."""

import json

import pytest
import sympy

NAMES = ("E", "A", "B", "beta", "gamma", "C", "r", "kappa", "a", "d")
SYMBOLS = {name: sympy.Symbol(name, positive=True) for name in NAMES}
FORMULAS = ("params", "tokens", "exponent", "coefficient", "loss", "penalty")
LAW = {"E": "1.8172", "A": "482.01", "B": "2085.43", "beta": "0.3478", "gamma": "0.3658"}


def formula(data, name, values):
    """The string that the command prints, at exact values, to 30 digits."""
    expression = sympy.sympify(data[name], locals=SYMBOLS)
    known = {SYMBOLS[key]: sympy.Rational(value) for key, value in values.items()}
    return expression.evalf(30, subs=known)


@pytest.fixture(scope="module")
def derived(data):
    return data("derive")


def test_formulas_against_a_search_for_the_optimum(derived, besiroglu) -> None:
    params, tokens = besiroglu.optimum("5.76e23")
    at = {**LAW, "C": "5.76e23"}
    assert float(formula(derived, "params", at)) == pytest.approx(float(params), rel=1e-15)
    assert float(formula(derived, "tokens", at)) == pytest.approx(float(tokens), rel=1e-15)
    best = besiroglu.best("5.76e23")
    assert abs(formula(derived, "loss", at) - sympy.Float(str(besiroglu.E + best), 30)) < 1e-25
    for size_ratio in ("0.5", "3"):
        reference = sympy.Float(str(besiroglu.penalty(size_ratio)), 30)
        assert abs(formula(derived, "penalty", {**LAW, "r": size_ratio}) - reference) < 1e-25


def test_every_claim_is_proved(derived) -> None:
    assert len(derived["claims"]) > 30
    assert {claim["answer"] for claim in derived["claims"]} == {"proved"}


@pytest.mark.parametrize(
    "budget", ["6ND", "6*N^1*D", "C = 6*N*D", "6 N D", "6*N**1*D**1", "2*3*D*N"]
)
def test_spellings_of_the_budget(data, derived, budget) -> None:
    assert data("derive", "--budget", budget) == derived


def test_general_budget(data) -> None:
    general = data("derive", "--budget", "kappa*N**a*D**d")
    for name in FORMULAS:
        assert sympy.sympify(general[name], locals=SYMBOLS).free_symbols <= set(SYMBOLS.values())
    # C = 2 N^2 D^3 in units M = N^2, T = D^3 is C = 2 M T: search there, in exponents beta/2 and
    # gamma/3.
    from_search = pytest.importorskip("mpmath").mp.clone()
    from_search.dps = 60
    beta, gamma = from_search.mpf("0.3478") / 2, from_search.mpf("0.3658") / 3
    low, high = from_search.mpf(-100), from_search.mpf(200)

    def along(s):
        return 482 * from_search.exp(-beta * s) + 2085 * (
            from_search.mpf(10) ** 30 / 2
        ) ** -gamma * from_search.exp(gamma * s)

    for _ in range(300):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if along(left) < along(right) else (left, high)
    at = {
        "A": "482",
        "B": "2085",
        "beta": "0.3478",
        "gamma": "0.3658",
        "kappa": "2",
        "a": "2",
        "d": "3",
        "C": "1e30",
        "E": "0",
    }
    assert float(formula(general, "params", at)) == pytest.approx(
        float(from_search.exp(low / 2)), rel=1e-14
    )
    assert float(formula(general, "loss", at)) == pytest.approx(float(along(low)), rel=1e-14)


def test_numbers_of_a_law(data, besiroglu) -> None:
    numbers = data("derive", "--law", "besiroglu2024")["numbers"]
    assert numbers["law"] == "besiroglu2024"
    assert numbers["coefficients"] == {name: float(value) for name, value in LAW.items()}
    assert f"{numbers['exponent']:.9f}"[:8] == "0.178286"
    assert f"{numbers['coefficient']:.3f}" == "2708.498"
    for compute in ("1e20", "5.76e23"):
        params, tokens = besiroglu.optimum(compute)
        for name, reference in {"params": params, "tokens": tokens}.items():
            value = numbers[f"{name}_coefficient"] * float(compute) ** numbers[f"{name}_exponent"]
            assert value == pytest.approx(float(reference), rel=1e-13)
    assert numbers["params_share"] + numbers["tokens_share"] == pytest.approx(1.0, rel=1e-15)


def broken(monkeypatch, answer):
    """Let the last proof of every envelope come out as ``answer``."""
    from isoflop.theory.kernel import Answer, Decision
    from isoflop.theory.theorem.claim import Claim
    from isoflop.theory.typeset.equations import Displayed

    honest = Claim.prove

    def prove(claim):
        if claim.name == "tokens_per_param":
            return Decision(Answer[answer], "made up")
        return honest(claim)

    def proved_afresh(subject):
        return {name: claim.prove() for name, claim in subject.claims.items()}

    monkeypatch.setattr(Claim, "prove", prove)
    # What was proved before is kept with the subject.
    monkeypatch.setattr(Displayed, "decisions", property(proved_afresh))


@pytest.mark.parametrize(("answer", "code"), [("REFUTED", 1), ("UNDECIDED", 3)])
@pytest.mark.parametrize("form", ["text", "json", "latex"])
def test_a_failed_proof_is_a_verdict(call, monkeypatch, answer, code, form) -> None:
    broken(monkeypatch, answer)
    result = call("derive", "--format", form)
    assert result.code == code
    assert result.err == ""
    assert {"text": answer, "json": answer.lower(), "latex": "% not proved: tokens_per_param"}[
        form
    ] in result.out
    if form == "json":
        assert json.loads(result.out)["exponent"]
