"""Theorems and tables on a page: text, LaTeX, documents; numbers and tables of every result."""
