"""Files are written as a whole: a reader sees the old content or the new, and a failure leaves the
old.
"""

import os
import resource
import stat
import threading
from pathlib import Path

import pytest

from isoflop.numeric._files import write


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("before", [["law.json"], []])
def test_a_full_disk_leaves_the_old_file_and_no_part_of_a_new_one(
    tmp_path: Path, before: list[str]
) -> None:
    """No file may grow beyond 8 bytes, so that a part of the new content arrives."""
    place, limits = tmp_path / "law.json", resource.getrlimit(resource.RLIMIT_FSIZE)
    for name in before:
        (tmp_path / name).write_bytes(b"good")
    resource.setrlimit(resource.RLIMIT_FSIZE, (8, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            write(place, b"new and longer")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
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
    (tmp_path / "usual").write_bytes(b"")
    assert place.stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "law.json", tmp_path / "link.json"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to("folder/law.json")
    write(link, b"new")
    assert (link.is_symlink(), target.read_bytes()) == (True, b"new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    dangling = tmp_path / "dangling.json"
    dangling.symlink_to("folder/other.json")
    write(dangling, b"x")
    assert dangling.is_symlink()
    assert (tmp_path / "folder" / "other.json").read_bytes() == b"x"


def test_pipes_devices_and_streams_are_written_to_directly(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pipe, read = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
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
    before = os.fstat(1).st_ino
    write("/dev/stdout", b"seen\n")
    assert os.fstat(1).st_ino == before
    assert capfd.readouterr().out == "seen\n"
