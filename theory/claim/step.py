"""A step of a theorem as a claim of its own: what `prove` says where the argument of the step does
not go through.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Symbol

from ..budget import Budget
from ..envelope import derive
from ..penalty import misallocation
from ..theorem.step import Step
from ..theorem.words import Definition, Sentence, condition, needed, unfolded
from ..typeset.plain import plain
from ..typeset.words import plain_sentence
from .prove import Proof, prove
from .vocabulary import vocabulary


def looked_at_again(
    step: Step, budget: Budget, *, seed: int = 0, seconds: float | None = None
) -> Proof | None:
    """The verdict on a step as a claim; None where that cannot be read as one."""
    known = vocabulary(budget=budget).names
    of_the_law = misallocation(derive(budget=budget)).definitions
    own = [d for d in needed(step.where, replace(step, where=())) if d not in of_the_law]
    fixed = [d for d in own if isinstance(known.get(str(d.name)), Symbol)]
    renamed = [d for d in own if d not in fixed and str(d.name).partition("(")[0] in known]
    named = [replace(d, value=unfolded(d.value, renamed)) for d in own if d not in fixed + renamed]

    def equality(definition: Definition) -> str:
        return f"{plain(definition.name)} == {plain(definition.value)}"

    lhs, rhs = (plain(unfolded(side, renamed)) for side in (step.lhs, step.rhs))
    assume = [*map(equality, fixed)]
    assume += [plain_sentence(Sentence("{}", (condition(e),))) for e in step.assume]
    assume += [f"{x} real" for x in sorted(step.symbols, key=str) if x.is_positive is None]
    try:
        return prove(
            f"{lhs} {step.relation} {rhs}",
            assume=assume,
            let=list(map(equality, named)),
            notation="schaeffer",
            limit=None if step.limit is None else f"{step.limit[0]} -> {step.limit[1]}",
            budget=budget,
            seed=seed,
            seconds=seconds,
        )
    except ValueError:
        return None
