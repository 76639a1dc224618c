"""Over-training: the published numbers of Gadre et al., recovered truths, costs, bad input."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from isoflop.numeric.accuracy.overtraining import GADRE_TASKS, fit_overtraining
from isoflop.numeric.data.evaluations import Evaluations

SMALL = "model in ('d=96_l=8_h=4', 'd=512_l=8_h=4', 'd=576_l=24_h=8', 'd=1024_l=24_h=8')"
LOSS = f"({SMALL} and multiplier == 20 or model == 'd=96_l=8_h=4' and multiplier == 320)"
ERROR = f"({LOSS} or model == 'open_lm_1b' and multiplier == 20)"
HELD_OUT = "(model == 'open_lm_1b' and multiplier > 20 or model == 'open_lm_7b')"


def test_published_relative_errors_and_coefficients(public_runs):
    """To every printed digit."""
    runs = Evaluations.read(public_runs / "gadre2024" / "runs.csv", columns={"params": "N"})
    conditions = {"fit_where": LOSS, "error_where": ERROR, "predict_where": HELD_OUT}
    conditions = {x: v.replace("multiplier", "token_multiplier") for x, v in conditions.items()}
    where = {name: f"dataset == 'rpj' and {text}" for name, text in conditions.items()}
    found = fit_overtraining(runs, loss="c4_val", benchmarks=GADRE_TASKS, **where)
    assert (len(found.loss_fit.runs), len(found.error_fit.runs)) == (5, 6)
    assert found.loss_fit.is_sound
    off = found.predictions.set_index(found.predictions["tokens_per_param"].round())
    assert (100 * off["loss_difference"]).round(5).to_dict() == {640: 0.71034, 20: 0.73205}
    assert (100 * off["error_difference"]).round(5).to_dict() == {640: 3.63650, 20: 0.04644}
    c = found.loss_fit.coefficients
    b = 6 ** (c["beta"] / 2) * c["B"]  # in the letters of the paper
    assert [f"{value:.2f}" for value in (c["A"], b)] == ["166.21", "366.69"]
    assert [f"{c[name]:.4f}" for name in ("beta", "E")] == ["0.2729", "1.8366"]


# -- simulated truths ------------------------------------------------------------------------------

E, A, B, BETA = 1.7, 120.0, 300.0, 0.27
EPSILON, K, GAMMA = 0.86, 2.2, 0.71
TRUTH = {"E": E, "A": A, "B": B, "beta": BETA, "epsilon": EPSILON, "k": K, "gamma": GAMMA}


def simulated(**changed) -> dict[str, Any]:
    """Six sizes by six ratios, without noise."""
    sizes = np.meshgrid(np.geomspace(1e7, 1e9, 6), [5.0, 10.0, 20.0, 80.0, 160.0, 640.0])
    params, ratio = (x.ravel() for x in sizes)
    tokens = params * ratio
    loss = E + A * params**-BETA + B * tokens**-BETA
    accuracy = 1 - EPSILON + K * np.exp(-GAMMA * loss)
    columns = {"N": params, "D": tokens, "multiplier": ratio, "loss_c4": loss}
    columns |= {"acc_one": accuracy - 0.05, "acc_two": accuracy + 0.05} | changed
    return {name: values for name, values in columns.items() if values is not None}


def test_the_truth_is_recovered_and_runs_without_a_score_are_left_out():
    second = [None if i < 3 else q for i, q in enumerate(simulated()["acc_two"])]
    data = simulated(acc_two=second)
    found = fit_overtraining(data, loss="c4", fit_where="multiplier <= 80 and N < 5e8")
    coefficients = found.loss_fit.coefficients | found.error_fit.coefficients
    assert coefficients == pytest.approx(TRUTH, rel=1e-6)
    assert len(found.error_fit.runs) == len(found.loss_fit.runs) - 3
    assert len(found.predictions) == 36 - len(found.loss_fit.runs)
    assert found.predictions["loss_difference"].abs().max() < 1e-8
    assert found.predictions["error_difference"].abs().max() < 1e-7


def test_costs_by_brute_force():
    """The extra loss and error from the laws themselves, with the optimal ratio by a search over
    ratios at one compute; runs at one ratio leave the law of loss open.
    """
    compute, found = 2e20, fit_overtraining(simulated(), loss="c4")
    own = found.costs(compute, [2.0, 20.0, 640.0])

    def loss_at(log_ratio):
        params = np.sqrt(compute / (6 * np.exp(log_ratio)))
        return E + A * params**-BETA + B * (np.exp(log_ratio) * params) ** -BETA

    best = minimize_scalar(loss_at, bounds=(-5, 8), method="bounded", options={"xatol": 1e-10})
    envelope = found.loss_fit.law.envelope
    assert envelope.tokens_per_param(compute) == pytest.approx(np.exp(best.x), rel=1e-4)
    loss = loss_at(np.log(own["tokens_per_param"].to_numpy()))
    error, least = (EPSILON - K * np.exp(-GAMMA * x) for x in (loss, best.fun))
    columns = {"loss": loss, "penalty": (loss - E) / (best.fun - E), "error": error}
    for name, values in (columns | {"extra_error": error - least}).items():
        assert own[name].to_numpy() == pytest.approx(values, rel=1e-5, abs=1e-8)
    assert envelope.loss(compute * (1 - own["lost_compute"])) == pytest.approx(loss, rel=1e-8)
    columns = {name: np.asarray(values)[6:12] for name, values in simulated().items()}
    with pytest.raises(ValueError, match="undetermined"):
        fit_overtraining(columns, loss="c4").costs(compute, [20.0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loss": "pile"}, "proxy='pile': .* has no such column"),
        ({"benchmarks": ["three"]}, "benchmark='three': .* no such benchmark"),
        ({"benchmarks": "one"}, "benchmarks='one': must be a sequence of names"),
        ({"fit_where": "N > 1e20"}, "0 usable runs; must be at least 4 for the coefficients"),
        ({"predict_where": "N > 1e20"}, "predict_where='N > 1e20': holds for none of 36 runs"),
        ({"fit_where": "N < 1.1e7 and multiplier < 30"}, "3 usable runs; must be at least 4"),
        ({"error_where": "N < 1.1e7 and multiplier < 15"}, "2 usable runs; must be at least 3"),
        ({"D": None}, "has no params and tokens"),
        ({"loss_c4": np.full(36, -2.0)}, "must be positive: it is no loss"),
    ],
)
def test_bad_input(options, message):
    columns = {name: options.pop(name) for name in ("D", "loss_c4") if name in options}
    with pytest.raises(ValueError, match=message):
        fit_overtraining(simulated(**columns), **{"loss": "c4", **options})
