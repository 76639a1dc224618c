"""Write runs.csv: 96 training runs drawn from a known law, to try `isoflop fit` and `isoflop check`
on.

Eight isoFLOP budgets with eleven sizes each, and eight more runs at 20 tokens per parameter; the
loss is that of the law of Besiroglu et al. 2024 (arXiv 2404.10102) times exp(0.004 z) with normal
z. `isoflop simulate runs --seed 2024` gives the same.
"""

import csv
import sys
from io import StringIO
from pathlib import Path

from isoflop.numeric.simulate import simulate_losses


def main():
    """Draw the runs and write them."""
    columns = simulate_losses(seed=2024, law="besiroglu2024", noise=0.004)
    text = StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(columns)
    for params, tokens, loss in zip(*columns.values(), strict=True):
        table.writerow([params, tokens, f"{loss:.4f}"])
    path = Path("runs.csv")
    if path.exists() and path.read_text(encoding="utf-8") != text.getvalue():
        sys.exit("runs.csv: exists with other content; move it away first")
    path.write_text(text.getvalue(), encoding="utf-8")
    print(f"runs.csv: {len(columns['loss'])} runs")


if __name__ == "__main__":
    main()
