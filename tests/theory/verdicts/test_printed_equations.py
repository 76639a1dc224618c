"""Equations as papers print them: none misjudged, few unread."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from isoflop.theory.verdicts.paper import equations
from isoflop.theory.verdicts.prove import Settings
from isoflop.theory.verdicts.report import report
from isoflop.theory.verdicts.source import read_source

TEXT = Path(__file__).with_name("printed_equations.tex").read_text(encoding="utf-8")


class Printed(NamedTuple):
    """One equation: where it begins in its source, what it is, and the verdicts."""

    line: int
    name: str
    truth: str
    answers: list[str]


class Publication(NamedTuple):
    title: str
    notation: str
    let: list[str]
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
        found.append(Publication(title, notation, let, text, printed))
    return found


PUBLICATIONS = publications()


def verdicts(publication: Publication) -> list[list[str]]:
    """The answers on the links of each equation, by the line under which they begin."""
    settings = Settings(notation=publication.notation, let=publication.let, seconds=30.0)
    source = read_source(publication.text)
    printed = equations(source, known=settings.words.names)
    answers: list[list[str]] = [[] for _ in publication.printed]
    for equation, entries in report(source, printed, settings):
        first = len(equation.text) - len(equation.text.lstrip(" &\n"))
        line = source.place(equation.start + first).line
        index = sum(one.line <= line for one in publication.printed) - 1
        answers[index] += [entry.answer for entry in entries]
    return answers


#: At most so many equations may be unread, of all.
MOST_UNREAD = 8


@pytest.fixture(scope="module")
def judged() -> list[tuple[str, Printed, list[str]]]:
    return [
        (publication.title, one, answers)
        for publication in PUBLICATIONS
        for one, answers in zip(publication.printed, verdicts(publication), strict=True)
    ]


def test_each_equation_is_judged_as_it_deserves_or_unread(judged) -> None:
    other = [
        (title, one.name, answers)
        for title, one, answers in judged
        if answers not in (one.answers, ["unreadable"])
    ]
    assert other == []


def test_no_verdict_misjudges_and_few_equations_are_unread(judged) -> None:
    assert len(judged) >= 60
    assert len(PUBLICATIONS) >= 10
    for title, one, answers in judged:
        assert one.truth == "wrong" or "refuted" not in answers, (title, one)
        assert one.truth != "wrong" or set(answers) != {"proved"}, (title, one)
    assert sum("unreadable" in answers for _, _, answers in judged) <= MOST_UNREAD
