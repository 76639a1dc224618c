"""The works that the derivations and laws cite: the entries of works.bib."""

from __future__ import annotations

import re
from dataclasses import dataclass

from . import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["WORKS", "Work", "citations"]

#: More authors than this are cut to the first and "et al.".
MOST_AUTHORS = 6
OTHERS = "others"
#: Combining marks, and what LaTeX calls them.
ACCENTS = {"\u0300": "`", "\u0301": "'", "\u0304": "=", "\u0308": '"', "\u030b": "H "}


@dataclass(frozen=True)
class Work:
    """A cited work: the fields of its BibTeX entry, and what follows from them.

    Attributes
    ----------
    key, kind : str
        BibTeX key and type: article, book, misc.
    cited : str
        Authors and year as a sentence cites them.
    author : str
        ``Surname, Given names`` of each, with "and" between them; "others" at the end stands for
        those who are left out.
    shorttitle : str
        The title as a sentence shortens it.
    eprint, archivePrefix, primaryClass : str
        What is on arXiv.
    note : str
        Where what is on arXiv appeared.
    """

    key: str
    kind: str
    cited: str
    author: str
    title: str
    year: str
    shorttitle: str = ""
    journal: str = ""
    volume: str = ""
    pages: str = ""
    edition: str = ""
    publisher: str = ""
    address: str = ""
    eprint: str = ""
    archivePrefix: str = ""
    primaryClass: str = ""
    note: str = ""
    url: str = ""

    def __repr__(self) -> str:
        return f"Work({self.key!r})"

    @property
    def authors(self) -> list[str]:
        """Each author as the entry has it."""
        return self.author.split(" and ")

    @property
    def listed_authors(self) -> str:
        """The authors of a reference, with initials; many are cut to the first."""
        *named, last = map(_initials, self.authors)
        if last != OTHERS and len(named) < MOST_AUTHORS:
            return ", ".join([*named, last])
        return f"{', '.join(named if last == OTHERS else named[:1])} et al."

    @property
    def details(self) -> str:
        """Where it appeared, and the year."""
        if self.kind == "article":
            return f"{self.journal} {self.volume}, {self.pages}, {self.year}."
        if self.kind == "book":
            edition = f"{self.edition} edition, " if self.edition else ""
            return f"{edition}{self.publisher}, {self.address}, {self.year}."
        appeared = f" {self.note}." if self.note else ""
        return f"{f'arXiv:{self.eprint}' if self.eprint else self.url}, {self.year}.{appeared}"

    @property
    def link(self) -> str:
        """Address of the work, or of its abstract."""
        return f"https://arxiv.org/abs/{self.eprint}" if self.eprint else self.url

    @property
    def citation(self) -> str:
        """One line for what is on arXiv: authors, year, title, identifier."""
        names, _, _ = self.cited.rpartition(" ")
        return f"{names} ({self.year}), {self.title}, arXiv:{self.eprint}"

    def bibtex(self, prefix: str = "") -> str:
        """The BibTeX entry, under its key behind the prefix, for every style and every BibTeX."""
        fields = {
            "author": self.author,
            "title": f"{{{self.title}}}",
            "journal": self.journal,
            "volume": self.volume,
            "pages": self.pages.replace("-", "--"),
            "edition": self.edition,
            "publisher": self.publisher,
            "address": self.address,
            "year": self.year,
            "eprint": self.eprint,
            "archivePrefix": self.archivePrefix,
            "primaryClass": self.primaryClass,
            "note": self.note,
            "url": self.link,
        }
        lines = [f"  {name} = {{{_in_ascii(value)}}}," for name, value in fields.items() if value]
        return "\n".join([f"@{self.kind}{{{prefix}{self.key},", *lines, "}"])

    def mentioned(self, sentence: str) -> Iterator[re.Match[str]]:
        """Where a sentence cites the work: authors and year, then perhaps its title or where it
        appeared, which a work needs that shares authors and year with another.
        """
        names, _, year = self.cited.rpartition(" ")
        title = re.escape(self.shorttitle or self.title)
        appeared = re.escape(f"{_without_accents(self.journal)} {self.volume}, {self.pages}")
        place = rf"arXiv[: ]{re.escape(self.eprint)}" if self.eprint else appeared
        rest = rf"(?:,? ?\(?(?:{title}, {place}|{place}|{title})\)?)"
        alike = sum(work.cited == self.cited for work in WORKS.values())
        mention = rf"{re.escape(names)},? \(?{year}\)?{rest}{'' if alike > 1 else '?'}"
        return re.finditer(mention, sentence)


def citations(sentence: str) -> list[tuple[int, int, Work]]:
    """Every mention of a work in a sentence: begin, end and the work, in order.

    >>> sentence = "Hoffmann et al. 2022, arXiv 2203.15556."
    >>> [(sentence[begin:end], work.key) for begin, end, work in citations(sentence)]
    [('Hoffmann et al. 2022, arXiv 2203.15556', 'hoffmann2022')]
    """
    found = [
        (match.start(), match.end(), work)
        for work in WORKS.values()
        for match in work.mentioned(sentence)
    ]
    return sorted(found, key=lambda mention: mention[:2])


def read_bibtex(text: str) -> dict[str, Work]:
    """The entries of BibTeX by key: every value in braces, every field on a line of its own."""
    works = {}
    for kind, key, body in re.findall(
        r"^@(\w+)\{([^,]+),\n(.*?)^\}", text, re.DOTALL | re.MULTILINE
    ):
        found = re.findall(r"^  (\w+) = \{(.*?)\},$", body, re.DOTALL | re.MULTILINE)
        fields = {name: re.sub(r"\s+", " ", value.strip("{}")) for name, value in found}
        works[key] = Work(
            key, kind, **fields | {"pages": fields.get("pages", "").replace("--", "-")}
        )
    return works


def _initials(author: str) -> str:
    surname, _, given = author.partition(", ")
    return " ".join([*(f"{name[0]}." for name in given.split()), surname])


def _without_accents(text: str) -> str:
    from unicodedata import combining, normalize

    return "".join(letter for letter in normalize("NFD", text) if not combining(letter))


def _in_ascii(text: str) -> str:
    """Letters with accents as LaTeX writes them, which every BibTeX sorts."""
    from unicodedata import normalize

    return re.sub(
        f"(.)([{''.join(ACCENTS)}])",
        lambda pair: rf"{{\{ACCENTS[pair[2]]}{{{pair[1]}}}}}",
        normalize("NFD", text),
    )


#: Every work by key.
WORKS = read_bibtex(text_of("works.bib"))
