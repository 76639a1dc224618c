"""Figures: what is drawn, where, and that nothing is left behind."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from tests.data import power_law

from isoflop.numeric.law import Law
from isoflop.numeric.plot.panels import plot_isoflop, plot_penalty, save

LAWS = [Law(name="one", beta=0.3478, gamma=0.3658), Law(name="two", beta=0.34, gamma=0.28)]
COEFFICIENTS: Any = {"E": 1.8172, "A": 482.01, "B": 2085.43, "beta": 0.3478, "gamma": 0.3658}
LAW = Law(**COEFFICIENTS)
SIGNATURES = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}


def lines(ax: Any) -> dict[str, Any]:
    """Label -> (x, y) of the lines in the legend."""
    shown = [line for line in ax.get_lines() if not line.get_label().startswith("_")]
    return {line.get_label(): line.get_data() for line in shown}


def overtrained(ratio, law):
    """P by running the law: A = B = 1, the optimum by the balance beta/N^beta = gamma/D^gamma at N
    D = 1.
    """
    n = (law.beta / law.gamma) ** (1.0 / (law.beta + law.gamma))
    best, run = (size**-law.beta + (1.0 / size) ** -law.gamma for size in (n, n / math.sqrt(ratio)))
    return run / best


def test_penalties_are_those_of_the_law_and_points_lie_on_the_curves() -> None:
    ax: Any = plot_penalty(LAWS, points=[[0.5, 1e5]] * 2, names=["7B", "8B"], within=0.01)
    assert list(lines(ax)) == ["one", "two", "7B", "8B"]
    for law, band in zip(LAWS, ax.patches, strict=True):
        ratios, penalties = lines(ax)[law.name]
        assert penalties == pytest.approx([overtrained(r, law) for r in ratios], rel=1e-13)
        within = law.tolerance(0.01).ratio
        span = band.get_path().get_extents(band.get_patch_transform())
        assert span.intervalx == pytest.approx(within)
        assert f"within 1 %: $\\rho$ = {within[0]:.3g} to {within[1]:.3g}" == band.get_label()
    marked = [tuple(line.get_xydata()[0]) for line in ax.lines if len(line.get_xdata()) == 1]
    expected = [(r, overtrained(r, law)) for law in LAWS for r in (0.5, 1e5)]
    assert np.array(marked) == pytest.approx(np.array(expected), rel=1e-13)
    lowest, highest = ax.get_xlim()
    assert lowest <= 0.01 < 1e5 < highest
    assert not plot_penalty(LAWS).patches


def test_profiles_spend_their_budget_and_touch_the_path() -> None:
    budgets = [1e20, 3e21, 1e23]
    ax: Any = plot_isoflop(LAW, budgets)
    *profiles, optimum = lines(ax)
    assert profiles == ["$10^{20}$ FLOP", r"$3 \times 10^{21}$ FLOP", "$10^{23}$ FLOP"]
    assert optimum == "optimum"
    marks: Any = next(line for line in ax.lines if len(line.get_xdata()) == 3)
    for budget, label, (best, lowest) in zip(budgets, profiles, marks.get_xydata(), strict=True):
        params, losses = lines(ax)[label]
        expected = power_law(params, budget / (6.0 * params), **COEFFICIENTS)
        assert losses == pytest.approx(expected, rel=1e-13)
        assert losses.min() == pytest.approx(lowest, rel=1e-12)
        assert params[losses.argmin()] == pytest.approx(best, rel=0.02)
        assert params[-1] / params[0] == pytest.approx(100.0)


def test_refusals() -> None:
    budgets: dict[str, Any] = {"law": LAW, "computes": [1e20]}
    for draw, arguments, named in (
        (plot_penalty, {"laws": []}, "laws="),
        (plot_penalty, {"laws": LAWS, "within": 0.0}, "within=0.0"),
        (plot_penalty, {"laws": LAWS, "points": [[1.0, -1.0]]}, "points=-1.0"),
        (plot_isoflop, budgets | {"computes": []}, "computes="),
        (plot_isoflop, budgets | {"computes": [1e20, 0.0]}, "computes=0.0"),
        (plot_isoflop, budgets | {"size_ratios": (0.0, 1.0)}, "size_ratios="),
    ):
        with pytest.raises(ValueError, match=f"^{named}.*: must be"):
            draw(**arguments)


# -- files -----------------------------------------------------------------------------------------


def test_saved_in_the_format_of_the_suffix_or_refused(tmp_path: Path) -> None:
    drawing, same = Figure().subplots(), Figure().subplots()
    for suffix, signature in reversed(SIGNATURES.items()):  # .svg first, as below
        save(drawing, tmp_path / f"axes{suffix}")
        assert (tmp_path / f"axes{suffix}").read_bytes().startswith(signature)
    save(same, tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_bytes() == (tmp_path / "axes.svg").read_bytes()
    before = sorted(tmp_path.iterdir())
    for name in ("a", "a.jpg", "a.png.txt", ".png", "missing/a.png"):
        complaint = "cannot be written" if "/" in name else r"must end in \.png, \.pdf or \.svg"
        with pytest.raises(ValueError, match=rf"^path='.*{name}': {complaint}"):
            save(drawing, tmp_path / name)
    assert sorted(tmp_path.iterdir()) == before
