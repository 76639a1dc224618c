"""isoflop allocate: params and tokens for a budget or a target loss."""

from __future__ import annotations

from ..theory.typeset.escapes import clean
from .arguments import Parser, declare_output, takes_one, takes_several
from .errors import DONE, UsageError, blamed, typed
from .render import TABLES, count, json_text, law_line, number, tables_text
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

SUMMARY = "params and tokens for a budget, or the cheapest way to a loss"
FORMATS = ("text", "json", *TABLES)
TARGETS = ("--compute", "--loss", "--params", "--tokens")
CAPS = ("--max-params", "--max-tokens", "--tokens-per-param")
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
            "--law LAW ... --compute C ... --tokens-per-param T",
            "--A A --B B --beta BETA --gamma GAMMA [--E E] ...",
        ],
        "The params and tokens with the lowest loss for a training budget C = 6 N D, or with the "
        "least\n"
        "compute for a target loss; or the optimum that has these params or tokens. A cap that "
        "binds\n"
        "moves the optimum; where both bind, compute is left. With tokens per param, what training "
        "at\n"
        "these reaches, and its loss penalty.",
        [
            "isoflop allocate --law besiroglu2024 --compute 5.76e23",
            "isoflop allocate --law besiroglu2024 --compute 1e24 1e25 1e26 --max-tokens 10T",
            "isoflop allocate --law besiroglu2024,hoffmann2022 --loss 2.0 --format json",
            "isoflop allocate --law besiroglu2024 --params 8B",
            "isoflop allocate --law besiroglu2024 --compute 1e24 --tokens-per-param 20",
            "isoflop allocate --A 482.01 --B 2085.43 --beta 0.3478 --gamma 0.3658 --compute 1e22",
        ],
    )
    group = built.add_argument_group("target")
    takes_several(group, "--compute", "C", "training budgets in FLOP")
    takes_several(group, "--loss", "L", "target losses, above the irreducible loss of the law")
    takes_several(group, "--params", "N", "params that are optimal: how many tokens, what budget?")
    takes_several(group, "--tokens", "D", "tokens that are optimal: how many params, what budget?")
    takes_one(group, "--max-params", "N", "size cap")
    takes_one(group, "--max-tokens", "D", "data wall")
    takes_one(group, "--tokens-per-param", "T", "D/N of the run, in place of the optimal one")
    declare_law(built, several=True)
    declare_output(built, *FORMATS)
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status."""
    form = options.chosen("--format", FORMATS)
    laws = selected_laws(options)
    option, targets = _targets(options)
    require(laws, ("A", "B", "E") if option == "--loss" else ("A", "B"), option)
    found = [
        (law, [_allocated(law, option, target, options) for target in targets]) for law in laws
    ]
    known = baselines(laws)
    warnings = _extrapolated(found, law_files(options))
    if form == "json":
        return json_text(
            {**_data(found, known), **({"warnings": warnings} if warnings else {})}
        ), DONE
    if form in TABLES:
        say_notes(warnings)
        return _page(form, found, known, notation(options)), DONE
    return "\n".join(
        [
            _text(found, known, options),
            *(["", *(f"warning: {text}" for text in warnings)] if warnings else []),
        ]
    ), DONE


def _targets(options: Options) -> tuple[str, list[tuple[str, float]]]:
    given = options.given(*TARGETS)
    if len(given) != 1:
        domain = f"must be one of {', '.join(TARGETS)}"
        if not given:
            raise UsageError(f"--compute is missing: {domain}")
        listed = typed(*((option, " ".join(options.several(option) or ())) for option in given))
        raise UsageError(f"{listed}: {domain}")
    return given[0], options.positives(given[0]) or []


def _allocated(law: Law, option: str, target: tuple[str, float], options: Options) -> Allocation:
    text, value = target
    caps = [(name, str(options.one(name))) for name in options.given(*CAPS)]
    limits = {name.lstrip("-").replace("-", "_"): options.positive(name) for name in CAPS}
    try:
        return law.allocate(**{option.lstrip("-"): value}, **limits)
    except ValueError as error:
        raise blamed(error, (option, text), *caps) from None


def _extrapolated(
    found: Sequence[tuple[Law, list[Allocation]]], files: Sequence[str | None]
) -> list[str]:
    """How far what is allocated lies beyond the runs that a law was fitted to, where its file says
    so.
    """
    from ..numeric.law.file import beyond, ranges

    texts = []
    for (law, entries), path in zip(found, files, strict=True):
        known = {} if path is None else ranges(path)
        for entry in entries:
            far = beyond(known, params=entry.params, tokens=entry.tokens, compute=entry.compute)
            texts += (
                [f"{clean(law.name)} at {count(entry.compute)} FLOP is far beyond its runs: {far}"]
                if far
                else []
            )
    return texts


def _data(
    found: Sequence[tuple[Law, list[Allocation]]], known: Mapping[str, float]
) -> dict[str, Any]:
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
    law: Law, entries: Sequence[Allocation], known: Mapping[str, float]
) -> tuple[Table, ...]:
    from ..numeric.law.tables import allocation_tables

    baseline = known.get(law.name)
    accuracies = [] if baseline is None else [_accuracy(entry, baseline) for entry in entries]
    return allocation_tables(entries, {} if baseline is None else IN_ACCURACY, accuracies)


def _page(
    form: str,
    found: Sequence[tuple[Law, list[Allocation]]],
    known: Mapping[str, float],
    spelling: Notation,
) -> str:
    """The allocations of all laws in a table, and intervals."""
    from ..numeric.law.tables import allocation_page

    tables = [_tables(law, entries, known) for law, entries in found]
    named = [(law.name, first) for (law, _), (first, *_) in zip(found, tables, strict=True)]
    intervals = [table for _, *others in tables for table in others]
    return tables_text([allocation_page(named, spelling), *intervals], form)


def _text(
    found: Sequence[tuple[Law, list[Allocation]]], known: Mapping[str, float], options: Options
) -> str:
    lines: list[str] = []
    for law, entries in found:
        lines += [law_line(law, notation(options)), ""]
        for table in _tables(law, entries, known):
            lines += [table.text(), ""]
    normalised = [
        f"{clean(name)}: Q' = (Q - {number(Qr)})/(1 - {number(Qr)}) of the accuracy Q"
        for name, Qr in known.items()
    ]
    return "\n".join([*lines[:-1], *(["", *normalised] if normalised else [])])
