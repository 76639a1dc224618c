"""pass@k: from samples to estimates, their scaling laws, and k as a lever."""

from ..data.counts import Counts
from ..data.pass_table import PassTable
from .curve import Curve, curve
from .estimator import covariance, estimated_covariance, log_fail, neg_log_pass_at_k, pass_at_k
from .inequalities import Violations, violations
from .laws import PassLaws, fit_passk
from .study import PassStudy, study_passk

__all__ = [
    "Counts",
    "Curve",
    "PassLaws",
    "PassStudy",
    "PassTable",
    "Violations",
    "covariance",
    "curve",
    "estimated_covariance",
    "fit_passk",
    "log_fail",
    "neg_log_pass_at_k",
    "pass_at_k",
    "study_passk",
    "violations",
]
