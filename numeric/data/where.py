"""Expressions on the columns of a table: conditions on rows such as ``loss < 4.5 and source ==
'train'``, and quantities such as ``log(perplexity)``.

pandas evaluates them. Only comparisons, logic, ``in [...]``, arithmetic and functions of numbers
(`FUNCTIONS`) are allowed. A column whose name is no word stands in backticks. The names of the
quantities and their letters (params or N, tokens or D, compute or C, loss or L) mean the
quantities, whatever their columns are called. A comparison with an empty cell is false.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError
from ..words import counted, listed, one_line

#: A column in backticks; texts in quotes stay as they are.
TOKEN = re.compile(r"""'[^']*'|"[^"]*"|`(?P<column>[^`]+)`""")
FUNCTIONS = ("abs", "exp", "expm1", "floor", "log", "log10", "log1p", "sqrt")
ALLOWED = (
    *(ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Compare, ast.Call, ast.boolop, ast.unaryop),
    *(ast.cmpop, ast.operator, ast.Name, ast.Load, ast.Constant, ast.Tuple, ast.List),
)
SUCH = "\"loss < 4.5 and source == 'a'\" or 'tokens_B*1e9'"


def _parsed(text: Any, argument: str) -> tuple[str, dict[str, str]]:
    """The text with a plain name for every column in backticks, and name -> column."""
    quoted: dict[str, str] = {}

    def plain(match: re.Match[str]) -> str:
        if match["column"] is None:
            return match[0]
        quoted[name := f"_column_{len(quoted)}"] = match["column"]
        return name

    try:
        plain_text = TOKEN.sub(plain, text).strip()
        nodes = [*ast.walk(ast.parse(plain_text, mode="eval").body)]
    except (TypeError, ValueError, SyntaxError, RecursionError, MemoryError):
        raise ArgumentError(argument, text, complaint=f"is no expression such as {SUCH}") from None
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    functions = [call.func for call in calls]
    foreign = [type(node).__name__ for node in nodes if not isinstance(node, ALLOWED)]
    foreign += [
        f"{ast.unparse(call.func)}(...)"
        for call in calls
        if ast.unparse(call.func) not in FUNCTIONS or len(call.args) != 1 or call.keywords
    ]
    if foreign:
        complaint = f"{foreign[0]}: allowed are comparisons, arithmetic and {', '.join(FUNCTIONS)}"
        raise ArgumentError(argument, text, complaint=complaint)
    words = [node.id for node in nodes if isinstance(node, ast.Name) and node not in functions]
    return plain_text, {name: quoted.get(name, name) for name in words}


def evaluated(
    text: str, columns: Mapping[str, Any], source: str, argument: str
) -> tuple[Any, list[str]]:
    """The value of an expression at each row, (rows,), and the columns that it names.

    `columns`: numbers, truth values, or objects; `source` holds them, and `argument` the
    expression, for errors.

    >>> evaluated("`tokens (B)`*1e9", {"tokens (B)": [1.0, 2.5]}, "data", "columns")[0].tolist()
    [1000000000.0, 2500000000.0]
    """
    import pandas as pd

    plain_text, names = _parsed(text, argument)
    for name in [name for name in names.values() if name not in columns]:
        hint = close_matches(name, [*columns])
        complaint = f"no column {name!r}{hint}; {source} has {listed(columns)}"
        raise ArgumentError(argument, text, complaint=complaint)
    rows = range(len(next(iter(columns.values()))))
    held = {name: np.asarray(columns[column]) for name, column in names.items()}
    # Products of whole numbers would leave the 64 bits without a word.
    kinds = {name: float if v.dtype.kind in "iu" else v.dtype for name, v in held.items()}
    series = {name: pd.Series(v, rows, kinds[name]) for name, v in held.items()}
    try:
        with np.errstate(all="ignore"):
            values = pd.DataFrame(series, index=rows).eval(plain_text, engine="python")
            return np.broadcast_to(np.asarray(values), len(rows)), [*names.values()]
    except Exception as error:  # pandas raises whatever its evaluation raises
        raise ArgumentError(argument, text, complaint=one_line(error) or "too deep") from None


def holds(
    text: str,
    columns: Mapping[str, Any],
    source: str = "the table",
    argument: str = "where",
    *,
    everywhere: bool = False,
) -> Any:
    """Where a condition holds, a mask (rows,), see `evaluated`; `everywhere`: no column that it names
    may be empty anywhere.

    >>> rows = {"loss": [2.5, 4.6, np.nan], "source": ["a", "a", "b"]}
    >>> holds("loss < 4.5 and source == 'a'", rows)
    array([ True, False, False])
    """
    import pandas as pd

    found, names = evaluated(text, columns, source, argument)
    if found.dtype.kind != "b":
        raise ArgumentError(argument, text, complaint="is no condition: a comparison is expected")
    empty = np.any([pd.isna(np.asarray(columns[name])) for name in names], axis=0)
    if everywhere and np.any(empty):
        where = f"{counted(int(np.sum(empty)), 'row')} of {len(found)}"
        complaint = f"names a column that is empty in {where}; must be true or false for each"
        raise ArgumentError(argument, text, complaint=complaint)
    return found
