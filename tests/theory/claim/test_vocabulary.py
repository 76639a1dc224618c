"""What the names mean, against direct minimisation with 60 digits."""

from random import Random

import pytest
from sympy import Symbol
from tests.theory.reference import CLOSE, MP
from tests.theory.rewriting import evaluate, from_sympy
from tests.theory.theorems import QUANTITIES, quantities

from isoflop.theory.budget import Budget
from isoflop.theory.claim.vocabulary import vocabulary
from isoflop.theory.data.notation import NOTATIONS
from isoflop.theory.reader.building import NamedFunction


def body(meaning):
    return meaning.body if isinstance(meaning, NamedFunction) else meaning


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", QUANTITIES)
def test_quantities_are_what_a_search_finds(name, seed) -> None:
    random = Random(seed)
    point = {
        symbol: MP.mpf(random.uniform(0.3, 3))
        for symbol in ("A", "B", "C", "E", "N", "D", "beta", "gamma", "r")
    }
    found, wanted = (
        evaluate(from_sympy(body(vocabulary().names[name])), point),
        quantities(point)[name],
    )
    assert abs(found - wanted) < CLOSE * max(1, abs(wanted))


@pytest.mark.parametrize("notation", NOTATIONS)
def test_every_name_of_a_notation_is_known(notation) -> None:
    names = vocabulary(notation).names
    assert set(vocabulary(notation).notation.names().values()) <= set(names)
    assert {
        "N",
        "D",
        "C",
        "L",
        "R",
        "T_N",
        "T_D",
        "N_opt",
        "D_opt",
        "L_opt",
        "G",
        "P",
        "r",
        "rho",
        "s",
    } <= set(names)


def test_hoffmann_respells_the_exponents() -> None:
    ours, theirs = vocabulary("schaeffer").names, vocabulary("hoffmann").names
    pairs = {"alpha": "beta", "beta": "gamma", "alpha_C": "alpha", "a": "w_N", "b": "w_D"}
    alpha, beta, gamma = (Symbol(name, positive=True) for name in ("alpha", "beta", "gamma"))
    letters = {beta: alpha, gamma: beta}
    assert all(
        body(theirs[own]) == body(ours[canonical]).xreplace(letters)
        for own, canonical in pairs.items()
    )
    assert "gamma" not in theirs


def test_the_budget_changes_the_optimum() -> None:
    double = vocabulary("schaeffer", Budget.parse("12ND"))
    assert body(double.names["N_opt"]) != body(vocabulary().names["N_opt"])
    assert double.names["alpha"] == vocabulary().names["alpha"]


def test_the_loss_of_one_argument_is_the_least() -> None:
    loss = vocabulary().names["L"]
    assert isinstance(loss, NamedFunction)
    assert loss.other is not None
    assert loss.other.parameters == (Symbol("C", positive=True),)
    assert loss.other.body == body(vocabulary().names["L_opt"])
