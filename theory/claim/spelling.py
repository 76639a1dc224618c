"""Expressions as text for an answer, in the letters of the claim."""

from __future__ import annotations

from sympy import Expr, Rational
from sympy.printing.str import StrPrinter

from ..data.notation import DEFAULT, Notation

#: A fraction with a larger denominator is written as a decimal.
LARGEST_DENOMINATOR = 12


def spelt(expression: Expr, *, latex: bool, notation: Notation = DEFAULT) -> str:
    """The expression as plain text or LaTeX; a notation spells canonical letters."""
    from ..typeset.plain import plain
    from ..typeset.printer import render

    return (render if latex else plain)(expression, notation=notation)


class _AsRead(StrPrinter):
    """Prints every product with its star, decimals as decimals, values at a point in words."""

    def _print_Rational(self, expression: Rational) -> str:
        from ..typeset.layout import decimal_text, is_decimal

        is_typed = is_decimal(expression)
        return decimal_text(expression) if is_typed else super()._print_Rational(expression)

    def _print_Exp1(self, expression: Expr) -> str:
        return "e"  # E is a letter of the law

    def _print_Subs(self, expression: Expr) -> str:
        of, letters, values = expression.args
        pairs = zip(map(self._print, letters), map(self._print, values), strict=True)
        return f"({self._print(of)} at {', '.join(f'{x} = {value}' for x, value in pairs)})"


def as_read(expression: Expr) -> str:
    """The expression as it was read, in the names of the tool: `C*N_opt(C)`."""
    return str(_AsRead().doprint(expression)).replace("**", "^").replace('"', "")


def value_text(value: Expr) -> str:
    """A value of a letter: `1/3`, `482.01`."""
    is_short = value.is_Rational and value.q <= LARGEST_DENOMINATOR
    return str(value) if is_short else spelt(value, latex=False)
