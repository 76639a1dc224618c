"""What the public methods of a law cost on a million values, against the same formula typed in
NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from measuring import Ratio, interleaved

from isoflop.numeric.law import Law

SIZE = 1_000_000
REPEATS = 9
TARGET = 1.5


def measure() -> list[Ratio]:
    law = Law(E=1.8172, A=482.01, B=2085.43, beta=0.3478, gamma=0.3658)
    rng = np.random.default_rng(0)
    N, D = 10 ** rng.uniform(7, 12, SIZE), 10 ** rng.uniform(9, 13, SIZE)
    C, r = 6 * N * D, 10 ** rng.uniform(-0.8, 1, SIZE)
    seconds = interleaved(cases(law, N, D, C, r), REPEATS, min)
    return [
        Ratio(name, seconds[name], "typed in NumPy", seconds[f"{name}, typed"], TARGET)
        for name in seconds
        if not name.endswith(", typed")
    ]


def cases(law: Law, N: Any, D: Any, C: Any, r: Any) -> dict[str, Callable[[], object]]:
    """Each call, and beside it what one would type instead, without any check or safe form."""
    E, A, B, b, g = law.numbers.values()
    w_n, w_d, alpha = g / (b + g), b / (b + g), b * g / (b + g)
    G = (b * A / (g * B)) ** (1 / (b + g))
    C0, rho, envelope = law.envelope.coefficient, r**-2, law.envelope

    def penalty(r: Any) -> Any:
        return w_n * r**-b + w_d * r**g

    def factor(r: Any) -> Any:
        return ((1 - w_n * r**-b) / w_d) ** (-1 / g)

    def excess_of_runs() -> Any:
        return (A * N**-b + B * D**-g) / (C0 * (6 * N * D) ** -alpha) - 1

    def figure(name: str) -> Callable[[], object]:
        return lambda: getattr(law.penalty(rho), name)

    pairs: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "loss": (lambda: law.loss(N, D), lambda: E + A * N**-b + B * D**-g),
        "reducible_loss": (lambda: law.reducible_loss(N, D), lambda: A * N**-b + B * D**-g),
        "envelope.params": (lambda: envelope.params(C), lambda: G * (C / 6) ** w_n),
        "envelope.tokens": (lambda: envelope.tokens(C), lambda: (C / 6) ** w_d / G),
        "envelope.loss": (lambda: envelope.loss(C), lambda: E + C0 * C**-alpha),
        "allocate": (lambda: law.allocate(C), lambda: (G * (C / 6) ** w_n, (C / 6) ** w_d / G)),
        "excess of runs": (lambda: law.penalty(params=N, tokens=D).excess, excess_of_runs),
    }
    typed: dict[str, Callable[[Any], object]] = {
        "loss_penalty": penalty,
        "excess": lambda r: penalty(r) - 1,
        "effective_compute": lambda r: penalty(r) ** (-1 / alpha),
        "lost_compute": lambda r: 1 - penalty(r) ** (-1 / alpha),
        "compute_overhead": lambda r: r * factor(r) - 1,
        "tokens_factor": factor,
    }
    for name, formula in typed.items():
        pairs[name] = (figure(name), lambda formula=formula: formula(rho**-0.5))  # type: ignore[misc]
    both: dict[str, Callable[[], object]] = {}
    with np.errstate(all="ignore"):
        for name, (ours, by_hand) in pairs.items():
            both |= {name: ours, f"{name}, typed": by_hand}
    return both
