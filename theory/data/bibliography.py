"""The works that the derivations and laws cite, as entries of a bibliography.

Plain data; the papers of the published laws come from `isoflop.theory.data.published`.
"""

from __future__ import annotations

import re
from unicodedata import normalize

from .notation import Record
from .published import SOURCES, Publication

__all__ = ["WORKS", "Work", "citations"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: More authors than this are cut to the first and "et al.".
MOST_AUTHORS = 6
OTHERS = "others"
#: Combining marks, and what LaTeX calls them.
ACCENTS = {"\u0300": "`", "\u0301": "'", "\u0304": "=", "\u0308": '"', "\u030b": "H "}


class Work(Record):
    """A cited work: an article in a journal, a book, or what is on arXiv or at an address.

    Attributes
    ----------
    key : str
        BibTeX key.
    names : str
        Authors and year as a sentence cites them.
    authors : tuple of str
        Each as ``Surname, Given names``; "others" at the end stands for those who are left out.
    said : str
        Regular expression of what a sentence may say between the names and the end of the mention;
        it is left out where the bibliography has the entry. A work with another one of the same
        names needs it.
    arxiv : str
        arXiv identifier.
    venue : str
        Where what is on arXiv appeared.
    """

    key: str
    names: str
    authors: tuple[str, ...]
    title: str
    year: str
    said: str
    journal: str = ""
    volume: str = ""
    pages: str = ""
    publisher: str = ""
    address: str = ""
    edition: str = ""
    arxiv: str = ""
    venue: str = ""
    url: str = ""

    def __repr__(self) -> str:
        return f"Work({self.key!r})"

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
        if self.journal:
            return f"{self.journal} {self.volume}, {self.pages}, {self.year}."
        if self.publisher:
            edition = f"{self.edition} edition, " if self.edition else ""
            return f"{edition}{self.publisher}, {self.address}, {self.year}."
        venue = f" {self.venue}." if self.venue else ""
        return f"{f'arXiv:{self.arxiv}' if self.arxiv else self.url}, {self.year}.{venue}"

    def bibtex(self, prefix: str = "") -> str:
        """The BibTeX entry, under its key behind the prefix."""
        if self.key in SOURCES:
            return SOURCES[self.key].bibtex.replace(self.key, f"{prefix}{self.key}", 1)
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",
            "journal": self.journal,
            "volume": self.volume,
            "pages": self.pages.replace("-", "--"),
            "edition": self.edition,
            "publisher": self.publisher,
            "address": self.address,
            "year": self.year,
            **({"eprint": self.arxiv, "archivePrefix": "arXiv"} if self.arxiv else {}),
            "note": self.venue,
            "url": f"https://arxiv.org/abs/{self.arxiv}" if self.arxiv else self.url,
        }
        kind = "article" if self.journal else "book" if self.publisher else "misc"
        lines = [f"  {name} = {{{_in_ascii(value)}}}," for name, value in fields.items() if value]
        return "\n".join([f"@{kind}{{{prefix}{self.key},", *lines, "}"])

    def mentioned(self, sentence: str) -> Iterator[re.Match[str]]:
        """Where a sentence cites the work."""
        ambiguous = sum(work.names == self.names for work in WORKS.values()) > 1
        names, _, year = self.names.rpartition(" ")
        mention = rf"{re.escape(names)},? \(?{year}\)?(?:,? ?\(?(?:{self.said})\)?){'' if ambiguous else '?'}"
        return re.finditer(mention, sentence)


def citations(sentence: str) -> list[tuple[int, int, Work]]:
    """Every mention of a work in a sentence: begin, end and the work, in order.

    >>> [
    ...     (sentence, work.key)
    ...     for sentence in ["Hoffmann et al. 2022, arXiv 2203.15556."]
    ...     for _, _, work in citations(sentence)
    ... ]
    [('Hoffmann et al. 2022, arXiv 2203.15556.', 'hoffmann2022')]
    """
    found = [
        (match.start(), match.end(), work)
        for work in WORKS.values()
        for match in work.mentioned(sentence)
    ]
    return sorted(found, key=lambda mention: mention[:2])


def _short(source: Publication) -> str:
    surnames = [author.partition(",")[0] for author in source.authors]
    match surnames:
        case [one]:
            return one
        case [one, other]:
            return f"{one} and {other}"
    return f"{surnames[0]} et al."


def _initials(author: str) -> str:
    surname, _, given = author.partition(", ")
    return " ".join([*(f"{name[0]}." for name in given.split()), surname])


def _in_ascii(text: str) -> str:
    """Letters with accents as LaTeX writes them, which every BibTeX sorts."""
    parts: list[str] = []
    for character in normalize("NFD", text):
        if character in ACCENTS:
            parts[-1] = rf"{{\{ACCENTS[character]}{{{parts[-1]}}}}}"
        else:
            parts.append(character)
    return "".join(parts)


def _of_source(source: Publication) -> Work:
    return Work(
        key=source.key,
        names=f"{_short(source)} {source.year}",
        authors=source.authors,
        title=source.title,
        year=source.year,
        said=_arxiv(source.arxiv, source.title),
        arxiv=source.arxiv,
        venue=source.venue or "",
    )


def _arxiv(number: str, title: str = "") -> str:
    identifier = rf"arXiv[: ]{re.escape(number)}"
    return rf"{re.escape(title)}, {identifier}|{identifier}" if title else identifier


_OTHERS = (
    Work(
        key="chen2021",
        names="Chen et al. 2021",
        authors=("Chen, M.", "Tworek, J.", "Jun, H.", "others"),
        title="Evaluating Large Language Models Trained on Code",
        year="2021",
        arxiv="2107.03374",
        said=_arxiv("2107.03374", "Evaluating Large Language Models Trained on Code"),
    ),
    Work(
        key="kaplan2020",
        names="Kaplan et al. 2020",
        authors=("Kaplan, J.", "McCandlish, S.", "Henighan, T.", "others"),
        title="Scaling Laws for Neural Language Models",
        year="2020",
        arxiv="2001.08361",
        said=_arxiv("2001.08361"),
    ),
    Work(
        key="levi2024",
        names="Levi 2024",
        authors=("Levi, N.",),
        title="A Simple Model of Inference Scaling Laws",
        year="2024",
        arxiv="2410.16377",
        said=_arxiv("2410.16377"),
    ),
    Work(
        key="schaeffer2025monkeys",
        names="Schaeffer et al. 2025",
        authors=("Schaeffer, R.", "Kazdan, J.", "Hughes, J.", "others"),
        title="How Do Large Language Monkeys Get Their Power (Laws)?",
        year="2025",
        arxiv="2502.17578",
        said=_arxiv("2502.17578"),
    ),
    Work(
        key="devries2023",
        names="H. de Vries 2023",
        authors=("de Vries, H.",),
        title="Go smol or go home",
        year="2023",
        url="https://www.harmdevries.com/post/model-size-vs-compute-overhead/",
        said="Go smol or go home",
    ),
    Work(
        key="duffin1967",
        names="Duffin, Peterson and Zener 1967",
        authors=("Duffin, R. J.", "Peterson, E. L.", "Zener, C."),
        title="Geometric Programming: Theory and Application",
        year="1967",
        publisher="Wiley",
        address="New York",
        said="Geometric Programming",
    ),
    Work(
        key="tricomi1951",
        names="Tricomi and Erdelyi 1951",
        authors=("Tricomi, F. G.", "Erdélyi, A."),
        title="The asymptotic expansion of a ratio of gamma functions",
        year="1951",
        journal="Pacific J. Math.",
        volume="1",
        pages="133-142",
        said=r"Pacific J\. Math\. 1, 133-142",
    ),
    Work(
        key="hausdorff1921",
        names="Hausdorff 1921",
        authors=("Hausdorff, F.",),
        title="Summationsmethoden und Momentfolgen I",
        year="1921",
        journal="Math. Z.",
        volume="9",
        pages="74-109",
        said=r"Math\. Z\. 9, 74-109",
    ),
    Work(
        key="hoeffding1948",
        names="Hoeffding 1948",
        authors=("Hoeffding, W.",),
        title="A class of statistics with asymptotically normal distribution",
        year="1948",
        journal="Ann. Math. Statist.",
        volume="19",
        pages="293-325",
        said=r"Ann\. Math\. Statist\. 19, 293-325",
    ),
    Work(
        key="lehmann1950",
        names="Lehmann and Scheffe 1950",
        authors=("Lehmann, E. L.", "Scheffé, H."),
        title="Completeness, similar regions, and unbiased estimation. Part I",
        year="1950",
        journal="Sankhyā",
        volume="10",
        pages="305-340",
        said="Sankhya 10, 305-340",
    ),
    Work(
        key="arrow1961",
        names="Arrow, Chenery, Minhas and Solow 1961",
        authors=("Arrow, K. J.", "Chenery, H. B.", "Minhas, B. S.", "Solow, R. M."),
        title="Capital-labor substitution and economic efficiency",
        year="1961",
        journal="Rev. Econ. Stat.",
        volume="43",
        pages="225-250",
        said=r"Rev\. Econ\. Stat\. 43, 225-250",
    ),
    Work(
        key="rudin1987",
        names="Rudin 1987",
        authors=("Rudin, W.",),
        title="Real and Complex Analysis",
        year="1987",
        publisher="McGraw-Hill",
        address="New York",
        edition="Third",
        said="Real and Complex Analysis",
    ),
    Work(
        key="feller1971",
        names="Feller 1971",
        authors=("Feller, W.",),
        title="An Introduction to Probability Theory and Its Applications, volume II",
        year="1971",
        publisher="Wiley",
        address="New York",
        edition="Second",
        said="An Introduction to Probability Theory and Its Applications II",
    ),
    Work(
        key="cox1974",
        names="Cox and Hinkley 1974",
        authors=("Cox, D. R.", "Hinkley, D. V."),
        title="Theoretical Statistics",
        year="1974",
        publisher="Chapman and Hall",
        address="London",
        said="Theoretical Statistics",
    ),
    Work(
        key="wilks1938",
        names="Wilks 1938",
        authors=("Wilks, S. S.",),
        title="The large-sample distribution of the likelihood ratio for testing composite "
        "hypotheses",
        year="1938",
        journal="Ann. Math. Statist.",
        volume="9",
        pages="60-62",
        said=r"Ann\. Math\. Statist\. 9, 60-62",
    ),
    Work(
        key="caballero2023",
        names="Caballero et al. 2023",
        authors=("Caballero, E.", "Gupta, K.", "Rish, I.", "Krueger, D."),
        title="Broken Neural Scaling Laws",
        year="2022",
        arxiv="2210.14891",
        venue="ICLR 2023",
        said=_arxiv("2210.14891"),
    ),
    Work(
        key="gadre2024",
        names="Gadre et al. 2024",
        authors=("Gadre, S. Y.", "others"),
        title="Language models scale reliably with over-training and on downstream tasks",
        year="2024",
        arxiv="2403.08540",
        said=_arxiv("2403.08540"),
    ),
    Work(
        key="karlin1966",
        names="Karlin and Studden 1966",
        authors=("Karlin, S.", "Studden, W. J."),
        title="Tchebycheff Systems: With Applications in Analysis and Statistics",
        year="1966",
        publisher="Interscience",
        address="New York",
        said="Tchebycheff Systems",
    ),
    Work(
        key="polya1976",
        names="Polya and Szego",
        authors=("Pólya, G.", "Szegő, G."),
        title="Problems and Theorems in Analysis II",
        year="1976",
        publisher="Springer",
        address="Berlin",
        said="Problems and Theorems in Analysis II",
    ),
)

#: Every work by key.
WORKS = {work.key: work for work in (*map(_of_source, SOURCES.values()), *_OTHERS)}
