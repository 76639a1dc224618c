"""Which column of a table of evaluations holds what, and which metrics are accuracies."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...theory.data.notation import close_matches
from .runs_columns import BUDGET, LETTERS, listed, plain, quantity_named, ranked, recognise
from .runs_columns import SPELLINGS as OF_RUNS

#: Usual spellings, in lower case, without spaces, underscores and punctuation.
SPELLINGS = {
    "run": "runid runname trainingrun trainingrunid",
    "benchmark": "benchmarkname task taskname evaltask evaltaskname evaluationtask eval evaluation evalname",
    "metric_type": "metric metricname",
    "score": "scores value metricvalue accuracy acc meanscore result meanpassatk passatk",
    "random_baseline": "baseline randomaccuracy chance chancelevel chanceaccuracy qrandom guessing",
    "k": "",
}
#: Columns that name a model, at one or at many points of its training.
NAMES = frozenset(("name", "model", "modelname", "modelid", "checkpoint", "checkpointname", "checkpointid", "ckpt"))
QUANTITIES = (*BUDGET, *SPELLINGS)
#: What a table of runs may have besides, and a table of evaluations has no use for as a quantity.
ASIDE = tuple(name for name in OF_RUNS if name not in BUDGET)

#: Metrics, spelt as columns are; a comma ends the name (``acc,none``).
ACCURACIES = ("acc", "accuracy", "acc_norm", "acc_norm_bytes", "accuracy_norm", "exact_match", "quasi_exact_match", "em")
PROXIES = (
    *("loss", "nll", "ce", "cross_entropy", "perplexity", "ppl", "word_perplexity", "byte_perplexity", "bits_per_byte", "bpb"),
    *("brier", "brier_score", "logprob", "log_prob", "log_likelihood", "logits_per_byte"),
)
#: Metrics under which an answer is free text: guessing scores nothing.
FREE_TEXT = ("exact_match", "quasi_exact_match", "em")
PASS = re.compile(r"pass(?:@|_?at_?)([1-9]\d*)", re.IGNORECASE)
#: What says pass@k where k has a column of its own.
PASS_AT_K = frozenset(("pass", "passk", "passatk"))
SEPARATORS = "_/ .:-"
#: A column with one of these words is no score but the error of one.
OF_ERRORS = re.compile(
    rf"(?:^|[{re.escape(SEPARATORS)}])(?:std_?err|standard_?error|std|se|ci)(?:$|[{re.escape(SEPARATORS)}])", re.I
)
#: Too short to be told from other words at the edge of a column's name.
NEVER_PART_OF_A_NAME = ("em", "ce")


@dataclass(frozen=True)
class Metric:
    """A metric: its name in the source, None where it has none; whether it is an accuracy; k of pass@k, else None."""

    name: str | None
    is_accuracy: bool
    k: int | None = None


def metric_of(name: str | None, settled: Mapping[str, str]) -> Metric | None:
    """The metric of that name; None where it is unknown what it is.

    >>> metric_of("acc,none", {}), metric_of("pass@16", {}).k, metric_of("f1", {})
    (Metric(name='acc,none', is_accuracy=True, k=None), 16, None)
    """
    if name is None:
        return Metric(None, True)
    if name in settled:
        return Metric(name, settled[name] == "accuracy")
    bare = name.partition(",")[0].strip()
    if (k := passes(bare)) is not None:
        return Metric(f"pass@{k}", True, k)
    for known, is_accuracy in ((ACCURACIES, True), (PROXIES, False)):
        if plain(bare) in map(plain, known):
            return Metric(name, is_accuracy)
    return None


def passes(metric: str | None) -> int | None:
    """k of pass@k; None for other metrics."""
    match = PASS.fullmatch(metric.partition(",")[0].strip()) if metric else None
    return int(match[1]) if match else None


def guessing_scores_nothing(metric: str | None) -> bool:
    """Whether the metric by itself says that the accuracy of guessing is 0.

    >>> guessing_scores_nothing("exact_match,strict-match"), guessing_scores_nothing("pass@1"), guessing_scores_nothing("acc")
    (True, True, False)
    """
    return passes(metric) is not None or plain((metric or "").partition(",")[0]) in map(plain, FREE_TEXT)


def checked_metrics(metrics: Mapping[str, str] | None) -> dict[str, str]:
    """What a user says of metrics: accuracy or proxy."""
    if metrics is None:
        return {}
    if not isinstance(metrics, Mapping):
        raise ValueError(f"metrics={metrics!r}: must map metric types to 'accuracy' or 'proxy', as in metrics={{'f1': 'proxy'}}")
    for name, kind in metrics.items():
        if kind not in ("accuracy", "proxy"):
            raise ValueError(f"metrics: {name!r} is {kind!r}; must be 'accuracy' or 'proxy'")
    return dict(metrics)


@dataclass(frozen=True)
class Columns:
    """What the columns of a table are.

    Attributes
    ----------
    of : dict of str to str
        Quantity -> column, as far as there are.
    long : bool
        Whether a row is a score, or else a run.
    measured : dict of (str, Metric) to str
        In a wide table: benchmark (or what the loss is of) and metric -> column.
    names : tuple of str
        Columns that name a model or a checkpoint.
    warnings : tuple of str
    rivals : dict of str to tuple of str
        The other columns that may be params, tokens or compute.
    """

    of: dict[str, str]
    long: bool
    measured: dict[tuple[str, Metric], str] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    rivals: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def among(
        cls,
        source: str,
        names: Sequence[str],
        columns: Mapping[str, str | None] | None,
        settled: Mapping[str, str],
        empty: Collection[str] = (),
    ) -> Columns:
        """The columns of a table with these names.

        Parameters
        ----------
        source : str
            What holds the columns, for messages.
        names : sequence of str
        columns : mapping, optional
            Quantity -> column; None: there is none. Any other name is that of a benchmark in a wide table.
        settled : mapping of str to str
            Metric type -> accuracy or proxy, as far as the user has said.
        empty : collection of str
            The columns that hold nothing: they come after all others.
        """
        chosen, benchmarks = _sorted_out(source, names, columns)
        taken = {name for name in chosen.values() if name is not None}
        # A name that is no quantity may be a misspelt one: it takes no column away from what makes a table long.
        free = [name for name in names if name not in taken]
        of = {quantity: name for quantity, name in chosen.items() if name is not None}
        for quantity in SPELLINGS:
            if quantity not in chosen and (candidates := _candidates(quantity, free, empty)):
                if len(candidates) > 1 and quantity in ("benchmark", "score", "metric_type"):
                    how = f"choose one with columns={{{quantity!r}: {candidates[0]!r}}} (--column {quantity}={candidates[0]!r})"
                    raise ValueError(f"{source}: columns {listed(candidates)} may all be {quantity}; {how}")
                of[quantity] = candidates[0]
        if "k" not in chosen and not ("metric_type" in of or "pass" in plain(of.get("score", ""))):
            of.pop("k", None)  # of few shots, perhaps
        long = chosen.get("benchmark") is not None or {"benchmark", "score"} <= of.keys()
        if long:
            _check_long(source, names, of, benchmarks)
            measured: dict[tuple[str, Metric], str] = {}
        else:
            of = {quantity: name for quantity, name in of.items() if quantity in chosen or quantity == "run"}
            named = {*of.values(), *benchmarks, *(name for name in benchmarks.values() if name is not None)}
            left = [name for name in free if name not in named]
            measured = _measured(source, names, left, benchmarks, settled)
        used = {*of.values(), *measured.values()}
        budget = {quantity: name for quantity, name in chosen.items() if quantity in BUDGET}
        left = [name for name in names if name not in used - taken]
        known = recognise(source, left, {**budget, **dict.fromkeys(ASIDE)}, (), empty)
        of |= known.columns
        models = tuple(name for name in names if plain(name) in NAMES and name not in {*of.values(), *measured.values()})
        return cls(of, long, measured, models, known.warnings, known.rivals)


def _sorted_out(
    source: str, names: Collection[str], columns: Mapping[str, str | None] | None
) -> tuple[dict[str, str | None], dict[str, str | None]]:
    """What was chosen for quantities, and for benchmarks of a wide table."""
    if columns is None:
        return {}, {}
    if not isinstance(columns, Mapping):
        raise ValueError(f"columns={columns!r}: must map quantities to columns, as in columns={{'score': 'value'}}")
    chosen: dict[str, str | None] = {}
    benchmarks: dict[str, str | None] = {}
    for key, name in columns.items():
        if not isinstance(key, str) or not (name is None or isinstance(name, str)):
            raise ValueError(f"columns: {key!r}: {name!r} must map the name of a quantity to that of a column")
        budget = quantity_named(key)
        quantity = budget if budget in BUDGET else key
        target = chosen if quantity in QUANTITIES else benchmarks
        if quantity in target:
            raise ValueError(f"columns: {quantity} is given twice, {target[quantity]!r} and {name!r}")
        if name is not None and name not in names:
            raise ValueError(f"{source}: no column {name!r} for {quantity}{close_matches(name, names)}; it has {listed(names)}")
        for other, column in (*chosen.items(), *benchmarks.items()):
            if name is not None and column == name:
                raise ValueError(f"columns: {name!r} cannot be both {other} and {quantity}")
        target[quantity] = name
    return chosen, benchmarks


def _candidates(quantity: str, names: Sequence[str], empty: Collection[str]) -> list[str]:
    spellings = {quantity.replace("_", ""), *SPELLINGS[quantity].split()}
    ways: list[Callable[[str], bool]] = [lambda name: name == quantity]
    if quantity != "k":
        ways += [lambda name: plain(name) == plain(quantity), lambda name: plain(name) in spellings]
    return next(iter(ranked(ways, names, empty)), [])


def _check_long(source: str, names: Sequence[str], of: Mapping[str, str], benchmarks: Mapping[str, str | None]) -> None:
    if "score" not in of:
        how = "name it with columns={'score': 'NAME'} (--column score=NAME)"
        raise ValueError(f"{source}: no column for score; the columns are {listed(names)}; {how}")
    for name in benchmarks:
        hint = close_matches(name, QUANTITIES)
        choices = ", ".join((*QUANTITIES, *(letter for letter in LETTERS if letter != "L")))
        raise ValueError(f"columns: {name!r} is no quantity of a table with a row for each score; choose from {choices}{hint}")


def _measured(
    source: str,
    names: Sequence[str],
    free: Iterable[str],
    benchmarks: Mapping[str, str | None],
    settled: Mapping[str, str],
) -> dict[tuple[str, Metric], str]:
    """Benchmark and metric of each column of a wide table that has one."""
    found: dict[tuple[str, Metric], str] = {}

    def note(name: str, metric: Metric, column: str) -> None:
        if (name, metric) in found:
            raise ValueError(f"{source}: columns {found[name, metric]!r} and {column!r} may both be {name}; put one aside "
                             f"with columns={{{column!r}: None}} (--column {column}=)")  # fmt: skip
        found[name, metric] = column

    for benchmark, given in benchmarks.items():
        if given is not None:
            parts = _split(given, settled)
            metric = metric_of(parts[1], settled) if parts else None
            note(benchmark, metric if metric and metric.is_accuracy else Metric(None, True), given)
    for column in free:
        if plain(column) in OF_RUNS["loss"].split() or plain(column) == "loss":
            note(column, Metric(None, False), column)
        elif (parts := _split(column, settled)) and benchmarks.get(parts[0], "") is not None:
            known = metric_of(parts[1], settled)
            assert known is not None
            note(parts[0], known, column)
    if not any(metric.is_accuracy for _, metric in found):
        for column in free:  # a table of one benchmark that does not say which
            known = metric_of(column.strip(), settled)
            if column in SCORE_ALONE or (known is not None and known.is_accuracy):
                note(column, Metric(None, True) if known is None else known, column)
    for name in settled.keys() - {metric.name for _, metric in found}:
        raise ValueError(f"metrics: {name!r} is no metric of {source}; no column is called like {name}_hellaswag")
    if not any(metric.is_accuracy for _, metric in found):
        how = "name it with columns={'hellaswag': 'NAME'} (--column hellaswag=NAME), or have columns benchmark and score"
        raise ValueError(f"{source}: no column of accuracy, such as acc_hellaswag; the columns are {listed(names)}; {how}")
    return found


SCORE_ALONE = ("score", "accuracy")


def _split(column: str, settled: Mapping[str, str]) -> tuple[str, str] | None:
    """Benchmark and metric of a column such as acc_hellaswag or hellaswag_acc_norm; None for others.

    >>> _split("acc_norm_arc_easy", {}), _split("humaneval pass@10", {}), _split("acc_stderr_piqa", {})
    (('arc_easy', 'acc_norm'), ('humaneval', 'pass@10'), None)
    """
    words = [word for word in (*ACCURACIES, *PROXIES, *settled) if word not in NEVER_PART_OF_A_NAME or word in settled]
    metric = "|".join((PASS.pattern, *map(re.escape, sorted(words, key=len, reverse=True))))
    between = f"[{re.escape(SEPARATORS)}]"
    if OF_ERRORS.search(column):
        return None
    for pattern in (rf"(?P<m>{metric}){between}+(?P<b>.+)", rf"(?P<b>.+?){between}+(?P<m>{metric})"):
        if match := re.fullmatch(pattern, column.strip(), re.IGNORECASE):
            spelt = match["m"]
            return match["b"], next((word for word in settled if word.lower() == spelt.lower()), spelt)
    return None
