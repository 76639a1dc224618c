"""Coverage of the intervals of the laws of pass@k, whole (slow) and in part."""

import passk_coverage
import pytest
import running
from passk_coverage import CASES, LIKELIHOOD, NEW_MODEL, SQUARES
from scipy.stats import binom

#: Percentile intervals of so few models are narrow by up to 7 % of coverage.
LEAST = 0.83
#: Repetitions of a test; how many must hold is what a coverage of `LEAST` would fall short of in
#: one of 1,000 tests.
FEW, MANY, CHANCE = 24, 60, 1e-3


def least_held(repetitions, quantities):
    """The number of intervals that hold, which a coverage of `LEAST` reaches but for `CHANCE`, over
    all quantities.
    """
    return int(binom.ppf(CHANCE / quantities, repetitions, LEAST))


def test_some_repetitions():
    rows = [passk_coverage.repetition(CASES[0], seed, resamples=80) for seed in range(FEW)]
    held = {name: sum(int(row[name]["held"]) for row in rows) for name in rows[0]}
    assert list(held) == ["E0", "C0", "alpha", NEW_MODEL]
    assert 0.5 * FEW < least_held(FEW, len(held)) <= min(held.values())


def test_many_models_without_a_success():
    """The likelihood finds the exponent where half of the models have no success; least squares,
    which drops these, does not.
    """
    found = {}
    for case in (case for case in CASES if (case.law, case.k) == ("compute", 1)):
        rows = [passk_coverage.repetition(case, seed, resamples=2) for seed in range(4)]
        alpha = running.coverage(rows).loc["alpha"]
        found[case.method] = alpha.estimate / alpha.true
    assert found[SQUARES] < 0.7 < found[LIKELIHOOD] < 1.5


def test_a_limit_whose_search_is_certified_from_one_side_alone():
    """An upper limit of the irreducible part is found where a law at a lower value is certified at
    a second search only.
    """
    (case,) = (x for x in CASES if (x.law, x.method, x.k) == ("params-tokens", SQUARES, 1))
    E0 = passk_coverage.repetition(case, 104)["E0"]
    assert 0.0 <= E0["estimate"] <= E0["width"] < 30.0


#: Least squares that drops the models without a success does not hold the truth.
HELD = [case for case in CASES if case.setting == "moderate"]
HELD += [x for x in CASES if (x.law, x.method, x.k) == ("params-tokens", LIKELIHOOD, 1)]


@pytest.mark.slow
@pytest.mark.parametrize("case", HELD, ids=str)
def test_coverage(case):
    found = passk_coverage.study(case, MANY)
    assert (found.held * MANY >= least_held(MANY, len(found))).all(), found.to_string()
