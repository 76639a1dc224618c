"""The theorems, one file each: statement, assumptions, numbered steps with their reasons, source.

Every file has `derivation()`, which builds the theorem as data; its steps are claims that check themselves.
"""

NAMES = ("compute_optimal_envelope", "misallocation_penalty", "fixed_ratio_ray")
