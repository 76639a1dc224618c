"""Formulas in plain text for a terminal, which the package's reader reads back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sympy import Expr, Rational, Symbol
from sympy.printing.str import StrPrinter

from ..data.notation import DEFAULT, Notation
from ..data.notation import notation as find_notation
from .layout import AT, OPTIMAL, Conventional, decimal_text, is_decimal


class PlainPrinter(Conventional, StrPrinter):
    """`E + A N^-beta + B D^-gamma`: a space multiplies, as for the package's reader."""

    signs: ClassVar[Mapping[str, str]] = {"propto": "is proportional to"}

    def __init__(self, spelling: Notation) -> None:
        super().__init__()
        self.names = spelling.names()
        self.optimum_mark = "*" if "*" in spelling.latex("N_opt") else OPTIMAL

    def words(self, text: str) -> str:
        """The text as it is: words need no escaping, and a formula among them no marks."""
        return text

    in_text = words

    def on_the_line(self, expression: Expr) -> str:
        """The text of an expression in a line of words."""
        return self.doprint(expression)

    def _print_Symbol(self, expression: Symbol) -> str:
        name = expression.name
        return name if name.startswith("w_") else self.names.get(name, name)

    def _print_Rational(self, expression: Rational) -> str:
        is_typed = is_decimal(expression)
        return decimal_text(expression) if is_typed else f"{expression.p}/{expression.q}"

    def _print_AppliedUndef(self, expression: Expr) -> str:
        name = str(expression.func)
        if name.endswith(OPTIMAL):
            name = name.removesuffix(OPTIMAL) + self.optimum_mark
        if name.endswith(AT) and expression.args[0].is_Symbol:
            return name + self._print(expression.args[0])
        return f"{name}({', '.join(map(self._print, expression.args))})"

    def _print_Subs(self, expression: Expr) -> str:
        old, new = (map(self._print, part) for part in expression.args[1:])
        place = ", ".join(f"{x} = {value}" for x, value in zip(old, new, strict=True))
        return f"({self._print(expression.args[0])} at {place})"

    def _print_Function(self, expression: Expr) -> str:
        return f"{expression.func.__name__}({', '.join(map(self._print, expression.args))})"


def plain(expression: Expr, *, notation: str | Notation = DEFAULT) -> str:
    """The expression in plain text, in the order of a paper.

    Examples
    --------
    >>> from isoflop.theory.envelope import derive
    >>> print(plain(derive().params))
    (beta A/(gamma B))^(1/(beta + gamma)) (C/6)^(gamma/(beta + gamma))
    >>> print(plain(derive().exponent, notation="hoffmann"))
    alpha beta/(alpha + beta)
    """
    return PlainPrinter(find_notation(notation)).doprint(expression)
