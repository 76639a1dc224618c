"""What the user typed: one parser for one command, and its options as text.

argparse only tells options from values. Every value is read by the command that needs it, so that
each error names the option, what was typed and what is allowed.
"""

from __future__ import annotations

import argparse
import math
import re
from functools import partial

from ..numeric.data.numerals import SUFFIXES, parse
from ..numeric.errors import NONNEGATIVE, POSITIVE
from ..theory.data.notation import close_matches
from .errors import UsageError, option_of, outside, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, NoReturn

    Group = argparse._ActionsContainer  # a parser or one of its groups

#: In front of a value that begins with a minus, which argparse would take for an option. No
#: argument of a process holds this character.
MARK = "\0"
#: Options whose value may begin with a minus and a letter.
EXPRESSIONS = (
    "--budget",
    "--model",
    "--where",
    "--hold-out",
    "--small-runs",
    "--fit-where",
    "--error-where",
    "--predict-where",
)
#: How a word begins that is meant as a number, so that ``-1e20`` and ``-inf`` are no options.
SIGNED = re.compile(r"-(?:[0-9.]|(?:inf|infinity|nan)$)", re.IGNORECASE)
#: What the words that belong to no option are kept under.
POSITIONAL = "NAME"
WIDTH = 100
SEPARATOR = re.compile(r"\s*,\s*|\s+")


class Parser(argparse.ArgumentParser):
    """A parser of one command that raises UsageError."""

    def __init__(
        self, command: str, usage: Sequence[str], description: str, examples: Sequence[str]
    ) -> None:
        lines = "\n       ".join(f"{command} {line}" for line in usage)
        super().__init__(
            prog=command,
            usage=_literal(lines),
            description=description,
            epilog="\n".join(["examples:", *(f"  {line}" for line in examples)]),
            formatter_class=partial(
                argparse.RawDescriptionHelpFormatter, max_help_position=30, width=WIDTH
            ),
            add_help=False,
            allow_abbrev=False,
        )
        self.add_argument("-h", "--help", action="store_true", help="show this text and exit")

    def error(self, message: str) -> NoReturn:
        message = message.removeprefix("argument ").replace(
            "expected one argument", "a value is expected"
        )
        raise UsageError(message)


def _literal(text: str) -> str:
    """Text in which argparse finds nothing to fill in."""
    return text.replace("%", "%%")


# -- declarations ----------------------------------------------------------------------------------


def takes_one(group: Group, option: str, metavar: str, description: str) -> None:
    """An option with one value, which may be given once."""
    group.add_argument(option, action="append", metavar=metavar, help=_literal(description))


def takes_several(group: Group, option: str, metavar: str, description: str) -> None:
    """An option with a list of values, comma- or space-separated; repetitions accumulate."""
    group.add_argument(
        option, action="append", nargs="*", metavar=metavar, help=_literal(description)
    )


def declare_output(parser: Parser, *formats: str, plot: str = "") -> None:
    """``--format`` and, where the command draws something, ``--plot``."""
    group = parser.add_argument_group("output")
    if plot:
        takes_one(group, "--plot", "FILE", f"{plot}: .png, .pdf or .svg")
    takes_one(group, "--format", "|".join(formats), f"default: {formats[0]}")


def declare_file(group: Group) -> None:
    """``--output``, of a command whose output is a file rather than an answer."""
    group.add_argument(
        "-o",
        "--output",
        action="append",
        metavar="FILE",
        help="write there rather than to the standard output",
    )


# -- reading ---------------------------------------------------------------------------------------


def read(parser: Parser, words: Iterable[str]) -> Options:
    """The options among the words; UsageError where there is an unknown one."""
    namespace, rest = parser.parse_known_args(_marked(words))
    if rest:
        raise _unexpected(
            rest[0].removeprefix(MARK),
            [option_of(name) for name in vars(namespace) if name != POSITIONAL],
        )
    return Options(vars(namespace))


def _marked(words: Iterable[str]) -> list[str]:
    marked: list[str] = []
    previous = ""
    for word in words:
        expression = previous in EXPRESSIONS and word.startswith("-") and not word.startswith("--")
        marked.append(MARK + word if expression or SIGNED.match(word) else word)
        previous = word
    return marked


def _unexpected(word: str, known: Sequence[str]) -> UsageError:
    if not word.startswith("-"):
        return UsageError(f"unexpected argument {shown(word)}")
    name, _, _ = word.partition("=")
    return UsageError(
        f"unknown option {name if name.isprintable() else shown(name)}{close_matches(name, known)}"
    )


class Options:
    """The words of the user by option."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def __contains__(self, option: str) -> bool:
        return self._typed(option) is not None

    def _typed(self, option: str) -> Any:
        return self._values.get(option.lstrip("-").replace("-", "_")) or None

    def knows(self, option: str) -> bool:
        """Whether the command has this option."""
        return option.lstrip("-").replace("-", "_") in self._values

    def given(self, *options: str) -> list[str]:
        """Those of the options that were given."""
        return [option for option in options if option in self]

    def one(self, option: str) -> str | None:
        """The value of an option, None where it was not given."""
        typed = self._typed(option)
        if typed is None:
            return None
        values = self.words(option) or []
        if len(values) > 1:
            raise UsageError(
                f"{option}: given {len(values)} times ({', '.join(map(shown, values))}); give it "
                f"once"
            )
        return values[0]

    def words(self, option: str) -> list[str] | None:
        """The words after an option or in a position, None where there are none."""
        typed = self._typed(option)
        if typed is None:
            return None
        groups = typed if typed and isinstance(typed[0], list) else [typed]
        words = [word.removeprefix(MARK) for group in groups for word in group]
        if not words or not all(groups):
            raise UsageError(f"{option}: a value is expected")
        return words

    def spelt(self, option: str, value: object) -> str:
        """What was typed for an option: of several words the one that sets this value; "" for a
        switch.
        """
        given = self._typed(option)
        if given is True:
            return ""
        words = [
            word.removeprefix(MARK)
            for entry in given or ()
            for word in ([entry] if isinstance(entry, str) else entry)
        ]
        keys = [str(key) for key in value] if isinstance(value, dict) else []
        for word in words:
            if (
                word.strip() == value
                or word.partition("=")[0].strip() in keys
                or _spells(word, value)
            ):
                return word
        return " ".join(words)

    def several(self, option: str) -> list[str] | None:
        """The entries of a list, None where it was not given. An empty entry stays: no domain holds
        it.
        """
        words = self.words(option)
        if words is None:
            return None
        if not all(word.strip() for word in words):
            return [""]
        entries = SEPARATOR.split(" ".join(words).strip())
        return entries[:-1] if len(entries) > 1 and not entries[-1] else entries

    def chosen(self, option: str, choices: Sequence[str]) -> str:
        """One of the choices, the first by default."""
        value = self.one(option)
        if value is None:
            return choices[0]
        if value not in choices:
            hint = close_matches(value, choices)
            raise UsageError(f"{option} {shown(value)}: must be one of {', '.join(choices)}{hint}")
        return value

    def positive(self, option: str) -> float | None:
        """A number above 0."""
        value = self.one(option)
        return None if value is None else number(option, value)

    def nonnegative(self, option: str) -> float | None:
        """A number of at least 0."""
        value = self.one(option)
        return None if value is None else number(option, value, zero=True)

    def positives(self, option: str) -> list[tuple[str, float]] | None:
        """A list of numbers above 0, each with its spelling."""
        entries = self.several(option)
        return None if entries is None else [(entry, number(option, entry)) for entry in entries]


def _spells(word: str, value: object) -> bool:
    """Whether a word spells a number."""
    try:
        return isinstance(value, (int, float)) and parse(word) == value
    except ValueError:
        return False


#: Options in FLOP: no training costs so few that k, M, B or T would do, which count params and
#: tokens.
IN_FLOP = ("--compute",)
COUNTING = tuple(suffix for suffix in SUFFIXES if suffix not in ("", "%"))


def number(option: str, text: str, *, zero: bool = False) -> float:
    """The number that the text spells (7e9, 7B, 1.4T, 1%), above 0, or also 0; UsageError where it
    spells none.
    """
    word, domain = text.strip(), NONNEGATIVE if zero else POSITIVE
    try:
        value = parse(text)
    except ValueError as error:
        raise outside(option, word, domain, str(error)) from None
    if not (math.isfinite(value) and (value > 0.0 or (zero and value == 0.0))):
        raise outside(option, word, domain)
    if option in IN_FLOP and word.endswith(COUNTING):
        note = f"{word[-1]} counts params or tokens; {word} FLOP would be {value:.16g}"
        raise outside(option, word, "FLOP, such as 5.76e23", note)
    return value
