"""Derivatives of formulas as they are typed: `dL/dN`, `d log N_opt/d log C`; how they are read, and what
they are.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NoReturn

from sympy import Abs, Derivative, Expr, Subs, Symbol, log

from .building import FUNCTIONS, Builder, Domain, NamedFunction, substituted
from .functions import Partial, defined
from .tokens import ParseError, Token

CLOSING = {"(": ")", "[": "]"}
HIGHEST_DERIVATIVE = 4


class NoDerivative(ValueError):
    """Why an expression has no derivative here."""


def derivative(bodies: Sequence[Expr], variables: Sequence[tuple[Symbol, bool]]) -> Expr:
    """The derivative by each variable in turn, or by its logarithm, with every other letter held.

    Parameters
    ----------
    bodies : sequence of sympy.Expr
        What may be meant: the first that holds every variable is (dL/dN is of L(N, D), and dL/dC of
        L(C)).
    variables : sequence of (sympy.Symbol, bool)
        Each with whether its logarithm is meant: df/dlog x = x df/dx.

    Raises
    ------
    NoDerivative
        Where no body holds the variables, so that the derivative would be 0 by a mere choice of
        letters, or where it is of an absolute value.
    """
    wanted = {variable for variable, _ in variables}
    meant = next((body for body in bodies if wanted <= body.free_symbols), None)
    if meant is None:
        missing = ", ".join(sorted(map(str, wanted - bodies[0].free_symbols)))
        raise NoDerivative(f"{bodies[0]} does not depend on {missing}")
    found = defined(meant)
    if found.has(Abs):
        raise NoDerivative(f"{meant} has an absolute value")
    for variable, logarithmic in variables:
        found = found.diff(variable) * (variable if logarithmic else 1)
    if found.has(Derivative, Subs):
        raise NoDerivative(f"{meant} is differentiated no further")
    return found


class DifferentialReader(Builder):
    """Tokens one after another, and the derivatives among them; what is a value says a subclass."""

    def __init__(
        self,
        text: str,
        tokens: Sequence[Token],
        table: Mapping[str, Expr | NamedFunction],
        domain: Domain | None,
        letters: Collection[str] | None,
        meanings: Mapping[Symbol, Expr] | None,
        *,
        kept: bool = False,
    ) -> None:
        super().__init__(text, domain)
        self.kept = kept
        self.tokens, self.table, self.next = list(tokens), table, 0
        self.letters = table.keys() if letters is None else letters
        self.meanings = meanings or {}
        self.differentiated: set[Symbol] = set()

    def atom(self, depth: int) -> Expr:
        """The next value."""
        raise NotImplementedError

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

    def fail(self, what: str, token: Token | None = None) -> NoReturn:
        self.refuse(what, token or self.tokens[self.next])

    @property
    def is_at_power(self) -> bool:
        return not self.at_end and self.tokens[self.next].kind == "power"

    def _close(self, opening: Token) -> None:
        if not self.peek(CLOSING[opening.text]):
            raise self.error(opening, f"{opening.text!r}", " is never closed")
        self.take()

    def differential_quotient(self, depth: int) -> Expr | None:
        """The derivative that begins here: `dL/dN`, `(d L)/(d N)`, `d/dN (...)`, `d^2L/dN^2`;
        nothing where none does.
        """
        start, tokens = self.next, list(self.tokens)
        opened = next((n for n in range(3) if self._differential_at(start + n)), None)
        if opened is None or any(token.text != "(" for token in tokens[start : start + opened]):
            return None
        if opened == 2 and not self._is_operator(start + opened):
            return None
        at, after = tokens[start + opened], tokens[start + opened + 1 :][:1]
        try:
            return self._quotient(opened, at, depth)
        except ParseError:
            self.next, self.tokens = start, tokens
            below = any(
                token.text == "/" and self._denominator_follows(i)
                for i, token in enumerate(tokens[start:], start)
            )
            alone = (
                at.text == "d"
                and not below
                and (not after or after[0].kind == "power" or after[0].text in ("/", ")"))
            )
            if alone or (at.text != "partial" and "d" in self.letters):
                return None
            raise

    def _quotient(self, opened: int, at: Token, depth: int) -> Expr:
        """One that begins with `opened` parentheses; the outer one of two belongs to an operator,
        `((d)/(dN)) L`.
        """
        for _ in range(opened):
            opening = self.take()
        order = self._differential(depth)
        above = None if self.peek("/", ")") else self._differentiated(depth)
        if opened:
            self._close(opening)
        if not (self.peek("/") and self._denominator_follows(self.next)):
            raise self.error(
                at,
                "a differential",
                " that is no derivative such as dL/dN cannot be read",
            )
        self.take()
        inner = self.take() if self.peek("(") else None
        variables: list[tuple[Symbol, bool]] = []
        while self._differential_at(self.next):
            variables += self._variable(depth)
        if inner is not None:
            self._close(inner)
        if opened == 2:
            self._close(opening)
        if len(variables) != order:
            raise self.error(
                at,
                "a derivative",
                f" of order {order} by {len(variables)} variables",
            )
        if above is None:
            above = self._differentiated(depth)
            if not (self.at_end or self.peek("+", "-", ")", "]", ",")):
                self.fail("parentheses are expected around what is differentiated, before")
        bodies = (
            [f.body for f in (above, above.other) if f is not None]
            if isinstance(above, NamedFunction)
            else [above]
        )
        wanted = {variable for variable, _ in variables}
        if not any(wanted & body.free_symbols for body in bodies):
            known = {x: value for x, value in self.meanings.items() if x not in wanted}
            bodies = [substituted(body, known, self.text) for body in bodies]
        meant = next((body for body in bodies if wanted <= body.free_symbols), bodies[0])
        self.differentiated = set(meant.free_symbols)
        return self.derivative_at(at, bodies, variables)

    def derivative_at(
        self, at: Token, bodies: Sequence[Expr], variables: Sequence[tuple[Symbol, bool]]
    ) -> Expr:
        """The derivative, or what is wrong with it at a token."""
        if self.kept:
            found = bodies[0]
            for variable, logarithmic in reversed(variables):
                found = Partial(found, log(variable) if logarithmic else variable)
            return found
        try:
            return derivative(bodies, variables)
        except NoDerivative as error:
            raise self.error(at, "a derivative", f" that cannot be meant: {error}") from None

    def _differential_at(self, index: int) -> bool:
        """Whether `d`, or a name that begins with it and is none, stands here before what it is
        taken of.
        """
        if index + 1 >= len(self.tokens) or self.tokens[index].kind != "name":
            return self._is_joined(index)
        after = self.tokens[index + 1]
        if self.tokens[index].text in ("d", "partial"):
            return after.kind in ("name", "power") or after.text in ("(", ")", "/")
        return self._is_joined(index)

    def _is_joined(self, index: int) -> bool:
        """Whether the token is a `dN` in one word."""
        if index >= len(self.tokens) or self.tokens[index].kind != "name":
            return False
        name = self.tokens[index].text
        rest = name.removeprefix("d")
        return (
            rest != name
            and not {name} & {*self.table, *FUNCTIONS}
            and bool({rest} & {*self.table, *FUNCTIONS})
        )

    def _is_operator(self, index: int) -> bool:
        """Whether the `d` is that of `(d)/(dN)` or `(d^2)/(dN^2)`, with nothing behind it."""
        end = index + 1
        if end < len(self.tokens) and self.tokens[end].kind == "power":
            end += 4 if self.tokens[end + 1 : end + 2] and self.tokens[end + 1].text == "(" else 2
        return end < len(self.tokens) and self.tokens[end].text == ")"

    def _denominator_follows(self, slash: int) -> bool:
        first = slash + 1
        first += first < len(self.tokens) and self.tokens[first].text == "("
        after = self.tokens[first + 1] if first + 1 < len(self.tokens) else None
        bare = (
            self._differential_at(first)
            and after is not None
            and (after.kind == "name" or after.text == "(")
        )
        return bare or self._is_joined(first)

    def _differential(self, depth: int) -> int:
        """Past the `d` of the numerator; its order."""
        token = self.take()
        if token.text not in ("d", "partial"):
            self._put_back(token)
            return 1
        return self._order(depth)

    def _order(self, depth: int) -> int:
        if not self.is_at_power:
            return 1
        at = self.take()
        order = self.atom(depth)
        if not (order.is_Integer and 0 < order <= HIGHEST_DERIVATIVE):
            self.fail(f"an order from 1 to {HIGHEST_DERIVATIVE} is expected after", at)
        return int(order)

    def _put_back(self, token: Token) -> None:
        """Of `dL` the `d` is taken, and `L` is next."""
        self.next -= 1
        self.tokens[self.next] = Token("name", token.text[1:], token.position + 1)

    def _differentiated(self, depth: int) -> NamedFunction | Expr:
        """What stands behind the `d`: a name, with its arguments or not, a function of something,
        or a group.
        """
        if self.at_end:
            raise ParseError.at_end(self.text, "what is differentiated")
        token = self.tokens[self.next]
        following = self.tokens[self.next + 1].text if self.next + 1 < len(self.tokens) else ""
        meaning = self.table.get(token.text) if token.kind == "name" else None
        if isinstance(meaning, NamedFunction) and following != "(":
            self.take()
            return meaning
        value = self.atom(depth + 1)
        if self.is_at_power:
            self.fail("parentheses are expected around what is differentiated, before")
        return value

    def _variable(self, depth: int) -> list[tuple[Symbol, bool]]:
        """The variable of `dN`, `d log C`, `dN^2`, with whether its logarithm is meant, once for
        each order.
        """
        token = self.take()
        if token.text not in ("d", "partial"):
            self._put_back(token)
        token = self.tokens[self.next] if not self.at_end else token
        letter = self.table.get(token.text) if token.kind == "name" else None
        value = letter if isinstance(letter, Symbol) else self.atom(depth + 1)
        self.next += value is letter
        logarithmic = isinstance(value, log)
        symbol = value.args[0] if logarithmic else value
        if not symbol.is_Symbol:
            self.fail("a letter, or the logarithm of one, is expected instead of", token)
        return [(symbol, logarithmic)] * self._order(depth)
