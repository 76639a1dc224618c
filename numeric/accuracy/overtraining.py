r"""The cost of training past the compute optimum, in loss and in downstream error.

.. math:: L = E + A N^{-\beta} + B D^{-\beta}, \qquad 1 - Q = \varepsilon - k e^{-\gamma L}.

With M = D/N, C = 6 N D and eta = beta/2 the law of loss is E + (a M^eta + b M^-eta) C^-eta, a =
6^eta A and b = 6^eta B (derivation `overtraining_law`). Its optimum, its envelope and its penalty
are those of `isoflop.numeric.law.Law`. Source of both laws: Gadre et al. 2024, arXiv 2403.08540.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..data.evaluations import Evaluations
from ..data.runs import Runs
from ..errors import ArgumentError, outside
from ..fit.expression import Expression
from ..fit.fit import fit_form
from ..fit.objective import Objective
from ..fit.power import ONE_EXPONENT
from ..words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.figure import Figure

    from ..fit.fit import Fit

__all__ = ["GADRE_TASKS", "Overtraining", "fit_overtraining"]

SQUARES = Objective(name="least-squares")
#: The law of error in the loss x.
ERROR = Expression("epsilon - k*exp(-gamma*x)", extra=("x",))
#: The multiples of the optimal ratio at which costs are given by default.
MULTIPLES = (1.0, 4.0, 16.0, 64.0)
#: The 17 tasks over which Gadre et al. 2024 average the error.
GADRE_TASKS = (
    *("bigbench_operators", "pubmed_qa_labeled", "hellaswag_zeroshot", "boolq", "arc_easy", "coqa"),
    *("bigbench_dyck_languages", "lambada_openai", "bigbench_novel_concepts", "winograd"),
    *("bigbench_cs_algorithms", "commonsense_qa", "bigbench_qa_wikidata", "hellaswag", "copa"),
    *("squad", "piqa"),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Overtraining:
    """The two fitted laws, and what follows.

    Attributes
    ----------
    loss_fit, error_fit : Fit
        The fits of the loss in params and tokens, and of the error 1 - Q in the measured loss x.
    runs : pandas.DataFrame
        Every run that a law was fitted to or that is predicted (asked): run, params, tokens,
        tokens_per_param, compute; loss, predicted_loss, loss_difference (relative), in_loss_fit,
        and the same for the error, at the predicted loss; asked.
    notes : tuple of str
        What was left out and why, and what speaks against a result.
    """

    loss_fit: Fit
    error_fit: Fit
    runs: pd.DataFrame
    notes: tuple[str, ...]

    @property
    def optimal_tokens_per_param(self) -> float | None:
        """M*, the same at every compute; None where the runs do not determine the law of loss."""
        if not self.loss_fit.is_sound:
            return None
        return float(self.loss_fit.law.envelope.tokens_per_param(1.0))

    @property
    def predictions(self) -> pd.DataFrame:
        """The predicted runs, the largest compute first."""
        asked = self.runs[self.runs["asked"]]
        return asked.sort_values("compute", ascending=False, kind="stable")

    def costs(
        self, compute: float | None = None, tokens_per_param: Sequence[float] | None = None
    ) -> pd.DataFrame:
        """The cost of ratios of tokens to params, by default 1, 4, 16 and 64 times the optimal one, at
        one compute (FLOP), by default the largest of the runs.

        Returns
        -------
        DataFrame
            A row for each ratio, none where the law of loss is not determined: compute,
            tokens_per_param, ratio (M/M*), loss, penalty ((L - E)/(L* - E)), lost_compute (the
            share that the optimal ratio would save at the same loss), error, extra_error.
        """
        import pandas as pd

        best = self.optimal_tokens_per_param
        if best is None:
            return pd.DataFrame()
        M = best * np.array(MULTIPLES) if tokens_per_param is None else np.array(tokens_per_param)
        budget = np.full(len(M), self.runs["compute"].max() if compute is None else compute)
        off = self.loss_fit.law.penalty(tokens_per_param=M, compute=budget)
        found = pd.DataFrame({"compute": budget, "tokens_per_param": M, "ratio": M / best})
        found = found.assign(loss=off.loss, penalty=off.loss_penalty, lost_compute=off.lost_compute)
        error, least = (self._error(loss) for loss in (off.loss, off.optimal_loss))
        return found.assign(error=error, extra_error=error - least)

    def _error(self, loss: Any) -> Any:
        """1 - Q by the law of error."""
        epsilon, k, gamma = self.error_fit.values
        return epsilon - k * np.exp(-gamma * loss)

    def plot(self) -> Figure:
        """The figure; see `isoflop.numeric.plot.overtraining.plot_overtraining`."""
        from ..plot.overtraining import plot_overtraining

        return plot_overtraining(self)


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
        error (by default the same), and on the runs that are predicted (by default all others).

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
    frame = pd.DataFrame(
        {
            "run": [str(name) for name in read.run],
            "params": read.params,
            "tokens": read.tokens,
            "tokens_per_param": read.tokens / read.params,
            "compute": formulas.compute(read.params, read.tokens),
            "loss": losses,
            "error": 1.0 - np.mean([read.scores[name] for name in names], axis=0),
        }
    )
    of_law = frame[["params", "tokens", "loss"]].assign(x=losses)
    runs = Runs(frame=of_law.set_axis(read.row, axis=0), source=read.source, n_rows=len(read))

    asked = {"fit_where": fit_where, "predict_where": predict_where}
    asked["error_where"] = fit_where if error_where is None else error_where
    held = {
        name: np.full(len(read), True) if condition is None else read.mask(condition, name)
        for name, condition in asked.items()
    }
    if not held["predict_where"].any():
        complaint = f"holds for none of {counted(len(read), 'run')} of {read.source}"
        raise ArgumentError("predict_where", predict_where, complaint=complaint)
    fits: dict[str, Fit] = {}
    notes, expected = list(read.warnings), losses
    for what, form, where in (("loss", ONE_EXPONENT, "fit_where"), ("error", ERROR, "error_where")):
        known = held[where] & frame[["loss", what]].notna().all(axis=1).to_numpy()
        if missing := int((held[where] & ~known).sum()):
            notes.append(f"law of {what}: {counted(missing, 'run')} without it left out")
        measured = runs.frame.assign(loss=frame[what].to_numpy())
        train = replace(runs, frame=measured).subset(known)
        train.require(len(form.coefficients), f"the coefficients of the law of {what}")
        fits[what] = fit_form(train, form, SQUARES)
        expected = fits[what].predict(replace(runs, frame=runs.frame.assign(x=expected)))
        frame[f"in_{what}_fit"], frame[f"predicted_{what}"] = known, expected
        frame[f"{what}_difference"] = expected / frame[what].where(frame[what] > 0.0) - 1.0
    frame["asked"] = ~frame["in_loss_fit"] if predict_where is None else held["predict_where"]
    predicted = frame["predicted_error"][frame["asked"]]
    if wrong := int((~predicted.between(0.0, 1.0)).sum()):
        notes.append(f"law of error: {wrong} of {len(predicted)} predictions are outside 0 to 1")
    kept = frame[frame[["in_loss_fit", "in_error_fit", "asked"]].any(axis=1)]
    about = {"loss_fit": fits["loss"], "error_fit": fits["error"]}
    return Overtraining(**about, runs=kept, notes=tuple(notes))
