"""Slips in Krajewski et al. 2025 (arXiv 2512.08894): as printed refuted with a witness, corrected proved."""

from __future__ import annotations

from dataclasses import replace

from sympy import Abs, Expr, Integer, Rational, Symbol, exp, log, sqrt, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.broken import OneBreak
from isoflop.theory.data import krajewski2025 as printed
from isoflop.theory.data.published import PublishedLaw, compute_counterparts, published
from isoflop.theory.passk import DRAWS, KRAJEWSKI, AccuracyCurve, BilinearForm
from isoflop.theory.proof.arguments import (
    ByConvexity,
    ByEnclosure,
    ByMonotone,
    ByPositiveTerms,
    BySameDifference,
    ByWeightedAmGm,
)
from isoflop.theory.theorem import Claim, Definition, Derivation, Erratum, Remark, say, step

K, S = DRAWS, sym.LOG_SIZE_RATIO
Q, X, MORE = symbols("q x j", positive=True)
DELTA = Symbol("delta", real=True)
CURVE = AccuracyCurve(sym.A, sym.ALPHA)
U = CURVE.neg_log
ONE = Integer(1)

PASS = 1 - (1 - Q) ** K
LOWER = K * Q * exp(-K * Q)
#: Where the tables are compared: a budget, and its run at 20 tokens per param.
AT, TOKENS_PER_PARAM = Integer(10) ** 21, Rational(printed.TOKENS_PER_PARAM)
N_20, D_20 = symbols("N_20 D_20", positive=True)
RUN = (
    Definition(N_20, sqrt(AT / (6 * TOKENS_PER_PARAM))),
    Definition(D_20, TOKENS_PER_PARAM * N_20),
)
#: The table's row for HumanEval at C = 1e21 with k = 32 samples.
HUMANEVAL = (
    (sym.A, Rational(7785)),
    (sym.ALPHA, Rational("0.1752")),
    (sym.C, Rational("1e21")),
    (K, Rational(32)),
)


def smaller(x: Expr, y: Expr) -> Expr:
    return (x + y - Abs(x - y)) / 2


def larger(x: Expr, y: Expr) -> Expr:
    return (x + y + Abs(x - y)) / 2


def errata() -> tuple[Erratum, ...]:
    """Appendix D, equation 5 and the tables, in the order of the paper's argument."""
    return (*_bounds(), *_approximation(), *_tables())


def derivation() -> Derivation:
    """The corrected claims, one after the other."""
    return Derivation(
        name="krajewski2025_errata",
        title="Errata to Krajewski et al. 2025",
        assumptions=(
            say(
                "Let {} be the probability that one sample solves a problem, and {} the number "
                "of independent samples.",
                (0, "<", Q, "<=", 1),
                (K, ">=", 1),
            ),
            say(
                "At compute {} one sample has the accuracy {}, equation 2 of the paper, with {} "
                "and {} positive.",
                (sym.C, ">", 1),
                CURVE.accuracy,
                sym.A,
                sym.ALPHA,
            ),
            say(
                "Elsewhere {}, {} and {} are positive, {} and {} real.", X, MORE, sym.BETA, S, DELTA
            ),
        ),
        statement=say(
            "The samples solve a problem with at most the smaller of two bounds, by "
            "{upper_bound_takes_the_larger.bernoulli} and {upper_bound_takes_the_larger.minimum}; and with at "
            "least the bound of {tangent_of_the_exponential.used_as} and {tangent_of_the_exponential.failures}. "
            "The latter bound never exceeds {}, {lower_bound_as_approximation.never_above_1_over_e}. For the mean "
            "of a benchmark there remains {bounds_at_the_mean.problem_by_problem}. Minus the logarithm of the bound is "
            "{sign_of_log_k.corrected}, and the logarithm of that, which is no bilinear form, is "
            "{logarithm_of_a_sum.corrected}. With the sign of the fit equation 5 meets equation 2, "
            "{equation_5_at_one_sample.minus_alpha}. The tables agree with each other where their columns are "
            "decoded.",
            exp(-1),
        ),
        steps=tuple(
            replace(claim, name=f"{erratum.name}.{claim.name}")
            for erratum in errata()
            for claim in erratum.corrections
        ),
        definitions=RUN,
        source=f"{KRAJEWSKI}: Appendix D, equation 5, Tables 3, 4, 11, 12, 13, 16.",
        follows="Equation 5 is an empirical form: Appendix D gives no argument for it.",
    )


def _bounds() -> tuple[Erratum, ...]:
    below = (1 - K * Q,)
    m = 1 + MORE
    rising = (1 + X) ** MORE
    tangent = ByConvexity(exp(S), S, Integer(0), -X)
    return (
        Erratum(
            name="upper_bound_takes_the_larger",
            where="Appendix D, equations 7 and 9: max(k q, 1)",
            as_printed=step(
                "as_printed",
                (smaller(K * Q, ONE), "=", larger(K * Q, ONE)),
                "pass@k <= k q and pass@k <= 1 give max(k q, 1).",
            ),
            corrected=(
                step(
                    "bernoulli",
                    (X**m / m + MORE / m, ">=", X),
                    say(
                        "With {} samples that fail with probability {}, divide Bernoulli's inequality {} "
                        "by {}:",
                        (K, "=", m),
                        X,
                        (X**K, ">=", 1 - K * (1 - X)),
                        K,
                    ),
                    ByWeightedAmGm((X**m / m, MORE / m), (1 / m, MORE / m)),
                ),
                step(
                    "minimum",
                    (smaller(K * Q, ONE), "=", K * Q),
                    say(
                        "Two upper bounds hold together as their minimum, {} where {}:",
                        K * Q,
                        (K * Q, "<", 1),
                    ),
                    assume=below,
                ),
                step(
                    "maximum_is_empty",
                    (larger(K * Q, ONE), "=", ONE),
                    say("The maximum is {} there, which bounds every probability:", ONE),
                    assume=below,
                ),
            ),
            comment="The printed bound is true but says nothing: max(k q, 1) is at least 1. The minimum is meant.",
            at=((K, Rational(10)), (Q, Rational(1, 100))),
        ),
        Erratum(
            name="tangent_of_the_exponential",
            where="Appendix D, before equation 8: e^x >= 1=x",
            as_printed=step(
                "as_printed", (ONE, "=", X), "The second half of the printed chain, for any x > 0."
            ),
            corrected=(
                step(
                    "tangent",
                    (exp(S), ">=", 1 + S),
                    say("The exponential lies above its tangent at {}:", (S, "=", 0)),
                    ByConvexity(exp(S), S, S, Integer(0)),
                ),
                step(
                    "used_as",
                    (1 - exp(-X), ">=", X * exp(-X)),
                    say("The same divided by {}, where {} stands for {}:", exp(X), X, K * Q),
                    BySameDifference(ONE, (1 + X) * exp(-X), tangent),
                ),
                step(
                    "failures",
                    (log(1 + X), ">=", X / (1 + X)),
                    say(
                        "With {} for {} this says that {}, hence {}:",
                        X / (1 + X),
                        Q,
                        (-log(1 - Q), ">=", Q),
                        ((1 - Q) ** K, "<=", exp(-K * Q)),
                    ),
                    ByConvexity(-log(Q), Q, 1 / (1 + X), ONE),
                ),
            ),
            comment="An equals sign for a plus sign; the bound that follows is right.",
        ),
        Erratum(
            name="bounds_at_the_mean",
            where="Appendix D, from equation 9 on: q is replaced by the benchmark's accuracy",
            as_printed=step(
                "as_printed",
                (Q, ">=", LOWER),
                "Where a share q of the problems is always solved and the others never, pass@k = q for every k.",
                assume=(1 - Q,),
            ),
            corrected=step(
                "problem_by_problem",
                (rising, ">=", ONE),
                say(
                    "Where one sample fails with probability {}, {} samples fail with at most that "
                    "probability; means over problems keep the order, so that pass@k is nowhere "
                    "below pass@1:",
                    1 / (1 + X),
                    (K, "=", m),
                ),
                ByMonotone((1 + Q) ** MORE, Q, X, Integer(0)),
            ),
            comment="The bounds hold for one problem. At the mean of a benchmark the upper one survives (Jensen), the lower "
            "ones do not; "
            "the sharp lower bound is q.",
            at=((K, Rational(2)), (Q, Rational(1, 1000))),
        ),
        Erratum(
            name="intermediate_bound_at_the_mean",
            where="Appendix D, equation 8 read at the benchmark's accuracy: 1 - e^(-k q)",
            as_printed=step(
                "as_printed",
                (Q, ">=", 1 - exp(-K * Q)),
                "The same benchmark, against the first of the two lower bounds.",
                assume=(1 - Q,),
            ),
            corrected=step(
                "equal_problems",
                (1 - exp(-K * X), "<=", K * X),
                say(
                    "For equally hard problems {} stands below {}, with {} for {}:",
                    1 - exp(-K * X),
                    K * X,
                    X,
                    Q,
                ),
                BySameDifference(
                    exp(-K * X), 1 - K * X, ByConvexity(exp(S), S, -K * X, Integer(0))
                ),
            ),
            comment="With 30 % of the problems always and 70 % never solved pass@4 is 0.300; the bound would be 0.699.",
            at=((K, Rational(4)), (Q, Rational(3, 10))),
        ),
        Erratum(
            name="lower_bound_as_approximation",
            where="Appendix D: Q(C, k) is approximately k q e^(-k q)",
            as_printed=step(
                "as_printed",
                (PASS, "=", LOWER),
                "The bound in place of the value.",
                assume=(1 - Q,),
            ),
            corrected=(
                step(
                    "never_above_1_over_e",
                    (exp(K * Q - 1), ">=", K * Q),
                    say(
                        "The exponential lies above its tangent, so that {} for all {} and {}:",
                        (LOWER, "<=", exp(-1)),
                        K,
                        Q,
                    ),
                    ByConvexity(exp(S), S, K * Q - 1, Integer(0)),
                ),
                step(
                    "falls_with_k",
                    (LOWER.diff(K), "<", 0),
                    say(
                        "Beyond {} the bound falls with every sample, while pass@k rises:",
                        (K * Q, "=", 1),
                    ),
                    ByPositiveTerms(form=Q * (K * Q - 1) * exp(-K * Q)),
                    assume=(K * Q - 1,),
                ),
            ),
            comment="The bound is close only for k q well below 1: it cannot represent a pass rate above 0.368.",
            at=((K, Rational(10)), (Q, Rational(1, 2))),
        ),
    )


def _approximation() -> tuple[Erratum, ...]:
    passed = CURVE.accuracy
    bound = K * passed * exp(-K * passed)
    kept = U - log(K) + K * passed
    first_line = log(K) + U + K * passed
    last_line = log(sym.A) + sym.ALPHA * log(sym.C) + U * log(K) + log(log(K))
    equation_5 = BilinearForm(sym.A, sym.ALPHA, sym.BETA, DELTA)
    repaired = BilinearForm(sym.A, -sym.ALPHA, sym.BETA, DELTA)
    return (
        Erratum(
            name="sign_of_log_k",
            where="Appendix D: -log Q(C, K) is approximately log k + A/C^alpha + k exp(-A/C^alpha)",
            as_printed=step(
                "as_printed",
                (-log(bound), "=", first_line),
                "Minus the logarithm of the line above it.",
            ),
            corrected=step(
                "corrected",
                (-log(bound), "=", kept),
                say(
                    "The logarithm of {} has a minus sign, so that more samples lower the loss:", K
                ),
            ),
            comment="As printed more samples would raise -log pass@k.",
            at=HUMANEVAL,
        ),
        Erratum(
            name="sign_of_log_compute",
            where="Appendix D, last line: log(A) + alpha log(C)",
            as_printed=step(
                "as_printed",
                (log(U), "=", log(sym.A) + sym.ALPHA * log(sym.C)),
                "The logarithm of A/C^alpha.",
            ),
            corrected=step(
                "corrected",
                (log(U), "=", log(sym.A) - sym.ALPHA * log(sym.C)),
                "The logarithm of a quotient is a difference:",
            ),
            comment="The sign goes on into equation 5.",
            at=HUMANEVAL[:3],
        ),
        Erratum(
            name="logarithm_of_a_sum",
            where="Appendix D, last line: the logarithm of the sum is taken term by term",
            as_printed=step(
                "as_printed",
                (log(first_line), "=", last_line),
                "The last line from the one above it, as printed.",
            ),
            corrected=step(
                "corrected",
                (
                    log(kept),
                    "=",
                    log(sym.A) - sym.ALPHA * log(sym.C) + log(1 + (K * passed - log(K)) / U),
                ),
                say(
                    "Take out {}; what is left is no sum of a term in {} and a term in {}:",
                    U,
                    sym.C,
                    K,
                ),
                assume=(kept,),
            ),
            comment="The interaction (A/C^alpha) log k follows from nothing; nor is the line nearer with the two signs set "
            "right. The "
            "step is marked as an approximation, but it holds in no limit: as C grows the sum tends to k + log k and the "
            "printed line "
            "to infinity.",
            at=HUMANEVAL,
        ),
        Erratum(
            name="dropped_term",
            where="Appendix D, last line: k exp(-A/C^alpha) is gone",
            as_printed=step(
                "as_printed", (first_line, "=", log(K) + U), "The sum without its last term."
            ),
            corrected=step(
                "corrected",
                (K * exp(-X), ">=", K * (1 - X)),
                say(
                    "At large compute, with {} for {}, the term that was dropped is the largest of the three:",
                    X,
                    U,
                ),
                ByConvexity(K * exp(S), S, -X, Integer(0)),
            ),
            comment="No reason is given for leaving it out.",
            at=HUMANEVAL,
        ),
        Erratum(
            name="one_sample",
            where="Appendix D, last line, and the text below it: log log k is ignored",
            as_printed=step(
                "as_printed",
                (-log(1 - (1 - passed) ** K), "=", sym.A * sym.C**sym.ALPHA * K**U * log(K)),
                "The last line without logarithms, against the exact -log pass@k.",
            ),
            corrected=step(
                "corrected",
                (-log(LOWER), "=", -log(Q) + K * Q - log(K)),
                say(
                    "The bound's loss exceeds that of one sample by {}, which is {} for {}:",
                    K * Q - log(K),
                    Q,
                    (K, "=", 1),
                ),
            ),
            comment="log log k is minus infinity at k = 1, where equation 2 is to be met: the printed line has Q(C, 1) = 1 at "
            "every C.",
            at=(*HUMANEVAL[:3], (K, ONE)),
        ),
        Erratum(
            name="equation_5_at_one_sample",
            where="Equation 5: + alpha log C, with equation 2 for k = 1",
            as_printed=step(
                "as_printed",
                (U, "=", equation_5.value.subs(K, ONE)),
                "Equation 5 at k = 1 against equation 2, where alpha > 0.",
            ),
            corrected=(
                step(
                    "minus_alpha",
                    (repaired.value, "=", U * K**sym.BETA * sym.C ** (DELTA * log(K))),
                    say(
                        "With {} equation 5 is equation 2 times two factors that are {} for {}:",
                        -sym.ALPHA * log(sym.C),
                        ONE,
                        (K, "=", 1),
                    ),
                ),
                *(
                    step(
                        f"fitted_sign_{name}",
                        (log(Rational(row[0])), "<", 0),
                        say(
                            "The fitted coefficient of {} is negative" + f" for {name}:", log(sym.C)
                        ),
                        ByEnclosure(),
                    )
                    for name, row in printed.TABLE_13.items()
                ),
            ),
            comment="Only a negative alpha makes equation 5 agree with equation 2, and that is what was fitted.",
            at=HUMANEVAL[:3],
        ),
    )


def _tables() -> tuple[Erratum, ...]:
    human = "HumanEval"
    law, compute_law = next(pair for pair in compute_counterparts() if pair[0].label == human)
    as_read = Rational(compute_law.printed["A"]) * AT ** -Rational(compute_law.printed["alpha"])
    slope = Rational(printed.TABLE_13[human][2]) + Rational(printed.TABLE_13[human][3]) * log(
        Rational(printed.HELD_OUT_FROM)
    )
    mre = [Rational(row[2]) for row in printed.TABLE_3.values()]
    baseline, rounded, unit = (
        Rational(str(published("krajewski2025-arc-e").random_baseline)),
        Rational(printed.TABLE_16["ARC-E"]),
        Rational("0.001"),
    )
    return (
        Erratum(
            name="table_11_columns",
            where='Table 11: columns "A" and "alpha"',
            as_printed=Claim(
                "as_printed",
                as_read,
                ">=",
                on_the_ray(law) / 2,
                f"{human} at C = 1e21: A/C^alpha of Table 11 is at least half of what Table 12 gives for D = 20 N.",
                where=RUN,
            ),
            corrected=tuple(_agreement(*pair) for pair in compute_counterparts()),
            comment='Column "A" is e^-alpha and column "alpha" is log A: the fitted coefficients in the order [log C, 1] of '
            "the published "
            "code, the first exponentiated. That this is what happened is inferred from the numbers.",
        ),
        Erratum(
            name="table_13_columns",
            where='Table 13: columns "A", "alpha", "beta", "delta"',
            as_printed=step(
                "as_printed",
                (slope, "<=", 0),
                f"{human} at C = 6e21: with the printed beta and delta -log pass@k falls with k.",
            ),
            corrected=tuple(claim for name in printed.TABLE_13 for claim in _decoded_13(name)),
            comment="The columns are e^(coefficient of log C), coefficient of log k, coefficient of log C log k, log A.",
        ),
        Erratum(
            name="table_4_averages",
            where='Table 4: "averaged over all benchmarks"',
            as_printed=step(
                "as_printed",
                (mean(mre), "<=", Rational(printed.TABLE_4["PowerLaw"][0]) + ROUNDING_MRE),
                "The mean over the twelve benchmarks of Table 3 is the power law's printed mean, to rounding.",
            ),
            corrected=tuple(
                claim
                for name, column in (("PowerLaw", 1), ("BNSL", 3))
                for claim in _five_averages(name, column)
            ),
            comment="To rounding the printed numbers are means and standard deviations (n - 1) over the five acc_norm "
            "benchmarks of Table "
            "3 alone; over all twelve the power law's mean is 4.71 % and that of BNSL 4.96 %.",
        ),
        Erratum(
            name="table_16_rounding",
            where="Table 16: Q_random of ARC-E, 0.291",
            as_printed=step(
                "as_printed",
                (baseline, "<=", rounded + unit / 2),
                "0.291 is 0.2918 of Table 11, rounded.",
            ),
            corrected=(
                step(
                    "at_least",
                    (baseline, ">=", rounded + unit / 2),
                    "To three digits it rounds up:",
                    ByEnclosure(),
                ),
                step(
                    "at_most",
                    (baseline, "<=", rounded + 3 * unit / 2),
                    say("It rounds to {}:", rounded + unit),
                    ByEnclosure(),
                ),
            ),
            comment="Cut off, not rounded; the other rows are rounded.",
        ),
    )


#: Half a unit of the last digit of Table 3 and of Table 4 together: of MRE in per cent, and of MAE.
ROUNDING_MRE, ROUNDING_MAE = (
    Rational("0.005") + Rational("0.0005"),
    Rational("0.00005") + Rational("0.0005"),
)


def mean(values: list[Rational]) -> Rational:
    return sum(values, Integer(0)) / len(values)


def deviation(values: list[Rational]) -> Expr:
    """The standard deviation with n - 1."""
    return sqrt(
        sum(((value - mean(values)) ** 2 for value in values), Integer(0)) / (len(values) - 1)
    )


def on_the_ray(law: PublishedLaw) -> Expr:
    """-log Q' of a law of Table 12 for the run."""
    a, b, beta, gamma = (
        Rational(str(law.coefficients[name])) for name in ("A", "B", "beta", "gamma")
    )
    return a * N_20**-beta + b * D_20**-gamma


def decoded_11(law: PublishedLaw) -> Expr:
    """log(-log Q') of a row of Table 11: the columns are exp of the slope, and the intercept."""
    slope, intercept = (Rational(law.printed[column]) for column in ("A", "alpha"))
    return intercept + log(slope) * log(AT)


def _agreement(law: PublishedLaw, compute_law: PublishedLaw) -> Claim:
    return Claim(
        f"table_11_{law.label}",
        (decoded_11(compute_law) - log(on_the_ray(law))) ** 2,
        "<=",
        Rational(1, 50) ** 2,
        f"Decoded, the law of Table 11 for {law.label} agrees with that of Table 12 within 2 % "
        + say("at {} and {}:", (sym.C, "=", AT), (sym.D, "=", TOKENS_PER_PARAM * sym.N)),
        ByEnclosure(),
        where=RUN,
    )


def _decoded_13(name: str) -> tuple[Claim, ...]:
    row = {
        key: Rational(digits)
        for key, digits in printed.decode_table_13(printed.TABLE_13[name]).items()
    }
    held_out = Rational(printed.HELD_OUT_FROM)
    decoded = BilinearForm(
        exp(row["log_coefficient"]), log(row["exp_compute"]), row["draws"], row["mixed"]
    )
    one_sample = decoded.compute * log(AT) + row["log_coefficient"]
    return (
        step(
            f"slope_in_k_{name}",
            (-decoded.draws_exponent.subs(sym.C, held_out), "<", 0),
            f"Decoded, the loss falls with more samples for {name} "
            + say("at {}:", (sym.C, "=", held_out)),
            ByEnclosure(),
        ),
        step(
            f"one_sample_{name}",
            (
                (one_sample - decoded_11(published(f"krajewski2025-{name.lower()}-compute"))) ** 2,
                "<=",
                Rational(1, 50) ** 2,
            ),
            f"Decoded, Table 13 for one sample agrees with Table 11 for {name} within 2 % "
            + say("at {}:", (sym.C, "=", AT)),
            ByEnclosure(),
        ),
    )


def _five_averages(strategy: str, column: int) -> tuple[Claim, ...]:
    rows = [row for row in printed.TABLE_3.values() if row[0] == "acc_norm"]
    mae, mre = ([Rational(row[i]) for row in rows] for i in (column, column + 1))
    found = (mean(mre), deviation(mre), mean(mae), deviation(mae))
    names = ("mre_mean", "mre_deviation", "mae_mean", "mae_deviation")
    tolerances = (ROUNDING_MRE, ROUNDING_MRE, ROUNDING_MAE, ROUNDING_MAE)
    return tuple(
        step(
            f"table_4_{strategy}_{name}",
            ((value - Rational(digits)) ** 2, "<=", tolerance**2),
            say(
                f"Over the five acc_norm benchmarks of Table 3, {strategy} is as printed in Table 4, to rounding:"
            ),
            ByEnclosure(),
        )
        for name, value, digits, tolerance in zip(
            names, found, printed.TABLE_4[strategy], tolerances, strict=True
        )
    )


def remarks() -> tuple[Remark, ...]:
    """What is no algebra, or no error in the strict sense."""
    row = OneBreak(*(Rational(digits) for digits in printed.TABLE_10["LBPP"][1:]))
    return (
        Remark(
            "accuracy_below_zero",
            "Table 10, row LBPP",
            "The printed row gives a negative accuracy below 3.4e22 FLOP, -1.155 at 6e21: wrong or cut off. No correction can "
            "be told "
            "from the text.",
            (
                step(
                    "at_6e21",
                    (row.at(Rational("6e21")), "<=", -ONE),
                    "Equation 1 with the printed digits, at C = 6e21.",
                    ByEnclosure(),
                ),
                step(
                    "at_3.4e22",
                    (row.at(Rational("3.4e22")), "<=", 0),
                    "Still negative at 3.4e22.",
                    ByEnclosure(),
                ),
                step(
                    "at_3.5e22",
                    (row.at(Rational("3.5e22")), ">=", 0),
                    "Positive from 3.5e22 on.",
                    ByEnclosure(),
                ),
            ),
        ),
        Remark(
            "convex_and_concave",
            "Section 3.2: a simple power law is strictly concave in C, equation 2 can describe the S shape",
            "On a linear axis of compute equation 2 turns from convex to concave where -log Q = 1 + 1/alpha, at an accuracy of "
            "0.0014 for "
            "alpha = 0.18: in practice it is concave too. The S that figures show is one of the logarithmic axis, with its "
            "inflection at Q = 1/e.",
            (
                step(
                    "linear_axis",
                    (
                        sym.C**2 * CURVE.accuracy.diff(sym.C, 2) / CURVE.accuracy,
                        "=",
                        CURVE.compute_curvature,
                    ),
                    "The curvature against C changes sign at -log Q = 1 + 1/alpha alone.",
                ),
                step(
                    "logarithmic_axis",
                    (
                        sym.C * (sym.C * CURVE.accuracy.diff(sym.C)).diff(sym.C) / CURVE.accuracy,
                        "=",
                        CURVE.log_curvature,
                    ),
                    "The curvature against log C changes sign at -log Q = 1 alone.",
                ),
            ),
        ),
        Remark(
            "bernoulli_at_q_1",
            "Appendix D: x > -1",
            "Bernoulli's inequality is stated for x > -1, which leaves out q = 1; it holds at x = -1 too.",
        ),
        Remark(
            "letters",
            "Appendix D",
            "Q(C, k) becomes Q(C, K), and one log is set as a product of letters.",
        ),
        Remark(
            "perfect_accuracy",
            "Section 3.3",
            "That accuracy tends to 1 with compute is assumed, as the paper says itself (Appendix L). Without an irreducible "
            "term no share of "
            "the problems may stay unsolvable.",
        ),
        Remark(
            "lost_digits",
            "Table 10, rows HellaSwag and Winogrande",
            "param_b is printed as -0.0000 and -0.0002: none or one digit is left.",
        ),
        Remark(
            "table_4_header",
            "Table 4",
            "Eight columns, six labels: the last two, mean and deviation of R^2, have no heading.",
        ),
        Remark(
            "tables_3_and_15",
            "Tables 3 and 15",
            "Where Q_max is fitted as 1 equation 10 is equation 2, yet the validation errors differ (LBPP 13.43 and 6.17 %): "
            "the objectives "
            "differ (least squares in Table 3, Huber in Table 15).",
        ),
        Remark(
            "q_max_of_one",
            "Equation 10 and Table 15",
            "exp(-E) is said to lie in (0, 1), and seven fitted values are 1.000: E = 0 is meant to be allowed.",
        ),
        Remark(
            "counts",
            "Sections 1, 3 and 5.1; Tables 7 to 9",
            "The text counts 130 experiments, 48 budgets and 44 budgets on C4; the tables list 150 rows (148 different ones), "
            "143 different "
            "budgets (54 of them near 20 tokens per param), and 45 rows with C4.",
        ),
        Remark(
            "nominal_ratio",
            "Tables 7 to 9",
            "The ratio of tokens to params is nominal: with N = C/(6D) the runs at 20 have 17.8 to 22.6, those at 160 have 128 "
            "to 186.",
        ),
        Remark(
            "letters_of_the_exponents",
            "Equation 4",
            "alpha belongs to params and beta to tokens, as in Hoffmann et al. 2022; in Schaeffer et al. 2025 beta belongs to "
            "params.",
        ),
    )
