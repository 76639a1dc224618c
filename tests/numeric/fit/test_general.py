"""The general solver on laws that users write: no start values, every objective, boxes, and when it
must not say converged.
"""

import mpmath
import numpy as np
import pytest
from scipy.optimize import minimize

from isoflop.numeric.fit.expression import ExpressionModel
from isoflop.numeric.fit.objective import OBJECTIVES, Objective

mp = mpmath.mp.clone()
mp.dps = 40

KAPLAN = "((Nc/N)^(p/q) + Dc/D)^q"
TRUE = {
    "Nc": 8.8e13,
    "p": 0.076,
    "q": 0.103,
    "Dc": 5.4e13,
}  # Kaplan et al. 2020 (arXiv 2001.08361), equation 1.5


@pytest.fixture(scope="module")
def design():
    random = np.random.default_rng(20200123)
    return {"N": 10.0 ** random.uniform(6.0, 9.5, 60), "D": 10.0 ** random.uniform(8.0, 11.0, 60)}


def kaplan(N, D, Nc, p, q, Dc):
    return ((Nc / N) ** (p / q) + Dc / D) ** q


@pytest.fixture(scope="module")
def noisy(design):
    random = np.random.default_rng(1)
    outliers = np.where(random.random(60) < 0.1, 0.1, 0.0) * random.standard_normal(60)
    return kaplan(**design, **TRUE) * np.exp(0.01 * random.standard_normal(60) + outliers)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_users_law_without_start_values(solved, design, noisy, objective):
    """No descent of another kind from the true coefficients, or from the result, finds anything
    better.
    """
    chosen = Objective(name=objective)
    fit = solved(KAPLAN, design, noisy, None, chosen)
    assert fit.converged

    def value(logs):
        predicted = kaplan(**design, **dict(zip(fit.coefficients, np.exp(logs), strict=True)))
        return chosen.value(chosen.residuals(predicted, noisy))

    assert fit.value == pytest.approx(value(np.log(fit.theta)), rel=1e-12)
    for start in (np.log(list(TRUE.values())), np.log(fit.theta)):
        other = minimize(
            value,
            start,
            method="Nelder-Mead",
            options={"xatol": 1e-10, "fatol": 1e-14, "maxiter": 4000},
        )
        assert other.fun >= fit.value * (1.0 - 1e-9)


@pytest.mark.parametrize("objective", ["least-squares", "least-squares-log", "huber-log"])
def test_exact_data_give_back_their_coefficients(solved, design, objective):
    fit = solved(KAPLAN, design, kaplan(**design, **TRUE), None, objective)
    assert fit.converged
    for name, value in TRUE.items():
        assert fit.coefficients[name] == pytest.approx(value, rel=1e-9)


# -- boxes, fixed coefficients, weights ------------------------------------------------------------


@pytest.fixture(scope="module")
def power_law():
    random = np.random.default_rng(7)
    x = np.logspace(0.0, 3.0, 40)
    return x, 1.5 + 4.0 * x**-0.4 + 0.01 * random.standard_normal(40)


LAW = "E + A*x^-b"


def test_a_run_of_weight_zero_may_lie_outside_the_domain(solved, power_law):
    x, y = power_law
    law = "E + A*(x - s)^-b", {"x": np.append(x, -1e6)}
    weights = np.append(np.ones(40), 0.0)
    fit = solved(
        *law, np.append(y, -5.0), weights, "least-squares-log", bounds={"s": (-np.inf, 0.5)}
    )
    assert np.isfinite(fit.value)


# -- what must not be called converged -------------------------------------------------------------


def test_a_saddle_point_is_no_minimum(solved):
    x = np.linspace(-1.0, 1.0, 21)
    fit = solved("cos(a*x)", {"x": x}, np.cos(1.5 * x), start={"a": 0.0})
    assert not fit.converged
    assert solved("cos(a*x)", {"x": x}, np.cos(1.5 * x), start={"a": 0.1}).converged


@pytest.mark.parametrize(
    ("law", "y"),
    [
        (
            "E + A*exp(-k*x)",
            lambda x, noise: np.where(x < 1.5, 3.0, 1.0) + noise,
        ),  # only the first run sees k: no largest k is best
        ("c/(1 + k*x)", lambda x, noise: 1.0 / x),  # c and k to infinity, at a fixed ratio
        ("a*b*x", lambda x, noise: 2.0 * x + noise),
    ],
)
def test_a_law_without_a_finite_optimum_has_not_converged(solved, law, y):
    x = np.arange(1.0, 30.0)
    noise = 0.01 * np.random.default_rng(2).standard_normal(len(x))
    fit = solved(law, {"x": x}, y(x, noise))
    assert not fit.converged


def test_what_is_called_converged_is_a_minimum(solved):
    """Random power laws with few runs and much noise: nothing near a converged point is lower."""
    random = np.random.default_rng(99)
    converged = 0
    for _ in range(12):
        x = np.exp(random.uniform(0.0, 5.0, 12))
        y = (
            random.uniform(0.1, 2.0) + random.uniform(0.5, 5.0) * x ** -random.uniform(0.2, 1.0)
        ) * np.exp(0.2 * random.standard_normal(12))
        law = LAW, {"x": x}
        fit = solved(*law, y, None, "least-squares-log")
        if not fit.converged:
            continue
        converged += 1
        around = fit.theta * (
            1.0 + np.exp(random.uniform(-16.0, -2.0, (4000, 1))) * random.standard_normal((4000, 3))
        )
        values = ExpressionModel(*law).values(around)
        inside = (values > 0.0).all(axis=1)
        squares = np.sum((np.log(values[inside]) - np.log(y)) ** 2, axis=1)
        assert squares.min() >= fit.value * (1.0 - 1e-12)
    assert converged >= 6


def test_a_law_that_is_finite_nowhere(solved):
    x = np.array([1.0, 2.0, 4.0, 8.0])
    with pytest.raises(ValueError, match="at no start"):
        solved("E + A*log(b - x^2)", {"x": x}, [3.0, 2.5, 2.2, 2.0], bounds={"b": (-np.inf, 0.5)})
