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
READ = {"RUNS", "COUNTS", "TABLE", "LAW"}
PARSERS = {name: importlib.import_module(f"isoflop.cli.{name}").parser() for name in COMMANDS}


def actions(command, *placeholders):
    """Options and positions of a command that hold files; those of backtest are names of laws."""
    found = [action for action in PARSERS[command]._actions if action.metavar in placeholders]
    return [x for x in found if command != "backtest" or x.option_strings != ["--law"]]


def placed(action, path):
    """The words that name a file by an option or in a position."""
    return [action.option_strings[-1], path] if action.option_strings else [path]


OVERWRITING = [
    (name, read, write)
    for name in COMMANDS
    if name != "simulate"
    for read in actions(name, *READ)
    for write in actions(name, "FILE")
]
TWICE = [(name, *pair) for name in COMMANDS for pair in combinations(actions(name, "FILE"), 2)]


@pytest.fixture
def is_one(refused, tmp_path, monkeypatch):
    """Whether a command refuses words that name one file twice, and leaves it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    for ending in ("json", "png"):
        (tmp_path / f"file.{ending}").write_text(CONTENT)

    def check(command, *words, named=()):
        options = [(action.option_strings or [action.metavar])[-1] for action in named]
        refused(("are one file", *options), command, *words)
        assert all(path.read_text() == CONTENT for path in tmp_path.glob("file.*"))

    return check


def test_no_input_is_overwritten(is_one, tmp_path):
    for index, (command, read, write) in enumerate(OVERWRITING):
        path = tmp_path / ("file.png" if "--plot" in write.option_strings else "file.json")
        linked = tmp_path / f"{index}{path.suffix}"
        os.link(path, linked)
        place = (path, tmp_path / "x" / ".." / path.name, linked)[index % 3]
        is_file = PARSERS[command].file and read.option_strings
        words = [*placed(read, path), *placed(write, place)]
        is_one(command, *(["runs.csv"] if is_file else []), *words, named=(read, write))
    assert {"penalty", "latex", "fit", "check", "backtest"} <= {name for name, *_ in OVERWRITING}


def test_no_file_is_written_twice(is_one, tmp_path):
    for command, one, other in TWICE:
        words = [*placed(one, "new.png"), *placed(other, tmp_path / "new.png")]
        table = ["runs.csv"] if PARSERS[command].file else []
        is_one(command, *table, *words, named=(one, other))
        assert not (tmp_path / "new.png").exists()


@pytest.mark.parametrize(
    "words",
    [
        "latex --law ./file.json -o ./file.json",
        "penalty --law besiroglu2024,./file.png --ratio 3 --plot file.png",
        "check file.png --plot file.png",
    ],
)
def test_any_word_may_be_a_file(is_one, words):
    is_one(words)


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
