"""Two-stage laws: recovered truths, exact derivatives, global minima, refits, and proxies of every
kind.
"""

from functools import partial
from typing import Any

import mpmath
import numpy as np
import pytest

from isoflop.numeric.accuracy.links import (
    EXPONENTIAL,
    LINEAR,
    LINKS,
    LOGISTIC,
    REACH,
    UNIT_LOGISTIC,
    FromEndToEnd,
    LinkModel,
)
from isoflop.numeric.accuracy.two_stage import StageFit, two_stage
from isoflop.numeric.data.runs import Runs
from isoflop.numeric.data.sample import Points, Sample
from isoflop.numeric.fit.fitting import fit_form
from isoflop.numeric.fit.models import ONE_EXPONENT
from isoflop.numeric.fit.objective import Objective
from isoflop.numeric.fit.scan import peaks
from isoflop.numeric.fit.separable import Centred, OneExponent

TRUTHS = {
    "linear": (1.2, -0.2),
    "logistic": (0.6, -3.0, 2.7, 0.25),
    "exponential": (0.86, 2.2, 0.71),
}
BUDGET = (1.7, 1071.0, 0.1535)
ONE = (1.7, 406.0, 410.0, 0.3)


def runs(n=60, seed=0):
    random = np.random.default_rng(seed)
    params = 10 ** random.uniform(8, 10, n)
    tokens = params * 10 ** random.uniform(1, 2.5, n)
    return params, tokens, 6 * params * tokens


def losses(compute):
    """Typed out here, so that they do not come from what is tested."""
    E, C0, alpha = BUDGET
    return E + C0 * compute**-alpha


def of_one_exponent(params, tokens):
    E, A, B, beta = ONE
    return E + A * params**-beta + B * tokens**-beta


def accuracies(link, loss):
    c = TRUTHS[link]
    return {
        "linear": lambda: c[0] + c[1] * loss,
        "logistic": lambda: c[0] / (1 + np.exp(-c[1] * (loss - c[2]))) + c[3],
        "exponential": lambda: 1 - c[0] + c[1] * np.exp(-c[2] * loss),
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
    kind = two_stage(link)
    found = kind.fit(sample(link))
    assert found.converged, found.reason
    assert not found.undetermined
    np.testing.assert_allclose(found.values, (*BUDGET, *TRUTHS[link]), rtol=1e-6)
    at = Points(compute=[6 * 3e11 * 9e12])
    predicted = kind.accuracy(found.values[None], at, np.zeros(1))
    assert predicted[0, 0] == pytest.approx(accuracies(link, losses(at.compute[0])), rel=1e-7)


def test_noise_moves_the_coefficients_by_about_their_bootstrap_spread():
    kind = two_stage("logistic")
    drawn = sample("logistic", noise=0.005, n=150)
    found = kind.fit(drawn)
    weights = (
        np.random.default_rng(3).multinomial(150, np.full(150, 1 / 150), size=200).astype(float)
    )
    redone = found.refit(weights=weights, baselines=np.zeros(200))
    assert redone.converged.mean() > 0.95
    at = Points(compute=[1e24])
    spread = kind.accuracy(
        redone.coefficients[redone.converged], at, np.zeros(int(redone.converged.sum()))
    ).std()
    fresh = [kind.fit(sample("logistic", noise=0.005, n=150, seed=seed)) for seed in range(40)]
    scatter = np.std([kind.accuracy(each.values[None], at, np.zeros(1))[0, 0] for each in fresh])
    assert 0.5 < spread / scatter < 2.0


@pytest.mark.parametrize("link", TRUTHS)
def test_a_refit_is_the_fit_of_the_runs_that_were_drawn(link):
    kind = two_stage(link)
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
    kind = two_stage("logistic")
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
    found = two_stage("linear").fit(whole)
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
    kind = two_stage("linear")
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


SHAPES: dict[str, Any] = {
    "logistic": (LOGISTIC, logistic_of, (-0.3, 2.5)),
    "logistic far out": (LOGISTIC, logistic_of, (-0.97, 1.5)),
    "unit-logistic": (
        UNIT_LOGISTIC,
        lambda c, s, z: 1 / (1 + mpmath.exp(-(c + s * z))),
        (-0.3, 1.7),
    ),
    "exponential": (EXPONENTIAL, lambda g, z: mpmath.exp(-g * z), (-1.3,)),
}


def normalised(function, *arguments):
    *theta, z = arguments
    low, high = function(*theta, mpmath.mpf(-1)), function(*theta, mpmath.mpf(1))
    return (function(*theta, z) - low) / (high - low)


@pytest.mark.parametrize("whole", [False, True], ids=["link", "from end to end"])
@pytest.mark.parametrize("name", SHAPES)
def test_derivatives_are_those_of_high_precision_differentiation(name, whole):
    link, function, theta = SHAPES[name]
    z = np.array([-1.0, -0.4, 0.3, 0.9])
    shape: Any = FromEndToEnd(link) if whole else link
    law = partial(normalised, function) if whole else function
    phi, first, second = shape.derivatives(np.array([theta]), z)
    with mpmath.workdps(50):
        for i, at in enumerate(z):
            point = (*map(mpmath.mpf, theta), mpmath.mpf(float(at)))
            assert phi[0, i] == pytest.approx(float(law(*point)), rel=1e-11, abs=1e-13)
            for p in range(len(theta)):
                order = [0] * len(point)
                order[p] += 1
                assert first[0, p, i] == pytest.approx(
                    float(mpmath.diff(law, point, tuple(order))), rel=1e-8, abs=1e-11
                )
                for q in range(len(theta)):
                    both = list(order)
                    both[q] += 1
                    exact = float(mpmath.diff(law, point, tuple(both)))
                    assert second[0, p, q, i] == pytest.approx(exact, rel=1e-7, abs=1e-10)


def test_the_curvature_of_a_link_is_the_change_of_its_jacobian():
    z = np.linspace(-1, 1, 9)
    model = LinkModel(FromEndToEnd(LOGISTIC), z)
    theta, factors, h = np.array([[0.2, 0.6, -0.2, 2.0]]), np.linspace(0.5, 1.5, 9)[None], 1e-6
    curvature = model.curvature(theta, factors, np.empty(0), np.empty(0), None)
    for i in range(4):
        step = np.eye(4)[i] * h
        change = (model.evaluate(theta + step)[1] - model.evaluate(theta - step)[1]) / (2 * h)
        np.testing.assert_allclose(
            curvature[0, i], (change[0] * factors).sum(axis=1), rtol=1e-6, atol=1e-8
        )
    part = model.part(slice(2, 5))
    np.testing.assert_array_equal(part.evaluate(theta)[0], model.evaluate(theta)[0][:, 2:5])


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


@pytest.mark.parametrize(
    "link", [LINEAR, LOGISTIC, EXPONENTIAL, UNIT_LOGISTIC], ids=lambda link: link.name
)
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


@pytest.mark.parametrize("link", [LOGISTIC, EXPONENTIAL], ids=lambda link: link.name)
def test_a_straight_line_leaves_the_bend_open(link):
    x = np.linspace(2, 4, 30)
    found = link.fit(x, 1.2 - 0.2 * x)
    assert found.undetermined == link.coefficients
    inside = link.accuracy(found.values[None], x)[0]
    np.testing.assert_allclose(inside, 1.2 - 0.2 * x, atol=1e-3)


def test_a_step_leaves_the_steepness_open():
    x = np.linspace(2, 4, 30)
    found = LOGISTIC.fit(x, np.where(x < 3.0, 0.7, 0.3))
    assert found.undetermined == LOGISTIC.coefficients
    assert found.objective_value < 1e-2


def test_an_exponential_is_told_from_a_logistic_that_would_be_one():
    x = np.linspace(2, 4, 30)
    y = accuracies("exponential", x)
    assert not EXPONENTIAL.fit(x, y).undetermined
    assert LOGISTIC.fit(x, y).undetermined == LOGISTIC.coefficients


def test_the_unit_logistic_of_flat_and_of_extreme_accuracies():
    x = np.linspace(2, 4, 30)
    flat = UNIT_LOGISTIC.fit(x, np.full(30, 0.01))
    assert flat.values[0] == pytest.approx(0.0, abs=1e-6)
    assert UNIT_LOGISTIC.accuracy(flat.values[None], x)[0] == pytest.approx(0.01, rel=1e-6)
    steep = 1 / (1 + np.exp(20 * (x - 2.9)))
    np.testing.assert_allclose(UNIT_LOGISTIC.fit(x, steep).values, [-20.0, -58.0], rtol=1e-8)


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


# -- one exponent --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("in_logs", [False, True])
def test_derivatives_with_one_exponent(in_logs):
    params, tokens, _ = runs(8)
    logs = np.log(np.stack([params, tokens]))
    model = OneExponent(Centred(logs - logs.mean(axis=1, keepdims=True)))
    theta, factors, h = np.array([[1.7, -0.5, -0.3, 0.3]]), np.linspace(0.5, 1.5, 8)[None], 1e-6
    values, jacobian = model.evaluate(theta)

    def at(step):
        return model.evaluate(theta + step)

    divisor = values if in_logs else None
    over = jacobian / values[:, None] if in_logs else jacobian
    curvature = model.curvature(
        theta, factors, over, np.einsum("kpn,kn->kp", over, factors), divisor
    )
    for i in range(4):
        step = np.eye(4)[i] * h
        np.testing.assert_allclose(
            (at(step)[0] - at(-step)[0])[0] / (2 * h), jacobian[0, i], rtol=1e-7, atol=1e-9
        )
        change = (at(step)[1] - at(-step)[1]) / (2 * h)
        expected = (change[0] * factors / (values if in_logs else 1.0)).sum(axis=1)
        np.testing.assert_allclose(curvature[0, i], expected, rtol=1e-5, atol=1e-8)


def test_one_exponent_is_open_on_a_fixed_ratio():
    params = np.geomspace(1e8, 1e10, 12)
    loss = of_one_exponent(params, 20 * params)
    runs = Runs.read({"params": params, "tokens": 20 * params, "loss": loss})
    found = fit_form(runs, ONE_EXPONENT, Objective(name="least-squares"))
    assert found.undetermined == ("E", "A", "B", "beta")


def test_one_exponent_against_the_law_with_two():
    """With beta = gamma held equal by a scan of the exponent from outside."""
    params, tokens, _ = runs()
    errors = np.exp(0.01 * np.random.default_rng(1).normal(size=len(params)))
    loss = of_one_exponent(params, tokens) * errors
    table = Runs.read({"params": params, "tokens": tokens, "loss": loss})
    found = fit_form(table, ONE_EXPONENT, Objective(name="least-squares"))
    best = np.inf
    for beta in np.linspace(0.9, 1.1, 2001) * found.coefficients["beta"]:
        columns = np.stack([np.ones_like(loss), params**-beta, tokens**-beta], axis=1)
        solution = np.linalg.lstsq(columns / np.linalg.norm(columns, axis=0), loss, rcond=None)
        best = min(best, float(solution[1][0]))
    assert found.objective_value == pytest.approx(best, rel=1e-7)


# -- bad input -----------------------------------------------------------------------------------------------------------


def test_a_law_that_levels_off_outside_the_range_says_so():
    high, low = (
        LINKS["logistic"].remarks(np.array([1.5573, -3.0, 2.0, 0.3])),
        LINKS["logistic"].remarks(np.array([0.5, -3.0, 2.0, -0.1])),
    )
    assert high == ("a + b = 1.857, where it levels off, is above 1: no accuracy is",)
    assert low == ("b = -0.1, where it levels off, is below 0: no accuracy is",)
    assert LINKS["exponential"].remarks(np.array([-0.2, 0.1, 1.0])) == (
        "1 - epsilon = 1.2, where it levels off, is above 1: no accuracy is",
    )
    assert LINKS["logistic"].remarks(np.array([0.7, -3.0, 2.0, 0.25])) == ()
    assert LINKS["linear"].remarks(np.array([3.0, -1.0])) == ()
    found = two_stage("logistic").fit(sample("logistic"))
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
    found = two_stage(link).fit(sample(link, noise=0.01, n=n)).remarks
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
        (two_stage("linear"), of([3.0, 2.5]), "arc: 2 runs: must be at least 3"),
        (
            two_stage("logistic"),
            of([3.0, 2.9, 2.9, 2.8]),
            "takes 3 values at 4 runs; must take at least 4",
        ),
        (two_stage("linear"), of([3.0, 3.0, 3.0, 3.0]), "must rise or fall with compute"),
    ],
)
def test_bad_samples(kind, runs, message):
    with pytest.raises(ValueError, match=message):
        kind.fit(runs)
