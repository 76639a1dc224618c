"""The influence of each run on a fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .uncertainty import bandwidth, unit_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

    from .fit import Fit

    Floats = NDArray[np.float64]

#: Bounds 1 less the leverage of a run from below.
ALONE = 1e-13


def influence(fit: Fit) -> DataFrame:
    """The residual, the leverage and Cook's distance of every run of a fit.

    Parameters
    ----------
    fit : Fit

    Returns
    -------
    pandas.DataFrame
        A row a run, indexed by its row in the table. `residual` is log observed - log law
        (observed - law for "least-squares"); `leverage` the diagonal of the projection on the
        weighted columns of the Jacobian, whose sum is the number of free coefficients; `distance`
        (change)' V^-1 (change)/p, where `change` is that of the p coefficients without the run, to
        first order, and V their covariance.

    Raises
    ------
    ValueError
        Where there is no covariance.

    Notes
    -----
    Without run i the Hessian H = sum w rho'' grad r grad r' lacks one term, and the coefficients
    move by (H - w_i rho''_i grad r_i grad r_i')^-1 w_i psi(r_i) grad r_i, by the formula of Sherman
    and Morrison; rho'' is averaged over the bandwidth of the covariance. Cook 1977, Detection of
    influential observation in linear regression.
    """
    import pandas as pd

    covariance, solution = fit.covariance, fit.solution
    free, problem = solution.free, solution.problem
    excess, jacobian = (part[0] for part in problem.residuals(solution.theta[None])[:2])
    roots = np.sqrt(problem.weights)
    unit, lengths = unit_columns(jacobian[free] * roots)
    width = bandwidth(excess, solution.objective.width)
    _, psi, bend = solution.objective.measure(excess, width)
    covariance = covariance[np.ix_(free, free)]
    pulled = np.linalg.solve((unit * bend) @ unit.T, unit)
    left = np.maximum(1.0 - bend * np.sum(unit * pulled, axis=0), ALONE)
    change = np.zeros((len(free), len(fit.runs)))
    change[free] = pulled * (roots * psi / left) / lengths[:, None]
    errors = np.sqrt(np.diag(covariance))
    moved = (solution.model.to_coordinates @ change)[free] / errors[:, None]
    correlation = fit.correlation[np.ix_(free, free)]
    distance = np.sum(moved * np.linalg.solve(correlation, moved), axis=0) / len(errors)
    leverage = np.sum(unit * np.linalg.solve(unit @ unit.T, unit), axis=0)
    columns = {"residual": fit.residuals, "leverage": leverage, "distance": distance}
    return pd.DataFrame(columns, index=pd.Index(fit.runs.row, name="row"))
