"""Random fits of the params+tokens law: laws, designs, noise and objectives over wide ranges, from
a seed.
"""

from dataclasses import dataclass

import numpy as np
from tests.data import grid

from isoflop.numeric.fit.objective import OBJECTIVES, Objective

DESIGNS = ("grid", "isoflop", "cloud", "rays", "few sizes")
NOISES = ("normal", "heavy tails", "outliers")


@dataclass(frozen=True)
class Problem:
    """Runs and the objective to fit them by."""

    seed: int
    params: np.ndarray
    tokens: np.ndarray
    loss: np.ndarray
    objective: Objective
    design: str
    noise: str


def _design(kind, rng):
    low_n, low_d = 10 ** rng.uniform(6, 9), 10 ** rng.uniform(8, 10)
    decades_n, decades_d = rng.uniform(0.7, 3.5, size=2)
    if kind == "grid":
        sizes = low_n * 10 ** np.linspace(0, decades_n, rng.integers(4, 12))
        return grid(sizes, low_d * 10 ** np.linspace(0, decades_d, rng.integers(4, 12)))
    if kind == "isoflop":
        budgets = 6 * low_n * low_d * 10 ** np.linspace(0, rng.uniform(1.5, 5), rng.integers(3, 10))
        ratios = 10 ** np.linspace(-0.5, 0.5, rng.integers(5, 15)) * rng.uniform(0.5, 2)
        n = (np.sqrt(budgets / 6 / 20)[:, None] * ratios).ravel()
        return n, np.repeat(budgets, len(ratios)) / (6 * n)
    if kind == "cloud":
        count = rng.integers(15, 400)
        n = low_n * 10 ** rng.uniform(0, decades_n, count)
        return n, low_d * 10 ** rng.uniform(0, decades_d, count)
    if kind == "rays":
        ratios = 10 ** rng.uniform(0.5, 3, size=rng.integers(2, 6))
        sizes = low_n * 10 ** np.linspace(0, decades_n, rng.integers(5, 15))
        n = np.repeat(sizes, len(ratios))
        return n, n * np.tile(ratios, len(sizes))
    sizes = low_n * 10 ** rng.uniform(0, decades_n, size=3)
    return grid(sizes, low_d * 10 ** np.linspace(0, decades_d, rng.integers(8, 40)))


def _noise(kind, size, rng):
    sigma = 10 ** rng.uniform(-4, -1)
    if kind == "normal":
        return sigma * rng.normal(size=size)
    if kind == "heavy tails":
        return np.clip(sigma * rng.standard_t(2, size=size), -1, 1)
    outlier = rng.uniform(size=size) < 0.07
    small = sigma * rng.normal(size=size)
    return small + outlier * np.abs(rng.normal(size=size)) * rng.uniform(0.02, 0.3)


def problem(seed):
    """The problem of a seed."""
    rng = np.random.default_rng([2026, seed])
    kind, noise = DESIGNS[seed % len(DESIGNS)], NOISES[rng.integers(len(NOISES))]
    n, d = _design(kind, rng)
    beta, gamma = np.exp(rng.uniform(np.log(0.05), np.log(1.2), size=2))
    E = rng.choice([0.0, rng.uniform(0.05, 3.0)], p=[0.15, 0.85])
    scale, share = 10 ** rng.uniform(-1, 0.7), rng.uniform(0.05, 0.95)
    terms = share * (n / np.median(n)) ** -beta + (1 - share) * (d / np.median(d)) ** -gamma
    name = OBJECTIVES[rng.integers(len(OBJECTIVES))]
    delta = 10 ** rng.uniform(-4, -1.5) if rng.uniform() < 0.5 else 1e-3
    loss = (E + scale * terms) * np.exp(_noise(noise, len(n), rng))
    return Problem(seed, n, d, loss, Objective(name=name, delta=delta), kind, noise)
