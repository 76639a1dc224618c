r"""How numbers are written, in text and in LaTeX: one format says both.

==================  ============  ==========  ====================================
format              0.00001234    1834567     for
==================  ============  ==========  ====================================
``Significant(3)``  1.23e-5       1.83e6      estimates: zeros at the end stay
``Shortest(3)``     1.23e-5       1.83e6      what somebody chose: 0.5, not 0.500
``Places(4)``       0.0000        1.8346e6    a column of losses
``Percent(3)``      0.00123 %     1.83e6x     shares
``Count()``         1.23e-5       1.83M       params and tokens, as they are typed
==================  ============  ==========  ====================================

``format.text(x)`` is for a terminal, ``format.latex(x)`` the same digits for LaTeX: with dollars, and
with ``\times 10^{n}`` for an exponent. None and NaN are a dash. An infinite number is "inf", or the word
that the format gives it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isinf, isnan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Count", "Format", "Interval", "Percent", "Places", "Shortest", "Significant"]

#: A number is written for a terminal or for LaTeX.
TEXT, LATEX = "text", "latex"
#: What stands for a number that is not there.
DASHES = {TEXT: "-", LATEX: "---"}
#: Numbers from here to there are written without an exponent.
SMALLEST_PLAIN, LARGEST_PLAIN = 1e-4, 1e6
SUFFIXES = ((12, "T"), (9, "B"), (6, "M"), (3, "k"))
#: A larger share is written as a multiple.
LARGEST_SHARE = 1e6


@dataclass(frozen=True)
class Format:
    """How a number is written; a subclass defines `finite`, the text of a finite number.

    Attributes
    ----------
    digits : int
    infinite : str
        What an infinite number is called.
    """

    digits: int = 4
    infinite: str = "inf"

    def text(self, value: float | None) -> str:
        """The number for a terminal."""
        return self.written(value, TEXT)

    def latex(self, value: float | None) -> str:
        """The number for LaTeX, in mathematics; the word for an infinite one as text."""
        return self.written(value, LATEX)

    def written(self, value: float | None, mode: str) -> str:
        """The number as "text" or as "latex"."""
        if value is None or isnan(value):
            return DASHES[mode]
        if not isinf(value):
            return self.finite(value) if mode == TEXT else f"${self.finite_latex(value)}$"
        sign = "-" if value < 0 else ""
        is_symbol = mode == LATEX and self.infinite == "inf"
        return rf"${sign}\infty$" if is_symbol else f"{sign}{self.infinite}"

    def finite(self, value: float) -> str:
        """The text of a finite number."""
        raise NotImplementedError

    def finite_latex(self, value: float) -> str:
        r"""The LaTeX of a finite number, without dollars.

        >>> print(Shortest(3).finite_latex(1.83e6), Percent().finite_latex(0.2079))
        1.83 \times 10^{6} 20.8\,\%
        """
        text = re.sub(r"(?<![\d.])1e(-?\d+)", r"10^{\1}", self.finite(value))
        text = re.sub(r"e(-?\d+)", r" \\times 10^{\1}", text).replace(" %", r"\,\%")
        return re.sub(r"x$", r"\\times", re.sub(r"([TBMk])$", r"\\mathrm{\1}", text))


class Significant(Format):
    r"""So many significant digits, zeros at the end among them.

    >>> form = Significant(3)
    >>> [form.text(x) for x in (0.5, 2143.417, 1.8e21, 0.0, None)]
    ['0.500', '2143', '1.80e21', '0', '-']
    >>> print(form.latex(0.5), form.latex(1.8e21))
    $0.500$ $1.80 \times 10^{21}$
    """

    def finite(self, value: float) -> str:
        if value == 0.0:
            return "0"
        mantissa, _, power = f"{value:.{self.digits - 1}e}".partition("e")
        rounded = float(f"{mantissa}e{power}")
        if not SMALLEST_PLAIN <= abs(rounded) < LARGEST_PLAIN:
            return f"{mantissa}e{int(power)}"
        places = self.digits - 1 - int(power)
        # A number with more digits before its point than were asked for keeps them all.
        return f"{rounded:.{places}f}" if places >= 0 else f"{value:.0f}"


class Shortest(Format):
    r"""At most so many significant digits, without zeros at the end.

    >>> form = Shortest(4)
    >>> [form.text(x) for x in (0.5, 18.4123, 5.76e23, 2708.498)]
    ['0.5', '18.41', '5.76e23', '2708']
    >>> print(form.latex(0.5), form.latex(1e21))
    $0.5$ $10^{21}$
    """

    def finite(self, value: float) -> str:
        mantissa, _, power = f"{value:.{self.digits - 1}e}".partition("e")
        rounded = float(f"{mantissa}e{power}")
        if rounded == 0:
            return "0"
        # Up to as many digits before the point as were asked for, a number needs no exponent.
        largest = max(LARGEST_PLAIN, 10.0**self.digits)
        if not SMALLEST_PLAIN <= abs(rounded) < largest:
            return f"{_trimmed(mantissa)}e{int(power)}"
        return _trimmed(f"{rounded:.{max(0, self.digits - 1 - int(power))}f}")


@dataclass(frozen=True)
class Places(Format):
    """So many places behind the point; from `largest` on, so many significant digits and one more.

    >>> [Places(4).text(x) for x in (2.5, 12345.67)], Places(3, sign=True).text(0.01)
    (['2.5000', '12346'], '+0.010')
    """

    sign: bool = False
    largest: float = 1e4

    def finite(self, value: float) -> str:
        if abs(value) >= self.largest:
            plus = "+" if self.sign and value > 0.0 else ""
            return plus + Significant(self.digits + 1).finite(value)
        return f"{value:{'+' if self.sign else ''}.{self.digits}f}"


@dataclass(frozen=True)
class Percent(Format):
    r"""A share in per cent: shortest digits or, with `places`, so many places behind the point.

    Without places a share from 1 on has one more digit, one just below 1 is never written as 100 %,
    and one beyond a million is a multiple. An infinite share is "never", which is what an overhead
    that nothing reaches means.

    >>> [Percent(3).text(x) for x in (0.2079, 1.8861, 0.9999, 1e999)]
    ['20.8 %', '188.6 %', '>99.9 %', 'never']
    >>> Percent(places=2, sign=True).text(0.01234)
    '+1.23 %'
    """

    digits: int = 3
    infinite: str = "never"
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
    r"""Params or tokens, as they may be typed again.

    >>> [Count().text(x) for x in (7.2213e10, 1.33e12, 999999.0, 12.0, 3e20)]
    ['72.2B', '1.33T', '1M', '12', '3e20']
    >>> print(Count().latex(7.2213e10), Count().latex(3e20))
    72.2B $3 \times 10^{20}$
    """

    digits: int = 3

    def written(self, value: float | None, mode: str) -> str:
        """The number; in LaTeX with a suffix as text, without one in mathematics."""
        text = super().written(value, TEXT)
        return text if mode == TEXT or text[-1] in "TBMk" else super().written(value, mode)

    def finite(self, value: float) -> str:
        rounded = float(f"{value:.{self.digits - 1}e}")
        for exponent, suffix in SUFFIXES:
            if 10.0**exponent <= rounded < 10.0 ** (exponent + 3):
                return _trimmed(f"{rounded / 10.0**exponent:.{self.digits}f}") + suffix
        return Shortest(self.digits).finite(value)


@dataclass(frozen=True)
class Interval:
    r"""How the two ends of an interval are written.

    A missing end makes a dash. An interval that is bounded above alone is "at most" its upper end.
    An end at a limit of the search bounds nothing and is marked: "<" before a lower one, ">" before
    an upper one.

    Attributes
    ----------
    end : Format
        Of each end.
    opening, separator, closing : str
        Around and between the ends in text; LaTeX has brackets where the text has them, else the
        word "to".

    Examples
    --------
    >>> brackets, words = Interval(Significant(3)), Interval(Significant(3), "", " to ", "")
    >>> brackets.text(0.1, 0.25), words.text(0.1, 0.25), words.text(0.0, 0.25, at_most=True)
    ('[0.100, 0.250]', '0.100 to 0.250', 'at most 0.250')
    >>> print(brackets.written(1.2e10, 3.4e10, mode="latex"))
    $[1.20 \times 10^{10},\ 3.40 \times 10^{10}]$
    """

    end: Format = Significant(4)  # noqa: RUF009 - a value
    opening: str = "["
    separator: str = ", "
    closing: str = "]"

    def text(self, low: float | None, high: float | None, *, at_most: bool = False) -> str:
        """Both ends for a terminal."""
        return self.written(low, high, at_most)

    def written(
        self,
        low: float | None,
        high: float | None,
        at_most: bool = False,
        at_limit: Sequence[str] = (),
        mode: str = TEXT,
    ) -> str:
        """Both ends as "text" or as "latex"."""
        if low is None or high is None or isnan(low) or isnan(high):
            return DASHES[mode]
        below, above = ("<", ">") if mode == TEXT else ("$<$", "$>$")
        least = f"{below if 'low' in at_limit else ''}{self.end.written(low, mode)}"
        greatest = f"{above if 'high' in at_limit else ''}{self.end.written(high, mode)}"
        if at_most:
            return f"at most {greatest}"
        if mode == TEXT:
            return f"{self.opening}{least}{self.separator}{greatest}{self.closing}"
        if self.opening != "[":
            return f"{least} to {greatest}"
        least, greatest = (end.replace("$$", "").strip("$") for end in (least, greatest))
        return rf"$[{least},\ {greatest}]$"


def _trimmed(text: str) -> str:
    """The number without zeros behind its point."""
    return text.rstrip("0").rstrip(".") if "." in text else text
