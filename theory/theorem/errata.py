"""Errata of papers as data: the printed claim, which is refuted, and the proved corrections."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Rational, Symbol

from ..kernel.answer import Witness
from .step import Step

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

    def witness(self) -> Witness | None:
        """A point where the printed claim certainly fails: by an enclosure, and again in ordinary
        multiprecision arithmetic. None where it is not refuted, or nothing is printed.
        """
        if self.printed is None:
            return None
        plain, values = self.printed.unfolded, dict(self.at)
        assumed = tuple(side.xreplace(values) for side in plain.assume)
        lhs, rhs = plain.lhs.xreplace(values), plain.rhs.xreplace(values)
        verdict = replace(plain, lhs=lhs, rhs=rhs, assume=assumed).verify()
        found = None if verdict.pointwise.passed else verdict.exact.witness
        return found and replace(found, point=(*self.at, *found.point))
