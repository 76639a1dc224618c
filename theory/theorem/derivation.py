"""A theorem as data: its title, assumptions, definitions, statement, steps and source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from sympy import Expr

from .step import Step, UnderLemma, Verdict
from .words import Definition, Formula, Sentence, names_in, needed, own_names


@dataclass(frozen=True)
class Derivation:
    """A theorem: title, assumptions, definitions, statement, steps, source, what follows.

    The statement is a sentence about steps: `{name}` in it is the claim of that step, so that
    nothing can be stated as a formula that no step proves. A step may use the names that are
    defined; every other letter has to be introduced by an assumption, the statement's domain, or
    the reasons. Definitions that nothing uses are left out. `short` names the steps that a paper
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
        """The claims as the statement prints them: with the conditions that it, or an assumption,
        does not say.
        """
        sentences = [t for t in (self.statement, *self.assumptions) if isinstance(t, Sentence)]
        said = [formula for sentence in sentences for formula in sentence.formulas]

        def unsaid(step: Step) -> tuple[Formula, ...]:
            return tuple(w for w in step.stated.where if not any(f.says(w) for f in said))

        return {step.name: replace(step.stated, where=unsaid(step)) for step in self.steps}

    def verify(self, *, points: int = 64, digits: int = 50, seed: int = 0) -> tuple[Verdict, ...]:
        """What the paths say of every step."""
        return tuple(step.verify(points=points, digits=digits, seed=seed) for step in self.steps)

    def refuse_mistakes(self) -> None:
        """Refuse what is certainly a mistake.

        Raises
        ------
        ValueError
            Where there is no step, a step says nothing or grants what is to be proved, two steps
            have one name, the statement holds a formula that is no step's or names no step, or a
            letter is used that nothing introduces.
        """
        for mistake in chain(self._empty(), self._unproved(), self._not_introduced()):
            raise ValueError(mistake)

    def _empty(self) -> Iterator[str]:
        """What says nothing, says it twice, or grants what is to be proved."""
        names = [step.name for step in self.steps]
        if not self.steps:
            yield "steps: there must be at least one"
        for step in self.steps:
            if step.lhs == step.rhs:
                both = str(step.lhs)[:60]
                yield f"step {step.name!r}: lhs and rhs are both {both}, which says nothing"
            if names.count(step.name) > 1:
                yield f"steps: {step.name!r} is the name of more than one; a step needs its own"
            if isinstance(step.argument, UnderLemma):
                lemma, *conclusions = (
                    " ".join(str(text).split()).rstrip(".").casefold()
                    for text in (step.argument.lemma, self.statement, step.reason)
                )
                if not lemma or lemma in conclusions:
                    yield f"step {step.name!r}: its lemma is what is to be proved, {lemma[:60]!r}"

    def _unproved(self) -> Iterator[str]:
        """What the statement says and no step proves: its own formulas are letters and domains."""
        names, said = [step.name for step in self.steps], self.statement
        reasons = [step.reason.steps for step in self.steps if isinstance(step.reason, Sentence)]
        for name in chain(said.steps, self.short, *reasons):
            if name not in names:
                yield f"{said.text!r}: {name!r} is no step; they are {', '.join(names)}"
        if not said.steps:
            yield f"statement={said.text!r}: must name the steps that prove it"
        for formula in said.formulas:
            if formula.signs and not formula.is_domain:
                yield (
                    f"statement={said.text!r}: states {formula}, which no step proves; name the "
                    f"step that does"
                )

    def _not_introduced(self) -> Iterator[str]:
        """Letters of a definition or a step that nothing before it introduces."""
        sentences = (a for a in (*self.assumptions, self.statement) if isinstance(a, Sentence))
        known: frozenset[Expr] = frozenset().union(*(sentence.names for sentence in sentences))
        used: list[tuple[str, frozenset[Expr]]] = []
        for d in self.definitions:
            own = names_in(d.value) - frozenset(d.name.free_symbols)
            used.append((f"definition of {d.name}", own - known))
            known |= own_names(d)
        for step in self.steps:
            known |= step.reason.names if isinstance(step.reason, Sentence) else frozenset()
            used.append((f"step {step.name!r}", step.formula.names - known))
        for where, unknown in used:
            for name in sorted(unknown, key=str):
                yield f"{where}: {name} is introduced by no assumption, definition or reason"
