"""What the names of a theorem stand for, and its formulas read in these names."""

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
#: Functions that stay as they are written.
WHOLE = (expm1, log1p, phi2, sinh, cosh)
FORMULA = re.compile(r"\$(?P<latex>[^$]+)\$|`(?P<plain>[^`]+)`")
#: A letter, `x`, `C_x`, `x'` or `alpha1`; its index stands behind `_` where it is printed.
LETTER = re.compile(rf"(?!e$)(?:[A-Za-z]|{'|'.join(GREEK)})(?:[0-9]*|_[A-Za-z0-9]{{1,2}}|_prime)")


@dataclass(frozen=True)
class Setting:
    """What the names of a theorem stand for to begin with, and what is assumed of them; of the
    functions only the name is known.
    """

    assumptions: tuple[str | Sentence, ...] = ()
    definitions: tuple[Definition, ...] = ()
    functions: tuple[AppliedUndef, ...] = ()


class Names:
    """The names of a theorem: those of its setting, and what its text defines, line after line.

    Attributes
    ----------
    definitions : list of Definition
    without_value : dict
        Functions of which only the name is known.
    given : frozenset of Symbol
        The letters of the law that have no value.
    known : frozenset
        What the setting, or a definition, says something of.
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
        own = (d.value.free_symbols - d.name.free_symbols for d in setting.definitions)
        said = (words.names for words in setting.assumptions if isinstance(words, Sentence))
        self.given: frozenset[Expr] = frozenset().union(*own) - defined
        self.known: frozenset[Expr] = frozenset().union(*said, defined)
        #: Names that have a meaning in the notation of the package alone.
        self.foreign: Collection[str] = ()
        if spelling is not None:
            self._respell(spelling)

    def _call(self, spelled: str, name: Expr) -> None:
        """Let a letter or a function have a name, as either reader spells it."""
        is_function = isinstance(name, AppliedUndef)
        meaning = NamedFunction(tuple(name.args), name) if is_function else name
        for each in (spelled, re.sub(r"_(?=[0-9]+$)", "", spelled)):
            self.table[each] = meaning

    def _respell(self, spelling: str) -> None:
        """Call the quantities of the law as another notation does."""
        names = notation(spelling).names()
        taken = {str(letter) for letter in self.given} - names.keys()
        if clash := sorted(taken & set(names.values())):
            raise ParseError(f"Notation: {clash[0]} is a letter of the budget")
        others = {name: meaning for name, meaning in self.table.items() if name not in names}
        own = {names[name]: self.table[name] for name in names if name in self.table}
        self.table = others | own
        self.foreign = names.keys() - self.table.keys()

    # -- formulas ----------------------------------------------------------------------------------

    def formula(self, found: re.Match[str]) -> Formula:
        """A formula between dollars or backquotes."""
        words, latex = _spelled(found)
        sides: list[list[Token]] = [[]]
        signs = []
        for token in tokens_of(words, latex=latex):
            if token.kind == "relation":
                signs.append("=" if token.text == "==" else token.text)
                sides.append([])
            else:
                sides[-1].append(token)
        return Formula(tuple(self._expression(words, side) for side in sides), tuple(signs))

    def _expression(self, words: str, tokens: list[Token]) -> Expr:
        """An expression; a letter without a meaning is positive from here on."""
        if [token.text for token in tokens] == ["oo"]:
            return oo
        for token, after in pairwise((*tokens, Token("end", "", len(words)))):
            is_new = self._introduce(token)
            if is_new and after.text == "(" and not words[after.position - 1].isspace():
                raise ParseError(f"{words!r}: {token.text} is no function; 'Let $f(x) = ...$'")
        return read(words, tokens, self.table, kept=True)

    def _introduce(self, token: Token) -> bool:
        """Whether it is a letter without a meaning, which is a positive one from here on."""
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
        """Words with formulas between them."""
        words = joined(words)
        return Sentence(FORMULA.sub("{}", words), tuple(map(self.formula, FORMULA.finditer(words))))

    # -- declarations ------------------------------------------------------------------------------

    def real(self, words: str) -> None:
        """Take the letters of `Let $x$ and $y$ be real`."""
        for found in FORMULA.finditer(words):
            spelled, latex = _spelled(found)
            first, *more = tokens_of(spelled, latex=latex)
            if more or not LETTER.fullmatch(first.text):
                raise ParseError(f"{words}: {spelled} is no letter")
            letter = Symbol(_indexed(first.text), real=True)
            self._call(_typed(letter), letter)

    def define(self, words: str) -> None:
        """Take the name that `$x = ...$` or `$f(x, y) = ...$` gives; a letter of the law may have a
        value in its other letters, `$\\gamma = \\beta$`.
        """
        spelled, latex = words[1:-1], words.startswith("$")
        tokens = tokens_of(spelled, latex=latex)
        equals = next((i for i, token in enumerate(tokens) if token.text in ("=", "==")), 0)
        name, *arguments = (token.text for token in tokens[:equals]) if equals else ("",)
        is_call = "".join(arguments[:1] + arguments[-1:]) in ("", "()")
        if not equals or tokens[0].kind != "name" or not is_call:
            raise ParseError(f"{words}: gives no name; 'Let $x = ...$'")
        letter = self.table.get(name)
        is_free = letter in self.given and not arguments
        is_bare = letter in vars(sym).values() and letter not in self.known
        if letter is not None and name not in self.without_value and not (is_free or is_bare):
            raise ParseError(f"{words}: {name!r} has a meaning already")
        parameters = [self._expression(spelled, [token]) for token in tokens[2 : equals - 1 : 2]]
        body = self._expression(spelled, tokens[equals + 1 :])
        if is_free:
            self._give(letter, body, words)
            return
        known = self.without_value.pop(name, None)
        called = _indexed(name) if known is None else known.func.__name__
        kind = Function if arguments else Symbol
        left = kind(called, **({"positive": True} if body.is_positive else {"real": True}))
        left = left(*parameters) if arguments else left
        self._call(_typed(left), left)
        self.definitions.append(Definition(left, body))
        self.known |= {left}

    def _give(self, letter: Expr, value: Expr, words: str) -> None:
        """Give a letter of the law a value in the other letters of the law."""
        self.given -= {letter}
        if not value.is_positive or not value.free_symbols <= self.given:
            raise ParseError(f"{words}: must be positive, and in other letters of the law")
        self.definitions.insert(0, Definition(letter, value))


def joined(text: str) -> str:
    """The text in one line."""
    return " ".join(text.split())


def _spelled(found: re.Match[str]) -> tuple[str, bool]:
    """What stands between dollars or backquotes, and whether it is LaTeX."""
    is_latex = found["latex"] is not None
    return found["latex" if is_latex else "plain"], is_latex


def _typed(name: Expr) -> str:
    """A name as the readers spell it."""
    called = name.func.__name__ if isinstance(name, AppliedUndef) else str(name)
    return called.replace("@", AT).replace("'", "_prime")


def _indexed(name: str) -> str:
    """`y_1` for `y1` and `y'` for `y_prime`: the name under which a letter is printed."""
    return re.sub(r"(?<=[A-Za-z])(?=[0-9]+$)", "_", name).replace("_prime", "'")
