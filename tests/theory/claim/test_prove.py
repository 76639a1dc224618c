"""Random claims of known truth: what is true is proved, what is false is refuted with a witness."""

from itertools import islice

import pytest
from tests.theory.claiming import random_claims
from tests.theory.random_limits import FAMILIES, random_limits

from isoflop.theory.claim.prove import prove
from isoflop.theory.kernel.answer import Answer
from isoflop.theory.reader.tokens import ParseError

CLAIMS, LIMITS = 120, 60
RIGHT = {True: (Answer.PROVED, Answer.BY_SYMPY), False: (Answer.REFUTED,)}
WRONG = {True: Answer.REFUTED, False: Answer.PROVED}


def misjudged_and_open(claims) -> tuple[list, list]:
    """The claims that are judged wrongly, and those that are true or false but not decided."""
    wrong, left = [], []
    for claim in claims:
        try:
            answer = prove(claim.text, seconds=60, **claim.options).answer
        except ParseError:
            left.append(claim)
            continue
        if answer is WRONG[claim.truth]:
            wrong.append((claim, answer))
        elif answer not in RIGHT[claim.truth]:
            left.append(claim)
    return wrong, left


@pytest.mark.parametrize("seed", [11, pytest.param(12, marks=pytest.mark.slow)])
def test_random_claims(seed) -> None:
    wrong, left = misjudged_and_open(islice(random_claims(seed), CLAIMS))
    assert wrong == []
    assert len(left) <= CLAIMS // 25, left


@pytest.mark.parametrize("seed", [5, pytest.param(6, marks=pytest.mark.slow)])
def test_random_limits(seed) -> None:
    drawn = list(islice(random_limits(seed), LIMITS))
    wrong: list = []
    left: list = []
    for claim in drawn:
        answer = prove(claim.text, limit=claim.limit, assume=claim.assume, seconds=60).answer
        if answer not in RIGHT[claim.truth]:
            (left if answer is Answer.UNDECIDED else wrong).append((claim, answer))
    assert wrong == []
    assert len(left) <= LIMITS // 20, left
    assert {claim.kind for claim in drawn} == set(FAMILIES)
