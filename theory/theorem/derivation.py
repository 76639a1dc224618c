"""A theorem as data: its title, assumptions, definitions, statement, steps and source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from sympy import Expr

from .step import Step, UnderLemma, Verdict
from .words import Definition, Formula, Sentence, defined_names, names_in, needed


@dataclass(frozen=True)
class Derivation:
    """A theorem: title, assumptions, definitions, statement, steps, source, consequences.

    The statement is a sentence about steps: `{name}` in it is the claim of that step, so that
    nothing can be stated as a formula that no step proves. A step may use the defined names; an
    assumption, the domain in the statement or a reason must introduce every other letter.
    Definitions that nothing uses are left out. `short` names the steps that a paper prints as the
    proof; by default they are those of the statement.
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

    def __post_init__(self) -> None:
        if self.definitions:
            bare = tuple(replace(step, where=()) for step in self.steps)
            used = needed(self.definitions, bare, self.statement, self.follows, self.assumptions)
            object.__setattr__(self, "definitions", used)
            object.__setattr__(self, "steps", tuple(replace(s, where=used) for s in bare))

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

    def verify(self, *, points: int = 64, digits: int = 50, seed: int = 0) -> tuple[Verdict, ...]:
        """The verdict on every step."""
        return tuple(step.verify(points=points, digits=digits, seed=seed) for step in self.steps)

    def refuse_mistakes(self) -> None:
        """Refuse a theorem that is certainly mistaken.

        Raises
        ------
        ValueError
            If there is no step, a step states nothing or its lemma is the claim itself, two steps
            share a name, the statement has a formula that no step proves or names a step that does
            not exist, or nothing introduces a letter that is used.
        """
        for mistake in chain(self._empty(), self._unproved(), self._not_introduced()):
            raise ValueError(mistake)

    def _empty(self) -> Iterator[str]:
        """Complaints about steps that state nothing, share a name, or assume their own claim."""
        names = [step.name for step in self.steps]
        if not self.steps:
            yield "steps: there must be at least one"
        for step in self.steps:
            if step.lhs == step.rhs:
                both = str(step.lhs)[:60]
                yield f"step {step.name!r}: both sides are {both}, which states nothing"
            if names.count(step.name) > 1:
                yield f"steps: two are named {step.name!r}; every step needs a name of its own"
            if isinstance(step.argument, UnderLemma):
                lemma, *conclusions = (
                    " ".join(str(text).split()).rstrip(".").casefold()
                    for text in (step.argument.lemma, self.statement, step.reason)
                )
                if not lemma or lemma in conclusions:
                    yield f"step {step.name!r}: its lemma is the claim itself, {lemma[:60]!r}"

    def _unproved(self) -> Iterator[str]:
        """Complaints about a statement that says more than the steps prove: its own formulas may
        only introduce letters and their domains.
        """
        names, statement = [step.name for step in self.steps], self.statement
        reasons = [step.reason.steps for step in self.steps if isinstance(step.reason, Sentence)]
        for name in chain(statement.steps, self.short, *reasons):
            if name not in names:
                yield f"{statement.text!r}: {name!r} is no step; the steps are {', '.join(names)}"
        if not statement.steps:
            yield f"statement={statement.text!r}: must name the steps that prove it"
        for formula in statement.formulas:
            if formula.signs and not formula.is_domain:
                yield (
                    f"statement={statement.text!r}: states {formula}, which no step proves; name "
                    f"the step that does"
                )

    def _not_introduced(self) -> Iterator[str]:
        """Complaints about letters of a definition or a step that nothing before it introduces."""
        sentences = (a for a in (*self.assumptions, self.statement) if isinstance(a, Sentence))
        known: frozenset[Expr] = frozenset().union(*(sentence.names for sentence in sentences))
        used: list[tuple[str, frozenset[Expr]]] = []
        for definition in self.definitions:
            letters = names_in(definition.value) - frozenset(definition.name.free_symbols)
            used.append((f"definition of {definition.name}", letters - known))
            known |= defined_names(definition)
        for step in self.steps:
            known |= step.reason.names if isinstance(step.reason, Sentence) else frozenset()
            used.append((f"step {step.name!r}", step.formula.names - known))
        for where, unknown in used:
            for name in sorted(unknown, key=str):
                yield f"{where}: {name} is introduced by no assumption, definition or reason"
