"""Corrections of a refuted equality: the closed form that is derived, and the same claim with two
letters exchanged, one sign changed, upside down, with a factor, or with the other sign, if that is
proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from sympy import Expr, Symbol, cancel, powsimp

from ..envelope import derive
from ..kernel.deadline import OutOfTime, within
from ..kernel.functions import Partial
from ..reader.building import NamedFunction
from ..reader.tokens import ParseError, Token
from .chain import Chain
from .question import decided
from .spelling import spelt

#: For each search.
SECONDS = 3
#: Operations of an expression that is rewritten, and of a missing factor, at most.
MOST_PARTS, LARGEST_MISSING = 60, 6
#: The most tokens of a side whose signs are changed one by one.
MOST_TOKENS = 40
#: Names that play the same part for params and for tokens.
TWINS = (("beta", "gamma"), ("A", "B"), ("N", "D"), ("N_opt", "D_opt"), ("T_N", "T_D"), ("w_N", "w_D"))  # fmt: skip


@dataclass(frozen=True)
class Corrector:
    """Looks for the correction of a refuted link of a chain."""

    chain: Chain
    i: int

    def derived(self) -> str:
        """The closed form of a side that is a named quantity or a derivative, or the power that it is
        proportional to; empty where none is found.
        """
        relation = self.chain.questions[self.i].relation
        with suppress(OutOfTime), within(SECONDS):
            if relation == "propto":
                return self._power()
            closed = {self.chain.typed.sources[k]: self._closed(k) for k in (self.i, self.i + 1)}
            forms = (f"{text} = {form}" for text, form in closed.items() if form not in ("", text))
            return ", ".join(forms) if relation == "==" else ""
        return ""

    def corrected(self) -> str:
        """The link with the first small change under which it is proved, as it would be typed, and the
        change in words; empty where none is found.
        """
        i = self.i
        with suppress(OutOfTime), within(SECONDS):
            if self.chain.questions[i].relation == "==":
                is_second = self._closed(i + 1) and not self._closed(i)
                return self._changed(i if is_second else i + 1)
        return ""

    def _closed(self, k: int) -> str:
        """The closed form of a side that is a derivative or a named quantity alone, in names where a
        paper has them: E + C0 C^-alpha.
        """
        chain, side, named = self.chain, self.chain.sides[k], self.chain.in_names(k)
        name = named.name if named.is_Symbol else getattr(named.func, "__name__", "")
        meaning = chain.words.names.get(name)
        is_quantity = name in chain.words.means and not isinstance(meaning, Symbol)
        if not (is_quantity or isinstance(named, Partial)) or side.count_ops() > MOST_PARTS:
            return ""
        envelope = derive(budget=chain.settings.budget) if chain.settings.budget else derive()
        forms = {"L_opt": envelope.named.loss, "R_opt": envelope.named.reducible}
        body = meaning.body if isinstance(meaning, NamedFunction) else meaning
        if side == body and name in (*forms, "C0"):
            form = forms.get(name, envelope.coefficient_in_names)
            return spelt(form, latex=chain.latex, notation=chain.words.notation)
        ways = [powsimp(side, combine="exp")]
        ways += [side.cancel(), side.factor()] if side.is_rational_function() else []
        return min((spelt(way, latex=chain.latex) for way in ways), key=len)

    def _power(self) -> str:
        """`N_opt propto C^(gamma/(beta + gamma))`."""
        chain, lhs = self.chain, self.chain.sides[self.i]
        x, *more = chain.questions[self.i].moving
        power = cancel(powsimp((x * lhs.diff(x) / lhs).expand()))
        power = cancel(power.simplify()) if power.has(x) else power
        sign = r"\propto" if chain.latex else "propto"
        is_power = not (more or power.has(x))
        return (
            f"{chain.typed.sources[self.i]} {sign} {spelt(x**power, latex=chain.latex)}" * is_power
        )

    def _changed(self, k: int) -> str:
        """The link with the first change of one side under which it is proved."""
        chain, question = self.chain, self.chain.questions[self.i]
        other = self.i if k > self.i else self.i + 1
        for words, side, named in self._changes(k, chain.sides[other]):
            text, kept = spelt(named, latex=chain.latex), chain.typed.sources[other]
            instead = replace(question, **{"rhs" if k > self.i else "lhs": side})
            if text != kept and decided(instead, chain.words, chain.context)[0].proved:
                left, right = (kept, text) if k > self.i else (text, kept)
                return f"{left} {'=' if chain.latex else '=='} {right} ({words})"
        return ""

    def _changes(self, k: int, wanted: Expr) -> Iterator[tuple[str, Expr, Expr]]:
        """Each change in words, with the changed side, also by names."""
        chain, side, named = self.chain, self.chain.sides[k], self.chain.in_names(k)
        for words, tokens in self._retyped(chain.typed.parts[k]):
            with suppress(ParseError):
                yield words, chain.value(tokens), chain.in_names(k, tokens)
        factor = powsimp(cancel(powsimp(wanted / side)), force=True)
        if factor == -1:
            yield "with the other sign", -side, -named
            return
        yield "upside down", 1 / side, 1 / named
        if side.is_Pow and named.is_Pow:
            other, shown = (e.base ** (1 / e.exp) for e in (side, named))
            yield "with the exponent upside down", other, shown
        short = min(LARGEST_MISSING, max(wanted.count_ops(), side.count_ops()) - 1)
        missing = factor.is_number or (not factor.is_Add and factor.count_ops() <= short)
        of_budget = chain.words.budget.as_coeff_Mul()[0]
        for x in (*([factor] if missing else []), of_budget, 1 / of_budget):
            yield f"with a factor {spelt(x, latex=chain.latex)}", x * side, x * named

    def _retyped(self, typed: Sequence[Token]) -> Iterator[tuple[str, list[Token]]]:
        """A side with letters exchanged, or with another sign between two terms."""
        known, latex = self.chain.words, self.chain.latex
        own = known.notation.names()
        for pair in TWINS:
            a, b = (own.get(name, name) for name in pair)
            twin, letters = {a: b, b: a}, [known.names.get(x) for x in (a, b)]
            if any(token.text in twin for token in typed):
                is_letter = latex and all(isinstance(x, Symbol) for x in letters)
                a, b = (spelt(x, latex=True) for x in letters) if is_letter else (a, b)
                changed = [replace(token, text=twin.get(token.text, token.text)) for token in typed]
                yield f"{a} and {b} exchanged", changed
        for i, token in enumerate(typed) if len(typed) <= MOST_TOKENS else ():
            if (sign := {"+": "-", "-": "+"}.get(token.text)) is not None:
                changed = [*typed[:i], replace(token, text=sign), *typed[i + 1 :]]
                yield f"{sign} in place of {token.text}", changed
