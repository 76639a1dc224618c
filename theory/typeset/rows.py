r"""Displayed formulas: one row for a short formula, and a row for each relation of a long one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sympy import Add, Expr, Mul

from ..theorem.words import Formula
from .layout import ordered_factors, ordered_terms, quotient
from .printer import PaperPrinter, length, snug

__all__ = ["closed", "display", "parts_of"]

#: The most marks in a row, as `length` counts them: about 140 characters of LaTeX, which fit the
#: column of every one-column paper.
LONG = 56
#: Between two rows.
ROW = " \\\\\n    "
#: The end of a display, behind its full stop.
END_OF_DISPLAY = re.compile(r"\n\s*\\(?:\]|end\{\w+\*\})$")


def parts_of(
    formula: Formula, printer: PaperPrinter, labels: PaperPrinter | None = None
) -> list[str]:
    """The left side, which `labels` prints, and each other side behind its sign; the conditions stand
    behind the last one where there is room for them.
    """
    parts = _broken(formula.sides[0], labels or printer)
    for sign, side in zip(formula.signs, formula.sides[1:], strict=True):
        start, *more = _broken(side, printer)
        parts += [f"{printer.signs.get(sign, sign)} {start}", *more]
    if formula.remainder is not None:
        parts[-1] += f" + O{snug(printer.bracket(printer.doprint(formula.remainder)))}"
    if formula.where:
        texts = (" ".join(parts_of(condition, printer)) for condition in formula.where)
        note = rf"\qquad {snug(printer.bracket(', '.join(texts)))}"
        parts = [*parts[:-1], *_filled([parts[-1], note], " ")]
    return parts


def _broken(side: Expr, printer: PaperPrinter) -> list[str]:
    """The LaTeX of one side, in several rows if it is a sum or a product longer than one."""
    text = printer.doprint(side)
    if length(text) <= LONG or not isinstance(side, Add | Mul) or quotient(side).denominator:
        return [text]
    if isinstance(side, Mul):
        pieces = [printer.factor(factor) for factor in ordered_factors(side)]
    else:
        first, *terms = map(printer.doprint, ordered_terms(side))
        pieces = [first, *(t if t.startswith("-") else f"+ {t}" for t in terms)]
    first, *others = _filled(pieces, " ")
    return [first, *(rf"\qquad {row}" for row in others)]


def _filled(pieces: Sequence[str], between: str) -> list[str]:
    """Rows with as many pieces each as fit; a piece of several rows gets rows of its own."""
    rows = list(pieces[:1])
    for piece in pieces[1:]:
        longer = f"{rows[-1]}{between}{piece}"
        has_room = length(longer) <= LONG and "\n" not in longer
        rows = [*rows[:-1], longer] if has_room else [*rows, piece]
    return rows


def _rows(parts: Sequence[str]) -> list[str]:
    """One row, or several with "&" where LaTeX aligns them."""
    first, *others = parts
    if not others or length(" ".join(parts)) <= LONG:
        return [" ".join(parts)]
    if length(first) + max(map(length, others)) <= LONG:
        return [f"{first} &{others[0]}", *(f"&{other}" for other in others[1:])]
    return [f"&{first}", *(rf"&\quad {other}" for other in others)]


def display(formulas: Sequence[Sequence[str]], end: str) -> str:
    r"""One display of formulas, each given by its `parts_of`, with as many in a row as fit.

    >>> print(display([["a", "= b"], ["c", "= d"]], "."))
      \[
        a = b, \qquad c = d.
      \]
    """
    several = [_rows(formula) for formula in formulas]
    if len(several) == 1 and len(several[0]) > 1:
        return _environment("align*", several[0], end)
    blocks = [
        rows[0]
        if len(rows) == 1
        else f"\\begin{{aligned}}\n    {ROW.join(rows)}\n    \\end{{aligned}}"
        for rows in several
    ]
    rows = _filled(blocks, r", \qquad ")
    if len(rows) == 1:
        return f"  \\[\n    {rows[0]}{end}\n  \\]"
    return _environment("gather*", [*(f"{row}," for row in rows[:-1]), rows[-1]], end)


def _environment(name: str, rows: Sequence[str], end: str) -> str:
    return f"  \\begin{{{name}}}\n    {ROW.join(rows)}{end}\n  \\end{{{name}}}"


def closed(item: str) -> str:
    """The last step of a proof, with the square that ends it on the last line rather than below."""
    end = END_OF_DISPLAY.search(item)
    return rf"{item[: end.start()]} \qedhere{end[0]}" if end else item
