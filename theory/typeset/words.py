"""Sentences of a theorem, in LaTeX and in plain text, in the letters of a notation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from ..data.notation import DEFAULT, Notation
from ..data.notation import notation as find_notation
from ..proof.claim import Derivation
from ..proof.words import Formula, Sentence
from ..proof.words import pieces as pieces_of
from .breaking import block, filled, packed, pieces
from .escapes import latex_words
from .layout import EXPONENTS, OPTIMAL
from .plain import PlainPrinter
from .printer import SIGNS, PaperPrinter, snug
from .width import width

#: A claim of a statement that is narrower than this, in points, stays in the line of text.
SHORT = 110
#: What may stand between two claims of one display.
JOINS = (", ", " and ", ", and ")


def inline(formula: Formula, printer: PaperPrinter | PlainPrinter) -> str:
    r"""The formula in a line of text: ``$N > 0$`` in LaTeX, and as the package reads it back in plain
    text.
    """
    first, *others = map(printer.on_the_line, formula.sides)
    links = (
        f" {printer.signs.get(sign, sign)} {side}"
        for sign, side in zip(formula.signs, others, strict=True)
    )
    text = printer.in_text(f"{first}{''.join(links)}")
    conditions = " and ".join(inline(condition, printer) for condition in formula.where)
    return f"{text} where {conditions}" if conditions else text


def sentence_text(
    sentence: str | Sentence,
    printer: PaperPrinter | PlainPrinter,
    step: Callable[[str], str] = str,
    words: Callable[[str], str] | None = None,
) -> str:
    """A sentence with its formulas set; `step` prints a reference to a step."""
    words = words or printer.words
    if isinstance(sentence, str):
        return words(sentence)
    return sentence.printed(lambda formula: inline(formula, printer), step, words)


def latex_sentence(
    sentence: str | Sentence,
    notation: str | Notation = DEFAULT,
    *,
    step: Callable[[str], str] = str,
    words: Callable[[str], str] | None = None,
) -> str:
    """A sentence in LaTeX; `words` sets what is between its formulas, where works may be cited."""
    return sentence_text(sentence, PaperPrinter(find_notation(notation)), step, words)


def plain_sentence(sentence: str | Sentence, notation: str | Notation = DEFAULT) -> str:
    """A sentence in plain text."""
    return sentence_text(sentence, PlainPrinter(find_notation(notation)))


def plain_statement(derivation: Derivation, notation: str | Notation = DEFAULT) -> str:
    """What a theorem states, in plain text."""
    printer = PlainPrinter(find_notation(notation))
    claims = {name: inline(claim, printer) for name, claim in derivation.stated.items()}
    return sentence_text(derivation.statement, printer, claims.__getitem__)


def latex_statement(derivation: Derivation, notation: str | Notation = DEFAULT) -> str:
    """The statement in LaTeX, every formula in the line of text."""
    spelling = find_notation(notation)
    printer = PaperPrinter(spelling, arguments=True)
    claims = {name: inline(claim, printer) for name, claim in derivation.stated.items()}
    return latex_sentence(derivation.statement, spelling, step=claims.__getitem__)


def statement_latex(
    statement: Sentence, claims: Mapping[str, Formula], spelling: Notation, room: int
) -> str:
    """A theorem's statement: the claims of its steps as displays, several in a row in one, and short
    ones in the line of text.
    """
    printer = PaperPrinter(spelling)
    formulas = iter(statement.formulas)
    parts: list[str] = []
    waiting: list[Formula] = []
    for words, name in pieces_of(statement.text):
        if waiting and (words not in JOINS or not name):
            mark = words[:1] if words[:1] in tuple(".,;:") else ""
            shown = claims_latex(waiting, printer, spelling, room, mark)
            if shown.startswith("\n"):
                parts[-1] = parts[-1].rstrip()
            parts.append(shown)
            waiting, words = (
                [],
                words[len(mark) :].lstrip() if shown.endswith("\n") else words[len(mark) :],
            )
        if not waiting:
            parts.append(latex_words(words))
        if name == "":
            parts.append(inline(next(formulas), printer))
        elif name is not None:
            waiting.append(claims[name])
    if waiting:
        parts.append(claims_latex(waiting, printer, spelling, room, ""))
    return "".join(parts).strip()


def claims_latex(
    claims: Sequence[Formula], printer: PaperPrinter, spelling: Notation, room: int, end: str
) -> str:
    """Claims in the line of text where they are short and flat, else as one display."""
    short = [inline(claim, printer) for claim in claims]
    if all(width(text.strip("$")) <= SHORT and r"\frac" not in text for text in short):
        return " and ".join(filter(None, [", ".join(short[:-1]), short[-1]])) + end
    if len(claims) == 1:
        return f"\n{formula_display(claims[0], printer, room, end)}\n"
    return f"\n{formulas_display(claims, printer, room, end)}\n"


def formulas_display(
    formulas: Sequence[Formula], printer: PaperPrinter, room: int, end: str
) -> str:
    """Formulas as one display, as many to a row as fit."""
    rows = [""]
    for formula in formulas:
        left, right = split(formula, printer, room)
        note = conditions_latex(formula, printer)
        first, *rest = filled([*left, *right, *([rf"\quad {note}"] if note else [])], room)
        longer = rf"{rows[-1]}, \qquad {first}" if rows[-1] else first
        if not rest and width(longer) <= room:
            rows[-1] = longer
        else:
            rows[-1] += "," if rows[-1] else ""
            rows += [first, *rest]
    return block("gather*", [row for row in rows if row], end, room)


def formula_display(formula: Formula, printer: PaperPrinter, room: int, end: str) -> str:
    """One formula as a display, broken in front of its signs where it is too wide."""
    left, right = split(formula, printer, room)
    rows = packed(left, right, conditions_latex(formula, printer), room)
    return block("align*", rows, end, room)


def conditions_latex(formula: Formula, printer: PaperPrinter) -> str:
    """The conditions of a formula, in a bracket; empty where it has none."""
    texts = [inline(condition, printer).strip("$") for condition in formula.where]
    return snug(printer.bracket(", ".join(texts))) if texts else ""


def split(formula: Formula, printer: PaperPrinter, room: int) -> tuple[list[str], list[str]]:
    """The pieces of the first side, and those of the others, each with its sign."""
    first, *others = (pieces(side, printer, room) for side in formula.sides)
    for sign, side in zip(formula.signs, others, strict=True):
        side[0] = f"{SIGNS[sign]} {side[0]}"
    return first, [piece for side in others for piece in side]


def references(names: Iterable[str]) -> Mapping[str, str]:
    """How a proof refers to its steps."""
    return {name: f"step~{number}" for number, name in enumerate(names, start=1)}


#: A name; not the article before a word, nor the first word of a quotation.
WORD = re.compile(r"(?!A [a-z]{2})(?<!\")[A-Za-z]\w*")


def respell(prose: str, spelling: Notation) -> str:
    """A sentence in plain text with its Greek names and optima in the notation; a word in quotation
    marks is left alone.
    """
    names = {
        f"{d}{old}": f"{d}{new}"
        for old, new in spelling.names().items()
        if old in EXPONENTS
        for d in ("", "d")
    }
    words = WORD.sub(lambda match: names.get(match[0], match[0]), prose)
    if "*" in spelling.latex("N_opt"):
        return words
    return re.sub(r"\b(d?[NDLRC])\*(?![\w*])", rf"\1{OPTIMAL}", words)
