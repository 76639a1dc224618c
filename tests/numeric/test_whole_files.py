"""Files are written as a whole: who reads one sees the old content or the new, and a failure leaves
the old.
"""

import errno
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from isoflop.numeric._files import write


class Full:
    """A file on a full disk: half of what is written to it arrives."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def __enter__(self) -> "Full":
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def fileno(self) -> int:
        return int(self.file.fileno())

    def write(self, content: bytes) -> int:
        self.file.write(content[: len(content) // 2])
        self.file.flush()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Path.open

    def limited(path: Path, *arguments: Any, **options: Any) -> Any:
        file = opened(path, *arguments, **options)
        return Full(file) if path.name.startswith(".isoflop") else file

    monkeypatch.setattr(Path, "open", limited)


@pytest.mark.usefixtures("full_disk")
@pytest.mark.parametrize("before", [["law.json"], []])
def test_a_full_disk_leaves_the_old_file_and_no_part_of_a_new_one(
    tmp_path: Path, before: list[str]
) -> None:
    place = tmp_path / "law.json"
    for name in before:
        (tmp_path / name).write_bytes(b"good")
    with pytest.raises(OSError, match="No space left"):
        write(place, b"new and longer")
    assert names_in(tmp_path) == before
    assert not before or place.read_bytes() == b"good"


def test_a_reader_sees_the_old_content_or_the_new(tmp_path: Path) -> None:
    place = tmp_path / "law.json"
    write(place, b"old")
    with place.open("rb") as reader:
        write(place, b"new")
        assert reader.read() == b"old"  # the file that it opened is whole
    assert place.read_bytes() == b"new"
    assert names_in(tmp_path) == ["law.json"]


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target = tmp_path / "folder" / "law.json"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to("folder/law.json")
    write(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    dangling = tmp_path / "dangling.json"
    dangling.symlink_to("folder/other.json")
    write(dangling, b"x")
    assert dangling.is_symlink()
    assert (tmp_path / "folder" / "other.json").read_bytes() == b"x"


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").write_bytes(b"")
    write(tmp_path / "new", b"")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_pipes_and_devices_are_written_to_directly(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write(pipe, b"through")
    reader.join(60)
    assert read == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    write("/dev/null", b"nowhere")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    with pytest.raises(OSError, match="No space left"):
        write("/dev/full", b"x")


def test_a_standard_stream_in_a_file_stays_that_file(capfd: pytest.CaptureFixture[str]) -> None:
    before = os.fstat(1).st_ino
    write("/dev/stdout", b"seen\n")
    assert os.fstat(1).st_ino == before
    assert capfd.readouterr().out == "seen\n"


@pytest.mark.parametrize("place", ["", "folder/", "folder", "no/such/folder/x"])
def test_what_cannot_be_a_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=r"No such file|Is a directory"):
        write(place, b"x")
    assert names_in(tmp_path) == ["folder"]
