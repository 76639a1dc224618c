"""What public runs say of "Pretraining Scaling Laws for Generative Evaluations" (Schaeffer et al. 2025, arXiv 2509.24012).

Pythia checkpoints on GSM8K and MATH: the counts behind Schaeffer et al. 2025 (arXiv 2502.17578), which are not part of this
package. The three laws at every k, a backtest, and a page with figures and numbers.

Run: python examples/reproduce_generative_evaluations.py FOLDER [OUTPUT]

FOLDER holds per_problem_counts.csv, mean_pass_at_k.csv and gold_reference_nll_gsm8k.csv; OUTPUT, by default
examples/generative_evaluations, receives README.md and the figures. Takes a few minutes.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

import isoflop
from isoflop.numeric.passk.backtest import backtest
from isoflop.numeric.passk.counts import Counts
from isoflop.numeric.passk.coupled import fit_coupled
from isoflop.numeric.passk.curve import curve
from isoflop.numeric.passk.laws import Data
from isoflop.numeric.passk.lever import trend
from isoflop.numeric.passk.plot_backtest import plot_errors
from isoflop.numeric.passk.plot_laws import plot_study
from isoflop.numeric.passk.study import study_passk
from isoflop.numeric.plot import save

BENCHMARKS = {"gsm8k": "GSM8K", "math": "MATH"}
OUTPUT = Path(__file__).parent / "generative_evaluations"
BACKTESTED = (1, 10, 100, 1000, 10_000)
RESAMPLES, SEED, LEVEL = 200, 0, 0.9
#: Up to this k every model but one has a mean over all problems.
COMPLETE = 128


class Benchmark:
    """Everything that the page says of one benchmark."""

    def __init__(self, folder: Path, name: str) -> None:
        stored = pd.read_csv(folder / "mean_pass_at_k.csv")
        self.title = BENCHMARKS[name]
        self.stored = stored[stored.benchmark == name]
        self.ks = sorted(map(int, self.stored.k.unique()))
        models = self.stored.drop_duplicates("model")[["benchmark", "model", "N", "D"]]
        gold = folder / "gold_reference_nll_gsm8k.csv" if name == "gsm8k" else None
        self.counts = Counts.read(
            folder / "per_problem_counts.csv",
            where=f"benchmark == '{name}'",
            models=models,
            gold=gold,
        )
        self.data = Data(self.counts, tuple(self.ks))
        self.study = study_passk(self.data, resamples=RESAMPLES, seed=SEED, level=LEVEL, ratios=(0.1, 10.0), progress=True)
        self.squares = study_passk(
            self.counts,
            laws=["compute"],
            k=[k for k in self.ks if k <= COMPLETE],
            method="least-squares-log",
            resamples=RESAMPLES,
            level=LEVEL,
        )
        self.backtest = backtest(self.counts, k=BACKTESTED, targets="all", resamples=RESAMPLES, progress=True)
        self.clustered = study_passk(self.data, laws=["compute"], resamples=RESAMPLES, seed=SEED, level=LEVEL, cluster="params")
        self.coupled = fit_coupled(self.counts)
        self.same = None
        if "gold" in self.counts.covariates:
            known = np.isfinite(self.counts.covariates["gold"])
            self.same = backtest(self.counts.subset(np.flatnonzero(known)), k=BACKTESTED, targets="all", resamples=0)

    # -- the data --------------------------------------------------------------------------------------------------

    def stored_table(self) -> np.ndarray:
        """The stored means, (G, K), in the order of the counts."""
        wide = self.stored.pivot(index="model", columns="k", values="mean_pass_at_k")
        return wide.loc[[label[-1] for label in self.counts.labels], self.ks].to_numpy()

    def conventions(self) -> list[str]:
        honest, solved = curve(self.counts, self.ks), curve(self.counts, self.ks, refused="solved")
        stored, complete = self.stored_table(), np.array(self.ks) <= COMPLETE
        touched = honest.n_refused[:, -1] > 0
        apart = np.abs(stored - honest.pass_at_k)
        far = np.unravel_index(np.nanargmax(apart), apart.shape)
        return [
            f"* {self.title}: pass@k from the counts equals the stored means to "
            f"{np.abs(stored - honest.pass_at_k)[:, complete].max():.1e} for k <= "
            f"{COMPLETE} ({complete.sum()} values of k, {len(self.counts)} models). Above, the stored means are those that "
            f"count a problem with fewer "
            f"than k samples as solved: to {np.abs(stored - solved.pass_at_k).max():.1e} for all k. At k = 10,000 "
            f"{touched.sum()} models have such problems; "
            f"the mean over the other problems is up to {np.nanmax(apart):.2f} away (k = {self.ks[far[1]]:,}, "
            f"{self.counts.names[far[0]]})."
        ]

    def trend_by_convention(self) -> list[str]:
        """The exponent of compute by three ways to treat n < k."""
        stored, compute = self.stored_table(), self.counts.covariates["compute"]
        laws, squares = self.study.laws["compute"], self.squares.laws["compute"]
        rows = []
        for k in (1, 16, 128, 256, 1000, 4096, 10_000):
            q = stored[:, self.ks.index(k)]
            usable = (q > 0.0) & (q < 1.0)
            by_convention = isoflop.fit(
                {"compute": compute[usable], "loss": -np.log(q[usable])}, model="compute", objective="least-squares-log"
            ).coefficients["alpha"]
            fit = laws.at(k)
            low, high = fit.interval("alpha", LEVEL)
            own = "-"
            if k in squares.ks:
                own = f"{squares.at(k).coefficients['alpha']:.3f} ({squares.at(k).n_models})"
            rows.append(
                [
                    f"{k:,}",
                    f"{by_convention:.3f} ({usable.sum()})",
                    own,
                    f"{fit.coefficients['alpha']:.3f} [{low:.3f}, {high:.3f}]",
                ]
            )
        head = ["k", "n < k counted as solved", "least squares, complete models", "likelihood of the counts, all models"]
        return [f"**{self.title}**", "", *markdown(head, rows)]

    # -- the claims ------------------------------------------------------------------------------------------------

    def coefficient_rows(self) -> list[list[str]]:
        rows = []
        for name, laws in self.study.laws.items():
            for coefficient in (laws.kind.floor, *laws.kind.exponents):
                first, last = laws.fits[0], laws.fits[-1]
                found = trend(laws, coefficient, LEVEL)
                rows.append([self.title, name, coefficient, *(cell(fit, coefficient) for fit in (first, last)), found.verdict])
        return rows

    def envelope_rows(self) -> list[list[str]]:
        rows = []
        for item in self.study.envelopes:
            if item.k in BACKTESTED:
                low, high = item.difference_interval
                rows.append(
                    [
                        self.title,
                        f"{item.k:,}",
                        f"{item.derived['alpha']:.4f} {between(*item.derived_intervals['alpha'])}",
                        f"{item.fitted['alpha']:.4f} {between(*item.fitted_intervals['alpha'])}",
                        f"{item.difference_in_alpha:+.4f} {between(low, high)}",
                        f"{item.penalty:.3f}",
                        item.verdict,
                    ]
                )
        return rows

    def error_rows(self) -> list[list[str]]:
        found = {(row["law"], row["k"], row["decades_lo"]): row for row in self.backtest.errors([0, 1, 2, 3, 4, 5])}
        rows = []
        for k in BACKTESTED:
            for law in self.backtest.laws:
                cells = []
                for low in range(5):
                    row = found.get((law, k, float(low)))
                    cells.append("-" if row is None else f"{100 * row['median_error']:.0f} % ({row['n']})")
                rows.append([self.title, f"{k:,}", law, *cells])
        return rows

    def coverage_rows(self) -> list[list[str]]:
        rows = []
        for row in self.backtest.coverage():
            error = "" if row["se_by_target"] is None else f" +- {100 * row['se_by_target']:.1f}"
            k = "all" if row["k"] is None else f"{row['k']:,}"
            rows.append([self.title, k, row["law"], f"{row['n']}", f"{100 * row['coverage']:.1f} %{error}"])
        return [row for row in rows if row[1] == "all"]

    def stability_rows(self) -> list[list[str]]:
        found = self.backtest.stability()
        rows = []
        for law, laws in self.study.laws.items():
            for coefficient in laws.kind.exponents:
                of = [
                    row
                    for row in found
                    if row["law"] == law and row["coefficient"] == coefficient and row["stable_decades"] is not None
                ]
                if not of:
                    continue
                cells = [f"{row['stable_decades']:.1f}" for row in of]
                rows.append([self.title, law, coefficient, ", ".join(cells), f"{of[0]['of_decades']:.1f}"])
        return rows

    def together_row(self) -> list[str]:
        found = self.study.validity["compute"]
        low, high = self.study.validity_intervals["compute"]
        pair = " and ".join(f"{k:,.0f}" for k in found.binding or ())
        least = self.counts.covariates["compute"].min()
        return [self.title, f"{found.floor:.2g} {between(low, high)}", pair, f"{least:.2g}"]

    def mixed_row(self) -> list[str]:
        low, high = (self.study.mixed[part::2] for part in (0, 1))
        cells = []
        for part in (low, high):
            differ = sum(item.verdict == "differ" for item in part)
            cells.append(
                f"{np.mean([item.measured - item.predicted for item in part]):+.4f} ({differ} of {len(part)} beyond chance)"
            )
        return [self.title, *cells]

    def composition_rows(self) -> list[list[str]]:
        rows = []
        for item in self.study.compositions:
            if item.k in BACKTESTED:
                rows.append(
                    [
                        f"{item.k:,}",
                        f"{item.composition.implied.alpha:.3f}",
                        f"{item.composed_reducible_exponent[0]:.3f} to {item.composed_reducible_exponent[-1]:.3f}",
                        f"{item.direct.alpha:.3f}",
                        f"{item.largest[1]:+.3f}",
                    ]
                )
        return rows

    def same_rows(self) -> list[list[str]]:
        if self.same is None:
            return []
        found = {(row["law"], row["k"], row["decades_lo"]): row for row in self.same.errors([0, 1, 2, 3])}
        rows = []
        for k in BACKTESTED:
            for law in self.same.laws:
                of = [found.get((law, k, float(low))) for low in range(3)]
                rows.append([f"{k:,}", law, *("-" if r is None else f"{100 * r['median_error']:.0f} % ({r['n']})" for r in of)])
        return rows

    def draw(self, output: Path) -> list[str]:
        laws, errors = f"{self.title.lower()}_laws.png", f"{self.title.lower()}_backtest.png"
        save(plot_study(self.study)[0], output / laws)
        save(plot_errors(self.backtest), output / errors)
        return [laws, errors]


def cell(fit, coefficient: str) -> str:
    """A coefficient with its interval, or that it is open."""
    if coefficient in fit.undetermined:
        return "open"
    low, high = fit.interval(coefficient, LEVEL)
    return f"{fit.coefficients[coefficient]:.3g} {between(low, high)}"


def between(low: float, high: float) -> str:
    return f"[{low:.3g}, {high:.3g}]"


def markdown(head: list[str], rows: list[list[str]]) -> list[str]:
    """A table."""
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]


def summary(found: list[Benchmark]) -> list[list[str]]:
    """The paper's claims, and what these data say, in numbers."""
    rows = []
    falls, steepens, stable, envelope, errors = [], [], [], [], []
    for b in found:
        for name, laws in b.study.laws.items():
            floor = trend(laws, laws.kind.floor, LEVEL)
            at = b.study.vanishing[name]
            falls.append(
                f"{b.title} {name}: {floor.first:.2f} at k = 1, {floor.last:.3f} at k = {laws.ks[-1]:,}; not told from 0 "
                f"from k = {at} on"
            )
        alpha, own = b.study.laws["compute"], b.clustered.laws["compute"]
        low, high = trend(own, "alpha", LEVEL).slope_interval
        steepens.append(
            f"{b.title}: alpha {alpha.values('alpha')[0]:.3f} to {alpha.values('alpha')[-1]:.3f}; "
            f"{trend(alpha, 'alpha', LEVEL).slope:+.4f} a unit of log k [{low:.4f}, {high:.4f}], models of one size drawn "
            f"together"
        )
        held = {row["law"]: [] for row in b.backtest.stability()}
        for row in b.backtest.stability():
            if row["coefficient"] in b.study.laws[row["law"]].kind.exponents and row["stable_decades"] is not None:
                held[row["law"]].append(row["stable_decades"])
        stable.append(
            f"{b.title}: " + ", ".join(f"{law} {min(of):.1f} to {max(of):.1f} decades" for law, of in held.items() if of)
        )
        agree = sum(item.verdict == "agree" for item in b.study.envelopes)
        widest = max(abs(item.difference_in_alpha) for item in b.study.envelopes)
        envelope.append(f"{b.title}: exponents agree at {agree} of {len(b.study.envelopes)} k; largest difference {widest:.3f}")
        of = {(row["law"], row["k"]): row["median_error"] for row in b.backtest.errors([0, 1]) if row["k"] in BACKTESTED}
        errors.append(
            f"{b.title}: within a decade at k = 1 and k = {BACKTESTED[-1]:,}: "
            + ", ".join(f"{law} {100 * of[law, 1]:.0f} % and {100 * of[law, BACKTESTED[-1]]:.0f} %" for law in b.backtest.laws)
        )
    rows.append(["the irreducible part falls to 0 with k", "<br>".join(falls)])
    rows.append(["the exponent steepens with k, about 0.12 to 0.38", "<br>".join(steepens)])
    rows.append(
        ["compute and params+tokens laws settle over the last 1.5 to 2.5 decades, the gold law over about 5", "<br>".join(stable)]
    )
    rows.append(["the laws predict comparably; errors depend on k", "<br>".join(errors)])
    rows.append(["the compute law is the envelope of the params+tokens law", "<br>".join(envelope)])
    return rows


def page(found: list[Benchmark], figures: dict[str, list[str]]) -> str:
    """The page in Markdown."""
    gsm8k = found[0]
    counts = "; ".join(
        f"{b.title}: {len(b.counts)} models, {int((~b.data.solved).sum())} of them without a success" for b in found
    )
    undetermined = sum(bool(fit.undetermined) for b in found for laws in b.study.laws.values() for fit in laws.fits)
    lost = {
        b.title: sum(len(f.draws) - len(f.certified_draws) for laws in b.study.laws.values() for f in laws.fits) for b in found
    }
    parts = [
        "# Generative evaluations: what public runs say",
        'Made by `examples/reproduce_generative_evaluations.py` for the claims of "Pretraining Scaling Laws for Generative '
        'Evaluations" '
        "(Schaeffer et al. 2025, arXiv 2509.24012; abstract and summary, for its coefficients are in no public file known to "
        "us), on the counts of "
        "Schaeffer et al. 2025 (arXiv 2502.17578): Pythia checkpoints, 9 sizes from 14M to 12B, 2M to 300B tokens. "
        f"{counts}. Another suite of models than the paper's: agreement below is agreement in kind.",
        f"Fits: `study_passk`, likelihood of the counts; intervals {100 * LEVEL:.0f} %, {RESAMPLES} resamples of models, "
        f"seed {SEED}: for other models on these "
        f"problems. Of the refits {', '.join(f'{n} ({name})' for name, n in lost.items())} were not certified and are left "
        f"out; {undetermined} fits leave a "
        "coefficient open.",
        "## In short",
        markdown(["claim of the paper", "these data"], summary(found)),
        "What these data cannot say: gold likelihoods exist for nine final models on GSM8K alone, over four decades of "
        "compute, so that nothing can be said of "
        "five; 34 of the 72 models on MATH have no success, so that its laws rest on the expensive half; all models are one "
        "family, and checkpoints of one "
        "training run are not independent (drawing the models of one size together widens intervals).",
        "## The data, and a trap",
        [line for b in found for line in b.conventions()],
        "## How much of the trend in k is the convention's",
        "Exponent alpha of the compute law, with the number of models that take part:",
        *(b.trend_by_convention() for b in found),
        "Counting n < k as solved agrees with the counts up to k = 128 and then goes its own way: steeper at first, because "
        "problems that were given up on count "
        "as solved, then not even rising. The likelihood needs no convention, and keeps models without a success; least "
        "squares has to leave these out, which on MATH "
        "flattens the law.",
        "## Irreducible part and exponents against k",
        markdown(
            ["benchmark", "law", "coefficient", f"at k = {gsm8k.ks[0]}", f"at k = {gsm8k.ks[-1]:,}", "with k it"],
            [row for b in found for row in b.coefficient_rows()],
        ),
        *(f"![{b.title}: laws]({figures[b.title][0]})" for b in found),
        "Circles: what counts and law say of a model together; open ones have no correct sample.",
        "## Where the laws hold together",
        "Above this compute (FLOP) the compute laws at all k say that more samples solve more problems; below it they "
        "contradict each other and predictions are refused:",
        markdown(["benchmark", "C_x", "k that cross there", "least compute of the models"], [b.together_row() for b in found]),
        "The mixed derivative d2 log y/(dlog C dlog k) of the models less that of the fitted compute laws, on average over "
        "neighbouring k:",
        markdown(["benchmark", "cheaper half of the models", "dearer half"], [b.mixed_row() for b in found]),
        "Where these differ beyond chance, power laws bend otherwise than the data.",
        "## The envelope at every k",
        markdown(
            [
                "benchmark",
                "k",
                "alpha derived: beta gamma/(beta + gamma)",
                "alpha fitted to compute",
                "difference",
                "median penalty",
                "verdict",
            ],
            [row for b in found for row in b.envelope_rows()],
        ),
        "Median penalty: (y - E0)/(y* - E0) at the models' own params and tokens; a direct compute law lies above the "
        "envelope by about as much.",
        "## By way of the gold likelihood",
        "GSM8K, nine models: g falls to a positive floor with compute, so that the exponent of y - E0 falls from kappa ag "
        "towards ag; over the models' compute it is",
        markdown(
            ["k", "alpha for C -> oo", "over the models' compute", "fitted to compute", "largest difference in log y"],
            gsm8k.composition_rows(),
        ),
        "## Predicting expensive models from cheap ones",
        "Median relative error of -log pass@k (and the number of predictions) by decades of compute from the cutoff to the "
        "model predicted; every model beyond a cutoff "
        "is predicted.",
        markdown(["benchmark", "k", "law", *(f"{n}-{n + 1}" for n in range(5))], [row for b in found for row in b.error_rows()]),
        "The same on the nine models with gold likelihoods alone, so that the three laws have the same to learn from:",
        markdown(["k", "law", *(f"{n}-{n + 1}" for n in range(3))], [row for b in found for row in b.same_rows()]),
        f"Measured coverage of the {100 * LEVEL:.0f} % prediction intervals (error by target):",
        markdown(["benchmark", "k", "law", "predictions", "coverage"], [row for b in found for row in b.coverage_rows()]),
        f"Decades of compute that may be cut off with the estimate staying in its final interval, for k = "
        f"{', '.join(f'{k:,}' for k in BACKTESTED)}:",
        markdown(["benchmark", "law", "coefficient", "decades", "of"], [row for b in found for row in b.stability_rows()]),
        *(f"![{b.title}: backtest]({figures[b.title][1]})" for b in found),
        "## One model for all k",
        "Success rates Beta(a, b) with log a and log b affine in log compute cannot contradict themselves across k:",
        [line for b in found for line in (f"**{b.title}**", "", "```", *str(b.coupled).splitlines(), "```", "")],
    ]
    return "\n\n".join("\n".join(part) if isinstance(part, list) else part for part in parts)


def main(folder: str, output: str | None = None) -> None:
    """Fit, backtest, and write the page with its figures."""
    target = Path(output) if output else OUTPUT
    target.mkdir(parents=True, exist_ok=True)
    found = [Benchmark(Path(folder), name) for name in BENCHMARKS]
    figures = {b.title: b.draw(target) for b in found}
    (target / "README.md").write_text(page(found, figures) + "\n", encoding="utf-8")
    print(f"wrote {target / 'README.md'}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit("usage: python examples/reproduce_generative_evaluations.py FOLDER [OUTPUT]")
    main(*sys.argv[1:])
