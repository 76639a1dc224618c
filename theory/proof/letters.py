"""What the prose of a document says of the sign of its letters: "for all real $x$", "$s < 0$",
"where $t$ may be negative".

A letter without a meaning is positive, and a claim proved for positive letters need not hold for
others: so what prose says of a letter decides for which values a claim is meant, and where that is
not understood there is no verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise

from ..algebra.latex_input import tokenize_latex
from ..algebra.parse import ParseError
from .defined import Environment, Scope, Sides, name_alone
from .paper import INLINE, OPENING, SECTION, PrintedEquation
from .vocabulary import said_of

POSITIVE, NONNEGATIVE, NONZERO = frozenset([1]), frozenset([0, 1]), frozenset([-1, 1])
NEGATIVE, NONPOSITIVE, ANY = frozenset([-1]), frozenset([-1, 0]), frozenset([-1, 0, 1])
Signs = frozenset[int]

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
    "sign": ANY,
    "signs": ANY,
    "natural": POSITIVE,
    "whole": ANY,
}
#: Kinds of which not every real number is one: a claim that fails may hold for these.
DISCRETE = frozenset(
    ["rational", "integer", "integers", "natural", "whole", "even", "odd", "prime"]
)
NOT_REAL = frozenset(
    ["complex", "imaginary", "matrix", "matrices", "vector", "vectors", "random", "infinite"]
)
MODAL = frozenset(["may", "can", "could", "might", "need", "needn't", "necessarily"])
NEGATIONS = frozenset(["not", "non", "nor", "never"])
#: Words between a letter and what is said of it.
GLUE = re.compile(
    r"a|all|also|an|and|any|are|at|be|being|belong|belongs|both|coefficient|coefficients"
    r"|constant|constants|denote|denotes|denoting|dimensionless|distinct|each|either|element"
    r"|elements|even|every|exponent|exponents|finite|fixed|for|from|given|in|interval|is|large"
    r"|least|let|letter|letters|lie|lies|nearly|now|number|numbers|odd|of|only|or|other|over"
    r"|parameter|parameters|possibly|prime|quantities|quantity|range|ranges|ranging|run|runs"
    r"|scalar|scalars|small|some|stand|stands|strict|strictly|sufficiently|take|takes|that|the"
    r"|these|they|three|to|two|value|valued|values|variable|variables|varies|vary|which"
)
DENIES = re.compile(
    r"\b(?:false|untrue|wrong|not|never|no|nor|nobody|none|nothing|cannot|without|unless|neither|except|or|either|otherwise"
    r"|fails?|violate[sd]?|rather\s+than|regardless|drop(?:ped)?|instead)\b|n't\b",
    re.IGNORECASE,
)
MENTIONS = re.compile(
    r"\b(?:negative|non-?positive|complex|imaginary|signs?|matrix|matrices|vectors?|random"
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
    r"\b(?:if|when|whenever|case|for|as|at|given|provided|where|with|under)\b", re.IGNORECASE
)
FOR_GOOD = re.compile(
    r"\b(?:let|letting|assume|assuming|suppose|supposing|set|take|taking|choose|consider|fix|throughout|here)\b",
    re.IGNORECASE,
)
OF_ALL = re.compile(r"\b(?:all|every|any|each|arbitrary|whatever)\b", re.IGNORECASE)
ABBREVIATION = re.compile(
    r"(?:i\.\s?e|e\.\s?g|cf|resp|et al|eq|eqs|fig|sec|s\.\s?t|w\.\s?r\.\s?t)\Z", re.IGNORECASE
)
SENTENCE_ENDS = re.compile(r"[.?!](?=\s|\Z)|\n\s*\n|\\(?:item|begin|end|label|caption)(?![A-Za-z])")
WORDS = re.compile(r"[A-Za-z'-]+|\0[0-9]+\0|[^\sA-Za-z\0]")
ITEM = re.compile(r"\0([0-9]+)\0")
IN = re.compile(r"(?P<left>.+?)\\in(?![A-Za-z])(?P<set>.+)", re.DOTALL)
NUMBERS = re.compile(
    r"\\(?:mathbb|mathbf|mathrm|Bbb)\s*\{?\s*(?P<letter>[RCNZQ])\s*\}?(?P<mark>.*)|\\(?P<bare>R|C|N|Z|Q|Reals)(?P<bared>.*)",
    re.DOTALL,
)
INTERVAL = re.compile(r"(?P<open>[(\[\]])(?P<low>[^,;]+)[,;](?P<high>[^,;]+)(?P<close>[)\]\[])")
INFINITE = re.compile(r"[-+]?\\infty")
ABSOLUTE = re.compile(r"\\left\||\\right\||\\[lr]?vert(?![A-Za-z])|\|")
PIECES = re.compile(r",(?![^{(\[]*[})\]])")
SIZING = re.compile(r"\\(?:left|right|,|;|!|:|quad|qquad|big|Big|bigg|Bigg)(?![A-Za-z])")
RANK = {"<": 1, "<=": 1, ">": -1, ">=": -1}
UP_TO = {"<": "<", "<=": r"\le", ">": ">", ">=": r"\ge"}


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
    def shown(self) -> str:
        """`z < 0`."""
        return said_of(self.letter, self.signs or ANY)


@dataclass(frozen=True)
class Letters:
    """What a document says of its letters, in the order of the text."""

    said: tuple[Said, ...]
    headings: tuple[int, ...]
    environments: tuple[Environment, ...]
    length: int

    @classmethod
    def of(cls, text: str, environments: Sequence[Environment]) -> Letters:
        headings = tuple(match.start() for match in SECTION.finditer(text))
        return cls(tuple(_said(text)), headings, tuple(environments), len(text))

    def at(self, letter: str, equation: PrintedEquation) -> Said | None:
        """What holds of a letter at an equation: what its own sentence says, else what was let
        before; None where nothing is.
        """
        place = equation.display[0]
        near = self._near(letter, place) or self._near(EVERY_LETTER, place)
        own = [one for one in near if one.sentence[0] <= place < one.sentence[1]]
        lasting = [one for one in near if not one.is_passing and one.at <= place]
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
        scope = self._scope(place)
        return [one for one in self.said if one.letter == letter and self._scope(one.at) == scope]

    def _scope(self, at: int) -> Scope:
        """The theorem with its proof, or else the section, in which a place lies."""
        inside = [one for one in self.environments if at in one]
        if inside:
            widest = min(inside, key=lambda one: one.start)
            return Scope(widest.start, widest.end)
        ends = [0, *self.headings, self.length + 1]
        return next(Scope(a, b) for a, b in pairwise(ends) if a <= at < b)


def inequalities(formula: str) -> list[str]:
    """A chain or a membership of an interval as bounds: `0 < s < 1` and `s \\in (0, 1)` both say
    `0 < s` and `s < 1`; other formulas are left as they are.
    """
    member = IN.fullmatch(SIZING.sub(" ", formula))
    if member is not None:
        interval = INTERVAL.fullmatch(member["set"].strip())
        return [] if interval is None else _bounds_of(member["left"], interval)
    sides = Sides.of(formula)
    if sides is None or len(sides.relations) < 2:
        return [formula]
    if not all(relation.text in RANK for relation in sides.relations):
        return [formula]
    return [
        f"{left.strip()} {UP_TO[relation.text]} {right.strip()}"
        for left, relation, right in zip(
            sides.sources, sides.relations, sides.sources[1:], strict=False
        )
    ]


def _bounds_of(letters: str, interval: re.Match[str]) -> list[str]:
    low, high = interval["low"].strip(), interval["high"].strip()
    above = ">" if interval["open"] in "(]" else r"\ge"
    below = "<" if interval["close"] in ")[" else r"\le"
    bounds = []
    for letter in map(str.strip, letters.split(",")):
        if not INFINITE.fullmatch(low):
            bounds.append(f"{letter} {above} {low}")
        if not INFINITE.fullmatch(high):
            bounds.append(f"{letter} {below} {high}")
    return bounds


# -- sentences -----------------------------------------------------------------------------------------


def _said(text: str) -> Iterator[Said]:
    """What each sentence says of each letter."""
    prose = _without_displays(text)
    for start, end in _sentences(prose):
        yield from _of_sentence(prose, start, end)


def _without_displays(text: str) -> str:
    """The prose; of a display only the full stop at its end is left."""
    characters = list(text)
    position = 0
    while (opening := OPENING.search(text, position)) is not None:
        name = opening["name"]
        closing = rf"\end{{{name}}}" if name else r"\]" if opening["bracket"] else "$$"
        last = text.find(closing, opening.end())
        if last < 0:
            break
        end = last + len(closing)
        characters[opening.start() : end] = " " * (end - opening.start())
        if re.search(
            r"\.(?:\s|\\label\{[^{}]*\}|\\(?:qedhere|notag|nonumber))*\Z",
            text[opening.end() : last],
        ):
            characters[end - 1] = "."
        position = end
    return "".join(characters)


def _sentences(prose: str) -> Iterator[tuple[int, int]]:
    start = 0
    inline = [match.span() for match in INLINE.finditer(prose)]
    for match in SENTENCE_ENDS.finditer(prose):
        if any(first < match.start() < last for first, last in inline):
            continue
        if match.group() == "." and ABBREVIATION.search(
            prose[max(start, match.start() - 8) : match.start()]
        ):
            continue
        yield start, match.end()
        start = match.end()
    yield start, len(prose)


def _of_sentence(prose: str, start: int, end: int) -> Iterator[Said]:
    """What one sentence says: the formulas of signs in it, and the words beside letters."""
    formulas = list(INLINE.finditer(prose, start, end))
    if not formulas and EVERYTHING.search(prose, start, end) is None:
        return
    inside = [SIZING.sub(" ", match["dollars"] or match["round"] or "") for match in formulas]
    pieces, last = [], start
    for i, match in enumerate(formulas):
        pieces += [prose[last : match.start()].replace("\0", " "), f" \0{i}\0 "]
        last = match.end()
    skeleton = "".join([*pieces, prose[last:end].replace("\0", " ")])
    places = [match.start() for match in formulas]
    if EVERYTHING.search(skeleton) is not None:
        skeleton = EVERYTHING.sub(f" \0{len(inside)}\0 ", skeleton)
        inside.append(EVERY_LETTER)
        places.append(end - 1)
    words = WORDS.findall(skeleton)
    found: dict[str, list[tuple[Signs | None, bool, bool, int]]] = {}

    def note(
        i: int, letters: Sequence[str], signs: Signs | None, discrete: bool, is_open: bool
    ) -> None:
        for letter in letters:
            found.setdefault(letter, []).append((signs, discrete, is_open, places[i]))

    waiting: list[str] = []
    for i, formula in enumerate(inside):
        for letters, signs, discrete in () if formula == EVERY_LETTER else _of_formula(formula):
            if signs is not None and not signs:
                waiting += letters
                continue
            note(i, [*waiting, *letters], signs, discrete, signs is not None and 1 not in signs)
            waiting = []
        if i + 1 < len(inside) and not _is_listing(skeleton, i):
            waiting = []
    consumed: set[int] = set()
    for first, past in _lists(words):
        members = [int(one[1]) for word in words[first:past] if (one := ITEM.fullmatch(word))]
        letters = [name for i in members for name in _letters_of(inside[i])]
        for span in (_after(words, past), _before(words, first)):
            kinds = _kinds([words[k] for k in span])
            if kinds is not None and letters:
                note(members[-1], letters, *kinds)
                consumed.update(span)
        behind = past + len(_after(words, past))
        ranged = ITEM.fullmatch(words[behind]) if behind < len(words) else None
        if past < behind and ranged is not None and letters:
            values = inside[int(ranged[1])].strip()
            if NUMBERS.fullmatch(values) or INTERVAL.fullmatch(values):
                signs, discrete = _of_set(values)
                note(members[-1], letters, signs, discrete, False)
    rest = " ".join(word for k, word in enumerate(words) if k not in consumed)
    is_of_all = OF_ALL.search(skeleton) is not None
    denies = DENIES.search(rest) is not None
    if MENTIONS.search(rest):
        for i, formula in enumerate(inside):
            for letter in _letters_of(formula):
                if letter not in found:
                    note(i, [letter], None, False, False)
    lasting = FOR_GOOD.search(skeleton) is not None
    passing = ONLY_HERE.search(skeleton) is not None and not lasting
    for letter, statements in found.items():
        said = [
            Said(
                letter,
                None if denies else signs,
                at,
                (start, end),
                discrete,
                passing,
                is_open,
                is_of_all and not discrete,
            )
            for signs, discrete, is_open, at in statements
        ]
        yield reduce(Said.and_also, said)


def _is_listing(skeleton: str, i: int) -> bool:
    """Whether the next formula goes on with a list."""
    between = skeleton.partition(f"\0{i}\0")[2].partition(f"\0{i + 1}\0")[0]
    return re.fullmatch(r"[\s~,]*(?:and)?[\s~,]*", between) is not None


# -- formulas ------------------------------------------------------------------------------------------


def _of_formula(formula: str) -> Iterator[tuple[list[str], Signs | None, bool]]:
    """The letters of each piece with the signs that it gives them; no signs for a piece that is a
    letter alone, which the next piece may speak of.
    """
    for piece in PIECES.split(formula):
        member = IN.fullmatch(piece)
        if member is not None:
            letters = [name for part in member["left"].split(",") for name in _letter(part)]
            signs, discrete = _of_set(member["set"].strip())
            yield letters, signs, discrete
        elif name := _letter(piece):
            yield name, frozenset(), False
        else:
            yield from _of_bounds(piece)


def _of_set(text: str) -> tuple[Signs | None, bool]:
    numbers = NUMBERS.fullmatch(text)
    if numbers is not None:
        letter = (numbers["letter"] or numbers["bare"])[0]
        mark = re.sub(r"[\s{}_^]", "", numbers["mark"] or numbers["bared"] or "")
        signs = {"": ANY, "+": POSITIVE, "++": POSITIVE, ">0": POSITIVE, "*": NONZERO}.get(mark)
        if mark in (r"\ge0", r"\geq0", ">=0", r"\geqslant0", "0+", "+0"):
            signs = NONNEGATIVE
        if mark in ("-", "--", "<0"):
            signs = NEGATIVE
        if letter == "N":
            signs = POSITIVE if mark != "0" else NONNEGATIVE
        return (None if letter == "C" else signs), letter in "NZQ"
    interval = INTERVAL.fullmatch(text)
    if interval is None:
        return None, False
    return _between(
        interval["low"], interval["open"] in "(]", interval["high"], interval["close"] in ")["
    ), False


def _of_bounds(piece: str) -> Iterator[tuple[list[str], Signs | None, bool]]:
    """`s < t < 0`: each letter by the numbers that it lies between."""
    for inside in ABSOLUTE.split(piece)[1::2]:
        if name := _letter(inside):
            yield name, ANY, False
    sides = Sides.of(piece)
    if sides is None or not sides.relations:
        return
    if [relation.text for relation in sides.relations] == ["!="]:
        if sides.sources[1].strip() == "0" and (name := _letter(sides.sources[0])):
            yield name, NONZERO, False
        return
    signs = [relation.text for relation in sides.relations]
    if not all(sign in RANK for sign in signs) or len({RANK[sign] for sign in signs}) > 1:
        return
    sources = [*sides.sources]
    if RANK[signs[0]] < 0:
        sources, signs = sources[::-1], [sign.replace(">", "<") for sign in signs[::-1]]
    numbers = [_number(source) for source in sources]
    for i, source in enumerate(sources):
        for letter in map(_letter, source.split(",")):
            low = [k for k in range(i) if numbers[k] is not None]
            high = [k for k in range(i + 1, len(sources)) if numbers[k] is not None]
            if not letter or not (low or high):
                continue
            least = sources[low[-1]] if low else r"-\infty"
            most = sources[high[0]] if high else r"\infty"
            is_above = "<" in signs[low[-1] : i] if low else True
            is_below = "<" in signs[i : high[0]] if high else True
            if not low and (numbers[high[0]] or 0) > 0:
                continue  # `s < 1` of a letter that is positive
            yield letter, _between(least, is_above, most, is_below), False


def _between(low: str, above: bool, high: str, below: bool) -> Signs | None:
    """The signs of what lies between two bounds, strictly or not."""
    least, most = _end(low), _end(high)
    if least is None or most is None:
        return None
    signs = set()
    if least < 0:
        signs.add(-1)
    if (least < 0 or (least == 0 and not above)) and (most > 0 or (most == 0 and not below)):
        signs.add(0)
    if most > 0:
        signs.add(1)
    return frozenset(signs) or None


def _end(text: str) -> float | None:
    """The value of a bound; any positive number for a letter."""
    text = text.strip()
    if INFINITE.fullmatch(text):
        return float("-inf") if text.startswith("-") else float("inf")
    number = _number(text)
    if number is not None:
        return number
    if _letter(text):
        return 1.0
    return -1.0 if text.startswith("-") and _letter(text[1:]) else None


def _number(text: str) -> float | None:
    text = text.strip().strip("{}")
    fraction = re.fullmatch(r"(-?)\\[dt]?frac\s*\{?([0-9]+)\}?\s*\{?([0-9]+)\}?", text)
    if fraction is not None:
        return float(f"{fraction[1]}1") * int(fraction[2]) / int(fraction[3])
    slashed = re.fullmatch(r"(-?[0-9]+)\s*/\s*([1-9][0-9]*)", text)
    if slashed is not None:
        return int(slashed[1]) / int(slashed[2])
    return float(text) if re.fullmatch(r"-?\s*[0-9]+(?:\.[0-9]+)?", text) else None


def _letter(text: str) -> list[str]:
    """The name that a formula is, if it is one."""
    if not text.strip():
        return []
    try:
        tokens = tokenize_latex(text)
    except ParseError:
        return []
    named = name_alone(tokens)
    return [named[0]] if named is not None and not named[1] else []


def _letters_of(formula: str) -> list[str]:
    """The letters that a formula lists, or of which it gives a bound."""
    if formula == EVERY_LETTER:
        return [formula]
    names: list[str] = []
    for piece in PIECES.split(formula):
        member = IN.fullmatch(piece)
        sides = None if member is not None else Sides.of(piece)
        parts = (
            member["left"].split(",") if member is not None else sides.sources if sides else [piece]
        )
        names += [name for part in parts for name in _letter(part)]
    return names


# -- words ---------------------------------------------------------------------------------------------


def _lists(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Formulas that are listed: from which word to which."""
    k = 0
    while k < len(words):
        if ITEM.fullmatch(words[k]) is None:
            k += 1
            continue
        first, past = k, k + 1
        while True:
            ahead = past
            while ahead < len(words) and words[ahead].lower() in (",", "and", "or", "~"):
                ahead += 1
            if past < ahead < len(words) and ITEM.fullmatch(words[ahead]):
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
        if words[k] == ")" or (words[k] == "(" and k == past):
            continue
        if not _known(words[k]):
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


def _kinds(words: Sequence[str]) -> tuple[Signs | None, bool, bool] | None:
    """The signs that words give, whether only to some numbers, and whether the letter is said to
    take them all; None where they give none.
    """
    signs: Signs | None = None
    negated = modal = discrete = alternative = False
    met = False
    for word in map(_bare, words):
        if word in NOT_REAL:
            return None, False, True
        modal = modal or word in MODAL
        if word in NEGATIONS:
            negated = True
        if word == "or":
            alternative = met
        discrete = discrete or word in DISCRETE
        if word not in KINDS:
            continue
        kind = ANY - KINDS[word] if negated else KINDS[word]
        if negated and KINDS[word] == ANY:
            return None, False, True
        signs = kind if signs is None else signs | kind if alternative else signs & kind
        met, negated, alternative = True, False, False
    if signs is None:
        return (None, False, True) if negated and met else None
    if modal:
        return (NONNEGATIVE if signs == frozenset([0]) else ANY), discrete, True
    is_open = 1 not in signs or any(_bare(word) in ("sign", "signs") for word in words)
    return (signs or None), discrete, is_open
