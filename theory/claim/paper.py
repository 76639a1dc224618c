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
from .vocabulary import Vocabulary

REFUTED, UNREADABLE, UNDECIDED, PROVED = "refuted", "unreadable", "undecided", "proved"
DEFINITION, GIVEN, BY_SYMPY = "definition", "given", Answer.BY_SYMPY.value
AT_OPTIMUM = "at the optimum"
#: What holds, and before it what does not, the worst first.
HOLDS = (AT_OPTIMUM, ALONG, PROVED, DEFINITION, GIVEN)
ANSWERS = (REFUTED, UNREADABLE, UNDECIDED, BY_SYMPY, *HOLDS)
LIMIT = re.compile(r"\\(?:to|rightarrow|longrightarrow)(?![A-Za-z])")
DERIVATIVE = re.compile(r"\\partial|\\frac\s*\{\s*(?:\\mathrm\{d\}|\\mathrm\s*d|d)[\s\\A-Z^]|dL/d")
#: `C^{0.49}`, `\frac{0.28}{0.62}`, `3 \times 10^{10}`: what stands for all that rounds to it.
DECIMAL = re.compile(r"\d\.\d|\\(?:times|cdot)\s*10")
BOUND = re.compile(r"[<>]|\\[lg](?:e|t|eq)(?![A-Za-z])")
#: `A = e^{a}`: the letter of a fit in logarithms.
LOGARITHM = re.compile(
    r"\s*(?P<of>[A-Z])\s*=\s*(?:e\s*\^|\\exp)\s*[{(]?\s*(?P<log>[a-z])\s*[})]?[\s.]*$"
)
DEFINES = re.compile(r":\s*=|=\s*:|\\vcentcolon")
#: The loss of a run of any size, in the tokens of plain text or of LaTeX.
OF_A_RUN = re.compile(r"[LR]\(N,D\)")
#: Names that authors give to quantities of their own, and names of losses.
OFTEN_OTHERS = frozenset(["P", "R", "R_opt", "r", "rho", "s", "phi2", "T_N", "T_D"])
LOSSES = frozenset(["L", "L_hat", "R", "P"])
OPTIMUM = ("N == N_opt", "D == D_opt")


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
    free : tuple of str
        Letters of the document's own.
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
    first = tuple(law for law in laws if law is not None and not law.numbers)[:1]
    in_numbers = "hoffmann" if numeric and not is_old else ""
    state = State(said, notation, first, in_numbers, later=_explained(document.pieces))
    yield state, []
    for piece, law in zip(document.pieces, laws, strict=True):
        state, found = _after(state, piece, law)
        yield state, found


def _explained(pieces: Sequence[Piece]) -> dict[str, DefinedName]:
    """The names that the text explains, for claims in front of it."""
    found: dict[str, DefinedName] = {}
    for piece in pieces:
        if (sides := _definition(piece)) is not None:
            name, _ = sides.named(0)
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
            left = replace(state, assumed=(), budget_of_theorem=None, is_in_theorem=is_theorem)
            return left, []
        if piece.kind == "declared":
            return state.declared(piece.text), []
        state, what = _given(state.entering(piece), piece, law)
        if piece.kind == "inline" or SKIP in state.once:
            return state, []
        if piece.trouble:
            raise ParseError(piece.trouble)
        if law is not None and law.numbers:
            return state, [Judgement(GIVEN, in_one_line(piece.text), "the law in numbers", piece)]
        if piece.kind == "explained" and _definition(piece) is None:
            return state, []
        state, found = _judged(Claim.of(state, piece))
        given = (replace(v, answer=GIVEN, reason=what) if v.answer == PROVED else v for v in found)
        return state, list(given) if what else found
    except (ParseError, ValueError) as error:
        reason = getattr(error, "complaint", None) or str(error)
        unread = Judgement(UNREADABLE, in_one_line(piece.text), reason, piece, remedy="skip")
        return _noting_unread(state, piece, str(error)), [unread]


def _given(state: State, piece: Piece, law: LawOfDocument | None) -> tuple[State, str]:
    """With the law and the budget that a piece gives, and what it gives."""
    what = ""
    if law is not None and law.numbers:
        state = state.with_law_in_numbers(law)
    elif law is not None:
        state = replace(state, laws=(*(one for one in state.laws if one is not law), law))
        what = "the document's law" if law.notation is not None else ""
    budget, name = budget_of(piece.text, state.law.sizes) or (None, "")
    if piece.kind == "inline" and state.is_in_theorem:
        state = replace(state, budget_of_theorem=budget or state.budget_of_theorem)
    if budget is not None and state.budget is None:
        let = state.let if name.strip() == "C" else (f"{name} := C", *state.let)
        state = replace(state, budget=budget, budget_place=piece.place, let=let)
        what = "the document's budget"
    return state, what


def _noting_unread(state: State, piece: Piece, trouble: str) -> State:
    """A name whose definition is not read means something all the same."""
    try:
        name, _ = Sides.of(f"{piece.text.partition('=')[0]} = 1").named(0)
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
    """A claim where it stands: `name` with its arguments is what its left side is, where that is a
    name, `is_new` where this has no meaning before, `quantified` what is said of letters beside it.
    """

    state: State
    piece: Piece
    sides: Sides
    settings: Settings
    limit: str | None
    own: frozenset[str]
    quantified: frozenset[str]
    name: str
    arguments: tuple[str, ...]
    is_new: bool
    uses: tuple[DefinedName, ...] = ()
    proof: Proof | None = None

    @classmethod
    def of(cls, state: State, piece: Piece) -> Claim:
        sides, settings, words = Sides.of(piece.text), state.settings, state.settings.words
        limit = next((c for c in piece.conditions if LIMIT.search(c)), None)
        beside = [s for c in piece.conditions if c is not limit for s in single(c)]
        signs, others = signs_assumed(beside, words)
        signs, assume = {**settings.signs, **signs}, (*settings.assume, *others)
        let = (re.split(":?=", text)[0].strip().lstrip("\\") for text in settings.let)
        own = frozenset((*words.names, *(x.name for x in words.of_a_run), *let))
        declared = " ".join((*piece.conditions, *state.conditions))
        name, arguments = sides.named(0)
        known = {*own, *state.definitions, *APPLIED, *re.findall("[A-Za-z]+", piece.premise)}
        is_new = bool(name) and not {name, re.sub(r"(?<=[A-Za-z])_(?=\d)", "", name)} & known
        return cls(
            state,
            piece,
            sides,
            replace(settings, signs=signs, assume=assume),
            sides.limit or limit,
            own,
            frozenset(re.findall(r"[A-Za-z]\w*", declared)),
            name,
            arguments,
            is_new and sides.relations[0] in ("==", "approx") and r"\iff" not in piece.text,
        )

    @property
    def words(self) -> Vocabulary:
        return self.settings.words

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
        return proved(
            reading.text or self.sides.text,
            replace(self.settings, given=reading.numbers),
            assume=reading.assume,
            let=[*(one.text for one in self.uses), *reading.let],
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
        return isinstance(self.words.names.get(name), Symbol) or name in ("r", "rho", "s")

    def undefined(self, link: ChainLink) -> list[str]:
        """The letters of a link that neither the law nor the document defines."""
        known = {x for x in self.words.names.values() if isinstance(x, Symbol)}
        free = sorted(_letters(link) - known - self.words.of_a_run, key=str)
        return [str(x) for x in free if str(x) not in self.quantified]

    def is_of_letters(self, k: int, link: ChainLink) -> bool:
        """Whether each side is a letter or a number."""
        named = [name for name, arguments in map(self.sides.named, (k, k + 1)) if not arguments]
        sides = zip((link.lhs, link.rhs), named, strict=False)
        return len(named) == 2 and all(e.is_number or self.is_letter(name) for e, name in sides)

    @property
    def vanishes(self) -> bool:
        """Whether one of its sides is 0."""
        return "0" in (source.strip(" .{}") for source in self.sides.sources)

    @property
    def is_first_order(self) -> bool:
        """Whether the claim can only mean the optimum: a derivative that is 0, the ratio of both,
        or an equation for N and D. It is of any run where it names the optimum beside the run, or
        the run by L(N, D) or by a name that is defined by its N or D.
        """
        defined_by = frozenset[str]().union(*(one.uses for one in self.uses))
        names, text = self.sides.names | defined_by, self.piece.text
        if any(name.endswith(("_opt", "_star")) for name in names) or {"N", "D"} & defined_by:
            return False
        if DERIVATIVE.search(text):
            both = all(re.search(rf"(?:\\partial|d)\s*{x}", text) for x in "ND")
            return both or self.vanishes
        return not names & LOSSES and set(self.sides.relations) <= {"==", "propto"}


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
    uses = state.used(claim.names, claim.own)
    if (unread := next((one for one in uses if one.trouble), None)) is not None:
        reason = f"it rests on {unread.name} of line {unread.place.line}, which is not read"
        return state, [claim.verdict(UNDECIDED, text, reason, "skip")]
    claim = replace(claim, uses=tuple(uses))
    proof = claim.prove()
    claim, found = replace(claim, proof=proof), []
    if r"\iff" in piece.text:
        return state, [_equivalence(claim, proof.links)]
    for k, link in enumerate(proof.links):
        state, one = _on_link(replace(claim, state=state), k, link)
        found.append(one)
    return state, found


def _hangs_on_another(claim: Claim) -> tuple[str, str] | None:
    """Why nothing is said of a claim by its names, and what would settle it."""
    state, names, words = claim.state, claim.names, claim.words
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
        found, where = claim.attempt(k, reading), reading.where
        if found is None:
            continue
        reason = found.decision.reason
        if found.decision.proved and reading.remedy:
            said = f"it holds {where} alone"
            return state, claim.verdict(UNDECIDED, k, said, reading.remedy)
        if found.decision.proved:
            return state, claim.verdict(reading.answer, k, reason, where=where, link=found)
        if found.decision.refuted and reading.refutes:
            return state, claim.verdict(REFUTED, k, reason, where=where, link=found)
        if reading.closes and not found.decision.refuted:
            return state, claim.verdict(UNDECIDED, k, reason, "skip")
    return _on_failure(claim, k, link)


def _readings(claim: Claim, k: int, link: ChainLink) -> Iterator[Reading]:
    """With the numbers that the document gives; at the optimum; along the budget; given the claim
    before; in the runs whose D is tied to N.
    """
    state, settings, text, words = claim.state, claim.settings, claim.piece.text, claim.words
    budget, letters = settings.budget or SIX_ND, _letters(link)
    names = {str(x) for x in letters}
    numbers = state.numbers(words, budget, claim.name if k == 0 else "")
    is_letter = k == 0 and claim.is_letter(claim.name) and not claim.arguments
    if numbers and not (is_letter and words.names[claim.name] not in numbers.values):
        is_rounded = DECIMAL.search(claim.typed(k)) is not None
        closes = bool(letters) and letters <= numbers.values.keys()
        yield Reading(numbers=numbers, refutes=is_rounded, closes=closes)
    if not {re.split("[=<>]", assumed)[0].strip() for assumed in settings.assume} & {*RUN}:
        remedy = "" if claim.is_first_order else "at N = N^*, D = D^*"
        if {"N", "D"} & names:
            yield Reading(AT_OPTIMUM, OPTIMUM, answer=AT_OPTIMUM, remedy=remedy)
        is_total = ALONG in state.once or claim.vanishes or r"\partial" not in text
        sizes = (f"N, {as_read(budget.remaining(sym.N))}", f"{as_read(budget.remaining(sym.D))}, D")
        for x, size in zip("ND", sizes if DERIVATIVE.search(text) else (), strict=False):
            where, loss = f"{ALONG}, a function of {x}", (f"L := L({size})",)
            yield Reading(where, let=loss, answer=ALONG, remedy="" if is_total else ALONG)
            where = f"{AT_OPTIMUM} {where}"
            yield Reading(where, OPTIMUM, loss, answer=AT_OPTIMUM, remedy=remedy)
    if claim.piece.premise:
        implied = f"{claim.piece.premise} \\implies {claim.sides.text}"
        refutes = BOUND.search(claim.piece.premise) is not None
        yield Reading("given the claim before", text=implied, refutes=refutes)
    is_of_a_run = "C" in names and names < {*RUN} and not claim.sides.names - {*RUN, "sqrt"}
    if state.ray is not None and is_of_a_run:
        name, value, place = state.ray
        spent = budget.compute().xreplace({words.names[name]: value})
        let = (f"{name} := {as_read(value)}", f"C := {as_read(spent)}")
        yield Reading(f"in the runs of line {place.line}", let=let, refutes=True)


# -- what fails ------------------------------------------------------------------------------------


def _on_failure(claim: Claim, k: int, link: ChainLink) -> tuple[State, Judgement]:
    """What becomes of a link that holds in no reading."""
    state, decision, relation = claim.state, link.decision, link.relation
    undefined, is_of_letters = claim.undefined(link), claim.is_of_letters(k, link)
    is_premise = claim.piece.leads and is_of_letters

    def unjudged(reason: str, remedy: str) -> tuple[State, Judgement]:
        return state, claim.verdict(UNDECIDED, k, reason, remedy)

    if relation in BOUNDS and is_premise and decision.refuted:
        return state, claim.verdict(GIVEN, k, "the premise of what follows")
    is_of_runs = claim.sides.names <= {*RUN, *state.law.sizes}
    condition = "it holds for some values only: a condition?", f"assume {claim.typed(k)}"
    if relation in BOUNDS and (is_of_letters or is_of_runs) and not undefined and decision.refuted:
        return unjudged(*condition)
    if relation in (*BOUNDS, "!=", "~", "->") and (needed := _needed(claim, k, link)):
        return unjudged(f"needs {needed}", f"assume {needed}")
    if not decision.refuted:
        return unjudged(decision.reason, "assume ..." if undefined else "skip")
    if not _letters(link):
        return state, claim.verdict(REFUTED, k, decision.reason, link=link)
    if relation == "==" and k == 0 and (found := _gives(claim, link, is_premise)) is not None:
        return found
    if relation == "==" and is_of_letters and not is_premise:
        return unjudged(*condition)
    if relation == "==" and is_of_runs and len(_letters(link)) == 1:
        return unjudged(f"it holds for one value of {_letters(link).pop()} only", "skip")
    if (logarithm := LOGARITHM.match(claim.typed(k))) is not None and k == 0:
        otherwise = {**state.otherwise, logarithm["log"]: claim.piece.place.line}
        state = replace(state, otherwise=otherwise)
        said = f"{logarithm['log']} is the logarithm of {logarithm['of']} here"
        return unjudged(said, f"let {logarithm['log']} = \\log {logarithm['of']}")
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
    letters = claim.words.notation.names()
    beta, gamma = letters["beta"], letters["gamma"]
    if relation in ("==", "propto") and DECIMAL.search(claim.typed(k)):
        remedy = f"assume \\{beta} = ..., \\{gamma} = ..."
        return unjudged("a rounded number hangs on those of the law, which are not given", remedy)
    reason = decision.reason
    if {sym.N, sym.D} & _letters(link) and relation == "==":
        reason = "it holds neither for every N and D nor at the optimum"
    equal = claim.attempt(k, Reading(assume=(f"{beta} == {gamma}",)))
    is_so = equal is not None and equal.decision.proved
    exponents = {letters.get(x, x) for x in ("beta", "gamma", "w_N", "w_D")}
    if is_so and not exponents & claim.sides.names:  # no slip of exchanged exponents
        return unjudged(f"needs \\{beta} = \\{gamma}", f"at \\{beta} = \\{gamma}")
    where = f"it holds where {beta} = {gamma}" if is_so else ""
    return state, claim.verdict(REFUTED, k, reason, where=where, link=link)


def _needed(claim: Claim, k: int, link: ChainLink) -> str:
    """A condition on the exponents or the ratio under which a link is proved."""
    letters, names = claim.words.notation.names(), {str(x) for x in _letters(link)}
    beta, gamma = letters["beta"], letters["gamma"]
    pairs = [(beta, gamma), (gamma, beta)] if {beta, gamma} <= names else []
    ones = [x for x in ("r", "rho") if x in names and claim.limit is None]
    tried = [f"{x} > {y}" for x, y in pairs] + [f"{x} {sign} 1" for x in ones for sign in "<>"]
    for condition in tried:
        found = claim.attempt(k, Reading(assume=(condition,)))
        if found is not None and found.decision.proved:
            return re.sub(r"\b(alpha|beta|gamma|rho)", r"\\\1", condition)
    return ""


def _gives(claim: Claim, link: ChainLink, is_premise: bool) -> tuple[State, Judgement] | None:
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
    if name not in RUN or not (ratios or letters < {*RUN} - {name}) or is_premise:
        return None
    if not ratios and "C" not in (name, *letters):
        return replace(state, ray=(name, value, place)), given
    otherwise = {**state.otherwise, **dict.fromkeys(ratios, place.line)}
    reason, remedy = "it holds for some runs only: a condition?", f"assume {claim.typed(0)}"
    return replace(state, otherwise=otherwise), claim.verdict(UNDECIDED, 0, reason, remedy)


def _meant_otherwise(claim: Claim) -> tuple[str, str] | None:
    """Why the name on the left side may mean something else here, and what settles it."""
    name, means = claim.name, claim.words.means
    earlier = claim.state.definitions.get(name)
    if earlier is not None and earlier.place != claim.piece.place:
        shown = in_one_line(earlier.text)
        return f"line {earlier.place.line} defines {name} otherwise: {shown}", "skip"
    is_own = name in OFTEN_OTHERS or (DEFINES.search(claim.piece.text) and name in means)
    if claim.arguments or not is_own:
        return None
    meant = means.get(name, "a ratio of a run to the optimum")
    said = f"{name} is {meant} here, and the document may mean something else"
    return said, f"let {claim.typed(0)}"


def _equivalence(claim: Claim, links: Sequence[ChainLink]) -> Judgement:
    """`a = b \\iff c = d`, as one claim: both ways."""
    text = claim.sides.text
    failed = next((link for link in links if link.decision.refuted), None)
    first = next((link for link in links if not link.decision.proved), links[0])
    if first.decision.proved:
        return claim.verdict(PROVED, text, first.decision.reason, link=first)
    if failed is not None and not claim.undefined(failed):
        return claim.verdict(REFUTED, text, failed.decision.reason, link=failed)
    return claim.verdict(UNDECIDED, text, first.decision.reason, "skip")
