"""Metrics of benchmarks: which are accuracies, what the column of a score is called, and so what a
table holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .columns import COUNTS, EVALUATIONS, PASS_AT_K, RUNS, candidates, quantity_named
from .table import Table

#: Metrics of free text, where guessing scores nothing; of choices; and those that are no accuracy.
FREE_TEXT = r"(?:quasi[ _-]?)?exact[ _-]?match|em|pass(?:@|_?at_?)(?P<k>[1-9]\d*)"
CHOICES = r"acc(?:uracy)?(?:[ _-]?norm(?:_bytes)?)?"
OTHERS = (
    r"loss|nll|ce|cross[ _-]?entropy|(?:(?:word|byte)_)?(?:perplexity|ppl)|bits_per_byte|bpb|"
    r"brier(?:[ _-]?score)?|log[ _-]?prob|log[ _-]?likelihood|logits_per_byte"
)
BETWEEN = r"[_/ .:\-]"
#: A column with one of these words is no score but the error of one.
OF_ERRORS = re.compile(
    rf"(?:^|{BETWEEN})(?:std_?err|standard_?error|std|se|ci)(?:$|{BETWEEN})", re.IGNORECASE
)


def _matches(pattern: str, metric: str | None) -> re.Match[str] | None:
    """A match of a metric's name, which a comma ends (``acc,none``)."""
    return re.fullmatch(pattern, (metric or "").partition(",")[0].strip(), re.IGNORECASE)


def is_accuracy(metric: str | None) -> bool | None:
    """Whether a metric, by default an accuracy, is one; None where it is unknown.

    >>> [is_accuracy(metric) for metric in (None, "acc,none", "pass@16", "loss", "f1")]
    [True, True, True, False, None]
    """
    known = metric is None or _matches(f"{FREE_TEXT}|{CHOICES}", metric)
    return True if known else False if _matches(OTHERS, metric) else None


def passes(metric: str | None) -> int | None:
    """k of pass@k; None for other metrics."""
    match = _matches(FREE_TEXT, metric)
    return int(match["k"]) if match and match["k"] else None


def guessing_scores_nothing(metric: str | None) -> bool:
    """Whether the metric, such as pass@1, by itself says that the accuracy of guessing is 0."""
    return _matches(FREE_TEXT, metric) is not None


def benchmark_and_metric(column: str) -> tuple[str, str] | None:
    """Benchmark and metric of a column such as acc_hellaswag; None for others.

    >>> list(map(benchmark_and_metric, ("acc_norm_arc", "humaneval pass@10", "acc_stderr_piqa")))
    [('arc', 'acc_norm'), ('humaneval', 'pass@10'), None]
    """
    metric = f"(?P<m>{FREE_TEXT}|{CHOICES}|{OTHERS})"
    patterns = (f"{metric}{BETWEEN}+(?P<b>.+)", f"(?P<b>.+?){BETWEEN}+{metric}")
    for pattern in patterns if not OF_ERRORS.search(column) else ():
        match = re.fullmatch(pattern, column.strip(), re.IGNORECASE)
        if match and match["m"].lower() not in ("em", "ce"):  # too short to be told from words
            return match["b"], match["m"]
    return None


#: What a table of each kind holds; the first kind that a table is of goes.
KINDS = (
    ("counts", COUNTS, ("n_samples", "n_correct")),
    ("counts", COUNTS, ("problem", "n_correct")),
    ("pass@k", PASS_AT_K, ("k", "pass_at_k")),
    ("evaluations", EVALUATIONS, ("benchmark", "score")),
    ("runs", RUNS, ("loss",)),
)


def kind_of(table: Table, columns: Mapping[str, str | None] | None = None) -> str | None:
    """ "counts", "pass@k", "evaluations" or "runs"; None where the columns tell none of these.

    `columns`: quantity -> column, as far as the user says.
    """
    for kind, quantities, needed in KINDS:
        given = {quantity_named(key, quantities): name for key, name in (columns or {}).items()}
        chosen = {quantity: name for quantity, name in given.items() if quantity is not None}
        found = candidates(table, quantities, chosen)
        if all(found.get(name) for name in needed):
            return kind
    parts = [benchmark_and_metric(name) for name in table.names]
    return "evaluations" if any(found and is_accuracy(found[1]) for found in parts) else None
