r"""Whether a params+tokens law fits its runs at all, and where it misses them.

The envelope of a fitted law can meet the curves through the same runs although the law is wrong: a
hump in the loss about one budget bends all of them alike. So the log residuals are tested against
terms that the law cannot follow: quadratic and cubic terms in log N and log D, and steps in
compute, orthogonal to the law's own Jacobian.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Percent, Shortest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.runs import Runs
    from ..law import Law

    Floats = NDArray[np.float64]

#: A misfit matters below this p-value (so that true laws are called inconsistent in at most 5 % of
#: the cases, by the curves or by this test), if its root mean square exceeds this share of the
#: tolerance.
SIGNIFICANT, MATERIAL = 0.03, 0.1
#: The number of sign flips of the residuals; with fewer signs than this no p-value is small.
FLIPS, LEAST_SIGNS = 999, 8
#: Residuals are clipped at so many robust standard deviations, of so many median absolute deviations.
CLIPPED, PER_MEDIAN = 3.0, 1.4826
#: With fewer runs than this only quadratic terms are tried; the most steps in compute, and the fewest
#: runs of a step.
LEAST_FOR_CUBICS, MOST_STEPS, RUNS_A_STEP = 30, 8, 6
#: Singular values below this share of the largest count as 0.
SINGULAR = 1e-6


@dataclass(frozen=True, kw_only=True)
class LackOfFit:
    """How far the runs depart from the law that was fitted to them.

    Attributes
    ----------
    p_value : float
        The share of sign flips of the residuals that leave as much to explain by terms that the
        law does not have.
    size : float
        The root mean square of the part of the residuals that these terms explain.
    variable, low, high
        "params", "tokens", "compute" or "tokens per param", along which the residuals lean to one
        side most, and the range in which they do.
    misfit : float
        Their mean there: observed over predicted loss, minus 1.
    """

    p_value: float
    size: float
    variable: str
    low: float
    high: float
    misfit: float

    def matters(self, tolerance: float) -> bool:
        """Whether the misfit is beyond chance, and not negligible beside the tolerance."""
        return self.p_value < SIGNIFICANT and self.size > MATERIAL * tolerance

    def __str__(self) -> str:
        low, high = map(Shortest(2).text, (self.low, self.high))
        size, side = (
            Percent(places=2).text(abs(self.misfit)),
            "below" if self.misfit < 0 else "above",
        )
        return f"losses at {self.variable} from {low} to {high} lie {size} {side} the law"


def lack_of_fit(runs: Runs, compute: Floats, law: Law, *, seed: int = 0) -> LackOfFit | None:
    r"""Test whether the log residuals of runs about the law that was fitted to them follow terms that
    the law does not have. `compute` (n,): what the runs spent. None for too few runs or groups.

    Notes
    -----
    The statistic is F = |U' e|^2/(|e|^2 - |U' e|^2), where U is an orthonormal basis of the part of
    the other terms that is orthogonal to the law's tangent space, and e are the residuals without
    their part in that space. Its distribution comes from flipping the signs of the residuals, those
    of a group together, each divided by sqrt(1 - leverage): the noise may be of any symmetric
    distribution, and of a size that varies. Outliers are clipped at three robust standard deviations.
    """
    params, tokens, n = runs.params, runs.tokens, len(runs)
    names = np.arange(n) if runs.group is None else runs.group.astype(str)
    groups, signs = np.unique(names, return_inverse=True)
    predicted = law.loss(params, tokens)
    residuals = np.log(runs.loss / predicted)
    scale = PER_MEDIAN * np.median(np.abs(residuals - np.median(residuals)))
    clipped = np.clip(residuals, -CLIPPED * scale, CLIPPED * scale)
    steps = min(MOST_STEPS, n // RUNS_A_STEP)

    # The derivatives of log L by E, log A, beta, log B and gamma, up to factors.
    one, other = params**-law.beta, tokens**-law.gamma
    slopes = [np.ones(n), one, one * np.log(params), other, other * np.log(tokens)]
    tangent = np.linalg.qr(np.stack(slopes, axis=1) / predicted[:, None])[0]
    x, y = (z - z.mean() for z in (np.log(params), np.log(tokens)))
    x, y = (z / (float(z.std()) or 1.0) for z in (x, y))
    terms = [x * x, x * y, y * y]
    if n >= LEAST_FOR_CUBICS:
        terms += [x**3, x * x * y, x * y * y, y**3, *_bins(compute, steps).astype(float)]
    u, sizes, _ = np.linalg.svd(_without(tangent, np.stack(terms)).T, full_matrices=False)
    u = u[:, sizes > SINGULAR * sizes[0]]
    if n - tangent.shape[1] < 2 * u.shape[1] or len(groups) < LEAST_SIGNS or scale == 0.0:
        return None

    def statistic(e: Floats) -> Any:
        explained, total = np.square(e @ u).sum(axis=-1), np.square(e).sum(axis=-1)
        return explained / (total - explained)

    e, leverage = _without(tangent, clipped), np.square(tangent).sum(axis=1)
    flips = np.random.default_rng(seed).choice([-1.0, 1.0], size=(FLIPS, len(groups)))
    flipped = _without(tangent, flips[:, signs] * e / np.sqrt(np.maximum(1.0 - leverage, SINGULAR)))
    beyond = int((statistic(flipped) >= statistic(e)).sum())

    # The bin whose mean residual is furthest from 0 in units of its standard error.
    axes = {"params": params, "tokens": tokens, "compute": compute}
    axes["tokens per param"] = tokens / params
    variable, inside = max(
        ((name, own) for name, values in axes.items() for own in _bins(values, max(2, steps))),
        key=lambda place: abs(np.expm1(clipped[place[1]].mean())) * np.sqrt(place[1].sum()),
    )
    return LackOfFit(
        p_value=(1 + beyond) / (1 + FLIPS),
        size=float(np.sqrt(np.square(e @ u).sum() / n)),
        variable=variable,
        low=float(axes[variable][inside].min()),
        high=float(axes[variable][inside].max()),
        misfit=float(np.expm1(clipped[inside].mean())),
    )


def _without(basis: Floats, rows: Floats) -> Floats:
    """The rows without their part in the span of the columns of an orthonormal basis."""
    return np.asarray(rows - (rows @ basis) @ basis.T)


def _bins(values: Floats, count: int) -> Any:
    """The masks (b, n) of at most `count` bins of the values (n,), with about as many runs each."""
    edges = np.unique(np.quantile(values, np.arange(1, count) / count))
    which = np.digitize(values, edges, right=True)
    return which == np.unique(which)[:, None]
