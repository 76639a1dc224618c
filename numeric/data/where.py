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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from operator import and_, or_
from typing import Any

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError
from .numerals import SPELLINGS, UNSIGNED, parse

__all__ = ["Truth", "Where"]

LONGEST_TEXT = 4_000
MOST_LISTED = 20

TOKEN = re.compile(
    r"(?P<number>" + re.sub(r"\(\?P<\w+>", "(?:", UNSIGNED) + r")(?![\w.])"
    r"|(?P<name>[^\W\d]\w*)"
    r"|(?P<text>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")"
    r"|(?P<quoted>`(?:[^`]|``)+`)"
    r"|(?P<operator><=|>=|==|!=|[<>](?!>)|\*\*|[-+*/(),])"
)
WORDS = ("and", "or", "not", "in")
#: What people write in other languages, and what it is here.
ELSEWHERE = {
    **{"=": "==", "&&": "and", "&": "and", "||": "or", "|": "or"},
    **{"<>": "!=", "!": "not", "^": "**"},
}
RELATIONS: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Lt: ("<", np.less),
    ast.LtE: ("<=", np.less_equal),
    ast.Gt: (">", np.greater),
    ast.GtE: (">=", np.greater_equal),
    ast.Eq: ("==", np.equal),
    ast.NotEq: ("!=", np.not_equal),
}
OPERATIONS: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", np.add),
    ast.Sub: ("-", np.subtract),
    ast.Mult: ("*", np.multiply),
    ast.Div: ("/", np.divide),
    ast.Pow: ("**", np.power),
}
SIGNS: dict[type, tuple[str, Callable[[Any], Any]]] = {
    ast.USub: ("-", np.negative),
    ast.UAdd: ("+", np.positive),
}
ALLOWED = (
    *(
        ast.Expression,
        ast.Name,
        ast.Load,
        ast.BoolOp,
        ast.And,
        ast.Or,
        ast.UnaryOp,
        ast.Not,
        ast.BinOp,
        ast.Compare,
    ),
    *(*RELATIONS, *OPERATIONS, *SIGNS, ast.In, ast.NotIn, ast.Tuple),
)
NUMBERS, TEXT, FLAGS = "numbers", "text", "truth values"


@dataclass(frozen=True, eq=False)
class Truth:
    """Where a condition is true, and where it is false; at an empty cell it is neither."""

    true: Any
    false: Any

    @property
    def unknown(self) -> Any:
        return ~(self.true | self.false)

    def __and__(self, other: Truth) -> Truth:
        return Truth(self.true & other.true, self.false | other.false)

    def __or__(self, other: Truth) -> Truth:
        return Truth(self.true | other.true, self.false & other.false)

    def __invert__(self) -> Truth:
        return Truth(self.false, self.true)


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
        try:
            tokens = list(_tokens(text))
            return cls(
                text, argument, _tree(text, tokens), {f"_{leaf.position}": leaf for leaf in tokens}
            )
        except _Complaint as complaint:
            raise ArgumentError(argument, text, complaint=str(complaint)) from None

    def evaluate(
        self, bare: Mapping[str, Any], quoted: Mapping[str, Any], rows: int, source: str = ""
    ) -> Truth:
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
                truth = evaluation.truth(self._tree)
        except _Complaint as complaint:
            raise self.error(str(complaint)) from None
        except RecursionError:
            raise self.error("is nested too deeply") from None
        return Truth(*(np.broadcast_to(part, rows).copy() for part in (truth.true, truth.false)))

    def error(self, complaint: str) -> ArgumentError:
        """What is wrong with the condition."""
        return ArgumentError(self.argument, self.text, complaint=complaint)


class _Complaint(Exception):
    """What cannot be read in a condition, or not on these columns."""


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
        return (
            self.spelt
            if self.kind == "name"
            else self.spelt[1:-1].replace(self.spelt[0] * 2, self.spelt[0])
        )


def _tokens(text: str) -> Iterator[_Leaf]:
    position, previous = 0, ""
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        match = TOKEN.match(text, position)
        if match is None:
            raise _Complaint(_unreadable(text, position))
        leaf = _Leaf(str(match.lastgroup), match.group(), position)
        if leaf.kind == "number":
            try:
                parse(leaf.spelt)
            except ValueError as error:
                raise _Complaint(f"{leaf.spelt} at position {position + 1}: {error}") from None
        if previous == "in" and leaf.spelt != "(":
            raise _Complaint(
                f"cannot read {leaf.spelt} at position {position + 1}; in (...) has its choices in "
                f"brackets"
            )
        yield leaf
        position, previous = match.end(), leaf.code


def _tree(text: str, tokens: Sequence[_Leaf]) -> ast.expr:
    """The tree of the code, with nothing in it but what is allowed."""
    starts = [0, *accumulate(len(leaf.code) + 1 for leaf in tokens)]

    def at(offset: int) -> str:
        leaf = tokens[min(bisect_right(starts, offset), len(tokens)) - 1]
        return f"{leaf.spelt} at position {leaf.position + 1}"

    try:
        parsed = ast.parse(" ".join(leaf.code for leaf in tokens), mode="eval")
    except SyntaxError as error:
        offset = (error.offset or starts[-1] + 1) - 1
        if offset >= starts[-1] - 1:
            raise _Complaint(
                "ends where a column, a number, a text in quotes or ) is expected"
            ) from None
        raise _Complaint(f"cannot read {at(offset)}; a comparison is expected") from None
    except (MemoryError, RecursionError):
        raise _Complaint("is nested too deeply") from None
    choices = {
        id(side)
        for node in ast.walk(parsed)
        if isinstance(node, ast.Compare)
        for side in _choices(node)
    }
    for node in ast.walk(parsed):
        if not isinstance(node, ALLOWED) or (
            isinstance(node, ast.Tuple) and id(node) not in choices
        ):
            what = "a call" if isinstance(node, ast.Call) else "a list"
            raise _Complaint(
                f"cannot read {at(getattr(node, 'col_offset', 0))}: {what} is not allowed"
            )
    return parsed.body


def _choices(node: ast.Compare) -> list[ast.expr]:
    """What stands on the right of ``in``."""
    return [
        side
        for op, side in zip(node.ops, node.comparators, strict=True)
        if isinstance(op, (ast.In, ast.NotIn))
    ]


def _unreadable(text: str, position: int) -> str:
    rest, at = text[position:], f"at position {position + 1}"
    if rest[0] in "'\"`":
        return f"{'name' if rest[0] == '`' else 'text'} {at} has no closing {rest[0]}"
    for size in (2, 1):
        if rest[:size] in ELSEWHERE:
            return f"cannot read {rest[:size]!r} {at}; write {ELSEWHERE[rest[:size]]}"
    if word := re.match(r"[\d.][\w.%]*", rest):
        return f"cannot read {word.group()!r} {at}; {SPELLINGS}"
    return f"cannot read {rest[0]!r} {at}"


# -- evaluation ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Operand:
    """Numbers (NaN at an empty cell), texts or truth values (None there)."""

    kind: str
    values: Any
    shown: str

    @property
    def known(self) -> Any:
        present: Any = np.not_equal  # element by element, which `is not` is not
        return self.values == self.values if self.kind == NUMBERS else present(self.values, None)


@dataclass(frozen=True)
class _Evaluation:
    """A condition on the columns of a table."""

    leaves: Mapping[str, _Leaf]
    bare: Mapping[str, Any]
    quoted: Mapping[str, Any]
    source: str

    def truth(self, node: ast.expr) -> Truth:
        """Where a condition holds."""
        if isinstance(node, ast.BoolOp):
            return reduce(
                and_ if isinstance(node.op, ast.And) else or_, map(self.truth, node.values)
            )
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ~self.truth(node.operand)
        if isinstance(node, ast.Compare):
            return self.member(node) if _choices(node) else self.comparison(node)
        operand = self.operand(node)
        if operand.kind != FLAGS:
            raise _Complaint(
                f"{operand.shown} ({operand.kind}) is no condition: a comparison is expected"
            )
        holds = np.equal(operand.values, True)
        return Truth(operand.known & holds, operand.known & ~holds)

    def comparison(self, node: ast.Compare) -> Truth:
        sides = [self.operand(side) for side in (node.left, *node.comparators)]
        return reduce(and_, map(_compared, sides, node.ops, sides[1:]))

    def member(self, node: ast.Compare) -> Truth:
        if len(node.ops) > 1:
            raise _Complaint("in (...) stands alone: join conditions with and, or")
        choices = (
            node.comparators[0].elts
            if isinstance(node.comparators[0], ast.Tuple)
            else node.comparators
        )
        operand = self.operand(node.left)
        parts = [_compared(operand, ast.Eq(), self.literal(choice)) for choice in choices]
        if not parts:
            raise _Complaint("in () has no choices: a number or a text in quotes is expected")
        among = reduce(or_, parts)
        return among if isinstance(node.ops[0], ast.In) else ~among

    def literal(self, node: ast.expr) -> _Operand:
        """One of the choices of ``in (...)``."""
        inner = node.operand if isinstance(node, ast.UnaryOp) else node
        if not isinstance(inner, ast.Name) or self.leaves[inner.id].kind not in ("number", "text"):
            raise _Complaint("in (...) holds numbers or texts in quotes alone")
        return self.operand(node)

    def operand(self, node: ast.expr) -> _Operand:
        """Numbers, texts or truth values."""
        if isinstance(node, ast.Name):
            return self.leaf(self.leaves[node.id])
        if isinstance(node, ast.UnaryOp) and type(node.op) in SIGNS:
            sign, function = SIGNS[type(node.op)]
            return _Operand(
                NUMBERS, function(self.numbers(node.operand, sign)), f"the {sign} expression"
            )
        if not isinstance(node, ast.BinOp):
            raise _Complaint("a comparison is no number: join conditions with and, or")
        steps: list[
            tuple[ast.operator, ast.expr]
        ] = []  # from left to right: a long sum is no deep one
        first: ast.expr = node
        while isinstance(first, ast.BinOp):
            steps.append((first.op, first.right))
            first = first.left
        sign = OPERATIONS[type(steps[-1][0])][0]
        values = self.numbers(first, sign)
        for op, right in reversed(steps):
            sign, operation = OPERATIONS[type(op)]
            values = operation(values, self.numbers(right, sign))
        return _Operand(NUMBERS, values, f"the {sign} expression")

    def numbers(self, node: ast.expr, sign: str) -> Any:
        operand = self.operand(node)
        if operand.kind != NUMBERS:
            raise _Complaint(f"{operand.shown} is of {operand.kind}: no {sign} of it")
        return operand.values

    def leaf(self, leaf: _Leaf) -> _Operand:
        if leaf.kind == "number":
            return _Operand(NUMBERS, np.float64(parse(leaf.spelt)), leaf.spelt)
        if leaf.kind == "text":
            return _Operand(TEXT, np.array(leaf.name, dtype=object), leaf.spelt)
        columns = self.quoted if leaf.kind == "quoted" else self.bare
        if leaf.name not in columns:
            rest = f" and {len(columns) - MOST_LISTED} more" if len(columns) > MOST_LISTED else ""
            there = f"{self.source} has {', '.join([*columns][:MOST_LISTED])}{rest}"
            hint = close_matches(leaf.name, [*columns])
            raise _Complaint(
                f"no column {leaf.name!r} at position {leaf.position + 1}{hint}; {there}"
            )
        return _column(columns[leaf.name], f"column {leaf.name!r}")


def _compared(left: _Operand, op: ast.cmpop, right: _Operand) -> Truth:
    relation, function = RELATIONS[type(op)]
    if left.kind != right.kind or left.kind == FLAGS:
        what = f"{left.shown} ({left.kind}) {relation} {right.shown} ({right.kind})"
        raise _Complaint(f"cannot compare {what}{_cure(left, right)}")
    if left.kind == TEXT and not isinstance(op, (ast.Eq, ast.NotEq)):
        both = f"{left.shown} and {right.shown}"
        raise _Complaint(f"cannot compare text by {relation}: {both}; only == and != are for text")
    known = left.known & right.known
    holds = np.asarray(function(left.values, right.values), dtype=bool)
    return Truth(known & holds, known & ~holds)


def _column(cells: Any, shown: str) -> _Operand:
    """Objects are numbers or truth values where nothing else is among them, else text."""
    if cells.dtype.kind in "iuf":
        return _Operand(NUMBERS, cells.astype(np.float64), shown)
    if cells.dtype.kind == "b":
        return _Operand(FLAGS, cells, shown)
    present = [cell for cell in cells if cell is not None]
    if present and all(isinstance(cell, (bool, np.bool_)) for cell in present):
        return _Operand(FLAGS, cells, shown)
    if all(
        isinstance(cell, (int, float, np.number)) and not isinstance(cell, bool) for cell in present
    ):
        return _Operand(
            NUMBERS, np.array([_float(cell) for cell in cells], dtype=np.float64), shown
        )
    texts = np.array([None, *(None if cell is None else str(cell) for cell in cells)], dtype=object)
    return _Operand(TEXT, texts[1:], shown)


def _float(cell: Any) -> float:
    try:
        return float("nan") if cell is None else float(cell)
    except OverflowError:
        return float("inf") if cell > 0 else float("-inf")


def _cure(left: _Operand, right: _Operand) -> str:
    if FLAGS in (left.kind, right.kind):
        return "; a column of truth values is a condition by itself"
    text = left if left.kind == TEXT else right
    if text.shown.startswith("column"):
        return "; compare text with a text in quotes"
    return "; a number stands without quotes"
