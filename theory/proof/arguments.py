"""The arguments that prove the steps of a theorem."""

from .argument import (
    Argument,
    ByApplying,
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
    "ByApplying",
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
