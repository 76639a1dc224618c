"""Expansions with a remainder: `P == 1 + beta*gamma*s^2/2 + O(s^3)` as s goes to 0."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Add, Expr, Integer, Pow, Symbol, exp, log

from .. import symbols as sym
from ..algebra.answer import Answer, Decision
from ..algebra.decide import decide, is_zero
from ..algebra.functions import OrderTerm, defined
from ..algebra.parse import plainly_positive

HIGHEST_ORDER = 8


def decide_order(lhs: Expr, relation: str, rhs: Expr, run: Mapping[Symbol, Expr]) -> Decision:
    """Whether two sides agree up to the order that one of them names.

    For a difference f that is analytic at 0, f = O(u^n) if and only if its derivatives below the
    n-th vanish there.

    Parameters
    ----------
    lhs, rhs : sympy.Expr
        One of them with one term O(u^n).
    relation : str
    run : mapping
        What the letters of a run are in C and r, whose size ratio r is 1 where u is 0.
    """
    terms = (*Add.make_args(lhs), *(-term for term in Add.make_args(rhs)))
    orders = [term for term in terms if term.has(OrderTerm)]
    rest = Add(*(term for term in terms if not term.has(OrderTerm)))
    order = orders[0] if isinstance(orders[0], OrderTerm) else -orders[0]
    if relation != "==" or len(orders) != 1 or not isinstance(order, OrderTerm):
        return _undecided("an order term is decided alone on one side of an equality")
    base, number = order.args[0].as_base_exp()
    if not (number.is_Integer and 0 < number <= HIGHEST_ORDER):
        return _undecided(f"an order from 1 to {HIGHEST_ORDER} is decided")
    small = Symbol("t", real=True)
    f, u = _in_one_letter(rest, base, run, small)
    slope = u.diff(small).xreplace({small: Integer(0)})
    starts = is_zero(u.xreplace({small: Integer(0)}))
    if not (starts and (plainly_positive(slope) or plainly_positive(-slope))):
        return _undecided(f"where {base} goes to 0 is not clear")
    if not _is_analytic(f, small):
        return _undecided(f"the two sides have no expansion in powers of {base}")
    for below in range(int(number)):
        answer = decide(f.xreplace({small: Integer(0)}), Integer(0))
        if answer.refuted:
            return Decision(Answer.REFUTED, f"the terms in ({base})^{below} differ")
        if not answer.proved:
            return _undecided(f"the terms in ({base})^{below}: {answer.reason}")
        f = f.diff(small)
    return Decision(
        Answer.PROVED, f"as {base} -> 0 both sides have the same derivatives below order {number}"
    )


def _undecided(reason: str) -> Decision:
    return Decision(Answer.UNDECIDED, reason)


def _in_one_letter(
    rest: Expr, base: Expr, run: Mapping[Symbol, Expr], small: Symbol
) -> tuple[Expr, Expr]:
    """The difference and the small quantity in one letter that goes to 0: log r at a run, else the
    small letter itself.
    """
    rest, base = (defined(e).xreplace(dict(run)) for e in (rest, base))
    if sym.SIZE_RATIO in base.free_symbols:
        ratio = {sym.SIZE_RATIO: exp(small)}
        return rest.subs(ratio), base.subs(ratio)
    return (rest.xreplace({base: small}), small) if base.is_Symbol else (rest, base)


def _is_analytic(f: Expr, small: Symbol) -> bool:
    """Whether the expression is made of what has a power series at 0."""
    if small not in f.free_symbols or f == small:
        return True
    if isinstance(f, Pow):
        start = f.base.xreplace({small: Integer(0)})
        whole = f.exp.is_Integer and f.exp >= 0
        return (whole or plainly_positive(start)) and all(_is_analytic(x, small) for x in f.args)
    if isinstance(f, log) and not plainly_positive(f.args[0].xreplace({small: Integer(0)})):
        return False
    known = f.is_Add or f.is_Mul or isinstance(f, (exp, log))
    return known and all(_is_analytic(x, small) for x in f.args)
