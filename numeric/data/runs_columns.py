"""Which column of a table holds which quantity: by its own name, its letter, or a usual spelling."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...theory.data.notation import close_matches

#: The quantities that C = 6ND ties together.
BUDGET = ("params", "tokens", "compute")
#: The quantities of which one is fitted.
OUTCOME = ("loss", "accuracy")
LETTERS = {"N": "params", "D": "tokens", "C": "compute", "L": "loss"}
#: Usual spellings, in lower case, without spaces, underscores and punctuation.
SPELLINGS = {
    "params": """
        param parameter parameters nparam nparams numparam numparams nparameters numparameters numberofparameters
        paramcount paramscount parametercount modelsize modelparams modelparameters totalparams totalparameters
        numtotalparams trainableparams trainableparameters
    """,
    "tokens": """
        token ntoken ntokens numtoken numtokens numberoftokens nbtokens tokencount totaltokens trainingtokens traintokens
        numtrainingtokens numtraintokens ntrainingtokens ntraintokens tokenstrained trainedtokens tokensseen seentokens
        tokensprocessed tokensconsumed consumedtokens datasize datasetsize datasettokens trainingdatasetsize
    """,
    "compute": """
        flop flops totalflop totalflops trainingflop trainingflops trainflop trainflops modelflops computeflop computeflops
        flopcount flopscount estimatedflops trainingcompute traincompute totalcompute trainingcomputeflop trainingcomputeflops
        budget flopbudget flopsbudget computebudget trainingbudget c6nd 6nd flops6nd
    """,
    "loss": """
        finalloss valloss validationloss evalloss evaluationloss testloss trainloss trainingloss finaltrainloss
        finaltrainingloss finalvalloss finalvalidationloss finalevalloss finaltestloss heldoutloss lmloss lossnats
        crossentropy crossentropyloss xent celoss nll nllloss negativeloglikelihood
    """,
    "accuracy": """
        acc top1 top1acc top1accuracy accuracytop1 meanaccuracy testaccuracy testacc valaccuracy valacc validationaccuracy
        evalaccuracy evalacc
    """,
    "weight": "weights sampleweight sampleweights",
    "group": "groups groupid seed seeds randomseed run runid trainingrun cluster clusterid",
}
QUANTITIES = tuple(SPELLINGS)
#: What a column about a quantity tends to have in its name, for suggestions alone.
HINTS = {
    "params": ("param", "modelsize"),
    "tokens": ("token", "datasize", "datasetsize"),
    "compute": ("flop", "compute", "budget"),
    "loss": ("loss", "entropy", "nll"),
    "accuracy": ("acc", "score"),
}
#: Columns that tend to name the run that a row is a checkpoint of, where no column says so; spelt as SPELLINGS.
RUN_NAMES = (
    *("runname", "trainingrunname", "name", "model", "modelname", "modelid", "modelalias", "exp", "expname", "expid"),
    *("experiment", "experimentname", "experimentid", "job", "jobname", "jobid", "trial", "trialname", "trialid"),
    *("wandbid", "wandbname", "wandbrun", "wandbrunid"),
)
#: What makes another quantity of such a column: a size of batches, tokens in a step, a rate.
QUALIFIERS = (
    "batch",
    "vocab",
    "hidden",
    "context",
    "ctx",
    "window",
    "step",
    "layer",
    "per",
    "rate",
    "scale",
    "seq",
    "std",
    "err",
)
MOST_LISTED = 12

_QUANTITY_OF = {spelling: quantity for quantity, text in SPELLINGS.items() for spelling in (quantity, *text.split())}


@dataclass(frozen=True)
class Recognised:
    """Column of each quantity that was found, what was not settled, and other columns that may be a quantity that was found."""

    columns: dict[str, str]
    warnings: tuple[str, ...]
    rivals: dict[str, tuple[str, ...]] = field(default_factory=dict)


def recognise(
    source: str,
    names: Sequence[str],
    chosen: Mapping[str, str | None] | None,
    require: Collection[str],
    empty: Collection[str] = (),
) -> Recognised:
    """The column of each quantity.

    A chosen column goes first, then a column with the quantity's own name (``params``), then with its letter (``N``), then with a
    usual spelling (``Model Size``); an empty column comes after every filled one. Two columns on the same footing are not told
    apart.

    Parameters
    ----------
    source : str
        What holds the columns, for messages.
    names : sequence of str
    chosen : mapping, optional
        Quantity -> column as in the source; None: the table has no column for it.
    require : collection of str
        The quantities that must be there, or follow from two others by C = 6ND.
    empty : collection of str
        The columns that hold nothing.

    Raises
    ------
    ValueError
        Where a chosen column or a required quantity is missing, or a required quantity has several columns.
    """
    fixed = _chosen(source, names, chosen or {})
    taken = {name for name in fixed.values() if name is not None}
    found = {quantity: name for quantity, name in fixed.items() if name is not None}
    unsettled: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {}
    for quantity in QUANTITIES:
        if quantity in fixed:
            continue
        ranks = ranked(_ways(quantity), [name for name in names if name not in taken], empty)
        candidates = ranks[0] if ranks else []
        if len(candidates) == 1:
            found[quantity] = candidates[0]
            others[quantity] = [name for rank in ranks[1:] for name in rank]
        elif candidates:
            unsettled[quantity] = candidates
    _settle_outcome(found, fixed)
    needed = _needed(found, require)
    for quantity, candidates in unsettled.items():
        if quantity in needed or any(quantity in kin and name in kin for kin in (BUDGET, OUTCOME) for name in needed):
            raise ValueError(f"{source}: {_either(candidates)} {quantity}; {_how_to_choose(quantity, candidates[0])}")
    if needed:
        raise ValueError(_missing(source, [name for name in names if name not in empty], needed, found))
    warnings = tuple(
        f"{_either(columns)} {quantity}: none is taken; {_how_to_choose(quantity, columns[0])}"
        for quantity, columns in unsettled.items()
        if not (quantity == "accuracy" and "loss" in found)
    )
    rivals = {quantity: tuple(names) for quantity, names in others.items() if quantity in found and names}
    return Recognised(found, warnings, rivals)


def plain(name: str) -> str:
    """A column name without case, spaces, underscores and punctuation.

    >>> plain("Training_Compute (FLOP)")
    'trainingcomputeflop'
    """
    return re.sub(r"[\W_]+", "", name).casefold()


def quantity_named(name: str) -> str | None:
    """The quantity that a name stands for by itself: its own name or its letter."""
    return name if name in SPELLINGS else LETTERS.get(name)


def listed(names: Iterable[str]) -> str:
    """Names in a message, not too many."""
    every = [repr(name) for name in names]
    rest = len(every) - MOST_LISTED
    return ", ".join(every[:MOST_LISTED]) + (f" and {rest} more" if rest > 0 else "")


def _chosen(source: str, names: Sequence[str], chosen: Mapping[str, str | None]) -> dict[str, str | None]:
    if not isinstance(chosen, Mapping):
        raise ValueError(f"columns={chosen!r}: must map quantities to columns, as in columns={{'params': 'Model Size'}}")
    fixed: dict[str, str | None] = {}
    for key, name in chosen.items():
        quantity = quantity_named(key) if isinstance(key, str) else None
        if quantity is None:
            choices = (*QUANTITIES, *LETTERS)
            raise ValueError(f"columns: {key!r} is no quantity; choose from {', '.join(choices)}{close_matches(key, choices)}")
        if quantity in fixed:
            raise ValueError(f"columns: {quantity} is given twice, {fixed[quantity]!r} and {name!r}")
        if name is not None and name not in names:
            raise ValueError(f"{source}: no column {name!r} for {quantity}{close_matches(name, names)}; it has {listed(names)}")
        if name is not None and name in fixed.values():
            other = next(known for known, column in fixed.items() if column == name)
            raise ValueError(f"columns: {name!r} cannot be both {other} and {quantity}")
        fixed[quantity] = name
    return fixed


def _ways(quantity: str) -> tuple[Callable[[str], bool], ...]:
    """Ways in which a column stands for a quantity, the strongest first."""
    return (
        lambda name: name == quantity,
        lambda name: plain(name) == quantity,
        lambda name: LETTERS.get(name) == quantity,
        lambda name: LETTERS.get(name.strip().upper()) == quantity,
        lambda name: _QUANTITY_OF.get(plain(name)) == quantity,
    )


def ranked(ways: Iterable[Callable[[str], bool]], names: Iterable[str], empty: Collection[str] = ()) -> list[list[str]]:
    """The names by the strongest way in which each is meant, the empty ones after all others.

    >>> ranked((str.isupper, str.isalpha), ["n", "N", "D", "7"], empty={"D"})
    [['N'], ['n'], ['D']]
    """
    every, left = tuple(ways), list(names)
    ranks = []
    for held in ([name for name in left if name not in empty], [name for name in left if name in empty]):
        for way in every:
            ranks.append([name for name in held if way(name)])
            held = [name for name in held if not way(name)]
    return [rank for rank in ranks if rank]


def second_choice(quantity: str, column: str, others: Sequence[str], *, empty: bool = False) -> str:
    """A warning that other columns may be a quantity as well, or that these are empty.

    >>> print(second_choice("params", "params", ["N"]))
    columns 'params', 'N' may both be params: 'params' is taken; --column params='N' takes the other
    """
    if empty:
        return f"{_columns_are(others)} empty: {column!r} is taken as {quantity}"
    which = "the other" if len(others) == 1 else "another"
    return f"{_either([column, *others])} {quantity}: {column!r} is taken; --column {quantity}={others[0]!r} takes {which}"


def _columns_are(names: Sequence[str]) -> str:
    return f"column {listed(names)} is" if len(names) == 1 else f"columns {listed(names)} are"


def _settle_outcome(found: dict[str, str], fixed: Mapping[str, str | None]) -> None:
    """Loss and accuracy are one outcome: what was chosen counts, else loss."""
    if "loss" in found and "accuracy" in found:
        if fixed.get("loss") is not None and fixed.get("accuracy") is not None:
            raise ValueError("columns: choose loss or accuracy, not both")
        del found["loss" if fixed.get("accuracy") is not None else "accuracy"]


def _needed(found: Collection[str], require: Collection[str]) -> list[str]:
    """What is required, not found, and does not follow from C = 6ND."""
    two_known = sum(quantity in found for quantity in BUDGET) >= 2
    return [
        quantity
        for quantity in require
        if quantity not in found and not (quantity in BUDGET and two_known) and not (quantity == "loss" and "accuracy" in found)
    ]


def _either(columns: Sequence[str]) -> str:
    return f"columns {listed(columns)} may {'both' if len(columns) == 2 else 'all'} be"


def _how_to_choose(quantity: str, column: str) -> str:
    return f"choose one with columns={{{quantity!r}: {column!r}}} (--column {quantity}={column!r})"


def _missing(source: str, names: Sequence[str], needed: Sequence[str], found: Mapping[str, str]) -> str:
    first = needed[0]
    free = [name for name in names if name not in found.values()]
    wanted = OUTCOME if first == "loss" else (first,)
    alike = [(what, name) for what in wanted for name in free if _is_like(what, name)]
    tied = " (it would follow from the other two of params, tokens and compute)" if first in BUDGET else ""
    which = f"perhaps {listed(name for _, name in alike)}" if alike else f"the columns are {listed(names)}"
    return f"{source}: no column for {' or '.join(wanted)}{tied}; {which}; {_how_to_choose(*(alike or [(first, 'NAME')])[0])}"


def _is_like(quantity: str, name: str) -> bool:
    """Whether a column may well be about a quantity, for a suggestion."""
    text = plain(name)
    words = re.findall(r"[a-z]+", name.casefold())
    hinted = any(hint in text for hint in HINTS.get(quantity, ())) or (quantity == "params" and text in ("size", "sizes"))
    return hinted and not any(word in text if len(word) > 4 else word in words for word in QUALIFIERS)
