"""A result that is read as equations: as text for a terminal and as an align block."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from textwrap import wrap

from sympy import Dummy, Pow, log

from ..data.notation import DEFAULT, Notation
from ..data.notation import notation as find_notation
from ..kernel.answer import Condition, Decision
from ..kernel.functions import phi2
from ..theorem.step import Step, follows
from ..theorem.words import Formula, Sentence, condition
from .plain import PlainPrinter
from .printer import PaperPrinter, length
from .rows import LONG, parts_of
from .words import inline, latex_sentence, linked, plain_sentence

WIDTH = 100

Line = tuple[Formula, ...]
Section = tuple[Sentence | str, list[Line]]


class Displayed:
    """Base of a result that is read as equations: text, LaTeX and the notebook follow from its
    `sections`.

    A subclass defines what is declared here. A frozen dataclass can derive from it; it has no
    fields.
    """

    def statements(self) -> list[Step]:
        """Every statement about it, each with its proof."""
        raise NotImplementedError

    @property
    def named(self) -> Displayed:
        """The same with its closed forms as names, in which conditions are printed."""
        raise NotImplementedError

    @cached_property
    def claims(self) -> dict[str, Step]:
        """Every statement by name."""
        return {claim.name: claim.unfolded for claim in self.statements()}

    @cached_property
    def decisions(self) -> dict[str, Decision]:
        """Whether each statement is proved, by name."""
        return {name: claim.prove() for name, claim in self.claims.items()}

    def check_spelling(self, spelling: Notation) -> None:
        """ValueError where the notation would rename the law's own letters."""
        raise NotImplementedError

    def sections(self, spelling: Notation) -> list[Section]:
        """The equations, each section with its heading; LaTeX leaves that of a single one out."""
        raise NotImplementedError

    def text(self, *, notation: str | Notation = DEFAULT, proofs: bool = False) -> str:
        """The equations for a terminal of 100 columns.

        Parameters
        ----------
        notation : {"schaeffer", "hoffmann"}
        proofs : bool
            Prove every claim and list how, and why it holds.

        Raises
        ------
        ValueError
            Where the notation would rename the law's own letters.
        """
        spelling = find_notation(notation)
        self.check_spelling(spelling)
        lines = sections_text(self.sections(spelling), spelling)
        return "\n".join([*lines, "", *_proofs(self, spelling)] if proofs else lines)

    def __str__(self) -> str:
        return self.text()

    def to_latex(self, *, notation: str | Notation = DEFAULT) -> str:
        r"""The equations as a LaTeX align block.

        Parameters
        ----------
        notation : {"schaeffer", "hoffmann"}

        Raises
        ------
        ValueError
            Where the notation would rename the law's own letters.
        """
        spelling = find_notation(notation)
        self.check_spelling(spelling)
        sections = self.sections(spelling)
        parts: list[str] = []
        for heading, lines in sections:
            rows = [_row(line, spelling) for line in lines]
            title = rf"  \intertext{{{latex_sentence(heading, spelling)}:}}" + "\n"
            shown = ", \\\\\n".join(f"  {row}" for row in rows) + ".\n"
            parts.append(title + shown if len(sections) > 1 else shown)
        return f"\\begin{{align}}\n{''.join(parts)}\\end{{align}}"

    def _repr_latex_(self) -> str:
        return self.to_latex()


# -- text ------------------------------------------------------------------------------------------------------


def sections_text(sections: Sequence[Section], spelling: Notation) -> list[str]:
    """Each section below its heading, one equation a row, the relations under each other."""
    printer = PlainPrinter(spelling)
    blocks = [
        (heading, [linked(formula, printer) for line in lines for formula in line])
        for heading, lines in sections
    ]
    column = max(len(label) for _, rows in blocks for label, *_ in rows)
    found: list[str] = []
    for heading, rows in blocks:
        found += ["", f"{plain_sentence(heading, spelling)}:"]
        for label, *others in rows:
            start = f"  {label.ljust(column)} "
            below = " " * (len(start) + 2)
            found += wrap(" ".join(others), WIDTH, initial_indent=start, subsequent_indent=below)
    return found[1:]


def _proofs(subject: Displayed, spelling: Notation) -> list[str]:
    """Name, how proved, reason; with the side conditions, and in capitals what is not proved."""
    claims, brief, printer = subject.claims, subject.named.claims, PlainPrinter(spelling)
    decisions = subject.decisions
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
        where = side_conditions(claims[name], decision, brief[name])
        texts = ", ".join(inline(formula, printer) for formula in where)
        sentences.append(f"where {texts}" if texts else "")
        rows = [row for sentence in sentences for row in wrap(sentence, WIDTH - indent)]
        lines.append(f"  {name.ljust(name_width)}  {hows[name].ljust(how_width)}  {rows[0]}")
        lines += [" " * indent + row for row in rows[1:]]
    return lines


# -- LaTeX -----------------------------------------------------------------------------------------------------


def _row(line: Line, spelling: Notation) -> str:
    """The equations of one line next to each other; one that is long has a row at each relation."""
    printer, labels = PaperPrinter(spelling), PaperPrinter(spelling, arguments=True)
    (label, *first), *others = [parts_of(formula, printer, labels) for formula in line]
    if not others and length(" ".join([label, *first])) > LONG:
        return f"{label} &" + " \\notag \\\\\n  &".join(first)
    beside = [" ".join(parts) for parts in others]
    return r", \qquad ".join([f"{label} &{' '.join(first)}", *beside])


# -- conditions ------------------------------------------------------------------------------------------------


def side_conditions(claim: Step, decision: Decision, brief: Step) -> list[Formula]:
    """What a proof assumes, by name, and what else it used that does not follow from the
    assumptions.
    """
    used = (
        Formula.of(c.expression, c.relation, 0)
        for c in decision.conditions
        if not (follows(c, claim.assume) or _is_removable(c, claim))
    )
    return [*map(condition, brief.assume), *used]


def _is_removable(needed: Condition, claim: Step) -> bool:
    """Whether the expression is nonzero for the quotient that defines `phi2` alone, which has a value
    at zero: both sides are continuous there.
    """
    zeros = {f.args[0] for side in (claim.lhs, claim.rhs) for f in side.atoms(phi2)}
    if not any((needed.expression / zero).cancel().is_nonzero for zero in zeros):
        return False
    bare = [side.replace(phi2, lambda x: Dummy(positive=True)) for side in (claim.lhs, claim.rhs)]
    parts = [part for side in bare for part in side.atoms(Pow, log)]
    below = [p.args[0] for p in parts if isinstance(p, log) or not p.exp.is_nonnegative]
    return needed.relation == "!=" and all(part.is_positive for part in below)
