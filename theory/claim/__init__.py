"""What a claim says, checked against the definitions of what it speaks of."""
