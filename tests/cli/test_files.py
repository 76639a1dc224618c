"""No command overwrites what it reads, nor writes two things into one file: refused before any
work.
"""

from pathlib import Path

import pytest

#: What cannot be read as any input: a command that began its work would say so instead.
CONTENT = "no table, no law, no paper\n"


@pytest.mark.parametrize(
    "words",
    [
        "latex --law ./file.json -o ./file.json",
        "latex --law x/../file.json --bib file.json",
        "penalty --law besiroglu2024,./linked.png --ratio 3 --plot file.png",
        "check file.png --plot file.png",
        "fit file.json --save ./x/../file.json",
        "backtest file.png --plot file.png",
        "latex envelope -o new.tex --bib x/../new.tex",
        "fit runs.csv --save new.png --plot new.png",
    ],
)
def test_a_file_is_read_or_written_once(refused, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    for ending in ("json", "png"):
        (tmp_path / f"file.{ending}").write_text(CONTENT)
    (tmp_path / "linked.png").symlink_to(tmp_path / "file.png")
    refused(("are one file",), words)
    assert all(path.read_text() == CONTENT for path in tmp_path.glob("file.*"))
    assert not list(tmp_path.glob("new.*"))


def test_names_are_no_files(call, tmp_path, monkeypatch):
    """A published law that shares its name with the output, and a table of simulate that does."""
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        words = "latex envelope --law besiroglu2024 --proof none -o besiroglu2024"
        assert call(words) == (0, "", "")
        assert call("simulate runs -o runs") == (0, "", "")


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there is no /dev/null")
def test_a_device_may_be_written_twice(call):
    assert call("latex envelope --bib /dev/null -o /dev/null").code == 0
