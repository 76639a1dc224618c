"""Double-double logarithm and exponential of float64 arrays: `isoflop.numeric._wide` for arrays.

Results agree bit for bit with the scalar functions.  Evaluation goes in blocks that stay in the cache.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _wide, _wide_table
from ._wide import Wide

Floats = NDArray[np.float64]

BLOCK = 8192
LOG_HI, LOG_LO = np.array(_wide_table.LOG).T.copy()
EXP_HI, EXP_LO = np.array(_wide_table.EXP).T.copy()


def log(x: Wide | ArrayLike) -> Wide:
    """Return ln x of an array, as a `Wide` of arrays.

    Parameters
    ----------
    x : array_like of float64, or Wide of arrays
        Positive finite numbers, of any shape.

    Returns
    -------
    Wide
        hi and lo of the shape of x; the precision of `isoflop.numeric._wide.log`.

    Raises
    ------
    ValueError
        If an element is not positive and finite; names the first one.
    """
    return Wide(*_blockwise(_log_block, *_arrays(x), outputs=2))


def log1p(x: ArrayLike) -> Wide:
    """Return ln(1 + x) of an array, as a `Wide` of arrays.

    Raises
    ------
    ValueError
        If an element is not in (-1, inf); names the first one.
    """
    x = np.asarray(x, dtype=np.float64)
    _require((x > -1.0) & (x < np.inf), x, "finite and greater than -1 (argument of log1p)")
    return log(Wide(*_wide.two_sum(1.0, x)))


def exp(x: Wide | ArrayLike) -> Floats:
    """Return e^x of an array, rounded to float64.

    Parameters
    ----------
    x : Wide of arrays, or array_like of float64

    Returns
    -------
    ndarray of float64
        The shape of x; the precision of `isoflop.numeric._wide.exp`, inf where e^x exceeds the largest float.

    Raises
    ------
    ValueError
        If an element is NaN.
    """
    (result,) = _blockwise(_exp_block, *_arrays(x), outputs=1)
    return result


def wide_exp(x: Wide | ArrayLike) -> Wide:
    """Return e^x of an array before its rounding, as a `Wide` of arrays: `isoflop.numeric._wide.wide_exp`.

    Overflow and errors are those of `exp`.
    """
    return Wide(*_blockwise(_wide_exp_block, *_arrays(x), outputs=2))


def expm1(x: Wide | ArrayLike) -> Floats:
    """Return e^x - 1 of an array, rounded to float64: the precision of `isoflop.numeric._wide.expm1`.

    Parameters, shape, overflow and errors are those of `exp`.
    """
    (result,) = _blockwise(_expm1_block, *_arrays(x), outputs=1)
    return result


def _arrays(x: Wide | ArrayLike) -> tuple[Floats, Floats]:
    hi, lo = (x.hi, x.lo) if isinstance(x, Wide) else (x, 0.0)
    hi, lo = np.broadcast_arrays(np.asarray(hi, dtype=np.float64), np.asarray(lo, dtype=np.float64))
    return hi, lo


def _blockwise(block: Callable[[Floats, Floats], tuple[Floats, ...]], hi: Floats, lo: Floats, *, outputs: int) -> list[Floats]:
    shape = hi.shape
    hi, lo = hi.reshape(-1), lo.reshape(-1)
    results = [np.empty(hi.size) for _ in range(outputs)]
    for start in range(0, hi.size, BLOCK):
        part = slice(start, start + BLOCK)
        for result, values in zip(results, block(hi[part], lo[part]), strict=True):
            result[part] = values
    return [result.reshape(shape) for result in results]


def _log_block(hi: Floats, lo: Floats) -> tuple[Floats, Floats]:
    total = hi + lo
    _require((total > 0.0) & (total < np.inf), hi, "positive and finite (argument of log)")
    m, k = np.frexp(hi)
    low = m < _wide.SQRT_HALF
    m, k = np.where(low, 2.0 * m, m), k - low
    j = (m * _wide_table.LOG_STEPS + 0.5).astype(np.intp)
    row = j - _wide_table.LOG_FIRST
    c = j / _wide_table.LOG_STEPS
    return _wide.log_kernel(k.astype(np.float64), m, np.ldexp(lo, -k), c, LOG_HI.take(row), LOG_LO.take(row))


def _exp_block(hi: Floats, lo: Floats) -> tuple[Floats]:
    p_hi, p_lo, e = _scaled_exp(hi, lo, _wide.EXP_MIN)
    p = p_hi + p_lo
    tiny = e <= _wide.MIN_NORMAL_EXPONENT
    if tiny.any():
        bias = np.ldexp(1.0, _wide.MIN_NORMAL_EXPONENT - e[tiny])
        p[tiny] = _wide.round_subnormal(p_hi[tiny], p_lo[tiny], bias)
    return (_ldexp(p, e),)


def _wide_exp_block(hi: Floats, lo: Floats) -> tuple[Floats, Floats]:
    p_hi, p_lo, e = _scaled_exp(hi, lo, _wide.EXP_MIN)
    return _ldexp(p_hi, e), _ldexp(p_lo, e)


def _expm1_block(hi: Floats, lo: Floats) -> tuple[Floats]:
    p_hi, p_lo, e = _scaled_exp(hi, lo, _wide.EXPM1_MIN)
    return (_ldexp(_wide.minus_unit(p_hi, p_lo, np.ldexp(1.0, -e)), e),)


def _scaled_exp(hi: Floats, lo: Floats, least: float) -> tuple[Floats, Floats, NDArray[np.int32]]:
    """Return p_hi, p_lo, e with e^x = 2^e (p_hi + p_lo); x is moved into [least, EXP_MAX]."""
    inside = (hi >= least) & (hi <= _wide.EXP_MAX)
    if not inside.all():
        # there lo is without effect, and NaN where hi is infinite
        lo = np.where(inside, lo, 0.0)
        hi = hi.clip(least, _wide.EXP_MAX)
    total = hi + lo
    _require(~np.isnan(total), total, "a number (argument of exp)")
    n = _wide.round_to_integer(hi * _wide.STEPS_PER_NAT)
    e, j = np.divmod(n.astype(np.int32), _wide_table.EXP_STEPS)
    return *_wide.exp_kernel(hi, lo, n, EXP_HI.take(j), EXP_LO.take(j)), e


def _ldexp(p: Floats, e: NDArray[np.int32]) -> Floats:
    with np.errstate(over="ignore"):
        return np.ldexp(p, e)


def _require(valid: NDArray[np.bool_], x: Floats, domain: str) -> None:
    if not valid.all():
        raise ValueError(f"x = {float(x[~valid].flat[0])!r} must be {domain}")
