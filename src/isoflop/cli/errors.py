"""Bad input, and the exit statuses."""

from __future__ import annotations

DONE, NEGATIVE, BAD_INPUT, NO_VERDICT, INTERRUPTED = 0, 1, 2, 3, 130
#: A defect of the program itself: never to be mistaken for a verdict.
DEFECT = 70

LONGEST_SHOWN = 200


class UsageError(Exception):
    """Bad input: one line that names the argument as the user spelt it, its value and its domain."""


def shown(text: str) -> str:
    """What the user typed, quoted, on one line and not too long.

    >>> shown("")
    "''"
    """
    quoted = repr(text)
    if len(quoted) <= LONGEST_SHOWN:
        return quoted
    half = LONGEST_SHOWN // 2
    return f"{quoted[:half]}...{quoted[-half:]}"


def outside(option: str, text: str, domain: str, note: str = "") -> UsageError:
    """The error for a value outside the domain of an option."""
    return UsageError(f"{option} {shown(text)}: must be {domain}{f' ({note})' if note else ''}")


def option_of(name: str) -> str:
    """The option that sets an argument.

    >>> option_of("max_tokens"), option_of("A")
    ('--max-tokens', '--A')
    """
    return "--" + name.replace("_", "-")


def typed(*given: tuple[str, str]) -> str:
    """Options with their values as the user typed them.

    >>> typed(("--params", "8B"), ("--tokens", "15T"))
    "--params '8B' --tokens '15T'"
    """
    return " ".join(f"{option} {shown(text)}" for option, text in given)


def blamed(error: ValueError, *given: tuple[str, str]) -> UsageError:
    """An error of the library in the user's words: options with their values for the argument's name."""
    message = str(error)
    for option, text in given:
        head, separator, rest = message.partition(f"{text!r}: ")
        message = rest if separator and ":" not in head else message.replace(f"={text!r}", "", 1)
        name, equals, rest = message.partition("=")
        _, colon, complaint = rest.partition(": ")
        if equals and colon and option_of(name) == option:
            message = complaint
    return UsageError(f"{typed(*given)}: {message}")
