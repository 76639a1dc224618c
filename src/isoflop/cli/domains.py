"""What the value of an option may be: readers of one word, which raise ValueError with the domain."""

from __future__ import annotations

import math
import re

from ..numeric.errors import NONNEGATIVE, POSITIVE, REAL, UNIT_INTERVAL
from ..theory.data.notation import close_matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Reader = Callable[[str], Any]


#: Powers of ten by suffix. There is no lower-case m: it would be read as milli or as million.
SUFFIXES = {"": 0, "k": 3, "K": 3, "M": 6, "b": 9, "B": 9, "t": 12, "T": 12, "%": -2}
NUMBER = re.compile(
    r"(?P<digits>[+-]?(?:[0-9]+(?:_[0-9]+)*(?:\.[0-9]*)?|\.[0-9]+))"
    r"(?:[eE](?P<exponent>[+-]?[0-9]{1,6}))?(?P<suffix>[kKMbBtT%]?)"
)


def parse(word: str) -> float:
    """The float nearest to the number that a word spells; a ValueError where it spells none.

    >>> parse("1.4T"), parse("20k"), parse("1%"), parse("-1e20")
    (1400000000000.0, 20000.0, 0.01, -1e+20)
    """
    stripped = word.strip()
    if stripped.lower().lstrip("+-") in ("inf", "infinity", "nan"):
        return float(stripped)
    match = NUMBER.fullmatch(stripped)
    if match is None or (match["exponent"] and match["suffix"] not in ("", "%")):
        raise ValueError("a number reads like 7e9, 7B, 1.4T, 500M, 20k or 1%")
    power = int(match["exponent"] or 0) + SUFFIXES[match["suffix"]]
    value = float(f"{match['digits']}e{power}")  # one rounding: 1.4T is the float 1.4e12
    if math.isinf(value) or (value == 0.0 and match["digits"].strip("+-0._")):
        raise ValueError("beyond the floats, 4.9e-324 to 1.8e308")
    return value


def text(word: str) -> str:
    """Any word."""
    return word


def quantity(domain: str, holds: Callable[[float], bool]) -> Callable[[str], float]:
    """A reader of numbers as people type them (7e9, 7B, 1.4T, 1%)."""

    def read(word: str) -> float:
        try:
            value = parse(word)
        except ValueError as error:
            raise ValueError(f"must be {domain} ({error})") from None
        if not holds(value):
            raise ValueError(f"must be {domain}")
        return value

    return read


positive = quantity(POSITIVE, lambda x: 0.0 < x < math.inf)
nonnegative = quantity(NONNEGATIVE, lambda x: 0.0 <= x < math.inf)
finite = quantity(REAL, math.isfinite)
share = quantity(UNIT_INTERVAL, lambda x: 0.0 < x < 1.0)
guess = quantity("a number from 0 to less than 1", lambda x: 0.0 <= x < 1.0)


def ends(word: str) -> tuple[float | None, float | None]:
    """A reader of a range LOW:HIGH; either may be empty."""
    low, colon, high = word.partition(":")
    least, most = (finite(end) if end.strip() else None for end in (low, high))
    is_upside_down = least is not None and most is not None and not least < most
    if not colon or is_upside_down or (least is None and most is None):
        raise ValueError("must be LOW:HIGH with LOW below HIGH; one of the two may be empty")
    return least, most


#: No training costs so few FLOP that k, M, B or T would do, which count params and tokens.
COUNTING = tuple(suffix for suffix in SUFFIXES if suffix not in ("", "%"))


def flop(word: str) -> float:
    """A reader of FLOP."""
    value, typed = positive(word), word.strip()
    if typed.endswith(COUNTING):
        note = f"{typed[-1]} counts params or tokens; {typed} FLOP would be {value:.16g}"
        raise ValueError(f"must be FLOP, such as 5.76e23 ({note})")
    return value


#: Larger floats do not tell whole numbers apart.
LARGEST_WHOLE = 2**53


def whole(least: int) -> Callable[[str], int]:
    """A reader of whole numbers."""
    domain = f"a whole number of at least {least}, at most 2^53"
    read = quantity(domain, lambda x: least <= x <= LARGEST_WHOLE and x == int(x))
    return lambda word: int(read(word))


def resamples(word: str) -> int:
    """A reader of how many resamples: one alone gives no interval."""
    count = whole(0)(word)
    if count == 1:
        raise ValueError("must be 0, or at least 2 for intervals")
    return count


def one_of(choices: Sequence[str]) -> Callable[[str], str]:
    """A reader of one of some names."""

    def read(word: str) -> str:
        if word not in choices:
            hint = close_matches(word, choices)
            raise ValueError(f"must be one of {', '.join(choices)}{hint}")
        return word

    return read


def name(word: str) -> str:
    """A reader of a name."""
    if not word.strip():
        raise ValueError("must be a name")
    return word.strip()


def column_names(word: str) -> tuple[str, ...]:
    """A reader of names of columns, each taken once."""
    names = tuple(dict.fromkeys(part.strip() for part in word.split(",")))
    if not all(names):
        raise ValueError("must be names of columns")
    return names


def output(word: str) -> str:
    """A reader of a file to write, refused before any work where it cannot be one."""
    from pathlib import Path

    target = Path(word)
    if not word or target.is_dir():
        raise ValueError("must be a file to write, not a directory")
    if not target.absolute().parent.is_dir():
        raise ValueError("cannot be written (No such directory)")
    return word


def figure(word: str) -> str:
    """A reader of a picture to write."""
    from ..numeric.plot.panels import FORMATS

    if not word.lower().endswith(FORMATS):
        raise ValueError(f"must end in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}")
    return output(word)
