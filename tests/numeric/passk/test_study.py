"""All laws at once, as an object, as text and as figures."""

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from isoflop.numeric.passk import laws as laws_module
from isoflop.numeric.passk import study_text
from isoflop.numeric.passk.across_k import trend, vanishes_at
from isoflop.numeric.passk.envelopes import envelopes, penalties
from isoflop.numeric.passk.laws import fit_passk
from isoflop.numeric.passk.likelihood import Surface
from isoflop.numeric.passk.study import study_passk
from isoflop.numeric.passk.validity import floor_interval, together

KS = (1, 8, 64)
WIDTH = 100
SQUARES = "least-squares-log"


@pytest.fixture(scope="module")
def study(joint_counts):
    return study_passk(joint_counts, k=KS, method=SQUARES, resamples=40, seed=2, ratios=[0.1, 10.0])


def test_the_parts_are_those_of_the_functions(study, joint_counts):
    assert list(study.laws) == ["compute", "params-tokens", "gold"]
    for name, laws in study.laws.items():
        own = fit_passk(joint_counts, law=name, k=KS, method=SQUARES, resamples=40, seed=2)
        assert own.rows() == laws.rows()
        assert study.findings[name].trends == [trend(own, each) for each in own.kind.coefficients]
        assert study.findings[name].vanishes_at == vanishes_at(own)
    compute, joint = study.laws["compute"], study.laws["params-tokens"]
    assert study.findings["params-tokens"].validity == together(joint)
    assert study.findings["compute"].validity == together(compute)
    assert study.findings["compute"].validity_interval == floor_interval(compute)
    assert [row.as_dict() for row in study.envelopes] == [
        row.as_dict() for row in envelopes(joint, compute)
    ]
    assert study.penalties == penalties(joint, [0.1, 10.0])


def test_laws_share_resamples(study):
    weights = [laws.weights for laws in study.laws.values()]
    assert all((other == weights[0]).all() for other in weights[1:])
    assert all(row.difference.has_interval for row in study.envelopes)


def test_plain_data(study):
    def walk(entry):
        if isinstance(entry, dict):
            for value in entry.values():
                walk(value)
        elif isinstance(entry, (list, tuple)):
            for value in entry:
                walk(value)
        else:
            assert entry is None or type(entry) in (str, bool, int, float), type(entry)

    data = study.as_dict()
    walk(data)
    json.dumps(data)
    assert set(data) >= {"level", "laws", "envelopes", "penalties"}


@pytest.mark.parametrize("tried", [((12, 12), (4, 3)), ((30, 3), (3, 30), (4, 3))])
def test_a_table_that_is_too_wide_loses_digits(study, monkeypatch, tried):
    usual = str(study)
    monkeypatch.setattr(study_text, "PRECISIONS", tried)
    assert str(study) == usual


def test_without_room_for_intervals_a_table_has_none(study, monkeypatch):
    monkeypatch.setattr(study_text, "PRECISIONS", ((30, 30), (4, 0)))
    lines = str(study).splitlines()
    assert max(map(len, lines)) <= WIDTH
    (head,) = (
        index
        for index, line in enumerate(lines)
        if line.split()[:5] == ["k", "E0", "N0", "D0", "beta"]
    )
    rows = lines[head + 2 : head + 2 + len(KS)]
    shown = [float(row.split()[4]) for row in rows]
    assert shown == pytest.approx(
        [fit.coefficients["beta"] for fit in study.laws["params-tokens"].fits], rel=1e-3
    )
    assert "[" not in "".join(rows)


@pytest.mark.parametrize("k", [(1, 10, 1000, 10_000), (1,)])
def test_text_of_the_likelihood(compute_counts, k):
    study = study_passk(
        compute_counts, laws=["compute", "params-tokens"], k=k, resamples=20, ratios=[1e-3, 1e3]
    )
    text = str(study)
    assert max(map(len, text.splitlines())) <= WIDTH, max(text.splitlines(), key=len)
    assert "likelihood: binomial counts over Beta success rates" in text


@pytest.mark.parametrize(
    ("lows", "told"),
    [
        ((0.3, 0.2, 0.1), "is above 0 up to k = 20"),
        ((0.3, 0.0, 0.0), "cannot be told from 0 from k = 10 on"),
        ((0.0, 0.0, 0.0), "cannot be told from 0 from k = 1 on"),
        ((0.0, 0.2, 0.0), "cannot be told from 0 at k = 1 and from k = 20 on"),
        ((0.0, 0.0, 0.2), "cannot be told from 0 at k = 1, 10"),
    ],
)
def test_where_the_irreducible_part_is_told_from_0_at_every_k(
    compute_counts, monkeypatch, lows, told
):
    """Not from the largest k down alone: an interval that holds 0 at a small one is as open."""
    study = study_passk(
        compute_counts, laws=["compute"], k=(1, 10, 20), method=SQUARES, resamples=20
    )
    monkeypatch.setattr(
        "isoflop.numeric.passk.laws.PassLaws.intervals",
        lambda *_: np.array([(low, 1.0) for low in lows]),
    )
    assert f"E0: {told}" in str(study).splitlines()
    assert study.as_dict()["laws"][0]["not_told_from_0"] == [
        k for k, low in zip((1, 10, 20), lows, strict=True) if low == 0.0
    ]


def test_without_resamples(compute_counts):
    study = study_passk(compute_counts, laws=["compute"], k=KS, method=SQUARES, resamples=0)
    assert study.findings["compute"].not_told_from_0 is None
    assert study.findings["compute"].validity_interval is None
    assert study.envelopes == []
    assert study.penalties == []
    assert "no resamples, no intervals" in str(study)
    json.dumps(study.as_dict())


def test_one_k(joint_counts):
    study = study_passk(joint_counts, k=[8], method=SQUARES, resamples=20)
    assert all(law.trends == [] and law.validity is None for law in study.findings.values())
    assert len(study.envelopes) == 1


def test_the_evidence_is_computed_once(compute_counts, monkeypatch):
    calls = []
    own = Surface.of

    def of(counts):
        calls.append(len(counts))
        return own(counts)

    monkeypatch.setattr(Surface, "of", of)
    study_passk(compute_counts, k=[1, 10], resamples=0)
    assert calls == [30]


def test_sound(study, joint_counts):
    fits = [fit for laws in study.laws.values() for fit in laws.fits]
    assert study.sound == all(fit.converged and not fit.undetermined for fit in fits)
    beyond = study_passk(joint_counts, laws=["compute"], k=[8, 1000], method=SQUARES, resamples=0)
    assert not beyond.sound  # k = 1000 has no fit
    assert "k = 1000: no fit" in str(beyond)


def test_interrupted(joint_counts, monkeypatch):
    own = laws_module.fit_at_k

    def stops(data, kind, index, method, weights):
        if kind.name == "params-tokens" and index == 1:
            raise KeyboardInterrupt
        return own(data, kind, index, method, weights)

    monkeypatch.setattr(laws_module, "fit_at_k", stops)
    study = study_passk(joint_counts, k=KS, method=SQUARES, resamples=20)
    assert study.interrupted
    assert {name: laws.ks for name, laws in study.laws.items()} == {
        "compute": KS,
        "params-tokens": (1,),
    }
    assert [row.k for row in study.envelopes] == [1]
    assert "E0 + C0 C^-alpha" in str(study)


def test_refused(compute_counts):
    with pytest.raises(ValueError, match=r"^law='all': must be one of"):
        study_passk(compute_counts, laws=["all"], k=[1])
    with pytest.raises(ValueError, match=r"^ratios=-1"):
        study_passk(compute_counts, k=[1], ratios=[-1.0])
    with pytest.raises(ValueError, match=r"level=2"):
        study_passk(compute_counts, laws=["compute"], k=[1], method=SQUARES, resamples=0, level=2.0)
    with pytest.raises(
        ValueError, match=r"^simulation: has neither compute nor params and tokens nor gold"
    ):
        study_passk(replace(compute_counts, covariates={}), k=[1])


# -- figures ---------------------------------------------------------------------------------------


def test_what_is_drawn(study):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from isoflop.numeric.plot.passk_laws import plot_coefficient, plot_envelope_exponents, plot_laws

    compute = study.laws["compute"]
    try:
        ax = plot_laws(compute, k=[8])
        points, line = ax.lines[0], ax.lines[-1]
        assert points.get_ydata() == pytest.approx(compute.data.curve.neg_log[:, 1])
        assert points.get_xdata() == pytest.approx(compute.covariates["compute"])
        assert line.get_ydata() == pytest.approx(
            compute.at(8).predict({"compute": line.get_xdata()})
        )
        ax = plot_coefficient([compute], ["alpha"])
        assert ax.lines[0].get_ydata() == pytest.approx(compute.values("alpha"))
        band = np.asarray(ax.collections[0].get_paths()[0].vertices)[:, 1]
        assert band.min() == pytest.approx(compute.intervals("alpha")[:, 0].min())
        assert band.max() == pytest.approx(compute.intervals("alpha")[:, 1].max())
        ax = plot_envelope_exponents(study)
        assert ax.lines[0].get_ydata() == pytest.approx(
            [row.derived["alpha"].value for row in study.envelopes]
        )
        with pytest.raises(ValueError, match=r"^names=.*one for each of the 1 laws"):
            plot_coefficient([compute], ["alpha", "E0"])
    finally:
        pyplot.close("all")


def test_what_is_drawn_together(compute_counts):
    """Six sizes with five token counts each; three of the sizes are too few to be drawn."""
    one: dict[str, Any] = {"laws": ["compute"], "k": [8], "method": SQUARES, "resamples": 20}
    auto, params, alone = (
        study_passk(compute_counts, cluster=name, **one) for name in ("auto", "params", None)
    )
    assert auto.as_dict()["laws"] == params.as_dict()["laws"]
    assert (auto.laws["compute"].cluster, alone.laws["compute"].cluster) == ("params", None)
    assert "resamples of the 6 values of params with all their models" in " ".join(
        str(auto).split()
    )
    assert "30 models of 6 sizes are drawn as if independent" in str(alone)
    sizes = np.unique(compute_counts.covariates["params"])
    few = compute_counts.subset(np.flatnonzero(compute_counts.covariates["params"] <= sizes[2]))
    assert study_passk(few, cluster="auto", **one).laws["compute"].cluster is None


@pytest.mark.parametrize(
    ("compute", "joint", "odd"),
    [
        ((0.0, 0.7), (0.2, 0.6), True),  # but one is told from 0
        ((0.3, 0.7), (0.0, 0.6), True),
        ((0.1, 0.3), (0.4, 0.6), True),  # nothing in common
        ((0.5, 0.7), (0.1, 0.4), True),
        ((0.1, 0.7), (0.2, 0.6), False),
        ((0.0, 0.1), (0.0, 0.5), False),
    ],
)
def test_floors_of_two_laws_at_odds(study, compute, joint, odd):
    def law(ends, known=True):
        fit = SimpleNamespace(has_intervals=known, interval=lambda name, level: ends)
        return SimpleNamespace(ks=(1, 10), kind=SimpleNamespace(floor="E0"), at=lambda k: fit)

    found = replace(study, laws={"compute": law(compute), "params-tokens": law(joint)})
    assert found.floors_at_odds == ((1, 10) if odd else ())
    assert (
        replace(
            study, laws={"compute": law(compute), "params-tokens": law(joint, known=False)}
        ).floors_at_odds
        == ()
    )
    assert replace(study, laws={"compute": law(compute)}).floors_at_odds == ()


def test_floors_at_odds_are_named(study):
    assert ("E0: at odds with that of the compute law" in str(study)) == bool(study.floors_at_odds)
    assert study.as_dict()["floors_at_odds"] == list(study.floors_at_odds)


def test_open_coefficients_are_named_with_their_k(study):
    """As the search's limit allows them no larger value in many refits."""
    joint = study.laws["params-tokens"]
    fits = []
    for fit in joint.fits:
        draws = fit.drawn.copy()
        if fit.k != 1:  # the term keeps its size at the models
            draws[:8, 2] *= np.exp((10.0 - draws[:8, 4]) * fit.design.centres[1])
            draws[:8, 4] = 10.0
        fits.append(fit.with_draws(replace(fit.draws, coefficients=draws)))
    own = replace(study, laws={"params-tokens": replace(joint, fits=tuple(fits))})
    assert own.findings["params-tokens"].open["gamma"] == (8, 64)
    assert own.sound == study.sound
    text = " ".join(str(own).split())
    assert (
        "gamma: open above at k = 8, 64, where over 5 % of the refits end at a limit of the search"
        in text
    )
    assert "gamma: its trend in k cannot be told, as it is open at k = 8, 64" in text
    assert ", >10" in text
    (law,) = own.as_dict()["laws"]
    assert [row["gamma_open"] for row in law["rows"]] == [None, "above", "above"]
    assert [row["verdict"] for row in law["trends"] if row["name"] == "gamma"] == ["cannot tell"]
