"""What the package prints, it proves: every display of `derive` and `latex` goes back through `prove --file`."""

import json

import pytest

NOTATIONS = ("schaeffer", "hoffmann")
#: Displays of `derive` that cannot be read yet: order terms are no values.
UNREAD = (r"O\left(s^{5}\right)", r"O\left((\log \rho)^{3}\right)")


def verdicts(run_cli, folder, notation, *words):
    printed = run_cli(*words, "--notation", notation)
    assert printed.code == 0, printed.err
    path = folder / "printed.tex"
    path.write_text(f"% isoflop: begin\n{printed.out}\n% isoflop: end\n", encoding="utf-8")
    return json.loads(run_cli("prove", "--file", path, "--notation", notation, "--format", "json").out)["equations"]


@pytest.mark.parametrize("notation", NOTATIONS)
def test_what_derive_prints_is_proved(run_cli, tmp_path, notation) -> None:
    entries = verdicts(run_cli, tmp_path, notation, "derive", "--format", "latex")
    rest = [entry for entry in entries if entry["answer"] != "proved"]
    assert len(entries) > 25
    assert [entry["answer"] for entry in rest] == ["unreadable"] * len(UNREAD), rest
    for entry, ending in zip(rest, UNREAD, strict=True):
        assert entry["claim"].endswith(ending)
        assert "an order term" in entry["reason"]


@pytest.mark.parametrize("notation", NOTATIONS)
def test_what_latex_prints_is_proved(run_cli, tmp_path, notation) -> None:
    entries = verdicts(run_cli, tmp_path, notation, "latex", "--no-macros")
    assert len(entries) > 50
    assert [(entry["line"], entry["claim"]) for entry in entries if entry["answer"] != "proved"] == []
