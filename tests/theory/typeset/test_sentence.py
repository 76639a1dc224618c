"""Sentences in LaTeX: no formula of any derivation stays plain text, and each letter is that of the
notation.
"""

import re
from collections.abc import Iterable
from typing import Any

import pytest
from sympy import Symbol
from tests.theory.documents import derivation_of

from isoflop.derivations import NAMES
from isoflop.theory.data.bibliography import citations
from isoflop.theory.data.notation import HOFFMANN, NOTATIONS, SCHAEFFER, Notation
from isoflop.theory.proof.argument import UnderLemma
from isoflop.theory.proof.claim import Derivation
from isoflop.theory.proof.words import Sentence
from isoflop.theory.typeset.document import with_macros
from isoflop.theory.typeset.sentence import respelled_latex, sentence_latex
from isoflop.theory.typeset.theorem import meanings
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
COMMAND = re.compile(r"\\(?:mathrm|operatorname)\{[^{}]*\}|\\[A-Za-z]+")
RELATION = r"(?:=|<|>|\\(?:le|ge|ne|sim|to)(?![a-z]))"


def set_in(
    sentence: str | Sentence, notation: Notation = SCHAEFFER, symbols: Iterable[Symbol] = ()
) -> str:
    """The sentence in LaTeX, its references to steps as a document prints them."""
    return latex_sentence(sentence, notation, symbols=symbols, step=lambda name: "step 1")


def sentences(derivation: Derivation) -> list[tuple[str | Sentence, frozenset[Symbol]]]:
    """Everything that a document sets as a sentence, with the symbols of the formulas beside it."""
    every = frozenset().union(*(step.symbols for step in derivation.steps))
    found: list[tuple[Any, frozenset[Symbol]]] = [
        (derivation.title, frozenset()),
        *((text, every) for text in derivation.assumptions),
    ]
    found += [(step.reason, step.symbols) for step in derivation.steps]
    found += [
        (step.argument.lemma, frozenset())
        for step in derivation.steps
        if isinstance(step.argument, UnderLemma)
    ]
    if isinstance(derivation.statement, Sentence):
        found.append((derivation.statement, frozenset()))
    for text in (derivation.source, derivation.follows):
        if isinstance(text, Sentence):
            found.append((text, frozenset()))
            continue
        for begin, end, _ in reversed(citations(text)):
            text = text[:begin] + "NAME" + text[end:]
        found.append((text, frozenset()))
    return [(text, symbols) for text, symbols in dict.fromkeys(found) if text]


def formulas(text: str) -> list[str]:
    assert text.count("$") % 2 == 0, text
    return re.findall(r"\$([^$]*)\$", text)


@pytest.mark.parametrize("notation", [SCHAEFFER, HOFFMANN], ids=lambda n: n.name)
@pytest.mark.parametrize("name", NAMES)
def test_every_formula_is_set(name: str, notation: Notation) -> None:
    for sentence, symbols in sentences(derivation_of(name)):
        text = set_in(sentence, notation, symbols)
        prose = re.sub(r"\\texttt\{.*?\}", "CODE", re.sub(r"\$[^$]*\$", "@", text))
        prose = prose.replace("params+tokens", "params and tokens").replace("et al.", "")
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


@pytest.mark.parametrize("name", NAMES)
def test_brackets_of_formulas_balance(name: str) -> None:
    for sentence, symbols in sentences(derivation_of(name)):
        for formula in formulas(set_in(sentence, symbols=symbols)):
            depth = 0
            for character in formula:  # [0, infinity) closes with another bracket than it opens
                depth += (character in "([{") - (character in ")]}")
                assert depth >= 0, formula
            assert depth == 0, formula


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
    for sentence, symbols in sentences(derivation_of(name)):
        canonical = set_in(sentence, SCHAEFFER, symbols)
        respelt = set_in(sentence, HOFFMANN, symbols)
        assert respelt == exchanged(canonical)
        assert r"\gamma" not in respelt


@pytest.mark.parametrize("name", NAMES)
def test_statements_hold_no_letter_of_the_other_notation(name: str) -> None:
    derivation = derivation_of(name)
    written = (derivation.statement, *(step.statement for step in derivation.steps))
    for statement in (text for text in written if isinstance(text, str)):
        text = respelled_latex(statement, HOFFMANN)
        assert r"\gamma" not in text
        assert not re.search(r"(?<![A-Za-z_}\\])d?[A-Z]\^(?:\*|\{\*)", text), text
        assert not re.search(r"\\[dt]?frac\w?\\alpha_C|[\^_]\\alpha_C", text), text


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("dL/dbeta with N and D held", r"$dL/d\alpha$ with $N$ and $D$ held"),
        ("dL*/dgamma, dalpha/dbeta", r"$dL_{\mathrm{opt}}/d\beta$, $d\alpha_C/d\alpha$"),
        (
            "Substitute N = sqrt(C/(6 t)) and D = t N.",
            r"Substitute $N = \sqrt{C/(6 t)}$ and $D = t N$.",
        ),
        (
            "at s = +-sqrt(2 epsilon/(beta gamma)).",
            r"at $s = \pm \sqrt{2 \varepsilon/(\alpha \beta)}$.",
        ),
        ("R = sum_i A_i x_i^-b_i", r"$R = \sum_i A_i x_i^{-b_i}$"),
        ("is b x^-(c0 + c1)", r"is $b x^{-(c_0 + c_1)}$"),
        (
            "E' + C0' C^-alpha', C0', alpha' > 0,",
            r"$E' + C_0' C^{-\alpha_C'}$, $C_0'$, $\alpha_C' > 0$,",
        ),
        ("the sequence r_(i+1) - p r_i has", r"the sequence $r_{i+1} - p r_i$ has"),
        ("alpha_1 C0_1 C^-alpha_1", r"$\alpha_1 C_{0,1} C^{-\alpha_1}$"),
        ("Let theta -> (psi, eta) be one-to-one.", r"Let $\theta \to (\psi, \eta)$ be one-to-one."),
        ("a log N* + d log D* = 1", r"$a \log N_{\mathrm{opt}} + d \log D_{\mathrm{opt}} = 1$"),
        ("with shapes a and b", r"with shapes $a$ and $b$"),
        ("Scaling A by q, a power of q", r"Scaling $A$ by $q$, a power of $q$"),
        ("A percent of N. A D of 3", r"A percent of $N$. A $D$ of 3"),
        ("-log pass@k <= k pass@1", r"$-\log \mathrm{pass}@k \le k \,\mathrm{pass}@1$"),
        ("fail@(k_1 + k_2) and f_k1 vanish", r"$\mathrm{fail}@(k_1 + k_2)$ and $f_{k_1}$ vanish"),
        ("the k-th of a chi-squared law", r"the $k$-th of a $\chi$-squared law"),
        ("on [0, infinity) with D(N; R) here", r"on $[0, \infty)$ with $D(N; R)$ here"),
        ("(else beta > gamma) and (1, p^i).", r"(else $\alpha > \beta$) and $(1, p^{i})$."),
        ("T_N : T_D = gamma : beta at", r"$T_N : T_D = \beta : \alpha$ at"),
        ("at C = 6e21, i = 1 .. 4", r"at $C = 6 \cdot 10^{21}$, $i = 1 \dots  4$"),
        (
            "falls in N ... and n (n - 1)...(n - k)",
            r"falls in $N$ \ldots{} and $n (n - 1)\dots (n - k)$",
        ),
        ("d(p N)/dN and dlog C*/da", r"$d(p N)/dN$ and $d\log C_{\mathrm{opt}}/da$"),
        ("a 3 x 3 minor of x_i*", r"a $3 \times 3$ minor of $x_i^{*}$"),
        (
            "log-log axes, the delta method, Appendix D",
            "log-log axes, the delta method, Appendix D",
        ),
        (
            'its "alpha" is A (see data_wall)',
            r"its \texttt{alpha} is $A$ (see \texttt{data\_wall})",
        ),
        ("The N term's share", r"The $N$ term's share"),
    ],
)
def test_sentences_in_hoffmanns_letters(sentence: str, text: str) -> None:
    assert (
        sentence_latex(
            sentence, HOFFMANN, symbols=[Symbol("a")] if sentence.startswith("a log") else ()
        )
        == text
    )


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac1\alpha = \frac1\beta", r"\frac1{\alpha_C} = \frac1\alpha"),
        (r"x^\alpha \alpha^2", r"x^{\alpha_C} \alpha_C^2"),
        (r"\frac{dL^*}{d\beta}", r"\frac{dL_{\mathrm{opt}}}{d\alpha}"),
        (r"t^* = 1", r"t_{\mathrm{opt}} = 1"),
    ],
)
def test_statements_in_hoffmanns_letters(latex: str, text: str) -> None:
    assert respelled_latex(latex, HOFFMANN) == text


@pytest.mark.parametrize("notation", NOTATIONS)
def test_macros_reach_indices_and_differentials(notation: str) -> None:
    text = sentence_latex("dL/dbeta, T_N, C_D and N_0", with_macros(NOTATIONS[notation]))
    assert text == r"$d\isoL/d\isobeta$, $T_{\isoN}$, $\isoC_{\isoD}$ and $\isoN_0$"


#: Names that the literature has no common letters for: a reader meets them with their meaning or
#: not at all.
PARTS = [
    r"T_N",
    r"T_D",
    r"R",
    r"R^{*}",
    r"N^{*}",
    r"D^{*}",
    r"L^{*}",
    r"C_0",
    r"\alpha",
    r"w_N",
    r"w_D",
    r"G",
    r"P",
    r"k_D",
    r"\rho",
]
TWO_TERMS = ("A N^-beta + B D^-", "A/N**beta + B/D**gamma")


def test_every_part_of_the_law_is_introduced() -> None:
    about_two_terms = [
        derivation
        for derivation in map(derivation_of, NAMES)
        if isinstance(derivation.statement, str)
        and any(law in str(text) for law in TWO_TERMS for text in derivation.assumptions)
    ]
    for derivation in about_two_terms:
        assert_parts_are_introduced(derivation)


def assert_parts_are_introduced(derivation: Derivation) -> None:
    said = [set_in(step.reason) for step in derivation.steps]
    introduction = [
        *map(latex_sentence, derivation.assumptions),
        sentence_latex(meanings(derivation)),
    ]
    stated = (
        str(derivation.statement)
        .replace("^*", "^{*}")
        .replace(r"N^{*-\beta}", "N^{*}")
        .replace(r"D^{*-\gamma}", "D^{*}")
    )
    used = " , ".join([*said, *introduction, stated])
    for part in PARTS:
        alone = rf"(?<![A-Za-ce-z_\\]){re.escape(part)}(?![A-Za-z_'^{{])(?!\^\{{\*)"
        if not re.search(alone, used):
            continue
        equated = rf"{alone}(?:\([^()]*\))?\$? *="
        listed = rf"{alone}\$(?:, \S+)*(?: and \S+)? (?:are the values|is the value) where|{alone}\$ is the|loss \$(?:E \+ )?{alone}"
        if part == "C_0":
            listed = r"\$R\^\{\*\} = C_0 C\^\{-\\alpha\}\$;"
        if part == r"\rho":
            listed = r"^\$D/N = \\rho D\^\{\*\}/N\^\{\*\}\$"
        assert any(
            re.search(f"{equated}|{listed}", text) for text in [*introduction, *said, stated]
        ), (
            derivation.name,
            part,
            introduction,
        )


def test_meanings_are_those_of_what_a_theorem_uses() -> None:
    assert "target" not in meanings(derivation_of("iso_loss_contour"))
    assert not re.search(r"\bR =", meanings(derivation_of("iso_loss_contour")))
    assert meanings(derivation_of("pass_at_k_stable_form")) == ""
