"""The laws that the penalty's gradient is for; its values are compared in
tests/numeric/test_gradients.py.
"""

import pytest
from sympy import Integer, Symbol, exp

from isoflop.theory import symbols as sym
from isoflop.theory.budget import GENERAL, Budget
from isoflop.theory.envelope import derive
from isoflop.theory.gradients import penalty_gradient
from isoflop.theory.kernel import decide
from isoflop.theory.law import LawForm, Term
from isoflop.theory.penalty import misallocation

M, Q, B = (Symbol(name, positive=True) for name in ("M", "q", "b"))
THREE = LawForm((Term(sym.A, sym.N, sym.BETA), Term(sym.B, sym.D, sym.GAMMA), Term(Q, M, B)))


def test_it_does_not_depend_on_the_cost_of_a_token() -> None:
    """Under C = 2 N D as under C = 6 N D, and the derivative of P itself in either case."""
    doubled = derive(budget=Budget(Integer(2), ((sym.N, Integer(1)), (sym.D, Integer(1)))))
    six, two = penalty_gradient(derive()), penalty_gradient(doubled)
    assert list(two) == [sym.BETA, sym.GAMMA]
    penalty = misallocation(doubled).penalty.subs(sym.SIZE_RATIO, exp(sym.LOG_SIZE_RATIO))
    for exponent, derivative in two.items():
        assert derivative == six[exponent]
        assert decide(derivative.as_difference, penalty.diff(exponent)).proved
        assert decide(-derivative.as_difference, penalty.diff(exponent)).refuted


def test_it_is_for_two_terms_under_one_budget() -> None:
    with pytest.raises(ValueError, match=r"needs two terms and kappa\*N\*D"):
        penalty_gradient(derive(budget=GENERAL))
    three = derive(
        THREE, Budget(Integer(6), ((sym.N, Integer(1)), (sym.D, Integer(1)), (M, Integer(1))))
    )
    with pytest.raises(ValueError, match=r"needs two terms and kappa\*N\*D"):
        penalty_gradient(three)
