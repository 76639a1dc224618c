"""What would be right where a claim is refuted: the closed form that the tool derives, and the same
claim with two letters exchanged, a factor, the other sign or the other order, where that is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from sympy import Expr, Mul, Symbol, cancel, powsimp

from ..budget import Budget
from ..envelope import derive
from ..kernel.answer import BOUNDS, Decision
from ..reader.building import NamedFunction
from ..reader.tokens import ParseError, Token
from .question import Question
from .spelling import Spelling
from .vocabulary import Vocabulary

#: A factor that is missing has at most so many operations.
LARGEST_MISSING = 6
REVERSED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<"}
#: Names that play the same part for params and for tokens.
TWINS = (
    ("beta", "gamma"),
    ("A", "B"),
    ("N", "D"),
    ("N_opt", "D_opt"),
    ("T_N", "T_D"),
    ("w_N", "w_D"),
)


@dataclass(frozen=True)
class Side:
    """One side of a claim as it is typed and as it is read."""

    text: str
    tokens: tuple[Token, ...]
    expression: Expr
    named: Expr
    """With the quantities of the law by their names."""


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
        The expression that changed tokens spell, and the same by names.
    decide : callable
        The decision on a question, also for what its letters mean at one run.
    """

    question: Question
    left: Side
    right: Side
    words: Vocabulary
    spelling: Spelling
    read: Callable[[list[Token]], tuple[Expr, Expr]]
    decide: Callable[[Question], Decision]

    def derived(self) -> str:
        """The closed form of a side that is a named quantity or a derivative, else nothing."""
        if self.question.relation == "propto":
            return self._derived_power()
        if self.question.relation != "==":
            return ""
        sides = [side for side in (self.left, self.right) if self._is_derived(side)]
        forms = [(side.text, self._closed(side)) for side in sides]
        return ", ".join(f"{text} = {form}" for text, form in forms if text != form)

    def correction(self) -> str:
        """The claim with the first small change under which it is proved, in words and as it would
        be typed; nothing where none is found.
        """
        question = self.question
        if question.relation in BOUNDS:
            turned = REVERSED[question.relation]
            for relation in (turned, f"{turned}=") if len(turned) == 1 else (turned,):
                if self.decide(replace(question, relation=relation)).proved:
                    return f"the other way round: {self.left.text} {relation} {self.right.text}"
            return ""
        if question.relation != "==":
            return ""
        changes_left = self._is_derived(self.right) and not self._is_derived(self.left)
        side, other = (self.left, self.right) if changes_left else (self.right, self.left)
        for words, changed, named in self._changes(side, other.expression):
            text = self.spelling(named)
            if text == other.text:
                continue
            sides = {"lhs" if changes_left else "rhs": changed}
            if self.decide(replace(question, **sides)).proved:
                left, right = (text, other.text) if changes_left else (other.text, text)
                return f"{words}: {left} {'=' if self.spelling.latex else '=='} {right}"
        return ""

    # -- closed forms ----------------------------------------------------------------------------------------

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
        if name in ("L_opt", "R_opt", "C0"):
            meaning = self.words.names[name]
            if side.expression == (meaning.body if isinstance(meaning, NamedFunction) else meaning):
                return self._in_names(name)
        return self.spelling.simplest(side.expression)

    def _in_names(self, name: str) -> str:
        from ..typeset.plain import plain
        from ..typeset.printer import render

        envelope = derive(budget=Budget.parse(str(self.words.budget)))
        brief = envelope.named
        forms = {
            "L_opt": brief.loss,
            "R_opt": brief.reducible,
            "C0": envelope.coefficient_in_names,
        }
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

    # -- small changes ---------------------------------------------------------------------------------------

    def _changes(self, side: Side, wanted: Expr) -> Iterator[tuple[str, Expr, Expr]]:
        """The change in words, and the side with it, also by names."""
        yield from self._exchanged(side)
        factor = powsimp(cancel(powsimp(wanted / side.expression)), force=True)
        short = min(LARGEST_MISSING, max(wanted.count_ops(), side.expression.count_ops()) - 1)
        if factor == -1:
            yield "with the other sign", -side.expression, -side.named
            return
        missing = factor.is_number or (not factor.is_Add and factor.count_ops() <= short)
        of_budget = self.words.budget.as_coeff_Mul()[0]
        for k in (*([factor] if missing else []), of_budget, 1 / of_budget):
            words = f"with a factor {self.spelling(k)}"
            yield words, Mul(k, side.expression), Mul(k, side.named)

    def _exchanged(self, side: Side) -> Iterator[tuple[str, Expr, Expr]]:
        """beta and gamma exchanged throughout, or A and B, and so on."""
        own = self.words.notation.names()
        for pair in TWINS:
            a, b = (own.get(name, name) for name in pair)
            twin = {a: b, b: a}
            if any(token.text in twin for token in side.tokens):
                tokens = [replace(t, text=twin.get(t.text, t.text)) for t in side.tokens]
                with suppress(ParseError):
                    words = f"with {self._shown(a)} and {self._shown(b)} exchanged"
                    yield words, *self.read(tokens)

    def _shown(self, name: str) -> str:
        meaning = self.words.names.get(name)
        return self.spelling.name(meaning) if isinstance(meaning, Symbol) else name


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
