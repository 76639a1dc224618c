"""The grid of exponents: nonnegative least squares at every point, against SciPy's active set
method.
"""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import nnls

from isoflop.numeric.fit import scan
from isoflop.numeric.fit.scan import Scan
from isoflop.numeric.fit.separable import Centred

POINTS = 7
#: The Gram matrix squares the condition of the columns, up to 1e5 for the flattest powers on the
#: grid: 1e-16 * 1e10; the sum of squares that is left is the difference of sums that are about 1e3
#: times as large.
CLOSE = 1e-5


def problem(seed, terms=2, runs=25, irreducible=True):
    random = np.random.default_rng(seed)
    logs = random.uniform(-2.5, 2.5, (terms, runs))
    logs -= logs.mean(axis=1, keepdims=True)
    true = random.uniform(0.1, 0.6, terms)
    observed = irreducible * random.choice([0.0, 1.5]) + np.exp(
        -true @ logs * 0.0 - true[:, None] * logs
    ).sum(axis=0)
    observed *= np.exp(random.choice([0.002, 0.1]) * random.normal(size=runs))
    model = Centred(logs, irreducible)
    first = int(irreducible) + terms
    lower, upper = np.full(model.width, -60.0), np.full(model.width, 60.0)
    if irreducible:
        lower[0], upper[0] = 0.0, np.inf
    lower[first:], upper[first:] = 1e-3, 10.0
    return model, lower, upper, observed, random.uniform(0.5, 2.0, runs)


def best_at(model, exponents, observed, weights):
    """Nonnegative coefficients and the weighted sum of squares at given exponents."""
    columns = np.exp(-np.asarray(exponents)[:, None] * model.logs)
    if model.irreducible:
        columns = np.vstack([np.ones(model.size), columns])
    root = np.sqrt(weights)
    found, length = nnls((columns * root).T, observed * root)
    return found, length**2


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("terms", "irreducible"), [(2, True), (2, False), (1, True)])
def test_starts_are_the_best_points_of_the_grid(seed, terms, irreducible):
    model, lower, upper, observed, weights = problem(seed, terms, irreducible=irreducible)
    grid = Scan.of(model, lower, upper, POINTS)
    starts = grid.starts(observed, weights, most=6)
    sums = np.array([best_at(model, at, observed, weights)[1] for at in product(*grid.grids)])
    total = float(np.sum(weights * observed**2))
    first = model.width - terms
    for start in starts:
        predicted = model.evaluate(start[None])[0][0]
        _, least = best_at(model, start[first:], observed, weights)
        assert np.sum(weights * (predicted - observed) ** 2) == pytest.approx(
            least, rel=CLOSE, abs=1e-9 * total
        )
    best = model.evaluate(starts[:1])[0][0]
    assert np.sum(weights * (best - observed) ** 2) == pytest.approx(
        sums.min(), rel=CLOSE, abs=1e-9 * total
    )


@pytest.mark.parametrize("seed", range(6))
def test_every_start_is_a_local_minimum_on_the_grid(seed):
    model, lower, upper, observed, weights = problem(seed)
    grid = Scan.of(model, lower, upper, POINTS)
    sums = np.array(
        [best_at(model, at, observed, weights)[1] for at in product(*grid.grids)]
    ).reshape(POINTS, POINTS)
    for start in grid.starts(observed, weights, most=6):
        i, j = (
            int(np.argmin(np.abs(axis - value)))
            for axis, value in zip(grid.grids, start[3:], strict=True)
        )
        around = sums[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2]
        assert sums[i, j] <= around.min() * (1.0 + CLOSE)


@pytest.mark.parametrize("seed", range(8))
def testnonnegative_least_squares(seed):
    """Random columns, close to equal ones among them; the answers of both solvers give the same sum
    of squares.
    """
    random = np.random.default_rng(seed)
    columns = random.normal(size=(40, 20, 3))
    columns[:5, :, 2] = columns[:5, :, 1] + 1e-3 * columns[:5, :, 2]
    target = np.abs(random.normal(size=(40, 20))) + columns[:, :, 0]
    gram, moments = (
        np.einsum("gni,gnj->gij", columns, columns),
        np.einsum("gni,gn->gi", columns, target),
    )
    found, gain = scan.nonnegative(gram, moments)
    for one, lowered, a, y in zip(found, gain, columns, target, strict=True):
        expected, length = nnls(a, y)
        if not expected.any():
            continue  # for observed values above 0 and columns above 0 some coefficient always is
        assert (one >= 0.0).all()
        assert np.sum((a @ one - y) ** 2) == pytest.approx(length**2, rel=1e-7)
        assert lowered == pytest.approx(y @ y - length**2, rel=1e-7)


def test_the_grid_keeps_to_the_bounds_of_the_exponents():
    model, lower, upper, observed, weights = problem(1)
    lower[3], upper[3], lower[4], upper[4] = 0.2, 0.3, 0.4, 0.4
    grid = Scan.of(model, lower, upper, POINTS)
    assert grid.grids[0][0] == pytest.approx(0.2, rel=1e-12)
    assert grid.grids[0][-1] == pytest.approx(0.3, rel=1e-12)
    assert grid.grids[1].tolist() == [0.4]
    starts = grid.starts(observed, weights, most=4)
    assert ((starts >= lower) & (starts <= upper)).all()


def test_the_grid_reaches_from_nearly_flat_to_steep_terms():
    model, lower, upper, *_ = problem(2)
    for axis, logs in zip(Scan.of(model, lower, upper, POINTS).grids, model.logs, strict=True):
        spread = np.ptp(logs)
        assert axis[0] * spread < 0.1
        assert axis[-1] * spread > 10.0 or axis[-1] == pytest.approx(10.0)
        assert (np.diff(axis) > 0.0).all()


def test_a_judge_adds_its_own_minima():
    """One that counts only how close the first exponent is to the last one on the grid."""
    model, lower, upper, observed, weights = problem(3)
    grid = Scan.of(model, lower, upper, POINTS)
    wanted = grid.grids[0][-1]
    starts = grid.starts(
        observed, weights, most=3, judge=lambda points: np.abs(points[:, 3] - wanted)
    )
    plain = grid.starts(observed, weights, most=3)
    np.testing.assert_array_equal(starts[: len(plain)], plain)
    assert np.isclose(starts[:, 3], wanted).any()
