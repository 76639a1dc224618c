r"""The likelihood for which a fit is the greatest one, for information criteria.

A fit minimises F = sum_i w_i rho(r_i). It is the maximum likelihood fit where the errors are
independent with the densities exp(-w_i rho(r)/s)/Z(s/w_i): normal for squares, Laplace for absolute
deviations, asymmetric Laplace for the pinball function, and normal in the middle with exponential
tails for Huber's function. The scale s is a coefficient as well and has its most likely value. Of
residuals of logarithms, the density of the observed value has the factor 1/L, so that fits by
different objectives can be compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .objective import Objective
    from .result import Fit

    Floats = NDArray[np.float64]


def log_likelihood(fit: Fit) -> float:
    """log of the density of all observed values at the fit; inf where it meets all of them."""
    from scipy.optimize import minimize_scalar

    n, total = fit.size, fit.objective_value
    if total <= 0.0:
        return float("inf")

    def cost(log_scale: float) -> float:
        scale = np.exp(log_scale)
        return float(total / scale + np.sum(log_normaliser(fit.objective, scale / fit.weights)))

    # d log Z/d log s lies between 1/2 (squares) and 1 (absolute deviations).
    ends = np.log(total / n) + np.array([-1.0, 2.0])
    least = minimize_scalar(cost, bounds=ends, method="bounded", options={"xatol": 1e-9})
    return -float(least.fun) - (float(np.log(fit.observed).sum()) if fit.objective.in_logs else 0.0)


def log_normaliser(objective: Objective, scale: Floats) -> Floats:
    """log of the integral Z(s) of exp(-rho(r)/s) over all residuals r."""
    from scipy.special import erf

    low, high = objective.bounds
    if objective.is_square:
        return 0.5 * np.log(np.pi * scale)
    if objective.is_sharp:
        return np.log(scale * (1.0 / high - 1.0 / low))
    middle = np.sqrt(2.0 * np.pi * scale) * erf(high / np.sqrt(2.0 * scale))
    tails = 2.0 * scale / high * np.exp(-(high**2) / (2.0 * scale))
    return np.log(middle + tails)
