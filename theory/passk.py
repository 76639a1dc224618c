"""Laws of pass@k that depend on k, in closed form.

A problem that one sample solves with probability p is solved by at least one of k samples with
probability pass@k = 1 - (1 - p)^k; fail@k = (1 - p)^k. Over a benchmark both are means over its
problems.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Pow, Symbol, exp, log

from .envelope import Envelope, derive
from .kernel import symbols as sym
from .law import PARAMS_TOKENS, LawForm
from .penalty import misallocation
from .theorem.words import Definition, Sentence, all_positive, function, in_paper_order, say

SCHAEFFER = "Schaeffer et al. 2025, arXiv 2509.24012"

DRAWS = Symbol("k", positive=True)
PASS_AT, FAIL_AT = function("pass@"), function("fail@")


def turning_compute(first: tuple[Expr, Expr], second: tuple[Expr, Expr]) -> Expr:
    """The compute at which the difference of two laws, with or without floors, has its turning
    point: alpha_1 C0_1 C^-alpha_1 = alpha_2 C0_2 C^-alpha_2.
    """
    (c_1, alpha_1), (c_2, alpha_2) = first, second
    return Pow(alpha_2 * c_2 / (alpha_1 * c_1), 1 / (alpha_2 - alpha_1))


@dataclass(frozen=True)
class BilinearForm:
    """log(-log pass@k) = log A + a log C + b log k + d log C log k (Krajewski et al. 2025, equation
    5), with the signs of the fit.
    """

    coefficient: Expr
    compute: Expr
    draws: Expr
    mixed: Expr

    @property
    def log_value(self) -> Expr:
        return (
            log(self.coefficient)
            + self.compute * log(sym.C)
            + self.draws * log(DRAWS)
            + self.mixed * log(sym.C) * log(DRAWS)
        )

    @property
    def value(self) -> Expr:
        """-log pass@k."""
        return exp(self.log_value)

    @property
    def compute_exponent(self) -> Expr:
        """-(a + d log k), the exponent with which -log pass@k falls in C at fixed k."""
        return -(self.compute + self.mixed * log(DRAWS))

    @property
    def crossing(self) -> Expr:
        """C_x = exp(-b/d), where the curves of all k cross: below it more samples would solve fewer
        problems, which is impossible.
        """
        return exp(-self.draws / self.mixed)


@dataclass(frozen=True)
class CrossAllocation:
    """Runs that are optimal for pass@k1 and judged by pass@k2: two laws of one form and budget."""

    chosen: Envelope
    judged: Envelope

    @property
    def size_ratio(self) -> Expr:
        """r = N*_k1(C)/N*_k2(C) = (G1/G2) (C/6)^(w_N(k1) - w_N(k2)) under C = 6 N D."""
        budget = self.judged.budget.coefficient
        at_unit = (self.chosen.params / self.judged.params).subs(sym.C, budget)
        return at_unit * (sym.C / budget) ** (self.chosen.shares[0] - self.judged.shares[0])

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """The definitions of the names of both optima and of the judging law."""
        law, C = self.judged.form, sym.C
        penalty = misallocation(self.judged).penalty
        return (
            Definition(JUDGED(sym.N, sym.D), law.reducible),
            Definition(CHOSEN_PARAMS(C), self.chosen.params),
            Definition(CHOSEN_TOKENS(C), self.chosen.tokens),
            Definition(BEST_PARAMS(C), self.judged.params),
            Definition(BEST_TOKENS(C), self.judged.tokens),
            Definition(OFF_BY(C), self.size_ratio),
            Definition(PENALTY_ACROSS(SIZE), penalty.subs(sym.SIZE_RATIO, SIZE)),
        )

    @property
    def assumptions(self) -> tuple[Sentence, ...]:
        """The sentences that introduce the two laws and the budget."""
        first, second = (function(f"L_{i}")(sym.N, sym.D) for i in (1, 2))
        k1, k2 = Symbol("k_1", positive=True), Symbol("k_2", positive=True)
        positive = in_paper_order(
            frozenset().union(
                *(
                    t.expression.free_symbols
                    for e in (self.chosen, self.judged)
                    for t in e.form.terms
                )
            )
        )
        return (
            say(
                "At {} draws {} has the law {}, ",
                k1,
                -log(PASS_AT(k1)),
                (first, "=", self.chosen.form.loss),
            )
            + say("and at {} draws the law {}; ", k2, (second, "=", self.judged.form.loss))
            + all_positive(positive)
            + say(
                ". The compute is {}, with {}.",
                (sym.C, "=", self.judged.budget.compute()),
                (sym.C, ">", 0),
            ),
        )


#: Names for two laws: the reducible loss and the penalty of the judging law, the ratio of the optimal
#: sizes, and both optima.
JUDGED, PENALTY_ACROSS, OFF_BY = function("R_2"), function("P_2"), function("q")
CHOSEN_PARAMS, CHOSEN_TOKENS = function("N_1"), function("D_1")
BEST_PARAMS, BEST_TOKENS = function("N_2"), function("D_2")
SIZE = Symbol("x", positive=True)


def cross_allocation() -> CrossAllocation:
    """The pair of laws with the letters A_1, B_1, beta_1, gamma_1 and A_2, B_2, beta_2, gamma_2."""
    return CrossAllocation(*(derive(_indexed(index)) for index in (1, 2)))


def _indexed(index: int) -> LawForm:
    letters = (sym.E, sym.A, sym.B, sym.BETA, sym.GAMMA)
    return PARAMS_TOKENS.renamed(
        {letter: Symbol(f"{letter.name}_{index}", positive=True) for letter in letters}
    )
