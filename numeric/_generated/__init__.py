"""Functions printed from the proved formulas by isoflop.theory.code.codegen; never written by hand."""
