"""No command overwrites what it reads, nor writes two things into one file: refused before any
work.
"""

import importlib
import os
import re
from itertools import combinations
from pathlib import Path

import pytest

from isoflop import cli
from isoflop.cli import COMMANDS

#: What cannot be read as any input: a command that began its work would say so instead.
CONTENT = "no table, no law, no paper\n"
READ = {"RUNS", "COUNTS", "TABLE", "LAW", "PAPER.tex"}


def actions(command):
    return importlib.import_module(f"isoflop.cli.{command.replace('-', '_')}").parser()._actions


def placed(action, path):
    """The words that name a file by an option or in a position."""
    return [action.option_strings[-1], path] if action.option_strings else [path]


def outputs(command):
    return [action for action in actions(command) if action.metavar == "FILE"]


def inputs(command):
    """Options that take a file to read; those of backtest take names of forms as --law."""
    forms = {"backtest"}
    found = [action for action in actions(command) if action.metavar in READ]
    found = [
        action for action in found if not (action.option_strings == ["--law"] and command in forms)
    ]
    return [action for action in found if action.option_strings or action.metavar != "TABLE"]


OVERWRITING = [
    (name, read, write) for name in COMMANDS for read in inputs(name) for write in outputs(name)
]
TWICE = [(name, *pair) for name in COMMANDS for pair in combinations(outputs(name), 2)]


def called(values):
    return [
        f"{name}: {(one.option_strings or [one.metavar])[-1]} {other.option_strings[-1]}"
        for name, one, other in values
    ]


def refused(result, path):
    assert (result.code, result.out) == (2, "")
    assert result.err.count("\n") == 1
    assert "are one file" in result.err
    assert path.read_text() == CONTENT if path.exists() else True


@pytest.mark.parametrize(("command", "read", "write"), OVERWRITING, ids=called(OVERWRITING))
def test_no_input_is_overwritten(run_cli, tmp_path, command, read, write):
    path, other = tmp_path / "file.json", tmp_path / "linked.json"
    path.write_text(CONTENT)
    os.link(path, other)
    for spelt in (path, tmp_path / "." / "x" / ".." / "file.json", other):
        (tmp_path / "x").mkdir(exist_ok=True)
        result = run_cli(command, *placed(read, path), *placed(write, spelt))
        refused(result, path)
        for action in (read, write):
            assert (action.option_strings or [action.metavar])[-1] in result.err


@pytest.mark.parametrize(("command", "one", "other"), TWICE, ids=called(TWICE))
def test_no_file_is_written_twice(run_cli, tmp_path, monkeypatch, command, one, other):
    monkeypatch.chdir(tmp_path)
    result = run_cli(command, *placed(one, "new.png"), *placed(other, tmp_path / "new.png"))
    refused(result, tmp_path / "new.png")
    assert not (tmp_path / "new.png").exists()
    for action in (one, other):
        assert action.option_strings[-1] in result.err


def test_every_command_can_write():
    assert {name for name in COMMANDS if outputs(name)} == set(COMMANDS)
    assert {name for name, *_ in OVERWRITING} == set(COMMANDS) - {"laws", "simulate"}


def test_every_file_to_write_is_declared_as_one():
    """What a module asks for as a target has the placeholder of a file to write."""
    written = {action.option_strings[-1] for name in COMMANDS for action in outputs(name)}
    for source in Path(cli.__file__).parent.glob("*.py"):
        for option in re.findall(
            r"""(?<!def )\btarget\(options, "(--[a-z-]+)"\)""", source.read_text(encoding="utf-8")
        ):
            assert option in written, (source.name, option)


def test_a_python_file_to_verify_is_not_overwritten(run_cli, tmp_path):
    path = tmp_path / "derivation.py"
    path.write_text(CONTENT)
    refused(run_cli("verify", path, "-o", path), path)


def test_one_of_several_laws_is_not_overwritten(run_cli, tmp_path):
    path = tmp_path / "law.json"
    path.write_text(CONTENT)
    refused(run_cli("penalty", "--law", f"besiroglu2024,{path}", "--ratio", "3", "-o", path), path)


def test_names_are_no_files(run_cli, tmp_path, monkeypatch):
    """A published law that shares its name with the output, and a table of simulate that does."""
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert run_cli("laws", "besiroglu2024", "-o", "besiroglu2024") == (0, "", "")
        assert run_cli(
            "penalty", "--law", "besiroglu2024", "--ratio", "3", "-o", "besiroglu2024"
        ) == (0, "", "")
        assert run_cli("simulate", "runs", "-o", "runs") == (0, "", "")


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there is no /dev/null")
def test_a_device_may_be_written_twice(run_cli):
    assert (
        run_cli(
            "simulate", "counts", "--models", "/dev/null", "--gold", "/dev/null", "-o", "/dev/null"
        ).code
        == 0
    )
