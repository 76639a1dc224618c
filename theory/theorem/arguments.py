"""The arguments that prove the steps of a theorem."""

from .argument import (
    Argument,
    ByApplying,
    ByCases,
    ByConvexity,
    ByEnclosure,
    ByFactors,
    ByLeadingTerm,
    ByMonotone,
    ByNormalForm,
    ByPositiveTerms,
    BySameDifference,
    BySum,
    ByWeightedAmGm,
    Cited,
    Numerically,
    UnderLemma,
)

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
