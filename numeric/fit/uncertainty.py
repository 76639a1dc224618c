r"""The covariance of fitted parameters, and upper limits of an irreducible part of 0.

The covariance is the sandwich of M-estimation, corrected for the leverage of every run,

    V = H^-1 S H^-1,   H = sum w rho''(r) grad r grad r' + sum w psi(r) grad^2 r,   S = sum_g s_g s_g',
    s_g = G (G - G_g)^-1 sum_{i in g} w psi(r_i) grad r_i,   G_g = sum_{i in g} w grad r_i grad r_i',   G = sum_g G_g,

for groups g of runs that are not independent; where all runs are, s_i = w psi(r_i) grad r_i/(1 - h_i)
with the leverage h_i. A fit bends towards runs of high leverage, so that their residuals are too
small; the factor corrects this (HC3, by group CR3). Where rho bends over a narrow range of residuals,
or at a point, rho'' is averaged over the bandwidth of Hall and Sheather (1988), as Powell (1991) does
for quantile regression. Intervals take Student's t. In
simulations of isoFLOP budgets, grids, ladders of 16 runs and checkpoints in groups
(`tests/studies/coverage.py`) intervals of 90 % by Huber's function held the truth in 88 to
95 %, by least squares in 89 to 96 %, by absolute deviations in 85 to 93 %. Sources: Huber 1967, The
behavior of maximum likelihood estimates under nonstandard conditions; MacKinnon and White 1985,
Some heteroskedasticity-consistent covariance matrix estimators with improved finite sample
properties; Bell and McCaffrey 2002, Bias reduction in standard errors for linear regression with
multi-stage samples.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from .objective import Objective
from .solution import Solution

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from .newton import Problem
    from .power import PowerTerms

    Floats = NDArray[np.float64]

NORMAL = NormalDist()
#: Median absolute deviation of a standard normal variable.
MEDIAN_DEVIATION = NORMAL.inv_cdf(0.75)
#: The coverage for which the bandwidth is chosen, and the largest share of the errors on either side
#: of the median that it may span.
BANDWIDTH_LEVEL, MOST_SHARE = 0.95, 0.475
SINGULAR = 1e-13
LEAST_GROUPS = 2
#: A run or group whose leverage is closer to 1 than this determines a coefficient alone.
ALONE = 1e-9
#: Bounds 1 less the share of the Hessian that is one run's from below.
LEFT = 1e-13
SQUARES = Objective(name="least-squares-log")
#: Log residuals of this size are rounding errors.
ROUNDING = 1e-9
#: The search for an upper limit goes from this share of the law's least value to this multiple of its
#: greatest, beyond which there is no limit; and its relative precision.
FIRST, FARTHEST, PRECISION = 0.05, 100.0, 1e-6


def bandwidth(residuals: Floats, width: float) -> float:
    """The half width of the range of residuals (n,) over which rho'' is averaged, at least that of
    the objective.
    """
    share = (
        len(residuals) ** (-1 / 3)
        * NORMAL.inv_cdf(0.5 + BANDWIDTH_LEVEL / 2) ** (2 / 3)
        * (1.5 * NORMAL.pdf(0.0) ** 2) ** (1 / 3)
    )
    scale = float(np.median(np.abs(residuals - np.median(residuals)))) / MEDIAN_DEVIATION
    wide = scale * NORMAL.inv_cdf(0.5 + min(share, MOST_SHARE))
    return max(wide, width, 1e-300)


def sandwich(problem: Problem, theta: Floats, free: Any, group: Any = None) -> Floats:
    """Covariance (p, p) of the parameters at a minimum theta (p,); 0 for those that are not free.
    Runs with the same entry of `group` (n,) are not independent.

    A ValueError where the runs do not tell the free parameters apart, or a run or a group alone
    determines one.
    """
    found = np.zeros((len(theta), len(theta)))
    r, jacobian = (part[0] for part in problem.residuals(theta[None])[:2])
    if len(r) <= free.sum():
        raise ValueError(
            f"covariance: {len(r)} runs cannot tell the error of {int(free.sum())} free "
            f"coefficients"
        )
    if not free.any():
        return found
    roots = np.sqrt(problem.weights)
    columns = unit_columns((jacobian * roots)[free])[0]
    _regular(columns @ columns.T)  # rounding makes a small number of a zero in the Hessian
    unit, scale = unit_columns(jacobian)
    unit = unit[free] * roots
    _, psi, bend = problem.objective.measure(r, bandwidth(r, problem.objective.width))
    if problem.objective.width == np.inf:
        hessian = problem.expand(theta[None]).hessian[0] / (scale[:, None] * scale)
        hessian = hessian[np.ix_(free, free)]
    else:  # few residuals bend: the second term, whose expectation is 0, would be noise
        hessian = (unit * bend) @ unit.T
    scores = _scores(unit, roots * psi, group)
    half = np.linalg.solve(_regular(hessian), scores)
    found[np.ix_(free, free)] = half @ half.T
    return found / (scale[:, None] * scale)


def influence(problem: Problem, theta: Floats, free: Any, covariance: Floats) -> tuple[Any, Any]:
    """The leverage (n,) of each run, and its Cook's distance (change)' V^-1 (change)/p, where `change`
    is that of the p free parameters without the run, to first order, and V their covariance.

    Without run i the Hessian H = sum w rho'' grad r grad r' lacks one term, and the parameters move
    by (H - w_i rho''_i grad r_i grad r_i')^-1 w_i psi(r_i) grad r_i, by the formula of Sherman and
    Morrison. Cook 1977, Detection of influential observation in linear regression.
    """
    r, jacobian = (part[0] for part in problem.residuals(theta[None])[:2])
    roots = np.sqrt(problem.weights)
    unit, lengths = unit_columns(jacobian[free] * roots)
    _, psi, bend = problem.objective.measure(r, bandwidth(r, problem.objective.width))
    pulled = np.linalg.solve((unit * bend) @ unit.T, unit)
    left = np.maximum(1.0 - bend * np.sum(unit * pulled, axis=0), LEFT)
    moved = pulled * (roots * psi / left)
    scaled = covariance[np.ix_(free, free)] * np.outer(lengths, lengths)
    distance = np.sum(moved * np.linalg.solve(scaled, moved), axis=0) / len(moved)
    return np.sum(unit * np.linalg.solve(unit @ unit.T, unit), axis=0), distance


def _scores(columns: Floats, pulls: Floats, group: Any) -> Floats:
    """The scores s_g (p, G) of the groups, or of single runs without groups: for columns (p, n) =
    R' Q' times pulls (n,) they are R' (I - Q_g' Q_g)^-1 Q_g' pulls_g.
    """
    turned, triangle = np.linalg.qr(columns.T)
    member = np.arange(len(pulls))
    if group is not None:
        member = np.unique(group.astype(str), return_inverse=True)[1]
    count, p = member.max() + 1, len(columns)
    if count < LEAST_GROUPS:
        raise ValueError(f"covariance: all runs are of one group; must be {LEAST_GROUPS} or more")
    leverage, sums = np.zeros((count, p, p)), np.zeros((count, p, 1))
    np.add.at(leverage, member, turned[:, :, None] * turned[:, None])
    np.add.at(sums, member, (turned * pulls[:, None])[:, :, None])
    if np.linalg.eigvalsh(leverage)[:, -1].max() > 1.0 - ALONE:
        what = "run" if group is None else "group"
        raise ValueError(
            f"covariance: one {what} alone determines a coefficient; no residual tells how sure it is"
        )
    return np.asarray(triangle.T @ np.linalg.solve(np.eye(p) - leverage, sums)[:, :, 0].T)


def _regular(matrix: Floats) -> Floats:
    """The semidefinite matrix itself; a ValueError where it is singular."""
    values = np.linalg.eigvalsh(matrix)
    if not values.size or values[0] <= SINGULAR * values[-1]:
        raise ValueError("covariance: the runs do not tell the coefficients apart")
    return matrix


def unit_columns(columns: Floats) -> tuple[Floats, Floats]:
    """Columns (p, n) scaled to unit length, and their lengths (p,); columns of 0 stay so, with length
    1.
    """
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(columns, axis=1)
    lengths[lengths == 0.0] = 1.0
    return columns / lengths[:, None], lengths


# -- upper limits of an irreducible part that came out as 0 ----------------------------------------

# Nearly all resamples of such a fit end at 0 as well and show nothing: its limit is of a profile.


def profile_limit(
    objective: Callable[[float], float], estimate: float, allowed: float, fitted: Any
) -> float:
    """The greatest value x >= estimate of a coefficient with f(x) - f(estimate) <= allowed; inf where
    the data exclude none.

    `objective` is f, minus twice the log likelihood of the best law with this value, such as n log of
    its sum of squares; -inf where no minimum is certified, which excludes nothing. `fitted` are values
    of the law at its data, in the unit of the coefficient.
    """
    from scipy.optimize import brentq

    least = objective(estimate)

    def excess(value: float) -> float:
        """How far the best law with this value exceeds what is allowed."""
        return -allowed if value == estimate else max(objective(value) - least, 0.0) - allowed

    inside, outside = estimate, max(estimate, FIRST * float(fitted.min()))
    while excess(outside) <= 0.0:
        inside, outside = outside, 2.0 * outside
        if outside > FARTHEST * float(fitted.max()):
            return np.inf
    return float(brentq(excess, inside, outside, xtol=PRECISION * outside, rtol=PRECISION))


def squares_at(form: PowerTerms, rows: Any, E: float) -> float:
    """n log of the least sum of squares of log residuals of laws with this irreducible part."""
    found = Solution.of(form.posed(rows, fixed={form.irreducible: E}), rows, SQUARES)
    size = len(rows.loss)
    value = size * np.log(found.value + size * ROUNDING**2)
    return float(value) if found.converged else -np.inf
