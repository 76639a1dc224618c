"""The equations of a LaTeX document, or between two markers of it, with their places."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isoflop.theory.reader.tokens import ParseError
from isoflop.theory.verdicts.paper import PrintedEquation, equations
from isoflop.theory.verdicts.prove import prove
from isoflop.theory.verdicts.source import BEGIN, END, TexSource, read_source


def paper(body: str) -> TexSource:
    return read_source(
        f"\\begin{{document}}\n$$ not = marked $$\n{BEGIN}\n{body}\n{END}\n\\[ also = not \\]\n\\end{{document}}\n"
    )


def shown(body: str) -> list[str]:
    return [equation.shown for equation in equations(paper(body))]


@pytest.mark.parametrize(
    "body",
    [
        r"\begin{equation} x = y \end{equation}",
        r"\begin{equation*} x = y. \end{equation*}",
        r"\begin{equation}\label{eq:x} x = y, \end{equation}",
        r"\begin{equation} x = y \tag{3} \end{equation}",
        r"\begin{equation} x = y \,.\end{equation}",
        r"\begin{align} x &= y \end{align}",
        r"\begin{align*} x &= y, \nonumber \end{align*}",
        r"\begin{alignat}{2} x &= y \end{alignat}",
        r"\begin{gather} x = y \end{gather}",
        r"\begin{multline} x \\ = y \end{multline}",
        r"\begin{eqnarray} x & = & y \end{eqnarray}",
        r"\begin{equation}\begin{aligned} x &= y \end{aligned}\end{equation}",
        r"\begin{equation}\begin{split} x \\ &= y \end{split}\end{equation}",
        r"\[ x = y \]",
        "$$ x = y $$",
        r"$$ x = y % = z" + "\n$$",
        r"\[ \hspace{1em} x = y \qquad \]",
        r"\[ x = y \vspace*{2pt} \]",
    ],
)
def test_displays(body) -> None:
    assert shown(body) == ["x = y"]


SPLIT = {
    r"\[ x = y, \quad z = w \]": ["x = y", "z = w"],
    r"\[ x = y \qquad z = w \]": ["x = y", "z = w"],
    r"\[ x = y \text{ and } z = w. \]": ["x = y", "z = w"],
    r"\[ x = y \quad\text{so that}\quad z = w \]": ["x = y", "z = w"],
    r"\[ L(N, D) = L(D, N) \]": ["L(N, D) = L(D, N)"],
    r"\[ x = 1{,}000 \]": ["x = 1{,}000"],
    r"\begin{align} x &= y \\ z &= w \end{align}": ["x = y", "z = w"],
    r"\begin{align} x &= y, \\[2pt] z &= w. \end{align}": ["x = y", "z = w"],
    r"\begin{align} x &= y \\ &= w \end{align}": ["x = y = w"],
    r"\begin{align} x &= y, \nonumber\\ &= w \end{align}": ["x = y = w"],
    r"\begin{align} x ={}& y \\ & + w \end{align}": ["x ={} y + w"],
    r"\begin{align} x &= y \\ &\le z \\ v &= w \end{align}": [r"x = y \le z", "v = w"],
    r"\begin{gather} x = y \\ z = w \end{gather}": ["x = y", "z = w"],
    r"\begin{gather} x > 0, \\ y \\ + z \ne 0 \end{gather}": ["x > 0", r"y + z \ne 0"],
    r"\begin{gather} x = y, \\ + z \end{gather}": ["x = y + z"],
    r"\begin{align} x &= y & z &= w \end{align}": ["x = y z = w"],
    r"\begin{align} x &= y \intertext{and likewise} z &= w \end{align}": ["x = y", "z = w"],
}


@pytest.mark.parametrize("body", SPLIT)
def test_claims_of_a_display(body) -> None:
    assert shown(body) == SPLIT[body]


CONDITIONS = {
    r"\[ P(r) \sim r^{-\beta} \quad \text{as } r \to 0 \]": (r"r \to 0",),
    r"\[ P(r) \sim r^{-\beta} \quad (r \to \infty) \]": (r"r \to \infty",),
    r"\[ P(r) \sim r^{-\beta}, \qquad r \to 0^+. \]": (r"r \to 0^+",),
    r"\[ r^2 \ge r \quad \text{for } r > 1 \]": ("r > 1",),
    r"\[ r^2 \ge r \quad \text{for all } r > 1, \]": ("r > 1",),
    r"\[ r^2 \ge r \quad \text{for all $r > 1$}. \]": ("r > 1",),
    r"\[ r^2 \ge r, \quad r > 1 \]": ("r > 1",),
    r"\[ x = y \quad \text{where } C = 6ND. \]": ("C = 6ND",),
    r"\[ x = y \quad \text{with } C = 6ND \text{ and } z = w \]": ("C = 6ND",),
}


@pytest.mark.parametrize("body", CONDITIONS)
def test_conditions(body) -> None:
    equation = equations(paper(body))[0]
    assert tuple(condition.strip("() ") for condition in equation.conditions) == CONDITIONS[body]
    assert not set("=<>") & set(equation.shown.replace(r"\ge", "").replace("x = y", ""))


def test_a_limit_and_a_domain_are_told_apart() -> None:
    (equation,) = equations(paper(r"\[ P(r) \sim r^{-\beta}, \quad \beta > 1, \quad r \to 0 \]"))
    assert equation.limit == r"r \to 0"
    assert equation.assumptions == (r"\beta > 1",)


BODY = r"""
\begin{align}
  % \alpha = 3
  \alpha &= \frac{\beta\gamma}{\beta + \gamma} \label{eq:alpha} \\
         &= \beta\, w_N, \\
  w_N &= \frac{\gamma}{\beta + \gamma}.
\end{align}
"""


def test_every_position_is_a_place_in_the_file() -> None:
    source = paper(BODY)
    lines = []
    for equation in equations(source):
        indent = len(equation.text) - len(equation.text.lstrip())
        assert source.text.startswith(equation.text[indent : indent + 5], equation.start + indent)
        proof = prove(equation.text, latex=True)
        lines += [source.place(equation.start + link.position).line for link in proof.links]
    wanted = [
        i for i, line in enumerate(source.files[0].text.splitlines(), start=1) if "&=" in line
    ]
    assert lines == wanted


def test_the_prose_between_is_blanked_in_place() -> None:
    source = paper(r"\[ x = \tag{1} y \]")
    (equation,) = equations(source)
    assert source.text[equation.start + equation.text.index("y")] == "y"


def test_without_markers_the_whole_document_is_read() -> None:
    source = read_source(
        "$$a = b$$\\begin{document}\n\\[x = y\\]\n$$z = w$$\\end{document}$$u = v$$"
    )
    assert [equation.shown for equation in equations(source)] == ["x = y", "z = w"]
    assert [equation.shown for equation in equations(read_source("$$x = y$$"))] == ["x = y"]


def test_several_regions_and_markers_of_the_users_own() -> None:
    source = "%A\n$$x = 1$$\n%B\n$$x = 2$$\n%A\n$$x = 3$$\n%B\n"
    document = read_source(source, markers=("%A", "%B"))
    assert [equation.shown for equation in equations(document, begin="%A", end="%B")] == [
        "x = 1",
        "x = 3",
    ]


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ("", {}, "no displayed equation"),
        (
            f"\n\n{BEGIN}\n$$x = y$$",
            {},
            "'% isoflop: begin' in line 3 has no '% isoflop: end' after it",
        ),
        (f"{END}\n{BEGIN}\n$$x = y$$", {}, "in line 2 has no '% isoflop: end' after it"),
        (f"{BEGIN}\n$x = y$\n{END}", {}, "no displayed equation"),
        (f"{BEGIN}\n\n\\[ x = y\n{END}\n\\]", {}, "line 3 is not closed"),
        (f"{BEGIN}\n\\begin{{align}} x = y\n{END}", {}, "is not closed"),
        ("$$x = y$$", {"begin": "here", "end": "there"}, "the marker 'here' is missing"),
        ("$$x = y$$", {"begin": " ", "end": "there"}, "begin=' ': must not be blank"),
    ],
)
def test_what_is_missing_is_named(source, options, message) -> None:
    with pytest.raises(ParseError) as caught:
        equations(read_source(source), **options)
    assert message in str(caught.value)


PIECES = [
    *(
        r"\begin{align}",
        r"\end{align}",
        r"\[",
        r"\]",
        "$$",
        r"\\",
        "&",
        "=",
        r"\text{for }",
        r"\text{",
        "}",
        "{",
        "x",
        "y",
        ",",
        "\n",
    ),
    *(r"\quad", "%", r"\%", r"\label{", "(", ")", r"\to 0", "<", r"\tag", r"\ge", BEGIN, END, "\\"),
]


@settings(max_examples=300)
@given(body=st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_any_file_is_equations_or_refused(body) -> None:
    try:
        found = equations(paper(body))
    except ParseError:
        return
    source = paper(body)
    for equation in found:
        assert isinstance(equation, PrintedEquation)
        assert len(equation.text) + equation.start <= len(source.text)


def test_a_display_after_where_defines_its_names() -> None:
    body = (
        r"\[ L - X_{1} = X_{2}, \] where {\small \[ X_{1} = E + A N^{-\beta}, "
        r"\quad X_{2} = X_{3} D^{-\gamma}, \quad X_{3} = B. \]} Then \[ X_1 = y \]"
    )
    first, second = equations(paper(body))
    assert [text.replace(" ", "") for text in first.definitions] == [
        r"X_{1}=E+AN^{-\beta}",
        r"X_{2}=X_{3}D^{-\gamma}",
        "X_{3}=B",
    ]
    assert (second.shown, second.definitions) == ("X_1 = y", ())
    assert prove(first.text, latex=True, define=first.definitions).answer.value == "proved"
    assert (
        prove(
            first.text.replace("X_{2}", "2 X_{2}"), latex=True, define=first.definitions
        ).answer.value
        == "refuted"
    )


def test_where_does_not_define_what_has_a_meaning() -> None:
    first, second = equations(paper(r"\[ x = y G \] where \[ G = 2, \]"), known={"G"})
    assert (first.definitions, second.shown) == ((), "G = 2")


@pytest.mark.parametrize(
    ("define", "named"),
    [
        (["N == 2"], "N has a meaning already"),
        (["X + 1 == 2"], "a definition reads"),
        (["X == Y", "Y == X + 1"], "is defined by way of itself"),
        (["X >= 2"], "a definition reads"),
    ],
)
def test_definitions_that_are_none(define, named) -> None:
    with pytest.raises(ParseError, match=named):
        prove("X == 1", define=define)


def test_a_definition_may_have_either_sign() -> None:
    assert prove("X^2 == (N - D)^2", define=["X == N - D"]).answer.value == "proved"
    assert prove("X >= 0", define=["X == N - D"]).answer.value == "refuted"
    assert prove("X/X == 1", define=["X == N - D"]).links[0].decision.conditions[0].relation == "!="


@pytest.mark.parametrize(
    ("claim", "let"),
    [
        ("R_opt == D_opt/N_opt", ["R_opt := D*/N*"]),
        ("R_opt == D_opt/N_opt", ["R_opt := D*/N^*"]),
        ("k*N == kappa*N", ["k = kappa"]),
        ("M(6) == G", ["M := N_opt"]),
        ("dL/dN == -beta*A*N^(-beta-1)/2", ["L := (L(N, D) + E)/2"]),
        ("f(2, 3) == 6 + E", ["f(N, D) := N*D + E"]),
    ],
)
def test_another_meaning_of_a_name(claim, let) -> None:
    proof = prove(claim, let=let)
    assert proof.answer.value == "proved"
    assert not any(meaning.startswith("R_opt") for meaning in proof.read_as)
    with contextlib.suppress(ParseError):
        assert prove(claim).answer.value != "proved"


@pytest.mark.parametrize("text", ["M", "M :=", ":= N", "M + 1 := N", "M := foo", "f(2) := N"])
def test_what_gives_no_meaning(text) -> None:
    with pytest.raises(ParseError):
        prove("1 == 1", let=[text])


def test_a_function_may_be_defined() -> None:
    definitions = ["f(x) == E + g*x^2", "g == 3"]
    assert prove("f(N) == E + 3*N^2", define=definitions).answer.value == "proved"
    assert prove("f(N) == E + N^2", define=definitions).answer.value == "refuted"
