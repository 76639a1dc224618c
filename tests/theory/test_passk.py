"""What the theorems of pass@k define, against counting and direct integration with 60 digits; and the
closed forms that numbers are computed from, against the theorems.
"""

from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import pytest
from sympy import Expr, Integer, Rational, Symbol, log, sympify
from sympy.core.function import AppliedUndef
from tests.theory import values
from tests.theory.documents import derivation_of
from tests.theory.values import MP

from isoflop.theory import passk
from isoflop.theory.kernel import symbols as sym
from isoflop.theory.kernel.decide import decide
from isoflop.theory.kernel.factorials import Value
from isoflop.theory.kernel.functions import defined
from isoflop.theory.passk import DRAWS
from isoflop.theory.theorem.words import unfolded


def symbols(names: str) -> tuple[Symbol, ...]:
    return tuple(Symbol(name, positive=True) for name in names.split())


SAMPLES, CORRECT, SHAPE_A, SHAPE_B = symbols("n c a b")


def named(theorem: str, name: str, *arguments: Expr) -> Expr:
    """What a theorem defines a name as, at the arguments of a function."""
    known = derivation_of(theorem).definitions
    (found,) = (
        d.name
        for d in known
        if name == (d.name.func.__name__ if isinstance(d.name, AppliedUndef) else str(d.name))
    )
    return unfolded(found.func(*arguments) if arguments else found, known)


def side(theorem: str, step: str, which: str = "rhs") -> Expr:
    """A side of a step with every name written out."""
    (claim,) = (each for each in derivation_of(theorem).steps if each.name == step)
    return getattr(claim.unfolded, which)


def value(expression: Expr, point: dict[Symbol, Any]) -> Any:
    """The number at a point; a factorial or a value of Gamma from the argument in its name."""
    known = {s.name: s for s in point}
    factorials = {
        s: MP.factorial(values.value(sympify(s.name.strip("!()"), locals=known), point))
        for s in expression.free_symbols
        if isinstance(s, Value)
    }
    return values.value(defined(expression), {**point, **factorials})


def close(found: Any, wanted: Any, tolerance: float = 1e-25) -> bool:
    if isinstance(wanted, Fraction):
        wanted = MP.mpf(wanted.numerator) / wanted.denominator
    return bool(abs(found - wanted) <= tolerance * max(1, abs(wanted)))


@pytest.mark.parametrize(("n", "c", "k"), [(6, 1, 1), (6, 2, 3), (7, 3, 4), (8, 4, 2)])
def test_estimator_counts_the_draws_without_success(n: int, c: int, k: int) -> None:
    correct = set(range(c))
    draws = list(combinations(range(n), k))
    counted = Fraction(sum(not correct & set(draw) for draw in draws), len(draws))
    point = {SAMPLES: n, CORRECT: c, DRAWS: k}
    assert close(value(named("pass_at_k_stable_form", "f", DRAWS, CORRECT), point), counted)
    assert close(value(named("pass_at_k_estimator_is_unbiased", "f"), point), counted)
    factor = side("pass_at_k_stable_form", "one_more_draw")
    assert close(MP.fprod(value(factor, point | {DRAWS: i}) for i in range(k)), counted)


@pytest.mark.parametrize(("n", "k1", "k2"), [(6, 3, 2), (8, 2, 4), (5, 4, 3), (4, 4, 4)])
def test_overlap_weights_give_the_covariance(n: int, k1: int, k2: int) -> None:
    j, m = symbols("j m")
    weight_of = named("pass_at_k_estimator_variance", "w")
    overlaps = range(max(0, k1 + k2 - n), min(k1, k2) + 1)
    weights = {i: value(weight_of, {SAMPLES: n, m: k1, DRAWS: k2, j: i}) for i in overlaps}
    fixed, draws = set(range(k1)), list(combinations(range(n), k2))
    for i, weight in weights.items():
        counted = sum(len(fixed & set(draw)) == i for draw in draws)
        assert close(weight, Fraction(counted, len(draws)))
    p, q = Fraction(3, 10), MP.mpf(7) / 10
    probability = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    first, second = ([Fraction(comb(n - c, x), comb(n, x)) for c in range(n + 1)] for x in (k1, k2))
    product = sum(w * a * b for w, a, b in zip(probability, first, second, strict=True))
    formula = sum(weight * q ** (k1 + k2 - i) for i, weight in weights.items()) - q ** (k1 + k2)
    assert close(formula, product - (1 - p) ** (k1 + k2))


def fail_of_beta(k: int) -> Any:
    """fail@k of problems whose success rates are Beta(3/4, 9/4), by integration."""
    a, b = MP.mpf(3) / 4, MP.mpf(9) / 4
    # p = t^4 takes the singularity at 0 away
    integral = MP.quad(
        lambda t: 4 * t**3 * t ** (4 * (a - 1)) * (1 - t**4) ** (b - 1 + k), [0, 0.25, 0.5, 1]
    )
    return integral / MP.beta(a, b)


def test_beta_mixture_by_integration() -> None:
    mixture = "pass_at_k_of_beta_problems"
    shapes = {SHAPE_A: Rational(3, 4), SHAPE_B: Rational(9, 4)}
    for k in (1, 7):
        found = value(named(mixture, "M", DRAWS), shapes | {DRAWS: k})
        assert close(found, fail_of_beta(k), 1e-12)
    share = value(named(mixture, "S", DRAWS), shapes | {DRAWS: 3})
    assert close(1 - share, fail_of_beta(4) / fail_of_beta(3), 1e-12)
    variance = value(side(mixture, "two_draws"), shapes)
    assert close(variance, fail_of_beta(2) - fail_of_beta(1) ** 2, 1e-12)


def test_power_tail_of_a_density() -> None:
    c, b = symbols("c b")
    k = 10**6
    # density (1/2) x^(-1/2) on [0, 1], with x = t^2
    fail = MP.quad(lambda t: (1 - t**2) ** k, [0, 1 / MP.mpf(2000), 1 / MP.mpf(500), 0.02])
    point = {c: Rational(1, 2), b: Rational(1, 2), DRAWS: k}
    assert close(fail / value(side("pass_at_k_tail_theorem", "karamata"), point), 1, 1e-5)


def test_floors() -> None:
    share, floor, m = symbols("w F m")
    unsolvable = named("pass_at_k_floor_of_unsolvable_problems", "F")
    with_atom = MP.mpf(1) / 4 + MP.mpf(3) / 4 * MP.mpf("0.9") ** 2000
    assert close(value(unsolvable, {share: Rational(1, 4)}), -MP.log(1 - with_atom), 1e-20)
    at_five, at_twenty = (-MP.log(1 - (1 - MP.mpf(1) / 10) ** k) for k in (5, 20))
    across = named("irreducible_floor_across_k", "f", floor, m)
    assert close(value(across, {floor: at_five, m: 4}), at_twenty)


def test_bilinear_law_at_the_printed_digits_of_humaneval() -> None:
    digits = tuple(map(Rational, ("6884", "-0.1728", "1.2399", "-0.0287")))
    law = passk.BilinearForm(*digits)
    crossing = value(law.crossing, {})
    assert MP.mpf("5.4e18") < crossing < MP.mpf("6.3e18")
    letters = [Symbol("A", positive=True), *(Symbol(name, real=True) for name in "abc")]
    printed = dict(zip(letters, digits, strict=True))
    stated = value(side("bilinear_law_crosses_once", "common_crossing"), printed)
    for k in (1, 7, 900):
        assert close(value(law.value, {sym.C: crossing, DRAWS: k}), stated)
    big = {sym.C: Integer(6) * 10**21, DRAWS: Integer(10)}
    slope = value(side("bilinear_law_crosses_once", "slope", "lhs"), {**printed, **big})
    assert close(-slope, MP.mpf("0.199"), 0.001)
    doubled = value(law.value, {**big, sym.C: 2 * big[sym.C]}) / value(law.value, big)
    assert close(value(law.compute_exponent, big), -MP.log(doubled) / MP.log(2))


def test_numbers_are_computed_from_what_the_theorems_prove() -> None:
    bilinear = passk.BilinearForm(sym.A, *(Symbol(name, real=True) for name in "abc"))
    laws = tuple(zip(symbols("c_1 c_2"), symbols("alpha_1 alpha_2"), strict=True))
    (u,) = symbols("u")
    law = named("bilinear_law_crosses_once", "y", sym.C, DRAWS)
    turning = passk.turning_compute(*laws).subs(laws[1][1], laws[0][1] + u)
    for formula, stated in (
        (bilinear.value, law),
        (bilinear.crossing, named("bilinear_law_crosses_once", "C_x")),
        (-bilinear.compute_exponent, sym.C * log(law).diff(sym.C)),
        (turning, named("crossing_of_two_k", "C_t")),
    ):
        assert decide(defined(formula), stated).proved, (formula, stated)
