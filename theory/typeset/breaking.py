"""How a displayed equation fits the page: where it may be broken, the rows it is then set on, and
names for its long parts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Add, Expr, Mul, Pow, Rational, Symbol, exp, log, preorder_traversal

from .layout import is_negative, ordered_terms, quotient
from .printer import PaperPrinter, snug
from .width import RELATIONS, width

#: Points that a display leaves free for its full stop and for what is not known of its width; by
#: how much its last part may go further; the margin of a list.
FREE, SLACK, INDENT = 8, 4, 25
#: In front of a row that continues one, and its width.
CONTINUED = r"\qquad "
MARGIN = width(CONTINUED)
#: Smaller sizes, and per cent of the width in 10pt: what is raised does not shrink as much.
SIZES = (("", 100), (r"\small", 96), (r"\footnotesize", 93), (r"\scriptsize", 90))


@dataclass(frozen=True)
class LineWidth:
    r"""How wide the lines of a paper are.

    Parameters
    ----------
    column : int
        ``\columnwidth`` in points, of text in 10pt: 345 in an article.
    columns : {1, 2}
        On a page.
    """

    column: int = 345
    columns: int = 1

    @property
    def text(self) -> int:
        """Room for a display between paragraphs."""
        return self.column - FREE

    @property
    def item(self) -> int:
        """Room for a display in a list."""
        return self.text - INDENT


ARTICLE, TWO_COLUMNS = LineWidth(), LineWidth(252, columns=2)


def pieces(side: Expr, printer: PaperPrinter, room: int) -> list[str]:
    """The parts of one side between which a line may be broken: its terms, and the factors of a
    term that is wider than a row that continues another.
    """
    return _terms(side, printer, room - MARGIN)


def _terms(side: Expr, printer: PaperPrinter, room: int) -> list[str]:
    first, *rest = ordered_terms(side) if isinstance(side, Add) else [side]
    found = _factors(first, printer, room)
    for term in rest:
        start, *more = _factors(-term if is_negative(term) else term, printer, room)
        found += [f"{'-' if is_negative(term) else '+'} {start}", *more]
    return found


def _factors(term: Expr, printer: PaperPrinter, room: int) -> list[str]:
    """One term, or the pieces of one that is too wide: its factors, its argument, the terms in its
    brackets.
    """
    text = printer.doprint(term)
    if width(text) <= room:
        return [snug(printer.bracket(text)) if isinstance(term, Add) else text]
    if isinstance(term, Add):
        return _bracketed("", term, printer, room)
    if isinstance(term, exp | log):
        return _bracketed(rf"\{term.func.__name__}", term.args[0], printer, room)
    if isinstance(term, Pow) and isinstance(term.base, Add | Mul) and not term.exp.is_Rational:
        *before, last = _bracketed("", term.base, printer, room)
        return [*before, printer.raised(last, term.exp)]
    if not isinstance(term, Mul):
        return [text]
    parts = quotient(term)
    groups = (
        [[printer.fraction(parts.numerator, parts.denominator, alone=False)]]
        if parts.denominator
        else []
    )
    groups += [
        _factors(factor, printer, room) for factor in (parts.tail if groups else parts.numerator)
    ]
    (first, *more), *others = groups
    found = [f"-{first}" if parts.negative else first, *more]
    for start, *rest in others:
        found += [rf"\times {start}", *rest]
    return found


def _bracketed(name: str, inside: Expr, printer: PaperPrinter, room: int) -> list[str]:
    """A bracket that may be broken between the terms inside."""
    first, *rest = _terms(inside, printer, room)
    *before, last = [rf"{name}\biggl({first}", *rest]
    return [*before, rf"{last}\biggr)"]


#: A left side that takes at most this part of the room stands beside all rows of the right side.
SHORT_SIDE = Rational(3, 10)


def packed(left: Sequence[str], right: Sequence[str], note: str, room: int) -> list[str]:
    """One row if everything fits; else rows that are aligned, and the note where it fits.

    The rows of a right side begin behind a short left side, and with an indent below a long one.
    """
    start, end = _joined(left), _joined(right)
    whole = f"{start} {end}"
    noted = rf"{whole} \qquad {note}" if note else whole
    if width(noted) <= room:
        return [noted]
    beside = room - width(start)
    if width(whole) <= room:
        rows = [f"&{whole}"]
    elif width(start) <= SHORT_SIDE * room and max(map(width, right)) <= beside - MARGIN:
        rows = _beside(start, right, beside)
    else:
        rows = [_continued(row) for row in filled(left, room) + filled(right, room - MARGIN)]
        rows[0] = f"&{rows[0].removeprefix('&').removeprefix(CONTINUED)}"
    if not note:
        return rows
    if _widest([*rows[:-1], rf"{rows[-1]} \qquad {note}"]) <= room:
        return [*rows[:-1], rf"{rows[-1]} \qquad {note}"]
    return [*rows, _continued(note)]


def _beside(left: str, right: Sequence[str], room: int) -> list[str]:
    """The rows of a right side beside its left side."""
    first, *more = filled(right, room - MARGIN)
    return [f"{left} &{first}", *map(_continued, more)]


def _continued(row: str) -> str:
    """A row below others: a relation stands below theirs, what goes on with a side further right."""
    begins_with_relation = row.partition(" ")[0] in RELATIONS
    return f"&{row}" if begins_with_relation else f"&{CONTINUED}{row}"


def definitions(sides: Sequence[tuple[str, Sequence[str]]], room: int) -> str:
    """Names with the pieces that they stand for: as many to a row as fit, aligned where one needs
    several rows.
    """
    rows_of = [
        _beside(name, [f"= {first}", *more], room - width(name)) for name, (first, *more) in sides
    ]
    if any(len(rows) > 1 for rows in rows_of):
        *others, last = rows_of
        listed = [row for rows in others for row in (*rows[:-1], f"{rows[-1]},")]
        return block("align*", [*listed, *last], ".", room)
    rows = [""]
    for (row,) in rows_of:
        bare = row.replace("&", "")
        longer = rf"{rows[-1]}, \quad {bare}" if rows[-1] else bare
        if width(longer) <= room:
            rows[-1] = longer
        else:
            rows = [*rows[:-1], f"{rows[-1]},", bare] if rows[-1] else [bare]
    return block("gather*", rows, ".", room)


def _widest(rows: Sequence[str]) -> int:
    """The width of rows that are aligned."""
    columns = [row.partition("&") for row in rows]
    if not all(mark for _, mark, _ in columns):
        return max(map(width, rows))
    return max(width(before) for before, _, _ in columns) + max(
        width(behind) for _, _, behind in columns
    )


def filled(pieces: Sequence[str], room: int) -> list[str]:
    """Rows of pieces; the last piece may go a little beyond, so that it does not stand alone."""
    rows = [pieces[0]]
    for k, piece in enumerate(pieces[1:], start=2):
        longer = _joined([rows[-1], piece])
        if width(longer) <= room + SLACK * (k == len(pieces)):
            rows[-1] = longer
        else:
            rows.append(piece)
    return rows


def _joined(parts: Sequence[str]) -> str:
    """Parts on one row: a cross stands in front of a row or between two numbers."""
    text, *others = parts
    for part in others:
        bare = part.removeprefix(r"\times ")
        text += f" {part if text[-1].isdigit() and bare[0].isdigit() else bare}"
    return text


def block(environment: str, rows: Sequence[str], end: str, room: int) -> str:
    """Rows as a display, in the largest size in which they fit; "&" is where they are aligned."""
    separator = " \\\\\n    "
    shown = f"  \\[\n    {rows[0].replace('&', '', 1)}{end}\n  \\]"
    if len(rows) > 1:
        shown = (
            f"  \\begin{{{environment}}}\n    {separator.join(rows)}{end}\n  \\end{{{environment}}}"
        )
    widest = _widest(rows)
    size = next(
        (name for name, share in SIZES if widest * share <= 100 * (room + SLACK)), SIZES[-1][0]
    )
    return f"  {{{size}\n{shown}}}" if size else shown


#: The end of a display, with what may stand behind its full stop.
END_OF_DISPLAY = re.compile(r"\n\s*\\(?:\]|end\{\w+\*\})\}*$")


def closed(item: str) -> str:
    """The last step of a proof with the square of its end on the last line, rather than below it."""
    end = END_OF_DISPLAY.search(item)
    position = len(item) if end is None else end.start()
    return rf"{item[:position]} \qedhere{item[position:]}"


# -- names for the long parts ---------------------------------------------------------------------------------
#
# A step states its claim with every closed form written out. For the print, the parts that are
# repeated or wide get names, which are defined below the equation: the sides are still those of the
# claim.

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
