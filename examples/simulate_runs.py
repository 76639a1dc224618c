"""Write runs.csv: 96 training runs drawn from a known law, to try `isoflop fit` and `isoflop check` on.

Eight isoFLOP budgets with eleven sizes each, and eight more runs at 20 tokens per parameter; the loss is that of the law of
Besiroglu et al. 2024 (arXiv 2404.10102) times exp(0.004 z) with normal z.
"""

import csv
import math
import random

from isoflop import law

TRUTH = law("besiroglu2024")
NOISE = 0.004
BUDGETS = [10 ** (18 + 0.5 * step) for step in range(8)]
SIZES = [10 ** (0.15 * step) for step in range(-5, 6)]
TOKENS_PER_PARAM = 20.0


def designs():
    """(params, tokens) of every run."""
    for budget in BUDGETS:
        optimum = TRUTH.allocate(compute=budget).params
        yield from ((optimum * size, budget / (6.0 * optimum * size)) for size in SIZES)
        ray = math.sqrt(budget / (6.0 * TOKENS_PER_PARAM))
        yield ray, TOKENS_PER_PARAM * ray


def main():
    """Draw the runs and write them."""
    generator = random.Random(2024)
    with open("runs.csv", "w", newline="", encoding="utf-8") as file:  # noqa: PTH123 - a name, no path
        table = csv.writer(file)
        table.writerow(["params", "tokens", "loss"])
        for params, tokens in designs():
            loss = TRUTH.loss(params, tokens) * math.exp(NOISE * generator.gauss(0.0, 1.0))
            table.writerow([round(params), round(tokens), f"{loss:.4f}"])
    print("runs.csv: 96 runs")


if __name__ == "__main__":
    main()
