"""The figure of a check: what is drawn is what was found, and nothing is covered or cut."""

import numpy as np
import pytest
from tests.data import noisy

from isoflop.numeric.check.runs import check
from isoflop.numeric.law import Law
from isoflop.numeric.plot.check import plot_check_runs

LAW = Law(E=1.8, A=480.0, B=2100.0, beta=0.35, gamma=0.37)


def runs(compute, size_ratio):
    params = size_ratio * np.sqrt(compute / 120.0) * np.exp(0.3 * np.sin(7.0 * np.log(compute)))
    tokens = compute / (6.0 * params)
    return {"params": params, "tokens": tokens, "loss": noisy(LAW.loss(params, tokens), 0.002)}


@pytest.fixture(scope="module")
def result():
    budgets, ratios = np.meshgrid(np.geomspace(1e18, 1e22, 7), np.geomspace(0.2, 5.0, 9))
    return check(runs(budgets.ravel(), ratios.ravel()), draws=100)


def test_what_is_drawn_is_what_was_found(result):
    profiles, curves, differences = plot_check_runs(result).axes[:3]
    assert len(profiles.collections[0].get_offsets()) == len(result.fit.runs)
    found = result.curves["isoflop"]
    drawn = {line.get_label(): line.get_xydata() for line in (*curves.lines, *differences.lines)}
    (label,) = (text for text in drawn if text.startswith("isoFLOP minima: "))
    assert label == f"isoFLOP minima: {result.to_frame().verdict['isoflop']}"
    assert drawn[label][:, 1] == pytest.approx(found.difference.to_numpy())
    envelope = drawn["derived envelope"]
    assert envelope[:, 1] == pytest.approx(result.optimum(envelope[:, 0])[2])
    moved = found.predicted * (1 + found.difference)
    assert drawn["isoFLOP minima"][:, 1] == pytest.approx(moved.to_numpy())
    minima = [line.get_xydata() for line in profiles.lines if line.get_marker() == "D"]
    expected = result.budgets[["corrected_params", "corrected_loss"]].to_numpy()
    assert np.concatenate(minima) == pytest.approx(expected)
