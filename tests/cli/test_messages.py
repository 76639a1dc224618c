"""What reaches the terminal: no control characters, no endless lines, no defect told as bad input,
no word of Python.
"""

import json
import subprocess

import numpy as np
import pytest

from isoflop.cli import errors
from isoflop.cli.errors import UsageError, is_defect, one_line, visible

NASTY = "\x7fx\x1b[31mred\x07\x9b2J\u202egnp\u2066y"
FORBIDDEN = {character for character in NASTY if not character.isprintable()}


@pytest.fixture
def nasty_law(tmp_path):
    path = tmp_path / "law.json"
    coefficients = {"E": 1, "A": 2, "B": 3, "beta": 0.3, "gamma": 0.3}
    path.write_text(
        json.dumps({"name": NASTY, "notation": "schaeffer", "coefficients": coefficients})
    )
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("penalty", "--law", "LAW", "--ratio", "2", "--format", "latex"),
        ("penalty", "--law", "LAW", "--ratio", "2", "--format", "json"),
        ("penalty", "--law", "LAW", "--ratio", "2"),
        ("allocate", "--law", "LAW", "--compute", "1e20", "--format", "json"),
        ("derive", "--law", "LAW", "--format", "latex"),
        ("latex", "tokens_per_param", "--law", "LAW", "--fragment"),
    ],
)
def test_names_of_laws_show_no_control_characters(call, nasty_law, words) -> None:
    result = call(*(str(nasty_law) if word == "LAW" else word for word in words))
    assert (result.code, result.err) == (0, "")
    assert not FORBIDDEN & set(result.out)


@pytest.mark.parametrize("form", ["text", "csv", "json"])
def test_names_of_models_show_no_control_characters(call, tmp_path, form) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(f"model,problem,n,c\n{NASTY},1,10,2\n{NASTY},2,10,3\n", encoding="utf-8")
    result = call("passk", path, "--format", form)
    assert result.code == 0
    assert not FORBIDDEN & set(result.out + result.err)
    assert "red" in result.out
    if form == "json":
        assert json.loads(result.out)[0]["model"] == NASTY


def test_a_file_has_no_control_characters_either(call, nasty_law, tmp_path) -> None:
    assert call("penalty", "--law", nasty_law, "--ratio", "2", "-o", tmp_path / "x.txt").code == 0
    assert not FORBIDDEN & set((tmp_path / "x.txt").read_text(encoding="utf-8"))


def test_visible_keeps_lines_and_tabs() -> None:
    assert visible("a\tb\nc\u00e9\u4e2d") == "a\tb\nc\u00e9\u4e2d"
    assert visible("\x1b\u202e") == "\\u001b\\u202e"


@pytest.mark.parametrize(
    "words",
    [("NAME",), ("penalty", "--law", "NAME", "--ratio", "1"), ("fit", "NAME"), ("latex", "NAME")],
)
def test_error_lines_are_shortened_in_the_middle(call, words) -> None:
    long = "first" + "x" * 100_000 + "last"
    result = call(*(long if word == "NAME" else word for word in words))
    assert (result.code, result.out) == (2, "")
    assert len(result.err) < 1100
    assert "first" in result.err
    assert result.err.startswith("isoflop: error: ")


def test_many_long_columns_make_no_long_line(call, tmp_path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(
        ",".join(f"{index}{'y' * 500}" for index in range(30)) + "\n" + ",".join("1" * 30) + "\n"
    )
    result = call("fit", path)
    assert (result.code, len(result.err) < 1100) == (2, True)
    assert len(one_line("z" * 10**6)) < 1100


def raised(function):
    try:
        function()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def test_an_error_of_another_library_is_a_defect() -> None:
    assert is_defect(raised(lambda: np.linalg.inv(np.zeros((2, 2)))))  # LinAlgError is a ValueError
    assert is_defect(raised(lambda: json.loads("{")))
    from isoflop.numeric.law import Law

    assert not is_defect(raised(lambda: Law(E=-1.0, A=1.0, B=1.0, beta=0.3, gamma=0.3)))
    assert not is_defect(UsageError("--law: is missing"))


def test_an_error_of_another_library_in_the_words_of_an_option_is_one_too() -> None:
    def told() -> None:
        try:
            np.linalg.inv(np.zeros((2, 2)))
        except ValueError as error:
            raise UsageError(f"--law 'x': {error}") from None

    def read() -> None:
        try:
            float("x")
        except ValueError:
            raise errors.outside("--law", "x", "a number") from None

    assert is_defect(raised(told))
    assert not is_defect(raised(read))


def test_a_defect_has_its_own_exit_status(call, monkeypatch) -> None:
    from isoflop.numeric.law import Law

    monkeypatch.setattr(Law, "allocate", lambda *_, **__: np.linalg.inv(np.zeros((2, 2))))
    result = call("allocate", "--law", "besiroglu2024", "--compute", "1e20")
    assert result.code == 70
    assert "LinAlgError: Singular matrix" in result.err
    assert "isoflop: error" not in result.err


def test_messages_name_options_rather_than_arguments(call, tmp_path) -> None:
    assert call("simulate", "runs", "-o", tmp_path / "runs.csv").code == 0
    result = call("fit", tmp_path / "runs.csv", "--objective", "absolut-log")
    assert result.code == 2
    assert "objective=" not in result.err
    assert "--objective 'absolut-log'" in result.err


def test_params_alone_need_tokens(call) -> None:
    assert (
        call("penalty", "--law", "besiroglu2024", "--params", "8B").err
        == "isoflop: error: --params '8B': a run takes two of --params, --tokens, --compute and "
        "--tokens-per-param, or one with --loss\n"
    )


def test_the_usual_name_of_a_law_is_understood(call) -> None:
    said = call("penalty", "--law", "Chinchilla", "--ratio", "10").out
    assert said == call("penalty", "--law", "hoffmann2022", "--ratio", "10").out
    assert said.startswith("hoffmann2022: ")


def test_derivations_are_listed_with_their_titles(call) -> None:
    from isoflop.derivations import NAMES

    lines = call("latex", "--list").out.splitlines()
    assert [line.split()[0] for line in lines] == list(NAMES)
    assert all(len(line.split()) > 3 for line in lines)
    assert "isoflop latex --list" in call("latex", "nonsense").err


def test_an_unwritable_home_is_not_remarked(spawn, tmp_path) -> None:
    nowhere = dict.fromkeys(
        ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MPLCONFIGDIR"), "/proc/nowhere"
    )
    result = spawn(
        "penalty",
        "--law",
        "besiroglu2024",
        "--ratio",
        "2",
        "--plot",
        str(tmp_path / "x.png"),
        **nowhere,
    )
    assert (result.code, result.err) == (0, "")


def test_a_figure_with_incomplete_tex_is_refused_in_one_line(spawn, tmp_path) -> None:
    (tmp_path / "matplotlibrc").write_text("text.usetex: True\n")
    place = tmp_path / "x.png"
    words = ("penalty", "--law", "besiroglu2024", "--ratio", "2", "--plot", str(place))
    result = spawn(*words, MATPLOTLIBRC=str(tmp_path / "matplotlibrc"), PATH="/nowhere")
    assert result.code == 2
    assert result.err.startswith(
        f"isoflop: error: --plot '{place}': cannot be drawn with text.usetex"
    )
    assert result.err.count("\n") == 1
    assert not place.exists()


def test_a_pipe_is_read_once(command, call, tmp_path) -> None:
    assert call("simulate", "runs", "-o", tmp_path / "runs.csv").code == 0
    start, environment = command
    words = [
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
    with (tmp_path / "runs.csv").open("rb") as runs:
        cat = subprocess.Popen(["cat"], stdin=runs, stdout=subprocess.PIPE)
        done = subprocess.run(
            [*start, *words],
            stdin=cat.stdout,
            capture_output=True,
            env=environment,
            timeout=300,
            check=False,
        )
        assert cat.wait(60) == 0
        assert cat.stdout is not None
        cat.stdout.close()
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["predictions"]
