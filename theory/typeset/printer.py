r"""Expressions in LaTeX as a paper sets them.

The order of terms and factors is that of `isoflop.theory.typeset.layout`; symbolic powers stay on the
line (``A N^{-\beta}``), and the letters are those of the chosen notation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import ClassVar, TypeVar

from sympy import Add, Expr, Function, Mul, Rational, Symbol, log
from sympy.core.alphabets import greeks
from sympy.core.function import AppliedUndef
from sympy.printing.latex import LatexPrinter

from ..data.notation import DEFAULT, Notation
from ..data.notation import notation as find_notation
from ..kernel.symbols import QUANTITIES
from ..kernel.symbols import C as COMPUTE
from ..theorem.step import RELATIONS
from .escapes import latex_words
from .layout import AT, OPTIMAL, Conventional, decimal_text, is_decimal

SIGNS = {
    "propto": r"\propto",
    "=": "=",
    "!=": r"\ne",
    **RELATIONS,
}
GREEK = frozenset(greeks)
UPRIGHT_INDICES = {"eff": r"\mathrm{eff}", "max": r"\max"}
NAMES = {"alpha_C": r"\alpha_C", "infinity": r"\infty", "Delta C": r"\Delta C"}
Part = TypeVar("Part")
#: The ends of the labels of compute-optimal values.
MARKS_OF_OPTIMA = ("^{*}", r"_{\mathrm{opt}}")
#: A digit, or the power of a number.
NUMBER_AT_THE_END = re.compile(r"\d$|(?<![\w.^_}])\d[\d.]*\^\{[^{}]*\}$")
#: Stretched brackets around something no taller than a letter or an optimum.
UNSTRETCHED = re.compile(
    r"\\left\(((?:\^\{\*\}|(?!\\left|\\right|\\frac|\\sqrt|\^|[()]).)*)\\right\)"
)
#: An integer that ends in this many zeros is written with a power of ten.
MANY_ZEROS = 6
#: An exponent longer than this is set as a fraction rather than on the line.
LONGEST_INLINE_EXPONENT = 17
#: A mark that LaTeX sets beside others: a letter, a sign or a macro; a bracket is one mark.
MARK = re.compile(r"(?:\\left|\\right)(?![A-Za-z])|(\\[A-Za-z]+|\\.|[^\s{}^_&\\])")
#: The widths, in marks, of macros that are wider than one.
WIDE = {r"\qquad": 4, r"\log": 3, r"\exp": 3}
#: The styles of a fraction: displayed; small, inside a fraction or an exponent; and with a slash, in
#: a line of text.
DISPLAY, SMALL, INLINE = "display", "small", "inline"


class PaperPrinter(Conventional, LatexPrinter):
    """A LaTeX printer for the letters of a notation.

    Parameters
    ----------
    spelling : Notation
    arguments : bool
        Print N*(C) rather than N*; an argument other than C is always printed.
    """

    signs: ClassVar[Mapping[str, str]] = SIGNS

    def __init__(self, spelling: Notation, *, arguments: bool = False) -> None:
        super().__init__()
        self.spelling = spelling
        self.arguments = arguments
        self.style = DISPLAY

    def words(self, text: str) -> str:
        """The LaTeX of words between formulas."""
        return latex_words(text)

    def in_text(self, formula: str) -> str:
        """The LaTeX of a formula among words."""
        return f"${formula}$"

    def doprint(self, expr: Expr) -> str:
        return snug(super().doprint(expr))

    def on_the_line(self, expr: Expr) -> str:
        """The LaTeX of an expression in a line of text, its fractions with a slash."""
        return self._styled(INLINE, self.doprint, expr)

    def _styled(self, style: str, printed: Callable[[Part], str], part: Part) -> str:
        """The LaTeX of a part in a style."""
        outer, self.style = self.style, style
        try:
            return printed(part)
        finally:
            self.style = outer

    def bracket(self, text: str) -> str:
        return rf"\left({text}\right)"

    def fraction(self, above: list[Expr], below: list[Expr], *, alone: bool) -> str:
        if self.style == INLINE:
            over, under = self.product(above), self.product(below)
            is_sum = len(above) == 1 and isinstance(above[0], Add)
            if is_sum or divided(over) or isinstance(above[-1], log):
                over = self.bracket(over)
            if len(below) > 1 or isinstance(below[0], Add | Mul) or divided(under):
                under = self.bracket(under)
            text = f"{over}/{under}"
            return text if alone else self.bracket(text)
        is_flat = len(below) == 1 and not any(isinstance(f, Add) for f in (*above, *below))
        has_slash = self.style == SMALL and alone and is_flat
        over, under = (self._styled(SMALL, self.product, part) for part in (above, below))
        return f"{over}/{under}" if has_slash else rf"\frac{{{over}}}{{{under}}}"

    def raised(self, base: str, exponent: Expr) -> str:
        text = self._styled(INLINE, self._print, exponent)
        if length(text) > LONGEST_INLINE_EXPONENT:
            text = self._styled(SMALL, self._print, exponent)
        return f"{base}^{{{text}}}"

    def root(self, inside: Expr) -> str:
        return rf"\sqrt{{{self._print(inside)}}}"

    def needs_bracket(self, base: Expr) -> bool:
        if isinstance(base, AppliedUndef) and not str(base.func).endswith((AT, OPTIMAL)):
            return False
        text = self._print(base)
        return super().needs_bracket(base) or "^" in text or text.endswith(")")

    def separator(self, left: str, right: str) -> str:
        """A dot between numbers, and before brackets that could be the argument of an optimum."""
        if right.startswith(r"\mathrm{"):
            return r" \, "
        is_value = left.endswith(MARKS_OF_OPTIMA) and right.startswith((r"\left(", "("))
        numbers = right[0].isdigit() and bool(NUMBER_AT_THE_END.search(left))
        return r" \cdot " if is_value or numbers else " "

    def _print_Symbol(self, expr: Symbol, style: str = "plain") -> str:
        known = symbol_latex(expr.name, self.spelling)
        return known or indexed_latex(expr.name) or super()._print_Symbol(expr, style)

    def _print_Integer(self, expr: Rational) -> str:
        mantissa = str(expr).rstrip("0")
        zeros = len(str(expr)) - len(mantissa)
        if zeros < MANY_ZEROS:
            return str(expr)
        times = rf"{mantissa} \cdot " if mantissa not in ("1", "-1") else mantissa[:-1]
        return f"{times}10^{{{zeros}}}"

    def _print_Rational(self, expr: Rational) -> str:
        if is_decimal(expr):
            return decimal_text(expr)
        sign = "-" if expr.is_negative else ""
        return sign + self.fraction([Rational(abs(expr.p))], [Rational(expr.q)], alone=True)

    def _print_AppliedUndef(self, expr: Expr) -> str:
        name, arguments = str(expr.func), ", ".join(map(self._print, expr.args))
        if name.endswith(AT):
            at = arguments if expr.args[0].is_Symbol else self.bracket(arguments)
            return rf"\mathrm{{{name.removesuffix(AT)}}}@{at}"
        if not name.endswith(OPTIMAL):
            return (rf"\{name}" if name in GREEK else name) + self.bracket(arguments)
        label = optimum_latex(name.removesuffix(OPTIMAL), self.spelling)
        shown = self.arguments or expr.args != (COMPUTE,)
        return label + self.bracket(arguments) if shown else label

    def _print_Subs(self, expr: Expr) -> str:
        function, letters, values = expr.args
        point = ", ".join(
            f"{self._print(x)} = {self._styled(INLINE, self._print, value)}"
            for x, value in zip(letters, values, strict=True)
        )
        inside = self._print(function)
        inside = self.bracket(inside) if isinstance(function, Add) else inside
        return rf"\left. {inside} \right|_{{{point}}}"

    def _print_hyperbolic(self, expr: Expr, exp: str | None = None) -> str:
        return rf"\{expr.func.__name__}\left({self._print(expr.args[0])}\right)"

    _print_cosh = _print_sinh = _print_tanh = _print_hyperbolic

    def _print_log(self, expr: Expr, exp: str | None = None) -> str:
        argument = self._print(expr.args[0])
        return rf"\log {argument}" if expr.args[0].is_Symbol else rf"\log\left({argument}\right)"

    def _print_ExpBase(self, expr: Expr, exp: str | None = None) -> str:
        argument, text = expr.args[0], self._print(expr.args[0])
        is_long = length(text) > LONGEST_INLINE_EXPONENT
        if isinstance(argument, Add) or argument.atoms(Function) or is_long:
            return rf"\exp\left({text}\right)"
        return self.raised("e", argument)


def divided(latex: str) -> bool:
    """Whether the LaTeX has a slash outside all brackets and braces."""
    depth = 0
    for mark in re.findall(r"[{}()/]", latex):
        if mark == "/" and not depth:
            return True
        depth += (mark in "{(") - (mark in "})")
    return False


def length(latex: str) -> int:
    r"""The length of LaTeX on the page in marks, each about five points wide.

    >>> length(r"\frac{\beta \gamma}{\beta + \gamma}")
    6
    """
    return sum(WIDE.get(mark, 1) for mark in MARK.findall(latex) if mark)


def snug(latex: str) -> str:
    """The LaTeX with plain brackets, rather than stretched ones, around low expressions."""
    return UNSTRETCHED.sub(r"(\1)", latex)


def render(expr: Expr, notation: str | Notation = DEFAULT) -> str:
    r"""The expression in LaTeX, as a paper sets it.

    Parameters
    ----------
    expr : sympy.Expr
        In the symbols of the package; others are printed as SymPy prints them.
    notation : {"schaeffer", "hoffmann"}

    Examples
    --------
    >>> from isoflop.theory.envelope import derive
    >>> print(render(derive().form.loss))
    E + A N^{-\beta} + B D^{-\gamma}
    >>> print(render(derive().exponent, "hoffmann"))
    \frac{\alpha \beta}{\alpha + \beta}
    """
    return PaperPrinter(find_notation(notation), arguments=True).doprint(expr)


def symbol_latex(name: str, spelling: Notation) -> str | None:
    """The LaTeX of a symbol of the theory by its canonical name; None for any other name."""
    stem, _, index = name.partition("_")
    if stem in ("w", "k") and index:
        return f"{stem}_{_braced(symbol_latex(index, spelling) or index)}"
    if stem in ("beta", "gamma") and index:
        return f"{spelling.latex(stem)}_{_braced(index)}"
    if index == "crit":
        return rf"{symbol_latex(stem, spelling) or stem}_{{\mathrm{{crit}}}}"
    if index in UPRIGHT_INDICES and stem in ("N", "D", "C"):
        return f"{spelling.latex(stem)}_{{{UPRIGHT_INDICES[index]}}}"
    if name in QUANTITIES:
        return spelling.symbols.get(name, QUANTITIES[name].latex)
    return {**NAMES, **spelling.symbols}.get(name)


def indexed_latex(name: str) -> str | None:
    r"""The LaTeX of a letter with an index, `Q_{\max}` for `Q_max`; None for a name that SymPy prints
    well, as it does `x_1`.
    """
    stem, _, index = name.partition("_")
    is_long = len(name) > len("x_1") and (len(stem) == 1 or stem in GREEK)
    return f"{_letters(stem)}_{_braced(_letters(index))}" if index and is_long else None


def _braced(index: str) -> str:
    return index if len(index) == 1 else f"{{{index}}}"


def _letters(text: str) -> str:
    """The LaTeX of one part of a name: a Greek letter, a letter, a number, or a word set upright."""
    if text in GREEK or text in ("max", "min"):
        return f"\\{text}"
    return text if len(text) == 1 or text.isdigit() else rf"\mathrm{{{text}}}"


def optimum_latex(name: str, spelling: Notation) -> str:
    """The label of a compute-optimal value, with the mark that the notation has for N."""
    known = spelling.symbols
    if name + OPTIMAL in known:
        return known[name + OPTIMAL]
    letter = PaperPrinter(spelling).doprint(Symbol(name))
    mark = known["N" + OPTIMAL].removeprefix(known["N"])
    return f"{{{letter}}}{mark}" if mark[0] in letter else f"{letter}{mark}"
