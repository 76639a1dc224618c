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

import pytest

import isoflop

ROOT = Path(__file__).resolve().parents[1]
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


def run(*command: object, cwd: Path, **more: object) -> str:
    """What a command prints, which must succeed."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, cwd=cwd, **more)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


def clean_copy(target: Path, *, links: bool) -> Path:
    """Copy what a clone would hold: files tracked, and files new but not ignored."""
    listed = run("git", "ls-files", "-z", "-c", "-o", "--exclude-standard", cwd=ROOT).split("\0")
    for name in map(Path, filter(None, listed)):
        source, place = ROOT / name, target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink() and links:
            place.symlink_to(source.readlink())
        elif source.is_file() and not source.is_symlink():
            shutil.copyfile(source, place)
    return target


def build(source: Path, target: Path) -> Path:
    """Build a wheel as pip would."""
    target.mkdir()
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    run(*pip, "-w", target, source, cwd=target)
    (wheel,) = target.glob("*.whl")
    return wheel


def contents(wheel: Path, *, metadata: bool = False) -> dict[str, bytes]:
    """The wheel's files outside its metadata, or those of its metadata by their last name."""
    with zipfile.ZipFile(wheel) as archive:
        return {
            name.partition(".dist-info/")[2] if metadata else name: archive.read(name)
            for name in archive.namelist()
            if (".dist-info/" in name) == metadata
        }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("linked")
    return build(clean_copy(folder / "source", links=True), folder / "wheel")


def test_packages() -> None:
    modules = [Path(place) for place in tree() if place.endswith(".py")]
    found = {module.parent.as_posix().replace("/", ".") for module in modules}
    assert sorted(PYPROJECT["tool"]["setuptools"]["packages"]) == sorted(found)
    assert {str(module.parent / "__init__.py") for module in modules} <= tree().keys()
    for name in LINKED:
        link = ROOT / "src" / "isoflop" / name
        assert (link.readlink(), link.resolve()) == (Path("..", "..", name), ROOT / name)


@pytest.mark.slow
def test_wheel_is_the_source_tree(wheel: Path, tmp_path: Path) -> None:
    """Also where the links were lost, as in an archive of a system that has none."""
    assert contents(wheel) == {place: path.read_bytes() for place, path in tree().items()}
    source = clean_copy(tmp_path / "source", links=False)
    assert not any((source / "src" / "isoflop" / name).exists() for name in LINKED)
    assert contents(build(source, tmp_path / "wheel")) == contents(wheel)


@pytest.mark.slow
def test_metadata(wheel: Path) -> None:
    read = {name: text.decode() for name, text in contents(wheel, metadata=True).items()}
    metadata = email.message_from_string(read["METADATA"])
    assert (metadata["Name"], metadata["License-Expression"]) == ("isoflop", "BSD-3-Clause")
    assert read["top_level.txt"].split() == ["isoflop"]
    assert read["licenses/LICENSE"] == (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "isoflop = isoflop.__main__:main" in read["entry_points.txt"]
    assert f"-{isoflop.__version__}-" in wheel.name
    for name, pattern in (
        ("CITATION.cff", r"^version: (\S+)$"),
        ("CHANGELOG.md", r"^## \[(.+?)\]"),
    ):
        found = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        assert found is not None
        assert found[1] == isoflop.__version__


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
