"""What public runs say of "Pretraining Scaling Laws for Generative Evaluations" (Schaeffer et al.
2025, arXiv 2509.24012).

Pythia checkpoints on GSM8K and MATH: the counts behind Schaeffer et al. 2025 (arXiv 2502.17578),
which are not part of this package. The three laws at every k, a backtest, and a page with tables
and figures.

Run: python examples/papers/schaeffer2025/reproduce.py FOLDER [OUTPUT]

FOLDER holds per_problem_counts.csv, mean_pass_at_k.csv and gold_reference_nll_gsm8k.csv; OUTPUT, by
default this folder, receives README.md and the figures. Takes a few minutes.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from isoflop.numeric.data.counts import Counts
from isoflop.numeric.hold_out import backtest
from isoflop.numeric.passk import curve, fit_passk
from isoflop.numeric.plot.panels import save
from isoflop.numeric.plot.passk_laws import plot_passk

BENCHMARKS = {"gsm8k": "GSM8K", "math": "MATH"}
KS, RESAMPLES = (1, 10, 100, 1000, 10_000), 100
#: Every problem has so many samples: up to here the stored means are estimates.
COMPLETE = 128
BUDGET, RATIOS = 1e22, (0.1, 10.0)
#: Decades of compute from the dearest model that is fitted to the one that is predicted.
DECADES = (0, 1, 2, 3, 4)
HEAD = """# Generative evaluations: what public runs say

Made by `examples/papers/schaeffer2025/reproduce.py` for "Pretraining Scaling Laws for Generative
Evaluations" (Schaeffer et al. 2025, arXiv 2509.24012), whose own coefficients are in no public file
known to us, on the counts of Schaeffer et al. 2025 (arXiv 2502.17578): Pythia checkpoints of 9
sizes, 2M to 300B tokens. It is another suite of models than the paper's.

Laws are fitted to the counts by their likelihood; intervals are 90 %, from resamples that draw all
checkpoints of one size together. No problem limits k, but beyond its samples pass@k is the tail of
the Beta distribution."""


def counts_of(folder: Path, name: str, stored: pd.DataFrame) -> Counts:
    """The counts of a benchmark with params, tokens and, where they are known, gold likelihoods."""
    models = stored.drop_duplicates("model")[["benchmark", "model", "N", "D"]]
    rows = pd.read_csv(folder / "per_problem_counts.csv").merge(models)
    if name == "gsm8k":
        gold = pd.read_csv(folder / "gold_reference_nll_gsm8k.csv")
        rows = rows.merge(gold.groupby("model", as_index=False)["gold_ref_nll_nats"].mean(), "left")
    return Counts.read(rows)


def the_trap(counts: Counts, stored: pd.DataFrame) -> str:
    """How the stored means differ from those of the counts."""
    ks = sorted(map(int, stored.k.unique()))
    both = curve(counts, ks).merge(stored[["model", "k", "mean_pass_at_k"]])
    solved = both.pass_at_k.fillna(0) * both.n_problems + both.n_refused
    solved /= both.n_problems + both.n_refused
    apart = (both.mean_pass_at_k - both.pass_at_k).abs()
    return (
        f"The stored means equal those of the counts to {apart[both.k <= COMPLETE].max():.0e} up "
        f"to k = {COMPLETE}. Beyond, they count a problem with fewer than k samples as solved (to "
        f"{(both.mean_pass_at_k - solved).abs().max():.0e} for all k), and are up to "
        f"{apart.max():.2f} away: no trend in k can rest on them."
    )


def errors(counts: Counts) -> str:
    """Median relative errors of predictions of dearer models, by decades ahead."""
    laws = ["compute", "params-tokens"]
    found = backtest(counts, laws=laws, k=[1, 100, 10_000], sweep=True, resamples=0)
    usable = found.table[found.table.usable]
    error = usable.assign(
        error=100.0 * usable.relative_error.abs(),
        decades=pd.cut(usable.decades_held_out, DECADES, labels=["0-1", "1-2", "2-3", "3-4"]),
    )
    table = error.pivot_table("error", ["law", "subject"], "decades", "median", observed=True)
    rows = []
    for (law, k), row in zip(table.index, table.to_numpy(), strict=True):
        cells = ["-" if np.isnan(value) else f"{value:.0f}" for value in row]
        rows.append(f"| {law} | {k:,} | {' | '.join(cells)} |")
    inside = usable.inside.dropna().astype(bool).mean()
    head = f"| law | k | {' | '.join(table.columns)} |"
    title = "Median error of -log pass@k in %, of models so many decades beyond the fitted ones:"
    cover = f"Of the 90 % prediction intervals {100 * inside:.0f} % hold the model."
    return "\n".join(
        [title, "", head, "|---|---" + "|---" * table.shape[1] + "|", *rows, "", cover]
    )


def section(folder: Path, name: str, target: Path) -> str:
    """All that is said of one benchmark."""
    stored = pd.read_csv(folder / "mean_pass_at_k.csv").query(f"benchmark == '{name}'")
    counts = counts_of(folder, name, stored)
    laws = fit_passk(counts, k=KS, resamples=RESAMPLES, ratios=RATIOS, compute=[BUDGET])
    save(plot_passk(laws), target / f"{name}_laws.png")
    parts = (
        f"## {BENCHMARKS[name]}: {len(counts)} models",
        the_trap(counts, stored),
        f"```text\n{laws}\n```",
        f"![{BENCHMARKS[name]}: laws]({name}_laws.png)",
        errors(counts),
    )
    return "\n\n".join(parts)


def main(folder: str, output: str | None = None) -> None:
    """Fit, backtest, and write the page with its figures."""
    target = Path(output) if output else Path(__file__).parent
    target.mkdir(parents=True, exist_ok=True)
    sections = [section(Path(folder), name, target) for name in BENCHMARKS]
    (target / "README.md").write_text("\n\n".join([HEAD, *sections]) + "\n", encoding="utf-8")
    print(f"wrote {target / 'README.md'}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit("usage: python examples/papers/schaeffer2025/reproduce.py FOLDER [OUTPUT]")
    main(*sys.argv[1:])
