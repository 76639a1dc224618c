"""What is wrong with which argument, or with which cell of which table; and the domains of
arguments.
"""

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
#: Digits of a whole number that an error shows.
LONGEST = 40
#: Where the complaint itself says the value.
NO_VALUE = ...


class ArgumentError(ValueError):
    """A value that an argument cannot have.

    Attributes
    ----------
    argument : str
        Its name in Python.
    value : object
        What was given; `NO_VALUE` where the complaint says it.
    domain : str
        What is allowed; "" where that is no set of values.
    complaint : str
        The message without the argument and its value.

    Examples
    --------
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
        """What the complaint is about."""
        return self.argument if self.value is NO_VALUE else f"{self.argument}={_shown(self.value)}"

    def __str__(self) -> str:
        return f"{self.subject}: {self.complaint}"


def _shown(value: object) -> str:
    """A value; of a whole number with more digits than anyone reads, which Python may not write out,
    how many it has.
    """
    if isinstance(value, int) and abs(value) >= 10**LONGEST:
        return f"a whole number of about {int(value.bit_length() * math.log10(2.0)) + 1} digits"
    return repr(float(value)) if isinstance(value, float) else repr(value)


class TableError(ArgumentError):
    """A table, a row or a cell that cannot be read: the message names the file, the row and the
    column.

    Attributes
    ----------
    rows : tuple of int
        The rows in question; the first row of data is 1.
    column : str or None
        The column in question.
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
    """The value as a float, or a ValueError: booleans, strings and NaN are no numbers."""
    is_boolean = getattr(getattr(value, "dtype", None), "kind", "") == "b"  # NumPy's
    if isinstance(value, (bool, str, bytes)) or value is None or is_boolean:
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
    """The value as a float that the exponent of a law may have: products of exponents must not
    leave the floats.
    """
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
