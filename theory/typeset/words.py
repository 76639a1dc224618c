"""Sentences of a theorem, in LaTeX and in plain text, in the letters of a notation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..data.notation import DEFAULT, Notation
from ..data.notation import notation as find_notation
from ..theorem.claim import Derivation
from ..theorem.words import Formula, Sentence
from ..theorem.words import pieces as pieces_of
from .escapes import latex_words
from .plain import PlainPrinter
from .printer import PaperPrinter, length
from .rows import display, parts_of

#: A claim of at most so many marks stays in the line of text.
SHORT = 18
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


def statement_latex(statement: Sentence, claims: Mapping[str, Formula], spelling: Notation) -> str:
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
            shown = claims_latex(waiting, printer, mark)
            if shown.startswith("\n"):
                parts[-1] = parts[-1].rstrip()
            parts.append(shown)
            waiting, words = [], words[len(mark) :]
            words = words.lstrip() if shown.endswith("\n") else words
        if not waiting:
            parts.append(latex_words(words))
        if name == "":
            parts.append(inline(next(formulas), printer))
        elif name is not None:
            waiting.append(claims[name])
    if waiting:
        parts.append(claims_latex(waiting, printer, ""))
    return "".join(parts).strip()


def is_short(text: str) -> bool:
    """Whether a formula in dollars is short and flat, so that it stays in the line of text."""
    return length(text.strip("$")) <= SHORT and r"\frac" not in text


def claims_latex(claims: Sequence[Formula], printer: PaperPrinter, end: str) -> str:
    """Claims in the line of text where they are short and flat, else as one display."""
    short = [inline(claim, printer) for claim in claims]
    if all(map(is_short, short)):
        return " and ".join(filter(None, [", ".join(short[:-1]), short[-1]])) + end
    return f"\n{display([parts_of(claim, printer) for claim in claims], end)}\n"
