"""The result of a comparison of laws of accuracy."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ...theory.typeset.escapes import latex_escaped
from ...theory.typeset.numbers import Format, Percent, Places, Significant
from ...theory.typeset.table import Column, Table, Words, latex_of
from ..accuracy.averages import AVERAGE
from ..accuracy.benchmark import SAME, best_law, candidates
from ..fit.hold_out import HeldOut
from ..words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from ..accuracy.benchmark import Benchmark, JudgedLaw
    from ..data.sample import Sample

    Mask = NDArray[np.bool_]

__all__ = ["IN_K", "Comparison"]

ERROR = Places(4, largest=100.0)
FIGURES = ("mae", "mre", "rmse", "r2")
#: The law of pass@k in k as well, which is judged on other data than the rest: at every k, not at k
#: = 1.
IN_K = "bilinear"


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison(HeldOut):
    """Laws on benchmarks: one `JudgedLaw` each.

    Attributes
    ----------
    source : str
        Where the runs come from.
    asked : tuple of str
        The laws that were asked for.
    hold_out : str or None
        Which runs were not fitted.
    proxy : str or None
    data : dict of str to Benchmark
        By name of those that were asked for.
    n_runs : int
        With a score or without.
    warnings : tuple of str
        What reading the runs left out or doubted.
    run_names : tuple of str
        Of the runs of the evaluations, to which the samples point.
    level : float
    resamples, seed : int
    """

    judged: tuple[JudgedLaw, ...]
    source: str
    asked: tuple[str, ...]
    hold_out: str | None
    proxy: str | None
    data: Mapping[str, Benchmark]
    n_runs: int
    warnings: tuple[str, ...]
    run_names: tuple[str, ...]
    level: float
    resamples: int
    seed: int

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """On which some law was judged."""
        return self.subjects

    def of(self, subject: Any = None, law: str | None = None) -> tuple[JudgedLaw, ...]:
        """The laws on one benchmark, a law on all, or a law on one."""
        return cast("tuple[JudgedLaw, ...]", super().of(subject, law))

    def entry(self, benchmark: str, law: str) -> JudgedLaw:
        """A law on a benchmark.

        Raises
        ------
        ValueError
            Where there is none.
        """
        for each in self.of(benchmark, law):
            return each
        raise ValueError(f"benchmark={benchmark!r}, law={law!r}: was not compared")

    def best(self, benchmark: str, part: str = "held_out", figure: str = "mae") -> str | None:
        """The law with the least error on the held-out or on the fitted runs ("train"), see
        `isoflop.numeric.accuracy.benchmark.best_law`.
        """
        return best_law(self.of(benchmark), part, figure)

    def best_share(self, benchmark: str, law: str) -> float | None:
        """The share of resamples in which the law has the least held-out MAE; None without
        resamples, or for no candidate.
        """
        several = candidates(self.of(benchmark))
        drawn = {name: each.mae_draws for name, each in several.items() if len(each.mae_draws)}
        if law not in drawn or len(drawn) < 2:
            return None
        count = min(map(len, drawn.values()))
        stacked = np.stack([values[:count] for values in drawn.values()])
        return float(np.mean(np.argmin(stacked, axis=0) == list(drawn).index(law)))

    @property
    def misleading(self) -> tuple[tuple[str, str, str], ...]:
        """(benchmark, closest to the fitted runs, best on held-out ones) where the errors of the
        two differ.
        """
        found = []
        for name in self.benchmarks:
            closest, best = self.best(name, "train", "rmse"), self.best(name)
            if closest and best:
                error, least = (self.entry(name, law).held_out["mae"] for law in (closest, best))
                if error is not None and least is not None and error > least + SAME:
                    found.append((name, closest, best))
        return tuple(found)

    def means(self) -> list[dict[str, Any]]:
        """Per law, over the benchmarks on which each of the laws was judged on held-out runs,
        without their average: n (benchmarks), and the mean and the standard_deviation (n - 1) of
        mae and mre on held-out runs and of rmse and r2 on fitted ones.
        """
        judged = {
            (each.benchmark, each.law): each
            for each in self.judged
            if each.held_out.get("mae") is not None
        }
        laws = [law for law in self.laws if law != IN_K and any(key[1] == law for key in judged)]
        names = [name for name in self.benchmarks if name != AVERAGE or len(self.benchmarks) == 1]
        shared = [name for name in names if laws and all((name, law) in judged for law in laws)]
        if not shared:
            return []
        return [_mean(law, [judged[name, law] for name in shared]) for law in laws]

    @property
    def planned(self) -> int:
        """How many laws were to be fitted, each on every benchmark."""
        return len(self.asked) * len(self.data)

    @property
    def has_verdict(self) -> bool:
        """Whether every law was fitted everywhere, with a certified minimum. Coefficients may be
        open: errors are not.
        """
        return all(each.fit is not None and each.fit.converged for each in self.judged)

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for every entry."""
        rows = []
        for each in self.judged:
            row: dict[str, Any] = {"benchmark": each.benchmark, "law": each.law}
            row["n_fitted"] = None if each.fit is None else len(each.fit.sample)
            row |= {f"train_{name}": each.train.get(name) for name in ("n", *FIGURES)}
            row |= {f"held_out_{name}": each.held_out.get(name) for name in ("n", *FIGURES)}
            for name in ("mae", "mre"):
                low, high = each.intervals.get(name, (None, None))
                row |= {f"held_out_{name}_low": low, f"held_out_{name}_high": high}
            row |= {"best_in": self.best_share(each.benchmark, each.law), "note": each.open}
            rows.append(row | self._flat(each))
        return rows

    def _flat(self, each: JudgedLaw) -> dict[str, Any]:
        """Every coefficient that some law has, with its interval, and C_x of laws in k; None where
        this law has none.
        """
        names = dict.fromkeys(
            name for one in self.judged if one.fit is not None for name in one.fit.kind.coefficients
        )
        own = {item["name"]: item for item in each.coefficients}
        row = {
            f"coefficient_{name}{end}": own.get(name, {}).get(part)
            for name in names
            for end, part in (("", "value"), ("_low", "low"), ("_high", "high"))
        }
        if not any(one.crossing for one in self.judged):
            return row
        parts = ("value", "low", "high")
        return row | {f"crossing_{part}": getattr(each.crossing, part, None) for part in parts}

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "source": self.source,
            "hold_out": self.hold_out,
            "proxy": self.proxy,
            "level": self.level,
            "resamples": self.resamples,
            "seed": self.seed,
            "interrupted": self.interrupted,
            "warnings": list(self.warnings),
            "benchmarks": [
                {
                    "benchmark": name,
                    "random_baseline": asdict(self.data[name].baseline),
                    "notes": list(self.notes(name)),
                    "laws": [self._record(each) for each in self.of(name)],
                }
                for name in self.benchmarks
            ],
            "means": self.means(),
            "closest_to_the_fitted_runs_is_not_best_on_held_out": [
                {"benchmark": name, "closest": closest, "best": best}
                for name, closest, best in self.misleading
            ],
        }

    def _record(self, each: JudgedLaw) -> dict[str, Any]:
        record: dict[str, Any] = {"law": each.law}
        if each.fit is None:
            return record | {"failed": each.failed}
        return record | {
            "formula": each.fit.kind.expression,
            "fitted_by": each.fit.kind.objective,
            "coefficients": each.coefficients,
            "converged": each.fit.converged,
            "reason": each.fit.reason,
            "undetermined": list(each.undetermined),
            "remarks": list(each.remarks),
            "weak": each.weak,
            **({} if each.crossing is None else {"crossing": each.crossing.as_dict()}),
            "n_fitted": len(each.fit.sample),
            "n_resamples": len(each.fit.refitted),
            "n_resamples_failed": each.fit.n_failed,
            "train": each.train if each.train["n"] else {"n": 0},
            "held_out": each.held_out if each.held_out["n"] else {"n": 0},
            "predictions": each.predictions(self.run_names),
            "intervals": {name: list(ends) for name, ends in each.intervals.items()},
            "best_in": self.best_share(each.benchmark, each.law),
        }

    def to_frame(self) -> Any:
        """A pandas frame, a row an entry (needs pandas)."""
        import pandas as pd

        return pd.DataFrame(self.rows()).set_index(["benchmark", "law"])

    # -- tables ------------------------------------------------------------------------------------

    def tables(self) -> tuple[Table, ...]:
        """The errors of every law, a table a benchmark; and their means where there are several."""
        tables = [self._of_benchmark(name) for name in self.benchmarks]
        means = self.means()
        return (*tables, *([_of_all(means)] if means and means[0]["n"] > 1 else []))

    def to_latex(self, caption: str = "", label: str = "") -> str:
        """LaTeX of the tables, for booktabs, each under its title; the caption and the label are
        those of the first.
        """
        captions = [caption, *("" for _ in self.benchmarks)]
        return "\n\n".join(
            table.latex(given or latex_of(table.title), "" if index else label)
            for index, (table, given) in enumerate(zip(self.tables(), captions, strict=False))
        )

    def _of_benchmark(self, name: str) -> Table:
        best = self.best(name)

        def marked(each: JudgedLaw) -> str:
            mark = "" if each.law != best else " (*)" if each.undetermined else " *"
            return f"{each.law}{mark}"

        def error(part: str, figure: str, heading: str, form: Format = ERROR) -> Column:
            def of(each: JudgedLaw) -> float | None:
                return getattr(each, part).get(figure)

            return Column(f"{part}_{figure}", heading, of=of, format=form)

        at_most = Column(
            "most",
            "at most",
            of=lambda each: each.intervals["mae"][1] if each.intervals else None,
            format=ERROR,
            missing="",
        )
        share = Column(
            "share",
            "best in",
            of=lambda each: self.best_share(name, each.law),
            format=Percent(places=0),
        )
        columns = [
            Column("law", of=marked, align="left"),
            Column("n", "fitted", of=lambda each: len(each.fit.sample)),
            error("train", "rmse", "RMSE"),
            error("train", "r2", "R2"),
            Column("n_held_out", "held out", of=lambda each: each.held_out.get("n", 0)),
            error("held_out", "mae", "MAE"),
            *([at_most] if self.resamples else []),
            error("held_out", "mre", "MRE", Percent(places=2)),
            *([share] if self.resamples else []),
        ]
        baseline = self.data[name].baseline
        guessing = Words(Significant(4).text(baseline.value), Significant(4).latex(baseline.value))
        if baseline.standard_error:
            guessing = _plus_minus(Significant(4), baseline.value, baseline.standard_error)
        title = Words(
            f"{name}: accuracy of guessing {guessing} ({baseline.how})",
            rf"{latex_escaped(name)}: accuracy of guessing {guessing.latex} "
            rf"({latex_escaped(baseline.how)})",
        )
        rows = [each for each in self.of(name) if each.fit is not None]
        return Table(columns, rows, title, list(self._remarks(name)))

    def notes(self, benchmark: str) -> Iterator[str]:
        """The runs of a benchmark that have no part, and why."""
        data = self.data[benchmark]
        if unscored := self.n_runs - len(data.runs):
            yield f"{unscored} of {counted(self.n_runs, 'run')} have no score"
        parts: dict[str, tuple[Sample, Mask]] = {}
        for kind in data.kinds:
            rows, known, noun = data.rows(kind), data.has_proxy(kind), "runs"
            if rows is not data.runs:
                noun = "pairs of run and k"
            elif data.needs_proxy(kind) and not (known.all() and noun in parts):
                noun = "runs with the proxy"
            parts.setdefault(noun, (rows.subset(known), data.held_out(kind)[known]))
        for noun, (rows, held) in parts.items():
            judged = data.is_judged(rows)
            perfect = int((rows.accuracy == 1.0).sum())
            low = int((~judged).sum()) - perfect
            if not (low or perfect):
                continue
            why = [f"{low} within {data.margin:g} of guessing or below it"] if low else []
            why += [f"{perfect} of accuracy exactly 1, whose -log is 0"] if perfect else []
            n_held = int((held & ~judged).sum())
            where = f" ({n_held} of them held out)" if n_held else ""
            yield f"of {len(rows)} {noun} no law is judged on {' and '.join(why)}{where}"

    def _remarks(self, name: str) -> Iterator[str]:
        entries = self.of(name)
        for each in entries:
            yield from (f"{each.law}: {text}" for text in (each.open, *each.remarks) if text)
        for each in entries:
            if each.weak:
                yield f"{each.law} is not compared with the others: {each.weak}"
        yield from (f"note: {note}" for note in self.notes(name))

    def head(self) -> Iterator[str]:
        """What was held out, and what the columns are."""
        held = "no run is held out (--hold-out CONDITION)"
        if self.hold_out is not None:
            held = f"held out: {self.hold_out}"
        yield f"laws of accuracy on {self.source}; {held}"
        if self.proxy is not None:
            yield f"proxy of the two-stage laws: {self.proxy}"
        at_most = best_in = is_open = ""
        if self.resamples:
            at_most = f" (at most: in {100 * self.level:.4g} % of {self.resamples} resamples)"
            best_in = "; best in: the share of resamples in which the law has the least"
        if any(each.undetermined for each in self.judged if each.law == self.best(each.benchmark)):
            is_open = "; (*): the same, of a law that the runs leave open"
        yield (
            f"errors are of accuracy: RMSE and R2 on the fitted runs that are judged, MAE{at_most} "
            f"and MRE on the held-out ones; *: the least MAE, of laws that print alike the one "
            f"with the fewest coefficients{is_open}{best_in}"
        )
        kinds = {each.law: each.fit.kind for each in self.judged if each.fit is not None}
        yield from (f"{law}: {kind.expression}; {kind.objective}" for law, kind in kinds.items())

    def tail(self) -> Iterator[str]:
        """What reading the runs doubted, and where closeness misleads."""
        yield from (f"note: {text}" for text in self.warnings)
        if self.misleading:
            cases = "; ".join(
                f"{name}: {closest} fits closest, {best} predicts best"
                for name, closest, best in self.misleading
            )
            judged = sum(self.best(name) is not None for name in self.benchmarks)
            yield (
                f"warning: on {len(self.misleading)} of {judged} benchmarks the law closest to the "
                f"fitted runs does not predict the held-out ones best, so closeness is no reason "
                f"to choose it ({cases})"
            )
        if self.interrupted:
            yield "interrupted: what was not reached is left out"


def _of_all(means: Sequence[dict[str, Any]]) -> Table:
    def column(figure: str, heading: str, scale: float = 1.0) -> Column:
        def of(row: dict[str, Any]) -> Words | None:
            value, deviation = row["mean"][figure], row["standard_deviation"][figure]
            if value is None or deviation is None:
                return None
            return _plus_minus(Significant(3), scale * value, scale * deviation)

        return Column(figure, heading, of=of)

    columns = [
        Column("law", align="left"),
        column("mae", "held-out MAE"),
        column("mre", "held-out MRE (%)", 100.0),
        column("rmse", "fitted RMSE"),
        column("r2", "fitted R2"),
    ]
    shared = f"the {means[0]['n']} benchmarks on which each of these laws was judged"
    title = Words(
        f"mean +- standard deviation over {shared}",
        rf"mean $\pm$ standard deviation over {shared}",
    )
    return Table(columns, means, title)


def _plus_minus(form: Format, value: float, deviation: float) -> Words:
    """A value with its standard deviation."""
    spread = Significant(2)
    return Words(
        f"{form.text(value)} +- {spread.text(deviation)}",
        rf"{form.latex(value)} $\pm$ {spread.latex(deviation)}",
    )


def _mean(law: str, several: Sequence[JudgedLaw]) -> dict[str, Any]:
    mean: dict[str, float | None] = {}
    deviation: dict[str, float | None] = {}
    for name in FIGURES:
        part = "held_out" if name in ("mae", "mre") else "train"
        values = [getattr(each, part).get(name) for each in several]
        is_known = None not in values
        mean[name] = float(np.mean(values)) if is_known else None
        deviation[name] = float(np.std(values, ddof=1)) if is_known and len(values) > 1 else None
    return {"law": law, "n": len(several), "mean": mean, "standard_deviation": deviation}
