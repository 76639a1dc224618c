"""The unbiased estimator of pass@k from c correct among n samples, and its covariance across k.

fail@k is estimated by C(n - c, k)/C(n, k) (Chen et al. 2021, arXiv 2107.03374): the chance that k
of the n samples, drawn without repetition, are all wrong. No unbiased estimator exists for k > n.

Its logarithm is a sum of terms of one sign, in which c and k may change places (`isoflop.
derivations.passk.pass_at_k_stable_form`). So is that of the ratio of fail@(k1 + k2) to fail@k1
fail@k2, in which c, k1 and k2 may change places:

    log fail@k = sum_{j < k} log(1 - c/(n - j)),
    log fail@(k1 + k2)/(fail@k1 fail@k2) = sum_{j < k2} log(1 - k1 c/((n - j - k1) (n - j - c))).

The shortest sum is taken. pass@k has a relative error of a few 1e-16 against 120 digits.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import outside

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["estimated_covariance", "log_fail", "pass_at_k"]

Floats = NDArray[np.float64]

#: The largest count that floats hold exactly.
LARGEST = 2**53
#: Terms that are summed at once.
BLOCK = 2**18


def log_fail(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> Any:
    """log fail@k = log C(n - c, k)/C(n, k).

    Parameters
    ----------
    n, c, k : array_like of whole numbers
        Samples, correct ones among them, and k; 0 <= c <= n and 1 <= k <= n. They broadcast.

    Returns
    -------
    float or ndarray of float64
        In nats: 0 where c = 0, -inf where c + k > n.

    Raises
    ------
    ValueError
        For the first value that is outside its domain.

    Examples
    --------
    >>> float(log_fail(4, 2, 1)), float(log_fail(4, 2, 3))
    (-0.6931471805599453, -inf)
    """
    n, c, k = np.broadcast_arrays(
        whole_numbers("n", n, 1), whole_numbers("c", c, 0), whole_numbers("k", k, 1)
    )
    _at_most("c", c, "n", n)
    _at_most("k", k, "n", n)
    few, many = np.minimum(c, k), np.maximum(c, k)

    def terms(rows: Any, left: Floats) -> Floats:
        share = many.ravel()[rows, None] / left
        return np.where(
            share < 0.5, np.log1p(-share), np.log((left - many.ravel()[rows, None]) / left)
        )

    return np.where(c + k > n, -np.inf, _sums(n, np.where(c + k > n, 0.0, few), terms))[()]


def _sums(n: Floats, counts: Floats, terms: Callable[[Any, Floats], Floats]) -> Floats:
    """Sums of `counts` terms, with the shape of n; `terms` gives the terms j = 0, ..., t - 1 for rows
    (r,) of the raveled arrays and n - j (r, t).
    """
    samples, sizes, total = n.ravel(), counts.ravel(), np.zeros(n.size)
    rows = np.flatnonzero(sizes)
    rows = rows[np.argsort(sizes[rows], kind="stable")]
    for alike in np.split(rows, np.flatnonzero(np.diff(sizes[rows])) + 1):
        length = int(sizes[alike[0]]) if len(alike) else 0
        for part in np.array_split(alike, max(1, math.ceil(len(alike) * length / BLOCK))):
            total[part] = terms(part, samples[part, None] - np.arange(length)).sum(axis=1)
    return total.reshape(n.shape)


def pass_at_k(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> Any:
    """pass@k = 1 - C(n - c, k)/C(n, k), unbiased for 1 - (1 - p)^k.

    From 0 (exactly where c = 0) to 1 (exactly where c + k > n); parameters, shape and errors are
    those of `log_fail`.

    Examples
    --------
    >>> pass_at_k([10, 10, 10], [0, 1, 6], 5).tolist()
    [0.0, 0.5, 1.0]
    """
    return -np.expm1(log_fail(n, c, k)) + 0.0


def estimated_covariance(n: ArrayLike, c: ArrayLike, k1: ArrayLike, k2: ArrayLike) -> Any:
    """Unbiased estimate of the covariance of the estimates at k1 and k2 from the same samples:
    fail@k1 fail@k2 - fail@(k1 + k2), each estimated.

    The expectation of the product is the covariance plus (1 - p)^(k1 + k2), which the estimate at
    k1 + k2 subtracts (proved in `isoflop.derivations.passk.pass_at_k_estimator_variance`).

    Parameters
    ----------
    n, c, k1, k2 : array_like of whole numbers
        Samples, correct ones, and the two k, equal for the variance; k1 + k2 <= n, beyond which no
        unbiased estimate exists.

    Returns
    -------
    float or ndarray of float64
        At least 0; 0 where c = 0. Its relative error is below 1e-13 (times -log of the product of
        the two fail@k, where that is large) for n up to 1e6.

    Examples
    --------
    >>> round(float(estimated_covariance(4, 2, 1, 1)), 12)  # p (1 - p)/(n - 1) at p = c/n
    0.083333333333
    """
    each = (whole_numbers("n", n, 1), whole_numbers("c", c, 0))
    both = whole_numbers("k1", k1, 1), whole_numbers("k2", k2, 1)
    n, c, k1, k2 = np.broadcast_arrays(*each, *both)
    _at_most("k1 + k2", k1 + k2, "n", n)
    product = log_fail(n, c, k1) + log_fail(n, c, k2)
    few, middle, many = np.sort(np.stack([c, k1, k2]), axis=0)

    def terms(rows: Any, left: Floats) -> Floats:
        second, third = middle.ravel()[rows, None], many.ravel()[rows, None]
        return np.log1p(-(second / (left - second)) * (third / (left - third)))

    is_sum = c + k1 + k2 <= n  # else no draw of k1 + k2 is all wrong, and the product remains
    excess = np.where(is_sum, _sums(n, np.where(is_sum, few, 0.0), terms), -np.inf)
    return np.where(product > -np.inf, np.exp(product) * -np.expm1(excess), 0.0)[()]


def whole_numbers(name: str, values: ArrayLike, least: int) -> Floats:
    """The values as floats; a ValueError for the first that is not a whole number of at least
    `least`.
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
    for value, most in zip(values[values > limit], limit[values > limit], strict=True):
        raise outside(name, int(value), f"at most {bound}={int(most)}")
