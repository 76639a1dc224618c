"""The envelope and the penalty as align blocks."""

from __future__ import annotations

from collections.abc import Sequence

from ..data.notation import DEFAULT, Notation
from ..data.notation import notation as find_notation
from ..envelope import Envelope
from ..penalty import Misallocation
from .breaking import ARTICLE, Measure, filled, pieces
from .equations import (
    Equation,
    Section,
    check_spelling,
    envelope_lines,
    law_lines,
    misallocation_sections,
)
from .printer import SIGNS, PaperPrinter, snug
from .width import width
from .words import latex_sentence


def envelope_latex(
    envelope: Envelope,
    *,
    notation: str | Notation = DEFAULT,
    environment: str = "align",
    measure: Measure = ARTICLE,
) -> str:
    r"""Law, budget, optimum, exponent, shares, coefficient and loss on the envelope as an align
    block.

    Parameters
    ----------
    envelope : Envelope
    notation : {"schaeffer", "hoffmann"}
    environment : {"align", "align*"}
    measure : Measure
        Wider equations are broken.

    Raises
    ------
    ValueError
        Where the notation would rename the law's own letters.
    """
    spelling = find_notation(notation)
    check_spelling(envelope, spelling)
    return align_block(
        [("", [*law_lines(envelope), *envelope_lines(envelope, spelling)])],
        spelling,
        environment,
        measure,
    )


def misallocation_latex(
    m: Misallocation,
    *,
    notation: str | Notation = DEFAULT,
    environment: str = "align",
    measure: Measure = ARTICLE,
) -> str:
    r"""The penalty in r and rho, its excess, expansions, tails; effective compute, overhead,
    critical sizes.

    Parameters and errors as in `envelope_latex`.
    """
    spelling = find_notation(notation)
    check_spelling(m.envelope, spelling)
    return align_block(misallocation_sections(m), spelling, environment, measure)


def align_block(
    sections: Sequence[Section], spelling: Notation, environment: str, measure: Measure
) -> str:
    if environment not in ("align", "align*"):
        raise ValueError(f"environment={environment!r}: must be align or align*")
    printed = [
        (
            heading,
            [[_equation_latex(equation, spelling, measure) for equation in line] for line in lines],
        )
        for heading, lines in sections
    ]
    column = max(width(line[0][0]) for _, lines in printed for line in lines)
    parts: list[str] = []
    for heading, lines in printed:
        rows = [_row(line, measure.text - column, environment == "align") for line in lines]
        intertext = (
            rf"  \intertext{{{latex_sentence(heading, spelling)}:}}" + "\n" if heading else ""
        )
        parts.append(intertext + ", \\\\\n".join(f"  {row}" for row in rows) + ".\n")
    separator = "" if all(heading for heading, _ in printed) else "\\\\\n"
    return f"\\begin{{{environment}}}\n{separator.join(parts)}\\end{{{environment}}}"


def _row(line: Sequence[tuple[str, list[str]]], room: int, numbered: bool) -> str:
    """The equations of one line next to each other, or one that is too wide on several lines."""
    (label, first), *others = line
    beside = [f"{left} {' '.join(right)}" for left, right in others]
    text = r", \qquad ".join([f"{label} &{' '.join(first)}", *beside])
    if others or width(" ".join(first)) <= room:
        return text
    rows = filled(first, room)
    end = r" \notag" if numbered else ""
    return f"{label} &" + f"{end} \\\\\n  &\\quad ".join(rows)


def _equation_latex(
    equation: Equation, spelling: Notation, measure: Measure
) -> tuple[str, list[str]]:
    """The left side, and the rest from its relation on, in pieces between which a line may be
    broken.
    """
    label, printer = PaperPrinter(spelling, arguments=True), PaperPrinter(spelling)
    sign = SIGNS[equation.relation]
    sides = [pieces(side, printer, measure.item) for side in equation.sides[1:]]
    found = [piece for start, *more in sides for piece in (f"{sign} {start}", *more)]
    if equation.remainder is not None:
        found.append(f"+ O{printer.bracket(printer.doprint(equation.remainder))}")
    if equation.condition is not None:
        left, relation, right = equation.condition
        text = f"{printer.doprint(left)} {SIGNS[relation]} {printer.doprint(right)}"
        found[-1] += rf" \quad {snug(printer.bracket(text))}"
    return label.doprint(equation.label), found
