"""One benchmark: the counts of its models and everything that is fitted to them."""

from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from schaeffer2025.rules import BACKTESTED, BENCHMARKS, COMPLETE, DEAREST, LEVEL, RESAMPLES, SEED

from isoflop.numeric.backtest import backtest
from isoflop.numeric.data.counts import Counts
from isoflop.numeric.passk.laws import Data
from isoflop.numeric.passk.study import study_passk


class Benchmark:
    """The counts of one benchmark with all fits; resamples draw models of one size together unless
    it says otherwise.
    """

    def __init__(self, folder: Path, name: str, *, resamples: int = RESAMPLES) -> None:
        stored = pd.read_csv(folder / "mean_pass_at_k.csv")
        self.title = BENCHMARKS[name]
        self.stored = stored[stored.benchmark == name]
        self.ks = sorted(map(int, self.stored.k.unique()))
        self.counts = Counts.read(
            folder / "per_problem_counts.csv",
            where=f"benchmark == '{name}'",
            models=self.stored.drop_duplicates("model")[["benchmark", "model", "N", "D"]],
            gold=folder / "gold_reference_nll_gsm8k.csv" if name == "gsm8k" else None,
        )
        self.data = Data(self.counts, tuple(self.ks))
        options = {"resamples": resamples, "seed": SEED, "level": LEVEL}
        self.study = study_passk(
            self.data, cluster="params", ratios=(0.1, 10.0), progress=True, **options
        )
        self.alone = study_passk(
            self.data, laws=["compute", "params-tokens"], cluster=None, progress=True, **options
        )
        complete = [k for k in self.ks if k <= COMPLETE]
        squares = {
            "laws": ["compute"],
            "k": complete,
            "method": "least-squares-log",
            "cluster": "params",
        }
        self.squares = study_passk(self.counts, **squares, **options)
        rolling = {"k": BACKTESTED, "targets": "all", "resamples": resamples, "progress": True}
        self.backtest = backtest(self.counts, laws=["compute", "params-tokens"], **rolling)
        self.nine = None
        if "gold" in self.counts.covariates:
            known = np.isfinite(self.counts.covariates["gold"])
            self.nine = backtest(self.counts.subset(np.flatnonzero(known)), **rolling)

    def stored_table(self) -> np.ndarray:
        """The stored means, (G, K), in the order of the counts."""
        wide = self.stored.pivot(index="model", columns="k", values="mean_pass_at_k")
        return wide.loc[[label[-1] for label in self.counts.labels], self.ks].to_numpy()

    @cached_property
    def sizes(self) -> dict[str, float]:
        """The params of every model by name."""
        return dict(zip(self.counts.names, self.counts.covariates["params"], strict=True))

    def log_y(self, k: int) -> np.ndarray:
        """log(-log pass@k) of the models by their counts alone, (G,); NaN without a success."""
        mean = self.data.evidence[self.ks.index(k)].moments()[0]
        return np.where(self.data.solved, mean, np.nan)

    @cached_property
    def dearest(self) -> np.ndarray:
        """The models of the greatest compute."""
        return np.argsort(self.counts.covariates["compute"])[-DEAREST:]

    def over_prediction(self, k: int, predicted: np.ndarray) -> float:
        """Geometric mean of predicted over observed -log pass@k of the dearest models."""
        away = np.log(predicted) - self.log_y(k)
        return float(np.exp(np.nanmean(away[self.dearest])))
