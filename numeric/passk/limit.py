r"""How large an irreducible part may be: the profile of a fit's own objective, where resamples tell
nothing.

Where the estimate of E0 lies on its bound of 0, nearly all resamples do, and their percentiles are
no interval of E0. What the models do not exclude are the values with

.. math:: \frac{f(E0) - f(\hat{E0})}{\lambda} \le n \log \left( 1 + \frac{t^2}{n - p} \right),
    \qquad E0 \ge 0,

where f(E0) is twice minus the log likelihood of the best law that has this E0, or n log of its sum
of squares, the scatter of models estimated anew with it. t is the quantile of Student's
distribution with as many degrees of freedom as n models leave besides all p coefficients: this is
exact for least squares in laws that are linear in their coefficients, and tends to the likelihood
ratio test as n grows. Where models are taken together, lambda >= 1 is how much more the sums of
their scores in E0 over clusters scatter than those of as many independent models (Rotnitzky and
Jewell 1990).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..fit.newton import Problems, minimise
from ..fit.profile import profile_end
from ..results import coverage_factor
from .marginal import Marginal, fit_marginal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .fit_at_k import PassFit

    Floats = NDArray[np.float64]

#: The search begins at this share of the least value of the law at the models, and goes up to so
#: many times the greatest; a limit beyond is none.
FIRST, FARTHEST = 0.05, 100.0
#: Relative precision of the limit.
PRECISION = 1e-6


def upper_limit(fit: PassFit, level: float = 0.9) -> tuple[float, Floats]:
    """The greatest irreducible part that the models do not exclude, in nats, and the parameters
    (p,) of the best law with it.

    The upper end of the profile interval of that level: of the values above it, each is excluded
    with a probability of (1 + level)/2.

    Parameters
    ----------
    fit : PassFit
    level : float
        Of the interval, two-sided.

    Returns
    -------
    tuple of float and ndarray
        At least the estimate; inf, with NaN, where the models exclude none.

    Raises
    ------
    ValueError
        Where the level is not between 0 and 1.
    """
    design, spare = fit.design, max(1, fit.spare)
    theta, tau, scale = fit.fit.theta, fit.scatter, overdispersion(fit)

    def held(value: float) -> tuple[float, bool]:
        """The objective where the irreducible part is held, from where the last search ended."""
        nonlocal theta, tau
        lower, upper, start = design.lower.copy(), design.upper.copy(), theta.copy()
        lower[0] = upper[0] = start[0] = value
        if fit.evidence is not None:
            narrowed = replace(design, lower=lower, upper=upper)
            found = fit_marginal(narrowed, fit.evidence, start[None], None, tau)
            theta, tau = found.theta[0], float(found.tau[0])
            return 2.0 * float(found.value[0]), bool(found.done[0])
        loss, objective = np.asarray(fit.fit.runs.loss), fit.fit.objective
        ends = minimise(Problems.of(design.model, loss, None, objective), start[None], lower, upper)
        theta = ends.theta[0]
        return fit.n_models * float(np.log(ends.value[0])), bool(ends.done[0])

    own, law = float(theta[0]), fit.fit.fitted
    least, _ = held(own)

    def rise(value: float) -> float:
        """How much worse the best law with this irreducible part is, in the units of chi^2; 0 where
        that is not certified.
        """
        size, certified = held(value)
        return (size - least) / scale if certified else 0.0

    found = profile_end(
        rise,
        float(fit.n_models * np.log1p(coverage_factor(level, spare) ** 2 / spare)),
        own,
        FARTHEST * float(law.max()),
        first=max(own, FIRST * float(law.min())),
        precision=PRECISION,
    )
    if found is None:
        return np.inf, np.full_like(theta, np.nan)
    held(found)
    return found, theta


def overdispersion(fit: PassFit) -> float:
    """lambda: how much more the scores in the irreducible part scatter by clusters of models than
    by models; at least 1.
    """
    if fit.clusters is None:
        return 1.0
    score = _scores(fit)
    score = score - score.mean()
    _, member = np.unique(np.asarray(fit.clusters)[fit.used].astype(str), return_inverse=True)
    sums = np.bincount(member, score)
    alone = float(np.sum(score**2)) * len(score) / max(1, len(score) - 1)
    together = float(np.sum(sums**2)) * len(sums) / max(1, len(sums) - 1)
    return max(1.0, together / alone) if alone > 0.0 else 1.0


def _scores(fit: PassFit) -> Floats:
    """(n,): derivatives of what each model costs in the irreducible part, the other coefficients
    following it.
    """
    values, jacobian = fit.design.model.evaluate(fit.fit.theta[None])
    if fit.evidence is not None:
        slope = Marginal(fit.evidence, fit.scatter).measure(np.log(values))[1][0]
    else:
        slope = -fit.fit.residuals / fit.scatter**2
    hessian = fit.hessian()
    free = fit.fit.free.copy()
    free[0] = False
    along = np.zeros(len(free))
    along[0] = 1.0
    along[free] = -np.linalg.lstsq(hessian[np.ix_(free, free)], hessian[free, 0], rcond=None)[0]
    return slope * (along @ (jacobian[0] / values[0]))
