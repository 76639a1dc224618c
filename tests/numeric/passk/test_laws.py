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
from isoflop.numeric.passk.laws import Data, fit_passk
from isoflop.numeric.simulate.counts import Fixed, grid, law_values

KS = (1, 10, 50)
LAW_NAMES = ("compute", "params-tokens", "gold")
SQUARES = "least-squares-log"


@pytest.fixture(scope="module")
def compute_data(compute_counts):
    return Data(compute_counts, KS)


@pytest.fixture(scope="module")
def compute_laws(compute_data):
    return fit_passk(compute_data, resamples=40, seed=5)


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
    ahead = found.prediction(held)
    away = (ahead.log_y - np.log(law_values(design, law, truths[law]))) / ahead.standard_error
    assert np.abs(away).max() < 4.0
    assert ahead.standard_error.max() < 0.2


FAR = {"E0": 3.0, "C0": 9e5, "alpha": 0.26}
SPAN = np.geomspace(1e14, 1e22, 60)


def far_counts(drawn, seed):
    """60 models over eight decades, -log pass@1 from 200 to 4: those below some 1e19 FLOP have no
    success in 128,000 samples.
    """
    of = grid((1e8,), tuple(SPAN / 6e8))
    return drawn(
        "compute",
        seed=seed,
        of=of,
        k=1,
        problems=128,
        sampling=Fixed(1000),
        scatter=0.26,
        concentration=100.0,
        **FAR,
    ).counts()


def test_a_law_that_goes_far_beyond_what_counts_can_tell(drawn) -> None:
    """Models without a success say that -log pass@k is large, not how large: their law may be
    anywhere above.
    """
    errors = []
    for seed in range(3):
        counts = far_counts(drawn, 40 + seed)
        found = fit_passk(counts, k=[1]).fits[0]
        assert found.converged
        assert 30 < found.n_unsolved < 50
        ahead = found.prediction({"compute": SPAN[[0, -1]]})
        truth = np.log(FAR["E0"] + FAR["C0"] * SPAN[[0, -1]] ** -FAR["alpha"])
        errors.append((ahead.log_y - truth) / ahead.standard_error)
    assert np.abs(errors).max() < 3.5


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


def test_what_is_not_refused_is_refused_for_those_k_alone(compute_counts) -> None:
    laws = fit_passk(compute_counts, k=(1, 64, 65), method=SQUARES)
    assert laws.ks == (1, 64)
    assert list(laws.failed) == [65]
    assert "fewer than k samples" in laws.failed[65]
    with pytest.raises(
        ValueError, match=r"k=65: must be one of 1, 64, the k that were fitted: 0 models"
    ):
        laws.at(65)


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


def test_the_same_seed_gives_the_same(compute_laws, compute_counts, compute_squares) -> None:
    again = fit_passk(compute_counts, k=KS, resamples=40, seed=5)
    other = fit_passk(compute_counts, k=(10,), method=SQUARES, resamples=40, seed=6)
    for name in ("E0", "C0", "alpha"):
        assert (again.draws(name) == compute_laws.draws(name)).all()
        assert (again.values(name) == compute_laws.values(name)).all()
    assert (other.weights != compute_laws.weights).any()
    assert (compute_squares.weights == compute_laws.weights).all()


def test_predictions_are_the_laws(compute_laws, compute_counts) -> None:
    found = compute_laws.at(10)
    c, compute = found.coefficients, np.array([1e18, 1e21])
    expected = c["E0"] + c["C0"] * compute ** -c["alpha"]
    assert found.predict({"compute": compute}) == pytest.approx(expected, rel=1e-10)
    ahead = found.prediction({"compute": compute})
    assert ahead.neg_log == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("law", LAW_NAMES)
def test_standard_errors_are_those_of_the_resamples(drawn, law) -> None:
    counts = drawn(law, seed=17).counts()
    held = {name: np.median(counts.covariates[name]) for name in KINDS[law].covariates}
    found = fit_passk(counts, law=law, k=[10], resamples=80).fits[0]
    own = [found.law_of(dict(zip(found.coefficients, each, strict=True))) for each in found.drawn]
    at = [1.0 / held["gold"]] if law == "gold" else held.values()
    spread = np.log([float(one.loss(*at)) for one in own]).std()
    assert found.prediction(held).standard_error[0] == pytest.approx(spread, rel=0.5)


# -- what takes part -------------------------------------------------------------------------------


def test_models_without_covariates_are_counted(drawn) -> None:
    counts = drawn("compute", seed=16).counts()
    gold = counts.covariates["gold"].copy()
    gold[:4] = np.nan
    counts = replace(counts, covariates={**counts.covariates, "gold": gold})
    laws = fit_passk(counts, law="gold", k=[10])
    assert (laws.n_without_covariates, laws.at(10).size) == (4, 26)
    assert fit_passk(counts, law="compute", k=[10], method=SQUARES).n_without_covariates == 0
    alone = fit_passk(counts.subset(np.arange(4, 30)), law="gold", k=[10])
    assert alone.at(10).coefficients == pytest.approx(laws.at(10).coefficients, rel=1e-9)


def test_an_interrupt_keeps_what_is_done(compute_counts, monkeypatch) -> None:
    one = module.fit_at_k

    def stops(data, kind, index, method, weights):
        if index == 2:
            raise KeyboardInterrupt
        return one(data, kind, index, method, weights)

    monkeypatch.setattr(module, "fit_at_k", stops)
    laws = fit_passk(compute_counts, k=KS, method=SQUARES)
    assert laws.interrupted
    assert laws.ks == (1, 10)

    def at_once(*words):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "fit_at_k", at_once)
    with pytest.raises(KeyboardInterrupt):
        fit_passk(compute_counts, k=KS, method=SQUARES)


# -- what is refused -------------------------------------------------------------------------------


COMPUTES = np.geomspace(1e18, 1e22, 8)
ALL_WRONG, SOME, ALL_RIGHT = (
    counts_of(16, np.full((8, 5), c), compute=COMPUTES) for c in (0, 3, 16)
)


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


@pytest.mark.parametrize(
    ("method", "match"),
    [
        ("likelihood", "8 without a failure"),
        (SQUARES, r"pass@k of m0 is 1, so that log\(-log pass@k\) has no value"),
    ],
)
def test_no_failure_at_all_is_refused(method, match) -> None:
    with pytest.raises(ValueError, match=match):
        fit_passk(ALL_RIGHT, k=[4], method=method)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        *(({"k": k}, "^k=.* must be a whole number of at least 1") for k in ([0], [1.5], ["10"])),
        ({"k": [True]}, "^k=.* must be a whole number"),
        ({"k": []}, r"^k=\[\]: must be at least one whole number"),
        ({"resamples": -1}, "^resamples=-1: must be a whole number of at least 0"),
        ({"resamples": 2.5}, "^resamples=2.5: must be a whole number"),
        ({"seed": True}, "^seed=True: must be a whole number"),
    ],
)
def test_bad_arguments(options, match) -> None:
    with pytest.raises(ValueError, match=match):
        fit_passk(SOME, **({"k": [4]} | options))


def test_several_benchmarks(compute_counts) -> None:
    labels = tuple(("gsm8k" if g < 15 else "math", f"m{g}") for g in range(30))
    counts = replace(compute_counts, by=("benchmark", "model"), labels=labels)
    with pytest.raises(
        ValueError, match=r"holds 2 benchmarks \(gsm8k, math\); choose one with where"
    ):
        fit_passk(counts, k=[10])


def test_unknown_names(compute_counts, compute_laws) -> None:
    with pytest.raises(
        ValueError, match=r"^law='params': must be one of compute, params-tokens, gold"
    ):
        fit_passk(compute_counts, law="params", k=[10])
    with pytest.raises(
        ValueError, match=r"^method='huber': must be one of likelihood, least-squares-log"
    ):
        fit_passk(compute_counts, method="huber", k=[10])
    with pytest.raises(ValueError, match=r"^name='beta': the law .* has E0, C0, alpha"):
        compute_laws.values("beta")
    with pytest.raises(
        ValueError, match=r"^covariates=\['params'\]: must have compute for the law compute"
    ):
        compute_laws.at(10).prediction({"params": 1e9})
    with pytest.raises(ValueError, match=r"^compute=\[0.0\]: must be positive finite numbers"):
        compute_laws.at(10).prediction({"compute": [0.0]})


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
