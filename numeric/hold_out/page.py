"""The screen of a backtest: what was held out, one table, at most three notes."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

from ...theory.typeset.numbers import Percent, Significant
from ...theory.typeset.table import RULE, WIDTH, Column, Table
from ..words import counted
from .task import SUBJECT
from .threshold import MEANINGS, SUCCESS

if TYPE_CHECKING:
    from .result import Backtest

__all__ = ["tables_of", "text_of"]

RESPONSE = {"runs": "the loss", "counts": "-log pass@k", "evaluations": "accuracy"}
NOUN = {"runs": "run", "counts": "model", "evaluations": "run"}
UNITS = {"compute": "FLOP", "params": "params", "tokens": "tokens", "gold": "nats"}
MOST_NOTES = 3
#: With fewer benchmarks than this intervals of T50 are too narrow.
FEW_BENCHMARKS = 10
UNSURE = "few benchmarks: simulated 90 % intervals of five held in 79 %"
SHARE, THREE, FOUR = Percent(places=1), Significant(3), Significant(4)


def tables_of(result: Backtest) -> tuple[Table, ...]:
    """Errors and coverage by law; of a sweep over evaluations the thresholds too."""
    found = [_errors_table(result)]
    if result.what == "evaluations" and result.thresholds:
        found.append(_threshold_table(result))
    return tuple(table for table in found if len(table))


def _errors_table(result: Backtest) -> Table:
    """A row for every law that was fitted, by benchmark or k."""
    ahead = result.errors(by_decades=False).set_index(["subject", "law"]).to_dict("index")
    rows: list[Any] = []
    for subject in result.subjects:
        own = [fold for fold in result.of(subject) if fold.is_final and fold.fit is not None]
        rows += [RULE] if rows and len(result.laws) > 1 else []
        for fold in own:
            row = {"subject": subject, "law": fold.task.law, "n_train": fold.n_train, "n": 0}
            row |= {"rmse": fold.train["rmse"]}
            rows.append(row | {str(k): v for k, v in ahead.get((subject, row["law"]), {}).items()})

    def column(name: str, heading: str, form: Any) -> Column:
        return Column(name, heading, of=lambda row: row.get(name), format=form)

    name = SUBJECT[result.what]
    columns = [Column("subject", name, align="left")] if name else []
    columns += [
        Column("law", align="left"),
        Column("n_train", "fitted"),
        column("rmse", "RMSE", THREE),
        Column("n", "predictions"),
        column("mae", "MAE", THREE),
        column("mean_error", "mean", SHARE),
        column("median_error", "median", SHARE),
        column("median_bias", "signed", SHARE),
    ]
    note = "mean, median: of the relative error; signed: its median with its sign"
    if any(one["n_intervals"] for one in ahead.values()):
        columns.append(column("coverage", "inside", SHARE))
        level = f"{100 * result.level:g} % prediction interval"
        note += f"; inside: share of observations within their {level}"
    title = f"Errors of {RESPONSE[result.what]} on fitted rows (RMSE) and of predictions"
    return Table(columns, rows, title, [note])


def _threshold_table(result: Backtest) -> Table:
    """T50 of every law."""

    def span(low: float | None, high: float | None) -> str | None:
        if low is None or high is None:
            return f"<= {THREE.text(high)}" if high else f">= {THREE.text(low)}" if low else None
        return THREE.text(low) if low == high else f"{THREE.text(low)} to {THREE.text(high)}"

    def interval(row: dict[str, Any]) -> str | None:
        return None if row["without_interval"] else span(row["T50_low"], row["T50_high"])

    found = result.thresholds
    columns = [
        Column("law", align="left"),
        Column("T50", "T50 (FLOP)", of=lambda row: span(*row["bounds"])),
        Column("interval", f"{100 * result.level:g} % interval", of=interval),
        Column("n_success", "successes"),
        Column("n_cells", "of fits"),
    ]
    odd = [row for row in found if row["outcome"] not in (None, "fitted")]
    notes = [f"{row['law']}: {MEANINGS[row['outcome']]}" for row in odd]
    if any(not row["without_interval"] and row["n_benchmarks"] < FEW_BENCHMARKS for row in found):
        notes.append(UNSURE)
    title = (
        f"From how much compute on a law predicts all runs beyond with a mean relative error below "
        f"{100 * SUCCESS:g} %, as a rule"
    )
    return Table(columns, list(found), title, notes)


def _head(result: Backtest) -> str:
    """What was fitted, and to predict what."""
    names = {name for task in result.tasks for name in task.names}
    many = counted(len(names), NOUN[result.what])
    if result.rule.hold_out:
        how = f"held out: {result.rule.hold_out}"
    elif result.rule.hold_out is not None:
        how = "no row is held out (--hold-out, --rolling or --sweep hold some out)"
    else:
        cuts = sorted({one.split.at for one in result.folds if one.split.at is not None}) or [0.0]
        span = f"{THREE.text(cuts[0])} to {THREE.text(cuts[-1])} {UNITS[result.rule.axis]}"
        how = f"{counted(len(cuts), 'cutoff')} in {result.rule.axis}, {span}"
    return f"Backtest of {RESPONSE[result.what]} on {many} of {result.source}\n{how}"


def text_of(result: Backtest) -> str:
    """The whole screen."""
    notes = result.doubts
    rest = len(notes) - MOST_NOTES
    lines = [f"note: {note}" for note in notes[:MOST_NOTES]]
    lines += [f"and {counted(rest, 'note')} more (--format json)"] if rest > 0 else []
    parts = [
        _head(result),
        *(table.text() for table in tables_of(result)),
        "\n".join(fill(line, WIDTH, subsequent_indent="  ") for line in lines),
    ]
    return "\n\n".join(part for part in parts if part)
