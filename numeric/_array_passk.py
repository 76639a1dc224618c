"""What the generated module of pass@k runs on: the array runtime, and logarithms near 1 to full relative precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._array import (
    LOG_HALF,
    array_result,
    exp,
    expm1,
    log,
    log_sum_exp,
    narrow,
    nonnegative,
    positive,
    ratio_of,
    real,
)
from ._wide import Wide
from ._wide_array import log1p as _log1p

__all__ = [
    "array_result",
    "exp",
    "expm1",
    "log",
    "log1mexp",
    "log1p",
    "log_sum_exp",
    "narrow",
    "nonnegative",
    "positive",
    "ratio_of",
    "real",
]

#: Stands for log 0: every exp takes it, times any factor that occurs, to 0, and products with it stay finite.
LOG_OF_ZERO = -1e200


def log1p(x: Any) -> Wide:
    """log(1 + x)."""
    return log(1.0 + x) if isinstance(x, Wide) else _log1p(x)


def log1mexp(x: Any) -> Any:
    """log(1 - exp(x)) for x <= 0, each value to full relative precision, also where it is far below 1; `LOG_OF_ZERO` at 0."""
    argument = np.asarray(x.hi + x.lo if isinstance(x, Wide) else x, dtype=np.float64)
    with np.errstate(divide="ignore"):
        found = np.where(argument > LOG_HALF, np.log(-np.expm1(argument)), np.log1p(-np.exp(np.minimum(argument, LOG_HALF))))
    return np.maximum(found, LOG_OF_ZERO)
