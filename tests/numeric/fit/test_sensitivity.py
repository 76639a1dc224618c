"""How the fit moves over the objectives: each row against a fit of its own, and against SciPy's
minimum of the plain sum.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from isoflop.numeric.data.runs import Runs
from isoflop.numeric.fit import fit
from isoflop.numeric.fit.objective import OBJECTIVES
from isoflop.numeric.fit.sensitivity import DELTAS, Sensitivity, sensitivity


def table(noise: float = 0.004, seed: int = 0) -> dict[str, Any]:
    n, d = (x.ravel() for x in np.meshgrid(np.logspace(8, 10.5, 7), np.logspace(9, 11.5, 7)))
    error = noise * np.random.default_rng(seed).standard_t(3, len(n))
    return {
        "params": n,
        "tokens": d,
        "loss": (1.69 + 406.4 * n**-0.34 + 410.7 * d**-0.28) * np.exp(error),
    }


def chinchilla(folder: Path) -> Runs:
    runs = Runs.read(folder / "chinchilla" / "svg_extracted_data.csv")
    return runs.subset(runs.loss < np.sort(runs.loss)[-5])


@pytest.fixture(scope="module")
def found() -> Sensitivity:
    return sensitivity(fit(table()))


def test_every_objective_has_a_row(found: Sensitivity) -> None:
    assert {item.objective.name for item in found.variants} == set(OBJECTIVES)
    assert [
        item.objective.delta for item in found.variants if item.objective.name == "huber-log"
    ] == list(DELTAS)
    assert found.reference in found.variants
    assert found.reference.objective.delta == 1e-3
    assert all(item.converged for item in found.variants)
    for item in found.variants:
        own = fit(table(), objective=item.objective)
        assert item.fit.objective_value == pytest.approx(own.objective_value, rel=1e-9)
        assert item.estimates["alpha"].value == pytest.approx(own.law.envelope.exponent, rel=1e-5)
        assert item.estimates["beta"].standard_error == pytest.approx(
            own.standard_errors["beta"], rel=1e-3
        )


@pytest.mark.parametrize("name", ["least-squares-log", "least-squares"])
def test_a_row_is_the_minimum_of_the_plain_sum(found: Sensitivity, name: str) -> None:
    data = table()
    item = next(item for item in found.variants if item.objective.name == name)

    def plain(t: Any) -> float:
        law = (
            t[0]
            + np.exp(t[1] - t[3] * np.log(data["params"] / 1e9))
            + np.exp(t[2] - t[4] * np.log(data["tokens"] / 1e10))
        )
        r = np.log(law / data["loss"]) if name.endswith("log") else law - data["loss"]
        return float(np.sum(r**2))

    start = np.array([1.7, -1.0, -0.5, 0.33, 0.3])
    best = minimize(
        plain,
        start,
        method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-16, "maxiter": 20000, "maxfev": 20000},
    )
    assert item.fit.objective_value <= best.fun * (1 + 1e-9)
    assert item.estimates["beta"].value == pytest.approx(best.x[3], abs=2e-5)


def test_the_range_is_over_what_aims_at_the_middle(found: Sensitivity) -> None:
    central = [item for item in found.variants if item.central]
    assert {item.objective.name for item in found.variants if not item.central} == {"pinball-log"}
    values = [item.estimates["alpha"].value for item in central]
    assert found.range() == (min(values), max(values))
    estimate = found.reference.estimates["alpha"]
    assert estimate.high is not None
    assert estimate.low is not None
    assert found.over_interval() == pytest.approx(
        (max(values) - min(values)) / (estimate.high - estimate.low)
    )


def test_frame_data_and_text(found: Sensitivity) -> None:
    frame = found.to_frame()
    assert len(frame) == len(found.variants)
    row = frame[frame["objective"] == "huber-log 0.001"].iloc[0]
    assert row["alpha"] == found.reference.estimates["alpha"].value
    assert row["alpha_se"] == found.reference.estimates["alpha"].standard_error
    span = found.range()
    assert span is not None
    data = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert data["ranges"]["alpha"]["lo"] == span[0]
    assert {entry["objective"]["name"] for entry in data["variants"]} == set(OBJECTIVES)
    text = str(found)
    assert all(item.label in text for item in found.variants)
    assert "another quantile" in text
    assert "90 % interval" in text
    assert "exponent" in text.splitlines()[0]
    assert "of N*(C)" in text.splitlines()[1].split("  ")
    assert "params_share" not in text
    assert max(map(len, text.splitlines())) <= 100


def test_a_fit_keeps_its_law_and_is_the_reference() -> None:
    base = fit(
        table(), objective="huber-log", delta=5e-3, fixed={"E": 1.69}, bounds={"beta": (0.3, 0.5)}
    )
    got = sensitivity(base, deltas=(1e-3,))
    assert got.reference.fit is base
    assert got.variants[0] is got.reference
    assert all(item.estimates["E"].value == 1.69 for item in got.variants)


def test_compute_law_and_a_law_without_E() -> None:
    c = np.logspace(18, 23, 30)
    noise = np.exp(0.003 * np.random.default_rng(1).standard_normal(30))
    runs = {"compute": c, "loss": (1.7 + 1000 * c**-0.15) * noise}
    got = sensitivity(fit(runs, model="compute"))
    assert got.names == ("E", "C0", "alpha")
    span = got.range()
    assert span is not None
    low, high = span
    assert 0.1 < low <= high < 0.2
    without = sensitivity(fit(table(), irreducible=False))
    assert "E" not in without.names
    span = without.range()
    assert span is not None
    assert span[0] > 0.0


def test_a_design_that_tells_too_little_has_no_errors_and_a_reason() -> None:
    n, d = np.full(12, 1e9), np.logspace(9, 12, 12)
    noise = np.exp(0.002 * np.random.default_rng(1).standard_normal(12))
    runs = {"params": n, "tokens": d, "loss": (2.0 + 410.7 * d**-0.28) * noise}
    got = sensitivity(fit(runs), deltas=(1e-3,))
    json.dumps(got.as_dict(), allow_nan=False)
    assert len(str(got).splitlines()) >= len(got.variants)
    for item in got.variants:
        for estimate in item.estimates.values():
            assert (estimate.standard_error is None) == (estimate.low is None)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"level": 1.0}, "level"), ({"deltas": (0.0,)}, "delta"), ({"taus": (1.0,)}, "tau")],
)
def test_arguments_outside_their_domain(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sensitivity(fit(table()), **options)


def test_chinchilla(public_runs: Path) -> None:
    got = sensitivity(fit(chinchilla(public_runs)))
    rows = {item.label: item for item in got.variants}
    assert all(item.converged for item in got.variants)
    huber, squares, absolute = (
        rows[name] for name in ("huber-log 0.001", "least-squares-log", "absolute-log")
    )
    expected = {"beta": (0.347, 0.360), "gamma": (0.367, 0.406), "params_share": (0.514, 0.530)}
    for name, (under_huber, under_squares) in expected.items():
        assert huber.estimates[name].value == pytest.approx(under_huber, abs=5e-4)
        assert squares.estimates[name].value == pytest.approx(under_squares, abs=5e-4)
    assert absolute.fit.objective_value <= 1.129494664 * (1 + 1e-9)
    assert absolute.fit.objective_value == pytest.approx(1.129494664, rel=1e-7)
    assert squares.fit.objective_value == pytest.approx(0.0114618870, rel=1e-8)
    assert huber.fit.objective_value <= 0.001018274018 * (1 + 1e-9)
    share = got.over_interval()
    assert share is not None
    assert share > 0.9  # "the loss function matters more than the interval suggests"
