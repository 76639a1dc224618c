"""A user's own law: its figures under the names that `Law` has for them, against direct
minimisation with 50 digits.
"""

import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import isoflop
from isoflop import law_from_expression
from isoflop.numeric.law import Law

mp = mpmath.mp.clone()
mp.dps = 50

KAPLAN = {"Nc": 8.8e13, "Dc": 5.4e13, "aN": 0.076, "aD": 0.095}
TERMS = {"A": 400.0, "B": 410.0, "b": 0.34, "g": 0.28}
COMPUTE = 1e21


def inner(N: Any, D: Any) -> Any:
    return TERMS["A"] * N ** -mp.mpf(TERMS["b"]) + TERMS["B"] * D ** -mp.mpf(TERMS["g"])


def kaplan(N: Any, D: Any) -> Any:
    aN, aD = mp.mpf(0.076), mp.mpf(0.095)
    return ((mp.mpf(8.8e13) / N) ** (aN / aD) + mp.mpf(5.4e13) / D) ** aD


#: Expression, coefficients, the law in 50 digits, and what it tends to.
LAWS: dict[str, tuple[str, dict[str, float], Callable[[Any, Any], Any], float]] = {
    "kaplan": ("((Nc/N)**(aN/aD) + Dc/D)**aD", KAPLAN, kaplan, 0.0),
    "power": (
        "E + 2*(A*N**-b + B*D**-g)**q",
        {"E": 1.7, "q": 0.5} | TERMS,
        lambda N, D: mp.mpf(1.7) + 2 * mp.sqrt(inner(N, D)),
        1.7,
    ),
}


@cache
def made(name: str) -> Law:
    if name == "plain":
        return law_from_expression("E + A*N**-b + B*D**-g", {"E": 1.7} | TERMS)
    return law_from_expression(*LAWS[name][:2])


def gap(name: str, log_params: Any, compute: Any) -> Any:
    """|L - E| at a size and a budget; E from the law at sizes that no run has."""
    law, N = LAWS[name][2], mp.exp(log_params)
    return abs(law(N, mp.mpf(compute) / 6 / N) - law(mp.mpf(10) ** 400, mp.mpf(10) ** 400))


def optimum(name: str, compute: Any) -> Any:
    """log N of the least |L - E| along the budget, by golden sections."""
    low, high = mp.mpf(0), mp.log(compute)
    section = (mp.sqrt(5) - 1) / 2
    for _ in range(75):
        left, right = high - section * (high - low), low + section * (high - low)
        is_left = gap(name, left, compute) < gap(name, right, compute)
        low, high = (low, right) if is_left else (left, high)
    return (low + high) / 2


@pytest.mark.parametrize("name", LAWS)
def test_the_figures_of_a_law_of_ones_own_are_of_the_loss(name: str) -> None:
    law, best = made(name), optimum(name, COMPUTE)
    assert pytest.approx(LAWS[name][3], rel=1e-15, abs=0.0) == law.E
    at_best, found = gap(name, best, COMPUTE), law.allocate(COMPUTE)
    assert found.params == pytest.approx(float(mp.exp(best)), rel=1e-12)
    assert found.tokens == pytest.approx(COMPUTE / (6.0 * found.params), rel=1e-12)
    assert found.reducible_loss == pytest.approx(float(at_best), rel=1e-13)
    off = gap(name, best - mp.log(10) / 2, COMPUTE)  # ten times the optimal tokens per param
    expected = float(off / at_best)
    params = float(mp.exp(best) / mp.sqrt(10))
    run = {"params": params, "tokens": COMPUTE / 6 / params}
    for cost in (law.penalty(10), law.penalty(size_ratio=10**-0.5), law.penalty(**run)):
        assert cost.loss_penalty == pytest.approx(expected, rel=1e-12)
    several = law.penalty(ratio=np.array([1.0, 10.0])).loss_penalty
    assert several == pytest.approx([1.0, expected], rel=1e-13)
    assert law.reducible_loss(*run.values()) == pytest.approx(float(off), rel=1e-13)
    e = mp.mpf("1e-12")
    low, high = (gap(name, optimum(name, C), C) for C in (COMPUTE * (1 - e), COMPUTE * (1 + e)))
    slope = float(-(mp.log(high) - mp.log(low)) / (mp.log1p(e) - mp.log1p(-e)))
    assert law.envelope.exponent == pytest.approx(slope, rel=1e-10)
    power = law.envelope.coefficient * COMPUTE**-law.envelope.exponent
    assert power == pytest.approx(found.reducible_loss, rel=1e-12)


@pytest.mark.parametrize("name", LAWS)
def test_walls_and_targets_of_a_law_of_ones_own(name: str) -> None:
    """Params take up the budget, and the target that this reaches leads back to it."""
    law = made(name)
    free = law.allocate(COMPUTE)
    wall = free.tokens / 3.0
    found = law.allocate(COMPUTE, max_tokens=wall)
    assert (found.binding, found.tokens) == ("max_tokens", wall)
    assert law.compute(found.params, found.tokens) == pytest.approx(COMPUTE, rel=1e-12)
    back = law.allocate(loss=found.loss, max_tokens=wall)
    assert (back.params, back.tokens) == pytest.approx((found.params, found.tokens), rel=1e-6)
    assert law.allocate(params=free.params).tokens == pytest.approx(free.tokens, rel=1e-9)
    assert law.allocate(loss=free.loss).compute == pytest.approx(COMPUTE, rel=1e-11)


@pytest.mark.parametrize("name", LAWS)
def test_a_saved_or_pickled_law_of_ones_own_is_the_same(name: str, tmp_path: Path) -> None:
    law = made(name)
    law.save(tmp_path / "mine.json")
    for again in (isoflop.law(tmp_path / "mine.json"), pickle.loads(pickle.dumps(law))):
        assert (again, again.loss(3e9, 2e11)) == (law, law.loss(3e9, 2e11))


def test_three_variables() -> None:
    law = law_from_expression(
        "(A*N**-b + B*D**-g + F*U**-h)**q",
        TERMS | {"F": 3.0, "h": 0.2, "q": 0.5},
        variables=("N", "D", "U"),
        budget="6*N*D*U^(1/2)",
    )
    found = law.allocate(COMPUTE)
    assert list(found.to_frame()) == ["law", "compute", "loss", "reducible_loss"]
    best = dict(found.variables or {})
    assert 1.0 <= law.penalty(**best).loss_penalty < 1.0 + 1e-12
    off = best | {"params": best["params"] / 4, "tokens": best["tokens"] * 4}
    expected = law.loss(**off) / law.allocate(COMPUTE).loss
    assert law.penalty(**off).loss_penalty == pytest.approx(expected, rel=1e-12)
    for ask, message in (
        (lambda: law.penalty(10), "ratio: exists for laws of two variables"),
        (lambda: law.allocate(COMPUTE, max_tokens=1.0), "^max_tokens: must be one of compute"),
    ):
        with pytest.raises(ValueError, match=message):
            ask()


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        *(("penalty", given) for given in ({"ratio": 10}, {"params": 3e9, "tokens": 2e11})),
        ("allocate", {"compute": COMPUTE}),
        ("allocate", {"loss": 2.1, "max_tokens": 1e11}),
        ("allocate", {"compute": COMPUTE, "max_tokens": 1e9}),
        ("allocate", {"compute": COMPUTE, "tokens_per_param": 20.0}),
    ],
)
def test_the_same_law_has_the_same_answers(method: str, arguments: dict[str, Any]) -> None:
    laws = made("plain"), Law(E=1.7, A=400.0, B=410.0, beta=0.34, gamma=0.28)
    mine, builtin = (getattr(law, method)(**arguments) for law in laws)
    for name, value in builtin.as_dict().items():
        expected = value if isinstance(value, str) else pytest.approx(value, rel=1e-11)
        assert getattr(mine, name) == expected, name
    assert str(mine) == str(builtin)


def test_tolerances_of_other_forms() -> None:
    """An interval of the loss itself."""
    for law in map(made, LAWS):
        ends = law.tolerance(0.01)
        costs = [law.penalty(size_ratio=r).excess for r in ends.size_ratio]
        costs += [law.penalty(rho).excess for rho in ends.ratio]
        assert costs == pytest.approx([0.01] * 4, rel=1e-10)


@pytest.mark.parametrize(
    ("expression", "coefficients", "message"),
    [
        ("E + A*N**-b + B*D**-g", {"E": 1.7, "A": 400.0, "b": 0.34}, "unknown name .B."),
        ("E + A*N**-b + B*D**-g", {"E": 1.7, "z": 1.0} | TERMS, "z missing or not in the law"),
        ("E + A*N**-b + B*D**-g", {"E": -1.7} | TERMS, "E=-1.7: must be a positive"),
        ("E + A*N**-0.34 + B*D**-g", {"E": 1.7} | TERMS, r"has the number 17/50; must have a name"),
        ("exp(-A*N**-b - B*D**-g)", TERMS, r"^expression=.*: must be E \+ K R\^p"),
        ("q - A*N**-b - B*D**-g", {"q": 0.9} | TERMS, r"^expression=.*: must be E \+ K R\^p"),
        ("log(1 + A*N**-b + B*D**-g)", TERMS, r"^expression=.*: must be E \+ K R\^p"),
    ],
)
def test_laws_that_are_refused(expression: str, coefficients: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        law_from_expression(expression, coefficients)
