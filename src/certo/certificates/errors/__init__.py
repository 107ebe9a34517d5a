"""How many examples a rule gets wrong, and the fewest that any hyperplane does."""
