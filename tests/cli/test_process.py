"""The command line as a process: pipes, signals, terminals, what it loads."""

import errno
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from isoflop.derivations import NAMES

SRC = Path(__file__).resolve().parents[2] / "src"
posix = pytest.mark.skipif(os.name != "posix", reason="needs a shell and signals of POSIX")


@pytest.fixture(scope="module")
def command():
    """Command and environment of ``isoflop`` in a process of its own."""
    return [sys.executable, "-m", "isoflop"], {**os.environ, "PYTHONPATH": str(SRC)}


@pytest.fixture
def spawn(command):
    """Run ``isoflop WORDS`` in a process of its own."""
    start, environment = command

    def run(words, *more, **variables):
        return subprocess.run(
            [*start, *words.split(), *more],
            capture_output=True,
            text=True,
            timeout=600,
            env={**environment, **variables},
        )

    return run


@pytest.fixture
def started(command):
    """Start ``isoflop ARGS...``; one in the background would ignore Ctrl-C unless told otherwise."""
    start, environment = command

    def run(*argv, **options):
        return subprocess.Popen(
            [*start, *map(str, argv)],
            text=True,
            env=environment,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )

    return run


@pytest.fixture
def shell(command):
    """What a script of sh leaves, in which ``isoflop`` is the command."""
    words, environment = command

    def run(script):
        return subprocess.run(
            ["sh", "-c", f'isoflop() {{ {" ".join(words)} "$@"; }}\n{script}'],
            capture_output=True,
            text=True,
            env=environment,
            timeout=300,
        )

    return run


# -- streams ---------------------------------------------------------------------------------------


@posix
def test_a_closed_pipe_is_quiet(shell) -> None:
    for asked, kept in (("laws", "true"), ("laws --format json", "head -1")):
        assert shell(f"(isoflop {asked}; echo $? >&2) | {kept}").stderr == "0\n"


@posix
@pytest.mark.parametrize(("redirection", "code"), [(">&-", 2), ("2>&-", 0), (">&- 2>&-", 2)])
def test_closed_descriptors(shell, redirection, code) -> None:
    done = shell(f"isoflop laws {redirection}")
    assert done.returncode == code
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")  # noqa: PTH110
def test_a_full_disk(shell) -> None:
    done = shell("isoflop laws >/dev/full")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "standard output: cannot be written" in done.stderr


@posix
def test_a_pipe_is_read_once(shell, tables) -> None:
    words = "--cutoffs 2 --bootstrap 0 --law compute --format json"
    done = shell(f"cat {tables / 'runs.csv'} | isoflop backtest /dev/stdin {words}")
    assert (done.returncode, done.stderr) == (0, "")
    assert "predictions" in done.stdout


@pytest.mark.slow
def test_an_unwritable_home_is_not_remarked(spawn, tmp_path) -> None:
    homes = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MPLCONFIGDIR")
    words = ("penalty --law besiroglu2024 --ratio 2 --plot", str(tmp_path / "x.png"))
    assert spawn(*words, **dict.fromkeys(homes, "/proc/nowhere")).stderr == ""


def test_a_terminal_without_the_letters(spawn, tmp_path) -> None:
    path = tmp_path / "law.json"
    name, coefficients = r'"\u00e9\u001b[2J"', '{"beta": 0.3, "gamma": 0.3}'
    path.write_text(f'{{"name": {name}, "notation": "schaeffer", "coefficients": {coefficients}}}')
    result = spawn("penalty --ratio 3 --law", str(path), PYTHONIOENCODING="ascii")
    assert (result.returncode, result.stderr) == (0, "")
    assert r"\xe9\x1b[2J: beta = 0.3" in result.stdout


def test_a_name_that_is_no_unicode(command) -> None:
    words, environment = command
    asked = [*words, "penalty", "--law", b"\xff\xfe", "--ratio", "3"]
    done = subprocess.run(asked, capture_output=True, env=environment)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert b"--law '" in done.stderr


# -- signals ---------------------------------------------------------------------------------------


@posix
def test_an_interrupt(started, tmp_path) -> None:
    """The command waits for a law file that never comes, until it is interrupted."""
    path = tmp_path / "law.json"
    os.mkfifo(path)
    process = started("penalty", "--law", path, "--ratio", "3")
    writer = _once_read(path)
    try:
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=300)
    finally:
        os.close(writer)
    assert (process.returncode, out) == (130, "")
    assert error == "isoflop: interrupted: there is no result yet\n"


def _once_read(path) -> int:
    """The writing end of a named pipe, as soon as somebody reads it."""
    for _ in range(600):
        try:
            return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:  # "no such device or address": no reader yet
                raise
            time.sleep(0.05)
    raise AssertionError("nobody reads the law file")


@pytest.mark.slow
def test_a_signal_to_every_process(started) -> None:
    process = started("verify", start_new_session=True)
    time.sleep(20)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130
    said = rf"isoflop: interrupted: [0-9]+ of {len(NAMES)} derivations are verified\n"
    assert re.fullmatch(said, err)
    done = sum(line.split()[:1] == [name] for line in out.splitlines() for name in NAMES)
    assert 0 < done < len(NAMES)
