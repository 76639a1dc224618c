"""What the runs leave undetermined, against the ranks that the theorems prove; such a fit gives no
law, no resamples and no law file.
"""

import json
import re
from typing import Any

import numpy as np
import pytest
from tests.data import grid, power_law, runs_at

from isoflop.numeric.fit import fit
from isoflop.numeric.law import Law
from isoflop.numeric.law import law as saved_law

TRUTH: dict[str, Any] = {"E": 1.8, "A": 480.0, "B": 2100.0, "beta": 0.35, "gamma": 0.37}
SIZES, TOKENS = np.geomspace(1e8, 1e10, 6), np.geomspace(2e9, 2e11, 6)
GRID, TERMS = grid(SIZES, TOKENS), {"A", "B", "beta", "gamma"}
NINE = np.geomspace(1e8, 1e11, 9)


def runs(design, noise=0.004):
    params, tokens = design
    return runs_at(params, tokens, TRUTH, noise=noise)


#: Designs, the coefficients that they leave open, and how many combinations of the five they
#: determine (theorems rank_three, rank_on_a_ray).
DESIGNS = {
    "one size": ((np.full(9, 1e9), 1e3 * NINE), {"A", "beta"}, 3),
    "one number of tokens": ((NINE, np.full(9, 1e10)), {"B", "gamma"}, 3),
    "two sizes": (grid([1e8, 1e9], np.geomspace(1e9, 1e12, 5)), {"A", "beta"}, 4),
    "four points": (grid([1e8, 1e9], [1e9, 1e10, 1e9, 1e10]), TERMS, 3),
    "one ratio": ((NINE, 20.0 * NINE), TERMS, 5),
    "one budget": ((NINE, 1e21 / 6.0 / NINE), set(), 5),
    "as many runs as coefficients": ((SIZES[:5], TOKENS[[3, 0, 4, 1, 2]]), TERMS, 5),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_what_a_design_leaves_open(name, tmp_path):
    design, left, rank = DESIGNS[name]
    found = fit(runs(design))
    assert left <= set(found.undetermined)
    assert len(found.open_directions) == 5 - rank
    if not left:
        return
    with pytest.raises(ValueError, match=r"undetermined|did not converge"):
        _ = found.law
    assert not {"alpha", "N_star"} & {*found.to_frame(compute=1e22).index}
    assert "undetermined: " in repr(found)
    assert re.search(rf"^{min(left)} +undetermined +- +-$", str(found), re.MULTILINE)
    assert any("undetermined" in text for text in found.warnings)
    with pytest.raises(ValueError, match="undetermined"):
        found.resampled(10)
    found.save(tmp_path / "fit.json")
    data = json.loads((tmp_path / "fit.json").read_text(encoding="utf-8"))
    assert set(data["undetermined"]) >= left
    with pytest.raises(ValueError, match=r"undetermined|did not reach"):
        saved_law(tmp_path / "fit.json")


@pytest.mark.parametrize("name", ["one size", "two sizes"])
def test_no_run_notices_an_open_direction(name):
    """A step of a thousandth changes no loss by more than its square."""
    params, tokens = DESIGNS[name][0]
    found = fit(runs((params, tokens)))
    with pytest.raises(ValueError, match="do not tell the coefficients apart"):
        found.influence()
    for direction in found.open_directions:
        assert max(map(abs, direction.values())) == pytest.approx(1.0)
        moved = dict(found.coefficients)
        for coefficient, change in direction.items():
            size = found.solution.fitted.min() if coefficient == "E" else moved[coefficient]
            moved[coefficient] += 1e-3 * change * size
        step = power_law(params, tokens, **moved)
        assert np.abs(step / found.solution.fitted - 1.0).max() < 1e-3


@pytest.mark.parametrize("multiple", [1.0, 3.0])
@pytest.mark.parametrize("noise", [0.0, 0.004])
def test_on_the_optimal_path_neither_term_is_told(multiple, noise):
    compute = np.geomspace(1e18, 1e23, 9)
    params = multiple * Law(**TRUTH).envelope.params(compute)
    data = runs((params, compute / 6.0 / params), noise)
    for objective in ("least-squares-log", "absolute-log"):
        assert set(fit(data, objective=objective).undetermined) >= TERMS


def test_an_exponent_that_ran_to_its_limit_is_open():
    """Tokens play no part and loss rises with params: no power law falls like that."""
    data = runs(GRID)
    data["loss"] = 2.0 + 0.1 * np.log10(data["params"])
    assert {"A", "beta"} & set(fit(data, objective="least-squares-log").undetermined)


def test_a_redundant_coefficient_of_an_expression_is_open():
    found = fit(runs(GRID), model="E + E2 + A*N^-beta + B*D^-gamma")
    assert {"E", "E2"} <= set(found.undetermined)
    (direction,) = found.open_directions
    assert set(direction) == {"E", "E2"}
