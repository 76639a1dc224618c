"""Caps on params and on tokens."""
