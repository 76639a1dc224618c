"""The unbiased estimator of pass@k from c correct among n samples, and its covariance across k.

fail@k is estimated by C(n - c, k)/C(n, k) (Chen et al. 2021, arXiv 2107.03374): the chance that k of the n samples, drawn without
repetition, are all wrong. No unbiased estimator exists for k > n.

Here s = log fail@k is evaluated in a number of steps that does not depend on n, c and k, as four values of log Gamma:

    s = log Gamma(n-c+1) + log Gamma(n-k+1) - log Gamma(n+1) - log Gamma(n-c-k+1),

from which -log pass@k = -log(-expm1 s) or -log1p(-e^s). `isoflop.derivations.passk.pass_at_k_stable_form` proves the same
quantity to be a sum of min(c, k) logarithms; for c = k = 5e5 that would be half a million of them. The four
values cancel: they are of
the size n log n, s may be as small as 1/n, and e^s keeps its relative precision at s = -700 only if s has an
absolute error far below that of a float. So s is a pair of floats (`isoflop.numeric._wide`), and Stirling's form
log Gamma(z) = (z - 1/2) log z - z + log(2 pi)/2 + phi(z) is summed so that what is large goes out exactly: with z = n + 1 the
terms that are linear in z add up to 0, and log(n - c + 1) becomes log((n - c + 1)/(n + 1)).

Measured against 120 digits, pass@k, -log pass@k and log fail@k have relative errors below 2.3e-16 at every n up to 1e10, and at
s = -690 the absolute error of s is below 1e-25. The relative error of s grows as n^2/(c k) times about 1e-32 from there on.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _wide, _wide_array
from .._wide import Wide
from ..errors import outside

__all__ = ["covariance", "estimated_covariance", "log_fail", "neg_log_pass_at_k", "pass_at_k"]

Floats = NDArray[np.float64]

#: From here on Stirling's series has an error below 1e-31 with so many terms.
SERIES_FROM, TERMS = 64, 9
#: Counts that floats hold exactly.
LARGEST = 2**53
LOG_2 = math.log(2.0)


# -- the estimator -----------------------------------------------------------------------------------------------------


def log_fail(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> Any:
    """log fail@k = log C(n - c, k)/C(n, k).

    Parameters
    ----------
    n, c, k : array_like of whole numbers
        Samples, correct ones among them, and k; 0 <= c <= n and 1 <= k <= n. They broadcast; each combination is computed once.

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
    return _once_each(lambda *triple: _log_fail(*triple).hi, *_checked(n, c, k))


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
    return _once_each(lambda *triple: _pass(_log_fail(*triple)), *_checked(n, c, k))


def neg_log_pass_at_k(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> Any:
    """-log pass@k of the estimate, without cancellation at either end.

    It is biased up by about Var/(2 pass@k^2), and infinite where c = 0.

    Parameters, shape and errors are those of `log_fail`.

    Returns
    -------
    float or ndarray of float64
        In nats: inf where c = 0, 0 where c + k > n.
    """
    return _once_each(lambda *triple: _neg_log_pass(_log_fail(*triple)), *_checked(n, c, k))


def _pass(s: Wide) -> Floats:
    return -_wide_array.expm1(s) + 0.0  # no negative zero


def _neg_log_pass(s: Wide) -> Floats:
    """The two forms of `isoflop.theory.passk.neg_log_pass_near_one` and `neg_log_pass_near_zero`, of a pair of floats."""
    result = np.empty(s.hi.shape)
    near_one = s.hi > -LOG_2
    with np.errstate(divide="ignore"):
        result[near_one] = -np.log(_pass(_at(s, near_one)))
    result[~near_one] = -np.log1p(-_wide_array.exp(_at(s, ~near_one)))
    return result + 0.0


# -- log fail@k as a pair ----------------------------------------------------------------------------------------------


def _log_fail(n: Floats, c: Floats, k: Floats) -> Wide:
    """The definition, for flat arrays in their domain."""
    hi, lo = np.zeros(n.shape), np.zeros(n.shape)
    hi[c + k > n] = -np.inf
    inside = np.flatnonzero((c > 0.0) & (c + k <= n))
    for start in range(0, len(inside), _wide_array.BLOCK):  # blocks stay in the cache
        part = inside[start : start + _wide_array.BLOCK]
        s = _four_gammas(n[part] + 1.0, c[part], k[part])
        hi[part], lo[part] = s.hi, s.lo
    return Wide(hi, lo)


def _four_gammas(z: Floats, c: Floats, k: Floats) -> Wide:
    """log of Gamma(z - c) Gamma(z - k)/(Gamma(z) Gamma(z - c - k)) with z = n + 1."""
    total = _stirling_rest(z - c) + _stirling_rest(z - k) - _stirling_rest(z) - _stirling_rest(z - c - k)
    for lost, sign in ((c, 1.0), (k, 1.0), (c + k, -1.0)):
        total = total + _wide_array.log(Wide(z - lost) / z) * (sign * (z - lost - 0.5))
    return total


def _stirling_rest(z: Floats) -> Wide:
    """phi(z) = log Gamma(z) - (z - 1/2) log z + z - log(2 pi)/2, 1/(12 z) - 1/(360 z^3) + ... for large z."""
    small = z < SERIES_FROM
    large = np.where(small, float(SERIES_FROM), z)
    step = 1.0 / (Wide(large) * large)
    total = Wide(np.zeros(z.shape))
    for coefficient in reversed(_stirling_coefficients()):
        total = total * step + coefficient
    total = total / large
    if small.any():
        hi, lo = _stirling_table()
        index = z[small].astype(np.intp)
        total.hi[small], total.lo[small] = hi[index], lo[index]
    return total


@lru_cache(maxsize=1)
def _stirling_coefficients() -> tuple[Wide, ...]:
    """B_2j/(2j (2j - 1)) for j = 1, 2, ... with the Bernoulli numbers from their recurrence (DLMF 24.5.3, 5.11.1)."""
    bernoulli = [Fraction(1)]
    for m in range(1, 2 * TERMS + 1):
        bernoulli.append(-sum((math.comb(m + 1, i) * b for i, b in enumerate(bernoulli)), Fraction(0)) / (m + 1))
    terms = (bernoulli[2 * j] / (2 * j * (2 * j - 1)) for j in range(1, TERMS + 1))
    return tuple(_wide.ratio(term.numerator, term.denominator) for term in terms)


@lru_cache(maxsize=1)
def _stirling_table() -> tuple[Floats, Floats]:
    """phi(0), unused, and phi(1), ..., phi(SERIES_FROM - 1) from factorials; log(2 pi)/2 from the series at SERIES_FROM."""
    series = _stirling_rest(np.array([float(SERIES_FROM)]))
    half_log_2pi = _raw(SERIES_FROM) - Wide(float(series.hi[0]), float(series.lo[0]))
    values = [Wide(0.0), *(_raw(z) - half_log_2pi for z in range(1, SERIES_FROM))]
    return np.array([value.hi for value in values]), np.array([value.lo for value in values])


def _raw(z: int) -> Wide:
    """log Gamma(z) - (z - 1/2) log z + z."""
    return _wide.log(_wide.wide(math.factorial(z - 1))) - _wide.log(float(z)) * (z - 0.5) + float(z)


# -- covariance --------------------------------------------------------------------------------------------------------


def covariance(n: ArrayLike, p: ArrayLike, k1: ArrayLike, k2: ArrayLike) -> Any:
    """Covariance of the estimates at k1 and k2 from the same n samples, each correct with probability p; exact.

    sum_j w_j (1 - p)^(k1 + k2 - j) - (1 - p)^(k1 + k2), w_j = C(k1, j) C(n - k1, k2 - j)/C(n, k2): the two estimates are averages
    over subsets, w_j is the chance that a k1-subset and a k2-subset share j samples (Hoeffding 1948; proved in
    `isoflop.derivations.passk.pass_at_k_estimator_variance`). Since the w_j add up to 1 it is the sum of
    w_j (1 - p)^(k1 + k2 - j) (1 - (1 - p)^j), in which nothing cancels.

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
        Relative error below 1e-14 up to n = 1e6; 0 below the smallest float. Each combination of n, p, k1,
        k2 is computed once, in min(k1, k2) steps.

    Raises
    ------
    ValueError
        Naming the first value that is outside its domain.

    Examples
    --------
    >>> round(float(covariance(4, 0.5, 1, 1)), 12), round(float(covariance(2, 0.25, 1, 2)), 12)
    (0.0625, 0.140625)
    """
    n, k1 = _whole("n", n, 1), _whole("k1", k1, 1)
    k2, p = _whole("k2", k2, 1), _share("p", p)
    for name, k in (("k1", k1), ("k2", k2)):
        _within(name, k, "n", n)
    return _once_each(_covariances, n, p, k1, k2)


def _covariances(n: Floats, p: Floats, k1: Floats, k2: Floats) -> Floats:
    result = np.zeros(n.shape)
    previous, shared, log_weights, together = None, np.empty(0), np.empty(0), np.empty(0)
    for index in np.lexsort((k2, k1, n)):  # equal (n, k1, k2) one after the other
        if not 0.0 < p[index] < 1.0:
            continue
        one = (float(n[index]), float(k1[index]), float(k2[index]))
        if one != previous:
            previous, (shared, log_weights) = one, _overlaps(*one)
            together = one[1] + one[2] - shared
        log_q = math.log1p(-float(p[index]))
        result[index] = np.sum(np.exp(log_weights + together * log_q) * -np.expm1(shared * log_q))
    return result


def _overlaps(n: float, k1: float, k2: float) -> tuple[Floats, Floats]:
    """j >= 1 and log w_j, from the ratios of neighbours outwards from the most likely j, so that rounding stays small there."""
    j = np.arange(max(0.0, k1 + k2 - n), min(k1, k2) + 1.0)
    ratios = np.log((k1 - j[:-1]) * (k2 - j[:-1]) / ((j[:-1] + 1.0) * (n - k1 - k2 + j[:-1] + 1.0)))
    top = int(np.count_nonzero(ratios > 0.0))
    log_weights = np.zeros(len(j))
    log_weights[top + 1 :] = np.cumsum(ratios[top:])
    log_weights[:top] = -np.cumsum(ratios[:top][::-1])[::-1]
    log_weights -= math.log(np.sum(np.exp(log_weights)))
    return j[j > 0.0], log_weights[j > 0.0]


def estimated_covariance(n: ArrayLike, c: ArrayLike, k1: ArrayLike, k2: ArrayLike) -> Any:
    """Unbiased estimate of `covariance` from the samples themselves: fail@k1 fail@k2 - fail@(k1 + k2), each estimated.

    The product has the expectation of the covariance plus (1 - p)^(k1 + k2), which the estimate at k1 + k2 takes away (proved in
    `isoflop.derivations.passk.pass_at_k_covariance_estimate`). With
    s = log fail@k it is e^(s1 + s2) (1 - e^(s12 - s1 - s2)): nothing cancels.

    Parameters
    ----------
    n, c, k1, k2 : array_like of whole numbers
        Samples, correct ones, and the two k; k1 + k2 <= n, beyond which no unbiased estimate exists.

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
    >>> float(estimated_covariance(4, 2, 1, 1))  # p (1 - p)/(n - 1) at p = c/n
    0.08333333333333333
    """
    k1, k2 = _whole("k1", k1, 1), _whole("k2", k2, 1)
    n, c, _ = _checked(n, c, k1)
    _within("k2", k2, "n", n)
    _within("k1 + k2", k1 + k2, "n", n)
    return _once_each(_estimated_covariances, n, c, k1, k2)


def _estimated_covariances(n: Floats, c: Floats, k1: Floats, k2: Floats) -> Floats:
    first, both = _log_fail(n, c, k1), _log_fail(n, c, k1 + k2)
    second = first if np.array_equal(k1, k2) else _log_fail(n, c, k2)
    result = np.zeros(n.shape)
    known = (first.hi > -np.inf) & (second.hi > -np.inf)
    product = _at(first, known) + _at(second, known)
    whole = _at(both, known)
    result[known] = _wide_array.exp(product) * _share_above(product, whole, whole.hi > -np.inf)
    return result


def _share_above(product: Wide, both: Wide, finite: Any) -> Floats:
    """1 - e^(s12 - s1 - s2), which is 1 where s12 is -inf."""
    share = np.ones(finite.shape)
    share[finite] = -_wide_array.expm1(_at(both, finite) - _at(product, finite))
    return share


# -- arguments ---------------------------------------------------------------------------------------------------------


def _checked(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> tuple[Floats, Floats, Floats]:
    samples, correct, draws = _whole("n", n, 1), _whole("c", c, 0), _whole("k", k, 1)
    _within("c", correct, "n", samples)
    _within("k", draws, "n", samples)
    return samples, correct, draws


def _whole(name: str, values: ArrayLike, least: int) -> Floats:
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise outside(name, values, "whole numbers")
    numbers = array.astype(np.float64)
    good = (numbers >= least) & (numbers <= LARGEST) & (numbers == np.floor(numbers))
    if not good.all():
        raise outside(name, _first(array, ~good), f"a whole number of at least {least} (and at most 2^53)")
    return numbers


def _share(name: str, values: ArrayLike) -> Floats:
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise outside(name, values, "numbers from 0 to 1")
    good = (array >= 0.0) & (array <= 1.0)
    if not good.all():
        raise outside(name, _first(array, ~good), "a number from 0 to 1")
    return array.astype(np.float64)


def _within(name: str, values: Floats, bound: str, limit: Floats) -> None:
    try:
        above = values > limit
    except ValueError:
        raise ValueError(f"{name} and {bound}: shapes {values.shape} and {limit.shape} must broadcast") from None
    if above.any():
        value, most = (int(_first(np.broadcast_to(array, above.shape), above)) for array in (values, limit))
        raise ValueError(f"{name}={value}: must be at most {bound}={most}")


def _first(array: Any, where: Any) -> Any:
    return array[where].flat[0].item()


def _at(x: Wide, where: Any) -> Wide:
    return Wide(x.hi[where], x.lo[where])


def _once_each(function: Callable[..., Floats], *arguments: Floats) -> Any:
    """The function of the arguments broadcast together, evaluated once for each different combination."""
    codes: Any = np.zeros((), dtype=np.int64)
    parts: list[Floats] = []
    try:
        for argument in arguments:
            values, places = np.unique(argument, return_inverse=True)
            codes, combined = _numbered(codes * len(values) + places.reshape(argument.shape))
            parts = [part[combined // len(values)] for part in parts] + [values[combined % len(values)]]
    except ValueError:
        shapes = ", ".join(str(argument.shape) for argument in arguments)
        raise ValueError(f"shapes {shapes}: must broadcast") from None
    results = function(*parts)[codes]
    return results if results.ndim else results[()]


def _numbered(codes: Any) -> tuple[Any, Any]:
    """The codes numbered without gaps in their own shape, and the code of each number."""
    found, places = np.unique(codes, return_inverse=True)
    return places.reshape(codes.shape), found
