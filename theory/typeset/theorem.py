"""A theorem with its numbered proof."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from sympy import Expr

from ..algebra import Decision
from ..data.notation import DEFAULT, Notation
from ..data.notation import notation as find_notation
from ..envelope import Envelope
from ..penalty import Misallocation
from ..proof.argument import CITED, NUMERICAL, PROVED, UNDER_LEMMA, described
from ..proof.claim import FAILED, Cited, Claim, Derivation, UnderLemma, Verdict, earned
from .align import align_block
from .breaking import ARTICLE, Measure, block, closed, definitions, display, filled, packed, pieces
from .equations import (
    abbreviated,
    check_spelling,
    envelope_lines,
    misallocation_sections,
    side_conditions,
)
from .naming import with_names
from .printer import SIGNS, PaperPrinter, snug
from .prose import in_letters_of
from .sentence import escaped, respelled_latex, sentence_latex
from .width import width

Cite = Callable[[str], str]
#: The two-term law in an assumption, and names of its optimum in a normalised text.
TWO_TERMS = re.compile(r"A N\^-beta \+ B D\^-(?:gamma|beta)|A/N\*\*beta \+ B/D\*\*gamma")
OPTIMA = ("N*", "D*", "R*", "L*")
SPELLINGS = (
    (r"\^(?:\{\*\}|\*)|\^\{\*(?=-)", "*"),
    (r"\bd(?=[NDLRC]\*)", "d "),
    (r"\\(alpha|rho)(?![A-Za-z])", r" \1"),
    (r"C_0", "C0"),
    (r"C_\{\\mathrm\{eff\}\}", "C_eff"),
)
#: What derivations about the two-term law call its parts: the definition, and the names that it
#: needs.
MEANINGS = {
    "R(C; t)": ("R(C; t) is {terms} at compute C on the ray D = t N", ()),
    "N(C; t)": ("N(C; t) and D(C; t) are the N and D of the ray D = t N at compute C", ()),
    "T_N": ("T_N = {params}", ()),
    "T_D": ("T_D = {tokens}", ()),
    "T_i": ("T_i is either term of R", ("R",)),
    "w_i": ("w_i is the share of T_i in R*", ("R*",)),
    "C0": ("R* = C0 C^-alpha", ("R*", "alpha")),
    "alpha": ("alpha = {exponent}", ()),
    "w_N": ("w_N = {params_share}", ()),
    "w_D": ("w_D = {tokens_share}", ()),
    "G": ("G = (beta A/(gamma B))^(1/(beta + gamma))", ()),
    "P": ("P = R/R*", ("R", "R*")),
    "r": ("r = N/N*", ("N*",)),
    "rho": ("rho = (D/N)/(D*/N*)", ("N*", "D*")),
    "k": ("k = N/N*", ("N*",)),
    "k_D": ("k_D is the D/D* at which the loss is L*(C)", ("D*", "L*")),
    "C_eff": ("C_eff = C P^(-1/alpha)", ("P", "alpha")),
    "C_D": ("C_D is the compute at which D* = D_max", ("D*",)),
    "C_N": ("C_N is the compute at which N* = N_max", ("N*",)),
}
#: Of these a theorem's statement says the value, not the meaning.
CLAIMED = frozenset({"P", *OPTIMA})
#: What an assumption that mentions these says of them is enough.
ASSUMED = {name: rf"(?<!\w){name}(?!\w)" for name in ("r", "k", "rho")} | {
    "R": r"loss (?:E \+ )?R(?![*\w])"
}
Key = TypeVar("Key")
SIGNS_OF_LIMITS = {"oo": r"\infty"}


def theorem_latex(
    subject: Derivation | Envelope | Misallocation,
    *,
    notation: str | Notation = DEFAULT,
    verdicts: Sequence[Verdict] | None = None,
    cite: Cite = escaped,
    measure: Measure = ARTICLE,
    environment: str = "theorem",
) -> str:
    r"""A theorem with its numbered proof, in the environments ``theorem`` and ``proof`` of amsthm.

    Parameters
    ----------
    subject : Derivation, Envelope or Misallocation
        An envelope or a misallocation is set in the names N*, alpha, C_0 and w_N; the steps of any
        other derivation as they are.
    notation : {"schaeffer", "hoffmann"}
    verdicts : sequence of Verdict, optional
        What `Derivation.verify` said of the steps. Without them every step is proved again for the
        print, by its exact argument alone.
    cite : callable
        Sets the source of a lemma.
    measure : Measure
        How wide displays may be.
    environment : str
        Of the statement.

    Notes
    -----
    A step says how far it is established: proved, given a lemma (which is stated), checked
    numerically, cited, or not proved at all.
    """
    spelling = find_notation(notation)
    if isinstance(subject, Derivation):
        derivation, brief, statement = subject, subject.steps, _stated(subject, spelling, measure)
        names_of_parts = meanings(subject)
    else:
        envelope = subject.envelope if isinstance(subject, Misallocation) else subject
        check_spelling(envelope, spelling)
        derivation = _in_own_letters(subject, envelope)
        named = abbreviated(envelope)
        shortened = Misallocation(named) if isinstance(subject, Misallocation) else named
        brief = tuple(shortened.claims[step.name] for step in derivation.steps)
        statement = _theorem_of(subject, spelling, measure)
        names_of_parts = _names_of(subject)
    names = frozenset().union(*(step.symbols for step in derivation.steps))
    assumptions = "; ".join(
        sentence_latex(text, spelling, symbols=names) for text in derivation.assumptions
    )
    head = [
        rf"\begin{{{environment}}}[{sentence_latex(derivation.title, spelling)}]\label{{{label(derivation.name)}}}",
        f"Assume: {assumptions}.",
        statement,
        *([sentence_latex(names_of_parts, spelling)] if names_of_parts else []),
        rf"\end{{{environment}}}",
    ]
    given: Sequence[Verdict | None] = verdicts or [None] * len(derivation.steps)
    graded = [_graded(step, verdict) for step, verdict in zip(derivation.steps, given, strict=True)]
    return "\n".join([*head, *_proof(graded, brief, spelling, cite, measure)])


def label(name: str) -> str:
    r"""The ``\label`` of a derivation's theorem."""
    return "iso:" + name.replace("_", "-")


def _in_own_letters(subject: Envelope | Misallocation, envelope: Envelope) -> Derivation:
    """The derivation with its sentences in the letters of the law."""
    derivation, given = subject.derivation, envelope.derivation.assumptions
    added = (in_letters_of(text, envelope) for text in derivation.assumptions[len(given) :])
    steps = (
        replace(step, reason=in_letters_of(step.reason, envelope)) for step in derivation.steps
    )
    return replace(derivation, assumptions=(*given, *added), steps=tuple(steps))


def _stated(derivation: Derivation, spelling: Notation, measure: Measure) -> str:
    return f"Then\n{display(respelled_latex(derivation.statement, spelling), measure.text)}"


def meanings(derivation: Derivation) -> str:
    """What the names of the two-term law stand for that a derivation uses and does not introduce;
    empty for other laws.
    """
    law = TWO_TERMS.search(" ".join(derivation.assumptions))
    if law is None:
        return ""
    assumed, stated = (
        _normalised("; ".join(derivation.assumptions)),
        _normalised(derivation.statement),
    )
    said = _normalised(" . ".join(step.reason for step in derivation.steps))

    def introduced(name: str) -> bool:
        equated = rf"(?:^|[,;:.]|quad|with|and) *{re.escape(name)}(?:\([^()]*\))? *="
        own = name in ASSUMED and bool(re.search(ASSUMED[name], assumed))
        given = re.search(equated, assumed) or re.search(rf"{re.escape(name)} is the", said)
        return own or bool(given) or (name not in CLAIMED and bool(re.search(equated, stated)))

    text = f"{assumed} . {stated} . {said}"
    used = {
        name for name in ("R", *MEANINGS, *OPTIMA) if _occurs(name, text) and not introduced(name)
    }
    for name in reversed(MEANINGS):
        used |= {needed for needed in MEANINGS[name][1] if name in used and not introduced(needed)}
    forms = _forms(law[0], "kappa" in assumed)
    found = [f"R = {forms['terms']}"] if "R" in used else []
    if optima := [name for name in OPTIMA if name in used]:
        listed = " and ".join(filter(None, [", ".join(optima[:-1]), optima[-1]]))
        values = "are the values" if len(optima) > 1 else "is the value"
        found.append(
            f"{listed} {values} where {'R' if 'R' in used else forms['terms']} is least at compute "
            f"{forms['compute']}"
        )
    found += [MEANINGS[name][0].format(**forms) for name in MEANINGS if name in used]
    return f"Here {'; '.join(found)}." if found else ""


def _occurs(name: str, text: str) -> bool:
    return bool(re.search(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![\w'*])", text))


def _forms(law: str, general: bool) -> dict[str, str]:
    """The parts of a two-term law with the exponents that it has, under 6 N D or under kappa N^a
    D^d.
    """
    equal = "D^-beta" in law
    params, tokens = "A N^-beta", f"B D^-{'beta' if equal else 'gamma'}"
    total, above, beside = ("a gamma + d beta", "a ", "d ") if general else ("beta + gamma", "", "")
    found = {
        "params": params,
        "tokens": tokens,
        "terms": f"{params} + {tokens}",
        "compute": "C" if general else "C = 6 N D",
    }
    if equal:
        return found | {"exponent": "beta/2", "params_share": "1/2", "tokens_share": "1/2"}
    shares = {"params_share": f"{above}gamma/({total})", "tokens_share": f"{beside}beta/({total})"}
    return found | shares | {"exponent": f"beta gamma/({total})"}


def _normalised(text: str) -> str:
    """Plain text or LaTeX with one spelling of optima, differentials, Greek names and indices."""
    for pattern, spelling in SPELLINGS:
        text = re.sub(pattern, spelling, text)
    return text


def _names_of(subject: Envelope | Misallocation) -> str:
    """What the names stand for that the proofs of the envelope and of the misallocation share."""
    if isinstance(subject, Envelope):
        return "Here R is the sum of the terms T_i, R* its least value at compute C, and w_i the share of T_i in R*."
    brief = abbreviated(subject.envelope)
    least = f"R* = {brief.coefficient} C^-{brief.exponent} is the least value of R at compute C"
    caps = "D_max and N_max are the largest D and N that can be had"
    reached = "k_D D* tokens reach the loss L*(C) with r N* params"
    text = f"Here R is the sum of the two terms; {least}, attained at N* and D*, where the loss is L*; {reached}; {caps}."
    return in_letters_of(text, subject.envelope)


def _theorem_of(subject: Envelope | Misallocation, spelling: Notation, measure: Measure) -> str:
    if isinstance(subject, Misallocation):
        sections = misallocation_sections(subject)
        ratios, penalty, *others = sections[0][1][:5]
        return f"Then, with\n{align_block([('', [ratios, *sections[-1][1], penalty, *others])], spelling, 'align*', measure)}"
    extremum = "minimum" if subject.form.direction > 0 else "maximum"
    return (
        f"Then at every compute $C$ the loss has exactly one {extremum}, at\n"
        f"{align_block([('', envelope_lines(subject, spelling))], spelling, 'align*', measure)}"
    )


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
    graded: Sequence[Graded],
    brief: Sequence[Claim],
    spelling: Notation,
    cite: Cite,
    measure: Measure,
) -> list[str]:
    items: list[str] = []
    for entry, named in zip(graded, brief, strict=True):
        step = entry.step
        reason = sentence_latex(step.reason, spelling, symbols=step.symbols)
        if entry.strength == FAILED:
            reason += rf" \emph{{{escaped(entry.objection)}.}}"
        shown = _shown(step, named)
        if shown is None and not step.statement:
            items.append(rf"  \item {reason}")
            continue
        reason = reason[:-1] + ":" if reason.endswith(".") else reason
        conditions = side_conditions(step, entry.decision, named)
        items += [
            rf"  \item {reason}",
            _display(step, shown or (step.lhs, step.rhs), conditions, spelling, measure.item),
        ]
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
        f"{_numbers(numbers)} by {escaped(label)}" for label, numbers in methods.items()
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
        opening += [rf"\emph{{Lemma.}} {_ended(sentence_latex(lemma, spelling))}"]
    for label, numbers in _gathered(
        (described(argument), k) for k, argument in steps if by[k] == NUMERICAL
    ).items():
        opening += [f"Checked in numbers, not proved: {_numbers(numbers)} ({escaped(label)})."]
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


def _shown(step: Claim, named: Claim) -> tuple[Expr, Expr] | None:
    """The sides by name where that leaves something to see, else in full; None where both read the
    same.
    """
    pairs = [
        (named.lhs, named.rhs),
        (named.lhs, step.rhs),
        (step.lhs, named.rhs),
        (step.lhs, step.rhs),
    ]
    telling = [(left, right) for left, right in pairs if left.together() != right.together()]
    return next(iter(telling or [(left, right) for left, right in pairs if left != right]), None)


def _display(
    step: Claim,
    sides: tuple[Expr, Expr],
    conditions: Sequence[tuple[Expr, str]],
    spelling: Notation,
    room: int,
) -> str:
    """The claim of a step, its conditions beside or below it, and the names that its long parts
    were given.
    """
    if step.statement:
        return display(respelled_latex(step.statement, spelling), room)
    printer = PaperPrinter(spelling)
    short, names = with_names(
        [*sides, *(expression for expression, _ in conditions)], printer, room
    )
    wide = [
        [*pieces(e, printer, room), f"{SIGNS[relation]} 0"]
        for e, (_, relation) in zip(short[2:], conditions, strict=True)
    ]
    notes = [" ".join(parts) for parts in wide]
    if step.limit is not None:
        variable, where = step.limit
        notes = [rf"{printer.doprint(variable)} \to {SIGNS_OF_LIMITS.get(where, where)}"]
    note = snug(printer.bracket(", ".join(notes))) if notes else ""
    left, right = (pieces(side, printer, room) for side in short[:2])
    right[0] = f"{SIGNS[step.relation]} {right[0]}"
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
