"""Tables of coefficients, envelopes, allocations and stability."""

import json
from pathlib import Path

import numpy as np
from schaeffer2025.benchmark import Benchmark
from schaeffer2025.rules import BACKTESTED, BUDGET, COMPLETE, FEW, LEVEL, WIDE
from schaeffer2025.text import between, cell, markdown, percent, spans

from isoflop.numeric.fit.resample import paired
from isoflop.numeric.law import Law
from isoflop.numeric.passk.across_k import trend
from isoflop.numeric.passk.allocation import allocation_matrix
from isoflop.numeric.passk.fit_at_k import open_side
from isoflop.numeric.results import percentiles
from isoflop.theory.data.published import published

SIMULATED = Path(__file__).parent / "coverage.json"


def coefficient_rows(b: Benchmark) -> list[list[str]]:
    rows = []
    for name, laws in b.study.laws.items():
        for coefficient in laws.kind.coefficients:
            found = trend(laws, coefficient, LEVEL)
            alone = (
                trend(b.alone.laws[name], coefficient, LEVEL).verdict
                if name in b.alone.laws
                else "-"
            )
            cells = [cell(laws.at(k), coefficient) for k in FEW]
            rows.append(
                [
                    b.title,
                    name,
                    coefficient,
                    *cells,
                    spans(found.open_at, b.ks),
                    found.verdict,
                    alone,
                ]
            )
    return rows


def identified(b: Benchmark) -> str:
    """At which k the exponents of the params+tokens law are open, or have wide intervals."""
    laws, said = b.study.laws["params-tokens"], []
    for name in laws.kind.exponents:
        left_open = [
            fit.k
            for fit in laws.fits
            if name in fit.undetermined or open_side(fit.estimate(name, LEVEL))
        ]
        ends = {fit.k: fit.interval(name, LEVEL) for fit in laws.fits if fit.k not in left_open}
        wide = [k for k, (low, high) in ends.items() if high > WIDE * low]
        told = [
            f"{what} at k = {spans(ks, b.ks)}"
            for what, ks in (("open", left_open), ("far apart", wide))
            if ks
        ]
        said.append(f"{name} " + (" and ".join(told) or "at no k"))
    return f"* {b.title}: {'; '.join(said)}."


def together_rows(b: Benchmark) -> list[list[str]]:
    """From where on the laws at all k hold together; of the params+tokens law at the optimal params
    and tokens.
    """
    rows, least = [], b.counts.covariates["compute"].min()
    for law in ("compute", "params-tokens"):
        law_in_k = b.study.findings[law]
        found = law_in_k.validity
        if found is None:
            rows.append([b.title, law, "open", "", "", ""])
            continue
        between_k = " and ".join(f"{k:,.0f}" for k in found.binding or ())
        ends = between(*law_in_k.validity_interval)
        contradicted = f"{law_in_k.models_contradicted} of {len(b.counts)}"
        rows.append(
            [b.title, law, f"{found.floor:.2g} {ends}", between_k, f"{least:.2g}", contradicted]
        )
    return rows


def envelope_rows(b: Benchmark) -> list[list[str]]:
    alone = {item.k: item.verdict for item in b.alone.envelopes}
    return [
        [
            b.title,
            f"{item.k:,}",
            f"{item.derived['alpha']:.4f}",
            f"{item.fitted['alpha']:.4f}",
            f"{item.difference:+.4f}",
            item.verdict,
            alone[item.k],
            f"{item.penalty:.3f}",
        ]
        for item in b.study.envelopes
        if item.k in BACKTESTED
    ]


def allocation_table(found: list[Benchmark]) -> list[str]:
    """What an allocation that is best for one k, or for another suite's loss, costs at other k; or
    why that cannot be told.
    """
    rows, refused = [], []
    for b in found:
        more, why = allocation_rows(b)
        rows, refused = rows + more, refused + why
    return [
        *markdown(["benchmark", "optimal for", *(f"at k = {k:,}" for k in FEW)], rows),
        *(["", *refused] if refused else []),
    ]


def allocation_rows(b: Benchmark) -> tuple[list[list[str]], list[str]]:
    """The rows of one benchmark, or why there are none."""
    joint = b.study.laws["params-tokens"]
    fits = [joint.at(k) for k in FEW]
    loss = Law(
        **{name: float(value) for name, value in published("besiroglu2024").coefficients.items()}
    )

    def matrix(rows):
        laws = {
            fit.k: fit.fit.law_of(
                dict(zip(fit.kind.terms.coefficients, map(float, row), strict=True))
            )
            for fit, row in rows
        }
        return allocation_matrix(laws | {"loss": loss}, BUDGET)

    whole = matrix([(fit, list(fit.coefficients.values())) for fit in fits])
    if why := whole.refusals():
        return [], [f"* {b.title}: {text}" for text in why.values()]
    drawn = [
        matrix(list(zip(fits, draws, strict=True)))
        for draws in zip(*paired(fit.draws for fit in fits)[1], strict=True)
    ]
    left = np.array([1.0 - each.lost_compute[:, :, 0] for each in drawn])
    excess = np.array([each.excess[:, :, 0] for each in drawn])
    rows = []
    for i, label in enumerate(whole.labels):
        cells = []
        for j in range(len(FEW)):
            if i == j:
                cells.append("-")
                continue
            cells.append(
                f"{np.exp(whole.log_size_ratio[i, j, 0]):.2g}; {1.0 + whole.excess[i, j, 0]:.3f} "
                f"{between(*(1.0 + np.array(percentiles(excess[:, i, j], LEVEL))))}; "
                f"{percent(1.0 - whole.lost_compute[i, j, 0])} "
                f"{between(*(100 * np.array(percentiles(left[:, i, j], LEVEL))), '.0f')}"
            )
        rows.append([b.title, label if isinstance(label, str) else f"pass@{label:,}", *cells])
    return rows, []


def penalty_rows(b: Benchmark) -> list[list[str]]:
    """The penalty and the effective compute at every k."""
    rows = []
    for k in BACKTESTED:
        of = [cost.as_dict() for cost in b.study.penalties if cost.k == k]
        cells = [
            f"{row['loss_penalty']:.2f} {between(row['loss_penalty_lo'], row['loss_penalty_hi'])}; "
            f"{percent(row['effective_compute'])} "
            f"{between(100 * row['effective_compute_lo'], 100 * row['effective_compute_hi'], '.0f')}"
            for row in of
        ]
        rows.append([b.title, f"{k:,}", *cells, left_open(b.study.laws["params-tokens"].at(k))])
    return rows


def left_open(fit) -> str:
    """The exponents that have no end, and where they have none."""
    words = {None: "", "both": "below and above"}
    found = {name: open_side(fit.estimate(name, LEVEL)) for name in fit.kind.exponents}
    sides = {name: words.get(side, side) for name, side in found.items()}
    return ", ".join(f"{name} {side}" for name, side in sides.items() if side) or "none"


# -- how models were observed -------------------------------------------------------------------------------------------


def observed_rows(b: Benchmark) -> list[list[str]]:
    """Errors and coverage by how the models predicted were observed."""
    inside = {
        (row["law"], row["k"], row["how_observed"]): row["coverage"]
        for row in b.backtest.coverage()
    }
    return [
        [
            b.title,
            f"{row['k']:,}",
            row["law"],
            row["how_observed"],
            f"{row['n']:,}",
            percent(row["median_error"]),
            percent(row["share_above"]),
            percent(inside[row["law"], row["k"], row["how_observed"]]),
        ]
        for row in b.backtest.errors(by_decades=False)
        if row["k"] > COMPLETE
    ]


# -- stability --------------------------------------------------------------------------------


def stability_rows(result, title: str) -> list[list[str]]:
    """Every coefficient of every law; what held to the end of what can be cut is a lower limit."""
    rows: dict[tuple[str, str], list[str]] = {}
    reach = {}
    for row in result.stability():
        key, decades = (row["law"], row["coefficient"]), row["stable_decades"]
        shown = (
            "open"
            if decades is None
            else f">= {decades:.1f}"
            if row["stable_censored"]
            else f"{decades:.1f}"
        )
        rows.setdefault(key, []).append(shown)
        reach[key] = row["of_decades"]
    return [[title, *key, *cells, f"{reach[key]:.1f}"] for key, cells in rows.items()]


# -- simulated truths --------------------------------------------------------------------------------------------------


def simulated() -> list[str]:
    """The table of tests/studies/passk_coverage.py where it was run."""
    command = "`python tests/studies/passk_coverage.py --json examples/papers/schaeffer2025/coverage.json`"
    if not SIMULATED.exists():
        return [f"Not run: {command} makes the table."]
    found = json.loads(SIMULATED.read_text(encoding="utf-8"))
    head = [
        "law",
        "truth",
        "method",
        "samples",
        "k",
        "quantity",
        "true value",
        "median estimate",
        "coverage",
        "repetitions",
    ]
    rows = [
        [
            *(row[name] for name in ("law", "truth", "method", "samples")),
            f"{row['k']:,}",
            row["quantity"],
            "varies" if row["quantity"].startswith("a new") else f"{row['true']:.3g}",
            "-" if row["quantity"].startswith("a new") else f"{row['estimate']:.3g}",
            percent(row["coverage"], 1),
            f"{row['repetitions']}",
        ]
        for row in found["rows"]
    ]
    most = max(row["repetitions"] for row in found["rows"])
    error = np.sqrt(found["level"] * (1.0 - found["level"]) / most)
    return [
        f"By {command}; the error of a coverage of {percent(found['level'])} is "
        f"{percent(error, 1)} in {most} repetitions. "
        "Moderate: 54 models, all of them solved. Many unsolved: 81 models, half of them without a "
        "success, as on MATH; "
        "least squares has to drop these. Fixed n: every problem sampled alike. Every other n < k: "
        "every other model is "
        "sampled less than k times and dropped. Until solved: problems are sampled in batches "
        "until a success, so that n < k "
        "depends on the outcome. Solved or given up: three in ten are given up after the first "
        "batch of 32; the convention "
        "counts these as solved where k > 32.",
        "",
        *markdown(head, rows),
    ]
