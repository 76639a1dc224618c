"""Sentences in LaTeX: no formula of any derivation stays plain text, and each letter is that of the
notation.
"""

import re

import pytest
from tests.theory.documents import derivation_of

from isoflop.derivations import NAMES
from isoflop.theory.data.bibliography import citations
from isoflop.theory.data.notation import HOFFMANN, SCHAEFFER, Notation
from isoflop.theory.theorem.claim import Derivation, UnderLemma
from isoflop.theory.theorem.words import Sentence
from isoflop.theory.typeset.words import latex_sentence

GREEK = (
    "alpha|beta|gamma|delta|epsilon|eta|theta|kappa|lambda|mu|nu|xi|rho|sigma|tau|phi|chi|psi|omega"
)
FUNCTIONS = "sqrt|prod|exp|cosh|sinh|expm1|log1p|phi2|dL|dR|dC|dlog|infinity"
SHORT_WORDS = "of|in|is|it|at|by|to|as|or|an|so|no|on|if|do|be|we|up|de"
#: A name, a sign or a mark of a formula; "delta method" is English, and so are "a", "A" and "I".
LEFT_OUT = re.compile(
    rf"[\^_*=<>+|\"]|~(?!\\)|\\(?![&%]|ldots|texttt)|(?<![\w-])(?:{GREEK}|{FUNCTIONS})\b(?! method)"
    rf"|(?<![\w'.-])(?<!Appendix "
    rf")[B-HJ-Zb-z](?![\w'.-])|(?<![\w-])(?!{SHORT_WORDS})[b-z]{{2}}(?![\w'.}}-])"
)
#: What looks like letters of a formula and is English.
WORDS = re.compile(r"et al\.|(?:pass|fail)@k|chi-squared|S shape|expm1|log1p|acc\\_norm")
COMMAND = re.compile(r"\\(?:mathrm|operatorname)\{[^{}]*\}|\\[A-Za-z]+")
RELATION = r"(?:=|<|>|\\(?:le|ge|ne|sim|to)(?![a-z]))"


def set_in(sentence: str | Sentence, notation: Notation = SCHAEFFER) -> str:
    """The sentence in LaTeX, its references to steps as a document prints them."""
    return latex_sentence(sentence, notation, step=lambda name: "step 1")


def sentences(derivation: Derivation) -> list[str | Sentence]:
    """Everything that a document sets as a sentence."""
    lemmas = [
        step.argument.lemma for step in derivation.steps if isinstance(step.argument, UnderLemma)
    ]
    reasons = [step.reason for step in derivation.steps]
    found = [derivation.title, *derivation.assumptions, derivation.statement, *reasons, *lemmas]
    for text in (derivation.source, derivation.follows):
        if isinstance(text, str):
            for begin, end, _ in reversed(citations(text)):
                text = text[:begin] + "NAME" + text[end:]
        found.append(text)
    return [text for text in dict.fromkeys(found) if text]


def formulas(text: str) -> list[str]:
    assert text.count("$") % 2 == 0, text
    return re.findall(r"\$([^$]*)\$", text)


@pytest.mark.parametrize("notation", [SCHAEFFER, HOFFMANN], ids=lambda n: n.name)
@pytest.mark.parametrize("name", NAMES)
def test_every_formula_is_set(name: str, notation: Notation) -> None:
    for sentence in sentences(derivation_of(name)):
        text = set_in(sentence, notation)
        prose = re.sub(r"\\texttt\{.*?\}", "CODE", re.sub(r"\$[^$]*\$", "@", text))
        prose = re.sub(r"\(\w+(?:\\_\w+){2,}\)", "(NAME)", prose)
        prose = WORDS.sub("WORD", prose.replace("params+tokens", "params and tokens"))
        assert not (left := LEFT_OUT.search(prose)), (left[0], text)
        for formula in formulas(text):
            assert formula.strip(), text
            assert not re.match(rf"\s*(?:{RELATION}|\+(?!\\infty))", formula), text
            assert not re.search(rf"(?:{RELATION}|[-+/^_,;])\s*$", formula), text
            assert not re.search(
                r"\b0 [A-Za-z]|\b0 \\(?!le|ge|ne|dots|to)|\\infty [A-Za-z]", formula
            ), text
            runs = re.findall(
                r"[A-Za-z]{2,}", COMMAND.sub(" ", formula).replace("dd", " ").replace("da", " ")
            )
            assert all(re.fullmatch("d[A-Z]", run) for run in runs), (runs, text)


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


@pytest.mark.parametrize("name", NAMES)
def test_sentences_of_both_notations_differ_in_letters_alone(name: str) -> None:
    for sentence in sentences(derivation_of(name)):
        canonical = set_in(sentence, SCHAEFFER)
        respelt = set_in(sentence, HOFFMANN)
        assert respelt == exchanged(canonical)
        assert r"\gamma" not in respelt
