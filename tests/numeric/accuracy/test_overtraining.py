"""Over-training: the published numbers of Gadre et al., recovered truths, costs, bad input."""

import math
from typing import Any

import mpmath
import numpy as np
import pytest

from isoflop.numeric.accuracy.overtraining import GADRE_TASKS, fit_overtraining
from isoflop.numeric.data.evaluations import Evaluations

SMALL = "model in ('d=96_l=8_h=4', 'd=512_l=8_h=4', 'd=576_l=24_h=8', 'd=1024_l=24_h=8')"
LOSS = (
    f"({SMALL} and token_multiplier == 20 or model == 'd=96_l=8_h=4' and token_multiplier == 320)"
)
ERROR = f"({LOSS} or model == 'open_lm_1b' and token_multiplier == 20)"
HELD_OUT = "(model == 'open_lm_1b' and token_multiplier > 20 or model == 'open_lm_7b')"


@pytest.fixture
def gadre(public_runs):
    return Evaluations.read(public_runs / "gadre2024" / "runs.csv", columns={"params": "N"})


def published_fit(runs, dataset="rpj", **options):
    on = f"dataset == '{dataset}' and "
    return fit_overtraining(
        runs,
        loss="c4_val",
        benchmarks=GADRE_TASKS,
        fit_where=on + LOSS,
        error_where=on + ERROR,
        predict_where=on + HELD_OUT,
        **options,
    )


# -- the published numbers -----------------------------------------------------------------------------------------------


def test_published_relative_errors_and_coefficients(gadre):
    """To every printed digit, at the exact minima of both laws."""
    found: Any = published_fit(gadre)
    assert (len(found.loss_fit.runs), len(found.error_fit.runs)) == (5, 6)
    assert found.is_sound
    off = found.predictions.set_index(found.predictions["tokens_per_param"].round())
    assert (100 * off["loss_difference"]).round(5).to_dict() == {640: 0.71034, 20: 0.73205}
    assert (100 * off["error_difference"]).round(5).to_dict() == {640: 3.63650, 20: 0.04644}
    c = found.coefficients
    assert [f"{c[name]:.2f}" for name in ("A", "b")] == ["166.21", "366.69"]
    assert [f"{c[name]:.4f}" for name in ("beta", "E")] == ["0.2729", "1.8366"]


def test_the_minima_at_high_precision(gadre):
    """The normal equations of both laws vanish, by Newton's method at 40 digits from the
    coefficients found.
    """
    found: Any = published_fit(gadre)
    on = gadre.mask("dataset == 'rpj' and " + LOSS)
    runs = list(
        zip(
            *(
                map(mpmath.mpf, map(float, x[on]))
                for x in (gadre.params, gadre.tokens, gadre.proxies["c4_val"])
            ),
            strict=True,
        )
    )
    with mpmath.workdps(40):

        def slopes(E, log_a, log_b, beta):
            total = [mpmath.mpf(0)] * 4
            for n, d, loss in runs:
                params, tokens = mpmath.exp(log_a) * n**-beta, mpmath.exp(log_b) * d**-beta
                residual = E + params + tokens - loss
                by = (1, params, tokens, -params * mpmath.log(n) - tokens * mpmath.log(d))
                total = [sum_ + residual * each for sum_, each in zip(total, by, strict=True)]
            return total

        c = found.coefficients
        start = [c["E"], mpmath.log(c["A"]), mpmath.log(c["B"]), c["beta"]]
        exact = mpmath.findroot(slopes, start)
        # The runs hardly tell E from beta: double precision leaves about ten digits.
        assert c["E"] == pytest.approx(float(exact[0]), rel=1e-8)
        assert c["A"] == pytest.approx(float(mpmath.exp(exact[1])), rel=1e-7)
        assert c["B"] == pytest.approx(float(mpmath.exp(exact[2])), rel=1e-7)
        assert c["beta"] == pytest.approx(float(exact[3]), rel=1e-8)


# -- simulated truths ----------------------------------------------------------------------------------------------------

E, A, B, BETA = 1.7, 120.0, 300.0, 0.27
EPSILON, K, GAMMA = 0.86, 2.2, 0.71
TRUTH = {"E": E, "A": A, "B": B, "beta": BETA, "epsilon": EPSILON, "k": K, "gamma": GAMMA}
TRUTH |= {"a": 6 ** (BETA / 2) * A, "b": 6 ** (BETA / 2) * B, "eta": BETA / 2}


def simulated(noise=0.0, seed=0):
    """Six sizes by six ratios."""
    random = np.random.default_rng(seed)
    params, ratio = (
        x.ravel()
        for x in np.meshgrid(np.geomspace(1e7, 1e9, 6), [5.0, 10.0, 20.0, 80.0, 160.0, 640.0])
    )
    tokens = params * ratio
    loss = E + A * params**-BETA + B * tokens**-BETA + noise * random.normal(size=len(params))
    accuracy = (
        1 - EPSILON + K * np.exp(-GAMMA * loss) + 0.3 * noise * random.normal(size=len(params))
    )
    return {
        "N": params,
        "D": tokens,
        "multiplier": ratio,
        "loss_c4": loss,
        "acc_one": accuracy - 0.05,
        "acc_two": accuracy + 0.05,
    }


def test_the_truth_is_recovered():
    found: Any = fit_overtraining(simulated(), loss="c4", fit_where="multiplier <= 80 and N < 5e8")
    assert found.coefficients == pytest.approx(TRUTH, rel=1e-6)
    assert found.benchmarks == ("one", "two")
    assert not found.notes
    foretold = found.predictions
    assert len(foretold) == 36 - len(found.loss_fit.runs)
    assert foretold["loss_difference"].abs().max() < 1e-8
    assert foretold["error_difference"].abs().max() < 1e-7


def test_costs_by_brute_force():
    """The optimal ratio by a search over ratios at one compute, and the extra loss and error from
    the laws themselves.
    """
    from scipy.optimize import minimize_scalar

    compute, ratios = 2e20, [2.0, 20.0, 640.0]
    found: Any = fit_overtraining(
        simulated(), loss="c4", compute=[compute, 1e21], tokens_per_param=ratios
    )
    assert found.predictions.empty
    assert len(found.costs) == 6

    def loss_at(ratio):
        params = math.sqrt(compute / (6 * ratio))
        return E + A * params**-BETA + B * (ratio * params) ** -BETA

    best = minimize_scalar(
        lambda x: loss_at(math.exp(x)), bounds=(-5, 8), method="bounded", options={"xatol": 1e-10}
    )
    assert found.optimal_tokens_per_param == pytest.approx(math.exp(best.x), rel=1e-4)
    optimal_error = EPSILON - K * math.exp(-GAMMA * best.fun)
    for cost in found.costs[found.costs["compute"] == compute].itertuples():
        loss = loss_at(cost.tokens_per_param)
        assert (cost.loss, cost.extra_loss) == pytest.approx(
            (loss, loss - best.fun), rel=1e-5, abs=1e-9
        )
        assert cost.penalty == pytest.approx((loss - E) / (best.fun - E), rel=1e-6)
        assert 6 * cost.params * cost.tokens == pytest.approx(compute)
        assert cost.error == pytest.approx(EPSILON - K * math.exp(-GAMMA * loss), rel=1e-6)
        assert cost.extra_error == pytest.approx(cost.error - optimal_error, rel=1e-4, abs=1e-8)
        saved = compute * (1 - cost.lost_compute)
        assert float(found.law.envelope.loss(saved)) == pytest.approx(loss, rel=1e-8)


def test_errors_outside_0_to_1_are_said():
    columns = simulated()
    accuracy = 0.2 + 2.6 * np.exp(-0.5 * columns["loss_c4"])
    small = {
        name: values[accuracy <= 1.0]
        for name, values in {**columns, "acc_one": accuracy, "acc_two": accuracy}.items()
    }
    far = {
        "N": 1e13,
        "D": 1e15,
        "multiplier": 100.0,
        "loss_c4": 1.8,
        "acc_one": 0.99,
        "acc_two": 0.99,
    }
    found: Any = fit_overtraining(
        {name: np.append(values, far[name]) for name, values in small.items()},
        loss="c4",
        fit_where="N < 1e12",
    )
    assert found.predictions["predicted_error"].item() < 0.0
    assert "law of error: 1 of 1 predictions are outside 0 to 1" in found.notes


def test_runs_without_a_score_are_left_out_and_said():
    columns = simulated()
    columns["acc_two"] = [None if i < 3 else q for i, q in enumerate(columns["acc_two"])]
    found: Any = fit_overtraining(columns, loss="c4")
    assert (len(found.loss_fit.runs), len(found.error_fit.runs)) == (36, 33)
    assert any("3 runs" in note and "left out" in note for note in found.notes)


# -- bad input -----------------------------------------------------------------------------------------------------------


def test_one_ratio_leaves_the_law_open():
    columns = {name: np.asarray(values)[6:12] for name, values in simulated().items()}
    columns = {**columns, "D": columns["N"] * 10.0}
    columns["loss_c4"] = E + A * columns["N"] ** -BETA + B * columns["D"] ** -BETA
    found: Any = fit_overtraining(columns, loss="c4")
    assert found.costs.empty
    assert any("undetermined; they need several ratios D/N" in note for note in found.notes)
    assert "M* = not determined" in str(found)
    with pytest.raises(ValueError, match="the runs do not determine the law of loss"):
        _ = found.law


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loss": "pile"}, "proxy='pile': .* has no such column"),
        ({"benchmarks": ["three"]}, "benchmark='three': .* no such benchmark"),
        ({"benchmarks": "one"}, "benchmarks='one': must be a sequence of names"),
        ({"fit_where": "N > 1e20"}, "fit_where='N > 1e20': leaves none of 36 runs"),
        ({"predict_where": "N > 1e20"}, "predict_where='N > 1e20': holds for none of 36 runs"),
        (
            {"fit_where": "N < 1.1e7 and multiplier < 30"},
            "3 runs of different loss: must be at least 4 for the coefficients of E",
        ),
        (
            {"error_where": "N < 1.1e7 and multiplier < 15"},
            "2 runs of different loss: must be at least 3",
        ),
        ({"benchmarks": []}, "must be a sequence of names"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        fit_overtraining(simulated(), **{"loss": "c4", **options})


def test_bad_tables():
    columns = simulated()
    with pytest.raises(ValueError, match="has no params and tokens"):
        fit_overtraining(
            {name: values for name, values in columns.items() if name != "D"}, loss="c4"
        )
    columns["loss_c4"] = -np.asarray(columns["loss_c4"])
    with pytest.raises(ValueError, match="must be positive: it is no loss"):
        fit_overtraining(columns, loss="c4")
    with pytest.raises(ValueError, match=r"tokens_per_param"):
        fit_overtraining(simulated(), loss="c4", tokens_per_param=[-1.0])


def test_the_figure_shows_runs_and_laws():
    found: Any = fit_overtraining(simulated(0.01), loss="c4", fit_where="N < 5e8")
    first, second = found.plot().flat
    lines = {str(line.get_label()): line.get_xydata() for line in first.lines}
    assert list(lines) == [f"M = {ratio:g}" for ratio in (5, 10, 20, 80, 160, 640)]
    compute, loss = lines["M = 80"].T
    params = np.sqrt(compute / 480.0)
    np.testing.assert_allclose(loss, found.loss(params, 80.0 * params))
    fitted, other = (len(marks.get_offsets()) for marks in first.collections)
    assert (fitted, other) == (len(found.loss_fit.runs), 36 - len(found.loss_fit.runs))
    losses, errors = second.lines[0].get_xydata().T
    np.testing.assert_allclose(errors, found.error(losses))
