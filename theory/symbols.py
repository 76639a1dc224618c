"""The symbols of the theory, as theorem files import them: ``from isoflop.theory import symbols``."""

from .algebra.symbols import *  # noqa: F403
