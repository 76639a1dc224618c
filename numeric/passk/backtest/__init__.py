"""Backtests: laws fitted to the cheap models predict the expensive ones, cutoff by cutoff."""

from .result import Backtest
from .rolling import backtest

__all__ = ["Backtest", "backtest"]
