"""One model for every k: success rates are Beta(a, b) in each model, and a and b follow compute, or
params and tokens.
"""

from .model import Coupled, fit_coupled

__all__ = ["Coupled", "fit_coupled"]
