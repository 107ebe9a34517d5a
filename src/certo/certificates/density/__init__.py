"""How near a density is to the most likely one, or why there is none."""
