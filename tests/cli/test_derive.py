"""isoflop derive and isoflop laws: formulas and numbers against a search for the optimum, and the
list of published laws.
"""

import re

import pytest
import sympy
from mpmath import mp

from isoflop.theory.data.published import names, published

NAMES = ("E", "A", "B", "beta", "gamma", "C", "r", "kappa", "a", "d")
SYMBOLS = {name: sympy.Symbol(name, positive=True) for name in NAMES}
FORMULAS = ("params", "tokens", "exponent", "coefficient", "loss", "penalty")
LAW = {"E": "1.8172", "A": "482.01", "B": "2085.43", "beta": "0.3478", "gamma": "0.3658"}


def formula(data, name, **values):
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
    assert float(formula(derived, "params", **at)) == pytest.approx(float(params), rel=1e-15)
    assert float(formula(derived, "tokens", **at)) == pytest.approx(float(tokens), rel=1e-15)
    best = sympy.Float(str(besiroglu.E + besiroglu.best("5.76e23")), 30)
    assert abs(formula(derived, "loss", **at) - best) < 1e-25
    for size_ratio in ("0.5", "3"):
        reference = sympy.Float(str(besiroglu.penalty(size_ratio)), 30)
        assert abs(formula(derived, "penalty", **LAW, r=size_ratio) - reference) < 1e-25
    assert len(derived["claims"]) > 30
    assert {claim["answer"] for claim in derived["claims"]} == {"proved"}


def test_a_general_budget(data) -> None:
    """C = 2 N^2 D^3 in units M = N^2, T = D^3 is C = 2 M T: search there, in exponents beta/2 and
    gamma/3.
    """
    general = data("derive --budget kappa*N**a*D**d")
    for name in FORMULAS:
        assert sympy.sympify(general[name], locals=SYMBOLS).free_symbols <= set(SYMBOLS.values())
    search = mp.clone()
    search.dps = 60
    beta, gamma = search.mpf("0.3478") / 2, search.mpf("0.3658") / 3

    def along(s):
        tokens = (search.mpf(10) ** 30 / 2) ** -gamma * search.exp(gamma * s)
        return 482 * search.exp(-beta * s) + 2085 * tokens

    low, high = search.mpf(-100), search.mpf(200)
    for _ in range(300):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if along(left) < along(right) else (left, high)
    at = LAW | {"A": "482", "B": "2085", "kappa": "2", "a": "2", "d": "3", "C": "1e30", "E": "0"}
    params, loss = float(search.exp(low / 2)), float(along(low))
    assert float(formula(general, "params", **at)) == pytest.approx(params, rel=1e-14)
    assert float(formula(general, "loss", **at)) == pytest.approx(loss, rel=1e-14)


def test_numbers_of_a_law(data, besiroglu) -> None:
    numbers = data("derive --law besiroglu2024")["numbers"]
    assert numbers["law"] == "besiroglu2024"
    assert numbers["coefficients"] == {name: float(value) for name, value in LAW.items()}
    assert f"{numbers['exponent']:.9f}"[:8] == "0.178286"
    assert f"{numbers['coefficient']:.3f}" == "2708.498"
    for compute in ("1e20", "5.76e23"):
        for name, reference in zip(("params", "tokens"), besiroglu.optimum(compute), strict=True):
            value = numbers[f"{name}_coefficient"] * float(compute) ** numbers[f"{name}_exponent"]
            assert value == pytest.approx(float(reference), rel=1e-13)
    assert numbers["params_share"] + numbers["tokens_share"] == pytest.approx(1.0, rel=1e-15)


# -- laws ------------------------------------------------------------------------------------------


def test_every_law_is_listed(call, data) -> None:
    assert [law["name"] for law in data("laws")["laws"]] == list(names())
    out = call("laws").out
    assert [name for name in names() if f"\n{name} " not in out] == []
    assert "y = E + A N^-alpha + B D^-beta" in call("laws --notation hoffmann").out


def test_coefficients(call, data) -> None:
    (law,) = data("laws besiroglu2024")["laws"]
    assert (law["notation"], law["notation_of_source"]) == ("schaeffer", "hoffmann")
    assert law["coefficients"] == {name: float(value) for name, value in LAW.items()}
    assert law["decimals"] == published("besiroglu2024").coefficients
    (law,) = data("laws besiroglu2024 --notation hoffmann")["laws"]
    assert (law["notation"], law["coefficients"]["alpha"]) == ("hoffmann", 0.3478)
    (law,) = data("laws krajewski2025-arc-e")["laws"]
    assert law["coefficients"]["E"] is None
    assert "none" in call("laws krajewski2025-arc-e").out
    assert "0.33917084" in call("laws hoffmann2022").out


def test_latex_cites_what_bibtex_lists(call) -> None:
    bibtex = call("laws --format bibtex").out
    entries = re.findall(r"^@\w+\{(\w+),", bibtex, re.MULTILINE)
    cited = re.findall(r"\\cite\{(\w+)\}", call("laws --format latex").out)
    assert (len(cited), set(cited)) == (len(names()), set(entries))
    assert len(entries) == len(set(entries))
    one = call("laws krajewski2025-arc-e krajewski2025-arc-c --format bibtex").out
    assert one.count("@misc{") == 1
    assert one.count("{") == one.count("}")
