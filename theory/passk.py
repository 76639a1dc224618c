"""pass@k in closed form: the estimator, mixtures over problems, constraints across k, and laws that
depend on k.

A problem that one sample solves with probability p is solved by at least one of k samples with
probability pass@k = 1 - (1 - p)^k; fail@k = (1 - p)^k. Over a benchmark both are means over its
problems.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import Expr, Function, Pow, Symbol, exp, log

from .algebra import symbols as sym
from .algebra.factorials import factorial_of, gamma_of
from .algebra.functions import expm1, log1p
from .envelope import Envelope, derive
from .law import PARAMS_TOKENS, LawForm
from .penalty import misallocation
from .proof.words import Definition, Sentence, all_positive, function, in_paper_order, say

CHEN = "Chen et al. 2021, Evaluating Large Language Models Trained on Code, arXiv 2107.03374"
KRAJEWSKI = "Krajewski et al. 2025, arXiv 2512.08894"
SCHAEFFER = "Schaeffer et al. 2025, arXiv 2509.24012"
TAIL = "Schaeffer et al. 2025, arXiv 2502.17578"
TRICOMI = "Tricomi and Erdelyi 1951, Pacific J. Math. 1, 133-142"

SAMPLES, CORRECT, DRAWS = (Symbol(name, positive=True) for name in ("n", "c", "k"))
SOLVE = Symbol("p", positive=True)
PASS_AT, FAIL_AT = function("pass@"), function("fail@")
SHAPE_A, SHAPE_B = (Symbol(name, positive=True) for name in ("a", "b"))


class choose(Function):
    """n!/(k! (n - k)!), of the three factorials."""

    nargs = 3

    def definition(self) -> Expr:
        above, below, rest = self.args
        return above / (below * rest)

    def _latex(self, printer: Any, exp: Any = None) -> str:
        above, below, rest = (printer._print(argument) for argument in self.args)
        fraction = rf"\frac{{{above}}}{{{below}\,{rest}}}"
        return fraction if exp is None else rf"\left({fraction}\right)^{{{exp}}}"


def binomial(n: Expr, k: Expr) -> Expr:
    """n choose k, in factorials."""
    return choose(factorial_of(n), factorial_of(k), factorial_of(n - k))


def in_factorials(expression: Expr) -> Expr:
    """The expression with its binomials as quotients of factorials, which cancel."""
    return expression.replace(choose, lambda *factorials: choose(*factorials).definition())


def falling(n: Expr, k: Expr) -> Expr:
    """n (n - 1) ... (n - k + 1) = n!/(n - k)!."""
    return factorial_of(n) / factorial_of(n - k)


# -- the estimator -----------------------------------------------------------------------------------------------


def fail_estimator(n: Expr = SAMPLES, c: Expr = CORRECT, k: Expr = DRAWS) -> Expr:
    """C(n - c, k)/C(n, k), the unbiased estimator of fail@k from c correct among n samples (Chen et
    al. 2021).
    """
    return binomial(n - c, k) / binomial(n, k)


def fail_estimator_factor(n: Expr, c: Expr, drawn: Expr) -> Expr:
    """1 - c/(n - i): the chance to draw another failure after i of them; the estimator is the
    product over i < k.
    """
    return 1 - c / (n - drawn)


def overlap_weight(n: Expr, k1: Expr, k2: Expr, shared: Expr) -> Expr:
    """C(k1, j) C(n - k1, k2 - j)/C(n, k2): the chance that a random k2-subset shares j of the n
    samples with a given k1-subset.

    Cov(fail-estimators at k1, k2) = sum_j weight_j (1 - p)^(k1 + k2 - j) - (1 - p)^(k1 + k2); the
    variance is k1 = k2 (Hoeffding 1948, Ann. Math. Statist. 19, 293-325, for U-statistics).
    """
    return binomial(k1, shared) * binomial(n - k1, k2 - shared) / binomial(n, k2)


def product_coefficient(m: Expr, k: Expr, j: Expr) -> Expr:
    """C(m, j) C(k, j) j!: x_(m) x_(k) = sum_j C(m, j) C(k, j) j! x_(m + k - j) for falling
    factorials x_(k).
    """
    return binomial(m, j) * binomial(k, j) * factorial_of(j)


def neg_log_pass_near_zero(log_fail: Expr) -> Expr:
    """-log pass@k = -log1p(-e^s) from s = log fail@k; without cancellation for fail@k below 1/2."""
    return -log1p(-exp(log_fail))


def neg_log_pass_near_one(log_fail: Expr) -> Expr:
    """-log pass@k = -log(-expm1(s)) from s = log fail@k; without cancellation for fail@k above 1/2."""
    return -log(-expm1(log_fail))


# -- mixtures over problems --------------------------------------------------------------------------------------


def beta_fail(a: Expr = SHAPE_A, b: Expr = SHAPE_B, k: Expr = DRAWS) -> Expr:
    """fail@k = Gamma(a + b) Gamma(b + k)/(Gamma(b) Gamma(a + b + k)) where p is Beta(a, b) over the
    problems.
    """
    return gamma_of(a + b) * gamma_of(b + k) / (gamma_of(b) * gamma_of(a + b + k))


def beta_fail_ratio(a: Expr = SHAPE_A, b: Expr = SHAPE_B, k: Expr = DRAWS) -> Expr:
    """fail@(k + 1)/fail@k = (b + k)/(a + b + k) where p is Beta(a, b)."""
    return (b + k) / (a + b + k)


def beta_tail(a: Expr = SHAPE_A, b: Expr = SHAPE_B, k: Expr = DRAWS) -> Expr:
    """fail@k ~ Gamma(a + b)/Gamma(b) k^-a for k -> infinity where p is Beta(a, b)."""
    return gamma_of(a + b) / gamma_of(b) * k**-a


def beta_tail_correction(a: Expr = SHAPE_A, b: Expr = SHAPE_B, k: Expr = DRAWS) -> Expr:
    """1 - a (a + 2b - 1)/(2k): the next order, as a factor of the tail (Tricomi and Erdelyi 1951)."""
    return 1 - a * (a + 2 * b - 1) / (2 * k)


def gamma_ratio(x: Expr, y: Expr, k: Expr = DRAWS) -> Expr:
    """Gamma(k + x)/Gamma(k + y) = k^(x - y) (1 + (x - y)(x + y - 1)/(2k) + O(k^-2)) (Tricomi and
    Erdelyi 1951): its two terms.
    """
    return k ** (x - y) * (1 + (x - y) * (x + y - 1) / (2 * k))


def power_tail(density: Expr, exponent: Expr, k: Expr = DRAWS) -> Expr:
    """fail@k ~ c Gamma(b) k^-b where P(p <= x) ~ (c/b) x^b for x -> 0, that is where the density of
    p is c p^(b - 1).
    """
    return density * gamma_of(exponent) * k**-exponent


def floor_of_unsolvable(share: Expr) -> Expr:
    """E0(infinity) = -log(1 - pi0): the limit of -log pass@k where a share pi0 of the problems is
    never solved.
    """
    return -log(1 - share)


def floor_across(floor: Expr, times: Expr) -> Expr:
    """-log(1 - (1 - e^-E0)^m): what the floor at m k samples is at least, where that at k samples
    is E0.
    """
    return -log(1 - (1 - exp(-floor)) ** times)


# -- laws that depend on k ---------------------------------------------------------------------------------------


def crossing_compute(first: tuple[Expr, Expr], second: tuple[Expr, Expr]) -> Expr:
    """C_x = (C0_2/C0_1)^(1/(alpha_2 - alpha_1)): where C0_1 C^-alpha_1 and C0_2 C^-alpha_2 cross."""
    return Pow(second[0] / first[0], 1 / (second[1] - first[1]))


def turning_compute(first: tuple[Expr, Expr], second: tuple[Expr, Expr]) -> Expr:
    """Where alpha_1 C0_1 C^-alpha_1 = alpha_2 C0_2 C^-alpha_2: the difference of the two laws,
    floors or not, turns there.
    """
    scaled = ((coefficient * exponent, exponent) for coefficient, exponent in (first, second))
    return crossing_compute(*scaled)


def local_exponent(floor: Expr, coefficient: Expr, exponent: Expr) -> Expr:
    """-dlog y/dlog C = alpha (1 - E/y) of y = E + C0 C^-alpha, without cancellation."""
    reducible = coefficient * sym.C**-exponent
    return exponent * reducible / (floor + reducible)


@dataclass(frozen=True)
class BilinearForm:
    """log(-log pass@k) = log A + a log C + b log k + d log C log k (Krajewski et al. 2025, equation
    5).

    The signs are those of the fit; the local exponents are those of -log pass@k in C and in k,
    counted positive where it falls.
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
        """-(a + d log k): the exponent of C at fixed k."""
        return -(self.compute + self.mixed * log(DRAWS))

    @property
    def draws_exponent(self) -> Expr:
        """-(b + d log C): the exponent of k at fixed C."""
        return -(self.draws + self.mixed * log(sym.C))

    @property
    def crossing(self) -> Expr:
        """C_x = exp(-b/d): where the curves of all k cross; below it more samples would solve fewer
        problems.
        """
        return exp(-self.draws / self.mixed)

    @property
    def value_at_crossing(self) -> Expr:
        """A exp(-a b/d)."""
        return self.coefficient * exp(-self.compute * self.draws / self.mixed)


@dataclass(frozen=True)
class GoldComposition:
    """-log pass@k = xi0 + K0 g^kappa with the gold reference's negative log likelihood g = Eg + Gg
    C^-ag, as a compute law.
    """

    floor: Expr
    coefficient: Expr
    power: Expr
    gold_floor: Expr
    gold_coefficient: Expr
    gold_exponent: Expr

    @property
    def gold(self) -> Expr:
        """g = Eg + Gg C^-ag."""
        return self.gold_floor + self.gold_coefficient * sym.C**-self.gold_exponent

    @property
    def value(self) -> Expr:
        """-log pass@k = xi0 + K0 g^kappa."""
        return self.floor + self.coefficient * self.gold**self.power

    @property
    def without_gold_floor(self) -> tuple[Expr, Expr, Expr]:
        """(E0, C0, alpha) = (xi0, K0 Gg^kappa, kappa ag), exact for Eg = 0."""
        return (
            self.floor,
            self.coefficient * self.gold_coefficient**self.power,
            self.power * self.gold_exponent,
        )

    @property
    def with_gold_floor(self) -> tuple[Expr, Expr, Expr]:
        """(E0, C0, alpha) = (xi0 + K0 Eg^kappa, K0 kappa Eg^(kappa - 1) Gg, ag), to leading order
        for Eg > 0; not kappa ag.
        """
        floor = self.floor + self.coefficient * self.gold_floor**self.power
        slope = (
            self.coefficient
            * self.power
            * self.gold_floor ** (self.power - 1)
            * self.gold_coefficient
        )
        return floor, slope, self.gold_exponent

    @property
    def correction(self) -> Expr:
        """(kappa - 1) Gg/(2 Eg): the coefficient of C^-ag in the next order, relative to the
        leading one.
        """
        return (self.power - 1) / 2 * self.gold_coefficient / self.gold_floor

    @property
    def above_floor(self) -> Expr:
        """u = (g - Eg)/Eg = (Gg/Eg) C^-ag."""
        return self.gold_coefficient / self.gold_floor * sym.C**-self.gold_exponent

    def compute_where(self, above_floor: Expr) -> Expr:
        """C = (Gg/(Eg u))^(1/ag)."""
        return (self.gold_coefficient / (self.gold_floor * above_floor)) ** (1 / self.gold_exponent)

    @property
    def reducible(self) -> Expr:
        """y - E0 = K0 Eg^kappa ((1 + u)^kappa - 1), without cancellation at large compute."""
        return (
            self.coefficient
            * self.gold_floor**self.power
            * expm1(self.power * log1p(self.above_floor))
        )

    @property
    def local_exponent(self) -> Expr:
        """-dlog(y - E0)/dlog C = kappa ag (1 - Eg/g)/(1 - (Eg/g)^kappa): from kappa ag at small
        compute to ag at large.
        """
        distance = log1p(self.above_floor)
        return self.power * self.gold_exponent * expm1(-distance) / expm1(-self.power * distance)


@dataclass(frozen=True)
class AccuracyCurve:
    """Accuracy Q = exp(-A C^-alpha), and where its curvature changes sign on a linear and on a
    logarithmic axis of compute.
    """

    coefficient: Expr
    exponent: Expr

    @property
    def neg_log(self) -> Expr:
        """u = -log Q = A C^-alpha."""
        return self.coefficient * sym.C**-self.exponent

    @property
    def accuracy(self) -> Expr:
        return exp(-self.neg_log)

    @property
    def compute_curvature(self) -> Expr:
        """C^2 Q''/Q = alpha u (alpha u - alpha - 1)."""
        a, u = self.exponent, self.neg_log
        return a * u * (a * u - a - 1)

    @property
    def log_curvature(self) -> Expr:
        """(d^2 Q/dlog C^2)/Q = alpha^2 u (u - 1)."""
        a, u = self.exponent, self.neg_log
        return a**2 * u * (u - 1)

    def compute_where(self, neg_log: Expr) -> Expr:
        """C = (A/u)^(1/alpha)."""
        return (self.coefficient / neg_log) ** (1 / self.exponent)

    @property
    def compute_inflection(self) -> Expr:
        """u = 1 + 1/alpha at the inflection of Q against C: practically at its foot for small
        alpha.
        """
        return 1 + 1 / self.exponent


@dataclass(frozen=True)
class CrossAllocation:
    """Runs allocated optimally for pass@k1 and judged by pass@k2: two laws of the same form under
    one budget.
    """

    chosen: Envelope
    judged: Envelope

    @property
    def size_ratio(self) -> Expr:
        """r = N*_k1(C)/N*_k2(C) = (G1/G2) (C/6)^(w_N(k1) - w_N(k2)) under C = 6 N D."""
        budget = self.judged.budget.coefficient
        at_unit = (self.chosen.params / self.judged.params).subs(sym.C, budget)
        return at_unit * (sym.C / budget) ** (self.chosen.shares[0] - self.judged.shares[0])

    @property
    def penalty(self) -> Expr:
        """P = (gamma_2 r^-beta_2 + beta_2 r^gamma_2)/(beta_2 + gamma_2) at that r."""
        return misallocation(self.judged).penalty.subs(sym.SIZE_RATIO, self.size_ratio)

    @property
    def leading_excess(self) -> Expr:
        """P - 1 = beta_2 gamma_2 s^2/2 to leading order in s = log r = log(G1/G2) + (w_N(k1) -
        w_N(k2)) log(C/6).
        """
        return (
            misallocation(self.judged).series(2).coeff(sym.LOG_SIZE_RATIO, 2)
            * log(self.size_ratio) ** 2
        )

    @property
    def agreement(self) -> Expr:
        """C = 6 (G2/G1)^(1/(w_N(k1) - w_N(k2))): the one compute at which both allocate alike,
        where their shares differ.
        """
        budget = self.judged.budget.coefficient
        at_unit = (self.judged.params / self.chosen.params).subs(sym.C, budget)
        return budget * at_unit ** (1 / (self.chosen.shares[0] - self.judged.shares[0]))

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """What the names of both optima and of the law that judges stand for."""
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
        """Two laws with constants of their own, under one budget."""
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


#: Of two laws: the reducible loss of the one that judges, the optimum of each, the ratio of their
#: sizes, and the penalty of the one that judges at a size ratio.
JUDGED, PENALTY_ACROSS, OFF_BY = function("R_2"), function("P_2"), function("q")
CHOSEN_PARAMS, CHOSEN_TOKENS = function("N_1"), function("D_1")
BEST_PARAMS, BEST_TOKENS = function("N_2"), function("D_2")
SIZE = Symbol("x", positive=True)


def cross_allocation() -> CrossAllocation:
    """The laws of k1 and k2 in indexed letters: A_1, B_1, beta_1, gamma_1 and A_2, B_2, beta_2,
    gamma_2.
    """
    return CrossAllocation(*(derive(_indexed(index)) for index in (1, 2)))


def _indexed(index: int) -> LawForm:
    letters = (sym.E, sym.A, sym.B, sym.BETA, sym.GAMMA)
    return PARAMS_TOKENS.renamed(
        {letter: Symbol(f"{letter.name}_{index}", positive=True) for letter in letters}
    )


@dataclass(frozen=True)
class TrainAgainstSample:
    """Least C + nu C^a k such that fail@k = c0 C^-d k^-b stays at F: train longer, or sample more.

    Written in s = d/b - a, positive where an interior optimum exists.
    """

    coefficient: Expr
    compute_exponent: Expr
    draws_exponent: Expr
    target: Expr
    price: Expr
    growth: Expr

    @property
    def fail(self) -> Expr:
        """c0 C^-d k^-b."""
        return self.coefficient * sym.C**-self.compute_exponent * DRAWS**-self.draws_exponent

    @property
    def cost(self) -> Expr:
        """C + nu C^a k."""
        return sym.C + self.price * sym.C**self.growth * DRAWS

    @property
    def draws(self) -> Expr:
        """k(C) = (c0/F)^(1/b) C^(-d/b): what the target takes at compute C."""
        return (self.coefficient / self.target) ** (1 / self.draws_exponent) * sym.C ** -(
            self.compute_exponent / self.draws_exponent
        )

    @property
    def slope(self) -> Expr:
        """s = d/b - a."""
        return (self.compute_exponent / self.draws_exponent - self.growth).cancel()

    @property
    def compute(self) -> Expr:
        """C* = (nu (c0/F)^(1/b) (d/b - a))^(1/(1 + d/b - a))."""
        at_one = self.draws.subs(sym.C, 1)
        return (self.price * at_one * self.slope) ** (1 / (1 + self.slope))

    @property
    def share(self) -> Expr:
        """Cost of sampling over cost of training, 1/(d/b - a), at every target and price."""
        return 1 / self.slope

    @property
    def single_draw(self) -> Expr:
        """C = (c0/F)^(1/d): the corner k = 1, where k* falls below 1."""
        return (self.coefficient / self.target) ** (1 / self.compute_exponent)
