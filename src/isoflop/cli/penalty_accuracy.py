"""Which laws are of accuracy, and their penalties in accuracy points."""

from __future__ import annotations

from .errors import UsageError, shown
from .render import clean, number, table
from .run_options import share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..numeric.law import Law
    from ..numeric.penalty import Penalty
    from .arguments import Options

COLUMNS = ("ratio", "compute", "accuracy", "optimal accuracy", "points lost", "most at any compute")


def baselines(options: Options, laws: Sequence[Law]) -> dict[str, float]:
    """Law -> accuracy of guessing, of the laws of -log accuracy: as typed, or as published."""
    typed = share(options, "--random-baseline", zero=True)
    if typed is not None:
        return {law.name: typed for law in laws}
    # Published laws of accuracy are of one paper; the register is read for these alone.
    if not any(law.name.startswith("krajewski2025") for law in laws):
        return {}
    from ..theory.data.published import LAWS

    known = {law.name: LAWS[law.name].random_baseline for law in laws if law.name in LAWS}
    return {name: float(value) for name, value in known.items() if value is not None}


def refuse_budgets(options: Options, known: dict[str, float]) -> None:
    """UsageError for --compute where no law is of accuracy."""
    if "--compute" in options and not known:
        words = shown(" ".join(options.words("--compute") or ()))
        raise UsageError(
            f"--compute {words}: is for laws of accuracy; say --random-baseline SHARE if this is "
            f"one"
        )


def accuracy_rows(
    law: Law, baseline: float, rows: Sequence[Penalty], budgets: Sequence[float]
) -> list[dict[str, Any]]:
    """For every penalty, at its run's compute or at each budget: the accuracy, the best one, and
    what is lost.
    """
    from ..numeric.accuracy.planning import AccuracyLaw

    accuracy = AccuracyLaw(law=law, random_baseline=baseline)
    found = []
    for row in rows:
        own: list[float | None] = [row.run.compute] if row.run is not None else [*budgets]
        for compute in own or [None]:
            cost = accuracy.penalty(row.ratio, compute)
            entry: dict[str, Any] = {"law": law.name, "ratio": row.ratio, "compute": compute}
            figures = ("accuracy", "optimal_accuracy", "lost_accuracy", "greatest_loss")
            entry |= {
                name: None if (value := getattr(cost, name)) is None else float(value[0])
                for name in figures
            }
            found.append(entry)
    return found


def accuracy_text(law: Law, baseline: float, entries: Sequence[dict[str, Any]]) -> list[str]:
    """A table of them."""
    cells = [
        [
            number(each["ratio"]),
            *(
                "-" if each[name] is None else number(each[name])
                for name in ("compute", "accuracy", "optimal_accuracy")
            ),
            *(
                "-" if each[name] is None else number(100.0 * each[name], 3)
                for name in ("lost_accuracy", "greatest_loss")
            ),
        ]
        for each in entries
    ]
    return [
        f"{clean(law.name)} in accuracy, {number(baseline)} of which is guessing:",
        *table(COLUMNS, cells),
        "",
    ]
