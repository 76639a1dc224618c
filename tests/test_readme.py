"""Every command and every Python snippet of the README runs and prints what the README shows."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(README.parent / "src")}
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def console_commands():
    """(command line, expected output) of every `$ isoflop ...` in the console blocks; `...` stands for left-out lines."""
    for kind, text in BLOCKS:
        if kind == "console":
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                yield command, output


COMMANDS = list(console_commands())
SNIPPETS = [text for kind, text in BLOCKS if kind == "python"]


def test_the_readme_has_commands_and_snippets():
    assert len(COMMANDS) >= 6
    assert len(SNIPPETS) >= 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the commands run one after the other: later ones read what earlier ones wrote."""
    place = tmp_path_factory.mktemp("readme")
    _example("simulate_runs.py", place)
    _example("simulate_counts.py", place)
    return place


def _example(name, folder):
    """Run an example there; its output."""
    script = README.parent / "examples" / name
    done = subprocess.run([sys.executable, str(script)], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize(("command", "expected"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_command(command, expected, run_cli, folder, monkeypatch):
    words = shlex.split(command)
    if words[0] == "python":
        assert _example(Path(words[1]).name, folder) == expected
        return
    if words[0] == "make":
        makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
        assert re.search(rf"^{re.escape(words[1])}:", makefile, flags=re.MULTILINE)
        return
    assert words[0] == "isoflop"
    if "fit.json" in words[:-1]:
        assert (folder / "fit.json").is_file() or run_cli("fit", folder / "runs.csv", "--save", folder / "fit.json").code == 0
    monkeypatch.chdir(folder)
    result = run_cli(*words[1:])
    assert result.code == (1 if expected.startswith("refuted") else 0), result.err
    shown = [line.rstrip() for line in result.out.splitlines()]
    wanted = [line.rstrip() for line in expected.splitlines()]
    position = 0
    for chunk in _chunks(wanted):
        found = [i for i in range(position, len(shown) + 1) if shown[i : i + len(chunk)] == chunk]
        assert found, "not in the output: " + "\n".join(chunk) + "\n--- output\n" + "\n".join(shown)
        position = found[0] + len(chunk)
    if "..." not in wanted:
        assert [line for line in shown if line] == [line for line in wanted if line]


def _chunks(lines):
    chunk: list[str] = []
    for line in lines:
        if line == "...":
            yield chunk
            chunk = []
        else:
            chunk.append(line)
    while chunk and not chunk[-1]:
        chunk.pop()
    yield chunk


def test_snippets_in_the_order_of_the_page(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert all(">>>" in text for text in SNIPPETS), "write snippets as doctests, so that their output is checked"
    parsed = doctest.DocTestParser().get_doctest("\n".join(SNIPPETS), {}, "README", str(README), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    report: list[str] = []
    result = runner.run(parsed, out=report.append)
    assert result.attempted >= 15
    assert not result.failed, "".join(report)
