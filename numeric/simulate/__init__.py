"""Simulated tables of known laws, each a pandas frame: training runs, counts of samples, and
evaluations (`isoflop.numeric.simulate.evaluations`).
"""

from .counts import simulate_counts
from .losses import simulate_losses

__all__ = ["simulate_counts", "simulate_losses"]
