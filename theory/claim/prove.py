"""A claim as a user types it: proved, refuted with a witness, or undecided; a chain is checked link
by link.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any

from sympy import Expr, Symbol, expand_log, log

from ..budget import SIX_ND, Budget
from ..data.notation import DEFAULT, HOFFMANN, Notation
from ..kernel.answer import undecided, weaker
from ..kernel.deadline import OutOfTime, within
from ..kernel.decide import Answer, Decision
from ..reader.building import Domain
from ..reader.parse import read
from ..reader.tokens import ParseError, Token
from ..typeset.shown import Shown
from ..typeset.table import Column, Table
from .at_law import ROUNDED, Coefficients, ComparisonAtLaw, HasCoefficients, TypedSide, typed_side
from .checked import SecondReading
from .correction import Corrector, Side
from .question import BOUNDS, MOVING, Question, decided
from .spelling import PLAIN, Spelling, as_read, value_text
from .typed import Claims, Given, as_typed, limit_of, separated, sources, spans
from .vocabulary import Vocabulary, refuse_clashes, said_of, vocabulary

#: For what would be right in place of a refuted claim.
SECONDS_TO_CORRECT = 3
#: `x, y real`, `x < 0`, `x <= 0`.
SIGN_ASSUMED = re.compile(
    r"\s*(?P<letters>\\?[A-Za-z]\w*(?:\s*,\s*\\?[A-Za-z]\w*)*)"
    r"(?:\s+(?:is\s+|are\s+)?(?P<real>real)|\s*(?P<sign><=?)\s*0)\s*"
)
IMPLICATIONS = ("implies", "iff")
NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


@dataclass(frozen=True)
class ChainLink:
    """One link `lhs relation rhs` of a chain, as typed and as decided."""

    text: str
    lhs: Expr
    relation: str
    rhs: Expr
    decision: Decision
    position: int = 0
    """Of the relation in the text."""
    definitions: tuple[str, ...] = ()
    """What letters of the claim mean beside each other, where it is proved for what they mean: `C == 6*N*D`."""
    spelling: Spelling = PLAIN
    """How the answer spells its expressions: as the claim does."""
    check: str = ""
    """Where it is proved: at how many points it was tried by definition, or why at none."""
    corrector: Corrector | None = field(default=None, compare=False, repr=False)
    """Where it is refuted: what looks for the right claim, once it is asked for."""

    @property
    def derived(self) -> str:
        """Where it is refuted: the closed form of what it speaks of, `alpha = beta gamma/(beta +
        gamma)`.
        """
        return self._right[0]

    @property
    def correction(self) -> str:
        """Where it is refuted: the claim with a small change under which it is proved."""
        return self._right[1]

    @cached_property
    def _right(self) -> tuple[str, str]:
        derived = correction = ""
        if self.corrector is not None:
            with suppress(OutOfTime), within(SECONDS_TO_CORRECT):
                derived = self.corrector.derived()
                correction = self.corrector.correction()
        return derived, correction

    @property
    def conditions(self) -> tuple[str, ...]:
        """Where a proof holds: `beta - gamma != 0`."""
        return tuple(
            f"{self.spelling(condition.expression)} {condition.relation} 0"
            for condition in self.decision.conditions
        )

    @property
    def point(self) -> dict[str, str]:
        """The point of the witness."""
        witness = self.decision.witness
        return (
            {}
            if witness is None
            else {self.spelling.name(letter): value_text(value) for letter, value in witness.point}
        )

    @property
    def counterexample(self) -> str:
        """The witness: `beta = 1, gamma = 7: lhs = 0.875, rhs = 0.125`, without letters the sides."""
        witness = self.decision.witness
        if witness is None:
            return ""
        where = ", ".join(f"{name} = {value}" for name, value in self.point.items())
        sides = f"lhs = {witness.lhs}, rhs = {witness.rhs}"
        return f"{where}: {sides}" if where else sides

    def __str__(self) -> str:
        decision = self.decision
        parts = [f"{decision.answer.value}: {decision.reason}"]
        if decision.conditions:
            parts.append("where " + ", ".join(self.conditions))
        if decision.witness is not None:
            parts.append(f"witness {self.counterexample}")
        if self.definitions:
            parts.append("by definition " + ", ".join(self.definitions))
        return "; ".join(parts)

    def lines(self, *, named: bool) -> list[str]:
        """The link, behind its claim where it is one of several, and what would be right."""
        lines = [f"{self.text}: {self}" if named else str(self)]
        lines += [f"the tool derives {self.derived}"] if self.derived else []
        return lines + ([f"right {self.correction}"] if self.correction else [])

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        decision = self.decision
        witness = decision.witness
        return {
            "claim": self.text,
            "relation": self.relation,
            "lhs": str(self.lhs),
            "rhs": str(self.rhs),
            "answer": decision.answer.value,
            "reason": decision.reason,
            "check": self.check or None,
            "conditions": list(self.conditions),
            "definitions": list(self.definitions),
            "derived": self.derived or None,
            "correction": self.correction or None,
            "witness": witness and {"point": self.point, "lhs": witness.lhs, "rhs": witness.rhs},
        }


@dataclass(frozen=True)
class Proof(Shown):
    """The verdict on a claim.

    Attributes
    ----------
    text : str
        As typed.
    links : tuple of ChainLink
        One for `a == b`, several for `a == b == c`.
    free : tuple of str
        Names that stand for free symbols because the law has none of that name.
    read_as : tuple of str
        What the other names mean that are more than a letter, each with its meaning:
        `R_opt, the least reducible loss at C`.
    """

    text: str
    links: tuple[ChainLink, ...]
    free: tuple[str, ...] = ()
    read_as: tuple[str, ...] = ()
    signs: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """Those of the free symbols that are not just positive."""
    reading: str = ""
    """The claim in one line of plain text as it was read, every product with its star."""

    @property
    def answer(self) -> Answer:
        """The weakest of the links': refuted, undecided, by SymPy's limit, proved."""
        return reduce(weaker, (link.decision for link in self.links)).answer

    def tables(self) -> tuple[Table, ...]:
        """A row a link of the chain."""
        columns = [Column(name, align="left") for name in ("claim", "answer", "reason")]
        rows = [
            {
                "claim": link.text or self.text.strip(),
                "answer": link.decision.answer.value,
                "reason": link.decision.reason,
            }
            for link in self.links
        ]
        return (Table(columns, rows, title=f"{self.answer.value}: {self.text.strip()}"),)

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "claim": self.text.strip(),
            "answer": self.answer.value,
            "reading": self.reading,
            "links": [link.as_dict() for link in self.links],
            "free": list(self.free),
            "read_as": list(self.read_as),
        }

    def __str__(self) -> str:
        lines = [f"{self.answer.value}: {self.text.strip()}"]
        for link in self.links:
            lines += [f"  {line}" for line in link.lines(named=len(self.links) > 1)]
        positive = [name for name in self.free if name not in self.signs]
        if positive:
            lines.append(f"  free positive symbols: {', '.join(positive)}")
        if self.signs:
            others = [said_of(name, signs) for name, signs in self.signs.items()]
            lines.append(f"  free symbols: {', '.join(others)}")
        lines.append(f"  read as {self.reading}")
        if self.read_as and self.answer is not Answer.PROVED:
            lines.append(f"  where {'; '.join(self.read_as)}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Settings:
    """What holds for every claim; as in `prove`."""

    notation: str | Notation = "schaeffer"
    budget: Budget | None = None
    law: HasCoefficients | None = None
    assume: Sequence[str] = ()
    let: Sequence[str] = ()
    limit: str | None = None
    seconds: float | None = None
    signs: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """Of letters of its own that are not just positive."""
    define: Sequence[str] = ()
    seed: int = 0
    refutes_names: bool = True
    """Whether a name without a meaning, alone on a side, is a letter of any value."""

    @property
    def words(self) -> Vocabulary:
        """The names and what they mean."""
        words = vocabulary(self.notation, self.budget or SIX_ND)
        return replace(words, signs=self.signs) if self.signs else words

    def prove(
        self,
        text: str,
        *,
        latex: bool = True,
        define: Sequence[str] = (),
        assume: Sequence[str] = (),
        let: Sequence[str] = (),
        limit: str | None = None,
    ) -> Proof:
        """The verdict on one claim under these settings and what is added to them."""
        settings = replace(
            self,
            define=(*self.define, *define),
            assume=(*self.assume, *assume),
            let=(*self.let, *let),
            limit=limit or self.limit,
        )
        return _proved(text, settings, latex)


def prove(
    text: str,
    *,
    latex: bool = False,
    assume: Sequence[str] = (),
    define: Sequence[str] = (),
    let: Sequence[str] = (),
    notation: str | None = None,
    limit: str | None = None,
    budget: Budget | None = None,
    law: HasCoefficients | None = None,
    seed: int = 0,
    seconds: float | None = None,
) -> Proof:
    """Decide a claim, or a chain of claims, in the symbols of the law.

    Parameters
    ----------
    text : str
        `lhs == rhs` (also `=`), `<=`, `>=`, `<`, `>`, `!=`; `lhs propto rhs`, `lhs approx rhs`; with
        `limit`, `lhs -> rhs` and `lhs ~ rhs`; `claim implies claim`, `claim iff claim`. Chains
        `a == b <= c` are checked link by link. Names of the law mean the law's quantities: N, D, C,
        E, A, B, beta, gamma, L, R, T_N, T_D, N_opt, D_opt, L_opt, R_opt, alpha, C0, w_N, w_D, G, P,
        r, rho, s; a single letter that means nothing is a free positive symbol. `dL/dN` is a
        derivative, every other letter held.
    latex : bool
        Read LaTeX: `\\frac{\\beta\\gamma}{\\beta+\\gamma} = \\alpha`, `N^{*}(C)`, ...
    assume : sequence of str
        `C == 6*N*D` replaces a symbol; `r > 1`, `beta <= gamma` and `s != 0` bound the domain. A
        letter of one's own is positive unless `x real`, `x < 0` or `x <= 0` is assumed.
    define : sequence of str
        `X == A/B` names an expression, which may have either sign; the name must have no meaning of
        its own. One definition may use another. `f(x) == x^2` names a function.
    let : sequence of str
        `R_opt := D*/N*` gives a name another meaning than the one it has by default, or another
        name to one of its quantities: `k := kappa`. On the right side names have their default
        meanings.
    notation : {"schaeffer", "hoffmann"}, optional
        Schaeffer's letters by default. Where these do not prove a claim that is itself in
        Hoffmann's, with powers of N in alpha and of D in beta or with `a`, `b` or `alpha_C` as one
        side, it is judged in Hoffmann's, and the answer says so.
    limit : str, optional
        `r -> 0`, `r -> oo`, or a number, `r -> 1`, from both sides.
    budget : Budget, optional
        Under which N_opt and the rest are meant; 6 N D by default. Its letters (kappa, a, d) are
        names as well.
    law : Law, optional
        At whose coefficients claims with numbers are decided: `alpha == 0.178`,
        `alpha approx beta/2`. A number with a decimal point stands for all that rounds to it.
    seed : int
        Of the points at which a claim is tried.
    seconds : float, optional
        For reading the claim, and for each of its links; a link that takes longer is undecided. No
        limit by default.

    Returns
    -------
    Proof
        In the letters of the notation.

    Raises
    ------
    ParseError
        Naming what could not be read, and where. Nothing is evaluated as code.

    Notes
    -----
    A claim is about the values of its letters for which both sides are defined as they are typed,
    and the assumptions hold: what cancels still has to exist. Letters are independent. Where a
    claim does not hold for independent ones, but uses several that belong to one run (N, D and C,
    r, rho, s), it is decided for what they mean at that run, and the answer names those meanings.
    """
    refuse_clashes(budget or SIX_ND, notation or DEFAULT.name)
    settings = Settings(
        notation or DEFAULT.name,
        budget,
        law,
        define=define,
        let=let,
        limit=limit,
        seed=seed,
        seconds=seconds,
        refutes_names=False,
    )
    try:
        proof, error = _with_signs(text, settings, latex, assume), None
    except ParseError as unread:
        proof, error = None, unread
    answered = proof is not None and proof.answer is Answer.PROVED
    if notation is None and not answered and _in_hoffmanns_letters(text, settings, latex):
        with suppress(ParseError, ValueError):
            refuse_clashes(budget or SIX_ND, HOFFMANN.name)
            other = _with_signs(text, replace(settings, notation=HOFFMANN.name), latex, assume)
            return replace(other, reading=f"{other.reading}, in Hoffmann's letters")
    if proof is None:
        raise error or ParseError("not read", text=text)
    return proof


def _with_signs(text: str, settings: Settings, latex: bool, assume: Sequence[str]) -> Proof:
    signs, others = signs_assumed(assume, settings.words)
    return replace(settings, signs=signs).prove(text, latex=latex, assume=others)


def _in_hoffmanns_letters(text: str, settings: Settings, latex: bool) -> bool:
    """Whether the claim itself is in Hoffmann's letters, whatever they prove: it has powers of N in
    alpha and of D in beta, as the law has them, or one side is a name that only they have, `a`; and
    gamma, which they have not, is not in it.
    """
    try:
        parts, _ = Claims(dict(settings.words.names), settings.words, latex).split(text)
    except ParseError:
        return False
    texts = [[token.text for token in part if token.text not in "()-"] for part in parts]
    words = {word for part in texts for word in part}
    powers = {
        (part[i], part[i + 2])
        for part in texts
        for i in range(len(part) - 2)
        if part[i + 1] in ("^", "**")
    }
    own = vocabulary(HOFFMANN.name, settings.budget or SIX_ND).names.keys()
    alone = {part[0] for part in texts if len(part) == 1} & (own - settings.words.names.keys())
    return "gamma" not in words and (powers >= {("N", "alpha"), ("D", "beta")} or bool(alone))


def signs_assumed(
    assume: Sequence[str], words: Vocabulary
) -> tuple[dict[str, frozenset[int]], list[str]]:
    """The signs of letters that the law does not have, and the other assumptions."""
    signs: dict[str, frozenset[int]] = {}
    others = []
    for text in assume:
        match = SIGN_ASSUMED.fullmatch(text)
        letters = re.findall(r"\w+", match["letters"]) if match is not None else []
        known = [name for name in letters if name in words.names]
        if match is not None and match["real"] and known:
            raise ParseError(f"{text!r}: {known[0]} is of the law, which says what it is")
        if match is None or known:
            others.append(text)
            continue
        allowed = frozenset({None: [-1, 0, 1], "<": [-1], "<=": [-1, 0]}[match["sign"]])
        for name in letters:
            signs[name] = signs.get(name, allowed) & allowed
    return signs, others


def _proved(text: str, settings: Settings, latex: bool) -> Proof:
    if (rewritten := limit_of(text, latex)) is not None:
        claim, towards = rewritten
        return replace(settings.prove(claim, latex=latex, limit=towards), text=text)
    if (several := _several(text, settings, latex)) is not None:
        return several
    words, assume = settings.words, settings.assume
    define, let, limit, law = settings.define, settings.let, settings.limit, settings.law
    parts, relations = Claims(dict(words.names), words, latex).split(text)
    if any(relation.text in IMPLICATIONS for relation in relations):
        return _implied(text, relations, settings, latex)
    given = Given(words, assume, define, let)
    named = Claims(given.opaque(), words, latex, given.named)
    reader = Claims(given.table, words, latex, given.named)
    for relation in relations:
        if relation.text in ("->", "~") and limit is None:
            raise ParseError(f"{relation.text} needs its limit, as in r -> 0 or r -> oo", text=text)
    numbers = None if law is None else Coefficients.of(law, words.notation, words.names)
    try:
        with within(settings.seconds):
            sides = [
                reader.side(text, part, relation)
                for part, relation in zip(parts, [None, *relations], strict=True)
            ]
            sides = [given.at(side, text) for side in sides]
            domain = given.domain_of(reader.domain, text)
            target = given.limit(limit) if limit is not None else None
    except OutOfTime as error:
        raise ParseError(f"not read within {error.seconds:g} seconds", text=text) from None
    assumed = (assume, define, let)
    second = SecondReading(
        text, parts, relations, words, latex, assumed, limit, settings.budget, settings.seed
    )
    chain = _Chain(
        text,
        parts,
        relations,
        sides,
        domain,
        target,
        reader,
        named,
        given,
        numbers,
        settings,
        second,
    )
    links = [chain.link(i) for i in range(len(relations))]
    defined = {
        str(symbol)
        for symbol, meaning in words.definitions.items()
        if any(meaning in link.definitions for link in links)
    }
    differentials = (
        {"d"} if not any(side.has(reader.free.get("d", Symbol("d"))) for side in sides) else set()
    )
    return Proof(
        text,
        tuple(links),
        tuple(name for name in reader.free if name not in defined | differentials),
        reader.read_as,
        words.signs,
        chain.reading,
    )


@dataclass(frozen=True)
class _Chain:
    """A chain as it is read."""

    text: str
    parts: Sequence[list[Token]]
    relations: Sequence[Token]
    sides: Sequence[Expr]
    domain: Domain
    limit: tuple[Symbol, str] | None
    reader: Claims
    named: Claims
    given: Given
    numbers: Coefficients | None
    settings: Settings
    second: SecondReading

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.reader.latex)

    def link(self, i: int) -> ChainLink:
        """One link, decided within some time."""
        question = self.question(i)
        try:
            with within(self.settings.seconds):
                decision, definitions, check = self.answer(i)
        except OutOfTime as error:
            decision, definitions, check = undecided(str(error)), (), ""
        shown, relation = sources(self.text, self.relations), self.relations[i]
        return ChainLink(
            f"{shown[i]} {relation.text} {shown[i + 1]}",
            question.lhs,
            relation.text,
            question.rhs,
            decision,
            relation.position,
            definitions,
            self.spelling,
            check,
            self.corrector(i) if decision.refuted and self.numbers is None else None,
        )

    def question(self, i: int) -> Question:
        words = self.reader.words
        letters = {x for x in words.names.values() if isinstance(x, Symbol)}
        return Question(
            self.sides[i],
            self.relations[i].text,
            self.sides[i + 1],
            self.domain,
            self.limit,
            self.settings.seed,
            frozenset(letters - MOVING),
        )

    def answer(self, i: int) -> tuple[Decision, tuple[str, ...], str]:
        """The decision for every law, and where that is none, for the one whose numbers are given;
        with the check of what is proved.
        """
        question = self.question(i)
        decision, meanings = decided(question, self.reader.words, self.given)
        if decision.holds:
            moving = question.moving if question.relation == "propto" else ()
            decision, check = self.second.checked(i, decision, meanings, moving)
            return decision, meanings if decision.holds else (), check
        unknown = None if self.settings.refutes_names else self.unknown(i)
        if unknown is not None:
            return (
                undecided(f"{unknown} is unknown: --let '{unknown} := ...' says what it is"),
                (),
                "",
            )
        letters = question.lhs.free_symbols | question.rhs.free_symbols
        if (self.numbers is not None and letters) or self.is_rounded(i):
            return self.comparison(i).decide(), (), ""
        if question.relation != "approx":
            return decision, meanings, ""
        if not letters:
            return self.comparison(i).decide(), (), ""
        reason = (
            "whether the two sides are near each other hangs on a law: name one with --law NAME"
        )
        return undecided(reason), (), ""

    def unknown(self, i: int) -> str | None:
        """The name without a meaning that is one side alone, of which nothing else is said."""
        said: list[Expr] = [*self.given.domain.positive, *self.given.domain.nonzero]
        said += [
            *self.given.domain.nonnegative,
            *self.given.replaced,
            *self.given.replaced.values(),
        ]
        for one in (i, i + 1):
            side = self.sides[one]
            is_free = side in self.reader.free.values() and side not in self.reader.words.of_a_run
            if not is_free or self.relations[i].text in BOUNDS:
                continue
            elsewhere = [side for k, side in enumerate(self.sides) if k != one]
            is_said = any(side in e.free_symbols for e in (*elsewhere, *said))
            if not (is_said or side.name in self.reader.words.signs):
                return str(side)
        return None

    @cached_property
    def reading(self) -> str:
        """The chain as it was read, quantities of the law by their names where that is possible."""
        line = _line([self.in_names(i) for i in range(len(self.sides))], self.relations)
        return line if self.limit is None else f"{line}, as {self.limit[0]} -> {self.limit[1]}"

    def in_names(self, i: int, tokens: list[Token] | None = None) -> Expr:
        """A side, or what its tokens were changed to, with the quantities of the law by their names
        where that is possible.
        """
        relation = self.relations[i - 1] if i else None
        try:
            return self.named.side(self.text, tokens or self.parts[i], relation)
        except (ParseError, ValueError):
            return self.sides[i] if tokens is None else self.read(tokens)

    def read(self, tokens: list[Token]) -> Expr:
        return self.given.at(self.reader.expression(self.text, tokens), self.text)

    def is_rounded(self, i: int) -> bool:
        """Whether the link is an equality of two numbers, one of them worked out, that has decimals;
        or a proportion whose exponent is such a number: `D^2 propto C^1.1` where D is C^(6/11).
        """
        parts, sides = self.parts[i : i + 2], self.sides[i : i + 2]
        if self.relations[i].text == "propto" and (power := self.power(i)) is not None:
            exponent, typed = power
            return bool(exponent.is_number and exponent) and any(
                "." in token.text for token in typed
            )
        return (
            self.relations[i].text == "=="
            and all(side.is_number for side in sides)
            and any(len(part) > 1 for part in parts)
            and any("." in token.text for part in parts for token in part)
        )

    def comparison(self, i: int) -> ComparisonAtLaw:
        """The link at the coefficients of the law."""
        question = self.question(i)
        power = self.power(i) if question.relation == "propto" else None
        if power is not None:
            exponent, tokens = power
            typed = typed_side(tokens, "==", self.read_with)
            known = TypedSide(exponent, {}, None)
            number = self.reader.expression(self.text, tokens)
            question = replace(question, lhs=exponent, relation="==", rhs=number)
            return ComparisonAtLaw(question, (known, typed), self.numbers)
        if question.relation not in ROUNDED:
            return ComparisonAtLaw(question, None, self.numbers)
        left, right = (
            typed_side(part, question.relation, self.read_with) for part in self.parts[i : i + 2]
        )
        return ComparisonAtLaw(question, (left, right), self.numbers)

    def read_with(self, tokens: list[Token], letters: dict[str, Symbol]) -> Expr:
        """An expression some of whose names stand for these letters."""
        return self.given.at(read(self.text, tokens, {**self.reader.table, **letters}), self.text)

    def power(self, i: int) -> tuple[Expr, list[Token]] | None:
        """Of `N_opt propto C^0.51`, the exponent of the left side in C and the number that is typed;
        None where the right side is no power of a letter, or the left one no such power.
        """
        left, part = self.sides[i], [token for token in self.parts[i + 1] if token.text not in "()"]
        match [(token.kind, token.text) for token in part]:
            case [("name", name), ("power", _), ("number", _)] | [
                ("name", name),
                ("power", _),
                ("operator", "-"),
                ("number", _),
            ]:
                number = part[2:]
            case _:
                return None
        letter = self.given.table.get(name, self.reader.free.get(name))
        if not isinstance(letter, Symbol):
            return None
        exponent = (letter * expand_log(log(left), force=True).diff(letter)).cancel()
        return None if exponent.has(letter) else (exponent, number)

    def corrector(self, i: int) -> Corrector:
        """What looks for the right claim in place of the link."""
        texts = sources(self.text, self.relations)
        left, right = (
            Side(texts[k], tuple(self.parts[k]), self.sides[k], self.in_names(k))
            for k in (i, i + 1)
        )
        return Corrector(
            self.question(i),
            left,
            right,
            self.reader.words,
            self.spelling,
            lambda tokens: (self.read(tokens), self.in_names(i, tokens)),
            lambda question: decided(question, self.reader.words, self.given)[0],
        )


def _line(sides: Sequence[Expr], relations: Sequence[Token]) -> str:
    """A chain in one line of plain text."""
    first, *others = map(as_read, sides)
    links = (f"{r.text} {side}" for r, side in zip(relations, others, strict=True))
    return " ".join([first, *links])


# -- several claims, and implications ----------------------------------------------------------------------------------


def _joined(
    text: str, settings: Settings, proofs: Sequence[tuple[int, Proof]], between: str
) -> Proof:
    """The verdict on claims that stand in one text, each with its place."""
    return Proof(
        text,
        tuple(
            replace(link, position=start + link.position)
            for start, proof in proofs
            for link in proof.links
        ),
        tuple(dict.fromkeys(name for _, proof in proofs for name in proof.free)),
        tuple(dict.fromkeys(name for _, proof in proofs for name in proof.read_as)),
        settings.signs,
        between.join(dict.fromkeys(proof.reading for _, proof in proofs)),
    )


def _several(text: str, settings: Settings, latex: bool) -> Proof | None:
    """`N^* = ..., D^* = ...`: each is judged; None where the text is one claim."""
    pieces = separated(text)
    if len(pieces) < 2:
        return None
    reader = Claims(dict(settings.words.names), settings.words, latex)
    try:
        relations = [[r.text for r in reader.split(piece)[1]] for _, piece in pieces]
    except ParseError:
        return None
    if any(name in IMPLICATIONS for names in relations for name in names):
        return None
    proofs = [(start, settings.prove(piece, latex=latex)) for start, piece in pieces]
    bounds = [set(names) <= {*BOUNDS, "!="} for names in relations]
    for (_, proof), is_bound in zip(proofs, bounds, strict=True):
        if is_bound and not all(bounds) and proof.answer is not Answer.PROVED:
            what = f"{proof.text.strip()} beside an equation may be a claim or a condition"
            raise ParseError(f"{what}: say --assume for a condition", text=text)
    return _joined(text, settings, proofs, "; ")


def _implied(text: str, relations: Sequence[Token], settings: Settings, latex: bool) -> Proof:
    """`a == b implies c == d`: the right side under the left one as an assumption; `iff` both ways."""
    signs = [relation for relation in relations if relation.text in IMPLICATIONS]
    statements = spans(text, signs)
    proofs: list[tuple[int, Proof]] = []
    for sign, (start, left), (after, right) in zip(signs, statements, statements[1:], strict=False):
        ways = [(left, right, after)]
        if sign.text == "iff":
            ways.append((right, left, start))
        for premise, conclusion, position in ways:
            proof = _under(premise, conclusion, settings, latex)
            named = [
                replace(link, text=f"{premise.strip()} implies {link.text}") for link in proof.links
            ]
            proofs.append((position, replace(proof, links=tuple(named))))
    return _joined(text, settings, proofs, "; ")


def _under(premise: str, conclusion: str, settings: Settings, latex: bool) -> Proof:
    """The conclusion where the premise is assumed; undecided where it cannot be."""
    words = settings.words
    given = Given(words, (), settings.define, settings.let)
    reader = Claims(given.table, words, latex)
    parts, relations = reader.split(premise)
    named = Claims(given.opaque(), words, latex)
    shown = _line([named.expression(premise, part) for part in parts], relations)
    sides = sources(premise, relations)
    assumed = [
        as_typed(left, relation.text, right, latex=latex)
        for left, relation, right in zip(sides, relations, sides[1:], strict=False)
    ]
    bare = settings.prove(conclusion, latex=latex)
    bare = replace(bare, reading=f"{shown} implies {bare.reading}")
    if bare.answer is Answer.PROVED:
        return bare
    try:
        proof = settings.prove(conclusion, latex=latex, assume=assumed)
        proof = replace(proof, reading=bare.reading)
        if proof.answer is not Answer.UNDECIDED:
            return proof
    except ParseError as error:
        unused = undecided(f"the premise cannot be taken for an assumption: {error}")
        proof = replace(
            bare,
            links=tuple(
                link if link.decision.proved else replace(link, decision=unused, corrector=None)
                for link in bare.links
            ),
        )
    if len(relations) == len(proof.links) == 1:
        turned = _contrapositive(premise, conclusion, settings, latex)
        if turned is not None:
            (link,) = proof.links
            decision, definitions = turned
            link = replace(link, decision=decision, definitions=definitions, corrector=None)
            return replace(proof, links=(link,))
    return proof


def _contrapositive(
    premise: str, conclusion: str, settings: Settings, latex: bool
) -> tuple[Decision, tuple[str, ...]] | None:
    """That the premise fails wherever the conclusion does; None where that is not decided."""
    negated = []
    for text in (premise, conclusion):
        _, relations = Claims(dict(settings.words.names), settings.words, latex).split(text)
        if [r.text for r in relations if r.text not in NEGATED] or len(relations) != 1:
            return None
        left, right = sources(text, relations)
        negated.append(as_typed(left, NEGATED[relations[0].text], right, latex=latex))
    try:
        (link,) = settings.prove(negated[0], latex=latex, assume=negated[1:]).links
    except ParseError:
        return None
    decision = link.decision
    if decision.proved:
        reason = f"where the conclusion fails the premise does: {decision.reason}"
        return replace(decision, reason=reason), link.definitions
    if decision.witness is not None:
        reason = "the premise holds at a point where the conclusion fails"
        return replace(decision, reason=reason), link.definitions
    return None
