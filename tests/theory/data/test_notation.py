"""The two spellings: what each letter means, the way there and back, and what is refused."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isoflop.theory.data.notation import (
    HOFFMANN,
    KINDS,
    NOTATIONS,
    ROLES,
    SCHAEFFER,
    Notation,
    notation,
)

SPELLINGS = {
    "schaeffer": {
        "params-tokens": ["E", "A", "B", "beta", "gamma"],
        "compute": ["E", "C0", "alpha"],
    },
    "hoffmann": {
        "params-tokens": ["E", "A", "B", "alpha", "beta"],
        "compute": ["E", "C0", "alpha_C"],
    },
}
CASES = [(name, kind) for name, kinds in SPELLINGS.items() for kind in kinds]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_names_are_those_of_the_papers(name: str, kind: str) -> None:
    assert list(notation(name).names(kind).values()) == SPELLINGS[name][kind]
    assert list(notation(name).names(kind)) == SPELLINGS["schaeffer"][kind]


def test_hoffmann_exponents_land_on_the_same_loss() -> None:
    """L(N, D) of the printed Chinchilla law, evaluated in its own letters and in the canonical
    ones.
    """
    printed = {"E": 1.69, "A": 406.4, "B": 410.7, "alpha": 0.34, "beta": 0.28}
    N, D = 70e9, 1.4e12
    own = printed["E"] + printed["A"] / N ** printed["alpha"] + printed["B"] / D ** printed["beta"]
    law = HOFFMANN.to_canonical(printed)
    canonical = law["E"] + law["A"] / N ** law["beta"] + law["B"] / D ** law["gamma"]
    assert own == canonical


@pytest.mark.parametrize(("name", "kind"), CASES)
@given(data=st.data())
def test_round_trip(name: str, kind: str, data: st.DataObject) -> None:
    spelled = SPELLINGS[name][kind]
    given_names = data.draw(st.lists(st.sampled_from(spelled), unique=True))
    law = {key: data.draw(st.integers()) for key in given_names}
    canonical = notation(name).to_canonical(law, kind=kind, partial=True)
    assert notation(name).from_canonical(canonical, kind=kind, partial=True) == law
    assert set(canonical) <= set(SPELLINGS["schaeffer"][kind])


def test_irreducible_may_be_none_or_absent() -> None:
    law = {"A": 1, "B": 2, "alpha": 3, "beta": 4}
    assert HOFFMANN.to_canonical(law) == {"A": 1, "B": 2, "beta": 3, "gamma": 4}
    assert HOFFMANN.to_canonical({"E": None, **law})["E"] is None


@pytest.mark.parametrize(
    ("spelling", "law", "kind", "words"),
    [
        (
            "schaeffer",
            ["A", "B", "alpha", "beta"],
            "params-tokens",
            ["'alpha'", "params exponent", "notation='hoffmann'"],
        ),
        (
            "schaeffer",
            ["A", "B", "alpha", "beta", "gamma"],
            "params-tokens",
            ["'alpha'", "notation='hoffmann'"],
        ),
        (
            "hoffmann",
            ["A", "B", "beta", "gamma"],
            "params-tokens",
            ["'gamma'", "tokens exponent", "notation='schaeffer'"],
        ),
        (
            "hoffmann",
            ["A", "B", "alpha", "beta", "gamma"],
            "params-tokens",
            ["'gamma'", "notation='schaeffer'"],
        ),
        ("hoffmann", ["C0", "alpha"], "compute", ["compute exponent", "notation='schaeffer'"]),
        ("schaeffer", ["C0", "alpha_C"], "compute", ["compute exponent", "notation='hoffmann'"]),
        (
            "schaeffer",
            ["A", "B", "C0", "beta", "gamma"],
            "params-tokens",
            ["'C0'", "compute coefficient"],
        ),
        (
            "schaeffer",
            ["A", "B", "betta", "gamma"],
            "params-tokens",
            ["'betta'", "did you mean beta"],
        ),
        ("schaeffer", ["A", "beta", "gamma"], "params-tokens", ["missing B (tokens coefficient)"]),
        (
            "hoffmann",
            ["A", "B"],
            "params-tokens",
            ["alpha (params exponent)", "beta (tokens exponent)"],
        ),
        ("hoffmann", [], "compute", ["C0 (compute coefficient)", "alpha_C (compute exponent)"]),
    ],
)
def test_mixed_and_missing_names_are_refused_with_a_hint(
    spelling: str, law: list[str], kind: str, words: list[str]
) -> None:
    with pytest.raises(ValueError, match="law in the") as error:
        notation(spelling).to_canonical(dict.fromkeys(law, 1), kind=kind)
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize("name", NOTATIONS)
def test_no_set_of_exponents_is_readable_in_both_notations(name: str) -> None:
    """A whole params-tokens law in one spelling is refused by the other."""
    law = dict.fromkeys(SPELLINGS[name]["params-tokens"], 1)
    (other,) = set(NOTATIONS) - {name}
    with pytest.raises(ValueError, match=f"notation='{name}'"):
        notation(other).to_canonical(law)


def test_from_canonical_refuses_the_names_of_the_target() -> None:
    with pytest.raises(ValueError, match="'alpha' is out of place"):
        HOFFMANN.from_canonical({"A": 1, "B": 2, "alpha": 3, "beta": 4})


def test_none_is_a_missing_coefficient() -> None:
    law = {"A": 1, "B": None, "beta": 3, "gamma": 4}
    with pytest.raises(ValueError, match=r"missing B \(tokens coefficient\)"):
        SCHAEFFER.to_canonical(law)
    assert SCHAEFFER.to_canonical(law, partial=True) == law


@pytest.mark.parametrize("bad", [None, 3, ("A", "B")])
def test_what_is_no_mapping_is_refused(bad: object) -> None:
    with pytest.raises(ValueError, match="must map names to values"):
        SCHAEFFER.to_canonical(bad)  # type: ignore[arg-type]


def test_unknown_kind() -> None:
    with pytest.raises(ValueError, match=r"kind='comput'.*did you mean compute"):
        SCHAEFFER.names("comput")


def test_look_up() -> None:
    assert notation() is SCHAEFFER
    assert notation("hoffmann") is HOFFMANN
    assert notation(HOFFMANN) is HOFFMANN
    assert repr(HOFFMANN) == "notation('hoffmann')"


@pytest.mark.parametrize("bad", ["hofmann", "Hoffmann", "chinchilla", "", None, 3, ["hoffmann"]])
def test_unknown_notation_lists_the_choices(bad: object) -> None:
    with pytest.raises(ValueError, match="choose from schaeffer, hoffmann") as error:
        notation(bad)  # type: ignore[arg-type]
    assert repr(bad) in str(error.value)
    if bad in ("hofmann", "Hoffmann"):
        assert "did you mean hoffmann?" in str(error.value)


@pytest.mark.parametrize("name", NOTATIONS)
def test_every_coefficient_has_its_own_latex(name: str) -> None:
    spelled = notation(name)
    texts = [spelled.latex(canonical) for canonical in spelled.names()]
    assert len(set(texts)) == len(ROLES)
    quantities = ["N", "D", "C", "L", "N_opt", "D_opt", "L_opt", "r", "rho"]
    assert set(spelled.symbol_names()) == {*spelled.names(), *quantities}


def test_latex_of_the_exponents() -> None:
    assert [SCHAEFFER.latex(name) for name in ("beta", "gamma", "alpha")] == [
        r"\beta",
        r"\gamma",
        r"\alpha",
    ]
    assert [HOFFMANN.latex(name) for name in ("beta", "gamma", "alpha")] == [
        r"\alpha",
        r"\beta",
        r"\alpha_C",
    ]
    assert (SCHAEFFER.latex("N_opt"), HOFFMANN.latex("w_N")) == ("N^{*}", "a")


def test_latex_of_an_unknown_name() -> None:
    with pytest.raises(ValueError, match=r"name='gama'.*did you mean gamma"):
        SCHAEFFER.latex("gama")


def test_roles_of_the_kinds_are_roles() -> None:
    assert all(role in ROLES for roles in KINDS.values() for role in roles)


def test_notations_are_values() -> None:
    for spelled in NOTATIONS.values():
        assert (
            copy.copy(spelled)
            == copy.deepcopy(spelled)
            == pickle.loads(pickle.dumps(spelled))
            == spelled
        )
    assert len({SCHAEFFER, HOFFMANN, pickle.loads(pickle.dumps(HOFFMANN))}) == 2
    with pytest.raises(AttributeError, match="params_exponent"):
        SCHAEFFER.params_exponent = "alpha"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="params_exponent"):
        del SCHAEFFER.params_exponent
    with pytest.raises(AttributeError):
        SCHAEFFER.other = "alpha"  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="title"):
        Notation(name="half")  # type: ignore[call-arg]
