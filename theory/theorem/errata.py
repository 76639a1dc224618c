"""Errata of papers as data: what is printed, a point where it fails, and what holds instead with
its proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from sympy import Rational, Symbol

from ..kernel.answer import BOUNDS
from ..kernel.decide import Witness
from ..kernel.interval import IntervalEvaluator, Undefined, certainly_fails, certainly_positive
from ..kernel.points import PointEvaluator
from ..kernel.sample import points
from .claim import Claim, Verdict

LARGEST_DRAW = 400
SHOWN_DIGITS = 12

At = tuple[tuple[Symbol, Rational], ...]


@dataclass(frozen=True)
class Erratum:
    """A slip of a paper.

    Parameters
    ----------
    name : str
    where : str
        Equation, table or sentence of the paper.
    as_printed : Claim
        What the paper prints, as a claim (==, >=, <=, > or <) that fails.
    corrected : Claim or tuple of Claim
        What holds instead.
    comment : str
        What went wrong, and what it matters.
    at : tuple of (sympy.Symbol, sympy.Rational)
        The point at which to refute what is printed, where it should be a telling one or k has to
        be a whole number; a seeded point by default.
    """

    name: str
    where: str
    as_printed: Claim
    corrected: Claim | tuple[Claim, ...]
    comment: str
    at: At = ()

    @property
    def corrections(self) -> tuple[Claim, ...]:
        return self.corrected if isinstance(self.corrected, tuple) else (self.corrected,)

    def verify(self, *, points: int = 64, digits: int = 50, seed: int = 0) -> ErratumVerdict:
        """Refute what is printed, prove what is corrected, each on every path."""
        verdicts = tuple(
            claim.verify(points=points, digits=digits, seed=seed) for claim in self.corrections
        )
        witness = refute(self.as_printed, at=self.at, digits=digits, seed=seed)
        return ErratumVerdict(self, witness, self.as_printed.prove().proved, verdicts)


@dataclass(frozen=True)
class ErratumVerdict:
    """The witness against what is printed (None: not refuted), whether an exact path proves it all
    the same, the corrections.
    """

    erratum: Erratum
    witness: Witness | None
    printed_is_proved: bool
    corrections: tuple[Verdict, ...]

    @property
    def holds(self) -> bool:
        """Whether what is printed is refuted, and by no path proved, and every correction is
        proved.
        """
        return (
            self.witness is not None
            and not self.printed_is_proved
            and all(verdict.holds and verdict.exact.proved for verdict in self.corrections)
        )

    def __str__(self) -> str:
        printed = f"refuted, witness {self.witness}" if self.witness is not None else "not refuted"
        corrected = ", ".join(
            f"{verdict.claim.name} {verdict.strength}" for verdict in self.corrections
        )
        return f"{self.erratum.name}: as printed: {printed}; corrected: {corrected}"


@dataclass(frozen=True)
class Remark:
    """What is no algebra, or no error: a label, a count, a gap in an argument; with claims where
    something can be checked.
    """

    name: str
    where: str
    comment: str
    checks: tuple[Claim, ...] = ()


def refute(claim: Claim, *, at: At = (), digits: int = 50, seed: int = 0) -> Witness | None:
    """A point at which the relation certainly fails: by interval arithmetic, and again by ordinary
    multiprecision arithmetic.

    Raises
    ------
    ValueError
        Where `at` does not satisfy the claim's assumptions, or the claim is a limit.
    """
    if claim.relation not in ("==", *BOUNDS):
        raise ValueError(
            f"claim={claim.name!r}: {claim.relation} is a limit, which no point refutes"
        )
    claim = claim.unfolded
    evaluator, independent = IntervalEvaluator(digits), PointEvaluator(digits)
    for point in _candidates(claim, at, seed):
        try:
            if not all(certainly_positive(evaluator.evaluate(a, point)) for a in claim.assume):
                if at:
                    raise ValueError(
                        f"at={at}: the assumptions of {claim.name!r} do not hold there"
                    )
                continue
            left, right = evaluator.evaluate(claim.lhs, point), evaluator.evaluate(claim.rhs, point)
            values = independent.evaluate(claim.lhs, point), independent.evaluate(claim.rhs, point)
        except Undefined:
            continue
        difference = left - right
        if certainly_fails(claim.relation, difference.a, difference.b) and certainly_fails(
            claim.relation, *(2 * [values[0] - values[1]])
        ):
            lhs, rhs = (str(independent.context.nstr(value, SHOWN_DIGITS)) for value in values)
            return Witness(
                tuple(sorted(point.items(), key=lambda item: item[0].name)), lhs, rhs, digits
            )
    return None


def _candidates(claim: Claim, at: At, seed: int) -> Iterator[dict[Symbol, Rational]]:
    symbols = claim.symbols.union(*(a.free_symbols for a in claim.assume))
    if at or not symbols:
        return iter([dict(at)])
    return islice(points(symbols, seed), LARGEST_DRAW)
