"""What the equations of a document come to: each proved, refuted or undecided, or recognised as what
it is: a definition, a condition, or a name that the document uses for something else.

A formula in a paper is not always a claim. `X = ...` with a new name defines it; `D = 20 N` and
`E = 1.69` fix what is free; `\\partial L/\\partial N = 0` holds at the optimum and nowhere else. So
what fails as a claim about independent letters is tried as what else it may say, and is refuted only
where it has no other reading: a wrong reading is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sympy import Expr, Poly, Symbol, cancel, expand, powsimp

from .. import symbols as sym
from ..algebra.decide import Answer
from ..algebra.latex_input import tokenize_latex
from ..algebra.parse import NamedFunction, ParseError, Token
from ..budget import SIX_ND, Budget
from .at_law import HasCoefficients
from .paper import LIMIT, RELATION, PrintedEquation
from .prove import ChainLink, Proof, prove
from .source import Place, Source
from .vocabulary import RUN_SYMBOLS, Vocabulary, vocabulary

PROVED, REFUTED, UNDECIDED = (
    answer.value for answer in (Answer.PROVED, Answer.REFUTED, Answer.UNDECIDED)
)
UNREADABLE, DEFINITION, CONDITION, CONFLICT = "unreadable", "definition", "condition", "conflict"
#: The worst comes first.
ANSWERS = (REFUTED, UNREADABLE, CONFLICT, UNDECIDED, PROVED, DEFINITION, CONDITION)

#: Names that other authors give to quantities of their own.
OURS_ALONE = frozenset(
    ["R_opt", "R", "T_N", "T_D", "P", "r", "rho", "s", "w_N", "w_D", "phi2", "C0"]
    + [symbol.name for symbol in RUN_SYMBOLS]
)
ABOUT_THE_OPTIMUM = re.compile(
    r"optim|minimi[sz]|stationar|first[- ]order|Lagrang|KKT|to\s+zero|equal\s+zero|vanish|derivative|gradient",
    re.IGNORECASE,
)
DEFINES = re.compile(r"let|letting|set|setting|put|defin|denot|writ", re.IGNORECASE)
THEOREMS = ("theorem", "lemma", "proposition", "corollary", "example", "remark", "claim")
NEW_THEOREM = re.compile(r"\\newtheorem\*?\{([^{}]*)\}")
ENVIRONMENT = re.compile(r"\\begin\{(?P<name>[A-Za-z]+\*?)\}")
#: Words in front of what a sentence may suppose rather than claim.
SUPPOSING = ("with",)
DERIVATIVE = re.compile(r"\\partial|\\frac\s*\{\s*(?:\\mathrm\{d\}|\\mathrm\s*d|d)[\s\\A-Z^]")
IN_NUMBERS = re.compile(r"[0-9]\.[0-9]|10\s*\^|[0-9]\{,\}[0-9]|[0-9]{3}")
COLON_EQUALS = re.compile(r"\\mathrel\{:\}=|\\vcentcolon=|:\s*=")
EQUALS_COLON = re.compile(r"=\s*:(?!=)")
LAGRANGIAN = re.compile(r"\\(?:mathcal|mathscr)\s*(?:\{\s*[LJ]\s*\}|[LJ])")
MULTIPLIER = re.compile(r"\\(?:lambda|mu|nu)(?![A-Za-z])")
EXPECTATION = re.compile(
    r"\\mathbb\s*\{?\s*[EPV]\s*\}?|\\(?:Pr|Var|Cov|E)(?![A-Za-z])|\\operatorname\*?\{(?:Var|Cov|E|P|Pr)\}"
)
ONLY_NAMES = re.compile(r"(?:[\s,]|\\[,;:! ]|\\?[A-Za-z]+(?:_\{?\w+\}?)?)*")


@dataclass(frozen=True)
class Settings:
    """What holds for every equation of the document."""

    notation: str = "schaeffer"
    budget: Budget | None = None
    law: HasCoefficients | None = None
    assume: Sequence[str] = ()
    let: Sequence[str] = ()
    limit: str | None = None
    seconds: float | None = None

    @property
    def words(self) -> Vocabulary:
        """The names and what they mean."""
        return vocabulary(self.notation, self.budget or SIX_ND)

    def prove(self, text: str, **more: Any) -> Proof:
        """The verdict on one claim under these settings and what is added to them."""
        given: dict[str, Any] = {
            "assume": (*self.assume, *more.pop("assume", ())),
            "let": (*self.let, *more.pop("let", ())),
            "limit": more.pop("limit", None) or self.limit,
        }
        return prove(
            text,
            latex=True,
            notation=self.notation,
            budget=self.budget,
            law=self.law,
            seconds=self.seconds,
            **given,
            **more,
        )


@dataclass(frozen=True)
class Definition:
    """A name that the document gives a meaning.

    Attributes
    ----------
    name : str
    text : str
        `name = expression`, in LaTeX; `name == expression` where a condition determines the name.
    place : Place
    since : int
        From where on in the document it may be used.
    names : frozenset of str
        What the expression is made of.
    trouble : str
        Why the expression cannot be read; the name has no meaning then.
    until : int or None
        Where a definition ends that belongs to a proof or to a theorem.
    """

    name: str
    text: str
    place: Place
    since: int
    names: frozenset[str]
    trouble: str = ""
    until: int | None = None

    def holds(self, at: int | None) -> bool:
        """Whether it holds at a place of the document; at `None` all do."""
        return at is None or (self.since <= at and (self.until is None or at < self.until))

    @property
    def shown(self) -> str:
        """On one line."""
        return _restored(" ".join(self.text.replace("&", " ").split()))

    @property
    def shown_name(self) -> str:
        """The name as a reader of the document knows it."""
        return self.name if self.name != APART.removeprefix("\\") else r"\mathcal{L}"


@dataclass(frozen=True)
class Entry:
    """One link of an equation with what became of it.

    Attributes
    ----------
    answer : str
        One of `ANSWERS`.
    claim, reason : str
    place : Place
    display : tuple of int
        Where in the document the display stands.
    reading : str
        How it had to be read so that it holds: "at the optimum".
    uses : tuple of Definition
        Definitions of the document on which the answer rests.
    link : ChainLink or None
        The decision; None where the equation was not read.
    """

    answer: str
    claim: str
    reason: str
    place: Place
    display: tuple[int, int]
    number: str | None = None
    label: str | None = None
    stated: tuple[str, ...] = ()
    reading: str = ""
    uses: tuple[Definition, ...] = ()
    free: tuple[str, ...] = ()
    read_as: tuple[str, ...] = ()
    link: ChainLink | None = None
    column: int | None = None
    is_inline: bool = False


def report(
    source: Source, printed: Sequence[PrintedEquation], settings: Settings
) -> Iterator[tuple[PrintedEquation, list[Entry]]]:
    """The entries of each equation, as they are decided.

    Parameters
    ----------
    source : Source
    printed : sequence of PrintedEquation
        In the order of the document.
    settings : Settings
    """
    reading = _Document(source, printed, settings)
    for equation in reading.printed:
        yield equation, reading.entries(equation)


@dataclass(frozen=True)
class _Sides:
    """An equation split at its relations."""

    text: str
    tokens: tuple[tuple[Token, ...], ...]
    relations: tuple[Token, ...]
    sources: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> _Sides | None:
        try:
            tokens = tokenize_latex(text)
        except ParseError:
            return None
        relations = tuple(token for token in tokens if token.kind == "relation")
        parts: list[list[Token]] = [[]]
        for token in tokens:
            if token.kind == "relation":
                parts.append([])
            else:
                parts[-1].append(token)
        sources, start = [], 0
        for relation in relations:
            sources.append(text[start : relation.position])
            match = RELATION.match(text, relation.position)
            start = match.end() if match is not None else relation.position + 1
        sources.append(text[start:])
        return cls(text, tuple(map(tuple, parts)), relations, tuple(sources))

    @property
    def names(self) -> frozenset[str]:
        return frozenset(t.text for part in self.tokens for t in part if t.kind == "name")


def _name_alone(tokens: Sequence[Token]) -> tuple[str, tuple[str, ...]] | None:
    """The name that these tokens are, with its arguments where they are names: `f(x, y)`."""
    if not tokens or tokens[0].kind != "name":
        return None
    name, rest = tokens[0].text, tokens[1:]
    if not rest:
        return name, ()
    arguments = rest[1:-1:2]
    marks = [token.text for token in (*rest[:1], *rest[2:-1:2], *rest[-1:])]
    if marks == ["(", *[","] * (len(arguments) - 1), ")"] and all(
        token.kind == "name" for token in arguments
    ):
        return name, tuple(token.text for token in arguments)
    return None


def _bound(sides: _Sides | None) -> frozenset[str]:
    """The arguments of the function that an equation defines: they mean nothing outside it."""
    named = _name_alone(sides.tokens[0]) if sides is not None and sides.relations else None
    return frozenset(named[1] if named is not None else ())


def _environments(text: str) -> Iterator[tuple[int, int, bool]]:
    """Where proofs begin and end, and theorems, each with the proof that follows it."""
    names = {*THEOREMS, *NEW_THEOREM.findall(text)}
    spans = []
    for match in ENVIRONMENT.finditer(text):
        bare = match["name"].rstrip("*")
        closing = text.find(rf"\end{{{match['name']}}}", match.end())
        if (bare == "proof" or bare in names) and closing >= 0:
            spans.append((match.start(), closing, bare == "proof"))
    for (start, end, is_proof), following in zip(spans, [*spans[1:], None], strict=False):
        if not is_proof and following is not None and following[2]:
            yield start, following[1], False
        else:
            yield start, end, is_proof


class _Document:
    """The equations of a document with the definitions that hold at each."""

    def __init__(
        self, source: Source, printed: Sequence[PrintedEquation], settings: Settings
    ) -> None:
        self.source, self.settings = source, settings
        self.words = settings.words
        self.renamed = frozenset(
            name for text in settings.let for name in [_renamed(text)] if name is not None
        )
        self.printed = [
            equation for one in _lagrangian_apart(printed) for equation in self._separated(one)
        ]
        self.environments = list(_environments(source.text))
        self.definitions: list[Definition] = []
        self.numbers: dict[str, str] = {}
        self.seen: set[str] = set()
        for equation in self.printed:
            self._collect(equation)

    # -- definitions ---------------------------------------------------------------------------------------------------

    def _separated(self, equation: PrintedEquation) -> Iterator[PrintedEquation]:
        """The equation, and after it those of its conditions that define or claim something: "where
        a = ...".
        """
        kept = []
        apart: list[PrintedEquation] = []
        for condition in equation.conditions:
            sides = _Sides.of(condition)
            named = _name_alone(sides.tokens[0]) if sides is not None and sides.relations else None
            is_equality = sides is not None and [r.text for r in sides.relations] == ["=="]
            if named is not None and is_equality and not self._is_letter(named[0]):
                at = self.source.text.find(condition.strip(), *equation.display)
                start = at if at >= 0 else equation.start
                apart.append(
                    replace(equation, text=condition, start=start, conditions=(), cue="where")
                )
            elif RELATION.search(condition) or not ONLY_NAMES.fullmatch(condition):
                kept.append(condition)
        yield replace(equation, conditions=tuple(kept))
        yield from apart

    def _is_letter(self, name: str) -> bool:
        """Whether a name means a quantity that is free in the law: N, D, C, A, beta."""
        return isinstance(self.words.names.get(name), Symbol) and name not in self.renamed

    def _is_fresh(self, name: str) -> bool:
        return (
            name not in self.words.names
            and name.replace("_", "") not in self.words.names
            and name not in self.renamed
            and name not in {symbol.name for symbol in self.words.of_a_run}
            and name not in ("oo", "d", "partial")
        )

    def _collect(self, equation: PrintedEquation) -> None:
        """Note the definition that an equation is."""
        text = _plain(equation.text)
        sides = _Sides.of(text)
        if sides is None:
            self._collect_unread(equation, text)
        if sides is None or not sides.relations or equation.definitions or EXPECTATION.search(text):
            return
        first, last = _name_alone(sides.tokens[0]), _name_alone(sides.tokens[-1])
        pairs = []
        if first is not None and sides.relations[0].text == "==":
            pairs.append((first, 0, 1))
        if last is not None and sides.relations[-1].text == "==" and not last[1]:
            pairs.append((last, -1, -2))
        for (name, arguments), own, other in pairs:
            value = frozenset(t.text for t in sides.tokens[other] if t.kind == "name")
            if not self._is_fresh(name) or name in value or name in arguments:
                continue
            if any(d.name == name and d.holds(equation.start) for d in self.definitions) and not (
                DEFINES.match(equation.cue) or COLON_EQUALS.search(equation.text)
            ):
                return
            text = f"{sides.sources[own].strip()} = {sides.sources[other].strip()}"
            since = equation.display[0]
            if equation.cue in ("where", "with"):
                since = self._sentence(equation)
            trouble = "it has several branches" if equation.is_branch else ""
            names = value - {name, *arguments}
            definition = Definition(
                name,
                text,
                self._place(equation),
                since,
                names,
                trouble,
                self._until(name, equation),
            )
            self.definitions.append(self._checked(definition))
            return

    def _collect_unread(self, equation: PrintedEquation, text: str) -> None:
        """Note a name whose definition has marks that cannot be read."""
        relation = RELATION.search(text)
        left = _Sides.of(text[: relation.start()]) if relation is not None else None
        named = _name_alone(left.tokens[0]) if left is not None else None
        if named is None or relation is None or relation.group() != "=":
            return
        if self._is_fresh(named[0]) and not any(
            d.name == named[0] and d.holds(equation.start) for d in self.definitions
        ):
            self.definitions.append(
                Definition(
                    named[0],
                    text.strip(),
                    self._place(equation),
                    equation.display[0],
                    frozenset(),
                    "its expression cannot be read",
                    self._until(named[0], equation),
                )
            )

    def _until(self, name: str, equation: PrintedEquation) -> int | None:
        """Where a name loses its meaning: at the end of the proof that gives it one; a single letter
        of a theorem at the end of the theorem and its proof.
        """
        ends = [
            end
            for start, end, is_proof in self.environments
            if start <= equation.start < end and (is_proof or "_" not in name)
        ]
        return min(ends, default=None)

    def _sentence(self, equation: PrintedEquation) -> int:
        """Where the display begins that a "where" explains."""
        before = [
            one.display[0]
            for one in self.printed
            if not one.is_inline and one.display[1] <= equation.display[0]
        ]
        return max(before, default=equation.display[0])

    def _checked(self, definition: Definition) -> Definition:
        if definition.trouble:
            return definition
        try:
            self.settings.prove(
                "1 = 1", define=[d.text for d in self._closure({definition.name}, [definition])]
            )
        except ParseError as error:
            return replace(definition, trouble=error.complaint)
        return definition

    def _closure(
        self, names: Collection[str], more: Sequence[Definition] = (), at: int | None = None
    ) -> list[Definition]:
        """The definitions that hold at a place of the document and are needed for these names."""
        holding: dict[str, Definition] = {}
        for definition in (*self.definitions, *more):
            if definition.holds(at):
                holding[definition.name] = definition
        needed: dict[str, Definition] = {}
        open_names = list(names)
        while open_names:
            name = open_names.pop()
            if name in holding and name not in needed:
                needed[name] = holding[name]
                open_names += holding[name].names
        return list(needed.values())

    # -- one equation --------------------------------------------------------------------------------------------------

    def _place(self, equation: PrintedEquation, offset: int | None = None) -> Place:
        first = len(equation.text) - len(equation.text.lstrip(" &\n\t"))
        return self.source.place(equation.start + (first if offset is None else offset))

    def entries(self, equation: PrintedEquation) -> list[Entry]:
        """What became of an equation, link by link."""
        text = _plain(equation.text)
        sides = _Sides.of(text)
        names = sides.names if sides is not None else frozenset[str]()
        try:
            return self._decided(equation, text, sides, names)
        except ParseError as error:
            return [self._unread(equation, text, sides, error)]
        finally:
            self.seen |= names

    def _decided(
        self,
        equation: PrintedEquation,
        text: str,
        sides: _Sides | None,
        names: frozenset[str],
    ) -> list[Entry]:
        if equation.unclear:
            what = f"what the words {equation.unclear!r} make of it is not understood"
            raise ParseError(what)
        expectation = EXPECTATION.search(text)
        if expectation is not None:
            what = f"{expectation.group()!r} is an expectation or a probability, which is not read"
            raise ParseError.at(text, expectation.start(), what)
        conditions = [
            condition for condition in equation.conditions if not LIMIT.fullmatch(condition)
        ]
        stated_names = frozenset[str]().union(
            *(s.names for s in map(_Sides.of, conditions) if s is not None)
        )
        uses = self._closure((names - _bound(sides)) | stated_names, at=equation.start)
        own = next((d for d in uses if d.place == self._place(equation)), None)
        if own is not None and own.trouble:
            raise ParseError(own.trouble)
        trial = _Trial(
            self.settings,
            text,
            tuple(d.text for d in uses if not d.trouble) + equation.definitions,
            tuple(conditions),
            equation.limit,
        )
        proof = trial.proof
        opaque = [d for d in uses if d.trouble]
        quantified = stated_names
        entries = []
        for i, link in enumerate(proof.links):
            reading, answer, reason = "", link.decision.answer.value, link.decision.reason
            if answer != PROVED:
                found = trial.elsewhere(i, self.numbers)
                if found is not None:
                    reading, link = found
                    answer, reason = PROVED, link.decision.reason
            context = _Context(self, equation, sides, i, link, proof, quantified, opaque, trial)
            if answer == REFUTED:
                answer, reason = context.verdict()
            is_own = own is not None and context.is_definition_of(own.name)
            if is_own and answer == PROVED:
                answer, reason = DEFINITION, f"defines {own.shown_name}" if own is not None else ""
            entries.append(
                Entry(
                    answer,
                    _restored(link.text),
                    reason,
                    self._place(equation, link.position),
                    equation.display,
                    equation.number,
                    equation.label,
                    equation.conditions,
                    reading,
                    tuple(d for d in uses if d is not own),
                    proof.free,
                    proof.read_as,
                    link,
                    is_inline=equation.is_inline,
                )
            )
        return entries

    def _unread(
        self, equation: PrintedEquation, text: str, sides: _Sides | None, error: ParseError
    ) -> Entry:
        inside = error.position if error.text == text and error.position is not None else None
        place = self._place(equation, inside)
        named = _name_alone(sides.tokens[0]) if sides is not None and sides.relations else None
        answer, reason = UNREADABLE, error.complaint
        if named is not None and sides is not None and self._takes_other_arguments(*named):
            answer = CONFLICT
            reason = (
                f"{named[0]} is {self.meaning(named[0])}; the document has "
                f"{named[0]}({', '.join(named[1])}): give its formula another name"
            )
        return Entry(
            answer,
            _restored(" ".join(equation.text.replace("&", " ").split())),
            reason,
            place,
            equation.display,
            equation.number,
            equation.label,
            equation.conditions,
            column=place.column if inside is not None else None,
            is_inline=equation.is_inline,
        )

    def _takes_other_arguments(self, name: str, arguments: tuple[str, ...]) -> bool:
        """Whether the law has a function of this name whose arguments are others."""
        meaning = self.words.names.get(name)
        if not arguments or name in self.renamed:
            return False
        if not isinstance(meaning, NamedFunction):
            return meaning is not None
        own = [meaning, meaning.other] if meaning.other is not None else [meaning]
        return all(tuple(map(str, f.parameters)) != arguments for f in own if f is not None)

    def meaning(self, name: str) -> str:
        """What the law has under this name, in words."""
        if name in self.words.means:
            return self.words.means[name]
        canonical = {own: other for other, own in self.words.notation.names().items()}
        quantity = sym.QUANTITIES.get(canonical.get(name, name))
        return f"the {quantity.meaning}" if quantity is not None else "a quantity of the law"

    def determine(self, name: str, value: Expr, equation: PrintedEquation) -> None:
        """Note what a condition makes of a name."""
        names = frozenset(str(symbol) for symbol in value.free_symbols)
        text = f"{name} == {value}"
        since = equation.start + len(equation.text)
        self.definitions.append(
            self._checked(
                Definition(
                    name,
                    text,
                    self._place(equation),
                    since,
                    names,
                    until=self._until(name, equation),
                )
            )
        )


@dataclass(frozen=True)
class _Trial:
    """One equation with what may be assumed so that it holds."""

    settings: Settings
    text: str
    define: tuple[str, ...]
    assume: tuple[str, ...]
    limit: str | None
    proofs: dict[str, Proof | None] = field(default_factory=dict)

    @cached_property
    def proof(self) -> Proof:
        return self._prove()

    def _prove(self, assume: Sequence[str] = (), let: Sequence[str] = ()) -> Proof:
        return self.settings.prove(
            self.text,
            define=self.define,
            assume=(*self.assume, *assume),
            let=let,
            limit=self.limit,
        )

    def elsewhere(self, i: int, numbers: Mapping[str, str]) -> tuple[str, ChainLink] | None:
        """Another reading of a link under which it is proved, in words, and the link so read."""
        for reading, given in self._readings(numbers):
            if reading not in self.proofs:
                try:
                    self.proofs[reading] = self._prove(**given)
                except (ParseError, ValueError):
                    self.proofs[reading] = None
            proof = self.proofs[reading]
            if proof is not None and proof.links[i].decision.proved:
                return reading, proof.links[i]
        return None

    def _readings(self, numbers: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
        letters = {
            str(x)
            for link in self.proof.links
            for x in link.lhs.free_symbols | link.rhs.free_symbols
        }
        given = {
            re.split("[=<>]", text)[0].strip() for text in (*self.settings.assume, *self.assume)
        }
        tied = {"N", "D"} & letters and not {"N", "D", "C"} & given
        optimum = ["N == N_opt", "D == D_opt"]
        if tied:
            yield "at the optimum", {"assume": optimum}
        if DERIVATIVE.search(self.text) and not {"N", "D", "C"} & given:
            for let in _along_the_budget(self.settings.budget or SIX_ND):
                name = "along the budget"
                variable = let[0]
                yield f"{name}, a function of {variable}", {"let": [let[1]]}
                yield (
                    f"at the optimum {name}, a function of {variable}",
                    {
                        "let": [let[1]],
                        "assume": optimum,
                    },
                )
        if numbers and not set(numbers) & given:
            values = [f"{name} == {value}" for name, value in numbers.items()]
            yield "with the numbers of the document", {"assume": values}
            if tied:
                yield (
                    "with the numbers of the document, at the optimum",
                    {"assume": [*values, *optimum]},
                )


def _along_the_budget(budget: Budget) -> list[tuple[str, str]]:
    """The loss as a function of one variable, the budget giving the other."""
    powers = dict(budget.powers)
    coefficient = budget.coefficient
    a, d = powers[sym.N], powers[sym.D]
    return [
        ("N", f"L := L(N, (C/(({coefficient})*N^({a})))^(1/({d})))"),
        ("D", f"L := L((C/(({coefficient})*D^({d})))^(1/({a})), D)"),
    ]


@dataclass(frozen=True)
class _Context:
    """A link that fails for independent letters, and what else it may say."""

    document: _Document
    equation: PrintedEquation
    sides: _Sides | None
    index: int
    link: ChainLink
    proof: Proof
    quantified: frozenset[str]
    opaque: Sequence[Definition]
    trial: _Trial

    @property
    def letters(self) -> set[Symbol]:
        return self.link.lhs.free_symbols | self.link.rhs.free_symbols

    @property
    def left(self) -> tuple[str, tuple[str, ...]] | None:
        if self.sides is None:
            return None
        return _name_alone(self.sides.tokens[self.index])

    @property
    def right(self) -> tuple[str, tuple[str, ...]] | None:
        if self.sides is None:
            return None
        return _name_alone(self.sides.tokens[self.index + 1])

    def is_definition_of(self, name: str) -> bool:
        """Whether one side of the link is the name alone."""
        return any(side is not None and side[0] == name for side in (self.left, self.right))

    def verdict(self) -> tuple[str, str]:
        """The answer, where the link is false for some values of its letters, and the reason."""
        reason = self.link.decision.reason
        if self.link.relation == "propto" and self._is_in_numbers:
            return (
                UNDECIDED,
                "it holds for no law in general; numbers need the coefficients of a law",
            )
        if self.opaque:
            what = ", ".join(f"{d.name} (line {d.place.line}: {d.trouble})" for d in self.opaque)
            return UNDECIDED, f"it rests on definitions that are not read: {what}"
        if self.equation.is_inline and self.equation.cue in SUPPOSING:
            return UNDECIDED, "it does not hold in general; it may be what the sentence supposes"
        if self.link.relation != "==":
            return self._of_undefined() or (REFUTED, reason)
        return (
            self._of_a_number()
            or self._of_undefined()
            or self._of_a_law()
            or self._of_a_definition()
            or self._of_a_letter()
            or self._of_numbers()
            or self._of_a_tie()
            or (REFUTED, reason)
        )

    def _of_undefined(self) -> tuple[str, str] | None:
        """Letters that the document does not define."""
        known = {
            meaning for meaning in self.document.words.names.values() if isinstance(meaning, Symbol)
        }
        known |= self.document.words.of_a_run
        free = [x for x in sorted(self.letters - known, key=str) if str(x) not in self.quantified]
        if not free:
            return None
        if len(free) == 1 and self.link.relation == "==" and not self._is_about_the_law:
            value = _solved(self.link.lhs - self.link.rhs, free[0])
            if value is not None:
                shown = str(value).replace("**", "^")
                self.document.determine(str(free[0]), value, self.equation)
                return DEFINITION, f"determines {free[0]} = {shown}"
        names = ", ".join(map(str, free))
        return UNDECIDED, f"it holds for some values only, and the document does not define {names}"

    @property
    def _is_about_the_law(self) -> bool:
        """Whether one side is a name of the law alone: what it says is said of that name."""
        return any(
            side is not None and side[0] in self.document.words.names
            for side in (self.left, self.right)
        )

    def _of_a_law(self) -> tuple[str, str] | None:
        """`L(N, D) = 1.69 + ...`: another law, or the law in numbers."""
        if self.left is None or self.left[0] != "L" or self.left[1] not in (("N", "D"), ()):
            return None
        if "L" in self.document.seen and not self._is_in_numbers:
            return None
        numbers = _coefficients(self.link.rhs, self.document.words)
        if numbers:
            self.document.numbers = numbers
            values = ", ".join(f"{name} = {value}" for name, value in numbers.items())
            return CONDITION, f"gives the law numbers: {values}"
        return CONFLICT, (
            f"L is the loss {self.document.words.names['L'].body}; the document has another law"
        )

    def _of_a_definition(self) -> tuple[str, str] | None:
        """A name of the law that the document uses for something else, or one that it defines
        twice.
        """
        is_last = self.index == len(self.proof.links) - 1
        if self.left is not None and self.index == 0:
            name, _ = self.left
        elif self.right is not None and is_last and EQUALS_COLON.search(self.equation.text):
            name, _ = self.right
        else:
            return None
        earlier = next(
            (
                d
                for d in reversed(self.document.definitions)
                if d.name == name and d.holds(self.equation.start)
            ),
            None,
        )
        if earlier is not None:
            return CONFLICT, f"line {earlier.place.line} defines it otherwise: {earlier.shown}"
        is_explicit = bool(
            DEFINES.match(self.equation.cue)
            or COLON_EQUALS.search(self.equation.text)
            or EQUALS_COLON.search(self.equation.text)
        )
        is_new = name in OURS_ALONE and name not in self.document.seen
        if not (is_explicit or is_new) or self.document._is_letter(name):
            return None
        if name not in self.document.words.names:
            return None
        return CONFLICT, (
            f"{name} is {self.document.meaning(name)}; if the document means another quantity, say "
            f"--let '{self._let()}'"
        )

    def _let(self) -> str:
        if self.sides is None:
            return ""
        left, right = (
            " ".join(self.sides.sources[self.index + k].replace("&", " ").split()) for k in (0, 1)
        )
        if EQUALS_COLON.search(self.equation.text):
            left, right = right, left
        return f"{left} := {right.rstrip(' .,;')}"

    def _of_a_letter(self) -> tuple[str, str] | None:
        """`D = 20 N`, `E = 1.69`: something that is free in the law is fixed."""
        if self.left is None or self.left[1] or not self.document._is_letter(self.left[0]):
            return None
        name = self.left[0]
        value = self.link.rhs
        if name == "C" and _is_a_budget(value):
            own = (self.document.settings.budget or SIX_ND).compute()
            return (
                CONFLICT,
                f"the budget is C = {own}; if the document has another, say --budget '{value}'",
            )
        if value.is_number:
            self.document.numbers = {**self.document.numbers, name: str(value)}
            return CONDITION, f"{name}, {self.document.meaning(name)}, is given a number"
        closed = sym.C in value.free_symbols and not {sym.N, sym.D} & value.free_symbols
        if name in ("N", "D") and closed and not self._is_in_numbers:
            return REFUTED, f"neither for every {name} nor at the optimum"
        return CONDITION, f"{name}, {self.document.meaning(name)}, is given a value"

    @property
    def _is_in_numbers(self) -> bool:
        return IN_NUMBERS.search(self.link.text) is not None

    def _of_a_number(self) -> tuple[str, str] | None:
        """Two numbers that differ: false whatever the letters mean."""
        if self.letters:
            return None
        return REFUTED, self.link.decision.reason

    def _of_numbers(self) -> tuple[str, str] | None:
        if not (self._is_in_numbers or (self.left and self.link.rhs.is_number)):
            return None
        return UNDECIDED, "it holds for no law in general; numbers need the coefficients of a law"

    def _of_a_tie(self) -> tuple[str, str] | None:
        """An equation between N and D: a condition, or a claim about the optimum."""
        if not {"N", "D"} & {str(x) for x in self.letters} or _is_budget_free(self.link):
            return None
        reason = "it holds neither for every N and D nor at the optimum"
        is_meant = ABOUT_THE_OPTIMUM.search(self.equation.prose) or any(
            ABOUT_THE_OPTIMUM.search(condition) for condition in self.equation.conditions
        )
        if is_meant:
            return REFUTED, reason
        return UNDECIDED, f"{reason}; it may be a condition"


def _is_budget_free(link: ChainLink) -> bool:
    """Whether only one side has a size: such a claim ties nothing."""
    return any(side.is_number and side != 0 for side in (link.lhs, link.rhs))


def _is_a_budget(value: Expr) -> bool:
    """Whether an expression is a multiple of powers of N and D."""
    coefficient, power = value.as_independent(sym.N, sym.D)
    powers = power.as_powers_dict()
    return coefficient.is_number and set(powers) == {sym.N, sym.D}


def _solved(difference: Expr, symbol: Symbol) -> Expr | None:
    """The value of a symbol in which an equation is linear."""
    try:
        polynomial = Poly(expand(difference), symbol)
    except Exception:
        return None
    if polynomial.degree() != 1:
        return None
    slope, constant = polynomial.all_coeffs()
    if symbol in slope.free_symbols | constant.free_symbols or constant == 0:
        return None
    return powsimp(cancel(-constant / slope))


def _coefficients(loss: Expr, words: Vocabulary) -> dict[str, str]:
    """The coefficients of the law where an expression is the law in numbers."""
    names = words.notation.names()
    values = {"E": "0"}
    for term in expand(loss).as_ordered_terms():
        if term.is_number:
            values["E"] = str(term)
            continue
        coefficient, power = term.as_independent(sym.N, sym.D)
        base, exponent = power.as_base_exp()
        letters = {sym.N: ("A", "beta"), sym.D: ("B", "gamma")}.get(base)
        if letters is None or not coefficient.is_number or not exponent.is_number or exponent >= 0:
            return {}
        values |= {letters[0]: str(coefficient), letters[1]: str(-exponent)}
    if len(values) != 5:
        return {}
    return {names.get(name, name): value for name, value in values.items()}


def _plain(text: str) -> str:
    """The text with `:=` as an equality, of the same length."""
    text = COLON_EQUALS.sub(lambda match: "=".rjust(len(match.group())), text)
    return EQUALS_COLON.sub(lambda match: "=".ljust(len(match.group())), text)


def _renamed(text: str) -> str | None:
    """The name that `NAME := ...` gives a meaning."""
    left = re.split(":?=", text)[0]
    try:
        tokens = tokenize_latex(left) if re.search(r"\\|\{|\*", left) else None
    except ParseError:
        return None
    return tokens[0].text if tokens else left.split("(")[0].strip()


#: What a Lagrangian is called apart from the loss, in as many characters.
APART = r"\Lambda"


def _lagrangian_apart(printed: Sequence[PrintedEquation]) -> list[PrintedEquation]:
    """The equations with the calligraphic L under a name of its own where it is a Lagrangian: where
    a multiplier stands beside it.
    """
    is_one = any(
        LAGRANGIAN.search(e.text.split("=")[0])
        and MULTIPLIER.search(e.text)
        and not DERIVATIVE.search(e.text)
        for e in printed
    )
    if not is_one or any(APART in e.text for e in printed):
        return list(printed)
    return [
        replace(e, text=LAGRANGIAN.sub(lambda m: APART.ljust(len(m.group())), e.text))
        for e in printed
    ]


def _restored(text: str) -> str:
    return re.sub(rf"{re.escape(APART)}(?![A-Za-z])", lambda _: r"\mathcal{L}", text)
