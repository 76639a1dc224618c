"""A theorem with its proof: every step, or the few lines that a paper prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sympy import Integer, oo

from ..data.notation import DEFAULT, Notation
from ..data.notation import notation as find_notation
from ..kernel.answer import Decision
from ..kernel.rules import FAILED, UNDER_LEMMA
from ..theorem.claim import Cited, Claim, Derivation, UnderLemma, Verdict, earned
from ..theorem.words import Formula, Sentence
from .equations import side_conditions
from .escapes import latex_words
from .printer import PaperPrinter
from .rows import closed, display, parts_of
from .words import inline, is_short, latex_sentence, statement_latex

__all__ = ["PROOFS", "label", "theorem_latex"]

Cite = Callable[[str], str]
#: How much of a proof is printed.
PROOFS = ("short", "steps", "none")


def theorem_latex(
    subject: Derivation,
    *,
    notation: str | Notation = DEFAULT,
    proof: str = "steps",
    verdicts: Sequence[Verdict] | None = None,
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
        What `Derivation.verify` said of the steps. Without them every step is proved again for the
        print, by its exact argument alone.
    cite : callable
        Sets the source of a lemma.
    environment : str
        Of the statement.

    Notes
    -----
    A step says how far it is established: proved, given a lemma (which is stated), cited, or not
    proved at all.
    """
    if proof not in PROOFS:
        raise ValueError(f"proof={proof!r}: must be one of {', '.join(PROOFS)}")
    spelling = find_notation(notation)
    title = latex_sentence(subject.title, spelling)
    lines = [
        rf"\begin{{{environment}}}[{title}]\label{{{label(subject.name)}}}",
        *_assumed(subject, spelling),
        statement_latex(subject.statement, subject.stated, spelling),
        rf"\end{{{environment}}}",
    ]
    if proof != "none":
        given: Sequence[Verdict | None] = verdicts or [None] * len(subject.steps)
        steps = {
            step.name: _graded(step, verdict)
            for step, verdict in zip(subject.steps, given, strict=True)
        }
        lines += (_steps if proof == "steps" else _short)(steps, subject, spelling, cite)
    return "\n".join(lines)


def label(name: str) -> str:
    r"""The ``\label`` of a derivation's theorem."""
    return "iso:" + name.replace("_", "-")


def _assumed(derivation: Derivation, spelling: Notation) -> list[str]:
    """The assumptions as sentences, and the definitions that none of them gives."""
    printed = [latex_sentence(text, spelling) for text in derivation.assumptions]
    given = {
        formula.sides[0]
        for text in derivation.assumptions
        if isinstance(text, Sentence)
        for formula in text.formulas
        if "=" in formula.signs
    }
    new = [d.formula for d in derivation.definitions if d.name not in given]
    if not new:
        return printed
    printer = PaperPrinter(spelling, arguments=True)
    return [*printed, "Write", display([parts_of(formula, printer) for formula in new], ".")]


# -- steps -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Graded:
    """A step, what its exact argument says, and how far it is established."""

    step: Claim
    decision: Decision
    strength: str

    @property
    def formula(self) -> Formula:
        """The claim with the conditions that its proof needs, and its limit."""
        step = self.step
        where = [
            Formula.of(expression, relation, Integer(0))
            for expression, relation in side_conditions(step.unfolded, self.decision, step)
        ]
        if step.limit is not None:
            variable, end = step.limit
            tends = Formula.of(variable, "->", oo if end == "oo" else Integer(0))
            where = [*where[: len(step.assume)], tends]
        return Formula(step.formula.sides, step.formula.signs, tuple(where))

    def remark(self, spelling: Notation, cite: Cite) -> str:
        """How far it is established, where that is less than a proof."""
        argument = self.step.argument
        if self.strength == FAILED:
            refuted = "Refuted by a check in numbers"
            objection = refuted if self.decision.proved else f"Not proved: {self.decision.reason}"
            return rf" \emph{{{latex_words(objection)}.}}"
        if self.strength == UNDER_LEMMA:
            assert isinstance(argument, UnderLemma)
            lemma = latex_sentence(argument.lemma, spelling).removesuffix(".")
            return rf" \emph{{Lemma}} ({cite(argument.source)}, not proved here): {lemma}."
        return (
            f" (Cited, not proved: {cite(argument.source)}.)" if isinstance(argument, Cited) else ""
        )


def _graded(step: Claim, verdict: Verdict | None) -> Graded:
    if verdict is not None:
        return Graded(step, verdict.exact, verdict.strength)
    decision = step.prove()
    return Graded(step, decision, earned(step.argument, decision))


Steps = Mapping[str, Graded]


def _steps(steps: Steps, derivation: Derivation, spelling: Notation, cite: Cite) -> list[str]:
    """Every step with its number."""
    numbers = {name: f"step~{number}" for number, name in enumerate(steps, start=1)}
    items: list[str] = []
    for entry in steps.values():
        reason = latex_sentence(entry.step.reason, spelling, step=numbers.__getitem__)
        remark = entry.remark(spelling, cite)
        reason = f"{reason[:-1]}{'.' if remark else ':'}" if reason[-1] in ".:" else reason
        shown = display([parts_of(entry.formula, PaperPrinter(spelling))], ".")
        items += [rf"  \item {reason}{remark}", shown]
    *others, last = items
    return [
        r"\begin{proof}",
        r"\begin{enumerate}",
        *others,
        closed(last),
        r"\end{enumerate}",
        r"\end{proof}",
    ]


# -- a short proof ---------------------------------------------------------------------------------


def _short(steps: Steps, derivation: Derivation, spelling: Notation, cite: Cite) -> list[str]:
    """The steps that are the short proof, each a sentence with its formula; what a reason refers to
    is said where it does.
    """
    printer = PaperPrinter(spelling)
    claims = {name: inline(entry.step.stated, printer) for name, entry in steps.items()}
    lines: list[str] = []
    for name in derivation.short_proof:
        entry = steps[name]
        reason = latex_sentence(entry.step.reason, spelling, step=claims.__getitem__)
        remark = entry.remark(spelling, cite)
        reason = f"{reason.rstrip('.:')}{'.' if remark else ':'}{remark}"
        formula = inline(entry.formula, printer)
        if is_short(formula):
            lines.append(f"{reason} {formula}.")
        else:
            lines += [reason, display([parts_of(entry.formula, printer)], ".")]
    return [r"\begin{proof}", *lines[:-1], closed(lines[-1]), r"\end{proof}"]
