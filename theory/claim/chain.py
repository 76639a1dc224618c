"""A chain of claims, `a == b <= c`, from its text to the verdict on each link: it is read and decided
by the kernel, and a link that is proved is tried at points before it is called so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sympy import Expr, Symbol
from sympy.core.function import AppliedUndef

from ..budget import SIX_ND, Budget
from ..data.notation import Notation
from ..kernel import symbols as sym
from ..kernel.answer import Decision, undecided
from ..kernel.deadline import OutOfTime, within
from ..kernel.functions import Partial
from ..reader.building import APPLIED, Domain, NamedFunction
from ..reader.parse import refuse_units
from ..reader.tokens import ParseError, Token
from .checker import LETTERS, LawByDefinition, Trial
from .context import Context
from .numbers import Coefficients, at_numbers
from .question import MOVING, Question, bases, decided
from .spelling import as_read, spelt, value_text
from .text import Sides
from .vocabulary import RATIOS_OF_A_RUN, Vocabulary, vocabulary

#: A name with a word or an accent for its index: `L_val`, `N_tilde`.
VARIANT = re.compile(r"[A-Za-z]+_[A-Za-z]\w+")
#: A limit among the conditions of a claim.
TENDS = re.compile(r"->|→|\\(?:to|(?:long)?rightarrow)(?![A-Za-z])")
DISAGREES = "the independent check disagrees, please report"


@dataclass(frozen=True)
class Settings:
    """The options of a claim, as in `prove`; the numbers are those of a law or of a document."""

    notation: str | Notation = "schaeffer"
    budget: Budget | None = None
    assume: Sequence[str] = ()
    let: Sequence[str] = ()
    limit: str | None = None
    seconds: float | None = None
    seed: int = 0
    numbers: Coefficients | None = None

    def under(self, conditions: Sequence[str]) -> Settings:
        """The settings with more assumptions, one of which may be a limit, `r -> 1`."""
        limit = next((condition for condition in conditions if TENDS.search(condition)), None)
        assume = (*self.assume, *(condition for condition in conditions if condition != limit))
        return replace(self, assume=assume, limit=limit or self.limit)

    @property
    def words(self) -> Vocabulary:
        """The vocabulary of the notation under the budget."""
        return vocabulary(self.notation, self.budget or SIX_ND)


@dataclass(frozen=True)
class ChainLink:
    """One link `lhs relation rhs` of a chain with its verdict.

    Attributes
    ----------
    definitions : tuple of str
        The meanings at one run under which it is proved: `C == 6*N*D`.
    check : str
        If it is proved, the number of points at which it was tried by definition, or why at none.
    unknown : str
        The name in it that has no meaning; empty where every name has one.
    """

    text: str
    lhs: Expr
    relation: str
    rhs: Expr
    decision: Decision
    definitions: tuple[str, ...] = ()
    latex: bool = False  # how the answer spells its expressions
    check: str = ""
    unknown: str = ""
    corrector: Any = field(default=None, compare=False, repr=False)  # of a refuted link

    @cached_property
    def derived(self) -> str:
        """The closed form of a quantity in a refuted link: `alpha = beta gamma/(beta + gamma)`."""
        return self.corrector.derived() if self.corrector else ""

    @cached_property
    def correction(self) -> str:
        """A refuted link with a small change under which it is proved."""
        return self.corrector.corrected() if self.corrector else ""

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        decision, witness = self.decision, self.decision.witness
        shown = (
            f"{spelt(c.expression, latex=self.latex)} {c.relation} 0"
            for c in decision.conditions
            if c.expression.free_symbols  # log(2) != 0 needs no mention
        )
        point = () if witness is None else witness.point
        at = {spelt(x, latex=True) if self.latex else str(x): value_text(v) for x, v in point}
        return {
            "claim": self.text,
            "relation": self.relation,
            "lhs": str(self.lhs),
            "rhs": str(self.rhs),
            "answer": decision.answer.value,
            "reason": decision.reason,
            "check": self.check or None,
            "conditions": list(shown),
            "definitions": list(self.definitions),
            "derived": self.derived or None,
            "correction": self.correction or None,
            "witness": witness and {"point": at, "lhs": witness.lhs, "rhs": witness.rhs},
        }

    def __str__(self) -> str:
        data = self.as_dict()
        parts = [f"{data['answer']}: {data['reason']}"]
        parts += [f"where {', '.join(data['conditions'])}"] if data["conditions"] else []
        if (witness := data["witness"]) is not None:
            where = ", ".join(f"{name} = {value}" for name, value in witness["point"].items())
            sides = f"lhs = {witness['lhs']}, rhs = {witness['rhs']}"
            parts.append(f"witness {where}: {sides}" if where else f"witness {sides}")
        parts += [f"by definition {', '.join(self.definitions)}"] if self.definitions else []
        return "; ".join(parts)


class Chain:
    """The sides of a chain as they are read under some settings, and a question for each link.

    Raises
    ------
    ParseError
        Naming what cannot be read.
    """

    def __init__(self, typed: Sides, settings: Settings, latex: bool) -> None:
        self.typed, self.settings, self.latex = typed, settings, latex
        self.text, towards = typed.text, settings.limit
        self.relations = [relation.text for relation in typed.relations]
        if towards is None and {"->", "~"} & {*self.relations}:
            complaint = "-> and ~ need a limit, as in r -> 0 or r -> oo; a proportion reads propto"
            raise ParseError(complaint, text=self.text)
        try:
            with within(settings.seconds):
                self.context, sides = self._read(settings.words)
                self.sides = [self.context.at(side, self.text) for side in sides]
                self.limit = None if towards is None else self.context.limit(towards)
                domain = self.context.domain_of(self.text)
        except OutOfTime as error:
            raise ParseError(f"not read within {error.seconds:g} seconds", text=self.text) from None
        self.words = self.context.words
        self._refuse_two_losses()
        letters = frozenset(x for x in self.words.names.values() if isinstance(x, Symbol)) - MOVING
        self.questions = [
            Question(
                self.sides[i],
                relation,
                self.sides[i + 1],
                domain,
                self.limit,
                settings.seed,
                letters - bases(self.in_names(i + 1)),
            )
            for i, relation in enumerate(self.relations)
        ]

    def _read(self, words: Vocabulary) -> tuple[Context, list[Expr]]:
        """The sides with the meanings of a vocabulary, and the context in which they are read."""
        context = Context(words, self.settings.assume, self.settings.let)
        pairs = zip(self.typed.parts, ["==", *self.relations], strict=True)
        return context, [context.read(self.text, *pair) for pair in pairs]

    @cached_property
    def _named(self) -> tuple[Context, list[Expr]]:
        """The context and the sides with the quantities of the law by name, where that is possible."""
        try:
            return self._read(self.settings.words.by_name())
        except ValueError:
            return self.context, self.sides

    def _refuse_two_losses(self) -> None:
        """`dL/dC = -alpha (L - E)/C`: L is L*(C) where it is differentiated, and L(N, D) beside it."""
        sides = self._named[1]
        calls = set[Expr]().union(*(side.atoms(AppliedUndef) for side in sides))
        slopes = set[Expr]().union(*(side.atoms(Partial) for side in sides))
        for call in (slope.args[0] for slope in slopes if isinstance(slope.args[0], AppliedUndef)):
            if any(x.func == call.func and len(x.args) > len(call.args) for x in calls):
                complaint = f"{call} where it is differentiated, and not beside it"
                raise ParseError(f"ambiguous {call.func}: {complaint}", text=self.text)

    def value(self, tokens: Sequence[Token], letters: Mapping[str, Symbol] | None = None) -> Expr:
        """An expression of the claim, in which some names may stand for these letters."""
        return self.context.at(self.context.read(self.text, tokens, more=letters), self.text)

    def in_names(self, i: int, tokens: Sequence[Token] = ()) -> Expr:
        """A side, or other tokens in its place, with the quantities of the law by name."""
        context, sides = self._named
        return context.read(self.text, tokens) if tokens else sides[i]

    @property
    def reading(self) -> str:
        """The chain in one line as it was read."""
        first, *others = map(as_read, self._named[1])
        links = (f"{sign} {side}" for sign, side in zip(self.relations, others, strict=True))
        line, limit = " ".join([first, *links]), self.limit
        return line if limit is None else f"{line}, as {limit[0]} -> {limit[1]}"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The assumptions as they were read."""
        return self._named[0].assumptions

    @property
    def free(self) -> tuple[str, ...]:
        """The names that stand for positive letters of their own."""
        used, signs = set().union(*(side.free_symbols for side in self.sides)), self.words.signs
        return tuple(
            name for name, x in self.context.free.items() if x in used and name not in signs
        )

    # -- one link ----------------------------------------------------------------------------------

    def link(self, i: int) -> ChainLink:
        """One link with its verdict, which is undecided where it takes longer than the seconds."""
        question, sources = self.questions[i], self.typed.sources
        text = f"{sources[i]} {question.relation} {sources[i + 1]}"
        sides = question.lhs, question.relation, question.rhs
        link = ChainLink(text, *sides, undecided(""), latex=self.latex)
        try:
            with within(self.settings.seconds):
                return self._decided(link, i)
        except OutOfTime as error:
            return replace(link, decision=undecided(str(error)))

    def _decided(self, link: ChainLink, i: int) -> ChainLink:
        """The link as it is decided for every law, and where that is no proof, for the law whose numbers
        are given.
        """
        question, numbers = self.questions[i], self.settings.numbers
        decision, meanings = decided(question, self.words, self.context)
        if decision.holds:
            check, fails_at = self._trial(i, decision, is_of_a_run=bool(meanings)).outcome()
            if fails_at is None:
                return replace(link, decision=decision, definitions=meanings, check=check)
            reason = f"{DISAGREES}{fails_at and ': at '}{fails_at}"
            return replace(link, decision=undecided(reason), check=DISAGREES)
        if (unknown := self._unknown(i)) is not None:
            hint = f"{unknown} is unknown: --let '{unknown} := ...' says what it is"
            return replace(link, decision=undecided(hint), unknown=unknown)
        parts = self.typed.parts[i : i + 2]
        has_decimals = any("." in token.text for part in parts for token in part)
        is_rounded = has_decimals and question.relation in ("==", "!=", "propto")
        if has_decimals and question.limit is not None and decision.refuted:
            reason = "how near the limit is to a rounded number is not stated"
            return replace(link, decision=undecided(reason))
        if numbers is None and not (is_rounded or question.relation == "approx"):
            return replace(link, decision=decision, definitions=meanings)
        for part in parts if numbers is not None else ():
            refuse_units(self.text, part)
        named = (x for x, e in self.context.table.items() if isinstance(e, NamedFunction))
        decision = at_numbers(question, parts, self.value, numbers, {*APPLIED, *named})
        return replace(link, decision=decision)

    def open_budget(self, i: int) -> str:
        """The budget, solved for the letter of a run that an assumption such as `D == 20*N` leaves open
        in a link; empty where there is none.
        """
        budget, run = self.settings.budget or SIX_ND, sym.ON_BUDGET
        tied, letters = self.context.ties(run), self.questions[i].letters
        given = sym.C if sym.C not in tied else min(run - tied, key=str, default=None)
        replaced = self.context.replaced.keys()
        is_open = given in letters and given not in replaced
        is_open &= self.relations[i] != "propto" or bool(replaced & run)  # else which is held?
        if not (tied and is_open) or tied & RATIOS_OF_A_RUN:
            return ""
        other = sym.N if given == sym.D else sym.D
        solved = f"{given} == {budget.remaining(other)}"
        return self.words.definitions[sym.C] if given == sym.C else solved

    def is_of_law(self, i: int) -> bool:
        """Whether letters of the law or ratios of a run stand in a link."""
        letters = self.questions[i].letters - sym.ON_BUDGET
        return bool(letters & {*self.words.names.values()})

    def _unknown(self, i: int) -> str | None:
        """A name without a meaning that an equality would define, as it is on one side alone, or one
        that is made of a name of the law, `L_val`.
        """
        context = self.context
        assumed = [*context.replaced, *context.replaced.values()]
        assumed += [e for group in context.domain.groups for e in group]
        for name, x in context.free.items():
            within = [k for k, side in enumerate(self.sides) if side.has(x)]
            is_alone = within in ([i], [i + 1]) and self.relations[i] in ("==", "approx", "propto")
            is_of_law = VARIANT.fullmatch(name) and name.partition("_")[0] in self.words.names
            is_declared = name in self.words.signs or any(e.has(x) for e in assumed)
            if (is_alone or (is_of_law and {i, i + 1} & {*within})) and not is_declared:
                return name
        return None

    def _trial(self, i: int, decision: Decision, *, is_of_a_run: bool) -> Trial:
        """The independent check: the link by names, at points where the assumptions hold."""
        (context, sides), words, question = self._named, self.words, self.questions[i]
        domain = context.typed.map(lambda e: e)
        domain.add(context.domain)
        domain.add(Domain.of(decision.conditions))
        own = words.notation.names()
        letters = {name: words.names[own.get(name, name)] for name in LETTERS}
        law = LawByDefinition(
            {name: x for name, x in letters.items() if isinstance(x, Symbol)},
            words.means if context.words.kept else {},
            self.settings.budget or SIX_ND,
        )
        return Trial(
            sides[i],
            question.relation,
            sides[i + 1],
            domain,
            context.replaced,
            tuple(words.run) if is_of_a_run else (),
            self.limit,
            question.moving if question.relation == "propto" else (),
            law,
            self.settings.seed,
        )
