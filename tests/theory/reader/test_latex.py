"""LaTeX formulas are read as the equivalent plain text, or are refused."""

import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Expr

from isoflop.theory.claim.vocabulary import vocabulary
from isoflop.theory.kernel import is_zero
from isoflop.theory.reader.latex import tokenize_latex
from isoflop.theory.reader.parse import read
from isoflop.theory.reader.tokens import ParseError, tokenize


def reading(text: str, *, latex: bool = False, **values: Expr) -> Expr:
    """An expression in the names of the law, in free letters, and in names of these values."""
    words = vocabulary()
    tokens = tokenize_latex(text) if latex else tokenize(text)
    names = [token.text for token in tokens if token.kind == "name"]
    free = {name: words.free_symbol(name) for name in names if name not in words.names}
    table = dict(words.names) | {name: symbol for name, symbol in free.items() if symbol} | values
    return read(text, tokens, table, letters=words.names.keys())


def sections() -> list[list[tuple[str, ...]]]:
    """The rows of the readings, section by section."""
    text = (Path(__file__).parent / "readings.txt").read_text()
    blocks = (block.split("\n")[1:] for block in text.split("\n%% ")[1:])
    return [
        [tuple(row.split(" || ")) for row in block if row and not row.startswith("%")]
        for block in blocks
    ]


SAME, PLAIN, NAMES, REFUSED = sections()
LONG = [("{" * 60 + "x" + "}" * 60, "nested deeper"), ("x" * 5_000, "at most 4000 are read")]
ENDLESS = (r"\mathrm{" * 490, "")


@pytest.mark.parametrize(("text", "wanted"), [*SAME, *PLAIN])
def test_means_the_same_as_what_is_spelt_out(text, wanted) -> None:
    assert is_zero(reading(text, latex=(text, wanted) in SAME) - reading(wanted))


@pytest.mark.parametrize(("latex", "names"), NAMES)
def test_names(latex, names) -> None:
    assert [token.text for token in tokenize_latex(latex) if token.kind == "name"] == names.split()


@pytest.mark.parametrize(("text", "say"), [*REFUSED, *LONG, ENDLESS], ids=lambda text: text[:30])
def test_what_may_mean_two_things_or_nothing_is_refused_with_its_place(text, say) -> None:
    start = time.process_time()
    with pytest.raises(ParseError) as caught:
        reading(text, latex=True)
    assert say in str(caught.value)
    assert "\n" not in str(caught.value)
    assert time.process_time() - start < 2


def test_a_letter_that_is_defined_as_a_value_is_a_factor_or_refused() -> None:
    text = r"k \left(\frac{C}{6}\right)^{w_N}"
    assert is_zero(reading(text, latex=True, k=reading("G")) - reading("N_opt"))
    with pytest.raises(ParseError, match="ambiguous 'k"):
        reading("k(x + 1)", latex=True, k=reading("x^2"))


@pytest.mark.parametrize("text", ["(N_opt)(C)", "Theta(C)", "max(x)", 'C "FLOPs"', "P^2(r)", "x^N(C)", "70B", "1.4T"])  # fmt: skip
def test_plain_text_with_two_meanings_is_refused(text) -> None:
    with pytest.raises(ParseError):
        reading(text)


RELATIONS = {
    "propto": r"\propto ∝", "approx": r"\approx \simeq ≈", "implies": r"\implies \Rightarrow ⇒", "iff": r"\iff ⇔",
    "==": r"\coloneqq := == \equiv ≔", "<=": r"\leqslant <= ≤", "<": r"\lt", "->": r"\to →", "!=": r"\neq != ≠", "~": r"\sim",
    ">=": r"\geq ≥",
}  # fmt: skip


def test_the_names_of_relations() -> None:
    for name, spellings in RELATIONS.items():
        for relation in spellings.split():
            tokens = tokenize_latex(f"x {relation} y")
            assert [(token.kind, token.text) for token in tokens[1:-1]] == [("relation", name)]


PIECES = [
    r"\frac", r"\sqrt", r"\left(", r"\right)", r"\log", r"\exp", r"\cdot", r"\alpha", r"\mathrm", r"\text", r"\le", "{", "}",
    "[", "]", "(", ")", "^", "_", "^{*}", "_{opt}", "N", "D", "C", "x", "e", "d", "1", "12", ".5", "+", "-", "/", "|", "=",
    "<", "&", r"\\", r"\,", "~", "@", "%", ",", ".", " ", "\n", r"\label{a}", r"\{", r"\}", "'", "!", r"\left.",
    r"\right|_", r"\partial", r"\hat", r"\min", r"\quad",
]  # fmt: skip


@settings(max_examples=120)
@given(text=st.lists(st.sampled_from(PIECES), max_size=15).map("".join))
def test_any_latex_is_read_or_refused(text) -> None:
    start = time.process_time()
    with suppress(ParseError):
        assert all(0 <= token.position <= len(text) for token in tokenize_latex(text))
        reading(text, latex=True)
    assert time.process_time() - start < 1
