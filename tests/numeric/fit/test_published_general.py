"""The general solver, without start values, against the predictions of Gadre et al. 2024 (arXiv
2403.08540).

Their figures for RedPajama: relative errors of the predicted loss of the over-trained 1.4B run
(0.7103 %) and of the 6.9B run (0.7320 %), and of the predicted average top-1 error on 17 tasks
(3.6365 %, 0.0464 %).
"""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from isoflop.numeric.fit.expression import ExpressionModel

LOSS_LAW = "E + (a*M^eta + b*M^-eta)*C^-eta"
ERROR_LAW = "eps - k*exp(-gamma*L)"
SMALL = ("d=96_l=8_h=4", "d=512_l=8_h=4", "d=576_l=24_h=8", "d=1024_l=24_h=8")
LOSS = "loss_c4_val"
#: The tasks on which some 0.154B model is at least this many percentage points better than chance.
POINTS_ABOVE_CHANCE, JUDGED_ON = 10.0, "d=576_l=24_h=8"


@pytest.fixture(scope="module")
def runs(public_runs: Path) -> pd.DataFrame:
    every = pd.read_csv(public_runs / "gadre2024" / "runs.csv")
    chance = pd.read_csv(public_runs / "gadre2024" / "eval_metadata.csv").set_index("Eval Task")[
        "Random baseline"
    ]
    tasks = [column for column in every if column.startswith("acc_")]
    best = 100.0 * every.loc[every.model == JUDGED_ON, tasks].max()
    subset = [
        task
        for task in tasks
        if best[task] - chance[task.removeprefix("acc_")] >= POINTS_ABOVE_CHANCE
    ]
    assert (len(tasks), len(subset)) == (46, 17)
    every["error"] = 1.0 - every[subset].mean(axis=1)
    return every[every.dataset == "rpj"].set_index("name")


def compute(table: pd.DataFrame) -> dict[str, np.ndarray]:
    """Nominal D/N and the compute of 6 N D with it."""
    params, multiplier = table.N.to_numpy(float), table.token_multiplier.to_numpy(float)
    return {"M": multiplier, "C": 6.0 * params**2 * multiplier}


@pytest.fixture(scope="module")
def training(runs: pd.DataFrame) -> pd.DataFrame:
    optimal = runs.model.isin(SMALL) & (runs.token_multiplier == 20.0)
    overtrained = (runs.model == SMALL[0]) & (runs.token_multiplier == 320.0)
    return runs[optimal | overtrained]


@pytest.fixture(scope="module")
def loss_fit(solved, training: pd.DataFrame) -> SimpleNamespace:
    return solved(LOSS_LAW, compute(training), training[LOSS])


@pytest.fixture(scope="module")
def error_fit(solved, runs: pd.DataFrame, training: pd.DataFrame) -> SimpleNamespace:
    table = pd.concat([training, runs.loc[["rpj-open_lm_1b-1.0"]]])
    return solved(ERROR_LAW, {"L": table[LOSS].to_numpy(float)}, table["error"])


def percent(predicted: float, observed: float) -> float:
    return round(100.0 * abs(predicted - observed) / observed, 4)


TARGETS = pytest.mark.parametrize(
    ("name", "loss_error", "task_error"),
    [("rpj-open_lm_1b-32.0", 0.7103, 3.6365), ("rpj-open_lm_7b-1.0", 0.7320, 0.0464)],
)


@TARGETS
def test_published_errors(
    runs: pd.DataFrame,
    loss_fit: SimpleNamespace,
    error_fit: SimpleNamespace,
    name: str,
    loss_error: float,
    task_error: float,
) -> None:
    assert loss_fit.converged
    assert error_fit.converged
    target = runs.loc[[name]]
    loss = ExpressionModel(LOSS_LAW, compute(target), tuple(loss_fit.coefficients)).values(
        loss_fit.theta[None]
    )[0]
    error = ExpressionModel(ERROR_LAW, {"L": loss}, tuple(error_fit.coefficients)).values(
        error_fit.theta[None]
    )[0]
    assert percent(loss[0], target[LOSS].iloc[0]) == loss_error
    assert percent(error[0], target["error"].iloc[0]) == task_error


def test_published_coefficients(loss_fit: SimpleNamespace) -> None:
    """Printed for E + alpha N^x + beta 6^(x/2) (M N)^x, so that x = -2 eta, alpha = a 6^x/2 and
    beta = b.
    """
    c = loss_fit.coefficients
    assert c["E"] == pytest.approx(1.8366, abs=5e-5)
    assert -2.0 * c["eta"] == pytest.approx(-0.2729, abs=5e-5)
    assert c["a"] * 6.0 ** -c["eta"] == pytest.approx(166.21, abs=5e-3)
    assert c["b"] == pytest.approx(366.69, abs=5e-3)


def test_many_starts_agree(loss_fit: SimpleNamespace) -> None:
    assert loss_fit.agreeing >= loss_fit.starts // 2
