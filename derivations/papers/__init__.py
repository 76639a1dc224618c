"""What single papers state, proved or put right."""
