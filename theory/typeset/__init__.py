"""Numbers and tables for terminals, LaTeX, notebooks, JSON and frames.

Importing this package imports neither SymPy nor NumPy.
"""
