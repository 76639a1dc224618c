"""The studies, whole (slow) and in part."""

from functools import partial

import claims
import coverage
import optimum
import pytest
import running

#: Random problems and claims of a fast test.
FEW_PROBLEMS, FEW_CLAIMS = 1, 10
#: Problems and repetitions of a slow test; `make studies` takes 1,000 and 2,000.
PROBLEMS, REPETITIONS = 300, 300
#: The standard error of a coverage of 90 % over 300 repetitions is 1.7 %, of which these are 2.6.
LEAST, MOST = 0.855, 0.945


@pytest.mark.parametrize("size", [FEW_PROBLEMS, pytest.param(PROBLEMS, marks=pytest.mark.slow)])
def test_the_optimum_on_random_problems(size):
    found = optimum.study(range(size), jobs=None if size == PROBLEMS else 1)
    print(optimum.report(found))
    assert (~found.worse).mean() >= 0.999
    assert found.converged.mean() >= 0.99


@pytest.mark.parametrize(
    ("size", "seed"), [(FEW_CLAIMS, 11), pytest.param(300, 12, marks=pytest.mark.slow)]
)
def test_random_claims_are_judged_rightly(size, seed):
    found = claims.study(size, seed, jobs=1 if size == FEW_CLAIMS else None)
    print(claims.table(found))
    assert not found.misjudged.any(), "\n".join(found.text[found.misjudged])
    assert {*found.answer} >= {"proved", "refuted"}


@pytest.mark.slow
def test_coverage(public_runs):
    objectives = ("huber-log", "least-squares-log")
    draw, resamples = partial(coverage.chinchilla, public_runs), coverage.RESAMPLES
    one = partial(coverage.repetition, draw, objectives=objectives, resamples=resamples)
    found = running.study(one, REPETITIONS)
    print(found)
    assert found.held.filter(like="bootstrap").between(LEAST, MOST).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", coverage.DESIGNS)
def test_coverage_of_the_default_interval_on_small_designs(name):
    """100 repetitions have a standard error of 3 %: 90 % intervals hold the truth in 81 to 99."""
    one = partial(coverage.repetition, partial(coverage.simulated, name))
    found = running.study(one, 100)
    assert found.held.between(0.81, 0.99).all(), found
    assert (found.repetitions >= 90).all(), found
