"""isoflop fit COUNTS: the contract for scripts, bad input, figures, interrupts."""

import csv
import io
import json
from typing import Any

import numpy as np
import pytest
from tests.data import write_rows

LAWS = ("compute", "params-tokens", "gold")
COEFFICIENTS = {
    "compute": ("E0", "C0", "alpha"),
    "params-tokens": ("E0", "N0", "D0", "beta", "gamma"),
    "gold": ("xi0", "K0", "kappa"),
}
FAST = ("--method", "least-squares-log", "--bootstrap", "30")
WIDTH = 100


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
    rows = []
    for name, n, d in models:
        b = 0.4 + 3.0 * (n / 3e7) ** -0.35 + 3.0 * (d / 3e9) ** -0.4
        for problem, rate in enumerate(random.beta(0.6, b, size=40)):
            rows.append((name, problem, 64, int(random.binomial(64, rate))))
    gold = [
        (name, 400.0 * (6.0 * n * d) ** -0.05 * float(np.exp(0.02 * random.standard_normal())))
        for name, n, d in models
    ]
    return models, rows, gold


@pytest.fixture(scope="module")
def files(folder, samples):
    models, rows, gold = samples
    return {
        "counts": write_rows(
            folder / "counts.csv", ("model", "problem", "n_samples", "n_correct"), rows
        ),
        "models": write_rows(folder / "models.csv", ("model", "params", "tokens"), models),
        "gold": write_rows(folder / "gold.csv", ("model", "gold"), gold),
    }


@pytest.fixture(scope="module")
def words(files):
    return ("fit", files["counts"], "--models", files["models"])


@pytest.fixture(scope="module")
def every(files, words):
    return (*words, "--gold", files["gold"], "--k", "1", "8", "64", *FAST)


@pytest.fixture(scope="module")
def outcome(call, every):
    return call(*every, "--ratio", "0.1", "10", "--compute", "1e22", "--format", "json")


@pytest.fixture(scope="module")
def plain(outcome):
    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    assert outcome.err == ""
    return json.loads(outcome.out, parse_constant=refuse)


def refused(result, *named):
    assert result.code == 2, result
    assert result.out == ""
    assert result.err.startswith("isoflop: error: ")
    assert result.err.count("\n") == 1
    for part in named:
        assert part in result.err, (part, result.err)
    assert "Traceback" not in result.err


# -- the contract ----------------------------------------------------------------------------------


def test_the_rows_are_those_of_the_library(plain, outcome, files) -> None:
    from isoflop.cli import fit_counts
    from isoflop.cli.render import plain as without_infinities
    from isoflop.numeric.data.counts import Counts
    from isoflop.numeric.passk import study_passk
    from isoflop.numeric.passk.kinds import KINDS
    from isoflop.numeric.passk.laws import METHODS

    assert (tuple(KINDS), METHODS) == (fit_counts.LAWS, fit_counts.METHODS)
    assert {name: kind.coefficients for name, kind in KINDS.items()} == COEFFICIENTS
    counts = Counts.read(files["counts"], models=files["models"], gold=files["gold"])
    options: dict[str, Any] = {"k": [1, 8, 64], "method": "least-squares-log", "resamples": 30}
    study = study_passk(counts, ratios=[0.1, 10.0], compute=[1e22], **options)
    assert plain == json.loads(json.dumps(without_infinities(study.as_dict())))
    assert outcome.code == (0 if study.sound else 3)
    assert [law["law"] for law in plain["laws"]] == list(LAWS)
    assert [len(plain[name]) for name in ("envelopes", "penalties", "predictions")] == [3, 6, 3]


def test_csv_and_text(call, every) -> None:
    rows = list(csv.DictReader(io.StringIO(call(*every, "--format", "csv").out)))
    found = [(row["law"], row["k"]) for row in rows]
    assert found == [(law, k) for law in LAWS for k in ("1", "8", "64")]
    for row in rows:
        for name in COEFFICIENTS[row["law"]]:
            assert float(row[f"{name}_lo"]) <= float(row[f"{name}_hi"])
    assert rows[0]["kappa"] == ""
    text = call(*every, "--ratio", "0.1", "10", "--compute", "1e22").out
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "nan" not in text.lower()


def test_likelihood_by_default(data, words) -> None:
    found = data(*words, "--law", "compute", "--k", "1,1000", "--bootstrap", "20")
    (law,) = found["laws"]
    assert (law["method"], [row["k"] for row in law["rows"]]) == ("likelihood", [1, 1000])
    assert law["warnings"] == [
        "Beyond k = 64, the most samples, pass@k is the tail of the Beta law."
    ]


def test_clusters(data, words) -> None:
    asked = (*words, "--law", "compute", "--k", "8", *FAST)
    usual, params, tokens, alone = (
        data(*asked, *more)["laws"][0]
        for more in ((), *(("--cluster", name) for name in ("params", "tokens", "none")))
    )
    assert usual == params
    assert [law["cluster"] for law in (usual, tokens, alone)] == ["params", "tokens", None]
    assert len({law["rows"][0]["alpha_lo"] for law in (usual, tokens, alone)}) == 3


def test_a_prediction_where_laws_contradict_each_other(call, words) -> None:
    asked = (*words, "--law", "compute", "--k", "1", "64", *FAST, "--compute", "1e3", "1e24")
    result = call(*asked, "--format", "json")
    data = json.loads(result.out)
    assert result.code == 3
    assert [row["compute"] for row in data["refused"]] == [1e3]
    assert {row["compute"] for row in data["predictions"]} == {1e24}


def test_the_laws_that_the_covariates_allow(data, folder, files, samples) -> None:
    models, _, _ = samples
    compute = write_rows(
        folder / "compute.csv", ("model", "compute"), [(m, 6.0 * n * d) for m, n, d in models]
    )
    found = data("fit", files["counts"], "--models", compute, "--k", "8", *FAST)
    assert [law["law"] for law in found["laws"]] == ["compute"]
    only = data("fit", files["counts"], "--gold", files["gold"], "--k", "8", *FAST)
    assert [law["law"] for law in only["laws"]] == ["gold"]


def test_seeds_and_levels(data, words) -> None:
    asked = (*words, "--law", "compute", "--k", "8", *FAST)
    (one,), (again,), (other,), (wide,) = (
        data(*asked, *more)["laws"][0]["rows"]
        for more in ((), (), ("--seed", "4"), ("--level", "99%"))
    )
    assert one == again
    assert one["alpha"] == other["alpha"]
    assert one["alpha_lo"] != other["alpha_lo"]
    assert wide["alpha_lo"] < one["alpha_lo"] < one["alpha_hi"] < wide["alpha_hi"]


def test_a_file_and_a_figure(call, every, folder) -> None:
    pytest.importorskip("matplotlib")
    result = call(
        *every, "--plot", folder / "laws.png", "--output", folder / "laws.json", "--format", "json"
    )
    assert result.code in (0, 3)
    assert (folder / "laws.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "laws.png").stat().st_size > 10_000
    assert len(json.loads((folder / "laws.json").read_text(encoding="utf-8"))["laws"]) == 3


def test_k_beyond_n_under_least_squares(call, data, words) -> None:
    result = call(*words, "--law", "compute", *FAST, "--k", "8", "65", "--format", "json")
    assert result.code == 3
    (law,) = json.loads(result.out)["laws"]
    assert "fewer than k samples" in law["failed"]["65"]
    assert [row["k"] for row in law["rows"]] == [8]
    assert (
        "k = 65: no fit: 0 models have an estimate"
        in call(*words, "--law", "compute", *FAST, "--k", "8", "65").out
    )
    refused(
        call(*words, "--law", "compute", *FAST, "--k", "65"),
        "k=65",
        "24 with problems of fewer than k samples",
    )


def test_what_is_open_is_said(call, folder, files, samples) -> None:
    """All models at one ratio of tokens to params: the joint law is not determined."""
    models, _, _ = samples
    ray = write_rows(
        folder / "ray.csv", ("model", "params", "tokens"), [(m, n, 20.0 * n) for m, n, _ in models]
    )
    words = ("fit", files["counts"], "--models", ray, "--law", "params-tokens", "--k", "8", *FAST)
    result = call(*words, "--format", "json")
    assert result.code == 3
    (row,) = json.loads(result.out)["laws"][0]["rows"]
    assert row["undetermined"]
    assert "undetermined" in call(*words).out


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--k", "0"), ("--k", "0", "at least 1")),
        (("--law", "params"), ("--law 'params'", "must be one of compute, params-tokens, gold")),
        (("--law", "gold"), ("no gold of the models", "law gold needs gold")),
        (("--method", "huber"), ("--method", "huber", "likelihood")),
        (("--bootstrap", "-1"), ("--bootstrap", "-1")),
        (("--level", "2"), ("--level", "2")),
        (("--ratio", "0"), ("--ratio", "0")),
        (("--cluster", "size"), ("--cluster 'size'", "must be one of params, tokens, none")),
        (("--compute", "-1"), ("--compute", "-1")),
        (("--plot", "laws.xyz"), ("--plot", "laws.xyz")),
        (("--where", "model == 'none'"), ("none of 960 rows", "the condition")),
        (("--where", "model = 1"), ("--where",)),
        (("--column", "n_correct=passed"), ("--column 'n_correct=passed'", "no column 'passed'")),
        (("--by", "suite"), ("--by 'suite': no column 'suite'",)),
        (("--where", "model == 'm00'"), ("1 models have an estimate", "at least 3")),
    ],
)
def test_bad_options(call, words, named, files) -> None:
    asked = ("fit", files["counts"], "--models", files["models"], "--law", "compute")
    refused(call(*asked, *words) if "--law" not in words else call(*asked[:-2], *words), *named)


def table(folder, name, rows, header=("model", "problem", "n_samples", "n_correct")):
    return write_rows(folder / name, header, rows)


def test_bad_counts(call, folder, files, samples) -> None:
    _, rows, _ = samples
    asked = ("--models", files["models"], "--law", "compute", "--k", "8", "--bootstrap", "0")
    refused(call("fit", "--of", "pass@k"), "COUNTS is missing")
    refused(call("fit", "--of", "bits"), "--of 'bits': must be one of loss, pass@k")
    refused(call("fit", folder / "none.csv", *asked), "none.csv")
    refused(call("fit", files["counts"], files["models"], *asked), "one file of counts at a time")
    refused(call("fit", "--k", "8", files["counts"]), "--k")
    over = table(folder, "over.csv", [*rows[:-1], (*rows[-1][:3], 65)])
    refused(call("fit", over, *asked), "over.csv", "960", "65")
    for value, word in ((0, "without a success"), (64, "without a failure")):
        same = table(folder, f"all{value}.csv", [(*row[:3], value) for row in rows])
        refused(call("fit", same, *asked), "k=8: 0 models", f"24 {word}")
    ones = call("fit", folder / "all64.csv", *asked, "--method", "least-squares-log")
    refused(ones, "k=8", "pass@k of m00 is 1", "likelihood")
    bare = call("fit", files["counts"], "--k", "8")
    refused(bare, "counts.csv", "neither compute nor params and tokens nor gold")


def test_several_benchmarks(call, data, folder, files, samples) -> None:
    _, rows, _ = samples
    both = [(name, *row) for name in ("gsm8k", "math") for row in rows]
    path = table(
        folder, "both.csv", both, ("benchmark", "model", "problem", "n_samples", "n_correct")
    )
    asked = ("fit", path, "--models", files["models"], "--law", "compute", "--k", "8", *FAST)
    refused(call(*asked), "holds 2 benchmarks (gsm8k, math)", "benchmark == 'gsm8k'")
    found = data(*asked, "--where", "benchmark == 'math'")
    assert found["laws"][0]["rows"][0]["n_models"] == 24


# -- interrupts ------------------------------------------------------------------------------------


def test_an_interrupt_keeps_what_is_done(call, words, monkeypatch) -> None:
    from isoflop.numeric.passk import laws

    one = laws.fit_at_k

    def stops(data, kind, index, method, weights):
        if kind.name == "params-tokens" and index == 1:
            raise KeyboardInterrupt
        return one(data, kind, index, method, weights)

    monkeypatch.setattr(laws, "fit_at_k", stops)
    result = call(*words, *FAST, "--k", "1", "8", "64", "--format", "json")
    assert result.code == 130
    assert (
        result.err
        == "isoflop: interrupted: 4 of 6 fits are made; laws and k that were not reached are left "
        "out\n"
    )
    found = json.loads(result.out)
    assert [[row["k"] for row in law["rows"]] for law in found["laws"]] == [[1, 8, 64], [1]]
    text = call(*words, *FAST, "--k", "1", "8", "64")
    assert text.code == 130
    assert "E0 + C0 C^-alpha" in text.out
