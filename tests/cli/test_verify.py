"""isoflop verify."""

import json
import os
import re
import signal
import subprocess
import time
from dataclasses import replace

import pytest

import isoflop.theory.verification  # noqa: F401 - bound to all the names before a test narrows them
from isoflop.derivations import NAMES


def few(monkeypatch, *names):
    monkeypatch.setattr("isoflop.derivations.NAMES", names)


def test_the_table(call, monkeypatch) -> None:
    names = ["envelope_exponent", "tokens_per_param", "pass_at_k_tail_theorem"]
    few(monkeypatch, *names)
    result = call("verify")
    assert (result.code, result.err) == (0, "")
    rows = [line.split() for line in result.out.splitlines()[2:5]]
    assert [row[0] for row in rows] == names
    assert [row[2] for row in rows] == ["proved", "proved", "lemma"]
    assert all(int(row[1]) > 1 for row in rows)
    assert "3 derivations" in result.out
    assert "2 proved, 1 proved under a stated lemma" in result.out
    assert max(map(len, result.out.splitlines())) <= 100


def test_json(data) -> None:
    found = data("verify", "envelope_exponent", "tokens_per_param")
    assert found["failed"] == 0
    assert [d["name"] for d in found["derivations"]] == ["envelope_exponent", "tokens_per_param"]
    for derivation in found["derivations"]:
        assert derivation["status"] == "proved"
        for step in derivation["steps"]:
            is_bound = step["relation"] in ("<=", ">=", "<", ">")
            assert (step["strength"], step["exact"], step["pointwise"]) == (
                "proved",
                "proved",
                "passed",
            )
            assert step["interval"] == ("passed" if is_bound else None)


def test_a_failure_and_one_that_cannot_be_built(call, monkeypatch) -> None:
    from isoflop.derivations import derivation

    good = derivation("tokens_per_param")
    last = replace(good.steps[-1], rhs=2 * good.steps[-1].rhs + 1)

    def built(name):
        if name == "penalty_tails":
            raise ZeroDivisionError("at home")
        return (
            replace(good, steps=(*good.steps[:-1], last)) if name == good.name else derivation(name)
        )

    monkeypatch.setattr("isoflop.theory.verification.derivation", built)
    few(monkeypatch, "envelope_exponent", "tokens_per_param", "penalty_tails")
    result = call("verify")
    assert (result.code, result.err) == (1, "")
    assert "REFUTED" in result.out
    assert f"{last.name}: " in result.out
    assert "witness" in result.out
    assert "ZeroDivisionError: at home" in result.out
    assert "1 proved, 1 refuted, 1 failed" in result.out
    assert json.loads(call("verify", "--format", "json").out)["failed"] == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tokens_per_parm"], "'tokens_per_parm': is none of the"),
        (["tokens_per_parm"], "did you mean tokens_per_param"),
        (["krajewski2024"], "krajewski2025"),
        (["no_such_file.md"], "no_such_file.md': No such file"),
        (["a.md", "b.md"], "one file alone"),
        (["mine.py"], "'mine.py': is none of the"),
        (["tokens_per_param", "--format", "yaml"], "--format 'yaml'"),
    ],
)
def test_bad_input(call, words, said) -> None:
    result = call("verify", *words)
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert said in result.err


# -- errata ----------------------------------------------------------------------------------------


def test_errata(call, data) -> None:
    result = call("verify", "krajewski2025")
    assert (result.code, result.err) == (0, "")
    assert max(map(len, result.out.splitlines())) <= 100
    found = data("verify", "krajewski2025")
    assert found["failed"] == 0
    assert result.out.count("as printed: refuted, witness ") == len(found["errata"]) >= 8
    assert result.out.count("corrected:  proved") >= len(found["errata"])
    assert "NOT REFUTED" not in result.out


# -- a process of its own --------------------------------------------------------------------------


@pytest.mark.slow
def test_all_of_them_in_two_processes(spawn) -> None:
    result = spawn("verify")
    assert (result.code, result.err) == (0, "")
    assert sum(
        line.split()[:1] == [name] for line in result.out.splitlines() for name in NAMES
    ) == len(NAMES)


@pytest.mark.slow
def test_an_interrupt_prints_what_was_done(command) -> None:
    start, environment = command
    process = subprocess.Popen(
        [*start, "verify"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
        # a background job ignores it
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    time.sleep(20)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to every process of the group
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert re.fullmatch(
        rf"isoflop: interrupted: [0-9]+ of {len(NAMES)} derivations are verified\n", err
    )
    assert out.endswith("interrupted: these were done\n")
    assert (
        0
        < sum(line.split()[:1] == [name] for line in out.splitlines() for name in NAMES)
        < len(NAMES)
    )


@pytest.mark.parametrize("name", ["mine.md", "mine.txt", "paper.tex"])
def test_a_file_that_is_no_text_is_bad_input(call, tmp_path, name) -> None:
    path = tmp_path / name
    path.write_bytes(b"1. alpha = \xff\n")
    result = call("verify", path)
    assert (result.code, result.out) == (2, "")
    assert name in result.err
    assert "UTF-8" in result.err


LARGER_SHARE = r"""# The larger share

Setting: penalty

Let $T_N(N) = 2 A N^{-\beta}$

Assume $\beta < \gamma$.

{share}, {half}, {few} and {open}.

- **share**: $w_N = \frac{\beta}{\beta + \gamma}$
  What is left of one:

- **half**: $T_N(N) = A N^{-\beta}$
  The term of params:

- **few**: $N^*(C)/D^*(C) \to 0$ as $C \to \infty$
  The exponent is negative:

- **open**: $P(r) \ge 1$, by the mean of $w_N r^{-\beta}$ and $w_D r^{\gamma}$ with the weights $w_D$ and $w_N$
  These are not the weights, although it holds:

Source: own work
"""


def test_a_derivation_that_is_wrong(call, tmp_path) -> None:
    path = tmp_path / "mine.md"
    path.write_text(LARGER_SHARE, "utf-8")
    result = call("verify", path, "--format", "json")
    (found,) = json.loads(result.out)["derivations"]
    share, half, few, left_open = found["steps"]
    assert (result.code, result.err) == (1, "")
    assert share["correction"].endswith("w_N == gamma/(beta + gamma)")
    assert share["derived"] == "w_N = gamma/(beta + gamma)"
    assert [step["exact"] for step in (half, few)] == ["refuted", "refuted"]
    assert left_open["exact"] != "refuted"
    text = call("verify", path).out
    assert text.startswith("mine: refuted")
    assert "1. share: refuted" in text
    assert "witness beta = 1, gamma = 7" in text


def test_a_derivation_that_is_left_open(call, tmp_path) -> None:
    path = tmp_path / "mine.txt"
    kept = re.sub(r"- \*\*(share|half|few).*?\n\n", "", LARGER_SHARE, flags=re.DOTALL)
    path.write_text(kept.replace("{share}, {half}, {few} and ", ""), "utf-8")
    result = call("verify", path)
    assert (result.code, result.err) == (3, "")
    assert "1. open: undecided" in result.out


def test_a_derivation_that_cannot_be_read(call, tmp_path) -> None:
    path = tmp_path / "mine.md"
    path.write_text(LARGER_SHARE.replace("$w_N", "$\\foo"), "utf-8")
    result = call("verify", path)
    assert (result.code, result.out) == (2, "")
    assert "line 11: " in result.err
    assert call("verify", tmp_path / "missing.md").code == 2
