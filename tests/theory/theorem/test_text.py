"""Theorems read from texts: their verdicts, the conditions that bind, and the refusals."""

from pathlib import Path

import pytest
from tests.theory.documents import status as status_of

from isoflop.theory.settings import theorem

BY_HAND = (Path(__file__).parents[3] / "examples/envelope_by_hand.md").read_text("utf-8")


def page(claim: str, setting: str = "penalty", *lines: str) -> str:
    """A theorem of one step, with paragraphs in front of its statement."""
    parts = ["# Mine\nOne step.", f"Setting: {setting}", *lines, "It is so for $r > 0$: {step}."]
    parts += [f"- **step**: {claim}\n  What is left is the other term:", "Source: own work"]
    return "\n\n".join(parts) + "\n"


def status(text: str) -> str:
    built = theorem(text, "mine")
    return status_of(built)


def check(rows: dict[str, str], setting: str, *lines: str) -> None:
    found = {claim: status(page(claim, setting, *lines)) for claim in rows}
    assert found == rows


PROVED, FAILED, GIVEN = "proved", "failed", "proved under a stated lemma"
TAIL = "$P(r) > w_N r^{-\\beta}$"


def test_bounds_of_a_mean_and_of_calculus() -> None:
    rows = {
        TAIL: PROVED,
        "`P(r) > w_N r^-beta`": PROVED,
        "$u + P(r) > w_N r^{-\\beta}$": PROVED,
        "$P(r) \\ge 1$, by weighted AM-GM": PROVED,
        f"{TAIL}, by weighted AM-GM": FAILED,
        "$\\frac{1}{P(r)} \\le 1$": PROVED,
        "$e^{t} \\ge 1 + t$": PROVED,
        "$e^{t} - t > 1$": FAILED,
        "$e^{t} - t > 1$ for $t \\ne 0$": PROVED,
        "$e^{t} \\ge 1 + 2 t$": FAILED,
        "$P(r) = \\cosh(\\beta \\log r)$": FAILED,
    }
    check(rows, "penalty", "Let $t$ be real.")
    check({"$P(r) = \\cosh(\\beta \\log r)$": PROVED}, "penalty", "Let $\\gamma = \\beta$")


def test_a_letter_that_no_word_introduces_is_said_to_be_positive() -> None:
    built = theorem(page("$u + P(r) > w_N r^{-\\beta}$"), "mine")
    assert [str(text) for text in built.assumptions][-1] == "Let u > 0."


def test_what_cancels_in_a_product_is_still_shown() -> None:
    built = theorem(page("$x N e^{s} e^{-s} D = x N D$"), "mine")
    assert "exp(-s)" in str(built.steps[0].lhs)
    assert status_of(built) == "proved"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (page(TAIL).replace("{step}", "{below}"), "is no step"),
        (page(TAIL).replace("{step}", "$P(r) = 1$"), "must name the steps"),
        (page(TAIL).replace("Source: own work", ""), "Source: is missing"),
        (page(TAIL).replace("**step**", "step"), "begins with 'Assume'"),
        (page(TAIL, "none"), "must be one of envelope, penalty"),
        (page(f"{TAIL}, by magic"), "only 'for', 'as', 'by weighted"),
        (page("$P(r) > F(r) + 1$"), "line 8: .* F is no function"),
        (page("$P(r) \\sim w_N$"), "needs a limit"),
        (page("$k = k^{1}$, by the lemma of Feller 1971"), "must name a paragraph"),
        (page(TAIL, "no law", "Budget: $C = 6 N D$"), "has a budget of its own"),
        *(
            (page(TAIL, "penalty", *lines.split("; ")), message)
            for lines, message in {
                "Assume $u < 0$.": "every letter is positive",
                "Assume that there is $u \\ge 0$.": "every letter is positive",
                "Assume $\\gamma \\le \\beta$": "strict bound",
                "Assume small runs, $\\gamma < \\beta$.": "without words",
                "Notation: hoffmann": "no letter of the notation",
                "Notation: greek": "greek",
                "Budget: $C = N + D$": "budget",
                "Suppose so.": "begins with 'Assume'",
                "Assume that gamma is the larger.": "binds no step",
                "Let $P(r) = 1$": "has a meaning already",
                "Let $\\gamma = -\\beta$": "must be positive",
                "Let $\\gamma = 2 \\gamma$": "in other letters",
                "Let $\\gamma = \\beta$; Let $\\beta = \\gamma$": "in other letters",
                "Let $\\gamma = \\beta$; Let $\\gamma = 2 \\beta$": "has a meaning already",
            }.items()
        ),
    ],
)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        status(text)


def test_derivatives_and_values_at_a_point() -> None:
    at = r"$\left. \frac{\partial \log R}{\partial \log N} \right|_{N = %s, D = D^*(C)} = -\alpha$"
    rows = {
        r"$\frac{\partial R(N, D)}{\partial N} = -\beta A N^{-\beta - 1}$": PROVED,
        r"$\frac{\partial R(N, D)}{\partial N} = \beta A N^{-\beta - 1}$": FAILED,
        at % "N^*(C)": PROVED,
        at % "C": FAILED,
        r"$\frac{\partial^{2} R(N, D)}{\partial N^{2}} > 0$": PROVED,
        r"$\frac{\partial L(N^*(C), D^*(C))}{\partial A} = N^*(C)^{-\beta}$": PROVED,
        r"$\left. \frac{N^*(C)}{D^*(C)} \right|_{\gamma = \beta} = (A/B)^{1/\beta}$": PROVED,
    }
    check(rows, "envelope")


def test_limits() -> None:
    ratio = r"$\frac{D^*(C)}{N^*(C)} \to \infty$ as $C \to \infty$"
    rows = {
        ratio: FAILED,
        f"{ratio} for $\\beta > \\gamma$": PROVED,
        f"{ratio} for $\\gamma > \\beta$": FAILED,
        r"$N^*(C) \to \infty$ as $C \to \infty$": PROVED,
        r"$N^*(C) \to \infty$ as $C \to 0$": FAILED,
        r"$P(r) \to \infty$ as $r \to 0$": PROVED,
        r"$P(r) \to w_N$ as $r \to 0$": FAILED,
        r"$x + 1/C \sim x$ as $C \to \infty$": FAILED,  # not where x = 0
        r"$x^{2} + 1 + 1/C \sim x^{2} + 1$ as $C \to \infty$": PROVED,
        r"$\frac{\log C}{C} \to 0$ as $C \to \infty$": FAILED,  # by SymPy alone
    }
    check(rows, "penalty", "Let $x$ be real.")
    check({ratio: PROVED}, "penalty", r"Assume $\beta > \gamma$")


def test_nothing_is_proved_of_a_function_without_a_value() -> None:
    rows = {"$h(x + y) = h(2 x)$": FAILED, "$h(x + y) > h(x)$": FAILED}
    check(rows, "function of the reducible loss")


@pytest.mark.parametrize(
    ("let", "claim", "expected"),
    [
        ("$x = -y$", r"$\sqrt{x^{2}} = -y$", FAILED),
        ("$x = -y$", r"$\sqrt{x^{2}} = y$", PROVED),
        ("$f(x) = -x$", r"$\sqrt{f(y)^{2}} = -y$", FAILED),
        ("$x = 2 y$", r"$\sqrt{x^{2}} = 2 y$", PROVED),
    ],
)
def test_a_name_has_no_other_sign_than_its_value(let: str, claim: str, expected: str) -> None:
    assert status(page(claim, "envelope", f"Let {let}")) == expected


def test_counts_lemmas_and_citations() -> None:
    fail, passed = r"\mathrm{fail@}", r"\mathrm{pass@}"
    beyond = "for $n + 1 - k > 0$"
    rows = {
        rf"$f(n + 1, k) = \frac{{n + 1}}{{n + 1 - k}} f(n, k)$ {beyond}": PROVED,
        rf"$f(n + 1, k) = \frac{{n}}{{n + 1 - k}} f(n, k)$ {beyond}": FAILED,
        r"$\Gamma(a + 1) > a \Gamma(a)$": FAILED,
        r"$\Gamma(a + 1) + 1 > a \Gamma(a)$": PROVED,
        r"$(n + c)! = n! c!$": FAILED,
        r"$\frac{\partial (c n!)}{\partial n} = 0$": FAILED,
        r"$n! + n^{2} \sim n^{2}$ as $n \to \infty$": FAILED,
        r"$c! + n^{2} \sim n^{2}$ as $n \to \infty$": PROVED,
        rf"${fail}(k + 1) < {fail}k$": PROVED,
        rf"${fail}(k + 1) = {fail}k \, {fail}2$": FAILED,
        r"$\operatorname{log1p}(x^{2}) = \log(1 + x^{2})$": PROVED,
        r"$\sqrt{x^{2}} = x$": FAILED,
        rf"$\sqrt{{{passed}k^{{2}}}} = {passed}k$": FAILED,
        r"$k \frac{k + 1}{k + 2} \sim 2 k$ as $k \to \infty$, by the lemma of Tung 1975": FAILED,
        r"$k + c \sim k$ as $k \to \infty$, by the lemma of Tung 1975": GIVEN,
        r"$k (k + 1) = k^{2} + k$, by the lemma of Tung 1975": GIVEN,
        r"$k! \ge k$, cited from Tung 1975": FAILED,
        r"$k^{2} + 1 \ge 2 k$, cited from Tung 1975": "cited",
    }
    lets = (r"p = \frac{u}{1 + u}", rf"{fail}k = (1 - p)^k", rf"{passed}k = -x^{{2}}")
    *names, last = (f"${let}$" for let in (*lets, r"f(n, k) = \binom{n}{k}"))
    lemma = "Lemma of Tung 1975, Some Bounds: A quotient of such values grows as $k$ does."
    check(rows, "passk", "Let $x$ be real.", f"Let {', '.join(names)} and {last}.", lemma)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", PROVED),
        (r"Budget: $C = 6 N D$", "", PROVED),
        (r"1/\alpha = 1/\beta + 1/\gamma", r"\alpha = \beta \gamma/(\beta + \gamma)", PROVED),
        (r"\beta T_N(N^*(C)) =", r"\gamma T_N(N^*(C)) =", FAILED),
        (r"\frac{\beta A}{\gamma B}", r"\frac{\gamma A}{\beta B}", FAILED),
        (r"Budget: $C = 6 N D$", r"Budget: $C = 12 N D$", FAILED),
        (r"6 N^*(C) D^*(C) = C", r"6 N^*(C) D^*(C) < C", FAILED),
        (r"D^*(C)) = C_0 C^{-\alpha}", r"D^*(C)) = C_0 C^{\alpha}", FAILED),
        (r"P(r) = w_N r^{-\beta} + w_D", r"P(r) = w_D r^{-\beta} + w_N", FAILED),
        (r"$P(r) \ge 1$", r"$P(r) > 1$", FAILED),
        (r"$P(r) \ge 1$", r"$P(r) \ge 1.001$", FAILED),
        (r"$P(r) \ge 1$", r"$P(r) \le 1$", FAILED),
    ],
)
def test_an_altered_copy_of_a_derivation(old: str, new: str, expected: str) -> None:
    assert old in BY_HAND
    assert status(BY_HAND.replace(old, new)) == expected


def test_another_notation_and_a_condition_of_every_step() -> None:
    rows = {
        r"$a = \frac{\beta}{\alpha + \beta}$": PROVED,
        r"$a = \frac{\alpha}{\alpha + \beta}$": FAILED,
        r"$a > \frac{1}{2}$": PROVED,
        r"$b > \frac{1}{2}$": FAILED,
        r"$D^*(C)/N^*(C) \to 0$ as $C \to \infty$": PROVED,
        r"$D^*(C)/N^*(C) \to 0$ as $C \to 0$": FAILED,
        r"$C_0 C^{-\alpha_C} = L(N^*(C), D^*(C)) - E$": PROVED,
    }
    check(rows, "penalty", "Notation: hoffmann", r"Assume $\alpha < \beta$.")
