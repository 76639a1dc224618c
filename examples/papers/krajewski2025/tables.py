"""The tables of Krajewski et al. 2025 (arXiv 2512.08894) against each other.

What the same runs say twice: the compute law as a ray of the params-tokens law (Tables 11 and 12),
as pass@k at k = 1 (Tables 11 and 13) and as a broken law (Tables 11 and 10); the accuracy of
guessing (Tables 11 and 16); errors on the held-out runs with and without a ceiling that was fitted
to be 1 (Tables 15 and 3), and their averages (Tables 4 and 3). Columns of Tables 11 and 13 are
decoded (theory/data/laws.toml, `isoflop.theory.data.krajewski2025.TABLE_13`).

Laws that were fitted apart may differ: they *disagree* where accuracy differs by more than a
tolerance, or is impossible. Numbers that ought to be the same disagree where rounding does not
explain the difference.

Run: python examples/papers/krajewski2025/tables.py
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

import numpy as np

from isoflop.numeric import formulas
from isoflop.numeric.accuracy.broken import broken_values
from isoflop.numeric.check.published import (
    RANGE,
    RATIO,
    TOLERANCE,
    PublishedCheck,
    check_published,
    coefficients_of,
    curves_of,
)
from isoflop.theory.data import krajewski2025 as printed
from isoflop.theory.data.bibliography import WORKS
from isoflop.theory.data.published import KRAJEWSKI_RUNS, compute_counterparts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "AverageRow",
    "BaselineRow",
    "BrokenRow",
    "CeilingRow",
    "Disagreement",
    "DrawsRow",
    "TablesCheck",
    "printed_bilinear",
    "printed_broken",
    "tables_check",
]

#: Budgets at which curves are compared: their largest difference is that on this grid.
GRID = 2049
AGREES, DIFFERS, IMPOSSIBLE, ROUNDED_AWAY = "agrees", "differs", "impossible", "digits lost"
#: Benchmarks that are scored like the five over which Table 4 averages.
OF_TABLE_4 = "acc_norm"


@dataclass(frozen=True, kw_only=True)
class DrawsRow:
    """Equation 5 at k = 1 (Table 13) and equation 2 (Table 11).

    Attributes
    ----------
    benchmark : str
    alpha_one_sample, alpha_compute : float
        Exponent of compute by Table 13 and by Table 11.
    rounding : float
        By how much the printed digits of both leave the difference of the exponents open.
    log_A_one_sample, log_A_compute : float
        Logarithm of the coefficient.
    max_abs_difference, compute_at_max : float
        Of accuracy over the range, and where (FLOP).
    crossing : float
        Compute below which equation 5 says that more samples solve fewer problems.
    verdict : str
    """

    benchmark: str
    alpha_one_sample: float
    alpha_compute: float
    rounding: float
    log_A_one_sample: float
    log_A_compute: float
    max_abs_difference: float
    compute_at_max: float
    crossing: float
    verdict: str


@dataclass(frozen=True, kw_only=True)
class BrokenRow:
    """Equation 1 (Table 10) and equation 2 (Table 11).

    Attributes
    ----------
    benchmark : str
    max_abs_difference, compute_at_max : float
        Of accuracy over the budgets of equation 2's fit and beyond, and where (FLOP).
    rounding : float
        By how much the printed digits leave accuracy open, at most.
    lowest : float
        Least accuracy by equation 1.
    positive_from : float or None
        Compute from which its accuracy is not negative; None where it never is negative.
    break_over_largest : float
        Its break d1 over the compute of the largest run.
    verdict : str
        "digits lost": the printed digits leave more open than the tolerance; "impossible": negative
        accuracy by more than that.
    """

    benchmark: str
    max_abs_difference: float
    compute_at_max: float
    rounding: float
    lowest: float
    positive_from: float | None
    break_over_largest: float
    verdict: str


@dataclass(frozen=True, kw_only=True)
class BaselineRow:
    """Q_random in Table 11 and, with fewer digits, in Table 16; verdict: "agrees", or "differs"
    where it is no rounding.
    """

    benchmark: str
    table_11: str
    table_16: str
    verdict: str


@dataclass(frozen=True, kw_only=True)
class CeilingRow:
    """Held-out MRE (%) and MAE of equation 2 (Table 3), and of equation 10 (Table 15) where Q_max =
    1 makes it the same law.
    """

    benchmark: str
    mre_without: float
    mre_with: float
    mae_without: float
    mae_with: float
    verdict: str


@dataclass(frozen=True, kw_only=True)
class AverageRow:
    """A printed average, and what Table 3 gives for it over all benchmarks and over the five that
    are scored by acc_norm.

    Attributes
    ----------
    table, strategy, what : str
    printed : float
    over_all, over_five : float
    slack : float
        Half a unit of the last digit of the average and of the numbers averaged.
    verdict : str
        "agrees": with all benchmarks, as its heading says; else "differs", with `of_five` telling
        whether five explain it.
    of_five : bool
    """

    table: str
    strategy: str
    what: str
    printed: float
    over_all: float
    over_five: float
    slack: float
    verdict: str
    of_five: bool


@dataclass(frozen=True, kw_only=True)
class Disagreement:
    """Where two tables disagree, and by how much."""

    tables: str
    where: str
    what: str


@dataclass(frozen=True, kw_only=True)
class TablesCheck:
    """Every comparison; see the module.

    Attributes
    ----------
    rays : PublishedCheck
        Table 12 along D/N = 20 against Table 11.
    draws, broken, baselines, ceilings, averages : tuple of rows
    compute_range : (float, float)
        Of the comparisons of curves, FLOP.
    """

    rays: PublishedCheck
    draws: tuple[DrawsRow, ...]
    broken: tuple[BrokenRow, ...]
    baselines: tuple[BaselineRow, ...]
    ceilings: tuple[CeilingRow, ...]
    averages: tuple[AverageRow, ...]
    compute_range: tuple[float, float]

    @property
    def source(self) -> str:
        """The paper."""
        return WORKS["krajewski2025"].citation

    @property
    def disagreements(self) -> tuple[Disagreement, ...]:
        """All of them, in the order of the sections."""
        return (
            *(_of_ray(row) for row in self.rays.table.itertuples() if row.verdict != AGREES),
            *(_of_draws(row) for row in self.draws if row.verdict != AGREES),
            *(_of_broken(row) for row in self.broken if row.verdict != AGREES),
            *(_of_baseline(row) for row in self.baselines if row.verdict != AGREES),
            *(_of_ceiling(row) for row in self.ceilings if row.verdict != AGREES),
            *(_of_average(row) for row in self.averages if row.verdict != AGREES),
        )

    def text(self) -> str:
        """At most 100 columns wide."""
        from krajewski2025.tables_text import tables_text

        return tables_text(self)

    def __str__(self) -> str:
        return self.text()


def tables_check() -> TablesCheck:
    """Compare every table of the paper with those that ought to say the same.

    >>> found = tables_check()
    >>> len(found.disagreements), found.disagreements[-1].tables
    (26, 'Tables 4 and 3')
    """
    rays = check_published()
    laws = {law.label: (law, by) for law, by in compute_counterparts()}
    compute = np.geomspace(*RANGE, GRID)
    fitted = compute[compute >= float(KRAJEWSKI_RUNS.fit_lo)]
    return TablesCheck(
        rays=rays,
        draws=tuple(_draws(name, *laws[name], compute) for name in printed.TABLE_13),
        broken=tuple(_broken(name, *laws[name], fitted) for name in printed.TABLE_10),
        baselines=tuple(_baseline(name) for name in printed.TABLE_16),
        ceilings=tuple(
            _ceiling(name) for name, row in printed.TABLE_15.items() if float(row[1]) == 1.0
        ),
        averages=tuple(_averages()),
        compute_range=RANGE,
    )


# -- the laws as printed -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class BilinearLaw:
    """Equation 5: log y = log A + a log C + b log k + d log C log k with y = -log pass@k."""

    log_A: float
    a: float
    b: float
    d: float

    @property
    def crossing(self) -> float:
        """C_x = exp(-b/d), where the curves of all k cross."""
        return float(np.exp(formulas.bilinear_log_crossing(b=self.b, d=self.d)))

    def neg_log(self, compute: Any, k: Any) -> Any:
        """-log pass@k in nats; numbers or arrays that broadcast."""
        return np.exp(formulas.bilinear_log_value(compute=compute, k=k, **vars(self)))

    def pass_at_k(self, compute: Any, k: Any) -> Any:
        """pass@k."""
        return np.exp(-self.neg_log(compute, k))


def printed_bilinear(benchmark: str) -> BilinearLaw:
    """Equation 5 with the digits of Table 13, whose first column is exponentiated."""
    exp_a, b, d, log_A = map(float, printed.TABLE_13[benchmark])
    return BilinearLaw(log_A=log_A, a=math.log(exp_a), b=b, d=d)


def printed_broken(benchmark: str) -> Callable[[Floats], Floats]:
    """Accuracy as a function of compute by equation 1 with the digits of Table 10."""
    coefficients = np.array([[float(digits) for digits in printed.TABLE_10[benchmark][1:]]])
    return lambda compute: broken_values(coefficients, compute)[0]


def half_unit(digits: str) -> float:
    """Of the last digit.

    >>> half_unit("0.0133"), half_unit("5.3039e+23")
    (5e-05, 5e+18)
    """
    return 0.5 * 10.0 ** int(Decimal(digits).as_tuple().exponent)


# -- the rows ----------------------------------------------------------------------------------------------------------


def _draws(name: str, joint: Any, other: Any, compute: Floats) -> DrawsRow:
    law, fitted = printed_bilinear(name), curves_of(joint, other)["fitted"]
    difference = np.abs(law.pass_at_k(compute, 1.0) - fitted(compute))
    at = int(difference.argmax())
    slopes = (printed.TABLE_13[name][0], other.printed["A"])
    return DrawsRow(
        benchmark=name,
        alpha_one_sample=float(-law.a),
        alpha_compute=float(str(other.coefficients["alpha"])),
        rounding=sum(half_unit(digits) / float(digits) for digits in slopes),
        log_A_one_sample=law.log_A,
        log_A_compute=float(other.printed["alpha"]),
        max_abs_difference=float(difference[at]),
        compute_at_max=float(compute[at]),
        crossing=law.crossing,
        verdict=_within(float(difference[at]), TOLERANCE),
    )


def _broken(name: str, joint: Any, other: Any, compute: Floats) -> BrokenRow:
    digits = printed.TABLE_10[name][1:]
    at_digits = np.array([float(text) for text in digits])
    moved = at_digits + np.diag([half_unit(text) for text in digits])
    Q = broken_values(at_digits[None], compute)[0]
    rounding = float(np.abs(broken_values(moved, compute) - Q).sum(axis=0).max())
    difference, negative = (
        np.abs(Q - curves_of(joint, other)["fitted"](compute)),
        np.flatnonzero(Q < 0.0),
    )
    at = int(difference.argmax())
    verdict = _within(float(difference[at]), TOLERANCE)
    if rounding > TOLERANCE:
        verdict = ROUNDED_AWAY
    elif Q.min() < -TOLERANCE:
        verdict = IMPOSSIBLE
    return BrokenRow(
        benchmark=name,
        max_abs_difference=float(difference[at]),
        compute_at_max=float(compute[at]),
        rounding=rounding,
        lowest=float(Q.min()),
        positive_from=float(compute[negative[-1] + 1]) if len(negative) else None,
        break_over_largest=float(digits[4]) / float(KRAJEWSKI_RUNS.compute_hi),
        verdict=verdict,
    )


def _baseline(name: str) -> BaselineRow:
    full = next(str(law.random_baseline) for law, _ in compute_counterparts() if law.label == name)
    short = printed.TABLE_16[name]
    rounds = (
        abs(Decimal(full) - Decimal(short))
        <= Decimal(1).scaleb(int(Decimal(short).as_tuple().exponent)) / 2
    )
    return BaselineRow(
        benchmark=name, table_11=full, table_16=short, verdict=AGREES if rounds else DIFFERS
    )


def _ceiling(name: str) -> CeilingRow:
    (_, mae, mre, *_), (_, _, mre_with, mae_with) = printed.TABLE_3[name], printed.TABLE_15[name]
    same = all(
        abs(float(one) - float(other)) <= half_unit(one) + half_unit(other)
        for one, other in ((mre, mre_with), (mae, mae_with))
    )
    return CeilingRow(
        benchmark=name,
        mre_without=float(mre),
        mre_with=float(mre_with),
        mae_without=float(mae),
        mae_with=float(mae_with),
        verdict=AGREES if same else DIFFERS,
    )


def _averages() -> list[AverageRow]:
    """Table 3's own averages, then the means and standard deviations of Table 4 that have a column
    in Table 3.
    """
    columns = {
        ("PowerLaw", "MAE"): 1,
        ("PowerLaw", "MRE"): 2,
        ("BNSL", "MAE"): 3,
        ("BNSL", "MRE"): 4,
    }
    found = [
        _average("Table 3", strategy, f"mean {what}", digits, column, fmean)
        for ((strategy, what), column), digits in zip(
            columns.items(), printed.TABLE_3_AVERAGE, strict=True
        )
    ]
    for strategy in ("PowerLaw", "BNSL"):
        mre, mre_spread, mae, mae_spread = printed.TABLE_4[strategy]
        for what, mean, spread in (("MRE", mre, mre_spread), ("MAE", mae, mae_spread)):
            column = columns[strategy, what]
            found.append(_average("Table 4", strategy, f"mean {what}", mean, column, fmean))
            found.append(_average("Table 4", strategy, f"std {what}", spread, column, stdev))
    return found


def _average(
    table: str,
    strategy: str,
    what: str,
    digits: str,
    column: int,
    of: Callable[[list[float]], float],
) -> AverageRow:
    every = [row[column] for row in printed.TABLE_3.values()]
    five = [row[column] for row in printed.TABLE_3.values() if row[0] == OF_TABLE_4]
    over_all, over_five = (of([float(text) for text in column]) for column in (every, five))
    slack = half_unit(digits) + half_unit(every[0])
    value = float(digits)
    return AverageRow(
        table=table,
        strategy=strategy,
        what=what,
        printed=value,
        over_all=over_all,
        over_five=over_five,
        slack=slack,
        verdict=_within(abs(value - over_all), slack),
        of_five=abs(value - over_five) <= slack,
    )


def _within(difference: float, most: float) -> str:
    return AGREES if difference <= most else DIFFERS


# -- disagreements -----------------------------------------------------------------------------------------------------


def ray_exponents(name: str) -> Any:
    """Local exponents along D/N = 20 at the lowest and the highest compute; they fall with it."""
    joint = next(law for law, _ in compute_counterparts() if law.label == name)
    return formulas.ray_exponent(np.array(RANGE), RATIO, **coefficients_of(joint))


def _of_ray(row: Any) -> Disagreement:
    lowest, highest = ray_exponents(row.name)
    what = (
        f"accuracy along D/N = 20 differs by {row.max_abs_difference:.4f} at C = "
        f"{_flop(row.compute_at_max)}; exponents "
        f"{highest:.4f} to {lowest:.4f} and {row.alpha_empirical:.4f}"
    )
    return Disagreement(tables="Tables 12 and 11", where=row.name, what=what)


def _of_draws(row: DrawsRow) -> Disagreement:
    what = (
        f"accuracy at k = 1 differs by {row.max_abs_difference:.4f} at C = "
        f"{_flop(row.compute_at_max)}; exponents "
        f"{row.alpha_one_sample:.4f} and {row.alpha_compute:.4f}"
    )
    return Disagreement(tables="Tables 13 and 11", where=row.benchmark, what=what)


def _of_broken(row: BrokenRow) -> Disagreement:
    if row.verdict == ROUNDED_AWAY:
        b = printed.TABLE_10[row.benchmark][2]
        return Disagreement(
            tables="Table 10",
            where=row.benchmark,
            what=f"b is printed as {b}: the digits leave accuracy open by {row.rounding:.2g}",
        )
    if row.verdict == IMPOSSIBLE:
        upto = (
            "" if row.positive_from is None else f", negative below C = {_flop(row.positive_from)}"
        )
        what = f"accuracy falls to {row.lowest:.3f}{upto}"
        return Disagreement(tables="Table 10", where=row.benchmark, what=what)
    what = f"accuracy differs by {row.max_abs_difference:.4f} at C = {_flop(row.compute_at_max)}"
    return Disagreement(tables="Tables 10 and 11", where=row.benchmark, what=what)


def _of_baseline(row: BaselineRow) -> Disagreement:
    what = f"Q_random {row.table_11} is printed as {row.table_16}: not its rounding"
    return Disagreement(tables="Tables 16 and 11", where=row.benchmark, what=what)


def _of_ceiling(row: CeilingRow) -> Disagreement:
    what = (
        f"with Q_max = 1 both are equation 2, yet MRE is {row.mre_with:.2f} % and "
        f"{row.mre_without:.2f} %, MAE "
        f"{row.mae_with:.4f} and {row.mae_without:.4f}"
    )
    return Disagreement(tables="Tables 15 and 3", where=row.benchmark, what=what)


def _of_average(row: AverageRow) -> Disagreement:
    of_five = f"; over the five acc_norm ones {row.over_five:.4g}" + (
        ", as printed" if row.of_five else ""
    )
    what = f"{row.what} is printed as {row.printed:g}, over all benchmarks it is {row.over_all:.4g}{of_five}"
    return Disagreement(
        tables="Table 3" if row.table == "Table 3" else "Tables 4 and 3",
        where=row.strategy,
        what=what,
    )


def _flop(compute: float) -> str:
    return f"{compute:.2g}".replace("e+", "e")


if __name__ == "__main__":
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).parents[1]))
    print(tables_check().text())
