"""What the generated array module runs on: checked arguments, double-double logarithms, evaluation in blocks."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from . import errors as _domain
from ._scalar import SERIES
from ._wide import Wide, wide
from ._wide import ratio as ratio_of
from ._wide_array import exp, expm1, log, wide_exp

__all__ = [
    "above_critical_log",
    "above_critical_ratio",
    "above_critical_size",
    "array_result",
    "exp",
    "exp_of",
    "expm1",
    "full_exp",
    "in_blocks",
    "log",
    "log1mexp",
    "log1mexp_block",
    "log1p_of",
    "log1p_wide",
    "log_of",
    "log_sum_exp",
    "math",
    "narrow",
    "nonnegative",
    "np",
    "phi2_block",
    "positive",
    "ratio_of",
    "real",
    "wide",
]

#: Elements a block: few enough for the buffers of a kernel to stay in the cache, enough to hide the cost of a call.
BLOCK = 65536
#: Coefficients between these are safe to multiply in plain float64; with others every element is evaluated in double-double.
PLAIN_COEFFICIENTS = (_domain.SMALLEST_EXPONENT, _domain.LARGEST_EXPONENT)
#: A block that overflows is halved down to this many elements, which are then evaluated in double-double.
SMALLEST_BLOCK = 8
#: Up to this |x| a block sums phi2 as its Taylor series; beyond, expm1(x) - x cancels at most a factor of 16.
BLOCK_SERIES_RADIUS = 1 / 8
#: The terms of the series that count for 17 digits within that radius.
BLOCK_SERIES = SERIES[-10:]
#: Below it four terms of the series of log(1 + x) give a double-double all its digits.
SERIES_OF_LOG1P = 1e-8
#: A factor of the critical argument far on the side where nothing is computed any more: from there on the sign alone counts.
FAR_BELOW = -0.5
#: exp of more than this, less some room, exceeds the largest float.
LARGEST_LOG = 700.0
LOG_HALF = -math.log(2.0)
LARGEST_FLOAT32 = float(np.finfo(np.float32).max)

exp_of, log_of, log1p_of = np.exp, np.log, np.log1p  # of coefficients, inside a block


# -- double-double functions -------------------------------------------------------------------------------------------


def array_result(function: Callable[..., Any]) -> Callable[..., Any]:
    """Check `out`, keep float32, and turn an overflow into a ValueError that names the function."""

    @wraps(function)
    def checked(*arguments: Any, out: Any = None, **named: Any) -> Any:
        with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
            result = function(*arguments, **named)
            if not np.isfinite(result).all():
                raise _too_large(function.__name__, "float64")
            if out is None:
                target = np.empty(result.shape, result_type([*arguments, *named.values()]))
            else:
                target = _checked_out(out, result.shape)
            if target.dtype == np.float32 and _exceeds_float32(result):
                raise _too_large(function.__name__, "float32")
            np.copyto(target, result, casting="same_kind")
        return target[()] if out is None else out

    return checked


def positive(**values: Any) -> tuple[Any, ...]:
    """The arguments as Wide of arrays, each checked to be positive and finite throughout."""
    return tuple(wide(_checked(name, value, "positive")) for name, value in values.items())


def nonnegative(**values: Any) -> tuple[Any, ...]:
    """The arguments as Wide of arrays, each checked to be at least 0 and finite throughout."""
    return tuple(wide(_checked(name, value, "nonnegative")) for name, value in values.items())


def real(**values: Any) -> tuple[Any, ...]:
    """The arguments as Wide of arrays, each checked to be finite throughout."""
    return tuple(wide(_checked(name, value, "real")) for name, value in values.items())


def narrow(value: Any, out: Any = None) -> Any:
    """The double-double value rounded to float64."""
    return np.asarray(value.hi if isinstance(value, Wide) else value, dtype=np.float64)


def log_sum_exp(*exponents: Any) -> Wide:
    """log(sum exp(x)) without overflow."""
    wides = [wide(x) for x in exponents]
    largest = wides[0]
    for x in wides[1:]:
        larger = np.asarray(x.hi > largest.hi)
        largest = Wide(np.where(larger, x.hi, largest.hi), np.where(larger, x.lo, largest.lo))
    total = wide(0.0)
    for x in wides:
        total = total + wide_exp(x - largest)
    return largest + log(total)


def log1mexp(x: Any) -> Wide:
    """log(1 - exp(x)) for x < 0, from the unrounded exponential."""
    exponent = wide(x)
    unreachable = np.asarray(exponent.hi)[~(np.asarray(exponent.hi) < 0.0)]
    if unreachable.size:
        first = float(unreachable.flat[0])
        raise ValueError(f"exp({first!r}): must be below 1, or 1 - exp has no logarithm: the target is out of reach")
    return log(1.0 - wide_exp(exponent))


def _too_large(name: str, dtype: str) -> ValueError:
    return ValueError(f"{name}: a result exceeds the largest {dtype}, {np.finfo(dtype).max:.2g}")


def _exceeds_float32(values: Any) -> bool:
    """Whether a finite value would become infinite as float32."""
    return bool((np.isfinite(values) & (np.abs(values) > LARGEST_FLOAT32)).any())


# -- domains -----------------------------------------------------------------------------------------------------------

DOMAINS = {"positive": _domain.POSITIVE, "nonnegative": _domain.NONNEGATIVE, "real": _domain.REAL}


def _as_array(name: str, value: Any) -> Any:
    if hasattr(value, "filled"):
        raise ValueError(f"{name}: is a masked array; fill or compress it first")
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name}: is no array of numbers ({error})") from None
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name}: must hold real numbers, not {array.dtype}")
    return array


def _checked(name: str, value: Any, domain: str) -> Any:
    array = _as_array(name, value).astype(np.float64)
    if not inside(array, domain):
        raise _first_outside(name, array, domain)
    return array


def inside(array: Any, domain: str) -> bool:
    """Whether all elements lie in the domain; NaN makes both comparisons false."""
    if array.size == 0:
        return True
    low, high = array.min(), array.max()
    if domain == "positive":
        return bool(low > 0.0 and high < np.inf)
    return bool((low >= 0.0 if domain == "nonnegative" else low > -np.inf) and high < np.inf)


def _first_outside(name: str, array: Any, domain: str) -> ValueError:
    bad = ~(np.isfinite(array) & {"positive": array > 0, "nonnegative": array >= 0, "real": True}[domain])
    position = tuple(int(i) for i in np.argwhere(bad)[0])
    where = f"{name}[{', '.join(map(str, position))}]" if position else name
    return _domain.outside(where, float(array[position]), DOMAINS[domain])


def result_type(values: Any) -> Any:
    """float32 where every array argument is float32 (plain numbers do not count), else float64."""
    arrays = [np.asarray(v).dtype for v in values if not isinstance(v, (int, float, Wide)) or isinstance(v, np.floating)]
    return np.dtype(np.float32) if arrays and all(d == np.float32 for d in arrays) else np.dtype(np.float64)


def _checked_out(out: Any, shape: tuple[int, ...]) -> Any:
    if not isinstance(out, np.ndarray) or out.dtype not in (np.float32, np.float64):
        raise ValueError(f"out: must be a float32 or float64 array, not {getattr(out, 'dtype', type(out).__name__)}")
    if out.shape != shape:
        raise ValueError(f"out: has shape {out.shape}, must have shape {shape}")
    if not out.flags.writeable:
        raise ValueError("out: is read-only")
    return out


# -- blocks ------------------------------------------------------------------------------------------------------------


def in_blocks(
    kernel: Callable[..., None], buffers: int, scalar: Callable[..., float], domain: str, out: Any, **arguments: Any
) -> Any:
    """Evaluate a generated kernel over the broadcast arguments, a cache-sized block at a time.

    The first argument has the given domain, the others are positive; domains are checked inside the block. Elements at which an
    intermediate result overflows or has no value are evaluated again by `scalar`, which raises only where the result itself
    exceeds the largest float. Where a ValueError is raised, the content of `out` is undefined.
    """
    names = list(arguments)
    values = [_as_array(name, value) for name, value in arguments.items()]
    domains = [domain] + ["positive"] * (len(names) - 1)
    shape = _broadcast_shape(names, values)
    result = np.empty(shape, result_type(arguments.values())) if out is None else _checked_out(out, shape)
    moving = [i for i, value in enumerate(values) if value.ndim or i == 0]
    operands: list[Any] = [
        None if i in moving else float(_checked(name, value, domains[i]))
        for i, (name, value) in enumerate(zip(names, values, strict=True))
    ]
    access: list[Any] = [*([["readonly"]] * len(moving)), ["writeonly"]]
    with (
        np.nditer(
            [*(values[i] for i in moving), result],
            flags=["external_loop", "buffered", "zerosize_ok", "copy_if_overlap"],
            op_flags=access,
            op_dtypes=[np.float64] * (len(moving) + 1),
            casting="same_kind",
            buffersize=BLOCK,
        ) as blocks,
        np.errstate(over="raise", invalid="raise", divide="raise", under="ignore"),
    ):
        scratch = [np.empty(min(BLOCK, result.size)) for _ in range(buffers)]
        for *block, target in blocks if result.size else ():
            for i, part in zip(moving, block, strict=True):
                operands[i] = part
            if not all(inside(operands[i], domains[i]) for i in moving):
                raise _outside(names, values, domains)
            if all(_plain(x) for x in operands[1:]):
                _evaluate_block(kernel, scalar, operands, target, scratch)
            else:
                _element_by_element(scalar, operands, target)
            if result.dtype == np.float32 and _exceeds_float32(target):
                raise _too_large(scalar.__name__, "float32")
    return result if out is not None else result[()]


def _broadcast_shape(names: list[str], values: list[Any]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(value.shape for value in values))
    except ValueError:
        shapes = ", ".join(f"{name} {value.shape}" for name, value in zip(names, values, strict=True))
        raise ValueError(f"{shapes}: the shapes do not broadcast") from None


def _outside(names: list[str], values: list[Any], domains: list[str]) -> ValueError:
    """The error that names the first value outside its domain, by its position in the argument."""
    for name, value, domain in zip(names, values, domains, strict=True):
        array = value.astype(np.float64)
        if not inside(array, domain):
            return _first_outside(name, array, domain)
    raise AssertionError("a block is outside a domain that its arguments are inside")


def _evaluate_block(
    kernel: Callable[..., None], scalar: Callable[..., float], operands: list[Any], target: Any, scratch: list[Any]
) -> None:
    """The kernel on one block; where an intermediate result is not finite, on its halves, and at last element by element."""
    size = target.size
    try:
        kernel(*operands, target, *(buffer[:size] for buffer in scratch))
        return
    except FloatingPointError:
        pass
    if size > SMALLEST_BLOCK:
        for part in (slice(None, size // 2), slice(size // 2, None)):
            halves = [x if isinstance(x, float) else x[part] for x in operands]
            _evaluate_block(kernel, scalar, halves, target[part], scratch)
        return
    _element_by_element(scalar, operands, target)


def _plain(coefficient: Any) -> bool:
    low, high = PLAIN_COEFFICIENTS
    if isinstance(coefficient, float):
        return low <= coefficient <= high
    return bool(low <= coefficient.min() and coefficient.max() <= high)


def _element_by_element(scalar: Callable[..., float], operands: list[Any], target: Any) -> None:
    for position in range(target.size):
        target[position] = scalar(*(x if isinstance(x, float) else float(x[position]) for x in operands))


def phi2_block(x: Any, spare: Any, out: Any) -> Any:
    """(exp(x) - 1 - x)/x^2: the Taylor series near 0, the definition beyond; out may be x."""
    near = np.less(np.abs(x, out=spare), BLOCK_SERIES_RADIUS)
    count = np.count_nonzero(near)
    if count == x.size:
        np.copyto(out, _phi2_series(x, spare))
        return out
    some = np.flatnonzero(near) if count else None
    close = None if some is None else x.take(some)
    np.expm1(x, out=spare)
    np.subtract(spare, x, out=spare)
    np.multiply(x, x, out=out)
    with np.errstate(invalid="ignore", divide="ignore"):  # 0/0 at 0, which the series replaces
        np.divide(spare, out, out=out)
    if close is not None:
        out[some] = _phi2_series(close, np.empty_like(close))
    return out


def _phi2_series(x: Any, out: Any) -> Any:
    out.fill(BLOCK_SERIES[0])
    for coefficient in BLOCK_SERIES[1:]:
        np.multiply(out, x, out=out)
        np.add(out, coefficient, out=out)
    return out


def log1p_wide(value: Any) -> Wide:
    """log(1 + value) for a value > 0 to the relative precision of a double-double."""
    x = wide(value)
    near = x * (1.0 - x * (ratio_of(1, 2) - x * (ratio_of(1, 3) - x * ratio_of(1, 4))))
    far = log(1.0 + x)
    small = np.asarray(x.hi < SERIES_OF_LOG1P)
    return Wide(np.where(small, near.hi, far.hi), np.where(small, near.lo, far.lo))


def full_exp(x: Wide) -> Wide:
    """exp(x) to all digits of a double-double, where `wide_exp` keeps what one rounding needs: by a step of Newton's.

    FloatingPointError where that is beyond the floats: the block is then evaluated element by element.
    """
    if not np.all(np.abs(x.hi) < LARGEST_LOG):
        raise FloatingPointError("exp(x) is beyond the floats")
    first = wide_exp(x)
    return first + first * (x - log(first))


def above_critical_log(s: Any, critical: Wide, out: Any) -> Any:
    """s less the critical s, a double-double; out may be s."""
    np.subtract(s, critical.hi, out=out)
    return np.subtract(out, critical.lo, out=out)


def above_critical_size(size_ratio: Any, critical: Wide, out: Any) -> Any:
    """log of a size ratio over the critical one: from their difference, which is exact near 0; out may not be size_ratio."""
    above_critical_log(size_ratio, critical, out)
    np.divide(out, critical.hi, out=out)
    return np.log1p(np.maximum(out, FAR_BELOW, out=out), out=out)


def above_critical_ratio(ratio: Any, critical: Wide, out: Any) -> Any:
    """log of the critical ratio, the largest that is of use, over a ratio, in the same way; out may not be ratio."""
    above_critical_log(ratio, critical, out)
    np.negative(out, out=out)
    np.divide(out, ratio, out=out)
    return np.log1p(np.maximum(out, FAR_BELOW, out=out), out=out)


def log1mexp_block(x: Any, spare: Any, out: Any) -> Any:
    """log(1 - exp(x)) for x < 0: by expm1 where exp(x) > 1/2, by log1p elsewhere; out may be x."""
    np.copyto(spare, x)
    large = np.greater(x, LOG_HALF)
    count = np.count_nonzero(large)
    if count < large.size:
        np.exp(spare, out=out)
        np.negative(out, out=out)
        with np.errstate(divide="ignore"):  # log 0 where exp(x) rounds to 1, which the other form replaces
            np.log1p(out, out=out)
    if count:
        np.expm1(spare, out=spare)
        np.negative(spare, out=spare)
        np.log(spare, out=spare)
        np.copyto(out, spare, where=large)
    return out
