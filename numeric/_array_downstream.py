"""What the generated module of downstream accuracy runs on: the array runtime, and what a break needs at u and -u."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._array import array_result, exp, expm1, log, narrow, nonnegative, positive, ratio_of
from ._array_passk import log1p

__all__ = [
    "Parts",
    "Slopes",
    "array_result",
    "exp",
    "expm1",
    "log",
    "log1p",
    "narrow",
    "nonnegative",
    "positive",
    "ratio_of",
    "sides",
]


class Slopes(NamedTuple):
    """log of the factor of a break, and its derivatives: c in change, x in distance, f in log width."""

    value: Any
    c: Any
    x: Any
    f: Any


class Parts(NamedTuple):
    """The same with the second derivatives."""

    value: Any
    c: Any
    x: Any
    f: Any
    cx: Any
    cf: Any
    xx: Any
    xf: Any
    ff: Any


def sides(u: Any) -> tuple[Any, Any, Any, Any]:
    """log(1 + e^u), log(1 + e^-u), 1/(1 + e^-u), 1/(1 + e^u), each without overflow and to full relative precision."""
    size = np.abs(u)
    small = np.exp(-size)
    common, share = np.log1p(small), 1.0 / (1.0 + small)
    rest, high = small * share, u > 0.0
    return common + np.maximum(u, 0.0), common - np.minimum(u, 0.0), np.where(high, share, rest), np.where(high, rest, share)
