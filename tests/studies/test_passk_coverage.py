"""Coverage of the intervals of the laws of pass@k, whole (slow) and in part."""

import passk_coverage
import pytest
import running
from passk_coverage import CASES, LIKELIHOOD, NEW_MODEL, SQUARES
from scipy.stats import binom

#: Percentile intervals of so few models are narrow by up to 7 % of coverage; the study on the
#: command line measures by how much.
LEAST = 0.83
#: Repetitions of a test; how many must hold is what a coverage of `LEAST` would fall short of in
#: one of 1,000 tests.
FEW, MANY, CHANCE = 40, 60, 1e-3


def least_held(repetitions, quantities):
    """The number of intervals that hold, which a coverage of `LEAST` reaches but for `CHANCE`, over
    all quantities.
    """
    return int(binom.ppf(CHANCE / quantities, repetitions, LEAST))


def case_of(**wanted):
    """The one case that has all this."""
    (found,) = (x for x in CASES if wanted.items() <= vars(x).items())
    return found


def test_some_repetitions():
    """Not too few hold the truth; the whole study is slow."""
    case = case_of(law="compute", method=SQUARES, setting="moderate")
    rows = [passk_coverage.repetition(case, seed) for seed in range(FEW)]
    held = {name: sum(int(row[name]["held"]) for row in rows) for name in rows[0]}
    assert list(held) == ["E0", "C0", "alpha", NEW_MODEL]
    assert 0.5 * FEW < least_held(FEW, len(held)) <= min(held.values())


def test_many_models_without_a_success(monkeypatch):
    """The likelihood finds the exponent where half of the models have no success; least squares,
    which drops these, does not.
    """
    monkeypatch.setattr(passk_coverage, "RESAMPLES", 2)  # estimates alone are looked at
    found = {}
    for method in (SQUARES, LIKELIHOOD):
        case = case_of(law="compute", method=method, setting="many unsolved")
        rows = [passk_coverage.repetition(case, seed) for seed in range(6)]
        alpha = running.coverage(rows).loc["alpha"]
        found[method] = alpha.estimate / alpha.true
    assert found[SQUARES] < 0.7 < found[LIKELIHOOD] < 1.5


def test_a_limit_whose_search_is_certified_from_one_side_alone():
    """An upper limit of the irreducible part is found where a law at a lower value is certified at
    a second search only.
    """
    case = case_of(law="params-tokens", method=SQUARES, setting="many unsolved")
    E0 = passk_coverage.repetition(case, 104)["E0"]
    assert 0.0 <= E0["estimate"] <= E0["width"] < 30.0


#: Least squares by every law; the likelihood, which takes a second a repetition, by one law for
#: each way to sample. Least squares that drops the models without a success does not hold the truth.
HELD = [case for case in CASES if case.method == SQUARES and case.setting == "moderate"] + [
    case_of(method=LIKELIHOOD, name="fixed n", setting="moderate", law="gold"),
    case_of(method=LIKELIHOOD, name="fixed n", setting="moderate", law="params-tokens"),
    case_of(method=LIKELIHOOD, name="until solved, n < k", law="compute"),
    case_of(method=LIKELIHOOD, setting="many unsolved", law="params-tokens"),
]


@pytest.mark.slow
@pytest.mark.parametrize("case", HELD, ids=lambda x: f"{x.law}, {x.setting}, {x.method}, {x.name}")
def test_coverage(case, capsys):
    found = passk_coverage.study(case, MANY)
    with capsys.disabled():
        print(f"\n{found}")
    assert (found.held * MANY >= least_held(MANY, len(found))).all()
