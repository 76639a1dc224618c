"""The two spellings: what each letter means, the way there and back, and what is refused."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isoflop.theory.data.notation import (
    HOFFMANN,
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
        ("schaeffer", "A B alpha beta", "params-tokens", "params exponent.*notation='hoffmann'"),
        ("hoffmann", "A B beta gamma", "params-tokens", "notation='schaeffer'"),
        ("hoffmann", "C0 alpha", "compute", "compute exponent.*notation='schaeffer'"),
        ("schaeffer", "C0 alpha_C", "compute", "compute exponent.*notation='hoffmann'"),
        (
            "schaeffer",
            "A B betta gamma",
            "params-tokens",
            "'betta' is out of place.*did you mean beta",
        ),
    ],
)
def test_mixed_names_are_refused_with_a_hint(
    spelling: str, law: str, kind: str, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        notation(spelling).to_canonical(dict.fromkeys(law.split(), 1), kind=kind)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: SCHAEFFER.to_canonical({"A": 1, "beta": 2, "gamma": 3}),
            r"missing B \(tokens coefficient\)",
        ),
        (lambda: SCHAEFFER.names("comput"), "kind='comput'.*did you mean compute"),
        (lambda: SCHAEFFER.latex("gama"), "name='gama'.*did you mean gamma"),
        (lambda: notation("hofmann"), "'hofmann'; choose from schaeffer, hoffmann"),
        (lambda: notation(None), "None; choose from"),  # type: ignore[arg-type]
    ],
)
def test_refusals(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_latex_of_the_letters() -> None:
    for name, schaeffer, hoffmann in (
        ("beta", r"\beta", r"\alpha"),
        ("gamma", r"\gamma", r"\beta"),
        ("alpha", r"\alpha", r"\alpha_C"),
        ("N_opt", "N^{*}", r"N_{\mathrm{opt}}"),
        ("w_N", "w_N", "a"),
    ):
        assert (SCHAEFFER.latex(name), HOFFMANN.latex(name)) == (schaeffer, hoffmann)
