"""LaTeX for a write-up: the envelope theorem and the penalty with their proofs, as a document that
compiles.

Run: python examples/write_the_theorem.py [theorem.tex]
"""

import sys
from pathlib import Path

from isoflop import derive, misallocation
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
    envelope = derive()
    theorems = [
        theorem_latex(subject, notation="hoffmann")
        for subject in (envelope, misallocation(envelope))
    ]
    Path(path).write_text(DOCUMENT % "\n\n".join(theorems), encoding="utf-8")
    print(f"wrote {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
