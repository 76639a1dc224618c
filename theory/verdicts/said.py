"""What the sentences of a document say of the signs of its letters, in formulas and in words: "for real
$x$", "$s < 0$", "where $t$ may be negative"; and where it holds.

A letter without a meaning is positive, and a claim proved for positive letters need not hold for
others: so what prose says of a letter decides for which values a claim is meant, and where that is
not understood there is no verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import pairwise

from ..reader.vocabulary import said_of
from .document import FORMULA, Layout, ProseSentence, Scope
from .paper import PrintedEquation
from .sign_formulas import (
    ANY,
    INTERVAL,
    NEGATIVE,
    NONNEGATIVE,
    NONPOSITIVE,
    NONZERO,
    NOTHING_YET,
    NUMBERS,
    POSITIVE,
    SIZING,
    Signs,
    is_of_signs,
    letters_of,
    signs_in,
    signs_of_set,
)
from .supposed import LASTING

KINDS = {
    "positive": POSITIVE,
    "negative": NEGATIVE,
    "nonnegative": NONNEGATIVE,
    "nonpositive": NONPOSITIVE,
    "nonzero": NONZERO,
    "zero": frozenset([0]),
    "real": ANY,
    "reals": ANY,
    "rational": ANY,
    "integer": ANY,
    "integers": ANY,
    "arbitrary": ANY,
    "anysign": ANY,
    "signed": ANY,
    "natural": POSITIVE,
    "whole": ANY,
}
#: Kinds of which not every real number is one: a claim that fails may hold for these.
DISCRETE = frozenset(
    ["rational", "integer", "integers", "natural", "whole", "even", "odd", "prime"]
)
NOT_REAL = frozenset(
    ["complex", "imaginary", "matrix", "matrices", "vector", "vectors", "infinite"]
)
MODAL = frozenset(["may", "can", "could", "might", "need", "needn't", "necessarily"])
NEGATIONS = frozenset(["not", "non", "nor", "never"])
#: Words between a letter and what is said of it.
GLUE = re.compile(
    r"a|all|also|an|and|any|are|at|be|being|belong|belongs|both|coefficient|coefficients"
    r"|component|components|constant|constants|denote|denotes|denoting|dimensionless|distinct"
    r"|each|either|element|elements|even|every|exponent|exponents|finite|fixed|for|from|general"
    r"|given|had|has|have|in|interval|is|large|least|let|letter|letters|lie|lies|nearly|now"
    r"|number|numbers|odd|of|only|or|other|over|parameter|parameters|possibly|prime|principle"
    r"|priori|quantities|quantity|range|ranges|ranging|run|runs|scalar|scalars|small|some|stand"
    r"|stands|strict|strictly|sufficiently|take|takes|that|the|these|they|three|to|two|value"
    r"|valued|values|variable|variables|varies|vary|which"
)
DENIES = re.compile(
    r"\b(?:false|untrue|wrong|not|never|no|nor|nobody|none|nothing|cannot|without(?!\s+(?:bound|limit|end|loss))|unless|neither|except|or|either|otherwise"
    r"|fails?\s+to\s+hold|violate[sd]?|rather\s+than|regardless|drop(?:ped)?|instead)\b|n't\b",
    re.IGNORECASE,
)
#: Before a tokenizer of words: one word.
ANY_SIGN = re.compile(
    r"\b(?:either|any|arbitrary|both|unknown|indefinite|no|no\s+(?:definite|fixed|certain|particular))\s+signs?\b"
    r"|\b(?:whatever|whichever|regardless\s+of|irrespective\s+of|depend(?:s|ing)\s+on|independent(?:ly)?\s+of)"
    r"\s+(?:the|its|their)\s+signs?\b|\bin\s+(?:absolute\s+value|modulus|magnitude)\b",
    re.IGNORECASE,
)
#: "$z$ is less than zero", "$z$ lies between $-1$ and $1$".
WORDED_BOUND = re.compile(
    r"\0(?P<letter>[0-9]+)\0\s+(?:be|is|are|was|lies?|stays?|remains?)\s+(?:strictly\s+)?"
    r"(?P<bound>less\s+than|smaller\s+than|below|at\s+most|no\s+(?:more|larger|greater)\s+than|greater\s+than"
    r"|larger\s+than|above|at\s+least|no\s+(?:less|smaller)\s+than|between)"
    r"\s+(?P<low>zero|one|\0[0-9]+\0)(?:\s+and\s+(?P<high>zero|one|\0[0-9]+\0))?",
    re.IGNORECASE,
)
#: "Let $x$ be the distance from $d$, a real number."
APPOSITION = re.compile(
    r",\s*(?P<kind>(?:a|an|any|some)\s+(?:[\w-]+\s+){1,3}?(?:numbers?|constant|quantity|scalar|variable))\s*(?=[,;.]|\Z)",
    re.IGNORECASE,
)
MENTIONS = re.compile(
    r"\b(?:negative(?!\s+log)|non-?positive|complex|imaginary|anysign|signed|gaussian|matrix|matrices|vectors?|(?:standard\s+)?normal(?:ly)?\s+(?:variable|distributed)"
    r"|reals?(?!\s+(?:data|runs?|world|models?|benchmarks?)))\b",
    re.IGNORECASE,
)
#: "All variables are real": said of every letter, which stands for them as `*`.
EVERYTHING = re.compile(
    r"\ball\s+(?:other\s+)?(?:letters|variables|symbols|quantities|constants|parameters|numbers"
    r"|coefficients|exponents)\b(?!\s*\0)",
    re.IGNORECASE,
)
EVERY_LETTER = "*"
ONLY_HERE = re.compile(
    r"\b(?:if|when|whenever|case|for|as|given|provided|where|with|under)\b", re.IGNORECASE
)
FOR_GOOD = re.compile(rf"\b(?:{LASTING}|throughout|here)\b", re.IGNORECASE)
#: What a sentence may say beside the signs, and still speak of all numbers that have these.
UNIVERSAL = re.compile(
    r"for|all|every|any|each|arbitrary|whatever|let|be|is|are|we|have|has|then|holds?|it|that|and|also|thus|hence|so|now|the|a"
    r"|an|numbers?|constants?|letters?|variables?|values?|of|with|in|following|inequality|identity|claim|clearly|obviously"
    r"|here|whenever|if|suppose|assume|strictly|one|by|both|two|three|given|choice"
)
OF_ALL = re.compile(r"\b(?:all|every|any|each|arbitrary|whatever)\b", re.IGNORECASE)
WORDS = re.compile(r"[A-Za-z'-]+|\0[0-9]+\0|[^\sA-Za-z\0]")
GOES_ON_WITH = re.compile(
    r"which|that|this|but|although|though|or|nor|unless|except", re.IGNORECASE
)
SUBJECT = re.compile(r"\0[0-9]+\0\s+(?:be|is|denotes)\b")
LISTING = re.compile(r"[\s~,]*(?:and)?[\s~,]*")


@dataclass(frozen=True)
class Said:
    """What a sentence says of one letter.

    Attributes
    ----------
    letter : str
    signs : frozenset of int, or None
        The signs that the letter may have: of -1, 0 and 1. None where it is not understood.
    at : int
        Where in the document the sentence says so.
    sentence : tuple of int
        From where to where the sentence goes.
    is_discrete : bool
        Whether only some numbers of these signs are meant, as whole ones.
    is_passing : bool
        Whether it holds in its sentence alone.
    is_open : bool
        Whether the letter is said to take these signs, "of either sign", and not just to be real.
    is_of_all : bool
        Whether the sentence speaks of every such number.
    law : str
        What the law says instead, where the letter is one of its own.
    """

    letter: str
    signs: Signs | None
    at: int
    sentence: tuple[int, int]
    is_discrete: bool = False
    is_passing: bool = False
    is_open: bool = False
    is_of_all: bool = False
    law: str = ""

    def and_also(self, other: Said) -> Said:
        """The same sentence says both."""
        signs = None
        if self.signs is not None and other.signs is not None:
            signs = self.signs & other.signs or None
        return replace(
            self,
            signs=signs,
            is_discrete=self.is_discrete or other.is_discrete,
            is_passing=self.is_passing and other.is_passing,
            is_open=self.is_open or other.is_open,
        )

    @property
    def may_be_else(self) -> bool:
        """Whether the letter is said to have, or to be able to have, another sign than plus."""
        return self.signs is not None and self.is_open

    @property
    def shown(self) -> str:
        """`z < 0`."""
        return said_of(self.letter, self.signs or ANY)


@dataclass(frozen=True)
class Statement:
    """What one formula of a sentence, or the words beside it, say of a letter."""

    letter: str
    signs: Signs | None
    formula: int
    is_discrete: bool = False
    is_open: bool = False


@dataclass(frozen=True)
class Kinds:
    """What words say of the letters beside them."""

    signs: Signs | None
    is_discrete: bool = False
    is_open: bool = False


def said_in(layout: Layout) -> Iterator[Said]:
    """What each sentence of a document says of each letter."""
    for sentence in layout.sentences:
        spoken = _Spoken.of(sentence)
        if spoken is not None:
            yield from spoken.said


@dataclass(frozen=True)
class _Spoken:
    """A sentence with its turns of speech as single words, and "all variables" as a formula.

    Attributes
    ----------
    span : tuple of int
    formulas : tuple of str
        `EVERY_LETTER` for "all variables".
    places : tuple of int
        Where each formula stands in the document.
    text : str
    """

    span: tuple[int, int]
    formulas: tuple[str, ...]
    places: tuple[int, ...]
    text: str

    @classmethod
    def of(cls, sentence: ProseSentence) -> _Spoken | None:
        """None where it speaks of no letters."""
        formulas = [SIZING.sub(" ", formula.text) for formula in sentence.formulas]
        places = [formula.start for formula in sentence.formulas]
        text = sentence.text
        if EVERYTHING.search(text) is not None:
            text = EVERYTHING.sub(f" \0{len(formulas)}\0 ", text)
            formulas.append(EVERY_LETTER)
            places.append(sentence.end - 1)
        if not formulas:
            return None
        text = _with_appositions(ANY_SIGN.sub(" anysign ", text))
        return cls((sentence.start, sentence.end), tuple(formulas), tuple(places), text)

    @cached_property
    def words(self) -> list[str]:
        return WORDS.findall(self.text)

    @property
    def said(self) -> Iterator[Said]:
        """What it says of each letter."""
        by_words, consumed = self._of_words()
        statements = [*self._of_formulas(), *by_words, *self._of_worded_bounds()]
        rest = [word if k not in consumed else "" for k, word in enumerate(self.words)]
        clauses = list(_clauses(rest))
        denied = {
            i for clause in clauses if DENIES.search(" ".join(clause)) for i in _items(clause)
        }
        plain = {one.letter for one in self._of_formulas()} | {
            one.letter for one in by_words if one.signs == ANY
        }
        for clause in clauses:
            if MENTIONS.search(" ".join(clause)):
                statements += [
                    Statement(letter, None, i)
                    for i in _items(clause)
                    for letter in self._letters(i)
                    if letter not in plain
                ]
        for letter in dict.fromkeys(statement.letter for statement in statements):
            yield reduce(
                Said.and_also,
                (
                    Said(
                        letter,
                        None if one.formula in denied and one.signs != ANY else one.signs,
                        self.places[one.formula],
                        self.span,
                        one.is_discrete,
                        _is_passing(self.text.partition(f"\0{one.formula}\0")[0]),
                        one.is_open,
                        self._is_of_all and not one.is_discrete,
                    )
                    for one in statements
                    if one.letter == letter
                ),
            )

    @cached_property
    def _is_of_all(self) -> bool:
        """Whether it speaks of every number of some signs, and says nothing else."""
        words = [_bare(word) for word in self.words if word[0].isalpha()]
        return (
            OF_ALL.search(self.text) is not None
            and all(word in KINDS or UNIVERSAL.fullmatch(word) for word in words)
            and all(formula == EVERY_LETTER or is_of_signs(formula) for formula in self.formulas)
        )

    def _letters(self, i: int) -> list[str]:
        formula = self.formulas[i]
        return [formula] if formula == EVERY_LETTER else letters_of(formula)

    def _of_formulas(self) -> Iterator[Statement]:
        """What the formulas say by themselves; `$a$, $b$ and $c > 0$` says so of all three."""
        waiting: list[str] = []
        for i, formula in enumerate(self.formulas):
            for letters, signs, is_discrete in signs_in(formula) if formula != EVERY_LETTER else ():
                if signs == NOTHING_YET:
                    waiting += letters
                    continue
                is_open = signs is not None and 1 not in signs
                for letter in (*waiting, *letters):
                    yield Statement(letter, signs, i, is_discrete, is_open)
                waiting = []
            between = self.text.partition(f"\0{i}\0")[2].partition(f"\0{i + 1}\0")[0]
            if LISTING.fullmatch(between) is None:
                waiting = []

    def _of_words(self) -> tuple[list[Statement], set[int]]:
        """What the words beside the letters say, and which words do."""
        words = self.words
        statements: list[Statement] = []
        consumed: set[int] = set()
        for first, past in _lists(words):
            items = _items(words[first:past])
            letters = [letter for i in items for letter in self._letters(i)]
            after = _after(words, past)
            for span in (after, _before(words, first)):
                kinds = _kinds([words[k] for k in span])
                if kinds is not None and letters:
                    statements += [
                        Statement(letter, kinds.signs, items[-1], kinds.is_discrete, kinds.is_open)
                        for letter in letters
                    ]
                    consumed.update(span)
            values = self._values(past + len(after)) if after else None
            if values is not None:
                signs, is_discrete = signs_of_set(values)
                statements += [
                    Statement(letter, signs, items[-1], is_discrete) for letter in letters
                ]
        return statements, consumed

    def _of_worded_bounds(self) -> Iterator[Statement]:
        """ "$z$ is less than zero" as $z < 0$."""
        for match in WORDED_BOUND.finditer(self.text):
            i, bound = int(match["letter"]), " ".join(match["bound"].lower().split())
            low, high = self._value(match["low"]), self._value(match["high"])
            if bound == "between":
                formula = f"{low} < z < {high}"
            elif bound in ("less than", "smaller than", "below"):
                formula = f"z < {low}"
            elif bound in ("greater than", "larger than", "above"):
                formula = f"z > {low}"
            else:
                is_least = bound in ("at least", "no less than", "no smaller than")
                relation = r"\ge" if is_least else r"\le"
                formula = f"z {relation} {low}"
            for _, signs, _ in signs_in(formula):
                is_open = signs is not None and 1 not in signs
                yield from (Statement(name, signs, i, is_open=is_open) for name in self._letters(i))

    def _value(self, word: str | None) -> str:
        """The number of a word or a formula."""
        item = FORMULA.fullmatch(word or "")
        return (
            self.formulas[int(item[1])] if item else {"zero": "0", "one": "1"}.get(word or "", "")
        )

    def _values(self, k: int) -> str | None:
        """The set of numbers that a word is: `(-1, 1)`."""
        item = FORMULA.fullmatch(self.words[k]) if k < len(self.words) else None
        formula = self.formulas[int(item[1])].strip() if item is not None else ""
        return formula if NUMBERS.fullmatch(formula) or INTERVAL.fullmatch(formula) else None


def _items(words: Sequence[str]) -> list[int]:
    """The formulas among the words."""
    return [int(item[1]) for word in words if (item := FORMULA.fullmatch(word))]


def _is_passing(before: str) -> bool:
    """Whether the last word that introduces what follows is one for this sentence alone."""
    clause = re.split("[;:]", before)[-1]
    lasting, passing = (
        max((match.end() for match in words.finditer(clause)), default=-1)
        for words in (FOR_GOOD, ONLY_HERE)
    )
    return passing > lasting


def _with_appositions(skeleton: str) -> str:
    """ "Let $x$ be what is left, a real number" with the last words behind the letter."""
    match = APPOSITION.search(skeleton)
    subject = SUBJECT.search(skeleton, 0, match.start()) if match is not None else None
    if match is None or subject is None:
        return skeleton
    moved = f"{subject.group()} {match['kind']} , "
    return (
        skeleton[: subject.start()]
        + moved
        + skeleton[subject.end() : match.start()]
        + skeleton[match.end() :]
    )


def _clauses(words: Sequence[str]) -> Iterator[list[str]]:
    """The words between marks, but what goes on with "which" belongs to what is before."""
    clause: list[str] = []
    for k, word in enumerate(words):
        following = words[k + 1] if k + 1 < len(words) else ""
        if word in (";", ":") or (word == "," and GOES_ON_WITH.fullmatch(following) is None):
            yield clause
            clause = []
        elif word:
            clause.append(word)
    yield clause


# -- where it holds -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Letters:
    """What a document says of its letters, in the order of the text."""

    said: tuple[Said, ...]
    layout: Layout

    @classmethod
    def of(cls, layout: Layout) -> Letters:
        return cls(tuple(said_in(layout)), layout)

    def at(self, letter: str, equation: PrintedEquation) -> Said | None:
        """What holds of a letter at an equation: what its own sentence says, else what was let
        before; None where nothing is. That a letter is whole is said beside what was let.
        """
        place = equation.display[0]
        near = self._near(letter, place) or self._near(EVERY_LETTER, place)
        own = [one for one in near if one.sentence[0] <= place < one.sentence[1]]
        lasting = [one for one in near if not one.is_passing and one.at <= place]
        before = [one for one in near if one.sentence[1] <= place]
        if own and before and own[-1].is_discrete:
            return own[-1].and_also(before[-1])
        return next(reversed(own or lasting), None)

    def near(self, letter: str, equation: PrintedEquation) -> Said | None:
        """What is said of a letter anywhere near an equation, of other places: it may have all the
        signs that it has there. None where it is positive.
        """
        others = [
            one
            for one in (
                *self._near(letter, equation.display[0]),
                *self._near(EVERY_LETTER, equation.display[0]),
            )
            if one.signs is None or not one.signs <= POSITIVE
        ]
        if not others:
            return None
        unclear = [one for one in others if one.signs is None]
        signs = POSITIVE.union(*(one.signs for one in others if one.signs is not None))
        return replace([*others, *unclear][-1], signs=None if unclear else signs, is_of_all=False)

    def _near(self, letter: str, place: int) -> list[Said]:
        return self._by_scope.get((letter, self.layout.part(place)), [])

    @cached_property
    def _by_scope(self) -> dict[tuple[str, Scope], list[Said]]:
        groups: dict[tuple[str, Scope], list[Said]] = {}
        for one in self.said:
            groups.setdefault((one.letter, self.layout.part(one.at)), []).append(one)
        return groups


# -- words ---------------------------------------------------------------------------------------------


def _lists(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Formulas that are listed: from which word to which."""
    k = 0
    while k < len(words):
        if FORMULA.fullmatch(words[k]) is None:
            k += 1
            continue
        first, past = k, k + 1
        while True:
            ahead = past
            while ahead < len(words) and words[ahead].lower() in (",", "and", "or", "~"):
                ahead += 1
            if past < ahead < len(words) and FORMULA.fullmatch(words[ahead]):
                past = ahead + 1
            else:
                break
        yield first, past
        k = past


def _known(word: str) -> bool:
    bare = _bare(word)
    return (
        GLUE.fullmatch(bare) is not None
        or bare in KINDS
        or bare in NOT_REAL
        or bare in MODAL
        or bare in NEGATIONS
        or word == ","
    )


def _bare(word: str) -> str:
    return re.sub(r"\Anon-(?=.)", "non", word.lower()).replace("-valued", "")


def _after(words: Sequence[str], past: int) -> list[int]:
    """The words behind a list that can be said of it."""
    span = []
    for k in range(past, len(words)):
        if words[k] == ")" or (words[k] in ("(", ":") and k == past):
            continue
        is_first = words[k].isdigit() and k > past and words[k - 1] == "from"
        if not (_known(words[k]) or is_first):
            break
        span.append(k)
    return span


def _before(words: Sequence[str], first: int) -> list[int]:
    """The words before a list that can be said of it."""
    span: list[int] = []
    for k in range(first - 1, -1, -1):
        if not _known(words[k]) or words[k] == ",":
            break
        span.insert(0, k)
    return span


def _kinds(words: Sequence[str]) -> Kinds | None:
    """What words say of a sign; None where they say nothing."""
    signs: Signs | None = None
    negated = modal = discrete = alternative = False
    met = False
    for before, word in pairwise(["", *map(_bare, words)]):
        if word == "zero" and before in ("least", "most"):
            continue
        if word in NOT_REAL:
            return Kinds(None, is_open=True)
        modal = modal or word in MODAL
        if word in NEGATIONS:
            negated = True
        if word == "or":
            alternative = met
        discrete = discrete or word in DISCRETE
        if word.isdigit() and signs is not None:
            signs &= POSITIVE if int(word) else NONNEGATIVE
        if word not in KINDS:
            continue
        kind = ANY - KINDS[word] if negated else KINDS[word]
        if negated and KINDS[word] == ANY:
            return Kinds(None, is_open=True)
        signs = kind if signs is None else signs | kind if alternative else signs & kind
        met, negated, alternative = True, False, False
    if signs is None:
        return None
    if modal:
        return Kinds(NONNEGATIVE if signs == frozenset([0]) else ANY, discrete, is_open=True)
    return Kinds(signs or None, discrete, 1 not in signs or "anysign" in words)
