"""What the generated array module runs on: checked arguments, double-double logarithms, evaluation in blocks."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from isoflop.numeric import _domain
from isoflop.numeric._scalar import SERIES, SERIES_RADIUS
from isoflop.numeric._wide import Wide, ratio as ratio_of, wide
from isoflop.numeric._wide_array import exp, expm1, log

__all__ = [
    "array_result",
    "exp",
    "expm1",
    "in_blocks",
    "log",
    "log_of",
    "log_sum_exp",
    "math",
    "narrow",
    "nonnegative",
    "np",
    "phi2",
    "positive",
    "ratio_of",
    "real",
]

#: Elements a block; the buffers of a kernel then stay in the second-level cache.
BLOCK = 16384

log_of = np.log  # of coefficients, inside a block


# -- double-double functions -------------------------------------------------------------------------------------------


def array_result(function: Callable[..., Any]) -> Callable[..., Any]:
    """Check `out`, keep float32, and turn an overflow into a ValueError that names the function."""

    @wraps(function)
    def checked(*arguments: Any, out: Any = None, **named: Any) -> Any:
        values = [*arguments, *named.values()]
        result = function(*arguments, **named)
        if np.isinf(result).any():
            raise ValueError(f"{function.__name__}: a result exceeds the largest float, 1.8e308")
        dtype = result_type(values)
        if out is None:
            return result.astype(dtype)[()] if dtype != result.dtype else result[()]
        _check_out(out, result.shape)
        np.copyto(out, result, casting="same_kind")
        return out

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
        total = total + exp(x - largest)
    return largest + log(total)


# -- domains -----------------------------------------------------------------------------------------------------------

DOMAINS = {"positive": _domain.POSITIVE, "nonnegative": _domain.NONNEGATIVE, "real": _domain.REAL}


def _as_array(name: str, value: Any) -> Any:
    array = np.asarray(value)
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


def _check_out(out: Any, shape: tuple[int, ...]) -> None:
    if not isinstance(out, np.ndarray) or out.dtype not in (np.float32, np.float64):
        raise ValueError(f"out: must be a float32 or float64 array, not {getattr(out, 'dtype', type(out).__name__)}")
    if out.shape != shape:
        raise ValueError(f"out: has shape {out.shape}, must have shape {shape}")


# -- blocks ------------------------------------------------------------------------------------------------------------


def in_blocks(
    kernel: Callable[..., None], buffers: int, scalar: Callable[..., float], domain: str, out: Any, **arguments: Any
) -> Any:
    """Evaluate a generated kernel over the broadcast arguments, a cache-sized block at a time.

    The first argument has the given domain, the others are positive; domains are checked inside the block. A block in which an
    intermediate result overflows is evaluated again element by element by `scalar`, which raises only where the result itself
    exceeds the largest float.
    """
    names = list(arguments)
    values = [_as_array(name, value) for name, value in arguments.items()]
    domains = [domain] + ["positive"] * (len(names) - 1)
    dtype = result_type(arguments.values())
    shape = np.broadcast_shapes(*(value.shape for value in values))
    if out is None:
        result = np.empty(shape, dtype)
    else:
        _check_out(out, shape)
        result = out
    operands: list[Any] = list(values)
    moving = [i for i, value in enumerate(values) if value.ndim or i == 0]
    for i in range(len(values)):
        if i not in moving:
            operands[i] = float(_checked(names[i], values[i], domains[i]))
    with (
        np.nditer(
            [*(values[i] for i in moving), result],
            flags=["external_loop", "buffered", "zerosize_ok", "copy_if_overlap"],
            op_flags=[*([["readonly"]] * len(moving)), ["writeonly"]],
            op_dtypes=[np.float64] * (len(moving) + 1),
            casting="same_kind",
            buffersize=BLOCK,
        ) as blocks,
        np.errstate(over="raise", invalid="ignore", divide="ignore", under="ignore"),
    ):
        scratch = [np.empty(min(BLOCK, max(1, result.size))) for _ in range(buffers)]
        for *block, target in blocks if result.size else ():
            for i, part in zip(moving, block, strict=True):
                operands[i] = part
            if target.size != scratch[0].size:
                scratch = [np.empty(target.size) for _ in range(buffers)]
            try:
                acceptable = all(inside(operands[i], domains[i]) for i in moving)
                if acceptable:
                    kernel(*operands, target, *scratch)
            except FloatingPointError:
                acceptable = False
            if not acceptable:
                _element_by_element(scalar, names, domains, operands, target)
    return result if out is not None else result[()]


def _element_by_element(
    scalar: Callable[..., float], names: list[str], domains: list[str], operands: list[Any], target: Any
) -> None:
    """Name the first value outside its domain; without one, an intermediate overflowed: evaluate in double-double."""
    for name, domain, values in zip(names, domains, operands, strict=True):
        if not isinstance(values, float) and not inside(values, domain):
            raise _first_outside(name, values, domain)
    for position in range(target.size):
        target[position] = scalar(*(x if isinstance(x, float) else float(x[position]) for x in operands))


def phi2(x: Any, out: Any) -> Any:
    """(exp(x) - 1 - x)/x^2 in place: the Taylor series within the unit interval, the definition beyond."""
    near = np.abs(x) <= SERIES_RADIUS
    if near.all():
        return _phi2_series(x, out)
    series = _phi2_series(np.where(near, x, 0.0), np.empty_like(x))
    distant = np.where(near, SERIES_RADIUS, x)
    np.divide(np.expm1(distant) - distant, distant * distant, out=out)
    np.copyto(out, series, where=near)
    return out


def _phi2_series(x: Any, out: Any) -> Any:
    total = np.full_like(x, SERIES[0])
    for coefficient in SERIES[1:]:
        total *= x
        total += coefficient
    np.copyto(out, total)
    return out


