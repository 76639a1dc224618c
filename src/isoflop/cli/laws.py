"""isoflop laws: the published laws with their coefficients and sources."""

from __future__ import annotations

from ..theory.data.notation import KINDS
from ..theory.data.published import PublishedLaw, find, names, published
from ..theory.data.published import unknown as complaint
from .arguments import Parser, add_output, several
from .output import DONE, json_text, shown, tables_text
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

Published scaling laws with the digits of their source. With names: only these, with what they
were verified against and a note. As JSON with everything that is known of them.

examples:
  isoflop laws
  isoflop laws besiroglu2024 hoffmann2022
  isoflop laws --format json
  isoflop laws krajewski2025-arc-e --format bibtex
"""
#: The exponents of both kinds in the order of their forms.
EXPONENTS = ("beta", "gamma", "alpha")
FORMS = {"params-tokens": "y = E + A N^-{} + B D^-{}", "compute": "y = E + C0 C^-{}"}


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    built.add_argument("names", nargs="*", type=several(str), metavar="NAME", help="only these")
    add_notation(built)
    add_output(built, "text", "json", "bibtex", "latex")
    return built


def run(args: Namespace) -> tuple[str, int]:
    """The command's output and exit status."""
    spelling = notation(args)
    if unknown := [name for name in args.names or () if find(name) is None]:
        raise ValueError(f"NAME {shown(unknown[0])}: {complaint(unknown[0])}")
    found = [published(name) for name in (args.names or names())]
    if args.format == "json":
        return json_text({"laws": [_data(law, spelling) for law in found]}), DONE
    if args.format == "bibtex":
        return "\n\n".join({x.key: x.bibtex() for law in found for x in law.sources}.values()), DONE
    tables = _tables(found, spelling)
    if args.format == "latex":
        return tables_text(tables, "latex"), DONE
    sources = [f"{law.source.key}: {law.source.citation}" for law in found]
    tables = [table.changed(columns=table.columns[:-1]) for table in tables]  # sources stand below
    about = [f"{law.name}: {law.verified}. {law.note}" for law in found] if args.names else []
    tables[-1] = tables[-1].changed(notes=[*about, "sources:", *dict.fromkeys(sources)])
    return tables_text(tables, "text"), DONE


def _data(law: PublishedLaw, spelling: Notation) -> dict[str, Any]:
    """A law file with everything else that is known about the law."""
    known, decimals = law.as_dict(), spelling.from_canonical(law.coefficients, kind=law.kind)
    numbers = {name: digits and float(digits) for name, digits in decimals.items()}
    given = {"notation": spelling.name, "coefficients": numbers, "decimals": decimals}
    return {**known, **given, "notation_of_source": known["notation"]}


def _tables(found: Sequence[PublishedLaw], spelling: Notation) -> list[Table]:
    """A table for each kind of law."""
    from ..numeric.law.tables import laws

    tables = []
    for kind in KINDS:
        if rows := [law for law in found if law.kind == kind]:
            letters = spelling.names(kind)
            form = FORMS[kind].format(*(letters[name] for name in EXPONENTS if name in letters))
            bare = any(law.coefficients["E"] is None for law in rows)
            title = f"{kind} laws: {form}{'; - for E: no irreducible term' if bare else ''}"
            tables.append(laws(kind, spelling).changed(rows=rows, title=title))
    return tables
