r"""Second stages: accuracy as a function of a proxy x of the run, linear in two of its
coefficients.

.. math:: Q = b + a\,\phi(x;\,\theta), \qquad \phi = x, \quad \frac{1}{1 + e^{-(c + s x)}}, \quad e^{-g x}.

For given inner coefficients theta the other two are a line through the runs (variable projection),
so that a grid over the inner ones alone sees every basin; Newton's method with the exact Hessian
finds the minimum in it. Least squares of accuracy throughout.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..fit.covariance import independence
from ..fit.fitted import Solved
from ..fit.newton import Problems, minimise
from ..fit.objective import Clip
from ..fit.optimality import Solution
from ..fit.resample import Refits
from ..fit.scan import peaks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..fit.resample import Draws

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["EXPONENTIAL", "LINEAR", "LINKS", "LOGISTIC", "UNIT_LOGISTIC", "Link", "LinkFit"]

SQUARES = Clip(2.0, -np.inf, np.inf)
#: Inside, the proxy z runs from -1 to 1. A logistic's slope in z: from nearly a line to nearly a
#: step.
FLATTEST, STEEPEST = 0.1, 100.0
#: At least one run comes this close to the middle of the logistic, in units of its argument:
#: farther out it is an exponential.
REACH = 8.0
#: An exponential's exponent in z: from nearly a line to where all but the outermost runs lie on the
#: asymptote.
LEAST_BEND, MOST_BEND = 0.005, 30.0
#: The grid: steepnesses, and middles for each.
STEEPNESSES, MIDDLES = 24, 31
#: So many of the best points of the grid are followed to a minimum, of each resample fewer.
MOST_STARTS, FEW_STARTS = 8, 2
#: Columns of the Jacobian, of unit length, that are this close to dependent leave their
#: coefficients open.
DEPENDENT = 1e-5
#: Minima whose objectives differ by less than this share are one.
SAME = 1e-9
#: Levels that leave [0, 1] by less are as good as 0 and 1.
BEYOND = 0.005
#: An inner coefficient this close to a limit of the search is on it.
AT_BOUND = 1e-9


class Link(ABC):
    """Accuracy Q as a function of the proxy L: b + a phi(z; theta) with the inner coefficients theta
    (K, q), in which the search is a box; z is the proxy from -1 to 1.

    Attributes
    ----------
    name, formula : str
    coefficients : tuple of str
        As the law writes them.
    pinned : (float, float) or None
        b and a where they are not fitted.
    """

    name: str
    formula: str
    coefficients: tuple[str, ...]
    pinned: tuple[float, float] | None = None

    @property
    @abstractmethod
    def grid(self) -> Floats:
        """theta on a grid, (G, H, q)."""

    @property
    @abstractmethod
    def box(self) -> tuple[Floats, Floats]:
        """Bounds (B, q) of the boxes that are searched one by one."""

    @abstractmethod
    def derivatives(self, theta: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
        """phi (K, n), its first (K, q, n) and second derivatives (K, q, q, n)."""

    @abstractmethod
    def written(self, theta: Floats, centre: float, scale: float) -> Floats:
        """Coefficients (K, p) as the law writes them, from (b, a, theta) at z = (L - centre)/scale."""

    @abstractmethod
    def accuracy(self, coefficients: Floats, proxy: Floats) -> Floats:
        """Accuracy (K, n) of K links (K, p) at proxies (n,) or (K, n), not kept between 0 and 1."""

    def levels(self, coefficients: Floats) -> dict[str, float]:
        """Accuracies at which the law (p,) levels off, by name; none where it does not, or where
        its form fixes them.
        """
        return {}

    def remarks(self, coefficients: Floats) -> tuple[str, ...]:
        """Where the law levels off outside [0, 1], which no accuracy does."""
        ends = self.levels(coefficients)
        return tuple(
            f"{name} = {value:.4g}, where it levels off, is "
            f"{'above 1' if value > 1.0 else 'below 0'}: no accuracy is"
            for name, value in ends.items()
            if not -BEYOND <= value <= 1.0 + BEYOND
        )

    @property
    def least(self) -> int:
        """Distinct proxies that a fit needs."""
        return len(self.coefficients)

    # -- fits ----------------------------------------------------------------------------------------------------------

    def fit(self, proxy: Floats, accuracy: Floats, *, what: str = "proxy") -> LinkFit:
        """The link closest to the runs.

        Raises
        ------
        ValueError
            Where the proxy takes fewer values than the link has coefficients.
        """
        distinct = len(np.unique(proxy))
        if distinct < self.least:
            raise ValueError(
                f"{what}: takes {distinct} value{'s' * (distinct != 1)} at {len(proxy)} runs; "
                f"must take at least {self.least} for {self.formula}"
            )
        z = _standardised(proxy)[0]
        theta, value, done = self.solve(z, accuracy[None], np.ones((1, len(z))), MOST_STARTS)
        solution = Solution(theta[0], float(value[0]), bool(done[0]))
        return LinkFit(link=self, proxy=proxy, accuracy=accuracy, solution=solution)

    def solve(
        self, z: Floats, observed: Floats, weights: Floats, most: int
    ) -> tuple[Floats, Floats, Mask]:
        """The best minimum of K problems: (b, a, inner coefficients), objectives, certificates."""
        starts = self._starts(z, observed, weights, most)
        lower, upper = self.box
        count, many, width = starts.shape
        flat = starts.reshape(count * many, width)
        low, high = _boxes(flat, lower, upper, self.pinned is not None)
        problems = Problems(
            LinkModel(self._searched, z),
            np.repeat(observed, many, axis=0),
            np.repeat(weights, many, axis=0),
            SQUARES,
            False,
        )
        ends = minimise(problems, np.clip(flat, low, high), low, high, damping=0.0)
        values = ends.value.reshape(count, many)
        best, each = np.argmin(values, axis=1), np.arange(count)
        done = ends.done.reshape(count, many)
        # Of several ends at the same minimum one may be certified and another be short of it by
        # rounding.
        close = values <= values[each, best][:, None] * (1.0 + SAME)
        best = np.where(done[each, best], best, np.argmax(close & done, axis=1))
        best = np.where((close & done).any(axis=1), best, np.argmin(values, axis=1))
        theta = ends.theta.reshape(count, many, width)[each, best]
        return (
            theta if self.pinned else self._searched.original(theta),
            values[each, best],
            done[each, best],
        )

    @property
    def _searched(self) -> Any:
        return self if self.pinned else FromEndToEnd(self)

    def _starts(self, z: Floats, observed: Floats, weights: Floats, most: int) -> Floats:
        """The best points of the grid, (K, most, p): where no neighbour leaves a smaller sum of
        squares.
        """
        grid = self.grid
        rows, columns, width = grid.shape
        inner = grid.reshape(rows * columns, width)
        phi = np.concatenate([self._searched.derivatives(row, z)[0] for row in grid])
        if self.pinned is None:
            b, a, squares = _lines(phi, observed, weights)
        else:
            pinned_b, pinned_a = self.pinned
            squares = _squares(pinned_b + pinned_a * phi, observed, weights)
            b, a = np.full_like(squares, pinned_b), np.full_like(squares, pinned_a)
        chosen = peaks(-squares.reshape(-1, rows, columns), most)
        each = np.arange(len(chosen))[:, None]
        return np.concatenate(
            [np.stack([b[each, chosen], a[each, chosen]], axis=-1), inner[chosen]], axis=-1
        )


class LinearLink(Link):
    """phi = z."""

    name, formula, coefficients = "linear", "Q = a + b L", ("a", "b")

    @property
    def grid(self) -> Floats:
        """One point."""
        return np.empty((1, 1, 0))

    @property
    def box(self) -> tuple[Floats, Floats]:
        """One box."""
        return np.empty((1, 0)), np.empty((1, 0))

    def derivatives(self, theta: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
        """No inner coefficients, no derivatives."""
        count, size = len(theta), len(z)
        return (
            np.array(np.broadcast_to(z, (count, size))),
            np.empty((count, 0, size)),
            np.empty((count, 0, 0, size)),
        )

    def written(self, theta: Floats, centre: float, scale: float) -> Floats:
        """Intercept and slope."""
        b, a = theta.T
        return np.stack([b - a * centre / scale, a / scale], axis=1)

    def accuracy(self, coefficients: Floats, proxy: Floats) -> Floats:
        """a + b L."""
        return np.asarray(coefficients[:, :1] + coefficients[:, 1:] * proxy)


class LogisticLink(Link):
    """phi = 1/(1 + exp(-u)), u = d (REACH + s) + s z; theta = (d, s), -1 <= d <= 1, s > 0.

    At d = -1 the largest argument at a run is u = -REACH, at d = 1 the least is REACH: beyond, the
    curve is an exponential. a > 0: b is the accuracy at the bad end, a + b at the good one, and k <
    0 where accuracy falls with L.
    """

    name, formula = "logistic", "Q = a/(1 + exp(-k (L - L0))) + b"
    coefficients = ("a", "k", "L0", "b")

    @property
    def grid(self) -> Floats:
        """Steepnesses from a line to a step, each with all d."""
        steep, middle = (
            np.geomspace(FLATTEST, STEEPEST, STEEPNESSES),
            np.linspace(-1.0, 1.0, MIDDLES),
        )
        return np.stack(np.meshgrid(middle, steep), axis=-1)

    @property
    def box(self) -> tuple[Floats, Floats]:
        """One box."""
        return np.array([[-1.0, FLATTEST]]), np.array([[1.0, STEEPEST]])

    def derivatives(self, theta: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
        """phi' = phi (1 - phi), phi'' = phi' (1 - 2 phi) in u, and by the chain rule in d and s."""
        d, s = theta[:, :1], theta[:, 1:]
        reach = REACH + s
        phi = sigmoid(d * reach + s * z)
        slope = phi * (1.0 - phi)
        bend = slope * (1.0 - 2.0 * phi)
        by_d, by_s = np.broadcast_to(reach, phi.shape), d + z
        first = np.stack([slope * by_d, slope * by_s], axis=1)
        mixed = bend * by_d * by_s + slope
        second = np.stack([bend * by_d * by_d, mixed, mixed, bend * by_s * by_s], axis=1)
        return phi, first, second.reshape(len(theta), 2, 2, -1)

    def written(self, theta: Floats, centre: float, scale: float) -> Floats:
        """a, k, L0, b; a > 0 makes them unique, as b + a phi(u) = (b + a) - a phi(-u)."""
        b, a, d, s = theta.T
        falling = a < 0.0
        slope = np.where(falling, -s, s) / scale
        return np.stack(
            [np.abs(a), slope, centre - scale * d * (REACH + s) / s, np.where(falling, b + a, b)],
            axis=1,
        )

    def accuracy(self, coefficients: Floats, proxy: Floats) -> Floats:
        """a/(1 + exp(-k (L - L0))) + b."""
        a, k, middle, b = coefficients.T[:, :, None]
        return np.asarray(a * sigmoid(k * (proxy - middle)) + b)

    def levels(self, coefficients: Floats) -> dict[str, float]:
        """b, and a + b above it."""
        a, _, _, b = coefficients.tolist()
        return {"b": b, "a + b": a + b}


class UnitLogisticLink(Link):
    """phi = 1/(1 + exp(-u)), u = c + s z between 0 and 1: theta = (c, s), s of either sign, b = 0
    and a = 1. Krajewski et al. 2025, arXiv 2512.08894, Section 4.2.1.
    """

    name, formula, coefficients = "unit-logistic", "Q = 1/(1 + exp(-a L + b))", ("a", "b")
    pinned = (0.0, 1.0)

    @property
    def grid(self) -> Floats:
        """Slopes of both signs and 0, each with the c at which some run is within reach."""
        steep = np.geomspace(FLATTEST, STEEPEST, STEEPNESSES)
        slopes = np.concatenate([-steep[::-1], [0.0], steep])
        middles = np.linspace(-1.0, 1.0, MIDDLES) * (REACH + np.abs(slopes))[:, None]
        return np.stack([middles, np.broadcast_to(slopes[:, None], middles.shape)], axis=-1)

    @property
    def box(self) -> tuple[Floats, Floats]:
        """All that the grid spans."""
        most = np.array([[4.0 * REACH + STEEPEST, STEEPEST]])
        return -most, most

    def derivatives(self, theta: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
        """phi' = phi (1 - phi), phi'' = phi' (1 - 2 phi) in u."""
        phi = sigmoid(theta[:, :1] + theta[:, 1:] * z)
        slope = phi * (1.0 - phi)
        bend = slope * (1.0 - 2.0 * phi)
        powers = np.stack([np.ones_like(z), z])
        second = bend[:, None, None, :] * powers[:, None, :] * powers[None, :, :]
        return phi, slope[:, None, :] * powers, second

    def written(self, theta: Floats, centre: float, scale: float) -> Floats:
        """a and b of 1/(1 + exp(-a L + b))."""
        _, _, c, s = theta.T
        return np.stack([s / scale, s * centre / scale - c], axis=1)

    def accuracy(self, coefficients: Floats, proxy: Floats) -> Floats:
        """1/(1 + exp(-a L + b))."""
        return sigmoid(coefficients[:, :1] * proxy - coefficients[:, 1:])


class ExponentialLink(Link):
    """phi = exp(-g z), g of either sign; theta = (g,). Gadre et al. 2024, arXiv 2403.08540: error 1
    - Q = epsilon - k exp(-decay L).
    """

    name, formula = "exponential", "Q = 1 - epsilon + k exp(-decay L)"
    coefficients = ("epsilon", "k", "decay")

    @property
    def grid(self) -> Floats:
        """Both signs, from nearly a line to a bend at the outermost runs."""
        bends = np.geomspace(LEAST_BEND, MOST_BEND, STEEPNESSES)
        return np.stack([-bends[::-1], bends])[:, :, None]

    @property
    def box(self) -> tuple[Floats, Floats]:
        """One box for each sign: at g = 0 the law is a line, of which the coefficients are
        infinite.
        """
        return np.array([[-MOST_BEND], [LEAST_BEND]]), np.array([[-LEAST_BEND], [MOST_BEND]])

    def derivatives(self, theta: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
        """-z phi and z^2 phi."""
        phi = np.exp(-theta * z)
        return phi, (-z * phi)[:, None, :], (z * z * phi)[:, None, None, :]

    def written(self, theta: Floats, centre: float, scale: float) -> Floats:
        """epsilon, k, decay; k, the term at L = 0, is infinite where that is too far from the runs
        for a float.
        """
        b, a, g = theta.T
        with np.errstate(over="ignore"):
            return np.stack([1.0 - b, a * np.exp(g * centre / scale), g / scale], axis=1)

    def accuracy(self, coefficients: Floats, proxy: Floats) -> Floats:
        """1 - epsilon + k exp(-decay L)."""
        epsilon, k, decay = coefficients.T[:, :, None]
        return np.asarray(1.0 - epsilon + k * np.exp(-decay * proxy))

    def levels(self, coefficients: Floats) -> dict[str, float]:
        """1 - epsilon."""
        return {"1 - epsilon": 1.0 - float(coefficients[0])}


@dataclass(frozen=True)
class FromEndToEnd:
    """A link from 0 at z = -1 to 1 at z = 1: (phi - phi(-1))/(phi(1) - phi(-1)), with the same
    inner coefficients.

    Its b and a are an accuracy at the runs and the change over them. Those of phi itself run to
    infinity where a logistic becomes an exponential or either a line, and the minimum then lies in
    a curved valley.
    """

    link: Any

    def derivatives(self, theta: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
        """By the quotient rule: with phi = n/m, phi_i m = n_i - phi m_i, phi_ij m = n_ij - phi_i
        m_j - phi_j m_i - phi m_ij.
        """
        every = self.link.derivatives(theta, np.concatenate([z, [-1.0, 1.0]]))
        n, n1, n2 = (part[..., :-2] - part[..., -2:-1] for part in every)
        m, m1, m2 = (part[..., -1:] - part[..., -2:-1] for part in every)
        phi = n / m
        first = (n1 - phi[:, None] * m1) / m[:, None]
        mixed = first[:, :, None] * m1[:, None]
        second = (n2 - mixed - mixed.swapaxes(1, 2) - phi[:, None, None] * m2) / m[:, None, None]
        return phi, first, second

    def original(self, theta: Floats) -> Floats:
        """The coefficients (b, a, inner) of the link itself."""
        low, high = self.link.derivatives(theta[:, 2:], np.array([-1.0, 1.0]))[0].T
        found = theta.copy()
        found[:, 1] /= high - low
        found[:, 0] -= found[:, 1] * low
        return found


def sigmoid(u: Floats) -> Floats:
    """1/(1 + exp(-u)), which overflows nowhere."""
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * u))


@dataclass(frozen=True)
class LinkModel:
    """A link at n runs, in theta = (b, a, inner coefficients), for `isoflop.numeric.fit.newton`."""

    link: Any
    z: Floats

    @property
    def size(self) -> int:
        """Number of runs."""
        return len(self.z)

    def part(self, runs: Any) -> LinkModel:
        """The link at some of the runs."""
        return LinkModel(self.link, self.z[runs])

    def evaluate(self, theta: Floats) -> tuple[Floats, Floats]:
        """Accuracies (K, n) and their first derivatives (K, p, n)."""
        phi, first, _ = self.link.derivatives(theta[:, 2:], self.z)
        jacobian = np.concatenate(
            [np.ones_like(phi)[:, None], phi[:, None], theta[:, 1, None, None] * first], axis=1
        )
        return theta[:, :1] + theta[:, 1:2] * phi, jacobian

    def curvature(
        self,
        theta: Floats,
        factors: Floats,
        jacobian: Floats,
        gradient: Floats,
        divisor: Floats | None,
    ) -> Floats:
        """The sum over the runs of factors (K, n) times the second derivatives: (K, p, p)."""
        weighted = factors if divisor is None else factors / divisor
        _, first, second = self.link.derivatives(theta[:, 2:], self.z)
        width = theta.shape[1]
        found = np.zeros((len(theta), width, width))
        found[:, 1, 2:] = found[:, 2:, 1] = np.einsum("kn,kqn->kq", weighted, first)
        found[:, 2:, 2:] = theta[:, 1, None, None] * np.einsum("kn,kpqn->kpq", weighted, second)
        return found


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
        lower, upper = self.link.box
        inner = self.theta[2:]
        near = AT_BOUND * np.maximum(1.0, np.abs(inner))
        held = (np.abs(inner - lower) <= near) | (np.abs(inner - upper) <= near)
        model = LinkModel(self.link, _standardised(self.proxy)[0])
        jacobian = model.evaluate(self.theta[None])[1][0]
        columns = jacobian if self.link.pinned is None else jacobian[2:]
        return self.names if held.any() or independence(columns) < DEPENDENT else ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """Where the law levels off outside [0, 1], which no accuracy does."""
        return self.link.remarks(self.values)

    def predict(self, rows: Any) -> Floats:
        """Accuracy (m,) at proxies."""
        return self.link.accuracy(self.values[None], rows)[0]

    @property
    def residuals(self) -> Floats:
        """(n,): accuracies less the law."""
        return self.accuracy - self.predict(self.proxy)

    def refit(self, *, weights: Floats | None = None, observed: Floats | None = None) -> Refits:
        """The fit of K problems with weights (K, n), or to other accuracies (K, n), each from a few
        starts of a scan.
        """
        if weights is None:
            weights = np.ones_like(observed)
        accuracy = np.broadcast_to(self.accuracy if observed is None else observed, weights.shape)
        z, centre, scale = _standardised(self.proxy)
        theta, value, done = self.link.solve(z, accuracy, weights, FEW_STARTS)
        found = self.link.written(theta, centre, scale)
        enough = _distinct(self.proxy, weights) >= self.link.least
        return Refits(found, done & np.isfinite(found).all(axis=1) & enough, value)


LINEAR, LOGISTIC, EXPONENTIAL, UNIT_LOGISTIC = (
    LinearLink(),
    LogisticLink(),
    ExponentialLink(),
    UnitLogisticLink(),
)
LINKS: dict[str, Link] = {link.name: link for link in (LINEAR, LOGISTIC, EXPONENTIAL)}


def _standardised(proxy: Floats) -> tuple[Floats, float, float]:
    """The proxy from -1 to 1, the middle of its range and half its width."""
    low, high = float(proxy.min()), float(proxy.max())
    centre, scale = 0.5 * (low + high), 0.5 * (high - low)
    return (proxy - centre) / scale, centre, scale


def _distinct(proxy: Floats, weights: Floats) -> NDArray[np.intp]:
    """How many values of the proxy (n,) each row of weights (K, n) draws."""
    order = np.argsort(proxy, kind="stable")
    _, first = np.unique(proxy[order], return_index=True)
    return np.asarray((np.add.reduceat(weights[:, order], first, axis=1) > 0.0).sum(axis=1))


def _boxes(starts: Floats, lower: Floats, upper: Floats, pinned: bool) -> tuple[Floats, Floats]:
    """The box (P, p) of each start: of those of the link the one that it lies in; b and a free, or
    held where they are.
    """
    inside = ((starts[:, None, 2:] >= lower) & (starts[:, None, 2:] <= upper)).all(axis=2)
    which = np.argmax(inside, axis=1)
    ends = []
    for bound, free in ((lower, -np.inf), (upper, np.inf)):
        linear = starts[:, :2] if pinned else np.full((len(starts), 2), free)
        ends.append(np.concatenate([linear, bound[which]], axis=1))
    return ends[0], ends[1]


def _squares(values: Floats, observed: Floats, weights: Floats) -> Floats:
    """Weighted sums of squares (K, G) of values (G, n) about observed (K, n)."""
    found = weights @ (values * values).T - 2.0 * (weights * observed) @ values.T
    return np.asarray(found + (weights * observed * observed).sum(axis=1)[:, None])


def _lines(phi: Floats, observed: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Lines b + a phi through the runs: b, a and the sums of squares, (K, G) each."""
    total = weights.sum(axis=1)[:, None]
    mean_y = (weights * observed).sum(axis=1)[:, None] / total
    about = weights * (observed - mean_y)
    mean = (weights @ phi.T) / total
    spread = np.maximum(weights @ (phi * phi).T - total * mean * mean, 0.0)
    along = about @ phi.T
    usable = spread > 1e-12 * (weights @ (phi * phi).T)
    a = np.where(usable, along / np.where(usable, spread, 1.0), 0.0)
    return mean_y - a * mean, a, (about * (observed - mean_y)).sum(axis=1)[:, None] - a * along
