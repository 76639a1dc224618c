"""The command line as a process: pipes, signals, terminals."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from isoflop.derivations import NAMES

COMMAND = [sys.executable, "-m", "isoflop"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2] / "src")}
pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a shell and signals of POSIX")


def shell(script, **variables):
    """What a script of sh leaves, in which ``isoflop`` is the command."""
    return subprocess.run(
        ["sh", "-c", f'isoflop() {{ {" ".join(COMMAND)} "$@"; }}\n{script}'],
        capture_output=True,
        text=True,
        env={**ENVIRONMENT, **variables},
        timeout=300,
    )


def started(*argv, **options):
    """``isoflop ARGS...`` in the background, where it would ignore Ctrl-C unless told otherwise."""
    return subprocess.Popen(
        [*COMMAND, *map(str, argv)],
        text=True,
        env=ENVIRONMENT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


# -- streams ---------------------------------------------------------------------------------------


def test_a_closed_pipe_is_quiet() -> None:
    for asked, kept in (("laws", "true"), ("laws --format json", "head -1")):
        assert shell(f"(isoflop {asked}; echo $? >&2) | {kept}").stderr == "0\n"


@pytest.mark.parametrize(("redirection", "code"), [(">&-", 2), ("2>&-", 0), (">&- 2>&-", 2)])
def test_closed_descriptors(redirection, code) -> None:
    done = shell(f"isoflop laws {redirection}")
    assert done.returncode == code
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk() -> None:
    done = shell("isoflop laws >/dev/full")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "standard output: cannot be written" in done.stderr


def test_a_pipe_is_read_once(data, tables, tmp_path) -> None:
    pipe, text = tmp_path / "runs.csv", (tables / "runs.csv").read_text()
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(text,), daemon=True)
    writer.start()
    assert data(f"backtest {pipe} --cutoffs 2 --bootstrap 0 --law compute")["predictions"]
    writer.join(60)


@pytest.mark.slow
def test_an_unwritable_home_is_not_remarked(tmp_path) -> None:
    homes = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MPLCONFIGDIR")
    words = f"penalty --law besiroglu2024 --ratio 2 --plot {tmp_path / 'x.png'}"
    assert shell(f"isoflop {words}", **dict.fromkeys(homes, "/proc/nowhere")).stderr == ""


def test_a_terminal_without_the_letters(tmp_path) -> None:
    path = tmp_path / "law.json"
    name, coefficients = r'"\u00e9\u001b[2J"', '{"beta": 0.3, "gamma": 0.3}'
    path.write_text(f'{{"name": {name}, "notation": "schaeffer", "coefficients": {coefficients}}}')
    result = shell(f"isoflop penalty --ratio 3 --law {path}", PYTHONIOENCODING="ascii")
    assert (result.returncode, result.stderr) == (0, "")
    assert r"\xe9\x1b[2J: beta = 0.3" in result.stdout


def test_a_name_that_is_no_unicode() -> None:
    words = b" ".join(map(os.fsencode, COMMAND)) + b" penalty --ratio 3 --law '\xff\xfe'"
    done = subprocess.run(words, shell=True, capture_output=True, env=ENVIRONMENT)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert b"--law '" in done.stderr


# -- signals ---------------------------------------------------------------------------------------


def once_read(path) -> int:
    """The writing end of a named pipe, as soon as somebody reads it."""
    for _ in range(600):
        with suppress(OSError):  # "no such device or address": no reader yet
            return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        time.sleep(0.05)
    raise AssertionError("nobody reads the law file")


def test_an_interrupt(tmp_path) -> None:
    """The command waits for a law file that never comes, until it is interrupted."""
    path = tmp_path / "law.json"
    os.mkfifo(path)
    process = started("penalty", "--law", path, "--ratio", "3")
    writer = once_read(path)
    try:
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=300)
    finally:
        os.close(writer)
    assert (process.returncode, out) == (130, "")
    assert error == "isoflop: interrupted: there is no result\n"


@pytest.mark.slow
def test_a_signal_to_every_process() -> None:
    process = started("verify", start_new_session=True)
    time.sleep(20)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130
    line = rf"isoflop: interrupted: [0-9]+ of {len(NAMES)} derivations are verified\n"
    assert re.fullmatch(line, err)
    done = sum(line.split()[:1] == [name] for line in out.splitlines() for name in NAMES)
    assert 0 < done < len(NAMES)
