"""How a claim finds its witness and its numbers. What a check needs is in `certo.certificates`."""
