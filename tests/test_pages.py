"""Every command and every Python snippet of the README and of docs/ runs and prints what the page
shows.
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
LONGEST_README = 130
LINK = re.compile(r"\]\(([^)#:]+)\)")


def blocks(page: Path) -> list[tuple[str, str]]:
    """(kind, text) of the fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def console_commands(page: Path) -> Iterator[tuple[str, str]]:
    """(command line, expected output) of every `$ ...` of a page; `...` stands for lines left out."""
    for kind, text in blocks(page):
        if kind == "console":
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                yield command, output


COMMANDS = [(page, *parts) for page in PAGES for parts in console_commands(page)]
SNIPPETS = {page: [text for kind, text in blocks(page) if kind == "python"] for page in PAGES}


def test_the_readme_is_short_and_has_commands_and_snippets():
    assert len(PAGES[0].read_text(encoding="utf-8").splitlines()) <= LONGEST_README
    assert len(list(console_commands(PAGES[0]))) >= 3
    assert SNIPPETS[PAGES[0]]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_every_page_is_linked_from_the_readme():
    linked = {
        (ROOT / target).resolve() for target in LINK.findall(PAGES[0].read_text(encoding="utf-8"))
    }
    assert [page.name for page in PAGES[1:] if page not in linked] == []


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Where the commands of a page run one after the other: later ones read what earlier ones
    wrote.
    """
    made: dict[Path, Path] = {}

    def folder(page: Path) -> Path:
        if page not in made:
            made[page] = tmp_path_factory.mktemp(page.stem)
            shipped = (ROOT / "examples" / "runs.csv").read_text(encoding="utf-8")
            (made[page] / "examples").mkdir()
            for path in ("runs.csv", "examples/runs.csv"):
                (made[page] / path).write_text(shipped, encoding="utf-8")
            for kind, text in blocks(page):
                if kind in FILES:
                    (made[page] / FILES[kind]).write_text(text, encoding="utf-8")
            if "simulate_counts.py" in page.read_text(encoding="utf-8"):
                example("simulate_counts.py", made[page])
        return made[page]

    return folder


OUTPUTS: dict[tuple[str, Path], str] = {}


def example(name: str, folder: Path) -> str:
    """The output of an example, which has run there."""
    if (name, folder) not in OUTPUTS:
        words = [sys.executable, str(ROOT / "examples" / name)]
        done = subprocess.run(
            words, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=True
        )
        OUTPUTS[name, folder] = done.stdout
    return OUTPUTS[name, folder]


#: Blocks of a page that its commands read.
FILES = {"latex": "paper.tex", "markdown": "derivation.md"}
#: What later commands of a page read, and the command that writes it: a worker may have only some
#: of a page.
WRITTEN = {
    "fit.json": ("fit", "runs.csv", "--save"),
    "evaluations.csv": ("simulate", "--seed", "1", "-o"),
}


def written(name: str, folder: Path, run_cli) -> None:
    if not (folder / name).is_file():
        words = [folder / word if word.endswith(".csv") else word for word in WRITTEN[name]]
        assert run_cli(*words, folder / name).code == 0


#: Bootstraps that take seconds: the slow tests have them, beside that of the README.
LONG = ("isoflop check runs.csv --plot", "isoflop fit counts.csv", "isoflop backtest")


@pytest.mark.parametrize(
    ("page", "command", "expected"),
    [
        pytest.param(*row, marks=[pytest.mark.slow] if row[1].startswith(LONG) else [])
        for row in COMMANDS
    ],
    ids=[f"{page.stem}: {command}" for page, command, _ in COMMANDS],
)
def test_command(page, command, expected, run_cli, folders, monkeypatch):
    words = shlex.split(command)
    if words[0] == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        assert re.search(rf"^{re.escape(words[1])}:", makefile, flags=re.MULTILINE)
        return
    folder = folders(page)
    if words[0] == "python":
        assert example(Path(words[1]).name, folder) == expected
        return
    assert words[0] == "isoflop"
    for name in set(words[:-1]) & WRITTEN.keys():
        written(name, folder, run_cli)
    monkeypatch.chdir(folder)
    result = run_cli(*words[1:])
    is_refuted = re.search(r"^refuted|: ([0-9]+ )?refuted", expected)
    assert result.code == (1 if is_refuted else 0), result.err
    shown = [line.rstrip() for line in result.out.splitlines()]
    wanted = [line.rstrip() for line in expected.splitlines()]
    position = 0
    for chunk in chunks(wanted):
        starts = [i for i in range(position, len(shown) + 1) if shown[i : i + len(chunk)] == chunk]
        assert starts, (
            "not in the output: " + "\n".join(chunk) + "\n--- output\n" + "\n".join(shown)
        )
        position = starts[0] + len(chunk)
    if "..." not in wanted:
        assert [line for line in shown if line] == [line for line in wanted if line]


def chunks(lines: list[str]) -> Iterator[list[str]]:
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


@pytest.mark.parametrize(
    "page", [page for page in PAGES if SNIPPETS[page]], ids=lambda page: page.stem
)
def test_snippets_in_the_order_of_the_page(page, folders, run_cli, monkeypatch):
    monkeypatch.chdir(folders(page))
    assert all(">>>" in text for text in SNIPPETS[page]), (
        "write snippets as doctests, so that their output is checked"
    )
    for name in WRITTEN:
        if any(name in text for text in SNIPPETS[page]):
            written(name, folders(page), run_cli)
    parsed = doctest.DocTestParser().get_doctest(
        "\n".join(SNIPPETS[page]), {}, page.stem, str(page), 0
    )
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    report: list[str] = []
    result = runner.run(parsed, out=report.append)
    assert result.attempted
    assert not result.failed, "".join(report)
