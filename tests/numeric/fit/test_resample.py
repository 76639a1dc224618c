"""Resamples of any fit: a straight line by weighted least squares, whose refits NumPy makes one by
one.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from isoflop.numeric.fit.fitted import Fitted
from isoflop.numeric.fit.resample import Draws, Refits, case_weights, refits_of, resample

N = 30


@dataclass(frozen=True, eq=False)
class Line(Fitted):
    """y = intercept + slope x."""

    x: np.ndarray
    y: np.ndarray
    fail: float = -np.inf  # refits with a slope below this are not certified
    stop: int = -1  # an interrupt comes in the call of so many rows
    draws: Draws | None = None

    size, objective_value, converged = N, 0.0, True

    def solved(self, weights, y):
        root = np.sqrt(weights)
        return np.linalg.lstsq(np.column_stack([root, root * self.x]), root * y, rcond=None)[0]

    @property
    def coefficients(self):
        return dict(zip(("intercept", "slope"), self.solved(np.ones(N), self.y), strict=True))

    def predict(self, rows):
        raise NotImplementedError

    def refit(self, *, weights):
        if len(weights) == self.stop:
            raise KeyboardInterrupt
        solved = np.array([self.solved(each, self.y) for each in weights])
        return Refits(solved, solved[:, 1] > self.fail)


@pytest.fixture(scope="module")
def line():
    x = np.linspace(0.0, 1.0, N)
    return Line(x, 1.0 + 2.0 * x + 0.1 * np.random.default_rng(0).normal(size=N))


def test_draws_are_refits_of_the_drawn_rows(line):
    draws = resample(line, 250, seed=5)
    assert (len(draws), draws.requested, draws.failed, draws.interrupted) == (250, 250, 0, False)
    for index in (0, 99, 100, 249):
        random = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(index // 100,)))
        rows = case_weights(None, N, min(100, 250 - 100 * (index // 100)), random)[index % 100]
        chosen = np.repeat(np.arange(N), rows.astype(int))
        slope, intercept = np.polyfit(line.x[chosen], line.y[chosen], 1)
        assert draws.coefficients[index] == pytest.approx([intercept, slope], rel=1e-9)


def test_draws_do_not_depend_on_the_number_of_jobs(line):
    one, two = (resample(line, 250, seed=3, jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.coefficients, two.coefficients)


def test_spread_is_that_of_the_formula(line):
    """sqrt(sum (off x)^2)/sum of squares of x for errors of any variances; 2,000 draws know it to
    2 %, and resamples of 30 rows differ from it in higher order.
    """
    estimate = line.resampled(2000).estimate("slope")
    own, x = line.coefficients, line.x - line.x.mean()
    off = line.y - own["intercept"] - own["slope"] * line.x
    expected = np.sqrt(np.sum((off * x) ** 2)) / np.sum(x**2)
    assert estimate.standard_error == pytest.approx(expected, rel=0.12)


def test_intervals_are_percentiles(line):
    found = line.resampled(101)
    columns = dict(zip(found.names, found.draws.coefficients.T, strict=True))
    for name, estimate in found.estimates(0.8).items():
        ends = np.quantile(columns[name], [0.1, 0.9])
        assert (estimate.low, estimate.high) == pytest.approx(tuple(ends), rel=1e-12)
        assert estimate.value == pytest.approx(line.coefficients[name])
    end = found.estimate(lambda c: c["intercept"] + c["slope"], 0.8)
    sums = found.draws.coefficients.sum(axis=1)
    assert (end.low, end.high) == pytest.approx(tuple(np.quantile(sums, [0.1, 0.9])), rel=1e-12)
    assert end.value == pytest.approx(sum(line.coefficients.values()))


def test_groups_are_drawn_whole(line):
    by = np.repeat(list("abcdef"), 5)
    assert resample(line, 3, by=by).kind == "groups"
    weights = case_weights(by, N, 50, np.random.default_rng(0)).reshape(50, 6, 5)
    assert (weights == weights[:, :, :1]).all()
    assert (weights[:, :, 0].sum(axis=1) == 6).all()


def test_failed_refits_are_counted_and_left_out(line):
    whole = resample(line, 150)
    middle = float(np.median(whole.coefficients[:, 1]))
    some = resample(replace(line, fail=middle), 150)
    assert (len(some), some.failed, some.done) == (75, 75, 150)
    np.testing.assert_array_equal(some.coefficients, whole.coefficients[some.index])
    none = resample(replace(line, fail=np.inf), 20)
    assert (len(none), none.failed) == (0, 20)
    assert line.with_draws(none).estimate("slope").low is None


def test_an_interrupt_keeps_what_is_done(line):
    whole = resample(line, 250)
    part = resample(replace(line, stop=50), 250)  # in the last batch
    assert part.interrupted
    assert (len(part), part.requested) == (200, 250)
    np.testing.assert_array_equal(part.coefficients, whole.coefficients[:200])
    with pytest.raises(KeyboardInterrupt):
        resample(replace(line, stop=50), 50)


def test_resamples_of_the_caller(line):
    weights = case_weights(None, N, 12, np.random.default_rng(1))
    draws = refits_of(line, [{"weights": weights[:7]}, {"weights": weights[7:]}], 12)
    np.testing.assert_array_equal(draws.coefficients, line.refit(weights=weights).coefficients)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n": 0}, "n=0"),
        ({"n": 10.0}, "n=10.0"),
        ({"seed": -1}, "seed=-1"),
        ({"jobs": 0}, "jobs=0"),
        ({"by": ["a"] * N}, "by: has 1 group"),
    ],
)
def test_bad_arguments(line, given, message):
    with pytest.raises(ValueError, match="^" + message):
        resample(line, **given)
