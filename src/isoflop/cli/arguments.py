"""How the words of a command are read: argparse, with values as people type them.

A type is a function of one word that raises an ArgumentTypeError with the word and its domain.
"""

from __future__ import annotations

import argparse
import math
import os
import re
from argparse import ArgumentTypeError
from functools import partial

from ..numeric.errors import NONNEGATIVE, POSITIVE, REAL, UNIT_INTERVAL
from ..theory.data.notation import close_matches
from .output import as_option, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn

    Group = argparse._ActionsContainer  # a parser or one of its groups

#: The beginning of a negative number: ``-1e20`` and ``-inf`` are values, not options.
SIGNED = re.compile(r"-(?:[0-9.]|(?:inf|infinity|nan)$)", re.IGNORECASE)
#: The placeholder of files that are written.
WRITTEN = "FILE"
WIDTH = 100


class Option(argparse.Action):
    """An option with one value, which is given once; or with a list or a mapping, to which every use
    adds.
    """

    def __call__(
        self, parser: Any, namespace: Any, values: Any, option_string: str | None = None
    ) -> None:
        held = getattr(namespace, self.dest)
        if isinstance(values, list):
            parts = [part if isinstance(part, tuple) else (part,) for part in values]
            values = [*(held or ()), *(entry for part in parts for entry in part)]
            if not values and (parts or self.nargs == "+"):
                raise argparse.ArgumentError(self, "a value is expected")
        elif isinstance(values, dict):
            if repeated := [name for name in values if name in (held or {})]:
                raise argparse.ArgumentError(self, f"{repeated[0]!r} is given twice")
            values = {**(held or {}), **values}
        elif self.option_strings and held is not self.default:
            raise argparse.ArgumentError(self, f"{held!r} {values!r}: must be given once")
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """The parser of one command. Its errors are ValueErrors of one line, and its help is a text: the
    lines of its usage, what the command does, and examples.
    """

    def __init__(self, text: str) -> None:
        usage, _, rest = text.partition("\n\n")
        description, _, examples = rest.partition("examples:\n")
        super().__init__(
            prog=" ".join(usage.split()[:2]),
            usage=usage.replace("%", "%%").replace("\n", "\n       "),
            description=description.strip(),
            epilog=f"examples:\n{examples}",
            formatter_class=partial(
                argparse.RawDescriptionHelpFormatter, max_help_position=30, width=WIDTH
            ),
            add_help=False,
            allow_abbrev=False,
        )
        self._negative_number_matcher = SIGNED
        self.typed: dict[str, list[str]] = {}
        self.register("action", None, Option)
        self.add_argument("-h", "--help", action="store_true", help="show this text and exit")

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """The values of the options; a ValueError for a word that is no option, and for a file that
        would be both read and written.
        """
        found, rest = self.parse_known_args(list(words))
        if rest and not rest[0].startswith("-"):
            raise ValueError(f"unexpected argument {shown(rest[0])}")
        if rest:
            name, known = rest[0].partition("=")[0], [*self._option_string_actions]
            raise ValueError(
                f"unknown option {name if name.isprintable() else shown(name)}"
                f"{close_matches(name, known)}"
            )
        self._refuse_overwriting(found, words)
        for group in self._action_groups:
            names = [action.dest for action in group._group_actions]
            self.typed[str(group.title)] = [x for x in names if getattr(found, x) is not None]
        found.typed = self.typed
        return found

    def error(self, message: str) -> NoReturn:
        """Raise a ValueError with the message of argparse in the words of this package."""
        text = re.sub(r"^argument (?:-\w/)?", "", message)
        text = re.sub(r"expected (?:at least )?one argument", "a value is expected", text)
        missing = r"\1 is missing: name it in front of the options"
        text = re.sub(r"^the following arguments are required: (\w+).*", missing, text)
        raise ValueError(re.sub(r"^(--[\w-]+|[A-Z]+): (?=['\"])", r"\1 ", text))

    def in_options(self, text: str, args: argparse.Namespace) -> str:
        """A message of the library that names options in place of the arguments that they set."""
        text = as_option(text)
        named = {action.dest: action for action in self._actions if action.option_strings}
        named |= {
            action.option_strings[-1][2:].replace("-", "_"): action for action in named.values()
        }
        options = {name: action.option_strings[-1] for name, action in named.items()}
        head, colon, rest = text.partition(": ")
        if all(name in options for name in head.split(", ")):
            text = ", ".join(options[name] for name in head.split(", ")) + colon + rest
        for name, option in options.items():
            value = getattr(args, named[name].dest)
            if isinstance(value, str) and text.startswith(f"{value!r}:"):
                text = f"{option} {text}"
            text = re.sub(rf"^{name} (?=\w+=)", f"{option} ", text)
            text = re.sub(rf"(?<![\w'\"-]){name}=(?=\S)", f"{option} ", text)
            text = re.sub(rf"{option} \{{'([^']*)': ([^{{}}]*)\}}", rf"{option} \1=\2", text)
            text = re.sub(rf"{option} \[([^\[\]]*)\]", rf"{option} \1", text)
        return text

    def _refuse_overwriting(self, found: argparse.Namespace, words: Sequence[str]) -> None:
        """A ValueError, before any work, for a file that another word names and that would be written,
        or that would be written twice.
        """
        names = [{word, word.partition("=")[2], *word.split(",")} for word in words]
        paths = [os.path.realpath(x) for each in names for x in each if x and "\0" not in x]
        actions = [action for action in self._actions if action.metavar == WRITTEN]
        values = {action: getattr(found, action.dest) for action in actions}
        written = {action: os.path.realpath(x) for action, x in values.items() if x}
        for action, path in written.items():
            is_new = not os.path.exists(path)  # noqa: PTH110
            is_twice = [*written.values()].count(path) > 1 and is_new
            if is_twice or (os.path.isfile(path) and paths.count(path) > 1):  # noqa: PTH113
                named = f"{action.option_strings[-1]} {shown(values[action])}"
                raise ValueError(f"{named}: would overwrite a file that is named twice")


def is_path(word: str) -> bool:
    """Whether a law is a file rather than a name."""
    return word.endswith(".json") or "/" in word or "\\" in word


# -- options that commands share -------------------------------------------------------------------


def add(
    group: Group,
    option: str,
    metavar: str,
    meaning: str,
    read: Callable[[str], Any] = str,
    **more: Any,
) -> None:
    """Add an option with a value."""
    meaning = meaning.replace("%", "%%")
    group.add_argument(option, metavar=metavar, help=meaning, type=read, **more)


def add_list(
    group: Group, option: str, metavar: str, meaning: str, read: Callable[[str], Any], **more: Any
) -> None:
    """Add an option with a list of values, comma- or space-separated."""
    add(group, option, metavar, meaning, several(read), nargs="+", **more)


def add_switch(group: Group, option: str, meaning: str) -> None:
    """Add an option without a value."""
    group.add_argument(option, action="store_true", help=meaning)


def add_choice(group: Group, option: str, names: Sequence[str], meaning: str = "") -> None:
    """Add an option with one of some names, by default the first."""
    text = f"{meaning}; default: {names[0]}" if meaning else f"default: {names[0]}"
    add(group, option, "|".join(names), text, one_of(names), default=names[0])


def add_output(parser: Parser, *formats: str, plot: str = "") -> None:
    """Add ``--format`` and, where the command draws something, ``--plot``."""
    group = parser.add_argument_group("output")
    if plot:
        add(group, "--plot", WRITTEN, f"{plot}: .png, .pdf or .svg", figure)
    add_choice(group, "--format", formats)


def add_file(group: Group) -> None:
    """Add ``--output``, for a command whose output is a file rather than an answer."""
    meaning = "write there rather than to the standard output"
    group.add_argument("-o", "--output", type=file, metavar=WRITTEN, help=meaning)


# -- types -----------------------------------------------------------------------------------------

#: Powers of ten by suffix. A lower-case m is not among them: it may mean milli or million.
SUFFIXES = {"": 0, "k": 3, "K": 3, "M": 6, "b": 9, "B": 9, "t": 12, "T": 12, "%": -2}
NUMBER = re.compile(
    r"(?P<digits>[+-]?(?:[0-9]+(?:_[0-9]+)*(?:\.[0-9]*)?|\.[0-9]+))"
    r"(?:[eE](?P<exponent>[+-]?[0-9]{1,6}))?(?P<suffix>[kKMbBtT%]?)"
)
#: Larger floats do not represent every whole number.
LARGEST_WHOLE = 2**53
#: The most resamples of a command: more would fill the memory.
MOST_RESAMPLES = 100_000


def number(word: str) -> float:
    """The float nearest to the number that a word spells; a ValueError where it is no number.

    >>> number("1.4T"), number("20k"), number("1%"), number("-1e20")
    (1400000000000.0, 20000.0, 0.01, -1e+20)
    """
    stripped = word.strip()
    if stripped.lower().lstrip("+-") in ("inf", "infinity", "nan"):
        return float(stripped)
    match = NUMBER.fullmatch(stripped)
    if match is None or (match["exponent"] and match["suffix"] not in ("", "%")):
        raise ValueError("a number reads like 7e9, 7B, 1.4T, 500M, 20k or 1%")
    power = int(match["exponent"] or 0) + SUFFIXES[match["suffix"]]
    value = float(f"{match['digits']}e{power}")  # one rounding: 1.4T is the float 1.4e12
    if math.isinf(value) or (value == 0.0 and match["digits"].strip("+-0._")):
        raise ValueError("beyond the floats, 4.9e-324 to 1.8e308")
    return value


def outside(word: str, domain: str) -> ArgumentTypeError:
    """The error for a word outside of a domain."""
    return ArgumentTypeError(f"{shown(word.strip())}: must be {domain}")


def quantity(domain: str, holds: Callable[[float], bool]) -> Callable[[str], float]:
    """The type of numbers in a domain."""

    def read(word: str) -> float:
        try:
            value = number(word)
        except ValueError as error:
            raise outside(word, f"{domain} ({error})") from None
        if not holds(value):
            raise outside(word, domain)
        return value

    return read


positive = quantity(POSITIVE, lambda x: 0.0 < x < math.inf)
nonnegative = quantity(NONNEGATIVE, lambda x: 0.0 <= x < math.inf)
finite = quantity(REAL, math.isfinite)
share = quantity(UNIT_INTERVAL, lambda x: 0.0 < x < 1.0)
guess = quantity("a number from 0 to less than 1", lambda x: 0.0 <= x < 1.0)


def flop(word: str) -> float:
    """The type of compute in FLOP. The suffixes k, M, B and T are refused: they are meant for params
    and tokens, and no training costs so little.
    """
    value, typed = positive(word), word.strip()
    if typed[-1].isalpha():
        note = f"{typed[-1]} counts params or tokens; {typed} FLOP would be {value:.16g}"
        raise outside(word, f"FLOP, such as 5.76e23 ({note})")
    return value


def whole(least: int, most: int = LARGEST_WHOLE) -> Callable[[str], int]:
    """The type of whole numbers."""
    largest = "2^53" if most == LARGEST_WHOLE else f"{most:,}"
    domain = f"a whole number of at least {least}, at most {largest}"
    read = quantity(domain, lambda x: least <= x <= most and x == int(x))
    return lambda word: int(read(word))


def resamples(word: str) -> int:
    """The type of a number of resamples. A single one would give no interval."""
    count = whole(0, MOST_RESAMPLES)(word)
    if count == 1:
        raise outside(word, "0, or at least 2 for intervals")
    return count


def one_of(names: Sequence[str]) -> Callable[[str], str]:
    """The type of one of some names."""

    def read(word: str) -> str:
        if word not in names:
            raise outside(word, f"one of {', '.join(names)}{close_matches(word, names)}")
        return word

    return read


def several(read: Callable[[str], Any]) -> Callable[[str], tuple[Any, ...]]:
    """The type of the words of a list, whose entries are comma- or space-separated."""
    return lambda word: tuple(map(read, filter(None, re.split(r"[,\s]+", word))))


def pair(read: Callable[[str], Any] = str, form: str = "NAME=VALUE") -> Callable[[str], Any]:
    """The type of NAME=VALUE, as a mapping."""

    def of_word(word: str) -> dict[str, Any]:
        name, equals, value = (part.strip() for part in word.partition("="))
        if not equals or not name:
            raise outside(word, form)
        try:
            return {name: read(value)}
        except ArgumentTypeError as error:
            complaint = str(error).partition(": ")[2]
            raise ArgumentTypeError(f"{shown(word)}: {complaint}") from None

    return of_word


def file(word: str) -> str:
    """The type of a file to write, which is refused before any work where it cannot be written."""
    from pathlib import Path

    target = Path(word)
    try:
        if not word or target.is_dir():
            raise outside(word, "a file to write, not a directory")
        if not target.absolute().parent.is_dir():
            raise ArgumentTypeError(f"{shown(word)}: cannot be written (No such directory)")
    except OSError as error:  # the name is too long
        raise ArgumentTypeError(f"{shown(word)}: cannot be written ({error.strerror})") from None
    return word


def figure(word: str) -> str:
    """The type of a picture to write."""
    endings = (".png", ".pdf", ".svg")
    if not word.lower().endswith(endings):
        raise outside(word, f"{', '.join(endings[:-1])} or {endings[-1]} at its end")
    return file(word)
