"""Sharp minima: linear ones against a linear programme, certificates against a second look."""

import numpy as np
import pytest
from scipy.optimize import linprog, lsq_linear

from isoflop.numeric.fit import fit, nonsmooth
from isoflop.numeric.fit.newton import Problems
from isoflop.numeric.fit.nonsmooth import sharpen
from isoflop.numeric.fit.objective import Objective
from isoflop.numeric.fit.path import follow
from isoflop.numeric.fit.separable import Centred

#: HiGHS solves to a feasibility of 1e-7 in units of the residuals, of which the objective adds up
#: about a hundred.
PROGRAMME = 1e-6


def least_absolute(columns, observed, weights):
    """min sum w |columns' x - observed| over coefficients x >= 0, as a linear programme."""
    width, runs = columns.shape
    cost = np.concatenate([np.zeros(width), weights, weights])
    equal = np.hstack([columns.T, -np.eye(runs), np.eye(runs)])
    found = linprog(cost, A_eq=equal, b_eq=observed, bounds=(0.0, None), method="highs")
    assert found.status == 0
    return found.x[:width], found.fun


def linear_problem(seed, runs):
    """A law with given exponents, residuals of the values themselves: linear in E and the
    prefactors.
    """
    random = np.random.default_rng(seed)
    logs = random.uniform(-2.0, 2.0, (2, runs))
    exponents = np.array([0.35, 0.28])
    columns = np.vstack([np.ones(runs), np.exp(-exponents[:, None] * logs)])
    observed = np.array([random.choice([0.0, 1.7]), 1.1, 0.6]) @ columns + 0.03 * random.standard_t(
        2, size=runs
    )
    lower, upper = (
        np.array([0.0, -30.0, -30.0, *exponents]),
        np.array([np.inf, 30.0, 30.0, *exponents]),
    )
    return Centred(logs), columns, observed, random.uniform(0.5, 2.0, runs), lower, upper


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("runs", [8, 40, 300])
def test_linear_laws_against_a_linear_programme(seed, runs):
    objective = Objective(name="absolute-log")
    model, columns, observed, weights, lower, upper = linear_problem(seed, runs)
    expected, least = least_absolute(columns, observed, weights)
    problems = Problems(model, observed, weights, objective.clip(), False)
    start = np.clip(np.array([1.0, 0.0, 0.0, 0.0, 0.0]), lower, upper)
    near = follow(problems, objective, start[None], lower, upper).theta[0]
    found = sharpen(problems, objective, near, lower, upper)
    assert found.converged
    assert found.value == pytest.approx(least, rel=PROGRAMME)
    np.testing.assert_allclose([found.theta[0], *np.exp(found.theta[1:3])], expected, atol=1e-5)
    residuals = model.evaluate(found.theta[None])[0][0] - observed
    assert int(np.sum(np.abs(residuals) < 1e-10)) == int(np.sum(expected > 0.0))


@pytest.mark.parametrize("seed", range(4))
def test_interpolating_other_runs_is_no_minimum(seed):
    """Only at the runs of the linear programme do multipliers within [-1, 1] balance the others."""
    model, columns, observed, weights, lower, upper = linear_problem(seed, 40)
    objective = Objective(name="absolute-log")
    problems = Problems(model, observed, weights, objective.clip(), False)
    expected, _ = least_absolute(columns, observed, weights)
    best = np.concatenate([expected[:1], np.log(expected[1:]), lower[3:]])
    on = np.sort(np.argsort(np.abs(expected @ columns - observed))[: np.sum(expected > 0.0)])
    random = np.random.default_rng(seed)
    others = (np.sort(random.choice(40, len(on), replace=False)) for _ in range(20))
    certified = []
    for chosen in (on, *(other for other in others if not np.array_equal(other, on))):
        step = nonsmooth._LinearStep(
            np.zeros(5), np.isin(np.arange(40), chosen), np.zeros(len(on)), 0.0
        )
        found = nonsmooth._interpolate(problems, -1.0, 1.0, best, step, lower, upper)
        certified.append(found is not None and found.converged)
    assert certified[0]
    assert not any(certified[1:])


def slopes(found):
    """Derivatives (5, n) of the log of the law in E, log A, log B, beta and gamma, from the law as
    it is written.
    """
    E, A, B, beta, gamma = found.coefficients.values()
    n, d = np.asarray(found.runs.params), np.asarray(found.runs.tokens)
    first, second = A * n**-beta, B * d**-gamma
    rows = np.vstack([np.ones(len(n)), first, second, -first * np.log(n), -second * np.log(d)])
    return rows / (E + first + second)


def test_zero_is_a_subgradient(chinchilla_240):
    """Multipliers between the slopes at the residuals that are 0 balance the other residuals, to
    the rounding of the sums.
    """
    found = fit(chinchilla_240, objective="absolute-log")
    assert found.converged
    jacobian = slopes(found)
    jacobian /= np.linalg.norm(jacobian, axis=1, keepdims=True)
    zero = np.abs(found.residuals) <= 1e-9
    pull = jacobian[:, ~zero] @ -np.sign(found.residuals[~zero])
    balanced = lsq_linear(jacobian[:, zero], -pull, (-1.0, 1.0), method="bvls", tol=1e-14)
    # Columns of unit length, 240 terms: 1e-15; log A and beta cancel to 1e-3 of each other.
    assert np.abs(jacobian[:, zero] @ balanced.x + pull).max() < 1e-9
    assert found.solution.certificate < 1e-9


@pytest.mark.parametrize("runs", [5, 6, 7, 8, 10])
@pytest.mark.parametrize("seed", range(3))
def test_runs_hardly_more_than_coefficients(runs, seed):
    """As many residuals as there are coefficients are 0 at the optimum: the median residual is no
    measure of the others.
    """
    random = np.random.default_rng([seed, runs])
    n, d = 10.0 ** random.uniform(8, 10, runs), 10.0 ** random.uniform(9, 11, runs)
    loss = (1.7 + 400.0 * n**-0.34 + 410.0 * d**-0.28) * np.exp(0.005 * random.normal(size=runs))
    found = fit({"params": n, "tokens": d, "loss": loss}, objective="absolute-log")
    assert found.converged
    free = int(found.free.sum())
    if not found.solution.value < 1e-9:
        jacobian = slopes(found)[found.free]
        jacobian /= np.linalg.norm(jacobian, axis=1, keepdims=True)
        zero = np.abs(found.residuals) <= 1e-9
        assert zero.sum() <= free
        balanced = lsq_linear(
            jacobian[:, zero],
            jacobian[:, ~zero] @ np.sign(found.residuals[~zero]),
            (-1.0, 1.0),
            method="bvls",
        )
        assert 2.0 * balanced.cost < 1e-12


def test_a_minimum_on_the_bound_of_a_coefficient(chinchilla_240):
    found = fit(chinchilla_240, objective="absolute-log", bounds={"E": (0.0, 1.5)})
    assert found.converged
    assert found.at_bound == ("E",)
    assert found.coefficients["E"] == 1.5
    held = fit(chinchilla_240, objective="absolute-log", fixed={"E": 1.5})
    # Both are minima, of which the absolute deviation has several within a few millionths.
    assert found.objective_value == pytest.approx(held.objective_value, rel=1e-5)


def test_exact_runs_are_certified():
    """No objective is below 0."""
    n, d = (x.ravel() for x in np.meshgrid(np.logspace(8, 10, 5), np.logspace(9, 11, 6)))
    runs = {"params": n, "tokens": d, "loss": 1.7 + 400.0 * n**-0.34 + 410.0 * d**-0.28}
    found = fit(runs, objective="absolute-log")
    assert found.converged
    assert found.coefficients == pytest.approx(
        {"E": 1.7, "A": 400.0, "B": 410.0, "beta": 0.34, "gamma": 0.28}, rel=1e-9
    )
