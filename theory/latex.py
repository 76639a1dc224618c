"""LaTeX as a paper sets it: expressions, align blocks, theorems with their proofs, tables.

The fragments need the packages amsmath, amsthm (with an environment ``theorem``) and booktabs.
"""

from isoflop.theory.latex_align import envelope_latex, misallocation_latex
from isoflop.theory.latex_printer import render
from isoflop.theory.latex_sentence import escaped, sentence_latex
from isoflop.theory.latex_table import number_latex, penalty_table_latex
from isoflop.theory.latex_theorem import theorem_latex
from isoflop.theory.latex_width import width

__all__ = [
    "envelope_latex",
    "escaped",
    "misallocation_latex",
    "number_latex",
    "penalty_table_latex",
    "render",
    "sentence_latex",
    "theorem_latex",
    "width",
]
