"""Figures: shared panels, and a module for each subject."""
