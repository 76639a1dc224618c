"""A law: the params+tokens form with its coefficients, and everything that follows from them as
numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from ...theory.data.notation import Notation
from ...theory.data.notation import notation as find_notation
from ...theory.typeset.shown import Shown
from .. import formulas
from ..arrays import Forms, any_of, is_foreign, is_number, positive_values, real_values
from ..errors import ArgumentError, exponent_number, nonnegative_number, outside, positive_number
from . import allocation
from . import penalty as misallocation
from .run import ShortNames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike
    from typing import Any

    from ...theory.typeset.table import Table
    from ..results import Estimate
    from .allocation import Allocation
    from .penalty import Penalty, Tolerance


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Law(ShortNames, Shown):
    """L = E + A N^-beta + B D^-gamma under the budget C = 6 N D, with numbers for its coefficients.

    Parameters
    ----------
    A, B : float, optional
        Coefficients of the params and the tokens term, > 0, in the unit of the loss. Without them
        only what depends on the two exponents alone is available: the penalty, effective compute,
        overhead.
    beta, gamma : float
        Exponents of params and tokens, > 0 (Hoffmann's alpha and beta: see
        `Law.from_coefficients`).
    E : float, optional
        Irreducible loss, >= 0. Without it losses are None; reducible losses and differences of
        losses are not.
    name, source : str
        For tables and files.
    draws : mapping of str to sequence of float, optional
        Of a law from data: draws of its coefficients by name. What follows from the law has
        intervals then (`Penalty.estimate`, `Allocation.estimate`, `Law.estimate`). They do not
        enter comparisons.

    Raises
    ------
    ValueError
        Where a coefficient is outside its domain.

    Notes
    -----
    Frozen and hashable. Every number comes from a formula that `isoflop.theory` derived and proved.

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

    beta: float
    gamma: float
    A: float | None = None
    B: float | None = None
    E: float | None = None
    name: str = "custom"
    source: str = ""
    draws: Mapping[str, Sequence[float]] | None = None

    def __post_init__(self) -> None:
        domains = {
            "E": nonnegative_number,
            "A": positive_number,
            "B": positive_number,
            "beta": exponent_number,
            "gamma": exponent_number,
        }
        for name, checked in domains.items():
            value = getattr(self, name)
            if value is not None or checked is exponent_number:
                object.__setattr__(self, name, checked(name, value))

    def _compared(self) -> tuple[object, ...]:
        return (*self.numbers.values(), self.name, self.source)

    def __eq__(self, other: object) -> bool:
        return self._compared() == other._compared() if isinstance(other, Law) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._compared())

    # -- construction and conversion -------------------------------------------------------------------------------

    @classmethod
    def from_coefficients(
        cls,
        coefficients: Mapping[str, Any],
        *,
        notation: str | Notation = "schaeffer",
        name: str = "custom",
        source: str = "",
        partial: bool = False,
        draws: Mapping[str, Sequence[float]] | None = None,
    ) -> Law:
        """A law from coefficients in a named notation: `beta, gamma` (schaeffer) or `alpha, beta`
        (hoffmann).

        Raises
        ------
        ValueError
            Where a name is unknown, missing (unless `partial`) or of the other notation, or a value
            is outside its domain.
        """
        spelling = find_notation(notation)
        canonical = spelling.to_canonical(coefficients, partial=partial)
        exponents = {key: spelling.names()[key] for key in ("beta", "gamma")}
        missing = [shown for key, shown in exponents.items() if canonical.get(key) is None]
        if missing:
            raise ValueError(
                f"missing {', '.join(missing)}: a law needs both exponents, "
                f"{' and '.join(exponents.values())}"
            )
        return cls(**canonical, name=name, source=source, draws=draws)

    def coefficients(self, notation: str | Notation = "schaeffer") -> dict[str, float | None]:
        """The coefficients by their names in a notation."""
        return find_notation(notation).from_canonical(self.numbers, partial=True)

    @property
    def numbers(self) -> dict[str, float | None]:
        """The coefficients by their names in the package."""
        return {"E": self.E, "A": self.A, "B": self.B, "beta": self.beta, "gamma": self.gamma}

    def as_dict(self, notation: str | Notation = "schaeffer") -> dict[str, Any]:
        """The law as the plain data of a law file, which names its notation."""
        from .file import to_data

        return to_data(self, notation)

    def to_json(self, notation: str | Notation = "schaeffer") -> str:
        """The text of a law file."""
        from .file import text_of

        return text_of(self.as_dict(notation))

    @classmethod
    def from_json(cls, text: str) -> Law:
        """The law that `to_json` wrote; ValueError where the text is no file of such a law."""
        from .file import from_text

        return cls._of_file(from_text(text), "law")

    def save(self, path: str | PathLike[str], notation: str | Notation = "schaeffer") -> None:
        """Write a law file."""
        from .file import write

        write(self.as_dict(notation), path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Law:
        """Read a law file; ValueError where it is missing or no file of such a law."""
        from .file import read

        return cls._of_file(read(path), f"law file {str(path)!r}")

    @staticmethod
    def _of_file(read: Any, where: str) -> Law:
        if not isinstance(read, Law):
            raise ValueError(f"{where}: is a {type(read).__name__}; a params+tokens law is needed")
        return read

    # -- the law itself --------------------------------------------------------------------------------------------

    def compute(self, params: Any, tokens: Any) -> Any:
        """Training compute C = 6 N D in FLOP; scalars or arrays that broadcast."""
        return formulas.compute(params, tokens)

    def loss(self, params: Any, tokens: Any) -> Any:
        """L = E + A N^-beta + B D^-gamma; scalars or arrays that broadcast."""
        return formulas.loss(params, tokens, **self.needed("E", "A", "B"))

    def reducible_loss(self, params: Any, tokens: Any) -> Any:
        """R = A N^-beta + B D^-gamma; scalars or arrays that broadcast."""
        return formulas.reducible_loss(params, tokens, **self.needed("A", "B"))

    @property
    def exponent(self) -> float:
        """alpha of the envelope."""
        return self.envelope.exponent

    @property
    def envelope(self) -> NumericEnvelope:
        """The compute-optimal envelope: exponent, coefficient, loss and allocation at any compute."""
        return NumericEnvelope(law=self)

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
        the optimum that has given params or tokens; or the run that two of these tell.

        Parameters
        ----------
        compute : float or array_like, optional
            Budget C in FLOP.
        loss, reducible_loss : float or array_like, optional
            Target L > E, or target L - E > 0.
        params, tokens : float or array_like, optional
            Params, or tokens, of the optimum: it is that of the budget at which these are optimal.
        max_params, max_tokens : float, optional
            A size cap and a data wall. Where one binds the other variable takes up the budget;
            where both do, compute is left.
        tokens_per_param : float or array_like, optional
            D/N. Two of params, tokens, compute and tokens_per_param, or one of them with a loss,
            tell a run in place of the optimum: params and loss say how many tokens it takes.

        Returns
        -------
        Allocation
            params, tokens, tokens_per_param, compute, loss, reducible_loss, binding, penalty.

        Raises
        ------
        ValueError
            Where an argument is outside its domain, or the target cannot be reached under the caps.

        Notes
        -----
        Hoffmann et al. 2022 (arXiv 2203.15556), eq. (4), for the interior optimum; the corners
        follow from the convexity of the loss along the budget.
        """
        return allocation.allocate(
            self,
            {
                "compute": compute,
                "loss": loss,
                "reducible_loss": reducible_loss,
                "params": params,
                "tokens": tokens,
                "tokens_per_param": tokens_per_param,
            },
            {"max_params": max_params, "max_tokens": max_tokens},
            allocation.Allocation,
        )

    # -- misallocation ---------------------------------------------------------------------------------------------

    def penalty(
        self,
        ratio: Any = None,
        *,
        size_ratio: Any = None,
        params: Any = None,
        tokens: Any = None,
        compute: Any = None,
        tokens_per_param: Any = None,
        loss: Any = None,
    ) -> Penalty:
        """What training off the optimal allocation costs.

        Parameters
        ----------
        ratio : float or array_like, optional
            Overtraining ratio rho = (D/N)/(D*/N*) at the same compute: above 1 overtrained, below 1
            undertrained.
        size_ratio : float or array_like, optional
            r = N/N*(C) at the same compute.
        params, tokens, compute, tokens_per_param, loss : float or array_like, optional
            A run, compared with the optimum at its own compute: any two of them but compute and
            loss. Give one of ratio, size_ratio, or a run.

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
        return misallocation.penalty(
            self,
            {
                "ratio": ratio,
                "size_ratio": size_ratio,
                "params": params,
                "tokens": tokens,
                "compute": compute,
                "tokens_per_param": tokens_per_param,
                "loss": loss,
            },
        )

    def tolerance(self, within: float) -> Tolerance:
        """The size ratios, and the overtraining ratios, at which the loss penalty stays at most 1 +
        within.
        """
        return misallocation.tolerance(self, within)

    @property
    def critical_size_ratio(self) -> float:
        """The multiple of N*(C) at or below which no number of tokens reaches L*(C)."""
        return float(formulas.critical_size_ratio(self.beta, self.gamma))

    @property
    def critical_tokens_ratio(self) -> float:
        """The multiple of D*(C) at or below which no model size reaches L*(C)."""
        return float(formulas.critical_tokens_ratio(self.beta, self.gamma))

    # -- how sure ----------------------------------------------------------------------------------------------------

    @cached_property
    def drawn(self) -> tuple[Law, ...]:
        """The law with each draw of its coefficients; empty where nothing says how sure they are."""
        if self.draws is None:
            return ()
        rows = zip(*self.draws.values(), strict=True)
        return tuple(
            replace(self, draws=None, **dict(zip(self.draws, row, strict=True))) for row in rows
        )

    def estimate(
        self, quantity: Callable[[Law], float], level: float = 0.9, *, least: float | None = None
    ) -> Estimate:
        """A number that follows from the law, with the percentiles of its draws.

        Parameters
        ----------
        quantity : callable
            Takes a law to a number. There is no interval where it does not exist for one of the draws.
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

        value, drawn = float(quantity(self)), [_or_nan(quantity, law) for law in self.drawn]
        estimate = Estimate.of_draws(value, drawn, level)
        if least is not None and estimate.low is not None and value < estimate.low:
            return Estimate.of_draws(value, drawn, level, least=least)
        return estimate

    # -- plumbing --------------------------------------------------------------------------------------------------

    @property
    def forms(self) -> Forms:
        """The proved formulas at the coefficients of the law."""
        return Forms(formulas, self)

    def inner_sum_for(self, name: str, target: Any) -> Any:
        """R = L - E where the loss, or the reducible loss, is the target."""
        if name == "reducible_loss":
            return positive_values(name, target)
        value, E = real_values(name, target), self.needed("E")["E"]
        if not is_foreign(value) and any_of(not value > E if is_number(value) else ~(value > E)):
            raise outside(name, target, f"a finite number above the irreducible loss E={E!r}")
        return value - E

    def needed(self, *names: str) -> dict[str, float]:
        """The exponents and the named coefficients, or a ValueError that says which is missing."""
        chosen = {name: getattr(self, name) for name in (*names, "beta", "gamma")}
        missing = [name for name, value in chosen.items() if value is None]
        if missing:
            raise ValueError(
                f"{', '.join(missing)}=None: this needs a value; the law {self.name!r} has none"
            )
        return chosen

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{name}={value!r}" for name, value in self.numbers.items() if value is not None
        )
        return f"Law({shown}, name={self.name!r})"

    def __str__(self) -> str:
        def term(coefficient: float | None, letter: str, variable: str, exponent: float) -> str:
            return f"{letter if coefficient is None else format(coefficient, '.6g')} {variable}^-{exponent:.6g}"

        E = "E" if self.E is None else f"{self.E:.6g}"
        return f"L = {E} + {term(self.A, 'A', 'N', self.beta)} + {term(self.B, 'B', 'D', self.gamma)}  ({self.name})"

    def tables(self) -> tuple[Table, ...]:
        """The coefficients and what follows from them."""
        from .tables import law_table

        return (law_table(self),)

    def plot(self, ax: Any = None) -> Any:
        """The penalty of training off the optimum."""
        from ..plot.panels import plot_penalty

        return plot_penalty([self], ax)

    def _repr_latex_(self) -> str:
        E = "E" if self.E is None else f"{self.E:.6g}"
        A, B = (
            ("A" if self.A is None else _latex_number(self.A)),
            ("B" if self.B is None else _latex_number(self.B)),
        )
        return (
            rf"$\displaystyle L = {E} + {A}\,N^{{-{self.beta:.6g}}} + {B}\,D^{{-{self.gamma:.6g}}}$"
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class NumericEnvelope(Shown):
    """L*(C) = E + C0 C^-alpha of one law: the best loss for every budget C = 6 N D.

    Attributes
    ----------
    law : Law
    """

    law: Law

    @property
    def exponent(self) -> float:
        """alpha = beta gamma/(beta + gamma)."""
        return float(formulas.exponent(self.law.beta, self.law.gamma))

    @property
    def coefficient(self) -> float:
        """C0, so that L* - E = C0 C^-alpha with C in FLOP."""
        return float(formulas.coefficient(**self.law.needed("A", "B")))

    @property
    def params_share(self) -> float:
        """w_N = gamma/(beta + gamma): the params term's share of L* - E, and the exponent of N*(C)."""
        return float(formulas.params_share(self.law.beta, self.law.gamma))

    @property
    def tokens_share(self) -> float:
        """w_D = beta/(beta + gamma): the tokens term's share of L* - E, and the exponent of D*(C)."""
        return float(formulas.tokens_share(self.law.beta, self.law.gamma))

    def params(self, compute: Any) -> Any:
        """N*(C)."""
        return formulas.optimal_params(compute, **self.law.needed("A", "B"))

    def tokens(self, compute: Any) -> Any:
        """D*(C)."""
        return formulas.optimal_tokens(compute, **self.law.needed("A", "B"))

    def tokens_per_param(self, compute: Any) -> Any:
        """D*(C)/N*(C)."""
        return formulas.optimal_tokens_per_param(compute, **self.law.needed("A", "B"))

    def reducible_loss(self, compute: Any) -> Any:
        """L*(C) - E = C0 C^-alpha."""
        return formulas.optimal_reducible_loss(compute, **self.law.needed("A", "B"))

    def loss(self, compute: Any) -> Any:
        """L*(C) = E + C0 C^-alpha."""
        return formulas.optimal_loss(compute, **self.law.needed("E", "A", "B"))

    def marginal_loss(self, compute: Any) -> Any:
        """Shadow price of compute -dL*/dC, loss per FLOP."""
        return formulas.marginal_loss(compute, **self.law.needed("A", "B"))

    def tables(self) -> tuple[Table, ...]:
        """Its exponent, its coefficient and the two shares, with intervals where the law came from
        data.
        """
        from .tables import OF_ENVELOPE, law_table

        return (law_table(self.law, names=OF_ENVELOPE).changed(title=f"envelope of {self.law}"),)

    def _repr_latex_(self) -> str:
        missing = None in (self.law.A, self.law.B)
        E = "E" if self.law.E is None else f"{self.law.E:.6g}"
        C0 = "C_0" if missing else _latex_number(self.coefficient)
        return rf"$\displaystyle L^{{*}}(C) = {E} + {C0}\,C^{{-{self.exponent:.6g}}}$"

    def __repr__(self) -> str:
        return f"{self.law!r}.envelope"


def law(name: str | PathLike[str]) -> Any:
    """A published params+tokens law by name, or the law of a file, of whichever form that is.

    Parameters
    ----------
    name : str or path
        As `laws()` lists them, e.g. "besiroglu2024", or "chinchilla"; or a law file, or a saved
        "fit.json".

    Raises
    ------
    ValueError
        Where there is no such law or file, or it is a compute law.

    Examples
    --------
    >>> round(law("besiroglu2024").envelope.tokens_per_param(5.76e23), 1)
    18.4
    """
    from ...theory.data.published import find, unknown

    if not isinstance(name, str) and not hasattr(name, "__fspath__"):
        raise outside("law", name, "a name or the path of a law file")
    entry = find(name)
    if entry is None and (not isinstance(name, str) or "." in name or "/" in name):
        from .file import read

        return read(name)
    if entry is None:
        raise ArgumentError("law", name, complaint=unknown(name))
    if entry.kind != "params-tokens":
        complaint = f"is a {entry.kind} law; a params+tokens law is needed"
        raise ArgumentError("law", name, complaint=complaint)
    values = {
        key: None if digits is None else float(digits) for key, digits in entry.coefficients.items()
    }
    if values["E"] is None:
        values["E"] = 0.0  # the published form has no irreducible term
    return Law(**values, name=entry.name, source=entry.source.citation)  # type: ignore[arg-type]


def laws(kind: str | None = None) -> Table:
    """The published laws as a table: names, coefficients in the package's notation, and sources.

    Parameters
    ----------
    kind : {"params-tokens", "compute"}, optional
        Only these.

    Examples
    --------
    >>> [row["law"] for row in laws("params-tokens").records()][:2]
    ['hoffmann2022', 'hoffmann2022-rounded']
    """
    from ...theory.data.notation import KINDS
    from ...theory.data.published import names, published
    from ...theory.typeset.numbers import Significant
    from ...theory.typeset.table import Column, Table

    if kind not in (None, *KINDS):
        raise outside("kind", kind, f"one of {', '.join(KINDS)}")
    listed = [entry for entry in map(published, names()) if kind in (None, entry.kind)]
    found = {name for entry in listed for name in entry.coefficients}
    coefficients = [
        name for name in ("E", "A", "B", "beta", "gamma", "C0", "alpha") if name in found
    ]
    rows = []
    for entry in listed:
        digits = {name: entry.coefficients.get(name) for name in coefficients}
        values = {name: None if text is None else float(text) for name, text in digits.items()}
        rows.append(
            {
                "law": entry.name,
                "kind": entry.kind,
                "predicts": entry.metric,
                "source": entry.source.key,
            }
            | values
        )
    return Table(
        [
            Column("law", align="left"),
            *(() if kind else (Column("kind", align="left"),)),
            *(Column(name, format=Significant(6)) for name in coefficients),
            Column("predicts", align="left"),
            Column("source", align="left"),
        ],
        rows,
    )


def _latex_number(value: float) -> str:
    mantissa, _, exponent = f"{value:.6g}".partition("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}" if exponent else mantissa


def _or_nan(quantity: Callable[[Law], float], law: Law) -> float:
    try:
        return float(quantity(law))
    except ValueError:  # beyond the floats
        return float("nan")
