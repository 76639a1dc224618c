"""``python -m isoflop.theory.code.codegen`` rewrites modules, and only where nothing else is asked
of it.
"""

import sys

import pytest

from isoflop.theory.code import codegen


@pytest.mark.parametrize(
    ("words", "status"), [(["--help"], 0), (["-h"], 0), (["--check"], 2), (["folder"], 2)]
)
def test_an_argument_writes_nothing(monkeypatch, capsys, words, status) -> None:
    monkeypatch.setattr(sys, "argv", ["codegen", *words])
    monkeypatch.setattr(
        codegen, "default_module", lambda: pytest.fail("the modules would be written")
    )
    with pytest.raises(SystemExit) as ended:
        codegen.main()
    said = capsys.readouterr()
    assert ended.value.code == status
    assert ("usage: python -m isoflop.theory.code.codegen" in said.out) == (status == 0)
    assert (words[0] in said.err) == (status == 2)
