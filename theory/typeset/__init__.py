"""Theorems and tables on a page: text, LaTeX, documents."""
