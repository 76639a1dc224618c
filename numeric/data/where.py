"""Expressions on the columns of a table: conditions on rows such as ``loss < 4.5 and source ==
'train'``, and quantities such as ``log(perplexity)``.

pandas evaluates them. Only comparisons, logic, ``in [...]``, arithmetic and functions of numbers
(`FUNCTIONS`) are allowed. A column whose name is no word, or that of a function, stands in
backticks. The names of the quantities and their letters (params or N, tokens or D, compute or C,
loss or L) mean the quantities, whatever their columns are called. A comparison with an empty cell
is false.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError
from ..words import counted, listed, one_line

if TYPE_CHECKING:
    from pandas import DataFrame

#: A column in backticks; texts in quotes stay as they are.
TOKEN = re.compile(r"""'[^']*'|"[^"]*"|`(?P<column>[^`]+)`""")
FUNCTIONS = ("abs", "exp", "expm1", "floor", "log", "log10", "log1p", "sqrt")
ALLOWED = (
    *(ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Compare, ast.boolop, ast.unaryop, ast.cmpop),
    *(ast.operator, ast.Name, ast.Load, ast.Constant, ast.Tuple, ast.List),
)
SUCH = "\"loss < 4.5 and source == 'a'\" or 'tokens_B*1e9'"


def _parsed(text: Any, argument: str) -> tuple[str, dict[str, str]]:
    """The text with a plain name for every column in backticks, and name -> column."""
    columns: dict[str, str] = {}

    def plain(match: re.Match[str]) -> str:
        if match["column"] is None:
            return match[0]
        columns[name := f"_column_{len(columns)}"] = match["column"]
        return name

    try:
        plain_text = TOKEN.sub(plain, text).strip()
        nodes = [*ast.walk(ast.parse(plain_text, mode="eval").body)]
    except (TypeError, ValueError, SyntaxError, RecursionError, MemoryError):
        raise ArgumentError(argument, text, complaint=f"is no expression such as {SUCH}") from None
    for node in nodes:
        is_allowed = isinstance(node, ALLOWED)
        if isinstance(node, ast.Call):
            is_allowed = ast.unparse(node.func) in FUNCTIONS and len(node.args) == 1
        if not is_allowed:
            allowed = f"comparisons, arithmetic and {', '.join(FUNCTIONS)}"
            complaint = f"{type(node).__name__}: allowed are {allowed}"
            raise ArgumentError(argument, text, complaint=complaint)
        if isinstance(node, ast.Name) and node.id not in FUNCTIONS:
            columns.setdefault(node.id, node.id)
    return plain_text, columns


def evaluated(text: str, frame: DataFrame, source: str, argument: str) -> Any:
    """The value of an expression at each row of a frame, (rows,); `source` and `argument` say where
    the frame and the expression are from, for errors.

    >>> from pandas import DataFrame
    >>> evaluated("`tokens (B)`*1e9", DataFrame({"tokens (B)": [1, 2.5]}), "data", "columns").tolist()
    [1000000000.0, 2500000000.0]
    """
    plain_text, names = _parsed(text, argument)
    for name in [name for name in names.values() if name not in frame]:
        complaint = f"no column {name!r}{close_matches(name, [*frame])}; {source} has "
        raise ArgumentError(argument, text, complaint=complaint + listed(frame))
    held = frame[[*names.values()]].set_axis([*names], axis=1)
    # Products of whole numbers would leave the 64 bits without a word.
    held = held.astype({name: float for name in held if held[name].dtype.kind in "iu"})
    try:
        with np.errstate(all="ignore"):
            values = held.eval(plain_text, engine="python")
            return np.broadcast_to(np.asarray(values), len(held))
    except Exception as error:  # pandas raises whatever its evaluation raises
        raise ArgumentError(argument, text, complaint=one_line(error) or "too deep") from None


def holds(
    text: str, frame: DataFrame, source: str, argument: str, *, everywhere: bool = False
) -> Any:
    """Where a condition holds, a mask (rows,), see `evaluated`; `everywhere`: no column that it names
    may be empty anywhere.

    >>> from pandas import DataFrame
    >>> rows = DataFrame({"loss": [2.5, 4.6, np.nan], "source": ["a", "a", "b"]})
    >>> holds("loss < 4.5 and source == 'a'", rows, "data", "where")
    array([ True, False, False])
    """
    found, complaint = evaluated(text, frame, source, argument), ""
    empty = frame[[*_parsed(text, argument)[1].values()]].isna().any(axis=1).sum()
    if found.dtype.kind != "b":
        complaint = "is no condition: a comparison is expected"
    elif everywhere and empty:
        where = f"{counted(empty, 'row')} of {len(found)}"
        complaint = f"names a column that is empty in {where}; must be true or false for each"
    if complaint:
        raise ArgumentError(argument, text, complaint=complaint)
    return found
