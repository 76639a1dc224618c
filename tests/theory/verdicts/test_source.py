"""A LaTeX document with its macros expanded, every character with its place."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isoflop.theory.reader.tokens import ParseError
from isoflop.theory.verdicts.source import read_source


def expanded(text: str) -> str:
    return " ".join(read_source(text).text.split())


EXPANDED = {
    r"\newcommand{\al}{\alpha} $\al x$": r"$\alpha x$",
    r"\newcommand\al{\alpha} $\al$": r"$\alpha$",
    r"\newcommand{\loss}[1]{L(#1)} $\loss{N}$": "$L(N)$",
    r"\newcommand{\loss}[2]{L(#1, #2)} $\loss{N} D$": "$L(N, D)$",
    r"\newcommand{\loss}[2][N]{L(#1, #2)} $\loss{D}\loss[M]{D}$": "$L(N, D)L(M, D)$",
    r"\newcommand{\pow}[2]{#1^{#2}} $\pow\alpha2$": r"$\alpha^{2}$",
    r"\newcommand{\g}[1]{\alpha#1} $\g x$": r"$\alpha x$",
    r"\newcommand{\x}{a} \renewcommand{\x}{b} $\x$": "$b$",
    r"\newcommand{\x}{a} \providecommand{\x}{b} \providecommand{\y}{c} $\x\y$": "$ac$",
    r"\def\x#1#2{#1/#2} $\x{a}b$": "$a/b$",
    r"\def\Loss{{\mathcal{L}}} $\Loss_0$": r"$\mathcal{L}_0$",
    r"\def\ab{{ab}} $x^\ab$": "$x^{ab}$",
    r"\def\x{\y} \def\y{z} $\x$": "$z$",
    r"\let\oldphi\phi \renewcommand{\phi}{\oldphi_0} $\phi$": r"$\phi_0$",
    r"\newcommand{\f}{a} \let\g=\f \renewcommand{\f}{b} $\g\f$": "$ab$",
    r"\DeclareMathOperator{\argmin}{arg\,min} $\argmin x$": r"$\operatorname{arg\,min} x$",
    r"\DeclareMathOperator*{\argmin}{arg} $\argmin_x$": r"$\operatorname*{arg}_x$",
    r"{\def\x{a} $\x$} \def\x{b} $\x$": "{ $a$} $b$",
    r"\def\x{b} {\def\x{a} $\x$} $\x$": "{ $a$} $b$",
    r"\def\x{b} {\gdef\x{a}} $\x$": "{ } $a$",
    r"\newcommand{\be}{\begin{equation}} \newcommand{\ee}{\end{equation}} \be x \ee": (
        r"\begin{equation} x \end{equation}"
    ),
    r"\newenvironment{eq}{\begin{align}}{\end{align}} \begin{eq} x \end{eq}": (
        r"\begin{align} x \end{align}"
    ),
    "a % b\nc": "a c",
    r"50\% c": r"50\% c",
    r"a \\% b": r"a \\",
    r"a \iffalse b \iftrue c \fi \else d \fi e": "a d e",
    r"a \iftrue b \else d \fi e": "a b e",
    r"\newif\ifdraft \ifdraft a \fi \drafttrue \ifdraft b \fi": "b",
    r"a \iff b": r"a \iff b",
    r"a \begin{comment} $x$ \end{comment} b": "a b",
    r"a \begin{verbatim} \def\x{ \end{verbatim} b": "a b",
    r"a \verb|$x$| b": "a b",
    r"\newcommand{\x}{a % no %" + "\n}$\\x$": "$a$",
    r"\makeatletter \newcommand{\a@b}{c} \makeatother pass@k \a": r"pass@k \a",
    r"\ensuremath{x}": "{x}",
}


@pytest.mark.parametrize("text", EXPANDED)
def test_macros(text) -> None:
    assert expanded(text) == EXPANDED[text]


def test_a_macro_with_delimited_arguments_is_named() -> None:
    source = read_source(r"\def\x#1;{#1} $\x a;$")
    assert source.not_expanded == (r"\x",)
    assert r"\x a;" in source.text


def test_macros_without_an_end_are_refused() -> None:
    for text in (r"\def\x{\x} \x", r"\def\x{\y\y} \def\y{\x\x} \x"):
        with pytest.raises(ParseError, match="does not come to an end"):
            read_source(text)


FILES = {"two.tex": "second\n$y$", "sub/three.tex": r"\input{four}"}


def test_inputs_are_followed_and_what_is_missing_is_listed() -> None:
    text = "first\n\\input{two} \\include{sub/three}\n\\input nine\nlast $x$"
    source = read_source(text, "main.tex", read=_read)
    assert source.text.split() == ["first", "second", "$y$", "last", "$x$"]
    assert source.missing == ("four (line 1)", "nine (line 3)")
    places = {letter: source.place(source.text.index(letter)) for letter in ("first", "$y", "$x")}
    assert {letter: (at.file, at.line) for letter, at in places.items()} == {
        "first": ("main.tex", 1),
        "$y": ("two.tex", 2),
        "$x": ("main.tex", 4),
    }


def _read(name: str) -> str:
    if name not in FILES:
        raise FileNotFoundError(name)
    return FILES[name]


def test_what_a_macro_stands_for_has_the_place_of_its_use() -> None:
    text = "\\newcommand{\\two}[1]{x + #1 + z}\n\n$\\two{abc}$ end"
    source = read_source(text)
    at = {letter: source.place(source.text.index(letter)) for letter in ("x", "abc", "z", "end")}
    assert {letter: (place.line, place.column) for letter, place in at.items()} == {
        "x": (3, 2),
        "abc": (3, 7),
        "z": (3, 2),
        "end": (3, 13),
    }
    assert source.end_in_file(source.text.index("z"))[1] == text.index("$ end")


def test_the_header_renames() -> None:
    source = read_source("% isoflop: N_* = N_opt, L_x(a, b) := a/b\n%isoflop: k=kappa\n$x$")
    assert source.renames == ("N_* = N_opt", "L_x(a, b) := a/b", "k=kappa")


@settings(max_examples=300)
@given(
    st.lists(
        st.sampled_from(
            [
                *(r"\def", r"\x", r"\y", r"\newcommand", "{", "}", "[", "]", "#1", "1", "%", "\n"),
                *(r"\begin{", "verbatim", r"\iffalse", r"\else", r"\fi", r"\input", "\\", r"\let"),
                *(r"\verb", "$", r"\end{document}", r"\newenvironment", r"\newif", "a", r"\ "),
            ]
        ),
        max_size=25,
    ).map("".join)
)
def test_any_document_is_read_or_refused(text) -> None:
    try:
        source = read_source(text)
    except ParseError:
        return
    assert len(source.text) == len(source.firsts) == len(source.lasts)
    assert all(0 <= source.in_file(i)[1] <= len(text) for i in range(len(source.text)))
