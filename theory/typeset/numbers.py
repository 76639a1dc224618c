r"""Formats of numbers, in text and in LaTeX.

==================  ============  ==========  ====================================
format              0.00001234    1834567     use
==================  ============  ==========  ====================================
``Significant(3)``  1.23e-5       1.83e6      estimates: zeros at the end stay
``Shortest(3)``     1.23e-5       1.83e6      chosen values: 0.5, not 0.500
``Places(4)``       0.0000        1.8346e6    a column of losses
``Percent(3)``      0.00123 %     1.83e6x     shares
``Count()``         1.23e-5       1.83M       params and tokens, as they are typed
==================  ============  ==========  ====================================

``format.text(x)`` is for a terminal; ``format.latex(x)`` has the same digits between dollars, with
``\times 10^{n}`` for an exponent. None and NaN print as a dash. An infinite number is "inf", an
infinite share "never": no overhead reaches the loss.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isinf, isnan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Count", "Format", "Interval", "Percent", "Places", "Shortest", "Significant"]

#: The marks of a missing number.
DASH, LATEX_DASH = "-", "---"
#: The range of numbers that are written without an exponent.
SMALLEST_PLAIN, LARGEST_PLAIN = 1e-4, 1e6
SUFFIXES = ((12, "T"), (9, "B"), (6, "M"), (3, "k"))
#: Above these a share is written as a multiple, and a number of fixed places by its digits.
LARGEST_SHARE, LARGEST_OF_PLACES = 1e6, 1e4
#: A number in a text, with its sign, exponent and unit; a number with a suffix is left as a word.
NUMBER = re.compile(r"[<>]?[+-]?(?:\d[\d.]*(?:e-?\d+)?(?: %|x)?(?![\d.TBMk])|inf\b)")
#: The text between the ends of an interval in LaTeX.
SEPARATOR = r",\ "


def in_latex(text: str) -> str:
    r"""The LaTeX of the text of a number or of an interval.

    >>> print(in_latex("1.83e6"), in_latex("[1e-5, inf]"), in_latex("at most 20.8 %"))
    $1.83 \times 10^{6}$ $[10^{-5},\ \infty]$ at most $20.8\,\%$
    """
    if text == DASH:
        return LATEX_DASH
    if text.startswith("["):
        ends = (NUMBER.sub(_number_in_latex, end) for end in re.split(r",\s*", text))
        return f"${SEPARATOR.join(ends)}$"
    return NUMBER.sub(lambda found: f"${_number_in_latex(found)}$", text)


def _number_in_latex(found: re.Match[str]) -> str:
    text = re.sub(r"(?<![\d.])1e(-?\d+)", r"10^{\1}", found[0])
    text = re.sub(r"e(-?\d+)", r" \\times 10^{\1}", text).replace(" %", r"\,\%")
    return re.sub(r"x$", r"\\times", text).replace("inf", r"\infty")


@dataclass(frozen=True)
class Format:
    """The format of a number; a subclass defines `finite`, the text of a finite number."""

    digits: int = 4
    infinite = "inf"

    def text(self, value: float | None) -> str:
        """The number for a terminal."""
        if value is None or isnan(value):
            return DASH
        if isinf(value):
            return f"{'-' if value < 0 else ''}{self.infinite}"
        return self.finite(value)

    def latex(self, value: float | None) -> str:
        """The number for LaTeX, between dollars; a word such as "never" stays text."""
        return in_latex(self.text(value))

    def finite(self, value: float) -> str:
        """The text of a finite number."""
        raise NotImplementedError

    def finite_latex(self, value: float) -> str:
        """The LaTeX of a finite number, without dollars."""
        return NUMBER.sub(_number_in_latex, self.finite(value))


class Significant(Format):
    r"""A fixed number of significant digits, with zeros at the end.

    >>> form = Significant(3)
    >>> [form.text(x) for x in (0.5, 2143.417, 1.8e21, 0.0, None)]
    ['0.500', '2143', '1.80e21', '0', '-']
    >>> print(form.latex(0.5), form.latex(1.8e21))
    $0.500$ $1.80 \times 10^{21}$
    """

    def finite(self, value: float) -> str:
        return _rounded(value, self.digits, LARGEST_PLAIN, whole=f"{value:.0f}")


class Shortest(Format):
    """At most a number of significant digits, without zeros at the end.

    >>> [Shortest(4).text(x) for x in (0.5, 18.4123, 5.76e23, 2708.498)]
    ['0.5', '18.41', '5.76e23', '2708']
    """

    def finite(self, value: float) -> str:
        # Up to as many digits before the point as were asked for, a number needs no exponent.
        mantissa, e, power = _rounded(
            value, self.digits, max(LARGEST_PLAIN, 10.0**self.digits)
        ).partition("e")
        return f"{_trimmed(mantissa)}{e}{power}"


@dataclass(frozen=True)
class Places(Format):
    """A fixed number of decimal places; from 1e4 on, as many significant digits plus one.

    >>> [Places(4).text(x) for x in (2.5, 12345.67)], Places(3, sign=True).text(0.01)
    (['2.5000', '12346'], '+0.010')
    """

    sign: bool = False

    def finite(self, value: float) -> str:
        if abs(value) >= LARGEST_OF_PLACES:
            plus = "+" if self.sign and value > 0.0 else ""
            return plus + Significant(self.digits + 1).finite(value)
        return f"{value:{'+' if self.sign else ''}.{self.digits}f}"


@dataclass(frozen=True)
class Percent(Format):
    """A share in per cent, with the shortest digits or with a fixed number of decimal `places`.

    Without `places`, a share from 1 on has one more digit, a share just below 1 is never rounded to
    100 %, and a share beyond a million is written as a multiple.

    >>> [Percent(3).text(x) for x in (0.2079, 1.8861, 0.9999, 1e999)]
    ['20.8 %', '188.6 %', '>99.9 %', 'never']
    >>> Percent(places=2, sign=True).text(0.01234)
    '+1.23 %'
    """

    digits: int = 3
    infinite = "never"
    places: int | None = None
    sign: bool = False

    def finite(self, value: float) -> str:
        if self.places is not None:
            return f"{100.0 * value + 0.0:{'+' if self.sign else ''}.{self.places}f} %"
        if value > LARGEST_SHARE:
            return f"{Shortest(self.digits).finite(value)}x"
        text = Shortest(self.digits + (value >= 1.0)).finite(100.0 * value)
        return ">99.9 %" if text == "100" and value < 1.0 else f"{text} %"


@dataclass(frozen=True)
class Count(Format):
    """Params or tokens, as the command line reads them.

    >>> [Count().text(x) for x in (7.2213e10, 1.33e12, 999999.0, 12.0, 3e20)]
    ['72.2B', '1.33T', '1M', '12', '3e20']
    """

    digits: int = 3

    def finite(self, value: float) -> str:
        rounded = float(f"{value:.{self.digits - 1}e}")
        for exponent, suffix in SUFFIXES:
            if 10.0**exponent <= rounded < 10.0 ** (exponent + 3):
                return _trimmed(f"{rounded / 10.0**exponent:.{self.digits}f}") + suffix
        return Shortest(self.digits).finite(value)


@dataclass(frozen=True)
class Interval:
    """The format of an interval: the format of its ends, and the template that holds them.

    An interval without an end prints as a dash, and one that is bounded only above as "at most" its
    upper end. An end at a limit of the search is no bound and is marked: "<" before a lower end,
    ">" before an upper end.

    >>> brackets, words = Interval(Significant(3)), Interval(Significant(3), "{} to {}")
    >>> brackets.text(0.1, 0.25), words.text(0.1, 0.25), words.text(0.0, 0.25, at_most=True)
    ('[0.100, 0.250]', '0.100 to 0.250', 'at most 0.250')
    """

    end: Format = Significant(4)  # noqa: RUF009 - a value
    template: str = "[{}, {}]"

    def text(
        self,
        low: float | None,
        high: float | None,
        *,
        at_most: bool = False,
        at_limit: Sequence[str] = (),
    ) -> str:
        """Both ends for a terminal."""
        if low is None or high is None or isnan(low) or isnan(high):
            return DASH
        least = f"{'<' if 'low' in at_limit else ''}{self.end.text(low)}"
        greatest = f"{'>' if 'high' in at_limit else ''}{self.end.text(high)}"
        return f"at most {greatest}" if at_most else self.template.format(least, greatest)


def _rounded(value: float, digits: int, largest: float, whole: str = "") -> str:
    """The number rounded to significant digits, with an exponent below `SMALLEST_PLAIN` and from
    `largest` on; `whole` is the text of a number that has more digits before its point.
    """
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    rounded = float(f"{mantissa}e{power}")
    if rounded == 0.0:
        return "0"
    if not SMALLEST_PLAIN <= abs(rounded) < largest:
        return f"{mantissa}e{int(power)}"
    places = digits - 1 - int(power)
    return whole if whole and places < 0 else f"{rounded:.{max(0, places)}f}"


def _trimmed(text: str) -> str:
    """The number without trailing zeros behind its point."""
    return text.rstrip("0").rstrip(".") if "." in text else text
