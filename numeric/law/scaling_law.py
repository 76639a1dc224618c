"""A law: a form with coefficients, and everything that follows from them as numbers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property

from ...theory.data.notation import Notation
from ...theory.data.notation import notation as find_notation
from ...theory.typeset.shown import Shown
from ..arrays import any_of, is_foreign, is_number, namespace, positive_values, real_values
from ..errors import ArgumentError, exponent_number, nonnegative_number, outside, positive_number
from .allocation import Allocation, allocate
from .form import PARAMS_TOKENS, Form
from .penalty import Penalty, Tolerance, penalty, tolerance
from .tables import OF_ENVELOPE, law_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike
    from typing import Any

    from matplotlib.figure import Figure

    from ...theory.typeset.table import Table
    from ..results import Estimate


def _figure(formula: str, doc: str) -> Any:
    """A number of an envelope."""
    return property(lambda envelope: envelope.law.evaluate(formula), doc=doc)


def _curve(formula: str, doc: str) -> Any:
    """A function of compute."""

    def at(envelope: NumericEnvelope, compute: Any) -> Any:
        return envelope.law.evaluate(formula, compute)

    at.__doc__ = doc
    return at


@dataclass(frozen=True, kw_only=True, repr=False)
class NumericEnvelope(Shown):
    """L*(C) = E + C0 C^-alpha of one law: the best loss for every budget.

    Attributes
    ----------
    law : Law
    exponent, coefficient : float
        alpha, of a params+tokens law beta gamma/(beta + gamma), and C0, with C in FLOP.
    params_share, tokens_share : float
        w_N = gamma/(beta + gamma) and w_D = beta/(beta + gamma): the terms' shares of L* - E, and
        the exponents of N*(C) and D*(C).
    """

    law: Law
    exponent = _figure("exponent", "alpha.")
    coefficient = _figure("coefficient", "C0.")
    params_share = _figure("params_share", "w_N.")
    tokens_share = _figure("tokens_share", "w_D.")
    params = _curve("optimal_params", "N*(C).")
    tokens = _curve("optimal_tokens", "D*(C).")
    tokens_per_param = _curve("optimal_tokens_per_param", "D*(C)/N*(C).")
    reducible_loss = _curve("optimal_reducible_loss", "|L*(C) - E| = C0 C^-alpha.")
    loss = _curve("optimal_loss", "L*(C).")
    marginal_loss = _curve("marginal_loss", "Shadow price of compute |dL*/dC|, loss per FLOP.")

    def tables(self) -> tuple[Table, ...]:
        """Its numbers; intervals where the law came from data."""
        return (law_table(self.law, names=OF_ENVELOPE).changed(title=f"envelope of {self.law}"),)

    def __repr__(self) -> str:
        return f"{self.law!r}.envelope"


@dataclass(frozen=True, init=False, repr=False)
class Law(Shown):
    """A law with numbers for its coefficients; L = E + A N^-beta + B D^-gamma under C = 6 N D unless
    another form is given.

    Parameters
    ----------
    **coefficients : float
        E >= 0, A, B > 0 and the exponents beta, gamma > 0 (Hoffmann's alpha and beta: see
        `Law.from_coefficients`). Without A and B only what depends on the two exponents alone is
        known: the penalty, effective compute, overhead. Without E losses are not, reducible losses
        and differences of losses are. Arrays of draws of one shape make a law of arrays: what
        follows from it has their shape.
    form : Form, optional
        `isoflop.numeric.law.form.COMPUTE` for L = E + C0 C^-alpha; a law of one's own has the
        form that `law_from_expression` derives.
    name, source : str
        For tables and files.
    draws : mapping of str to sequence of float, optional
        Of a law from data: draws of its coefficients by name. What follows from the law has
        intervals then (`Law.estimate`, `Penalty.estimate`, `Allocation.estimate`).
    ranges : mapping of str to (float, float), optional
        Of a law from data: least and greatest params, tokens and compute of its runs.

    Attributes
    ----------
    numbers : dict of str to float or None
        The coefficients by their names in the package.

    Raises
    ------
    ValueError
        Where a coefficient is outside its domain, or is none of the form.

    Notes
    -----
    Frozen and hashable; draws and ranges do not enter comparisons. Every number comes from a formula that
    `isoflop.theory` derived and proved.

    Examples
    --------
    >>> law = Law(E=1.8172, A=482.01, B=2085.43, beta=0.3478, gamma=0.3658)
    >>> round(law.envelope.exponent, 6)
    0.178286
    >>> round(law.penalty(size_ratio=0.5).loss_penalty, 6)
    1.030591
    >>> round(law(7e9, 1.4e11), 4), round(law.L_opt(5.88e21), 4)
    (2.1733, 2.1733)
    """

    form: Form
    numbers: Mapping[str, Any]
    name: str
    source: str
    draws: Mapping[str, Sequence[float]] | None = field(compare=False)
    ranges: Mapping[str, tuple[float, float]] | None = field(compare=False)

    def __init__(
        self,
        *,
        form: Form = PARAMS_TOKENS,
        name: str = "custom",
        source: str = "",
        draws: Mapping[str, Sequence[float]] | None = None,
        ranges: Mapping[str, tuple[float, float]] | None = None,
        **coefficients: Any,
    ) -> None:
        for unknown in coefficients.keys() - form.coefficients:
            complaint = f"is no coefficient of this law, which has {', '.join(form.coefficients)}"
            raise ArgumentError(unknown, complaint=complaint)
        numbers = {key: _checked(form, key, coefficients.get(key)) for key in form.coefficients}
        own = {"form": form, "numbers": numbers, "name": name, "source": source}
        for attribute, value in {**own, "draws": draws, "ranges": ranges}.items():
            object.__setattr__(self, attribute, value)

    def __hash__(self) -> int:
        return hash((self.form, *self.numbers.values(), self.name, self.source))

    @property
    def E(self) -> Any:
        """The irreducible loss, to which the law tends as its variables grow; None where unknown."""
        return self.form.limit(self.numbers)

    A = property(lambda law: law.numbers.get("A"), doc="Coefficient of the params term.")
    B = property(lambda law: law.numbers.get("B"), doc="Coefficient of the tokens term.")
    beta = property(lambda law: law.numbers.get("beta"), doc="Exponent of params.")
    gamma = property(lambda law: law.numbers.get("gamma"), doc="Exponent of tokens.")
    C0 = property(lambda law: law.numbers.get("C0"), doc="Coefficient of a compute law.")
    alpha = property(lambda law: law.numbers.get("alpha"), doc="Exponent of a compute law.")

    # -- coefficients in a notation, and as plain data ----------------------------------------------

    @classmethod
    def from_coefficients(
        cls,
        coefficients: Mapping[str, Any],
        *,
        notation: str | Notation = "schaeffer",
        form: Form = PARAMS_TOKENS,
        **other: Any,
    ) -> Law:
        """A law from coefficients in a named notation: `beta, gamma` (schaeffer) or `alpha, beta`
        (hoffmann); `other`: name, source, draws and ranges.

        Raises
        ------
        ValueError
            Where a name is unknown, missing or of the other notation, or a value is outside its
            domain.
        """
        spelling = find_notation(notation)
        own = spelling.to_canonical(coefficients, kind=form.kind, partial=True)
        names = spelling.names(form.kind)
        missing = [names[name] for name in form.needed if own.get(name) is None]
        if missing:
            both = " and ".join(names[name] for name in form.needed)
            raise ValueError(f"missing {', '.join(missing)}: the law needs {both}")
        return cls(form=form, **other, **own)

    def coefficients(self, notation: str | Notation = "schaeffer") -> dict[str, Any]:
        """The coefficients by their names in a notation; those of a law of one's own by their own."""
        if self.form.derived is not None:
            return dict(self.numbers)
        return find_notation(notation).from_canonical(
            self.numbers, kind=self.form.kind, partial=True
        )

    def as_dict(self, notation: str | Notation = "schaeffer") -> dict[str, Any]:
        """The law as the plain data of a law file, with its draws in the package's notation."""
        derived = self.form.derived
        if derived is None:
            head: dict[str, Any] = {"notation": find_notation(notation).name}
        else:
            head = {
                "expression": str(derived.form.loss),
                "variables": [variable.name for variable in derived.form.variables],
                "budget": str(derived.budget.compute()),
            }
        return {
            "name": self.name,
            **head,
            "coefficients": self.coefficients(notation),
            "source": self.source,
            **({} if self.draws is None else {"draws": {"coefficients": dict(self.draws)}}),
            **({} if self.ranges is None else {"ranges": dict(self.ranges)}),
        }

    def to_json(self, notation: str | Notation = "schaeffer") -> str:
        """The text of a law file."""
        return json.dumps(self.as_dict(notation), indent=2, allow_nan=False) + "\n"

    def save(self, path: str | PathLike[str], notation: str | Notation = "schaeffer") -> None:
        """Write a law file, which `isoflop.law` reads; floats read back unchanged."""
        from .._files import write

        try:
            write(path, self.to_json(notation).encode())
        except OSError as error:
            complaint = f"cannot be written ({error.strerror})"
            raise ArgumentError("path", str(path), complaint=complaint) from None

    # -- the law itself -----------------------------------------------------------------------------

    def needed(self, *names: str) -> dict[str, Any]:
        """The named coefficients; a ValueError where the law lacks one."""
        missing = [name for name in names if self.numbers[name] is None]
        if missing:
            needs = f"this needs a value; the law {self.name!r} has none"
            raise ValueError(f"{', '.join(missing)}=None: {needs}")
        return {name: self.numbers[name] for name in names}

    def evaluate(self, name: str, /, *values: Any, **named: Any) -> Any:
        """Any generated function by name at values and the coefficients of the law.

        Raises
        ------
        ValueError
            Where laws of this form have no such function, this one lacks a coefficient, or a value
            is outside its domain.

        Examples
        --------
        >>> law = Law(A=482.01, B=2085.43, beta=0.3478, gamma=0.3658)
        >>> f"{law.evaluate('marginal_loss', 1e21):.4g}"
        '8.706e-23'
        """
        formula = self.form.function(name)
        own = self.needed(*(each for each in formula.names if each in self.numbers))
        return formula(*values, **named, **own)

    def of_sum(self, name: str, /, *values: Any, **named: Any) -> Any:
        """The same of R in a law h(R); of a law E + R, R is the reducible loss."""
        return self.evaluate(self.form.of_sum(name), *values, **named)

    def loss(self, *values: Any, **named: Any) -> Any:
        """L at params and tokens (of another form: at its variables), in their order or by name;
        numbers or arrays that broadcast.
        """
        return self.evaluate("loss", *values, **named)

    def reducible_loss(self, *values: Any, **named: Any) -> Any:
        """|L - E|: what more params and tokens could take off a loss, or add to an accuracy."""
        return self.evaluate("reducible_loss", *values, **named)

    __call__ = loss

    def compute(self, *values: Any, **named: Any) -> Any:
        """Training compute in FLOP, 6 N D of the usual budget; arguments as of `loss`."""
        return self.evaluate("compute", *values, **named)

    # -- the optimum --------------------------------------------------------------------------------

    @property
    def envelope(self) -> NumericEnvelope:
        """The compute-optimal envelope: exponent, coefficient, loss and allocation at any compute."""
        return NumericEnvelope(law=self)

    def optimum(self, compute: Any) -> dict[str, Any]:
        """The optimal value of each variable."""
        return {x: self.evaluate(f"optimal_{x}", compute) for x in self.form.variables}

    def N_opt(self, compute: Any) -> Any:
        """N*(C), as `envelope.params`."""
        return self.evaluate("optimal_params", compute)

    def D_opt(self, compute: Any) -> Any:
        """D*(C), as `envelope.tokens`."""
        return self.evaluate("optimal_tokens", compute)

    def L_opt(self, compute: Any) -> Any:
        """L*(C), as `envelope.loss`."""
        return self.evaluate("optimal_loss", compute)

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
    ) -> Allocation:
        """The optimal params and tokens for a budget or for a target loss, with optional caps; or
        the optimum that has given params or tokens; or a run by two of these.

        Parameters
        ----------
        compute : float or array_like, optional
            Budget C in FLOP.
        loss, reducible_loss : float or array_like, optional
            Target L beyond E, or target |L - E| > 0.
        params, tokens : float or array_like, optional
            Params, or tokens, of the optimum: it is that of the budget at which these are optimal.
        max_params, max_tokens : float, optional
            A size cap and a data wall. Where one binds the other variable takes up the budget;
            where both do, compute is left.
        tokens_per_param : float or array_like, optional
            D/N. Two of params, tokens, compute and tokens_per_param, or one of them with a loss,
            give a run in place of the optimum: params and loss say how many tokens it takes.

        Returns
        -------
        Allocation
            params, tokens, tokens_per_param, compute, loss, reducible_loss, binding, penalty; of a
            law of other variables, for a compute or a loss, `variables`.

        Raises
        ------
        ValueError
            Where an argument is outside its domain, or the target cannot be reached under the caps.

        Notes
        -----
        Hoffmann et al. 2022 (arXiv 2203.15556), eq. (4), for the interior optimum; the corners
        follow from the convexity of the loss along the budget.
        """
        arguments = {
            "compute": compute,
            "loss": loss,
            "reducible_loss": reducible_loss,
            "params": params,
            "tokens": tokens,
            "tokens_per_param": tokens_per_param,
            "max_params": max_params,
            "max_tokens": max_tokens,
        }
        return allocate(self, arguments)

    # -- misallocation ------------------------------------------------------------------------------

    def penalty(self, ratio: Any = None, *, size_ratio: Any = None, **run: Any) -> Penalty:
        """What training off the optimal allocation costs.

        Parameters
        ----------
        ratio : float or array_like, optional
            Overtraining ratio rho = (D/N)/(D*/N*) at the same compute: above 1 overtrained, below 1
            undertrained.
        size_ratio : float or array_like, optional
            r = N/N*(C) at the same compute.
        **run : float or array_like
            A run, compared with the optimum at its own compute: any two of params, tokens, compute,
            tokens_per_param and loss but compute and loss; of a law of other variables all of these.
            Give one of ratio, size_ratio, or a run.

        Returns
        -------
        Penalty
            loss_penalty P = (L - E)/(L* - E), excess P - 1, effective_compute, lost_compute,
            compute_overhead, tokens_factor.

        Notes
        -----
        Schaeffer et al. 2025 (arXiv 2509.24012); the overhead is Harm de Vries' (2023, Go smol or
        go home).
        """
        return penalty(self, {"ratio": ratio, "size_ratio": size_ratio, **run})

    def tolerance(self, within: float) -> Tolerance:
        """The size ratios, and the overtraining ratios, at which the loss penalty stays at most 1 +
        within.
        """
        return tolerance(self, within)

    critical_size_ratio = property(
        lambda law: law.evaluate("critical_size_ratio"),
        doc="The multiple of N*(C) at or below which no number of tokens reaches L*(C).",
    )
    critical_tokens_ratio = property(
        lambda law: law.evaluate("critical_tokens_ratio"),
        doc="The multiple of D*(C) at or below which no model size reaches L*(C).",
    )

    # -- h(R) ---------------------------------------------------------------------------------------

    @property
    def is_sum(self) -> bool:
        """Whether the law is E + R, R a sum of power laws, rather than another h(R)."""
        return self.form.of_sum("exponent") == "exponent"

    @cached_property
    def _power(self) -> tuple[Any, Any]:
        """K and p of |L - E| = K R^p."""
        p = self.evaluate("exponent") / self.of_sum("exponent")
        return self.evaluate("coefficient") / self.of_sum("coefficient") ** p, p

    def excess_of(self, inner: Any) -> Any:
        """P - 1 = (R/R*)^p - 1 from R/R* - 1, without cancellation."""
        if self.is_sum:
            return inner
        xp = namespace(inner)
        return xp.expm1(self._power[1] * xp.log1p(inner))

    def sum_for(self, name: str, target: Any) -> Any:
        """The R at which the loss, or the reducible loss, is the target."""
        if name == "reducible_loss":
            reducible = positive_values(name, target)
        else:
            value, E = real_values(name, target), self.E
            if E is None:
                self.needed("E")
            reducible = (value - E) * self.form.sign
            if not is_foreign(reducible) and any_of(reducible <= 0.0):
                side = "above" if self.form.sign > 0 else "below"
                raise outside(name, target, f"a finite number {side} the irreducible loss E={E!r}")
        if self.is_sum:
            return reducible
        K, p = self._power
        return (reducible / K) ** (1.0 / p)

    def reducible_of(self, R: Any) -> Any:
        """|L - E| of R."""
        K, p = (1.0, 1.0) if self.is_sum else self._power
        return K * R**p

    # -- how sure, and shown ------------------------------------------------------------------------

    def estimate(
        self, quantity: Callable[[Law], Any], level: float = 0.9, *, least: float | None = None
    ) -> Estimate:
        """A number that follows from the law, with the percentiles of its draws.

        Parameters
        ----------
        quantity : callable
            Takes a law to a number, and a law of arrays to an array: it is called once with all
            draws. There is no interval where it does not exist for one of them.
        level : float
            Nominal coverage, between 0 and 1.
        least : float, optional
            The least possible value of a cost, whose interval is one-sided where the estimate lies
            below the percentiles.

        Examples
        --------
        >>> law = Law(beta=0.35, gamma=0.37)
        >>> print(f"{law.estimate(lambda law: law.envelope.exponent):.4f}")
        0.1799 (no interval)
        """
        from ..results import Estimate

        value = float(quantity(self))
        if self.draws is None:
            return Estimate(value, level=level)
        import numpy as np

        columns = {name: np.asarray(column) for name, column in self.draws.items()}
        try:
            found = quantity(Law(form=self.form, name=self.name, **{**self.numbers, **columns}))
            drawn = np.broadcast_to(found, np.shape(next(iter(columns.values()))))
        except ValueError:  # beyond the floats for one of them
            drawn = np.empty(0)
        estimate = Estimate.of_draws(value, drawn, level)
        if least is not None and estimate.low is not None and value < estimate.low:
            return Estimate.of_draws(value, drawn, level, least=least)
        return estimate

    def tables(self) -> tuple[Table, ...]:
        """The coefficients and what follows from them; intervals where the law came from data."""
        return (law_table(self),)

    def plot(self, ax: Any = None) -> Figure:
        """The figure of the penalty of training off the optimum, of a law of two variables; in `ax`
        where it is given.
        """
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


def _checked(form: Form, name: str, value: Any) -> Any:
    """A coefficient, or an array of draws of it, in its domain."""
    if value is None and name not in form.needed:
        return None
    if not is_number(value) and hasattr(value, "shape") and value.shape:
        return (real_values if name == "E" else positive_values)(name, value)
    if form.derived is None and name in ("alpha", "beta", "gamma"):
        return exponent_number(name, value)
    is_limit = form.derived is None and name == "E"
    return (nonnegative_number if is_limit else positive_number)(name, value)
