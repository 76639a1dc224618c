"""Sentences with their formulas as objects, and the names that a theorem defines."""

import pytest
from sympy import Rational, Subs, exp, log, symbols

from isoflop.theory.kernel.functions import Partial
from isoflop.theory.kernel.rules import ByWeightedAmGm
from isoflop.theory.theorem.words import Definition, Formula, function, needed, say, unfolded

x, y, z = symbols("x y z", positive=True)
f = function("f")
NAMES = (Definition(y, x**3), Definition(f(x), exp(x)), Definition(z, f(y)))


def test_a_sentence_has_a_place_for_every_formula() -> None:
    for text in ("{} and {}", "no place", "{} {name} {}"):
        with pytest.raises(ValueError, match="places for 1 formulas"):
            say(text, x)


def test_names_are_written_out_and_derivatives_taken_of_what_they_stand_for() -> None:
    half = Rational(1, 2)
    for part, value in (
        (z, exp(x**3)),
        (f(3 * y), exp(3 * x**3)),
        (Partial(y, x), 3 * x**2),
        (Partial(y, log(x)), 3 * x**3),
        (Partial(Partial(y, x), x), 6 * x),
        (Subs(Partial(y, x), x, z), 3 * exp(x**3) ** 2),
        (ByWeightedAmGm((y, z), (half, half)), ByWeightedAmGm((x**3, exp(x**3)), (half, half))),
    ):
        assert unfolded(part, NAMES) == value


def test_the_definitions_that_something_uses() -> None:
    assert needed(NAMES, z) == NAMES
    assert needed(NAMES, f(x)) == NAMES[1:2]
    assert needed(NAMES, x) == ()


def test_a_bound_says_the_same_with_its_sides_moved() -> None:
    assert Formula.of(x, ">", y).says(Formula.of(x - y, ">", 0))
    assert Formula.of(y, "<", x).says(Formula.of(x - y, ">", 0))
    assert not Formula.of(x, "<", y).says(Formula.of(x - y, ">", 0))
