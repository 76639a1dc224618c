"""The generated gradients against derivatives of the numerical optimum: minimised with 60 digits,
then differenced.

No closed form of an optimum is in the reference: every law is changed a little, minimised again,
and the results subtracted.
"""

import random
from typing import Any

import numpy as np
import pytest

from isoflop.numeric import formulas
from isoflop.theory.code.formulas import COORDINATES, derivative_name, gradient_formulas

NAMES = [formula.name for formula in gradient_formulas()]
LAWS = 12
STEP = (
    12  # digits: central differences err by 10^(-2 STEP), and by 10^(STEP - 50) through the minimum
)
SCALAR, ARRAY = 1e-14, 2e-13


def drawn(count: int, seed: str) -> list[dict[str, float]]:
    rng = random.Random(seed)

    def one() -> dict[str, float]:
        return {
            "compute": 10 ** rng.uniform(17, 27),
            "A": 10 ** rng.uniform(0, 5),
            "B": 10 ** rng.uniform(0, 5),
            "beta": rng.uniform(0.1, 1.2),
            "gamma": rng.uniform(0.1, 1.2),
            "log_size_ratio": rng.choice((1e-9, 1e-6, 1e-3, 0.1, 1.0, 4.0)) * rng.uniform(-1, 1),
        }

    return [one() for _ in range(count)]


def quantities(reference: Any, point: dict[str, Any]) -> dict[str, Any]:
    """Every quantity by its definition: the optimum at C, at e C and at 1 FLOP, and runs off the
    optimum.
    """
    mp = reference.mp
    law = {name: point[name] for name in ("A", "B", "beta", "gamma")}
    here, further, at_one = (
        reference(c, **law) for c in (point["compute"], point["compute"] * mp.e, mp.mpf(1))
    )
    off = here.penalty(point["log_size_ratio"])
    return {
        "exponent": mp.log(here.reducible / further.reducible),
        "params_share": further.log_params - here.log_params,
        "tokens_share": further.log_tokens - here.log_tokens,
        "log_coefficient": mp.log(at_one.reducible),
        "log_optimal_params": here.log_params,
        "log_optimal_tokens": here.log_tokens,
        "log_optimal_tokens_per_param": here.log_tokens - here.log_params,
        "log_optimal_reducible_loss": mp.log(here.reducible),
        "optimal_loss": here.reducible,
        "penalty": off,
    }


def differences(reference: Any, point: dict[str, float]) -> dict[str, Any]:
    """Central differences of every quantity in every coordinate, by the name of the generated
    derivative.
    """
    mp = reference.mp
    exact = {name: mp.mpf(number) for name, number in point.items()}
    h = mp.mpf(10) ** -STEP
    found: dict[str, Any] = {}
    for coordinate in COORDINATES:
        _, logarithm, name = coordinate.rpartition("log ")
        low, high = (
            quantities(
                reference, exact | {name: exact[name] * mp.exp(x) if logarithm else exact[name] + x}
            )
            for x in (-h, h)
        )
        found |= {derivative_name(q, coordinate): (high[q] - low[q]) / (2 * h) for q in high}
    return found


def arguments(name: str, point: dict[str, float]) -> dict[str, float]:
    """The arguments that the function takes, at the point."""
    return {key: point[key] for key in getattr(formulas, name).names}


@pytest.fixture(scope="module")
def cases(reference: Any) -> list[tuple[dict[str, float], dict[str, Any]]]:
    return [(point, differences(reference, point)) for point in drawn(LAWS, "laws")]


@pytest.mark.parametrize("name", NAMES)
def test_the_gradient_is_the_difference_of_two_optima(name: str, cases: Any) -> None:
    points = [arguments(name, point) for point, _ in cases]
    wanted = [float(found[name]) for _, found in cases]
    # where s is formed from r or rho near 1, the rounding of the ratio is that of the result
    steep = [3e-16 / abs(point["log_size_ratio"]) if "_at_" in name else 0.0 for point, _ in cases]
    columns = {key: np.array([point[key] for point in points]) for key in points[0]}
    vector = getattr(formulas, name)(**columns)
    for point, exact, several, extra in zip(points, wanted, vector, steep, strict=True):
        assert getattr(formulas, name)(**point) == pytest.approx(
            exact, rel=SCALAR + 4 * extra, abs=0
        )
        assert several == pytest.approx(exact, rel=ARRAY + 4 * extra, abs=0)


def test_no_derivative_is_left_out(cases: Any) -> None:
    """What is not generated is zero: alpha, the shares and the penalty in log A and log B."""
    for _, found in cases:
        nonzero = {name for name, value in found.items() if abs(value) > 1e-25}
        assert nonzero == set(NAMES)


# The penalty's gradient near the optimum and far from it


def penalty_difference(
    reference: Any, s: float, beta: float, gamma: float, *, in_beta: bool
) -> Any:
    mp = reference.mp
    h = mp.mpf(10) ** -STEP
    low, high = (
        reference(
            1e21, 400.0, 1000.0, mp.mpf(beta) + x * in_beta, mp.mpf(gamma) + x * (not in_beta)
        ).penalty(mp.mpf(s))
        for x in (-h, h)
    )
    return (high - low) / (2 * h)


FAR = [
    (s, beta, gamma)
    for size in (199.0, 450.0, 901.0, 5000.0)
    for s, beta, gamma in (
        (size, 1.5, 0.01),
        (-size, 0.01, 1.5),
        (size, 0.2, 0.1),
        (-size, 0.1, 0.2),
    )
]


@pytest.mark.parametrize(("s", "beta", "gamma"), FAR)
def test_far_from_the_optimum_nothing_overflows_on_the_way(
    s: float, beta: float, gamma: float, reference: Any
) -> None:
    for name, in_beta in (("penalty_by_beta", True), ("penalty_by_gamma", False)):
        exact = penalty_difference(reference, s, beta, gamma, in_beta=in_beta)
        mixed = np.array([s, 0.25, -s / 1000])
        if exact > 1e308:
            with pytest.raises(ValueError, match=f"{name}.*exceeds the largest float"):
                getattr(formulas, name)(s, beta, gamma)
            continue
        assert getattr(formulas, name)(s, beta, gamma) == pytest.approx(float(exact), rel=1e-13)
        vector = getattr(formulas, name)(mixed, beta, gamma)
        assert vector[0] == pytest.approx(float(exact), rel=1e-12)
        assert vector[1:].tolist() == pytest.approx(
            [getattr(formulas, name)(x, beta, gamma) for x in mixed[1:]], rel=1e-13
        )


def test_a_float_difference_would_lose_every_digit(reference: Any) -> None:
    s, beta, gamma = 3e-7, 0.34, 0.37
    exact = float(penalty_difference(reference, s, beta, gamma, in_beta=True))
    change = 1e-6
    naive = (
        formulas.penalty(s, beta + change, gamma) - formulas.penalty(s, beta - change, gamma)
    ) / (2 * change)
    assert abs(naive / exact - 1) > 0.1
    assert formulas.penalty_by_beta(s, beta, gamma) == pytest.approx(exact, rel=1e-14, abs=0)


def test_at_the_optimum_the_penalty_does_not_move() -> None:
    for name in ("beta", "gamma"):
        assert getattr(formulas, f"penalty_by_{name}")(0.0, 0.3, 0.4) == 0.0
        assert getattr(formulas, f"penalty_by_{name}")(np.zeros(2), 0.3, 0.4).tolist() == [0.0, 0.0]
