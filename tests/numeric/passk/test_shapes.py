"""What shapes are usual: the greatest likelihood, against least squares and a direct search."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from isoflop.numeric.passk.shapes import Cells, ShapeLine, greatest

LEAST = 0.1


def terms_of(u):
    """1, u and e^u."""
    return np.stack([np.ones_like(u), u, np.exp(u)])


@pytest.mark.parametrize("error", [0.05, 0.6])
@pytest.mark.parametrize("mean", [(-1.5, -0.8, 0.0), (-1.0, 0.3, -0.6)])
def test_models_that_tell_u_and_their_shape_are_least_squares(error, mean):
    """Log a with a normal error: as measured it is normal with both variances about the line."""
    random = np.random.default_rng(11)
    u, deviation = random.uniform(-2.0, 1.5, size=200), 0.4
    measured = terms_of(u).T @ mean + np.hypot(deviation, error) * random.standard_normal(200)
    log_a, nodes = np.linspace(-14.0, 9.0, 461), u[:, None] + np.linspace(-0.01, 0.01, 5)
    values = (
        -0.5 * ((log_a - measured[:, None, None]) / error) ** 2
        - (nodes - u[:, None])[..., None] ** 2 / 2e-5
    )
    line, found = greatest(Cells.of(log_a, values), terms_of(nodes).reshape(3, -1), LEAST)
    fitted, rest, *_ = np.linalg.lstsq(terms_of(u).T, measured)
    assert terms_of(u).T @ line == pytest.approx(terms_of(u).T @ fitted, abs=2e-3)
    assert found == pytest.approx(np.sqrt(rest[0] / 200 - error**2), abs=2e-3)


@pytest.fixture(scope="module")
def tables():
    """Twenty models that tell little of u and their shapes together: log_a, nodes (20, 12), log
    likelihoods (20, 12, 91).
    """
    random = np.random.default_rng(5)
    log_a, centres = np.linspace(-6.0, 3.0, 91), random.uniform(-1.5, 1.0, size=20)
    nodes = centres[:, None] + np.linspace(-1.0, 1.0, 12)
    shapes = -1.0 - 0.6 * centres + 1.2 * random.standard_normal(20)
    away_u, away_a = nodes - centres[:, None], log_a - shapes[:, None]
    values = (
        -0.5 * ((away_u[..., None] - 0.4 * away_a[:, None]) / 0.3) ** 2
        - 0.5 * (away_a[:, None] / 0.7) ** 2
    )
    return log_a, nodes, values


def log_likelihood(tables, mean, deviation):
    """Term by term."""
    log_a, nodes, values = tables
    total = 0.0
    for u, table in zip(nodes, values, strict=True):
        centre = terms_of(u).T @ mean
        density = norm.pdf(log_a, centre[:, None], deviation)
        total += np.log((np.exp(table - table.max()) * density).sum())
    return total


def test_no_other_line_is_likelier(tables):
    log_a, nodes, values = tables
    mean, deviation = greatest(Cells.of(log_a, values), terms_of(nodes).reshape(3, -1), LEAST)
    reached = log_likelihood(tables, mean, deviation)

    def cost(x):
        return -log_likelihood(tables, x[:3], np.exp(x[3])) if np.exp(x[3]) >= LEAST else np.inf

    for start in ([-1.0, -0.6, 0.0, -0.7], [*mean, np.log(deviation)], [0.0, 0.0, 0.0, 1.0]):
        found = minimize(
            cost,
            start,
            method="Nelder-Mead",
            options={"maxiter": 4000, "xatol": 1e-8, "fatol": 1e-10},
        )
        assert -found.fun < reached + 1e-6
    away = np.random.default_rng(0).standard_normal((20, 4)) * 0.02
    assert all(-cost(np.append(mean, np.log(deviation)) + step) < reached for step in away)


def test_slopes_are_those_of_differences(tables):
    log_a, nodes, values = tables
    line, point = (
        ShapeLine(Cells.of(log_a, values), terms_of(nodes).reshape(3, -1)),
        np.array([-1.2, -0.4, 0.1, -0.5]),
    )
    value, slope, curved = line.expanded(point)
    constant = value - log_likelihood(tables, point[:3], np.exp(point[3]))
    for i, step in enumerate(1e-5 * np.eye(4)):
        up, down = (
            log_likelihood(tables, x[:3], np.exp(x[3])) for x in (point + step, point - step)
        )
        assert slope[i] == pytest.approx((up - down) / 2e-5, abs=1e-5)
        assert up + constant == pytest.approx(line.log_shares(point + step)[1], abs=1e-9)
    ahead = [
        (line.expanded(point + step)[1] - line.expanded(point - step)[1]) / 2e-5
        for step in 1e-5 * np.eye(4)
    ]
    assert curved == pytest.approx(np.array(ahead), abs=1e-5 * np.abs(curved).max())


def test_the_deviation_ends_at_the_least():
    """Models on a line exactly."""
    u, log_a = np.linspace(-1.0, 1.0, 8), np.linspace(-4.0, 4.0, 801)
    values = np.broadcast_to(-0.5 * ((log_a - 0.5 * u[:, None, None]) / 0.02) ** 2, (8, 3, 801))
    mean, deviation = greatest(
        Cells.of(log_a, values), terms_of(np.repeat(u[:, None], 3, axis=1)).reshape(3, -1), 0.1
    )
    assert deviation == pytest.approx(0.1)
    assert terms_of(u).T @ mean == pytest.approx(0.5 * u, abs=1e-3)


def test_shapes_at_an_end_of_the_grid_are_learnt():
    """Likelihoods that still rise there: the mean stays in reach."""
    u, log_a = np.linspace(-1.0, 1.0, 12), np.linspace(-7.0, 3.0, 201)
    values = np.broadcast_to(-0.5 * ((log_a - 6.0 - u[:, None, None]) / 2.0) ** 2, (12, 3, 201))
    mean, deviation = greatest(
        Cells.of(log_a, values), terms_of(np.repeat(u[:, None], 3, axis=1)).reshape(3, -1), LEAST
    )
    assert np.abs(terms_of(u).T @ mean - 3.0).max() < 2.0
    assert LEAST <= deviation < 2.0
