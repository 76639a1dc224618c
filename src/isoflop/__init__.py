"""Theory of compute-optimal training: derive the envelope of a scaling law, prove it, evaluate it.

Every name below is loaded when it is first used, so that ``import isoflop`` costs next to nothing:
``isoflop.law`` brings neither NumPy nor SymPy, ``isoflop.derive`` brings SymPy.
"""

# typing.TYPE_CHECKING without the import of typing, which takes longer than all the rest here.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from isoflop._version import __version__
    from isoflop.numeric.check.published import check_published
    from isoflop.numeric.check.runs import check
    from isoflop.numeric.data.counts import Counts
    from isoflop.numeric.data.evaluations import Evaluations
    from isoflop.numeric.data.runs import Runs
    from isoflop.numeric.fit import Fit, fit
    from isoflop.numeric.hold_out import backtest
    from isoflop.numeric.law import Law, law, laws
    from isoflop.numeric.law.custom import law_from_expression
    from isoflop.numeric.passk.laws import fit_passk
    from isoflop.theory.budget import Budget
    from isoflop.theory.claim.prove import prove
    from isoflop.theory.data.published import published
    from isoflop.theory.envelope import derive
    from isoflop.theory.kernel import decide
    from isoflop.theory.law import LawForm
    from isoflop.theory.penalty import misallocation
    from isoflop.theory.verification import verify

__all__ = [
    "Budget",
    "Counts",
    "Evaluations",
    "Fit",
    "Law",
    "LawForm",
    "Runs",
    "__version__",
    "backtest",
    "check",
    "check_published",
    "decide",
    "derive",
    "fit",
    "fit_passk",
    "law",
    "law_from_expression",
    "laws",
    "misallocation",
    "prove",
    "published",
    "verify",
]

_HOME = {
    "Budget": "isoflop.theory.budget",
    "Counts": "isoflop.numeric.data.counts",
    "Evaluations": "isoflop.numeric.data.evaluations",
    "Fit": "isoflop.numeric.fit",
    "Law": "isoflop.numeric.law",
    "LawForm": "isoflop.theory.law",
    "Runs": "isoflop.numeric.data.runs",
    "__version__": "isoflop._version",
    "backtest": "isoflop.numeric.hold_out",
    "check": "isoflop.numeric.check.runs",
    "check_published": "isoflop.numeric.check.published",
    "decide": "isoflop.theory.kernel",
    "derive": "isoflop.theory.envelope",
    "fit": "isoflop.numeric.fit",
    "fit_passk": "isoflop.numeric.passk.laws",
    "law": "isoflop.numeric.law",
    "law_from_expression": "isoflop.numeric.law.custom",
    "laws": "isoflop.numeric.law",
    "misallocation": "isoflop.theory.penalty",
    "prove": "isoflop.theory.claim.prove",
    "published": "isoflop.theory.data.published",
    "verify": "isoflop.theory.verification",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'isoflop' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
