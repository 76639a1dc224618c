"""Claims under weak assumptions `e >= 0`: decided where `e > 0`, and again on the boundary `e == 0`.

A symbol declared nonnegative is such an assumption by itself. A claim may fail on the boundary
alone, so `e == 0` is solved for a symbol and the claim is decided again with the solution put in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from sympy import Abs, Add, Expr, Integer, Mul, Pow, Symbol, exp, log

from .answer import Answer, Condition, Decision, undecided, weaker
from .arithmetic import Nowhere, OutsideScope
from .convert import normal_forms

LARGEST_ROOT = 1_000
ZERO = Integer(0)
Sides = tuple[Expr, ...]
#: Decides a claim from its sides and the expressions assumed positive; every symbol is positive or
#: of any sign.
Judge = Callable[[Sides, Sides], Decision]


def with_boundary(judge: Judge, sides: Sides, assume: Sides, weak: Sides) -> Decision:
    """The decision of `judge` on the sides where every `assume` is positive, and every `weak` and
    every nonnegative symbol is at least 0.

    Returns
    -------
    Decision
        *proved* if the claim is proved inside and on the boundary, or has no value on the boundary
        (the condition is then `e > 0`); *refuted* if it is refuted on either, with a witness there;
        *undecided* otherwise.
    """
    groups = (sides, assume, weak)
    symbols = set[Symbol]().union(*(e.free_symbols for e in (*sides, *assume, *weak)))
    for symbol in sorted(symbols, key=lambda symbol: symbol.name):
        if symbol.is_nonnegative and not symbol.is_positive:
            positive = Symbol(symbol.name, positive=True)
            if positive in symbols:
                raise ValueError(
                    f"symbol {symbol.name}: occurs twice with different assumptions; declare it once"
                )
            inside = with_boundary(judge, *_at(groups, {symbol: positive}))
            inside = inside.in_terms_of(
                symbol, positive, partial(put_in, values={positive: symbol})
            )
            return _combined(inside, symbol, judge, groups, (symbol, ZERO))
    if not weak:
        return judge(sides, assume)
    e, rest = weak[0], weak[1:]
    value = _value(e)
    if value.is_negative:
        return undecided(f"the assumption {e} >= 0 never holds")
    if value.is_nonnegative:
        return with_boundary(judge, sides, assume, rest)
    inside, root = with_boundary(judge, sides, (*assume, e), rest), root_of(e)
    if root is not None:
        return _combined(inside, e, judge, (sides, assume, rest), root)
    if not inside.holds:
        return inside
    everywhere = with_boundary(judge, sides, assume, rest)
    if everywhere.holds:
        return _both(inside, everywhere, e, {})
    return _open(
        inside, f"where it is 0 the claim is not decided: no symbol of {e} could be solved for", e
    )


def _at(groups: tuple[Sides, ...], values: Mapping[Symbol, Expr]) -> tuple[Sides, ...]:
    """The groups with symbols replaced."""
    return tuple(tuple(put_in(e, values) for e in group) for group in groups)


def _combined(
    inside: Decision,
    e: Expr,
    judge: Judge,
    groups: tuple[Sides, ...],
    root: tuple[Symbol, Expr],
) -> Decision:
    """The decision for `e >= 0` from those for `e > 0` and for `e == 0`, with the root put in."""
    if inside.refuted:
        return inside
    symbol, value = root
    sides, assume, weak = _at(groups, {symbol: value})
    if symbol.is_positive and value.is_positive is not True:
        assume = (*assume, value)
    if any(_value(a).is_nonpositive for a in assume):  # no point of the boundary is in the domain
        return _both(inside, Decision(Answer.PROVED, inside.reason), e, dict([root]))
    if any(map(_has_no_value, (*sides, *assume, *weak))):
        conditions = tuple(dict.fromkeys((*inside.conditions, Condition(e, ">"))))
        return replace(inside, conditions=conditions) if inside.holds else inside
    there = with_boundary(judge, sides, assume, weak)
    if there.refuted:
        return replace(_seen_from(there, symbol, value), reason=f"{there.reason}, where {e} = 0")
    return _both(inside, there, e, dict([root]))


def _seen_from(decision: Decision, symbol: Symbol, value: Expr) -> Decision:
    """A refutation on the boundary whose witness also names the symbol that was solved for."""
    if decision.witness is None:
        return decision
    # Symbols that do not occur in the claim may have any value.
    point = dict.fromkeys(value.free_symbols, Integer(1)) | dict(decision.witness.point)
    ordered = sorted([*point.items(), (symbol, value.subs(point))], key=lambda x: x[0].name)
    return replace(decision, witness=replace(decision.witness, point=tuple(ordered)))


def _both(inside: Decision, boundary: Decision, e: Expr, values: Mapping[Symbol, Expr]) -> Decision:
    """The decision where neither part is refuted: the conditions of both must be assumed."""
    if not inside.holds:
        return inside
    if not boundary.holds:
        return _open(inside, f"where it is 0: {boundary.reason}", e)
    conditions = tuple(
        Condition(e, ">=") if c == Condition(e, ">") else c for c in inside.conditions
    )
    implied = {Condition(put_in(c.expression, values), c.relation) for c in conditions}
    implied |= {Condition(value, ">") for value in values.values()}
    further = [c for c in boundary.conditions if c not in implied and not _is_evident(c)]
    if further:
        shown = ", ".join(map(str, further))
        return _open(inside, f"where it is 0 the claim is proved only where {shown}", e)
    return replace(weaker(inside, boundary), conditions=conditions)


def _open(inside: Decision, reason: str, e: Expr) -> Decision:
    return undecided(f"{inside.answer.value} where {e} > 0; {reason}")


def _is_evident(condition: Condition) -> bool:
    e = condition.expression
    return bool(
        {">": e.is_positive, ">=": e.is_nonnegative, "!=": e.is_nonzero}[condition.relation]
    )


# -- expressions -----------------------------------------------------------------------------------


def put_in(expression: Expr, values: Mapping[Symbol, Expr]) -> Expr:
    """The expression with symbols replaced and nothing evaluated or cancelled: (x - y)/(x - y) is 0/0
    at x = y.
    """
    if not expression.free_symbols & values.keys():
        return expression
    if expression.is_Symbol:
        return values[expression]
    if hasattr(expression, "bound_symbols"):
        return expression.subs(values)
    arguments = [put_in(argument, values) for argument in expression.args]
    written = isinstance(expression, (Add, Mul, Pow, exp, log, Abs))
    return expression.func(*arguments, **({"evaluate": False} if written else {}))


def _value(e: Expr) -> Expr:
    """The expression, evaluated if it is a number: SymPy contradicts itself on the signs of 1 - 0."""
    return e if e.free_symbols else e.doit()


def root_of(e: Expr) -> tuple[Symbol, Expr] | None:
    """A symbol and its value where `e == 0`; a positive value is preferred."""
    roots = [
        (x, value)
        for x in sorted(e.free_symbols, key=lambda x: x.name)
        if (value := solved(e, x)) is not None
    ]
    return min(
        roots,
        key=lambda root: (root[1].is_positive is not True, not root[1].is_rational_function()),
        default=None,
    )


def solved(e: Expr, x: Symbol) -> Expr | None:
    """The solution x of e == 0 for e = a x^p + b, where the sign of a is certain and x is positive
    unless p is 1; None for other expressions.
    """
    constant, dependent = e.expand().as_independent(x, as_Add=True)
    coefficient, power = dependent.as_independent(x, as_Add=False)
    base, exponent = power.as_base_exp()
    if (
        base != x
        or x in exponent.free_symbols
        or not (coefficient.is_positive or coefficient.is_negative)
    ):
        return None
    value = -constant / coefficient
    if exponent != 1:
        if not x.is_positive or not (exponent.is_positive or exponent.is_negative):
            return None
        if exponent.is_Rational and max(abs(exponent.p), exponent.q) > LARGEST_ROOT:
            return None
        value = value ** (1 / exponent)
    return value if _vanishes(put_in(e, {x: value})) else None


def _vanishes(e: Expr) -> bool:
    """Whether the expression is zero unconditionally."""
    try:
        arithmetic, (form,) = normal_forms((e,))
    except OutsideScope:
        return False
    return arithmetic.is_zero(form) and not (arithmetic.positive or arithmetic.nonzero)


def _has_no_value(e: Expr) -> bool:
    """Whether the expression has no value at any point."""
    try:
        normal_forms((e,))
    except OutsideScope as error:
        return isinstance(error, Nowhere)
    return False
