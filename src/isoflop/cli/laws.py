"""isoflop laws: the published laws with their coefficients and sources."""

from __future__ import annotations

from ..theory.data.notation import KINDS
from ..theory.data.published import PublishedLaw, find, names, unknown
from .arguments import POSITIONAL, Parser, declare_output
from .errors import DONE, UsageError, shown
from .render import TABLES, json_text, pairs
from .selection import declare_notation, notation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..theory.data.notation import Notation
    from ..theory.typeset.table import Table
    from .arguments import Options

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
FORMATS = ("text", "json", "bibtex", *TABLES)
#: The exponents of both kinds in the order of their forms.
EXPONENTS = ("beta", "gamma", "alpha")
FORMS = {"params-tokens": "y = E + A N^-{} + B D^-{}", "compute": "y = E + C0 C^-{}"}


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    built.add_argument(POSITIONAL, nargs="*", help="laws to describe in full")
    declare_notation(built)
    declare_output(built, *FORMATS)
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status."""
    form = options["--format"]
    spelling = notation(options)
    wanted = options.entries(POSITIONAL) or None
    found = [_named(name) for name in (names() if wanted is None else wanted)]
    if form == "json":
        return json_text({"laws": [_data(law, spelling) for law in found]}), DONE
    if form == "bibtex":
        return "\n\n".join({x.key: x.bibtex() for law in found for x in law.sources}.values()), DONE
    if form in TABLES:
        tables = _tables(found, spelling).values()
        return "\n\n".join(table.latex() for table in tables), DONE
    return (_table(found, spelling) if wanted is None else _details(found, spelling)), DONE


def _named(name: str) -> PublishedLaw:
    law = find(name)
    if law is None:
        raise UsageError(f"{POSITIONAL} {shown(name)}: {unknown(name)}")
    return law


def _coefficients(law: PublishedLaw, spelling: Notation) -> dict[str, str | None]:
    """Name in the notation -> exact decimal."""
    return spelling.from_canonical(law.coefficients, kind=law.kind)


def _data(law: PublishedLaw, spelling: Notation) -> dict[str, Any]:
    """A law file with everything else that is known about the law."""
    decimals = _coefficients(law, spelling)
    known = law.as_dict()
    return {
        **known,
        "notation": spelling.name,
        "coefficients": {
            name: None if digits is None else float(digits) for name, digits in decimals.items()
        },
        "decimals": decimals,
        "notation_of_source": known["notation"],
    }


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
    return "\n".join([*lines, "sources", *pairs(list(sources.items()))])


def _tables(found: Sequence[PublishedLaw], spelling: Notation) -> dict[str, Table]:
    """Kind -> table of the laws of that kind."""
    from ..numeric.law.tables import laws

    tables = {}
    for kind in KINDS:
        table = laws(kind, spelling)
        of_name = {row["law"]: row for row in table.rows}
        if rows := [of_name[law.name] for law in found if law.name in of_name]:
            tables[kind] = table.changed(rows=rows)
    return tables


def _form(kind: str, spelling: Notation) -> str:
    """The law of a kind in the letters of the notation."""
    names = spelling.names(kind)
    return FORMS[kind].format(*(names[name] for name in EXPONENTS if name in names))


def _details(found: Sequence[PublishedLaw], spelling: Notation) -> str:
    return "\n\n".join("\n".join([law.name, *pairs(_entries(law, spelling))]) for law in found)


def _entries(law: PublishedLaw, spelling: Notation) -> list[tuple[str, str]]:
    entries = [
        ("what", law.title),
        ("kind", law.kind),
        ("form", _form(law.kind, spelling)),
        *(
            (name, "none: the form has no irreducible term" if digits is None else digits)
            for name, digits in _coefficients(law, spelling).items()
        ),
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
    return [(name, value) for name, value in entries if value]
