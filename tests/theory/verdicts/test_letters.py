"""What prose says of letters decides for which values a claim is meant."""

from fractions import Fraction

import pytest
from tests.theory.verdicts.test_report import decided

#: Prose, a claim after it that does not hold for all that the prose says, or that prose leaves open.
NEVER_PROVED = [
    ("Let $z$ be any real number.", r"\sqrt{z^2} = z"),
    ("Let $z$ be negative.", "|z| = z"),
    ("Let $z$ be a negative number.", r"\sqrt{z^2} = z"),
    ("Suppose $z < 0$.", r"\sqrt{z^2} = z"),
    ("Suppose that $z$ and $t$ are negative reals.", "z+t > 0"),
    (r"Let $z, t \in \mathbb{R}$.", r"\sqrt{z^2 t^2} = z t"),
    ("For all real $z$,", r"\sqrt{z^2} = z"),
    ("For all real numbers $x,y$ we have", r"x^3+y^3 \ge 0"),
    ("Here $z$ may be negative.", "z + 1 > 1"),
    ("Here $z$ can be of either sign.", "z + 1 > 1"),
    ("The letter $z$ is not positive.", "z + 1 > 1"),
    ("Here $z$ is nonpositive.", "z + 1 > 1"),
    (r"Let $z \le 0$.", "z + 1 > 1"),
    ("Let $0 < z < 1$.", "z < z^2"),
    (r"Let $z \in [0,1]$.", "z > z^2"),
    ("Let $z>0$ be false.", "z + 1 > 1"),
    ("It is not true that $z > 0$.", "z + 1 > 1"),
    ("Let $z>0$ or $z<0$.", "z + 1 > 1"),
    (r"We do not assume $\beta = \gamma$.", r"\beta = \gamma"),
    (r"Unless $\beta = \gamma$,", r"\alpha = \beta/2"),
    (r"In the special case $\beta=\gamma$, things are easy. In general,", r"\alpha = \beta/2"),
    (r"Suppose $\beta > \gamma$. Otherwise,", r"\beta > \gamma"),
    ("We let $x$ be complex.", "|x|^2 = x^2"),
    ("Let $x$ be a real or complex number.", "|x|^2 = x^2"),
    (r"Let $x \in \mathbb{C}$.", "|x|^2 = x^2"),
    ("Let $n$ be an integer.", r"n \ge 1"),
    ("Let $z, t$ be nonzero.", "z t > 0"),
    (r"Let $z \neq 0$.", "z > 0"),
    ("Let $z$ be arbitrary.", "z > 0"),
    ("We define $z := x - y$.", "z > 0"),
    ("where $u = -v$.", "u > 0"),
    (r"Let $z$ and $y$ be real numbers with $z \le y$.", "z y > 0"),
    ("We write $z$ for a real number.", "z > -1"),
    ("Throughout, $z$ denotes a real number.", r"\sqrt{z^2}=z"),
    ("Throughout, all letters are real.", r"\sqrt{z^2}=z"),
    ("In this section all variables may be negative.", "|z| = z"),
    ("The variables $z$, $y$ range over the reals.", "|z y| = z y"),
    ("The variable $z$ ranges over $(-1, 1)$.", "|z| = z"),
    ("For every $-1 < z < 1$,", "|z| = z"),
    ("For every $z > -1$ (Bernoulli),", r"\log(1+z) \ge 0"),
    ("Let $z>-1$.", r"\log(1+z) \ge 0"),
    ("Let $|z| < 1$.", "|z| = z"),
    (r"Let $z_1, z_2 \in \mathbb{R}$.", "|z_1 z_2| = z_1 z_2"),
    (r"Let $\xi \in \mathbb R$.", r"|\xi| = \xi"),
    (r"Let $\xi \in \mathbb{R}^n$.", r"|\xi| = \xi"),
    (r"Let $\xi \in \{-1, 1\}$.", r"|\xi| = \xi"),
    (r"Let $\xi$ be a real random variable.", r"|\xi| = \xi"),
    ("The case $z < 0$ is analogous.", "|z| = z"),
    ("When $z$ is negative,", "|z| = z"),
    ("If $z$ is zero or negative,", "|z| = z"),
    ("Let $z$ be non-positive.", "|z| = z"),
    ("We do not require $z > 0$.", "|z| = z"),
    ("The constant $z$ need not be positive.", "|z| = z"),
    ("The constant $z$ is not necessarily positive.", "|z| = z"),
    ("The sign of $z$ is arbitrary.", "|z| = z"),
    ("The number $z$ has arbitrary sign.", "|z| = z"),
    ("The number $z$ has no definite sign.", "|z| = z"),
    ("The number $z$ takes both signs.", "|z| = z"),
    ("The number $z$, which is negative, matters.", "|z| = z"),
    ("Let $z$ (real) be given.", "|z| = z"),
    ("For real $y < z$,", "y z > 0"),
    ("Let $z$ be a small negative number.", "|z| = z"),
    ("Let $z$ be a sufficiently large real.", "|z| = z"),
    ("Let $z$ be zero.", "z > 0"),
    ("Consider the real line and a point $z$ on it.", "|z|=z"),
    ("Let $z$ be any point of the real line.", "|z|=z"),
    ("Let $x$ be real. Let $y>0$.", "x y > 0"),
    ("A priori $z$ may be of either sign.", "|z| = z"),
    ("The quantity $z$ is, a priori, of either sign.", "|z| = z"),
    ("Here, $z$ is allowed to be negative.", "|z| = z"),
    ("We allow $z<0$.", "|z| = z"),
    ("We allow negative values of $z$.", "|z| = z"),
    ("We allow for negative $z$.", "|z| = z"),
    ("Note that $z$ can become negative.", "|z| = z"),
    ("Note that the gap $z$ is negative for small models.", "|z| = z"),
    ("The gap $z$ vanishes at the optimum and is negative below it.", "|z| = z"),
    ("The gap $z$ is positive above the optimum and negative below it.", "|z| = z"),
    ("The gap, $z$, can have any sign.", "|z| = z"),
    (r"The offset $z \in \mathbb{R}$ is fitted.", "|z| = z"),
    (r"The offsets $y,z \in \mathbb{R}$ are fitted.", "|z| = z"),
    ("The fitted offset was $z = -0.3$.", "|z| = z"),
    (r"We find $z \approx -0.3$.", "|z| = z"),
    (r"We find $z = -0.3 \pm 0.1$.", "|z| = z"),
    ("Let $y$ and $z$ be positive and negative, respectively.", "|z| = z"),
    ("Let $y > 0 > z$.", "|z| = z"),
    ("Let $z=-y$ with $y>0$.", "|z| = z"),
    ("Let $z$ be such that $z^2 = 4$.", "|z| = z"),
    ("Let $z^2 = y$.", "|z| = z"),
    ("Let $z$ solve $z^2 = y$.", "|z| = z"),
    (r"For $z \in (-\infty, \infty)$,", "|z| = z"),
    (r"For $z \in [-1,1]$,", "|z| = z"),
    (r"For $-\pi<z<\pi$,", "|z| = z"),
    (r"For $|z|<\pi$,", "|z| = z"),
    ("For any sign of $z$,", "|z| = z"),
    ("Whatever the sign of $z$,", "|z| = z"),
    ("Regardless of the sign of $z$,", "|z| = z"),
    ("Depending on the sign of $z$, the curve bends up or down.", "|z| = z"),
    ("The exponent $z$ was found to be negative.", "|z| = z"),
    ("The exponent $z$ (possibly negative) is fitted.", "|z| = z"),
    ("The (possibly negative) exponent $z$ is fitted.", "|z| = z"),
    ("The negative exponent $z$ is fitted.", "|z| = z"),
    ("The signed error $z$ is averaged.", "|z| = z"),
    ("Let $z$ denote a signed quantity.", "|z| = z"),
    ("Let $z$ be a standard normal variable.", "|z| = z"),
    (r"Let $z \sim \mathcal{N}(0, 1)$.", "|z| = z"),
    (r"\begin{itemize}\item Let $z<0$.\item Let $y>0$.\end{itemize} We have", "|z| = z"),
    (r"\footnote{Here $z$ may be negative.} We have", "|z| = z"),
    (r"Let $z \leqslant 0$.", "|z| = z"),
    (r"Let $z \lt 0$.", "|z| = z"),
    (r"Let $z\not=0$.", "|z| = z"),
    (r"Let \(z<0\).", "|z| = z"),
    (r"Let $ z\,<\,0 $.", "|z| = z"),
    ("Let $z {<} 0$.", "|z| = z"),
    ("Let $z_{1} < 0 < z_{2}$.", "|z_1| = z_1"),
    (r"Let $\delta < 0$.", r"|\delta| = \delta"),
    (r"Let $\Delta_z < 0$.", r"|\Delta_z| = \Delta_z"),
    ("Let $z^{*}$ be real.", "|z^{*}| = z^{*}"),
    (r"Let $\hat z$ be real.", r"|\hat z| = \hat z"),
    ("Let $z'$ be real.", "|z'| = z'"),
    ("Let $z<0$ (we drop the index).", "|z| = z"),
    ("Let $z$ be at most zero.", "|z| = z"),
    ("Let $z$ be less than zero.", "|z| = z"),
    ("Let $z$ be smaller than $0$.", "|z| = z"),
    ("Let $z$ be greater than $-1$.", "|z| = z"),
    ("Let $z$ be below zero.", "|z| = z"),
    ("Let $z$ lie between $-1$ and $1$.", "|z| = z"),
    ("Suppose $z$ is less than one in absolute value.", "|z| = z"),
    (r"with $z \in \mathbf{R}$", "|z| = z"),
    (r"with $z \in \R$", "|z| = z"),
    (r"with $z$ in $\mathbb{R}$", "|z| = z"),
    ("with $z$ from the reals", "|z| = z"),
    ("$z$: real", "|z| = z"),
    (r"Suppose $\beta\le\gamma$ or $\beta \ge \gamma$.", r"\beta \le \gamma"),
    (r"It is not assumed that $\beta = \gamma$.", r"\alpha=\beta/2"),
    (r"Suppose that $\beta = \gamma$ fails.", r"\alpha=\beta/2"),
    (r"Assume $\beta \neq \gamma$.", r"\alpha=\beta/2"),
    (r"Let $\beta > \gamma$. More generally we have", "w_D > w_N"),
    (r"Suppose $\beta>\gamma$. We drop this assumption now.", "w_D > w_N"),
    (r"Contrary to the case $\beta = \gamma$, here", r"\alpha=\beta/2"),
    (r"For $\beta=\gamma$ see the appendix. Here", r"\alpha=\beta/2"),
]
#: And one that holds for what the prose says, though not for everything.
PROVED = [
    ("Let $z$ be negative.", "|z| = -z"),
    (r"Let $z, t \in \mathbb{R}$.", r"z^2+t^2 \ge 2 z t"),
    ("For all real numbers $x,y$ we have", r"x^2 + y^2 \ge 2xy"),
    ("Let $0 < z < 1$.", "z > z^2"),
    ("Let $z<t<0$.", "z^2 > t^2"),
    (r"Let $z \in (0,1)$.", "z > z^2"),
    (r"Let $z \in [0,1]$.", r"z \ge z^2"),
    (r"If $\beta = \gamma$, then", r"\alpha = \beta/2"),
    ("Let $n$ be a positive integer.", "n > 0"),
    (r"As $z \to 0$,", r"\frac{(1+z)^2-1}{z} \to 2"),
    (r"Let $z$ and $y$ be real numbers with $z \le y$.", r"e^z \le e^y"),
    ("Here $z$ is real-valued.", "z^2 + 1 \\ge 2 z"),
    ("For every $z > -1$ (Bernoulli),", r"\log(1+z) \le z"),
    (r"Let $\xi \in \mathbb R_{+}$.", r"|\xi| = \xi"),
    (r"Let $\xi \in \mathbb{R}_{>0}$.", r"|\xi| = \xi"),
    (r"Let $\xi \in (-\infty, 0]$.", r"|\xi| = -\xi"),
    ("Let $z > 0$. The case $z<0$ is analogous.", "|z| = z"),
    ("When $z$ is negative,", "|z| = -z"),
    ("If $z$ is positive,", "|z| = z"),
    ("If $z$ is positive or zero,", "|z| = z"),
    ("Let $z$ be non-negative.", "|z| = z"),
    (r"Assume that $\beta,\gamma>0$.", r"\beta+\gamma > 0"),
    ("For $y < z$,", "e^y < e^z"),
    ("For real $y < z$,", "e^y < e^z"),
    ("Suppose that $z$ and $y$ are negative reals.", "zy > 0"),
    (r"Without loss of generality $z \ge 0$.", "|z| = z"),
    (r"Without loss of generality, let $z \ge 0$.", "|z| = z"),
    ("Unless otherwise stated, $z > 0$.", "|z| = z"),
    ("Unless otherwise stated, all letters are positive.", "|z| = z"),
    ("Let $y > 0 > z$.", "y z < 0"),
    ("Let $z < 0 < y$.", "y z < 0"),
    ("Set $z = -y$ where $y>0$.", "|z| = y"),
    (r"Let $z>0$.\footnote{The case $z<0$ is similar.} We have", "|z| = z"),
    (r"Let $z \geqslant 0$.", "|z| = z"),
    ("Let $z$ be at least zero.", "|z| = z"),
    (r"Assume $\beta > \gamma$ (the other case is similar).", "w_D > w_N"),
]
#: Claims that are true where the prose says, in words that may not be understood.
NEVER_REFUTED = [
    ("For all positive $z$ below $1$,", "z^2 < z"),
    ("For all positive $z$ less than one,", "z^2 < z"),
    ("For all positive $z$ smaller than $1$,", "z^2 < z"),
    ("For all real $z$ in the unit interval,", r"z^2 \le z"),
    ("For all real $z$ with $z^2 < z$,", "z > 0"),
    ("For every real $z$ such that $0<z<1$,", "z^2 < z"),
    ("For every real $z$ except $0$,", "z^2 > 0"),
    (r"For all real $z \neq 0$,", "z^2 > 0"),
    (r"For all real $z$ with $z \ne 0$,", "z^2 > 0"),
    ("For all real $x < y$,", "e^x < e^y"),
    ("For any $x > 2$,", "x^2 > 2x"),
    ("For any real $x > 2$,", "x^2 > 2x"),
    ("For all small enough positive $z$,", "z^2 < z"),
    ("For all sufficiently large real $z$,", "z^2 > z"),
    ("For any positive $z$, provided it is below one,", "z^2 < z"),
    ("For each positive integer $z$,", r"z^2 \ge z"),
    ("For all positive $x, y$ with $x+y=1$,", r"x y \le 1/4"),
    ("For all real $x,y$ with $x+y = 0$,", "x = -y"),
    ("For all real $x$ and $y$ of the same sign,", r"x y \ge 0"),
    (r"For all positive reals $x \ge y$,", r"x^2 \ge y^2"),
    (r"For all real $x \ge y$,", r"x^3 \ge y^3"),
    (r"For any real $z$ there is nothing to show if $z \le 1$; else", "z^2 > z"),
    ("For every real $z$ which exceeds one,", "z^2 > z"),
    ("For every real $z$ beyond $1$,", "z^2 > z"),
    ("For every real $z$ at which $f(z) > 0$,", "z > 0"),
    ("Let $z$ be any positive root of $z^2 = 2$. Then", "z^4 = 4"),
    ("Let $z$ be an arbitrary positive number less than $1$. Then", "z^2 < z"),
    ("Let $z$ be any negative number. Then for $y = -z$", "y > 0"),
    ("Each real $z$ has", r"z^2 \ge 0"),
    ("As every real $z$ between $0$ and $1$ does,", "z^2 < z"),
    ("All real $z$ solve", "z = z"),
    ("If $z<0$ then for all such $z$", "|z| = -z"),
    ("If $z$ is any negative number then", "|z| = -z"),
    (r"For $\beta$ larger than $\gamma$,", "w_D > w_N"),
    (r"When $\beta$ exceeds $\gamma$,", "w_D > w_N"),
    ("If the exponents are equal,", r"\alpha = \beta/2"),
    ("For equal exponents", r"\alpha = \beta/2"),
    ("For $r$ above one,", "P(r) > 1"),
    ("For small models,", "r < 1"),
    ("In the overtrained regime,", "r < 1"),
    ("Near the optimum,", "P(r) < 2"),
    ("At the optimum,", "L = L_{opt}"),
    ("On the ray $D = 20 N$,", "C = 120 N^2"),
    ("On the ray with twenty tokens per param,", "C = 120 N^2"),
    ("With twice the params and the same tokens the compute is $2C$, and", "L(2N, D) < L(N,D)"),
    ("Suppose the data term dominates, so that", r"B D^{-\gamma} > A N^{-\beta}"),
    ("If $N$ is held at $10^9$,", "N = 10^9"),
    ("When $E$ is negligible,", "L = R"),
    ("For $E=0$,", "L = R"),
    ("Ignoring the irreducible loss,", r"L = A N^{-\beta} + B D^{-\gamma}"),
    ("For large $N$ the first term is small, so", r"L \approx E + B D^{-\gamma}"),
    ("In the data-limited regime", r"L = E + B D^{-\gamma}"),
    (r"As $N\to\infty$ this becomes", r"L = E + B D^{-\gamma}"),
    ("For compute below the threshold we have", "N_{opt} < D_{opt}"),
    ("Above it", "N_{opt} > D_{opt}"),
    ("Training beyond the optimum,", "D > D_{opt}"),
    ("The run has", "L < 3"),
]
#: Letters of the law that the document has otherwise.
NOT_OF_THE_LAW = [
    (r"Suppose $\beta$ is negative.", r"N^{-\beta} N^\beta = 1"),
    (r"Suppose $\beta < 0$.", r"\beta > 0"),
    (r"Let $\gamma$ be of either sign.", r"\gamma > 0"),
]
#: What a document says of the compute, a claim after it, and the answer.
BUDGETS = [
    ("The compute is $C = 8ND$.", "C = 6ND", "undecided"),
    ("The compute is $C = 6ND$.", "C = 6ND", "proved"),
    (r"With $C \approx 6ND$,", "N D = C/6", "proved"),
    (r"With $C \approx 8ND$,", "N D = C/6", "undecided"),
    ("We use the budget $C = N^2 D$.", r"\alpha = \frac{\beta\gamma}{\beta+\gamma}", "undecided"),
    ("Let the budget be $C=8 N D$.", r"\alpha = \frac{\beta\gamma}{\beta+\gamma}", "proved"),
    ("Let the budget be $C=8 N D$.", r"N_{opt} D_{opt} = C/6", "undecided"),
    ("Let the budget be $C:=8 N D$.", r"N_{opt} D_{opt} = C/6", "undecided"),
    (r"Suppose $C \equiv 8ND$.", r"N_{opt} D_{opt} = C/6", "undecided"),
    ("Let $8ND = C$.", r"N_{opt} D_{opt} = C/6", "undecided"),
    (r"Training costs \[ C = 8ND. \]", r"N_{opt} D_{opt} = C/6", "undecided"),
    (r"Training costs \[ C = N^2D. \]", r"\alpha = \frac{\beta\gamma}{\beta+\gamma}", "undecided"),
    ("With attention it is $C = 6ND + 12 n D$.", r"N_{opt} D_{opt} = C/6", "undecided"),
    ("Training costs $C = 8ND$.", r"L(N, D) = E + A N^{-\beta} + B D^{-\gamma}", "proved"),
]


def last(prose: str, claim: str):
    return decided(rf"{prose} \[ {claim} \]", notation="schaeffer")[-1]


@pytest.mark.parametrize(("prose", "claim"), NEVER_PROVED)
def test_no_more_is_proved_than_holds(prose, claim):
    assert last(prose, claim).answer != "proved"


@pytest.mark.parametrize(("prose", "claim"), PROVED)
def test_what_holds_for_such_letters_is_proved(prose, claim):
    assert last(prose, claim).answer == "proved"


@pytest.mark.parametrize(("prose", "claim"), NEVER_REFUTED)
def test_nothing_is_refuted_for_more_than_is_claimed(prose, claim):
    assert last(prose, claim).answer != "refuted"


@pytest.mark.parametrize(("prose", "claim"), NOT_OF_THE_LAW)
def test_letters_of_the_law_keep_their_sign(prose, claim):
    entry = last(prose, claim)
    assert entry.answer == "undecided"
    assert "positive in the law" in entry.reason


@pytest.mark.parametrize(("prose", "claim", "answer"), BUDGETS)
def test_another_budget_is_one_however_it_is_named(prose, claim, answer):
    entry = last(prose, claim)
    assert entry.answer == answer
    if answer == "undecided":
        assert "budget" in entry.reason or "something else" in entry.reason


def test_the_answer_says_for_which_signs_it_is():
    assert last("Let $z$ be negative.", "|z| = -z").reading == "for z < 0"
    entry = last("For all real $x, y$", "x^3 + y^3 \\ge 0")
    assert (entry.answer, entry.reading) == ("refuted", "for x real, y real")
    assert min(map(Fraction, entry.link.point.values())) < 0
    assert entry.free == ()


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        # a theorem's letters are its own
        (
            r"\begin{theorem} Let $z$ be real. \[ |z| = z \] \end{theorem} \[ |z| = z \]",
            ["undecided", "proved"],
        ),
        # what is said after a display is said of it
        (r"\[ |z| = z, \] where $z$ may be negative.", ["undecided"]),
        (r"\[ |z| = z \] Here $z$ is any real number.", ["refuted"]),
        # the last thing that is said holds
        (r"Let $z$ be real. Now let $z > 0$. \[ |z| = z \]", ["proved"]),
        (r"Let $z > 0$. Now let $z$ be real. \[ |z| = z \]", ["undecided"]),
        # a sentence of its own
        (r"For $z < 0$ \[ |z| = -z, \] and for $y > 0$ \[ |y| = y. \]", ["proved", "proved"]),
        (r"Let $z$ be real. \section{Two} \[ |z| = z \]", ["proved"]),
        (r"Let $z = x - y$. \[ z = |z| \]", ["definition", "undecided"]),
    ],
)
def test_where_it_holds(text, answers):
    assert [entry.answer for entry in decided(text, notation="schaeffer")] == answers
