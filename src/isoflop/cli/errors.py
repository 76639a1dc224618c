"""Bad input, and the exit statuses."""

from __future__ import annotations

import re

from ..numeric.errors import NO_VALUE, ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .arguments import Options

DONE, NEGATIVE, BAD_INPUT, NO_VERDICT, INTERRUPTED = 0, 1, 2, 3, 130
#: A defect of the program itself: never to be mistaken for a verdict.
DEFECT = 70

LONGEST_SHOWN = 200
#: Of a line on the standard error.
LONGEST_LINE = 1000
#: What a terminal would obey rather than show: control characters, and those that turn the
#: direction of text.
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


#: An argument of the library, and after it the option that sets it.
ARGUMENT = re.compile(r"\b\w+=(?:\{[^{}]*\})? \((--(?:[^()]|\([^()]*\))*)\)")


class UsageError(Exception):
    """Bad input: one line that names the argument as the user spelt it, its value and its domain."""


def shown(text: str) -> str:
    """What the user typed, quoted, on one line and not too long.

    >>> shown("")
    "''"
    """
    return shortened(repr(text).replace("\\\\", "\\"), LONGEST_SHOWN)


def shortened(text: str, longest: int) -> str:
    """The text without its middle where it is too long.

    >>> shortened("abcdefgh", 8), shortened("abcdefghi", 8)
    ('abcdefgh', 'abcd...fghi')
    """
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]}...{text[-half:]}"


def visible(text: str) -> str:
    """The text with an escape, which JSON knows too, for every character that a terminal would
    obey, but ends of lines and tabs.

    >>> print(visible("a\\x1b[2J"))
    a\\u001b[2J
    """
    return OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def as_option(text: str) -> str:
    """A message of the library with options alone where it names both.

    >>> as_option("say columns={'loss': 'y'} (--column loss='y')")
    "say --column loss='y'"
    """
    return ARGUMENT.sub(r"\1", text)


def one_line(text: str) -> str:
    """A message for the standard error."""
    return visible(shortened(" ".join(text.split()), LONGEST_LINE))


def is_defect(error: BaseException) -> bool:
    """Whether an error that is to be told as bad input is one of the program itself: a ValueError
    of a numerical library's own class, as NumPy's LinAlgError, or a UsageError made of one.
    """
    cause = error.__context__ if isinstance(error, UsageError) else error
    return type(cause).__module__.partition(".")[0] in ("numpy", "scipy")


def outside(option: str, text: str, domain: str) -> UsageError:
    """The error for a value outside the domain of an option."""
    return UsageError(f"{option} {shown(text)}: must be {domain}")


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


def with_options(error: ArgumentError, options: Options) -> UsageError:
    """An error of the library with the option that sets the argument, and what was typed for it,
    ahead; where no option does, it stays as it is.
    """
    option = options.setting(error.argument)
    if option is None or (option not in options and error.value is not NO_VALUE):
        return UsageError(str(error))
    text = options.spelt(option)
    return UsageError(
        f"{option}{' ' if text else ''}{shown(text) if text else ''}: {error.complaint}"
    )


def blamed(error: ValueError, *given: tuple[str, str]) -> UsageError:
    """An error of the library with the options that led to it, as they were typed, ahead."""
    said = isinstance(error, ArgumentError) and any(
        option_of(error.argument) == option or error.value == text for option, text in given
    )
    text = error.complaint if isinstance(error, ArgumentError) and said else str(error)
    for option, _ in given:  # max_tokens=1e+08 -> --max-tokens 1e+08
        name = option.removeprefix("--").replace("-", "_")
        text = re.sub(rf"\b{re.escape(name)}=", f"{option} ", text)
    return UsageError(f"{typed(*given)}: {text}")
