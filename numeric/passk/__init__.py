"""pass@k: from samples to estimates, their scaling laws, and k as a lever."""

from ..data.counts import Counts
from .curve import curve
from .estimator import estimated_covariance, log_fail, pass_at_k
from .laws import PassLaws, fit_passk, last_crossings, lost_compute

__all__ = [
    "Counts",
    "PassLaws",
    "curve",
    "estimated_covariance",
    "fit_passk",
    "last_crossings",
    "log_fail",
    "lost_compute",
    "pass_at_k",
]
