"""What a run does to a fit, against fits without it and a Jacobian by differences."""

import numpy as np
import pytest

from isoflop.numeric.fit import fit

TRUTH = {"E": 1.69, "A": 406.4, "B": 410.7, "beta": 0.34, "gamma": 0.28}
SQUARES = "least-squares-log"


def log_loss(coordinates, n, d):
    E, log_a, log_b, beta, gamma = coordinates
    return np.log(E + np.exp(log_a - beta * np.log(n)) + np.exp(log_b - gamma * np.log(d)))


def coordinates_of(found):
    E, A, B, beta, gamma = found.coefficients.values()
    return np.array([E, np.log(A), np.log(B), beta, gamma])


def table(noise, seed):
    n, d = (x.ravel() for x in np.meshgrid(np.logspace(8, 10.5, 6), np.logspace(9, 11.5, 6)))
    error = noise * np.random.default_rng(seed).standard_normal(len(n))
    truth = [TRUTH["E"], np.log(TRUTH["A"]), np.log(TRUTH["B"]), TRUTH["beta"], TRUTH["gamma"]]
    return {"params": n, "tokens": d, "loss": np.exp(log_loss(truth, n, d) + error)}


def test_leverage_is_that_of_a_jacobian_by_differences():
    data = table(3e-3, 1)
    found = fit(data, objective=SQUARES)
    at, h = coordinates_of(found), 1e-6
    n, d = data["params"], data["tokens"]
    columns = np.stack(
        [(log_loss(at + h * e, n, d) - log_loss(at - h * e, n, d)) / (2 * h) for e in np.eye(5)],
        axis=1,
    )
    leverage = found.influence().leverage
    np.testing.assert_allclose(leverage, np.diag(columns @ np.linalg.pinv(columns)), atol=1e-6)
    assert leverage.sum() == pytest.approx(5)


@pytest.mark.parametrize("objective", [SQUARES, "least-squares"])
def test_the_distance_is_that_of_the_fit_without_the_run(objective):
    """The change is to first order: its error falls with the noise."""
    errors = []
    for noise in (1e-3, 1e-4):
        data = table(noise, 4)
        base = fit(data, objective=objective)
        foretold = base.influence()
        other = fit({name: column[1:] for name, column in data.items()}, objective=objective)
        change = coordinates_of(other) - coordinates_of(base)
        distance = change @ np.linalg.solve(base.covariance, change) / 5
        errors.append(abs(foretold.distance.iloc[0] / distance - 1.0))
    assert errors[1] < 0.02
    assert errors[1] < 0.3 * errors[0]


def test_no_influence_without_a_covariance():
    n, d = np.full(8, 1e9), np.logspace(9, 12, 8)
    with pytest.raises(ValueError, match="do not tell the coefficients apart"):
        fit({"params": n, "tokens": d, "loss": 2.05 + 410.0 * d**-0.28}).influence()
