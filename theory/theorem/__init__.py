"""Claims, the arguments that prove them, and the decision of bounds and limits."""
