"""Two-stage laws: recovered truths, global minima, refits, and which proxies are refused."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import least_squares

from isoflop.numeric.accuracy.law import fit_law
from isoflop.numeric.accuracy.laws import LAWS
from isoflop.numeric.data.sample import Points

TRUTHS = {"linear": (1.2, -0.2), "logistic": (0.6, -3.0, 2.7, 0.25)}
BUDGET = (1.7, 1071.0, 0.1535)


def losses(compute):
    """Typed out here, so that they do not come from what is tested."""
    E, C0, alpha = BUDGET
    return E + C0 * compute**-alpha


def accuracies(link, loss):
    c = TRUTHS[link]
    if link == "linear":
        return c[0] + c[1] * loss
    return c[0] / (1 + np.exp(-c[1] * (loss - c[2]))) + c[3]


def sample_of(accuracy, compute, proxy):
    seen = {"benchmark": "arc", "accuracy": accuracy, "baseline": 0.25}
    return Points(compute=compute, proxy=proxy, **seen)


def sample(link, noise=0.0, n=60):
    random = np.random.default_rng(1)
    compute = 10 ** random.uniform(18.0, 22.0, n)
    loss = losses(compute)
    accuracy = accuracies(link, loss) + noise * random.normal(size=n)
    return sample_of(accuracy, compute, loss * np.exp(0.5 * noise * random.normal(size=n)))


def second_stage(link, proxy, accuracy):
    """The link alone: the first stage is exact."""
    compute = ((np.asarray(proxy) - 0.5) / 1071.0) ** (-1 / 0.1535)
    return fit_law(sample_of(accuracy, compute, proxy), LAWS[f"two-stage-{link}"])


@pytest.mark.parametrize("link", TRUTHS)
def test_the_truth_is_recovered_and_extrapolated(link):
    law = LAWS[f"two-stage-{link}"]
    found, far = fit_law(sample(link), law), np.array([1.6e25])
    assert (found.converged, found.undetermined, found.remarks) == (True, (), ())
    np.testing.assert_allclose(found.values, (*BUDGET, *TRUTHS[link]), rtol=1e-6)
    predicted = found.accuracy(Points(compute=far))
    assert predicted == pytest.approx(accuracies(link, losses(far)), rel=1e-7)


@pytest.mark.parametrize("link", TRUTHS)
def test_a_refit_is_the_fit_of_the_runs_that_were_drawn(link):
    law, whole = LAWS[f"two-stage-{link}"], sample(link, noise=0.01)
    n, random = len(whole), np.random.default_rng(5)
    weights = random.multinomial(n, np.full(n, 1 / n), size=2).astype(float)
    few = np.where(np.arange(n) < 2, n / 2.0, 0.0)
    again = fit_law(whole, law).refit(weights=np.vstack([weights, few]), baselines=np.zeros(3))
    assert again.converged.tolist() == [True, True, False]
    for counts, coefficients in zip(weights, again.rows, strict=False):
        own = fit_law(whole.subset(np.repeat(np.arange(n), counts.astype(int))), law)
        np.testing.assert_allclose(coefficients, own.values, rtol=2e-5, atol=1e-9)


def test_the_second_stage_sees_the_proxies_themselves():
    whole = sample("linear", noise=0.02)
    slope, intercept = np.polyfit(whole.proxy, whole.accuracy, 1)
    found = fit_law(whole, LAWS["two-stage-linear"])
    np.testing.assert_allclose(found.values[-2:], [intercept, slope], rtol=1e-9)
    turned = replace(whole, proxy=-whole.proxy)  # a log likelihood
    assert fit_law(turned, LAWS["two-stage-linear"]).values == pytest.approx(
        found.values, rel=1e-12
    )


@pytest.mark.parametrize("seed", range(2))
def test_no_other_search_finds_a_better_logistic(seed):
    random = np.random.default_rng(seed)
    x = random.uniform(1.8, 4.0, 30)
    y = accuracies("logistic", x) + random.normal(0, (0.01, 0.1)[seed], 30)
    found = second_stage("logistic", x, y)
    assert found.converged

    def residuals(p):
        return p[0] / (1 + np.exp(np.clip(-p[1] * (x - p[2]), -700, 700))) + p[3] - y

    best = np.inf
    for _ in range(15):
        start = random.uniform((0.1, -20.0, 1.5, 0.0), (1.0, 20.0, 4.5, 0.5))
        best = min(best, 2 * least_squares(residuals, start, max_nfev=400).cost)
    # Beyond the box the sum of squares falls no more than this.
    assert found.objective_value <= best * (1 + 2e-3)
    own = (residuals(found.values[3:]) ** 2).sum()
    assert own == pytest.approx(found.objective_value, rel=1e-9)


@pytest.mark.parametrize(
    "bend", [lambda x: 1.2 - 0.2 * x, lambda x: 0.14 + 2.2 * np.exp(-0.71 * x)]
)
def test_a_line_and_an_exponential_leave_a_logistic_open(bend):
    x = np.linspace(2, 4, 30)
    assert {"a", "k", "L0", "b"} <= {*second_stage("logistic", x, bend(x)).undetermined}
