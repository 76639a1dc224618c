"""LaTeX as a paper sets it: expressions, align blocks, theorems with their proofs, tables.

The fragments need the packages amsmath, amsthm (with an environment ``theorem``) and booktabs.
"""

from .align import envelope_latex, misallocation_latex
from .printer import render
from .theorem import theorem_latex
from .width import width

__all__ = [
    "envelope_latex",
    "misallocation_latex",
    "render",
    "theorem_latex",
    "width",
]
