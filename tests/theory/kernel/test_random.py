"""Random identities made by rewriting, and false ones made by a mistake: none may be misjudged."""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import NamedTuple

import sympy
from tests.theory import rewriting
from tests.theory.rewriting import Node, from_sympy, renamed, to_sympy

from isoflop.theory.envelope import derive
from isoflop.theory.kernel import Answer, Decision, decide
from isoflop.theory.penalty import misallocation
from isoflop.theory.symbols import LOG_SIZE_RATIO, SIZE_RATIO

SEED = 20_240
PAIRS = 20
SPELLING = {"beta": "b", "gamma": "g", "r": "k", "rho": "k"}


class Judged(NamedTuple):
    """A pair as written, and what the procedure says of it."""

    left: Node
    right: Node
    decision: Decision

    def __str__(self) -> str:
        left, right = (to_sympy(side, evaluated=False) for side in self[:2])
        return f"{left}  ==  {right}: {self.decision}"


def formulas_of_the_theory() -> list[Node]:
    envelope = derive()
    family = misallocation(envelope)
    of_envelope = "params tokens coefficient loss tokens_per_param compute_for_reducible"
    of_penalty = "penalty penalty_in_ratio effective_compute critical_size_ratio"
    formulas = [getattr(envelope, name) for name in of_envelope.split()]
    formulas += [getattr(family, name) for name in of_penalty.split()]
    formulas.append(family.targets.data_wall)
    formulas.append(family.excess.subs(LOG_SIZE_RATIO, sympy.log(SIZE_RATIO)))
    return [renamed(from_sympy(formula), SPELLING) for formula in formulas]


def judge(pairs: Iterator[tuple[Node, Node]]) -> list[Judged]:
    """In turn as SymPy evaluates the sides by default, and exactly as they are written."""
    return [
        Judged(*pair, decide(*(to_sympy(side, evaluated=i % 2 == 0) for side in pair)))
        for i, pair in enumerate(islice(pairs, PAIRS))
    ]


def test_true_identities_are_proved() -> None:
    """They lie in the class for which the procedure is complete; mpmath with 60 digits judges the
    generator.
    """
    pairs = judge(rewriting.true_identities(SEED, formulas_of_the_theory()))
    random = Random(SEED)
    assert all(
        rewriting.relative_difference(pair.left, pair.right, random) < 1e-35 for pair in pairs
    )
    assert [str(pair) for pair in pairs if pair.decision.refuted] == []
    undecided = [str(pair) for pair in pairs if pair.decision.answer is Answer.UNDECIDED]
    assert len(undecided) <= 1, undecided


def test_false_identities_are_refuted_at_witnesses_that_separate_the_sides() -> None:
    """At the witness mpmath finds the two values that the decision prints."""
    mp = rewriting.MP
    pairs = judge(rewriting.false_identities(SEED, formulas_of_the_theory()))
    assert [str(pair) for pair in pairs if pair.decision.proved] == []
    witnesses = [(pair, w) for pair in pairs if (w := pair.decision.witness) is not None]
    assert len(witnesses) >= PAIRS - 1
    for pair, witness in witnesses:
        names = rewriting.symbols_of(pair.left, pair.right)
        point = dict.fromkeys(names, mp.one)  # those that cancel
        point |= {s.name: v for s, v in witness.point}
        assert witness.lhs != witness.rhs
        for side, printed in ((pair.left, witness.lhs), (pair.right, witness.rhs)):
            value = rewriting.evaluate(side, point)
            close = mp.mpf(10) ** -9 * max(abs(value), mp.mpf(10) ** -40)
            assert abs(value - mp.mpf(printed)) <= close, str(pair)
