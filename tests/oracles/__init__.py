"""Independent ways to the truth, and the notes' algorithms as they are printed."""
