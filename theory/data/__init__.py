"""Plain data without SymPy: notation, published laws, bibliography, tables typed in from papers."""
