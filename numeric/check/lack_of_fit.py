r"""Whether a params+tokens law fits its runs at all, and where it misses them.

The envelope of a fitted law can meet the curves through the same runs although the law is wrong: a
hump in the loss about one budget bends all of them alike. So the log residuals are held against
what the law cannot follow: quadratic and cubic terms in log N and log D, and steps in compute,
orthogonal to the law's own Jacobian.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Percent, Shortest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..law import Law

    Floats = NDArray[np.float64]

__all__ = ["LackOfFit", "lack_of_fit"]

#: A misfit is significant below this p-value: true laws are called inconsistent in 5 % of the cases
#: at most, what the curves say included.
SIGNIFICANT = 0.03
#: A misfit whose root mean square is a smaller share of the tolerance does not matter.
MATERIAL = 0.1
FLIPS = 999
#: Residuals beyond so many robust standard deviations, each so many median absolute deviations, count
#: as so large.
CLIPPED, PER_MEDIAN = 3.0, 1.4826
#: With fewer runs than this only quadratic terms are tried.
LEAST_FOR_CUBICS = 30
MOST_STEPS, RUNS_A_STEP = 8, 6
#: Fewer signs to flip cannot reach a small p-value.
LEAST_SIGNS = 8
#: Singular values below this share of the largest are none.
SINGULAR = 1e-6


@dataclass(frozen=True, kw_only=True)
class LackOfFit:
    """How far the runs depart from the law that was fitted to them.

    Attributes
    ----------
    p_value : float
        Share of sign flips of the residuals at which terms that the law does not have explain as
        much of them as they do here.
    size : float
        Root mean square of what these terms explain, relative to the loss.
    variable : {"params", "tokens", "compute", "tokens per param"}
        Along which the residuals lean to one side most.
    low, high : float
        Range of this variable in which they do.
    misfit : float
        Their mean there: observed over predicted loss, minus 1; outliers count as three standard
        deviations.
    """

    p_value: float
    size: float
    variable: str
    low: float
    high: float
    misfit: float

    def matters(self, tolerance: float) -> bool:
        """Whether the misfit is beyond chance, and no negligible share of the tolerance."""
        return self.p_value < SIGNIFICANT and self.size > MATERIAL * tolerance

    def __str__(self) -> str:
        shown = Percent(places=2).text(abs(self.misfit))
        side = "above" if self.misfit > 0.0 else "below"
        low, high = (Shortest(2).text(end) for end in (self.low, self.high))
        return f"losses at {self.variable} from {low} to {high} lie {shown} {side} the law"


def lack_of_fit(
    params: Floats,
    tokens: Floats,
    compute: Floats,
    loss: Floats,
    law: Law,
    *,
    group: Any = None,
    seed: int = 0,
) -> LackOfFit | None:
    r"""Test log residuals against what the law cannot follow.

    Parameters
    ----------
    params, tokens, compute, loss : ndarray
        Of the runs; (n,), > 0.
    law : Law
        As it was fitted to them.
    group : ndarray, optional
        (n,): runs of one group keep their signs together.
    seed : int
        Of the flips.

    Returns
    -------
    LackOfFit or None
        None where there are too few runs, or groups, for a test.

    Notes
    -----
    With Q an orthonormal basis of the law's tangent space, U one of the other terms' part that is
    orthogonal to it, and e the residuals without their part in Q,

    .. math:: F = \frac{|U^T e|^2 / k}{(|e|^2 - |U^T e|^2) / (n - 5 - k)}.

    Its distribution comes from flipping the signs of the residuals, each over sqrt(1 - leverage):
    the noise need be neither normal nor of one size, as long as it is symmetric. Residuals beyond
    three robust standard deviations are clipped, so that a few outliers make no misfit.
    """
    n = len(loss)
    signs = np.arange(n) if group is None else np.unique(group.astype(str), return_inverse=True)[1]
    residuals = np.log(loss / law.loss(params, tokens))
    scale = PER_MEDIAN * np.median(np.abs(residuals - np.median(residuals)))
    clipped = np.clip(residuals, -CLIPPED * scale, CLIPPED * scale)
    steps = min(MOST_STEPS, n // RUNS_A_STEP)

    # Derivatives of log L by E, log A, beta, log B and gamma, up to factors.
    one, other = params**-law.beta, tokens**-law.gamma
    slopes = [np.ones(n), one, one * np.log(params), other, other * np.log(tokens)]
    tangent = np.linalg.qr(np.stack(slopes, axis=1) / law.loss(params, tokens)[:, None])[0]

    x, y = (z - z.mean() for z in (np.log(params), np.log(tokens)))
    x, y = (z / (float(z.std()) or 1.0) for z in (x, y))
    columns = [x * x, x * y, y * y]
    if n >= LEAST_FOR_CUBICS:
        bins = _bins(compute, steps)
        columns += [x**3, x * x * y, x * y * y, y**3, *(bins == step for step in np.unique(bins))]
    terms = _without(tangent, np.stack(columns).astype(np.float64)).T
    u, sizes, _ = np.linalg.svd(terms, full_matrices=False)
    u = u[:, sizes > SINGULAR * sizes[0]]
    spare = n - tangent.shape[1] - u.shape[1]
    if spare < u.shape[1] or signs.max() + 1 < LEAST_SIGNS or scale == 0.0:
        return None

    def statistic(e: Floats) -> Any:
        explained, total = np.square(e @ u).sum(axis=-1), np.square(e).sum(axis=-1)
        return explained / (total - explained)

    e = _without(tangent, clipped)
    leverage = np.square(tangent).sum(axis=1)
    flips = np.random.default_rng(seed).choice([-1.0, 1.0], size=(FLIPS, int(signs.max()) + 1))
    flipped = _without(tangent, flips[:, signs] * e / np.sqrt(np.maximum(1.0 - leverage, SINGULAR)))
    beyond = int((statistic(flipped) >= statistic(e)).sum())

    # Where the mean residual is furthest from 0 in units of its standard error.
    axes = {
        "params": params,
        "tokens": tokens,
        "compute": compute,
        "tokens per param": tokens / params,
    }
    furthest, place = 0.0, ("compute", compute.min(), compute.max(), 0.0)
    for name, values in axes.items():
        bins = _bins(values, max(2, steps))
        for inside in (bins == which for which in np.unique(bins)):
            mean, at = np.expm1(clipped[inside].mean()), values[inside]
            if (size := abs(mean) * np.sqrt(len(at))) > furthest:
                furthest, place = size, (name, at.min(), at.max(), mean)
    variable, low, high, misfit = place
    return LackOfFit(
        p_value=(1 + beyond) / (1 + FLIPS),
        size=float(np.sqrt(np.square(e @ u).sum() / n)),
        variable=variable,
        low=float(low),
        high=float(high),
        misfit=float(misfit),
    )


def _without(basis: Floats, rows: Floats) -> Floats:
    """The rows without their part in the span of an orthonormal basis, its columns."""
    return np.asarray(rows - (rows @ basis) @ basis.T)


def _bins(values: Floats, count: int) -> Any:
    """Which of `count` bins of about as many runs each value is in."""
    edges = np.quantile(values, np.arange(1, count) / count)
    return np.digitize(values, np.unique(edges), right=True)
