r"""Theorems that are written as text: what a Markdown file says, as data for the checks.

    # The tails of the penalty
    Far from the optimum one term is the whole penalty.

    Setting: penalty

    A run with $r$ times the optimal size, $r > 0$, has for $r \to 0$ {overtrained}.

    - **overtrained**: $P(r) \sim w_N r^{-\beta}$ as $r \to 0$
      For small $r$ the term of $N$ dominates:

    Source: Leading terms of the penalty.

`docs/derivations.md` says what each paragraph means. In addition: `Let $x = ...$ and $y = ...$` gives
several names; a formula may be plain text between backquotes; a paragraph that begins with "Assume"
and has words assumes something more; the number of draws is what stands behind "pass@" and "fail@",
which `Let` may give a value where the setting is passk; of factorials, binomials and values of Gamma
only the recurrence is known. A step without an argument is decided by the normal form, a limit by its
leading term, and a bound by the search; `by the lemma of Tung 1975` grants the paragraph `Lemma of
Tung 1975, Title: ...`. Several lines of steps may have one reason below them. Nothing is run.

A file of errata has a section for each slip, `## Slip: name`: where it is, what is printed, which
is refuted, `At $k = 10$, $q = 1/2$` where this has to be at a telling point, and what holds instead;
or `## Remark: name` with what is no slip in the strict sense.

A derivative, and a value at a point, stay as they are written: `\frac{\partial L(N, D)}{\partial N}`
of a name is taken when the step is judged, with every other letter held, and
`\left. f \right|_{N = 1, D = 2}` is the value there. A name that the setting gives no value, `h(x)`
of a law h(R), is any function: from `x = y` follows `h(x) = h(y)`, from a bound the same bound for
a function that `for $\frac{\partial h(y)}{\partial y} > 0$` grows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TypeVar

from sympy import Expr, Integer, Symbol, oo

from ..kernel import symbols as sym
from ..kernel.answer import BOUNDS
from ..kernel.bounds import ByBound
from ..kernel.rules import Argument, ByLeadingTerm, ByNormalForm, ByWeightedAmGm
from ..reader.tokens import ParseError
from .derivation import Derivation
from .errata import Erratum
from .names import FORMULA, Names, Setting, joined
from .step import Cited, Step, UnderLemma
from .words import (
    Formula,
    Sentence,
    all_positive,
    in_paper_order,
    needed,
    positive_part,
    say,
)

Found = TypeVar("Found")
#: The setting of a name, under a budget where the text gives one.
Settings = Callable[[str, Expr | None], Setting]
A_FORMULA = r"(?:\$[^$]+\$|`[^`]+`)"
SECTION = re.compile(r"^## ", re.MULTILINE)
AT_POINT = re.compile(r"At [$`]")
STEP = re.compile(r"- \*\*(?P<name>\w+)\*\*:\s+(?P<said>.+)")
ENDS = re.compile(
    r"(?P<key>Setting|Budget|Notation|Short proof|Source|Follows):\s+(?P<said>.+)", re.DOTALL
)
LET = re.compile(rf"Let {A_FORMULA}(?:(?:,|,?\s+and)\s+{A_FORMULA})*\.?")
REAL = re.compile(r"Let .+ be real\.?", re.DOTALL)
#: What is assumed throughout: nothing but formulas.
ASSUMED = re.compile(rf"Assume (?:that )?(?:{A_FORMULA}|\s|,|and)+\.?")
LEMMA = re.compile(r"Lemma of (?P<source>[^:]+):\s+(?P<said>.+)", re.DOTALL)
#: What may stand between the formulas of a step, before its argument.
BESIDE = re.compile(r"\s*,?\s+(?P<word>for|and|as)\s+")
HINT = re.compile(
    r"\s*,?\s+(?:by the lemma of (?P<lemma>.+?)|by (?P<mean>.+?)|cited from (?P<source>.+?))\.?"
)
MEAN = re.compile(r"the mean of {}(?:(?:, | and ){})* with the weights {}(?:(?:, | and ){})*")


def theorem(text: str, name: str, settings: Settings) -> Derivation:
    """The theorem that a text spells.

    Raises
    ------
    ValueError
        Naming what cannot be read.
    """
    page = Page.of(text, settings)
    title = page.head.partition("\n")[0]
    if not title.startswith("# "):
        raise ParseError(f"{title[:60]!r}: the first line is the title, '# ...'")
    if "Source" not in page.ends:
        raise ParseError("Source: is missing")
    words = [p for p in page.paragraphs if not p.startswith("- **")]
    if not words:
        raise ParseError("states nothing: the paragraph before the steps is missing")
    *assumed, statement = words
    assumptions = (*page.setting.assumptions, *page.each(assumed, page.assumption))
    (stated,) = page.each([statement], page.names.sentence)
    slips = (slip for slip in map(page.section, page.sections) if slip.printed is not None)
    steps = (
        *chain(*page.each((p for p in page.paragraphs if p.startswith("- **")), page.steps)),
        *(replace(c, name=f"{slip.name}.{c.name}") for slip in slips for c in slip.corrected),
    )
    said = (*assumptions, stated, *(step.reason for step in steps))
    return Derivation(
        name=name,
        title=page.words(title.removeprefix("# ")),
        assumptions=(*assumptions, *page.signs(said, steps)),
        definitions=tuple(page.names.definitions),
        statement=stated,
        steps=steps,
        source=page.ends["Source"],
        follows=page.words(page.ends.get("Follows", "")),
        short=tuple(filter(None, page.ends.get("Short proof", "").split(", "))),
    )


def errata(text: str, settings: Settings) -> tuple[Erratum, ...]:
    """The slips and the remarks of a text, which its sections are.

    Raises
    ------
    ValueError
        Naming what cannot be read.
    """
    page = Page.of(text, settings)
    return tuple(map(page.section, page.sections))


def stated_budget(text: str) -> Expr | None:
    """The compute under which a text is meant; None where it says nothing of it."""
    words = _ends(_paragraphs(text)).get("Budget", "").rstrip(".")
    if not words:
        return None
    found = FORMULA.fullmatch(words)
    said = Names(Setting()).formula(found) if found else None
    if said is None or said.signs != ("=",) or said.sides[0] != sym.C:
        raise ParseError(f"{words!r}: a budget reads 'Budget: $C = 6 N D$'")
    return said.sides[1]


def _paragraphs(text: str) -> list[str]:
    return re.split(r"\n\s*\n", text.strip())


def _ends(paragraphs: Iterable[str]) -> dict[str, str]:
    """What the lines with a key say."""
    return {m["key"]: joined(m["said"]) for p in paragraphs if (m := ENDS.fullmatch(p))}


@dataclass
class Page:
    """The paragraphs of a text, read in the names that it has declared."""

    text: str
    head: str
    ends: dict[str, str]
    setting: Setting
    names: Names
    paragraphs: list[str]  # what neither declares nor has a key
    sections: list[str]
    lemmas: dict[str, Sentence] = field(default_factory=dict)
    #: The conditions of every step.
    throughout: tuple[Formula, ...] = ()

    @classmethod
    def of(cls, text: str, settings: Settings) -> Page:
        """The page, with its declarations taken."""
        body, *sections = SECTION.split(text)
        head, *paragraphs = _paragraphs(body)
        ends = _ends(paragraphs)
        setting = settings(ends.get("Setting", ""), stated_budget(body))
        names = Names(setting, ends.get("Notation"))
        page = cls(text, head, ends, setting, names, [], sections)
        page.each(paragraphs, page.declare)
        return page

    def each(self, paragraphs: Iterable[str], read: Callable[[str], Found]) -> list[Found]:
        """What is read of each paragraph; an error names the line where it begins."""
        found = []
        for paragraph in paragraphs:
            try:
                found.append(read(paragraph))
            except ValueError as error:
                line = self.text.count("\n", 0, self.text.index(paragraph)) + 1
                raise ParseError(f"line {line}: {error}") from None
        return found

    def declare(self, paragraph: str) -> None:
        """Take what a paragraph defines or grants; what is real has to be said as well."""
        if REAL.fullmatch(paragraph):
            self.names.real(paragraph)
            self.paragraphs.append(paragraph)
        elif LET.fullmatch(paragraph):
            for formula in re.findall(A_FORMULA, paragraph):
                self.names.define(formula)
        elif lemma := LEMMA.fullmatch(paragraph):
            self.lemmas[joined(lemma["source"])] = self.names.sentence(lemma["said"])
        elif not ENDS.fullmatch(paragraph):
            self.paragraphs.append(paragraph)

    def words(self, text: str) -> str | Sentence:
        """Words, as a sentence where there are formulas or steps between them."""
        return self.names.sentence(text) if FORMULA.search(text) or "{" in text else text

    def assumption(self, words: str) -> Sentence:
        """What is assumed; formulas without words are conditions of every step.

        Raises
        ------
        ParseError
            Where it does not begin so, or words assume something of the letters of the law.
        """
        if not (words.startswith("Assume ") or REAL.fullmatch(words)):
            raise ParseError(
                f"{words[:60]!r}: an assumption begins with 'Assume'; the statement is the one "
                f"paragraph of other words"
            )
        said = self.names.sentence(words)
        told = [link for f in said.formulas for link in f.links if not _is_positive_letter(link)]
        if ASSUMED.fullmatch(joined(words)):
            self.throughout += tuple(told)
        of_the_law = (f for f in told if f.names <= self.names.known and f.signs[0] in BOUNDS)
        for link in of_the_law:
            if link not in self.throughout:
                raise ParseError(f"{words[:60]!r}: say 'Assume ${link}$', without words")
        return said

    def signs(self, said: Iterable[str | Sentence], steps: Iterable[Step]) -> tuple[Sentence, ...]:
        """That the letters that the setting does not have are positive, where nothing says so.

        Raises
        ------
        ParseError
            Where something says that one is not.
        """
        used = {x for step in steps for x in step.symbols}
        for definition in needed(self.names.definitions, tuple(steps)):
            used |= definition.value.free_symbols - definition.name.free_symbols
        formulas = (f for s in said if isinstance(s, Sentence) for f in s.formulas)
        links = [link for f in formulas if f.is_domain for link in f.links]
        if wrong := next(filter(_is_of_other_signs, links), None):
            raise ParseError(f"{wrong}: every letter is positive")
        told = {letter for link in links if (letter := _called_positive(link)) is not None}
        left = frozenset(x for x in used if x.is_positive) - self.names.known - told
        return (say("Let ") + all_positive(in_paper_order(left)) + ".",) if left else ()

    # -- steps -------------------------------------------------------------------------------------

    def steps(self, paragraph: str) -> list[Step]:
        """Steps, each a line with its name and formula, and their reason in the lines below."""
        heads, _, reason = paragraph.partition("\n  ")
        return [self.step(head, reason) for head in heads.split("\n")]

    def step(self, head: str, reason: str) -> Step:
        """A step of a name, a formula and a reason."""
        found = STEP.fullmatch(head)
        first = found and FORMULA.match(found["said"])
        if found is None or first is None or not reason:
            raise ParseError(f"{head[:60]!r}: a step reads '- **name**: $formula$', and its reason")
        claim, assumed, limit = self.names.formula(first), [*self.throughout], None
        rest = found["said"][first.end() :]
        while beside := BESIDE.match(rest):
            said = FORMULA.match(rest, beside.end())
            if said is None:
                raise ParseError(f"{rest!r}: a formula is expected behind {beside['word']!r}")
            if beside["word"] == "as":
                limit = self.names.formula(said)
            else:
                assumed.append(self.names.formula(said))
            rest = rest[said.end() :]
        return Step.read(
            found["name"],
            claim,
            self.names.sentence(reason),
            argument=self.argument(rest, claim, limit),
            assume=tuple(map(_positive, assumed)),
        )

    def argument(self, said: str, claim: Formula, limit: Formula | None) -> Argument:
        """The argument that stands behind a step, or that of its relation."""
        hint = HINT.fullmatch(said)
        if hint is None and said.strip(" ."):
            raise ParseError(
                f"{said!r}: only 'for', 'as', 'by' and 'cited from' can be read behind a formula"
            )
        if hint and hint["source"]:
            return Cited(hint["source"])
        argument = self._mean(hint["mean"]) if hint and hint["mean"] else _usual(claim, limit)
        if not (hint and hint["lemma"]):
            return argument
        granted = [source for source in self.lemmas if source.startswith(hint["lemma"])]
        if len(granted) != 1:
            raise ParseError(f"{hint['lemma']!r}: must name a paragraph 'Lemma of SOURCE: ...'")
        return UnderLemma(self.lemmas[granted[0]], granted[0], argument)

    def _mean(self, hint: str) -> ByWeightedAmGm:
        """The argument of `the mean of $x$ and $y$ with the weights $u$ and $v$`."""
        parts = [self.names.formula(found).sides[0] for found in FORMULA.finditer(hint)]
        half, odd = divmod(len(parts), 2)
        if odd or not MEAN.fullmatch(FORMULA.sub("{}", hint)):
            raise ParseError(
                f"by {hint!r}: must be 'by the mean of $x$ and $y$ with the weights $u$ and $v$', "
                f"or 'by the lemma of SOURCE'"
            )
        return ByWeightedAmGm(tuple(parts[:half]), tuple(parts[half:]))

    # -- errata ------------------------------------------------------------------------------------

    def section(self, text: str) -> Erratum:
        """A slip of a paper, as printed and corrected, or a remark."""
        head, *paragraphs = _paragraphs(text)
        title, _, where = head.partition("\n")
        steps = [step for p in paragraphs if p.startswith("- **") for step in self.steps(p)]
        claims = tuple(replace(c, where=needed(self.names.definitions, c)) for c in steps)
        words = [p for p in paragraphs if not p.startswith("- **")]
        points = [f for p in words if AT_POINT.match(p) for f in FORMULA.finditer(p)]
        comment = joined(" ".join(p for p in words if not AT_POINT.match(p)))
        kind, _, name = title.partition(": ")
        if kind == "Remark":
            return Erratum(name, where, None, claims, comment)
        if kind != "Slip" or len(claims) < 2:
            raise ParseError(f"{title!r}: a section is '## Slip: name' or '## Remark: name'")
        at = tuple(self.names.formula(f).sides for f in points)
        return Erratum(name, where, claims[0], claims[1:], comment, at)


def _usual(claim: Formula, limit: Formula | None) -> Argument:
    """The argument of a relation where none is named."""
    if claim.signs[:1] not in (("~",), ("->",)):
        return ByNormalForm() if claim.signs[:1] == ("=",) else ByBound()
    if limit is None or limit.signs != ("->",) or limit.sides[1] not in (oo, Integer(0)):
        raise ParseError(f"{claim}: says in no limit, 'as $r \\to 0$' or to infinity, it holds")
    variable, end = limit.sides
    if not isinstance(variable, Symbol):
        raise ParseError(f"{limit}: must be of a letter")
    return ByLeadingTerm(variable, "oo" if end == oo else "0")


def _is_positive_letter(formula: Formula) -> bool:
    """Whether it says no more than that what is positive is so."""
    return formula.signs == (">",) and bool((formula.sides[0] - formula.sides[1]).is_positive)


def _called_positive(link: Formula) -> Expr | None:
    """The letter that `x > 0`, `0 < x` or `E >= 0` speaks of."""
    (left, right), (sign,) = link.sides, link.signs
    if (sign == ">" and right.is_zero) or (sign == ">=" and right.is_zero and left == sym.E):
        return left
    return right if sign == "<" and left.is_zero else None


def _is_of_other_signs(link: Formula) -> bool:
    """Whether a bound is of a positive letter as if it might be 0 or less; E may be 0."""
    (left, right), (sign,) = link.sides, link.signs
    is_below = sign in ("<", "<=") or (sign == ">=" and left != sym.E)
    return is_below and bool(left.is_positive and right.is_nonpositive)


def _positive(formula: Formula) -> Expr:
    """What a condition calls positive."""
    found = positive_part(formula)
    if found is None:
        raise ParseError(f"{formula}: a condition of a step is a strict bound, or that two differ")
    return found
