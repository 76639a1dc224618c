"""Statements of a user or a paper, and the theorems of the package: read, decided and reported."""
