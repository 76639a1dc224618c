"""From proved formulas to source: which formulas, and the printers of Python."""
