"""How fast the exponent in compute grows with log k is how fast the exponent in k grows with log C."""

from __future__ import annotations

from sympy import Expr, Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.claim import ByNormalForm, Claim, Derivation, UnderLemma
from isoflop.theory.passk import DRAWS, BilinearLaw, CrossTermLaw

LEMMA = "Mixed second derivatives of a twice continuously differentiable function do not depend on the order (Schwarz)"
SOURCE = "Rudin 1976, Principles of Mathematical Analysis, theorem 9.41"


def derivation() -> Derivation:
    """Both are minus the mixed second derivative of log(-log pass@k) in log C and log k."""
