"""A law of three power terms under a monomial budget has a compute-optimal envelope in closed form."""

from __future__ import annotations

from isoflop.theory.factors import factor_law
from isoflop.theory.theorem import Derivation


def derivation() -> Derivation:
    """The m-factor law for m = 3: exponent, shares, allocation, R*(C) and the global minimum."""
    return factor_law(3, "three_factor_law")
