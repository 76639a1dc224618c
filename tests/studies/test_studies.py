"""The studies, whole (slow) and in part."""

from functools import partial

import claims
import coverage
import optimum
import pytest

#: Random problems and claims of a fast test.
FEW_PROBLEMS, FEW_CLAIMS = 2, 10
#: Problems and repetitions of a slow test; `make studies` takes 1,000 and 2,000.
PROBLEMS, REPETITIONS = 300, 300
#: The standard error of a coverage of 90 % over 300 repetitions is 1.7 %, of which these are 2.6.
LEAST, MOST = 0.855, 0.945


def test_the_optimum_on_some_random_problems():
    outcomes = [optimum.outcome(seed) for seed in range(FEW_PROBLEMS)]
    assert not [row for row in outcomes if row.worse], optimum.report(outcomes)
    assert all(row.converged for row in outcomes), optimum.report(outcomes)


@pytest.mark.slow
def test_the_optimum_on_random_problems(capsys):
    outcomes = optimum.study(range(PROBLEMS))
    with capsys.disabled():
        print("\n" + optimum.report(outcomes))
    assert sum(not row.worse for row in outcomes) >= 0.999 * PROBLEMS
    assert sum(row.converged for row in outcomes) >= 0.99 * PROBLEMS


def test_some_random_claims_are_judged_rightly():
    outcomes = [claims.judge(claim) for claim in claims.drawn(FEW_CLAIMS, 11)]
    assert not [row for row in outcomes if row.misjudged], claims.table(outcomes)


@pytest.mark.slow
def test_300_random_claims_are_judged_rightly(capsys):
    outcomes = claims.study(300, 12)
    with capsys.disabled():
        print("\n" + claims.table(outcomes))
    misjudged = [row for row in outcomes if row.misjudged]
    assert not misjudged, claims.listed(misjudged)
    assert {row.answer for row in outcomes} >= {"proved", "refuted"}


@pytest.mark.slow
def test_coverage(public_runs, capsys):
    objectives = ("huber-log", "least-squares-log")
    draw, resamples = partial(coverage.chinchilla, public_runs), coverage.RESAMPLES
    found = coverage.study(draw, REPETITIONS, objectives=objectives, resamples=resamples)
    with capsys.disabled():
        print(f"\n{found}")
    assert found.held.filter(like="bootstrap").between(LEAST, MOST).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", coverage.DESIGNS)
def test_coverage_of_the_default_interval_on_small_designs(name):
    """100 repetitions have a standard error of 3 %: 90 % intervals hold the truth in 81 to 99."""
    found = coverage.study(partial(coverage.simulated, name), 100)
    assert found.held.between(0.81, 0.99).all(), found
    assert (found.repetitions >= 90).all(), found
