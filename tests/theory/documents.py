"""Theorems checked once a session, and documents set by LaTeX."""

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from isoflop.derivations import derivation
from isoflop.theory.kernel.answer import Answer, Decision
from isoflop.theory.kernel.points import PointCheck
from isoflop.theory.kernel.rules import weakest
from isoflop.theory.theorem.derivation import Derivation
from isoflop.theory.theorem.step import Step, Verdict
from isoflop.theory.theorem.words import Formula, Sentence
from isoflop.theory.typeset.document import Checked

BEGIN, END = r"\begin{document}", r"\end{document}"
WORST_OVERFULL = 3  # points


@cache
def derivation_of(name: str) -> Derivation:
    """The theorem, built once."""
    return derivation(name)


def theorem_of(*steps: Step, name: str = "mine") -> Derivation:
    """A theorem that states its steps, about letters that it introduces."""
    letters = sorted(frozenset().union(*(step.formula.names for step in steps)), key=str)
    introduced = (Sentence("Let {} be given. " * len(letters), tuple(map(Formula.of, letters))),)
    stated = Sentence(" and ".join(f"{{{step.name}}}" for step in steps) + ".")
    return Derivation(name, "Mine", introduced, stated, steps, "own work")


@cache
def verdict_of(step: Step, points: int) -> Verdict:
    """The verdict on a step, which many theorems share with altered copies of them."""
    return step.verify(points=points)


def checked(theorem: Derivation, points: int = 8) -> list[Verdict]:
    """The verdicts on the steps of a theorem, on every path."""
    return [verdict_of(step, points) for step in theorem.steps]


def status(theorem: Derivation) -> str:
    """The strength of the weakest step of a theorem."""
    return weakest(verdict.strength for verdict in checked(theorem))


def taken_as_proved(theorem: Derivation) -> tuple[Verdict, ...]:
    """The verdicts of a theorem that holds, for tests of pages."""
    proved, unchecked = Decision(Answer.PROVED, ""), PointCheck(True, 0, "not checked")
    return tuple(Verdict(step, proved, unchecked) for step in theorem.steps)


def printable(name: str) -> Checked:
    """The theorem with every step taken as proved."""
    return derivation_of(name), taken_as_proved(derivation_of(name))


def compiled(folder: Path, document: str) -> str:
    """The log of the second run of pdflatex; both must succeed."""
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    (folder / "notes.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "notes.tex"]
    for _ in range(2):
        run = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace", check=False
        )
        assert run.returncode == 0, run.stdout[-2000:]
    return run.stdout


def complaints(log: str) -> list[str]:
    """The lines of a log about text far in the margin and about undefined references."""
    too_wide = re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\).*", log)
    undefined = re.findall(r"LaTeX Warning: (?:Citation|Reference).*undefined.*", log)
    return [points for points in too_wide if float(points) > WORST_OVERFULL] + undefined
