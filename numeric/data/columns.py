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
}
LETTERS = {"N": "params", "D": "tokens", "C": "compute", "L": "loss"}
COUNT_LETTERS = {"n": "n_samples", "c": "n_correct"}
#: What the columns of each kind of table may hold: quantity -> its names.
RUNS, EVALUATIONS, COUNTS, PASS_AT_K = (
    {name: SPELLINGS[name] for name in names.split()}
    for names in (
        "params tokens compute loss accuracy weight group",
        "run benchmark metric_type score random_baseline params tokens compute",
        "problem n_samples n_correct model benchmark params tokens compute gold",
        "k pass_at_k model benchmark",
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
    """What the columns of a table hold; `of`: quantity -> its column, as far as there is one."""

    table: Table
    of: dict[str, str]

    def require(self, *wanted: Sequence[str]) -> None:
        """Raise where of some quantities none has a column: one error for all of them, with the
        options to type.
        """
        missing = [some for some in wanted if not {*some} & self.of.keys()]
        if not missing:
            return
        free = [name for name in self.table.names if name not in self.of.values()]
        said = {some[0]: suggested(some[0], free) or "NAME" for some in missing}
        which = ", ".join(" or ".join(some) for some in missing)
        words = " ".join(f"--column {name}={text!r}" for name, text in said.items())
        there = f"no column for {which}; the columns are {listed(self.table.names)}"
        raise TableError(self.table.source, f"{there}; say which with columns={said!r} ({words})")


def recognise(
    table: Table, quantities: Mapping[str, str], chosen: Mapping[str, str | None]
) -> Columns:
    """The column of each quantity.

    A chosen column goes first, then one with the quantity's own name (``params``) or letter
    (``N``), then one with a usual spelling, also after a slash (``Model Size``, ``train/loss``); an
    empty column comes after every filled one.

    `quantities`: quantity -> its names, see `SPELLINGS`; `chosen`: quantity -> column, which may be
    in another table, or None where there is none.

    Raises
    ------
    TableError
        Where several columns are equally like a quantity and differ, or one has all params and
        another one active params: the user chooses.
    """
    chosen = {name: column for name, column in chosen.items() if column in (None, *table.names)}
    of = {quantity: column for quantity, column in chosen.items() if column is not None}
    free = [name for name in table.names if name not in of.values()]
    filled = {name for name in free if table.frame[name].notna().any()}
    choices = []
    for quantity in [name for name in quantities if name not in chosen]:
        likeness = {name: _likeness(quantity, quantities, name) for name in free}
        alike = [name for name in free if likeness[name]]
        alike = [name for name in alike if name in filled] or alike
        most = min([likeness[name] for name in alike], default=0)
        best = [name for name in alike if likeness[name] == most]
        if quantity == "params" and best:
            is_active = {name: bool(ACTIVE.search(name)) for name in alike}
            best += [name for name in alike if is_active[name] != is_active[best[0]]]
        if any(not np.array_equal(table.texts(best[0]), table.texts(name)) for name in best[1:]):
            names = tuple(dict.fromkeys(best))
            both = f"{listed(names)} may {'both' if len(names) == 2 else 'all'} be {quantity}"
            choices.append(f"columns {both}; {name_it(quantity, names[0])}")
        elif best:
            of[quantity] = best[0]
    if choices:
        raise TableError(table.source, "; ".join(choices))
    return Columns(table, of)


def may_hold(
    table: Table,
    quantity: str,
    quantities: Mapping[str, str],
    chosen: Mapping[str, str | None],
) -> bool:
    """Whether a table has a column for a quantity, be it one of several."""
    if quantity in chosen and chosen[quantity] in (None, *table.names):
        return chosen[quantity] is not None
    free = [name for name in table.names if name not in chosen.values()]
    return any(_likeness(quantity, quantities, name) for name in free)


def _likeness(quantity: str, quantities: Mapping[str, str], name: str) -> int:
    """1 where a name is a quantity's own, 2 where it is a usual one; 0 where it is none."""
    letters, letter = letters_of(quantities), name.strip()
    if not {*COUNT_LETTERS} & {*letters}:  # where n is no quantity of its own, it is N
        letter = letter.upper()
    if plain(name) == plain(quantity) or letters.get(letter) == quantity:
        return 1
    last = name.rpartition("/")[2]
    is_loss = quantity == "loss" and last != name and last.endswith("_loss")
    pattern = quantities[quantity]
    return 2 if is_loss or is_spelt(name, pattern) or is_spelt(last, pattern) else 0


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
        domain = "a mapping of quantities to columns, as in columns={'params': 'NAME'}"
        raise ArgumentError("columns", columns, domain)
    tables = [_with_expressions(table, columns or {}) for table in tables]
    names = tuple(dict.fromkeys(chain(*(table.names for table in tables))))
    chosen: dict[str, str | None] = {}
    more: dict[str, str | None] = {}
    for key, column in (columns or {}).items():
        quantity = quantity_named(key, quantities)
        called, target = quantity or key, chosen if quantity else more
        twin = [known for known, held in (chosen | more).items() if column and held == column]
        complaint = ""
        if not isinstance(key, str) or not (column is None or isinstance(column, str)):
            complaint = "must be the name of a quantity and that of a column"
        elif quantity is None and others is not None and key not in others:
            complaint = no_quantity(key, quantities)
        elif column is not None and column not in names:
            there = f"{close_matches(column, names)}; it has {listed(names)}"
            complaint = f"{tables[0].source}: no column {column!r} for {called}{there}"
        elif called in target:
            complaint = f"{called!r} is given twice"
        elif twin:
            complaint = f"{column!r} cannot be both {twin[0]} and {called}"
        if complaint:
            raise ArgumentError("columns", {key: column}, complaint=complaint)
        target[called] = column
    return tables, chosen, more


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


def name_it(quantity: str, column: str = "NAME") -> str:
    """How to say which column holds a quantity."""
    return f"choose one with columns={{{quantity!r}: {column!r}}} (--column {quantity}={column!r})"


def put_aside(quantity: str) -> str:
    """How to say that no column holds a quantity."""
    return f"; columns={{{quantity!r}: None}} (--column {quantity}=) puts the column aside"


def no_quantity(name: str, quantities: Mapping[str, str]) -> str:
    """The complaint about a name that is none of the quantities."""
    every = (*quantities, *letters_of(quantities))
    hint = close_matches(name, every)
    return f"{name!r} is no quantity; choose from {', '.join(every)}{hint}"


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
