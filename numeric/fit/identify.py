"""Which coefficients the runs of a fit leave undetermined, and in which direction.

One measure: the singular values of the Jacobian, with columns of unit length. Where one is 0 the
coefficients move together without changing the losses: all runs at one size or at one number of
tokens, two sizes, runs at a multiple of the optimal size (the theorems `rank_three` and
`rank_on_a_ray` prove the ranks). Two more cases no derivative shows: another law that is as good,
with the two terms exchanged, as on a ray; and a term that went to a limit of the search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .solution import Solution

    Floats = NDArray[np.float64]

#: A direction is open where its singular value is below this share of the largest.
OPEN = 1e-10
#: A column this small beside the largest is a rounding error.
ZERO_COLUMN = 1e-13
#: The squares of larger derivatives overflow.
LARGE = 1e150
#: A change below this share of the largest is not shown.
SHOWN = 1e-4
#: Runs cannot tell laws apart whose losses differ by no more than this share.
SAME = 1e-6


def open_directions(solution: Solution) -> tuple[dict[str, float], ...]:
    """Combined changes of the coefficients that change no loss to first order: for each coefficient
    that moves, by how much relative to its size (E: to the losses), the largest by 1. Empty where
    the runs tell all coefficients apart, or the law has no derivatives.
    """
    model, problem, names = solution.model, solution.problem, solution.model.coefficients
    estimated = ~np.isin(names, model.fixed)
    with np.errstate(all="ignore"):
        jacobian = problem.residuals(solution.theta[None])[1][0] * np.sqrt(problem.weights)
    largest = np.abs(jacobian[estimated]).max(initial=0.0)
    if not 0.0 < largest < LARGE:
        return ()
    lengths = largest * np.linalg.norm(jacobian[estimated] / largest, axis=1)
    seen = lengths > (0.0 if model.is_expression else ZERO_COLUMN * largest)
    lengths[~seen] = 1.0
    columns = np.where(seen[:, None], jacobian[estimated] / lengths[:, None], 0.0)
    triangle = np.linalg.qr(columns.T, mode="r")  # small, whatever the number of runs
    _, sizes, axes = np.linalg.svd(triangle, full_matrices=True)
    sizes = np.concatenate([sizes, np.zeros(len(axes) - len(sizes))])
    is_open = sizes <= OPEN * sizes[0]
    changes = np.zeros((int(is_open.sum()), len(names)))
    changes[:, estimated] = axes[is_open] / lengths
    size = np.abs(solution.values)
    if model.irreducible:
        size[0] = solution.fitted.min()
    relative = changes @ model.to_coordinates.T / np.where(model.logged | (size == 0.0), 1.0, size)
    relative /= np.abs(relative).max(axis=1, keepdims=True)
    return tuple(
        {name: float(x) for name, x in zip(names, row, strict=True) if abs(x) > SHOWN}
        for row in relative
    )


def undetermined(solution: Solution) -> tuple[str, ...]:
    """The coefficients of a fit whose values are not a result, in the order of the law.

    Those that move along an open direction, can change places, or went to a limit of the search;
    with one coefficient of a term the whole term; all free coefficients where there are no more runs
    than these.
    """
    model, names = solution.model, np.array(solution.model.coefficients)
    if solution.spare <= 0:
        return tuple(names[solution.free].tolist())
    left = {*names[model.runaway(solution.theta)].tolist()}.union(*open_directions(solution))
    if _is_exchangeable(solution):
        left |= {*names.tolist()} - {model.irreducible}
    for term in zip(model.prefactors, model.exponents, strict=True):
        left |= {*term} if left & {*term} else set()
    if left and model.is_shared:
        return tuple(names.tolist())
    return tuple(name for name in names.tolist() if name in left and name not in model.fixed)


def _is_exchangeable(solution: Solution) -> bool:
    """Whether the law in which each variable carries the other's term has the same losses: on a
    line in log N and log D, on which both rise, either term is a power of either variable.
    """
    model = solution.model
    if len({*model.exponents}) != 2 or model.fixed or {*solution.at_bound} - {model.irreducible}:
        return False
    middle = model.logs.mean(axis=1)
    n, d = model.logs - middle[:, None]
    rise = float(n @ d)
    if not rise > 0.0:
        return False
    theta, last = solution.theta.copy(), len(model.linear)
    heights = (
        theta[last - 2 : last] - theta[last:] * middle
    )  # of the terms at the middle of the runs
    theta[last:] = theta[last:][::-1] * [rise / (n @ n), rise / (d @ d)]
    theta[last - 2 : last] = heights[::-1] + theta[last:] * middle
    losses = model.evaluate(theta[None])[0][0]
    return bool(np.abs(losses / solution.fitted - 1.0).max() <= SAME)
