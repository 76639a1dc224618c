"""Names for the long parts of an equation, so that what is left fits the page.

A step states its claim with every closed form written out. For the print, the parts that are
repeated or wide get names, which are defined below the equation: the sides are still those of the
claim.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sympy import Add, Expr, Mul, Pow, Symbol, exp, log, preorder_traversal

from .breaking import pieces
from .printer import PaperPrinter
from .width import width

#: A part that is narrower than this, in points, keeps its place; a name is about this wide.
NARROWEST, NAME_WIDTH = 36, 14
#: An equation of more rows than this has parts that deserve names, and no equation needs more names
#: than that.
MOST_ROWS, MOST_NAMES = 2, 12
#: No expression of more nodes fits a row.
MOST_NODES = 100


def with_names(
    sides: Sequence[Expr], printer: PaperPrinter, room: int
) -> tuple[list[Expr], list[tuple[Expr, Expr]]]:
    """The sides with names for long parts, and each name with what it stands for.

    Parameters
    ----------
    sides : sequence of sympy.Expr
        Left and right side, and whatever is printed beside them.
    printer : PaperPrinter
    room : int
        Points of a row.
    """
    short = list(sides)
    names: list[tuple[Expr, Expr]] = []
    widths: dict[Expr, int] = {}
    sizes: dict[Expr, int] = {}

    def measured(part: Expr) -> int:
        if part not in widths:
            widths[part] = width(printer.doprint(part))
        return widths[part]

    while len(names) < MOST_NAMES and any(_is_long(side, printer, room) for side in short):
        counts = Counter(
            part
            for side in short
            for part in preorder_traversal(side)
            if _can_have_a_name(part, sizes)
        )
        gains = {
            part: count * (measured(part) - NAME_WIDTH)
            for part, count in counts.items()
            if NARROWEST <= measured(part) <= room and part not in short
        }
        if not gains:
            break
        most = max(gains.values())
        part = min((candidate for candidate, gain in gains.items() if gain == most), key=str)
        name = _name_of(part, sum(isinstance(known, Symbol) for known, _ in names) + 1)
        names.append((name, part))
        short = [side.xreplace({part: name}) for side in short]
    return short, names


def _is_long(side: Expr, printer: PaperPrinter, room: int) -> bool:
    parts = [width(piece) for piece in pieces(side, printer, room)]
    return max(parts) > room or sum(parts) > MOST_ROWS * room


def _can_have_a_name(part: Expr, sizes: dict[Expr, int]) -> bool:
    """Sums, products, powers and functions that may fit a row; the base rather than its reciprocal."""
    named = isinstance(part, (Add, Mul, Pow, exp, log)) and not (part.is_Pow and part.exp == -1)
    return named and _size(part, sizes) <= MOST_NODES


def _size(part: Expr, sizes: dict[Expr, int]) -> int:
    """Number of nodes of an expression."""
    if part not in sizes:
        sizes[part] = 1 + sum(_size(argument, sizes) for argument in part.args)
    return sizes[part]


def _name_of(part: Expr, number: int) -> Expr:
    known = {"positive": True} if part.is_positive else {"real": True} if part.is_real else {}
    return Symbol(f"X_{number}", **known)
