"""With caps on params and tokens the lower threshold binds first, and from C = 6 N_max D_max on the budget is slack."""

from __future__ import annotations

from sympy import Integer, Symbol, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.arguments import ByMonotone, ByPositiveTerms
from isoflop.theory.theorem import Definition, Derivation, all_positive, function, say, step

DATA_WALL, SIZE_CAP = Symbol("C_D", positive=True), Symbol("C_N", positive=True)
#: The reducible loss at the data wall, under the size cap, and at both.
AT_WALL, AT_CAP, AT_BOTH = function("W_D"), function("W_N"), Symbol("W", positive=True)


def derivation() -> Derivation:
    """The order of C_D, C_N and 6 N_max D_max; the loss at both caps; that nothing inside the caps is better."""
    m = misallocation()
    names, law, C = m.named.envelope, PARAMS_TOKENS.reducible, sym.C
    w_n, w_d = names.shares
    both = SIX_ND.compute({sym.N: sym.N_MAX, sym.D: sym.D_MAX})
    u, v, x, y = symbols("u v x y", positive=True)
    smaller, fewer = sym.N_MAX / (1 + u), sym.D_MAX / (1 + v)
    corner = law.subs([(sym.N, sym.N_MAX), (sym.D, sym.D_MAX)])
    orders = (
        (
            "",
            w_n,
            w_d,
            "The weights sum to 1, so that this mean is {} times a positive power of {}:",
        ),
        ("_exchanged", w_d, w_n, "With the weights exchanged it is {} times another power of {}:"),
    )
    between = []
    for ending, first, second, words in orders:
        mean = x**first * (x * (1 + u)) ** second
        between += [
            step(
                f"above_the_lower{ending}",
                (mean, ">", x),
                say(words, x, 1 + u),
                ByMonotone(x * y**second, y, 1 + u, Integer(1), order=ByPositiveTerms(form=u)),
            ),
            step(
                f"below_the_higher{ending}",
                (mean, "<", x * (1 + u)),
                say("And it is {} over a positive power of {}:", x * (1 + u), 1 + u),
                ByMonotone(
                    x * (1 + u) ** second * y**first,
                    y,
                    Integer(1),
                    1 + u,
                    order=ByPositiveTerms(form=u),
                ),
            ),
        ]
    steps = (
        step(
            "data_threshold",
            (names.tokens.subs(C, DATA_WALL), "=", sym.D_MAX),
            say("At compute {} the optimal tokens are all that a run may have:", DATA_WALL),
        ),
        step(
            "size_threshold",
            (names.params.subs(C, SIZE_CAP), "=", sym.N_MAX),
            say("At compute {} the optimal size is the largest allowed one:", SIZE_CAP),
        ),
        step(
            "weighted_mean",
            (both, "=", SIZE_CAP**w_n * DATA_WALL**w_d),
            say("The coefficients of the law cancel, as {} and {} are the weights:", w_n, w_d),
        ),
        *between,
        step(
            "data_cap_is_lower",
            (names.tokens.subs(C, SIZE_CAP) / sym.D_MAX, "=", (SIZE_CAP / DATA_WALL) ** w_d),
            say(
                "The optimal tokens are {} at {} and grow with the power {} of compute:",
                sym.D_MAX,
                DATA_WALL,
                w_d,
            ),
        ),
        step(
            "size_cap_is_lower",
            (names.params.subs(C, DATA_WALL) / sym.N_MAX, "=", (DATA_WALL / SIZE_CAP) ** w_n),
            say(
                "The optimal params are {} at {} and grow with the power {} of compute:",
                sym.N_MAX,
                SIZE_CAP,
                w_n,
            ),
        ),
        step(
            "data_first",
            (AT_WALL(both), "=", AT_BOTH),
            say(
                "At the data wall the params {} reach {} at this compute:",
                C / (6 * sym.D_MAX),
                sym.N_MAX,
            ),
        ),
        step(
            "size_first",
            (AT_CAP(both), "=", AT_BOTH),
            say(
                "Under the size cap the tokens {} reach {} at the same compute:",
                C / (6 * sym.N_MAX),
                sym.D_MAX,
            ),
        ),
        step(
            "smaller_is_worse",
            (law.subs(sym.N, smaller), ">", law.subs(sym.N, sym.N_MAX)),
            say("The reducible loss falls in {}, whatever {} is:", sym.N, sym.D),
            ByMonotone(
                law.subs(sym.N, x),
                x,
                smaller,
                sym.N_MAX,
                False,
                ByPositiveTerms(form=sym.N_MAX * u / (1 + u)),
            ),
        ),
        step(
            "fewer_is_worse",
            (law.subs([(sym.N, sym.N_MAX), (sym.D, fewer)]), ">", AT_BOTH),
            say("And it falls in {}:", sym.D),
            ByMonotone(
                law.subs([(sym.N, sym.N_MAX), (sym.D, y)]),
                y,
                fewer,
                sym.D_MAX,
                False,
                ByPositiveTerms(form=sym.D_MAX * v / (1 + v)),
            ),
        ),
    )
    law_assumption, _ = m.envelope.assumptions
    return Derivation(
        name="both_caps",
        title="Caps on params and tokens together",
        assumptions=(
            law_assumption,
            say(
                "The compute is {}. A run has {}, {} and {}, with {} and {}.",
                (C, ">", 0),
                (sym.N, "<=", sym.N_MAX),
                (sym.D, "<=", sym.D_MAX),
                (SIX_ND.compute(), "<=", C),
                (sym.N_MAX, ">", 0),
                (sym.D_MAX, ">", 0),
            ),
        ),
        definitions=(
            *m.envelope.definitions,
            Definition(DATA_WALL, m.data_wall),
            Definition(SIZE_CAP, m.size_cap),
            Definition(AT_WALL(C), m.capped_reducible(sym.D, sym.D_MAX)),
            Definition(AT_CAP(C), m.capped_reducible(sym.N, sym.N_MAX)),
            Definition(AT_BOTH, corner),
        ),
        statement=say(
            "The optimal tokens reach their cap at the compute {}, {data_threshold}, and the "
            "optimal params theirs at {}, {size_threshold}. The lower of the two thresholds "
            "binds first, since {data_cap_is_lower} and {size_cap_is_lower}. With all of the "
            "data in use the reducible loss is {}, at the largest size {}; either regime "
            "ends where the other cap binds too, {data_first} and {size_first}. This compute "
            "is a weighted geometric mean of the other two, {weighted_mean}, and so lies "
            "between them: for all ",
            DATA_WALL,
            SIZE_CAP,
            AT_WALL(C),
            AT_CAP(C),
        )
        + all_positive((x, u))
        + say(
            " {above_the_lower}, {below_the_higher}, {above_the_lower_exchanged} and "
            "{below_the_higher_exchanged}. From there on the best run has {} params and {} "
            "tokens whatever the compute: for ",
            sym.N_MAX,
            sym.D_MAX,
        )
        + all_positive((u, v))
        + " {smaller_is_worse} and {fewer_is_worse}.",
        steps=steps,
        source="Karush-Kuhn-Tucker conditions on the law of Hoffmann et al. 2022, arXiv 2203.15556.",
        follows="Three regimes in compute: the envelope, one cap with the budget spent, both caps with the budget slack.",
    )
