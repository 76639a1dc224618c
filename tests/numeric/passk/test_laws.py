"""The three laws at every k: against the fit layer, plain searches for limits, and refusals."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq, minimize
from scipy.stats import t

from isoflop.numeric.data.counts import Counts
from isoflop.numeric.fit import fit
from isoflop.numeric.passk import curve, fit_passk
from isoflop.numeric.passk.fit_at_k import upper_limit
from isoflop.numeric.passk.laws import METHODS

KS, LAWS = (5, 10), ("compute", "params-tokens", "gold")
LIKELIHOOD, SQUARES = METHODS


@pytest.fixture(scope="module")
def squares(joint_counts):
    """All laws by least squares, with what follows from them."""
    options: Any = {"ratios": [10.0], "compute": [1e21], "resamples": 60}
    return fit_passk(joint_counts, k=KS, method=SQUARES, seed=2, **options)


@pytest.mark.parametrize("law", LAWS)
def test_least_squares_is_the_fit_layer_on_the_estimates(squares, joint_counts, law):
    """And a resample that of the models of the sizes drawn."""
    model = "params-tokens" if law == LAWS[1] else "compute"
    held = joint_counts.covariates
    sizes, member = np.unique(held["params"].astype(str), return_inverse=True)
    drawn = np.random.default_rng(2).multinomial(len(sizes), np.full(6, 1 / 6), 60)[7, member]
    for k, found in squares.of(law).items():
        table = pd.DataFrame({"loss": curve(joint_counts, [k]).neg_log, "N": held["params"]})
        table["C"] = 1.0 / held["gold"] if law == "gold" else held["compute"]
        table["D"] = held["tokens"] if law == "params-tokens" else table.C / table.N / 6.0
        own = fit(table, model=model, objective=SQUARES)
        assert found.solution.values == pytest.approx(own.solution.values, rel=1e-6)
        spare = len(joint_counts) - int(own.solution.free.sum())
        assert found.scatter == pytest.approx(np.sqrt(own.objective_value / spare), rel=1e-9)
        again = fit(table.loc[table.index.repeat(drawn)], model=model, objective=SQUARES)
        assert found.draws.rows[7] == pytest.approx(again.solution.values, rel=1e-4, abs=1e-6)


def test_beyond_every_n(drawn, truths):
    """Sampled in batches of 32 until solved, at most 1024 times, so that at k = 1000 nearly all
    problems have fewer samples: the likelihood has a value, least squares none.
    """
    adaptive_counts = drawn(seed=3, k=1000, problems=32, samples=1024, batch=32)
    options: Any = {"laws": "compute", "cluster": False, "resamples": 40}
    laws = fit_passk(adaptive_counts, k=[1000], **options)
    alpha: Any = laws.at(1000).estimate("alpha", 0.99)
    assert laws.at(1000).converged
    assert alpha.low < truths["compute"]["alpha"] < alpha.high
    with pytest.raises(ValueError, match=r"^k=1000: 0 models .*30 have problems of fewer than k"):
        fit_passk(adaptive_counts, k=[1000], method=SQUARES)


# -- what follows ----------------------------------------------------------------------------------


def test_envelopes_and_penalties(squares, joint_counts):
    table: Any = squares.to_frame().set_index(["law", "k"]).loc["params-tokens"]
    own = {name: joint_counts.covariates[name] for name in ("params", "tokens")}
    for k, joint in squares.of("params-tokens").items():
        row, law = table.loc[k], joint.law
        assert row.alpha == pytest.approx(law.envelope.exponent)
        beta, gamma = joint.drawn.coefficients.T[3:]
        ends = np.quantile(beta * gamma / (beta + gamma), [0.05, 0.95])
        assert (row.alpha_lo, row.alpha_hi) == pytest.approx(tuple(ends))
        assert row.penalty == pytest.approx(np.median(law.penalty(**own).loss_penalty))
        assert row["penalty_10"] == pytest.approx(law.penalty(ratio=10.0).loss_penalty)
        assert row["penalty_10_lo"] <= row["penalty_10_hi"]


def test_predictions_and_where_the_laws_hold_together(squares):
    floor, at = squares.holds_above["compute"]
    assert floor.low <= floor.value <= floor.high
    assert at == KS
    data = json.loads(json.dumps(squares.as_dict(), allow_nan=False))
    assert data["holds_above"]["compute"]["compute"] == floor.value
    for row in data["rows"][:2]:
        own: Any = squares.at(row["k"], "compute").predict({"compute": 1e21})
        ends = [row[f"y_1e+21{end}"] for end in ("", "_lo", "_hi")]
        assert ends == [own.value.item(), own.low.item(), max(own.high.item(), row["E0_hi"])]


# -- upper limits of irreducible parts -------------------------------------------------------------


def test_an_upper_limit_against_a_simplex(drawn):
    """A simplex over the other two coefficients and bisection over E0."""
    level = 0.9
    counts = drawn(seed=5, E0=0.0, problems=300)
    options: Any = {"laws": "compute", "k": [10], "resamples": 40, "cluster": False}
    found = fit_passk(counts, method=SQUARES, **options).at(10)
    x, u = np.log(found.covariates["compute"] / 1e20), np.log(found.solution.observed)

    def profile(E0):
        def squares(theta):
            return float(np.sum((np.log(E0 + np.exp(theta[0] - theta[1] * x)) - u) ** 2))

        how: Any = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 4000}
        return 30 * np.log(minimize(squares, (0.5, 0.25), method="Nelder-Mead", options=how).fun)

    own = found.coefficients["E0"]
    most = 30 * np.log1p(t.ppf(0.5 + level / 2, 27) ** 2 / 27) + profile(own)
    limit = brentq(lambda E0: profile(E0) - most, own, 3.0)
    estimate, draws = found.estimate("E0", level), found.draws
    assert draws is not None
    assert estimate.low == 0.0
    assert estimate.high == pytest.approx(
        max(limit, np.quantile(draws.coefficients[:, 0], 0.95)), rel=1e-4
    )
    assert upper_limit(found, level) == pytest.approx(limit, rel=1e-4)


def test_copies_of_a_model_tell_nothing_more(drawn):
    """Each model three times, drawn together, has nearly the limit of each once."""
    counts, options = drawn(seed=5, E0=0.0, problems=300), {"laws": "compute", "k": [10]}
    names = np.array(counts.names)[counts.group]
    columns = pd.DataFrame({"problem": counts.problem, "n": counts.n, "c": counts.c})
    columns["compute"] = columns["params"] = counts.covariates["compute"].repeat(300)
    copies = [columns.assign(model=[f"{name} {i}" for name in names]) for i in range(3)]
    how: Any = {**options, "method": SQUARES, "resamples": 2}
    once, thrice = (fit_passk(pd.concat(copies[:n]), **how).at(10) for n in (1, 3))
    assert upper_limit(thrice) == pytest.approx(upper_limit(once), rel=0.05)
    assert upper_limit(replace(thrice, clusters=None)) < 0.8 * upper_limit(once)


# -- what is refused -------------------------------------------------------------------------------


def counts_of(c, n=16, **covariates):
    """Eight models with the same five problems, n samples each, c of them correct."""
    table = {"model": np.repeat(np.arange(8), 5), "problem": np.tile(np.arange(5), 8), "n": n}
    own = {"c": np.broadcast_to(c, 8), **covariates}
    return Counts.read(table | {name: np.repeat(values, 5) for name, values in own.items()})


COMPUTES = np.geomspace(1e18, 1e22, 8)
SOME = counts_of(3, compute=COMPUTES)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (
            {"counts": SOME.subset([3])},
            "^k=4: 1 models have an estimate .* at least 3 for the 3 coef",
        ),
        ({"counts": counts_of(0, compute=COMPUTES)}, "^k=4: 0 models have .*8 no success"),
        ({"counts": counts_of(3)}, "the law compute needs compute of the models"),
        ({"laws": "params-tokens"}, "needs params and tokens of the models; it has compute"),
        ({"laws": ["all"]}, "^law='all': must be one of compute, params-tokens, gold"),
        ({"method": "huber"}, "^method='huber': must be one of likelihood, least"),
        ({"ratios": [-1.0]}, "^ratios=-1"),
        ({"compute": [0.0]}, "^compute=0"),
        ({"k": []}, r"^k=\[\]: must be at least one whole number"),
        ({"k": [0]}, "^k=0: must be a whole number of at least 1"),
    ],
)
def test_what_cannot_be_fitted_is_refused(options, match):
    usual = {"counts": SOME, "k": [4], "method": SQUARES, "resamples": 2}
    with pytest.raises(ValueError, match=match):
        fit_passk(**{**usual, **options})


def test_laws_of_the_public_counts(public_runs):
    """The likelihood has the coefficients that it had when these numbers were written down."""
    folder = public_runs / "pythia-passk"
    means = pd.read_csv(folder / "mean_pass_at_k.csv").query("benchmark == 'gsm8k'")
    models = means.drop_duplicates("model")[["model", "N", "D"]]
    rows = pd.read_csv(folder / "per_problem_counts.csv").query("benchmark == 'gsm8k'")
    counts = Counts.read(rows.merge(models), columns={"benchmark": None})
    laws = fit_passk(counts, laws=["compute", "params-tokens"], k=(1, 10, 100), resamples=0)
    table = laws.to_frame().set_index("law")
    direct, joint = table.loc["compute"], table.loc["params-tokens"]
    assert direct.alpha.tolist() == pytest.approx([0.0905, 0.1282, 0.1996], abs=1e-4)
    assert joint.alpha.tolist() == pytest.approx([0.0937, 0.1292, 0.1926], abs=1e-4)
    assert joint.penalty.tolist() == pytest.approx([1.085, 1.127, 1.223], abs=1e-3)
    assert direct.scatter.tolist() == pytest.approx([0.200, 0.289, 0.459], abs=1e-3)
    floors = [laws.holds_above[name][0].value for name in ("compute", "params-tokens")]
    assert floors == pytest.approx([3.21e15, 1.85e14], rel=5e-3)
