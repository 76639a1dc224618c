"""Tables of a known truth to try the other commands on: losses of training runs, and counts of
samples.

Evaluations of benchmarks are in `isoflop.numeric.simulate.evaluations`.
"""

from __future__ import annotations

import math
import random
from typing import Any

from ...theory.data.published import published
from ..errors import nonnegative_number, outside, whole_number
from ..law import law as law_named

__all__ = ["simulate_counts", "simulate_losses"]

#: Eight isoFLOP budgets (FLOP), the sizes on each as multiples of the optimal one, and the ratio of
#: one more run on each.
BUDGETS = tuple(10 ** (18 + 0.5 * step) for step in range(8))
SIZE_RATIOS = tuple(10 ** (0.15 * step) for step in range(-5, 6))
TOKENS_PER_PARAM = 20.0
LOSS_NOISE = 0.004
#: A loss times the exponential of a larger number is hardly a float.
LARGEST_LOG = 700.0

#: Eight models with six token counts each; -log pass@1 = E0 + N0 N^-beta + D0 D^-gamma.
SIZES = (7e7, 1.6e8, 4.1e8, 1e9, 2.8e9, 6.9e9, 1.2e10, 3.2e10)
TOKENS = (2e9, 6e9, 2e10, 6e10, 2e11, 6e11)
PASS_LAW = {"E0": 0.4, "N0": 2e4, "D0": 2e3, "beta": 0.5, "gamma": 0.3}
PROBLEMS = 64


def simulate_losses(
    *, seed: int = 0, law: str = "besiroglu2024", noise: float = LOSS_NOISE
) -> dict[str, list[Any]]:
    """96 training runs: eleven sizes on each of eight isoFLOP budgets, and a run at 20 tokens per
    parameter on each.

    Parameters
    ----------
    seed : int
        At least 0.
    law : str
        A published law of loss.
    noise : float
        Loss is that of the law times exp(noise z) with z standard normal; >= 0.

    Returns
    -------
    dict
        Columns ``params``, ``tokens`` (whole numbers) and ``loss`` (nats per token, four decimals).

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or the law is not one of loss.

    Examples
    --------
    >>> {name: column[:2] for name, column in simulate_losses(noise=0.0).items()}
    {'params': [14320815, 20228689], 'tokens': [11638071139, 8239123401], 'loss': [3.8147, 3.6961]}
    """
    truth, spread = law_named(law), nonnegative_number("noise", noise)
    if published(law).metric != "loss":
        raise outside("law", law, f"a law of loss; this is one of {published(law).metric}")
    generator = random.Random(whole_number("seed", seed, 0))
    columns: dict[str, list[Any]] = {"params": [], "tokens": [], "loss": []}
    for budget in BUDGETS:
        optimum = truth.allocate(compute=budget).params
        on_ray = math.sqrt(budget / (6.0 * TOKENS_PER_PARAM))
        runs = [(optimum * r, budget / (6.0 * optimum * r)) for r in SIZE_RATIOS]
        for params, tokens in (*runs, (on_ray, TOKENS_PER_PARAM * on_ray)):
            log_factor = spread * generator.gauss(0.0, 1.0)
            factor = math.exp(log_factor) if log_factor < LARGEST_LOG else math.inf
            loss = round(truth.loss(params, tokens) * factor, 4)
            if not 0.0 < loss < math.inf:
                domain = "so small that every loss is above 0 in four decimals and finite"
                raise outside("noise", noise, domain)
            for name, value in zip(columns, (round(params), round(tokens), loss), strict=True):
                columns[name].append(value)
    return columns


def simulate_counts(*, seeds: tuple[int, int, int] = (0, 1, 2)) -> dict[str, Any]:
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
    dict
        Columns ``model``, ``problem``, ``n_samples``, ``n_correct``, and of the model ``params``,
        ``tokens`` and ``gold``, the -log probability of the gold solutions in nats.

    Examples
    --------
    >>> table = simulate_counts()
    >>> len(table["model"]), table["model"][0], float(table["gold"][0])
    (3072, 'N7e+07_D2e+09', 181.683)
    """
    from .counts import Adaptive, grid, law_truth, simulate

    of_gold, of_models, of_samples = (whole_number("seeds", seed, 0) for seed in seeds)
    design = grid(SIZES, TOKENS, gold=(20.0, 1e4, 0.1), gold_scatter=0.02, rng=of_gold)
    truth = law_truth(
        design, "params-tokens", PASS_LAW, concentration=1.5, scatter=0.03, rng=of_models
    )
    sampling = Adaptive(batch=100, solved=2, most=5000)
    drawn = simulate(design, truth, problems=PROBLEMS, sampling=sampling, rng=of_samples)
    columns = drawn.columns()
    del columns["compute"]
    return columns | {"gold": columns["gold"].round(3)}
