r"""Counts of a known truth: models, the distributions of their success rates, and how often they
were sampled.

Laws written down for every k contradict each other somewhere (isoflop.derivations.passk.
crossing_of_two_k). So every model has a distribution Beta(a, b) of success rates over problems, from
which pass@k follows for all k; `with_rates` finds it for the pass@k that is wanted at one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..arrays import positive_array
from ..errors import nonnegative_number, positive_number, whole_number
from ..passk.likelihood import beta_neg_log_pass

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from pandas import DataFrame

    Floats = NDArray[np.float64]

__all__ = ["PASS_LAW", "grid", "simulate", "simulate_counts", "with_rates"]

#: Sizes and token counts of nine models with nine checkpoints each.
SIZES = (1.4e7, 7e7, 1.6e8, 4.1e8, 1e9, 1.4e9, 2.8e9, 6.9e9, 1.2e10)
TOKENS = (2e6, 6.4e7, 5.12e8, 2e9, 6e9, 2e10, 6e10, 2e11, 3e11)
#: Halvings of an interval of 736 to less than one rounding error of its ends.
HALVINGS = 60
#: Of `simulate_counts`: eight models with six token counts each, and the law of -log pass@1.
EIGHT_SIZES = (7e7, 1.6e8, 4.1e8, 1e9, 2.8e9, 6.9e9, 1.2e10, 3.2e10)
SIX_TOKENS = (2e9, 6e9, 2e10, 6e10, 2e11, 6e11)
PASS_LAW = {"E0": 0.4, "N0": 2e4, "D0": 2e3, "beta": 0.5, "gamma": 0.3}


def grid(
    params: ArrayLike = SIZES,
    tokens: ArrayLike = TOKENS,
    *,
    gold: tuple[float, float, float] = (0.0, 2e4, 0.12),
    gold_scatter: float = 0.0,
    rng: np.random.Generator | int = 0,
) -> DataFrame:
    """Models, every size with every token count: model (its name), params, tokens, compute = 6 N D
    (FLOP), and gold, -log probability of the gold solutions (nats).

    gold = Eg + Gg C^-ag e^(scatter z) with z standard normal; the argument has Eg, Gg and ag.
    """
    import pandas as pd

    sizes, counts = positive_array("params", params), positive_array("tokens", tokens)
    N, D = (part.ravel() for part in np.meshgrid(sizes, counts, indexing="ij"))
    z = np.random.default_rng(rng).standard_normal(len(N))
    floor, coefficient, exponent = gold
    scatter = np.exp(nonnegative_number("gold_scatter", gold_scatter) * z)
    C = 6.0 * N * D
    names = [f"N{n:.3g}_D{d:.3g}" for n, d in zip(N, D, strict=True)]
    models = pd.DataFrame({"model": names, "params": N, "tokens": D, "compute": C})
    return models.assign(gold=floor + coefficient * C**-exponent * scatter)


def with_rates(
    models: DataFrame, neg_log: ArrayLike, *, k: float = 1, concentration: float = 2.0
) -> DataFrame:
    """Distributions of success rates whose -log pass@k is what is wanted, at one k.

    Parameters
    ----------
    models : DataFrame
        As of `grid`, G of them.
    neg_log : array_like
        (G,): -log pass@k, > 0.
    k : float
        > 0.
    concentration : float
        a + b > 0: success rates of different problems are alike where it is large.

    Returns
    -------
    DataFrame
        The models with `a` and `b`: success rates over their problems are Beta(a, b).
    """
    from scipy.special import expit

    wanted, draws = positive_array("neg_log", neg_log), positive_number("k", k)
    total = positive_number("concentration", concentration)
    # By bisection in the logit of the mean rate a/(a + b).
    low, high = np.full(wanted.shape, -700.0), np.full(wanted.shape, 36.0)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        found = beta_neg_log_pass(total * expit(middle), total * expit(-middle), draws)
        low, high = np.where(found > wanted, [middle, high], [low, middle])
    mean = expit(0.5 * (low + high))
    return models.assign(a=total * mean, b=total * (1.0 - mean))


def simulate(
    truth: DataFrame,
    *,
    problems: int = 128,
    samples: int = 128,
    batch: int | None = None,
    solved: int = 1,
    rng: np.random.Generator | int = 0,
) -> DataFrame:
    """Counts of a truth: success rates are drawn once per model and problem, then sampled.

    Parameters
    ----------
    truth : DataFrame
        As of `with_rates`.
    problems, samples : int
        Of every model, and of every problem.
    batch, solved : int, optional
        A problem is sampled in such batches until it is solved so many times, or has all samples:
        how many it has depends on the outcome. By default they are one batch.
    rng : numpy Generator or seed

    Returns
    -------
    DataFrame
        A row a model and problem: model, problem, n_samples, n_correct, params, tokens, compute,
        gold.

    Examples
    --------
    >>> models = grid()
    >>> truth = with_rates(models, 0.2 + 1e5 * models.compute**-0.25)
    >>> len(simulate(truth, problems=16, rng=1))
    1296
    """
    random, most = np.random.default_rng(rng), whole_number("samples", samples, 1)
    size, enough = whole_number("batch", batch or samples, 1), whole_number("solved", solved, 1)
    shape = (len(truth), whole_number("problems", problems, 1))
    a, b = truth[["a", "b"]].to_numpy().T[:, :, None]
    rates = random.beta(a, b, size=shape)
    random.random(shape)  # the counts of a seed have come after these since they were first drawn
    n, c = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    going = np.full(shape, True)
    while going.any():
        drawn = np.minimum(size, most - n[going])
        c[going] += random.binomial(drawn, rates[going])
        n[going] += drawn
        going = (n < most) & (c < enough)
    rows = truth.loc[truth.index.repeat(shape[1])].reset_index(drop=True)
    rows = rows.assign(
        problem=np.tile(np.arange(shape[1]), shape[0]), n_samples=n.ravel(), n_correct=c.ravel()
    )
    names = ["model", "problem", "n_samples", "n_correct", "params", "tokens", "compute", "gold"]
    return rows[names]


def simulate_counts(*, seeds: tuple[int, int, int] = (0, 1, 2)) -> DataFrame:
    """48 models on 64 problems that are sampled in batches of 100 until they are solved twice, or
    5,000 times.

    -log pass@1 follows a params+tokens law with 3 % scatter of models about it; success rates of a
    model's problems are Beta-distributed.

    Parameters
    ----------
    seeds : three ints
        Of the gold reference, of the models about the law, and of the samples.

    Returns
    -------
    DataFrame
        model, problem, n_samples, n_correct, and of the model params, tokens and gold, the -log
        probability of the gold solutions in nats.

    Examples
    --------
    >>> table = simulate_counts()
    >>> len(table), table.model[0], float(table.gold[0])
    (3072, 'N7e+07_D2e+09', 181.683)
    """
    of_gold, of_models, of_samples = (whole_number("seeds", seed, 0) for seed in seeds)
    models = grid(EIGHT_SIZES, SIX_TOKENS, gold=(20.0, 1e4, 0.1), gold_scatter=0.02, rng=of_gold)
    E0, N0, D0, beta, gamma = PASS_LAW.values()
    law = E0 + N0 * models.params**-beta + D0 * models.tokens**-gamma
    z = np.random.default_rng(of_models).standard_normal(len(models))
    truth = with_rates(models, law * np.exp(0.03 * z), concentration=1.5)
    rows = simulate(truth, problems=64, samples=5000, batch=100, solved=2, rng=of_samples)
    return rows.drop(columns="compute").round({"gold": 3})
