"""Options on benchmarks: which of them, and what guessing scores."""

from __future__ import annotations

from functools import cached_property

from .arguments import takes_one, takes_several
from .errors import UsageError, outside, shown
from .run_options import share_of
from .tables import TableOptions, assigned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..numeric.accuracy.baselines import Baseline
    from ..numeric.data.evaluations import Evaluations
    from ..numeric.data.table import Table
    from .arguments import Group, Options, Parser

#: Options that take all the words after them.
LISTS = ("--benchmark", "--random-baseline", "--average")
PUBLISHED = "krajewski2025"
#: By how much every benchmark of an average must exceed guessing.
MARGIN = 0.05
BASELINE = (
    f"NAME=VALUE for some benchmarks, one VALUE for all (from 0 to less than 1), or {PUBLISHED}"
)


def declare_baseline(parser: Parser) -> Group:
    """What guessing scores."""
    guessing = parser.add_argument_group("accuracy of guessing")
    takes_several(guessing, "--random-baseline", "NAME=VALUE", f"{BASELINE}: those of that paper")
    small = "estimate it from these, with its error, such as 'compute < 1e17'"
    takes_one(guessing, "--small-runs", "CONDITION", small)
    return guessing


def declare_guessing(parser: Parser) -> None:
    """What guessing scores, and the mean over benchmarks."""
    guessing = declare_baseline(parser)
    average = "add the mean of normalised accuracy over these benchmarks; none named: all"
    takes_several(guessing, "--average", "NAME", average)


class EvaluationTable(TableOptions):
    """The table of evaluations that was asked for, its options checked before any work is done."""

    def __init__(
        self, options: Options, lists: Sequence[str] = (), table: Table | None = None
    ) -> None:
        """`lists`: further options that take all the words after them; `table`: the file, if it was
        read.
        """
        super().__init__(options, "evaluations", (*LISTS, *lists), table)
        self.small = options.one("--small-runs")
        self.names = _names(options, "--benchmark")
        self.given: float | dict[str, float] | str | None = PUBLISHED
        if options.words("--random-baseline") != [PUBLISHED]:
            self.given = _shares(options, "--random-baseline", BASELINE)
        if self.small is not None and not isinstance(self.given, (dict, type(None))):
            raise UsageError("--small-runs and --random-baseline: one of them is enough")
        of_all = "--average" in options and not options.spelt("--average", None)
        self.average = () if of_all else _names(options, "--average")

    def read(self) -> Evaluations:
        """The evaluations of the benchmarks that were asked for, and their average where it was."""
        return self._content[0]

    def baselines(self) -> dict[str, Baseline]:
        """What guessing scores, for every key of the evaluations."""
        return self._content[1]

    @cached_property
    def _content(self) -> tuple[Evaluations, dict[str, Baseline]]:
        with self.in_options():
            return self._read()

    def _read(self) -> tuple[Evaluations, dict[str, Baseline]]:
        from ..numeric.accuracy.averages import AVERAGE, averaged
        from ..numeric.accuracy.baselines import Baseline, resolve

        read = self.evaluations()
        wanted = read.benchmarks if self.names is None else told_apart(self.names, read.scores)
        if not wanted:
            raise UsageError(f"{read.source}: has pass@k with k > 1 alone; name one by --benchmark")
        members: tuple[str, ...] = ()
        if self.average is not None:
            usual = tuple(key for key in wanted if key in read.benchmarks)
            members = told_apart(self.average, read.scores) or usual
        for member in members:
            read.require(member, "average")
        every = tuple(dict.fromkeys((*wanted, *members)))
        known = resolve(read, self.given, self.small, benchmarks=every)
        if self.average is None:
            return read.only(wanted), known
        more = averaged(read, known, benchmarks=members, margin=MARGIN)
        more = more.only((*wanted, AVERAGE))
        known[AVERAGE] = Baseline(0.0, how="0 for a mean of normalised accuracy")
        return more, {key: known[key] for key in more.scores}


def _shares(options: Options, option: str, domain: str) -> float | dict[str, float] | None:
    """NAME=SHARE for some benchmarks, or one SHARE for all."""
    words = options.words(option)
    if words is None:
        return None
    entries = [
        part for word in words for part in (word.split(",") if word.count("=") > 1 else [word])
    ]
    if len(entries) == 1 and "=" not in entries[0]:
        return share_of(option, entries[0], domain, zero=True)
    shares: dict[str, float] = {}
    for entry in entries:
        name, text = assigned(option, entry, domain)
        if name in shares:
            raise UsageError(f"{option} {shown(entry)}: {name} is given twice")
        shares[name] = share_of(option, text, domain, zero=True, entry=entry)
    return shares


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


def told_apart(names: Sequence[str], keys: Collection[str]) -> tuple[str, ...]:
    """Names of benchmarks; a word that is none may be several with commas between."""
    parts = (part for name in names for part in ([name] if name in keys else name.split(",")))
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))
