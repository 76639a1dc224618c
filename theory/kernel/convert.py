"""SymPy expressions to normal forms."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Abs, Expr, Symbol, exp, log, sympify

from .arithmetic import Arithmetic, MustBePositive, NormalForm, OutsideScope
from .deadline import check
from .field import CoefficientField
from .functions import meaning
from .sample import not_real


def normal_forms(
    expressions: Sequence[Expr], assume: Sequence[Expr] = ()
) -> tuple[Arithmetic, list[NormalForm]]:
    """The normal forms of the expressions where the assumed ones are positive, and their arithmetic.

    Raises
    ------
    OutsideScope
        If an expression or an assumption has no normal form.
    """
    symbols = set[Symbol]().union(*(e.free_symbols for e in (*expressions, *assume)))
    needed: list[Expr] = []
    while True:
        arithmetic = Arithmetic(CoefficientField(symbols))
        try:
            for assumption in (*assume, *needed):
                arithmetic.assume_positive(_normal_form(assumption, arithmetic))
            arithmetic.positive += needed
            return arithmetic, [_normal_form(e, arithmetic) for e in expressions]
        except MustBePositive as found:
            if found.condition in needed:
                raise OutsideScope(f"the sign of {found.condition} is not settled") from found
            needed.append(found.condition)


def _normal_form(expression: Expr, arithmetic: Arithmetic) -> NormalForm:
    """The normal form of a SymPy expression; side conditions are recorded in `arithmetic`.

    Raises
    ------
    OutsideScope
        For floats, complex constants, symbols that are not declared real, and functions other than
        exp, log, Abs, the hyperbolic ones and functions that carry their own `definition()`.
    """
    return _Converter(arithmetic).convert(sympify(expression, strict=True))


class _Converter:
    def __init__(self, arithmetic: Arithmetic) -> None:
        self.arithmetic = arithmetic
        self.seen: dict[Expr, NormalForm] = {}

    def convert(self, expression: Expr) -> NormalForm:
        if expression not in self.seen:
            check()
            self.seen[expression] = self._convert(expression)
        return self.seen[expression]

    def _convert(self, e: Expr) -> NormalForm:
        arithmetic, field = self.arithmetic, self.arithmetic.field
        if e.is_Symbol:
            if e.is_real is not True:
                raise OutsideScope(not_real([e]))
            return arithmetic.constant(field.generator[e])
        if e.is_Rational:
            if not e.is_finite:
                raise OutsideScope(f"{e} is not a number")
            return arithmetic.constant(field.rational(int(e.p), int(e.q)))
        if e.is_Float:
            raise OutsideScope(f"{e} is a floating-point number; write exact decimals or fractions")
        if e.is_Add:
            total: NormalForm = {}
            for argument in e.args:
                total = arithmetic.add(total, self.convert(argument))
            return total
        if e.is_Mul:
            product = arithmetic.constant(field.one)
            for argument in e.args:
                product = arithmetic.multiply(product, self.convert(argument))
            return product
        if e is exp(1):
            return arithmetic.exp(arithmetic.constant(field.one))
        if isinstance(e, exp):
            return arithmetic.exp(self.convert(e.args[0]))
        if e.is_Pow:
            if e.base is exp(1):
                return arithmetic.exp(self.convert(e.exp))
            return arithmetic.power(self.convert(e.base), self.convert(e.exp))
        if isinstance(e, log):
            inside = e.args[0]
            if inside.is_Pow and inside.base.is_positive:
                return self.convert(inside.exp * log(inside.base))
            return arithmetic.log(self.convert(inside))
        if isinstance(e, Abs):
            return arithmetic.absolute(self.convert(e.args[0]))
        if (meant := meaning(e)) is not None:
            return [self.convert(part) for part in (*e.args, meant)][-1]  # with their conditions
        raise OutsideScope(f"{e.func.__name__} is outside the normal form: {e}")
