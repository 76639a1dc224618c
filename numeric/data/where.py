"""Expressions on the columns of a table: conditions on rows such as ``loss < 4.5 and source ==
'train'``, and quantities such as ``log(perplexity)``.

pandas evaluates them. Only comparisons, ``and``, ``or``, ``not``, ``in (...)``, arithmetic and
functions of numbers (`FUNCTIONS`) are allowed. A column whose name is no word stands in backticks.
The names of the quantities and their letters (params or N, tokens or D, compute or C, loss or L)
mean the quantities, whatever their columns are called. A comparison with an empty cell is false.

Examples
--------
>>> import numpy as np
>>> rows = {"loss": np.array([2.5, 4.6, np.nan]), "source": np.array(["a", "a", "b"], dtype=object)}
>>> holds("loss < 4.5 and source == 'a'", rows)
array([ True, False, False])
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError
from ..words import counted, listed, one_line, shown

__all__ = ["computed", "holds", "named"]

LONGEST_TEXT = 4_000
#: A column in backticks; texts in quotes stay as they are.
TOKEN = re.compile(r"""'[^']*'|"[^"]*"|`(?P<column>[^`]+)`""")
FUNCTIONS = ("abs", "exp", "expm1", "floor", "log", "log10", "log1p", "sqrt")
ALLOWED = (
    *(ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Compare, ast.Call),
    *(ast.And, ast.Or, ast.Not, ast.USub, ast.UAdd, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow),
    *(ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq, ast.In, ast.NotIn),
    *(ast.Name, ast.Load, ast.Constant, ast.Tuple, ast.List),
)
SUCH, FORMULA = "\"loss < 4.5 and (source == 'a' or N >= 7e9)\"", "'tokens_B*1e9'"


def _parsed(text: str, argument: str) -> tuple[ast.expr, dict[str, str]]:
    """The expression that a text spells, with nothing in it but what is allowed and every column
    under a plain name; and the plain names with their columns.
    """
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        domain = f"a text of at most {LONGEST_TEXT} characters, such as 'loss < 4.5'"
        raise ArgumentError(argument, shown(text), domain)
    names: dict[str, str] = {}  # column -> its plain name

    def plain(column: str) -> str:
        return names.setdefault(column, f"_column_{len(names)}")

    try:
        quoted = TOKEN.sub(lambda m: plain(m["column"]) if m["column"] else m[0], text.strip())
        with catch_warnings():
            simplefilter("error")  # `1e9if` is an error, not a warning
            tree = ast.parse(quoted, mode="eval").body
        called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        quoted_names = {*names.values()}
        for node in ast.walk(tree):
            _check(node)
            if isinstance(node, ast.Name) and not (id(node) in called or node.id in quoted_names):
                node.id = plain(node.id)
    except SyntaxError:
        kind = (
            f"formula such as {FORMULA}" if argument == "columns" else f"condition such as {SUCH}"
        )
        raise ArgumentError(argument, text, complaint=f"is no {kind}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        reason = one_line(error) or "nested too deeply"
        raise ArgumentError(argument, text, complaint=f"{reason}; write as in {SUCH}") from None
    return tree, {name: column for column, name in names.items()}


def _check(node: ast.AST) -> None:
    """Raise where a part of an expression is none that is allowed; a whole number becomes a float,
    so that none grows beyond bounds.
    """
    if not isinstance(node, ALLOWED):
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


def named(text: str) -> tuple[str, ...]:
    """The columns that an expression names; none where it is no expression.

    >>> named("`tokens (B)`*1e9"), named("Model Size")
    (('tokens (B)',), ())
    """
    try:
        return tuple(sorted(_parsed(text, "")[1].values()))
    except ArgumentError:
        return ()


def holds(
    text: str,
    columns: Mapping[str, Any],
    source: str = "the table",
    argument: str = "where",
    *,
    everywhere: bool = False,
) -> Any:
    """Where a condition holds, a mask (rows,).

    `columns`: numbers, truth values, or objects with None for an empty cell; `source` holds them,
    and `argument` the condition, for errors; `everywhere`: no column that it names may be empty
    anywhere.
    """
    import pandas as pd

    found = _evaluated(text, columns, source, argument)
    if found.dtype.kind != "b":
        raise ArgumentError(argument, text, complaint="is no condition: a comparison is expected")
    empty = np.any([pd.isna(columns[name]) for name in named(text)], axis=0) & everywhere
    if np.any(empty):
        where = f"{counted(int(np.sum(empty)), 'row')} of {len(found)}"
        complaint = f"names a column that is empty in {where}; must be true or false for each"
        raise ArgumentError(argument, text, complaint=complaint)
    return found


def computed(text: str, columns: Mapping[str, Any], source: str, argument: str = "columns") -> Any:
    """The numbers or texts of an expression on columns, (rows,); raises as `holds` does."""
    values = _evaluated(text, columns, source, argument)
    if values.dtype.kind == "b":
        raise ArgumentError(argument, text, complaint="is a condition, not a number or a text")
    return values.astype(np.float64) if values.dtype.kind in "iuf" else values.astype(object)


def _evaluated(text: str, columns: Mapping[str, Any], source: str, argument: str) -> Any:
    """The value of an expression at each row."""
    import pandas as pd

    tree, names = _parsed(text, argument)
    series = {}
    for plain, name in names.items():
        if name not in columns:
            hint = close_matches(name, [*columns])
            complaint = f"no column {name!r}{hint}; {source} has {listed(columns)}"
            raise ArgumentError(argument, text, complaint=complaint)
        cells = pd.Series(np.asarray(columns[name])).infer_objects()
        # Whole numbers become floats here too, and text stays objects, of which None equals none.
        kind = {"b": bool, "f": float, "i": float, "u": float}.get(cells.dtype.kind, object)
        series[plain] = cells if kind is bool else pd.Series(columns[name], dtype=kind)
    rows = len(next(iter(columns.values())))
    try:
        with np.errstate(all="ignore"):
            frame = pd.DataFrame(series, index=range(rows))
            return np.broadcast_to(np.asarray(frame.eval(ast.unparse(tree), engine="python")), rows)
    except Exception as error:  # pandas raises whatever its evaluation raises
        raise ArgumentError(argument, text, complaint=one_line(error) or "too deep") from None
