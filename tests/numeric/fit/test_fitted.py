"""What every fit answers from its few own members."""

from dataclasses import dataclass

import numpy as np
import pytest

from isoflop.numeric.fit.fitted import Fitted
from isoflop.numeric.fit.resample import Draws, Refits


@dataclass(frozen=True, eq=False)
class Mean(Fitted):
    """The mean of rows, which is at a limit where it exceeds 3."""

    y: np.ndarray
    draws: Draws | None = None
    converged = True

    @property
    def coefficients(self):
        return {"mean": float(self.y.mean())}

    @property
    def size(self):
        return len(self.y)

    @property
    def objective_value(self):
        return float(((self.y - self.y.mean()) ** 2).sum())

    def on_limit(self, coefficients):
        return coefficients > 3.0

    def predict(self, rows):
        return np.full(len(rows), self.y.mean())

    def refit(self, *, weights):
        return Refits((weights @ self.y / weights.sum(axis=1))[:, None], weights[:, 0] > 0.0)


Y = np.array([1.0, 2.0, 4.0, 5.0])


def test_without_resamples_there_is_no_interval():
    (estimate,) = Mean(Y).estimates().values()
    assert (estimate.value, estimate.low, estimate.high) == (3.0, None, None)


def test_resamples_travel_with_the_fit():
    found = Mean(Y).resampled(500, seed=3)
    assert found.draws is not None
    drawn = found.draws.coefficients[:, 0]
    assert found.draws.failed + len(drawn) == found.draws.done == 500
    assert found.draws.failed == pytest.approx(
        500 * 0.75**4, rel=0.2
    )  # resamples without the first
    estimate = found.estimates(0.8)["mean"]
    assert (estimate.low, estimate.high) == tuple(np.quantile(drawn, [0.1, 0.9]))
    assert estimate.at_limit == ("high",)
    square = found.estimate(lambda law: law["mean"] ** 2, 0.8)
    assert (square.low, square.high) == tuple(np.quantile(drawn**2, [0.1, 0.9]))
    assert found.with_draws(None).draws is None
    with pytest.raises(ValueError, match="quantity='median': must be one of mean, or a function"):
        found.estimate("median")


def test_every_page_is_of_one_table():
    found = Mean(Y).resampled(100)
    assert list(found.to_frame().columns) == ["coefficient", "value", "lo", "hi", "se"]
    assert "90 % interval" in str(found)
    assert r"\toprule" in found.to_latex()
    assert "<table" in found._repr_html_()
