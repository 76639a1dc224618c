"""What the claims of a document come to: each proved, refuted with a witness, or left unjudged with
the line that would settle it.

Every letter is positive; what a display means beyond its letters is declared (`% isoflop: ...`).
The law and the budget are the document's own, found by their shape. A claim that fails is tried at
the optimum, along the budget and at what the document gives; only what fails there too is refuted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from sympy import Expr, Integer, Symbol, cancel

from ..budget import SIX_ND, Budget
from ..data.notation import Notation
from ..kernel import symbols as sym
from ..kernel.answer import BOUNDS, Answer
from ..reader.building import APPLIED
from ..reader.tokens import ParseError, Token, tokenize
from .at_law import Coefficients, Range, unit_alone
from .chain import ChainLink, Settings
from .document import Document, Piece, Place
from .law_of import LawOfDocument, Sides, budget_of, law_of
from .prove import Proof, proved, signs_assumed
from .spelling import as_read
from .typed import as_typed, in_one_line
from .vocabulary import Vocabulary, refuse_clashes

REFUTED, UNREADABLE, UNDECIDED, PROVED = "refuted", "unreadable", "undecided", "proved"
DEFINITION, GIVEN, BY_SYMPY = "definition", "given", Answer.BY_SYMPY.value
#: The worst comes first.
ANSWERS = (REFUTED, UNREADABLE, UNDECIDED, BY_SYMPY, PROVED, DEFINITION, GIVEN)
LIMIT = re.compile(r"\\(?:to|rightarrow|longrightarrow)(?![A-Za-z])")
DERIVATIVE = re.compile(r"\\partial|\\frac\s*\{\s*(?:\\mathrm\{d\}|\\mathrm\s*d|d)[\s\\A-Z^]|dL/d")
#: `C^{0.49}`, `\frac{0.28}{0.62}`, `3 \times 10^{10}`: what stands for all that rounds to it.
DECIMAL = re.compile(r"\d\.\d|\\(?:times|cdot)\s*10")
#: The loss of a run of any size, in the tokens of plain text or of LaTeX.
OF_A_RUN = re.compile(r"[LR]\(N,D\)")
#: Names that authors give to quantities of their own.
OFTEN_OTHERS = frozenset(["P", "R", "R_opt", "r", "rho", "s", "phi2", "T_N", "T_D"])
RUN = ("N", "D", "C")
#: Whole numbers up to here are not rounded.
SMALL = 100
#: The kinds of pieces that are formulas.
FORMULAS = ("claim", "explained", "inline")


@dataclass(frozen=True)
class Judgement:
    """One link of a claim with what became of it.

    Attributes
    ----------
    answer : str
        One of `ANSWERS`.
    claim, reason : str
    piece : Piece
    reading : str
        Where it holds: "at the optimum".
    read : str
        The claim in one line of plain text, as it was read.
    remedy : str
        The declaration that would settle what is not judged.
    link : ChainLink or None
        The decision; None where there is none.
    """

    answer: str
    claim: str
    reason: str
    piece: Piece
    reading: str = ""
    read: str = ""
    remedy: str = ""
    free: tuple[str, ...] = ()
    link: ChainLink | None = None


@dataclass(frozen=True)
class DefinedName:
    """A name that the document defines."""

    name: str
    text: str
    uses: frozenset[str]
    place: Place
    trouble: str = ""


@dataclass(frozen=True)
class GivenNumber:
    """The value of a letter in the document, `E = 1.69`, with what rounds to it."""

    value: Expr
    ends: Range
    place: Place


@dataclass
class Paper:
    """A document as it is read from its beginning to its end.

    Parameters
    ----------
    document : Document
    settings : Settings
    notation : str or None
        The notation that is declared for it; by default that of its law.
    """

    document: Document
    settings: Settings
    notation: str | None = None
    definitions: dict[str, DefinedName] = field(default_factory=dict)
    given: dict[str, GivenNumber] = field(default_factory=dict)
    ray: tuple[str, Expr, Place] | None = None
    """What ties D to N in the runs that the document speaks of, as `D = 20 N`, and where."""
    assumed: tuple[str, ...] = ()
    at: tuple[str, ...] = ()
    otherwise: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.pieces = self.document.pieces
        self.budget_of_document = self.settings.budget
        self.budget_of_theorem: Budget | None = None
        self.is_in_theorem = False
        self.own_let = tuple(self.settings.let)
        self.declared_let: tuple[str, ...] = ()
        parts = _functions_of_both(self.pieces)
        found = [
            (i, law_of(_put_in(p.text, parts)))
            for i, p in enumerate(self.pieces)
            if p.kind in FORMULAS
        ]
        self.laws = self._laws([(i, law) for i, law in found if law is not None])
        self.numeric = {i: law for i, law in found if law is not None and law.numbers}
        self.budget_piece: Piece | None = None
        self.later = _later(self.pieces)

    def _laws(self, found: Sequence[tuple[int, LawOfDocument]]) -> dict[int, LawOfDocument]:
        """The places from which on a law holds. One of another shape counts before there is one of
        the shape, and where it has letters of its own.
        """
        laws: dict[int, LawOfDocument] = {}
        known: set[str] = set()
        for i, law in found:
            if law.notation is not None:
                known |= {*law.notation.names().values(), "N", "D"}
                laws[i] = law
            elif law.trouble and not (known and law.names and law.names <= known):
                laws[i] = law
        return laws

    def law_at(self, i: int) -> tuple[int, LawOfDocument] | None:
        """The law that holds at a piece, and where it stands."""
        before = [k for k in self.laws if k <= i]
        k = before[-1] if before else next(iter(self.laws), None)
        return None if k is None else (k, self.laws[k])

    # -- the document from its beginning to its end ------------------------------------------------

    def judged(self) -> Iterator[tuple[Piece, list[Judgement]]]:
        """The verdicts on each claim, as they are decided."""
        skip = False
        for i, piece in enumerate(self.pieces):
            try:
                if piece.kind in ("section", "theorem"):
                    self.assumed, self.budget_of_theorem = (), None
                    self.is_in_theorem = piece.kind == "theorem"
                elif piece.kind == "declared":
                    skip = self._declare(piece.text) or skip
                else:
                    self._take_budget(piece)
                    if i in self.numeric and piece.kind == "inline":
                        self._take_numbers(self.numeric[i], piece)
                if piece.kind in ("claim", "explained") and not skip:
                    found = self._on(i, piece)
                    if found:
                        yield piece, found
                if piece.kind == "claim" and skip:
                    skip = self._is_same_display(i)
                if piece.kind == "claim" and not self._is_same_display(i):
                    self.at = ()
            except (ParseError, ValueError) as error:
                self._note_unread(piece, str(error))
                complaint = getattr(error, "complaint", None) or str(error)
                yield (
                    piece,
                    [Judgement(UNREADABLE, _shown(piece.text), complaint, piece, remedy="skip")],
                )

    def _is_same_display(self, i: int) -> bool:
        after = self.pieces[i + 1 : i + 2]
        return bool(after) and after[0].display == self.pieces[i].display

    def _declare(self, text: str) -> bool:
        """Take a declaration; whether the next display is to be skipped."""
        word, _, rest = text.partition(" ")
        rest = rest.strip()
        if word == "notation":
            self.notation = rest
        elif word == "budget":
            self.budget_of_document = Budget.parse(re.sub(r"(?<=\w)\s+(?=\w)", "*", rest))
        elif word == "let":
            self.declared_let = (*self.declared_let, rest)
        elif word == "assume":
            self.assumed = (*self.assumed, *_single(rest))
        elif word == "at":
            several = re.split(r",(?![^()]*\))", rest)
            self.at = tuple(condition for one in several for condition in _single(one))
        elif word == "skip" and not rest:
            return True
        elif rest == "real":
            self.assumed = (*self.assumed, text)
        else:
            raise ParseError(
                f"`% isoflop: {word}` is not known: say notation, budget, let, assume, at, skip or `z real`"
            )
        return False

    def _take_budget(self, piece: Piece) -> None:
        found = budget_of(piece.text)
        if found is not None and piece.kind == "inline" and self.is_in_theorem:
            self.budget_of_theorem = found[0]
        if found is None or self.budget_of_document is not None:
            return
        self.budget_of_document, name = found
        self.budget_piece = piece
        if name.strip() != "C":
            self.own_let = (*self.own_let, f"{name} := C")

    def _take_numbers(self, law: LawOfDocument, piece: Piece) -> None:
        names = self._settings(len(self.pieces)).words.notation.names()
        for name, value in law.numbers:
            number = cancel(value)
            self.note(names.get(name, name), number, tokenize(as_read(number)), piece.place)

    def note(self, name: str, value: Expr, tokens: Sequence[Token], place: Place) -> None:
        """Take a number that the document gives; of N, D or C a second one is of another run."""
        if name in RUN and name in self.given:
            self.given = {x: number for x, number in self.given.items() if x not in RUN}
        half = unit_alone(tokens, "approx" if value > SMALL else "==") or Integer(0)
        self.given[name] = GivenNumber(value, (value - half / 2, value + half / 2), place)

    def numbers(self, words: Vocabulary, budget: Budget, name: str) -> Coefficients | None:
        """What is given, and in place of the letter of a run that is claimed, what the two others
        make of it.
        """
        given = {x: number for x, number in self.given.items() if x != name}
        values = {words.names[x]: number.value for x, number in given.items()}
        ranges = {words.names[x]: number.ends for x, number in given.items()}
        others = [words.names[x] for x in RUN if x != name]
        if name in RUN and values.keys() >= {*others}:
            letter = words.names[name]
            tied = budget.compute() if name == "C" else budget.remaining(others[0])
            corners = [
                tied.xreplace(dict(zip(others, ends, strict=True)))
                for ends in product(*(ranges[x] for x in others))
            ]
            values[letter] = tied.xreplace(values)
            ranges[letter] = (min(corners), max(corners))
        lines = dict.fromkeys(f"line {number.place.line}" for number in given.values())
        return Coefficients(f"the numbers of {', '.join(lines)}", values, ranges) if given else None

    def _settings(self, i: int) -> Settings:
        """What holds at a piece: the notation and the budget of the document, and what it lets."""
        found = self.law_at(i)
        law = None if found is None else found[1]
        notation: str | Notation = self.notation or self.settings.notation
        let = [*self.own_let, *self.declared_let]
        if law is not None and law.notation is not None:
            notation, let = law.notation, [*law.let, *let]
        elif self.notation is None and self.numeric:
            is_new = not any(r"\gamma" in piece.text for piece in self.pieces)
            notation = "hoffmann" if is_new else notation
        budget = self.settings.budget or self.budget_of_theorem or self.budget_of_document
        refuse_clashes(budget or SIX_ND, notation)
        settings = replace(self.settings, notation=notation, budget=budget, let=let)
        signs, others = signs_assumed((*self.assumed, *self.at), settings.words)
        none = (
            []
            if law is None or law.has_constant
            else [f"{settings.words.notation.irreducible} == 0"]
        )
        return replace(settings, signs=signs, assume=(*settings.assume, *others, *none))

    def lawless(self, i: int) -> str:
        """Why nothing is said of what hangs on the law; empty where the law is known."""
        found = self.law_at(i)
        if found is None:
            return "" if self.notation or self.numeric else "the document's law is missing"
        k, law = found
        place = self.pieces[k].place
        return f"the document's law, line {place.line}, {law.trouble}" if law.trouble else ""

    def _note_unread(self, piece: Piece, trouble: str) -> None:
        """A name whose definition is not read means something all the same."""
        try:
            name = Sides.of(f"{piece.text.partition('=')[0]} = 1").named(0)[0]
        except ParseError:
            return
        if name and name not in APPLIED | self._settings(0).words.names.keys():
            own = DefinedName(name, piece.text, frozenset(), piece.place, trouble)
            self.definitions[name] = own

    # -- one claim ---------------------------------------------------------------------------------

    def _on(self, i: int, piece: Piece) -> list[Judgement]:
        if piece.trouble:
            raise ParseError(piece.trouble)
        try:
            sides = Sides.of(piece.text)
        except ParseError:
            if piece.kind == "explained":
                return []
            raise
        if piece.kind == "explained" and not (sides.relations[:1] == ["=="] and sides.named(0)[0]):
            return []
        if i in self.numeric:
            self._take_numbers(self.numeric[i], piece)
            return [Judgement(GIVEN, _shown(sides.text), "the law in numbers", piece)]
        found = _Claim(self, i, piece, sides, self._settings(i)).judged()
        is_law = i in self.laws and self.laws[i].notation is not None
        if is_law or self.budget_piece is piece:
            what = "the document's law" if is_law else "the document's budget"
            return [
                replace(v, answer=GIVEN, reason=what) if v.answer == PROVED else v for v in found
            ]
        return found

    def used(self, names: set[str], known: set[str]) -> list[DefinedName]:
        """The definitions on which names rest that have no other meaning, those that they rest on
        first.
        """
        found: dict[str, DefinedName] = {}

        def follow(name: str) -> None:
            name = name.partition("_prime")[0]
            one = self.definitions.get(name) or self.later.get(name)
            if one is not None and one.name not in found and name not in known:
                found[name] = one
                for other in one.uses - {name}:
                    follow(other)

        for name in sorted(names):
            follow(name)
        return list(reversed(found.values()))


@dataclass
class _Claim:
    """A claim under what holds where it stands."""

    paper: Paper
    index: int
    piece: Piece
    sides: Sides
    settings: Settings
    proof: Proof | None = None

    def __post_init__(self) -> None:
        words = self.settings.words
        self.words = words
        self.own = {*words.names, *(x.name for x in words.of_a_run)}
        self.own |= {re.split(":?=", text)[0].strip().lstrip("\\") for text in self.settings.let}
        self.limit = next((c for c in self.piece.conditions if LIMIT.search(c)), None)
        beside = [c for c in self.piece.conditions if c is not self.limit]
        signs, others = signs_assumed([s for c in beside for s in _single(c)], words)
        self.settings = replace(self.settings, signs={**self.settings.signs, **signs})
        self.beside = tuple(others)
        declared = (*self.piece.conditions, *self.paper.assumed, *self.paper.at)
        self.quantified = set().union(*(set(re.findall(r"[A-Za-z]\w*", c)) for c in declared))
        self.name, self.arguments = self.sides.named(0)
        self.is_new = self._is_new()

    def _is_new(self) -> bool:
        """Whether the left side is a name without a meaning, which this defines."""
        joined = re.sub(r"(?<=[A-Za-z])_(?=\d)", "", self.name)
        known = self.own | self.paper.definitions.keys()
        if self.piece.follows:  # what is concluded about letters of the premise defines none
            known |= set(re.findall(r"[A-Za-z]+", self.paper.pieces[self.index - 1].text))
        return (
            bool(self.name)
            and self.sides.relations[0] in ("==", "approx")
            and not {self.name, joined} & {*known, *APPLIED}
            and r"\iff" not in self.piece.text
        )

    def judged(self) -> list[Judgement]:
        """The verdict on each link; what the claim tells is noted in the paper."""
        paper = self.paper
        names = self.sides.names | self.quantified
        if self.is_new:
            names -= {*self.arguments}
        why = self._unjudged(names)
        if why:
            return [self._verdict(UNDECIDED, self.sides.text, *why)]
        own = None
        if self.is_new:
            own = self._defines(self.name, self.sides, frozenset(names))
            paper.definitions[self.name] = own
        self.uses = paper.used(names, self.own)
        opaque = next((d for d in self.uses if d.trouble and d is not own), None)
        if opaque is not None:
            reason = f"it rests on {opaque.name} of line {opaque.place.line}, which is not read"
            return [self._verdict(UNDECIDED, self.sides.text, reason, "skip")]
        try:
            if r"\iff" in self.piece.text:
                return [self._equivalence()]
            self.proof = proof = self.prove()
        except (ParseError, ValueError) as error:
            if self.is_new and own is not None:
                paper.definitions[self.name] = replace(own, trouble=str(error))
            raise
        return [self._on_link(k, link) for k, link in enumerate(proof.links)]

    def _defines(self, name: str, sides: Sides, names: frozenset[str]) -> DefinedName:
        text = f"{sides.sources[0]} = {sides.sources[1]}"
        return DefinedName(name, text, names, self.piece.place)

    def _unjudged(self, names: set[str]) -> tuple[str, str] | None:
        """Why nothing is said of a claim with these names, and what would settle it."""
        other = next((name for name in names if name in self.paper.otherwise), None)
        if other is not None:
            line = self.paper.otherwise[other]
            return f"line {line} uses {other} for something else", f"let {other} = ..."
        if self.name in ("L", "L_hat") and len(self.arguments) == 1 and self.arguments != ("C",):
            return f"{self.name}({self.arguments[0]}) is a function of its own", "skip"
        lawless = self.paper.lawless(self.index)
        on_law = {n for n in names if not isinstance(self.words.names.get(n, sym.N), Symbol)}
        on_law |= names & {x.name for x in self.words.of_a_run} - {*RUN}
        if lawless and on_law:
            shown = ", ".join(sorted(on_law))
            return f"{lawless}; {shown} hangs on it", f"notation {self.words.notation.name}"
        return None

    def prove(
        self,
        text: str | None = None,
        assume: Sequence[str] = (),
        let: Sequence[str] = (),
    ) -> Proof:
        """The verdict on the claim where this is assumed besides."""
        return proved(
            self.sides.text if text is None else text,
            self.settings,
            define=[d.text for d in self.uses],
            assume=(*self.beside, *assume),
            let=let,
            limit=self.limit,
        )

    def _typed(self, k: int) -> str:
        """A link as it stands in the document."""
        left, right = self.sides.sources[k : k + 2]
        return _shown(as_typed(left, self.sides.relations[k], right))

    def attempt(
        self,
        k: int,
        text: str | None = None,
        assume: Sequence[str] = (),
        let: Sequence[str] = (),
    ) -> ChainLink | None:
        """A link where something is assumed besides; None where that cannot be."""
        try:
            return self.prove(text, assume, let).links[k]
        except (ParseError, ValueError, IndexError):
            return None

    def _verdict(
        self,
        answer: str,
        claim: str | int,
        reason: str,
        remedy: str = "",
        reading: str = "",
        link: ChainLink | None = None,
    ) -> Judgement:
        read, free = ("", ()) if self.proof is None else (self.proof.reading, self.proof.free)
        claim = self._typed(claim) if isinstance(claim, int) else claim
        if answer == PROVED and link is not None:  # or given by SymPy's limit alone
            answer = link.decision.answer.value
        return Judgement(
            answer, _shown(claim), reason, self.piece, reading, read, remedy, free, link
        )

    def _on_link(self, k: int, link: ChainLink) -> Judgement:
        decision = link.decision
        if self.is_new and k == 0 and not decision.refuted:
            return self._verdict(DEFINITION, k, f"defines {self.name}")
        if decision.proved:
            return self._verdict(PROVED, k, decision.reason, link=link)
        for reading, given in self._readings(link):
            found = self.attempt(k, None, *given)
            if found is None or not found.decision.proved:
                continue
            if given[0] and self._compares_with_the_optimum():
                remedy = "at N = N^*, D = D^*"
                return self._verdict(UNDECIDED, k, "it holds at the optimum alone", remedy)
            return self._verdict(PROVED, k, found.decision.reason, reading=reading, link=found)
        at_numbers = self._at_numbers(k, link)
        if self.piece.follows and at_numbers is None:
            before = self.paper.pieces[self.index - 1].text
            found = self.attempt(k, text=f"{before} \\implies {self.sides.text}")
            if found is not None and found.decision.proved:
                reading = "given the claim before"
                return self._verdict(PROVED, k, found.decision.reason, reading=reading, link=found)
        return at_numbers or self._on_ray(k, link) or self._on_failure(k, link)

    def _on_ray(self, k: int, link: ChainLink) -> Judgement | None:
        """The verdict on a relation of C to N and D in runs whose D is tied to N; None where the
        document ties none, or the link is of other letters as well.
        """
        letters = {str(x) for x in link.lhs.free_symbols | link.rhs.free_symbols}
        is_of_a_run = "C" in letters and letters < {*RUN} and not self.sides.names - {*RUN, "sqrt"}
        if self.paper.ray is None or not is_of_a_run:
            return None
        name, value, place = self.paper.ray
        compute = (self.settings.budget or SIX_ND).compute()
        spent = compute.xreplace({self.words.names[name]: value})
        found = self.attempt(k, let=[f"{name} := {as_read(value)}", f"C := {as_read(spent)}"])
        if found is None or not (found.decision.proved or found.decision.refuted):
            return None
        answer = PROVED if found.decision.proved else REFUTED
        where = f"in the runs of line {place.line}"
        return self._verdict(answer, k, found.decision.reason, reading=where, link=found)

    def _readings(self, link: ChainLink) -> Iterator[tuple[str, tuple[list[str], list[str]]]]:
        """Where a link may be meant that fails for independent letters."""
        letters = {str(x) for x in link.lhs.free_symbols | link.rhs.free_symbols}
        given = {
            re.split("[=<>]", text)[0].strip() for text in (*self.settings.assume, *self.beside)
        }
        if {"N", "D", "C"} & given:
            return
        optimum = ["N == N_opt", "D == D_opt"]
        if {"N", "D"} & letters:
            yield "at the optimum", (optimum, [])
        if DERIVATIVE.search(self.piece.text):
            budget = self.settings.budget or SIX_ND
            for x, loss in (
                ("N", f"L := L(N, {as_read(budget.remaining(sym.N))})"),
                ("D", f"L := L({as_read(budget.remaining(sym.D))}, D)"),
            ):
                yield f"along the budget, a function of {x}", ([], [loss])
                yield (
                    f"at the optimum along the budget, a function of {x}",
                    (optimum, [loss]),
                )

    def _compares_with_the_optimum(self) -> bool:
        """Whether the claim is of any run and not of the optimum, which is what it names beside the
        run, or where it names the run by L(N, D) or by a name that is defined by its N or D.
        """
        defined_by = frozenset[str]().union(*(one.uses for one in self.uses))
        names = self.sides.names | defined_by
        of_a_run = OF_A_RUN.search("".join(self.sides.text.split())) is not None
        is_derivative = DERIVATIVE.search(self.piece.text) is not None
        return (
            any(name.endswith(("_opt", "_star")) for name in names)
            or bool({"N", "D"} & defined_by)
            or (of_a_run and not is_derivative)
        )

    def _at_numbers(self, k: int, general: ChainLink) -> Judgement | None:
        """The verdict on a link at the numbers that the document gives; None where these say
        nothing, or no more than that it fails as it does in general.
        """
        budget = self.settings.budget or SIX_ND
        numbers = self.paper.numbers(self.words, budget, self.name if k == 0 else "")
        if numbers is None:
            return None
        is_letter = self._is_letter(self.name) and not self.arguments and k == 0
        if is_letter and self.words.names[self.name] not in numbers.values:
            return None
        settings, self.settings = self.settings, replace(self.settings, given=numbers)
        link = self.attempt(k)
        self.settings = settings
        if link is None:
            return None
        if link.decision.proved:
            return self._verdict(PROVED, k, link.decision.reason, link=link)
        if link.decision.refuted:
            is_rounded = DECIMAL.search(self._typed(k)) is not None
            verdict = self._verdict(REFUTED, k, link.decision.reason, link=link)
            return verdict if is_rounded else None
        letters = general.lhs.free_symbols | general.rhs.free_symbols
        if letters and letters <= numbers.values.keys():
            return self._verdict(UNDECIDED, k, link.decision.reason, "skip")
        return None

    # -- what fails --------------------------------------------------------------------------------

    def _is_letter(self, name: str) -> bool:
        return isinstance(self.words.names.get(name), Symbol) or name in ("r", "rho", "s")

    def _undefined(self, link: ChainLink) -> list[str]:
        """The letters of a link that neither the law nor the document defines."""
        known = {
            x for x in self.words.names.values() if isinstance(x, Symbol)
        } | self.words.of_a_run
        free = sorted((link.lhs.free_symbols | link.rhs.free_symbols) - known, key=str)
        return [str(x) for x in free if str(x) not in self.quantified]

    def _on_failure(self, k: int, link: ChainLink) -> Judgement:
        decision = link.decision
        undefined = self._undefined(link)
        is_condition = link.relation in BOUNDS and self._is_of_letters(k, link)
        if is_condition and not undefined and decision.refuted and not self._is_premise(k, link):
            remedy, reason = (
                f"assume {self._typed(k)}",
                "it holds for some values only: a condition?",
            )
            return self._verdict(UNDECIDED, k, reason, remedy)
        if link.relation in (*BOUNDS, "!=", "~", "->") and (needed := self._needed(k, link)):
            reason = f"needs {needed}"
            return self._verdict(UNDECIDED, k, reason, f"assume {needed}")
        if not decision.refuted:
            return self._verdict(
                UNDECIDED, k, decision.reason, "assume ..." if undefined else "skip"
            )
        if not link.lhs.free_symbols | link.rhs.free_symbols:
            return self._verdict(REFUTED, k, decision.reason, link=link)
        if link.relation == "==" and k == 0 and (found := self._gives(k, link)):
            return found
        if self._is_premise(k, link):
            return self._verdict(GIVEN, k, "the premise of what follows")
        if undefined:
            names = ", ".join(undefined)
            reason = f"it holds for some values only, and the document does not define {names}"
            return self._verdict(UNDECIDED, k, reason, f"let {undefined[0]} = ...")
        earlier = self.paper.definitions.get(self.name) if k == 0 else None
        if earlier is not None and earlier.place != self.piece.place:
            self.paper.otherwise[self.name] = self.piece.place.line
            reason = (
                f"line {earlier.place.line} defines {self.name} otherwise: {_shown(earlier.text)}"
            )
            return self._verdict(UNDECIDED, k, reason, "skip")
        is_said = re.search(r":\s*=|=\s*:|\\vcentcolon", self.piece.text) is not None
        is_others = self.name in OFTEN_OTHERS or (is_said and self.name in self.words.means)
        if is_others and not self.arguments and k == 0:
            self.paper.otherwise[self.name] = self.piece.place.line
            meant = self.words.means.get(self.name, "a ratio of a run to the optimum")
            reason = f"{self.name} is {meant} here, and the document may mean something else"
            return self._verdict(UNDECIDED, k, reason, f"let {self._typed(k)}")
        if link.relation in ("==", "propto") and DECIMAL.search(self._typed(k)):
            letters = self.words.notation.names()
            remedy = f"assume \\{letters['beta']} = ..., \\{letters['gamma']} = ..."
            reason = "a rounded number hangs on those of the law, which are not given here"
            return self._verdict(UNDECIDED, k, reason, remedy)
        where = self._holds_where(k)
        reason = decision.reason
        if {sym.N, sym.D} & (
            link.lhs.free_symbols | link.rhs.free_symbols
        ) and link.relation == "==":
            reason = "it holds neither for every N and D nor at the optimum"
        return self._verdict(REFUTED, k, reason, reading=where, link=link)

    def _needed(self, k: int, link: ChainLink) -> str:
        """A condition on the exponents or the ratio under which a link is proved."""
        names = self.words.notation.names()
        beta, gamma = names["beta"], names["gamma"]
        letters = {str(x) for x in link.lhs.free_symbols | link.rhs.free_symbols}
        pairs = [(beta, gamma), (gamma, beta)] if {beta, gamma} <= letters else []
        ones = [x for x in ("r", "rho") if x in letters and self.limit is None]
        tried = [f"{x} > {y}" for x, y in pairs] + [f"{x} {sign} 1" for x in ones for sign in "<>"]
        for condition in tried:
            found = self.attempt(k, assume=[condition])
            if found is not None and found.decision.proved:
                return re.sub(r"\b(alpha|beta|gamma|rho)", r"\\\1", condition)
        return ""

    def _holds_where(self, k: int) -> str:
        names = self.words.notation.names()
        equal = f"{names['beta']} == {names['gamma']}"
        found = self.attempt(k, assume=[equal])
        is_so = found is not None and found.decision.proved
        return f"it holds where {equal.replace('==', '=')}" if is_so else ""

    def _is_premise(self, k: int, link: ChainLink) -> bool:
        """`\\beta = \\gamma \\implies ...`, and what follows does not hold without it."""
        after = self.paper.pieces[self.index + 1 : self.index + 2]
        return bool(after) and after[0].follows and self._is_of_letters(k, link)

    def _is_of_letters(self, k: int, link: ChainLink) -> bool:
        """Whether each side is a letter or a number."""
        letters = [self.sides.named(k + j) for j in (0, 1)]
        values = (link.lhs, link.rhs)
        return all(
            value.is_number or (name and not arguments and self._is_letter(name))
            for (name, arguments), value in zip(letters, values, strict=True)
        )

    def _gives(self, k: int, link: ChainLink) -> Judgement | None:
        """`E = 1.69`: a letter that is free in the law is fixed; `D = 20 N`: D is tied to N from
        here on; `C = 120 N^2`, before that, is of some runs alone.
        """
        name, value = self.name, link.rhs
        if self.arguments or not self._is_letter(name):
            return None
        if value.is_number:
            self.paper.note(name, value, self.sides.parts[1], self.piece.place)
            return self._verdict(GIVEN, k, f"{name} is given")
        letters = {str(x) for x in value.free_symbols}
        ratios = letters & {"r", "rho", "s"}
        is_of_some_runs = bool(ratios) or letters < {*RUN} - {name}
        if name not in RUN or not is_of_some_runs or self._is_premise(k, link):
            return None
        if not ratios and name != "C" and "C" not in letters:
            self.paper.ray = name, value, self.piece.place
            return self._verdict(GIVEN, k, f"{name} is given")
        self.paper.otherwise |= dict.fromkeys(ratios, self.piece.place.line)
        reason = "it holds for some runs only: a condition?"
        return self._verdict(UNDECIDED, k, reason, f"assume {self._typed(0)}")

    def _equivalence(self) -> Judgement:
        """`a = b \\iff c = d`: both ways, or both sides hold."""
        self.proof = proof = self.prove()
        answers = [link.decision for link in proof.links]
        text = self.sides.text
        if all(decision.proved for decision in answers):
            return self._verdict(PROVED, text, answers[0].reason, link=proof.links[0])
        parts = re.split(r"\\iff(?![A-Za-z])", text)
        optimum = ["N == N_opt", "D == D_opt"]
        for reading, assume in (("", []), ("at the optimum", optimum)):
            try:
                each = [link for part in parts for link in self.prove(part, assume=assume).links]
            except (ParseError, ValueError):
                continue
            if all(link.decision.proved for link in each):
                if assume and self._compares_with_the_optimum():
                    break
                return self._verdict(PROVED, text, "both sides hold", reading=reading, link=each[0])
        failed = next((link for link in proof.links if link.decision.refuted), None)
        if failed is not None and not self._undefined(failed):
            return self._verdict(REFUTED, text, failed.decision.reason, link=failed)
        first = next(link for link in proof.links if not link.decision.proved)
        return self._verdict(UNDECIDED, text, first.decision.reason, "skip")


def _single(condition: str) -> list[str]:
    """`0 < r < 1` as two conditions."""
    try:
        sides = Sides.of(condition)
    except ParseError:
        return [condition]
    if len(sides.relations) < 2:
        return [condition]
    pairs = zip(sides.sources, sides.relations, sides.sources[1:], strict=False)
    return [as_typed(left, sign, right) for left, sign, right in pairs]


def _functions_of_both(pieces: Sequence[Piece]) -> dict[str, str]:
    """`R(N, D)` and what it stands for, by which a law may be written."""
    found: dict[str, str] = {}
    for piece in pieces:
        left, equals, right = piece.text.replace("&", " ").partition("=")
        is_call = re.fullmatch(r"\s*[A-Za-z]\(\w+,\s*\w+\)\s*", left) is not None
        if piece.kind in FORMULAS and equals and is_call and left.strip()[0] != "L":
            found.setdefault(left.strip(), right.partition("=")[0])
    return found


def _put_in(text: str, parts: dict[str, str]) -> str:
    left, equals, right = text.partition("=")
    for call, meaning in parts.items():
        if left.strip() != call:
            right = right.replace(call, f"({meaning})")
    return f"{left}{equals}{right}"


def _later(pieces: Sequence[Piece]) -> dict[str, DefinedName]:
    """The names that the text explains, for claims in front of it."""
    found: dict[str, DefinedName] = {}
    for piece in pieces:
        if piece.kind == "explained":
            try:
                sides = Sides.of(piece.text)
            except ParseError:
                continue
            name, _ = sides.named(0)
            if name and sides.relations[:1] == ["=="]:
                text = f"{sides.sources[0]} = {sides.sources[1]}"
                uses = frozenset(sides.names)
                found.setdefault(name, DefinedName(name, text, uses, piece.place))
    return found


def _shown(text: str) -> str:
    return in_one_line(text)
