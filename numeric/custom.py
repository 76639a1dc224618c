"""A user's own law, written in SymPy: derived, proved and compiled like the built-in one."""

from __future__ import annotations

from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any

from isoflop.numeric._call import evaluate_in
from isoflop.numeric._domain import outside, positive_number
from isoflop.theory.notation import Frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sympy import Expr, Symbol

    from isoflop.theory.budget import Budget
    from isoflop.theory.envelope import Envelope

LARGEST_KEPT_DENOMINATOR = 12
SMALLEST_LOG_REDUCIBLE, LARGEST_LOG_REDUCIBLE = -700.0, 700.0


class CompiledModules:
    """The scalar and the array module of a law, generated when first used."""

    def __init__(self, envelope: Envelope) -> None:
        self.envelope = envelope

    @cached_property
    def scalar(self) -> ModuleType:
        """Functions of floats."""
        from isoflop.theory.codegen import scalar_module

        return compiled("scalar", scalar_module(self.envelope), {})

    @cached_property
    def array(self) -> ModuleType:
        """Functions of arrays."""
        from isoflop.theory.codegen import array_module

        return compiled("array", array_module(self.envelope), {"scalar": self.scalar})


def compiled(name: str, source: str, names: dict[str, Any]) -> ModuleType:
    module = ModuleType(f"isoflop.numeric.compiled_{name}", source.split('"""')[1])
    module.__dict__.update(names)
    exec(compile(source, f"<{module.__name__}>", "exec"), module.__dict__)  # printed by codegen from SymPy trees
    return module


class CustomAllocation(Frozen):
    """The optimal variables for a budget or a target.

    Attributes
    ----------
    variables : tuple of (str, float or ndarray)
        The optimal value of each variable by name, in the order of the law's terms.
    compute, loss, reducible_loss : float or ndarray
    """

    __slots__ = ("compute", "loss", "reducible_loss", "variables")

    variables: tuple[tuple[str, Any], ...]
    compute: Any
    loss: Any
    reducible_loss: Any

    def as_dict(self) -> dict[str, Any]:
        """Every figure by name."""
        return dict(self.variables) | {
            "compute": self.compute,
            "loss": self.loss,
            "reducible_loss": self.reducible_loss,
        }

    def __repr__(self) -> str:
        return f"CustomAllocation({', '.join(f'{name}={value!r}' for name, value in self.as_dict().items())})"


class CustomLaw:
    """A law of the user's with numbers for its coefficients; made by `law_from_expression`.

    Attributes
    ----------
    envelope : isoflop.theory.envelope.Envelope
        The symbolic optimum, with its proofs.
    coefficients : dict of str to float
    name : str
    modules : CompiledModules
        The generated functions; `modules.scalar` and `modules.array` hold everything that the built-in law has.
    """

    def __init__(self, envelope: Envelope, coefficients: Mapping[str, float], name: str) -> None:
        self.envelope = envelope
        self.coefficients = dict(coefficients)
        self.name = name
        self.modules = CompiledModules(envelope)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names under which the variables are passed: `params` and `tokens` for N and D, else their own."""
        from isoflop.theory.formulas import argument_name

        return tuple(argument_name(variable) for variable in self.envelope.form.variables)

    def evaluate(self, name: str, /, **variables: Any) -> Any:
        """Any generated function by name, e.g. `evaluate("marginal_loss", compute=1e21)`."""
        return evaluate_in(self.modules, name, self.coefficients, **variables)

    def loss(self, **variables: Any) -> Any:
        """The law at the variables; scalars or arrays that broadcast."""
        self._require_variables(variables)
        return self.evaluate("loss", **variables)

    @property
    def exponent(self) -> float:
        """alpha of the compute law."""
        return float(self.evaluate("exponent"))

    @property
    def coefficient(self) -> float:
        """C0 of the compute law, so that R* = C0 C^-alpha."""
        return float(self.evaluate("coefficient"))

    def optimal_loss(self, compute: Any) -> Any:
        """The law on its envelope."""
        return self.evaluate("optimal_loss", compute=compute)

    def allocate(self, *, compute: Any = None, loss: float | None = None, reducible_loss: Any = None) -> CustomAllocation:
        """The optimal variables for a budget, a target of the law, or a target of its inner sum R.

        Raises
        ------
        ValueError
            Where not exactly one is given, or it is outside its domain (a loss that no R > 0 gives).
        """
        given = {"compute": compute, "loss": loss, "reducible_loss": reducible_loss}
        chosen = [name for name, value in given.items() if value is not None]
        if len(chosen) != 1:
            raise ValueError(f"given {', '.join(chosen) or 'none'}: must be exactly one of compute, loss, reducible_loss")
        if loss is not None:
            reducible_loss = self._reducible_loss_at(loss)
        if compute is None:
            compute = self.evaluate("compute_for_reducible_loss", reducible_loss=reducible_loss)
        return CustomAllocation(
            variables=tuple((name, self.evaluate(f"optimal_{name}", compute=compute)) for name in self.variables),
            compute=compute,
            loss=self.optimal_loss(compute),
            reducible_loss=self.evaluate("optimal_reducible_loss", compute=compute),
        )

    def penalty(self, *, ratio: Any = None, size_ratio: Any = None, **variables: Any) -> Any:
        """R/R* of a run (all variables), or at an overtraining ratio or size ratio (laws of two variables)."""
        if ratio is not None or size_ratio is not None:
            if variables or (ratio is not None and size_ratio is not None):
                raise ValueError("given more than one of ratio, size_ratio, a run: must be exactly one")
            if len(self.variables) != 2:
                raise ValueError(f"ratio: fixes the allocation of 2 variables only, the law has {len(self.variables)}")
            if ratio is not None:
                return self.evaluate("penalty_at_ratio", ratio=ratio)
            return self.evaluate("penalty_at_size_ratio", size_ratio=size_ratio)
        self._require_variables(variables)
        compute = self.evaluate("compute", **variables)
        reducible = self.evaluate("reducible_loss", **variables)
        return reducible / self.evaluate("optimal_reducible_loss", compute=compute)

    def _require_variables(self, given: Mapping[str, Any]) -> None:
        if set(given) != set(self.variables):
            raise ValueError(f"given {', '.join(given) or 'none'}: must be {', '.join(self.variables)}")

    def _reducible_loss_at(self, loss: Any) -> float:
        """The R > 0 with h(R) = loss: h is monotone, so bisection in log R finds it."""
        import math

        if isinstance(loss, bool) or not isinstance(loss, (int, float)) or not math.isfinite(loss):
            raise outside("loss", loss, "a finite number")
        direction = self.envelope.form.direction

        def above(log_reducible: float) -> bool:
            try:
                value = self.evaluate("loss_at", reducible_loss=math.exp(log_reducible))
            except ValueError:  # beyond the largest float
                value = math.inf
            return bool(direction * value > direction * loss)

        low, high = SMALLEST_LOG_REDUCIBLE, LARGEST_LOG_REDUCIBLE
        if above(low) or not above(high):
            raise outside("loss", loss, f"a value that {self.envelope.form.outer} takes for some R > 0")
        while (middle := low + (high - low) / 2) not in (low, high):
            low, high = (low, middle) if above(middle) else (middle, high)
        return math.exp(high)

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={value!r}" for name, value in self.coefficients.items())
        return f"CustomLaw({self.envelope.form.loss}; {self.envelope.budget}; {numbers}; name={self.name!r})"

    def _repr_latex_(self) -> str:
        from sympy import latex

        return rf"$\displaystyle {latex(self.envelope.form.loss)}$"


def law_from_expression(
    expression: Expr | str,
    coefficients: Mapping[str, float],
    *,
    variables: Sequence[str | Symbol] = ("N", "D"),
    budget: Expr | Budget | str = "6*N*D",
    name: str = "custom",
) -> CustomLaw:
    """A law from a SymPy expression or text, through the same derivation, proofs and code generator as the built-in law.

    Parameters
    ----------
    expression : sympy.Expr or str
        h(sum_i A_i x_i^-b_i) with h monotone, e.g. `E + A*N**-b + B*D**-g`, `((Nc/N)**(p/q) + Dc/D)**q`,
        `exp(-A*N**-b - B*D**-g)`.
        All symbols are taken as positive. Text is parsed by the package's grammar, never evaluated.
    coefficients : mapping of str to float
        A positive number for every symbol that is not a variable.
    variables : sequence of str or sympy.Symbol
        Names of the variables that cost compute.
    budget : sympy.Expr, Budget or str
        Compute as a monomial of the variables.
    name : str

    Returns
    -------
    CustomLaw

    Raises
    ------
    ValueError
        Where the expression is outside the class with a closed form, a coefficient is missing, superfluous or not positive, or a
        proof fails.

    Examples
    --------
    >>> import sympy
    >>> N, D = sympy.symbols("N D")
    >>> mine = law_from_expression(1.7 + 400 * N**-0.34 + 410 * D**-0.28, {})
    >>> round(mine.exponent, 6)
    0.153548
    """
    from sympy import Symbol, sympify

    from isoflop.theory.budget import Budget
    from isoflop.theory.envelope import derive
    from isoflop.theory.formulas import argument_name
    from isoflop.theory.law import LawForm
    from isoflop.theory.parse import parse

    names = [str(variable) for variable in variables]
    unknown = [*names, *map(str, coefficients)]
    table = {text: Symbol(text, positive=True) for text in unknown}
    if isinstance(expression, str):
        exact = parse(expression, table)
    else:
        given = sympify(expression, strict=True)
        exact = given.xreplace({symbol: Symbol(symbol.name, positive=True) for symbol in given.free_symbols})
    positive_variables = tuple(table[text] for text in names)
    exact, literals = _lifted(exact, set(unknown))
    form = LawForm.from_expression(exact, positive_variables, name)
    if isinstance(budget, str):
        spending = Budget.parse(budget, positive_variables)
    elif isinstance(budget, Budget):
        spending = budget
    else:
        free = sympify(budget, strict=True)
        monomial = free.xreplace({symbol: Symbol(symbol.name, positive=True) for symbol in free.free_symbols})
        spending = Budget.from_expression(monomial, positive_variables)
    envelope = derive(form, spending)
    needed = {*form.coefficients, *(spending.compute().free_symbols - set(positive_variables))}
    _require_coefficients({symbol.name for symbol in needed} - set(literals), coefficients)
    for claim in envelope.claims.values():
        decision = claim.prove()
        if not decision.proved:
            raise ValueError(f"expression={exact}: the claim {claim.name!r} of its envelope is not proved ({decision})")
    values = {**coefficients, **literals}
    numbers = {argument_name(symbol): positive_number(symbol.name, values[symbol.name]) for symbol in needed}
    return CustomLaw(envelope, dict(sorted(numbers.items())), name)


def _lifted(expression: Expr, taken: set[str]) -> tuple[Expr, dict[str, float]]:
    """The expression with a symbol c1, c2, ... for every decimal number, and the numbers.

    SymPy turns powers of decimals with decimal exponents into integers of thousands of digits; symbols stay as they are, and the
    proofs hold for all values.
    """
    from itertools import count

    from sympy import Float, Rational, Symbol

    fresh = (name for i in count(1) if (name := f"c{i}") not in taken)
    replacements: dict[Any, Any] = {}
    literals: dict[str, float] = {}
    decimals = {x for x in expression.atoms(Float, Rational) if x.is_Float or x.q > LARGEST_KEPT_DENOMINATOR}
    for size in sorted({abs(x) for x in decimals}):
        name = next(fresh)
        literals[name] = float(size)
        replacements[size] = Symbol(name, positive=True)
        replacements[-size] = -replacements[size]
    return expression.xreplace(replacements), literals


def _require_coefficients(needed: set[str], given: Mapping[str, float]) -> None:
    missing, superfluous = sorted(needed - set(given)), sorted(set(given) - needed)
    if missing:
        raise ValueError(f"coefficients: {', '.join(missing)} missing; the law has {', '.join(sorted(needed))}")
    if superfluous:
        raise ValueError(
            f"coefficients: {', '.join(superfluous)} not in the law, which has {', '.join(sorted(needed)) or 'none'}"
        )
