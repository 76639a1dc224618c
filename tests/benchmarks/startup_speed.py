"""The scalar command from a cold start, against the import of NumPy alone."""

from __future__ import annotations

import compileall
import statistics
import sys
from functools import partial
from pathlib import Path

from measuring import Ratio, interleaved, printed_by

import isoflop

REPEATS = 15
SLOWEST = 1.5
LAWS = {"exponents": ("beta=.34", "gamma=.28"), "published": ("besiroglu2024",)}


def measure() -> list[Ratio]:
    for folder in ("", "cli", "numeric", "theory"):
        compileall.compile_dir(Path(isoflop.__file__).parent / folder, maxlevels=0, quiet=1)
    script = Path(sys.executable).with_name("isoflop")
    program = (str(script),) if script.exists() else (sys.executable, "-m", "isoflop")
    cases = {
        name: partial(printed_by, *program, "penalty", "--law", *law, "--ratio", "10")
        for name, law in LAWS.items()
    }
    cases["import numpy"] = partial(printed_by, sys.executable, "-c", "import numpy")
    interleaved(cases, 1, min)  # fills the file cache
    seconds = interleaved(cases, REPEATS, statistics.median)
    reference = seconds.pop("import numpy")
    return [
        Ratio(f"isoflop penalty, {case}", value, "import numpy", reference, SLOWEST)
        for case, value in seconds.items()
    ]
