"""Laws side by side: errors recomputed by hand, what is held out and judged, means, warnings,
interrupts, plain data.
"""

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from isoflop.numeric.accuracy import fitting
from isoflop.numeric.accuracy.baselines import Baseline
from isoflop.numeric.accuracy.laws import LAWS
from isoflop.numeric.backtest import accuracies
from isoflop.numeric.backtest import compare as module
from isoflop.numeric.backtest.compare import USUAL, compare_laws
from isoflop.numeric.data.evaluations import Evaluations
from isoflop.numeric.data.sample import Points
from isoflop.numeric.fit import hold_out as engine

pytest.importorskip("scipy")

LAW_NAMES = ("compute", "params-tokens", "bnsl")
GUESS = {"piqa": 0.5, "hard": 0.0}
HOLD_OUT = "compute > 8e21"


def budgets():
    compute, ratio = (
        each.ravel() for each in np.meshgrid(np.geomspace(3e18, 3e22, 10), (5.0, 20.0, 100.0))
    )
    params = np.sqrt(compute / (6.0 * ratio))
    return params, ratio * params


def table(seed=5):
    """Rows of 30 runs: two benchmarks, of which one is at guessing for the small runs, one at
    several k, and a loss.
    """
    params, tokens = budgets()
    compute = 6.0 * params * tokens
    random = np.random.default_rng(seed)
    columns: dict[str, list[Any]] = {
        name: []
        for name in ("params", "tokens", "benchmark", "metric_type", "score", "random_baseline")
    }

    def add(benchmark, metric, scores, guess):
        for row in zip(params, tokens, scores, strict=True):
            for name, value in zip(
                columns, (*row[:2], benchmark, metric, float(row[2]), guess), strict=True
            ):
                columns[name].append(value)

    for name, scale in (("piqa", 1.0), ("hard", 5.0)):
        y = (
            scale
            * (60.0 * params**-0.27 + 400.0 * tokens**-0.3)
            * np.exp(0.01 * random.standard_normal(len(params)))
        )
        add(name, "acc", GUESS[name] + (1.0 - GUESS[name]) * np.exp(-y), GUESS[name])
    for k in (1, 8, 64):
        y = np.exp(
            6.0 - 0.13 * np.log(compute) + 0.9 * np.log(k) - 0.024 * np.log(compute) * np.log(k)
        )
        add(
            "code",
            f"pass@{k}",
            np.exp(-y * np.exp(0.02 * random.standard_normal(len(params)))),
            0.0,
        )
    add("web", "loss", 1.5 + 900.0 * compute**-0.15, "")
    return columns


@pytest.fixture(scope="module")
def evaluations():
    return Evaluations.read(table())


@pytest.fixture(scope="module")
def compared(evaluations):
    return compare_laws(evaluations, laws=LAW_NAMES, benchmarks=("piqa", "hard"), hold_out=HOLD_OUT)


@pytest.fixture(scope="module")
def resampled(evaluations):
    return compare_laws(
        evaluations, laws=("compute", "bilinear"), hold_out=HOLD_OUT, resamples=40, seed=3
    )


# -- errors ------------------------------------------------------------------------------------------------------------


def by_hand(law, observed):
    off = [abs(p - q) for p, q in zip(law, observed, strict=True)]
    mean = sum(observed) / len(observed)
    squares = sum(each * each for each in off)
    return {
        "n": len(observed),
        "mae": sum(off) / len(off),
        "mre": sum(each / q for each, q in zip(off, observed, strict=True)) / len(off),
        "rmse": (squares / len(off)) ** 0.5,
        "r2": 1.0 - squares / sum((q - mean) ** 2 for q in observed),
        "outside": sum(not 0.0 <= p <= 1.0 for p in law),
    }


@pytest.mark.parametrize("benchmark", ["piqa", "hard"])
def test_errors_of_equation_2_from_the_table_up(compared, benchmark) -> None:
    """From the rows: the margin, the line through the logs, and the errors on both sides of the
    hold-out.
    """
    columns, guess = table(), GUESS[benchmark]
    rows = [i for i, name in enumerate(columns["benchmark"]) if name == benchmark]
    score = np.array([columns["score"][i] for i in rows])
    compute = np.array([6.0 * columns["params"][i] * columns["tokens"][i] for i in rows])
    judged, held = score > guess + 0.05, compute > 8e21
    x, used = np.log(compute), judged & ~held
    y = np.log(-np.log((score[used] - guess) / (1.0 - guess)))
    slope, intercept = np.polyfit(x[used], y, 1)
    law = guess + (1.0 - guess) * np.exp(-np.exp(intercept + slope * x))
    entry = compared.entry(benchmark, "compute")
    assert entry.train == pytest.approx(by_hand(law[used].tolist(), score[used].tolist()), rel=1e-6)
    assert entry.held_out == pytest.approx(
        by_hand(law[judged & held].tolist(), score[judged & held].tolist()), rel=1e-6
    )
    assert entry.held_out["n"] == int(held.sum()) == 6
    assert [row["value"] for row in entry.coefficients] == pytest.approx(
        [np.exp(intercept), -slope], rel=1e-6
    )


@pytest.mark.parametrize("law", LAW_NAMES)
def test_errors_of_every_law_from_its_predictions(compared, law) -> None:
    for benchmark in ("piqa", "hard"):
        entry = compared.entry(benchmark, law)
        data = compared.data[benchmark]
        sample, held = data.runs, data.held
        clear = (sample.accuracy > GUESS[benchmark] + 0.05) & (sample.accuracy < 1.0)
        for part, chosen in ((entry.train, clear & ~held), (entry.held_out, clear & held)):
            some = sample.subset(chosen)
            assert part == pytest.approx(
                by_hand(entry.fit.accuracy(some.at).tolist(), some.accuracy.tolist()), rel=1e-9
            )


def test_the_predictions_of_held_out_runs_are_given_run_by_run(
    compared, resampled, evaluations
) -> None:
    """The errors are those of these; the law by the line through the logs, see above."""
    (record,) = [
        each for each in compared.as_dict()["benchmarks"][0]["laws"] if each["law"] == "compute"
    ]
    said = record["predictions"]
    assert len(said) == record["held_out"]["n"] == 6
    C0, alpha = (each["value"] for each in record["coefficients"])
    names, guess = list(map(str, evaluations.run)), GUESS["piqa"]
    for each in said:
        at = names.index(each["run"])
        assert each["accuracy"] == evaluations.scores["piqa"][at]
        assert each["compute"] == evaluations.compute[at] > 8e21
        assert each["predicted"] == pytest.approx(
            guess + (1.0 - guess) * np.exp(-C0 * each["compute"] ** -alpha), rel=1e-9
        )
        assert (each["low"], each["high"]) == (None, None)
    off = [abs(each["predicted"] - each["accuracy"]) for each in said]
    assert record["held_out"]["mae"] == pytest.approx(sum(off) / len(off), rel=1e-12)
    with_refits = resampled.as_dict()["benchmarks"][0]["laws"][0]["predictions"]
    assert all(each["low"] < each["predicted"] < each["high"] for each in with_refits)


def test_all_laws_are_judged_on_the_same_runs_though_fitted_to_their_own(compared) -> None:
    for benchmark in ("piqa", "hard"):
        entries = compared.of(benchmark)
        assert len({each.train["n"] for each in entries}) == 1
        assert len({each.held_out["n"] for each in entries}) == 1
    direct, broken = (compared.entry("hard", law).fit for law in ("compute", "bnsl"))
    assert len(broken.sample) > len(direct.sample)
    assert (broken.margin, direct.margin) == (0.0, 0.05)
    assert "within 0.05 of guessing" in next(compared.notes("hard"))
    assert list(compared.notes("piqa")) == []


def test_held_out_runs_near_guessing_are_not_judged_and_said(evaluations) -> None:
    found = compare_laws(
        evaluations, laws=("compute",), benchmarks=("hard",), hold_out="compute < 1e20"
    )
    data = found.data["hard"]
    sample, held = data.runs, data.held
    near = held & (sample.accuracy <= 0.05)
    assert 0 < near.sum() < held.sum()
    assert found.entry("hard", "compute").held_out["n"] == (held & ~near).sum()
    low = (sample.accuracy <= 0.05).sum()
    assert list(found.notes("hard")) == [
        f"of 30 runs no law is judged on {low} within 0.05 of guessing or below it ({near.sum()} "
        f"of them held out)",
    ]


# -- what is held out --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "condition", ["compute > 8e21", "tokens/params > 50", "C > 8e21 or D/N > 50"]
)
def test_held_out_runs_are_those_of_the_condition_and_are_not_fitted(
    evaluations, condition
) -> None:
    params, tokens = budgets()
    compute, ratio = 6.0 * params * tokens, tokens / params
    wanted = {"compute > 8e21": compute > 8e21, "tokens/params > 50": ratio > 50.0}.get(
        condition, (compute > 8e21) | (ratio > 50)
    )
    found = compare_laws(evaluations, laws=("compute",), benchmarks=("piqa",), hold_out=condition)
    data = found.data["piqa"]
    sample, held = data.runs, data.held
    assert (held == wanted).all()
    assert sample.at.compute == pytest.approx(compute)
    entry = found.entry("piqa", "compute")
    assert entry.fit is not None
    assert set(entry.fit.sample.index.tolist()) == set(np.flatnonzero(~wanted).tolist())
    assert entry.held_out["n"] == int(wanted.sum())


def test_a_condition_on_k_concerns_the_pairs_alone(evaluations) -> None:
    found: Any = compare_laws(
        evaluations, laws=("compute", "bilinear"), benchmarks=("code",), hold_out="k > 10"
    )
    in_k, plain = found.entry("code", "bilinear"), found.entry("code", "compute")
    assert in_k.fit.sample.at.k.max() == 8.0
    assert in_k.held_out["n"] > 0
    assert plain.held_out == {"n": 0}
    assert len(plain.fit.sample) == plain.train["n"]
    assert not found.data["code"].held.any()


def test_without_a_hold_out_there_are_errors_of_the_fitted_runs_alone(evaluations) -> None:
    found = compare_laws(evaluations, laws=("compute",), benchmarks=("piqa",))
    entry = found.entry("piqa", "compute")
    assert entry.held_out == {"n": 0}
    assert entry.train["n"] == 30
    assert (found.best("piqa"), found.best("piqa", "train", "rmse")) == (None, "compute")
    assert (found.means(), found.misleading) == ([], ())
    assert "no run is held out" in str(found)


def test_two_stage_laws_are_judged_on_the_runs_with_the_proxy() -> None:
    columns = table()
    rows = [i for i, name in enumerate(columns["benchmark"]) if name == "web"]
    for i in rows[:2] + rows[-1:]:
        columns["score"][i] = None
    few = Evaluations.read(columns)
    found: Any = compare_laws(
        few, laws=("compute", "two-stage-linear"), benchmarks=("piqa",), hold_out=HOLD_OUT
    )
    staged, direct = found.entry("piqa", "two-stage-linear"), found.entry("piqa", "compute")
    assert (direct.train["n"] + direct.held_out["n"], staged.train["n"] + staged.held_out["n"]) == (
        30,
        27,
    )
    assert found.proxy == "web"
    assert any("dropped" in text for text in found.warnings)
    assert "3 dropped" in str(found)


# -- margins -----------------------------------------------------------------------------------------------------------


def test_a_law_of_too_few_runs_is_never_best(evaluations) -> None:
    """Four runs for two coefficients, which the law of params and tokens passes through."""
    held = "compute > 1.1e19 or tokens/params > 30"
    found = compare_laws(
        evaluations,
        laws=("compute", "params-tokens", "bnsl"),
        benchmarks=("piqa",),
        hold_out=held,
        resamples=9,
    )
    known = {
        each.law: (len(each.fit.sample), each.weak)
        for each in found.of("piqa")
        if each.fit is not None
    }
    assert known["compute"] == (4, "4 runs for 2 coefficients")
    assert known["params-tokens"] == (4, "4 runs for 4 coefficients")
    assert found.best("piqa") is None
    assert found.best("piqa", "train", "rmse") is None
    assert found.best_share("piqa", "compute") is None
    said = " ".join(str(found).split())
    assert "compute is not compared with the others: 4 runs for 2 coefficients" in said
    assert "compute *" not in said


def test_predictions_outside_the_range_are_counted_and_said() -> None:
    """A line through a loss that goes on falling."""
    compute = np.geomspace(1e18, 1e24, 25)
    loss = 1.0 + 3.0 * (compute / 1e18) ** -0.1
    scores = np.minimum(0.2 + 0.4 * (4.0 - loss), 0.99)
    rows = [
        {"C": C, "acc_piqa": q, "loss": L} for C, q, L in zip(compute, scores, loss, strict=True)
    ]
    data, known = Evaluations.read(rows), {"piqa": Baseline(0.0)}
    found = compare_laws(data, laws=("two-stage-linear",), hold_out="C > 1e21", baselines=known)
    entry = found.entry("piqa", "two-stage-linear")
    assert entry.fit is not None
    ahead = entry.fit.accuracy(Points(compute=compute[compute > 1e21]))
    beyond = int((ahead > 1.0).sum())
    assert beyond > 3
    assert (entry.train["outside"], entry.held_out["outside"]) == (0, beyond)
    assert f"at {beyond} of {len(ahead)} held-out runs it lies outside [0, 1]" in " ".join(
        str(found).split()
    )


def test_margins_by_benchmark(evaluations, compared) -> None:
    asked: dict[str, Any] = {
        "laws": LAW_NAMES,
        "benchmarks": ("piqa", "hard"),
        "hold_out": HOLD_OUT,
    }
    found: Any = compare_laws(evaluations, margin={"hard": 0.1}, **asked)
    for law in LAW_NAMES:
        assert found.entry("piqa", law).held_out == compared.entry("piqa", law).held_out
        assert found.entry("hard", law).fit.margin == 0.1
        assert found.entry("hard", law).fit.sample.accuracy.min() > 0.1
    one: Any = compare_laws(evaluations, margin=0.08, **asked)
    assert {each.fit.margin for each in one.judged} == {0.08}


# -- over benchmarks ---------------------------------------------------------------------------------------------------


def test_means_over_the_benchmarks_that_all_laws_share(compared) -> None:
    means = {each["law"]: each for each in compared.means()}
    assert set(means) == set(LAW_NAMES)
    for law, mean in means.items():
        values = [compared.entry(name, law).held_out["mae"] for name in ("piqa", "hard")]
        assert mean["n"] == 2
        assert mean["mean"]["mae"] == pytest.approx(sum(values) / 2, rel=1e-12)
        assert mean["standard_deviation"]["mae"] == pytest.approx(
            abs(values[0] - values[1]) / 2**0.5, rel=1e-12
        )
        fitted = [compared.entry(name, law).train["rmse"] for name in ("piqa", "hard")]
        assert mean["mean"]["rmse"] == pytest.approx(sum(fitted) / 2, rel=1e-12)


def test_a_benchmark_on_which_a_law_failed_is_in_no_mean(compared) -> None:
    lost = replace(compared.entry("hard", "bnsl"), fitted=None, failed="too few")
    judged = tuple(
        lost if (each.benchmark, each.law) == ("hard", "bnsl") else each for each in compared.judged
    )
    found = replace(compared, judged=judged)
    assert {(each["law"], each["n"]) for each in found.means()} == {(law, 1) for law in LAW_NAMES}
    assert found.means()[0]["standard_deviation"]["mae"] is None
    assert not found.has_verdict
    assert "bnsl: too few" in str(found)
    json.dumps(found.as_dict(), allow_nan=False)
    assert found.best("hard") in ("compute", "params-tokens")


def with_errors(compared, errors):
    """The comparison as if laws on "piqa" had these (RMSE on fitted, MAE on held-out runs)."""
    judged = tuple(map(replace, compared.of("piqa")))
    for each in judged:
        rmse, mae = errors[each.law]
        vars(each)["train"] = {**each.train, "rmse": rmse}
        vars(each)["held_out"] = {"n": 6, "mae": mae, "mre": mae}
    return replace(compared, judged=judged)


def test_the_warning_that_the_closest_law_does_not_predict_best(compared) -> None:
    close = {"compute": (0.02, 0.01), "params-tokens": (0.01, 0.03), "bnsl": (0.03, 0.02)}
    found = with_errors(compared, close)
    assert found.misleading == (("piqa", "params-tokens", "compute"),)
    assert "on 1 of 1 benchmarks the law closest to the fitted runs does not predict" in " ".join(
        str(found).split()
    )
    record = found.as_dict()["closest_to_the_fitted_runs_is_not_best_on_held_out"]
    assert record == [{"benchmark": "piqa", "closest": "params-tokens", "best": "compute"}]
    agreed = with_errors(compared, close | {"params-tokens": (0.01, 0.005)})
    assert agreed.misleading == ()
    assert "warning" not in str(agreed)
    # The same law but for rounding, such as one with a ceiling that no run needs.
    assert with_errors(compared, close | {"params-tokens": (0.01, 0.0100001)}).misleading == ()


# -- resamples ---------------------------------------------------------------------------------------------------------


def test_intervals_are_percentiles_of_the_errors_of_the_refitted_laws(resampled) -> None:
    entry = resampled.entry("piqa", "compute")
    data = resampled.data["piqa"]
    sample, held = data.runs, data.held
    ahead = sample.subset(held & (sample.accuracy > 0.55))
    C0, alpha = entry.fit.refitted.T
    laws = 0.5 + 0.5 * np.exp(-C0[:, None] * ahead.at.compute ** -alpha[:, None])
    spread = np.sort(np.abs(laws - ahead.accuracy).mean(axis=1))
    assert len(spread) == 40
    assert entry.intervals["mae"] == pytest.approx((0.0, np.percentile(spread, 90.0)), rel=1e-9)
    low, high = (entry.coefficients[1][end] for end in ("low", "high"))
    assert (low, high) == pytest.approx(np.percentile(alpha, [5.0, 95.0]), rel=1e-9)


def test_guessing_that_is_an_estimate_widens_the_intervals(evaluations) -> None:
    widths = []
    for error in (0.0, 0.04):
        known = {"piqa": Baseline(0.5, error)}
        asked: dict[str, Any] = {
            "laws": ("compute",),
            "benchmarks": ("piqa",),
            "hold_out": HOLD_OUT,
            "baselines": known,
            "resamples": 40,
        }
        entry: Any = compare_laws(evaluations, **asked).entry("piqa", "compute")
        assert len({*entry.fit.baselines.tolist()}) == (
            1 if error == 0.0 else len(entry.fit.refitted)
        )
        alpha = entry.coefficients[1]
        widths.append(alpha["high"] - alpha["low"])
    assert widths[1] > 1.2 * widths[0]


# -- interrupts --------------------------------------------------------------------------------------------------------


def test_ctrl_c_keeps_what_was_done(evaluations, monkeypatch) -> None:
    real, calls = engine._judged, []

    def stops(*task):
        calls.append(task)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*task)

    monkeypatch.setattr(engine, "_judged", stops)
    found = compare_laws(
        evaluations,
        laws=("compute", "params-tokens"),
        benchmarks=("piqa", "hard"),
        hold_out=HOLD_OUT,
    )
    assert found.interrupted
    assert found.benchmarks == ("piqa",)
    assert [each.law for each in found.judged] == ["compute", "params-tokens"]
    assert "interrupted: what was not reached is left out" in str(found)
    assert found.as_dict()["interrupted"] is True


def test_ctrl_c_among_the_refits_ends_it_with_the_law_at_hand(evaluations, monkeypatch) -> None:
    real = fitting.resampled

    def stopped(*given):
        fit = real(*given)
        assert fit.draws is not None
        return fit.with_draws(replace(fit.draws, interrupted=True))

    monkeypatch.setattr(accuracies, "resampled", stopped)
    found = compare_laws(
        evaluations,
        laws=("compute", "params-tokens"),
        benchmarks=("piqa",),
        hold_out=HOLD_OUT,
        resamples=5,
    )
    assert found.interrupted
    assert [each.law for each in found.judged] == ["compute"]
    assert found.laws == ("compute",)


# -- what is compared --------------------------------------------------------------------------------------------------


def test_default_laws_are_those_that_the_table_has_the_columns_for(evaluations) -> None:
    def default(some, proxy=None):
        return module._chosen(None, some, proxy)

    assert default(evaluations) == (*USUAL, "bilinear")
    assert default(evaluations.only(["piqa"])) == USUAL
    direct = tuple(law for law in USUAL if not law.startswith("two-stage"))
    assert default(replace(evaluations.only(["piqa"]), proxies={})) == direct
    bare = replace(evaluations.only(["piqa"]), params=None, tokens=None, proxies={})
    assert default(bare) == ("compute", "compute-ceiling", "bnsl")
    two = replace(evaluations.only(["piqa"]), proxies={"a": np.ones(30), "b": np.ones(30)})
    assert default(two) == direct
    assert default(two, "a") == USUAL


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"laws": ["compte"]}, r"law='compte': must be one of .* \(did you mean compute"),
        ({"laws": []}, r"laws=\[\]: must be at least one law"),
        ({"laws": ["compute", "compute"]}, "each once"),
        ({"benchmarks": []}, r"benchmarks=\[\]: must be at least one"),
        ({"benchmarks": ["none"]}, "benchmark='none'.*no such benchmark"),
        ({"hold_out": "compute > 1e30"}, "hold_out='compute > 1e30': holds out none of the runs"),
        ({"hold_out": "compute > 1"}, "holds out all the runs of .*; none is left to fit"),
        ({"hold_out": "flops > 1"}, "no column 'flops'"),
        ({"hold_out": "compute >"}, "'compute >'"),
        ({"laws": ["bilinear"]}, "law='bilinear': needs pass@k at several k; piqa has none"),
        ({"proxy": "web"}, "proxy='web': is for two-stage laws"),
        ({"laws": ["two-stage-linear"], "proxy": "none"}, "proxy='none'"),
        ({"baselines": {}}, "baselines: 'piqa' is missing"),
        ({"margin": 1.0}, "margin=1.0: must be"),
        ({"margin": -0.1}, "margin=-0.1: must be"),
        ({"margin": {"none": 0.1}}, "margin: 'none' is none of the benchmarks"),
        ({"margin": {"piqa": "x"}}, "margin='x'"),
        ({"resamples": -1}, "resamples=-1"),
        ({"seed": 0.5}, "seed=0.5"),
        ({"level": 1.0}, "level=1.0"),
        ({"jobs": 0}, "jobs=0"),
    ],
)
def test_bad_arguments(evaluations, given, said) -> None:
    with pytest.raises(ValueError, match=said):
        compare_laws(evaluations, **{"laws": ["compute"], "benchmarks": ["piqa"]} | given)


def test_a_law_that_cannot_be_fitted_says_why_and_stops_no_other(evaluations) -> None:
    few = evaluations.subset(evaluations.mask("compute < 1e19"))
    found = compare_laws(
        few,
        laws=("compute", "params-tokens-ceiling"),
        benchmarks=("piqa", "hard"),
        margin={"hard": 0.3},
    )
    assert (
        found.entry("hard", "compute").failed
        == "no run exceeds guessing (0) by more than 0.3 and is below 1"
    )
    assert found.entry("piqa", "compute").fit is not None
    assert not found.has_verdict
    with pytest.raises(ValueError, match="benchmark='piqa', law='bnsl': was not compared"):
        found.entry("piqa", "bnsl")


# -- outputs -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def every(evaluations):
    """All laws but the slowest, with what can go wrong: a law that fails, no interval, an infinite
    R2.
    """
    return compare_laws(
        evaluations,
        laws=[law for law in LAWS if law not in ("bnsl-2", "bnsl-3")],
        hold_out="C > 2e22",
        margin={"hard": 0.55},
    )


def test_json_has_no_nan(every, resampled) -> None:
    for found in (every, resampled):
        data = json.loads(json.dumps(found.as_dict(), allow_nan=False))
        assert [each["benchmark"] for each in data["benchmarks"]] == ["piqa", "hard", "code"]
        json.dumps(found.rows(), allow_nan=False)


def test_latex_is_a_table_a_benchmark(compared) -> None:
    text = compared.to_latex(label="tab:one")
    assert text.count(r"\begin{table}") == text.count(r"\caption{") == 3
    assert text.count(r"\label{tab:one}") == 1
    for law in LAW_NAMES:
        mae, mre = (compared.entry("piqa", law).held_out[name] for name in ("mae", "mre"))
        assert re.search(rf"(?<!\d){mae:.4f} & \$?{100 * mre:.2f}", text)
