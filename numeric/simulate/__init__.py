"""Tables of a known truth: training runs, counts of samples, and evaluations
(`isoflop.numeric.simulate.evaluations`).
"""

from .tables import LOSS_NOISE, simulate_counts, simulate_losses

__all__ = ["LOSS_NOISE", "simulate_counts", "simulate_losses"]
