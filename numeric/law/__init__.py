"""Laws with numbers for their coefficients, and what follows from them."""

from .file import law
from .scaling_law import Law
from .tables import laws

__all__ = ["Law", "law", "laws"]
