"""The command line as a process: pipes, signals, terminals, what it loads."""

import errno
import os
import signal
import subprocess
import sys
import time

import pytest

HEAVY = (
    *("numpy", "sympy", "scipy", "matplotlib", "pandas", "mpmath", "tqdm"),
    "importlib.metadata",
)
LOADED = """
import sys
from isoflop.__main__ import main
code = main(sys.argv[1:])
print(code, *sys.modules, file=sys.stderr)
"""


def test_a_run(spawn) -> None:
    result = spawn("penalty", "--law", "besiroglu2024", "--size-ratio", "0.5", "--format", "json")
    assert (result.code, result.err) == (0, "")
    assert '"loss_penalty": 1.030591' in result.out


@pytest.mark.parametrize(
    "words",
    [
        ["penalty", "--law", "beta=.34", "gamma=.28", "--ratio", "10"],
        ["penalty", "--law", "besiroglu2024", "--params", "7B", "--tokens", "1T", "--within", "1%"],
        ["allocate", "--law", "besiroglu2024", "--compute", "1e24", "--max-tokens", "1T"],
        ["laws"],
        ["laws", "--format", "bibtex"],
        ["penalty", "--help"],
        ["--help"],
        ["--version"],
    ],
)
def test_nothing_heavy_is_loaded(command, words) -> None:
    _, environment = command
    done = subprocess.run(
        [sys.executable, "-S", "-c", LOADED, *words],
        capture_output=True,
        text=True,
        env=environment,
    )
    code, *modules = done.stderr.split()
    assert code == "0", done.stderr
    assert set(modules) & set(HEAVY) == set()
    assert done.stdout


def start(command, *words, **options):
    """The command as a process; one in the background ignores SIGINT unless told otherwise."""
    words_of_python, environment = command
    return subprocess.Popen(
        [*words_of_python, *words],
        text=True,
        env=environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **options,
    )


def test_a_closed_pipe_is_quiet(command) -> None:
    words, environment = command
    for asked, kept in (("laws", "true"), ("derive --format json", "head -1")):
        script = f"({' '.join(words)} {asked}; echo $? >&2) | {kept}"
        done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, env=environment)
        assert done.stderr == "0\n"


def test_a_full_disk(command) -> None:
    try:
        full = os.open("/dev/full", os.O_WRONLY)
    except OSError:
        pytest.skip("no /dev/full here")
    process = start(command, "laws", stdout=full, stderr=subprocess.PIPE)
    os.close(full)
    error = process.communicate(timeout=300)[1]
    assert process.returncode == 2
    assert error.count("\n") == 1
    assert "standard output: cannot be written" in error


@pytest.mark.skipif(os.name != "posix", reason="closes descriptors of a shell")
@pytest.mark.parametrize(("redirection", "code"), [(">&-", 2), ("2>&-", 0), (">&- 2>&-", 2)])
def test_closed_descriptors(command, redirection, code) -> None:
    words, environment = command
    script = f"{' '.join(words)} laws {redirection}"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, env=environment)
    assert done.returncode == code
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="needs a named pipe and a signal")
def test_an_interrupt(command, tmp_path) -> None:
    """The command waits for a law file that never comes, until it is interrupted."""
    path = tmp_path / "law.json"
    os.mkfifo(path)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = start(command, "penalty", "--law", str(path), "--ratio", "3", **streams)
    writer = _once_read(path)
    try:
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=300)
    finally:
        os.close(writer)
    assert (process.returncode, out, error) == (
        130,
        "",
        "isoflop: interrupted: there is no result yet\n",
    )


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


def test_a_pipe_is_read_once(command, call, tmp_path) -> None:
    assert call("simulate", "runs", "-o", tmp_path / "runs.csv").code == 0
    words, environment = command
    asked = [
        "backtest",
        "/dev/stdin",
        "--cutoffs",
        "2",
        "--bootstrap",
        "0",
        "--law",
        "compute",
        "--format",
        "json",
    ]
    script = f"cat {tmp_path / 'runs.csv'} | {' '.join([*words, *asked])}"
    done = subprocess.run(["sh", "-c", script], capture_output=True, env=environment, timeout=300)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"predictions" in done.stdout


def test_an_unwritable_home_is_not_remarked(spawn, tmp_path) -> None:
    homes = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MPLCONFIGDIR")
    words = ("penalty", "--law", "besiroglu2024", "--ratio", "2", "--plot", str(tmp_path / "x.png"))
    result = spawn(*words, **dict.fromkeys(homes, "/proc/nowhere"))
    assert (result.code, result.err) == (0, "")


def test_a_terminal_without_the_letters(spawn, tmp_path) -> None:
    path = tmp_path / "law.json"
    path.write_text(
        '{"name": "\\u00e9\\u001b[2J", "notation": "schaeffer", "coefficients": {"beta": 0.3, '
        '"gamma": 0.3}}'
    )
    result = spawn("penalty", "--law", str(path), "--ratio", "3", PYTHONIOENCODING="ascii")
    assert (result.code, result.err) == (0, "")
    assert r"\xe9\x1b[2J: beta = 0.3" in result.out


def test_a_name_that_is_no_unicode(command) -> None:
    words, environment = command
    done = subprocess.run(
        [*words, "penalty", "--law", b"\xff\xfe", "--ratio", "3"],
        capture_output=True,
        env=environment,
    )
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"--law '" in done.stderr
