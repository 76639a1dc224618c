"""Numbers as people type them: 7e9, 7B, 1.4T, 500M, 20k, 1%."""

from __future__ import annotations

import math
import re

from isoflop.cli.errors import outside
from isoflop.numeric._domain import NONNEGATIVE, POSITIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: Powers of ten by suffix. There is no lower-case m: it would be read as milli or as million.
SUFFIXES = {"": 0, "k": 3, "K": 3, "M": 6, "b": 9, "B": 9, "t": 12, "T": 12, "%": -2}

NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?P<digits>[0-9]+(?:_[0-9]+)*(?:\.[0-9]*)?|\.[0-9]+)"
    r"(?:[eE](?P<exponent>[+-]?[0-9]+))?(?P<suffix>[kKMbBtT%]?)"
)
NOT_FINITE = re.compile(r"[+-]?(?:inf|infinity|nan)", re.IGNORECASE)
#: How a word begins that is meant as a number, so that ``-1e20`` and ``-inf`` are no options.
SIGNED = re.compile(r"-(?:[0-9.]|(?:inf|infinity|nan)$)", re.IGNORECASE)

SPELLINGS = "a number reads like 7e9, 7B, 1.4T, 500M, 20k or 1%"
LONGEST = 100


def positive(option: str, text: str) -> float:
    """The number that the text spells, above 0; UsageError where it spells none."""
    return _checked(option, text, POSITIVE, lambda value: value > 0.0)


def nonnegative(option: str, text: str) -> float:
    """The number that the text spells, at least 0; UsageError where it spells none."""
    return _checked(option, text, NONNEGATIVE, lambda value: value >= 0.0)


def parse(text: str) -> float:
    """The float nearest to the number that the text spells.

    Raises
    ------
    ValueError
        Where it spells none; the message says why, as far as that is not plain to see.

    Examples
    --------
    >>> parse("1.4T"), parse("20k"), parse("1%"), parse("-1e20")
    (1400000000000.0, 20000.0, 0.01, -1e+20)
    """
    stripped = text.strip()
    if NOT_FINITE.fullmatch(stripped):
        return float(stripped)
    match = NUMBER.fullmatch(stripped) if len(stripped) <= LONGEST else None
    if match is None:
        raise ValueError(SPELLINGS)
    sign, digits, exponent, suffix = match.group("sign", "digits", "exponent", "suffix")
    if exponent and suffix not in ("", "%"):
        raise ValueError(f"either an exponent or the suffix {suffix}")
    power = int(exponent or 0) + SUFFIXES[suffix]
    value = float(f"{sign}{digits}e{power}")  # one rounding: 1.4T is the float 1.4e12
    if math.isinf(value):
        raise ValueError("beyond the largest float, 1.8e308")
    if value == 0.0 and digits.strip("0._"):
        raise ValueError("below the smallest float, 4.9e-324")
    return value


def _checked(option: str, text: str, domain: str, holds: Callable[[float], bool]) -> float:
    try:
        value = parse(text)
    except ValueError as error:
        raise outside(option, text.strip(), domain, str(error)) from None
    if not (math.isfinite(value) and holds(value)):
        raise outside(option, text.strip(), domain)
    return value
