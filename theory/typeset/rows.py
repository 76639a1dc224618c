r"""Displayed formulas: one row where a formula is short, and where it is long one at each relation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sympy import Add, Expr, Mul

from ..theorem.words import Formula
from .layout import ordered_factors, ordered_terms, quotient
from .printer import PaperPrinter, length, snug

__all__ = ["closed", "display", "parts_of"]

#: A row holds so many marks, which are about 140 characters of LaTeX; no paper is narrower in one
#: column.
LONG = 56
#: The end of a display, with what may stand behind its full stop.
END_OF_DISPLAY = re.compile(r"\n\s*\\(?:\]|end\{\w+\*\})$")


def parts_of(formula: Formula, printer: PaperPrinter) -> list[str]:
    """The first side, and the others with their signs; the conditions stand behind the last where
    there is room for them.
    """
    first, *others = (_broken(side, printer) for side in formula.sides)
    signed = (
        [f"{printer.signs.get(sign, sign)} {start}", *more]
        for sign, (start, *more) in zip(formula.signs, others, strict=True)
    )
    parts = [*first, *(part for side in signed for part in side)]
    if not formula.where:
        return parts
    texts = (" ".join(parts_of(condition, printer)) for condition in formula.where)
    note = rf"\qquad {snug(printer.bracket(', '.join(texts)))}"
    if length(f"{parts[-1]} {note}") > LONG:
        return [*parts, note]
    return [*parts[:-1], f"{parts[-1]} {note}"]


def _broken(side: Expr, printer: PaperPrinter) -> list[str]:
    """One side; of a sum or product that is longer than a row its terms or factors, row by row."""
    text = printer.doprint(side)
    if length(text) <= LONG or not isinstance(side, Add | Mul) or quotient(side).denominator:
        return [text]
    if isinstance(side, Add):
        first, *terms = map(printer.doprint, ordered_terms(side))
        pieces = [first, *(t if t.startswith("-") else f"+ {t}" for t in terms)]
    else:
        pieces = [printer.factor(factor) for factor in ordered_factors(side)]
    rows = [pieces[0]]
    for piece in pieces[1:]:
        longer = f"{rows[-1]} {piece}"
        rows = [*rows[:-1], longer] if length(longer) <= LONG else [*rows, rf"\qquad {piece}"]
    return rows


def _rows(parts: Sequence[str]) -> list[str]:
    """One row, or several with "&" where they are aligned."""
    first, *others = parts
    if not others or length(" ".join(parts)) <= LONG:
        return [" ".join(parts)]
    if length(first) + max(map(length, others)) <= LONG:
        return [f"{first} &{others[0]}", *(f"&{other}" for other in others[1:])]
    return [f"&{first}", *(rf"&\quad {other}" for other in others)]


def display(formulas: Sequence[Sequence[str]], end: str) -> str:
    r"""Formulas, each as its `parts_of`, as one display, as many to a row as there is room for.

    >>> print(display([["a", "= b"], ["c", "= d"]], "."))
      \[
        a = b, \qquad c = d.
      \]
    """
    if len(formulas) == 1 and len(rows := _rows(formulas[0])) > 1:
        return _environment("align*", rows, end)
    filled = [""]
    for formula in formulas:
        rows = _rows(formula)
        row = rows[0]
        if len(rows) > 1:
            inside = " \\\\\n    ".join(rows)
            row = f"\\begin{{aligned}}\n    {inside}\n    \\end{{aligned}}"
        longer = rf"{filled[-1]}, \qquad {row}" if filled[-1] else row
        if len(rows) == 1 and length(longer) <= LONG:
            filled[-1] = longer
        else:
            filled += [row]
    rows = [row for row in filled if row]
    if len(rows) == 1:
        return f"  \\[\n    {rows[0]}{end}\n  \\]"
    return _environment("gather*", [*(f"{row}," for row in rows[:-1]), rows[-1]], end)


def _environment(name: str, rows: Sequence[str], end: str) -> str:
    inside = " \\\\\n    ".join(rows)
    return f"  \\begin{{{name}}}\n    {inside}{end}\n  \\end{{{name}}}"


def closed(item: str) -> str:
    """The last step of a proof with the square of its end on the last line, rather than below it."""
    end = END_OF_DISPLAY.search(item)
    return rf"{item[: end.start()]} \qedhere{end[0]}" if end else item
