"""The price of leaving the optimum: misallocation, over- and undertraining, effective compute."""
