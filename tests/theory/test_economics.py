"""Prices against direct minimisation and difference quotients."""

from random import Random
from typing import Any

import pytest
from sympy import Expr
from tests.theory.reference import MP, Numbers, draw, least, minimum
from tests.theory.rewriting import evaluate, from_sympy

from isoflop.theory import economics
from isoflop.theory import symbols as sym
from isoflop.theory.budget import GENERAL
from isoflop.theory.envelope import derive
from isoflop.theory.penalty import misallocation

STEP = MP.mpf(10) ** -12
QUOTIENT = MP.mpf(10) ** -20  # a central quotient errs by STEP^2, and loses 12 of 45 digits
ENVELOPE = derive(budget=GENERAL)
FAMILY = misallocation(ENVELOPE)


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
