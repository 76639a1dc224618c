"""Fits of scaling laws: the global optimum, and how sure it is."""

from .fit import Fit, fit
from .objective import OBJECTIVES, Objective

__all__ = ["OBJECTIVES", "Fit", "Objective", "fit"]
