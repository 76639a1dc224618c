r"""The stages of two-stage laws: compute -> proxy -> accuracy.

.. math:: L = E + C_0 C^{-\alpha}, \qquad Q = a + b L \quad \text{or} \quad Q = \frac{a}{1 + e^{-k (L - L_0)}} + b.

The first stage is a law of loss, by Huber's function of the log residuals; the second is fitted by
least squares of accuracy to the proxies of the runs themselves.

Source: Krajewski et al. 2025, arXiv 2512.08894, Section 4.3, whose code fits the proxy without E by
least squares of its logarithm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..fit.expression import Expression
from ..fit.fit import fit_form
from ..fit.objective import Objective
from ..fit.power import COMPUTE
from ..fit.uncertainty import unit_columns
from ..words import counted
from .law import Part, as_runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.sample import Points

    Floats = NDArray[np.float64]

__all__ = ["fit_line", "fit_logistic", "fit_proxy", "line", "logistic"]

LOSSES, SQUARES = Objective(name="huber-log", delta=1e-3), Objective(name="least-squares")
#: A logistic in a proxy from -1 to 1: its slope s goes from nearly a line to nearly a step, and some
#: run comes this close to its middle in units of its argument: farther out it is an exponential.
REACH, SLOPES = 8.0, (0.1, 100.0)
LINE = Expression("a + b*x", extra=("x",))
LOGISTIC = Expression(f"b + a/2*(1 + tanh((d*({REACH:g} + s) + s*x)/2))", extra=("x",))
#: Columns of the Jacobian, of unit length, that are this close to dependent leave coefficients open.
DEPENDENT = 1e-5


def losses(sample: Points, least: int, formula: str) -> Floats:
    """The proxies (n,) as losses, which are positive and fall with compute; log likelihoods change
    their sign. ValueError where they are neither, or take fewer values than the formula needs.
    """
    proxy, logs = sample.column("proxy"), np.log(sample.column("compute"))
    proxy = -proxy if (proxy < 0.0).all() else proxy
    if (proxy <= 0.0).any() or (logs - logs.mean()) @ proxy >= 0.0:
        raise ValueError(
            f"proxy={float(proxy[0])!r} at the first of {len(proxy)} runs: must be a loss, positive "
            f"and falling with compute, or a log likelihood"
        )
    if (distinct := len(np.unique(proxy))) < least:
        raise ValueError(
            f"proxy: takes {counted(distinct, 'value')} at {counted(len(proxy), 'run')}; must take "
            f"at least {least} for {formula}"
        )
    return proxy


def fit_proxy(sample: Points) -> Part:
    """Fit the compute law to the proxies."""
    proxy = losses(sample, len(COMPUTE.coefficients), f"proxy = {COMPUTE}")
    return Part.of(fit_form(as_runs(sample, proxy), COMPUTE, LOSSES))


def fit_line(sample: Points) -> Part:
    """Fit Q = a + b L."""
    proxy = losses(sample, 2, "Q = a + b L")
    return Part.of(fit_form(as_runs(sample, sample.accuracy, x=proxy), LINE, SQUARES))


def line(coefficients: Floats, proxy: Floats) -> Floats:
    """Q (K, n) for coefficients (K, p) at proxies (n,)."""
    a, b = coefficients.T[:, :, None]
    return np.asarray(a + b * proxy)


def fit_logistic(sample: Points) -> Part:
    """Fit Q = a/(1 + exp(-k (L - L0))) + b with a > 0, which makes the coefficients unique, as b +
    a phi(u) = (b + a) - a phi(-u).
    """
    names = "a", "k", "L0", "b"
    proxy = losses(sample, len(names), "Q = a/(1 + exp(-k (L - L0))) + b")
    centre, scale = 0.5 * (proxy.max() + proxy.min()), 0.5 * np.ptp(proxy)
    runs = as_runs(sample, sample.accuracy, x=(proxy - centre) / scale)
    fit = fit_form(runs, LOGISTIC, SQUARES, bounds={"d": (-1.0, 1.0), "s": SLOPES})

    def written(coefficients: Floats) -> Floats:
        b, a, d, s = coefficients.T
        slope, middle = np.where(a < 0.0, -s, s) / scale, centre - scale * d * (REACH + s) / s
        return np.stack([np.abs(a), slope, middle, np.where(a < 0.0, b + a, b)], axis=1)

    jacobian = fit.solution.problem.residuals(fit.solution.theta[None])[1][0]
    sizes = np.linalg.svd(unit_columns(jacobian)[0], compute_uv=False)
    is_open = fit.solution.at_bound or sizes[-1] < DEPENDENT * sizes[0]
    return Part(fit, names if is_open else (), written)


def logistic(coefficients: Floats, proxy: Floats) -> Floats:
    """Q (K, n) for coefficients (K, p) at proxies (n,)."""
    a, k, middle, b = coefficients.T[:, :, None]
    return np.asarray(0.5 * a * (1.0 + np.tanh(0.5 * k * (proxy - middle))) + b)
