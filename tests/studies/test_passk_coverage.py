"""Coverage of the intervals of the laws of pass@k, whole (slow) and in part."""

import passk_coverage
import pytest
import running
from passk_coverage import CASES, GIVEN_UP, LIKELIHOOD, NEW_MODEL, SQUARES

#: Percentile intervals of so few models are narrow by up to 7 % of coverage; the study on the
#: command line measures by how much.
LEAST = 0.83
#: Repetitions of a test; how many must hold is what a coverage of `LEAST` would fall short of in
#: one of 1,000 tests.
FEW, MANY, CHANCE = 40, 60, 1e-3


def least_held(repetitions: int, quantities: int = 1) -> int:
    """The number of intervals that hold, which a coverage of `LEAST` reaches but for `CHANCE`, over
    all quantities.
    """
    from scipy.stats import binom

    return int(binom.ppf(CHANCE / quantities, repetitions, LEAST))


def case_of(**wanted) -> passk_coverage.Case:
    (found,) = [
        case
        for case in CASES
        if all(getattr(case, name) == value for name, value in wanted.items())
    ]
    return found


def held(case, repetitions):
    """How many intervals hold each quantity, and the rows."""
    rows = [passk_coverage.repetition(case, seed) for seed in range(repetitions)]
    return {name: sum(int(row[name]["held"]) for row in rows) for name in rows[0]}, rows


def test_the_bound_can_fail() -> None:
    """Half of the intervals would be too few; what `LEAST` promises on average is enough."""
    for repetitions in (FEW, MANY):
        assert 0.5 * repetitions < least_held(repetitions, 4) <= LEAST * repetitions


def test_some_repetitions() -> None:
    """Not too few hold the truth; the whole study is slow."""
    case = case_of(law="compute", method=SQUARES, name="fixed n", setting="moderate")
    found, _ = held(case, FEW)
    assert list(found) == ["E0", "C0", "alpha", NEW_MODEL]
    assert min(found.values()) >= least_held(FEW, len(found))


def test_many_models_without_a_success(monkeypatch) -> None:
    """The likelihood finds the exponent where half of the models have no success; least squares,
    which drops these, does not.
    """
    cases = {
        method: case_of(law="compute", method=method, setting="many unsolved")
        for method in (SQUARES, LIKELIHOOD)
    }
    assert passk_coverage.unsolved_share(cases[LIKELIHOOD]) > 0.4
    monkeypatch.setattr(passk_coverage, "RESAMPLES", 2)  # estimates alone are looked at
    found = {}
    for method, case in cases.items():
        alpha = running.coverage(held(case, 6)[1]).loc["alpha"]
        found[method] = alpha.estimate / alpha.true
    assert found[SQUARES] < 0.7
    assert 0.7 < found[LIKELIHOOD] < 1.5


def test_a_limit_whose_search_is_certified_from_one_side_alone() -> None:
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
    case_of(method=LIKELIHOOD, sampling=GIVEN_UP, k=1000),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    HELD,
    ids=lambda case: f"{case.law}, {case.setting}, {case.method}, {case.name}, {case.k}",
)
def test_coverage(case, capsys) -> None:
    found = passk_coverage.study(case, MANY)
    with capsys.disabled():
        print(f"\n{found}")
    assert (found.held * MANY >= least_held(MANY, len(found))).all()
