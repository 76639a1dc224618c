"""Backtests on data of a known law, and what they say of data that break it."""

from dataclasses import replace
from math import inf, log10
from typing import Any

import numpy as np
import pytest
from tests.data import grid_runs

from isoflop.numeric.backtest import backtest
from isoflop.numeric.backtest.subject import Extrapolation, standard_estimates
from isoflop.numeric.fit import hold_out as engine
from isoflop.numeric.passk.laws import fit_passk
from isoflop.numeric.simulate.counts import Fixed, grid, law_truth, simulate

LAW = {"E0": 0.3, "C0": 2e3, "alpha": 0.16}
SIZES, TOKENS = (1e8, 4e8, 1.6e9, 6.4e9), (2e9, 1.3e10, 7e10, 5e11)


def counts_of(
    scatter=0.0, *, samples=2000, problems=100, seed=0, coefficients=LAW, sizes=SIZES, tokens=TOKENS
):
    """16 models whose -log pass@1 follows the compute law, times e^(scatter z)."""
    design = grid(sizes, tokens)
    truth = law_truth(
        design, "compute", coefficients, concentration=200.0, scatter=scatter, rng=seed
    )
    return simulate(
        design, truth, problems=problems, sampling=Fixed(samples), rng=seed + 1
    ).counts()


@pytest.fixture(scope="module")
def exact():
    return counts_of()


@pytest.fixture(scope="module")
def result(exact):
    return backtest(exact, laws=["compute", "params-tokens"], k=[1, 8], resamples=40, cutoffs=6)


def test_the_most_expensive_model_of_a_law_is_predicted(result, exact):
    best = int(np.argmax(exact.covariates["compute"]))
    rows = [row for row in result.rows() if row["law"] == "compute" and row["k"] == 1]
    assert {row["target"] for row in rows} == {exact.names[best]}
    nearest = min(rows, key=lambda row: row["decades_held_out"])
    assert abs(nearest["relative_error"]) < 0.03
    truth = LAW["E0"] + LAW["C0"] * exact.covariates["compute"][best] ** -LAW["alpha"]
    assert nearest["predicted"] == pytest.approx(truth, rel=0.03)
    assert all(row["lo"] < row["predicted"] < row["hi"] for row in rows)


def test_rows_say_what_they_are_computed_from(result, exact):
    compute = exact.covariates["compute"]
    for row in result.rows():
        g = exact.names.index(row["target"])
        assert row["decades_held_out"] == pytest.approx(
            log10(compute[g] / row["cutoff"]), abs=1e-12
        )
        assert row["n_train"] == int(((compute <= row["cutoff"]) & (np.arange(16) != g)).sum())
        assert row["relative_error"] == pytest.approx(
            row["predicted"] / row["observed"] - 1.0, abs=1e-12
        )
        passes = np.exp(-row["predicted"]), np.exp(-row["observed"])
        assert row["relative_error_pass"] == pytest.approx(passes[0] / passes[1] - 1.0, abs=1e-12)
        assert row["inside"] == (
            (row["lo"] <= row["observed"] <= row["hi"]) if _counts(row) else None
        )
        assert row["how_observed"] == "estimate"
        n, c = exact.per_group(g)
        if row["k"] == 1:
            assert row["observed"] == pytest.approx(-np.log((c / n).mean()), rel=1e-12)


def _counts(row):
    return row["converged"] and not row["undetermined"]


def test_summaries_are_those_of_the_rows(result):
    rows = [row for row in result.rows() if _counts(row)]
    for found in result.errors():
        part = [
            row["relative_error"]
            for row in rows
            if (row["law"], row["k"]) == (found["law"], found["k"])
            and found["decades_lo"] < row["decades_held_out"] <= found["decades_hi"]
        ]
        assert found["n"] == len(part)
        assert found["median_error"] == pytest.approx(np.median(np.abs(part)))
        assert found["median_bias"] == pytest.approx(np.median(part))
    for found in result.coverage():
        part = [
            row["inside"]
            for row in rows
            if row["law"] == found["law"] and found["k"] in (None, row["k"])
        ]
        assert (found["n"], found["inside"]) == (len(part), sum(part))
        share = sum(part) / len(part)
        assert found["se"] == pytest.approx(np.sqrt(share * (1.0 - share) / len(part)))


def test_stability_goes_back_from_the_final_fit(result):
    for found in result.stability():
        steps = result.at(found["law"], found["k"])[::-1]
        final = steps[0]
        assert final is result.final(found["law"], found["k"])
        assert final.split.at == max(step.split.at for step in steps)
        if found["lo"] is None:
            continue
        name, reached = found["coefficient"], final.split.at
        for step in steps:
            sound = not step.failed and step.converged and name not in step.undetermined
            top = inf if found["hi"] is None else found["hi"]
            if not (sound and found["lo"] <= step.fitted.coefficients[name] <= top):
                break
            reached = step.split.at
        assert found["stable_decades"] == pytest.approx(log10(final.split.at / reached), abs=1e-12)
        assert 0.0 <= found["stable_decades"] <= found["of_decades"] + 1e-12
        assert found["overlap_decades"] >= found["stable_decades"] - 1e-12 or name in ("E0",)


def test_all_targets(exact):
    found = backtest(exact, laws="compute", k=[1], targets="all", resamples=0, cutoffs=4)
    compute = exact.covariates["compute"]
    for step in found.judged:
        assert set(step.rows) == set(np.flatnonzero(compute > step.split.at))
        assert step.n_train == int((compute <= step.split.at).sum())
    assert found.judged[0] is found.final("compute", 1)
    assert found.judged[0].n_train == 16
    median = next(row["median_error"] for row in found.errors())
    assert median < 0.03


@pytest.mark.parametrize(("targets", "count"), [(2, 2), (0.25, 4)])
def test_targets_are_never_trained_on(exact, targets, count):
    found = backtest(exact, laws="compute", k=[1], targets=targets, resamples=0, cutoffs=3)
    plan = found.cutoffs["compute"]
    assert plan.targets.sum() == count
    assert not any((split.train & plan.targets).any() for split in plan.splits())


@pytest.mark.parametrize("axis", ["params", "tokens", "gold"])
def test_other_axes(exact, axis):
    found = backtest(exact, laws=["compute", "gold"], k=[1], axis=axis, resamples=0, cutoffs=2)
    values = exact.covariates[axis]
    for step in found.judged:
        cheap = values >= step.split.at if axis == "gold" else values <= step.split.at
        dear = values < step.split.at if axis == "gold" else values > step.split.at
        assert step.n_train == int((cheap & ~found.cutoffs[step.law].targets).sum())
        assert dear[step.rows].all()
    assert all(row["decades_held_out"] > 0.0 for row in found.rows())


def test_targets_without_a_success_are_counted_not_compared():
    design = grid(SIZES, TOKENS)
    truth = law_truth(design, "compute", LAW, concentration=200.0)
    columns = simulate(design, truth, problems=30, rng=3).columns()
    last = columns["model"] == design.names[-1]
    columns["n_correct"] = np.where(last, 0, columns["n_correct"])
    found = backtest(columns, laws="compute", k=[1], resamples=0, cutoffs=3)
    assert found.errors() == []
    assert found.coverage() == []
    assert [(row["reason"], row["n"]) for row in found.failures()] == [
        ("target not observed: no success", 3)
    ]
    assert all(row["observed"] is None and row["inside"] is None for row in found.rows())
    assert "No prediction could be compared" in str(found)


def test_a_fit_that_leaves_a_coefficient_open_has_no_part():
    """Its interval has ends, and it ends anywhere: it is counted under what is left out, with its
    open coefficients.
    """
    table = counts_of()
    found = backtest(table, laws="params-tokens", k=[1], resamples=0)
    first = found.at("params-tokens", 1)[0]

    def sound(fit, undetermined=()):
        return replace(fit, fitted=replace(fit.fitted, converged=True, undetermined=undetermined))

    open_one = sound(first, ("D0", "gamma"))
    steps = tuple(open_one if fit is first else sound(fit) for fit in found.judged)
    tested = replace(found, judged=steps)
    assert sum(row["n"] for row in tested.errors(by_decades=False)) == len(steps) - 1
    assert sum(row["n"] for row in tested.coverage()) == len(steps) - 1
    assert [row["reason"] for row in tested.failures()] == ["the models leave D0, gamma open"]
    shown = next(row for row in tested.rows() if row["n_train"] == first.n_train)
    assert (shown["inside"], shown["undetermined"]) == (None, "D0 gamma")


def test_models_of_a_size_are_drawn_together(exact):
    """Final intervals are those of the law fitted to the same models with the same resamples."""
    drawn: dict[str, Any] = {"k": [1], "resamples": 30, "seed": 5}
    (step,) = backtest(exact, laws="compute", cutoffs=1, targets="all", **drawn).judged
    (own,) = fit_passk(exact, law="compute", **drawn).fits
    alpha = step.fitted.final("alpha")
    found = own.estimate("alpha")
    assert (alpha.low, alpha.high) == pytest.approx((found.low, found.high), rel=1e-6)


# -- runs ------------------------------------------------------------------------------------------


def runs_table(noise=1e-3, seed=0):
    """36 runs of a params+tokens law with lognormal noise."""
    return grid_runs(6, 6, tokens=(2e9, 2e11), noise=noise, seed=seed)


def test_runs_are_predicted():
    found = backtest(runs_table(), targets=3, resamples=30, cutoffs=5)
    assert found.what == "runs"
    assert found.laws == ("compute", "params-tokens")
    near = [row for row in found.errors() if row["decades_hi"] == 1.0]
    medians = {row["law"]: row["median_error"] for row in near}
    assert medians["params-tokens"] < 0.005 < medians["compute"]  # the runs are not on a frontier
    covered = next(row for row in found.coverage() if row["law"] == "params-tokens")
    assert covered["coverage"] > 0.6
    assert "k" not in next(iter(found.rows()))
    assert "loss" in str(found)


def test_a_formula_is_a_law():
    """The same law as a formula predicts the same, with the same errors."""
    formula = "E + A*N^-beta + B*D^-gamma"
    found = backtest(runs_table(), laws=["params-tokens", formula], targets=3, cutoffs=2)
    named, written = ([row for row in found.rows() if row["law"] == law] for law in found.laws)
    for one, other in zip(named, written, strict=True):
        assert one["predicted"] == pytest.approx(other["predicted"], rel=1e-6)
        assert one["hi"] == pytest.approx(other["hi"], rel=1e-4)
    with pytest.raises(ValueError, match="model='best': names no column of the runs"):
        backtest(runs_table(), laws="best")


def test_intervals_of_runs_are_those_of_linear_regression():
    """Where E and the exponent are known the law is linear in its prefactor; here with all four
    free, against simulation.
    """
    inside = []
    for seed in range(12):
        found = backtest(
            runs_table(3e-3, seed), laws="params-tokens", targets=4, cutoffs=[6e20], resamples=0
        )
        inside += [row["inside"] for row in found.rows()]
    assert 0.7 < np.mean(inside) <= 1.0


def test_an_interrupt_keeps_the_fits_that_are_made(exact, monkeypatch):
    options: dict[str, Any] = {"laws": "compute", "k": [1], "resamples": 20, "cutoffs": 5}
    whole = backtest(exact, **options)
    made: list[Any] = []
    real = engine._judged

    def interrupted(trial):
        if len(made) == 3:
            raise KeyboardInterrupt
        made.append(trial)
        return real(trial)

    monkeypatch.setattr(engine, "_judged", interrupted)
    part = backtest(exact, **options)
    assert part.interrupted
    assert (len(part), part.planned) == (3, len(whole))
    assert part.as_dict()["coefficients"] == whole.as_dict()["coefficients"][:3]


# -- output ----------------------------------------------------------------------------------------


def test_a_condition_holds_out_what_it_names():
    """One fit a law, to all other runs; those of the condition may be cheap ones."""
    table = runs_table()
    table["source"] = np.where(np.arange(36) % 4, "a", "b")
    found = backtest(table, hold_out="source == 'b'", resamples=0)
    assert len(found) == 2
    rows = [row for row in found.rows() if row["law"] == "params-tokens"]
    assert {row["target"] for row in rows} == {f"row {i + 1}" for i in range(0, 36, 4)}
    assert {row["n_train"] for row in rows} == {27}
    assert max(abs(row["relative_error"]) for row in rows) < 0.01
    assert sum(row["n"] for row in found.errors()) == sum(
        row["n"] for row in found.errors(by_decades=False)
    )
    with pytest.raises(ValueError, match="holds out none"):
        backtest(table, hold_out="source == 'c'")


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"laws": "power"}, r"laws='power': must be one of compute, params-tokens, gold"),
        ({"laws": []}, r"laws='': must be one of"),
        ({"axis": "time"}, r"axis='time': must be one of compute"),
        ({"k": [0]}, r"k=0: must be a whole number of at least 1"),
        ({"targets": 0}, r"targets=0: must be all, a whole number"),
        ({"targets": 1.5}, r"targets=1.5: must be all"),
        ({"targets": "most"}, r"targets='most': must be all"),
        ({"targets": ["nobody"]}, r"targets=\['nobody'\]: must be all"),
        (
            {"targets": 15},
            r"law='compute': 16 models .* 15 to be predicted; must leave at least 4 cheaper",
        ),
        ({"cutoffs": 0}, r"cutoffs=0: must be"),
        ({"cutoffs": [1e10]}, r"cutoffs=10000000000.0: must be from .* in compute"),
        ({"cutoffs": [1e30]}, r"cutoffs=1e\+30: must be from"),
        ({"cutoffs": []}, r"cutoffs=\[\]: must be at least one"),
        ({"method": "huber-log"}, r"method='huber-log': is for runs"),
        ({"level": 1.0}, r"level=1.0: must"),
        ({"resamples": -1}, r"resamples=-1: must be"),
        ({"jobs": 0}, r"jobs=0: must be"),
    ],
)
def test_bad_arguments(exact, options, message):
    with pytest.raises(ValueError, match=message):
        backtest(exact, **({"laws": "compute", "k": [1], "resamples": 0} | options))


def table_of(models, **columns):
    rows = {
        "model": np.repeat([f"m{g}" for g in range(models)], 3),
        "problem": np.tile([1, 2, 3], models),
        "n": np.full(3 * models, 20),
        "c": np.arange(3 * models) % 7,
    }
    return rows | columns


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (table_of(1, compute=[1e20] * 3), {}, r"law='compute': 1 model with compute"),
        (table_of(5), {}, r"axis='compute': data has no compute"),
        (
            table_of(5, compute=np.repeat(np.geomspace(1e18, 1e20, 5), 3)),
            {"axis": "gold"},
            r"axis='gold': data has no gold",
        ),
        (
            table_of(5, compute=np.repeat(np.geomspace(1e18, 1e20, 5), 3)),
            {"laws": "gold"},
            r"laws='gold': data has no gold",
        ),
        ({"a": [1], "b": [2]}, {}, r"data: has neither counts of samples .* nor a loss"),
        ({"compute": [1e20], "loss": [2.0]}, {"k": [1]}, r"k=\[1\]: is for counts"),
        ({"compute": [1e20], "loss": [2.0]}, {}, r"law='compute': 1 run with compute"),
    ],
)
def test_bad_data(data, options, message):
    with pytest.raises(ValueError, match=message):
        backtest(data, **options)


def test_several_benchmarks_are_refused():
    data = table_of(
        4, benchmark=["x", "y", "y"] * 4, compute=np.repeat([1e18, 1e19, 1e20, 1e21], 3)
    )
    with pytest.raises(ValueError, match="has 2 benchmarks"):
        backtest(data)


@pytest.mark.parametrize(
    ("correct", "cause"), [(0, r"\(5 without a success"), (20, r", 5 without a failure\)")]
)
def test_all_zeros_or_all_ones_are_one_error(correct, cause):
    data = table_of(6, compute=np.repeat(np.geomspace(1e18, 1e21, 6), 3), c=np.full(18, correct))
    with pytest.raises(
        ValueError, match=rf"data: no fit can be made; law compute at k=1: .*{cause}"
    ):
        backtest(data, k=[1], resamples=0)


def test_some_cutoffs_without_a_fit_are_counted():
    zeros = np.array([0, 0, 0, 0, 0, 1, 3, 4, 5, 8, 7, 9]).repeat(3)
    data = table_of(12, compute=np.repeat(np.geomspace(1e18, 1e21, 12), 3), c=zeros)
    found = backtest(data, k=[1], laws="compute", resamples=0)
    failed = [step for step in found.judged if step.fitted is None]
    assert 0 < len(failed) < len(found.judged)
    assert all("without a success" in step.failed for step in failed)
    assert sum(row["n"] for row in found.failures() if row["reason"].startswith("no fit")) == len(
        failed
    )
    assert "no fit" in str(found)


# -- what a fit must not know ----------------------------------------------------------------------


def test_a_fit_knows_nothing_of_the_models_beyond_its_cutoff():
    """With other counts of the dear models the fits to the cheap ones are the same: also of what is
    learnt from all models.
    """
    counts = counts_of(0.1, samples=20, problems=60)
    compute, k = counts.covariates["compute"], 200
    cutoff = float(np.sort(compute)[9])
    changed = counts.c.copy()
    dear = (compute > cutoff)[counts.group]
    changed[dear] = np.random.default_rng(0).choice([0, 0, 0, 1, 19, 20, 20], size=int(dear.sum()))
    options: dict[str, Any] = {
        "laws": "compute",
        "k": [k],
        "targets": "all",
        "resamples": 0,
    }
    one, other = (backtest(each, **options) for each in (counts, replace(counts, c=changed)))
    for step, again in zip(one.at("compute", k), other.at("compute", k), strict=True):
        if (step.split.at or 0.0) <= cutoff:
            assert step.fitted.coefficients == pytest.approx(again.fitted.coefficients, rel=1e-9)
            assert step.predicted == pytest.approx(again.predicted, rel=1e-9)
    assert one.judged[0].fitted.coefficients != pytest.approx(
        other.judged[0].fitted.coefficients, rel=1e-3
    )


def test_a_fit_is_that_of_its_models_alone():
    counts = counts_of(0.1, samples=20, problems=60)
    cheap = np.sort(np.argsort(counts.covariates["compute"])[:10])
    found = backtest(counts, laws="compute", k=[200], targets="all", resamples=0)
    step = next(step for step in found.judged if step.n_train == 10)
    alone = fit_passk(counts.subset(cheap), law="compute", k=[200]).at(200)
    assert step.fitted.coefficients == pytest.approx(alone.coefficients, rel=1e-4)


# -- what is told apart ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mixed():
    """Every other model has too few samples for k = 50."""
    design = grid(SIZES, TOKENS)
    truth = law_truth(design, "compute", LAW, concentration=200.0, scatter=0.1, rng=0)
    columns = simulate(design, truth, problems=60, sampling=Fixed(60), rng=1).columns()
    few = np.isin(columns["model"], design.names[::2])
    columns["n_samples"] = np.where(few, 20, columns["n_samples"])
    columns["n_correct"] = np.where(few, columns["n_correct"] // 3, columns["n_correct"])
    return backtest(columns, laws="compute", k=[5, 50], targets="all", resamples=20)


def test_ways_of_observing_are_told_apart(mixed):
    rows = [row for row in mixed.rows() if row["converged"] and row["observed"] is not None]
    for found in mixed.errors(by_decades=False):
        place = (found["k"], found["how_observed"])
        part = [row for row in rows if (row["k"], row["how_observed"]) == place]
        signed = [row["relative_error"] for row in part]
        of_pass = [row["relative_error_pass"] for row in part]
        assert found["n"] == len(part)
        assert found["median_error"] == pytest.approx(np.median(np.abs(signed)))
        assert found["median_bias"] == pytest.approx(np.median(signed))
        above = [row["predicted"] > row["observed"] for row in part]
        assert found["share_above"] == pytest.approx(np.mean(above))
        assert found["median_bias_pass"] == pytest.approx(np.median(of_pass))
    ways = {(row["k"], row["how_observed"]) for row in mixed.coverage() if row["k"]}
    assert ways == {(5, "estimate"), (50, "estimate"), (50, "likelihood")}
    assert all(row["measured"] > 0.0 for row in mixed.rows())
    by_decades = {row["how_observed"] for row in mixed.as_dict()["coverage_by_decades"]}
    assert by_decades == {"estimate", "likelihood"}
    assert all(word in str(mixed) for word in ("observed by", "likelihood", "signed", "pass@k"))


def test_stability_at_every_cutoff_is_a_lower_limit(mixed):
    rows = mixed.stability()
    seen = set()
    for row in rows:
        for name in ("stable", "overlap"):
            censored, decades = row[f"{name}_censored"], row[f"{name}_decades"]
            seen.add(censored)
            if censored is None:
                assert decades is None
            elif censored:
                assert decades == row["of_decades"]
                assert f">= {decades:.1f}" in str(mixed)
            else:
                assert decades < row["of_decades"]
    assert seen >= {True, False}


# -- coverage --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_prediction_intervals_hold_as_often_as_they_say():
    """Whether that from the other 15 models holds the most expensive one, in 150 simulations."""
    inside = []
    for seed in range(150):
        options: dict[str, Any] = {"samples": 200, "problems": 60, "seed": 100 * seed}
        counts = counts_of(0.1, coefficients=LAW | {"E0": 0.0}, **options)
        found = backtest(counts, laws="compute", k=[1], resamples=0, cutoffs=1)
        inside += [row["inside"] for row in found.rows() if row["n_train"] == 15]
    assert abs(np.mean(inside) - 0.9) < 4.0 * np.sqrt(0.9 * 0.1 / len(inside)) + 0.02


def test_a_coefficient_on_its_bound_is_not_stable_by_its_standard_error():
    """Its standard error is 0, which is no interval."""
    estimates = standard_estimates({"E": 0.0, "alpha": 0.2}, {"E": 0.0, "alpha": 0.1}, 0.9, 10.0)
    law = Extrapolation(
        logs=lambda rows: (rows, rows, 0.0),
        estimates=estimates,
        scatter=0.1,
        degrees_of_freedom=10.0,
        converged=True,
        undetermined=(),
        level=0.9,
    )
    assert law.final("E") is None
    assert law.final("alpha") == estimates["alpha"]
