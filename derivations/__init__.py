"""One file per theorem: statement, assumptions, steps, source."""
