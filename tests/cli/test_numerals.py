"""Numbers as people type them."""

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isoflop.cli.arguments import SIGNED, nonnegative, positive
from isoflop.cli.errors import UsageError
from isoflop.cli.render import count, number, percent
from isoflop.numeric.data.numerals import parse

POWERS = {"": 0, "k": 3, "K": 3, "M": 6, "b": 9, "B": 9, "t": 12, "T": 12, "%": -2}

digits = st.from_regex(r"[0-9]{1,17}(\.[0-9]{0,17})?|\.[0-9]{1,17}", fullmatch=True)


def exact(text: str, power: int) -> Fraction:
    """The number that the digits stand for, by hand."""
    whole, _, part = text.partition(".")
    return Fraction(int(whole + part or "0")) / 10 ** len(part) * Fraction(10) ** power


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7e9", 7e9),
        ("7B", 7e9),
        ("7b", 7e9),
        ("1.4T", 1.4e12),
        ("500M", 5e8),
        ("20k", 2e4),
        ("20K", 2e4),
        ("1%", 0.01),
        ("12.5%", 0.125),
        ("1e-3%", 1e-5),
        (" 3 ", 3.0),
        ("+3", 3.0),
        ("-3", -3.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("1_000_000", 1e6),
        ("5.76E23", 5.76e23),
        ("0", 0.0),
        ("0e999", 0.0),
        ("0.1k", 100.0),
        ("4.9e-324", 5e-324),
        ("1.7976931348623157e308", 1.7976931348623157e308),
    ],
)
def test_spellings(text: str, value: float) -> None:
    assert parse(text) == value


@given(digits, st.integers(-300, 280), st.sampled_from(["", "+", "-"]))
def test_exponents_are_rounded_once(text: str, exponent: int, sign: str) -> None:
    number = exact(text, exponent)
    if number and not 1e-307 < number < 1e307:
        return
    assert parse(f"{sign}{text}e{exponent}") == float(-number if sign == "-" else number)


@given(digits, st.sampled_from(sorted(POWERS)))
def test_suffixes_are_rounded_once(text: str, suffix: str) -> None:
    assert parse(text + suffix) == float(exact(text, POWERS[suffix]))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_read_back(value: float) -> None:
    assert parse(repr(value)) == value


@given(st.text(max_size=120))
def test_other_text_is_a_value_error_or_a_number(text: str) -> None:
    try:
        value = parse(text)
    except ValueError:
        return
    assert isinstance(value, float)
    assert re.search("[0-9]|inf|nan", text, re.IGNORECASE)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "abc",
        "1.2.3",
        "1e",
        "e5",
        "1e5.5",
        "0x10",
        "1,5",
        "1__0",
        "_1",
        "7 B",
        "7m",
        "7X",
        "7BB",
        "7e9B",
        "--1",
        "1+1",
        "1/2",
        "٣",
        "𝟓",
        "−1",
        "∞",
        "1e999",
        "1e-999",
        "1e" + "9" * 60,
        "9" * 5000,
        "True",
        "None",
        "1j",
        ".",
        "%",
    ],
)
def test_garbage(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse(text)
    with pytest.raises(UsageError) as caught:
        positive("--compute", text)
    message = str(caught.value)
    assert message.startswith("--compute ")
    assert "must be a positive finite number" in message
    assert "\n" not in message
    assert len(message) < 400


@pytest.mark.parametrize(
    "text", ["0", "-0", "0.0", "-1e20", "-5%", "nan", "NaN", "inf", "-inf", "Infinity"]
)
def test_positive_domain(text: str) -> None:
    with pytest.raises(UsageError, match="must be a positive finite number") as caught:
        positive("--ratio", text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("text", ["-1", "nan", "inf", "-1e-300"])
def test_nonnegative_domain(text: str) -> None:
    with pytest.raises(UsageError, match="must be a finite number of at least 0"):
        nonnegative("--E", text)


def test_nonnegative_holds_zero() -> None:
    assert nonnegative("--E", "0") == 0.0


@pytest.mark.parametrize("word", ["-1", "-1e20", "-.5", "-5%", "-inf", "-Infinity", "-nan", "-7B"])
def test_signed_words_are_values(word: str) -> None:
    assert SIGNED.match(word)


@pytest.mark.parametrize("word", ["-h", "--1", "-information", "--inf", "-x", "-", "1"])
def test_other_words_are_none(word: str) -> None:
    assert not SIGNED.match(word)


# What is printed.


@given(st.floats(min_value=1e-300, max_value=1e300))
def test_counts_may_be_typed_again(value: float) -> None:
    assert math.isclose(parse(count(value)), value, rel_tol=5.0001e-3)


@given(st.floats(min_value=-1e300, max_value=1e300), st.integers(3, 8))
def test_numbers_keep_their_digits(value: float, digits: int) -> None:
    assert math.isclose(float(number(value, digits)), value, rel_tol=0.50001 * 10.0 ** (1 - digits))


@given(st.floats(min_value=0.0, max_value=1e300))
def test_percentages(value: float) -> None:
    text = percent(value)
    if text.startswith(">"):
        assert 0.999 < value < 1.0
    elif text.endswith("x"):
        assert value > 1e6
        assert math.isclose(float(text.removesuffix("x")), value, rel_tol=5.0001e-3)
    else:
        assert math.isclose(
            float(text.removesuffix(" %")), 100.0 * value, rel_tol=5.0001e-3, abs_tol=1e-322
        )


def test_percentage_out_of_reach() -> None:
    assert percent(math.inf) == "never"
    assert percent(-0.0) == "0 %"
    assert percent(0.99999) == ">99.9 %"
