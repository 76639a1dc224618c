"""Soundness: every false mutant is objected to by each path alone, and by the others where one path
is broken.
"""

from random import Random

import pytest
from sympy import Integer, Rational, exp, log, symbols
from tests.mutation.mutants import (
    DIRECTION,
    EXACT,
    FALSE,
    KINDS,
    PATHS,
    POINTS,
    TRUE,
    UNDEFINED,
    Mutant,
    mutants,
    refuted_by,
    score,
    score_named,
    truth,
)

from isoflop.derivations import NAMES
from isoflop.numeric.repeat import repeat
from isoflop.theory.kernel.answer import Answer, Decision
from isoflop.theory.kernel.bounds import ByBound
from isoflop.theory.kernel.points import PointCheck
from isoflop.theory.kernel.rules import ByLeadingTerm
from isoflop.theory.theorem.claim import Claim
from isoflop.theory.verification import load

a, b, x, y = symbols("a b x y", positive=True)
SAMPLE = (
    "envelope_exponent",
    "penalty_expansion",
    "fail_at_k_is_completely_monotone",
    "pass_at_k_tail_theorem",
    "stationary_fit_bias",
)


def refuse_unsound(scores, least):
    """Each path alone objects to every false mutant, and to no true one; there are enough of them."""
    told = [(s.derivation, s.step, s.kind, s.survived, s.wronged) for s in scores]
    assert [each for each in told if each[3] or each[4]] == []
    false = [s for s in scores if s.truth == FALSE]
    assert len(false) >= least
    assert {path for s in false for path in s.objects} == set(PATHS)
    assert {s.kind for s in false} == {*KINDS, DIRECTION}
    assert {s.derivation for s in false} == {s.derivation for s in scores}


def test_a_sample_is_refuted_by_each_path_alone():
    scores = [s for name in SAMPLE for s in score_named(name, per_claim=4)]
    refuse_unsound(scores, least=100)
    assert any(s.truth == TRUE for s in scores)


@pytest.mark.slow
def test_every_false_mutant_of_every_theorem_is_refuted_by_each_path_alone():
    done = repeat(score_named, [(name,) for name in NAMES], jobs=2)
    refuse_unsound([s for found in done.values for s in found], least=1_000)


def test_mutants_are_other_claims_and_follow_from_the_seed():
    theorem = load("envelope_exponent")
    first, again, other = (list(mutants(theorem, seed=seed)) for seed in (1, 1, 2))
    assert first == again != other
    own = {s.name: (s.lhs, s.relation, s.rhs) for s in (each.unfolded for each in theorem.steps)}
    assert all((m.claim.lhs, m.claim.relation, m.claim.rhs) != own[m.step] for m in first)


@pytest.mark.parametrize(
    ("kind", "side", "expected"),
    [
        ("symbols swapped", a**b, {b**a}),
        ("exponent's sign", x * a**b, {x * a**-b}),
        ("exponent's sign", exp(x), {exp(-x)}),
        ("factor dropped", a * x, {a, x}),
        ("factor added", x, {a * x, x**2}),
        ("off by one", x**b, {x ** (b + 1), x ** (b - 1)}),
        ("off by one", x + 3, {x + 2, x + 4}),
        ("term doubled", a + x, {2 * a + x, a + 2 * x, 2 * a + 2 * x}),
    ],
)
def test_kinds(kind, side, expected):
    assert {
        new for seed in range(20) for new in KINDS[kind](side, [a, x], Random(seed))
    } == expected


SQUARE, AT_ZERO, FAR = (x + y) ** 2, ByLeadingTerm(x, "0"), ByLeadingTerm(x, "oo")


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        (Claim("c", SQUARE, "==", x**2 + 2 * x * y + y**2, "r"), TRUE),
        (Claim("c", SQUARE, "==", x**2 + x * y + y**2, "r"), FALSE),
        (Claim("c", SQUARE, ">", x**2 + 2 * x * y + y**2, "r", ByBound()), FALSE),
        (Claim("c", x + 1 / x, ">=", Integer(2), "r", ByBound()), TRUE),
        # False near x = 1 alone.
        (Claim("c", x + 1 / x, ">=", 2 + Rational(1, 10**6), "r", ByBound()), FALSE),
        (Claim("c", x * y, ">=", Integer(1), "r", ByBound(), assume=(x - 1, y - 1)), TRUE),
        (Claim("c", x + y, ">", x, "r", ByBound()), TRUE),
        (Claim("c", x + y, "<", x, "r", ByBound()), FALSE),
        (Claim("c", x - 2 * x, "<", Integer(0), "r", ByBound()), TRUE),
        (Claim("c", log(-x), "==", Integer(0), "r"), UNDEFINED),
        (Claim("c", x**a + x ** (2 * a), "~", x**a, "r", AT_ZERO), TRUE),
        (Claim("c", x**a + x ** (2 * a), "~", x**a, "r", FAR), FALSE),
        (Claim("c", 1 + x**-a, "->", Integer(1), "r", FAR), TRUE),
        (Claim("c", 1 + x**a, "->", Integer(1), "r", FAR), FALSE),
        (Claim("c", x**a + x**b, "~", x**a, "r", AT_ZERO), FALSE),
    ],
)
def test_truth(claim, answer):
    assert truth(claim).answer == answer


# -- each check broken in turn ------------------------------------------------------------------------------------


def proves_anything(*args, **options):
    return Decision(Answer.PROVED, "whatever it is")


def passes_anything(*args, **options):
    return PointCheck(True, 64, "whatever it is")


NUMERICAL_HOMES = ("isoflop.theory.theorem.claim", "tests.mutation.mutants")
BREAKS = {
    EXACT: [
        ("isoflop.theory.kernel.rules.decide", proves_anything),
        ("isoflop.theory.kernel.bounds.decide_bound", proves_anything),
    ],
    POINTS: [(f"{home}.check_at_points", passes_anything) for home in NUMERICAL_HOMES],
}


@pytest.fixture(scope="module")
def false_claims():
    names = ("envelope_exponent", "fail_at_k_is_completely_monotone")
    claims = [m.claim for name in names for m in mutants(load(name), per_claim=4)]
    return [claim for claim in claims if truth(claim).answer == FALSE]


@pytest.mark.parametrize("broken", PATHS)
def test_the_others_object_where_one_is_broken(broken, false_claims, monkeypatch):
    assert len(false_claims) >= 40
    assert {claim.relation for claim in false_claims} == {"==", "<=", ">=", "<", ">"}
    for target, replacement in BREAKS[broken]:
        monkeypatch.setattr(target, replacement)
    silent = 0
    for claim in false_claims:
        found = refuted_by(claim)
        silent += broken in found and not found[broken].made
        assert all(objection.made for path, objection in found.items() if path != broken), claim
        assert not claim.verify().holds, claim
    assert silent >= 5  # the broken path is broken indeed


def test_a_false_objection_is_not_believed(monkeypatch):
    def slander(*args, **options):
        return PointCheck(False, 1, "so they say", ((x, Integer(1)), (y, Integer(1))))

    monkeypatch.setattr("tests.mutation.mutants.check_at_points", slander)
    claim = Claim("c", SQUARE, "==", x**2 + 2 * x * y + y**2, "r")
    found = score(Mutant("theorem", "c", "none", claim))
    assert (found.truth, found.wronged) == (TRUE, (POINTS,))


def test_too_few_points_are_no_objection():
    assert not refuted_by(Claim("c", log(-x), "==", Integer(0), "r"))[POINTS].made
