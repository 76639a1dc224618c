"""isoflop prove."""

import json

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

DONE, NEGATIVE, BAD, NO_VERDICT = 0, 1, 2, 3
ALPHA = "alpha == beta*gamma/(beta + gamma)"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([ALPHA], DONE),
        (["alpha == beta"], NEGATIVE),
        (["sqrt(5 + 2*sqrt(6)) == sqrt(2) + sqrt(3)"], NO_VERDICT),
        (["alpha == "], BAD),
        (["-alpha == -beta*gamma/(beta + gamma)"], DONE),
        (["-alpha==-beta"], NEGATIVE),
        (["--x == x"], DONE),
        (["-h == -h"], DONE),
        (["--format", "json", "-x=-x"], DONE),
        (["-N <= -N"], DONE),
        (["--latex", r"-\alpha = -\frac{\beta\gamma}{\beta+\gamma}"], DONE),
        ([r"\alpha = \frac{\beta\gamma}{\beta+\gamma}", "--latex"], DONE),
        (["--notation", "hoffmann", "alpha_C == alpha*beta/(alpha + beta)"], DONE),
        (["--notation", "hoffmann", "alpha == alpha*beta/(alpha + beta)"], NEGATIVE),
        (["C == 6*N*D", "--assume", "C == 6*N*D"], DONE),
        (["C == 120*N^2", "--assume", "C == 6*N*D", "--assume", "D == 20*N"], DONE),
        (["x^2 >= x", "--assume", "x > 1"], DONE),
        (["x^2 >= x", "--assume=x < 1"], NEGATIVE),
        (["x >= -y", "--assume", "-x < y"], DONE),
        (["P(r) ~ w_N*r^-beta", "--as", "r -> 0"], DONE),
        (["P(r) ~ w_N*r^-beta", "--as", "r -> 0+"], DONE),
        (["P(r) ~ w_N*r^-beta", "--as", "r -> oo"], NEGATIVE),
        (["P(r) -> oo", "--as", "r -> oo"], DONE),
        (["L_opt -> E", "--as", "C -> oo"], DONE),
        (["12*N_opt*D_opt == C", "--budget", "12ND"], DONE),
        (["P(r) >= 1", "--budget", "kappa*N^a*D^d"], DONE),
        (["alpha == beta*w_N == gamma*w_D"], DONE),
        (["alpha == beta*w_N == gamma*w_N"], NEGATIVE),
    ],
)
def test_exit_status(call, words, code) -> None:
    result = call("prove", *words)
    assert (result.code, bool(result.err)) == (code, code == BAD), result
    assert bool(result.out) == (code != BAD)


def test_a_refutation_shows_a_point_and_both_values(call) -> None:
    result = call("prove", "alpha == beta")
    assert result.out.startswith("refuted: alpha == beta\n")
    assert "witness beta = " in result.out
    assert "lhs = " in result.out
    assert "rhs = " in result.out


def test_json(call) -> None:
    result = call("prove", "beta == alpha*(1 + beta/gamma) == 2*x", "--format", "json")
    assert result.code == NEGATIVE
    data = json.loads(result.out)
    assert list(data) == ["claim", "answer", "reading", "links", "free", "read_as"]
    assert (data["answer"], data["free"]) == ("refuted", ["x"])
    first, second = data["links"]
    assert list(first) == [
        "claim",
        "relation",
        "lhs",
        "rhs",
        "answer",
        "reason",
        "check",
        "conditions",
        "definitions",
        "derived",
        "correction",
        "witness",
    ]
    assert (first["answer"], first["witness"], first["claim"]) == (
        "proved",
        None,
        "beta == alpha*(1 + beta/gamma)",
    )
    assert (second["answer"], second["relation"]) == ("refuted", "==")
    witness = second["witness"]
    mp = mpmath.mp.clone()
    point = {
        name: mp.fraction(*map(int, f"{value}/1".split("/")[:2]))
        for name, value in witness["point"].items()
    }
    assert set(point) == {"beta", "gamma", "x"}
    assert mp.almosteq(mp.mpf(witness["lhs"]), point["beta"], 1e-9)  # alpha (1 + beta/gamma) = beta
    assert mp.almosteq(mp.mpf(witness["rhs"]), 2 * point["x"], 1e-9)


def test_conditions_are_listed(call) -> None:
    data = json.loads(call("prove", "x^2 >= x", "--assume", "x > 1", "--format", "json").out)
    assert data["links"][0]["conditions"] == ["x - 1 > 0"]


BAD_INPUT = [
    ([], ["CLAIM is missing", "--file"]),
    (["x", "==", "y"], ["CLAIM 'x' '==' 'y'", "quotes"]),
    (["x == y #"], ["cannot read '#' at position 8"]),
    (["x == foo"], ["unknown name 'foo' at position 6"]),
    ([r"x = \foo", "--latex"], ["foo' at position 5"]),
    (["__import__('os').system('true') == 1"], ["cannot read '_' at position 1"]),
    (["P(r) ~ 1"], ["needs its limit"]),
    (["P(r) ~ 1", "--as", "r"], ["'r'", "a limit reads"]),
    (["x == y", "--assume", "x"], ["'x'", "relation"]),
    (["x == y", "--notation", "foo"], ["--notation 'foo'", "hoffmann"]),
    (["x == y", "--budget", "N+D"], ["--budget 'N+D'"]),
    (["x == y", "--format", "xml"], ["--format 'xml'"]),
    (["x == y", "--asume", "x == y"], ["unknown option --asume", "--assume"]),
    (["--fil=paper.tex"], ["unknown option --fil", "--file"]),
    (["-x"], ["unknown option -x"]),
    (["x == y", "--begin", "a"], ["unknown option --begin"]),
    (["--file", "p.tex", "--format", "html"], ["--format 'html'"]),
    (["--file", "missing.tex"], ["--file 'missing.tex'", "cannot be read"]),
    (["x == y", "--file", "missing.tex"], ["CLAIM 'x == y'", "--file"]),
]


@pytest.mark.parametrize(("words", "named"), BAD_INPUT)
def test_bad_input_is_one_line(call, words, named) -> None:
    result = call("prove", *words)
    assert (result.code, result.out, result.err.count("\n")) == (BAD, "", 1)
    assert all(part in result.err for part in named), result.err


PAPER = r"""\documentclass{article}
\begin{document}
\[ x = y \]
% isoflop: begin
\begin{align}
  \alpha &= \frac{\beta\gamma}{\beta+\gamma} \label{eq:a} \\
         &= \beta \, w_N, \\
  L(N, D) &= E + A N^{-\beta} \notag \\
          &\quad + B D^{-\gamma}
\end{align}
and in words
\[ P(r) \sim w_N r^{-\beta} \quad \text{as } r \to 0. \]
% isoflop: end
\end{document}
"""


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_paper(call, in_folder) -> None:
    (in_folder / "paper.tex").write_text(PAPER, encoding="utf-8")
    result = call("prove", "--file", "paper.tex")
    assert (result.code, result.err) == (DONE, "")
    assert [line.split()[:3] for line in result.out.splitlines()[:-2]] == [
        ["line", n, "proved"] for n in ("6", "7", "8", "12")
    ]
    assert result.out.splitlines()[-2].split() == ["under", "r", "\\to", "0"]
    assert result.out.splitlines()[-1] == "paper.tex: 4 proved"


@pytest.mark.parametrize(
    ("row", "code", "answer"),
    [
        (r"w_N = \frac{\beta}{\beta + \gamma}", NEGATIVE, "refuted"),
        (r"\sqrt{5 + 2\sqrt{6}} = \sqrt{2} + \sqrt{3}", NO_VERDICT, "undecided"),
        (r"x = \int y", BAD, "unreadable"),
        (r"P(r) \sim 1", BAD, "unreadable"),
    ],
)
def test_the_worst_verdict_counts(call, in_folder, row, code, answer) -> None:
    (in_folder / "paper.tex").write_text(
        PAPER.replace("and in words", rf"\[ {row}. \]"), encoding="utf-8"
    )
    result = call("prove", "--file", "paper.tex")
    assert (result.code, result.err) == (code, "")
    assert f"line 11  {answer}" in result.out
    data = json.loads(call("prove", "--file", "paper.tex", "--format", "json").out)
    assert (data["file"], data["answer"], data["counts"][answer]) == ("paper.tex", answer, 1)
    (entry,) = [entry for entry in data["equations"] if entry["line"] == 11]
    assert entry["answer"] == answer
    assert (entry.get("witness") is not None) == (answer == "refuted")


def test_the_place_of_what_cannot_be_read(call, in_folder) -> None:
    (in_folder / "paper.tex").write_text(PAPER.replace("+ B D^", r"+ \int D^"), encoding="utf-8")
    result = call("prove", "--file", "paper.tex")
    column = (
        next(
            line.index(r"\int")
            for line in PAPER.replace("+ B D^", r"+ \int D^").splitlines()
            if r"\int" in line
        )
        + 1
    )
    assert rf"cannot read '\\int' at column {column}" in result.out
    assert "line  9  unreadable" in result.out


def test_assumptions_and_notation_hold_for_the_whole_paper(call, in_folder) -> None:
    text = "% isoflop: begin\n$$ C = 12 N D $$\n\\[ L = E + A/N^\\alpha + B/D^\\beta \\]\n% isoflop: end\n"
    (in_folder / "p.tex").write_text(text, encoding="utf-8")
    words = ("prove", "--file", "p.tex", "--notation", "hoffmann")
    assert call(*words, "--assume", "C == 12*N*D").code == DONE
    result = call(*words)
    assert result.code == NO_VERDICT
    assert "conflict" in result.out
    assert "--budget" in result.out


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"no equation", "no displayed equation"),
        (b"% isoflop: begin\n$$ x = y $$\n", "no '% isoflop: end' after it"),
        (b"% isoflop: begin\n% isoflop: end\n", "no displayed equation"),
        (b"\xff\xfe", "no text in UTF-8"),
    ],
)
def test_bad_papers(call, in_folder, content, named) -> None:
    (in_folder / "paper.tex").write_bytes(content)
    result = call("prove", "--file", "paper.tex")
    assert (result.code, result.out, result.err.count("\n")) == (BAD, "", 1)
    assert "--file 'paper.tex'" in result.err
    assert named in result.err


def test_a_bad_assumption_is_the_commands_mistake(call, in_folder) -> None:
    (in_folder / "paper.tex").write_text(PAPER, encoding="utf-8")
    result = call("prove", "--file", "paper.tex", "--assume", "foo == 1")
    assert (result.code, result.out) == (BAD, "")
    assert "'foo'" in result.err


def test_nothing_is_evaluated(call, in_folder) -> None:
    for claim in (
        "__import__('os').mkdir('made') == 1",
        "exec(1) == 1",
        "x.__class__ == 1",
        "[x for x in y] == 1",
        "lambda: x == 1",
    ):
        assert call("prove", claim).code == BAD
    assert list(in_folder.iterdir()) == []


WORDS = [
    "x == y",
    "-x == y",
    "--latex",
    "--assume",
    "x > 1",
    "--as",
    "r -> 0",
    "--notation",
    "hoffmann",
    "--format",
    "json",
    "--",
    "-",
    "-=",
    "",
]


@settings(max_examples=80)
@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=6))
def test_any_words(call, words) -> None:
    if any(word in ("-h", "--help") or word.startswith(("--output", "--file")) for word in words):
        return
    result = call("prove", *words)
    assert result.code in (DONE, NEGATIVE, BAD, NO_VERDICT)
    assert result.err.count("\n") == (result.code == BAD)
    assert bool(result.out) == (result.code != BAD)


WRONG = r"""% isoflop: k = kappa
\newcommand{\Nopt}{N_{\mathrm{opt}}}
\begin{document}
\begin{equation}\label{eq:n} \Nopt(C) = G (C/6)^{\alpha/(\alpha+\beta)} \end{equation}
\input{more}
\[ k N = \kappa N \]
\end{document}
"""


def test_the_report_in_each_form(call, in_folder) -> None:
    (in_folder / "paper.tex").write_text(WRONG, encoding="utf-8")
    (in_folder / "more.tex").write_text("\n\\[ x = 2 N \\] \\[ x = N + N \\]", encoding="utf-8")
    words = ("prove", "--file", "paper.tex", "--notation", "hoffmann")
    text = call(*words)
    assert (text.code, text.err) == (NEGATIVE, "")
    assert "(1) eq:n" in text.out
    assert "more.tex line 2  definition" in text.out
    data = json.loads(call(*words, "--format", "json").out)
    assert [(e["file"], e["line"], e["answer"]) for e in data["equations"]] == [
        ("paper.tex", 4, "refuted"),
        ("more.tex", 2, "definition"),
        ("more.tex", 2, "proved"),
        ("paper.tex", 6, "proved"),
    ]
    assert [(d["name"], d["line"], d["read"]) for d in data["definitions"]] == [("x", 2, True)]
    assert data["equations"][0]["label"] == "eq:n"


def test_what_is_not_read_is_listed(call, in_folder) -> None:
    text = WRONG.replace("% isoflop: k = kappa\n", "\\def\\x#1;{#1}\n")
    (in_folder / "paper.tex").write_text(text, encoding="utf-8")
    result = call("prove", "--file", "paper.tex", "--notation", "hoffmann")
    assert "themselves: more (line 5)" in result.out
    assert "not understood: \\x" in result.out


def test_an_interrupted_report_prints_what_was_decided(call, in_folder, monkeypatch) -> None:
    from isoflop.theory.verdicts import report

    verdicts_on = report.verdicts_on

    def interrupted(equation, facts):
        if "kappa" in equation.text:
            raise KeyboardInterrupt
        return verdicts_on(equation, facts)

    monkeypatch.setattr(report, "verdicts_on", interrupted)
    (in_folder / "paper.tex").write_text(WRONG, encoding="utf-8")
    result = call("prove", "--file", "paper.tex", "--notation", "hoffmann")
    assert result.code == 130
    assert "refuted" in result.out
    assert "interrupted" in result.err
