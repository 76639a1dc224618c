"""The table of a fit, its plain data, and its warnings."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import DEFAULT
from ...theory.data.notation import notation as find_notation
from ...theory.typeset.numbers import Interval, Shortest, Significant
from ...theory.typeset.table import RULE, Column, Table, Words
from ..data.columns import BUDGET, LETTERS
from ..data.rows import lost_rows
from ..errors import ArgumentError, positive_number
from ..law.file import beyond
from ..results import DEFAULT_LEVEL, Estimate
from ..words import counted
from .resample import FEW_GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

    from ...theory.data.notation import Notation
    from .fit import Fit

    Points = dict[str, tuple[float, ...]]

#: The numbers that follow from a law, by its form: the argument that each is at ("" for none), its
#: name and symbol, and a function of the law and the argument.
DERIVED: dict[str, tuple[tuple[str, str, str, Callable[..., Any]], ...]] = {
    "params-tokens": (
        ("", "alpha", "alpha", lambda law: law.envelope.exponent),
        ("", "C0", "C0", lambda law: law.envelope.coefficient),
        ("", "params_share", "w_N", lambda law: law.envelope.params_share),
        ("", "tokens_share", "w_D", lambda law: law.envelope.tokens_share),
        ("compute", "N_star", "N*", lambda law, C: law.N_opt(C)),
        ("compute", "D_star", "D*", lambda law, C: law.D_opt(C)),
        ("compute", "tokens_per_param", "D*/N*", lambda law, C: law.envelope.tokens_per_param(C)),
        ("compute", "L_star", "L*", lambda law, C: law.L_opt(C)),
        ("compute", "R_star", "R*", lambda law, C: law.envelope.reducible_loss(C)),
        ("ratio", "penalty", "P", lambda law, rho: law.penalty(rho).loss_penalty),
    ),
    "compute": (("compute", "loss", "L", lambda law, C: law.loss(C)),),
}
#: Words of the text for symbols of LaTeX.
LABELS = {"w_N": "exponent of N*(C)", "w_D": "exponent of D*(C)", "P": "penalty"}
KEYS, DIGITS = ("value", "lo", "hi", "se"), Shortest(6)
#: The most warnings that are printed; JSON has them all.
MOST_WARNINGS = 3
#: Root mean square of the log residuals: in the public sets of runs of one kind (eleven isoFLOP
#: studies, Hoffmann et al. among them) it is 0.3 to 2.7 %, pooled sets have 3 to 70 %.
LARGEST_SCATTER = 0.05
#: A range within this factor is narrow.
NARROWEST_RANGE = 2.0


def table(
    fit: Fit,
    notation: str | Notation = DEFAULT,
    *,
    compute: ArrayLike | None = None,
    ratio: ArrayLike | None = None,
) -> Table:
    """The coefficients of a fit and, where it is sound, what follows from its law, with intervals: the
    optimum (for a compute law, the loss) at each compute in FLOP, and the penalty at each
    overtraining ratio. The frame has a row for each number, NaN for what is undetermined.
    """
    spelling, solution = find_notation(notation), fit.solution
    at = points(fit, compute=compute, ratio=ratio)
    rows: list[Any] = []
    for name, value in fit.estimates().items():
        is_fixed = name in solution.model.fixed
        is_held = name in solution.at_bound and name not in fit.undetermined
        row = {"name": name, "kind": "coefficient", "label": Words(name, _latex(name, spelling))}
        row["note"] = "fixed" if is_fixed else "at bound" if is_held else ""
        rows.append({**row, "value": Estimate(value.value) if is_fixed else value})
    follows = list(_derived(fit, at, spelling)) if fit.is_sound else []
    ends = Interval(Significant(5), "{} to {}")
    columns = [
        Column("label", " ", align="left", only="page"),
        Column("name", only="data"),
        Column("kind", only="data"),
        Column("value", format=Significant(6), keys=KEYS),
        Column("value", "std. error", show="error", format=Significant(3), only="page"),
        Column(
            "value",
            f"{100 * DEFAULT_LEVEL:.4g} % interval",
            show="interval",
            interval=ends,
            only="page",
        ),
        Column("note", " ", align="left"),
    ]
    doubts = warnings_of(fit, at["compute"])
    notes = [*_notes(fit), *(f"warning: {text}" for text in doubts[:MOST_WARNINGS])]
    if (more := len(doubts) - MOST_WARNINGS) > 0:
        notes.append(f"{counted(more, 'warning')} more in the plain data (--format json)")
    return Table(columns, [*rows, *([RULE] if follows else []), *follows], _status(fit), notes)


def points(fit: Fit, **given: ArrayLike | None) -> Points:
    """The computes and the overtraining ratios at which numbers of the law are wanted, checked."""
    at, model = dict[str, tuple[float, ...]](), fit.solution.model
    for what, values in given.items():
        each: list[Any] = [] if values is None else np.ravel(values).tolist()
        at[what] = tuple(dict.fromkeys(positive_number(what, x) for x in each))
        if each and not any(what == place for place, *_ in DERIVED.get(model.name, ())):
            complaint = f"nothing that follows from {model} is at a {what}"
            raise ArgumentError(what, each[0], complaint=complaint)
    return at


def _derived(fit: Fit, at: Points, spelling: Notation) -> Iterator[dict[str, Any]]:
    """Rows for the numbers that follow from the law of a fit; undetermined where they overflow."""
    derived = DERIVED.get(fit.solution.model.name, ())
    places = [("", ()), *((what, (x,)) for what, values in at.items() for x in values)]
    for what, given in places:
        place = "".join(map(DIGITS.text, given))
        where = {"": "", "compute": f" at {place} FLOP", "ratio": f" at ratio {place}"}[what]
        for name, symbol, function in (row[1:] for row in derived if row[0] == what):
            try:
                value = fit.law.estimate(lambda law, f=function, x=given: f(law, *x))
            except ValueError:
                value = Estimate(nan, undetermined=True)
            key = f"{name}@{place}" if len(at.get(what, ())) > 1 else name
            label = Words(LABELS.get(symbol, symbol) + where, _latex(symbol, spelling, *given))
            yield {"name": key, "kind": "derived", "note": "", "label": label, "value": value}


def _status(fit: Fit) -> str:
    """A sentence on the law, the runs, the objective and the optimum."""
    runs, left, guessing = fit.runs, ", ".join(fit.undetermined), fit.runs.random_baseline
    ended = f"reached, but these runs do NOT DETERMINE {left}" if left else "reached"
    ended = ended if fit.converged else "NOT REACHED: the best point is no certified minimum"
    share = f"(Q - {guessing:g})/(1 - {guessing:g})" if guessing else "Q"
    meaning = f", L = -log {share} of accuracy Q" if runs.metric == "accuracy" else ""
    fitted = f"L = {fit.solution.model} fitted to {len(runs)} runs of {runs.source}{meaning}"
    value = Significant(10).text(fit.objective_value)
    return f"{fitted} by {fit.solution.objective}: objective {value}; optimum {ended}"


def _notes(fit: Fit) -> Iterator[str]:
    """Notes on unusual columns and rejected rows, the residuals, and the source of the intervals."""
    runs, columns, solution, draws = fit.runs, read(fit), fit.solution, fit.draws
    lost = lost_rows(runs.left_out, runs.dropped)
    is_unusual = solution.model.is_expression or any(x != column for x, column in columns.items())
    if is_unusual:
        spelling = ", ".join(f"{name} {column!r}" for name, column in columns.items() if column)
        spelling += "".join(f"; {x} from C = 6ND" for x, column in columns.items() if not column)
        lost = "; ".join(filter(None, [f"columns {spelling}", lost]))
    if lost:
        yield lost
    if fit.is_sound:
        worst, digits = int(np.argmax(np.abs(fit.residuals))), Significant(3).text
        size, largest = np.sqrt(np.mean(fit.residuals**2)), float(fit.residuals[worst])
        yield (
            f"{'log ' * solution.objective.in_logs}residuals {digits(float(size))} (root mean "
            f"square), the largest {digits(largest)} (row {runs.row[worst]})"
        )
    if draws is not None:
        groups = "groups of " * (runs.group is not None)
        yield f"intervals of {draws.done} resamples of {groups}runs, seed {draws.seed}"
    elif fit.drawn is None:
        yield f"no intervals: {fit.drawn_or_why}"
    else:
        how = "HC3" if runs.group is None else "CR3, by group"
        yield f"intervals of 1,000 draws of the covariance ({how}) by Student's t"


def as_dict(fit: Fit, name: str = "", **options: Any) -> dict[str, Any]:
    """The plain data of a law file; None for what is undetermined or overflows. The options are those
    of `table`.
    """
    model, runs, value = fit.solution.model, fit.runs, float(fit.objective_value)
    at = points(fit, compute=options.get("compute"), ratio=options.get("ratio"))
    numbers: dict[str, dict[str, Any]] = {"coefficient": {}, "derived": {}}
    for row in table(fit, **options).records():
        numbers[row["kind"]][row["name"]] = {key: row[key] for key in KEYS}
    objective = {**fit.solution.objective.as_dict(), "value": value if isfinite(value) else None}
    return {
        "law": str(model),
        "model": model.name,
        "metric": runs.metric,
        "random_baseline": runs.random_baseline,
        "columns": read(fit),
        "notation": DEFAULT.name,
        "name": name or "fit",
        "source": source(fit),
        "objective": objective,
        "coefficients": numbers["coefficient"],
        "at": {x: v[0] if len(v) == 1 else list(v) for x, v in at.items() if v},
        "derived": numbers["derived"],
        "converged": bool(fit.converged),
        "ranges": {name: list(ends) for name, ends in run_ranges(runs).items()},
        "n_runs": len(runs),
        "n_rows": int(runs.n_rows),
        "left_out": int(runs.left_out),
        "dropped": [{"row": int(one.row), "reason": one.reason} for one in runs.dropped],
        "at_bound": list(fit.solution.at_bound),
        "fixed": sorted(model.fixed),
        "undetermined": list(fit.undetermined),
        "open_directions": list(fit.open_directions),
        "interval": {"level": DEFAULT_LEVEL, **intervals(fit)},
        "warnings": warnings_of(fit, at["compute"]),
    }


def file_text(fit: Fit, path: Any, **options: Any) -> str:
    """The plain data with the draws, where the fit is a result."""
    data, draws = as_dict(fit, Path(path).stem, **options), fit.drawn
    if fit.is_sound and draws is not None:
        columns = np.char.mod("%.7g", draws.coefficients.T).astype(float).tolist()
        held = dict(zip(fit.names, columns, strict=True))
        data["draws"] = {"kind": draws.kind, "coefficients": held}
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def source(fit: Fit) -> str:
    """A phrase on the law, its runs and the objective."""
    runs = f"{len(fit.runs)} runs of {fit.runs.source}"
    return f"{fit.solution.model} fitted to {runs} by {fit.solution.objective.name}"


def read(fit: Fit) -> dict[str, str | None]:
    """The column of each quantity that was read; None for what follows from two others by C = 6ND.

    Quantities of an expression have its names.
    """
    runs = fit.runs
    quantity = {name: LETTERS.get(name, name) for name in fit.solution.model.variables}
    found: dict[str, str | None] = {
        name: None if column == runs.derived else runs.columns.get(column, name)
        for name, column in quantity.items()
    }
    others = [x for x in BUDGET if None in found.values() and x not in quantity.values()]
    others += ["loss", "accuracy", "group"]
    return found | {name: runs.columns[name] for name in others if name in runs.columns}


def run_ranges(runs: object) -> dict[str, tuple[float, float]]:
    """The least and the greatest of each of params, tokens and compute that the runs have."""
    held = {name: getattr(runs, name) for name in BUDGET}
    return {
        name: (float(values.min()), float(values.max()))
        for name, values in held.items()
        if values is not None
    }


def intervals(fit: Fit) -> dict[str, Any]:
    """The kind of the intervals, "bootstrap", "sandwich" or "none", with its options or the reason."""
    draws = fit.draws
    if draws is None:
        return {"kind": "sandwich"} if fit.drawn else {"kind": "none", "reason": fit.drawn_or_why}
    data = {"resample": draws.kind, "repeats": draws.done, "requested": draws.requested}
    more = {"failed": draws.failed, "seed": draws.seed, "interrupted": draws.interrupted}
    return {"kind": "bootstrap", **data, **more}


def warnings_of(fit: Fit, computes: tuple[float, ...] = ()) -> list[str]:
    """The warnings of a fit and of the numbers derived at computes: on reading the runs, the optimum,
    the runs, and the intervals.
    """
    runs, solution, draws, ranges = fit.runs, fit.solution, fit.draws, run_ranges(fit.runs)
    variables = [LETTERS.get(name, name) for name in solution.model.variables]
    given, kept = "compute is taken as given", "the law reads params and tokens, not compute"
    shown = [x if "compute" in variables else x.replace(given, kept) for x in runs.warnings]
    moves = "; ".join(
        ", ".join(f"{name} {change:+.2g}" for name, change in direction.items())
        for direction in fit.open_directions
    )
    noticed = f"; no run notices these changes, in shares of each: {moves}" if moves else ""
    with np.errstate(all="ignore"):
        scatter = float(np.sqrt(np.mean(np.log(solution.fitted / solution.observed) ** 2)))
    is_scattered = fit.converged and runs.metric == "loss" and scatter > LARGEST_SCATTER
    groups = FEW_GROUPS if runs.group is None else len({*runs.group.tolist()})
    checks = {
        "no point was certified as a minimum: these numbers are no result": not fit.converged,
        f"the runs leave {', '.join(fit.undetermined)} undetermined{noticed}": fit.undetermined,
        "E = 0 is the least it can be: these runs do not tell it from 0": fit.is_at_zero,
        f"the losses scatter about the law by {100.0 * scatter:.3g} % (root mean square), runs of one "
        "kind by 3 % and less: fit one kind with --where, or another law": is_scattered,
    }
    for name in variables:
        low, high = ranges.get(name, (1.0, 1.0))
        span = f"{high / low:.3g} alone ({low:.4g} to {high:.4g})"
        text = f"{name} spans a factor of {span}: what is fitted along it holds there"
        checks[text] = low < high < NARROWEST_RANGE * low
    for compute in computes:
        far = beyond(ranges, compute=compute)
        text = f"what is derived at {DIGITS.text(compute)} FLOP is far beyond the runs: {far}"
        checks[text] = far
    few = f"{counted(groups, 'group')}: with fewer than {FEW_GROUPS}, intervals by group are rough"
    checks[few] = groups < FEW_GROUPS and fit.drawn
    if draws is not None:
        done = f"{draws.done} of {counted(draws.requested, 'resample')}"
        left = f"{draws.failed} of {counted(draws.done, 'refit')}"
        checks |= {
            f"bootstrap: interrupted after {done}; the intervals are of these": draws.interrupted,
            f"bootstrap: {left} reached no certified minimum; the intervals are of the others": (
                draws.failed
            ),
        }
    return [*dict.fromkeys(shown), *(text for text, holds in checks.items() if holds)]


def _latex(symbol: str, spelling: Notation, *at: float) -> str:
    r"""The LaTeX of a symbol; optima and penalties as functions, `N^*(10^{22})`."""
    from sympy import Symbol, latex

    from ...theory.typeset.printer import optimum_latex, symbol_latex

    letters = [
        optimum_latex(x.removesuffix("*"), spelling)
        if x.endswith("*")
        else symbol_latex(x, spelling) or latex(Symbol(x))
        for x in symbol.split("/")
    ]
    return f"${'/'.join(letters)}{''.join(f'({DIGITS.finite_latex(x)})' for x in at)}$"
