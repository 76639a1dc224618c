"""LaTeX for a write-up: the envelope theorem and the penalty with their proofs, as a document that
compiles.

Run: python examples/write_the_theorem.py [theorem.tex]
"""

import sys
from pathlib import Path

from isoflop.derivations import derivation
from isoflop.theory.typeset.theorem import theorem_latex

DOCUMENT = r"""\documentclass{article}
\usepackage{amsmath, amssymb, amsthm}
\newtheorem{theorem}{Theorem}
\begin{document}
%s
\end{document}
"""


def main(path: str = "theorem.tex") -> None:
    """Write the two theorems in the notation of Hoffmann et al."""
    names = ("compute_optimal_envelope", "misallocation_penalty")
    theorems = [theorem_latex(derivation(name), notation="hoffmann") for name in names]
    Path(path).write_text(DOCUMENT % "\n\n".join(theorems), encoding="utf-8")
    print(f"wrote {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
