"""What the claims of a document come to: each proved, refuted with a witness, or left unjudged with
the line that would settle it.

Every letter is positive; what a display means beyond its letters is declared (`% isoflop: ...`). The
law and the budget are the document's own, found by their shape.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from sympy import Expr, Integer, Symbol

from ..budget import SIX_ND, Budget
from ..data.notation import DEFAULT, HOFFMANN
from ..data.notation import notation as find_notation
from ..kernel import symbols as sym
from ..kernel.answer import BOUNDS, Answer
from ..reader.building import APPLIED
from ..reader.tokens import ParseError, Token, tokenize
from .at_law import Coefficients, Range, unit_alone
from .chain import ChainLink, Settings
from .document import Piece
from .law_of import OPTIMAL, LawOfDocument, Sides, budget_of, laws_of, name_of, sides_of
from .prove import Proof, proved
from .spelling import as_read
from .typed import as_typed, in_one_line
from .vocabulary import refuse_clashes

REFUTED, UNREADABLE, UNDECIDED, PROVED = "refuted", "unreadable", "undecided", "proved"
AT_OPTIMUM, DEFINITION, GIVEN = "at the optimum", "definition", "given"
#: What holds, and before it what does not, the worst first.
HOLDS = (AT_OPTIMUM, PROVED, DEFINITION, GIVEN)
ANSWERS = (REFUTED, UNREADABLE, UNDECIDED, Answer.BY_SYMPY.value, *HOLDS)
COMPUTES = ("C", '"FLOPs"', '"FLOPS"', '"FLOP"', '"compute"', '"Compute"')
RUN, OPTIMUM, AT = ("N", "D", "C"), ("N == N_opt", "D == D_opt"), "at N = N^*, D = D^*"
#: Whole numbers up to here are not rounded.
SMALL = 100
LIMIT = re.compile(r"\\(?:to|rightarrow|longrightarrow)(?![A-Za-z])")
DERIVATIVE = re.compile(r"\\partial|\\frac\s*\{\s*(?:\\mathrm\{d\}|\\mathrm\s*d|d)[\s\\A-Z^]|dL/d")
#: `C^{0.49}`, `\frac{0.28}{0.62}`, `3 \times 10^{10}`: what stands for all that rounds to it.
DECIMAL = re.compile(r"\d\.\d|\\(?:times|cdot)\s*10")
DEFINES = re.compile(r":\s*=|=\s*:|\\coloneqq|\\triangleq")
#: Names that authors give to quantities of their own, and what hangs on no budget.
OFTEN_OTHERS = frozenset(["P", "R", "R_opt", "r", "rho", "s", "T_N", "T_D"])
OF_A_RUN = frozenset(["L", "L_hat", "R", "T_N", "T_D"])
Why = tuple[str, str] | None


@dataclass(frozen=True)
class Judgement:
    """What became of one link of a claim."""

    answer: str  # one of `ANSWERS`
    claim: str
    reason: str
    piece: Piece
    remedy: str = ""  # the declaration that would settle what is not judged
    proof: Proof | None = None  # of the claim as it stands
    link: ChainLink | None = None  # as it is decided


@dataclass(frozen=True)
class State:
    """What holds at a place of the document."""

    declared: Settings  # notation, names and budget; a budget may be displayed instead
    law: LawOfDocument | None = None  # the last one; at first the first one in letters
    budget_line: int = 0
    rivals: Mapping[str, Budget] = field(default_factory=dict)  # F = 12 N D, beside C
    own: Mapping[str, tuple[str, int]] = field(default_factory=dict)  # x = A B; "" is not known
    numbers: Mapping[str, tuple[Expr, Range, int]] = field(default_factory=dict)  # E = 1.69
    ray: str = ""  # D = 20 N, in the runs of which the document speaks

    @property
    def budget(self) -> Budget:
        """The one that holds, or the usual one."""
        return self.declared.budget or SIX_ND

    @property
    def rival(self) -> str:
        """What else than the budget may be meant by compute."""
        rivals = self.rivals.items()
        return ", ".join(f"{x} = {b.compute()}" for x, b in rivals if b != self.budget)

    @cached_property
    def settings(self) -> Settings:
        """Of a claim that stands here, but for the document's own names."""
        law = self.law or LawOfDocument()
        notation = law.notation or self.declared.notation or DEFAULT
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

    def declaring(self, text: str) -> State:
        """With `notation hoffmann` and the like; ParseError where it is none."""
        word, _, rest = (part.strip() for part in text.partition(" "))
        if word == "notation":
            law = None if self.law is not None and self.law.trouble else self.law
            declared = replace(self.declared, notation=find_notation(rest))
            return replace(self, declared=declared, law=law)
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
        own = {name: (text, line) for name, text in names.items()}
        return replace(self, own={**self.own, **own})

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
    formulas = [piece for piece in pieces if piece.kind != "declared"]
    laws = dict(zip(formulas, laws_of(piece.text for piece in formulas), strict=True))
    first = next((law for law in laws.values() if law and law.notation), None)
    is_in_numbers = first is None and any(law and law.numbers for law in laws.values())
    if is_in_numbers and not any(r"\gamma" in piece.text for piece in pieces):
        first = LawOfDocument(HOFFMANN)
    state, found = State(Settings("", seconds=seconds), first), list[Judgement]()
    if not any(p.kind == "declared" and p.text.startswith("budget") for p in pieces):
        state = _with_rivals(state, formulas)
    for piece in pieces:
        state, more = _after(state, piece, laws.get(piece))
        found += more
    return state, found


def _with_rivals(state: State, formulas: Sequence[Piece]) -> State:
    """With what is displayed as `F = 12 N D`: it is the budget where there is one such letter, it is
    said of an optimum, and C is nowhere named.
    """
    sizes = (state.law or LawOfDocument()).sizes
    found = [(budget_of(piece.text, sizes), piece.line) for piece in formulas]
    budgets = {one[1]: (one[0], line) for one, line in found if one and one[1] not in COMPUTES}
    names = [sides.names for sides in (sides_of(piece.text) for piece in formulas) if sides]
    if len(budgets) == 1 and not any({*COMPUTES} & each for each in names):
        ((name, (budget, line)),) = budgets.items()
        if any(name in each and any(x.endswith(OPTIMAL) for x in each) for each in names):
            return state.with_budget(budget, name, line)
    return replace(state, rivals={name: budget for name, (budget, _) in budgets.items()})


def _after(state: State, piece: Piece, law: LawOfDocument | None) -> tuple[State, list[Judgement]]:
    """What holds after a piece, and what becomes of its claims."""
    shown = in_one_line(piece.text)
    try:
        if piece.kind == "declared":
            return state.declaring(piece.text), []
        state, what = _given(state, piece, law)
        if piece.kind == "inline":
            return state, []
        claim = Claim.of(state, piece)
        if what and len(claim.sides.relations) == 1:
            return state, [Judgement(GIVEN, shown, what, piece)]
        if piece.kind == "explained" and not claim.sides.defined:
            return state, []
        state, found = claim.judged()
        given = (replace(v, answer=GIVEN) if v.answer == PROVED else v for v in found)
        return state, list(given) if what else found
    except (ParseError, ValueError) as error:
        name = name_of(piece.text.partition("=")[0])
        if name and name not in state.known:  # it means something all the same
            state = state.saying({name: ""}, piece.line)
        reason = getattr(error, "complaint", None) or str(error)
        return state, [Judgement(UNREADABLE, shown, reason, piece, remedy="skip")]


def _given(state: State, piece: Piece, law: LawOfDocument | None) -> tuple[State, str]:
    """With the law and the budget that a piece gives, and what it gives. A law of another shape counts
    where no notation is declared, and where it has letters that the law does not have.
    """
    what, before = "", state.law or LawOfDocument()
    is_other = law is not None and not (
        state.declared.notation or set() < law.names <= before.names
    )
    if law is not None and law.numbers:
        what, names = "the law in numbers", state.settings.words.notation.names()
        for name, value in law.numbers:
            state = state.giving(names[name], value, tokenize(as_read(value)), piece.line)
    elif law is not None and (law.notation or is_other):
        state = replace(state, law=replace(law, line=piece.line))
        what = "the document's law" if law.notation else ""
    budget = budget_of(piece.text, (state.law or LawOfDocument()).sizes)
    if budget is not None and budget[1] in COMPUTES and state.declared.budget is None:
        state = state.with_budget(*budget, piece.line)
    if budget is not None and (budget[0], piece.line) == (state.declared.budget, state.budget_line):
        what = "the document's budget"
    return state, what


# -- one claim -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Claim:
    """A claim where it stands: under the conditions beside it, with the names in these."""

    state: State
    piece: Piece
    sides: Sides
    settings: Settings
    beside: frozenset[str]
    proof: Proof | None = None

    @classmethod
    def of(cls, state: State, piece: Piece) -> Claim:
        """Read a piece; ParseError where it cannot be."""
        given = state.settings
        refuse_clashes(state.budget, given.notation)
        own = [text for x, (text, _) in state.own.items() if text and x not in state.known]
        lets = (re.fullmatch(r"(\S+) := (\w+)", text) for text in given.let)
        sides = Sides.of(piece.text, {let[1]: let[2] for let in lets if let is not None})
        limit = next((c for c in piece.conditions if LIMIT.search(c)), None)
        assume = (*given.assume, *(c for c in piece.conditions if c != limit))
        settings = replace(given, assume=assume, let=(*given.let, *own), limit=sides.limit or limit)
        beside = frozenset(re.findall(r"[A-Za-z]\w*", " ".join(piece.conditions)))
        return cls(state, piece, sides, settings, beside)

    @property
    def name(self) -> str:
        """What its left side is, where that is a name without arguments."""
        name, arguments = self.sides.named(0)
        return "" if arguments else name

    @property
    def names(self) -> set[str]:
        """On which it rests."""
        return {*self.sides.names, *self.beside}

    @property
    def new(self) -> str:
        """The name without a meaning that it says something of."""
        name, known = self.sides.defined, {*self.state.known, *self.state.own}
        is_known = bool({name, re.sub(r"(?<=[A-Za-z])_(?=\d)", "", name)} & known)
        return "" if is_known or self.piece.follows or r"\iff" in self.piece.text else name

    @property
    def letters(self) -> set[str]:
        """The letters of the law, and of a run."""
        return {x for x, e in self.settings.words.names.items() if isinstance(e, Symbol)}

    @property
    def quantities(self) -> set[str]:
        """The names that hang on the law."""
        words = self.settings.words
        closed = words.names.keys() - self.letters
        return self.names & (closed | {x.name for x in words.of_a_run} - {*RUN})

    @property
    def others(self) -> set[str]:
        """The names of which it may say something else than is known of them."""
        said = {self.name} if DEFINES.search(self.piece.text) else set()
        return (self.quantities | {self.name}) & (OFTEN_OTHERS | self.state.own.keys() | said)

    def undefined(self, link: ChainLink) -> list[str]:
        """The letters of a link that neither the law nor the document defines."""
        known = self.letters | {x.name for x in self.settings.words.of_a_run} | self.beside
        return sorted({x.name for x in _letters(link)} - known)

    def typed(self, k: int) -> str:
        """A link as it stands in the document."""
        left, right = self.sides.sources[k : k + 2]
        return in_one_line(as_typed(left, self.sides.relations[k], right))

    def attempt(
        self, k: int, *assume: str, numbers: Coefficients | None = None
    ) -> ChainLink | None:
        """A link where more is assumed, or with numbers; None where that does not decide it."""
        try:
            settings = replace(self.settings, numbers=numbers)
            link = proved(self.sides.text, settings, assume=assume).links[k]
        except (ParseError, ValueError, IndexError):
            return None
        return link if link.decision.proved or link.decision.refuted else None

    def proves(self, k: int, *assume: str) -> ChainLink | None:
        """A link that is proved where more is assumed."""
        link = self.attempt(k, *assume)
        return link if link is not None and link.decision.proved else None

    def verdict(self, k: int | None, answer: str, reason: str, remedy: str = "") -> Judgement:
        """What became of a link, or of the whole claim."""
        text = in_one_line(self.sides.text) if k is None else self.typed(k)
        return Judgement(answer, text, reason, self.piece, remedy, proof=self.proof)

    def decided(self, k: int | None, link: ChainLink, answer: str = "") -> Judgement:
        """What became of a link, or of the whole claim, by its decision."""
        answer = answer or link.decision.answer.value
        return replace(self.verdict(k, answer, link.decision.reason), link=link)

    def judged(self) -> tuple[State, list[Judgement]]:
        """What holds behind the claim, and the verdict on each of its links."""
        claim, state, new = self, self.state, self.new
        if (why := self._hangs_on()) is not None:
            state = state.saying({new: ""}, self.piece.line) if new else state
            return state, [self.verdict(None, UNDECIDED, *why)]
        if new:
            text = f"{self.sides.sources[0]} = {self.sides.sources[1]}"
            claim = replace(self, settings=replace(self.settings, let=(*self.settings.let, text)))
            state = state.saying({new: text}, self.piece.line)
        proof = proved(self.sides.text, claim.settings)
        claim, found = replace(claim, proof=proof), list[Judgement]()
        if r"\iff" in self.piece.text:  # one claim: both ways
            worst = min(proof.links, key=lambda x: (not x.decision.refuted, x.decision.proved))
            if worst.decision.proved or (worst.decision.refuted and not claim.undefined(worst)):
                return state, [claim.decided(None, worst)]
            return state, [claim.verdict(None, UNDECIDED, worst.decision.reason, "skip")]
        for k, link in enumerate(proof.links):
            is_new = new != "" and k == 0 and not link.decision.refuted
            one = (
                claim.verdict(k, DEFINITION, f"defines {new}") if is_new else claim._holds(k, link)
            )
            if one is None:
                state, one = replace(claim, state=state)._fails(k, link)
            found.append(one)
        return state, found

    def _hangs_on(self) -> Why:
        """Why nothing is said of it by its names, and what would settle it."""
        state, quantities, (name, arguments) = self.state, self.quantities, self.sides.named(0)
        for x in sorted(self.names - {self.new}):
            is_said = state.own[x][0] != "" if x in state.own else x in state.known or x[0] != '"'
            if not is_said:
                return f"it is not known what {x} is", f"let {x} = ..."
        if "~" in self.sides.relations and self.settings.limit is None:
            return r"\sim without a limit says how large something is, not what it is", "skip"
        if name in ("L", "L_hat") and len(arguments) == 1 and arguments != ("C",):
            return f"{name}({arguments[0]}) is a function of its own", "skip"
        if state.lawless and quantities:
            said = f"{state.lawless}; {', '.join(sorted(quantities))} hangs on it"
            return said, f"notation {self.settings.words.notation.name}"
        is_of_c = "C" in self.names and state.budget_line and not self.names & state.rivals.keys()
        if state.rival and not is_of_c and (quantities - OF_A_RUN or "C" in self.names):
            return (
                f"it hangs on the budget, {state.budget} or {state.rival}",
                f"budget {state.rival}",
            )
        return None

    def _holds(self, k: int, link: ChainLink) -> Judgement | None:
        """The verdict on a link as it stands, else with the numbers that the document gives, else in
        the runs whose D it ties to N, else at the optimum; None where that decides nothing.
        """
        if link.decision.proved:
            return self.decided(k, link)
        state, names, is_letter = self.state, self.sides.names, k == 0 and self.name in self.letters
        spent = f"C == {state.budget.compute()}"
        is_tied = is_letter and self.name in RUN and {*RUN} - {self.name} <= state.numbers.keys()
        numbers = state.coefficients(self.name if is_letter else "")
        if numbers is not None and (is_tied or not is_letter):
            found = self.attempt(k, *([spent] if is_tied else []), numbers=numbers)
            if found is not None and (found.decision.proved or DECIMAL.search(self.typed(k))):
                return self.decided(k, found)
            if found is None and _letters(link) <= numbers.values.keys():
                return self.verdict(k, UNDECIDED, f"{numbers.name} leave it open", "skip")
        is_of_ray = state.ray and "C" in names < {*RUN, "sqrt"} and len(names & {*RUN}) < 3
        if is_of_ray and (found := self.attempt(k, state.ray, spent)) is not None:
            return self.decided(k, found)
        is_of_a_run = bool({sym.N, sym.D} & _letters(link)) and not self.beside & {*RUN}
        if is_of_a_run and not state.rival and (found := self.proves(k, *OPTIMUM)) is not None:
            texts = {token.text for side in self.sides.parts[k : k + 2] for token in side}
            others = {x for x in texts if x.endswith(OPTIMAL) or x in (*OF_A_RUN, "P", *state.own)}
            if link.relation in ("==", "propto") and not others:  # it can only mean the optimum
                return self.decided(k, found, AT_OPTIMUM)
            return self.verdict(k, UNDECIDED, "it holds at the optimum alone", AT)
        return None

    def _fails(self, k: int, link: ChainLink) -> tuple[State, Judgement]:
        """What becomes of a link that does not hold: it may give a number, or tie D to N; it is refuted
        only where its letters leave no other way to mean it.
        """
        state, line, name = self.state, self.piece.line, self.name
        is_said = k == 0 and name != "" and link.relation == "=="
        if is_said and name in self.letters and link.rhs.is_number:
            state = state.giving(name, link.rhs, self.sides.parts[1], line)
            return state, self.verdict(k, GIVEN, f"{name} is given")
        says = is_said and link.decision.refuted
        if says and _letters(link) == {sym.N, sym.D} and name in RUN:
            ray = f"{self.sides.sources[0]} = {self.sides.sources[1]}"
            return replace(state, ray=ray), self.verdict(k, GIVEN, f"{name} is given")
        if (why := self._otherwise(k, link)) is None:
            return state, self.decided(k, link)
        if says:  # so that the names mean something else
            state = state.saying(dict.fromkeys(self.others, ""), line)
        return state, self.verdict(k, UNDECIDED, *why)

    def _otherwise(self, k: int, link: ChainLink) -> Why:
        """How a link that does not hold may be meant otherwise, and the line that would settle it; None
        where it is refuted.
        """
        state, relation, letters, names = (
            self.state,
            link.relation,
            _letters(link),
            self.sides.names,
        )
        spelt, undefined = self.settings.words.notation.names(), self.undefined(link)
        refuted, is_first = link.decision.refuted, k == 0 and self.name != ""
        condition = "it holds for some values only: a condition?", f"assume {self.typed(k)}"
        numbers = f"assume \\{spelt['beta']} = ..., \\{spelt['gamma']} = ..."
        rounded = "a rounded number hangs on those of the law, which are not given", numbers
        is_of_letters = letters and names - {*APPLIED} <= self.letters
        is_condition = refuted and is_of_letters and (relation in BOUNDS or len(letters) < 3)
        says = is_first and (self.others if self.name in RUN else self.quantities)
        if relation in BOUNDS and is_condition and not undefined:
            return condition
        if relation != "approx" and (needed := self._needed(k, link)):
            return f"needs {needed}", f"{'at' if '=' in needed else 'assume'} {needed}"
        if not refuted:
            why = link.decision.reason, "assume ..." if undefined else "skip"
            return rounded if relation == "approx" else why
        if not letters:
            return None
        if state.rival and {sym.N, sym.D} & letters:
            return f"it may hang on the budget {state.rival}", f"budget {state.rival}"
        if relation == "==" and (is_condition or (says and self.name in self.letters)):
            return condition
        if undefined:
            said = f"the document does not define {', '.join(undefined)}"
            return f"it holds for some values only, and {said}", f"let {undefined[0]} = ..."
        if is_first and self.name in self.others:
            return f"it may mean something else by {self.name}", f"let {self.typed(0)}"
        if relation in ("==", "propto") and DECIMAL.search(self.typed(k)):
            return rounded
        is_of_one = len(names & {*RUN}) == 1 and not {"C", "0"} & {*names, *self.sides.sources}
        is_slope = relation == "==" and DERIVATIVE.search(self.piece.text) is not None
        if is_slope and names & OF_A_RUN and not is_of_one:
            return "a derivative along the budget, d/dN L(N, C/(6 N)), may be meant", "skip"
        if state.ray and names <= {*RUN, "N_opt", "D_opt", "sqrt"}:
            return f"the optimum among the runs of {state.ray} may be meant", "skip"
        return None

    def _needed(self, k: int, link: ChainLink) -> str:
        """A condition on the exponents or the ratio under which a link is proved."""
        spelt, letters = self.settings.words.notation.names(), {str(x) for x in _letters(link)}
        beta, gamma, shares = spelt["beta"], spelt["gamma"], {spelt["w_N"], spelt["w_D"]}
        tried: list[tuple[str, ...]] = []
        if link.relation not in ("==", "propto"):
            if {beta, gamma} <= letters:
                tried = [(f"{beta} > {gamma}",), (f"{gamma} > {beta}",)]
            ones = {"r", "rho"} & letters if self.settings.limit is None else set()
            tried += [(f"{x} {sign} 1",) for x in sorted(ones) for sign in "<>"]
        elif not ({beta, gamma} <= self.sides.names or shares & self.sides.names):
            equal = f"{beta} == {gamma}"  # no slip of exchanged ones
            tried = [(equal,), (equal, *OPTIMUM)]
        for condition in tried:
            if self.proves(k, *condition) is not None:
                return re.sub(r"\b(alpha|beta|gamma|rho)", r"\\\1", condition[0]).replace("==", "=")
        return ""


def _letters(link: ChainLink) -> set[Symbol]:
    found: set[Symbol] = link.lhs.free_symbols | link.rhs.free_symbols
    return found
