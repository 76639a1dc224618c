"""isoflop penalty: what over- or undertraining costs."""

from __future__ import annotations

from ..theory.typeset.escapes import clean, latex_escaped
from ..theory.typeset.numbers import Percent, Shortest
from .arguments import Parser, add, add_list, add_output, add_switch, positive
from .output import DONE, draw, say, tables_text
from .runs import (
    add_run,
    baselines,
    count,
    data_of,
    doubts,
    points,
    tables_of,
    with_warnings,
)
from .selection import add_law, law_line, laws, notation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from ..numeric.law import Law
    from ..numeric.law.allocation import Tolerance
    from ..numeric.law.result import Result
    from ..theory.data.notation import Notation

SUMMARY = "what over- or undertraining costs"
HELP = """\
isoflop penalty --law LAW ... [--ratio RATIO ...]
isoflop penalty --law LAW ... --params N ... --tokens D ...
isoflop penalty --law LAW ... [--within SHARE] [--plot FILE]
isoflop penalty --law beta=BETA gamma=GAMMA [A=A B=B E=E] ...

What training off the compute-optimal allocation costs, against the optimum at the same compute.
Ratios need only the exponents of the law, runs all its coefficients. Any two of params, tokens,
compute and tokens per param give a run, or one of them and its loss.

examples:
  isoflop penalty --law besiroglu2024 --params 8B --tokens 15T
  isoflop penalty --law besiroglu2024 hoffmann2022 --params 405B --compute 3.8e25
  isoflop penalty --law krajewski2025-arc-e --ratio 10 --compute 1e23
  isoflop penalty --law beta=0.34 gamma=0.28 --ratio 10 --within 1% --plot penalty.pdf
"""
#: The ratios of a command that names neither ratios nor runs.
USUAL_RATIOS = (0.1, 0.3, 1.0, 3.0, 10.0)
MEANINGS = (
    "ratio: (D/N)/(D*/N*) at the same compute, above 1 overtrained; size ratio: N/N*",
    "optimal params and tokens: N* and D* at the run's compute",
    "loss penalty: (L - E)/(L* - E), for a law of accuracy (y - E)/(y* - E) with y = -log Q', Q' the "
    "accuracy without guessing; excess: that minus 1",
    "lost compute: 1 - effective compute, the share of the budget that the optimum needs for the "
    "same loss",
    "compute overhead: extra compute that reaches L* at this size; never: no number of tokens does",
)
FOUR, SHARE = Shortest(4), Percent()


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    group = built.add_argument_group("allocation")
    usual = ", ".join(map(FOUR.text, USUAL_RATIOS))
    ratio = "overtraining ratio (D/N)/(D*/N*) at the same compute; above 1 overtrained; default: "
    add_list(group, "--ratio", "RATIO", ratio + usual, positive)
    add_run(group, loss="loss that the run is to reach, in place of its second number")
    within = "the ratios at which the loss penalty exceeds 1 by at most this share, such as 1%"
    add(group, "--within", "SHARE", within, positive)
    add_switch(group, "--explain", "explain the columns")
    add_law(built, several=True)
    add_output(built, "text", "json", "latex", plot="draw the penalty against the ratio")
    return built


def run(args: Namespace) -> tuple[str, int]:
    """The command's output and exit status."""
    from ..numeric.law.allocation import RUN_ARGUMENTS

    chosen, spelling = laws(args, any_form=True), notation(args)
    guessing = baselines(chosen)
    budgets = args.compute if args.ratio and guessing else None
    asked = points(args, ("ratio",) if budgets else ("ratio", *RUN_ARGUMENTS))
    if not asked and args.within is None and args.plot is None:
        asked = [{"ratio": ratio} for ratio in USUAL_RATIOS]
    rows = [law.penalty(**point) for law in chosen for point in asked]
    kept = [] if args.within is None else [(law, law.tolerance(args.within)) for law in chosen]
    accuracies = list(_in_accuracy(rows, guessing, budgets))
    warnings = doubts([row for row in rows if row.is_run])
    draw(args, lambda: _figure(chosen, rows, args.within))
    if args.format == "json":
        data = data_of(rows, chosen)
        intervals = [{"law": law.name, **interval._asdict()} for law, interval in kept]
        data |= {"tolerance": intervals[0] if len(kept) == 1 else intervals} if kept else {}
        return with_warnings(data | ({"accuracy": accuracies} if guessing else {}), warnings), DONE
    if args.format == "latex":
        say("note", *warnings)
        tables = [tables_text(tables_of(rows, {}, spelling)[0], "latex")] if rows else []
        return "\n\n".join([*tables, *(_kept_latex(*pair, spelling) for pair in kept)]), DONE
    parts = ["\n".join(law_line(law, spelling) for law in chosen)]
    parts += [table.text() for tables in tables_of(rows, guessing, spelling) for table in tables]
    parts += [_kept_text(*pair, guessing) for pair in kept]
    parts += _accuracy_texts(accuracies, guessing)
    text = "\n".join(["\n\n".join(parts), *(f"warning: {text}" for text in warnings)])
    if args.explain:
        from textwrap import wrap

        text = "\n".join([text, "", *(line for words in MEANINGS for line in wrap(words, 100))])
    return text, DONE


# -- laws of accuracy ------------------------------------------------------------------------------


def _in_accuracy(
    rows: Sequence[Result], guessing: Mapping[str, float], budgets: Any
) -> Iterator[dict[str, Any]]:
    """What the laws of accuracy lose in accuracy; for a ratio, at each of the budgets."""
    if not guessing:
        return
    from ..numeric.accuracy.planning import AccuracyLaw

    for row in rows:
        if (name := row.law.name) in guessing:
            law = AccuracyLaw(law=row.law, random_baseline=guessing[name])
            cost = law.penalty(**row.given, compute=None if row.is_run else budgets)
            yield from ({"law": name, **record} for record in cost.to_dict("records"))


def _accuracy_texts(rows: Sequence[dict[str, Any]], guessing: Mapping[str, float]) -> Iterator[str]:
    """A table for each law: what is lost in points of accuracy."""
    from ..theory.typeset.table import Column, Table

    def lost(key: str, heading: str) -> Column:
        return Column(key, heading, of=lambda row: 100.0 * row[key], format=Shortest(3))

    for name, baseline in guessing.items():
        costs = [row for row in rows if row["law"] == name]
        if not costs:
            continue
        columns = [Column("ratio", format=FOUR)]
        if "compute" in costs[0]:
            columns += [Column("compute", format=FOUR), Column("accuracy", format=FOUR)]
            columns += [Column("optimal_accuracy", "optimal\naccuracy", format=FOUR)]
            columns += [lost("lost_accuracy", "points\nlost")]
        columns.append(lost("greatest_loss", "most points\nlost at any\ncompute"))
        title = f"{clean(name)} in accuracy, {FOUR.text(baseline)} of which is guessing:"
        yield Table(columns, costs, title).text()


# -- output ----------------------------------------------------------------------------------------


def _kept_text(law: Law, interval: Tolerance, guessing: Mapping[str, float]) -> str:
    """The ratios within the tolerance, in words."""
    reducible = "y* - E" if law.name in guessing else "the reducible loss L* - E"
    low, high, least, most = map(FOUR.text, (*interval.size_ratio, *interval.ratio))
    compute = SHARE.text(law.penalty(size_ratio=interval.size_ratio[1]).lost_compute)
    return (
        f"{clean(law.name)}: excess at most {SHARE.text(interval.within)} of {reducible}, at most "
        f"{compute} of the\n"
        f"  compute lost, for size ratio {low} to {high}, ratio {least} to {most}"
    )


def _kept_latex(law: Law, interval: Tolerance, spelling: Notation) -> str:
    lowest, highest, bound = map(FOUR.finite_latex, (*interval.size_ratio, interval.within))
    ratio = f"{spelling.latex('N')}/{spelling.latex('N_opt')}"
    sizes = rf"$P - 1 \le {bound}$ for ${lowest} \le {ratio} \le {highest}$"
    return f"{latex_escaped(law.name)}: {sizes}."


def _figure(laws: Sequence[Law], rows: Sequence[Result], within: float | None) -> Any:
    from ..numeric.plot.panels import plot_penalty

    by_law = [[row for row in rows if row.law is law] for law in laws]
    names = [f"{count(x.params)}, {count(x.tokens)}" for x in by_law[0] if x.is_run]
    budgets = {row.compute for row in rows if row.is_run}
    best = rows[0].optimal_tokens_per_param if len(laws) == 1 and len(budgets) == 1 else None
    ratios = [[row.ratio for row in costs] for costs in by_law]
    return plot_penalty(
        laws, within=within, points=ratios, names=names, optimal_tokens_per_param=best
    )
