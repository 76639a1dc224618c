"""What the runs leave undetermined, against the ranks that the theorems prove; such a fit gives no
law, no resamples and no law file.
"""

import json

import numpy as np
import pytest

from isoflop.numeric.fit import fit
from isoflop.numeric.law import Law
from isoflop.numeric.law import law as saved_law

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
    assert found.estimate("alpha").undetermined
    with pytest.raises(ValueError, match="undetermined"):
        found.resampled(10)
    found.save(tmp_path / "fit.json")
    assert (
        set(json.loads((tmp_path / "fit.json").read_text(encoding="utf-8"))["undetermined"]) >= left
    )
    with pytest.raises(ValueError, match=r"undetermined|did not reach"):
        saved_law(tmp_path / "fit.json")


def test_an_exponent_that_ran_to_its_limit_is_open():
    """Tokens play no part and loss rises with params: no power law falls like that."""
    data = runs(*np.meshgrid(SIZES, TOKENS))
    data["loss"] = 2.0 + 0.1 * np.log10(data["params"])
    assert {"A", "beta"} & set(fit(data).undetermined)


def test_a_bound_of_the_callers_is_a_choice():
    found = fit(runs(*np.meshgrid(SIZES, TOKENS)), bounds={"beta": (None, 0.3)})
    assert found.solution.at_bound == ("beta",)
    assert found.undetermined == ()
    assert found.law.beta == 0.3


def test_a_sound_fit_leaves_nothing_open():
    found = fit(runs(*np.meshgrid(SIZES, TOKENS)))
    assert (found.undetermined, found.open_directions) == ((), ())
    assert found.law.beta == found.coefficients["beta"]


def path(law, multiple):
    compute = np.geomspace(1e18, 1e23, 9)
    size = multiple * np.array([law.envelope.params(float(c)) for c in compute])
    return size, compute / 6.0 / size


#: How many combinations of the coefficients a design determines (theorems rank_three, rank_on_a_ray).
RANKS = {
    "one size": (np.full(9, 1e9), np.geomspace(1e9, 1e12, 9), 3),
    "one number of tokens": (np.geomspace(1e8, 1e11, 9), np.full(9, 1e10), 3),
    "two sizes": (np.tile([1e8, 1e9], 5), np.repeat(np.geomspace(1e9, 1e12, 5), 2), 4),
    "four points": (np.tile([1e8, 1e9], 4), np.tile([1e9, 1e9, 1e10, 1e10], 2), 3),
    "one budget": (np.geomspace(1e8, 1e10, 9), 1e21 / 6.0 / np.geomspace(1e8, 1e10, 9), 5),
    "one ratio": (np.geomspace(1e8, 1e11, 9), 20.0 * np.geomspace(1e8, 1e11, 9), 5),
}


@pytest.mark.parametrize("name", RANKS)
def test_the_rank_of_a_design(name):
    params, tokens, rank = RANKS[name]
    assert len(fit(runs(params, tokens)).open_directions) == 5 - rank


@pytest.mark.parametrize("multiple", [1.0, 3.0])
def test_on_the_optimal_path_neither_term_is_told(multiple):
    for noise in (0.0, 0.004):
        params, tokens = path(TRUTH, multiple)
        found = fit(runs(params, tokens, noise=noise), objective="least-squares-log")
        assert {"A", "B", "beta", "gamma"} <= set(found.undetermined)


@pytest.mark.parametrize("name", ["one size", "two sizes"])
def test_no_run_notices_an_open_direction(name):
    """A step of a thousandth changes no loss by more than its square."""
    params, tokens, _ = RANKS[name]
    found = fit(runs(params, tokens))
    for direction in found.open_directions:
        assert max(map(abs, direction.values())) == pytest.approx(1.0)
        moved = dict(found.coefficients)
        for coefficient, change in direction.items():
            size = found.solution.fitted.min() if coefficient == "E" else moved[coefficient]
            moved[coefficient] += 1e-3 * change * size
        E, A, B, beta, gamma = moved.values()
        step = E + A * params**-beta + B * tokens**-gamma
        assert np.abs(step / found.solution.fitted - 1.0).max() < 1e-3


def test_a_redundant_coefficient_of_an_expression_is_open():
    found = fit(runs(*np.meshgrid(SIZES, TOKENS)), model="E + E2 + A*N^-beta + B*D^-gamma")
    assert {"E", "E2"} <= set(found.undetermined)
    (direction,) = found.open_directions
    assert set(direction) == {"E", "E2"}
