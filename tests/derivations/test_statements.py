"""Theorems and lemmas by other routes: random data, a fit and an optimum in numbers."""

from fractions import Fraction
from itertools import pairwise
from random import Random

import mpmath

from isoflop.theory.theorem.step import UnderLemma
from isoflop.theory.verification import load

MP = mpmath.mp.clone()
MP.dps = 50


def sign_changes(sequence) -> int:
    signs = [value > 0 for value in sequence if value]
    return sum(a != b for a, b in pairwise(signs))


def test_a_difference_has_at_most_one_sign_change_fewer() -> None:
    step = {step.name: step for step in load("stationary_fit_bias").steps}["exponent_between"]
    assert isinstance(step.argument, UnderLemma)
    assert "at most one sign change fewer" in str(step.argument.lemma)
    random = Random(3)
    lost = set()
    for _ in range(3_000):
        terms = [Fraction(random.randint(-9, 9)) for _ in range(random.randint(2, 7))]
        factor = Fraction(random.randint(1, 30), 10)
        shifted = [after - factor * before for before, after in pairwise(terms)]
        lost.add(sign_changes(terms) - sign_changes(shifted))
    assert max(lost) == 1
    assert min(lost) < 0  # sign changes can be gained: "at least one fewer" would be false


def test_the_bias_of_a_stationary_fit_in_numbers() -> None:
    """Least squares through five runs: E' > E, and the exponent strictly between beta/2 and
    gamma/2.
    """
    mp = MP
    e, slow, fast = mp.mpf("1.7"), mp.mpf("0.28"), mp.mpf("0.4")
    runs = [
        (x, e + mp.exp(-slow / 2 * x) + mp.mpf("0.6") * mp.exp(-fast / 2 * x)) for x in range(5)
    ]

    def best(exponent):
        """The best floor and size at this exponent."""
        rows = mp.matrix([[1, mp.exp(-exponent * x)] for x, _ in runs])
        return mp.lu_solve(rows, mp.matrix([y for _, y in runs]))

    def stationary(exponent):
        floor, size = best(exponent)
        falling = [(x, y, mp.exp(-exponent * x)) for x, y in runs]
        return mp.fsum((floor + size * f - y) * x * f for x, y, f in falling)

    exponent = mp.findroot(stationary, (0.15, 0.19), solver="anderson", maxsteps=100, verify=False)
    assert abs(stationary(exponent)) < mp.mpf(10) ** -30
    assert best(exponent)[0] > e
    assert slow / 2 < exponent < fast / 2
