r"""LaTeX as a paper sets it: expressions, align blocks, theorems with their proofs, tables.

The order of terms and factors is that of `isoflop.theory.text`; symbolic powers stay on the line (``A N^{-\beta}``), and the
letters are those of the chosen notation. The fragments need the packages amsmath, amsthm (with an environment ``theorem``)
and booktabs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sympy import Add, Expr, Function, Mul, Pow, Rational, Symbol
from sympy.printing.latex import LatexPrinter

from isoflop.theory.claim import RELATIONS, ByLeadingTerm, Claim, Derivation
from isoflop.theory.envelope import Envelope
from isoflop.theory.notation import DEFAULT, Notation, notation as find_notation
from isoflop.theory.parse import ParseError, parse
from isoflop.theory.penalty import Misallocation
from isoflop.theory.symbols import QUANTITIES
from isoflop.theory.text import (
    EXPONENTS,
    OPTIMAL,
    Conventional,
    Equation,
    Line,
    Section,
    abbreviated,
    check_spelling,
    decimal_text,
    envelope_lines,
    is_decimal,
    law_lines,
    misallocation_sections,
    side_conditions,
)

__all__ = ["envelope_latex", "misallocation_latex", "penalty_table_latex", "render", "theorem_latex"]

SIGNS = {"~": r"\sim", "->": r"\to", ">": ">", "=": "=", "!=": r"\ne", **RELATIONS}
NAMES = {
    "C_eff": r"C_{\mathrm{eff}}",
    "Delta C": r"\Delta C",
    "N_crit": r"N_{\mathrm{crit}}",
    "D_crit": r"D_{\mathrm{crit}}",
    "infinity": r"\infty",
}


# -- expressions -------------------------------------------------------------------------------------------------------


class PaperPrinter(Conventional, LatexPrinter):
    """A SymPy LaTeX printer of its own: nothing global is changed.

    Parameters
    ----------
    spelling : Notation
    arguments : bool
        Print N*(C) rather than N*; an argument other than C is always printed.
    """

    def __init__(self, spelling: Notation, *, arguments: bool = False) -> None:
        super().__init__()
        self.spelling = spelling
        self.arguments = arguments
        self.small = False

    def bracket(self, text: str) -> str:
        return rf"\left({text}\right)"

    def fraction(self, above: list[Expr], below: list[Expr], *, alone: bool) -> str:
        if self.small and len(below) == 1 and not any(isinstance(f, Add) for f in (*above, *below)):
            return f"{self._inner(above)}/{self._inner(below)}"
        return rf"\frac{{{self._inner(above)}}}{{{self._inner(below)}}}"

    def _inner(self, factors: list[Expr]) -> str:
        """Numerator or denominator: a fraction inside is set on the line."""
        return self._small(lambda: self.product(factors))

    def _small(self, printed: Callable[[], str]) -> str:
        before, self.small = self.small, True
        try:
            return printed()
        finally:
            self.small = before

    def raised(self, base: str, exponent: Expr) -> str:
        return f"{base}^{{{self._small(lambda: self._print(exponent))}}}"

    def root(self, inside: Expr) -> str:
        return rf"\sqrt{{{self._print(inside)}}}"

    def reciprocal(self, base: Expr) -> str:
        return self.fraction([Rational(1)], [base], alone=True)

    def needs_bracket(self, base: Expr) -> bool:
        return super().needs_bracket(base) or ("^" in self._print(base)) or self._print(base).endswith(")")

    def separator(self, left: str, right: str) -> str:
        return r" \cdot " if left[-1].isdigit() and right[0].isdigit() else " "

    def _print_Symbol(self, expr: Symbol, style: str = "plain") -> str:
        return symbol_latex(expr.name, self.spelling) or super()._print_Symbol(expr, style)

    def _print_Rational(self, expr: Rational) -> str:
        if is_decimal(expr):
            return decimal_text(expr)
        sign = "-" if expr.is_negative else ""
        return sign + self.fraction([Rational(abs(expr.p))], [Rational(expr.q)], alone=True)

    def _print_AppliedUndef(self, expr: Expr) -> str:
        name, arguments = str(expr.func), ", ".join(map(self._print, expr.args))
        if not name.endswith(OPTIMAL):
            return rf"{name}({arguments})"
        label = optimum_latex(name.removesuffix(OPTIMAL), self.spelling)
        return f"{label}({arguments})" if self.arguments or arguments != "C" else label

    def _print_Function(self, expr: Expr, exp: str | None = None) -> str:
        if isinstance(expr, Function) and hasattr(type(expr), "class_key") and expr.func.__name__ == "acosh":
            return rf"\operatorname{{arcosh}}\left({self._print(expr.args[0])}\right)"
        if not expr.func.__module__ or expr.func.__name__.endswith(OPTIMAL) or expr.func.__name__ in "LP":
            return self._print_AppliedUndef(expr)
        return super()._print_Function(expr, exp)

    def _print_log(self, expr: Expr, exp: str | None = None) -> str:
        argument = self._print(expr.args[0])
        return rf"\log {argument}" if expr.args[0].is_Symbol else rf"\log\left({argument}\right)"

    def _print_ExpBase(self, expr: Expr, exp: str | None = None) -> str:
        return self.raised("e", expr.args[0])
