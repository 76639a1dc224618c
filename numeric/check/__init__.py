"""Compute laws taken from runs directly: the frontier, isoFLOP minima, runs at a fixed ratio D/N."""
