"""How an answer spells what it speaks of: in the letters of the claim, as plain text or as LaTeX."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Derivative, Expr, Rational, Symbol, powsimp
from sympy.printing.str import StrPrinter

from ..data.notation import DEFAULT, Notation

#: Longer expressions are not rewritten before they are printed.
MOST_PARTS = 60
#: From here on a power of ten is written as one, and beyond it a fraction as a decimal.
MANY_ZEROS, LARGEST_DENOMINATOR = 10**6, 12


@dataclass(frozen=True)
class Spelling:
    """Plain text for a plain claim, LaTeX for one in LaTeX."""

    latex: bool = False

    def __call__(self, expression: Expr, notation: Notation = DEFAULT) -> str:
        """The expression, whose letters are those of the claim or of a notation."""
        from ..typeset.plain import plain
        from ..typeset.printer import render

        return (render if self.latex else plain)(expression, notation=notation)

    def name(self, letter: Symbol) -> str:
        """A letter, as in the point of a witness."""
        return self(letter) if self.latex else str(letter)

    def simplest(self, expression: Expr) -> str:
        """The shortest of a few ways to write the expression."""
        if expression.count_ops() > MOST_PARTS:
            return self(expression)
        ways = [powsimp(expression, combine="exp")]
        if expression.is_rational_function():
            ways += [expression.cancel(), expression.factor()]
        return min(map(self, ways), key=len)


PLAIN = Spelling()


class _AsRead(StrPrinter):
    """Every product with its star, decimals as decimals."""

    def _print_Rational(self, expression: Rational) -> str:
        from ..typeset.layout import decimal_text, is_decimal

        is_typed = is_decimal(expression)
        return decimal_text(expression) if is_typed else super()._print_Rational(expression)

    def _print_Derivative(self, expression: Derivative) -> str:
        body = self._print(expression.expr)
        for variable, order in expression.variable_count:
            body = f"d/d{variable} " * order + f"({body})"
        return body


def as_read(expression: Expr) -> str:
    """The expression as it was read, in the names of the tool: `C*N_opt(C)`."""
    return str(_AsRead().doprint(expression)).replace("**", "^").replace('"', "")


def value_text(value: Expr) -> str:
    """A value of a letter: `1/3`, `482.01`, `10^21`."""
    from ..typeset.plain import plain

    if value.is_Integer and value >= MANY_ZEROS and set(str(value)[1:]) == {"0"}:
        power = f"10^{len(str(value)) - 1}"
        return power if str(value)[0] == "1" else f"{str(value)[0]}*{power}"
    return str(value) if value.is_Rational and value.q <= LARGEST_DENOMINATOR else plain(value)
