"""Theorems that are written as text: what is read, what binds, and what is refused."""

from pathlib import Path

import pytest

from isoflop.theory.settings import theorem

BY_HAND = (Path(__file__).parents[3] / "examples/envelope_by_hand.md").read_text("utf-8")

TAIL = r"""# A tail
One term is below the whole penalty.

Setting: penalty

A run of size ratio $r > 0$ has {above}.

- **above**: $P(r) > w_N r^{-\beta}$
  What is left is the other term:

Source: own work
"""


def changed(*pairs: tuple[str, str]) -> str:
    text = TAIL
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def status(text: str) -> str:
    built = theorem(text, "mine")
    built.refuse_mistakes()
    return built.status


def test_a_bound() -> None:
    assert status(TAIL) == "proved"
    assert status(changed(("$P(r) > w_N r^{-\\beta}$", "`P(r) > w_N r^-beta`"))) == "proved"


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        (
            "$P(r) \\ge 1$, by the mean of $w_N r^{-\\beta}$ and $w_D r^{\\gamma}$ with the weights "
            "$w_N$ and $w_D$",
            "proved",
        ),
        (
            "$P(r) \\ge 1$, by the mean of $w_N r^{-\\beta}$ and $w_D r^{\\gamma}$ with the weights "
            "$w_D$ and $w_N$",
            "failed",
        ),
        ("$\\frac{1}{P(r)} \\le 1$", "proved"),
        ("$e^{t} \\ge 1 + t$", "proved"),
        ("$e^{t} - t > 1$", "failed"),
        ("$e^{t} - t > 1$ for $t \\ne 0$", "proved"),
        ("$e^{t} \\ge 1 + 2 t$", "failed"),
    ],
)
def test_bounds_of_a_mean_and_of_calculus(claim: str, found: str) -> None:
    old = "$P(r) > w_N r^{-\\beta}$"
    real = ("A run", "Let $t$ be real.\n\nA run")
    assert status(changed((old, claim), real)) == found


def test_a_letter_of_the_law_with_a_value() -> None:
    old = "$P(r) > w_N r^{-\\beta}$"
    equal = ("A run", "Let $\\gamma = \\beta$\n\nA run")
    claim = (old, "$P(r) = \\cosh(\\beta \\log r)$")
    assert status(changed(claim, equal)) == "proved"
    assert status(changed(claim)) == "failed"


def test_a_letter_that_no_word_introduces_is_said_to_be_positive() -> None:
    built = theorem(changed(("P(r) > w_N", "u + P(r) > w_N")), "mine")  # fmt: skip
    assert [str(text) for text in built.assumptions][-1] == "Let u > 0."
    assert built.status == "proved"


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([("{above}", "{below}")], "is no step"),
        ([("{above}", "$P(r) = 1$")], "must name the steps"),
        ([("Setting: penalty", "Setting: none")], "must be one of envelope, penalty"),
        ([("Source: own work", "")], "Source: is missing"),
        ([("\\beta}$", "\\beta}$, by magic")], "must be 'by the mean of"),
        ([("A run", "Assume $u < 0$.\n\nA run")], "every letter is positive"),
        ([("A run", "Assume $\\gamma \\le \\beta$\n\nA run")], "strict bound"),
        ([("A run", "Assume small runs, $\\gamma < \\beta$.\n\nA run")], "without words"),
        ([("A run", "Notation: hoffmann\n\nA run")], "no letter of the notation"),
        ([("A run", "Notation: greek\n\nA run")], "greek"),
        ([("A run", "Budget: $C = N + D$\n\nA run")], "budget"),
        ([("Setting: penalty", "Setting: no law\n\nBudget: $C = 6 N D$")], "has its own"),
        ([("P(r) >", "P(r) > F(r) +")], "line 8: .* F is no function"),
        ([("A run", "Suppose so.\n\nA run")], "begins with 'Assume'"),
        ([("A run", "Let $P(r) = 1$\n\nA run")], "has a meaning already"),
        ([("A run", "Let $\\gamma = -\\beta$\n\nA run")], "must be positive"),
        ([("A run", "Let $\\gamma = 2 \\gamma$\n\nA run")], "in other letters"),
        (
            [("A run", "Let $\\gamma = \\beta$\n\nLet $\\beta = \\gamma$\n\nA run")],
            "in other letters",
        ),
        (
            [("A run", "Let $\\gamma = \\beta$\n\nLet $\\gamma = 2 \\beta$\n\nA run")],
            "has a meaning already",
        ),
        ([("P(r) >", "P(r) \\sim")], "no limit"),
        ([("**above**", "above")], "begins with 'Assume'"),
    ],
)
def test_refusals(pairs: list[tuple[str, str]], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        status(changed(*pairs))


CALCULUS = r"""# A slope
The slope of the loss.

Setting: envelope

{slope}.

- **slope**: CLAIM
  Differentiate:

Source: own work
"""


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (r"$\frac{\partial R(N, D)}{\partial N} = -\beta A N^{-\beta - 1}$", "proved"),
        (r"$\frac{\partial R(N, D)}{\partial N} = \beta A N^{-\beta - 1}$", "failed"),
        (r"$\left. \frac{\partial \log R}{\partial \log N} \right|_{N = N^*(C), D = D^*(C)} = -\alpha$", "proved"),
        (r"$\left. \frac{\partial \log R}{\partial \log N} \right|_{N = C, D = D^*(C)} = -\alpha$", "failed"),
        (r"$\frac{\partial^{2} R(N, D)}{\partial N^{2}} > 0$", "proved"),
        (r"$\frac{\partial L(N^*(C), D^*(C))}{\partial A} = N^*(C)^{-\beta}$", "proved"),
        (r"$\left. \frac{N^*(C)}{D^*(C)} \right|_{\gamma = \beta} = (A/B)^{1/\beta}$", "proved"),
    ],
)  # fmt: skip
def test_derivatives_and_values_at_a_point(claim: str, expected: str) -> None:
    assert status(CALCULUS.replace("CLAIM", claim)) == expected


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("$h(x (y + 1)) = h(x y + x)$", "proved"),
        ("$h(x + y) = h(2 x)$", "failed"),
        (r"$h(x + y) > h(x)$ for $\frac{\partial h(z)}{\partial z} > 0$", "proved"),
        (r"$h(x + y) > h(x)$ for $\frac{\partial h(z)}{\partial z} < 0$", "failed"),
        ("$h(x + y) > h(x)$", "failed"),
    ],
)
def test_a_function_without_a_value(claim: str, expected: str) -> None:
    text = CALCULUS.replace("envelope", "function of the reducible loss")
    assert status(text.replace("CLAIM", claim)) == expected


def test_what_cancels_in_a_product_is_still_shown() -> None:
    built = theorem(CALCULUS.replace("CLAIM", "$x N e^{s} e^{-s} D = x N D$"), "mine")
    assert "exp(-s)" in str(built.steps[0].lhs)
    assert built.status == "proved"


@pytest.mark.parametrize(
    ("let", "claim", "expected"),
    [
        ("$x = -y$", r"$\sqrt{x^{2}} = -y$", "failed"),
        ("$x = -y$", r"$\sqrt{x^{2}} = y$", "proved"),
        ("$f(x) = -x$", r"$\sqrt{f(y)^{2}} = -y$", "failed"),
        ("$x = 2 y$", r"$\sqrt{x^{2}} = 2 y$", "proved"),
    ],
)
def test_a_name_has_no_other_sign_than_its_value(let: str, claim: str, expected: str) -> None:
    text = CALCULUS.replace("{slope}.", f"Let {let}\n\n{{slope}}.")
    assert status(text.replace("CLAIM", claim)) == expected


COUNTS = r"""# Counts
What counting proves.

Setting: passk

Let $x$ be real.

Let $p = \frac{u}{1 + u}$

Let $\mathrm{fail@}k = (1 - p)^k$

Let $\mathrm{pass@}k = -x^{2}$

Let $f(n, k) = \binom{n}{k}$

Lemma of Tung 1975, Some Bounds: A quotient of such values grows as $k$ does.

{counted}.

- **counted**: CLAIM
  Count:

Source: own work
"""


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (r"$f(n + 1, k) = \frac{n + 1}{n + 1 - k} f(n, k)$ for $n + 1 - k > 0$", "proved"),
        (r"$f(n + 1, k) = \frac{n}{n + 1 - k} f(n, k)$ for $n + 1 - k > 0$", "failed"),
        (r"$\Gamma(a + 1) > a \Gamma(a)$", "failed"),
        (r"$\Gamma(a + 1) + 1 > a \Gamma(a)$", "proved"),
        (r"$(n + c)! = n! c!$", "failed"),
        (r"$\frac{\partial (c n!)}{\partial n} = 0$", "failed"),
        (r"$n! + n^{2} \sim n^{2}$ as $n \to \infty$", "failed"),
        (r"$c! + n^{2} \sim n^{2}$ as $n \to \infty$", "proved"),
        (r"$\mathrm{fail@}(k + 1) < \mathrm{fail@}k$", "proved"),
        (r"$\mathrm{fail@}(k + 1) = \mathrm{fail@}k \, \mathrm{fail@}2$", "failed"),
        (r"$\operatorname{log1p}(x^{2}) = \log(1 + x^{2})$", "proved"),
        (r"$\sqrt{x^{2}} = x$", "failed"),
        (r"$\sqrt{\mathrm{pass@}k^{2}} = \mathrm{pass@}k$", "failed"),
        (r"$k \frac{k + 1}{k + 2} \sim k$ as $k \to \infty$, by the lemma of Tung 1975", "failed"),
        (r"$k + c \sim k$ as $k \to \infty$, by the lemma of Tung 1975", "proved under a stated lemma"),
        (r"$k (k + 1) = k^{2} + k$, by the lemma of Tung 1975", "proved under a stated lemma"),
        (r"$k! \ge k$, cited from Tung 1975", "failed"),
        (r"$k^{2} + 1 \ge 2 k$, cited from Tung 1975", "cited"),
        (r"$k^{2} + 1 \ge 2 k$, checked in numbers", "checked numerically"),
        (r"$k^{2} \ge 2 k$, checked in numbers", "failed"),
    ],
)  # fmt: skip
def test_counts_lemmas_and_citations(claim: str, expected: str) -> None:
    assert status(COUNTS.replace("CLAIM", claim)) == expected


def test_a_lemma_must_be_there() -> None:
    with pytest.raises(ValueError, match="must name a paragraph"):
        status(COUNTS.replace("CLAIM", "$k (k + 1) = k^{2} + k$, by the lemma of Feller 1971"))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", "proved"),
        (r"Budget: $C = 6 N D$", "", "proved"),
        (r"1/\alpha = 1/\beta + 1/\gamma", r"\alpha = \beta \gamma/(\beta + \gamma)", "proved"),
        (r"\beta T_N(N^*(C)) =", r"\gamma T_N(N^*(C)) =", "failed"),
        (r"= \gamma T_D", r"= -\gamma T_D", "failed"),
        (r"\frac{\beta A}{\gamma B}", r"\frac{\gamma A}{\beta B}", "failed"),
        (r"\frac{\beta A}{\gamma B}", r"\frac{\beta B}{\gamma A}", "failed"),
        (r"Budget: $C = 6 N D$", r"Budget: $C = 12 N D$", "failed"),
        (r"k^{1/(\beta + \gamma)}", r"k^{2/(\beta + \gamma)}", "failed"),
        (r"(C/6)^{\gamma/", r"(C/6)^{\beta/", "failed"),
        (r"(C/6)^{\gamma/", r"C^{\gamma/", "failed"),
        (r"6 N^*(C) D^*(C) = C", r"6 N^*(C) D^*(C) < C", "failed"),
        (r"= w_N C_0", r"= w_D C_0", "failed"),
        (r"D^*(C)) = C_0 C^{-\alpha}", r"D^*(C)) = C_0 C^{\alpha}", "failed"),
        (r"1/\beta + 1/\gamma", r"1/\beta - 1/\gamma", "failed"),
        (r"P(r) = w_N r^{-\beta} + w_D", r"P(r) = w_D r^{-\beta} + w_N", "failed"),
        (r"$P(r) \ge 1$", r"$P(r) > 1$", "failed"),
        (r"$P(r) \ge 1$", r"$P(r) \ge 1.001$", "failed"),
        (r"$P(r) \ge 1$", r"$P(r) \le 1$", "failed"),
    ],
)
def test_an_altered_copy_of_a_derivation(old: str, new: str, expected: str) -> None:
    assert old in BY_HAND
    assert status(BY_HAND.replace(old, new)) == expected


HOFFMANN = r"""# Shares

Setting: penalty

Notation: hoffmann

Assume $\alpha < \beta$.

{claim}.

- **claim**: CLAIM
  So it is:

Source: own work
"""


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (r"$a = \frac{\beta}{\alpha + \beta}$", "proved"),
        (r"$a = \frac{\alpha}{\alpha + \beta}$", "failed"),
        (r"$a > \frac{1}{2}$", "proved"),
        (r"$b > \frac{1}{2}$", "failed"),
        (r"$D^*(C)/N^*(C) \to 0$ as $C \to \infty$", "proved"),
        (r"$D^*(C)/N^*(C) \to 0$ as $C \to 0$", "failed"),
        (r"$C_0 C^{-\alpha_C} = L(N^*(C), D^*(C)) - E$", "proved"),
    ],
)
def test_another_notation_and_a_condition_of_every_step(claim: str, expected: str) -> None:
    assert status(HOFFMANN.replace("CLAIM", claim)) == expected
