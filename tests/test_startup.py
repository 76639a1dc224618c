"""What a start of Python loads: the scalar path answers from the standard library alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[1] / "src"
HEAVY = ("numpy", "sympy", "scipy", "matplotlib", "pandas", "mpmath", "tqdm")
IMPORTS = (
    "import isoflop, isoflop.__main__, isoflop.theory; dir(isoflop)",
    "import isoflop.theory.data.published, isoflop.theory.data.notation",
    "from isoflop.numeric.results import Estimate; from isoflop.theory.typeset.table import Column,"
    " Table; Table([Column('x')], [{'x': Estimate(1.0, 0.8, 1.2, level=0.9)}]).text()",
)
MAIN = "from isoflop.__main__ import main; sys.exit(main({!r}.split()))"
COMMANDS = (
    "penalty --law beta=.34 gamma=.28 --ratio 10",
    "penalty --law besiroglu2024 --params 7B --tokens 1T --within 1%",
    "allocate --law besiroglu2024 --compute 1e24 --max-tokens 1T",
    "laws",
    "--version",
)

# A finder sees every attempt, also one inside try/except. -S: no site-packages, so nothing is
# loaded beforehand, and code that needed a third-party package would fail.
WATCH = """
import sys
class Watch:
    seen = []
    def find_spec(self, name, path=None, target=None):
        self.seen.append(name)
sys.meta_path.insert(0, Watch())
try:
    {code}
finally:
    print(*Watch.seen, file=sys.stderr)
"""


def requested(code: str) -> set[str]:
    """The modules that ``code`` asks for, in a fresh interpreter without third-party packages."""
    done = subprocess.run(
        [sys.executable, "-S", "-c", WATCH.format(code=code)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SRC)},
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


def test_the_watch_sees_what_is_loaded() -> None:
    code = "import dataclasses; exec('try: import numpy\\nexcept ImportError: pass')"
    assert {"dataclasses", "numpy"} <= requested(code)


@pytest.mark.parametrize("code", [*IMPORTS, *map(MAIN.format, COMMANDS)])
def test_start_loads_nothing_heavy(code: str) -> None:
    assert sorted(requested(code) & {*HEAVY, "importlib.metadata"}) == []


def test_every_export_is_there() -> None:
    import isoflop

    for name in isoflop.__all__:
        assert getattr(isoflop, name) is not None
        assert name in dir(isoflop)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        isoflop.nothing  # noqa: B018
