"""Every theorem file proves itself, on every path."""

from importlib import import_module
from pathlib import Path

import pytest

from isoflop.derivations import NAMES


def test_every_file_is_listed():
    folder = Path(str(import_module("isoflop.derivations").__file__)).parent
    assert {path.stem for path in folder.glob("*.py")} - {"__init__"} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_step_holds_on_every_path(name):
    derivation = import_module(f"isoflop.derivations.{name}").derivation()
    assert derivation.name == name
    assert derivation.title
    assert derivation.assumptions
    assert derivation.source
    failures = [(v.claim.name, str(v.exact), v.pointwise.detail) for v in derivation.verify() if not v.holds]
    assert not failures
    assert derivation.status == "proved"


@pytest.mark.parametrize("name", NAMES)
def test_status_is_computed_from_the_steps(name):
    from dataclasses import replace

    derivation = import_module(f"isoflop.derivations.{name}").derivation()
    step = next(step for step in derivation.steps if step.relation == "==")
    broken = replace(step, rhs=2 * step.rhs + 1)
    assert replace(derivation, steps=(*derivation.steps, broken)).status != "proved"
