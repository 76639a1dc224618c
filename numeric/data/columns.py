"""Which column holds which quantity: by its own name, its letter, or a usual spelling."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError, TableError
from ..words import listed
from .table import Table
from .where import computed, named

__all__ = [
    "BUDGET",
    "COUNTS",
    "EVALUATIONS",
    "LETTERS",
    "OUTCOME",
    "PASS_AT_K",
    "RUNS",
    "Columns",
    "chosen_columns",
    "recognise",
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
NEVER = re.compile(r"std|time|per.?s(ec|$)|/s$|ratio|step", re.IGNORECASE)
#: A unit at the end of a name, or before flop, and the powers of ten.
UNIT = re.compile(
    r"[\s_(\[](?:in |x)?(?:1e\+?(?P<power>\d+)|(?P<unit>[kmbtgpe]|[mb]illions?|trillions?))"
    r"(?:flops?)?[)\]]?\s*$|(?<![a-z])(?P<prefix>[kmgtpez])flops?(?![a-z])",
    re.IGNORECASE,
)
POWERS = {"k": 3, "m": 6, "b": 9, "g": 9, "t": 12, "p": 15, "e": 18, "z": 21}
#: Of a model with experts, params that take part in each token: not what "total params" counts.
ACTIVE = re.compile(r"activ", re.IGNORECASE)


#: Quantity -> its usual names, in lower case, without spaces, underscores and punctuation.
SPELLINGS = {
    "params": r"(n|num|numberof|total|numtotal|trainable|model|nonemb(edding)?|n?active|numactive|"
    r"activated)?param(eter)?s?(count|nonemb(edding)?)?|modelsize|"
    r"n(nonembedding|active)",
    "tokens": r"(n|num|numberof|nb|total|((n|num)?train(ing)?)|trained|seen|consumed|dataset)?tokens?"
    r"(count|trained|seen|processed|consumed)?|(training)?data(set)?size",
    "compute": r"(total|train(ing)?|model|compute|estimated)?flops?(count|6nd)?|c?6nd|"
    r"(total|train(ing)?)?compute(flops?)?|(flops?|compute|training)?budget",
    "loss": r"(final)?(val(idation)?|eval(uation)?|test|train(ing)?|heldout|lm|ce)?loss(nats)?|"
    r"crossentropy(loss)?|xent|nll(loss)?|negativeloglikelihood",
    "accuracy": r"acc|top1(acc(uracy)?)?|(mean|test|val(idation)?|eval)?accuracy|(test|val|eval)acc|"
    r"accuracytop1",
    "weight": r"(sample)?weights?",
    "group": r"group(s|id)?|(random)?seed|seeds|run(id)?|trainingrun|cluster(id)?",
    "run": r"run(id|name)?|trainingrun(id)?",
    "model": r"model(name|id|alias|nickname)?",
    "benchmark": r"benchmark(name)?|(eval(uation)?)?task(name)?|eval(uation|name)?",
    "metric_type": r"metric(name|type)?",
    "score": r"scores?|meanscore|(metric)?value|acc(uracy)?|result|(mean)?passatk",
    "random_baseline": r"(random)?baseline|(random|chance)accuracy|chance(level)?|qrandom|guessing",
    "problem": r"(problem|prompt|question|item|example)(id|idx|index)?|taskid",
    "n_samples": r"(n|num|numberof)?(samples|attempts|trials|total)|nsample|samplecount|"
    r"numsamplestotal",
    "n_correct": r"(n|num|numberof|is)?correct|(n|num|is)?passed|(n|num)?successes|nsolved|"
    r"correctcount|numsamplescorrect|(n|num)correctsamples",
    "gold": r"(mean)?(gold(ref(erence)?)?)?nll(nats)?|gold|goldneglogprob(ability)?|neglogprob(gold)?|"
    r"neggoldlogprob",
    "k": r"k|samplesk|numdraws",
    "pass_at_k": r"(mean|scores)?passatk|(mean)?pass|passk|passrate|estimate",
    "se": r"se(pass(atk)?)?|stderr|standarderror|passatkse",
}
LETTERS = {"N": "params", "D": "tokens", "C": "compute", "L": "loss"}
COUNT_LETTERS = {"n": "n_samples", "c": "n_correct"}
#: What the columns of each kind of table may hold: quantity -> its names.
RUNS, EVALUATIONS, COUNTS, PASS_AT_K = (
    {name: SPELLINGS[name] for name in names.split()}
    for names in (
        "params tokens compute loss accuracy weight group",
        "run benchmark metric_type score random_baseline k params tokens compute",
        "problem n_samples n_correct model benchmark params tokens compute gold",
        "k pass_at_k se model benchmark",
    )
)
# There `dataset` names a benchmark; in evaluations, what a run was trained on.
COUNTS["benchmark"] = PASS_AT_K["benchmark"] = SPELLINGS["benchmark"] + "|dataset(name)?"

#: Columns that name the run that a row is a checkpoint of.
RUN_NAME = r"(training)?runname|wandb(id|name|run|runid)"


def plain(name: str) -> str:
    """A name without case, spaces, underscores and punctuation.

    >>> plain("Training_Compute (FLOP)")
    'trainingcomputeflop'
    """
    return re.sub(r"[\W_]+", "", name).casefold()


def is_spelt(name: str, pattern: str) -> bool:
    """Whether a name, without case, spaces, underscores and punctuation, is one of a pattern."""
    return re.fullmatch(pattern, plain(name)) is not None


def letters_of(quantities: Mapping[str, str]) -> dict[str, str]:
    """Letter -> quantity, of those that a table may hold."""
    every = (LETTERS | COUNT_LETTERS).items()
    return {letter: name for letter, name in every if name in quantities}


def quantity_named(name: str, quantities: Mapping[str, str] = RUNS) -> str | None:
    """The quantity that a name stands for by itself: its own name or its letter."""
    return name if name in quantities else letters_of(quantities).get(name)


# -- recognition -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Columns:
    """What the columns `names` of a table hold.

    `of`: quantity -> its column, as far as there is one; `unsettled`: quantity without a column ->
    several that are like it to the same degree; `others`: quantity -> a warning that another column
    may be it as well and holds something else.
    """

    source: str
    names: tuple[str, ...]
    of: dict[str, str]
    unsettled: dict[str, tuple[str, ...]]
    others: dict[str, str]

    def require(self, *wanted: Sequence[str]) -> None:
        """Raise where of some quantities none has a column: one error for all of them, with the
        options to type.
        """
        missing = [some for some in wanted if not {*some} & self.of.keys()]
        if not missing:
            return
        asked = {*chain(*missing)} | ({*BUDGET} if {*chain(*missing)} & {*BUDGET} else set())
        texts = [self._choice(name) for name in self.unsettled if name in asked]
        if absent := [some for some in missing if not {*some} & self.unsettled.keys()]:
            free = [name for name in self.names if name not in self.of.values()]
            said = {some[0]: suggested(some[0], free) or "NAME" for some in absent}
            which = ", ".join(" or ".join(some) for some in absent)
            words = " ".join(f"--column {name}={text!r}" for name, text in said.items())
            there = f"no column for {which}; the columns are {listed(self.names)}"
            texts.append(f"{there}; say which with columns={said!r} ({words})")
        raise TableError(self.source, "; ".join(texts))

    def _choice(self, quantity: str, verdict: str = "") -> str:
        names = self.unsettled[quantity]
        return f"{may_be(names, quantity)}{verdict}; {name_it(quantity, names[0])}"

    def unsettled_warnings(self, *, but: Collection[str] = ()) -> list[str]:
        """What is said of the quantities of which no column is taken, for there are several."""
        return [self._choice(name, ": none is taken") for name in self.unsettled if name not in but]

    def settle(self, *quantities: str) -> None:
        """Raise where several columns may be one of the quantities."""
        for name in self.unsettled.keys() & {*quantities}:
            raise TableError(self.source, self._choice(name))


def recognise(
    table: Table, quantities: Mapping[str, str], chosen: Mapping[str, str | None]
) -> Columns:
    """The column of each quantity.

    A chosen column goes first, then one with the quantity's own name (``params``), then with its
    letter (``N``), then with a usual spelling (``Model Size``), then one that is so called after a
    slash (``train/loss``); an empty column comes after every filled one. Of two columns that are
    equally like it none is taken, nor of one with all params and one with active params.

    `quantities`: quantity -> its names, see `SPELLINGS`; `chosen`: quantity -> column, which may be
    in another table, or None where there is none.
    """
    names, empty = table.names, table.empty()
    chosen = {name: column for name, column in chosen.items() if column in (None, *names)}
    of = {quantity: name for quantity, name in chosen.items() if name is not None}
    free = [name for name in names if name not in of.values()]
    unsettled, others = {}, {}
    for quantity in quantities:
        ranks: dict[tuple[bool, int], list[str]] = {}
        for name in free if quantity not in chosen else ():
            if likeness := _likeness(quantity, quantities, name):
                ranks.setdefault((name in empty, likeness), []).append(name)
        strongest, *weaker = (ranks[rank] for rank in sorted(ranks)) if ranks else [[]]
        rest = [name for name in chain(*weaker) if name not in empty]
        if quantity == "params":
            active = {bool(ACTIVE.search(name)) for name in strongest}
            strongest += [name for name in rest if bool(ACTIVE.search(name)) not in active]
        if len(strongest) > 1:
            unsettled[quantity] = tuple(strongest)
        elif strongest:
            taken = of[quantity] = strongest[0]
            if differ := [name for name in rest if not _says_the_same(table, taken, name)]:
                cure = f"{taken!r} is taken; --column {quantity}={differ[0]!r} takes another"
                others[quantity] = f"{may_be([taken, *differ], quantity)}: {cure}"
    return Columns(table.source, names, of, unsettled, others)


def _says_the_same(table: Table, one: str, other: str) -> bool:
    """Whether two columns hold the same numbers; text is no number of anything."""
    first, second = table.numbers_or_none(one), table.numbers_or_none(other)
    return first is None or second is None or np.array_equal(first, second, equal_nan=True)


def _likeness(quantity: str, quantities: Mapping[str, str], name: str) -> int:
    """How a name stands for a quantity, 1 for the strongest way; 0 where it does not."""
    letters, letter = letters_of(quantities), name.strip()
    if not {*COUNT_LETTERS} & {*letters}:  # where n is no quantity of its own, it is N
        letter = letter.upper()
    _, slash, last = name.rpartition("/")
    is_loss = quantity == "loss" and last.endswith("_loss")
    ways = (
        name == quantity,
        plain(name) == plain(quantity),
        letters.get(name) == quantity,
        letters.get(letter) == quantity,
        is_spelt(name, quantities[quantity]),
        bool(slash) and (is_loss or is_spelt(last, quantities[quantity])),
    )
    return ways.index(True) + 1 if True in ways else 0


def chosen_columns(
    tables: Sequence[Table],
    quantities: Mapping[str, str],
    columns: Mapping[str, str | None] | None,
    others: Collection[str] | None = (),
) -> tuple[list[Table], dict[str, str | None], dict[str, str | None]]:
    """What the caller says of the columns of one table or of several beside each other.

    The tables, with a column for each expression such as ``tokens_B*1e9``, called as that is spelt;
    quantity -> column, or None where there is none; and the same of other names, which must be
    among `others`; None allows every name.
    """
    if not isinstance(columns, Mapping) and columns is not None:
        complaint = "must map quantities to columns, as in columns={'params': 'NAME'}"
        raise ArgumentError("columns", columns, complaint=complaint)
    tables = [_with_expressions(table, columns or {}) for table in tables]
    names = tuple(dict.fromkeys(chain(*(table.names for table in tables))))
    chosen: dict[str, str | None] = {}
    more: dict[str, str | None] = {}
    for key, name in (columns or {}).items():
        quantity = quantity_named(key, quantities)
        called, target = quantity or key, chosen if quantity else more
        twin = [known for known, column in (chosen | more).items() if name and column == name]
        complaint = ""
        if not isinstance(key, str) or not (name is None or isinstance(name, str)):
            complaint = "must be the name of a quantity and that of a column"
        elif quantity is None and others is not None and key not in others:
            complaint = no_quantity(key, quantities)
        elif name is not None and name not in names:
            there = f"{close_matches(name, names)}; it has {listed(names)}"
            complaint = f"{tables[0].source}: no column {name!r} for {called}{there}"
        elif called in target or twin:
            complaint = (
                f"{called!r} is given twice"
                if called in target
                else (f"{name!r} cannot be both {twin[0]} and {called}")
            )
        if complaint:
            raise ArgumentError("columns", {key: name}, complaint=complaint)
        target[called] = name
    return tables, chosen, more


def no_quantity(name: str, quantities: Mapping[str, str]) -> str:
    """The complaint about a name that is none of the quantities."""
    every = (*quantities, *letters_of(quantities))
    hint = close_matches(name, every)
    return f"{name!r} is no quantity; choose from {', '.join(every)}{hint}"


def _with_expressions(table: Table, columns: Mapping[str, str | None]) -> Table:
    """The table with a column for each expression on its columns."""
    frame = table.frame
    for quantity, text in columns.items():
        known = named(text) if isinstance(text, str) and text not in frame else ()
        # One name alone is a column, and columns of other tables are theirs to compute with.
        if not known or str(text).strip("`") in known or not {*known} <= {*table.names}:
            continue
        numbers = {name: table.numbers_or_none(name) for name in known}
        cells = {n: table.columns[n] if held is None else held for n, held in numbers.items()}
        try:
            frame = frame.assign(**{str(text): computed(str(text), cells, table.source)})
        except ArgumentError as error:
            raise ArgumentError("columns", {quantity: text}, complaint=error.complaint) from None
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
    unit = UNIT.search(name)
    if unit is None:
        return 0
    return int(unit["power"] or POWERS[(unit["prefix"] or unit["unit"])[0].lower()])
