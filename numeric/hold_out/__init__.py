"""Laws fitted to some rows of a table and judged on the others."""

from .backtest import backtest
from .result import Backtest

__all__ = ["Backtest", "backtest"]
