"""Budgets that a document names and that are not the one under which it is read: "we count
$C = 8 N D$".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sympy import Symbol

from ..algebra.answer import Answer
from ..algebra.tokens import ParseError
from ..budget import Budget
from .defined import Sides, name_alone, plain
from .document import Layout, inline_formulas
from .paper import PrintedEquation
from .prove import Settings
from .supposed import is_conditional

#: "The compute is", before the budget that a theorem states for itself.
STATES = re.compile(r"(?:compute|budget|cost)(?![A-Za-z])[^.\0]{0,20}\bis\s+\Z", re.IGNORECASE)
#: The compute, alone on a side.
COMPUTE = {("C", ()), ("C", ("N", "D"))}
#: What the law has apart from any budget.
WITHOUT_BUDGET = frozenset(["L", "L_hat", "R", "T_N", "T_D", "phi2"])


@dataclass(frozen=True)
class NamedBudget:
    """`C = 8 N D`.

    Attributes
    ----------
    text : str
    start, end : int
        Where it stands in the document.
    budget : Budget or None
        None where it is none that the notation can say.
    is_stated : bool
        Whether the sentence says outright that the compute is this.
    """

    text: str
    start: int
    end: int
    budget: Budget | None
    is_stated: bool

    def changes(self, settings: Settings) -> frozenset[str]:
        """The names that mean something else under it; all that rest on a budget, where it is not
        understood.
        """
        own = settings.words.names
        if self.budget is None:
            changed = {name for name, meaning in own.items() if not isinstance(meaning, Symbol)}
        else:
            other = replace(settings, budget=self.budget).words.names
            changed = {name for name, meaning in own.items() if other.get(name) != meaning}
        return frozenset({"C", *changed}) - WITHOUT_BUDGET


def other_budgets(
    layout: Layout, printed: Sequence[PrintedEquation], settings: Settings
) -> Iterator[NamedBudget]:
    """Those of the formulas in the prose and of the displays."""
    formulas = [(one.text, one.start, one.end) for one in inline_formulas(layout.text)]
    formulas += [
        (plain(equation.text), equation.start, equation.display[1])
        for equation in printed
        if not equation.is_inline
    ]
    for formula, start, end in formulas:
        value = _compute_in(formula)
        if value is not None and not _is_own(value, settings):
            before = layout.before(start)
            is_stated = STATES.search(before.text) is not None and not is_conditional(before)
            yield NamedBudget(f"C = {value}", start, end, _budget(value, settings), is_stated)


def _compute_in(formula: str) -> str | None:
    """What a formula has for C in N and D: `6 N D` of `C \\approx 6 N D`."""
    sides = Sides.of(formula)
    if sides is None or not COMPUTE & {name_alone(part) for part in sides.tokens}:
        return None
    values = (
        source
        for part, source in zip(sides.tokens, sides.sources, strict=True)
        if {"N", "D"} <= {token.text for token in part} and name_alone(part) not in COMPUTE
    )
    is_equality = {relation.text for relation in sides.relations} <= {"==", "approx"}
    return next(values, "").strip() or None if is_equality else None


def _is_own(value: str, settings: Settings) -> bool:
    """Whether it is the budget of the settings."""
    try:
        return settings.prove(f"C = {value}").answer is Answer.PROVED
    except (ParseError, ValueError):
        return False


def _budget(value: str, settings: Settings) -> Budget | None:
    sides = Sides.of(f"C = {value}")
    if sides is None:
        return None
    try:
        budget = Budget.parse(" ".join(token.text for token in sides.tokens[-1]))
        return budget if replace(settings, budget=budget).words else None
    except ValueError:
        return None
