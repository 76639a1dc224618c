"""A theorem with its numbered proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sympy import Expr

from ..algebra.answer import Decision
from ..data.notation import DEFAULT, Notation
from ..data.notation import notation as find_notation
from ..proof.argument import CITED, NUMERICAL, PROVED, UNDER_LEMMA, described
from ..proof.claim import FAILED, Cited, Claim, Derivation, UnderLemma, Verdict, earned
from ..proof.words import Formula, Sentence
from .breaking import (
    ARTICLE,
    LineWidth,
    block,
    closed,
    definitions,
    filled,
    packed,
    pieces,
    with_names,
)
from .equations import Displayed, side_conditions
from .escapes import latex_words
from .printer import SIGNS, PaperPrinter, snug
from .width import width
from .words import formulas_display, latex_sentence, references, split, statement_latex

Cite = Callable[[str], str]
Key = TypeVar("Key")
SIGNS_OF_LIMITS = {"oo": r"\infty"}


def theorem_latex(
    subject: Derivation | Displayed,
    *,
    notation: str | Notation = DEFAULT,
    verdicts: Sequence[Verdict] | None = None,
    cite: Cite = latex_words,
    measure: LineWidth = ARTICLE,
    environment: str = "theorem",
    home: Derivation | None = None,
) -> str:
    r"""A theorem with its numbered proof, in the environments ``theorem`` and ``proof`` of amsthm.

    Parameters
    ----------
    subject : Derivation, or an envelope or a misallocation
        Of which it is the theorem.
    notation : {"schaeffer", "hoffmann"}
    verdicts : sequence of Verdict, optional
        What `Derivation.verify` said of the steps. Without them every step is proved again for the
        print, by its exact argument alone.
    cite : callable
        Sets the source of a lemma.
    measure : LineWidth
        How wide displays may be.
    environment : str
        Of the statement.
    home : Derivation, optional
        A theorem printed before whose setting this one shares: what that one assumes and defines
        is not said again.

    Notes
    -----
    A step says how far it is established: proved, given a lemma (which is stated), checked
    numerically, cited, or not proved at all.
    """
    spelling = find_notation(notation)
    if not isinstance(subject, Derivation):
        subject.check_spelling(spelling)
        subject = subject.derivation
    head = [
        rf"\begin{{{environment}}}[{latex_sentence(subject.title, spelling)}]\label{{{label(subject.name)}}}",
        *_assumed(subject, spelling, measure, home),
        statement_latex(subject.statement, subject.stated, spelling, measure.text),
        rf"\end{{{environment}}}",
    ]
    given: Sequence[Verdict | None] = verdicts or [None] * len(subject.steps)
    graded = [_graded(step, verdict) for step, verdict in zip(subject.steps, given, strict=True)]
    return "\n".join([*head, *_proof(graded, spelling, cite, measure)])


def label(name: str) -> str:
    r"""The ``\label`` of a derivation's theorem."""
    return "iso:" + name.replace("_", "-")


def shares_setting(derivation: Derivation, home: Derivation) -> bool:
    """Whether a theorem assumes all that another one does, and means the same by its names."""
    there = {definition.name: definition.value for definition in home.definitions}
    return derivation.assumptions[: len(home.assumptions)] == home.assumptions and all(
        there.get(d.name, d.value) == d.value for d in derivation.definitions
    )


def _assumed(
    derivation: Derivation,
    spelling: Notation,
    measure: LineWidth,
    home: Derivation | None,
) -> list[str]:
    """The assumptions as sentences, and the definitions that none of them gives."""
    assumptions = derivation.assumptions[len(home.assumptions) if home else 0 :]
    printed = [latex_sentence(text, spelling) for text in assumptions]
    given = {
        formula.sides[0]
        for text in derivation.assumptions
        if isinstance(text, Sentence)
        for formula in text.formulas
        if "=" in formula.signs
    }
    given |= {definition.name for definition in home.definitions} if home else set()
    new = [d.formula for d in derivation.definitions if d.name not in given]
    opening = [rf"Take the setting of Theorem~\ref{{{label(home.name)}}}."] if home else []
    write = "Write further" if home else "Write"
    if not new:
        return [*opening, *printed]
    shown = formulas_display(new, PaperPrinter(spelling, arguments=True), measure.text, ".")
    return [*opening, *printed, write, shown]


@dataclass(frozen=True)
class Graded:
    """A step, what its exact argument says, and how far it is established."""

    step: Claim
    decision: Decision
    strength: str

    @property
    def objection(self) -> str:
        return (
            f"Not proved: {self.decision.reason}"
            if not self.decision.proved
            else "Refuted by a check in numbers"
        )


def _graded(step: Claim, verdict: Verdict | None) -> Graded:
    if verdict is not None:
        return Graded(step, verdict.exact, verdict.strength)
    decision = step.prove()
    return Graded(step, decision, earned(step.argument, decision))


def _proof(
    graded: Sequence[Graded], spelling: Notation, cite: Cite, measure: LineWidth
) -> list[str]:
    items: list[str] = []
    refer = references(entry.step.name for entry in graded)
    for entry in graded:
        step = entry.step
        reason = latex_sentence(step.reason, spelling, step=refer.__getitem__)
        if entry.strength == FAILED:
            reason += rf" \emph{{{latex_words(entry.objection)}.}}"
        reason = reason[:-1] + ":" if reason.endswith(".") else reason
        conditions = side_conditions(step.unfolded, entry.decision, step)
        items += [rf"  \item {reason}", _display(step, conditions, spelling, measure.item)]
    return [
        r"\begin{proof}",
        *_basis(graded, spelling, cite),
        r"\begin{enumerate}",
        *items[:-1],
        closed(items[-1]),
        r"\end{enumerate}",
        r"\end{proof}",
    ]


def _basis(graded: Sequence[Graded], spelling: Notation, cite: Cite) -> list[str]:
    """On what the steps rest: an exact procedure, a stated lemma, numbers, a citation."""
    steps = list(enumerate((entry.step.argument for entry in graded), start=1))
    by = {k: entry.strength for k, entry in enumerate(graded, start=1)}
    methods = _gathered((described(argument), k) for k, argument in steps if by[k] == PROVED)
    checks = "; ".join(
        f"{_numbers(numbers)} by {latex_words(label)}" for label, numbers in methods.items()
    )
    every = (
        "Each step was decided"
        if all(strength == PROVED for strength in by.values())
        else "Decided"
    )
    opening = [
        f"{every} by an exact procedure: {checks}." if checks else "No step is proved outright."
    ]
    granted = [
        (argument, k)
        for k, argument in steps
        if by[k] == UNDER_LEMMA and isinstance(argument, UnderLemma)
    ]
    for (lemma, source), numbers in _gathered(
        ((argument.lemma, argument.source), k) for argument, k in granted
    ).items():
        verb = "rests" if len(numbers) == 1 else "rest"
        opening += [
            f"{_numbers(numbers).capitalize()} {verb} on a lemma that is not proved here "
            f"({cite(source)}):"
        ]
        opening += [rf"\emph{{Lemma.}} {_ended(latex_sentence(lemma, spelling))}"]
    for label, numbers in _gathered(
        (described(argument), k) for k, argument in steps if by[k] == NUMERICAL
    ).items():
        opening += [f"Checked in numbers, not proved: {_numbers(numbers)} ({latex_words(label)})."]
    for source, numbers in _gathered(
        (_source(argument), k) for k, argument in steps if by[k] == CITED
    ).items():
        opening += [f"Cited, not proved: {_numbers(numbers)} ({cite(source)})."]
    return opening


def _source(argument: object) -> str:
    return argument.source if isinstance(argument, Cited) else "the literature"


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith(".") else f"{sentence}."


def _gathered(pairs: Iterable[tuple[Key, int]]) -> dict[Key, list[int]]:
    found: dict[Key, list[int]] = {}
    for key, number in pairs:
        found.setdefault(key, []).append(number)
    return found


def _numbers(steps: Sequence[int]) -> str:
    """1--4, 6"""
    runs: list[list[int]] = []
    for step in steps:
        if runs and step == runs[-1][-1] + 1:
            runs[-1].append(step)
        else:
            runs.append([step])
    texts = [f"{run[0]}--{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    return ("step " if len(steps) == 1 else "steps ") + ", ".join(texts)


def _display(
    step: Claim, conditions: Sequence[tuple[Expr, str]], spelling: Notation, room: int
) -> str:
    """The claim of a step, its conditions beside or below it, and the names that its long parts
    were given.
    """
    printer, formula = PaperPrinter(spelling), step.formula
    count = len(formula.sides)
    short, names = with_names(
        [*formula.sides, *(expression for expression, _ in conditions)], printer, room
    )
    wide = [
        [*pieces(e, printer, room), f"{SIGNS[relation]} 0"]
        for e, (_, relation) in zip(short[count:], conditions, strict=True)
    ]
    notes = [" ".join(parts) for parts in wide]
    if step.limit is not None:
        variable, where = step.limit
        end = SIGNS_OF_LIMITS.get(where, where)
        notes = [*notes[: len(step.assume)], rf"{printer.doprint(variable)} \to {end}"]
    note = snug(printer.bracket(", ".join(notes))) if notes else ""
    left, right = split(Formula(tuple(short[:count]), formula.signs), printer, room)
    fits = width(note) <= room
    rows = packed(left, right, note if fits else "", room)
    shown = block("align*", rows, "," if names or not fits else ".", room)
    if not fits:
        shown += f"\n  provided that\n{_conditions(wide, ',' if names else '.', room)}"
    named = [(printer.doprint(name), pieces(part, printer, room)) for name, part in names]
    return f"{shown}\n  where\n{definitions(named, room)}" if names else shown


def _conditions(conditions: Sequence[Sequence[str]], end: str, room: int) -> str:
    """Conditions that are too wide to stand beside an equation, each on rows of its own."""
    *others, last = [filled(parts, room) for parts in conditions]
    listed = [[*rows[:-1], f"{rows[-1]},"] for rows in others]
    return block("gather*", [row for rows in [*listed, last] for row in rows], end, room)
