"""pass@k: from samples to estimates, their scaling laws, and k as a lever."""

from isoflop.numeric.passk.backtest import Backtest, backtest
from isoflop.numeric.passk.beta import BetaFit, fit_beta
from isoflop.numeric.passk.counts import Counts
from isoflop.numeric.passk.coupled import Coupled, fit_coupled
from isoflop.numeric.passk.curve import Curve, curve
from isoflop.numeric.passk.estimator import (
    covariance,
    estimated_covariance,
    log_fail,
    neg_log_pass_at_k,
    pass_at_k,
)
from isoflop.numeric.passk.feasible import Nearest, nearest
from isoflop.numeric.passk.inequalities import Violations, violations
from isoflop.numeric.passk.laws import PassLaws, fit_passk
from isoflop.numeric.passk.pass_table import PassTable
from isoflop.numeric.passk.study import PassStudy, study_passk

__all__ = [
    "Backtest",
    "BetaFit",
    "Counts",
    "Coupled",
    "Curve",
    "Nearest",
    "PassLaws",
    "PassStudy",
    "PassTable",
    "Violations",
    "backtest",
    "covariance",
    "curve",
    "estimated_covariance",
    "fit_beta",
    "fit_coupled",
    "fit_passk",
    "log_fail",
    "nearest",
    "neg_log_pass_at_k",
    "pass_at_k",
    "study_passk",
    "violations",
]
