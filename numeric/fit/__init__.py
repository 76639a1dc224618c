"""Fits of scaling laws: the global optimum, and how sure it is."""

from isoflop.numeric.fit.fitting import fit
from isoflop.numeric.fit.objective import OBJECTIVES, Objective
from isoflop.numeric.fit.result import Fit

__all__ = ["OBJECTIVES", "Fit", "Objective", "fit"]
