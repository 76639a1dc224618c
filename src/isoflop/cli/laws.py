"""isoflop laws: the published laws with their coefficients and sources."""

from __future__ import annotations

from ..theory.data.notation import KINDS
from ..theory.data.published import PublishedLaw, find, names, unknown
from .arguments import POSITIONAL, Parser, declare_output, takes_one
from .errors import DONE, UsageError, shown
from .render import TABLES, WIDTH, json_text, number, pairs, tables_text
from .selection import declare_notation, notation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..theory.data.notation import Notation
    from ..theory.typeset.table import Table
    from .arguments import Options

SUMMARY = "published laws: coefficients, notation, source"
FORMATS = ("text", "json", "bibtex", *TABLES)
FORMS = {"params-tokens": "y = E + A N^-{} + B D^-{}", "compute": "y = E + C0 C^-{}"}
DIGITS = 6


def parser() -> Parser:
    """The options of this command."""
    built = Parser(
        "isoflop laws",
        ["[NAME ...] [--kind KIND] [--notation NAME]"],
        "Published scaling laws with the digits of their source; with names, all that is known "
        "about these.",
        [
            "isoflop laws",
            "isoflop laws besiroglu2024 hoffmann2022",
            "isoflop laws --kind compute --format json",
            "isoflop laws krajewski2025-arc-e --format bibtex",
        ],
    )
    built.add_argument(POSITIONAL, nargs="*", help="laws to describe in full")
    takes_one(built, "--kind", "KIND", f"only these: {', '.join(KINDS)}")
    declare_notation(built)
    declare_output(built, *FORMATS)
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status."""
    form = options.chosen("--format", FORMATS)
    spelling = notation(options)
    kind = options.chosen("--kind", tuple(KINDS)) if "--kind" in options else None
    wanted = options.several(POSITIONAL)
    found = [_named(name) for name in (names() if wanted is None else wanted)]
    if wanted is None:
        found = [law for law in found if kind in (None, law.kind)]
    for law in found:
        if kind not in (None, law.kind):
            raise UsageError(f"--kind {shown(str(kind))}: the law {law.name} is a {law.kind} law")
    if form == "json":
        return json_text({"laws": [_data(law, spelling) for law in found]}), DONE
    if form == "bibtex":
        return _bibtex(found), DONE
    if form in TABLES:
        return tables_text(_page(found, spelling), form), DONE
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


def _bibtex(found: Sequence[PublishedLaw]) -> str:
    sources = {source.key: source for law in found for source in law.sources}
    return "\n\n".join(source.bibtex() for source in sources.values())


# -- text ------------------------------------------------------------------------------------------


def _table(found: Sequence[PublishedLaw], spelling: Notation) -> str:
    lines: list[str] = []
    for kind in KINDS:
        members = [law for law in found if law.kind == kind]
        if members:
            lines += [*_table_of_kind(members, kind, spelling), ""]
    sources = {law.source.key: law.source.citation for law in found}
    return "\n".join([*lines, "sources", *pairs(list(sources.items()))])


def _table_of_kind(members: Sequence[PublishedLaw], kind: str, spelling: Notation) -> list[str]:
    from textwrap import wrap

    columns = list(spelling.names(kind).values())
    figures = [
        [
            law.name,
            *(
                "-" if digits is None else number(float(digits), DIGITS)
                for digits in _coefficients(law, spelling).values()
            ),
        ]
        for law in members
    ]
    headings = ("name", *columns)
    left = WIDTH - max(map(len, _lines(headings, figures))) - 2
    rows = []
    for law, cells in zip(members, figures, strict=True):
        first, *rest = wrap(_what(law), max(left, 20))
        rows.append([*cells, first])
        rows += [[*[""] * len(cells), more] for more in rest]
    exponents = [column for column in columns if column not in ("E", "A", "B", "C0")]
    form = FORMS[kind].format(*exponents)
    bare = "; - for E: no irreducible term" if any(cells[1] == "-" for cells in figures) else ""
    return [
        f"{kind} laws: {form}{bare}",
        "",
        *_lines((*headings, "what"), rows),
    ]


def _page(found: Sequence[PublishedLaw], spelling: Notation) -> list[Table]:
    """A table for each kind of law."""
    from ..theory.typeset.numbers import Shortest
    from ..theory.typeset.table import Column, Table

    form, tables = Shortest(DIGITS), []
    for kind in KINDS:
        names = spelling.names(kind)
        columns = [Column("name", align="left")]
        columns += [
            Column(name, own, f"${spelling.latex(name)}$", format=form)
            for name, own in names.items()
        ]
        columns += [Column("what", align="left"), Column("source", align="left")]
        rows = [
            {"name": law.name, "what": _what(law), "source": law.source.citation}
            | {
                name: None if digits is None else float(digits)
                for name, digits in law.coefficients.items()
            }
            for law in found
            if law.kind == kind
        ]
        tables += [Table(columns, rows)] if rows else []
    return tables


def _lines(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    from ..theory.typeset.table import Column, Table

    columns = [
        Column(heading, align="left" if heading in ("name", "what") else "right")
        for heading in headings
    ]
    return Table(columns, [dict(zip(headings, row, strict=True)) for row in rows]).lines()


def _what(law: PublishedLaw) -> str:
    """Short enough for one column."""
    return law.title if law.label is None else f"{law.label} ({law.metric_type})"


def _details(found: Sequence[PublishedLaw], spelling: Notation) -> str:
    return "\n\n".join("\n".join([law.name, *pairs(_entries(law, spelling))]) for law in found)


def _entries(law: PublishedLaw, spelling: Notation) -> list[tuple[str, str]]:
    exponents = [
        name for name in spelling.names(law.kind).values() if name not in ("E", "A", "B", "C0")
    ]
    entries = [
        ("what", law.title),
        ("kind", law.kind),
        ("form", FORMS[law.kind].format(*exponents)),
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
