"""What the equations of a document come to: small documents whose truth is known."""

import json
import re
from pathlib import Path

import pytest

from isoflop.theory.claim.document import pieces_of
from isoflop.theory.claim.paper import Judgement
from isoflop.theory.claim.paper import judged as judged_pieces

HERE = Path(__file__).parent
SHORT = {
    **{answer: answer[0] for answer in ("proved", "refuted", "undecided", "definition", "given")},
    **{"unreadable": "x", "at the optimum": "o"},
}
LAW = r"\[ L(N, D) = E + \frac{A}{N^\alpha} + \frac{B}{D^\beta} \]"
OURS = r"\[ L(N, D) = E + A N^{-\beta} + B D^{-\gamma} \]"


def judged(text: str) -> list[Judgement]:
    return judged_pieces(pieces_of(text, "paper.tex", str)[0], 30.0)[1]


def answers(text: str) -> str:
    return "".join(SHORT[one.answer] for one in judged(text))


def blocks(name: str) -> list[tuple[str, str]]:
    """What a file has behind `%%`, and up to the next one."""
    text = re.sub("(?m)^%%%.*\n", "", (HERE / name).read_text(encoding="utf-8"))
    found = (block.partition("\n") for block in re.split("(?m)^%% ", text)[1:])
    return [(head, body) for head, _, body in found]


#: Every sixth is enough for the fast tests.
DOCUMENTS, SIXTH = blocks("documents.tex"), slice(None, None, 6)


@pytest.mark.parametrize("part", [SIXTH, pytest.param(slice(None), marks=pytest.mark.slow)])
def test_documents(part) -> None:
    for verdicts, text in DOCUMENTS[part]:
        body = text.replace(r"\hoffmann", LAW).replace(r"\ours", OURS)
        assert (answers(body), body) == (verdicts, body)


@pytest.mark.slow
@pytest.mark.parametrize("with_notation", [True, False])
@pytest.mark.parametrize(("head", "text"), blocks("printed_equations.tex"))
def test_equations_as_papers_print_them(head, text, with_notation) -> None:
    _, notation, *let = (part.strip() for part in head.split("|"))
    declared = [f"notation {notation}"] * with_notation + [f"let {meaning}" for meaning in let]
    rows = [(n, x.split("|")) for n, x in enumerate(text.split("\n"), 1) if x[:2] == "% "]
    found: dict[int, list[str]] = {n: [] for n, _ in rows}
    for one in judged("".join(f"% isoflop: {line}\n" for line in declared) + text):
        line = one.piece.line - len(declared)
        found[max(n for n in found if n <= line)].append(one.answer.replace(" ", "-"))
    for n, (name, truth, wanted) in rows:
        assert not with_notation or found[n] == wanted.split(), name
        is_wrong = truth.strip() == "wrong"
        assert {"refuted", "undecided"} & {*found[n]} if is_wrong else "refuted" not in found[n], (
            name
        )


OPEN = {"undecided", "unreadable"}
#: What may become of a display by what it is.
ALLOWED = {
    "true": {"proved", *OPEN},
    "false": {"refuted", *OPEN},
    "optimum": {"at the optimum", *OPEN},
}


@pytest.mark.slow
def test_no_display_is_misjudged_and_few_are_left_open() -> None:
    decided = {truth: [0, 0] for truth in ALLOWED}
    for law, body in blocks("displays.tex"):
        for truth, display in (row.split(" | ", 1) for row in body.strip().splitlines()):
            found = judged(f"{law}\n\\[ {display} \\]")
            answers = {one.answer for one in found if one.piece.line == 2} - {"given"}
            is_refuted = truth == "false" and "refuted" in answers  # in one of its links
            assert is_refuted or set() < answers <= ALLOWED[truth], (law, display, answers)
            decided[truth][0] += not answers & OPEN
            decided[truth][1] += 1
    shares = {truth: some / every for truth, (some, every) in decided.items()}
    assert (shares["true"] >= 0.95, shares["false"] >= 0.78) == (True, True), shares


PAPER = r"""
\newcommand{\Nopt}{N_{\mathrm{opt}}}
\newcommand{\pow}[2]{#1^{#2}}
\begin{document}
\begin{equation}\label{eq:law}
  L(N, D) = E + \frac{A}{\pow{N}{\alpha}} + \frac{B}{D^{\beta}}.
\end{equation}
\begin{align}
  \Nopt(C) &= G \left(\frac{C}{6}\right)^{\frac{\beta}{\alpha + \beta}}, \label{eq:n} \\
  D_{\mathrm{opt}}(C) &= G^{-1} \left(\frac{C}{6}\right)^{\frac{\alpha}{\alpha + \beta}}, \tag{3}
\end{align}
where $G = \left(\frac{\alpha A}{\beta B}\right)^{\frac{1}{\alpha + \beta}}$. Put $x = \alpha / \beta$. Then
\[ \frac{\beta}{\alpha + \beta} = \frac{1}{1 + x}. \]
\begin{equation}\label{eq:least}
  L_{\mathrm{opt}} = E + \left(1 + \frac{\alpha}{\beta}\right) A \Nopt^{-\alpha}.
\end{equation}
\end{document}
"""
#: One slip each: what is right in the document, and what stands there instead.
SLIPS = [
    (r"\right)^{\frac{\beta}", r"\right)^{\frac{\alpha}"),
    (r"G \left(\frac{C}{6}", r"G \left(\frac{C}{2}"),
    (r"= G^{-1}", "= G"),
    (r"(\frac{\alpha A}{\beta B}", r"(\frac{\beta A}{\alpha B}"),
    (r"^{\frac{1}{\alpha + \beta}}$", r"^{\frac{2}{\alpha + \beta}}$"),
    (r"\frac{1}{1 + x}", r"\frac{x}{1 + x}"),
    (r"x = \alpha / \beta", r"x = \beta / \alpha"),
    (r"1 + \frac{\alpha}{\beta}\right", r"1 + \frac{\beta}{\alpha}\right"),
    (r"\Nopt^{-\alpha}", r"\Nopt^{\alpha}"),
    (r"= E + \left(1", r"= E - \left(1"),
    (r"{D^{\beta}}.", r"{D^{\alpha}}."),
]


def test_a_paper_without_slips() -> None:
    found = judged(PAPER)
    assert answers(PAPER) == "gpppdpp"
    labels = [(one.piece.line, one.piece.label) for one in found if one.piece.label]
    assert labels == [(6, "eq:law"), (9, "eq:n"), (10, "3"), (15, "eq:least")]
    assert found[2].proof is not None
    assert found[2].proof.reading == "N_opt(C) == G*(C/6)^(beta/(alpha + beta))"


def test_documents_do_not_share_their_letters() -> None:
    for a, b in ("xy", "yx", "xy"):
        law = rf"\[ L(N, D) = E + A N^{{-{a}}} + B D^{{-{b}}} \]"
        assert answers(rf"{law} \[ N^* \propto C^{{x/(x+y)}} \]") == ("gp" if b == "x" else "gr")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [SLIPS[0], *(pytest.param(*slip, marks=pytest.mark.slow) for slip in SLIPS[1:])],
)
def test_a_slip_is_never_proved_silently(right, wrong) -> None:
    assert PAPER.count(right) == 1
    found = judged(PAPER.replace(right, wrong))
    refuted = [one for one in found if one.answer == "refuted"]
    assert refuted or (wrong == r"{D^{\alpha}}." and "undecided" in {one.answer for one in found})
    if (right, wrong) == SLIPS[0]:
        assert refuted[0].link is not None
        assert "exchanged" in refuted[0].link.correction


def test_what_is_not_judged_names_the_line_that_settles_it() -> None:
    cases = {
        OURS + r"\[ w_D > w_N \]": r"assume \beta > \gamma",
        OURS + r"\[ N^* = k C^{w_N} \]": "let k = ...",
        r"\[ N^* = G (C/6)^{w_N} \]": "notation schaeffer",
        OURS + r"\[ F = 3 N D \] \[ N^* D^* = C/6 \]": "budget F = 3*D*N",
        r"\[ \beta < \gamma \]": r"assume \beta < \gamma",
    }
    assert {text: judged(text)[-1].remedy for text in cases} == cases


# -- the command -----------------------------------------------------------------------------------


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("row", "code", "answer"),
    [
        (r"w_N + w_D = 1", 0, "proved"),
        (r"w_N = \frac{\beta}{\beta + \gamma}", 1, "refuted"),
        (r"x = \int y", 2, "unreadable"),
        (r"w_D > w_N", 3, "undecided"),
    ],
)
def test_the_status_is_that_of_the_worst_verdict(run_cli, in_folder, row, code, answer) -> None:
    (in_folder / "paper.tex").write_text(f"{OURS}\n\\[ {row} \\]", encoding="utf-8")
    result = run_cli("verify", "paper.tex")
    assert (result.code, result.err) == (code, "")
    assert (row in result.out) == (answer != "proved")
    assert row in run_cli("verify", "paper.tex", "--all").out
    data = json.loads(run_cli("verify", "paper.tex", "--format", "json").out)
    entry = data["equations"][-1]
    assert (data["counts"][answer], entry["line"], entry["answer"]) == (1, 2, answer)
    assert (entry.get("witness") is not None) == (answer == "refuted")


def test_refuted_rows_come_first_and_files_are_followed(run_cli, in_folder) -> None:
    text = f"{OURS}\n\\[ w_D > w_N \\]\n\\input{{more}} \\input{{none}}\n"
    (in_folder / "paper.tex").write_text(text, encoding="utf-8")
    (in_folder / "more.tex").write_text("\n\\input{paper}\\[ w_N = w_D \\]", encoding="utf-8")
    lines = run_cli("verify", "paper.tex").out.splitlines()
    assert lines[0].startswith("more.tex line 2  refuted")
    assert any(line.startswith("line 2  not judged") for line in lines)
    assert "paper (line 2), none (line 3)" in lines[-2]
    assert lines[-1] == "paper.tex: 1 refuted, 1 not judged, 1 given (--all lists them)"


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"no equation", "no displayed equation"),
        (b"\xff\xfe", "no text in UTF-8"),
        (b"\\def\\x{\\x} \\[ \\x \\]", "does not come to an end"),
        (b"\\newcommand{\\x}{", "never closed"),
    ],
)
def test_bad_papers(run_cli, in_folder, content, named) -> None:
    (in_folder / "paper.tex").write_bytes(content)
    result = run_cli("verify", "paper.tex")
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert "'paper.tex'" in result.err
    assert named in result.err
