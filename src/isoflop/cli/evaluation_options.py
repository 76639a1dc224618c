"""Options on benchmarks: which of them, and what guessing scores."""

from __future__ import annotations

from functools import cached_property

from .arguments import takes_one, takes_several
from .domains import guess, name
from .errors import UsageError, outside, shown
from .tables import TableOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..numeric.accuracy.baselines import Baseline
    from ..numeric.data.evaluations import Evaluations
    from ..numeric.data.table import Table
    from .arguments import Group, Options, Parser

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
    takes_several(guessing, "--average", "NAME", average, name, bare=True, distinct=True)


class EvaluationTable(TableOptions):
    """The table of evaluations that was asked for, its options checked before any work is done."""

    def __init__(self, options: Options, table: Table | None = None) -> None:
        """`table`: the file, if it was read."""
        super().__init__(options, table)
        self.small = options["--small-runs"]
        self.names: list[str] | None = options["--benchmark"]
        self.given: float | dict[str, float] | str | None = PUBLISHED
        if options.words("--random-baseline") != [PUBLISHED]:
            self.given = _shares(options.words("--random-baseline"))
        if self.small is not None and not isinstance(self.given, (dict, type(None))):
            raise UsageError("--small-runs and --random-baseline: one of them is enough")
        self.average: list[str] | None = options["--average"]

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


def _shares(words: Sequence[str]) -> float | dict[str, float] | None:
    """NAME=SHARE for some benchmarks, or one SHARE for all."""
    if not words:
        return None
    entries = [
        part for word in words for part in (word.split(",") if word.count("=") > 1 else [word])
    ]
    shares: dict[str, float] = {}
    for entry in entries:
        key, equals, text = (part.strip() for part in entry.rpartition("="))
        try:
            value = guess(text)
        except ValueError as error:
            raise UsageError(f"--random-baseline {shown(entry)}: {error}; {BASELINE}") from None
        if not equals and len(entries) == 1:
            return value
        if not key:
            raise outside("--random-baseline", entry, BASELINE)
        if key in shares:
            raise UsageError(f"--random-baseline {shown(entry)}: {key} is given twice")
        shares[key] = value
    return shares


def told_apart(names: Sequence[str], keys: Collection[str]) -> tuple[str, ...]:
    """Names of benchmarks; a word that is none may be several with commas between."""
    parts = (part for name in names for part in ([name] if name in keys else name.split(",")))
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))
