"""Whether classes can be separated, with a proof either way."""
