"""Simulated tables of known laws, each a pandas frame: training runs, counts of samples, and
evaluations (`isoflop.numeric.simulate.evaluations`).
"""

from .counts import simulate_counts
from .losses import LOSS_NOISE, simulate_losses

__all__ = ["LOSS_NOISE", "simulate_counts", "simulate_losses"]
