"""Laws of accuracy side by side: errors recomputed by hand, what is held out and judged."""

from typing import Any

import numpy as np
import pytest
from tests.data import TABLE_11, accuracies, at_ratios, evaluations, pass_at_k

from isoflop.numeric.accuracy.baselines import Baseline
from isoflop.numeric.data.evaluations import Evaluations
from isoflop.numeric.hold_out import backtest

PARAMS, TOKENS = at_ratios(np.geomspace(3e18, 3e22, 10), (5.0, 20.0, 100.0))
COMPUTE = 6.0 * PARAMS * TOKENS


def table():
    """30 runs: a benchmark of choices, one at several k, and a loss."""
    noisy: dict[str, Any] = {"noise": 0.01, "seed": np.random.default_rng(5)}
    scores = {("piqa", "acc"): accuracies(PARAMS, TOKENS, baseline=0.5, **noisy)}
    scores |= {("code", f"pass@{k}"): pass_at_k(COMPUTE, k, **noisy) for k in (1, 8, 64)}
    scores["web", "loss"] = 1.5 + 900.0 * COMPUTE**-0.15
    return evaluations(PARAMS, TOKENS, scores, code=0.0, piqa=0.5)


@pytest.fixture(scope="module")
def runs():
    return Evaluations.read(table())


@pytest.fixture(scope="module")
def compare(runs):
    """Laws on piqa with the runs of the most compute held out, unless other options are given."""

    def compared(*laws, **more) -> Any:
        options: dict[str, Any] = {"benchmarks": ("piqa",), "hold_out": "compute > 8e21"}
        return backtest(runs, laws=laws, **options | more)

    return compared


def held_errors(found, benchmark, law) -> Any:
    """The summary of a law on the held-out runs of a benchmark."""
    rows = found.errors(by_decades=False).to_dict("records")
    return next((row for row in rows if (row["subject"], row["law"]) == (benchmark, law)), None)


def test_public_runs_have_the_errors_of_equation_2(public_runs):
    """By NumPy: the line through log(-log Q') on log C of the runs above guessing and not held out,
    its coefficients, and its errors on both sides.
    """
    path = public_runs / "apple-downstream" / "runs.csv"
    read = Evaluations.read(path, columns={"params": None, "compute": "flops_table"})
    known = {name: Baseline(share) for name, share in TABLE_11.items()}
    known["lbpp"] = Baseline(0.0, margin=0.02)
    found = backtest(read, laws="compute", hold_out="compute > 6e21", baselines=known)
    log_C, held, fits = np.log(read.compute), read.compute > 6e21, found.finals.set_index("subject")
    for name in read.benchmarks:
        score, guess = read.scores[name], known[name].value
        judged = np.isfinite(score) & (score > guess + (known[name].margin or 0.05)) & (score < 1.0)
        used, ahead = judged & ~held, judged & held
        y = np.log(-np.log((score[used] - guess) / (1.0 - guess)))
        line = np.polyfit(log_C[used], y, 1)
        off = guess + (1.0 - guess) * np.exp(-np.exp(np.polyval(line, log_C))) - score
        row, fit = held_errors(found, name, "compute"), fits.loc[name]
        assert (row["n"], fit["n"]) == (ahead.sum(), used.sum())
        errors = (row["mae"], row["mean_error"], fit["rmse"], fit["r2"])
        spread = ((score[used] - score[used].mean()) ** 2).sum()
        assert errors == pytest.approx(
            (
                np.abs(off[ahead]).mean(),
                np.abs(off[ahead] / score[ahead]).mean(),
                np.sqrt((off[used] ** 2).mean()),
                1.0 - (off[used] ** 2).sum() / spread,
            ),
            rel=1e-6,
        )
        values = list(found.fit("compute", name).coefficients.values())
        assert values == pytest.approx([np.exp(line[1]), -line[0]], rel=1e-6)


def test_a_condition_on_k_concerns_the_pairs_alone(compare):
    found = compare("compute", "bilinear", benchmarks=("code",), hold_out="k > 10")
    assert found.fit("bilinear", "code").sample.k.max() == 8.0
    assert held_errors(found, "code", "bilinear")["n"] > 0
    assert held_errors(found, "code", "compute") is None


def test_two_stage_laws_are_judged_on_the_runs_with_the_proxy():
    """The logistic one is fitted to all of them, also to a score of 0."""
    columns = table()
    rows = [i for i, name in enumerate(columns["benchmark"]) if name == "web"]
    for i in rows[:2] + rows[-1:]:
        columns["score"][i] = None
    columns["score"][4] = 0.0
    options: dict[str, Any] = {"hold_out": "compute > 8e21", "benchmarks": ["piqa"]}
    laws = ("compute", "two-stage-linear", "two-stage-logistic")
    found = backtest(Evaluations.read(columns), laws=laws, **options)
    used = found.finals["n"].to_numpy() + found.errors(by_decades=False)["n"].to_numpy()
    assert used.tolist() == [29, 26, 26]
    assert len(found.fit("two-stage-logistic", "piqa").sample) == 22


def test_cutoffs_are_the_same_for_all_laws(compare):
    found = compare("compute", "two-stage-linear", hold_out=None, cutoffs=3)
    cuts = found.fits.groupby("law").cutoff.apply(list)
    assert cuts["compute"] == cuts["two-stage-linear"]
    assert found.table["size"].to_numpy() == pytest.approx(COMPUTE.max())
    assert {*found.table["target"]} == {"row 10", "row 20", "row 30"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"laws": []}, r"laws=\[\]: must be at least one law"),
        ({"benchmarks": []}, "no law has all that it depends on"),
        ({"benchmarks": ["none"]}, "benchmark='none'.*no such benchmark"),
        ({"hold_out": "compute > 1"}, "hold_out='compute > 1': holds out all of the rows"),
        ({"laws": ["two-stage-linear"], "proxy": "none"}, "proxy='none'"),
        ({"k": [1]}, r"k=\[1\]: is for Counts"),
        ({"hold_out": "C > 1e21", "cutoffs": 3}, "hold_out='C > 1e21': .* not by both"),
    ],
)
def test_bad_arguments(runs, given, message):
    with pytest.raises(ValueError, match=message):
        backtest(runs, **{"laws": ["compute"], "benchmarks": ["piqa"]} | given)
