"""What public runs say of "Pretraining Scaling Laws for Generative Evaluations" (Schaeffer et al.
2025, arXiv 2509.24012).

Pythia checkpoints on GSM8K and MATH: the counts behind Schaeffer et al. 2025 (arXiv 2502.17578),
which are not part of this package. The three laws at every k, a backtest, and a page with a verdict
on every claim of the paper, figures and numbers.

Run: python examples/papers/schaeffer2025/reproduce.py FOLDER [OUTPUT]

FOLDER holds per_problem_counts.csv, mean_pass_at_k.csv and gold_reference_nll_gsm8k.csv; OUTPUT, by
default this folder, receives README.md and the figures. Takes some ten minutes. The table of
simulated truths comes from coverage.json beside the page, which
`python tests/studies/passk_coverage.py --json FILE` writes in about an hour.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from schaeffer2025.benchmark import Benchmark
from schaeffer2025.figures import draw
from schaeffer2025.page import page
from schaeffer2025.rules import BENCHMARKS

OUTPUT = Path(__file__).parent


def main(folder: str, output: str | None = None) -> None:
    """Fit, backtest, and write the page with its figures."""
    target = Path(output) if output else OUTPUT
    target.mkdir(parents=True, exist_ok=True)
    found = [Benchmark(Path(folder), name) for name in BENCHMARKS]
    figures = {b.title: draw(b, target) for b in found}
    (target / "README.md").write_text(page(found, figures) + "\n", encoding="utf-8")
    print(f"wrote {target / 'README.md'}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit("usage: python examples/papers/schaeffer2025/reproduce.py FOLDER [OUTPUT]")
    main(*sys.argv[1:])
