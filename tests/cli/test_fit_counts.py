"""isoflop fit COUNTS: the contract for scripts, bad input, figures, interrupts."""

import csv
import io
import json
import os

import numpy as np
import pytest
from tests.data import write_rows

LAWS = ("compute", "params-tokens", "gold")
COEFFICIENTS = {
    "compute": ("E0", "C0", "alpha"),
    "params-tokens": ("E0", "N0", "D0", "beta", "gamma"),
    "gold": ("xi0", "K0", "kappa"),
}
COUNTED = {
    "scatter",
    "n_models",
    "n_unsolved",
    "n_without",
    "n_refused",
    "converged",
    "undetermined",
}
COUNTED |= {"n_resamples", "n_failed_resamples"}
FAST = ("--method", "least-squares-log", "--bootstrap", "30")
WIDTH = 100
P, N = ("--cluster", "params"), ("--cluster", "none")


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


def test_the_choices_are_those_of_the_library() -> None:
    """The command line spells them out, for it must not load NumPy to show its help."""
    from isoflop.cli import fit_counts
    from isoflop.numeric.passk import kinds, laws, study

    assert tuple(kinds.KINDS) == fit_counts.LAWS
    assert laws.METHODS == fit_counts.METHODS
    assert study.DEFAULT_LEVEL == fit_counts.LEVEL
    assert {name: kind.coefficients for name, kind in kinds.KINDS.items()} == COEFFICIENTS


# -- the contract ----------------------------------------------------------------------------------


def test_keys(plain, outcome) -> None:
    assert [law["law"] for law in plain["laws"]] == list(LAWS)
    for law in plain["laws"]:
        assert (law["cluster"], law["refits"]) == (
            "params",
            {"done": 90, "not_certified": law["refits"]["not_certified"]},
        )
        assert law["refits"]["not_certified"] == sum(
            row["n_failed_resamples"] for row in law["rows"]
        )
        assert (law["method"], law["resamples"], law["seed"], law["failed"]) == (
            "least-squares-log",
            30,
            0,
            {},
        )
        names = COEFFICIENTS[law["law"]]
        assert [trend["name"] for trend in law["trends"]] == list(names)
        assert [row["k"] for row in law["rows"]] == [1, 8, 64]
        for row in law["rows"]:
            ends = {f"{name}{end}" for name in names for end in ("", "_lo", "_hi", "_open")}
            assert set(row) == {"k", *COUNTED, *ends, f"{names[0]}_interval"}
            assert all(row[f"{name}_lo"] <= row[f"{name}_hi"] for name in names)
        assert (law["validity"] is None) == any(row["undetermined"] for row in law["rows"])
    assert outcome.code == (
        0
        if all(r["converged"] and not r["undetermined"] for w in plain["laws"] for r in w["rows"])
        else 3
    )
    assert [row["k"] for row in plain["envelopes"]] == [1, 8, 64]
    for row in plain["envelopes"]:
        assert set(row["derived"]) == set(row["fitted"]) == {"E0", "C0", "alpha"}
        assert row["difference_in_alpha"] == pytest.approx(
            row["fitted"]["alpha"] - row["derived"]["alpha"]
        )
        assert row["verdict"] in ("agree", "differ", "cannot tell")
    assert [(row["k"], row["ratio"]) for row in plain["penalties"]] == [
        (k, r) for k in (1, 8, 64) for r in (0.1, 10.0)
    ]
    assert [(row["compute"], row["k"]) for row in plain["predictions"]] == [
        (1e22, 1),
        (1e22, 8),
        (1e22, 64),
    ]
    for row in plain["predictions"]:
        assert row["lo"] < row["neg_log"] < row["hi"]


def test_the_rows_are_those_of_the_library(plain, files) -> None:
    from isoflop.numeric.data.counts import Counts
    from isoflop.numeric.passk.laws import fit_passk

    counts = Counts.read(files["counts"], models=files["models"], gold=files["gold"])
    for law in plain["laws"]:
        found = fit_passk(
            counts, law=law["law"], k=[1, 8, 64], method="least-squares-log", resamples=30
        )
        for row, fit in zip(law["rows"], found.fits, strict=True):
            assert {name: row[name] for name in fit.coefficients} == pytest.approx(
                fit.coefficients, rel=1e-9
            )
            assert (row["n_models"], row["scatter"]) == (24, pytest.approx(fit.scatter, rel=1e-9))


def test_csv(call, every) -> None:
    result = call(*every, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.out)))
    assert result.code in (0, 3)
    assert [(row["law"], row["k"]) for row in rows] == [
        (law, k) for law in LAWS for k in ("1", "8", "64")
    ]
    for row in rows:
        for name in COEFFICIENTS[row["law"]]:
            assert float(row[f"{name}_lo"]) <= float(row[f"{name}_hi"])
            assert float(row[name]) >= 0.0
    assert rows[0]["kappa"] == ""


def test_text(call, every, outcome) -> None:
    result = call(*every, "--ratio", "0.1", "10", "--compute", "1e22")
    assert result.code == outcome.code
    assert result.err == ""
    assert max(map(len, result.out.splitlines())) <= WIDTH
    for part in (
        "-log pass@k = E0 + C0 C^-alpha",
        "-log pass@k = E0 + N0 N^-beta + D0 D^-gamma",
        "-log pass@k = xi0 + K0 g^kappa",
        "24 models",
        "intervals 90 %, 30 resamples of the 6 values of params",
        "6 values of params are drawn: with fewer than 10, intervals are rough",
        "Envelope of the params+tokens law beside the compute law",
        "What over- and undertraining cost",
        "Predictions of the compute law",
    ):
        assert part in result.out, part
    assert "nan" not in result.out.lower()


def test_likelihood_by_default(data, words) -> None:
    found = data(*words, "--law", "compute", "--k", "1,1000", "--bootstrap", "20")
    (law,) = found["laws"]
    assert (law["method"], [row["k"] for row in law["rows"]]) == ("likelihood", [1, 1000])
    assert [row["n_models"] for row in law["rows"]] == [24, 24]
    assert found["envelopes"] == found["penalties"] == []


def test_lists_of_k(data, words) -> None:
    for given in (["1,8,64"], ["1", "8", "64"], ["64", "8,1"]):
        found = data(*words, "--law", "compute", *FAST, "--k", *given)
        assert [row["k"] for row in found["laws"][0]["rows"]] == [1, 8, 64]
    default = data(*words, "--law", "compute", *FAST)
    assert [row["k"] for row in default["laws"][0]["rows"]] == [1, 2, 5, 10, 20, 50]


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
    bare = data(
        *words, "--law", "compute", "--k", "8", "--method", "least-squares-log", "--bootstrap", "0"
    )
    assert "alpha_lo" not in bare["laws"][0]["rows"][0]


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
    assert "open" in call(*words).out


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--k", "0"), ("--k", "0", "at least 1")),
        (("--k", "1.5"), ("--k", "1.5", "whole number")),
        (("--k", "ten"), ("--k", "ten")),
        (("--law", "params"), ("--law 'params'", "must be one of compute, params-tokens, gold")),
        (("--law", "gold"), ("no gold of the models", "law gold needs gold")),
        (("--method", "huber"), ("--method", "huber", "likelihood")),
        (("--bootstrap", "-1"), ("--bootstrap", "-1")),
        (("--bootstrap", "some"), ("--bootstrap", "some")),
        (("--seed", "1.5"), ("--seed", "1.5")),
        (("--level", "2"), ("--level", "2")),
        (("--ratio", "0"), ("--ratio", "0")),
        (("--cluster", "size"), ("--cluster 'size'", "must be one of params, tokens, none")),
        (("--loss-law", "besiroglu2024"), ("--loss-law 'besiroglu2024'", "needs --compute")),
        (
            ("--compute", "1e20", "--loss-law", "besiroglu2024"),
            ("--loss-law 'besiroglu2024'", "is for the law params-tokens"),
        ),
        (
            ("--law", "params-tokens", "--compute", "1e20", "--loss-law", "nobody"),
            ("--loss-law 'nobody'",),
        ),
        (("--compute", "-1"), ("--compute", "-1")),
        (("--plot", "laws.xyz"), ("--plot", "laws.xyz")),
        (("--plot", "/no/such/folder/laws.png"), ("--plot",)),
        (("--where", "model == 'none'"), ("none of 960 rows", "the condition")),
        (("--where", "model = 1"), ("--where",)),
        (("--column", "n_correct=passed"), ("--column 'n_correct=passed'", "no column 'passed'")),
        (("--by", "suite"), ("--by 'suite': no column 'suite'",)),
        (("--where", "model == 'm00'"), ("1 models have an estimate", "at least 3")),
        (("--nonsense",), ("--nonsense",)),
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


def test_one_problem(data, folder, files, samples) -> None:
    """Many models with one problem each are enough for a law."""
    models, _, _ = samples
    random = np.random.default_rng(1)
    rows = [
        (m, 0, 500, int(random.binomial(500, np.exp(-0.1 - 2.5 * (n * d / 9e16) ** -0.2))))
        for m, n, d in models
    ]
    path = table(folder, "one.csv", rows)
    found = data(
        "fit", path, "--models", files["models"], "--law", "compute", "--k", "1", "--bootstrap", "0"
    )
    assert found["laws"][0]["rows"][0]["n_models"] == 24
    assert found["laws"][0]["cautions"][0].startswith(
        "all models have a single problem: pass@k is that of this problem alone"
    )


def options(text):
    return (*text.split(), "--k", "1", "64", *FAST)


def test_a_prediction_below_the_floor(call, words) -> None:
    """Laws whose exponents differ cross somewhere: below, no prediction."""
    asked = (*words, *options("--law compute"))
    result = call(*asked, "--format", "json")
    assert json.loads(result.out)["laws"][0]["validity"] is not None
    ahead = call(*asked, "--compute", "1e3", "1e24", "--format", "json")
    assert ahead.code == 3
    data = json.loads(ahead.out)
    assert [row["compute"] for row in data["refused"]] == [1e3]
    assert "contradict each other there" in data["refused"][0]["reason"]
    assert {row["compute"] for row in data["predictions"]} == {1e24}
    text = call(*asked, "--compute", "1e3")
    assert (text.code, text.err) == (3, "")
    assert "no prediction: compute=1000: the laws at k=1 and k=64" in text.out
    assert max(map(len, text.out.splitlines())) <= WIDTH


def test_no_cost_of_an_allocation_where_the_laws_contradict_each_other(call, words) -> None:
    asked = (*words, *options("--law params-tokens"), "--compute", "1e3", "1e19", "1e24")
    result = call(*asked, "--format", "json")
    assert result.code == 3
    data = json.loads(result.out)
    assert [(row["what"], row["compute"]) for row in data["refused"]] == [("allocation", 1e3)]
    (found,) = data["allocations"]
    assert found["compute"] == [1e19, 1e24]
    assert all(row["contradicted_by"] is None for row in found["rows"])
    assert "predictions" not in data
    notes = " ".join(data["notes"])
    for said in (
        "no predictions: they are of the compute law, which was not fitted",
        "compute=1000: 15 orders of magnitude below the least compute of the models",
        "compute=1e+24: 1.7 orders of magnitude above the greatest compute of the models",
    ):
        assert said in notes
    assert "1e+19" not in notes
    text = call(*asked).out
    contradict = "the params+tokens laws at k=1 and k=64 contradict each other"
    assert f"no allocation: compute=1000: {contradict}" in text
    assert "Compute lost at C = 1000" not in text
    assert max(map(len, text.splitlines())) <= WIDTH


def test_what_an_allocation_for_loss_costs(call, words, folder) -> None:
    from isoflop.numeric.law import law

    asked = (*words, *options("--law params-tokens"), "--compute", "1e20", "--loss-law")
    (found,) = json.loads(call(*asked, "besiroglu2024", "--format", "json").out)["allocations"]
    assert (found["loss_law"], found["labels"]) == ("besiroglu2024", ["loss", 1, 64])
    costs = {(row["chosen"], row["judged"]): row["lost_compute"] for row in found["rows"]}
    assert set(costs) == {(a, b) for a in ("loss", 1, 64) for b in ("loss", 1, 64) if a != b}
    assert all(0.0 <= cost < 1.0 for cost in costs.values())
    path = folder / "law.json"
    path.write_text(json.dumps(law("besiroglu2024").as_dict()))
    text = call(*asked, path)
    assert "optimal for" in text.out
    assert "loss: besiroglu2024" in text.out
    plain = call(*asked[:-1], "--format", "json")
    (bare,) = json.loads(plain.out)["allocations"]
    assert {(row["chosen"], row["judged"]): row["lost_compute"] for row in bare["rows"]} == {
        pair: cost for pair, cost in costs.items() if "loss" not in pair
    }


def test_models_of_a_size_are_drawn_together_unless_told_otherwise(data, call, words) -> None:
    asked = (*words, "--law", "compute", "--k", "8", *FAST)
    usual, params, tokens, alone = (
        data(*asked, *more)["laws"][0] for more in ((), P, ("--cluster", "tokens"), N)
    )
    assert usual == params
    assert [law["cluster"] for law in (usual, tokens, alone)] == ["params", "tokens", None]
    assert len({law["rows"][0]["alpha_lo"] for law in (usual, tokens, alone)}) == 3
    assert alone["cautions"][0].startswith(
        "24 models of 6 sizes are drawn as if independent: intervals are too narrow"
    )
    assert "30 resamples of models, seed 0" in call(*asked, *N).out


def test_as_many_models_as_coefficients(call, folder, samples) -> None:
    """Three models and the three coefficients of the gold law: values, no intervals, and why."""
    models, rows, gold = samples
    few = {models[i][0] for i in (0, 10, 23)}
    counts = table(folder, "few.csv", [row for row in rows if row[0] in few])
    path = write_rows(
        folder / "fewgold.csv", ("model", "gold"), [row for row in gold if row[0] in few]
    )
    asked = ("fit", counts, "--gold", path, "--k", "1", "8", *FAST)
    result = call(*asked, "--format", "json")
    assert result.code == 3
    (law,) = json.loads(result.out)["laws"]
    assert all(row[f"kappa_{end}"] is None for row in law["rows"] for end in ("lo", "hi", "open"))
    assert all(
        "slope_interval" not in trend or trend["slope_interval"] is None for trend in law["trends"]
    )
    text = call(*asked)
    assert text.err == ""
    assert "k = 1, 8: no intervals, as there are no more models than the 3 coefficients" in text.out
    assert "nan" not in text.out.lower()
    assert "[" not in "".join(
        line for line in text.out.splitlines() if line.startswith(("1 ", "8 "))
    )
    assert call(*asked, "--plot", folder / "few.png").code == 3


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


@pytest.mark.skipif(os.name != "posix", reason="needs a signal")
def test_a_signal(interrupted, words) -> None:
    result = interrupted(*words, "--bootstrap", "100000")
    assert result.code == 130
    assert result.err.startswith("isoflop: interrupted: ")
    assert result.err.count("\n") == 1


def test_a_bar_is_for_terminals_alone(call, words, monkeypatch) -> None:
    pytest.importorskip("tqdm")
    asked = (*words, "--law", "compute", "--k", "1", "8", *FAST)
    assert call(*asked).err == ""
    monkeypatch.setattr("isoflop.cli.fit_counts.is_terminal", lambda stream: True)
    assert "compute law" in call(*asked).err
