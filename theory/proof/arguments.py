"""The arguments that prove the steps of a theorem."""

from .argument import (
    Argument,
    ByCases,
    ByEnclosure,
    ByFactors,
    ByLeadingTerm,
    ByNormalForm,
    ByPositiveTerms,
    ByWeightedAmGm,
    Cited,
    Numerically,
    UnderLemma,
)
from .argument_calculus import ByConvexity, ByMonotone, BySameDifference, BySum

__all__ = [
    "Argument",
    "ByCases",
    "ByConvexity",
    "ByEnclosure",
    "ByFactors",
    "ByLeadingTerm",
    "ByMonotone",
    "ByNormalForm",
    "ByPositiveTerms",
    "BySameDifference",
    "BySum",
    "ByWeightedAmGm",
    "Cited",
    "Numerically",
    "UnderLemma",
]
