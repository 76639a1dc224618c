"""The page in Markdown."""

from itertools import pairwise

import numpy as np
from schaeffer2025.benchmark import Benchmark
from schaeffer2025.convention import Convention, conventions
from schaeffer2025.errors import Errors
from schaeffer2025.rules import (
    AHEAD,
    ALIKE,
    BACKTESTED,
    BUDGET,
    CLOSE,
    COMPLETE,
    CONVENTION_AT,
    DECADES,
    FEW,
    LEAST_SIZES,
    LEVEL,
    RESAMPLES,
    RESAMPLES_OF_SIZES,
    SETTLED,
    USEFUL,
    WIDE,
)
from schaeffer2025.tables import (
    allocation_table,
    coefficient_rows,
    envelope_rows,
    identified,
    observed_rows,
    penalty_rows,
    simulated,
    stability_rows,
    together_rows,
)
from schaeffer2025.text import markdown, percent
from schaeffer2025.verdicts import beyond_the_claims, verdicts


def resamples_text(b: Benchmark) -> str:
    fits = [fit for laws in b.study.laws.values() for fit in laws.fits]
    return f"{sum(fit.n_failed for fit in fits):,} of {sum(fit.draws.done for fit in fits):,} ({b.title})"


def gold_models(b: Benchmark) -> str:
    """Tokens of the models with gold likelihoods."""
    known = np.isfinite(b.counts.covariates["gold"])
    tokens = b.counts.covariates["tokens"][known]
    most = tokens.max()
    names = [
        b.counts.names[g].split()[-1]
        for g in np.flatnonzero(known)
        if b.counts.covariates["tokens"][g] < most
    ]
    compute = b.counts.covariates["compute"][known]
    return (
        f"gold likelihoods exist for {known.sum()} models on GSM8K alone, one a size, "
        f"{int((tokens == most).sum())} of them "
        f"at {most / 1e9:.0f}B tokens and {len(names)} earlier checkpoints ({', '.join(names)}), "
        f"over "
        f"{np.log10(compute.max() / compute.min()):.1f} decades of compute"
    )


def page(found: list[Benchmark], figures: dict[str, dict[str, str]]) -> str:
    """The page in Markdown."""
    gsm8k, math = found
    errors = {b.title: Errors(b.backtest, b.sizes) for b in found}
    nine = Errors(gsm8k.nine, gsm8k.sizes)
    unsolved = {b.title: int((~b.data.solved).sum()) for b in found}
    counts = "; ".join(
        f"{b.title}: {len(b.counts)} models, {unsolved[b.title]} of them without a success"
        for b in found
    )
    convention = {b.title: Convention(b) for b in found}
    decades = [f"{low}-{high}" for low, high in pairwise(DECADES)]
    by_law = ["benchmark", "k", "law", *decades]
    parts = [
        "# Generative evaluations: what public runs say",
        'Made by `examples/papers/schaeffer2025/reproduce.py` for the claims of "Pretraining '
        "Scaling Laws for Generative "
        'Evaluations" (Schaeffer et al. 2025, arXiv 2509.24012; abstract and summary, for its '
        "coefficients are in no public file "
        "known to us), on the counts of Schaeffer et al. 2025 (arXiv 2502.17578): Pythia "
        "checkpoints, 9 sizes from 14M to "
        f"12B, 2M to 300B tokens. {counts}. Another suite of models than the paper's: agreement "
        f"below is agreement in kind.",
        f"Fits: `study_passk`, likelihood of the counts. Intervals are {percent(LEVEL)}, from "
        f"{RESAMPLES} resamples that draw "
        "all checkpoints of one size together, for these are one training run and not independent; "
        "with nine sizes such "
        "intervals are themselves rough and rather too narrow. They are for other models on these "
        "problems. Of the refits "
        f"{', '.join(map(resamples_text, found))} were not certified as minima and are left out.",
        "## In short",
        markdown(
            ["claim of the paper", "verdict", "what it rests on"], verdicts(found, errors, nine)
        ),
        "Verdicts are by rule. Vanishes: surely less at the largest k than at k = 1, and not told "
        "from 0 there (told from 0: "
        "in part). Steepens: the interval of the slope in log k excludes 0. Alike: the interval of "
        "the ratio of median "
        f"errors lies within a factor of {ALIKE:g}. Worse, tighter: the interval excludes 1. "
        f"Settle: the median lies within "
        f"{SETTLED[0]:g} to {SETTLED[1]:g} decades (how the paper measures it is not public). "
        f"Needed: within two decades the "
        f"median error of -log pass@k is at most {percent(USEFUL)}. Envelope: no difference beyond "
        f"chance, and intervals "
        f"within {percent(CLOSE)} of alpha. Errors are of predictions up to {AHEAD:g} decades "
        f"ahead, their intervals from "
        f"{RESAMPLES_OF_SIZES:,} resamples of the sizes predicted, where there are at least "
        f"{LEAST_SIZES}. "
        "Fits that leave a coefficient open predict nothing.",
        "Beside the claims:",
        beyond_the_claims(found, errors, nine),
        f"What these data cannot say: {gold_models(gsm8k)}, so that nothing can be said of five; "
        f"{unsolved['MATH']} of the "
        f"{len(math.counts)} models on MATH have no success, so that its laws rest on the "
        f"expensive half; all models are one "
        "family. The params+tokens law is poorly identified where an end of an exponent's interval "
        "is the edge of the search "
        f"(open) or the ends are more than a factor of {WIDE:g} apart:",
        [identified(b) for b in found],
        "## The data, and a trap",
        [conventions(b) for b in found],
        "## How much of the trend in k is the convention's",
        "Exponent alpha and irreducible part E0 of the compute law; in brackets how many models "
        "take part.",
        *(
            part
            for b in found
            for part in (
                f"**{b.title}**",
                markdown(
                    list(Convention.HEAD), [convention[b.title].row(k) for k in CONVENTION_AT]
                ),
            )
        ),
        '"Hides": the rise under the convention is the smaller one. Slope of alpha in log k over '
        "all 24 k:",
        [each.slopes() for each in convention.values()],
        "The column of the convention rests on few points: models that it puts at exactly 1 have "
        "no logarithm and drop out, "
        "and those just short of 1 pull the fit. What the one model that matters most does to "
        "least squares:",
        [each.influences() for each in convention.values()],
        f"Counting n < k as solved agrees with the counts up to k = {COMPLETE} and then goes its "
        f"own way, because problems "
        "that were given up on count as solved. The likelihood needs no convention and keeps "
        "models without a success; least "
        "squares has to leave these out, which on MATH flattens the law.",
        "## Coefficients against k",
        "An irreducible part on its bound has an upper limit. An end of an interval that is the "
        "edge of the search is open: "
        "the data do not bound the coefficient there. The last two columns: how the coefficient "
        "moves with k over all 24 k "
        "(prefactors in the logarithm), by these resamples and by resamples of models one by one, "
        "as if checkpoints were "
        "independent.",
        markdown(
            [
                "benchmark",
                "law",
                "coefficient",
                *(f"k = {k:,}" for k in FEW),
                "open at k =",
                "with k it",
                "drawn one by one",
            ],
            [row for b in found for row in coefficient_rows(b)],
        ),
        *(f"![{b.title}: laws]({figures[b.title]['laws']})" for b in found),
        "Filled: unbiased estimates with standard errors. Hollow: models with problems of fewer "
        "than k samples, by the "
        "likelihood of the counts. Triangles in the panels of models: no success; -log pass@k lies "
        "above, at "
        f"{percent(LEVEL)} confidence, whatever the success rates of the problems. The panel of "
        f"the params+tokens law sets "
        "every model against the law at its own params and tokens, as most were trained off the "
        "optimum. Triangles among the "
        "irreducible parts: on the bound 0, with the upper limit.",
        "## Where the laws hold together",
        "Above this compute (FLOP; of the params+tokens law at its optimal params and tokens) the "
        "laws at all k say that "
        "more samples solve more problems; below it they contradict each other and predictions are "
        "refused:",
        markdown(
            [
                "benchmark",
                "law",
                "C_x",
                "k that cross there",
                "least compute of the models",
                "models at which laws contradict",
            ],
            [row for b in found for row in together_rows(b)],
        ),
        "## The envelope at every k, and what allocations cost",
        markdown(
            [
                "benchmark",
                "k",
                "alpha derived: beta gamma/(beta + gamma)",
                "alpha fitted to compute",
                "difference",
                "verdict",
                "drawn one by one",
                "median penalty",
            ],
            [row for b in found for row in envelope_rows(b)],
        ),
        "Agree: the whole interval of the difference is within 10 % of alpha; differ: it excludes "
        "0. "
        "Median penalty: (y - E0)/(y* - E0) "
        "at the models' own params and tokens; a direct compute law lies above the envelope by "
        "about as much. Under- and "
        "overtraining (D/N at a tenth of the optimum, and at ten times) cost by the params+tokens "
        "law a penalty, and leave a "
        "share of the compute effective:",
        markdown(
            [
                "benchmark",
                "k",
                "a tenth: penalty; effective compute",
                "ten times: penalty; effective compute",
                "exponents open",
            ],
            [row for b in found for row in penalty_rows(b)],
        ),
        f"An allocation of {BUDGET:.0e} FLOP that is optimal for one k, or for the loss of another "
        f"suite (Besiroglu et al. "
        "2024), judged at other k: its size over the optimal one; penalty; effective compute.",
        allocation_table(found),
        "## Predicting expensive models from cheap ones",
        "Every model beyond a cutoff in compute is predicted from those up to it. Median relative "
        "error of -log pass@k, and "
        "the number of predictions, by decades of compute from the cutoff to the model predicted:",
        markdown(
            by_law,
            [
                row
                for b in found
                for row in errors[b.title].rows(b.title, errors[b.title].error("-log pass@k"))
            ],
        ),
        "The same of pass@k itself, which is near 1 at large k, where an error of -log pass@k "
        "matters less:",
        markdown(
            by_law,
            [
                row
                for b in found
                for row in errors[b.title].rows(
                    b.title, errors[b.title].error("pass@k", counted=False)
                )
            ],
        ),
        f"Median signed error of -log pass@k, share of predictions that are too high, and coverage "
        f"of the {percent(LEVEL)} "
        "prediction intervals:",
        markdown(
            by_law,
            [row for b in found for row in errors[b.title].rows(b.title, errors[b.title].bias)],
        ),
        "Up to the number of samples a model is observed by the unbiased estimate, beyond by the "
        "likelihood of its counts, "
        "which supposes Beta-distributed success rates as the fits do. Apart, over all decades:",
        markdown(
            [
                "benchmark",
                "k",
                "law",
                "observed by",
                "predictions",
                "median error",
                "too high",
                "coverage",
            ],
            [row for b in found for row in observed_rows(b)],
        ),
        "The nine models with gold likelihoods alone, so that the three laws have the same to "
        "learn from and to predict. "
        "Error of -log pass@k:",
        markdown(by_law[:5], nine.rows("GSM8K, nine", nine.error("-log pass@k"), 2)),
        "Of pass@k:",
        markdown(by_law[:5], nine.rows("GSM8K, nine", nine.error("pass@k", counted=False), 2)),
        "Signed error, share too high, coverage:",
        markdown(by_law[:5], nine.rows("GSM8K, nine", nine.bias, 2)),
        *(f"![{b.title}: backtest]({figures[b.title]['backtest']})" for b in found),
        "## How long coefficients hold",
        "Decades of compute (for the gold law too) that may be cut off with the estimate staying "
        "in its final interval (of "
        "resamples of models one by one); with >= it held as far as anything can be cut off.",
        markdown(
            ["benchmark", "law", "coefficient", *(f"k = {k:,}" for k in BACKTESTED), "of"],
            [row for b in found for row in stability_rows(b.backtest, b.title)]
            + stability_rows(gsm8k.nine, "GSM8K, nine"),
        ),
        "## Simulated truths",
        simulated(),
    ]
    return "\n\n".join("\n".join(part) if isinstance(part, list) else part for part in parts)
