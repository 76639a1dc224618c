r"""The law of loss of over-training in its forms, and its values.

.. math:: E + A N^{-\beta} + B D^{-\beta} = E + (a M^{\eta} + b M^{-\eta}) C^{-\eta}, \qquad \eta = \beta/2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import formulas
from .tied import terms_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["in_compute", "losses_of", "optimum"]


def in_compute(E: float, A: float, B: float, beta: float) -> dict[str, float]:
    """E, a, b, eta: a and b are the terms at C = 1 and M = 1."""
    at = {"compute": 1.0, "tokens_per_param": 1.0}
    a = formulas.params_term(formulas.ray_params(**at), A, beta)
    b = formulas.tokens_term(formulas.ray_tokens(**at), B, beta)
    return {"E": E, "a": float(a), "b": float(b), "eta": 0.5 * beta}


def optimum(E: float, A: float, B: float, beta: float) -> float:
    """M*; NaN where a float holds none, as for a law without a term."""
    try:
        return float(formulas.optimal_tokens_per_param(1.0, A, B, beta, beta))
    except ValueError:
        return float("nan")


def losses_of(coefficients: Floats, params: Floats, tokens: Floats) -> Floats:
    """L (K, m) of K laws (K, 4) at m runs."""
    return coefficients[:, :1] + terms_of(coefficients, np.atleast_1d(params), np.atleast_1d(tokens))
