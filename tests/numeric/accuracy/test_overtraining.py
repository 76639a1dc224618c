"""The law of over-training has the published numbers of Gadre et al."""

from dataclasses import replace

import numpy as np
import pandas as pd
from tests.data import GADRE_TASKS

from isoflop.numeric.accuracy.law import fit_law
from isoflop.numeric.accuracy.laws import LAWS
from isoflop.numeric.data.evaluations import Evaluations

LAW = LAWS["overtraining"]
LOSS = "token_multiplier == 20 and N < 1e9 or token_multiplier == 320 and N < 2e7"
ERROR = "token_multiplier == 20 and N < 2e9 or token_multiplier == 320 and N < 2e7"
HELD_OUT = "token_multiplier == 640 and N > 1e9 or N > 2e9"


def test_published_relative_errors_and_coefficients(public_runs):
    """To every printed digit; the law of error is fitted to one run more than the law of loss."""
    rows = pd.read_csv(public_runs / "gadre2024" / "runs.csv").query("dataset == 'rpj'")
    average = rows[[f"acc_{name}" for name in GADRE_TASKS]].mean(axis=1, skipna=False)
    rows = rows.assign(benchmark="average", score=average)
    runs = Evaluations.read(rows, columns={"params": "N", "run": "name"})
    points = runs.sample("average", 0.0)
    points = replace(points, proxy=runs.proxy("loss_c4_val")[points.index])
    first, second = (fit_law(points.subset(runs.held_out(points, x)), LAW) for x in (LOSS, ERROR))
    assert (len(first.sample), len(second.sample)) == (5, 6)
    ahead = points.subset(runs.held_out(points, HELD_OUT))
    chained = np.concatenate([first.values[:4], second.values[4:]])
    error = 1.0 - LAW.accuracy(chained[None], ahead, 0.0)[0]
    loss = first.parts[0].fit.law.loss(ahead.params, ahead.tokens)
    off = {"loss": loss / ahead.proxy, "error": error / (1.0 - ahead.accuracy)}
    found = {x: sorted(np.round(100.0 * np.abs(y - 1.0), 5).tolist()) for x, y in off.items()}
    assert found == {"loss": [0.71034, 0.73205], "error": [0.04644, 3.6365]}
    c = first.coefficients
    b = 6 ** (c["beta"] / 2) * c["B"]  # in the letters of the paper
    assert [f"{value:.2f}" for value in (c["A"], b)] == ["166.21", "366.69"]
    assert [f"{c[name]:.4f}" for name in ("beta", "E")] == ["0.2729", "1.8366"]
