r"""The stages of two-stage laws: compute -> proxy metric -> accuracy.

.. math:: L = E + C_0 C^{-\alpha}, \qquad Q = b + a\,\phi(L;\,\theta), \qquad \phi = L \quad \text{or} \quad \frac{1}{1 + e^{-u}}.

First stage: a proxy that is a loss is positive and falls; a log likelihood is negative and rises:
-L is then such a loss. Both are fitted by Huber's function of the log residuals as laws of loss
are, with E >= 0 of the loss. Any other metric, an accuracy for example, is fitted by least squares
of its own values with an E of either sign, and with a prefactor that is negative where it rises.

Second stage: for given inner coefficients theta the other two are a line through the runs (variable
projection, Golub and Pereyra 1973), so that a grid over the inner ones alone sees every basin, and
only these are searched for: by the steps of Gauss and Newton with the gradient of the projected
residuals (Kaufman 1975). Least squares of accuracy throughout.

Source: Krajewski et al. 2025, arXiv 2512.08894, Section 4.3, whose code fits the proxy without E by
least squares of its logarithm.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..data.runs import Runs
from ..data.sample import Points
from ..fit.fit import fit_form
from ..fit.fitted import Joint, Solved
from ..fit.models import COMPUTE
from ..fit.objective import Objective
from ..fit.resample import Refits
from ..fit.solve import Solution
from ..fit.uncertainty import independence
from ..words import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..fit.fit import Fit
    from ..fit.resample import Draws

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["LINKS", "Link", "LinkFit", "StageFit", "fit_stage", "proxies"]

LOSSES, VALUES = Objective(name="huber-log", delta=1e-3), Objective(name="least-squares")
#: The limit E of a metric that is no loss is sought up to so many times its range beyond the runs.
FARTHEST = 10.0

#: Inside, the proxy z runs from -1 to 1. A logistic's slope in z: from nearly a line to nearly a
#: step.
FLATTEST, STEEPEST = 0.1, 100.0
#: At least one run comes this close to the middle of the logistic, in units of its argument:
#: farther out it is an exponential.
REACH = 8.0
#: The grid: steepnesses, and middles for each.
STEEPNESSES, MIDDLES = 24, 31
#: So many of the best points of the grid are followed to a minimum, of each resample fewer.
MOST_STARTS, FEW_STARTS = 8, 2
#: Columns of the Jacobian, of unit length, that are this close to dependent leave their
#: coefficients open.
DEPENDENT = 1e-5
#: Levels that leave [0, 1] by less are as good as 0 and 1.
BEYOND = 0.005
#: An inner coefficient this close to a limit of the search is on it.
AT_BOUND = 1e-9
#: A minimum is certified where a step promises less than the first share of the sum of squares, and
#: the search ends at the second, or where the root of the mean square is rounding.
ENOUGH, STOP, ROUNDING = 1e-9, 1e-14, 1e-11
MOST_STEPS, FIRST_DAMPING, HARDEST_DAMPING = 600, 1e-3, 1e12


# -- compute -> proxy -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class StageFit(Joint):
    """A first stage fitted: L = E + C0 C^-alpha by way of y = shift + sign L, which is positive and
    falls with compute.

    Attributes
    ----------
    sign, shift : float
        The shift is 0 where L or -L itself is a loss.
    of_loss : Fit
        The fit of y.
    draws : Draws or None
    """

    sign: float
    shift: float
    of_loss: Fit
    draws: Draws | None = None

    @property
    def parts(self) -> tuple[Fit]:  # type: ignore[override]
        """The fit of y."""
        return (self.of_loss,)

    @cached_property
    def coefficients(self) -> dict[str, float]:
        """By name, as the law of the proxy itself writes them."""
        own = self._of_proxy(self.of_loss.values[None])[0]
        return dict(zip(self.of_loss.names, own.tolist(), strict=True))

    @property
    def size(self) -> int:
        """Number of runs."""
        return self.of_loss.size

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Of a loss E = 0 is a value; elsewhere it is where the search for E ended."""
        if "E" in self.of_loss.at_bound and self.shift:
            return self.names
        return self.of_loss.undetermined

    def predict(self, rows: Points) -> Floats:
        """The proxy (m,) at runs."""
        return proxies(self.values[None], rows)[0]

    def refit(self, *, weights: Floats) -> Refits:
        """Coefficients (K, p) with weights (K, n), and whether each minimum is certified."""
        again = self.of_loss.refit(weights=weights)
        enough = (weights > 0.0).sum(axis=1) >= len(self.names)
        return Refits(self._of_proxy(again.coefficients), again.converged & enough)

    def _of_proxy(self, coefficients: Floats) -> Floats:
        """Coefficients (K, p) of the proxy from those of y."""
        E, C0, alpha = coefficients.T
        return np.stack([self.sign * (E - self.shift), self.sign * C0, alpha], axis=1)


def fit_stage(at: Points, proxy: Floats) -> StageFit:
    """The law of compute closest to the proxies (n,).

    Raises
    ------
    ValueError
        Where the runs are fewer than the coefficients, or the proxy has no trend.
    """
    least = len(COMPUTE.coefficients)
    if len(proxy) < least:
        raise ValueError(
            f"{len(proxy)} runs: must be at least {least} for the coefficients of proxy = {COMPUTE}"
        )
    compute = at.column("compute")
    logs = np.log(compute)
    trend, span = float((logs - logs.mean()) @ proxy), float(np.ptp(proxy))
    if span == 0.0 or trend == 0.0:
        raise ValueError(
            f"proxy={float(proxy[0])!r} at {len(proxy)} runs: must rise or fall with compute"
        )
    sign = 1.0 if trend < 0.0 else -1.0
    lowest = float((sign * proxy).min())
    shift = 0.0 if lowest > 0.0 else FARTHEST * span - lowest
    runs = Runs(
        params=None,
        tokens=None,
        compute=compute,
        loss=shift + sign * proxy,
        row=np.arange(1, len(proxy) + 1),
        source="proxy",
        n_rows=len(proxy),
    )
    of_loss = fit_form(runs, COMPUTE, VALUES if shift else LOSSES)
    return StageFit(sign=sign, shift=shift, of_loss=of_loss)


def proxies(coefficients: Floats, at: Points) -> Floats:
    """The proxy (K, m) of K first stages (K, 3) at m points."""
    E, C0, alpha = coefficients.T
    positive = np.stack([np.zeros_like(E), np.abs(C0), alpha], axis=1)
    at = Points(compute=at.column("compute"))
    return np.asarray(E[:, None] + np.sign(C0)[:, None] * COMPUTE.values(positive, at))


# -- proxy -> accuracy ----------------------------------------------------------------------------


class Link:
    """phi = x, of no inner coefficients: Q = a + b L.

    Attributes
    ----------
    name, formula : str
    coefficients : tuple of str
        As the law writes them.
    lower, upper : ndarray
        (q,): the box in which the inner coefficients are sought.
    """

    name, formula = "linear", "Q = a + b L"
    coefficients: tuple[str, ...] = ("a", "b")
    lower: Floats = np.empty(0)
    upper: Floats = np.empty(0)

    @property
    def grid(self) -> Floats:
        """Inner coefficients on a grid, (G, H, q)."""
        return np.empty((1, 1, 0))

    def derivatives(self, theta: Floats, z: Floats) -> tuple[Floats, Floats]:
        """phi (K, n) and its first derivatives (K, q, n)."""
        return np.array(np.broadcast_to(z, (len(theta), len(z)))), np.empty((len(theta), 0, len(z)))

    def written(self, theta: Floats, centre: float, scale: float) -> Floats:
        """Coefficients (K, p) as the law writes them, from (b, a, theta) at z = (L - centre)/scale."""
        b, a = theta.T
        return np.stack([b - a * centre / scale, a / scale], axis=1)

    def accuracy(self, coefficients: Floats, proxy: Floats) -> Floats:
        """Accuracy (K, n) of K links (K, p) at proxies (n,) or (K, n), not kept between 0 and 1."""
        return np.asarray(coefficients[:, :1] + coefficients[:, 1:] * proxy)

    def levels(self, coefficients: Floats) -> dict[str, float]:
        """Accuracies at which the law (p,) levels off, by name."""
        return {}

    def fit(self, proxy: Floats, accuracy: Floats) -> LinkFit:
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
        z = _standardised(proxy)[0]
        theta, value, done = self.solve(z, accuracy[None], np.ones((1, len(z))), MOST_STARTS)
        solution = Solution(theta[0], float(value[0]), bool(done[0]))
        return LinkFit(link=self, proxy=proxy, accuracy=accuracy, solution=solution)

    def solve(
        self, z: Floats, observed: Floats, weights: Floats, most: int
    ) -> tuple[Floats, Floats, Mask]:
        """The best minimum of K problems: (b, a, inner coefficients), sums of squares,
        certificates.
        """
        starts = self._starts(z, observed, weights, most)
        count, many, width = starts.shape
        seen, weight = (np.repeat(part, many, axis=0) for part in (observed, weights))
        theta, at, done = self._descend(z, starts.reshape(count * many, width), seen, weight)
        # The least sum of squares, among ends of one minimum a certified one.
        share = 1.0 + 1e-9 * ~done
        best = np.argmin((at.value * share).reshape(count, many), axis=1)
        chosen = np.arange(count) * many + best
        line = np.stack([at.b, at.a], axis=1)
        return np.concatenate([line, theta], axis=1)[chosen], at.value[chosen], done[chosen]

    def _starts(self, z: Floats, observed: Floats, weights: Floats, most: int) -> Floats:
        """The best points of the grid, (K, most, q): where no neighbour leaves a smaller sum of
        squares.
        """
        rows, columns, width = self.grid.shape
        inner = self.grid.reshape(rows * columns, width)
        phi = self.derivatives(inner, z)[0]
        total = weights.sum(axis=1)[:, None]
        about = weights * (observed - (weights * observed).sum(axis=1)[:, None] / total)
        spread = weights @ (phi * phi).T - (weights @ phi.T) ** 2 / total
        usable = spread > 1e-12 * (weights @ (phi * phi).T)
        gain = np.where(usable, (about @ phi.T) ** 2 / np.where(usable, spread, 1.0), 0.0)
        return inner[peaks(gain.reshape(-1, rows, columns), most)]

    def _descend(
        self, z: Floats, theta: Floats, observed: Floats, weights: Floats
    ) -> tuple[Floats, Projected, Mask]:
        """Minima of P problems from inner coefficients (P, q), by damped steps of Gauss and
        Newton.
        """
        at = self._projected(z, theta, observed, weights)
        least = weights.sum(axis=1) * ROUNDING**2
        if not theta.shape[1]:
            return theta, at, np.ones(len(theta), dtype=bool)
        damping = np.full(len(theta), FIRST_DAMPING)
        for _ in range(MOST_STEPS):
            held = ((theta <= self.lower) & (at.gradient > 0.0)) | (
                (theta >= self.upper) & (at.gradient < 0.0)
            )
            gradient = np.where(held, 0.0, at.gradient)
            newton = _solved(at.hessian, gradient, held, 0.0)
            promised = 0.5 * (gradient * newton).sum(axis=1)
            enough = np.maximum(STOP * at.value, least)
            if ((promised <= enough) | (damping > HARDEST_DAMPING)).all():
                break
            step = _solved(at.hessian, gradient, held, damping)
            trial = np.clip(theta - step, self.lower, self.upper)
            there = self._projected(z, trial, observed, weights)
            lower = there.value <= at.value
            damping = np.where(lower, 0.3 * damping, 4.0 * np.maximum(damping, 1e-9))
            theta = np.where(lower[:, None], trial, theta)
            at = Projected(
                *(
                    np.where(lower.reshape(-1, *(1,) * (old.ndim - 1)), new, old)
                    for new, old in zip(there, at, strict=True)
                )
            )
        return theta, at, promised <= np.maximum(ENOUGH * at.value, least)

    def _projected(self, z: Floats, theta: Floats, observed: Floats, weights: Floats) -> Projected:
        """The line through the runs over phi, and the derivatives of what it leaves."""
        phi, first = self.derivatives(theta, z)
        share = weights / weights.sum(axis=1, keepdims=True)
        mean_phi, mean_y = (share * phi).sum(axis=1), (share * observed).sum(axis=1)
        u, v = phi - mean_phi[:, None], observed - mean_y[:, None]
        norm = (weights * u * u).sum(axis=1)
        a = np.divide((weights * u * v).sum(axis=1), norm, out=np.zeros_like(norm), where=norm > 0)
        residual = v - a[:, None] * u
        off = first - np.einsum("pqn,pn->pq", first, share)[:, :, None]
        along = np.einsum("pqn,pn->pq", off, weights * u)
        along = np.divide(along, norm[:, None], out=np.zeros_like(along), where=norm[:, None] > 0)
        jacobian = a[:, None, None] * (off - along[:, :, None] * u[:, None, :])
        weighted = jacobian * weights[:, None, :]
        return Projected(
            mean_y - a * mean_phi,
            a,
            (weights * residual**2).sum(axis=1),
            -2.0 * np.einsum("pqn,pn->pq", weighted, residual),
            2.0 * np.einsum("pqn,prn->pqr", weighted, jacobian),
        )


class Projected(NamedTuple):
    """Lines b + a phi (P,), their sums of squares (P,), and of these the gradient (P, q) and the
    Hessian of Gauss and Newton (P, q, q) in the inner coefficients.
    """

    b: Floats
    a: Floats
    value: Floats
    gradient: Floats
    hessian: Floats


class LogisticLink(Link):
    """phi = 1/(1 + exp(-u)), u = d (REACH + s) + s z; theta = (d, s), -1 <= d <= 1, s > 0.

    At d = -1 the largest argument at a run is u = -REACH, at d = 1 the least is REACH: beyond, the
    curve is an exponential. a > 0: b is the accuracy at the bad end, a + b at the good one, and k <
    0 where accuracy falls with L.
    """

    name, formula = "logistic", "Q = a/(1 + exp(-k (L - L0))) + b"
    coefficients = ("a", "k", "L0", "b")
    lower, upper = np.array([-1.0, FLATTEST]), np.array([1.0, STEEPEST])

    @property
    def grid(self) -> Floats:
        """Steepnesses from a line to a step, each with all d."""
        steep = np.geomspace(FLATTEST, STEEPEST, STEEPNESSES)
        return np.stack(np.meshgrid(np.linspace(-1.0, 1.0, MIDDLES), steep), axis=-1)

    def derivatives(self, theta: Floats, z: Floats) -> tuple[Floats, Floats]:
        """phi' = phi (1 - phi) in u, and by the chain rule in d and s."""
        d, s = theta[:, :1], theta[:, 1:]
        phi = sigmoid(d * (REACH + s) + s * z)
        slope = phi * (1.0 - phi)
        return phi, np.stack([slope * (REACH + s), slope * (d + z)], axis=1)

    def written(self, theta: Floats, centre: float, scale: float) -> Floats:
        """a, k, L0, b; a > 0 makes them unique, as b + a phi(u) = (b + a) - a phi(-u)."""
        b, a, d, s = theta.T
        falling = a < 0.0
        slope = np.where(falling, -s, s) / scale
        middle = centre - scale * d * (REACH + s) / s
        return np.stack([np.abs(a), slope, middle, np.where(falling, b + a, b)], axis=1)

    def accuracy(self, coefficients: Floats, proxy: Floats) -> Floats:
        """a/(1 + exp(-k (L - L0))) + b."""
        a, k, middle, b = coefficients.T[:, :, None]
        return np.asarray(a * sigmoid(k * (proxy - middle)) + b)

    def levels(self, coefficients: Floats) -> dict[str, float]:
        """b, and a + b above it."""
        a, _, _, b = coefficients.tolist()
        return {"b": b, "a + b": a + b}


def sigmoid(u: Any) -> Floats:
    """1/(1 + exp(-u)), which overflows nowhere."""
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * u))


@dataclass(frozen=True, eq=False, kw_only=True)
class LinkFit(Solved):
    """A link fitted to runs by least squares of accuracy.

    Attributes
    ----------
    link : Link
    proxy, accuracy : ndarray
        (n,).
    solution : Solution
        In (b, a, inner coefficients) of the proxy from -1 to 1.
    draws : Draws or None
    """

    link: Link
    proxy: Floats
    accuracy: Floats
    solution: Solution
    draws: Draws | None = None

    @cached_property
    def coefficients(self) -> dict[str, float]:
        """By name, as the link writes them."""
        written = self.link.written(self.theta[None], *_standardised(self.proxy)[1:])[0]
        return dict(zip(self.link.coefficients, written.tolist(), strict=True))

    @property
    def size(self) -> int:
        """Number of runs."""
        return len(self.proxy)

    @cached_property
    def undetermined(self) -> tuple[str, ...]:
        """All coefficients where some combination of them is left open (the accuracies at the runs
        hardly change with it), or lies at a limit of the search: the bend lies beyond the runs, or
        between two of them.
        """
        a, inner = self.theta[1], self.theta[2:]
        near = AT_BOUND * np.maximum(1.0, np.abs(inner))
        held = (inner - self.link.lower <= near) | (self.link.upper - inner <= near)
        phi, first = self.link.derivatives(inner[None], _standardised(self.proxy)[0])
        jacobian = np.concatenate([np.ones_like(phi), phi, a * first[0]])
        return self.names if held.any() or independence(jacobian) < DEPENDENT else ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """Where the law levels off outside [0, 1], which no accuracy does."""
        return tuple(
            f"{name} = {value:.4g}, where it levels off, is "
            f"{'above 1' if value > 1.0 else 'below 0'}: no accuracy is"
            for name, value in self.link.levels(self.values).items()
            if not -BEYOND <= value <= 1.0 + BEYOND
        )

    def predict(self, rows: Any) -> Floats:
        """Accuracy (m,) at proxies."""
        return self.link.accuracy(self.values[None], rows)[0]

    def refit(self, *, weights: Floats) -> Refits:
        """The fits of K problems with weights (K, n), each from a few starts of a scan."""
        observed = np.broadcast_to(self.accuracy, weights.shape)
        z, centre, scale = _standardised(self.proxy)
        theta, value, done = self.link.solve(z, observed, weights, FEW_STARTS)
        found = self.link.written(theta, centre, scale)
        enough = [
            len(np.unique(self.proxy[row > 0.0])) >= len(self.link.coefficients) for row in weights
        ]
        return Refits(found, done & np.isfinite(found).all(axis=1) & np.array(enough), value)


LINKS: dict[str, Link] = {link.name: link for link in (Link(), LogisticLink())}


def _standardised(proxy: Floats) -> tuple[Floats, float, float]:
    """The proxy from -1 to 1, the middle of its range and half its width."""
    low, high = float(proxy.min()), float(proxy.max())
    centre, scale = 0.5 * (low + high), 0.5 * (high - low)
    return (proxy - centre) / scale, centre, scale


def _solved(hessian: Floats, gradient: Floats, held: Mask, damping: Any) -> Floats:
    """The steps (P, q) of the coefficients that no bound holds."""
    size = np.sqrt(np.maximum(np.einsum("pqq->pq", hessian), 1e-300))
    scaled = hessian / (size[:, :, None] * size[:, None, :])
    scaled = np.where(held[:, :, None] | held[:, None, :], 0.0, scaled)
    more = np.where(held, 1.0, np.broadcast_to(np.asarray(damping), len(held))[:, None] + 1e-14)
    scaled = scaled + more[:, :, None] * np.eye(held.shape[1])
    return np.asarray(np.linalg.solve(scaled, (gradient / size)[:, :, None])[:, :, 0] / size)


def peaks(values: Floats, most: int) -> NDArray[np.intp]:
    """Flat positions (K, most) of the highest points of grids (K, G, H) that no neighbour exceeds.

    Where a grid has fewer of them the highest is repeated.

    Examples
    --------
    >>> peaks(np.array([[[1.0, 3.0, 2.0, 0.0, 5.0]]]), 3)
    array([[4, 1, 4]])
    """
    count, rows, columns = values.shape
    padded = np.full((count, rows + 2, columns + 2), -np.inf)
    padded[:, 1:-1, 1:-1] = values
    peak = np.isfinite(values)
    for i in range(3):
        for j in range(3):
            peak &= values >= padded[:, i : i + rows, j : j + columns]
    heights = np.where(peak, values, -np.inf).reshape(count, -1)
    most = min(most, heights.shape[1])
    order = np.argsort(-heights, axis=1, kind="stable")[:, :most]
    return np.where(np.isfinite(np.take_along_axis(heights, order, axis=1)), order, order[:, :1])
