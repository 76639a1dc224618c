"""Claims under weak assumptions: decided where `e > 0`, and again on the boundary, where `e == 0`.

A symbol that is declared nonnegative is such an assumption by itself. What holds inside says
nothing of the boundary, and a claim may fail there alone; so a symbol is solved for, and the claim
is decided once more with its value put in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

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


@dataclass(frozen=True)
class Weakly:
    """A claim, given by its sides, where `assume` is positive, and `weak` and every nonnegative
    symbol is not negative.
    """

    judge: Judge
    sides: Sides
    assume: Sides
    weak: Sides

    @property
    def expressions(self) -> Sides:
        return (*self.sides, *self.assume, *self.weak)

    def at(self, values: Mapping[Symbol, Expr]) -> Weakly:
        """The same with symbols replaced."""
        groups = (self.sides, self.assume, self.weak)
        return Weakly(self.judge, *(tuple(put_in(e, values) for e in group) for group in groups))

    def decide(self) -> Decision:
        """Where a nonnegative symbol, or else the first weak assumption, is positive; and where it
        is 0.
        """
        symbols = set().union(*(e.free_symbols for e in self.expressions))
        for symbol in sorted(symbols, key=lambda symbol: symbol.name):
            if symbol.is_nonnegative and not symbol.is_positive:
                return self._with_symbol(symbol)
        if not self.weak:
            return self.judge(self.sides, self.assume)
        e, *rest = self.weak
        without = replace(self, weak=tuple(rest))
        if _value(e).is_negative:
            return undecided(f"the assumption {e} >= 0 never holds")
        return without.decide() if _value(e).is_nonnegative else without._with(e)

    def _with_symbol(self, symbol: Symbol) -> Decision:
        """A nonnegative symbol is positive or zero; that it is not negative is its declaration and
        no condition.
        """
        positive = Symbol(symbol.name, positive=True)
        if any(positive in e.free_symbols for e in self.expressions):
            raise ValueError(
                f"symbol {symbol.name}: occurs twice with different assumptions; declare it once"
            )
        inside = _renamed(self.at({symbol: positive}).decide(), positive, symbol)
        if inside.refuted:
            return inside
        zero = Integer(0)
        return _combined(inside, self._on_boundary(symbol, zero), symbol, {symbol: zero})

    def _with(self, e: Expr) -> Decision:
        """Where e is positive, and where it is 0: a symbol is solved for."""
        inside = replace(self, assume=(*self.assume, e)).decide()
        root = root_of(e)
        if inside.refuted or (root is None and not inside.holds):
            return inside
        if root is not None:
            return _combined(inside, self._on_boundary(*root), e, dict([root]))
        everywhere = self.decide()
        if everywhere.holds:
            return _combined(inside, everywhere, e, {})
        return _open(
            inside,
            f"where it is 0 the claim is not decided: no symbol of {e} could be solved for",
            e,
        )

    def _on_boundary(self, symbol: Symbol, value: Expr) -> Decision | None:
        """With the value put in; None where the claim has no value there."""
        there = self.at({symbol: value})
        if symbol.is_positive and value.is_positive is not True:
            there = replace(there, assume=(*there.assume, value))
        if any(_value(a).is_nonpositive for a in there.assume):
            return Decision(Answer.PROVED, "no point of the boundary satisfies the assumptions")
        if any(map(_has_no_value, there.expressions)):
            return None
        decision = there.decide()
        if decision.witness is None:
            return decision
        point = dict.fromkeys(value.free_symbols, Integer(1)) | dict(
            decision.witness.point
        )  # those that the claim is free of
        ordered = sorted([*point.items(), (symbol, value.subs(point))], key=lambda x: x[0].name)
        return replace(decision, witness=replace(decision.witness, point=tuple(ordered)))


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
    return Weakly(judge, sides, assume, weak).decide()


def _combined(
    inside: Decision, boundary: Decision | None, e: Expr, values: Mapping[Symbol, Expr]
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


def _open(inside: Decision, why: str, e: Expr) -> Decision:
    return undecided(f"{inside.answer.value} where {e} > 0; {why}")


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
