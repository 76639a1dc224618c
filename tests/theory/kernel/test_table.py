"""Pairs that a wrong implementation gets wrong: each with its answer, its side conditions, and its
witness evaluated anew.
"""

from typing import NamedTuple

import mpmath
import pytest
import sympy
from sympy import Expr, Symbol

from isoflop.theory.kernel import Answer, decide
from isoflop.theory.reader.parse import parse

PROVED, REFUTED, UNDECIDED = Answer.PROVED, Answer.REFUTED, Answer.UNDECIDED
POSITIVE = {
    name: Symbol(name, positive=True)
    for name in ("A", "B", "C", "D", "N", "b", "g", "k", "p", "x", "y")
}
REAL = POSITIVE | {"x": Symbol("x", real=True)}


class Row(NamedTuple):
    """One pair; `conditions` is what the proof must state, no more and no less."""

    lhs: str
    rhs: str
    answer: Answer
    conditions: tuple[str, ...] = ()
    table: dict[str, Symbol] = POSITIVE


TABLE = (
    Row("(b+g)^((b+2g)/(b+g))", "(b+g)*(b+g)^(g/(b+g))", PROVED),
    Row("(b+g)^((b+2g)/(b+g))", "(b+g)^(2g/(b+g))", REFUTED),
    Row("6^b * 12^-b * (1/4)^(b/2)", "4^-b", PROVED),
    Row("12^(b/2)", "2^b * 3^b", REFUTED),
    Row("(A x + B y)^(p+1)", "A x (A x + B y)^p + B y (A x + B y)^p", PROVED),
    Row("(A N^-b + B D^-g)^p", "(A D^g + B N^b)^p N^(-b p) D^(-g p)", PROVED),
    Row("b^g g^-b exp(b log(g) - g log(b))", "1", PROVED),
    Row("b^g", "g^b", REFUTED),
    Row("k^(b + g log(C))", "k^b C^(g log(k))", PROVED),
    Row("((x-1)^2)^(1/2)", "x-1", REFUTED, table=REAL),
    Row("(x^2 - 2x + 1)^p", "(x-1)^(2p)", PROVED, ("x - 1 > 0",), REAL),
    Row("(1-x)^p", "(x-1)^p", UNDECIDED, table=REAL),
    Row("(N^(2b)-1)/(N^b-1)", "N^b+1", PROVED, ("N**b - 1 != 0",)),
    Row("(1+N^(3b))^p", "(1+N^b)^p (1-N^b+N^(2b))^p", UNDECIDED),
    Row("sqrt(5+2sqrt(6))", "sqrt(2)+sqrt(3)", UNDECIDED),
    Row("sqrt(5+2sqrt(6)) + 1e-20", "sqrt(2)+sqrt(3)", REFUTED),
)
BOTH = pytest.mark.parametrize("evaluated", [False, True], ids=["as typed", "evaluated"])


def sides(row: Row, evaluated: bool) -> tuple[Expr, Expr]:
    left, right = parse(row.lhs, row.table), parse(row.rhs, row.table)
    return (left.doit(), right.doit()) if evaluated else (left, right)


@BOTH
@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.lhs} == {row.rhs}")
def test_row(row: Row, evaluated: bool) -> None:
    """The witness is evaluated by SymPy's own code for mpmath, which the normal form does not use."""
    left, right = sides(row, evaluated)
    decision = decide(left, right)
    assert decision.answer is row.answer, decision
    assert {str(condition) for condition in decision.conditions} == set(row.conditions)
    if decision.witness is None:
        return
    names = [symbol for symbol, _ in decision.witness.point]
    with mpmath.workdps(60):
        at = [mpmath.mpf(value.p) / value.q for _, value in decision.witness.point]
        one, other = (sympy.lambdify(names, side, "mpmath")(*at) for side in (left, right))
        for value, printed in ((one, decision.witness.lhs), (other, decision.witness.rhs)):
            assert mpmath.almosteq(value, mpmath.mpf(printed), rel_eps=mpmath.mpf(10) ** -9)
        assert abs(one - other) > mpmath.mpf(10) ** -25


def test_difference_beyond_fifty_digits_is_found() -> None:
    """Precision is doubled until the enclosures part: here 10^-700."""
    b, g = POSITIVE["b"], POSITIVE["g"]
    decision = decide((b + g) ** b + sympy.Rational(1, 10**700), (b + g) ** b)
    assert decision.refuted
    assert decision.witness is not None
    assert decision.witness.digits >= 800
    constant = decide(sympy.sqrt(2) + sympy.Rational(1, 10**700), sympy.sqrt(2))
    assert constant.refuted
