"""What the runs of a fit leave undetermined, and in which direction.

One measure: the singular values of the Jacobian, with columns of unit length. Where one is 0 the
coefficients move together and no run notices: all runs at one size or at one number of tokens, two
sizes, runs at a multiple of the optimal size (ranks that the theorems `rank_three` and
`rank_on_a_ray` prove). Beside it two things that no derivative shows: another law that is as good,
with the two terms exchanged, as on a ray; and a term that went to a limit of the search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .fit import Fit

    Floats = NDArray[np.float64]

#: A direction is open where its singular value is below this share of the largest.
OPEN = 1e-10
#: A column this small beside the largest is rounding.
ZERO_COLUMN = 1e-13
#: Derivatives beyond it have no squares.
LARGE = 1e150
#: A change below this share of the largest is none.
SHOWN = 1e-4
#: Laws whose losses differ by no more than this share are the same to the runs.
SAME = 1e-6


def open_directions(fit: Fit) -> tuple[dict[str, float], ...]:
    """Combined changes of the coefficients that no run notices.

    Parameters
    ----------
    fit : Fit

    Returns
    -------
    tuple of dict of str to float
        The coefficients that move, each by how much relative to its size (E to the losses), the
        largest by 1; to first order. None where the runs tell all of them apart, or the law has no derivatives.
    """
    estimated = ~np.isin(fit.names, list(fit.design.given))
    problem = fit.problem
    with np.errstate(all="ignore"):
        jacobian = problem.residuals(fit.theta[None])[1][0] * np.sqrt(problem.weights)
    largest = np.abs(jacobian[estimated]).max(initial=0.0)
    if not 0.0 < largest < LARGE:
        return ()
    lengths = largest * np.linalg.norm(jacobian[estimated] / largest, axis=1)
    seen = lengths > (0.0 if fit.model.is_expression else ZERO_COLUMN * largest)
    lengths[~seen] = 1.0
    columns = np.where(seen[:, None], jacobian[estimated] / lengths[:, None], 0.0)
    triangle = np.linalg.qr(columns.T, mode="r")  # small, whatever the number of runs
    _, sizes, axes = np.linalg.svd(triangle, full_matrices=True)
    sizes = np.concatenate([sizes, np.zeros(len(axes) - len(sizes))])
    is_open = sizes <= OPEN * sizes[0]
    changes = np.zeros((int(is_open.sum()), len(fit.names)))
    changes[:, estimated] = axes[is_open] / lengths
    relative = changes @ fit.design.to_coordinates.T / _sizes(fit)
    relative /= np.abs(relative).max(axis=1, keepdims=True)
    return tuple(
        {name: float(x) for name, x in zip(fit.names, row, strict=True) if abs(x) > SHOWN}
        for row in relative
    )


def undetermined(fit: Fit) -> tuple[str, ...]:
    """The coefficients of a fit whose values are no result, in the order of the law.

    Those that move along an open direction, that can change places, or that went to a limit of the
    search; with one coefficient of a term the whole term; and where there are no more
    runs than free coefficients, all of these.
    """
    if fit.spare <= 0:
        return tuple(np.array(fit.names)[fit.free].tolist())
    left = {*np.array(fit.names)[fit.design.runaway(fit.theta)]}.union(*fit.open_directions)
    if _is_exchangeable(fit):
        left |= {*fit.names} - {"E"}
    for term in zip(fit.model.prefactors, fit.model.exponents, strict=True):
        left |= {*term} if left & {*term} else set()
    if left and fit.model.is_shared:
        return fit.names
    return tuple(name for name in fit.names if name in left and name not in fit.design.given)


def _sizes(fit: Fit) -> Floats:
    """(p,): by how much each coordinate changes where its coefficient changes by its own size; E of
    power terms by that of the losses.
    """
    values = np.abs(fit.values)
    if not fit.model.is_expression and "E" in fit.names:
        values[fit.names.index("E")] = fit.fitted.min()
    logged = np.isin(fit.names, fit.model.prefactors)
    return np.where(logged | (values == 0.0), 1.0, values)


def _is_exchangeable(fit: Fit) -> bool:
    """Whether the law in which each variable carries the other's term has the same losses: on a
    line in log N and log D, on which both rise, either term is a power of either variable.
    """
    if len({*fit.model.exponents}) != 2 or fit.design.given or {*fit.at_bound} - {"E"}:
        return False
    first = int("E" in fit.names)
    terms = np.log(fit.design.model.evaluate(fit.theta[None])[1][0, first : first + 2])
    exchanged = {"E": fit.coefficients["E"]} if first else {}
    names = zip(fit.model.prefactors, fit.model.exponents, strict=True)
    for logs, term, (a, b) in zip(fit.model.logs(fit.runs), terms[::-1], names, strict=True):
        if not np.ptp(logs) > 0.0:
            return False
        slope, height = np.polyfit(logs - logs.mean(), term, 1)
        exchanged |= {a: float(np.exp(height - slope * logs.mean())), b: float(-slope)}
    if not all(np.isfinite(x) and x > 0.0 for name, x in exchanged.items() if name != "E"):
        return False
    theta = fit.design.thetas(np.array([exchanged[name] for name in fit.names]))
    losses = fit.design.model.evaluate(theta[None])[0][0]
    return bool(np.abs(losses / fit.fitted - 1.0).max() <= SAME)
