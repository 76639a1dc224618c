"""A verdict on every claim of the paper, with the numbers that it rests on."""

from typing import NamedTuple

import numpy as np
from schaeffer2025.benchmark import Benchmark
from schaeffer2025.errors import Errors, shown_ratio
from schaeffer2025.rules import (
    AHEAD,
    ALIKE,
    BACKTESTED,
    BENT,
    CLOSE,
    DEAREST,
    FEW,
    LEVEL,
    SETTLED,
    USEFUL,
)
from schaeffer2025.text import between, cell, listed, percent

from isoflop.numeric.fit.resample import paired
from isoflop.numeric.passk.across_k import trend
from isoflop.numeric.results import percentiles

CONFIRMED, PARTLY, REFUTED = "confirmed", "confirmed in part", "not confirmed"
UNKNOWN, PROVED = "these data cannot say", "follows from the law; its size:"


class Part(NamedTuple):
    """What one set of models says of a claim."""

    of: str
    verdict: str
    text: str


def row_of(claim: str, parts: list[Part]) -> list[str]:
    """A row of the table of verdicts."""
    verdicts = {part.verdict for part in parts}
    verdict = (
        verdicts.pop()
        if len(verdicts) == 1
        else "<br>".join(f"{part.of}: {part.verdict}" for part in parts)
    )
    return [
        claim,
        verdict,
        "<br>".join(f"{part.of}: {part.text}" if part.of else part.text for part in parts),
    ]


def vanishing(b: Benchmark, law: str) -> Part:
    """The irreducible part falls from the smallest k to the largest, to where it cannot be told
    from 0.
    """
    laws = b.study.laws[law]
    change, from_k = trend(laws, laws.kind.floor, LEVEL).change, b.study.findings[law].vanishes_at
    falls = CONFIRMED if from_k is not None else PARTLY
    verdict = falls if change.high < 0.0 else REFUTED if change.low > 0.0 else UNKNOWN
    first, last = (cell(fit, laws.kind.floor) for fit in (laws.fits[0], laws.fits[-1]))
    zero = (
        "; told from 0 at the largest k"
        if from_k is None
        else f"; not told from 0 from k = {from_k:,} on"
    )
    return Part(
        f"{b.title} {law}", verdict, f"{first} at k = 1, {last} at k = {laws.ks[-1]:,}{zero}"
    )


def steepening(b: Benchmark) -> Part:
    laws = b.study.laws["compute"]
    found = trend(laws, "alpha", LEVEL)
    verdict = {"rises": CONFIRMED, "falls": REFUTED}.get(found.verdict, UNKNOWN)
    ends = " to ".join(cell(fit, "alpha") for fit in (laws.fits[0], laws.fits[-1]))
    return Part(b.title, verdict, f"alpha {ends}; {found.slope:+.4f} a unit of log k")


def predictability(b: Benchmark, errors: Errors) -> Part:
    """Errors depend on k."""
    texts, apart = [], []
    for of in errors.signed:
        found = errors.ratio(
            errors.at("compute", BACKTESTED[-1], high=AHEAD),
            errors.at("compute", 1, high=AHEAD),
            of,
        )
        apart.append(not found[1] <= 1.0 <= found[2])
        ends = [
            percent(np.median(np.abs(errors.signed[of][errors.at("compute", k, high=AHEAD)])))
            for k in FEW
        ]
        texts.append(
            f"of {of} {', '.join(ends)} at k = {listed(FEW)}, last over first {shown_ratio(found)}"
        )
    return Part(
        b.title,
        CONFIRMED if any(apart) else UNKNOWN,
        "median error of the compute law " + "; ".join(texts),
    )


def settling(b: Benchmark, law: str) -> Part:
    found = [
        row
        for row in b.backtest.stability()
        if row["law"] == law and row["stable_decades"] is not None
    ]
    decades = np.array([row["stable_decades"] for row in found])
    middle = float(np.median(decades))
    verdict = CONFIRMED if SETTLED[0] <= middle <= SETTLED[1] else REFUTED
    text = f"median {middle:.1f} decades over coefficients and k ({decades.min():.1f} to {decades.max():.1f})"
    return Part(
        f"{b.title} {law}", verdict, f"{text} of {found[0]['of_decades']:.1f} that can be cut"
    )


def long_range(b: Benchmark) -> Part:
    """The gold law is stable over five decades."""
    by_law = {}
    for row in b.nine.stability():
        if row["stable_decades"] is not None:
            by_law.setdefault(row["law"], []).append(row)
    reach = by_law["gold"][0]["of_decades"]
    shares = [
        f"{law} {sum(row['stable_censored'] for row in rows)} of {len(rows)}"
        for law, rows in by_law.items()
    ]
    return Part(
        "",
        UNKNOWN if reach < 4.0 else CONFIRMED,
        f"GSM8K, nine models: no more than {reach:.1f} decades can be cut off; coefficients (times "
        f"k) that hold to the end: " + ", ".join(shares),
    )


def comparable(of: str, errors: Errors, one: str, other: str) -> Part:
    """Two laws predict alike, to a factor."""
    found = {k: errors.ratio(*errors.paired(one, other, k)) for k in BACKTESTED}
    if all(low >= 1.0 / ALIKE and high <= ALIKE for _, low, high in found.values()):
        verdict = CONFIRMED
    else:
        verdict = (
            REFUTED
            if any(high < 1.0 / ALIKE or low > ALIKE for _, low, high in found.values())
            else UNKNOWN
        )
    shown = ", ".join(shown_ratio(item) for item in found.values())
    return Part(
        of,
        verdict,
        f"median error of {one} over that of {other} at k = {listed(BACKTESTED)}: {shown}",
    )


def worse(of: str, errors: Errors, one: str, other: str, k: int) -> Part:
    """A law predicts slightly worse than another at some k."""
    first, second = errors.paired(one, other, k)
    value, low, high = errors.ratio(first, second)
    verdict = CONFIRMED if low > 1.0 else REFUTED if high < 1.0 else UNKNOWN
    return Part(
        of,
        verdict,
        f"k = {k:,}: {shown_ratio((value, low, high))} times the error of {other} ({len(first)} "
        f"predictions)",
    )


def spread(
    fit, observed: np.ndarray, covariates, weights: np.ndarray, draws: np.ndarray
) -> np.ndarray:
    """rms of log y about laws (R, p), over the models that draw r has (R, G), with the degrees of
    freedom that are left.
    """
    known = np.isfinite(observed)
    predicted = np.log(
        fit.predict_by(draws, {name: covariates[name][known] for name in fit.kind.covariates})
    )
    squares = (weights[:, known] * (observed[known] - predicted) ** 2).sum(axis=1)
    return np.sqrt(squares / (weights[:, known].sum(axis=1) - len(fit.kind.coefficients)))


def tightness(b: Benchmark, k: int) -> tuple[float, float, float, float, float]:
    """Scatter about the compute law and about the params+tokens law, the ratio, and its interval."""
    laws = [b.study.laws[name] for name in ("compute", "params-tokens")]
    fits, observed, covariates = [each.at(k) for each in laws], b.log_y(k), b.counts.covariates
    index, of_fits = paired(fit.draws for fit in fits)
    one = np.ones((1, len(observed)))
    whole = [
        spread(fit, observed, covariates, one, np.array([list(fit.coefficients.values())]))[0]
        for fit in fits
    ]
    drawn = [
        spread(fit, observed, covariates, laws[0].weights[index], draws)
        for fit, draws in zip(fits, of_fits, strict=True)
    ]
    return *whole, whole[1] / whole[0], *percentiles(drawn[1] / drawn[0], LEVEL)


def tighter(b: Benchmark) -> Part:
    """The params+tokens law fits tighter than the compute law."""
    found = {k: tightness(b, k) for k in FEW}
    if all(high < 1.0 for *_, high in found.values()):
        verdict = CONFIRMED
    else:
        verdict = REFUTED if all(low > 1.0 for *_, low, _ in found.values()) else UNKNOWN
    shown = [
        f"{one:.3f} and {two:.3f} at k = {k:,}, ratio {shown_ratio((ratio, low, high))}"
        for k, (one, two, ratio, low, high) in found.items()
    ]
    return Part(
        b.title,
        verdict,
        "rms of log(-log pass@k) about compute and params+tokens law " + "; ".join(shown),
    )


def enveloping(b: Benchmark) -> Part:
    """The exponent of the compute law is that of the envelope of the params+tokens law."""
    told = [
        item for item in b.study.envelopes if item.difference.has_interval and not item.undetermined
    ]
    agree = sum(not item.difference.excludes(0.0) for item in told)
    near = [
        max(-item.difference.low, item.difference.high) <= CLOSE * item.fitted["alpha"].value
        for item in told
    ]
    if agree == len(b.study.envelopes) and all(near):
        verdict = CONFIRMED
    else:
        verdict = REFUTED if agree < len(told) and not all(near) else UNKNOWN
    shown = [f"{item.difference:+.3f} at k = {item.k:,}" for item in told if item.k in FEW]
    return Part(
        b.title,
        verdict,
        f"no difference of exponents beyond chance at {agree} of {len(b.study.envelopes)} k, "
        f"surely within {percent(CLOSE)} "
        f"of alpha at {sum(near)}; fitted less derived {', '.join(shown)}",
    )


def penalised(b: Benchmark) -> Part:
    """Training off the optimum costs effective compute."""
    texts = []
    for k in (1, BACKTESTED[-1]):
        rows = {cost.ratio: cost.as_dict() for cost in b.study.penalties if cost.k == k}
        shown = [
            f"{percent(row['effective_compute'])} "
            f"{between(100 * row['effective_compute_lo'], 100 * row['effective_compute_hi'], '.0f')} at {ratio:g} times"
            for ratio, row in rows.items()
        ]
        texts.append(f"at k = {k:,} {' and '.join(shown)} the optimal D/N")
    return Part(b.title, PROVED, f"effective share of the compute {'; '.join(texts)}")


def near_range(b: Benchmark, errors: Errors) -> Part:
    """Compute and params+tokens laws need models within about two decades of the target."""
    texts, useful = [], []
    for k in FEW:
        at = [errors.at("compute", k, low, low + 1) for low in range(4)]
        medians = [
            np.median(np.abs(errors.signed["-log pass@k"][part])) for part in at if len(part)
        ]
        useful += [value <= USEFUL for value in medians[:2]]
        texts.append(f"{', '.join(map(percent, medians))} at k = {k:,}")
    verdict = CONFIRMED if all(useful) else REFUTED
    return Part(
        b.title,
        verdict,
        "compute law, median error by decade from 0-1 on: "
        + "; ".join(texts)
        + ("" if all(useful) else "; within two is not enough"),
    )


def verdicts(found: list[Benchmark], errors: dict[str, Errors], nine: Errors) -> list[list[str]]:
    """The table in short."""
    gsm8k = found[0]
    both = ("compute", "params-tokens")
    names = "GSM8K, nine models"
    return [
        row_of(
            "the irreducible part vanishes as k rises",
            [vanishing(b, law) for b in found for law in b.study.laws],
        ),
        row_of(
            "the exponent of compute steepens with k, from about 0.12 to 0.38",
            [steepening(b) for b in found],
        ),
        row_of(
            "k modulates how well pass@k can be predicted",
            [predictability(b, errors[b.title]) for b in found],
        ),
        row_of(
            "coefficients of the compute and params+tokens laws settle over the last 1.5 to 2.5 "
            "decades alone",
            [settling(b, law) for b in found for law in both],
        ),
        row_of("those of the gold law settle over about 5 decades, uniquely", [long_range(gsm8k)]),
        row_of(
            "the three laws predict comparably",
            [
                *(comparable(b.title, errors[b.title], "params-tokens", "compute") for b in found),
                comparable(names, nine, "gold", "compute"),
            ],
        ),
        row_of(
            "the compute law predicts slightly worse at small k",
            [
                *(worse(b.title, errors[b.title], "compute", "params-tokens", 1) for b in found),
                worse(names, nine, "compute", "gold", 1),
            ],
        ),
        row_of(
            "the gold law predicts slightly worse at large k",
            [worse(names, nine, "gold", "compute", BACKTESTED[-1])],
        ),
        row_of("the params+tokens law fits tighter in range", [tighter(b) for b in found]),
        row_of(
            "models within about 2 decades of the target are needed",
            [near_range(b, errors[b.title]) for b in found],
        ),
        row_of(
            "the compute law is the compute-optimal envelope of the params+tokens law",
            [enveloping(b) for b in found],
        ),
        row_of(
            "off the optimum the reducible part is multiplied by a penalty",
            [penalised(b) for b in found],
        ),
    ]


def beyond_the_claims(found: list[Benchmark], errors: dict[str, Errors], nine: Errors) -> list[str]:
    """What the table does not show: intervals that do not hold what they should, predictions that
    are too high.
    """
    lines = []
    for b in found:
        of = errors[b.title]
        held = [
            f"{law} {percent(of.coverage(law))} "
            f"({', '.join(percent(of.coverage(law, k)) for k in FEW)})"
            for law in of.laws
        ]
        high = [f"{law} {percent(of.too_high(law))}" for law in of.laws]
        wide = [f"{law} {of.width(law):.3g}" for law in of.laws]
        over = {
            k: b.over_prediction(k, b.study.laws["compute"].at(k).predict(b.counts.covariates))
            for k in FEW
        }
        shown = ", ".join(f"{value:.2f} at k = {k:,}" for k, value in over.items())
        bends = ": the data bend where a power law does not" if max(over.values()) > BENT else ""
        lines.append(
            f"* {b.title}: the {percent(LEVEL)} prediction intervals hold the models beyond the "
            f"cutoff in {', '.join(held)} "
            f"of the cases (in brackets at k = {listed(FEW)}); the median ratio of their ends is "
            f"{', '.join(wide)}. "
            f"Predictions of -log pass@k are too high in {', '.join(high)} of the cases. In "
            f"sample, the compute law fitted to "
            f"all models is off for the {DEAREST} dearest of them by the factor {shown}{bends}."
        )
    count = len(nine.at("gold", None))
    lines.append(
        f"* GSM8K, nine models: the gold law's intervals held in {percent(nine.coverage('gold'))} "
        f"of {count} predictions, "
        f"{count // len(BACKTESTED)} a k, of models that fits to four to eight others were to "
        f"predict; the median ratio of "
        f"the ends is {nine.width('gold'):.3g}. That is no success: intervals so wide, and so few "
        f"models, say little."
    )
    return lines
