"""The two spellings: what each letter means, the way there and back, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isoflop.theory.data.notation import (
    HOFFMANN,
    NOTATIONS,
    SCHAEFFER,
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
        ("hoffmann", ["C0", "alpha"], "compute", ["compute exponent", "notation='schaeffer'"]),
        ("schaeffer", ["C0", "alpha_C"], "compute", ["compute exponent", "notation='hoffmann'"]),
        (
            "schaeffer",
            ["A", "B", "betta", "gamma"],
            "params-tokens",
            ["'betta'", "did you mean beta"],
        ),
        ("schaeffer", ["A", "beta", "gamma"], "params-tokens", ["missing B (tokens coefficient)"]),
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


def test_unknown_kind() -> None:
    with pytest.raises(ValueError, match=r"kind='comput'.*did you mean compute"):
        SCHAEFFER.names("comput")


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


@pytest.mark.parametrize("bad", ["hofmann", None])
def test_unknown_notation_lists_the_choices(bad: object) -> None:
    with pytest.raises(ValueError, match=f"{bad!r}; choose from schaeffer, hoffmann"):
        notation(bad)  # type: ignore[arg-type]
