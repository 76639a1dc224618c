"""Laws as their user writes them: values, Jacobians and Hessians against numerical differentiation
with 40 digits, what the reader refuses, the optimum of the named model without start values, every
objective, boxes, other columns, and what must not be called converged.
"""

import mpmath
import numpy as np
import pytest
from scipy.optimize import minimize
from tests.data import grid_runs

from isoflop.numeric.fit import Objective, fit
from isoflop.numeric.fit.expression import Expression
from isoflop.numeric.fit.resample import case_weights

FORMULA = "E + A*N^-beta + B*D^-gamma"
#: The general solver stops at 1e-14 of the objective; coefficients are flatter by the condition of
#: the law as written.
SAME_MINIMUM, SAME_COEFFICIENTS = 1e-9, 1e-4
SQUARES = "least-squares-log"


# -- values, derivatives and names -----------------------------------------------------------------

mp = mpmath.mp.clone()
mp.dps = 40

N, D = [7e7, 4.1e8, 1.4e9], [2e9, 8.3e9, 3e11]
X = {"x": [0.4, 1.7, 3.1]}
LAW = "exp(-k*(x - m)^2/2)/sqrt(1 + s^4*x) - arctan(k/x)/pi + 0.3172*s^2.5 + abs(k*x - m)*tanh(s*ln(x))"
THETA = {"k": 0.8, "m": 1.3, "s": 0.7}


def in_digits(x, k, m, s):
    bell = mp.exp(-k * (x - m) ** 2 / 2) / mp.sqrt(1 + s**4 * x)
    power = mp.mpf("0.3172") * s ** mp.mpf("2.5")
    return bell - mp.atan(k / x) / mp.pi + power + abs(k * x - m) * mp.tanh(s * mp.log(x))


def posed(law, variables):
    return Expression(law, extra=tuple(variables)).at(variables)


def test_derivatives():
    model = posed(LAW, X)
    assert model.coefficients == tuple(THETA)
    theta = np.array([list(THETA.values())])
    values, jacobian = model.evaluate(theta)
    units = np.eye(3, dtype=int)

    def close(found, x, orders, size):
        """In multiples of the sizes of the coefficients."""

        def scaled(*factors):
            c = (f * mp.mpf(x) for f, x in zip(factors, theta[0], strict=True))
            return in_digits(*x, *c)

        exact = mp.diff(scaled, (1,) * len(orders), tuple(map(int, orders)))
        assert abs(found - float(exact)) <= 1e-11 * abs(float(exact)) + 1e-14 * abs(size)

    for run in range(model.size):
        x = [mp.mpf(column[run]) for column in X.values()]
        at_run = np.zeros((1, model.size))
        at_run[0, run] = 1.0
        hessian = model.curvature(theta, jacobian, at_run)[0] * np.outer(theta, theta)
        size = float(values[0, run])
        assert size == pytest.approx(float(in_digits(*x, *map(mp.mpf, theta[0]))), rel=1e-11)
        for i, one in enumerate(units):
            close(jacobian[0, i, run] * theta[0, i], x, one, size)
            for j, other in enumerate(units):
                close(hessian[i, j], x, one + other, size)


def test_names_are_found_in_order_of_appearance():
    found = posed("E + A*(6ND)^-alpha*exp(k)", {"N": N, "D": D}).coefficients
    assert found == ("E", "A", "alpha", "k")


@pytest.mark.parametrize(
    ("law", "complaint"),
    [
        ("__import__('os').system('true')", "cannot read"),
        ("a!*N", "no derivatives through"),
    ],
)
def test_refuses(law, complaint):
    with pytest.raises(ValueError, match=complaint):
        _ = posed(law, {"N": [1.0]}).coefficients


def test_a_keyword_is_a_name():
    model = posed("lambda*N", {"N": [1.0, 2.0]})
    assert model.evaluate(np.array([[3.0]]))[0].tolist() == [[3.0, 6.0]]


# -- the named laws, written out -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("objective", "given"),
    [
        ("absolute-log", {"fixed": {"E": 1.5}}),
        ("huber-log", {"fixed": {"E": 1.5}}),
        ("least-squares", {"fixed": {"beta": 0.4}}),
    ],
)
def test_the_optimum_of_the_named_model(objective, given):
    runs, options = grid_runs(noise=0.01), {"objective": objective, **given}
    named, general = (fit(runs, model=model, **options) for model in ("params-tokens", FORMULA))
    assert general.converged
    assert set(general.solution.at_bound) == set(named.solution.at_bound)
    assert general.objective_value == pytest.approx(named.objective_value, rel=SAME_MINIMUM)
    assert general.coefficients == pytest.approx(named.coefficients, rel=SAME_COEFFICIENTS)


def test_uncertainty_of_the_named_model():
    """Covariances are of A and B as they are, not of their logarithms."""
    named, general = (
        fit(grid_runs(noise=0.01), model=model, objective=SQUARES)
        for model in ("params-tokens", FORMULA)
    )
    for name, estimate in named.estimates().items():
        error = general.estimate(name).standard_error
        assert error == pytest.approx(estimate.standard_error, rel=1e-4)
    interval = general.estimate("A")
    low, high = interval.low or 0.0, interval.high or 0.0
    assert 0.5 * (low + high) == pytest.approx(interval.value, abs=0.1 * (high - low))
    weights = case_weights(None, 30, 20, np.random.default_rng(1))
    own, drawn = (one.solution.refit(weights=weights).rows for one in (named, general))
    order = [list(general.coefficients).index(name) for name in named.coefficients]
    np.testing.assert_allclose(drawn[:, order], own, rtol=1e-3)


# -- below the front door --------------------------------------------------------------------------

#: Kaplan et al. 2020 (arXiv 2001.08361), equation 1.5.
KAPLAN, TRUE = "((Nc/N)^(p/q) + Dc/D)^q", {"Nc": 8.8e13, "p": 0.076, "q": 0.103, "Dc": 5.4e13}
RANDOM = np.random.default_rng(20200123)
DESIGN = {"N": 10.0 ** RANDOM.uniform(6.0, 9.5, 60), "D": 10.0 ** RANDOM.uniform(8.0, 11.0, 60)}


def kaplan(N, D, Nc, p, q, Dc):
    return ((Nc / N) ** (p / q) + Dc / D) ** q


@pytest.mark.parametrize("objective", [SQUARES, pytest.param("huber-log", marks=pytest.mark.slow)])
def test_a_users_law_without_start_values(solved, objective):
    """No descent of another kind from the true coefficients, or from the result, finds anything
    better; exact data give them back.
    """
    random = np.random.default_rng(1)
    outliers = np.where(random.random(60) < 0.1, 0.1, 0.0) * random.standard_normal(60)
    exact, chosen = kaplan(**DESIGN, **TRUE), Objective(name=objective)
    noisy = exact * np.exp(0.01 * random.standard_normal(60) + outliers)
    found = solved(KAPLAN, DESIGN, noisy, None, chosen)
    assert found.converged

    def value(logs):
        predicted = kaplan(**DESIGN, **dict(zip(found.coefficients, np.exp(logs), strict=True)))
        return chosen.measure(np.log(predicted / noisy))[0].sum()

    assert found.value == pytest.approx(value(np.log(found.theta)), rel=1e-12)
    options = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 4000}
    for start in (np.log(list(TRUE.values())), np.log(found.theta)):
        other = minimize(value, start, method="Nelder-Mead", options=options)
        assert other.fun >= found.value * (1.0 - 1e-9)
    again = solved(KAPLAN, DESIGN, exact, None, objective)
    assert again.coefficients == pytest.approx(TRUE, rel=1e-9)


@pytest.mark.parametrize(
    ("law", "y", "start"),
    [
        # only the first run sees k: no largest k is best
        ("E + A*exp(-k*x)", lambda x, noise: np.where(x < 1.5, 3.0, 1.0) + noise, None),
        ("c/(1 + k*x)", lambda x, noise: 1.0 / x, None),  # c and k to infinity, at a fixed ratio
        ("a*b*x", lambda x, noise: 2.0 * x + noise, None),
        # the greatest value, by symmetry
        ("cos(a*x)", lambda x, noise: np.cos(0.1 * x), {"a": 0.0}),
    ],
)
def test_what_is_no_minimum_has_not_converged(solved, law, y, start):
    x = np.arange(1.0, 30.0)
    noise = 0.01 * np.random.default_rng(2).standard_normal(len(x))
    assert not solved(law, {"x": x}, y(x, noise), start=start).converged


def test_a_law_that_is_finite_nowhere(solved):
    law, x, y = "E + A*log(b - x^2)", np.array([1.0, 2.0, 4.0, 8.0]), [3.0, 2.5, 2.2, 2.0]
    with pytest.raises(ValueError, match="at no start"):
        solved(law, {"x": x}, y, bounds={"b": (-np.inf, 0.5)})
