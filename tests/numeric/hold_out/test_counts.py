"""Backtests of pass@k on models of a known law, and on models that break it."""

from dataclasses import replace
from math import log10
from typing import Any

import numpy as np
import pytest

from isoflop.numeric.hold_out import backtest, judge
from isoflop.numeric.hold_out.splits import Split
from isoflop.numeric.passk.laws import fit_passk
from isoflop.numeric.simulate.counts import Fixed, grid, law_truth, simulate

LAW = {"E0": 0.3, "C0": 2e3, "alpha": 0.16}
SIZES, TOKENS = (1e8, 4e8, 1.6e9, 6.4e9), (2e9, 1.3e10, 7e10, 5e11)


def counts_of(scatter=0.0, *, samples=2000, problems=100, seed=0, law=LAW):
    """16 models whose -log pass@1 follows the compute law, times e^(scatter z)."""
    design = grid(SIZES, TOKENS)
    truth = law_truth(design, "compute", law, concentration=200.0, scatter=scatter, rng=seed)
    made = simulate(design, truth, problems=problems, sampling=Fixed(samples), rng=seed + 1)
    return made.counts()


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
    for found in result.errors():
        part = [
            row["relative_error"]
            for row in rows
            if (row["law"], row["k"]) == (found["law"], found["k"])
            and found["decades_lo"] < row["decades_held_out"] <= found["decades_hi"]
        ]
        assert found["n"] == len(part)
        assert found["median_error"] == pytest.approx(np.median(np.abs(part)))
        assert found["mean_error"] == pytest.approx(np.mean(np.abs(part)))
        assert found["median_bias"] == pytest.approx(np.median(part))
        assert found["share_above"] == pytest.approx(np.mean(np.array(part) > 0.0))
    for found in result.errors(by_decades=False):
        own = [row for row in rows if (row["law"], row["k"]) == (found["law"], found["k"])]
        inside = [row["inside"] for row in own]
        share = np.mean(inside)
        assert (found["n_intervals"], found["coverage"]) == (len(inside), share)
        error = np.sqrt(share * (1.0 - share) / len(inside))
        assert found["coverage_se"] == pytest.approx(error, abs=1e-12)


def test_stability_goes_back_from_the_final_fit(result):
    found = result.stability()
    assert any(row["lo"] is not None for row in found)
    for row in found:
        fits = result.of(row["k"], row["law"])
        final = fits[0]
        assert final is result.final(row["law"], row["k"])
        assert final.split.at == max(fit.split.at for fit in fits)
        if row["lo"] is None:
            continue
        reached = final.split.at
        for fit in fits:
            value = fit.estimates[row["coefficient"]].value
            if not (fit.is_sound and row["lo"] <= value <= row["hi"]):
                break
            reached = fit.split.at
        stable = log10(final.split.at / reached)
        assert row["stable_decades"] == pytest.approx(stable, abs=1e-9)
        assert row["stable_censored"] == (reached == fits[-1].split.at)


def test_all_targets_are_those_beyond_the_cutoff(exact):
    found: Any = backtest(exact, laws="compute", k=[1], targets="all", resamples=0, cutoffs=4)
    compute = exact.covariates["compute"]
    for fit in found.judged:
        cut = fit.split.at * (1.0 + 1e-12)
        assert {*np.flatnonzero(fit.split.test)} == {*np.flatnonzero(compute > cut)}
        assert fit.n_train == int((compute <= cut).sum())
    assert found.judged[0].n_train == 16


@pytest.mark.parametrize(("targets", "count"), [(2, 2), (4, 4)])
def test_targets_are_never_trained_on(exact, targets, count):
    found = backtest(exact, laws="compute", k=[1], targets=targets, resamples=0, cutoffs=3)
    dear = np.argsort(exact.covariates["compute"])[-count:]
    assert not any(fit.split.train[dear].any() for fit in found.judged)
    assert {*found.table["target"]} == {exact.names[g] for g in dear}


@pytest.mark.parametrize("axis", ["params", "tokens", "gold"])
def test_other_axes(exact, axis):
    found: Any = backtest(exact, laws=["compute", "gold"], k=[1], axis=axis, resamples=0, cutoffs=2)
    sign = -1.0 if axis == "gold" else 1.0
    place = sign * np.log(exact.covariates[axis])
    for fit in found.judged:
        cut = sign * np.log(fit.split.at)
        assert (place[fit.split.train] <= cut + 1e-9).all()
        assert (place[fit.split.test] > cut + 1e-9).all()
    assert (found.table["decades_held_out"] > 0.0).all()


def test_targets_without_a_success_are_counted_not_compared():
    design = grid(SIZES, TOKENS)
    truth = law_truth(design, "compute", LAW, concentration=200.0)
    columns = simulate(design, truth, problems=30, rng=3).columns()
    last = columns["model"] == design.names[-1]
    columns["n_correct"] = np.where(last, 0, columns["n_correct"])
    found = backtest(columns, laws="compute", k=[1], resamples=0, cutoffs=3)
    assert (found.errors(), found.has_verdict) == ([], False)
    said = [(row["reason"], row["n"]) for row in found.failures()]
    assert said == [("target not observed: no success", 3)]
    assert all(row["observed"] is None and row["inside"] is None for row in found.rows())


def test_a_fit_that_leaves_a_coefficient_open_has_no_part(exact):
    """Its interval has ends, and it ends anywhere: it is counted with its open coefficients."""
    found = backtest(exact, laws="compute", k=[1], resamples=0, cutoffs=4)

    def with_open(one, names):
        fit = replace(one.fit)
        vars(fit)["undetermined"] = names
        return replace(one, fit=fit)

    first, *others = found.judged
    judged = (with_open(first, ("E0", "C0")), *(with_open(one, ()) for one in others))
    tested = replace(found, judged=judged)
    assert sum(row["n"] for row in tested.errors(by_decades=False)) == len(others)
    reasons = [row["reason"] for row in tested.failures()]
    assert reasons == ["the fitted rows leave E0, C0 open"]


def test_models_of_a_size_are_drawn_together(exact):
    """Final intervals are those of the law fitted to the same models with the same resamples."""
    options: dict[str, Any] = {"k": [1], "resamples": 30, "seed": 5}
    (fit,) = backtest(exact, laws="compute", cutoffs=1, targets="all", **options).judged
    own = fit_passk(exact, laws="compute", **options).at(1)
    alpha, found = fit.estimates["alpha"], own.estimate("alpha")
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
            backtest(each, laws="compute", k=[200], targets="all", resamples=0).judged
            for each in (counts, replace(counts, c=changed))
        ),
        strict=True,
    )
    for one, other in pairs:
        values = [each.fit.coefficients for each in (one, other)]
        if one.split.at <= cutoff * (1.0 + 1e-12):
            assert values[0] == pytest.approx(values[1], rel=1e-9)
        elif one.split.is_final:
            assert values[0] != pytest.approx(values[1], rel=1e-3)


def test_ways_of_observing_are_told_apart():
    """Every other model has too few samples for k = 50."""
    design = grid(SIZES, TOKENS)
    truth = law_truth(design, "compute", LAW, concentration=200.0, scatter=0.1, rng=0)
    columns = simulate(design, truth, problems=60, sampling=Fixed(60), rng=1).columns()
    few = np.isin(columns["model"], design.names[::2])
    columns["n_samples"] = np.where(few, 20, columns["n_samples"])
    columns["n_correct"] = np.where(few, columns["n_correct"] // 3, columns["n_correct"])
    found = backtest(columns, laws="compute", k=[5, 50], targets="all", resamples=0)
    ways = {(5, "estimate"), (50, "estimate"), (50, "likelihood")}
    rows = found.errors(by_decades=False)
    assert {(row["k"], row["how_observed"]) for row in rows} == ways
    assert (found.table["measured"] > 0.0).all()


def test_an_interrupt_keeps_the_fits_that_are_made(exact, monkeypatch):
    options: dict[str, Any] = {"laws": "compute", "k": [1], "resamples": 20, "cutoffs": 5}
    whole = backtest(exact, **options)
    made: list[Any] = []
    real = judge._judged

    def interrupted(*task):
        if len(made) == 3:
            raise KeyboardInterrupt
        made.append(task)
        return real(*task)

    monkeypatch.setattr(judge, "_judged", interrupted)
    part = backtest(exact, **options)
    assert (part.interrupted, len(part), part.planned) == (True, 3, len(whole))
    assert part.as_dict()["coefficients"] == whole.as_dict()["coefficients"][:3]


def test_a_row_is_not_fitted_and_predicted():
    both = np.array([True, False])
    with pytest.raises(ValueError, match="row 0 is both fitted and held out"):
        Split(both, both)


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
        ({"laws": "power"}, r"laws='power': must be one of compute, params-tokens, gold"),
        ({"laws": []}, r"laws='': must be one of"),
        ({"axis": "time"}, r"axis='time': must be one of compute"),
        ({"k": [0]}, r"k=0: must be a whole number of at least 1"),
        ({"targets": 0}, r"targets=0: must be all"),
        ({"targets": "most"}, r"targets='most': must be all"),
        ({"targets": 15}, r"law='compute': 16 models .* must leave at least 4 cheaper"),
        ({"cutoffs": 0}, r"cutoffs=0: must be"),
        ({"cutoffs": [1e10]}, r"cutoffs=10000000000.0: must be from .* in compute"),
        ({"cutoffs": []}, r"cutoffs=\[\]: must be at least one"),
        ({"method": "huber-log"}, r"method='huber-log': is for runs"),
        ({"margin": 0.1}, r"margin=0.1: is for evaluations"),
        ({"hold_out": "N > 1", "cutoffs": 3}, r"cutoffs=3: is for cutoffs"),
        ({"hold_out": "N > 1"}, r"hold_out='N > 1': holds out all"),
        ({"level": 1.0}, r"level=1.0: must"),
        ({"resamples": -1}, r"resamples=-1: must be"),
        ({"jobs": 0}, r"jobs=0: must be"),
    ],
)
def test_bad_arguments(exact, options, message):
    with pytest.raises(ValueError, match=message):
        backtest(exact, **({"laws": "compute", "k": [1], "resamples": 0} | options))


TWO = table_of(4, benchmark=["x", "y", "y"] * 4)


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (table_of(1), {}, r"law='compute': 1 model with compute"),
        (table_of(5, compute=None), {}, r"no law has all that it depends on|has no compute"),
        (table_of(5), {"axis": "gold"}, r"axis='gold': data has no gold"),
        (table_of(5), {"laws": "gold"}, r"laws='gold': data has no gold"),
        (TWO, {}, "has 2 benchmarks"),
        ({"a": [1], "b": [2]}, {}, r"data: has neither counts of samples .* nor a loss"),
        ({"compute": [1e20], "loss": [2.0]}, {"k": [1]}, r"k=\[1\]: is for counts"),
        ({"compute": [1e20], "loss": [2.0]}, {}, r"law='compute': 1 run with compute"),
        (table_of(6, 0), {"k": [1]}, r"no fit can be made; law compute: .*5 without a success"),
        (table_of(6, 20), {"k": [1]}, r"no fit can be made; law compute: .*5 without a failure"),
    ],
)
def test_bad_data(data, options, message):
    with pytest.raises(ValueError, match=message):
        backtest(data, **options)
