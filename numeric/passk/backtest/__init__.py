"""Backtests: laws fitted to the cheap models predict the expensive ones, cutoff by cutoff."""

from isoflop.numeric.passk.backtest.result import Backtest
from isoflop.numeric.passk.backtest.rolling import backtest

__all__ = ["Backtest", "backtest"]
