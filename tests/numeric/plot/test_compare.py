"""Figures of laws side by side: what is drawn where, the legend, the pages, files that are equal."""

from typing import Any

import numpy as np
import pytest

from isoflop.numeric.accuracy.baselines import Baseline
from isoflop.numeric.backtest.compare import compare_laws
from isoflop.numeric.data.evaluations import Evaluations

pytest.importorskip("matplotlib")

from isoflop.numeric.plot.compare import plot_comparison

GUESS = 0.2
LAWS = ("compute", "params-tokens")
AT_OWN = "at the held-out run's own $N$, $D$"


def table(names=("task",)):
    """Runs at three D/N, with a params+tokens law; the smallest are within 0.05 of guessing."""
    compute, ratio = (
        each.ravel() for each in np.meshgrid(np.geomspace(1e19, 1e23, 8), (5.0, 20.0, 100.0))
    )
    params = np.sqrt(compute / (6.0 * ratio))
    tokens = ratio * params
    random = np.random.default_rng(0)
    columns = {"params": params, "tokens": tokens}
    for name in names:
        y = (
            4.5
            * (60.0 * params**-0.27 + 400.0 * tokens**-0.3)
            * np.exp(0.01 * random.standard_normal(len(params)))
        )
        columns[f"acc_{name}"] = GUESS + (1.0 - GUESS) * np.exp(-y)
    return columns


def compare(names=("task",), **more):
    evaluations = Evaluations.read(table(names))
    known = dict.fromkeys(names, Baseline(GUESS))
    return compare_laws(
        evaluations, **{"laws": LAWS, "hold_out": "compute > 1e22", "baselines": known} | more
    )


@pytest.fixture(scope="module")
def compared():
    return compare()


def panel(comparison, benchmark="task"):
    """The only panel of a page."""
    return plot_comparison(comparison, [benchmark]).axes[0]


def labels(ax):
    return [text.get_text() for text in ax.figure.legends[0].get_texts()]


def scattered(ax):
    """The runs, by their looks: fitted, not fitted by every law, held out."""
    return [
        np.asarray(part.get_offsets()) for part in ax.collections if len(part.get_offsets()) > 1
    ]


def test_runs_are_where_they_were_measured_and_held_out_ones_open(compared) -> None:
    ax: Any = panel(compared)
    data = compared.data["task"]
    sample, held = data.runs, data.held
    clear = sample.accuracy > GUESS + 0.05
    drawn = scattered(ax)
    for points, chosen in zip(drawn, (~held & clear, ~held & ~clear, held), strict=True):
        assert points == pytest.approx(
            np.column_stack([sample.at.compute, sample.accuracy])[chosen]
        )
    assert held.sum() == 6
    assert (~held & ~clear).sum() > 0
    faces = [part.get_facecolors() for part in ax.collections if len(part.get_offsets()) > 1]
    assert [len(each) for each in faces] == [1, 1, 0]
    assert ax.get_xscale() == "log"


def test_laws_are_drawn_by_their_coefficients(compared) -> None:
    ax: Any = panel(compared)
    lines = {
        label: handle
        for handle, label in zip(ax.figure.legends[0].legend_handles, labels(ax), strict=True)
    }
    assert list(lines) == [
        "fitted",
        "not fitted",
        "held out",
        "guessing",
        "compute",
        "params-tokens at median $D/N$",
        AT_OWN,
    ]
    curves = {
        line.get_color(): np.asarray(line.get_xydata())
        for line in ax.lines
        if len(line.get_xdata()) > 100
    }
    C0, alpha = compared.entry("task", "compute").fit.values
    x, y = curves[lines["compute"].get_color()].T
    assert y == pytest.approx(GUESS + (1.0 - GUESS) * np.exp(-C0 * x**-alpha), rel=1e-9)
    A, B, beta, gamma = compared.entry("task", "params-tokens").fit.values
    x, y = curves[lines["params-tokens at median $D/N$"].get_color()].T
    params = np.sqrt(x / (6.0 * 20.0))
    assert y == pytest.approx(
        GUESS + (1.0 - GUESS) * np.exp(-A * params**-beta - B * (20.0 * params) ** -gamma), rel=1e-9
    )


def test_laws_of_params_and_tokens_are_marked_at_the_held_out_runs_own(compared) -> None:
    ax: Any = panel(compared)
    data = compared.data["task"]
    sample, held = data.runs, data.held
    A, B, beta, gamma = compared.entry("task", "params-tokens").fit.found.coefficients
    params, tokens = sample.at.params[held], sample.at.tokens[held]
    wanted = GUESS + (1.0 - GUESS) * np.exp(-A * params**-beta - B * tokens**-gamma)
    marks = [line for line in ax.lines if line.get_marker() == "+" and len(line.get_xdata())]
    assert len(marks) == 1
    assert marks[0].get_ydata() == pytest.approx(wanted, rel=1e-9)
    alone = panel(compare(hold_out=None))
    assert AT_OWN not in labels(alone)
    assert "held out" not in labels(alone)


def test_bands_where_there_are_draws() -> None:
    resampled = compare(resamples=30)
    ax: Any = panel(resampled)
    assert "90 % band" in labels(ax)
    several = compare(laws=("compute", "compute-ceiling", "params-tokens"), resamples=30)
    ax = panel(several)
    assert "90 % band of the best law" in labels(ax)
    bands = [
        part
        for part in ax.collections
        if part.get_alpha() is not None and part.get_paths() and len(part.get_paths()[0]) > 100
    ]
    assert len(bands) == 1
    fit = several.entry("task", several.best("task")).fit
    assert len(fit.draws) == 30
    edges = bands[0].get_paths()[0].vertices
    from isoflop.numeric.plot.report import along

    compute = np.unique(edges[:, 0])[[40, 120]]
    for at, ends in zip(compute, fit.interval(along(fit, compute, 20.0), 0.9), strict=True):
        heights = edges[np.isclose(edges[:, 0], at, rtol=1e-12), 1]
        assert (heights.min(), heights.max()) == pytest.approx(tuple(ends), rel=1e-9)


def test_a_page_of_twelve_has_four_in_a_row_and_one_legend() -> None:
    names = (*(f"b{index:02d}" for index in range(11)), "odd $name_1")
    found = compare(names, laws=("compute",))
    figure = plot_comparison(found)
    assert len(figure.axes) == 12
    assert len({round(ax.get_position().y0, 3) for ax in figure.axes}) == 3
    assert len(figure.legends) == 1
    assert all(ax.get_legend() is None for ax in figure.axes)
    assert figure.axes[0].get_title() == "b00\nbest: compute"
    width, height = figure.get_size_inches()
    assert width < height * 1.5
    assert height < 9.0
    some = plot_comparison(found, ["b03", "odd $name_1"])
    assert [ax.get_title().split("\n")[0] for ax in some.axes] == ["b03", r"odd \$name_1"]
    five = plot_comparison(found, names[:5])
    assert [ax.axison for ax in five.axes] == [True] * 5 + [False] * 3


def test_a_law_that_failed_leaves_the_others(compared) -> None:
    few = compare(laws=("compute", "params-tokens-ceiling"), hold_out="compute > 2e20")
    assert few.entry("task", "params-tokens-ceiling").fit is None
    assert "compute" in labels(panel(few))
    none = compare(laws=("params-tokens-ceiling",), hold_out="compute > 2e20")
    shown = labels(panel(none))
    assert shown == ["not fitted", "held out", "guessing"]


def test_bad_arguments(compared) -> None:
    with pytest.raises(
        ValueError, match=r"benchmark='tusk': must be one of task \(did you mean task"
    ):
        panel(compared, "tusk")
    with pytest.raises(ValueError, match="benchmark='none'"):
        plot_comparison(compared, ["task", "none"])
    with pytest.raises(ValueError, match=r"benchmarks=\[\]: must be at least one"):
        plot_comparison(compared, [])


def test_the_law_in_k_is_drawn_at_one() -> None:
    compute = np.geomspace(1e19, 1e23, 12)
    columns: dict[str, list[Any]] = {
        name: [] for name in ("compute", "benchmark", "metric_type", "score")
    }
    for k in (1, 8, 64):
        y = np.exp(
            6.0 - 0.13 * np.log(compute) + 0.9 * np.log(k) - 0.024 * np.log(compute) * np.log(k)
        )
        for c, q in zip(compute, np.exp(-y), strict=True):
            for name, value in zip(columns, (float(c), "code", f"pass@{k}", float(q)), strict=True):
                columns[name].append(value)
    found = compare_laws(Evaluations.read(columns), laws=("bilinear",), hold_out="compute > 1e22")
    figure = plot_comparison(found)
    ax: Any = figure.subfigs[0].axes[0]
    assert [text.get_text() for text in figure.subfigs[0].legends[0].get_texts()][
        -1
    ] == "bilinear at $k=1$"
    curve = next(np.asarray(line.get_xydata()) for line in ax.lines if len(line.get_xdata()) > 100)
    assert curve[:, 1] == pytest.approx(np.exp(-np.exp(6.0) * curve[:, 0] ** -0.13), rel=1e-6)
