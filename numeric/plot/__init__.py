"""Figures: shared panels, and one file a subject."""
