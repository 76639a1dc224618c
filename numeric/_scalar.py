"""What the generated scalar module runs on: domain checks, double-double logarithms, one rounding at the end."""

from __future__ import annotations

import math

from ._wide import Wide, exp, expm1, log, wide, wide_exp
from ._wide import log1p as _log1p
from ._wide import ratio as ratio_of
from .errors import nonnegative_number, number, positive_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = [
    "exp",
    "expm1",
    "float_result",
    "log",
    "log1mexp",
    "log1p",
    "log_sum_exp",
    "math",
    "narrow",
    "nonnegative",
    "phi2",
    "positive",
    "ratio_of",
    "real",
]

#: phi2 is summed as its Taylor series up to this |x|; beyond, (exp(x) - 1 - x)/x^2 loses at most two bits.
SERIES_RADIUS = 1.0
#: 1/(n + 2)!, enough terms for 17 digits at |x| = 1, lowest order last (Horner).
SERIES = tuple(1.0 / math.factorial(n + 2) for n in range(18, -1, -1))


def float_result(function: Callable[..., Any]) -> Callable[..., Any]:
    """Turn an overflow into a ValueError that names the function and its arguments."""

    def checked(*arguments: Any, **named: Any) -> Any:
        try:
            result = function(*arguments, **named)
            if isinstance(result, Wide):
                narrow(result)
            return result
        except OverflowError:
            problem = "the result exceeds the largest float, 1.8e308"
        except ZeroDivisionError:
            problem = "a product on the way is below the smallest float, 4.9e-324"
        shown = ", ".join([*map(_shown, arguments), *(f"{k}={_shown(v)}" for k, v in named.items())])
        raise ValueError(f"{function.__name__}({shown}): {problem}")

    checked.__name__, checked.__doc__, checked.__module__ = function.__name__, function.__doc__, function.__module__
    checked.__wrapped__ = function  # type: ignore[attr-defined]
    return checked


def _shown(value: object) -> str:
    return repr(float(value) if isinstance(value, Wide) else value)


def positive(**values: Any) -> tuple[Wide, ...]:
    """The arguments as Wide, each checked to be positive and finite."""
    return tuple(_checked(name, value, positive_number) for name, value in values.items())


def nonnegative(**values: Any) -> tuple[Wide, ...]:
    """The arguments as Wide, each checked to be at least 0 and finite."""
    return tuple(_checked(name, value, nonnegative_number) for name, value in values.items())


def real(**values: Any) -> tuple[Wide, ...]:
    """The arguments as Wide, each checked to be finite."""
    return tuple(_checked(name, value, number) for name, value in values.items())


def _checked(name: str, value: Any, check: Callable[[str, Any], float]) -> Wide:
    if isinstance(value, Wide):
        check(name, value.hi)
        return value
    return wide(check(name, value))


def narrow(value: Any) -> float:
    """The double-double value rounded to a float; OverflowError where that is not finite."""
    result = value.hi if isinstance(value, Wide) else float(value)
    if not math.isfinite(result):
        raise OverflowError
    return float(result)


def log1p(x: Any) -> Wide:
    """log(1 + x) of a float or Wide."""
    return log(1 + x) if isinstance(x, Wide) else _log1p(x)


def log_sum_exp(*exponents: Any) -> Wide:
    """log(sum exp(x)) without overflow."""
    wides = [wide(x) for x in exponents]
    largest = max(wides, key=float)
    total = wide(0.0)
    for x in wides:
        total = total + wide_exp(x - largest)
    return largest + log(total)


def log1mexp(x: Any) -> Wide:
    """log(1 - exp(x)) for x < 0, from the unrounded exponential."""
    exponent = wide(x)
    if not exponent.hi < 0.0:
        raise ValueError(f"exp({exponent.hi!r}): must be below 1, or 1 - exp has no logarithm: the target is out of reach")
    return log(1.0 - wide_exp(exponent))


def phi2(x: Any) -> float:
    """(exp(x) - 1 - x)/x^2, to full precision near 0 too."""
    value = float(x)
    if abs(value) <= SERIES_RADIUS:
        total = 0.0
        for coefficient in SERIES:
            total = total * value + coefficient
        return total
    x = wide(x)
    return float((expm1(x) - x) / (x * x))
