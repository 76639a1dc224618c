"""The command line: finds the command, runs it, writes what it returns.

Each command is a module with SUMMARY, the text HELP, ``parser()`` and ``run(options)``, which returns
the output and the exit status.
"""

from __future__ import annotations

import sys

from ..numeric.errors import ArgumentError
from .errors import (
    BAD_INPUT,
    DEFECT,
    DONE,
    INTERRUPTED,
    UsageError,
    is_defect,
    shown,
    with_options,
)
from .streams import say, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

COMMANDS = (
    *("laws", "derive", "penalty", "allocate", "check", "fit"),
    *("passk", "backtest", "simulate", "verify", "prove", "latex"),
)
HELP, VERSION = ("-h", "--help"), "--version"
OVERVIEW = """\
usage: isoflop COMMAND [OPTIONS]

Theory of compute-optimal training: derive the envelope of a law, prove it, evaluate it.

commands:
{commands}

isoflop COMMAND --help shows the options of a command, with examples.
isoflop --version shows the version.

Numbers read like 7e9, 7B, 1.4T, 500M, 20k or 1%. Lists are comma- or space-separated.
Exit status: 0 done, 1 negative verdict, 2 bad input, 3 no verdict, 130 interrupted.

examples:
  isoflop derive --notation hoffmann --format latex
  isoflop penalty --law besiroglu2024 --ratio 0.1 1 10
  isoflop allocate --law besiroglu2024 --compute 5.76e23
  isoflop check"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; see `isoflop.__main__.main`."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(words)
    except (UsageError, ValueError) as error:  # a domain error names the argument and its value
        if is_defect(error):
            return _defect(error)
        say("error", str(error))
        return BAD_INPUT
    except KeyboardInterrupt as stop:  # who has a part of a result keeps it, and says so itself
        say("interrupted", str(stop) or "there is no result yet")
        return INTERRUPTED
    except Exception as error:
        return _defect(error)


def _defect(error: Exception) -> int:
    import traceback

    traceback.print_exception(
        error.__context__ if isinstance(error, UsageError) and error.__context__ else error
    )
    return DEFECT


def _run(words: Sequence[str]) -> int:
    command, *rest = words or HELP
    if command in HELP:
        write(_overview())
        return DONE
    if command == VERSION:
        from .._version import __version__

        write(f"isoflop {__version__}")
        return DONE
    if command not in COMMANDS:
        raise _unknown(command)
    module = _module(command, *rest)
    parser = module.parser()
    if any(word in HELP for word in rest):
        write(parser.format_help())
        return DONE
    from .arguments import read

    options = read(parser, rest)
    try:
        text, status = module.run(options)
    except ArgumentError as error:
        raise with_options(error, options) from None
    write(text, options["--output"] if options.setting("output") else None)
    return status


def _module(command: str, *rest: str) -> ModuleType:
    """The module of a command; of fit the one for what the table holds, as far as the words tell."""
    from importlib import import_module

    if command == "fit" and rest:
        from . import fit_kinds

        command = fit_kinds.command(rest)
    return import_module(f"isoflop.cli.{command}")


def _unknown(word: str) -> UsageError:
    from ..theory.data.notation import close_matches

    if word.startswith("-"):
        known = close_matches(word, [*HELP, VERSION])
        return UsageError(
            f"unknown option {shown(word)}{known}; options of a command follow the command"
        )
    known = close_matches(word, COMMANDS)
    return UsageError(f"unknown command {shown(word)}{known}: must be one of {', '.join(COMMANDS)}")


def _overview() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {command.ljust(width)}  {_module(command).SUMMARY}" for command in COMMANDS]
    return OVERVIEW.format(commands="\n".join(lines))
