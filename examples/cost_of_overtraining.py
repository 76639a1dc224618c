"""What over- and undertraining cost: a table of known runs under one law, and a picture of the
penalty of several laws.

Run: python examples/cost_of_overtraining.py [penalty.png]

Params and tokens of the runs are as their papers give them: Gopher 280B on 300B tokens (Rae et al.
2021, arXiv 2112.11446), Chinchilla 70B on 1.4T (Hoffmann et al. 2022, arXiv 2203.15556), Llama 2 7B
on 2T (Touvron et al. 2023, arXiv 2307.09288). The law was fitted to Chinchilla's family of models;
for the others it is an extrapolation.
"""

import sys

import isoflop
from isoflop.numeric.plot.panels import plot_penalty, save

RUNS = {"Gopher": (280e9, 300e9), "Chinchilla": (70e9, 1.4e12), "Llama 2 7B": (7e9, 2e12)}
LAWS = ("besiroglu2024", "hoffmann2022")


def main(path: str = "penalty.png") -> None:
    """Print the table and save the picture."""
    law = isoflop.law("besiroglu2024")
    print(law)
    print(f"{'run':12} {'ratio':>8} {'P':>8} {'loss':>8} {'L - L*':>8} {'wasted compute':>15}")
    costs = {
        name: law.penalty(params=params, tokens=tokens) for name, (params, tokens) in RUNS.items()
    }
    for name, cost in costs.items():
        figures = (
            f"{cost.ratio:8.3g} {cost.loss_penalty:8.4f} {cost.loss:8.4f} {cost.loss_excess:8.4f}"
        )
        print(f"{name:12} {figures} {cost.lost_compute:15.1%}")
    ax = plot_penalty([isoflop.law(name) for name in LAWS], within=0.01)
    for name, cost in costs.items():
        ax.plot(cost.ratio, cost.loss_penalty, "ok", markersize=4)
        ax.annotate(
            name,
            (cost.ratio, cost.loss_penalty),
            xytext=(5, 4),
            textcoords="offset points",
            fontsize=8,
        )
    save(ax, path)
    print(f"wrote {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
