"""Expressions on the columns of a table: conditions on rows such as ``loss < 4.5 and source ==
'train'``, and quantities such as ``log(perplexity)``.

pandas evaluates them. Only comparisons, logic, ``in [...]``, arithmetic, functions of numbers
(`FUNCTIONS`) and ``number(COLUMN)``, which reads 7B as 7e9, are allowed. A column whose name is not
a word, or is the name of a function, stands in backticks. The names of the quantities and their
letters (params or N, tokens or D, compute or C, loss or L) mean the quantities, whatever their
columns are called. A comparison with an empty cell is false.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError
from ..words import counted, listed, one_line, shown
from .table import is_text, number_in

if TYPE_CHECKING:
    from pandas import DataFrame

#: A column in backticks, or as the argument of `number`; texts in quotes stay as they are.
TOKEN = re.compile(
    r"""'[^']*'|"[^"]*"|\bnumber\(\s*(?:`(?P<quoted>[^`]+)`|(?P<read>\w+))\s*\)|`(?P<column>[^`]+)`"""
)
FUNCTIONS = ("abs", "exp", "expm1", "floor", "log", "log10", "log1p", "sqrt")
ALLOWED = (
    *(ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Compare, ast.boolop, ast.unaryop, ast.cmpop),
    *(ast.operator, ast.Name, ast.Load, ast.Constant, ast.Tuple, ast.List),
)
EXAMPLES = "\"loss < 4.5 and source == 'a'\" or 'tokens_B*1e9'"


def _parsed(text: Any, argument: str) -> tuple[str, dict[str, tuple[str, bool]]]:
    """The expression with a plain name for every column in backticks or read by `number`; and for
    each name its column, and whether `number` reads it.
    """
    columns: dict[str, tuple[str, bool]] = {}

    def plain(match: re.Match[str]) -> str:
        column, read = match["column"], match["quoted"] or match["read"]
        if not column and not read:
            return match[0]
        columns[name := f"_column_{len(columns)}"] = column or read, bool(read)
        return name

    try:
        plain_text = TOKEN.sub(plain, text).strip()
        nodes = [*ast.walk(ast.parse(plain_text, mode="eval").body)]
    except (TypeError, ValueError, SyntaxError, RecursionError, MemoryError):
        complaint = f"is not an expression such as {EXAMPLES}"
        raise ArgumentError(argument, text, complaint=complaint) from None
    for node in nodes:
        is_allowed = isinstance(node, ALLOWED)
        if isinstance(node, ast.Call):
            is_allowed = ast.unparse(node.func) in FUNCTIONS and len(node.args) == 1
        if not is_allowed:
            allowed = f"comparisons, arithmetic, number and {', '.join(FUNCTIONS)}"
            complaint = f"{type(node).__name__} is not allowed; allowed are {allowed}"
            raise ArgumentError(argument, text, complaint=complaint)
        if isinstance(node, ast.Name) and node.id not in FUNCTIONS:
            columns.setdefault(node.id, (node.id, False))
    return plain_text, columns


def evaluated(text: str, frame: DataFrame, source: str, argument: str) -> Any:
    """The value of an expression at each row of a frame, (rows,). Errors name `source`, where the
    frame comes from, and `argument`, which gave the expression.

    Where text stands in the way of arithmetic, columns that hold numbers too count as empty there.

    >>> from pandas import DataFrame
    >>> evaluated("`tokens (B)`*1e9", DataFrame({"tokens (B)": [1, 2.5]}), "data", "columns").tolist()
    [1000000000.0, 2500000000.0]
    """
    plain_text, names = _parsed(text, argument)
    for name in [name for name, _ in names.values() if name not in frame]:
        complaint = f"no column {name!r}{close_matches(name, [*frame])}; {source} has "
        raise ArgumentError(argument, text, complaint=complaint + listed(frame))
    held = frame[[name for name, _ in names.values()]].set_axis([*names], axis=1)
    for name in [name for name, (_, is_read) in names.items() if is_read]:
        held[name] = [number_in(cell, with_suffix=True) for cell in held[name]]
    # Products of whole numbers would overflow 64 bits without a warning.
    held = held.astype({name: float for name in held if held[name].dtype.kind in "iu"})
    try:
        return _value(plain_text, held)
    except Exception as error:  # pandas raises whatever its evaluation raises
        reason = one_line(error) or "it is nested too deeply"
    for name in held:
        is_cell_text = held[name].map(is_text)
        if is_cell_text.any():
            numbers = held[name].map(number_in)
            if numbers.isna().all():
                column, cell = names[name][0], held[name][is_cell_text].iloc[0]
                reason = f"column {column!r} holds text such as {shown(cell)}"
                if not np.isnan(number_in(cell, with_suffix=True)):
                    reason += "; write number() around it to read 7B as 7e9"
                raise ArgumentError(argument, text, complaint=reason)
            held[name] = numbers
    try:
        return _value(plain_text, held)
    except Exception:
        raise ArgumentError(argument, text, complaint=reason) from None


def _value(text: str, held: DataFrame) -> Any:
    """The value of an expression whose names are columns of a frame, (rows,)."""
    with np.errstate(all="ignore"):
        return np.broadcast_to(np.asarray(held.eval(text, engine="python")), len(held))


def holds(
    text: str, frame: DataFrame, source: str, argument: str, *, everywhere: bool = False
) -> Any:
    """The mask of the rows where a condition holds, see `evaluated`; with `everywhere` a column that
    the condition names may not be empty anywhere.

    >>> from pandas import DataFrame
    >>> rows = DataFrame({"loss": [2.5, 4.6, np.nan], "source": ["a", "a", "b"]})
    >>> holds("loss < 4.5 and source == 'a'", rows, "data", "where")
    array([ True, False, False])
    """
    found, complaint = evaluated(text, frame, source, argument), ""
    columns = [column for column, _ in _parsed(text, argument)[1].values()]
    empty = frame[columns].isna().any(axis=1).sum()
    if found.dtype.kind != "b":
        complaint = "is not a condition: a comparison is expected"
    elif everywhere and empty:
        where = f"{counted(empty, 'row')} of {len(found)}"
        complaint = f"names a column that is empty in {where}; must be true or false for each"
    if complaint:
        raise ArgumentError(argument, text, complaint=complaint)
    return found
