"""Expressions on columns: which rows a condition selects, empty cells, and what is refused."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isoflop.numeric.data.where import computed, holds, named
from isoflop.numeric.errors import ArgumentError

ROWS: dict[str, Any] = {
    "a": np.array([1.0, 2.0, 3.0, 7e9]),
    "b": np.array([4.0, 3.0, np.nan, -1.5]),
    "source": np.array(["x", "y", "it's", None], dtype=object),
    "done": np.array([True, False, True, False]),
    "Model Size": np.array([1.0, 2.0, 3.0, 4.0]),
}


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a == 7e9", [3]),
        ("1 < a < b", [1]),
        ("a/b > .5 and b > 0", [1]),
        ("not a < 3 and b < 0", [3]),
        ("-(a + 1) < -3", [2, 3]),
        ("log10(a) > 9 or abs(b) == 4", [0, 3]),
        ('source == "it\'s"', [2]),
        ("source in ('x', \"y\")", [0, 1]),
        ("source not in ['x'] and a < 3", [1]),
        ("a in (1, 3, 7e9)", [0, 2, 3]),
        ("`Model Size` >= 3", [2, 3]),
        ("not done", [1, 3]),
        ("a/0 > 1e300", [0, 1, 2, 3]),
        ("1 < 2", [0, 1, 2, 3]),
    ],
)
def test_conditions(text: str, rows: list[int]) -> None:
    """A comparison with an empty cell is false."""
    assert np.flatnonzero(holds(text, ROWS)).tolist() == rows


def test_a_condition_may_have_to_hold_or_not_at_every_row() -> None:
    assert holds("a > 1", ROWS, everywhere=True).tolist() == [False, True, True, True]
    with pytest.raises(ArgumentError, match="a column that is empty in 1 row of 4"):
        holds("a > 1 and b > 0", ROWS, everywhere=True)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "a <",
            "a = 3",
            "a < 7Q",
            "a < 4or b > 1",
            "source == 'x",
            "a & b",
            "a, b",
            "a + 1",
            "source < 3",
        ),
        *("a[0] < 1", "a.max() < 3", "max(a) < 3", "abs(a, a) < 3", "@a < 1", "lambda: a"),
        *("__import__('os').system('true') == 0", "a == a.__class__", "a.to_csv('x') == 1"),
        *("[b for b in a] == 1", "(b := a) == 1", "f'{a}' == 'x'", "9**9**9**9 > a", "`__x__`.y"),
        *("log(source) > 1", "'a'*9 == source", "(" * 999 + "a" + ")" * 999 + " < 1"),
        *("not " * 990 + "done", "a < 1 or " * 1000 + "a < 1", 3, None),
    ],
)
def test_what_is_no_condition_is_refused(text: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        holds(text, ROWS)
    assert caught.value.argument == "where"
    assert "\n" not in str(caught.value)


def test_a_column_that_is_not_there_is_named_with_what_is_near() -> None:
    with pytest.raises(ArgumentError, match=r"no column 'sorce' \(did you mean source\?\); the"):
        holds("sorce == 'x'", ROWS)


def test_quantities() -> None:
    assert named("log(`tokens (B)`*1e9) - a") == ("a", "tokens (B)")
    assert named("Model Size") == ()
    values = computed("log(`Model Size`)*2 + b", ROWS, "data")
    expected = np.log(ROWS["Model Size"]) * 2 + ROWS["b"]
    assert np.array_equal(values, expected, equal_nan=True)
    both = computed("source + source", ROWS, "data").tolist()
    assert both[:2] == ["xx", "yy"]
    with pytest.raises(ArgumentError, match="is a condition, not a number"):
        computed("a < 2", ROWS, "data")


@given(st.text(alphabet="ab13.<>=!()+-*/'`, \nandortinx%B", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert holds(text, ROWS).shape == (4,)
    except ArgumentError:
        return
