"""isoflop penalty: what over- or undertraining costs."""

from __future__ import annotations

from ..theory.typeset.escapes import clean
from .arguments import Parser, declare_output, takes
from .asked import (
    OF_A_RUN,
    asked,
    declare_run,
    doubts,
    each,
    listed,
    names_of,
    tables_of,
)
from .domains import positive
from .errors import DONE, UsageError
from .in_accuracy import accuracy_texts, in_accuracy
from .render import TABLES, count, draw, json_text, law_line, number, percent, tables_text
from .selection import baselines, declare_law, notation, require
from .selection import laws as selected_laws
from .streams import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..numeric.law import Law
    from ..numeric.law.allocation import Tolerance
    from ..numeric.law.result import Result
    from ..theory.data.notation import Notation
    from .arguments import Options

SUMMARY = "what over- or undertraining costs"
HELP = """\
isoflop penalty --law LAW ... [--ratio RATIO ... | --size-ratio RATIO ...]
isoflop penalty --law LAW ... --params N ... --tokens D ...
isoflop penalty --law LAW ... [--within SHARE] [--plot FILE]
isoflop penalty --law beta=BETA gamma=GAMMA [A=A B=B E=E] ...

What training off the compute-optimal allocation costs, against the optimum at the same compute.
Ratios need the exponents of the law alone; runs need all its coefficients. Any two of params,
tokens, compute and tokens per param give a run, or one of them and its loss.

examples:
  isoflop penalty --law besiroglu2024 --params 8B --tokens 15T
  isoflop penalty --law besiroglu2024 hoffmann2022 --params 405B --compute 3.8e25
  isoflop penalty --law krajewski2025-arc-e --ratio 10 --compute 1e23
  isoflop penalty --law beta=0.34 gamma=0.28 --ratio 10 --within 1% --plot penalty.pdf
"""
FORMATS = ("text", "json", *TABLES)
RATIOS = ("--ratio", "--size-ratio")
#: Where nothing else is asked.
USUAL_RATIOS = (0.1, 0.3, 1.0, 3.0, 10.0)
MEANINGS = (
    "ratio: (D/N)/(D*/N*) at the same compute, above 1 overtrained; size ratio: N/N*",
    "optimal params and tokens: N* and D* at the run's compute",
    "loss penalty: (L - E)/(L* - E), of a law of accuracy (y - E)/(y* - E) with y = -log Q', Q' the "
    "accuracy without guessing; excess: that minus 1",
    "lost compute: 1 - effective compute, the share of the budget that the optimum needs for the "
    "same loss",
    "compute overhead: extra compute that reaches L* at this size; never: no number of tokens does",
)


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    group = built.add_argument_group("allocation")
    usual = ", ".join(map(number, USUAL_RATIOS))
    overtraining = "overtraining ratio (D/N)/(D*/N*) at the same compute; above 1 overtrained"
    takes(group, "--ratio", "RATIO", f"{overtraining}; default: {usual}", positive, "list")
    takes(group, "--size-ratio", "RATIO", "N/N* at the same compute", positive, "list")
    declare_run(group, loss="loss that the run is to reach, in place of its second number")
    within = "the ratios at which the loss penalty exceeds 1 by at most this share, such as 1%"
    takes(group, "--within", "SHARE", within, positive)
    group.add_argument("--explain", action="store_true", help="say what the columns mean")
    declare_law(built, several=True)
    declare_output(built, *FORMATS, plot="draw the penalty against the ratio")
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status."""
    form, spelling = options["--format"], notation(options)
    laws, within = selected_laws(options, of_own=True), options["--within"]
    given = _given(options)
    points = asked(options, given)
    if not points and within is None and "--plot" not in options:
        points = [({"ratio": ratio}, ()) for ratio in USUAL_RATIOS]
    if not options.given(*RATIOS):
        require(laws, given)
    rows = each(laws, points, lambda law, arguments: law.penalty(**arguments))
    asking = (
        [] if within is None else [({"within": within}, (("--within", options.spelt("--within")),))]
    )
    tolerances = each(laws, asking, lambda law, arguments: law.tolerance(**arguments))
    pairs = list(zip(laws, tolerances, strict=False))
    known = baselines(laws)
    accuracies = in_accuracy(options, rows, known, at_ratio=bool(options.given(*RATIOS)))
    warnings = doubts([row for row in rows if row.is_run])
    draw(options, lambda: _figure(laws, rows, within))
    if form == "json":
        data = _data(laws, rows, pairs, accuracies)
        return json_text(data | ({"warnings": warnings} if warnings else {})), DONE
    if form in TABLES:
        say("note", *warnings)
        tables = tables_text(tables_of(rows, {}, spelling), form)
        sentences = [_tolerance_latex(*pair, spelling) for pair in pairs]
        return "\n\n".join([*([tables] if tables else []), *sentences]), DONE
    parts = ["\n".join(law_line(law, spelling) for law in laws)]
    parts += [table.text() for table in tables_of(rows, known, spelling)]
    parts += [_tolerance(*pair, known) for pair in pairs]
    parts += accuracy_texts(accuracies, known)
    text = "\n".join(["\n\n".join(parts), *(f"warning: {text}" for text in warnings)])
    if "--explain" in options:
        from textwrap import wrap

        text = "\n".join([text, "", *(line for words in MEANINGS for line in wrap(words, 100))])
    return text, DONE


def _given(options: Options) -> list[str]:
    """The options of the ratios, or of the runs, that are asked about."""
    ratios, of_run = options.given(*RATIOS), options.given(*OF_A_RUN)
    if len(ratios) > 1 or (ratios and of_run not in ([], ["--compute"])):
        either = "must be --ratio, or --size-ratio, or a run"
        raise UsageError(f"{listed(options, [*ratios, *of_run])}: {either}")
    if not ratios and len(of_run) not in (0, 2):
        two = "two of --params, --tokens, --compute and --tokens-per-param, or one with --loss"
        raise UsageError(f"{listed(options, of_run)}: a run takes {two}")
    return ratios or of_run


# -- output ----------------------------------------------------------------------------------------


def _data(
    laws: Sequence[Law],
    rows: Sequence[Result],
    pairs: Sequence[tuple[Law, Tolerance]],
    accuracies: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    """The rows, with intervals for a law that came from data; what keeps within the tolerance."""
    from ..numeric.law.tables import intervals_of

    data: dict[str, Any] = {
        "law": names_of(laws),
        "rows": [{"law": row.law.name, **row.as_dict(), **intervals_of(row)} for row in rows],
    }
    if pairs:
        intervals = [{"law": law.name, **interval.as_dict()} for law, interval in pairs]
        data["tolerance"] = intervals[0] if len(intervals) == 1 else intervals
    if accuracies:
        data["accuracy"] = accuracies
    return data


def _tolerance(law: Law, interval: Tolerance, known: Mapping[str, float]) -> str:
    reducible = "y* - E" if law.name in known else "the reducible loss L* - E"
    (low, high), (least, most) = (
        map(number, ends) for ends in (interval.size_ratio, interval.ratio)
    )
    compute = percent(law.penalty(size_ratio=interval.size_ratio[1]).lost_compute)
    return (
        f"{clean(law.name)}: excess at most {percent(interval.within)} of {reducible}, at most "
        f"{compute} of the\n"
        f"  compute lost, for size ratio {low} to {high}, ratio {least} to {most}"
    )


def _tolerance_latex(law: Law, interval: Tolerance, spelling: Notation) -> str:
    from ..theory.typeset.escapes import latex_escaped
    from ..theory.typeset.numbers import Shortest

    lowest, highest, bound = map(Shortest(4).finite_latex, (*interval.size_ratio, interval.within))
    ratio = f"{spelling.latex('N')}/{spelling.latex('N_opt')}"
    sizes = rf"$P - 1 \le {bound}$ for ${lowest} \le {ratio} \le {highest}$"
    return f"{latex_escaped(law.name)}: {sizes}."


def _figure(laws: Sequence[Law], rows: Sequence[Result], within: float | None) -> Any:
    from ..numeric.plot.panels import plot_penalty

    of_laws = [[row for row in rows if row.law is law] for law in laws]
    words = [f"{count(x.params)}, {count(x.tokens)}" for x in of_laws[0] if x.is_run]
    budgets = {row.compute for row in rows if row.is_run}
    best = rows[0].optimal_tokens_per_param if len(laws) == 1 and len(budgets) == 1 else None
    points = [[row.ratio for row in own] for own in of_laws]
    return plot_penalty(
        laws, within=within, points=points, names=words, optimal_tokens_per_param=best
    )
