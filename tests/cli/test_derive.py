"""isoflop derive and isoflop laws: formulas and numbers, and the list of published laws."""

import re

import pytest
import sympy
from tests.cli.conftest import as_json

import isoflop
from isoflop.theory.budget import Budget
from isoflop.theory.code.export import derive_json
from isoflop.theory.data.published import names, published
from isoflop.theory.penalty import misallocation

NAMES = ("E", "A", "B", "beta", "gamma", "C", "r", "kappa", "a", "d")
SYMBOLS = {name: sympy.Symbol(name, positive=True) for name in NAMES}
LAW = {"E": "1.8172", "A": "482.01", "B": "2085.43", "beta": "0.3478", "gamma": "0.3658"}


def test_json_is_the_result_of_the_library(data) -> None:
    budget = "7*N^2*D"
    found = data("derive --budget", budget)
    envelope = isoflop.derive(budget=Budget.parse(budget))
    assert found == as_json(derive_json(envelope, misallocation(envelope)))
    for name in ("params", "tokens", "exponent", "coefficient", "loss", "penalty"):
        assert sympy.sympify(found[name], locals=SYMBOLS).free_symbols <= {*SYMBOLS.values()}
    assert len(found["claims"]) > 30
    assert {claim["answer"] for claim in found["claims"]} == {"proved"}


def test_numbers_of_a_law(data) -> None:
    numbers = data("derive --law besiroglu2024")["numbers"]
    assert numbers["law"] == "besiroglu2024"
    assert numbers["coefficients"] == {name: float(value) for name, value in LAW.items()}
    assert f"{numbers['exponent']:.9f}"[:8] == "0.178286"
    assert f"{numbers['coefficient']:.3f}" == "2708.498"
    for compute in (1e20, 5.76e23):
        best = isoflop.law("besiroglu2024").allocate(compute)
        for name in ("params", "tokens"):
            value = numbers[f"{name}_coefficient"] * compute ** numbers[f"{name}_exponent"]
            assert value == pytest.approx(getattr(best, name), rel=1e-13)
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
    assert data("laws hoffmann2022")["laws"][0]["decimals"]["beta"] == "0.33917084"
    assert "no irreducible term" in call("laws krajewski2025-arc-e").out


def test_latex_cites_what_bibtex_lists(call) -> None:
    bibtex = call("laws --format bibtex").out
    entries = re.findall(r"^@\w+\{(\w+),", bibtex, re.MULTILINE)
    cited = re.findall(r"\\cite\{(\w+)\}", call("laws --format latex").out)
    assert (len(cited), set(cited)) == (len(names()), set(entries))
    assert len(entries) == len(set(entries))
    one = call("laws krajewski2025-arc-e krajewski2025-arc-c --format bibtex").out
    assert one.count("@misc{") == 1
    assert one.count("{") == one.count("}")
