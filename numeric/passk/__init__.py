"""pass@k: from samples to estimates, their scaling laws, and k as a lever."""

from ..data.counts import Counts
from ..data.pass_table import PassTable
from .across_k import envelopes, holds_above, lost_compute, penalties, predict
from .curve import Curve, curve
from .estimator import covariance, estimated_covariance, log_fail, neg_log_pass_at_k, pass_at_k
from .inequalities import impossible
from .laws import PassLaws, fit_passk
from .study import PassStudy, study_passk

__all__ = [
    "Counts",
    "Curve",
    "PassLaws",
    "PassStudy",
    "PassTable",
    "covariance",
    "curve",
    "envelopes",
    "estimated_covariance",
    "fit_passk",
    "holds_above",
    "impossible",
    "log_fail",
    "lost_compute",
    "neg_log_pass_at_k",
    "pass_at_k",
    "penalties",
    "predict",
    "study_passk",
]
