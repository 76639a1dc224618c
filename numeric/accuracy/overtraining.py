r"""The cost of training past the compute optimum, in loss and in downstream error.

.. math:: L = E + A N^{-\beta} + B D^{-\beta}, \qquad 1 - Q = \varepsilon - k e^{-\gamma L}.

With M = D/N, C = 6 N D and eta = beta/2 the law of loss is E + (a M^eta + b M^-eta) C^-eta, a =
6^eta A and b = 6^eta B (derivation `overtraining_law`). Its optimum, its envelope and its penalty
are those of `isoflop.numeric.law.Law`. Source of both laws: Gadre et al. 2024, arXiv 2403.08540.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..data.evaluations import Evaluations
from ..data.sample import Points
from ..errors import ArgumentError, outside
from ..fit.expression import Expression
from ..fit.fit import fit_form
from ..fit.objective import Objective
from ..fit.power import ONE_EXPONENT
from ..words import counted
from .law import as_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from ..fit.fit import Fit

__all__ = ["GADRE_TASKS", "Overtraining", "fit_overtraining"]

SQUARES = Objective(name="least-squares")
#: The law of error in the loss x.
ERROR = Expression("epsilon - k*exp(-gamma*x)", extra=("x",))
#: The 17 tasks over which Gadre et al. 2024 average the error.
GADRE_TASKS = (
    *("bigbench_operators", "pubmed_qa_labeled", "hellaswag_zeroshot", "boolq", "arc_easy", "coqa"),
    *("bigbench_dyck_languages", "lambada_openai", "bigbench_novel_concepts", "winograd"),
    *("bigbench_cs_algorithms", "commonsense_qa", "bigbench_qa_wikidata", "hellaswag", "copa"),
    *("squad", "piqa"),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Overtraining:
    """The two fitted laws, and what they predict.

    Attributes
    ----------
    loss_fit, error_fit : Fit
        The fits of the loss in params and tokens, and of the error 1 - Q in the measured loss x.
        `loss_fit.law` has the optimum, the envelope and the penalty.
    predictions : pandas.DataFrame
        A row for each predicted run, the largest compute first: run, params, tokens,
        tokens_per_param, compute; loss, predicted_loss, loss_difference (relative), and the same for
        the error, at the predicted loss.
    """

    loss_fit: Fit
    error_fit: Fit
    predictions: pd.DataFrame

    def costs(self, compute: float, tokens_per_param: Sequence[float]) -> pd.DataFrame:
        """The cost of ratios of tokens to params at a compute (FLOP).

        A row for each ratio: tokens_per_param, loss, penalty ((L - E)/(L* - E)), lost_compute (the
        share that the optimal ratio would save at the same loss), error, extra_error. ValueError
        where the runs do not determine the law of loss.
        """
        import pandas as pd

        M = np.asarray(tokens_per_param, dtype=np.float64)
        off = self.loss_fit.law.penalty(tokens_per_param=M, compute=np.full(len(M), compute))
        found = {"tokens_per_param": M, "loss": off.loss, "penalty": off.loss_penalty}
        epsilon, k, gamma = self.error_fit.values
        error, least = (epsilon - k * np.exp(-gamma * x) for x in (off.loss, off.optimal_loss))
        found |= {"lost_compute": off.lost_compute, "error": error, "extra_error": error - least}
        return pd.DataFrame(found)


def fit_overtraining(
    evaluations: Evaluations | Any,
    *,
    loss: str,
    benchmarks: Sequence[str] | None = None,
    fit_where: str | None = None,
    error_where: str | None = None,
    predict_where: str | None = None,
) -> Overtraining:
    """Fit the laws of loss and of error of over-trained runs, and predict other runs by them.

    Both are fitted by least squares, the law of error to measured losses.

    Parameters
    ----------
    evaluations : Evaluations, path, or anything that ``pandas.DataFrame`` accepts
        Runs with params and tokens.
    loss : str
        The column of losses.
    benchmarks : sequence of str, optional
        The error is 1 less the mean raw accuracy on these; by default all.
    fit_where, error_where, predict_where : str, optional
        Conditions on the runs to which the law of loss is fitted (by default all), and the law of
        error (by default the same), and on the runs that are predicted (by default all others). A
        law is fitted to those of its runs that have what it needs.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or the runs that a condition leaves are too few.
    """
    import pandas as pd

    read = evaluations if isinstance(evaluations, Evaluations) else Evaluations.read(evaluations)
    if read.params is None or read.tokens is None:
        raise ValueError(f"{read.source}: has no params and tokens; the law of loss needs both")
    losses, names = read.proxy(loss), tuple(read.benchmarks if benchmarks is None else benchmarks)
    if (losses <= 0.0).any():
        raise outside(loss, float(losses[losses <= 0.0][0]), "positive: it is no loss")
    if isinstance(benchmarks, str) or not names:
        raise ArgumentError("benchmarks", benchmarks, "a sequence of names")
    for name in names:
        read.require(name)

    def mask(name: str, condition: str | None) -> Any:
        return np.full(len(read), True) if condition is None else read.mask(condition, name)

    asked = mask("predict_where", predict_where)
    if not asked.any():
        complaint = f"holds for none of {counted(len(read), 'run')} of {read.source}"
        raise ArgumentError("predict_where", predict_where, complaint=complaint)
    error = 1.0 - np.mean([read.scores[name] for name in names], axis=0)
    points = Points(params=read.params, tokens=read.tokens, benchmark=read.source)
    in_loss, expected, fits = mask("fit_where", fit_where) & np.isfinite(losses), losses, []
    in_error = in_loss if error_where is None else mask("error_where", error_where)
    in_error = in_error & np.isfinite(losses) & np.isfinite(error)
    found: dict[str, Any] = {
        "run": [str(name) for name in read.run],
        "params": read.params,
        "tokens": read.tokens,
        "tokens_per_param": read.tokens / read.params,
        "compute": formulas.compute(read.params, read.tokens),
    }
    for what, form, values, known in (
        ("loss", ONE_EXPONENT, losses, in_loss),
        ("error", ERROR, error, in_error),
    ):
        runs = as_runs(points.subset(known), values[known], x=losses[known])
        runs.require(len(form.coefficients), f"the coefficients of the law of {what}")
        fits.append(fit_form(runs, form, SQUARES))
        expected = fits[-1].predict(as_runs(points, values, x=expected))
        off = expected / np.where(values > 0.0, values, np.nan) - 1.0
        found |= {what: values, f"predicted_{what}": expected, f"{what}_difference": off}
    predicted = pd.DataFrame(found)[~in_loss if predict_where is None else asked]
    predicted = predicted.sort_values("compute", ascending=False, kind="stable")
    return Overtraining(loss_fit=fits[0], error_fit=fits[1], predictions=predicted)
