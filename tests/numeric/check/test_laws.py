"""Batched compute laws against one multistart fit after another."""

import numpy as np
import pytest
from scipy.optimize import least_squares, minimize

from isoflop.numeric.check.laws import fit_compute_laws
from isoflop.numeric.fit.objective import Objective

COMPUTE = np.geomspace(1e18, 1e22, 9)


def losses(rng, count, noise=0.003):
    E, C0, alpha = (
        rng.uniform(0.5, 3.0, (count, 1)),
        rng.uniform(0.3, 3.0, (count, 1)),
        rng.uniform(0.05, 0.4, (count, 1)),
    )
    return (E + C0 * (COMPUTE / 1e20) ** -alpha) * np.exp(
        noise * rng.standard_normal((count, len(COMPUTE)))
    )


def sum_of_squares(laws, values, weights=1.0):
    return (weights * np.log(laws.losses(COMPUTE) / values) ** 2).sum(axis=1)


def best_of_many(values, weights):
    """The least sum of squared log residuals from 12 starts."""

    def residuals(theta):
        return np.sqrt(weights) * (
            np.log(theta[0] + np.exp(theta[1] - theta[2] * np.log(COMPUTE / 1e20))) - np.log(values)
        )

    box = ([0.0, -50.0, 1e-3], [np.inf, 50.0, 10.0])
    tight = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}
    starts = [
        (share * values.min(), np.log(values.min()), alpha)
        for share in (0.1, 0.5, 0.9)
        for alpha in (0.02, 0.1, 0.3, 1.0)
    ]
    return min(2.0 * least_squares(residuals, start, bounds=box, **tight).cost for start in starts)


@pytest.mark.parametrize("weighted", [False, True])
def test_no_worse_than_a_multistart(weighted):
    rng = np.random.default_rng(3)
    values = losses(rng, 40)
    weights = rng.integers(0, 3, values.shape).astype(float) if weighted else np.ones_like(values)
    weights[:, [0, 3, 6, 8]] = np.maximum(weights[:, [0, 3, 6, 8]], 1.0)
    found = fit_compute_laws(COMPUTE, values, weights)
    assert found.converged.all()
    reference = np.array([best_of_many(row, w) for row, w in zip(values, weights, strict=True)])
    # Four points may be met exactly, up to rounding.
    assert (sum_of_squares(found, values, weights) <= reference * (1.0 + 1e-8) + 1e-20).all()


def test_exact_losses_give_the_law_back():
    found = fit_compute_laws(COMPUTE, 1.8 + 900.0 * COMPUTE**-0.155)
    assert found.converged.all()
    law = found.law()
    assert [law.E, law.C0, law.alpha] == pytest.approx([1.8, 900.0, 0.155])
    assert not found.at_bound.any()


def test_no_irreducible_loss_is_a_bound():
    found = fit_compute_laws(COMPUTE, 900.0 * COMPUTE**-0.155 - 0.05)
    assert found.converged.all()
    assert found.at_bound.all()
    assert found.E[0] == 0.0


def test_a_robust_objective_passes_an_outlier_by():
    values = 1.8 + 900.0 * COMPUTE**-0.155
    values[4] *= 1.2
    robust = fit_compute_laws(COMPUTE, values, objective=Objective(name="huber-log"))
    assert robust.alpha[0] == pytest.approx(0.155, abs=2e-3)
    assert abs(fit_compute_laws(COMPUTE, values).alpha[0] - 0.155) > 0.01

    def huber(theta):
        r = np.abs(
            np.log(theta[0] + np.exp(theta[1] - theta[2] * np.log(COMPUTE / 1e20))) - np.log(values)
        )
        return np.where(r <= 1e-3, r**2 / 2, 1e-3 * (r - 5e-4)).sum()

    start = (robust.E[0], robust.log_C0[0] - robust.alpha[0] * np.log(1e20), robust.alpha[0])
    polished = minimize(
        huber,
        start,
        method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-16, "maxiter": 4000},
    )
    assert huber(start) <= polished.fun * (1.0 + 1e-9)


def test_too_few_budgets_do_not_converge():
    values = 1.8 + 900.0 * COMPUTE**-0.155
    weights = np.zeros((2, len(COMPUTE)))
    weights[0, :2], weights[1, :4] = 1.0, 1.0
    found = fit_compute_laws(COMPUTE, values, weights)
    assert found.converged.tolist() == [False, True]
    twice = np.repeat(COMPUTE[:2], 3)
    assert not fit_compute_laws(twice, 1.8 + 900.0 * twice**-0.155).converged.any()
