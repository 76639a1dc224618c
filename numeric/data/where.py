"""Expressions on the columns of a table: conditions on rows such as ``loss < 4.5 and source ==
'train'``, and quantities such as ``log(perplexity)``.

pandas evaluates them. Only comparisons, ``and``, ``or``, ``not``, ``in (...)``, arithmetic and
functions of numbers (`FUNCTIONS`) are allowed. A number may be spelt 7B, 1.4T or 1%, and a column
whose name is no word stands in backticks.
In a condition the names of the quantities and their letters (params or N, tokens or D, compute or C,
loss or L) mean the quantities, whatever their columns are called. A comparison with an empty cell is
false, as in pandas.

Examples
--------
>>> import numpy as np
>>> rows = {"loss": np.array([2.5, 4.6, np.nan]), "source": np.array(["a", "a", "b"], dtype=object)}
>>> holds("loss < 4.5 and source == 'a'", rows, rows, 3)
Selection(true=array([ True, False, False]), empty=array([False, False,  True]))
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError
from ..words import listed, one_line
from .numerals import parse

__all__ = ["Selection", "computed", "holds", "named", "parsed"]

LONGEST_TEXT = 4_000
#: What Python reads otherwise, or would not: a column in backticks and a number such as 7B; texts
#: stay as they are.
TOKEN = re.compile(
    r"""'[^']*'|"[^"]*"|`(?P<column>[^`]+)`|(?<![\w.])(?P<number>[\d_]*\.?\d+[kKMBbtT%])(?!\w)"""
)
FUNCTIONS = ("abs", "exp", "expm1", "floor", "log", "log10", "log1p", "sqrt")
OPERATIONS = (ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Compare, ast.Call)
OPERATORS = (
    *(ast.And, ast.Or, ast.Not, ast.USub, ast.UAdd, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow),
    *(ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq, ast.In, ast.NotIn),
)
LEAVES = (ast.Name, ast.Load, ast.Constant, ast.Tuple, ast.List)
EXAMPLE = "write as in \"loss < 4.5 and (source == 'a' or N >= 7e9)\""
#: How a column in backticks, and any column, is called while an expression is read.
QUOTED, COLUMN = "_quoted_", "_column_"


class Selection(NamedTuple):
    """Where a condition is true, and where a column that it names is empty."""

    true: Any
    empty: Any


class Parsed(NamedTuple):
    """An expression in which each column has a plain name: the name -> the column, and whether that
    stood in backticks.
    """

    tree: ast.expr
    columns: dict[str, tuple[str, bool]]


def parsed(text: str, argument: str = "where") -> Parsed:
    """The expression that a text spells, with nothing in it but what is allowed.

    Raises
    ------
    ArgumentError
        Naming the text and what cannot be read.
    """
    if not isinstance(text, str):
        raise ArgumentError(argument, text, "a text such as 'loss < 4.5'")
    if len(text) > LONGEST_TEXT:
        complaint = f"has {len(text)} characters; at most {LONGEST_TEXT} are read"
        raise ArgumentError(argument, f"{text[:40]}...", complaint=complaint)
    quoted: list[str] = []

    def plain(match: re.Match[str]) -> str:
        if match["column"]:
            quoted.append(match["column"])
            return f"{QUOTED}{len(quoted) - 1}"
        return repr(parse(match["number"])) if match["number"] else match[0]

    try:
        tree = ast.parse(TOKEN.sub(plain, text.strip()), mode="eval").body
        columns = _columns(tree, quoted)
    except SyntaxError as error:
        raise ArgumentError(argument, text, complaint=f"{error.msg}; {EXAMPLE}") from None
    except (RecursionError, MemoryError):
        raise ArgumentError(argument, text, complaint="is nested too deeply") from None
    except ValueError as error:
        raise ArgumentError(argument, text, complaint=one_line(error)) from None
    return Parsed(tree, columns)


def _columns(tree: ast.expr, quoted: list[str]) -> dict[str, tuple[str, bool]]:
    """The columns of a tree, each renamed there; whole numbers become floats."""
    functions = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    columns: dict[str, tuple[str, bool]] = {}
    for node in ast.walk(tree):
        if not isinstance(node, (*OPERATIONS, *OPERATORS, *LEAVES)):
            what = ast.unparse(node) if isinstance(node, ast.expr) else type(node).__name__
            raise ValueError(f"{what}: only comparisons, arithmetic and functions are allowed")
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            if name not in FUNCTIONS or len(node.args) != 1 or node.keywords:
                raise ValueError(f"{ast.unparse(node)}: functions are {', '.join(FUNCTIONS)}")
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, int) and not isinstance(node.value, bool):
                node.value = float(node.value)
            elif not isinstance(node.value, (float, str, bool)):
                raise ValueError(f"cannot read {node.value!r}")
        elif isinstance(node, ast.Name) and id(node) not in functions:
            place = node.id.removeprefix(QUOTED)
            is_quoted = node.id.startswith(QUOTED) and place.isdigit() and int(place) < len(quoted)
            column = (quoted[int(place)] if is_quoted else node.id, is_quoted)
            node.id = next(
                (name for name, known in columns.items() if known == column),
                f"{COLUMN}{len(columns)}",
            )
            columns[node.id] = column
    return columns


def named(text: str) -> tuple[str, ...]:
    """The columns that an expression names; none where it is no expression.

    >>> named("`tokens (B)`*1e9"), named("Model Size")
    (('tokens (B)',), ())
    """
    try:
        return tuple(name for name, _ in parsed(text).columns.values())
    except ArgumentError:
        return ()


def holds(
    text: str,
    bare: Mapping[str, Any],
    quoted: Mapping[str, Any],
    rows: int,
    source: str = "the table",
    argument: str = "where",
) -> Selection:
    """Where a condition holds.

    Parameters
    ----------
    text : str
    bare, quoted : mapping of str to ndarray
        The columns that a plain name and a name in backticks mean: numbers, truth values, or
        objects with None for an empty cell.
    rows : int
    source : str
        What holds the columns, for messages.
    argument : str
        The argument that holds the condition, for errors.

    Raises
    ------
    ArgumentError
        Where it cannot be read, there is no such column, or it is no condition.
    """
    found, empty = _evaluated(text, bare, quoted, rows, source, argument)
    if found.dtype.kind != "b":
        complaint = "is no condition: a comparison is expected"
        raise ArgumentError(argument, text, complaint=complaint)
    return Selection(found, empty)


def computed(
    text: str, columns: Mapping[str, Any], rows: int, source: str, argument: str = "columns"
) -> Any:
    """The numbers or texts of an expression on columns, (rows,); raises as `holds` does."""
    values, _ = _evaluated(text, columns, columns, rows, source, argument)
    if values.dtype.kind == "b":
        raise ArgumentError(argument, text, complaint="is a condition, not a number or a text")
    return values.astype(np.float64) if values.dtype.kind in "iuf" else values.astype(object)


def _evaluated(
    text: str,
    bare: Mapping[str, Any],
    quoted: Mapping[str, Any],
    rows: int,
    source: str,
    argument: str,
) -> tuple[Any, Any]:
    """The value of an expression at each row, and where a column that it names is empty."""
    import pandas as pd

    tree, names = parsed(text, argument)
    columns, empty = {}, np.zeros(rows, dtype=bool)
    for plain, (name, is_quoted) in names.items():
        among = quoted if is_quoted else bare
        if name not in among:
            complaint = (
                f"no column {name!r}{close_matches(name, [*among])}; {source} has {listed(among)}"
            )
            raise ArgumentError(argument, text, complaint=complaint)
        empty |= pd.isna(among[name])
        columns[plain] = _typed(among[name])
    frame = pd.DataFrame(columns, index=range(rows))
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(frame.eval(ast.unparse(tree), engine="python"))
            return np.broadcast_to(found, rows), empty
    except (RecursionError, MemoryError):
        raise ArgumentError(argument, text, complaint="is nested too deeply") from None
    except Exception as error:  # pandas raises whatever its evaluation raises
        raise ArgumentError(argument, text, complaint=one_line(error)) from None


def _typed(cells: Any) -> Any:
    """A column as numbers or truth values where nothing else is in it, else as text."""
    if cells.dtype.kind in "iufb":
        return cells if cells.dtype.kind == "b" else cells.astype(np.float64)
    present = [cell for cell in cells.tolist() if cell is not None]
    if present and all(isinstance(cell, (bool, np.bool_)) for cell in present):
        return cells == True  # noqa: E712 - an empty cell is not
    if all(isinstance(cell, (int, float, np.number)) for cell in present):
        return np.array([_float(cell) for cell in cells])
    texts = [None if cell is None else str(cell) for cell in cells]
    return np.array([None, *texts], dtype=object)[1:]


def _float(cell: Any) -> float:
    try:
        return float("nan") if cell is None else float(cell)
    except OverflowError:
        return float("inf") if cell > 0 else float("-inf")
