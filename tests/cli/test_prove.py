"""isoflop prove, verify and latex: what is proved and how it is told."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest
from tests.theory.documents import taken_as_proved

from isoflop.derivations import derivation
from isoflop.theory.theorem.derivation import Derivation

# -- prove -----------------------------------------------------------------------------------------


def test_json_of_a_claim(data) -> None:
    found = data("prove 'beta == alpha*(1 + beta/gamma) == 2*x' --assume 'x < 9'", code=1)
    assert list(found) == ["claim", "answer", "reading", "links", "free"]
    assert (found["answer"], found["free"]) == ("refuted", ["x"])
    first, second = found["links"]
    assert first["claim"] == "beta == alpha*(1 + beta/gamma)"
    assert (first["answer"], first["witness"]) == ("proved", None)
    assert (second["answer"], second["relation"]) == ("refuted", "==")
    witness = second["witness"]
    point = {name: Fraction(value) for name, value in witness["point"].items()}
    assert set(point) == {"beta", "gamma", "x"}
    sides = [float(witness[side]) for side in ("lhs", "rhs")]  # alpha (1 + beta/gamma) = beta
    assert sides == pytest.approx([float(point["beta"]), float(2 * point["x"])], rel=1e-9)
    (link,) = data("prove 'x^2 >= x' --assume 'x > 1'")["links"]
    assert link["conditions"] == ["x - 1 > 0"]


# -- verify ----------------------------------------------------------------------------------------


def test_theorems(data) -> None:
    names = ["pass_at_k_stable_form", "pass_at_k_floor_of_unsolvable_problems"]
    found = data("verify", *names)
    assert found["failed"] == 0
    assert [d["name"] for d in found["derivations"]] == names
    first, second = found["derivations"]
    assert (first["status"], second["status"]) == ("proved", "proved under a stated lemma")
    for step in first["steps"]:
        paths = (step["strength"], step["exact"], step["pointwise"])
        assert paths == ("proved", "proved", "passed")


def test_a_failure_and_one_that_cannot_be_built(call, monkeypatch) -> None:
    good = derivation("term_balance_and_shares")
    last = replace(good.steps[-1], rhs=2 * good.steps[-1].rhs + 1)
    wrong = replace(good, steps=(*good.steps[:-1], last))

    def built(name):
        if name == "penalty_tails":
            raise ZeroDivisionError("at home")
        return wrong if name == good.name else derivation(name)

    monkeypatch.setattr("isoflop.theory.verification.derivation", built)
    three = ("pass_at_k_stable_form", "term_balance_and_shares", "penalty_tails")
    monkeypatch.setattr("isoflop.derivations.NAMES", three)
    result = call("verify")
    assert (result.code, result.err) == (1, "")
    rows = [line.split() for line in result.out.splitlines()[2:5]]
    statuses = ["proved", "REFUTED", "FAILED"]
    assert [(row[0], row[2]) for row in rows] == list(zip(three, statuses, strict=True))
    for text in (f"{last.name}: ", "witness", "ZeroDivisionError: at home"):
        assert text in result.out
    assert "1 proved, 1 refuted, 1 failed" in result.out


@pytest.mark.slow
def test_errata(call) -> None:
    result = call("verify krajewski2025")
    assert (result.code, result.err) == (0, "")
    printed = result.out.count("as printed: refuted, witness ")
    assert result.out.count("corrected:  proved") >= printed >= 8
    assert "NOT REFUTED" not in result.out
    assert max(map(len, result.out.splitlines())) <= 100


LARGER_SHARE = r"""# The larger share

Setting: penalty

Let $T_N(N) = 2 A N^{-\beta}$

Assume $\beta < \gamma$.

{share}, {few} and {open}.

- **share**: $w_N = \frac{\beta}{\beta + \gamma}$
  What is left of one:

- **few**: $N^*(C)/D^*(C) \to 0$ as $C \to \infty$
  The exponent is negative:

- **open**: $P(r) > w_N r^{-\beta}$, by weighted AM-GM
  That is not the argument, although it holds:

Source: own work
"""


def test_a_derivation_of_ones_own(call, data, refused, tmp_path) -> None:
    path = tmp_path / "mine.md"
    path.write_text(LARGER_SHARE, "utf-8")
    (found,) = data("verify", path, code=1)["derivations"]
    *wrong, left_open = found["steps"]
    assert [step["exact"] for step in wrong] == ["refuted"] * 2
    assert all("witness" in step["details"]["exact"] for step in wrong)
    assert left_open["exact"] != "refuted"
    text = call("verify", path).out
    for part in ("mine: refuted", "1. share: refuted", "witness beta = "):
        assert part in text
    kept = re.sub(r"- \*\*(share|few).*?\n\n", "", LARGER_SHARE, flags=re.DOTALL)
    path.write_text(kept.replace("{share}, {few} and ", ""), "utf-8")
    result = call("verify", path)
    assert (result.code, result.err) == (3, "")
    assert "1. open: undecided" in result.out
    path.write_text(LARGER_SHARE.replace("$w_N", "$\\foo"), "utf-8")
    refused(("line 11: ",), "verify", path)


# -- latex -----------------------------------------------------------------------------------------


@pytest.fixture
def _taken_as_proved(monkeypatch) -> None:
    """The theorems are verified by the tests of the derivations."""
    monkeypatch.setattr(Derivation, "verify", taken_as_proved)


@pytest.mark.usefixtures("_taken_as_proved")
def test_the_usual_document(call) -> None:
    result = call("latex")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(r"\documentclass{article}")
    assert result.out.rstrip().endswith(r"\end{document}")
    labels = ["compute-optimal-envelope", "misallocation-penalty"]
    assert re.findall(r"\\label\{iso:([^}]*)\}", result.out) == labels
    assert result.out.count(r"\textbf{Status:} proved.") == 2
    assert r"\bibitem{hoffmann2022}" in result.out


@pytest.mark.usefixtures("_taken_as_proved")
def test_a_fragment(call, tmp_path) -> None:
    path = tmp_path / "refs.bib"
    out = call("latex optimum_by_lagrange --fragment --notation hoffmann --bib", path).out
    assert r"\documentclass" not in out
    assert "thebibliography" not in out
    assert "% Needs the packages" in out
    assert r"\gamma" not in out
    cited = set(re.findall(r"\\cite\{([^}]+)\}", out))
    assert cited == set(re.findall(r"^@\w+\{([^,]+),", path.read_text(), re.MULTILINE)) != set()
