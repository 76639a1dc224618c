"""Numbers on the command line: 7e9, 7B, 1.4T, 500M, 20k, 1%, each checked against the domain of its
option.
"""

from __future__ import annotations

import math
import re

from ..numeric.data.numerals import SPELLINGS, SUFFIXES, parse
from ..numeric.errors import NONNEGATIVE, POSITIVE
from .errors import outside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SIGNED", "nonnegative", "parse", "parse_whole", "positive"]

#: How a word begins that is meant as a number, so that ``-1e20`` and ``-inf`` are no options.
SIGNED = re.compile(r"-(?:[0-9.]|(?:inf|infinity|nan)$)", re.IGNORECASE)


#: Shares and billions are of no use to one who counts.
SPELLINGS_OF_COUNTS = "a whole number reads like 16, 1000 or 20k"


def parse_whole(text: str) -> float:
    """The number that the text spells, where a whole number is meant; ValueError where it spells
    none.
    """
    try:
        return parse(text)
    except ValueError as error:
        raise ValueError(str(error).replace(SPELLINGS, SPELLINGS_OF_COUNTS)) from None


#: Options in FLOP: no training costs so few that k, M, B or T would do, which count params and
#: tokens.
IN_FLOP = ("--compute",)
COUNTING = tuple(suffix for suffix in SUFFIXES if suffix not in ("", "%"))


def positive(option: str, text: str) -> float:
    """The number that the text spells, above 0; UsageError where it spells none."""
    value = _positive(option, text)
    if option in IN_FLOP and text.strip().endswith(COUNTING):
        note = (
            f"{text.strip()[-1]} counts params or tokens; {text.strip()} FLOP would be {value:.16g}"
        )
        raise outside(option, text.strip(), "FLOP, such as 5.76e23", note)
    return value


def _positive(option: str, text: str) -> float:
    return _checked(option, text, POSITIVE, lambda value: value > 0.0)


def nonnegative(option: str, text: str) -> float:
    """The number that the text spells, at least 0; UsageError where it spells none."""
    return _checked(option, text, NONNEGATIVE, lambda value: value >= 0.0)


def _checked(option: str, text: str, domain: str, holds: Callable[[float], bool]) -> float:
    try:
        value = parse(text)
    except ValueError as error:
        raise outside(option, text.strip(), domain, str(error)) from None
    if not (math.isfinite(value) and holds(value)):
        raise outside(option, text.strip(), domain)
    return value
