"""How often `check` finds a law that does not fit, and how often it wrongs one that does.

Each world is drawn many times; printed are the shares of the verdicts, and of the sets in which the
law is found not to fit its runs. `python tests/studies/check_power.py --sets 100`
"""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
import pandas as pd
from tests.data import grid

from isoflop.numeric.check.runs import check as check_runs
from isoflop.numeric.law import Law

LAW = Law(E=1.8, A=480.0, B=2100.0, beta=0.35, gamma=0.37)
NOISE, VERDICTS = 0.003, ("consistent", "inconsistent", "cannot tell", "misfits")


def isoflop(random: Any) -> tuple[Any, Any]:
    """Eight budgets of seven sizes."""
    sizes, budgets = grid(np.geomspace(0.25, 4.0, 7), np.geomspace(1e18, 1e22, 8))
    params = sizes * LAW.envelope.params(budgets)
    return params, budgets / (6.0 * params)


def ladder(random: Any) -> tuple[Any, Any]:
    """Four sizes by four numbers of tokens."""
    return grid(np.geomspace(1e7, 1e9, 4), np.geomspace(1e9, 1e11, 4))


def scattered(random: Any) -> tuple[Any, Any]:
    """100 runs, their sizes and tokens drawn."""
    return 10 ** random.uniform(7.5, 10.0, 100), 10 ** random.uniform(9.0, 11.5, 100)


def repeated(params: Any, tokens: Any) -> Any:
    """3e9 unique tokens, repeated: eq. 5 of Muennighoff et al. 2023 with R = 5."""
    extra = 5.0 * 3e9 * (1.0 - np.exp(-(np.maximum(tokens / 3e9, 1.0) - 1.0) / 5.0))
    return LAW.loss(params, np.minimum(tokens, 3e9) + extra)


def hump(size: float) -> Callable[[Any, Any], Any]:
    """A hump in the loss about the middle of the compute."""

    def losses(params: Any, tokens: Any) -> Any:
        position = np.log(params * tokens)
        away = (position - np.median(position)) / 0.6
        return LAW.loss(params, tokens) * (1.0 + size * np.exp(-(away**2) / 2.0))

    return losses


def interaction(share: float) -> Callable[[Any, Any], Any]:
    """A term in log N log D, a share of the reducible loss at one standard deviation of both."""

    def losses(params: Any, tokens: Any) -> Any:
        x, y = ((np.log(z) - np.log(z).mean()) / np.log(z).std() for z in (params, tokens))
        loss = LAW.loss(params, tokens)
        return loss + share * (loss - LAW.E) * x * y

    return losses


def with_outliers(params: Any, tokens: Any) -> Any:
    """The law; 2 % of the runs, those that come to hand, lie 5 % above it."""
    loss = np.array(LAW.loss(params, tokens))
    loss[:: max(1, len(loss) // max(1, round(0.02 * len(loss))))] *= 1.05
    return loss


WORLDS = {
    "true law": LAW.loss,
    "2 % outliers": with_outliers,
    "repeated tokens": repeated,
    **{f"hump of {100 * size:g} %": hump(size) for size in (0.005, 0.01, 0.02)},
    **{f"interaction, {100 * share:g} %": interaction(share) for share in (0.01, 0.03)},
}


def verdict(design: Any, losses: Any, draws: int, seed: int) -> dict[str, Any]:
    """The verdict on random runs, and whether the law is found not to fit them."""
    random = np.random.default_rng(seed)
    params, tokens = design(random)
    loss = losses(params, tokens) * np.exp(NOISE * random.standard_normal(len(params)))
    result = check_runs({"params": params, "tokens": tokens, "loss": loss}, draws=draws, seed=seed)
    misfit = result.lack_of_fit
    return {result.verdict: 1, "misfits": misfit is not None and misfit.matters(result.tolerance)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--draws", type=int, default=100)
    designs = {design.__name__: design for design in (isoflop, ladder, scattered)}
    parser.add_argument("--designs", nargs="+", choices=designs, default=[*designs])
    asked = parser.parse_args()
    for design in asked.designs:
        for name, losses in WORLDS.items():
            one = partial(verdict, designs[design], losses, asked.draws)
            found = pd.DataFrame([one(seed) for seed in range(asked.sets)], columns=VERDICTS)
            print(design, name, found.fillna(0).mean().round(2).to_dict(), flush=True)
