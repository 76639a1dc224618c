"""The published tables against each other, and which runs Table 11 was fitted to."""

from statistics import mean, stdev

import mpmath
import numpy as np
import pytest
from krajewski2025.tables import printed_bilinear, printed_broken, tables_check
from krajewski2025.which_runs import LOWER, UPPER, Rule, verdict, which_runs

from isoflop.numeric.data.evaluations import Evaluations
from isoflop.numeric.data.sample import Points
from isoflop.numeric.simulate.evaluations import LAWS, PROBLEMS, simulate
from isoflop.theory.data import krajewski2025 as printed
from isoflop.theory.data.krajewski2025 import MIXTURE
from isoflop.theory.data.published import published

MP = mpmath.mp.clone()
MP.dps = 50
COMPUTE = [MP.mpf(10) ** (18 + MP.mpf(i) / 10) for i in range(46)] + [MP.mpf("3.77e22")]


@pytest.fixture(scope="module")
def check():
    return tables_check()


def decoded_11(name, compute):
    """Accuracy by Table 11, its printed columns read as e^-alpha and log A."""
    law = published(f"krajewski2025-{name.lower()}-compute")
    slope, log_A = MP.mpf(law.printed["A"]), MP.mpf(law.printed["alpha"])
    baseline = MP.mpf(law.random_baseline)
    return baseline + (1 - baseline) * MP.exp(-MP.exp(log_A + MP.log(slope) * MP.log(compute)))


def equation_1(row, compute):
    a, b, c0, c1, d1, f1 = (MP.mpf(digits) for digits in row)
    return a + b * compute**-c0 * (1 + (compute / d1) ** (1 / f1)) ** (-c1 * f1)


# -- the curves ------------------------------------------------------------------------------------


def test_the_law_of_draws_has_the_slope_of_theory(check):
    """-0.199 at 6e21 FLOP for HumanEval, as its figure shows; the columns as headed would give the
    opposite.
    """
    law = printed_bilinear("HumanEval")
    assert law.b + law.d * np.log(6e21) == pytest.approx(-0.199, abs=0.001)
    assert [row.verdict for row in check.draws] == ["agrees", "agrees"]


def test_broken_laws(check):
    at = [3e18, 1e20, 6e21, 3.77e22]
    for name, cells in printed.TABLE_10.items():
        expected = [float(equation_1(cells[1:], MP.mpf(C))) for C in at]
        assert printed_broken(name)(np.array(at)) == pytest.approx(expected, rel=1e-10)
    rows = {row.benchmark: row for row in check.broken}
    verdicts = {"digits lost": ["HellaSwag", "Winogrande"], "impossible": ["GSM8K", "LBPP"]}
    for answer, names in verdicts.items():
        assert [name for name, row in rows.items() if row.verdict == answer] == names
    least = float(equation_1(printed.TABLE_10["LBPP"][1:], MP.mpf("6e21")))
    assert least == pytest.approx(-1.155, abs=1e-3)
    assert rows["LBPP"].positive_from == pytest.approx(3.48e22, rel=0.01)
    assert all(row.break_over_largest > 1.0 for row in rows.values())
    for name in ("ARC-C", "TriviaQA", "LAMBADA"):
        digits, fitted = printed.TABLE_10[name][1:], [C for C in COMPUTE if C >= 3e18]
        apart = [abs(equation_1(digits, C) - decoded_11(name, C)) for C in fitted]
        assert rows[name].max_abs_difference == pytest.approx(float(max(apart)), rel=0.01)


# -- numbers that ought to be the same -------------------------------------------------------------


def test_averages(check):
    five = [row for row in printed.TABLE_3.values() if row[0] == "acc_norm"]
    assert len(five) == 5
    columns = {"PowerLaw MAE": 1, "PowerLaw MRE": 2, "BNSL MAE": 3, "BNSL MRE": 4}
    for row in check.averages:
        column = columns[f"{row.strategy} {row.what[-3:]}"]
        of = stdev if row.what.startswith("std") else mean
        every = (
            of(float(one[column]) for one in rows) for rows in (printed.TABLE_3.values(), five)
        )
        assert (row.over_all, row.over_five) == pytest.approx(tuple(every))
        is_3 = row.table == "Table 3"
        assert (row.verdict, row.of_five) == ("agrees" if is_3 else "differs", not is_3)


def test_every_disagreement_is_listed(check):
    parts = ("draws", "broken", "baselines", "ceilings", "averages")
    differ = sum(row.verdict != "agrees" for name in parts for row in getattr(check, name))
    assert len(check.disagreements) == differ + (check.rays.table.verdict == "differs").sum() == 26
    joined = " ".join(check.text().split())
    for one in check.disagreements:
        assert f"{one.tables}, {one.where}: {one.what}." in joined


# -- which runs ------------------------------------------------------------------------------------


def test_a_comparison_with_the_printed_line_is_least_squares_with_students_t():
    from scipy.stats import multivariate_t

    simulated = simulate(seed=3, benchmarks=["ARC-E"]).query("benchmark == 'ARC-E'")
    ratio = simulated.tokens / simulated.params
    near = (ratio > 14.0) & (ratio < 28.0) & (simulated.dataset == MIXTURE)
    accuracy, compute = simulated.score[near].to_numpy(), simulated.compute[near]
    sample = Points(benchmark="ARC-E", accuracy=accuracy, baseline=0.2918, compute=compute)
    (fit,) = which_runs({"ARC-E": sample})[Rule(0.0, np.inf, False)].fits
    x, y = np.log(sample.compute), np.log(-np.log((sample.accuracy - 0.2918) / (1 - 0.2918)))
    design, spare = np.stack([x, np.ones_like(x)], axis=1), len(y) - 2
    found, rest, *_ = np.linalg.lstsq(design, y, rcond=None)
    covariance = np.linalg.inv(design.T @ design) * float(rest[0]) / spare
    assert (-fit.alpha, fit.log_A) == pytest.approx(found)
    errors = np.sqrt(np.diag(covariance))
    assert (fit.alpha_error, fit.log_A_error) == pytest.approx(errors, rel=1e-6)
    away = np.array([-fit.alpha_printed, fit.log_A_printed]) - found
    assert fit.distance == pytest.approx(away @ np.linalg.solve(covariance, away), rel=1e-6)
    density = multivariate_t(loc=[0.0, 0.0], shape=covariance, df=spare).logpdf(away)
    assert fit.log_likelihood - density == pytest.approx(np.log(np.pi), abs=1e-6)
    # F(2, v) has the survival function (1 + 2 x/v)^(-v/2).
    assert fit.p == pytest.approx((1.0 + fit.distance / spare) ** (-spare / 2), rel=1e-6)


def test_the_public_runs_say_up_to_6e21(public_runs):
    """The open question: Table 11 is a fit of runs up to 6e21 FLOP above guessing by a margin, not
    of "all datapoints".
    """
    answer = which_runs(public_samples(public_runs))
    limited, every = answer[Rule(LOWER, UPPER, True)], answer[Rule(0.0, np.inf, False)]
    assert limited.closest == 12
    assert limited.distance == pytest.approx(21.6, abs=0.1)
    assert limited.p > 0.5
    assert every.distance > 300.0
    assert every.p < 1e-10
    assert verdict(answer).count("yes (") == 2
    for rule in (Rule(LOWER, np.inf, True), Rule(LOWER, UPPER, False)):
        assert limited.log_ratio(answer[rule])[1] > 15.0


def public_samples(folder):
    """Label -> accuracy at the public runs of nominal ratio 20, budgets as printed in the tables."""
    keys = {
        "arc_easy": "ARC-E",
        "arc_challenge": "ARC-C",
        "lambada_openai": "LAMBADA",
        "gsm8k_cot_llama": "GSM8K",
        "humaneval-py": "HumanEval",
    } | {label.lower(): label for label in PROBLEMS}
    runs = Evaluations.read(
        folder / "apple-downstream" / "runs.csv",
        columns={"params": None, "compute": "flops_table"},
        where="tpr == 20",
    )
    named = {keys[key.removesuffix("_1shot")]: key for key in runs.benchmarks}
    return {
        label: runs.sample(named[label], float(str(LAWS[label].random_baseline)))
        for label in PROBLEMS
    }
