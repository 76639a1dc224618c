"""The numbers of a fit with their intervals, as text, plain data, frame and LaTeX."""

import json
import re

import numpy as np
import pytest
from tests.data import grid_runs

from isoflop.numeric.data.runs import Runs
from isoflop.numeric.fit import Objective, fit
from isoflop.numeric.fit.fit import fit_form
from isoflop.numeric.fit.power import PARAMS_TOKENS
from isoflop.numeric.law import law as law_of


def grid(noise=0.004, sizes=8, durations=8):
    return grid_runs(sizes, durations, params=(3e7, 1e10), tokens=(3e8, 3e11), noise=noise, seed=11)


@pytest.fixture(scope="module")
def fitted():
    return fit(grid())


@pytest.fixture(scope="module")
def resampled(fitted):
    return fitted.resampled(150, seed=3)


# -- intervals -------------------------------------------------------------------------------------


def test_every_interval_is_of_one_set_of_draws(fitted, resampled):
    for found in (fitted, resampled):
        draws = dict(zip(found.coefficients, found.drawn.coefficients.T, strict=True))

        def alpha(law):
            return law["beta"] * law["gamma"] / (law["beta"] + law["gamma"])

        ends = pytest.approx(np.quantile(alpha(draws), [0.1, 0.9]))
        of_law = found.law.estimate(lambda law: law.envelope.exponent, 0.8)
        for estimate in (of_law, found.estimate(alpha, 0.8)):
            assert (estimate.low, estimate.high) == ends
        for name, estimate in found.estimates(0.8).items():
            ends = pytest.approx(np.quantile(draws[name], [0.1, 0.9]), rel=1e-12)
            assert (estimate.low, estimate.high) == ends


def test_what_is_held_has_no_errors():
    fixed, bounds = {"E": 1.7}, {"beta": (0.4, np.inf)}
    found = fit_form(Runs.read(grid()), PARAMS_TOKENS, Objective(), bounds=bounds, fixed=fixed)
    frame = found.to_frame()
    assert frame.note[["E", "beta", "gamma", "alpha"]].tolist() == ["fixed", "at bound", "", ""]
    assert np.isnan(frame.se["beta"])
    assert frame.lo["alpha"] < frame.value["alpha"] < frame.hi["alpha"]  # with beta as known
    assert re.search(r"^E +1\.70000 +- +- +fixed$", str(found), re.MULTILINE)
    assert re.search(r"^beta +0\.400000 +- +- +at bound$", str(found), re.MULTILINE)


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        ("compute", {"ratio": 3.0}, r"ratio=3.0: nothing that follows from"),
        ("a*N^-b + c", {"compute": 1e22}, r"compute=1e\+22: nothing that follows"),
        ("params-tokens", {"compute": -1.0}, r"compute=-1\.0"),
    ],
)
def test_what_the_law_has_not_is_refused(model, options, message):
    found = fit(grid(sizes=5, durations=5), model=model)
    with pytest.raises(ValueError, match=message):
        found.to_frame(**options)
    with pytest.raises(ValueError, match=r"quantity='zeta': must be one of \w+, \w+"):
        found.estimate("zeta")


# -- outputs ---------------------------------------------------------------------------------------


def test_plain_data_is_json():
    """Even where an interval exceeds what floats hold."""
    data = fit(grid(0.3, 3, 2), fixed={"beta": 3.0}).as_dict(compute=1e22, ratio=10)
    assert json.loads(json.dumps(data, allow_nan=False)) == data


def test_saved_fits_are_laws(fitted, tmp_path):
    path = tmp_path / "mine.json"
    fitted.save(path)
    law = law_of(path)
    assert (law.name, *law.numbers.values()) == ("mine", *fitted.law.numbers.values())
    cost, same = (x.penalty(10.0).estimate("loss_penalty") for x in (fitted.law, law))
    assert same.high == pytest.approx(cost.high, rel=1e-6)
    fit(grid(), fixed={"E": 0.0}).save(path)
    assert law_of(path).E == 0.0
    fit(grid(), model="compute").save(path)
    with pytest.raises(ValueError, match="holds a fit of L = E"):
        law_of(path)
    with pytest.raises(ValueError, match="cannot be written"):
        fitted.save(tmp_path / "no" / "fit.json")
