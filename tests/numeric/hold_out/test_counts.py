"""Backtests of pass@k and of losses: splits, rows and summaries recomputed by hand, bad input."""

from math import log10
from typing import Any

import numpy as np
import pytest
from tests.data import grid_runs, law_truth

from isoflop.numeric.data.counts import Counts
from isoflop.numeric.data.runs import Runs
from isoflop.numeric.hold_out import backtest
from isoflop.numeric.passk.fit_at_k import upper_limit
from isoflop.numeric.passk.laws import fit_passk
from isoflop.numeric.simulate.counts import grid, simulate

LAW = {"E0": 0.3, "C0": 2e3, "alpha": 0.16}
DESIGN = grid((1e8, 4e8, 1.6e9, 6.4e9), (2e9, 1.3e10, 7e10, 5e11))
QUICK: dict[str, Any] = {"laws": "compute", "k": [1], "resamples": 0}


@pytest.fixture(scope="module")
def exact():
    """16 models whose -log pass@1 follows the compute law."""
    truth = law_truth(DESIGN, "compute", LAW, concentration=200.0)
    return Counts.read(simulate(truth, problems=100, samples=2000, rng=1))


@pytest.fixture(scope="module")
def result(exact) -> Any:
    return backtest(exact, laws=["compute", "params-tokens"], k=[1], resamples=10, cutoffs=3)


def test_rows_follow_from_what_they_are_computed_from(result, exact):
    compute = exact.covariates["compute"]
    undetermined = result.fits.set_index(["subject", "law", "cutoff"])["undetermined"]
    for row in result.as_dict()["predictions"]:
        g = exact.names.index(row["target"])
        decades = log10(compute[g] / row["cutoff"])
        assert row["decades_held_out"] == pytest.approx(decades, abs=1e-9)
        below = compute <= row["cutoff"] * (1.0 + 1e-12)
        assert row["n_train"] == int((below & (np.arange(16) != g)).sum())
        relative = row["predicted"] / row["observed"] - 1.0
        assert row["relative_error"] == pytest.approx(relative, abs=1e-12)
        assert row["usable"] == (undetermined[row["subject"], row["law"], row["cutoff"]] == "")
        within = row["lo"] <= row["observed"] <= row["hi"]
        assert row["inside"] == (within if row["usable"] else None)
        n, c = exact.per_group(g)
        assert row["observed"] == pytest.approx(-np.log((c / n).mean()), rel=1e-12)


def test_summaries_are_those_of_the_rows(result):
    usable = result.table[result.table["usable"]]
    for found in result.errors().itertuples():
        own = usable.query("law == @found.law and subject == @found.subject")
        own = own[np.ceil(own["decades_held_out"]) == found.decades]
        part, size = own["relative_error"], own["relative_error"].abs()
        assert (found.n, found.coverage) == (len(own), own["inside"].mean())
        assert found[6:9] == pytest.approx((size.median(), size.mean(), part.median()))


def test_stability_goes_back_from_the_final_fit(result):
    found = result.coefficients.dropna(subset=["stable_decades"])
    assert len(found)
    for row in found.itertuples():
        fits = result.fits.query("law == @row.law and subject == @row.subject")
        assert fits["cutoff"].is_monotonic_decreasing
        reached = start = fits["cutoff"].iloc[0]
        for fit in fits.itertuples():
            value = fit.fit.coefficients[row.coefficient]
            if not fit.converged or fit.undetermined or not row.lo <= value <= row.hi:
                break
            reached = fit.cutoff
        assert row.stable_decades == pytest.approx(log10(start / reached), abs=1e-9)
        assert row.stable_censored == (reached == fits["cutoff"].iloc[-1])


def test_a_final_fit_draws_models_together_as_fit_passk_does():
    """Its intervals and the upper limit of its floor are those of `fit_passk` on the same models;
    were each model drawn for itself, the limit would be 0.55.
    """
    noise: dict[str, Any] = {"concentration": 200.0, "scatter": 0.2}
    truth = law_truth(DESIGN, "compute", LAW | {"E0": 0.0}, rng=np.random.default_rng(5), **noise)
    counts = Counts.read(simulate(truth, problems=60, samples=200, rng=5))
    most = float(counts.covariates["compute"].max())
    options: dict[str, Any] = {"laws": "compute", "k": [1], "resamples": 8, "seed": 5}
    found = backtest(counts, hold_out=f"compute >= {most!r}", **options).fit("compute", 1)
    reference = fit_passk(counts.subset(counts.covariates["compute"] < most), **options).at(1)
    assert upper_limit(found) == pytest.approx(upper_limit(reference), rel=1e-9)
    assert upper_limit(found) > 0.7
    alphas = [fit.estimate("alpha") for fit in (found, reference)]
    assert alphas[0].low == pytest.approx(alphas[1].low, rel=1e-6)
    assert alphas[0].high == pytest.approx(alphas[1].high, rel=1e-6)


@pytest.mark.parametrize("axis", ["tokens", "gold"])
def test_a_sweep_predicts_all_models_beyond_the_cutoff(exact, axis):
    """An expensive model has less gold."""
    sign = -1.0 if axis == "gold" else 1.0
    place = sign * np.log(exact.covariates[axis])
    found = backtest(exact, axis=axis, sweep=True, cutoffs=2, **QUICK)
    for fit in found.fits.itertuples():
        cut = sign * np.log(fit.cutoff) + 1e-9
        assert (fit.split.test == (place > cut)).all()
        assert (fit.split.train == (place <= cut)).all()
    assert found.finals["n_train"].tolist() == [16]


def test_targets_without_an_estimate_are_named_not_compared():
    """One model without a success, and one with too few samples for k = 50."""
    truth = law_truth(DESIGN, "compute", LAW, concentration=200.0)
    columns = simulate(truth, problems=30, samples=60, rng=3)
    *_, third, second, dearest = np.argsort(DESIGN.compute)
    columns.loc[columns.model == DESIGN.model[dearest], "n_correct"] = 0
    columns.loc[columns.model == DESIGN.model[second], "n_samples"] = 20
    columns["n_correct"] = columns[["n_correct", "n_samples"]].min(axis=1)
    options: dict[str, Any] = {"sweep": True, "cutoffs": [1.001 * DESIGN.compute[third]]}
    found = backtest(Counts.read(columns), **QUICK | options | {"k": [50]})
    assert (len(found.errors()), found.has_verdict) == (0, False)
    reasons = ("no success", "fewer than 50 samples of some problem")
    assert {*found.table["left_out"]} == {f"target not observed: {reason}" for reason in reasons}
    assert all(
        row["observed"] is None and row["inside"] is None for row in found.as_dict()["predictions"]
    )


# -- losses ----------------------------------------------------------------------------------------


def test_runs_off_the_frontier_follow_the_params_tokens_law_and_no_compute_law():
    """The same law as a formula predicts the same."""
    runs = Runs.read(grid_runs(6, 6, tokens=(2e9, 2e11), noise=1e-3))
    laws = ["compute", "params-tokens", "E + A*N^-beta + B*D^-gamma"]
    found = backtest(runs, laws=laws, sweep=True, resamples=0, cutoffs=2)
    near = found.errors().query("decades == 1").set_index("law")["median_error"]
    assert near["params-tokens"] < 0.005 < near["compute"]
    one, other = (found.table.query("law == @law")["predicted"].to_numpy() for law in laws[1:])
    np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.parametrize("how", [{"hold_out": "compute > 1e21"}, {"cutoffs": 2}])
def test_fits_know_nothing_of_what_they_predict(how):
    """Held-out losses may be anything: predictions stay, of the largest runs at each cutoff."""
    runs = grid_runs()
    runs["compute"] = 6.0 * runs["params"] * runs["tokens"]
    found = backtest(Runs.read(runs), resamples=0, **how).table
    is_held = runs["compute"] >= found["size"].max() if "cutoffs" in how else runs["compute"] > 1e21
    changed = {**runs, "loss": runs["loss"] * (1.0 + 0.5 * is_held)}
    other = backtest(Runs.read(changed), resamples=0, **how).table
    cheapest = found["cutoff"] == found["cutoff"].min() if "cutoffs" in how else slice(None)
    before, after = (part["predicted"][cheapest].to_numpy() for part in (found, other))
    assert before == pytest.approx(after, rel=1e-12)
    assert (other["observed"][cheapest] != found["observed"][cheapest]).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"axis": "time"}, r"axis='time': must be one of compute"),
        ({"axis": "gold"}, "axis='gold': data has no gold"),
        ({"cutoffs": 0}, r"cutoffs=0: must be"),
        ({"cutoffs": []}, r"cutoffs=\[\]: must be"),
        ({"cutoffs": "all"}, r"cutoffs='all': must be"),
        ({"proxy": "c4"}, r"proxy='c4': is for Evaluations"),
        ({"resamples": -1}, r"resamples=-1: must be"),
        ({"laws": "best"}, "model='best': names no column"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        backtest(Runs.read(grid_runs()), **{"laws": "compute"} | options)


def test_where_nothing_can_be_fitted_the_reason_is_given():
    found = backtest(Runs.read(grid_runs()), laws="compute", cutoffs=[1e10])
    assert not found.has_verdict
    assert "no fit: fewer than 4 cheaper rows" in found.notes[0]
    with pytest.raises(ValueError, match="no law has all that it depends on"):
        backtest(Runs.read({"loss": [2.0, 3.0]}, require=("loss",)))
