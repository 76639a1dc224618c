"""The three laws at every k: against the fit layer, against the truth of simulations, and what is
refused.
"""

from dataclasses import replace

import numpy as np
import pytest

from isoflop.numeric.data.counts import Counts
from isoflop.numeric.fit import fit
from isoflop.numeric.passk import laws as module
from isoflop.numeric.passk.curve import curve
from isoflop.numeric.passk.kinds import KINDS
from isoflop.numeric.passk.laws import fit_passk
from isoflop.numeric.simulate.counts import law_values

KS = (1, 10, 50)
LAW_NAMES = ("compute", "params-tokens", "gold")
SQUARES = "least-squares-log"


@pytest.fixture(scope="module")
def compute_squares(compute_counts):
    return fit_passk(compute_counts, k=KS, method=SQUARES, resamples=40, seed=5)


def counts_of(n, c, **covariates):
    """Models with the same problems: n and c are (G, P)."""
    n, c = np.broadcast_arrays(np.asarray(n), np.asarray(c))
    models, problems = c.shape
    return Counts(
        by=("model",),
        labels=tuple((f"m{g}",) for g in range(models)),
        group=np.repeat(np.arange(models), problems),
        problem=np.tile(np.arange(problems), models).astype(object),
        n=n.ravel(),
        c=c.ravel(),
        row=np.arange(1, models * problems + 1),
        covariates={name: np.asarray(values, dtype=float) for name, values in covariates.items()},
        source="counts.csv",
    )


# -- least squares ---------------------------------------------------------------------------------


@pytest.mark.parametrize("law", LAW_NAMES)
def test_least_squares_is_the_fit_layer_on_the_estimates(drawn, law) -> None:
    counts = drawn(law, seed=11).counts()
    laws = fit_passk(counts, law=law, k=KS, method=SQUARES)
    y = curve(counts, KS).neg_log
    held = counts.covariates
    for index, found in enumerate(laws.fits):
        table = {"loss": y[:, index]}
        if law == "params-tokens":
            table |= {"N": held["params"], "D": held["tokens"]}
        else:
            table["C"] = held["compute"] if law == "compute" else 1.0 / held["gold"]
        model = "params-tokens" if law == "params-tokens" else "compute"
        reference = fit(table, model=model, objective=SQUARES)
        assert list(found.coefficients.values()) == pytest.approx(
            list(reference.coefficients.values()), rel=1e-6
        )
        spare = len(counts) - len(reference.coefficients)
        assert found.scatter == pytest.approx(np.sqrt(reference.objective_value / spare), rel=1e-9)
        assert (found.method, found.size, found.converged) == (SQUARES, 30, True)


def test_a_row_of_the_weights_is_one_resample(compute_squares, compute_counts) -> None:
    """Models as often as the weights say, fitted by the fit layer."""
    y = curve(compute_counts, KS).neg_log
    assert (compute_squares.weights.sum(axis=1) == 30).all()
    for draw in (0, 7):
        chosen = np.repeat(np.arange(30), compute_squares.weights[draw].astype(int))
        for index, found in enumerate(compute_squares.fits):
            table = {"C": compute_counts.covariates["compute"][chosen], "loss": y[chosen, index]}
            reference = fit(table, model="compute", objective=SQUARES)
            assert found.drawn[draw] == pytest.approx(
                list(reference.coefficients.values()), rel=1e-4, abs=1e-7
            )


def test_models_without_an_estimate_are_counted(drawn) -> None:
    simulated = drawn("compute", seed=12)
    n, c = simulated.n.copy(), simulated.c.copy()
    c[0] = 0
    n[1, 3], c[1, 3] = 20, 1
    counts = replace(simulated, n=n, c=c).counts()
    (low, high) = fit_passk(counts, k=(10, 50), method=SQUARES).fits
    assert (low.size, low.n_without, low.n_refused) == (29, 1, 0)
    assert (high.size, high.n_without, high.n_refused) == (28, 1, 1)
    assert not high.used[:2].any()
    assert high.used[2:].all()
    (low, high) = fit_passk(counts, k=(10, 50)).fits
    assert (high.size, high.n_unsolved, high.n_without, high.n_refused) == (30, 1, 0, 0)


# -- the likelihood --------------------------------------------------------------------------------


@pytest.mark.parametrize("law", LAW_NAMES)
@pytest.mark.parametrize("method", module.METHODS)
def test_the_truth_is_recovered(drawn, truths, design, law, method) -> None:
    """-log pass@k of the truth at all models, in standard errors; intervals of coefficients are a
    study (tests/studies).
    """
    found = fit_passk(drawn(law, seed=100).counts(), law=law, k=[10], method=method).fits[0]
    assert found.converged
    held = {
        "compute": design.compute,
        "params": design.params,
        "tokens": design.tokens,
        "gold": design.gold,
    }
    log_y, error = found.prediction(held)
    away = (log_y - np.log(law_values(design, law, truths[law]))) / error
    assert np.abs(away).max() < 4.0
    assert error.max() < 0.2


def test_beyond_every_n(adaptive_counts, truths) -> None:
    """k = 1000, where every problem but the unsolved has fewer samples: the likelihood has a value,
    least squares none.
    """
    solved = adaptive_counts.c > 0
    assert adaptive_counts.n[solved].min() == 32
    found = fit_passk(adaptive_counts, k=[1000], resamples=60).fits[0]
    assert found.converged
    assert (found.size, found.n_refused) == (30, 0)
    alpha = found.estimate("alpha", 0.99)
    assert alpha.low < truths["compute"]["alpha"] < alpha.high
    with pytest.raises(
        ValueError,
        match=r"k=1000: 0 models have an estimate .*30 with problems of fewer than k samples",
    ):
        fit_passk(adaptive_counts, k=[1000], method=SQUARES)


def test_predictions_hold_new_models(drawn, design) -> None:
    """The share of new models within the 90 % interval, the error of their own truth being 0."""
    held = []
    for seed in range(4):
        counts = drawn("compute", seed=300 + seed, scatter=0.25).counts()
        found = fit_passk(counts, k=[10]).fits[0]
        low, high = found.interval_ahead({"compute": design.compute}, 0.9)
        new = np.ravel(
            drawn("compute", seed=900 + seed, scatter=0.25, problems=1).truth.neg_log_pass_at_k(10)
        )
        held.append(np.mean((low <= new) & (new <= high)))
    assert 0.8 < np.mean(held) < 0.98
    narrow = found.interval_ahead({"compute": design.compute}, 0.5)
    assert (narrow[0] > low).all()
    assert (narrow[1] < high).all()


# -- resamples -------------------------------------------------------------------------------------


@pytest.mark.parametrize("law", LAW_NAMES)
def test_standard_errors_are_those_of_the_resamples(drawn, law) -> None:
    counts = drawn(law, seed=17).counts()
    held = {name: np.median(counts.covariates[name]) for name in KINDS[law].covariates}
    found = fit_passk(counts, law=law, k=[10], resamples=80).fits[0]
    own = [found.law_of(dict(zip(found.coefficients, each, strict=True))) for each in found.drawn]
    at = [1.0 / held["gold"]] if law == "gold" else held.values()
    spread = np.log([float(one.loss(*at)) for one in own]).std()
    assert found.prediction(held)[1][0] == pytest.approx(spread, rel=0.5)


# -- what takes part -------------------------------------------------------------------------------


# -- what is refused -------------------------------------------------------------------------------


COMPUTES = np.geomspace(1e18, 1e22, 8)
ALL_WRONG, SOME = (counts_of(16, np.full((8, 5), c), compute=COMPUTES) for c in (0, 3))


@pytest.mark.parametrize(
    ("counts", "options", "match"),
    [
        (SOME.subset([3]), {}, "^k=4: 1 models have an estimate .* at least 3 for the 3 coef"),
        (ALL_WRONG, {}, "^k=4: 0 models have an estimate .*8 without a success"),
        (SOME, {"law": "gold"}, "^counts.csv: no gold of the models; the law gold needs gold"),
        (SOME, {"law": "params-tokens"}, "^counts.csv: no params and no tokens of the models"),
    ],
)
@pytest.mark.parametrize("method", module.METHODS)
def test_counts_that_cannot_tell_are_refused(counts, options, match, method) -> None:
    with pytest.raises(ValueError, match=match):
        fit_passk(counts, k=[4], method=method, **options)


def test_unknown_names(compute_counts, compute_squares) -> None:
    with pytest.raises(
        ValueError, match=r"^law='params': must be one of compute, params-tokens, gold"
    ):
        fit_passk(compute_counts, law="params", k=[10])
    with pytest.raises(
        ValueError, match=r"^method='huber': must be one of likelihood, least-squares-log"
    ):
        fit_passk(compute_counts, method="huber", k=[10])
    with pytest.raises(ValueError, match=r"^name='beta': the law .* has E0, C0, alpha"):
        compute_squares.values("beta")
    with pytest.raises(
        ValueError, match=r"^covariates=\['params'\]: must have compute for the law compute"
    ):
        compute_squares.at(10).prediction({"params": 1e9})
    with pytest.raises(ValueError, match=r"^compute=\[0.0\]: must be positive finite numbers"):
        compute_squares.at(10).prediction({"compute": [0.0]})


# -- public data -----------------------------------------------------------------------------------


def test_least_squares_on_the_public_estimates(public_runs) -> None:
    """For k <= 128 the stored means are the estimates: the fit layer on them gives the same law."""
    import pandas as pd

    folder = public_runs / "pythia-passk"
    means = pd.read_csv(folder / "mean_pass_at_k.csv").query("benchmark == 'gsm8k'")
    models = means.drop_duplicates("model")[["model", "N", "D"]]
    counts = Counts.read(
        folder / "per_problem_counts.csv",
        where="benchmark == 'gsm8k'",
        models=models,
        columns={"benchmark": None},
    )
    laws = fit_passk(counts, k=(1, 100), method=SQUARES)
    for found in laws.fits:
        own = means.query("k == @found.k and mean_pass_at_k > 0").assign(
            loss=lambda t: -np.log(t.mean_pass_at_k), compute=lambda t: 6.0 * t.N * t.D
        )
        reference = fit(own[["compute", "loss"]], model="compute", objective=SQUARES)
        assert found.size == len(own)
        assert list(found.coefficients.values()) == pytest.approx(
            list(reference.coefficients.values()), rel=1e-4
        )
