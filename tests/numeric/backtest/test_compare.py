"""Laws side by side: errors recomputed by hand, what is held out and judged, means, warnings,
interrupts, laws in k, plain data.
"""

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.data import accuracies, at_ratios, evaluations, pass_at_k

from isoflop.numeric.accuracy import benchmark as learners
from isoflop.numeric.accuracy import law as fitting
from isoflop.numeric.accuracy.baselines import Baseline
from isoflop.numeric.accuracy.laws import LAWS
from isoflop.numeric.backtest import compare as module
from isoflop.numeric.backtest.compare import USUAL, compare_laws
from isoflop.numeric.data.evaluations import Evaluations
from isoflop.numeric.data.sample import Points
from isoflop.numeric.fit import hold_out as engine

pytest.importorskip("scipy")

LAW_NAMES = ("compute", "params-tokens", "bnsl")
GUESS = {"piqa": 0.5, "hard": 0.0}
HOLD_OUT = "compute > 8e21"
PARAMS, TOKENS = at_ratios(np.geomspace(3e18, 3e22, 10), (5.0, 20.0, 100.0))
COMPUTE = 6.0 * PARAMS * TOKENS


def table():
    """30 runs: two benchmarks, one of them at guessing for the small runs, one at several k, a loss."""
    noisy: dict[str, Any] = {"noise": 0.01, "seed": np.random.default_rng(5)}
    scores = {
        (name, "acc"): accuracies(PARAMS, TOKENS, baseline=GUESS[name], scale=scale, **noisy)
        for name, scale in (("piqa", 1.0), ("hard", 5.0))
    }
    scores |= {("code", f"pass@{k}"): pass_at_k(COMPUTE, k, **noisy) for k in (1, 8, 64)}
    scores["web", "loss"] = 1.5 + 900.0 * COMPUTE**-0.15
    return evaluations(PARAMS, TOKENS, scores, code=0.0, **GUESS)


@pytest.fixture(scope="module")
def runs():
    return Evaluations.read(table())


@pytest.fixture(scope="module")
def compare(runs):
    """Laws on piqa with the runs of the most compute held out, where nothing else is said."""

    def compared(*laws, **more) -> Any:
        asked: dict[str, Any] = {"benchmarks": ("piqa",), "hold_out": HOLD_OUT}
        return compare_laws(runs, laws=laws, **asked | more)

    return compared


@pytest.fixture(scope="module")
def compared(compare):
    return compare(*LAW_NAMES, benchmarks=("piqa", "hard"))


@pytest.fixture(scope="module")
def resampled(compare):
    every = ("piqa", "hard", "code")
    return compare("compute", "bilinear", benchmarks=every, resamples=40, seed=3)


# -- errors ----------------------------------------------------------------------------------------


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
    score = np.array(columns["score"])[np.array(columns["benchmark"]) == benchmark]
    judged, held = score > guess + 0.05, COMPUTE > 8e21
    x, used = np.log(COMPUTE), judged & ~held
    y = np.log(-np.log((score[used] - guess) / (1.0 - guess)))
    slope, intercept = np.polyfit(x[used], y, 1)
    law = guess + (1.0 - guess) * np.exp(-np.exp(intercept + slope * x))
    entry = compared.entry(benchmark, "compute")
    for part, chosen in ((entry.train, used), (entry.held_out, judged & held)):
        assert part == pytest.approx(
            by_hand(law[chosen].tolist(), score[chosen].tolist()), rel=1e-6
        )
    assert entry.held_out["n"] == int(held.sum()) == 6
    values = [row["value"] for row in entry.coefficients]
    assert values == pytest.approx([np.exp(intercept), -slope], rel=1e-6)


@pytest.mark.parametrize("law", LAW_NAMES)
def test_errors_of_every_law_from_its_predictions(compared, law) -> None:
    for benchmark in ("piqa", "hard"):
        entry, sample = compared.entry(benchmark, law), compared.data[benchmark].runs
        held = compared.data[benchmark].held
        clear = (sample.accuracy > GUESS[benchmark] + 0.05) & (sample.accuracy < 1.0)
        for part, chosen in ((entry.train, clear & ~held), (entry.held_out, clear & held)):
            some = sample.subset(chosen)
            expected = by_hand(entry.fit.accuracy(some.at).tolist(), some.accuracy.tolist())
            assert part == pytest.approx(expected, rel=1e-9)


def test_the_predictions_of_held_out_runs_are_given_run_by_run(compared, resampled, runs) -> None:
    """The errors are those of these; the law by the line through the logs, see above."""
    (record,) = [
        each for each in compared.as_dict()["benchmarks"][0]["laws"] if each["law"] == "compute"
    ]
    said = record["predictions"]
    assert len(said) == record["held_out"]["n"] == 6
    C0, alpha = (each["value"] for each in record["coefficients"])
    names = list(map(str, runs.run))
    for each in said:
        at = names.index(each["run"])
        assert each["accuracy"] == runs.scores["piqa"][at]
        assert each["compute"] == runs.compute[at] > 8e21
        law = 0.5 + 0.5 * np.exp(-C0 * each["compute"] ** -alpha)
        assert each["predicted"] == pytest.approx(law, rel=1e-9)
        assert (each["low"], each["high"]) == (None, None)
    off = [abs(each["predicted"] - each["accuracy"]) for each in said]
    assert record["held_out"]["mae"] == pytest.approx(sum(off) / len(off), rel=1e-12)
    with_refits = resampled.as_dict()["benchmarks"][0]["laws"][0]["predictions"]
    assert all(each["low"] < each["predicted"] < each["high"] for each in with_refits)


def test_all_laws_are_judged_on_the_same_runs_though_fitted_to_their_own(compared) -> None:
    for benchmark in ("piqa", "hard"):
        entries = compared.of(benchmark)
        assert len({(each.train["n"], each.held_out["n"]) for each in entries}) == 1
    direct, broken = (compared.entry("hard", law).fit for law in ("compute", "bnsl"))
    assert len(broken.sample) > len(direct.sample)
    assert (broken.kind.margin, direct.kind.margin) == (0.0, 0.05)
    assert "within 0.05 of guessing" in next(compared.notes("hard"))
    assert list(compared.notes("piqa")) == []


# -- what is held out and judged -------------------------------------------------------------------


def test_held_out_runs_near_guessing_are_not_judged_and_said(compare) -> None:
    found = compare("compute", benchmarks=("hard",), hold_out="compute < 1e20")
    sample, held = found.data["hard"].runs, found.data["hard"].held
    low = sample.accuracy <= 0.05
    near = held & low
    assert 0 < near.sum() < held.sum()
    assert found.entry("hard", "compute").held_out["n"] == (held & ~near).sum()
    (said,) = found.notes("hard")
    assert said == (
        f"of 30 runs no law is judged on {low.sum()} within 0.05 of guessing or below it "
        f"({near.sum()} of them held out)"
    )


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ("compute > 8e21", COMPUTE > 8e21),
        ("tokens/params > 50", TOKENS / PARAMS > 50.0),
        ("C > 8e21 or D/N > 50", (COMPUTE > 8e21) | (TOKENS / PARAMS > 50.0)),
    ],
)
def test_held_out_runs_are_those_of_the_condition_and_are_not_fitted(
    compare, condition, wanted
) -> None:
    found = compare("compute", hold_out=condition)
    assert (found.data["piqa"].held == wanted).all()
    entry = found.entry("piqa", "compute")
    assert {*entry.fit.sample.index.tolist()} == {*np.flatnonzero(~wanted).tolist()}
    assert entry.held_out["n"] == int(wanted.sum())


def test_a_condition_on_k_concerns_the_pairs_alone(compare) -> None:
    found = compare("compute", "bilinear", benchmarks=("code",), hold_out="k > 10")
    in_k, plain = found.entry("code", "bilinear"), found.entry("code", "compute")
    assert in_k.fit.sample.at.k.max() == 8.0
    assert in_k.held_out["n"] > 0
    assert plain.held_out["n"] == 0
    assert len(plain.fit.sample) == plain.train["n"]
    assert not found.data["code"].held.any()


def test_without_a_hold_out_there_are_errors_of_the_fitted_runs_alone(compare) -> None:
    found = compare("compute", hold_out=None)
    entry = found.entry("piqa", "compute")
    assert (entry.held_out["n"], entry.train["n"]) == (0, 30)
    assert (found.best("piqa"), found.best("piqa", "train", "rmse")) == (None, "compute")
    assert (found.means(), found.misleading) == ([], ())
    assert "no run is held out" in str(found)


def test_two_stage_laws_are_judged_on_the_runs_with_the_proxy() -> None:
    columns = table()
    rows = [i for i, name in enumerate(columns["benchmark"]) if name == "web"]
    for i in rows[:2] + rows[-1:]:
        columns["score"][i] = None
    asked: dict[str, Any] = {"laws": ("compute", "two-stage-linear"), "benchmarks": ("piqa",)}
    found = compare_laws(Evaluations.read(columns), hold_out=HOLD_OUT, **asked)
    judged = {
        each.law: int((each.train["n"] or 0) + (each.held_out["n"] or 0)) for each in found.judged
    }
    assert judged == {"compute": 30, "two-stage-linear": 27}
    assert found.proxy == "web"
    assert any("dropped" in text for text in found.warnings)
    assert "3 dropped" in str(found)


def test_a_law_of_too_few_runs_is_never_best(compare) -> None:
    """Four runs for two coefficients, which the law of params and tokens passes through."""
    held = "compute > 1.1e19 or tokens/params > 30"
    found = compare(*LAW_NAMES, hold_out=held, resamples=9)
    known = {each.law: (len(each.fit.sample), each.weak) for each in found.of("piqa") if each.fit}
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
    data = Evaluations.read({"C": compute, "acc_piqa": scores, "loss": loss})
    known = {"piqa": Baseline(0.0)}
    found = compare_laws(data, laws=("two-stage-linear",), hold_out="C > 1e21", baselines=known)
    entry = found.entry("piqa", "two-stage-linear")
    assert entry.fit is not None
    ahead = entry.fit.accuracy(Points(compute=compute[compute > 1e21]))
    beyond = int((ahead > 1.0).sum())
    assert beyond > 3
    assert (entry.train["outside"], entry.held_out["outside"]) == (0, beyond)
    said = f"at {beyond} of {len(ahead)} held-out runs it lies outside [0, 1]"
    assert said in " ".join(str(found).split())


def test_margins_by_benchmark(compare, compared) -> None:
    both = {"benchmarks": ("piqa", "hard")}
    found = compare(*LAW_NAMES, margin={"hard": 0.1}, **both)
    for law in LAW_NAMES:
        assert found.entry("piqa", law).held_out == compared.entry("piqa", law).held_out
        assert found.entry("hard", law).fit.kind.margin == 0.1
        assert found.entry("hard", law).fit.sample.accuracy.min() > 0.1
    one = compare(*LAW_NAMES, margin=0.08, **both)
    assert {each.fit.kind.margin for each in one.judged} == {0.08}


# -- over benchmarks -------------------------------------------------------------------------------


def test_means_over_the_benchmarks_that_all_laws_share(compared) -> None:
    means = {each["law"]: each for each in compared.means()}
    assert {*means} == {*LAW_NAMES}
    for law, found in means.items():
        assert found["n"] == 2
        for figure, part in (("mae", "held_out"), ("rmse", "train")):
            one, other = (getattr(compared.entry(name, law), part)[figure] for name in GUESS)
            assert found["mean"][figure] == pytest.approx(0.5 * (one + other), rel=1e-12)
            spread = abs(one - other) / 2**0.5
            assert found["standard_deviation"][figure] == pytest.approx(spread, rel=1e-12)


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
    said = "on 1 of 1 benchmarks the law closest to the fitted runs does not predict"
    assert said in " ".join(str(found).split())
    record = found.as_dict()["closest_to_the_fitted_runs_is_not_best_on_held_out"]
    assert record == [{"benchmark": "piqa", "closest": "params-tokens", "best": "compute"}]
    agreed = with_errors(compared, close | {"params-tokens": (0.01, 0.005)})
    assert agreed.misleading == ()
    assert "warning" not in str(agreed)
    # The same law but for rounding, such as one with a ceiling that no run needs.
    assert with_errors(compared, close | {"params-tokens": (0.01, 0.0100001)}).misleading == ()


# -- resamples and interrupts ----------------------------------------------------------------------


def test_intervals_are_percentiles_of_the_errors_of_the_refitted_laws(resampled) -> None:
    entry, data = resampled.entry("piqa", "compute"), resampled.data["piqa"]
    ahead = data.runs.subset(data.held & (data.runs.accuracy > 0.55))
    C0, alpha = entry.fit.refitted.T
    laws = 0.5 + 0.5 * np.exp(-C0[:, None] * ahead.at.compute ** -alpha[:, None])
    spread = np.sort(np.abs(laws - ahead.accuracy).mean(axis=1))
    assert len(spread) == 40
    assert entry.intervals["mae"] == pytest.approx((0.0, np.percentile(spread, 90.0)), rel=1e-9)
    low, high = (entry.coefficients[1][end] for end in ("low", "high"))
    assert (low, high) == pytest.approx(np.percentile(alpha, [5.0, 95.0]), rel=1e-9)


def test_guessing_that_is_an_estimate_widens_the_intervals(compare) -> None:
    widths = []
    for error in (0.0, 0.04):
        known = {"piqa": Baseline(0.5, error)}
        entry = compare("compute", baselines=known, resamples=40).entry("piqa", "compute")
        drawn = len({*entry.fit.baselines.tolist()})
        assert drawn == (1 if error == 0.0 else len(entry.fit.refitted))
        alpha = entry.coefficients[1]
        widths.append(alpha["high"] - alpha["low"])
    assert widths[1] > 1.2 * widths[0]


def test_ctrl_c_keeps_what_was_done(compare, monkeypatch) -> None:
    real, calls = engine._judged, []

    def stops(*task):
        calls.append(task)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*task)

    monkeypatch.setattr(engine, "_judged", stops)
    found = compare("compute", "params-tokens", benchmarks=("piqa", "hard"))
    assert found.interrupted
    assert found.benchmarks == ("piqa",)
    assert [each.law for each in found.judged] == ["compute", "params-tokens"]
    assert "interrupted: what was not reached is left out" in str(found)
    assert found.as_dict()["interrupted"] is True


def test_ctrl_c_among_the_refits_ends_it_with_the_law_at_hand(compare, monkeypatch) -> None:
    real = fitting.resampled

    def stopped(*given):
        fit = real(*given)
        assert fit.draws is not None
        return fit.with_draws(replace(fit.draws, interrupted=True))

    monkeypatch.setattr(learners, "resampled", stopped)
    found = compare("compute", "params-tokens", resamples=5)
    assert found.interrupted
    assert found.laws == ("compute",)


# -- what is compared ------------------------------------------------------------------------------


def test_default_laws_are_those_that_the_table_has_the_columns_for(runs) -> None:
    def default(some, proxy=None):
        return module._chosen(None, some, proxy)

    plain = runs.only(["piqa"])
    assert default(runs) == (*USUAL, "bilinear")
    assert default(plain) == USUAL
    direct = tuple(law for law in USUAL if not law.startswith("two-stage"))
    assert default(replace(plain, proxies={})) == direct
    bare = replace(plain, params=None, tokens=None, proxies={})
    assert default(bare) == ("compute", "compute-ceiling", "bnsl")
    two = replace(plain, proxies={"a": np.ones(30), "b": np.ones(30)})
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
        ({"laws": ["bilinear"]}, "law='bilinear': needs pass@k at several k; piqa has none"),
        ({"proxy": "web"}, "proxy='web': is for two-stage laws"),
        ({"laws": ["two-stage-linear"], "proxy": "none"}, "proxy='none'"),
        ({"baselines": {}}, "baselines: 'piqa' is missing"),
        ({"margin": 1.0}, "margin=1.0: must be"),
        ({"margin": {"none": 0.1}}, "margin: 'none' is none of the benchmarks"),
        ({"margin": {"piqa": "x"}}, "margin='x'"),
        ({"resamples": -1}, "resamples=-1"),
        ({"seed": 0.5}, "seed=0.5"),
        ({"level": 1.0}, "level=1.0"),
        ({"jobs": 0}, "jobs=0"),
    ],
)
def test_bad_arguments(runs, given, said) -> None:
    with pytest.raises(ValueError, match=said):
        compare_laws(runs, **{"laws": ["compute"], "benchmarks": ["piqa"]} | given)


def test_a_law_that_cannot_be_fitted_says_why_and_stops_no_other(runs) -> None:
    few = runs.subset(runs.mask("compute < 1e19"))
    laws, both = ("compute", "params-tokens-ceiling"), ("piqa", "hard")
    found = compare_laws(few, laws=laws, benchmarks=both, margin={"hard": 0.3})
    why = "no run exceeds guessing (0) by more than 0.3 and is below 1"
    assert found.entry("hard", "compute").failed == why
    assert found.entry("piqa", "compute").fit is not None
    assert not found.has_verdict
    with pytest.raises(ValueError, match="benchmark='piqa', law='bnsl': was not compared"):
        found.entry("piqa", "bnsl")


# -- outputs ---------------------------------------------------------------------------------------


def test_json_has_no_nan(runs, resampled) -> None:
    """Also of all laws but the slowest, one of which fails somewhere."""
    laws = [law for law in LAWS if law not in ("bnsl-2", "bnsl-3")]
    every = compare_laws(runs, laws=laws, hold_out="C > 2e22", margin={"hard": 0.55})
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


def test_a_law_in_k_says_where_its_curves_cross_in_every_form(resampled) -> None:
    entry = resampled.entry("code", "bilinear")
    crossing = entry.crossing
    assert crossing.low < np.exp(0.9 / 0.0235) < crossing.high
    laws = resampled.as_dict()["benchmarks"][2]["laws"]
    (record,) = (each["crossing"] for each in laws if each["law"] == "bilinear")
    assert record == {"value": crossing.value, "low": crossing.low, "high": crossing.high}
    assert "the curves of all k cross at C_x =" in " ".join(str(resampled).split())
    direct, in_k = resampled.rows()[-2:]
    assert list(direct) == list(in_k)
    assert (direct["crossing_value"], in_k["crossing_value"]) == (None, crossing.value)


def test_rows_have_the_coefficients(resampled) -> None:
    direct, in_k = resampled.rows()[-2:]
    alpha = resampled.entry("code", "compute").coefficients[1]
    for end, part in (("", "value"), ("_low", "low"), ("_high", "high")):
        assert direct[f"coefficient_alpha{end}"] == alpha[part]
    assert direct["coefficient_d"] is None
    law = resampled.entry("code", "bilinear").fit
    assert in_k["coefficient_d"] == law.values[3]
