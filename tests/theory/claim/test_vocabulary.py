"""What the names mean, against direct minimisation with 60 digits."""

from random import Random

import pytest
from sympy import Symbol
from tests.theory.claiming import Meaning
from tests.theory.reference import CLOSE, MP
from tests.theory.values import value

from isoflop.theory.budget import Budget
from isoflop.theory.claim.vocabulary import vocabulary
from isoflop.theory.reader.building import NamedFunction

LETTERS = ("A", "B", "C", "E", "N", "D", "beta", "gamma", "r")
ARGUMENTS = {
    **dict.fromkeys(("N_opt", "D_opt", "L_opt", "R_opt"), ("C",)),
    **dict.fromkeys(("alpha", "C0", "w_N", "w_D", "G"), ()),
    **{"P": ("r",), "R": ("N", "D"), "L": ("N", "D"), "T_N": ("N",), "T_D": ("D",)},
}


def body(meaning):
    return meaning.body if isinstance(meaning, NamedFunction) else meaning


@pytest.mark.parametrize("budget", [(6, 1, 1), (3, 2, 1), (1, 1, 3)])
@pytest.mark.parametrize("name", ARGUMENTS)
def test_quantities_are_what_a_search_finds(name, budget) -> None:
    (kappa, a, d), random = budget, Random(str(budget))
    names = vocabulary("schaeffer", Budget.parse(f"{kappa}*N^{a}*D^{d}")).names
    for _ in range(3):
        point = {letter: MP.mpf(random.uniform(0.3, 3)) for letter in LETTERS}
        wanted = Meaning(point, (a, d), kappa).value(name, [point[x] for x in ARGUMENTS[name]])
        found = value(body(names[name]), point)
        assert abs(found - wanted) < CLOSE * max(1, abs(wanted))


def test_hoffmann_respells_the_exponents() -> None:
    ours, theirs = vocabulary("schaeffer").names, vocabulary("hoffmann").names
    pairs = {"alpha": "beta", "beta": "gamma", "alpha_C": "alpha", "a": "w_N", "b": "w_D"}
    alpha, beta, gamma = (Symbol(name, positive=True) for name in ("alpha", "beta", "gamma"))
    letters = {beta: alpha, gamma: beta}
    for own, canonical in pairs.items():
        assert body(theirs[own]) == body(ours[canonical]).xreplace(letters)
    assert "gamma" not in theirs
