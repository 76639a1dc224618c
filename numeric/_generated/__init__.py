"""Functions printed from the proved formulas by isoflop.theory.codegen; never written by hand."""
