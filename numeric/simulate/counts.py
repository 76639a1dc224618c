r"""Simulated counts of a known law: models, the distributions of their success rates, and samples.

Laws of pass@k that are chosen for every k contradict each other somewhere (the theorem
crossing_of_two_k). So every model has a distribution Beta(a, b) of success rates over problems,
from which pass@k follows for all k; `with_rates` finds the one that has a given pass@k at one k.
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

#: The sizes and token counts of nine models with nine checkpoints each.
SIZES = (1.4e7, 7e7, 1.6e8, 4.1e8, 1e9, 1.4e9, 2.8e9, 6.9e9, 1.2e10)
TOKENS = (2e6, 6.4e7, 5.12e8, 2e9, 6e9, 2e10, 6e10, 2e11, 3e11)
#: So many halvings of an interval of 736 leave less than one rounding error of its ends.
HALVINGS = 60
#: The design of `simulate_counts`, eight models with six token counts each, and its law of -log pass@1.
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
    """Models of every size with every token count: a frame of model (its name), params, tokens,
    compute = 6 N D (FLOP), and gold, the -log probability of the gold solutions (nats).

    gold = Eg + Gg C^-ag e^(scatter z) with z standard normal; the argument `gold` is (Eg, Gg, ag).
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
    """The models (G rows, as from `grid`) with `a` and `b` of Beta(a, b), the distribution of success
    rates over problems whose -log pass@k is `neg_log` (G,) > 0 at one k.

    `concentration` is a + b: the larger it is, the more alike are the success rates of problems.
    """
    from scipy.special import expit

    wanted, draws = positive_array("neg_log", neg_log), positive_number("k", k)
    total = positive_number("concentration", concentration)
    # Bisection in the logit of the mean rate a/(a + b).
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
    """Draw a success rate for each model with rates (see `with_rates`) and problem, then samples: a
    frame of model, problem, n_samples, n_correct, params, tokens, compute, gold.

    With `batch` a problem is sampled in batches of this size until it is solved `solved` times or
    has all `samples`, so that the number of samples depends on the outcome.

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
    random.random(shape)  # unused, and kept so that a seed gives the counts that it always gave
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
    """Draw counts of 48 models on 64 problems, each sampled in batches of 100 until it is solved twice
    or has 5,000 samples.

    -log pass@1 follows a params+tokens law, about which models scatter by 3 %; the success rates of
    a model over its problems follow a Beta distribution. A frame of model, problem, n_samples,
    n_correct, and params, tokens and gold of the model, the -log probability of the gold solutions
    in nats. `seeds` are those of the gold reference, of the models about the law, and of the samples.

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
