"""Runs at a fixed number of tokens per parameter follow a sum of two powers that touches the envelope once."""

from __future__ import annotations

from isoflop.theory.proof.theorem import Derivation
from isoflop.theory.ray import ray


def derivation() -> Derivation:
    """The ray D = t N: its loss as a function of compute, its local exponent, and its tangency with the envelope."""
    return ray().derivation
