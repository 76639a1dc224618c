"""Errata of papers as data: what is printed, which is refuted, and what holds instead with its proof."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Expr, Rational, Symbol

from ..kernel.answer import Witness
from .step import Step, Verdict

At = tuple[tuple[Symbol, Rational], ...]


@dataclass(frozen=True)
class Erratum:
    """A slip of a paper; where nothing printed is refuted, a remark on it: what is no algebra or no
    error, a label, a count, a gap in an argument.

    Parameters
    ----------
    name : str
    where : str
        Equation, table or sentence of the paper.
    printed : Step or None
        What the paper prints, as a claim (==, >=, <=, > or <) that fails.
    corrected : tuple of Step
        What holds instead, or what can be checked of a remark.
    comment : str
        What went wrong, and what it matters.
    at : tuple of (sympy.Symbol, sympy.Rational)
        The point at which to refute what is printed, where it should be a telling one or k has to
        be a whole number; a seeded point by default.
    """

    name: str
    where: str
    printed: Step | None
    corrected: tuple[Step, ...]
    comment: str
    at: At = ()

    def verify(self, *, points: int = 64, digits: int = 50, seed: int = 0) -> ErratumVerdict:
        """Refute what is printed, prove what is corrected, each on every path."""
        drawn = {"points": points, "digits": digits, "seed": seed}
        printed = None if self.printed is None else _at(self.printed, self.at).verify(**drawn)
        return ErratumVerdict(self, printed, tuple(c.verify(**drawn) for c in self.corrected))


@dataclass(frozen=True)
class ErratumVerdict:
    """What the paths say of what is printed, at the point of the erratum, and of the corrections."""

    erratum: Erratum
    printed: Verdict | None
    corrected: tuple[Verdict, ...]

    @property
    def witness(self) -> Witness | None:
        """Where what is printed certainly fails: by an enclosure, and again in ordinary
        multiprecision arithmetic.
        """
        if self.printed is None or self.printed.pointwise.passed:
            return None
        found = self.printed.exact.witness
        return found and replace(found, point=(*self.erratum.at, *found.point))

    @property
    def holds(self) -> bool:
        """Whether what is printed is refuted, and every correction is proved."""
        is_refuted = self.printed is None or self.witness is not None
        return is_refuted and all(v.holds and v.exact.proved for v in self.corrected)


def _at(claim: Step, point: At) -> Step:
    """The claim at a point.

    Raises
    ------
    ValueError
        Where the assumptions of the claim do not hold there.
    """
    plain, values = claim.unfolded, dict(point)

    def there(side: Expr) -> Expr:
        return side.xreplace(values)

    assumed = tuple(map(there, plain.assume))
    if any(side.is_positive is False for side in assumed):
        raise ValueError(f"at={point}: the assumptions of {claim.name!r} do not hold there")
    left = tuple(side for side in assumed if side.free_symbols)
    return replace(plain, lhs=there(plain.lhs), rhs=there(plain.rhs), assume=left)
