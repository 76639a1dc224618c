"""The solver below the front door: objectives by their definitions with derivatives to forty digits,
valleys, and sharp minima that a linear programme certifies. Optima against SciPy: tests/studies.
"""

import sys
from dataclasses import replace
from pathlib import Path

import mpmath
import numpy as np
import pytest
from scipy.optimize import linprog

from isoflop.numeric.fit.newton import Box, Problem
from isoflop.numeric.fit.objective import Objective
from isoflop.numeric.fit.power import ONE_EXPONENT, PARAMS_TOKENS
from isoflop.numeric.fit.sharp import sharpen
from isoflop.numeric.fit.solution import solve

sys.path.insert(0, str(Path(__file__).parents[2] / "studies"))

from random_problems import problem

mp = mpmath.mp.clone()
mp.dps = 40

LOWER = np.array([0.0, -30.0, -30.0, 1e-3, 1e-3])
UPPER = np.array([np.inf, 30.0, 30.0, 10.0, 10.0])
BOX = Box(LOWER, UPPER)
SQUARES = Objective(name="least-squares-log")


def posed(seed, objective=None):
    """A random problem, centred, and what is observed."""
    drawn = problem(seed)
    logs = np.log(np.stack([drawn.params, drawn.tokens]))
    model = replace(PARAMS_TOKENS, logs=logs - logs.mean(axis=1, keepdims=True))
    return model, drawn.loss, objective or drawn.objective


# -- objectives ------------------------------------------------------------------------------------


def rho(name, r, delta):
    """By its definition."""
    if name == "huber-log":
        return r**2 / 2 if abs(r) <= delta else delta * (abs(r) - delta / 2)
    return r**2


@pytest.mark.parametrize("objective", ["least-squares", "least-squares-log", "huber-log"])
@pytest.mark.parametrize(("irreducible", "shared"), [(True, False), (False, True)])
def test_gradient_and_hessian_to_forty_digits(objective, irreducible, shared):
    logs = np.stack([np.linspace(-1.0, 1.5, 9), np.sin(np.arange(9.0))])
    form = ONE_EXPONENT if shared else PARAMS_TOKENS
    model = replace(form, logs=logs, irreducible="E" * irreducible)
    theta = np.array([*[1.3] * irreducible, 0.2, -0.4, *([0.6] if shared else [0.6, 1.1])])
    chosen = Objective(name=objective, delta=0.05)
    observed = model.evaluate(theta[None])[0][0] * np.exp(0.1 * np.cos(7.0 * np.arange(9.0)))
    weights = np.linspace(0.5, 2.0, 9)
    at = Problem.of(model, observed, weights, chosen).expand(theta[None])

    def value(*x):
        E, first = (x[0], x[1:]) if irreducible else (0, x)
        a, b, exponents = first[0], first[1], first[2:]
        total = mp.mpf(0)
        for z, u, y, w in zip(*logs, observed, weights, strict=True):
            law = E + mp.exp(a - exponents[0] * z) + mp.exp(b - exponents[-1] * u)
            r = mp.log(law) - mp.log(y) if chosen.in_logs else law - y
            total += w * rho(objective, r, mp.mpf(chosen.delta))
        return total

    exact = [mp.mpf(x) for x in theta]
    assert at.value[0] == pytest.approx(float(value(*exact)), rel=1e-12)
    units = np.eye(len(theta), dtype=int)
    for i, one in enumerate(units):
        slope = float(mp.diff(value, exact, one.tolist()))
        assert at.gradient[0, i] == pytest.approx(slope, rel=1e-9, abs=1e-12)
        for j, other in enumerate(units):
            bend = float(mp.diff(value, exact, (one + other).tolist()))
            assert at.hessian[0, i, j] == pytest.approx(bend, rel=1e-8, abs=1e-9)


# -- optima ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [287, 144, 148, 177])
def test_valleys_that_end_on_a_bound(seed):
    """A parameter goes to its bound with the others behind it; one that is there stays."""
    model, observed, objective = posed(seed)
    found = solve(Problem.of(model, observed, None, objective, BOX))
    assert found.converged
    assert ((found.theta <= LOWER) | (found.theta >= UPPER)).any()


SLOW = [pytest.param(seed, marks=pytest.mark.slow) for seed in (1003, 1119)]


@pytest.mark.parametrize("seed", [0, 1190, *SLOW])
def test_absolute_deviations_are_minima_of_the_primal_programme(seed):
    """The solver goes by the dual; here the primal, min sum u with -u <= r + J'd <= u in a small
    box, gains nothing.
    """
    model, observed, _ = posed(seed)
    lad = Objective(name="absolute-log")
    here = Problem.of(model, observed, None, lad, BOX)
    found = solve(here)
    assert found.converged
    r, jacobian = (part[0] for part in here.residuals(found.theta[None])[:2])
    unit = np.median(np.abs(r))
    scale = np.linalg.norm(jacobian, axis=1) / unit
    columns, r = (jacobian / scale[:, None] / unit).T, r / unit
    low = np.maximum(-1e-2, (LOWER - found.theta) * scale)
    high = np.minimum(1e-2, (UPPER - found.theta) * scale)
    one = np.eye(len(r))
    best = linprog(
        np.r_[np.zeros(5), np.ones(len(r))],
        A_ub=np.block([[columns, -one], [-columns, -one]]),
        b_ub=np.r_[-r, r],
        bounds=[*zip(low, high, strict=True), *[(0, None)] * len(r)],
    )
    assert best.fun * unit >= found.value * (1.0 - 1e-8)
    assert found.value == pytest.approx(unit * np.abs(r).sum(), rel=1e-12)
    again = sharpen(here, found.theta + 0.01 / scale)
    assert again.value[0] >= found.value * (1.0 - 1e-9)
