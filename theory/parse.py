"""One small grammar for the expressions that a user types: read against a symbol table, never evaluated as code.

    sum      := product (("+" | "-") product)*
    product  := signed (("*" | "/" | nothing) signed)*
    signed   := ("+" | "-")* power
    power    := atom (("^" | "**") signed)?
    atom     := number | name | function "(" sum ")" | "(" sum ")"

Numbers are read as exact decimals. A run of letters that is no known name is read as a product where each letter is one
(`6ND` is `6*N*D`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from sympy import Abs, Expr, Rational, Symbol, exp, log, sqrt

LONGEST_TEXT = 4_000
DEEPEST_NESTING = 60
LARGEST_DECIMAL_EXPONENT = 400
LARGEST_POWER_BITS = 20_000

FUNCTIONS: dict[str, Callable[[Expr], Expr]] = {"exp": exp, "log": log, "ln": log, "sqrt": sqrt, "abs": Abs}
TOKEN = re.compile(
    r"(?P<number>(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z]+(?:_[A-Za-z0-9]+)*\d*)|(?P<power>\*\*|\^)|(?P<operator>[-+*/()\[\]])"
)
CLOSING = {"(": ")", "[": "]"}


class ParseError(ValueError):
    """What could not be read, and where."""


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    position: int


def tokenize(text: str) -> list[Token]:
    if len(text) > LONGEST_TEXT:
        raise ParseError(f"expression of {len(text)} characters: at most {LONGEST_TEXT} are read")
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        match = TOKEN.match(text, position)
        if match is None:
            raise ParseError(f"{text!r}: cannot read {text[position]!r} at position {position + 1}")
        tokens.append(Token(str(match.lastgroup), match.group(), position))
        position = match.end()
    return tokens


def parse(text: str, table: Mapping[str, Symbol]) -> Expr:
    """The SymPy expression that `text` spells in the symbols of `table`.

    Raises
    ------
    ParseError
        Naming the text, the offending part and its position; nothing that a user types is evaluated as Python.
    """
    tokens = tokenize(text)
    if not tokens:
        raise ParseError(f"{text!r}: an expression is expected")
    reader = _Reader(text, tokens, table)
    expression = reader.sum(0)
    if not reader.at_end:
        reader.fail("unexpected")
    return expression


class _Reader:
    def __init__(self, text: str, tokens: list[Token], table: Mapping[str, Symbol]) -> None:
        self.text, self.tokens, self.table = text, tokens, table
        self.next = 0

    @property
    def at_end(self) -> bool:
        return self.next == len(self.tokens)

    def peek(self, *texts: str) -> bool:
        return not self.at_end and self.tokens[self.next].text in texts

    def take(self) -> Token:
        if self.at_end:
            raise ParseError(f"{self.text!r}: ends where a value is expected")
        self.next += 1
        return self.tokens[self.next - 1]

    def fail(self, what: str, token: Token | None = None) -> None:
        token = token or self.tokens[self.next]
        raise ParseError(f"{self.text!r}: {what} {token.text!r} at position {token.position + 1}")

    def sum(self, depth: int) -> Expr:
        if depth > DEEPEST_NESTING:
            raise ParseError(f"{self.text[:40]!r}...: nested deeper than {DEEPEST_NESTING} levels")
        total = self.product(depth)
        while self.peek("+", "-"):
            sign = self.take().text
            term = self.product(depth)
            total = total + term if sign == "+" else total - term
        return total

    def product(self, depth: int) -> Expr:
        result = self.signed(depth)
        while not self.at_end and not self.peek("+", "-", ")", "]"):
            operator = self.take().text if self.peek("*", "/") else "*"
            at = self.tokens[self.next] if not self.at_end else None
            factor = self.signed(depth)
            if operator == "/" and factor.is_zero:
                self.fail("division by zero at", at)
            result = result * factor if operator == "*" else result / factor
        return result

    def signed(self, depth: int) -> Expr:
        sign = 1
        while self.peek("+", "-"):
            if self.take().text == "-":
                sign = -sign
        value = self.power(depth)
        return value if sign > 0 else -value

    def power(self, depth: int) -> Expr:
        base = self.atom(depth)
        if not self.at_end and self.tokens[self.next].kind == "power":
            at = self.take()
            if depth > DEEPEST_NESTING:
                raise ParseError(f"{self.text[:40]!r}...: nested deeper than {DEEPEST_NESTING} levels")
            signs = depth + 1
            exponent = self.signed(signs)
            self._check_power(base, exponent, at)
            return base**exponent
        return base

    def _check_power(self, base: Expr, exponent: Expr, at: Token) -> None:
        """Refuse 0^0, 0^-1 and powers of numbers that are too large to write down."""
        if base.is_zero and not exponent.is_positive:
            self.fail("a power of zero without a value at", at)
        if base.is_Rational and exponent.is_Rational:
            bits = max(abs(int(base.p)), int(base.q)).bit_length()
            if base not in (0, 1, -1) and bits * abs(exponent) > LARGEST_POWER_BITS:
                self.fail("a number too large to write down at", at)
            if base.is_negative and not exponent.is_Integer:
                self.fail("a non-integer power of a negative number at", at)

    def atom(self, depth: int) -> Expr:
        token = self.take()
        if token.kind == "number":
            return self._number(token)
        if token.kind == "name":
            return self._name(token, depth)
        if token.text in CLOSING:
            return self._group(token, depth)
        self.fail("unexpected", token)
        raise AssertionError

    def _group(self, opening: Token, depth: int) -> Expr:
        inside = self.sum(depth + 1)
        if not self.peek(CLOSING[opening.text]):
            raise ParseError(
                f"{self.text!r}: {opening.text!r} at position {opening.position + 1} is never closed"
            )
        self.take()
        return inside

    def _number(self, token: Token) -> Rational:
        _, _, exponent = token.text.lower().partition("e")
        if exponent and abs(int(exponent)) > LARGEST_DECIMAL_EXPONENT:
            self.fail("a number too large to write down:", token)
        value = Fraction(token.text)
        return Rational(value.numerator, value.denominator)

    def _name(self, token: Token, depth: int) -> Expr:
        if token.text in self.table:
            return self.table[token.text]
        if token.text in FUNCTIONS:
            if not self.peek("(", "["):
                self.fail("an argument in parentheses is expected after", token)
            argument = self._group(self.take(), depth)
            if token.text in ("log", "ln") and argument.is_nonpositive:
                self.fail("the logarithm of a number that is not positive at", token)
            return FUNCTIONS[token.text](argument)
        letters = re.findall(r"[A-Za-z]", token.text)
        if "".join(letters) == token.text and all(letter in self.table for letter in letters):
            product: Expr = Rational(1)
            for letter in letters[:-1]:
                product = product * self.table[letter]
            return product * self._last_letter(letters[-1], depth)
        known = ", ".join(sorted(self.table))
        raise ParseError(
            f"{self.text!r}: unknown name {token.text!r} at position {token.position + 1}; known: {known}"
        )

    def _last_letter(self, letter: str, depth: int) -> Expr:
        """In `ND^d` the exponent belongs to D alone."""
        base: Expr = self.table[letter]
        if not self.at_end and self.tokens[self.next].kind == "power":
            at = self.take()
            exponent = self.signed(depth + 1)
            self._check_power(base, exponent, at)
            return base**exponent
        return base
