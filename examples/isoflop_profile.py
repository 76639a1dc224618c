"""Draw isoflop_profile.png: one isoFLOP profile, with the cost of overtraining read off it."""

import matplotlib.pyplot as plt

import isoflop
from isoflop.numeric.plot.panels import plot_isoflop, save

COMPUTE = 5.76e23
RATIO = 10


def main():
    """Draw the loss against params at one compute, and mark the optimum and a run at ten times
    D*/N*.
    """
    law = isoflop.law("besiroglu2024")
    best = law.allocate(compute=COMPUTE)
    cost = law.penalty(ratio=RATIO)
    params = best.params * cost.size_ratio
    loss = law.loss(params, COMPUTE / (6 * params))

    _, axes = plt.subplots(figsize=(5.6, 2.9), layout="constrained")
    plot_isoflop(law, [COMPUTE], axes, size_ratios=(0.12, 8.0))
    axes.get_legend().remove()
    mantissa, power = f"{COMPUTE:.2e}".split("e+")
    axes.set_title(rf"all runs of ${mantissa}\times 10^{{{power}}}$ FLOP, {law.name}", fontsize=8)
    axes.axhline(best.loss, color="0.6", linewidth=0.8, zorder=0)
    axes.plot(params, loss, "s", color="tab:red", markersize=5)
    axes.annotate(
        "",
        (params, best.loss),
        (params, loss),
        arrowprops={"arrowstyle": "<->", "color": "tab:red"},
    )
    axes.annotate(
        f"{RATIO} times the optimal tokens per param:\n"
        f"loss excess $L-L^*$ = {loss - best.loss:.4f}\n"
        f"penalty $(L-E)/(L^*-E)$ = {cost.loss_penalty:.3f}\n"
        f"worth {cost.effective_compute:.0%} of its compute at the optimum",
        (params, loss),
        xytext=(10, 4),
        textcoords="offset points",
        fontsize=8,
        va="bottom",
    )
    axes.annotate(
        f"optimum: {best.params / 1e9:.0f}B params, {best.tokens / 1e12:.2f}T tokens",
        (best.params, best.loss),
        xytext=(0, -6),
        textcoords="offset points",
        fontsize=8,
        ha="center",
        va="top",
    )
    axes.set_ylim(bottom=best.loss - 0.006)
    save(axes, "isoflop_profile.png")


if __name__ == "__main__":
    main()
