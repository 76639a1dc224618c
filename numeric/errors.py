"""Domains of arguments: one ValueError that names the argument, its value and its domain."""

from __future__ import annotations

import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

POSITIVE = "a positive finite number"
NONNEGATIVE = "a finite number of at least 0"
REAL = "a finite number"
SMALLEST_EXPONENT, LARGEST_EXPONENT = 1e-100, 1e100
EXPONENT = "a positive number (from 1e-100 to 1e100)"
UNIT_INTERVAL = "a number above 0 and below 1"


def outside(name: str, value: object, domain: str) -> ValueError:
    """The error for an argument outside its domain."""
    return ValueError(f"{name}={value!r}: must be {domain}")


def number(name: str, value: Any, domain: str = REAL) -> float:
    """The value as a float, or a ValueError: booleans, strings and NaN are no numbers."""
    if isinstance(value, (bool, str, bytes)) or value is None:
        raise outside(name, value, domain)
    try:
        converted = float(value)
    except OverflowError:
        raise outside(name, value, f"{domain} (it exceeds the largest float)") from None
    except (TypeError, ValueError):
        raise outside(name, value, domain) from None
    if not math.isfinite(converted):
        raise outside(name, value, domain)
    return converted


def positive_number(name: str, value: Any) -> float:
    """The value as a float above 0."""
    converted = number(name, value, POSITIVE)
    if not converted > 0.0:
        raise outside(name, value, POSITIVE)
    return converted


def exponent_number(name: str, value: Any) -> float:
    """The value as a float that the exponent of a law may have: products of exponents must not leave the floats."""
    converted = number(name, value, EXPONENT)
    if not SMALLEST_EXPONENT <= converted <= LARGEST_EXPONENT:
        raise outside(name, value, EXPONENT)
    return converted


def nonnegative_number(name: str, value: Any) -> float:
    """The value as a float of at least 0."""
    converted = number(name, value, NONNEGATIVE)
    if not converted >= 0.0:
        raise outside(name, value, NONNEGATIVE)
    return converted


def whole_number(name: str, value: Any, least: int) -> int:
    """The value as an int of at least so much: booleans and floats are no whole numbers."""
    from numbers import Integral

    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise outside(name, value, f"a whole number of at least {least}")
    return int(value)


def process_count(value: Any) -> int:
    """The value of jobs as an int other than 0; negative counts from all processors."""
    from numbers import Integral

    if isinstance(value, bool) or not isinstance(value, Integral) or value == 0:
        raise outside("jobs", value, "a whole number other than 0")
    return int(value)


def positive_array(name: str, values: Any) -> Any:
    """The values as an array of float64 above 0."""
    import numpy as np

    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise outside(name, values, "positive finite numbers") from None
    wrong = ~(np.isfinite(array) & (array > 0.0))
    if wrong.any():
        raise outside(name, float(array[wrong].flat[0]), "positive finite numbers")
    return array
