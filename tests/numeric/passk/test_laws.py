"""The three laws at every k: against the fit layer, the truth of simulations, minima over params,
and what is refused.
"""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.data import law_values

from isoflop.numeric.data.counts import Counts
from isoflop.numeric.fit import fit
from isoflop.numeric.passk import curve, fit_passk
from isoflop.numeric.passk.fit_at_k import METHODS

KS = (5, 10)
LAWS = ("compute", "params-tokens", "gold")
LIKELIHOOD, SQUARES = METHODS


@pytest.fixture(scope="module")
def squares(joint_counts):
    """All laws by least squares, with what follows from them."""
    options: Any = {"ratios": [0.1, 10.0], "compute": [1.0, 1e21], "resamples": 60}
    return fit_passk(joint_counts, k=KS, method=SQUARES, seed=2, **options)


# -- fits ------------------------------------------------------------------------------------------


def table_of(counts, law, y, chosen=slice(None)):
    """What the fit layer is given for the same fit."""
    held = {name: values[chosen] for name, values in counts.covariates.items()}
    if law == "params-tokens":
        return {"loss": y[chosen], "N": held["params"], "D": held["tokens"]}
    return {"loss": y[chosen], "C": held["compute"] if law == "compute" else 1.0 / held["gold"]}


def squares_weights(counts):
    """How often the resamples of `squares` draw each model: sizes are drawn, with their models."""
    sizes, member = np.unique(counts.covariates["params"], return_inverse=True)
    drawn = np.random.default_rng(2).multinomial(
        len(sizes), np.full(len(sizes), 1 / len(sizes)), 60
    )
    order = np.argsort(np.argsort([repr(float(size)) for size in sizes]))
    return drawn[:, order[member]]


@pytest.mark.parametrize("law", LAWS)
def test_least_squares_is_the_fit_layer_on_the_estimates(squares, joint_counts, law):
    """And a row of the weights is one resample, of models as often as they are drawn; the models of
    one size are drawn together.
    """
    y, model = curve(joint_counts, KS).neg_log, "params-tokens" if law == LAWS[1] else "compute"
    for index, found in enumerate(squares.laws[law].fits):
        own = fit(table_of(joint_counts, law, y[:, index]), model=model, objective=SQUARES)
        assert found.values == pytest.approx(own.solution.values, rel=1e-6)
        spare = len(joint_counts) - int(own.solution.free.sum())
        assert found.scatter == pytest.approx(np.sqrt(own.objective_value / spare), rel=1e-9)
        assert (found.size, found.converged) == (30, True)
        chosen = np.repeat(np.arange(30), squares_weights(joint_counts)[7].astype(int))
        again = fit(
            table_of(joint_counts, law, y[:, index], chosen), model=model, objective=SQUARES
        )
        assert found.refits[7] == pytest.approx(again.solution.values, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("method", METHODS)
def test_the_truth_is_recovered(drawn, truths, design, law, method):
    """-log pass@k of the truth at all models, in standard errors, which are those of the resamples;
    intervals of coefficients are a study (tests/studies).
    """
    counts = drawn(law, seed=100)
    found = fit_passk(counts, laws=law, k=[10], method=method, resamples=60, cluster=None).at(10)
    u, error = found.prediction({name: getattr(design, name) for name in found.kind.covariates})
    assert found.converged
    assert (np.abs(u - np.log(law_values(design, law, truths[law]))) < 4.0 * error).all()
    assert error.max() < 0.2
    if method == LIKELIHOOD:
        values = found.fit.model.values(found.drawn, found.fit.runs)
        spread = np.log(values).std(axis=0)
        assert np.median(error / spread) == pytest.approx(1.0, abs=0.4)


def test_models_without_an_estimate_are_counted(drawn):
    simulated = drawn("compute", seed=12)
    n, c = (part.reshape(30, 64).copy() for part in (simulated.n, simulated.c))
    c[0], n[1, 3], c[1, 3] = 0, 20, 1
    counts = replace(simulated, n=n.ravel(), c=c.ravel())
    options: Any = {"laws": "compute", "k": (10, 50), "resamples": 0}
    low, high = fit_passk(counts, method=SQUARES, **options).laws["compute"].fits
    assert (low.size, low.n_without, low.n_refused) == (29, 1, 0)
    assert (high.size, high.n_without, high.n_refused) == (28, 1, 1)
    assert high.used.tolist() == [False] * 2 + [True] * 28
    (_, high) = fit_passk(counts, **options).laws["compute"].fits
    assert (high.size, high.n_unsolved, high.n_without, high.n_refused) == (30, 1, 0, 0)


def test_beyond_every_n(adaptive_counts, truths):
    """k = 1000, where every problem but the unsolved has fewer samples: the likelihood has a value,
    least squares none.
    """
    laws = fit_passk(adaptive_counts, laws="compute", k=[1000], resamples=60, cluster=None)
    alpha = replace(laws, level=0.99).at(1000).estimate("alpha", 0.99)
    assert laws.at(1000).converged
    assert alpha.low < truths["compute"]["alpha"] < alpha.high
    beyond = fit_passk(adaptive_counts, k=[2000], resamples=0)
    assert "beyond k = 1024, the most samples" in beyond.warnings[0]
    with pytest.raises(ValueError, match=r"^k=1000: 0 models .*30 with problems of fewer than k"):
        fit_passk(adaptive_counts, k=[1000], method=SQUARES)


# -- what follows ----------------------------------------------------------------------------------


def least(c, compute):
    """The least reducible y over params at a compute, where it is, and y as a function of params."""
    params = np.geomspace(1e4, 1e14, 400_001)

    def y(n):
        return c["N0"] * n ** -c["beta"] + c["D0"] * (compute / 6.0 / n) ** -c["gamma"]

    values = y(params)
    return params[values.argmin()], values.min(), y


def test_envelopes_and_penalties(squares, joint_counts):
    joint, direct = squares.laws["params-tokens"], squares.laws["compute"]
    for row in squares.envelopes:
        c = joint.at(row["k"]).coefficients
        slope = math.log(least(c, 1e20)[1] / least(c, 1e21)[1]) / math.log(10.0)
        assert row["derived"].value == pytest.approx(slope, rel=1e-6)
        assert row["fitted"] == direct.at(row["k"]).estimate("alpha")
        beta, gamma = joint.at(row["k"]).refits.T[3:]
        away = direct.at(row["k"]).refits[:, 2] - beta * gamma / (beta + gamma)
        ends = row["difference"].low, row["difference"].high
        assert ends == pytest.approx(tuple(np.nanquantile(away, [0.05, 0.95])))
        held = joint_counts.covariates
        own = zip(held["params"], held["compute"], strict=True)
        costs = [least(c, compute)[2](n) / least(c, compute)[1] for n, compute in own]
        assert row["penalty"].value == pytest.approx(np.median(costs), rel=1e-4)
    for row in squares.penalties:
        c = joint.at(row["k"]).coefficients
        at, best, y = least(c, 1e20)
        cost = y(at / math.sqrt(row["ratio"])) / best
        assert row["loss_penalty"].value == pytest.approx(cost, rel=1e-4)
        assert row["loss_penalty"].low <= row["loss_penalty"].high


def test_predictions_are_refused_where_laws_contradict_each_other(squares):
    floor, at = squares.holds_above["compute"]
    assert floor.low <= floor.value <= floor.high
    assert at == KS
    assert [row["compute"] for row in squares.ahead["refused"]] == [1.0]
    assert "the laws at k=5 and k=10 contradict each other" in squares.ahead["refused"][0]["reason"]
    for row in squares.ahead["predictions"]:
        own = squares.at(row["k"], "compute")
        assert row["neg_log"] == own.predict({"compute": 1e21}).item()
        assert row["lo"] < row["neg_log"] < row["hi"]
        assert row["pass_at_k"] == pytest.approx(math.exp(-row["neg_log"]))


def test_plain_data(squares):
    """The laws are those of each alone."""
    data = json.loads(json.dumps(squares.as_dict(), allow_nan=False))
    assert [law["law"] for law in data["laws"]] == list(LAWS)
    assert data["laws"][0]["holds_above"]["compute"] == squares.holds_above["compute"][0].value
    counts = squares.laws["compute"].models.counts
    options: Any = {"laws": "compute", "method": SQUARES, "seed": 2}
    alone = fit_passk(counts, k=KS, resamples=60, **options).to_frame()
    frame = squares.to_frame().query("law == 'compute'").dropna(axis=1, how="all")
    assert frame.alpha_lo.tolist() == alone.alpha_lo.tolist()
    assert frame["y_1e+21"].tolist() == [row["neg_log"] for row in data["predictions"]]
    lacking = fit_passk(counts, k=[8, 1000], resamples=0, **options)
    assert (squares.sound, lacking.sound) == (True, False)
    assert "k = 1000: no fit" in lacking.warnings[0]


# -- what is refused -------------------------------------------------------------------------------


def counts_of(c, **covariates):
    """Eight models with the same five problems, 16 samples each, c of them correct."""
    rows = [(f"m{g}", i, 16, c) for g in range(8) for i in range(5)]
    table = dict(zip(("model", "problem", "n", "c"), zip(*rows, strict=True), strict=True))
    own = {name: np.repeat(values, 5) for name, values in covariates.items()}
    return Counts.read(table | own)


COMPUTES = np.geomspace(1e18, 1e22, 8)
SOME = counts_of(3, compute=COMPUTES)


@pytest.mark.parametrize(
    ("counts", "options", "match"),
    [
        (SOME.subset([3]), {}, "^k=4: 1 models have an estimate .* at least 3 for the 3 coef"),
        (counts_of(0, compute=COMPUTES), {}, "^k=4: 0 models have an estimate .*8 without a succ"),
        (SOME, {"laws": "gold"}, "no gold of the models; the law gold needs gold"),
        (SOME, {"laws": "params-tokens"}, "no params and no tokens of the models"),
        (counts_of(3), {}, "has neither compute nor params and tokens nor gold"),
        (SOME, {"laws": ["all"]}, "^law='all': must be one of compute, params-tokens, gold"),
        (SOME, {"ratios": [-1.0]}, "^ratios=-1"),
        (SOME, {"compute": [0.0]}, "^compute=0"),
        (SOME, {"level": 2.0}, "^level=2"),
        (SOME, {"k": []}, r"^k=\[\]: must be at least one whole number"),
        (SOME, {"k": [0]}, "^k=0: must be a whole number of at least 1"),
        (SOME, {"cluster": "params"}, "^cluster='params': must be one of compute"),
        (SOME.subset([1, 2, 3]), {"cluster": "compute"}, "^cluster='compute': has 3 values"),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_what_cannot_be_fitted_is_refused(counts, options, match, method):
    with pytest.raises(ValueError, match=match):
        fit_passk(counts, **{"k": [4], "method": method, "resamples": 2, **options})


def test_one_ratio_of_tokens_to_params_leaves_terms_open():
    """On a ray either term may be that of either variable."""
    counts = counts_of(3, params=np.sqrt(COMPUTES / 120), tokens=20 * np.sqrt(COMPUTES / 120))
    y = 0.1 + 3.0 * (COMPUTES / 1e18) ** -0.2 + 2.0 * (COMPUTES / 1e18) ** -0.1
    correct = np.repeat(np.round(2**40 * np.exp(-y)).astype(np.int64), 5)
    counts = replace(counts, n=np.full_like(counts.n, 2**40), c=correct)
    (found,) = fit_passk(
        counts, laws="params-tokens", k=[1], method=SQUARES, resamples=0
    ).laws.values()
    assert {"N0", "D0", "beta", "gamma"} <= {*found.at(1).undetermined}


def test_unknown_names(squares):
    found = squares.at(10, "compute")
    with pytest.raises(ValueError, match=r"^method='huber': must be one of likelihood, least"):
        fit_passk(SOME, method="huber")
    with pytest.raises(ValueError, match=r"^name='beta': the law .* has E0, C0, alpha"):
        found.estimate("beta")
    with pytest.raises(ValueError, match=r"^k=7: must be one of 5, 10, the k that were fitted"):
        squares.at(7, "compute")
    with pytest.raises(ValueError, match=r"^covariates=\['params'\]: must have compute"):
        found.prediction({"params": 1e9})
    with pytest.raises(ValueError, match=r"^compute=0.0: must be positive finite numbers"):
        found.prediction({"compute": [0.0]})


# -- public data -----------------------------------------------------------------------------------


def test_laws_of_the_public_counts(public_runs):
    """For k <= 128 the stored means are the estimates: the fit layer on them gives the same law.
    The likelihood has the coefficients that it had when these numbers were written down.
    """
    import pandas as pd

    folder = public_runs / "pythia-passk"
    means = pd.read_csv(folder / "mean_pass_at_k.csv").query("benchmark == 'gsm8k'")
    models = means.drop_duplicates("model")[["model", "N", "D"]]
    where: Any = {"where": "benchmark == 'gsm8k'", "columns": {"benchmark": None}}
    counts = Counts.read(folder / "per_problem_counts.csv", models=models, **where)
    laws = fit_passk(counts, laws="compute", k=(1, 100), method=SQUARES, resamples=0)
    for found in laws.laws["compute"].fits:
        own = means.query("k == @found.k and mean_pass_at_k > 0")
        table = {"loss": -np.log(own.mean_pass_at_k), "C": 6.0 * own.N * own.D}
        reference = fit(table, model="compute", objective=SQUARES)
        assert found.size == len(own)
        assert found.values == pytest.approx(reference.solution.values, rel=1e-4)
    likely = fit_passk(counts, laws=["compute", "params-tokens"], k=(1, 10, 100), resamples=0)
    alpha = [row["derived"].value for row in likely.envelopes]
    fitted = [row["fitted"].value for row in likely.envelopes]
    costs = [row["penalty"].value for row in likely.envelopes]
    assert fitted == pytest.approx([0.0905, 0.1282, 0.1996], abs=1e-4)
    assert alpha == pytest.approx([0.0937, 0.1292, 0.1926], abs=1e-4)
    assert costs == pytest.approx([1.085, 1.127, 1.223], abs=1e-3)
    scatter = [fit.scatter for fit in likely.laws["compute"].fits]
    assert scatter == pytest.approx([0.200, 0.289, 0.459], abs=1e-3)
    floors = [likely.holds_above[name][0].value for name in ("compute", "params-tokens")]
    assert floors == pytest.approx([3.21e15, 1.85e14], rel=5e-3)
