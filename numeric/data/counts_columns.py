"""Which column of a table of counts, models, gold references or estimates holds what: by its own name, or a usual spelling."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from ...theory.data.notation import close_matches
from .runs_columns import BUDGET, listed, plain, ranked
from .runs_columns import SPELLINGS as OF_RUNS

#: Usual spellings, in lower case, without spaces, underscores and punctuation.
SPELLINGS = {
    "problem": """
        problemidx problemid problemindex prompt promptidx promptid promptindex taskid question questionid questionidx
        item itemid example exampleid
    """,
    "n_samples": """
        numsamples samples nsample samplecount numberofsamples numattempts nattempts attempts total ntotal numtotal
        numsamplestotal trials ntrials numtrials
    """,
    "n_correct": """
        numcorrect correct correctcount numberofcorrect numsamplescorrect ncorrectsamples numcorrectsamples passed npassed
        numpassed successes nsuccesses numsuccesses nsolved
    """,
    "model": "modelname modelid modelalias modelnickname",
    "benchmark": "benchmarkname dataset datasetname task taskname evaluation eval",
    **{name: OF_RUNS[name] for name in BUDGET},
    "gold": """
        goldnll goldrefnll goldrefnllnats goldreferencenll goldreferencenllnats goldneglogprob neglogprobgold neglogprob nll
        nllnats goldnllnats neggoldlogprob goldneglogprobability meangoldnll
    """,
    "k": "passk samplesk numdraws",
    "pass_at_k": "pass passk passatk meanpassatk scorespassatk meanpass passrate estimate",
    "se": "stderr standarderror sepassatk passatkse sepass",
}
LETTERS = {"n": "n_samples", "c": "n_correct", "N": "params", "D": "tokens", "C": "compute"}
QUANTITIES = tuple(SPELLINGS)
GROUPING = ("benchmark", "model")

_QUANTITY_OF = {plain(spelling): name for name, text in SPELLINGS.items() for spelling in (name, *text.split())}


@dataclass(frozen=True)
class Choice:
    """Columns that were chosen by hand, by quantity; None: the quantity has no column. `empty`: columns that hold nothing."""

    columns: Mapping[str, str | None]
    empty: Collection[str] = ()

    @classmethod
    def of(
        cls,
        columns: Mapping[str, str | None] | None,
        source: str,
        names: Collection[str],
        empty: Collection[str] = (),
    ) -> Choice:
        """The choice, checked: the quantities exist, and each column is in one of the tables.

        Parameters
        ----------
        columns : mapping, optional
            Quantity, or its letter, -> column.
        source : str
            What holds the columns, for messages.
        names : collection of str
            The columns of all tables together.
        empty : collection of str
            Those that hold nothing, which come after all others.
        """
        if not isinstance(columns, Mapping):
            if columns is None:
                return cls({}, empty)
            raise ValueError(f"columns={columns!r}: must map quantities to columns, as in columns={{'n_correct': 'passed'}}")
        found: dict[str, str | None] = {}
        for key, name in columns.items():
            quantity = LETTERS.get(key, key) if isinstance(key, str) else key
            if quantity not in SPELLINGS:
                choices = (*QUANTITIES, *LETTERS)
                raise ValueError(
                    f"columns: {key!r} is no quantity; choose from {', '.join(choices)}{close_matches(key, choices)}"
                )
            if quantity in found:
                raise ValueError(f"columns: {quantity} is given twice, {found[quantity]!r} and {name!r}")
            if name is not None and name not in names:
                hint = close_matches(name, names)
                raise ValueError(f"{source}: no column {name!r} for {quantity}{hint}; it has {listed(names)}")
            if name is not None and name in found.values():
                other = next(known for known, column in found.items() if column == name)
                raise ValueError(f"columns: {name!r} cannot be both {other} and {quantity}")
            found[quantity] = name
        return cls(found, empty)

    def column(self, quantity: str, source: str, names: Sequence[str]) -> str | None:
        """The column of a quantity in a table: the chosen one, then its own name, its letter, a usual spelling; None for none.

        An empty column comes after every filled one.

        Raises
        ------
        ValueError
            Where several columns may be it, on the same footing.
        """
        chosen = self.columns.get(quantity, "")
        if chosen is None or chosen in names:
            return chosen
        ranks = self._ranks(quantity, names)
        candidates = ranks[0] if ranks else []
        if len(candidates) > 1:
            how = f"choose one with columns={{{quantity!r}: {candidates[0]!r}}} (--column {quantity}={candidates[0]!r})"
            raise ValueError(f"{source}: columns {listed(candidates)} may all be {quantity}; {how}")
        return candidates[0] if candidates else None

    def rivals(self, quantity: str, names: Sequence[str]) -> tuple[str, ...]:
        """The other columns of a table that may be a quantity whose column was not chosen by hand."""
        if quantity in self.columns:
            return ()
        return tuple(name for rank in self._ranks(quantity, names)[1:] for name in rank)

    def _ranks(self, quantity: str, names: Sequence[str]) -> list[list[str]]:
        taken = {name for other, name in self.columns.items() if other != quantity}
        return ranked(_ways(quantity), [name for name in names if name not in taken], self.empty)

    def required(self, quantity: str, source: str, names: Sequence[str]) -> str:
        """The column of a quantity that must be there."""
        found = self.column(quantity, source, names)
        if found is None:
            how = f"name it with columns={{{quantity!r}: 'NAME'}} (--column {quantity}=NAME)"
            raise ValueError(f"{source}: no column for {quantity}; the columns are {listed(names)}; {how}")
        return found


def _ways(quantity: str) -> tuple[Callable[[str], bool], ...]:
    """Ways in which a column stands for a quantity, the strongest first."""
    return (
        lambda name: name == quantity,
        lambda name: plain(name) == plain(quantity),
        lambda name: LETTERS.get(name.strip()) == quantity,
        lambda name: _QUANTITY_OF.get(plain(name), "") == quantity,
    )


def role(name: str) -> str:
    """What two tables must have in common to be joined by a column: its quantity where it groups, else its plain spelling.

    >>> role("Model Name"), role("model"), role("suite")
    ('model', 'model', 'suite')
    """
    quantity = _QUANTITY_OF.get(plain(name))
    return quantity if quantity in GROUPING else plain(name)
