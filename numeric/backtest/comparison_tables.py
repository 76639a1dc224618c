"""The tables of a comparison of laws of accuracy."""

from __future__ import annotations

from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ...theory.typeset.escapes import latex_escaped
from ...theory.typeset.numbers import Format, Interval, Percent, Places, Significant
from ...theory.typeset.table import RULE, WIDTH, Column, Subheading, Table, Words
from ...theory.typeset.table import latex_of as latex_of_words
from ..accuracy.ceiling import BESIDE
from ..accuracy.fitting import simplest_of_least
from ..accuracy.power import CEILING_KINDS
from ..results import Estimate
from .comparison import IN_K

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .comparison import Comparison, Entry, LawMean

__all__ = ["coefficients_of", "latex_of", "tables_of", "text_of"]

ERROR, SHARE_ERROR = Places(4, largest=100.0), Percent(places=2)
TO = Interval(Significant(4), "", " to ", "")
STATES = {"bound": "at its bound", "open": "left open by the runs"}
#: The law of least error, and one whose coefficients the runs leave open.
LEAST, LEAST_OPEN = "*", "(*)"
#: In LaTeX marks take no width, so that columns stand as close as their figures allow.
OPEN, UNFITTED, WEAK = (rf"\rlap{{$^{{{mark}}}$}}" for mark in (r"\dagger", r"\ddagger", r"\ast"))
#: So many laws stand side by side at the size of a table's text.
FEW = 5


def text_of(comparison: Comparison) -> str:
    """What was compared, per benchmark the errors of every law, all benchmarks together, and
    cautions.
    """
    tables = [table.text() for table in tables_of(comparison)]
    cautions = [line for note in _cautions(comparison) for line in _wrapped(note)]
    return "\n\n".join(
        ["\n".join(_head(comparison)), *tables, *(["\n".join(cautions)] if cautions else [])]
    )


def tables_of(comparison: Comparison) -> tuple[Table, ...]:
    """The errors of every law, a table a benchmark; and their means where there are several."""
    tables = [_of_benchmark(comparison, name) for name in comparison.benchmarks]
    means = comparison.means()
    return (*tables, *([_of_all(means)] if means and means[0].n > 1 else []))


def latex_of(comparison: Comparison, caption: str, label: str) -> str:
    """All benchmarks in one table, a column a law; and the coefficients of the laws in k."""
    laws = [law for law in comparison.laws if law != IN_K]
    tables = []
    if laws:
        table = _across(comparison, laws)
        tables.append(table.latex(caption or latex_of_words(table.title), label, _size(laws)))
    if IN_K in comparison.laws:
        tables.append(coefficients_of(comparison, IN_K).latex(_caption_in_k(comparison)))
    return "\n\n".join(tables)


# -- errors ----------------------------------------------------------------------------------------


def _of_benchmark(comparison: Comparison, name: str) -> Table:
    best, entries = comparison.best(name), comparison.of(name)
    columns = [
        Column("law", of=partial(_marked, best=best), align="left"),
        Column("n", "fitted", of=lambda each: len(each.fit.sample)),
        _error("train", "rmse", "RMSE"),
        _error("train", "r2", "R2"),
        Column("n_held_out", "held out", of=lambda each: each.held_out.get("n", 0)),
        _error("held_out", "mae", "MAE"),
    ]
    if comparison.resamples:
        columns.append(Column("most", "at most", of=_most, format=ERROR, missing=""))
    columns.append(_error("held_out", "mre", "MRE", SHARE_ERROR))
    if comparison.resamples:
        share = Percent(places=0)
        columns.append(
            Column(
                "share",
                "best in",
                of=lambda each: comparison.best_share(name, each.law),
                format=share,
            )
        )
    baseline = comparison.baselines[name]
    spread = (
        f" +- {Significant(2).text(baseline.standard_error)}" if baseline.standard_error else ""
    )
    title = f"{name}: accuracy of guessing {Significant(4).text(baseline.value)}{spread} ({baseline.how})"
    return Table(
        columns,
        [each for each in entries if each.fit is not None],
        title,
        list(_notes(comparison, name)),
    )


def _error(part: str, figure: str, heading: str, form: Format = ERROR) -> Column:
    return Column(
        f"{part}_{figure}", heading, of=lambda each: getattr(each, part).get(figure), format=form
    )


def _marked(each: Entry, best: str | None) -> str:
    if each.law != best:
        return each.law
    return f"{each.law} {LEAST_OPEN if each.undetermined else LEAST}"


def _most(each: Entry) -> float | None:
    return each.intervals["mae"][1] if "mae" in each.intervals else None


def _notes(comparison: Comparison, name: str) -> Iterator[str]:
    entries = comparison.of(name)
    yield from (
        f"{each.law}: {text}" for each in entries for text in (each.open, *each.remarks) if text
    )
    yield from (
        f"{each.law} is not compared with the others: {each.weak}" for each in entries if each.weak
    )
    yield from (
        f"{each.law}: {each.crossing.text(comparison.level)}" for each in entries if each.crossing
    )
    yield from (f"note: {note}" for note in comparison.notes.get(name, ()))


def _of_all(means: Sequence[LawMean]) -> Table:
    def column(figure: str, heading: str, scale: float = 1.0) -> Column:
        def of(mean: LawMean) -> str | None:
            value, deviation = mean.mean[figure], mean.deviation[figure]
            if value is None or deviation is None:
                return None
            return (
                f"{Significant(3).text(scale * value)} +- {Significant(2).text(scale * deviation)}"
            )

        return Column(figure, heading, of=of)

    columns = [
        Column("law", align="left"),
        column("mae", "held-out MAE"),
        column("mre", "held-out MRE (%)", 100.0),
    ]
    columns += [column("rmse", "fitted RMSE"), column("r2", "fitted R2")]
    shared = f"the {means[0].n} benchmarks on which each of these laws was judged"
    return Table(columns, means, f"mean +- standard deviation over {shared}")


# -- words around them -----------------------------------------------------------------------------


def _head(comparison: Comparison) -> list[str]:
    held = "no run is held out (--hold-out CONDITION)"
    if comparison.hold_out is not None:
        held = f"held out: {comparison.hold_out}"
    lines = [f"laws of accuracy on {comparison.source}; {held}"]
    if comparison.proxy is not None:
        lines.append(f"proxy of the two-stage laws: {comparison.proxy}")
    at_most = best_in = is_open = ""
    if comparison.resamples:
        at_most = f" (at most: in {_level(comparison)} of {comparison.resamples} resamples)"
        best_in = "; best in: the share of resamples in which the law has the least"
    if any(
        each.undetermined
        for each in comparison.entries
        if each.law == comparison.best(each.benchmark)
    ):
        is_open = f"; {LEAST_OPEN}: the same, of a law that the runs leave open"
    lines.append(
        f"errors are of accuracy: RMSE and R2 on the fitted runs that are judged, MAE{at_most} and "
        f"MRE on the held-out ones; "
        f"*: the least MAE, of laws that print alike the one with the fewest "
        f"coefficients{is_open}{best_in}"
    )
    kinds = {each.law: each.fit.kind for each in comparison.entries if each.fit is not None}
    lines += [f"{law}: {kind.formula}; {kind.fitted_by}" for law, kind in kinds.items()]
    return [part for line in lines for part in _wrapped(line)]


def _cautions(comparison: Comparison) -> Iterator[str]:
    yield from (f"note: {text}" for text in comparison.warnings)
    if comparison.misleading:
        cases = "; ".join(
            f"{name}: {closest} fits closest, {best} predicts best"
            for name, closest, best in comparison.misleading
        )
        judged = sum(comparison.best(name) is not None for name in comparison.benchmarks)
        yield (
            f"warning: on {len(comparison.misleading)} of {judged} benchmarks the law closest to "
            f"the fitted runs does not "
            f"predict the held-out ones best, so closeness is no reason to choose it ({cases})"
        )
    if comparison.interrupted:
        yield "interrupted: what was not reached is left out"


def _level(comparison: Comparison) -> str:
    return f"{100 * comparison.level:.4g} %"


def _wrapped(text: str) -> list[str]:
    return wrap(text, WIDTH, subsequent_indent="  ")


# -- coefficients ----------------------------------------------------------------------------------


def coefficients_of(comparison: Comparison, law: str | None = None) -> Table:
    """Every coefficient with its interval; of one law alone also where the curves of all k cross."""
    rows: list[dict[str, Any]] = []
    notes = []
    for each in comparison.entries:
        if law not in (None, each.law):
            continue
        shared = {"benchmark": each.benchmark, "law": each.law}
        rows += [shared | _coefficient(item) for item in each.coefficients(comparison.level)]
        crossing = each.crossing
        if law is not None and crossing is not None and crossing.compute is not None:
            name = Words("C_x (FLOP)", "$C_x$ (FLOP)")
            estimate = Estimate(crossing.compute, crossing.low, crossing.high)
            state = "" if crossing.is_determined else STATES["open"]
            rows.append(shared | {"name": name, "estimate": estimate, "state": state})
            notes.append(f"{each.benchmark}: {crossing.text(comparison.level)}")
    if comparison.resamples and any(row["law"] in CEILING_KINDS.values() for row in rows):
        notes.append(f"note: {BESIDE}")
    columns = [
        Column("benchmark", align="left"),
        Column("law", align="left"),
        Column("name", "coefficient"),
        Column("estimate", "value", format=Significant(6)),
        Column(
            "estimate", f"{_level(comparison)} interval", show="interval", interval=TO, only="page"
        ),
        Column("state", " ", align="left"),
    ]
    return Table(columns, rows, notes=notes)


def _coefficient(item: Mapping[str, Any]) -> dict[str, Any]:
    """A coefficient; an end at a limit of the search is no end: the refits ask for one beyond."""
    at_limit = tuple(
        end for end, limit in (("low", "lower"), ("high", "upper")) if item[f"{end}_bound"] == limit
    )
    estimate = Estimate(
        item["value"], item["low"], item["high"], at_limit=at_limit, at_most=item["at_most"]
    )
    state = STATES["bound"] if item["bound"] else STATES["open"] if item["open"] else ""
    return {"name": item["name"], "estimate": estimate, "state": state}


# -- all benchmarks beside each other --------------------------------------------------------------


def _across(comparison: Comparison, laws: Sequence[str]) -> Table:
    """RMSE on the fitted runs, MAE and MRE on the held-out ones: a column a law."""
    entries = {(each.benchmark, each.law): each for each in comparison.entries}
    rows: list[Any] = []
    for part, figure, heading in (
        ("train", "rmse", "RMSE on the fitted runs"),
        ("held_out", "mae", "MAE on the held-out runs"),
        ("held_out", "mre", "MRE on the held-out runs (%)"),
    ):
        rows += [RULE, Subheading(Words(heading, rf"\emph{{{latex_escaped(heading)}}}"))]
        for name in comparison.benchmarks:
            best = _best_determined(comparison, name) if figure == "mae" else None
            cells = {
                law: _cell(entries.get((name, law)), part, figure, is_best=law == best)
                for law in laws
            }
            rows.append({"benchmark": name} | cells)
            bounds = (
                {law: _bound(entries.get((name, law))) for law in laws} if figure == "mae" else {}
            )
            if any(bounds.values()):
                rows.append({"benchmark": ""} | bounds)
    columns = [Column("benchmark", " ", align="left")]
    columns += [Column(law, latex=_stacked(law, len(laws) > FEW), missing="") for law in laws]
    return Table(columns, rows, _caption(comparison, laws))


def _caption(comparison: Comparison, laws: Sequence[str]) -> Words:
    held = "none is held out"
    if comparison.hold_out is not None:
        held = rf"held out: \texttt{{{latex_escaped(comparison.hold_out)}}}"
    parts = [
        f"Errors of laws of accuracy on the runs that were fitted and on those that were not "
        f"({held})"
    ]
    entries = [each for each in comparison.entries if each.law in laws]
    if comparison.resamples and any(each.intervals for each in entries):
        level = rf"${100.0 * comparison.level:.4g}\,\%$"
        parts.append(
            rf"below MAE, what it is at most in {level} of ${comparison.resamples}$ resamples"
        )
    marks = {_mark(each) for each in entries}
    parts.append(f"the least MAE in bold{', of laws without a mark' if any(marks) else ''}")
    meanings = {
        OPEN: "the runs leave coefficients open",
        UNFITTED: "no certified minimum",
        WEAK: "the fitted runs tell too little to prefer it",
    }
    parts += [f"{mark[6:-1]}: {meaning}" for mark, meaning in meanings.items() if mark in marks]
    caption = "; ".join(parts) + "."
    return Words(caption, caption)


def _caption_in_k(comparison: Comparison) -> str:
    formulas = dict.fromkeys(
        each.fit.kind.formula
        for each in comparison.entries
        if each.law == IN_K and each.fit is not None
    )
    shown = "".join(rf" \texttt{{{latex_escaped(formula)}}}" for formula in formulas)
    return rf"The law of pass@$k$ in compute and $k$,{shown}. $C_x = e^{{-b/d}}$: where the curves of all $k$ cross."


def _best_determined(comparison: Comparison, benchmark: str) -> str | None:
    """The law with the least MAE of those that the runs determine; of laws that differ by a
    rounding, the shortest.
    """
    known, width = {}, {}
    for each in comparison.of(benchmark):
        error = each.held_out.get("mae")
        if each.fit is not None and each.law != IN_K and error is not None and not _mark(each):
            known[each.law], width[each.law] = error, len(each.fit.kind.coefficients)
    return simplest_of_least(known, width) if known else None


def _cell(each: Entry | None, part: str, figure: str, *, is_best: bool) -> Words | None:
    value = None if each is None else getattr(each, part).get(figure)
    if each is None or value is None:
        return Words("-", "---")
    shown = f"{100.0 * value:.2f}" if figure == "mre" else ERROR.text(value)
    return Words(shown, (rf"\textbf{{{shown}}}" if is_best else shown) + _mark(each))


def _bound(each: Entry | None) -> Words | None:
    most = None if each is None else _most(each)
    return None if most is None else Words(f"<= {most:.4f}", rf"\scriptsize $\leq {most:.4f}$")


def _mark(each: Entry) -> str:
    if each.fit is not None and not each.fit.found.converged:
        return UNFITTED
    return OPEN if each.undetermined else WEAK if each.weak else ""


def _stacked(law: str, is_small: bool) -> str:
    """A name that breaks after its hyphens, and between syllables where it is long, for a narrow
    column.
    """
    lines = law.replace("exponential", "expo-nential").replace("-", r"-\\")
    size = "scriptsize" if is_small else "footnotesize"
    return rf"\{size}\shortstack[r]{{{lines}}}"


def _size(laws: Sequence[str]) -> str:
    return (
        r"\footnotesize\setlength{\tabcolsep}{2pt}"
        if len(laws) > FEW
        else r"\small\setlength{\tabcolsep}{4pt}"
    )
