"""The unbiased estimator of pass@k from c correct among n samples, and its covariance across k.

fail@k is estimated by C(n - c, k)/C(n, k) (Chen et al. 2021, arXiv 2107.03374): the chance that k
of the n samples, drawn without repetition, are all wrong. No unbiased estimator exists for k > n.

Here s = log fail@k = sum_{j < k} log(1 - c/(n - j)), in which c and k may change places
(`isoflop.derivations.passk.pass_at_k_stable_form`): a sum of min(c, k) terms of one sign. From it
pass@k = -expm1(s) and -log pass@k = -log(-expm1(s)) or -log1p(-e^s). Against 120 digits, s and
pass@k have relative errors of a few 1e-16; fail@k = e^s, and -log pass@k where it is as small, of
a few 1e-16 times max(1, |s|).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import outside
from .beta import neg_log_pass

__all__ = ["covariance", "estimated_covariance", "log_fail", "neg_log_pass_at_k", "pass_at_k"]

Floats = NDArray[np.float64]

#: Counts that floats hold exactly.
LARGEST = 2**53
#: Terms that are summed at once.
BLOCK = 2**18


# -- the estimator ---------------------------------------------------------------------------------


def log_fail(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> Any:
    """log fail@k = log C(n - c, k)/C(n, k).

    Parameters
    ----------
    n, c, k : array_like of whole numbers
        Samples, correct ones among them, and k; 0 <= c <= n and 1 <= k <= n. They broadcast; each
        combination is computed once.

    Returns
    -------
    float or ndarray of float64
        In nats: 0 where c = 0, -inf where c + k > n.

    Raises
    ------
    ValueError
        Naming the first value that is outside its domain.

    Examples
    --------
    >>> float(log_fail(4, 2, 1)), float(log_fail(4, 2, 3))
    (-0.6931471805599453, -inf)
    """
    n, c, k = whole_numbers("n", n, 1), whole_numbers("c", c, 0), whole_numbers("k", k, 1)
    _at_most("c", c, "n", n)
    _at_most("k", k, "n", n)
    return _once_each(_log_fail, n, c, k)


def pass_at_k(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> Any:
    """pass@k = 1 - C(n - c, k)/C(n, k), unbiased for 1 - (1 - p)^k.

    Parameters, shape and errors are those of `log_fail`.

    Returns
    -------
    float or ndarray of float64
        From 0 (exactly where c = 0) to 1 (exactly where c + k > n).

    Examples
    --------
    >>> pass_at_k([10, 10, 10], [0, 1, 6], 5).tolist()
    [0.0, 0.5, 1.0]
    """
    return -np.expm1(log_fail(n, c, k)) + 0.0


def neg_log_pass_at_k(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> Any:
    """-log pass@k of the estimate, without cancellation at either end.

    It is biased up by about Var/(2 pass@k^2), and infinite where c = 0. Parameters, shape and
    errors are those of `log_fail`.

    Returns
    -------
    float or ndarray of float64
        In nats: inf where c = 0, 0 where c + k > n.
    """
    return neg_log_pass(log_fail(n, c, k)) + 0.0


def _log_fail(n: Floats, c: Floats, k: Floats) -> Floats:
    """The sum over the smaller of c and k, for flat arrays in their domain."""
    few, many = np.minimum(c, k), np.maximum(c, k)

    def factor(row: Any, j: Floats) -> tuple[Floats, Floats, Floats]:
        drawn = n[row] - j
        return many[row], drawn - many[row], drawn

    return np.where(c + k > n, -np.inf, _log_product(factor, few))


def _log_product(
    factor: Callable[[Any, Floats], tuple[Floats, Floats, Floats]], steps: Floats
) -> Floats:
    """The sum over j < steps[row] of log(left/whole), where factor(row, j) is lost = whole - left,
    left and whole.
    """
    totals = np.zeros(steps.shape)
    with np.errstate(divide="ignore", invalid="ignore"):  # of rows that are -inf and not looked at
        for count in np.unique(steps[steps > 0.0]):
            rows = np.flatnonzero(steps == count)
            for part in np.array_split(rows, math.ceil(len(rows) * count / BLOCK)):
                lost, left, whole = factor(part[:, None], np.arange(count))
                near = 2.0 * lost < whole
                logs = np.where(near, np.log1p(-lost / whole), np.log(left / whole))
                totals[part] = logs.sum(axis=1)
    return totals


# -- covariance ------------------------------------------------------------------------------------


def covariance(n: ArrayLike, p: ArrayLike, k1: ArrayLike, k2: ArrayLike) -> Any:
    """Covariance of the estimates at k1 and k2 from the same n samples, each correct with
    probability p; exact.

    sum_j w_j (1 - p)^(k1 + k2 - j) - (1 - p)^(k1 + k2), w_j = C(k1, j) C(n - k1, k2 - j)/C(n, k2):
    the two estimates are averages over subsets, w_j is the chance that a k1-subset and a k2-subset
    share j samples (Hoeffding 1948; proved in
    `isoflop.derivations.passk.pass_at_k_estimator_variance`). Since the w_j add up to 1 it is the
    sum of w_j (1 - p)^(k1 + k2 - j) (1 - (1 - p)^j), in which nothing cancels.

    Parameters
    ----------
    n : array_like of whole numbers
        Samples, at least 1.
    p : array_like
        Success rate, from 0 to 1.
    k1, k2 : array_like of whole numbers
        From 1 to n; equal for the variance.

    Returns
    -------
    float or ndarray of float64
        Relative error below 1e-14 up to n = 1e6; 0 below the smallest float. Each combination of n,
        p, k1, k2 is computed once, in min(k1, k2) steps.

    Raises
    ------
    ValueError
        Naming the first value that is outside its domain.

    Examples
    --------
    >>> round(float(covariance(4, 0.5, 1, 1)), 12), round(float(covariance(2, 0.25, 1, 2)), 12)
    (0.0625, 0.140625)
    """
    n, k1, k2 = whole_numbers("n", n, 1), whole_numbers("k1", k1, 1), whole_numbers("k2", k2, 1)
    rate = np.asarray(p, dtype=np.float64)
    if not (inside := (rate >= 0.0) & (rate <= 1.0)).all():
        raise outside("p", float(rate[~inside].flat[0]), "a number from 0 to 1")
    _at_most("k1", k1, "n", n)
    _at_most("k2", k2, "n", n)
    return _once_each(_covariances, n, rate, k1, k2)


def _covariances(n: Floats, p: Floats, k1: Floats, k2: Floats) -> Floats:
    result = np.zeros(n.shape)
    for index in np.flatnonzero((p > 0.0) & (p < 1.0)):
        shared, log_weights = _overlaps(float(n[index]), float(k1[index]), float(k2[index]))
        log_q, together = math.log1p(-float(p[index])), k1[index] + k2[index] - shared
        result[index] = np.sum(np.exp(log_weights + together * log_q) * -np.expm1(shared * log_q))
    return result


@lru_cache(maxsize=64)
def _overlaps(n: float, k1: float, k2: float) -> tuple[Floats, Floats]:
    """j >= 1 and log w_j, from the ratios of neighbours outwards from the most likely j, so that
    rounding stays small there.
    """
    j = np.arange(max(0.0, k1 + k2 - n), min(k1, k2) + 1.0)
    ratios = np.log((k1 - j[:-1]) * (k2 - j[:-1]) / ((j[:-1] + 1.0) * (n - k1 - k2 + j[:-1] + 1.0)))
    top = int(np.count_nonzero(ratios > 0.0))
    log_weights = np.zeros(len(j))
    log_weights[top + 1 :] = np.cumsum(ratios[top:])
    log_weights[:top] = -np.cumsum(ratios[:top][::-1])[::-1]
    log_weights -= math.log(np.sum(np.exp(log_weights)))
    return j[j > 0.0], log_weights[j > 0.0]


def estimated_covariance(n: ArrayLike, c: ArrayLike, k1: ArrayLike, k2: ArrayLike) -> Any:
    """Unbiased estimate of `covariance` from the samples themselves: fail@k1 fail@k2 - fail@(k1 +
    k2), each estimated.

    The product has the expectation of the covariance plus (1 - p)^(k1 + k2), which the estimate at
    k1 + k2 takes away (proved in `isoflop.derivations.passk.pass_at_k_estimator_variance`).

    Parameters
    ----------
    n, c, k1, k2 : array_like of whole numbers
        Samples, correct ones, and the two k; k1 + k2 <= n, beyond which no unbiased estimate
        exists.

    Returns
    -------
    float or ndarray of float64
        At least 0; 0 where c = 0.

    Raises
    ------
    ValueError
        Naming the first value that is outside its domain.

    Examples
    --------
    >>> round(float(estimated_covariance(4, 2, 1, 1)), 12)  # p (1 - p)/(n - 1) at p = c/n
    0.083333333333
    """
    n, c = whole_numbers("n", n, 1), whole_numbers("c", c, 0)
    k1, k2 = whole_numbers("k1", k1, 1), whole_numbers("k2", k2, 1)
    _at_most("c", c, "n", n)
    _at_most("k1 + k2", k1 + k2, "n", n)
    return _once_each(_estimated_covariances, n, c, k1, k2)


def _estimated_covariances(n: Floats, c: Floats, k1: Floats, k2: Floats) -> Floats:
    """fail@k1 fail@k2 (1 - e^r): in r = s12 - s1 - s2 c, k1 and k2 may change places, and nothing
    cancels.
    """
    few, some, many = np.sort(np.stack([c, k1, k2]), axis=0)
    product = _log_fail(n, c, k1) + _log_fail(n, c, k2)

    def factor(row: Any, j: Floats) -> tuple[Floats, Floats, Floats]:
        drawn = n[row] - j
        lost = some[row] * many[row]
        return (
            lost,
            drawn * (drawn - some[row] - many[row]),
            (drawn - some[row]) * (drawn - many[row]),
        )

    share = np.where(c + k1 + k2 > n, 1.0, -np.expm1(_log_product(factor, few)))
    return np.where(product > -np.inf, np.exp(product) * share, 0.0)


# -- arguments -------------------------------------------------------------------------------------


def whole_numbers(name: str, values: ArrayLike, least: int) -> Floats:
    """The values as floats, or a ValueError that names the first one that is no whole number of at
    least so much.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise outside(name, values, "whole numbers")
    wrong = ~((array >= least) & (array <= LARGEST) & (array == np.floor(array)))
    if wrong.any():
        domain = f"a whole number of at least {least} (and at most 2^53)"
        raise outside(name, array[wrong].flat[0].item(), domain)
    return array.astype(np.float64)


def _at_most(name: str, values: Floats, bound: str, limit: Floats) -> None:
    try:
        values, limit = np.broadcast_arrays(values, limit)
    except ValueError:
        shapes = f"{values.shape} and {limit.shape}"
        raise ValueError(f"{name} and {bound}: shapes {shapes} must broadcast") from None
    for value, most in zip(values[values > limit], limit[values > limit], strict=True):
        raise outside(name, int(value), f"at most {bound}={int(most)}")


def _once_each(function: Callable[..., Floats], *arguments: Floats) -> Any:
    """The function of the arguments broadcast together, evaluated once for each different
    combination.
    """
    try:
        rows = np.stack(np.broadcast_arrays(*arguments))
    except ValueError:
        shapes = ", ".join(str(argument.shape) for argument in arguments)
        raise ValueError(f"shapes {shapes}: must broadcast") from None
    different, places = np.unique(rows.reshape(len(rows), -1), axis=1, return_inverse=True)
    results = function(*different)[places].reshape(rows.shape[1:])
    return results if results.ndim else results[()]
