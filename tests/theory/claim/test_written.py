"""Derivations written as text: what is right is proved, an altered copy is not, and what cannot be
read is named with its line.
"""

import json
from pathlib import Path

import pytest

from isoflop.theory.claim.written import check_derivation, read_derivation
from isoflop.theory.reader.tokens import ParseError

EXAMPLE = Path(__file__).parents[3] / "examples" / "envelope_by_hand.md"
PLAIN = EXAMPLE.read_text(encoding="utf-8")
LATEX = r"""# The larger share

Notation hoffmann
Assume $\alpha < \beta$

1. $a = \frac{\beta}{\alpha+\beta}$ by the first-order condition
2. $a > \frac{1}{2}$ (because $\beta > \alpha$)
3. $D^*/N^* \to 0$ as $C \to \infty$, since $b < a$
4. $P(r) \ge 1$ for $r > 1$

Therefore: $N^* \propto C^a$
"""


def answer(text: str) -> str:
    return check_derivation(read_derivation(text), seconds=60).answer


@pytest.mark.parametrize("text", [PLAIN, LATEX], ids=["plain", "latex"])
def test_a_derivation_is_proved(text) -> None:
    report = check_derivation(read_derivation(text))
    assert [verdict.answer for verdict in report.steps] == ["proved"] * len(report.steps)
    assert (report.statement.answer, report.answer) == ("proved", "proved")


ALTERED = [
    ("beta*T_N(N_opt) =", "gamma*T_N(N_opt) ="),
    ("= gamma*T_D(D_opt)", "= beta*T_D(D_opt)"),
    ("= gamma*T_D(D_opt)", "= -gamma*T_D(D_opt)"),
    ("Let k = beta*A/(gamma*B)", "Let k = gamma*A/(beta*B)"),
    ("Let k = beta*A/(gamma*B)", "Let k = beta*B/(gamma*A)"),
    ("Budget C = 6 N D", "Budget C = 12 N D"),
    ("k^(1/(beta + gamma))", "k^(2/(beta + gamma))"),
    ("k^(1/(beta + gamma))", "k^(1/(beta - gamma))"),
    ("(C/6)^(gamma/(beta + gamma))", "(C/6)^(beta/(beta + gamma))"),
    ("(C/6)^(gamma", "C^(gamma"),
    ("6*N_opt*D_opt = C", "6*N_opt*D_opt <= C/2"),
    ("6*N_opt*D_opt = C", "6*N_opt*D_opt < C"),
    ("= w_N*R_opt", "= w_D*R_opt"),
    ("= w_N*R_opt", "= w_N*L_opt"),
    ("= C0*C^-alpha  with", "= C0*C^alpha  with"),
    ("= C0*C^-alpha  with", "= C0*C^-beta  with"),
    ("6. 1/alpha = 1/beta + 1/gamma", "6. 1/alpha = 1/beta - 1/gamma"),
    ("6. 1/alpha = 1/beta + 1/gamma", "6. alpha = beta + gamma"),
    ("w_D*r^gamma >= 1", "w_D*r^gamma > 1"),
    ("w_D*r^gamma >= 1", "w_D*r^gamma <= 1"),
    ("7. w_N*r^-beta", "7. w_N*r^beta"),
    ("8. P(r) = w_N*r^-beta + w_D", "8. P(r) = w_D*r^-beta + w_N"),
    ("Therefore: P(r) >= 1", "Therefore: P(r) > 1"),
    ("Therefore: P(r) >= 1", "Therefore: P(r) >= 1.001"),
    ("Therefore: P(r) >= 1", "Therefore: P(r) = 1"),
    ("Therefore: P(r) >= 1", "Therefore: alpha = beta + gamma"),
]
ALTERED_LATEX = [
    (r"\alpha < \beta$", r"\alpha > \beta$"),
    (r"\alpha < \beta$", r"\alpha \le \beta$"),
    ("Notation hoffmann\n", ""),
    (r"\frac{\beta}{\alpha+\beta}", r"\frac{\alpha}{\alpha+\beta}"),
    (r"a > \frac{1}{2}", r"a < \frac{1}{2}"),
    (r"a > \frac{1}{2}", r"a > \frac{2}{3}"),
    (r"D^*/N^* \to 0", r"N^*/D^* \to 0"),
    (r"C \to \infty", r"C \to 0"),
    (r"P(r) \ge 1", r"P(r) \le 1"),
    (r"\propto C^a", r"\propto C^b"),
    (r"N^* \propto C^a", r"L^* \propto C^{-\alpha_C}"),
]


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [*((PLAIN, *pair) for pair in ALTERED), *((LATEX, *pair) for pair in ALTERED_LATEX)],
)
def test_an_altered_copy_is_not_accepted(text, old, new) -> None:
    assert text.count(old) == 1
    try:
        assert answer(text.replace(old, new)) != "proved"
    except ParseError:
        assert old.startswith("Notation")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1/alpha = 1/beta + 1/gamma\n7", "alpha = beta*gamma/(beta + gamma)\n7"),
        ("= w_N*R_opt", "= gamma*R_opt/(gamma + beta)"),
        ("Budget C = 6 N D\n", ""),
        ("Therefore: P(r) >= 1", "Therefore: 2*P(r) >= 2"),
    ],
)
def test_an_equivalent_copy_is_accepted(old, new) -> None:
    assert PLAIN.count(old) == 1
    assert answer(PLAIN.replace(old, new)) == "proved"


def test_what_was_undecided_leaves_the_derivation_undecided() -> None:
    assert answer("1. x <= exp(exp(x)) - exp(1) + 1\nTherefore: 1 = 1") != "refuted"
    assert answer("1. x = 2*x\nTherefore: 1 = 1") == "refuted"


def test_what_is_let() -> None:
    assert answer("Let beta = gamma\n1. alpha = beta/2\nTherefore: w_N = 1/2") == "proved"
    assert answer("Let P = 7\n1. P >= 7\nTherefore: P <= 7") == "proved"
    assert answer("Let r > 1\n1. P(r) > 1\nTherefore: P(r) > 1") == "proved"
    assert answer("Assume x > 2 and x < 1\n1. x = x\nTherefore: 1 = 2") != "proved"


def test_a_step_under_its_own_condition_helps_no_other() -> None:
    text = "1. P(r) > 1 for r > 1\nTherefore: P(r) + x > 1 + x"
    assert answer(text) != "proved"


REFUSED = {
    "1. x = x\n": "states nothing",
    "Therefore: x = x": "has no step",
    "Nonsense here\n1. x = x\nTherefore: x = x": "line 1: .*reads neither",
    "2. x = x\nTherefore: x = x": "line 1: step 2: must be 1",
    "1. x = x\n3. x = x\nTherefore: x = x": "line 2: step 3: must be 2",
    "1. x = foo\nTherefore: x = x": "line 1: .*unknown name 'foo'",
    "1. x\nTherefore: x = x": "line 1: .*a relation is expected",
    "1. x = x\nAssume x > 1\nTherefore: x > 1": "line 2: .*after the first step",
    "1. x = x\nTherefore: x = x\nTherefore: y = y": "line 3: .*second statement",
    "1. x = x\nTherefore: x = x\n2. x = x": "line 3: .*no step can follow",
    "# A\n# B\n1. x = x\nTherefore: x = x": "line 2: .*second title",
    "Budget C = N + D\n1. x = x\nTherefore: x = x": "line 1: ",
    "Budget K = 6 N D\n1. x = x\nTherefore: x = x": "line 1: .*a budget reads",
    "1. $x = x$ and $y = y$\nTherefore: x = x": "line 1: .*one formula",
    "1. so $x = x$\nTherefore: x = x": "line 1: .*at the beginning",
    "1. $x = x$ always\nTherefore: x = x": "line 1: .*a reason begins with",
    "Assume x\n1. x = x\nTherefore: x = x": "line 2: ",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_cannot_be_read_is_named_with_its_line(text) -> None:
    with pytest.raises(ParseError, match=REFUSED[text]):
        check_derivation(read_derivation(text))


def test_the_command(run_cli, tmp_path) -> None:
    result = run_cli("verify", EXAMPLE)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("The compute law, step by step: proved\n")
    wrong = tmp_path / "wrong.txt"
    wrong.write_text(PLAIN.replace("= w_N*R_opt", "= w_D*R_opt"), encoding="utf-8")
    result = run_cli("verify", wrong, "--format", "json")
    data = json.loads(result.out)
    assert (result.code, data["answer"]) == (1, "refuted")
    step = data["steps"][3]
    assert (step["step"], step["line"], step["answer"]) == (4, 11, "refuted")
    assert step["reason"].startswith("from 1")
    assert step["decided"][0]["witness"]["point"]
    assert "w_N" in step["decided"][0]["correction"]
    wrong.write_text("1. x = foo\nTherefore: x = x", encoding="utf-8")
    result = run_cli("verify", wrong)
    assert (result.code, result.out) == (2, "")
    assert "wrong.txt" in result.err
    assert "line 1" in result.err
    assert run_cli("verify", tmp_path / "missing.md").code == 2
