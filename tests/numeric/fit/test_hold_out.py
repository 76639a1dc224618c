"""Held-out rows: which are held out, what is predicted of them, and that failures stay in the
table.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from isoflop.numeric.fit.hold_out import Split, Trial, judge, rolling, up_to
from isoflop.numeric.results import Band

N = 20


@pytest.fixture
def rows():
    x = np.linspace(1.0, 20.0, N)
    return pd.DataFrame(
        {"x": x, "y": 3.0 - 0.1 * x + 0.01 * np.random.default_rng(0).normal(size=N)}
    )


@dataclass(frozen=True)
class Polynomial:
    coefficients: np.ndarray

    def predict(self, rows):
        return np.polyval(self.coefficients, rows.x)


@dataclass(frozen=True)
class Degree:
    degree: int
    least: int = 0

    @property
    def name(self):
        return f"degree {self.degree}"

    def fit(self, rows):
        if len(rows) < self.least:
            raise ValueError(f"{len(rows)} rows are too few")
        return Polynomial(np.polyfit(rows.x, rows.y, self.degree))


def hold_out(rows, laws, splits, **options):
    """Every law on every split."""
    trials = [Trial(law, rows, split, rows.y.to_numpy()) for split in splits for law in laws]
    return judge(trials, **options)


def folds(n, count=5):
    member = np.arange(n) % count
    return [Split(f"fold {i + 1}", member != i, member == i) for i in range(count)]


# -- splits ------------------------------------------------------------------------------------------------------------


def test_rolling_cutoffs_predict_the_next_rows():
    values = np.repeat([1.0, 2.0, 4.0, 8.0], 5)
    splits = rolling(values, least=6)
    assert [split.at for split in splits] == [2.0, 4.0]
    assert [(split.train.sum(), split.test.sum()) for split in splits] == [(10, 5), (15, 5)]
    beyond = up_to(values, [1.0, 2.0])
    assert [(split.train.sum(), split.test.sum()) for split in beyond] == [(5, 15), (10, 10)]
    falling = up_to(values, [4.0], falls=True, test=values < 2.0)
    assert [(split.at, split.train.sum(), split.test.sum()) for split in falling] == [(4.0, 10, 5)]
    many = rolling(np.arange(100.0), 3, least=10)
    assert [split.at for split in many] == [9.0, 53.0, 98.0]
    assert rolling(np.ones(5)) == ()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Split("s", np.array([True, True]), np.array([False, True])), "row 1 is both"),
        (lambda: Split("s", np.array([True, True]), np.array([False])), "must be one shape"),
        (lambda: rolling(np.arange(9.0), 0), "^cutoffs=0"),
    ],
)
def test_bad_splits(make, message):
    with pytest.raises(ValueError, match=message):
        make()


# -- the table ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2])
def test_predictions_are_of_fits_to_the_other_rows(rows, jobs):
    held = hold_out(rows, [Degree(1), Degree(2)], rolling(rows.x, 3, least=8), jobs=jobs)
    frame = held.to_frame()
    assert (len(frame), len(held)) == (2 * 12, 2 * 3)
    for one in held.judged:
        degree = int(one.law[-1])
        law = np.polyfit(rows.x[one.split.train], rows.y[one.split.train], degree)
        np.testing.assert_allclose(
            one.predicted, np.polyval(law, rows.x[one.split.test]), rtol=1e-12
        )
    np.testing.assert_allclose(frame.error, frame.predicted - frame.observed)
    np.testing.assert_array_equal(rows.y[frame.row], frame.observed)


def test_a_model_that_cannot_be_fitted_stays_in_the_table(rows):
    held = hold_out(rows, [Degree(1), Degree(2, least=15)], rolling(rows.x, [10.0, 16.0]))
    frame = held.to_frame()
    failed = frame[frame.failed != ""]
    assert {*failed.failed} == {"10 rows are too few"}
    assert len(failed) == 6
    assert failed.predicted.isna().all()
    assert [one.law for one in held.failed] == ["degree 2"]


def test_predictions_that_are_not_finite_are_failures(rows):
    class Broken(Degree):
        def fit(self, rows):
            return Polynomial(np.array([np.inf, 0.0]))

    held = hold_out(rows, [Broken(1)], [Split("late", rows.x <= 15, rows.x > 15)])
    assert {*held.to_frame().failed} == {"its prediction is not finite"}


def test_intervals_of_predictions_are_columns(rows):
    class Banded(Polynomial):
        def predict(self, rows):
            value = super().predict(rows)
            return Band(value, value - 1.0, value + 1.0)

    class Model(Degree):
        def fit(self, rows):
            return Banded(super().fit(rows).coefficients)

    frame = hold_out(rows, [Model(1)], folds(N)).to_frame()
    np.testing.assert_allclose(frame.high - frame.low, 2.0)


def test_an_interrupt_keeps_what_is_done(rows):
    seen = []

    def interrupt(one):
        seen.append(one.law)
        if len(seen) == 3:
            raise KeyboardInterrupt

    held = hold_out(rows, [Degree(1), Degree(2)], folds(N), then=interrupt)
    assert held.interrupted
    assert len(held.judged) == 3
