"""The check of runs: simulated worlds whose truth is known, and public runs."""

import json
import math
from typing import Any

import numpy as np
import pytest
from tests.data import at_ratios, grid, isoflop_group, noisy, power_law
from tests.studies.check_power import hump, interaction, ladder, repeated

from isoflop.numeric.check.runs import check
from isoflop.numeric.data.runs import Runs

#: A and B balance near the compute of the designs.
LAW = {"E": 1.8, "A": 480.0, "B": 2100.0, "beta": 0.35, "gamma": 0.37}


def profiles(budgets=7, sizes=9, kappa=6.0, a=1.0):
    """IsoFLOP profiles about tokens = 20 params; no two budgets share a ratio D/N."""
    compute, ratio = grid(np.geomspace(1e18, 1e22, budgets), np.geomspace(0.2, 5.0, sizes))
    params = ratio * np.sqrt(compute / 120.0) * np.exp(0.3 * np.sin(7.0 * np.log(compute)))
    return params, compute / (kappa * params**a)


def runs(design, seed=0, noise=0.002, factor=1.0) -> dict[str, Any]:
    params, tokens = design
    losses = noisy(power_law(params, tokens, **LAW) * factor, noise, seed)
    return {"params": params, "tokens": tokens, "loss": losses}


def row(found, approach) -> Any:
    return found.to_frame().loc[approach]


@pytest.fixture(scope="module")
def consistent() -> Any:
    return check(runs(profiles()), draws=150, seed=1)


# -- where the law holds ---------------------------------------------------------------------------


def test_runs_of_the_law_are_consistent_with_it(consistent):
    law, minima = row(consistent, "params+tokens"), row(consistent, "isoflop")
    assert consistent.verdict == minima.verdict == "consistent"
    assert row(consistent, "fixed-ratio").verdict == "cannot tell"
    assert consistent.budgets.corrected_loss.notna().sum() == 7
    assert law.alpha_lo < 0.35 * 0.37 / 0.72 < law.alpha_hi
    assert minima.excess_lo < 0.0 < minima.excess_hi
    assert minima.params_exponent - law.params_exponent == pytest.approx(minima.excess)
    curve = consistent.curves["isoflop"]
    assert abs(curve.difference).max() == abs(minima.difference)
    assert (curve.lo.min(), curve.hi.max()) == (minima.difference_lo, minima.difference_hi)
    assert check(runs(profiles(), noise=0.001), draws=61).verdict == "consistent"  # few draws


def test_runs_at_a_fixed_ratio_are_compared_with_their_ray():
    """Which at D/N = 300 is far above the envelope."""
    params, tokens = at_ratios(np.geomspace(1e18, 1e22, 20), [300.0])
    cloud = 10 ** np.random.default_rng(0).uniform(7.5, 10.0, 15)
    more = cloud * np.geomspace(2.0, 200.0, 15)
    found = check(runs((np.r_[params, cloud], np.r_[tokens, more])), draws=100, seed=1)
    ray, curve = row(found, "fixed-ratio"), found.curves["fixed-ratio"]
    assert (ray.tokens_per_param, ray.verdict) == (pytest.approx(300.0, rel=0.1), "consistent")
    assert math.isnan(ray.params)
    size = math.sqrt(curve.compute[16] / (6.0 * ray.tokens_per_param))
    on_ray = power_law(size, ray.tokens_per_param * size, **LAW)
    assert curve.predicted[16] == pytest.approx(on_ray, rel=3e-3)
    assert on_ray > 1.02 * found.optimum(curve.compute[16])[2]
    assert "budgets" in row(found, "isoflop").reason


@pytest.mark.parametrize(("kappa", "a"), [(6.0, 1.0), (4.0, 1.02)])
def test_optima_under_the_compute_of_the_table(kappa, a):
    """N*, D* and L* under C = kappa N^a D, by the law and through the minima, against a search."""
    params, tokens = profiles(kappa=kappa, a=a)
    data = {"params": params, "tokens": tokens, "loss": power_law(params, tokens, **LAW)}
    found = check({**data, "compute": kappa * params**a * tokens}, draws=61, compute=3e21)
    sizes = np.geomspace(1e8, 1e11, 300_001)
    left = 3e21 / (kappa * sizes**a)
    losses = power_law(sizes, left, **LAW)
    best = int(losses.argmin())
    expected = sizes[best], left[best], losses[best]
    assert found.optimum(3e21) == pytest.approx(expected, rel=1e-4)
    for approach, off in (("params+tokens", 1e-4), ("isoflop", 0.01)):
        own = row(found, approach)
        assert (own.params, own.tokens, own.loss) == pytest.approx(expected, rel=off)
    assert abs(row(found, "isoflop").difference) < 1e-4
    assert any("not 6ND" in note for note in found.notes) == (a != 1.0)


def test_a_frontier_at_the_edge_of_the_sizes_has_no_optimum():
    """On each budget all sizes are above the optimum, so that the smallest is the best one."""
    params, tokens = profiles()
    found = check(runs((params * 12.0, tokens / 12.0)), draws=61)
    assert math.isnan(row(found, "frontier").params)
    assert any(note.startswith("no N* of the frontier") for note in found.notes)


# -- where it does not -----------------------------------------------------------------------------


def bend(params, tokens):
    """Losses 4 % high at both ends of four decades of compute, which no sum of two powers follows."""
    decades = np.log10(6.0 * params * tokens) - 20.0
    return power_law(params, tokens, **LAW) * np.exp(0.01 * decades**2)


@pytest.mark.parametrize("world", [bend, hump(0.02), repeated], ids=["bend", "hump", "repeated"])
def test_a_law_that_does_not_hold_is_found_out(world):
    """With a hump about one budget and repeated tokens the curves agree and the law does not fit."""
    params, tokens = profiles()
    factor = world(params, tokens) / power_law(params, tokens, **LAW)
    found = check(runs((params, tokens), factor=factor, noise=0.003), draws=100)
    misfit: Any = found.lack_of_fit
    assert found.verdict == "inconsistent"
    assert f"losses at {misfit.variable}" in found.sentence
    if world is bend:
        band, own = found.curves["isoflop"], row(found, "isoflop")
        assert ((band.lo > 0.01) | (band.hi < -0.01)).any()
        assert own.verdict == "inconsistent"
        assert own.reason.endswith("outside the tolerance of 1 %")
    elif world is repeated:
        assert misfit.variable == "tokens"
    else:
        assert (misfit.variable, misfit.misfit > 0.005) == ("compute", True)
        assert misfit.low / 1.2 <= 1e20 <= misfit.high * 1.2


def test_a_ladder_of_four_by_four_tells_an_interaction():
    """There are too few runs for the curves, and enough for the test of the residuals."""
    design = ladder(None)
    factor = interaction(0.03)(*design) / power_law(*design, **LAW)
    for found, verdict in ((1.0, "cannot tell"), (factor, "inconsistent")):
        assert check(runs(design, noise=0.003, factor=found), draws=61).verdict == verdict


# -- where nobody can tell, arguments --------------------------------------------------------------


FEW = 10 ** np.random.default_rng(0).uniform(7.0, 10.0, 6)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("design", "groups", "reason"),
    [
        (profiles(budgets=3, sizes=4), 0, "12 runs leave"),
        ((FEW, 20.0 * FEW[::-1]), 0, "6 runs leave"),  # some draws have lost a term
        ((np.full(30, 1e9), np.geomspace(1e9, 1e12, 30)), 0, "undetermined"),
        (at_ratios(np.geomspace(1e17, 1e23, 30), [20.0]), 0, "undetermined"),
        (at_ratios(np.geomspace(1e20, 5e20, 5), np.geomspace(1.0, 400.0, 9)), 0, "factor 5 of"),
        (profiles(), 1, "1 group;"),
        (profiles(), 3, "3 groups;"),
    ],
)
def test_designs_that_cannot_tell(design, groups, reason):
    data = runs(design)
    if groups:
        data["group"] = [f"g{i % groups}" for i in range(len(data["loss"]))]
    found = check(data, draws=61)
    assert {found.verdict, *found.to_frame().verdict[1:]} == {"cannot tell"}
    assert reason in row(found, "frontier").reason
    assert reason in found.sentence
    assert (row(found, "params+tokens").params is None) == bool(found.fit.undetermined)
    json.dumps(found.as_dict(), allow_nan=False)


def test_arguments_outside_their_domain():
    wrong = {"draws": 60, "seed": -1, "tolerance": 0.0, "compute": 0.0}
    for name, value in wrong.items():
        arguments: dict[str, Any] = {name: value}
        with pytest.raises(ValueError, match=f"^{name}={value}: must be"):
            check(runs(profiles(budgets=3, sizes=4)), **arguments)


# -- resamples -------------------------------------------------------------------------------------


def test_the_seed_fixes_the_result_and_groups_count(consistent):
    data = runs(profiles())
    same, other = (check(data, draws=150, seed=seed) for seed in (1, 2))
    assert same.as_dict() == consistent.as_dict()
    ends = [row(found, "isoflop").alpha_lo for found in (consistent, other)]
    assert ends[0] != ends[1] == pytest.approx(ends[0], abs=0.005)
    grouped = check({**data, "group": np.arange(63) % 5}, draws=61)
    alphas = [row(found, "isoflop").alpha for found in (consistent, grouped)]
    assert 0.0 < abs(alphas[0] - alphas[1]) < 0.02


# -- public runs -----------------------------------------------------------------------------------


#: The exponent of N*: (0.462, 0.534) in Table 2 of Hoffmann et al.; the report on Llama 3 has D* ~
#: C^0.53.
PUBLIC = {"chinchilla": 0.49, "llama_3__exp_loss": 0.486, "marin_202603__dclm__llama_2": None}


@pytest.mark.parametrize("name", PUBLIC)
def test_public_runs(public_runs, name):
    """Chinchilla without the five largest losses, as in Besiroglu et al. 2024 (arXiv 2404.10102): the
    residuals lean to one side at few tokens per param. Llama 3: N* ~ C^0.53 by the law.
    """
    if name == "chinchilla":
        table = Runs.read(public_runs / "chinchilla" / "svg_extracted_data.csv")
        table = table.subset(table.loss < np.sort(table.loss)[-5])
    else:
        table = isoflop_group(public_runs, name)
    found = check(table, draws=100)
    for approach in ("frontier", "isoflop"):
        own, band = row(found, approach), found.curves[approach]
        assert own.alpha_lo < own.alpha < own.alpha_hi
        assert (band.lo < band.hi).all()
        assert own.verdict == "consistent" or own.reason
    misfit: Any = found.lack_of_fit
    exponent = row(found, "isoflop").params_exponent
    assert PUBLIC[name] is None or exponent == pytest.approx(PUBLIC[name], abs=0.01)
    assert ("they differ beyond chance" in " ".join(found.notes)) == name.startswith("llama")
    if name == "chinchilla":
        assert (found.verdict, misfit.variable) == ("inconsistent", "tokens per param")
        assert misfit.p_value <= 0.002
        assert misfit.misfit == pytest.approx(0.0035, abs=0.001)
    lines = str(found).splitlines()
    assert max(map(len, lines)) <= 100
    assert len(lines) <= 10 + 2 * len(found.notes)
