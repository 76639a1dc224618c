"""Fixtures for every test: the public runs, the command line in this process, hypothesis profiles."""

import io
import os
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import hypothesis
import pytest

ROOT = Path(__file__).resolve().parents[1]
IN_CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}

# No deadline: the first example pays for imports. Derandomised in CI, where a
# red build should be about the change under test.
hypothesis.settings.register_profile("local", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if IN_CI else "local")


class Outcome(NamedTuple):
    """What one run of the command line left behind."""

    code: int
    out: str
    err: str


def isoflop(*argv: object) -> Outcome:
    """Run ``isoflop ARGS...`` in this process."""
    from isoflop.__main__ import main

    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(word) for word in argv])
    return Outcome(code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="session")
def run_cli() -> Callable[..., Outcome]:
    """Run ``isoflop ARGS...`` in this process."""
    return isoflop


@pytest.fixture(scope="session")
def public_runs() -> Path:
    """The folder of public training runs: ``$ISOFLOP_PUBLIC_RUNS``, by default ``../shared/data``."""
    folder = Path(os.environ.get("ISOFLOP_PUBLIC_RUNS") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        reason = f"no public runs at {folder}: set ISOFLOP_PUBLIC_RUNS to their folder"
        if IN_CI:
            pytest.fail(reason)
        pytest.skip(reason)
    return folder
