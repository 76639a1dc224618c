"""isoflop laws: the published laws with their coefficients and sources."""

from __future__ import annotations

from ..theory.data.notation import KINDS
from ..theory.data.published import PublishedLaw, names, published
from .arguments import Parser, add_output, several
from .output import DONE, json_text, tables_text
from .selection import add_notation, notation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from typing import Any

    from ..theory.data.notation import Notation
    from ..theory.typeset.table import Table

SUMMARY = "published laws: coefficients, notation, source"
HELP = """\
isoflop laws [NAME ...] [--notation NAME]

Published scaling laws with the digits of their source; with names, all that is known about these.

examples:
  isoflop laws
  isoflop laws besiroglu2024 hoffmann2022
  isoflop laws --format json
  isoflop laws krajewski2025-arc-e --format bibtex
"""
#: The exponents of both kinds in the order of their forms.
EXPONENTS = ("beta", "gamma", "alpha")
FORMS = {"params-tokens": "y = E + A N^-{} + B D^-{}", "compute": "y = E + C0 C^-{}"}
WIDTH = 100


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    full = "laws to describe in full"
    built.add_argument("names", nargs="*", type=several(str), metavar="NAME", help=full)
    add_notation(built)
    add_output(built, "text", "json", "bibtex", "latex")
    return built


def run(args: Namespace) -> tuple[str, int]:
    """The command's output and exit status."""
    spelling = notation(args)
    found = [published(name) for name in (args.names or names())]
    if args.format == "json":
        return json_text({"laws": [_data(law, spelling) for law in found]}), DONE
    if args.format == "bibtex":
        return "\n\n".join({x.key: x.bibtex() for law in found for x in law.sources}.values()), DONE
    if args.format == "latex":
        return tables_text(_tables(found, spelling).values(), "latex"), DONE
    if not args.names:
        return _table(found, spelling), DONE
    return "\n\n".join("\n".join([law.name, *_details(law, spelling)]) for law in found), DONE


def _coefficients(law: PublishedLaw, spelling: Notation) -> dict[str, str | None]:
    """Name in the notation -> exact decimal."""
    return spelling.from_canonical(law.coefficients, kind=law.kind)


def _data(law: PublishedLaw, spelling: Notation) -> dict[str, Any]:
    """A law file with everything else that is known about the law."""
    decimals, known = _coefficients(law, spelling), law.as_dict()
    numbers = {name: digits and float(digits) for name, digits in decimals.items()}
    source = known["notation"]
    given = {"notation": spelling.name, "coefficients": numbers, "decimals": decimals}
    return {**known, **given, "notation_of_source": source}


# -- text ------------------------------------------------------------------------------------------


def _table(found: Sequence[PublishedLaw], spelling: Notation) -> str:
    """A table for each kind of law, and the sources."""
    lines: list[str] = []
    for kind, table in _tables(found, spelling).items():
        bare = any(law.coefficients["E"] is None for law in found if law.kind == kind)
        note = "; - for E: no irreducible term" if bare else ""
        table = table.changed(columns=table.columns[:-1])  # sources stand below
        lines += [f"{kind} laws: {_form(kind, spelling)}{note}", "", table.text(), ""]
    sources = {law.source.key: law.source.citation for law in found}
    return "\n".join([*lines, "sources", *_pairs(list(sources.items()))])


def _tables(found: Sequence[PublishedLaw], spelling: Notation) -> dict[str, Table]:
    """Kind -> table of the laws of that kind."""
    from ..numeric.law.tables import laws

    tables = {}
    for kind in KINDS:
        table = laws(kind, spelling)
        of_name = {row.name: row for row in table.rows}
        if rows := [of_name[law.name] for law in found if law.name in of_name]:
            tables[kind] = table.changed(rows=rows)
    return tables


def _form(kind: str, spelling: Notation) -> str:
    """The law of a kind in the letters of the notation."""
    own = spelling.names(kind)
    return FORMS[kind].format(*(own[name] for name in EXPONENTS if name in own))


def _details(law: PublishedLaw, spelling: Notation) -> list[str]:
    """Lines of all that is known about a law."""
    none = "none: the form has no irreducible term"
    coefficients = _coefficients(law, spelling).items()
    entries = [
        ("what", law.title),
        ("kind", law.kind),
        ("form", _form(law.kind, spelling)),
        *((name, none if digits is None else digits) for name, digits in coefficients),
        ("as printed", ", ".join(f"{name} = {digits}" for name, digits in law.printed.items())),
        ("form there", law.form),
        ("predicts", law.metric if law.unit == "1" else f"{law.metric} ({law.unit})"),
        ("scored by", law.metric_type),
        ("guessing", law.random_baseline),
        ("compute", law.budget),
        ("source", law.source.citation),
        ("where", law.locus),
        ("address", law.source.link),
        ("digits", law.verified),
        ("note", law.note),
    ]
    return _pairs([(name, value) for name, value in entries if value])


def _pairs(entries: Sequence[tuple[str, str]]) -> list[str]:
    """Names and values under each other, long values broken."""
    from textwrap import wrap

    column = max(len(name) for name, _ in entries)
    lines = []
    for name, value in entries:
        first, *rest = wrap(value, WIDTH - column - 4) or [""]
        lines.append(f"  {name.ljust(column)}  {first}".rstrip())
        lines += [" " * (column + 4) + more for more in rest]
    return lines
