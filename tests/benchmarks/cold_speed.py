"""Cold starts: the scalar command against the import of NumPy, and the whole two-term derivation with
its proofs against that of SymPy.
"""

from __future__ import annotations

import compileall
import statistics
import sys
from functools import partial
from pathlib import Path

from measuring import Ratio, interleaved, printed_by

import isoflop

REPEATS = 11
SLOWEST = {"import numpy": 1.5, "import sympy": 4.0}
LAWS = {"exponents": ("beta=.34", "gamma=.28"), "published": ("besiroglu2024",)}
DERIVE = """
from isoflop.theory.envelope import derive
from isoflop.theory.penalty import misallocation
envelope = derive()
claims = [*envelope.claims.values(), *misallocation(envelope).claims.values()]
unproved = [claim.name for claim in claims if not claim.prove().proved]
assert len(claims) > 20 and not unproved, unproved
"""


def measure() -> list[Ratio]:
    for folder in ("", "cli", "numeric", "theory"):
        compileall.compile_dir(Path(isoflop.__file__).parent / folder, maxlevels=0, quiet=1)
    script = Path(sys.executable).with_name("isoflop")
    program = (str(script),) if script.exists() else (sys.executable, "-m", "isoflop")
    cases = {
        f"isoflop penalty, {name}": partial(
            printed_by, *program, "penalty", "--law", *law, "--ratio", "10"
        )
        for name, law in LAWS.items()
    }
    codes = {"derivation and proofs": DERIVE, **{code: code for code in SLOWEST}}
    cases |= {name: partial(printed_by, sys.executable, "-c", x) for name, x in codes.items()}
    interleaved(cases, 1, min)  # fills the file cache
    seconds = interleaved(cases, REPEATS, statistics.median)
    against = {name: "import sympy" if "proofs" in name else "import numpy" for name in cases}
    return [
        Ratio(name, seconds[name], x, seconds[x], SLOWEST[x])
        for name, x in against.items()
        if name not in SLOWEST
    ]
