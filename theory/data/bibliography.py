"""The works that the derivations and laws cite: the entries of works.bib."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from unicodedata import combining, normalize

from . import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["WORKS", "Work", "citations"]

#: A list of more authors is cut to the first and "et al.".
MOST_AUTHORS = 6
OTHERS = "others"
#: Fields of works.bib that BibTeX does not get: what a sentence calls the work and its title, and the
#: arXiv number, which the old styles print as `howpublished` alone.
OWN_FIELDS = ("cited", "shorttitle", "eprint")
#: Combining marks and their LaTeX commands.
ACCENTS = {"\u0300": "`", "\u0301": "'", "\u0304": "=", "\u0308": '"', "\u030b": "H "}
ENTRY = re.compile(r"^@(\w+)\{([^,]+),\n(.*?)^\}", re.DOTALL | re.MULTILINE)
FIELD = re.compile(r"^  (\w+) = \{(.*?)\},$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Work:
    """A cited work: key, type (article, book, misc) and fields of its BibTeX entry."""

    key: str
    kind: str
    fields: Mapping[str, str] = field(hash=False, repr=False)

    @property
    def cited(self) -> str:
        """Authors and year, as a sentence cites them."""
        return self.fields["cited"]

    @property
    def title(self) -> str:
        """The title, without the braces that protect its capitals."""
        return self.fields["title"].strip("{}")

    @property
    def listed_authors(self) -> str:
        """The authors with initials, as a reference lists them; a long list is cut to the first."""
        *named, last = map(_initials, self.fields["author"].split(" and "))
        if last != OTHERS and len(named) < MOST_AUTHORS:
            return ", ".join([*named, last])
        return f"{', '.join(named if last == OTHERS else named[:1])} et al."

    @property
    def details(self) -> str:
        """The place of publication and the year, as a reference gives them."""
        entry = self.fields
        if self.kind == "article":
            return f"{self._issue}, {entry['year']}."
        if self.kind == "book":
            edition = f"{entry['edition']} edition, " if "edition" in entry else ""
            return f"{edition}{entry['publisher']}, {entry['address']}, {entry['year']}."
        place = f"arXiv:{entry['eprint']}" if "eprint" in entry else entry["url"]
        appeared = f" {entry['note']}." if "note" in entry else ""
        return f"{place}, {entry['year']}.{appeared}"

    @property
    def _issue(self) -> str:
        entry = self.fields
        return f"{entry['journal']} {entry['volume']}, {entry['pages'].replace('--', '-')}"

    @property
    def link(self) -> str:
        """The address of the work or of its abstract; empty if it has none."""
        eprint = self.fields.get("eprint")
        return f"https://arxiv.org/abs/{eprint}" if eprint else self.fields.get("url", "")

    @property
    def citation(self) -> str:
        """A work on arXiv in one line: authors, year, title, identifier."""
        names, _, _ = self.cited.rpartition(" ")
        return f"{names} ({self.fields['year']}), {self.title}, arXiv:{self.fields['eprint']}"

    def bibtex(self, prefix: str = "") -> str:
        """The BibTeX entry in ASCII, its key behind a prefix, with fields that every style prints."""
        printed = {name: text for name, text in self.fields.items() if name not in OWN_FIELDS}
        if eprint := self.fields.get("eprint"):
            printed["howpublished"] = f"arXiv:{eprint}"
        printed |= {"url": self.link} if self.link else {}
        lines = [f"  {name} = {{{_in_ascii(text)}}}," for name, text in printed.items()]
        return "\n".join([f"@{self.kind}{{{prefix}{self.key},", *lines, "}"])

    @property
    def mention(self) -> str:
        """The pattern of a citation of the work in a sentence: authors and year, then perhaps its
        title or place, which is required if another work has the same authors and year.
        """
        names, _, year = self.cited.rpartition(" ")
        title = re.escape(self.fields.get("shorttitle", self.title))
        if eprint := self.fields.get("eprint"):
            place = rf"arXiv[: ]{re.escape(eprint)}"
        else:
            place = re.escape(_without_accents(self._issue)) if self.kind == "article" else title
        rest = rf"(?:,? ?\(?(?:{title}, {place}|{place}|{title})\)?)"
        alike = sum(work.cited == self.cited for work in WORKS.values())
        return rf"{re.escape(names)},? \(?{year}\)?{rest}{'' if alike > 1 else '?'}"


def citations(sentence: str) -> list[tuple[int, int, Work]]:
    """Every citation of a work in a sentence: begin, end and the work, in order.

    >>> sentence = "Hoffmann et al. 2022, arXiv 2203.15556."
    >>> [(sentence[begin:end], work.key) for begin, end, work in citations(sentence)]
    [('Hoffmann et al. 2022, arXiv 2203.15556', 'hoffmann2022')]
    """
    found = [
        (match.start(), match.end(), work)
        for work in WORKS.values()
        for match in re.finditer(work.mention, sentence)
    ]
    return sorted(found, key=lambda mention: mention[:2])


def read_bibtex(text: str) -> dict[str, Work]:
    """The works of a BibTeX text by key; every value is in braces, every field on its own lines."""
    return {
        key: Work(key, kind, {name: " ".join(text.split()) for name, text in FIELD.findall(body)})
        for kind, key, body in ENTRY.findall(text)
    }


def _initials(author: str) -> str:
    surname, _, given = author.partition(", ")
    return " ".join([*(f"{name[0]}." for name in given.split()), surname])


def _without_accents(text: str) -> str:
    return "".join(letter for letter in normalize("NFD", text) if not combining(letter))


def _in_ascii(text: str) -> str:
    """The text with accents as LaTeX commands, which every BibTeX sorts."""
    accented = f"(.)([{''.join(ACCENTS)}])"
    return re.sub(
        accented, lambda pair: rf"{{\{ACCENTS[pair[2]]}{{{pair[1]}}}}}", normalize("NFD", text)
    )


#: Every work by key.
WORKS = read_bibtex(text_of("works.bib"))
