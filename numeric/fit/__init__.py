"""Fits of scaling laws: the global optimum, and how sure it is."""

from .fitting import fit
from .objective import OBJECTIVES, Objective
from .result import Fit

__all__ = ["OBJECTIVES", "Fit", "Objective", "fit"]
