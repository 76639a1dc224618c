"""Direct laws: closest laws by other routes, refits as fits of the resample, guessing redrawn,
predictions at 50 digits.
"""

from dataclasses import replace

import mpmath
import numpy as np
import pytest

from isoflop.numeric.accuracy.baselines import Baseline
from isoflop.numeric.accuracy.law import fit_law, resampled
from isoflop.numeric.accuracy.laws import HUBER, LAWS, power_law
from isoflop.numeric.data.sample import Points, Sample
from isoflop.numeric.fit.models import Expression

optimize = pytest.importorskip("scipy.optimize")

GUESS = 0.25
DELTA = 1e-3
#: Typed out, so that they do not come from what is tested.
TRUTHS = {
    "compute": ("C0", "alpha", 40.0, 0.085),
    "compute-ceiling": ("E", "C0", "alpha", 0.12, 900.0, 0.16),
    "params-tokens": ("A", "B", "beta", "gamma", 60.0, 400.0, 0.27, 0.3),
    "params-tokens-ceiling": ("E", "A", "B", "beta", "gamma", 0.1, 60.0, 400.0, 0.27, 0.3),
}


def truth(name):
    row = TRUTHS[name]
    return np.array(row[len(row) // 2 :], dtype=float)


def columns(name, at):
    """The x of every term of the sum a x^-b."""
    return [at.params, at.tokens] if name.startswith("params") else [at.compute]


def neg_logs(name, theta, at):
    """E + sum a x^-b with E, prefactors and exponents in this order."""
    x = columns(name, at)
    E = float(theta[0]) if name.endswith("ceiling") else 0.0
    rest = theta[1:] if name.endswith("ceiling") else theta
    a, b = rest[: len(x)], rest[len(x) :]
    return E + sum(a[i] * x[i] ** -b[i] for i in range(len(x)))


def sample(name, *, noise=0.02, n=24, seed=0, outlier=True):
    """Runs of the truth with noise of log(-log Q') and one far outlier, which Huber's function
    should not follow.
    """
    random = np.random.default_rng(seed)
    params = 10 ** random.uniform(8, 10, n)
    tokens = params * 10 ** random.uniform(0.7, 2.3, n)
    at = Points(params=params, tokens=tokens, compute=6.0 * params * tokens)
    residual = noise * random.standard_normal(n)
    if outlier and noise:
        residual[3] += 0.5
    y = neg_logs(name, truth(name), at) * np.exp(residual)
    return Sample(
        benchmark="arc",
        accuracy=GUESS + (1.0 - GUESS) * np.exp(-y),
        baseline=GUESS,
        at=at,
        index=np.arange(n),
    )


def observed(part):
    """log(-log Q')."""
    return np.log(-np.log((part.accuracy - part.baseline) / (1.0 - part.baseline)))


def huber(residual):
    size = np.abs(residual)
    return float(np.sum(np.where(size <= DELTA, 0.5 * residual**2, DELTA * (size - 0.5 * DELTA))))


# -- the closest law ---------------------------------------------------------------------------------------------------


def test_equation_2_is_least_squares_of_the_logs() -> None:
    part = sample("compute")
    found = LAWS["compute"].fit(part)
    design = np.column_stack([np.ones(len(part)), -np.log(part.at.compute)])
    (intercept, slope), squares, *_ = np.linalg.lstsq(design, observed(part), rcond=None)
    assert found.converged
    assert found.values == pytest.approx([np.exp(intercept), slope], rel=1e-8)
    assert found.objective_value == pytest.approx(float(squares[0]), rel=1e-8)


def search(name, part, starts=40):
    """Huber's objective from many starts by BFGS with exact derivatives: least value, and logs of
    E, prefactors, exponents.
    """
    x, seen, ceiling = (
        np.log(np.stack(columns(name, part.at))),
        observed(part),
        int(name.endswith("ceiling")),
    )
    centre = x.mean(axis=1, keepdims=True)
    terms = len(x)

    def objective(theta):
        a, b = theta[ceiling : ceiling + terms, None], theta[ceiling + terms :, None]
        logs = (
            np.concatenate([np.full((1, len(part)), theta[0]), a - b * (x - centre)])
            if ceiling
            else a - b * (x - centre)
        )
        top = logs.max(axis=0)
        sums = np.exp(logs - top).sum(axis=0)
        residual = top + np.log(sums) - seen
        shares, psi = np.exp(logs - top) / sums, np.clip(residual, -DELTA, DELTA)
        by_a = (shares * psi).sum(axis=1)
        by_b = -((shares * psi)[ceiling:] * (x - centre)).sum(axis=1)
        return huber(residual) / DELTA, np.concatenate([by_a, by_b]) / DELTA

    random, best = np.random.default_rng(1), None
    for _ in range(starts):
        start = np.concatenate(
            [
                random.uniform(-4, 0, ceiling),
                random.uniform(-4, 0.5, terms),
                random.uniform(0.02, 0.7, terms),
            ]
        )
        end = optimize.minimize(objective, start, jac=True, method="BFGS", options={"gtol": 1e-9})
        if best is None or end.fun < best.fun:
            best = end
    assert best is not None
    theta = best.x
    logs = theta[ceiling : ceiling + terms] + theta[ceiling + terms :] * centre[:, 0]
    return best.fun * DELTA, np.concatenate(
        [np.exp(theta[:ceiling]), np.exp(logs), theta[ceiling + terms :]]
    )


@pytest.mark.parametrize("name", [name for name in TRUTHS if name != "compute"])
def test_equations_4_and_10_are_the_least_of_a_search_from_many_starts(name) -> None:
    part = sample(name, n=40)
    found = LAWS[name].fit(part)
    value, theta = search(name, part)
    assert found.converged
    own = huber(np.log(neg_logs(name, found.values, part.at)) - observed(part))
    assert found.objective_value == pytest.approx(own, rel=1e-9)
    assert own <= value * (1.0 + 1e-9)
    assert own == pytest.approx(value, rel=1e-5)
    laws = [np.log(neg_logs(name, each, part.at)) for each in (found.values, theta)]
    assert np.abs(laws[0] - laws[1]).max() < 1e-4


@pytest.mark.parametrize("name", TRUTHS)
def test_exact_runs_give_the_truth(name) -> None:
    part = sample(name, noise=0.0)
    kind = LAWS[name]
    found = kind.fit(part)
    assert kind.coefficients == TRUTHS[name][: len(kind.coefficients)]
    assert found.converged
    assert found.undetermined == ()
    assert found.values == pytest.approx(truth(name), rel=1e-5)


def test_an_exponent_at_its_bound_is_said_and_counted() -> None:
    """Accuracy that falls with compute: the slope is negative, not open."""
    compute = np.geomspace(1e18, 1e22, 20)
    y = 1.4 * (compute / 1e20) ** 0.03 * np.exp(0.01 * np.random.default_rng(0).standard_normal(20))
    falling = Sample(
        benchmark="arc",
        accuracy=GUESS + (1.0 - GUESS) * np.exp(-y),
        baseline=GUESS,
        at=Points(compute=compute),
    )
    fit = resampled(fit_law(falling, LAWS["compute"]), Baseline(GUESS), 30, 0)
    slope = np.polyfit(np.log(compute), observed(falling), 1)[0]
    assert fit.values[1] == pytest.approx(1e-3, rel=1e-9)
    assert fit.remarks == ("alpha = 0.001 is at a limit of the search",)
    assert slope > 0.0
    assert fit.undetermined == ("alpha",)
    assert fit.on_limit(fit.values).tolist() == [False, True]
    assert fit.on_limit(fit.refitted)[:, 1].sum() == 30
    rising = fit_law(sample("compute"), LAWS["compute"])
    assert rising.remarks == ()


@pytest.mark.parametrize(
    ("n", "scale", "noise", "said"),
    [
        (4, 1.0, 0.0, "4 runs for 2 coefficients"),
        (20, 1.0, 0.0, ""),
        (20, 1.0, 0.6, "scatter about the law as much as they change"),
        (20, 2.6, 0.0, "above guessing, those within 0.05 of it are left out"),
    ],
)
def test_runs_that_tell_too_little(n, scale, noise, said) -> None:
    """By count, by scatter, and where accuracies hardly leave the margin."""
    compute = np.geomspace(1e20, 1e22, n)
    z = np.random.default_rng(1).standard_normal(n)
    y = scale * (compute / 1e21) ** -0.05 * np.exp(noise * z)
    found = Sample(benchmark="arc", accuracy=np.exp(-y), baseline=0.0, at=Points(compute=compute))
    weak = fit_law(found, LAWS["compute"]).weak
    assert said in weak
    assert bool(weak) == bool(said)


def test_too_few_runs_and_missing_columns() -> None:
    part = sample("params-tokens")
    with pytest.raises(ValueError, match=r"arc: 3 runs above guessing; must be at least 4"):
        LAWS["params-tokens"].fit(part.subset(np.arange(3)))
    bare = replace(part, at=Points(compute=part.at.compute))
    with pytest.raises(ValueError, match="params: is not known at the runs"):
        LAWS["params-tokens"].fit(bare)
    assert LAWS["compute"].fit(bare).converged


def test_the_upper_limit_of_a_ceiling_that_is_none() -> None:
    """Where E is 0 its limit is that of the profile of squares, here by a search over E."""
    compute, z = np.geomspace(1e18, 1e23, 40), np.random.default_rng(1).standard_normal(40)
    bend = -5e-4 * np.log(compute / 3e20) ** 2
    y = 900.0 * compute**-0.16 * np.exp(bend + 0.02 * z)
    data = Sample(benchmark="arc", accuracy=np.exp(-y), baseline=0.0, at=Points(compute=compute))
    fit = fit_law(data, LAWS["compute-ceiling"])
    assert fit.coefficients["E"] == 0.0

    def squares(E: float) -> float:
        x = np.log(compute)
        ends = [
            optimize.least_squares(
                lambda p: np.log(E + np.exp(p[0] - p[1] * (x - x.mean()))) - np.log(y), (-1.0, p)
            ).cost
            for p in (0.1, 0.2)
        ]
        return float(min(ends))

    best = optimize.minimize_scalar(squares, bounds=(0.0, 0.2), method="bounded").fun
    limit = optimize.brentq(
        lambda E: 40 * np.log(squares(E) / min(best, squares(0.0))) - 2.705543454, 1e-4, 0.2
    )
    assert fit.limit_at_zero(0.9) == pytest.approx(limit, rel=1e-4)
    drawn = resampled(fit, Baseline(0.0), 20, 0).estimates(0.9)["E"]
    assert (drawn.low, drawn.high, drawn.at_most) == (0.0, fit.limit_at_zero(0.9), True)


# -- refits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TRUTHS)
def test_a_refit_is_the_fit_of_the_resample(name) -> None:
    part = sample(name, n=40, outlier=False)
    kind = LAWS[name]
    found = kind.fit(part)
    random = np.random.default_rng(3)
    weights = random.multinomial(len(part), np.full(len(part), 1.0 / len(part)), size=4).astype(
        float
    )
    again = found.refit(weights=weights, baselines=np.full(4, GUESS))
    assert again.coefficients.shape == (4, len(kind.coefficients))
    for row, weight in enumerate(weights):
        drawn = part.subset(np.repeat(np.arange(len(part)), weight.astype(int)))
        fresh = kind.fit(drawn)
        assert again.converged[row]
        laws = [
            np.log(neg_logs(name, each, part.at))
            for each in (again.coefficients[row], fresh.values)
        ]
        values = [
            huber(law[np.repeat(np.arange(len(part)), weight.astype(int))] - observed(drawn))
            for law in laws
        ]
        if name == "compute":
            assert again.coefficients[row] == pytest.approx(fresh.values, rel=1e-7)
        assert values[0] == pytest.approx(values[1], rel=1e-6)
        assert np.abs(laws[0] - laws[1]).max() < 1e-4


def test_each_refit_has_its_own_accuracy_of_guessing() -> None:
    part = sample("compute", outlier=False)
    kind = LAWS["compute"]
    baselines = np.array([0.2, GUESS, 0.27])
    again = kind.fit(part).refit(weights=np.ones((3, len(part))), baselines=baselines)
    for row, baseline in enumerate(baselines):
        fresh = kind.fit(replace(part, baseline=float(baseline)))
        assert again.coefficients[row] == pytest.approx(fresh.values, rel=1e-7)
    assert len({*again.coefficients[:, 1].round(6)}) == 3


def test_a_run_at_or_below_its_redrawn_guessing_counts_as_not_drawn() -> None:
    part = sample("compute", outlier=False)
    kind = LAWS["compute"]
    sorted_scores = np.sort(part.accuracy)
    baseline = float(sorted_scores[2])
    again = kind.fit(part).refit(weights=np.ones((1, len(part))), baselines=np.array([baseline]))
    left = replace(part.subset(part.accuracy > baseline), baseline=baseline)
    assert len(left) == len(part) - 3
    assert again.coefficients[0] == pytest.approx(kind.fit(left).values, rel=1e-7)


# -- predictions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TRUTHS)
def test_predictions_at_50_digits(name) -> None:
    kind, part = LAWS[name], sample(name)
    laws = np.stack([truth(name), 1.1 * truth(name)])
    baselines = np.array([0.0, 0.3])
    found = kind.accuracy(laws, part.at.subset(slice(0, 3)), baselines)
    assert found.shape == (2, 3)
    with mpmath.workdps(50):
        for row in range(2):
            for column in range(3):
                theta = [mpmath.mpf(value) for value in laws[row]]
                E = theta.pop(0) if name.endswith("ceiling") else mpmath.mpf(0)
                x = [mpmath.mpf(values[column]) for values in columns(name, part.at)]
                y = E + sum(theta[i] * x[i] ** -theta[len(x) + i] for i in range(len(x)))
                guess = mpmath.mpf(baselines[row])
                assert found[row, column] == pytest.approx(
                    float(guess + (1 - guess) * mpmath.exp(-y)), rel=1e-12
                )


def test_a_law_written_as_an_expression_is_the_same_law():
    """With a product of powers in one letter each, its coefficients, predictions and refits."""
    data, own = sample("params-tokens", noise=0.02, outlier=False), LAWS["params-tokens"]
    typed = power_law("typed", Expression("A*N^-beta + B*D^-gamma"), HUBER)
    assert typed.requires == own.requires == ("params", "tokens")
    one, other = fit_law(data, own), fit_law(data, typed)
    assert other.coefficients == pytest.approx(one.coefficients, rel=1e-4)
    assert other.predict(data) == pytest.approx(one.predict(data), rel=1e-7)
    guessing = Baseline(GUESS)
    one, other = (resampled(fit, guessing, 12, seed=1) for fit in (one, other))
    assert one.draws is not None
    assert other.draws is not None
    order = [other.names.index(name) for name in own.coefficients]
    drawn = other.draws.coefficients[:, order]
    assert drawn == pytest.approx(one.draws.coefficients, rel=1e-2)
