"""Counts whose sampling followed its outcome, and estimates that contradict each other: said, and
only there.
"""

import numpy as np
import pytest

from isoflop.numeric.data.counts import Counts
from isoflop.numeric.passk.cautions import of_estimates
from isoflop.numeric.passk.curve import curve
from isoflop.numeric.passk.laws import fit_passk

MOST = 1000


def sampled(stop: int | None, seed: int = 0, problems: int = 100, mean: float = 0.02) -> dict:
    """Problems with Beta rates, each sampled until so many successes or MOST samples; None: MOST
    samples each.
    """
    random = np.random.default_rng(seed)
    rates = random.beta(0.3, 0.3 / mean, size=problems)
    n, c = [], []
    for rate in rates:
        hits = random.random(MOST) < rate
        last = (
            np.flatnonzero(hits)[stop - 1] + 1 if stop is not None and hits.sum() >= stop else MOST
        )
        n.append(int(last))
        c.append(int(hits[:last].sum()))
    return {
        "model": ["a"] * problems,
        "problem": list(range(problems)),
        "n_samples": n,
        "n_correct": c,
        "rate": rates,
    }


def counts_of(data: dict) -> Counts:
    return Counts.read({name: values for name, values in data.items() if name != "rate"})


@pytest.mark.parametrize(
    ("stop", "said"), [(1, "at the first success in 1 group"), (3, "at 3 successes in 1 group")]
)
def test_sampling_that_stopped_at_a_success_is_said(stop, said):
    data = sampled(stop)
    found = curve(counts_of(data), [1])
    # It is worth a word: the estimate is far above the mean of the rates.
    assert found.pass_at_k[0, 0] > 1.2 * data["rate"].mean()
    (warning,) = of_estimates(found)
    assert said in warning
    assert "too high" in warning


def test_values_that_fall_with_k_are_said():
    """Beyond the fewest samples the solved problems are left out, one after the other."""
    found = curve(counts_of(sampled(1)), [1, 10, 100, 1000])
    assert found.pass_at_k[0, -1] == 0.0 < found.pass_at_k[0, 0]
    warning = of_estimates(found)[-1]
    assert warning.startswith(
        "values contradict each other in 1 group (a), in 1 of them pass@k falls with k"
    )


def test_samples_of_a_fixed_number_are_no_matter():
    for seed in range(5):
        assert of_estimates(curve(counts_of(sampled(None, seed=seed)), [1, 10, 100, 1000])) == []
    # Nor are different numbers that were planned.
    data = sampled(None)
    random = np.random.default_rng(1)
    planned = random.integers(200, MOST, size=len(data["rate"]))
    data |= {
        "n_samples": planned.tolist(),
        "n_correct": random.binomial(planned, data["rate"]).tolist(),
    }
    assert of_estimates(curve(counts_of(data), [1, 10, 100])) == []


def test_least_squares_on_such_counts_says_so():
    from isoflop.numeric.passk.cautions import cautions

    parts = [
        sampled(1, seed=seed, problems=60, mean=mean)
        for seed, mean in enumerate((0.01, 0.02, 0.05, 0.1, 0.2, 0.3))
    ]
    data: dict = {
        name: [x for part in parts for x in part[name]]
        for name in ("problem", "n_samples", "n_correct")
    }
    data["model"] = [f"m{i}" for i, part in enumerate(parts) for _ in part["problem"]]
    data["compute"] = [10.0 ** (18 + i) for i, part in enumerate(parts) for _ in part["problem"]]
    squares = cautions(fit_passk(data, law="compute", k=[1], method="least-squares-log"))
    assert any(
        text.startswith("sampling stopped at the first success in 6 groups: least squares")
        for text in squares
    )
    assert not any("stopped" in text for text in cautions(fit_passk(data, law="compute", k=[1])))
