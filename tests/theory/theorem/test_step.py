"""Sentences; steps, which each path alone proves if they are true; theorems, which are refused if they
state nothing.
"""

import re
from dataclasses import replace

import pytest
from sympy import (
    Abs,
    Expr,
    Function,
    Integer,
    Rational,
    Subs,
    Symbol,
    exp,
    log,
    pi,
    sqrt,
    symbols,
    sympify,
)
from tests.theory.documents import status, theorem_of

from isoflop.theory.kernel import Answer, Decision, decide, rules
from isoflop.theory.kernel import symbols as sym
from isoflop.theory.kernel.bounds import ByBound
from isoflop.theory.kernel.functions import Partial
from isoflop.theory.kernel.rules import (
    Argument,
    ByLeadingTerm,
    ByNormalForm,
)
from isoflop.theory.penalty import misallocation
from isoflop.theory.theorem.derivation import Derivation
from isoflop.theory.theorem.step import Cited, Step, UnderLemma
from isoflop.theory.theorem.words import (
    Definition,
    Formula,
    Sentence,
    all_positive,
    function,
    needed,
    say,
    unfolded,
)
from isoflop.theory.typeset.words import plain_statement

x, y, z, u, b, h = symbols("x y z u b h", positive=True)
F = function("f")
R, BETA, GAMMA = sym.SIZE_RATIO, sym.BETA, sym.GAMMA
HALF, FAR, TINY = Rational(1, 2), Integer(10) ** 9, Rational(1, 10**100)
FAMILY = misallocation()
W_N, W_D = FAMILY.envelope.shares


def claim(
    lhs: object, relation: str, rhs: object, argument: Argument | None = None, *assume: Expr
) -> Step:
    argument = argument or (ByNormalForm() if relation == "==" else ByBound())
    return Step("claim", sympify(lhs), relation, sympify(rhs), "A reason.", argument, assume)


def limit(lhs: Expr, relation: str, rhs: object, where: str) -> Step:
    return claim(lhs, relation, rhs, ByLeadingTerm(u, where))


# -- sentences and names ---------------------------------------------------------------------------


DEFINITIONS = (Definition(y, x**3), Definition(F(x), exp(x)), Definition(z, F(y)))


def test_a_sentence_has_a_place_for_every_formula() -> None:
    for text in ("{} and {}", "no place", "{} {name} {}"):
        with pytest.raises(ValueError, match="places for 1 formulas"):
            say(text, x)


def test_names_are_written_out_and_derivatives_taken_of_what_they_stand_for() -> None:
    for part, value in (
        (z, exp(x**3)),
        (F(3 * y), exp(3 * x**3)),
        (Partial(y, x), 3 * x**2),
        (Partial(y, log(x)), 3 * x**3),
        (Partial(Partial(y, x), x), 6 * x),
        (Subs(Partial(y, x), x, z), 3 * exp(x**3) ** 2),
    ):
        assert unfolded(part, DEFINITIONS) == value


def test_the_definitions_that_something_uses() -> None:
    for part, used in ((z, DEFINITIONS), (F(x), DEFINITIONS[1:2]), (x, ())):
        assert needed(DEFINITIONS, Formula.of(part).names) == used


# -- one step --------------------------------------------------------------------------------------


FAR_OUT = [  # what fails far out, or close to 0
    claim((u + h - FAR) ** 2, "<=", (u - FAR) ** 2),
    claim(x**2 * (FAR - x), ">=", FAR - 1 + (2 * FAR - 3) * (x - 1)),
    claim(exp(-x), ">=", TINY),
    claim(x, "<=", FAR),
    claim(x - TINY, ">=", 0),
    replace(
        claim(0, "<=", x - TINY), through=(exp(log(x - TINY, evaluate=False), evaluate=False),)
    ),
    replace(claim(0, "<=", x - TINY), through=(((x - TINY) ** (y / 2)) ** (2 / y),)),
]


@pytest.mark.parametrize(
    ("step", "strength"),
    [
        (claim(x, ">", y, None, x - y), "proved"),
        (claim(x, ">", y), "failed"),
        (claim(exp(-x), ">=", TINY), "failed"),  # from x = 231 on
        (claim(x + 1, ">=", x, UnderLemma("L", "S", Cited("S"))), "failed"),  # no argument
        (claim(log(Integer(2)), ">=", Rational("0.6931")), "proved"),
        (claim(log(Integer(2)), ">=", Rational("0.6932")), "failed"),
        (claim(2 * log(Integer(2)), "<", log(Integer(4))), "failed"),
        (claim(pi, ">=", 3), "failed"),  # no number of the kernel
        (claim(log(x - y) + 1, ">=", log(x - y)), "proved"),  # where the sides make sense
        (limit(1 + u, "~", u, "0"), "failed"),
        (limit(1 + u, "~", 2, "0"), "failed"),
        (limit(u**b + u ** (b + h), "~", u**b, "oo"), "failed"),
        # powers so low that the points come near the limit far out, or nowhere
        (limit(x + u ** Rational(1, 10**30), "->", x, "0"), "failed"),
        (limit(x + u ** -Rational(1, 1000), "->", x, "oo"), "proved"),
        (limit(x + x * u ** Rational(1, 10**5), "~", x, "0"), "proved"),
        (limit(x + u ** -Rational(1, 1000), "->", x, "0"), "failed"),
        (limit(2 * x + u ** Rational(1, 1000), "~", x, "0"), "failed"),
        *((step, "failed") for step in FAR_OUT),
    ],
)
def test_strength(step: Step, strength: str) -> None:
    verdict = step.verify()
    assert verdict.strength == strength
    assert verdict.holds is (strength != "failed")
    if isinstance(step.argument, ByLeadingTerm):  # on each path alone
        assert verdict.exact.proved is verdict.pointwise.passed is (strength == "proved")
    assert not (step in FAR_OUT and step.prove().proved)


def test_an_argument_that_is_named_must_be_the_one_found() -> None:
    named = ByBound(mean=True)
    assert claim(FAMILY.penalty, ">=", 1, named).prove().proved
    other = claim(FAMILY.penalty, ">", W_N * R**-BETA, named).prove()
    assert (other.answer, "not by weighted AM-GM" in other.reason) == (Answer.UNDECIDED, True)
    assert not claim(FAMILY.penalty, ">=", Rational(101, 100), named).prove().proved


@pytest.mark.parametrize("assumed", [{"complex": True}, {}, {"imaginary": True}], ids=str)
def test_a_symbol_that_may_not_be_real_is_not_taken_as_real(assumed: dict) -> None:
    """|s|^2 = s^2 fails at s = i."""
    s = Symbol("s", **assumed)
    assert decide(Abs(s) ** 2, s**2).answer is Answer.UNDECIDED
    for step in (claim(Abs(s) ** 2, "==", s**2), claim(s**2, ">=", 0)):
        assert step.verify().strength == "failed"
    real = Symbol("s", real=True)
    assert decide(Abs(real) ** 2 + 1, real**2 + 1).proved


class Falling(Function):
    """The function -x with the false declarations that it is positive and increasing."""

    nargs = 1
    is_positive = True

    def definition(self) -> Expr:
        return -self.args[0]

    def fdiff(self, argindex: int = 1) -> Expr:
        return Integer(1)


def test_false_declarations_of_a_function_prove_nothing() -> None:
    rises = claim(Falling(u + h), ">=", Falling(u))
    assert not rises.prove().proved
    assert replace(rises, relation="<=").prove().proved
    roots = 2 * (Falling(x) * Falling(y)) ** HALF
    assert not claim(Falling(x) + Falling(y), ">=", roots).prove().proved
    assert not claim(Falling(x), ">=", 0).prove().proved


def test_the_way_to_the_right_side_is_checked() -> None:
    step = claim(x + y, ">=", 2 * sqrt(x * y))
    assert replace(step, through=(sqrt(4 * x * y),)).prove().proved
    assert not replace(step, through=(4 * sqrt(x * y),)).prove().proved
    assert not replace(step, through=(step.rhs,), rhs=step.rhs * 2).prove().proved


def test_an_exact_proof_alone_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the normal form to accept a false claim, the points would object."""
    monkeypatch.setattr(rules, "decide", lambda *args, **more: Decision(Answer.PROVED, "a defect"))
    verdict = claim(x, "==", 2 * x).verify()
    assert verdict.exact.proved
    assert not verdict.holds


# -- a theorem -------------------------------------------------------------------------------------


WRONG = claim((x + y) ** 2, "==", x**2 + y**2)
SQUARE = Step("square", (x + y) ** 2, "==", x**2 + 2 * x * y + y**2, say("Expand:"))


def theorem(statement: Sentence, *steps: Step, **parts) -> Derivation:
    parts = {"assumptions": (say("Let ") + all_positive((x, y)) + ".",)} | parts
    return Derivation(
        name="mine", title="Mine", statement=statement, steps=steps, source="nowhere", **parts
    )


def test_status_is_that_of_the_weakest_step() -> None:
    cited = claim(2 * x, "==", x + x, Cited("a paper"))
    steps = (SQUARE, replace(cited, name="cited"), replace(WRONG, name="wrong"))
    found = [status(theorem(say("{square}"), *steps[:count])) for count in range(4)]
    assert found == ["failed", "proved", "cited", "failed"]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: theorem_of(replace(SQUARE, lhs=b, rhs=b)), "both sides are b, which states"),
        (lambda: theorem_of(SQUARE, SQUARE), "two are named 'square'"),
        (lambda: theorem(say("Then {}: {square}.", (x, "=", y)), SQUARE), "which no step proves"),
        (lambda: theorem(say("{square}."), SQUARE, short=("cube",)), "is no step"),
    ],
)
def test_mistakes_are_refused(build, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        build().refuse_mistakes()


def test_a_claim_brings_its_conditions_into_the_statement() -> None:
    step = Step("step", x, ">", y, say("By assumption:"), ByBound(), assume=(x - y,))
    assert plain_statement(theorem(say("{step}."), step)) == "x > y where x - y > 0."
    for said in ((y, "<", x), (x - y, ">", 0)):
        repeated = theorem(say("For {} ", said) + "{step}.", step)
        assert plain_statement(repeated).endswith(" x > y.")
