"""What the laws of over-training say of runs, beside what these measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..fit.bootstrap import percentile
from .links import EXPONENTIAL, LinkFit
from .overtraining_draws import measured_anew
from .overtraining_forms import losses_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.evaluations import Evaluations
    from .overtraining_draws import Draws
    from .tied import TiedFit

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["Prediction", "said_of"]


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """What the laws say of a run, and what it measured.

    Attributes
    ----------
    run : str
    params, tokens, tokens_per_param, compute : float
    loss, error : float or None
        Measured; None where it was not.
    predicted_loss : float
    predicted_error : float or None
        At the predicted loss; None without a law of error.
    loss_difference, error_difference : float or None
        (predicted - measured)/measured.
    loss_interval, error_interval : (float, float) or None
        Of the law at the run, from resamples; the run's own scatter is not in it: most runs lie outside.
    new_loss_interval, new_error_interval : (float, float) or None
        Of what such a run measures: with the scatter of the fitted runs about the laws. None without resamples, and where a law
        has no more runs than coefficients to tell its scatter from.
    in_loss_fit, in_error_fit : bool
        Whether the law was fitted to this run: then the difference is a residual and no test of it.
    asked : bool
        Whether the run is among those to predict.
    """

    run: str
    params: float
    tokens: float
    tokens_per_param: float
    compute: float
    loss: float | None
    predicted_loss: float
    loss_difference: float | None
    error: float | None = None
    predicted_error: float | None = None
    error_difference: float | None = None
    loss_interval: tuple[float, float] | None = None
    error_interval: tuple[float, float] | None = None
    new_loss_interval: tuple[float, float] | None = None
    new_error_interval: tuple[float, float] | None = None
    in_loss_fit: bool = False
    in_error_fit: bool = False
    asked: bool = True

    def as_dict(self) -> dict[str, Any]:
        """The attributes as plain data."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in self.__dict__.items()}

    def row(self) -> dict[str, Any]:
        """The attributes as a row of a table, the ends of intervals apart."""
        cells: dict[str, Any] = {}
        for name, value in self.__dict__.items():
            if name.endswith("_interval"):
                cells |= dict(zip((f"{name}_low", f"{name}_high"), value or (None, None), strict=True))
            else:
                cells[name] = value
        return cells


def said_of(
    runs: Evaluations,
    for_loss: Mask,
    for_error: Mask,
    asked: Mask,
    losses: Floats,
    errors: Floats,
    fitted: TiedFit,
    link: LinkFit | None,
    draws: Draws | None,
    level: float,
) -> tuple[Prediction, ...]:
    """Every run that a law was fitted to or that is to be predicted, by the masks (M,); losses and errors (M,) are measured."""
    index = np.flatnonzero(for_loss | for_error | asked)
    params, tokens = runs.params[index], runs.tokens[index]
    compute = np.atleast_1d(formulas.compute(params, tokens))
    foretold = losses_of(fitted.coefficients[None], params, tokens)
    wrong = None if link is None else 1.0 - EXPONENTIAL.accuracy(link.coefficients[None], foretold)
    drawn = None if draws is None else losses_of(draws.loss, params, tokens)
    drawn_wrong = None if draws is None or link is None or drawn is None else 1.0 - EXPONENTIAL.accuracy(draws.error, drawn)
    new_loss: Floats | None = None
    new_error: Floats | None = None
    if draws is not None and drawn is not None:
        new_loss, new_error = measured_anew(fitted, link, draws, drawn, losses[for_error], errors[for_error])
    found = []
    for place, i in enumerate(index.tolist()):
        loss, error = _known(losses[i]), _known(errors[i])
        predicted = float(foretold[0, place])
        predicted_error = None if wrong is None else float(wrong[0, place])
        found.append(
            Prediction(
                run=str(runs.run[i]),
                params=float(params[place]),
                tokens=float(tokens[place]),
                tokens_per_param=float(tokens[place] / params[place]),
                compute=float(compute[place]),
                loss=loss,
                predicted_loss=predicted,
                loss_difference=_difference(predicted, loss),
                error=error,
                predicted_error=predicted_error,
                error_difference=_difference(predicted_error, error),
                loss_interval=None if drawn is None else percentile(drawn[:, place], level),
                error_interval=None if drawn_wrong is None else percentile(drawn_wrong[:, place], level),
                new_loss_interval=_interval(new_loss, place, level),
                new_error_interval=_interval(new_error, place, level),
                in_loss_fit=bool(for_loss[i]),
                in_error_fit=link is not None and bool(for_error[i]),
                asked=bool(asked[i]),
            )
        )
    return tuple(found)


def _interval(measured: Floats | None, place: int, level: float) -> tuple[float, float] | None:
    """Of the values (m, R) of one run; None where there are none."""
    return None if measured is None or np.isnan(measured[place]).any() else percentile(measured[place], level)


def _known(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def _difference(predicted: float | None, measured: float | None) -> float | None:
    return (predicted - measured) / measured if predicted is not None and measured else None
