"""Expressions on columns: which rows a condition selects, empty cells, and what is refused."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from isoflop.numeric.data.where import evaluated, holds
from isoflop.numeric.errors import ArgumentError

CELLS: dict[str, Any] = {
    "a": [1.0, 2.0, 3.0, 7e9],
    "b": [4.0, 3.0, np.nan, -1.5],
    "source": ["x", "y", "it's", None],
    "done": [True, False, True, False],
    "Model Size": [1.0, 2.0, 3.0, 4.0],
    "n": [1, 2, 3, 7 * 10**18],
    "size": ["0.014B", "7 b", "2e9", "large"],
    "mixed": ["1", "diverged", "3.5", None],
}
ROWS = pd.DataFrame(CELLS)
CONDITIONS = {
    "a == 7e9": [3],
    "1 < a < b": [1],
    "a/b > .5 and b > 0": [1],
    "(a < 3) & (b > 3)": [0],
    "not a < 3 and b < 0": [3],
    "log10(a) > 9 or abs(b) == 4": [0, 3],
    'source == "it\'s"': [2],
    "source in ('x', \"y\")": [0, 1],
    "source not in ['x'] and a < 3": [1],
    "`Model Size` >= 3": [2, 3],
    "not done": [1, 3],
    "a/0 > 1e300": [0, 1, 2, 3],
    "n*n > 1": [1, 2, 3],
    "1 < 2": [0, 1, 2, 3],
    "mixed > 2": [2],
    "size > 1e9": [1, 2],
    "size == '7 b'": [1],
}
NOT_CONDITIONS = (
    *("", "a <", "a = 3", "a < 7Q", "source == 'x", "a & b", "a, b", "a + 1", "source < 3"),
    *("a[0] < 1", "a.max() < 3", "max(a) < 3", "abs(a, a) < 3", "@a < 1", "lambda: a"),
    *("__import__('os').system('true') == 0", "a == a.__class__", "a.to_csv('x') == 1"),
    *("[b for b in a] == 1", "(b := a) == 1", "f'{a}' == 'x'", "`__x__`.y", "log(source) > 1"),
    *("(" * 999 + "a" + ")" * 999 + " < 1", "not " * 990 + "done"),
    *(3, None),
)


def mask(text: Any) -> Any:
    return holds(text, ROWS, "the table", "where")


@pytest.mark.parametrize("text", CONDITIONS)
def test_conditions(text: str) -> None:
    assert np.flatnonzero(mask(text)).tolist() == CONDITIONS[text]


@pytest.mark.parametrize("text", NOT_CONDITIONS)
def test_what_is_not_a_condition_is_refused(text: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        mask(text)
    assert caught.value.argument == "where"
    assert "\n" not in str(caught.value)


def test_columns_that_are_not_there() -> None:
    with pytest.raises(ArgumentError, match=r"no column 'sorce' \(did you mean source\?\); the"):
        mask("sorce == 'x'")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("log(`Model Size`)*2 + b", np.log(ROWS["Model Size"]) * 2 + ROWS["b"]),
        ("mixed*1e9", [1e9, np.nan, 3.5e9, np.nan]),
        ("size/2 + `a`", [7e6 + 1.0, 3.5e9 + 2.0, 1e9 + 3.0, np.nan]),
        ("source + source", ["xx", "yy", "it'sit's", None]),
    ],
)
def test_quantities(text: str, expected: Any) -> None:
    """Text in a column that holds numbers too counts as an empty cell, unless it need be no number."""
    found = evaluated(text, ROWS, "data", "columns")
    pd.testing.assert_series_equal(pd.Series(found), pd.Series(expected), check_names=False)
