"""Conditions on the rows of a table, such as ``loss < 4.5 and source == 'train'``.

Python's parser reads them, and nothing is ever executed: numbers, texts and names are taken out
first, and of what is left only ``and``, ``or``, ``not``, comparisons, ``in (...)``, arithmetic and
brackets are allowed. Numbers are spelt as on the command line (7e9, 7B, 1.4T, 1%), texts stand in
single or double quotes (doubled inside), and a column whose name is no word stands in backticks.
The names of the quantities and their letters (params or N, tokens or D, compute or C, loss or L)
mean the quantities, whatever their columns are called.

Logic has three values: a comparison with an empty cell is neither true nor false, nor is what
depends on it, and only rows for which the condition is true are selected.

Examples
--------
>>> import numpy as np
>>> rows = {"loss": np.array([2.5, 4.6, np.nan]), "source": np.array(["a", "a", "b"], dtype=object)}
>>> Where.parse("loss < 4.5 and source == 'a'").evaluate(rows, rows, 3).true
array([ True, False, False])
>>> Where.parse("not loss < 4.5").evaluate(rows, rows, 3).true
array([False,  True, False])
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError
from ..words import listed
from .numerals import UNSIGNED, parse

__all__ = ["Selection", "Where"]

LONGEST_TEXT = 4_000
TOKEN = re.compile(
    r"\s*(?:(?P<number>" + re.sub(r"\(\?P<\w+>", "(?:", UNSIGNED) + r")(?![\w.])"
    r"|(?P<name>[^\W\d]\w*)"
    r"|(?P<text>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")"
    r"|(?P<quoted>`(?:[^`]|``)+`)"
    r"|(?P<operator><=|>=|==|!=|[<>](?!>)|\*\*|[-+*/(),])"
    r"|(?P<unreadable>[\d.]+\w*|&&|\|\||<>|\S))"
)
WORDS = ("and", "or", "not", "in")
#: What people write in other languages, and what it is here.
ELSEWHERE = {"=": "==", "&&": "and", "&": "and", "||": "or", "|": "or", "<>": "!=", "^": "**"}
RELATIONS: dict[type, Callable[[Any, Any], Any]] = {
    **{ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater, ast.GtE: np.greater_equal},
    **{ast.Eq: np.equal, ast.NotEq: np.not_equal},
}
OPERATIONS: dict[type, Callable[..., Any]] = {
    **{ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide},
    **{ast.Pow: np.power, ast.USub: np.negative, ast.UAdd: np.positive},
}
#: What an array holds, by its dtype: numbers (NaN where a cell is empty), texts (None there), or
#: truth values.
KINDS = {"f": "numbers", "O": "text", "i": "truth values"}
#: Truth values: "and" is the least of them, "or" the greatest, "not" the distance from TRUE.
FALSE, UNKNOWN, TRUE = 0, 1, 2


class Selection(NamedTuple):
    """Where a condition is true, and where it depends on an empty cell."""

    true: Any
    unknown: Any


@dataclass(frozen=True)
class Where:
    """A condition that was read.

    Attributes
    ----------
    text : str
    argument : str
        The argument that holds the condition, for errors.
    """

    text: str
    argument: str
    _tree: ast.expr
    _leaves: Mapping[str, _Leaf]

    @classmethod
    def parse(cls, text: str, argument: str = "where") -> Where:
        """The condition that a text spells.

        Raises
        ------
        ArgumentError
            Naming the text, the position, and what cannot be read there.
        """
        if not isinstance(text, str):
            raise ArgumentError(argument, text, "a text such as 'loss < 4.5'")
        if len(text) > LONGEST_TEXT:
            complaint = f"has {len(text)} characters; at most {LONGEST_TEXT} are read"
            raise ArgumentError(argument, f"{text[:40]}...", complaint=complaint)
        leaves = [
            _Leaf(str(match.lastgroup), match[str(match.lastgroup)], match.start(match.lastgroup))
            for match in TOKEN.finditer(text.rstrip())
            if match.lastgroup
        ]
        try:
            return cls(text, argument, _tree(leaves), {leaf.code: leaf for leaf in leaves})
        except (RecursionError, MemoryError):
            raise ArgumentError(argument, text, complaint="is nested too deeply") from None
        except ValueError as error:
            raise ArgumentError(argument, text, complaint=str(error)) from None

    def evaluate(
        self, bare: Mapping[str, Any], quoted: Mapping[str, Any], rows: int, source: str = ""
    ) -> Selection:
        """Where the condition holds.

        Parameters
        ----------
        bare, quoted : mapping of str to ndarray
            The columns that a plain name and a name in backticks mean: numbers, truth values, or
            objects with None for an empty cell.
        rows : int
        source : str
            What holds the columns, for messages.

        Raises
        ------
        ArgumentError
            Where there is no such column, or text is compared with numbers.
        """
        evaluation = _Evaluation(self._leaves, bare, quoted, source or "the table")
        try:
            with np.errstate(all="ignore"):
                truth = np.broadcast_to(evaluation.truth(self._tree), rows)
        except RecursionError:
            complaint = "is nested too deeply"
            raise ArgumentError(self.argument, self.text, complaint=complaint) from None
        except ValueError as error:
            raise ArgumentError(self.argument, self.text, complaint=str(error)) from None
        return Selection(truth == TRUE, truth == UNKNOWN)


# -- reading ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Leaf:
    """A token: a number, a text, a column, or a word or an operator of Python's."""

    kind: str
    spelt: str
    position: int

    @property
    def code(self) -> str:
        """What Python parses in its place: a plain name, or the word itself."""
        is_word = self.kind == "operator" or self.spelt.lower() in WORDS
        return self.spelt.lower() if is_word else f"_{self.position}"

    @property
    def name(self) -> str:
        """The column of a name, the content of quotes."""
        mark = self.spelt[0]
        return self.spelt if self.kind == "name" else self.spelt[1:-1].replace(mark * 2, mark)

    def __str__(self) -> str:
        return f"{self.spelt} at position {self.position + 1}"


def _tree(leaves: list[_Leaf]) -> ast.expr:
    """The tree of a condition, with nothing in it but what is allowed; a ValueError names the token
    that cannot be read.
    """
    for leaf in leaves:
        if leaf.kind == "unreadable":
            cure = f"; write {ELSEWHERE[leaf.spelt]}" if leaf.spelt in ELSEWHERE else ""
            raise ValueError(f"cannot read {leaf}{cure}")
        if leaf.kind == "number":
            try:
                parse(leaf.spelt)
            except ValueError as error:
                raise ValueError(f"{leaf}: {error}") from None
    starts = [0, *accumulate(len(leaf.code) + 1 for leaf in leaves)]

    def at(offset: int) -> _Leaf:
        return leaves[min(bisect_right(starts, offset), len(leaves)) - 1]

    try:
        parsed = ast.parse(" ".join(leaf.code for leaf in leaves), mode="eval")
    except SyntaxError as error:
        offset = (error.offset or starts[-1] + 1) - 1
        if offset >= starts[-1] - 1:
            raise ValueError("ends where a column, a number, a text or ) is expected") from None
        raise ValueError(f"cannot read {at(offset)}") from None
    choices = [
        node.comparators[0]
        for node in ast.walk(parsed)
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn))
    ]
    allowed = (ast.Name, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Compare)
    for node in ast.walk(parsed.body):
        if isinstance(node, ast.expr) and not isinstance(node, allowed) and node not in choices:
            raise ValueError(f"cannot read {at(node.col_offset)}: only comparisons are allowed")
    return parsed.body


# -- evaluation ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Evaluation:
    """A condition on the columns of a table."""

    leaves: Mapping[str, _Leaf]
    bare: Mapping[str, Any]
    quoted: Mapping[str, Any]
    source: str

    def value(self, node: ast.expr) -> Any:
        """Numbers, texts or truth values, as in `KINDS`."""
        match node:
            case ast.Name(code):
                return self.leaf(self.leaves[code])
            case ast.BinOp(left, op, right):
                return OPERATIONS[type(op)](self.numbers(left), self.numbers(right))
            case ast.UnaryOp(ast.USub() | ast.UAdd() as sign, operand):
                return OPERATIONS[type(sign)](self.numbers(operand))
            case ast.UnaryOp(ast.Not(), condition):
                return TRUE - self.truth(condition)
            case ast.BoolOp(op, parts):
                joined = np.minimum if isinstance(op, ast.And) else np.maximum
                return reduce(joined, map(self.truth, parts))
            case ast.Compare(left, [ast.In() | ast.NotIn() as op], [right]):
                choices = right.elts if isinstance(right, ast.Tuple) else [right]
                if not choices:
                    raise ValueError("in () has no choices")
                among = reduce(np.maximum, (self.compared(left, ast.Eq(), one) for one in choices))
                return among if isinstance(op, ast.In) else TRUE - among
            case ast.Compare(left, ops, others):
                return reduce(np.minimum, map(self.compared, (left, *others), ops, others))
        raise AssertionError(node)

    def truth(self, node: ast.expr) -> Any:
        """Where a condition holds."""
        values = self.value(node)
        if KINDS[values.dtype.kind] != "truth values":
            raise ValueError(f"{self.shown(node)} is no condition: a comparison is expected")
        return values

    def numbers(self, node: ast.expr) -> Any:
        values = self.value(node)
        if KINDS[values.dtype.kind] != "numbers":
            raise ValueError(f"cannot compute with {self.shown(node)}")
        return values

    def compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Any:
        if type(op) not in RELATIONS:
            raise ValueError("in (...) stands alone: join conditions with and, or")
        one, other = self.value(left), self.value(right)
        kind = KINDS[one.dtype.kind]
        orders = not isinstance(op, (ast.Eq, ast.NotEq))
        if one.dtype != other.dtype or kind == "truth values" or (kind == "text" and orders):
            relation = "compare" if one.dtype != other.dtype or not orders else "order"
            raise ValueError(f"cannot {relation} {self.shown(left)} and {self.shown(right)}")
        holds = np.asarray(RELATIONS[type(op)](one, other), dtype=bool)
        return np.where(_known(one) & _known(other), TRUE * holds, UNKNOWN)

    def leaf(self, leaf: _Leaf) -> Any:
        if leaf.kind == "number":
            return np.float64(parse(leaf.spelt))
        if leaf.kind == "text":
            return np.array(leaf.name, dtype=object)
        columns = self.quoted if leaf.kind == "quoted" else self.bare
        if leaf.name not in columns:
            hint = close_matches(leaf.name, [*columns])
            there = f"{self.source} has {listed(columns)}"
            where = f"position {leaf.position + 1}"
            raise ValueError(f"no column {leaf.name!r} at {where}{hint}; {there}")
        return _column(columns[leaf.name])

    def shown(self, node: ast.expr) -> str:
        """An operand and what it holds, for messages."""
        spelt = self.leaves[node.id].spelt if isinstance(node, ast.Name) else "an expression"
        return f"{spelt} ({KINDS[self.value(node).dtype.kind]})"


def _known(values: Any) -> Any:
    """Where there is something; None is equal to nothing else."""
    differs: Any = np.not_equal
    return differs(values, None) if values.dtype.kind == "O" else values == values


def _column(cells: Any) -> Any:
    """A column by `KINDS`: objects are numbers or truth values where nothing else is among them."""
    if cells.dtype.kind in "iuf":
        return cells.astype(np.float64)
    present = [cell for cell in cells.tolist() if cell is not None]
    if present and all(isinstance(cell, (bool, np.bool_)) for cell in present):
        return np.array([UNKNOWN if cell is None else TRUE * cell for cell in cells])
    number = (int, float, np.number)
    if all(isinstance(cell, number) and not isinstance(cell, bool) for cell in present):
        return np.array([_float(cell) for cell in cells])
    return np.array([None, *(None if cell is None else str(cell) for cell in cells)])[1:]


def _float(cell: Any) -> float:
    try:
        return float("nan") if cell is None else float(cell)
    except OverflowError:
        return float("inf") if cell > 0 else float("-inf")
