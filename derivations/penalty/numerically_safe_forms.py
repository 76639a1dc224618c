"""The forms in which the penalty is computed near r = 1 and near the critical sizes equal the penalty."""

from __future__ import annotations

from isoflop.theory.penalty import misallocation
from isoflop.theory.theorem import Derivation


def derivation() -> Derivation:
    """Lost compute, overhead and iso-loss contour written with expm1 and log1p."""
    return misallocation().numerical_forms
