"""A user's own law, written in SymPy: derived, proved and compiled like the built-in one."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError
from .form import Form
from .scaling_law import Law

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sympy import Expr, Symbol

    from ...theory.budget import Budget
    from ...theory.envelope import Envelope

__all__ = ["compiled_law", "executed", "law_from_expression"]

LARGEST_KEPT_DENOMINATOR = 12
DIGITS = 20


def law_from_expression(
    expression: Expr | str,
    coefficients: Mapping[str, float],
    *,
    variables: Sequence[str | Symbol] = ("N", "D"),
    budget: Expr | Budget | str = "6*N*D",
    name: str = "custom",
    source: str = "",
) -> Law:
    """A law from a SymPy expression or text, through the same derivation, proofs and code generator
    as the built-in law.

    Parameters
    ----------
    expression : sympy.Expr or str
        E + K R^p with R = sum_i A_i x_i^-b_i, e.g. `E + A*N**-b + B*D**-g`, or
        `((Nc/N)**(p/q) + Dc/D)**q` as Kaplan et al. have it. All symbols are taken as positive.
        Text is parsed by the package's grammar, never evaluated.
    coefficients : mapping of str to float
        A positive number for every symbol that is not a variable.
    variables : sequence of str or sympy.Symbol
        Names of the variables that cost compute.
    budget : sympy.Expr, Budget or str
        Compute as a monomial of the variables.
    name, source : str

    Returns
    -------
    Law
        Its symbolic optimum, with its proofs, is `law.form.derived`.

    Raises
    ------
    ValueError
        Where the expression is outside the class with a closed form, a coefficient is missing,
        superfluous or not positive, or a proof fails.

    Examples
    --------
    >>> import sympy
    >>> N, D = sympy.symbols("N D")
    >>> mine = law_from_expression(1.7 + 400 * N**-0.34 + 410 * D**-0.28, {})
    >>> round(mine.envelope.exponent, 6)
    0.153548
    """
    from sympy import Symbol

    from ...theory.budget import Budget
    from ...theory.code.formulas import argument_name
    from ...theory.envelope import derive
    from ...theory.law import LawForm
    from ...theory.reader.parse import parse

    names = [str(variable) for variable in variables]
    table = {text: Symbol(text, positive=True) for text in [*names, *map(str, coefficients)]}
    exact = parse(expression, table) if isinstance(expression, str) else _positive(expression)
    chosen = tuple(table[text] for text in names)
    exact, literals = _lifted(exact, set(table))
    form = LawForm.from_expression(exact, chosen, name)
    if isinstance(budget, str):
        spending = Budget.parse(budget, chosen)
    elif isinstance(budget, Budget):
        spending = budget
    else:
        spending = Budget.from_expression(_positive(budget), chosen)
    if form.power is None:
        of_class = "E + K R^p with R a sum of power laws; of an accuracy Q, -log Q is"
        raise ValueError(f"expression={exact}: must be {of_class}")
    envelope = derive(form, spending)
    for claim in envelope.claims.values():
        decision = claim.prove()
        if not decision.proved:
            what = f"the claim {claim.name!r} of its envelope is not proved ({decision})"
            raise ValueError(f"expression={exact}: {what}")
    symbols = {*form.coefficients, *(spending.compute().free_symbols - set(chosen))}
    needed = sorted({symbol.name for symbol in symbols} - set(literals))
    for wrong, what in (
        (sorted(set(needed) - set(coefficients)), "missing"),
        (sorted(set(coefficients) - set(needed)), "not in the law"),
    ):
        if wrong:
            has = f"the law has {', '.join(needed) or 'none'}"
            raise ArgumentError("coefficients", complaint=f"{', '.join(wrong)} {what}; {has}")
    values = {**coefficients, **literals}
    numbers = {argument_name(symbol): values[symbol.name] for symbol in symbols}
    return _law(envelope, dict(sorted(numbers.items())), name, source)


def _law(envelope: Envelope, numbers: dict[str, float], name: str, source: str) -> Law:
    """The law of a derived envelope."""
    from ...theory.code.formulas import argument_name, inner_name

    form: Any = envelope.form
    named = {argument_name(x): x for x in envelope.form.coefficients}

    def limit(numbers: Mapping[str, Any]) -> float:
        values = {symbol: numbers[text] for text, symbol in named.items()}
        return float(form.irreducible.evalf(DIGITS, subs=values))

    own = Form(
        kind="expression",
        loss=str(form.loss),
        budget=str(envelope.budget.compute()),
        variables=tuple(map(argument_name, form.variables)),
        coefficients=tuple(numbers),
        functions=compiled_law(envelope),
        needed=tuple(numbers),
        of_sum=str if form.is_sum else inner_name,
        limit=limit,
        sign=1 if form.direction > 0 else -1,
        derived=envelope,
    )
    given: dict[str, Any] = dict(numbers)
    return Law(form=own, name=name, source=source, **given)


def compiled_law(envelope: Envelope) -> ModuleType:
    """The formulas of a law as a module, printed like `numeric.formulas`."""
    from ...theory.code.codegen import law_module

    return executed("law", law_module(envelope))


def executed(name: str, source: str) -> ModuleType:
    """Generated source as a module: what codegen prints from SymPy trees, never what a user typed."""
    module = ModuleType(f"isoflop.numeric.compiled_{name}", source.split('"""')[1])
    exec(compile(source, f"<{module.__name__}>", "exec"), module.__dict__)
    return module


def _positive(expression: Any) -> Any:
    """A SymPy expression whose symbols are all positive."""
    from sympy import Symbol, sympify

    free = sympify(expression, strict=True)
    return free.xreplace({x: Symbol(x.name, positive=True) for x in free.free_symbols})


def _lifted(expression: Expr, taken: set[str]) -> tuple[Expr, dict[str, float]]:
    """The expression with a symbol c1, c2, ... for every decimal number, and the numbers.

    SymPy turns powers of decimals with decimal exponents into integers of thousands of digits;
    symbols stay as they are, and the proofs hold for all values.
    """
    from itertools import count

    from sympy import Float, Rational, Symbol

    fresh = (name for i in count(1) if (name := f"c{i}") not in taken)
    replacements: dict[Any, Any] = {}
    literals: dict[str, float] = {}
    decimals = {
        x for x in expression.atoms(Float, Rational) if x.is_Float or x.q > LARGEST_KEPT_DENOMINATOR
    }
    for size in sorted({abs(x) for x in decimals}):
        name = next(fresh)
        literals[name] = float(size)
        replacements[size] = Symbol(name, positive=True)
        replacements[-size] = -replacements[size]
    return expression.xreplace(replacements), literals
