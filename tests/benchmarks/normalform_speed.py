"""How long one decision of the normal form takes, as a share of `import sympy` in the same run."""

from __future__ import annotations

import sys
import time
from importlib import import_module
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

from measuring import printed_by

SEED = 11
RANDOM_PAIRS = 60
REPEATED_IMPORTS = 3
TIMED_IMPORT = (
    "import time; start = time.perf_counter(); import sympy; print(time.perf_counter() - start)"
)
AT_MOST = 0.5


def import_seconds() -> float:
    """Median of fresh processes that import SymPy."""
    return median(printed_by(TIMED_IMPORT) for _ in range(REPEATED_IMPORTS))


def rewriting() -> ModuleType:
    """The generator of random identities that the tests use."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    return import_module("tests.theory.rewriting")


def decision_seconds() -> dict[str, list[float]]:
    """The time of each decision: the claims of the theory, random true identities and random false
    ones.
    """
    from isoflop.theory.algebra import decide
    from isoflop.theory.envelope import derive
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


def measure() -> dict[str, float]:
    """Medians in seconds, and their ratio to the import; `ratio` is to be at most one half."""
    sympy_import = import_seconds()
    seconds = decision_seconds()
    everything = [value for values in seconds.values() for value in values]
    return {
        "import_sympy": sympy_import,
        "decisions": float(len(everything)),
        **{f"median_{name}": median(values) for name, values in seconds.items()},
        "median_decision": median(everything),
        "slowest_decision": max(everything),
        "ratio": median(everything) / sympy_import,
        "at_most": AT_MOST,
    }


def main() -> None:
    figures = measure()
    print(f"import sympy      {1e3 * figures['import_sympy']:8.1f} ms")
    for name in ("claims", "true", "false"):
        print(f"decision, {name:7} {1e3 * figures[f'median_{name}']:8.1f} ms (median)")
    print(
        f"slowest decision  {1e3 * figures['slowest_decision']:8.1f} ms of "
        f"{figures['decisions']:.0f}"
    )
    print(
        f"median decision / import sympy = {figures['ratio']:.3f} (to be at most "
        f"{figures['at_most']})"
    )


if __name__ == "__main__":
    main()
