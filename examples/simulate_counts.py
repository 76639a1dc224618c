"""Write counts.csv: samples of 48 simulated models on 64 problems, to try `isoflop fit` on.

Eight sizes with six token counts each. -log pass@1 follows a params+tokens law with 3 % scatter of
models about it; success rates of a model's problems are Beta-distributed; a problem is sampled in
batches of 100 until it is solved twice, or 5,000 times. On the command line, with other samples:
`isoflop simulate counts`.
"""

import sys
from pathlib import Path

from isoflop.numeric.simulate import simulate_counts


def main():
    """Draw the success rates and the samples, and write them; a file with other content is kept."""
    table = simulate_counts(seeds=(1, 4, 5))
    text, path = table.to_csv(index=False, lineterminator="\n"), Path("counts.csv")
    if path.exists() and path.read_text(encoding="utf-8") != text:
        sys.exit(f"{path}: exists with other content; move it away first")
    path.write_text(text, encoding="utf-8")
    print(f"{path}: {len(table)} rows, {table.model.nunique()} models")


if __name__ == "__main__":
    main()
