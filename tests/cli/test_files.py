"""No command overwrites what it reads, nor writes two things into one file: refused before any
work.
"""

import importlib
import os
from itertools import combinations
from pathlib import Path

import pytest

from isoflop.cli import COMMANDS

#: What cannot be read as any input: a command that began its work would say so instead.
CONTENT = "no table, no law, no paper\n"
READ = {"RUNS", "COUNTS", "TABLE", "LAW", "PAPER.tex"}


def actions(command, *placeholders):
    """Options and positions of a command that hold files; those of backtest are names of laws."""
    module = importlib.import_module(f"isoflop.cli.{command.replace('-', '_')}")
    found = [action for action in module.parser()._actions if action.metavar in placeholders]
    is_form = [command == "backtest" and action.option_strings == ["--law"] for action in found]
    return [action for action, form in zip(found, is_form, strict=True) if not form]


def placed(action, path):
    """The words that name a file by an option or in a position."""
    return [action.option_strings[-1], path] if action.option_strings else [path]


OVERWRITING = [
    (name, read, write)
    for name in COMMANDS
    for read in actions(name, *READ)
    if name != "simulate"
    for write in actions(name, "FILE")
]
TWICE = [(name, *pair) for name in COMMANDS for pair in combinations(actions(name, "FILE"), 2)]


def refused(result, path, *named):
    assert (result.code, result.out) == (2, "")
    assert result.err.count("\n") == 1
    assert "are one file" in result.err
    assert path.read_text() == CONTENT if path.exists() else True
    for action in named:
        assert (action.option_strings or [action.metavar])[-1] in result.err


def test_no_input_is_overwritten(run_cli, tmp_path):
    path, linked = tmp_path / "file.json", tmp_path / "linked.json"
    path.write_text(CONTENT)
    os.link(path, linked)
    (tmp_path / "x").mkdir()
    places = (path, tmp_path / "x" / ".." / "file.json", linked)
    for index, (command, read, write) in enumerate(OVERWRITING):
        result = run_cli(command, *placed(read, path), *placed(write, places[index % 3]))
        refused(result, path, read, write)
    assert {"penalty", "latex", "fit", "check", "backtest"} <= {name for name, *_ in OVERWRITING}


def test_no_file_is_written_twice(run_cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command, one, other in TWICE:
        result = run_cli(command, *placed(one, "new.png"), *placed(other, tmp_path / "new.png"))
        refused(result, tmp_path / "new.png", one, other)
        assert not (tmp_path / "new.png").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("latex", "--law", "FILE.json", "-o", "FILE.json"),
        ("penalty", "--law", "besiroglu2024,FILE.png", "--ratio", "3", "--plot", "FILE.png"),
        ("check", "FILE.png", "--plot", "FILE.png"),
    ],
)
def test_any_word_may_be_a_file(run_cli, tmp_path, words):
    words = [word.replace("FILE", f"{tmp_path}/file") for word in words]
    path = Path(words[-1])
    path.write_text(CONTENT)
    refused(run_cli(*words), path)


def test_names_are_no_files(run_cli, tmp_path, monkeypatch):
    """A published law that shares its name with the output, and a table of simulate that does."""
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        words = ("--law", "besiroglu2024", "--proof", "none", "-o", "besiroglu2024")
        assert run_cli("latex", "envelope", *words) == (0, "", "")
        assert run_cli("simulate", "runs", "-o", "runs") == (0, "", "")


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there is no /dev/null")
def test_a_device_may_be_written_twice(run_cli):
    places = ("--models", "/dev/null", "--gold", "/dev/null", "-o", "/dev/null")
    assert run_cli("simulate", "counts", *places).code == 0
