"""Equations as data, and how a result that is described by them is read: as text for a terminal and
as an align block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap

from sympy import Dummy, Expr, Pow, Symbol, exp, log

from ..algebra.answer import Decision
from ..algebra.functions import phi2
from ..data.notation import DEFAULT, Notation
from ..data.notation import notation as find_notation
from ..proof.claim import Claim, Derivation
from ..proof.words import Sentence, condition
from .breaking import ARTICLE, LineWidth, filled, pieces
from .plain import PlainPrinter
from .printer import PaperPrinter, snug
from .width import width
from .words import latex_sentence, plain_sentence

WIDTH = 100


@dataclass(frozen=True)
class Equation:
    """Sides that are equal (or stand in `relation`), with an order of what was left out and a
    condition.
    """

    sides: tuple[Expr, ...]
    relation: str = "="
    remainder: Expr | None = None
    condition: tuple[Expr, str, Expr] | None = None

    @property
    def label(self) -> Expr:
        return self.sides[0]


Line = tuple[Equation, ...]
Section = tuple[Sentence | str, list[Line]]


class Displayed:
    """Base of a result that is read as equations: text, LaTeX and the notebook follow from its
    `sections`.

    A subclass defines what is declared here. A frozen dataclass can derive from it; it has no
    fields.
    """

    def statements(self) -> list[Claim]:
        """Every statement about it, each with its proof."""
        raise NotImplementedError

    @property
    def named(self) -> Displayed:
        """The same with its closed forms as names, in which conditions are printed."""
        raise NotImplementedError

    @property
    def derivation(self) -> Derivation:
        """The theorem."""
        raise NotImplementedError

    @property
    def law_and_budget(self) -> tuple[Expr, Expr]:
        """The loss and the compute in their variables."""
        raise NotImplementedError

    @cached_property
    def claims(self) -> dict[str, Claim]:
        """Every statement by name."""
        return {claim.name: claim.unfolded for claim in self.statements()}

    @cached_property
    def named_steps(self) -> dict[str, Claim]:
        """The statements in names, as steps of a derivation that defines them."""
        return {claim.name: claim for claim in self.named.statements()}

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
        sections, printer = self.sections(spelling), PlainPrinter(spelling)
        labels = [printer.doprint(e.label) for _, lines in sections for line in lines for e in line]
        parts = []
        for heading, lines in sections:
            title = plain_sentence(heading, spelling)
            parts += [title, "", *_rows(lines, printer, max(map(len, labels))), ""]
        return "\n".join([*parts, *_proofs(self, spelling)] if proofs else parts[:-1])

    def __str__(self) -> str:
        return self.text()

    def to_latex(
        self,
        *,
        notation: str | Notation = DEFAULT,
        environment: str = "align",
        measure: LineWidth = ARTICLE,
    ) -> str:
        r"""The equations as a LaTeX align block.

        Parameters
        ----------
        notation : {"schaeffer", "hoffmann"}
        environment : {"align", "align*"}
        measure : LineWidth
            Wider equations are broken.

        Raises
        ------
        ValueError
            Where the notation would rename the law's own letters.
        """
        if environment not in ("align", "align*"):
            raise ValueError(f"environment={environment!r}: must be align or align*")
        spelling = find_notation(notation)
        self.check_spelling(spelling)
        printed = [
            (
                heading,
                [
                    [_equation_latex(equation, spelling, measure) for equation in line]
                    for line in lines
                ],
            )
            for heading, lines in self.sections(spelling)
        ]
        column = max(width(line[0][0]) for _, lines in printed for line in lines)
        parts: list[str] = []
        for heading, lines in printed:
            rows = [_row(line, measure.text - column, environment == "align") for line in lines]
            title = rf"  \intertext{{{latex_sentence(heading, spelling)}:}}" + "\n"
            shown = ", \\\\\n".join(f"  {row}" for row in rows) + ".\n"
            parts.append(title + shown if len(printed) > 1 else shown)
        return f"\\begin{{{environment}}}\n{''.join(parts)}\\end{{{environment}}}"

    def _repr_latex_(self) -> str:
        return self.to_latex()


def _right_side(
    equation: Equation,
    printer: PaperPrinter | PlainPrinter,
    parts: Callable[[Expr], Iterable[str]],
    conditioned: Callable[[str], str],
) -> list[str]:
    """The equation from its first sign on, in pieces between which it may be broken."""
    sign = printer.signs.get(equation.relation, equation.relation)
    sides = [parts(side) for side in equation.sides[1:]]
    found = [piece for start, *more in sides for piece in (f"{sign} {start}", *more)]
    if equation.remainder is not None:
        found.append(f"+ O{printer.bracket(printer.doprint(equation.remainder))}")
    if equation.condition is not None:
        left, relation, right = equation.condition
        link = printer.signs.get(relation, relation)
        found[-1] += conditioned(f"{printer.doprint(left)} {link} {printer.doprint(right)}")
    return found


# -- text ------------------------------------------------------------------------------------------------------


def _rows(lines: Sequence[Line], printer: PlainPrinter, column: int) -> list[str]:
    """One equation a row, the relations under each other."""
    rows = []
    for equation in (equation for line in lines for equation in line):
        label = printer.doprint(equation.label)
        found = _right_side(
            equation, printer, lambda side: [printer.doprint(side)], "   for {}".format
        )
        first, *rest = _broken(" ".join(found), WIDTH - column - 3)
        rows.append(f"  {label.ljust(column)} {first}")
        rows += [" " * (column + 5) + more for more in rest]
    return rows


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


def _proofs(subject: Displayed, spelling: Notation) -> list[str]:
    """Name, how proved, reason; with the side conditions, and in capitals what is not proved."""
    claims, brief = subject.claims, subject.named.claims
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
        sentences.append(_where(side_conditions(claims[name], decision, brief[name]), spelling))
        rows = [row for sentence in sentences for row in wrap(sentence, WIDTH - indent)]
        lines.append(f"  {name.ljust(name_width)}  {hows[name].ljust(how_width)}  {rows[0]}")
        lines += [" " * indent + row for row in rows[1:]]
    return lines


def _where(conditions: Sequence[tuple[Expr, str]], spelling: Notation) -> str:
    printer = PlainPrinter(spelling)
    texts = [f"{printer.doprint(expression)} {relation} 0" for expression, relation in conditions]
    return f"where {', '.join(texts)}" if texts else ""


# -- LaTeX -----------------------------------------------------------------------------------------------------


def _row(line: Sequence[tuple[str, list[str]]], room: int, numbered: bool) -> str:
    """The equations of one line next to each other, or one that is too wide on several lines."""
    (label, first), *others = line
    beside = [f"{left} {' '.join(right)}" for left, right in others]
    text = r", \qquad ".join([f"{label} &{' '.join(first)}", *beside])
    if others or width(" ".join(first)) <= room:
        return text
    rows = filled(first, room)
    end = r" \notag" if numbered else ""
    return f"{label} &" + f"{end} \\\\\n  &\\quad ".join(rows)


def _equation_latex(
    equation: Equation, spelling: Notation, measure: LineWidth
) -> tuple[str, list[str]]:
    """The left side, and the rest from its relation on."""
    printer = PaperPrinter(spelling)

    def conditioned(text: str) -> str:
        return rf" \quad {snug(printer.bracket(text))}"

    right = _right_side(
        equation, printer, lambda side: pieces(side, printer, measure.item), conditioned
    )
    return PaperPrinter(spelling, arguments=True).doprint(equation.label), right


# -- conditions ------------------------------------------------------------------------------------------------


def side_conditions(claim: Claim, decision: Decision, brief: Claim) -> list[tuple[Expr, str]]:
    """What a proof assumes, by name, and what else it used that does not follow from the
    assumptions.
    """
    used = [(c.expression, c.relation) for c in decision.conditions]
    left = [
        (e, relation)
        for e, relation in used
        if not any(_follows(e, relation, a) for a in claim.assume)
        and not (relation == "!=" and _is_removable(e, claim))
    ]
    assumed = ((said.sides[0], said.signs[0]) for said in map(condition, brief.assume))
    return [*assumed, *left]


def _is_removable(expression: Expr, claim: Claim) -> bool:
    """Whether the expression is nonzero for the quotient that defines `phi2` alone, which has a value
    at zero: both sides are continuous there.
    """
    sides = [claim.lhs, claim.rhs]
    zeros = [f.args[0] for side in sides for f in side.atoms(phi2)]
    if not any(_follows(expression, "!=", zero) for zero in zeros):
        return False
    bare = [side.replace(phi2, lambda x: Dummy(positive=True)) for side in sides]
    parts = [part for side in bare for part in side.atoms(Pow, log)]
    below = [p.args[0] for p in parts if isinstance(p, log) or not p.exp.is_nonnegative]
    return all(part.is_positive for part in below)


def _follows(expression: Expr, relation: str, assumption: Expr) -> bool:
    """Whether the condition is an assumption times something positive, or nonzero where that
    suffices.
    """
    opaque: dict[Expr, Symbol] = {}
    above, below = (_without_powers(side, opaque) for side in (expression, assumption))
    factor = (above / below).cancel().factor()
    if relation == "!=":
        return bool(factor.is_nonzero or (above * factor).is_positive)
    return bool(factor.is_positive)


def _without_powers(expression: Expr, opaque: dict[Expr, Symbol]) -> Expr:
    """The expression with every power that is no integer one as a name: a rational function."""
    expanded = expression.expand()
    powers = [p for p in expanded.atoms(Pow, exp) if isinstance(p, exp) or not p.exp.is_Integer]
    for power in powers:
        opaque.setdefault(power, Dummy(positive=True))
    return expanded.xreplace({power: opaque[power] for power in powers})
