"""For any run of any size the loss over the optimal loss at its own compute is sum w_i r_i^-b_i, and at least 1."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Add, Expr, Mul, Pow, Subs, Symbol, exp, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.budget import Budget
from isoflop.theory.envelope import optimum, product_of_powers
from isoflop.theory.factors import factors
from isoflop.theory.law import LawForm, Term
from isoflop.theory.proof.arguments import ByPositiveTerms, ByWeightedAmGm
from isoflop.theory.theorem import (
    Claim,
    Definition,
    Derivation,
    all_positive,
    function,
    in_paper_order,
    listed,
    partial,
    say,
    step,
)

DIRECTION = Symbol("t", real=True)


@dataclass(frozen=True)
class Run:
    """A run of a law, its compute, its distances from the optimum at that compute, and a direction
    in which the optimum is left at the same compute.
    """

    form: LawForm
    budget: Budget
    reducible: str
    compute: Symbol
    exponent: Symbol
    coefficient: Symbol

    def named(self, letter: str, **assumed: bool) -> tuple[Symbol, ...]:
        """A letter with the index of each factor."""
        return tuple(
            Symbol(f"{letter}_{x.name.split('_')[-1]}", **assumed) for x in self.form.variables
        )

    @property
    def shares(self) -> tuple[Symbol, ...]:
        return self.named("w", positive=True)

    @property
    def ratios(self) -> tuple[Symbol, ...]:
        return self.named("r", positive=True)

    @property
    def logs(self) -> tuple[Symbol, ...]:
        return self.named("s", real=True)

    @property
    def optimum(self) -> tuple[Expr, ...]:
        return tuple(optimum(x).subs(sym.C, self.compute) for x in self.form.variables)

    @property
    def powers(self) -> list[Expr]:
        return [self.budget.exponent(x) for x in self.form.variables]

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """The law, the compute of the run, the optimum there, the ratios to it, and the last step of
        a direction that keeps the compute.
        """
        terms, powers, shares = self.form.terms, self.powers, self.shares
        pairs = list(zip(powers, terms, strict=True))
        factors_of_loss = [Pow(t.coefficient / w, w) for t, w in zip(terms, shares, strict=True)]
        least = self.coefficient * self.compute**-self.exponent
        *free, last = self.logs
        moved = Add(*(c * s for c, s in zip(powers, free, strict=False)))
        return (
            Definition(function(self.reducible)(*self.form.variables), self.form.reducible),
            Definition(self.compute, self.budget.compute()),
            Definition(self.exponent, 1 / Add(*(c / t.exponent for c, t in pairs))),
            *(
                Definition(w, self.exponent * c / t.exponent)
                for w, (c, t) in zip(shares, pairs, strict=True)
            ),
            Definition(
                self.coefficient, Mul(Pow(self.budget.coefficient, self.exponent), *factors_of_loss)
            ),
            *(
                Definition(best, Pow(t.coefficient / (w * least), 1 / t.exponent))
                for best, w, t in zip(self.optimum, shares, terms, strict=True)
            ),
            *(
                Definition(r, x / best)
                for r, x, best in zip(self.ratios, self.form.variables, self.optimum, strict=True)
            ),
            Definition(last, -moved / powers[-1]),
        )

    def steps(self, count: int) -> tuple[Claim, ...]:
        form, shares, ratios = self.form, self.shares, self.ratios
        loss = function(self.reducible)
        over_optimum = loss(*form.variables) / loss(*self.optimum)
        left = loss(
            *(best * exp(DIRECTION * s) for best, s in zip(self.optimum, self.logs, strict=True))
        )
        terms = tuple(
            w * r**-t.exponent for w, r, t in zip(shares, ratios, form.terms, strict=True)
        )
        squares = Add(
            *(
                w * t.exponent**2 * s**2
                for w, t, s in zip(shares, form.terms, self.logs, strict=True)
            )
        )

        def at_optimum(order: int) -> Expr:
            return Subs(partial(left / loss(*self.optimum), DIRECTION, order), DIRECTION, 0)

        return (
            step(
                f"penalty_{count}",
                (over_optimum, "=", Add(*terms)),
                "Each term is its share of the least reducible loss, times a power of its ratio:",
            ),
            step(
                f"on_budget_{count}",
                (Mul(*(r**c for r, c in zip(ratios, self.powers, strict=True))), "=", 1),
                say("The optimum spends {} as the run does:", self.compute),
            ),
            step(f"shares_sum_{count}", (Add(*shares), "=", 1), "The shares sum to one:"),
            step(
                f"at_least_one_{count}",
                (
                    over_optimum,
                    ">=",
                    product_of_powers(
                        [r**-t.exponent for r, t in zip(ratios, form.terms, strict=True)], shares
                    ),
                    "=",
                    1,
                ),
                "Weighted AM-GM with the weights "
                + listed(shares)
                + f", which sum to one by {{shares_sum_{count}}}; by {{on_budget_{count}}} the geometric mean is one:",
                ByWeightedAmGm(terms, shares),
            ),
            step(
                f"first_order_{count}",
                (at_optimum(1), "=", 0),
                say("At the optimum, {}, nothing is of the first order:", (DIRECTION, "=", 0)),
            ),
            step(
                f"second_order_{count}",
                (at_optimum(2), "=", squares),
                "Each exponential contributes the square of its rate:",
            ),
            step(
                f"definite_{count}", (squares, ">=", 0), "No square is negative:", ByPositiveTerms()
            ),
        )

    @property
    def letters(self) -> list[Symbol]:
        """All letters of the law and of the budget but the factors and the unit of compute."""
        letters = self.form.reducible.free_symbols | self.budget.compute().free_symbols
        return in_paper_order(letters - {*self.form.variables, sym.KAPPA})


def derivation() -> Derivation:
    """R(x)/R*(C(x)) from the law for two and three factors, the bound, and the second-order form in the s_i = log r_i."""
    F, G, H, f, g, p, q, u, v = symbols("F G H f g p q u v", positive=True)
    law, budget = LawForm((Term(F, u, f), Term(G, v, g))), Budget(sym.KAPPA, ((u, p), (v, q)))
    two = Run(law, budget, "S", H, *symbols("tau H_0", positive=True))
    three = Run(*factors(3), "Q", *symbols("K sigma K_0", positive=True))
    runs = (two, three)
    free = [s for run in runs for s in run.logs[:-1]]
    return Derivation(
        name="off_budget_penalty",
        title="The penalty of any run at its own compute",
        assumptions=(
            say(
                "A run of two factors, {} and {}, has the reducible loss {} and the compute {}; ",
                *two.form.variables,
                function(two.reducible)(*two.form.variables),
                two.compute,
            )
            + "a run of three, "
            + listed(three.form.variables)
            + say(
                ", has the reducible loss {} and the compute {}. Let ",
                function(three.reducible)(*three.form.variables),
                three.compute,
            )
            + all_positive([*two.form.variables, *three.form.variables, *two.letters])
            + ", let "
            + all_positive([*three.letters, sym.KAPPA])
            + ", and let "
            + listed([*free, DIRECTION])
            + " be real.",
        ),
        definitions=tuple(d for run in runs for d in run.definitions),
        statement=("Measure a run by its ratios ")
        + listed(two.ratios)
        + say(
            " to the optimum at its own compute. They satisfy {on_budget_2}, and the loss "
            "over the least loss at that compute is {penalty_2}, which is at least one, "
            "{at_least_one_2}. For three factors {on_budget_3}, {penalty_3} and "
            "{at_least_one_3}. Move the optimum along the budget, {} by the factor {} and {} "
            "by {}, and the factors of a run of three likewise. The penalty has no slope "
            "there, {first_order_2} and {first_order_3}, and its second derivative is a sum "
            "of squares, {second_order_2} and {second_order_3}.",
            two.form.variables[0],
            exp(DIRECTION * two.logs[0]),
            two.form.variables[1],
            exp(DIRECTION * two.logs[1]),
        ),
        steps=tuple(
            step for count, run in zip((2, 3), runs, strict=True) for step in run.steps(count)
        ),
        source="Weighted AM-GM; Schaeffer et al. 2025, arXiv 2509.24012, for two factors.",
        follows="No common budget is needed to compare runs: each is measured at its own compute.",
    )
