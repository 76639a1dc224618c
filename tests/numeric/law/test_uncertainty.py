"""A law from data keeps how sure it is: what follows from it has intervals, in every format."""

import json

import numpy as np
import pytest
from tests.data import grid, noisy

from isoflop.numeric.fit import fit
from isoflop.numeric.law import Law, law

TRUTH = law("besiroglu2024")


@pytest.fixture(scope="module")
def fitted():
    sizes, ratio = grid(np.geomspace(1e7, 1e10, 6), [2.0, 5.0, 10.0, 20.0, 50.0, 100.0])
    losses = noisy(TRUTH.loss(sizes, sizes * ratio), 0.004, seed=2)
    return fit({"N": sizes, "D": sizes * ratio, "L": losses}, model="params-tokens")


@pytest.fixture(scope="module")
def resampled(fitted):
    return fitted.resampled(100, seed=4).drawn


def test_a_saved_bootstrap_gives_the_percentiles_of_its_draws(fitted, resampled, tmp_path):
    fitted.with_draws(resampled).save(tmp_path / "fit.json")
    read = Law.load(tmp_path / "fit.json")
    columns = dict(zip(fitted.names, resampled.coefficients.T, strict=True))
    beta, gamma = columns["beta"], columns["gamma"]
    # P at N/N* = r by its definition: w_N r^-beta + w_D r^gamma.
    penalties = (gamma * 0.5**-beta + beta * 0.5**gamma) / (beta + gamma)
    estimate = read.penalty(size_ratio=0.5).estimate("loss_penalty")
    assert (estimate.low, estimate.high) == pytest.approx(
        np.quantile(penalties, [0.05, 0.95]), rel=1e-6
    )
    assert len(read.drawn) == len(resampled)


def test_a_saved_fit_has_the_intervals_of_the_fit(fitted, tmp_path):
    fitted.save(tmp_path / "fit.json")
    read = Law.load(tmp_path / "fit.json")
    for estimate, expected in (
        (read.estimate(lambda drawn: drawn.envelope.exponent), fitted.estimate("alpha")),
        (read.allocate(1e22).estimate("params"), fitted.estimate("N_star", compute=1e22)),
        (read.allocate(1e22).estimate("loss"), fitted.estimate("L_star", compute=1e22)),
        (read.penalty(10.0).estimate("loss_penalty"), fitted.estimate("penalty", ratio=10.0)),
    ):
        assert estimate.value == pytest.approx(expected.value, rel=1e-12)
        ends = expected.low, expected.high  # of draws with 7 digits in the file
        assert (estimate.low, estimate.high) == pytest.approx(ends, rel=1e-5)


def test_a_law_file_keeps_it_and_an_older_one_has_none(fitted, tmp_path):
    fitted.save(tmp_path / "fit.json")
    read = Law.load(tmp_path / "fit.json")
    again = Law.from_json(read.to_json("hoffmann"))
    assert again == read
    assert again.penalty(10.0).estimate("excess") == read.penalty(10.0).estimate("excess")
    data = json.loads((tmp_path / "fit.json").read_text())
    del data["draws"]
    older = Law.from_json(json.dumps(data))
    assert older == read
    assert not older.penalty(10.0).estimate("excess").has_interval


@pytest.mark.parametrize(
    "draws", [3, {}, {"coefficients": {"beta": [0.3, "x"]}}, {"coefficients": {"zeta": [1.0]}}]
)
def test_malformed_draws_are_refused(draws):
    data = TRUTH.as_dict() | {"draws": draws}
    with pytest.raises(ValueError, match="draws"):
        Law.from_json(json.dumps(data))


def test_a_cost_at_the_optimum_is_bounded_above_alone(fitted, tmp_path):
    fitted.save(tmp_path / "fit.json")
    read = Law.load(tmp_path / "fit.json")
    best = read.allocate(1e22)
    excess = read.penalty(params=best.params, tokens=best.tokens).estimate("excess")
    assert excess.at_most
    assert excess.low == 0.0
    assert excess.high is not None
    assert excess.high > 0.0


def test_results_show_themselves(fitted, tmp_path):
    fitted.save(tmp_path / "fit.json")
    read = Law.load(tmp_path / "fit.json")
    for result, rows in (
        (read, 9),
        (read.penalty([1.0, 10.0]), 2),
        (read.allocate([1e21, 1e22, 1e23]), 3),
        (fitted, 9),
    ):
        assert len(result.to_frame()) == rows
        assert "<table" in result._repr_html_()
        assert r"\toprule" in result.to_latex()
        assert str(result)
    assert "90 % intervals" in str(read.penalty(10.0))
    assert "interval" not in str(TRUTH.penalty(10.0))
    assert read.penalty(10.0).plot().figure is not None


def test_arrays_have_no_one_estimate():
    with pytest.raises(ValueError, match="rows"):
        TRUTH.penalty([1.0, 10.0]).estimate("excess")
    with pytest.raises(ValueError, match="figure"):
        TRUTH.penalty(10.0).estimate("regret")
