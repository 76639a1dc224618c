"""The context in which a claim is read: the meanings of its names and the assumptions on its letters."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from sympy import Expr, Mul, Symbol, oo

from ..kernel import symbols as sym
from ..kernel.decide import is_zero
from ..reader.building import Domain, NamedFunction, plainly_positive, substituted
from ..reader.latex import tokens_of
from ..reader.parse import read
from ..reader.tokens import PRIME, ParseError, Token, joined, quoted
from .spelling import as_read
from .text import Sides, called, is_latex, starred
from .vocabulary import Meaning, Table, Vocabulary

LIMIT = re.compile(
    r"\s*\\?(?P<name>[A-Za-z]\w*)\s*(?:->|\\(?:to|rightarrow|longrightarrow)(?![A-Za-z]))"
    r"\s*(?:(?P<zero>0(?:\^?\{?\+\}?)?)|(?P<infinite>\+?(?:oo|inf|infinity|\\infty))"
    r"|(?P<point>[0-9]+(?:\.[0-9]+|/[0-9]+)?))\s*"
)
#: `x, y real`, `x < 0`, `x <= 0`, `x >= 0`.
SIGN_ASSUMED = re.compile(
    r"\s*(?P<letters>\\?[A-Za-z]\w*(?:\s*,\s*\\?[A-Za-z]\w*)*)"
    r"(?:\s+(?:is\s+|are\s+)?(?P<real>real)|\s*(?P<sign><=?|>=)\s*0)\s*"
)
SIGNS = {"": {-1, 0, 1}, "<": {-1}, "<=": {-1, 0}, ">=": {0, 1}}
INFINITIES = (["oo"], ["inf"], ["infinity"])


class Context:
    """The meanings of names (`table`) and the assumptions: equalities as letters that are `replaced`,
    inequalities as bounds of the `domain`, and all of them as they were read. An expression that is
    read has a value where `typed` holds; a letter without a meaning is added to the `table`, and to
    those that are `free`, when it is met.
    """

    def __init__(
        self,
        words: Vocabulary,
        assume: Sequence[str] = (),
        let: Sequence[str] = (),
        more: Table | None = None,
    ) -> None:
        signs, others = _signs_assumed(assume, words)
        self.words = replace(words, signs={**words.signs, **signs})
        own = _defined(let, self.words)
        if known := own.keys() & self.words.signs.keys():
            raise ParseError(f"{min(known)} is defined, and its sign follows from that")
        self.table: dict[str, Meaning] = {**words.names, **own, **(more or {})}
        self.free: dict[str, Symbol] = {}
        self.typed, self.domain = Domain(), Domain()
        self.replaced: dict[Symbol, Expr] = {}
        self.assumptions = tuple(text for text in assume if text not in others)
        for text in others:
            self._assume(text)
        self.domain = self.domain.map(lambda e: self.at(e, ", ".join(others)))

    def read(
        self,
        text: str,
        tokens: Sequence[Token],
        relation: str = "==",
        more: Mapping[str, Symbol] | None = None,
    ) -> Expr:
        """The expression of one side, in which `more` names may stand for letters; behind `->` it may
        be infinite.
        """
        signs = [token.text for token in tokens if token.text in ("+", "-")]
        bare = [token.text for token in tokens if token.text not in ("+", "-")]
        if relation == "->" and bare in INFINITIES:
            return -oo if signs.count("-") % 2 else oo
        tokens = [replace(token, text=_known(token, self.table)) for token in tokens]
        table = {**self.table, **(more or {})}
        for name in (token.text for token in tokens if token.kind == "name"):
            is_slope = isinstance(table.get(name.partition(f"_{PRIME}")[0]), NamedFunction)
            letter = None if name in table or is_slope else self.words.free_symbol(name)
            if letter is not None:
                self.free[name] = self.table[name] = table[name] = letter
        words = self.words
        return read(
            text, tokens, table, domain=self.typed, letters=words.names.keys(), kept=words.kept
        )

    def at(self, expression: Expr, text: str) -> Expr:
        """The expression with the letters that are replaced."""
        return substituted(expression, self.replaced, text)

    # -- assumptions -------------------------------------------------------------------------------

    def _assume(self, text: str) -> None:
        """Add an assumption, `a == b` or a chain `a < b <= c`."""
        sides = Sides.of_claim(text, self.words.names)
        relations = [relation.text for relation in sides.relations]
        if not {*relations} <= {"==", "!=", "<", "<=", ">", ">="}:
            forms = "`symbol == expression`, `a > b`, `a < b`, `a >= b`, `a <= b` or `a != b`"
            raise ParseError(f"{quoted(text)}: an assumption reads {forms}")
        values = [self.read(text, part) for part in sides.parts]
        links = (f"{sign} {as_read(e)}" for sign, e in zip(relations, values[1:], strict=True))
        self.assumptions += (" ".join([as_read(values[0]), *links]),)
        for relation, (left, right) in zip(relations, pairwise(values), strict=True):
            left, right = self.at(left, text), self.at(right, text)
            larger, smaller = (left, right) if relation[0] == ">" else (right, left)
            if relation == "==":
                self._replace(left, right, text)
            elif relation == "!=":
                self.domain.nonzero.append(left - right)
            elif not (plainly_positive(larger) and smaller.is_nonpositive):
                group = self.domain.positive if len(relation) == 1 else self.domain.nonnegative
                group.append(larger - smaller)
            elif smaller != 0 and len(relations) == 1:
                complaint = "holds without being assumed, as every letter is positive"
                hint = "one that may be negative is declared, as in `x real`"
                raise ParseError(f"{quoted(text)}: {complaint}; {hint}")

    def _replace(self, left: Expr, right: Expr, text: str) -> None:
        """Replace the symbol that one side of an equality is by the other side."""
        is_letter = left.is_Symbol and left.name not in self.words.means
        symbol, value = (left, right) if is_letter else (right, left)
        complaint = ""
        if not symbol.is_Symbol or symbol in value.free_symbols:
            complaint = "one side of an equality must be a symbol that the other does not hold"
        elif (symbol.is_positive and value.is_nonpositive) or (
            symbol.is_nonnegative and value.is_negative
        ):
            complaint = f"{symbol} is positive"
        if complaint:
            raise ParseError(f"{quoted(text)}: {complaint}")
        known = {x: substituted(e, {symbol: value}, text) for x, e in self.replaced.items()}
        self.replaced = {**known, symbol: value}
        if symbol.is_positive and not plainly_positive(value):
            self.domain.positive.append(value)
        elif symbol.is_nonnegative and value.is_nonnegative is not True:
            self.domain.nonnegative.append(value)

    def ties(self, letters: Collection[Symbol]) -> set[Symbol]:
        """The letters that an equality other than the budget, `C == 6*N*D` or solved for another
        letter, ties to some of these.
        """
        tied: set[Symbol] = set()
        for x, e in self.replaced.items():
            is_budget = is_zero((sym.C - self.words.budget).xreplace({x: e}))
            if not is_budget and ({x} | e.free_symbols) & {*letters}:
                tied |= {x} | e.free_symbols
        return tied

    def limit(self, text: str) -> tuple[Symbol, str]:
        """The variable of a limit, which must be free to move, and where it tends."""
        match = LIMIT.fullmatch(joined(text))
        symbol = self.table.get(match["name"]) if match else None
        if match is None or not isinstance(symbol, Symbol):
            forms = "`symbol -> 0`, `symbol -> 1` or `symbol -> oo` for a symbol of the claim"
            raise ParseError(f"{quoted(text)}: a limit reads {forms}")
        if symbol in self.replaced:
            complaint = f"{symbol} cannot tend to a limit where {self.replaced[symbol]} replaces it"
            raise ParseError(f"{quoted(text)}: {complaint}")
        return symbol, match["point"] or ("0" if match["zero"] else "oo")

    def domain_of(self, text: str) -> Domain:
        """The domain on which the claim as typed has a value and the assumptions hold; ParseError where
        it is empty.
        """
        found = Domain(nonnegative=self.domain.nonnegative)
        for value in self.domain.positive:
            found.note(found.positive, value)
        for condition in self.typed.positive:
            value = self.at(condition, text)
            if value.is_number and value.is_positive is not True:
                complaint = f"{condition} is {value}, and a logarithm or a broken power of it"
                raise ParseError(f"{quoted(text)}: {complaint} has no real value")
            found.note(found.positive, value)
        for condition in (*self.domain.nonzero, *self.typed.nonzero):
            value = self.at(condition, text)
            if is_zero(value):
                raise ParseError(f"{quoted(text)}: division by zero, for {condition} is 0")
            for factor in Mul.make_args(value):
                found.note(found.nonzero, factor.as_base_exp()[0])
        return found


# -- what is declared ------------------------------------------------------------------------------


def _known(token: Token, names: Collection[str]) -> str:
    """The known name of a token: the least compute for `C^*` where that is known."""
    is_least = token.text == "C_star" and token.text not in names and "C_opt" in names
    return "C_opt" if is_least else token.text


def _signs_assumed(
    assume: Sequence[str], words: Vocabulary
) -> tuple[dict[str, frozenset[int]], list[str]]:
    """The signs that are assumed of letters of the user's own, and the other assumptions."""
    signs: dict[str, frozenset[int]] = {}
    others = []
    for text in assume:
        match = SIGN_ASSUMED.fullmatch(joined(text))
        letters = re.findall(r"\w+", match["letters"]) if match is not None else []
        known = [name for name in letters if name in words.names]
        is_real = match is not None and bool(match["real"])
        if is_real and letters == [sym.LOG_SIZE_RATIO.name]:
            continue  # as the law says
        if is_real and known:
            raise ParseError(f"{text!r}: {known[0]} is of the law, which says what it is")
        if match is None or known:
            others.append(text)
            continue
        for name in letters:
            signs[name] = signs.get(name, frozenset(SIGNS[""])) & SIGNS[match["sign"] or ""]
    return signs, others


def _defined(definitions: Sequence[str], words: Vocabulary) -> Table:
    """The meanings of the names that are defined, `k := kappa` or `f(x) == x^2`. A name on the right
    side has the meaning of another definition, else its own.

    Raises
    ------
    ParseError
        Where a name is defined twice, or by way of itself.
    """
    waiting: dict[str, tuple[str, list[Token], Sequence[Token]]] = {}
    coefficients = words.notation.names("params-tokens").values()
    for text in definitions:
        left, _, right = map(str.strip, re.sub(":?==?", "=", text, count=1).partition("="))
        named = called(tokens_of(left, latex=is_latex(left))) if left else None
        if named is None or not right:
            raise ParseError(f"{quoted(text)}: a definition reads `name := expression`")
        name, latex = named[0].text, is_latex(right)
        if name in waiting:
            raise ParseError(f"{quoted(text)}: {name} has a meaning already")
        if name in coefficients:
            hint = f"the assumption {name} == {right} says what it is in the law"
            raise ParseError(f"{quoted(text)}: {name} is a coefficient of the law; {hint}")
        body = tokens_of(right, latex=latex)
        waiting[name] = text, named[1], body if latex else starred(body, words.names)
    found: dict[str, Meaning] = {}

    def define(name: str, above: tuple[str, ...]) -> None:
        text, parameters, body = waiting[name]
        if name in above:
            raise ParseError(f"{quoted(text)}: {name} is defined by way of itself")
        own, kept = {token.text for token in parameters}, {name, *above} & words.names.keys()
        for other in {_known(token, waiting) for token in body} - own - kept:
            if other in waiting and other not in found:
                define(other, (*above, name))
        meanings = {x: value for x, value in found.items() if x not in kept}
        context = Context(words, more=meanings)
        alone = context.table.get(body[0].text) if len(body) == 1 else None
        if isinstance(alone, NamedFunction):
            found[name] = alone
            return
        letters = tuple(context.read(text, [token]) for token in parameters)
        value = context.read(text, body)
        found[name] = NamedFunction(letters, value) if letters else value

    for name in waiting:
        if name not in found:
            define(name, ())
    return found
