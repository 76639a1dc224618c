"""The verification of whole theorems, as reports of plain data that JSON can hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import Any

from sympy import Rational

from ..derivations import NAMES, derivation, errata
from .data.notation import close_matches
from .kernel.points import PointCheck
from .kernel.rules import FAILED, STRENGTHS, weakest
from .settings import theorem
from .theorem.derivation import Derivation
from .theorem.errata import Erratum
from .theorem.step import Step, Verdict
from .theorem.words import say
from .typeset.plain import plain
from .typeset.words import plain_sentence, plain_statement

#: Bounds on a claim that is printed: the operations on both sides, the bits of the longest number.
MOST_OPERATIONS, MOST_BITS = 200, 200
#: The suffixes of files with the text of a theorem.
SUFFIXES = (".md", ".txt")
#: The statuses of a step that has failed, the worst first.
WORST = ("refuted", FAILED, "undecided")
#: The theorem of the errata of each paper, by the name of the paper.
ERRATA = {name.removesuffix("_errata"): name for name in NAMES if name.endswith("_errata")}


@dataclass(frozen=True)
class StepReport:
    """The report on a step: its claim in plain text, its strength, and the result of each path.

    `exact` is "proved", "refuted" or "undecided", `pointwise` is "passed" or "failed", and `details`
    has the reason of each.
    """

    name: str
    claim: str
    relation: str
    strength: str
    exact: str
    pointwise: str
    reason: str
    argument: str
    details: dict[str, str]

    @property
    def objections(self) -> list[str]:
        """The objections of the points."""
        return [self.details["pointwise"]] if self.pointwise == "failed" else []

    @property
    def status(self) -> str:
        """The strength; or, for a step that has failed, "refuted" if that is proved and "undecided"
        if no path objects.
        """
        if self.strength != FAILED:
            return self.strength
        return "refuted" if self.exact == "refuted" else FAILED if self.objections else "undecided"

    @classmethod
    def of(cls, verdict: Verdict) -> StepReport:
        """The report of a verdict."""
        step, exact, points = verdict.step, verdict.exact, verdict.pointwise
        return cls(
            name=step.name,
            claim=claim_text(step),
            relation=step.relation,
            strength=verdict.strength,
            exact=exact.answer.value,
            pointwise="passed" if points.passed else "failed",
            reason=plain_sentence(step.reason),
            argument=step.argument.label,
            details={"exact": str(exact).partition(": ")[2], "pointwise": _finding(points)},
        )


def _finding(check: PointCheck) -> str:
    """What the points found, and at which of them."""
    where = ", ".join(f"{symbol} = {value}" for symbol, value in check.witness)
    return f"{check.detail}, at {where}" if where else check.detail


@dataclass(frozen=True)
class TheoremReport:
    """The report on a theorem: its text, its steps, and the seconds that the check took.

    `error` says why a theorem could not be read or checked; its status is then "failed".
    """

    name: str
    title: str = ""
    assumptions: tuple[str, ...] = ()
    statement: str = ""
    source: str = ""
    follows: str = ""
    steps: tuple[StepReport, ...] = ()
    seconds: float = 0
    error: str = ""
    definitions: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        """The weakest strength among the steps; after a failure the worst of refuted, failed and
        undecided.
        """
        if self.error or not self.steps:
            return FAILED
        found = [step.status for step in self.steps if step.strength == FAILED]
        return min(found, key=WORST.index) if found else weakest(s.strength for s in self.steps)

    @property
    def failed(self) -> bool:
        return self.status in WORST

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "status": self.status}

    def __str__(self) -> str:
        """The status, and each step with its own."""
        steps = (f"  {s.status.ljust(9)}  {s.name}: {s.claim}" for s in self.steps)
        return "\n".join([f"{self.name}: {self.status}", *steps])


def claim_text(step: Step) -> str:
    """The claim of a step in plain text; its size alone if it is too long to be read."""
    sides = (step.lhs, step.rhs)
    size = sum(side.count_ops() for side in sides)
    numbers = (number for side in sides for number in side.atoms(Rational))
    bits = max((int(number.p * number.q).bit_length() for number in numbers), default=0)
    if size > MOST_OPERATIONS or bits > MOST_BITS:
        both = f"two expressions, {size} operations together, too long to print"
        return f"{step.relation} between {both}"
    where = " and ".join(plain_sentence(say("{}", formula)) for formula in step.stated.where)
    beside = f" where {where}" if where else ""
    return f"{plain(step.lhs)} {step.relation} {plain(step.rhs)}{beside}"


def load(name: str | PathLike[str]) -> Derivation:
    """A theorem of the package by its name, or the theorem of a text file.

    Raises
    ------
    ValueError
        If there is no theorem of that name, or a text cannot be read or is mistaken.
    """
    path = Path(name)
    if path.suffix in SUFFIXES:
        found = theorem(path.read_text(encoding="utf-8"), path.stem)
    elif str(name) in NAMES:
        found = derivation(str(name))
    else:
        known = close_matches(str(name), (*NAMES, *ERRATA))
        kinds = " or ".join(SUFFIXES)
        raise ValueError(f"name={name!r}: must be the name of a theorem, or a {kinds} file{known}")
    return found


def verify(
    what: Derivation | str | PathLike[str], *, seconds: float | None = None
) -> TheoremReport:
    """Check every step of a theorem on every path.

    Parameters
    ----------
    what : str, path or Derivation
        A theorem of the package by its name, or a text of one's own, `mine.md`, as `load` reads it.
    seconds : float, optional
        The most seconds for a step; one that takes longer is undecided.

    Raises
    ------
    ValueError
        If there is no such theorem, or its text cannot be read.
    OSError
        If there is no such file.

    Examples
    --------
    >>> report = verify("tokens_per_param")
    >>> report.status
    'proved'
    >>> report.steps[0].claim
    'D*(C)/N*(C) == (gamma B/(beta A))^(2/(beta + gamma)) (C/6)^((beta - gamma)/(beta + gamma))'
    """
    began = perf_counter()
    found = what if isinstance(what, Derivation) else load(what)
    steps = tuple(StepReport.of(step.verify(seconds=seconds)) for step in found.steps)
    return TheoremReport(
        name=found.name,
        title=plain_sentence(found.title),
        assumptions=tuple(map(plain_sentence, found.assumptions)),
        statement=plain_statement(found),
        source=found.source,
        follows=plain_sentence(found.follows),
        steps=steps,
        seconds=perf_counter() - began,
        definitions=tuple(f"{plain(d.name)} = {plain(d.value)}" for d in found.definitions),
    )


def verify_named(name: str) -> TheoremReport:
    """Read and check a theorem of the package; an exception is reported as a failure."""
    began = perf_counter()
    try:
        return verify(name)
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        return TheoremReport(name, name, seconds=perf_counter() - began, error=message)


def verify_errata(paper: str) -> tuple[dict[str, Any], ...]:
    """The errata of a paper as data: the `printed` claim of a slip, the `witness` where it fails and
    the `corrected` steps; for a remark its `checks`.

    Raises
    ------
    ValueError
        If there are no errata of that name.
    """
    if paper not in ERRATA:
        raise ValueError(f"paper={paper!r}: must be one of {', '.join(ERRATA)}")
    return tuple(map(judged, errata(ERRATA[paper])))


def judged(erratum: Erratum) -> dict[str, Any]:
    """An erratum as data. It holds if the printed claim is refuted and every correction is proved."""
    verdicts = [step.verify() for step in erratum.corrected]
    proved = all(verdict.holds and verdict.exact.proved for verdict in verdicts)
    steps = tuple(asdict(StepReport.of(verdict)) for verdict in verdicts)
    data: dict[str, Any] = {"name": erratum.name, "where": erratum.where}
    data["comment"] = erratum.comment
    if erratum.printed is None:
        return {**data, "holds": proved, "checks": steps}
    witness = erratum.witness()
    data |= {"printed": claim_text(erratum.printed), "refuted": witness is not None}
    data |= {"witness": None if witness is None else str(witness), "corrected": steps}
    return {**data, "holds": proved and witness is not None}


def summary(reports: Iterable[TheoremReport]) -> dict[str, int]:
    """The number of theorems of each status, the strongest first."""
    counts = Counter(report.status for report in reports)
    return {status: counts[status] for status in (*STRENGTHS, *WORST) if counts[status]}
