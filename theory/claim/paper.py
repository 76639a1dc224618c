"""What the claims of a document come to: each proved, refuted with a witness, or left unjudged with
the line that would settle it.

Every letter is positive; what a display means beyond its letters is declared (`% isoflop: ...`). The
law and the budget are the document's own, found by their shape. A link is refuted only where its
letters leave no other way to mean it; whatever else is not proved is undecided.
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
from ..data.notation import notation as find_notation
from ..kernel import symbols as sym
from ..kernel.answer import BOUNDS, Answer
from ..reader.building import APPLIED
from ..reader.tokens import ParseError, Token, tokenize
from .at_law import Coefficients, Range, unit_alone
from .chain import UNKNOWN, ChainLink, Settings
from .document import Piece
from .law_of import COMPUTES, LawOfDocument, budget_of, computes_of, laws_of, name_of, sides_of
from .prove import Proof, proved
from .spelling import as_read
from .text import Sides, as_typed, in_one_line, limit_of
from .vocabulary import refuse_clashes

REFUTED, UNREADABLE, UNDECIDED, PROVED = "refuted", "unreadable", "undecided", "proved"
AT_OPTIMUM, DEFINITION, GIVEN = "at the optimum", "definition", "given"
#: What holds, and before it what does not, the worst first.
HOLDS = (AT_OPTIMUM, PROVED, DEFINITION, GIVEN)
ANSWERS = (REFUTED, UNREADABLE, UNDECIDED, Answer.BY_SYMPY.value, *HOLDS)
RUN, OPTIMUM = ("N", "D", "C"), ("N == N_opt", "D == D_opt")
LIMIT = re.compile(r"\\(?:to|rightarrow|longrightarrow)(?![A-Za-z])")
DERIVATIVE = re.compile(r"\\partial|\\frac\s*\{\s*(?:\\mathrm\{d\}|\\mathrm\s*d|d)[\s\\A-Z^]|dL/d")
#: `C^{0.49}`, `3 \times 10^{10}`: what stands for all that rounds to it.
DECIMAL = re.compile(r"\d\.\d|\\(?:times|cdot)\s*10")
DEFINES = re.compile(r":\s*=|=\s*:|\\coloneqq|\\triangleq")
NAMED_BEHIND = re.compile(r"(.+)=\s*:(?!=)(.+)")
#: Names that authors give to quantities of their own, and what hangs on no budget.
OFTEN_OTHERS = frozenset(["P", "R", "R_opt", "r", "rho", "s", "T_N", "T_D"])
#: Names that mean what the law says of them, as the exponent of the envelope does.
OF_THE_LAW = frozenset(["L", "L_hat", "N_opt", "D_opt", "L_opt", "C_opt"])
OF_A_RUN = frozenset(["L", "L_hat", "R", "T_N", "T_D"])
#: A number as large as a compute: `10^{22}`, `600000000`.
LARGE = re.compile(r"10\s*\^\s*(?:\{\s*)?(?:[6-9]|\d\d)|\d{7}")
#: So many of the values that a document states are tried as conditions of a claim.
MOST_STATED = 4
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
    rival: str = ""  # F = 12*D*N, another budget than the one by C, or one that is not read
    ray: str = ""  # D = 20 N, in the runs of which the document speaks
    stated: tuple[str, ...] = ()  # values and equalities of letters, N = 10^9 or beta = gamma
    notation: str = DEFAULT.name  # that of the letters, where the law does not tell it
    remedy: str = ""  # the line that says which is meant
    own: Mapping[str, str] = field(default_factory=dict)  # x = A B; "" is not known
    numbers: Mapping[str, tuple[Expr, Range, int]] = field(default_factory=dict)  # E = 1.69

    @property
    def budget(self) -> Budget:
        """The one that holds, or the usual one."""
        return self.declared.budget or SIX_ND

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
        named = name_of(re.split(":?=", rest)[0]) if word in ("budget", "let") else ""
        if named in self.own:  # the document's own meaning is no more
            own = {x: said for x, said in self.own.items() if x != named}
            return replace(self, own=own).declaring(text)
        if word == "notation":
            law = None if self.law is not None and self.law.trouble else self.law
            return replace(
                self, declared=replace(self.declared, notation=find_notation(rest)), law=law
            )
        if word == "budget":
            name, _, value = rest.rpartition("=")
            sizes = zip((self.law or LawOfDocument()).sizes, "ND", strict=True)
            for size, x in sizes:  # F = 12 P T
                value = re.sub(rf"(?<![A-Za-z]){re.escape(size)}(?![A-Za-z])", x, value)
            budget = Budget.parse(re.sub(r"(?<=\w)\s+(?=\w)", "*", value))
            return replace(self.with_budget(budget, name.strip() or "C", 0), rival="")
        if word == "let":
            return replace(self, declared=replace(self.declared, let=(*self.declared.let, rest)))
        known = "notation, budget, let, assume, at, skip or `z real`"
        raise ParseError(f"`% isoflop: {word}` is not known: say {known}")

    def with_budget(self, budget: Budget, name: str, line: int) -> State:
        """With a budget, whose left side is the compute from here on."""
        let = self.declared.let if name == "C" else (*self.declared.let, f"{name} := C")
        declared = replace(self.declared, budget=budget, let=let)
        return replace(self, declared=declared, budget_line=line)

    def with_rival(self, piece: Piece) -> State:
        """With another budget, or what may be one."""
        if self.rival:
            return self
        said = f"{in_one_line(piece.text)} of line {piece.line}"
        return replace(self, rival=said, remedy=f"budget {self.budget.compute()}")

    def saying(self, name: str, text: str = "") -> State:
        """With a name that means this from here on, or that is not known."""
        return replace(self, own={**self.own, name: text})

    def stating(self, piece: Piece) -> State:
        """The state with the value of a letter, or the equality of two letters, that a piece states."""
        sides = sides_of(piece.text)
        if sides is None or [sign.text for sign in sides.relations] != ["=="]:
            return self
        words, (name, arguments) = self.settings.words, sides.named(0)
        letters = {x for x, e in words.names.items() if isinstance(e, Symbol)}
        right = sides.names - {name}
        is_value = not right and name not in self.settings.words.means
        is_equality = name in letters and right <= letters and not {name, *right} >= {*RUN}
        if not name or arguments or not (is_value or is_equality):
            return self
        stated = (*(x for x in self.stated if x != piece.text), in_one_line(piece.text))
        return replace(self, stated=stated[-MOST_STATED:])

    def giving(self, name: str, value: Expr, tokens: Sequence[Token], line: int) -> State:
        """With a number that the document gives for a coefficient."""
        half = (unit_alone(tokens, "approx" if value > 1 else "==") or Integer(0)) / 2
        number = value, (value - half, value + half), line
        return replace(self, numbers={**self.numbers, name: number})

    @property
    def coefficients(self) -> Coefficients | None:
        """The numbers that are given."""
        names = self.settings.words.names
        given = {names[x]: one for x, one in self.numbers.items()}
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
    texts = [piece.text for piece in formulas]
    laws = dict(zip(map(id, formulas), laws_of(texts), strict=True))
    first = next((law for law in laws.values() if law and law.notation), None)
    is_in_numbers = first is None and any(law and law.numbers for law in laws.values())
    if is_in_numbers and not any(r"\gamma" in piece.text for piece in pieces):
        first = LawOfDocument(HOFFMANN)
    sizes, state = (first or LawOfDocument()).sizes, State(Settings("", seconds=seconds), first)
    if not any(p.kind == "declared" and p.text.startswith("budget") for p in pieces):
        budgets = filter(None, (budget_of(piece.text, sizes) for piece in formulas))
        others = [f"{name} = {one.compute()}" for one, name in budgets if name not in COMPUTES]
        if others:
            rival = ", ".join(dict.fromkeys(others))
            state = replace(state, rival=rival, remedy=f"budget {others[0]}")
        given = [(one, x) for one in formulas for x in computes_of(one.text, sizes, state.known)]
        if given and given[0][1] is None:
            state = state.with_rival(given[0][0])
    letters = " ".join(piece.text for piece in pieces)
    if {r"\alpha", r"\beta"} <= {*re.findall(r"\\[a-z]+", letters)} and r"\gamma" not in letters:
        state = replace(state, notation=HOFFMANN.name)
    state = replace(state, own=_own_names(state, formulas))
    found = list[Judgement]()
    for piece, following in zip(pieces, (*pieces[1:], None), strict=True):
        if following and following.kind == "claim" and following.line == piece.line:
            state = state.stating(following)  # L = ..., \quad D = 20 N
        state, more = _after(state, piece, laws.get(id(piece)))
        found += more
    return state, found


def _own_names(state: State, formulas: Sequence[Piece]) -> dict[str, str]:
    """The names of quantities that the first equation for them defines otherwise, `G = A/B`, with
    that equation where it says what they are.
    """
    seen, own = set[str](), dict[str, str]()
    for piece in formulas if not state.lawless else ():
        try:
            claim = Claim.of(state, piece)
            if not claim.is_own_to_name or claim.name in seen:
                continue
            seen.add(claim.name)
            link = proved(claim.sides.text, claim.settings).links[0]
            if _says_otherwise(link) and not link.correction:  # no slip
                own[claim.name] = claim.definition if link.decision.refuted else ""
        except ValueError:
            continue
    return own


def _after(state: State, piece: Piece, law: LawOfDocument | None) -> tuple[State, list[Judgement]]:
    """What holds after a piece, and what becomes of its claims."""
    shown = in_one_line(piece.text)
    try:
        if piece.kind == "declared":
            return state.declaring(piece.text), []
        state, what = _given(state, piece, law)
        if piece.kind == "inline":
            return state.stating(piece), []
        claim = Claim.of(state, piece)
        if what and len(claim.sides.relations) == 1:
            return state, [Judgement(GIVEN, shown, what, piece)]
        if piece.kind == "explained" and not claim.sides.defined:
            return state, []
        state, found = claim.judged()
        state = state.stating(piece)
        given = (replace(v, answer=GIVEN) if v.answer == PROVED else v for v in found)
        return state, list(given) if what else found
    except (ParseError, ValueError) as error:
        name = name_of(piece.text.partition("=")[0])
        if name and name not in state.known:  # it means something all the same
            state = state.saying(name)
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
    sizes = (state.law or LawOfDocument()).sizes
    budget = budget_of(piece.text, sizes)
    is_known = state.declared.budget is not None
    is_declared = is_known and not state.budget_line
    given = computes_of(piece.text, sizes, state.known, any_form=not is_known)
    for one in given if not is_declared else ():
        if one is not None and state.declared.budget is None:
            state = state.with_budget(one, budget[1] if budget else "C", piece.line)
        elif one != state.budget:
            state = state.with_rival(piece)
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

    @classmethod
    def of(cls, state: State, piece: Piece) -> Claim:
        """Read a piece; ParseError where it cannot be. `y =: x` is `x = y`."""
        given = state.settings
        refuse_clashes(state.budget, given.notation)
        lets = (re.fullmatch(r"(\S+) := (\w+)", text) for text in given.let)
        text = NAMED_BEHIND.sub(r"\2 = \1", in_one_line(piece.text)).strip()
        text, towards = limit_of(text, latex=True) or (text, None)
        spelt = {let[1]: let[2] for let in lets if let is not None}
        sides = Sides.of(text, latex=True, spelt=spelt)
        typed = Sides.of(text, latex=True).names
        for x in sorted(spelt.keys() & typed):
            if spelt[x] in typed:
                raise ParseError(f"{x} is {spelt[x]} in the document's law, and both stand here")
        own = [text for x, text in state.own.items() if text and x != sides.defined]
        limit = next((c for c in piece.conditions if LIMIT.search(c)), None)
        assume = (*given.assume, *(c for c in piece.conditions if c != limit))
        settings = replace(given, assume=assume, let=(*given.let, *own), limit=towards or limit)
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
    def definition(self) -> str:
        """What it says that its name is."""
        return rf"{self.sides.sources[0]} = \,{self.sides.sources[1]}"  # LaTeX, by its space

    @property
    def _is_a_value(self) -> bool:
        """Whether it says that a name is a number."""
        return len(self.sides.parts) == 2 and not {
            t for t in self.sides.parts[1] if t.kind == "name"
        }

    @property
    def is_own_to_name(self) -> bool:
        """Whether it says what a quantity is, `G = ...`, that others may define otherwise."""
        declared = {name_of(re.split(":?=", text)[0]) for text in self.state.declared.let}
        spelt, words = self.settings.words.notation.names(), self.settings.words
        fixed = OF_THE_LAW | {spelt.get("alpha", "alpha")}
        closed = words.names.keys() - self.letters - fixed | declared
        is_equality = bool(self.sides.defined) and self.sides.relations[0].text == "=="
        others = self.sides.names - {self.name}
        is_equality &= not (self.beside or self.piece.follows)
        is_equality &= not others or not others <= closed  # a = b
        return is_equality and self.name in (closed | OFTEN_OTHERS)

    @property
    def others(self) -> set[str]:
        """The names of which it may say something else than is known of them."""
        is_said = self.is_own_to_name or DEFINES.search(self.piece.text)
        said = OFTEN_OTHERS | ({self.name} if is_said else set())
        settled = {x for x, text in self.state.own.items() if text}
        return (self.quantities & said) - settled | {self.name} & (said | self.state.own.keys())

    def typed(self, k: int) -> str:
        """A link as it stands in the document."""
        left, right = self.sides.sources[k : k + 2]
        return in_one_line(as_typed(left, self.sides.relations[k].text, right))

    def attempt(self, k: int, *assume: str, **more: Any) -> ChainLink | None:
        """A link where more is assumed, or with numbers; None where that does not decide it."""
        try:
            settings = replace(self.settings, **more)
            link = proved(self.sides.text, settings, assume=assume).links[k]
        except (ParseError, ValueError, IndexError):
            return None
        return link if link.decision.proved or link.decision.refuted else None

    def proves(self, k: int, *assume: str) -> bool:
        """Whether a link is proved where more is assumed."""
        link = self.attempt(k, *assume)
        return link is not None and link.decision.proved

    def judged(self) -> tuple[State, list[Judgement]]:
        """What holds behind the claim, and the verdict on each of its links."""
        claim, state, new = self, self.state, self.new
        if (why := self._hangs_on()) is not None:
            state, text = state.saying(new) if new else state, in_one_line(self.sides.text)
            return state, [Judgement(UNDECIDED, text, why[0], self.piece, why[1])]
        if new and self.piece.kind == "explained" and self._is_a_value:
            text = in_one_line(self.sides.text)
            return state, [Judgement(GIVEN, text, f"{new} has this value here", self.piece)]
        if new:
            let = (*self.settings.let, self.definition)
            claim = replace(self, settings=replace(self.settings, let=let))
            state = state.saying(new, self.definition)
        proof = proved(self.sides.text, claim.settings)
        if r"\iff" in self.piece.text:  # one claim: both ways
            worst = min(proof.links, key=lambda x: (not x.decision.refuted, x.decision.proved))
            is_open = worst.decision.refuted and bool(self._undefined(worst))
            answer = UNDECIDED if is_open else worst.decision.answer.value
            text, reason = in_one_line(self.sides.text), worst.decision.reason
            return state, [Judgement(answer, text, reason, self.piece, "skip", proof, worst)]
        found = list[Judgement]()
        for k, link in enumerate(proof.links):
            typed, reason, remedy = claim.typed(k), link.decision.reason, ""
            shown: ChainLink | None = link
            answer = link.decision.answer.value
            if new and k == 0 and not link.decision.refuted:
                answer, reason = DEFINITION, f"defines {new}"
            elif not link.decision.proved:
                is_number = link.relation == "==" and link.rhs.is_number
                if k == 0 and is_number and self.name in self.letters - {*RUN}:
                    state = state.giving(self.name, link.rhs, self.sides.parts[1], self.piece.line)
                    answer, reason = GIVEN, f"{self.name} is given"
                elif k == 0 and (ray := claim._ray_of(link)):
                    state = replace(state, ray=ray)
                    answer, reason = GIVEN, f"{self.name} is given"
                elif (other := claim._at_numbers(k) or claim._on_the_ray(k)) is not None:
                    answer, shown = other.decision.answer.value, other
                    reason = other.decision.reason
                elif claim._is_at_the_optimum(k, link):
                    answer, reason = AT_OPTIMUM, "it holds at the optimum"
                elif (why := claim._doubt(k, link)) is not None:
                    answer, shown, (reason, remedy) = UNDECIDED, None, why
            if k == 0 and self.name and _says_otherwise(link) and answer in (UNDECIDED, REFUTED):
                own = {x: "" for x in self.others if state.own.get(x) != self.definition}
                state = replace(state, own={**state.own, **own})
            found.append(Judgement(answer, typed, reason, self.piece, remedy, proof, shown))
        return state, found

    def _hangs_on(self) -> Why:
        """Why nothing is said of it by its names, and what would settle it."""
        state, quantities, (name, arguments) = self.state, self.quantities, self.sides.named(0)
        named = self.name if self.is_own_to_name else self.new
        for x in sorted(self.names - {named}):
            is_known = bool(state.own[x]) if x in state.own else x in state.known or x[0] != '"'
            is_of_own = x not in state.own and x.removesuffix("_opt") in state.own  # R^* of R = D/N
            if not is_known or is_of_own:
                return f"it is not known what {x} is", f"let {x} = ..."
        if any(sign.text == "~" for sign in self.sides.relations) and self.settings.limit is None:
            return r"\sim without a limit says how large something is, not what it is", "skip"
        if name in ("L", "L_hat") and len(arguments) == 1 and arguments != ("C",):
            return f"{name}({arguments[0]}) is a function of its own", "skip"
        if state.lawless and quantities:
            said = f"{state.lawless}; {', '.join(sorted(quantities))} hangs on it"
            return said, f"notation {state.notation}"
        if state.rival and (quantities - OF_A_RUN or "C" in self.names):
            return f"it hangs on the budget, {state.budget} or {state.rival}", state.remedy
        return None

    def _at_numbers(self, k: int) -> ChainLink | None:
        """A link that the numbers which the document gives decide."""
        numbers, is_letter = self.state.coefficients, k == 0 and self.name in self.letters
        if numbers is None or is_letter:
            return None
        found = self.attempt(k, numbers=numbers)
        is_decided = found is not None and (
            found.decision.proved or DECIMAL.search(self.typed(k)) is not None
        )
        return found if is_decided else None

    def _ray_of(self, link: ChainLink) -> str:
        """`D = 20 N`, where the claim is one that ties the tokens to the params; empty where it is none."""
        is_ray = link.relation == "==" and _letters(link) == {sym.N, sym.D} and self.name in RUN
        return " = ".join(self.sides.sources[:2]) if is_ray and link.decision.refuted else ""

    def _on_the_ray(self, k: int) -> ChainLink | None:
        """A link between the compute and one of params and tokens, on the ray that the document gives."""
        state, names = self.state, self.sides.names
        is_of_ray = state.ray and "C" in names < {*RUN, "sqrt"} and len(names & {*RUN}) < 3
        return self.attempt(k, state.ray, f"C == {state.budget.compute()}") if is_of_ray else None

    def _is_at_the_optimum(self, k: int, link: ChainLink) -> bool:
        """Whether it can only mean the optimum, and holds there."""
        texts = {token.text for side in self.sides.parts[k : k + 2] for token in side}
        others = {x for x in texts if x.endswith("_opt") or x in (*OF_A_RUN, "P", *self.state.own)}
        is_of_a_run = bool({sym.N, sym.D} & _letters(link)) and not self.beside & {*RUN}
        is_alone = link.relation in ("==", "propto") and not (others or self.state.rival)
        return is_of_a_run and is_alone and self.proves(k, *OPTIMUM)

    def _undefined(self, link: ChainLink) -> list[str]:
        """The letters of a link that neither the law nor the document defines."""
        known = self.letters | {x.name for x in self.settings.words.of_a_run} | self.beside
        return sorted({x.name for x in _letters(link)} - known)

    def _doubt(self, k: int, link: ChainLink) -> Why:
        """How a link that does not hold may be meant otherwise, and the line that would settle it; None
        where it is refuted.
        """
        relation, letters, names = link.relation, _letters(link), self.sides.names
        is_equality, undefined = relation in ("==", "propto"), self._undefined(link)
        is_of_letters = bool(letters) and names - {*APPLIED} <= self.letters
        may_be_condition = is_of_letters and (relation in BOUNDS or len(letters) < 3)
        condition = "it holds for some values only: a condition?", f"assume {self.typed(k)}"
        if link.decision.refuted and (where := self._holds_where(k)):
            return f"it holds where {where}, which the document states", f"at {where}"
        sources = zip((link.lhs, link.rhs), self.sides.sources[k : k + 2], strict=True)
        without = [source for e, source in sources if sym.C not in e.free_symbols]
        if len(without) == 1 and LARGE.search(without[0]):
            return "the compute at which it holds is not stated beside it", "at C = ..."
        if relation in BOUNDS and may_be_condition and not undefined and link.decision.refuted:
            return condition
        if needed := self._needed(k, link):
            return f"needs {needed}", f"assume {needed}"
        if relation == "approx" or (letters and DECIMAL.search(self.typed(k))):
            return "a rounded number hangs on those of the law", "assume ..."
        if not link.decision.refuted and not (undefined and UNKNOWN in link.decision.reason):
            return link.decision.reason, "skip"
        if undefined:
            said = f"the document does not define {', '.join(undefined)}"
            return f"it holds for some values only, and {said}", f"let {undefined[0]} = ..."
        if k == 0 and self.is_own_to_name and link.rhs.is_number is False:
            said = f"another {self.name} than the tool's: a definition of the document's own?"
            return None if link.correction else (said, f"let {self.typed(k)}")
        is_said = k == 0 and is_equality and self.name in self.letters | OFTEN_OTHERS
        if may_be_condition or is_said or (k == 0 and self.name in self.others):
            return condition
        if self.state.rival and {sym.N, sym.D, sym.C} & letters:
            return f"it may hang on {self.state.rival}", self.state.remedy
        if self.state.ray and names <= {*RUN, "N_opt", "D_opt", "sqrt"}:
            return "the optimum among runs of the document's own may be meant", "skip"
        is_of_one = len(names & {*RUN}) == 1 and not any(x == "0" for x in self.sides.sources)
        is_slope = is_equality and DERIVATIVE.search(self.piece.text) is not None
        if is_slope and names & OF_A_RUN and not (is_of_one and "C" not in names):
            return "a derivative along the budget, d/dN L(N, C/(6 N)), may be meant", "skip"
        if {sym.N, sym.D} & letters and not self.beside & {*RUN} and self.proves(k, *OPTIMUM):
            return "it holds at the optimum alone", "at N = N^*, D = D^*"
        numbers = self.state.coefficients
        if numbers is not None and letters <= numbers.values.keys():
            return f"{numbers.name} leave it open", "skip"
        return None

    def _holds_where(self, k: int) -> str:
        """The values stated by the document with which a link is proved; empty where there are none.

        An equality of the exponents does not excuse a claim that names both: it may exchange them.
        """
        spelt = self.settings.words.notation.names()
        exponents = {spelt["beta"], spelt["gamma"]}
        stated = []
        for text in self.state.stated:
            sides = sides_of(text)
            is_of_exponents = sides is not None and exponents <= sides.names
            if text != self.typed(k) and not (is_of_exponents and exponents <= self.sides.names):
                stated.append(text)
        every = [tuple(stated)] if len(stated) > 1 else []
        for values in [*((text,) for text in stated), *every]:
            if self.proves(k, *values):
                return ", ".join(values)
        return ""

    def _needed(self, k: int, link: ChainLink) -> str:
        """A condition on the exponents or the ratio under which a link is proved."""
        spelt, letters = self.settings.words.notation.names(), {str(x) for x in _letters(link)}
        beta, gamma, shares = spelt["beta"], spelt["gamma"], {spelt["w_N"], spelt["w_D"]}
        tried: list[tuple[str, ...]] = []
        if link.relation in BOUNDS:
            if {beta, gamma} <= letters:
                tried = [(f"{beta} > {gamma}",), (f"{gamma} > {beta}",)]
            ones = {"r", "rho"} & letters if self.settings.limit is None else set()
            tried += [(f"{x} {sign} 1",) for x in sorted(ones) for sign in "<>"]
        elif not ({beta, gamma} <= self.sides.names or shares & self.sides.names):
            equal = f"{beta} == {gamma}"  # no slip of exchanged ones
            tried = [(equal,), (equal, *OPTIMUM)]
        for condition in tried:
            if self.proves(k, *condition):
                return re.sub(r"\b(alpha|beta|gamma|rho)", r"\\\1", condition[0]).replace("==", "=")
        return ""


def _says_otherwise(link: ChainLink) -> bool:
    """Whether an equation that begins with a name says something else of it than is known, other than
    a rounded number.
    """
    is_open = not (link.decision.proved or link.decision.refuted or link.rhs.is_number)
    return link.relation == "==" and (link.decision.refuted or is_open)


def _letters(link: ChainLink) -> set[Symbol]:
    found: set[Symbol] = link.lhs.free_symbols | link.rhs.free_symbols
    return found
