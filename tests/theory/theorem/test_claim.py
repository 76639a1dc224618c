"""Checks that can fail: mistaken claims are rejected by the exact path alone and refuted by the
pointwise path alone.
"""

from dataclasses import replace

import pytest
import sympy
from sympy import Abs, Add, Expr, Integer, Rational, exp, log, sqrt, symbols
from tests.theory.documents import theorem_of

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.kernel.bounds import ByBound
from isoflop.theory.kernel.points import check_at_points, enclose_bound
from isoflop.theory.kernel.rules import (
    CITED,
    FAILED,
    NUMERICAL,
    PROVED,
    UNDER_LEMMA,
    ByLeadingTerm,
    ByWeightedAmGm,
)
from isoflop.theory.penalty import misallocation
from isoflop.theory.theorem.argument import Cited, Numerically, UnderLemma
from isoflop.theory.theorem.claim import Claim, Derivation

R, S, BETA, GAMMA = sym.SIZE_RATIO, sym.LOG_SIZE_RATIO, sym.BETA, sym.GAMMA
N, b, g = symbols("N b g", positive=True)
x = sympy.Symbol("x", real=True)
ENVELOPE = derive()
FAMILY = misallocation(ENVELOPE)
CLAIMS = {**ENVELOPE.claims, **{f"penalty: {name}": claim for name, claim in FAMILY.claims.items()}}
W_N, W_D = ENVELOPE.shares


def claim(lhs: Expr, relation: str, rhs: Expr, **more: object) -> Claim:
    return Claim("test", sympy.sympify(lhs), relation, sympy.sympify(rhs), "for the test", **more)  # type: ignore[arg-type]


# -- mistakes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name, claim in CLAIMS.items() if claim.relation == "~"])
def test_tails_of_the_wrong_end_fail_on_each_path_alone(name: str) -> None:
    original = CLAIMS[name]
    assert isinstance(original.argument, ByLeadingTerm)
    other = "0" if original.argument.limit == "oo" else "oo"
    assert not replace(original, argument=ByLeadingTerm(R, other)).prove().proved
    assert not replace(original, rhs=2 * original.rhs).prove().proved
    for rhs, limit in ((original.rhs, other), (2 * original.rhs, original.argument.limit)):
        assert not check_at_points(original.lhs, "~", rhs, limit=(R, limit), points=8).passed


def test_bound_by_a_hair_is_caught() -> None:
    """N >= N (1 + 1e-30) is false, and seen to be at 50 digits."""
    wrong = N * Rational(10**30 + 1, 10**30)
    assert not check_at_points(N, ">=", wrong).passed
    assert not enclose_bound(N, ">=", wrong).passed
    assert check_at_points(wrong, ">=", N).passed
    assert enclose_bound(wrong, ">=", N).passed


# -- arguments -----------------------------------------------------------------------------------------------------------


def test_weighted_am_gm_needs_every_premise() -> None:
    original = CLAIMS["penalty: penalty_at_least_one"]
    terms, weights = (W_N * R**-BETA, W_D * R**GAMMA), (W_N, W_D)
    assert replace(original, argument=ByWeightedAmGm(terms, weights)).prove().proved
    for reason, argument in (
        ("weights sum to 1", ByWeightedAmGm(terms, (W_N, W_N))),
        ("weights sum to 1", ByWeightedAmGm(terms, (W_N, 2 * W_D))),
        ("geometric mean", ByWeightedAmGm(terms, (W_D, W_N))),
        ("sum of the terms", ByWeightedAmGm((W_N * R**-BETA, 2 * W_D * R**GAMMA), weights)),
        ("one weight for each term", ByWeightedAmGm(terms, (Integer(1),))),
        ("not certified positive", ByWeightedAmGm((-W_N * R**-BETA, W_D * R**GAMMA), weights)),
        ("not certified positive", ByWeightedAmGm(terms, (1 + W_N, -W_N))),
    ):
        decision = replace(original, argument=argument).prove()
        assert not decision.proved
        assert reason in decision.reason
    assert not replace(original, rhs=Rational(101, 100)).prove().proved
    assert not replace(original, relation="==").prove().proved


@pytest.mark.parametrize(
    ("lhs", "relation", "rhs", "variable", "limit", "proved"),
    [
        (1 + N, "~", 1, N, "0", True),
        (1 + N, "~", N, N, "oo", True),
        (1 + N, "~", N, N, "0", False),
        (1 + N, "~", 2, N, "0", False),
        (N**b + N ** (b + g), "~", N**b, N, "0", True),
        (N**b + N ** (b + g), "~", N ** (b + g), N, "oo", True),
        (N**b + N**g, "~", N**b, N, "0", False),
        (1 + log(N) * N, "~", 1, N, "0", False),
        (1 + exp(-N), "~", 1, N, "oo", False),
        (1 + N ** ((b - g) ** 2), "~", 1, N, "0", False),
        (1 + N**-b, "->", 1, N, "oo", True),
        (1 + N**-b, "->", 1, N, "0", False),
        (1 + N**-b, "->", 2, N, "oo", False),
        (1 + N**-b, "->", 1 + N**-b, N, "oo", False),
        (N, ">=", 0, N, "oo", False),
    ],
    ids=str,
)
def test_leading_term(
    lhs: Expr, relation: str, rhs: Expr, variable: Expr, limit: str, proved: bool
) -> None:
    """Where the argument is silent, the statement may be true: it never accepts a false one."""
    assert (
        claim(lhs, relation, rhs, argument=ByLeadingTerm(variable, limit)).prove().proved is proved
    )


@pytest.mark.parametrize(
    ("lhs", "relation", "rhs", "proved"),
    [
        (N + b, ">=", b, True),
        (b, "<=", N + b, True),
        (N**b + g, ">=", 0, True),
        (N**2 + 1, ">=", 2 * N, True),
        (N, ">=", b, False),
        (N, ">=", 2 * N, False),
        (log(N), ">=", 0, False),
        (1 / (N - 1), ">=", 0, False),
        (1 / (N**b - 1), ">=", 0, False),
        (1 + 1 / (N**b - 1), ">=", 1, False),
        (x, ">=", 0, False),
        (x**2 + 1, ">=", 1, True),
        (N, "==", N, False),
    ],
    ids=str,
)
def test_bounds(lhs: Expr, relation: str, rhs: Expr, proved: bool) -> None:
    assert claim(lhs, relation, rhs, argument=ByBound()).prove().proved is proved


def test_strength_of_an_argument_is_never_more_than_it_proves() -> None:
    true, false = (N, N), (N, 2 * N)
    for argument, strength in (
        (Numerically(), NUMERICAL),
        (Cited("a paper"), CITED),
    ):
        assert claim(true[0], "==", true[1], argument=argument).verify().strength == strength
        assert claim(false[0], "==", false[1], argument=argument).verify().strength == FAILED
        assert not claim(true[0], "==", true[1], argument=argument).prove().proved
    lemma = UnderLemma("a lemma", "a source", ByBound())
    assert claim(N + 1, ">=", N, argument=lemma).verify().strength == UNDER_LEMMA
    assert claim(N, ">=", N + 1, argument=lemma).verify().strength == FAILED
    assert claim(N, "==", N).verify().strength == PROVED


# -- derivations ---------------------------------------------------------------------------------------------------------


def derivation(*steps: Claim) -> Derivation:
    return theorem_of(*steps)


def test_status_is_computed_from_the_steps() -> None:
    proved, numerical, cited = (
        claim(N, "==", N),
        claim(N, "==", N, argument=Numerically()),
        claim(N, "==", N, argument=Cited("a paper")),
    )
    wrong = claim(N, "==", 2 * N)
    assert derivation(proved, proved).status == PROVED
    assert derivation(proved, numerical).status == NUMERICAL
    assert derivation(cited, proved, numerical).status == CITED
    assert derivation(proved, wrong).status == FAILED
    assert derivation().status == FAILED
    assert replace(ENVELOPE.derivation, steps=(*ENVELOPE.derivation.steps, wrong)).status == FAILED


def test_exact_proof_alone_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the normal form to accept a false claim, the points would object."""
    from isoflop.theory.kernel import rules
    from isoflop.theory.kernel.decide import Answer, Decision

    monkeypatch.setattr(rules, "decide", lambda *args, **more: Decision(Answer.PROVED, "a defect"))
    verdict = claim(N, "==", 2 * N).verify()
    assert verdict.exact.proved
    assert not verdict.pointwise.passed
    assert not verdict.holds


# -- points --------------------------------------------------------------------------------------------------------------


def test_small_numbers_are_told_apart() -> None:
    """Equal to 10^-60 absolutely and different by a factor of two."""
    tiny = Rational(1, 10**60)
    assert not check_at_points(tiny * N, "==", 2 * tiny * N).passed
    assert not check_at_points(2 * tiny * N, "<=", tiny * N).passed


def test_cancellation_is_not_taken_for_a_difference() -> None:
    """Both sides are 1e-45 of what they are made of."""
    large = Rational(10**45)
    left = Add(large * sqrt(2), N, -large * sqrt(2), evaluate=False)
    assert check_at_points(left, "==", N).passed
    assert not check_at_points(left, "==", N * Rational(10**30 + 1, 10**30)).passed


def test_points_outside_the_domain_do_not_count() -> None:
    check = check_at_points(sqrt(x - 10**9), "==", sqrt(x - 10**9))
    assert not check.passed
    assert "only 0 of 64 points lie in the domain" in check.detail
    assert check_at_points(sqrt(x), "==", sqrt(x)).points == 64
    assert check_at_points(Abs(x), "==", x, assume=(x,)).passed
    assert not check_at_points(Abs(x), "==", x).passed
