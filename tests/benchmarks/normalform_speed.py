"""How long one decision of the normal form takes, as a share of `import sympy` in the same run."""

from __future__ import annotations

import sys
import time
from importlib import import_module
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

from measuring import Ratio, seconds_of

SEED = 11
RANDOM_PAIRS = 60
REPEATED_IMPORTS = 3
TIMED_IMPORT = (
    "import time; start = time.perf_counter(); import sympy; print(time.perf_counter() - start)"
)
AT_MOST = 0.5


def import_seconds() -> float:
    """Median of fresh processes that import SymPy."""
    return median(seconds_of(TIMED_IMPORT) for _ in range(REPEATED_IMPORTS))


def rewriting() -> ModuleType:
    """The generator of random identities that the tests use."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    return import_module("tests.theory.rewriting")


def decision_seconds() -> dict[str, list[float]]:
    """The time of each decision: the claims of the theory, random true identities and random false
    ones.
    """
    from isoflop.theory.envelope import derive
    from isoflop.theory.kernel import decide
    from isoflop.theory.penalty import misallocation

    envelope = derive()
    claims = [*envelope.claims.values(), *misallocation(envelope).claims.values()]
    random = rewriting()
    pairs: dict[str, Any] = {
        "claims": [
            (claim.lhs, claim.rhs, claim.assume) for claim in claims if claim.relation == "=="
        ],
        "true": [(*pair, ()) for pair in _sympy_pairs(random, random.true_identities(SEED, []))],
        "false": [(*pair, ()) for pair in _sympy_pairs(random, random.false_identities(SEED, []))],
    }
    seconds: dict[str, list[float]] = {}
    for name, decisions in pairs.items():
        seconds[name] = []
        for left, right, assume in decisions:
            start = time.perf_counter()
            decide(left, right, assume=assume)
            seconds[name].append(time.perf_counter() - start)
    return seconds


def _sympy_pairs(random: ModuleType, pairs: object) -> list[tuple[object, ...]]:
    return [
        tuple(random.to_sympy(side, evaluated=True) for side in pair)
        for pair in random.take(pairs, RANDOM_PAIRS)
    ]


def measure() -> list[Ratio]:
    """The median decision; the slowest and the kinds are reported alone."""
    reference, seconds = import_seconds(), decision_seconds()
    every = [value for values in seconds.values() for value in values]
    medians = {f"median decision, {name}": median(values) for name, values in seconds.items()}
    return [
        Ratio("median decision", median(every), "import sympy", reference, AT_MOST),
        *(
            Ratio(name, value, "import sympy", reference)
            for name, value in (medians | {"slowest decision": max(every)}).items()
        ),
    ]
