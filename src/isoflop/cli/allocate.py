"""isoflop allocate: params and tokens for a budget or a target loss."""

from __future__ import annotations

from ..theory.typeset.escapes import clean
from .arguments import Parser, declare_output, takes
from .asked import (
    OF_A_RUN,
    argument,
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
from .in_accuracy import accuracy_of
from .render import TABLES, json_text, law_line, number, tables_text
from .selection import baselines, declare_law, notation, require
from .selection import laws as selected_laws
from .streams import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..numeric.law import Law
    from ..numeric.law.result import Result
    from .arguments import Options

SUMMARY = "params and tokens for a budget, or the cheapest way to a loss"
HELP = """\
isoflop allocate --law LAW ... --compute C ... [--max-params N] [--max-tokens D]
isoflop allocate --law LAW ... --loss L ... [--max-params N] [--max-tokens D]
isoflop allocate --law LAW ... --params N ... | --tokens D ...
isoflop allocate --law LAW ... --params N ... --loss L ...
isoflop allocate --law A=A B=B beta=BETA gamma=GAMMA [E=E] ...

The params and tokens with the lowest loss for a training budget C = 6 N D, or with the least
compute for a target loss; or the optimum that has these params or tokens. A cap that binds moves
the optimum; where both bind, compute is left. Any two of params, tokens, compute and tokens per
param, or one of them with a loss, give a run: what it reaches, and its loss penalty.

examples:
  isoflop allocate --law besiroglu2024 --compute 5.76e23
  isoflop allocate --law besiroglu2024 --compute 1e24 1e25 1e26 --max-tokens 10T
  isoflop allocate --law besiroglu2024,hoffmann2022 --loss 2.0 --format json
  isoflop allocate --law besiroglu2024 --params 8B
  isoflop allocate --law besiroglu2024 --params 7B --loss 2.05
  isoflop allocate --law besiroglu2024 --compute 1e24 --tokens-per-param 20
  isoflop allocate --law A=482.01 B=2085.43 beta=0.3478 gamma=0.3658 --compute 1e22
"""
FORMATS = ("text", "json", *TABLES)
CAPS = ("--max-params", "--max-tokens")


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    group = built.add_argument_group("target")
    declare_run(group, loss="target losses, above the irreducible loss of the law")
    takes(group, "--max-params", "N", "size cap", positive)
    takes(group, "--max-tokens", "D", "data wall", positive)
    declare_law(built, several=True)
    declare_output(built, *FORMATS)
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status."""
    form, spelling = options["--format"], notation(options)
    laws, given = selected_laws(options, of_own=True), options.given(*OF_A_RUN)
    if len(given) not in (1, 2) or given == ["--tokens-per-param"]:
        domain = f"must be one of {', '.join(OF_A_RUN)}, or two (not --tokens-per-param alone)"
        subject = listed(options, given) if given else "--compute is missing"
        raise UsageError(f"{subject}: {domain}")
    require(laws, given)
    limits = {argument(cap): options[cap] for cap in CAPS}
    caps = tuple((cap, options.spelt(cap)) for cap in options.given(*CAPS))
    targets = [(wanted, (*words, *caps)) for wanted, words in asked(options, given)]
    rows = each(laws, targets, lambda law, wanted: law.allocate(**wanted, **limits))
    known = baselines(laws)
    warnings = doubts(rows)
    if form == "json":
        data = _data(laws, rows, known)
        return json_text(data | ({"warnings": warnings} if warnings else {})), DONE
    if form in TABLES:
        say("note", *warnings)
        return tables_text(tables_of(rows, known, spelling), form), DONE
    lines = [law_line(law, spelling) for law in laws]
    for table in tables_of(rows, known, spelling):
        lines += ["", table.text()]
    lines += [
        f"{clean(name)}: Q' = (Q - {number(Qr)})/(1 - {number(Qr)}) of the accuracy Q"
        for name, Qr in known.items()
    ]
    return "\n".join([*lines, *(f"warning: {text}" for text in warnings)]), DONE


def _data(
    laws: Sequence[Law], rows: Sequence[Result], known: Mapping[str, float]
) -> dict[str, Any]:
    """The rows, with intervals for a law that came from data; of one row its figures as well."""
    from ..numeric.law.tables import intervals_of

    entries = []
    for row in rows:
        accuracy = {"accuracy": accuracy_of(row, known)} if row.law.name in known else {}
        entries.append({"law": row.law.name, **row.as_dict(), **accuracy, **intervals_of(row)})
    baselines = {"random_baseline": dict(known)} if known else {}
    if len(entries) == 1:
        return {**entries[0], **baselines, "rows": entries}
    return {"law": names_of(laws), **baselines, "rows": entries}
