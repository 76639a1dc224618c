"""What would be right where a claim is refuted: the closed form that the tool derives, and the same
claim with one small change that is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from sympy import Expr, Mul, Rational, Symbol, cancel, powsimp

from ..algebra import symbols as sym
from ..algebra.building import NamedFunction
from ..algebra.decide import Decision
from ..algebra.interval import IntervalEvaluator, Undefined, certainly_nonzero
from ..algebra.sample import Point, points
from ..algebra.tokens import ParseError, Token
from ..budget import Budget
from ..envelope import coefficient_in_names, derive
from .question import BOUNDS, Question
from .spelling import Spelling
from .typed import in_one_line
from .vocabulary import Vocabulary

#: A factor or a term that is missing has at most so many operations.
LARGEST_MISSING = 6
LARGEST_DRAW = 100
REVERSED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<"}
PARALLEL = (("A", "B"), ("N", "D"), ("N_opt", "D_opt"), ("T_N", "T_D"))
FACTORS = tuple(Rational(*pair) for pair in ((6, 1), (1, 6), (2, 1), (1, 2)))
NUMBERS = ("1", "2", "3", "4", "6", "12")


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
        point = self._point()
        if point is None:
            return ""
        for change in self._changes(side, other.expression):
            says_nothing = change.text.replace(" ", "") == other.text.replace(" ", "")
            if says_nothing or self._differ(change.expression, other.expression, point):
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

    def _point(self) -> Point | None:
        """Some point at which all is assumed that is, and at which hardly anything is equal by
        chance.
        """
        evaluator = IntervalEvaluator()
        of_a_run = set().union(*(e.free_symbols for e in self.words.run.values()))
        letters = self.question.letters | of_a_run
        for point in islice(points(letters, self.question.seed + 1), LARGEST_DRAW):
            try:
                if self.question.holds_at(point, evaluator):
                    return point
            except Undefined:
                continue
        return None

    def _differ(self, one: Expr, other: Expr, point: Point) -> bool:
        """Whether the sides certainly differ, for independent letters and at one run."""
        evaluator = IntervalEvaluator()
        own = {x: e for x, e in self.words.run.items() if x != sym.SIZE_RATIO}
        for values in ({}, own):
            try:
                left, right = (evaluator.evaluate(e.xreplace(values), point) for e in (one, other))
            except Undefined:
                continue
            if not certainly_nonzero(left - right):
                return False
        return True

    def _changes(self, side: Side, wanted: Expr) -> Iterator[Change]:
        if side.expression.is_Rational:
            yield from self._replacements(side)
            return
        yield from self._exchanges(side)
        yield Change("with the other sign", f"-({side.text})", -side.expression)
        if side.expression != 0:
            inverse = rf"\frac{{1}}{{{side.text}}}" if self.spelling.latex else f"1/({side.text})"
            yield Change("upside down", inverse, 1 / side.expression)
        for factor in FACTORS:
            yield self._with_factor(side, factor)
        yield from self._missing(side, wanted)
        yield from self._replacements(side)
        yield from self._signs(side)

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
        """beta and gamma exchanged throughout, A and B, and so on; and the first two at once."""
        names = {token.text for token in side.tokens}
        pairs = [pair for pair in self._twins if names & {*pair}]
        for chosen in (*((pair,) for pair in pairs), *([pairs[:2]] if len(pairs) > 1 else [])):
            twin = {a: b for pair in chosen for a, b in (pair, pair[::-1])}
            edits = {
                i: twin[token.text] for i, token in enumerate(side.tokens) if token.text in twin
            }
            said = " and ".join(f"{a} and {b}" for a, b in chosen)
            yield from self._edited(side, edits, f"with {said} exchanged")

    def _replacements(self, side: Side) -> Iterator[Change]:
        """One letter in place of its twin, one number in place of another."""
        twin = {a: b for pair in self._twins for a, b in (pair, pair[::-1])}
        for i, token in enumerate(side.tokens):
            others: Sequence[str] = ()
            if token.kind == "name" and token.text in twin:
                others = (twin[token.text],)
            elif token.kind == "number":
                others = [number for number in NUMBERS if number != token.text]
            for other in others:
                yield from self._edited(side, {i: other}, f"with {other} for {token.text}")

    def _signs(self, side: Side) -> Iterator[Change]:
        """A plus for a minus, an exponent of the other sign."""
        for i, token in enumerate(side.tokens):
            after = side.tokens[i + 1] if i + 1 < len(side.tokens) else None
            if token.text in ("+", "-"):
                other = "-" if token.text == "+" else "+"
                yield from self._edited(side, {i: other}, f"with {other} for {token.text}")
            elif token.kind == "power" and after is not None and after.text not in ("+", "-"):
                inside = side.tokens[i + 2] if after.text == "(" else None
                if inside is None or inside.text not in ("+", "-"):
                    yield from self._edited(
                        side, {i: f"{token.text}-"}, "with an exponent of the other sign"
                    )

    def _missing(self, side: Side, wanted: Expr) -> Iterator[Change]:
        """A factor or a term that brings one side to the other, where it is short."""
        factor = powsimp(cancel(powsimp(wanted / side.expression)), force=True)
        short = min(LARGEST_MISSING, max(wanted.count_ops(), side.expression.count_ops()) - 1)
        if factor == 0:
            return
        if factor.is_number or (not factor.is_Add and factor.count_ops() <= short):
            yield self._with_factor(side, factor)
        term = cancel(powsimp(wanted - side.expression))
        if not term.is_Add and term != 0 and term.count_ops() <= short:
            text = f"{side.text} + {self.spelling(term)}".replace("+ -", "- ")
            yield Change(f"with {self.spelling(term)} added", text, side.expression + term)

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
        if self.spelling.latex:
            text = min(text, self.spelling(product), key=len)
        return Change(f"with a factor {shown}", text, product)

    def _edited(self, side: Side, edits: dict[int, str], said: str) -> Iterator[Change]:
        """The side with some tokens replaced; nothing where that cannot be read or typed."""
        text = self._typed(side, edits)
        if text is None:
            return
        tokens: list[Token] = []
        for i, token in enumerate(side.tokens):
            new = edits.get(i, token.text)
            if new.endswith("-") and token.kind == "power":
                tokens += [token, Token("operator", "-", token.position)]
            else:
                tokens.append(replace(token, text=new))
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
                if token.kind == "power":
                    opened = text[start : start + 2] == "^{"
                    old, new = ("^{", "^{-") if opened else (old, "")
                elif token.text.endswith("_opt"):  # N^*, D_{\mathrm{opt}}
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
