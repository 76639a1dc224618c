"""A theorem in LaTeX with its proof: every step, or the few lines that a paper prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ..data.notation import DEFAULT, Notation
from ..data.notation import notation as find_notation
from ..kernel.points import PointCheck
from ..kernel.rules import FAILED, UNDER_LEMMA
from ..theorem.derivation import Derivation
from ..theorem.step import Cited, UnderLemma, Verdict
from ..theorem.words import Formula, Sentence
from .equations import side_conditions
from .escapes import latex_words
from .printer import PaperPrinter
from .rows import closed, display, parts_of
from .words import inline, is_short, latex_sentence, statement_latex

__all__ = ["PROOFS", "label", "theorem_latex"]

Cite = Callable[[str], str]
Steps = Mapping[str, Verdict]
#: The amounts of a proof that can be printed.
PROOFS = ("short", "steps", "none")


def theorem_latex(
    subject: Derivation,
    *,
    notation: str | Notation = DEFAULT,
    proof: str = "steps",
    verdicts: Sequence[Verdict] = (),
    cite: Cite = latex_words,
    environment: str = "theorem",
) -> str:
    r"""A theorem with its proof, in the environments ``theorem`` and ``proof`` of amsthm.

    Parameters
    ----------
    subject : Derivation
    notation : {"schaeffer", "hoffmann"}
    proof : {"steps", "short", "none"}
        Every step with its number; the steps of `Derivation.short` as a paper writes them; nothing.
    verdicts : sequence of Verdict, optional
        The verdicts of `Derivation.verify`. Without them every step is proved for the print, by its
        exact argument alone.
    cite : callable
        Prints the source of a lemma.
    environment : str
        The environment of the statement.

    Notes
    -----
    A step that is not proved says so: under a lemma (which is stated), cited, or not proved at all.
    """
    if proof not in PROOFS:
        raise ValueError(f"proof={proof!r}: must be one of {', '.join(PROOFS)}")
    spelling = find_notation(notation)
    lines = [
        rf"\begin{{{environment}}}[{latex_sentence(subject.title, spelling)}]"
        rf"\label{{{label(subject.name)}}}",
        *_assumed(subject, spelling),
        statement_latex(subject.statement, subject.stated, spelling),
        rf"\end{{{environment}}}",
    ]
    if proof == "none":
        return "\n".join(lines)
    unchecked = PointCheck(True, 0, "not checked")
    given = verdicts or [Verdict(step, step.prove(), unchecked) for step in subject.steps]
    steps = {verdict.step.name: verdict for verdict in given}
    if proof == "steps":
        items = _steps(steps, spelling, cite)
        begin, end = [r"\begin{enumerate}"], [r"\end{enumerate}"]
    else:
        items, begin, end = _short(steps, subject.short_proof, spelling, cite), [], []
    *others, last = items
    shown = [*begin, *others, closed(last), *end]
    return "\n".join([*lines, r"\begin{proof}", *shown, r"\end{proof}"])


def label(name: str) -> str:
    r"""The ``\label`` of a theorem."""
    return "iso:" + name.replace("_", "-")


def _assumed(derivation: Derivation, spelling: Notation) -> list[str]:
    """The assumptions as sentences, and the definitions that they do not contain."""
    printed = [latex_sentence(text, spelling) for text in derivation.assumptions]
    sentences = (text for text in derivation.assumptions if isinstance(text, Sentence))
    formulas = (formula for sentence in sentences for formula in sentence.formulas)
    given = {formula.sides[0] for formula in formulas if "=" in formula.signs}
    new = [d.formula for d in derivation.definitions if d.name not in given]
    if not new:
        return printed
    printer = PaperPrinter(spelling, arguments=True)
    return [*printed, "Write", display([parts_of(formula, printer) for formula in new], ".")]


def _formula(verdict: Verdict) -> Formula:
    """The formula of a step with its limit, or with the conditions that its proof needs."""
    step = verdict.step
    where = step.stated.where
    if step.limit is None:
        where = tuple(side_conditions(step.unfolded, verdict.exact, step))
    return replace(step.formula, where=where)


def _remark(verdict: Verdict, spelling: Notation, cite: Cite) -> str:
    """A remark on a step that is not proved outright; empty for a proved one."""
    argument, exact = verdict.step.argument, verdict.exact
    if verdict.strength == FAILED:
        why = "Refuted by a check in numbers" if exact.proved else f"Not proved: {exact.reason}"
        return rf" \emph{{{latex_words(why)}.}}"
    if verdict.strength == UNDER_LEMMA:
        assert isinstance(argument, UnderLemma)
        lemma = latex_sentence(argument.lemma, spelling).removesuffix(".")
        return rf" \emph{{Lemma}} ({cite(argument.source)}, not proved here): {lemma}."
    return f" (Cited, not proved: {cite(argument.source)}.)" if isinstance(argument, Cited) else ""


def _steps(steps: Steps, spelling: Notation, cite: Cite) -> list[str]:
    """Every step as an item of a numbered list."""
    numbers = {name: f"step~{number}" for number, name in enumerate(steps, start=1)}
    printer, items = PaperPrinter(spelling), []
    for verdict in steps.values():
        reason = latex_sentence(verdict.step.reason, spelling, step=numbers.__getitem__)
        remark = _remark(verdict, spelling, cite)
        reason = f"{reason[:-1]}{'.' if remark else ':'}" if reason[-1] in ".:" else reason
        items += [
            rf"  \item {reason}{remark}",
            display([parts_of(_formula(verdict), printer)], "."),
        ]
    return items


def _short(steps: Steps, names: Sequence[str], spelling: Notation, cite: Cite) -> list[str]:
    """The steps of the short proof, each a sentence with its formula; a claim that a reason refers to
    is written out there.
    """
    printer, lines = PaperPrinter(spelling), []
    claims = {name: inline(verdict.step.stated, printer) for name, verdict in steps.items()}
    for verdict in (steps[name] for name in names):
        reason = latex_sentence(verdict.step.reason, spelling, step=claims.__getitem__)
        remark = _remark(verdict, spelling, cite)
        reason = f"{reason.rstrip('.:')}{'.' if remark else ':'}{remark}"
        formula = _formula(verdict)
        if is_short(text := inline(formula, printer)):
            lines.append(f"{reason} {text}.")
        else:
            lines += [reason, display([parts_of(formula, printer)], ".")]
    return lines
