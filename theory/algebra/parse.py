"""One small grammar for the expressions that a user types: read against a symbol table, never
evaluated as code.

    sum      := product (("+" | "-") product)*
    product  := signed (("*" | "/") signed | power)*
    signed   := ("+" | "-")* power
    power    := atom (("^" | "**") signed)?
    atom     := number | name | function "(" sum ")" | "(" sum ")"

Numbers are read as exact decimals. A run of letters that is no known name is read as a product
where each letter is one (`6ND` is `6*N*D`); a number on the right needs its `*` (`2 3` and `1.2.3`
are mistakes), and so does a factor behind a slash (`C/6D` might be either). `dL/dN` is a
derivative. A name may have indices (`N_c`, `alpha_N`, `R_D_star`), accents (`N_hat`) and primes
(`D'`, which is `D_prime`); a word in double quotes is a name (`"FLOPs"`).

What the reader builds may cancel; where the expression has a value is noted beside it, as the
conditions of its `Domain`.

Building an expression evaluates constants, so the reader bounds them: it refuses what has no real
value, a number too long to write down, and a tower of exponentials. Nothing that hangs on the sign
of a sum is evaluated: it would be decided by factorisation, which has no bound.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from sympy import Add, Expr, I, Mul, Rational, Subs, Symbol, nan, oo, zoo

from .building import (
    FUNCTIONS,
    MORE_FUNCTIONS,
    OF_TWO,
    Domain,
    NamedFunction,
    substituted,
)
from .differential import CLOSING, HIGHEST_DERIVATIVE, DifferentialReader
from .factorials import LARGEST_FACTORIAL, Factorial, whole_choice
from .tokens import AT, DEEPEST_NESTING, OPTIMA, PRIME, ParseError, Token, quoted, tokenize

LARGEST_DECIMAL_EXPONENT = 100
#: Letters that are rather functions than factors where parentheses follow.
FUNCTION_LETTERS = frozenset(["f", "g", "h", "F", "H", "Q", "phi", "psi", "Phi", "Psi", "ell"])
MAY_BE_FUNCTIONS = frozenset("NDCLRP")  # what papers write as functions of compute
TYPED_BRACKETS = ("(", "[", r"\{", r"\lbrace", r"\lbrack", r"\lparen")
#: Orders of magnitude, which are no values.
ORDERS = frozenset(["O", "o", "Theta", "Omega"])


def parse(text: str, table: Mapping[str, Expr | NamedFunction]) -> Expr:
    """The SymPy expression that `text` spells in the symbols of `table`.

    Raises
    ------
    ParseError
        Naming the text, the offending part and its position; nothing that a user types is evaluated
        as Python.
    """
    return read(text, tokenize(text), table)


def read(
    text: str,
    tokens: list[Token],
    table: Mapping[str, Expr | NamedFunction],
    *,
    domain: Domain | None = None,
    letters: Collection[str] | None = None,
    meanings: Mapping[Symbol, Expr] | None = None,
    ratios: Collection[str] = (),
    kept: bool = False,
) -> Expr:
    """The expression that tokens of `text` spell.

    Parameters
    ----------
    text : str
        For the messages.
    tokens : list of Token
    table : mapping
        The names.
    domain : Domain, optional
        Takes the conditions under which the expression has a value.
    letters : collection of str, optional
        The names that mean something of their own: a run of letters may be a product of these
        alone, and none stands for another as an argument (`L(D, N)`). By default all names of the
        table are letters, and any is an argument.
    meanings : mapping, optional
        What names stand for, where a derivative in another letter has to know.
    ratios : collection of str, optional
        The letters without a unit, of which a quantity with one is no function.
    kept : bool
        Whether a derivative, a value at a point, and a product in which letters cancel are kept as
        they are written.
    """
    if not tokens:
        raise ParseError(f"{quoted(text)}: an expression is expected")
    reader = _Reader(text, tokens, table, domain, letters, meanings, ratios, kept=kept)
    expression = reader.sum(0)
    if not reader.at_end:
        reader.fail("unexpected")
    if expression.has(I, nan, oo, zoo):
        raise ParseError(f"{quoted(text)}: has no real value")
    return expression


class _Reader(DifferentialReader):
    def __init__(
        self,
        text: str,
        tokens: list[Token],
        table: Mapping[str, Expr | NamedFunction],
        domain: Domain | None = None,
        letters: Collection[str] | None = None,
        meanings: Mapping[Symbol, Expr] | None = None,
        ratios: Collection[str] = (),
        *,
        kept: bool = False,
    ) -> None:
        super().__init__(text, tokens, table, domain, letters, meanings, kept=kept)
        self.ratios = ratios
        self.own = (
            None
            if letters is None
            else {table[name] for name in letters if isinstance(table[name], Symbol)}
        )

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
        divided = False
        while not self.at_end and not self.peek("+", "-", ")", "]", ",", "="):
            operator = self.take().text if self.peek("*", "/") else ""
            at = self.tokens[self.next] if not self.at_end else None
            if not operator and at is not None and at.kind == "number":
                self.fail("an operator is expected before", at)
            if not operator and divided and at is not None:
                rest = f": a/b c may be (a/b)*c or a/(b*c); write '*' or parentheses before {at.text!r}"
                raise self.error(at, "ambiguous division", rest)
            if not operator:
                self._refuse_word(self.tokens[self.next - 1], at)
            factor = self.signed(depth)
            divided = operator == "/"
            if divided:
                if factor == 0:
                    self.fail("division by zero at", at)
                self.domain.divisor(factor)
            factors.append(1 / factor if divided else factor)
        found = Mul(*factors)
        letters = frozenset().union(*(factor.free_symbols for factor in factors))
        return (
            Mul(*factors, evaluate=False) if self.kept and found.free_symbols != letters else found
        )

    def _refuse_word(self, *beside: Token | None) -> None:
        """`C "FLOPs"`, from `C\\,\\text{FLOPs}`: a word beside a value may be its unit, or prose."""
        for token in beside:
            if token is not None and self.own is not None and token.text.startswith('"'):
                rest = " is a unit or prose where no sign is between; write '*' for a factor"
                raise self.error(token, f"a word {token.text}", rest)

    def signed(self, depth: int) -> Expr:
        sign = 1
        while self.peek("+", "-"):
            if self.take().text == "-":
                sign = -sign
        quotient = self.differential_quotient(depth)
        value = self.power(depth) if quotient is None else quotient
        return value if sign > 0 else -value

    def power(self, depth: int) -> Expr:
        before = [len(group) for group in self.domain.groups]
        start = self.next
        base = self.atom(depth)
        while not self.at_end and self.tokens[self.next].kind == "mark":
            if self.peek("factorial"):
                base = self._factorial(base, self.take())
            elif self.peek("evaluated"):
                base = self._evaluated(base, before, depth)
            else:
                break
        if self.is_at_power:
            at = self.take()
            if depth > DEEPEST_NESTING:
                raise ParseError(
                    f"{self.text[:40]!r}...: nested deeper than {DEEPEST_NESTING} levels"
                )
            signs = depth + 1
            first = self.next - 2
            exponent = self.signed(signs)
            self._refuse_inverse(self.tokens[first], exponent)
            self._refuse_power_of_a_function(start)
            return self.raised(base, exponent, at)
        return base

    def _refuse_inverse(self, token: Token, exponent: Expr) -> None:
        """`f^{-1}(x)` may be the inverse function, and `f^2(x)` a power of a value."""
        if self.own is None or token.kind != "name" or not self.peek("("):
            return
        opening, *inside = self.tokens[self.next : self.next + 3]
        single = len(inside) == 2 and inside[1].text == ")"
        function = token.text not in self.letters and token.text.split("_")[0] in FUNCTION_LETTERS
        is_call = function or (exponent == -1 and single and token.text not in FUNCTIONS)
        if is_call and self.text[opening.position] == "(":
            rest = ": it may be a function or its inverse; write '*' before a factor"
            raise self.error(token, f"ambiguous {token.text!r}", rest)

    def _refuse_power_of_a_function(self, start: int) -> None:
        """`P^2(r)` is the power of a value, and never P^2 times r."""
        first, *more = self.tokens[start : start + 3]
        is_alone = first.text == "(" and len(more) == 2 and more[1].text == ")"
        token = more[0] if is_alone else first
        opening, *inside = (*self.tokens[self.next : self.next + 3], token)[:4]
        meaning = self.table.get(token.text)
        is_call = self.peek("(") and len(inside) > 1 and inside[1].text == ")"
        if is_call and isinstance(meaning, NamedFunction) and self.text[opening.position] == "(":
            given = inside[0].text
            if inside[0].kind == "number" or given in map(str, meaning.parameters):
                rest = f"; write {token.text}({given})^... for the power of the value"
                raise self.error(token, f"ambiguous {token.text!r}", rest)

    def atom(self, depth: int) -> Expr:
        token = self.take()
        if token.kind == "number":
            return self._number(token)
        if token.kind == "name":
            return self._name(token, depth)
        if token.text in CLOSING:
            self._refuse_call_of_a_group()
            return self._group(token, depth)
        raise self.error(token, f"unexpected {token.text!r}")

    # -- values at a point, and least values ---------------------------------------------------------------------------

    def _factorial(self, base: Expr, at: Token) -> Expr:
        if base.is_number and not (base.is_Integer and 0 <= base <= LARGEST_FACTORIAL):
            sign = replace(at, text="!")
            self.fail(f"a whole number from 0 to {LARGEST_FACTORIAL} is expected before", sign)
        self.domain.at_least_zero(base)
        return Factorial(base)

    def _evaluated(self, value: Expr, before: Sequence[int], depth: int) -> Expr:
        """The value at `[N = N_opt, D = 2]`; a letter alone is held, and an optimum alone is the
        place.
        """
        at, opening = self.take(), self.take()
        places: dict[Symbol, Expr] = {}
        while True:
            places |= self._place(at, depth)
            if not self.peek(","):
                break
            self.take()
        self._close(opening)
        if self.kept:
            return Subs(value, *zip(*places.items(), strict=True))
        missing = places.keys() - value.free_symbols - self.differentiated
        if missing and value.free_symbols:
            names = ", ".join(sorted(map(str, missing)))
            raise self.error(at, "a value at a point", f": {names} is no letter of it")
        for group, kept in zip(self.domain.groups, before, strict=True):
            later = group[kept:]
            del group[kept:]
            group += [substituted(e, places, self.text, self.domain) for e in later]
        return substituted(value, places, self.text, self.domain)

    def _place(self, at: Token, depth: int) -> dict[Symbol, Expr]:
        """`N = N_opt`; `N_opt` alone is the same, and `D` alone holds D, which the reader does."""
        token = self.take()
        meaning = self.table.get(token.text) if token.kind == "name" else None
        if self.peek("="):
            self.take()
            if not isinstance(meaning, Symbol):
                self.fail("a letter is expected instead of", token)
            return {meaning: self.sum(depth + 1)}
        optimal = [letter for letter, name in OPTIMA.items() if name == token.text]
        if token.text == "*":
            optimal = ["N", "D"]
        places: dict[Symbol, Expr] = {}
        for letter in optimal:
            moving, best = self.table.get(letter), self.table.get(OPTIMA[letter])
            if isinstance(moving, Symbol) and isinstance(best, NamedFunction):
                places[moving] = best.body
        if places:
            return places
        if not (isinstance(meaning, Symbol) and meaning in self.differentiated):
            self.fail("a value such as N = 1 is expected instead of", token)
        return {}

    def _group(self, opening: Token, depth: int) -> Expr:
        inside = self.sum(depth + 1)
        self._close(opening)
        return inside

    def _number(self, token: Token) -> Rational:
        _, _, exponent = token.text.lower().partition("e")
        if exponent and abs(int(exponent)) > LARGEST_DECIMAL_EXPONENT:
            self.fail("a number too large to write down:", token)
        value = Fraction(token.text)
        return Rational(value.numerator, value.denominator)

    def _name(self, token: Token, depth: int) -> Expr:
        order = token.text.split("_")[0]
        is_order = order in ORDERS and order not in self.letters and self.own is not None
        if is_order and self.peek("(", "["):
            rest = " is no value, and cannot be read"
            raise self.error(token, f"an order term '{order}(...)'", rest)
        if token.text in self.table:
            meaning = self.table[token.text]
            if isinstance(meaning, NamedFunction):
                return self._formula(meaning, token, depth)
            self._refuse_call(token)
            return meaning
        if token.text in (*FUNCTIONS, *MORE_FUNCTIONS, *OF_TWO):
            return self._function(token, depth)
        base = token.text.removesuffix(f"_{PRIME}")
        if base != token.text and self.peek("("):
            return self._slope(token, depth)
        letters = re.findall(r"[A-Za-z]", token.text)
        if "".join(letters) == token.text and all(letter in self.letters for letter in letters):
            *first, last = letters
            return Mul(*(self._plain(letter) for letter in first), self._last_letter(last, depth))
        known = ", ".join(sorted(self.table))
        raise self.error(token, f"unknown name {token.text!r}", f"; known: {known}")

    def _function(self, token: Token, depth: int) -> Expr:
        if not self.peek("(", "["):
            self.fail("an argument in parentheses is expected after", token)
        if token.text not in OF_TWO:
            function = FUNCTIONS.get(token.text) or MORE_FUNCTIONS[token.text]
            return self.applied(function, self._group(self.take(), depth), token)
        opening = self.take()
        values = [self.sum(depth + 1)]
        while self.peek(","):
            self.take()
            values.append(self.sum(depth + 1))
        self._close(opening)
        if token.text == "binom":
            return self._choice(values, token)
        if len(values) == 1:
            self.fail("at least two values are expected in", token)
        value = values[0]
        for other in values[1:]:
            value = OF_TWO[token.text](value, other)
        return value

    def _choice(self, values: list[Expr], token: Token) -> Expr:
        """n choose k; in factorials where k is no number."""
        if len(values) != 2:
            self.fail("two values are expected in", token)
        n, k = values
        if k.is_number and not (k.is_Integer and 0 <= k <= LARGEST_FACTORIAL):
            self.fail(f"a whole number from 0 to {LARGEST_FACTORIAL} is expected below in", token)
        if not k.is_number:
            for value in (k, n - k):
                self.domain.at_least_zero(value)
        return whole_choice(n, k)

    def _slope(self, token: Token, depth: int) -> Expr:
        """`P'(r)`, the derivative of a function of one argument there."""
        base, order = token.text, 0
        while base.endswith(f"_{PRIME}"):
            base, order = base.removesuffix(f"_{PRIME}"), order + 1
        meaning = self.table.get(base)
        cases = [meaning, meaning.other] if isinstance(meaning, NamedFunction) else []
        single = [case for case in cases if case is not None and len(case.parameters) == 1]
        if not single or order > HIGHEST_DERIVATIVE:
            rest = ": a prime before an argument is the derivative of a function of one argument"
            raise self.error(token, f"cannot read {token.text!r}", rest)
        (variable,) = single[0].parameters
        slope = self.derivative_at(token, [single[0].body], [(variable, False)] * order)
        return self._formula(NamedFunction((variable,), slope), token, depth)

    def _is_typed_bracket(self, opening: Token) -> bool:
        """Whether a bracket is one that a reader sees, and no brace or fraction of LaTeX."""
        return self.text.startswith(TYPED_BRACKETS, opening.position)

    def _refuse_call_of_a_group(self) -> None:
        """`(N_opt)(C)` is a function that is applied, or a product of two."""
        start = self.next
        name, closing, opening = [*self.tokens[start : start + 3], *[None] * 3][:3]
        if self.own is None or name is None or closing is None or opening is None:
            return
        is_exponent = start > 1 and self.tokens[start - 2].kind == "power"
        is_function = isinstance(self.table.get(name.text), NamedFunction)
        may_be = is_function or name.text in MAY_BE_FUNCTIONS
        is_group = closing.text in CLOSING.values() and opening.text in CLOSING
        if may_be and is_group and not is_exponent and self._is_typed_bracket(opening):
            rest = f"; write {name.text}(...) for its value and '*' for a product"
            raise self.error(name, f"ambiguous '({name.text})(...)'", rest)

    def _refuse_call(self, token: Token) -> None:
        """`N(C)` and `f(x)` are functions in a paper and products in the grammar, so that one has to
        say which is meant; in `A (N_opt)^-beta` and in `lambda (C - 6 N D)` there is no doubt.
        """
        opening = self.next
        brackets = ("(", "[") if token.text in MAY_BE_FUNCTIONS else ("(",)
        if (
            self.own is None
            or not self.peek(*brackets)
            or not self._is_typed_bracket(self.tokens[opening])
        ):
            return
        depth, inside, closing = 0, [], opening
        for closing in range(opening, len(self.tokens)):
            text = self.tokens[closing].text
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text, 0)
            if depth == 0:
                break
            if depth == 1 and closing > opening:
                inside.append(self.tokens[closing])
        after = self.tokens[closing + 1 :][:1]
        raised = bool(after) and after[0].kind == "power"
        stem = token.text.split("_")[0]
        is_free = token.text not in self.letters
        several = any(part.text == "," for part in inside)
        is_sum = any(part.text in ("+", "-") for part in inside[1 if is_free else 0 :])
        single = len(inside) == 1 and inside[0].kind in ("name", "number")
        if several or (is_free and (stem in FUNCTION_LETTERS or stem.startswith('"'))):
            doubtful = True
        elif raised:
            doubtful = single and token.text in MAY_BE_FUNCTIONS
        else:
            powers = any(part.kind == "power" for part in self.tokens[opening:closing])
            doubtful = not is_sum and (token.text in MAY_BE_FUNCTIONS or not powers)
        if not doubtful:
            return
        argument = "".join(part.text for part in self.tokens[opening + 1 : closing])
        optimum = OPTIMA.get(token.text, "")
        meant = f"{optimum}({argument}) for the optimum, " if optimum in self.table else ""
        product = f"{token.text}*{argument}" if single else f"{token.text}*({argument})"
        unknown = f": no function {token.text} is known" if is_free else ""
        hint = f"{unknown}; write {meant}{product} for the product"
        raise self.error(token, f"ambiguous '{token.text}({argument})'", hint)

    def _formula(self, formula: NamedFunction, token: Token, depth: int) -> Expr:
        """The body, at the arguments in parentheses where they follow; `N_opt (r/2)^beta` is a
        product.
        """
        start = self.next
        is_call = self.peek("(", "[") and (
            token.text.endswith(AT) or self._is_typed_bracket(self.tokens[start])
        )
        if not is_call:
            if self.own is not None and not self.own.issuperset(formula.parameters):
                self.fail("an argument in parentheses is expected after", token)
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
        raised = self.is_at_power
        if raised and len(arguments) == 1 and self._is_factor(formula.parameters[0], arguments[0]):
            self.next = start
            return formula.body
        if raised and len(arguments) == 1 and token.text in OPTIMA.values():
            self._refuse_raised_optimum(formula.parameters[0], arguments[0], token)
        arguments = [
            self._argument(*pair, formula, token)
            for pair in zip(formula.parameters, arguments, strict=True)
        ]
        return substituted(
            formula.body,
            dict(zip(formula.parameters, arguments, strict=True)),
            self.text,
            self.domain,
        )

    def _argument(
        self, parameter: Symbol, given: Expr, formula: NamedFunction, token: Token
    ) -> Expr:
        """What is given for a parameter; a letter that means another quantity, as in `L(D, N)`, is
        refused.
        """
        if self.own is None or parameter not in self.own or given == parameter:
            return given
        for symbol, value in formula.instead:
            if given == symbol:
                return value
            if symbol in given.free_symbols and given != value:
                rest = f": as it stands it may be taken at {symbol} or at {parameter}; name {parameter} by a letter of its own"
                raise self.error(token, f"ambiguous argument {given} of {token.text!r}", rest)
        if given in self.own or self._is_factor(parameter, given):
            wanted = ", ".join(map(str, formula.parameters))
            rest = f": it is read as a function of ({wanted}), and {given} is another quantity"
            raise self.error(token, f"ambiguous argument {given} of {token.text!r}", rest)
        return given

    def _refuse_raised_optimum(self, parameter: Symbol, given: Expr, token: Token) -> None:
        """`N_opt (C/6)^beta` is a product as it is often printed, or the power of a value."""
        if not given.is_Symbol and parameter in given.free_symbols:
            rest = (
                f": a power of the value at {given} is ({token.text}({given}))^..., "
                f"a product {token.text}*({given})^..."
            )
            raise self.error(token, f"ambiguous {token.text!r}", rest)

    def _is_factor(self, parameter: Symbol, given: Expr) -> bool:
        """Whether what is given for a quantity with a unit has certainly none, being made of ratios
        and exponents.
        """
        made_of = given.free_symbols
        if not (self.own and parameter in self.own and made_of) or parameter.name in self.ratios:
            return False
        return all(x in self.own and x.name in self.ratios for x in made_of)

    def _plain(self, name: str) -> Expr:
        meaning = self.table[name]
        return meaning.body if isinstance(meaning, NamedFunction) else meaning

    def _last_letter(self, letter: str, depth: int) -> Expr:
        """In `ND^d` the exponent belongs to D alone."""
        base = self._plain(letter)
        if self.is_at_power:
            at = self.take()
            exponent = self.signed(depth + 1)
            return self.raised(base, exponent, at)
        return base
