"""Errors that name an argument, or the rows and the column of a table; and the domains of arguments."""

from __future__ import annotations

import math

from .words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

POSITIVE = "a positive finite number"
NONNEGATIVE = "a finite number of at least 0"
REAL = "a finite number"
SMALLEST_EXPONENT, LARGEST_EXPONENT = 1e-100, 1e100
EXPONENT = "a positive number (from 1e-100 to 1e100)"
UNIT_INTERVAL = "a number above 0 and below 1"
#: Whether a finite number lies in a domain; other domains hold all finite numbers. Exponents are
#: limited so that products of them stay within the floats.
INSIDE = {
    POSITIVE: lambda x: x > 0.0,
    NONNEGATIVE: lambda x: x >= 0.0,
    EXPONENT: lambda x: SMALLEST_EXPONENT <= x <= LARGEST_EXPONENT,
    UNIT_INTERVAL: lambda x: 0.0 < x < 1.0,
}
#: The value of an error whose complaint names the value itself.
NO_VALUE = ...


class ArgumentError(ValueError):
    """A value that an argument cannot have: the name of the argument in Python, the value unless the
    complaint names it, and the values that are allowed or a complaint of another kind.

    >>> print(ArgumentError("level", 2.0, "above 0 and below 1"))
    level=2.0: must be above 0 and below 1
    """

    def __init__(
        self, argument: str, value: object = NO_VALUE, domain: str = "", complaint: str = ""
    ) -> None:
        self.argument, self.value, self.domain = argument, value, domain
        self.complaint = complaint or f"must be {domain}"

    @property
    def subject(self) -> str:
        """The argument and its value, which the complaint is about."""
        if self.value is NO_VALUE:
            return self.argument
        is_number = isinstance(self.value, (int, float))
        return f"{self.argument}={shown(self.value) if is_number else repr(self.value)}"

    def __str__(self) -> str:
        return f"{self.subject}: {self.complaint}"


class TableError(ArgumentError):
    """A table, a row or a cell that cannot be read. The message names the file, the rows and the
    column; the first row of data is 1.
    """

    def __init__(
        self,
        source: str,
        complaint: str = "",
        *,
        rows: tuple[int, ...] = (),
        column: str | None = None,
    ) -> None:
        super().__init__(source, complaint=complaint)
        self.rows, self.column = rows, column

    @property
    def subject(self) -> str:
        """The file, the rows and the column."""
        numbers = " and ".join(map(str, self.rows))
        rows = f", row{'s' if len(self.rows) > 1 else ''} {numbers}" if self.rows else ""
        return f"{self.argument}{rows}{'' if self.column is None else f', column {self.column!r}'}"


def outside(name: str, value: object, domain: str) -> ArgumentError:
    """The error for an argument outside its domain."""
    return ArgumentError(name, value, domain)


def number(name: str, value: Any, domain: str = REAL) -> float:
    """The value as a float in the domain, or an `ArgumentError`. Booleans, texts and NaN are refused."""
    is_boolean = getattr(getattr(value, "dtype", None), "kind", "") == "b"  # NumPy's
    if isinstance(value, (bool, str, bytes)) or value is None or is_boolean:
        raise outside(name, value, domain)
    try:
        converted = float(value)
    except OverflowError:
        raise outside(name, value, f"{domain} (it exceeds the largest float)") from None
    except (TypeError, ValueError):
        raise outside(name, value, domain) from None
    if not math.isfinite(converted) or (domain in INSIDE and not INSIDE[domain](converted)):
        raise outside(name, value, domain)
    return converted


def positive_number(name: str, value: Any) -> float:
    """The value as a float above 0."""
    return number(name, value, POSITIVE)


def nonnegative_number(name: str, value: Any) -> float:
    """The value as a float of at least 0."""
    return number(name, value, NONNEGATIVE)


def whole_number(name: str, value: Any, least: int) -> int:
    """The value as an int of at least `least`. Booleans and floats are refused."""
    from numbers import Integral

    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise outside(name, value, f"a whole number of at least {least}")
    return int(value)
