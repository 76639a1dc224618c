"""Sentences in LaTeX: the letters are those of the notation, and formulas are between dollars."""

import re

import pytest
from tests.theory.documents import derivation_of

from isoflop.derivations import NAMES
from isoflop.theory.data.notation import HOFFMANN, SCHAEFFER, Notation
from isoflop.theory.theorem.claim import UnderLemma
from isoflop.theory.theorem.words import Sentence
from isoflop.theory.typeset.words import latex_sentence

RELATION = r"(?:=|<|>|\\(?:le|ge|ne|sim|to)(?![a-z]))"


def exchanged(latex: str) -> str:
    """Canonical LaTeX in Hoffmann's letters; those of a compute law's own exponents have an index."""
    letters = {r"\beta": r"\alpha", r"\gamma": r"\beta", r"\alpha": r"\alpha_C"}
    latex = re.sub(
        r"\\(?:alpha(?!_)|beta|gamma)(?![A-Za-z])", lambda match: letters[match[0]], latex
    )
    latex = re.sub(r"([a-z]_\{[0-9]\})\^\{\*\}", r"{\1}_{\\mathrm{opt}}", latex)
    return re.sub(
        r"(?<![_A-Za-z\\])(d(?=[A-Z]))?([A-Za-z])\^\{\*\}", r"\1\2_{\\mathrm{opt}}", latex
    )


def set_in(sentence: str | Sentence, notation: Notation) -> str:
    """The sentence in LaTeX, its references to steps as a document prints them."""
    return latex_sentence(sentence, notation, step=lambda name: "step 1")


@pytest.mark.parametrize("name", NAMES)
def test_sentences_of_both_notations_differ_in_letters_alone(name: str) -> None:
    derivation = derivation_of(name)
    steps = derivation.steps
    lemmas = [step.argument.lemma for step in steps if isinstance(step.argument, UnderLemma)]
    reasons = [step.reason for step in steps]
    found: list[str | Sentence] = [
        derivation.title,
        *derivation.assumptions,
        derivation.statement,
        *reasons,
        *lemmas,
    ]
    for sentence in [text for text in found if text]:
        canonical, respelt = set_in(sentence, SCHAEFFER), set_in(sentence, HOFFMANN)
        assert respelt == exchanged(canonical)
        assert r"\gamma" not in respelt
        for formula in re.split(r"\$", canonical)[1::2]:
            assert not re.match(rf"\s*(?:{RELATION}|$)", formula), canonical
            assert not re.search(rf"(?:{RELATION}|[-+/^_,;])\s*$", formula), canonical
        assert not re.search(r"[\^_=<>]", re.sub(r"\$[^$]*\$|\\_|\\texttt\{.*?\}", "", canonical))
