r"""Broken neural scaling laws of accuracy: the law, its fit, and what the runs leave open.

.. math:: Q = a + b\,C^{-c_0} \left(1 + (C/d_1)^{1/f_1}\right)^{-c_1 f_1}.

The local exponent -dlog|Q - a|/dlog C is c_0 well below the break and changes by c_1 across it, from
a tenth to nine tenths of that over 2 f_1 log 9 of log C.

It is fitted as any expression is, with a box of its own: a few runs hardly determine six
coefficients, so that the best minimum depends on the box that `fit_broken` states, and none is
promised to be the best.

Sources: Caballero et al. 2023, arXiv 2210.14891, for the form; Krajewski et al. 2025, arXiv
2512.08894, equation 1 and Appendix M: Huber's function of width 1e-3, all runs above guessing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import compress
from math import log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ..fit.expression import Expression
from ..fit.fit import fit_form
from ..fit.objective import Objective
from ..fit.uncertainty import MEDIAN_DEVIATION, classical
from .law import Part, as_runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.sample import Points
    from ..fit.fit import Fit

    Floats = NDArray[np.float64]

__all__ = ["OF_BREAK", "broken_values", "fit_broken"]

#: The coefficients in the letters of the source.
OF_BREAK = ("a", "b", "c0", "c1", "d1", "f1")

#: Exponents of accuracy against compute are far within these; C^8 is still a float.
STEEPEST, LARGEST_CHANGE, LARGEST_HEIGHT = 8.0, 16.0, 1e12
#: A break may lie this share of the range of log C outside the runs; its width is within these
#: shares: beyond the first the derivatives leave the floats.
OUTSIDE, SHARPEST, WIDEST = 0.25, 0.002, 4.0
#: The share passed of a break goes from a tenth to nine tenths over this many f: no more is asked
#: for than a gap between runs.
TRANSITION = 2.0 * log(9.0)
#: A break is seen where its change exceeds this many standard errors: its place was searched for,
#: so two would often be chance. It is placed where log d is known to within this share of the range
#: of log C, and its width where log f is to within that; an asymptote is known to within this share
#: of the range of the values.
SEEN, PLACED, SIZED, KNOWN = 3.0, 0.25, 1.5, 1.0


@dataclass(frozen=True, kw_only=True)
class _OfValues(Objective):
    """Huber's function of the residuals of values that may have any sign."""

    in_logs = False


HUBER = _OfValues(name="huber-log", delta=1e-3)


#: The law in x = log C less its middle m: B = b exp(-c0 m), which is far less correlated with c0 than
#: b is, p = log d1 - m and g = log f1; f log(1 + exp(u/f)) = u/2 + f log(2 cosh(u/2f)).
FORM = Expression(
    "a + B*exp(-c0*x - c1*((x - p)/2 + exp(g)*log(2*cosh((x - p)*exp(-g)/2))))", extra=("x",)
)


# -- the fit ---------------------------------------------------------------------------------------


def broken_values(coefficients: Floats, compute: Floats) -> Floats:
    """Q (K, m) at compute (m,), of coefficients (K, p) in the letters of the source; b = 0 is a
    constant.
    """
    a, b, c0, c1, d1, f1 = coefficients.T[:, :, None]
    logs = np.log(compute)
    with np.errstate(divide="ignore"):
        log_height = np.log(np.abs(b)) - c0 * logs
    log_height -= c1 * f1 * np.logaddexp(0.0, (logs - np.log(d1)) / f1)
    return np.asarray(a + np.sign(b) * np.exp(log_height))


def fit_broken(sample: Points) -> Part:
    """The broken law closest to accuracies: the best minimum of Huber's function that is found in
    the box

    0 <= a <= 1, |b C^-c0| <= 1e12 at the mean log C, |c0| <= 8, |c1| <= 16, the break within the runs
    and a quarter of their range of log C beside, its width f1 from a gap between runs, and a 500th of
    their range, to four ranges. ValueError where compute takes fewer values than the law has
    coefficients, or the accuracies are all alike.
    """
    logs, Q, least = np.log(sample.compute), sample.accuracy, len(OF_BREAK)
    distinct, middle = len(np.unique(logs)), float(logs.mean())
    if distinct < least:
        raise ValueError(
            f"runs at {distinct} values of compute; must be at least {least} for the {least} "
            f"coefficients of a law with 1 break"
        )
    if np.ptp(Q) == 0.0:
        raise ValueError(f"accuracy {Q[0]:g} at every run; a broken law needs values that differ")
    spread, outside = np.ptp(logs), OUTSIDE * np.ptp(logs)
    narrowest = max(spread / (distinct - 1) / TRANSITION, SHARPEST * spread)
    bounds = {
        "a": (0.0, 1.0),
        "B": (-LARGEST_HEIGHT, LARGEST_HEIGHT),
        "c0": (-STEEPEST, STEEPEST),
        "c1": (-LARGEST_CHANGE, LARGEST_CHANGE),
        "p": (logs.min() - middle - outside, logs.max() - middle + outside),
        "g": (log(narrowest), log(WIDEST * spread)),
    }
    fit = fit_form(as_runs(sample, Q, x=logs - middle), FORM, HUBER, bounds=bounds)
    return Part(fit, tuple(compress(OF_BREAK, _is_open(fit))), partial(_coefficients, middle))


def _coefficients(middle: float, theta: Floats) -> Floats:
    """(K, 6) in the letters of the source."""
    a, B, c0, c1, p, g = theta.T
    return np.stack([a, B * np.exp(c0 * middle), c0, c1, np.exp(p + middle), np.exp(g)], axis=1)


def _is_open(fit: Fit) -> Any:
    """Which coefficients the runs leave open, (6,).

    Standard errors are those of least squares with the scale of the middle of the residuals,
    infinite on a bound and along an open direction, times the sqrt(pi/2) of absolute deviations:
    that is how Huber's function of a small width acts.
    """
    solution, theta, free = fit.solution, fit.solution.theta, fit.solution.free
    x, (_, jacobian) = solution.model.columns["x"], solution.model.evaluate(theta[None])
    spare = max(solution.spare, 1)
    scale = float(np.median(np.abs(fit.residuals))) / MEDIAN_DEVIATION * sqrt(len(x) / spare)
    variance = scale**2 * np.pi / 2.0
    errors = np.full(len(theta), np.inf)
    errors[free] = np.sqrt(np.maximum(np.diag(classical(jacobian[0][free], variance)), 0.0))
    change = abs(theta[3]) / SEEN
    of_values = KNOWN * np.ptp(solution.observed), abs(theta[1]), STEEPEST
    is_open = errors > [*of_values, change, PLACED * np.ptp(x), SIZED]
    is_open[1:3] = is_open[1:3].any()
    # Before the first run only the sum with the exponent there is seen, behind the last nothing.
    if is_open[3] or not x.min() <= theta[4] <= x.max():
        is_open[3:] = True
    return is_open
