"""The symbolic layer: laws, budgets, the normal form, claims, derivations of the envelope and of
the penalty.

Importing this package imports no SymPy; the modules are loaded where they are used.
"""
