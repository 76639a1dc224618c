"""Figures of fits: what is drawn, where."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from isoflop.numeric.fit import fit
from isoflop.numeric.fit.sensitivity import sensitivity
from isoflop.numeric.plot.fit import (
    plot_fit,
    plot_fit_page,
    plot_intervals,
    plot_residuals,
    plot_sensitivity,
)
from isoflop.numeric.plot.panels import save

INTERVALS = [("one", 0.3, 0.2, 0.4), ("two", 0.35, None, 0.5), ("three", 0.25, 0.1, None)]


@pytest.fixture(scope="module")
def runs():
    draw = np.random.default_rng(4).standard_normal(36)
    n, d = (
        axis.ravel() for axis in np.meshgrid(np.geomspace(1e8, 1e10, 6), np.geomspace(1e9, 1e11, 6))
    )
    return {
        "params": n,
        "tokens": d,
        "loss": (1.7 + 400 * n**-0.34 + 410 * d**-0.28) * np.exp(0.004 * draw),
    }


@pytest.fixture(scope="module")
def fitted(runs):
    return fit(runs)


@pytest.fixture
def ax():
    return Figure().subplots()


def points(ax):
    """The positions of the runs."""
    return ax.collections[-1].get_offsets()


@pytest.mark.parametrize("draw", [plot_fit, plot_residuals])
def test_draws_on_the_axes_given_or_on_new_ones(fitted, draw, ax) -> None:
    assert draw(fitted, ax) is ax
    new = draw(fitted)
    assert new is not ax
    for drawn in (ax, new):
        assert drawn.get_xlabel() == r"compute $C$ (FLOP)"
        assert drawn.get_ylabel()
        assert drawn.get_xscale() == "log"
        assert len(drawn.figure.axes) == 2, "the second is the bar of sizes"


def test_the_runs_and_the_envelope(fitted, ax) -> None:
    plot_fit(fitted, ax)
    assert np.allclose(points(ax), np.column_stack([fitted.runs.compute, fitted.runs.loss]))
    (curve,) = ax.get_lines()
    x, y = (np.asarray(values) for values in curve.get_data())
    assert (x[0], x[-1]) == pytest.approx((fitted.runs.compute.min(), fitted.runs.compute.max()))
    # No loss of the law is below its envelope at the same compute.
    assert (
        fitted.fitted >= np.interp(np.log(fitted.runs.compute), np.log(x), y) * (1 - 1e-4)
    ).all()


def test_axes_of_accuracy(runs, ax) -> None:
    table = {
        "params": runs["params"],
        "tokens": runs["tokens"],
        "accuracy": 0.25 + 0.75 * np.exp(-runs["loss"]),
    }
    for baseline, label in (
        (0.25, r"$L = -\log\,\frac{Q - 0.25}{1 - 0.25}$"),
        (None, r"$L = -\log\,Q$"),
    ):
        plot_fit(fit(table, random_baseline=baseline), ax)
        assert ax.get_ylabel() == label


def test_residuals(fitted, ax) -> None:
    plot_residuals(fitted, ax)
    # As everywhere in figures and text a run above the law stands above 0.
    assert np.allclose(points(ax)[:, 1], np.log(np.asarray(fitted.runs.loss) / fitted.fitted))
    assert ax.get_ylabel() == r"$\log$ observed $-\,\log$ law"


def test_a_compute_law(runs, ax) -> None:
    found = fit(runs, model="compute")
    plot_fit(found, ax)
    x, y = (np.asarray(values) for values in ax.get_lines()[0].get_data())
    assert y == pytest.approx(
        found.coefficients["E"] + found.coefficients["C0"] * x ** -found.coefficients["alpha"]
    )


def test_a_law_that_is_no_curve_in_compute(runs, ax) -> None:
    found = fit(runs, model="E + a*N^-b + c*D^-d")
    plot_fit(found, ax)
    assert np.allclose(points(ax), np.column_stack([found.runs.loss, found.fitted]))
    assert ax.get_ylabel() == "fitted"


def test_a_page(fitted, tmp_path) -> None:
    axes = plot_fit_page(fitted)
    assert len(axes) == 2
    save(axes, tmp_path / "fit.pdf")
    assert (tmp_path / "fit.pdf").read_bytes().startswith(b"%PDF")


def test_intervals(ax) -> None:
    assert plot_intervals(INTERVALS, ax, quantity="beta", reference=0.3) is ax
    assert [label.get_text() for label in ax.get_yticklabels()] == ["one", "two", "three"]
    assert ax.get_xlabel() == "beta"
    lines = [np.asarray(line.get_xdata()).tolist() for line in ax.get_lines()]
    left, right = ax.get_xlim()
    for bar in ([0.2, 0.4], [left, 0.5], [0.1, right]):
        assert bar in lines


@pytest.mark.parametrize(
    "given", [[], [("one", float("nan"), 0.1, 0.2)], [("one", 0.1, float("-inf"), 0.2)]]
)
def test_intervals_that_cannot_be_drawn(given) -> None:
    with pytest.raises(ValueError, match="intervals="):
        plot_intervals(given)


def test_sensitivity(fitted, ax) -> None:
    result = sensitivity(fitted)
    plot_sensitivity(result, ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        item.label for item in result.variants
    ]
    with pytest.raises(ValueError, match="quantity='delta'"):
        plot_sensitivity(result, quantity="delta")
