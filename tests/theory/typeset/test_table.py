"""One table in every form: the expected texts were written by hand."""

import json
import math
from pathlib import Path

import pytest
from tests.theory.documents import compiled

from isoflop.numeric.results import Estimate
from isoflop.theory.typeset.numbers import Interval, Percent, Places, Significant
from isoflop.theory.typeset.table import RULE, Column, Subheading, Table

ENDS = Interval(Significant(2))
LAW = Column("law", align="left")
BETA = Column("beta", latex=r"$\beta$", format=Significant(3))
BETA_INTERVAL = Column("beta", "90 %\ninterval", show="interval", interval=ENDS)
LOST = Column("lost", "lost\ncompute", format=Percent())
ROWS = (
    {"law": "hoffmann2022", "beta": Estimate(0.3478, 0.31, 0.39, 0.02), "lost": 0.2079},
    {"law": "besiroglu2024", "beta": Estimate(0.3658, undetermined=True), "lost": math.inf},
    {"law": "kaplan2020", "beta": 0.076, "lost": None},
)
TABLE = Table(
    (LAW, BETA, BETA_INTERVAL, LOST), ROWS, title="Laws", notes=("lost: share of the budget",)
)


def test_text() -> None:
    assert TABLE.text().split("\n") == [
        "Laws",
        "                                     90 %     lost",
        "law                    beta      interval  compute",
        "-" * 50,
        "hoffmann2022          0.348  [0.31, 0.39]   20.8 %",
        "besiroglu2024  undetermined             -    never",
        "kaplan2020           0.0760             -        -",
        "lost: share of the budget",
    ]


def test_latex() -> None:
    assert TABLE.latex().split("\n") == [
        r"% needs \usepackage{booktabs}",
        r"\begin{tabular}{@{}lrrr@{}}",
        r"\toprule",
        r"law & $\beta$ & 90 \% interval & lost compute \\",
        r"\midrule",
        r"hoffmann2022 & 0.348 & $[0.31,\ 0.39]$ & $20.8\,\%$ \\",
        r"besiroglu2024 & undetermined & --- & never \\",
        r"kaplan2020 & 0.0760 & --- & --- \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_records_are_plain_json_and_the_frame_keeps_infinite_numbers() -> None:
    first, second, third = TABLE.records()
    numbers = {"beta": 0.3478, "beta_low": 0.31, "beta_high": 0.39, "lost": 0.2079}
    assert first == {"law": "hoffmann2022", **numbers}
    assert (second["beta_low"], second["lost"], third["lost"]) == (None, None, None)
    json.dumps(TABLE.records(), allow_nan=False)
    frame = TABLE.to_frame()
    assert frame.columns.tolist() == ["law", "beta", "beta_low", "beta_high", "lost"]
    assert frame["lost"][1] == math.inf


def test_records_under_other_keys_and_of_columns_for_the_page_or_for_data_alone() -> None:
    columns = [
        Column("beta", keys=("b", "", "", "b_se")),
        Column("n", only="data"),
        Column("n", "runs", only="page", of=lambda row: "many"),
    ]
    table = Table(columns, [{"beta": Estimate(0.3478, 0.31, 0.39, 0.02), "n": 3}])
    assert table.records() == [{"b": 0.3478, "b_se": 0.02, "n": 3}]
    assert table.lines()[0] == "  beta  runs"
    for text in (table.html(), table.latex()):
        assert "many" in text
    assert Table(columns[:1], [{"beta": None}]).records() == [{"b": None, "b_se": None}]


def test_html_is_escaped() -> None:
    hostile = "<script>alert('1')</script> & \"more\""
    table = Table([Column("run", hostile)], [{"run": hostile}, Subheading(hostile)], title=hostile)
    assert "<script>" not in table.html()
    assert table.html().count("&lt;script&gt;") == 4


def test_text_is_made_printable_and_a_table_may_have_no_rows() -> None:
    assert Table([LAW], [{"law": "a\x1b[2J"}]).lines()[-1] == r"a\x1b[2J"
    assert Table([LAW, BETA], []).text() == "law  beta\n---------"


def test_rules_and_subheadings() -> None:
    columns = (LAW, Column("low", format=Places(1)), Column("high", format=Places(1)))
    row = {"law": "a", "low": 1.0, "high": 2.0}
    table = Table(columns, [Subheading("first"), row, RULE, row])
    cells, rule = "a    1.0   2.0", "-" * 14
    assert table.lines() == ["law  low  high", rule, "first", cells, rule, cells]
    assert len(table) == len(table.records()) == 2
    assert r"\multicolumn{3}{@{}l@{}}{first} \\" in table.latex()


@pytest.mark.parametrize(
    ("entry", "show", "text"),
    [
        (Estimate(0.5, 0.4, math.inf, 0.05, at_limit=("low",)), "all", "0.50 [<0.40, inf]"),
        (Estimate(0.5, 0.4, 0.6, 0.05), "error", "0.050"),
        (Estimate(0.5), "all", "0.50"),
        (Estimate(0.5, 0.0, 0.7, at_most=True), "interval", "at most 0.70"),
        (Estimate(0.5, undetermined=True), "all", "undetermined"),
        (True, "value", "yes"),
        (12345678, "value", "12345678"),
        (0.5, "interval", "-"),
    ],
)
def test_parts_of_an_estimate(entry, show, text) -> None:
    column = Column("x", show=show, format=Significant(2), interval=ENDS)
    assert column.cell({"x": entry}) == text


def test_latex_compiles(tmp_path: Path) -> None:
    hostile = {
        "law": "a_b & 50 % {x} ^ ~ \\ < > | # $",
        "beta": Estimate(1e12, -math.inf, 2e12),
        "lost": 2e7,
    }
    table = Table(TABLE.columns, [Subheading("m_1"), *ROWS, RULE, hostile], "50 %", TABLE.notes)
    head = r"\documentclass{article}\usepackage{booktabs}\begin{document}"
    assert compiled(tmp_path, f"{head}\n{table.latex()}\n\\end{{document}}\n")
