"""Weak assumptions: what fails on the boundary alone is refuted there, and what is proved holds
there too.
"""

import pytest
from sympy import Abs, Mul, Pow, Symbol, exp, log, symbols

from isoflop.theory.kernel import Answer, decide
from isoflop.theory.kernel.bounds import decide_bound

x, y = symbols("x y", positive=True)
E = Symbol("E", nonnegative=True)


def raw_quotient(above, below):
    return Mul(above, Pow(below, -1, evaluate=False), evaluate=False)


#: No value on the boundary: proved off it.
OFF_THE_BOUNDARY = [
    (exp(log(E, evaluate=False), evaluate=False), E, [], "E > 0"),
    (raw_quotient(E, E), 1, [], "E > 0"),
    (raw_quotient(Abs(x - y), x - y), 1, [x - y], "x - y > 0"),
]


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
