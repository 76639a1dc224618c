"""Verdicts on the equations of a document: documents and displays whose truth is known."""

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


def blocks(name: str) -> list[str]:
    """The blocks of a file, each of which begins with `%%`."""
    text = re.sub("(?m)^%%%.*\n", "", (HERE / name).read_text(encoding="utf-8"))
    return re.split("(?m)^%% ", text)[1:]


#: The fast suite judges one document in twelve.
DOCUMENTS, TWELFTH = blocks("documents.tex"), slice(None, None, 12)


@pytest.mark.parametrize("part", [TWELFTH, pytest.param(slice(None), marks=pytest.mark.slow)])
def test_documents(part) -> None:
    for verdicts, text in (block.split(maxsplit=1) for block in DOCUMENTS[part]):
        body = text.replace(r"\hoffmann", LAW).replace(r"\ours", OURS)
        assert (answers(body), body) == (verdicts, body)


@pytest.mark.slow
@pytest.mark.parametrize("with_notation", [True, False])
@pytest.mark.parametrize("block", blocks("printed_equations.tex"))
def test_equations_as_papers_print_them(block, with_notation) -> None:
    head, _, text = block.partition("\n")
    _, notation, *let = (part.strip() for part in head.split("|"))
    declared = [f"notation {notation}"] * with_notation + [f"let {meaning}" for meaning in let]
    notes = (line.rpartition("% ")[2].split(" | ") for line in text.split("\n"))
    rows = {n: note for n, note in enumerate(notes, 1) if len(note) == 3}
    found: dict[int, list[str]] = {n: [] for n in rows}
    for one in judged("".join(f"% isoflop: {line}\n" for line in declared) + text):
        line = one.piece.line - len(declared)
        found[max(n for n in found if n <= line)].append(one.answer.replace(" ", "-"))
    for n, (name, truth, wanted) in rows.items():
        assert not with_notation or found[n] == wanted.split(), name
        is_found = {"refuted", "undecided"} & {*found[n]}
        assert is_found if truth == "wrong" else "refuted" not in found[n], name


OPEN = {"undecided", "unreadable"}
#: The verdicts that are not wrong, by what a display is.
ALLOWED = {
    "true": {"proved", *OPEN},
    "false": {"refuted", *OPEN},
    "optimum": {"at the optimum", *OPEN},
}


@pytest.mark.slow
def test_no_display_is_misjudged_and_few_are_left_open() -> None:
    decided: dict[str, list[bool]] = {truth: [] for truth in ALLOWED}
    for law, _, body in (block.partition("\n") for block in blocks("displays.tex")):
        for row in re.split(r"\n| \|\| ", body.strip()):
            truth, display = row.split(" | ", 1)
            found = judged(f"{law}\n\\[ {display} \\]")
            answers = {one.answer for one in found if one.piece.line == 2} - {"given"}
            is_refuted = truth == "false" and "refuted" in answers  # in one of its links
            assert is_refuted or set() < answers <= ALLOWED[truth], (law, display, answers)
            decided[truth].append(not answers & OPEN)
    shares = {truth: sum(some) / len(some) for truth, some in decided.items()}
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
  D_{\mathrm{opt}}(C) &= G \left(\frac{C}{6}\right)^{\frac{\alpha}{\alpha + \beta}}, \tag{3}
\end{align}
where $G = \left(\frac{\alpha A}{\beta B}\right)^{\frac{1}{\alpha + \beta}}$. Put $x = \alpha / \beta$. Then
\[ \frac{\beta}{\alpha + \beta} = \frac{1}{1 + x}. \]
\end{document}
"""


def test_a_paper_has_labels_lines_and_readings() -> None:
    found = judged(PAPER)
    assert "".join(SHORT[one.answer] for one in found) == "gpprdp"
    labels = [(one.piece.line, one.piece.label) for one in found if one.piece.label]
    assert labels == [(6, "eq:law"), (9, "eq:n"), (10, "3")]
    assert found[2].proof is not None
    assert found[2].proof.reading == "N_opt(C) == G*(C/6)^(beta/(alpha + beta))"


def test_documents_do_not_share_their_letters() -> None:
    for a, b in ("xy", "yx", "xy"):
        law = rf"\[ L(N, D) = E + A N^{{-{a}}} + B D^{{-{b}}} \]"
        assert answers(rf"{law} \[ N^* \propto C^{{x/(x+y)}} \]") == ("gp" if b == "x" else "gr")


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
def verified(run_cli, tmp_path, monkeypatch):
    """The result of `isoflop verify paper.tex` for its content, beside a file that it may include."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "more.tex").write_text("\n\\input{paper}\\[ w_N = w_D \\]", encoding="utf-8")

    def run(content: str | bytes, *options: str):
        text = content.encode() if isinstance(content, str) else content
        (tmp_path / "paper.tex").write_bytes(text)
        return run_cli("verify", "paper.tex", *options)

    return run


@pytest.mark.parametrize(
    ("row", "code", "answer"),
    [
        (r"w_N + w_D = 1", 0, "proved"),
        (r"w_N = \frac{\beta}{\beta + \gamma}", 1, "refuted"),
        (r"x = \int y", 2, "unreadable"),
        (r"w_D > w_N", 3, "undecided"),
    ],
)
def test_the_status_is_that_of_the_worst_verdict(verified, row, code, answer) -> None:
    paper = f"{OURS}\n\\[ {row} \\]"
    result = verified(paper, "--format", "json")
    assert (result.code, result.err) == (code, "")
    data = json.loads(result.out)
    entry = data["equations"][-1]
    assert (data["counts"][answer], entry["line"], entry["answer"]) == (1, 2, answer)
    assert (entry.get("witness") is not None) == (answer == "refuted")
    if answer == "proved":
        assert row not in verified(paper).out
        assert row in verified(paper, "--all").out


def test_refuted_rows_come_first_and_files_are_followed(verified) -> None:
    lines = verified(
        f"{OURS}\n\\[ w_D > w_N \\]\n\\input{{more}} \\input{{none}}\n"
    ).out.splitlines()
    assert lines[0].startswith("more.tex line 2  refuted")
    assert any(line.startswith("line 2  not judged") for line in lines)
    assert "paper (line 2), none (line 3)" in lines[-2]
    assert lines[-1] == "paper.tex: 1 refuted, 1 not judged, 1 given (--all lists them)"


def test_bad_papers(verified) -> None:
    for content, complaint in {
        b"no equation": "no displayed equation",
        b"\xff\xfe": "not a text in UTF-8",
        b"\\def\\x{\\x} \\[ \\x \\]": "does not come to an end",
        b"\\newcommand{\\x}{": "never closed",
    }.items():
        result = verified(content)
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
        assert "'paper.tex'" in result.err
        assert complaint in result.err
