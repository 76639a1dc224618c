"""The works that the derivations and laws cite, as entries of a bibliography.

Plain data; the papers of the published laws come from `isoflop.theory.data.published`.
"""

from __future__ import annotations

import re

from .notation import Frozen
from .published import SOURCES, Source

__all__ = ["WORKS", "Work", "citations"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: More authors than this are cut to the first and "et al.".
MOST_AUTHORS = 6


class Work(Frozen):
    """A cited work.

    Attributes
    ----------
    key : str
        BibTeX key.
    names : str
        Authors and year as a sentence cites them.
    authors, title, details : str
        ``details`` holds journal, volume and pages, publisher, arXiv identifier or address.
    said : str
        Regular expression of what a sentence may say between the names and the end of the mention;
        it is left out where the bibliography has the entry. A work with another one of the same
        names needs it.
    """

    __slots__ = ("authors", "details", "key", "names", "said", "title")

    key: str
    names: str
    authors: str
    title: str
    details: str
    said: str

    def __repr__(self) -> str:
        return f"Work({self.key!r})"

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


def _short(source: Source) -> str:
    surnames = [author.partition(",")[0] for author in source.authors]
    match surnames:
        case [one]:
            return one
        case [one, other]:
            return f"{one} and {other}"
    return f"{surnames[0]} et al."


def _initials(author: str) -> str:
    surname, _, given = author.partition(", ")
    return f"{' '.join(f'{name[0]}.' for name in given.split())} {surname}"


def _of_source(source: Source) -> Work:
    authors = source.authors if len(source.authors) <= MOST_AUTHORS else source.authors[:1]
    listed = ", ".join(map(_initials, authors)) + (
        " et al." if len(authors) < len(source.authors) else ""
    )
    venue = f" {source.venue}." if source.venue else ""
    return Work(
        key=source.key,
        names=f"{_short(source)} {source.year}",
        authors=listed,
        title=source.title,
        details=f"arXiv:{source.arxiv}, {source.year}.{venue}",
        said=_arxiv(source.arxiv, source.title),
    )


def _arxiv(number: str, title: str = "") -> str:
    identifier = rf"arXiv[: ]{re.escape(number)}"
    return rf"{re.escape(title)}, {identifier}|{identifier}" if title else identifier


_OTHERS = (
    Work(
        key="chen2021",
        names="Chen et al. 2021",
        authors="M. Chen, J. Tworek, H. Jun, et al.",
        title="Evaluating Large Language Models Trained on Code",
        details="arXiv:2107.03374, 2021.",
        said=_arxiv("2107.03374", "Evaluating Large Language Models Trained on Code"),
    ),
    Work(
        key="kaplan2020",
        names="Kaplan et al. 2020",
        authors="J. Kaplan, S. McCandlish, T. Henighan, et al.",
        title="Scaling Laws for Neural Language Models",
        details="arXiv:2001.08361, 2020.",
        said=_arxiv("2001.08361"),
    ),
    Work(
        key="levi2024",
        names="Levi 2024",
        authors="N. Levi",
        title="A Simple Model of Inference Scaling Laws",
        details="arXiv:2410.16377, 2024.",
        said=_arxiv("2410.16377"),
    ),
    Work(
        key="schaeffer2025monkeys",
        names="Schaeffer et al. 2025",
        authors="R. Schaeffer, J. Kazdan, J. Hughes, et al.",
        title="How Do Large Language Monkeys Get Their Power (Laws)?",
        details="arXiv:2502.17578, 2025.",
        said=_arxiv("2502.17578"),
    ),
    Work(
        key="devries2023",
        names="H. de Vries 2023",
        authors="H. de Vries",
        title="Go smol or go home",
        details="https://www.harmdevries.com/post/model-size-vs-compute-overhead/, 2023.",
        said="Go smol or go home",
    ),
    Work(
        key="duffin1967",
        names="Duffin, Peterson and Zener 1967",
        authors="R. J. Duffin, E. L. Peterson, C. Zener",
        title="Geometric Programming: Theory and Application",
        details="Wiley, New York, 1967.",
        said="Geometric Programming",
    ),
    Work(
        key="tricomi1951",
        names="Tricomi and Erdelyi 1951",
        authors="F. G. Tricomi, A. Erdélyi",
        title="The asymptotic expansion of a ratio of gamma functions",
        details="Pacific J. Math. 1, 133-142, 1951.",
        said=r"Pacific J\. Math\. 1, 133-142",
    ),
    Work(
        key="hausdorff1921",
        names="Hausdorff 1921",
        authors="F. Hausdorff",
        title="Summationsmethoden und Momentfolgen I",
        details="Math. Z. 9, 74-109, 1921.",
        said=r"Math\. Z\. 9, 74-109",
    ),
    Work(
        key="hoeffding1948",
        names="Hoeffding 1948",
        authors="W. Hoeffding",
        title="A class of statistics with asymptotically normal distribution",
        details="Ann. Math. Statist. 19, 293-325, 1948.",
        said=r"Ann\. Math\. Statist\. 19, 293-325",
    ),
    Work(
        key="lehmann1950",
        names="Lehmann and Scheffe 1950",
        authors="E. L. Lehmann, H. Scheffé",
        title="Completeness, similar regions, and unbiased estimation. Part I",
        details="Sankhyā 10, 305-340, 1950.",
        said="Sankhya 10, 305-340",
    ),
    Work(
        key="arrow1961",
        names="Arrow, Chenery, Minhas and Solow 1961",
        authors="K. J. Arrow, H. B. Chenery, B. S. Minhas, R. M. Solow",
        title="Capital-labor substitution and economic efficiency",
        details="Rev. Econ. Stat. 43, 225-250, 1961.",
        said=r"Rev\. Econ\. Stat\. 43, 225-250",
    ),
    Work(
        key="rudin1987",
        names="Rudin 1987",
        authors="W. Rudin",
        title="Real and Complex Analysis",
        details="Third edition, McGraw-Hill, New York, 1987.",
        said="Real and Complex Analysis",
    ),
    Work(
        key="feller1971",
        names="Feller 1971",
        authors="W. Feller",
        title="An Introduction to Probability Theory and Its Applications, volume II",
        details="Second edition, Wiley, New York, 1971.",
        said="An Introduction to Probability Theory and Its Applications II",
    ),
    Work(
        key="cox1974",
        names="Cox and Hinkley 1974",
        authors="D. R. Cox, D. V. Hinkley",
        title="Theoretical Statistics",
        details="Chapman and Hall, London, 1974.",
        said="Theoretical Statistics",
    ),
    Work(
        key="wilks1938",
        names="Wilks 1938",
        authors="S. S. Wilks",
        title="The large-sample distribution of the likelihood ratio for testing composite "
        "hypotheses",
        details="Ann. Math. Statist. 9, 60-62, 1938.",
        said=r"Ann\. Math\. Statist\. 9, 60-62",
    ),
    Work(
        key="caballero2023",
        names="Caballero et al. 2023",
        authors="E. Caballero, K. Gupta, I. Rish, D. Krueger",
        title="Broken Neural Scaling Laws",
        details="arXiv:2210.14891, ICLR 2023.",
        said=_arxiv("2210.14891"),
    ),
    Work(
        key="gadre2024",
        names="Gadre et al. 2024",
        authors="S. Y. Gadre et al.",
        title="Language models scale reliably with over-training and on downstream tasks",
        details="arXiv:2403.08540.",
        said=_arxiv("2403.08540"),
    ),
    Work(
        key="karlin1966",
        names="Karlin and Studden 1966",
        authors="S. Karlin, W. J. Studden",
        title="Tchebycheff Systems: With Applications in Analysis and Statistics",
        details="Interscience, New York, 1966.",
        said="Tchebycheff Systems",
    ),
    Work(
        key="polya1976",
        names="Polya and Szego",
        authors="G. Pólya, G. Szegő",
        title="Problems and Theorems in Analysis II",
        details="Springer, Berlin, 1976.",
        said="Problems and Theorems in Analysis II",
    ),
)

#: Every work by key.
WORKS = {work.key: work for work in (*map(_of_source, SOURCES.values()), *_OTHERS)}
