"""A theorem as data: its title, assumptions, definitions, statement, steps and source."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain

from .step import Step, Verdict
from .words import Definition, Formula, Sentence


@dataclass(frozen=True)
class Derivation:
    """A theorem: title, assumptions, definitions, statement, steps, source, consequences.

    The statement is a sentence about steps: `{name}` in it is the claim of that step, so that
    nothing can be stated as a formula that no step proves. `short` names the steps that a paper
    prints as the proof; by default they are those of the statement.
    """

    name: str
    title: str | Sentence
    assumptions: tuple[str | Sentence, ...]
    statement: Sentence
    steps: tuple[Step, ...]
    source: str
    follows: str | Sentence = ""
    definitions: tuple[Definition, ...] = ()
    short: tuple[str, ...] = ()

    @property
    def short_proof(self) -> tuple[str, ...]:
        """The names of the steps that a paper prints as the proof."""
        return self.short or tuple(dict.fromkeys(self.statement.steps))

    @property
    def stated(self) -> dict[str, Formula]:
        """The claims as the statement prints them, by step: each with those of its conditions that
        neither the statement nor an assumption contains.
        """
        sentences = [t for t in (self.statement, *self.assumptions) if isinstance(t, Sentence)]
        written = [formula for sentence in sentences for formula in sentence.formulas]

        def unwritten(step: Step) -> tuple[Formula, ...]:
            return tuple(w for w in step.stated.where if not any(f.says(w) for f in written))

        return {step.name: replace(step.stated, where=unwritten(step)) for step in self.steps}

    def verify(self) -> tuple[Verdict, ...]:
        """The verdict on every step."""
        return tuple(step.verify() for step in self.steps)

    def refuse_mistakes(self) -> None:
        """Refuse a theorem that is certainly mistaken.

        Raises
        ------
        ValueError
            If a step states nothing, two steps share a name, the statement has a formula that no
            step proves, or a step that is named does not exist.
        """
        names, statement = [step.name for step in self.steps], self.statement
        for step in self.steps:
            if step.lhs == step.rhs:
                both = str(step.lhs)[:60]
                raise ValueError(f"step {step.name!r}: both sides are {both}, which states nothing")
            if names.count(step.name) > 1:
                raise ValueError(f"steps: two are named {step.name!r}; each needs its own name")
        reasons = [step.reason.steps for step in self.steps if isinstance(step.reason, Sentence)]
        for name in chain(statement.steps, self.short, *reasons):
            if name not in names:
                steps = ", ".join(names)
                raise ValueError(f"{statement.text!r}: {name!r} is no step; the steps are {steps}")
        if not statement.steps:
            raise ValueError(f"statement={statement.text!r}: must name the steps that prove it")
        for formula in statement.formulas:
            if formula.signs and not formula.is_domain:
                raise ValueError(
                    f"statement={statement.text!r}: states {formula}, which no step proves; name "
                    f"the step that does"
                )
