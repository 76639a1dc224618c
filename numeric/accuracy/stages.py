r"""The stages of two-stage laws: compute -> proxy -> accuracy.

.. math:: L = E + C_0 C^{-\alpha}, \qquad Q = a + b L \quad \text{or} \quad Q = \frac{a}{1 + e^{-k (L - L_0)}} + b.

The first stage is a law of loss, by Huber's function of the log residuals; the second is fitted by
least squares of accuracy to the proxies of the runs themselves. For a given bend its other two
coefficients are a line through the runs, so that a grid over bends alone sees every basin (Golub and
Pereyra 1973).

Source: Krajewski et al. 2025, arXiv 2512.08894, Section 4.3, whose code fits the proxy without E by
least squares of its logarithm.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..data.runs import Runs
from ..fit.fit import fit_form
from ..fit.models import COMPUTE
from ..fit.objective import Objective
from ..fit.power import local_maxima
from ..fit.resample import Refits
from ..fit.uncertainty import independence
from ..words import counted
from .law import Part

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ..data.sample import Sample
    from ..fit.fit import Fit

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["LINKS", "Link", "as_loss", "fit_proxy"]

LOSSES = Objective(name="huber-log", delta=1e-3)
#: The proxy z runs from -1 to 1. A logistic's slope in z goes from nearly a line to nearly a step,
#: and some run comes this close to its middle in units of its argument: farther out it is an
#: exponential.
FLATTEST, STEEPEST, REACH = 0.1, 100.0, 8.0
LOWER, UPPER = np.array([-1.0, FLATTEST]), np.array([1.0, STEEPEST])
#: The grid of middles d and slopes s; so many of its best points are followed to a minimum, of each
#: resample fewer.
GRID = np.stack(
    np.meshgrid(np.linspace(-1.0, 1.0, 31), np.geomspace(FLATTEST, STEEPEST, 24)), axis=-1
)
MOST_STARTS, FEW_STARTS = 8, 2
#: Columns of the Jacobian, of unit length, that are this close to dependent leave their coefficients
#: open, and so does a bend this close to a limit of the search.
DEPENDENT, AT_BOUND = 1e-5, 1e-9
#: A minimum is certified where a step promises less than the first share of the sum of squares, and
#: the search ends at the second, or where the root of the mean square is rounding.
ENOUGH, STOP, ROUNDING = 1e-9, 1e-14, 1e-11
MOST_STEPS, FIRST_DAMPING, HARDEST_DAMPING = 600, 1e-3, 1e12
#: Levels that leave [0, 1] by less are as good as 0 and 1.
BEYOND = 0.005


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


def fit_proxy(sample: Sample) -> Fit:
    """The law of compute closest to the proxies.

    Raises
    ------
    ValueError
        Where the runs are fewer than the coefficients, or the proxies no losses.
    """
    if len(sample) < len(COMPUTE.coefficients):
        raise ValueError(
            f"{len(sample)} runs: must be at least {len(COMPUTE.coefficients)} for the coefficients "
            f"of proxy = {COMPUTE}"
        )
    runs = Runs(
        params=None,
        tokens=None,
        compute=sample.at.column("compute"),
        loss=as_loss(sample),
        row=np.arange(1, len(sample) + 1),
        source="proxy",
        n_rows=len(sample),
    )
    return fit_form(runs, COMPUTE, LOSSES)


@dataclass(frozen=True)
class Link:
    """The second stage.

    Attributes
    ----------
    name, formula : str
    coefficients : tuple of str
    accuracy : callable
        Coefficients (K, p), proxies (n,) or (K, n) -> accuracy (K, n), not kept between 0 and 1.
    solve : callable
        Proxies and accuracy (n,), weights (K, n), starts of each -> coefficients (K, p), sums of
        squares, whether each is certified, whether each leaves coefficients open (K,).
    """

    name: str
    formula: str
    coefficients: tuple[str, ...]
    accuracy: Callable[[Floats, Floats], Floats]
    solve: Callable[[Floats, Floats, Floats, int], tuple[Floats, Floats, Mask, Mask]]

    def fit(self, proxy: Floats, accuracy: Floats) -> Part:
        """The link closest to the runs.

        Raises
        ------
        ValueError
            Where the proxy takes fewer values than the link has coefficients.
        """
        distinct, least = len(np.unique(proxy)), len(self.coefficients)
        if distinct < least:
            raise ValueError(
                f"proxy: takes {counted(distinct, 'value')} at {len(proxy)} runs; must take at "
                f"least {least} for {self.formula}"
            )
        found, squares, done, is_open = self.solve(
            proxy, accuracy, np.ones((1, len(proxy))), MOST_STARTS
        )
        named = dict(zip(self.coefficients, found[0].tolist(), strict=True))
        return Part(
            coefficients=named,
            objective_value=float(squares[0]),
            converged=bool(done[0]),
            undetermined=self.coefficients if is_open[0] else (),
            remarks=_impossible_levels(named) if self.name == "logistic" else (),
            refit=partial(self.refit, proxy, accuracy),
        )

    def refit(self, proxy: Floats, accuracy: Floats, *, weights: Floats) -> Refits:
        """The fits to resamples: weights (K, n)."""
        found, squares, done, _ = self.solve(proxy, accuracy, weights, FEW_STARTS)
        least = max(len(self.coefficients), len(COMPUTE.coefficients))
        enough = [len(np.unique(proxy[row > 0.0])) >= least for row in weights]
        return Refits(found, done & np.isfinite(found).all(axis=1) & np.array(enough), squares)


def _lines(x: Floats, y: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Intercepts, slopes and sums of squares of lines through y (n,) over x (..., n)."""
    share = weights / weights.sum(axis=-1, keepdims=True)
    mean_x, mean_y = (share * x).sum(axis=-1), (share * y).sum(axis=-1)
    u, v = x - mean_x[..., None], y - mean_y[..., None]
    norm = (weights * u * u).sum(axis=-1)
    usable = norm > 1e-12 * (weights * x * x).sum(axis=-1)
    slope = np.where(usable, (weights * u * v).sum(axis=-1) / np.where(usable, norm, 1.0), 0.0)
    squares = (weights * (v - slope[..., None] * u) ** 2).sum(axis=-1)
    return mean_y - slope * mean_x, slope, squares


# -- a line -------------------------------------------------------------------------------------------


def _line(coefficients: Floats, proxy: Floats) -> Floats:
    return np.asarray(coefficients[:, :1] + coefficients[:, 1:] * proxy)


def _solve_line(proxy: Floats, accuracy: Floats, weights: Floats, most: int) -> tuple[Any, ...]:
    del most
    z, centre, scale = _standardised(proxy)
    intercept, slope, squares = _lines(z, accuracy, weights)
    found = np.stack([intercept - slope * centre / scale, slope / scale], axis=1)
    return found, squares, np.full(len(found), True), np.full(len(found), False)


# -- a logistic ---------------------------------------------------------------------------------------


def _logistic(coefficients: Floats, proxy: Floats) -> Floats:
    a, k, middle, b = coefficients.T[:, :, None]
    return np.asarray(a * _sigmoid(k * (proxy - middle)) + b)


def bend(theta: Floats, z: Floats) -> tuple[Floats, Floats]:
    """phi = 1/(1 + exp(-u)), u = d (REACH + s) + s z, (K, n) for theta = (d, s) (K, 2), and its
    first derivatives (K, 2, n). At d = -1 the largest u is -REACH, at d = 1 the least is REACH.
    """
    d, s = theta[:, :1], theta[:, 1:]
    phi = _sigmoid(d * (REACH + s) + s * z)
    slope = phi * (1.0 - phi)
    return phi, np.stack([slope * (REACH + s), slope * (d + z)], axis=1)


class _Projected(NamedTuple):
    """Lines b + a phi (P,), their sums of squares (P,), and of these the gradient (P, 2) and the
    Hessian of Gauss and Newton (P, 2, 2) in the bend.
    """

    b: Floats
    a: Floats
    value: Floats
    gradient: Floats
    hessian: Floats

    @classmethod
    def of(cls, z: Floats, theta: Floats, observed: Floats, weights: Floats) -> _Projected:
        """At bends (P, 2), with weights (P, n)."""
        phi, first = bend(theta, z)
        share = weights / weights.sum(axis=1, keepdims=True)
        b, a, value = _lines(phi, observed, weights)
        u = phi - (share * phi).sum(axis=1, keepdims=True)
        off = first - (first * share[:, None]).sum(axis=2, keepdims=True)
        norm = (weights * u * u).sum(axis=1)[:, None]
        along = (off * (weights * u)[:, None]).sum(axis=2) / np.where(norm > 0.0, norm, 1.0)
        jacobian = a[:, None, None] * (off - along[:, :, None] * u[:, None])
        weighted = jacobian * weights[:, None]
        residual = observed - b[:, None] - a[:, None] * phi
        gradient = -2.0 * (weighted @ residual[:, :, None])[:, :, 0]
        return cls(b, a, value, gradient, 2.0 * weighted @ jacobian.transpose(0, 2, 1))


def _descend(
    z: Floats, theta: Floats, observed: Floats, weights: Floats
) -> tuple[Floats, _Projected, Mask]:
    """Minima of P problems from bends (P, 2), by damped steps of Gauss and Newton with the gradient
    of the projected residuals (Kaufman 1975).
    """
    at = _Projected.of(z, theta, observed, weights)
    damping, least = np.full(len(theta), FIRST_DAMPING), weights.sum(axis=1) * ROUNDING**2
    for _ in range(MOST_STEPS):
        held = (theta <= LOWER) & (at.gradient > 0.0) | (theta >= UPPER) & (at.gradient < 0.0)
        gradient = np.where(held, 0.0, at.gradient)
        promised = 0.5 * (gradient * _step(at.hessian, gradient, held, 0.0)).sum(axis=1)
        enough = promised <= np.maximum(STOP * at.value, least)
        if (enough | (damping > HARDEST_DAMPING)).all():
            break
        step = _step(at.hessian, gradient, held, damping)
        trial = np.clip(theta - step, LOWER, UPPER)
        there = _Projected.of(z, trial, observed, weights)
        better = there.value <= at.value
        damping = np.where(better, 0.3 * damping, 4.0 * np.maximum(damping, 1e-9))
        theta = np.where(better[:, None], trial, theta)
        at = _Projected(
            *(
                np.where(better.reshape(-1, *(1,) * (old.ndim - 1)), new, old)
                for new, old in zip(there, at, strict=True)
            )
        )
    return theta, at, promised <= np.maximum(ENOUGH * at.value, least)


def _step(hessian: Floats, gradient: Floats, held: Mask, damping: Any) -> Floats:
    """The steps (P, 2) of the coefficients that no bound holds."""
    size = np.sqrt(np.maximum(np.einsum("pqq->pq", hessian), 1e-300))
    scaled = hessian / (size[:, :, None] * size[:, None])
    scaled = np.where(held[:, :, None] | held[:, None], 0.0, scaled)
    more = np.where(held, 1.0, np.broadcast_to(damping, len(held))[:, None] + 1e-14)
    scaled = scaled + more[:, :, None] * np.eye(2)
    return np.asarray(np.linalg.solve(scaled, (gradient / size)[:, :, None])[:, :, 0] / size)


def _solve_logistic(proxy: Floats, accuracy: Floats, weights: Floats, most: int) -> tuple[Any, ...]:
    """The best minimum of K problems, from the best points of the grid."""
    z, centre, scale = _standardised(proxy)
    phi, begun, of = bend(GRID.reshape(-1, 2), z)[0], [], []
    for index, weight in enumerate(weights):
        squares = _lines(phi, accuracy, weight)[2].reshape(GRID.shape[:2])
        begun.append(GRID.reshape(-1, 2)[local_maxima(-squares)[:most]])
        of += [index] * len(begun[-1])
    theta, at, done = _descend(z, np.concatenate(begun), accuracy, weights[of])
    # The least sum of squares, among ends of one minimum a certified one.
    rank, own = at.value * (1.0 + 1e-9 * ~done), np.array(of)
    chosen = [min(np.flatnonzero(own == k), key=rank.__getitem__) for k in range(len(weights))]
    theta, at = theta[chosen], _Projected(*(part[chosen] for part in at))
    near = AT_BOUND * np.maximum(1.0, np.abs(theta))
    is_open = ((theta - LOWER <= near) | (UPPER - theta <= near)).any(axis=1)
    phi, first = bend(theta, z)
    columns = np.concatenate([np.ones_like(phi)[:, None], phi[:, None], first], axis=1)
    columns[:, 2:] *= at.a[:, None, None]
    is_open |= [independence(each) < DEPENDENT for each in columns]
    # a > 0 makes the coefficients unique, as b + a phi(u) = (b + a) - a phi(-u).
    falling, (d, s) = at.a < 0.0, theta.T
    slope, middle = np.where(falling, -s, s) / scale, centre - scale * d * (REACH + s) / s
    found = [np.abs(at.a), slope, middle, np.where(falling, at.b + at.a, at.b)]
    return np.stack(found, axis=1), at.value, done[chosen], is_open


def _impossible_levels(named: dict[str, float]) -> tuple[str, ...]:
    """Where a logistic levels off outside [0, 1], which no accuracy does."""
    return tuple(
        f"{name} = {value:.4g}, where it levels off, is "
        f"{'above 1' if value > 1.0 else 'below 0'}: no accuracy is"
        for name, value in (("b", named["b"]), ("a + b", named["a"] + named["b"]))
        if not -BEYOND <= value <= 1.0 + BEYOND
    )


def _sigmoid(u: Any) -> Floats:
    """1/(1 + exp(-u)), which overflows nowhere."""
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * u))


def _standardised(proxy: Floats) -> tuple[Floats, float, float]:
    """The proxy from -1 to 1, the middle of its range and half its width."""
    low, high = float(proxy.min()), float(proxy.max())
    centre, scale = 0.5 * (low + high), 0.5 * (high - low)
    return (proxy - centre) / scale, centre, scale


LINKS = {
    "linear": Link("linear", "Q = a + b L", ("a", "b"), _line, _solve_line),
    "logistic": Link(
        "logistic",
        "Q = a/(1 + exp(-k (L - L0))) + b",
        ("a", "k", "L0", "b"),
        _logistic,
        _solve_logistic,
    ),
}
