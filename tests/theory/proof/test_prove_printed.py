"""What the package prints, it proves: every display of `derive` and `latex` goes back through
`prove --file`.
"""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

NOTATIONS = ("schaeffer", "hoffmann")
#: By theorem, how many claims of its statement and its proof `prove` refutes (definitions and
#: conditions that the text states elsewhere), cannot read and leaves undecided. Nothing may be
#: added.
NOT_PROVED = json.loads(
    Path(__file__).with_name("printed_not_proved.json").read_text(encoding="utf-8")
)
ANSWERS = ("refuted", "unreadable", "undecided")


def verdicts(run_cli, folder, notation, *words):
    printed = run_cli(*words, "--notation", notation)
    assert printed.code == 0, printed.err
    path = folder / "printed.tex"
    path.write_text(f"% isoflop: begin\n{printed.out}\n% isoflop: end\n", encoding="utf-8")
    report = run_cli("prove", "--file", path, "--notation", notation, "--format", "json")
    assert report.out, report.err
    return json.loads(report.out)["equations"]


@pytest.mark.parametrize("notation", NOTATIONS)
def test_what_derive_prints_is_proved(run_cli, tmp_path, notation) -> None:
    entries = verdicts(run_cli, tmp_path, notation, "derive", "--format", "latex")
    assert len(entries) > 25
    assert [entry for entry in entries if entry["answer"] != "proved"] == []


@pytest.mark.parametrize("notation", NOTATIONS)
def test_what_latex_prints_is_proved(run_cli, tmp_path, notation) -> None:
    entries = verdicts(run_cli, tmp_path, notation, "latex", "--no-macros")
    assert len(entries) > 50
    assert [
        (entry["line"], entry["claim"]) for entry in entries if entry["answer"] != "proved"
    ] == []


@pytest.mark.slow
@pytest.mark.parametrize("notation", NOTATIONS)
def test_of_all_theorems_that_latex_prints_no_more_is_left_unproved(
    run_cli, tmp_path, notation
) -> None:
    entries = verdicts(run_cli, tmp_path, notation, "latex", "--all", "--no-macros")
    lines = (tmp_path / "printed.tex").read_text(encoding="utf-8").splitlines()
    theorem, of_line = "", {}
    for number, line in enumerate(lines, 1):
        label = re.search(r"\\label\{iso:([a-z0-9-]+)\}", line)
        theorem = label[1].replace("-", "_") if label else theorem
        of_line[number] = theorem
    found = Counter((of_line[entry["line"]], entry["answer"]) for entry in entries)
    more = {
        (name, answer): (count, allowed)
        for (name, answer), count in found.items()
        if answer in ANSWERS
        and count
        > (allowed := dict(zip(ANSWERS, NOT_PROVED.get(name, (0, 0, 0)), strict=True))[answer])
    }
    assert more == {}
    assert sum(count for (_, answer), count in found.items() if answer == "proved") > 1250
