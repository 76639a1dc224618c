"""What a public subset of runs says of "Revisiting the Scaling Properties of Downstream Metrics"
(Krajewski et al. 2025).

arXiv 2512.08894 published the evaluations of its runs; 33 of them were transcribed, and are not
part of this package. The page sets their fits beside the paper's tables and says what the subset is
too small for. A last part repeats the predictions of Gadre et al. 2024 (arXiv 2403.08540) on their
own 104 runs.

Run: python examples/papers/krajewski2025/reproduce.py [FOLDER] [OUTPUT]

FOLDER holds runs.csv, by default $ISOFLOP_PUBLIC_RUNS/apple-downstream, and beside it lies
gadre2024/runs.csv; OUTPUT, by default this folder, receives README.md and the figures. Takes about
a minute of a processor, most of it for the refits behind the intervals of ceilings.
"""

import os
import sys
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))

from krajewski2025.tables import BilinearLaw, printed_bilinear, printed_broken, tables_check
from krajewski2025.which_runs import LOWER, MARGINS, UPPER, Rule, verdict, which_runs

from isoflop.numeric.accuracy.averages import averaged
from isoflop.numeric.accuracy.baselines import Baseline, resolve
from isoflop.numeric.accuracy.law import fit_law
from isoflop.numeric.accuracy.laws import BILINEAR, LAWS
from isoflop.numeric.check.published import coefficients_of, curves_of
from isoflop.numeric.data.evaluations import Evaluations
from isoflop.numeric.data.sample import Points, above_guessing
from isoflop.numeric.hold_out import Backtest, backtest
from isoflop.numeric.plot.panels import save
from isoflop.numeric.results import percentiles
from isoflop.theory.data import krajewski2025 as printed
from isoflop.theory.data.published import compute_counterparts, published

OUTPUT = Path(__file__).parent
#: The rule of Section 4.1, the same without its upper limit, and no limit at all.
LIMITED, FROM, ALL = (
    Rule(*limits, True) for limits in ((LOWER, UPPER), (LOWER, np.inf), (0.0, np.inf))
)
#: Budgets as Tables 7 to 9 print them; params follow from C = 6 N D.
COLUMNS = {"compute": "flops_table", "tokens": "tokens", "params": None}
#: One run recorded pass@2 to pass@128 of LBPP as exactly 1: it was sampled once.
RUNS = "tpr == 20 and not (benchmark == 'lbpp' and score == 1)"
HELD_OUT, FIT_FROM, UP_TO = "compute > 6e21", 3e18, 6e21
#: The paper's names of the benchmarks of the runs.
LABELS = {"arc_easy": "ARC-E", "arc_challenge": "ARC-C", "sciq": "SciQ", "piqa": "PIQA"}
LABELS |= {"hellaswag": "HellaSwag", "winogrande": "Winogrande", "webqs_1shot": "WebQS"}
LABELS |= {"triviaqa_1shot": "TriviaQA", "lambada_openai": "LAMBADA", "gsm8k_cot_llama": "GSM8K"}
LABELS |= {"humaneval-py": "HumanEval", "lbpp": "LBPP"}
RESAMPLES, SEED, LEVEL = 200, 0, 0.9
#: Refits of a ceiling, each by Huber's function of few runs, are most of the time of this page.
CEILING_RESAMPLES = 100
#: Gadre et al. 2024 on their training set RedPajama: the laws are fitted to these runs, the law of
#: error to one more.
FOR_LOSS = "token_multiplier == 20 and params < 1e9 or token_multiplier == 320 and params < 2e7"
FOR_ERROR = "token_multiplier == 20 and params < 2e9 or token_multiplier == 320 and params < 2e7"
PREDICTED = "token_multiplier == 640 and params > 1e9 or params > 2e9"
#: Their relative errors in percent: of loss and of error, by tokens per parameter.
GADRE_PRINTED = {640: ("0.7103", "3.6365"), 20: ("0.7320", "0.0464")}
#: The 17 tasks over which they average the error.
GADRE_TASKS = (
    *("bigbench_operators", "pubmed_qa_labeled", "hellaswag_zeroshot", "boolq", "arc_easy", "coqa"),
    *("bigbench_dyck_languages", "lambada_openai", "bigbench_novel_concepts", "winograd"),
    *("bigbench_cs_algorithms", "commonsense_qa", "bigbench_qa_wikidata", "hellaswag", "copa"),
    *("squad", "piqa"),
)
NOT_AVERAGED = ("GSM8K", "LBPP")
CODE = ("HumanEval", "LBPP")


def held_out_errors(found: Backtest, key: str, law: str) -> dict:
    """The errors of a law on the held-out runs of a benchmark; empty where there are none."""
    rows = found.errors(by_decades=False).query("subject == @key and law == @law")
    return rows.iloc[0].to_dict() if len(rows) else {}


class Bilinear(NamedTuple):
    """Equation 5 by these runs and by the paper."""

    law: BilinearLaw
    paper: BilinearLaw
    errors: dict[str, float]
    distance: float
    pairs: Points
    runs: int


class Subset:
    """The public runs and everything that is fitted to them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        read = Evaluations.read(folder / "runs.csv", columns=COLUMNS, where=RUNS)
        self.evaluations = read
        self.key = {LABELS[key]: key for key in read.benchmarks}
        shares = {law.label: float(law.random_baseline) for law, _ in compute_counterparts()}
        self.baselines = resolve(read, {key: shares[label] for label, key in self.key.items()})
        for label, margin in MARGINS.items():
            self.baselines[self.key[label]] = Baseline(shares[label], margin=margin)
        self.labels = [label for label in printed.TABLE_3 if label in self.key]
        self.samples = {
            label: read.sample(self.key[label], self.baselines[self.key[label]].value)
            for label in self.labels
        }
        self.range = which_runs(self.samples)

    def margin(self, label: str) -> float:
        return MARGINS.get(label, 0.05)

    def held_out(self, label: str):
        """The runs above 6e21 FLOP, of which there are as many as the transcript has."""
        sample = self.samples[label]
        return sample.subset(
            (sample.compute > UP_TO)
            & above_guessing(sample.accuracy, sample.baseline, self.margin(label))
        )

    def compared(self, *laws: str, proxy: str | None = None, resamples: int = 0):
        """Laws fitted from 3e18 to 6e21 FLOP and judged above; BNSL, as in the paper, to all runs
        above guessing.
        """
        return backtest(
            self.evaluations.subset(self.evaluations.compute >= FIT_FROM),
            laws=laws,
            hold_out=HELD_OUT,
            baselines=self.baselines,
            proxy=proxy,
            resamples=resamples,
            seed=SEED,
            progress=True,
        )

    @cached_property
    def direct(self):
        return self.compared("compute", resamples=RESAMPLES)

    @cached_property
    def ceilings(self):
        return self.compared("compute-ceiling", resamples=CEILING_RESAMPLES)

    @cached_property
    def broken(self):
        return self.compared("bnsl")

    @cached_property
    def staged(self):
        return self.compared("compute", "two-stage-linear", "two-stage-logistic", proxy="c4")

    def fitted(self, label: str):
        """Table 11 as a function of compute."""
        law = f"krajewski2025-{label.lower()}"
        return curves_of(published(law), published(f"{law}-compute"))["fitted"]

    # -- sections ------------------------------------------------------------------------------------------------------

    def coefficient_rows(self) -> list[list[str]]:
        limited = self.range[LIMITED]
        every = self.range[FROM]
        rows = []
        for fit, other in zip(limited.fits, every.fits, strict=True):
            rows.append(
                [
                    fit.benchmark,
                    f"{fit.alpha_printed:.4f} / {fit.log_A_printed:.3f}",
                    f"{fit.alpha:.4f} +- {fit.alpha_error:.4f} / {fit.log_A:.2f} +- "
                    f"{fit.log_A_error:.2f} ({fit.n})",
                    f"{fit.distance:.1f} ({fit.p:.2g})",
                    f"{other.alpha:.4f} +- {other.alpha_error:.4f} ({other.n})",
                    f"{other.distance:.1f} ({other.p:.2g})",
                ]
            )
        return rows

    def candidate_rows(self) -> list[list[str]]:
        return [
            [
                one.rule.name,
                f"{one.distance:.1f}",
                f"{one.p:.2g}",
                f"{one.closest} of {len(one.fits)}",
            ]
            for one in self.range.values()
        ]

    def error_of(self, label: str, curve) -> float:
        """MAE of a published curve on the held-out runs."""
        held = self.held_out(label)
        return float(np.abs(curve(held.compute) - held.accuracy).mean())

    def interval_of(self, label: str) -> tuple[float, float]:
        """Of the held-out MAE of equation 2 over resamples, with as many beyond either end."""
        fit = self.direct.fit("compute", self.key[label])
        held = self.held_out(label)
        drawn = fit.kind.accuracy(fit.refitted, held, fit.sample.baseline)
        return percentiles(np.abs(drawn - held.accuracy).mean(axis=1), LEVEL)

    def held_out_rows(self) -> list[list[str]]:
        rows = []
        for label in self.labels:
            key = self.key[label]
            errors = held_out_errors(self.direct, key, "compute")
            broken = held_out_errors(self.broken, key, "bnsl")
            _, mae, mre, mae_broken, _ = printed.TABLE_3[label]
            rows.append(
                [
                    label,
                    f"{len(self.direct.fit('compute', key).sample)} / {len(self.held_out(label))}",
                    f"{mae} ({mre} %)",
                    f"{self.error_of(label, self.fitted(label)):.4f}",
                    f"{errors['mae']:.4f} {between(self.interval_of(label))} "
                    f"({100 * errors['mean_error']:.2f} %)",
                    mae_broken,
                    figure(broken.get("mae")),
                    f"{self.error_of(label, printed_broken(label)):.4f}",
                ]
            )
        return rows

    def held_out_said(self) -> str:
        """What the errors of the published curves tell of the runs that they were fitted to."""
        apart = {
            label: abs(self.error_of(label, self.fitted(label)) - float(printed.TABLE_3[label][1]))
            for label in self.labels
        }
        worst = max(apart, key=apart.get)
        rest = max(value for label, value in apart.items() if label != worst)
        usable = [
            row.benchmark for row in tables_check().broken if row.verdict in ("agrees", "differs")
        ]
        broken = np.mean([self.error_of(label, printed_broken(label)) for label in usable])
        of_table_3 = np.mean([float(printed.TABLE_3[label][3]) for label in usable])
        return (
            f"The law of Table 11 has on these runs the held-out errors of Table 3, to {rest:.4f} "
            f"(but for {worst}, "
            f"{apart[worst]:.4f}): "
            "it is the fit of Section 4.1, which held them out. The curves of Table 10 do not have "
            "those of BNSL in Table "
            f"3: {broken:.4f} against "
            f"{of_table_3:.4f} on average over the {len(usable)} whose printed digits can be used "
            f"({', '.join(usable)}). "
            "They have seen "
            "these runs."
        )

    def table_12_rows(self) -> list[list[str]]:
        """Equation 4 with the paper's coefficients at the public runs' own params and tokens."""
        rows = []
        for label in self.labels:
            sample = self.samples[label]
            c = coefficients_of(published(f"krajewski2025-{label.lower()}"))
            y = c["A"] * sample.params ** -c["beta"] + c["B"] * sample.tokens ** -c["gamma"]
            law = sample.baseline + (1.0 - sample.baseline) * np.exp(-y)
            usable = above_guessing(sample.accuracy, sample.baseline, self.margin(label))
            parts = [usable & (sample.compute <= UP_TO), usable & (sample.compute > UP_TO)]
            errors = np.abs(law - sample.accuracy)
            rows.append([label, *(f"{errors[part].mean():.4f} ({part.sum()})" for part in parts)])
        means = [np.mean([float(row[i].partition(" ")[0]) for row in rows]) for i in (1, 2)]
        return [*rows, ["mean", *(f"{mean:.4f}" for mean in means)]]

    @cached_property
    def bilinear(self) -> dict[str, "Bilinear"]:
        return {label: self._bilinear(label) for label in CODE}

    def _bilinear(self, label: str) -> "Bilinear":
        """Equation 5 fitted to the pairs of run and k above the margin of 0.05, with resamples of
        runs.
        """
        pairs = self.evaluations.sample(self.key[label], 0.0, in_k=True)
        pairs = pairs.subset(above_guessing(pairs.accuracy, 0.0, 0.05))
        fit, random = fit_law(pairs, BILINEAR), np.random.default_rng(SEED)
        law = BilinearLaw(**fit.coefficients)
        runs, of_pair = np.unique(pairs.index, return_inverse=True)
        drawn = [random.integers(len(runs), size=len(runs)) for _ in range(RESAMPLES)]
        weights = np.array([np.bincount(each, minlength=len(runs))[of_pair] for each in drawn])
        again = fit.refit(weights.astype(float))
        log_A, a, b, d = again.rows.T
        covariance = np.cov([a, b, d, log_A])
        paper = printed_bilinear(label)
        names = ("a", "b", "d", "log_A")
        away = np.array([getattr(law, name) - getattr(paper, name) for name in names])
        return Bilinear(
            law=law,
            paper=paper,
            errors=dict(zip(names, np.sqrt(np.diag(covariance)).tolist(), strict=True)),
            distance=float(away @ np.linalg.solve(covariance, away)),
            pairs=pairs,
            runs=len(runs),
        )

    def bilinear_rows(self) -> list[list[str]]:
        rows = []
        for label, found in self.bilinear.items():
            for name, meaning in (
                ("a", "log C"),
                ("b", "log k"),
                ("d", "log C log k"),
                ("log_A", "1"),
            ):
                own, theirs, error = (
                    getattr(found.law, name),
                    getattr(found.paper, name),
                    found.errors[name],
                )
                rows.append(
                    [
                        label,
                        meaning,
                        f"{theirs:.4f}",
                        f"{own:.4f} +- {error:.4f}",
                        f"{(own - theirs) / error:+.1f}",
                    ]
                )
        return rows

    def table_2_said(self) -> str:
        """Equation 5 on HumanEval fitted up to 6e21 FLOP and k = 32, judged on the other pairs."""
        pairs = self.bilinear["HumanEval"].pairs
        fitted = (pairs.compute <= UP_TO) & (pairs.k <= 32)
        law = BilinearLaw(**fit_law(pairs.subset(fitted), BILINEAR).coefficients)
        errors = np.abs(law.pass_at_k(pairs.compute, pairs.k) - pairs.accuracy)
        shares = errors / pairs.accuracy
        said = [
            f"{errors[part].mean():.4f} ({100 * shares[part].mean():.2f} %) on {part.sum()} {what} "
            f"pairs"
            for part, what in ((fitted, "fitted"), (~fitted, "held-out"))
        ]
        mae, mae_held_out, mre, mre_held_out = printed.TABLE_2
        return (
            f"HumanEval fitted up to 6e21 FLOP and k = 32: MAE (MRE) {said[0]}, {said[1]}. Table "
            f"2: {mae} ({mre} %) and "
            f"{mae_held_out} "
            f"({mre_held_out} %)."
        )

    def average(self) -> list[str]:
        ten = [label for label in self.labels if label not in NOT_AVERAGED]
        keys = [self.key[label] for label in ten]
        with_average = averaged(self.evaluations, self.baselines, benchmarks=keys)
        scores = with_average.scores["average"]
        known = np.isfinite(scores)
        low = int((known & (self.evaluations.compute <= UP_TO)).sum())
        laws = np.mean(
            [self._normalised(label, self.evaluations.compute[known]) for label in ten], axis=0
        )
        error = np.abs(laws - scores[known])
        return [
            f"The ten benchmarks of Appendix K were transcribed together, and exceed guessing by "
            f"0.05, at {known.sum()} runs "
            f"only, {low} of "
            "them up to 6e21 FLOP: the fit of Table 14 cannot be repeated, nor its extrapolation. "
            "What can be said: at "
            f"these {known.sum()} runs "
            f"the average of the ten laws of Table 11, an extrapolation too, is off by "
            f"{error.mean():.4f} on average "
            f"({100 * (error / scores[known]).mean():.2f} %); Table 14 gives {printed.TABLE_14[1]} "
            f"({printed.TABLE_14[3]} %) "
            "for one law of the average."
        ]

    def _normalised(self, label: str, compute: np.ndarray) -> np.ndarray:
        baseline = self.samples[label].baseline
        return (self.fitted(label)(compute) - baseline) / (1.0 - baseline)

    def ceiling_rows(self) -> list[list[str]]:
        rows = []
        for label in self.labels:
            key = self.key[label]
            errors = held_out_errors(self.ceilings, key, "compute-ceiling")
            _, Q_max, mre, mae = printed.TABLE_15[label]
            E = self.ceilings.fit("compute-ceiling", key).estimates(LEVEL)["E"]
            baseline = self.samples[label].baseline
            values = [
                baseline + (1.0 - baseline) * np.exp(-end) for end in (E.value, E.high, E.low)
            ]
            rows.append(
                [
                    label,
                    Q_max,
                    f"{values[0]:.3f} {between(values[1:], 3)}",
                    f"{mae} ({mre} %)",
                    f"{errors['mae']:.4f} ({100 * errors['mean_error']:.2f} %)",
                ]
            )
        return rows

    def staged_rows(self) -> list[list[str]]:
        rows = []
        errors = self.staged.errors(by_decades=False)
        shared = errors[errors.groupby("subject")["law"].transform("size") == len(self.staged.laws)]
        for law, own in shared.groupby("law", sort=False):
            rmse = self.staged.finals.query("law == @law")["rmse"].mean()
            mre, mae = own["mean_error"], own["mae"]
            rows.append(
                [
                    law,
                    f"{len(own)}",
                    f"{100 * mre.mean():.1f} +- {100 * mre.std():.1f} %",
                    f"{mae.mean():.3f} +- {mae.std():.3f}",
                    f"{rmse:.3f}",
                ]
            )
        return rows

    # -- over-training -------------------------------------------------------------------------------------------------

    def gadre_runs(self, *, with_error: bool = True) -> list[dict]:
        """What the laws of Gadre et al. predict."""
        table = pd.read_csv(self.folder.parent / "gadre2024" / "runs.csv").query("dataset == 'rpj'")
        average = table[[f"acc_{name}" for name in GADRE_TASKS]].mean(axis=1, skipna=False)
        rows = table.assign(benchmark="average", score=average)
        runs = Evaluations.read(rows, columns={"params": "N", "run": "name"})
        points = runs.sample("average", 0.0)
        points = replace(points, proxy=runs.proxy("loss_c4_val")[points.index])
        fits = [
            fit_law(points.subset(runs.held_out(points, where)), LAWS["overtraining"])
            for where in (FOR_LOSS, FOR_ERROR if with_error else FOR_LOSS)
        ]
        ahead, first = points.subset(runs.held_out(points, PREDICTED)), fits[0].parts[0].fit
        stages = first.values, fits[1].values[len(first.values) :]
        Q = fits[0].kind.accuracy(np.concatenate(stages)[None], ahead, 0.0)[0]
        loss = first.law.loss(ahead.params, ahead.tokens)
        found = {
            "run": runs.run[ahead.index],
            "tokens_per_param": ahead.tokens / ahead.params,
            "loss": ahead.proxy,
            "predicted_loss": loss,
            "loss_difference": loss / ahead.proxy - 1.0,
            "error": 1.0 - ahead.accuracy,
            "predicted_error": 1.0 - Q,
            "error_difference": (1.0 - Q) / (1.0 - ahead.accuracy) - 1.0,
        }
        order = np.argsort(-ahead.compute, kind="stable")
        return [{name: column[i] for name, column in found.items()} for i in order]

    def gadre_rows(self) -> list[list[str]]:
        rows = []
        for each in self.gadre_runs():
            ratio = round(each["tokens_per_param"])
            row = [each["run"], str(ratio)]
            for what, paper in zip(("loss", "error"), GADRE_PRINTED[ratio], strict=True):
                off = f"{100 * abs(each[f'{what}_difference']):.4f}"
                if off != paper:
                    raise SystemExit(
                        f"{each['run']}: {what} is {off} % off; the paper has {paper} %"
                    )
                row += [
                    f"{each[what]:.4f}",
                    f"{each[f'predicted_{what}']:.4f}",
                    f"{off} %",
                    f"{paper} %",
                ]
            rows.append(row)
        return rows

    def gadre_said(self) -> str:
        off = [
            f"{100 * each['error_difference']:.2f} %" for each in self.gadre_runs(with_error=False)
        ]
        return (
            "All printed digits are those of the paper. The law of error is fitted to one run more "
            "than the law of loss, the "
            "1.4B model at 20 tokens per parameter: without it the errors "
            f"foretold are off by {' and '.join(off)}."
        )

    # -- figures -------------------------------------------------------------------------------------------------------

    def draw(self, output: Path) -> dict[str, str]:
        drawings = {
            "accuracy": self.draw_accuracy(),
            "exponents": self.draw_exponents(),
            "held_out": self.draw_held_out(),
            "draws": self.draw_draws(),
        }
        names = {name: f"{name}.png" for name in drawings}
        for name, drawing in drawings.items():
            save(drawing, output / names[name])
        return names

    def draw_accuracy(self):
        """Runs, the law of Table 11 and the own fit of each benchmark."""
        axes = panels(3, 4, (12.0, 8.0))
        compute = np.geomspace(1e18, 4e22, 200)
        for label, ax in zip(self.labels, axes.flat, strict=True):
            sample = self.samples[label]
            fitted = self.direct.fit("compute", self.key[label])
            baseline = sample.baseline
            alpha, C0 = fitted.coefficients["alpha"], fitted.coefficients["C0"]
            own = baseline + (1.0 - baseline) * np.exp(-C0 * compute**-alpha)
            ax.axvspan(UP_TO, 4e22, color="0.93", linewidth=0)
            ax.plot(compute, self.fitted(label)(compute), color="C0", label="Table 11, decoded")
            ax.plot(compute, own, color="C1", linestyle="--", label="fit to runs up to 6e21")
            ax.plot(
                sample.compute,
                sample.accuracy,
                "o",
                color="black",
                markersize=3,
                label="public runs",
            )
            ax.set_xscale("log")
            ax.set_xlim(8e17, 4e22)
            ax.set_title(label, fontsize=10)
        axes[0, 0].legend(fontsize=7, frameon=False)
        for ax in axes[-1]:
            ax.set_xlabel("compute (FLOP)")
        for ax in axes[:, 0]:
            ax.set_ylabel("accuracy")
        return axes[0, 0].figure

    def draw_exponents(self):
        """Exponents of Table 11 and of the fits by two rules."""
        (ax,) = panels(1, 1, (7.0, 4.6)).flat
        kept = self.range[LIMITED].fits
        every = self.range[FROM].fits
        places = np.arange(len(kept))[::-1]
        for fits, shift, colour, label in (
            (kept, 0.14, "C0", "runs from 3e18 to 6e21 FLOP"),
            (every, -0.14, "C1", "runs from 3e18 on"),
        ):
            values, errors = (
                np.array([getattr(fit, name) for fit in fits]) for name in ("alpha", "alpha_error")
            )
            ax.errorbar(
                values,
                places + shift,
                xerr=2.0 * errors,
                fmt="o",
                markersize=4,
                color=colour,
                label=f"{label}, 2 se",
            )
        ax.plot(
            [fit.alpha_printed for fit in kept],
            places,
            "k|",
            markersize=16,
            label="Table 11, decoded",
        )
        ax.set_yticks(places, [fit.benchmark for fit in kept])
        ax.set_xlabel("exponent of compute")
        ax.legend(fontsize=8, frameon=False)
        return ax

    def draw_held_out(self):
        """Held-out errors beside those of Table 3."""
        (ax,) = panels(1, 1, (7.0, 4.6)).flat
        own = np.array(
            [held_out_errors(self.direct, self.key[name], "compute")["mae"] for name in self.labels]
        )
        ends = np.array([self.interval_of(label) for label in self.labels])
        paper = np.array([float(printed.TABLE_3[label][1]) for label in self.labels])
        places = np.arange(len(own))[::-1]
        fixed = [self.error_of(label, self.fitted(label)) for label in self.labels]
        ax.hlines(
            places,
            ends[:, 0],
            ends[:, 1],
            color="C0",
            linewidth=2,
            alpha=0.5,
            label=f"{100 * LEVEL:g} % over resamples of runs",
        )
        ax.plot(own, places, "o", color="C0", label="fit to these runs")
        ax.plot(paper, places, "k|", markersize=16, label="Table 3")
        ax.plot(
            fixed,
            places,
            "s",
            color="C1",
            markersize=5,
            fillstyle="none",
            label="law of Table 11 on these runs",
        )
        ax.set_yticks(places, self.labels)
        ax.set_xscale("log")
        ax.set_xlabel("held-out mean absolute error of accuracy, C > 6e21 FLOP")
        ax.legend(fontsize=8, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
        return ax

    def draw_draws(self):
        """-log pass@k of the code benchmarks with both laws."""
        axes = panels(1, 2, (10.0, 4.2))
        for (label, found), ax in zip(self.bilinear.items(), axes.flat, strict=True):
            pairs = found.pairs
            for i, k in enumerate((1, 8, 128)):
                at = pairs.k == k
                compute = np.geomspace(pairs.compute[at].min(), pairs.compute[at].max(), 100)
                ax.plot(
                    pairs.compute[at],
                    -np.log(pairs.accuracy[at]),
                    "o",
                    color=f"C{i}",
                    markersize=3,
                )
                ax.plot(
                    compute,
                    found.paper.neg_log(compute, k),
                    color=f"C{i}",
                    label=f"k = {k}",
                )
                ax.plot(
                    compute,
                    found.law.neg_log(compute, k),
                    color=f"C{i}",
                    linestyle="--",
                )
            ax.set_xscale("log")
            ax.set_yscale("log")
            ax.set_yticks(
                [0.2, 0.3, 0.5, 1.0, 1.5, 2.0, 3.0], ["0.2", "0.3", "0.5", "1", "1.5", "2", "3"]
            )
            ax.set_ylim(0.9 * -np.log(pairs.accuracy.max()), 1.1 * -np.log(pairs.accuracy.min()))
            ax.minorticks_off()
            ax.set_xlabel("compute (FLOP)")
            ax.set_ylabel("-log pass@k")
            ax.set_title(f"{label}: Table 13 decoded (lines), fit (dashed)", fontsize=10)
            ax.legend(fontsize=8, frameon=False)
        return axes[0, 0].figure

    # -- in short ------------------------------------------------------------------------------------------------------

    def summary(self) -> list[list[str]]:
        limited = self.range[LIMITED]
        every = self.range[ALL]
        ratio = limited.log_ratio(self.range[FROM])[0]
        own = np.array(
            [held_out_errors(self.direct, self.key[name], "compute")["mae"] for name in self.labels]
        )
        paper = np.array([float(printed.TABLE_3[label][1]) for label in self.labels])
        ends = np.array([self.interval_of(label) for label in self.labels])
        inside = int(((ends[:, 0] <= paper) & (paper <= ends[:, 1])).sum())
        z = [abs(float(row[-1])) for row in self.bilinear_rows()]
        check = tables_check()
        distances = ", ".join(
            f"{label} {found.distance:.1f}" for label, found in self.bilinear.items()
        )
        return [
            [
                "equation 2, Table 11 (decoded)",
                f"{limited.closest} of {len(limited.fits)} exponents within two standard errors; "
                f"all coefficients together "
                f"p = {limited.p:.2g}",
            ],
            [
                '"all datapoints" (Appendix H)',
                f"no: with runs above 6e21 FLOP p = {every.p:.1g}, and the log-likelihood is "
                f"{ratio:.0f} less",
            ],
            [
                "held-out MAE of equation 2, Table 3",
                f"mean {own.mean():.4f} against {paper.mean():.4f}; the paper's within the "
                f"{100 * LEVEL:g} % interval for "
                f"{inside} of {len(own)}",
            ],
            [
                "equation 5, Table 13 (decoded)",
                f"all 8 coefficients within {max(z):.1f} standard errors; squared distances for 4 "
                f"coefficients: {distances}",
            ],
            [
                "Table 10 (BNSL), Table 12 (equation 4)",
                "on runs above 6e21 FLOP Table 10 has the errors of a fit to them, Table 12 those "
                "of a fit without them",
            ],
            [
                "Gadre et al. 2024",
                "the four relative errors of their predictions to all printed digits, on their 104 "
                "runs",
            ],
            [
                "the tables against each other",
                f"{len(check.disagreements)} disagreements, listed below",
            ],
        ]


def between(ends, digits: int = 4) -> str:
    return "" if ends is None else f"[{ends[0]:.{digits}f}, {ends[1]:.{digits}f}]"


def figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def panels(rows: int, columns: int, size: tuple[float, float]):
    from matplotlib.figure import Figure

    drawing = Figure(figsize=size, layout="constrained")
    return drawing.subplots(rows, columns, squeeze=False)


def markdown(head: list[str], rows: list[list[str]]) -> list[str]:
    """A table."""
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]


def page(subset: Subset, figures: dict[str, str]) -> str:
    """The page in Markdown."""
    runs = subset.evaluations
    counts = [len(sample) for sample in subset.samples.values()]
    held = [len(subset.held_out(label)) for label in subset.labels]
    parts = [
        "# Downstream metrics: what a public subset of runs says",
        'Made by `examples/papers/krajewski2025/reproduce.py` for "Revisiting the Scaling '
        "Properties of Downstream Metrics in "
        "Large Language "
        f'Model Training" (Krajewski et al. 2025, arXiv 2512.08894) on {len(runs)} of its runs '
        f"near 20 tokens per parameter, "
        "of about 56, "
        f"that were transcribed from its published evaluations: {min(counts)} to {max(counts)} "
        f"runs a benchmark, {min(held)} "
        f"to {max(held)} "
        "of them above 6e21 FLOP. Budgets are those printed in Tables 7 to 9; accuracies of "
        "guessing those of Table 11. "
        "Runs that exceed "
        "guessing by no more than 0.05 (LBPP: 0.02) are left out, as in the paper.",
        "## In short",
        markdown(["the paper", "these runs"], subset.summary()),
        "## Equation 2, and which runs Table 11 was fitted to",
        "Table 11 read as e^-alpha and log A. Least squares of log(-log Q') on log C, with "
        "standard errors (and how many "
        "runs); d^2 (p): squared distance of both coefficients from the table's in units of the "
        "estimated sampling error, and "
        "how likely more is by F(2, n - 2) of d^2/2. With so few runs d^2 is 2 (n - 2)/(n - 4) on "
        "average: 4 for 6 runs, and "
        "without bound for 4.",
        markdown(
            [
                "benchmark",
                "Table 11: alpha / log A",
                "runs from 3e18 to 6e21: alpha / log A",
                "d^2 (p)",
                "runs from 3e18: alpha",
                "d^2 (p)",
            ],
            subset.coefficient_rows(),
        ),
        f"![Accuracy and laws]({figures['accuracy']})",
        f"![Exponents]({figures['exponents']})",
        'Appendix H says "all datapoints". Every rule by which the runs may have been chosen, all '
        "benchmarks together (p by "
        "Fisher, noise of different benchmarks taken as independent):",
        markdown(["runs", "sum of d^2", "p", "alpha within 2 se"], subset.candidate_rows()),
        f"Verdict, by likelihoods of Student's t: {verdict(subset.range)}. With so few runs this "
        "check has little power: log(-log Q') is no straight line in log C, and a line through "
        "other runs than these would differ.",
        "## Held-out errors",
        f"Fitted from 3e18 to 6e21 FLOP, judged above: MAE of accuracy (MRE), with {100 * LEVEL:g} "
        f"% intervals over "
        f"{RESAMPLES} resamples of "
        "the fitted runs. *Law of Table 11*, *curve of Table 10*: the paper's coefficients on "
        "these held-out runs.",
        markdown(
            [
                "benchmark",
                "runs fitted / held out",
                "Table 3, equation 2",
                "law of Table 11",
                "these runs, equation 2",
                "Table 3, BNSL",
                "these runs, BNSL",
                "curve of Table 10",
            ],
            subset.held_out_rows(),
        ),
        f"![Held-out errors]({figures['held_out']})",
        subset.held_out_said(),
        "## Equation 4",
        "All transcribed runs but one have D/N near 20: the coefficients of equation 4 and the "
        "held-out errors of Table 1 "
        "at 160 tokens per "
        "parameter cannot be repeated. The paper's coefficients (Table 12) at these runs, MAE (and "
        "how many):",
        markdown(["benchmark", "up to 6e21 FLOP", "above"], subset.table_12_rows()),
        f"Table 1 has {printed.TABLE_1[0]} for fitted and {printed.TABLE_1[1]} for held-out runs "
        f"(those of the largest ratio "
        "among "
        "them): Table 12, too, looks like the fit that holds out runs above 6e21 FLOP.",
        "## Equation 5",
        "Least squares of log(-log pass@k) on log C, log k, their product and 1, on pairs of run "
        "and k above 0.05. Table 13 "
        "read as "
        f"e^(coefficient of log C), log k, log C log k, log A. Standard errors from {RESAMPLES} "
        f"resamples of runs "
        f"({', '.join(f'{label}: {bilinear.runs}' for label, bilinear in subset.bilinear.items())}); samples of one run at "
        "several k are not "
        "independent.",
        markdown(
            [
                "benchmark",
                "coefficient of",
                "Table 13",
                "these runs",
                "difference in standard errors",
            ],
            subset.bilinear_rows(),
        ),
        f"![pass@k]({figures['draws']})",
        subset.table_2_said(),
        "One run (5.8B tokens) recorded LBPP's pass@2 to pass@128 as exactly 1, for it was sampled "
        "once; it is left out.",
        "## The average of benchmarks",
        subset.average(),
        "## A ceiling below 1",
        f"Equation 10 up to 6e21 FLOP; Q_max on the raw scale, with intervals of {CEILING_RESAMPLES} resamples.",
        markdown(
            [
                "benchmark",
                "Table 15: Q_max",
                "these runs: Q_max",
                "Table 15: MAE (MRE)",
                "these runs: MAE (MRE)",
            ],
            subset.ceiling_rows(),
        ),
        "In the paper the ceiling is estimated without an error, and is 1 for seven benchmarks.",
        "## Two-stage laws",
        "The paper's proxy, the negative log likelihood of the right answer, was not transcribed. "
        "With the loss on C4 in "
        "its place, for the "
        "benchmarks whose runs have it; held-out MRE and MAE (mean and standard deviation over "
        "benchmarks) and RMSE of the "
        "fitted runs:",
        markdown(["law", "benchmarks", "MRE", "MAE", "RMSE, fitted runs"], subset.staged_rows()),
        f"Table 4 has MRE {printed.TABLE_4['PowerLaw'][0]} % for the power law, "
        f"{printed.TABLE_4['TwoStage-Linear'][0]} % and "
        f"{printed.TABLE_4['TwoStage-Logistic'][0]} % for the two-stage ones, over five "
        f"benchmarks.",
        "## What the subset is too small for",
        [
            "* Table 1, and a refit of Table 12: no more than one run off D/N = 20.",
            "* Table 4, Figure 5 and Tables 5 and 6: no likelihoods of answers, no Brier scores, "
            "no MMLU.",
            "* Table 14: see above. Figure 10 (thresholds): too few runs to sweep over.",
            "* Figure 15 (C4): no run on C4.",
            "* Q_random (Table 16): no run below 1e18 FLOP, the paper's values are used.",
            "* Whether Table 11 leaves out runs below 3e18 FLOP: two runs are below.",
        ],
        "## Over-training: Gadre et al. 2024",
        "Language models scale reliably with over-training and on downstream tasks (arXiv "
        "2403.08540): laws of loss and error, "
        "fitted to five and six small runs on RedPajama, and what they say of a run of 1.4B params "
        "at 640 tokens per parameter "
        "and of one of 6.9B at 20, on the paper's own table of 104 runs:",
        f"The law of loss is fitted where `{FOR_LOSS}`, that of error where `{FOR_ERROR}`.",
        markdown(
            [
                "run",
                "D/N",
                "loss",
                "predicted",
                "off by",
                "paper",
                "error",
                "predicted",
                "off by",
                "paper",
            ],
            subset.gadre_rows(),
        ),
        subset.gadre_said(),
        "## The tables against each other",
        ["```", *tables_check().text().splitlines(), "```"],
    ]
    return "\n\n".join("\n".join(part) if isinstance(part, list) else part for part in parts)


def main(folder: Path, output: Path) -> None:
    """Fit, and write the page with its figures."""
    output.mkdir(parents=True, exist_ok=True)
    subset = Subset(folder)
    figures = subset.draw(output)
    (output / "README.md").write_text(page(subset, figures) + "\n", encoding="utf-8")
    print(f"wrote {output / 'README.md'}")


if __name__ == "__main__":
    public = os.environ.get("ISOFLOP_PUBLIC_RUNS")
    if len(sys.argv) > 3 or (len(sys.argv) == 1 and not public):
        raise SystemExit(
            "usage: python examples/papers/krajewski2025/reproduce.py [FOLDER] [OUTPUT]; or set "
            "ISOFLOP_PUBLIC_RUNS"
        )
    main(
        Path(sys.argv[1]) if len(sys.argv) > 1 else Path(str(public)) / "apple-downstream",
        Path(sys.argv[2]) if len(sys.argv) > 2 else OUTPUT,
    )
