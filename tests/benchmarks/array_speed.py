"""The vectorised functions on ten million values, against what one would write by hand."""

from __future__ import annotations

from functools import partial

import numpy as np
from measuring import Ratio, best, interleaved
from numpy.typing import NDArray

from isoflop.numeric._generated import array

SIZE = 10_000_000
REPEATS = 7
BETA, GAMMA = 0.34, 0.28
HAND_BLOCKS = (8192, 16384, 32768, 65536, 131072, 262144)
SLOWEST, FASTER_THAN_LAMBDIFY = 1.25, 1.8
OTHERS = ("excess", "effective_compute", "lost_compute", "compute_overhead", "tokens_factor")

Floats = NDArray[np.float64]


def by_hand(r: Floats, out: Floats, block: int) -> None:
    """The penalty with in-place exp and log, one block at a time, without any check."""
    w_n, w_d = GAMMA / (BETA + GAMMA), BETA / (BETA + GAMMA)
    scratch = np.empty(block)
    for start in range(0, r.size, block):
        x, y = r[start : start + block], out[start : start + block]
        t = scratch[: x.size]
        np.log(x, out=t)
        np.multiply(t, GAMMA, out=y)
        np.exp(y, out=y)
        np.multiply(y, w_d, out=y)
        np.multiply(t, -BETA, out=t)
        np.exp(t, out=t)
        np.multiply(t, w_n, out=t)
        np.add(y, t, out=y)


def measure() -> list[Ratio]:
    from sympy import lambdify

    from isoflop.theory import symbols as sym
    from isoflop.theory.penalty import misallocation

    naive = lambdify((sym.SIZE_RATIO, sym.BETA, sym.GAMMA), misallocation().penalty, "numpy")
    r = np.exp(np.random.default_rng(0).uniform(-3.0, 3.0, SIZE))
    out = np.empty_like(r)
    hand = {f"by hand, blocks of {block}": partial(by_hand, r, out, block) for block in HAND_BLOCKS}
    others = {name: partial(getattr(array, f"{name}_at_size_ratio"), r, BETA, GAMMA, out=out) for name in OTHERS}
    seconds = best(
        interleaved(
            {
                **hand,
                "penalty, out=": partial(array.penalty_at_size_ratio, r, BETA, GAMMA, out=out),
                "penalty, fresh output": partial(array.penalty_at_size_ratio, r, BETA, GAMMA),
                "lambdify": partial(naive, r, BETA, GAMMA),
                **others,
            },
            REPEATS,
        )
    )
    best_hand = min(hand, key=lambda name: seconds[name])
    reference, plain = seconds[best_hand], seconds["lambdify"]
    ratios = [
        Ratio(name, seconds[name], against, divisor, target)
        for name, against, divisor, target in (
            ("penalty, out=", best_hand, reference, SLOWEST),
            ("penalty, fresh output", best_hand, reference, None),
            ("penalty, out=", "lambdify", plain, 1 / FASTER_THAN_LAMBDIFY),
            ("penalty, fresh output", "lambdify", plain, None),
        )
    ]
    return [*ratios, *(Ratio(f"{name}, out=", seconds[name], best_hand, reference) for name in OTHERS)]
