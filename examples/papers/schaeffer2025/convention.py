"""The stored means, which count a problem of fewer than k samples as solved, and the compute law
fitted to them.
"""

import numpy as np
from schaeffer2025.benchmark import Benchmark
from schaeffer2025.rules import COMPLETE, INFLUENCES_AT, LEVEL, TINY
from schaeffer2025.text import between, cell, percent

import isoflop
from isoflop.numeric.passk.across_k import trend
from isoflop.numeric.passk.curve import curve
from isoflop.numeric.results import percentiles


def conventions(b: Benchmark) -> str:
    """How the stored means come about."""
    honest, solved = curve(b.counts, b.ks), curve(b.counts, b.ks, refused="solved")
    stored, complete = b.stored_table(), np.array(b.ks) <= COMPLETE
    apart = np.abs(stored - honest.pass_at_k)
    far = np.unravel_index(np.nanargmax(apart), apart.shape)
    return (
        f"* {b.title}: pass@k from the counts equals the stored means to "
        f"{apart[:, complete].max():.1e} for k <= {COMPLETE} "
        f"({complete.sum()} values of k, {len(b.counts)} models). Above, the stored means are "
        f"those that count a problem with "
        f"fewer than k samples as solved: to {np.abs(stored - solved.pass_at_k).max():.1e} for all "
        f"k. At k = 10,000 "
        f"{(honest.n_refused[:, -1] > 0).sum()} models have such problems; the mean over the other "
        f"problems is up to "
        f"{np.nanmax(apart):.2f} away (k = {b.ks[far[1]]:,}, {b.counts.names[far[0]]})."
    )


class Convention:
    """The compute law on the stored means, which count n < k as solved."""

    def __init__(self, b: Benchmark) -> None:
        self.b, self.stored, self.compute = b, b.stored_table(), b.counts.covariates["compute"]

    def passed(self, k: int) -> np.ndarray:
        return self.stored[:, self.b.ks.index(k)]

    def usable(self, k: int) -> np.ndarray:
        """The models whose -log pass@k has a logarithm."""
        return (self.passed(k) > 0.0) & (self.passed(k) < 1.0)

    def fit(self, k: int, objective: str = "least-squares-log", chosen: np.ndarray | None = None):
        """E0 and alpha."""
        used = self.usable(k) if chosen is None else chosen
        columns = {"compute": self.compute[used], "loss": -np.log(self.passed(k)[used])}
        found = isoflop.fit(columns, model="compute", objective=objective).coefficients
        return found["E"], found["alpha"]

    def influence(self, k: int) -> tuple[int, float]:
        """The model without which alpha differs most, and alpha without it."""
        used = self.usable(k)
        whole, without = self.fit(k)[1], {}
        for g in np.flatnonzero(used):
            rest = used.copy()
            rest[g] = False
            without[g] = self.fit(k, chosen=rest)[1]
        far = max(without, key=lambda g: abs(without[g] - whole))
        return far, without[far]

    def share(self, rise: float, own: float, drawn: np.ndarray) -> str:
        """The convention's share of a rise, or the share that it hides of the rise by the
        likelihood; with its interval.
        """
        ends = percentiles(drawn[np.isfinite(drawn)], LEVEL)
        if rise >= own:
            low, high = (1.0 - end / rise for end in reversed(ends))
            return f"{percent(1.0 - own / rise)} {between(100 * low, 100 * high, '.0f')}"
        low, high = (1.0 - rise / end for end in ends)
        return f"hides {percent(1.0 - rise / own)} {between(100 * low, 100 * high, '.0f')}"

    def rises(self, k: int) -> str:
        """Of alpha since k = 1, by least squares and by Huber's function."""
        laws = self.b.study.laws["compute"]
        values, draws, at = laws.values("alpha"), laws.draws("alpha"), laws.ks.index(k)
        rises = [
            self.fit(k, name)[1] - self.fit(1, name)[1]
            for name in ("least-squares-log", "huber-log")
        ]
        return "; ".join(
            self.share(rise, values[at] - values[0], draws[:, at] - draws[:, 0]) for rise in rises
        )

    def row(self, k: int) -> list[str]:
        b, used = self.b, self.usable(k)
        squares, huber = self.fit(k), self.fit(k, "huber-log")
        large = used & (-np.log(np.where(used, self.passed(k), 0.5)) > TINY)
        few = (
            "-"
            if large.sum() == used.sum()
            else f"{self.fit(k, chosen=large)[1]:.3f} ({used.sum() - large.sum()})"
        )
        complete = b.squares.laws["compute"]
        own = (
            f"{complete.at(k).coefficients['alpha']:.3f} ({complete.at(k).n_models})"
            if k in complete.ks
            else "-"
        )
        return [
            f"{k:,}",
            f"{int((self.passed(k) == 1.0).sum())}, {int((self.passed(k) == 0.0).sum())}",
            f"{squares[1]:.3f} ({used.sum()})",
            few,
            f"{huber[1]:.3f}",
            own,
            cell(b.study.laws["compute"].at(k), "alpha"),
            "-" if k <= COMPLETE else self.rises(k),
            f"{squares[0]:.2g}, {huber[0]:.2g}",
            cell(b.study.laws["compute"].at(k), "E0"),
        ]

    HEAD = (
        "k",
        "models at exactly 1 and 0, dropped",
        "alpha, n < k as solved",
        f"without -log pass@k < {TINY:g} (so many)",
        "by Huber's function",
        "least squares, complete models",
        "likelihood, all models",
        "share of the rise since k = 1 that is the convention's: least squares; Huber",
        "E0, n < k as solved: least squares, Huber",
        "E0, likelihood",
    )

    def influences(self) -> str:
        found = []
        for k in INFLUENCES_AT:
            g, without = self.influence(k)
            y = -np.log(self.passed(k)[g])
            name = self.b.counts.names[g]
            found.append(
                f"k = {k:,}: {self.fit(k)[1]:.3f} becomes {without:.3f} without {name} (-log "
                f"pass@k = {y:.1e})"
            )
        return f"* {self.b.title}: " + "; ".join(found) + "."

    def slopes(self) -> str:
        """Rise of alpha per unit of log k over all k."""
        logs, laws = np.log(self.b.ks), self.b.study.laws["compute"]
        found = trend(laws, "alpha", LEVEL)
        drawn = np.polyfit(logs, laws.draws("alpha").T, 1)[0]
        squares, huber = (
            np.polyfit(logs, [self.fit(k, name)[1] for k in self.b.ks], 1)[0]
            for name in ("least-squares-log", "huber-log")
        )
        shares = [self.share(slope, found.slope.value, drawn) for slope in (squares, huber)]
        return (
            f"* {self.b.title}: {squares:+.4f} by least squares and {huber:+.4f} by Huber's "
            f"function under the convention, "
            f"{found.slope:+.4f} by the likelihood. The convention's share of the slope by "
            f"least squares: {shares[0]}; by Huber's function: {shares[1]}."
        )
