"""Sentences with their formulas as objects, names that a theorem defines, and statements made of steps."""

import re
from dataclasses import replace

import pytest
from sympy import Integer, Mul, Pow, Subs, exp, log, symbols

from isoflop.derivations import NAMES
from isoflop.theory.kernel.bounds import ByBound
from isoflop.theory.kernel.functions import Partial
from isoflop.theory.kernel.rules import ByWeightedAmGm
from isoflop.theory.theorem.claim import Claim, Derivation
from isoflop.theory.theorem.verification import load
from isoflop.theory.theorem.words import (
    Definition,
    Sentence,
    all_positive,
    function,
    say,
    unfolded,
)
from isoflop.theory.typeset.theorem import theorem_latex
from isoflop.theory.typeset.words import plain_statement

x, y, z = symbols("x y z", positive=True)
f, g = function("f"), function("g")
SQUARE = Claim("square", (x + y) ** 2, "==", x**2 + 2 * x * y + y**2, say("Expand:"))
LARGER = Claim("larger", x + y, ">", x, say("The other term is positive:"), ByBound())


def theorem(statement: Sentence, *steps: Claim, **parts) -> Derivation:
    parts = {"assumptions": (say("Let ") + all_positive((x, y)) + ".",)} | parts
    return Derivation(
        name="mine", title="Mine", statement=statement, steps=steps, source="nowhere", **parts
    )


@pytest.mark.parametrize("text", ["{} and {}", "no place", "{} {name} {}"])
def test_a_sentence_has_a_place_for_every_formula(text: str) -> None:
    with pytest.raises(ValueError, match="places for 1 formulas"):
        say(text, x)


# -- names -----------------------------------------------------------------------------------------------------


def test_names_are_written_out_wherever_they_stand() -> None:
    definitions = (Definition(y, x**2), Definition(f(x), exp(x)), Definition(z, f(y)))
    assert unfolded(z, definitions) == exp(x**2)
    assert unfolded(f(3 * y), definitions) == exp(3 * x**2)
    argument = unfolded(ByWeightedAmGm((y, z), (Integer(1) / 2, Integer(1) / 2)), definitions)
    assert argument.terms == (x**2, exp(x**2))


def test_derivatives_are_taken_of_what_names_stand_for() -> None:
    definitions = (Definition(y, x**3),)
    assert unfolded(Partial(y, x), definitions) == 3 * x**2
    assert unfolded(Partial(y, log(x)), definitions) == 3 * x**3
    assert unfolded(Partial(Partial(y, x), x), definitions) == 6 * x
    assert unfolded(Subs(Partial(y, x), x, z), definitions) == 3 * z**2


def test_a_step_in_names_is_decided_for_what_they_mean() -> None:
    definitions = (Definition(f(x), x**2),)
    step = Claim("step", f(x + y), "==", (x + y) ** 2, say("By definition:"))
    for value, strength in ((x**2, "proved"), (x**3, "failed")):
        made = theorem(
            Sentence("It is {step}."), step, definitions=(Definition(f(x), value), *definitions[:0])
        )
        assert made.steps[0].verify().strength == strength


def test_the_way_to_the_right_side_is_checked() -> None:
    bound = Claim(
        "bound",
        x + y,
        ">=",
        2 * x ** (Integer(1) / 2) * y ** (Integer(1) / 2),
        say("By weighted AM-GM:"),
        ByWeightedAmGm((x, y), (Integer(1) / 2, Integer(1) / 2)),
    )
    halves = [Pow(2 * each, Integer(1) / 2, evaluate=False) for each in (x, y)]
    assert replace(bound, through=(Mul(*halves, evaluate=False),)).prove().proved
    assert not replace(bound, through=(Mul(*halves, 2, evaluate=False),)).prove().proved
    assert not replace(bound, through=(bound.rhs,), rhs=bound.rhs * 2).prove().proved


# -- statements ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        (say("Then {}: {square}.", (x, "=", y)), "which no step proves"),
        (say("Then {}: {square}.", (x + y, ">", x)), "which no step proves"),
        (say("Then something holds for {}.", x), "must name the steps"),
        (Sentence("Then {cube}."), "is no step"),
    ],
)
def test_a_statement_is_made_of_steps(statement: Sentence, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        theorem(statement, SQUARE).refuse_mistakes()


@pytest.mark.parametrize(
    "parts",
    [
        {"assumptions": (say("Let {}.", (x, ">", 0)),)},
        {"definitions": (Definition(y, x * z),), "assumptions": (say("Let {}.", (x, ">", 0)),)},
    ],
)
def test_every_letter_is_introduced(parts: dict) -> None:
    with pytest.raises(ValueError, match="is introduced by no assumption, definition or reason"):
        theorem(Sentence("Then {square}."), SQUARE, **parts).refuse_mistakes()


def test_a_claim_brings_its_conditions_into_the_statement() -> None:
    step = Claim("step", x, ">", y, say("By assumption:"), ByBound(), assume=(x - y,))
    bare = theorem(Sentence("Always {step}."), step)
    assert plain_statement(bare) == "Always x > y where x - y > 0."
    assert r"x > y \qquad (x - y > 0)" in theorem_latex(bare) or "where $x - y > 0$" in (
        theorem_latex(bare)
    )
    said = theorem(say("For {} ", (y, "<", x)) + "{step}.", step)
    assert plain_statement(said) == "For y < x x > y."


@pytest.mark.parametrize("name", NAMES)
def test_no_theorem_holds_a_place_that_nothing_fills(name: str) -> None:
    derivation = load(name)
    for step in derivation.steps:
        if not isinstance(step.reason, Sentence):
            assert not re.search(r"[\^_*=<>{|]|\b[B-HJ-Z]\b", step.reason)
    text = theorem_latex(derivation, notation="hoffmann")
    assert r"\{" not in text
    assert r"\gamma" not in text
