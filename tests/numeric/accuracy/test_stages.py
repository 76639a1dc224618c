"""Two-stage laws: recovered truths, exact derivatives, global minima, refits, and proxies of every
kind.
"""

from typing import Any

import mpmath
import numpy as np
import pytest

from isoflop.numeric.accuracy.laws import LAWS
from isoflop.numeric.accuracy.stages import LINKS, REACH, LinkFit, StageFit, peaks
from isoflop.numeric.data.sample import Points, Sample

LOGISTIC: Any = LINKS["logistic"]
TRUTHS = {
    "linear": (1.2, -0.2),
    "logistic": (0.6, -3.0, 2.7, 0.25),
}
BUDGET = (1.7, 1071.0, 0.1535)


def runs(n=60, seed=0):
    random = np.random.default_rng(seed)
    params = 10 ** random.uniform(8, 10, n)
    tokens = params * 10 ** random.uniform(1, 2.5, n)
    return params, tokens, 6 * params * tokens


def losses(compute):
    """Typed out here, so that they do not come from what is tested."""
    E, C0, alpha = BUDGET
    return E + C0 * compute**-alpha


def accuracies(link, loss):
    c = TRUTHS[link]
    return {
        "linear": lambda: c[0] + c[1] * loss,
        "logistic": lambda: c[0] / (1 + np.exp(-c[1] * (loss - c[2]))) + c[3],
    }[link]()


def sample(link, noise=0.0, n=60, seed=0):
    random = np.random.default_rng(seed + 1)
    params, tokens, compute = runs(n, seed)
    loss = losses(compute)
    accuracy = accuracies(link, loss) + noise * random.normal(size=n)
    loss = loss * np.exp(0.5 * noise * random.normal(size=n))
    return Sample(
        benchmark="arc",
        accuracy=accuracy,
        baseline=0.25,
        at=Points(params=params, tokens=tokens, compute=compute, proxy=loss),
    )


# -- the whole law -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("link", TRUTHS)
def test_the_truth_is_recovered_and_extrapolated(link):
    kind = LAWS[f"two-stage-{link}"]
    found = kind.fit(sample(link))
    assert found.converged, found.reason
    assert not found.undetermined
    np.testing.assert_allclose(found.values, (*BUDGET, *TRUTHS[link]), rtol=1e-6)
    at = Points(compute=[6 * 3e11 * 9e12])
    predicted = kind.accuracy(found.values[None], at, np.zeros(1))
    assert predicted[0, 0] == pytest.approx(accuracies(link, losses(at.compute[0])), rel=1e-7)


@pytest.mark.parametrize("link", TRUTHS)
def test_a_refit_is_the_fit_of_the_runs_that_were_drawn(link):
    kind = LAWS[f"two-stage-{link}"]
    whole = sample(link, noise=0.01)
    found = kind.fit(whole)
    weights = (
        np.random.default_rng(5)
        .multinomial(len(whole), np.full(len(whole), 1 / len(whole)), size=3)
        .astype(float)
    )
    redone = found.refit(weights=weights, baselines=np.zeros(3))
    for counts, coefficients, converged in zip(
        weights, redone.coefficients, redone.converged, strict=True
    ):
        assert converged
        own = kind.fit(whole.subset(np.repeat(np.arange(len(whole)), counts.astype(int))))
        np.testing.assert_allclose(coefficients, own.values, rtol=2e-5, atol=1e-9)


def test_resamples_that_determine_no_law_are_not_certified():
    kind = LAWS["two-stage-logistic"]
    whole = sample("logistic", noise=0.01)
    few = np.zeros((2, len(whole)))
    few[0, :3] = 20.0
    few[1] = 1.0
    assert kind.fit(whole).refit(weights=few, baselines=np.zeros(2)).converged.tolist() == [
        False,
        True,
    ]


def test_the_second_stage_sees_the_proxies_themselves():
    """Whatever the first stage makes of them."""
    whole = sample("linear", noise=0.02)
    slope, intercept = np.polyfit(whole.at.proxy, whole.accuracy, 1)
    found = LAWS["two-stage-linear"].fit(whole)
    np.testing.assert_allclose(found.values[-2:], [intercept, slope], rtol=1e-9)


# -- proxies of every kind -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "prefactor", "is_loss"),
    [
        pytest.param(-0.4, -300.0, True, id="log likelihood"),
        pytest.param(0.9, -300.0, False, id="accuracy"),
        pytest.param(-0.5, 300.0, False, id="falls through zero"),
    ],
)
def test_proxies_that_are_no_losses(limit, prefactor, is_loss):
    _, _, compute = runs()
    proxy = limit + prefactor * compute**-0.14
    whole = Sample(
        benchmark="x",
        accuracy=0.5 + 0.1 * proxy,
        baseline=0.0,
        at=Points(compute=compute, proxy=proxy),
    )
    kind = LAWS["two-stage-linear"]
    found = kind.fit(whole)
    (stage, _) = found.parts
    assert isinstance(stage, StageFit)
    assert (stage.shift == 0.0) == is_loss
    assert found.converged
    assert not found.undetermined
    np.testing.assert_allclose(found.values, [limit, prefactor, 0.14, 0.5, 0.1], rtol=1e-5)
    redone = found.refit(weights=np.ones((2, len(whole))), baselines=np.zeros(2))
    np.testing.assert_allclose(redone.coefficients[0], found.values, rtol=1e-4)


# -- links ---------------------------------------------------------------------------------------------------------------


def logistic_of(d, s, z):
    return 1 / (1 + mpmath.exp(-(d * (mpmath.mpf(REACH) + s) + s * z)))


@pytest.mark.parametrize("theta", [(-0.3, 2.5), (-0.97, 1.5)])
def test_derivatives_are_those_of_high_precision_differentiation(theta):
    z = np.array([-1.0, -0.4, 0.3, 0.9])
    phi, first = LOGISTIC.derivatives(np.array([theta]), z)
    with mpmath.workdps(50):
        for i, at in enumerate(z):
            point = (*map(mpmath.mpf, theta), mpmath.mpf(float(at)))
            assert phi[0, i] == pytest.approx(float(logistic_of(*point)), rel=1e-11, abs=1e-13)
            for p in range(2):
                order = tuple(int(p == j) for j in range(3))
                exact = float(mpmath.diff(logistic_of, point, order))
                assert first[0, p, i] == pytest.approx(exact, rel=1e-8, abs=1e-11)


@pytest.mark.parametrize("seed", range(6))
def test_no_other_search_finds_a_better_logistic(seed):
    from scipy.optimize import least_squares

    random = np.random.default_rng(seed)
    x = random.uniform(1.8, 4.0, 30)
    y = accuracies("logistic", x) + random.normal(0, (0.01, 0.1)[seed % 2], 30)
    found = LOGISTIC.fit(x, y)
    assert found.converged

    def residuals(p):
        return p[0] / (1 + np.exp(np.clip(-p[1] * (x - p[2]), -700, 700))) + p[3] - y

    best = np.inf
    for _ in range(25):
        start = [
            random.uniform(0.1, 1),
            random.normal() * 10,
            random.uniform(1.5, 4.5),
            random.uniform(0, 0.5),
        ]
        best = min(best, 2 * least_squares(residuals, start, max_nfev=400).cost)
    # Beyond the steepest and the farthest logistic of the search the sum of squares falls no more
    # than this.
    assert found.objective_value <= best * (1 + 2e-3)


def test_a_logistic_that_falls_has_positive_height_and_negative_steepness():
    x = np.linspace(1.8, 4, 40)
    rising = LOGISTIC.fit(-x, accuracies("logistic", x)).values
    np.testing.assert_allclose(rising, [0.6, 3.0, -2.7, 0.25], rtol=1e-7)


@pytest.mark.parametrize("link", LINKS.values(), ids=lambda link: link.name)
def test_the_unit_of_the_proxy_does_not_matter(link):
    random = np.random.default_rng(4)
    x = random.uniform(1.8, 4.0, 40)
    y = accuracies("logistic", x) + random.normal(0, 0.01, 40)
    one, other = link.fit(x, y), link.fit(7.0 - 3.0 * x, y)
    assert one.objective_value == pytest.approx(other.objective_value, rel=1e-10)
    left, right = (
        link.accuracy(fit.values[None], at)
        for fit, at in ((one, np.array([1.5])), (other, np.array([7.0 - 4.5])))
    )
    np.testing.assert_allclose(left, right, rtol=1e-6)


def test_a_straight_line_leaves_the_bend_open():
    link = LOGISTIC
    x = np.linspace(2, 4, 30)
    found = link.fit(x, 1.2 - 0.2 * x)
    assert found.undetermined == link.coefficients
    inside = link.accuracy(found.values[None], x)[0]
    np.testing.assert_allclose(inside, 1.2 - 0.2 * x, atol=1e-3)


def test_an_exponential_leaves_a_logistic_open():
    x = np.linspace(2, 4, 30)
    y = 0.14 + 2.2 * np.exp(-0.71 * x)
    assert LOGISTIC.fit(x, y).undetermined == LOGISTIC.coefficients


def test_peaks_are_the_local_maxima_of_each_grid():
    random = np.random.default_rng(0)
    values = random.normal(size=(5, 7, 6))
    for grid, found in zip(values, peaks(values, 4), strict=True):
        padded = np.pad(grid, 1, constant_values=-np.inf)
        expected = [
            (grid[i, j], i * 6 + j)
            for i in range(7)
            for j in range(6)
            if grid[i, j] >= padded[i : i + 3, j : j + 3].max()
        ]
        places = [place for _, place in sorted(expected, reverse=True)][:4]
        assert found.tolist()[: len(places)] == places


# -- bad input -----------------------------------------------------------------------------------------------------------


def test_a_law_that_levels_off_outside_the_range_says_so():
    x = np.linspace(2, 4, 30)
    found = LOGISTIC.fit(x, 0.3 + 1.5573 / (1 + np.exp(3.0 * (x - 1.0))))
    assert isinstance(found, LinkFit)
    assert found.remarks == ("a + b = 1.857, where it levels off, is above 1: no accuracy is",)
    found = LAWS["two-stage-logistic"].fit(sample("logistic"))
    assert found.remarks == ()
    assert found.limits.shape == (len(found.values), 2)
    assert not found.on_limit(found.values).any()


@pytest.mark.parametrize(
    ("link", "n", "said"),
    [
        (
            "logistic",
            16,
            ["16 runs for the 4 coefficients of the second stage, fewer than 5 to each"],
        ),
        ("logistic", 20, []),
        ("linear", 16, []),
        ("linear", 14, ["14 runs for the 3 coefficients of the first stage, fewer than 5 to each"]),
    ],
)
def test_few_runs_to_a_coefficient_are_said(link, n, said):
    """Of either stage by itself."""
    found = LAWS[f"two-stage-{link}"].fit(sample(link, noise=0.01, n=n)).remarks
    assert [text.partition(":")[0] for text in found if "coefficients" in text] == said


def of(proxy, compute=None, **more):
    proxy = np.asarray(proxy, dtype=float)
    compute = np.geomspace(1e18, 1e20, len(proxy)) if compute is None else compute
    return Sample(
        benchmark="arc",
        accuracy=np.linspace(0.3, 0.6, len(proxy)),
        baseline=0.0,
        at=Points(compute=compute, proxy=proxy, **more),
    )


@pytest.mark.parametrize(
    ("kind", "runs", "message"),
    [
        (LAWS["two-stage-linear"], of([3.0, 2.5]), "arc: 2 runs: must be at least 3"),
        (
            LAWS["two-stage-logistic"],
            of([3.0, 2.9, 2.9, 2.8]),
            "takes 3 values at 4 runs; must take at least 4",
        ),
        (LAWS["two-stage-linear"], of([3.0, 3.0, 3.0, 3.0]), "must rise or fall with compute"),
    ],
)
def test_bad_samples(kind, runs, message):
    with pytest.raises(ValueError, match=message):
        kind.fit(runs)
