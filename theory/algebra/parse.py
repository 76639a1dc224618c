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
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from sympy import (
    Abs,
    Add,
    E,
    Expr,
    I,
    Integer,
    Mul,
    Pow,
    Rational,
    Symbol,
    cosh,
    exp,
    log,
    nan,
    oo,
    sinh,
    sqrt,
    tanh,
    zoo,
)

from .differential import NoDerivative, derivative
from .factorials import LARGEST_FACTORIAL, Factorial, Gamma, whole_choice
from .symbols import QUANTITIES

LONGEST_TEXT = 4_000
DEEPEST_NESTING = 40
LARGEST_DECIMAL_EXPONENT = 100
LARGEST_POWER_BITS = 10_000
LARGEST_EXPONENT = 1_000
LARGEST_ROOTED_BITS = 1_000
HIGHEST_DERIVATIVE = 4
LARGEST_ROOT_BITS = (
    2_000_000  # u^(p/q) is evaluated by way of prime factors to powers of up to p and q
)

FUNCTIONS: dict[str, Callable[..., Expr]] = {
    "exp": exp,
    "log": log,
    "ln": log,
    "sqrt": sqrt,
    "abs": Abs,
}
#: What claims may have besides, each by way of the functions above.
MORE_FUNCTIONS: dict[str, Callable[..., Expr]] = {
    "sinh": sinh,
    "cosh": cosh,
    "tanh": tanh,
    "acosh": lambda x: log(x + sqrt(x**2 - 1)),
    "asinh": lambda x: log(x + sqrt(x**2 + 1)),
    "atanh": lambda x: log((1 + x) / (1 - x)) / 2,
    "log10": lambda x: log(x) / log(10),
    "log2": lambda x: log(x) / log(2),
    "log1p": lambda x: log(1 + x),
    "expm1": lambda x: exp(x) - 1,
    "Gamma": Gamma,
}
#: The greater or the less of two values, and the number of choices.
OF_TWO: dict[str, Callable[[Expr, Expr], Expr]] = {
    "binom": whole_choice,
    "max": lambda a, b: (a + b + Abs(a - b, evaluate=False)) / 2,
    "min": lambda a, b: (a + b - Abs(a - b, evaluate=False)) / 2,
}
GREEK = frozenset(
    [
        "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
        "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi",
        "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega",
    ]
)  # fmt: skip
ACCENTS = ("hat", "tilde", "bar", "check", "breve", "dot", "ddot", "vec", "acute", "grave", "mathring", "underline")  # fmt: skip
STAR, PRIME = "star", "prime"
#: How the name of a measure of several samples ends: `pass@k` is `pass_at(k)`.
AT = "_at"
#: What a star on a letter of the law is.
OPTIMA = {letter: f"{letter}_opt" for letter in "NDLR"}
#: Letters that are rather functions than factors where parentheses follow.
FUNCTION_LETTERS = frozenset(["f", "g", "h", "F", "H", "Q", "phi", "psi", "Phi", "Psi", "ell"])
MAY_BE_FUNCTIONS = frozenset("NDCLRP")  # what papers write as functions of compute
COMPUTE_WORDS = ('"FLOPs"', '"FLOP"', '"flops"', '"FLOPS"', '"compute"', '"Compute"')
TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+(?:_[0-9]+)*\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<measure>[A-Za-z]+@)|(?P<name>(?:log1p(?![A-Za-z0-9_])|[A-Za-z]+|\"[A-Za-z]\w*\")[0-9]*(?:_[A-Za-z0-9]+)*'*)"
    r"|(?P<relation><=>|=>|==|!=|<=|>=|->|~~|[=<>~\u2248\u221d\u21d2\u21d4])"
    r"|(?P<power>\*\*|\^)|(?P<operator>[-+*/()\[\],])"
)
CLOSING = {"(": ")", "[": "]"}
CONSTRAINTS = ("==", "<=", ">=")


def quoted(text: str) -> str:
    """The text in quotes as it was typed, with single backslashes."""
    return repr(text).replace("\\\\", "\\")


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

    def __init__(
        self,
        complaint: str,
        *,
        text: str | None = None,
        position: int | None = None,
        message: str = "",
    ) -> None:
        super().__init__(message or (complaint if text is None else f"{quoted(text)}: {complaint}"))
        self.text, self.complaint, self.position = text, complaint, position

    @classmethod
    def at_end(cls, text: str, what: str) -> ParseError:
        """The text is over too soon."""
        return cls(f"ends where {what} is expected", text=text, position=len(text))

    @classmethod
    def at(cls, text: str, position: int, what: str, rest: str = "") -> ParseError:
        """`what` stands at a position of the text."""
        message = f"{quoted(text)}: {what} at position {position + 1}{rest}"
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
        if match is None and text[position] == "!":
            tokens.append(Token("mark", "factorial", position))
            position += 1
            continue
        if match is None:
            rest = ": LaTeX is read with --latex (latex=True)" if text[position] == "\\" else ""
            raise ParseError.at(text, position, f"cannot read {text[position]!r}", rest)
        spelt = match.group().replace("'", f"_{PRIME}")
        kind = str(match.lastgroup)
        token = Token(kind, spelt, position)
        if tokens and tokens[-1].kind == "measure":
            tokens[-1] = Token("name", tokens[-1].text.replace("@", AT), tokens[-1].position)
            if kind in ("name", "number"):
                brackets = (Token("operator", mark, position) for mark in "()")
                tokens += [next(brackets), token, *brackets]
            elif spelt == "(":
                tokens.append(token)
            else:
                raise ParseError.at(text, position, f"cannot read {spelt!r} behind @")
        else:
            tokens.append(token)
        position = match.end()
    if tokens and tokens[-1].kind == "measure":
        raise ParseError.at_end(text, "a number of samples")
    return tokens


@dataclass(frozen=True)
class NamedFunction:
    """A name that may be applied to arguments: `N_opt` stands for its body, `N_opt(10^21)` for the
    body there.

    Where the number of arguments is that of `other`, it is meant: `L(N, D)`, but `L(C)` is the
    least loss at C. A symbol of `instead` stands for another parameter: `P(rho)` is the penalty at
    the overtraining ratio rho, and so P at r = rho^(-1/2).
    """

    parameters: tuple[Symbol, ...]
    body: Expr
    other: NamedFunction | None = None
    instead: tuple[tuple[Symbol, Expr], ...] = ()


#: The least value of an objective in some variables under a budget `0 == constraint`, and where it is
#: attained; ValueError with the reason where that has no closed form.
Minimise = Callable[[Sequence[Symbol], "Expr | None", Expr], tuple[Expr, Mapping[Symbol, Expr]]]


@dataclass
class Domain:
    """Where expressions as typed have a value, whatever of them cancels: what must be positive, not
    zero, or not negative.
    """

    positive: list[Expr] = field(default_factory=list)
    nonzero: list[Expr] = field(default_factory=list)
    nonnegative: list[Expr] = field(default_factory=list)

    @property
    def groups(self) -> tuple[list[Expr], list[Expr], list[Expr]]:
        return self.positive, self.nonzero, self.nonnegative

    def map(self, function: Callable[[Expr], Expr]) -> Domain:
        """The domain with each of its expressions replaced."""
        return Domain(*(list(map(function, group)) for group in self.groups))

    def power(self, base: Expr, exponent: Expr) -> None:
        """`base^exponent` is real: a whole negative power needs a base other than zero, a broken
        one a positive base.
        """
        if exponent.is_Integer:
            self._note(self.nonzero if exponent < 0 else None, base)
        else:
            self._note(self.positive, base)

    def divisor(self, value: Expr) -> None:
        self._note(self.nonzero, value)

    def logarithm(self, argument: Expr) -> None:
        self._note(self.positive, argument)

    def at_least_zero(self, value: Expr) -> None:
        """For a whole number, more than -1."""
        self._note(self.positive, value + 1)

    @staticmethod
    def _note(conditions: list[Expr] | None, value: Expr) -> None:
        if conditions is not None and value not in conditions and not plainly_positive(value):
            conditions.append(value)


def plainly_positive(value: Expr) -> bool:
    """Whether the expression is positive at first sight: a sum or a product of what is."""
    if value.is_Add or value.is_Mul:
        return all(map(plainly_positive, value.args))
    if value.is_Pow:
        return plainly_positive(value.base)
    is_positive_anywhere = isinstance(value, (exp, Factorial, Gamma))
    return bool(is_positive_anywhere or (value.is_Atom and value.is_positive))


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
    minimise: Minimise | None = None,
    meanings: Mapping[Symbol, Expr] | None = None,
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
    minimise : callable, optional
        What `min_{N, D : C = 6ND} L` is.
    meanings : mapping, optional
        What names stand for, where a derivative in another letter has to know.
    """
    if not tokens:
        raise ParseError(f"{quoted(text)}: an expression is expected")
    reader = _Reader(text, tokens, table, domain, letters, minimise, meanings)
    expression = reader.sum(0)
    if not reader.at_end:
        reader.fail("unexpected")
    if expression.has(I, nan, oo, zoo):
        raise ParseError(f"{quoted(text)}: has no real value")
    return expression


def substituted(
    expression: Expr, values: Mapping[Symbol, Expr], text: str, domain: Domain | None = None
) -> Expr:
    """The expression with symbols replaced all at once, under the bounds of the reader; `text` is
    for the messages.
    """
    if not expression.free_symbols & values.keys():
        return expression
    at = Token(
        "name",
        ", ".join(
            f"{x} = {values[x]}" for x in sorted(expression.free_symbols & values.keys(), key=str)
        ),
        0,
    )
    reader = _Reader(text, [at], {}, domain)

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
        raise ParseError(f"{quoted(text)}: has no real value for {at.text}")
    return replaced


def _unit(symbol: Symbol) -> str | None:
    return QUANTITIES[symbol.name].unit if symbol.name in QUANTITIES else None


def _bits(expression: Expr) -> int:
    """Bits of the longest number in the expression other than 0 and 1, and their signs."""
    numbers = (max(abs(int(number.p)), int(number.q)) for number in expression.atoms(Rational))
    return max((n.bit_length() for n in numbers if n > 1), default=0)


class _Reader:
    def __init__(
        self,
        text: str,
        tokens: list[Token],
        table: Mapping[str, Expr | NamedFunction],
        domain: Domain | None = None,
        letters: Collection[str] | None = None,
        minimise: Minimise | None = None,
        meanings: Mapping[Symbol, Expr] | None = None,
    ) -> None:
        self.text, self.tokens, self.table = text, list(tokens), table
        self.meanings = meanings or {}
        self.minimise = minimise
        self.differentiated: set[Symbol] = set()
        self.domain = Domain() if domain is None else domain
        self.letters = table.keys() if letters is None else letters
        self.own = (
            None
            if letters is None
            else {table[name] for name in letters if isinstance(table[name], Symbol)}
        )
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
        divided = False
        while not self.at_end and not self.peek(
            "+", "-", ")", "]", ",", "=", "under", *CONSTRAINTS
        ):
            operator = self.take().text if self.peek("*", "/") else ""
            at = self.tokens[self.next] if not self.at_end else None
            if not operator and at is not None and at.kind == "number":
                self.fail("an operator is expected before", at)
            if not operator and divided and at is not None:
                rest = f": a/b c may be (a/b)*c or a/(b*c); write '*' or parentheses before {at.text!r}"
                raise ParseError.at(self.text, at.position, "ambiguous division", rest)
            factor = self.signed(depth)
            divided = operator == "/"
            if divided:
                if factor == 0:
                    self.fail("division by zero at", at)
                self.domain.divisor(factor)
            factors.append(1 / factor if divided else factor)
        return Mul(*factors)

    def signed(self, depth: int) -> Expr:
        sign = 1
        while self.peek("+", "-"):
            if self.take().text == "-":
                sign = -sign
        quotient = self.differential_quotient(depth)
        value = self.power(depth) if quotient is None else quotient
        return value if sign > 0 else -value

    # -- derivatives ---------------------------------------------------------------------------------------------------

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
            raise ParseError.at(
                self.text,
                at.position,
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
            raise ParseError.at(
                self.text,
                at.position,
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
        try:
            return derivative(bodies, variables)
        except NoDerivative as error:
            raise ParseError.at(
                self.text, at.position, "a derivative", f" that cannot be meant: {error}"
            ) from None

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
        if not self.at_end and self.tokens[self.next].kind == "power":
            at = self.take()
            order = self.atom(depth)
            if not (order.is_Integer and 0 < order <= HIGHEST_DERIVATIVE):
                self.fail(f"an order from 1 to {HIGHEST_DERIVATIVE} is expected after", at)
            return int(order)
        return 1

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
        if not self.at_end and self.tokens[self.next].kind == "power":
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
        times = 1
        if not self.at_end and self.tokens[self.next].kind == "power":
            at = self.take()
            power = self.atom(depth)
            if not (power.is_Integer and 0 < power <= HIGHEST_DERIVATIVE):
                self.fail(f"an order from 1 to {HIGHEST_DERIVATIVE} is expected after", at)
            times = int(power)
        return [(symbol, logarithmic)] * times

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
        if not self.at_end and self.tokens[self.next].kind == "power":
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
            raise ParseError.at(self.text, token.position, f"ambiguous {token.text!r}", rest)

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
                raise ParseError.at(self.text, token.position, f"ambiguous {token.text!r}", rest)

    def raised(self, base: Expr, exponent: Expr, at: Token) -> Expr:
        self._check_power(base, exponent, at)
        self.domain.power(base, exponent)
        return Pow(
            base,
            exponent,
            evaluate=bool(exponent.is_Integer or not (base.has(Add) or exponent.has(Add))),
        )

    def _check_power(self, base: Expr, exponent: Expr, at: Token) -> None:
        """Refuse 0^0, 0^-1, powers without a real value and constants that are too large to write
        down.
        """
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
            if (
                size > LARGEST_EXPONENT
                or bits > rooted
                or bits * size > LARGEST_POWER_BITS
                or bits * root > LARGEST_ROOT_BITS
            ):
                self.fail("a number too large to write down at", at)

    def _check_tower(self, exponent: Expr, at: Token) -> None:
        """Refuse constants such as exp(exp(50)): their digits are beyond reach, and their sign may
        hang on them.
        """
        constants = (
            term.as_independent(*term.free_symbols, as_Add=False)[0]
            for term in Add.make_args(exponent)
        )
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
        if token.kind == "mark" and token.text in ("minimum", "argmin"):
            return self._minimum(token, depth)
        self.fail("unexpected", token)
        raise AssertionError

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
        missing = places.keys() - value.free_symbols - self.differentiated
        if missing and value.free_symbols:
            names = ", ".join(sorted(map(str, missing)))
            raise ParseError.at(
                self.text, at.position, "a value at a point", f": {names} is no letter of it"
            )
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

    def _minimum(self, token: Token, depth: int) -> Expr:
        """`minimum [N, D under 6 N D == C] (L)`; of `argmin` the one place that is asked for."""
        opening = self.take()
        variables: list[Symbol] = []
        while not self.peek("]", "under"):
            name = self.take()
            variable = self.table.get(name.text) if name.kind == "name" else None
            if not isinstance(variable, Symbol):
                self.fail("a letter is expected instead of", name)
            variables.append(variable)
            if not self.peek("]", "under", ","):
                self.fail("unexpected")
            if self.peek(","):
                self.take()
        constraint: Expr | None = None
        if self.peek("under"):
            self.take()
            constraint = self._constraint(depth)
        self._close(opening)
        objective = self._group(self.take(), depth)
        if self.minimise is None:
            raise ParseError.at(self.text, token.position, "a least value", " cannot be read here")
        try:
            least, places = self.minimise(variables, constraint, objective)
        except ValueError as error:
            complaint = getattr(error, "complaint", error)
            raise ParseError.at(
                self.text, token.position, "a least value", f" has no closed form here: {complaint}"
            ) from None
        if token.text == "minimum":
            return least
        if len(variables) != 1:
            rest = f" of {len(variables)} variables is no single value"
            raise ParseError.at(self.text, token.position, "an argmin", rest)
        return places[variables[0]]

    def _constraint(self, depth: int) -> Expr:
        """Left minus right side; `6 N D <= C` binds where the loss falls, so that it is an equality."""
        start = self.next
        if self.take().text in COMPUTE_WORDS and self.minimise is not None:
            if self.peek("("):
                self._skip_group()
            relation = self.take()
            bound = self.sum(depth + 1)
            if relation.text in ("==", "<=") and bound.is_Symbol:
                return Integer(0)
            self.fail("a budget is expected at", relation)
        self.next = start
        left = self.sum(depth + 1)
        relation = self.take()
        right = self.sum(depth + 1)
        if relation.text not in CONSTRAINTS:
            self.fail("a budget is expected at", relation)
        if relation.text != "==" and not (right if relation.text == "<=" else left).is_Symbol:
            self.fail("a budget on one side and a letter on the other is expected at", relation)
        return left - right

    def _skip_group(self) -> None:
        depth = 0
        while not self.at_end:
            depth += {"(": 1, ")": -1}.get(self.take().text, 0)
            if depth == 0:
                return

    def _group(self, opening: Token, depth: int) -> Expr:
        inside = self.sum(depth + 1)
        self._close(opening)
        return inside

    def _close(self, opening: Token) -> None:
        if not self.peek(CLOSING[opening.text]):
            raise ParseError.at(
                self.text, opening.position, f"{opening.text!r}", " is never closed"
            )
        self.take()

    def _number(self, token: Token) -> Rational:
        _, _, exponent = token.text.lower().partition("e")
        if exponent and abs(int(exponent)) > LARGEST_DECIMAL_EXPONENT:
            self.fail("a number too large to write down:", token)
        value = Fraction(token.text)
        return Rational(value.numerator, value.denominator)

    def _name(self, token: Token, depth: int) -> Expr:
        is_order = token.text == "O" and "O" not in self.letters and self.own is not None
        if is_order and self.peek("("):
            rest = " is no value, and cannot be read"
            raise ParseError.at(self.text, token.position, "an order term 'O(...)'", rest)
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
        raise ParseError.at(
            self.text, token.position, f"unknown name {token.text!r}", f"; known: {known}"
        )

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
            raise ParseError.at(self.text, token.position, f"cannot read {token.text!r}", rest)
        (variable,) = single[0].parameters
        try:
            slope = derivative([single[0].body], [(variable, False)] * order)
        except NoDerivative as error:
            raise ParseError.at(
                self.text, token.position, "a derivative", f" that cannot be meant: {error}"
            ) from None
        return self._formula(NamedFunction((variable,), slope), token, depth)

    def _refuse_call(self, token: Token) -> None:
        """`N(C)` and `f(x)` are functions in a paper and products in the grammar, so that one has to
        say which is meant; in `A (N_opt)^-beta` and in `lambda (C - 6 N D)` there is no doubt.
        """
        opening = self.next
        if (
            self.own is None
            or not self.peek("(")
            or self.text[self.tokens[opening].position] != "("
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
        raise ParseError.at(
            self.text, token.position, f"ambiguous '{token.text}({argument})'", hint
        )

    def _formula(self, formula: NamedFunction, token: Token, depth: int) -> Expr:
        """The body, at the arguments in parentheses where they follow; `N_opt (r/2)^beta` is a
        product.
        """
        start = self.next
        is_call = self.peek("(") and (
            token.text.endswith(AT) or self.text[self.tokens[start].position] == "("
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
        raised = not self.at_end and self.tokens[self.next].kind == "power"
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
                raise ParseError.at(
                    self.text, token.position, f"ambiguous argument {given} of {token.text!r}", rest
                )
        if given in self.own or self._is_factor(parameter, given):
            wanted = ", ".join(map(str, formula.parameters))
            rest = f": it is read as a function of ({wanted}), and {given} is another quantity"
            raise ParseError.at(
                self.text, token.position, f"ambiguous argument {given} of {token.text!r}", rest
            )
        return given

    def _refuse_raised_optimum(self, parameter: Symbol, given: Expr, token: Token) -> None:
        """`N_opt (C/6)^beta` is a product as it is often printed, or the power of a value."""
        if not given.is_Symbol and parameter in given.free_symbols:
            rest = (
                f": a power of the value at {given} is ({token.text}({given}))^..., "
                f"a product {token.text}*({given})^..."
            )
            raise ParseError.at(self.text, token.position, f"ambiguous {token.text!r}", rest)

    def _is_factor(self, parameter: Symbol, given: Expr) -> bool:
        """Whether what is given for a quantity with a unit has certainly none, being made of ratios
        and exponents.
        """
        made_of = given.free_symbols
        if not (self.own and parameter in self.own and made_of) or _unit(parameter) == "1":
            return False
        return all(x in self.own and _unit(x) == "1" for x in made_of)

    def applied(self, function: Callable[..., Expr], argument: Expr, token: Token) -> Expr:
        if function is sqrt:
            return self.raised(argument, Rational(1, 2), token)
        if function is Gamma:
            self.domain.logarithm(argument)
            return Gamma(argument)
        if function in MORE_FUNCTIONS.values():
            return self._composed(function, argument, token)
        if function is log and argument.is_Rational and argument <= 0:
            self.fail("the logarithm of a number that is not positive at", token)
        if function is log:
            self.domain.logarithm(argument)
        if function is exp:  # exp(n log u) is evaluated as u^n
            self._check_size(max(map(_bits, argument.atoms(log)), default=0), argument, token)
            self._check_tower(argument, token)
        return function(argument, evaluate=not argument.has(Add))

    def _composed(self, function: Callable[..., Expr], argument: Expr, token: Token) -> Expr:
        """One of the functions that are made of exponentials and logarithms."""
        x = Symbol("x", positive=True)
        if function in (sinh, cosh, tanh):
            above = self.applied(exp, argument, token)
            below = self.applied(exp, -argument, token)
            total = above + below if function is not sinh else Integer(2)
            return (above + below) / 2 if function is cosh else (above - below) / total
        return substituted(function(x), {x: argument}, self.text, self.domain)

    def _plain(self, name: str) -> Expr:
        meaning = self.table[name]
        return meaning.body if isinstance(meaning, NamedFunction) else meaning

    def _last_letter(self, letter: str, depth: int) -> Expr:
        """In `ND^d` the exponent belongs to D alone."""
        base = self._plain(letter)
        if not self.at_end and self.tokens[self.next].kind == "power":
            at = self.take()
            exponent = self.signed(depth + 1)
            return self.raised(base, exponent, at)
        return base
