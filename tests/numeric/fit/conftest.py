"""The public runs that many fits are tested on, and fits of expressions to bare arrays."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from isoflop.numeric.data.runs import Runs
from isoflop.numeric.fit.expression import Expression
from isoflop.numeric.fit.newton import Box, Problem, joined, minimise
from isoflop.numeric.fit.objective import Objective
from isoflop.numeric.fit.solution import Solution, is_singular, solve


@pytest.fixture(scope="session")
def chinchilla(public_runs: Path) -> Runs:
    """All 245 points of Hoffmann et al. 2022 (arXiv 2203.15556), as read off by Besiroglu et al.
    2024 (arXiv 2404.10102).
    """
    runs = Runs.read(public_runs / "chinchilla" / "svg_extracted_data.csv")
    assert len(runs) == 245
    return runs


@pytest.fixture(scope="session")
def chinchilla_240(chinchilla: Runs) -> Runs:
    """Without the five largest losses, as Besiroglu et al. fit them."""
    fifth = sorted(chinchilla.loss)[-5]
    return chinchilla.subset(chinchilla.loss < fifth)


def _solved(
    law, variables, observed, weights=None, objective="least-squares", *, bounds=None, fixed=None,
    start=None, seed=0,
):  # fmt: skip
    """The solution, with its coefficients by name; `start` is a value for every coefficient."""
    form = Expression(law, extra=tuple(variables))
    names, fixed = form.coefficients, fixed or {}
    ends = dict.fromkeys(names, (-np.inf, np.inf)) | (bounds or {})
    ends |= {name: (value, value) for name, value in fixed.items()}
    box = Box(*np.array([ends[name] for name in names], dtype=float).T)
    model = form.at(variables)
    chosen = Objective(name=objective) if isinstance(objective, str) else objective
    weights = None if weights is None else np.asarray(weights, dtype=float)
    observed = np.asarray(observed, dtype=float)
    problem = Problem.of(model, observed, weights, chosen, box)
    if start is None:
        found = solve(problem, seed=seed)
    else:
        found = _from_start(problem, np.array([[start[name] for name in names]]))
    named = dict(zip(names, found.theta.tolist(), strict=True))
    return SimpleNamespace(**vars(found), coefficients=named)


def _from_start(problem, near):
    """The minimum by squares from a start, which may be far: by steps of either length, of the law as
    it is and with its linear coefficients solved for; of several that are as good the nearest.
    """
    weights = np.ones(problem.model.size)
    begun = [near, problem.model.project(near, problem.target, weights, problem.box)[0]]
    ends = joined(
        minimise(problem, theta, damping=size) for theta in begun for size in (1e-2, 1.0, 1e2)
    )
    equal = ends.value <= ends.value.min() * (1.0 + 1e-12) + float(problem.floor())
    equal &= ends.done | ~ends.done[equal].any()
    away = np.linalg.norm((ends.theta - near) / (np.abs(near) + 1e-300), axis=1)
    best = int(np.argmin(np.where(equal, away, np.inf)))
    theta = ends.theta[best]
    done = bool(ends.done[best]) and not is_singular(problem, theta)
    return Solution(problem=problem, theta=theta, value=float(ends.value[best]), converged=done)


@pytest.fixture(scope="session")
def solved():
    """What solves an expression, below the front door, which takes runs alone."""
    return _solved
