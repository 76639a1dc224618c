"""Simulated losses of a known law: training runs on isoFLOP budgets."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np

from ..errors import whole_number
from ..law import law as law_named

if TYPE_CHECKING:
    from pandas import DataFrame

#: The law, and the standard deviation of the logarithm of the loss about it.
LAW, LOSS_NOISE = "besiroglu2024", 0.004
#: Eight budgets (FLOP), the sizes on each as multiples of the optimal one, and D/N of one more run on
#: each.
BUDGETS = 10.0 ** (18.0 + 0.5 * np.arange(8))
SIZE_RATIOS = 10.0 ** (0.15 * np.arange(-5, 6))
TOKENS_PER_PARAM = 20.0


def simulate_losses(*, seed: int = 0) -> DataFrame:
    """96 training runs: eleven sizes on each of eight isoFLOP budgets, and a run at 20 tokens per
    parameter on each: params, tokens (whole numbers) and loss (nats per token, four decimals), that
    of `LAW` with normal errors of its logarithm.

    >>> simulate_losses().loc[0].tolist()
    [14320815.0, 11638071139.0, 3.8291]
    """
    import pandas as pd

    random, budgets = Random(whole_number("seed", seed, 0)), BUDGETS[:, None]
    truth, on_ray = law_named(LAW), np.sqrt(budgets / (6.0 * TOKENS_PER_PARAM))
    params = np.hstack([truth.envelope.params(budgets) * SIZE_RATIOS, on_ray]).ravel()
    tokens = np.repeat(BUDGETS, len(SIZE_RATIOS) + 1) / (6.0 * params)
    z = np.array([random.gauss(0.0, 1.0) for _ in params])
    loss = np.round(truth.loss(params, tokens) * np.exp(LOSS_NOISE * z), 4)
    whole = {"params": params.round().astype(np.int64), "tokens": tokens.round().astype(np.int64)}
    return pd.DataFrame({**whole, "loss": loss})
