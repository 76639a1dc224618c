"""What is shown of a result: every one prints, and has a table for notebooks, LaTeX and frames."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.data import grid_runs

import isoflop
from isoflop.numeric.law import Law
from isoflop.numeric.law.form import COMPUTE
from isoflop.theory.typeset.shown import Shown

LAW = Law(E=1.7, A=400.0, B=410.0, beta=0.34, gamma=0.28)


def own() -> Law:
    coefficients = {"E": 1.7, "A": 400.0, "B": 410.0, "b": 0.34, "g": 0.28}
    return isoflop.law_from_expression("E + A*N**-b + B*D**-g", coefficients)


RESULTS: dict[str, Callable[[], Any]] = {
    "law": lambda: LAW,
    "law of one's own": own,
    "compute law": lambda: Law(form=COMPUTE, E=1.7, C0=1000.0, alpha=0.15),
    "penalty": lambda: LAW.penalty(ratio=[0.1, 10.0]),
    "penalty of a run": lambda: LAW.penalty(params=8e9, tokens=15e12),
    "penalty of one's own law": lambda: own().penalty(10.0),
    "allocation": lambda: LAW.allocate(compute=[1e21, 1e24]),
    "allocation by one's own law": lambda: own().allocate(1e21),
    "fit": lambda: isoflop.fit(grid_runs(noise=0.003)),
    "proof": lambda: isoflop.prove("alpha == beta*gamma/(beta + gamma)"),
    "refutation": lambda: isoflop.prove("alpha == (beta + gamma)/2"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_shows_itself(name: str) -> None:
    result = RESULTS[name]()
    assert isinstance(result, Shown)
    assert str(result) != repr(result)
    for table in result.tables():
        assert table.html() in result._repr_html_()
        assert len(table) == len(table.to_frame())
    assert r"\begin{tabular}" in result.to_latex()
    assert len(result.to_frame()) > 0


@pytest.mark.parametrize("name", ["law", "penalty of a run", "allocation"])
def test_a_result_draws_itself_as_a_figure(name: str, tmp_path) -> None:
    pytest.importorskip("matplotlib").use("agg")
    RESULTS[name]().plot().savefig(tmp_path / "it.png")
