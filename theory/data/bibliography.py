"""The works that the derivations and laws cite, as entries of a bibliography.

Plain data and plain Python: importing this module costs next to nothing.
"""

from __future__ import annotations

import re

from .notation import Record

__all__ = ["PAPERS_OF_LAWS", "WORKS", "Work", "citations"]

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
    archive_class : str
        Primary class on arXiv, "" where it was not looked up.
    venue : str
        Where what is on arXiv appeared.
    verified : str
        What of the record of a law's paper was compared with what.
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
    archive_class: str = ""
    venue: str = ""
    url: str = ""
    verified: str = ""

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

    @property
    def link(self) -> str:
        """Address of the work, or of its abstract."""
        return f"https://arxiv.org/abs/{self.arxiv}" if self.arxiv else self.url

    @property
    def citation(self) -> str:
        """One line for what is on arXiv: authors, year, title, identifier."""
        names, _, _ = self.names.rpartition(" ")
        return f"{names} ({self.year}), {self.title}, arXiv:{self.arxiv}"

    def bibtex(self, prefix: str = "") -> str:
        """The BibTeX entry, under its key behind the prefix."""
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
            "primaryClass": self.archive_class,
            "note": self.venue,
            "url": self.link,
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


def _initials(author: str) -> str:
    surname, _, given = author.partition(", ")
    return " ".join([*(f"{name[0]}." for name in given.split()), surname])


def _in_ascii(text: str) -> str:
    """Letters with accents as LaTeX writes them, which every BibTeX sorts."""
    from unicodedata import normalize

    parts: list[str] = []
    for character in normalize("NFD", text):
        if character in ACCENTS:
            parts[-1] = rf"{{\{ACCENTS[character]}{{{parts[-1]}}}}}"
        else:
            parts.append(character)
    return "".join(parts)


def _arxiv(number: str, title: str = "") -> str:
    identifier = rf"arXiv[: ]{re.escape(number)}"
    return rf"{re.escape(title)}, {identifier}|{identifier}" if title else identifier


#: The papers of the published laws, and that of the theory.
PAPERS_OF_LAWS = (
    Work(
        key="hoffmann2022",
        names="Hoffmann et al. 2022",
        authors=(
            "Hoffmann, Jordan",
            "Borgeaud, Sebastian",
            "Mensch, Arthur",
            "Buchatskaya, Elena",
            "Cai, Trevor",
            "Rutherford, Eliza",
            "de Las Casas, Diego",
            "Hendricks, Lisa Anne",
            "Welbl, Johannes",
            "Clark, Aidan",
            "Hennigan, Tom",
            "Noland, Eric",
            "Millican, Katie",
            "van den Driessche, George",
            "Damoc, Bogdan",
            "Guy, Aurelia",
            "Osindero, Simon",
            "Simonyan, Karen",
            "Elsen, Erich",
            "Rae, Jack W.",
            "Vinyals, Oriol",
            "Sifre, Laurent",
        ),
        title="Training Compute-Optimal Large Language Models",
        year="2022",
        arxiv="2203.15556",
        archive_class="cs.CL",
        verified="Authors, title, year, identifier and class agree in two independent "
        "bibliographies.",
        said=_arxiv("2203.15556", "Training Compute-Optimal Large Language Models"),
    ),
    Work(
        key="besiroglu2024",
        names="Besiroglu et al. 2024",
        authors=("Besiroglu, Tamay", "Erdil, Ege", "Barnett, Matthew", "You, Josh"),
        title="Chinchilla Scaling: A replication attempt",
        year="2024",
        arxiv="2404.10102",
        archive_class="cs.AI",
        verified=(
            "Authors and title read in the HTML of version 2; year, identifier and class in a "
            "bibliography."
        ),
        said=_arxiv("2404.10102", "Chinchilla Scaling: A replication attempt"),
    ),
    Work(
        key="krajewski2025",
        names="Krajewski et al. 2025",
        authors=(
            "Krajewski, Jakub",
            "Shidani, Amitis",
            "Busbridge, Dan",
            "Wiseman, Sam",
            "Ramapuram, Jason",
        ),
        title="Revisiting the Scaling Properties of Downstream Metrics in Large Language Model "
        "Training",
        year="2025",
        arxiv="2512.08894",
        archive_class="cs.LG",
        verified="Read in the paper and in the citation that the authors give with their code.",
        said=_arxiv(
            "2512.08894",
            "Revisiting the Scaling Properties of Downstream Metrics in Large Language Model "
            "Training",
        ),
    ),
    Work(
        key="muennighoff2023",
        names="Muennighoff et al. 2023",
        authors=(
            "Muennighoff, Niklas",
            "Rush, Alexander M.",
            "Barak, Boaz",
            "Le Scao, Teven",
            "Piktus, Aleksandra",
            "Tazi, Nouamane",
            "Pyysalo, Sampo",
            "Wolf, Thomas",
            "Raffel, Colin",
        ),
        title="Scaling Data-Constrained Language Models",
        year="2023",
        arxiv="2305.16264",
        archive_class="cs.CL",
        verified="Read in the citation that the authors give with their code; the class in arXiv "
        "metadata.",
        said=_arxiv("2305.16264", "Scaling Data-Constrained Language Models"),
    ),
    Work(
        key="schaeffer2025",
        names="Schaeffer et al. 2025",
        authors=("Schaeffer, Rylan", "Levi, Noam", "Miranda, Brando", "Koyejo, Sanmi"),
        title="Pretraining Scaling Laws for Generative Evaluations of Language Models",
        year="2025",
        arxiv="2509.24012",
        venue="ICLR 2026",
        verified=(
            "Authors, title and identifier read in the arXiv record; the venue on the first "
            "author's page."
        ),
        said=_arxiv(
            "2509.24012", "Pretraining Scaling Laws for Generative Evaluations of Language Models"
        ),
    ),
)

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
WORKS = {work.key: work for work in (*PAPERS_OF_LAWS, *_OTHERS)}
