"""The sandwich against 40-digit differentiation of the objective, sums over groups, and simulation."""

import mpmath
import numpy as np
import pytest
from tests.data import grid_runs

from isoflop.numeric.fit import fit

mp = mpmath.mp.clone()
mp.dps = 40

SQUARES = "least-squares-log"


def exact_derivatives(found):
    """Residuals, gradients and Hessians of every residual in (E, log A, log B, beta, gamma), to 40
    digits.
    """
    at = [
        mp.log(value) if name in ("A", "B") else mp.mpf(value)
        for name, value in found.coefficients.items()
    ]

    def residual(run, E, a, b, beta, gamma):
        n, d, y = (mp.mpf(x[run]) for x in (found.runs.params, found.runs.tokens, found.runs.loss))
        law = E + mp.exp(a - beta * mp.log(n)) + mp.exp(b - gamma * mp.log(d))
        return mp.log(law) - mp.log(y) if found.solution.objective.in_logs else law - y

    units, rows = np.eye(5, dtype=int), []
    for run in range(len(found.runs)):

        def slope(orders, run=run):
            return mp.diff(lambda *x: residual(run, *x), at, tuple(map(int, orders)))

        bends = [[slope(one + other) for other in units] for one in units]
        rows.append((residual(run, *at), [slope(unit) for unit in units], bends))
    return rows


def close(found, expected, tolerance):
    """In units of the standard errors."""
    scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    np.testing.assert_allclose(found / scale, expected / scale, atol=tolerance)


@pytest.mark.parametrize("objective", [SQUARES, "least-squares"])
@pytest.mark.parametrize("weighted", [False, True])
def test_sandwich_of_least_squares_to_forty_digits(objective, weighted):
    """H^-1 S H^-1 with H = sum w (g g' + r H_r), S = sum (w r/(1 - h))^2 g g', h = w g' (sum w g
    g')^-1 g; to two inverses of a matrix of condition 1e6 with centred terms, from coefficients that
    are certain to some 1e-8.
    """
    runs = grid_runs(noise=0.02, sizes=3, durations=4)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, 12) if weighted else np.ones(12)
    found = fit({**runs, **({"weight": weights} if weighted else {})}, objective=objective)
    assert found.solution.free.all()
    rows = exact_derivatives(found)
    bread, middle, gram = mp.zeros(5), mp.zeros(5), mp.zeros(5)
    for (_, g, _), w in zip(rows, map(mp.mpf, weights), strict=True):
        gram += w * mp.matrix(g) * mp.matrix(g).T
    gram = mp.inverse(gram)
    for (r, g, h), w in zip(rows, map(mp.mpf, weights), strict=True):
        column = mp.matrix(g)
        leverage = w * (column.T * gram * column)[0]
        bread += w * (column * column.T + r * mp.matrix(h))
        middle += (w * r / (1 - leverage)) ** 2 * column * column.T
    inverse = mp.inverse(bread)
    expected = np.array((inverse * middle * inverse).tolist(), dtype=float)
    close(found.covariance, expected, 1e-6)


def test_groups_are_summed_before_they_are_squared():
    """Against scores of the whole groups with residuals (I - H_gg)^-1 r_g, H the hat matrix of the
    linearised law.
    """
    runs, group = grid_runs(noise=0.02), np.repeat(np.arange(10), 3)
    found = fit({**runs, "group": group}, objective=SQUARES)
    plain = fit(runs, objective=SQUARES)
    theta = plain.solution.theta[None]
    residuals, jacobian = (part[0] for part in plain.solution.problem.residuals(theta)[:2])
    hat = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T, jacobian)
    alone = jacobian * (residuals / (1.0 - np.diag(hat)))
    together = np.zeros((5, 5))
    for own in (np.flatnonzero(group == g) for g in range(10)):
        left = np.eye(3) - hat[np.ix_(own, own)]
        score = jacobian[:, own] @ np.linalg.solve(left, residuals[own])
        together += np.outer(score, score)
    turn = plain.solution.model.to_coordinates
    root = np.linalg.solve(turn, plain.covariance) @ np.linalg.inv(turn).T
    bread = _bread_from(root, alone @ alone.T)
    close(found.covariance, turn @ (bread @ together @ bread) @ turn.T, 1e-5)


def _bread_from(covariance, middle):
    """The symmetric positive X with X M X = V: X = M^-1/2 (M^1/2 V M^1/2)^1/2 M^-1/2."""

    def power(matrix, exponent):
        values, vectors = np.linalg.eigh(matrix)
        return (vectors * values**exponent) @ vectors.T

    half, back = power(middle, 0.5), power(middle, -0.5)
    return back @ power(half @ covariance @ half, 0.5) @ back


# -- refusals --------------------------------------------------------------------------------------


def test_a_run_that_alone_tells_a_coefficient_has_no_error():
    """All but one run are at one D: gamma hangs on that one, whose residual is 0 whatever it is."""
    n = np.append(np.geomspace(1e8, 1e10, 13), 1e9)
    d = np.append(np.full(13, 1e10), 1e11)
    noise = np.exp(0.005 * np.random.default_rng(2).normal(size=14))
    runs = {"params": n, "tokens": d, "loss": (1.7 + 400.0 * n**-0.34 + 410.0 * d**-0.28) * noise}
    found = fit(runs, objective=SQUARES, fixed={"E": 1.7})
    with pytest.raises(ValueError, match="one run alone determines a coefficient"):
        _ = found.covariance


def test_no_sandwich_where_E_is_zero_for_want_of_a_better_value():
    """Losses without an irreducible part: E ends on 0, and the others move with it; where it is
    given they do not.
    """
    runs = grid_runs(noise=0.02)
    runs["loss"] = runs["loss"] - 1.75
    found, known = fit(runs), fit(runs, fixed={"E": 0.0})
    assert found.coefficients["E"] == 0.0
    with pytest.raises(ValueError, match=r"^covariance: E is 0, the least it can be"):
        _ = found.covariance
    assert not any(estimate.has_interval for estimate in found.estimates().values())
    assert not found.law.estimate(lambda law: law.envelope.exponent).has_interval
    assert known.coefficients["beta"] == pytest.approx(found.coefficients["beta"], rel=1e-6)
    assert known.estimate("beta").has_interval


def test_one_group_tells_no_error():
    """Its score is the gradient of the objective, which is 0 at the optimum."""
    found = fit({**grid_runs(noise=0.02), "group": ["a"] * 30})
    with pytest.raises(ValueError, match="all runs are of the group 'a'; must be at least 2 group"):
        _ = found.covariance


# -- intervals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [{"fixed": {"E": 1.7}}, {"bounds": {"E": (None, 1.5)}}, {"fixed": {"A": 400.0, "gamma": 0.28}}],
)
def test_rows_of_what_is_held_are_zero(given):
    found = fit(grid_runs(noise=0.02), objective=SQUARES, **given)
    free, covariance = found.solution.free, found.covariance
    assert (~free).sum() == sum(map(len, given.values()))
    assert not covariance[~free].any()
    assert not covariance[:, ~free].any()
    assert (np.linalg.eigvalsh(covariance[np.ix_(free, free)]) > 0.0).all()


def test_intervals_take_students_t():
    """90 % with 30 - 5 degrees of freedom: 1.7081408 standard errors on both sides, of prefactors
    and exponents in the log; 1,000 draws know an end to 6 % of that.
    """
    for name, estimate in fit(grid_runs(noise=0.02)).estimates(0.9).items():
        value, error = estimate.value, estimate.standard_error or 0.0
        ends = np.array([estimate.low, estimate.high])
        away = (ends - value if name == "E" else value * np.log(ends / value)) / error
        np.testing.assert_allclose(away, [-1.7081407612518986, 1.7081407612518986], rtol=0.2)
