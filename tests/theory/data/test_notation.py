"""The two notations: their letters, the conversion both ways, and the refusals."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isoflop.theory.data.notation import HOFFMANN, SCHAEFFER, notation

SPELLINGS = {
    ("schaeffer", "params-tokens"): ["E", "A", "B", "beta", "gamma"],
    ("schaeffer", "compute"): ["E", "C0", "alpha"],
    ("hoffmann", "params-tokens"): ["E", "A", "B", "alpha", "beta"],
    ("hoffmann", "compute"): ["E", "C0", "alpha_C"],
}


@pytest.mark.parametrize(("name", "kind"), SPELLINGS)
@settings(max_examples=25)
@given(data=st.data())
def test_names_are_those_of_the_papers_and_lead_back(
    name: str, kind: str, data: st.DataObject
) -> None:
    spelled, spelling = SPELLINGS[name, kind], notation(name)
    assert list(spelling.names(kind).values()) == spelled
    assert list(spelling.names(kind)) == SPELLINGS["schaeffer", kind]
    law = data.draw(st.dictionaries(st.sampled_from(spelled), st.integers()))
    canonical = spelling.to_canonical(law, kind=kind)
    assert spelling.from_canonical(canonical, kind=kind) == law
    assert set(canonical) <= set(SPELLINGS["schaeffer", kind])


@pytest.mark.parametrize(
    ("spelling", "law", "kind", "words"),
    [
        ("schaeffer", "A B alpha beta", "params-tokens", "params exponent.*notation='hoffmann'"),
        ("hoffmann", "A B beta gamma", "params-tokens", "notation='schaeffer'"),
        ("hoffmann", "C0 alpha", "compute", "compute exponent.*notation='schaeffer'"),
        ("schaeffer", "C0 alpha_C", "compute", "compute exponent.*notation='hoffmann'"),
        ("schaeffer", "A B betta gamma", "params-tokens", "'betta' is out.*did you mean beta"),
    ],
)
def test_mixed_names_are_refused_with_a_hint(
    spelling: str, law: str, kind: str, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        notation(spelling).to_canonical(dict.fromkeys(law.split(), 1), kind=kind)


def test_refusals() -> None:
    with pytest.raises(ValueError, match=r"kind='comput'.*did you mean compute"):
        SCHAEFFER.names("comput")
    with pytest.raises(ValueError, match=r"'hofmann'; choose from schaeffer, hoffmann"):
        notation("hofmann")


def test_latex_of_the_letters() -> None:
    for name, schaeffer, hoffmann in (
        ("beta", r"\beta", r"\alpha"),
        ("gamma", r"\gamma", r"\beta"),
        ("alpha", r"\alpha", r"\alpha_C"),
        ("N_opt", "N^{*}", r"N_{\mathrm{opt}}"),
        ("w_N", "w_N", "a"),
    ):
        assert (SCHAEFFER.latex(name), HOFFMANN.latex(name)) == (schaeffer, hoffmann)
