"""Theory of compute-optimal training: derive the envelope of a scaling law, prove it, evaluate it.

Every name below is loaded when it is first used, so that ``import isoflop`` costs next to nothing:
``isoflop.law`` brings neither NumPy nor SymPy, ``isoflop.derive`` brings SymPy.
"""

# typing.TYPE_CHECKING without the import of typing, which takes longer than all the rest here.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from isoflop._version import __version__
    from isoflop.numeric.check import check_published
    from isoflop.numeric.check_runs import check_runs
    from isoflop.numeric.custom import law_from_expression
    from isoflop.numeric.fit import Fit, fit
    from isoflop.numeric.law import Law, law
    from isoflop.numeric.runs import Runs
    from isoflop.theory.budget import Budget
    from isoflop.theory.envelope import derive
    from isoflop.theory.law import LawForm
    from isoflop.theory.normalform import decide
    from isoflop.theory.penalty import misallocation
    from isoflop.theory.prove import prove
    from isoflop.theory.published import published

__all__ = [
    "Budget",
    "Fit",
    "Law",
    "LawForm",
    "Runs",
    "__version__",
    "check_published",
    "check_runs",
    "decide",
    "derive",
    "fit",
    "law",
    "law_from_expression",
    "misallocation",
    "prove",
    "published",
]

_HOME = {
    "Budget": "isoflop.theory.budget",
    "Fit": "isoflop.numeric.fit",
    "Law": "isoflop.numeric.law",
    "LawForm": "isoflop.theory.law",
    "Runs": "isoflop.numeric.runs",
    "__version__": "isoflop._version",
    "check_published": "isoflop.numeric.check",
    "check_runs": "isoflop.numeric.check_runs",
    "decide": "isoflop.theory.normalform",
    "derive": "isoflop.theory.envelope",
    "fit": "isoflop.numeric.fit",
    "law": "isoflop.numeric.law",
    "law_from_expression": "isoflop.numeric.custom",
    "misallocation": "isoflop.theory.penalty",
    "prove": "isoflop.theory.prove",
    "published": "isoflop.theory.published",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'isoflop' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
