"""Fit a law to runs: the front door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.runs import Runs
from ..data.units import LOSSES
from ..errors import ArgumentError, outside, whole_number
from .models import MODELS, Design, GeneralDesign, GeneralLaw, PowerTerms, named_model
from .objective import DEFAULT_DELTA, DEFAULT_TAU, Objective
from .result import Fit

if TYPE_CHECKING:
    from os import PathLike

    from sympy import Expr

    from .models import Bounds

#: No power of the runs has a larger logarithm.
LARGEST_LOG = 600.0


def fit(
    runs: Runs | str | PathLike[str] | Any,
    *,
    model: str = "params-tokens",
    objective: str | Objective = "huber-log",
    delta: float = DEFAULT_DELTA,
    tau: float = DEFAULT_TAU,
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
        "absolute-log", "least-squares-log", "least-squares", "pinball-log".
    delta : float
        Of Huber's function; > 0.
    tau : float
        Of the pinball function; 0 < tau < 1.
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
        objective
        if isinstance(objective, Objective)
        else Objective(name=objective, delta=delta, tau=tau)
    )
    if not isinstance(irreducible, bool):
        raise outside("irreducible", irreducible, "True or False")
    seed = whole_number("seed", seed, 0)
    if not isinstance(model, str) or model not in MODELS:
        if not irreducible:
            raise outside(
                "irreducible",
                irreducible,
                "True where the law is an expression, which itself has an E or none",
            )
        reading = {"columns": columns, "where": where, "random_baseline": random_baseline}
        return fit_expression(
            runs, model, chosen, bounds=bounds, fixed=fixed, reading=reading, seed=seed
        )
    terms = named_model(model, irreducible=irreducible)
    table = Runs.read(
        runs,
        columns=columns,
        where=where,
        random_baseline=random_baseline,
        require=(*terms.variables, "loss"),
    )
    table.require(
        len(terms.coefficients) - len(fixed or {}),
        f"the {len(terms.coefficients)} coefficients of {terms}",
    )
    require_possible_losses(table)
    return fit_terms(table, terms, chosen, bounds=bounds, fixed=fixed)


def fit_terms(
    runs: Runs,
    terms: PowerTerms,
    objective: Objective,
    *,
    bounds: Bounds | None = None,
    fixed: Mapping[str, float] | None = None,
) -> Fit:
    """The fit of a sum of power terms."""
    design = Design.of(terms, runs, bounds=bounds, fixed=fixed)
    _require_representable(design, runs)
    return Fit(
        model=terms,
        objective=objective,
        runs=runs,
        design=design,
        solution=design.solve(np.asarray(runs.loss), runs.weight, objective),
    )


def fit_expression(
    runs: Any,
    expression: Expr | str,
    objective: Objective,
    *,
    bounds: Bounds | None = None,
    fixed: Mapping[str, float] | None = None,
    reading: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> Fit:
    """The fit of a law that is given as an expression; see `fit`. `reading` holds options of
    `Runs.read`.

    Raises
    ------
    ValueError
        Where the law cannot be read, names no column of the runs or has no coefficients.
    """
    for argument, mapping in (("bounds", bounds or {}), ("fixed", fixed or {})):
        if not isinstance(mapping, Mapping):
            raise outside(argument, mapping, "a mapping of the names of coefficients")
    for name, pair in (bounds or {}).items():
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise outside(f"bounds of {name}", pair, "a pair (low, high); None for no bound")
    from .expression import BUDGET, COLUMNS, ExpressionModel, names_of, required
    from .general import solve

    names = names_of(expression)
    table = Runs.read(runs, require=(*required(expression), "loss"), names=names, **(reading or {}))
    variables = tuple(
        name
        for name in names
        if COLUMNS.get(name) in BUDGET or name in BUDGET or name in table.extra
    )
    if not variables:
        known = ", ".join(
            [
                *(name for name, column in COLUMNS.items() if column in BUDGET),
                *map(str, table.extra),
            ]
        )
        complaint = f"names no column of the runs, which have {known}"
        raise ArgumentError("model", str(expression), complaint=complaint)
    model = ExpressionModel.on_runs(expression, table, variables=variables)
    if not model.names:
        raise ArgumentError("model", str(expression), complaint="has no coefficients")
    table.require(model.width - len(fixed or {}), f"the {model.width} coefficients of {expression}")
    require_possible_losses(table)
    solution = solve(
        model,
        np.asarray(table.loss),
        table.weight,
        objective,
        bounds=bounds,
        fixed=fixed,
        seed=seed,
    )
    boxes = {
        **dict(bounds or {}),
        **{name: (value, value) for name, value in (fixed or {}).items()},
    }
    ends = [boxes.get(name, (None, None)) for name in model.names]
    form = GeneralLaw(expression, variables, model.names)
    design = GeneralDesign(
        terms=form,
        model=model,
        lower=np.array([-np.inf if low is None else low for low, _ in ends]),
        upper=np.array([np.inf if high is None else high for _, high in ends]),
        given=dict(fixed or {}),
    )
    return Fit(model=form, objective=objective, runs=table, design=design, solution=solution)


def _require_representable(design: Design, runs: Runs) -> None:
    """Raise where a given exponent is so large that no float holds the power of the runs, or the
    prefactor beside it.
    """
    terms = design.terms
    upper = dict(zip(terms.coefficients, map(float, design.upper), strict=True))
    for prefactor, exponent, variable in zip(
        terms.prefactors, terms.exponents, terms.variables, strict=True
    ):
        farthest = float(np.abs(np.log(getattr(runs, variable))).max())
        if exponent in design.given or exponent in design.bounded:
            value, what = upper[exponent], "fixed" if exponent in design.given else "upper bound of"
            if LARGEST_LOG < value * farthest < np.inf:
                most = f"at most {LARGEST_LOG / farthest:.3g} for these {variable}"
                why = f"the prefactor {prefactor} would exceed the largest float"
                raise outside(f"{what} {exponent}", value, f"{most}: {why}")


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


__all__ = ["fit", "fit_expression", "fit_terms", "require_possible_losses"]
