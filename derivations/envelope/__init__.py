"""The compute-optimal envelope, the optimal allocation, and what moves with them."""
