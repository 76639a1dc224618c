"""What a formula says that fails as a claim about independent letters: it may hold at the optimum,
along the budget or for the numbers of the document; or it fixes a letter, determines a new one, or
means something else by a name of the law. Only what has none of these readings is refuted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sympy import Expr, Poly, Symbol, cancel, expand, powsimp

from ..algebra import symbols as sym
from ..algebra.answer import Answer, Decision
from ..budget import SIX_ND, Budget
from ..reader.tokens import ParseError
from ..reader.vocabulary import RUN_SYMBOLS, Vocabulary
from .defined import COLON_EQUALS, DEFINES, DERIVATIVE, EQUALS_COLON, Sides, name_alone
from .facts import DefinedName, Facts
from .paper import PrintedEquation
from .prove import ChainLink, Proof, Settings
from .supposed import announces

PROVED, REFUTED, UNDECIDED = (
    answer.value for answer in (Answer.PROVED, Answer.REFUTED, Answer.UNDECIDED)
)
DEFINITION, CONDITION, CONFLICT = "definition", "condition", "conflict"

#: Names that other authors give to quantities of their own.
OURS_ALONE = frozenset(
    ["R_opt", "R", "T_N", "T_D", "P", "r", "rho", "s", "w_N", "w_D", "phi2", "C0"]
    + [symbol.name for symbol in RUN_SYMBOLS]
)
ABOUT_THE_OPTIMUM = re.compile(
    r"optim|minimi[sz]|stationar|first[- ]order|Lagrang|KKT|to\s+zero|equal\s+zero|vanish|derivative|gradient",
    re.IGNORECASE,
)
#: Names whose bounds single out runs.
OF_A_RUN = frozenset(["N", "D", "C", "L", "r", "rho", "s"])
#: Words in front of what a sentence may suppose rather than claim.
SUPPOSING = ("with",)
EQUALITY_HOLDS = re.compile(r"\bequality\b[^.\0]*\Z", re.IGNORECASE)
AT_A_POINT = re.compile(
    r"(?:\\(?:big|Big|bigg|Bigg|right|middle)[lrm]?\s*)?(?:\||\\[lr]?vert)\s*_\s*"
    r"(?:\*|\\star|\{[^{}]*(?:\*|\\star|opt)[^{}]*\}+)|\\left\s*\."
)
LOSSES = {"L", "L_hat"}
#: `\\frac{\\partial L}{\\partial N}`, `dL/dN`, alone on a side.
LOSS_DERIVATIVE = re.compile(
    r"\\[dt]?frac\s*\{(?:\\partial|\\?d|\\mathrm\{d\})\s*L(?:\(N,\s*D\))?\}"
    r"\s*\{(?:\\partial|\\?d|\\mathrm\{d\})\s*[ND]\}|dL/d[ND]"
)
IN_NUMBERS = re.compile(r"[0-9]\.[0-9]|10\s*\^|[0-9]\{,\}[0-9]|[0-9]{3}")


@dataclass(frozen=True)
class TriedEquation:
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

    def _prove(
        self, assume: Sequence[str] = (), let: Sequence[str] = (), text: str | None = None
    ) -> Proof:
        return self.settings.prove(
            self.text if text is None else text,
            define=self.define,
            assume=(*self.assume, *assume),
            let=let,
            limit=self.limit,
        )

    def elsewhere(
        self, i: int, numbers: Mapping[str, str], supposed: Sequence[str] = ()
    ) -> tuple[str, ChainLink] | None:
        """Another reading of a link under which it is proved, in words, and the link so read."""
        for reading, given in self._readings(numbers, supposed):
            if reading not in self.proofs:
                try:
                    self.proofs[reading] = self._prove(**given)
                except (ParseError, ValueError):
                    self.proofs[reading] = None
            proof = self.proofs[reading]
            if proof is not None and proof.links[i].decision.proved:
                return reading, proof.links[i]
        return None

    def supposing(self, i: int, supposed: Sequence[str]) -> Decision | None:
        """The decision on a link where this is supposed; none where that cannot be."""
        try:
            return self._prove(assume=supposed).links[i].decision
        except (ParseError, ValueError):
            return None

    def _readings(
        self, numbers: Mapping[str, str], supposed: Sequence[str]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        if supposed:
            yield f"for {' and '.join(supposed)}", {"assume": supposed}
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
                anywhere = AT_A_POINT.sub(lambda match: " " * len(match.group()), self.text)
                yield (
                    f"at the optimum {name}, a function of {variable}",
                    {"let": [let[1]], "assume": optimum, "text": anywhere},
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
class Failure:
    """A link that fails for independent letters, and what else it may say."""

    facts: Facts
    equation: PrintedEquation
    sides: Sides | None
    index: int
    link: ChainLink
    proof: Proof
    quantified: frozenset[str]
    opaque: Sequence[DefinedName]

    @property
    def letters(self) -> set[Symbol]:
        return self.link.lhs.free_symbols | self.link.rhs.free_symbols

    @property
    def left(self) -> tuple[str, tuple[str, ...]] | None:
        if self.sides is None:
            return None
        return name_alone(self.sides.tokens[self.index])

    @property
    def right(self) -> tuple[str, tuple[str, ...]] | None:
        if self.sides is None:
            return None
        return name_alone(self.sides.tokens[self.index + 1])

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
        if self.equation.is_inline and EQUALITY_HOLDS.search(self.equation.sentence.text):
            return CONDITION, "says where equality holds"
        if self.link.relation != "==":
            return self._of_undefined() or self._of_a_bound() or (REFUTED, reason)
        return (
            self._of_a_number()
            or self._of_a_choice()
            or self._of_undefined()
            or self._of_a_law()
            or self._of_a_definition()
            or self._of_a_letter()
            or self._of_numbers()
            or self._of_a_point()
            or self._of_a_tie()
            or (REFUTED, reason)
        )

    def _of_a_choice(self) -> tuple[str, str] | None:
        """`Let beta = gamma + h`, whatever h is."""
        return self._of_a_letter() if DEFINES.match(self.equation.cue) else None

    def _of_undefined(self) -> tuple[str, str] | None:
        """Letters that the document does not define."""
        known = {
            meaning for meaning in self.facts.words.names.values() if isinstance(meaning, Symbol)
        }
        known |= self.facts.words.of_a_run
        free = [x for x in sorted(self.letters - known, key=str) if str(x) not in self.quantified]
        if not free:
            return None
        if len(free) == 1 and self.link.relation == "==" and not self._is_about_the_law:
            value = _solved(self.link.lhs - self.link.rhs, free[0])
            if value is not None:
                shown = str(value).replace("**", "^")
                self.facts.determine(str(free[0]), value, self.equation)
                return DEFINITION, f"determines {free[0]} = {shown}"
        names = ", ".join(map(str, free))
        return UNDECIDED, f"it holds for some values only, and the document does not define {names}"

    @property
    def _is_about_the_law(self) -> bool:
        """Whether one side is a name of the law alone: what it says is said of that name."""
        return any(
            side is not None and side[0] in self.facts.words.names
            for side in (self.left, self.right)
        )

    def _of_a_law(self) -> tuple[str, str] | None:
        """`L(N, D) = 1.69 + ...`: another law, or the law in numbers."""
        if self.left is None or self.left[0] not in LOSSES or self.left[1] not in (("N", "D"), ()):
            return None
        if LOSSES & self.facts.seen and not self._is_in_numbers:
            return None
        numbers = _coefficients(self.link.rhs, self.facts.words)
        if numbers:
            self.facts.numbers = numbers
            values = ", ".join(f"{name} = {value}" for name, value in numbers.items())
            return CONDITION, f"gives the law numbers: {values}"
        return CONFLICT, (
            f"L is the loss {self.facts.words.names['L'].body}; the document has another law"
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
                for d in reversed(self.facts.definitions)
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
        is_new = name in OURS_ALONE and name not in self.facts.seen
        if not (is_explicit or is_new) or self.facts.is_letter(name):
            return None
        if name not in self.facts.words.names:
            return None
        return CONFLICT, (
            f"{name} is {self.facts.meaning(name)}; if the document means another quantity, say "
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
        if self.left is None or self.left[1] or not self.facts.is_letter(self.left[0]):
            return None
        name = self.left[0]
        value = self.link.rhs
        if name == "C" and _is_a_budget(value):
            own = (self.facts.settings.budget or SIX_ND).compute()
            return (
                CONFLICT,
                f"the budget is C = {own}; if the document has another, say --budget '{value}'",
            )
        if value.is_number:
            self.facts.numbers = {**self.facts.numbers, name: str(value)}
            return CONDITION, f"{name}, {self.facts.meaning(name)}, is given a number"
        given = {sym.N, sym.D, sym.N_MAX, sym.D_MAX}
        closed = sym.C in value.free_symbols and not given & value.free_symbols
        if name in ("N", "D") and closed and not self._is_in_numbers:
            return REFUTED, f"neither for every {name} nor at the optimum"
        if not self.equation.is_inline and announces(self.equation.sentence):
            self.facts.suppose(self.link.text, self.equation.display[1])
        return CONDITION, f"{name}, {self.facts.meaning(name)}, is given a value"

    @property
    def _is_in_numbers(self) -> bool:
        return IN_NUMBERS.search(self.link.text) is not None

    def _of_a_number(self) -> tuple[str, str] | None:
        """Two numbers that differ: false whatever the letters mean."""
        if self.letters:
            return None
        return REFUTED, self.link.decision.reason

    @property
    def _is_meant_at_the_optimum(self) -> bool:
        """Whether the prose before the equation, or a condition beside it, speaks of the optimum."""
        about = (self.equation.prose, *self.equation.conditions)
        return any(ABOUT_THE_OPTIMUM.search(text) for text in about)

    def _of_a_bound(self) -> tuple[str, str] | None:
        """`N < N_max`, `L < 3`, `\\beta < \\gamma`: a bound on a quantity of the run, against a number,
        or between two letters of the law.
        """
        sides = (self.left, self.right)
        alone = [side[0] for side in sides if side is not None]
        is_of_a_run = any(name in OF_A_RUN for name in alone)
        is_choice = all(
            side is not None and not side[1] and self.facts.is_letter(side[0]) for side in sides
        )
        numbers = [e for e in (self.link.lhs, self.link.rhs) if e.is_number]
        if not (is_of_a_run or is_choice or any(e not in (0, 1) for e in numbers)):
            return None
        return UNDECIDED, "it does not hold in general; it may be a condition"

    def _of_a_point(self) -> tuple[str, str] | None:
        """`R = 1`: an equation that singles out a run, not a claim about all of them."""
        is_number = self.link.lhs.is_number or self.link.rhs.is_number
        if not is_number or not {sym.N, sym.D, sym.C} & self.letters:
            return None
        if {sym.N, sym.D} & self.letters and self._is_meant_at_the_optimum:
            return None
        return UNDECIDED, "it does not hold in general; it may be a condition"

    def _of_numbers(self) -> tuple[str, str] | None:
        if not (self._is_in_numbers or (self.left and self.link.rhs.is_number)):
            return None
        return UNDECIDED, "it holds for no law in general; numbers need the coefficients of a law"

    def _of_a_tie(self) -> tuple[str, str] | None:
        """An equation between N and D: a condition, or a claim about the optimum."""
        if not {"N", "D"} & {str(x) for x in self.letters} or _is_budget_free(self.link):
            return None
        reason = "it holds neither for every N and D nor at the optimum"
        if self._is_meant_at_the_optimum or self._is_a_derivative_worked_out:
            return REFUTED, reason
        return UNDECIDED, f"{reason}; it may be a condition"

    @property
    def _is_a_derivative_worked_out(self) -> bool:
        """Whether it says what a derivative of the loss is, in the letters of the law: no condition,
        which would have a multiplier, a number or another derivative beside it.
        """
        left, right = self.link.text.split(f" {self.link.relation} ", 1)
        coefficients = {sym.A, sym.B} & self.link.rhs.free_symbols
        own = self.link.rhs.free_symbols - set(self.facts.words.names.values())
        is_formula = bool(coefficients) and not own and not DERIVATIVE.search(right)
        return is_formula and LOSS_DERIVATIVE.fullmatch(left.strip()) is not None


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
