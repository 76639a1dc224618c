"""The formulas that numbers are computed from: each a proved closed form with its arguments.

`formulas(envelope)` lists them for any law under any monomial budget; `codegen` prints them as
Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from keyword import iskeyword
from typing import Any

from sympy import Expr, Piecewise, Rational, Symbol, exp, log, oo

from ..envelope import Envelope
from ..kernel import symbols as sym
from ..kernel.functions import expm1_pair, phi2
from ..penalty import Misallocation, misallocation
from ..ray import ray

#: For (beta + g) |s| < 1/16 the overhead is computed from the excess; beyond, the difference of s and
#: log(D*/D) keeps its digits.
NEAR = Rational(1, 16)

#: For a law h(R) whose reducible loss is not R: the argument, the names and the words of the formulas
#: of R.
INNER_SUM = Symbol("inner_sum", positive=True)
INNER_NAMES = (
    *(
        (name, f"inner_{name}")
        for name in ("exponent", "coefficient", "penalty", "excess", "tolerance_half_width")
    ),
    ("marginal_loss", "marginal_inner_sum"),
    ("ray_exponent", "ray_inner_exponent"),
)
INNER_WORDS = (
    ("Penalty P = (L - E)/(L* - E)", "Penalty R/R* of the inner sum"),
    ("Excess penalty P - 1", "Excess R/R* - 1 of the penalty of the inner sum"),
    ("of the compute law", "of R* = C0 C^-alpha"),
    ("optimal reducible loss", "optimal R"),
    ("Reducible loss R", "Inner sum R"),
    ("a given reducible loss", "a given R"),
    ("a reducible loss", "a value of R"),
    ("the reducible loss", "that value of R"),
    ("Reducible loss at", "R at"),
)

ARGUMENT_NAMES = {
    sym.N: "params",
    sym.D: "tokens",
    sym.C: "compute",
    sym.REDUCIBLE: "reducible_loss",
    sym.LOG_SIZE_RATIO: "log_size_ratio",
    sym.SIZE_RATIO: "size_ratio",
    sym.RATIO: "ratio",
    sym.TOKENS_PER_PARAM: "tokens_per_param",
    sym.TOLERANCE: "tolerance",
    sym.N_MAX: "max_params",
    sym.D_MAX: "max_tokens",
}


@dataclass(frozen=True)
class GeneratedFormula:
    """One closed form to be printed as a function.

    Attributes
    ----------
    name : str
        Name of the function.
    expression : sympy.Expr
        Its value, in a numerically safe form.
    variables : tuple of sympy.Symbol
        Leading arguments; the coefficients that occur follow.
    summary : str
        For the docstring.
    shown : sympy.Expr
        The usual formula, if the safe form differs from it.
    """

    name: str
    expression: Expr
    variables: tuple[Symbol, ...]
    summary: str
    shown: Expr | None = None


def argument_name(symbol: Symbol) -> str:
    """The Python name of a symbol: the field's term for a variable, its own name for a coefficient.

    Raises
    ------
    ValueError
        If the name is not a Python identifier: it would be printed into source that is executed.
    """
    name = ARGUMENT_NAMES.get(symbol, str(symbol))
    if not name.isidentifier():
        raise ValueError(f"symbol {name!r}: must have a name of letters, digits and underscores")
    return name + "_" if iskeyword(name) else name


def formulas(envelope: Envelope) -> tuple[GeneratedFormula, ...]:
    """Every formula that holds for the law and the budget of `envelope`."""
    found = [*_law_formulas(envelope), *_envelope_formulas(envelope)]
    if len(envelope.form.variables) == 2:
        m = misallocation(envelope)
        found += [*_target_formulas(m), *_penalty_formulas(m)]
    if envelope.form.variables == (sym.N, sym.D):
        found += _ray_formulas(envelope)
    if envelope.form.is_sum:
        return tuple(found)
    return (*map(_as_inner_sum, found), *_wrapped_loss_formulas(envelope))


def inner_name(name: str) -> str:
    """The name of a formula of R in a law whose reducible loss is not R."""
    for old, new in INNER_NAMES:
        if name.startswith(old):
            return name.replace(old, new, 1)
    return name.replace("reducible_loss", "inner_sum")


def _as_inner_sum(formula: GeneratedFormula) -> GeneratedFormula:
    """The formula of R with name and words for a law h(R) whose reducible loss is not R."""
    summary = formula.summary
    for old, new in INNER_WORDS:
        summary = summary.replace(old, new)
    symbols = {sym.REDUCIBLE: INNER_SUM}
    swapped: dict[str, Any] = {"expression": formula.expression.xreplace(symbols)}
    if formula.shown is not None:
        swapped["shown"] = formula.shown.xreplace(symbols)
    variables = tuple(symbols.get(x, x) for x in formula.variables)
    return replace(
        formula, name=inner_name(formula.name), summary=summary, variables=variables, **swapped
    )


def _wrapped_loss_formulas(envelope: Envelope) -> Iterator[GeneratedFormula]:
    """The reducible loss of a law h(R), and its power law of compute if it has one."""
    form, gap = envelope.form, envelope.form.gap
    if gap is None:
        return
    yield GeneratedFormula(
        "reducible_loss",
        gap.subs(sym.REDUCIBLE, form.reducible),
        form.variables,
        "Loss above its limit.",
    )
    at_best = gap.subs(sym.REDUCIBLE, envelope.reducible)
    yield GeneratedFormula(
        "optimal_reducible_loss", at_best, (sym.C,), "Loss above its limit on the envelope."
    )
    slope = (sym.REDUCIBLE * gap.diff(sym.REDUCIBLE)).subs(sym.REDUCIBLE, envelope.reducible)
    marginal = slope * envelope.exponent / sym.C
    yield GeneratedFormula("marginal_loss", marginal, (sym.C,), "Shadow price of compute -dL*/dC.")
    if form.power is not None:
        K, p = form.power
        of_law = "of the compute law of L* - E."
        yield GeneratedFormula("exponent", p * envelope.exponent, (), f"Exponent {of_law}")
        scale = K * envelope.coefficient**p
        yield GeneratedFormula("coefficient", scale, (), f"Coefficient {of_law}")


def _law_formulas(envelope: Envelope) -> Iterator[GeneratedFormula]:
    form, variables = envelope.form, envelope.form.variables
    compute = envelope.budget.compute()
    yield GeneratedFormula("compute", compute, variables, "Training compute.")
    yield GeneratedFormula("loss", form.loss, variables, "Loss of the law.")
    yield GeneratedFormula("reducible_loss", form.reducible, variables, "Reducible loss R.")
    yield GeneratedFormula(
        "loss_at", form.outer, (sym.REDUCIBLE,), "Loss at a given reducible loss."
    )
    for term in form.terms:
        name = argument_name(term.variable)
        yield GeneratedFormula(
            f"{name}_term", term.expression, (term.variable,), f"The {name} term of R."
        )


def _envelope_formulas(envelope: Envelope) -> Iterator[GeneratedFormula]:
    C, R = sym.C, envelope.reducible
    variables = envelope.form.variables
    for variable in variables:
        name, best = argument_name(variable), envelope.optimum(variable)
        yield GeneratedFormula(f"optimal_{name}", best, (C,), f"Compute-optimal {name}.")
    for variable, share in zip(variables, envelope.shares, strict=True):
        name = argument_name(variable)
        summary = f"Share of the {name} term in the optimal reducible loss."
        yield GeneratedFormula(f"{name}_share", share, (), summary)
    for name, value, arguments, summary in (
        ("exponent", envelope.exponent, (), "Exponent alpha of the compute law."),
        ("coefficient", envelope.coefficient, (), "Coefficient C0 of the compute law."),
        ("optimal_reducible_loss", R, (C,), "Reducible loss R* on the envelope."),
        ("optimal_loss", envelope.loss, (C,), "Loss L* on the envelope."),
        (
            "compute_for_reducible_loss",
            envelope.compute_for_reducible,
            (sym.REDUCIBLE,),
            "Least compute that reaches a reducible loss.",
        ),
        ("marginal_loss", -R.diff(C), (C,), "Shadow price of compute -dR*/dC = alpha R*/C."),
    ):
        yield GeneratedFormula(name, value, arguments, summary)
    if variables == (sym.N, sym.D):
        ratio, summary = envelope.tokens_per_param, "Compute-optimal tokens per parameter D*/N*."
        yield GeneratedFormula("optimal_tokens_per_param", ratio, (C,), summary)


def _target_formulas(m: Misallocation) -> Iterator[GeneratedFormula]:
    targets = m.targets
    first, second = m.envelope.form.variables
    name_first, name_second = argument_name(first), argument_name(second)
    caps = {first: sym.N_MAX, second: sym.D_MAX}
    if (first, second) == (sym.N, sym.D):
        for variable, name, threshold in (
            (second, name_second, targets.data_wall),
            (first, name_first, targets.size_cap),
        ):
            yield GeneratedFormula(
                f"compute_at_max_{name}",
                threshold,
                (caps[variable],),
                f"Compute above which a cap on {name} binds.",
            )
    for fixed, name_fixed, name_other in (
        (first, name_first, name_second),
        (second, name_second, name_first),
    ):
        yield GeneratedFormula(
            f"{name_other}_given_{name_fixed}",
            m.envelope.budget.remaining(fixed),
            (sym.C, fixed),
            f"The {name_other} that the budget leaves for given {name_fixed}.",
        )
    smallest = ((name_first, targets.smallest_params), (name_second, targets.smallest_tokens))
    for name, bound in smallest:
        yield GeneratedFormula(
            f"smallest_{name}",
            bound,
            (sym.REDUCIBLE,),
            f"The {name} at or below which the reducible loss is out of reach.",
        )
    yield GeneratedFormula(
        f"{name_second}_for_reducible_loss",
        targets.iso_loss_tokens,
        (sym.REDUCIBLE, first),
        f"Iso-loss contour: the {name_second} that reach a reducible loss at given {name_first}.",
    )
    yield GeneratedFormula(
        f"{name_first}_for_reducible_loss",
        targets.iso_loss_params,
        (sym.REDUCIBLE, second),
        f"Iso-loss contour: the {name_first} that reach a reducible loss at given {name_second}.",
    )
    own = m.envelope.optimum(first).subs(sym.C, m.envelope.budget.compute())
    yield GeneratedFormula(
        "log_size_ratio_of_run",
        m.log_size_ratio_of_run,
        (first, second),
        "Logarithm of the size ratio N/N*(C) of a run, at its own compute.",
        log(first / own),
    )


def _penalty_formulas(m: Misallocation) -> Iterator[GeneratedFormula]:
    r, s, rho = sym.SIZE_RATIO, sym.LOG_SIZE_RATIO, sym.RATIO
    b, g = m._exponents
    yield GeneratedFormula("log_size_ratio", log(r), (r,), "Logarithm of the size ratio.")
    yield GeneratedFormula(
        "log_size_ratio_at_ratio",
        log(m.size_ratio),
        (rho,),
        "Logarithm of the size ratio at an overtraining ratio, at the same compute.",
    )
    yield GeneratedFormula("size_ratio_at_log", exp(s), (s,), "Size ratio from its logarithm.")
    yield GeneratedFormula(
        "ratio_at_log",
        m.ratio.subs(r, exp(s)),
        (s,),
        "Overtraining ratio from the logarithm of the size ratio.",
    )
    for name in ("critical_size_ratio", "critical_tokens_ratio"):
        what = "model sizes" if name == "critical_size_ratio" else "numbers of tokens"
        yield GeneratedFormula(
            name,
            getattr(m, name),
            (),
            f"Multiple of the optimum at or below which {what} cannot reach L*(C).",
        )
    yield GeneratedFormula(
        "tolerance_half_width",
        m.tolerance_half_width,
        (sym.TOLERANCE,),
        "Half width in log r, to leading order, of the interval where P <= 1 + tolerance.",
    )
    near, reachable = ((b + g) * s) ** 2 < NEAR**2, m.gap_ratio < 1
    overhead = Piecewise((m.safe_overhead, near), (m.distant_overhead, reachable), (oo, True))
    in_one = {b * phi2(-b * s) + g * phi2(g * s): expm1_pair(b, g, s) / s**2}
    figures = (
        (
            "penalty",
            m.penalty.subs(r, exp(s)),
            "Penalty P = (L - E)/(L* - E) at the same compute.",
            m.penalty,
        ),
        (
            "excess",
            m.excess,
            "Excess penalty P - 1, without cancellation near r = 1.",
            m.penalty - 1,
        ),
        (
            "effective_compute",
            m.safe_effective_compute,
            "Effective compute C_eff/C = P^(-1/alpha).",
            m.effective_compute,
        ),
        (
            "lost_compute",
            m.lost_compute,
            "Share of the compute that misallocation loses, 1 - C_eff/C, without cancellation near "
            "r = 1.",
            1 - m.effective_compute,
        ),
        (
            "compute_overhead",
            overhead,
            "Extra compute, relative to C, that reaches L*(C) at this size; inf where no number of "
            "tokens does.",
            m.compute_overhead,
        ),
        (
            "tokens_factor",
            Piecewise((m.safe_tokens_factor, reachable), (oo, True)),
            "D/D* that reaches L*(C) at this size; inf where no number of tokens does.",
            m.tokens_factor,
        ),
    )
    for name, value, summary, shown in figures:
        yield GeneratedFormula(name, value.xreplace(in_one), (s,), summary, shown)


def _ray_formulas(envelope: Envelope) -> Iterator[GeneratedFormula]:
    path = ray(envelope)
    for name, value, summary in (
        ("params", path.params, "Params at compute C on the ray D = t N."),
        ("tokens", path.tokens, "Tokens at compute C on the ray D = t N."),
        ("reducible_loss", path.reducible, "Reducible loss at compute C on the ray D = t N."),
        ("exponent", path.exponent, "Local exponent -dlog R/dlog C on the ray D = t N."),
    ):
        yield GeneratedFormula(f"ray_{name}", value, (sym.C, sym.TOKENS_PER_PARAM), summary)
