"""The grammar of formulas, in plain text or LaTeX. Formulas are read against a table of names and
never evaluated as code.

    sum      := product (("+" | "-") product)*
    product  := signed (("*" | "/") signed | power)*
    signed   := ("+" | "-")* (derivative | power)
    power    := atom ("!" | "evaluated" "(" place ("," place)* ")")* (("^" | "**") signed)?
    atom     := number | name | name "(" sum ("," sum)* ")" | "(" sum ")"

Numbers are exact decimals. A run of letters that is no known name is a product if each letter is a name
(`6ND` is `6*N*D`). A number on the right of a product needs its `*`, and so does a factor behind a
slash (`C/6D` might be either). `dL/dN`, `d/dN (L)` and `(d log(N_opt))/(d log(C))` are derivatives,
and e is Euler's number.
Anything that may mean two things is refused with its place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import TypeVar

from sympy import Abs, Add, Derivative, E, Expr, I, Mul, Rational, Subs, Symbol, log, nan, oo, zoo

from ..kernel.functions import Partial, defined
from ..kernel.symbols import ON_BUDGET, QUANTITIES
from .building import (
    APPLIED,
    EXTREMA,
    FUNCTIONS,
    MORE_FUNCTIONS,
    Builder,
    Domain,
    NamedFunction,
    substituted,
)
from .tokens import (
    AT,
    CLOSING,
    DEEPEST_NESTING,
    OPTIMA,
    PRIME,
    ParseError,
    Token,
    in_parentheses,
    quoted,
    tokenize,
)

LARGEST_DECIMAL_EXPONENT = 100
HIGHEST_DERIVATIVE = 4
#: Letters that are functions if parentheses follow, and letters that papers also write as functions.
FUNCTION_LETTERS = frozenset(["f", "g", "h", "F", "H", "Q", "phi", "psi", "Phi", "Psi", "ell"])
MAY_BE_FUNCTIONS = frozenset("NDCLRP")
#: Orders of magnitude, which are no values.
ORDERS = frozenset(["O", "o", "Theta", "Omega"])
#: Functions that theorems may use and claims may not.
OF_THEOREMS = ("binom", "Gamma", *EXTREMA)
#: The quantities of the law without a unit, which are no arguments in place of one with a unit.
RATIOS = frozenset(name for name, quantity in QUANTITIES.items() if quantity.unit == "1")
LOSSES = ("L", "L_hat", "R", "L_opt", "R_opt")
DIFFERENTIALS = ("d", "partial")
#: Suffixes of numbers, as in `70B`.
SHORT_UNITS = frozenset("KMBT")

Table = Mapping[str, Expr | NamedFunction]
T = TypeVar("T")


def parse(text: str, table: Table) -> Expr:
    """The SymPy expression that `text` spells in the symbols of `table`.

    Raises
    ------
    ParseError
        Naming the text, the offending part and its position.
    """
    return read(text, tokenize(text), table)


def read(
    text: str,
    tokens: Sequence[Token],
    table: Table,
    *,
    domain: Domain | None = None,
    letters: Collection[str] | None = None,
    kept: bool = False,
) -> Expr:
    """The expression that the tokens of `text` spell in the names of the table.

    The conditions under which it has a value are added to the domain. The `letters`, by default all
    names of the table, may form products without signs; if they are given, claims are read: units,
    orders and one letter as the argument for another (`L(D, N)`) are refused. With `kept`,
    derivatives, values at a point and products in which letters cancel stay as they are written.
    """
    if not tokens:
        raise ParseError(f"{quoted(text)}: an expression is expected")
    if letters is not None and len(tokens) == 2:
        refuse_units(text, tokens)
    domain = Domain() if domain is None else domain
    reader = _Reader(text, domain, tokens, table, letters, kept)
    expression = reader.sum(0)
    if reader.ahead().kind:
        reader.refuse(reader.ahead(), "unexpected {}")
    if expression.has(I, nan, oo, zoo):
        raise ParseError(f"{quoted(text)}: has no real value")
    return expression


def refuse_units(text: str, tokens: Sequence[Token]) -> None:
    """Refuse `7B`, which may be 7e9 or 7*B.

    Raises
    ------
    ParseError
        Naming the number and its position.
    """
    for number, unit in pairwise(tokens):
        if number.kind == "number" and unit.text in SHORT_UNITS:
            rest = f": write 1e9 for a unit, {number.text}*{unit.text} for a product"
            what = f"ambiguous '{number.text}{unit.text}'"
            raise ParseError.at(text, number.position, what, rest)


@dataclass
class _Reader(Builder):
    """A reader of tokens by recursive descent, a method for each rule of the grammar."""

    given: Sequence[Token] = ()
    table: Table = field(default_factory=dict)
    given_letters: Collection[str] | None = None
    kept: bool = False

    def __post_init__(self) -> None:
        self.letters = self.table.keys() if self.given_letters is None else self.given_letters
        self.is_strict = self.given_letters is not None
        meanings = [self.table[name] for name in self.given_letters or ()]
        self.quantities = {each for each in meanings if isinstance(each, Symbol)}
        self.differentiated: set[Symbol] = set()
        self.tokens, self.next, known = [], 0, self.table.keys() | APPLIED
        for token, after in pairwise([*self.given, Token("", "", 0)]):
            rest, at = token.text.removeprefix("d"), token.position
            before = [t.text for t in self.tokens[-2:]]
            is_bare = before[:1] in (["d"], ["partial"]) and before[1:] in (["log"], ["ln"])
            if rest in known and token.text not in known:  # `dN`
                self.tokens += [Token("name", "d", at), Token("name", rest, at + 1)]
            elif is_bare and token.text in self.table and after.text != "(":  # `d log C`
                self.tokens += in_parentheses([token], at)
            else:
                self.tokens.append(token)

    # -- brackets --------------------------------------------------------------------------------

    def in_brackets(self, read_inside: Callable[[], T]) -> T:
        """The result of reading what is in the bracket ahead, or ahead without a bracket."""
        if not self.peek(*CLOSING):
            return read_inside()
        opening = self.take()
        found = read_inside()
        if self.ahead().kind != opening.kind or not self.peek(CLOSING[opening.text]):
            self.refuse(opening, "{}", " is never closed")
        self.take()
        return found

    def listed(self, read_entry: Callable[[], T]) -> list[T]:
        """The results of reading entries between commas."""
        found = [read_entry()]
        while self.peek(","):
            self.take()
            found.append(read_entry())
        return found

    def arguments(self, depth: int) -> list[Expr]:
        return self.in_brackets(lambda: self.listed(lambda: self._argument(depth)))

    def _argument(self, depth: int) -> Expr:
        start = self.next
        value = self.sum(depth + 1)
        if self.is_strict and self.next - start == 2:
            refuse_units(self.text, self.tokens[start : self.next])
        return value

    @property
    def opens_a_call(self) -> bool:
        """Whether a bracket that a reader sees is ahead."""
        return self.ahead().kind == "operator" and self.peek(*CLOSING)

    def inside(self) -> list[tuple[Token, int]]:
        """The tokens within the bracket ahead, each with its depth."""
        depth, found = 0, []
        for token in self.tokens[self.next :]:
            depth += (token.text in CLOSING) - (token.text in CLOSING.values())
            if depth == 0:
                break
            found.append((token, depth))
        return found[1:]

    # -- sums, products and powers ---------------------------------------------------------------

    def sum(self, depth: int) -> Expr:
        if depth > DEEPEST_NESTING:
            raise ParseError.too_deep(self.text)
        terms = [self.product(depth)]
        while self.peek("+", "-"):
            is_plus = self.take().text == "+"
            terms.append(self.product(depth) if is_plus else -self.product(depth))
        return Add(*terms)

    def product(self, depth: int) -> Expr:
        factors, sign = [self.signed(depth)], ""
        while self.ahead().kind and not self.peek("+", "-", ")", "]", ",", "="):
            before, divided = self.tokens[self.next - 1], sign == "/"
            sign = self.take().text if self.peek("*", "/") else ""
            at = self.ahead()
            if not sign:
                self._refuse_beside(before, at, divided)
            factor = self.signed(depth)
            if sign == "/":
                if factor == 0:
                    self.refuse(at, "division by zero at {}")
                self.domain.note(self.domain.nonzero, factor)
                factor = 1 / factor
            factors.append(factor)
        found = Mul(*factors)
        letters = frozenset[Symbol]().union(*(factor.free_symbols for factor in factors))
        is_kept = self.kept and found.free_symbols != letters
        return Mul(*factors, evaluate=False) if is_kept else found

    def _refuse_beside(self, before: Token, at: Token, divided: bool) -> None:
        """Refuse two factors without a sign between them that may be no product."""
        is_power = self.ahead(1).kind == "power" and self.text[at.position - 1] in " }"
        is_number = at.kind == "number" and not (is_power and before.kind != "number")
        is_word = self.is_strict and '"' in (before.text[:1], at.text[:1])
        if is_number or divided or is_word:
            what = (
                "ambiguous division before {}" if divided else "an operator is expected before {}"
            )
            self.refuse(at, what, ": write '*' for a factor")

    def signed(self, depth: int) -> Expr:
        is_minus = False
        while self.peek("+", "-"):
            is_minus ^= self.take().text == "-"
        value = self.power(depth)
        return -value if is_minus else value

    def power(self, depth: int) -> Expr:
        outer, self.domain = self.domain, Domain()
        start = self.next
        value = self.derivative(depth)
        if value is None:
            value = self.atom(depth)
        elif self.ahead().kind == "power" and self.tokens[self.next - 1].kind != "group":
            self.refuse(self.ahead(), "parentheses are expected around a derivative before {}")
        while self.ahead().kind == "mark":
            mark = self.take()
            if mark.text == "factorial":
                self._refuse_in_claims(mark)
                value = self.factorial(value, mark)
            else:
                value = self._at_places(value, mark, depth)
        outer.add(self.domain)
        self.domain = outer
        return self._raised(value, start, depth)

    def _raised(self, base: Expr, start: int, depth: int) -> Expr:
        """The base, which begins at the token `start`, raised to the exponent ahead, if any."""
        written, exponent = self.tokens[start : self.next], None
        if self.ahead().kind == "power":
            if depth > DEEPEST_NESTING:
                raise ParseError.too_deep(self.text)
            at = self.take()
            exponent = self.signed(depth + 1)
            base = self.raised(base, exponent, at)
        name, *more = [token for token in written if token.text not in ("(", ")")]
        is_exponent = len(written) > 1 and start > 0 and self.tokens[start - 1].kind == "power"
        if self.opens_a_call and not is_exponent:
            if name.kind == "name" and not more:
                self._refuse_call(name, start, exponent, is_group=len(written) > 1)
            elif self.is_strict:
                self._refuse_call_of_functions(written)
        return base

    def atom(self, depth: int) -> Expr:
        token = self.ahead()
        if token.text in CLOSING:
            return self.in_brackets(lambda: self.sum(depth + 1))
        self.take()
        if token.kind == "name":
            return self._name(token, depth)
        if token.kind != "number":
            self.refuse(token, "unexpected {}")
        _, _, exponent = token.text.lower().partition("e")
        if exponent and abs(int(exponent)) > LARGEST_DECIMAL_EXPONENT:
            self.refuse(token, "a number too large to write down: {}")
        value = Fraction(token.text)
        return Rational(value.numerator, value.denominator)

    # -- names -----------------------------------------------------------------------------------

    def _name(self, token: Token, depth: int) -> Expr:
        name, stem = token.text, token.text.split("_")[0]
        if self.peek(*CLOSING) and self.is_strict and stem in ORDERS - {*self.letters}:
            self.refuse(token, f"an order term '{stem}(...)'", " has no value and cannot be read")
        if self.peek(*CLOSING) and name in OF_THEOREMS:
            self._refuse_in_claims(token)
        if name in self.table:
            meaning = self.table[name]
            is_function = isinstance(meaning, NamedFunction)
            return self._formula(meaning, token, depth) if is_function else meaning
        if name in APPLIED:
            return self._function(token, depth)
        if name == "e":
            return E
        if name.endswith(f"_{PRIME}") and self.peek("("):
            return self._slope(token, depth)
        is_product = name.isascii() and name.isalpha()
        if not (is_product and all(letter in self.letters for letter in name)):
            near = get_close_matches(name, self.table)
            listed = ", ".join(near or sorted(self.table))
            self.refuse(token, "unknown name {}", f"; {'near' if near else 'known'}: {listed}")
        *first, last = map(self._plain, name)
        return Mul(*first, self._raised(last, self.next - 1, depth))  # `ND^d` is N times D^d

    def _refuse_in_claims(self, token: Token) -> None:
        if self.is_strict:
            self.refuse(token, "{}", " is read in theorems alone")

    def _plain(self, name: str) -> Expr:
        meaning = self.table[name]
        return meaning.body if isinstance(meaning, NamedFunction) else meaning

    def _function(self, token: Token, depth: int) -> Expr:
        name, opening = token.text, self.ahead()
        if opening.text not in CLOSING:
            self.refuse(token, "an argument in parentheses is expected after {}")
        values = self.arguments(depth)
        if name in EXTREMA and len(values) > 1:
            return reduce(EXTREMA[name], values)
        if len(values) != 1 + (name == "binom") or name in EXTREMA:
            self.refuse(token, f"{{}} of {len(values)} values cannot be read")
        if name == "binom":
            return self.choices(values[0], values[1], token)
        return self.applied({**FUNCTIONS, **MORE_FUNCTIONS}[name], values[0], token)

    def _slope(self, token: Token, depth: int) -> Expr:
        """The value of `P'(r)`, the derivative of a function of one argument."""
        base, order = token.text.partition(f"_{PRIME}")[0], token.text.count(f"_{PRIME}")
        meaning = self.table.get(base)
        cases = meaning.cases if isinstance(meaning, NamedFunction) else ()
        single = next((case for case in cases if len(case.parameters) == 1), None)
        inside = [part.text for part, _ in self.inside()]
        parameters = [] if single is None else [str(x) for x in single.parameters]
        is_other = len(cases) > 1 and inside != parameters  # L'(N): L(N) is no function
        is_other |= single is not None and bool({str(x) for x, _ in single.instead} & {*inside})
        if single is None or is_other or order > HIGHEST_DERIVATIVE:
            rest = ": a prime before an argument is the derivative of a function of one argument"
            self.refuse(token, "cannot read {}", rest)
        slope = self._derived(token, replace(single, other=None), single.parameters * order)
        return self._at_arguments(slope, token, depth)

    def _formula(self, formula: NamedFunction, token: Token, depth: int) -> Expr:
        """The body of a named function, at the arguments in brackets if they follow."""
        if not (self.opens_a_call or (token.text.endswith(AT) and self.peek("("))):
            if self.is_strict and not self.quantities.issuperset(formula.parameters):
                self.refuse(token, "an argument in parentheses is expected after {}")
            return formula.body
        inside = {part.text for part, _ in self.inside()}
        if token.text == "C_opt" and inside & {"N", "D", "N_opt", "D_opt"} and "L" not in inside:
            rest = ": it is read as a function of the loss, and the argument is no loss"
            self.refuse(token, "ambiguous argument of {}", rest)
        given = self.arguments(depth)
        for other, _ in formula.instead:
            alike = {name for name in inside if name.startswith(other.name)}
            if alike - {other.name} or (alike and other not in given[0].free_symbols):
                rest = f": {other} has a meaning of its own here"
                self.refuse(token, "ambiguous argument of {}", rest)
            if {"N", "D"} <= inside and len(inside & {"N_opt", "D_opt"}) != 1:
                rest = f": it is a function of {formula.parameters[0]}, not of the tokens per param"
                self.refuse(token, "ambiguous argument of {}", rest)
        case = next((c for c in reversed(formula.cases) if len(c.parameters) == len(given)), None)
        if case is None:
            wanted = ", ".join(map(str, formula.parameters))
            self.refuse(token, f"{len(given)} arguments instead of ({wanted}) for {{}}")
        if (
            self.ahead().kind == "power"
            and token.text in OPTIMA.values()
            and given[0] != case.parameters[0]
        ):
            rest = f": the power of a value is ({token.text}({given[0]}))^..., a product has a '*'"
            self.refuse(token, "ambiguous {}", rest)
        pairs = zip(case.parameters, given, strict=True)
        places = {x: self._given(x, value, case, token) for x, value in pairs}
        return substituted(case.body, places, self.text, self.domain)

    def _given(self, x: Symbol, given: Expr, formula: NamedFunction, token: Token) -> Expr:
        """The value for a parameter; a letter that is another quantity, as in `L(D, N)`, and a ratio
        in place of a quantity with a unit are refused.
        """
        instead, letters = dict(formula.instead), given.free_symbols
        if x not in self.quantities or given in (x, *instead.values()) or given.is_number:
            return given
        if given in instead:
            return instead[given]
        if given.is_Add and any(term.is_number for term in given.args) and x.name not in RATIOS:
            rest = f": {x} is not a pure number; a product with the sum needs a '*'"
            self.refuse(token, f"ambiguous argument {given} of {{}}", rest)
        are_ratios = all(y in self.quantities and y.name in RATIOS for y in letters)
        named = (self.table.get(name) for name in LOSSES)
        losses = [case.body for of in named if isinstance(of, NamedFunction) for case in of.cases]
        if (
            given in self.quantities
            or (given in losses and x.name != "L")
            or letters & instead.keys()
            or (are_ratios and x.name not in RATIOS)
        ):
            wanted = ", ".join(map(str, formula.parameters))
            rest = f": it is read as a function of ({wanted}), and {given} is another quantity"
            self.refuse(token, f"ambiguous argument {given} of {{}}", rest)
        return given

    def _refuse_call(self, name: Token, start: int, exponent: Expr | None, is_group: bool) -> None:
        """Refuse a factor in brackets behind a name that a paper may mean as an argument: `N(C)`, `f(x)`,
        `(N_opt)(C)`, `f^{-1}(x)`, `P^2(r)`; but not `A (N_opt)^-beta` or `lambda (C - 6 N D)`.
        """
        meaning, inside = self.table.get(name.text), self.inside()
        is_function, is_free = isinstance(meaning, NamedFunction), name.text not in self.letters
        is_read = is_function and exponent is None and not is_group  # by `_formula`
        if is_read or not (self.is_strict or is_function):
            return
        top = [token.text for token, depth in inside if depth == 1]
        stem, is_sum = name.text.split("_")[0], bool({"+", "-"} & {*top[is_free:]})
        may_be = is_function or name.text in MAY_BE_FUNCTIONS
        is_raised = self.ahead(len(inside) + 2).kind == "power"
        if "," in top or (is_free and (stem in FUNCTION_LETTERS or stem[0] == '"')):
            is_doubtful = True
        elif exponent is not None:
            is_doubtful = not (is_raised or is_sum) and (exponent == -1 or is_function)
        elif is_raised:
            is_doubtful = may_be and (len(inside) == 1 or is_group)
        else:
            is_value = isinstance(meaning, Expr) and is_free and str(meaning) != name.text
            has_powers = any(token.kind == "power" for token, _ in inside) and not may_be
            is_doubtful = is_value or (is_group and may_be) or not (is_sum or has_powers)
        if is_doubtful:
            argument = "".join(token.text for token, _ in inside if token.kind != "group")
            shown = "".join(t.text for t in self.tokens[start : self.next] if t.kind != "group")
            best = f"{OPTIMA[name.text]}({argument}) for the value, " if name.text in OPTIMA else ""
            rest = f": write {best}'*' for a product"
            self.refuse(name, f"ambiguous '{shown}({argument})'", rest)

    def _refuse_call_of_functions(self, written: Sequence[Token]) -> None:
        """Refuse a factor in brackets behind functions without arguments, `(L_opt - E)(C)` or
        `D_opt/N_opt(2 C)`; but not behind `(P - 1)(1 - w_N)` or `(L_opt - E)(C/C0)^alpha`.
        """
        inside = self.inside()
        names = {token.text for token, _ in inside if token.kind == "name"}
        is_sum = bool({"+", "-"} & {token.text for token, depth in inside if depth == 1})
        is_raised = self.ahead(len(inside) + 2).kind == "power"
        coefficients = {*self.letters} - {str(x) for x in self.quantities}
        functions = {x for x, e in self.table.items() if isinstance(e, NamedFunction)}
        if is_sum or is_raised or names & functions or (names and names <= coefficients):
            return
        for token, after in pairwise(written):
            if token.text in functions and after.text != "(":
                rest = ": write its argument beside each function, or '*' for a product"
                self.refuse(self.ahead(), f"ambiguous {{}} behind {token.text!r}", rest)

    # -- values at a place -----------------------------------------------------------------------

    def _at_places(self, value: Expr, mark: Token, depth: int) -> Expr:
        """The value at the places `(N = N_opt, D = 2)` ahead."""
        places = dict(self.in_brackets(lambda: self.listed(lambda: self._place(depth))))
        if any(value.free_symbols & (places.keys() - {x}) for x, value in places.items()):
            self.refuse(mark, rest=": the value of one letter holds another one of them")
        if self.kept and value.has(Subs):
            self.refuse(mark, rest=" of a value at a point")  # SymPy joins the two
        if self.kept:
            return Subs(value, *zip(*places.items(), strict=True))
        missing = places.keys() - value.free_symbols - self.differentiated
        if missing and value.free_symbols:
            self.refuse(mark, rest=f": {min(map(str, missing))} is no letter of it")
        self.domain = self.domain.map(lambda e: substituted(e, places, self.text))
        return substituted(value, places, self.text, self.domain)

    def _place(self, depth: int) -> tuple[Symbol, Expr]:
        """The letter and the value of a place `N = N_opt`, or `N_opt` for short."""
        token, after = self.ahead(), self.ahead(1).text
        is_optimum = token.text in OPTIMA.values() and after in (",", ")")
        x = self.table.get(token.text.removesuffix("_opt") if is_optimum else token.text)
        if not isinstance(x, Symbol) or not (is_optimum or after == "="):
            self.refuse(token, rest=": a value reads N = 1")
        self.next += 0 if is_optimum else 2
        return x, self.sum(depth + 1)

    # -- derivatives -----------------------------------------------------------------------------

    def derivative(self, depth: int) -> Expr | None:
        """The derivative ahead, `dL/dN`, `(d L)/(d N)`, `d/dN (...)` or `d^2L/dN^2`; None if there
        is none.
        """
        start, is_group = self.next, self.peek("(")
        at, after = self.ahead(is_group), self.ahead(is_group + 1)
        if at.text not in DIFFERENTIALS:
            return None
        behind = [start + len(self.inside()) + 2] if is_group else range(start, len(self.tokens))
        is_quotient = is_group and any(map(self._is_below, range(start + 1, behind[0])))
        if is_quotient or not any(map(self._is_below, behind)):  # (dL/dN)/(dL/dD)
            if is_group or after.kind != "name" or at.text in self.letters:
                return None
            self.refuse(at, rest=": no derivative such as dL/dN")
        try:
            return self._quotient(at, depth)
        except ParseError:
            if at.text not in self.letters:
                raise
            self.next = start  # the exponent d of a budget kappa N^a D^d
            return None

    def _quotient(self, at: Token, depth: int) -> Expr:
        """The derivative that begins at a token."""
        order, of = self.in_brackets(lambda: self._above(depth))
        if not self._is_below(self.next):
            self.refuse(at, rest=": no derivative such as dL/dN")
        self.take()
        variables = self.in_brackets(lambda: self._variables(depth))
        if len(variables) != order:
            self.refuse(at, rest=f": of order {order}, by {len(variables)} variables")
        if of is None:
            of = self._product_differentiated(variables, depth)
        if not all(map(_letter, variables)):
            return self._inverse(at, of, variables)
        return self._at_arguments(self._derived(at, of, variables), at, depth)

    def _product_differentiated(self, variables: Sequence[Expr], depth: int) -> NamedFunction:
        """The operand of `d/dx`: one factor, or all factors of a product if x is in one alone."""
        start, of = self.next, self._operand(depth)
        if not self.ahead().kind or self.peek("+", "-", ")", "]", ","):
            return of
        after, letters = self.ahead(), set[Symbol]().union(*(x.free_symbols for x in variables))
        self.next = start
        value = self.product(depth + 1)
        if of.parameters or (of.body.has(*letters) and (value / of.body).has(*letters)):
            self.refuse(after)
        return NamedFunction((), value)

    def _inverse(self, at: Token, of: NamedFunction, variables: Sequence[Expr]) -> Expr:
        """The derivative by a quantity, `dlogC/dlogL_opt`: the inverse of its derivative by the letter."""
        x, quantity = _letter(of.body), variables[0]
        if x is None or len(variables) > 1 or quantity.free_symbols & ON_BUDGET != {x}:
            self.refuse(at, rest=": a derivative is by a letter, or by the logarithm of one")
        slope = self._derived(at, NamedFunction((), quantity), [of.body]).body
        self.domain.note(self.domain.nonzero, slope)
        return 1 / slope

    def _is_below(self, slash: int) -> bool:
        """Whether the token at an index is the slash of a derivative."""
        below = [part.text for part in self.tokens[slash : slash + 4] if part.text != "("]
        return below[:1] == ["/"] and below[1:2] in (["d"], ["partial"])

    def _above(self, depth: int) -> tuple[int, NamedFunction | None]:
        """The order of a derivative, and the function in its numerator, if it is there."""
        self.take()
        order = self._order(depth)
        if self.peek("/", ")"):
            return order, None
        of = self._operand(depth)
        if self.ahead().kind == "power":
            self.refuse(self.ahead())
        return order, of

    def _order(self, depth: int) -> int:
        if self.ahead().kind != "power":
            return 1
        at = self.take()
        order = self.atom(depth)
        if not (order.is_Integer and 0 < order <= HIGHEST_DERIVATIVE):
            self.refuse(at, f"an order from 1 to {HIGHEST_DERIVATIVE} is expected after {{}}")
        return int(order)

    def _operand(self, depth: int) -> NamedFunction:
        """The function that is differentiated, by its name or as a value."""
        meaning = self.table.get(self.ahead().text)
        if isinstance(meaning, NamedFunction) and self.ahead(1).text != "(":
            self.take()
            return meaning
        value = self.atom(depth + 1)
        cases = meaning.cases if isinstance(meaning, NamedFunction) else ()
        same = (replace(case, other=None) for case in cases if case.body == value)
        return next(same, NamedFunction((), value))

    def _variables(self, depth: int) -> list[Expr]:
        """The variables of `dN`, `d log(C)` or `dN^2`, letters or logarithms, one for each order."""
        variables: list[Expr] = []
        while self.peek(*DIFFERENTIALS):
            self.take()
            is_letter = isinstance(self.table.get(self.ahead().text), Symbol)
            value = self._plain(self.take().text) if is_letter else self.atom(depth + 1)
            variables += [value] * self._order(depth)
        return variables

    def _derived(self, at: Token, of: NamedFunction, variables: Sequence[Expr]) -> NamedFunction:
        """The derivative by each variable in turn, with every other letter held, of the first case
        that depends on every variable: dL/dN is of L(N, D), and dL/dC of L(C).
        """
        letters = frozenset[Symbol]().union(*(x.free_symbols for x in variables))
        case = next((c for c in of.cases if letters <= c.body.free_symbols), of)
        self.differentiated, found = set(case.body.free_symbols), case.body
        for variable in reversed(variables):
            found = Partial(found, variable)
        if self.kept:
            return NamedFunction(case.parameters, found)
        slope = defined(found).doit()
        is_further = slope.has(Derivative, Subs) or defined(case.body).has(Abs)
        if is_further or not letters <= case.body.free_symbols:
            names = ", ".join(sorted(map(str, letters)))
            self.refuse(
                at, rest=f": {case.body} does not depend on {names}, or has an absolute value"
            )
        return NamedFunction(case.parameters, slope)

    def _at_arguments(self, slope: NamedFunction, at: Token, depth: int) -> Expr:
        """The derivative at the arguments that follow, `dL/dN(N_opt, D_opt)`, if any do."""
        is_factor = {token.text for token, _ in self.inside()} & {*DIFFERENTIALS}
        if not slope.parameters or not self.opens_a_call or is_factor:
            return slope.body
        given = self.arguments(depth)
        is_raised = self.ahead().kind == "power" or (len(given) == 1 and given[0].is_Add)
        if is_raised or len(given) != len(slope.parameters):
            wanted = ", ".join(map(str, slope.parameters))
            self.refuse(at, "an ambiguous derivative", f": its values are at ({wanted})")
        if self.kept:
            return Subs(slope.body, slope.parameters, tuple(given))
        places = dict(zip(slope.parameters, given, strict=True))
        return substituted(slope.body, places, self.text, self.domain)


def _letter(e: Expr) -> Symbol | None:
    """The letter that an expression is, or is the logarithm of."""
    inside = e.args[0] if isinstance(e, log) else e
    return inside if isinstance(inside, Symbol) else None
