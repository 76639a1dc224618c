"""What would be right where an equality is refuted: the closed form that the tool derives, and the
same claim with two letters exchanged, a factor, or the other sign, where that is proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from sympy import Expr, Mul, Symbol, cancel, powsimp
from sympy.core.function import AppliedUndef

from ..budget import Budget
from ..envelope import derive
from ..reader.building import NamedFunction
from ..reader.tokens import ParseError
from .chain import Chain
from .question import decided
from .spelling import MOST_PARTS

#: A factor that is missing has at most so many operations.
LARGEST_MISSING = 6
#: Names that play the same part for params and for tokens.
TWINS = (("beta", "gamma"), ("A", "B"), ("N", "D"), ("N_opt", "D_opt"), ("T_N", "T_D"), ("w_N", "w_D"))  # fmt: skip


@dataclass(frozen=True)
class Corrector:
    """Looks for what would be right in place of a refuted link of a chain."""

    chain: Chain
    i: int

    def __call__(self) -> Iterator[str]:
        """The closed form of a side that is a named quantity or a derivative, or the power that it
        is proportional to; then the link with the first small change under which it is proved, in
        words and as it would be typed. Each may be nothing.
        """
        relation = self.chain.questions[self.i].relation
        if relation == "propto":
            yield self._power()
        elif relation == "==":
            yield self._closed_forms()
            yield self._changed()

    # -- closed forms ------------------------------------------------------------------------------

    def _closed_forms(self) -> str:
        sides = [k for k in (self.i, self.i + 1) if self._is_derived(k)]
        short = [k for k in sides if self.chain.sides[k].count_ops() <= MOST_PARTS]
        forms = [(self.chain.sources[k], self._closed(k)) for k in short]
        return ", ".join(f"{text} = {form}" for text, form in forms if text != form)

    def _quantity(self, k: int) -> str | None:
        """The name of a quantity with a closed form, where a side is that alone."""
        side, names = self.chain.in_names(k), self.chain.words.names
        is_function = isinstance(side, AppliedUndef)
        name = side.func.__name__ if is_function else str(side)
        is_name = name in names and (is_function or side.is_Symbol)
        return name if is_name and not isinstance(names[name], Symbol) else None

    def _is_derived(self, k: int) -> bool:
        """Whether a side is a named quantity, or `dL/dN` or the like alone."""
        texts = [token.text for token in self.chain.parts[k] if token.text not in ("(", ")")]
        if texts.count("/") == 1 and not {"+", "*", "^"} & {*texts}:
            above, below = texts[0], texts[texts.index("/") + 1]
            if all(name == "partial" or name[0] == "d" for name in (above, below)):
                return True
        return self._quantity(k) is not None

    def _closed(self, k: int) -> str:
        """In names where a paper has them: E + C0 C^-alpha."""
        name, words, spelling = self._quantity(k), self.chain.words, self.chain.spelling
        meaning = words.names[name] if name in ("L_opt", "R_opt", "C0") else None
        body = meaning.body if isinstance(meaning, NamedFunction) else meaning
        if body is None or self.chain.sides[k] != body:
            return spelling.simplest(self.chain.sides[k])
        envelope = derive(budget=Budget.parse(str(words.budget)))
        forms = {"L_opt": envelope.named.loss, "R_opt": envelope.named.reducible}
        return spelling(forms.get(str(name), envelope.coefficient_in_names), words.notation)

    def _power(self) -> str:
        """`N_opt propto C^(gamma/(beta + gamma))`."""
        moving, lhs = self.chain.questions[self.i].moving, self.chain.sides[self.i]
        if len(moving) != 1:
            return ""
        (x,) = moving
        power = cancel(powsimp((x * lhs.diff(x) / lhs).expand()))
        power = cancel(power.simplify()) if power.has(x) else power
        sign = r"\propto" if self.chain.spelling.latex else "propto"
        left = self.chain.sources[self.i]
        return "" if power.has(x) else f"{left} {sign} {self.chain.spelling(x**power)}"

    # -- small changes -----------------------------------------------------------------------------

    def _changed(self) -> str:
        chain, i, question = self.chain, self.i, self.chain.questions[self.i]
        changes_left = self._is_derived(i + 1) and not self._is_derived(i)
        side, other = (i, i + 1) if changes_left else (i + 1, i)
        equals = "=" if chain.spelling.latex else "=="
        for words, changed, named in self._changes(side, chain.sides[other]):
            text, kept = chain.spelling(named), chain.sources[other]
            instead = replace(question, **{"lhs" if changes_left else "rhs": changed})
            if text != kept and decided(instead, chain.words, chain.given)[0].proved:
                left, right = (text, kept) if changes_left else (kept, text)
                return f"{words}: {left} {equals} {right}"
        return ""

    def _changes(self, k: int, wanted: Expr) -> Iterator[tuple[str, Expr, Expr]]:
        """The change in words, and the side with it, also by names."""
        chain, side, named = self.chain, self.chain.sides[k], self.chain.in_names(k)
        own = chain.words.notation.names()
        for pair in TWINS:
            a, b = (own.get(name, name) for name in pair)
            twin = {a: b, b: a}
            if any(token.text in twin for token in chain.parts[k]):
                tokens = [replace(t, text=twin.get(t.text, t.text)) for t in chain.parts[k]]
                with suppress(ParseError):
                    words = f"with {self._shown(a)} and {self._shown(b)} exchanged"
                    yield words, chain.value(tokens), chain.in_names(k, tokens)
        factor = powsimp(cancel(powsimp(wanted / side)), force=True)
        short = min(LARGEST_MISSING, max(wanted.count_ops(), side.count_ops()) - 1)
        if factor == -1:
            yield "with the other sign", -side, -named
            return
        missing = factor.is_number or (not factor.is_Add and factor.count_ops() <= short)
        of_budget = chain.words.budget.as_coeff_Mul()[0]
        for x in (*([factor] if missing else []), of_budget, 1 / of_budget):
            yield f"with a factor {chain.spelling(x)}", Mul(x, side), Mul(x, named)

    def _shown(self, name: str) -> str:
        meaning = self.chain.words.names.get(name)
        return self.chain.spelling.name(meaning) if isinstance(meaning, Symbol) else name
