"""The sandwich against 40-digit differentiation of the objective, the influence of a run against fits without
it, and intervals.
"""

from itertools import combinations_with_replacement
from typing import Any

import mpmath
import numpy as np
import pytest
from tests.data import grid_runs, runs_at

from isoflop.numeric.fit import fit

mp = mpmath.mp.clone()
mp.dps = 40

SQUARES = "least-squares-log"


def power_law(n, d, E, a, b, beta, gamma):
    return E + mp.exp(a - beta * mp.log(n)) + mp.exp(b - gamma * mp.log(d))


def saturating(_, d, E, A, B, b):
    return E + A / (1 + (d / B) ** b)


def exact_derivatives(found, law):
    """Residuals, gradients and Hessians of every residual in the coordinates of the covariance, to
    40 digits.
    """
    at = [
        mp.log(value) if law is power_law and name in ("A", "B") else mp.mpf(value)
        for name, value in found.coefficients.items()
    ]

    def residual(run, *x):
        n, d, y = (mp.mpf(x[run]) for x in (found.runs.params, found.runs.tokens, found.runs.loss))
        value = law(n, d, *x)
        return mp.log(value) - mp.log(y) if found.solution.objective.in_logs else value - y

    units, rows = np.eye(len(at), dtype=int), []
    for run in range(len(found.runs)):

        def slope(orders, run=run):
            return mp.diff(lambda *x: residual(run, *x), at, tuple(map(int, orders)))

        bends = mp.zeros(len(at))
        for i, j in combinations_with_replacement(range(len(at)), 2):
            bends[i, j] = bends[j, i] = slope(units[i] + units[j])
        rows.append((residual(run, *at), [slope(unit) for unit in units], bends))
    return rows


GROUPS = np.repeat(np.arange(6), 2)


BEND, BENT = "E + A/(1 + (D/B)^b)", {"A": 1.5, "B": 1e10, "b": 0.9}


def bent_runs(noise, seed=3):
    """A loss that saturates at few tokens."""
    runs = grid_runs(3, 8)
    law = 1.8 + BENT["A"] / (1.0 + (runs["tokens"] / BENT["B"]) ** BENT["b"])
    return {**runs, "loss": law * np.exp(noise * np.random.default_rng(seed).normal(size=24))}


@pytest.mark.parametrize(
    ("model", "objective", "columns"),
    [
        ("params-tokens", "least-squares", {}),
        ("params-tokens", SQUARES, {"group": GROUPS}),
        (BEND, SQUARES, {}),
    ],
)
def test_sandwich_of_least_squares_to_forty_digits(model, objective, columns):
    """H^-1 S H^-1 with H = sum (g g' + r H_r), and S the sum over the groups of s s', s = J' (I -
    J (sum g g')^-1 J')^-1 r, J the rows g' of the group, which a run is alone where none is named; to
    two inverses of a matrix of condition 1e6 with centred terms, from coefficients that are certain to some 1e-8.
    """
    law: Any = saturating if model == BEND else power_law
    runs = bent_runs(0.005) if model == BEND else grid_runs(3, 4, noise=0.02)
    found = fit({**runs, **columns}, model=model, objective=objective)
    assert found.solution.free.all()
    size, p = len(found.runs), len(found.coefficients)
    rows = exact_derivatives(found, law)
    lines = [g for _, g, _ in rows]
    bread, middle = mp.matrix(lines).T * mp.matrix(lines), mp.zeros(p)
    hat = mp.matrix(lines) * mp.inverse(bread) * mp.matrix(lines).T
    for r, _, h in rows:
        bread += r * h
    group = columns.get("group", np.arange(size))
    for own in (np.flatnonzero(group == one) for one in np.unique(group)):
        jacobian = mp.matrix([lines[run] for run in own])
        residuals = mp.matrix([rows[run][0] for run in own])
        left = mp.eye(len(own)) - mp.matrix([[hat[i, j] for j in own] for i in own])
        score = jacobian.T * mp.inverse(left) * residuals
        middle += score * score.T
    inverse = mp.inverse(bread)
    expected = np.array((inverse * middle * inverse).tolist(), dtype=float)
    in_errors = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    np.testing.assert_allclose(found.covariance / in_errors, expected / in_errors, atol=1e-6)
    leverage = [float(hat[run, run]) for run in range(size)]
    np.testing.assert_allclose(found.influence().leverage, leverage, atol=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_of_two_laws_that_are_one_the_same_is_found(seed):
    """E + A/(1 + x^b) is (E + A) - A/(1 + x^-b): rounding does not choose which asymptote E is."""
    found = fit(bent_runs(0.005, seed), model=BEND, objective=SQUARES)
    assert all(value > 0.0 for value in found.coefficients.values())


def test_the_distance_is_that_of_the_fit_without_the_run():
    """The change is to first order: its error falls with the noise."""

    def coordinates_of(found):
        E, A, B, beta, gamma = found.coefficients.values()
        return np.array([E, np.log(A), np.log(B), beta, gamma])

    errors = []
    for noise in (1e-3, 1e-4):
        runs = grid_runs(6, 6, noise=noise, seed=4)
        base = fit(runs, objective=SQUARES)
        other = fit({name: column[1:] for name, column in runs.items()}, objective=SQUARES)
        change = coordinates_of(other) - coordinates_of(base)
        distance = change @ np.linalg.solve(base.covariance, change) / 5
        errors.append(abs(base.influence().distance.iloc[0] / distance - 1.0))
    assert errors[1] < 0.02
    assert errors[1] < 0.3 * errors[0]


# -- refusals --------------------------------------------------------------------------------------


def test_no_covariance():
    """Where one run alone determines gamma (all others are at one D); for one group, whose score is
    the gradient of the objective, 0 at the optimum; and where E ends on 0, for want of a lower value,
    and the others move with it, unless it is given.
    """
    n, d = np.append(np.geomspace(1e8, 1e10, 13), 1e9), np.append(np.full(13, 1e10), 1e11)
    alone = fit(runs_at(n, d, noise=0.005, seed=2), objective=SQUARES, fixed={"E": 1.7})
    grouped, low = fit({**grid_runs(noise=0.02), "group": ["a"] * 30}), grid_runs(noise=0.02)
    low["loss"] = low["loss"] - 1.75
    at_zero, known = fit(low), fit(low, fixed={"E": 0.0})
    for found, message in (
        (alone, "one run alone determines a coefficient"),
        (grouped, "all runs are of one group; must be 2 or more"),
        (at_zero, r"^covariance: E is 0, the least it can be"),
    ):
        with pytest.raises(ValueError, match=message):
            _ = found.covariance
    assert at_zero.coefficients["E"] == 0.0
    assert not any(estimate.has_interval for estimate in at_zero.estimates().values())
    assert not at_zero.law.estimate(lambda law: law.envelope.exponent).has_interval
    assert known.coefficients["beta"] == pytest.approx(at_zero.coefficients["beta"], rel=1e-6)
    assert known.estimate("beta").has_interval


# -- intervals -------------------------------------------------------------------------------------


def test_intervals_take_students_t():
    """90 % with 30 - 5 degrees of freedom: 1.7081408 standard errors on both sides, of exponents in the
    log; 1,000 draws know an end to 6 % of that.
    """
    found = fit(grid_runs(noise=0.02))
    for name in ("E", "beta", "gamma"):
        estimate, place = found.estimate(name), [*found.coefficients].index(name)
        error = np.sqrt(found.covariance[place, place])
        ends: Any = [estimate.low, estimate.high]
        size = estimate.value
        away = np.subtract(ends, size) if name == "E" else size * np.log(np.divide(ends, size))
        np.testing.assert_allclose(
            away / error, [-1.7081407612518986, 1.7081407612518986], rtol=0.2
        )


def test_what_is_held_has_neither_covariance_nor_correlation():
    found = fit(grid_runs(noise=0.02), objective=SQUARES, fixed={"A": 400.0, "E": 1.5})
    free, errors = found.solution.free, np.sqrt(np.diag(found.covariance))
    assert (~free).sum() == 2
    assert not found.covariance[~free].any()
    np.testing.assert_allclose(np.diag(found.correlation), free, rtol=1e-14)
    np.testing.assert_allclose(
        found.correlation * np.outer(errors, errors), found.covariance, rtol=1e-14
    )
