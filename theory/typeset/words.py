"""Sentences of a theorem, in LaTeX and in plain text, in the letters of a notation."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ..data.notation import DEFAULT, Notation
from ..data.notation import notation as find_notation
from ..theorem.derivation import Derivation
from ..theorem.words import Formula, Sentence, pieces
from .escapes import latex_words
from .plain import PlainPrinter
from .printer import PaperPrinter, length
from .rows import display, parts_of

#: The most marks of a claim that stays in the line of text.
SHORT = 18
#: The claims of one display, with the mark behind them.
CLAIMS = re.compile(r"(?P<names>\{[\w.]+\}(?:(?:, |,? and )\{[\w.]+\})*)(?P<end>[.,;:]?)")


def inline(formula: Formula, printer: PaperPrinter | PlainPrinter) -> str:
    r"""The formula in a line of text: ``$N > 0$`` in LaTeX, and as the package reads it back in plain
    text.
    """
    text = printer.in_text(" ".join(linked(replace(formula, where=()), printer)))
    conditions = " and ".join(inline(condition, printer) for condition in formula.where)
    return f"{text} where {conditions}" if conditions else text


def linked(formula: Formula, printer: PaperPrinter | PlainPrinter) -> list[str]:
    """The first side of a formula, and each other side behind its sign, all on one line; the last
    with the order of what is left out, and with the conditions.
    """
    first, *others = map(printer.on_the_line, formula.sides)
    pairs = zip(formula.signs, others, strict=True)
    parts = [first, *(f"{printer.signs.get(sign, sign)} {side}" for sign, side in pairs)]
    if formula.remainder is not None:
        parts[-1] += f" + O{printer.bracket(printer.on_the_line(formula.remainder))}"
    conditions = " and ".join(" ".join(linked(each, printer)) for each in formula.where)
    return [*parts[:-1], f"{parts[-1]}   for {conditions}"] if conditions else parts


def sentence_text(
    sentence: str | Sentence,
    printer: PaperPrinter | PlainPrinter,
    step: Callable[[str], str] = str,
    words: Callable[[str], str] | None = None,
) -> str:
    """The sentence with its formulas printed; `step` prints a reference to a step, and `words` the
    text between the formulas, where works may be cited.
    """
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
    """The sentence in LaTeX."""
    return sentence_text(sentence, PaperPrinter(find_notation(notation)), step, words)


def plain_sentence(sentence: str | Sentence, notation: str | Notation = DEFAULT) -> str:
    """The sentence in plain text."""
    return sentence_text(sentence, PlainPrinter(find_notation(notation)))


def plain_statement(derivation: Derivation, notation: str | Notation = DEFAULT) -> str:
    """The statement of a theorem in plain text."""
    printer = PlainPrinter(find_notation(notation))
    claims = {name: inline(claim, printer) for name, claim in derivation.stated.items()}
    return sentence_text(derivation.statement, printer, claims.__getitem__)


def statement_latex(statement: Sentence, claims: Mapping[str, Formula], spelling: Notation) -> str:
    """The statement of a theorem: claims named one after another share a display, and short ones
    stay in the line of text.
    """
    printer, formulas = PaperPrinter(spelling), iter(statement.formulas)
    text, position = "", 0

    def words(end: int) -> str:
        return "".join(
            latex_words(words) + ("" if name is None else inline(next(formulas), printer))
            for words, name in pieces(statement.text[position:end])
        )

    for run in CLAIMS.finditer(statement.text):
        text = joined(text, words(run.start()))
        named = [claims[name] for _, name in pieces(run["names"]) if name]
        text, position = joined(text, claims_latex(named, printer, run["end"])), run.end()
    return joined(text, words(len(statement.text))).strip()


def joined(text: str, more: str) -> str:
    """The two texts one after the other, without blanks beside a display."""
    if more.startswith("\n"):
        return text.rstrip() + more
    return text + (more.lstrip() if text.endswith("\n") else more)


def is_short(text: str) -> bool:
    """Whether a formula in dollars is short and without fractions, so that it stays in the text."""
    return length(text.strip("$")) <= SHORT and r"\frac" not in text


def claims_latex(claims: Sequence[Formula], printer: PaperPrinter, end: str) -> str:
    """The claims in the line of text if all are short, else as one display."""
    short = [inline(claim, printer) for claim in claims]
    if all(map(is_short, short)):
        return " and ".join(filter(None, [", ".join(short[:-1]), short[-1]])) + end
    return f"\n{display([parts_of(claim, printer) for claim in claims], end)}\n"
