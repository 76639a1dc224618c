"""Models held out: laws fitted to the cheap ones predict the expensive ones."""

from .result import Backtest
from .trials import backtest

__all__ = ["Backtest", "backtest"]
