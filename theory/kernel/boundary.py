"""Claims under weak assumptions: decided where `e > 0`, and again on the boundary, where `e == 0`.

A symbol that is declared nonnegative is such an assumption by itself. What holds inside says
nothing of the boundary, and a claim may fail there alone; so a symbol is solved for, and the claim
is decided once more with its value put in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from sympy import Abs, Add, Expr, Integer, Mul, Pow, Symbol, exp, log

from .answer import Answer, Condition, Decision, undecided, weaker
from .arithmetic import Arithmetic, Nowhere, OutsideScope
from .convert import normal_form
from .field import CoefficientField

LARGEST_ROOT = 1_000
Sides = tuple[Expr, ...]
#: Decides a claim, given by its sides, where some expressions are positive; all symbols are
#: positive or of any sign.
Judge = Callable[[Sides, Sides], Decision]


def with_boundary(judge: Judge, sides: Sides, assume: Sides, weak: Sides) -> Decision:
    """What `judge` says of the sides where `assume` is positive and `weak` and every nonnegative
    symbol is not negative.

    Returns
    -------
    Decision
        *proved* where the claim is proved inside and on the boundary, or has no value on the
        boundary (the condition is then `e > 0`); *refuted* where it is refuted on either, at a
        witness there; *undecided* otherwise.
    """
    for symbol in _nonnegative_symbols((*sides, *assume, *weak)):
        return _split_symbol(judge, sides, assume, weak, symbol)
    for i, e in enumerate(weak):
        rest = weak[:i] + weak[i + 1 :]
        if _value(e).is_negative:
            return undecided(f"the assumption {e} >= 0 never holds")
        return (
            with_boundary(judge, sides, assume, rest)
            if _value(e).is_nonnegative
            else _split(judge, sides, assume, rest, e)
        )
    return judge(sides, assume)


def _nonnegative_symbols(expressions: Iterable[Expr]) -> list[Symbol]:
    symbols = set().union(*(e.free_symbols for e in expressions))
    return sorted(
        (s for s in symbols if s.is_nonnegative and not s.is_positive), key=lambda s: s.name
    )


def _split_symbol(
    judge: Judge, sides: Sides, assume: Sides, weak: Sides, symbol: Symbol
) -> Decision:
    """A nonnegative symbol is positive or zero; that it is not negative is its declaration and no
    condition.
    """
    positive = Symbol(symbol.name, positive=True)
    if any(positive in e.free_symbols for e in (*sides, *assume, *weak)):
        raise ValueError(
            f"symbol {symbol.name}: occurs twice with different assumptions; declare it once"
        )
    inside = _renamed(
        with_boundary(judge, *_replaced((sides, assume, weak), {symbol: positive})),
        positive,
        symbol,
    )
    if inside.refuted:
        return inside
    boundary = _on_boundary(judge, sides, assume, weak, symbol, Integer(0))
    return _combined(inside, boundary, symbol, {symbol: Integer(0)}, stated=False)


def _split(judge: Judge, sides: Sides, assume: Sides, weak: Sides, e: Expr) -> Decision:
    inside = with_boundary(judge, sides, (*assume, e), weak)
    if inside.refuted:
        return inside
    root = root_of(e)
    if root is None and not inside.holds:
        return inside
    if root is None:
        everywhere = with_boundary(judge, sides, assume, weak)
        if everywhere.holds:
            return _combined(inside, everywhere, e, {}, stated=True)
        return _open(
            inside,
            f"where it is 0 the claim is not decided: no symbol of {e} could be solved for",
            e,
        )
    return _combined(
        inside, _on_boundary(judge, sides, assume, weak, *root), e, dict([root]), stated=True
    )


def _on_boundary(
    judge: Judge, sides: Sides, assume: Sides, weak: Sides, symbol: Symbol, value: Expr
) -> Decision | None:
    """The claim with the value put in; None where it has no value there."""
    sides, assume, weak = _replaced((sides, assume, weak), {symbol: value})
    if symbol.is_positive and value.is_positive is not True:
        assume = (*assume, value)
    if any(_value(a).is_nonpositive for a in assume):
        return Decision(Answer.PROVED, "no point of the boundary satisfies the assumptions")
    if any(map(_has_no_value, (*sides, *assume, *weak))):
        return None
    decision = with_boundary(judge, sides, assume, weak)
    if decision.witness is None:
        return decision
    point = dict.fromkeys(value.free_symbols, Integer(1)) | dict(
        decision.witness.point
    )  # those that the claim is free of
    point = dict(
        sorted([*point.items(), (symbol, value.subs(point))], key=lambda item: item[0].name)
    )
    return replace(decision, witness=replace(decision.witness, point=tuple(point.items())))


def _combined(
    inside: Decision,
    boundary: Decision | None,
    e: Expr,
    values: Mapping[Symbol, Expr],
    *,
    stated: bool,
) -> Decision:
    """The answer from those where `e > 0` and where `e == 0`."""
    if boundary is None:
        conditions = tuple(dict.fromkeys((*inside.conditions, Condition(e, ">"))))
        return replace(inside, conditions=conditions) if inside.holds else inside
    if boundary.refuted:
        return replace(boundary, reason=f"{boundary.reason}, where {e} = 0")
    if not inside.holds:
        return inside
    if not boundary.holds:
        return _open(inside, f"where it is 0: {boundary.reason}", e)
    conditions = _weakened(inside.conditions, e) if stated else inside.conditions
    further = _further(boundary, conditions, values)
    if further:
        shown = ", ".join(map(str, further))
        return _open(inside, f"where it is 0 the claim is proved only where {shown}", e)
    return replace(weaker(inside, boundary), conditions=conditions)


def _further(
    boundary: Decision, conditions: Iterable[Condition], values: Mapping[Symbol, Expr]
) -> list[Condition]:
    """What is asked for on the boundary and does not follow from these conditions with the values
    put in.
    """
    implied = {Condition(put_in(c.expression, values), c.relation) for c in conditions}
    implied |= {Condition(value, ">") for value in values.values()}
    return [c for c in boundary.conditions if c not in implied and not _is_evident(c)]


def _open(inside: Decision, why: str, e: Expr) -> Decision:
    return undecided(f"{inside.answer.value} where {e} > 0; {why}")


def _weakened(conditions: Iterable[Condition], e: Expr) -> tuple[Condition, ...]:
    return tuple(Condition(e, ">=") if c == Condition(e, ">") else c for c in conditions)


def _is_evident(condition: Condition) -> bool:
    e = condition.expression
    return bool(
        {">": e.is_positive, ">=": e.is_nonnegative, "!=": e.is_nonzero}[condition.relation]
    )


def _renamed(decision: Decision, old: Symbol, new: Symbol) -> Decision:
    conditions = tuple(
        Condition(put_in(c.expression, {old: new}), c.relation) for c in decision.conditions
    )
    witness = decision.witness
    if witness is not None:
        witness = replace(
            witness, point=tuple((new if s == old else s, value) for s, value in witness.point)
        )
    return replace(decision, conditions=conditions, witness=witness)


# -- expressions -------------------------------------------------------------------------------------------------------


def put_in(expression: Expr, values: Mapping[Symbol, Expr]) -> Expr:
    """The expression with symbols replaced and nothing evaluated, so that nothing cancels: (x -
    y)/(x - y) at x = y is 0/0.
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
    """The expression, a number worked out: SymPy contradicts itself on the signs of 1 - 0."""
    return e if e.free_symbols else e.doit()


def _replaced(groups: tuple[Sides, ...], values: Mapping[Symbol, Expr]) -> tuple[Sides, ...]:
    return tuple(tuple(put_in(e, values) for e in group) for group in groups)


def root_of(e: Expr) -> tuple[Symbol, Expr] | None:
    """A symbol and its value exactly where `e == 0`, the value positive if there is such a choice."""
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
    """The value of x where e == 0, for e = a x^p + b with a of certain sign and x positive unless p
    is 1.
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
    """Whether the expression is zero without any condition."""
    arithmetic = Arithmetic(CoefficientField(e.free_symbols))
    try:
        zero = arithmetic.is_zero(normal_form(e, arithmetic))
    except OutsideScope:
        return False
    return zero and not (arithmetic.positive or arithmetic.nonzero)


def _has_no_value(e: Expr) -> bool:
    """Whether the expression has no value whatever the symbols are."""
    try:
        normal_form(e, Arithmetic(CoefficientField(e.free_symbols)))
    except Nowhere:
        return True
    except OutsideScope:
        return False
    return False


__all__ = ["Judge", "put_in", "solved", "with_boundary"]
