"""A user's own law, written in SymPy: derived, proved and compiled like the built-in one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ...theory.typeset.shown import Shown
from ..arrays import Forms, any_of, at_least, for_formulas, namespace, positive_values, real_values
from ..errors import ArgumentError, outside, positive_number
from . import penalty as misallocation
from .allocation import Allocation, allocate
from .figures import Result, figure
from .penalty import Penalty, Run, Tolerance
from .run import ShortNames, run_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

    from sympy import Expr, Symbol

    from ...theory.budget import Budget
    from ...theory.envelope import Envelope
    from ...theory.typeset.table import Table
    from ..results import Estimate

LARGEST_KEPT_DENOMINATOR = 12
DIGITS = 20


def compiled_law(envelope: Envelope) -> ModuleType:
    """The formulas of a law as a module, printed like `numeric.formulas`."""
    from ...theory.code.codegen import law_module

    return executed("law", law_module(envelope))


def executed(name: str, source: str) -> ModuleType:
    """Generated source as a module: what codegen prints from SymPy trees, never what a user typed."""
    module = ModuleType(f"isoflop.numeric.compiled_{name}", source.split('"""')[1])
    exec(compile(source, f"<{module.__name__}>", "exec"), module.__dict__)
    return module


class CustomAllocation(Allocation):
    """Params and tokens for a budget, under a law E + K R^p."""

    @property
    def variables(self) -> tuple[tuple[str, Any], ...]:
        """N and D, as an allocation of other variables has them."""
        return (("N", self.params), ("D", self.tokens))

    @figure
    def reducible_loss(self) -> Any:
        """|L - E|."""
        if self.moved:
            return self.law.reducible_loss(self.params, self.tokens)
        return self.law.envelope.reducible_loss(self.compute)

    @figure
    def loss(self) -> Any:
        """L."""
        if self.moved:
            return self.law.loss(self.params, self.tokens)
        return self.law.envelope.loss(self.compute)


@dataclass(frozen=True, kw_only=True, repr=False)
class FactorAllocation(Result):
    """The optimal value of each variable for a budget, where they are others than params and
    tokens.

    Attributes
    ----------
    variables : tuple of (str, float or ndarray)
        In the order of the law's terms; each is an attribute too.
    compute, loss, reducible_loss : float or ndarray
        The last is |L - E|, E the limit of the law.
    """

    law: CustomLaw
    given: tuple[tuple[str, Any], ...]
    variables: tuple[tuple[str, Any], ...]
    compute: Any
    loss: Any
    reducible_loss: Any
    first = ("compute", "loss", "reducible_loss")

    def as_dict(self) -> dict[str, Any]:
        """Every figure by name."""
        return dict(self.variables) | super().as_dict()

    def _again(self, law: Any, given: dict[str, Any]) -> FactorAllocation:
        return law.allocate(**given)

    def tables(self) -> tuple[Table, ...]:
        """A row a budget."""
        import numpy as np

        from ...theory.typeset.table import Column, Table

        known = {name: value for name, value in self.as_dict().items() if value is not None}
        columns = [np.ravel(column) for column in np.broadcast_arrays(*known.values())]
        rows = [
            dict(zip(known, map(float, row), strict=True)) for row in zip(*columns, strict=True)
        ]
        return (Table([Column(name, name.replace("_", "\n")) for name in known], rows),)

    def __getattr__(self, name: str) -> Any:
        optimal = {} if name in self.__dataclass_fields__ else dict(self.variables)
        if name not in optimal:
            raise AttributeError(f"the allocation has no {name!r}; it has {', '.join(optimal)}")
        return optimal[name]


@dataclass(frozen=True, kw_only=True, repr=False)
class CustomPenalty(Penalty):
    """What an allocation costs under a law E + K R^p, R being the sum of power laws inside it.

    An allocation that has P_R times the least R has (L - E)/(L* - E) = P_R^p; how much compute it
    wastes is the same for every p.
    """

    law: CustomLaw
    inner_excess: Any

    def as_dict(self) -> dict[str, Any]:
        """Every figure by name; of more than two variables the penalty alone."""
        if self.log_size_ratio is None:
            return {"loss_penalty": self.loss_penalty, "excess": self.excess}
        return super().as_dict()

    @figure
    def excess(self) -> Any:
        """P - 1."""
        return self.law.excess_of_loss(self.inner_excess)

    @figure
    def loss_penalty(self) -> Any:
        """P = (L - E)/(L* - E)."""
        return 1.0 + self.excess

    @cached_property
    def run(self) -> CustomRun | None:
        """The run of params and tokens, and the optimum at its compute."""
        given = dict(self.given)
        if set(given) != {"params", "tokens"}:
            return None
        return CustomRun(law=self.law, **given, excess=self.excess)


class CustomRun(Run):
    """A run of a law of the user's own, and the optimum at its compute; of an accuracy the loss is
    below the optimal one.
    """

    @figure
    def reducible_loss(self) -> Any:
        """|L - E|."""
        return self.law.reducible_loss(self.params, self.tokens)

    @figure
    def loss(self) -> Any:
        """L."""
        return self.law.loss(self.params, self.tokens)


@dataclass(frozen=True, kw_only=True, repr=False)
class CustomEnvelope(Shown):
    """The best loss for every budget of a law of the user's own: exponent, coefficient, loss and
    allocation.

    The optimal value of a variable is a method by its name: `params(compute)`, `tokens(compute)`.

    Attributes
    ----------
    law : CustomLaw
    """

    law: CustomLaw

    @property
    def exponent(self) -> float:
        """alpha of the compute law |L* - E| = C0 C^-alpha."""
        return float(self.law.evaluate("exponent"))

    @property
    def coefficient(self) -> float:
        """C0 of the compute law |L* - E| = C0 C^-alpha."""
        return float(self.law.evaluate("coefficient"))

    def loss(self, compute: Any) -> Any:
        """L*(C)."""
        return self.law.evaluate("optimal_loss", compute=compute)

    def reducible_loss(self, compute: Any) -> Any:
        """|L*(C) - E|."""
        return self.law.evaluate("optimal_reducible_loss", compute=compute)

    def marginal_loss(self, compute: Any) -> Any:
        """Shadow price of compute |dL*/dC|, loss per FLOP."""
        return self.law.evaluate("marginal_loss", compute=compute)

    def tokens_per_param(self, compute: Any) -> Any:
        """D*(C)/N*(C)."""
        return self.law.evaluate("optimal_tokens_per_param", compute=compute)

    def __getattr__(self, name: str) -> Any:
        if name not in self.law.variables:
            raise AttributeError(f"CustomEnvelope has no attribute {name!r}")
        return lambda compute: self.law.evaluate(f"optimal_{name}", compute=compute)

    def tables(self) -> tuple[Table, ...]:
        """Exponent and coefficient."""
        from ...theory.typeset.table import Column, Table

        rows = [
            {"name": name, "value": getattr(self, name)} for name in ("exponent", "coefficient")
        ]
        columns = [Column("name", "", align="left"), Column("value")]
        title = f"envelope of L = {self.law.derived.form.loss}  ({self.law.name})"
        return (Table(columns, rows, title=title),)

    def __repr__(self) -> str:
        return f"{self.law!r}.envelope"


class CustomLaw(ShortNames, Shown):
    """A law of the user's with numbers for its coefficients; made by `law_from_expression`.

    Attributes
    ----------
    derived : isoflop.theory.envelope.Envelope
        The symbolic optimum, with its proofs.
    coefficients : dict of str to float
    name : str
    formulas : module
        The generated functions: everything that the built-in law has.
    """

    #: Nothing says how sure the coefficients are.
    uncertainty = None

    def estimate(
        self, quantity: Callable[[Any], float], level: float = 0.9, *, least: float | None = None
    ) -> Estimate:
        """A number that follows from the law, without an interval; see `Law.estimate`."""
        from .uncertainty import estimated

        return estimated(self, quantity, level, least)

    def plot(self, ax: Any = None) -> Any:
        """The penalty of training off the optimum; of two variables."""
        from ..plot.panels import plot_penalty

        return plot_penalty([self], ax)

    def __init__(self, envelope: Envelope, coefficients: Mapping[str, float], name: str) -> None:
        self.derived = envelope
        self.coefficients = dict(coefficients)
        self.name = name

    @cached_property
    def formulas(self) -> ModuleType:
        """The generated functions, compiled when first used."""
        return compiled_law(self.derived)

    @property
    def envelope(self) -> CustomEnvelope:
        """The compute-optimal envelope as numbers."""
        return CustomEnvelope(law=self)

    @property
    def exponent(self) -> float:
        """alpha of the envelope, where it is a power law."""
        return self.envelope.exponent

    @property
    def variables(self) -> tuple[str, ...]:
        """The names under which the variables are passed: `params` and `tokens` for N and D, else
        their own.
        """
        from ...theory.code.formulas import argument_name

        return tuple(argument_name(variable) for variable in self.derived.form.variables)

    def evaluate(self, name: str, /, **variables: Any) -> Any:
        """Any generated function by name, e.g. `evaluate("marginal_loss", compute=1e21)`; those of
        R, where the law is not E + R, have `inner` in their names.
        """
        formula = getattr(self.formulas, name)
        taken = {key: value for key, value in self.coefficients.items() if key in formula.names}
        return formula(**variables, **taken)

    def loss(self, *values: Any, **variables: Any) -> Any:
        """The law at the variables, in their order or by name; scalars or arrays that broadcast."""
        return self.evaluate("loss", **self._run(values, variables))

    @cached_property
    def E(self) -> float:
        """The irreducible loss: what the law tends to as all its variables grow."""
        return self._number(self.derived.form.irreducible)

    def compute(self, *values: Any, **variables: Any) -> Any:
        """Training compute in FLOP of the variables, in their order or by name."""
        return self.evaluate("compute", **self._run(values, variables))

    def reducible_loss(self, *values: Any, **variables: Any) -> Any:
        """|L - E|: what more params and tokens could take off a loss, or add to an accuracy."""
        return self.evaluate("reducible_loss", **self._run(values, variables))

    # -- the optimum ---------------------------------------------------------------------------------------------------

    def allocate(
        self,
        compute: Any = None,
        *,
        loss: Any = None,
        reducible_loss: Any = None,
        params: Any = None,
        tokens: Any = None,
        max_params: float | None = None,
        max_tokens: float | None = None,
        tokens_per_param: Any = None,
    ) -> CustomAllocation | FactorAllocation:
        """The optimal variables for a budget, a target of the law, or a target |L - E|.

        The arguments are those of `Law.allocate`; a law of other variables than params and tokens
        takes compute, loss and reducible_loss alone.

        Raises
        ------
        ValueError
            Where not exactly one target is given, or it is outside its domain (a loss that no R > 0
            gives).
        """
        given = {"compute": compute, "loss": loss, "reducible_loss": reducible_loss}
        of_pair = {"params": params, "tokens": tokens, "tokens_per_param": tokens_per_param}
        caps = {"max_params": max_params, "max_tokens": max_tokens}
        if self.variables == ("params", "tokens"):
            return allocate(self, given | of_pair, caps, CustomAllocation)
        for name, value in (of_pair | caps).items():
            if value is not None:
                complaint = f"is for laws of params and tokens, not of {', '.join(self.variables)}"
                raise ArgumentError(name, value, complaint=complaint)
        chosen = [name for name, value in given.items() if value is not None]
        if len(chosen) != 1:
            raise ValueError(
                f"given {', '.join(chosen) or 'none'}: must be exactly one of {', '.join(given)}"
            )
        (name,) = chosen
        if compute is None:
            inner_sum = self.inner_sum_for(name, given[name])
            compute = self.forms.compute_for_reducible_loss(inner_sum)
        return FactorAllocation(
            law=self,
            given=((name, given[name]),),
            variables=tuple(
                (name, self.evaluate(f"optimal_{name}", compute=compute)) for name in self.variables
            ),
            compute=compute,
            loss=self.envelope.loss(compute),
            reducible_loss=self.envelope.reducible_loss(compute),
        )

    # -- other allocations ---------------------------------------------------------------------------------------------

    def penalty(self, ratio: Any = None, *, size_ratio: Any = None, **run: Any) -> CustomPenalty:
        """What training off the optimum costs, of a run or at an overtraining or size ratio.

        Parameters
        ----------
        ratio, size_ratio : float or array_like, optional
            (D/N)/(D*/N*) or N/N* at the same compute, for laws of two variables.
        **run : float or array_like
            All variables of a run; of params and tokens what `Law.penalty` takes.

        Raises
        ------
        ValueError
            Where not exactly one allocation is given, or a value is outside its domain.
        """
        if ratio is not None or size_ratio is not None:
            return self._at_ratio(ratio, size_ratio, run)
        if self.variables == ("params", "tokens") and run and set(run) != set(self.variables):
            run = dict(zip(self.variables, run_of(self, run), strict=True))
        given = {name: for_formulas(name, value) for name, value in self._run((), run).items()}
        s = None
        if len(self.variables) == 2:
            s = self.evaluate("log_size_ratio_of_run", **given)
            inner = self.forms.excess(s)
        else:
            compute = self.evaluate("compute", **given)
            best = self.evaluate(self._of_sum("optimal_reducible_loss"), compute=compute)
            inner = self.evaluate(self._of_sum("reducible_loss"), **given)
            inner = at_least(inner / best, 1.0) - 1.0
        return CustomPenalty(
            law=self, log_size_ratio=s, inner_excess=inner, given=tuple(given.items())
        )

    def _at_ratio(self, ratio: Any, size_ratio: Any, run: Mapping[str, Any]) -> CustomPenalty:
        if run or (ratio is not None and size_ratio is not None):
            raise ValueError("given more than one of ratio, size_ratio, a run: must be exactly one")
        if len(self.variables) != 2:
            raise ValueError(
                f"ratio: fixes the allocation of 2 variables only, the law has "
                f"{len(self.variables)}"
            )
        name, value = ("size_ratio", size_ratio) if ratio is None else ("ratio", ratio)
        value = for_formulas(name, value)
        forms = self.forms
        to_log = forms.log_size_ratio if ratio is None else forms.log_size_ratio_at_ratio
        s = to_log(value)
        return CustomPenalty(
            law=self, log_size_ratio=s, inner_excess=forms.excess(s), given=((name, value),)
        )

    def tolerance(self, within: float) -> Tolerance:
        """The size ratios, and the overtraining ratios, at which the loss penalty stays at most 1 +
        within.
        """
        return misallocation.tolerance(
            self, within, lambda s: float(self.excess_of_loss(self.forms.excess(s)))
        )

    def excess_of_loss(self, inner: Any) -> Any:
        """(L - E)/(L* - E) - 1 = (R/R*)^p - 1 from R/R* - 1, without cancellation."""
        xp = namespace(inner)
        return xp.expm1(self._power[1] * xp.log1p(inner))

    # -- plumbing ------------------------------------------------------------------------------------------------------

    @property
    def numbers(self) -> dict[str, float]:
        """The coefficients by name."""
        return self.coefficients

    def needed(self, *names: str) -> dict[str, float]:
        """The named coefficients."""
        return {name: self.coefficients[name] for name in names}

    @property
    def forms(self) -> Forms:
        """The proved formulas of R at the coefficients of the law."""
        return Forms(self.formulas, self, self._of_sum)

    def _of_sum(self, name: str) -> str:
        """The generated function of R that has this name where the reducible loss is R."""
        from ...theory.code.formulas import inner_name

        return name if self._is_sum else inner_name(name)

    @cached_property
    def _is_sum(self) -> bool:
        """Whether L = E + R."""
        return bool(self.derived.form.is_sum)

    @cached_property
    def _power(self) -> tuple[float, float]:
        """K and p of |L - E| = K R^p."""
        power = self.derived.form.power
        if power is None:
            raise ValueError(f"{self.derived.form.outer}: is no power of R")
        return self._number(power[0]), self._number(power[1])

    def _number(self, expression: Any) -> float:
        """An expression of the coefficients as a float."""
        from ...theory.code.formulas import argument_name

        return float(
            expression.evalf(
                DIGITS,
                subs={x: self.coefficients[argument_name(x)] for x in expression.free_symbols},
            )
        )

    def _run(self, values: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
        if len(values) > len(self.variables):
            raise ValueError(f"given {len(values)} values: must be {', '.join(self.variables)}")
        given = dict(zip(self.variables, values, strict=False))
        if set(given) & set(named) or {*given, *named} != set(self.variables):
            raise ValueError(
                f"given {', '.join([*given, *named]) or 'none'}: must be "
                f"{', '.join(self.variables)}"
            )
        return given | dict(named)

    def inner_sum_for(self, name: str, target: Any) -> Any:
        """The R at which the loss, or the reducible loss, is the target: (|L - E|/K)^(1/p)."""
        reducible = positive_values(name, target) if name == "reducible_loss" else None
        if reducible is None:
            reducible = self.derived.form.direction * (real_values(name, target) - self.E)
            if any_of(reducible <= 0.0):
                domain = f"a value that {self.derived.form.loss} takes for some R > 0"
                raise outside(name, target, domain)
        K, p = self._power
        return reducible if self._is_sum else (reducible / K) ** (1.0 / p)

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={value!r}" for name, value in self.coefficients.items())
        return f"CustomLaw({self.derived.form.loss}; {self.derived.budget}; {numbers}; name={self.name!r})"

    def __str__(self) -> str:
        return f"L = {self.derived.form.loss}  ({self.name})\n{super().__str__()}"

    def tables(self) -> tuple[Table, ...]:
        """The coefficients, and the exponent."""
        from ...theory.typeset.table import Column, Table

        figures = {**self.coefficients, "exponent": self.exponent}
        rows = [{"name": name, "value": value} for name, value in figures.items()]
        return (Table([Column("name", "", align="left"), Column("value")], rows),)

    def _repr_latex_(self) -> str:
        from sympy import latex

        return rf"$\displaystyle L = {latex(self.derived.form.loss)}$"

    # -- a law file ----------------------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """The law as the plain data of a law file."""
        form = self.derived.form
        return {
            "name": self.name,
            "expression": str(form.loss),
            "variables": [variable.name for variable in form.variables],
            "budget": str(self.derived.budget.compute()),
            "coefficients": dict(self.coefficients),
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> CustomLaw:
        """What `as_dict` made."""
        return law_from_expression(
            data["expression"],
            data["coefficients"],
            variables=data["variables"],
            budget=data["budget"],
            name=data.get("name", "custom"),
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write a law file, which `isoflop.law` reads."""
        from .file import write

        write(self.as_dict(), path)


def law_from_expression(
    expression: Expr | str,
    coefficients: Mapping[str, float],
    *,
    variables: Sequence[str | Symbol] = ("N", "D"),
    budget: Expr | Budget | str = "6*N*D",
    name: str = "custom",
) -> CustomLaw:
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
    name : str

    Returns
    -------
    CustomLaw

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
    from sympy import Symbol, sympify

    from ...theory.budget import Budget
    from ...theory.code.formulas import argument_name
    from ...theory.envelope import derive
    from ...theory.law import LawForm
    from ...theory.reader.parse import parse

    names = [str(variable) for variable in variables]
    unknown = [*names, *map(str, coefficients)]
    table = {text: Symbol(text, positive=True) for text in unknown}
    if isinstance(expression, str):
        exact = parse(expression, table)
    else:
        given = sympify(expression, strict=True)
        exact = given.xreplace(
            {symbol: Symbol(symbol.name, positive=True) for symbol in given.free_symbols}
        )
    positive_variables = tuple(table[text] for text in names)
    exact, literals = _lifted(exact, set(unknown))
    form = LawForm.from_expression(exact, positive_variables, name)
    if isinstance(budget, str):
        spending = Budget.parse(budget, positive_variables)
    elif isinstance(budget, Budget):
        spending = budget
    else:
        free = sympify(budget, strict=True)
        monomial = free.xreplace(
            {symbol: Symbol(symbol.name, positive=True) for symbol in free.free_symbols}
        )
        spending = Budget.from_expression(monomial, positive_variables)
    if form.power is None:
        raise ValueError(
            f"expression={exact}: must be E + K R^p with R a sum of power laws; of an accuracy Q, "
            f"-log Q is"
        )
    envelope = derive(form, spending)
    needed = {*form.coefficients, *(spending.compute().free_symbols - set(positive_variables))}
    _require_coefficients({symbol.name for symbol in needed} - set(literals), coefficients)
    for claim in envelope.claims.values():
        decision = claim.prove()
        if not decision.proved:
            raise ValueError(
                f"expression={exact}: the claim {claim.name!r} of its envelope is not proved "
                f"({decision})"
            )
    values = {**coefficients, **literals}
    numbers = {
        argument_name(symbol): positive_number(symbol.name, values[symbol.name])
        for symbol in needed
    }
    return CustomLaw(envelope, dict(sorted(numbers.items())), name)


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


def _require_coefficients(needed: set[str], given: Mapping[str, float]) -> None:
    missing, superfluous = sorted(needed - set(given)), sorted(set(given) - needed)
    if missing:
        raise ValueError(
            f"coefficients: {', '.join(missing)} missing; the law has {', '.join(sorted(needed))}"
        )
    if superfluous:
        raise ValueError(
            f"coefficients: {', '.join(superfluous)} not in the law, which has "
            f"{', '.join(sorted(needed)) or 'none'}"
        )
