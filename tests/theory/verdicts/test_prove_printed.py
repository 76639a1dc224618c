"""What the package prints, it proves: every display of `derive` and `latex` goes back through
`verify`.
"""

import json

import pytest

NOTATIONS = ("schaeffer", "hoffmann")
#: Values of a function without a formula, which are not read.
OF_ANY_FUNCTION = r"h\left("
NO_VERDICT = ("refuted", "unreadable", "undecided", "conflict")


def verdicts(run_cli, folder, notation, *words):
    printed = run_cli(*words, "--notation", notation)
    assert printed.code == 0, printed.err
    path = folder / "printed.tex"
    path.write_text(printed.out, encoding="utf-8")
    report = run_cli("verify", path, "--format", "json")
    assert report.out, report.err
    return json.loads(report.out)["equations"]


@pytest.mark.parametrize("notation", NOTATIONS)
def test_what_derive_prints_is_proved(run_cli, tmp_path, notation) -> None:
    entries = verdicts(run_cli, tmp_path, notation, "derive", "--format", "latex")
    assert len(entries) > 25
    assert [entry for entry in entries if entry["answer"] not in ("proved", "given")] == []


@pytest.mark.parametrize("notation", NOTATIONS)
def test_what_latex_prints_is_proved(run_cli, tmp_path, notation) -> None:
    entries = verdicts(run_cli, tmp_path, notation, "latex", "--proof", "steps")
    assert len(entries) > 50
    assert [
        (entry["line"], entry["claim"]) for entry in entries if entry["answer"] != "proved"
    ] == []


@pytest.mark.slow
@pytest.mark.parametrize("notation", NOTATIONS)
def test_of_all_theorems_that_latex_prints_none_is_left_unproved(
    run_cli, tmp_path, notation
) -> None:
    entries = verdicts(run_cli, tmp_path, notation, "latex", "--all", "--proof", "steps")
    left = [
        (e["line"], e["claim"])
        for e in entries
        if e["answer"] in NO_VERDICT and OF_ANY_FUNCTION not in e["claim"]
    ]
    assert left == []
    assert sum(entry["answer"] == "proved" for entry in entries) > 1500
