"""What would be right where an equality is refuted: the closed form that the tool derives, and the
same claim with two letters exchanged, a factor, or the other sign, where that is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from sympy import Expr, Mul, Symbol, cancel, powsimp
from sympy.core.function import AppliedUndef

from ..budget import Budget
from ..envelope import derive
from ..kernel.answer import Decision
from ..reader.building import NamedFunction
from ..reader.tokens import ParseError, Token
from .question import Question
from .spelling import MOST_PARTS, Spelling
from .vocabulary import Vocabulary

#: A factor that is missing has at most so many operations.
LARGEST_MISSING = 6
#: Names that play the same part for params and for tokens.
TWINS = (("beta", "gamma"), ("A", "B"), ("N", "D"), ("N_opt", "D_opt"), ("T_N", "T_D"), ("w_N", "w_D"))  # fmt: skip


@dataclass(frozen=True)
class Side:
    """One side of a claim as it is typed and as it is read; `named` with the quantities of the law
    by their names.
    """

    text: str
    tokens: tuple[Token, ...]
    expression: Expr
    named: Expr

    @property
    def is_derivative(self) -> bool:
        """Whether it is `dL/dN` or the like alone."""
        texts = [token.text for token in self.tokens if token.text not in ("(", ")")]
        if texts.count("/") != 1 or {"+", "*", "^"} & {*texts}:
            return False
        above, below = texts[0], texts[texts.index("/") + 1]
        return all(name == "partial" or name[0] == "d" for name in (above, below))

    def quantity(self, words: Vocabulary) -> str | None:
        """The name of a quantity with a closed form, where the side is that alone."""
        is_function = isinstance(self.named, AppliedUndef)
        name = self.named.func.__name__ if is_function else str(self.named)
        is_letter = isinstance(words.names.get(name, self.named), Symbol)
        is_name = name in words.names and (is_function or self.named.is_Symbol)
        return name if is_name and not is_letter else None


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
        """The closed form of a side that is a named quantity or a derivative, or the power that it
        is proportional to; else nothing.
        """
        if self.question.relation == "propto":
            return self._derived_power()
        if self.question.relation != "==":
            return ""
        sides = [side for side in (self.left, self.right) if self._is_derived(side)]
        short = (side for side in sides if side.expression.count_ops() <= MOST_PARTS)
        forms = [(side.text, self._closed(side)) for side in short]
        return ", ".join(f"{text} = {form}" for text, form in forms if text != form)

    def correction(self) -> str:
        """The claim with the first small change under which it is proved, in words and as it would
        be typed; nothing where none is found.
        """
        if self.question.relation != "==":
            return ""
        changes_left = self._is_derived(self.right) and not self._is_derived(self.left)
        side, other = (self.left, self.right) if changes_left else (self.right, self.left)
        for words, changed, named in self._changes(side, other.expression):
            text = self.spelling(named)
            sides = {"lhs" if changes_left else "rhs": changed}
            if text != other.text and self.decide(replace(self.question, **sides)).proved:
                left, right = (text, other.text) if changes_left else (other.text, text)
                return f"{words}: {left} {'=' if self.spelling.latex else '=='} {right}"
        return ""

    # -- closed forms ------------------------------------------------------------------------------

    def _is_derived(self, side: Side) -> bool:
        return side.quantity(self.words) is not None or side.is_derivative

    def _closed(self, side: Side) -> str:
        """In names where a paper has them: E + C0 C^-alpha."""
        name = side.quantity(self.words)
        if name not in ("L_opt", "R_opt", "C0"):
            return self.spelling.simplest(side.expression)
        meaning = self.words.names[name]
        if side.expression != (meaning.body if isinstance(meaning, NamedFunction) else meaning):
            return self.spelling.simplest(side.expression)
        envelope = derive(budget=Budget.parse(str(self.words.budget)))
        forms = {"L_opt": envelope.named.loss, "R_opt": envelope.named.reducible}
        return self.spelling(forms.get(name, envelope.coefficient_in_names), self.words.notation)

    def _derived_power(self) -> str:
        """`N_opt propto C^(gamma/(beta + gamma))`."""
        moving, lhs = self.question.moving, self.question.lhs
        if len(moving) != 1:
            return ""
        (x,) = moving
        power = cancel(powsimp((x * lhs.diff(x) / lhs).expand()))
        power = cancel(power.simplify()) if power.has(x) else power
        sign = r"\propto" if self.spelling.latex else "propto"
        return "" if power.has(x) else f"{self.left.text} {sign} {self.spelling(x**power)}"

    # -- small changes -----------------------------------------------------------------------------

    def _changes(self, side: Side, wanted: Expr) -> Iterator[tuple[str, Expr, Expr]]:
        """The change in words, and the side with it, also by names."""
        own = self.words.notation.names()
        for pair in TWINS:
            a, b = (own.get(name, name) for name in pair)
            twin = {a: b, b: a}
            if any(token.text in twin for token in side.tokens):
                tokens = [replace(t, text=twin.get(t.text, t.text)) for t in side.tokens]
                with suppress(ParseError):
                    words = f"with {self._shown(a)} and {self._shown(b)} exchanged"
                    yield words, *self.read(tokens)
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

    def _shown(self, name: str) -> str:
        meaning = self.words.names.get(name)
        return self.spelling.name(meaning) if isinstance(meaning, Symbol) else name
