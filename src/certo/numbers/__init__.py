"""The arithmetic of proofs: exact rationals, sums with allowances, integers, outward decimals."""
