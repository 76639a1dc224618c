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
from functools import cached_property
from typing import Any, NamedTuple

from sympy import Symbol

from ..budget import SIX_ND, Budget
from ..kernel import symbols as sym
from ..kernel.answer import BOUNDS, Answer
from ..reader.building import APPLIED
from ..reader.tokens import ParseError
from .at_law import Coefficients
from .chain import ChainLink, Settings
from .document import Document, Piece, Place
from .law_of import COMPUTES, LAGRANGIAN, OPTIMAL, LawOfDocument, Sides, budget_of, laws_of, name_of
from .prove import Proof, proved
from .spelling import as_read
from .state import RUN, DefinedName, State
from .typed import as_typed, in_one_line

REFUTED, UNREADABLE, UNDECIDED, PROVED = "refuted", "unreadable", "undecided", "proved"
DEFINITION, GIVEN, BY_SYMPY = "definition", "given", Answer.BY_SYMPY.value
AT_OPTIMUM, ALONG = "at the optimum", "along the budget"
#: What holds, and before it what does not, the worst first.
HOLDS = (AT_OPTIMUM, ALONG, PROVED, DEFINITION, GIVEN)
ANSWERS = (REFUTED, UNREADABLE, UNDECIDED, BY_SYMPY, *HOLDS)
BUDGET = "the document's budget"
LIMIT = re.compile(r"\\(?:to|rightarrow|longrightarrow)(?![A-Za-z])")
DERIVATIVE = re.compile(r"\\partial|\\frac\s*\{\s*(?:\\mathrm\{d\}|\\mathrm\s*d|d)[\s\\A-Z^]|dL/d")
#: `C^{0.49}`, `\frac{0.28}{0.62}`, `3 \times 10^{10}`: what stands for all that rounds to it.
DECIMAL = re.compile(r"\d\.\d|\\(?:times|cdot)\s*10")
DEFINES = re.compile(r":\s*=|=\s*:|\\vcentcolon")
#: Names that authors give to quantities of their own, ratios of a run, and names of losses.
OFTEN_OTHERS = frozenset(["P", "R", "R_opt", "r", "rho", "s", "T_N", "T_D"])
RATIOS = frozenset(["r", "rho", "s"])
LOSSES = frozenset(["L", "L_hat", "R", "P"])
OF_A_RULE = frozenset(["N", "D", "C", "N_opt", "D_opt", "sqrt"])
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
    remedy : str
        The declaration that would settle what is not judged.
    link : ChainLink or None
        The decision; None where there is none.
    proof : Proof or None
        Of the claim as it stands: how it was read, and the letters of the document's own.
    """

    answer: str
    claim: str
    reason: str
    piece: Piece
    where: str = ""
    remedy: str = ""
    link: ChainLink | None = None
    proof: Proof | None = None


Found = tuple[State, list[Judgement]]


# -- the document from its beginning to its end ----------------------------------------------------


def judged(document: Document, seconds: float | None = None) -> Iterator[Found]:
    """What holds at the beginning, and after each piece of the document from there on, with the
    verdicts on the piece; what takes longer than the seconds is not judged.
    """
    laws = laws_of(document.pieces)
    said = [(piece, _definition(piece)) for piece in reversed(document.pieces)]
    explained = {
        s.named(0)[0]: DefinedName.of(s, piece.place) for piece, s in said if s is not None
    }
    in_letters = tuple(law for law in laws if law and not law.numbers and law.trouble != LAGRANGIAN)
    is_in_numbers = any(law is not None and law.numbers for law in laws)
    is_schaeffers = any(r"\gamma" in piece.text for piece in document.pieces)
    notation = "hoffmann" if is_in_numbers and not is_schaeffers else ""
    state = State(notation, in_letters[:1], later=explained, seconds=seconds)
    state = _with_other_budgets(state, document.pieces)
    yield state, []
    for piece, law in zip(document.pieces, laws, strict=True):
        state, found = _after(state, piece, law)
        yield state, found


def _definition(piece: Piece) -> Sides | None:
    """A formula of the text that says what a name is."""
    try:
        sides = Sides.of(piece.text) if piece.kind == "explained" else None
    except ParseError:
        return None
    is_named = sides is not None and sides.relations[:1] == ["=="] and sides.named(0)[0] != ""
    return sides if is_named else None


def _with_other_budgets(state: State, pieces: Sequence[Piece]) -> State:
    """With what is displayed as `F = 12 N D`: it is the budget where there is one such letter, it
    is said of an optimum, and neither C is named nor a budget declared.
    """
    named: list[set[str]] = []
    found: dict[tuple[Budget, str], Place] = {}
    for piece in pieces:
        if piece.kind == "declared":
            named.append({"C"} if piece.text.startswith("budget") else set())
            continue
        try:
            named.append(Sides.of(piece.text).names)
        except ParseError:
            named.append({*re.findall("[A-Za-z]", piece.text)})
        one = budget_of(piece.text, state.law.sizes)
        if one is not None and one[1] not in {*COMPUTES} | state.known:
            letters = {x.name for x in one[0].compute().free_symbols - {sym.N, sym.D}}
            if not letters & state.known and not any(x.endswith(OPTIMAL) for x in letters):
                found.setdefault(one, piece.place)
    of_optima = [names for names in named if any(x.endswith(OPTIMAL) for x in names)]
    if len(found) == 1 and not any({*COMPUTES} & names for names in named):
        (budget, name), place = next(iter(found.items()))
        if any(name in names for names in of_optima):
            return state.with_budget(budget, name, place)
    return replace(state, other_budgets=tuple(found))


def _after(state: State, piece: Piece, law: LawOfDocument | None) -> Found:
    """What holds after a piece, and what becomes of its claims."""
    try:
        if piece.kind == "declared":
            return state.declared(piece.text), []
        state, what = _given(state, piece, law)
        if piece.kind == "inline":
            return state, []
        if law is not None and law.trouble == LAGRANGIAN:
            return state, [Judgement(DEFINITION, in_one_line(piece.text), law.trouble, piece)]
        if piece.trouble:
            raise ParseError(piece.trouble)
        is_call = what == BUDGET and re.fullmatch(r"[^=]*\)\s*=[^=<>]*", piece.text) is not None
        if (law is not None and law.numbers) or is_call:
            return state, [Judgement(GIVEN, in_one_line(piece.text), what, piece)]
        if piece.kind == "explained" and _definition(piece) is None:
            return state, []
        state, found = _judged_in_every_budget(state, piece)
        given = (replace(v, answer=GIVEN, reason=what) if v.answer == PROVED else v for v in found)
        return state, list(given) if what else found
    except (ParseError, ValueError) as error:
        reason = getattr(error, "complaint", None) or str(error)
        unread = Judgement(UNREADABLE, in_one_line(piece.text), reason, piece, remedy="skip")
        return _noting_unread(state, piece), [unread]


def _given(state: State, piece: Piece, law: LawOfDocument | None) -> tuple[State, str]:
    """With the law and the budget that a piece gives, and what it gives."""
    what = ""
    if law is not None and law.numbers:
        state, what = state.with_law_in_numbers(law), "the law in numbers"
    elif law is not None and law.trouble != LAGRANGIAN:
        state = replace(state, laws=(*(one for one in state.laws if one is not law), law))
        what = "the document's law" if law.notation is not None else ""
    found = budget_of(piece.text, state.law.sizes)
    if found is not None and found[1] in COMPUTES and state.budget is None:
        state = state.with_budget(*found, piece.place)
    if found is not None and (state.budget, state.budget_place) == (found[0], piece.place):
        what = BUDGET
    return state, what


def _noting_unread(state: State, piece: Piece) -> State:
    """A name whose definition is not read means something all the same."""
    name = name_of(piece.text.partition("=")[0])
    if not name or name in APPLIED | state.settings.words.names.keys():
        return state
    return state.defining(DefinedName.other(name, piece.place, "is not read"))


# -- one claim -------------------------------------------------------------------------------------


class Reading(NamedTuple):
    """How a link may be meant that fails as it stands.

    Where it is proved so, `answer` is what it comes to, or unjudged with the remedy; where it is
    refuted so, that counts only if it `refutes`, and what is open stays open if it `closes`.
    """

    where: str = ""
    assume: tuple[str, ...] = ()
    let: tuple[str, ...] = ()
    numbers: Coefficients | None = None
    answer: str = PROVED
    remedy: str = ""
    refutes: bool = False
    closes: bool = False


AS_IT_STANDS = Reading()


@dataclass(frozen=True)
class Claim:
    """A claim where it stands.

    Attributes
    ----------
    name, arguments : str and tuple of str
        What its left side is; an empty name where it is more.
    settings : Settings
        Those of the state, with the conditions beside the claim.
    quantified : frozenset of str
        Letters of which something is said beside it.
    uses : tuple of DefinedName
        The document's definitions on which it rests.
    proof : Proof or None
        As it stands.
    """

    state: State
    piece: Piece
    sides: Sides
    name: str
    arguments: tuple[str, ...]
    settings: Settings
    limit: str | None
    quantified: frozenset[str]
    uses: tuple[DefinedName, ...] = ()
    proof: Proof | None = None

    @classmethod
    def of(cls, state: State, piece: Piece) -> Claim:
        """Read a piece; ParseError where it cannot be."""
        settings = state.settings
        lets = (re.fullmatch(r"(\S+) := (\w+)", text) for text in settings.let)
        sides = Sides.of(piece.text).renamed({let[1]: let[2] for let in lets if let is not None})
        limit = next((c for c in piece.conditions if LIMIT.search(c)), None)
        beside = [s for c in piece.conditions if c not in (limit, ALONG) for s in _single(c)]
        settings = replace(settings, assume=(*settings.assume, *beside))
        quantified = frozenset(re.findall(r"[A-Za-z]\w*", " ".join(piece.conditions)))
        return cls(state, piece, sides, *sides.named(0), settings, sides.limit or limit, quantified)

    @cached_property
    def is_new(self) -> bool:
        """Whether it says what a name is that has no meaning before."""
        known = {*self.state.known, *self.state.definitions, *APPLIED}
        spelt = {self.name, re.sub(r"(?<=[A-Za-z])_(?=\d)", "", self.name)}
        is_implied = self.piece.follows or r"\iff" in self.piece.text
        return self.sides.is_equation and self.name != "" and not (is_implied or spelt & known)

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
        meant = dict(text.split(" := ") for text in reading.let)
        lets = (text.partition(" := ") for text in self.settings.let)  # F := C where C := 240 N^2
        let = [f"{name}{sign}{meant.get(value, value)}" for name, sign, value in lets]
        return proved(
            self.sides.text,
            replace(self.settings, numbers=reading.numbers, let=let),
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

    def verdict(self, answer: str, k: int | None, reason: str, **more: Any) -> Judgement:
        """What became of a link, or of the whole claim; `more` as `Judgement` has it."""
        text, link = in_one_line(self.sides.text) if k is None else self.typed(k), more.get("link")
        if answer == PROVED and link is not None:  # or given by SymPy's limit alone
            answer = link.decision.answer.value
        return Judgement(answer, text, reason, self.piece, proof=self.proof, **more)

    # -- what it is of -----------------------------------------------------------------------------

    def is_letter(self, name: str) -> bool:
        """Whether the name is of a letter of the law, or of a ratio of a run."""
        return name in RATIOS or isinstance(self.settings.words.names.get(name), Symbol)

    def is_of_letters(self, k: int, link: ChainLink) -> bool:
        """Whether each side is a letter or a number."""
        sides = ((link.lhs, *self.sides.named(k)), (link.rhs, *self.sides.named(k + 1)))
        return all(not a and (e.is_number or self.is_letter(name)) for e, name, a in sides)

    def undefined(self, link: ChainLink) -> list[str]:
        """The letters of a link that neither the law nor the document defines."""
        words = self.settings.words
        known = {x for x in words.names.values() if isinstance(x, Symbol)} | words.of_a_run
        return sorted({x.name for x in _letters(link) - known} - self.quantified)

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
        if any(name.endswith(OPTIMAL) for name in names) or {"N", "D"} & defined_by:
            return False
        if DERIVATIVE.search(text):
            both = all(re.search(rf"(?:\\partial|d)\s*{x}", text) for x in "ND")
            return both or self.vanishes
        return not names & LOSSES and set(self.sides.relations) <= {"==", "propto"}


def _single(condition: str) -> list[str]:
    """`0 < r < 1` as two conditions."""
    try:
        sides = Sides.of(condition)
    except ParseError:
        return [condition]
    links = zip(sides.sources, sides.relations, sides.sources[1:], strict=False)
    return [as_typed(*link) for link in links] if len(sides.relations) > 1 else [condition]


def _judged_in_every_budget(state: State, piece: Piece) -> Found:
    """The verdict on each link, which counts where it is that under every budget that the document
    may mean.
    """
    claim = Claim.of(state, piece)
    after, found = _judged(claim)
    classes = (BY_SYMPY, AT_OPTIMUM, ALONG, PROVED), (REFUTED,)
    alike = [next((known for known in classes if one.answer in known), ()) for one in found]
    for other in state.other_budgets_of(claim.sides.names) if any(alike) else []:
        instead = [one.answer for one in _judged(Claim.of(other, piece))[1]]
        for k, one in enumerate(found):
            if alike[k] and (len(instead) != len(found) or instead[k] not in alike[k]):
                budget = other.budget or SIX_ND
                reason = f"it hangs on the budget, {state.budget or SIX_ND} or {budget}"
                has_letters = budget.compute().free_symbols - {sym.N, sym.D}
                remedy = "budget ..." if has_letters else f"budget {budget}"
                found[k] = replace(one, answer=UNDECIDED, reason=reason, remedy=remedy, where="")
    return after, found


def _judged(claim: Claim) -> Found:
    """The verdict on each link of a claim."""
    state, place = claim.state, claim.piece.place
    if (why := _hangs_on_another(claim)) is not None:
        reason, remedy = why
        return state, [claim.verdict(UNDECIDED, None, reason, remedy=remedy)]
    if claim.is_new:
        own = DefinedName.of(claim.sides, place)
        state = state.defining(replace(own, uses=frozenset(claim.names)))
    claim = replace(claim, uses=tuple(state.used(claim.names)))
    if (other := next((one for one in claim.uses if one.trouble), None)) is not None:
        reason = f"it rests on {other.name} of line {other.place.line}, which {other.trouble}"
        return state, [claim.verdict(UNDECIDED, None, reason, remedy=f"let {other.name} = ...")]
    proof, is_new = claim.prove(), claim.is_new
    claim, found = replace(claim, proof=proof), []
    if r"\iff" in claim.piece.text:
        return state, [_equivalence(claim, proof.links)]
    for k, link in enumerate(proof.links):
        if is_new and k == 0 and not link.decision.refuted:
            found.append(claim.verdict(DEFINITION, k, f"defines {claim.name}"))
            continue
        state, one = _on_link(replace(claim, state=state), k, link)
        found.append(one)
    return state, found


def _hangs_on_another(claim: Claim) -> tuple[str, str] | None:
    """Why nothing is said of a claim by its names, and what would settle it."""
    state, names, words = claim.state, claim.names, claim.settings.words
    if "~" in claim.sides.relations and claim.limit is None:
        return r"\sim without a limit says how large something is, not what it is", "skip"
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
    if decision.proved:
        return state, claim.verdict(PROVED, k, decision.reason, link=link)
    for reading in _readings(claim, k, link):
        found, where = claim.attempt(k, reading), reading.where
        if found is None:
            continue
        reason = found.decision.reason
        if found.decision.proved and reading.remedy:
            said = f"it holds {where} alone"
            return state, claim.verdict(UNDECIDED, k, said, remedy=reading.remedy)
        if found.decision.proved:
            return state, claim.verdict(reading.answer, k, reason, where=where, link=found)
        if found.decision.refuted and reading.refutes:
            return state, claim.verdict(REFUTED, k, reason, where=where, link=found)
        if reading.closes and not found.decision.refuted:
            return state, claim.verdict(UNDECIDED, k, reason, remedy="skip")
    return _on_failure(claim, k, link)


def _readings(claim: Claim, k: int, link: ChainLink) -> Iterator[Reading]:
    """With the numbers that the document gives; at the optimum; along the budget; in the runs
    whose D is tied to N.
    """
    state, settings, text = claim.state, claim.settings, claim.piece.text
    budget, letters, known = settings.budget or SIX_ND, _letters(link), settings.words.names
    names = {str(x) for x in letters}
    numbers = state.numbers(settings.words, budget, claim.name if k == 0 else "")
    is_letter = k == 0 and claim.is_letter(claim.name) and not claim.arguments
    if numbers and not (is_letter and known[claim.name] not in numbers.values):
        is_rounded = DECIMAL.search(claim.typed(k)) is not None
        closes = bool(letters) and letters <= numbers.values.keys()
        yield Reading(numbers=numbers, refutes=is_rounded, closes=closes)
    if not {re.split("[=<>]", assumed)[0].strip() for assumed in settings.assume} & {*RUN}:
        remedy = "" if claim.is_first_order else "at N = N^*, D = D^*"
        if {"N", "D"} & names:
            yield Reading(AT_OPTIMUM, OPTIMUM, answer=AT_OPTIMUM, remedy=remedy)
        is_total = ALONG in claim.piece.conditions or claim.vanishes or r"\partial" not in text
        sizes = (f"N, {as_read(budget.remaining(sym.N))}", f"{as_read(budget.remaining(sym.D))}, D")
        for x, size in zip("ND", sizes if DERIVATIVE.search(text) else (), strict=False):
            where, loss = f"{ALONG}, a function of {x}", (f"L := L({size})",)
            yield Reading(where, let=loss, answer=ALONG, remedy="" if is_total else ALONG)
            where = f"{AT_OPTIMUM} {where}"
            yield Reading(where, OPTIMUM, loss, answer=AT_OPTIMUM, remedy=remedy)
    is_of_a_run = "C" in names and names < {*RUN} and not claim.sides.names - {*RUN, "sqrt"}
    is_of_an_optimum = claim.name in ("N_opt", "D_opt") and claim.sides.names <= OF_A_RULE
    if state.ray is not None and (is_of_a_run or is_of_an_optimum):
        name, value, place = state.ray
        spent = budget.compute().xreplace({known[name]: value})
        let = [f"{name} := {as_read(value)}", f"C := {as_read(spent)}"]
        if is_of_an_optimum:  # an author may call these N^* and D^*
            let += [f"{x}_opt := {as_read(value) if x == name else x}" for x in "ND"]
        where, remedy = f"in the runs of line {place.line}", "skip" if is_of_an_optimum else ""
        yield Reading(where, let=tuple(let), remedy=remedy, refutes=not is_of_an_optimum)


def _letters(link: ChainLink) -> set[Symbol]:
    found: set[Symbol] = link.lhs.free_symbols | link.rhs.free_symbols
    return found


# -- what fails ------------------------------------------------------------------------------------


def _on_failure(claim: Claim, k: int, link: ChainLink) -> tuple[State, Judgement]:
    """What becomes of a link that holds in no reading: it is refuted only where its letters leave
    no other way to mean it.
    """
    state, decision, relation, letters = claim.state, link.decision, link.relation, _letters(link)
    undefined, own = claim.undefined(link), claim.settings.words.notation.names()
    beta, gamma = own["beta"], own["gamma"]

    def unjudged(reason: str, remedy: str) -> tuple[State, Judgement]:
        return state, claim.verdict(UNDECIDED, k, reason, remedy=remedy)

    condition = "it holds for some values only: a condition?", f"assume {claim.typed(k)}"
    rounded = (
        "a rounded number hangs on those of the law, which are not given",
        f"assume \\{beta} = ..., \\{gamma} = ...",
    )
    is_of_runs = claim.sides.names <= {*RUN, *state.law.sizes}
    is_of_letters, is_bound = claim.is_of_letters(k, link), relation in BOUNDS
    is_condition = is_of_letters or (is_of_runs and (is_bound or len(letters) < 3))
    if is_bound and decision.refuted and is_condition and not undefined:
        return unjudged(*condition)
    needed = _needed(claim, k, link) if relation in (*BOUNDS, "!=", "~", "->") else ""
    if needed:
        return unjudged(f"needs {needed}", f"assume {needed}")
    if not decision.refuted and relation == "approx":
        return unjudged(*rounded)
    if not decision.refuted:
        return unjudged(decision.reason, "assume ..." if undefined else "skip")
    if not letters:
        return state, claim.verdict(REFUTED, k, decision.reason, link=link)
    if k == 0 and relation == "==" and (given := _gives(claim, link)) is not None:
        return given
    if relation == "==" and is_condition:
        return unjudged(*condition)
    if undefined:
        reason = "it holds for some values only, and the document does not define "
        return unjudged(reason + ", ".join(undefined), f"let {undefined[0]} = ...")
    if k == 0 and (meant := _meant_otherwise(claim)):
        state = state.defining(DefinedName.other(claim.name, claim.piece.place))
        return unjudged(*meant)
    if relation in ("==", "propto") and DECIMAL.search(claim.typed(k)):
        return unjudged(*rounded)
    equal = [(f"{beta} == {gamma}",), (*OPTIMUM, f"{beta} == {gamma}")]
    tried = equal if claim.is_first_order and {sym.N, sym.D} & letters else equal[:1]
    found = [claim.attempt(k, Reading(assume=assumed)) for assumed in tried]
    is_so = any(link is not None and link.decision.proved for link in found)
    shares, names = {own["w_N"], own["w_D"]}, claim.sides.names
    if is_so and not shares & names and not {beta, gamma} <= names:  # no slip of exchanged ones
        return unjudged(f"needs \\{beta} = \\{gamma}", f"at \\{beta} = \\{gamma}")
    neither = "it holds neither for every N and D nor at the optimum"
    reason = neither if relation == "==" and {sym.N, sym.D} & letters else decision.reason
    where = f"it holds where {beta} = {gamma}" if is_so else ""
    return state, claim.verdict(REFUTED, k, reason, where=where, link=link)


def _needed(claim: Claim, k: int, link: ChainLink) -> str:
    """A condition on the exponents or the ratio under which a link is proved."""
    own, names = claim.settings.words.notation.names(), {str(x) for x in _letters(link)}
    beta, gamma = own["beta"], own["gamma"]
    pairs = [(beta, gamma), (gamma, beta)] if {beta, gamma} <= names else []
    ones = [x for x in ("r", "rho") if x in names and claim.limit is None]
    tried = [f"{x} > {y}" for x, y in pairs] + [f"{x} {sign} 1" for x in ones for sign in "<>"]
    for condition in tried:
        found = claim.attempt(k, Reading(assume=(condition,)))
        if found is not None and found.decision.proved:
            return re.sub(r"\b(alpha|beta|gamma|rho)", r"\\\1", condition)
    return ""


def _gives(claim: Claim, link: ChainLink) -> tuple[State, Judgement] | None:
    """`E = 1.69`: a letter that is free in the law is fixed; `D = 20 N`: D is tied to N from here
    on; `C = 120 N^2`, before that, and `D = r D^*` are of some runs alone. What says such a thing
    by the name of a quantity, `A = e^a`, means something else by it.
    """
    state, name, value, place = claim.state, claim.name, link.rhs, claim.piece.place
    if claim.arguments or not claim.is_letter(name):
        return None
    given = claim.verdict(GIVEN, 0, f"{name} is given")
    if value.is_number:
        return state.noting(name, value, claim.sides.parts[1], place), given
    letters, words = {str(x) for x in value.free_symbols}, claim.settings.words
    if name in RUN:
        others = letters & RATIOS
        if not others and not letters < {*RUN} - {name}:
            return None
        if not others and "C" not in (name, *letters):
            return replace(state, ray=(name, value, place)), given
    else:
        others = {x for x in claim.sides.names if not isinstance(words.names.get(x, sym.N), Symbol)}
        if name not in map(words.notation.names().get, "EAB") or not others:
            return None
    reason, remedy = "it holds for some values only: a condition?", f"assume {claim.typed(0)}"
    unjudged = claim.verdict(UNDECIDED, 0, reason, remedy=remedy)
    return state.defining(*(DefinedName.other(x, place) for x in others)), unjudged


def _meant_otherwise(claim: Claim) -> tuple[str, str] | None:
    """Why the name on the left side may mean something else here, and what settles it."""
    name, means = claim.name, claim.settings.words.means
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
    failed = next((link for link in links if link.decision.refuted), None)
    first = next((link for link in links if not link.decision.proved), links[0])
    if first.decision.proved:
        return claim.verdict(PROVED, None, first.decision.reason, link=first)
    if failed is not None and not claim.undefined(failed):
        return claim.verdict(REFUTED, None, failed.decision.reason, link=failed)
    return claim.verdict(UNDECIDED, None, first.decision.reason, remedy="skip")
