"""One small grammar for the expressions that a user types: read against a symbol table, never evaluated as code.

    sum      := product (("+" | "-") product)*
    product  := signed (("*" | "/") signed | power)*
    signed   := ("+" | "-")* power
    power    := atom (("^" | "**") signed)?
    atom     := number | name | function "(" sum ")" | "(" sum ")"

Numbers are read as exact decimals. A run of letters that is no known name is read as a product where each letter is one
(`6ND` is `6*N*D`); a number on the right needs its `*` (`2 3` and `1.2.3` are mistakes).

Building an expression evaluates constants, so the reader bounds them: it refuses what has no real value, a number too long to
write down, and a tower of exponentials. Nothing that hangs on the sign of a sum is evaluated: it would be decided by
factorisation, which has no bound.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from sympy import Abs, Add, E, Expr, I, Mul, Pow, Rational, Symbol, exp, log, nan, oo, sqrt, zoo

LONGEST_TEXT = 4_000
DEEPEST_NESTING = 40
LARGEST_DECIMAL_EXPONENT = 100
LARGEST_POWER_BITS = 10_000
LARGEST_EXPONENT = 1_000
LARGEST_ROOTED_BITS = 1_000
LARGEST_ROOT_BITS = 2_000_000  # u^(p/q) is evaluated by way of prime factors to powers of up to p and q

FUNCTIONS: dict[str, Callable[..., Expr]] = {"exp": exp, "log": log, "ln": log, "sqrt": sqrt, "abs": Abs}
TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+(?:_[0-9]+)*\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z]+(?:_[A-Za-z0-9]+)*[0-9]*)|(?P<relation>==|<=|>=|->|[=<>~])"
    r"|(?P<power>\*\*|\^)|(?P<operator>[-+*/()\[\],])"
)
CLOSING = {"(": ")", "[": "]"}


class ParseError(ValueError):
    """What could not be read, and where.

    Attributes
    ----------
    text : str or None
        What could not be read.
    complaint : str
        The message without the text that it is about.
    position : int or None
        Of the offending piece in the text.
    """

    def __init__(self, complaint: str, *, text: str | None = None, position: int | None = None, message: str = "") -> None:
        super().__init__(message or (complaint if text is None else f"{text!r}: {complaint}"))
        self.text, self.complaint, self.position = text, complaint, position

    @classmethod
    def at_end(cls, text: str, what: str) -> ParseError:
        """The text is over too soon."""
        return cls(f"ends where {what} is expected", text=text, position=len(text))

    @classmethod
    def at(cls, text: str, position: int, what: str, rest: str = "") -> ParseError:
        """`what` stands at a position of the text."""
        message = f"{text!r}: {what} at position {position + 1}{rest}"
        return cls(f"{what}{rest}", text=text, position=position, message=message)


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
            raise ParseError.at(text, position, f"cannot read {text[position]!r}")
        tokens.append(Token(str(match.lastgroup), match.group(), position))
        position = match.end()
    return tokens


@dataclass(frozen=True)
class Formula:
    """A name that may be applied to arguments: `N_opt` stands for its body, `N_opt(10^21)` for the body there.

    Where the number of arguments is that of `other`, it is meant: `L(N, D)`, but `L(C)` is the least loss at C.
    """

    parameters: tuple[Symbol, ...]
    body: Expr
    other: Formula | None = None


def parse(text: str, table: Mapping[str, Expr | Formula]) -> Expr:
    """The SymPy expression that `text` spells in the symbols of `table`.

    Raises
    ------
    ParseError
        Naming the text, the offending part and its position; nothing that a user types is evaluated as Python.
    """
    return read(text, tokenize(text), table)


def read(text: str, tokens: list[Token], table: Mapping[str, Expr | Formula]) -> Expr:
    """The expression that tokens of `text` spell; `text` is for the messages."""
    if not tokens:
        raise ParseError(f"{text!r}: an expression is expected")
    reader = _Reader(text, tokens, table)
    expression = reader.sum(0)
    if not reader.at_end:
        reader.fail("unexpected")
    if expression.has(I, nan, oo, zoo):
        raise ParseError(f"{text!r}: has no real value")
    return expression


def substituted(expression: Expr, values: Mapping[Symbol, Expr], text: str) -> Expr:
    """The expression with symbols replaced all at once, under the bounds of the reader; `text` is for the messages."""
    if not expression.free_symbols & values.keys():
        return expression
    at = Token("name", ", ".join(f"{x} = {values[x]}" for x in sorted(expression.free_symbols & values.keys(), key=str)), 0)
    reader = _Reader(text, [at], {})

    def rebuilt(part: Expr) -> Expr:
        if part.is_Symbol or not part.args:
            return values.get(part, part)
        arguments = [rebuilt(argument) for argument in part.args]
        if part.func in (exp, log):
            return reader.applied(part.func, arguments[0], at)
        if isinstance(part, Pow):
            return reader.raised(arguments[0], arguments[1], at)
        return part.func(*arguments)

    replaced = rebuilt(expression)
    if replaced.has(I, nan, oo, zoo):
        raise ParseError(f"{text!r}: has no real value for {at.text}")
    return replaced


def _bits(expression: Expr) -> int:
    """Bits of the longest number in the expression other than 0 and 1, and their signs."""
    numbers = (max(abs(int(number.p)), int(number.q)) for number in expression.atoms(Rational))
    return max((n.bit_length() for n in numbers if n > 1), default=0)


class _Reader:
    def __init__(self, text: str, tokens: list[Token], table: Mapping[str, Expr | Formula]) -> None:
        self.text, self.tokens, self.table = text, tokens, table
        self.next = 0

    @property
    def at_end(self) -> bool:
        return self.next == len(self.tokens)

    def peek(self, *texts: str) -> bool:
        return not self.at_end and self.tokens[self.next].text in texts

    def take(self) -> Token:
        if self.at_end:
            raise ParseError.at_end(self.text, "a value")
        self.next += 1
        return self.tokens[self.next - 1]

    def fail(self, what: str, token: Token | None = None) -> None:
        token = token or self.tokens[self.next]
        raise ParseError.at(self.text, token.position, f"{what} {token.text!r}")

    def sum(self, depth: int) -> Expr:
        if depth > DEEPEST_NESTING:
            raise ParseError(f"{self.text[:40]!r}...: nested deeper than {DEEPEST_NESTING} levels")
        terms = [self.product(depth)]
        while self.peek("+", "-"):
            sign = self.take().text
            term = self.product(depth)
            terms.append(term if sign == "+" else -term)
        return Add(*terms)

    def product(self, depth: int) -> Expr:
        factors = [self.signed(depth)]
        while not self.at_end and not self.peek("+", "-", ")", "]", ","):
            operator = self.take().text if self.peek("*", "/") else ""
            at = self.tokens[self.next] if not self.at_end else None
            if not operator and at is not None and at.kind == "number":
                self.fail("an operator is expected before", at)
            factor = self.signed(depth)
            if operator == "/" and factor == 0:
                self.fail("division by zero at", at)
            factors.append(1 / factor if operator == "/" else factor)
        return Mul(*factors)

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
            return self.raised(base, exponent, at)
        return base

    def raised(self, base: Expr, exponent: Expr, at: Token) -> Expr:
        self._check_power(base, exponent, at)
        return Pow(base, exponent, evaluate=bool(exponent.is_Integer or not (base.has(Add) or exponent.has(Add))))

    def _check_power(self, base: Expr, exponent: Expr, at: Token) -> None:
        """Refuse 0^0, 0^-1, powers without a real value and constants that are too large to write down."""
        if base == 0 and not (exponent.is_Rational and exponent > 0):
            self.fail("a power of zero at", at)
        if base.is_Rational and base < 0 and not exponent.is_Integer:
            self.fail("a non-integer power of a negative number at", at)
        bits = _bits(base)
        self._check_size(bits, exponent, at)
        if bits or base.has(exp, E):
            self._check_tower(exponent, at)

    def _check_size(self, bits: int, exponent: Expr, at: Token) -> None:
        """Refuse a power of a number of `bits` bits that is too large to write down."""
        for number in exponent.atoms(Rational):
            size, root = abs(number), max(abs(number.p), number.q)
            rooted = LARGEST_POWER_BITS if number.is_Integer else LARGEST_ROOTED_BITS
            if size > LARGEST_EXPONENT or bits > rooted or bits * size > LARGEST_POWER_BITS or bits * root > LARGEST_ROOT_BITS:
                self.fail("a number too large to write down at", at)

    def _check_tower(self, exponent: Expr, at: Token) -> None:
        """Refuse constants such as exp(exp(50)): their digits are beyond reach, and their sign may hang on them."""
        constants = (term.as_independent(*term.free_symbols, as_Add=False)[0] for term in Add.make_args(exponent))
        if any(constant.has(exp, E) for constant in constants):
            self.fail("a tower of exponentials at", at)

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
        self._close(opening)
        return inside

    def _close(self, opening: Token) -> None:
        if not self.peek(CLOSING[opening.text]):
            raise ParseError.at(self.text, opening.position, f"{opening.text!r}", " is never closed")
        self.take()

    def _number(self, token: Token) -> Rational:
        _, _, exponent = token.text.lower().partition("e")
        if exponent and abs(int(exponent)) > LARGEST_DECIMAL_EXPONENT:
            self.fail("a number too large to write down:", token)
        value = Fraction(token.text)
        return Rational(value.numerator, value.denominator)

    def _name(self, token: Token, depth: int) -> Expr:
        if token.text in self.table:
            meaning = self.table[token.text]
            return self._formula(meaning, token, depth) if isinstance(meaning, Formula) else meaning
        if token.text in FUNCTIONS:
            if not self.peek("(", "["):
                self.fail("an argument in parentheses is expected after", token)
            return self.applied(FUNCTIONS[token.text], self._group(self.take(), depth), token)
        letters = re.findall(r"[A-Za-z]", token.text)
        if "".join(letters) == token.text and all(letter in self.table for letter in letters):
            *first, last = letters
            return Mul(*(self._plain(letter) for letter in first), self._last_letter(last, depth))
        known = ", ".join(sorted(self.table))
        raise ParseError.at(self.text, token.position, f"unknown name {token.text!r}", f"; known: {known}")

    def _formula(self, formula: Formula, token: Token, depth: int) -> Expr:
        """The body, at the arguments in parentheses where they follow."""
        if not self.peek("("):
            return formula.body
        opening = self.take()
        arguments = [self.sum(depth + 1)]
        while self.peek(","):
            self.take()
            arguments.append(self.sum(depth + 1))
        self._close(opening)
        if formula.other is not None and len(arguments) == len(formula.other.parameters):
            formula = formula.other
        if len(arguments) != len(formula.parameters):
            wanted = ", ".join(map(str, formula.parameters))
            self.fail(f"{len(arguments)} arguments instead of ({wanted}) for", token)
        return substituted(formula.body, dict(zip(formula.parameters, arguments, strict=True)), self.text)

    def applied(self, function: Callable[..., Expr], argument: Expr, token: Token) -> Expr:
        if function is sqrt:
            return self.raised(argument, Rational(1, 2), token)
        if function is log and argument.is_Rational and argument <= 0:
            self.fail("the logarithm of a number that is not positive at", token)
        if function is exp:  # exp(n log u) is evaluated as u^n
            self._check_size(max(map(_bits, argument.atoms(log)), default=0), argument, token)
            self._check_tower(argument, token)
        return function(argument, evaluate=not argument.has(Add))

    def _plain(self, name: str) -> Expr:
        meaning = self.table[name]
        return meaning.body if isinstance(meaning, Formula) else meaning

    def _last_letter(self, letter: str, depth: int) -> Expr:
        """In `ND^d` the exponent belongs to D alone."""
        base = self._plain(letter)
        if not self.at_end and self.tokens[self.next].kind == "power":
            at = self.take()
            exponent = self.signed(depth + 1)
            return self.raised(base, exponent, at)
        return base
