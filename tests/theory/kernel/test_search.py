"""The search for proofs of bounds: its reasons, and rules that stumble."""

import pytest
from sympy import log, symbols

from isoflop.theory.kernel import search
from isoflop.theory.kernel.search import why_positive

x, y, z, b, g = symbols("x y z beta gamma", positive=True)


@pytest.mark.parametrize("error", [TypeError, NotImplementedError, RecursionError, KeyError])
def test_a_rule_over_which_sympy_stumbles_proves_nothing(monkeypatch, error) -> None:
    def stumble(*claim: object) -> str:
        raise error

    e = x - 1 - log(x)
    assert why_positive(e, (), strict=False)
    monkeypatch.setattr(search, "along", stumble)
    assert why_positive(e, (), strict=False) == ""


def test_the_reason_names_the_argument_and_the_interval() -> None:
    reason = why_positive(x - 1 - log(x), (), strict=False)
    assert "x = 1" in reason
    assert "AM-GM" in why_positive(g * x**-b + b * x**g - b - g, (), strict=False)
