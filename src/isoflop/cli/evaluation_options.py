"""Options on benchmarks: which of them, what guessing scores, and by how much accuracy must exceed
it.
"""

from __future__ import annotations

from .arguments import takes_one, takes_several
from .errors import UsageError, outside, shown
from .numerals import parse
from .tables import TableOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..numeric.accuracy.baselines import Baseline
    from ..numeric.data.evaluations import Evaluations
    from ..numeric.data.table import Table
    from .arguments import Options, Parser

#: Options that take all the words after them.
LISTS = ("--benchmark", "--random-baseline", "--average", "--margin")
PUBLISHED = "krajewski2025"
#: By how much every benchmark of an average must exceed guessing, where --margin is not given.
MARGIN = 0.05
MARGINS = "NAME=SHARE for some benchmarks or one SHARE for all, from 0 to less than 1"
BASELINE = (
    f"NAME=VALUE for some benchmarks, one VALUE for all (from 0 to less than 1), or {PUBLISHED}"
)


def declare_guessing(parser: Parser) -> None:
    """What guessing scores, and by how much accuracy must exceed it."""
    guessing = parser.add_argument_group("accuracy of guessing")
    takes_several(guessing, "--random-baseline", "NAME=VALUE", f"{BASELINE}: those of that paper")
    takes_one(
        guessing,
        "--small-runs",
        "CONDITION",
        "estimate it from these, with its error, such as 'compute < 1e17'",
    )
    takes_several(
        guessing,
        "--margin",
        "SHARE",
        "fit where accuracy exceeds guessing by more than this, for all or as NAME=SHARE for some "
        "benchmarks; default: each "
        "law's own",
    )
    takes_several(
        guessing,
        "--average",
        "NAME",
        "add the mean of normalised accuracy over these benchmarks; none named: all",
    )


class EvaluationTable(TableOptions):
    """The table of evaluations that was asked for, its options checked before any work is done.

    Attributes
    ----------
    margins : float, dict of str to float, or None
        By how much accuracy must exceed guessing, for all benchmarks or by benchmark; None where it
        was not given.
    margin : float or None
        The same where it is one number for all.
    """

    def __init__(
        self, options: Options, lists: Sequence[str] = (), table: Table | None = None
    ) -> None:
        """`lists`: further options that take all the words after them; `table`: the file, if it was
        read.
        """
        super().__init__(options, "evaluations", (*LISTS, *lists), table)
        self.small = options.one("--small-runs")
        self.names = _names(options, "--benchmark")
        self.given = _given(options)
        if self.small is not None and self.given is not None and not isinstance(self.given, dict):
            raise UsageError(
                "--small-runs and --random-baseline: what guessing scores is given by both; one is "
                "enough"
            )
        self.margins = _margins(options)
        self.margin = None if isinstance(self.margins, dict) else self.margins
        self.average = _averaged(options)
        self._found: tuple[Evaluations, dict[str, Baseline]] | None = None

    def read(self) -> Evaluations:
        """The evaluations of the benchmarks that were asked for, and their average where it was."""
        return self._both()[0]

    def baselines(self) -> dict[str, Baseline]:
        """What guessing scores, for every key of the evaluations."""
        return self._both()[1]

    def _both(self) -> tuple[Evaluations, dict[str, Baseline]]:
        if self._found is None:
            with self.in_options():
                self._found = self._read()
        return self._found

    def _read(self) -> tuple[Evaluations, dict[str, Baseline]]:
        from ..numeric.accuracy.averages import AVERAGE, averaged
        from ..numeric.accuracy.baselines import Baseline, resolve

        read = self.evaluations()
        wanted = read.benchmarks if self.names is None else told_apart(self.names, read.scores)
        if not wanted:
            raise UsageError(f"{read.source}: has pass@k with k > 1 alone; name one by --benchmark")
        if self.average is None:
            return read.only(wanted), resolve(read, self.given, self.small, benchmarks=wanted)
        members = told_apart(self.average, read.scores) or tuple(
            key for key in wanted if key in read.benchmarks
        )
        for member in members:
            read.require(member, "average")
        known = resolve(
            read, self.given, self.small, benchmarks=tuple(dict.fromkeys((*wanted, *members)))
        )
        margin = MARGIN if self.margin is None else self.margin
        more = averaged(read, known, benchmarks=members, margin=margin, name=AVERAGE).only(
            (*wanted, AVERAGE)
        )
        known[AVERAGE] = Baseline(0.0, how="0 for a mean of normalised accuracy")
        return more, {key: known[key] for key in more.scores}


def _margins(options: Options) -> float | dict[str, float] | None:
    """What --margin says."""
    words = options.words("--margin")
    if words is None:
        return None
    entries = [
        part for word in words for part in (word.split(",") if word.count("=") > 1 else [word])
    ]
    if len(entries) == 1 and "=" not in entries[0]:
        return _share("--margin", entries[0], entries[0], MARGINS)
    return _by_name("--margin", entries, MARGINS)


def _names(options: Options, option: str) -> tuple[str, ...] | None:
    """Names, each a word of its own: they may hold spaces."""
    words = options.words(option)
    if words is None:
        return None
    names = tuple(word.strip() for word in words)
    for name in names:
        if not name:
            raise outside(option, name, "the name of a benchmark")
        if names.count(name) > 1:
            raise UsageError(f"{option} {shown(name)}: is given twice")
    return names


def _averaged(options: Options) -> tuple[str, ...] | None:
    """The benchmarks of the average; none where the option stands alone, None where it was not
    given.
    """
    if "--average" not in options:
        return None
    try:
        words = options.words("--average")
    except UsageError:  # no value
        return ()
    return None if words is None else _names(options, "--average")


def told_apart(names: Sequence[str], keys: Collection[str]) -> tuple[str, ...]:
    """Names of benchmarks; a word that is none may be several with commas between."""
    found = [
        part.strip()
        for name in names
        for part in ([name] if name in keys else name.split(","))
        if part.strip()
    ]
    return tuple(dict.fromkeys(found))


def _given(options: Options) -> float | dict[str, float] | str | None:
    """What --random-baseline says."""
    words = options.words("--random-baseline")
    if words is None:
        return None
    entries = [
        part for word in words for part in (word.split(",") if word.count("=") > 1 else [word])
    ]
    if len(entries) == 1 and "=" not in entries[0]:
        return (
            PUBLISHED
            if entries[0].strip() == PUBLISHED
            else _share("--random-baseline", entries[0], entries[0], BASELINE)
        )
    return _by_name("--random-baseline", entries, BASELINE)


def _by_name(option: str, entries: Sequence[str], domain: str) -> dict[str, float]:
    """NAME=SHARE of some benchmarks."""
    found: dict[str, float] = {}
    for entry in entries:
        name, equals, text = entry.rpartition("=")
        if not equals or not name.strip():
            raise outside(option, entry, domain)
        if name.strip() in found:
            raise UsageError(f"{option} {shown(entry)}: {name.strip()} is given twice")
        found[name.strip()] = _share(option, entry, text, domain)
    return found


def _share(option: str, entry: str, text: str, domain: str) -> float:
    try:
        value = parse(text.strip())
    except ValueError as error:
        raise outside(option, entry.strip(), domain, str(error)) from None
    if not 0.0 <= value < 1.0:
        raise outside(option, entry.strip(), domain)
    return value
