"""Which column holds which quantity: by its own name, its letter, or a usual spelling."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from ...theory.data.notation import close_matches
from ..errors import ArgumentError, TableError
from ..words import listed
from .where import computed, named

if TYPE_CHECKING:
    from .table import RawTable

__all__ = [
    "BUDGET",
    "COUNTS",
    "EVALUATIONS",
    "LETTERS",
    "OUTCOME",
    "PASS_AT_K",
    "RUNS",
    "Columns",
    "recognise",
    "with_expressions",
]

#: The quantities that C = 6ND ties together, and those of which one is fitted.
BUDGET, OUTCOME = ("params", "tokens", "compute"), ("loss", "accuracy")
#: What the name of a column that may be meant for a quantity has in it.
HINTS = {
    "params": r"param|model.?size",
    "tokens": r"token|data.?set.?size",
    "compute": r"flop|compute|budget",
    "loss": r"loss|nll|entropy|perplexity|ppl|bpb|bits.per.byte",
}
PERPLEXITY = re.compile(r"perplexity|(?<![a-z])ppl(?![a-z])", re.IGNORECASE)
#: Names of numbers that are never the quantity itself.
NEVER = re.compile(r"std|stderr|time|per.?second|/s$|ratio|step", re.IGNORECASE)
#: A unit at the end of a name, or before flop, and the powers of ten.
UNIT = re.compile(
    r"[\s_(\[](?:in |x)?(?P<unit>1e\+?(?P<power>\d+)|[kmbtgpe]|(?:thousand|million|billion|trillion)s?)"
    r"(?:flops?)?[)\]]?\s*$|(?<![a-z])(?P<prefix>[kmgtpez])flops?(?![a-z])",
    re.IGNORECASE,
)
POWERS = {"k": 3, "m": 6, "b": 9, "g": 9, "t": 12, "p": 15, "e": 18, "z": 21}
#: Of a model with experts, params that take part in each token: not what "total params" counts.
ACTIVE = re.compile(r"activ", re.IGNORECASE)


@dataclass(frozen=True)
class ColumnKind:
    """What a column may hold.

    Attributes
    ----------
    name : str
    spellings : str
        Usual spellings, in lower case, without spaces, underscores and punctuation.
    letter : str
    exact : bool
        Whether it has no name but its own.
    usual : (float, str, float, str)
        Numbers below the first or above the second one are more likely in other units, or something
        else: what is said then; {0} stands for the column.
    """

    name: str
    spellings: str = ""
    letter: str = ""
    exact: bool = False
    usual: tuple[float, str, float, str] = (-math.inf, "", math.inf, "")

    @cached_property
    def plain_names(self) -> frozenset[str]:
        return frozenset((plain(self.name), *self.spellings.split()))


#: What is said of a small number of {0}.
MILLIONS = "of millions say --column {0}='{{0}}*1e6', of billions {0}='{{0}}*1e9'"
PARAMS = ColumnKind(
    "params",
    """
    param parameter parameters nparam nparams numparam numparams nparameters numparameters
    numberofparameters paramcount paramscount parametercount modelsize modelparams modelparameters
    totalparams totalparameters numtotalparams trainableparams trainableparameters
    nonembeddingparams nonembeddingparameters paramsnonembedding parametersnonembedding
    nparamsnonembedding numparamsnonembedding nnonembedding nonembparams paramsnonemb
    activeparams activeparameters nactiveparams numactiveparams activatedparams nactive
    """,
    "N",
    usual=(1e3, MILLIONS.format("params"), 1e16, "is it compute?"),
)
TOKENS = ColumnKind(
    "tokens",
    """
    token ntoken ntokens numtoken numtokens numberoftokens nbtokens tokencount totaltokens
    trainingtokens traintokens numtrainingtokens numtraintokens ntrainingtokens ntraintokens
    tokenstrained trainedtokens tokensseen seentokens tokensprocessed tokensconsumed consumedtokens
    datasize datasetsize datasettokens trainingdatasetsize
    """,
    "D",
    usual=(1e3, MILLIONS.format("tokens"), 1e18, "is it compute?"),
)
COMPUTE = ColumnKind(
    "compute",
    """
    flop flops totalflop totalflops trainingflop trainingflops trainflop trainflops modelflops
    computeflop computeflops flopcount flopscount estimatedflops trainingcompute traincompute
    totalcompute trainingcomputeflop trainingcomputeflops budget flopbudget flopsbudget
    computebudget trainingbudget c6nd 6nd flops6nd
    """,
    "C",
    usual=(
        1e6,
        "of units of 1e18 say --column compute='{0}*1e18', of a logarithm compute='10**{0}'",
        1e30,
        "is it in other units?",
    ),
)
LOSS = ColumnKind(
    "loss",
    """
    finalloss valloss validationloss evalloss evaluationloss testloss trainloss trainingloss
    finaltrainloss finaltrainingloss finalvalloss finalvalidationloss finalevalloss finaltestloss
    heldoutloss lmloss lossnats crossentropy crossentropyloss xent celoss nll nllloss
    negativeloglikelihood
    """,
    "L",
    usual=(
        0.0,
        "",
        20.0,
        "a loss is in nats per token; of a perplexity say --column loss='log({0})'",
    ),
)
ACCURACY = ColumnKind(
    "accuracy",
    """
    acc top1 top1acc top1accuracy accuracytop1 meanaccuracy testaccuracy testacc valaccuracy valacc
    validationaccuracy evalaccuracy evalacc
    """,
)
WEIGHT = ColumnKind("weight", "weights sampleweight sampleweights")
GROUP = ColumnKind(
    "group", "groups groupid seed seeds randomseed run runid trainingrun cluster clusterid"
)
RUN = ColumnKind("run", "runid runname trainingrun trainingrunid")
MODEL = ColumnKind("model", "modelname modelid modelalias modelnickname")
BENCHMARK = ColumnKind(
    "benchmark",
    "benchmarkname task taskname evaltask evaltaskname evaluationtask eval evaluation evalname",
)
METRIC_TYPE = ColumnKind("metric_type", "metric metricname")
SCORE = ColumnKind(
    "score", "scores value metricvalue accuracy acc meanscore result meanpassatk passatk"
)
RANDOM_BASELINE = ColumnKind(
    "random_baseline", "baseline randomaccuracy chance chancelevel chanceaccuracy qrandom guessing"
)
PROBLEM = ColumnKind(
    "problem",
    """
    problemidx problemid problemindex prompt promptidx promptid promptindex taskid question
    questionid questionidx item itemid example exampleid
    """,
)
N_SAMPLES = ColumnKind(
    "n_samples",
    """
    numsamples samples nsample samplecount numberofsamples numattempts nattempts attempts total
    ntotal numtotal numsamplestotal trials ntrials numtrials
    """,
    "n",
)
N_CORRECT = ColumnKind(
    "n_correct",
    """
    numcorrect correct correctcount numberofcorrect numsamplescorrect ncorrectsamples
    numcorrectsamples passed npassed numpassed successes nsuccesses numsuccesses nsolved
    """,
    "c",
)
GOLD = ColumnKind(
    "gold",
    """
    goldnll goldrefnll goldrefnllnats goldreferencenll goldreferencenllnats goldneglogprob
    neglogprobgold neglogprob nll nllnats goldnllnats neggoldlogprob goldneglogprobability
    meangoldnll
    """,
)
K = ColumnKind("k", "samplesk numdraws")
PASS_RATE = ColumnKind(
    "pass_at_k", "pass passk passatk meanpassatk scorespassatk meanpass passrate estimate"
)
STANDARD_ERROR = ColumnKind("se", "stderr standarderror sepassatk passatkse sepass")

#: What the columns of each kind of table may hold. In counts a column `dataset` names a benchmark;
#: in evaluations, what a run was trained on.
TESTED_ON = replace(BENCHMARK, spellings=f"{BENCHMARK.spellings} dataset datasetname")
RUNS = (PARAMS, TOKENS, COMPUTE, LOSS, ACCURACY, WEIGHT, GROUP)
EVALUATIONS = (
    *(RUN, BENCHMARK, METRIC_TYPE, SCORE, RANDOM_BASELINE, replace(K, exact=True)),
    *(PARAMS, TOKENS, COMPUTE),
)
COUNTS = (PROBLEM, N_SAMPLES, N_CORRECT, MODEL, TESTED_ON, PARAMS, TOKENS, COMPUTE, GOLD)
PASS_AT_K = (K, PASS_RATE, STANDARD_ERROR, MODEL, TESTED_ON)
LETTERS = {quantity.letter: quantity.name for quantity in RUNS if quantity.letter}

#: Columns that name the run that a row is a checkpoint of, and those that may.
RUN_NAME = ColumnKind("run_name", "trainingrunname wandbid wandbname wandbrun wandbrunid")
MAY_NAME_RUN = ColumnKind(
    "name",
    """
    model modelname modelid modelalias exp expname expid experiment experimentname experimentid job
    jobname jobid trial trialname trialid
    """,
)


def plain(name: str) -> str:
    """A name without case, spaces, underscores and punctuation.

    >>> plain("Training_Compute (FLOP)")
    'trainingcomputeflop'
    """
    return re.sub(r"[\W_]+", "", name).casefold()


def quantity_named(name: str, quantities: Sequence[ColumnKind] = RUNS) -> str | None:
    """The quantity that a name stands for by itself: its own name or its letter."""
    return next(
        (known.name for known in quantities if name and name in (known.name, known.letter)), None
    )


# -- recognition -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Columns:
    """What the columns of a table hold.

    Attributes
    ----------
    source : str
        What holds the columns, for messages.
    names : tuple of str
        The columns.
    of : dict of str to str
        Quantity -> its column, as far as there is one.
    weaker : dict of str to tuple of str
        Quantity -> other columns that may be it as well, by a weaker likeness.
    unsettled : dict of str to tuple of str
        Quantity without a column -> several that are like it to the same degree.
    """

    source: str
    names: tuple[str, ...]
    of: dict[str, str]
    weaker: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unsettled: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def require(self, *wanted: Sequence[str]) -> None:
        """Raise where of some quantities none has a column: one error for all of them, with the
        options to type.
        """
        missing = [some for some in wanted if not {*some} & self.of.keys()]
        if not missing:
            return
        asked = {*chain(*missing)} | ({*BUDGET} if {*chain(*missing)} & {*BUDGET} else set())
        texts = [
            f"{may_be(columns, name)}; {name_it(name, columns[0])}"
            for name, columns in self.unsettled.items()
            if name in asked
        ]
        if absent := [some for some in missing if not {*some} & self.unsettled.keys()]:
            free = [name for name in self.names if name not in self.of.values()]
            said = {some[0]: suggested(some[0], free) or "NAME" for some in absent}
            which = ", ".join(" or ".join(some) for some in absent)
            words = " ".join(f"--column {name}={text!r}" for name, text in said.items())
            texts.append(
                f"no column for {which}; the columns are {listed(self.names)}; "
                f"say which with columns={said!r} ({words})"
            )
        raise TableError(self.source, "; ".join(texts))

    def unsettled_warnings(self, *, but: Collection[str] = ()) -> list[str]:
        """What is said of the quantities of which no column is taken, for there are several."""
        return [
            f"{may_be(names, quantity)}: none is taken; {name_it(quantity, names[0])}"
            for quantity, names in self.unsettled.items()
            if quantity not in but
        ]

    def settle(self, *quantities: str) -> None:
        """Raise where several columns may be one of the quantities."""
        for quantity in quantities:
            if quantity in self.unsettled:
                names = self.unsettled[quantity]
                raise TableError(
                    self.source, f"{may_be(names, quantity)}; {name_it(quantity, names[0])}"
                )


def recognise(
    table: RawTable,
    quantities: Sequence[ColumnKind],
    chosen: Mapping[str, str | None],
    rows: Any = slice(None),
) -> Columns:
    """The column of each quantity.

    A chosen column goes first, then one with the quantity's own name (``params``), then with its
    letter (``N``), then with a usual spelling (``Model Size``), then one that is so called after a
    slash (``train/loss``); an empty column comes after every filled one. Of two columns that are
    equally like it none is taken, nor of one with all params and one with active params.

    Parameters
    ----------
    table : RawTable
    quantities : sequence of ColumnKind
    chosen : mapping of str to str or None
        Quantity -> column as in the source, which may be in another table; None: there is none.
    rows : slice or ndarray of bool
        The rows that say whether a column is empty.
    """
    names, empty = table.names, table.empty(rows)
    chosen = {name: column for name, column in chosen.items() if column in (None, *names)}
    of = {quantity: name for quantity, name in chosen.items() if name is not None}
    free = [name for name in names if name not in of.values()]
    weaker, unsettled = {}, {}
    letters = {quantity.letter: quantity.name for quantity in quantities if quantity.letter}
    for quantity in quantities:
        if quantity.name in chosen:
            continue
        ranks: dict[tuple[bool, int], list[str]] = {}
        for name in free:
            if likeness := _likeness(quantity, letters, name):
                ranks.setdefault((name in empty, likeness), []).append(name)
        strongest, *others = (ranks[rank] for rank in sorted(ranks)) if ranks else [[]]
        rest = [name for rank in others for name in rank]
        if quantity.name == "params":
            kinds = {bool(ACTIVE.search(name)) for name in strongest}
            strongest += [
                name
                for name in rest
                if name not in empty and bool(ACTIVE.search(name)) not in kinds
            ]
        if len(strongest) == 1:
            of[quantity.name] = strongest[0]
            weaker[quantity.name] = tuple(rest)
        elif strongest:
            unsettled[quantity.name] = tuple(strongest)
    return Columns(table.source, names, of, weaker, unsettled)


def _likeness(quantity: ColumnKind, letters: Mapping[str, str], name: str) -> int:
    """How a name stands for a quantity, 1 for the strongest way; 0 where it does not."""
    # Where n is no quantity of its own, it is N.
    either_case = all(letter.isupper() for letter in letters)
    letter = letters.get(name.strip().upper() if either_case else name.strip())
    ways = [name == quantity.name]
    if not quantity.exact:
        ways += [plain(name) == plain(quantity.name), letters.get(name) == quantity.name]
        ways += [letter == quantity.name, plain(name) in quantity.plain_names]
        _, slash, last = name.rpartition("/")
        is_loss = quantity is LOSS and last.endswith("_loss")
        ways += [bool(slash) and (is_loss or plain(last) in quantity.plain_names)]
    return ways.index(True) + 1 if True in ways else 0


def chosen_columns(
    source: str,
    names: Collection[str],
    quantities: Sequence[ColumnKind],
    columns: Mapping[str, str | None] | None,
    others: Collection[str] | None = (),
) -> tuple[dict[str, str | None], dict[str, str | None]]:
    """What the caller says of columns: of quantities, and of other names, where they are among
    `others`; None allows every name. Expressions are among `names`, see `with_expressions`.
    """
    if not isinstance(columns, Mapping) and columns is not None:
        example = f"columns={{{quantities[0].name!r}: 'NAME'}}"
        complaint = f"must map quantities to columns, as in {example}"
        raise ArgumentError("columns", columns, complaint=complaint)
    chosen: dict[str, str | None] = {}
    more: dict[str, str | None] = {}
    for key, name in (columns or {}).items():
        quantity = quantity_named(key, quantities)
        called, taken, target = quantity or key, chosen | more, chosen if quantity else more
        complaint = ""
        if not isinstance(key, str) or not (name is None or isinstance(name, str)):
            complaint = "must be the name of a quantity and that of a column"
        elif quantity is None and others is not None and key not in others:
            complaint = no_quantity(key, quantities)
        elif called in target:
            complaint = f"{called} is given twice, {target[called]!r} and {name!r}"
        elif name is not None and name not in names:
            hint = close_matches(name, names)
            complaint = f"{source}: no column {name!r} for {called}{hint}; it has {listed(names)}"
        elif name is not None and name in taken.values():
            other = next(known for known, column in taken.items() if column == name)
            complaint = f"{name!r} cannot be both {other} and {called}"
        if complaint:
            raise ArgumentError("columns", {key: name}, complaint=complaint)
        target[called] = name
    return chosen, more


def no_quantity(name: str, quantities: Sequence[ColumnKind]) -> str:
    """The complaint about a name that is none of the quantities."""
    spellings = [quantity.name for quantity in quantities]
    spellings += [quantity.letter for quantity in quantities if quantity.letter]
    hint = close_matches(name, spellings)
    return f"{name!r} is no quantity; choose from {', '.join(spellings)}{hint}"


def with_expressions(table: RawTable, columns: Mapping[str, str | None] | None) -> RawTable:
    """The table with a column for each expression that stands for one, such as ``tokens_B*1e9``.

    An expression is on columns of the table as they are; the column is called as it is spelt.
    """
    frame = table.frame
    for quantity, text in columns.items() if isinstance(columns, Mapping) else ():
        if not isinstance(text, str) or text in frame:
            continue
        known = named(text)
        # One name alone is a column, and columns of other tables are theirs to compute with.
        if not known or text.strip("`") in known or not {*known} <= {*table.names}:
            continue
        cells = {
            name: table.numbers(name)[0] if table.spells_numbers(name) else frame[name].to_numpy()
            for name in known
        }
        values = computed(text, cells, table.rows, table.source, f"columns[{quantity!r}]")
        frame = frame.assign(**{text: values})
    return replace(table, frame=frame)


# -- messages --------------------------------------------------------------------------------------


def may_be(columns: Sequence[str], quantity: str) -> str:
    return f"columns {listed(columns)} may {'both' if len(columns) == 2 else 'all'} be {quantity}"


def name_it(quantity: str, column: str = "NAME") -> str:
    """How to say which column holds a quantity."""
    return f"choose one with columns={{{quantity!r}: {column!r}}} (--column {quantity}={column!r})"


def put_aside(quantity: str) -> str:
    """How to say that no column holds a quantity."""
    return f"; columns={{{quantity!r}: None}} (--column {quantity}=) puts the column aside"


def suggested(quantity: str, names: Iterable[str]) -> str:
    """The column, or the expression on one, that is most likely meant for a quantity; "" for none.

    >>> suggested("tokens", ["step", "tokens (B)"]), suggested("compute", ["total_gflops"])
    ('`tokens (B)`*1e9', 'total_gflops*1e9')
    >>> suggested("loss", ["perplexity"]), suggested("params", ["width"])
    ('log(perplexity)', '')
    """
    hint = re.compile(HINTS.get(quantity, "(?!)"), re.IGNORECASE)
    for name in names:
        if hint.search(name) and not NEVER.search(name):
            if quantity == "loss":
                return f"log({spelt_in(name)})" if PERPLEXITY.search(name) else name
            power = _power(name)
            return f"{spelt_in(name)}*1e{power}" if power else name
    return ""


def spelt_in(name: str) -> str:
    """A column as it is spelt in an expression."""
    return name if name.isidentifier() else f"`{name}`"


def _power(name: str) -> int:
    """The power of ten of the unit in the heading of a column; 0 where there is none."""
    for unit in UNIT.finditer(name):
        if unit["power"]:
            return int(unit["power"])
        return POWERS.get((unit["prefix"] or unit["unit"])[0].lower(), 0)
    return 0
