"""pass@k: estimators, tails, and laws across k."""
