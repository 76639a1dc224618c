r"""The stages of two-stage laws: compute -> proxy -> accuracy.

.. math:: L = E + C_0 C^{-\alpha}, \qquad Q = a + b L \quad \text{or} \quad Q = \frac{a}{1 + e^{-k (L - L_0)}} + b,

of Krajewski et al. 2025, arXiv 2512.08894, Section 4.3, whose code fits the proxy without E by least
squares of its logarithm: here by Huber's function of the log residuals. And those of Gadre et al.
2024, arXiv 2403.08540, for over-trained runs, by least squares,

.. math:: L = E + A N^{-\beta} + B D^{-\beta}, \qquad 1 - Q = \varepsilon - k e^{-\gamma L}.

The second stage is fitted by least squares of accuracy to the proxies of the runs themselves.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..fit.expression import Expression
from ..fit.fit import fit_form
from ..fit.objective import Objective
from ..fit.power import COMPUTE, ONE_EXPONENT
from ..fit.uncertainty import unit_columns
from ..words import counted
from .law import MARGIN, Law, Part, as_runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ..data.sample import Points
    from ..fit.power import PowerTerms

    Floats = NDArray[np.float64]

__all__ = ["LINEAR", "LOGISTIC", "OVERTRAINING"]

LOSSES, SQUARES = Objective(name="huber-log", delta=1e-3), Objective(name="least-squares")
#: A logistic in a proxy from -1 to 1: its slope s goes from nearly a line to nearly a step, and some
#: run comes this close to its middle in units of its argument: farther out it is an exponential.
REACH, SLOPES = 8.0, (0.1, 100.0)
LINE = Expression("a + b*x", extra=("x",))
ERROR = Expression("1 - epsilon + k*exp(-gamma*x)", extra=("x",))
STEP = Expression(f"b + a/2*(1 + tanh((d*({REACH:g} + s) + s*x)/2))", extra=("x",))
OF_LOGISTIC = ("a", "k", "L0", "b")
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


def fit_proxy(form: PowerTerms, objective: Objective, sample: Points) -> Part:
    """Fit a law to the proxies."""
    proxy = losses(sample, len(form.coefficients), f"proxy = {form}")
    return Part.of(fit_form(as_runs(sample, proxy), form, objective))


def fit_link(form: Expression, sample: Points) -> Part:
    """Fit Q as an expression in the proxy x."""
    proxy = losses(sample, len(form.coefficients), f"Q = {form}")
    return Part.of(fit_form(as_runs(sample, sample.accuracy, x=proxy), form, SQUARES))


def fit_logistic(sample: Points) -> Part:
    """Fit Q = a/(1 + exp(-k (L - L0))) + b with a > 0, which makes the coefficients unique, as b +
    a phi(u) = (b + a) - a phi(-u).
    """
    proxy = losses(sample, len(OF_LOGISTIC), "Q = a/(1 + exp(-k (L - L0))) + b")
    centre, scale = 0.5 * (proxy.max() + proxy.min()), 0.5 * np.ptp(proxy)
    runs = as_runs(sample, sample.accuracy, x=(proxy - centre) / scale)
    fit = fit_form(runs, STEP, SQUARES, bounds={"d": (-1.0, 1.0), "s": SLOPES})

    def written(coefficients: Floats) -> Floats:
        b, a, d, s = coefficients.T
        slope, middle = np.where(a < 0.0, -s, s) / scale, centre - scale * d * (REACH + s) / s
        return np.stack([np.abs(a), slope, middle, np.where(a < 0.0, b + a, b)], axis=1)

    jacobian = fit.solution.problem.residuals(fit.solution.theta[None])[1][0]
    sizes = np.linalg.svd(unit_columns(jacobian)[0], compute_uv=False)
    is_open = fit.solution.at_bound or sizes[-1] < DEPENDENT * sizes[0]
    return Part(fit, OF_LOGISTIC if is_open else (), written)


def two_stage(
    name: str,
    coefficients: tuple[str, ...],
    fit: Callable[[Points], Part],
    link: Callable[..., Any],
    *,
    margin: float | None = None,
    first: PowerTerms = COMPUTE,
    objective: Objective = LOSSES,
) -> Law:
    """The law whose second stage has these coefficients, and gives Q by `link` from the proxy and
    from them. A link that levels off at guessing is fitted to all runs.
    """

    def values(found: Floats, at: Points) -> Floats:
        one, two = np.split(found, [len(first.coefficients)], axis=1)
        return np.asarray(link(first.values(one, at), *two.T[:, :, None]))

    return Law(
        name=name,
        coefficients=(*first.coefficients, *coefficients),
        requires=(*first.requires, "proxy"),
        fitted=lambda sample: (fit_proxy(first, objective, sample), fit(sample)),
        values=values,
        is_neg_log=False,
        margin=margin,
    )


LINEAR = two_stage(
    "two-stage-linear",
    ("a", "b"),
    partial(fit_link, LINE),
    lambda x, a, b: a + b * x,
    margin=MARGIN,
)
LOGISTIC = two_stage(
    "two-stage-logistic",
    OF_LOGISTIC,
    fit_logistic,
    lambda x, a, k, middle, b: 0.5 * a * (1.0 + np.tanh(0.5 * k * (x - middle))) + b,
)
OVERTRAINING = two_stage(
    "overtraining",
    ("epsilon", "k", "gamma"),
    partial(fit_link, ERROR),
    lambda x, epsilon, k, gamma: 1.0 - epsilon + k * np.exp(-gamma * x),
    first=ONE_EXPONENT,
    objective=SQUARES,
)
