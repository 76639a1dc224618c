"""Ranks of designs, and the exchange symmetry of a ray, at 50 digits."""

import mpmath
import pytest

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.kernel.evaluate import PointEvaluator

mp = mpmath.mp.clone()
mp.dps = 50
THETA = {
    "A": mp.mpf("482.01"),
    "B": mp.mpf("2085.43"),
    "beta": mp.mpf("0.3478"),
    "gamma": mp.mpf("0.3658"),
}


def value(expression, **numbers):
    at = {symbol: numbers[symbol.name] for symbol in expression.free_symbols}
    return PointEvaluator(50).evaluate(expression, at)


def rank(run, theta, count=8):
    """Of the Jacobian of the loss in E, log A, log B, beta and gamma at runs of eight budgets."""
    rows = []
    for i in range(count):
        n, d = run(mp.mpf(10) ** (18 + i))
        of_n, of_d = theta["A"] * n ** -theta["beta"], theta["B"] * d ** -theta["gamma"]
        rows.append([mp.mpf(1), of_n, of_d, -of_n * mp.log(n), -of_d * mp.log(d)])
    lengths = [mp.sqrt(sum(row[j] ** 2 for row in rows)) for j in range(5)]
    scaled = mp.matrix([[row[j] / lengths[j] for j in range(5)] for row in rows])
    return sum(s > mp.mpf(10) ** -30 for s in mp.svd_r(scaled, compute_uv=False))


def test_ranks_are_those_of_the_numerical_jacobian():
    """What the theorems rank_three and rank_on_a_ray say."""
    envelope = derive()
    equal = {**THETA, "gamma": THETA["beta"]}

    def of_envelope(compute):
        n, d = (value(envelope.optimum(x), C=compute, **THETA) for x in (sym.N, sym.D))
        return 3 * n, d / 3

    def of_ray(compute):
        return mp.sqrt(compute / 120), mp.sqrt(compute / 120) * 20

    def of_one_size(compute):
        return mp.mpf(10) ** 9, compute / mp.mpf(6) / 10**9

    assert rank(of_envelope, THETA) == 3
    assert rank(of_ray, equal) == 3
    assert rank(of_ray, THETA) == 5
    assert rank(of_one_size, THETA) == 3


def test_one_isoflop_more_than_the_ray_lifts_the_symmetry():
    """A' = B t^-gamma and B' = A t^beta with the exponents exchanged, as swap_symmetry_on_a_ray."""
    other = {
        "A": THETA["B"] * mp.mpf(20) ** -THETA["gamma"],
        "B": THETA["A"] * mp.mpf(20) ** THETA["beta"],
        "beta": THETA["gamma"],
        "gamma": THETA["beta"],
    }

    def loss(theta, n, d):
        return theta["A"] * n ** -theta["beta"] + theta["B"] * d ** -theta["gamma"]

    n = mp.mpf(10) ** 9
    assert loss(other, n, 20 * n) == pytest.approx(loss(THETA, n, 20 * n), rel=1e-40)
    assert abs(loss(other, n, 80 * n) / loss(THETA, n, 80 * n) - 1) > 1e-4
