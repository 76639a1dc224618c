"""Exit statuses: 0 done, 1 a negative verdict, 3 no verdict, 130 interrupted, 70 a defect of the
program; 2, bad input, is in test_refusals.
"""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tests.data import grid, noisy, write_csv

import isoflop.theory.verification  # noqa: F401 - bound to all the names before a test narrows them
from isoflop.numeric.law import Law

DONE, NEGATIVE, NO_VERDICT, INTERRUPTED, DEFECT = 0, 1, 3, 130, 70
LAW = "--law besiroglu2024"

#: The words of a command, and its status.
CASES = {
    "prove 'alpha == beta*gamma/(beta + gamma)'": DONE,
    "prove 'alpha == beta'": NEGATIVE,
    "prove 'sqrt(5 + 2*sqrt(6)) == sqrt(2) + sqrt(3)'": NO_VERDICT,
    r"prove --latex '-\alpha = -\frac{\beta\gamma}{\beta+\gamma}'": DONE,
    "prove --notation hoffmann 'alpha_C == alpha*beta/(alpha + beta)'": DONE,
    "prove 'C == 120*N^2' --assume 'C == 6*N*D' --assume 'D == 20*N'": DONE,
    "prove 'x^2 >= x' '--assume=x < 1'": NEGATIVE,
    "prove 'P(r) ~ w_N*r^-beta as r -> 0'": DONE,
    r"prove --latex 'P(r) \sim w_N r^{-\beta} \text{ as } r \to 0'": DONE,
    "prove '12*N_opt*D_opt == C' --budget 12ND": DONE,
    "passk tries.csv --k 1 1000": DONE,
    "passk tries.csv --k 100 1000": NO_VERDICT,
    "passk tries.csv --check": DONE,
    "fit runs.csv": DONE,
    # a coefficient is left open: these runs are at one number of tokens per param
    "fit runs.csv --where 'abs(D/N - 20) < 1'": NO_VERDICT,
    "fit samples.csv --models sizes.csv --k 8 --method least-squares-log --bootstrap 30": DONE,
}


@pytest.mark.parametrize(("words", "code"), CASES.items(), ids=[words[:60] for words in CASES])
def test_cases(call, there, words, code) -> None:
    result = call(words)
    assert (result.code, result.err) == (code, ""), result
    assert result.out


TRUTH = Law(E=1.8, A=480.0, B=2100.0, beta=0.35, gamma=0.37)


def isoflops(path, bend=0.0, **more):
    """IsoFLOP runs about the optimum of a law, bent upwards at both ends of compute."""
    compute, ratio = grid(np.geomspace(1e18, 1e22, 6), np.geomspace(0.2, 5.0, 9))
    params = ratio * TRUTH.envelope.params(compute)
    tokens = compute / (6.0 * params)
    position = (np.log10(compute) - 20.0) / 2.0
    loss = noisy(TRUTH.loss(params, tokens) * (1.0 + bend * (position**2 - 0.3)), 0.002)
    return write_csv(path, {"my size": params, "tokens": tokens, "loss": loss, **more})


CHECK = "--column 'params=my size' --bootstrap 61"


@pytest.mark.parametrize(
    ("how", "code", "said"),
    [
        ({}, DONE, "verdict: consistent"),
        ({"bend": 0.04}, NEGATIVE, "verdict: inconsistent"),
        ({"group": ["a", "b"] * 27}, NO_VERDICT, "fewer than 4 groups"),
    ],
)
def test_checks(call, tmp_path, how, code, said) -> None:
    path, figure = isoflops(tmp_path / "runs.csv", **how), tmp_path / "check.png"
    result = call(f"check {CHECK} --explain --compute 1e24", path, "--plot", figure)
    assert (result.code, result.err) == (code, "")
    assert said in " ".join(result.out.split())
    assert " 1e24 FLOP" in result.out
    assert figure.stat().st_size > 20_000


def test_laws_that_could_not_be_fitted(data, tables, tmp_path) -> None:
    scores, path = pd.read_csv(tables / "scores.csv"), tmp_path / "scores.csv"
    for table, why in (
        (scores.head(3), "fewer than 6 cheaper rows"),
        (scores.assign(score=1.0), "no law is judged on 30 of 30 runs"),
    ):
        table.to_csv(path, index=False)
        found = data("backtest", path, "--law", "compute", "params-tokens", code=NO_VERDICT)
        assert any(why in note for note in found["notes"])


@pytest.mark.parametrize(("answer", "code"), [("REFUTED", NEGATIVE), ("UNDECIDED", NO_VERDICT)])
def test_a_failed_proof_of_the_envelope(call, monkeypatch, answer, code) -> None:
    from isoflop.theory.kernel import Answer, Decision
    from isoflop.theory.theorem.claim import Claim
    from isoflop.theory.typeset.equations import Displayed

    honest = Claim.prove

    def prove(claim):
        is_it = claim.name == "tokens_per_param"
        return Decision(Answer[answer], "made up") if is_it else honest(claim)

    monkeypatch.setattr(Claim, "prove", prove)
    # What was proved before is kept with the subject.
    afresh = property(lambda subject: {name: x.prove() for name, x in subject.claims.items()})
    monkeypatch.setattr(Displayed, "decisions", afresh)
    failed = {"text": answer, "json": answer.lower(), "latex": "% not proved: tokens_per_param"}
    for form, said in failed.items() if code == NEGATIVE else [("json", "undecided")]:
        result = call(f"derive --format {form}")
        assert (result.code, result.err) == (code, "")
        assert said in result.out


def test_no_optimum_is_no_verdict(data, refused, there, monkeypatch) -> None:
    from isoflop.numeric.fit.solve import solve

    def never(*words, **more):
        return replace(solve(*words, **more), converged=False)

    monkeypatch.setattr("isoflop.numeric.fit.solution.solve", never)
    found = data("fit runs.csv --save never.json", code=NO_VERDICT)
    assert (found["converged"], found["coefficients"]["E"]["se"]) == (False, None)
    refused(("converged=False", "reached an optimum"), "penalty --law never.json")


# -- Ctrl-C ----------------------------------------------------------------------------------------


def stopping(monkeypatch, owner, name, *, after):
    """Let Ctrl-C come instead of the call after so many of a function."""
    real = getattr(owner, name)
    calls: list[int] = []

    def stopped(*words, **more):
        if len(calls) == after:
            raise KeyboardInterrupt
        calls.append(1)
        return real(*words, **more)

    monkeypatch.setattr(owner, name, stopped)


def test_a_check_keeps_its_verdict(call, tmp_path, monkeypatch) -> None:
    from isoflop.numeric.fit.solution import Solution

    path = isoflops(tmp_path / "runs.csv")
    stopping(monkeypatch, Solution, "refit", after=1)
    result = call(f"check {CHECK}", path)
    assert result.code == INTERRUPTED
    assert "interrupted" in result.err
    assert "verdict" in result.out


def test_a_bootstrap_keeps_what_is_done(call, there, monkeypatch) -> None:
    from isoflop.numeric.fit.solution import Solution

    plain = json.loads(call("fit runs.csv --format json").out)
    stopping(monkeypatch, Solution, "refit", after=2)
    words = "fit runs.csv --bootstrap 1000 --format json"
    result = call(f"{words} --save part.json")
    done = "200 of 1000 resamples are done; the intervals are of these"
    assert (result.code, result.err) == (INTERRUPTED, f"isoflop: interrupted: {done}\n")
    found = json.loads(result.out)
    interval = {"repeats": 200, "requested": 1000, "interrupted": True}
    assert interval.items() <= found["interval"].items()
    assert any("interrupted after 200 of 1000" in text for text in found["warnings"])
    saved = json.loads((there / "part.json").read_text(encoding="utf-8"))
    assert saved["coefficients"] == found["coefficients"]
    result = call(words)  # now before any resample
    assert result.code == INTERRUPTED
    assert result.err.startswith("isoflop: interrupted: none of 1000 resamples is done")
    assert json.loads(result.out)["coefficients"] == plain["coefficients"]


def test_a_document_keeps_its_theorems(call, monkeypatch, tmp_path) -> None:
    from isoflop.theory.typeset.document import CheckedTheorem

    stopping(monkeypatch, CheckedTheorem, "checked", after=1)
    path = tmp_path / "notes.tex"
    result = call("latex optimum_by_lagrange penalty_tails -o", path)
    assert (result.code, result.out) == (INTERRUPTED, "")
    assert "1 of 2" in result.err
    assert path.read_text(encoding="utf-8").endswith("\\end{document}\n")
    path.unlink()
    assert call("latex penalty_tails -o", path).code == INTERRUPTED
    assert not path.exists()


# -- defects ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), INTERRUPTED, "isoflop: interrupted: there is no result yet\n"),
        (ValueError("x=3:\n must be 4"), 2, "isoflop: error: x=3: must be 4\n"),
        (RuntimeError("a defect"), DEFECT, "RuntimeError: a defect\n"),
    ],
)
def test_what_a_command_raises(call, monkeypatch, error, code, said) -> None:
    def run(options):
        raise error

    monkeypatch.setattr("isoflop.cli.laws.run", run)
    result = call("laws")
    assert (result.code, result.out) == (code, "")
    assert result.err.endswith(said)


def test_an_error_of_a_numerical_library_is_a_defect(call, monkeypatch) -> None:
    def singular(*_, **__):
        return np.linalg.inv(np.zeros((2, 2)))  # LinAlgError is a ValueError

    monkeypatch.setattr(Law, "allocate", singular)
    result = call(f"allocate {LAW} --compute 1e20")
    assert result.code == DEFECT
    assert "LinAlgError: Singular matrix" in result.err
    assert "isoflop: error" not in result.err
