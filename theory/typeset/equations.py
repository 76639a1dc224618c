"""Results that print as equations, as text for a terminal and as an align block of LaTeX."""

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
    """Base class of a result that prints as equations: text, LaTeX and the notebook's view follow
    from its `sections`.

    A subclass defines the methods that raise NotImplementedError here. It may be a frozen
    dataclass: this class has no fields.
    """

    def statements(self) -> list[Step]:
        """Every statement about the result, as a step with its argument."""
        raise NotImplementedError

    @property
    def named(self) -> Displayed:
        """The same result with names in place of its closed forms; conditions are printed in them."""
        raise NotImplementedError

    @cached_property
    def claims(self) -> dict[str, Step]:
        """Every statement by name, with its defined names written out."""
        return {step.name: step.unfolded for step in self.statements()}

    @cached_property
    def decisions(self) -> dict[str, Decision]:
        """The decision on each statement, by name."""
        return {name: step.prove() for name, step in self.claims.items()}

    def check_spelling(self, spelling: Notation) -> None:
        """Raise ValueError if the notation would rename the law's own letters."""
        raise NotImplementedError

    def sections(self, spelling: Notation) -> list[Section]:
        """The equations under their headings; LaTeX omits the heading of a single section."""
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
            If the notation would rename the law's own letters.
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
            If the notation would rename the law's own letters.
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
    """Each statement with its argument, reason and side conditions; a verdict in capitals where it
    is not proved.
    """
    brief, decisions, printer = subject.named.claims, subject.decisions, PlainPrinter(spelling)
    proved = sum(decision.proved for decision in decisions.values())
    lines = [f"Proofs ({proved} of {len(decisions)} proved)", ""]
    for name, decision in decisions.items():
        claim, verdict = subject.claims[name], decision.answer.value.upper()
        how = claim.argument.label if decision.proved else f"{verdict}, {decision.reason}"
        reason = plain_sentence(claim.reason, spelling).replace(":", ".")
        where = side_conditions(claim, decision, brief[name])
        conditions = ", ".join(inline(formula, printer) for formula in where)
        text = f"{name} ({how}). {reason}{f' Where {conditions}.' if conditions else ''}"
        lines += wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ")
    return lines


# -- LaTeX -----------------------------------------------------------------------------------------------------


def _row(line: Line, spelling: Notation) -> str:
    """The equations of one line side by side; a long equation alone gets a row for each relation."""
    printer, labels = PaperPrinter(spelling), PaperPrinter(spelling, arguments=True)
    (label, *first), *others = [parts_of(formula, printer, labels) for formula in line]
    if not others and length(" ".join([label, *first])) > LONG:
        return f"{label} &" + " \\notag \\\\\n  &".join(first)
    beside = [" ".join(parts) for parts in others]
    return r", \qquad ".join([f"{label} &{' '.join(first)}", *beside])


# -- conditions ------------------------------------------------------------------------------------------------


def side_conditions(step: Step, decision: Decision, brief: Step) -> list[Formula]:
    """The assumptions of a step, as its `brief` form in names has them, and the conditions of its
    proof that do not follow from them.
    """
    used = (
        Formula.of(c.expression, c.relation, 0)
        for c in decision.conditions
        if not (follows(c, step.assume) or _is_removable(c, step))
    )
    return [*map(condition, brief.assume), *used]


def _is_removable(needed: Condition, step: Step) -> bool:
    """Whether only the quotient that defines `phi2` needs the condition: phi2 has a value at zero,
    and both sides are continuous there.
    """
    zeros = {f.args[0] for side in (step.lhs, step.rhs) for f in side.atoms(phi2)}
    if not any((needed.expression / zero).cancel().is_nonzero for zero in zeros):
        return False
    bare = [side.replace(phi2, lambda x: Dummy(positive=True)) for side in (step.lhs, step.rhs)]
    parts = [part for side in bare for part in side.atoms(Pow, log)]
    below = [p.args[0] for p in parts if isinstance(p, log) or not p.exp.is_nonnegative]
    return needed.relation == "!=" and all(part.is_positive for part in below)
