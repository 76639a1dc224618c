"""Conditions on the rows of a table: read by a grammar of their own, never evaluated as code.

    condition  := conjunction ("or" conjunction)*
    conjunction := negation ("and" negation)*
    negation   := "not" negation | comparison
    comparison := sum (("<" | "<=" | ">" | ">=" | "==" | "!=") sum)* | sum ["not"] "in" "(" literal ("," literal)* ")"
    sum        := product (("+" | "-") product)*
    product    := signed (("*" | "/") signed)*
    signed     := ("+" | "-") signed | power
    power      := atom ("**" signed)?
    atom       := number | text | name | `any name` | "(" condition ")"

Numbers are spelt as on the command line (7e9, 7B, 1.4T, 1%), texts stand in single or double quotes (doubled inside), and a
column whose name is no word stands in backticks. The names of the quantities and their letters (params or N, tokens or D, compute
or C, loss or L) mean the quantities, whatever their columns are called.

Logic has three values: a comparison with an empty cell is neither true nor false, nor is what hangs on it, and only rows for
which the condition is true are selected.

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

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from ...theory.data.notation import close_matches
from .numerals import SPELLINGS, UNSIGNED, parse

__all__ = ["Truth", "Where", "WhereError"]

LONGEST_TEXT = 4_000
DEEPEST_NESTING = 50
MOST_LISTED = 20

TOKEN = re.compile(
    r"(?P<number>" + re.sub(r"\(\?P<\w+>", "(?:", UNSIGNED) + r")(?![\w.])"
    r"|(?P<name>[^\W\d]\w*)"
    r"|(?P<text>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")"
    r"|(?P<quoted>`(?:[^`]|``)+`)"
    r"|(?P<relation><=|>=|==|!=|[<>](?!>))"
    r"|(?P<power>\*\*)|(?P<operator>[-+*/(),])"
)
#: What people write in other languages, and what it is here.
ELSEWHERE = {"=": "==", "&&": "and", "&": "and", "||": "or", "|": "or", "<>": "!=", "!": "not", "^": "**"}
WORDS = ("and", "or", "not", "in")

RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "**": np.power,
}


#: Element by element, which `is not` is not.
_PRESENT: Callable[[Any, Any], Any] = np.not_equal


class WhereError(ValueError):
    """A condition that cannot be read, or not on these columns.

    Attributes
    ----------
    text : str
        The condition.
    complaint : str
        The message without it.
    """

    def __init__(self, text: str, complaint: str) -> None:
        super().__init__(f"where={text!r}: {complaint}")
        self.text, self.complaint = text, complaint

    def __reduce__(self) -> tuple[type[WhereError], tuple[str, str]]:
        return type(self), (self.text, self.complaint)


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
    """

    text: str
    tree: Any

    @classmethod
    def parse(cls, text: str) -> Where:
        """The condition that a text spells.

        Raises
        ------
        WhereError
            Naming the text, the position, and what is expected there.
        """
        if not isinstance(text, str):
            raise ValueError(f"where={text!r}: must be a text such as 'loss < 4.5'")
        return cls(text, _Reader(text).condition_alone())

    def evaluate(self, bare: Mapping[str, Any], quoted: Mapping[str, Any], rows: int, source: str = "") -> Truth:
        """Where the condition holds.

        Parameters
        ----------
        bare, quoted : mapping of str to ndarray
            The columns that a plain name and a name in backticks mean: numbers, truth values, or objects with None for an empty
            cell.
        rows : int
        source : str
            What holds the columns, for messages.

        Raises
        ------
        WhereError
            Where there is no such column, or text is compared with numbers.
        """
        with np.errstate(all="ignore"):
            truth = self.tree.truth(_Rows(self.text, bare, quoted, source))
        return Truth(np.broadcast_to(truth.true, rows).copy(), np.broadcast_to(truth.false, rows).copy())


# -- the tree ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rows:
    """The columns that a condition is evaluated on."""

    text: str
    bare: Mapping[str, Any]
    quoted: Mapping[str, Any]
    source: str

    def fail(self, complaint: str) -> NoReturn:
        raise WhereError(self.text, complaint)


@dataclass(frozen=True)
class _Values:
    """An operand: numbers (NaN at an empty cell), texts (None there), or truth values."""

    kind: str
    array: Any
    shown: str

    @property
    def known(self) -> Any:
        return self.array == self.array if self.kind == "number" else _PRESENT(self.array, None)


@dataclass(frozen=True)
class _Literal:
    value: float | str
    shown: str

    def values(self, rows: _Rows) -> _Values:
        if isinstance(self.value, str):
            return _Values("text", np.array(self.value, dtype=object), self.shown)
        return _Values("number", np.float64(self.value), self.shown)

    def truth(self, rows: _Rows) -> Truth:
        rows.fail(f"{self.shown} is no condition: a comparison is expected")


@dataclass(frozen=True)
class _Column:
    name: str
    quoted: bool
    position: int

    @property
    def shown(self) -> str:
        return f"column {self.name!r}"

    def values(self, rows: _Rows) -> _Values:
        columns = rows.quoted if self.quoted else rows.bare
        if self.name not in columns:
            names = list(dict.fromkeys([*columns]))
            rest = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
            what = f"{rows.source or 'the table'} has {', '.join(names[:MOST_LISTED])}{rest}"
            rows.fail(f"no column {self.name!r} at position {self.position + 1}{close_matches(self.name, names)}; {what}")
        array = columns[self.name]
        if array.dtype.kind in "iuf":
            return _Values("number", array.astype(np.float64), self.shown)
        if array.dtype.kind == "b":
            return _Values("flag", array, self.shown)
        return _of_objects(array, self.shown)

    def truth(self, rows: _Rows) -> Truth:
        values = self.values(rows)
        if values.kind != "flag":
            rows.fail(f"{self.shown} holds {_PLURAL[values.kind]}, no truth values: a comparison is expected")
        known = values.known
        holds = np.equal(values.array, True)
        return Truth(known & holds, known & ~holds)


def _of_objects(array: Any, shown: str) -> _Values:
    """A column of Python objects: numbers or truth values where nothing else is in it, else text."""
    present = [cell for cell in array if cell is not None]
    if present and all(isinstance(cell, (bool, np.bool_)) for cell in present):
        return _Values("flag", array, shown)
    if all(isinstance(cell, (int, float, np.number)) and not isinstance(cell, bool) for cell in present):
        return _Values("number", np.array([np.nan if cell is None else _float(cell) for cell in array], dtype=np.float64), shown)
    texts = np.empty(len(array), dtype=object)
    texts[:] = [None if cell is None else str(cell) for cell in array]
    return _Values("text", texts, shown)


def _float(cell: Any) -> float:
    try:
        return float(cell)
    except OverflowError:
        return float("inf") if cell > 0 else float("-inf")


_PLURAL = {"number": "numbers", "text": "text", "flag": "truth values"}


@dataclass(frozen=True)
class _Operation:
    """Operands joined from left to right: flat, so that no long sum is a deep one. A sign has one operand."""

    operators: tuple[str, ...]
    operands: tuple[Any, ...]

    @property
    def shown(self) -> str:
        return f"the {self.operators[0]} expression"

    def values(self, rows: _Rows) -> _Values:
        arrays = [self.numbers(rows, operand) for operand in self.operands]
        if len(arrays) == 1:
            return _Values("number", np.negative(arrays[0]) if self.operators == ("-",) else arrays[0], self.shown)
        whole = arrays[0]
        for operator, array in zip(self.operators, arrays[1:], strict=True):
            whole = OPERATIONS[operator](whole, array)
        return _Values("number", whole, self.shown)

    def numbers(self, rows: _Rows, operand: Any) -> Any:
        values = operand.values(rows)
        if values.kind != "number":
            what = "text" if values.kind == "text" else "a truth value"
            rows.fail(f"{values.shown} is {what}: no {self.operators[0]} of it")
        return values.array

    def truth(self, rows: _Rows) -> Truth:
        rows.fail(f"{self.shown} is a number: a comparison is expected")


@dataclass(frozen=True)
class _Comparison:
    operands: tuple[Any, ...]
    relations: tuple[str, ...]

    def values(self, rows: _Rows) -> _Values:
        rows.fail("a comparison is no number: join comparisons with and, or")

    def truth(self, rows: _Rows) -> Truth:
        operands = [operand.values(rows) for operand in self.operands]
        parts = [
            _compared(rows, left, relation, right)
            for left, relation, right in zip(operands, self.relations, operands[1:], strict=False)
        ]
        whole = parts[0]
        for part in parts[1:]:
            whole = whole & part
        return whole


@dataclass(frozen=True)
class _Membership:
    operand: Any
    choices: tuple[_Literal, ...]

    def values(self, rows: _Rows) -> _Values:
        rows.fail("in (...) is no number: join conditions with and, or")

    def truth(self, rows: _Rows) -> Truth:
        operand = self.operand.values(rows)
        parts = [_compared(rows, operand, "==", choice.values(rows)) for choice in self.choices]
        whole = parts[0]
        for part in parts[1:]:
            whole = whole | part
        return whole


@dataclass(frozen=True)
class _Logic:
    word: str
    parts: tuple[Any, ...]

    def values(self, rows: _Rows) -> _Values:
        rows.fail(f"what {self.word!r} makes is no number")

    def truth(self, rows: _Rows) -> Truth:
        whole: Truth = self.parts[0].truth(rows)
        if self.word == "not":
            return ~whole
        for part in self.parts[1:]:
            whole = whole & part.truth(rows) if self.word == "and" else whole | part.truth(rows)
        return whole


def _compared(rows: _Rows, left: _Values, relation: str, right: _Values) -> Truth:
    if left.kind != right.kind or left.kind == "flag":
        what = f"{left.shown} ({_PLURAL[left.kind]}) {relation} {right.shown} ({_PLURAL[right.kind]})"
        cure = "; a column of truth values is a condition by itself" if "flag" in (left.kind, right.kind) else _cure(left, right)
        rows.fail(f"cannot compare {what}{cure}")
    if left.kind == "text" and relation not in ("==", "!="):
        rows.fail(f"cannot compare text by {relation}: {left.shown} and {right.shown}; only == and != are for text")
    known = left.known & right.known
    holds = np.asarray(RELATIONS[relation](left.array, right.array), dtype=bool)
    return Truth(known & holds, known & ~holds)


def _cure(left: _Values, right: _Values) -> str:
    text = left if left.kind == "text" else right
    return "; compare text with a text in quotes" if text.shown.startswith("column") else "; a number stands without quotes"


# -- the reader --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    position: int


def _tokens(text: str) -> list[_Token]:
    if len(text) > LONGEST_TEXT:
        raise WhereError(text[:40] + "...", f"has {len(text)} characters; at most {LONGEST_TEXT} are read")
    tokens = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        match = TOKEN.match(text, position)
        if match is None:
            raise WhereError(text, _unreadable(text, position))
        kind = str(match.lastgroup)
        word = match.group()
        tokens.append(_Token("word" if kind == "name" and word.lower() in WORDS else kind, word, position))
        position = match.end()
    return tokens


def _unreadable(text: str, position: int) -> str:
    rest = text[position:]
    at = f"at position {position + 1}"
    if rest[0] in "'\"`":
        return f"{'name' if rest[0] == '`' else 'text'} {at} has no closing {rest[0]}"
    for size in (2, 1):
        if rest[:size] in ELSEWHERE:
            return f"cannot read {rest[:size]!r} {at}; write {ELSEWHERE[rest[:size]]}"
    if rest[0].isdigit() or rest[0] == ".":
        word = re.match(r"[\w.%]+", rest)
        return f"cannot read {word.group() if word else rest[0]!r} {at}; {SPELLINGS}"
    return f"cannot read {rest[0]!r} {at}"


class _Reader:
    """Recursive descent; every method reads one rule of the grammar."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.index, self.depth = text, _tokens(text), 0, 0

    def condition_alone(self) -> Any:
        tree = self.condition()
        if self.index < len(self.tokens):
            self.expected("and, or, or the end")
        return tree

    # one token

    def next_is(self, *texts: str) -> bool:
        if self.index == len(self.tokens):
            return False
        token = self.tokens[self.index]
        return token.kind not in ("text", "quoted") and token.text.lower() in texts

    def took(self, *texts: str) -> str | None:
        if not self.next_is(*texts):
            return None
        self.index += 1
        return self.tokens[self.index - 1].text.lower()

    def expected(self, what: str) -> NoReturn:
        if self.index == len(self.tokens):
            raise WhereError(self.text, f"ends where {what} is expected")
        token = self.tokens[self.index]
        raise WhereError(self.text, f"unexpected {token.text} at position {token.position + 1}; {what} is expected")

    def deeper(self, rule: Callable[[], Any]) -> Any:
        self.depth += 1
        if self.depth > DEEPEST_NESTING:
            raise WhereError(self.text, f"is nested more than {DEEPEST_NESTING} deep")
        tree = rule()
        self.depth -= 1
        return tree

    # the rules

    def condition(self) -> Any:
        return self.joined("or", self.conjunction)

    def conjunction(self) -> Any:
        return self.joined("and", self.negation)

    def joined(self, word: str, rule: Callable[[], Any]) -> Any:
        parts = [rule()]
        while self.took(word):
            parts.append(rule())
        return parts[0] if len(parts) == 1 else _Logic(word, tuple(parts))

    def negation(self) -> Any:
        if self.took("not"):
            return _Logic("not", (self.deeper(self.negation),))
        return self.comparison()

    def comparison(self) -> Any:
        operands = [self.sum()]
        if self.next_is("in", "not"):
            negated = self.took("not")
            if not self.took("in"):
                self.expected("in")
            found = _Membership(operands[0], self.choices())
            return _Logic("not", (found,)) if negated else found
        relations = []
        while relation := self.took(*RELATIONS):
            relations.append(relation)
            operands.append(self.sum())
        return _Comparison(tuple(operands), tuple(relations)) if relations else operands[0]

    def choices(self) -> tuple[_Literal, ...]:
        if not self.took("("):
            self.expected("( and a list")
        found = [self.literal()]
        while self.took(","):
            if self.next_is(")"):
                break
            found.append(self.literal())
        if not self.took(")"):
            self.expected(", or )")
        return tuple(found)

    def literal(self) -> _Literal:
        sign = self.took("+", "-")
        kind = self.tokens[self.index].kind if self.index < len(self.tokens) else ""
        if kind != "number" and (sign or kind != "text"):
            self.expected("a number" if sign else "a number or a text in quotes")
        literal: _Literal = self.atom()
        return _Literal(-literal.value, f"-{literal.shown}") if sign == "-" and isinstance(literal.value, float) else literal

    def sum(self) -> Any:
        return self.chained(("+", "-"), self.product)

    def product(self) -> Any:
        return self.chained(("*", "/"), self.signed)

    def chained(self, operators: tuple[str, ...], rule: Callable[[], Any]) -> Any:
        operands, found = [rule()], []
        while operator := self.took(*operators):
            found.append(operator)
            operands.append(rule())
        return _Operation(tuple(found), tuple(operands)) if found else operands[0]

    def signed(self) -> Any:
        if operator := self.took("+", "-"):
            return _Operation((operator,), (self.deeper(self.signed),))
        return self.power()

    def power(self) -> Any:
        tree = self.atom()
        if self.took("**"):
            return _Operation(("**",), (tree, self.deeper(self.signed)))
        return tree

    def atom(self) -> Any:
        if self.took("("):
            tree = self.deeper(self.condition)
            if not self.took(")"):
                self.expected(")")
            return tree
        kind = self.tokens[self.index].kind if self.index < len(self.tokens) else ""
        if kind not in ("number", "text", "name", "quoted"):
            self.expected("a column, a number or a text in quotes")
        token = self.tokens[self.index]
        self.index += 1
        if kind == "number":
            return _Literal(self.number(token), token.text)
        if kind == "text":
            return _Literal(token.text[1:-1].replace(token.text[0] * 2, token.text[0]), token.text)
        if kind == "quoted":
            return _Column(token.text[1:-1].replace("``", "`"), True, token.position)
        return _Column(token.text, False, token.position)

    def number(self, token: _Token) -> float:
        try:
            return parse(token.text)
        except ValueError as error:
            raise WhereError(self.text, f"{token.text} at position {token.position + 1}: {error}") from None
