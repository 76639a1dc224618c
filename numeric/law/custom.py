"""A user's own law, written in SymPy: derived, proved and compiled like the built-in one."""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError
from .form import CompiledForm
from .scaling_law import Law

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sympy import Expr, Symbol

    from ...theory.envelope import Envelope

__all__ = ["compiled_law", "law_from_expression"]

#: Fractions such as 1/3 may stand in an expression; decimals are values of coefficients.
LARGEST_DENOMINATOR = 12
#: More digits than a float has, for the limit of a law.
DIGITS = 20
CLOSED_FORM = (
    "must be E + K R^p with R a sum of power laws; for an accuracy Q, write the law of -log Q"
)


def law_from_expression(
    expression: Expr | str,
    coefficients: Mapping[str, float],
    *,
    variables: Sequence[str | Symbol] = ("N", "D"),
    budget: str = "6*N*D",
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
    budget : str
        Compute as a monomial of the variables.
    name, source : str

    Returns
    -------
    Law
        Its symbolic optimum, with its proofs, is `law.form.derived`.

    Raises
    ------
    ValueError
        Where the expression is outside the class with a closed form or has decimals in place of
        coefficients, a coefficient is missing, superfluous or not positive, or a proof fails.

    Examples
    --------
    >>> numbers = {"E": 1.7, "A": 400.0, "B": 410.0, "b": 0.34, "g": 0.28}
    >>> mine = law_from_expression("E + A*N^-b + B*D^-g", numbers)
    >>> round(mine.envelope.exponent, 6)
    0.153548
    """
    from sympy import Symbol

    from ...theory.code.formulas import argument_name

    form = form_of(str(expression), tuple(coefficients), tuple(map(str, variables)), budget)
    numbers: dict[str, Any] = {
        argument_name(Symbol(text, positive=True)): value for text, value in coefficients.items()
    }
    return Law(form=form, name=name, source=source, **numbers)


@cache
def form_of(
    expression: str, coefficients: tuple[str, ...], variables: tuple[str, ...], budget: str
) -> CompiledForm:
    """The form of an expression with coefficients of these names, derived, proved and compiled."""
    from sympy import Float, Rational, Symbol

    from ...theory.budget import Budget
    from ...theory.code.formulas import argument_name, inner_name
    from ...theory.envelope import derive
    from ...theory.law import LawForm
    from ...theory.reader.parse import parse

    table = {text: Symbol(text, positive=True) for text in [*variables, *coefficients]}
    exact, chosen = parse(expression, table), tuple(table[text] for text in variables)
    for number in exact.atoms(Float, Rational):
        if number.is_Float or number.q > LARGEST_DENOMINATOR:
            complaint = f"has the number {abs(number)}; "
            complaint += "must have a name for it, with its value among the coefficients"
            raise ArgumentError("expression", complaint=complaint)
    law: Any = LawForm.from_expression(exact, chosen, "custom")
    if law.power is None or law.direction < 0:
        raise ArgumentError("expression", expression, complaint=CLOSED_FORM)
    envelope = derive(law, Budget.parse(budget, chosen))
    if failed := [name for name, claim in envelope.claims.items() if not claim.prove().proved]:
        complaint = f"its envelope is not proved: {', '.join(failed)}"
        raise ArgumentError("expression", expression, complaint=complaint)
    symbols = {*law.coefficients, *(envelope.budget.compute().free_symbols - {*chosen})}
    needed = sorted(symbol.name for symbol in symbols)
    if wrong := sorted({*needed} ^ {*coefficients}):
        complaint = f"{', '.join(wrong)} missing or not in the law, which has {', '.join(needed)}"
        raise ArgumentError("coefficients", complaint=complaint)
    named = {argument_name(x): x for x in law.coefficients}

    def limit(numbers: Mapping[str, Any]) -> float:
        values = {symbol: numbers[text] for text, symbol in named.items()}
        return float(law.irreducible.evalf(DIGITS, subs=values))

    arguments = tuple(sorted(map(argument_name, symbols)))
    return CompiledForm(
        kind="expression",
        loss=str(law.loss),
        variables=tuple(map(argument_name, law.variables)),
        coefficients=arguments,
        needed=arguments,
        functions=compiled_law(envelope),
        made=(form_of, (expression, coefficients, variables, budget)),
        of_sum=str if law.is_sum else inner_name,
        limit=limit,
        derived=envelope,
    )


def compiled_law(envelope: Envelope) -> ModuleType:
    """The formulas of a law as a module, printed like `numeric.formulas`."""
    from ...theory.code.codegen import law_module

    source = law_module(envelope)  # printed from SymPy trees, never what a user typed
    module = ModuleType("isoflop.numeric.compiled_law", source.split('"""')[1])
    exec(compile(source, f"<{module.__name__}>", "exec"), module.__dict__)
    return module
