"""One algorithm per file: pure functions on arrays."""
