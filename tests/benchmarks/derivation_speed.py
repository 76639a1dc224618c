"""The whole two-term derivation with its proofs, against the import of SymPy."""

from __future__ import annotations

import statistics

from measuring import Ratio, seconds_of

REPEATS = 7
SLOWEST = 4.0
TIMED = """
import time
{before}
start = time.perf_counter()
{code}
print(time.perf_counter() - start)
"""
IMPORTS = """
from isoflop.theory.envelope import derive
from isoflop.theory.penalty import misallocation
"""
DERIVE = """
envelope = derive()
claims = [*envelope.claims.values(), *misallocation(envelope).claims.values()]
unproved = [claim.name for claim in claims if not claim.prove().proved]
assert len(claims) > 20 and not unproved, unproved
"""


def measure() -> list[Ratio]:
    codes = {
        "import sympy": TIMED.format(before="", code="import sympy"),
        "derivation and proofs": TIMED.format(before=IMPORTS, code=DERIVE),
        "derivation and proofs, imports included": TIMED.format(before="", code=IMPORTS + DERIVE),
    }
    seconds_of("import sympy; print(0)")  # fills the file cache
    seconds: dict[str, list[float]] = {name: [] for name in codes}
    for _ in range(REPEATS):
        for name, code in codes.items():
            seconds[name].append(seconds_of(code))
    found = {name: statistics.median(values) for name, values in seconds.items()}
    reference = found.pop("import sympy")
    return [Ratio(name, value, "import sympy", reference, SLOWEST) for name, value in found.items()]
