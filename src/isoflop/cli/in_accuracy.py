"""What penalty and allocate say of the laws of accuracy, which are laws of y = -log Q'."""

from __future__ import annotations

from ..theory.typeset.escapes import clean
from .errors import UsageError, typed
from .render import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from ..numeric.law.result import Result
    from .arguments import Options

#: What figures of loss are called for a law of y = -log Q'.
IN_ACCURACY = {
    "loss": "-log\nQ'",
    "reducible_loss": "reducible\n-log\nQ'",
    "loss_penalty": "penalty",
}


def accuracy_of(row: Any, known: Mapping[str, float]) -> float | None:
    """Q of a law of -log Q'; None where the law has no E."""
    if row.loss is None:
        return None
    from ..numeric.data.scale import accuracy

    return float(accuracy(row.loss, known[row.law.name]))


def in_accuracy(
    options: Options, rows: Sequence[Result], known: Mapping[str, float], *, at_ratio: bool
) -> list[dict[str, Any]]:
    """The penalties of the laws of accuracy in accuracy, which takes a budget at a ratio."""
    budgets = options["--compute"] if at_ratio and "--compute" in options else None
    if budgets and not known:
        which = typed(("--compute", " ".join(options.entries("--compute"))))
        raise UsageError(f"{which}: at a ratio is for a law of accuracy")
    if not known:
        return []
    from ..numeric.accuracy.planning import AccuracyLaw

    found: list[dict[str, Any]] = []
    for row in rows:
        if (name := row.law.name) in known:
            law = AccuracyLaw(law=row.law, random_baseline=known[name])
            cost = law.penalty(**row.given, compute=None if row.is_run else budgets)
            found += [{"law": name, **one} for one in cost.to_dict("records")]
    return found


def accuracy_texts(rows: Sequence[dict[str, Any]], known: Mapping[str, float]) -> Iterator[str]:
    """A table a law, what is lost in points of accuracy."""
    from ..theory.typeset.numbers import Shortest
    from ..theory.typeset.table import Column, Table

    three, four = Shortest(3), Shortest(4)
    ratio = Column("ratio", format=four)
    most = Column(
        "greatest_loss",
        "most points\nlost at any\ncompute",
        of=lambda row: 100.0 * row["greatest_loss"],
        format=three,
    )
    lost = Column(
        "lost_accuracy", "points\nlost", of=lambda row: 100.0 * row["lost_accuracy"], format=three
    )
    at = [Column("compute", format=four), Column("accuracy", format=four)]
    at.append(Column("optimal_accuracy", "optimal\naccuracy", format=four))
    for name, baseline in known.items():
        if own := [row for row in rows if row["law"] == name]:
            title = f"{clean(name)} in accuracy, {number(baseline)} of which is guessing:"
            between = [*at, lost] if "compute" in own[0] else []
            yield Table([ratio, *between, most], own, title).text()
