"""The whole two-term derivation with its proofs, against the import of SymPy."""

from __future__ import annotations

import statistics

from measuring import Ratio, seconds_of

REPEATS = 7
SLOWEST = 4.0

IMPORT = """
import time
start = time.perf_counter()
import sympy
print(time.perf_counter() - start)
"""

DERIVE = """
import time
{before}
start = time.perf_counter()
from isoflop.theory.envelope import derive
from isoflop.theory.penalty import misallocation
{between}
envelope = derive()
claims = [*envelope.claims.values(), *misallocation(envelope).claims.values()]
unproved = [claim.name for claim in claims if not claim.prove().proved]
assert len(claims) > 20 and not unproved, unproved
print(time.perf_counter() - start)
"""


def measure() -> list[Ratio]:
    import sympy  # noqa: F401 - fills the file cache

    cases = {
        "import sympy": IMPORT,
        "derivation and proofs": DERIVE.format(
            before="import sympy", between="start = time.perf_counter()"
        ),
        "derivation and proofs, imports included": DERIVE.format(before="", between=""),
    }
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(REPEATS):
        for name, code in cases.items():
            seconds[name].append(seconds_of(code))
    found = {name: statistics.median(values) for name, values in seconds.items()}
    reference = found.pop("import sympy")
    return [Ratio(name, value, "import sympy", reference, SLOWEST) for name, value in found.items()]
