"""Newton's method on problems whose minima other methods know: linear ones, Rosenbrock's valley,
waves, saddles.
"""

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from scipy.optimize import minimize as scipy_minimize

from isoflop.numeric.fit import newton
from isoflop.numeric.fit.expression import ExpressionModel
from isoflop.numeric.fit.newton import Problems, expand, minimise, newton_step, values
from isoflop.numeric.fit.objective import OBJECTIVES, Clip, Objective
from isoflop.numeric.fit.separable import Centred

SQUARES = Clip(2.0, -np.inf, np.inf)
#: A minimum is where the objective is within 1e-15 of its least: parameters to the root of that,
#: some 1e-7; here they are better, since the last step is taken on exact derivatives.
PARAMETERS = 1e-8


def free(width):
    return np.full(width, -np.inf), np.full(width, np.inf)


def law(runs=60, seed=1):
    """A params+tokens law at random runs: model, logs of the losses, a start and the box."""
    random = np.random.default_rng(seed)
    logs = random.uniform(-2.5, 2.5, (2, runs))
    true = np.array([1.7, 0.0, -0.3, 0.35, 0.3])
    model = Centred(logs)
    observed = np.log(model.evaluate(true[None])[0][0]) + 0.01 * random.standard_t(3, size=runs)
    start = true + np.array([0.2, -0.3, 0.2, 0.1, -0.1])
    box = np.array([0.0, -20.0, -20.0, 1e-3, 1e-3]), np.array([np.inf, 20.0, 20.0, 10.0, 10.0])
    return model, observed, start, box


# -- linear problems ---------------------------------------------------------------------------------------------------


@pytest.fixture
def line():
    random = np.random.default_rng(3)
    columns = random.normal(size=(3, 30))
    model = ExpressionModel(
        "a*u + b*v + c*w", dict(zip("uvw", columns, strict=True)), ("a", "b", "c")
    )
    return model, columns, random.normal(size=30), random.uniform(0.2, 3.0, 30)


def test_linear_least_squares_in_one_step(line):
    model, columns, observed, weights = line
    root = np.sqrt(weights)
    expected, rest, *_ = np.linalg.lstsq((columns * root).T, observed * root, rcond=None)
    found = minimise(
        Problems(model, observed, weights, SQUARES, False), np.zeros((1, 3)), *free(3), damping=0.0
    )
    assert found.done.all()
    assert found.steps <= 2
    np.testing.assert_allclose(found.theta[0], expected, rtol=1e-12)
    assert found.value[0] == pytest.approx(rest[0], rel=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_boxes_against_an_active_set_method(line, seed):
    model, columns, observed, weights = line
    random = np.random.default_rng(seed)
    lower = random.uniform(-0.4, 0.0, 3)
    upper = lower + random.uniform(0.05, 0.6, 3)
    root = np.sqrt(weights)
    expected = lsq_linear(
        (columns * root).T, observed * root, (lower, upper), method="bvls", tol=1e-14
    )
    start = random.uniform(lower, upper)
    found = minimise(Problems(model, observed, weights, SQUARES, False), start[None], lower, upper)
    assert found.done.all()
    np.testing.assert_allclose(found.theta[0], expected.x, atol=PARAMETERS)
    assert found.value[0] == pytest.approx(2.0 * expected.cost, rel=1e-12)
    on = (expected.x == lower) | (expected.x == upper)
    assert ((found.theta[0] == lower) | (found.theta[0] == upper))[on].all()


def test_a_parameter_that_is_held_does_not_move(line):
    model, columns, observed, _ = line
    lower, upper = free(3)
    lower[1] = upper[1] = 0.7
    found = minimise(
        Problems(model, observed, None, SQUARES, False), np.zeros((1, 3)), lower, upper
    )
    assert found.theta[0, 1] == 0.7
    rest = np.linalg.lstsq(columns[[0, 2]].T, observed - 0.7 * columns[1], rcond=None)[0]
    np.testing.assert_allclose(found.theta[0, [0, 2]], rest, rtol=1e-10)


# -- curved ones -------------------------------------------------------------------------------------------------------


def rosenbrock():
    """100 (y - x^2)^2 + (1 - x)^2 + 1/2, as three squares: least at (1, 1)."""
    law = "s*10*(y - x^2) + t*(1 - x) + w*z"
    rows = {"s": [1.0, 0.0, 0.0], "t": [0.0, 1.0, 0.0], "w": [0.0, 0.0, 1.0]}
    return ExpressionModel(law, {**rows, "z": [0.5**0.5] * 3}, ("x", "y"))


@pytest.mark.parametrize("start", [(-1.2, 1.0), (3.0, -2.0), (0.0, 0.0), (-3.0, 12.0)])
def test_rosenbrocks_valley(start):
    found = minimise(
        Problems(rosenbrock(), np.zeros(3), None, SQUARES, False), np.array([start]), *free(2)
    )
    assert found.done.all()
    np.testing.assert_allclose(found.theta[0], [1.0, 1.0], rtol=PARAMETERS)
    assert found.value[0] == pytest.approx(0.5, rel=1e-14)


def test_rosenbrocks_valley_cut_by_a_bound():
    """With y >= 2 on the bound: x is the real root near 1.41 of 200 x^3 - 399 x - 1 = 0, half the
    derivative.
    """
    lower, upper = np.array([-np.inf, 2.0]), np.full(2, np.inf)
    found = minimise(
        Problems(rosenbrock(), np.zeros(3), None, SQUARES, False),
        np.array([[0.5, 3.0]]),
        lower,
        upper,
    )
    assert found.done.all()
    assert found.theta[0, 1] == 2.0
    roots = np.roots([200.0, 0.0, -399.0, -1.0])
    assert found.theta[0, 0] == pytest.approx(roots.real.max(), rel=PARAMETERS)


@pytest.mark.parametrize("start", [1e-3, -1e-3, 0.3, -4.0])
def test_a_saddle_is_left(start):
    """(x^2 - 1)^2 + (y - 1)^2 + 1 has one at x = 0."""
    model = ExpressionModel(
        "s*(x^2 - 1) + t*(y - 1) + w*z",
        {"s": [1, 0, 0], "t": [0, 1, 0], "w": [0, 0, 1], "z": [1, 1, 1]},
        ("x", "y"),
    )
    problems = Problems(model, np.zeros(3), None, SQUARES, False)
    found = minimise(problems, np.array([[start, 0.5]]), *free(2))
    assert found.done.all()
    np.testing.assert_allclose(found.theta[0], [np.sign(start), 1.0], rtol=PARAMETERS)


def test_the_saddle_itself_is_no_minimum():
    """No step promises anything there, and yet it is not done."""
    model = ExpressionModel(
        "s*(x^2 - 1) + t*z", {"s": [1.0, 0.0], "t": [0.0, 1.0], "z": [1.0, 1.0]}, ("x",)
    )
    found = minimise(Problems(model, np.zeros(2), None, SQUARES, False), np.zeros((1, 1)), *free(1))
    assert not found.done.any()


def test_waves_end_in_some_minimum():
    """a sin(b x), from many starts: no end has a lower neighbour. At a = b = 0 is a saddle, which
    is not called a minimum.
    """
    x = np.linspace(0.0, 3.0, 40)
    observed = np.sin(2.0 * x) + 0.1 * np.random.default_rng(5).normal(size=40)
    problems = Problems(
        ExpressionModel("a*sin(b*x)", {"x": x}, ("a", "b")), observed, None, SQUARES, False
    )
    start = np.column_stack([np.tile([0.5, -1.0], 10), np.linspace(0.3, 9.0, 20)])
    found = minimise(problems, start, *free(2))
    at_the_saddle = np.abs(found.theta).max(axis=1) < 1e-6
    assert at_the_saddle.sum() < 4
    np.testing.assert_array_equal(found.done, ~at_the_saddle)
    for theta, value in zip(found.theta[found.done], found.value[found.done], strict=True):
        for step in 1e-4 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, 1]]):
            assert (
                np.sum(((theta + step)[0] * np.sin((theta + step)[1] * x) - observed) ** 2) >= value
            )
    assert len({round(value, 9) for value in found.value}) > 1


# -- many problems, many runs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OBJECTIVES)
def test_derivatives_of_the_objective(name):
    """Gradient and Hessian by central differences of the objective and of the gradient: steps of
    1e-6 leave ten digits.
    """
    model, observed, start, _ = law()
    objective = Objective(name=name, delta=5e-3)
    observed = observed if objective.in_logs else np.exp(observed)
    weights = np.random.default_rng(2).uniform(0.3, 2.0, len(observed))
    problems = Problems(model, observed, weights, objective.clip(1.0), objective.in_logs)
    at = expand(problems, start[None])
    moved = start + 1e-6 * np.vstack([np.eye(5), -np.eye(5)])
    around = expand(problems, moved)
    np.testing.assert_allclose(
        at.gradient[0], (around.value[:5] - around.value[5:]) / 2e-6, rtol=1e-6, atol=1e-8
    )
    np.testing.assert_allclose(
        at.hessian[0], (around.gradient[:5] - around.gradient[5:]) / 2e-6, rtol=1e-6, atol=1e-7
    )
    np.testing.assert_allclose(values(problems, moved), around.value, rtol=1e-13)


@pytest.fixture
def many():
    """Problems that differ in everything that may: observed values, weights, width, start."""
    model, observed, start, box = law()
    random = np.random.default_rng(8)
    count = 7
    wide = observed + 0.01 * random.normal(size=(count, len(observed)))
    weights = random.multinomial(
        len(observed), np.full(len(observed), 1.0 / len(observed)), size=count
    ).astype(float)
    clip = Objective(name="huber-log").clip(np.geomspace(1e-3, 1.0, count)[:, None])
    theta = start + 0.1 * random.normal(size=(count, 5))
    return Problems(model, wide, weights, clip, True), theta, box


def test_a_batch_is_each_of_its_problems(many):
    problems, theta, box = many
    together = minimise(problems, theta, *box)
    assert together.done.all()
    for k in range(len(theta)):
        alone = minimise(problems.some([k]), theta[[k]], *box)
        np.testing.assert_allclose(together.theta[k], alone.theta[0], rtol=1e-7)
        assert together.value[k] == pytest.approx(alone.value[0], rel=1e-14)
        assert together.done[k] == alone.done[0]


@pytest.mark.parametrize("block", [8, 50, 100, 130])
def test_blocks_change_nothing(many, monkeypatch, block):
    """Runs in blocks, and problems in blocks; sums in another order differ by rounding."""
    problems, theta, box = many
    whole, ends = expand(problems, theta), minimise(problems, theta, *box)
    monkeypatch.setattr(newton, "BLOCK", block)
    parts, others = expand(problems, theta), minimise(problems, theta, *box)
    for name in ("value", "gradient", "hessian", "lengths"):
        one, other = getattr(whole, name), getattr(parts, name)
        np.testing.assert_allclose(other, one, rtol=1e-12, atol=1e-13 * np.abs(one).max())
    np.testing.assert_allclose(values(problems, theta), whole.value, rtol=1e-13)
    np.testing.assert_allclose(others.theta, ends.theta, rtol=1e-7)
    np.testing.assert_allclose(others.value, ends.value, rtol=1e-13)


def test_weights_are_repetitions():
    model, observed, start, box = law()
    times = np.random.default_rng(1).integers(0, 4, len(observed))
    weighted = minimise(
        Problems(model, observed, times.astype(float), SQUARES, True), start[None], *box
    )
    index = np.repeat(np.arange(len(observed)), times)
    repeated = minimise(
        Problems(Centred(model.logs[:, index]), observed[index], None, SQUARES, True),
        start[None],
        *box,
    )
    np.testing.assert_allclose(weighted.theta, repeated.theta, rtol=1e-7)
    assert weighted.value[0] == pytest.approx(repeated.value[0], rel=1e-13)


# -- what `done` says --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most_steps", [1, 2, 4, 150])
@pytest.mark.parametrize("name", ["huber-log", "least-squares-log", "least-squares"])
def test_done_means_that_nothing_is_left_to_gain(name, most_steps):
    """From rough starts, some of them hopeless: where it says done, SciPy's simplex method finds
    nothing lower next to it.
    """
    model, observed, start, box = law(seed=4)
    objective = Objective(name=name)
    observed = observed if objective.in_logs else np.exp(observed)
    problems = Problems(model, observed, None, objective.clip(), objective.in_logs)
    begun = np.clip(
        start + np.random.default_rng(6).normal(size=(12, 5)) * [0.5, 2.0, 2.0, 0.5, 0.5], *box
    )
    found = minimise(problems, begun, *box, most_steps=most_steps)
    assert found.done.any() == (most_steps == 150)
    for theta, value in zip(found.theta[found.done], found.value[found.done], strict=True):
        other = scipy_minimize(
            lambda x: objective.value(
                objective.residuals(
                    model.evaluate(x[None])[0][0],
                    np.exp(observed) if objective.in_logs else observed,
                )
            ),
            theta,
            method="Nelder-Mead",
            bounds=list(zip(*box, strict=True)),
            options={"maxiter": 300},
        )
        assert other.fun >= value * (1.0 - 1e-12)


def test_a_perfect_fit_is_done():
    """Nothing can be gained from an objective of 0, whatever share of it a step promises."""
    model, _, start, box = law()
    exact = model.evaluate(np.array([[1.7, 0.0, -0.3, 0.35, 0.3]]))[0][0]
    for target, in_logs in ((np.log(exact), True), (exact, False)):
        found = minimise(Problems(model, target, None, SQUARES, in_logs), start[None], *box)
        assert found.done.all()
        np.testing.assert_allclose(
            found.theta[0], [1.7, 0.0, -0.3, 0.35, 0.3], rtol=1e-10, atol=1e-10
        )


def test_a_start_outside_the_domain_is_not_done():
    """log of a law that is negative."""
    model = ExpressionModel("a + b*x", {"x": [0.0, 1.0, 2.0]}, ("a", "b"))
    problems = Problems(model, np.log([1.0, 2.0, 3.5]), None, SQUARES, True)
    found = minimise(problems, np.array([[-5.0, 0.0], [1.0, 1.0]]), *free(2))
    assert found.done.tolist() == [False, True]
    assert found.value[0] == np.inf


def test_flat_directions_are_left_alone_and_say_done():
    """a and b only matter in a + b: a minimum, though not the only one."""
    model = ExpressionModel("a + b + c*x", {"x": [0.0, 1.0, 2.0, 3.0]}, ("a", "b", "c"))
    found = minimise(
        Problems(model, np.array([1.0, 2.1, 2.9, 4.2]), None, SQUARES, False),
        np.zeros((1, 3)),
        *free(3),
    )
    slope, level = np.polyfit([0.0, 1.0, 2.0, 3.0], [1.0, 2.1, 2.9, 4.2], 1)
    assert found.done.all()
    assert found.theta[0, 0] + found.theta[0, 1] == pytest.approx(level, rel=PARAMETERS)
    assert found.theta[0, 2] == pytest.approx(slope, rel=PARAMETERS)


def test_a_step_ends_at_the_first_bound_it_meets():
    model, observed, start, box = law()
    problems = Problems(model, observed, None, SQUARES, True)
    at = expand(problems, start[None])
    long = newton_step(at, start[None], np.zeros(1), *(np.atleast_2d(side) for side in box))
    lower, upper = box[0].copy(), box[1].copy()
    down = int(np.argmin(long.move[0]))
    lower[down] = start[down] + 0.25 * long.move[0, down]
    short = newton_step(at, start[None], np.zeros(1), lower[None], upper[None])
    np.testing.assert_allclose(short.move, 0.25 * long.move, rtol=1e-12)
    # m(t) = g t - h t^2/2 with its maximum at t = 1, at a quarter: 7/16 of it.
    assert short.promised[0] == pytest.approx(7.0 / 16.0 * long.promised[0], rel=1e-12)
