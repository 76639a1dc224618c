"""isoflop allocate: params and tokens for a budget or a target loss."""

from __future__ import annotations

from ..theory.typeset.escapes import clean
from ..theory.typeset.numbers import Places, Shortest
from ..theory.typeset.table import Column
from .arguments import Parser, add, add_output, positive
from .output import DONE, say, tables_text
from .runs import (
    add_run,
    baselines,
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
    from typing import Any

SUMMARY = "params and tokens for a budget, or the cheapest way to a loss"
HELP = """\
isoflop allocate --law LAW ... --compute C ... [--max-tokens D]
isoflop allocate --law LAW ... --loss L ... [--max-tokens D]
isoflop allocate --law LAW ... --params N ... | --tokens D ...
isoflop allocate --law LAW ... --params N ... --loss L ...
isoflop allocate --law A=A B=B beta=BETA gamma=GAMMA [E=E] ...

The params and tokens with the lowest loss for a training budget C = 6 N D, or with the least
compute for a target loss; or the optimum that has these params or tokens. A data wall that binds
moves the optimum. Two of params, tokens, compute and tokens per param, or one of them with a loss,
give a run: its loss and its loss penalty are shown.

examples:
  isoflop allocate --law besiroglu2024 --compute 5.76e23
  isoflop allocate --law besiroglu2024 --compute 1e24 1e25 1e26 --max-tokens 10T
  isoflop allocate --law besiroglu2024,hoffmann2022 --loss 2.0 --format json
  isoflop allocate --law besiroglu2024 --params 8B
  isoflop allocate --law besiroglu2024 --params 7B --loss 2.05
  isoflop allocate --law besiroglu2024 --compute 1e24 --tokens-per-param 20
  isoflop allocate --law A=482.01 B=2085.43 beta=0.3478 gamma=0.3658 --compute 1e22
"""


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    group = built.add_argument_group("target")
    add_run(group, loss="target losses, above the irreducible loss of the law")
    add(group, "--max-tokens", "D", "data wall", positive)
    add_law(built, several=True)
    add_output(built, "text", "json", "latex")
    return built


def run(args: Namespace) -> tuple[str, int]:
    """The command's output and exit status."""
    from ..numeric.law.allocation import RUN_ARGUMENTS

    chosen, spelling = laws(args, any_form=True), notation(args)
    targets = points(args, RUN_ARGUMENTS)
    if not targets:
        raise ValueError("--compute is missing: name a budget, or a --loss, --params or --tokens")
    wall = args.max_tokens
    rows = [law.allocate(**target, max_tokens=wall) for law in chosen for target in targets]
    guessing, warnings = baselines(chosen), doubts(rows)

    def accuracy(row: Any) -> float | None:
        """The accuracy Q by a law of -log Q'; None where the law has no E."""
        from ..numeric.data.scale import accuracy

        return row.loss and float(accuracy(row.loss, guessing[row.law.name]))

    if args.format == "json":
        data = data_of(rows, chosen, **({"random_baseline": guessing} if guessing else {}))
        for entry, row in zip(data["rows"], rows, strict=True):
            entry |= {"accuracy": accuracy(row)} if row.law.name in guessing else {}
        first = data["rows"][0] if len(rows) == 1 else {}
        return with_warnings({**first, **data}, warnings), DONE
    of_loss, of_accuracy = tables_of(rows, guessing, spelling)
    if of_accuracy:
        main = of_accuracy[0]
        column = Column("accuracy", latex="$Q$", format=Places(4), of=accuracy)
        of_accuracy[0] = main.changed(columns=[*main.columns, column])
    tables = [*of_loss, *of_accuracy]
    if args.format == "latex":
        say("note", *warnings)
        return tables_text(tables, "latex"), DONE
    lines = [law_line(law, spelling) for law in chosen]
    lines += ["", tables_text(tables, "text")]
    for name, Qr in guessing.items():
        share = Shortest(4).text(Qr)
        lines.append(f"{clean(name)}: Q' = (Q - {share})/(1 - {share}) of the accuracy Q")
    return "\n".join([*lines, *(f"warning: {text}" for text in warnings)]), DONE
