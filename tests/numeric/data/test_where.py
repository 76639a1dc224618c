"""Conditions on rows: what is read, three-valued logic, and what is said about mistakes."""

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isoflop.numeric.data.where import Where
from isoflop.numeric.errors import ArgumentError

NUMBERS = {"a": np.array([1.0, 2.0, 3.0, 7e9]), "b": np.array([4.0, 3.0, 3.0, -1.5])}
TEXTS = {"source": np.array(["x", "y", "it's", "x"], dtype=object)}
FLAGS = {"done": np.array([True, False, True, True])}
ROWS: dict[str, Any] = {
    **NUMBERS,
    **TEXTS,
    **FLAGS,
    "Model Size": np.array([1.0, 2.0, 3.0, 4.0]),
    "`": np.arange(4),
}


def selected(text: str, rows: dict[str, Any] = ROWS) -> list[int]:
    """The numbers of the rows for which the condition is true, from 0."""
    length = len(next(iter(rows.values())))
    return np.flatnonzero(Where.parse(text).evaluate(rows, rows, length).true).tolist()


def complaint(text: str, rows: dict[str, Any] = ROWS) -> str:
    with pytest.raises(ArgumentError) as caught:
        selected(text, rows)
    assert caught.value.argument == "where"
    assert str(caught.value) == f"where={caught.value.value!r}: {caught.value.complaint}"
    return caught.value.complaint


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a == 7B", [3]),
        ("a < 1.4T and a > 6.9e9", [3]),
        ("a > 300%", [3]),
        ("1 < a < b", [1]),
        ("3 == a == b", [2]),
        ("a/b > .5", [1, 2]),
        ("a - b*2 < -2 or b < 0", [0, 1, 2, 3]),
        ("2**-1 == .5 and a == 1", [0]),
        ("2**3**0 == 2 and a == 1", [0]),
        ("8/4/2 == 1 and a == 1", [0]),
        ("8-4-2 == 2 and a == 1", [0]),
        ("-(a + 1) < -3", [2, 3]),
        ("+a == --1", [0]),
        ("NOT a < 3 AND b < 0", [3]),
        ('source == "it\'s"', [2]),
        ("source == 'it''s'", [2]),
        ("'y' == source", [1]),
        ("source in ('x', \"y\",)", [0, 1, 3]),
        ("source not in ('x')", [1, 2]),
        ("a in (1, 3, 7B)", [0, 2, 3]),
        ("b in (-1.5, +4)", [0, 3]),
        ("a + 1 in (2, 3)", [0, 1]),
        ("`Model Size` >= 3", [2, 3]),
        ("```` > 2", [3]),
        ("done", [0, 2, 3]),
        ("not done", [1]),
        ("done and a < 3", [0]),
        ("a/0 > 1e300", [0, 1, 2, 3]),
        ("1 < 2", [0, 1, 2, 3]),
        (" a<3\tand\nb>3 ", [0]),
    ],
)
def test_rows_that_are_selected(text: str, rows: list[int]) -> None:
    assert selected(text) == rows


#: What the complaint about a mistake names: the token and its position, the cure, or the column.
MISTAKES = [
    ("", "ends where"),
    ("a <", "ends where"),
    ("a < 3 b", "b at position 7"),
    ("a = 3", "= at position 3; write =="),
    ("a < 3 && b > 1", "&& at position 7; write and"),
    ("a < 7Q", "7Q at position 5"),
    ("a < 1.2.3", "1.2.3 at position 5"),
    ("a < 1e400", "1e400 at position 5: beyond the largest float"),
    ("source == 'x", "' at position 11"),
    ("`Model < 3", "` at position 1"),
    ("a[0] < 1", "[ at position 2"),
    ("a in ()", "no choices"),
    ("a in (1) < 3", "stands alone"),
    ("a, b", "position 1"),
    ("a < (1, 2)", "position 5"),
    ("abs(a) < 3", "abs at position 1"),
    ("__import__('os').system('true') == 0", ".system at position 17"),
    ("a == a.__class__", ".__class__ at position 7"),
    ("lambda: a", ": at position 7"),
    ("sorce == 'x'", "no column 'sorce' at position 1 (did you mean source?)"),
    ("`model size` < 1", "no column 'model size' at position 1 (did you mean Model Size?)"),
    ("a == 'x'", "a (numbers) and 'x' (text)"),
    ("source < 3", "source (text) and 3 (numbers)"),
    ("source < 'x'", "order source (text)"),
    ("done == 1", "done (truth values) and 1 (numbers)"),
    ("source + 1 > 2", "source (text)"),
    ("-done > 2", "done (truth values)"),
    ("a + 1", "an expression (numbers) is no condition"),
    ("(a < 1) < 2", "an expression (truth values) and 2 (numbers)"),
    ("(" * 999 + "a" + ")" * 999 + " < 1", ""),
    ("not " * 990 + "done", "nested too deeply"),
    ("a < 1 or " * 1000 + "a < 1", "has 9005 characters"),
]


@pytest.mark.parametrize(("text", "named"), MISTAKES)
def test_mistakes_are_named(text: str, named: str) -> None:
    assert named in complaint(text)


def test_long_but_flat_conditions_are_read() -> None:
    assert selected(" or ".join(["a < 2"] * 400)) == [0]


@pytest.mark.parametrize("text", [3, None, b"a < 3"])
def test_a_condition_is_a_text(text: Any) -> None:
    with pytest.raises(ValueError, match="must be a text such as"):
        Where.parse(text)


def test_an_error_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(ArgumentError("where", "a <", complaint="ends")))
    assert (str(error), error.argument, error.value) == ("where='a <': ends", "where", "a <")


def test_backticks_mean_the_column_of_the_source() -> None:
    bare, quoted = {"N": np.array([1.0, 2.0])}, {"N": np.array([3.0, 0.0])}
    assert Where.parse("N > 1").evaluate(bare, quoted, 2).true.tolist() == [False, True]
    assert Where.parse("`N` > 1").evaluate(bare, quoted, 2).true.tolist() == [True, False]


# -- three values ------------------------------------------------------------------------------------------------------

GAPS: dict[str, Any] = {
    "x": np.array([1.0, math.nan, 3.0]),
    "s": np.array(["u", None, "v"], dtype=object),
    "f": np.array([True, None, False], dtype=object),
    "i": np.array([1, None, 10**400], dtype=object),
    "empty": np.array([None, None, None], dtype=object),
}


@pytest.mark.parametrize(
    ("text", "true", "false"),
    [
        ("x < 2", [0], [2]),
        ("not x < 2", [2], [0]),
        ("x != 1", [2], [0]),
        ("x == x", [0, 2], []),
        ("s == 'u'", [0], [2]),
        ("s != 'u'", [2], [0]),
        ("not s in ('u', 'w')", [2], [0]),
        ("f", [0], [2]),
        ("not f", [2], [0]),
        ("i < 5", [0], [2]),
        ("i > 5", [2], [0]),
        ("empty < 1", [], []),
        ("x < 2 or 1 < 2", [0, 1, 2], []),
        ("x < 2 and 2 < 1", [], [0, 1, 2]),
        ("x < 2 and s == 'u'", [0], [2]),
        ("0*x/0 < 1", [], []),
    ],
)
def test_an_empty_cell_makes_neither_true_nor_false(
    text: str, true: list[int], false: list[int]
) -> None:
    truth = Where.parse(text).evaluate(GAPS, GAPS, 3)
    assert np.flatnonzero(truth.true).tolist() == true
    assert np.flatnonzero(truth.unknown).tolist() == sorted({0, 1, 2} - {*true, *false})


# -- against Python ----------------------------------------------------------------------------------------------------

sums = st.recursive(
    st.sampled_from(["a", "b", "1", "2.5", "0.5", "1e3"]),
    lambda part: st.one_of(
        st.builds("({} {} {})".format, part, st.sampled_from("+-*"), part),
        st.builds("{} {} {}".format, part, st.sampled_from("+-*"), part),
        st.builds("-{}".format, part),
        st.builds("({})**2".format, part),
    ),
    max_leaves=6,
)
comparisons = st.one_of(
    st.builds("{} {} {}".format, sums, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), sums),
    st.builds("{} < {} <= {}".format, sums, sums, sums),
    st.builds("{} {} ('x', 'it''s')".format, st.just("source"), st.sampled_from(["in", "not in"])),
    st.builds("source {} '{}'".format, st.sampled_from(["==", "!="]), st.sampled_from("xyz")),
)
conditions = st.recursive(
    comparisons,
    lambda part: st.one_of(
        st.builds("{} {} {}".format, part, st.sampled_from(["and", "or"]), part),
        st.builds("({} {} {})".format, part, st.sampled_from(["and", "or"]), part),
        st.builds("not {}".format, part),
        st.builds("not ({})".format, part),
    ),
    max_leaves=8,
)


@given(conditions)
def test_where_nothing_is_missing_python_agrees(text: str) -> None:
    columns = {
        "a": [0.0, 1.0, 2.5, -3.0],
        "b": [1.0, 1.0, 1e3, 0.5],
        "source": ["x", "y", "z", "its"],
    }
    arrays: dict[str, Any] = {
        "a": np.array(columns["a"]),
        "b": np.array(columns["b"]),
        "source": np.array(columns["source"], dtype=object),
    }
    mine = Where.parse(text.replace("'it''s'", "'its'")).evaluate(arrays, arrays, 4)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    assert mine.true.tolist() == [bool(eval(text, {}, row)) for row in rows]
    assert not mine.unknown.any()


@given(st.text(alphabet="ab13.<>=!()+-*/'`, \nandortinx%B", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        truth = Where.parse(text).evaluate(ROWS, ROWS, 4)
    except ArgumentError:
        return
    assert truth.true.shape == truth.unknown.shape == (4,)
    assert not (truth.true & truth.unknown).any()
