"""The column that holds each quantity: recognised by the name of the quantity, its letter, or a usual
spelling.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from ...theory.data.notation import close_matches
from ..errors import ArgumentError, TableError
from ..words import listed
from .table import SourceTable, in_backticks
from .where import evaluated

#: The quantities that C = 6ND ties together.
BUDGET = ("params", "tokens", "compute")
#: Quantity -> a pattern of its usual names, as `plain` writes them.
SPELLINGS = {
    "params": r"(n|num|numberof|total|numtotal|trainable|model|nonemb(edding)?|n?active|numactive|"
    r"activated)?param(eter)?s?(count|nonemb(edding)?)?|modelsize|n|"
    r"n(nonembedding|active)",
    "tokens": r"(n|num|numberof|nb|total|((n|num)?train(ing)?)|trained|seen|consumed|dataset)?tokens?"
    r"(count|trained|seen|processed|consumed)?|(training)?data(set)?size|d",
    "compute": r"(total|train(ing)?|model|compute|estimated)?flops?(count|6nd)?|c?6nd|"
    r"(total|train(ing)?)?compute(flops?)?|(flops?|compute|training)?budget|c",
    "loss": r"(final)?(val(idation)?|eval(uation)?|test|train(ing)?|heldout|lm|ce)?loss(nats)?|"
    r"crossentropy(loss)?|xent|nll(loss)?|negativeloglikelihood|l",
    "group": r"group(s|id)?|(random)?seed|seeds|run(id)?|trainingrun|cluster(id)?",
    "run": r"run(id|name)?|trainingrun(id)?|name",
    "model": r"model(name|id|alias|nickname)?",
    "benchmark": r"benchmark(name)?|(eval(uation)?)?task(name)?|eval(uation|name)?",
    "metric_type": r"metric(name|type)?",
    "score": r"scores?|meanscore|(metric)?value|acc(uracy)?|result|(mean)?passatk",
    "random_baseline": r"(random)?baseline|(random|chance)accuracy|chance(level)?|qrandom|guessing",
    "problem": r"(problem|prompt|question|item|example)(id|idx|index)?|taskid",
    "n_samples": r"(n|num|numberof)?(samples|attempts|trials|total)|nsample|samplecount|"
    r"numsamplestotal|n",
    "n_correct": r"(n|num|numberof|is)?correct|(n|num|is)?passed|(n|num)?successes|nsolved|"
    r"correctcount|numsamplescorrect|(n|num)correctsamples|c",
    "gold": r"(mean)?(gold(ref(erence)?)?)?nll(nats)?|gold|goldneglogprob(ability)?|neglogprob(gold)?|"
    r"neggoldlogprob",
}
LETTERS = {"N": "params", "D": "tokens", "C": "compute", "L": "loss"}
#: The letters with those of counts, where n and c do not mean N and C.
ALL_LETTERS = LETTERS | {"n": "n_samples", "c": "n_correct"}
#: Quantities that must be positive and finite, else the row is rejected; those that must be whole
#: numbers of at least so much, else the table is refused; and all that are numbers, not labels.
POSITIVE = (*BUDGET, "loss", "gold")
WHOLE = {"n_samples": 1, "n_correct": 0}
NUMBERS = (*POSITIVE, *WHOLE, "score", "random_baseline")


class Kind(NamedTuple):
    """A kind of table.

    `quantities` maps the quantities that it may hold to patterns of their usual names; it must have
    a column for each quantity of one of the lists in `needed`.
    """

    name: str
    quantities: dict[str, str]
    needed: tuple[tuple[str, ...], ...]


def _kind(name: str, quantities: str, *needed: str) -> Kind:
    held = {name: SPELLINGS[name] for name in quantities.split()}
    if "n_correct" in held:  # `dataset` is elsewhere what a run was trained on
        held["benchmark"] += "|dataset(name)?"
    return Kind(name, held, tuple(tuple(names.split()) for names in needed))


COUNTS = _kind(
    "counts",
    "problem n_samples n_correct model benchmark params tokens compute gold",
    "n_samples n_correct",
    "problem n_correct",  # a row a sample
)
EVALUATIONS = _kind(
    "evaluations",
    "run benchmark metric_type score random_baseline params tokens compute",
    "benchmark score",
)
RUNS = _kind("runs", "params tokens compute loss group", "loss")

#: Names of the params of a model with experts that take part in each token, unlike its total params.
ACTIVE = re.compile(r"activ", re.IGNORECASE)
#: Patterns in the names of columns that may be meant for a quantity, and in those that never are.
HINTS = {
    "params": r"param|model.?size",
    "tokens": r"token|data.?set.?size",
    "compute": r"flop|compute|budget",
    "loss": r"loss|nll|entropy|perplexity|ppl|bpb|bits.per.byte",
}
NEVER = re.compile(r"std|time|per.?s(ec|$)|/s$|ratio|step", re.IGNORECASE)
PERPLEXITY = re.compile(r"perplexity|(?<![a-z])ppl(?![a-z])", re.IGNORECASE)
#: A unit at the end of a name, or before flop; and the power of ten of each unit.
UNIT = re.compile(
    r"[\s_(\[](?:in |x)?(?:1e\+?(?P<power>\d+)|(?P<unit>[kmbtgpe]|[mb]illions?|trillions?))"
    r"(?:flops?)?[)\]]?\s*$|(?<![a-z])(?P<prefix>[kmgtpez])flops?(?![a-z])",
    re.IGNORECASE,
)
POWERS = {"k": 3, "m": 6, "b": 9, "g": 9, "t": 12, "p": 15, "e": 18, "z": 21}


def plain(name: str) -> str:
    """The name without case, spaces, underscores and punctuation.

    >>> plain("Training_Compute (FLOP)")
    'trainingcomputeflop'
    """
    return re.sub(r"[\W_]+", "", name).casefold()


def is_spelt(name: str, pattern: str) -> bool:
    """Whether a name, without case, spaces, underscores and punctuation, matches a pattern."""
    return re.fullmatch(pattern, plain(name)) is not None


def quantity_named(name: str, kind: Kind) -> str | None:
    """The quantity whose own name or letter a name is; None for other names."""
    wanted = plain(ALL_LETTERS.get(name.strip(), name))
    return next((quantity for quantity in kind.quantities if plain(quantity) == wanted), None)


def candidates(
    table: SourceTable, kind: Kind, chosen: Mapping[str, str | None], others: Collection[str] = ()
) -> dict[str, list[str]]:
    """Quantity -> the columns that may hold it: the chosen one, else those named after it or its
    letter, else those with a usual name, also behind a slash. Empty columns and `others` do not
    count.

    Where total and active params both stand in the table, both may be meant.
    """
    found = {name: [column] if column else [] for name, column in chosen.items()}
    free = [name for name in table.names if name not in (*chosen.values(), *others)]
    free = [name for name in free if table.frame[name].notna().any()]
    own = {column: quantity_named(column, kind) for column in free}
    for name in [name for name in kind.quantities if name not in chosen]:
        named, usual = [column for column in free if own[column] == name], []
        for column in [column for column in free if own[column] is None]:
            last = column.rpartition("/")[2]
            is_loss = name == "loss" and last != column and last.endswith("_loss")
            if is_loss or any(is_spelt(x, kind.quantities[name]) for x in (column, last)):
                usual.append(column)
        is_open = name == "params" and len({bool(ACTIVE.search(x)) for x in named + usual}) == 2
        found[name] = named + usual if is_open else named or usual
    return found


def kind_of(table: SourceTable, columns: Mapping[str, str | None] | None = None) -> str | None:
    """The name of the kind of a table, the first that fits; None where none does.

    `columns`: quantity -> column, as far as the user gives them.
    """
    for kind in (COUNTS, EVALUATIONS, RUNS):
        given = {quantity_named(key, kind): name for key, name in (columns or {}).items()}
        found = candidates(table, kind, {name: x for name, x in given.items() if name})
        if any(all(found.get(name) for name in names) for names in kind.needed):
            return kind.name
    return None


def recognise(
    table: SourceTable,
    kind: Kind,
    columns: Mapping[str, str | None] | None,
    others: Collection[str] = (),
) -> tuple[SourceTable, dict[str, str]]:
    """Find the columns of the quantities: the table, and quantity -> column as far as there is one.

    `columns`: what the user says, a quantity, its letter or one of the other names that are allowed
    -> its column, an expression such as ``tokens_B*1e9``, or None where there is none. Expressions
    and other names are columns of the table that comes back.
    """
    chosen: dict[str, str | None] = {}
    more = [key for key in columns or {} if quantity_named(key, kind) is None]
    for key, column in (columns or {}).items():
        quantity = quantity_named(key, kind)
        if quantity is None and key not in others:
            names = [*kind.quantities]
            complaint = f"{key!r} is not a quantity; choose from {', '.join(names)}"
            complaint += close_matches(key, names)
            raise ArgumentError("columns", {key: column}, complaint=complaint)
        if quantity in chosen:
            raise ArgumentError("columns", {key: column}, complaint=f"{quantity!r} is given twice")
        if quantity:
            chosen[quantity] = column
        if column is not None and column not in table.names:
            try:
                cells = evaluated(column, table.frame, table.source, "columns")
            except ArgumentError as error:
                complaint = f"is no column; as an expression: {error.complaint}"
                raise ArgumentError("columns", {key: column}, complaint=complaint) from None
            table = replace(table, frame=table.frame.assign(**{column: cells}))
        if column is not None and quantity is None:
            table = replace(table, frame=table.frame.assign(**{key: table.frame[column]}))
    found = candidates(table, kind, chosen, more)
    choices = [
        f"columns {listed(held)} may all be {name}; {how_to_choose(name, held[0])}"
        for name, held in found.items()
        if len(held) > 1
    ]
    if choices:
        raise TableError(table.source, "; ".join(choices))
    return table, {name: held[0] for name, held in found.items() if held}


def require(table: SourceTable, column_of: Mapping[str, str], *wanted: str, hint: str = "") -> None:
    """Raise where quantities have no column: one error for all, with the options to type."""
    missing = [name for name in wanted if name not in column_of]
    if not missing:
        return
    empty = [name for name in table.names if table.frame[name].isna().all()]
    free = [name for name in table.names if name not in {*column_of.values(), *empty}]
    options = {name: suggested(name, free) or "NAME" for name in missing}
    typed = " ".join(f"--column {name}={column!r}" for name, column in options.items())
    reason = f"no column for {', '.join(missing)}; the columns are {listed(table.names)}"
    if empty:
        reason += f", of which {listed(empty)} {'is' if len(empty) == 1 else 'are'} empty"
    raise TableError(table.source, f"{reason}; say which with columns={options!r} ({typed}){hint}")


def how_to_choose(quantity: str, column: str = "NAME") -> str:
    """How the user says which column holds a quantity."""
    return f"choose one with columns={{{quantity!r}: {column!r}}} (--column {quantity}={column!r})"


def suggested(quantity: str, names: Iterable[str]) -> str:
    """The column, or the expression on one, that is most likely meant for a quantity; "" where none
    is.

    >>> suggested("tokens", ["step", "tokens (B)"]), suggested("compute", ["total_gflops"])
    ('`tokens (B)`*1e9', 'total_gflops*1e9')
    >>> suggested("loss", ["perplexity"]), suggested("params", ["width"])
    ('log(perplexity)', '')
    """
    hint = re.compile(HINTS.get(quantity, "(?!)"), re.IGNORECASE)
    for name in [name for name in names if hint.search(name) and not NEVER.search(name)]:
        if quantity == "loss":
            return f"log({in_backticks(name)})" if PERPLEXITY.search(name) else name
        if unit := UNIT.search(name):
            power = unit["power"] or POWERS[(unit["prefix"] or unit["unit"])[0].lower()]
            return f"{in_backticks(name)}*1e{power}"
        return name
    return ""
