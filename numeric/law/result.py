"""What follows from a law for an allocation or a run, or for arrays of them: figures by name, with
intervals where the law has draws. A figure is declared once; text, LaTeX, JSON and frame follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ...theory.data.notation import DEFAULT
from ...theory.data.notation import notation as find_notation
from ...theory.typeset.numbers import Count, Format, Interval, Percent, Shortest
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import Column, Table
from ..arrays import is_number, larger
from ..errors import outside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from matplotlib.figure import Figure as Drawing

    from ...theory.data.notation import Notation
    from ..results import Estimate
    from .scaling_law import Law

__all__ = ["LEVEL", "WALL", "Result", "result_tables"]

WALL, LEVEL = "max_tokens", 0.9
FOUR, FIVE, SHARE, SIZE = Shortest(4), Shortest(5), Percent(3), Count()
#: The letters in the LaTeX of figures, which depend on the notation.
LETTERS = ("N", "D", "C", "L", "E", "rho", "N_opt", "D_opt")
#: For each kind of table: the figures that it shows, in order, those of them whose interval it shows,
#: and the figures that only JSON and frames have.
VIEWS = {
    "ratios": (
        "ratio size_ratio loss_penalty excess effective_compute lost_compute compute_overhead",
        "loss_penalty lost_compute compute_overhead",
        "tokens_factor",
    ),
    "runs": (
        "params tokens compute optimal_params optimal_tokens ratio loss loss_penalty lost_compute "
        "compute_overhead",
        "ratio loss_penalty lost_compute",
        "size_ratio excess effective_compute tokens_factor tokens_per_param optimal_tokens_per_param "
        "reducible_loss optimal_reducible_loss optimal_loss loss_excess",
    ),
    "allocations": (
        "compute params tokens tokens_per_param loss reducible_loss loss_penalty binding",
        "params tokens tokens_per_param compute loss",
        "",
    ),
}
#: Columns that a table shows only where this holds for some row.
SHOWN_WHERE: dict[str, Callable[[Any], Any]] = {
    "loss": lambda row: row.law.E is not None,
    "loss_penalty": lambda row: row.is_run or row.optimum is None,
    "binding": lambda row: WALL in row.given,
}


@dataclass(eq=False)
class Figure:
    """A figure, an attribute of results: a formula of log N/N*, or a function of a run, None for a
    ratio, which many runs have; its LaTeX in the letters of a notation, its format and, for a cost,
    its least value.
    """

    of: str | Callable[[Any], Any]
    latex: str = ""
    format: Format = FOUR
    least: float | None = None
    is_of_ratio: bool = False  # a function of ratios, too

    def __set_name__(self, owner: object, name: str) -> None:
        self.name = name

    def __get__(self, result: Result | None, owner: object = None) -> Any:
        if result is None:
            return self
        if isinstance(self.of, str):
            known = result.given.get(self.name)
            return result.law.evaluate(self.of, result.log_size_ratio) if known is None else known
        return self.of(result) if self.is_of_ratio or result.variables is not None else None


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Result(Shown):
    """An allocation, and what it costs against the compute-optimal one at the same compute.

    Every figure is a number, or an array of the shape of the arguments, computed when it is read. A
    law of more variables than two has a loss penalty and an excess, but no ratios.

    Attributes
    ----------
    law, given : Law, mapping of str to float or ndarray
        The law, and the arguments by name.
    variables, optimum : mapping of str to float or ndarray, or None
        The values of the law's variables, None for a ratio; and for an allocation their values
        without the wall.
    ratio, size_ratio : float or ndarray
        Overtraining ratio rho = (D/N)/(D*/N*), and N/N*(C).
    loss_penalty, excess : float or ndarray
        P = (L - E)/(L* - E) >= 1, and P - 1 without cancellation.
    effective_compute, lost_compute : float or ndarray
        C_eff/C = P^(-1/alpha), the share of the budget that the envelope needs for the loss; the rest.
    compute_overhead, tokens_factor : float or ndarray
        The extra compute, relative to C, and the D/D*, that reach L*(C) at this model size; infinite
        where no number of tokens does. At 1 + d times the critical size their error is up to
        64 eps/d.
    params, tokens, compute, tokens_per_param, loss, reducible_loss : float, ndarray or None
        The figures of a run; None for a ratio. Losses are at least those of the optimum, below which
        only rounding could bring them.
    optimal_params, optimal_tokens, optimal_tokens_per_param : float, ndarray or None
        N*(C), D*(C) and D*/N* at its compute.
    optimal_loss, optimal_reducible_loss, loss_excess : float, ndarray or None
        L*(C), L*(C) - E and L - L*.
    binding : str or ndarray
        "max_tokens" where the data wall moves an allocation off the optimum, else "none"; "given"
        where two numbers gave it.
    """

    law: Law
    given: Mapping[str, Any]
    variables: Mapping[str, Any] | None = None
    optimum: Mapping[str, Any] | None = None
    spent: Any = None

    @property
    def is_run(self) -> bool:
        """Whether the arguments give a run, rather than a ratio or an optimum."""
        return self.variables is not None and len({*self.given} - {WALL}) > 1

    @property
    def view(self) -> str:
        """The kind of table, in `VIEWS`, that it is a row of."""
        if self.optimum is not None:
            return "allocations"
        is_pair = self.law.form.variables == ("params", "tokens")
        return "runs" if self.is_run and is_pair else "ratios"

    @property
    def names(self) -> tuple[str, ...]:
        """The figures that it has, in their order."""
        variables = self.law.form.variables
        if self.view == "allocations" and variables != ("params", "tokens"):
            return ("compute", "loss", "reducible_loss")
        if self.view == "ratios" and len(variables) != 2:
            return ("loss_penalty", "excess")
        shown, _, more = VIEWS[self.view]
        names = (*shown.split(), *more.split())
        return tuple(x for x in names if x != "loss_penalty" or SHOWN_WHERE[x](self))

    @cached_property
    def log_size_ratio(self) -> Any:
        """log N/N*; None for a law of more variables than two."""
        if "ratio" in self.given:
            return self.law.evaluate("log_size_ratio_at_ratio", self.given["ratio"])
        if "size_ratio" in self.given:
            return self.law.evaluate("log_size_ratio", self.given["size_ratio"])
        if self.variables is None or len(self.variables) != 2:
            return None
        return self.law.evaluate("log_size_ratio_of_run", **self.variables)

    # -- figures against the optimum, and of a run or an allocation ---------------------------------

    def _excess(self) -> Any:
        if self.log_size_ratio is not None:
            return self.law.excess_at(self.log_size_ratio)
        best = self.law.of_sum("optimal_reducible_loss", self.compute)
        R = self.law.of_sum("reducible_loss", **(self.variables or {}))
        return self.law.excess_of(larger(R / best, 1.0) - 1.0)

    def _loss_penalty(self) -> Any:
        if self.log_size_ratio is None or not self.law.is_sum:
            return 1.0 + self.excess
        return larger(self.law.evaluate("penalty", self.log_size_ratio), 1.0)

    def _compute(self) -> Any:
        return self.law.compute(**(self.variables or {})) if self.spent is None else self.spent

    def _reducible_loss(self) -> Any:
        own = self.law.reducible_loss(**(self.variables or {}))
        return larger(own, self.optimal_reducible_loss)

    def _optimal_loss(self) -> Any:
        return None if self.law.E is None else self.law.L_opt(self.compute)

    def _loss(self) -> Any:
        """None where the law has no E."""
        best = self.optimal_loss
        if best is None or "loss" in self.given:
            return self.given.get("loss")
        return larger(self.law.loss(**(self.variables or {})), best)

    def _binding(self) -> Any:
        if self.is_run:
            return "given"
        is_moved = self.tokens < (self.optimum or {})["tokens"]
        if is_number(self.tokens):
            return WALL if is_moved else "none"
        import numpy as np

        return np.where(is_moved, WALL, "none")

    ratio = Figure("ratio_at_log", "{rho}")
    size_ratio = Figure("size_ratio_at_log", "{N}/{N_opt}")
    loss_penalty = Figure(_loss_penalty, "P", FIVE, least=1.0, is_of_ratio=True)
    excess = Figure(_excess, "P - 1", SHARE, least=0.0, is_of_ratio=True)
    effective_compute = Figure("effective_compute", r"{C}_{{\mathrm{{eff}}}}/{C}")
    lost_compute = Figure("lost_compute", r"1 - {C}_{{\mathrm{{eff}}}}/{C}", SHARE, least=0.0)
    compute_overhead = Figure("compute_overhead", r"\Delta {C}/{C}", SHARE, least=0.0)
    tokens_factor = Figure("tokens_factor")
    params = Figure(lambda run: run.variables["params"], "{N}", SIZE)
    tokens = Figure(lambda run: run.variables["tokens"], "{D}", SIZE)
    tokens_per_param = Figure(lambda run: run.tokens / run.params, "{D}/{N}")
    compute = Figure(_compute, "{C}", SIZE)
    optimal_params = Figure(lambda run: run.law.N_opt(run.compute), "{N_opt}", SIZE)
    optimal_tokens = Figure(lambda run: run.law.D_opt(run.compute), "{D_opt}", SIZE)
    optimal_tokens_per_param = Figure(lambda run: run.optimal_tokens / run.optimal_params)
    optimal_reducible_loss = Figure(lambda run: run.law.envelope.reducible_loss(run.compute))
    reducible_loss = Figure(_reducible_loss, "{L} - {E}", FIVE)
    loss_excess = Figure(lambda run: run.optimal_reducible_loss * run.excess, least=0.0)
    optimal_loss = Figure(_optimal_loss)
    loss = Figure(_loss, "{L}", FIVE)
    binding = Figure(_binding)

    # -- how sure, and shown ------------------------------------------------------------------------

    def again(self, law: Law, given: Mapping[str, Any]) -> Any:
        """The same question put to another law, or with other arguments."""
        return (law.penalty if self.optimum is None else law.allocate)(**given)

    def rows(self) -> Iterator[Any]:
        """A result for each entry of arguments that are arrays."""
        import numpy as np

        for values in zip(*map(np.ravel, np.broadcast_arrays(*self.given.values())), strict=True):
            yield self.again(self.law, dict(zip(self.given, map(float, values), strict=True)))

    def estimate(self, figure: str, level: float = LEVEL) -> Estimate:
        """A figure with its interval, the percentiles over the draws of the law.

        The interval of a cost is one-sided where the allocation is nearer to the optimum than it is
        under most draws.

        Raises
        ------
        ValueError
            Where there is no such figure, or the result holds arrays: take one of its `rows`.
        """
        if figure not in self.names or figure == "binding":
            known = ", ".join(name for name in self.names if name != "binding")
            raise outside("figure", figure, f"one of {known}")
        if not all(map(is_number, self.given.values())):
            raise ValueError("estimate: takes one allocation, and this holds arrays; see rows()")

        def quantity(law: Law) -> Any:
            return getattr(self.again(law, self.given), figure)

        return self.law.estimate(quantity, level, least=getattr(type(self), figure).least)

    def intervals(self) -> dict[str, Any]:
        """For JSON: the level and the ends of the interval of each figure under "intervals"; empty
        where the law has no draws.
        """
        if self.law.draws is None:
            return {}
        fixed = {*self.given, *(() if self.variables else ("ratio", "size_ratio"))}
        keys = [x for x in self.names if x not in fixed and isinstance(getattr(self, x), float)]
        ends = {key: self.estimate(key).as_dict(value="") for key in keys}
        return {"intervals": {"level": LEVEL, **ends}}

    def as_dict(self) -> dict[str, Any]:
        """Every figure by name."""
        others = {} if self.optimum is None else self.variables or {}
        return dict(others) | {name: getattr(self, name) for name in self.names}

    def tables(self) -> tuple[Table, ...]:
        """A table with a row an allocation, and one of intervals where the law has draws."""
        return result_tables([*self.rows()])

    def plot(self, ax: Any = None) -> Drawing:
        """Draw the penalty against the ratio, with these ratios or runs marked; for allocations, the
        profiles of the loss at their budgets, with the optima. In `ax` where it is given.
        """
        from ..plot.panels import figure_of, plot_isoflop, plot_penalty

        if self.optimum is not None:
            return figure_of(plot_isoflop(self.law, [float(x.compute) for x in self.rows()], ax))
        points = [[float(cost.ratio) for cost in self.rows()]]
        return figure_of(plot_penalty([self.law], ax, points=points))

    def __repr__(self) -> str:
        return f"Result({', '.join(f'{name}={x!r}' for name, x in self.as_dict().items())})"


def result_tables(
    rows: Sequence[Result],
    headings: Mapping[str, str] | None = None,
    notation: str | Notation = DEFAULT,
) -> tuple[Table, ...]:
    """A table of penalties, or of allocations, of one law or several, a row each; and a table of
    intervals where laws have draws. `headings` are other headings than the names of figures.
    """
    first, headings, spelling = rows[0], headings or {}, find_notation(notation)
    letters = {name: spelling.latex(name) for name in LETTERS}

    def column(key: str, **other: Any) -> Column:
        figure, heading = getattr(Result, key), headings.get(key)
        latex = "" if heading or not figure.latex else f"${figure.latex.format(**letters)}$"
        how = {"format": figure.format, "interval": Interval(figure.format), **other}
        return Column(key, heading or key.replace("_", "\n"), latex, **how)

    shown, estimated, _ = (names.split() for names in VIEWS[first.view])
    shown = [
        key
        for key in shown
        if key in first.names and (key not in SHOWN_WHERE or any(map(SHOWN_WHERE[key], rows)))
    ]
    several = len({row.law.name for row in rows}) > 1
    law = Column("law", align="left", of=lambda row: row.law.name, only="" if several else "data")
    other: dict[str, Any] = {
        "binding": {"align": "left", "of": lambda row: row.binding.replace("_", " ")}
    }
    columns = [column(key, **other.get(key, {})) for key in shown]
    columns += [Column(key, only="data") for key in first.names if key not in shown]
    main = Table([law, *columns], rows)
    if not (drawn := [row for row in rows if row.law.draws is not None]):
        return (main,)
    given = [key for key in first.given if key != WALL]
    estimated = [key for key in estimated if key in first.names and key not in given]
    estimated = [key for key in estimated if getattr(drawn[0], key) is not None]
    entries = [
        {"law": row.law.name, **row.given, **{key: row.estimate(key) for key in estimated}}
        for row in drawn
    ]
    columns = [Column("law", align="left")] if several else []
    columns += [*map(column, given), *(column(key, show="interval") for key in estimated)]
    return main, Table(columns, entries, title=f"{100 * LEVEL:.4g} % intervals:")
