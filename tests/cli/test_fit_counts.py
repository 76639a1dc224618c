"""isoflop fit COUNTS: the contract for scripts, bad input, figures."""

import csv
import io
import json
from typing import Any

import numpy as np
import pytest
from tests.data import write_rows

from isoflop.numeric.data.counts import Counts
from isoflop.numeric.passk import fit_passk

LAWS = ("compute", "params-tokens", "gold")
FAST = ("--method", "least-squares-log", "--bootstrap", "30")
MORE = ("--ratio", "0.1", "10", "--compute", "1e22")
HEADER = ("model", "problem", "n_samples", "n_correct")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fit")


@pytest.fixture(scope="module")
def samples():
    """24 models with 40 problems each: success rates of Beta(0.6, b), b falling with params and
    tokens.
    """
    random = np.random.default_rng(7)
    models = [
        (f"m{i}{j}", n, d)
        for i, n in enumerate(np.geomspace(3e7, 1e10, 6))
        for j, d in enumerate(np.geomspace(3e9, 3e11, 4))
    ]
    rows, gold = [], []
    for name, n, d in models:
        b = 0.4 + 3.0 * (n / 3e7) ** -0.35 + 3.0 * (d / 3e9) ** -0.4
        rates = random.beta(0.6, b, size=40)
        rows += [(name, i, 64, int(random.binomial(64, rate))) for i, rate in enumerate(rates)]
        noise = float(np.exp(0.02 * random.standard_normal()))
        gold.append((name, 400.0 * (6.0 * n * d) ** -0.05 * noise))
    return models, rows, gold


@pytest.fixture(scope="module")
def files(folder, samples):
    models, rows, gold = samples
    return {
        "counts": write_rows(folder / "counts.csv", HEADER, rows),
        "models": write_rows(folder / "models.csv", ("model", "params", "tokens"), models),
        "gold": write_rows(folder / "gold.csv", ("model", "gold"), gold),
    }


@pytest.fixture(scope="module")
def words(files):
    return ("fit", files["counts"], "--models", files["models"])


@pytest.fixture(scope="module")
def every(files, words):
    return (*words, "--gold", files["gold"], "--k", "1", "8", "64", *FAST)


def refused(result, *named):
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1), result
    assert result.err.startswith("isoflop: error: ")
    for part in named:
        assert part in result.err


# -- the contract ----------------------------------------------------------------------------------


def test_json_is_that_of_the_library(call, every, files):
    result = call(*every, *MORE, "--format", "json")
    found = json.loads(result.out)
    counts = Counts.read(files["counts"], models=files["models"], gold=files["gold"])
    options: Any = {"k": [1, 8, 64], "method": "least-squares-log", "resamples": 30}
    laws = fit_passk(counts, ratios=[0.1, 10.0], compute=[1e22], **options)
    assert found == json.loads(json.dumps(laws.as_dict()).replace("Infinity", "null"))
    assert (result.code, result.err) == (0 if laws.sound else 3, "")
    sizes = [len(found[name]) for name in ("laws", "envelopes", "penalties", "predictions")]
    assert sizes == [3, 3, 6, 3]


def test_csv_and_text(call, every):
    rows = list(csv.DictReader(io.StringIO(call(*every, *MORE, "--format", "csv").out)))
    assert [(row["law"], row["k"]) for row in rows] == [
        (law, k) for law in LAWS for k in ("1", "8", "64")
    ]
    for row in rows:
        name = "kappa" if row["law"] == "gold" else "alpha"
        assert float(row[f"{name}_lo"]) <= float(row[name]) <= float(row[f"{name}_hi"])
    assert rows[0]["kappa"] == ""
    text = call(*every).out
    assert max(map(len, text.splitlines())) <= 100
    assert "nan" not in text.lower()


def test_likelihood_by_default(data, words):
    found = data(*words, "--law", "compute", "--k", "1,1000", "--bootstrap", "20")
    (law,) = found["laws"]
    assert (law["method"], [row["k"] for row in law["rows"]]) == ("likelihood", [1, 1000])
    assert "Beyond k = 64, the most samples" in law["warnings"][0]


def test_clusters_seeds_and_levels(data, words):
    def row(*more):
        found = data(*words, "--law", "compute", "--k", "8", *FAST, *more)["laws"][0]
        return {"cluster": found["cluster"], **found["rows"][0]}

    usual, wide = row(), row("--level", "99%")
    assert usual == row() == row("--cluster", "params")
    assert wide["alpha_lo"] < usual["alpha_lo"] < usual["alpha_hi"] < wide["alpha_hi"]
    others = row("--cluster", "tokens"), row("--cluster", "none"), row("--seed", "4")
    assert [other["cluster"] for other in others] == ["tokens", None, "params"]
    assert {other["alpha"] for other in others} == {usual["alpha"]}
    assert len({usual["alpha_lo"], *(other["alpha_lo"] for other in others)}) == 4


def test_laws_contradict_each_other_at_small_compute(call, words):
    asked = (*words, "--law", "compute", "--k", "1", "64", *FAST, "--compute", "1e3", "1e24")
    result = call(*asked, "--format", "json")
    found = json.loads(result.out)
    assert result.code == 3
    assert [row["compute"] for row in found["refused"]] == [1e3]
    assert {row["compute"] for row in found["predictions"]} == {1e24}


def test_the_laws_that_the_covariates_allow(data, folder, files, samples):
    rows = [(m, 6.0 * n * d) for m, n, d in samples[0]]
    compute = write_rows(folder / "compute.csv", ("model", "compute"), rows)
    for option, path, law in (("--models", compute, "compute"), ("--gold", files["gold"], "gold")):
        found = data("fit", files["counts"], option, path, "--k", "8", *FAST)
        assert [law["law"] for law in found["laws"]] == [law]


def test_a_figure(call, every, folder):
    pytest.importorskip("matplotlib")
    figure = folder / "laws.png"
    assert call(*every, "--plot", figure).code in (0, 3)
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_k_beyond_n_under_least_squares(call, words):
    asked = (*words, "--law", "compute", *FAST, "--k", "65")
    refused(call(*asked), "k=65", "24 with problems of fewer than k samples")
    result = call(*asked, "8", "--format", "json")
    (law,) = json.loads(result.out)["laws"]
    assert result.code == 3
    assert "fewer than k samples" in law["failed"]["65"]
    assert [row["k"] for row in law["rows"]] == [8]
    assert "k = 65: no fit: 0 models have an estimate" in call(*asked, "8").out


def test_what_is_open_is_said(call, folder, files, samples):
    """All models at one ratio of tokens to params: the joint law is not determined."""
    rows = [(m, n, 20.0 * n) for m, n, _ in samples[0]]
    ray = write_rows(folder / "ray.csv", ("model", "params", "tokens"), rows)
    words = ("fit", files["counts"], "--models", ray, "--law", "params-tokens", "--k", "8", *FAST)
    result = call(*words, "--format", "json")
    assert result.code == 3
    assert json.loads(result.out)["laws"][0]["rows"][0]["undetermined"]
    assert "undetermined" in call(*words).out


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("--k 0", "--k '0': must be a whole number of at least 1"),
        ("--law params", "--law 'params': must be one of compute, params-tokens, gold"),
        ("--law gold", "no gold of the models; the law gold needs gold"),
        ("--method huber", "--method 'huber': must be one of likelihood"),
        ("--bootstrap -1", "--bootstrap '-1'"),
        ("--bootstrap 1", "--bootstrap '1': must be 0, or at least 2"),
        ("--level 2", "--level '2'"),
        ("--ratio 0", "--ratio '0'"),
        ("--law compute --ratio 2", "--ratio '2': is for the law params-tokens"),
        ("--cluster size", "--cluster 'size': must be one of auto, params, tokens, none"),
        ("--compute -1", "--compute '-1'"),
        ("--plot laws.xyz", "--plot 'laws.xyz'"),
        ("--where model=='none'", "none of 960 rows"),
        ("--where model=1", "--where"),
        ("--column n_correct=passed", "no column 'passed' for n_correct"),
        ("--by suite", "--by 'suite': no column 'suite'"),
        ("--where model=='m00'", "1 models have an estimate"),
    ],
)
def test_bad_options(call, words, named, files):
    refused(call("fit", files["counts"], "--models", files["models"], *words.split()), named)


def test_bad_counts(call, data, folder, files, samples):
    rows = samples[1]
    asked = ("--models", files["models"], "--law", "compute", "--k", "8", "--bootstrap", "0")
    refused(call("fit", "--of", "pass@k"), "COUNTS is missing")
    refused(call("fit", "--of", "bits"), "--of 'bits': must be one of loss, pass@k")
    refused(call("fit", folder / "none.csv", *asked), "none.csv")
    refused(call("fit", files["counts"], files["models"], *asked), "one file of counts at a time")
    refused(call("fit", files["counts"], "--k", "8"), "neither compute nor params and tokens nor")
    over = write_rows(folder / "over.csv", HEADER, [*rows[:-1], (*rows[-1][:3], 65)])
    refused(call("fit", over, *asked), "over.csv", "960", "65")
    for value, word in ((0, "without a success"), (64, "without a failure")):
        same = write_rows(folder / "same.csv", HEADER, [(*row[:3], value) for row in rows])
        refused(call("fit", same, *asked), "k=8: 0 models", f"24 {word}")
    ones = call("fit", folder / "same.csv", *asked, "--method", "least-squares-log")
    refused(ones, "k=8: pass@k of m00 is 1", "likelihood")
    both = [(name, *row) for name in ("gsm8k", "math") for row in rows]
    path = write_rows(folder / "both.csv", ("benchmark", *HEADER), both)
    refused(call("fit", path, *asked), "holds 2 benchmarks (gsm8k, math)", "benchmark == 'gsm8k'")
    found = data("fit", path, *asked, "--where", "benchmark == 'math'")
    assert found["laws"][0]["rows"][0]["n_models"] == 24
