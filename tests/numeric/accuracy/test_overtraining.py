"""Over-training: the published numbers of Gadre et al., recovered truths, costs, resamples, and
what bad input says.
"""

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


@pytest.fixture(scope="module")
def gadre(public_runs_module):
    return Evaluations.read(public_runs_module / "gadre2024" / "runs.csv", columns={"params": "N"})


@pytest.fixture(scope="module")
def public_runs_module(request):
    return request.getfixturevalue("public_runs")


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
    assert (found.for_loss.sum(), found.for_error.sum()) == (5, 6)
    assert found.loss_fit.converged
    assert found.error_fit.converged
    printed = {
        (640.0, "loss"): "0.7103",
        (20.0, "loss"): "0.7320",
        (640.0, "error"): "3.6365",
        (20.0, "error"): "0.0464",
    }
    assert {round(each.tokens_per_param) for each in found.predictions} == {640, 20}
    for each in found.predictions:
        ratio = float(round(each.tokens_per_param))
        assert f"{100 * abs(each.loss.difference):.4f}" == printed[ratio, "loss"]
        assert f"{100 * abs(each.error.difference):.4f}" == printed[ratio, "error"]
    c = found.coefficients | found.compute_coefficients
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
    np.testing.assert_allclose(list(found.coefficients.values())[:4], [E, A, B, BETA], rtol=1e-6)
    np.testing.assert_allclose(
        list(found.coefficients.values())[4:], [EPSILON, K, GAMMA], rtol=1e-6
    )
    assert found.benchmarks == ("one", "two")
    assert not found.notes
    assert len(found.predictions) == 36 - found.for_loss.sum()
    for each in found.predictions:
        assert each.loss.predicted.value == pytest.approx(each.loss.measured, rel=1e-8)
        assert each.error.predicted.value == pytest.approx(each.error.measured, rel=1e-7)
        assert each.loss.difference is not None
        assert abs(each.loss.difference) < 1e-8


def test_the_law_in_compute_and_ratio():
    found: Any = fit_overtraining(simulated(), loss="c4")
    c = found.compute_coefficients
    assert c == pytest.approx(
        {"E": E, "a": 6 ** (BETA / 2) * A, "b": 6 ** (BETA / 2) * B, "eta": BETA / 2}, rel=1e-6
    )
    compute, ratio = 3e20, 75.0
    params = math.sqrt(compute / (6 * ratio))
    direct = (
        c["E"] + (c["a"] * ratio ** c["eta"] + c["b"] * ratio ** -c["eta"]) * compute ** -c["eta"]
    )
    assert found.loss([params], [ratio * params])[0] == pytest.approx(direct, rel=1e-12)
    assert found.predictions == ()


def test_costs_by_brute_force():
    """The optimal ratio by a search over ratios at one compute, and the extra loss and error from
    the laws themselves.
    """
    from scipy.optimize import minimize_scalar

    found: Any = fit_overtraining(simulated(), loss="c4")
    compute = 2e20

    def loss_at(ratio):
        params = math.sqrt(compute / (6 * ratio))
        return E + A * params**-BETA + B * (ratio * params) ** -BETA

    best = minimize_scalar(
        lambda x: loss_at(math.exp(x)), bounds=(-5, 8), method="bounded", options={"xatol": 1e-10}
    )
    assert found.optimal_tokens_per_param == pytest.approx(math.exp(best.x), rel=1e-4)
    optimal_error = EPSILON - K * math.exp(-GAMMA * best.fun)
    for cost in found.cost(compute, [2.0, 20.0, 640.0]):
        loss = loss_at(cost.tokens_per_param)
        assert (cost.loss, cost.extra_loss.value) == pytest.approx(
            (loss, loss - best.fun), rel=1e-5, abs=1e-9
        )
        assert cost.penalty == pytest.approx((loss - E) / (best.fun - E), rel=1e-6)
        assert 6 * cost.params * cost.tokens == pytest.approx(compute)
        assert cost.error == pytest.approx(EPSILON - K * math.exp(-GAMMA * loss), rel=1e-6)
        assert cost.error is not None
        assert cost.extra_error.value == pytest.approx(
            cost.error - optimal_error, rel=1e-4, abs=1e-8
        )
        saved = compute * (1 - cost.lost_compute.value)
        assert float(found.law.envelope.loss(saved)) == pytest.approx(loss, rel=1e-8)


@pytest.mark.parametrize("kind", ["residuals", "cases"])
def test_intervals_hold_the_truth_about_as_often_as_they_say(kind):
    """90 % intervals of the law at a large run, over 30 simulated tables."""
    n, d = 7e9, 1.4e11
    truth = E + A * n**-BETA + B * d**-BETA
    hits = 0
    for seed in range(30):
        found: Any = fit_overtraining(
            _with_large_run(simulated(0.01, seed), n, d),
            loss="c4",
            fit_where="N < 2e9",
            repeats=100,
            kind=kind,
            seed=seed,
        )
        (each,) = found.predictions
        assert each.loss.predicted.has_interval
        hits += not each.loss.predicted.excludes(truth)
    assert 21 <= hits <= 30


def _with_large_run(columns, params, tokens):
    more = {
        "N": params,
        "D": tokens,
        "multiplier": tokens / params,
        "loss_c4": 2.2,
        "acc_one": 0.5,
        "acc_two": 0.6,
    }
    return {name: np.append(values, more[name]) for name, values in columns.items()}


def test_an_interval_of_a_new_run_holds_measured_values_as_often_as_it_says():
    """Which that of the law does not: a run scatters about the law. 12 new runs of each of 25
    simulated tables.
    """
    held: dict[str, list[bool]] = {
        "loss_interval": [],
        "new_loss_interval": [],
        "error_interval": [],
        "new_error_interval": [],
    }
    for seed in range(25):
        found: Any = fit_overtraining(
            simulated(0.01, seed=seed),
            loss="c4",
            fit_where="multiplier <= 80",
            repeats=60,
            seed=seed,
        )
        for each in found.predictions:
            for name, hits in held.items():
                foretold = each.error if "error" in name else each.loss
                estimate = foretold.new_run if name.startswith("new") else foretold.predicted
                assert estimate.has_interval
                hits.append(not estimate.excludes(foretold.measured))
    share = {name: np.mean(hits) for name, hits in held.items()}
    # Nominally 90 %; runs of a table share its fit, so that the share itself is known to a few
    # points.
    assert 0.82 <= share["new_loss_interval"] <= 0.97
    assert 0.82 <= share["new_error_interval"] <= 0.99
    assert share["loss_interval"] < 0.7
    assert share["error_interval"] < 0.8


def test_no_interval_of_a_new_run_without_residuals():
    """As many runs as coefficients tell nothing of their scatter."""

    four = "N < 3e7 and (multiplier == 5 or multiplier == 640)"
    found: Any = fit_overtraining(
        simulated(0.01), loss="c4", fit_where=four, repeats=100, kind="cases"
    )
    assert found.for_loss.sum() == 4
    assert all(each.loss.predicted.has_interval for each in found.predictions)
    assert all(not each.loss.new_run.has_interval for each in found.predictions)


def test_intervals_of_coefficients_and_of_the_optimum():
    """Those of a, b, eta and M* by the closed forms of Gadre et al. from every resample, in double
    precision.
    """
    found: Any = fit_overtraining(simulated(0.01), loss="c4", repeats=100, level=0.8)
    assert found.draws is not None
    _, A_, B_, beta = found.draws.coefficients[:, :4].T
    expected = {
        "beta": beta,
        "a": A_ * 6 ** (beta / 2),
        "b": B_ * 6 ** (beta / 2),
        "optimal_tokens_per_param": (B_ / A_) ** (1 / beta),
        "gamma": found.draws.columns["gamma"],
    }
    for name, values in expected.items():
        interval = found.intervals[name]
        assert (interval.low, interval.high) == pytest.approx(
            tuple(np.quantile(values, [0.1, 0.9])), rel=1e-9
        ), name
    interval = found.intervals["optimal_tokens_per_param"]
    assert interval.low < found.optimal_tokens_per_param == interval.value < interval.high
    assert found.is_sound
    assert not any(
        each.has_interval
        for each in fit_overtraining(simulated(0.01), loss="c4").intervals.values()
    )


def test_intervals_of_costs():
    """By the penalty of every resampled law at the same ratio, with its own optimum."""
    found: Any = fit_overtraining(simulated(0.01), loss="c4", repeats=60, level=0.8)
    best, compute = found.optimal_tokens_per_param, 1e21
    near: Any
    far: Any
    near, far = found.cost(compute, [best, 30.0 * best])
    assert found.draws is not None
    extra, error = [], []
    for (E, A_, B_, beta), (_, k, gamma) in zip(
        *np.split(found.draws.coefficients, [4], axis=1), strict=True
    ):

        def loss(ratio, A_=A_, B_=B_, beta=beta, E=E):
            return (
                E
                + A_ * (compute / (6.0 * ratio)) ** (-beta / 2)
                + B_ * (compute * ratio / 6.0) ** (-beta / 2)
            )

        least, at = loss((B_ / A_) ** (1 / beta)), loss(far.tokens_per_param)
        extra.append(at - least)
        error.append(k * np.exp(-gamma * least) - k * np.exp(-gamma * at))
    assert (far.extra_loss.low, far.extra_loss.high) == pytest.approx(
        tuple(np.quantile(extra, [0.1, 0.9])), rel=1e-6
    )
    assert (far.extra_error.low, far.extra_error.high) == pytest.approx(
        tuple(np.quantile(error, [0.1, 0.9])), rel=1e-6
    )
    # At the optimum a cost of nothing is not excluded.
    assert near.extra_loss.at_most
    assert near.extra_loss.low == 0.0 < near.extra_loss.high < far.extra_loss.low
    assert "at most" in str(found)
    plain = fit_overtraining(simulated(0.01), loss="c4").cost(compute, [best])[0]
    assert not plain.extra_loss.has_interval


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
    first = found.predictions[0]
    assert first.error.predicted.value < 0.0
    assert (
        "law of error: 1 of 1 errors that it foretells are outside 0 to 1: it does not reach so far"
        in found.notes
    )


def test_runs_without_a_score_are_left_out_and_said():
    columns = simulated()
    columns["acc_two"] = [None if i < 3 else q for i, q in enumerate(columns["acc_two"])]
    found: Any = fit_overtraining(columns, loss="c4")
    assert (found.for_loss.sum(), found.for_error.sum()) == (36, 33)
    assert any("3 runs" in note and "left out" in note for note in found.notes)


# -- bad input -----------------------------------------------------------------------------------------------------------


def test_one_ratio_leaves_the_law_open():
    columns = {name: np.asarray(values)[6:12] for name, values in simulated().items()}
    columns = {**columns, "D": columns["N"] * 10.0}
    columns["loss_c4"] = E + A * columns["N"] ** -BETA + B * columns["D"] ** -BETA
    found: Any = fit_overtraining(columns, loss="c4")
    assert found.costs == ()
    assert any("undetermined; they need several ratios D/N" in note for note in found.notes)
    assert "optimum" not in str(found)
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
            "3 runs: must be at least 4 for the coefficients of E",
        ),
        (
            {"error_where": "N < 1.1e7 and multiplier < 15"},
            "takes 2 values at 2 runs; must take at least 3",
        ),
        ({"benchmarks": []}, "must be a sequence of names"),
        ({"kind": "pairs", "repeats": 5}, "kind='pairs': must be one of residuals, cases"),
        ({"repeats": -1}, "repeats=-1: must be a whole number"),
        ({"level": 1.0}, "level=1.0: must be"),
        (
            {"fit_where": "N < 1.1e7 and multiplier < 100", "repeats": 5},
            "4 runs leave no residuals for 4 coefficients",
        ),
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
    found: Any = fit_overtraining(simulated(), loss="c4")
    with pytest.raises(ValueError, match=r"tokens_per_param=-1\.0"):
        found.cost(1e20, [-1.0])


# -- which runs a law knows ----------------------------------------------------------------------------------------------


def test_scatter_is_in_the_units_of_what_is_fitted():
    """RMSE and R2 from their definitions."""
    columns = simulated(0.01)
    found: Any = fit_overtraining(columns, loss="c4")
    c = found.coefficients
    law = c["E"] + c["A"] * columns["N"] ** -c["beta"] + c["B"] * columns["D"] ** -c["beta"]
    off = columns["loss_c4"] - law
    assert found.loss_errors["rmse"] == pytest.approx(math.sqrt(np.mean(off**2)), rel=1e-9)
    assert found.loss_errors["r2"] == pytest.approx(
        1.0 - np.var(off) / np.var(columns["loss_c4"]), abs=1e-6
    )
    e = found.coefficients
    error = 1.0 - 0.5 * (columns["acc_one"] + columns["acc_two"])
    wrong = error - e["epsilon"] + e["k"] * np.exp(-e["gamma"] * columns["loss_c4"])
    assert found.error_errors["rmse"] == pytest.approx(math.sqrt(np.mean(wrong**2)), rel=1e-8)


def test_training_sets_in_one_fit_are_told_by_their_residuals():
    """Two sets whose losses differ by 0.1; names of models, which follow from the size, and of runs
    say nothing.
    """
    one, other = simulated(0.002, 1), simulated(0.002, 2)
    columns: dict[str, Any] = {name: np.concatenate([one[name], other[name]]) for name in one}
    columns["loss_c4"][36:] += 0.1
    columns |= {
        "data set": ["web"] * 36 + ["books"] * 36,
        "architecture": [f"of {n:.3g}" for n in columns["N"]],
        "note": [f"number {i}" for i in range(72)],
    }
    (note,) = (note for note in fit_overtraining(columns, loss="c4").notes if "pools" in note)
    assert "2 kinds of data set" in note
    assert "web (36 runs, -0.0" in note
    assert "books (36 runs, +0.0" in note
    assert "condition such as `data set` == 'web'" in note
    p = float(note.partition("p = ")[2].split()[0])
    assert p < 1e-20
    assert not fit_overtraining(columns, loss="c4", fit_where="`data set` == 'web'").notes
    columns["loss_c4"][36:] -= 0.1
    (note,) = fit_overtraining(columns, loss="c4").notes
    assert float(note.partition("p = ")[2].split()[0]) > 1e-3, "the same law"


def test_the_figure_shows_runs_and_laws():
    from isoflop.numeric.plot.overtraining import plot_error, plot_loss, plot_overtraining

    found: Any = fit_overtraining(simulated(0.01), loss="c4", fit_where="N < 5e8")

    def drawn(line):
        return np.array(line.get_data(), dtype=np.float64)

    ax = plot_loss(found)
    lines = {
        str(line.get_label()): drawn(line)
        for line in ax.lines
        if str(line.get_label()).startswith("M = ")
    }
    assert list(lines) == [f"M = {ratio:g}" for ratio in (5, 10, 20, 80, 160, 640)]
    compute, loss = lines["M = 80"]
    params = np.sqrt(compute / 480.0)
    np.testing.assert_allclose(loss, found.loss(params, 80.0 * params))
    marks = [line for line in ax.lines if drawn(line).shape == (2, 1)]
    assert len(marks) == 36
    assert sum(line.get_markerfacecolor() == "none" for line in marks) == 36 - found.for_loss.sum()
    losses, errors = drawn(plot_error(found).lines[0])
    np.testing.assert_allclose(errors, found.error(losses))
    assert plot_overtraining(found).shape == (1, 2)
