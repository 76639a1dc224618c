"""The verdicts on the claims of a document: each is proved, refuted with a witness, or left unjudged
with the line that would settle it.

A link is refuted only where its letters leave no other way to mean it; whatever else is not proved
is undecided.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from sympy import Symbol

from ..kernel import symbols as sym
from ..kernel.answer import BOUNDS, Answer
from ..reader.building import APPLIED, NamedFunction
from ..reader.tokens import PRIME, ParseError, joined
from .chain import ChainLink, Settings
from .document import Piece
from .numbers import OPPOSITE
from .prove import Proof, proved, refuse_claims
from .setting import MOST_STATED, Facts, Place, Setting, number, places_of
from .shapes import name_of, sides_of
from .text import Sides, as_typed, in_one_line, limit_of
from .vocabulary import refuse_clashes

REFUTED, UNREADABLE, UNDECIDED, PROVED = "refuted", "unreadable", "undecided", "proved"
AT_OPTIMUM, DEFINITION, GIVEN = "at the optimum", "definition", "given"
#: The answers that hold, and before them those that do not, the worst first.
HOLDS = (AT_OPTIMUM, PROVED, DEFINITION, GIVEN)
ANSWERS = (REFUTED, UNREADABLE, UNDECIDED, Answer.BY_SYMPY.value, *HOLDS)
RUN, OPTIMUM = ("N", "D", "C"), ("N == N_opt", "D == D_opt")
DERIVATIVE = re.compile(r"\\partial|\\frac\s*\{\s*(?:\\mathrm\{d\}|\\mathrm\s*d|d)[\s\\A-Z^]|dL/d")
#: `C^{0.49}`, `3 \times 10^{10}`: numbers that stand for all that rounds to them.
DECIMAL = re.compile(r"\d\.\d|\\(?:times|cdot)\s*10")
DEFINES = re.compile(r":\s*=|=\s*:|\\coloneqq|\\triangleq")
NAMED_BEHIND = re.compile(r"(.+)=\s*:(?!=)(.+)")
#: Names that authors give to quantities of their own, and which hang on no budget.
OFTEN_OTHERS = frozenset(["P", "R", "R_opt", "r", "rho", "s", "T_N", "T_D"])
#: Names that mean what the law says of them, as the exponent of the envelope does.
OF_THE_LAW = frozenset(["L", "L_hat", "N_opt", "D_opt", "L_opt", "C_opt"])
OF_A_RUN = frozenset(["L", "L_hat", "R", "T_N", "T_D"])
#: A number as large as a compute: `10^{22}`, `600000000`.
LARGE = re.compile(r"10\s*\^\s*(?:\{\s*)?(?:[6-9]|\d\d)|\d{7}")
#: A reason, and the declaration that would settle it.
Reason = tuple[str, str]


@dataclass(frozen=True)
class Judgement:
    """The verdict on one link of a claim."""

    answer: str  # one of `ANSWERS`
    claim: str
    reason: str
    piece: Piece
    remedy: str = ""  # the declaration that would settle what is not judged
    proof: Proof | None = None  # of the claim as it stands
    link: ChainLink | None = None  # as it is decided


# -- the document from its beginning to its end ----------------------------------------------------


def judged(
    pieces: Sequence[Piece], seconds: float | None = None
) -> tuple[Setting, list[Judgement]]:
    """The setting at the end of a document, and the verdicts on its claims; a claim that takes longer
    than the seconds is not judged.
    """
    places, found = places_of(pieces, seconds), list[Judgement]()
    facts = Facts(own=_own_names(places))
    for i, place in enumerate(places):
        line = place.piece.line
        in_row = islice(pieces, i + 1, i + 1 + MOST_STATED)
        for following in (x for x in in_row if x.line == line and x.kind == "claim"):
            facts = facts.stating(following, place.setting)  # L = ..., \quad D = 20 N
        facts, more = _behind(place, facts)
        if place.piece.follows and found and found[-1].answer not in HOLDS:
            reason = "it follows from a claim that is not proved"
            more = [
                replace(x, answer=UNDECIDED, reason=reason, link=None) if x.answer == REFUTED else x
                for x in more
            ]
        if place.piece.is_premise:
            more = [_as_premise(x, place.setting.settings) for x in more]
        found += more
    return places[-1].setting, found


def _as_premise(found: Judgement, settings: Settings) -> Judgement:
    """A refuted claim in front of an arrow, undecided where it can hold for some exponents: `a = b`."""
    link = found.link
    if found.answer != REFUTED or link is None or link.relation != "==":
        return found
    letters = {*map(str, _letters(link))}
    is_open = letters and letters <= _exponents(settings)
    reason = "it holds for some values only: a premise?"
    return replace(found, answer=UNDECIDED, reason=reason, link=None) if is_open else found


def _own_names(places: Sequence[Place]) -> dict[str, str]:
    """The names of quantities that the first equation for them defines otherwise, `G = A/B`, with
    that equation where it says what they are.
    """
    seen, own = set[str](), dict[str, str]()
    for place in places:
        if place.piece.kind == "declared" or place.setting.lawless:
            continue
        try:
            claim = Claim.of(place, Facts())
            if not claim.is_own_to_name or claim.name in seen:
                continue
            seen.add(claim.name)
            link = proved(claim.sides.text, claim.settings).links[0]
            if _says_otherwise(link) and not link.correction:  # no slip
                own[claim.name] = claim.sides.definition if link.decision.refuted else ""
        except ValueError:
            continue
    return own


def _behind(place: Place, facts: Facts) -> tuple[Facts, list[Judgement]]:
    """The facts behind a piece, and the verdicts on its claims."""
    piece, shown, complaint = place.piece, in_one_line(place.piece.text), place.complaint
    try:
        if complaint:
            raise ParseError(complaint)
        if piece.kind == "declared":
            return facts.declared(piece.text), []
        facts = facts.giving(place.numbers)
        if piece.kind == "inline":
            return facts.stating(piece, place.setting), []
        claim = Claim.of(place, facts)
        if place.gives and len(claim.sides.relations) == 1:
            return facts, [Judgement(GIVEN, shown, place.gives, piece)]
        if piece.kind == "explained" and not claim.sides.defined:
            return facts, []
        facts, found = claim.judged()
        facts = facts.stating(piece, place.setting)
        given = (replace(v, answer=GIVEN) if v.answer == PROVED else v for v in found)
        return facts, list(given) if place.gives else found
    except ValueError as error:
        name = name_of(piece.text.partition("=")[0])
        if name and name not in place.setting.known:  # it means something all the same
            facts = facts.defining(name)
        reason = getattr(error, "complaint", None) or str(error)
        return facts, [Judgement(UNREADABLE, shown, reason, piece, remedy="skip")]


# -- one claim -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Claim:
    """A claim in its setting, with the facts that the document has stated before it and with the
    conditions beside it, whose names are `beside`.
    """

    setting: Setting
    facts: Facts
    piece: Piece
    sides: Sides
    settings: Settings
    beside: frozenset[str]

    @classmethod
    def of(cls, place: Place, facts: Facts) -> Claim:
        """Read a piece; ParseError where it cannot be. `y =: x` is `x = y`."""
        piece, given = place.piece, place.setting.settings
        refuse_clashes(place.setting.budget, given.notation)
        lets = (re.fullmatch(r"(\S+) := (\w+)", text) for text in given.let)
        text = NAMED_BEHIND.sub(r"\2 = \1", in_one_line(piece.text)).strip()
        text, towards = limit_of(text, latex=True) or (text, None)
        spelt = {let[1]: let[2] for let in lets if let is not None}
        sides = Sides.of(text, latex=True)
        for x in sorted(spelt.keys() & sides.names):
            if spelt[x] in sides.names:
                raise ParseError(f"{x} is {spelt[x]} in the document's law, and both stand here")
        sides = sides.respelt(spelt)
        own = [text for text in facts.own.values() if text not in ("", sides.definition)]
        refuse_claims(piece.conditions, given.words)
        settings = given.under((*filter(None, [towards]), *piece.conditions))
        settings = replace(settings, let=(*given.let, *own))
        beside = frozenset(re.findall(r"[A-Za-z]\w*", joined(" ".join(piece.conditions))))
        return cls(place.setting, facts, piece, sides, settings, beside)

    @property
    def name(self) -> str:
        """The name that its left side is, where it has no arguments."""
        name, arguments = self.sides.named(0)
        return "" if arguments else name

    @property
    def names(self) -> set[str]:
        """The names in the claim and in the conditions beside it."""
        return {*self.sides.names, *self.beside}

    @property
    def new(self) -> str:
        """The name without a meaning that the claim defines."""
        name, known = self.sides.defined, {*self.setting.known, *self.facts.own}
        base = name.partition(f"_{PRIME}")[0]
        is_slope = base != name and (base in self.facts.own or base in self._functions)
        name = "C_opt" if name == "C_star" else name
        is_known = name in known or is_slope or self.piece.follows or self._is_equivalence
        return "" if is_known else name

    @property
    def _functions(self) -> set[str]:
        """The names of the law that have arguments."""
        names = self.settings.words.names
        return {x for x, meaning in names.items() if isinstance(meaning, NamedFunction)}

    @property
    def _is_equivalence(self) -> bool:
        return any(sign.text == "iff" for sign in self.sides.relations)

    @property
    def letters(self) -> set[str]:
        """The letters of the law and of a run."""
        return {x for x, e in self.settings.words.names.items() if isinstance(e, Symbol)}

    @property
    def quantities(self) -> set[str]:
        """The names that hang on the law."""
        words = self.settings.words
        closed = words.names.keys() - self.letters
        return self.names & (closed | {x.name for x in words.of_a_run} - {*RUN})

    @property
    def _is_a_value(self) -> bool:
        """Whether the claim gives a name a number."""
        is_number = all(token.kind != "name" for token in self.sides.parts[-1])
        return self.name != "" and len(self.sides.parts) == 2 and is_number

    @property
    def is_own_to_name(self) -> bool:
        """Whether it is an equation for a quantity, `G = ...`, that others may define otherwise."""
        declared = {name_of(re.split(":?=", text)[0]) for text in self.setting.declared.let}
        words = self.settings.words
        closed = words.names.keys() - self.letters - OF_THE_LAW | declared
        is_equality = bool(self.sides.defined) and self.sides.relations[0].text == "=="
        others = self.sides.names - {self.name}
        is_equality &= not (self.beside or self.piece.follows or self._is_a_value)
        is_equality &= not others or not others <= closed  # a = b
        return is_equality and self.name in (closed | OFTEN_OTHERS)

    @property
    def others(self) -> set[str]:
        """The names that may mean something else in the claim than what is known of them."""
        is_definition = self.is_own_to_name or DEFINES.search(self.piece.text)
        names = OFTEN_OTHERS | ({self.name} if is_definition else set())
        settled = {x for x, text in self.facts.own.items() if text}
        return (self.quantities & names) - settled | {self.name} & (names | self.facts.own.keys())

    def typed(self, k: int) -> str:
        """A link as it stands in the document."""
        left, right = self.sides.sources[k : k + 2]
        return in_one_line(as_typed(left, self.sides.relations[k].text, right))

    def attempt(self, k: int, *assume: str, **more: Any) -> ChainLink | None:
        """A link under more assumptions, or with numbers; None where that does not decide it."""
        try:
            settings = replace(self.settings, **more).under(assume)
            link = proved(self.sides.text, settings).links[k]
        except (ParseError, ValueError, IndexError):
            return None
        return link if link.decision.proved or link.decision.refuted else None

    def proves(self, k: int, *assume: str) -> bool:
        """Whether a link is proved under more assumptions."""
        link = self.attempt(k, *assume)
        return link is not None and link.decision.proved

    def judged(self) -> tuple[Facts, list[Judgement]]:
        """The facts behind the claim, and the verdict on each of its links."""
        facts, new = self.facts, self.new
        if (reason := self._unknown_meaning()) is not None:
            facts, text = facts.defining(new) if new else facts, in_one_line(self.sides.text)
            return facts, [Judgement(UNDECIDED, text, reason[0], self.piece, reason[1])]
        if new and self.piece.kind == "explained" and self._is_a_value:
            text = in_one_line(self.sides.text)
            return facts, [Judgement(GIVEN, text, f"{new} has this value here", self.piece)]
        claim = self
        if new:
            let = (*self.settings.let, self.sides.definition)
            claim = replace(self, settings=replace(self.settings, let=let))
            facts = facts.defining(new, self.sides.definition)
        return claim._links_judged(proved(self.sides.text, claim.settings), facts, new)

    def _links_judged(self, proof: Proof, facts: Facts, new: str) -> tuple[Facts, list[Judgement]]:
        """The facts behind the claim, and the verdict on each link of its proof, the first of which may
        define a `new` name.
        """
        found = list[Judgement]()
        if self._is_equivalence:  # one claim: both ways
            worst = min(proof.links, key=lambda x: (not x.decision.refuted, x.decision.proved))
            is_open = worst.decision.refuted and bool(self._undefined(worst))
            answer = UNDECIDED if is_open else worst.decision.answer.value
            text, reason = in_one_line(self.sides.text), worst.decision.reason
            return facts, [Judgement(answer, text, reason, self.piece, "skip", proof, worst)]
        for k, link in enumerate(proof.links):
            typed, reason, remedy = self.typed(k), link.decision.reason, ""
            shown: ChainLink | None = link
            answer = link.decision.answer.value
            if new and k == 0 and not link.decision.refuted:
                answer, reason = DEFINITION, f"defines {new}"
            elif not link.decision.proved:
                is_number = link.relation == "==" and link.rhs.is_number
                if k == 0 and is_number and self.name in self.letters - {*RUN}:
                    value = number(link.rhs, self.sides.parts[1], self.piece.line)
                    facts, clash = facts.giving_one(self.name, value)
                    answer, reason = GIVEN, f"{self.name} is given"
                    if clash:
                        answer, reason, remedy, shown = UNDECIDED, clash, "skip", None
                elif k == 0 and (ray := self._ray_of(link)):
                    facts = replace(facts, ray=ray)
                    answer, reason = GIVEN, f"{self.name} is given"
                elif (other := self._decided_otherwise(k, link)) is not None:
                    answer, shown = other.decision.answer.value, other
                    reason = other.decision.reason
                elif self._is_at_the_optimum(k, link):
                    answer, reason = AT_OPTIMUM, "it holds at the optimum"
                elif (doubt := self._doubt(k, link)) is not None:
                    answer, shown, (reason, remedy) = UNDECIDED, None, doubt
            if k == 0 and self.name and _says_otherwise(link) and answer in (UNDECIDED, REFUTED):
                own = {x: "" for x in self.others if facts.own.get(x) != self.sides.definition}
                facts = replace(facts, own={**facts.own, **own})
            found.append(Judgement(answer, typed, reason, self.piece, remedy, proof, shown))
        return facts, found

    def _unknown_meaning(self) -> Reason | None:
        """The reason why the claim is not judged for its names, and what would settle it."""
        setting, own, (name, arguments) = self.setting, self.facts.own, self.sides.named(0)
        named = self.name if self.is_own_to_name else self.new
        for x in sorted(self.names - ({named} if own.get(named, named) else set())):
            is_known = bool(own[x]) if x in own else x in setting.known or x[0] != '"'
            is_of_own = x not in own and x.removesuffix("_opt") in own  # R^* of R = D/N
            if not is_known or is_of_own:
                return f"it is not known what {x} is", f"let {x} = ..."
        if any(sign.text == "~" for sign in self.sides.relations) and self.settings.limit is None:
            return r"\sim without a limit says how large something is, not what it is", "skip"
        if name in ("L", "L_hat") and len(arguments) == 1 and arguments != ("C",):
            return f"{name}({arguments[0]}) is a function of its own", "skip"
        if setting.lawless and self.quantities:
            reason = f"{setting.lawless}; {', '.join(sorted(self.quantities))} hangs on it"
            return reason, f"notation {setting.suggested}"
        if setting.rival and (self.quantities - OF_A_RUN or "C" in self.names):
            return f"it hangs on the budget, {setting.budget} or {setting.rival}", setting.remedy
        return None

    def _at_numbers(self, k: int) -> ChainLink | None:
        """A link that the numbers which the document gives decide."""
        numbers = self.facts.coefficients(self.setting)
        if numbers is None or (k == 0 and self.name in self.letters):
            return None
        found = self.attempt(k, numbers=numbers)
        is_decided = found is not None and (
            found.decision.proved or DECIMAL.search(self.typed(k)) is not None
        )
        return found if is_decided else None

    def _decided_otherwise(self, k: int, link: ChainLink) -> ChainLink | None:
        """A link that is decided by the numbers of the document, those of its law or of a ray."""
        found = self._at_numbers(k) or self._on_the_ray(k)
        given = self._given_numbers(link)
        if found is None and given and link.decision.refuted:
            found = self.attempt(k, *given)
            is_value = link.lhs.is_number or link.rhs.is_number  # at some compute
            found = None if found and found.decision.refuted and is_value else found
        return found

    def _given_numbers(self, link: ChainLink) -> list[str]:
        """The coefficients in a link whose numbers the document gives, as assumptions."""
        numbers = self.facts.coefficients(self.setting)
        values = {} if numbers is None else numbers.values
        coefficients = self.settings.words.notation.names("params-tokens").values()
        held = [x for x in values if x in _letters(link) and str(x) in coefficients]
        return [f"{x} == {values[x]}" for x in held]

    def _ray_of(self, link: ChainLink) -> str:
        """The claim where it ties the tokens to the params, `D = 20 N`; else an empty text."""
        is_ray = link.relation == "==" and _letters(link) == {sym.N, sym.D} and self.name in RUN
        return " = ".join(self.sides.sources[:2]) if is_ray and link.decision.refuted else ""

    def _on_the_ray(self, k: int) -> ChainLink | None:
        """A link between the compute and params or tokens, on the ray that the document gives."""
        ray, names = self.facts.ray, self.sides.names
        is_of_ray = ray and "C" in names < {*RUN, "sqrt"} and len(names & {*RUN}) < 3
        return self.attempt(k, ray, f"C == {self.setting.budget.compute()}") if is_of_ray else None

    def _is_at_the_optimum(self, k: int, link: ChainLink) -> bool:
        """Whether a link can only refer to the optimum, and holds there."""
        texts = {token.text for side in self.sides.parts[k : k + 2] for token in side}
        others = {x for x in texts if x.endswith("_opt") or x in (*OF_A_RUN, "P", *self.facts.own)}
        is_of_a_run = bool({sym.N, sym.D} & _letters(link)) and not self.beside & {*RUN}
        is_alone = link.relation in ("==", "propto") and not (others or self.setting.rival)
        return is_of_a_run and is_alone and self.proves(k, *OPTIMUM)

    def _undefined(self, link: ChainLink) -> list[str]:
        """The letters of a link that neither the law nor the document defines."""
        known = self.letters | {x.name for x in self.settings.words.of_a_run} | self.beside
        return sorted({x.name for x in _letters(link)} - known)

    def _doubt(self, k: int, link: ChainLink) -> Reason | None:
        """The other meaning that a link which does not hold may have, and the line that would settle it;
        None where it is refuted.
        """
        relation, letters, names = link.relation, _letters(link), self.sides.names
        is_equality, undefined = relation in ("==", "propto"), self._undefined(link)
        is_of_letters = bool(letters) and names - {*APPLIED} <= self.letters
        may_be_condition = is_of_letters and (relation in BOUNDS or len(letters) < 3)
        condition = "it holds for some values only: a condition?", f"assume {self.typed(k)}"
        if self._given_numbers(link) and link.decision.refuted:
            return "it fails for other laws; with the numbers of the document it is open", "skip"
        if link.decision.refuted and (stated := self._as_stated(k, link)) is not None:
            return stated
        sources = zip((link.lhs, link.rhs), self.sides.sources[k : k + 2], strict=True)
        without = [source for e, source in sources if not e.free_symbols & sym.ON_BUDGET]
        if len(without) == 1 and LARGE.search(without[0]) and not may_be_condition:
            x = next(str(x) for x in (sym.C, sym.N, sym.D) if x in letters)
            return f"the value of {x} at which it holds is not stated", f"at {x} = ..."
        if relation in BOUNDS and may_be_condition and not undefined and link.decision.refuted:
            return None if self._never_holds(k) else condition
        if needed := self._needed(k, link):
            return f"needs {needed}", f"assume {needed}"
        if relation == "approx" or (letters and DECIMAL.search(self.typed(k))):
            return "a rounded number hangs on those of the law", "assume ..."
        if not (link.decision.refuted or (undefined and link.unknown)):
            return link.decision.reason, "skip"
        if undefined:
            reason = f"the document does not define {', '.join(undefined)}"
            return f"it holds for some values only, and {reason}", f"let {undefined[0]} = ..."
        if k == 0 and self.is_own_to_name and link.rhs.is_number is False:
            reason = f"another {self.name} than the tool's: a definition of the document's own?"
            is_slip = link.correction and not self.piece.is_let
            return None if is_slip else (reason, f"let {self.typed(k)}")
        is_definition = k == 0 and is_equality and self.name in self.letters | OFTEN_OTHERS
        if may_be_condition or is_definition or (k == 0 and self.name in self.others):
            return condition
        if self.setting.rival and sym.ON_BUDGET & letters:
            return f"it may hang on {self.setting.rival}", self.setting.remedy
        if self.facts.ray and names <= {*RUN, "N_opt", "D_opt", "sqrt"}:
            return "the optimum among runs of the document's own may be meant", "skip"
        if k == 0 and self.name in ("N_opt", "D_opt") and link.rhs.free_symbols == {sym.C}:
            _, exponent = link.rhs.as_coeff_exponent(sym.C)
            if exponent.is_number and 0 < exponent < 1:
                return "an optimum in numbers alone is that of some laws", "skip"
        is_slope = is_equality and DERIVATIVE.search(self.piece.text) is not None
        if self.facts.ray and is_slope:
            return f"a derivative along {self.facts.ray} may be meant", "skip"
        is_of_one = len(names & {*RUN}) == 1 and not any(x == "0" for x in self.sides.sources)
        if is_slope and names & OF_A_RUN and not (is_of_one and "C" not in names):
            return "a derivative along the budget, d/dN L(N, C/(6 N)), may be meant", "skip"
        if {sym.N, sym.D} & letters and not self.beside & {*RUN} and self.proves(k, *OPTIMUM):
            return "it holds at the optimum alone", "at N = N^*, D = D^*"
        numbers = self.facts.coefficients(self.setting)
        if numbers is not None and letters <= numbers.values.keys():
            return f"{numbers.name} leave it open", "skip"
        return None

    def _never_holds(self, k: int) -> bool:
        """Whether the opposite of a bound is proved."""
        left, right = self.sides.sources[k : k + 2]
        opposite = as_typed(left, OPPOSITE[self.sides.relations[k].text], right)
        return proved(opposite, self.settings).answer == Answer.PROVED

    def _as_stated(self, k: int, link: ChainLink) -> Reason | None:
        """The doubt about a refuted link that is proved, or open, with values stated by the document.

        An equality of the exponents does not excuse a claim that names both: it may exchange them.
        """
        exponents, letters, found = _exponents(self.settings), {*map(str, _letters(link))}, ""
        stated = []
        for text in self.facts.stated:
            sides = sides_of(text)
            is_of_exponents = sides is not None and exponents <= sides.names
            if text != self.typed(k) and not (is_of_exponents and exponents <= self.sides.names):
                stated.append(text)
        every = [tuple(stated)] if len(stated) > 1 else []
        for values in [*((text,) for text in stated), *every]:
            where, at = ", ".join(values), self.attempt(k, *values)
            if at is not None and at.decision.proved:
                return f"it holds where {where}, which the document states", f"at {where}"
            if at is None and len(values) == 1 and name_of(where.partition("=")[0]) in letters:
                found = found or where
        reason = f"where {found}, which the document states, it is not decided"
        return (reason, "skip") if found else None

    def _needed(self, k: int, link: ChainLink) -> str:
        """A condition on the exponents or the ratio under which a link is proved."""
        spelt, letters = self.settings.words.notation.names(), {str(x) for x in _letters(link)}
        beta, gamma, shares = spelt["beta"], spelt["gamma"], {spelt["w_N"], spelt["w_D"]}
        tried: list[tuple[str, ...]] = []
        if link.relation in BOUNDS:
            if {beta, gamma} <= letters:
                tried = [(f"{beta} > {gamma}",), (f"{gamma} > {beta}",)]
            ones = {"r", "rho"} & letters if self.settings.limit is None else set()
            tried += [(f"{x} {sign} 1",) for x in sorted(ones) for sign in ("!=", "<", ">")]
        elif self._is_a_value or not (
            {beta, gamma} <= self.sides.names or shares & self.sides.names
        ):
            equal = f"{beta} == {gamma}"  # no slip of exchanged ones
            tried = [(equal,), (equal, *OPTIMUM)]
        for condition in tried:
            if self.proves(k, *condition):
                return re.sub(r"\b(alpha|beta|gamma|rho)", r"\\\1", condition[0]).replace("==", "=")
        return ""


def _says_otherwise(link: ChainLink) -> bool:
    """Whether an equation for a name contradicts what is known of the name, other than by a rounded
    number.
    """
    is_open = not (link.decision.proved or link.decision.refuted or link.rhs.is_number)
    return link.relation == "==" and (link.decision.refuted or is_open)


def _exponents(settings: Settings) -> set[str]:
    """The names of the two exponents of the law."""
    spelt = settings.words.notation.names()
    return {spelt["beta"], spelt["gamma"]}


def _letters(link: ChainLink) -> set[Symbol]:
    found: set[Symbol] = link.lhs.free_symbols | link.rhs.free_symbols
    return found
