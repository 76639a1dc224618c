"""The table of penalties on a page: its numbers, its headings, and which run is which."""

import re
from typing import Any

import pytest

from isoflop.numeric.law import Law, law
from isoflop.numeric.law.tables import FIGURES, intervals_of, penalty_table
from isoflop.theory.typeset.table import Column, Table

BESIROGLU, HOFFMANN = law("besiroglu2024"), law("hoffmann2022")
RUNS: dict[str, Any] = {"params": [8e9, 4.05e11], "tokens": [1.5e13, 1.56e13]}
SCALES = {"B": 1e9, "T": 1e12}


def page(notation: str = "schaeffer", **allocations: Any) -> Table:
    laws = (BESIROGLU, HOFFMANN)
    costs = [cost for chosen in laws for cost in chosen.penalty(**allocations).rows()]
    return penalty_table(costs, notation=notation, aligned=True)


def number(cell: str) -> float:
    """The number in a cell of a LaTeX table."""
    match = re.fullmatch(
        r"\$?(?P<mantissa>-?[\d.]*)(?P<times> \\times )?(?:10\^\{(?P<power>-?\d+)\})?"
        r"(?P<suffix>[BT])?(?P<percent>\\,\\%)?\$?",
        cell,
    )
    assert match is not None, cell
    value = float(match["mantissa"] or 1) * 10.0 ** int(match["power"] or 0)
    return value * SCALES.get(match["suffix"], 1.0) * (0.01 if match["percent"] else 1.0)


def cells(text: str) -> list[list[str]]:
    lines = [line.removesuffix(r" \\").split(" & ") for line in text.splitlines()]
    return [line for line in lines if len(line) > 1][1:]


@pytest.mark.parametrize(
    "allocations", [{"ratio": [0.1, 1.0001, 5, 1e6]}, RUNS], ids=["ratios", "runs"]
)
def test_the_page_holds_the_numbers(allocations: dict[str, Any]) -> None:
    table = page(**allocations)
    costs = [
        cost for chosen in (BESIROGLU, HOFFMANN) for cost in chosen.penalty(**allocations).rows()
    ]
    rows = cells(table.latex())
    assert len(rows) == len(costs)
    for row, cost in zip(rows, costs, strict=True):
        shown = [column for column in table.columns if column.only != "data"]
        assert row[0] == cost.law.name
        for cell, column in zip(row[1:], shown[1:], strict=True):
            exact = float(getattr(cost, column.key)) * (100 if column.head().endswith("(%)") else 1)
            unit = 10.0 ** -len(cell.partition(".")[2]) if cell.replace(".", "").isdigit() else 0.0
            if cell == "never":
                assert exact == float("inf")
            elif ">" in cell:
                assert 0.9995 <= exact < 1.0
            else:
                assert number(cell) == pytest.approx(exact, rel=6e-3, abs=unit / 2), column.key


def test_several_laws_have_a_column_of_their_names() -> None:
    text = page(**RUNS).latex()
    heading = next(line for line in text.splitlines() if "$N$" in line)
    assert heading.startswith("law & $N$ & $D$ & ")
    assert "besiroglu2024 & 8B & 15T & " in text
    assert "hoffmann2022 & 405B & 15.6T & " in text


def test_a_column_has_the_same_decimals_in_all_rows() -> None:
    rows = cells(page(**RUNS).latex())
    for column in list(zip(*rows, strict=True))[6:]:
        decimals = {len(cell.partition(".")[2]) for cell in column if cell != "never"}
        assert len(decimals) == 1, column


def test_numbers_far_apart_have_a_power_of_ten_each() -> None:
    text = page(ratio=[1.0001, 1e-9]).latex()
    assert r"\times 10^{" in text
    assert not re.search(r"\d{7}", text)


def test_a_share_just_below_the_whole_is_not_the_whole() -> None:
    cost = BESIROGLU.penalty(ratio=1e12)
    assert 0.9995 < cost.lost_compute < 1.0
    (cell,) = (row[5] for row in cells(penalty_table([cost], aligned=True).latex()))
    assert not cell.startswith("100")


def test_headings_are_in_the_notation() -> None:
    assert "$N/N^{*}$" in page(ratio=[2.0]).latex()
    assert r"$N/N_{\mathrm{opt}}$" in page("hoffmann", ratio=[2.0]).latex()


def test_a_law_without_E_has_no_loss() -> None:
    bare = Law(A=482.01, B=2085.43, beta=0.3478, gamma=0.3658)
    table = penalty_table([bare.penalty(params=8e9, tokens=1e12)])
    assert "loss" not in [column.key for column in table.columns if column.only != "data"]


@pytest.mark.parametrize("run", [{"ratio": 2.0}, {"params": 8e9, "tokens": 1e12}])
def test_a_column_is_one_line_for_every_format(
    run: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    column = Column("added", "one more", "{N}^2", of=lambda cost: 42.0 * cost.loss_penalty)
    monkeypatch.setitem(FIGURES, "added", (column, ["ratios", "runs"]))
    cost = BESIROGLU.penalty(**run)
    table = penalty_table([cost])
    for text in (table.text(), table.html()):
        assert "one more" in text
    assert "$N^2$" in table.latex()
    (record,) = penalty_table([cost]).records()
    assert record["added"] == cost.to_frame()["added"][0] == 42.0 * cost.loss_penalty
    assert intervals_of(cost) == {}


def test_a_column_has_its_interval_where_the_law_has_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    column = Column("added", "one more", of=lambda cost: 42.0 * cost.loss_penalty)
    monkeypatch.setitem(FIGURES, "added", (column, ["ratios"]))
    draws = [(beta, beta + 0.02) for beta in (0.3, 0.33, 0.36)]
    betas, gammas = zip(*draws, strict=True)
    drawn = Law(beta=0.34, gamma=0.36, draws={"beta": betas, "gamma": gammas})
    penalties = sorted(42.0 * Law(beta=b, gamma=c).penalty(10.0).loss_penalty for b, c in draws)
    ends = intervals_of(drawn.penalty(10.0))["intervals"]["added"]
    assert penalties[0] <= ends["low"] < penalties[1] < ends["high"] <= penalties[2]
