"""LaTeX as a paper sets it: expressions, and theorems with their proofs.

The fragments need the packages amsmath, amsthm (with an environment ``theorem``) and booktabs.
"""

from .printer import render
from .theorem import theorem_latex
from .width import width

__all__ = [
    "render",
    "theorem_latex",
    "width",
]
