"""Backtests of pass@k and of losses: splits, rows and summaries recomputed by hand, bad input."""

from dataclasses import replace
from math import log10
from typing import Any

import numpy as np
import pytest
from tests.data import grid_runs, law_truth

from isoflop.numeric.data.counts import Counts
from isoflop.numeric.hold_out import backtest
from isoflop.numeric.hold_out.splits import Split
from isoflop.numeric.passk.laws import fit_passk
from isoflop.numeric.simulate.counts import grid, simulate

LAW = {"E0": 0.3, "C0": 2e3, "alpha": 0.16}
SIZES, TOKENS = (1e8, 4e8, 1.6e9, 6.4e9), (2e9, 1.3e10, 7e10, 5e11)


def counts_of(scatter=0.0, *, samples=2000, problems=100, seed=0):
    """16 models whose -log pass@1 follows the compute law, times e^(scatter z)."""
    design = grid(SIZES, TOKENS)
    truth = law_truth(design, "compute", LAW, concentration=200.0, scatter=scatter, rng=seed)
    return Counts.read(simulate(truth, problems=problems, samples=samples, rng=seed + 1))


@pytest.fixture(scope="module")
def exact():
    return counts_of()


@pytest.fixture(scope="module")
def result(exact) -> Any:
    return backtest(exact, laws=["compute", "params-tokens"], k=[1, 8], resamples=40, cutoffs=6)


def test_rows_say_what_they_are_computed_from(result, exact):
    compute = exact.covariates["compute"]
    for row in result.rows():
        g = exact.names.index(row["target"])
        decades = log10(compute[g] / row["cutoff"])
        assert row["decades_held_out"] == pytest.approx(decades, abs=1e-9)
        below = compute <= row["cutoff"] * (1.0 + 1e-12)
        assert row["n_train"] == int((below & (np.arange(16) != g)).sum())
        relative = row["predicted"] / row["observed"] - 1.0
        assert row["relative_error"] == pytest.approx(relative, abs=1e-12)
        sound = row["converged"] and not row["undetermined"]
        within = row["lo"] <= row["observed"] <= row["hi"]
        assert row["inside"] == (within if sound else None)
        n, c = exact.per_group(g)
        if row["k"] == 1:
            assert row["observed"] == pytest.approx(-np.log((c / n).mean()), rel=1e-12)


def test_summaries_are_those_of_the_rows(result):
    rows = [row for row in result.rows() if row["converged"] and not row["undetermined"]]
    for found in result.errors().to_dict("records"):
        part = [
            row["relative_error"]
            for row in rows
            if (row["law"], row["k"]) == (found["law"], found["subject"])
            and found["decades_lo"] < row["decades_held_out"] <= found["decades_hi"]
        ]
        assert found["n"] == len(part)
        assert found["median_error"] == pytest.approx(np.median(np.abs(part)))
        assert found["mean_error"] == pytest.approx(np.mean(np.abs(part)))
        assert found["median_bias"] == pytest.approx(np.median(part))
        assert found["share_above"] == pytest.approx(np.mean(np.array(part) > 0.0))
    for found in result.errors(by_decades=False).to_dict("records"):
        own = [row for row in rows if (row["law"], row["k"]) == (found["law"], found["subject"])]
        inside = [row["inside"] for row in own]
        assert (found["n_intervals"], found["coverage"]) == (len(inside), np.mean(inside))


def test_stability_goes_back_from_the_final_fit(result):
    found = result.stability()
    assert found["lo"].notna().any()
    for row in found.dropna(subset=["lo"]).to_dict("records"):
        fits = result.of(row["subject"], row["law"])
        assert fits[0].split.at == max(fit.split.at for fit in fits)
        reached = fits[0].split.at
        for fit in fits:
            value = fit.estimates[row["coefficient"]].value
            if fit.doubt or not row["lo"] <= value <= row["hi"]:
                break
            reached = fit.split.at
        stable = log10(fits[0].split.at / reached)
        assert row["stable_decades"] == pytest.approx(stable, abs=1e-9)
        assert row["stable_censored"] == (reached == fits[-1].split.at)


@pytest.mark.parametrize("axis", ["compute", "params", "tokens", "gold"])
def test_all_targets_are_those_beyond_the_cutoff(exact, axis):
    """On every axis; of gold an expensive model has less."""
    sign = -1.0 if axis == "gold" else 1.0
    place = sign * np.log(exact.covariates[axis])
    found: Any = backtest(
        exact, laws="compute", k=[1], axis=axis, targets="all", resamples=0, cutoffs=3
    )
    for one in found.folds:
        cut = sign * np.log(one.split.at) + 1e-9
        assert (one.split.test == (place > cut)).all()
        assert (one.split.train == (place <= cut)).all()
    assert found.folds[0].n_train == 16


@pytest.mark.parametrize("count", [1, 2, 4])
def test_the_most_expensive_are_never_trained_on(exact, count):
    found = backtest(exact, laws="compute", k=[1], targets=count, resamples=0, cutoffs=3)
    dear = np.argsort(exact.covariates["compute"])[-count:]
    assert not any(one.split.train[dear].any() for one in found.folds)
    assert {*found.table["target"]} == {exact.names[g] for g in dear}


def test_targets_without_an_estimate_are_named_not_compared():
    """One model without a success, and one with too few samples for k = 50."""
    design = grid(SIZES, TOKENS)
    truth = law_truth(design, "compute", LAW, concentration=200.0)
    columns = simulate(truth, problems=30, samples=60, rng=3)
    *_, second, dearest = np.argsort(design.params * design.tokens)
    unsolved, short = (columns["model"] == design.model[g] for g in (dearest, second))
    columns["n_correct"] = np.where(unsolved, 0, columns["n_correct"])
    columns["n_samples"] = np.where(short, 20, columns["n_samples"])
    columns["n_correct"] = np.minimum(columns["n_correct"], columns["n_samples"])
    asked: dict[str, Any] = {"laws": "compute", "k": [50], "resamples": 0, "cutoffs": 3}
    found = backtest(columns, targets=2, **asked)
    assert (len(found.errors()), found.has_verdict) == (0, False)
    reasons = {*found.table["left_out"]}
    why = ("no success", "fewer than 50 samples of some problem")
    assert reasons == {f"target not observed: {reason}" for reason in why}
    assert all(row["observed"] is None and row["inside"] is None for row in found.rows())


def test_a_fit_that_leaves_a_coefficient_open_has_no_part(exact):
    """Its interval has ends, and it ends anywhere: it is counted with its open coefficients."""
    found = backtest(exact, laws="compute", k=[1], resamples=0, cutoffs=4)
    first, *others = found.folds
    fit = replace(first.fit)
    vars(fit)["undetermined"] = ("E0", "C0")
    tested = replace(found, folds=(replace(first, fit=fit), *others))
    assert tested.errors(by_decades=False)["n"].sum() == len(others)
    assert "the fitted rows leave E0, C0 open" in tested.doubts[0]


def test_models_of_a_size_are_drawn_together(exact):
    """Final intervals are those of the law fitted to the same models with the same resamples."""
    options: dict[str, Any] = {"k": [1], "resamples": 30, "seed": 5}
    (one,) = backtest(exact, laws="compute", cutoffs=1, targets="all", **options).folds
    own = fit_passk(exact, laws="compute", **options).at(1)
    alpha, found = one.estimates["alpha"], own.estimate("alpha")
    assert (alpha.low, alpha.high) == pytest.approx((found.low, found.high), rel=1e-6)


def test_a_fit_knows_nothing_of_the_models_beyond_its_cutoff():
    """With other counts of the dear models the fits to the cheap ones are the same."""
    counts = counts_of(0.1, samples=20, problems=60)
    compute = counts.covariates["compute"]
    cutoff = float(np.sort(compute)[9])
    dear = (compute > cutoff)[counts.group]
    changed = counts.c.copy()
    changed[dear] = np.random.default_rng(0).choice([0, 0, 0, 1, 19, 20, 20], size=int(dear.sum()))
    pairs = zip(
        *(
            backtest(each, laws="compute", k=[20], targets="all", resamples=0).folds
            for each in (counts, replace(counts, c=changed))
        ),
        strict=True,
    )
    for one, other in pairs:
        values = [each.fit.coefficients for each in (one, other)]
        if one.split.at <= cutoff * (1.0 + 1e-12):
            assert values[0] == pytest.approx(values[1], rel=1e-9)
        elif one.is_final:
            assert values[0] != pytest.approx(values[1], rel=1e-3)


def test_a_row_is_not_fitted_and_predicted():
    both = np.array([True, False])
    with pytest.raises(ValueError, match="row 0 is both fitted and held out"):
        Split(both, both)


# -- losses ----------------------------------------------------------------------------------------


def runs_table(noise=1e-3, seed=0):
    """36 runs of a params+tokens law with lognormal noise."""
    return grid_runs(6, 6, tokens=(2e9, 2e11), noise=noise, seed=seed)


def test_runs_off_the_frontier_follow_the_params_tokens_law_and_no_compute_law():
    """The same law as a formula predicts the same."""
    formula = "E + A*N^-beta + B*D^-gamma"
    laws = ["compute", "params-tokens", formula]
    found = backtest(runs_table(), laws=laws, targets=3, resamples=30, cutoffs=5)
    near = found.errors().query("decades_hi == 1").set_index("law")["median_error"]
    assert near["params-tokens"] < 0.005 < near["compute"]
    overall = found.errors(by_decades=False).set_index("law")["coverage"]
    assert overall["params-tokens"] > 0.6
    one, other = (found.table.query("law == @law")["predicted"].to_numpy() for law in laws[1:])
    np.testing.assert_allclose(one, other, rtol=1e-6)


def test_prediction_intervals_hold_as_often_as_they_say():
    inside = [
        backtest(runs_table(3e-3, seed), laws="params-tokens", targets=4, cutoffs=[6e20]).table
        for seed in range(12)
    ]
    assert 0.75 < np.mean([table["inside"].mean() for table in inside]) <= 1.0


def test_a_condition_holds_out_what_it_names():
    """One fit a law, to all other runs; those of the condition may be cheap ones."""
    table = runs_table()
    table["source"] = np.where(np.arange(36) % 4, "a", "b")
    found = backtest(table, laws="params-tokens", hold_out="source == 'b'", resamples=0)
    assert {*found.table["target"]} == {f"row {i + 1}" for i in range(0, 36, 4)}
    assert {*found.table["n_train"]} == {27}
    assert found.table["relative_error"].abs().max() < 0.01


# -- bad input -------------------------------------------------------------------------------------


def table_of(models, correct=None, **columns):
    rows: dict[str, Any] = {
        "model": np.repeat([f"m{g}" for g in range(models)], 3),
        "problem": np.tile([1, 2, 3], models),
        "n": np.full(3 * models, 20),
        "c": np.arange(3 * models) % 7 if correct is None else correct,
    }
    if "compute" not in columns:
        columns["compute"] = np.repeat(np.geomspace(1e18, 1e21, models), 3)
    return {name: values for name, values in (rows | columns).items() if values is not None}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"laws": "power"}, r"law='power': must be one of compute, params-tokens, gold"),
        ({"laws": []}, r"laws=\[\]: must be at least one"),
        ({"axis": "time"}, r"axis='time': must be one of compute"),
        ({"k": [0]}, r"k=0: must be a whole number of at least 1"),
        ({"targets": 0}, r"targets=0: must be all"),
        ({"targets": "most"}, r"targets='most': must be all"),
        ({"targets": 15}, r"law compute: 16 rows .* must leave at least 4 cheaper"),
        ({"cutoffs": 0}, r"cutoffs=0: must be"),
        (
            {"cutoffs": [1e10]},
            r"cutoffs=1.*0: no fit can be made; law compute: fewer than 4 rows up to",
        ),
        ({"cutoffs": []}, r"cutoffs=\[\]: must be"),
        ({"proxy": "c4"}, r"proxy='c4': is for evaluations"),
        ({"hold_out": "N > 1", "cutoffs": 3}, r"cutoffs=3: is for cutoffs"),
        ({"hold_out": "N > 1"}, r"hold_out='N > 1': holds out all"),
        ({"hold_out": "N < 1"}, r"hold_out='N < 1': holds out none"),
        ({"level": 1.0}, r"level=1.0: must"),
        ({"resamples": -1}, r"resamples=-1: must be"),
    ],
)
def test_bad_arguments(exact, options, message):
    with pytest.raises(ValueError, match=message):
        backtest(exact, **({"laws": "compute", "k": [1], "resamples": 0} | options))


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (table_of(1), {}, r"law compute: 1 row with compute"),
        (table_of(5, compute=None), {}, r"no law has all that it depends on"),
        (table_of(5), {"axis": "gold"}, r"axis='gold': data has no gold"),
        (table_of(5), {"laws": "gold"}, r"laws='gold': data has no gold"),
        (table_of(4, benchmark=["x", "y", "y"] * 4), {}, "2 benchmarks"),
        ({"a": [1], "b": [2]}, {}, r"data: has neither counts of samples .* nor a loss"),
        ({"compute": [1e20], "loss": [2.0]}, {"k": [1]}, r"k=\[1\]: is for counts"),
        ({"compute": [1e20], "loss": [2.0]}, {}, r"law compute: 1 row with compute"),
        ({"compute": [1e20], "loss": [2.0]}, {"laws": "best"}, "model='best': names no column"),
        (table_of(6, 0), {"k": [1]}, r"no fit can be made; law compute: .*5 without a success"),
        (table_of(6, 20), {"k": [1]}, r"no fit can be made; law compute: .*5 without a failure"),
    ],
)
def test_bad_data(data, options, message):
    with pytest.raises(ValueError, match=message):
        backtest(data, **options)
