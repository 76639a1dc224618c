"""Claims, the arguments that prove them, and the decision of what is not proved yet."""
