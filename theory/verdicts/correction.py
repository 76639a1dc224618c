"""What would be right where a claim is refuted: the closed form that the tool derives, and the same
claim with two letters exchanged, a factor, the other sign or the other order, where that is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from sympy import Expr, Integer, Mul, Rational, Symbol, cancel, powsimp

from ..reader.building import NamedFunction
from ..algebra.decide import Decision
from ..reader.tokens import ParseError, Token
from ..budget import Budget
from ..envelope import coefficient_in_names, derive
from .question import BOUNDS, Question
from .spelling import Spelling
from .typed import in_one_line
from ..reader.vocabulary import Vocabulary

#: A factor that is missing has at most so many operations.
LARGEST_MISSING = 6
REVERSED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<"}
BUDGET_FACTORS = (Integer(6), Rational(1, 6))
PARALLEL = (("A", "B"), ("N", "D"), ("N_opt", "D_opt"), ("T_N", "T_D"))


@dataclass(frozen=True)
class Side:
    """One side of a claim as it is typed and as it is read."""

    source: str
    start: int
    """Where it begins in the claim, in which the tokens have their places."""
    tokens: tuple[Token, ...]
    expression: Expr

    @property
    def text(self) -> str:
        return in_one_line(self.source)


@dataclass(frozen=True)
class Change:
    """A side with a small change: in words, as it would be typed, and as it is read."""

    words: str
    text: str
    expression: Expr


@dataclass(frozen=True)
class Corrector:
    """Looks for what would be right in place of a refuted claim.

    Attributes
    ----------
    question : Question
    left, right : Side
    words : Vocabulary
    spelling : Spelling
    read : callable
        The expression that changed tokens spell.
    decide : callable
        The decision on a question, also for what its letters mean at one run.
    """

    question: Question
    left: Side
    right: Side
    words: Vocabulary
    spelling: Spelling
    read: Callable[[list[Token]], Expr]
    decide: Callable[[Question], Decision]

    # -- what the tool derives -----------------------------------------------------------------------------------------

    def derived(self) -> str:
        """The closed form of a side that is a named quantity or a derivative, else nothing."""
        question = self.question
        if question.relation == "propto":
            return self._derived_power()
        if question.relation != "==":
            return ""
        forms = [
            f"{side.text} = {self._closed(side)}"
            for side in (self.left, self.right)
            if self._is_derived(side) and side.text != self._closed(side)
        ]
        return ", ".join(forms)

    def _is_derived(self, side: Side) -> bool:
        return self._name(side) is not None or _is_derivative(side.tokens)

    def _name(self, side: Side) -> str | None:
        """The name of a quantity with a closed form, where the side is that alone."""
        first, *rest = side.tokens
        meaning = self.words.names.get(first.text) if first.kind == "name" else None
        if meaning is None or isinstance(meaning, Symbol):
            return None
        called = len(rest) > 2 and rest[0].text == "(" and _closes_last(rest)
        return first.text if not rest or (called and isinstance(meaning, NamedFunction)) else None

    def _closed(self, side: Side) -> str:
        """In names where a paper has them: E + C0 C^-alpha."""
        name = self._name(side)
        brief = self._in_names(name) if name is not None else None
        meaning = self.words.names[name] if name is not None else None
        body = meaning.body if isinstance(meaning, NamedFunction) else meaning
        if brief is not None and side.expression == body:
            return brief
        return self.spelling.simplest(side.expression)

    def _in_names(self, name: str) -> str | None:
        from ..typeset.plain import plain
        from ..typeset.printer import render

        envelope = derive(budget=Budget.parse(str(self.words.budget)))
        brief = envelope.named
        forms = {
            "L_opt": brief.loss,
            "R_opt": brief.reducible,
            "C0": coefficient_in_names(envelope, brief),
        }
        if name not in forms:
            return None
        written = render if self.spelling.latex else plain
        return written(forms[name], notation=self.words.notation)

    def _derived_power(self) -> str:
        """`N_opt propto C^(gamma/(beta + gamma))`."""
        moving, lhs = self.question.moving, self.question.lhs
        if len(moving) != 1:
            return ""
        (x,) = moving
        power = cancel(powsimp((x * lhs.diff(x) / lhs).expand()))
        if power.has(x):
            power = cancel(power.simplify())
        sign = r"\propto" if self.spelling.latex else "propto"
        return "" if power.has(x) else f"{self.left.text} {sign} {self.spelling(x**power)}"

    # -- what a small change mends -------------------------------------------------------------------------------------

    def correction(self) -> str:
        """The claim with the first small change under which it is proved, in words and as it would
        be typed; nothing where none is found.
        """
        question = self.question
        if question.relation in BOUNDS:
            return self._turned()
        if question.relation != "==":
            return ""
        changes_left = self._is_derived(self.right) and not self._is_derived(self.left)
        side, other = (self.left, self.right) if changes_left else (self.right, self.left)
        for change in self._changes(side, other.expression):
            if change.text.replace(" ", "") == other.text.replace(" ", ""):
                continue
            sides = {"lhs" if changes_left else "rhs": change.expression}
            if self.decide(replace(question, **sides)).proved:
                left, right = (
                    (change.text, other.text) if changes_left else (other.text, change.text)
                )
                sign = "=" if self.spelling.latex else "=="
                return f"{change.words}: {left} {sign} {right}"
        return ""

    def _turned(self) -> str:
        """The order the other way round."""
        relation = REVERSED[self.question.relation]
        for candidate in (relation, f"{relation}=") if len(relation) == 1 else (relation,):
            if self.decide(replace(self.question, relation=candidate)).proved:
                return f"the other way round: {self.left.text} {candidate} {self.right.text}"
        return ""

    def _changes(self, side: Side, wanted: Expr) -> Iterator[Change]:
        yield from self._exchanges(side)
        factor = powsimp(cancel(powsimp(wanted / side.expression)), force=True)
        short = min(LARGEST_MISSING, max(wanted.count_ops(), side.expression.count_ops()) - 1)
        if factor == -1:
            yield Change("with the other sign", f"-({side.text})", -side.expression)
        elif factor.is_number or (not factor.is_Add and factor.count_ops() <= short):
            yield self._with_factor(side, factor)
        for factor in BUDGET_FACTORS:
            yield self._with_factor(side, factor)

    @property
    def _twins(self) -> list[tuple[str, str]]:
        """Letters that play the same part for params and for tokens."""
        spelling = self.words.notation
        pairs = [
            (spelling.params_exponent, spelling.tokens_exponent),
            *PARALLEL,
            (spelling.params_allocation, spelling.tokens_allocation),
        ]
        return [pair for pair in pairs if all(name in self.words.names for name in pair)]

    def _exchanges(self, side: Side) -> Iterator[Change]:
        """beta and gamma exchanged throughout, or A and B, and so on."""
        for a, b in self._twins:
            twin = {a: b, b: a}
            edits = {
                i: twin[token.text] for i, token in enumerate(side.tokens) if token.text in twin
            }
            if edits:
                yield from self._edited(side, edits, f"with {a} and {b} exchanged")

    def _with_factor(self, side: Side, factor: Expr) -> Change:
        shown = self.spelling(factor)
        times = " " if self.spelling.latex else "*"
        brackets = "{}" if len(side.tokens) == 1 else "({})"
        shown_factor = (
            shown
            if (factor.is_Atom and not factor.is_Rational) or factor.is_Integer
            else f"({shown})"
        )
        text = f"{shown_factor}{times}{brackets.format(side.text)}"
        product = Mul(factor, side.expression)
        if side.expression.is_Rational:
            text = self.spelling(product)
        if self.spelling.latex:
            text = min(text, self.spelling(product), key=len)
        return Change(f"with a factor {shown}", text, product)

    def _edited(self, side: Side, edits: dict[int, str], said: str) -> Iterator[Change]:
        """The side with some tokens replaced; nothing where that cannot be read or typed."""
        text = self._typed(side, edits)
        if text is None:
            return
        tokens = [replace(t, text=edits.get(i, t.text)) for i, t in enumerate(side.tokens)]
        try:
            expression = self.read(tokens)
        except ParseError:
            return
        yield Change(said if not self.spelling.latex else self._in_latex(said), text, expression)

    def _typed(self, side: Side, edits: dict[int, str]) -> str | None:
        """The text with the changes at the places of the tokens."""
        text = side.source
        for i in sorted(edits, reverse=True):
            token, new = side.tokens[i], edits[i]
            old, start = token.text, token.position - side.start
            if self.spelling.latex:
                old, new = self._in_latex(old), self._in_latex(new)
                if token.text.endswith("_opt"):  # N^*, D_{\mathrm{opt}}
                    old, new = token.text[0], edits[i][0]
            if not new or not text.startswith(old, start):
                return None
            space = " " if new[-1:].isalpha() and new[:1] == "\\" else ""
            rest = text[start + len(old) :]
            text = f"{text[:start]}{new}{space if rest[:1].isalpha() else ''}{rest}"
        return in_one_line(text)

    def _in_latex(self, text: str) -> str:
        """Letters of a phrase as LaTeX has them."""
        letters = {
            str(meaning): self.spelling(meaning)
            for meaning in self.words.names.values()
            if isinstance(meaning, Symbol)
        }
        return " ".join(letters.get(word, word) for word in text.split(" "))


def _closes_last(tokens: Sequence[Token]) -> bool:
    """Whether the bracket that opens first closes at the very end."""
    depth = 0
    for i, token in enumerate(tokens):
        depth += (token.text in "([") - (token.text in ")]")
        if depth == 0:
            return i == len(tokens) - 1
    return False


def _is_derivative(tokens: Sequence[Token]) -> bool:
    """Whether the side is `dL/dN` or the like alone."""
    names = [token.text for token in tokens if token.kind == "name"]
    slashes = [token.text for token in tokens].count("/")
    return (
        slashes == 1
        and len(names) > 1
        and all(name[0] == "d" or name == "partial" or i % 2 for i, name in enumerate(names))
        and names[0][0] in "dp"
        and not any(t.text in ("+", "*", "^") for t in tokens)
    )
