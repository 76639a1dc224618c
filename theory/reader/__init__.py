"""Formulas as they are typed, in plain text or in LaTeX, as expressions: they are read, never run.

Modules: `tokens` (of plain text), `latex` (the same tokens from LaTeX), `building` (expressions under
bounds, and where they have a value) and `parse` (the one grammar).
"""
