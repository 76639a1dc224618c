"""How a claim as a user types it is read: its sides and relations, and what is assumed beside it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from sympy import Expr, Integer, Symbol, oo
from sympy.core.function import UndefinedFunction

from ..kernel import symbols as sym
from ..kernel.arithmetic import OutsideScope
from ..kernel.convert import arithmetic_for, normal_form
from ..kernel.decide import is_zero
from ..reader.building import Domain, NamedFunction, plainly_positive, substituted
from ..reader.latex import tokens_of
from ..reader.parse import read
from ..reader.tokens import OPTIMA, PRIME, ParseError, Token, quoted
from .vocabulary import Vocabulary

RELATION = re.compile(
    r"<=>|=>|==|!=|<=|>=|->|~~|[=<>~\u2248\u221d\u21d2\u21d4\u2264\u2265\u2260\u2192]|\\[A-Za-z]+|propto|approx|implies|iff"
)
#: Relations that are typed as words, and other spellings of relations.
WORDS = ("propto", "approx", "implies", "iff")
RELATION_NAMES = {
    "=": "==", "~~": "approx", "\u2248": "approx", "\u221d": "propto",
    "=>": "implies", "\u21d2": "implies", "<=>": "iff", "\u21d4": "iff",
}  # fmt: skip
#: The relations as LaTeX has them.
IN_LATEX = {
    "==": "=", "<=": r"\le", ">=": r"\ge", "!=": r"\ne", "propto": r"\propto",
    "approx": r"\approx", "~": r"\sim", "->": r"\to",
}  # fmt: skip
LIMIT = re.compile(
    r"\s*\\?(?P<name>[A-Za-z]\w*)\s*(?:->|\\(?:to|rightarrow|longrightarrow)(?![A-Za-z]))"
    r"\s*(?:(?P<zero>0(?:\^?\{?\+\}?)?)|(?P<infinite>\+?(?:oo|inf|infinity|\\infty))"
    r"|(?P<point>[0-9]+(?:\.[0-9]+|/[0-9]+)?))\s*"
)
#: `\lim_{r \to 1} P(r) = 1`, and `lim(P(r), r, 1) = 1`.
LIM = re.compile(r"\s*\\?lim\s*_\s*\{(?P<to>[^{}]*)\}(?P<body>[^=]+)==?(?P<value>[^=]+)")
LIM_CALLED = re.compile(
    r"\s*lim\((?P<body>.+),\s*(?P<name>\w+)\s*,\s*(?P<end>[^,()]+)\)\s*==?(?P<value>[^=]+)"
)
LATEX = re.compile(r"\\|\^\*|[_^]\{")  # what no plain text has
CANNOT_BE_A_FACTOR = (")", "]", ",", "/", "*")
#: The quantities of the law without a unit.
RATIOS = frozenset(name for name, quantity in sym.QUANTITIES.items() if quantity.unit == "1")
SEPARATOR = re.compile(
    r"[,;]|\\q?quad(?![A-Za-z])|\\(?:text|mathrm)\{\s*and\s*\}|(?<![A-Za-z_\\])and(?![A-Za-z_])"
)
INFINITIES = (["oo"], ["inf"], ["infinity"])


class Claims:
    """Splits a claim into sides and reads each; collects the free symbols that it meets."""

    def __init__(
        self,
        table: dict[str, Expr | NamedFunction],
        words: Vocabulary,
        latex: bool,
        meanings: Mapping[Symbol, Expr] | None = None,
    ) -> None:
        self.table, self.words, self.latex = table, words, latex
        self.meanings = meanings
        #: Whether a product in which letters cancel stays as it is typed.
        self.kept = False
        self.own = words.names.keys()
        self.free: dict[str, Symbol] = {}
        self.met: dict[str, None] = {}
        self.domain = Domain()

    @property
    def read_as(self) -> tuple[str, ...]:
        """The names met that are more than a letter, with what they mean."""
        return tuple(
            f"{name}, {self.words.means[name]}"
            for name in self.met
            if name in self.words.means and self.table[name] is self.words.names[name]
        )

    def split(self, text: str) -> tuple[list[list[Token]], list[Token]]:
        tokens = tokens_of(text, latex=self.latex)
        tokens = [
            Token("relation", token.text, token.position) if token.text in WORDS else token
            for token in tokens
        ]
        if not self.latex:
            tokens = starred(tokens, self.table)
        self._refuse_capital_exponents(text, tokens)
        parts, relations = at_relations(tokens)
        if not relations:
            known = "=, !=, <, <=, >, >=, propto, approx, ->, ~ or implies"
            raise ParseError(f"a relation is expected: {known}", text=text)
        for before, relation, after in zip(parts, relations, parts[1:], strict=False):
            if not (before and after):
                raise ParseError.at(
                    text, relation.position, f"an expression is missing beside {relation.text!r}"
                )
        return parts, relations

    def side(self, text: str, tokens: list[Token], relation: Token | None) -> Expr:
        """One side; after `->` it may be infinite."""
        if (
            relation is not None
            and relation.text == "->"
            and [token.text for token in tokens if token.text not in ("+", "-")] in INFINITIES
        ):
            return -oo if [token.text for token in tokens].count("-") % 2 else oo
        return self.expression(text, tokens)

    def expression(self, text: str, tokens: list[Token]) -> Expr:
        tokens = list(map(self._known, tokens))
        for token, following in zip_longest(tokens, tokens[1:]):
            if token.kind == "name" and token.text in self.own:
                self.met[token.text] = None
            if token.text == "Gamma" and following is not None and following.text == "(":
                continue
            of = token.text.partition(f"_{PRIME}")[0]
            if of != token.text and isinstance(self.table.get(of), NamedFunction):
                continue
            if token.kind == "name" and token.text not in self.table:
                symbol = self.words.free_symbol(token.text)
                if symbol is not None:
                    self.free[token.text] = self.table[token.text] = symbol
        return read(
            text,
            tokens,
            self.table,
            domain=self.domain,
            letters=self.own,
            meanings=self.meanings,
            ratios=RATIOS,
            kept=self.kept,
        )

    def _refuse_capital_exponents(self, text: str, tokens: list[Token]) -> None:
        """`2E-3` is a number elsewhere, and here it may be 2*E - 3."""
        for token in tokens:
            if token.kind == "number" and "E" in token.text and "E" in self.own:
                hint = f": write {token.text.lower()} for the number, 2*E for a product with the irreducible loss"
                raise ParseError.at(text, token.position, f"ambiguous {token.text!r}", hint)

    def _known(self, token: Token) -> Token:
        """`C_0` is `C0` where that is a name, and `C^*` the least compute."""
        if token.text == "C_star" and token.text not in self.table:
            return Token(token.kind, "C_opt", token.position)
        joined = _joined(token)
        is_known = token.text not in self.table and joined in self.table
        return Token(token.kind, joined, token.position) if is_known else token


def _joined(token: Token) -> str:
    """A name with its index behind it: `C0` for `C_0`."""
    is_index = token.kind == "name" and re.fullmatch(r"[A-Za-z]+_[0-9]+", token.text) is not None
    return token.text.replace("_", "") if is_index else token.text


class Given:
    """What is assumed: equalities as replacements of a symbol, inequalities as bounds of the
    domain.
    """

    def __init__(
        self,
        words: Vocabulary,
        texts: Sequence[str],
        definitions: Sequence[str] = (),
        renames: Sequence[str] = (),
    ) -> None:
        self.words = words
        self.table: dict[str, Expr | NamedFunction] = dict(words.names)
        self.named: dict[Symbol, Expr] = {}
        self.replaced: dict[Symbol, Expr] = {}
        self.source: dict[Symbol, str] = {}
        self.domain = Domain()
        self._rename(renames)
        self._name(definitions)
        for text in texts:
            self._add(text)
        self.domain = self.domain.map(lambda e: self.at(e, ", ".join(texts)))

    def opaque(self) -> dict[str, Expr | NamedFunction]:
        """The names, those of the law without their formulas: `N_opt(C)`, `alpha`."""
        return {
            name: _without_formula(name, meaning)
            if meaning is self.words.names.get(name) and not isinstance(meaning, Symbol)
            else meaning
            for name, meaning in self.table.items()
        }

    def _rename(self, texts: Sequence[str]) -> None:
        """Give names another meaning; what they are given is read with the meanings by default, and
        with the new names given before.
        """
        renamed: dict[str, Expr | NamedFunction] = {}
        unknown: dict[str, str] = {}
        for text in texts:
            left, _, right = (
                part.strip() for part in re.sub(":?==?", "=", text, count=1).partition("=")
            )
            if not (left and right):
                raise ParseError(f"{quoted(text)}: a new meaning reads `name := expression`")
            reader = Claims(renamed | dict(self.words.names), self.words, _is_latex(right))
            name, parameters = _named(tokens_of(left, latex=_is_latex(left)), text)
            if name in unknown:
                raise ParseError(
                    f"{unknown[name]!r}: {name} has a meaning only later; name it first"
                )
            tokens = starred(
                tokens_of(right, latex=_is_latex(right)),
                self.words.names,
                (*CANNOT_BE_A_FACTOR, "+", "-"),
            )
            meaning = reader.table.get(tokens[0].text) if len(tokens) == 1 else None
            if isinstance(meaning, NamedFunction):
                renamed[name] = meaning
                continue
            letters = [reader.expression(left, [token]) for token in parameters]
            body = reader.expression(right, tokens)
            unknown |= dict.fromkeys(reader.free.keys() - {t.text for t in parameters}, text)
            renamed[name] = NamedFunction(tuple(letters), body) if letters else body
        self.table |= renamed

    def _name(self, texts: Sequence[str]) -> None:
        """Take every name first: one definition may use another."""
        bodies: dict[Symbol, tuple[str, Claims, list[Token]]] = {}
        functions: dict[str, Function] = {}
        for text in texts:
            reader = Claims(self.table, self.words, _is_latex(text))
            parts, relations = reader.split(text)
            if [relation.text for relation in relations] != ["=="]:
                raise ParseError(f"{quoted(text)}: a definition reads `name == expression`")
            name, parameters = _named(parts[0], text)
            if name in self.table:
                raise ParseError(f"{quoted(text)}: {name} has a meaning already")
            if parameters:
                functions[name] = (text, parameters, parts[1])
                continue
            self.table[name] = symbol = Symbol(name, real=True)
            bodies[symbol] = (text, reader, parts[1])
        for name, (text, parameters, tokens) in _in_order(functions):
            reader = Claims(self.table, self.words, _is_latex(text))
            letters = tuple(reader.expression(text, [token]) for token in parameters)
            self.table[name] = NamedFunction(letters, reader.expression(text, tokens))
        for symbol, (text, reader, tokens) in bodies.items():
            self.named[symbol] = reader.expression(text, tokens)
            self.domain.positive += reader.domain.positive
            self.domain.nonzero += reader.domain.nonzero
        for _ in bodies:
            self.named = {
                x: substituted(e, self.named, bodies[x][0]) for x, e in self.named.items()
            }
        for symbol, value in self.named.items():
            if value.free_symbols & self.named.keys():
                raise ParseError(f"{bodies[symbol][0]!r}: {symbol} is defined by way of itself")

    def _add(self, text: str) -> None:
        reader = Claims(self.table, self.words, _is_latex(text))
        parts, relations = reader.split(text)
        if len(relations) != 1 or relations[0].text not in ("==", "!=", "<", "<=", ">", ">="):
            forms = "`symbol == expression`, `a > b`, `a < b`, `a >= b`, `a <= b` or `a != b`"
            raise ParseError(f"{quoted(text)}: an assumption reads {forms}")
        left, right = (self.at(reader.expression(text, part), text) for part in parts)
        self.domain.positive += reader.domain.positive
        self.domain.nonzero += reader.domain.nonzero
        relation = relations[0].text
        if relation == "==":
            symbol, value = _replacement(left, right, text)
            self.replaced = {
                x: substituted(e, {symbol: value}, text) for x, e in self.replaced.items()
            } | {symbol: value}
            self.source[symbol] = text
            if symbol.is_positive and not plainly_positive(value):
                self.domain.positive.append(value)
            elif symbol.is_nonnegative and value.is_nonnegative is not True:
                self.domain.nonnegative.append(value)
        elif relation == "!=":
            self.domain.nonzero.append(left - right)
        else:
            larger, smaller = (left, right) if relation[0] == ">" else (right, left)
            if plainly_positive(larger) and smaller.is_negative:
                raise ParseError(
                    f"{quoted(text)}: holds without being assumed, as every letter is positive; "
                    "one that may be negative is declared, as in `x real`"
                )
            strict = relation in ("<", ">")
            kept = self.domain.positive if strict else self.domain.nonnegative
            kept.append(larger - smaller)

    def at(self, expression: Expr, text: str) -> Expr:
        """The expression with every name explained and every replacement made."""
        return substituted(substituted(expression, self.named, text), self.replaced, text)

    def is_budget(self, symbol: Symbol) -> bool:
        """Whether the replacement of the symbol is the budget itself, `C == 6*N*D` or solved for
        another letter.
        """
        budget = self.words.budget
        return is_zero((sym.C - budget).xreplace({symbol: self.replaced[symbol]}))

    def limit(self, text: str) -> tuple[Symbol, str]:
        """The variable of a limit, which must be free to move, and where it tends."""
        symbol, end = _limit(text, self.table)
        if symbol in self.replaced:
            raise ParseError(
                f"{quoted(text)}: {symbol} cannot tend to a limit where {self.source[symbol]!r} replaces "
                f"it"
            )
        return symbol, end

    def domain_of(self, typed: Domain, text: str) -> Domain:
        """Where the claim as typed has a value and the assumptions hold; refused where that is
        nowhere.
        """
        positive = [value for value in self.domain.positive if not plainly_positive(value)]
        for condition in typed.positive:
            value = self.at(condition, text)
            if value.is_number and value.is_positive is not True:
                raise ParseError(
                    f"{quoted(text)}: {condition} is {value}, and a logarithm or a broken power of it "
                    f"has no real value"
                )
            if not plainly_positive(value) and value not in positive:
                positive.append(value)
        nonzero: list[Expr] = []
        for condition in (*self.domain.nonzero, *typed.nonzero):
            value = self.at(condition, text)
            if value not in nonzero and not plainly_positive(value):
                nonzero += [
                    e for e in _factors(value, condition, positive, text) if e not in nonzero
                ]
        return Domain(positive, nonzero, self.domain.nonnegative)


def _without_formula(name: str, meaning: Expr | NamedFunction) -> Expr | NamedFunction:
    """A quantity by its name alone."""
    if not isinstance(meaning, NamedFunction):
        return Symbol(name, positive=True)
    other = None if meaning.other is None else _without_formula(name, meaning.other)
    body = UndefinedFunction(name, positive=True)(*meaning.parameters)
    return replace(meaning, body=body, other=other)


Function = tuple[str, list[Token], list[Token]]


def _in_order(functions: Mapping[str, Function]) -> Iterator[tuple[str, Function]]:
    """The functions, each after those that its body calls."""
    waiting = dict(functions)
    while waiting:
        ready = [
            name
            for name, (_, _, body) in waiting.items()
            if not {t for token in body for t in (token.text, _joined(token))} & waiting.keys()
        ]
        if not ready:
            text = next(iter(waiting.values()))[0]
            raise ParseError(f"{quoted(text)}: the function is defined by way of itself")
        for name in ready:
            yield name, waiting.pop(name)


def _is_latex(text: str) -> bool:
    return LATEX.search(text) is not None


def starred(
    tokens: Sequence[Token], known: Collection[str], ends: Sequence[str] = CANNOT_BE_A_FACTOR
) -> list[Token]:
    """`N*(C)`, `D*/N*`: a star behind which no factor can stand, or the argument C, is that of the
    optimum.

    Raises
    ------
    ParseError
        Where it may be a product as well: `N* D*`.
    """
    found: list[Token] = []
    for i, token in enumerate(tokens):
        before, after = tokens[i - 1] if i else token, tokens[i + 1 : i + 4]
        if token.text == "*" and OPTIMA.get(before.text) in known:
            if _ends_there(after, ends) or [part.text for part in after] == ["(", "C", ")"]:
                found[-1] = Token("name", OPTIMA[before.text], before.position)
                continue
            is_spaced = after[0].position > token.position + 1 == before.position + 2
            is_pair = after[0].text in OPTIMA and [t.text for t in after[1:2]] == ["*"]
            if is_spaced or (is_pair and _ends_there(tokens[i + 3 : i + 4], ends)):
                both = f"{before.text}*{after[0].text}"
                hint = f"{OPTIMA[before.text]} for the optimum, {before.text} * for a product"
                raise ParseError(f"ambiguous {both!r}: write {hint}")
        found.append(token)
    return found


def _ends_there(after: Sequence[Token], ends: Sequence[str]) -> bool:
    """Whether no factor can stand here."""
    return not after or after[0].kind in ("relation", "power") or after[0].text in ends


def at_relations(tokens: Iterable[Token]) -> tuple[list[list[Token]], list[Token]]:
    """The tokens of each side, and the relations between the sides."""
    parts: list[list[Token]] = [[]]
    relations: list[Token] = []
    for token in tokens:
        if token.kind == "relation":
            name = RELATION_NAMES.get(token.text, token.text)
            relations.append(Token("relation", name, token.position))
            parts.append([])
        else:
            parts[-1].append(token)
    return parts, relations


def called(tokens: Sequence[Token]) -> tuple[Token, list[Token]] | None:
    """The name that these tokens are, with its arguments where they are names: `f(x, y)`."""
    if not tokens or tokens[0].kind != "name":
        return None
    name, *rest = tokens
    arguments = rest[1:-1:2]
    marks = [token.text for token in (*rest[:1], *rest[2:-1:2], *rest[-1:])]
    is_call = marks == ["(", *[","] * (len(arguments) - 1), ")"] and bool(arguments)
    is_named = all(token.kind == "name" for token in arguments)
    return (name, arguments) if not rest or (is_call and is_named) else None


def _named(tokens: Sequence[Token], text: str) -> tuple[str, list[Token]]:
    """The name that is defined, with its parameters where it is a function: `f(x, y)`."""
    named = called(tokens)
    if named is None:
        raise ParseError(f"{quoted(text)}: a definition reads `name == expression`")
    return _joined(named[0]), named[1]


def _factors(value: Expr, condition: Expr, positive: Sequence[Expr], text: str) -> list[Expr]:
    """The factors of a divisor whose sign is not certain; refused where the divisor is zero
    throughout.
    """
    try:
        arithmetic = arithmetic_for((value,), positive)
        form = normal_form(value, arithmetic)
        if arithmetic.is_zero(form):
            raise ParseError(f"{quoted(text)}: division by zero, for {condition} is 0")
        before = len(arithmetic.nonzero)
        arithmetic.power(form, normal_form(Integer(-1), arithmetic))
    except OutsideScope:
        return [value]
    return arithmetic.nonzero[before:]


def _replacement(left: Expr, right: Expr, text: str) -> tuple[Symbol, Expr]:
    """The symbol of an equality and what it stands for."""
    symbol, value = (left, right) if left.is_Symbol else (right, left)
    if not symbol.is_Symbol or symbol in value.free_symbols:
        raise ParseError(
            f"{quoted(text)}: one side of an equality must be a symbol that the other does not hold"
        )
    if symbol.is_positive and value.is_nonpositive:
        raise ParseError(f"{quoted(text)}: {symbol} is positive")
    if symbol.is_nonnegative and value.is_negative:
        raise ParseError(f"{quoted(text)}: {symbol} is not negative")
    return symbol, value


def _limit(text: str, table: Mapping[str, Expr | NamedFunction]) -> tuple[Symbol, str]:
    match = LIMIT.fullmatch(text)
    symbol = table.get(match["name"]) if match else None
    if match is None or not isinstance(symbol, Symbol):
        raise ParseError(
            f"{quoted(text)}: a limit reads `symbol -> 0`, `symbol -> 1` or `symbol -> oo` for a symbol of the claim"
        )
    return symbol, match["point"] or ("0" if match["zero"] else "oo")


def spans(text: str, relations: Sequence[Token]) -> list[tuple[int, str]]:
    """The sides as they stand in the text, each with its place."""
    sides, start = [], 0
    for relation in relations:
        sides.append((start, text[start : relation.position]))
        match = RELATION.match(text, relation.position)
        start = match.end() if match is not None else relation.position + 1
    return [*sides, (start, text[start:])]


def limit_of(text: str, latex: bool) -> tuple[str, str] | None:
    """A claim on `lim` as one with an arrow, and its limit: `P(r) -> 1` and `r -> 1`."""
    match, called = LIM.fullmatch(text), LIM_CALLED.fullmatch(text)
    if called is not None:
        return (
            f"{called['body']} -> {called['value'].strip()}",
            f"{called['name']} -> {called['end']}",
        )
    if match is None:
        return None
    arrow = r"\to" if latex else "->"
    return f"{match['body'].strip()} {arrow} {match['value'].strip()}", match["to"]


def separated(text: str) -> list[tuple[int, str]]:
    """The claims that stand side by side in a text, each with its place: between commas, semicolons,
    wide spaces and `and`, outside of brackets.
    """
    pieces, start, depth, position = [], 0, 0, 0
    while position < len(text):
        depth += (text[position] in "([{") - (text[position] in ")]}")
        match = SEPARATOR.match(text, position) if depth == 0 else None
        if match is not None:
            pieces.append((start, text[start:position]))
            start = position = match.end()
        else:
            position += 2 if text[position] == "\\" else 1
    pieces.append((start, text[start:]))
    return [(place, piece) for place, piece in pieces if piece.strip()]


def as_typed(left: str, relation: str, right: str, *, latex: bool = True) -> str:
    """A claim as it would be typed."""
    return f"{left} {IN_LATEX.get(relation, relation) if latex else relation} {right}"


def in_one_line(source: str) -> str:
    """What is typed, without the marks of alignment."""
    return " ".join(source.replace("&", " ").split())


def sources(text: str, relations: Sequence[Token]) -> list[str]:
    """The sides as they are typed, each on one line."""
    return [in_one_line(source) for _, source in spans(text, relations)]
