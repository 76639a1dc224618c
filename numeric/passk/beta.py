r"""Beta distributed success rates: pass@k for any k.

Over the problems of a benchmark let the chance p that one sample is correct be Beta(a, b). Then
(isoflop.derivations.passk.pass_at_k_of_beta_problems)

    log fail@k = log B(a, b + k)/B(a, b) = -sum_{j < k} f(b + j),   f(x) = log(1 + a/x),

and -log pass@k has the two forms of isoflop.derivations.passk.pass_at_k_stable_form. Where b is
large or a small, the difference of the logarithms of SciPy's Beta function cancels. For x >= `FEW`
the sum is therefore taken for an integral, by Euler and Maclaurin,

    sum_{j < k} f(x + j) = int f - [f']/24 + 7 [f''']/5760 - 31 [f^(5)]/967680,

between x - 1/2 and x + k - 1/2, whose integrand is smooth in log x. A smaller b is raised step by
step: b + 1 for b leaves log(1 + a k/(b (a + b + k))) of the sum.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

LOG_2 = math.log(2.0)
#: From `FEW` on sums are integrals, and from `LARGE` on log Gamma is Stirling's series.
FEW, LARGE = 20, 100.0
#: Coefficients of Euler and Maclaurin's derivatives of order 1, 3 and 5, times (order - 1)!.
TERMS = {1: -1.0 / 24.0, 3: 2.0 * 7.0 / 5760.0, 5: -24.0 * 31.0 / 967_680.0}
#: Gauss and Legendre's rule on (-1, 1).
RULE = np.polynomial.legendre.leggauss(30)


def log_beta_fail(a: ArrayLike, b: ArrayLike, k: ArrayLike) -> Floats:
    """log fail@k where p is Beta(a, b), for a, b > 0 and any real k >= 0; to a relative error of
    1e-11.
    """
    shape, other, draws = (np.asarray(x, dtype=np.float64) for x in (a, b, k))
    below = np.where(other < FEW, 1.0, 0.0)
    total = sum(
        below * np.log1p(shape / (other + j) * (draws / (shape + other + j + draws)))
        for j in range(FEW)
    )
    start = other + FEW * below - 0.5
    end, steps = start + draws, np.log1p(draws / start)
    for place, share in zip(*RULE, strict=True):
        x = start * np.exp(0.5 * (place + 1.0) * steps)
        total = total + 0.5 * share * steps * x * np.log1p(shape / x)
    for order, coefficient in TERMS.items():
        first, last = (
            x ** float(-order) * np.expm1(-order * np.log1p(shape / x)) for x in (start, end)
        )
        total = total + coefficient * (last - first)
    return -np.asarray(total)


def log_rising(x: ArrayLike, m: ArrayLike) -> Floats:
    """log of x (x + 1) ... (x + m - 1) = Gamma(x + m)/Gamma(x) for x > 0, real m >= 0; to rounding
    errors of m log(x + m).
    """
    from scipy.special import gammaln

    start, steps = np.asarray(x, dtype=np.float64), np.asarray(m, dtype=np.float64)
    low = np.maximum(start, LARGE)
    high = low + steps
    stirling = (low - 0.5) * np.log1p(steps / low) + steps * (np.log(high) - 1.0)
    stirling = stirling + (1.0 / high - 1.0 / low) / 12.0 - (high**-3.0 - low**-3.0) / 360.0
    return np.where(start < LARGE, gammaln(start + steps) - gammaln(start), stirling)


def neg_log_pass(log_fail: ArrayLike) -> Floats:
    """-log pass@k in nats from log fail@k, without cancellation at either end; inf for log fail@k =
    0.
    """
    s = np.asarray(log_fail, dtype=np.float64)
    with np.errstate(divide="ignore"):
        return np.where(
            s > -LOG_2,
            -np.log(-np.expm1(np.maximum(s, -LOG_2))),
            -np.log1p(-np.exp(np.minimum(s, -LOG_2))),
        )


def beta_neg_log_pass(a: ArrayLike, b: ArrayLike, k: ArrayLike) -> Floats:
    """-log pass@k in nats where p is Beta(a, b)."""
    return neg_log_pass(log_beta_fail(a, b, k))
