"""Theorems as data: sentences, steps, derivations, errata, and the texts that spell them."""
