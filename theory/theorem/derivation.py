"""What a theorem is written with: its steps and its sentences; `kernel.rules` has what proves them.

A formula is written the same way in a step and in a sentence: `(x, "=", y)`, `(x, ">=", y, "=", z)`.
"""

from __future__ import annotations

from typing import Any

from ..kernel.functions import Partial, partial
from ..kernel.rules import Argument, ByNormalForm
from .claim import Claim
from .claim import Derivation as Proved
from .errata import Erratum, Remark
from .words import (
    Definition,
    Formula,
    Sentence,
    all_positive,
    function,
    in_paper_order,
    listed,
    listed_steps,
    say,
    unfolded,
)

__all__ = [
    "Claim",
    "Definition",
    "Derivation",
    "Erratum",
    "Partial",
    "Remark",
    "Sentence",
    "all_positive",
    "function",
    "in_paper_order",
    "listed",
    "listed_steps",
    "partial",
    "say",
    "step",
    "unfolded",
]


class Derivation(Proved):
    """A theorem as data, which shows its statement; see `isoflop.theory.theorem.claim.Derivation`."""

    def __str__(self) -> str:
        from ..typeset.words import plain_statement

        return f"{self.title}: {plain_statement(self)}"

    def _repr_latex_(self) -> str:
        from ..typeset.words import latex_statement

        return latex_statement(self)


def step(
    name: str,
    formula: tuple[Any, ...],
    reason: str | Sentence,
    argument: Argument | None = None,
    *,
    assume: tuple[Any, ...] = (),
) -> Claim:
    """A step of a theorem: a claim with its formula as it is read.

    Parameters
    ----------
    name : str
        Short name, unique within the theorem.
    formula : tuple
        The left side, the relation, and the right side; between them there may be forms of the
        right side on the way to it, each equal to the next: `(x, ">=", z, "=", y)`.
    reason : str or Sentence
        Why it holds, one sentence.
    argument : Argument, optional
        The exact argument; the normal form by default.
    assume : tuple of sympy.Expr
        Expressions assumed positive.

    Raises
    ------
    ValueError
        Where the relation is none of a claim's, or what follows the first is no equality.

    Examples
    --------
    >>> from sympy import symbols
    >>> from isoflop.theory.kernel.bounds import ByBound
    >>> x, y = symbols("x y", positive=True)
    >>> step("more", (x + y, ">", x), "A positive number is added.", ByBound()).prove().proved
    True
    """
    read = Formula.of(*formula)
    relation, *ways = read.signs
    if any(sign != "=" for sign in ways):
        raise ValueError(f"formula={formula!r}: must go on by '=' after its first relation")
    lhs, *through, rhs = read.sides
    return Claim(
        name,
        lhs,
        "==" if relation == "=" else relation,
        rhs,
        reason,
        ByNormalForm() if argument is None else argument,
        tuple(assume),
        tuple(through),
    )
