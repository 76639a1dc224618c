"""Claims as users type them: what is true is proved, what is false is refuted with a witness, and
what is unreadable is named.
"""

import time
from contextlib import suppress
from itertools import islice
from random import Random

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.theory.theorems import DIFFERENT, SAME, mistaken, quantities, statements

from isoflop.theory.budget import Budget
from isoflop.theory.claim.prove import prove
from isoflop.theory.kernel.answer import Answer
from isoflop.theory.reader.tokens import ParseError

COUNT = 100
MOST_UNDECIDED = COUNT // 50
MP = mpmath.mp.clone()
MP.dps = 60


def test_true_identities_are_proved() -> None:
    """Random rewritings of theorems; each is true by its construction and by minimisation with 60
    digits.
    """
    random, undecided = Random(5), []
    for statement in islice(statements(11), COUNT):
        assert max(statement.differences(random)) < SAME, statement.text
        answer = prove(statement.text, assume=statement.assume).answer.value
        assert answer != "refuted", statement
        if answer == "undecided":
            undecided.append(statement.text)
    assert len(undecided) <= MOST_UNDECIDED, undecided


def test_mutated_identities_are_refuted() -> None:
    """One mistake in each; that it is one is found by minimisation with 60 digits."""
    random, undecided = Random(6), []
    false = (s for s in mistaken(12) if min(s.differences(random)) > DIFFERENT)
    for statement in islice(false, COUNT):
        proof = prove(statement.text, assume=statement.assume)
        assert proof.answer.value != "proved", statement
        if proof.answer.value == "undecided":
            undecided.append(statement.text)
        else:
            witness = proof.links[0].decision.witness
            assert witness is not None
            assert witness.lhs != witness.rhs
    assert len(undecided) <= MOST_UNDECIDED, undecided


POINTWISE = {
    "alpha == beta": ("alpha", "beta"),
    "w_N == beta/(beta + gamma)": ("w_N", "w_D"),
    "N_opt == D_opt": ("N_opt", "D_opt"),
    "R_opt == L_opt": ("R_opt", "L_opt"),
    "P(r) == T_N": ("P", "T_N"),
    "G == C0": ("G", "C0"),
}


@pytest.mark.parametrize("claim", POINTWISE)
def test_values_at_the_witness_are_those_of_the_quantities(claim) -> None:
    proof = prove(claim)
    assert proof.answer.value == "refuted"
    witness = proof.links[0].decision.witness
    assert witness is not None
    point = {name: MP.mpf(2) for name in ("A", "B", "C", "E", "N", "D", "beta", "gamma", "r")}
    point |= {symbol.name: MP.mpf(int(value.p)) / int(value.q) for symbol, value in witness.point}
    values = quantities(point)
    values |= {"beta": point["beta"]}
    for name, decimal in zip(POINTWISE[claim], (witness.lhs, witness.rhs), strict=True):
        assert abs(values[name] - MP.mpf(decimal)) < 1e-8 * abs(values[name])


# -- assumptions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "assume", "answer"),
    [
        ("C == 6*N*D", [], "proved"),  # the budget itself
        ("C == 12*N*D", [], "refuted"),
        ("C == 6ND", ["C == 6*N*D"], "proved"),
        ("L(N, D) >= L_opt", [], "proved"),
        ("L(N, D) > L_opt", [], "refuted"),
        ("L(N, D) <= L_opt", [], "refuted"),
        ("L(N, D) >= L_opt", ["C == 6*N*D"], "proved"),
        ("C == 120*N^2", ["C == 6*N*D", "D == 20*N"], "proved"),
        ("C == 120*N^2", ["D == 20*N", "C == 6*N*D"], "proved"),
        ("C == 120*N^2", ["20 N = D", "6 N D = C"], "proved"),
        ("alpha == beta/2", ["beta == gamma"], "proved"),
        ("alpha == beta/2", [], "refuted"),
        ("sqrt((x - y)^2) == x - y", ["x > y"], "proved"),
        ("sqrt((x - y)^2) == y - x", ["x < y"], "proved"),
        ("sqrt((x - y)^2) == x - y", ["x < y"], "refuted"),
        ("x^2 <= x", ["x < 1"], "proved"),
        ("x^2 >= x", ["x > 1"], "proved"),
        ("x^2 >= x", ["x < 1"], "refuted"),
        ("x^2 > y^2", ["x > y"], "proved"),
        ("x >= 0", ["x == N - D"], "proved"),
        ("N - D >= 0", ["x == N - D"], "proved"),
        ("beta - alpha > 0", [], "proved"),
        ("x == y", ["x > y", "y > x"], "undecided"),
    ],
)
def test_assumptions(claim, assume, answer) -> None:
    assert prove(claim, assume=assume).answer.value == answer


BAD_ASSUMPTIONS = {
    "x": "a relation is expected",
    "x == y == 2": "an assumption reads",
    "x >= -1": "holds without being assumed",
    "-y < x": "holds without being assumed",
    "x -> 0": "an assumption reads",
    "x + x^2 == y + y^2": "one side of an equality must be a symbol",
    "x == x + 1": "one side of an equality must be a symbol",
    "x == -1": "x is positive",
    "x == 0": "x is positive",
    "x = foo": "unknown name 'foo' at position 5",
    "x ==": "an expression is missing beside '==' at position 3",
}


@pytest.mark.parametrize("text", BAD_ASSUMPTIONS)
def test_bad_assumptions_are_named(text) -> None:
    with pytest.raises(ParseError) as caught:
        prove("x == y", assume=[text])
    assert BAD_ASSUMPTIONS[text] in str(caught.value)
    assert repr(text) in str(caught.value)


# -- notations, budgets, chains ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "notation", "answer"),
    [
        ("alpha == beta*gamma/(beta + gamma)", "schaeffer", "proved"),
        ("alpha_C == alpha*beta/(alpha + beta)", "hoffmann", "proved"),
        ("alpha == alpha*beta/(alpha + beta)", "hoffmann", "refuted"),
        ("L(N, D) == E + A*N^-alpha + B*D^-beta", "hoffmann", "proved"),
        ("L(N, D) == E + A*N^-beta + B*D^-gamma", "schaeffer", "proved"),
        ("N_opt == G*(C/6)^a", "hoffmann", "proved"),
        ("D_opt == (C/6)^b/G", "hoffmann", "proved"),
        ("a == beta/(alpha + beta)", "hoffmann", "proved"),
        ("a == alpha/(alpha + beta)", "hoffmann", "refuted"),
        ("L_opt == E + C0*C^-alpha_C", "hoffmann", "proved"),
        ("L(C) == E + C_0*C^-alpha", "schaeffer", "proved"),
    ],
)
def test_notations(claim, notation, answer) -> None:
    assert prove(claim, notation=notation).answer.value == answer


def test_hoffmann_has_no_gamma() -> None:
    with pytest.raises(ParseError, match="unknown name 'gamma' at position 10"):
        prove("alpha == gamma", notation="hoffmann")


def test_a_budget_of_the_users_own() -> None:
    double = Budget.parse("12*N*D")
    assert prove("12*N_opt*D_opt == C", budget=double).answer.value == "proved"
    assert prove("6*N_opt*D_opt == C", budget=double).answer.value == "refuted"
    general = Budget.parse("kappa*N**a*D**d")
    assert prove("kappa*N_opt^a*D_opt^d == C", budget=general).answer.value == "proved"


def test_a_chain_is_decided_link_by_link() -> None:
    proof = prove("alpha == beta*w_N == gamma*w_N == gamma*w_D")
    assert [link.decision.answer.value for link in proof.links] == ["proved", "refuted", "refuted"]
    failure = next(link for link in proof.links if link.decision.refuted)
    assert failure.text == "beta*w_N == gamma*w_N"
    assert failure.decision.witness is not None
    assert proof.answer.value == "refuted"
    assert prove("1 <= P(r) == w_N*r^-beta + w_D*r^gamma").answer.value == "proved"


# -- what cannot be read -----------------------------------------------------------------------------------------------

BAD = {
    "": "a relation is expected",
    "== alpha": "an expression is missing beside '==' at position 1",
    "alpha == beta #": "cannot read '#' at position 15",
    "alpha == bta": "unknown name 'bta' at position 10",
    "alpha == (beta": "'(' at position 10 is never closed",
    "P(r, x) == 1": "2 arguments instead of (r) for 'P' at position 1",
    "__import__('os').system('true') == 1": "cannot read '_' at position 1",
    "x == 1/0": "division by zero at '0' at position 8",
    "x == 9^9^9": "too large to write down at '^' at position 7",
    "N(C) == G*(C/6)^w_N": "ambiguous 'N(C)' at position 1; write N_opt(C) for the optimum, N*C "
    "for the product",
    "alpha -> beta": "-> needs its limit",
    "alpha ~ beta": "~ needs its limit",
    "alpha == oo": "unknown name 'oo' at position 10",
}


@pytest.mark.parametrize("text", BAD)
def test_bad_claims_are_named_with_their_place(text) -> None:
    with pytest.raises(ParseError) as caught:
        prove(text)
    assert BAD[text] in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "limit",
    ["", "r", "r -> x", "r -> -oo", "r = 0", "alpha -> 0", "q -> 0", "r -> 0 -> 0", "foo -> oo"],
)
def test_bad_limits_are_named(limit) -> None:
    with pytest.raises(ParseError, match="a limit reads"):
        prove("P(r) ~ 1", limit=limit)


WORDS = (
    "alpha beta N D C P(r) N_opt L(N,D) x y 2 0 1/2 1e9 6ND exp( log( sqrt( + - * / ^ ** ( ) [ ] , "
    "== = <= >= < > -> ~ _ # oo"
)
PIECES = [*WORDS.split(" "), " "]


@settings(max_examples=150)
@given(
    text=st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    limit=st.sampled_from([None, "r -> 0", "x -> oo", "r", ""]),
)
def test_any_claim_is_decided_or_refused(text, limit) -> None:
    start = time.process_time()
    with suppress(ValueError):
        prove(text, limit=limit)
    assert time.process_time() - start < 20


def test_exchanged_exponents_are_not_read_away_in_other_letters() -> None:
    """r^gamma is the tail by default; r^beta would be in Hoffmann's letters, whose w_D is b."""
    assert prove("P(r) ~ w_D*r^gamma", limit="r -> oo").answer is Answer.PROVED
    assert prove("P(r) ~ w_D*r^beta", limit="r -> oo").answer is not Answer.PROVED
