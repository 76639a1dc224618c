"""Numbers as people type them: 7e9, 7B, 1.4T, 500M, 20k, 1%."""

from __future__ import annotations

import math
import re

#: Powers of ten by suffix. There is no lower-case m: it would be read as milli or as million.
SUFFIXES = {"": 0, "k": 3, "K": 3, "M": 6, "b": 9, "B": 9, "t": 12, "T": 12, "%": -2}

#: A number without its sign.
UNSIGNED = (
    r"(?P<digits>[0-9]+(?:_[0-9]+)*(?:\.[0-9]*)?|\.[0-9]+)"
    r"(?:[eE](?P<exponent>[+-]?[0-9]+))?(?P<suffix>[kKMbBtT%]?)"
)
NUMBER = re.compile(r"(?P<sign>[+-]?)" + UNSIGNED)
NOT_FINITE = re.compile(r"[+-]?(?:inf|infinity|nan)", re.IGNORECASE)

SPELLINGS = "a number reads like 7e9, 7B, 1.4T, 500M, 20k or 1%"
LONGEST = 100


class OutOfRangeError(ValueError):
    """A number that is spelt well and that no float comes near."""


def parse(text: str) -> float:
    """The float nearest to the number that the text spells.

    Raises
    ------
    ValueError
        Where it spells none; the message says why, as far as that is not plain to see.
    OutOfRangeError
        Where the number is beyond the largest float or below the smallest.

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
        raise OutOfRangeError("beyond the largest float, 1.8e308")
    if value == 0.0 and digits.strip("0._"):
        raise OutOfRangeError("below the smallest float, 4.9e-324")
    return value
