"""What the claims of a document come to: each proved, refuted with a witness, or left unjudged with
the line that would settle it.

Every letter is positive; what a display means beyond its letters is declared (`% isoflop: ...`).
The law and the budget are the document's own, found by their shape. A claim that fails as it stands
is tried with the numbers that the document gives, at the optimum, and along the budget.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sympy import Symbol

from ..budget import SIX_ND
from ..kernel import symbols as sym
from ..kernel.answer import BOUNDS, Answer
from ..reader.building import APPLIED
from ..reader.tokens import ParseError
from .at_law import Coefficients
from .chain import ChainLink, Settings
from .document import Document, Piece
from .given import signs_assumed
from .law_of import LawOfDocument, Sides, budget_of, laws_of
from .prove import Proof, proved
from .spelling import as_read
from .state import ALONG, RUN, SKIP, DefinedName, State, single
from .typed import as_typed, in_one_line

REFUTED, UNREADABLE, UNDECIDED, PROVED = "refuted", "unreadable", "undecided", "proved"
DEFINITION, GIVEN, BY_SYMPY = "definition", "given", Answer.BY_SYMPY.value
AT_OPTIMUM = "at the optimum"
#: The worst comes first.
ANSWERS = (
    *(REFUTED, UNREADABLE, UNDECIDED, BY_SYMPY),
    *(AT_OPTIMUM, ALONG, PROVED, DEFINITION, GIVEN),
)
LIMIT = re.compile(r"\\(?:to|rightarrow|longrightarrow)(?![A-Za-z])")
DERIVATIVE = re.compile(r"\\partial|\\frac\s*\{\s*(?:\\mathrm\{d\}|\\mathrm\s*d|d)[\s\\A-Z^]|dL/d")
#: `C^{0.49}`, `\frac{0.28}{0.62}`, `3 \times 10^{10}`: what stands for all that rounds to it.
DECIMAL = re.compile(r"\d\.\d|\\(?:times|cdot)\s*10")
#: The loss of a run of any size, in the tokens of plain text or of LaTeX.
OF_A_RUN = re.compile(r"[LR]\(N,D\)")
#: Names that authors give to quantities of their own, and names of losses.
OFTEN_OTHERS = frozenset(["P", "R", "R_opt", "r", "rho", "s", "phi2", "T_N", "T_D"])
LOSSES = frozenset(["L", "L_hat", "R", "P"])
OPTIMUM = ("N == N_opt", "D == D_opt")
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
    where : str
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
    where: str = ""
    read: str = ""
    remedy: str = ""
    free: tuple[str, ...] = ()
    link: ChainLink | None = None


Found = tuple[State, list[Judgement]]


# -- the document from its beginning to its end ----------------------------------------------------


def judged(document: Document, said: Settings, notation: str | None = None) -> Iterator[Found]:
    """What holds at the beginning, and after each piece of the document from there on, with the
    verdicts on the piece.
    """
    laws = laws_of(document.pieces)
    numeric = any(law is not None and law.numbers for law in laws)
    is_old = any(r"\gamma" in piece.text for piece in document.pieces)
    state = State(
        said,
        notation,
        tuple(law for law in laws if law is not None and not law.numbers)[:1],
        ("" if is_old else "hoffmann") if numeric else "",
        later=_explained(document.pieces),
    )
    yield state, []
    for piece, law in zip(document.pieces, laws, strict=True):
        state, found = _after(state, piece, law)
        yield state, found


def _explained(pieces: Sequence[Piece]) -> dict[str, DefinedName]:
    """The names that the text explains, for claims in front of it."""
    found: dict[str, DefinedName] = {}
    for piece in pieces:
        sides = _definition(piece)
        if sides is not None:
            name = sides.named(0)[0]
            found.setdefault(name, DefinedName.of(name, sides, piece.place))
    return found


def _definition(piece: Piece) -> Sides | None:
    """A formula of the text that says what a name is."""
    try:
        sides = Sides.of(piece.text) if piece.kind == "explained" else None
    except ParseError:
        return None
    is_named = sides is not None and sides.relations[:1] == ["=="] and sides.named(0)[0] != ""
    return sides if is_named else None


def _after(state: State, piece: Piece, law: LawOfDocument | None) -> Found:
    """What holds after a piece, and what becomes of its claims."""
    try:
        if piece.kind in ("section", "theorem"):
            is_theorem = piece.kind == "theorem"
            return replace(state, assumed=(), of_theorem=None, is_in_theorem=is_theorem), []
        if piece.kind == "declared":
            return state.declared(piece.text), []
        state = state.entering(piece)
        state, what = _given(state, piece, law)
        if piece.kind == "inline" or SKIP in state.once:
            return state, []
        if piece.trouble:
            raise ParseError(piece.trouble)
        if law is not None and law.numbers:
            return state, [Judgement(GIVEN, in_one_line(piece.text), "the law in numbers", piece)]
        if piece.kind == "explained" and _definition(piece) is None:
            return state, []
        state, found = _judged(Claim.of(state, piece))
        if what:
            found = [
                replace(one, answer=GIVEN, reason=what) if one.answer == PROVED else one
                for one in found
            ]
        return state, found
    except (ParseError, ValueError) as error:
        reason = getattr(error, "complaint", None) or str(error)
        shown = in_one_line(piece.text)
        return _noting_unread(state, piece, str(error)), [
            Judgement(UNREADABLE, shown, reason, piece, remedy="skip")
        ]


def _given(state: State, piece: Piece, law: LawOfDocument | None) -> tuple[State, str]:
    """With the law and the budget that a piece gives, and what it gives."""
    what = ""
    if law is not None and law.numbers:
        state = state.with_law_in_numbers(law)
    elif law is not None:
        state = replace(state, laws=(*(one for one in state.laws if one is not law), law))
        what = "the document's law" if law.notation is not None else ""
    found = budget_of(piece.text)
    if found is not None and piece.kind == "inline" and state.is_in_theorem:
        state = replace(state, of_theorem=found[0])
    if found is not None and state.budget is None:
        budget, name = found
        let = state.let if name.strip() == "C" else (f"{name} := C", *state.let)
        state = replace(state, budget=budget, budget_place=piece.place, let=let)
        what = "the document's budget"
    return state, what


def _noting_unread(state: State, piece: Piece, trouble: str) -> State:
    """A name whose definition is not read means something all the same."""
    try:
        name = Sides.of(f"{piece.text.partition('=')[0]} = 1").named(0)[0]
    except ParseError:
        return state
    if not name or name in APPLIED | state.said.words.names.keys():
        return state
    own = DefinedName(name, piece.text, frozenset(), piece.place, trouble)
    return replace(state, definitions={**state.definitions, name: own})


# -- one claim -------------------------------------------------------------------------------------


class Reading(NamedTuple):
    """How a link may be meant that fails as it stands.

    Where it is proved so, `answer` is what it comes to, or unjudged with the remedy; where it is
    refuted so, that counts only if it `refutes`, and what is open stays open if it `closes`.
    """

    where: str = ""
    assume: tuple[str, ...] = ()
    let: tuple[str, ...] = ()
    text: str = ""
    numbers: Coefficients | None = None
    answer: str = PROVED
    remedy: str = ""
    refutes: bool = False
    closes: bool = False


AS_IT_STANDS = Reading()


@dataclass(frozen=True)
class Claim:
    """A claim where it stands, with what stands beside it; `is_new` where its left side is a name
    without a meaning, which it defines.
    """

    state: State
    piece: Piece
    sides: Sides
    settings: Settings
    limit: str | None
    own: frozenset[str]
    quantified: frozenset[str]
    is_new: bool
    uses: tuple[DefinedName, ...] = ()
    proof: Proof | None = None

    @classmethod
    def of(cls, state: State, piece: Piece) -> Claim:
        sides, settings = Sides.of(piece.text), state.settings
        words = settings.words
        limit = sides.limit or next((c for c in piece.conditions if LIMIT.search(c)), None)
        beside = [s for c in piece.conditions if c is not limit for s in single(c)]
        signs, others = signs_assumed(beside, words)
        settings = replace(
            settings,
            signs={**settings.signs, **signs},
            assume=(*settings.assume, *others),
        )
        let = (re.split(":?=", text)[0].strip().lstrip("\\") for text in settings.let)
        own = frozenset((*words.names, *(x.name for x in words.of_a_run), *let))
        declared = " ".join((*piece.conditions, *state.conditions))
        quantified = frozenset(re.findall(r"[A-Za-z]\w*", declared))
        name, joined = sides.named(0)[0], re.sub(r"(?<=[A-Za-z])_(?=\d)", "", sides.named(0)[0])
        known = {*own, *state.definitions, *APPLIED, *re.findall("[A-Za-z]+", piece.premise)}
        is_new = bool(name) and sides.relations[0] in ("==", "approx") and r"\iff" not in piece.text
        is_new = is_new and not {name, joined} & known
        return cls(state, piece, sides, settings, limit, own, quantified, is_new)

    @property
    def name(self) -> str:
        """What its left side is, where that is a name."""
        return self.sides.named(0)[0]

    @property
    def arguments(self) -> tuple[str, ...]:
        return self.sides.named(0)[1]

    @property
    def names(self) -> set[str]:
        """On which it rests."""
        return {*self.sides.names, *self.quantified} - {*(self.arguments if self.is_new else ())}

    def typed(self, k: int) -> str:
        """A link as it stands in the document."""
        left, right = self.sides.sources[k : k + 2]
        return in_one_line(as_typed(left, self.sides.relations[k], right))

    def prove(self, reading: Reading = AS_IT_STANDS) -> Proof:
        """The verdict on the claim in some reading."""
        settings = self.settings
        if reading.numbers is not None:
            settings = replace(settings, given=reading.numbers)
        return proved(
            reading.text or self.sides.text,
            settings,
            define=[one.text for one in self.uses],
            assume=reading.assume,
            let=reading.let,
            limit=self.limit,
        )

    def attempt(self, k: int, reading: Reading) -> ChainLink | None:
        """A link in some reading; None where that cannot be."""
        try:
            return self.prove(reading).links[k]
        except (ParseError, ValueError, IndexError):
            return None

    def verdict(
        self,
        answer: str,
        claim: str | int,
        reason: str,
        remedy: str = "",
        where: str = "",
        link: ChainLink | None = None,
    ) -> Judgement:
        read, free = ("", ()) if self.proof is None else (self.proof.reading, self.proof.free)
        claim = self.typed(claim) if isinstance(claim, int) else in_one_line(claim)
        if answer == PROVED and link is not None:  # or given by SymPy's limit alone
            answer = link.decision.answer.value
        return Judgement(answer, claim, reason, self.piece, where, read, remedy, free, link)

    # -- what it is of -----------------------------------------------------------------------------

    def is_letter(self, name: str) -> bool:
        """Whether the name is of a letter of the law, or of a ratio of a run."""
        known = self.settings.words.names.get(name)
        return isinstance(known, Symbol) or name in ("r", "rho", "s")

    def undefined(self, link: ChainLink) -> list[str]:
        """The letters of a link that neither the law nor the document defines."""
        words = self.settings.words
        known = {x for x in words.names.values() if isinstance(x, Symbol)} | words.of_a_run
        free = sorted(_letters(link) - known, key=str)
        return [str(x) for x in free if str(x) not in self.quantified]

    def is_of_letters(self, k: int, link: ChainLink) -> bool:
        """Whether each side is a letter or a number."""
        sides = ((*self.sides.named(k + j), (link.lhs, link.rhs)[j]) for j in (0, 1))
        return all(
            value.is_number or (name and not arguments and self.is_letter(name))
            for name, arguments, value in sides
        )

    @property
    def compares_with_the_optimum(self) -> bool:
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

    @property
    def is_first_order(self) -> bool:
        """Whether the claim can only mean the optimum: a derivative that is 0, the ratio of both,
        or an equation for N and D.
        """
        if self.compares_with_the_optimum:
            return False
        if DERIVATIVE.search(self.piece.text):
            both = all(re.search(rf"(?:\\partial|d)\s*{x}", self.piece.text) for x in "ND")
            return both or self.vanishes
        return not self.sides.names & LOSSES and set(self.sides.relations) <= {"==", "propto"}

    @property
    def vanishes(self) -> bool:
        """Whether one of its sides is 0."""
        return "0" in (source.strip(" .{}") for source in self.sides.sources)


def _letters(link: ChainLink) -> set[Symbol]:
    found: set[Symbol] = link.lhs.free_symbols | link.rhs.free_symbols
    return found


def _judged(claim: Claim) -> Found:
    """The verdict on each link of a claim."""
    state, piece, text = claim.state, claim.piece, claim.sides.text
    if (why := _hangs_on_another(claim)) is not None:
        return state, [claim.verdict(UNDECIDED, text, *why)]
    if claim.is_new:
        own = DefinedName.of(claim.name, claim.sides, piece.place)
        own = replace(own, uses=frozenset(claim.names))
        state = replace(state, definitions={**state.definitions, claim.name: own})
    uses = state.used(claim.names, {*claim.own})
    claim = replace(claim, uses=tuple(uses))
    opaque = next((one for one in uses if one.trouble), None)
    if opaque is not None:
        reason = f"it rests on {opaque.name} of line {opaque.place.line}, which is not read"
        return state, [claim.verdict(UNDECIDED, text, reason, "skip")]
    proof = claim.prove()
    claim = replace(claim, proof=proof)
    if r"\iff" in piece.text:
        return state, [_equivalence(claim, proof.links)]
    found = []
    for k, link in enumerate(proof.links):
        state, one = _on_link(replace(claim, state=state), k, link)
        found.append(one)
    return state, found


def _hangs_on_another(claim: Claim) -> tuple[str, str] | None:
    """Why nothing is said of a claim by its names, and what would settle it."""
    state, names, words = claim.state, claim.names, claim.settings.words
    other = next((name for name in names if name in state.otherwise), None)
    if other is not None:
        line = state.otherwise[other]
        return f"line {line} uses {other} for something else", f"let {other} = ..."
    if claim.name in ("L", "L_hat") and len(claim.arguments) == 1 and claim.arguments != ("C",):
        return f"{claim.name}({claim.arguments[0]}) is a function of its own", "skip"
    on_law = {n for n in names if not isinstance(words.names.get(n, sym.N), Symbol)}
    on_law |= names & {x.name for x in words.of_a_run} - {*RUN}
    if state.lawless and on_law:
        shown = ", ".join(sorted(on_law))
        return f"{state.lawless}; {shown} hangs on it", f"notation {words.notation.name}"
    return None


def _on_link(claim: Claim, k: int, link: ChainLink) -> tuple[State, Judgement]:
    """The verdict on a link in the first reading that decides it."""
    state, decision = claim.state, link.decision
    if claim.is_new and k == 0 and not decision.refuted:
        return state, claim.verdict(DEFINITION, k, f"defines {claim.name}")
    if decision.proved:
        return state, claim.verdict(PROVED, k, decision.reason, link=link)
    for reading in _readings(claim, k, link):
        found = claim.attempt(k, reading)
        if found is None:
            continue
        answer, reason, where = reading.answer, found.decision.reason, reading.where
        if found.decision.proved and reading.remedy:
            reason = f"it holds {where} alone"
            return state, claim.verdict(UNDECIDED, k, reason, reading.remedy)
        if found.decision.proved:
            return state, claim.verdict(answer, k, reason, where=where, link=found)
        if found.decision.refuted and reading.refutes:
            return state, claim.verdict(REFUTED, k, reason, where=where, link=found)
        if reading.closes and not found.decision.refuted:
            return state, claim.verdict(UNDECIDED, k, reason, "skip")
    return _on_failure(claim, k, link)


def _readings(claim: Claim, k: int, link: ChainLink) -> Iterator[Reading]:
    """With the numbers that the document gives; at the optimum; along the budget; given the claim
    before; in the runs whose D is tied to N.
    """
    state, settings, text = claim.state, claim.settings, claim.piece.text
    budget = settings.budget or SIX_ND
    letters, names = _letters(link), {str(x) for x in _letters(link)}
    numbers = state.numbers(settings.words, budget, claim.name if k == 0 else "")
    is_letter = k == 0 and claim.is_letter(claim.name) and not claim.arguments
    if numbers and not (is_letter and settings.words.names[claim.name] not in numbers.values):
        is_rounded = DECIMAL.search(claim.typed(k)) is not None
        closes = bool(letters) and letters <= numbers.values.keys()
        yield Reading(numbers=numbers, refutes=is_rounded, closes=closes)
    replaced = {re.split("[=<>]", assumed)[0].strip() for assumed in settings.assume}
    if not {"N", "D", "C"} & replaced:
        remedy = "" if claim.is_first_order else "at N = N^*, D = D^*"
        if {"N", "D"} & names:
            yield Reading(AT_OPTIMUM, OPTIMUM, answer=AT_OPTIMUM, remedy=remedy)
        is_total = ALONG in state.once or claim.vanishes or r"\partial" not in text
        for x, run in (
            ("N", ("N", budget.remaining(sym.N))),
            ("D", (budget.remaining(sym.D), "D")),
        ):
            if DERIVATIVE.search(text):
                loss = (
                    f"L := L({', '.join(e if isinstance(e, str) else as_read(e) for e in run)})",
                )
                where = f"{ALONG}, a function of {x}"
                yield Reading(where, let=loss, answer=ALONG, remedy="" if is_total else ALONG)
                where = f"at the optimum {where}"
                yield Reading(where, OPTIMUM, loss, answer=AT_OPTIMUM, remedy=remedy)
    if claim.piece.premise:
        yield Reading(
            "given the claim before", text=f"{claim.piece.premise} \\implies {claim.sides.text}"
        )
    is_of_a_run = "C" in names and names < {*RUN} and not claim.sides.names - {*RUN, "sqrt"}
    if state.ray is not None and is_of_a_run:
        name, value, place = state.ray
        spent = budget.compute().xreplace({settings.words.names[name]: value})
        let = (f"{name} := {as_read(value)}", f"C := {as_read(spent)}")
        yield Reading(f"in the runs of line {place.line}", let=let, refutes=True)


def _on_failure(claim: Claim, k: int, link: ChainLink) -> tuple[State, Judgement]:
    """What becomes of a link that holds in no reading."""
    state, decision, relation = claim.state, link.decision, link.relation
    undefined, is_premise = (
        claim.undefined(link),
        claim.piece.leads and claim.is_of_letters(k, link),
    )

    def unjudged(reason: str, remedy: str) -> tuple[State, Judgement]:
        return state, claim.verdict(UNDECIDED, k, reason, remedy)

    is_condition = relation in BOUNDS and claim.is_of_letters(k, link)
    if is_condition and not undefined and decision.refuted and not is_premise:
        return unjudged("it holds for some values only: a condition?", f"assume {claim.typed(k)}")
    if relation in (*BOUNDS, "!=", "~", "->") and (needed := _needed(claim, k, link)):
        return unjudged(f"needs {needed}", f"assume {needed}")
    if not decision.refuted:
        return unjudged(decision.reason, "assume ..." if undefined else "skip")
    if not _letters(link):
        return state, claim.verdict(REFUTED, k, decision.reason, link=link)
    if relation == "==" and k == 0 and (found := _gives(claim, link)) is not None:
        return found
    if is_premise:
        return state, claim.verdict(GIVEN, k, "the premise of what follows")
    if undefined:
        shown = ", ".join(undefined)
        reason = f"it holds for some values only, and the document does not define {shown}"
        return unjudged(reason, f"let {undefined[0]} = ...")
    if k == 0 and (meant := _meant_otherwise(claim)):
        otherwise = {**state.otherwise, claim.name: claim.piece.place.line}
        state = replace(state, otherwise=otherwise)
        return unjudged(*meant)
    if relation in ("==", "propto") and DECIMAL.search(claim.typed(k)):
        letters = claim.settings.words.notation.names()
        remedy = f"assume \\{letters['beta']} = ..., \\{letters['gamma']} = ..."
        return unjudged("a rounded number hangs on those of the law, which are not given", remedy)
    reason = decision.reason
    if {sym.N, sym.D} & _letters(link) and relation == "==":
        reason = "it holds neither for every N and D nor at the optimum"
    where = _holds_where(claim, k)
    return state, claim.verdict(REFUTED, k, reason, where=where, link=link)


def _needed(claim: Claim, k: int, link: ChainLink) -> str:
    """A condition on the exponents or the ratio under which a link is proved."""
    letters = claim.settings.words.notation.names()
    beta, gamma = letters["beta"], letters["gamma"]
    names = {str(x) for x in _letters(link)}
    pairs = [(beta, gamma), (gamma, beta)] if {beta, gamma} <= names else []
    ones = [x for x in ("r", "rho") if x in names and claim.limit is None]
    tried = [f"{x} > {y}" for x, y in pairs] + [f"{x} {sign} 1" for x in ones for sign in "<>"]
    for condition in tried:
        found = claim.attempt(k, Reading(assume=(condition,)))
        if found is not None and found.decision.proved:
            return re.sub(r"\b(alpha|beta|gamma|rho)", r"\\\1", condition)
    return ""


def _holds_where(claim: Claim, k: int) -> str:
    """That a link holds for equal exponents."""
    letters = claim.settings.words.notation.names()
    found = claim.attempt(k, Reading(assume=(f"{letters['beta']} == {letters['gamma']}",)))
    if found is None or not found.decision.proved:
        return ""
    return f"it holds where {letters['beta']} = {letters['gamma']}"


def _gives(claim: Claim, link: ChainLink) -> tuple[State, Judgement] | None:
    """`E = 1.69`: a letter that is free in the law is fixed; `D = 20 N`: D is tied to N from here
    on; `C = 120 N^2`, before that, is of some runs alone.
    """
    state, name, value, place = claim.state, claim.name, link.rhs, claim.piece.place
    if claim.arguments or not claim.is_letter(name):
        return None
    given = claim.verdict(GIVEN, 0, f"{name} is given")
    if value.is_number:
        return state.noting(name, value, claim.sides.parts[1], place), given
    letters = {str(x) for x in value.free_symbols}
    ratios = letters & {"r", "rho", "s"}
    is_premise = claim.piece.leads and claim.is_of_letters(0, link)
    if name not in RUN or not (ratios or letters < {*RUN} - {name}) or is_premise:
        return None
    if not ratios and name != "C" and "C" not in letters:
        return replace(state, ray=(name, value, place)), given
    otherwise = {**state.otherwise, **dict.fromkeys(ratios, place.line)}
    reason, remedy = "it holds for some runs only: a condition?", f"assume {claim.typed(0)}"
    return replace(state, otherwise=otherwise), claim.verdict(UNDECIDED, 0, reason, remedy)


def _meant_otherwise(claim: Claim) -> tuple[str, str] | None:
    """Why the name on the left side may mean something else in the document, and what settles it."""
    name, means = claim.name, claim.settings.words.means
    earlier = claim.state.definitions.get(name)
    if earlier is not None and earlier.place != claim.piece.place:
        shown = in_one_line(earlier.text)
        return f"line {earlier.place.line} defines {name} otherwise: {shown}", "skip"
    is_said = re.search(r":\s*=|=\s*:|\\vcentcolon", claim.piece.text) is not None
    if not claim.arguments and (name in OFTEN_OTHERS or (is_said and name in means)):
        meant = means.get(name, "a ratio of a run to the optimum")
        said = f"{name} is {meant} here, and the document may mean something else"
        return said, f"let {claim.typed(0)}"
    return None


def _equivalence(claim: Claim, links: Sequence[ChainLink]) -> Judgement:
    """`a = b \\iff c = d`, as one claim: both ways."""
    text = claim.sides.text
    failed = next((x for x in links if x.decision.refuted), None)
    first = next((x for x in links if not x.decision.proved), links[0])
    if first.decision.proved:
        return claim.verdict(PROVED, text, first.decision.reason, link=first)
    if failed is not None and not claim.undefined(failed):
        return claim.verdict(REFUTED, text, failed.decision.reason, link=failed)
    return claim.verdict(UNDECIDED, text, first.decision.reason, "skip")
