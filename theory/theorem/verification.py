"""Derivations verified as a whole: what every step's paths say, how strong the theorem is, and how
long it took.

A report is plain data (text and numbers), so that it travels between processes and into JSON.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

from sympy import Rational

from ...derivations import NAMES, errata
from ...derivations import derivation as built
from ..data.notation import close_matches
from ..kernel.answer import undecided
from ..kernel.deadline import OutOfTime, within
from ..kernel.points import PointCheck
from ..kernel.rules import FAILED, STRENGTHS, weakest
from ..typeset.plain import plain
from ..typeset.words import plain_sentence, plain_statement
from .argument import described
from .claim import Claim, Derivation, Verdict
from .derivation import Derivation as Theorem
from .errata import ErratumVerdict, Remark
from .words import Sentence

#: A longer claim is not printed: operations on both sides, bits of the longest number.
MOST_OPERATIONS, MOST_BITS = 200, 200

#: What a step that has failed may be.
WORST = ("refuted", FAILED, "undecided")
#: One file of errata for each paper: the name of the paper and the theorem's.
ERRATA = {name.removesuffix("_errata"): name for name in NAMES if name.endswith("_errata")}


@dataclass(frozen=True)
class Check:
    """What one path says: whether it holds by this path, and in a sentence why."""

    passed: bool
    detail: str

    def __str__(self) -> str:
        return "passed" if self.passed else "failed"

    @classmethod
    def of(cls, check: PointCheck) -> Check:
        where = ", ".join(f"{symbol} = {value}" for symbol, value in check.witness)
        return cls(check.passed, f"{check.detail}, at {where}" if where else check.detail)


@dataclass(frozen=True)
class StepReport:
    """One step: the claim in plain text, its strength, and what each path says of it.

    `exact` is "proved", "refuted" or "undecided" and `exact_detail` says why; `interval` is None
    where the claim is no bound. `derived` and `correction` say what would be right in place of what
    is refuted.
    """

    name: str
    claim: str
    relation: str
    reason: str
    argument: str
    strength: str
    exact: str
    exact_detail: str
    pointwise: Check
    interval: Check | None
    derived: str = ""
    correction: str = ""

    @property
    def status(self) -> str:
        """The strength; of a step that has failed "refuted" where that is proved, "undecided" where
        no path objects.
        """
        if self.strength != FAILED:
            return self.strength
        if self.exact == "refuted":
            return "refuted"
        objects = any(path and not path.passed for path in (self.pointwise, self.interval))
        return FAILED if objects else "undecided"

    @classmethod
    def of(cls, verdict: Verdict) -> StepReport:
        claim, exact = verdict.claim, verdict.exact
        return cls(
            name=claim.name,
            claim=spelled(claim),
            relation=claim.relation,
            reason=plain_sentence(claim.reason),
            argument=described(claim.argument),
            strength=verdict.strength,
            exact=exact.answer.value,
            exact_detail=str(exact).partition(": ")[2],
            pointwise=Check.of(verdict.pointwise),
            interval=None if verdict.interval is None else Check.of(verdict.interval),
        )

    def as_dict(self) -> dict[str, Any]:
        """The verdict of each path in a word, and its details."""
        checks = {"pointwise": self.pointwise, "interval": self.interval}
        details = {path: None if check is None else check.detail for path, check in checks.items()}
        return {
            "name": self.name,
            "claim": self.claim,
            "relation": self.relation,
            "strength": self.strength,
            "exact": self.exact,
            **{path: None if check is None else str(check) for path, check in checks.items()},
            "reason": self.reason,
            "argument": self.argument,
            "derived": self.derived or None,
            "correction": self.correction or None,
            "details": {"exact": self.exact_detail, **details},
        }


@dataclass(frozen=True)
class TheoremReport:
    """One derivation: its text, its steps, its status (the weakest strength among them) and the
    seconds that it took.

    `definitions` are in plain text, `file` is the user's Python file that was run for it, and
    `error` says why a derivation could not be built or checked; its status is then "failed".
    """

    name: str
    title: str
    assumptions: tuple[str, ...]
    statement: str
    source: str
    follows: str
    steps: tuple[StepReport, ...]
    seconds: float
    error: str = ""
    definitions: tuple[str, ...] = ()
    file: str = ""

    @property
    def status(self) -> str:
        return (
            FAILED
            if self.error or not self.steps
            else weakest(step.strength for step in self.steps)
        )

    @property
    def failed(self) -> bool:
        return self.status == FAILED

    @property
    def verdict(self) -> str:
        """The status; where it has failed, the worst of the steps: refuted, failed, undecided."""
        found = [step.status for step in self.steps if step.strength == FAILED]
        return min(found, key=WORST.index) if found and not self.error else self.status

    @property
    def proved(self) -> int:
        """How many steps the exact path proves."""
        return sum(step.exact == "proved" for step in self.steps)

    @property
    def at_points(self) -> int:
        """How many steps hold at every sampled point."""
        return sum(step.pointwise.passed for step in self.steps)

    @property
    def enclosed(self) -> int:
        """How many bounds the enclosures confirm."""
        return sum(step.interval is not None and step.interval.passed for step in self.steps)

    def as_dict(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "status": self.status,
            "steps": [step.as_dict() for step in self.steps],
        }


@dataclass(frozen=True)
class ErratumReport:
    """One slip of a paper: what is printed and why it fails, and the corrections with their
    strengths.
    """

    name: str
    where: str
    comment: str
    printed: str
    refuted: bool
    witness: str
    corrected: tuple[StepReport, ...]
    holds: bool

    @classmethod
    def of(cls, verdict: ErratumVerdict) -> ErratumReport:
        erratum = verdict.erratum
        return cls(
            name=erratum.name,
            where=erratum.where,
            comment=erratum.comment,
            printed=spelled(erratum.as_printed),
            refuted=verdict.witness is not None and not verdict.printed_is_proved,
            witness="" if verdict.witness is None else str(verdict.witness),
            corrected=tuple(map(StepReport.of, verdict.corrections)),
            holds=verdict.holds,
        )

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class RemarkReport:
    """A remark on a paper, with its checks."""

    name: str
    where: str
    comment: str
    checks: tuple[StepReport, ...]

    @classmethod
    def of(cls, remark: Remark) -> RemarkReport:
        return cls(
            remark.name,
            remark.where,
            remark.comment,
            tuple(StepReport.of(claim.verify()) for claim in remark.checks),
        )

    @property
    def holds(self) -> bool:
        return not any(step.strength == FAILED for step in self.checks)

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "holds": self.holds}


def spelled(claim: Claim) -> str:
    """The claim in plain text; where it is too long to be read, its size alone."""
    sides = (claim.lhs, claim.rhs)
    size = sum(side.count_ops() for side in sides)
    bits = max(
        (
            int(number.p * number.q).bit_length()
            for side in sides
            for number in side.atoms(Rational)
        ),
        default=0,
    )
    if size > MOST_OPERATIONS or bits > MOST_BITS:
        return f"{claim.relation} between two expressions, {size} operations together, too long to print"
    where = [plain_sentence(Sentence("{}", (formula,))) for formula in claim.stated.where]
    beside = f" where {' and '.join(where)}" if where else ""
    return f"{plain(claim.lhs)} {claim.relation} {plain(claim.rhs)}{beside}"


def load(name: str) -> Derivation:
    """A derivation of the package by its name.

    Raises
    ------
    ValueError
        Where there is none of that name; close names are suggested.
    """
    if name not in NAMES:
        known = close_matches(name, (*NAMES, *ERRATA))
        raise ValueError(
            f"name={name!r}: must be the name of a derivation or a path ending in .py{known}"
        )
    return checked(built(name))


def checked(derivation: object) -> Derivation:
    """The object, if it is a derivation whose steps are claims, none of them certainly a mistake.

    Raises
    ------
    ValueError
        Where it is not.
    """
    if not (type(derivation) is Derivation or type(derivation) is Theorem):
        raise ValueError(f"derivation()={_brief(derivation)}: must return an isoflop Derivation")
    if not derivation.steps:
        raise ValueError(f"derivation().steps={derivation.steps!r}: must have at least one step")
    for step in derivation.steps:
        if type(step) is not Claim:
            raise ValueError(
                f"derivation().steps: must be isoflop Claims, but one is {_brief(step)}"
            )
    derivation.refuse_mistakes()
    return derivation


def _brief(value: object) -> str:
    return f"{type(value).__name__} {str(value)[:60]!r}"


def _verified(step: Claim, seed: int, seconds: float | None) -> Verdict:
    try:
        with within(seconds):
            return step.verify(seed=seed)
    except OutOfTime as error:
        return Verdict(step, undecided(str(error)), PointCheck(True, 0, "not checked"))


def verify(
    derivation: Derivation,
    *,
    seed: int = 0,
    started: float | None = None,
    file: str = "",
    seconds: float | None = None,
) -> TheoremReport:
    """Check every step on every path, within some seconds; `started` is the reading of
    `time.perf_counter` from which the time counts, `file` the Python file that was run.
    """
    began = perf_counter() if started is None else started
    steps = tuple(StepReport.of(_verified(step, seed, seconds)) for step in derivation.steps)
    return TheoremReport(
        name=derivation.name,
        title=plain_sentence(derivation.title),
        assumptions=tuple(map(plain_sentence, derivation.assumptions)),
        statement=plain_statement(derivation),
        source=derivation.source,
        follows=plain_sentence(derivation.follows),
        steps=steps,
        seconds=perf_counter() - began,
        definitions=tuple(
            f"{plain(definition.name)} = {plain(definition.value)}"
            for definition in derivation.definitions
        ),
        file=file,
    )


def verify_named(name: str, *, seed: int = 0) -> TheoremReport:
    """Build a derivation of the package and check it; one that cannot be built or checked has
    failed, and the others go on.
    """
    began = perf_counter()
    try:
        return verify(load(name), seed=seed, started=began)
    except Exception as error:
        return TheoremReport(
            name,
            name,
            (),
            "",
            "",
            "",
            (),
            perf_counter() - began,
            f"{type(error).__name__}: {error}",
        )


def verify_errata(paper: str) -> tuple[tuple[ErratumReport, ...], tuple[RemarkReport, ...]]:
    """The slips of a paper, each refuted as printed and proved as corrected, and the remarks.

    Raises
    ------
    ValueError
        Where there are no errata of that name.
    """
    if paper not in ERRATA:
        raise ValueError(f"paper={paper!r}: must be one of {', '.join(ERRATA)}")
    slips, remarks = errata(ERRATA[paper])
    return tuple(ErratumReport.of(e.verify()) for e in slips), tuple(map(RemarkReport.of, remarks))


def summary(reports: Iterable[TheoremReport]) -> dict[str, int]:
    """How many derivations there are of each status, the strongest first."""
    counted = Counter(report.status for report in reports)
    return {status: counted[status] for status in (*STRENGTHS, FAILED) if counted[status]}
