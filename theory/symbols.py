"""The symbols of the theory where theorem files find them: `from isoflop.theory import symbols`."""

from .kernel.symbols import *  # noqa: F403
