"""Figures of laws side by side: what is drawn where, the legend, the pages, laws in k."""

from typing import Any

import numpy as np
import pytest
from tests.data import accuracies, at_ratios, evaluations, pass_at_k

from isoflop.numeric.accuracy.baselines import Baseline
from isoflop.numeric.data.evaluations import Evaluations
from isoflop.numeric.hold_out import backtest

pytest.importorskip("matplotlib")

from isoflop.numeric.plot.compare import along, plot_laws_of_accuracy
from isoflop.numeric.plot.panels import save

GUESS = 0.2
LAWS = ("compute", "params-tokens")
PARAMS, TOKENS = at_ratios(np.geomspace(1e19, 1e23, 8), (5.0, 20.0, 100.0))


def compare(names=("task",), **more):
    """Runs with a params+tokens law, of which the smallest are within 0.05 of guessing."""
    law = {"A": 270.0, "B": 1800.0, "beta": 0.27, "gamma": 0.3}
    noisy: dict[str, Any] = {"noise": 0.01, "seed": np.random.default_rng(0)}
    scores = {
        (name, "acc"): accuracies(PARAMS, TOKENS, baseline=GUESS, law=law, **noisy)
        for name in names
    }
    known = dict.fromkeys(names, Baseline(GUESS))
    asked = {"laws": LAWS, "hold_out": "compute > 1e22", "baselines": known} | more
    return backtest(Evaluations.read(evaluations(PARAMS, TOKENS, scores)), **asked)


@pytest.fixture(scope="module")
def compared():
    return compare()


def panel(comparison) -> Any:
    """The only panel of a page."""
    return plot_laws_of_accuracy(comparison, ["task"]).axes[0]


def labels(ax):
    return [text.get_text() for text in ax.figure.legends[0].get_texts()]


def scattered(ax):
    """The marks of runs: fitted, not fitted, held out."""
    return [part for part in ax.collections if len(part.get_offsets()) > 1]


def test_runs_are_where_they_were_measured_and_held_out_ones_open(compared) -> None:
    ax, task = panel(compared), compared.tasks[0]
    sample, held = task.rows, task.held
    clear, places = (
        sample.accuracy > GUESS + 0.05,
        np.column_stack([sample.at.compute, sample.accuracy]),
    )
    parts = scattered(ax)
    for part, chosen in zip(parts, (~held & clear, ~held & ~clear, held), strict=True):
        assert chosen.any()
        assert np.asarray(part.get_offsets()) == pytest.approx(places[chosen])
    assert [len(part.get_facecolors()) for part in parts] == [1, 1, 0]
    assert ax.get_xscale() == "log"


def test_laws_are_drawn_by_their_coefficients(compared) -> None:
    """Laws of params and tokens at the median D/N."""
    ax = panel(compared)
    handles = dict(zip(labels(ax), ax.figure.legends[0].legend_handles, strict=True))
    laws = ["compute", "params-tokens at median $D/N$"]
    assert list(handles) == ["fitted", "not fitted", "held out", "guessing", *laws]
    curves = {
        line.get_color(): np.asarray(line.get_xydata())
        for line in ax.lines
        if len(line.get_xdata()) > 100
    }
    C0, alpha = compared.fit("compute", "task").values
    A, B, beta, gamma = compared.fit("params-tokens", "task").values

    def accuracy(params, tokens):
        y = A * params**-beta + B * tokens**-gamma
        return GUESS + (1.0 - GUESS) * np.exp(-y)

    x, y = curves[handles["compute"].get_color()].T
    assert y == pytest.approx(GUESS + (1.0 - GUESS) * np.exp(-C0 * x**-alpha), rel=1e-9)
    x, y = curves[handles[laws[1]].get_color()].T
    params = np.sqrt(x / (6.0 * 20.0))
    assert y == pytest.approx(accuracy(params, 20.0 * params), rel=1e-9)
    assert "held out" not in labels(panel(compare(hold_out=None)))


def test_bands_where_there_are_draws() -> None:
    assert "90 % band" in labels(panel(compare(resamples=30)))
    several = compare(laws=("compute", "compute-ceiling", "params-tokens"), resamples=30)
    ax = panel(several)
    assert "90 % band of the best law" in labels(ax)
    (band,) = [
        part for part in ax.collections if part.get_paths() and len(part.get_paths()[0]) > 100
    ]
    fit = several.fit(several.best("task"), "task")
    assert len(fit.draws) == 30
    edges = band.get_paths()[0].vertices
    compute = np.unique(edges[:, 0])[[40, 120]]
    for at, ends in zip(compute, fit.interval(along(fit, compute, 20.0), 0.9), strict=True):
        heights = edges[np.isclose(edges[:, 0], at, rtol=1e-12), 1]
        assert (heights.min(), heights.max()) == pytest.approx(tuple(ends), rel=1e-9)


def test_a_page_of_twelve_has_four_in_a_row_and_one_legend() -> None:
    names = (*(f"b{index:02d}" for index in range(11)), "odd $name_1")
    found = compare(names, laws=("compute",))
    figure = plot_laws_of_accuracy(found)
    assert len(figure.axes) == 12
    assert len({round(ax.get_position().y0, 3) for ax in figure.axes}) == 3
    assert len(figure.legends) == 1
    assert all(ax.get_legend() is None for ax in figure.axes)
    assert figure.axes[0].get_title() == "b00\nbest: compute"
    width, height = figure.get_size_inches()
    assert width < height * 1.5
    assert height < 9.0
    some = plot_laws_of_accuracy(found, ["b03", "odd $name_1"])
    assert [ax.get_title().split("\n")[0] for ax in some.axes] == ["b03", r"odd \$name_1"]
    five = plot_laws_of_accuracy(found, names[:5])
    assert [ax.axison for ax in five.axes] == [True] * 5 + [False] * 3


def test_a_law_that_failed_leaves_the_others() -> None:
    few = compare(laws=("compute", "params-tokens-ceiling"), hold_out="compute > 2e20")
    assert few.fit("params-tokens-ceiling", "task") is None
    assert "compute" in labels(panel(few))
    none = compare(laws=("params-tokens-ceiling",), hold_out="compute > 2e20")
    assert labels(panel(none)) == ["not fitted", "held out", "guessing"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["tusk"], r"benchmark='tusk': must be one of task \(did you mean task"),
        (["task", "none"], "benchmark='none'"),
        ([], r"benchmarks=\[\]: must be at least one"),
    ],
)
def test_bad_arguments(compared, names, message) -> None:
    with pytest.raises(ValueError, match=message):
        plot_laws_of_accuracy(compared, names)


def test_a_law_in_k_is_drawn_at_one(tmp_path) -> None:
    compute, ks = 6.0 * PARAMS * TOKENS, (1, 4, 16)
    noisy: dict[str, Any] = {"noise": 0.01, "seed": np.random.default_rng(0)}
    scores = {("code", f"pass@{k}"): pass_at_k(compute, k, **noisy) for k in ks}
    data = Evaluations.read(evaluations(PARAMS, TOKENS, scores, code=0.0))
    found: Any = backtest(data, laws=("compute", "bilinear"), hold_out="compute > 1e22")
    log_A, a, *_ = found.fit("bilinear", "code").values
    figure = plot_laws_of_accuracy(found)
    assert "bilinear at $k=1$" in [text.get_text() for text in figure.legends[0].get_texts()]
    lines: Any = figure.axes[0].lines
    curve = [line.get_xydata() for line in lines if len(line.get_xdata()) > 100][1]
    assert curve[:, 1] == pytest.approx(np.exp(-np.exp(log_A) * curve[:, 0] ** a), rel=1e-6)
    save(figure, tmp_path / "page.png")
