"""Ways to have something false called proved, none of which may work; and a true theorem that must
not be called failed.
"""

import re
from dataclasses import dataclass, replace

import pytest
from sympy import Abs, Expr, Function, Integer, Rational, Symbol, exp, log, symbols
from tests.theory.documents import theorem_of

from isoflop.theory.kernel.bounds import ByBound
from isoflop.theory.kernel.decide import Answer, Decision, decide
from isoflop.theory.kernel.rules import (
    Argument,
    ByApplying,
    ByLeadingTerm,
    ByNormalForm,
    ByWeightedAmGm,
    Stated,
)
from isoflop.theory.theorem.argument import (
    Cited,
    Numerically,
    UnderLemma,
    is_of_the_package,
)
from isoflop.theory.theorem.claim import Claim, Derivation
from isoflop.theory.theorem.verification import checked, verify
from isoflop.theory.theorem.words import Sentence

x, y, b, u, h = symbols("x y b u h", positive=True)
s = Symbol("s", real=True)
ZERO, ONE, FAR = Integer(0), Integer(1), Integer(10) ** 9
TINY = Rational(1, 10**100)


def claim(lhs: Expr, relation: str, rhs: Expr, argument: Argument, *assume: Expr) -> Claim:
    return Claim("claim", lhs, relation, rhs, "A reason.", argument, assume)


def status(*steps: Claim) -> str:
    return verify(checked(theorem_of(*steps))).status


# -- strength -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["strength", "label"])
@pytest.mark.parametrize(
    ("kind", "others"),
    [
        (Numerically, {}),
        (Cited, {"source": "me"}),
        (ByNormalForm, {}),
        (ByWeightedAmGm, {"terms": (x, y), "weights": (Rational(1, 2), Rational(1, 2))}),
        (ByLeadingTerm, {"variable": x, "limit": "0"}),
        (UnderLemma, {"lemma": "A lemma.", "source": "me", "argument": Numerically()}),
        (ByBound, {}),
    ],
)
def test_nobody_types_a_strength(kind, others, field) -> None:
    kind(**others)
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        kind(**others, **{field: "proved"})


def test_an_argument_is_as_strong_as_what_it_rests_on() -> None:
    assert ByApplying(Cited("a paper")).strength == "cited"
    numbers = UnderLemma("A lemma.", "a book", Numerically())
    assert numbers.strength == "checked numerically"
    assert (
        UnderLemma("A lemma.", "a book", ByNormalForm()).strength == "proved under a stated lemma"
    )
    assert ByApplying(ByBound()).strength == "proved"


def test_numbers_alone_prove_nothing() -> None:
    """exp(-x) >= 10^-100 is false from x = 231 on, beyond the points."""
    step = claim(exp(-x), ">=", TINY, Numerically())
    assert status(step) == "checked numerically"
    assert status(claim(log(x * y), "==", log(x) + log(y), Cited("me"))) == "cited"


@pytest.mark.parametrize(
    "step",
    [
        claim((u + h - FAR) ** 2, "<=", (u - FAR) ** 2, ByBound()),
        claim(x**2 * (FAR - x), ">=", FAR - 1 + (2 * FAR - 3) * (x - 1), ByBound()),
        claim(exp(-x), ">=", TINY, ByBound()),
        claim(x, "<=", FAR, ByBound()),
    ],
)
def test_a_bound_that_fails_far_out_is_not_proved(step) -> None:
    assert not step.prove().proved


def test_a_limit_is_at_zero_or_at_infinity() -> None:
    with pytest.raises(ValueError, match="limit='1': must be '0' or 'oo'"):
        ByLeadingTerm(x, "1")


@pytest.mark.parametrize(
    "form",
    [
        exp(log(x - TINY, evaluate=False), evaluate=False),
        ((x - TINY) ** (y / 2)) ** (2 / y),
    ],
)
def test_a_proof_on_conditions_of_its_own_is_none(form) -> None:
    """The form is the difference only where the claim holds."""
    assert not claim(x - TINY, ">=", ZERO, ByBound()).prove().proved
    step = replace(claim(ZERO, "<=", x - TINY, ByBound()), through=(form,))
    assert not step.prove().proved
    assert status(step) == "failed"


def test_conditions_without_which_a_side_makes_no_sense_are_none_of_the_arguments() -> None:
    assert claim(log(x - y) + 1, ">=", log(x - y), ByBound()).prove().proved
    assert (
        claim(exp(log(x - y, evaluate=False), evaluate=False), "==", x - y, ByNormalForm())
        .prove()
        .proved
    )


# -- symbols that are not real, functions that contradict themselves ----------------------------------------------


@pytest.mark.parametrize(
    "assumptions", [{"complex": True}, {}, {"finite": True}, {"imaginary": True}], ids=str
)
def test_a_symbol_that_may_not_be_real_is_not_taken_as_real(assumptions) -> None:
    """|z|^2 = z^2 fails at z = i."""
    z = Symbol("z", **assumptions)
    decision = decide(Abs(z) ** 2, z**2)
    assert decision.answer is Answer.UNDECIDED
    assert "not" in decision.reason
    assert "real" in decision.reason
    for argument in (ByNormalForm(), Numerically()):
        assert status(claim(Abs(z) ** 2, "==", z**2, argument)) == "failed"
    assert status(claim(z**2, ">=", ZERO, ByBound())) == "failed"
    assert status(claim(Abs(z) ** 2, "==", z**2 + 0 * z, ByNormalForm())) == "failed"


def test_a_symbol_that_is_real_is() -> None:
    for assumptions in (
        {"real": True},
        {"positive": True},
        {"integer": True},
        {"negative": True},
        {"rational": True},
    ):
        z = Symbol("z", **assumptions)
        assert decide(Abs(z) ** 2 + 1, z**2 + 1).proved


class Falling(Function):
    """-x, which says that it grows."""

    nargs = 1

    def definition(self) -> Expr:
        return -self.args[0]

    def fdiff(self, argindex: int = 1) -> Expr:
        return ONE


class Bent(Function):
    """-x^2/10^9, which says that it is convex and positive."""

    nargs = 1
    is_positive = True

    def definition(self) -> Expr:
        return -(self.args[0] ** 2) / FAR

    def fdiff(self, argindex: int = 1) -> Expr:
        return self.args[0]


def test_what_a_function_says_of_its_derivative_is_not_believed() -> None:
    rises = claim(Falling(u + h), ">=", Falling(u), ByBound())
    assert not rises.prove().proved
    assert replace(rises, relation="<=").prove().proved
    assert not claim(Bent(u), ">=", -(2 * u - 1) / FAR, ByBound()).prove().proved


def test_what_a_function_says_of_its_sign_is_not_believed() -> None:
    half = Rational(1, 2)
    step = claim(
        Bent(x) + Bent(y),
        ">=",
        2 * (Bent(x) * Bent(y)) ** half,
        ByWeightedAmGm((Bent(x), Bent(y)), (half, half)),
    )
    assert not step.prove().proved
    assert not claim(Bent(x), ">=", ZERO, ByBound()).prove().proved


# -- what certainly is a mistake ----------------------------------------------------------------------------------


TRUE = Claim("square", (x + y) ** 2, "==", x**2 + 2 * x * y + y**2, "Expand.")


@pytest.mark.parametrize(
    ("built", "said"),
    [
        (
            lambda: theorem_of(replace(TRUE, lhs=b, rhs=b)),
            "step 'square': lhs and rhs are both b, which says nothing",
        ),
        (lambda: theorem_of(replace(TRUE, lhs=b, rhs=b, relation=">=")), "says nothing"),
        (lambda: theorem_of(TRUE, TRUE), "'square' is the name of more than one"),
        (lambda: theorem_of(replace(TRUE, reason=" ")), "reason=' ': must say something"),
        (
            lambda: replace(theorem_of(TRUE), steps=(replace(TRUE, name=""),)),
            "name='': must say something",
        ),
        (lambda: replace(theorem_of(TRUE), source=""), "source='': must say something"),
        (lambda: theorem_of(replace(TRUE, argument=Cited(""))), "source='': must say something"),
        (
            lambda: theorem_of(replace(TRUE, argument=UnderLemma("", "me", ByNormalForm()))),
            "lemma='': must say something",
        ),
        (
            lambda: theorem_of(replace(TRUE, argument=UnderLemma("L", "", ByNormalForm()))),
            "source='': must say something",
        ),
        (
            lambda: theorem_of(
                replace(TRUE, argument=UnderLemma(f" {TRUE.reason}", "me", ByNormalForm()))
            ),
            "step 'square': its lemma is what is to be proved",
        ),
    ],
)
def test_mistakes_are_refused(built, said) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        checked(built())


@dataclass(frozen=True)
class Own:
    """Says that everything is proved."""

    label: str = "normal form"
    strength: str = "proved"

    def establish(self, claim: Stated) -> Decision:
        return Decision(Answer.PROVED, "because")


class OwnNumerically(Numerically):
    strength = "proved"


def test_an_argument_of_ones_own_is_called_so() -> None:
    step = verify(checked(theorem_of(claim(exp(-x), ">=", TINY, Own())))).steps[0]
    assert step.strength == "checked numerically"
    assert step.argument == "normal form, not an argument of isoflop"
    inside = claim(x, "<=", FAR, UnderLemma("A lemma.", "a book", Own()))
    assert "not an argument of isoflop" in verify(checked(theorem_of(inside))).steps[0].argument
    assert "not an argument of isoflop" in inside.verify().how
    assert status(claim(exp(-x), ">=", TINY, OwnNumerically())) == "checked numerically"
    assert is_of_the_package(UnderLemma("A lemma.", "a book", ByApplying(ByBound())))


def test_a_class_that_names_a_module_of_the_package_is_not_of_it() -> None:
    class Cheat(ByNormalForm):
        def establish(self, claim: Stated) -> Decision:
            return Decision(Answer.PROVED, "because")

    Cheat.__module__ = ByNormalForm.__module__
    assert not is_of_the_package(Cheat())
    assert status(claim(exp(-x), ">", TINY, Cheat())) == "checked numerically"


def test_a_claim_or_derivation_of_ones_own_class_is_refused() -> None:
    class MyClaim(Claim):
        def prove(self) -> Decision:
            return Decision(Answer.PROVED, "because")

    class MyDerivation(Derivation):
        pass

    mine = MyClaim("claim", x, "<=", FAR, "A reason.")
    with pytest.raises(ValueError, match="must be isoflop Claims"):
        checked(theorem_of(mine))
    with pytest.raises(ValueError, match="must return an isoflop Derivation"):
        checked(MyDerivation("mine", "Mine", (), Sentence("{square}"), (TRUE,), "own work"))


# -- points that do not reach a limit -----------------------------------------------------------------------------


def limit(lhs: Expr, relation: str, rhs: Expr, variable: Symbol, where: str) -> Claim:
    return claim(lhs, relation, rhs, ByLeadingTerm(variable, where))


@pytest.mark.parametrize("power", [Rational(1, 1000), Rational(1, 10**5), Rational(1, 10**30)])
def test_points_that_do_not_reach_a_limit_do_not_contradict_its_proof(power) -> None:
    for step in (
        limit(x + u**power, "->", x, u, "0"),
        limit(x + u**-power, "->", x, u, "oo"),
        limit(x + x * u**power, "~", x, u, "0"),
    ):
        verdict = step.verify()
        assert verdict.strength == "proved"


@pytest.mark.parametrize(
    "step",
    [
        limit(x + 1 + u**b, "->", x, u, "0"),
        limit(x + TINY * 10**98 + u ** Rational(1, 1000), "->", x, u, "0"),
        limit(x + u ** -Rational(1, 1000), "->", x, u, "0"),
        limit(2 * x + u ** Rational(1, 1000), "~", x, u, "0"),
    ],
)
def test_false_limits_are_still_contradicted(step) -> None:
    verdict = step.verify()
    assert not verdict.exact.proved
    assert not verdict.pointwise.passed
