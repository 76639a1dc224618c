"""The compute law is the compute-optimal envelope of the params+tokens law."""

from __future__ import annotations

from isoflop.theory.envelope import derive
from isoflop.theory.theorem.derivation import Derivation


def derivation() -> Derivation:
    """For L = E + A N^-beta + B D^-gamma under C = 6 N D: N*, D*, alpha, C0, and the global minimum by weighted AM-GM."""
    return derive().derivation
