"""What penalty and allocate say of the laws of accuracy, which are laws of y = -log Q'."""

from __future__ import annotations

from ..theory.typeset.escapes import clean
from .errors import UsageError, typed
from .render import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from ..numeric.accuracy.planning import AccuracyPenalty
    from ..numeric.law.result import Result
    from .arguments import Options

#: What figures of loss are called for a law of y = -log Q'.
IN_ACCURACY = {
    "loss": "-log\nQ'",
    "reducible_loss": "reducible\n-log\nQ'",
    "loss_penalty": "penalty",
}
FIGURES = ("accuracy", "optimal_accuracy", "lost_accuracy", "greatest_loss")


def accuracy_of(row: Any, known: Mapping[str, float]) -> float | None:
    """Q of a law of -log Q'; None where the law has no E."""
    if row.loss is None:
        return None
    from ..numeric.data.scale import accuracy

    return float(accuracy(row.loss, known[row.law.name]))


def in_accuracy(
    options: Options, rows: Sequence[Result], known: Mapping[str, float], *, at_ratio: bool
) -> Iterator[AccuracyPenalty]:
    """The penalties of the laws of accuracy in accuracy, which takes a budget at a ratio."""
    budgets: list[Any] = [None]
    if at_ratio and "--compute" in options:
        if not known:
            which = typed(("--compute", " ".join(options.entries("--compute"))))
            raise UsageError(f"{which}: at a ratio is for a law of accuracy")
        budgets = options["--compute"]
    if not known:
        return
    from ..numeric.accuracy.planning import AccuracyLaw

    for row in rows:
        if row.law.name in known:
            accuracy = AccuracyLaw(law=row.law, random_baseline=known[row.law.name])
            for budget in [None] if row.is_run else budgets:
                yield accuracy.penalty(**row.given, compute=budget)


def accuracy_texts(costs: Sequence[AccuracyPenalty], known: Mapping[str, float]) -> Iterator[str]:
    """A table a law."""
    for name, baseline in known.items():
        if own := [cost for cost in costs if cost.law.name == name]:
            from ..numeric.accuracy.planning import accuracy_table

            heading = f"{clean(name)} in accuracy, {number(baseline)} of which is guessing:"
            yield "\n".join([heading, accuracy_table(own).text()])


def accuracy_rows(costs: Sequence[AccuracyPenalty]) -> list[dict[str, Any]]:
    """The same for JSON."""
    return [
        {"law": cost.law.name, "ratio": cost.ratio, "compute": cost.budget}
        | {figure: getattr(cost, figure) for figure in FIGURES}
        for cost in costs
    ]
