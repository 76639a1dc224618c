"""Broken laws against a direct sum of two powers, numerical differentiation, and a law solved for
its two terms.
"""

import mpmath
import pytest
from sympy import Rational, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.broken import (
    BreakForm,
    BreakInLogs,
    BrokenForm,
    OneBreak,
    broken_power_law,
    two_terms,
)
from isoflop.theory.proof.points import PointEvaluator
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


BREAKS = (("0.3", "1e3", "0.4"), ("-0.5", "1e7", "1.5"))


def with_two_breaks():
    breaks = tuple(BreakForm(*map(Rational, part)) for part in BREAKS)
    return BrokenForm(Rational("0.2"), Rational(3), Rational("0.1"), breaks)


def direct(x):
    """3 x^-0.1 times the two factors."""
    value = 3 * x ** -mp.mpf("0.1")
    for c, d, f in (map(mp.mpf, part) for part in BREAKS):
        value *= (1 + (x / d) ** (1 / f)) ** (-c * f)
    return value


@pytest.mark.parametrize("x", ["1", "1e3", "3e5", "1e9"])
def test_value_and_local_exponent_of_a_law_with_two_breaks(x):
    law, at = with_two_breaks(), {sym.C: Rational(x)}
    found = PointEvaluator(50).evaluate(law.at(sym.C), at)
    assert found == pytest.approx(mp.mpf("0.2") + direct(mp.mpf(x)), rel=1e-40)
    slope = -mp.diff(lambda z: mp.log(direct(mp.exp(z))), mp.log(mp.mpf(x)))
    assert PointEvaluator(50).evaluate(law.exponent(sym.C), at) == pytest.approx(slope, rel=1e-15)


def test_far_beyond_the_breaks_the_law_is_a_power_law():
    law = with_two_breaks()
    assert law.last_exponent == Rational("-0.1")
    evaluate = PointEvaluator(50).evaluate
    assert direct(mp.mpf(10) ** 60) == pytest.approx(
        evaluate(law.last_coefficient, {}) * mp.mpf(10) ** 6, rel=1e-12
    )


def test_read_from_the_other_end_it_is_the_same_law():
    for x in (Rational(1, 7), Rational(10**5), Rational(10**9)):
        values = [
            PointEvaluator(50).evaluate(law.at(sym.C), {sym.C: x})
            for law in (with_two_breaks(), with_two_breaks().reversed)
        ]
        assert values[0] == pytest.approx(values[1], rel=1e-40)


def test_the_logarithm_of_a_factor():
    c, x, f = Symbol("c", real=True), Symbol("x", real=True), Symbol("f", positive=True)
    at = {c: mp.mpf("-0.7"), x: mp.mpf("1.3"), f: mp.mpf("0.4")}
    found = PointEvaluator(50).evaluate(BreakInLogs(c, x, f).value, at)
    assert found == pytest.approx(
        mp.mpf("0.7") * mp.mpf("0.4") * mp.log(1 + mp.exp(mp.mpf("3.25"))), rel=1e-40
    )


def test_two_terms_behind_a_broken_law():
    b, d1, p, q = (Symbol(name, positive=True) for name in ("b", "d1", "p", "q"))
    terms = two_terms(ray(), b, d1, p, q)
    numbers = {
        b: mp.mpf(900),
        d1: mp.mpf("1e20"),
        p: mp.mpf("0.25"),
        q: mp.mpf("0.1"),
        sym.TOKENS_PER_PARAM: mp.mpf(20),
    }
    A, B, beta, gamma = (
        PointEvaluator(50).evaluate(part, numbers)
        for part in (terms.A, terms.B, terms.beta, terms.gamma)
    )
    assert (beta, gamma) == (mp.mpf("0.5"), mp.mpf("0.2"))
    for compute in ("1e17", "1e20", "1e25"):
        c = mp.mpf(compute)
        n = mp.sqrt(c / 120)
        broken = 900 * c ** -mp.mpf("0.25") * (1 + (c / mp.mpf("1e20")) ** mp.mpf("0.15"))
        assert A * n**-beta + B * (20 * n) ** -gamma == pytest.approx(broken, rel=1e-40)
