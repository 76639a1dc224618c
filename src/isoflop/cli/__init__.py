"""The command line: it finds the command, runs it and writes its output.

Each command is a module with SUMMARY, ``parser()`` and ``run(args)``, which returns the output and
the exit status.
"""

from __future__ import annotations

import sys

from .output import BAD_INPUT, DEFECT, DONE, INTERRUPTED, say, shown, write

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
    except KeyboardInterrupt as stop:  # a command that has a part of its result returns that itself
        say("interrupted", str(stop) or "there is no result")
        return INTERRUPTED
    except Exception as error:
        # Bad input is a ValueError of ours or of Python's; NumPy's LinAlgError is a defect.
        library = type(error).__module__.partition(".")[0]
        if isinstance(error, ValueError) and library not in ("numpy", "scipy"):
            say("error", str(error))
            return BAD_INPUT
        import traceback

        traceback.print_exception(error)
        return DEFECT


def _run(words: Sequence[str]) -> int:
    command, *rest = words or HELP
    if command in HELP:
        width = max(map(len, COMMANDS))
        lines = [f"  {name.ljust(width)}  {_module(name).SUMMARY}" for name in COMMANDS]
        write(OVERVIEW.format(commands="\n".join(lines)))
        return DONE
    if command == VERSION:
        from .._version import __version__

        write(f"isoflop {__version__}")
        return DONE
    if command not in COMMANDS:
        raise _unknown(command)
    module = _module(command)
    parser = module.parser()
    if any(word in HELP for word in rest):
        write(parser.format_help())
        return DONE
    args = parser.read(rest)
    try:
        text, status = module.run(args)
    except ValueError as error:
        if type(error).__module__.startswith(("numpy", "scipy")):
            raise
        raise ValueError(parser.in_options(str(error), args)) from error
    write(text, getattr(args, "output", None))
    return status


def _module(command: str) -> ModuleType:
    from importlib import import_module

    return import_module(f"isoflop.cli.{command}")


def _unknown(word: str) -> ValueError:
    from ..theory.data.notation import close_matches

    known = close_matches(word, [*COMMANDS, *HELP, VERSION])
    return ValueError(f"unknown command {shown(word)}{known}: must be one of {', '.join(COMMANDS)}")
