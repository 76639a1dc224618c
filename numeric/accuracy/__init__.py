"""Downstream accuracy: evaluations of benchmarks, their scaling laws, and the studies of these."""
