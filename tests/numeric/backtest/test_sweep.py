"""Logistic regression against an independent maximisation at 50 digits, and the sweep of
thresholds.
"""

import dataclasses

import mpmath
import pytest

np = pytest.importorskip("numpy")

from isoflop.numeric.accuracy.laws import LAWS  # noqa: E402
from isoflop.numeric.backtest.logistic import fit_logistic  # noqa: E402
from isoflop.numeric.backtest.sweep import sweep_thresholds, threshold_of  # noqa: E402
from isoflop.numeric.data.sample import Points, Sample  # noqa: E402

MP = mpmath.mp.clone()
MP.dps = 50


# -- logistic regression ---------------------------------------------------------------------------


def likelihood(x, won, weights, a, b):
    """The log-likelihood from its definition."""
    total = MP.mpf(0)
    for place, success, weight in zip(x, won, weights, strict=True):
        p = 1 / (1 + MP.exp(-(a + b * MP.mpf(place))))
        total += weight * MP.log(p if success else 1 - p)
    return total


def golden(function, low, high, width):
    """Where a concave function is greatest."""
    ratio = (MP.sqrt(5) - 1) / 2
    low, high = MP.mpf(low), MP.mpf(high)
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = function(left), function(right)
    while high - low > width:
        if at_left > at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = function(right)
    return (low + high) / 2


def maximum(x, won, weights):
    """Nested golden sections: no derivative, no step of Newton's."""
    middle, fine, coarse = sum(map(MP.mpf, x)) / len(x), MP.mpf(10) ** -14, MP.mpf(10) ** -8

    def at(a, b):
        """With the intercept at the middle, where it hangs less on the slope."""
        return likelihood(x, won, weights, a - b * middle, b)

    def intercept(b):
        return golden(lambda a: at(a, b), -20, 20, fine)

    slope = golden(lambda b: at(intercept(b), b), -20, 20, coarse)
    middling = intercept(slope)
    return middling - slope * middle, slope, at(middling, slope)


CASES = {
    "rising": ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "001011", [1, 1, 1, 1, 1, 1]),
    "weighted": ([20.0, 20.5, 21.0, 21.5, 22.0], "01011", [3, 1, 2, 2, 4]),
    "falling": ([0.0, 1.0, 2.0, 3.0], "1101", [1, 2, 3, 1]),
}


def successes(text):
    return [each == "1" for each in text]


@pytest.mark.parametrize("name", CASES)
def test_the_maximum_of_the_likelihood(name) -> None:
    x, text, weights = CASES[name]
    won = successes(text)
    intercept, slope, value = maximum(x, won, weights)
    found = fit_logistic(x, won, [weights])
    assert found.coefficients[0, 1] == pytest.approx(float(slope), rel=1e-6)
    assert found.coefficients[0, 0] == pytest.approx(float(intercept), rel=1e-6, abs=1e-6)
    # The likelihood is flat at its maximum, so that its value is known to all digits.
    reached = likelihood(x, won, weights, *found.coefficients[0].tolist())
    assert float(reached) == pytest.approx(float(value), rel=1e-13)
    if name == "falling":
        assert (found.outcome[0], found.low[0], found.high[0]) == ("falling", -np.inf, np.inf)
    else:
        assert found.low[0] == found.high[0] == pytest.approx(float(-intercept / slope), rel=1e-6)


def test_gradients_vanish_for_many_weightings() -> None:
    random = np.random.default_rng(3)
    x = random.uniform(19.0, 23.0, size=80)
    won = random.random(80) < 1.0 / (1.0 + np.exp(-2.0 * (x - 21.0)))
    weights = random.multinomial(80, np.full(80, 1 / 80), size=200).astype(float)
    found = fit_logistic(x, won, weights)
    assert (found.outcome == "fitted").all()
    p = 1.0 / (1.0 + np.exp(-(found.coefficients[:, :1] + found.coefficients[:, 1:] * x)))
    for column in (np.ones(80), x - x.mean()):
        assert np.abs((weights * (won - p) * column).sum(axis=1)).max() < 1e-10


@pytest.mark.parametrize(
    ("x", "won", "outcome", "low", "high"),
    [
        ([1.0, 2.0, 3.0, 4.0], "0011", "separated", 2.0, 3.0),
        ([1.0, 2.0, 3.0, 4.0], "1100", "reversed", -np.inf, np.inf),
        ([1.0, 2.0, 3.0, 4.0], "1111", "all", -np.inf, 1.0),
        ([1.0, 2.0, 3.0, 4.0], "0000", "none", 4.0, np.inf),
        ([1.0, 2.0, 2.0, 3.0], "0011", "separated", 2.0, 2.0),
        ([2.0, 2.0], "01", "unknown", -np.inf, np.inf),
    ],
)
def test_without_a_finite_fit_there_are_bounds(x, won, outcome, low, high) -> None:
    found = fit_logistic(x, successes(won))
    assert (found.outcome[0], found.low[0], found.high[0]) == (outcome, low, high)
    assert np.isnan(found.coefficients).all()


# -- the sweep -------------------------------------------------------------------------------------


def sample(name="task", bend=0.0, noise=0.0, n=30, seed=0) -> Sample:
    """Runs on eq 2, with `bend` off it at large compute."""
    compute = np.geomspace(1e18, 1e23, n)
    x = np.log(compute / 1e18)
    random = np.random.default_rng(seed)
    y = np.exp(0.9 - 0.15 * x - bend * x**2 + noise * random.standard_normal(n))
    return Sample(
        benchmark=name, accuracy=0.25 + 0.75 * np.exp(-y), baseline=0.25, at=Points(compute=compute)
    )


LAW = LAWS["compute"]


def test_errors_of_a_cell_by_hand() -> None:
    """Least squares of log(-log Q') by NumPy's own solver."""
    runs, T = sample(bend=0.004), 1.1e21
    sweep = sweep_thresholds([runs], [LAW], thresholds=[T], resamples=0)
    (cell,) = sweep.as_dict()["cells"]
    C, Q = runs.at.compute, runs.accuracy
    train = (C <= T) & (Q > 0.3)
    slope, intercept = np.polyfit(np.log(C[train]), np.log(-np.log((Q[train] - 0.25) / 0.75)), 1)
    after = (C > T) & (Q > 0.3)
    predicted = 0.25 + 0.75 * np.exp(-np.exp(intercept + slope * np.log(C[after])))
    assert (cell["n_train"], cell["n_held_out"]) == (train.sum(), after.sum())
    assert cell["mae"] == pytest.approx(np.mean(np.abs(predicted - Q[after])), rel=1e-8)
    assert cell["mre"] == pytest.approx(np.mean(np.abs(predicted - Q[after]) / Q[after]), rel=1e-8)


def test_exact_runs_succeed_everywhere() -> None:
    sweep = sweep_thresholds([sample(str(i)) for i in range(4)], [LAW], resamples=50)
    (found,) = sweep.found
    assert found.outcome == "all"
    assert found.n_success == found.n_cells > 0
    assert found.T50 is None
    assert found.bounds == (None, found.high)
    assert found.low is None
    assert found.high == pytest.approx(sweep.thresholds[0], rel=1e-12)
    assert found.resampled == {"all": 50}
    assert max(one.errors["mre"] or 0.0 for one in sweep.judged if not one.failed) < 1e-8


def test_a_kink_gives_a_threshold() -> None:
    """A law fitted below a break of the power law fails; that far above it succeeds."""
    runs = []
    for i, kink in enumerate((3e20, 8e20, 2e21, 6e21, 1e21, 4e20)):
        compute = np.geomspace(1e20, 1e23, 60)
        x = np.log(compute / kink)
        noise = 0.01 * np.random.default_rng(i).standard_normal(60)
        y = np.exp(0.3 - np.where(x > 0.0, 0.5, 0.1) * x + noise)
        runs.append(
            Sample(benchmark=str(i), accuracy=np.exp(-y), baseline=0.0, at=Points(compute=compute))
        )
    sweep = sweep_thresholds(runs, [LAW], resamples=400, seed=5)
    (found,) = sweep.found
    assert found.outcome == "fitted"
    assert (found.low or np.inf) < (found.T50 or np.nan) < (found.high or 0.0)
    again = sweep_thresholds(runs, [LAW], resamples=400, seed=5)
    assert again.as_dict() == sweep.as_dict()
    text = str(sweep)
    assert max(map(len, text.splitlines())) <= 100
    assert "T50" in text
    assert sum(found.resampled.values()) == 400
    with pytest.raises(ValueError, match="law='none': must be one of compute"):
        sweep.threshold("none")


def test_few_benchmarks_have_no_interval() -> None:
    for count, interval in ((3, ""), (4, "benchmarks resampled")):
        sweep = sweep_thresholds([sample(str(i)) for i in range(count)], [LAW], resamples=50)
        assert sweep.found[0].as_dict()["interval"] == interval
    few = sweep_thresholds([sample()], [LAW], resamples=50)
    assert "fewer than 4 benchmarks" in few.found[0].without_interval
    assert "no interval: fewer than 4 benchmarks" in str(few)


def test_what_lies_beyond_the_thresholds_is_told_by_its_side() -> None:
    """A few failures among many successes put the midpoint of the curve far below the sweep, where
    no run is.
    """
    grid = np.geomspace(1e19, 1e22, 13)
    exact = sweep_thresholds([sample()], [LAW], thresholds=grid, resamples=0)
    judged = [
        dataclasses.replace(one, predicted=2.0 * one.observed) if place in (2, 5) else one
        for place, one in enumerate(exact.judged)
    ]
    assert len(judged) == len(grid)
    found = threshold_of("compute", judged, 0.1, 0, 0, 0.9)
    assert found.T50 is not None
    assert found.T50 < 1e19
    sweep = dataclasses.replace(exact, found=(found,))
    row = next(line for line in str(sweep).splitlines() if line.startswith("compute  "))
    assert row.split()[1:3] == ["<", "1.00e19"]
    assert f"{found.T50:.2e}".replace("e+", "e") not in str(sweep)


@pytest.mark.slow
def test_intervals_hold_the_truth_when_whole_benchmarks_are_drawn() -> None:
    """Twelve benchmarks, each with a threshold of its own about 21.2: drawing single cells makes
    intervals far too narrow.
    """
    grid, benchmarks, truth, covered = np.linspace(19.8, 22.7, 24), 12, 21.2, []
    x, of = np.tile(grid, benchmarks), np.repeat(np.arange(benchmarks), len(grid))
    for seed in range(60):
        random = np.random.default_rng(seed)
        own = truth + 0.5 * random.standard_normal(benchmarks)
        won = (x > own[of]) ^ (random.random(len(x)) < 0.05)
        whole, single = (
            random.multinomial(n, np.full(n, 1 / n), size=300) for n in (benchmarks, len(x))
        )
        held = []
        for weights in (whole[:, of], single):
            found = fit_logistic(x, won, weights)
            low = np.quantile(found.low, 0.05, method="lower")
            held.append(low <= truth <= np.quantile(found.high, 0.95, method="higher"))
        covered.append(held)
    clusters, cells = np.mean(covered, axis=0)
    assert clusters > 0.78
    assert cells < 0.7


def test_what_cannot_be_fitted_is_counted() -> None:
    few = sample("few", n=8)
    sweep = sweep_thresholds([sample(), few], [LAW], resamples=0)
    assert sweep.benchmarks == ("task",)
    assert list(sweep.left_out) == ["few"]
    assert "fewer than 6 runs up to the threshold" in sweep.left_out["few"]
    (found,) = sweep.found
    assert found.n_unfitted + found.n_cells == len(sweep)
    assert found.n_unfitted >= len(sweep.thresholds)
    assert "few: no fit at any threshold" in str(sweep)
    with pytest.raises(ValueError, match="no law has 6 runs to fit and 3 to predict"):
        sweep_thresholds([few], [LAW])


def test_equal_partitions_are_fitted_once(monkeypatch) -> None:
    calls = []
    real = type(LAW).fit

    def counting(self, runs):
        calls.append(len(runs))
        return real(self, runs)

    monkeypatch.setattr(type(LAW), "fit", counting)
    sweep = sweep_thresholds(
        [sample(n=12)], [LAW], thresholds=np.geomspace(1e20, 5e22, 200), resamples=0
    )
    assert len(calls) == len(set(calls)) < 10
    assert len(sweep) > 50


def test_cells_that_all_laws_have() -> None:
    """A law with a wider margin has no fit at low thresholds: for the comparison the others lose
    theirs there too.
    """
    runs = [sample(str(i), noise=0.02, seed=i, n=14) for i in range(4)]
    laws = [LAW, dataclasses.replace(LAWS["compute-ceiling"], margin=0.2)]
    sweep = sweep_thresholds(runs, laws, resamples=20)
    counts = {
        law.name: {(one.subject, one.split.at) for one in sweep.of(law=law.name) if not one.failed}
        for law in laws
    }
    both = counts["compute"] & counts["compute-ceiling"]
    assert len(counts["compute"]) > len(both)
    assert [each.n_cells for each in sweep.shared] == [len(both)] * 2
    assert "every law has a fit" in str(sweep)
    assert sweep_thresholds(runs, [LAW], resamples=20).shared == ()


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"thresholds": [-1.0]}, "thresholds=-1.0: must be positive"),
        ({"success": 0.0}, "success=0.0: must be a positive"),
        ({"resamples": -1}, "resamples=-1: must be a whole number"),
        ({"level": 1.0}, "level=1.0: must"),
        ({"thresholds": [1e10]}, "thresholds=1e"),
    ],
)
def test_bad_arguments(given, named) -> None:
    with pytest.raises(ValueError, match="^" + named):
        sweep_thresholds([sample()], [LAW], **given)


def test_bad_laws_and_samples() -> None:
    with pytest.raises(ValueError, match=r"kinds=.*each of another name"):
        sweep_thresholds([sample()], [LAW, LAW])
    with pytest.raises(ValueError, match="samples="):
        sweep_thresholds([], [LAW])


# -- figures ---------------------------------------------------------------------------------------


def test_the_page_says_how_often_what_it_shades_held() -> None:
    pytest.importorskip("matplotlib")
    from isoflop.numeric.plot.backtest import plot_sweep

    sweep = sweep_thresholds([sample("one", bend=0.6)], [LAW], success=0.02)
    (found,) = sweep.found
    shaded = dataclasses.replace(found, low=1e20, high=1e21, without_interval="", n_benchmarks=5)
    page = plot_sweep(dataclasses.replace(sweep, found=(shaded,)))[-1].figure
    assert "shaded: 90 % interval of $T_{50}$" in page.get_supxlabel()
    assert "79 %" in page.get_supxlabel()
    bare = dataclasses.replace(sweep, found=(dataclasses.replace(found, low=None, high=None),))
    assert "shaded" not in plot_sweep(bare)[-1].figure.get_supxlabel()


def test_the_page_has_every_word_on_it() -> None:
    """No title, label or legend leaves the page or runs into another title."""
    pytest.importorskip("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from isoflop.numeric.plot.backtest import plot_sweep

    sweep = sweep_thresholds(
        [sample(f"a benchmark {i}", noise=0.05, seed=i) for i in range(5)],
        [LAW],
        thresholds=[1e20, 1e22],
        resamples=9,
    )
    laws = (
        "params-tokens-ceiling",
        "two-stage-logistic",
        "two-stage-linear",
        "compute-ceiling",
        "params-tokens",
    )
    sweep = dataclasses.replace(
        sweep,
        asked=laws,
        found=tuple(dataclasses.replace(sweep.found[0], law=law) for law in laws),
        judged=tuple(dataclasses.replace(one, law=law) for law in laws for one in sweep.judged),
    )
    axes = plot_sweep(sweep)
    assert len(axes) == len(laws)
    page = axes[0].figure
    FigureCanvasAgg(page).draw()
    width, height = page.bbox.size
    titles = [ax.title.get_window_extent() for ax in axes]
    for box in titles:
        assert min(box.x0, box.y0, width - box.x1, height - box.y1) >= 0.0
    for i, one in enumerate(titles):
        assert not any(one.overlaps(other) for other in titles[:i])
