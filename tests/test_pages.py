"""Every command and every Python snippet of the README and of docs/ runs and prints what the page
shows. `python -m tests.test_pages` (make pages) writes what the commands print now into the pages.
"""

import doctest
import io
import os
import re
import runpy
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from tests.conftest import ROOT, isoflop

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
LINK = re.compile(r"\]\(([^)#:]+)\)")
#: Blocks of a page that its commands read, by their language.
FILES = {"latex": "paper.tex", "markdown": "derivation.md"}
#: Commands, and pages of snippets, that take seconds of bootstraps or of proofs that other tests have:
#: only the slow tests run them.
LONG = ("isoflop check ", "isoflop fit counts.csv", "isoflop backtest", "isoflop latex", "passk")
RESULTS: dict[str, tuple[int, str]] = {}
DOCTEST = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page: Path) -> list[tuple[str, str]]:
    """(language, text) of the fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def commands(page: Path) -> Iterator[tuple[str, str]]:
    """(command line, shown output) of every `$ ...` of a page; `...` stands for lines left out."""
    for language, text in blocks(page):
        if language == "console":
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                yield command, output


def prepare(page: Path, folder: Path) -> None:
    """Write the files that the commands of a page read, and let them run there."""
    (folder / "examples").mkdir()
    shipped = (ROOT / "examples" / "runs.csv").read_text(encoding="utf-8")
    for path in ("runs.csv", "examples/runs.csv"):
        (folder / path).write_text(shipped, encoding="utf-8")
    for language, text in blocks(page):
        if language in FILES:
            (folder / FILES[language]).write_text(text, encoding="utf-8")


def run(command: str) -> tuple[int, str]:
    """The exit status of a command line of a page, and what it prints; once for all pages where no
    file is named.
    """
    if command not in RESULTS or re.search(r"\.\w", command):
        RESULTS[command] = run_here(command)
    return RESULTS[command]


def run_here(command: str) -> tuple[int, str]:
    program, *words = shlex.split(command)
    if program == "isoflop":
        result = isoflop(*words)
        return result.code, result.out + result.err
    assert program == "python"
    printed = io.StringIO()
    with redirect_stdout(printed):
        runpy.run_path(str(ROOT / words[0]), run_name="__main__")
    return 0, printed.getvalue()


def differs(shown: str, printed: str) -> bool:
    """Whether a page shows something else than is printed, apart from lines left out and spaces."""
    parts = re.split(r"^\.\.\.$", re.sub(r" +$", "", shown, flags=re.MULTILINE), flags=re.MULTILINE)
    lines = "".join(f"{line.rstrip()}\n" for line in printed.splitlines() if line.strip())
    wanted = ["".join(f"{x}\n" for x in part.splitlines() if x) for part in parts]
    pattern = "(?s:.*)".join(map(re.escape, wanted))
    return re.fullmatch(pattern, lines) is None


@pytest.mark.parametrize(
    ("page", "in_full"),
    [
        *((page, False) for page in PAGES),
        *(pytest.param(page, True, marks=pytest.mark.slow) for page in PAGES),
    ],
    ids=lambda value: value.stem if isinstance(value, Path) else "in full" if value else "",
)
def test_page(page: Path, in_full: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = [command for command, _ in commands(page)]
    snippets = [text for language, text in blocks(page) if language == "python"]
    has_long = any(command.startswith(LONG) for command in (*every, page.stem))
    if in_full and not has_long:
        pytest.skip("the fast test runs all of this page")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["example.py"])
    prepare(page, tmp_path)
    wrong = []
    for command, shown in commands(page):
        if in_full or not command.startswith(LONG):
            code, printed = run(command)
            is_refuted = re.search(r"^refuted|: ([0-9]+ )?refuted", shown)
            if code != (1 if is_refuted else 0) or differs(shown, printed):
                wrong.append(f"$ {command}\n{printed}")
    assert not wrong, "\n".join(wrong)
    assert all(">>>" in text for text in snippets)
    if in_full or page.stem not in LONG:
        parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=DOCTEST)
        report: list[str] = []
        test = parser.get_doctest("\n".join(snippets), {}, page.stem, str(page), 0)
        assert runner.run(test, out=report.append).failed == 0, "".join(report)


def test_the_readme_is_short_and_links_lead_somewhere() -> None:
    readme = PAGES[0].read_text(encoding="utf-8")
    assert len(readme.splitlines()) <= 130
    assert {page.relative_to(ROOT).as_posix() for page in PAGES[1:]} <= {*LINK.findall(readme)}
    for page in PAGES:
        targets = LINK.findall(page.read_text(encoding="utf-8"))
        assert [target for target in targets if not (page.parent / target).exists()] == []


def renew(page: Path) -> None:
    """Write what the commands print into a page, except where it leaves lines out."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare(page, Path(folder))
        for command, shown in commands(page):
            printed = run(command)[1]
            if differs(shown, printed) and not re.search(r"^\.\.\.$", shown, re.MULTILINE):
                text = text.replace(f"$ {command}\n{shown}", f"$ {command}\n{printed}")
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for each in PAGES:
        renew(each)
