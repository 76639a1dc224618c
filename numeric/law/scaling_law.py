"""A law: a form with coefficients, and everything that follows from them as numbers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property

from ...theory.data.notation import Notation
from ...theory.data.notation import notation as find_notation
from ...theory.typeset.shown import Shown
from ..arrays import any_of, namespace, real_values
from ..errors import EXPONENT, NONNEGATIVE, POSITIVE, ArgumentError, number, outside
from .allocation import Tolerance, allocate, penalty, tolerance
from .form import PARAMS_TOKENS, CompiledForm
from .result import LEVEL, Result
from .tables import law_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike
    from typing import Any

    from matplotlib.figure import Figure

    from ...theory.typeset.table import Table
    from ..results import Estimate

#: The domains of coefficients of the forms with a notation; other coefficients are positive.
DOMAINS = {"E": NONNEGATIVE, "alpha": EXPONENT, "beta": EXPONENT, "gamma": EXPONENT}


def _at_compute(formula: str, meaning: str) -> Any:
    """A method of a law, or of its envelope, that evaluates a formula at a compute."""

    def method(law: Any, compute: Any) -> Any:
        return law.evaluate(formula, compute)

    method.__doc__ = meaning
    return method


def _figure(formula: str) -> Any:
    """A property of a law, or of its envelope, that evaluates a formula of coefficients alone."""
    return property(lambda law: law.evaluate(formula))


def _coefficient(name: str) -> Any:
    return property(lambda law: law.numbers.get(name))


@dataclass(frozen=True, init=False, repr=False)
class Law(Shown):
    """A law with numbers for its coefficients; L = E + A N^-beta + B D^-gamma under C = 6 N D unless
    another form is given. Frozen and hashable; draws and ranges do not enter comparisons.

    Parameters
    ----------
    **coefficients : float
        E >= 0, A, B > 0 and the exponents beta, gamma > 0 (Hoffmann's alpha and beta: see
        `Law.from_coefficients`). Without A and B a law answers only what depends on the exponents
        alone, as the penalty does; without E it has reducible losses, but no losses.
    form : CompiledForm, optional
        `isoflop.numeric.law.form.COMPUTE` for L = E + C0 C^-alpha.
    draws : mapping of str to sequence of float, optional
        Draws of the coefficients of a law that was fitted to data; every figure that follows from
        the law then has an interval.
    ranges : mapping of str to (float, float), optional
        The least and greatest params, tokens and compute of the runs that the law was fitted to.

    Attributes
    ----------
    numbers : dict of str to float or None
        The coefficients by their names in the package.
    critical_size_ratio, critical_tokens_ratio : float
        The multiple of N*(C) at or below which no number of tokens reaches L*(C), and the multiple
        of D*(C) at or below which no model size does.

    Examples
    --------
    >>> law = Law(E=1.8172, A=482.01, B=2085.43, beta=0.3478, gamma=0.3658)
    >>> round(law.envelope.exponent, 6), round(law.penalty(size_ratio=0.5).loss_penalty, 6)
    (0.178286, 1.030591)
    >>> round(law(7e9, 1.4e11), 4), round(law.L_opt(5.88e21), 4)
    (2.1733, 2.1733)
    """

    form: CompiledForm
    numbers: Mapping[str, Any]
    name: str
    source: str
    draws: Mapping[str, Sequence[float]] | None = field(compare=False)
    ranges: Mapping[str, tuple[float, float]] | None = field(compare=False)

    def __init__(
        self,
        *,
        form: CompiledForm = PARAMS_TOKENS,
        name: str = "custom",
        source: str = "",
        draws: Mapping[str, Sequence[float]] | None = None,
        ranges: Mapping[str, tuple[float, float]] | None = None,
        **coefficients: Any,
    ) -> None:
        for unknown in {*coefficients, *(draws or {})} - {*form.coefficients}:
            complaint = (
                f"is not a coefficient of this law, which has {', '.join(form.coefficients)}"
            )
            raise ArgumentError(unknown, complaint=complaint)
        if draws and len({*map(len, draws.values())}) > 1:
            raise ArgumentError("draws", complaint="must be as many of each coefficient")
        numbers: dict[str, Any] = dict.fromkeys(form.coefficients)
        for key in numbers:
            if (value := coefficients.get(key)) is not None or key in form.needed:
                domain = POSITIVE if form.derived else DOMAINS.get(key, POSITIVE)
                numbers[key] = number(key, value, domain)
        fields = {"form": form, "numbers": numbers, "name": name, "source": source}
        for attribute, value in {**fields, "draws": draws, "ranges": ranges}.items():
            object.__setattr__(self, attribute, value)

    def __hash__(self) -> int:
        return hash((self.form, *self.numbers.values(), self.name, self.source))

    E = property(lambda law: law.form.limit(law.numbers))
    A, B, C0 = _coefficient("A"), _coefficient("B"), _coefficient("C0")
    alpha, beta, gamma = _coefficient("alpha"), _coefficient("beta"), _coefficient("gamma")

    # -- coefficients in a notation, and as plain data ----------------------------------------------

    @classmethod
    def from_coefficients(
        cls,
        coefficients: Mapping[str, Any],
        *,
        notation: str | Notation = "schaeffer",
        form: CompiledForm = PARAMS_TOKENS,
        **more: Any,
    ) -> Law:
        """A law from coefficients in a named notation: `beta, gamma` (schaeffer) or `alpha, beta`
        (hoffmann). `more` may hold name, source, draws and ranges.
        """
        spelling = find_notation(notation)
        numbers = spelling.to_canonical(coefficients, kind=form.kind)
        names = spelling.names(form.kind)
        if missing := [names[name] for name in form.needed if numbers.get(name) is None]:
            raise ValueError(f"missing {', '.join(missing)}: the law needs a value")
        return cls(form=form, **more, **numbers)

    def coefficients(self, notation: str | Notation = "schaeffer") -> dict[str, Any]:
        """The coefficients by their names in a notation; a law of one's own keeps its own names."""
        if self.form.derived is not None:
            return dict(self.numbers)
        spelling = find_notation(notation)
        return spelling.from_canonical(self.numbers, kind=self.form.kind)

    def as_dict(self, notation: str | Notation = "schaeffer") -> dict[str, Any]:
        """The law as the plain data of a law file, with its draws in the package's notation."""
        head: dict[str, Any] = {"notation": find_notation(notation).name}
        if derived := self.form.derived:
            names = [variable.name for variable in derived.form.variables]
            budget = str(derived.budget.compute())
            head = {"expression": self.form.loss, "variables": names, "budget": budget}
        data = {"name": self.name, **head, "coefficients": self.coefficients(notation)}
        data["source"] = self.source
        if self.draws is not None:
            data["draws"] = {"coefficients": dict(self.draws)}
        return data if self.ranges is None else {**data, "ranges": dict(self.ranges)}

    def save(self, path: str | PathLike[str], notation: str | Notation = "schaeffer") -> None:
        """Write a law file, which `isoflop.law` reads; floats read back unchanged."""
        from .._files import save

        text = json.dumps(self.as_dict(notation), indent=2, allow_nan=False) + "\n"
        save(path, text.encode())

    # -- the law itself -----------------------------------------------------------------------------

    def needed(self, *names: str) -> dict[str, Any]:
        """The named coefficients; a ValueError where the law lacks one."""
        if missing := [name for name in names if self.numbers[name] is None]:
            values = f"no value of {' and '.join(missing)}, which this needs"
            raise ValueError(f"law {self.name!r}: has {values}")
        return {name: self.numbers[name] for name in names}

    def evaluate(self, name: str, /, *values: Any, **named: Any) -> Any:
        """The generated function of this name, at the values and the coefficients of the law."""
        formula, coefficients = self._formula(name)
        return formula(*values, **named, **coefficients)

    def _formula(self, name: str) -> tuple[Any, dict[str, Any]]:
        """The formula of this name, and the coefficients that it takes."""
        formula = getattr(self.form.functions, name, None)
        if formula is None:
            kind = f"{self.form.kind} law in {', '.join(self.form.variables)}"
            raise ArgumentError(name, complaint=f"is not defined for a {kind}")
        return formula, self.needed(*(each for each in formula.names if each in self.numbers))

    def loss(self, *values: Any, **named: Any) -> Any:
        """L at params and tokens, or at the variables of another form, in their order or by name;
        numbers or arrays that broadcast.
        """
        return self.evaluate("loss", *values, **named)

    def reducible_loss(self, *values: Any, **named: Any) -> Any:
        """L - E: what more params and tokens could take off the loss."""
        return self.evaluate("reducible_loss", *values, **named)

    __call__ = loss

    def compute(self, *values: Any, **named: Any) -> Any:
        """Training compute in FLOP, 6 N D under the usual budget; arguments as for `loss`."""
        return self.evaluate("compute", *values, **named)

    # -- the optimum --------------------------------------------------------------------------------

    @property
    def envelope(self) -> LawEnvelope:
        """The compute-optimal envelope: exponent, coefficient, loss and allocation at any compute."""
        return LawEnvelope(self)

    def optimum(self, compute: Any) -> dict[str, Any]:
        """The optimal value of each variable."""
        return {x: self.evaluate(f"optimal_{x}", compute) for x in self.form.variables}

    N_opt = _at_compute("optimal_params", "N*(C), as `envelope.params`.")
    D_opt = _at_compute("optimal_tokens", "D*(C), as `envelope.tokens`.")
    L_opt = _at_compute("optimal_loss", "L*(C), as `envelope.loss`.")

    def allocate(self, compute: Any = None, **given: Any) -> Result:
        """The optimal params and tokens (Hoffmann et al. 2022, arXiv 2203.15556, eq. (4)).

        Parameters
        ----------
        compute, loss, params, tokens : float or array_like
            A budget in FLOP, a target loss beyond E, or the params or the tokens of the optimum.
        max_tokens : float, optional
            A data wall for a budget or a target: where it binds, params take up the budget.
        tokens_per_param : float or array_like, optional
            D/N. Two of params, tokens, compute and tokens_per_param, or one of them with a loss,
            give a run in place of the optimum.
        """
        return allocate(self, {"compute": compute, **given})

    # -- misallocation ------------------------------------------------------------------------------

    def penalty(self, ratio: Any = None, *, size_ratio: Any = None, **run: Any) -> Result:
        """What training off the optimal allocation costs (Schaeffer et al. 2025, arXiv 2509.24012; the
        overhead is Harm de Vries', 2023, Go smol or go home): of a ratio, a size ratio, or a run.

        Parameters
        ----------
        ratio : float or array_like, optional
            Overtraining ratio rho = (D/N)/(D*/N*) at the same compute: above 1 overtrained.
        size_ratio : float or array_like, optional
            r = N/N*(C) at the same compute.
        **run : float or array_like
            Any two of params, tokens, compute, tokens_per_param and loss, except compute with loss;
            of a law of other variables all of these. It is compared with the optimum at its compute.
        """
        return penalty(self, {"ratio": ratio, "size_ratio": size_ratio, **run})

    def tolerance(self, within: float) -> Tolerance:
        """The ratios at which the loss penalty stays at most 1 + within."""
        return tolerance(self, within)

    critical_size_ratio = _figure("critical_size_ratio")
    critical_tokens_ratio = _figure("critical_tokens_ratio")

    # -- h(R) = E + K R^p ---------------------------------------------------------------------------

    def of_sum(self, name: str, /, *values: Any, **named: Any) -> Any:
        """The formula of this name for R itself; in a law E + R, R is the reducible loss."""
        return self.evaluate(self.form.of_sum(name), *values, **named)

    @property
    def is_sum(self) -> bool:
        """Whether the law is E + R, with R a sum of power laws: K = p = 1."""
        return self.form.of_sum("exponent") == "exponent"

    @cached_property
    def _power(self) -> tuple[Any, Any]:
        """K and p of L - E = K R^p."""
        if self.is_sum:
            return 1.0, 1.0
        p = self.evaluate("exponent") / self.of_sum("exponent")
        return self.evaluate("coefficient") / self.of_sum("coefficient") ** p, p

    def sum_for(self, loss: Any) -> Any:
        """The R at which the law has this loss."""
        E = self.E if self.form.derived else self.needed("E")["E"]
        reducible = real_values("loss", loss) - E
        if any_of(reducible <= 0.0):
            raise outside("loss", loss, f"a finite number above the irreducible loss E={E!r}")
        K, p = self._power
        return reducible if self.is_sum else (reducible / K) ** (1.0 / p)

    def excess_of(self, inner: Any) -> Any:
        """P - 1 = (R/R*)^p - 1 from `inner`, R/R* - 1, without cancellation."""
        xp = namespace(inner)
        return inner if self.is_sum else xp.expm1(self._power[1] * xp.log1p(inner))

    def excess_at(self, log_size_ratio: Any) -> Any:
        """P - 1 at log N/N*."""
        return self.excess_of(self.of_sum("excess", log_size_ratio))

    # -- how sure, and shown ------------------------------------------------------------------------

    def estimate(
        self, quantity: Callable[[Law], Any], level: float = LEVEL, *, least: float | None = None
    ) -> Estimate:
        """A number that follows from the law, with the percentiles over its draws as its interval; none
        where the number does not exist for one of them.

        Parameters
        ----------
        quantity : callable
            A function of a law that returns a number, and an array for a law of arrays: it is called
            once with all draws.
        level : float
            Nominal coverage, between 0 and 1.
        least : float, optional
            The least possible value of a cost. Its interval is one-sided where the estimate lies
            below the percentiles.
        """
        from ..results import Estimate

        value = float(quantity(self))
        if self.draws is None:
            return Estimate(value, level=level)
        import numpy as np

        columns = {name: np.asarray(column) for name, column in self.draws.items()}
        try:
            found = quantity(DrawnLaw(self.form, {**self.numbers, **columns}))
            drawn = np.broadcast_to(found, np.shape(next(iter(columns.values()))))
        except ValueError:
            drawn = np.empty(0)
        estimate = Estimate.of_draws(value, drawn, level)
        is_below = least is not None and estimate.low is not None and value < estimate.low
        return Estimate.of_draws(value, drawn, level, least=least) if is_below else estimate

    def tables(self) -> tuple[Table, ...]:
        """The coefficients and what follows from them, with intervals where the law has draws."""
        return (law_table(self),)

    def plot(self, ax: Any = None) -> Figure:
        """Draw the penalty of training off the optimum, in `ax` where it is given."""
        from ..plot.panels import figure_of, plot_penalty

        return figure_of(plot_penalty([self], ax))

    def __repr__(self) -> str:
        shown = [f"{name}={value!r}" for name, value in self.numbers.items() if value is not None]
        head = [] if self.form.derived is None else [self.form.loss]
        return f"Law({', '.join([*head, *shown, f'name={self.name!r}'])})"

    def __str__(self) -> str:
        values = {
            name: name if value is None else f"{value:.6g}" for name, value in self.numbers.items()
        }
        loss = self.form.loss if self.form.derived else self.form.loss.format(**values)
        return f"L = {loss}  ({self.name})"


class DrawnLaw(Law):
    """A law whose coefficients are arrays of draws of one shape. They are not checked, and a figure
    beyond the floats is infinite.
    """

    def __init__(self, form: CompiledForm, numbers: Mapping[str, Any]) -> None:
        others = {"name": "draws", "source": "", "draws": None, "ranges": None}
        for attribute, value in {"form": form, "numbers": numbers, **others}.items():
            object.__setattr__(self, attribute, value)

    def evaluate(self, name: str, /, *values: Any, **named: Any) -> Any:
        """As for a law of numbers, without its checks."""
        import numpy as np

        formula, coefficients = self._formula(name)
        with np.errstate(all="ignore"):
            return formula.body(np, *values, **named, **coefficients)


@dataclass(frozen=True)
class LawEnvelope:
    """The envelope L*(C) = E + C0 C^-alpha of one law: the best loss for every budget. The shares are
    w_N = gamma/(beta + gamma) and w_D = beta/(beta + gamma), the terms' shares of L* - E, and the
    exponents of N*(C) and D*(C).
    """

    law: Law
    evaluate = property(lambda self: self.law.evaluate)
    exponent, coefficient = _figure("exponent"), _figure("coefficient")
    params_share, tokens_share = _figure("params_share"), _figure("tokens_share")
    params = _at_compute("optimal_params", "N*(C).")
    tokens = _at_compute("optimal_tokens", "D*(C).")
    tokens_per_param = _at_compute("optimal_tokens_per_param", "D*(C)/N*(C).")
    loss = _at_compute("optimal_loss", "L*(C).")
    reducible_loss = _at_compute("optimal_reducible_loss", "L*(C) - E = C0 C^-alpha.")
    marginal_loss = _at_compute("marginal_loss", "Shadow price of compute |dL*/dC|, loss per FLOP.")
