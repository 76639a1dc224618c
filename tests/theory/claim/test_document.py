"""A LaTeX document as pieces: displays row by row, conditions, macros, every claim in its place."""

import contextlib

from hypothesis import given, settings
from hypothesis import strategies as st

from isoflop.theory.claim.document import pieces_of
from isoflop.theory.claim.macros import expanded
from isoflop.theory.reader.tokens import ParseError


def claims(text: str) -> list[str]:
    pieces, _ = pieces_of(text, "p.tex", str)
    return [
        " ".join(p.text.replace("&", " ").split()) for p in pieces if p.kind != "inline" and p.text
    ]


DISPLAYS = r"""
\begin{equation}\label{eq:x} x = y, \end{equation}
\begin{align*} x &= y, \nonumber \end{align*}
\begin{alignat}{2} x &= y \tag{3} \end{alignat}
\begin{gather} x = y \end{gather}
\begin{multline} x \\ = y \end{multline}
\begin{eqnarray} x & = & y \end{eqnarray}
\begin{equation}\begin{split} x \\ &= y \end{split}\end{equation}
\[ x = y \]
$$ x = y $$
\[ \hspace{1em} x = y \qquad \]
\[ \boxed{x = y.} \]
\[ x = y \qquad (4) \]
\[ x = y \quad \text{by (3)} \]
$$a = b$$\begin{document} \[x = y\] \end{document}$$u = v$$
\[ x = y \] \begin{verbatim} $$ a = b $$ \end{verbatim} \iffalse $$ a = b $$ \fi
"""


def test_displays() -> None:
    bodies = [*DISPLAYS.strip().split("\n"), "$$ x = y % = z\n$$", "\\[ x = y % isoflop: at x\n\\]"]
    assert [(body, claims(body)) for body in bodies] == [(body, ["x = y"]) for body in bodies]


SPLIT = {
    r"\[ x = y, \quad z = w \]": ["x = y", "z = w"],
    r"\[ x = y \text{ and } z = w. \]": ["x = y", "z = w"],
    r"\[ x = y \quad\text{so that}\quad z = w \]": ["x = y", "z = w"],
    r"\[ x = y \quad\text{where}\quad z = w \]": ["z = w", "x = y"],
    r"\[ x = y \implies z = w \]": ["x = y", "z = w"],
    r"\[ x = y \text{ for all } N, D \]": ["x = y"],
    r"\[ x = y, \quad N, D > 0 \]": ["x = y"],
    r"\[ x = y \iff z = w \]": [r"x = y \iff z = w"],
    r"\[ x = 1{,}000 \]": ["x = 1{,}000"],
    r"\begin{align} x &= y, \\[2pt] z &= w. \end{align}": ["x = y", "z = w"],
    r"\begin{align} x ={}& y \\ & + w \end{align}": ["x ={} y + w"],
    r"\begin{align} x &= y \\ &\le z \\ v &= w \end{align}": [r"x = y \le z", "v = w"],
    r"Let $x = 2$, $y = 3$ and $z = 4$. But $u = 5$. \[ v = w \]": [
        "x = 2",
        "y = 3",
        "z = 4",
        "v = w",
    ],
}


def test_claims_of_a_display() -> None:
    assert {body: claims(body) for body in SPLIT} == SPLIT


CONDITIONS = {
    r"\[ P(r) \sim 1 \quad \text{as } r \to 0 \]": [r"r \to 0"],
    r"\[ P(r) \sim 1 \quad (r \to \infty) \]": [r"r \to \infty"],
    r"\[ P(r) \sim 1, \quad \beta > 1, \quad r \to 0 \]": [r"\beta > 1", r"r \to 0"],
    r"\[ x > 1 \quad \text{for all } r > 1, \]": ["r > 1"],
    r"\[ x > 1 \quad \text{for $r > 1$ and $s < 2$}. \]": ["r > 1", "s < 2"],
    r"\[ x > 1 \quad \forall\, r > 1 \]": ["r > 1"],
    r"\[ x > 1, \quad u \in \mathbb{R} \]": ["u real"],
    r"\[ x > y \quad \left(r > w_N^{1/\beta}\right) \]": [r"r > w_N^{1/\beta}"],
    r"\[ \text{For } r > 1, \quad x = y \]": ["r > 1"],
    r"\[ r > 1 \implies x = y \]": ["r > 1"],
}


def test_conditions() -> None:
    pieces = {body: pieces_of(body, "p.tex", str)[0] for body in CONDITIONS}
    assert {body: list(piece.conditions) for body, (piece,) in pieces.items()} == CONDITIONS


MACROS = {
    r"\newcommand{\al}{\alpha} $\al x$": r"$\alpha x$",
    r"\newcommand{\loss}[2][N]{L(#1, #2)} $\loss{D}$": r"$\loss{D}$",
    r"\newcommand{\pow}[2]{#1^{#2}} $\pow\alpha2$": r"$\alpha^{2}$",
    r"\newcommand{\x}{a} \renewcommand{\x}{b} $\x$": "$b$",
    r"\newcommand{\x}{a} \providecommand{\x}{b} \providecommand{\y}{c} $\x\y$": "$ac$",
    r"\def\x#1#2{#1/#2} $\x{a}b$": "$a/b$",
    r"\def\x{\y} \def\y{z} $\x$": "$z$",
    r"\DeclareMathOperator{\argmin}{arg} $\argmin x$": r"$\operatorname{arg} x$",
    r"\newcommand{\be}{\begin{equation}} \newcommand{\ee}{\end{equation}} \be x \ee": (
        r"\begin{equation} x \end{equation}"
    ),
    r"\def\x#1;{#1} $\x a;$": r"{#1} $\x a;$",
}


def test_macros() -> None:
    for text, meant in MACROS.items():
        assert "".join(expanded(text).split()).endswith("".join(meant.split())), text


def test_every_claim_has_its_line_in_its_file() -> None:
    text = (
        "\\newcommand{\\x}[1]{\n#1}\n\\[ \\x{y\n} = 1 \\]\n\\begin{align}\n a &= b \\\\\n c &= d\n"
        "\\end{align}\n\\input{two} \\include{two.tex}\n\\[ v = w \\]"
    )
    files = {"two.tex": "\n$$ p = q $$"}
    pieces, _ = pieces_of(text, "p.tex", files.__getitem__)
    found = [(p.file, p.line) for p in pieces]
    wanted = [("p.tex", 3), ("p.tex", 6), ("p.tex", 7), *[("two.tex", 2)] * 2, ("p.tex", 10)]
    assert found == wanted


PIECES = [
    *(r"\begin{align}", r"\end{align}", r"\[", r"\]", "$$", r"\\", "&", "=", r"\text{for }"),
    *(r"\text{", "}", "{", "x", "y", ",", "\n", r"\quad", "%", r"\%", r"\label{", "(", ")"),
    *(r"\to 0", "<", r"\tag", r"\ge", r"\newcommand{\z}{", r"\z", "\\", r"\boxed{", "$"),
]


@settings(max_examples=300)
@given(body=st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_any_file_is_read_or_refused(body) -> None:
    with contextlib.suppress(ParseError):
        pieces, _ = pieces_of(body, "p.tex", str)
        lines = body.count("\n") + 1
        assert all(1 <= piece.line <= lines for piece in pieces)
