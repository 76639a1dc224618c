"""Broken laws against a direct sum of two powers, numerical differentiation, and a law solved for
its two terms.
"""

import mpmath
import pytest
from sympy import Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.broken import (
    BreakInLogs,
    OneBreak,
    broken_power_law,
)
from isoflop.theory.kernel.evaluate import PointEvaluator
from isoflop.theory.ray import ray

mp = mpmath.mp.clone()
mp.dps = 50


@pytest.mark.parametrize("exponents", [("0.5", "0.3"), ("0.3", "0.5")])
def test_a_ray_is_the_broken_law_for_either_order_of_the_exponents(exponents):
    b, g = map(mp.mpf, exponents)
    broken = broken_power_law(ray())
    for compute in ("1e10", "1e18", "1e26"):
        c, t = mp.mpf(compute), mp.mpf(20)
        n = mp.sqrt(c / (6 * t))
        at = {
            sym.E: mp.mpf("1.7"),
            sym.A: mp.mpf(400),
            sym.B: mp.mpf(900),
            sym.BETA: b,
            sym.GAMMA: g,
        }
        at |= {sym.C: c, sym.TOKENS_PER_PARAM: t}
        direct = mp.mpf("1.7") + 400 * n**-b + 900 * (t * n) ** -g
        assert PointEvaluator(50).evaluate(broken.at(sym.C), at) == pytest.approx(direct, rel=1e-40)


def test_the_letters_are_those_of_the_source():
    numbers = OneBreak(*(mp.mpf(x) for x in ("0.1", "2", "0.5", "-0.2", "100", "4")))
    x = mp.mpf(7)
    assert numbers.at(x) == mp.mpf("0.1") + 2 * x ** mp.mpf("-0.5") * (
        1 + (x / 100) ** mp.mpf("0.25")
    ) ** mp.mpf("0.8")


def test_the_logarithm_of_a_factor():
    c, x, f = Symbol("c", real=True), Symbol("x", real=True), Symbol("f", positive=True)
    at = {c: mp.mpf("-0.7"), x: mp.mpf("1.3"), f: mp.mpf("0.4")}
    found = PointEvaluator(50).evaluate(BreakInLogs(c, x, f).value, at)
    assert found == pytest.approx(
        mp.mpf("0.7") * mp.mpf("0.4") * mp.log(1 + mp.exp(mp.mpf("3.25"))), rel=1e-40
    )
