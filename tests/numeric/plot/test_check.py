"""The figure of a check of runs: what is drawn, and that nothing is left behind."""

import numpy as np
import pytest
from tests.data import at_ratios, noisy

from isoflop.numeric.check.runs import check as check_runs
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
    return check_runs(runs(budgets.ravel(), ratios.ravel()), bootstrap=100)


@pytest.fixture(scope="module")
def untold():
    return check_runs(runs(np.geomspace(1e18, 1e22, 12), np.tile([0.3, 3.0], 6)), bootstrap=20)


def labels(ax):
    return ax.get_legend_handles_labels()[1]


def test_three_panels_of_one_figure(result):
    profiles, curves, differences = plot_check_runs(result)
    assert profiles.figure is curves.figure is differences.figure
    assert labels(profiles) == [
        "optimum of the law",
        "law at a budget",
        "parabola",
        "minimum of the parabola",
        "minimum, bias taken off",
    ]
    assert labels(curves) == ["derived envelope", "frontier", "isoFLOP minima"]
    assert labels(differences) == [
        "tolerance, 1 %",
        *(
            f"{name}: {result[key].verdict}"
            for name, key in (("frontier",) * 2, ("isoFLOP minima", "isoflop"))
        ),
    ]


def test_what_is_drawn_is_what_was_found(result):
    profiles, curves, differences = plot_check_runs(result)
    assert len(profiles.collections[0].get_offsets()) == result.n_runs
    check = result["isoflop"]
    drawn = {line.get_label(): line.get_xydata() for line in (*curves.lines, *differences.lines)}
    assert drawn[f"isoFLOP minima: {check.verdict}"][:, 1] == pytest.approx(check.band.value)
    envelope = drawn["derived envelope"]
    assert envelope[:, 1] == pytest.approx(result.law.envelope.loss(envelope[:, 0]))
    assert drawn["isoFLOP minima"][:, 1] == pytest.approx(
        check.predicted_law.loss(check.compute) * (1 + check.band.value)
    )
    markers = [
        line.get_xydata()[0]
        for line in profiles.lines
        if line.get_marker() == "D" and len(line.get_xydata()) == 1
    ]
    assert np.array(markers)[:, 0] == pytest.approx(
        [budget.corrected_params for budget in result.budgets]
    )
    raw = [
        line.get_xydata()[0]
        for line in profiles.lines
        if line.get_marker() == "o" and len(line.get_xydata()) == 1
    ]
    assert np.array(raw) == pytest.approx(
        np.array([(budget.params, budget.loss) for budget in result.budgets])
    )


def test_no_curve_is_cut_off(result):
    """At the highest and the lowest losses as well."""
    for ax in plot_check_runs(result)[:2]:
        lo, hi = ax.get_ylim()
        for line in ax.lines:
            heights = line.get_xydata()[:, 1]
            assert len(heights) == 0 or lo < heights.min() <= heights.max() < hi


def test_the_legends_below_the_axes_cover_nothing(result):
    panels = plot_check_runs(result)
    panels[0].figure.draw_without_rendering()
    for ax in (panels[0], panels[2]):
        legend = ax.get_legend().get_window_extent()
        assert all(legend.y1 < other.get_window_extent().y0 for other in panels)


def test_a_minimum_is_seen_where_its_correction_is_small(result):
    """The one as it is stands around the corrected one."""
    profiles = plot_check_runs(result)[0]
    sizes = {
        mark: {line.get_markersize() for line in profiles.lines if line.get_marker() == mark}
        for mark in "oD"
    }
    assert min(sizes["o"]) > 1.5 * max(sizes["D"])
    assert all(
        line.get_markerfacecolor() == "none" for line in profiles.lines if line.get_marker() == "o"
    )


def test_any_number_of_ratios_can_be_drawn():
    ratios = np.geomspace(2.0, 500.0, 6)
    params, tokens = at_ratios(np.geomspace(1e18, 1e21, 6), ratios)
    data = {"params": params, "tokens": tokens, "loss": noisy(LAW.loss(params, tokens), 0.002)}
    found = check_runs(data, bootstrap=200, ratios=ratios.tolist())
    lines = plot_check_runs(found)[2].get_legend_handles_labels()[0][1:-1]
    assert len(lines) == len([check for check in found.empirical if check.compute is not None]) >= 6
    assert len(
        {(line.get_color(), str(line.get_linestyle()), str(line._dash_pattern)) for line in lines}
    ) == len(lines)


def test_no_empirical_law_is_said(untold):
    *_, differences = plot_check_runs(untold)
    assert [text.get_text() for text in differences.texts] == ["no empirical compute law"]
