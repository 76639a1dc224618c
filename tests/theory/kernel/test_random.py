"""Random identities made by rewriting, and false ones made by a mistake: none may be misjudged."""

from random import Random
from typing import NamedTuple

import pytest
import sympy
from tests.theory import rewriting
from tests.theory.rewriting import Node, from_sympy, renamed, to_sympy

from isoflop.theory.envelope import derive
from isoflop.theory.kernel import Answer, Decision, decide
from isoflop.theory.penalty import misallocation
from isoflop.theory.symbols import LOG_SIZE_RATIO, SIZE_RATIO

SEED = 20_240
PAIRS = 200
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
    formulas = (
        envelope.params,
        envelope.tokens,
        envelope.coefficient,
        envelope.loss,
        envelope.tokens_per_param,
        envelope.compute_for_reducible,
        family.penalty,
        family.penalty_in_ratio,
        family.effective_compute,
        family.critical_size_ratio,
        family.excess.subs(LOG_SIZE_RATIO, sympy.log(SIZE_RATIO)),
        family.data_wall,
    )
    return [renamed(from_sympy(formula), SPELLING) for formula in formulas]


def judge(pairs: list[tuple[Node, Node]]) -> list[Judged]:
    """In turn as SymPy evaluates the sides by default, and exactly as they are written."""
    return [
        Judged(*pair, decide(*(to_sympy(side, evaluated=i % 2 == 0) for side in pair)))
        for i, pair in enumerate(pairs)
    ]


@pytest.fixture(scope="module")
def true_pairs() -> list[Judged]:
    pairs = rewriting.true_identities(SEED, formulas_of_the_theory())
    return judge(rewriting.take(pairs, PAIRS))


@pytest.fixture(scope="module")
def false_pairs() -> list[Judged]:
    pairs = rewriting.false_identities(SEED, formulas_of_the_theory())
    return judge(rewriting.take(pairs, PAIRS))


def test_rewriting_keeps_the_value(true_pairs: list[Judged]) -> None:
    """The generator itself, judged by mpmath with 60 digits."""
    random = Random(SEED)
    assert [
        str(pair)
        for pair in true_pairs
        if rewriting.relative_difference(pair.left, pair.right, random) > 1e-35
    ] == []


def test_no_true_identity_is_refuted(true_pairs: list[Judged]) -> None:
    assert [str(pair) for pair in true_pairs if pair.decision.refuted] == []


def test_no_false_identity_is_proved(false_pairs: list[Judged]) -> None:
    assert [str(pair) for pair in false_pairs if pair.decision.proved] == []


def test_true_identities_are_proved(true_pairs: list[Judged]) -> None:
    """All of them lie in the class for which the procedure is complete."""
    undecided = [str(pair) for pair in true_pairs if pair.decision.answer is Answer.UNDECIDED]
    assert len(undecided) <= PAIRS // 100, undecided


def test_false_identities_are_refuted(false_pairs: list[Judged]) -> None:
    undecided = [str(pair) for pair in false_pairs if pair.decision.answer is Answer.UNDECIDED]
    assert len(undecided) <= PAIRS // 200, undecided


def test_witnesses_separate_the_sides(false_pairs: list[Judged]) -> None:
    """At the witness mpmath finds the two values that the decision prints."""
    mp = rewriting.MP
    for pair in false_pairs:
        witness = pair.decision.witness
        if witness is None:
            continue
        point = dict.fromkeys(
            rewriting.symbols_of(pair.left, pair.right), mp.one
        )  # those that cancel
        point |= {
            symbol.name: mp.mpf(int(value.p)) / int(value.q) for symbol, value in witness.point
        }
        for side, printed in ((pair.left, witness.lhs), (pair.right, witness.rhs)):
            value = rewriting.evaluate(side, point)
            assert abs(value - mp.mpf(printed)) <= mp.mpf(10) ** -9 * max(
                abs(value), mp.mpf(10) ** -40
            ), str(pair)
        assert witness.lhs != witness.rhs
