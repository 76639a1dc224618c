"""A user's own law: its figures under the names that `Law` has for them, against direct
minimisation with 50 digits.
"""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import isoflop
from isoflop.numeric.law import Law
from isoflop.numeric.law.custom import law_from_expression

mp = mpmath.mp.clone()
mp.dps = 50

KAPLAN = "((Nc/N)**(aN/aD) + Dc/D)**aD"
KAPLAN_AT = {"Nc": 8.8e13, "Dc": 5.4e13, "aN": 0.076, "aD": 0.095}
TERMS = {"A": 400.0, "B": 410.0, "b": 0.34, "g": 0.28}


def inner(N: Any, D: Any) -> Any:
    return TERMS["A"] * N ** -mp.mpf(TERMS["b"]) + TERMS["B"] * D ** -mp.mpf(TERMS["g"])


#: Expression, coefficients, the law in 50 digits, and what it tends to.
LAWS: dict[str, tuple[str, dict[str, float], Callable[[Any, Any], Any], float]] = {
    "kaplan": (
        KAPLAN,
        KAPLAN_AT,
        lambda N, D: (
            ((mp.mpf(8.8e13) / N) ** (mp.mpf(0.076) / mp.mpf(0.095)) + mp.mpf(5.4e13) / D)
            ** mp.mpf(0.095)
        ),
        0.0,
    ),
    "plain": (
        "E + A*N**-b + B*D**-g",
        {"E": 1.7} | TERMS,
        lambda N, D: mp.mpf(1.7) + inner(N, D),
        1.7,
    ),
    "power": (
        "E + 2*(A*N**-b + B*D**-g)**q",
        {"E": 1.7, "q": 0.5} | TERMS,
        lambda N, D: mp.mpf(1.7) + 2 * mp.sqrt(inner(N, D)),
        1.7,
    ),
    "accuracy": (
        "Q - 2*(A*N**-b + B*D**-g)**q",
        {"Q": 0.9, "q": 0.5} | TERMS,
        lambda N, D: mp.mpf(0.9) - 2 * mp.sqrt(inner(N, D)),
        0.9,
    ),
}
COMPUTE = 1e21


def made(name: str) -> Law:
    expression, coefficients, _, _ = LAWS[name]
    return isoflop.law_from_expression(expression, coefficients)


def gap(name: str, log_params: Any, compute: Any) -> Any:
    """|L - E| at a size and a budget; E from the law at sizes that no run has."""
    _, _, law, _ = LAWS[name]
    N = mp.exp(log_params)
    return abs(law(N, mp.mpf(compute) / 6 / N) - law(mp.mpf(10) ** 400, mp.mpf(10) ** 400))


def optimum(name: str, compute: float) -> Any:
    """log N of the least |L - E| along the budget, by golden sections."""
    low, high = mp.mpf(0), mp.log(compute)
    section = (mp.sqrt(5) - 1) / 2
    for _ in range(140):
        left, right = high - section * (high - low), low + section * (high - low)
        low, high = (
            (low, right) if gap(name, left, compute) < gap(name, right, compute) else (left, high)
        )
    return (low + high) / 2


@pytest.mark.parametrize("name", LAWS)
def test_the_figures_of_a_law_of_ones_own_are_of_the_loss(name: str) -> None:
    law = made(name)
    assert pytest.approx(LAWS[name][3], rel=1e-15, abs=0.0) == law.E
    best = optimum(name, COMPUTE)
    at_best = gap(name, best, COMPUTE)
    found = law.allocate(COMPUTE)
    assert found.params == pytest.approx(float(mp.exp(best)), rel=1e-12)
    assert found.tokens == pytest.approx(COMPUTE / (6.0 * found.params), rel=1e-12)
    assert found.reducible_loss == pytest.approx(float(at_best), rel=1e-13)
    off = gap(name, best - mp.log(10) / 2, COMPUTE)  # ten times the optimal tokens per param
    expected = float(off / at_best)
    assert law.penalty(10).loss_penalty == pytest.approx(expected, rel=1e-13)
    assert law.penalty(ratio=np.array([1.0, 10.0])).loss_penalty == pytest.approx(
        [1.0, expected], rel=1e-13
    )
    assert law.penalty(size_ratio=10**-0.5).loss_penalty == pytest.approx(expected, rel=1e-13)
    params = float(mp.exp(best) / mp.sqrt(10))
    run = {"params": params, "tokens": COMPUTE / 6 / params}
    assert law.penalty(**run).loss_penalty == pytest.approx(expected, rel=1e-12)
    assert law.reducible_loss(*run.values()) == pytest.approx(float(off), rel=1e-13)
    assert law.loss(*run.values()) == law.loss(**run)


@pytest.mark.parametrize("name", LAWS)
def test_the_exponent_is_of_the_loss(name: str) -> None:
    law = made(name)
    e = mp.mpf("1e-12")
    low, high = (gap(name, optimum(name, C), C) for C in (COMPUTE * (1 - e), COMPUTE * (1 + e)))
    slope = float(-(mp.log(high) - mp.log(low)) / (mp.log1p(e) - mp.log1p(-e)))
    assert law.envelope.exponent == pytest.approx(slope, rel=1e-10)
    assert law.envelope.coefficient * COMPUTE**-law.envelope.exponent == pytest.approx(
        law.allocate(COMPUTE).reducible_loss, rel=1e-12
    )


@pytest.mark.parametrize(
    "expression",
    ["exp(-A*N**-b - B*D**-g)", "log(1 + A*N**-b + B*D**-g)", "log(A*N**-b + B*D**-g)"],
)
def test_what_is_no_power_of_a_sum_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match=r"^expression=.*: must be E \+ K R\^p"):
        law_from_expression(expression, TERMS)


@pytest.mark.parametrize("name", LAWS)
def test_targets_of_the_loss_and_of_the_reducible_loss_agree(name: str) -> None:
    law = made(name)
    wanted = law.allocate(COMPUTE)
    assert law.allocate(loss=wanted.loss).compute == pytest.approx(COMPUTE, rel=1e-11)
    several = law.allocate(reducible_loss=[wanted.reducible_loss] * 2)
    assert several.compute == pytest.approx([COMPUTE] * 2, rel=1e-12)


@pytest.mark.parametrize("cap", ["max_params", "max_tokens"])
@pytest.mark.parametrize("name", LAWS)
def test_caps_of_a_law_of_ones_own(name: str, cap: str) -> None:
    """The other variable takes up the budget, and the target that this reaches leads back to it."""
    law = made(name)
    free = law.allocate(COMPUTE)
    limit = getattr(free, cap.removeprefix("max_")) / 3.0
    found = law.allocate(COMPUTE, **{cap: limit})
    assert (found.binding, getattr(found, cap.removeprefix("max_"))) == (cap, limit)
    assert law.compute(found.params, found.tokens) == pytest.approx(COMPUTE, rel=1e-12)
    assert found.loss == law.loss(found.params, found.tokens)
    back = law.allocate(loss=found.loss, **{cap: limit})
    assert (back.params, back.tokens) == pytest.approx((found.params, found.tokens), rel=1e-6)
    assert law.allocate(params=free.params).tokens == pytest.approx(free.tokens, rel=1e-9)


@pytest.mark.parametrize("name", LAWS)
def test_a_saved_law_of_ones_own_is_the_same(name: str, tmp_path: Path) -> None:
    law = made(name)
    law.save(tmp_path / "mine.json")
    read = isoflop.law(tmp_path / "mine.json")
    assert read.loss(3e9, 2e11) == law.loss(3e9, 2e11)
    assert read.envelope.loss(COMPUTE) == law.envelope.loss(COMPUTE)
    assert read == law
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(law)


def test_three_variables() -> None:
    law = isoflop.law_from_expression(
        "(A*N**-b + B*D**-g + F*U**-h)**q",
        TERMS | {"F": 3.0, "h": 0.2, "q": 0.5},
        variables=("N", "D", "U"),
        budget="6*N*D*U^0.5",
    )
    best = dict(law.allocate(COMPUTE).variables)
    assert law.penalty(**best).loss_penalty == pytest.approx(1.0, rel=1e-12)
    assert law.penalty(**best).loss_penalty >= 1.0
    off = best | {"params": best["params"] / 4, "tokens": best["tokens"] * 4}
    assert law.penalty(**off).loss_penalty == pytest.approx(
        law.loss(**off) / law.allocate(COMPUTE).loss, rel=1e-12
    )
    with pytest.raises(ValueError, match="ratio: is of laws of two variables"):
        law.penalty(10)
    with pytest.raises(ValueError, match=r"^max_params=1.0: "):
        law.allocate(COMPUTE, max_params=1.0)


def test_the_same_law_has_the_same_answers() -> None:
    """Typed as an expression or built in: methods, results and numbers are the same."""
    mine = made("plain")
    law = Law(E=1.7, A=400.0, B=410.0, beta=0.34, gamma=0.28)
    run = {"params": 3e9, "tokens": 2e11}
    asked: list[tuple[str, dict[str, Any]]] = [
        *(("penalty", arguments) for arguments in ({"ratio": 10}, {"size_ratio": 0.2}, run)),
        ("allocate", {"compute": COMPUTE}),
        ("allocate", {"loss": 2.1, "max_params": 1e9}),
        ("allocate", {"compute": COMPUTE, "max_params": 1e9, "max_tokens": 1e9}),
        ("allocate", {"tokens": 1e12}),
        ("allocate", {"compute": COMPUTE, "tokens_per_param": 20.0}),
        ("tolerance", {"within": 0.01}),
    ]
    for method, arguments in asked:
        ours, theirs = (getattr(each, method)(**arguments) for each in (mine, law))
        for name, value in theirs.as_dict().items():
            expected = value if isinstance(value, str) else pytest.approx(value, rel=1e-11)
            assert getattr(ours, name) == expected, name
    for name in ("loss", "reducible_loss", "params", "tokens", "tokens_per_param", "marginal_loss"):
        ours, theirs = (getattr(each.envelope, name)(COMPUTE) for each in (mine, law))
        assert ours == pytest.approx(theirs, rel=1e-12)
    assert mine.envelope.exponent == pytest.approx(law.envelope.exponent, rel=1e-14)
    assert mine.loss(**run) == pytest.approx(law.loss(**run), rel=1e-14)


def test_tolerances_and_wasted_compute_of_other_forms() -> None:
    """An interval of the loss itself; the share of compute that is wasted does not depend on h."""
    for law in map(made, ("kaplan", "accuracy")):
        ends = law.tolerance(0.01)
        costs = [law.penalty(size_ratio=r).excess for r in ends.size_ratio]
        costs += [law.penalty(rho).excess for rho in ends.ratio]
        assert costs == pytest.approx([0.01] * 4, rel=1e-10)
    plain = Law(A=400.0, B=410.0, beta=0.34, gamma=0.28).penalty(10)
    for name in ("effective_compute", "lost_compute", "compute_overhead", "tokens_factor"):
        assert getattr(law.penalty(10), name) == pytest.approx(getattr(plain, name), rel=1e-12)
    lost = law.envelope.reducible_loss(COMPUTE * plain.effective_compute)
    expected = lost / law.envelope.reducible_loss(COMPUTE)
    assert law.penalty(10).loss_penalty == pytest.approx(expected, rel=1e-12)


def test_a_law_of_ones_own_has_pages_figures_and_a_limit() -> None:
    mine, law = made("plain"), Law(E=1.7, A=400.0, B=410.0, beta=0.34, gamma=0.28)
    for ask in (lambda law: law, lambda law: law.penalty(10.0), lambda law: law.allocate([1e22])):
        drawn, expected = (
            ask(each).plot().axes[0].get_lines()[0].get_xydata() for each in (mine, law)
        )
        assert drawn == pytest.approx(expected, rel=1e-12)
    assert str(mine.penalty(10)) == str(law.penalty(10))
    assert not mine.penalty(10.0).estimate("loss_penalty").has_interval
    lifted = law_from_expression("1.7 + 400/N**0.34 + 410/D**0.28", {})
    with pytest.raises(ValueError, match=r"^loss=1\.7: must be a finite number above"):
        lifted.allocate(loss=1.7)
    assert lifted.allocate(loss=1.7001).loss == 1.7001


@pytest.mark.parametrize(
    ("coefficients", "message"),
    [
        ({"E": 1.7, "A": 400.0, "b": 0.34}, "unknown name .B."),
        ({"E": 1.7, "z": 1.0} | TERMS, "z not in the law"),
        ({"E": -1.7} | TERMS, "E=-1.7: must be a positive"),
    ],
)
def test_coefficients_of_a_law_of_ones_own(coefficients: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        law_from_expression("E + A*N**-b + B*D**-g", coefficients)
