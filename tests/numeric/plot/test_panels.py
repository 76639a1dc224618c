"""Figures: what is drawn, where, and that nothing is left behind."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from isoflop.numeric.law import Law
from isoflop.numeric.plot.panels import (
    curve_with_band,
    mark_runs,
    plot_isoflop,
    plot_penalty,
    save,
    shade_held_out,
)
from isoflop.numeric.results import Band

LAWS = [Law(name="one", beta=0.3478, gamma=0.3658), Law(name="two", beta=0.34, gamma=0.28)]
LAW = Law(E=1.8172, A=482.01, B=2085.43, beta=0.3478, gamma=0.3658)
SIGNATURES = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}


@pytest.fixture
def ax():
    return Figure().subplots()


def data(line):
    return np.asarray(line.get_xdata()), np.asarray(line.get_ydata())


def lines(ax):
    """Label -> (x, y) of the labelled lines."""
    return {
        line.get_label(): data(line)
        for line in ax.get_lines()
        if not line.get_label().startswith("_")
    }


def marked(ax):
    """The data of the lines of markers."""
    return [
        data(line) for line in ax.get_lines() if line.get_marker() == "o" and len(data(line)[0])
    ]


# -- shared panels -----------------------------------------------------------------------------------


def test_a_band_lies_about_its_curve_and_without_ends_is_none(ax) -> None:
    x, curve = np.arange(3.0), np.array([1.0, 2.0, 4.0])
    curve_with_band(ax, x, Band(curve), color="C0")
    assert not ax.collections
    curve_with_band(ax, x, Band(curve, curve - 1.0, curve + 1.0), color="C1", label="law")
    assert lines(ax)["law"][1].tolist() == curve.tolist()
    heights = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (0.0, 5.0)


def test_runs_are_marked_by_their_part_in_the_fit(ax) -> None:
    x, held, fitted = np.arange(1.0, 5.0), np.array([0, 0, 0, 1]) > 0, np.array([0, 1, 1, 0]) > 0
    mark_runs(ax, x, x, held, fitted)
    at = {part.get_label(): part.get_offsets()[:, 0].tolist() for part in ax.collections}
    assert at == {"not fitted": [1.0], "fitted": [2.0, 3.0], "held out": [4.0]}
    shade_held_out(ax, x, held)
    shade_held_out(ax, x, ~held)
    (shade,) = ax.patches
    assert shade.get_x() == pytest.approx(math.sqrt(12.0))


# -- penalty ---------------------------------------------------------------------------------------


def test_axes_of_pyplot_are_left_open_for_their_owner() -> None:
    figure, ax = pyplot.subplots()
    assert plot_penalty(LAWS, ax) is ax
    assert plot_isoflop(LAW, [1e20, 1e22], ax) is ax
    assert pyplot.get_fignums() == [figure.number]
    pyplot.close(figure)


def overtrained(ratio, law):
    """P by running the law: A = B = 1, the optimum by the balance beta/N^beta = gamma/D^gamma at N
    D = 1.
    """
    beta, gamma = law.beta, law.gamma
    n = (beta / gamma) ** (1.0 / (beta + gamma))
    loss = lambda n: n**-beta + (1.0 / n) ** -gamma  # noqa: E731
    return loss(n / math.sqrt(ratio)) / loss(n)


def test_penalty_curves_are_those_of_the_law() -> None:
    drawn = lines(plot_penalty(LAWS))
    for law in LAWS:
        ratios, penalties = drawn[law.name]
        assert (ratios[0], ratios[-1]) == pytest.approx((0.01, 100.0))
        assert penalties == pytest.approx([overtrained(r, law) for r in ratios], rel=1e-13)


def test_penalty_points_lie_on_the_curves_and_within_the_axis() -> None:
    ax = plot_penalty(LAWS, points=[[0.5, 1e5]] * 2)
    for (ratios, penalties), law in zip(marked(ax), LAWS, strict=True):
        assert list(ratios) == [0.5, 1e5]
        assert list(penalties) == pytest.approx([overtrained(r, law) for r in ratios], rel=1e-13)
    lo, hi = ax.get_xlim()
    assert lo <= 0.01
    assert hi > 1e5


def test_penalty_band() -> None:
    """The ratios within the tolerance, for each law."""
    for band, law in zip(plot_penalty(LAWS, within=0.01).patches, LAWS, strict=True):
        within = law.tolerance(0.01).ratio
        span = band.get_path().get_extents(band.get_patch_transform())
        assert span.intervalx == pytest.approx(within)
        assert f"within 1 %: $\\rho$ = {within[0]:.3g} to {within[1]:.3g}" == band.get_label()
    assert not plot_penalty(LAWS).patches


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"laws": []}, "laws="),
        ({"laws": LAWS, "within": 0.0}, "within=0.0"),
        ({"laws": LAWS, "points": [[1.0, -1.0]]}, "points=-1.0"),
        ({"laws": LAWS, "points": [[math.inf]]}, "points=inf"),
    ],
)
def test_penalty_refuses(arguments, named) -> None:
    with pytest.raises(ValueError, match=f"^{named}.*: must be"):
        plot_penalty(**arguments)


# -- isoFLOP profiles ----------------------------------------------------------------------------------------


def test_profiles_spend_their_budget_and_touch_the_path() -> None:
    budgets = [1e20, 3e21, 1e23]
    ax = plot_isoflop(LAW, budgets)
    drawn = lines(ax)
    assert list(drawn) == ["$10^{20}$ FLOP", r"$3\times10^{21}$ FLOP", "$10^{23}$ FLOP", "optimum"]
    (optima,) = marked(ax)
    for budget, (params, losses), lowest_at, lowest in zip(
        budgets, list(drawn.values())[:3], *optima, strict=True
    ):
        tokens = budget / (6.0 * params)
        expected = LAW.E + LAW.A * params**-LAW.beta + LAW.B * tokens**-LAW.gamma
        assert losses == pytest.approx(expected, rel=1e-13)
        assert losses.min() == pytest.approx(lowest, rel=1e-12)
        assert params[losses.argmin()] == pytest.approx(lowest_at, rel=0.02)
        assert params[-1] / params[0] == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"computes": []}, "computes="),
        ({"computes": [1e20, 0.0]}, "computes=0.0"),
        ({"size_ratios": (10.0, 0.1)}, "size_ratios="),
    ],
)
def test_profiles_refuse(changed, named) -> None:
    with pytest.raises(ValueError, match=f"^{named}.*: must be"):
        plot_isoflop(**{"law": LAW, "computes": [1e20], **changed})


# -- files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [*SIGNATURES, ".PNG"])
def test_saved_in_the_format_of_the_suffix(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"penalty{suffix}"
    save(plot_penalty(LAWS), path)
    assert path.read_bytes().startswith(SIGNATURES[suffix.lower()])
    again = tmp_path / f"again{suffix}"
    save(plot_penalty(LAWS), str(again))
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", ["penalty", "penalty.jpg", "penalty.png.txt", ".png"])
def test_unknown_suffix(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with pytest.raises(
        ValueError, match=r"^path='.*': must end in \.png, \.pdf or \.svg"
    ) as caught:
        save(plot_penalty(LAWS), path)
    assert str(path) in str(caught.value)
    assert not path.exists()


def test_unwritable(tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    for path in (tmp_path / "missing" / "penalty.png", tmp_path / "folder.png"):
        with pytest.raises(ValueError, match=r"^path='.*': cannot be written \(.+\)") as caught:
            save(plot_penalty(LAWS), path)
        assert str(path) in str(caught.value)


def test_drawing_and_saving_do_without_pyplot(tmp_path: Path) -> None:
    """So no window system is asked for; and what TeX lacks is told in one line."""
    code = (
        "import sys, matplotlib\n"
        "from isoflop.numeric.law import Law\n"
        "from isoflop.numeric.plot.panels import plot_penalty, save\n"
        "save(plot_penalty([Law(beta=0.3, gamma=0.4)]), sys.argv[1])\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
        "matplotlib.rcParams['text.usetex'] = True\n"
        "try: save(plot_penalty([Law(beta=0.3, gamma=0.4)]), sys.argv[1] + '.pdf')\n"
        "except ValueError as error: print(error)\n"
    )
    path = tmp_path / "penalty.png"
    src = Path(__file__).resolve().parents[3] / "src"
    environment = {**os.environ, "PYTHONPATH": str(src), "PATH": "/nowhere"}
    words = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(words, check=True, env=environment, capture_output=True, text=True)
    assert path.stat().st_size > 1000
    assert f"path='{path}.pdf': cannot be written (" in done.stdout
