"""Errors of predictions, by law, k and decades ahead, and how sure their summaries are."""

import numpy as np
from schaeffer2025.rules import AHEAD, BACKTESTED, LEAST_SIZES, LEVEL, RESAMPLES_OF_SIZES, SEED
from schaeffer2025.text import between, percent

from isoflop.numeric.results import percentiles


class Errors:
    """Predictions of a backtest, and what resampling the sizes of the models predicted makes of
    their summaries.
    """

    def __init__(self, result, sizes: dict[str, float]) -> None:
        self.result, self.laws = result, result.laws
        table = {name: column.to_numpy() for name, column in result.table.items()}
        self.law, self.k, self.cutoff = table["law"], table["k"], table["cutoff"]
        self.target, self.ahead = table["target"], table["decades_held_out"]
        self.usable, self.has_interval = table["usable"], table["left_out"] == ""
        with np.errstate(divide="ignore", invalid="ignore"):
            self.log_ends = np.log(table["hi"]) - np.log(table["lo"])
        self.inside = table["inside"] == True  # noqa: E712
        self.signed = {
            "-log pass@k": table["relative_error"],
            "pass@k": table["relative_error_pass"],
        }
        _, self.size = np.unique([sizes[name] for name in self.target], return_inverse=True)

    def at(self, law: str, k: int | None, low: float = 0.0, high: float = np.inf) -> np.ndarray:
        """Indices of the usable predictions."""
        chosen = self.usable & (self.law == law) & (self.ahead > low) & (self.ahead <= high)
        return np.flatnonzero(chosen if k is None else chosen & (self.k == k))

    def paired(self, one: str, other: str, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Predictions of two laws of the same models from the same cutoffs, up to `AHEAD` decades."""
        keys = [
            {(self.cutoff[i], self.target[i]): i for i in self.at(law, k, high=AHEAD)}
            for law in (one, other)
        ]
        both = sorted(keys[0].keys() & keys[1].keys())
        return np.array([keys[0][key] for key in both]), np.array([keys[1][key] for key in both])

    def ratio(
        self, first: np.ndarray, second: np.ndarray, of: str = "-log pass@k"
    ) -> tuple[float, float, float]:
        """Median absolute error of the first over that of the second predictions, with its interval
        over sizes.
        """
        value = float(
            np.median(np.abs(self.signed[of][first])) / np.median(np.abs(self.signed[of][second]))
        )
        if min(len(np.unique(self.size[part])) for part in (first, second)) < LEAST_SIZES:
            return value, 0.0, np.inf
        random = np.random.default_rng(SEED)
        count = int(self.size.max()) + 1
        errors = [(np.abs(self.signed[of][part]), self.size[part]) for part in (first, second)]
        drawn = []
        for _ in range(RESAMPLES_OF_SIZES):
            often = random.multinomial(count, np.full(count, 1.0 / count))
            medians = [weighted_median(values, often[size]) for values, size in errors]
            drawn.append(medians[0] / medians[1])
        low, high = percentiles(np.array(drawn)[np.isfinite(drawn)], LEVEL)
        return value, low, high

    def cell(self, law: str, k: int, low: int, what) -> str:
        part = self.at(law, k, low, low + 1)
        return what(part) if len(part) else "-"

    def rows(self, title: str, what, last: int = 5) -> list[list[str]]:
        """A row a k and law, a column a decade."""
        return [
            [title, f"{k:,}", law, *(self.cell(law, k, low, what) for low in range(last))]
            for k in BACKTESTED
            for law in self.laws
        ]

    def error(self, of: str, *, counted: bool = True):
        def shown(part) -> str:
            return percent(np.median(np.abs(self.signed[of][part]))) + (
                f" ({len(part)})" if counted else ""
            )

        return shown

    def bias(self, part) -> str:
        """Median signed error, share too high, coverage."""
        signed, held = self.signed["-log pass@k"][part], self.has_interval[part]
        inside = percent(self.inside[part][held].mean()) if held.any() else "-"
        return f"{100 * np.median(signed):+.0f} %, {percent((signed > 0).mean())}, {inside}"

    def coverage(self, law: str, k: int | None = None) -> float:
        part = self.at(law, k)
        return float(self.inside[part][self.has_interval[part]].mean())

    def width(self, law: str) -> float:
        """Median ratio of the ends of the prediction intervals."""
        part = self.at(law, None)
        return float(np.exp(np.median(self.log_ends[part][self.has_interval[part]])))

    def too_high(self, law: str) -> float:
        return float((self.signed["-log pass@k"][self.at(law, None)] > 0).mean())


def weighted_median(values: np.ndarray, weights: np.ndarray) -> float:
    """NaN without weight."""
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return (
        float(values[order][np.searchsorted(total, 0.5 * total[-1])]) if total[-1] > 0 else np.nan
    )


def shown_ratio(found: tuple[float, float, float]) -> str:
    return f"{found[0]:.2f} {between(*found[1:], '.2f') if np.isfinite(found[2]) else '(too few sizes for an interval)'}"
