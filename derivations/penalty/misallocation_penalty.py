"""The penalty for training off the optimum depends on the two exponents and the size ratio alone."""

from __future__ import annotations

from isoflop.theory.penalty import misallocation
from isoflop.theory.theorem.derivation import Derivation


def derivation() -> Derivation:
    """Penalty, excess, tails, effective compute, overhead, critical sizes, iso-loss contour and corners under C = 6 N D."""
    return misallocation().derivation
