"""Simulated losses of a known law: training runs on isoFLOP budgets."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np

from ...theory.data.published import published
from ..errors import nonnegative_number, outside, whole_number
from ..law import law as law_named

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["LOSS_NOISE", "simulate_losses"]

#: Eight budgets (FLOP), the sizes on each as multiples of the optimal one, and D/N of one more run on
#: each.
BUDGETS = 10.0 ** (18.0 + 0.5 * np.arange(8))
SIZE_RATIOS = 10.0 ** (0.15 * np.arange(-5, 6))
TOKENS_PER_PARAM = 20.0
LOSS_NOISE = 0.004


def simulate_losses(
    *, seed: int = 0, law: str = "besiroglu2024", noise: float = LOSS_NOISE
) -> DataFrame:
    """96 training runs: eleven sizes on each of eight isoFLOP budgets, and a run at 20 tokens per
    parameter on each.

    Parameters
    ----------
    seed : int
        At least 0.
    law : str
        A published law of loss.
    noise : float
        The loss is that of the law times exp(noise z) with z standard normal; >= 0.

    Returns
    -------
    DataFrame
        params, tokens (whole numbers) and loss (nats per token, four decimals).

    Raises
    ------
    ValueError
        If an argument is outside its domain, or the law is not one of loss.

    Examples
    --------
    >>> simulate_losses(noise=0.0).loc[0].tolist()
    [14320815.0, 11638071139.0, 3.8147]
    """
    import pandas as pd

    truth, spread = law_named(law), nonnegative_number("noise", noise)
    if published(law).metric != "loss":
        raise outside("law", law, f"a law of loss; this is one of {published(law).metric}")
    random, budgets = Random(whole_number("seed", seed, 0)), BUDGETS[:, None]
    on_ray = np.sqrt(budgets / (6.0 * TOKENS_PER_PARAM))
    params = np.hstack([truth.envelope.params(budgets) * SIZE_RATIOS, on_ray]).ravel()
    tokens = np.repeat(BUDGETS, len(SIZE_RATIOS) + 1) / (6.0 * params)
    z = np.array([random.gauss(0.0, 1.0) for _ in params])
    with np.errstate(over="ignore"):
        loss = np.round(truth.loss(params, tokens) * np.exp(spread * z), 4)
    if not ((loss > 0.0) & np.isfinite(loss)).all():
        domain = "so small that every loss is above 0 in four decimals and finite"
        raise outside("noise", noise, domain)
    whole = {"params": params.round().astype(np.int64), "tokens": tokens.round().astype(np.int64)}
    return pd.DataFrame({**whole, "loss": loss})
