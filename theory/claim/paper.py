"""What the claims of a document come to: each proved, refuted with a witness, or left unjudged with
the line that would settle it.

Every letter is positive; what a display means beyond its letters is declared (`% isoflop: ...`). The
law and the budget are the document's own, found by their shape. A claim that fails as it stands is
tried with the numbers that the document gives, and at the optimum.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sympy import Expr, Integer, Symbol

from ..budget import SIX_ND, Budget
from ..data.notation import DEFAULT, HOFFMANN
from ..kernel import symbols as sym
from ..kernel.answer import BOUNDS, Answer
from ..reader.building import APPLIED
from ..reader.tokens import ParseError, Token, tokenize
from .at_law import Coefficients, Range, unit_alone
from .chain import ChainLink, Settings
from .document import Piece
from .law_of import OPTIMAL, LawOfDocument, Sides, budget_of, law_of, name_of
from .prove import Proof, proved
from .spelling import as_read
from .typed import as_typed, in_one_line
from .vocabulary import refuse_clashes

REFUTED, UNREADABLE, UNDECIDED, PROVED = "refuted", "unreadable", "undecided", "proved"
AT_OPTIMUM, DEFINITION, GIVEN = "at the optimum", "definition", "given"
BY_SYMPY = Answer.BY_SYMPY.value
#: What holds, and before it what does not, the worst first.
HOLDS = (AT_OPTIMUM, PROVED, DEFINITION, GIVEN)
ANSWERS = (REFUTED, UNREADABLE, UNDECIDED, BY_SYMPY, *HOLDS)
COMPUTES = ("C", '"FLOPs"', '"FLOPS"', '"FLOP"', '"compute"', '"Compute"')
RUN, OPTIMUM = ("N", "D", "C"), ("N == N_opt", "D == D_opt")
#: Whole numbers up to here are not rounded.
SMALL = 100
LIMIT = re.compile(r"\\(?:to|rightarrow|longrightarrow)(?![A-Za-z])")
DERIVATIVE = re.compile(r"\\partial|\\frac\s*\{\s*(?:\\mathrm\{d\}|\\mathrm\s*d|d)[\s\\A-Z^]|dL/d")
#: `C^{0.49}`, `\frac{0.28}{0.62}`, `3 \times 10^{10}`: what stands for all that rounds to it.
DECIMAL = re.compile(r"\d\.\d|\\(?:times|cdot)\s*10")
DEFINES = re.compile(r":\s*=|=\s*:|\\coloneqq|\\triangleq")
#: Names that authors give to quantities of their own; ratios of a run; what hangs on no budget.
OFTEN_OTHERS = frozenset(["P", "R", "R_opt", "r", "rho", "s", "T_N", "T_D"])
RATIOS = frozenset(["r", "rho", "s"])
OF_A_RUN = frozenset(["L", "L_hat", "R", "T_N", "T_D"])


@dataclass(frozen=True)
class Judgement:
    """One link of a claim with what became of it: one of `ANSWERS` and the reason; where it holds;
    the declaration that would settle what is not judged; where it is decided, the decision, and the
    proof of the claim as it stands.
    """

    answer: str
    claim: str
    reason: str
    piece: Piece
    where: str = ""
    remedy: str = ""
    link: ChainLink | None = None
    proof: Proof | None = None


@dataclass(frozen=True)
class State:
    """What holds at a place of the document.

    Attributes
    ----------
    declared : Settings
        The notation, the names and the budget that are declared; a budget may be displayed.
    law : LawOfDocument or None
        The last one; before all of them the first one that is in letters.
    budget_line : int
        Where the budget is displayed; 0 where it is declared, or there is none.
    rivals : mapping of str to Budget
        What the document has under other letters than C: `F = 12 N D`.
    own : mapping of str to (str, int)
        What it says its own names are, and where; no text where nothing is known of one.
    numbers : mapping of str to (Expr, Range, int)
        Those that it gives of letters, `E = 1.69`, with what rounds to them, and where.
    ray : str
        What ties D to N in the runs of which it speaks: `D = 20 N`.
    """

    declared: Settings
    law: LawOfDocument | None = None
    budget_line: int = 0
    rivals: Mapping[str, Budget] = field(default_factory=dict)
    own: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    numbers: Mapping[str, tuple[Expr, Range, int]] = field(default_factory=dict)
    ray: str = ""

    @property
    def budget(self) -> Budget:
        """The one that holds, or the usual one."""
        return self.declared.budget or SIX_ND

    @cached_property
    def settings(self) -> Settings:
        """Of a claim that stands here, but for the document's own names."""
        law = self.law or LawOfDocument()
        notation = law.notation or self.declared.notation or DEFAULT.name
        refuse_clashes(self.budget, notation)
        let = (*law.let, *self.declared.let)
        return replace(self.declared, notation=notation, let=let, assume=law.assume)

    @cached_property
    def known(self) -> frozenset[str]:
        """The names that have a meaning without the document's own."""
        words = self.settings.words
        named = (re.split(":?=", text)[0].strip().lstrip("\\") for text in self.settings.let)
        return frozenset((*words.names, *(x.name for x in words.of_a_run), *APPLIED, *named))

    @property
    def lawless(self) -> str:
        """Why nothing is said of what hangs on the law; empty where the law is known."""
        if self.law is None:
            return "" if self.declared.notation else "the document's law is missing"
        trouble = self.law.trouble
        return f"the document's law, line {self.law.line}, {trouble}" if trouble else ""

    @property
    def other_budget(self) -> str:
        """What else than the budget may be meant by compute."""
        rivals = self.rivals.items()
        return ", ".join(f"{x} = {b.compute()}" for x, b in rivals if b != self.budget)

    def declaring(self, text: str) -> State:
        """With `notation hoffmann` and the like; ParseError where it is none."""
        word, _, rest = (part.strip() for part in text.partition(" "))
        if word == "notation":
            law = None if self.law is not None and self.law.trouble else self.law
            return replace(self, declared=replace(self.declared, notation=rest), law=law)
        if word == "budget":
            name, _, value = rest.rpartition("=")
            budget = Budget.parse(re.sub(r"(?<=\w)\s+(?=\w)", "*", value))
            return replace(self.with_budget(budget, name.strip() or "C", 0), rivals={})
        if word == "let":
            return replace(self, declared=replace(self.declared, let=(*self.declared.let, rest)))
        known = "notation, budget, let, assume, at, skip or `z real`"
        raise ParseError(f"`% isoflop: {word}` is not known: say {known}")

    def with_budget(self, budget: Budget, name: str, line: int) -> State:
        """With a budget, whose left side is the compute from here on."""
        let = self.declared.let if name == "C" else (*self.declared.let, f"{name} := C")
        declared = replace(self.declared, budget=budget, let=let)
        return replace(self, declared=declared, budget_line=line)

    def saying(self, names: Mapping[str, str], line: int) -> State:
        """With names that mean this from here on."""
        own = {**self.own, **{name: (text, line) for name, text in names.items()}}
        return replace(self, own=own)

    def giving(self, name: str, value: Expr, tokens: Sequence[Token], line: int) -> State:
        """With a number that the document gives; of N, D or C a second one is of another run."""
        is_other = name in RUN and name in self.numbers
        kept = {x: one for x, one in self.numbers.items() if not (is_other and x in RUN)}
        half = (unit_alone(tokens, "approx" if value > SMALL else "==") or Integer(0)) / 2
        return replace(self, numbers=kept | {name: (value, (value - half, value + half), line)})

    def coefficients(self, but: str) -> Coefficients | None:
        """The numbers that are given of other letters than one."""
        names = self.settings.words.names
        given = {names[x]: one for x, one in self.numbers.items() if x != but}
        lines = ", ".join(dict.fromkeys(f"line {line}" for _, _, line in given.values()))
        values = {x: value for x, (value, *_) in given.items()}
        ranges = {x: ends for x, (_, ends, _) in given.items()}
        return Coefficients(f"the numbers of {lines}", values, ranges) if given else None


# -- the document from its beginning to its end ----------------------------------------------------


def judged(pieces: Sequence[Piece], seconds: float | None = None) -> tuple[State, list[Judgement]]:
    """What holds at the end of a document, and the verdicts on its claims; what takes longer than
    the seconds is not judged.
    """
    laws = [None if piece.kind == "declared" else law_of(piece.text) for piece in pieces]
    first = next((law for law in laws if law and law.notation), None)
    if first is None and any(law and law.numbers for law in laws):
        is_hoffmanns = not any(r"\gamma" in piece.text for piece in pieces)
        first = LawOfDocument(HOFFMANN) if is_hoffmanns else None
    state, sizes = State(Settings("", seconds=seconds), first), first.sizes if first else ("N", "D")
    if not any(p.kind == "declared" and p.text.startswith("budget") for p in pieces):
        budgets = filter(None, (budget_of(p.text, sizes) for p in pieces if p.kind != "declared"))
        state = replace(state, rivals={x: b for b, x in budgets if x not in COMPUTES})
    found: list[Judgement] = []
    for piece, law in zip(pieces, laws, strict=True):
        state, more = _after(state, piece, law and replace(law, line=piece.line))
        found += more
    return state, found


def _after(state: State, piece: Piece, law: LawOfDocument | None) -> tuple[State, list[Judgement]]:
    """What holds after a piece, and what becomes of its claims."""
    try:
        if piece.kind == "declared":
            return state.declaring(piece.text), []
        state, what = _given(state, piece, law)
        if piece.kind == "inline":
            return state, []
        if piece.trouble:
            raise ParseError(piece.trouble)
        sides = Sides.of(piece.text)
        if what and len(sides.relations) == 1:
            return state, [Judgement(GIVEN, in_one_line(piece.text), what, piece)]
        if piece.kind == "explained" and not sides.defined:
            return state, []
        state, found = _judged(Claim.of(state, piece))
        return state, [
            replace(v, answer=GIVEN) if what and v.answer == PROVED else v for v in found
        ]
    except (ParseError, ValueError) as error:
        name = name_of(piece.text.partition("=")[0])
        if name and name not in state.known:  # it means something all the same
            state = state.saying({name: ""}, piece.line)
        reason = getattr(error, "complaint", None) or str(error)
        return state, [Judgement(UNREADABLE, in_one_line(piece.text), reason, piece, remedy="skip")]


def _given(state: State, piece: Piece, law: LawOfDocument | None) -> tuple[State, str]:
    """With the law and the budget that a piece gives, and what it gives. One of another shape counts
    where no notation is declared, and where it has letters that the law does not have.
    """
    what, known = "", state.law.names if state.law is not None else frozenset[str]()
    if law is not None and law.numbers:
        what, names = "the law in numbers", state.settings.words.notation.names()
        for name, value in law.numbers:
            state = state.giving(names[name], value, tokenize(as_read(value)), piece.line)
    elif law is not None and law.notation is not None:
        state, what = replace(state, law=law), "the document's law"
    elif law is not None and not (state.declared.notation or set() < law.names <= known):
        state = replace(state, law=law)
    budget = budget_of(piece.text, ("N", "D") if state.law is None else state.law.sizes)
    if budget is not None and budget[1] in COMPUTES and state.declared.budget is None:
        state, what = state.with_budget(*budget, piece.line), "the document's budget"
    own = {name: one for name, one in state.own.items() if name not in state.known or not one[0]}
    return replace(state, own=own), what


# -- one claim -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Claim:
    """A claim where it stands, with the settings under the conditions beside it, its limit, the names
    in these conditions, and the verdict on it as it stands.
    """

    state: State
    piece: Piece
    sides: Sides
    settings: Settings
    limit: str | None
    beside: frozenset[str]
    proof: Proof | None = None

    @classmethod
    def of(cls, state: State, piece: Piece) -> Claim:
        """Read a piece; ParseError where it cannot be."""
        settings = state.settings
        lets = (re.fullmatch(r"(\S+) := (\w+)", text) for text in settings.let)
        sides = Sides.of(piece.text, {let[1]: let[2] for let in lets if let is not None})
        limit = next((c for c in piece.conditions if LIMIT.search(c)), None)
        beside = [condition for condition in piece.conditions if condition != limit]
        own = [text for text, _ in state.own.values() if text]
        settings = replace(settings, assume=(*settings.assume, *beside), let=(*settings.let, *own))
        names = frozenset(re.findall(r"[A-Za-z]\w*", " ".join(piece.conditions)))
        return cls(state, piece, sides, settings, sides.limit or limit, names)

    @property
    def names(self) -> set[str]:
        """On which it rests."""
        return {*self.sides.names, *self.beside}

    @property
    def quantities(self) -> set[str]:
        """The names that hang on the law."""
        names, of_a_run = self.settings.words.names, self.settings.words.of_a_run
        closed = {x for x in self.names if not isinstance(names.get(x, sym.N), Symbol)}
        return closed | (self.names & {x.name for x in of_a_run} - {*RUN})

    @property
    def defines(self) -> str:
        """The name without a meaning that it says something of."""
        name = self.sides.defined
        known = {*self.state.known, *self.state.own}
        is_known = bool({name, re.sub(r"(?<=[A-Za-z])_(?=\d)", "", name)} & known)
        return "" if is_known or self.piece.follows or r"\iff" in self.piece.text else name

    def is_first_order(self, k: int) -> bool:
        """Whether a link can only mean the optimum: an equation for N and D that names neither a loss
        nor an optimum, nor a name of the document's own.
        """
        names = {token.text for part in self.sides.parts[k : k + 2] for token in part}
        others = {x for x in names if x.endswith(OPTIMAL) or x in (*OF_A_RUN, "P")}
        is_equation = self.sides.relations[k] in ("==", "propto")
        return is_equation and not others and not names & self.state.own.keys()

    @property
    def others(self) -> set[str]:
        """The names of which an equation that fails says something else than is known of them: for a
        letter, those of quantities in it.
        """
        name = self.sides.named(0)[0]
        if self.is_letter(name):
            found = self.quantities & RATIOS if name in RUN else self.quantities
        else:
            is_own = name in OFTEN_OTHERS or name in self.state.own
            found = {name} if is_own or DEFINES.search(self.piece.text) else set()
        return {x for x in found if not x.endswith(OPTIMAL)}

    def is_letter(self, name: str) -> bool:
        """Whether the name is of a letter of the law, or of a ratio of a run."""
        return name in RATIOS or isinstance(self.settings.words.names.get(name), Symbol)

    def undefined(self, link: ChainLink) -> list[str]:
        """The letters of a link that neither the law nor the document defines."""
        words = self.settings.words
        known = {x for x in words.names.values() if isinstance(x, Symbol)} | words.of_a_run
        return sorted({x.name for x in _letters(link) - known} - self.beside)

    def typed(self, k: int) -> str:
        """A link as it stands in the document."""
        left, right = self.sides.sources[k : k + 2]
        return in_one_line(as_typed(left, self.sides.relations[k], right))

    def attempt(
        self, k: int, *assume: str, numbers: Coefficients | None = None
    ) -> ChainLink | None:
        """A link where more is assumed, or with numbers; None where that cannot be."""
        settings = replace(self.settings, numbers=numbers)
        try:
            text = self.sides.text
            return proved(text, settings, assume=assume, limit=self.limit).links[k]
        except (ParseError, ValueError, IndexError):
            return None

    def verdict(self, answer: str, k: int | None, reason: str, **more: Any) -> Judgement:
        """What became of a link, or of the whole claim; `more` as `Judgement` has it."""
        text, link = in_one_line(self.sides.text) if k is None else self.typed(k), more.get("link")
        if answer == PROVED and link is not None:  # or given by SymPy's limit alone
            answer = link.decision.answer.value
        return Judgement(answer, text, reason, self.piece, proof=self.proof, **more)

    def decided(self, k: int, link: ChainLink, answer: str = PROVED, where: str = "") -> Judgement:
        """What became of a link by its decision: the answer, or refuted."""
        decision = link.decision
        answer = REFUTED if decision.refuted else answer
        return self.verdict(answer, k, decision.reason, link=link, where=where)


def _letters(link: ChainLink) -> set[Symbol]:
    found: set[Symbol] = link.lhs.free_symbols | link.rhs.free_symbols
    return found


def _judged(claim: Claim) -> tuple[State, list[Judgement]]:
    """The verdict on each link of a claim."""
    state, line, name = claim.state, claim.piece.line, claim.defines
    if (why := _hangs_on(claim)) is not None:
        state = state.saying({name: ""}, line) if name else state
        return state, [claim.verdict(UNDECIDED, None, why[0], remedy=why[1])]
    if name:
        text = f"{claim.sides.sources[0]} = {claim.sides.sources[1]}"
        settings = replace(claim.settings, let=(*claim.settings.let, text))
        claim, state = replace(claim, settings=settings), state.saying({name: text}, line)
    proof = proved(claim.sides.text, claim.settings, limit=claim.limit)
    claim, found = replace(claim, proof=proof), list[Judgement]()
    if r"\iff" in claim.piece.text:  # one claim: both ways
        links = sorted(proof.links, key=lambda x: (not x.decision.refuted, x.decision.proved))
        is_open = not links[0].decision.proved and bool(claim.undefined(links[0]))
        if links[0].decision.proved or (links[0].decision.refuted and not is_open):
            return state, [replace(claim.decided(0, links[0]), claim=claim.sides.text)]
        return state, [claim.verdict(UNDECIDED, None, links[0].decision.reason, remedy="skip")]
    for k, link in enumerate(proof.links):
        if name and k == 0 and not link.decision.refuted:
            found.append(claim.verdict(DEFINITION, k, f"defines {name}"))
            continue
        one = _decided(claim, k, link)
        if one is None:
            state, one = _on_failure(replace(claim, state=state), k, link)
        found.append(one)
    return state, found


def _hangs_on(claim: Claim) -> tuple[str, str] | None:
    """Why nothing is said of a claim by its names, and what would settle it."""
    state, quantities, names = claim.state, claim.quantities, claim.names
    name, arguments = claim.sides.named(0)
    for unknown, (text, line) in state.own.items():
        if unknown in names and not text:
            return f"nothing is known of {unknown} from line {line} on", f"let {unknown} = ..."
    if "~" in claim.sides.relations and claim.limit is None:
        return r"\sim without a limit says how large something is, not what it is", "skip"
    if name in ("L", "L_hat") and len(arguments) == 1 and arguments != ("C",):
        return f"{name}({arguments[0]}) is a function of its own", "skip"
    if state.lawless and quantities:
        shown = ", ".join(sorted(quantities))
        return (
            f"{state.lawless}; {shown} hangs on it",
            f"notation {claim.settings.words.notation.name}",
        )
    is_of_compute = state.budget_line and "C" in names and not names & state.rivals.keys()
    if state.other_budget and not is_of_compute and (quantities - OF_A_RUN or "C" in names):
        other = state.other_budget
        return f"it hangs on the budget, {state.budget} or {other}", f"budget {other}"
    return None


def _decided(claim: Claim, k: int, link: ChainLink) -> Judgement | None:
    """The verdict on a link as it stands, else with the numbers that the document gives, else in the
    runs whose D it ties to N, else at the optimum.
    """
    state, letters, names = claim.state, _letters(link), claim.sides.names
    if link.decision.proved:
        return claim.decided(k, link)
    (name, arguments), spent = claim.sides.named(0), f"C == {state.budget.compute()}"
    is_letter = k == 0 and claim.is_letter(name) and not arguments
    is_tied = is_letter and name in RUN and {*RUN} - {name} <= state.numbers.keys()
    numbers = state.coefficients(name if is_letter else "")
    if numbers is not None and (is_tied or not is_letter):
        found = claim.attempt(k, *([spent] if is_tied else []), numbers=numbers)
        is_rounded = DECIMAL.search(claim.typed(k)) is not None
        if found is not None and (found.decision.proved or (found.decision.refuted and is_rounded)):
            return claim.decided(k, found)
        if found is not None and not found.decision.refuted and letters <= {*numbers.values}:
            return claim.verdict(UNDECIDED, k, found.decision.reason, remedy="skip")
    if state.ray and "C" in names < {*RUN, "sqrt"} and len(names & {*RUN}) < 3:
        found = claim.attempt(k, state.ray, spent)
        if found is not None and (found.decision.proved or found.decision.refuted):
            return claim.decided(k, found, where=f"in the runs of {state.ray}")
    if {sym.N, sym.D} & letters and not state.other_budget and not claim.beside & {*RUN}:
        found = claim.attempt(k, *OPTIMUM)
        if found is not None and found.decision.proved and claim.is_first_order(k):
            return claim.decided(k, found, AT_OPTIMUM)
        if found is not None and found.decision.proved:
            remedy = "at N = N^*, D = D^*"
            return claim.verdict(UNDECIDED, k, f"it holds {AT_OPTIMUM} alone", remedy=remedy)
    return None


# -- what fails ------------------------------------------------------------------------------------


def _on_failure(claim: Claim, k: int, link: ChainLink) -> tuple[State, Judgement]:
    """What becomes of a link that does not hold: it may give a number, or tie D to N; it is refuted
    only where its letters leave no other way to mean it.
    """
    state, line, (name, arguments) = claim.state, claim.piece.line, claim.sides.named(0)
    says = k == 0 and name and not arguments and link.relation == "==" and link.decision.refuted
    if says and claim.is_letter(name) and link.rhs.is_number:
        state = state.giving(name, link.rhs, claim.sides.parts[1], line)
        return state, claim.verdict(GIVEN, k, f"{name} is given")
    if says and _letters(link) == {sym.N, sym.D} and name in RUN:
        ray = f"{claim.sides.sources[0]} = {claim.sides.sources[1]}"
        return replace(state, ray=ray), claim.verdict(GIVEN, k, f"{name} is given")
    why = _otherwise(claim, k, link)
    if why is None:
        return state, claim.decided(k, link)
    if says:  # so that what it says something of means something else
        state = state.saying(dict.fromkeys(claim.others, ""), line)
    return state, claim.verdict(UNDECIDED, k, why[0], remedy=why[1])


def _otherwise(claim: Claim, k: int, link: ChainLink) -> tuple[str, str] | None:
    """How a link that does not hold may be meant otherwise, and the line that would settle it; None
    where it is refuted.
    """
    state, decision, relation, letters = claim.state, link.decision, link.relation, _letters(link)
    (name, arguments), names = claim.sides.named(0), claim.sides.names
    spelt = claim.settings.words.notation.names()
    beta, gamma, undefined = spelt["beta"], spelt["gamma"], claim.undefined(link)
    is_first = k == 0 and name != "" and not arguments
    condition = "it holds for some values only: a condition?", f"assume {claim.typed(k)}"
    said = "a rounded number hangs on those of the law, which are not given"
    rounded = said, f"assume \\{beta} = ..., \\{gamma} = ..."
    sides = ((link.lhs, *claim.sides.named(k)), (link.rhs, *claim.sides.named(k + 1)))
    is_of_letters = all(not a and (e.is_number or claim.is_letter(x)) for e, x, a in sides)
    is_of_runs = names <= {*RUN} and (relation in BOUNDS or len(letters) < 3)
    is_condition = decision.refuted and bool(letters) and (is_of_letters or is_of_runs)
    if relation in BOUNDS and is_condition and not undefined:
        return condition
    if relation != "approx" and (needed := _needed(claim, k, link)):
        return f"needs {needed}", f"{'at' if '=' in needed else 'assume'} {needed}"
    if not decision.refuted:
        reason = decision.reason, "assume ..." if undefined else "skip"
        return rounded if relation == "approx" else reason
    if not letters:
        return None
    if state.other_budget and {sym.N, sym.D} & letters:
        return f"it may hang on the budget {state.other_budget}", f"budget {state.other_budget}"
    if relation == "==" and (is_condition or (is_first and claim.is_letter(name) and claim.others)):
        return condition
    if undefined:
        said = "it holds for some values only, and the document does not define "
        return said + ", ".join(undefined), f"let {undefined[0]} = ..."
    if is_first and claim.others:
        return f"the document may mean something else by {name}", f"let {claim.typed(0)}"
    if relation in ("==", "propto") and DECIMAL.search(claim.typed(k)):
        return rounded
    is_of_one = len(names & {*RUN}) == 1 and not {"C", "0"} & {*names, *claim.sides.sources}
    is_slope = relation == "==" and DERIVATIVE.search(claim.piece.text) is not None
    if is_slope and names & OF_A_RUN and not is_of_one:
        return "a derivative along the budget, d/dN L(N, C/(6 N)), may be meant", "skip"
    if state.ray and names <= {*RUN, "N_opt", "D_opt", "sqrt"}:
        return f"the document has {state.ray}, and may mean the optimum among these", "skip"
    return None


def _needed(claim: Claim, k: int, link: ChainLink) -> str:
    """A condition on the exponents or the ratio under which a link is proved."""
    spelt, letters = claim.settings.words.notation.names(), {str(x) for x in _letters(link)}
    beta, gamma = spelt["beta"], spelt["gamma"]
    tried: list[tuple[str, ...]] = []
    if link.relation in ("==", "propto"):
        shares = {spelt["w_N"], spelt["w_D"]} & claim.sides.names
        if not shares and not {beta, gamma} <= claim.sides.names:  # no slip of exchanged ones
            tried = [(f"{beta} == {gamma}",), (f"{beta} == {gamma}", *OPTIMUM)]
    else:
        tried = [(f"{beta} > {gamma}",), (f"{gamma} > {beta}",)] if {beta, gamma} <= letters else []
        ones = [x for x in ("r", "rho") if x in letters and claim.limit is None]
        tried += [(f"{x} {sign} 1",) for x in ones for sign in "<>"]
    for condition in tried:
        found = claim.attempt(k, *condition)
        if found is not None and found.decision.proved:
            return re.sub(r"\b(alpha|beta|gamma|rho)", r"\\\1", condition[0]).replace("==", "=")
    return ""
