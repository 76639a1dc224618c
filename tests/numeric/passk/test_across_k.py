"""What follows from laws at several k: against grids of compute with 40 digits, minima over params,
and the truth of simulations.
"""

import json
import math
import random
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest

from isoflop.numeric.fit.resample import paired
from isoflop.numeric.law import Law
from isoflop.numeric.passk.across_k import (
    envelopes,
    holds_above,
    last_crossings,
    lost_compute,
    penalties,
    predict,
)
from isoflop.numeric.passk.laws import fit_passk
from isoflop.numeric.passk.study import study_passk

MP = mpmath.mp.clone()
MP.dps = 40
KS, SQUARES = (5, 10), "least-squares-log"


def neg_log(law, log_compute):
    E, C0, alpha = map(MP.mpf, law)
    return E + C0 * MP.exp(-alpha * log_compute)


# -- where laws hold together ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_above_the_crossing_no_law_rises_with_k(seed):
    rng = random.Random(100 + seed)
    floors = sorted((rng.uniform(0, 0.5) * rng.choice([0, 1]) for _ in range(4)), reverse=seed < 9)
    prefactors = [10 ** rng.uniform(1, 6) for _ in range(4)]
    exponents = [rng.uniform(0.1, 0.4) for _ in range(4)]
    exponents = sorted(exponents) if seed % 2 else exponents
    laws = list(zip(floors, prefactors, exponents, strict=True))
    floor = last_crossings(floors, prefactors, exponents).max()
    grid = np.linspace(-20, 60, 161)
    wrong = []
    for log10 in grid:
        values = [neg_log(law, MP.log(10) * MP.mpf(log10)) for law in laws]
        wrong.append(any(late > early for early, late in pairwise(values)))
    last = max((10.0**x for x, is_wrong in zip(grid, wrong, strict=True) if is_wrong), default=0.0)
    assert last <= floor
    if floor < 1e60:
        assert floor <= last * 10**0.5


@pytest.mark.parametrize(
    ("first", "second", "floor"),
    [
        ((0.3, 10.0, 0.1), (0.1, 10.0, 0.1), 0.0),  # the same but for a lower floor
        ((0.1, 10.0, 0.1), (0.3, 10.0, 0.1), math.inf),  # the wrong way everywhere
        ((0.1, 10.0, 0.1), (0.1, 10.0, 0.1), 0.0),  # equal laws do not contradict each other
        ((0.0, 10.0, 0.2), (0.0, 20.0, 0.1), math.inf),  # the exponent falls with k
        ((0.1, 10.0, 0.1), (0.2, 1.0, 0.1), math.inf),  # the floor grows with k
        ((0.0, 1e300, 1.0), (0.0, 1e303, 1.1), 1e30),
        ((0.7, 1e3, 0.15), (0.7, 1e5, 0.25), 1e20),  # floors that cancel change nothing
    ],
)
def test_special_cases(first, second, floor):
    columns = np.array([first, second]).T
    assert last_crossings(*columns) == pytest.approx([floor], rel=1e-9)
    many = np.repeat(columns[:, None], 3, axis=1)
    assert last_crossings(*many) == pytest.approx(np.full((3, 1), floor), rel=1e-9)


# -- fitted laws -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def study(joint_counts):
    options: dict[str, Any] = {"ratios": [0.1, 10.0], "compute": [1e21], "resamples": 60}
    return study_passk(joint_counts, k=KS, method=SQUARES, seed=2, **options)


@pytest.fixture(scope="module")
def pair(study):
    return study.laws["params-tokens"], study.laws["compute"]


def least(c, compute):
    """The least y over params at a compute, and y as a function of params there."""
    params = np.geomspace(1e4, 1e14, 400_001)

    def y(n):
        return c["N0"] * n ** -c["beta"] + c["D0"] * (compute / 6.0 / n) ** -c["gamma"]

    values = y(params)
    return params[values.argmin()], values.min(), y


def test_envelopes(pair):
    joint, direct = pair
    for row in envelopes(joint, direct):
        c = joint.at(row["k"]).coefficients
        ratio = math.log(least(c, 1e20)[1] / least(c, 1e21)[1]) / math.log(10.0)
        assert row["derived"].value == pytest.approx(ratio, rel=1e-6)
        assert row["fitted"] == direct.at(row["k"]).estimate("alpha")
        _, drawn = paired(laws.at(row["k"]).draws for laws in pair)
        beta, gamma = drawn[0].T[3:]
        away = drawn[1][:, 2] - beta * gamma / (beta + gamma)
        ends = row["difference"].low, row["difference"].high
        assert ends == pytest.approx(tuple(np.quantile(away, [0.05, 0.95])))
        own = zip(joint.covariates["params"], joint.covariates["compute"], strict=True)
        costs = [least(c, compute)[2](n) / least(c, compute)[1] for n, compute in own]
        assert row["penalty"].value == pytest.approx(np.median(costs), rel=1e-4)


def test_the_derived_exponent_is_the_truth(drawn, truths):
    """Its mean over simulations."""
    true, values = truths["params-tokens"], []
    for seed in range(10):
        counts = drawn("params-tokens", seed=60 + seed, scatter=0.05, problems=256).counts()
        (fit,) = fit_passk(counts, law="params-tokens", k=[10], method=SQUARES).fits
        values.append(fit.law_of(fit.coefficients).envelope.exponent)
    alpha = true["beta"] * true["gamma"] / (true["beta"] + true["gamma"])
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    assert np.mean(values) == pytest.approx(alpha, abs=3.5 * error)


def test_penalties(pair):
    joint, _ = pair
    for row in penalties(joint, [1.0, 10.0, 0.1]):
        c = joint.at(row["k"]).coefficients
        at, best, y = least(c, 1e20)
        own = y(at / math.sqrt(row["ratio"])) / best
        assert row["loss_penalty"].value == pytest.approx(own, rel=1e-4)
        alpha = c["beta"] * c["gamma"] / (c["beta"] + c["gamma"])
        assert row["effective_compute"].value == pytest.approx(own ** (-1.0 / alpha), rel=1e-3)
        assert row["loss_penalty"].low <= row["loss_penalty"].high


def test_what_an_allocation_for_another_k_loses():
    laws = {
        1: Law(A=40.0, B=90.0, beta=0.2, gamma=0.2),
        100: Law(A=400.0, B=900.0, beta=0.3, gamma=0.35),
    }
    rows = lost_compute(laws, 1e22)
    assert [(row["chosen"], row["judged"]) for row in rows] == [(1, 100), (100, 1)]
    for row in rows:
        one, other = laws[row["chosen"]], laws[row["judged"]]
        n, d = one.envelope.params(1e22), one.envelope.tokens(1e22)
        reducible = other.A * n**-other.beta + other.B * d**-other.gamma
        penalty = reducible / other.envelope.reducible_loss(1e22)
        assert row["loss_penalty"] == pytest.approx(penalty, rel=1e-10)
        saved = 1.0 - penalty ** (-1.0 / other.envelope.exponent)
        assert row["lost_compute"] == pytest.approx(saved, rel=1e-8)
    with_floors = {k: Law(**{**law.numbers, "E": 0.01 * k}) for k, law in laws.items()}
    with pytest.raises(ValueError, match=r"^compute=1e\+22: the laws at k=1 and k=100 contradict"):
        lost_compute(with_floors, 1e22)


def test_predictions_are_refused_where_laws_contradict_each_other(pair):
    _, compute = pair
    floor, at = holds_above(compute)
    assert (floor.low or 0.0) <= floor.value <= (floor.high or 0.0)
    assert at == KS
    rows = predict(compute, {"compute": [2.0 * floor.value, 1e22]})
    assert [row["k"] for row in rows] == [*KS, *KS]
    assert all(row["lo"] < row["neg_log"] < row["hi"] for row in rows)
    assert rows[0]["pass_at_k"] == pytest.approx(math.exp(-rows[0]["neg_log"]))
    with pytest.raises(ValueError, match=r"^compute=.*: the laws at k=5 and k=10 contradict"):
        predict(compute, {"compute": 0.5 * floor.value})


def test_a_study_is_plain_data_with_a_frame(study, pair):
    data = json.loads(json.dumps(study.as_dict(), allow_nan=False))
    assert [law["law"] for law in data["laws"]] == ["compute", "params-tokens", "gold"]
    assert data["laws"][0]["holds_above"]["compute"] == holds_above(pair[1])[0].value
    assert len(data["predictions"]) == len(data["envelopes"]) == len(data["lost_compute"]) == 2
    frame = study.to_frame()
    alone = study_passk(pair[0].data, laws=["compute"], method=SQUARES, resamples=60, seed=2)
    own = frame[frame.law == "compute"].dropna(axis=1, how="all")
    assert own.alpha_lo.tolist() == alone.to_frame().alpha_lo.tolist()
    assert study.sound == all(fit.is_sound for laws in study.laws.values() for fit in laws.fits)
    assert max(map(len, str(study).splitlines())) <= 100


def test_warnings_and_refusals(joint_counts):
    beyond = study_passk(joint_counts, laws=["compute"], k=[8, 1000], method=SQUARES, resamples=0)
    assert not beyond.sound
    assert "k = 1000: no fit" in str(beyond)
    far = study_passk(joint_counts, laws=["compute"], k=[8, 1000], resamples=0, compute=[1.0])
    assert "Beyond k = 64, the most samples" in str(far)
    assert [row["compute"] for row in far.refused] == [1.0]


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"laws": ["all"]}, r"^law='all': must be one of"),
        ({"ratios": [-1.0]}, r"^ratios=-1"),
        ({"compute": [0.0]}, r"^compute=0"),
        ({"level": 2.0}, r"level=2"),
    ],
)
def test_bad_arguments(joint_counts, options, match):
    with pytest.raises(ValueError, match=match):
        study_passk(joint_counts, k=[1], **options)


def test_laws_of_another_kind_are_refused(pair):
    with pytest.raises(ValueError, match=r"^law='compute': must be 'params-tokens'"):
        envelopes(pair[1], pair[0])
    with pytest.raises(ValueError, match=r"^law='compute': must be 'params-tokens'"):
        penalties(pair[1], [10.0])
