"""Runs at a fixed number of tokens per parameter follow a sum of two powers that touches the envelope once."""

from __future__ import annotations

from isoflop.theory.ray import ray
from isoflop.theory.theorem import Derivation


def derivation() -> Derivation:
    """The ray D = t N: its loss as a function of compute, its local exponent, and its tangency with the envelope."""
    return ray().derivation
