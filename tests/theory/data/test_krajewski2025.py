"""The tables of Krajewski et al. 2025 against the text of the paper and, the list of runs, against
its public transcript.
"""

from collections import Counter
from itertools import takewhile
from pathlib import Path

import pytest

from isoflop.theory.data import krajewski2025 as printed
from isoflop.theory.data.krajewski2025 import C4, COLUMNS, MIXTURE, RUNS
from isoflop.theory.data.published import compute_counterparts


@pytest.fixture(scope="module")
def paper(public_runs: Path) -> str:
    path = public_runs.parent / "papers" / "krajewski2025-downstream-metrics.txt"
    if not path.is_file():
        pytest.skip(f"no text of the paper at {path}")
    return path.read_text(encoding="utf-8")


def lines(paper: str, number: int) -> list[list[str]]:
    """Heading and rows of a table, in words: from its caption to what follows it."""
    after = paper.partition(f"\nTable {number}: ")[2].partition("\n\n")[0]
    shown = [line.split() for line in after.splitlines()[1:]]
    return [*takewhile(lambda words: words[0] not in ("Table", "Appendix"), shown)]


def rows(paper: str, number: int, columns: int, heading: int = 1) -> dict[str, tuple[str, ...]]:
    """Label -> (metric type, digits ...) where the last `columns` columns hold numbers."""
    return {
        words[0]: ("_".join(words[1:-columns]), *(word.rstrip("%") for word in words[-columns:]))
        for words in lines(paper, number)[heading:]
    }


# Tables of results


@pytest.mark.parametrize("number", [1, 2, 14])
def test_fit_quality_as_printed(paper: str, number: int) -> None:
    shown = tuple(word.rstrip("%") for word in lines(paper, number)[1])
    assert shown == getattr(printed, f"TABLE_{number}")


def test_tables_of_benchmarks_as_printed(paper: str) -> None:
    found = rows(paper, 3, 4, heading=2)
    assert found.pop("Average") == ("", *printed.TABLE_3_AVERAGE)
    assert found == printed.TABLE_3
    assert {words[0]: tuple(words[1:]) for words in lines(paper, 4)[2:]} == {
        name: printed.TABLE_4[name] + printed.TABLE_4_TRAIN[name] for name in printed.TABLE_4
    }
    for number, columns in ((10, 6), (13, 4), (15, 3), (16, 1)):
        shown = {
            label.replace("Arc", "ARC"): {13: row[1:], 16: row[1]}.get(number, row)
            for label, row in rows(paper, number, columns).items()
        }
        held = getattr(printed, f"TABLE_{number}")
        assert (list(shown), shown) == (list(held), held)


# The laws of tables 11 and 12


def test_tables_11_and_12_as_printed_and_paired_by_label(paper: str) -> None:
    of_12, of_11 = rows(paper, 12, 5), rows(paper, 11, 3)
    pairs = compute_counterparts()
    assert [law.label for law, _ in pairs] == [*of_12] == [*of_11]
    for law, partner in pairs:
        metric_type, A, alpha, B, beta, baseline = of_12[str(law.label)]
        assert law.coefficients == {"E": None, "A": A, "B": B, "beta": alpha, "gamma": beta}
        assert law.printed == {"A": A, "alpha": alpha, "B": B, "beta": beta}
        assert partner.printed == dict(zip(("A", "alpha"), of_11[str(law.label)][1:3], strict=True))
        assert (partner.name, partner.label) == (f"{law.name}-compute", law.label)
        for each, row in ((law, of_12), (partner, of_11)):
            shown = (row[str(each.label)][0], row[str(each.label)][-1])
            assert (each.metric_type, each.random_baseline) == shown == (metric_type, baseline)


# Tables 7 to 9


def test_runs_as_printed(paper: str) -> None:
    tables = (lines(paper, number)[1:] for number in (7, 8, 9))
    assert [(*row[:6], " ".join(row[6:])) for table in tables for row in table] == RUNS


def test_counts_of_runs() -> None:
    """The text says 130 experiments, 48 budgets and 44 budgets of C4; the tables list more (and
    repeat two rows).
    """
    assert (len(RUNS), len(set(RUNS)), max(Counter(RUNS).values())) == (150, 148, 3)
    assert {len(row) for row in RUNS} == {len(COLUMNS)}
    assert Counter(row[-1] for row in RUNS) == {MIXTURE: 105, f"{MIXTURE}, {C4}": 45}
