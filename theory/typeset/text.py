"""An envelope and a misallocation as text for a terminal, with their proofs."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from sympy import Expr

from ..data.notation import DEFAULT, Notation
from ..data.notation import notation as find_notation
from ..envelope import Envelope
from ..penalty import Misallocation
from .equations import (
    Equation,
    Line,
    check_spelling,
    envelope_lines,
    law_lines,
    misallocation_sections,
    side_conditions,
)
from .plain import PlainPrinter
from .words import plain_sentence

WIDTH = 100


def envelope_text(
    envelope: Envelope, *, notation: str | Notation = DEFAULT, proofs: bool = True
) -> str:
    """The compute-optimal envelope for a terminal of 100 columns.

    Parameters
    ----------
    envelope : Envelope
    notation : {"schaeffer", "hoffmann"}
    proofs : bool
        Prove every claim and list how, and why it holds.

    Raises
    ------
    ValueError
        Where the notation would rename the law's own letters.
    """
    spelling = find_notation(notation)
    check_spelling(envelope, spelling)
    lines = [*law_lines(envelope), *envelope_lines(envelope, spelling)]
    parts = [
        "Compute-optimal envelope",
        "",
        *_table(lines, spelling, _label_width(lines, spelling)),
    ]
    if proofs:
        parts += ["", *_proofs(envelope, envelope.named, spelling)]
    return "\n".join(parts)


def misallocation_text(
    m: Misallocation, *, notation: str | Notation = DEFAULT, proofs: bool = False
) -> str:
    """The misallocation penalty and what follows from it, for a terminal of 100 columns."""
    spelling = find_notation(notation)
    check_spelling(m.envelope, spelling)
    sections = misallocation_sections(m)
    column = _label_width([line for _, lines in sections for line in lines], spelling)
    parts = []
    for heading, lines in sections:
        parts += [plain_sentence(heading, spelling), "", *_table(lines, spelling, column), ""]
    if proofs:
        return "\n".join([*parts, *_proofs(m, m.named, spelling)])
    return "\n".join(parts[:-1])


def _label_width(lines: Sequence[Line], spelling: Notation) -> int:
    printer = PlainPrinter(spelling)
    return max(len(printer.doprint(equation.label)) for line in lines for equation in line)


def _table(lines: Sequence[Line], spelling: Notation, column: int) -> list[str]:
    """One equation a row, the relations under each other."""
    printer = PlainPrinter(spelling)
    rows = []
    for equation in (equation for line in lines for equation in line):
        label = printer.doprint(equation.label)
        first, *rest = _broken(
            f"{equation.relation} {_right_side(equation, printer)}", WIDTH - column - 3
        )
        rows.append(f"  {label.ljust(column)} {first}")
        rows += [" " * (column + 5) + more for more in rest]
    return rows


def _right_side(equation: Equation, printer: PlainPrinter) -> str:
    text = f" {equation.relation} ".join(printer.doprint(side) for side in equation.sides[1:])
    if equation.remainder is not None:
        text += f" + O({printer.doprint(equation.remainder)})"
    if equation.condition is not None:
        left, relation, right = equation.condition
        text += f"   for {printer.doprint(left)} {relation} {printer.doprint(right)}"
    return text


def _broken(text: str, width: int) -> list[str]:
    """Lines of at most `width` where that can be, broken at spaces outside all brackets."""
    lines = [""]
    for word in _words(text):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return lines


def _words(text: str) -> list[str]:
    words, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == " " and depth == 0:
            words.append("")
        else:
            words[-1] += character
    return words


def _proofs(
    subject: Envelope | Misallocation, brief: Envelope | Misallocation, spelling: Notation
) -> list[str]:
    """Name, how proved, reason; with the side conditions, and in capitals what is not proved."""
    claims = subject.claims
    decisions = {name: claim.prove() for name, claim in claims.items()}
    hows = {
        name: claims[name].argument.label if decision.proved else decision.answer.value.upper()
        for name, decision in decisions.items()
    }
    name_width, how_width = max(map(len, claims)), max(map(len, hows.values()))
    indent = name_width + how_width + 6
    lines = [f"Proofs ({sum(d.proved for d in decisions.values())} of {len(claims)} proved)", ""]
    for name, decision in decisions.items():
        reason = plain_sentence(claims[name].reason, spelling).replace(":", ".")
        sentences = [reason, "" if decision.proved else decision.reason]
        sentences.append(
            _where(side_conditions(claims[name], decision, brief.claims[name]), spelling)
        )
        rows = [row for sentence in sentences for row in wrap(sentence, WIDTH - indent)]
        lines.append(f"  {name.ljust(name_width)}  {hows[name].ljust(how_width)}  {rows[0]}")
        lines += [" " * indent + row for row in rows[1:]]
    return lines


def _where(conditions: Sequence[tuple[Expr, str]], spelling: Notation) -> str:
    printer = PlainPrinter(spelling)
    texts = [f"{printer.doprint(expression)} {relation} 0" for expression, relation in conditions]
    return f"where {', '.join(texts)}" if texts else ""
