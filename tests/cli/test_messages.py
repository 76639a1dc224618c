"""What reaches the terminal: no control characters, no endless lines, no defect told as bad input,
no word of Python; help, version, statuses.
"""

import io
import json
import shlex
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from isoflop.__main__ import main
from isoflop._version import __version__
from isoflop.cli import COMMANDS
from isoflop.cli.errors import UsageError, is_defect, one_line, outside, visible
from isoflop.numeric.law import Law

NASTY = "\x7fx\x1b[31mred\x07\x9b2J\u202egnp\u2066y"
FORBIDDEN = {character for character in NASTY if not character.isprintable()}
LAW = ("--law", "besiroglu2024")


# -- control characters and long lines -------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "penalty --law LAW --ratio 2",
        "penalty --law LAW --ratio 2 --format latex",
        "allocate --law LAW --compute 1e20 --format json",
        "derive --law LAW --format latex",
        "latex tokens_per_param --law LAW --fragment",
    ],
)
def test_names_of_laws_show_no_control_characters(call, tmp_path, words) -> None:
    path = tmp_path / "law.json"
    coefficients = {"E": 1, "A": 2, "B": 3, "beta": 0.3, "gamma": 0.3}
    law = {"name": NASTY, "notation": "schaeffer", "coefficients": coefficients}
    path.write_text(json.dumps(law))
    argv = words.replace("LAW", str(path)).split()
    result = call(*argv)
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


def test_visible_keeps_lines_and_tabs() -> None:
    assert visible("a\tb\nc\u00e9\u4e2d") == "a\tb\nc\u00e9\u4e2d"
    assert visible("\x1b\u202e") == "\\u001b\\u202e"


@pytest.mark.parametrize(
    "words", ["NAME", "penalty --ratio 1 --law NAME", "fit NAME", "latex NAME"]
)
def test_error_lines_are_shortened_in_the_middle(call, words) -> None:
    result = call(*words.replace("NAME", f"first{'x' * 100_000}last").split())
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("isoflop: error: ")
    assert "first" in result.err
    assert len(result.err) < 1100
    assert len(one_line("z" * 10**6)) < 1100


# -- defects, interrupts, bad input of the library -------------------------------------------------


def raised(function):
    try:
        function()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def test_an_error_of_a_numerical_library_is_a_defect(call, monkeypatch) -> None:
    def singular(*_, **__):
        return np.linalg.inv(np.zeros((2, 2)))  # LinAlgError is a ValueError

    def told() -> None:
        try:
            singular()
        except ValueError as error:
            raise UsageError(f"--law 'x': {error}") from None

    def read() -> None:
        try:
            float("x")
        except ValueError:
            raise outside("--law", "x", "a number") from None

    assert is_defect(raised(singular))
    assert is_defect(raised(told))
    assert not is_defect(raised(read))
    assert not is_defect(raised(lambda: Law(E=-1.0, A=1.0, B=1.0, beta=0.3, gamma=0.3)))
    monkeypatch.setattr(Law, "allocate", singular)
    result = call("allocate", *LAW, "--compute", "1e20")
    assert result.code == 70
    assert "LinAlgError: Singular matrix" in result.err
    assert "isoflop: error" not in result.err


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "isoflop: interrupted: there is no result yet\n"),
        (ValueError("x=3:\n must be 4"), 2, "isoflop: error: x=3: must be 4\n"),
        (RuntimeError("a defect"), 70, "RuntimeError: a defect\n"),
    ],
)
def test_what_a_command_raises(call, monkeypatch, error, code, said) -> None:
    def run(options):
        raise error

    monkeypatch.setattr("isoflop.cli.laws.run", run)
    result = call("laws")
    assert (result.code, result.out) == (code, "")
    assert result.err.endswith(said)


def test_messages_name_options_rather_than_arguments(call, tmp_path) -> None:
    assert call("simulate", "runs", "-o", tmp_path / "runs.csv").code == 0
    result = call("fit", tmp_path / "runs.csv", "--objective", "absolut-log")
    assert result.code == 2
    assert "objective=" not in result.err
    assert "--objective 'absolut-log'" in result.err


# -- help and version ------------------------------------------------------------------------------


def test_version_and_overview(call, monkeypatch) -> None:
    assert call("--version") == (0, f"isoflop {__version__}\n", "")
    monkeypatch.setattr("sys.argv", ["isoflop", "--version"])
    with redirect_stdout(io.StringIO()) as out:
        assert main() == 0
    assert out.getvalue() == f"isoflop {__version__}\n"
    overview = call("--help")
    assert call() == call("-h") == overview
    assert (overview.code, overview.err) == (0, "")
    assert all(f"\n  {command} " in overview.out for command in COMMANDS)
    _, _, examples = overview.out.partition("examples:\n")
    assert [call(*line.split()[1:]).code for line in examples.strip().splitlines()] == [0] * 4


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(call, command) -> None:
    result = call(command, "--help")
    assert call(command, "-h") == call(command, "--no-such-option", "--help") == result
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"usage: isoflop {command} ")
    assert "examples:\n" in result.out
    assert "%%" not in result.out
    assert max(map(len, result.out.splitlines())) <= 100


PAPER = r"""
\begin{equation} L(N, D) = E + \frac{A}{N^{\alpha}} + \frac{B}{D^{\beta}} \end{equation}
\begin{equation} N^*(C) \propto C^{\beta/(\alpha + \beta)} \end{equation}
"""


def write_tables(call, folder) -> None:
    """Runs and counts as they are simulated, the gold likelihood of each model, values of pass@k."""
    assert call("simulate", "runs", "--seed", "1", "-o", folder / "runs.csv").code == 0
    random = np.random.default_rng(5)
    counts, sizes, gold = (
        ["benchmark,model,problem,n_samples,n_correct"],
        ["model,params,tokens"],
        ["model,gold"],
    )
    for i, n in enumerate(np.repeat([10**7.5, 10**8.25, 1e9, 10**9.75], 4)):
        d = 10.0 ** (9.0 + 0.75 * (i % 4))
        y = 0.2 + 1.6e3 * n**-0.4 + 2e3 * d**-0.35 * np.exp(0.05 * random.normal())
        solved = random.binomial(128, random.beta(0.6, 0.6 * np.expm1(y), size=30))
        counts += [f"gsm8k,m{i},{problem},128,{c}" for problem, c in enumerate(solved)]
        sizes.append(f"m{i},{n},{d}")
        gold.append(f"m{i},{60.0 * y**0.5 * np.exp(0.02 * random.normal())}")
    values = ["k,pass_at_k", "1,0.1", "2,0.15"]
    tables = {"counts": counts, "models": sizes, "gold": gold, "pass_at_k": values}
    for name, lines in tables.items():
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    by_hand = Path(__file__).parents[2] / "examples" / "envelope_by_hand.md"
    (folder / "my_derivation.md").write_text(by_hand.read_text(encoding="utf-8"), "utf-8")
    (folder / "paper.tex").write_text(PAPER, "utf-8")


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(name, marks=pytest.mark.slow)
        if name in {"backtest", "check", "latex", "verify"}
        else name
        for name in COMMANDS
    ],
)
def test_the_examples_of_the_help_run(call, command, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_tables(call, tmp_path)
    _, _, examples = call(command, "--help").out.partition("examples:\n")
    lines = [shlex.split(line)[1:] for line in examples.strip().splitlines()]
    assert len(lines) >= 3
    for words in lines:
        if words == ["verify"] or "--all" in words:
            continue  # minutes: the slow tests run them
        before = {(path.name, path.stat().st_mtime_ns) for path in tmp_path.iterdir()}
        result = call(*words)
        assert result.err == "", words
        # 3: these few runs leave a coefficient undetermined, and it is said.
        open_words = ("undetermined", "open")
        assert result.code == 0 or any(word in result.out for word in open_words), words
        after = {(path.name, path.stat().st_mtime_ns) for path in tmp_path.iterdir()}
        assert result.out or after - before, words


@pytest.mark.parametrize(
    "words",
    [
        "laws hoffmann2022 krajewski2025-arc-e-compute",
        "penalty --law hoffmann2022 besiroglu2024 --params 8B --tokens 15T",
        "allocate --law hoffmann2022 krajewski2025-arc-e --compute 1e21 1e23",
        "check",
        "fit runs.csv",
    ],
)
def test_a_table_comes_in_latex(call, words, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("simulate", "runs", "-o", "runs.csv").code == 0
    latex = call(*words.split(), "--format", "latex").out
    assert latex.count(r"\begin{tabular}") == latex.count(r"\bottomrule") >= 1
