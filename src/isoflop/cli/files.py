"""Files to read and files to write, told apart before any work: none may be both, and no two
outputs may be one.
"""

from __future__ import annotations

from .arguments import POSITIONAL
from .errors import UsageError, typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .arguments import Options, Parser

#: The placeholder in the help of every option whose value is a file to write, and those of what is
#: a file to read, whatever it is called; any other word is one if it has an ending or a folder.
WRITTEN, READ = "FILE", ("RUNS", "COUNTS", "TABLE")


def refuse_overwriting(parser: Parser, options: Options) -> None:
    """UsageError where a file to write is also one to read, or is to be written twice."""
    inputs: list[tuple[str, str]] = []
    outputs: list[tuple[str, str]] = []
    for action in parser._actions:
        option = action.option_strings[-1] if action.option_strings else POSITIONAL
        name = option if action.option_strings else str(action.metavar)
        always = action.metavar in READ and (name, action.metavar) != ("TABLE", "TABLE")
        for word in options.words(option):
            if action.metavar == WRITTEN:
                outputs.append((name, word))
            else:
                entries = (word, *word.split(","))
                inputs += [(name, e) for e in entries if always or {*"./\\"} & {*e}]
    for index, output in enumerate(outputs):
        for other in (*inputs, *outputs[:index]):
            if _is_one(output[1], other[1]):
                harm = "overwritten" if other in inputs else "written twice"
                what = f"are one file, which would be {harm}; name another"
                raise UsageError(f"{typed(output, other)}: {what}")


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
