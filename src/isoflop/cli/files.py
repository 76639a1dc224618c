"""Files to read and files to write, told apart before any work: none may be both, and no two
outputs may be one.
"""

from __future__ import annotations

from .arguments import POSITIONAL
from .errors import UsageError, typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from .arguments import Options, Parser

#: The placeholder in the help of every option whose value is a file to write.
WRITTEN = "FILE"
#: Those of files to read: after a command, and after an option.
READ_AFTER_COMMAND, READ_AFTER_OPTION = ("RUNS", "COUNTS"), ("TABLE", "PAPER.tex")
#: Those of what may be a name or a file, the same way; a file ends so, or has a folder.
NAMED_AFTER_COMMAND, NAMED_AFTER_OPTION = (POSITIONAL,), ("LAW",)
ENDINGS = (".json", ".py")


def refuse_overwriting(parser: Parser, options: Options) -> None:
    """UsageError where a file to write is also one to read, or is to be written twice."""
    inputs: list[tuple[str, str]] = []
    outputs: list[tuple[str, str]] = []
    for action in parser._actions:
        (outputs if action.metavar == WRITTEN else inputs).extend(_files(action, options))
    for index, output in enumerate(outputs):
        for other in (*inputs, *outputs[:index]):
            if _is_one(output[1], other[1]):
                harm = "overwritten" if other in inputs else "written twice"
                raise UsageError(
                    f"{typed(output, other)}: are one file, which would be {harm}; name another"
                )


def _files(action: argparse.Action, options: Options) -> Iterator[tuple[str, str]]:
    """The files that the user named by an option or in a position, each with what it is called."""
    shape = action.metavar or POSITIONAL
    always: tuple[str, ...] = READ_AFTER_COMMAND
    option, name, perhaps = POSITIONAL, str(shape), NAMED_AFTER_COMMAND
    if action.option_strings:
        always = (WRITTEN, *READ_AFTER_OPTION)
        option, name, perhaps = (
            action.option_strings[-1],
            action.option_strings[-1],
            NAMED_AFTER_OPTION,
        )
    if option not in options or shape not in (*always, *perhaps):
        return
    for word in options.words(option) or ():
        if shape in always:
            yield name, word
        else:
            yield from ((name, entry) for entry in (word, *word.split(",")) if _may_be_file(entry))


def _may_be_file(word: str) -> bool:
    return word.endswith(ENDINGS) or "/" in word or "\\" in word


def _is_one(one: str, other: str) -> bool:
    """Whether two paths lead to one file. Devices and pipes are none: /dev/null may be written
    twice.
    """
    from contextlib import suppress
    from pathlib import Path

    with suppress(OSError, ValueError):  # whoever opens the file will say what is wrong with it
        first, second = Path(one), Path(other)
        if first.exists() and second.exists():
            return first.is_file() and first.samefile(second)
        return first.resolve() == second.resolve()
    return False
