"""Equations as papers print them: none misjudged, few unread."""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from isoflop.theory.claim.chain import Settings
from isoflop.theory.claim.document import Document
from isoflop.theory.claim.paper import judged as judged_pieces

TEXT = Path(__file__).with_name("printed_equations.tex").read_text(encoding="utf-8")


class Printed(NamedTuple):
    """One equation: where it begins in its source, what it is, and the verdicts."""

    line: int
    name: str
    truth: str
    answers: list[str]


class Publication(NamedTuple):
    title: str
    declared: list[str]
    text: str
    printed: list[Printed]


def publications() -> list[Publication]:
    found = []
    for block in re.split(r"(?m)^%% ", TEXT)[1:]:
        head, _, text = block.partition("\n")
        title, notation, *let = (part.strip() for part in head.split("|"))
        printed = [
            Printed(number, name, truth, answers.split())
            for number, line in enumerate(text.splitlines(), 1)
            if line.startswith("% ")
            for name, truth, answers in [[part.strip() for part in line[2:].split("|")]]
        ]
        declared = [f"notation {notation}", *(f"let {meaning}" for meaning in let)]
        found.append(Publication(title, declared, text, printed))
    return found


PUBLICATIONS = publications()


def verdicts(publication: Publication, declared: list[str]) -> list[list[str]]:
    """The answers on the links of each equation, by the line under which they begin."""
    head = "".join(f"% isoflop: {line}\n" for line in declared)
    document = Document.read(head + publication.text, "paper.tex", str)
    answers: list[list[str]] = [[] for _ in publication.printed]
    for _, found in judged_pieces(document, Settings(seconds=30.0)):
        for one in found:
            line = one.piece.place.line - len(declared)
            index = sum(other.line <= line for other in publication.printed) - 1
            answers[index].append(one.answer.replace(" ", "-"))
    return answers


Judged = list[tuple[str, Printed, list[str]]]


def judged(*, with_notation: bool) -> Judged:
    return [
        (publication.title, one, answers)
        for publication in PUBLICATIONS
        for one, answers in zip(
            publication.printed,
            verdicts(publication, publication.declared[0 if with_notation else 1 :]),
            strict=True,
        )
    ]


@pytest.fixture(scope="module")
def declared() -> Judged:
    return judged(with_notation=True)


def test_each_equation_is_judged_as_it_deserves(declared) -> None:
    other = [
        (title, one.name, answers) for title, one, answers in declared if answers != one.answers
    ]
    assert other == []
    assert len(declared) >= 60
    assert len(PUBLICATIONS) >= 10


@pytest.mark.parametrize("with_notation", [True, False])
def test_no_verdict_misjudges_and_few_equations_are_unread(declared, with_notation) -> None:
    rows = declared if with_notation else judged(with_notation=False)
    for title, one, answers in rows:
        assert one.truth == "wrong" or "refuted" not in answers, (title, one)
        assert one.truth != "wrong" or {"refuted", "undecided"} & {*answers}, (title, one)
    assert sum("unreadable" in answers for _, _, answers in rows) <= 2


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
        found = [one for _, several in judged_pieces(document, Settings()) for one in several]
        answers = {v.answer for v in found if v.piece.place.line == 2} - {"given"}
        is_refuted = truth == "false" and "refuted" in answers  # in one of its links
        assert is_refuted or set() < answers <= ALLOWED[truth], (law, display, answers)
        decided[truth] += not {"undecided", "unreadable"} & answers
    assert decided["true"] >= 0.95 * sum(truth == "true" for _, truth, _ in rows)
    assert decided["false"] >= 0.8 * sum(truth == "false" for _, truth, _ in rows)
