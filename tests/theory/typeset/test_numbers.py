"""Formats of numbers; every expected string was written by hand."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isoflop.theory.typeset.numbers import (
    Count,
    Format,
    Interval,
    Percent,
    Places,
    Shortest,
    Significant,
    in_latex,
)


@pytest.mark.parametrize(
    ("form", "value", "text", "latex"),
    [
        (Significant(6), 0.3473104974, "0.347310", "$0.347310$"),
        (Significant(4), 1.8e21, "1.800e21", r"$1.800 \times 10^{21}$"),
        (Significant(3), -0.5, "-0.500", "$-0.500$"),
        (Significant(3), 0.0, "0", "$0$"),
        (Significant(3), 9.999e5, "1.00e6", r"$1.00 \times 10^{6}$"),
        (Significant(2), 1e-4, "0.00010", "$0.00010$"),
        (Shortest(4), -0.0, "0", "$0$"),
        (Shortest(3), 2708.498, "2710", "$2710$"),
        (Shortest(4), 1e21, "1e21", "$10^{21}$"),
        (Shortest(9), 3826719.787, "3826719.79", "$3826719.79$"),
        (Places(3, sign=True), 0.01, "+0.010", "$+0.010$"),
        (Percent(), 0.99999, ">99.9 %", r"$>99.9\,\%$"),
        (Percent(), 0.0, "0 %", r"$0\,\%$"),
        (Percent(), 3.1e-9, "3.1e-7 %", r"$3.1 \times 10^{-7}\,\%$"),
        (Percent(), 2e7, "2e7x", r"$2 \times 10^{7}\times$"),
        (Percent(places=2, sign=True), 0.01234, "+1.23 %", r"$+1.23\,\%$"),
        (Count(), 7.2213e10, "72.2B", "72.2B"),
    ],
)
def test_a_number_in_text_and_latex(form: Format, value: float, text: str, latex: str) -> None:
    assert (form.text(value), form.latex(value)) == (text, latex)


def test_what_is_no_number_is_a_dash_and_infinite_numbers_are_named() -> None:
    for form in (Significant(3), Shortest(3), Places(3), Percent(), Count()):
        assert form.text(None) == form.text(math.nan) == "-"
        assert form.latex(None) == form.latex(math.nan) == "---"
    assert Significant(3).text(math.inf) == "inf"
    assert Significant(3).text(-math.inf) == "-inf"
    assert Significant(3).latex(-math.inf) == r"$-\infty$"
    assert Percent().text(math.inf) == Percent().latex(math.inf) == "never"


@given(st.floats(1e-300, 1e300), st.integers(2, 12))
def test_a_number_reads_back_to_its_digits(value: float, digits: int) -> None:
    relative = 0.5000001 * 10.0 ** (1 - digits)  # half a unit of the last digit, and rounding
    for form in (Significant(digits), Shortest(digits)):
        assert float(form.text(value)) == pytest.approx(value, rel=relative)


TWO = Interval(Significant(2))


@pytest.mark.parametrize(
    ("interval", "ends", "named", "text", "latex"),
    [
        (TWO, (0.1, 0.25), {}, "[0.10, 0.25]", r"$[0.10,\ 0.25]$"),
        (TWO, (2.0, 3.4e10), {}, "[2.0, 3.4e10]", r"$[2.0,\ 3.4 \times 10^{10}]$"),
        (Interval(Percent(3)), (2.29e-4, 0.02), {}, "[0.0229 %, 2 %]", r"$[0.0229\,\%,\ 2\,\%]$"),
        (Interval(Significant(2), "{} to {}"), (0.1, 0.2), {}, "0.10 to 0.20", "$0.10$ to $0.20$"),
        (TWO, (-math.inf, 0.2), {}, "[-inf, 0.20]", r"$[-\infty,\ 0.20]$"),
        (TWO, (None, 0.2), {}, "-", "---"),
        (TWO, (0.1, math.nan), {}, "-", "---"),
        (TWO, (0.1, 0.2), {"at_limit": ("low",)}, "[<0.10, 0.20]", r"$[<0.10,\ 0.20]$"),
        (TWO, (0.1, 0.2), {"at_limit": ("high",)}, "[0.10, >0.20]", r"$[0.10,\ >0.20]$"),
        (TWO, (0.1, 0.2), {"at_most": True}, "at most 0.20", "at most $0.20$"),
    ],
)
def test_an_interval(
    interval: Interval, ends: Any, named: dict[str, Any], text: str, latex: str
) -> None:
    assert interval.text(*ends, **named) == text
    assert in_latex(interval.text(*ends, **named)) == latex
