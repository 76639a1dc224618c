"""The wheel holds exactly the source tree, with links and without them, and works installed alone."""

import email
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import ROOT

import isoflop

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LINKED = ("theory", "numeric", "derivations")
SUFFIXES = (".py", ".md", ".toml", ".bib", ".csv", ".typed")


def tree() -> dict[str, Path]:
    """Every module, theorem, data file and marker by its place in the wheel; links are not
    followed.
    """
    folders = {"isoflop": ROOT / "src" / "isoflop", **{f"isoflop/{x}": ROOT / x for x in LINKED}}
    return {
        f"{place}/{path.relative_to(folder).as_posix()}": path
        for place, folder in folders.items()
        for base, _, names in os.walk(folder)
        for path in (Path(base, name) for name in names)
        if path.suffix in SUFFIXES
    }


def run(*command: object, cwd: Path, **more: Any) -> str:
    """What a command prints, which must succeed."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, cwd=cwd, **more)
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


def build(folder: Path, *, links: bool) -> Path:
    """The wheel that pip builds from a copy of what a clone would hold: files tracked, and files new
    but not ignored; without links, as in an archive of a system that has none.
    """
    source = folder / "source"
    for name in run("git", "ls-files", "-zco", "--exclude-standard", cwd=ROOT).split("\0")[:-1]:
        origin, target = ROOT / name, source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if origin.is_symlink() and links:
            target.symlink_to(origin.readlink())
        elif origin.is_file() and not origin.is_symlink():
            shutil.copyfile(origin, target)
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    run(*pip, "-w", folder, source, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


def contents(wheel: Path) -> tuple[dict[str, bytes], dict[str, str]]:
    """The wheel's files, and the texts of its metadata by their last name."""
    with zipfile.ZipFile(wheel) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    metadata = {x: text for x, text in held.items() if ".dist-info/" in x}
    files = {name: held[name] for name in held.keys() - metadata.keys()}
    return files, {x.partition(".dist-info/")[2]: text.decode() for x, text in metadata.items()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("linked"), links=True)


def test_packages_and_version() -> None:
    modules = [Path(place) for place in tree() if place.endswith(".py")]
    found = {module.parent.as_posix().replace("/", ".") for module in modules}
    assert sorted(PYPROJECT["tool"]["setuptools"]["packages"]) == sorted(found)
    assert {str(module.parent / "__init__.py") for module in modules} <= tree().keys()
    for name in LINKED:
        link = ROOT / "src" / "isoflop" / name
        assert (link.readlink(), link.resolve()) == (Path("..", "..", name), ROOT / name)
    version = isoflop.__version__
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## \[(.+?)\]", changelog, re.MULTILINE)[0] == version


@pytest.mark.slow
def test_wheel_is_the_source_tree(wheel: Path, tmp_path: Path) -> None:
    files, texts = contents(wheel)
    assert files == {place: path.read_bytes() for place, path in tree().items()}
    assert contents(build(tmp_path, links=False))[0] == files
    metadata = email.message_from_string(texts["METADATA"])
    assert (metadata["Name"], metadata["License-Expression"]) == ("isoflop", "BSD-3-Clause")
    assert texts["top_level.txt"].split() == ["isoflop"]
    assert texts["licenses/LICENSE"] == (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "isoflop = isoflop.__main__:main" in texts["entry_points.txt"]
    assert f"-{isoflop.__version__}-" in wheel.name


@pytest.mark.slow
def test_wheel_works_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    folder = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin")
    python, script = folder / "python", folder / "isoflop"
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}

    def alone(*command: object) -> str:
        return run(*command, cwd=tmp_path, env=env)

    alone(python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", wheel)
    home = alone(python, "-c", "import isoflop.theory; print(isoflop.theory.__file__)").strip()
    assert Path(home).is_relative_to(tmp_path / "env")
    words = ("penalty", "--law", "beta=0.34", "gamma=0.28", "--ratio", "10", "--format", "json")
    printed = alone(script, *words)
    (row,) = json.loads(printed)["rows"]
    assert row["ratio"] == 10
    assert row["loss_penalty"] > 1
    assert alone(python, "-m", "isoflop", *words) == printed
    assert len(json.loads(alone(script, "check", "--format", "json"))["rows"]) == 12
