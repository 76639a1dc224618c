"""Tables of runs, evaluations and counts: columns recognised, rows checked, what is left out named."""
