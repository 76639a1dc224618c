"""Soundness: every false mutant is objected to by each path alone, and by the others where one path
is broken.
"""

from decimal import Decimal
from itertools import islice

import pytest
from sympy import Abs, E, Integer, Rational, cosh, exp, log, symbols
from tests.mutation.mutants import (
    DIRECTION,
    EXACT,
    FALSE,
    INTERVALS,
    KINDS,
    PATHS,
    POINTS,
    TRUE,
    UNDEFINED,
    DecimalEvaluator,
    NoValue,
    mutants,
    refuted_by,
    score,
    score_derivation,
    score_named,
    table,
    truth,
)
from tests.theory.documents import theorem_of

from isoflop.derivations import NAMES
from isoflop.numeric.repeat import repeat
from isoflop.theory.kernel.bounds import ByBound
from isoflop.theory.kernel.decide import Answer, Decision
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


@pytest.fixture(scope="module")
def sample():
    return [score(mutant) for name in SAMPLE for mutant in mutants(load(name), per_claim=4)]


@pytest.fixture(scope="module")
def false_claims():
    names = ("envelope_exponent", "fail_at_k_is_completely_monotone")
    return [
        m.claim
        for name in names
        for m in mutants(load(name), per_claim=4)
        if truth(m.claim).answer == FALSE
    ]


def test_a_sample_is_refuted_by_each_path_alone(sample):
    assert [(s.derivation, s.step, s.kind, s.survived) for s in sample if s.survived] == []
    assert [(s.derivation, s.step, s.kind, s.wronged) for s in sample if s.wronged] == []
    false = table(s for s in sample if s.truth == FALSE)
    assert false["mutant"].nunique() >= 100
    assert set(false["path"]) == set(PATHS)
    assert set(false["derivation"]) == set(SAMPLE)
    assert set(false["kind"]) == {*KINDS, DIRECTION}


def test_true_mutants_are_told_apart(sample):
    true = [s for s in sample if s.truth == TRUE]
    assert true
    assert all(s.claim and s.evidence and not s.survived for s in true)


def test_the_same_seed_makes_the_same_mutants():
    first, again, other = (
        list(mutants(load("envelope_exponent"), seed=seed)) for seed in (1, 1, 2)
    )
    assert first == again != other
    assert (
        len(
            {(m.claim.lhs, m.claim.relation, m.claim.rhs) for m in first if m.step == first[0].step}
        )
        > 3
    )
    assert (
        max(
            sum(m.step == step for m in mutants(load("envelope_exponent"), per_claim=2))
            for step in {m.step for m in first}
        )
        == 2
    )


def test_no_mutant_is_the_claim_itself():
    for name in SAMPLE:
        derivation = load(name)
        plain = [step.unfolded for step in derivation.steps]
        own = {step.name: (step.lhs, step.relation, step.rhs) for step in plain}
        assert own
        assert all(
            (m.claim.lhs, m.claim.relation, m.claim.rhs) != own[m.step] for m in mutants(derivation)
        )


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
    from random import Random

    found = {new for seed in range(20) for new in KINDS[kind](side, [a, x], Random(seed))}
    assert found == expected


# -- the truth ----------------------------------------------------------------------------------------------------


def test_decimal_values_agree_with_exact_ones():
    evaluate = DecimalEvaluator(40).evaluate
    point = {x: Rational(1, 4), y: Rational(9)}
    assert evaluate(x + y / 2 - 3 * x * y, point) == -2
    assert abs(evaluate(y ** Rational(-1, 2) * 3, point) - 1) < 10 ** Decimal(-38)
    assert evaluate(Abs(x - y), point) == evaluate(y - x, point)
    known = "2.718281828459045235360287471352662497757"  # Napier 1618, Euler 1748; OEIS A001113
    assert str(evaluate(E, {})).startswith(known[:38])
    assert str(evaluate(exp(4 * x), point)).startswith(known[:38])
    assert abs(evaluate(log(y) - 2 * log(Integer(3)), point)) < 10 ** Decimal(-36)
    assert abs(evaluate(2 * cosh(x) - exp(x) - exp(-x), point)) < 10 ** Decimal(-36)


@pytest.mark.parametrize(
    "expression",
    [log(x - y), (x - y) ** b, 1 / (x - y + Rational(35, 4)), (x - y) ** Rational(1, 3)],
)
def test_no_real_value(expression):
    with pytest.raises(NoValue):
        DecimalEvaluator(40).evaluate(
            expression, {x: Rational(1, 4), y: Rational(9), b: Rational(2)}
        )


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        (Claim("c", (x + y) ** 2, "==", x**2 + 2 * x * y + y**2, "r"), TRUE),
        (Claim("c", (x + y) ** 2, "==", x**2 + x * y + y**2, "r"), FALSE),
        (Claim("c", x + 1 / x, ">=", Integer(2), "r", ByBound()), TRUE),
        (
            Claim("c", x + 1 / x, ">=", 2 + Rational(1, 10**6), "r", ByBound()),
            FALSE,
        ),  # near x = 1 alone
        (Claim("c", x * y, ">=", Integer(1), "r", ByBound(), assume=(x - 1, y - 1)), TRUE),
        (Claim("c", x + y, ">", x, "r", ByBound()), TRUE),
        (Claim("c", x, "<", x + y, "r", ByBound()), TRUE),
        (Claim("c", (x + y) ** 2, ">", x**2 + 2 * x * y + y**2, "r", ByBound()), FALSE),
        (Claim("c", x + y, "<", x, "r", ByBound()), FALSE),
        (Claim("c", log(-x), "==", Integer(0), "r"), UNDEFINED),
        (Claim("c", x**a + x ** (2 * a), "~", x**a, "r", ByLeadingTerm(x, "0")), TRUE),
        (Claim("c", x**a + x ** (2 * a), "~", x**a, "r", ByLeadingTerm(x, "oo")), FALSE),
        (Claim("c", 1 + x**-a, "->", Integer(1), "r", ByLeadingTerm(x, "oo")), TRUE),
        (Claim("c", 1 + x**a, "->", Integer(1), "r", ByLeadingTerm(x, "oo")), FALSE),
        (Claim("c", x**a + x**b, "~", x**a, "r", ByLeadingTerm(x, "0")), FALSE),
    ],
)
def test_truth(claim, answer):
    assert truth(claim).answer == answer


# -- each check broken in turn ------------------------------------------------------------------------------------


def proves_anything(*args, **options):
    return Decision(Answer.PROVED, "whatever it is")


def passes_anything(*args, **options):
    return PointCheck(True, 64, "whatever it is")


EXACT_HOMES = ("kernel.rules",)
NUMERICAL_HOMES = ("isoflop.theory.theorem.claim", "tests.mutation.mutants")
BREAKS = {
    EXACT: [
        *((f"isoflop.theory.{home}.decide", proves_anything) for home in EXACT_HOMES),
        ("isoflop.theory.kernel.bounds.decide_bound", proves_anything),
    ],
    POINTS: [(f"{home}.check_at_points", passes_anything) for home in NUMERICAL_HOMES],
    INTERVALS: [(f"{home}.enclose_bound", passes_anything) for home in NUMERICAL_HOMES],
}


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


@pytest.mark.parametrize("broken", PATHS)
def test_a_broken_path_is_noticed(broken, monkeypatch):
    for target, replacement in BREAKS[broken]:
        monkeypatch.setattr(target, replacement)
    derivation = load("fail_at_k_is_completely_monotone")
    survivors = [s for s in score_derivation(derivation, per_claim=2) if s.survived]
    assert survivors
    assert {path for s in survivors for path in s.survived} == {broken}


def test_to_see_too_few_points_is_no_objection():
    found = refuted_by(Claim("c", log(-x), "==", Integer(0), "r"))
    assert not found[POINTS].made


def test_a_contradicted_witness_is_not_believed(monkeypatch):
    def slander(*args, **options):
        return PointCheck(False, 1, "so they say", ((x, Integer(1)), (y, Integer(1))))

    monkeypatch.setattr("tests.mutation.mutants.check_at_points", slander)
    claim = Claim("c", (x + y) ** 2, "==", x**2 + 2 * x * y + y**2, "r")
    derivation = theorem_of(claim)
    mutant = next(islice(mutants(derivation), 1))
    found = score(type(mutant)(mutant.derivation, mutant.step, mutant.kind, claim))
    assert (found.truth, found.wronged) == (TRUE, (POINTS,))


@pytest.mark.slow
def test_every_false_mutant_of_every_derivation_is_refuted_by_each_path_alone():
    done = repeat(score_named, [(name,) for name in NAMES], jobs=2)
    scores = [score for found in done.values for score in found]
    assert [(s.derivation, s.step, s.kind, s.survived) for s in scores if s.survived] == []
    assert [(s.derivation, s.step, s.kind, s.wronged) for s in scores if s.wronged] == []
    false = table(s for s in scores if s.truth == FALSE)
    assert false["mutant"].nunique() >= 1_000
    assert set(false["derivation"]) == set(NAMES)
