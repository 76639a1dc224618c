"""Weak assumptions: what fails on the boundary alone is refuted there, and what is proved holds
there too.
"""

import pytest
from sympy import Abs, Mul, Pow, Symbol, exp, log, symbols, sympify
from tests.theory.values import fine, holds

from isoflop.theory.envelope import derive
from isoflop.theory.kernel import Answer, decide
from isoflop.theory.kernel.bounds import decide_bound
from isoflop.theory.kernel.limits import decide_limit

A, B, C, beta, gamma, r, x, y, z = symbols("A B C beta gamma r x y z", positive=True)
E = Symbol("E", nonnegative=True)
ENVELOPE = derive()
HALFWAY = beta * gamma / (beta + gamma)
BEST = ENVELOPE.reducible
PER_PARAM = ENVELOPE.tokens / ENVELOPE.params


def raw_quotient(above, below):
    return Mul(above, Pow(below, -1, evaluate=False), evaluate=False)


def judged(lhs, relation, rhs, weak):
    if relation == "==":
        return decide(lhs, rhs, assume_nonnegative=weak)
    return decide_bound(lhs, relation, rhs, assume_nonnegative=weak)


TRUE = [
    (x, ">=", 1, [x - 1]),
    (x**2, ">=", 4, [x**2 - 4]),
    (beta, "<=", gamma, [gamma - beta]),
    (HALFWAY, "<=", gamma / 2, [gamma - beta]),
    (x, "<", y + 1, [y - x]),
    (x, ">=", y, [x - z, z - y]),
    (x * y, ">=", x + y - 1, [x - 1, y - 1]),
    (Abs(beta - gamma), "==", gamma - beta, [gamma - beta]),
    (x * y, ">", x * y * z / (1 + z), [x * y - x - y + exp(x)]),
    # a nonnegative symbol needs no mention
    (E + x - E, "==", x, []),
    (Abs(E), "==", E, []),
    (E, ">=", 0, []),
    (E + BEST, ">=", BEST, []),
]
#: True inside and false where the assumed expression is zero.
FALSE_ON_THE_BOUNDARY = [
    (x, ">", 1, [x - 1]),
    (x**2, ">", 4, [x**2 - 4]),
    (beta, "<", gamma, [gamma - beta]),
    (HALFWAY, "<", gamma / 2, [gamma - beta]),
    (x, ">", y, [x - z, z - y]),
    (x, ">", 2 * y, [x - y - z, z - y]),
    (1 + x / (x + E), "<", 2, []),
    (E + BEST, ">", BEST, []),
    (E, ">", 0, []),
]
#: No value on the boundary: proved off it.
OFF_THE_BOUNDARY = [
    (exp(log(E, evaluate=False), evaluate=False), E, [], "E > 0"),
    (raw_quotient(E, E), 1, [], "E > 0"),
    (raw_quotient(Abs(x - y), x - y), 1, [x - y], "x - y > 0"),
]


@pytest.mark.parametrize("case", TRUE, ids=str)
def test_what_holds_on_the_boundary_too_is_proved_under_the_weak_condition(case) -> None:
    decision = judged(*case)
    assert decision.proved, decision
    assert [str(c) for c in decision.conditions] == [f"{e} >= 0" for e in case[3]]


@pytest.mark.parametrize("case", FALSE_ON_THE_BOUNDARY, ids=str)
def test_what_fails_on_the_boundary_alone_is_refuted_there(case) -> None:
    lhs, relation, rhs, weak = case
    decision = judged(*case)
    assert decision.refuted, decision
    point = dict(decision.witness.point)
    assert not holds(lhs, relation, rhs, point)
    assert all(fine(e, point) >= 0 for e in weak)
    left, right = (sympify(side).subs(E, Symbol("E", positive=True)) for side in (lhs, rhs))
    assert decide_bound(left, relation, right, assume=weak).proved


@pytest.mark.parametrize(("lhs", "rhs", "weak", "condition"), OFF_THE_BOUNDARY, ids=str)
def test_a_claim_without_a_value_on_the_boundary_is_proved_off_it(
    lhs, rhs, weak, condition
) -> None:
    decision = decide(lhs, rhs, assume_nonnegative=weak)
    assert decision.proved, decision
    assert [str(c) for c in decision.conditions] == [condition]


def test_a_witness_off_the_boundary() -> None:
    witness = decide(E + x, x).witness
    assert witness is not None
    assert dict(witness.point)[E] > 0


def test_no_proof_where_nothing_can_be_said_of_the_boundary() -> None:
    """The assumed expression cannot be solved for x; that it is positive is used, and that it may be
    zero is not forgotten.
    """
    e = exp(x) - x * exp(y)
    assert not decide_bound(e, ">", 0, assume_nonnegative=[e]).proved
    assert decide_bound(e, ">", 0, assume=[e]).answer is not Answer.REFUTED


def test_contradictory_assumptions_prove_nothing() -> None:
    assert decide_bound(x, ">=", 5, assume_nonnegative=[1 - x, x - 2]).answer is Answer.UNDECIDED
    assert decide(x, x, assume_nonnegative=[-x]).answer is Answer.UNDECIDED


def test_limits_under_weak_assumptions() -> None:
    assert decide_limit(PER_PARAM, "->", 0 * x, C, "oo", assume=[gamma - beta]).proved
    decision = decide_limit(PER_PARAM, "->", 0 * x, C, "oo", assume_nonnegative=[gamma - beta])
    assert decision.refuted
    assert decision.witness is not None
    point = {symbol.name: known for symbol, known in decision.witness.point}
    assert point["beta"] == point["gamma"]
    growing = x / (C + y) * C ** (beta - gamma)  # x/y at beta = gamma
    assert not decide_limit(growing, "->", 0 * x, C, "0", assume_nonnegative=[beta - gamma]).proved
    decision = decide_limit(x**2 * C, "->", 0 * x, C, "0", assume_nonnegative=[1 - C, x - 2])
    assert decision.proved
    assert [str(c) for c in decision.conditions] == ["x - 2 >= 0"]
    # a nonnegative symbol
    assert decide_limit(E + BEST, "->", E, C, "oo").proved
    assert [str(c) for c in decide_limit(E + BEST, "~", E, C, "oo").conditions] == ["E > 0"]
    assert decide_limit(E * C + 1 / C, "->", 0 * x, C, "oo").refuted
    assert decide_limit(E * C + x, "->", 0 * x, C, "0").refuted
