"""Equations as papers print them: none misjudged, few unread."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from isoflop.theory.claim.document import Document
from isoflop.theory.claim.paper import judged as judged_pieces

TEXT = Path(__file__).with_name("printed_equations.tex").read_text(encoding="utf-8")


class Printed(NamedTuple):
    """One equation of a source: where it begins, what it is, and the verdicts on its links."""

    line: int
    name: str
    truth: str
    wanted: list[str]


def sources() -> Iterator[tuple[str, list[str], str, list[Printed]]]:
    """Title, declared lines, text and equations of each source."""
    for block in re.split(r"(?m)^%% ", TEXT)[1:]:
        head, _, text = block.partition("\n")
        title, notation, *let = (part.strip() for part in head.split("|"))
        lines = [(n, x[2:].split("|")) for n, x in enumerate(text.split("\n"), 1) if x[:2] == "% "]
        rows = [
            Printed(n, name, truth.strip(), wanted.split()) for n, (name, truth, wanted) in lines
        ]
        yield title, [f"notation {notation}", *(f"let {meaning}" for meaning in let)], text, rows


def judged(*, with_notation: bool) -> list[tuple[Printed, list[str]]]:
    found: list[tuple[Printed, list[str]]] = []
    for _, said, text, rows in sources():
        declared = said if with_notation else said[1:]
        head = "".join(f"% isoflop: {line}\n" for line in declared)
        answers: list[list[str]] = [[] for _ in rows]
        for _, several in judged_pieces(Document.read(head + text, "paper.tex", str), 30.0):
            for one in several:
                line = one.piece.place.line - len(declared)
                index = sum(other.line <= line for other in rows) - 1
                answers[index].append(one.answer.replace(" ", "-"))
        found += zip(rows, answers, strict=True)
    return found


@pytest.mark.parametrize("with_notation", [True, False])
def test_no_equation_is_misjudged_and_few_are_unread(with_notation) -> None:
    rows = judged(with_notation=with_notation)
    assert len(rows) >= 60
    assert not with_notation or [one for one, answers in rows if answers != one.wanted] == []
    for one, answers in rows:
        assert one.truth == "wrong" or "refuted" not in answers, one
        assert one.truth != "wrong" or {"refuted", "undecided"} & {*answers}, one
    assert sum("unreadable" in answers for _, answers in rows) <= 2


# -- single displays -------------------------------------------------------------------------------

#: What may become of a display by what it is.
ALLOWED = {
    "true": {"proved", "undecided", "unreadable"},
    "false": {"refuted", "undecided", "unreadable"},
    "optimum": {"at the optimum", "along the budget", "undecided", "unreadable"},
}


def displays() -> list[tuple[str, str, str]]:
    """The law, what the display is, and the display."""
    text = Path(__file__).with_name("displays.tex").read_text(encoding="utf-8")
    found = []
    for block in re.split(r"(?m)^%% ", text)[1:]:
        law, *rows = block.strip().splitlines()
        found += [(law, *row.split(" | ", 1)) for row in rows]
    return found


@pytest.mark.slow
def test_no_display_is_misjudged_and_few_are_left_open() -> None:
    decided: Counter[str] = Counter()
    rows = displays()
    for law, truth, display in rows:
        document = Document.read(f"{law}\n\\[ {display} \\]", "paper.tex", str)
        found = [one for _, several in judged_pieces(document) for one in several]
        answers = {v.answer for v in found if v.piece.place.line == 2} - {"given"}
        is_refuted = truth == "false" and "refuted" in answers  # in one of its links
        assert is_refuted or set() < answers <= ALLOWED[truth], (law, display, answers)
        decided[truth] += not {"undecided", "unreadable"} & answers
    assert decided["true"] >= 0.95 * sum(truth == "true" for _, truth, _ in rows)
    assert decided["false"] >= 0.8 * sum(truth == "false" for _, truth, _ in rows)
