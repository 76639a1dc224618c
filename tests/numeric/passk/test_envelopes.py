"""The envelope at every k: against the truth of simulations and minima found at 40 digits."""

import mpmath
import numpy as np
import pytest

from isoflop.numeric.fit.resample import paired
from isoflop.numeric.passk.envelopes import envelope_columns, envelopes, penalties
from isoflop.numeric.passk.laws import fit_passk
from isoflop.numeric.simulate.counts import Fixed, ModelGrid, law_truth, simulate

mp = mpmath.mp.clone()
mp.dps = 40
TRUTH = {"E0": 0.2, "N0": 1.5 * 2e7**0.45, "D0": 1.5 * 2e9**0.5, "beta": 0.45, "gamma": 0.5}
ALPHA = 0.45 * 0.5 / 0.95


def best(compute):
    """log N of the least A N^-beta + B (C/6N)^-gamma, and that least value, by golden section."""
    a, b, beta, gamma = (mp.mpf(TRUTH[name]) for name in ("N0", "D0", "beta", "gamma"))

    def reducible(x):
        return a * mp.exp(-beta * x) + b * mp.exp(-gamma * (mp.log(compute / 6) - x))

    low, high, ratio = mp.mpf(0), mp.mpf(60), (mp.sqrt(5) - 1) / 2
    while high - low > mp.mpf(10) ** -18:
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, right) if reducible(left) < reducible(right) else (left, high)
    return float((low + high) / 2), float(reducible((low + high) / 2)), reducible


def along(computes, tokens_ratio):
    """Models with (D/N)/(D*/N*) of this, one a compute."""
    log_n = np.array([best(c)[0] for c in computes]) - 0.5 * np.log(tokens_ratio)
    params = np.exp(log_n)
    return ModelGrid(params, computes / (6.0 * params), np.full(len(computes), 50.0))


def laws_at(models, *, seed, scatter=0.05, resamples=0, truth=TRUTH, ks=(10,)):
    random = np.random.default_rng(seed)
    drawn = law_truth(models, "params-tokens", truth, k=10, scatter=scatter, rng=random)
    counts = simulate(models, drawn, problems=256, sampling=Fixed(64), rng=random).counts()
    return [
        fit_passk(counts, law=law, k=ks, method="least-squares-log", resamples=resamples, seed=3)
        for law in ("params-tokens", "compute")
    ]


@pytest.fixture(scope="module")
def pair(design):
    return laws_at(design, seed=31, resamples=80, ks=(5, 10))


def test_the_derived_exponent_is_the_truth(design):
    """Its mean over simulations, and within most intervals."""
    held, values = [], []
    for seed in range(10):
        (row,) = envelopes(*laws_at(design, seed=seed, resamples=60))
        held.append(not row.derived["alpha"].excludes(ALPHA))
        values.append(row.derived["alpha"].value)
    assert sum(held) >= 6
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    assert np.mean(values) == pytest.approx(ALPHA, abs=3.5 * error)


def ends(estimate):
    return estimate.low, estimate.high


def derived(row, compute):
    E0, C0, alpha = (row.derived[name].value for name in ("E0", "C0", "alpha"))
    return E0 + C0 * compute**-alpha


def test_the_derived_law_is_the_least_of_the_fitted_one(pair):
    joint, direct = pair
    for row in envelopes(joint, direct):
        coefficients = joint.at(row.k).coefficients
        params = np.geomspace(1e5, 1e13, 400_001)
        for compute in (1e19, 1e21):
            y = coefficients["E0"] + coefficients["N0"] * params ** -coefficients["beta"]
            y = y + coefficients["D0"] * (compute / 6.0 / params) ** -coefficients["gamma"]
            assert derived(row, compute) == pytest.approx(y.min(), rel=1e-8)
        ends = row.compute[[0, -1]]
        own = direct.at(row.k).predict({"compute": ends})
        expected = own / derived(row, ends) - 1.0
        assert row.excess.value[[0, -1]] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("ratio", [10.0, 0.05])
def test_models_at_a_constant_ratio_lie_above_by_the_penalty(design, ratio):
    """The direct fit estimates the envelope times the penalty of the models' own allocations."""
    computes = np.geomspace(1e18, 1e22, 20)
    joint, _ = laws_at(design, seed=35, scatter=0.02)
    _, direct = laws_at(along(computes, ratio), seed=36, scatter=0.02)
    (row,) = envelopes(joint, direct)
    inside = (row.compute > 1e19) & (row.compute < 1e21)
    for compute, excess in zip(row.compute[inside], row.excess.value[inside], strict=True):
        log_n, least, reducible = best(compute)
        own = float(reducible(mp.mpf(log_n) - mp.log(ratio) / 2))
        assert 1.0 + excess == pytest.approx((TRUTH["E0"] + own) / (TRUTH["E0"] + least), rel=0.12)


def test_the_median_penalty(design):
    """Of models at one ratio, by a law near the truth: the penalty of that ratio."""
    joint, direct = laws_at(design, seed=37, scatter=0.01)
    (row,) = envelopes(joint, direct)
    expected = []
    for params, compute in zip(design.params, design.compute, strict=True):
        _, least, reducible = best(compute)
        expected.append(float(reducible(mp.log(params))) / least)
    assert row.penalty == pytest.approx(np.median(expected), rel=0.1)


def test_penalties(pair, design):
    joint, _ = pair
    rows = [cost.as_dict() for cost in penalties(joint, [1.0, 10.0, 0.1])]
    assert [(row["k"], row["ratio"]) for row in rows] == [
        (k, r) for k in (5, 10) for r in (1.0, 10.0, 0.1)
    ]
    for row in rows:
        c = joint.at(row["k"]).coefficients
        params = np.geomspace(1e4, 1e14, 200_001)
        y = c["N0"] * params ** -c["beta"] + c["D0"] * (1e20 / 6.0 / params) ** -c["gamma"]
        at = params[y.argmin()] / np.sqrt(row["ratio"])
        own = c["N0"] * at ** -c["beta"] + c["D0"] * (1e20 / 6.0 / at) ** -c["gamma"]
        assert row["loss_penalty"] == pytest.approx(own / y.min(), rel=1e-4)
        assert row["loss_penalty_lo"] <= row["loss_penalty_hi"]
        alpha = c["beta"] * c["gamma"] / (c["beta"] + c["gamma"])
        assert row["effective_compute"] == pytest.approx(
            (own / y.min()) ** (-1.0 / alpha), rel=1e-3
        )
        assert row["undetermined"] == []
    assert rows[0]["loss_penalty"] == pytest.approx(1.0)


def test_differences_have_intervals_on_the_same_resamples(pair):
    joint, direct = pair
    assert (joint.weights == direct.weights).all()
    for row in envelopes(joint, direct):
        _, (of_joint, of_direct) = paired((joint.at(row.k).draws, direct.at(row.k).draws))
        away = of_direct[:, 2] - envelope_columns(joint.at(row.k), of_joint)["alpha"]
        low, high = ends(row.difference)
        assert (low, high) == pytest.approx(tuple(np.quantile(away, [0.05, 0.95])))
        least, most = ends(row.excess)
        assert (least <= most).all()
        near = max(-low, high) <= 0.1 * row.fitted["alpha"].value
        assert row.verdict == (
            "agree" if near else "cannot tell" if low <= 0.0 <= high else "differ"
        )
        data = row.as_dict()
        assert abs(data["largest_excess"]) == pytest.approx(np.abs(row.excess.value).max())
        assert data["difference_interval"] == [low, high]


def test_refused(pair, drawn):
    joint, direct = pair
    with pytest.raises(ValueError, match=r"^law='compute': must be 'params-tokens'"):
        envelopes(direct, joint)
    with pytest.raises(ValueError, match=r"^law='compute': must be 'params-tokens'"):
        penalties(direct, [10.0])
    with pytest.raises(ValueError, match=r"^ratio=-1"):
        penalties(joint, [-1.0])
    other = fit_passk(drawn("compute", seed=38).counts(), k=[20], method="least-squares-log")
    with pytest.raises(ValueError, match=r"must share some with those of the compute law"):
        envelopes(joint, other)
