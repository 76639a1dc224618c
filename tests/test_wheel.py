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
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LINKED = {"theory", "numeric", "derivations"}


def tree(root: Path) -> dict[str, Path]:
    """Every module, theorem and data file of the tree by its place in the wheel, and the typing marker. Links
    are not followed.
    """
    folders = {"isoflop": root / "src" / "isoflop"} | {
        f"isoflop/{name}": root / name for name in LINKED
    }
    return {
        f"{place}/{path.relative_to(folder).as_posix()}": path
        for place, folder in folders.items()
        for base, _, names in os.walk(folder)
        for path in (Path(base, name) for name in names)
        if path.suffix in (".py", ".md", ".toml", ".bib", ".csv") or path.name == "py.typed"
    }


def clean_copy(target: Path, *, links: bool) -> Path:
    """Copy what a clone would hold: files tracked and files new but not ignored; no stale
    ``build/``.
    """
    listing = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        text=True,
    )
    if listing.returncode == 0:
        names = [Path(name) for name in listing.stdout.split("\0") if name]
    else:  # an unpacked archive: there is nothing but files to go by
        made = {".venv", "build", "dist", "__pycache__"}
        names = [
            p.relative_to(ROOT)
            for p in ROOT.rglob("*")
            if not made & set(p.relative_to(ROOT).parts)
        ]
    for name in names:
        source = ROOT / name
        if source.is_symlink():
            if links:
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                (target / name).symlink_to(source.readlink())
        elif source.is_file() and not any((ROOT / parent).is_symlink() for parent in name.parents):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target / name)
    return target


def build(source: Path, target: Path) -> Path:
    """Build a wheel as pip would; without an environment of its own where this one has the backend."""
    isolation = [] if int(version("setuptools").split(".")[0]) < 77 else ["--no-build-isolation"]
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        *isolation,
        "-w",
        str(target),
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=target)
    assert done.returncode == 0, done.stderr
    (wheel,) = target.glob("*.whl")
    return wheel


def modules(wheel: Path) -> dict[str, bytes]:
    """The wheel's files outside its metadata."""
    with zipfile.ZipFile(wheel) as archive:
        return {
            name: archive.read(name) for name in archive.namelist() if ".dist-info/" not in name
        }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = clean_copy(tmp_path_factory.mktemp("linked"), links=True)
    assert all((source / "src" / "isoflop" / name).is_symlink() for name in LINKED)
    return build(source, tmp_path_factory.mktemp("wheel"))


def test_packages_list_is_complete() -> None:
    modules = (place for place in tree(ROOT) if place.endswith(".py"))
    found = {Path(place).parent.as_posix().replace("/", ".") for place in modules}
    assert sorted(PYPROJECT["tool"]["setuptools"]["packages"]) == sorted(found)


def test_every_package_has_an_init() -> None:
    places = tree(ROOT)
    modules = (place for place in places if place.endswith(".py"))
    assert {str(Path(place).parent / "__init__.py") for place in modules} <= places.keys()


def test_links_lead_to_the_three_folders() -> None:
    for name in LINKED:
        link = ROOT / "src" / "isoflop" / name
        assert link.readlink() == Path("..", "..", name)
        assert link.resolve() == ROOT / name


def test_wheel_is_the_source_tree(wheel: Path) -> None:
    assert modules(wheel) == {place: path.read_bytes() for place, path in tree(ROOT).items()}


def test_wheel_without_links_is_the_same(wheel: Path, tmp_path: Path) -> None:
    source = clean_copy(tmp_path / "source", links=False)
    assert not any((source / "src" / "isoflop" / name).exists() for name in LINKED)
    (tmp_path / "wheel").mkdir()
    assert modules(build(source, tmp_path / "wheel")) == modules(wheel)


def test_wheel_metadata(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        read = {
            Path(n).name: archive.read(n).decode() for n in archive.namelist() if ".dist-info/" in n
        }
    metadata = email.message_from_string(read["METADATA"])
    assert metadata["Name"] == "isoflop"
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert read["top_level.txt"].split() == ["isoflop"]
    assert read["LICENSE"] == (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "isoflop = isoflop.__main__:main" in read["entry_points.txt"]


def test_one_version_everywhere(wheel: Path) -> None:
    import isoflop

    assert f"-{isoflop.__version__}-" in wheel.name
    cited = re.search(
        r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE
    )
    logged = re.search(
        r"^## \[([\d.]+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert cited is not None
    assert logged is not None
    assert cited[1] == logged[1] == isoflop.__version__


@pytest.mark.slow
def test_wheel_works_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    folder = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin")
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}

    def run(*command: str | Path) -> str:
        done = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, cwd=tmp_path, env=clean
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == "" or command[1:3] == ("-m", "pip")
        return done.stdout

    python = folder / "python"
    run(python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", wheel)
    home = Path(run(python, "-c", "import isoflop.theory; print(isoflop.theory.__file__)").strip())
    assert home.is_relative_to(tmp_path / "env")

    penalty = ("penalty", "--law", "beta=0.34", "gamma=0.28", "--ratio", "10", "--format", "json")
    by_script = run(folder / "isoflop", *penalty)
    (row,) = json.loads(by_script)["rows"]
    assert row["ratio"] == 10
    assert row["loss_penalty"] > 1
    assert run(python, "-m", "isoflop", *penalty) == by_script

    rows = json.loads(run(folder / "isoflop", "check", "--format", "json"))["rows"]
    assert len(rows) == 12
