"""The report of a benchmark: what it says against the parts that it is made of, its LaTeX and its
figures.
"""

import re
import shutil
import subprocess
from typing import Any

import pytest

np = pytest.importorskip("numpy")

from scipy.optimize import least_squares  # noqa: E402

from isoflop.numeric.accuracy.baselines import Baseline  # noqa: E402
from isoflop.numeric.accuracy.fitting import fit_law, resampled  # noqa: E402
from isoflop.numeric.accuracy.laws import law_named  # noqa: E402
from isoflop.numeric.accuracy.planning import AccuracyLaw  # noqa: E402
from isoflop.numeric.accuracy.power import PowerKind  # noqa: E402
from isoflop.numeric.accuracy.report import report_benchmark  # noqa: E402
from isoflop.numeric.data.evaluations import Evaluations  # noqa: E402
from isoflop.numeric.data.sample import Points  # noqa: E402
from isoflop.numeric.law import Law, law  # noqa: E402

GUESS = 0.25
TRUTH: dict[str, Any] = {"A": 60.0, "B": 400.0, "beta": 0.27, "gamma": 0.30}
LAWS = ("compute", "params-tokens")


def table(noise=0.01, seed=0, ratios=(5.0, 20.0, 100.0, 400.0)) -> dict:
    """Runs on a grid of compute and tokens per param, on eq 4 with scatter of log(-log Q')."""
    compute, per_param = (
        each.ravel() for each in np.meshgrid(np.geomspace(3e18, 3e22, 12), ratios)
    )
    params = np.sqrt(compute / (6.0 * per_param))
    tokens = per_param * params
    y = TRUTH["A"] * params ** -TRUTH["beta"] + TRUTH["B"] * tokens ** -TRUTH["gamma"]
    y = y * np.exp(noise * np.random.default_rng(seed).standard_normal(len(y)))
    return {
        "params": params,
        "tokens": tokens,
        "acc_task": GUESS + (1.0 - GUESS) * np.exp(-y),
        "loss_web": 1.5 + 900.0 * compute**-0.15,
    }


def without_proxy() -> dict:
    data = table()
    del data["loss_web"]
    return data


def made(laws=LAWS, data=None, **options):
    evaluations = Evaluations.read(table() if data is None else data)
    settings: Any = {"resamples": 30, "compute": [1e23, 1e24]} | options
    return report_benchmark(
        evaluations, "task", Baseline(GUESS), [law_named(name) for name in laws], **settings
    )


@pytest.fixture(scope="module")
def held_out():
    return made(hold_out="compute > 1e22", loss_laws=[law("besiroglu2024")])


def test_the_truth_is_recovered(held_out) -> None:
    (_, joint) = held_out.laws
    for each in joint.estimates.values():
        assert each.low < each.value < each.high
    found = {name: each.value for name, each in joint.estimates.items()}
    assert found["beta"] == pytest.approx(TRUTH["beta"], abs=0.04)
    assert found["gamma"] == pytest.approx(TRUTH["gamma"], abs=0.04)
    truth = AccuracyLaw(law=Law(E=0.0, **TRUTH), random_baseline=GUESS)
    for each in held_out.forecasts:
        if each.law == "params-tokens":
            expected = truth.accuracy(each.params, each.tokens)
            assert each.accuracy.value == pytest.approx(expected, abs=0.01)
            assert each.new_run.low < expected < each.new_run.high
            assert each.new_run.high - each.new_run.low > each.accuracy.high - each.accuracy.low


def test_what_is_held_out_is_not_fitted(held_out) -> None:
    evaluations = Evaluations.read(table())
    beyond = evaluations.compute > 1e22
    assert held_out.n_held_out == beyond.sum()
    assert all(fit.sample.at.compute.max() <= 1e22 for fit in held_out.fits)
    alone = fit_law(evaluations.subset(~beyond).sample("task", GUESS), law_named("compute"))
    np.testing.assert_array_equal(alone.values, held_out.fits[0].values)
    ahead = evaluations.subset(beyond).sample("task", GUESS)
    off = np.abs(alone.accuracy(ahead.at) - ahead.accuracy)
    assert held_out.laws[0].held_out["mae"] == pytest.approx(off.mean(), rel=1e-12)
    assert held_out.laws[0].held_out["mre"] == pytest.approx(
        (off / ahead.accuracy).mean(), rel=1e-12
    )
    said = held_out.as_dict()["laws"][0]["predictions"]
    assert [each["predicted"] for each in said] == pytest.approx(
        alone.accuracy(ahead.at), rel=1e-12
    )
    assert [each["run"] for each in said] == list(map(str, evaluations.run[beyond]))
    assert (
        sum(not each["low"] <= each["accuracy"] <= each["high"] for each in said)
        == held_out.laws[0].n_missed
    )


def test_planning_is_that_of_the_fitted_law(held_out) -> None:
    plan, fit = held_out.planning, held_out.fits[1]
    own = AccuracyLaw.from_coefficients(fit.coefficients, GUESS)
    assert plan.exponent.value == own.law.envelope.exponent
    assert plan.exponent.low < plan.exponent.value < plan.exponent.high
    best = own.plan([1e23, 1e24])
    for i, row in enumerate(plan.allocations):
        assert (row["params"].value, row["accuracy"].value) == (best.params[i], best.accuracy[i])
        assert row["params"].low < row["params"].value < row["params"].high
    cost = own.penalty([row["ratio"] for row in plan.penalties])
    assert [row["greatest_loss"].value for row in plan.penalties] == cost.greatest_loss.tolist()
    (first, _) = plan.loss_optimal
    assert (
        first["lost_accuracy"].value
        == own.loss_optimal(law("besiroglu2024"), 1e23).lost_accuracy[0]
    )
    # An interval is that of the refits, one by one.
    drawn = [
        AccuracyLaw.from_coefficients(dict(zip(fit.names, each, strict=True)), GUESS).law.exponent
        for each in fit.refitted
    ]
    assert (plan.exponent.low, plan.exponent.high) == pytest.approx(
        tuple(np.quantile(drawn, [0.05, 0.95])), rel=1e-12
    )


def test_compute_that_is_not_6ND_is_told_from_the_budget_of_params_and_tokens(held_out) -> None:
    """A law of compute takes the table's FLOP, one of params and tokens C = 6ND: at one C two
    different runs.
    """
    data = table()
    data["compute"] = (
        6.0 * data["params"] * data["tokens"] * np.geomspace(1.15, 1.67, len(data["params"]))
    )
    found = made(data=data)
    said = "compute: C is as the runs give it, 1.15 to 1.67 times 6ND; params-tokens, and what to train: C = 6ND"
    assert found.two_budgets.startswith(said)
    assert any("compute off 6ND by more than 10 %" in text for text in found.warnings)
    text = " ".join(str(found).split())
    assert f"warning: {said}" in text
    assert "warning: compute off 6ND" in text
    assert found.as_dict()["two_budgets"] == found.two_budgets
    assert found.as_dict()["warnings"] == list(found.warnings)
    assert "times 6ND" in found.to_latex()
    assert max(map(len, str(found).splitlines())) <= 100
    # One law alone has but one budget, and 6ND is one for all.
    assert made(laws=("compute",), data=data).two_budgets == ""
    assert (held_out.two_budgets, held_out.warnings) == ("", ())


def test_a_new_run_is_covered() -> None:
    """Runs that were never fitted lie in the intervals of a new run about as often as these
    promise.
    """
    inside = []
    for seed in range(5):
        report = made(("params-tokens",), table(noise=0.05, seed=seed), resamples=30)
        fresh = Evaluations.read(table(noise=0.05, seed=100 + seed)).sample("task", GUESS)
        low, high = report.fits[0].new_run(fresh.at, 0.9).T
        inside.append(np.mean((low <= fresh.accuracy) & (fresh.accuracy <= high)))
    assert 0.82 <= np.mean(inside) <= 0.97


def test_guessing_that_is_not_known_widens_the_intervals() -> None:
    sample = Evaluations.read(table(noise=0.001, ratios=(20.0,))).sample("task", GUESS)
    fit = fit_law(sample, law_named("compute"))
    at = Points(compute=[1e17])
    known, unknown = (
        resampled(fit, Baseline(GUESS, se), 60, 0).interval(at, 0.9) for se in (0.0, 0.02)
    )
    assert known is not None
    assert unknown is not None
    assert np.diff(unknown[0]) > 3.0 * np.diff(known[0])


def test_without_resamples_there_are_no_intervals() -> None:
    report = made(resamples=0)
    assert all(each.low is None for law in report.laws for each in law.estimates.values())
    assert all(each.new_run.low is None for each in report.forecasts)
    assert report.planning.exponent.low is None
    assert "intervals:" not in str(report)


def test_default_budget_and_ratio() -> None:
    report = made(compute=None, resamples=0)
    assert {each.compute for each in report.forecasts} == {
        10.0 * max(fit.sample.at.compute.max() for fit in report.fits)
    }
    assert report.tokens_per_param == pytest.approx(60.0)
    assert all(each.decades == pytest.approx(1.0) for each in report.forecasts)


def test_what_the_runs_leave_open_is_said() -> None:
    """One ratio of tokens to params: the two terms cannot be told apart, so nothing is planned."""
    report = made(("params-tokens",), table(noise=0.0, ratios=(20.0,)), resamples=0)
    assert not report.is_sound
    assert report.open
    assert report.planning is None
    assert "not identified: params-tokens" in str(report)
    assert "left out: allocation and penalties" in str(report)


def test_laws_that_cannot_be_fitted_are_said() -> None:
    report = made(("compute", "two-stage-linear"), without_proxy(), resamples=0)
    assert [law.name for law in report.laws] == ["compute"]
    assert "left out: two-stage-linear: needs a proxy" in str(report)
    staged = made(("compute", "two-stage-linear"), resamples=20)
    assert [law.name for law in staged.laws] == ["compute", "two-stage-linear"]
    assert staged.planning is None


def test_runs_near_guessing_are_counted() -> None:
    data = table()
    data["acc_task"][:5] = 0.26
    report = made(data=data, resamples=0)
    assert {fit.n_below for fit in report.fits} == {5}
    assert "5 runs not fitted by compute, params-tokens" in " ".join(str(report).split())


def test_text_and_data(held_out) -> None:
    text = str(held_out)
    assert max(map(len, text.splitlines())) <= 100
    for part in (
        "held out by compute > 1e22",
        "best on the held-out runs",
        "greatest",
        "besiroglu2024",
        "Forecast",
    ):
        assert part in text
    data = held_out.as_dict()
    assert data["planning"]["allocations"][0]["compute"] == 1e23
    assert [each["name"] for each in data["laws"]] == list(LAWS)
    assert "nan" not in text.lower()


def test_latex(held_out) -> None:
    text = held_out.to_latex()
    assert text.startswith(r"% needs \usepackage{booktabs}")
    assert r"\begin{table}" not in text
    assert (
        text.count(r"\begin{minipage}")
        == text.count(r"\end{minipage}")
        == len(held_out.tables())
        == 7
    )
    for line in text.splitlines():
        assert not re.search(r"(?<!\\)%", line.removeprefix("%"))
    assert r"\texttt{compute" in text


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_latex_compiles(held_out, tmp_path) -> None:
    document = (
        r"\documentclass{article}\usepackage[margin=1in]{geometry}\usepackage{booktabs}\begin{document}"
        + held_out.to_latex()
        + r"\end{document}"
    )
    (tmp_path / "page.tex").write_text(document, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout
    assert "(1 page" in done.stdout


def test_figures(held_out, tmp_path) -> None:
    pytest.importorskip("matplotlib")
    from isoflop.numeric.plot.panels import save
    from isoflop.numeric.plot.report import plot_report

    axes = plot_report(held_out)
    assert len(axes) == 1 + len(LAWS) + 3
    save(axes, tmp_path / "page.png")
    assert (tmp_path / "page.png").stat().st_size > 10_000
    (legend,) = axes[0].figure.legends
    labels = {text.get_text() for text in legend.get_texts()}
    assert {"compute", "params-tokens", "fitted", "held out", "guessing", "forecast"} <= labels
    assert [ax.get_title() for ax in axes[1:3]] == list(LAWS)


def test_interrupts(monkeypatch) -> None:
    calls: list[str] = []

    def stops(fit, *rest, **more):
        calls.append(fit.name)
        found = resampled(fit, *rest, **more)
        if len(calls) == 1:
            from dataclasses import replace

            assert found.draws is not None
            return found.with_draws(replace(found.draws, interrupted=True))
        return found

    monkeypatch.setattr("isoflop.numeric.accuracy.benchmark.resampled", stops)
    report = made()
    assert report.interrupted
    assert [law.name for law in report.laws] == ["compute"]
    assert "interrupted" in str(report)


def test_an_interrupt_among_the_refits(monkeypatch) -> None:
    fit = fit_law(Evaluations.read(table()).sample("task", GUESS), law_named("compute"))
    refit, calls = PowerKind.refit, []

    def stops(self, *arguments):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return refit(self, *arguments)

    monkeypatch.setattr(PowerKind, "refit", stops)
    done = resampled(fit, Baseline(GUESS), 200, 0)
    assert done.interrupted
    assert done.draws is not None
    assert len(done.draws) == 50


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"hold_out": "compute > 1"}, "hold_out='compute > 1': holds out all 48 runs"),
        ({"hold_out": "compute > 1e30"}, "hold_out='compute > 1e30': holds out none"),
        ({"ratio": [0.0]}, "ratio=0.0: must be"),
        ({"compute": [-1.0]}, "compute=-1.0: must be"),
        ({"level": 2.0}, "level=2.0: must be"),
        ({"resamples": -1}, "resamples=-1: must be"),
        ({"tokens_per_param": 0.0}, "tokens_per_param=0.0: must be"),
        ({"laws": ()}, "kinds="),
        ({"laws": ("compute", "compute")}, "kinds="),
    ],
)
def test_bad_arguments(options, named) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(named)):
        made(**options)


def test_no_law_at_all() -> None:
    with pytest.raises(ValueError, match="no law can be fitted: two-stage-linear: needs a proxy"):
        made(("two-stage-linear",), without_proxy())


# -- costs, one ratio, every k -----------------------------------------------------------------------------------------


def test_a_cost_near_its_least_is_bounded_from_above_alone() -> None:
    """The loss law is the benchmark's own as it was fitted: training for the least loss costs
    nothing.
    """
    (fit,) = made(("params-tokens",), resamples=0).fits
    own = Law(
        E=0.0,
        name="own",
        **dict(zip(fit.kind.coefficients, fit.values.tolist(), strict=True)),
    )
    report = made(loss_laws=[own], compute=[1e23], resamples=40)
    (row,) = report.planning.loss_optimal
    assert row["ratio"].low < 1.0 < row["ratio"].high
    for name, least in (("loss_penalty", 1.0), ("lost_accuracy", 0.0), ("compute_overhead", 0.0)):
        each = row[name]
        assert each.at_most
        assert each.low == least <= each.value <= each.high
    assert "at most" in str(report)
    assert "at most" in report.to_latex()
    far = made(
        loss_laws=[Law(E=0.0, A=60.0, B=4e5, beta=0.27, gamma=0.45, name="far")],
        compute=[1e23],
        resamples=40,
    )
    cost = far.planning.loss_optimal[0]["lost_accuracy"]
    assert not cost.at_most
    assert 0.0 < cost.low <= cost.value <= cost.high


def test_one_ratio_of_tokens_to_params() -> None:
    report = made(("compute",), table(noise=0.0), resamples=0, ray=20.0)
    assert report.ray is not None
    assert report.ray.n == 12
    assert (report.ray.lowest, report.ray.highest) == pytest.approx((20.0, 20.0))
    assert "One-break law of -log Q' at D/N = 20.0 (12 runs" in str(report)
    assert "c_{1} f_{1}" in report.to_latex()
    assert report.as_dict()["ray"]["verdict"] == report.ray.verdict
    assert made(("compute",), resamples=0).ray is None
    assert made(("compute",), table(ratios=(20.0,)), resamples=0).ray is not None
    with pytest.raises(ValueError, match=r"ray=3\.0: no run"):
        made(("compute",), resamples=0, ray=3.0)


def near_one_ratio(spread, seed=1, noise=0.01):
    """Runs whose D/N scatters about 20 by a factor `spread` either way."""
    compute = np.geomspace(3e18, 3e22, 24)
    per_param = 20.0 * spread ** np.random.default_rng(seed).uniform(-1.0, 1.0, len(compute))
    per_param[:2] = 20.0 / spread, 20.0 * spread
    params = np.sqrt(compute / (6.0 * per_param))
    y = TRUTH["A"] * params ** -TRUTH["beta"] + TRUTH["B"] * (per_param * params) ** -TRUTH["gamma"]
    y = y * np.exp(noise * np.random.default_rng(seed + 1).standard_normal(len(y)))
    return {
        "params": params,
        "tokens": per_param * params,
        "acc_task": GUESS + (1.0 - GUESS) * np.exp(-y),
    }


@pytest.mark.parametrize("spread", [1.0 + 1e-12, 1.1, 1.149])
def test_runs_near_one_ratio_do_not_tell_params_from_tokens(spread) -> None:
    for resamples in (0, 20):
        report = made(("params-tokens",), near_one_ratio(spread), resamples=resamples)
        assert report.planning is None
        assert all(each.undetermined for each in report.laws[0].estimates.values())
        assert not report.is_sound
        assert any("N and D cannot be told apart" in text for text in report.left_out)


def test_runs_of_several_ratios_tell_them_or_it_is_said_how_badly() -> None:
    report = made(("params-tokens",), near_one_ratio(1.3, noise=0.1), resamples=60)
    plan, fit = report.planning, report.fits[0]
    assert plan is not None
    low, high = plan.tokens_per_param
    assert (low, high) == pytest.approx((20.0 / 1.3, 26.0))
    on_bound = fit.on_limit(fit.refitted).any(axis=1)
    assert plan.n_at_bound == on_bound.sum() > 0.05 * len(on_bound)
    assert "hardly tell N from D" in str(report)
    # An end is no end where the refits there are on a bound: of params_share the least are those of
    # the smallest gamma.
    shares = np.array([gamma / (beta + gamma) for _, _, beta, gamma in fit.refitted])
    order = np.argsort(shares)
    assert ("low" in plan.params_share.at_limit) == on_bound[order[2:4]].any()
    assert ("high" in plan.params_share.at_limit) == on_bound[order[56:58]].any()
    assert plan.params_share.at_limit
    assert "without refits nothing says" in str(made(("params-tokens",), resamples=0))


def test_an_E_of_0_has_the_limit_of_its_profile() -> None:
    report = made(("compute-ceiling",), table(ratios=(20.0,)), resamples=30)
    E = report.laws[0].estimates["E"]
    fit = report.fits[0]
    assert E.value == 0.0
    assert E.at_most
    assert E.low == 0.0 < E.high
    # n log(S(E)/S_0) = chi^2 by direct search over C0 and alpha.
    y = -np.log((fit.sample.accuracy - GUESS) / (1.0 - GUESS))
    x = np.log(fit.sample.at.compute)

    def squares(e):
        def rest(at):
            return np.log((e + np.exp(at[0] - at[1] * (x - x.mean()))) / y)

        return 2.0 * least_squares(rest, [np.log(y).mean(), 0.15], xtol=1e-14, ftol=1e-14).cost

    chi2 = 1.6448536269514722**2
    assert len(y) * np.log(squares(E.high) / squares(0.0)) == pytest.approx(chi2, rel=1e-3)
    assert f"at most {E.high:.4g}"[:12] in str(report)


def test_laws_that_missed_what_was_held_out_are_said() -> None:
    """A law of compute fitted near D/N = 20 and asked at 4000."""
    data = table(noise=0.003, ratios=(10.0, 20.0, 40.0, 4000.0))
    report = made(
        ("compute", "params-tokens"), data, hold_out="tokens/params > 100", compute=[1e23]
    )
    missed = {each.name: each.n_missed for each in report.laws}
    for fit in report.fits:
        ahead = report.sample.subset(report.is_judged)
        ends = fit.new_run(ahead.at, report.level)
        assert missed[fit.name] == sum(
            not low <= value <= high
            for value, (low, high) in zip(ahead.accuracy, ends, strict=True)
        )
    assert missed["compute"] > len(ahead) / 2 > missed["params-tokens"]
    assert f"warning: compute: {missed['compute']} of {len(ahead)} held-out runs" in str(report)
    assert "warning: params-tokens:" not in str(report)


def test_intervals_without_a_common_point_are_said() -> None:
    report = made(("compute", "params-tokens"), compute=[1e23], tokens_per_param=2000.0)
    one, other = report.forecasts
    one, other = one.accuracy, other.accuracy
    assert one.low > other.high or other.low > one.high
    assert "without a common point: compute and params-tokens" in " ".join(str(report).split())
    assert "without a common point" not in str(made(("params-tokens",), compute=[1e23]))


def in_k(**options):
    """pass@k of which the curves of all k cross among the runs, at exp(0.9/0.0195) = 1.1e20 FLOP."""
    compute = np.geomspace(1e19, 1e22, 14)
    rows: dict[str, list[Any]] = {
        name: [] for name in ("run", "params", "tokens", "benchmark", "metric_type", "score")
    }
    for k in (1, 4, 16):
        y = np.exp(5.5 - 0.12 * np.log(compute) + (0.9 - 0.0195 * np.log(compute)) * np.log(k))
        y *= np.exp(0.005 * np.random.default_rng(k).standard_normal(len(y)))
        for i, (C, each) in enumerate(zip(compute, np.exp(-y), strict=True)):
            params = float(np.sqrt(C / 120.0))
            for name, value in zip(
                rows, (i, params, 20.0 * params, "code", f"pass@{k}", each), strict=True
            ):
                rows[name].append(value)
    settings: Any = {
        "resamples": 20,
        "hold_out": "compute > 4e21",
        "compute": [2e19, 1e23],
    } | options
    kinds = [law_named(name, margin=0.0) for name in ("compute", "bilinear")]
    return report_benchmark(Evaluations.read(rows), "code", Baseline(0.0), kinds, **settings)


def test_the_law_of_every_k(tmp_path) -> None:
    report = in_k()
    (plain, law) = report.laws
    assert plain.crossing is None
    assert law.crossing is not None
    assert law.crossing.low < np.exp(0.9 / 0.0195) < law.crossing.high
    assert law.crossing.fitted_beyond == 5
    assert (plain.held_out["n"], law.held_out["n"]) == (2, 6)
    assert {
        (each.k, each.compute, each.beyond) for each in report.forecasts if each.law == "bilinear"
    } == {(k, C, C < 1e20) for k in (1.0, 4.0, 16.0) for C in (2e19, 1e23)}
    text = " ".join(str(report).split())
    assert "5 of 12 fitted and 0 of 2 held-out runs lie below" in text
    assert "bilinear, k = 16 (does not hold)" in text
    assert "best on the held-out runs: compute" in text
    assert "$C_x = e^{-b/d}$" in report.to_latex()
    pytest.importorskip("matplotlib")
    from isoflop.numeric.plot.panels import save
    from isoflop.numeric.plot.report import plot_report

    axes = plot_report(report)
    assert len(axes) == 4
    save(axes, tmp_path / "page.png")
    with pytest.raises(ValueError, match="bilinear: needs pass@k at several k"):
        made(("bilinear",), resamples=0)
