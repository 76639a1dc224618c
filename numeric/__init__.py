"""Numeric evaluation of the derived formulas."""
