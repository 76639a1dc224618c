"""Marginal quantities, expansions, economics and merged factors against direct minimisation and
difference quotients.
"""

from random import Random
from typing import Any

import pytest
from sympy import Expr
from tests.theory.reference import MP, Numbers, draw, least, minimum, root
from tests.theory.rewriting import evaluate, from_sympy

from isoflop.theory import economics, expansion
from isoflop.theory import symbols as sym
from isoflop.theory.budget import GENERAL
from isoflop.theory.envelope import derive
from isoflop.theory.factors import factors, merged
from isoflop.theory.penalty import misallocation

STEP = MP.mpf(10) ** -12
QUOTIENT = MP.mpf(10) ** -20  # a central quotient errs by STEP^2, and loses 12 of 45 digits
ENVELOPE = derive(budget=GENERAL)
FAMILY = misallocation(ENVELOPE)
SEEDS = pytest.mark.parametrize("seed", range(4))


def values(law: Numbers) -> dict[str, Any]:
    return {
        **dict(zip(("A", "B"), law.coefficients, strict=True)),
        **dict(zip(("beta", "gamma"), law.exponents, strict=True)),
        **dict(zip(("a", "d"), law.powers, strict=True)),
        "kappa": law.kappa,
        "C": law.compute,
        "E": MP.mpf("1.69"),
    }


def at(expression: Expr, law: Numbers, **more: Any) -> Any:
    return evaluate(from_sympy(expression), values(law) | more)


def slope(function: Any) -> Any:
    """The derivative at 0."""
    return (function(STEP) - function(-STEP)) / (2 * STEP)


def close(left: Any, right: Any, tolerance: Any = QUOTIENT) -> bool:
    return abs(left - right) <= tolerance * max(abs(left), abs(right))


@pytest.fixture(params=range(4))
def law(request: pytest.FixtureRequest) -> Numbers:
    return draw(Random(request.param), six_nd=False)


def test_shadow_price(law: Numbers) -> None:
    direct = -slope(lambda h: least(law.with_compute(law.compute * (1 + h)))) / law.compute
    assert close(at(economics.shadow_price(ENVELOPE), law), direct)
    cost = at(economics.marginal_cost(ENVELOPE), law, R=least(law))
    assert close(cost, -1 / direct)


def test_sensitivities(law: Numbers) -> None:
    closed = economics.sensitivities(ENVELOPE)

    def moved(i: int, coefficient: Any = 0, exponent: Any = 0) -> Any:
        coefficients, exponents = list(law.coefficients), list(law.exponents)
        coefficients[i] *= MP.exp(coefficient)
        exponents[i] += exponent
        return least(
            Numbers(tuple(coefficients), tuple(exponents), law.powers, law.kappa, law.compute)
        )

    for i, (coefficient, exponent) in enumerate(((sym.A, sym.BETA), (sym.B, sym.GAMMA))):
        assert close(at(closed[coefficient], law), slope(lambda h, i=i: moved(i, coefficient=h)))
        assert close(at(closed[exponent], law), slope(lambda h, i=i: moved(i, exponent=h)))
    assert closed[sym.E] == 1


@pytest.mark.parametrize("capped", [sym.N, sym.D])
def test_capped_shadow_price(law: Numbers, capped: Any) -> None:
    best = minimum(law)
    i = (sym.N, sym.D).index(capped)
    cap = best[i] - 2

    def loss(log_cap: Any) -> Any:
        other = (MP.log(law.compute / law.kappa) - law.powers[i] * log_cap) / law.powers[1 - i]
        return law.reducible([log_cap, other] if i == 0 else [other, log_cap])

    price = at(economics.capped_shadow_price(FAMILY, capped), law, **{str(capped): MP.exp(cap)})
    assert close(price, slope(lambda h: loss(cap + h)))
    assert price < 0


def test_expansions_leave_a_remainder_of_the_next_order(law: Numbers) -> None:
    best, bottom = minimum(law), least(law)
    alpha = at(ENVELOPE.exponent, law)

    def log_penalty(s: Any) -> Any:
        return MP.log(law.reducible(law.completed([best[0] + s])) / bottom)

    def log_overhead(s: Any) -> Any:
        tokens = root(
            lambda v: MP.log(bottom) - MP.log(law.reducible([best[0] + s, v])),
            best[1] - 5,
            best[1] + 5,
        )
        return MP.log(law.compute_of([best[0] + s, tokens]) / law.compute)

    series = (
        (log_penalty, expansion.log_penalty_series(FAMILY), 4),
        (lambda s: -log_penalty(s) / alpha, expansion.log_effective_compute_series(FAMILY), 4),
        (log_overhead, expansion.log_overhead_series(FAMILY), 3),
    )
    for direct, polynomial, order in series:
        errors = [
            abs(direct(s) - at(polynomial, law, s=s)) for s in (MP.mpf(10) ** -3, MP.mpf(10) ** -4)
        ]
        assert MP.log10(errors[0] / errors[1]) > order + 1 - MP.mpf("0.2")


@pytest.mark.parametrize("order", [1, 5])
def test_order_out_of_range(order: int) -> None:
    for series in (
        expansion.log_penalty_series,
        expansion.log_effective_compute_series,
        expansion.log_overhead_series,
    ):
        with pytest.raises(ValueError, match=f"order={order}"):
            series(FAMILY, order)


def test_tails_of_effective_compute(law: Numbers) -> None:
    best, bottom, alpha = minimum(law), least(law), at(ENVELOPE.exponent, law)
    for tail, log_ratio in (
        (expansion.overtrained_effective_compute, -300),
        (expansion.undertrained_effective_compute, 300),
    ):
        run = law.reducible(law.completed([best[0] + log_ratio]))
        direct = (run / bottom) ** (-1 / alpha)
        assert close(at(tail(FAMILY), law, r=MP.exp(log_ratio)), direct, MP.mpf(10) ** -6)


def test_elasticity_of_substitution(law: Numbers) -> None:
    logs = [MP.mpf("0.3") + minimum(law)[0], minimum(law)[1]]
    target = MP.log(law.reducible(logs))

    def contour(log_n: Any) -> Any:
        return root(lambda v: target - MP.log(law.reducible([log_n, v])), logs[1] - 3, logs[1] + 3)

    def log_rate(log_n: Any) -> Any:
        t_n, t_d = law.terms([log_n, contour(log_n)])
        return MP.log(law.exponents[0] * t_n / (law.exponents[1] * t_d)) + contour(log_n) - log_n

    ratio = slope(lambda h: contour(logs[0] + h) - logs[0] - h) / slope(
        lambda h: log_rate(logs[0] + h)
    )
    sigma = economics.elasticity_of_substitution()
    assert close(at(sigma, law, N=MP.exp(logs[0]), D=MP.exp(logs[1])), ratio)


def test_cost_function_and_scale(law: Numbers) -> None:
    bottom = least(law)
    assert close(at(economics.log_cost(ENVELOPE), law, R=bottom), MP.log(law.compute))
    logs = minimum(law)
    direct = -slope(lambda h: MP.log(law.reducible([u + h for u in logs])))
    assert close(
        at(economics.scale_elasticity(), law, N=MP.exp(logs[0]), D=MP.exp(logs[1])), direct
    )


@SEEDS
def test_ces_cost_is_the_least_bill(seed: int) -> None:
    random = Random(seed)
    b, p, q, target = (MP.mpf(random.uniform(0.3, 2)) for _ in range(4))
    one, two = (MP.mpf(random.uniform(1, 9)) for _ in range(2))
    point = {"A": one, "B": two, "beta": b, "p": p, "q": q, "R": target}

    def bill(share: Any) -> Any:
        return p * (one / (share * target)) ** (1 / b) + q * (two / ((1 - share) * target)) ** (
            1 / b
        )

    share = MP.findroot(
        lambda v: MP.diff(bill, v),
        (MP.mpf("0.05"), MP.mpf("0.95")),
        solver="anderson",
        tol=1e-30,
        verify=False,
    )
    assert close(evaluate(from_sympy(economics.ces_cost()), point), bill(share))
    assert all(bill(share) <= bill(MP.mpf(i) / 50) for i in range(1, 50))


@SEEDS
def test_merged_factors_have_the_same_minimum(seed: int) -> None:
    law = draw(Random(seed), 3, six_nd=False)
    form, outer, _ = merged(*factors(3))
    numbers = {f"{name}_{i}": value for name, column in zip("Abc", (law.coefficients, law.exponents, law.powers), strict=True)
               for i, value in enumerate(column, 1)}  # fmt: skip
    value = evaluate(
        from_sympy(derive(form, outer).reducible), numbers | {"kappa": law.kappa, "C": law.compute}
    )
    assert close(value, least(law))


def test_no_factors() -> None:
    with pytest.raises(ValueError, match="count=0"):
        factors(0)
