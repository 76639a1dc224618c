"""Options on benchmarks: which of them, and what guessing scores."""

from __future__ import annotations

from .arguments import takes
from .domains import guess, name
from .errors import UsageError, outside, shown
from .tables import evaluations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..numeric.accuracy.baselines import Baseline
    from ..numeric.data.evaluations import Evaluations
    from ..numeric.data.table import Table
    from .arguments import Options, Parser

PUBLISHED = "krajewski2025"
#: By how much every benchmark of an average must exceed guessing.
MARGIN = 0.05
BASELINE = (
    f"NAME=VALUE for some benchmarks, one VALUE for all (from 0 to less than 1), or {PUBLISHED}"
)


def declare_guessing(parser: Parser) -> None:
    """What guessing scores, and the mean over benchmarks."""
    guessing = parser.add_argument_group("accuracy of guessing")
    takes(
        guessing,
        "--random-baseline",
        "NAME=VALUE",
        f"{BASELINE}: those of that paper",
        form="words",
    )
    small = "estimate it from these, with its error, such as 'compute < 1e17'"
    takes(guessing, "--small-runs", "CONDITION", small, sets="small")
    average = "add the mean of normalised accuracy over these benchmarks; none named: all"
    takes(guessing, "--average", "NAME", average, name, "any", distinct=True, sets="benchmarks")


def asked(options: Options, held: Table | None) -> tuple[Evaluations, dict[str, Baseline]]:
    """The evaluations of the benchmarks that were asked for, with their average where it was, and
    what guessing scores on each; `held`: the table, if it was read.
    """
    from ..numeric.accuracy.averages import AVERAGE, averaged
    from ..numeric.accuracy.baselines import Baseline, resolve

    given, small = _given(options), options["--small-runs"]
    if small is not None and not isinstance(given, (dict, type(None))):
        raise UsageError("--small-runs and --random-baseline: one of them is enough")
    read = evaluations(options, held)
    wanted = read.benchmarks
    if "--benchmark" in options:
        wanted = tuple(options["--benchmark"])
    if not wanted:
        raise UsageError(f"{read.source}: has pass@k with k > 1 alone; name one by --benchmark")
    members: tuple[str, ...] = ()
    if "--average" in options:
        usual = tuple(key for key in wanted if key in read.benchmarks)
        members = tuple(options["--average"]) or usual
    for member in members:
        read.require(member, "average")
    known = resolve(read, given, small, benchmarks=tuple(dict.fromkeys((*wanted, *members))))
    if "--average" not in options:
        return read.only(wanted), known
    more = averaged(read, known, benchmarks=members, margin=MARGIN).only((*wanted, AVERAGE))
    known[AVERAGE] = Baseline(0.0, how="0 for a mean of normalised accuracy")
    return more, {key: known[key] for key in more.scores}


def _given(options: Options) -> float | dict[str, float] | str | None:
    """NAME=SHARE for some benchmarks, one SHARE for all, or the name of a paper."""
    words = options.words("--random-baseline")
    if not words or words == [PUBLISHED]:
        return PUBLISHED if words else None
    shares: dict[str, float] = {}
    for word in words:
        key, equals, text = (part.strip() for part in word.rpartition("="))
        try:
            value = guess(text)
        except ValueError as error:
            raise UsageError(f"--random-baseline {shown(word)}: {error}; {BASELINE}") from None
        if not equals and len(words) == 1:
            return value
        if not key or key in shares:
            raise outside("--random-baseline", word, f"{BASELINE}, each once")
        shares[key] = value
    return shares
