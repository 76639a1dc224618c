"""Errata of papers as data: the printed claim, which is refuted, and the proved corrections."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Expr, Rational, Symbol

from ..kernel.answer import Witness
from .step import Step, Verdict

At = tuple[tuple[Symbol, Rational], ...]


@dataclass(frozen=True)
class Erratum:
    """A slip of a paper; or, where no printed claim is refuted, a remark: on a label, a count, a gap
    in an argument.

    Parameters
    ----------
    name : str
    where : str
        The equation, table or sentence of the paper.
    printed : Step or None
        The claim (==, >=, <=, > or <) that the paper prints and that fails.
    corrected : tuple of Step
        The claims that hold instead, or that can be checked of a remark.
    comment : str
        What went wrong, and why it matters.
    at : tuple of (sympy.Symbol, sympy.Rational)
        The point at which the printed claim is refuted, such as a telling one or one with a whole
        k; a seeded point by default.
    """

    name: str
    where: str
    printed: Step | None
    corrected: tuple[Step, ...]
    comment: str
    at: At = ()

    def verify(self, *, points: int = 64, digits: int = 50, seed: int = 0) -> ErratumVerdict:
        """Refute the printed claim and prove the corrections, each on every path."""
        drawn = {"points": points, "digits": digits, "seed": seed}
        printed = None if self.printed is None else _at(self.printed, self.at).verify(**drawn)
        return ErratumVerdict(self, printed, tuple(c.verify(**drawn) for c in self.corrected))


@dataclass(frozen=True)
class ErratumVerdict:
    """The verdicts on the printed claim, at the point of the erratum, and on the corrections."""

    erratum: Erratum
    printed: Verdict | None
    corrected: tuple[Verdict, ...]

    @property
    def witness(self) -> Witness | None:
        """A point where the printed claim certainly fails: by an enclosure, and again in ordinary
        multiprecision arithmetic.
        """
        if self.printed is None or self.printed.pointwise.passed:
            return None
        found = self.printed.exact.witness
        return found and replace(found, point=(*self.erratum.at, *found.point))

    @property
    def holds(self) -> bool:
        """Whether the printed claim is refuted and every correction is proved."""
        is_refuted = self.printed is None or self.witness is not None
        return is_refuted and all(v.holds and v.exact.proved for v in self.corrected)


def _at(step: Step, point: At) -> Step:
    """The step with the coordinates of a point in place of letters.

    Raises
    ------
    ValueError
        If the assumptions of the step do not hold there.
    """
    plain, values = step.unfolded, dict(point)

    def at_point(side: Expr) -> Expr:
        return side.xreplace(values)

    assumed = tuple(map(at_point, plain.assume))
    if any(side.is_positive is False for side in assumed):
        raise ValueError(f"at={point}: the assumptions of {step.name!r} do not hold there")
    undecided = tuple(side for side in assumed if side.free_symbols)
    return replace(plain, lhs=at_point(plain.lhs), rhs=at_point(plain.rhs), assume=undecided)
