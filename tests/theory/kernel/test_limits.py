"""Limits where SymPy is wrong or stumbles, and with a condition."""

import pytest
from sympy import Integer, Symbol, log, symbols

from isoflop.theory.kernel import limits
from isoflop.theory.kernel.answer import Answer
from isoflop.theory.kernel.limits import decide_limit

x, C = symbols("x C", positive=True)
E = Symbol("E", nonnegative=True)


def test_a_wrong_limit_of_sympy_is_stopped_by_points(monkeypatch) -> None:
    claim = (log(x) / (1 + log(x)), "->", Integer(2), x, "oo")
    assert decide_limit(*claim).refuted
    monkeypatch.setattr(limits, "limit_of_sympy", lambda *_: Integer(2))
    assert decide_limit(*claim).answer is Answer.UNDECIDED
    monkeypatch.setattr(limits, "limit_of_sympy", lambda *_: Integer(3))
    assert decide_limit(*claim[:2], Integer(1), *claim[3:]).answer is Answer.UNDECIDED


@pytest.mark.parametrize("error", [NotImplementedError, TypeError, RecursionError])
def test_where_sympy_stumbles_a_limit_is_undecided(monkeypatch, error) -> None:
    def stumble(*_: object) -> None:
        raise error

    monkeypatch.setattr(limits, "limit_of_sympy", stumble)
    assert decide_limit(log(x) / (1 + log(x)), "->", Integer(1), x, "oo").answer is Answer.UNDECIDED


def test_a_ratio_to_a_side_that_may_be_zero_has_its_condition() -> None:
    assert [str(c) for c in decide_limit(E + 1 / C, "~", E, C, "oo").conditions] == ["E > 0"]
