"""Laws with numbers for their coefficients, and what follows from them."""

from .params_tokens import Law, NumericEnvelope, law, laws

__all__ = ["Law", "NumericEnvelope", "law", "laws"]
