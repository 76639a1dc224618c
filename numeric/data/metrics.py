"""Metrics of benchmarks: which of them are accuracies."""

from __future__ import annotations

import re

#: Metrics of free text, where guessing scores nothing; of choices; and those that are not accuracies.
FREE_TEXT = r"(?:quasi[ _-]?)?exact[ _-]?match|em|pass(?:@|_?at_?)(?P<k>[1-9]\d*)"
CHOICES = r"acc(?:uracy)?(?:[ _-]?norm(?:_bytes)?)?"
OTHERS = (
    r"loss|nll|ce|cross[ _-]?entropy|(?:(?:word|byte)_)?(?:perplexity|ppl)|bits_per_byte|bpb|"
    r"brier(?:[ _-]?score)?|log[ _-]?prob|log[ _-]?likelihood|logits_per_byte"
)


def _matches(pattern: str, metric: str | None) -> re.Match[str] | None:
    """The match of a metric's name, which ends at a comma (``acc,none``)."""
    return re.fullmatch(pattern, (metric or "").partition(",")[0].strip(), re.IGNORECASE)


def is_accuracy(metric: str | None) -> bool | None:
    """Whether a metric is an accuracy, as the default (None) is; None where it is unknown.

    >>> [is_accuracy(metric) for metric in (None, "acc,none", "pass@16", "loss", "f1")]
    [True, True, True, False, None]
    """
    known = not metric or _matches(f"{FREE_TEXT}|{CHOICES}", metric)
    return True if known else False if _matches(OTHERS, metric) else None


def passes(metric: str | None) -> int | None:
    """k of pass@k; None for other metrics."""
    match = _matches(FREE_TEXT, metric)
    return int(match["k"]) if match and match["k"] else None


def guessing_scores_nothing(metric: str | None) -> bool:
    """Whether the metric, such as pass@1, implies that the accuracy of guessing is 0."""
    return _matches(FREE_TEXT, metric) is not None
