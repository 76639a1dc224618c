"""Expressions on the columns of a table: conditions on rows such as ``loss < 4.5 and source ==
'train'``, and quantities such as ``log(perplexity)``.

pandas evaluates them. Only comparisons, logic, ``in [...]``, arithmetic and functions of numbers
(`FUNCTIONS`) are allowed. A column whose name is not a word, or is the name of a function, stands in
backticks. The names of the quantities and their letters (params or N, tokens or D, compute or C, loss
or L) mean the quantities, whatever their columns are called. A comparison with an empty cell is false.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError
from ..words import listed, one_line
from .table import number_in

if TYPE_CHECKING:
    from pandas import DataFrame, Series

#: A column in backticks; texts in quotes stay as they are.
TOKEN = re.compile(r"""'[^']*'|"[^"]*"|`(?P<column>[^`]+)`""")
FUNCTIONS = ("abs", "exp", "expm1", "floor", "log", "log10", "log1p", "sqrt")
ALLOWED = (
    *(ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Compare, ast.boolop, ast.unaryop, ast.cmpop),
    *(ast.operator, ast.Name, ast.Load, ast.Constant, ast.Tuple, ast.List),
)
EXAMPLES = "\"loss < 4.5 and source == 'a'\" or 'tokens_B*1e9'"


def _parsed(text: Any, argument: str) -> tuple[str, dict[str, str]]:
    """The expression with a plain name for every column in backticks, and the column of each name."""
    columns: dict[str, str] = {}

    def plain(match: re.Match[str]) -> str:
        if not match["column"]:
            return match[0]
        columns[name := f"_column_{len(columns)}"] = match["column"]
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
            allowed = f"comparisons, arithmetic and {', '.join(FUNCTIONS)}"
            complaint = f"{type(node).__name__} is not allowed; allowed are {allowed}"
            raise ArgumentError(argument, text, complaint=complaint)
        if isinstance(node, ast.Name) and node.id not in FUNCTIONS:
            columns.setdefault(node.id, node.id)
    return plain_text, columns


def evaluated(text: str, frame: DataFrame, source: str, argument: str) -> Any:
    """The value of an expression at each row of a frame, (rows,). Errors name `source`, where the
    frame comes from, and `argument`, which gave the expression.

    Where text stands in the way of arithmetic, a cell such as 7B counts as the number, and text that
    is none as an empty cell, in columns that hold some number.

    >>> from pandas import DataFrame
    >>> evaluated("`tokens (B)`*1e9", DataFrame({"tokens (B)": [1, 2.5]}), "data", "columns").tolist()
    [1000000000.0, 2500000000.0]
    """
    plain_text, columns = _parsed(text, argument)
    for name in [name for name in columns.values() if name not in frame]:
        complaint = f"no column {name!r}{close_matches(name, [*frame])}; {source} has "
        raise ArgumentError(argument, text, complaint=complaint + listed(frame))
    held = frame[[*columns.values()]].set_axis([*columns], axis=1)
    # Products of whole numbers would overflow 64 bits without a warning.
    held = held.astype({name: float for name in held if held[name].dtype.kind in "iu"})
    for cells in (held, held.apply(_as_numbers)):
        try:
            with np.errstate(all="ignore"):
                found = np.asarray(cells.eval(plain_text, engine="python"))
            return np.broadcast_to(found, len(frame))
        except Exception as error:  # pandas raises whatever its evaluation raises
            reason = one_line(error) or "it is nested too deeply"
    raise ArgumentError(argument, text, complaint=f"{reason}; {source} has {listed(frame)}")


def _as_numbers(cells: Series) -> Series:
    """The cells of a column as numbers; as they are where none is one."""
    found = cells.map(number_in)
    return cells if found.isna().all() else found


def holds(text: str, frame: DataFrame, source: str, argument: str) -> Any:
    """The mask of the rows where a condition holds, see `evaluated`.

    >>> from pandas import DataFrame
    >>> rows = DataFrame({"loss": [2.5, 4.6, np.nan], "source": ["a", "a", "b"]})
    >>> holds("loss < 4.5 and source == 'a'", rows, "data", "where")
    array([ True, False, False])
    """
    found = evaluated(text, frame, source, argument)
    if found.dtype.kind != "b":
        raise ArgumentError(
            argument, text, complaint="is not a condition: a comparison is expected"
        )
    return found
