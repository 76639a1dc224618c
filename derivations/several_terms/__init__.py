"""Laws of several power terms."""
