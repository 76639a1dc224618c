"""Fit a law to runs: the front door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.budget import LOSSES
from ..data.runs import Runs
from ..errors import outside, whole_number
from .models import Design, form_of
from .objective import DEFAULT_DELTA, Objective
from .result import Fit

if TYPE_CHECKING:
    from os import PathLike

    from .models import Bounds, Expression, PowerTerms


def fit(
    runs: Runs | str | PathLike[str] | Any,
    *,
    model: str = "params-tokens",
    objective: str | Objective = "huber-log",
    delta: float = DEFAULT_DELTA,
    irreducible: bool = True,
    bounds: Bounds | None = None,
    fixed: Mapping[str, float] | None = None,
    columns: Mapping[str, str | None] | None = None,
    where: str | None = None,
    random_baseline: float | None = None,
    seed: int = 0,
) -> Fit:
    r"""The law of a given form that comes closest to the runs: the global minimum of the objective,
    without start values.

    Parameters
    ----------
    runs : Runs, path, or anything that `pandas.DataFrame` accepts
        Read by `Runs.read` where they are no `Runs` yet.
    model : str or sympy.Expr
        "params-tokens": L = E + A N^-beta + B D^-gamma. "compute": L = E + C0 C^-alpha. Or an
        expression in N, D, C and the names of other columns, for example "E + (a*M^eta +
        b*M^-eta)*C^-eta": every other name is a coefficient.
    objective : str or Objective
        "huber-log" (sum of Huber's function of the log residuals; r^2/2 for \|r\| <= delta),
        "absolute-log", "least-squares-log", "least-squares".
    delta : float
        Of Huber's function; > 0.
    irreducible : bool
        Whether the law has an E; without, it is 0. For the two named models.
    bounds : mapping of str to (float or None, float or None), optional
        Coefficient to its least and greatest value.
    fixed : mapping of str to float, optional
        Coefficient to its value.
    columns : mapping of str to str, optional
        Quantity, or name in the expression, to the column of the table that holds it, as in
        {"params": "Model Size"}.
    where : str, optional
        Condition on the rows, as in "loss < 4.5 and source == 'c4'".
    random_baseline : float, optional
        Accuracy of guessing, where the table has an accuracy and no loss: then -log of the
        normalised accuracy is fitted.
    seed : int
        Of the starts of a general law; the named models need no random numbers.

    Returns
    -------
    Fit
        With `converged` True only where the minimum is certified.

    Raises
    ------
    ValueError
        Where an argument is outside its domain or the runs are too few.

    Notes
    -----
    The objective of Hoffmann et al. 2022 (arXiv 2203.15556) is "huber-log" with delta 1e-3. For
    given exponents the other coefficients are a linear problem (variable projection); a grid over
    the exponents finds every basin, Newton's method with the exact Hessian the minimum in it.

    Examples
    --------
    >>> import numpy as np
    >>> n, d = (x.ravel() for x in np.meshgrid([1e8, 1e9, 1e10], [1e9, 1e10, 1e11]))
    >>> found = fit({"params": n, "tokens": d, "loss": 1.7 + 400 * n**-0.34 + 410 * d**-0.28})
    >>> found.converged, round(found.coefficients["beta"], 6)
    (True, 0.34)
    """
    chosen = (
        objective if isinstance(objective, Objective) else Objective(name=objective, delta=delta)
    )
    if not isinstance(irreducible, bool):
        raise outside("irreducible", irreducible, "True or False")
    seed = whole_number("seed", seed, 0)
    form = form_of(model, irreducible=irreducible)
    table = Runs.read(
        runs,
        columns=columns,
        where=where,
        random_baseline=random_baseline,
        require=(*form.requires, "loss"),
        names=form.names,
    )
    form = form.on(table)
    require_possible_losses(table)
    design = Design.of(form, table, bounds=bounds, fixed=fixed)
    count = len(form.coefficients)
    table.require(count - len(design.given), f"the {count} coefficients of {form}")
    return _fitted(table, design, chosen, seed)


def fit_form(
    runs: Runs,
    form: PowerTerms | Expression,
    objective: Objective,
    *,
    bounds: Bounds | None = None,
    fixed: Mapping[str, float] | None = None,
    seed: int = 0,
) -> Fit:
    """The fit of a form to runs that have all it needs."""
    return _fitted(runs, Design.of(form, runs, bounds=bounds, fixed=fixed), objective, seed)


def _fitted(runs: Runs, design: Design, objective: Objective, seed: int) -> Fit:
    solution = design.solve(np.asarray(runs.loss), runs.weight, objective, seed=seed)
    fit = Fit(model=design.terms, objective=objective, runs=runs, design=design, solution=solution)
    for name, value in fit.coefficients.items():
        if not np.isfinite(value):
            raise ValueError(f"coefficient {name!r}: exceeds the largest float at the optimum")
    return fit


def require_possible_losses(runs: Runs) -> None:
    """Raise where a loss is in no unit: too far from 1 for any law of language models, and for
    floats to be squared.

    Raises
    ------
    ValueError
        Naming the row.
    """
    losses = np.asarray(runs.loss)
    least, most = LOSSES
    for index in (int(np.argmin(losses)), int(np.argmax(losses))):
        if not least <= losses[index] <= most:
            raise ValueError(
                f"loss={float(losses[index])!r} (row {runs.row[index]} of {runs.source}): must be "
                f"between {least:g} and "
                f"{most:g}; is it in another unit? A loss here is in nats per token"
            )


__all__ = ["fit", "fit_form", "require_possible_losses"]
