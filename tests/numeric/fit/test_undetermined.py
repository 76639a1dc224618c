"""A fit that leaves coefficients open says which, and gives no law, no resamples and no law file."""

import json

import numpy as np
import pytest

from isoflop.numeric.fit import fit
from isoflop.numeric.law import Law

TRUTH = Law(E=1.8, A=480.0, B=2100.0, beta=0.35, gamma=0.37)


def runs(params, tokens, noise=0.004, seed=0):
    params, tokens = (np.ravel(x) for x in np.broadcast_arrays(params, tokens))
    loss = TRUTH.loss(params, tokens) * np.exp(
        noise * np.random.default_rng(seed).normal(size=len(params))
    )
    return {"params": params, "tokens": tokens, "loss": loss}


SIZES, TOKENS = np.geomspace(1e8, 1e10, 6), np.geomspace(2e9, 2e11, 6)
DESIGNS = {
    "one size": (runs(np.full(30, 1e9), np.geomspace(1e9, 1e12, 30)), {"A", "beta"}),
    "one number of tokens": (runs(np.geomspace(1e8, 1e11, 30), np.full(30, 1e10)), {"B", "gamma"}),
    "one ratio": (
        runs(np.geomspace(1e8, 1e11, 30), 20.0 * np.geomspace(1e8, 1e11, 30)),
        {"A", "B", "beta", "gamma"},
    ),
    "as many runs as coefficients": (
        runs(SIZES[:5], TOKENS[[3, 0, 4, 1, 2]]),
        {"A", "B", "beta", "gamma"},
    ),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_what_is_left_open(name, tmp_path):
    data, left = DESIGNS[name]
    found = fit(data)
    assert left <= set(found.undetermined)
    with pytest.raises(ValueError, match=r"undetermined|did not converge"):
        _ = found.law
    with pytest.raises(ValueError, match=r"undetermined|did not converge"):
        found.derived()
    with pytest.raises(ValueError, match="undetermined"):
        found.bootstrap(10)
    found.save(tmp_path / "fit.json")
    assert (
        set(json.loads((tmp_path / "fit.json").read_text(encoding="utf-8"))["undetermined"]) >= left
    )
    with pytest.raises(ValueError, match=r"undetermined|did not reach"):
        Law.load(tmp_path / "fit.json")


def test_an_exponent_that_ran_to_its_limit_is_open():
    """Tokens play no part and loss rises with params: no power law falls like that."""
    data = runs(*np.meshgrid(SIZES, TOKENS))
    data["loss"] = 2.0 + 0.1 * np.log10(data["params"])
    assert {"A", "beta"} & set(fit(data).undetermined)


def test_a_bound_of_the_callers_is_a_choice():
    found = fit(runs(*np.meshgrid(SIZES, TOKENS)), bounds={"beta": (None, 0.3)})
    assert found.at_bound == ("beta",)
    assert found.undetermined == ()
    assert found.law.beta == 0.3


def test_no_irreducible_loss_is_a_value_as_any_other():
    data = runs(*np.meshgrid(SIZES, TOKENS))
    data["loss"] = data["loss"] - 1.8 * np.exp(np.zeros(36))
    found = fit(data)
    assert "E" not in found.undetermined


def test_a_sound_fit_leaves_nothing_open():
    found = fit(runs(*np.meshgrid(SIZES, TOKENS)))
    assert found.undetermined == ()
    assert found.law.beta == found.coefficients["beta"]
