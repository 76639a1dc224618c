"""Numbers as people type them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isoflop.cli.arguments import number as parse

SPELT = {
    **{"7e9": 7e9, "7B": 7e9, "7b": 7e9, "1.4T": 1.4e12, "500M": 5e8, "20k": 2e4, "20K": 2e4},
    **{"1%": 0.01, "12.5%": 0.125, "1e-3%": 1e-5, "0.1k": 100.0, "1_000_000": 1e6},
    **{" 3 ": 3.0, "+3": 3.0, "-3": -3.0, ".5": 0.5, "5.": 5.0, "0": 0.0, "0e999": 0.0},
    **{"5.76E23": 5.76e23, "4.9e-324": 5e-324, "1.7976931348623157e308": 1.7976931348623157e308},
}
GARBAGE = (
    *("", " ", "abc", "1.2.3", "1e", "e5", "1e5.5", "0x10", "1,5", "1__0", "_1", "7 B", "7m", "7X"),
    *("7BB", "7e9B", "--1", "1+1", "1/2", "٣", "𝟓", "−1", "∞", "1e999", "1e-999", "1e" + "9" * 60),
    *("9" * 5000, "True", "None", "1j", ".", "%"),
)


def test_spellings() -> None:
    assert {text: parse(text) for text in SPELT} == SPELT


@pytest.mark.parametrize("text", GARBAGE, ids=[text[:9] for text in GARBAGE])
def test_garbage(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_read_back(value: float) -> None:
    assert parse(repr(value)) == value
