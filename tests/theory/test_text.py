"""Theorems that are written as text: what is read, what binds, and what is refused."""

import pytest

from isoflop.theory.text import theorem

TAIL = r"""# A tail
One term is below the whole penalty.

Setting: penalty

A run of size ratio $r > 0$ has {above}.

- **above**: $P(r) > w_N r^{-\beta}$, by the positive terms $w_D r^{\gamma}$
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


@pytest.mark.parametrize(
    "hint",
    [
        ", by the positive terms $w_D r^{\\gamma}$",
        ", by the positive terms `w_D r^gamma`",
        ", by positive terms",
        "",
    ],
)
def test_a_bound(hint: str) -> None:
    assert status(changed((", by the positive terms $w_D r^{\\gamma}$", hint))) == "proved"


@pytest.mark.parametrize(
    "hint",
    [
        "by the positive terms $w_N r^{\\gamma}$",
        "by the mean of $w_N r^{-\\beta}$ and $w_D r^{\\gamma}$ with the weights $w_N$ and $w_D$",
        "by $x^{2}$, which falls in $x$, at $P(r)$ and $w_N r^{-\\beta}$",
    ],
)
def test_another_argument_than_the_one_that_is_named_proves_nothing(hint: str) -> None:
    text = changed(("by the positive terms $w_D r^{\\gamma}$", hint))
    assert status(text) == "failed"


def test_a_mean_and_a_monotone_function() -> None:
    mean = "the mean of $w_N r^{-\\beta}$ and $w_D r^{\\gamma}$ with the weights $w_N$ and $w_D$"
    old = "$P(r) > w_N r^{-\\beta}$, by the positive terms $w_D r^{\\gamma}$"
    assert status(changed((old, f"$P(r) \\ge 1$, by {mean}"))) == "proved"
    falls = f"by $1/y$, which falls in $y$, at $P(r)$ and $1$, and there by {mean}"
    assert status(changed((old, f"$\\frac{{1}}{{P(r)}} \\le 1$, {falls}"))) == "proved"
    rises = falls.replace("falls", "rises")
    assert status(changed((old, f"$\\frac{{1}}{{P(r)}} \\le 1$, {rises}"))) == "failed"


def test_a_letter_that_no_word_introduces_is_said_to_be_positive() -> None:
    built = theorem(changed(("P(r) > w_N", "u + P(r) > w_N"), (", by the positive terms $w_D r^{\\gamma}$", "")), "mine")  # fmt: skip
    assert [str(text) for text in built.assumptions][-1] == "Let u > 0."
    assert built.status == "proved"


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([("{above}", "{below}")], "is no step"),
        ([("{above}", "$P(r) = 1$")], "must name the steps"),
        ([("Setting: penalty", "Setting: none")], "must be one of envelope, penalty"),
        ([("Source: own work", "")], "Source: is missing"),
        ([("positive terms $w_D r", "terms $w_D r")], "must be 'by positive terms'"),
        ([("A run", "Assume $u < 0$.\n\nA run")], "every letter is positive"),
        ([("A run", "Suppose so.\n\nA run")], "begins with 'Assume'"),
        ([("A run", "Let $P(r) = 1$\n\nA run")], "has a meaning already"),
        ([("P(r) >", "P(r) \\sim"), (", by the positive terms $w_D r^{\\gamma}$", "")], "no limit"),
        ([("**above**", "above")], "begins with 'Assume'"),
    ],
)
def test_refusals(pairs: list[tuple[str, str]], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        status(changed(*pairs))
