"""The scalar command from a cold start, against the import of NumPy alone."""

from __future__ import annotations

import compileall
import sys
from functools import partial
from pathlib import Path

from measuring import Ratio, interleaved, median, printed_by

import isoflop

REPEATS = 15
SLOWEST = 1.5
EXPONENTS = ("penalty", "--law", "beta=.34", "gamma=.28", "--ratio", "10")
PUBLISHED = ("penalty", "--law", "besiroglu2024", "--ratio", "10")


def command() -> tuple[str, ...]:
    """The installed console script of this interpreter, or else the module."""
    script = Path(sys.executable).with_name("isoflop")
    return (str(script),) if script.exists() else (sys.executable, "-m", "isoflop")


def measure() -> list[Ratio]:
    for folder in ("", "cli", "numeric", "theory"):
        compileall.compile_dir(Path(isoflop.__file__).parent / folder, maxlevels=0, quiet=1)
    program = command()
    name = " ".join(Path(part).name for part in program)
    cases = {
        "import numpy": partial(printed_by, sys.executable, "-c", "import numpy"),
        "pass": partial(printed_by, sys.executable, "-c", "pass"),
        f"{name} {' '.join(EXPONENTS)}": partial(printed_by, *program, *EXPONENTS),
        f"{name} {' '.join(PUBLISHED)}": partial(printed_by, *program, *PUBLISHED),
    }
    interleaved(cases, 1)  # fills the file cache
    seconds = median(interleaved(cases, REPEATS))
    reference = seconds.pop("import numpy")
    return [
        Ratio(
            "python -c pass" if case == "pass" else case,
            value,
            "import numpy",
            reference,
            None if case == "pass" else SLOWEST,
        )
        for case, value in seconds.items()
    ]
