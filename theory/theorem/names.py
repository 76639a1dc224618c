"""The names of a theorem, and its formulas read in these names."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

from sympy import Expr, Function, Symbol, cosh, oo, sinh
from sympy.core.function import AppliedUndef

from ..data.notation import notation
from ..kernel import symbols as sym
from ..kernel.functions import expm1, log1p, phi2
from ..reader.building import MORE_FUNCTIONS, NamedFunction
from ..reader.latex import tokens_of
from ..reader.parse import read
from ..reader.tokens import AT, GREEK, ParseError, Token
from .words import Definition, Formula, Sentence

X = Symbol("x")
#: Functions of one argument that stay in formulas as they are written.
WHOLE = (expm1, log1p, phi2, sinh, cosh)
FORMULA = re.compile(r"\$(?P<latex>[^$]+)\$|`(?P<plain>[^`]+)`")
#: A letter, `x`, `C_x`, `x'` or `alpha1`; its index stands behind `_` where it is printed.
LETTER = re.compile(rf"(?!e$)(?:[A-Za-z]|{'|'.join(GREEK)})(?:[0-9]*|_[A-Za-z0-9]{{1,2}}|_prime)")


@dataclass(frozen=True)
class Setting:
    """The names with which a theorem begins: their definitions, what is assumed of them, and the
    functions of which only the name is known.
    """

    assumptions: tuple[str | Sentence, ...] = ()
    definitions: tuple[Definition, ...] = ()
    functions: tuple[AppliedUndef, ...] = ()


class Names:
    """The names of a theorem: those of its setting, and those that its text defines line by line.

    Attributes
    ----------
    definitions : list of Definition
    without_value : dict
        Functions of which only the name is known.
    free : frozenset of Symbol
        The letters of the law to which the text may still give a value.
    known : frozenset
        The letters and names that the setting or a definition introduces.
    """

    def __init__(self, setting: Setting, spelling: str | None = None) -> None:
        letters = (value for value in vars(sym).values() if isinstance(value, Symbol))
        self.table: dict[str, Expr | NamedFunction] = {letter.name: letter for letter in letters}
        self.table |= {f.__name__: NamedFunction((X,), f(X)) for f in WHOLE}
        self.without_value = {_typed(f): f for f in setting.functions}
        self.definitions = list(setting.definitions)
        for name in (*setting.functions, *(d.name for d in setting.definitions)):
            self._call(_typed(name), name)
        defined = {d.name for d in setting.definitions}
        letters_used = (d.value.free_symbols - d.name.free_symbols for d in setting.definitions)
        assumed = (words.names for words in setting.assumptions if isinstance(words, Sentence))
        self.free: frozenset[Expr] = frozenset().union(*letters_used) - defined
        self.known: frozenset[Expr] = frozenset().union(*assumed, defined)
        #: Names that have a meaning in the default notation, but none in that of the text.
        self.foreign: Collection[str] = ()
        if spelling is not None:
            self._respell(spelling)

    def _call(self, spelling: str, name: Expr) -> None:
        """Enter a letter or a function in the table, as plain text and as LaTeX spell it."""
        is_function = isinstance(name, AppliedUndef)
        meaning = NamedFunction(tuple(name.args), name) if is_function else name
        for each in (spelling, re.sub(r"_(?=[0-9]+$)", "", spelling)):
            self.table[each] = meaning

    def _respell(self, spelling: str) -> None:
        """Rename the quantities of the law as another notation calls them."""
        names = notation(spelling).names()
        taken = {str(letter) for letter in self.free} - names.keys()
        if clash := sorted(taken & set(names.values())):
            raise ParseError(f"Notation: {clash[0]} is a letter of the budget")
        unchanged = {name: meaning for name, meaning in self.table.items() if name not in names}
        renamed = {names[name]: self.table[name] for name in names if name in self.table}
        self.table = unchanged | renamed
        self.foreign = names.keys() - self.table.keys()

    # -- formulas ----------------------------------------------------------------------------------

    def formula(self, found: re.Match[str]) -> Formula:
        """The formula between dollars or backquotes."""
        text, latex = _source(found)
        sides: list[list[Token]] = [[]]
        signs = []
        for token in tokens_of(text, latex=latex):
            if token.kind == "relation":
                signs.append("=" if token.text == "==" else token.text)
                sides.append([])
            else:
                sides[-1].append(token)
        return Formula(tuple(self._expression(text, side) for side in sides), tuple(signs))

    def _expression(self, text: str, tokens: list[Token]) -> Expr:
        """The expression that the tokens spell; a new letter is positive from here on."""
        if [token.text for token in tokens] == ["oo"]:
            return oo
        for token, after in pairwise((*tokens, Token("end", "", len(text)))):
            is_new = self._introduce(token)
            if is_new and after.text == "(" and not text[after.position - 1].isspace():
                raise ParseError(f"{text!r}: {token.text} is no function; 'Let $f(x) = ...$'")
        return read(text, tokens, self.table, kept=True)

    def _introduce(self, token: Token) -> bool:
        """Enter a letter that has no meaning yet as a positive one; False for any other token."""
        if token.kind != "name" or token.text in (*self.table, *MORE_FUNCTIONS):
            return False
        if token.text in self.foreign:
            raise ParseError(f"{token.text!r}: is no letter of the notation of this text")
        if not LETTER.fullmatch(token.text):
            return False
        letter = Symbol(_indexed(token.text), positive=True)
        self._call(_typed(letter), letter)
        return True

    def sentence(self, words: str) -> Sentence:
        """The sentence that words with formulas between them spell."""
        words = joined(words)
        return Sentence(FORMULA.sub("{}", words), tuple(map(self.formula, FORMULA.finditer(words))))

    # -- declarations ------------------------------------------------------------------------------

    def real(self, words: str) -> None:
        """Declare the letters of `Let $x$ and $y$ be real`."""
        for found in FORMULA.finditer(words):
            text, latex = _source(found)
            first, *more = tokens_of(text, latex=latex)
            if more or not LETTER.fullmatch(first.text):
                raise ParseError(f"{words}: {text} is no letter")
            letter = Symbol(_indexed(first.text), real=True)
            self._call(_typed(letter), letter)

    def define(self, words: str) -> None:
        """Define the name on the left of `$x = ...$` or `$f(x, y) = ...$`; a letter of the law may be
        given a value in its other letters, `$\\gamma = \\beta$`.
        """
        text, latex = words[1:-1], words.startswith("$")
        tokens = tokens_of(text, latex=latex)
        equals = next((i for i, token in enumerate(tokens) if token.text in ("=", "==")), 0)
        name, *arguments = (token.text for token in tokens[:equals]) if equals else ("",)
        is_call = "".join(arguments[:1] + arguments[-1:]) in ("", "()")
        if not equals or tokens[0].kind != "name" or not is_call:
            raise ParseError(f"{words}: defines no name; write 'Let $x = ...$'")
        letter = self.table.get(name)
        is_free = letter in self.free and not arguments
        is_bare = letter in vars(sym).values() and letter not in self.known
        if letter is not None and name not in self.without_value and not (is_free or is_bare):
            raise ParseError(f"{words}: {name!r} has a meaning already")
        parameters = [self._expression(text, [token]) for token in tokens[2 : equals - 1 : 2]]
        body = self._expression(text, tokens[equals + 1 :])
        if is_free:
            self._give(letter, body, words)
            return
        unvalued = self.without_value.pop(name, None)
        called = _indexed(name) if unvalued is None else unvalued.func.__name__
        kind = Function if arguments else Symbol
        left = kind(called, **({"positive": True} if body.is_positive else {"real": True}))
        left = left(*parameters) if arguments else left
        self._call(_typed(left), left)
        self.definitions.append(Definition(left, body))
        self.known |= {left}

    def _give(self, letter: Expr, value: Expr, words: str) -> None:
        """Give a letter of the law a value in the other letters of the law."""
        self.free -= {letter}
        if not value.is_positive or not value.free_symbols <= self.free:
            raise ParseError(f"{words}: must be positive, and in other letters of the law")
        self.definitions.insert(0, Definition(letter, value))


def joined(text: str) -> str:
    """The text on one line."""
    return " ".join(text.split())


def _source(found: re.Match[str]) -> tuple[str, bool]:
    """The text between dollars or backquotes, and whether it is LaTeX."""
    is_latex = found["latex"] is not None
    return found["latex" if is_latex else "plain"], is_latex


def _typed(name: Expr) -> str:
    """A name as the reader spells it."""
    called = name.func.__name__ if isinstance(name, AppliedUndef) else str(name)
    return called.replace("@", AT).replace("'", "_prime")


def _indexed(name: str) -> str:
    """The name under which a letter is printed: `y_1` for `y1` and `y'` for `y_prime`."""
    return re.sub(r"(?<=[A-Za-z])(?=[0-9]+$)", "_", name).replace("_prime", "'")
