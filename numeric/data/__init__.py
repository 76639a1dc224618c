"""Tables of runs, evaluations and counts: one reader, one registry of columns, and the views."""
