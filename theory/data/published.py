r"""Published scaling laws: coefficients as the exact decimals of their source.

Two kinds of law:

* ``params-tokens``: ``y = E + A N^-beta + B D^-gamma``;
* ``compute``: ``y = E + C0 C^-alpha``.

``y`` is a loss in nats per token, or the negative logarithm of a normalised accuracy; it is the
reducible part where ``E`` is None, since the form has no irreducible term. All names are canonical
(:mod:`isoflop.theory.data.notation`); ``printed`` keeps the names and digits of the source. No value
is a float: convert the strings where the numbers are needed. The laws stand in laws.toml.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, fields
from types import SimpleNamespace

from . import text_of
from .bibliography import WORKS, Work
from .notation import close_matches, notation, roles_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

__all__ = [
    "KRAJEWSKI_RUNS",
    "LAWS",
    "PublishedLaw",
    "compute_counterparts",
    "names",
    "published",
]

#: Common names of laws that do not name the paper.
ALIASES = {"chinchilla": "hoffmann2022", "chinchilla-replication": "besiroglu2024"}


@dataclass(frozen=True, repr=False)
class PublishedLaw:
    """A law with the coefficients that its source gives: the entries of laws.toml, whose head explains
    them, with the `coefficients` under their canonical names, E None where the form has no
    irreducible term, and as `sources` first that of the coefficients, then that of the runs.
    """

    name: str
    title: str
    family: str
    label: str | None
    kind: str
    form: str
    notation: str
    metric: str
    unit: str
    metric_type: str | None
    random_baseline: str | None
    budget: str
    locus: str
    verified: str
    note: str
    coefficients: Mapping[str, str | None] = field(hash=False)
    printed: Mapping[str, str] = field(hash=False)
    sources: tuple[Work, ...]

    def __repr__(self) -> str:
        return f"published({self.name!r})"

    @property
    def predicts(self) -> str:
        """The quantity that the law predicts: a benchmark with its score, or the loss."""
        return self.metric if self.label is None else f"{self.label} ({self.metric_type})"

    @property
    def source(self) -> Work:
        """The source of the coefficients."""
        return self.sources[0]

    def as_dict(self) -> dict[str, Any]:
        """Everything in plain types, ready for JSON."""
        data = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        del data["sources"]
        mappings = {"coefficients": dict(self.coefficients), "printed": dict(self.printed)}
        return data | mappings | {"source": self.source.citation, "url": self.source.link}


def published(name: str) -> PublishedLaw:
    """Look a published law up by name, or by an alias: chinchilla, chinchilla-replication.

    Raises
    ------
    ValueError
        If there is no law of that name.

    Examples
    --------
    >>> published("besiroglu2024").coefficients["gamma"]
    '0.3658'
    >>> published("chinchilla").name
    'hoffmann2022'
    """
    law = find(name)
    if law is None:
        raise ValueError(f"law={name!r}: {unknown(name)}")
    return law


def find(name: object) -> PublishedLaw | None:
    """The published law of a name or alias; None if there is none."""
    return LAWS.get(ALIASES.get(name.lower(), name)) if isinstance(name, str) else None


def unknown(name: object) -> str:
    """The complaint about a name that no published law has, with similar names as a hint."""
    word = str(name).lower()
    labelled = [law.name for law in LAWS.values() if law.label and law.label.lower() == word]
    hint = f" (did you mean {' or '.join(labelled)}?)" if labelled else close_matches(name, LAWS)
    return f"is no published law{hint}; `isoflop laws` lists them"


def names(kind: str | None = None) -> tuple[str, ...]:
    """Names of the published laws, all or of one kind ("params-tokens" or "compute").

    Raises
    ------
    ValueError
        If there is no such kind.
    """
    roles_of(kind)
    return tuple(law.name for law in LAWS.values() if kind in (None, law.kind))


# -- Krajewski et al. 2025 -------------------------------------------------------------------------


#: The runs behind Tables 11 and 12 of Krajewski et al. that lie near D/N = 20 (Tables 7 to 9), and
#: the budgets of its test of extrapolation (Section 4.1), in FLOP. The ratio is nominal: with
#: N = C/(6D), the 56 rows near 20 have D/N from 17.8 to 22.6. Appendix H says that Tables 10 to 13
#: are fitted to all runs, not only to those between fit_lo and fit_hi.
KRAJEWSKI_RUNS = SimpleNamespace(
    tokens_per_param="20", compute_lo="1.00e18", compute_hi="3.77e22", fit_lo="3e18", fit_hi="6e21"
)


def compute_counterparts() -> tuple[tuple[PublishedLaw, PublishedLaw], ...]:
    """Each law of Krajewski et al. Table 12 with the compute law of Table 11 for the same benchmark,
    in the order of Table 12.
    """
    laws = [law for law in LAWS.values() if law.family == "krajewski2025"]
    partners = {law.label: law for law in LAWS.values() if law.family == "krajewski2025-compute"}
    return tuple((law, partners[law.label]) for law in laws)


# -- laws.toml -------------------------------------------------------------------------------------


def _laws_of(family: str, entries: dict[str, Any]) -> Iterator[PublishedLaw]:
    """The laws of a family, from tables by name or from the rows of one table; they share the other
    entries.
    """
    shared = {name: entry for name, entry in entries.items() if name not in ("laws", "rows")}
    for name, entry in entries.get("laws", {}).items():
        yield _law(name, family, shared | entry, entry["coefficients"])
    for row in entries.get("rows", ()):
        cells = dict(zip(entries["columns"], row, strict=True))
        paper, _, suffix = family.partition("-")
        name = f"{paper}-{cells['label'].lower()}{suffix and '-'}{suffix}"
        printed = {x: cells[x] for x in ("A", "alpha", "B", "beta") if x in cells}
        decoded = {"alpha": cells["exponent"], "C0": cells["C0"]} if "C0" in cells else printed
        yield _law(name, family, {"printed": printed} | shared | cells, decoded)


def _law(name: str, family: str, entry: dict[str, Any], digits: dict[str, str]) -> PublishedLaw:
    letters = notation(entry["notation"]).names(entry["kind"])
    keys = ("label", "metric_type", "random_baseline")
    found: dict[str, Any] = {key: entry.get(key) for key in keys}
    found |= {key: entry[key] for key in ("kind", "form", "notation", "metric", "unit", "note")}
    found |= {key: entry[key].format(**found) for key in ("title", "locus")}
    return PublishedLaw(
        name=name,
        family=family,
        **found,
        budget="6*N*D",
        verified=f"verified against {entry['verified']}" if "verified" in entry else "unverified",
        coefficients={canonical: digits.get(name) for canonical, name in letters.items()},
        printed=entry.get("printed", digits),
        sources=tuple(WORKS[key] for key in entry["sources"]),
    )


#: Every published law by name.
LAWS = {
    law.name: law
    for family, entries in tomllib.loads(text_of("laws.toml")).items()
    for law in _laws_of(family, entries)
}
