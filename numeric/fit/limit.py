"""Upper limits of an irreducible part that came out as 0, its least value.

Nearly all resamples of such a fit end at 0 as well and show nothing, so that its upper limit is that
of a profile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .objective import Objective
from .solution import Solution

if TYPE_CHECKING:
    from collections.abc import Callable

    from .power import PowerTerms

__all__ = ["SQUARES", "profile_limit", "squares_at"]

SQUARES = Objective(name="least-squares-log")
#: Log residuals of this size are rounding errors.
ROUNDING = 1e-9
#: The search for a limit goes from this share of the law's least value to this multiple of its
#: greatest, beyond which there is no limit; and its relative precision.
FIRST, FARTHEST, PRECISION = 0.05, 100.0, 1e-6


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
