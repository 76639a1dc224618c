"""Random limits of known truth, and what the package prints: none is misjudged, few are left open."""

import json
import re
from itertools import islice

import pytest
from tests.theory.families import LIMITS, RandomClaim, random_limits

from isoflop.theory.claim.prove import prove
from isoflop.theory.kernel.answer import Answer
from isoflop.theory.reader.tokens import ParseError

RIGHT = {True: (Answer.PROVED, Answer.BY_SYMPY), False: (Answer.REFUTED,)}
NOTATIONS = ("schaeffer", "hoffmann")
#: Of an expansion, whose order term is not judged, and of the numerically safe form of the penalty;
#: quantities of a run of which a claim says nothing.
NOT_JUDGED = (r"O\left(", r"\varphi_2", "k_D", "eff", "crit")


def judged(claim: RandomClaim) -> Answer | None:
    """The answer, or nothing where the claim is not read."""
    try:
        return prove(claim.text, seconds=60, assume=claim.assume, limit=claim.limit).answer
    except ParseError:
        return None


@pytest.mark.parametrize(
    ("seed", "number"), [(5, 10), pytest.param(6, 120, marks=pytest.mark.slow)]
)
def test_random_limits(seed, number) -> None:
    drawn = [(claim, judged(claim)) for claim in islice(random_limits(seed), number)]
    assert [row for row in drawn if row[1] in RIGHT[not row[0].truth]] == []
    left = [row for row in drawn if row[1] not in RIGHT[row[0].truth]]
    assert len(left) <= number // 20, left
    assert number < 100 or {claim.kind for claim, _ in drawn} == set(LIMITS)


# -- what the package prints, it proves: every display of `derive` and `latex` goes through `verify` --


def verdicts(run_cli, folder, notation, *words):
    printed = run_cli(*words, "--notation", notation)
    assert printed.code == 0, printed.err
    path = folder / "printed.tex"
    text = re.sub(r"\\intertext\{.*\}\n", r"\\\\ ", printed.out)  # words, of which nothing is read
    path.write_text(text, encoding="utf-8")
    report = run_cli("verify", path, "--format", "json")
    assert report.out, report.err
    return json.loads(report.out)["equations"]


@pytest.mark.slow
@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(
    ("words", "least"), [("derive --format latex", 26), ("latex --proof steps", 41)]
)
def test_what_is_printed_is_proved(run_cli, tmp_path, words, least, notation) -> None:
    entries = verdicts(run_cli, tmp_path, notation, *words.split())
    assert len(entries) >= least
    left = [entry for entry in entries if entry["answer"] not in ("proved", "given")]
    claims = [entry["claim"] for entry in left]
    assert [claim for claim in claims if not any(x in claim for x in NOT_JUDGED)] == []
    assert "refuted" not in {entry["answer"] for entry in left}


@pytest.mark.parametrize(
    ("name", "notation", "least"),
    [
        ("tokens_per_param", "hoffmann", 3),
        pytest.param("penalty_tails", "hoffmann", 14, marks=pytest.mark.slow),
        pytest.param("optimum_by_lagrange", "schaeffer", 14, marks=pytest.mark.slow),
        pytest.param("both_caps", "hoffmann", 14, marks=pytest.mark.slow),
    ],
)
def test_what_the_page_of_a_theorem_says_is_proved(
    run_cli, tmp_path, name, notation, least
) -> None:
    entries = verdicts(run_cli, tmp_path, notation, "latex", name, "--proof", "steps")
    answers = [entry["answer"] for entry in entries]
    assert {*answers} <= {"proved", "definition", "given"}
    assert answers.count("proved") >= least
