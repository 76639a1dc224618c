"""Soundness: every false mutant is objected to by each path alone, and by the others where one path
is broken.
"""

from itertools import islice

import pytest
from sympy import Integer, log, symbols
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
from isoflop.theory.theorem.verification import load

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


# -- the truth ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        (Claim("c", (x + y) ** 2, "==", x**2 + 2 * x * y + y**2, "r"), TRUE),
        (Claim("c", (x + y) ** 2, "==", x**2 + x * y + y**2, "r"), FALSE),
        (Claim("c", x + 1 / x, ">=", Integer(2), "r", ByBound()), TRUE),
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


NUMERICAL_HOMES = ("isoflop.theory.theorem.claim", "tests.mutation.mutants")
BREAKS = {
    EXACT: [
        ("isoflop.theory.kernel.rules.decide", proves_anything),
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
