r"""The stages of two-stage laws: compute -> proxy -> accuracy.

.. math:: L = E + C_0 C^{-\alpha}, \qquad Q = a + b L \quad \text{or} \quad Q = \frac{a}{1 + e^{-k (L - L_0)}} + b.

The first stage is a law of loss, by Huber's function of the log residuals; the second is fitted by
least squares of accuracy to the proxies of the runs themselves.

Source: Krajewski et al. 2025, arXiv 2512.08894, Section 4.3, whose code fits the proxy without E by
least squares of its logarithm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..fit.fit import fit_form
from ..fit.models import COMPUTE, Expression
from ..fit.objective import Objective
from ..fit.resample import Refits
from ..fit.uncertainty import independence
from ..words import counted
from .law import Part, as_runs, refits_near

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.sample import Sample

    Floats = NDArray[np.float64]

__all__ = ["LINKS", "Link", "fit_link", "fit_proxy"]

LOSSES, SQUARES = Objective(name="huber-log", delta=1e-3), Objective(name="least-squares")
#: A logistic in a proxy z from -1 to 1: its slope s goes from nearly a line to nearly a step, and
#: some run comes this close to its middle in units of its argument: farther out it is an
#: exponential.
REACH, SLOPES = 8.0, (0.1, 100.0)
LOGISTIC = Expression(f"b + a/2*(1 + tanh((d*({REACH:g} + s) + s*x)/2))", extra=("x",))
#: Columns of the Jacobian, of unit length, this close to dependent leave their coefficients open.
DEPENDENT = 1e-5
#: Levels that leave [0, 1] by less are as good as 0 and 1.
BEYOND = 0.005


@dataclass(frozen=True)
class Link:
    """The second stage.

    Attributes
    ----------
    formula : str
    coefficients : tuple of str
        As they are written.
    form : Expression
        What is fitted, in a proxy x from -1 to 1.
    written : callable
        Coefficients (K, p) of the form, the middle of the proxies and half their range -> those of
        the formula.
    accuracy : callable
        Coefficients (K, p) of the formula, proxies (n,) or (K, n) -> accuracy (K, n), not kept
        between 0 and 1.
    bounds : dict
        Of the coefficients of the form.
    """

    formula: str
    coefficients: tuple[str, ...]
    form: Expression
    written: Callable[[Floats, float, float], Floats]
    accuracy: Callable[[Floats, Floats], Floats]
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def _line(coefficients: Floats, proxy: Floats) -> Floats:
    a, b = coefficients.T[:, :, None]
    return np.asarray(a + b * proxy)


def _written_line(found: Floats, centre: float, scale: float) -> Floats:
    a, b = found.T
    return np.stack([a - b * centre / scale, b / scale], axis=1)


def _logistic(coefficients: Floats, proxy: Floats) -> Floats:
    a, k, middle, b = coefficients.T[:, :, None]
    return np.asarray(0.5 * a * (1.0 + np.tanh(0.5 * k * (proxy - middle))) + b)


def _written_logistic(found: Floats, centre: float, scale: float) -> Floats:
    """With a > 0, which makes the coefficients unique, as b + a phi(u) = (b + a) - a phi(-u)."""
    b, a, d, s = found.T
    slope, middle = np.where(a < 0.0, -s, s) / scale, centre - scale * d * (REACH + s) / s
    return np.stack([np.abs(a), slope, middle, np.where(a < 0.0, b + a, b)], axis=1)


LINKS = {
    "linear": Link(
        "Q = a + b L", ("a", "b"), Expression("a + b*x", extra=("x",)), _written_line, _line
    ),
    "logistic": Link(
        "Q = a/(1 + exp(-k (L - L0))) + b",
        ("a", "k", "L0", "b"),
        LOGISTIC,
        _written_logistic,
        _logistic,
        bounds={"d": (-1.0, 1.0), "s": SLOPES},
    ),
}


def as_loss(sample: Sample) -> Floats:
    """The proxies (n,) as losses: the negative of a log likelihood.

    Raises
    ------
    ValueError
        Where they are no losses, which are positive and fall with compute.
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
    if len(sample) < len(COMPUTE.coefficients):
        raise ValueError(
            f"{len(sample)} runs: must be at least {len(COMPUTE.coefficients)} for the coefficients "
            f"of proxy = {COMPUTE}"
        )
    return Part.of(fit_form(as_runs(sample, as_loss(sample)), COMPUTE, LOSSES))


def fit_link(link: Link, sample: Sample) -> Part:
    """The link closest to the runs.

    Raises
    ------
    ValueError
        Where the proxy takes fewer values than the link has coefficients.
    """
    proxy, least = as_loss(sample), len(link.coefficients)
    distinct = len(np.unique(proxy))
    if distinct < least:
        raise ValueError(
            f"proxy: takes {counted(distinct, 'value')} at {len(proxy)} runs; must take at "
            f"least {least} for {link.formula}"
        )
    centre, scale = 0.5 * (proxy.max() + proxy.min()), 0.5 * (proxy.max() - proxy.min())
    runs = as_runs(sample, sample.accuracy, x=(proxy - centre) / scale)
    fit = fit_form(runs, link.form, SQUARES, bounds=link.bounds)

    def refit(*, weights: Floats) -> Refits:
        theta, counts = refits_near(fit.solution, weights)
        enough = [len(np.unique(proxy[row > 0.0])) >= max(least, 3) for row in weights]
        return Refits(link.written(theta, centre, scale), counts & np.array(enough))

    jacobian = fit.solution.problem.residuals(fit.solution.theta[None])[1][0]
    is_open = fit.solution.at_bound or independence(jacobian) < DEPENDENT
    found = link.written(fit.solution.values[None], centre, scale)[0]
    named = dict(zip(link.coefficients, found.tolist(), strict=True))
    return Part(
        coefficients=named,
        objective_value=fit.objective_value,
        converged=fit.converged,
        undetermined=link.coefficients if is_open else (),
        remarks=_impossible_levels(named) if link is LINKS["logistic"] else (),
        refit=refit,
    )


def _impossible_levels(named: dict[str, float]) -> tuple[str, ...]:
    """Where a logistic levels off outside [0, 1], which no accuracy does."""
    return tuple(
        f"{name} = {value:.4g}, where it levels off, is "
        f"{'above 1' if value > 1.0 else 'below 0'}: no accuracy is"
        for name, value in (("b", named["b"]), ("a + b", named["a"] + named["b"]))
        if not -BEYOND <= value <= 1.0 + BEYOND
    )
