"""The data that a claim is about, and what can be seen in them of how they were drawn."""
