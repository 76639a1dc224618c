r"""The stages of two-stage laws: compute -> proxy -> accuracy.

.. math:: L = E + C_0 C^{-\alpha}, \qquad Q = a + b L \quad \text{or} \quad Q = \frac{a}{1 + e^{-k (L - L_0)}} + b.

The first stage is a law of loss, by Huber's function of the log residuals; the second is fitted by
least squares of accuracy to the proxies of the runs themselves.

Source: Krajewski et al. 2025, arXiv 2512.08894, Section 4.3, whose code fits the proxy without E by
least squares of its logarithm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..fit.fit import fit_form
from ..fit.models import COMPUTE, Expression
from ..fit.objective import Objective
from ..fit.uncertainty import independence
from ..words import counted
from .law import Part, as_runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.sample import Sample

    Floats = NDArray[np.float64]

__all__ = ["LINKS", "Link", "fit_link", "fit_proxy"]

LOSSES, SQUARES = Objective(name="huber-log", delta=1e-3), Objective(name="least-squares")
#: A logistic in a proxy from -1 to 1: its slope s goes from nearly a line to nearly a step, and some
#: run comes this close to its middle in units of its argument: farther out it is an exponential.
REACH, SLOPES = 8.0, (0.1, 100.0)
#: Columns of the Jacobian, of unit length, this close to dependent leave their coefficients open.
DEPENDENT = 1e-5
#: Levels that leave [0, 1] by less are as good as 0 and 1.
BEYOND = 0.005


@dataclass(frozen=True)
class Link:
    """The second stage, by its formula and coefficients.

    `form` is what is fitted, with its bounds, in the proxy x from -1 to 1; `written` takes the middle
    of the proxies, half their range and coefficients of the form (K, p) to those of the formula, and
    `accuracy` these and proxies (K, n) to accuracy (K, n), not kept between 0 and 1.
    """

    formula: str
    coefficients: tuple[str, ...]
    form: Expression
    written: Callable[[float, float, Floats], Floats]
    accuracy: Callable[[Floats, Floats], Floats]
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def _written_line(centre: float, scale: float, found: Floats) -> Floats:
    a, b = found.T
    return np.stack([a - b * centre / scale, b / scale], axis=1)


def _line(coefficients: Floats, proxy: Floats) -> Floats:
    a, b = coefficients.T[:, :, None]
    return np.asarray(a + b * proxy)


def _written_logistic(centre: float, scale: float, found: Floats) -> Floats:
    """With a > 0, which makes the coefficients unique, as b + a phi(u) = (b + a) - a phi(-u)."""
    b, a, d, s = found.T
    slope, middle = np.where(a < 0.0, -s, s) / scale, centre - scale * d * (REACH + s) / s
    return np.stack([np.abs(a), slope, middle, np.where(a < 0.0, b + a, b)], axis=1)


def _logistic(coefficients: Floats, proxy: Floats) -> Floats:
    a, k, middle, b = coefficients.T[:, :, None]
    return np.asarray(0.5 * a * (1.0 + np.tanh(0.5 * k * (proxy - middle))) + b)


LINKS = {
    "linear": Link(
        formula="Q = a + b L",
        coefficients=("a", "b"),
        form=Expression("a + b*x", extra=("x",)),
        written=_written_line,
        accuracy=_line,
    ),
    "logistic": Link(
        formula="Q = a/(1 + exp(-k (L - L0))) + b",
        coefficients=("a", "k", "L0", "b"),
        form=Expression(f"b + a/2*(1 + tanh((d*({REACH:g} + s) + s*x)/2))", extra=("x",)),
        written=_written_logistic,
        accuracy=_logistic,
        bounds={"d": (-1.0, 1.0), "s": SLOPES},
    ),
}


def as_loss(sample: Sample) -> Floats:
    """The proxies (n,) as losses, positive and falling with compute: the negative of a log
    likelihood; ValueError where they are none.
    """
    proxy, logs = sample.at.column("proxy"), np.log(sample.at.column("compute"))
    proxy = -proxy if (proxy < 0.0).all() else proxy
    if (proxy <= 0.0).any() or (logs - logs.mean()) @ proxy >= 0.0:
        raise ValueError(
            f"proxy={float(proxy[0])!r} at the first of {len(proxy)} runs: must be a loss, positive "
            f"and falling with compute, or a log likelihood"
        )
    return proxy


def fit_proxy(sample: Sample) -> Part:
    """The law of compute closest to the proxies; ValueError where the runs are fewer than its
    coefficients, or the proxies no losses.
    """
    if len(sample) < (least := len(COMPUTE.coefficients)):
        raise ValueError(
            f"{len(sample)} runs: must be at least {least} for the coefficients of proxy = {COMPUTE}"
        )
    return Part.of(fit_form(as_runs(sample, as_loss(sample)), COMPUTE, LOSSES))


def fit_link(link: Link, sample: Sample) -> Part:
    """The link closest to the runs; ValueError where the proxy takes fewer values than the link has
    coefficients.
    """
    proxy, names = as_loss(sample), link.coefficients
    if (distinct := len(np.unique(proxy))) < len(names):
        raise ValueError(
            f"proxy: takes {counted(distinct, 'value')} at {len(proxy)} runs; must take at "
            f"least {len(names)} for {link.formula}"
        )
    centre, scale = 0.5 * (proxy.max() + proxy.min()), 0.5 * np.ptp(proxy)
    runs = as_runs(sample, sample.accuracy, x=(proxy - centre) / scale)
    fit = fit_form(runs, link.form, SQUARES, bounds=link.bounds)
    least = max(len(names), len(COMPUTE.coefficients))  # the runs of both stages
    part = Part.written(fit, names, partial(link.written, centre, scale), least)
    jacobian = fit.solution.problem.residuals(fit.solution.theta[None])[1][0]
    is_open = fit.solution.at_bound or independence(jacobian) < DEPENDENT
    remarks = _impossible_levels(**part.coefficients) if "k" in names else ()
    return replace(part, undetermined=names if is_open else (), remarks=remarks)


def _impossible_levels(a: float, b: float, **others: float) -> tuple[str, ...]:
    """Where a logistic levels off outside [0, 1], which no accuracy does."""
    del others
    return tuple(
        f"{name} = {level:.4g}, where it levels off, is "
        f"{'above 1' if level > 1.0 else 'below 0'}: no accuracy is"
        for name, level in (("b", b), ("a + b", a + b))
        if not -BEYOND <= level <= 1.0 + BEYOND
    )
