"""The setting of a document at each of its places: the law and the budget, which are found by their
shape, the declarations of `% isoflop:` lines, and the facts that its claims have stated so far.

Every letter is positive. Nothing is concluded from prose.
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
from ..reader.building import APPLIED
from ..reader.tokens import ParseError, Token, joined, tokenize
from .chain import Settings
from .document import Piece
from .numbers import Coefficients, Range, unit_alone
from .shapes import COMPUTES, LawOfDocument, budget_of, computes_of, laws_of, name_of, sides_of
from .spelling import as_read
from .text import in_one_line

#: The number of values stated by a document that are tried as conditions of a claim.
MOST_STATED = 4
#: A number that a document gives: its value, what rounds to it, and its line.
Number = tuple[Expr, Range, int]


@dataclass(frozen=True)
class Setting:
    """The law, the budget and the declarations that hold at a place of a document."""

    declared: Settings  # notation, names and budget; a displayed budget is here as well
    law: LawOfDocument | None = None  # the last one; at first the first one in letters
    budget_line: int = 0
    rival: str = ""  # F = 12*D*N, another budget than the one by C, or one that is not read
    remedy: str = ""  # the line that says which budget is meant
    suggested: str = DEFAULT.name  # the notation of the letters, for a document without a law

    @property
    def budget(self) -> Budget:
        """The budget that holds, 6 N D by default."""
        return self.declared.budget or SIX_ND

    @cached_property
    def settings(self) -> Settings:
        """The settings of a claim at this place, without the document's own names."""
        law = self.law or LawOfDocument()
        notation = law.notation or self.declared.notation or DEFAULT
        let = (*law.let, *self.declared.let)
        return replace(self.declared, notation=notation, let=let, assume=law.assume)

    @cached_property
    def known(self) -> frozenset[str]:
        """The names that have a meaning without the document's own."""
        words = self.settings.words
        named = (joined(re.split(":?=", x)[0].strip().lstrip("\\")) for x in self.settings.let)
        return frozenset((*words.names, *(x.name for x in words.of_a_run), *APPLIED, *named))

    @property
    def lawless(self) -> str:
        """The reason why what hangs on the law is not judged; empty where the law is known."""
        if self.law is None:
            return "" if self.declared.notation else "the document's law is missing"
        trouble = self.law.trouble
        return f"the document's law, line {self.law.line}, {trouble}" if trouble else ""

    def declaring(self, text: str) -> Setting:
        """The setting behind a declaration, `notation hoffmann`; ParseError where it is not known."""
        word, _, rest = (part.strip() for part in text.partition(" "))
        if word == "notation":
            law = None if self.law is not None and self.law.trouble else self.law
            declared = replace(self.declared, notation=find_notation(rest))
            return replace(self, declared=declared, law=law)
        if word == "budget":
            name, _, value = rest.rpartition("=")
            sizes = zip((self.law or LawOfDocument()).sizes, "ND", strict=True)
            for size, x in sizes:  # F = 12 P T
                value = re.sub(rf"(?<![A-Za-z]){re.escape(size)}(?![A-Za-z])", x, value)
            budget = Budget.parse(re.sub(r"(?<=\w)\s+(?=\w)", "*", value))
            return replace(self._with_budget(budget, name.strip() or "C", 0), rival="")
        if word == "let":
            return replace(self, declared=replace(self.declared, let=(*self.declared.let, rest)))
        known = "notation, budget, let, assume, at, skip or `z real`"
        raise ParseError(f"`% isoflop: {word}` is not known: say {known}")

    def _with_budget(self, budget: Budget, name: str, line: int) -> Setting:
        """The setting with a budget, whose left side is the compute from here on."""
        let = self.declared.let if name == "C" else (*self.declared.let, f"{name} := C")
        declared = replace(self.declared, budget=budget, let=let)
        return replace(self, declared=declared, budget_line=line)

    def with_rival(self, rival: str, remedy: str) -> Setting:
        """The setting with another budget, or what may be one; the first one counts."""
        return self if self.rival else replace(self, rival=rival, remedy=remedy)

    def behind(self, piece: Piece, law: LawOfDocument | None) -> Place:
        """The piece with the setting that holds from it on. A law of another shape counts where no
        notation is declared, or where it has letters that the law does not have.
        """
        if piece.kind == "declared":
            return Place(piece, self.declaring(piece.text))
        setting, gives, numbers = self, "", dict[str, Number]()
        if law is not None and law.numbers:
            gives, names = "the law in numbers", self.settings.words.notation.names()
            for name, value in law.numbers:
                numbers[names[name]] = number(value, tokenize(as_read(value)), piece.line)
        elif law is not None:
            letters = (self.law or LawOfDocument()).names
            is_other = not (self.declared.notation or set() < law.names <= letters)
            if law.notation or is_other:
                setting = replace(self, law=replace(law, line=piece.line))
                gives = "the document's law" if law.notation else ""
        sizes = (setting.law or LawOfDocument()).sizes
        budget, is_known = budget_of(piece.text, sizes), setting.declared.budget is not None
        computes = computes_of(piece.text, sizes, setting.known, any_form=not is_known)
        is_declared = is_known and not setting.budget_line
        for compute in computes if not is_declared else ():
            is_aside = piece.kind == "inline" and compute != SIX_ND  # what others count
            if compute is not None and setting.declared.budget is None and not is_aside:
                name = budget[1] if budget else "C"
                setting = setting._with_budget(compute, name, piece.line)
            elif compute != setting.budget:
                line = f"{in_one_line(piece.text)} of line {piece.line}"
                setting = setting.with_rival(line, f"budget {setting.budget.compute()}")
        holds = (setting.declared.budget, setting.budget_line)
        if budget is not None and (budget[0], piece.line) == holds:
            gives = "the document's budget"
        other = f"{budget[1]} = {budget[0].compute()}" if budget else ""
        other = other if budget and budget[1] not in COMPUTES else ""
        return Place(piece, setting, gives, numbers, other, tuple(computes))


@dataclass(frozen=True)
class Place:
    """A piece of a document with the setting that holds from it on."""

    piece: Piece
    setting: Setting
    gives: str = ""  # what the piece adds to the setting: the document's law, its budget
    numbers: Mapping[str, Number] = field(default_factory=dict)  # those of a law in numbers
    other_budget: str = ""  # F = 12*D*N, a budget by another letter than C
    computes: tuple[Budget | None, ...] = ()  # the budgets by C; None for one that is not read
    complaint: str = ""  # why a declaration is refused


def places_of(pieces: Sequence[Piece], seconds: float | None = None) -> list[Place]:
    """The setting at each piece of a document. The first law in letters holds from the beginning, and
    so does the doubt about the budget where one is displayed by another letter than C, or where the
    first formula for the compute is not read.
    """
    formulas = [piece for piece in pieces if piece.kind != "declared"]
    laws = dict(zip(map(id, formulas), laws_of([p.text for p in formulas]), strict=True))
    first = next((law for law in laws.values() if law and law.notation), None)
    is_in_numbers = first is None and any(law and law.numbers for law in laws.values())
    if is_in_numbers and not any(r"\gamma" in piece.text for piece in pieces):
        first = LawOfDocument(HOFFMANN)
    letters = " ".join(piece.text for piece in pieces)
    is_theirs = {r"\alpha", r"\beta"} <= {*re.findall(r"\\[a-z]+", letters)}
    suggested = HOFFMANN if is_theirs and r"\gamma" not in letters else DEFAULT
    setting = Setting(Settings("", seconds=seconds), first, suggested=suggested.name)
    places = list[Place]()
    for piece in pieces:
        try:
            place = setting.behind(piece, laws.get(id(piece)))
        except ValueError as error:
            complaint = getattr(error, "complaint", None) or str(error)
            rival = f"the budget of line {piece.line}, which is not read"
            is_budget = piece.text.startswith("budget")
            behind = setting.with_rival(rival, "budget ...") if is_budget else setting
            place = Place(piece, behind, complaint=complaint)
        setting = place.setting
        places.append(place)
    if any(p.kind == "declared" and p.text.startswith("budget") for p in pieces):
        return places
    rival, remedy = "", ""
    by_compute = next((place for place in places if place.computes), None)
    if others := [*filter(None, (place.other_budget for place in places))]:
        rival, remedy = ", ".join(dict.fromkeys(others)), f"budget {others[0]}"
    elif by_compute is not None and by_compute.computes[0] is None:
        rival, remedy = by_compute.setting.rival, by_compute.setting.remedy
    doubtful = (replace(p.setting, rival=rival, remedy=remedy) for p in places)
    return (
        [replace(p, setting=s) for p, s in zip(places, doubtful, strict=True)] if rival else places
    )


@dataclass(frozen=True)
class Facts:
    """The facts that the claims of a document have stated up to a place."""

    own: Mapping[str, str] = field(default_factory=dict)  # x = A B; "" is not known
    numbers: Mapping[str, Number] = field(default_factory=dict)  # E = 1.69
    ray: str = ""  # D = 20 N, in the runs of which the document speaks
    stated: tuple[str, ...] = ()  # values and equalities of letters, N = 10^9 or beta = gamma

    def defining(self, name: str, equation: str = "") -> Facts:
        """The facts with a name that this equation defines from here on, or that is not known."""
        return replace(self, own={**self.own, name: equation})

    def stating(self, piece: Piece, setting: Setting) -> Facts:
        """The facts with the value of a letter, or the equality of two letters, that a piece states."""
        sides = sides_of(piece.text)
        if sides is None or [sign.text for sign in sides.relations] != ["=="]:
            return self
        words, (name, arguments) = setting.settings.words, sides.named(0)
        letters = {x for x, e in words.names.items() if isinstance(e, Symbol)}
        right = sides.names - {name}
        is_value = not right and name not in words.means
        is_equality = name in letters and right <= letters and not {name, *right} >= {*"NDC"}
        if not name or arguments or not (is_value or is_equality):
            return self
        stated = (*(x for x in self.stated if x != piece.text), in_one_line(piece.text))
        return replace(self, stated=stated[-MOST_STATED:])

    def giving(self, numbers: Mapping[str, Number]) -> Facts:
        """The facts with numbers for coefficients."""
        return replace(self, numbers={**self.numbers, **numbers})

    def giving_one(self, name: str, value: Number) -> tuple[Facts, str]:
        """The facts with the number of a coefficient, or without one where another line gives another
        number, and what is then said.
        """
        known = self.numbers.get(name)
        if known is None or (known[1][0] <= value[1][1] and value[1][0] <= known[1][1]):
            return self.giving({name: value}), ""
        others = {x: one for x, one in self.numbers.items() if x != name}
        return replace(self, numbers=others), f"line {known[2]} gives another number for {name}"

    def declared(self, text: str) -> Facts:
        """The facts behind a declaration, which takes the place of the document's own meaning."""
        word, _, rest = (part.strip() for part in text.partition(" "))
        named = name_of(re.split(":?=", rest)[0]) if word in ("budget", "let") else ""
        return replace(self, own={x: text for x, text in self.own.items() if x != named})

    def coefficients(self, setting: Setting) -> Coefficients | None:
        """The numbers that are given, in the letters of the setting."""
        names = setting.settings.words.names
        given = {names[x]: one for x, one in self.numbers.items()}
        lines = ", ".join(dict.fromkeys(f"line {line}" for _, _, line in given.values()))
        values = {x: value for x, (value, *_) in given.items()}
        ranges = {x: ends for x, (_, ends, _) in given.items()}
        return Coefficients(f"the numbers of {lines}", values, ranges) if given else None


def number(value: Expr, tokens: Sequence[Token], line: int) -> Number:
    """A number that a line gives, with what rounds to it."""
    half = (unit_alone(tokens, "approx" if value > 1 else "==") or Integer(0)) / 2
    return value, (value - half, value + half), line
