"""What the user typed: every option of a command declared once, with what its values may be.

argparse tells options from values. A value is read by the reader of its option, a function of one
word that raises ValueError with what is allowed; the error then names the option and the word.
"""

from __future__ import annotations

import argparse
import re
from functools import partial

from ..theory.data.notation import close_matches
from .domains import figure, one_of, output, text
from .errors import UsageError, option_of, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from typing import Any, NoReturn

    from .domains import Reader

    Group = argparse._ActionsContainer  # a parser or one of its groups

#: How a word begins that is meant as a number, so that ``-1e20`` and ``-inf`` are no options.
SIGNED = re.compile(r"-(?:[0-9.]|(?:inf|infinity|nan)$)", re.IGNORECASE)
#: What the words that belong to no option are kept under.
POSITIONAL = "NAME"
WIDTH = 100
SEPARATOR = re.compile(r"\s*,\s*|\s+")
#: The placeholders of files to write, and of tables to read.
WRITTEN, READ = "FILE", ("RUNS", "COUNTS")


# -- declarations ----------------------------------------------------------------------------------


class Option(argparse._AppendAction):
    """An option with values: what reads one, and how the words hold them.

    Attributes
    ----------
    read : callable
        Word -> value.
    form : str
        "one" value; "list" of values, comma- or space-separated; "words", each a value, or "any",
        also none; "each" a word whenever it is given; "pairs" of NAME=VALUE.
    distinct : bool
        Whether no value of a list may come twice.
    sets : str
        The arguments of the library that it sets, where these are called otherwise.
    default_value : object
        Where it is not given.
    """

    def __init__(
        self,
        *words: Any,
        read: Reader,
        form: str = "one",
        value: Any = None,
        distinct: bool = False,
        sets: str = "",
        **more: Any,
    ) -> None:
        more["nargs"] = "*" if form in ("list", "words", "any") else None
        super().__init__(*words, **more)
        self.read, self.form, self.default_value = read, form, value
        self.distinct, self.sets = distinct, sets.split()

    def values(self, typed: list[str]) -> Any:
        """What the words after the option mean."""
        option = self.option_strings[-1]
        if self.form == "one":
            if len(typed) > 1:
                given = ", ".join(map(shown, typed))
                raise UsageError(f"{option}: given {len(typed)} times ({given}); give it once")
            return self.value(typed[0], typed[0])
        if self.form == "pairs":
            return self._pairs(typed)
        entries = entries_of(typed) if self.form == "list" else typed
        values = [self.value(entry, entry) for entry in entries]
        for entry, value in zip(entries, values, strict=True):
            if self.distinct and values.count(value) > 1:
                raise UsageError(f"{option} {shown(entry.strip())}: is given twice")
        return values

    def value(self, part: str, word: str) -> Any:
        """A part of a word, or UsageError with the word."""
        try:
            return self.read(part)
        except ValueError as error:
            raise UsageError(f"{self.option_strings[-1]} {shown(word.strip())}: {error}") from None

    def _pairs(self, typed: list[str]) -> dict[str, Any]:
        option = self.option_strings[-1]
        found: dict[str, Any] = {}
        for word in typed:
            key, equals, part = (piece.strip() for piece in word.partition("="))
            if not equals or not key:
                raise UsageError(f"{option} {shown(word)}: must be {self.metavar}")
            if key in found:
                raise UsageError(f"{option} {shown(word)}: {key} is given twice")
            found[key] = self.value(part, word)
        return found


def entries_of(words: Sequence[str]) -> list[str]:
    """The entries of a list. An empty one stays: no domain holds it."""
    if not all(word.strip() for word in words):
        return [""]
    entries = SEPARATOR.split(" ".join(words).strip())
    return entries[:-1] if len(entries) > 1 and not entries[-1] else entries


def takes(
    group: Group,
    option: str,
    metavar: str,
    meaning: str,
    read: Reader = text,
    form: str = "one",
    **more: Any,
) -> None:
    """An option with values, as `Option` has them: what reads one, and how the words hold them;
    `more`: the value where it is not given, and what else `Option` has.
    """
    taking: dict[str, Any] = {"action": Option, "read": read, "form": form, **more}
    group.add_argument(option, metavar=metavar, help=_literal(meaning), **taking)


def takes_choice(group: Group, option: str, choices: Sequence[str], meaning: str = "") -> None:
    """An option with one of some names, the first by default."""
    meaning = f"{meaning}; default: {choices[0]}" if meaning else f"default: {choices[0]}"
    takes(group, option, "|".join(choices), meaning, one_of(choices), value=choices[0])


def declare_output(parser: Parser, *formats: str, plot: str = "") -> None:
    """``--format`` and, where the command draws something, ``--plot``."""
    group = parser.add_argument_group("output")
    if plot:
        takes(group, "--plot", "FILE", f"{plot}: .png, .pdf or .svg", figure)
    takes_choice(group, "--format", formats)


def declare_file(group: Group) -> None:
    """``--output``, of a command whose output is a file rather than an answer."""
    meaning = "write there rather than to the standard output"
    more: dict[str, Any] = {"action": Option, "read": output}
    group.add_argument("-o", "--output", metavar="FILE", help=meaning, **more)


# -- reading ---------------------------------------------------------------------------------------


class Parser(argparse.ArgumentParser):
    """A parser of one command that raises UsageError.

    Its help is a text: the lines of its usage, what the command does, and examples.

    Attributes
    ----------
    file : str
        What is asked for where the file that the command reads is not named; "" where it reads none.
    """

    file = ""

    def __init__(self, text: str) -> None:
        usage, _, rest = text.partition("\n\n")
        description, _, examples = rest.partition("examples:\n")
        super().__init__(
            prog=" ".join(usage.split()[:2]),
            usage=_literal(usage.replace("\n", "\n       ")),
            description=description.strip(),
            epilog=f"examples:\n{examples}",
            formatter_class=partial(
                argparse.RawDescriptionHelpFormatter, max_help_position=30, width=WIDTH
            ),
            add_help=False,
            allow_abbrev=False,
        )
        self._negative_number_matcher = SIGNED
        self.add_argument("-h", "--help", action="store_true", help="show this text and exit")

    def error(self, message: str) -> NoReturn:
        message = message.removeprefix("argument ").replace(
            "expected one argument", "a value is expected"
        )
        raise UsageError(message)


def _literal(text: str) -> str:
    """Text in which argparse finds nothing to fill in."""
    return text.replace("%", "%%")


def read(parser: Parser, words: Iterable[str]) -> Options:
    """The options among the words; UsageError where there is an unknown one, or one outside of its
    domain.
    """
    namespace, rest = parser.parse_known_args(list(words))
    if rest:
        raise _unexpected(rest[0], [option_of(x) for x in vars(namespace) if x != POSITIONAL])
    typed = {}
    for action in parser._actions:
        option = action.option_strings[-1] if action.option_strings else POSITIONAL
        given = getattr(namespace, action.dest)
        if given and isinstance(given, list):
            groups = given if isinstance(given[0], list) else [given]
            if not all(groups) and getattr(action, "form", "") != "any":
                raise UsageError(f"{option}: a value is expected")
            typed[option] = [word for group in groups for word in group]
    _one_file(parser, typed)
    _refuse_overwriting(parser, typed)
    return Options(parser, typed, vars(namespace))


def _one_file(parser: Parser, typed: dict[str, list[str]]) -> None:
    """UsageError where the file that a command reads is missing, or where there are two."""
    named = typed.get(POSITIONAL, [])
    if parser.file and len(named) > 1:
        raise UsageError(f"unexpected argument {shown(named[1])}: one file at a time")
    if parser.file and not named:
        greedy = (
            a.option_strings[-1] for a in parser._actions if isinstance(a, Option) and a.nargs
        )
        after = next(
            (f", in front of {x}, which takes all after it" for x in greedy if x in typed), ""
        )
        raise UsageError(f"{parser.file}{after}")


def _refuse_overwriting(parser: Parser, typed: dict[str, list[str]]) -> None:
    """UsageError where a file to write is also one to read, or is to be written twice: before any
    work.
    """
    options = {(a.option_strings or [POSITIONAL])[-1]: str(a.metavar) for a in parser._actions}
    written = [option for option in typed if options[option] == WRITTEN]
    seen: dict[Path, str] = {}
    for option in [*(o for o in typed if o not in written), *written] if written else ():
        for word in typed[option]:
            given = f"{option} {shown(word)}"
            for name in (word,) if option in written else (word, *word.split(",")):
                if options[option] not in (WRITTEN, *READ) and not {*"./\\"} & {*name}:
                    continue  # a name
                path = _file(name)
                first = given if path is None else seen.setdefault(path, given)
                if option in written and first != given:
                    harm = "and would be overwritten; name another"
                    raise UsageError(f"{given} {first}: are one file, {harm}")


def _file(name: str) -> Path | None:
    """The file of that name; None for a folder, a device or a pipe, and where whoever opens it will
    say what is wrong with the name.
    """
    from pathlib import Path

    try:
        path = Path(name).resolve()
        return path if path.is_file() or not path.exists() else None
    except (OSError, ValueError):
        return None


def _unexpected(word: str, known: Sequence[str]) -> UsageError:
    if not word.startswith("-"):
        return UsageError(f"unexpected argument {shown(word)}")
    name, _, _ = word.partition("=")
    return UsageError(
        f"unknown option {name if name.isprintable() else shown(name)}{close_matches(name, known)}"
    )


class Options:
    """The values of the options of a command, and the words that they were typed as.

    ``options["--ratio"]`` is what was read: None, or the default, where the option was not given;
    of a switch whether it was.
    """

    def __init__(
        self, parser: Parser, typed: dict[str, list[str]], namespace: dict[str, Any]
    ) -> None:
        self._typed = typed
        self._values: dict[str, Any] = {}
        self._setting: dict[str, str] = {}
        for action in parser._actions:
            option = action.option_strings[-1] if action.option_strings else POSITIONAL
            if isinstance(action, Option):
                self._setting |= dict.fromkeys(action.sets, option)
                is_given = option in typed
                self._values[option] = (
                    action.values(typed[option]) if is_given else action.default_value
                )
            else:
                self._values[option] = namespace[action.dest]

    def __getitem__(self, option: str) -> Any:
        return self._values[option]

    def __contains__(self, option: str) -> bool:
        return option in self._typed or self._values.get(option) is True

    def setting(self, argument: str) -> str | None:
        """The option that sets an argument of the library, if the command has one."""
        option = self._setting.get(argument, option_of(argument))
        return option if option in self._values else None

    def given(self, *options: str) -> list[str]:
        """Those of the options that were given."""
        return [option for option in options if option in self]

    def words(self, option: str) -> list[str]:
        """The words after an option or in a position."""
        return self._typed.get(option, [])

    def entries(self, option: str) -> list[str]:
        """The entries of a list as they were typed."""
        return entries_of(self.words(option)) if option in self._typed else []

    def spelt(self, option: str) -> str:
        """What was typed for an option."""
        return " ".join(self.words(option))
