"""What runs tell of a law: rays, ranks, biases, the delta method."""
