"""Claims between two values of one function without a formula, `h(x) == h(y)` or, where the sign of its
derivative is assumed, `h(x) >= h(y)`: they follow from what holds between x and y.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..algebra.answer import Decision, undecided
from ..algebra.parse import FUNCTION_LETTERS
from ..algebra.tokens import Token
from ..proof.argument import BOUNDS
from .typed import tokens_of

if TYPE_CHECKING:
    from .prove import ChainLink

#: `dh(y)/dy > 0`, `-h'(y) > 0`, without its brackets.
SLOPE = re.compile(
    r"(?P<minus>- )?(?:(?:partial|d) ?(?P<f>\w+)(?: (?P<of>\w+))? / (?:partial|d) ?(?P<by>\w+)"
    r"|(?P<prime>\w+)_prime (?P<at>\w+)) (?P<relation>[<>]) 0"
)


@dataclass(frozen=True)
class Inside:
    """The claim between the arguments."""

    function: str
    parts: list[list[Token]]
    """The sides, exchanged where the function decreases."""
    assume: list[str]
    """What is assumed beside the sign of the derivative."""
    way: str
    """What is known of the function: `increases`, `decreases` or nothing."""

    def decision(self, link: ChainLink) -> Decision:
        """On the values of the function, by the one on its arguments; nothing is refuted of a function
        without a formula.
        """
        between = link.decision
        place = f"inside {self.function}{self.way and f', which {self.way}'}"
        if not between.proved:
            return undecided(f"{place}: not proved")
        if self.way and not (link.lhs.is_positive and link.rhs.is_positive):
            return undecided(f"{place}: its arguments may not be positive")
        return replace(between, reason=f"{place}: {between.reason}")


def inside_a_function(
    parts: Sequence[list[Token]],
    relations: Sequence[Token],
    assume: Sequence[str],
) -> Inside | None:
    """The claim between the arguments, from which the whole one follows; None where there is none."""
    if len(relations) != 1:
        return None
    functions = {_function(part) for part in parts}
    if len(functions) != 1 or (function := functions.pop()) is None:
        return None
    slopes = {}
    for text in assume:
        others = [tokens_of(other) for other in assume if other is not text]
        letters = {token.text for tokens in (*parts, *others) for token in tokens}
        if way := _way(text, function, letters):
            slopes[text] = way
    ways = set(slopes.values())
    relation = relations[0].text
    if len(ways) > 1 or not (relation == "==" or (relation in BOUNDS and ways)):
        return None
    inner = [part[2:-1] for part in parts]
    return Inside(
        function,
        inner[::-1] if ways == {"decreases"} else inner,
        [text for text in assume if text not in slopes],
        "".join(ways),
    )


def _function(part: Sequence[Token]) -> str | None:
    """The function of which the side is one value: `h(...)` as a whole, of one argument."""
    name, *call = part
    if name.text not in FUNCTION_LETTERS or [token.text for token in call[:1]] != ["("]:
        return None
    depth = 0
    for place, token in enumerate(call):
        depth += (token.text == "(") - (token.text == ")")
        if depth == 1 and token.text == ",":
            return None
        if depth == 0:
            return name.text if place == len(call) - 1 > 1 else None
    return None


def _way(text: str, function: str, letters: Collection[str]) -> str:
    """Whether it is assumed of the function that it increases, or decreases, everywhere: the argument
    is a letter that neither the claim nor another assumption has.
    """
    tokens = (token.text for token in tokens_of(text) if token.text not in ("(", ")"))
    match = SLOPE.fullmatch(" ".join(tokens))
    if match is None or function not in (match["f"], match["prime"]):
        return ""
    argument = match["by"] or match["at"]
    if argument in letters or match["of"] not in (None, argument):
        return ""
    rises = (match["relation"] == ">") != bool(match["minus"])
    return "increases" if rises else "decreases"
