"""What the package prints, it proves: every display of `derive` and `latex` goes back through
`verify`.
"""

import json
import re

import pytest

NOTATIONS = ("schaeffer", "hoffmann")
#: Of an expansion, whose order term is not judged, and of the numerically safe form of the penalty;
#: quantities of a run of which a claim says nothing.
NOT_JUDGED = (r"O\left(", r"\varphi_2", "k_D", "eff", "crit")


def verdicts(run_cli, folder, notation, *words):
    printed = run_cli(*words, "--notation", notation)
    assert printed.code == 0, printed.err
    path = folder / "printed.tex"
    text = re.sub(r"\\intertext\{.*\}\n", r"\\\\ ", printed.out)  # words, of which nothing is read
    path.write_text(text, encoding="utf-8")
    report = run_cli("verify", path, "--format", "json")
    assert report.out, report.err
    return json.loads(report.out)["equations"]


@pytest.mark.parametrize("notation", NOTATIONS)
def test_what_derive_prints_is_proved(run_cli, tmp_path, notation) -> None:
    entries = verdicts(run_cli, tmp_path, notation, "derive", "--format", "latex")
    assert len(entries) > 25
    left = [entry for entry in entries if entry["answer"] not in ("proved", "given")]
    claims = [entry["claim"] for entry in left]
    assert [claim for claim in claims if not any(x in claim for x in NOT_JUDGED)] == []
    assert "refuted" not in {entry["answer"] for entry in left}


@pytest.mark.parametrize("notation", NOTATIONS)
def test_what_latex_prints_is_proved(run_cli, tmp_path, notation) -> None:
    entries = verdicts(run_cli, tmp_path, notation, "latex", "--proof", "steps")
    assert len(entries) > 40
    left = [entry["claim"] for entry in entries if entry["answer"] != "proved"]
    assert [claim for claim in left if not any(x in claim for x in NOT_JUDGED)] == []


@pytest.mark.slow
@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", ["optimum_by_lagrange", "penalty_tails", "both_caps"])
def test_what_the_page_of_a_theorem_says_is_proved(run_cli, tmp_path, name, notation) -> None:
    entries = verdicts(run_cli, tmp_path, notation, "latex", name, "--proof", "steps")
    left = {entry["answer"] for entry in entries} - {"proved", "definition", "given"}
    assert left == set()
    assert sum(entry["answer"] == "proved" for entry in entries) >= 14
