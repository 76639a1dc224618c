"""What every fit answers from its few own members; the information criteria."""

from dataclasses import dataclass
from math import log, pi
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from isoflop.numeric.errors import ArgumentError
from isoflop.numeric.fit.fitted import Fitted
from isoflop.numeric.fit.fitting import fit
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
    assert (Mean(Y).n_failed, Mean(Y).interrupted, Mean(Y).at_limit) == (0, False, {})


def test_resamples_travel_with_the_fit():
    found = Mean(Y).resampled(500, seed=3)
    assert found.draws is not None
    drawn = found.draws.coefficients[:, 0]
    assert found.n_failed + len(drawn) == 500
    assert found.n_failed == pytest.approx(500 * 0.75**4, rel=0.2)  # resamples without the first
    low, high = np.quantile(drawn, [0.1, 0.9])
    assert (found.estimates(0.8)["mean"].low, found.estimates(0.8)["mean"].high) == (low, high)
    assert found.at_limit == {"mean": int((drawn > 3.0).sum())}
    assert found.with_draws(None).draws is None
    entry = found.coefficients_as_dict(0.8)["mean"]
    assert list(entry) == ["value", "se", "lo", "hi"]
    assert (entry["value"], entry["lo"], entry["hi"]) == (3.0, low, high)


def test_every_page_is_of_one_table():
    found = Mean(Y).resampled(100)
    assert found.coefficient_table().records() == [
        {"coefficient": "mean", **found.coefficients_as_dict()["mean"]}
    ]
    assert list(found.to_frame().columns) == ["coefficient", "value", "lo", "hi", "se"]
    assert "90 % interval" in str(found)
    assert r"\toprule" in found.to_latex()
    assert "<table" in found._repr_html_()


def test_residuals_cannot_be_drawn_where_a_fit_does_not_offer_it():
    with pytest.raises(ArgumentError) as refused:
        Mean(Y).resampled(3, kind="residuals")
    assert refused.value.argument == "kind"


# -- information criteria --------------------------------------------------------------------------


def noisy_runs(weight=None):
    random = np.random.default_rng(5)
    params, tokens = np.geomspace(1e7, 1e10, 30), random.permutation(np.geomspace(1e9, 1e12, 30))
    loss = 1.7 + 400.0 * params**-0.34 + 410.0 * tokens**-0.28
    table = {"params": params, "tokens": tokens}
    table |= {"loss": loss * np.exp(0.01 * random.standard_t(4, 30))}
    return table if weight is None else table | {"weight": weight}


DENSITIES = {
    "least-squares": lambda r, s: np.exp(-(r**2) / s),
    "least-squares-log": lambda r, s: np.exp(-(r**2) / s),
    "absolute-log": lambda r, s: np.exp(-abs(r) / s),
    "pinball-log": lambda r, s: np.exp(-(0.3 * r if r > 0 else -0.7 * r) / s),
    "huber-log": lambda r, s: np.exp(
        -(r**2 / 2 if abs(r) <= 5e-3 else 5e-3 * (abs(r) - 2.5e-3)) / s
    ),
}
PARAMETERS: dict[str, dict[str, Any]] = {"pinball-log": {"tau": 0.3}, "huber-log": {"delta": 5e-3}}


@pytest.mark.parametrize("objective", DENSITIES)
def test_criteria_against_densities_by_quadrature(objective):
    runs = noisy_runs()
    found = fit(runs, objective=objective, **PARAMETERS.get(objective, {}))
    residuals, loss = found.residuals, runs["loss"]

    def cost(log_scale):
        scale = float(np.exp(log_scale))

        def density(r):
            return float(DENSITIES[objective](r, scale))

        parts = [(-1.0, -0.1), (-0.1, -5e-3), (-5e-3, 0.0), (0.0, 5e-3), (5e-3, 0.1), (0.1, 1.0)]
        total = sum(quad(density, *part, limit=200)[0] for part in parts)
        return -sum(log(density(r) / total) for r in residuals)

    middle = log(found.objective_value / 30)
    least = minimize_scalar(cost, bounds=(middle - 1.0, middle + 2.0), method="bounded").fun
    jacobian = 0.0 if objective == "least-squares" else float(np.log(loss).sum())
    # Bounded search ends within 1e-5 of the scale, where the cost is flat.
    assert found.aic == pytest.approx(2.0 * (6 + least + jacobian), rel=1e-7)
    assert found.bic == pytest.approx(6 * log(30) + 2.0 * (least + jacobian), rel=1e-7)


def test_criterion_of_least_squares_in_closed_form():
    weight = np.linspace(0.5, 2.0, 30)
    found = fit(noisy_runs(weight), objective="least-squares")
    variance = found.objective_value / 30
    closed = -15.0 * (log(2.0 * pi * variance) + 1.0) + 0.5 * float(np.log(weight).sum())
    assert found.log_likelihood == pytest.approx(closed, rel=1e-9)
