r"""Theorems and errata read from Markdown texts.

    # The tails of the penalty
    Far from the optimum one term is the whole penalty.

    Setting: penalty

    A run with $r$ times the optimal size, $r > 0$, has for $r \to 0$ {overtrained}.

    - **overtrained**: $P(r) \sim w_N r^{-\beta}$ as $r \to 0$
      For small $r$ the term of $N$ dominates:

    Source: Leading terms of the penalty.

`docs/derivations.md` explains each paragraph. A step that names no argument is decided by the normal
form, a limit by its leading term, a bound by the search. A derivative and a value at a point stay as
they are written until the step is judged.

A file of errata has a section `## Slip: name` for each slip: its place, the printed claim, which is
refuted, `At $k = 10$, $q = 1/2$` where a certain point should refute it, and the corrected claims; or
a section `## Remark: name` for a remark.
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
from ..kernel.rules import Argument, ByLeadingTerm, ByNormalForm
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
#: The setting of a name, under the budget that the text states, if any.
Settings = Callable[[str, Expr | None], Setting]
A_FORMULA = r"(?:\$[^$]+\$|`[^`]+`)"
SECTION = re.compile(r"^## ", re.MULTILINE)
AT_POINT = re.compile(r"At [$`]")
STEP = re.compile(r"- \*\*(?P<name>\w+)\*\*:\s+(?P<claim>.+)")
#: A paragraph that begins with a key.
KEYED = re.compile(
    r"(?P<key>Setting|Budget|Notation|Short proof|Source|Follows):\s+(?P<text>.+)", re.DOTALL
)
LET = re.compile(rf"Let {A_FORMULA}(?:(?:,|,?\s+and)\s+{A_FORMULA})*\.?")
REAL = re.compile(r"Let .+ be real\.?", re.DOTALL)
#: An assumption of formulas alone, which every step has for a condition.
ASSUMED = re.compile(rf"Assume (?:that )?(?:{A_FORMULA}|\s|,|and)+\.?")
LEMMA = re.compile(r"Lemma of (?P<source>[^:]+):\s+(?P<text>.+)", re.DOTALL)
#: The words between the formulas of a step, before its argument.
BESIDE = re.compile(r"\s*,?\s+(?P<word>for|and|as)\s+")
HINT = re.compile(
    r"\s*,?\s+(?:by the lemma of (?P<lemma>.+?)|(?P<mean>by weighted AM-GM)"
    r"|cited from (?P<source>.+?))\.?"
)


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
    if "Source" not in page.keyed:
        raise ParseError("Source: is missing")
    prose = [p for p in page.paragraphs if not p.startswith("- **")]
    if not prose:
        raise ParseError("the statement, a paragraph before the steps, is missing")
    *assumed, statement = prose
    assumptions = (*page.setting.assumptions, *page.each(assumed, page.assumption))
    (stated,) = page.each([statement], page.names.sentence)
    slips = (slip for slip in map(page.section, page.sections) if slip.printed is not None)
    steps = (
        *chain(*page.each((p for p in page.paragraphs if p.startswith("- **")), page.steps)),
        *(replace(c, name=f"{slip.name}.{c.name}") for slip in slips for c in slip.corrected),
    )
    sentences = (*assumptions, stated, *(step.reason for step in steps))
    assumptions = (*assumptions, *page.signs(sentences, steps))
    follows = page.words(page.keyed.get("Follows", ""))
    said = (part for part in (*assumptions, stated, follows) if isinstance(part, Sentence))
    names = frozenset().union(*(step.names for step in steps), *(part.names for part in said))
    used = needed(page.names.definitions, names)
    found = Derivation(
        name=name,
        title=page.words(title.removeprefix("# ")),
        assumptions=assumptions,
        definitions=used,
        statement=stated,
        steps=tuple(replace(step, where=used) for step in steps),
        source=page.keyed["Source"],
        follows=follows,
        short=tuple(filter(None, page.keyed.get("Short proof", "").split(", "))),
    )
    found.refuse_mistakes()
    return found


def errata(text: str, settings: Settings) -> tuple[Erratum, ...]:
    """The slips and remarks of a text, one for each section.

    Raises
    ------
    ValueError
        Naming what cannot be read.
    """
    page = Page.of(text, settings)
    return tuple(map(page.section, page.sections))


def stated_budget(text: str) -> Expr | None:
    """The compute as the text's budget has it; None where the text states no budget."""
    words = _keyed(_paragraphs(text)).get("Budget", "").rstrip(".")
    if not words:
        return None
    found = FORMULA.fullmatch(words)
    budget = Names(Setting()).formula(found) if found else None
    if budget is None or budget.signs != ("=",) or budget.sides[0] != sym.C:
        raise ParseError(f"{words!r}: a budget reads 'Budget: $C = 6 N D$'")
    return budget.sides[1]


def _paragraphs(text: str) -> list[str]:
    return re.split(r"\n\s*\n", text.strip())


def _keyed(paragraphs: Iterable[str]) -> dict[str, str]:
    """The paragraphs with a key, by key."""
    return {m["key"]: joined(m["text"]) for p in paragraphs if (m := KEYED.fullmatch(p))}


@dataclass
class Page:
    """The paragraphs of a text, read in the names that it has declared."""

    text: str
    head: str
    keyed: dict[str, str]
    setting: Setting
    names: Names
    paragraphs: list[str]  # those that neither declare something nor begin with a key
    sections: list[str]
    lemmas: dict[str, Sentence] = field(default_factory=dict)
    #: The conditions of every step.
    throughout: tuple[Formula, ...] = ()

    @classmethod
    def of(cls, text: str, settings: Settings) -> Page:
        """The page of a text, with its declarations read."""
        body, *sections = SECTION.split(text)
        head, *paragraphs = _paragraphs(body)
        keyed = _keyed(paragraphs)
        setting = settings(keyed.get("Setting", ""), stated_budget(body))
        names = Names(setting, keyed.get("Notation"))
        page = cls(text, head, keyed, setting, names, [], sections)
        page.each(paragraphs, page.declare)
        return page

    def each(self, paragraphs: Iterable[str], read: Callable[[str], Found]) -> list[Found]:
        """The results of reading the paragraphs; an error names the line where one begins."""
        results = []
        for paragraph in paragraphs:
            try:
                results.append(read(paragraph))
            except ValueError as error:
                line = self.text.count("\n", 0, self.text.index(paragraph)) + 1
                raise ParseError(f"line {line}: {error}") from None
        return results

    def declare(self, paragraph: str) -> None:
        """Read a definition or a lemma; the declaration of real letters is an assumption as well."""
        if REAL.fullmatch(paragraph):
            self.names.real(paragraph)
            self.paragraphs.append(paragraph)
        elif LET.fullmatch(paragraph):
            for formula in re.findall(A_FORMULA, paragraph):
                self.names.define(formula)
        elif lemma := LEMMA.fullmatch(paragraph):
            self.lemmas[joined(lemma["source"])] = self.names.sentence(lemma["text"])
        elif not KEYED.fullmatch(paragraph):
            self.paragraphs.append(paragraph)

    def words(self, text: str) -> str | Sentence:
        """The words, as a sentence if there are formulas or steps between them."""
        return self.names.sentence(text) if FORMULA.search(text) or "{" in text else text

    def assumption(self, words: str) -> Sentence:
        """The sentence of an assumption; formulas without words are conditions of every step.

        Raises
        ------
        ParseError
            If the paragraph does not begin with "Assume", has no formula, or binds letters of the
            law in words, which no step would have for a condition.
        """
        if not (words.startswith("Assume ") or REAL.fullmatch(words)):
            raise ParseError(
                f"{words[:60]!r}: an assumption begins with 'Assume'; the statement is the one "
                f"paragraph of other words"
            )
        sentence = self.names.sentence(words)
        if not sentence.formulas:
            raise ParseError(f"{words[:60]!r}: binds no step; write 'Assume $...$' with a formula")
        links = [x for f in sentence.formulas for x in f.links if not _is_positive_letter(x)]
        if ASSUMED.fullmatch(joined(words)):
            self.throughout += tuple(links)
        of_the_law = (f for f in links if f.names <= self.names.known and f.signs[0] in BOUNDS)
        for link in of_the_law:
            if link not in self.throughout:
                raise ParseError(f"{words[:60]!r}: say 'Assume ${link}$', without words")
        return sentence

    def signs(
        self, sentences: Iterable[str | Sentence], steps: Iterable[Step]
    ) -> tuple[Sentence, ...]:
        """A sentence that the new letters are positive which no other sentence calls positive.

        Raises
        ------
        ParseError
            If a sentence says that a letter is not positive.
        """
        used = {x for step in steps for x in step.symbols}
        names = frozenset().union(*(step.names for step in steps))
        for definition in needed(self.names.definitions, names):
            used |= definition.value.free_symbols - definition.name.free_symbols
        formulas = (f for s in sentences if isinstance(s, Sentence) for f in s.formulas)
        links = [link for f in formulas if f.is_domain for link in f.links]
        if wrong := next(filter(_denies_positivity, links), None):
            raise ParseError(f"{wrong}: every letter is positive")
        stated = {letter for link in links if (letter := _called_positive(link)) is not None}
        unstated = frozenset(x for x in used if x.is_positive) - self.names.known - stated
        return (say("Let ") + all_positive(in_paper_order(unstated)) + ".",) if unstated else ()

    # -- steps -------------------------------------------------------------------------------------

    def steps(self, paragraph: str) -> list[Step]:
        """The steps of a paragraph: lines with a name and a formula each, above their one reason."""
        heads, _, reason = paragraph.partition("\n  ")
        return [self.step(head, reason) for head in heads.split("\n")]

    def step(self, head: str, reason: str) -> Step:
        """The step of a line with its name and formula, and of a reason."""
        found = STEP.fullmatch(head)
        first = found and FORMULA.match(found["claim"])
        if found is None or first is None or not reason:
            raise ParseError(
                f"{head[:60]!r}: a step reads '- **name**: $formula$', with its reason below it"
            )
        claim, assumed, limit = self.names.formula(first), [*self.throughout], None
        rest = found["claim"][first.end() :]
        while beside := BESIDE.match(rest):
            following = FORMULA.match(rest, beside.end())
            if following is None:
                raise ParseError(f"{rest!r}: a formula is expected behind {beside['word']!r}")
            if beside["word"] == "as":
                limit = self.names.formula(following)
            else:
                assumed.append(self.names.formula(following))
            rest = rest[following.end() :]
        return Step.read(
            found["name"],
            claim,
            self.names.sentence(reason),
            argument=self.argument(rest, claim, limit),
            assume=tuple(map(_positive, assumed)),
        )

    def argument(self, words: str, claim: Formula, limit: Formula | None) -> Argument:
        """The argument that words behind a step name, or else the default one of its relation."""
        hint = HINT.fullmatch(words)
        if hint is None and words.strip(" ."):
            raise ParseError(
                f"{words!r}: only 'for', 'as', 'by weighted AM-GM', 'by the lemma of' and 'cited from' "
                f"can be read behind a formula"
            )
        if hint and hint["source"]:
            return Cited(hint["source"])
        argument = ByBound(mean=True) if hint and hint["mean"] else _default(claim, limit)
        if not (hint and hint["lemma"]):
            return argument
        sources = [source for source in self.lemmas if source.startswith(hint["lemma"])]
        if len(sources) != 1:
            raise ParseError(f"{hint['lemma']!r}: must name a paragraph 'Lemma of SOURCE: ...'")
        return UnderLemma(self.lemmas[sources[0]], sources[0], argument)

    # -- errata ------------------------------------------------------------------------------------

    def section(self, text: str) -> Erratum:
        """The erratum of a section: a slip of a paper, as printed and corrected, or a remark."""
        head, *paragraphs = _paragraphs(text)
        title, _, where = head.partition("\n")
        steps = [step for p in paragraphs if p.startswith("- **") for step in self.steps(p)]
        claims = tuple(replace(c, where=needed(self.names.definitions, c.names)) for c in steps)
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


def _default(claim: Formula, limit: Formula | None) -> Argument:
    """The argument for a claim that names none."""
    if claim.signs[:1] not in (("~",), ("->",)):
        return ByNormalForm() if claim.signs[:1] == ("=",) else ByBound()
    if limit is None or limit.signs != ("->",) or limit.sides[1] not in (oo, Integer(0)):
        raise ParseError(f"{claim}: needs a limit, 'as $r \\to 0$' or 'as $r \\to \\infty$'")
    variable, end = limit.sides
    if not isinstance(variable, Symbol):
        raise ParseError(f"{limit}: a letter must tend to the limit")
    return ByLeadingTerm(variable, "oo" if end == oo else "0")


def _is_positive_letter(formula: Formula) -> bool:
    """Whether the formula says only that a positive letter is positive."""
    return formula.signs == (">",) and bool((formula.sides[0] - formula.sides[1]).is_positive)


def _called_positive(link: Formula) -> Expr | None:
    """The letter x of `x > 0` or `0 < x`, or E of `E >= 0`; None for any other bound."""
    (left, right), (sign,) = link.sides, link.signs
    if (sign == ">" and right.is_zero) or (sign == ">=" and right.is_zero and left == sym.E):
        return left
    return right if sign == "<" and left.is_zero else None


def _denies_positivity(link: Formula) -> bool:
    """Whether a bound lets a positive letter be 0 or negative; E may be 0."""
    (left, right), (sign,) = link.sides, link.signs
    is_below = sign in ("<", "<=") or (sign == ">=" and left != sym.E)
    return is_below and bool(left.is_positive and right.is_nonpositive)


def _positive(formula: Formula) -> Expr:
    """The expression that is positive where the condition holds; ParseError for a weak bound."""
    found = positive_part(formula)
    if found is None:
        raise ParseError(f"{formula}: a condition of a step is a strict bound, or that two differ")
    return found
