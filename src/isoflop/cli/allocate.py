"""isoflop allocate: params and tokens for a budget or a target loss."""

from __future__ import annotations

from ..theory.typeset.escapes import clean
from .arguments import Parser, declare_output, takes_one
from .asked import OF_A_RUN, argument, asked, declare_run, doubts, listed
from .errors import DONE, UsageError, blamed
from .render import TABLES, json_text, law_line, number, tables_text
from .run_options import say_notes
from .selection import baselines, declare_law, law_files, notation, require
from .selection import laws as selected_laws

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..numeric.law import Law
    from ..numeric.law.allocation import Allocation
    from ..theory.data.notation import Notation
    from ..theory.typeset.table import Table
    from .arguments import Options
    from .asked import Asked

    Found = Sequence[tuple[Law, list[Allocation]]]

SUMMARY = "params and tokens for a budget, or the cheapest way to a loss"
FORMATS = ("text", "json", *TABLES)
CAPS = ("--max-params", "--max-tokens")
#: What the figures of a law of -log Q' are called.
IN_ACCURACY = {"loss": "-log\nQ'", "reducible_loss": "reducible\n-log\nQ'"}


def parser() -> Parser:
    """The options of this command."""
    built = Parser(
        "isoflop allocate",
        [
            "--law LAW ... --compute C ... [--max-params N] [--max-tokens D]",
            "--law LAW ... --loss L ... [--max-params N] [--max-tokens D]",
            "--law LAW ... --params N ... | --tokens D ...",
            "--law LAW ... --params N ... --loss L ...",
            "--A A --B B --beta BETA --gamma GAMMA [--E E] ...",
        ],
        "The params and tokens with the lowest loss for a training budget C = 6 N D, or with the "
        "least\n"
        "compute for a target loss; or the optimum that has these params or tokens. A cap that "
        "binds\n"
        "moves the optimum; where both bind, compute is left. Any two of params, tokens, compute "
        "and\n"
        "tokens per param, or one of them with a loss, tell a run: what it reaches, and its loss "
        "penalty.",
        [
            "isoflop allocate --law besiroglu2024 --compute 5.76e23",
            "isoflop allocate --law besiroglu2024 --compute 1e24 1e25 1e26 --max-tokens 10T",
            "isoflop allocate --law besiroglu2024,hoffmann2022 --loss 2.0 --format json",
            "isoflop allocate --law besiroglu2024 --params 8B",
            "isoflop allocate --law besiroglu2024 --params 7B --loss 2.05",
            "isoflop allocate --law besiroglu2024 --compute 1e24 --tokens-per-param 20",
            "isoflop allocate --A 482.01 --B 2085.43 --beta 0.3478 --gamma 0.3658 --compute 1e22",
        ],
    )
    group = built.add_argument_group("target")
    declare_run(group, loss="target losses, above the irreducible loss of the law")
    takes_one(group, "--max-params", "N", "size cap")
    takes_one(group, "--max-tokens", "D", "data wall")
    declare_law(built, several=True)
    declare_output(built, *FORMATS)
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status."""
    form = options.chosen("--format", FORMATS)
    laws = selected_laws(options)
    given = options.given(*OF_A_RUN)
    if len(given) not in (1, 2) or given == ["--tokens-per-param"]:
        domain = f"must be one of {', '.join(OF_A_RUN)}, or two (not --tokens-per-param alone)"
        subject = listed(options, given) if given else "--compute is missing"
        raise UsageError(f"{subject}: {domain}")
    for option in given:
        require(laws, ("A", "B", "E") if option == "--loss" else ("A", "B"), option)
    targets = asked(options, given)
    found = [(law, [_allocated(law, target, options) for target in targets]) for law in laws]
    known = baselines(laws)
    warnings = doubts(found, law_files(options))
    if form == "json":
        warned = {"warnings": warnings} if warnings else {}
        return json_text({**_data(found, known), **warned}), DONE
    if form in TABLES:
        say_notes(warnings)
        return tables_text(_tables(found, known, notation(options), aligned=True), form), DONE
    lines = [law_line(law, notation(options)) for law in laws]
    for table in _tables(found, known, notation(options)):
        lines += ["", table.text()]
    lines += [
        f"{clean(name)}: Q' = (Q - {number(Qr)})/(1 - {number(Qr)}) of the accuracy Q"
        for name, Qr in known.items()
    ]
    return "\n".join([*lines, *(f"warning: {text}" for text in warnings)]), DONE


def _allocated(law: Law, target: Asked, options: Options) -> Allocation:
    arguments, given = target
    caps = [(name, str(options.one(name))) for name in options.given(*CAPS)]
    limits = {argument(name): options.positive(name) for name in CAPS}
    try:
        return law.allocate(**arguments, **limits)
    except ValueError as error:
        raise blamed(error, *given, *caps) from None


def _data(found: Found, known: Mapping[str, float]) -> dict[str, Any]:
    from ..numeric.law.tables import intervals_of

    rows = [
        {
            "law": law.name,
            **entry.as_dict(),
            **({"accuracy": _accuracy(entry, known[law.name])} if law.name in known else {}),
            **intervals_of(entry),
        }
        for law, entries in found
        for entry in entries
    ]
    baselines = {"random_baseline": dict(known)} if known else {}
    if len(rows) == 1:
        return {**rows[0], **baselines, "rows": rows}
    names = [law.name for law, _ in found]
    return {"law": names[0] if len(names) == 1 else names, **baselines, "rows": rows}


def _accuracy(entry: Allocation, baseline: float) -> float | None:
    """Q of a law of -log Q'; None where the law has no E."""
    if entry.loss is None:
        return None
    from ..numeric.data.scale import accuracy

    return float(accuracy(entry.loss, baseline))


def _tables(
    found: Found, known: Mapping[str, float], spelling: Notation, *, aligned: bool = False
) -> list[Table]:
    """A table of the laws of loss and one of the laws of accuracy, and one of intervals."""
    from ..numeric.law.tables import allocation_table, intervals_table

    tables = []
    for of_accuracy in (False, True):
        chosen = [(law, rows) for law, rows in found if (law.name in known) == of_accuracy]
        rows = [row for _, of_law in chosen for row in of_law]
        if not rows:
            continue
        names, accuracies = {}, []
        if of_accuracy:
            names = IN_ACCURACY
            accuracies = [
                _accuracy(row, known[law.name]) for law, of_law in chosen for row in of_law
            ]
        tables.append(
            allocation_table(rows, names, spelling, accuracies=accuracies, aligned=aligned)
        )
        tables += intervals_table(rows, names)
    return tables
