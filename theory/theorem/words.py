"""Sentences of a theorem, whose formulas are objects between the words, and defined names.

No formula is written out in the words, so that every notation and every medium prints the same one,
and so that the formulas can be checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any

from sympy import Derivative, Expr, Function, Lambda, Subs, Symbol, expand, sympify
from sympy.core.function import AppliedUndef

from ..kernel.factorials import Factorial, Gamma, in_values
from ..kernel.functions import Partial

#: The signs between the sides of a formula.
SIGNS = ("=", ">=", "<=", ">", "<", "!=", "~", "->", "propto")


@dataclass(frozen=True)
class Formula:
    """An expression, or several with signs between them: `x`, `x = y`, `0 < x < 1`.

    `where` holds the conditions, or the limit, under which it is meant, and `remainder` the order of
    the terms that an expansion leaves out.
    """

    sides: tuple[Expr, ...]
    signs: tuple[str, ...] = ()
    where: tuple[Formula, ...] = ()
    remainder: Expr | None = None

    def __post_init__(self) -> None:
        for sign in self.signs:
            if sign not in SIGNS:
                raise ValueError(f"signs={sign!r}: must be one of {', '.join(SIGNS)}")

    @classmethod
    def of(cls, *parts: Any) -> Formula:
        """`Formula.of(x, "=", y, "<", z)`."""
        return cls(tuple(map(sympify, parts[::2])), tuple(parts[1::2]))

    @classmethod
    def equal(cls, *sides: Expr, remainder: Expr | None = None) -> Formula:
        """`Formula.equal(x, y, z)` is `x = y = z`."""
        return cls(sides, ("=",) * (len(sides) - 1), remainder=remainder)

    @property
    def is_equality(self) -> bool:
        """Whether all sides are exactly equal."""
        return {*self.signs} == {"="} and self.remainder is None

    @property
    def names(self) -> frozenset[Expr]:
        """The symbols of all sides, and the names of the functions that are applied there."""
        return frozenset().union(*(names_in(side) for side in self.sides))

    @property
    def links(self) -> list[Formula]:
        """The formula as one formula for each sign: `0 < x` and `x < 1` of `0 < x < 1`."""
        pairs = zip(self.sides, self.signs, self.sides[1:], strict=False)
        return [Formula.of(left, sign, right) for left, sign, right in pairs]

    def says(self, other: Formula) -> bool:
        """Whether it is the other formula, or the same strict bound with terms moved across."""
        if self.sides == other.sides and self.signs == other.signs:
            return True
        mine, theirs = positive_part(self), positive_part(other)
        return mine is not None and theirs is not None and expand(mine - theirs) == 0

    def __str__(self) -> str:
        pairs = zip(self.signs, self.sides[1:], strict=True)
        return " ".join([str(self.sides[0]), *(f"{sign} {side}" for sign, side in pairs)])

    @property
    def is_domain(self) -> bool:
        """Whether it says where a letter lies or tends, as in `r > 0` and `0 < x < 1`."""
        plain = [side for side in self.sides if side.is_Symbol or not side.free_symbols]
        return "=" not in self.signs and len(plain) == len(self.sides)


def positive_part(formula: Formula) -> Expr | None:
    """The expression that is positive where the formula holds, a strict bound or `x != y`; None for
    any other formula.
    """
    if formula.signs not in ((">",), ("<",), ("!=",)):
        return None
    left, right = formula.sides if formula.signs != ("<",) else formula.sides[::-1]
    return (left - right) ** 2 if formula.signs == ("!=",) else left - right


@dataclass(frozen=True)
class Sentence:
    """Words with formulas: `{}` stands for the next formula, `{name}` for the step of that name.

    Attributes
    ----------
    text : str
    formulas : tuple of Formula
    """

    text: str
    formulas: tuple[Formula, ...] = ()

    def __post_init__(self) -> None:
        holes = sum(name == "" for _, name in pieces(self.text))
        if holes != len(self.formulas):
            raise ValueError(
                f"text={self.text!r}: has {holes} places for {len(self.formulas)} formulas"
            )

    @property
    def steps(self) -> tuple[str, ...]:
        """The names of the steps that the sentence refers to."""
        return tuple(name for _, name in pieces(self.text) if name)

    @property
    def names(self) -> frozenset[Expr]:
        """The symbols and functions of its formulas."""
        return frozenset().union(*(formula.names for formula in self.formulas))

    def __add__(self, other: Sentence | str) -> Sentence:
        more = other if isinstance(other, Sentence) else Sentence(other)
        return Sentence(self.text + more.text, self.formulas + more.formulas)

    def __radd__(self, words: str) -> Sentence:
        return Sentence(words) + self

    def printed(
        self,
        formula: Callable[[Formula], str],
        step: Callable[[str], str],
        words: Callable[[str], str] = str,
    ) -> str:
        """The text of the sentence, given printers of formulas, of references to steps, of words."""
        formulas = map(formula, self.formulas)
        return "".join(
            words(text) + ("" if name is None else step(name) if name else next(formulas))
            for text, name in pieces(self.text)
        )

    def __str__(self) -> str:
        return self.printed(str, str)


def say(text: str, *formulas: Any) -> Sentence:
    """`say("Hold {} at {}", N, (D, "=", C/(6*N)))`: a formula is an expression, or a tuple of
    expressions with signs between them.
    """
    made = (
        each
        if isinstance(each, Formula)
        else Formula.of(*(each if isinstance(each, tuple) else (each,)))
        for each in formulas
    )
    return Sentence(text, tuple(made))


def listed(items: Sequence[Any]) -> Sentence:
    """The sentence `x, y and z`; a string among the items refers to the step of that name."""
    holes = [f"{{{item}}}" if isinstance(item, str) else "{}" for item in items]
    places = " and ".join(filter(None, [", ".join(holes[:-1]), holes[-1]]))
    return say(places, *(item for item in items if not isinstance(item, str)))


def condition(assumed: Expr) -> Formula:
    """The formula that an expression is positive: `x - y > 0`, and `x != 0` for a square."""
    if assumed.is_Pow and assumed.exp == 2:
        return Formula.of(assumed.base, "!=", 0)
    return Formula.of(assumed, ">", 0)


def all_positive(letters: Sequence[Symbol]) -> Sentence:
    """The sentence `x, y, z > 0`."""
    *others, last = letters
    return say(", ".join(["{}"] * len(letters)), *others, (last, ">", 0))


def in_paper_order(letters: Iterable[Symbol]) -> list[Symbol]:
    """The letters as a paper lists them: Latin before Greek, each by the alphabet."""
    return sorted(letters, key=lambda letter: (len(letter.name.split("_")[0]) > 1, letter.name))


def pieces(text: str) -> Iterator[tuple[str, str | None]]:
    """The words before each place of a sentence, with the name in it; None behind the last place."""
    for words, name, _, _ in Formatter().parse(text):
        yield words, name


# -- definitions ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Definition:
    """A name and what it stands for: a symbol, or a function of symbols as `N_opt(C)`.

    Attributes
    ----------
    name : Symbol or AppliedUndef
    value : sympy.Expr
        In letters of the law and in names defined earlier.
    """

    name: Expr
    value: Expr

    def __post_init__(self) -> None:
        arguments = self.name.args if isinstance(self.name, AppliedUndef) else (self.name,)
        if not all(isinstance(argument, Symbol) for argument in arguments):
            raise ValueError(f"name={self.name}: must be a symbol, or a function of symbols")

    def unfold(self, expression: Expr) -> Expr:
        """The expression with the value in place of the name."""
        if not isinstance(self.name, AppliedUndef):
            return expression.xreplace({self.name: self.value})
        if not expression.has(self.name.func):
            return expression
        written_out = Lambda(self.name.args, self.value)
        return expression.replace(
            lambda part: isinstance(part, AppliedUndef) and part.func == self.name.func,
            lambda part: written_out(*part.args),
        )

    @property
    def formula(self) -> Formula:
        return Formula((self.name, self.value), ("=",))


def unfolded(
    expression: Expr, definitions: Sequence[Definition], moving: Symbol | None = None
) -> Expr:
    """The expression with every defined name written out.

    Factorials and values of Gamma become symbols that know their recurrence, unless they depend on
    `moving`, the variable of a limit: a symbol would not change with it.
    """
    for definition in reversed(definitions):
        expression = definition.unfold(expression)
    if expression.has(Derivative, Partial, Subs):
        expression = expression.doit()
    factorials = expression.atoms(Factorial, Gamma)
    if factorials and not any(f.has(moving) for f in factorials if moving is not None):
        return in_values(expression)
    return expression


def needed(definitions: Sequence[Definition], names: frozenset[Expr]) -> tuple[Definition, ...]:
    """The definitions of the names, and those that these use."""
    kept: list[Definition] = []
    for definition in reversed(definitions):
        (called,) = names_in(definition.name) - frozenset(definition.name.args)
        if called in names:
            kept.insert(0, definition)
            names |= names_in(definition.value)
    return tuple(kept)


def names_in(expression: Expr) -> frozenset[Expr]:
    """The symbols of an expression, and a symbol `f()` for each undefined function in it."""
    functions = {part.func for part in expression.atoms(AppliedUndef)}
    return frozenset(expression.free_symbols) | frozenset(
        Symbol(f"{function}()") for function in functions
    )


def function(name: str) -> Function:
    """A positive function without a formula, to be defined: `function("P")(r)`."""
    return Function(name, positive=True)
