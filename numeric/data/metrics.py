"""Metrics of benchmarks: which are accuracies, what the column of a score is called, and so what a
table holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .columns import (
    COUNTS,
    EVALUATIONS,
    OUTCOME,
    PASS_AT_K,
    RUNS,
    may_hold,
    plain,
    quantity_named,
)

if TYPE_CHECKING:
    from .table import Table

__all__ = [
    "Metric",
    "benchmark_and_metric",
    "guessing_scores_nothing",
    "is_benchmark",
    "kind_of",
    "metric_of",
    "passes",
]

#: Metrics under which an answer is free text: guessing scores nothing.
FREE_TEXT = ("exact_match", "quasi_exact_match", "em")
#: Metrics, spelt as columns are; a comma ends the name (``acc,none``).
ACCURACIES = ("acc", "accuracy", "acc_norm", "acc_norm_bytes", "accuracy_norm", *FREE_TEXT)
PROXIES = (
    *("loss", "nll", "ce", "cross_entropy", "perplexity", "ppl", "word_perplexity"),
    *("byte_perplexity", "bits_per_byte", "bpb", "brier", "brier_score", "logprob", "log_prob"),
    *("log_likelihood", "logits_per_byte"),
)
KNOWN = {plain(name): True for name in ACCURACIES} | {plain(name): False for name in PROXIES}
PASS = re.compile(r"pass(?:@|_?at_?)([1-9]\d*)", re.IGNORECASE)
BETWEEN = r"[_/ .:\-]"
#: A column with one of these words is no score but the error of one.
OF_ERRORS = re.compile(
    rf"(?:^|{BETWEEN})(?:std_?err|standard_?error|std|se|ci)(?:$|{BETWEEN})", re.IGNORECASE
)
#: Too short to be told from other words at the edge of a column's name.
NEVER_PART_OF_A_NAME = ("em", "ce")
#: Benchmarks whose name alone makes a column of shares one of accuracy, and how it may go on.
BENCHMARKS = re.compile(
    r"(agieval|(ai2)?arc(c|e|challenge|easy)?|bbh|bigbenchhard|boolq|commonsenseqa|csqa|copa|coqa|"
    r"drop|gpqa|gsm8k|hellaswag|humaneval|jeopardy|lambada(openai|standard)?|lbpp|logiqa|math|"
    r"mathqa|mbpp|mmlu(pro)?|naturalquestions|nq(open)?|obqa|openbookqa|piqa|pubmedqa|qasper|"
    r"race(high|middle)?|sciq|siqa|socialiqa|squad(v2)?|storycloze|swde|triviaqa|"
    r"truthfulqa(mc1)?|webqs|webquestions|winograd|winogrande)((\d+|zero|few)shot)?"
)


@dataclass(frozen=True)
class Metric:
    """A metric: its name in the source if any, whether it is an accuracy, and k of pass@k."""

    name: str | None
    is_accuracy: bool
    k: int | None = None


def metric_of(name: str | None) -> Metric | None:
    """The metric of that name; None where it is unknown.

    >>> metric_of("acc,none"), metric_of("pass@16").k, metric_of("f1")
    (Metric(name='acc,none', is_accuracy=True, k=None), 16, None)
    """
    if name is None:
        return Metric(None, True)
    bare = name.partition(",")[0].strip()
    if (k := passes(bare)) is not None:
        return Metric(f"pass@{k}", True, k)
    return Metric(name, KNOWN[plain(bare)]) if plain(bare) in KNOWN else None


def passes(metric: str | None) -> int | None:
    """k of pass@k; None for other metrics."""
    match = PASS.fullmatch(metric.partition(",")[0].strip()) if metric else None
    return int(match[1]) if match else None


def guessing_scores_nothing(metric: str | None) -> bool:
    """Whether the metric by itself says that the accuracy of guessing is 0.

    >>> [guessing_scores_nothing(metric) for metric in ("exact_match,strict-match", "pass@1", "acc")]
    [True, True, False]
    """
    bare = plain((metric or "").partition(",")[0])
    return passes(metric) is not None or bare in map(plain, FREE_TEXT)


def is_benchmark(column: str) -> bool:
    """Whether a column is called as a usual benchmark is.

    >>> [is_benchmark(column) for column in ("hellaswag", "arc:easy", "TriviaQA_5shot", "hidden_size")]
    [True, True, True, False]
    """
    return BENCHMARKS.fullmatch(plain(column)) is not None


def benchmark_and_metric(column: str) -> tuple[str, str] | None:
    """Benchmark and metric of a column such as acc_hellaswag; None for others.

    >>> [
    ...     benchmark_and_metric(name)
    ...     for name in ("acc_norm_arc_easy", "humaneval pass@10", "acc_stderr_piqa")
    ... ]
    [('arc_easy', 'acc_norm'), ('humaneval', 'pass@10'), None]
    """
    words = {*ACCURACIES, *PROXIES} - {*NEVER_PART_OF_A_NAME}
    metric = "|".join((PASS.pattern, *map(re.escape, sorted(words, key=len, reverse=True))))
    patterns = (rf"(?P<m>{metric}){BETWEEN}+(?P<b>.+)", rf"(?P<b>.+?){BETWEEN}+(?P<m>{metric})")
    for pattern in patterns if not OF_ERRORS.search(column) else ():
        if match := re.fullmatch(pattern, column.strip(), re.IGNORECASE):
            return match["b"], match["m"]
    return None


# -- kinds of tables -------------------------------------------------------------------------------

#: What a table of each kind holds; the first kind that a table is of goes.
KINDS = (
    ("counts", COUNTS, ("n_samples", "n_correct")),
    ("counts", COUNTS, ("problem", "n_correct")),
    ("pass@k", PASS_AT_K, ("k", "pass_at_k")),
    ("evaluations", EVALUATIONS, ("benchmark", "score")),
    *(("runs", RUNS, (outcome,)) for outcome in OUTCOME),
)


def kind_of(table: Table, columns: Mapping[str, str | None] | None = None) -> str | None:
    """ "counts", "pass@k", "evaluations" or "runs"; None where the columns tell none of these.

    `columns`: quantity -> column, as far as the user says.
    """
    for kind, quantities, names in KINDS:
        given = {quantity_named(key, quantities): name for key, name in (columns or {}).items()}
        chosen = {name: column for name, column in given.items() if name is not None}
        if all(may_hold(table, name, quantities, chosen) for name in names):
            return kind
    parts = [(name, benchmark_and_metric(name)) for name in table.names]
    metrics = [metric_of(found[1]) for _, found in parts if found]
    accuracies = any(metric is not None and metric.is_accuracy for metric in metrics)
    return "evaluations" if accuracies or any(map(is_benchmark, table.names)) else None
