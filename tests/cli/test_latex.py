"""isoflop latex."""

import re

import pytest

LAW = ("--law", "besiroglu2024")


def test_default_document(call):
    result = call("latex")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(r"\documentclass{article}")
    assert result.out.rstrip().endswith(r"\end{document}")
    assert re.findall(r"\\label\{iso:([^}]*)\}", result.out) == [
        "compute-optimal-envelope",
        "misallocation-penalty",
    ]
    assert result.out.count(r"\textbf{Status:} proved.") == 2
    assert r"\bibitem{hoffmann2022}" in result.out


def test_a_fragment_in_the_other_notation(call):
    out = call("latex", "penalty_tails", "--fragment", "--notation", "hoffmann").out
    assert r"\documentclass" not in out
    assert r"\begin{document}" not in out
    assert "% Needs the packages" in out
    assert r"\gamma" not in out


def test_short_names_and_how_much_of_a_proof(call):
    short, steps, none = (
        call("latex", "envelope", "--proof", proof).out for proof in ("short", "steps", "none")
    )
    assert short == call("latex", "compute_optimal_envelope").out
    assert call("latex", "envelope", "penalty").out == call("latex").out
    for text in (short, steps, none):
        assert text.count(r"\begin{theorem}") == 1
        assert text.count(r"\textbf{Status:} proved.") == 1
    assert steps.count(r"\item") > 10
    assert r"\item" not in short
    assert r"\begin{proof}" in short
    assert r"\begin{proof}" not in none
    assert len(none) < len(short) < len(steps)


def test_bibliography_of_a_fragment(call, tmp_path):
    path = tmp_path / "refs.bib"
    alone = call("latex", "optimum_by_lagrange", "--fragment", "--bib", path)
    assert (alone.code, alone.err) == (0, "")
    cited = set(re.findall(r"\\cite\{([^}]+)\}", alone.out))
    assert cited == set(re.findall(r"^@\w+\{([^,]+),", path.read_text(), re.MULTILINE))
    assert "thebibliography" not in alone.out


def test_an_interrupted_document_holds_what_was_finished(call, monkeypatch, tmp_path):
    from isoflop.theory.typeset.document import CheckedTheorem

    checked = CheckedTheorem.checked

    def interrupted(subject):
        if subject.name == "penalty_tails":
            raise KeyboardInterrupt
        return checked(subject)

    monkeypatch.setattr(CheckedTheorem, "checked", interrupted)
    path = tmp_path / "notes.tex"
    result = call("latex", "optimum_by_lagrange", "penalty_tails", "-o", path)
    assert (result.code, result.out) == (130, "")
    assert "1 of 2" in result.err
    assert path.read_text(encoding="utf-8").endswith("\\end{document}\n")
    path.unlink()
    result = call("latex", "penalty_tails", "-o", path)
    assert result.code == 130
    assert not path.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["penalty_tail"],
            "NAME 'penalty_tail': is none of the",
        ),
        (["penalty_tails", "--all"], "--all: means every theorem"),
        (["envelope", "--proof", "long"], "--proof 'long': must be one of short, steps, none"),
        (["penalty_tails", "--columns", "2"], "unknown option --columns"),
        (["penalty_tails", "--bib", "no/such/folder/x.bib"], "--bib 'no/such/folder/x.bib'"),
    ],
)
def test_bad_input(call, words, message):
    result = call("latex", *words)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert len(result.err.splitlines()) == 1
